/* What is read beside a record, and which search it goes to. */
#include <permfst/oracle/record.h>

#include "base/failure.h"
#include "oracle/oracle_impl.h"

#include <permfst/base/lines.h>
#include <permfst/base/nearest.h>
#include <permfst/permute/perm.h>
#include <permfst/tuples/unfold.h>
#include <permfst/verbs/search.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"bleu", "linear-bleu", "kendall", "chunks", "wer"};
enum { NAMES = sizeof names / sizeof *names };

static const char *name_at(const void *self PF_UNUSED, size_t name) { return name < NAMES ? names[name] : NULL; }

static pf_err refuse_metric(const char *word, size_t length) {
    const char *near = pf_nearest(word, length, name_at, NULL);
    return pf_fail(PF_EARG, "unknown metric '%.60s'; %s%s%s bleu, linear-bleu, kendall, chunks, wer", word,
                   near ? "did you mean '" : "", near ? near : "", near ? "'? There are:" : "there are:");
}

pf_err pf_oracle_metric_read(const char *word, pf_oracle_metric *out) {
    size_t length = strcspn(word, ":"), kind = 0;
    int end = 0;
    while (kind < NAMES && (strlen(names[kind]) != length || strncmp(names[kind], word, length) != 0)) kind++;
    if (kind == NAMES) return refuse_metric(word, length);
    *out = (pf_oracle_metric){(pf_oracle_kind)kind, names[kind], pf_linear_bleu_usual};
    if (!word[length]) return PF_OK;
    bool read =
        sscanf(word + length, ":%lf,%lf%n", &out->linear.precision, &out->linear.ratio, &end) == 2 && !word[length + (size_t)end];
    if (kind != PF_ORACLE_BY_LINEAR || !read || !(out->linear.precision > 0) || !(out->linear.ratio > 0) ||
        !isfinite(out->linear.precision) || !isfinite(out->linear.ratio))
        return pf_fail(PF_EARG, "expected a metric such as linear-bleu:0.4,0.8, with two numbers above 0, found '%.60s'", word);
    return PF_OK;
}

void pf_oracle_record_init(pf_oracle_record *record) {
    memset(record, 0, sizeof *record);
    pf_oracle_references_init(&record->references);
}

void pf_oracle_record_free(pf_oracle_record *record) {
    pf_oracle_references_free(&record->references);
    for (size_t k = 0; k < record->line.n; k++) free(record->line.at[k]);
    PF_VEC_FREE(&record->line);
    PF_VEC_FREE(&record->taken);
    pf_visit_order_free(&record->order);
    pf_alignment_free(&record->links);
    pf_oracle_answer_free(&record->answer);
    pf_oracle_front_free(&record->front);
    pf_oracle_sentence_free(&record->sentence);
}

/* ---- references ---- */

pf_err pf_oracle_sources_open(pf_oracle_sources *sources, const char *const *path, size_t n, const char *links,
                              pf_err (*open)(void *call, const char *path, pf_reader **out), void *call) {
    if (!(sources->reader = calloc(n + 1, sizeof *sources->reader))) return pf_nomem();
    for (size_t at = 0; at < (links ? 1 : n); at++) {
        PF_TRY(open(call, links ? links : path[at], &sources->reader[at]));
        sources->readers++;
    }
    return links ? pf_align_reader_new(*sources->reader, PF_ALIGN_AUTO, 1, &sources->align) : PF_OK;
}

void pf_oracle_sources_free(pf_oracle_sources *sources) {
    pf_align_reader_free(sources->align);
    for (size_t k = 0; k < sources->readers; k++) pf_reader_free(sources->reader[k]);
    free(sources->reader);
}

static pf_err add_order(const pf_oracle_sources *sources, size_t source, const char *line, pf_oracle_record *record) {
    pf_err err = pf_visit_order_read(line, sources->base, &record->order);
    return err == PF_EINPUT ? pf_reader_fail_line(sources->reader[source], "%s", pf_message()) : err;
}

