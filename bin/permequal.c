/* permequal: are two reordering spaces the same, or one inside the other? */
#include "toolfst.h"
#include "toolperm.h"
#include "toolprogress.h"
#include "toolmap.h"

#include <stdlib.h>

typedef struct {
    tool_common common;
    bool inside;
    uint64_t max_states;
} options;

static const tool_option rows[] = {
    {.letter = 'i', .name = "inside", .kind = TOOL_FLAG, .at = offsetof(options, inside),
     .help = "say only whether the first space is inside the second"},
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1, .max = UINT64_MAX,
     .help = "fail if the two automata have more than N states in common"},
    {.letter = 'j', .name = "jobs", .kind = TOOL_NUMBER, .at = offsetof(tool_common, jobs), .metavar = "N", .min = 1, .max = 1024,
     .help = "with N above 1, look in both directions at the same time; the output stays the same [1]"},
    TOOL_OUTPUT,
    {0},
};

/* The two spaces at one length; and for each, at the least length where there is one, a permutation that only it has. */
typedef struct {
    tool_call *call;
    const options *o;
    const char *spec[2];
    bool inside[2]; /* each in the other */
    unsigned length, *only[2], n[2];
} comparison;

/* Is space i inside the other at n positions? If not, only[i] is a proof. */
static pf_err compare_one(comparison *c, int i, unsigned n, bool *yes) {
    pf_con *con[2] = {NULL, NULL};
    c->n[i] = n;
    pf_err err = pf_con_new(c->spec[i], n, &con[0]);
    if (!err) err = pf_con_new(c->spec[!i], n, &con[1]);
    if (!err) err = pf_con_inside(con[0], con[1], &(pf_compare_options){c->o->max_states, tool_states, c->call}, yes, c->only[i]);
    for (int k = 0; k < 2; k++) pf_con_free(con[k]);
    return err;
}

/* A proof of the least length; a specification may make no sense at a shorter one. */
static pf_err shorten(comparison *c, int i) {
    unsigned longest = c->n[i];
    bool yes = true;
    for (unsigned n = 1; n < longest; n++) {
        pf_err err = compare_one(c, i, n, &yes);
        if (!err && !yes) return PF_OK;
        if (err && err != PF_EARG) return err;
    }
    return compare_one(c, i, longest, &yes);
}

/* Is the order p in space i and not in the other? */
static pf_err only_there(const comparison *c, int i, const unsigned *p, bool *yes) {
    *yes = true;
    for (int k = 0; *yes && k < 2; k++) {
        pf_check *check;
        PF_TRY(pf_check_new(c->spec[k ? !i : i], c->length, &check));
        *yes = pf_check_inside(check, p) == !k;
        pf_check_free(check);
    }
    return PF_OK;
}

/* Does a proof of a few positions, with all others in their places after or before it, prove it at the length that is asked about? */
static pf_err extend(const comparison *c, int i, unsigned *p, bool *proof) {
    unsigned n = c->n[i], rest = c->length - n;
    for (unsigned at = 0; at < 2; at++) {
        for (unsigned t = 0; t < c->length; t++) {
            unsigned from = at ? rest : 0;
            p[t] = t < from || t >= from + n ? t : from + c->only[i][t - from];
        }
        PF_TRY(only_there(c, i, p, proof));
        if (*proof || !rest) return PF_OK;
    }
    return PF_OK;
}

enum { FEW = 7 };

/* Looks for a proof of few positions, which is the one of the least length. Where there is none, or where it costs too much, the
 * two spaces are compared at their length. */
static pf_err look_for_few(comparison *c, int i, bool *proof) {
    unsigned *p = calloc(c->length + 1u, sizeof *p);
    pf_err err = p ? PF_OK : pf_nomem();
    bool yes = true;
    *proof = false;
    for (unsigned n = 1; !err && yes && n < c->length && n <= FEW; n++) {
        err = compare_one(c, i, n, &yes);
        if (err == PF_ELIMIT || err == PF_EARG) err = PF_OK; /* a specification may make no sense at a shorter length */
    }
    if (!err && !yes) err = extend(c, i, p, proof);
    free(p);
    return err;
}

