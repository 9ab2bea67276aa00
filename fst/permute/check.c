/* Membership by definition, and the step at which a permutation leaves a constraint, by walking its automaton.
 *
 * A combination is examined part by part. The automaton of a part has none of the dead ends that only the combination has, so
 * a step that it refuses has a reason that the part can give. Then the automaton of the combination, without its dead ends,
 * is walked to see whether the permutation had entered a dead end before that step. */
#include <permfst/permute/check.h>

#include <permfst/permute/walk.h>
#include "permute/con_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEVER = UINT_MAX,
    SHOWN = 8,               /* the last positions of the way that are shown */
    RUNS_SHOWN = 16,         /* the first runs of the positions that are allowed */
    DEAD_END_BYTES = 1 << 20 /* of states that the search for a dead end may remember */
};

struct pf_check {
    pf_con *con;       /* without a completion test, so that its parts can be examined */
    unsigned *scratch; /* 2n + 2 numbers */
};

static pf_con *const *parts_of(const pf_con *con, size_t *count) {
    *count = 0;
    return con->cls->parts ? con->cls->parts(con, count) : NULL;
}

/* ---- membership ---- */

static bool admits(const pf_con *con, const unsigned *perm, unsigned *scratch) {
    uint64_t param;
    if (con->cls == &pfi_con_itg) return pfi_con_separable(perm, con->n, scratch);
    if (!con->cls->least) return con->cls->member(con, perm);
    return con->cls->least(perm, con->n, scratch, &param) && param <= con->param;
}

static bool inside(const pf_con *con, const unsigned *perm, unsigned *scratch) {
    size_t count;
    pf_con *const *part = parts_of(con, &count);
    bool any = con->cls == &pfi_con_one_of;
    if (!part) return admits(con, perm, scratch);
    if (con->cls == &pfi_con_without) return inside(part[0], perm, scratch) && !inside(part[1], perm, scratch);
    for (size_t i = 0; i < count; i++)
        if (inside(part[i], perm, scratch) == any) return any;
    return !any;
}

static bool is_permutation(const unsigned *perm, unsigned length, unsigned *scratch) {
    memset(scratch, 0, length * sizeof *scratch);
    for (unsigned step = 0; step < length; step++)
        if (perm[step] >= length || scratch[perm[step]]++) return false;
    return true;
}

bool pf_check_inside(pf_check *check, const unsigned *perm) {
    assert(is_permutation(perm, check->con->n, check->scratch));
    return inside(check->con, perm, check->scratch);
}

pf_err pf_check_least(const pf_con_class *cls, const unsigned *perm, unsigned length, bool *is_inside, uint64_t *param) {
    unsigned *scratch = calloc(2 * (size_t)length + 2, sizeof *scratch);
    assert(cls->least);
    if (!scratch) return pf_nomem();
    assert(is_permutation(perm, length, scratch));
    *is_inside = cls->least(perm, length, scratch, param);
    free(scratch);
    return PF_OK;
}

/* ---- walking ---- */

/* Takes the steps of perm while they are allowed, at most `limit`: walk->covered is how many they were. The walk is to be freed,
 * also where this fails. */
static pf_err follow(const pf_con *con, const unsigned *perm, unsigned limit, pf_con_walk *walk) {
    bool allowed = true;
    PF_TRY(pf_con_walk_init(walk, con, 0));
    pf_con_walk_start(walk);
    while (walk->covered < limit) {
        unsigned j = perm[walk->covered];
        PF_TRY(pf_con_walk_allows(walk, j, &allowed));
        if (!allowed) break;
        pf_con_walk_visit(walk, j);
    }
    return PF_OK;
}

static pf_err refused_at(const pf_con *con, const unsigned *perm, unsigned limit, unsigned *step) {
    pf_con_walk walk;
    pf_err err = follow(con, perm, limit, &walk);
    *step = walk.covered;
    pf_con_walk_free(&walk);
    return err;
}

