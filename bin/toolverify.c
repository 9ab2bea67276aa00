/* Answers beside automata: no search, each path is followed and its cost added up anew. */
#include "toolverify.h"

#include "toolfst.h"

#include <math.h>

typedef struct {
    toolfst_source answers;
    uint64_t records, paths, wrong;
} checker;

static pf_err check_path(checker *c, pf_fst *fst, const pf_path *p, size_t rank, uint64_t record) {
    double cost;
    PF_TRY(pf_verify_path(fst, p, &cost));
    c->paths++;
    if (cost == p->cost) return PF_OK;
    c->wrong++;
    if (cost == (double)INFINITY)
        tool_say("record %llu: path %zu is no path of the automaton", (unsigned long long)record, rank);
    else
        tool_say("record %llu: path %zu costs %.9g in the automaton, not %.9g", (unsigned long long)record, rank, cost, p->cost);
    return PF_OK;
}

static pf_err check_answer(checker *c, pf_fst *fst, const pf_expr *answer, uint64_t record) {
    if (answer->kind != PF_EXPR_BEST)
        return pf_fail(PF_EINPUT, "expected an answer, found a '%s' record", pf_expr_kind_name(answer->kind));
    for (size_t i = 0; i < answer->answer.paths.n; i++)
        PF_TRY(check_path(c, fst, &answer->answer.paths.at[i], i + 1, record));
    return PF_OK;
}

static pf_err check_record(void *self, pf_expr **expr, uint64_t record) {
    checker *c = self;
    pf_expr *answer;
    pf_fst *fst;
    PF_TRY(pf_open(*expr, &fst));
    PF_TRY(toolfst_next(&c->answers, &answer));
    if (!answer) return pf_fail(PF_EINPUT, "expected an answer for this record, found the end of the answers");
    pf_err err = check_answer(c, fst, answer, record);
    pf_expr_free(answer);
    c->records++;
    return err;
}

static pf_err check_all(checker *c, const char *answers, int n, char **operands) {
    pf_expr *more = NULL;
    PF_TRY(toolfst_source_open(answers, &c->answers));
    PF_TRY(toolfst_read(n, operands, check_record, c));
    PF_TRY(toolfst_next(&c->answers, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s: more answers than records", answers);
}

int toolverify_run(const char *answers, int n, char **operands) {
    checker c = {0};
    pf_err err = check_all(&c, answers, n, operands);
    toolfst_source_free(&c.answers);
    if (err) return tool_trouble();
    tool_say("%llu answers with %llu paths: %llu wrong", (unsigned long long)c.records, (unsigned long long)c.paths,
             (unsigned long long)c.wrong);
    return c.wrong ? TOOL_NO : TOOL_DONE;
}
