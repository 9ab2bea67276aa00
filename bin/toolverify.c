/* Answers beside automata: no search, each path is followed and its cost added up anew. */
#include "toolverify.h"

#include "toolmap.h"

#include <math.h>
#include <stdlib.h>

/* Of one record. */
typedef struct {
    tool_call *call;
    pf_expr *answer;
    uint64_t record, wrong;
} check;

typedef struct {
    pf_source *answers;
    uint64_t records, paths, wrong;
} checker;

static void say_wrong(void *self, const pf_path *p, size_t rank, double cost) {
    const check *c = self;
    if (cost == (double)INFINITY)
        tool_say(c->call, "record %llu: path %zu is not a path of the automaton", (unsigned long long)c->record, rank);
    else
        tool_say(c->call, "record %llu: path %zu costs %.9g in the automaton, but %.9g in the answer",
                 (unsigned long long)c->record, rank, cost,
                 p->cost);
}

/* An answer for each record, also for one that fails. */
static pf_err read_answer(void *self, pf_record *r) {
    checker *c = self;
    check *one = r->own = calloc(1, sizeof *one);
    if (!one) return pf_nomem();
    one->call = r->call;
    one->record = r->record;
    PF_TRY(pf_source_next(c->answers, &one->answer));
    if (!one->answer) return pf_fail(PF_EINPUT, "expected an answer for this record, found the end of the answers");
    return PF_OK;
}

static pf_err check_record(void *self, pf_record *r) {
    check *one = r->own;
    const pf_expr *e = one->answer;
    pf_fst *fst;
    (void)self;
    PF_TRY(pf_record_open(r, &fst));
    if (e->kind != PF_EXPR_BEST) return pf_fail(PF_EINPUT, "expected an answer, found a '%s' record", pf_expr_kind_name(e->kind));
    return pf_verify_answer(fst, e->answer, say_wrong, one, &one->wrong);
}

static pf_err add_up(void *self, pf_record *r) {
    checker *c = self;
    const check *one = r->own;
    if (r->failed) return PF_OK;
    c->records++;
    c->paths += one->answer->answer->paths.n;
    c->wrong += one->wrong;
    return PF_OK;
}

static void drop(void *own) {
    pf_expr_free(((check *)own)->answer);
    free(own);
}

static pf_err check_all(tool_call *call, checker *c, const char *answers, int n, char *const *operands) {
    static const pf_record_steps steps = {read_answer, check_record, add_up, drop, false};
    pf_expr *more = NULL;
    PF_TRY(toolfst_source_open(call, answers, &c->answers));
    PF_TRY(toolmap_read(call, n, operands, &steps, c));
    PF_TRY(pf_source_next(c->answers, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s has more answers than there are records", answers);
}

int toolverify_run(tool_call *call, const char *answers, int n, char *const *operands) {
    checker c = {0};
    pf_err err = check_all(call, &c, answers, n, operands);
    pf_source_free(c.answers);
    if (!err)
        tool_say(call, "%llu answers with %llu paths: %llu wrong", (unsigned long long)c.records, (unsigned long long)c.paths,
                 (unsigned long long)c.wrong);
    return tool_status(call, err, c.wrong > 0);
}
