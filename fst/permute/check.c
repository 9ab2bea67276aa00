/* Membership by definition, and the step at which a permutation leaves a constraint, by walking its automaton.
 *
 * A combination is asked part by part: its parts' automata have no dead ends of the combination's making, so the step at
 * which one of them refuses has a reason that it can name. The automaton of the whole, without its dead ends, is walked
 * after that, to see whether the way had been lost before. */
#include <permfst/permute/check.h>

#include <permfst/permute/walk.h>
#include "permute/con_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEVER = UINT_MAX,
    AROUND = 8,          /* positions of a permutation that are shown */
    LOOK_BYTES = 1 << 20 /* of states that the search for a dead end may remember */
};

struct pf_check {
    pf_con *con;    /* plain: to be taken apart */
    unsigned *room; /* 2n + 2 numbers */
};

static pf_con *const *parts_of(const pf_con *con, size_t *n) {
    *n = 0;
    return con->cls->parts ? con->cls->parts(con, n) : NULL;
}

/* ---- membership ---- */

static bool admits(const pf_con *con, const unsigned *p, unsigned *room) {
    uint64_t param;
    if (con->cls == &pfi_con_itg) return pfi_con_separable(p, con->n, room);
    if (!con->cls->least) return con->cls->member(con, p);
    return con->cls->least(p, con->n, room, &param) && param <= con->param;
}

static bool inside(const pf_con *con, const unsigned *p, unsigned *room) {
    size_t n;
    pf_con *const *part = parts_of(con, &n);
    bool any = con->cls == &pfi_con_one_of;
    if (!part) return admits(con, p, room);
    if (con->cls == &pfi_con_without) return inside(part[0], p, room) && !inside(part[1], p, room);
    for (size_t i = 0; i < n; i++)
        if (inside(part[i], p, room) == any) return any;
    return !any;
}

bool pf_check_inside(pf_check *c, const unsigned *p) { return inside(c->con, p, c->room); }

pf_err pf_check_least(const pf_con_class *cls, const unsigned *p, unsigned n, bool *is_inside, uint64_t *param) {
    unsigned *room = calloc(2 * (size_t)n + 2, sizeof *room);
    if (!room) return pf_nomem();
    *is_inside = cls->least(p, n, room, param);
    free(room);
    return PF_OK;
}

/* ---- walking ---- */

/* Takes the steps of p while they are allowed, at most `limit`: walk->covered is how many they were. The walk is to be freed,
 * also where this fails. */
static pf_err follow(const pf_con *con, const unsigned *p, unsigned limit, pf_con_walk *walk) {
    bool allowed = true;
    PF_TRY(pf_con_walk_init(walk, con, 0));
    pf_con_walk_start(walk);
    while (walk->covered < limit) {
        unsigned j = p[walk->covered];
        PF_TRY(pf_con_walk_allows(walk, j, &allowed));
        if (!allowed) break;
        pf_con_walk_visit(walk, j);
    }
    return PF_OK;
}

static pf_err refused_at(const pf_con *con, const unsigned *p, unsigned limit, unsigned *step) {
    pf_con_walk walk;
    pf_err err = follow(con, p, limit, &walk);
    *step = walk.covered;
    pf_con_walk_free(&walk);
    return err;
}

/* The step at which p leaves: of all parts the first, of a union the last; n where only a whole permutation can tell; NEVER
 * if it is inside. */
static pf_err leaves(const pf_check *c, const pf_con *con, const unsigned *p, unsigned *step) {
    size_t n;
    pf_con *const *part = parts_of(con, &n);
    bool either = con->cls == &pfi_con_one_of;
    *step = NEVER;
    if (inside(con, p, c->room)) return PF_OK;
    if (!part) return refused_at(con, p, con->n, step);
    if (con->cls == &pfi_con_without) {
        PF_TRY(leaves(c, part[0], p, step));
        if (*step == NEVER) *step = con->n;
        return PF_OK;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned of_part;
        PF_TRY(leaves(c, part[i], p, &of_part));
        if (!i || (either ? of_part > *step : of_part < *step)) *step = of_part;
    }
    return PF_OK;
}

