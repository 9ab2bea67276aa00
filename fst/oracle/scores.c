/* Answers as lines, and what all of them come to. */
#include <permfst/oracle/record.h>

#include <permfst/base/digits.h>
#include <permfst/io/paths.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>

double pf_oracle_figure(const pf_oracle_metric *metric, const pf_path *path) {
    return metric->kind == PF_ORACLE_BY_LINEAR ? 0.0 - path->cost : path->cost;
}

pf_err pf_oracle_scores_head(pf_writer *writer) {
    return pf_writer_text(writer, "record\trank\tscore\tdetails\tlength\treference\tties\tproof\tpermutation\twords\n");
}

/* The end of a line: the order, where input labels are positions, and the words. */
static pf_err put_path(pf_writer *writer, const pf_answer *answer, size_t rank) {
    PF_TRY(answer->isyms ? pf_writer_text(writer, "-") : pf_answer_write_permutation(writer, answer, rank));
    PF_TRY(pf_writer_text(writer, "\t"));
    PF_TRY(pf_answer_write_words(writer, answer, rank, false));
    return pf_writer_text(writer, "\n");
}

static const char *ties_of(const pf_oracle_answer *answer, size_t rank, char words[24]) {
    snprintf(words, 24, "-");
    if (!rank && answer->ties) snprintf(words, 24, "%llu", (unsigned long long)answer->ties);
    return words;
}

/* Of a metric that adds: the figure, and its share of what is possible. */
static pf_err put_figures(const pf_oracle_metric *metric, const pf_oracle_answer *answer, uint64_t record, pf_writer *writer) {
    for (size_t place = 0; place < answer->answer.paths.n; place++) {
        const pf_path *path = &answer->answer.paths.at[place];
        double figure = pf_oracle_figure(metric, path), length = (double)path->n;
        char ties[24], proof[PF_PROOF_BYTES], details[40] = "-";
        if (metric->kind == PF_ORACLE_BY_KENDALL)
            snprintf(details, sizeof details, "%.6f", length > 1 ? sqrt(2 * figure / (length * (length - 1))) : 0);
        if (metric->kind == PF_ORACLE_BY_CHUNKS)
            snprintf(details, sizeof details, "%.6f", length > 1 ? (figure - 1) / (length - 1) : 0);
        PF_TRY(pf_writer_text(writer, "%llu\t%zu\t%.6f\t%s\t-\t-\t%s\t%s\t", (unsigned long long)record, place + 1, figure, details,
                              ties_of(answer, place, ties), place ? "-" : pf_answer_proof(&answer->answer, proof)));
        PF_TRY(put_path(writer, &answer->answer, place));
    }
    return PF_OK;
}

pf_err pf_oracle_scores_write(const pf_oracle_metric *metric, const pf_oracle_answer *answer, bool brevity, uint64_t record,
                              pf_writer *writer) {
    if (metric->kind != PF_ORACLE_BY_BLEU) return put_figures(metric, answer, record, writer);
    for (size_t place = 0; place < answer->counts.n; place++) {
        const pf_oracle_counts *counts = &answer->counts.at[place];
        char ties[24], proof[PF_ORACLE_PROOF_BYTES] = "-";
        if (!place) pf_oracle_proof(answer, proof);
        PF_TRY(pf_writer_text(writer, "%llu\t%zu\t%.6f\t%llu/%llu/%llu/%llu\t%llu\t%llu\t%s\t%s\t", (unsigned long long)record,
                              place + 1, pf_oracle_score(counts, brevity), (unsigned long long)counts->match[0],
                              (unsigned long long)counts->match[1], (unsigned long long)counts->match[2],
                              (unsigned long long)counts->match[3], (unsigned long long)counts->length,
                              (unsigned long long)counts->reference, ties_of(answer, place, ties), proof));
        PF_TRY(put_path(writer, &answer->answer, place));
    }
    return PF_OK;
}

#define COST_OF_NOTHING 1e6 /* as in bleu.c */

pf_err pf_oracle_choice_answer(const pf_oracle_front *front, size_t chosen, bool brevity, pf_oracle_answer *out) {
    assert(chosen < front->choice.n);
    const pf_oracle_choice *choice = &front->choice.at[chosen];
    double cost = -pf_oracle_log(&choice->counts, brevity) / PF_ORACLE_ORDER;
    *out = (pf_oracle_answer){.approximate = true};
    out->answer.isyms = pf_symtab_ref(front->isyms);
    out->answer.osyms = pf_symtab_ref(front->osyms);
    out->answer.search = "corpus BLEU";
    out->answer.bound = -(double)INFINITY;
    PF_TRY(pf_answer_add(&out->answer, choice->path.arc, choice->path.n, (float)fmax(0, fmin(cost, COST_OF_NOTHING))));
    return PF_PUSH(&out->counts, choice->counts);
}

/* ---- sums ---- */

void pf_oracle_sum_add(pf_oracle_sum *sum, const pf_oracle_metric *metric, const pf_oracle_answer *answer) {
    bool bleu = metric->kind == PF_ORACLE_BY_BLEU;
    size_t count = bleu ? answer->counts.n : answer->answer.paths.n;
    sum->records++;
    sum->no_path = sum->no_path || !count;
    if (!count) return;
    sum->proven += bleu ? pf_oracle_gap(answer) == 0 && !answer->approximate : pf_answer_optimal(&answer->answer);
    if (bleu) pf_oracle_counts_add(&sum->counts, &answer->counts.at[0]);
    else sum->figures += pf_oracle_figure(metric, &answer->answer.paths.at[0]);
}

const char *pf_oracle_sum_words(const pf_oracle_sum *sum, const pf_oracle_metric *metric, const double *bound,
                                char words[PF_ORACLE_SUM_BYTES]) {
    const uint64_t *match = sum->counts.match;
    char most[60] = "";
    unsigned long long records = sum->records, proven = sum->proven;
    if (bound && !isnan(*bound)) snprintf(most, sizeof most, ", at most %.4f", 100 * *bound);
    if (metric->kind != PF_ORACLE_BY_BLEU)
        snprintf(words, PF_ORACLE_SUM_BYTES, "%llu record%s, %llu proven; %s %.6f in all", records, pf_plural(records), proven,
                 metric->name, sum->figures + 0.0);
    else
        snprintf(words, PF_ORACLE_SUM_BYTES, "%llu record%s, %llu %s; corpus BLEU %.4f%s, %llu/%llu/%llu/%llu", records,
                 pf_plural(records), proven, bound ? "with all choices" : "proven", pf_oracle_corpus_bleu(&sum->counts), most,
                 (unsigned long long)match[0], (unsigned long long)match[1], (unsigned long long)match[2],
                 (unsigned long long)match[3]);
    return words;
}