static pf_err add_line(const pf_oracle_sources *sources, size_t source, pf_err failed, pf_oracle_record *record) {
    char *line;
    size_t length, words = 0;
    bool last = source + 1 == sources->readers;
    PF_TRY(pf_reader_line(sources->reader[source], &line, &length));
    if (!line) return pf_reader_fail_line(sources->reader[source], "expected the reference of another record, found the end");
    if (pf_line_check(line, length)) return pf_reader_fail_line(sources->reader[source], "%s", pf_message());
    pf_word word;
    for (const char *at = line; pf_word_next(&at, line + length, &word);) words++;
    if (!record || failed) return PF_OK;
    if (pf_oracle_by_order(&sources->metric)) return add_order(sources, source, line, record);
    PF_TRY(PF_ROOM(&record->line, 1));
    if (!(record->line.at[record->line.n] = strdup(line))) return pf_nomem();
    record->line.n++;
    if (!words && !(last && !record->taken.n)) return PF_OK;
    PF_TRY(PF_PUSH(&record->taken, record->line.at[source]));
    return pf_oracle_references_add(&record->references, line, length);
}

static pf_err add_links(const pf_oracle_sources *sources, pf_err failed, pf_oracle_record *record) {
    pf_alignment skipped = {0};
    bool more;
    pf_err err = pf_align_next(sources->align, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, record && !failed ? &record->links : &skipped,
                               &more);
    pf_alignment_free(&skipped);
    if (!err && !more) err = pf_reader_fail_line(*sources->reader, "expected the alignment of another record, found the end");
    return err;
}

pf_err pf_oracle_sources_next(const pf_oracle_sources *sources, pf_err failed, pf_oracle_record *record) {
    pfi_failure before;
    pfi_failure_note(&before, failed);
    if (sources->align) PF_TRY(add_links(sources, failed, record));
    for (size_t k = 0; !sources->align && k < sources->readers; k++) PF_TRY(add_line(sources, k, failed, record));
    return pfi_failure_again(&before);
}

pf_err pf_oracle_sources_end(const pf_oracle_sources *sources) {
    pf_alignment links = {0};
    bool more = false;
    pf_err err = sources->align ? pf_align_next(sources->align, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, &links, &more) : PF_OK;
    pf_alignment_free(&links);
    if (err) return err;
    if (more)
        return pf_reader_fail_line(*sources->reader, "expected the end, as every record has its alignment, found one more line");
    for (size_t source = 0; !sources->align && source < sources->readers; source++) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(sources->reader[source], &line, &length));
        if (line)
            return pf_reader_fail_line(sources->reader[source],
                                       "expected the end, as every record has its reference, found one more line");
    }
    return PF_OK;
}

/* ---- searches ---- */

/* The order in which unfolding visits the n positions of a record. */
static pf_err unfold(pf_oracle_record *record, unsigned positions) {
    pf_unfolder *unfolder = NULL;
    pf_tuples tuples = {0};
    uint32_t linked = pf_alignment_sources(&record->links);
    if (linked > positions)
        return pf_fail(PF_EINPUT, "expected links of %u source words, found one of word %u (from 0)", positions, linked - 1);
    record->links.n_source = positions;
    record->links.n_target = pf_alignment_targets(&record->links);
    pf_err err = pf_unfolder_new(&unfolder);
    if (!err) err = pf_unfold(unfolder, &record->links, &(pf_unfold_options){.unaligned = PF_UNALIGNED_LEFT}, &tuples);
    if (!err && !(record->order.order = malloc(((size_t)positions + 1) * sizeof *record->order.order))) err = pf_nomem();
    for (unsigned i = 0; !err && i < positions; i++) record->order.order[i] = tuples.order.at[i];
    record->order.n = err ? 0 : positions;
    pf_unfolder_free(unfolder);
    pf_tuples_free(&tuples);
    return err;
}

