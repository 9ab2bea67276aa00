/* Statistics of all systems by all metrics, segment by segment; resampling looks at nothing else. */
#include <permfst/metric/systems.h>

#include <permfst/base/lines.h>
#include <permfst/permute/order.h>

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_systems_init(pf_systems *systems, const pf_tokeniser *tokeniser) {
    *systems = (pf_systems){0};
    pf_testset_init(&systems->set, tokeniser);
}

static void free_system(pf_scored_system *system) {
    free(system->name);
    pf_tokens_free(&system->words);
    for (unsigned metric = 0; metric < PF_SYSTEMS_METRICS; metric++) pf_statistics_free(&system->statistics[metric]);
}

void pf_systems_free(pf_systems *systems) {
    pf_testset_free(&systems->set);
    for (size_t k = 0; k < systems->system.n; k++) free_system(&systems->system.at[k]);
    PF_VEC_FREE(&systems->system);
    PF_VEC_FREE(&systems->lower);
    PF_VEC_FREE(&systems->lowered);
    PF_VEC_FREE(&systems->lowered_at);
    for (unsigned m = 0; m < PF_SYSTEMS_METRICS; m++) {
        pf_metric_free(&systems->metric[m]);
        free(systems->samples[m]);
    }
    *systems = (pf_systems){0};
}

/* ---- what is scored ---- */

pf_err pf_systems_reference(pf_systems *systems, const pf_docset *set, const char *name) {
    assert(!systems->system.n);
    return pf_testset_reference(&systems->set, set, name);
}

pf_err pf_systems_add(pf_systems *systems, const pf_docset *set, const char *name, size_t *extra, size_t *first) {
    PF_TRY(PF_PUSH(&systems->system, (pf_scored_system){0}));
    pf_scored_system *system = &systems->system.at[systems->system.n - 1];
    if (!(system->name = strdup(name))) return pf_nomem();
    return pf_testset_system(&systems->set, set, name, &system->words, extra, first);
}

/* ---- the texts of a file ---- */

static void say(pf_warn warn, void *to, const char *format, ...) PF_PRINTF(3, 4);
static void say(pf_warn warn, void *to, const char *format, ...) {
    char words[1000];
    va_list ap;
    if (!warn) return;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    warn(to, words);
}

static bool is_of_kind(const pf_docset *set, pf_docs_kind kind) { return set->kind == kind || set->kind == PF_DOCS_LINES; }

static size_t count_sets(const pf_docs *docs, pf_docs_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < docs->set.n; i++) n += is_of_kind(&docs->set.at[i], kind);
    return n;
}

/* What a file has of a kind; where it has none, of the other, but never a source text. */
static pf_err choose(const pf_docs *docs, const char *name, pf_docs_kind *kind, pf_warn warn, void *warn_to) {
    bool wants = *kind == PF_DOCS_REFERENCE;
    if (count_sets(docs, *kind)) return PF_OK;
    *kind = wants ? PF_DOCS_SYSTEM : PF_DOCS_REFERENCE;
    if (!count_sets(docs, *kind))
        return pf_fail(PF_EINPUT, "%s: expected %s, found only a source text", name, wants ? "references" : "translations");
    say(warn, warn_to, "%s has no %s: its %s are used instead", name, wants ? "references" : "translations of a system",
        wants ? "translations of a system" : "references");
    return PF_OK;
}

static pf_err add_system(pf_systems *systems, const pf_docset *set, const char *name, pf_warn warn, void *warn_to) {
    size_t extra, first;
    char where[200];
    PF_TRY(pf_systems_add(systems, set, name, &extra, &first));
    if (extra)
        say(warn, warn_to, "%s: %zu %s %s", name, extra,
            extra == 1 ? "segment without a reference is left out:" : "segments without a reference are left out; the first is",
            pf_docset_where(set, first, where, sizeof where));
    return PF_OK;
}

