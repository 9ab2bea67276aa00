/* Constraints and weight models, for searches that know of neither. */
#include <permfst/machine/space.h>

#include <permfst/permute/walk.h>
#include <permfst/permute/wm.h>

#include <stdlib.h>

struct pf_space_walk {
    pf_con_walk at;
};

unsigned pf_space_length(const pf_con *space) { return space->n; }

void pf_space_range(const pf_con *space, unsigned t, unsigned *least, unsigned *most) { pf_con_range(space, t, least, most); }

bool pf_space_sorts(const pf_con *space) { return pf_con_sorts(space); }

static pf_wm *const *parts_of(const pf_wm *weights, size_t *count) {
    *count = 0;
    return weights->cls->parts ? weights->cls->parts(weights, count) : NULL;
}

double pf_space_follow(const pf_wm *weights, unsigned last, unsigned j) {
    size_t count;
    pf_wm *const *part = parts_of(weights, &count);
    double cost = weights->cls->follow ? weights->cls->follow(weights, last, j) : 0;
    for (size_t i = 0; i < count; i++) cost += pf_space_follow(part[i], last, j);
    return cost;
}

bool pf_space_follow_is_all(const pf_wm *weights) {
    size_t count;
    pf_wm *const *part = parts_of(weights, &count);
    bool all = part || weights->cls->follow;
    for (size_t i = 0; all && i < count; i++) all = pf_space_follow_is_all(part[i]);
    return all;
}

pf_err pf_space_walk_new(const pf_con *space, pf_space_walk **out) {
    *out = calloc(1, sizeof **out);
    if (!*out) return pf_nomem();
    if (!pf_con_walk_init(&(*out)->at, pf_con_inner(space), 0)) return PF_OK;
    pf_space_walk_free(*out);
    *out = NULL;
    return pf_nomem();
}

void pf_space_walk_free(pf_space_walk *walk) {
    if (!walk) return;
    pf_con_walk_free(&walk->at);
    free(walk);
}

void pf_space_walk_start(pf_space_walk *walk) { pf_con_walk_start(&walk->at); }

/* Only a completion test may fail to find the moves. */
const uint64_t *pf_space_walk_moves(pf_space_walk *walk) {
    const pf_err err = pf_con_walk_expand(&walk->at);
    assert(!err);
    if (err) pf_cover_clear(walk->at.moves, walk->at.con->nw);
    return walk->at.moves;
}

bool pf_space_walk_ends(const pf_space_walk *walk) { return pf_con_walk_ends(&walk->at); }

void pf_space_walk_visit(pf_space_walk *walk, unsigned position) { pf_con_walk_visit(&walk->at, position); }