/* How many positions a path has, where a limit has not let all of them be looked at: each path visits the same ones. */
static pf_err count_visits(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options, unsigned *out) {
    pf_answer path = {.type = fst->type};
    *out = 0;
    PF_TRY(pfi_refuse_cycle(fst));
    pf_err err = pfi_greedy_answer(fst, references, options, &path);
    for (size_t arc = 0; !err && arc < path.paths.at[0].n; arc++)
        if (path.paths.at[0].arc[arc].in > (pf_label)*out) *out = (unsigned)path.paths.at[0].arc[arc].in;
    pf_answer_free(&path);
    return err;
}

/* The reference order of kendall and chunks, where it is given as an alignment. */
static pf_err find_order(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                         const pf_oracle_options *options) {
    unsigned positions;
    if (!sources->align || !pf_oracle_by_order(&sources->metric)) return PF_OK;
    pf_err err = pf_oracle_positions(fst, options, &positions);
    if (pfi_ends_search(err)) err = count_visits(fst, &record->references, options, &positions);
    return err ? err : unfold(record, positions);
}

/* The machine whose costs are the score, made whole. */
static pf_err weigh(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst, const pf_oracle_options *options,
                    pf_fst **out) {
    const pf_oracle_metric *metric = &sources->metric;
    *out = NULL;
    if (metric->kind == PF_ORACLE_BY_LINEAR) return pf_oracle_linear(fst, &record->references, &metric->linear, options, out);
    if (metric->kind == PF_ORACLE_BY_EDITS) return pf_oracle_edits(fst, record->taken.at, record->taken.n, options, out);
    return (metric->kind == PF_ORACLE_BY_KENDALL ? pf_oracle_kendall : pf_oracle_chunks)(fst, record->order.order, record->order.n,
                                                                                       options, out);
}

/* Of edits, the paths of the machine are counted: one of them has several ways to be edited. A limit leaves them uncounted. */
static pf_err count_ties(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst, pf_fst *costs,
                         const pf_oracle_options *options) {
    const pf_answer *found = &record->answer.answer;
    uint64_t *ties = &record->answer.ties;
    if (sources->metric.kind != PF_ORACLE_BY_EDITS) return pf_oracle_ties(costs, ties);
    if (!found->paths.n || !pf_answer_optimal(found)) return PF_OK;
    pf_err err = pf_oracle_edit_ties(fst, record->taken.at, record->taken.n, options, (uint32_t)found->paths.at[0].cost, ties);
    if (err == PF_ELIMIT) *ties = 0;
    return err == PF_ELIMIT ? PF_OK : err;
}

static pf_best_options search_options(const pf_oracle_record_options *options) {
    const pf_oracle_options *oracle = &options->oracle;
    return (pf_best_options){.n = oracle->n, .max_states = oracle->max_states, .max_bytes = oracle->max_bytes,
                             .all_bytes = oracle->all_bytes, .expired = oracle->expired,
                             .progress = oracle->progress, .self = oracle->self, .lattice = options->lattice,
                             .threshold = options->threshold};
}

/* What no path is below: a number of pairs, of chunks or of edits, or the most that words gain. The machine has no cycle. */
static pf_err find_bound(const pf_oracle_sources *sources, const pf_oracle_record *record, pf_fst *fst,
                         const pf_oracle_options *options, double *out) {
    const pf_oracle_metric *metric = &sources->metric;
    *out = metric->kind == PF_ORACLE_BY_CHUNKS && pf_fst_final(fst, fst->start) == INFINITY;
    if (metric->kind != PF_ORACLE_BY_LINEAR) return pfi_refuse_cycle(fst);
    PF_TRY(pfi_linear_most(fst, &record->references, &metric->linear, options, out));
    *out = -*out;
    return PF_OK;
}

/* The first path of a machine that a limit has not let be made whole, with what it costs. */
static pf_err search_greedily(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                              const pf_oracle_options *options, double bound, pf_err limit) {
    pf_answer path = {.type = fst->type, .isyms = pf_symtab_ref(fst->isyms), .osyms = pf_symtab_ref(fst->osyms)};
    pf_fst *linear = NULL, *costs = NULL;
    pf_answer *out = &record->answer.answer;
    pf_err err = pfi_greedy_answer(fst, &record->references, options, &path);
    if (!err) err = pf_answer_fst(&path, &linear);
    if (!err) err = weigh(sources, record, linear, &(pf_oracle_options){.joiner = options->joiner}, &costs);
    if (!err) err = pf_best(costs, &(pf_best_options){.n = 1}, out);
    if (!err) {
        out->out_of_memory = limit == PF_ENOMEM;
        out->stopped = out->out_of_memory || options->n > 1 || bound < out->paths.at[0].cost;
        out->bound = fmin(bound, out->paths.at[0].cost);
        out->search = "greedy";
    }
    pf_fst_free(costs);
    pf_fst_free(linear);
    pf_answer_free(&path);
    return err;
}