pf_err pf_systems_docs(pf_systems *systems, const pf_docs *docs, const char *name, pf_docs_kind kind, pf_warn warn,
    void *warn_to) {
    bool is_reference = kind == PF_DOCS_REFERENCE;
    assert(is_reference || kind == PF_DOCS_SYSTEM);
    PF_TRY(choose(docs, name, &kind, warn, warn_to));
    bool several = count_sets(docs, kind) > 1;
    for (size_t i = 0; i < docs->set.n; i++) {
        const pf_docset *set = &docs->set.at[i];
        char full[5000];
        if (!is_of_kind(set, kind)) continue;
        snprintf(full, sizeof full, "%s%s%s", name, several ? ":" : "", several ? set->name : "");
        PF_TRY(is_reference ? pf_systems_reference(systems, set, full) : add_system(systems, set, full, warn, warn_to));
    }
    return PF_OK;
}

/* ---- orders and alignments ---- */

/* Fails with the line: has an order of n positions what its reference asks for? Segments of orders have their numbers. */
static pf_err check_order(const pf_systems *systems, const pf_reader *reader, size_t segment, size_t n) {
    const pf_reference *reference = &systems->set.reference.at[0];
    if (segment >= reference->words.end.n) return PF_OK; /* the number of lines is checked later */
    pf_segment expected = pf_tokens_at(&reference->words, segment);
    if (!systems->links && expected.n != n)
        return pf_reader_fail_line(reader, "expected an order of %zu positions, as line %zu of %s has, found %zu", expected.n,
                                   segment + 1, reference->file, n);
    for (size_t k = 0; systems->links && k < expected.n; k += 2)
        if (expected.word[k] >= n)
            return pf_reader_fail_line(reader, "expected an order of more than %u positions, as line %zu of %s links %u-%u, found %zu",
                                       expected.word[k], segment + 1, reference->file, expected.word[k], expected.word[k + 1], n);
    return PF_OK;
}

static pf_err add_order(const pf_systems *systems, const pf_reader *reader, char *line, size_t length, unsigned base, bool is_system,
                        pf_tokens *out) {
    pf_visit_order order = {0};
    pf_err err = pf_line_check(line, length);
    if (!err) err = pf_visit_order_read(line, base, &order);
    if (err == PF_EINPUT) err = pf_reader_fail_line(reader, "%s", pf_message());
    if (!err && is_system) err = check_order(systems, reader, out->end.n, order.n);
    for (unsigned i = 0; !err && i < order.n; i++) err = PF_PUSH(&out->word, order.order[i]);
    pf_visit_order_free(&order);
    return err ? err : PF_PUSH(&out->end, out->word.n);
}

static pf_err read_orders(const pf_systems *systems, pf_reader *reader, unsigned base, bool is_system, pf_tokens *out) {
    char *line;
    size_t length;
    for (;;) {
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) return PF_OK;
        PF_TRY(add_order(systems, reader, line, length, base, is_system, out));
    }
}

pf_err pf_systems_orders(pf_systems *systems, pf_reader *reader, unsigned base, pf_docs_kind kind) {
    bool is_system = kind == PF_DOCS_SYSTEM;
    const char *name = pf_reader_name(reader);
    pf_tokens orders = {0};
    pf_err err = read_orders(systems, reader, base, is_system, &orders);
    if (!err && is_system) err = pf_testset_check(&systems->set, orders.end.n, name);
    if (!err && !is_system) err = pf_testset_numbers(&systems->set, &orders, name);
    if (!err && is_system) {
        err = PF_PUSH(&systems->system, ((pf_scored_system){.words = orders}));
        if (!err) orders = (pf_tokens){0};
        if (!err && !(systems->system.at[systems->system.n - 1].name = strdup(name))) err = pf_nomem();
    }
    pf_tokens_free(&orders);
    return err;
}

static pf_err add_alignment(const pf_alignment *links, pf_tokens *out) {
    PF_TRY(PF_ROOM(&out->word, 2 * links->link.n));
    for (size_t i = 0; i < links->link.n; i++) {
        out->word.at[out->word.n++] = links->link.at[i].source;
        out->word.at[out->word.n++] = links->link.at[i].target;
    }
    return PF_PUSH(&out->end, out->word.n);
}

static pf_err read_links(pf_align_reader *reader, pf_alignment *links, const pf_align_filter *filter, pf_tokens *out) {
    for (bool more = true;;) {
        PF_TRY(pf_align_next(reader, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, links, &more));
        if (!more) return PF_OK;
        pf_align_left_out left_out = {0};
        pf_alignment_filter(links, filter, &left_out);
        PF_TRY(add_alignment(links, out));
    }
}

