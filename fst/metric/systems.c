/* Statistics of all systems by all metrics, segment by segment; resampling looks at nothing else. */
#include <permfst/metric/systems.h>

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

/* ---- metrics ---- */

pf_err pf_systems_metric(pf_systems *systems, const pf_metric_class *cls, const pf_metric_options *options) {
    if (systems->metrics == PF_SYSTEMS_METRICS)
        return pf_fail(PF_EARG, "expected at most %d metrics, found more", PF_SYSTEMS_METRICS);
    return pf_metric_init(&systems->metric[systems->metrics++], cls, options);
}

pf_err pf_systems_count(pf_systems *systems, size_t segment) {
    const pf_segment *reference;
    size_t n;
    PF_TRY(pf_testset_references(&systems->set, segment, &reference, &n));
    if (n > systems->most_references) systems->most_references = n;
    if (!segment || n < systems->least_references) systems->least_references = n;
    for (size_t k = 0; k < systems->system.n; k++)
        for (unsigned metric = 0; metric < systems->metrics; metric++) {
            pf_scored_system *system = &systems->system.at[k];
            assert(system->statistics[metric].n == segment);
            PF_TRY(pf_statistics_add(&system->statistics[metric], &systems->metric[metric],
                pf_tokens_at(&system->words, segment), reference, n));
        }
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
    return systems->metric[metric].cls->score(&systems->metric[metric].options, sum);
}

/* ---- resampling ---- */

/* Interval and paired bootstrap, from the same samples. Those of the first system are kept. */
static pf_err bootstrap(pf_systems *systems, size_t k, unsigned metric, const pf_resampling *how, pf_resampled *out) {
    double *samples = malloc(how->samples * sizeof *samples);
    if (!samples) return pf_nomem();
    pf_bootstrap(&systems->metric[metric], of(systems, k, metric), how->samples, how->seed, samples);
    pf_err err = pf_interval_of(samples, how->samples, &out->interval);
    if (!err && k && how->paired) {
        assert(systems->samples[metric]);
        out->p_value = pf_bootstrap_p(systems->samples[metric], samples, how->samples, pf_systems_score(systems, 0, metric),
            pf_systems_score(systems, k, metric));
    }
    free(k ? samples : systems->samples[metric]);
    if (!k) systems->samples[metric] = samples;
    return err;
}

pf_err pf_systems_resample(pf_systems *systems, size_t system, unsigned metric, const pf_resampling *how,
    pf_resampled *out) {
    assert(!how->paired || (how->samples && !how->trials));
    *out = (pf_resampled){{NAN, NAN, NAN}, NAN};
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