/* Gives a path after a limit, and what is known of the others. */
static pf_err search_limited(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                             const pf_oracle_options *options, pf_err limit) {
    pf_answer *out = &record->answer.answer;
    double bound;
    if (fst->start == PF_NO_STATE) return limit;
    pf_answer_free(out);
    PF_TRY(find_bound(sources, record, fst, options, &bound));
    if (sources->metric.kind != PF_ORACLE_BY_EDITS) return search_greedily(sources, record, fst, options, bound, limit);
    PF_TRY(pfi_edit_best(fst, record->taken.at, record->taken.n, options, out));
    if (options->n <= 1) return PF_OK;
    out->stopped = true; /* with one path of several */
    out->out_of_memory = limit == PF_ENOMEM;
    return PF_OK;
}

/* A lattice has all paths that are good enough, so a limit leaves none. */
static pf_err refuse_lattice(const pf_answer *found) {
    return pf_fail(PF_ELIMIT, "a limit ended the search before the lattice was complete: the best path so far costs %f, and none "
                   "costs less than %f", found->paths.at[0].cost, found->bound);
}

static pf_err search_additive(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                              const pf_oracle_record_options *options) {
    const pf_oracle_options *oracle = &options->oracle;
    pf_best_options best = search_options(options);
    pf_fst *costs;
    if (sources->metric.kind == PF_ORACLE_BY_EDITS && oracle->n > 1) best.unique = PF_UNIQUE_INPUTS;
    pf_err err = weigh(sources, record, fst, oracle, &costs);
    if (!err) err = pf_best(costs, &best, &record->answer.answer);
    if (pfi_ends_search(err)) {
        pf_fst_free(costs);
        PF_TRY(search_limited(sources, record, fst, oracle, err));
        return options->lattice && record->answer.answer.paths.n ? refuse_lattice(&record->answer.answer) : PF_OK;
    }
    if (!err && oracle->ties) err = count_ties(sources, record, fst, costs, oracle);
    pf_fst_free(costs);
    return err;
}

/* ---- searches that know spaces ---- */

static pf_err reweigh(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst, const pf_oracle_options *options,
                      pfi_reweighed *out) {
    const pf_oracle_metric *metric = &sources->metric;
    if (metric->kind == PF_ORACLE_BY_LINEAR) return pfi_reweigh_linear(out, fst, &record->references, &metric->linear, options);
    return pfi_reweigh_order(out, fst, metric->kind == PF_ORACLE_BY_CHUNKS, record->order.order, record->order.n);
}

static pf_err goes_by_chart(pf_fst *costs, bool *chart) {
    pf_err err = pf_chart_check(costs, &(pf_best_options){.n = 1}, NULL);
    *chart = !err;
    return err == PF_EARG ? PF_OK : err;
}

/* Levels are searched with a beam that widens to the proof: the costs of a score tell good orders early, so few need a wide one,
 * and a limit leaves the best order of a beam. A lattice has to have all that is within its threshold. */
static pf_err widen(pf_fst *costs, pf_best_options *best) {
    enum { BEAM = 50 };
    bool chart = false;
    PF_TRY(goes_by_chart(costs, &chart));
    if (best->lattice || chart) return PF_OK;
    best->beam = BEAM;
    best->widen = true;
    return PF_OK;
}