pf_err pf_systems_links(pf_systems *systems, pf_reader *reader, pf_align_format format, const pf_align_filter *filter) {
    pf_align_reader *align = NULL;
    pf_alignment links = {0};
    pf_tokens tokens = {0};
    pf_err err = pf_align_reader_new(reader, format, 1, &align);
    if (!err) err = read_links(align, &links, filter, &tokens);
    if (!err) err = pf_testset_numbers(&systems->set, &tokens, pf_reader_name(reader));
    systems->links = true;
    pf_align_reader_free(align);
    pf_alignment_free(&links);
    pf_tokens_free(&tokens);
    return err;
}

/* ---- metrics ---- */

pf_err pf_systems_metric(pf_systems *systems, const pf_metric_class *cls, const pf_metric_options *options) {
    if (systems->metrics == PF_SYSTEMS_METRICS)
        return pf_fail(PF_EARG, "expected at most %d metrics, found more", PF_SYSTEMS_METRICS);
    return pf_metric_init(&systems->metric[systems->metrics++], cls, options);
}

/* ---- lower case ---- */

static pf_err add_lower(pf_systems *systems, pf_token_text *text) {
    pf_statetab *words = &systems->set.vocabulary;
    while (systems->lower.n < words->n) {
        size_t n;
        uint32_t id;
        const char *word = pf_statetab_key(words, (uint32_t)systems->lower.n, &n);
        text->n = 0;
        PF_TRY(pf_lower_case(word, n, text));
        PF_TRY(pf_statetab_intern(words, text->at, n, &id, NULL));
        PF_TRY(PF_PUSH(&systems->lower, id));
    }
    return PF_OK;
}

/* The segments in lower case, borrowed until the next call; `segment` may be NULL. */
static pf_err lower_case(pf_systems *systems, pf_segment *segment, pf_references *references) {
    size_t words = segment ? segment->n : 0;
    pf_token_text text = {0};
    pf_err err = add_lower(systems, &text);
    PF_VEC_FREE(&text);
    if (err) return err;
    for (size_t k = 0; k < references->n; k++) words += references->at[k].n;
    systems->lowered.n = systems->lowered_at.n = 0;
    PF_TRY(PF_ROOM(&systems->lowered, words + 1));
    PF_TRY(PF_ROOM(&systems->lowered_at, references->n));
    for (size_t k = 0; k <= references->n; k++) {
        pf_segment from = k < references->n ? references->at[k] : segment ? *segment : (pf_segment){0};
        pf_segment to = {systems->lowered.at + systems->lowered.n, from.n};
        for (size_t i = 0; i < from.n; i++) systems->lowered.at[systems->lowered.n++] = systems->lower.at[from.word[i]];
        if (k < references->n) systems->lowered_at.at[systems->lowered_at.n++] = to;
        else if (segment) *segment = to;
    }
    references->at = systems->lowered_at.at;
    return PF_OK;
}

/* ---- counting ---- */

static pf_err learn(pf_systems *systems, pf_metric *metric) {
    for (size_t i = 0; metric->cls->learn && i < systems->set.n; i++) {
        pf_references references;
        PF_TRY(pf_testset_references(&systems->set, i, &references));
        if (pf_metric_lowers(metric)) PF_TRY(lower_case(systems, NULL, &references));
        PF_TRY(metric->cls->learn(metric, &references));
    }
    return PF_OK;
}

static pf_err count(pf_systems *systems, pf_scored_system *y, unsigned m, size_t segment, pf_references references) {
    pf_segment words = pf_tokens_at(&y->words, segment);
    assert(y->statistics[m].n == segment);
    if (pf_metric_lowers(&systems->metric[m])) PF_TRY(lower_case(systems, &words, &references));
    return pf_statistics_add(&y->statistics[m], &systems->metric[m], words, &references);
}

pf_err pf_systems_count(pf_systems *systems, size_t segment) {
    pf_references references;
    for (unsigned m = 0; !systems->learnt && m < systems->metrics; m++) PF_TRY(learn(systems, &systems->metric[m]));
    systems->learnt = true;
    PF_TRY(pf_testset_references(&systems->set, segment, &references));
    if (references.n > systems->most_references) systems->most_references = references.n;
    if (!segment || references.n < systems->least_references) systems->least_references = references.n;
    for (size_t k = 0; k < systems->system.n; k++)
        for (unsigned m = 0; m < systems->metrics; m++) PF_TRY(count(systems, &systems->system.at[k], m, segment, references));
    return PF_OK;
}

