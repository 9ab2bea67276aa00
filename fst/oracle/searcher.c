/* Records searched in turn. References are read in order, searches are by any thread, and what they find is written and said in
 * order again. */
#include <permfst/oracle/searcher.h>

#include <permfst/verbs/search.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_brevity(const pf_oracle_searcher *searcher) { return !searcher->search.oracle.without_brevity; }

static pf_answer_form form_of(const pf_oracle_searcher *searcher) {
    return searcher->search.lattice ? PF_ANSWER_AS_LATTICE : PF_ANSWER_AS_PATHS;
}

/* ---- one record ---- */

/* Has the reference of a permutation automaton as many positions as it has? Here its line is known. */
static pf_err check_order(const pf_oracle_sources *sources, const pf_oracle_record *own, const pf_fst *fst) {
    pf_slots_view slots;
    if (!pf_oracle_by_order(&sources->metric) || !fst->op || !fst->op->slots) return PF_OK;
    fst->op->slots(fst->self, &slots);
    if (!slots.positions) return PF_OK;
    uint32_t linked = sources->align ? pf_alignment_sources(&own->links) : 0;
    if (linked > slots.n)
        return pf_reader_fail_line(*sources->reader, "expected links of %u source words, as the record has, found one of word %u "
                                   "(from 0)", slots.n, linked - 1);
    if (!sources->align && own->order.n != slots.n)
        return pf_reader_fail_line(*sources->reader, "expected an order of %u positions, as the record has, found %zu", slots.n,
                                   (size_t)own->order.n);
    return PF_OK;
}

pf_err pf_oracle_searcher_open(void *self, pf_record *record) {
    const pf_oracle_searcher *searcher = self;
    pf_fst *fst = NULL;
    pf_oracle_record *own = record->own = calloc(1, sizeof *own);
    if (own) pf_oracle_record_init(own);
    pf_err err = own ? pf_record_open(record, &fst) : pf_nomem();
    err = pf_oracle_sources_next(&searcher->sources, err, own);
    return err ? err : check_order(&searcher->sources, own, fst);
}

void pf_oracle_searcher_drop(void *own) {
    pf_oracle_record_free(own);
    free(own);
}

static pf_err search_spaces(const pf_oracle_table *table, pf_record *record, pf_fst *fst, void *clock) {
    pf_oracle_table_options options = *pf_oracle_table_asked(table);
    pf_oracle_record *own = record->own;
    options.search.self = options.self = clock;
    return pf_oracle_table_sentence(&options, record->in, fst, (const char *const *)own->line.at, own->line.n, &own->sentence);
}

pf_err pf_oracle_searcher_work(const pf_oracle_searcher *searcher, pf_record *record, void *clock) {
    pf_oracle_record_options search = searcher->search;
    pf_fst *fst;
    search.oracle.self = clock;
    PF_TRY(pf_record_open(record, &fst));
    if (searcher->table) return search_spaces(searcher->table, record, fst, clock);
    pf_oracle_record *own = record->own;
    pf_err err = pf_oracle_record_search(&searcher->sources, own, fst, &search);
    record->own_bytes = pf_answer_bytes(&own->answer.answer);
    return err;
}

/* ---- what is said ---- */

enum { WORDS = 600 };

static const char *stop(const pf_oracle_searcher *searcher, const pf_answer *answer, void *call) {
    if (searcher->interrupted && searcher->interrupted(call)) return "Ctrl-C";
    return answer->out_of_memory ? "the end of memory" : "a limit";
}

static void say_of_bleu(const pf_oracle_searcher *searcher, const pf_oracle_answer *answer, const pf_record *record) {
    char proof[PF_ORACLE_PROOF_BYTES], words[WORDS];
    const pf_answer *found = &answer->answer;
    unsigned long long number = record->record, states = found->states, arcs = found->arcs;
    pf_oracle_proof(answer, proof);
    if (!found->paths.n || !(found->stopped || searcher->verbose)) return;
    if (found->stopped)
        snprintf(words, sizeof words, "record %llu: %s ended the search after %llu states: best so far %.6f, %s", number,
                 stop(searcher, found, record->call), states, answer->score, proof);
    else snprintf(words, sizeof words, "record %llu: %s %.6f: %llu states, %llu arcs, %s", number, found->search, answer->score,
                  states, arcs, proof);
    searcher->say(record->call, words);
}

static void say_of_figure(const pf_oracle_searcher *searcher, const pf_answer *found, const pf_record *record) {
    char searched[PF_SEARCHED_BYTES], proof[PF_PROOF_BYTES], words[PF_SEARCHED_BYTES + WORDS];
    unsigned long long number = record->record;
    if (searcher->verbose) {
        snprintf(words, sizeof words, "record %llu: %s", number,
                 pf_answer_searched(found, pf_opened_fst(record->opened), searched));
        searcher->say(record->call, words);
    }
    if (!found->stopped) return;
    snprintf(words, sizeof words, "record %llu: %s ended the search: best so far %.6f, %s", number,
             stop(searcher, found, record->call), pf_oracle_figure(&searcher->sources.metric, &found->paths.at[0]),
             pf_answer_proof(found, proof));
    searcher->say(record->call, words);
}

static void say_of_record(const pf_oracle_searcher *searcher, const pf_record *record, const char *what) {
    char words[WORDS];
    snprintf(words, sizeof words, "record %llu%s", (unsigned long long)record->record, what);
    searcher->say(record->call, words);
}

/* ---- what is written ---- */

/* What stands for a record that has failed. */
static pf_err put_no_answer(const pf_oracle_searcher *searcher, uint64_t record) {
    pf_expr *none;
    PF_TRY(pf_expr_of_search(&(pf_answer){.bound = -(double)INFINITY}, form_of(searcher), &none));
    pf_err err = pf_stream_put(searcher->stream, none, record);
    pf_expr_free(none);
    return err;
}