/* The paths of the lattice of all that cost as little as the best one. A limit leaves them uncounted. */
static pf_err count_best(pf_fst *costs, const pf_oracle_record_options *options, pf_oracle_answer *answer) {
    pf_best_options best = search_options(options);
    pf_answer found = {0};
    bool chart = false;
    if (!answer->answer.paths.n || !pf_answer_optimal(&answer->answer)) return PF_OK;
    PF_TRY(goes_by_chart(costs, &chart));
    best.n = 1;
    best.lattice = true;
    best.threshold = 0;
    best.search = chart ? PF_SEARCH_CHART : PF_SEARCH_LEVELS;
    pf_err err = pf_search_best(costs, &best, &found);
    if (!err) err = pf_oracle_ties(found.lattice, &answer->ties);
    pf_answer_free(&found);
    return err == PF_ELIMIT ? PF_OK : err;
}

static pf_err search_space(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                           const pf_oracle_record_options *options) {
    pf_best_options best = search_options(options);
    pfi_reweighed own;
    double bound;
    PF_TRY(reweigh(sources, record, fst, &options->oracle, &own));
    pf_answer *found = &record->answer.answer;
    pf_err err = widen(own.costs, &best);
    if (!err) err = pf_search_best(own.costs, &best, found);
    if (!err && found->stopped) err = find_bound(sources, record, fst, &options->oracle, &bound);
    if (!err && found->stopped) found->bound = fmax(found->bound, bound);
    if (!err && options->oracle.ties) err = count_best(own.costs, options, &record->answer);
    pfi_reweighed_free(&own);
    return err;
}

/* How many states of a space and rows of edits are gone through to count orders, where nobody has set a limit. */
enum { COUNTED_STATES = 1000000 };

/* Edits of the orders of a space. Those of itg are counted through the automaton, if it is not too large for that. */
static pf_err search_edits(pf_oracle_record *record, pf_fst *fst, const pf_oracle_options *options) {
    const char *const *line = record->taken.at;
    const size_t lines = record->taken.n;
    const pf_answer *found = &record->answer.answer;
    pf_oracle_options counting = *options;
    bool itg = options->n > 1 || pfi_itg_takes(fst, options); /* as knows_edits says */
    PF_TRY((itg ? pfi_itg_edits : pfi_edit_best)(fst, line, lines, options, &record->answer.answer));
    if (!options->ties || !found->paths.n || found->stopped) return PF_OK;
    if (itg && !counting.max_states) counting.max_states = COUNTED_STATES;
    pf_err err = pf_oracle_edit_ties(fst, line, lines, &counting, (uint32_t)found->paths.at[0].cost, &record->answer.ties);
    if (err == PF_ELIMIT) record->answer.ties = 0;
    return err == PF_ELIMIT ? PF_OK : err;
}

/* A lattice has a path for each way to edit an order; of other spaces than itg the search by edits finds one. */
static bool knows_edits(const pf_oracle_metric *metric, pf_fst *fst, const pf_oracle_record_options *options) {
    if (metric->kind != PF_ORACLE_BY_EDITS || options->lattice) return false;
    return pfi_itg_takes(fst, &options->oracle) || (pf_is_perm(fst) && options->oracle.n <= 1);
}

/* Words of a model have symbols. */
static bool knows_space(const pf_oracle_metric *metric, const pf_fst *fst) {
    return pf_is_perm(fst) && (pf_oracle_by_order(metric) || (metric->kind == PF_ORACLE_BY_LINEAR && fst->osyms));
}

pf_err pf_oracle_record_search(const pf_oracle_sources *sources, pf_oracle_record *record, pf_fst *fst,
                               const pf_oracle_record_options *options) {
    const pf_oracle_metric *metric = &sources->metric;
    if (metric->kind != PF_ORACLE_BY_BLEU) {
        if (knows_edits(metric, fst, options)) return search_edits(record, fst, &options->oracle);
        PF_TRY(find_order(sources, record, fst, &options->oracle));
        return (knows_space(metric, fst) ? search_space : search_additive)(sources, record, fst, options);
    }
    if (options->front) return pf_oracle_front_of(fst, &record->references, &options->oracle, &record->front);
    return pf_oracle_bleu(fst, &record->references, &options->oracle, &record->answer);
}