/* The step at which perm leaves: the first such step of the parts, for a union the last. It is the length where only the
 * whole permutation can tell, and NEVER if perm is inside. */
static pf_err leaves(const pf_check *check, const pf_con *con, const unsigned *perm, unsigned *step) {
    size_t count;
    pf_con *const *part = parts_of(con, &count);
    bool either = con->cls == &pfi_con_one_of;
    *step = NEVER;
    if (inside(con, perm, check->scratch)) return PF_OK;
    if (!part) return refused_at(con, perm, con->n, step);
    if (con->cls == &pfi_con_without) {
        PF_TRY(leaves(check, part[0], perm, step));
        if (*step == NEVER) *step = con->n;
        return PF_OK;
    }
    for (size_t at = 0; at < count; at++) {
        unsigned of_part;
        PF_TRY(leaves(check, part[at], perm, &of_part));
        if (!at || (either ? of_part > *step : of_part < *step)) *step = of_part;
    }
    return PF_OK;
}

/* ---- words ---- */

/* Why an order is not inside, in words that are written to `to`. */
typedef struct {
    pf_check *check;
    const unsigned *order;
    unsigned base; /* number of the first position and of the first step */
    pf_writer *to;
} explanation;

/* "1 4 ...: " */
static pf_err write_way(const explanation *why, unsigned step) {
    unsigned from = step < SHOWN ? 0 : step + 1 - SHOWN;
    assert(step < why->check->con->n);
    if (from) PF_TRY(pf_writer_text(why->to, "... "));
    for (unsigned at = from; at <= step; at++)
        PF_TRY(pf_writer_text(why->to, "%s%u", at > from ? " " : "", why->order[at] + why->base));
    return pf_writer_text(why->to, "%s: position %u at step %u", step + 1 < why->check->con->n ? " ..." : "",
                          why->order[step] + why->base, step + why->base);
}

/* "2, 3, 7-9", and "..." after the first runs. */
static pf_err write_set(const explanation *why, const pf_cover *set, unsigned length, unsigned nw) {
    const char *comma = "";
    unsigned begin = pf_cover_next(set, nw, 0), runs = 0;
    if (begin >= length) return pf_writer_text(why->to, "nothing");
    for (unsigned end; begin < length; begin = pf_cover_next(set, nw, end), comma = ", ") {
        if (runs++ == RUNS_SHOWN) return pf_writer_text(why->to, ", ...");
        end = pf_cover_gap(set, nw, begin + 1);
        if (end - begin < 3) end = begin + 1;
        PF_TRY(pf_writer_text(why->to, "%s%u", comma, begin + why->base));
        if (end > begin + 1) PF_TRY(pf_writer_text(why->to, "-%u", end - 1 + why->base));
    }
    return PF_OK;
}

/* Takes out of `set` what `con` does not allow after `step` steps. If it does not allow the position of this step, the reason is
 * added to `reasons`, after a semicolon. */
static pf_err narrow(const explanation *why, const pf_con *con, unsigned step, pf_cover *set, pf_writer *reasons) {
    char words[256];
    bool allowed = true;
    pf_con_walk walk;
    pf_err err = follow(con, why->order, step, &walk);
    assert(err || walk.covered == step);
    if (!err) err = pf_con_walk_allows(&walk, why->order[step], &allowed);
    if (!err) err = pf_con_walk_narrow(&walk, set);
    if (!err && !allowed && con->cls->why) {
        con->cls->why(con, pf_con_walk_cover(&walk), pf_con_walk_extra(&walk), why->order, step, why->base, words, sizeof words);
        err = pf_writer_text(reasons, "; %s", words);
    }
    pf_con_walk_free(&walk);
    return err;
}