/* One way: the answer, and its proof. */
static pf_err look(void *self, void *piece) {
    comparison *c = self;
    int i = *(int *)piece;
    bool proof;
    PF_TRY(look_for_few(c, i, &proof));
    c->inside[i] = !proof;
    if (proof) return PF_OK;
    PF_TRY(compare_one(c, i, c->length, &c->inside[i]));
    return c->inside[i] ? PF_OK : shorten(c, i);
}

static pf_err looked(void *self, void *piece, pf_err err) {
    comparison *c = self;
    if (!err) tool_done(c->call, 1, *(int *)piece ? 2 : 1, 0);
    return err;
}

static pf_err compare(comparison *c) {
    static const pf_workers_steps steps = {sizeof(int), look, looked, NULL};
    pf_workers *ring;
    c->inside[1] = true;
    tool_item(c->call, "direction");
    pf_err err = tool_workers(c->call, &steps, c, &ring);
    for (int i = 0; !err && i < (c->o->inside ? 1 : 2); i++) err = pf_workers_put(ring, &i, PF_OK);
    return pf_workers_end(ring, err);
}

static pf_err put_only(pf_writer *w, const comparison *c, int i) {
    for (unsigned t = 0; t < c->n[i]; t++) PF_TRY(pf_writer_text(w, "%s%u", t ? " " : "", c->only[i][t] + 1));
    return pf_writer_text(w, " is in %s, not in %s\n", c->spec[i], c->spec[!i]);
}

static pf_err put_relation(pf_writer *w, const comparison *c) {
    bool first = c->inside[0], second = c->inside[1], inside = c->o->inside;
    if (first && second)
        return pf_writer_text(w, inside ? "%s is inside %s\n" : "%s and %s are equal\n", c->spec[0], c->spec[1]);
    if (inside) return pf_writer_text(w, "%s is not inside %s\n", c->spec[0], c->spec[1]);
    if (first || second) return pf_writer_text(w, "%s is inside %s\n", c->spec[!first], c->spec[first]);
    return pf_writer_text(w, "%s and %s differ\n", c->spec[0], c->spec[1]);
}

static pf_err report(pf_writer *w, const comparison *c) {
    PF_TRY(put_relation(w, c));
    for (int i = 0; i < 2; i++)
        if (!c->inside[i]) PF_TRY(put_only(w, c, i));
    return toolfst_close_output(c->call, w);
}

static int run(tool_call *call) {
    char *const *operands;
    pf_writer *w = NULL;
    tool_operands(call, &operands);
    comparison c = {.call = call, .o = tool_options(call), .spec = {operands[0], operands[1]}};
    pf_err err = toolperm_length(operands[2], &c.length);
    for (int i = 0; !err && i < 2; i++)
        if (!(c.only[i] = calloc(c.length + 1u, sizeof(unsigned)))) err = pf_nomem();
    if (!err) err = toolfst_open_output(call, &w);
    if (!err) err = compare(&c);
    if (!err) err = report(w, &c);
    pf_writer_free(w);
    for (int i = 0; i < 2; i++) free(c.only[i]);
    return err ? tool_trouble(call) : c.inside[0] && c.inside[1] ? TOOL_DONE : TOOL_NO;
}

const tool permequal = {
    .name = "permequal",
    .operands = "SPACE SPACE LENGTH",
    .summary = "Compare the permutations of two reordering spaces at a length",
    .options = rows,
    .size = sizeof(options),
    .min_operands = 3,
    .max_operands = 3,
    .run = run,
    .examples = {"permequal ibm:2 inverse:inverse-ibm:2 8", "permequal --inside local:3 ibm:3 10"},
};

TOOL_MAIN(permequal);