static pf_err put_scores(const pf_oracle_searcher *searcher, const pf_oracle_answer *answer, uint64_t record) {
    if (!searcher->scores) return PF_OK;
    return pf_oracle_scores_write(&searcher->sources.metric, answer, has_brevity(searcher), record, searcher->scores);
}

static pf_err put_answer(pf_oracle_searcher *searcher, pf_record *record) {
    pf_oracle_record *own = record->own;
    pf_answer *found = &own->answer.answer;
    searcher->out_of_memory = searcher->out_of_memory || found->out_of_memory;
    if (searcher->sources.metric.kind != PF_ORACLE_BY_BLEU) say_of_figure(searcher, found, record);
    else say_of_bleu(searcher, &own->answer, record);
    if (!found->paths.n) say_of_record(searcher, record, " has no path");
    pf_oracle_sum_add(&searcher->sum, &searcher->sources.metric, &own->answer);
    PF_TRY(put_scores(searcher, &own->answer, record->record));
    PF_TRY(pf_expr_of_search(found, form_of(searcher), &record->out));
    return pf_stream_put(searcher->stream, record->out, record->record);
}

/* Memory is a limit that nobody has set. */
static void note_memory(pf_oracle_searcher *searcher, const pf_record *record, bool out_of_memory) {
    if (!out_of_memory) return;
    searcher->out_of_memory = true;
    say_of_record(searcher, record, ": the end of memory ended a search");
}

/* Keeps the front until all are known. */
static pf_err keep_front(pf_oracle_searcher *searcher, pf_record *record) {
    pf_oracle_record *own = record->own;
    if (!record->failed) note_memory(searcher, record, own->front.out_of_memory);
    PF_TRY(PF_PUSH(&searcher->kept, ((pf_oracle_kept){record->record, record->failed})));
    PF_TRY(PF_ROOM(&searcher->front, 1));
    searcher->front.at[searcher->front.n++] = record->failed ? (pf_oracle_front){.whole = true} : own->front;
    if (!record->failed) own->front = (pf_oracle_front){0};
    return PF_OK;
}

static pf_err keep_sentence(pf_oracle_searcher *searcher, pf_record *record) {
    pf_oracle_record *own = record->own;
    if (record->failed) return PF_OK;
    note_memory(searcher, record, own->sentence.out_of_memory);
    return pf_oracle_table_add(searcher->table, &own->sentence);
}

pf_err pf_oracle_searcher_finish(void *self, pf_record *record) {
    pf_oracle_searcher *searcher = self;
    if (searcher->table) return keep_sentence(searcher, record);
    if (searcher->search.front) return keep_front(searcher, record);
    return record->failed ? put_no_answer(searcher, record->record) : put_answer(searcher, record);
}

/* ---- corpora ---- */

static pf_err put_choice(const pf_oracle_searcher *searcher, size_t front, size_t chosen) {
    pf_oracle_answer answer;
    pf_expr *out = NULL;
    uint64_t record = searcher->kept.at[front].record;
    pf_err err = pf_oracle_choice_answer(&searcher->front.at[front], chosen, has_brevity(searcher), &answer);
    if (!err) err = put_scores(searcher, &answer, record);
    if (!err) err = pf_expr_of_search(&answer.answer, PF_ANSWER_AS_PATHS, &out);
    if (!err) err = pf_stream_put(searcher->stream, out, record);
    pf_expr_free(out);
    pf_oracle_answer_free(&answer);
    return err;
}

static pf_err put_choices(pf_oracle_searcher *searcher) {
    size_t records = searcher->front.n, *chosen = malloc((records + 1) * sizeof *chosen);
    pf_err err = chosen ? PF_OK : pf_nomem();
    pf_oracle_sum *sum = &searcher->sum;
    if (!err) pf_oracle_choose(searcher->front.at, records, searcher->corpus, has_brevity(searcher), chosen, &sum->counts);
    for (size_t front = 0; !err && front < records; front++) {
        bool failed = searcher->kept.at[front].failed, none = chosen[front] == SIZE_MAX;
        sum->records += !failed;
        sum->proven += searcher->front.at[front].whole && !failed;
        sum->no_path = sum->no_path || (!failed && none);
        err = none ? put_no_answer(searcher, searcher->kept.at[front].record) : put_choice(searcher, front, chosen[front]);
    }
    free(chosen);
    return err;
}

pf_err pf_oracle_searcher_end(pf_oracle_searcher *searcher) {
    PF_TRY(pf_oracle_sources_end(&searcher->sources));
    return searcher->search.front ? put_choices(searcher) : PF_OK;
}

const char *pf_oracle_searcher_words(const pf_oracle_searcher *searcher, char words[PF_ORACLE_SUM_BYTES]) {
    double most = NAN;
    bool front = searcher->search.front;
    bool known = front && pf_oracle_choose_bound(searcher->front.at, searcher->front.n, &searcher->sum.counts,
                                                 has_brevity(searcher), &most);
    if (!known) most = NAN;
    return pf_oracle_sum_words(&searcher->sum, &searcher->sources.metric, front ? &most : NULL, words);
}

void pf_oracle_searcher_free(pf_oracle_searcher *searcher) {
    for (size_t i = 0; i < searcher->front.n; i++) pf_oracle_front_free(&searcher->front.at[i]);
    PF_VEC_FREE(&searcher->front);
    PF_VEC_FREE(&searcher->kept);
    pf_oracle_table_free(searcher->table);
    pf_oracle_sources_free(&searcher->sources);
}