/* ---- words ---- */

typedef struct {
    pf_check *check;
    const unsigned *p;
    unsigned base;
    pf_writer *to;
} teller;

/* "1 4 ...: " */
static pf_err tell_way(const teller *say, unsigned step) {
    unsigned from = step < AROUND ? 0 : step + 1 - AROUND;
    if (from) PF_TRY(pf_writer_text(say->to, "... "));
    for (unsigned t = from; t <= step; t++)
        PF_TRY(pf_writer_text(say->to, "%s%u", t > from ? " " : "", say->p[t] + say->base));
    return pf_writer_text(say->to, "%s: position %u at step %u", step + 1 < say->check->con->n ? " ..." : "",
                          say->p[step] + say->base, step + say->base);
}

/* "2, 3, 7-9". */
static pf_err tell_set(const teller *say, const pf_cover *set, unsigned n, unsigned nw) {
    const char *comma = "";
    unsigned j = pf_cover_next(set, nw, 0);
    if (j >= n) return pf_writer_text(say->to, "nothing");
    for (unsigned end; j < n; j = pf_cover_next(set, nw, end), comma = ", ") {
        end = pf_cover_gap(set, nw, j + 1);
        if (end - j < 3) end = j + 1;
        PF_TRY(pf_writer_text(say->to, "%s%u", comma, j + say->base));
        if (end > j + 1) PF_TRY(pf_writer_text(say->to, "-%u", end - 1 + say->base));
    }
    return PF_OK;
}

/* What `con` leaves of the positions in set after `step` steps, and in `why`, behind a comma, why not that of this step, if
 * it is not among them. */
static pf_err ask(const teller *say, const pf_con *con, unsigned step, pf_cover *set, pf_writer *why) {
    char words[256];
    bool allowed = true;
    pf_con_walk walk;
    pf_err err = follow(con, say->p, step, &walk);
    assert(err || walk.covered == step);
    if (!err) err = pf_con_walk_allows(&walk, say->p[step], &allowed);
    if (!err) err = pf_con_walk_narrow(&walk, set);
    if (!err && !allowed) {
        con->cls->why(con, pf_con_walk_cover(&walk), pf_con_walk_extra(&walk), say->p, step, say->base, words, sizeof words);
        err = pf_writer_text(why, "; %s", words);
    }
    pf_con_walk_free(&walk);
    return err;
}

/* All those of the n parts that are called by one name. */
static pf_err ask_all(const teller *say, const char *name, pf_con *const *part, size_t n, unsigned step, pf_cover *set,
                      pf_writer *why) {
    pf_cover_range(set, part[0]->nw, 0, part[0]->n);
    for (unsigned t = 0; t < step; t++) pf_cover_drop(set, say->p[t]);
    for (size_t i = 0; i < n; i++)
        if (strcmp(part[i]->spec, name) == 0) PF_TRY(ask(say, part[i], step, set, why));
    return PF_OK;
}

static pf_err tell_refusal(const teller *say, const pf_con *con, unsigned step, const pf_cover *set, pf_writer *why) {
    size_t n;
    const char *words = (const char *)pf_writer_bytes(why, &n);
    PF_TRY(tell_way(say, step));
    PF_TRY(pf_writer_text(say->to, ", %s allows ", con->spec));
    PF_TRY(tell_set(say, set, con->n, con->nw));
    return n > 2 ? pf_writer_text(say->to, " (%.*s)", (int)(n - 2), words + 2) : PF_OK;
}

/* Of `con`, which refuses the step, one of the n parts. */
static pf_err tell_name(const teller *say, const pf_con *con, unsigned step, pf_con *const *part, size_t n) {
    pf_writer *why;
    PF_TRY(pf_writer_memory(&why));
    pf_cover *set = calloc(con->nw, sizeof *set);
    pf_err err = set ? ask_all(say, con->spec, part, n, step, set, why) : pf_nomem();
    if (!err) err = tell_refusal(say, con, step, set, why);
    pf_writer_free(why);
    free(set);
    return err;
}

