/* Statistics of all systems by all metrics, segment by segment; resampling looks at nothing else. */
#include <permfst/metric/systems.h>

#include <assert.h>
#include <math.h>
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
    for (unsigned metric = 0; metric < PF_SYSTEMS_METRICS; metric++) {
        pf_metric_free(&systems->metric[metric]);
        free(systems->samples[metric]);
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

/* ---- metrics ---- */

pf_err pf_systems_metric(pf_systems *systems, const pf_metric_class *cls, const pf_metric_options *options) {
    if (systems->metrics == PF_SYSTEMS_METRICS)
        return pf_fail(PF_EARG, "expected at most %d metrics, found more", PF_SYSTEMS_METRICS);
    return pf_metric_init(&systems->metric[systems->metrics++], cls, options);
}

pf_err pf_systems_metric_named(pf_systems *systems, pf_metric_subject subject, const char *name, const pf_metric_options *options) {
    const pf_metric_class *cls;
    PF_TRY(pf_metric_find(subject, name, strlen(name), &cls));
    return pf_systems_metric(systems, cls, options);
}

pf_err pf_systems_usual(pf_systems *systems, pf_metric_subject subject, const char *program, const pf_metric_options *options) {
    const pf_metric_class *cls;
    for (size_t i = 0; (cls = pf_metric_at(i)); i++) {
        bool goes = program ? cls->program && strcmp(cls->program, program) == 0 : cls->usual;
        if (goes && cls->subject == subject) PF_TRY(pf_systems_metric(systems, cls, options));
    }
    return PF_OK;
}

/* ---- some of the segments ---- */

/* In place: no word moves up. */
static void choose_words(pf_tokens *words, const pf_testset *set) {
    size_t end = 0;
    for (size_t at = 0; at < set->n; at++) {
        pf_segment from = pf_tokens_at(words, set->chosen.at[at]);
        if (from.n) memmove(words->word.at + end, from.word, from.n * sizeof *from.word);
        end += from.n;
        words->end.at[at] = end; /* of a segment that was read already: chosen.at[at] >= at */
    }
    words->word.n = end;
    words->end.n = set->n;
}

pf_err pf_systems_choose(pf_systems *systems, bool (*wanted)(void *self, uint64_t number), void *self) {
    assert(!systems->learnt);
    PF_TRY(pf_testset_choose(&systems->set, wanted, self));
    for (size_t k = 0; k < systems->system.n; k++) choose_words(&systems->system.at[k].words, &systems->set);
    return PF_OK;
}

/* ---- lower case ---- */

static pf_err add_lower(pf_systems *systems, pf_token_text *text) {
    pf_statetab *words = &systems->set.vocabulary;
    while (systems->lower.n < words->n) {
        size_t length;
        uint32_t id;
        const char *word = pf_statetab_key(words, (uint32_t)systems->lower.n, &length);
        text->n = 0;
        PF_TRY(pf_lower_case(word, length, text));
        PF_TRY(pf_statetab_intern(words, text->at, length, &id, NULL));
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
    for (size_t at = 0; at <= references->n; at++) {
        pf_segment from = at < references->n ? references->at[at] : segment ? *segment : (pf_segment){0};
        pf_segment to = {systems->lowered.at + systems->lowered.n, from.n};
        for (size_t i = 0; i < from.n; i++) systems->lowered.at[systems->lowered.n++] = systems->lower.at[from.word[i]];
        if (at < references->n) systems->lowered_at.at[systems->lowered_at.n++] = to;
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

static pf_err count(pf_systems *systems, pf_scored_system *system, unsigned metric, size_t segment, pf_references references) {
    pf_segment words = pf_tokens_at(&system->words, segment);
    assert(system->statistics[metric].n == segment);
    if (pf_metric_lowers(&systems->metric[metric])) PF_TRY(lower_case(systems, &words, &references));
    return pf_statistics_add(&system->statistics[metric], &systems->metric[metric], words, &references);
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

static void warn_of_references(const pf_systems *systems, pf_warn warn, void *self) {
    char words[200];
    if (!warn || systems->least_references == systems->most_references) return;
    snprintf(words, sizeof words,
             "not all sentences have %zu references, some have only %zu: an empty line stands for a missing reference",
             systems->most_references, systems->least_references);
    warn(self, words);
}

pf_err pf_systems_count_all(pf_systems *systems, pf_warn warn, void (*progress)(void *self, uint64_t counted), void *self) {
    if (!systems->set.n)
        return pf_fail(PF_EINPUT, "%s is empty: there is nothing to score", systems->set.reference.at[0].file);
    for (size_t at = 0; at < systems->set.n; at++) {
        PF_TRY(pf_systems_count(systems, at));
        if (progress) progress(self, at + 1);
    }
    warn_of_references(systems, warn, self);
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
static pf_err compare_samples(const pf_systems *systems, size_t system, unsigned metric, uint64_t count, const double *samples,
                              pf_resampled *out) {
    const double *first = systems->samples[metric];
    double *difference = malloc(count * sizeof *difference);
    assert(first);
    if (!difference) return pf_nomem();
    for (uint64_t i = 0; i < count; i++) difference[i] = samples[i] - first[i];
    out->p_value = pf_bootstrap_p(first, samples, count, pf_systems_score(systems, 0, metric),
                                  pf_systems_score(systems, system, metric));
    pf_err err = pf_interval_of(difference, count, &out->differences);
    free(difference);
    return err;
}

/* Interval and paired bootstrap, from the same samples. Those of the first system are kept. */
static pf_err bootstrap(pf_systems *systems, size_t system, unsigned metric, const pf_resampling *how, pf_resampled *out) {
    double *samples = malloc(how->samples * sizeof *samples);
    if (!samples) return pf_nomem();
    pf_bootstrap(&systems->metric[metric], of(systems, system, metric), how->samples, how->seed, samples);
    pf_err err = pf_interval_of(samples, how->samples, &out->interval);
    if (!err && system && how->paired) err = compare_samples(systems, system, metric, how->samples, samples, out);
    free(system ? samples : systems->samples[metric]);
    if (!system) systems->samples[metric] = samples;
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