/* ---- scores ---- */

static const pf_statistics *of(const pf_systems *systems, size_t system, unsigned metric) {
    assert(system < systems->system.n && metric < systems->metrics);
    return &systems->system.at[system].statistics[metric];
}

const double *pf_systems_segment(const pf_systems *systems, size_t system, unsigned metric, size_t segment) {
    const pf_statistics *own = of(systems, system, metric);
    assert(segment < own->n);
    return own->at.at + segment * own->width;
}

void pf_systems_sum(const pf_systems *systems, size_t system, unsigned metric, double *sum) {
    pf_statistics_sum(of(systems, system, metric), sum);
}

double pf_systems_score(const pf_systems *systems, size_t system, unsigned metric) {
    double sum[PF_METRIC_STATISTICS];
    pf_systems_sum(systems, system, metric, sum);
    return pf_metric_score(&systems->metric[metric], sum);
}

/* ---- resampling ---- */

/* What a system differs by from the first one: in each sample, and on the text. */
static pf_err compare_samples(const pf_systems *systems, size_t k, unsigned metric, uint64_t n, const double *samples, pf_resampled *out) {
    const double *first = systems->samples[metric];
    double *difference = malloc(n * sizeof *difference);
    assert(first);
    if (!difference) return pf_nomem();
    for (uint64_t i = 0; i < n; i++) difference[i] = samples[i] - first[i];
    out->p_value = pf_bootstrap_p(first, samples, n, pf_systems_score(systems, 0, metric), pf_systems_score(systems, k, metric));
    pf_err err = pf_interval_of(difference, n, &out->differences);
    free(difference);
    return err;
}

/* Interval and paired bootstrap, from the same samples. Those of the first system are kept. */
static pf_err bootstrap(pf_systems *systems, size_t k, unsigned metric, const pf_resampling *how, pf_resampled *out) {
    double *samples = malloc(how->samples * sizeof *samples);
    if (!samples) return pf_nomem();
    pf_bootstrap(&systems->metric[metric], of(systems, k, metric), how->samples, how->seed, samples);
    pf_err err = pf_interval_of(samples, how->samples, &out->interval);
    if (!err && k && how->paired) err = compare_samples(systems, k, metric, how->samples, samples, out);
    free(k ? samples : systems->samples[metric]);
    if (!k) systems->samples[metric] = samples;
    return err;
}

pf_err pf_systems_resample(pf_systems *systems, size_t system, unsigned metric, const pf_resampling *how,
    pf_resampled *out) {
    assert(!how->paired || (how->samples && !how->trials));
    *out = PF_NOT_RESAMPLED;
    if (system && (how->paired || how->trials))
        out->difference = pf_systems_score(systems, system, metric) - pf_systems_score(systems, 0, metric);
    if (how->samples) PF_TRY(bootstrap(systems, system, metric, how, out));
    if (!system || !how->trials) return PF_OK;
    return pf_randomisation_p(&systems->metric[metric], of(systems, 0, metric), of(systems, system, metric), how->trials,
        how->seed, &out->p_value);
}

pf_err pf_systems_signature(const pf_systems *systems, unsigned metric, const pf_resampling *how, const char *version,
    pf_writer *writer) {
    char samples[40] = "", trials[40] = "", resampled[140] = "";
    assert(metric < systems->metrics);
    if (how->samples) snprintf(samples, sizeof samples, "bs:%llu|", (unsigned long long)how->samples);
    if (how->trials) snprintf(trials, sizeof trials, "ar:%llu|", (unsigned long long)how->trials);
    if (*samples || *trials)
        snprintf(resampled, sizeof resampled, "%s%sseed:%llu|", samples, trials, (unsigned long long)how->seed);
    bool same = systems->least_references == systems->most_references;
    return pf_metric_signature(&systems->metric[metric], same ? systems->most_references : 0, resampled,
        systems->set.tokeniser, version, writer);
}