/* Of a constraint that p leaves at `step`; its name may be that of more of the n parts beside it. */
static pf_err tell(const teller *say, pf_con *con, unsigned step, pf_con *const *beside, size_t n);

static pf_err tell_one(const teller *say, pf_con *con) {
    unsigned step;
    PF_TRY(leaves(say->check, con, say->p, &step));
    return tell(say, con, step, &con, 1);
}

static pf_err tell_difference(const teller *say, const pf_con *con, pf_con *const *side) {
    if (!inside(side[0], say->p, say->check->room)) return tell_one(say, side[0]);
    return pf_writer_text(say->to, "inside %s, which %s leaves out", side[1]->spec, con->spec);
}

static pf_err tell_union(const teller *say, pf_con *const *side, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i) PF_TRY(pf_writer_text(say->to, "; and "));
        PF_TRY(tell_one(say, side[i]));
    }
    return PF_OK;
}

/* The part that refuses first. */
static pf_err tell_conjunction(const teller *say, unsigned first, pf_con *const *part, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned step;
        PF_TRY(leaves(say->check, part[i], say->p, &step));
        if (step == first) return tell(say, part[i], step, part, n);
    }
    return PF_OK;
}

static pf_err tell(const teller *say, pf_con *con, unsigned step, pf_con *const *beside, size_t n) {
    size_t n_parts;
    pf_con *const *part = parts_of(con, &n_parts);
    if (con->cls == &pfi_con_without) return tell_difference(say, con, part);
    if (con->cls == &pfi_con_one_of) return tell_union(say, part, n_parts);
    if (part) return tell_conjunction(say, step, part, n_parts);
    return tell_name(say, con, step, beside, n);
}

/* The step before `left`, if there is one, after which nothing could save it. PF_ELIMIT: it would take too long to know. */
static pf_err find_dead_end(const pf_check *c, const unsigned *p, unsigned left, unsigned *step) {
    pf_con *con;
    *step = left;
    PF_TRY(pfi_con_parse(c->con->spec, c->con->n, &con));
    if (con->live) {
        pf_con_free(con);
        return PF_OK;
    }
    PF_TRY(pfi_con_live(con, LOOK_BYTES / (con->nw * sizeof(pf_cover) + con->room), &con));
    pf_err err = refused_at(con, p, left, step);
    pf_con_free(con);
    return err;
}

static pf_err tell_dead_end(const teller *say, unsigned step) {
    PF_TRY(tell_way(say, step));
    return pf_writer_text(say->to, " is a dead end, no order of the rest is inside %s; ", say->check->con->spec);
}

pf_err pf_check_why(pf_check *c, const unsigned *p, unsigned base, pf_writer *words) {
    teller say = {c, p, base, words};
    unsigned left, lost;
    PF_TRY(leaves(c, c->con, p, &left));
    if (left == NEVER) return PF_OK;
    pf_err look = find_dead_end(c, p, left, &lost);
    if (look && look != PF_ELIMIT) return look;
    if (!look && lost < left) PF_TRY(tell_dead_end(&say, lost));
    PF_TRY(tell(&say, c->con, left, &c->con, 1));
    return look ? pf_writer_text(words, "; a dead end before that is not ruled out") : PF_OK;
}

pf_err pf_check_new(const char *spec, unsigned n, pf_check **out) {
    pf_check *c = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    pf_err err = pfi_con_parse(spec, n, &c->con);
    if (err) c->con = NULL;
    if (!err && !(c->room = calloc(2 * (size_t)n + 2, sizeof *c->room))) err = pf_nomem();
    if (!err) *out = c;
    else pf_check_free(c);
    return err;
}

void pf_check_free(pf_check *c) {
    if (!c) return;
    pf_con_free(c->con);
    free(c->room);
    free(c);
}
