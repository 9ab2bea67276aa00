/* Records searched in turn: the answer of each, and what there is to say about it. References are read in order, searches are by
 * any thread, and words are said in order again. */
#include <permfst/verbs/searcher.h>

#include "base/failure.h"

#include <permfst/draw/profile.h>
#include <permfst/permute/con.h>
#include <permfst/verbs/features.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What belongs to one record. */
typedef struct {
    pf_reference_order *reference;
    pf_span_costs *spans;
    bool other_words; /* the reference is no order of the words of the best path */
    pf_answer answer; /* goes to r->out where that is an answer */
} record_search;

/* A record that failed has its span costs, too. */
static pf_err next_spans(const pf_searcher *searcher, pf_fst *fst, pf_err failed, record_search *own) {
    pfi_failure before;
    const pf_con *con = failed ? NULL : pf_fst_space(fst);
    if (con) return pf_span_costs_read(searcher->spans, con->n, &own->spans);
    if (!failed) failed = pf_fail(PF_EARG, "span costs are for permutation automata (lazyperm -c itg)");
    pfi_failure_note(&before, failed);
    PF_TRY(pf_span_costs_skip(searcher->spans));
    return pfi_failure_again(&before);
}

static void warn_of_size(const pf_searcher *searcher, const pf_record *record, double states) {
    char words[200];
    snprintf(words, sizeof words, "warning: record %llu: an exact search may visit up to %.2g coverages, times their histories; "
             "see --beam and --max-states", (unsigned long long)record->record, states);
    if (states > searcher->most_coverages) searcher->say(record->call, words);
}

/* Opened in order, as references and costs of spans are read beside the records. */
pf_err pf_searcher_open(void *self, pf_record *record) {
    const pf_searcher *searcher = self;
    pf_fst *fst = NULL;
    assert(!searcher->spans || searcher->best.trees);
    record_search *own = record->own = calloc(1, sizeof *own);
    pf_err err = own ? pf_record_open(record, &fst) : pf_nomem();
    if (!err && searcher->most_coverages < INFINITY) warn_of_size(searcher, record, pf_best_size(fst, &searcher->best));
    if (searcher->references) err = pf_reference_next(searcher->references, fst, err, own ? &own->reference : NULL);
    return searcher->spans ? next_spans(searcher, fst, err, own) : err;
}

void pf_searcher_drop(void *self) {
    record_search *own = self;
    pf_reference_order_free(own->reference);
    pf_span_costs_free(own->spans);
    pf_answer_free(&own->answer);
    free(own);
}

static pf_err compare(const pf_searcher *searcher, pf_record *record, record_search *own) {
    PF_TRY(pf_answer_compare(&own->answer, own->reference, searcher->interrupted, record->call));
    return isinf(own->answer.reference) ? pf_reference_other_words(own->reference, &own->answer, &own->other_words) : PF_OK;
}

static pf_err search(const pf_searcher *searcher, pf_record *record, const pf_best_options *best) {
    record_search *own = record->own;
    pf_best_options options = *best;
    pf_tree_costs trees;
    pf_fst *fst;
    if (own->spans) {
        trees = *best->trees;
        trees.spans = own->spans;
        options.trees = &trees;
    }
    PF_TRY(pf_record_open(record, &fst));
    PF_TRY(pf_search_best(fst, &options, &own->answer));
    if (searcher->picture) return pf_draw_profile(record->text, &own->answer, record->record);
    if (searcher->profile) return pf_draw_profile_rows(record->text, &own->answer, record->record);
    if (searcher->scores) return pf_features_put(record->in, &own->answer, record->record, searcher->names, record->text);
    if (own->reference) PF_TRY(compare(searcher, record, own));
    return pf_expr_of_search(&own->answer, searcher->form, &record->out);
}

pf_err pf_searcher_work(const pf_searcher *searcher, pf_record *record, const pf_best_options *best) {
    pf_err err = search(searcher, record, best);
    record->own_bytes = pf_answer_bytes(&((const record_search *)record->own)->answer);
    return err;
}

/* ---- what is said ---- */