/* The same of all those of the parts that have this name; `set` is then what they allow. */
static pf_err narrow_all(const explanation *why, const char *name, pf_con *const *part, size_t count, unsigned step,
    pf_cover *set, pf_writer *reasons) {
    pf_cover_range(set, part[0]->nw, 0, part[0]->n);
    for (unsigned i = 0; i < step; i++) pf_cover_drop(set, why->order[i]);
    for (size_t i = 0; i < count; i++)
        if (strcmp(part[i]->spec, name) == 0) PF_TRY(narrow(why, part[i], step, set, reasons));
    return PF_OK;
}

static pf_err explain_step(const explanation *why, const pf_con *con, unsigned step, const pf_cover *set,
                           pf_writer *reasons) {
    size_t length;
    const char *words = (const char *)pf_writer_bytes(reasons, &length);
    PF_TRY(write_way(why, step));
    PF_TRY(pf_writer_text(why->to, ", %s allows ", con->spec));
    PF_TRY(write_set(why, set, con->n, con->nw));
    return length > 2 ? pf_writer_text(why->to, " (%.*s)", (int)(length - 2), words + 2) : PF_OK;
}

/* Explains by its name why `con`, which is one of the parts, refuses the step. */
static pf_err explain_name(const explanation *why, const pf_con *con, unsigned step, pf_con *const *part, size_t count) {
    pf_writer *reasons;
    PF_TRY(pf_writer_memory(&reasons));
    pf_cover *set = calloc(con->nw, sizeof *set);
    pf_err err = set ? narrow_all(why, con->spec, part, count, step, set, reasons) : pf_nomem();
    if (!err) err = explain_step(why, con, step, set, reasons);
    pf_writer_free(reasons);
    free(set);
    return err;
}

/* Explains why perm leaves a constraint at `step`. The constraint is one of the parts, some of which may have the same name. */
static pf_err explain(const explanation *why, pf_con *con, unsigned step, pf_con *const *beside, size_t count);

static pf_err explain_alone(const explanation *why, pf_con *con) {
    unsigned step;
    PF_TRY(leaves(why->check, con, why->order, &step));
    return explain(why, con, step, &con, 1);
}

static pf_err explain_difference(const explanation *why, const pf_con *con, pf_con *const *side) {
    if (!inside(side[0], why->order, why->check->scratch)) return explain_alone(why, side[0]);
    return pf_writer_text(why->to, "inside %s, which %s leaves out", side[1]->spec, con->spec);
}

static pf_err explain_union(const explanation *why, pf_con *const *side, size_t count) {
    for (size_t at = 0; at < count; at++) {
        if (at) PF_TRY(pf_writer_text(why->to, "; and "));
        PF_TRY(explain_alone(why, side[at]));
    }
    return PF_OK;
}

/* The part that refuses first. */
static pf_err explain_conjunction(const explanation *why, unsigned first, pf_con *const *part, size_t count) {
    for (size_t at = 0; at < count; at++) {
        unsigned step;
        PF_TRY(leaves(why->check, part[at], why->order, &step));
        if (step == first) return explain(why, part[at], step, part, count);
    }
    return PF_OK;
}

static pf_err explain(const explanation *why, pf_con *con, unsigned step, pf_con *const *beside, size_t count) {
    size_t n_parts;
    pf_con *const *part = parts_of(con, &n_parts);
    if (con->cls == &pfi_con_without) return explain_difference(why, con, part);
    if (con->cls == &pfi_con_one_of) return explain_union(why, part, n_parts);
    if (part) return explain_conjunction(why, step, part, n_parts);
    return explain_name(why, con, step, beside, count);
}

/* The step before `refused` that leads to a dead end, or `refused` if there is none. PF_ELIMIT: the search has reached its
 * limit. */
static pf_err find_dead_end(const pf_check *check, const unsigned *perm, unsigned refused, unsigned *step) {
    pf_con *con;
    *step = refused;
    PF_TRY(pfi_con_parse(check->con->spec, check->con->n, &con));
    if (con->live) {
        pf_con_free(con);
        return PF_OK;
    }
    PF_TRY(pfi_con_live(con, DEAD_END_BYTES / (con->nw * sizeof(pf_cover) + con->room), &con));
    pf_err err = refused_at(con, perm, refused, step);
    pf_con_free(con);
    return err;
}

