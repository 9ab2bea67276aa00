/* Answers beside automata: no search, each path is followed and its cost added up anew. */
#include <permfst/verbs/verify.h>

#include <permfst/base/digits.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What the check of one record needs, and what it finds. */
typedef struct {
    const pf_verifier *verifier;
    const pf_record *record;
    pf_expr *answer;
    uint64_t wrong;
} record_check;

/* An answer is read for each record, also for one that fails. */
static pf_err read_answer(void *self, pf_record *record) {
    pf_verifier *verifier = self;
    record_check *check = record->own = calloc(1, sizeof *check);
    if (!check) return pf_nomem();
    check->verifier = verifier;
    PF_TRY(pf_source_next(verifier->answers, &check->answer));
    if (!check->answer) return pf_fail(PF_EINPUT, "expected an answer for this record, found the end of the answers");
    return PF_OK;
}

static void say_wrong(void *self, const pf_path *path, size_t rank, double cost) {
    const record_check *check = self;
    const unsigned long long number = check->record->record;
    char words[160];
    if (!check->verifier->say) return;
    if (isinf(cost)) snprintf(words, sizeof words, "record %llu: path %zu is not a path of the automaton", number, rank);
    else snprintf(words, sizeof words, "record %llu: path %zu costs %.9g in the automaton, but %.9g in the answer", number, rank,
                  cost, path->cost);
    check->verifier->say(check->record->call, words);
}

static pf_err check_record(void *self, pf_record *record) {
    record_check *check = record->own;
    pf_fst *fst;
    (void)self;
    check->record = record;
    PF_TRY(pf_record_open(record, &fst));
    if (check->answer->kind != PF_EXPR_BEST)
        return pf_fail(PF_EINPUT, "expected an answer, found a '%s' record", pf_expr_kind_name(check->answer->kind));
    return pf_verify_answer(fst, check->answer->answer, say_wrong, check, &check->wrong);
}

static pf_err add_up(void *self, pf_record *record) {
    pf_verified *done = &((pf_verifier *)self)->done;
    const record_check *check = record->own;
    if (record->failed) return PF_OK;
    done->records++;
    done->paths += check->answer->answer->paths.n;
    done->wrong += check->wrong;
    return PF_OK;
}

static void drop(void *own) {
    pf_expr_free(((record_check *)own)->answer);
    free(own);
}

const pf_record_steps pf_verifier_steps = {read_answer, check_record, add_up, drop, false};

pf_err pf_verifier_end(const pf_verifier *verifier) {
    pf_expr *more;
    PF_TRY(pf_source_next(verifier->answers, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s has more answers than there are records", pf_source_name(verifier->answers));
}

const char *pf_verified_words(const pf_verified *done, char words[PF_VERIFIED_BYTES]) {
    snprintf(words, PF_VERIFIED_BYTES, "%llu answer%s with %llu path%s: %llu wrong", (unsigned long long)done->records,
             pf_plural(done->records), (unsigned long long)done->paths, pf_plural(done->paths), (unsigned long long)done->wrong);
    return words;
}
