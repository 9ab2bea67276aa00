/* One pair at a time: a method makes its tuples, then they are counted, unless one of them is too long. */
#include <permfst/tuples/extract.h>

#include "base/contract.h"
#include "tuples/sound.h"

#include <stdlib.h>

struct pf_extractor {
    pf_extract_options options;
    pf_unfolder *unfolder; /* NULL: monotone */
    pf_costs costs;
    pf_monotone monotone;
    pf_extract_counts counts;
};

pf_err pf_extractor_new(const pf_extract_options *options, pf_extractor **out) {
    assert(options->method == PF_EXTRACT_MONOTONE || options->unaligned != PF_UNALIGNED_IBM1 || options->model);
    assert(options->second_share >= 0 && options->second_share <= 1);
    pf_extractor *x = *out = calloc(1, sizeof *x);
    if (!x) return pf_nomem();
    x->options = *options;
    if (options->method != PF_EXTRACT_UNFOLD) return PF_OK;
    pf_err err = pf_unfolder_new(&x->unfolder);
    if (err) {
        pf_extractor_free(x);
        *out = NULL;
    }
    return err;
}

void pf_extractor_free(pf_extractor *x) {
    if (!x) return;
    pf_unfolder_free(x->unfolder);
    pf_costs_free(&x->costs);
    pf_monotone_free(&x->monotone);
    free(x);
}

const pf_extract_counts *pf_extractor_counts(const pf_extractor *x) { return &x->counts; }

/* ---- the methods ---- */

static pf_err unfold(pf_extractor *x, const pf_extract_pair *pair, pf_tuples *out) {
    const pf_extract_options *o = &x->options;
    pf_unfold_options how = {o->unaligned, o->keep_order, o->model, pair->source, pair->target};
    assert(!pair->second);
    x->counts.unused_posteriors += pf_alignment_posteriors(pair->first);
    return pf_unfold(x->unfolder, pair->first, &how, out);
}

static pf_err monotonize(pf_extractor *x, const pf_extract_pair *pair, pf_tuples *out) {
    const pf_alignment *a = pair->first, *b = pair->second;
    const pf_extract_options *o = &x->options;
    size_t links = a->link.n + (b ? b->link.n : 0), with = pf_alignment_posteriors(a) + (b ? pf_alignment_posteriors(b) : 0);
    bool use = o->costs == PF_COSTS_POSTERIORS;
    if (o->costs == PF_COSTS_AUTO) {
        if (with && with < links)
            return pf_fail(PF_EINPUT, "%zu of %zu links have a posterior: expected all or none, unless the kind of costs is chosen",
                           with, links);
        use = with > 0;
    }
    if (!use) x->counts.unused_posteriors += with;
    PF_TRY((use ? pf_costs_posteriors : pf_costs_links)(&x->costs, a, b, o->second_share));
    return pf_monotonize(&x->monotone, &x->costs, o->keep_order, out);
}

/* ---- counts ---- */

/* Counts the tuples of a pair; false if one of them is too long. */
static bool count_tuples(const pf_tuples *t, uint64_t max_words, pf_extract_counts *counts) {
    pf_tuple before = {0, 0};
    for (size_t k = 0; k < t->tuple.n; k++) {
        pf_tuple end = t->tuple.at[k];
        uint32_t sources = end.source_end - before.source_end, targets = end.target_end - before.target_end;
        if (max_words && (sources > max_words || targets > max_words)) return false;
        counts->no_source += !sources;
        counts->no_target += !targets;
        if (counts->most_sources < sources) counts->most_sources = sources;
        if (counts->most_targets < targets) counts->most_targets = targets;
        before = end;
    }
    counts->tuples += t->tuple.n;
    counts->target_words += before.target_end;
    return true;
}

static bool count_pair(pf_extractor *x, const pf_alignment *a, const pf_tuples *t) {
    pf_extract_counts counts = x->counts;
    if (!count_tuples(t, x->options.max_words, &counts)) return false;
    counts.in_order += pf_tuples_in_order(t);
    counts.uncrossed += !pf_alignment_crosses(a);
    counts.unlinked += !a->link.n;
    counts.source_words += t->order.n;
    x->counts = counts;
    return true;
}

pf_err pf_tuples_of_pair(pf_extractor *x, const pf_extract_pair *pair, pf_tuples *out) {
    PF_TRY(x->unfolder ? unfold(x, pair, out) : monotonize(x, pair, out));
    PFI_CHECK(pfi_tuples_sound(out));
    x->counts.pairs++;
    if (count_pair(x, pair->first, out)) return PF_OK;
    x->counts.left_out++;
    pf_tuples_reset(out);
    return PF_OK;
}

pf_err pf_extract_counts_write(const pf_extract_counts *c, pf_writer *w) {
    const struct {
        const char *name;
        uint64_t n;
    } lines[] = {
        {"pairs", c->pairs}, {"left-out", c->left_out}, {"in-order", c->in_order}, {"no-crossing-links", c->uncrossed},
        {"no-links", c->unlinked}, {"source-words", c->source_words}, {"target-words", c->target_words}, {"tuples", c->tuples},
        {"tuples-without-target", c->no_target}, {"tuples-without-source", c->no_source}, {"most-source-words", c->most_sources},
        {"most-target-words", c->most_targets},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        PF_TRY(pf_writer_text(w, "%s\t%llu\n", lines[i].name, (unsigned long long)lines[i].n));
    return PF_OK;
}