static pf_err explain_dead_end(const explanation *why, unsigned step) {
    PF_TRY(write_way(why, step));
    return pf_writer_text(why->to, " is a dead end: no order of the remaining positions is inside %s; ", why->check->con->spec);
}

pf_err pf_check_why(pf_check *check, const unsigned *perm, unsigned base, pf_writer *words) {
    explanation why = {check, perm, base, words};
    unsigned refused, dead_end;
    assert(is_permutation(perm, check->con->n, check->scratch));
    PF_TRY(leaves(check, check->con, perm, &refused));
    if (refused == NEVER) return PF_OK;
    pf_err limit = find_dead_end(check, perm, refused, &dead_end);
    if (limit && limit != PF_ELIMIT) return limit;
    if (!limit && dead_end < refused) PF_TRY(explain_dead_end(&why, dead_end));
    PF_TRY(explain(&why, check->con, refused, &check->con, 1));
    return limit ? pf_writer_text(words, "; an earlier dead end is not ruled out") : PF_OK;
}

pf_err pf_check_new(const char *spec, unsigned length, pf_check **out) {
    pf_check *check = calloc(1, sizeof *check);
    if (!check) return pf_nomem();
    pf_err err = pfi_con_parse(spec, length, &check->con);
    if (err) check->con = NULL;
    if (!err && !(check->scratch = calloc(2 * (size_t)length + 2, sizeof *check->scratch))) err = pf_nomem();
    if (!err) *out = check;
    else pf_check_free(check);
    return err;
}

void pf_check_free(pf_check *check) {
    if (!check) return;
    pf_con_free(check->con);
    free(check->scratch);
    free(check);
}

/* ---- questions ---- */

pf_err pf_check_spec(const char *spec, const unsigned *permutation, unsigned length, pf_check_each each, void *self) {
    pf_check *check;
    PF_TRY(pf_check_new(spec, length, &check));
    bool is_inside = pf_check_inside(check, permutation);
    pf_err err = each(self, spec, is_inside, is_inside ? NULL : check);
    pf_check_free(check);
    return err;
}

/* The least parameter that the class has: that of one position. */
static pf_err least_of_all(const pf_con_class *cls, uint64_t *param) {
    bool is_inside;
    return pf_check_least(cls, &(unsigned){0}, 1, &is_inside, param);
}

/* What explains it breaks with the parameter one below, or with any. */
static pf_err check_least(const pf_con_class *cls, const unsigned *permutation, unsigned length, pf_check_each each,
    void *self) {
    uint64_t param = 0, lowest;
    bool is_inside;
    char spec[80], below[80];
    pf_check *check = NULL;
    PF_TRY(least_of_all(cls, &lowest));
    PF_TRY(pf_check_least(cls, permutation, length, &is_inside, &param));
    snprintf(spec, sizeof spec, "%s:%llu", cls->name, (unsigned long long)param);
    snprintf(below, sizeof below, "%s:%llu", cls->name, (unsigned long long)(is_inside ? param - 1 : length));
    if (!is_inside || param > lowest) PF_TRY(pf_check_new(below, length, &check));
    pf_err err = each(self, is_inside ? spec : cls->name, is_inside, check);
    pf_check_free(check);
    return err;
}

pf_err pf_check_tightest(const unsigned *permutation, unsigned length, pf_check_each each, void *self) {
    for (size_t i = 0; pf_con_at(i); i++) {
        const pf_con_class *cls = pf_con_at(i);
        if (cls->least) PF_TRY(check_least(cls, permutation, length, each, self));
        else if (!*cls->params && cls->why) PF_TRY(pf_check_spec(cls->name, permutation, length, each, self));
    }
    return PF_OK;
}