static const char *stop(const pf_searcher *searcher, const pf_answer *answer, void *call) {
    if (searcher->interrupted && searcher->interrupted(call)) return "Ctrl-C";
    return answer->out_of_memory ? "the end of memory" : "a limit";
}

static void say_searched(const pf_searcher *searcher, const pf_answer *answer, const pf_record *record) {
    char searched[PF_SEARCHED_BYTES], words[PF_SEARCHED_BYTES + 40];
    pf_answer_searched(answer, pf_opened_fst(record->opened), searched);
    snprintf(words, sizeof words, "record %llu: %s", (unsigned long long)record->record, searched);
    searcher->say(record->call, words);
}

static void say_stopped(const pf_searcher *searcher, const pf_answer *answer, const pf_record *record) {
    char proof[PF_PROOF_BYTES], words[PF_PROOF_BYTES + 500];
    assert(answer->paths.n);
    snprintf(words, sizeof words, "record %llu: %s ended the search after %llu states: best so far %.6f, %s",
             (unsigned long long)record->record, stop(searcher, answer, record->call), (unsigned long long)answer->states,
             answer->paths.at[0].cost, pf_answer_proof(answer, proof));
    searcher->say(record->call, words);
}

static void say_no_path(const pf_searcher *searcher, const pf_record *record) {
    char words[60];
    snprintf(words, sizeof words, "record %llu has no path", (unsigned long long)record->record);
    searcher->say(record->call, words);
}

/* Memory is a limit that nobody has set: the same call may find more elsewhere, so it is counted. */
static void tell(pf_searcher *searcher, const pf_answer *answer, const pf_record *record) {
    pf_searched *done = &searcher->done;
    done->records++;
    done->out_of_memory += answer->out_of_memory;
    if (answer->compared) done->verdict[pf_answer_verdict(answer)]++;
    if (searcher->verbose) say_searched(searcher, answer, record);
    if (answer->stopped) say_stopped(searcher, answer, record);
    if (answer->paths.n) return;
    done->without_path++;
    say_no_path(searcher, record);
}

pf_err pf_searcher_finish(void *self, pf_record *record) {
    pf_searcher *searcher = self;
    const record_search *own = record->own;
    if (!record->failed)
        tell(searcher, record->out && record->out->kind == PF_EXPR_BEST ? record->out->answer : &own->answer, record);
    if (searcher->picture && searcher->done.records > 1)
        return pf_fail(PF_EARG, "a picture shows one record, and there are more: take one of them (--records=%llu)",
                       (unsigned long long)record->record);
    if (!record->failed) searcher->done.other_words += own->other_words;
    if (record->out || searcher->scores || searcher->profile) return PF_OK;
    return pf_expr_of_search(&(pf_answer){.bound = -(double)INFINITY}, searcher->form, &record->out);
}

pf_err pf_searcher_end(void *self) {
    const pf_searcher *searcher = self;
    if (searcher->references) PF_TRY(pf_reference_end(searcher->references));
    return searcher->spans ? pf_span_costs_end(searcher->spans) : PF_OK;
}

void pf_searched_say(const pf_searched *done, const char *name, void (*say)(void *call, const char *words), void *call) {
    const bool one = done->other_words == 1;
    char verdicts[PF_VERDICTS_BYTES], words[600];
    snprintf(words, sizeof words, "references: %s", pf_searched_verdicts(done, verdicts));
    say(call, words);
    snprintf(words, sizeof words, "references: %llu that %s not admitted %s other words than the best path "
             "(is %.300s of another text?)", (unsigned long long)done->other_words, one ? "is" : "are", one ? "has" : "have", name);
    if (done->other_words) say(call, words);
}

const char *pf_searched_verdicts(const pf_searched *done, char words[PF_VERDICTS_BYTES]) {
    size_t n = 0;
    for (int verdict = 0; verdict < PF_VERDICTS; verdict++)
        n += (size_t)snprintf(words + n, PF_VERDICTS_BYTES - n, "%s%llu %s", verdict ? ", " : "",
                              (unsigned long long)done->verdict[verdict], pf_verdict_name((pf_verdict)verdict));
    return words;
}
