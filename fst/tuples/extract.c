/* One pair at a time: a method makes its tuples, then they are counted, unless one of them is too long. */
#include <permfst/tuples/extract.h>

#include "base/contract.h"
#include "tuples/sound.h"

#include <stdlib.h>

struct pf_extractor {
    pf_extract_options options;
    pf_unfolder *unfolder; /* NULL: monotone */
    pf_ibm1 *own_model;    /* that options.model is, if it was trained here */
    pf_costs costs;
    pf_monotone monotone;
    pf_extract_counts counts;
    pf_tuples tuples; /* of a pair of a corpus */
};

static pf_err train(pf_extractor *extractor) {
    pf_extract_options *options = &extractor->options;
    PF_TRY(pf_ibm1_new(&extractor->own_model));
    options->model = extractor->own_model;
    return pf_ibm1_train(extractor->own_model, options->corpus, options->iterations);
}

pf_err pf_extractor_new(const pf_extract_options *options, pf_extractor **out) {
    const bool asks = options->method == PF_EXTRACT_UNFOLD && options->unaligned == PF_UNALIGNED_IBM1;
    assert(!asks || options->model || options->corpus);
    assert(options->second_share >= 0 && options->second_share <= 1);
    pf_extractor *extractor = *out = calloc(1, sizeof *extractor);
    if (!extractor) return pf_nomem();
    extractor->options = *options;
    if (options->method != PF_EXTRACT_UNFOLD) return PF_OK;
    pf_err err = pf_unfolder_new(&extractor->unfolder);
    if (!err && asks && !options->model) err = train(extractor);
    if (err) {
        pf_extractor_free(extractor);
        *out = NULL;
    }
    return err;
}

void pf_extractor_free(pf_extractor *extractor) {
    if (!extractor) return;
    pf_unfolder_free(extractor->unfolder);
    pf_ibm1_free(extractor->own_model);
    pf_costs_free(&extractor->costs);
    pf_monotone_free(&extractor->monotone);
    pf_tuples_free(&extractor->tuples);
    free(extractor);
}

const pf_extract_counts *pf_extractor_counts(const pf_extractor *extractor) { return &extractor->counts; }

/* ---- the methods ---- */

static pf_err unfold(pf_extractor *extractor, const pf_extract_pair *pair, pf_tuples *out) {
    const pf_extract_options *options = &extractor->options;
    pf_unfold_options how = {options->unaligned, options->keep_order, options->model, pair->source, pair->target};
    assert(!pair->second);
    extractor->counts.unused_posteriors += pf_alignment_posteriors(pair->first);
    return pf_unfold(extractor->unfolder, pair->first, &how, out);
}

static pf_err monotonize(pf_extractor *extractor, const pf_extract_pair *pair, pf_tuples *out) {
    const pf_alignment *forward = pair->first, *backward = pair->second;
    const pf_extract_options *options = &extractor->options;
    size_t links = forward->link.n + (backward ? backward->link.n : 0),
        with = pf_alignment_posteriors(forward) + (backward ? pf_alignment_posteriors(backward) : 0);
    bool use = options->costs == PF_COSTS_POSTERIORS;
    if (options->costs == PF_COSTS_AUTO) {
        if (with && with < links)
            return pf_fail(PF_EINPUT, "%zu of %zu links have a posterior: expected all or none, unless the kind of costs is chosen",
                           with, links);
        use = with > 0;
    }
    if (!use) extractor->counts.unused_posteriors += with;
    PF_TRY((use ? pf_costs_posteriors : pf_costs_links)(&extractor->costs, forward, backward, options->second_share));
    return pf_monotonize(&extractor->monotone, &extractor->costs, options->keep_order, out);
}

/* ---- counts ---- */

/* Counts the tuples of a pair; false if one of them is too long. */
static bool count_tuples(const pf_tuples *tuples, uint64_t max_words, pf_extract_counts *counts) {
    pf_tuple before = {0, 0};
    for (size_t at = 0; at < tuples->tuple.n; at++) {
        pf_tuple end = tuples->tuple.at[at];
        uint32_t sources = end.source_end - before.source_end, targets = end.target_end - before.target_end;
        if (max_words && (sources > max_words || targets > max_words)) return false;
        counts->no_source += !sources;
        counts->no_target += !targets;
        if (counts->most_sources < sources) counts->most_sources = sources;
        if (counts->most_targets < targets) counts->most_targets = targets;
        before = end;
    }
    counts->tuples += tuples->tuple.n;
    counts->target_words += before.target_end;
    return true;
}

static bool count_pair(pf_extractor *extractor, const pf_alignment *links, const pf_tuples *tuples) {
    pf_extract_counts counts = extractor->counts;
    if (!count_tuples(tuples, extractor->options.max_words, &counts)) return false;
    counts.in_order += pf_tuples_in_order(tuples);
    counts.uncrossed += !pf_alignment_crosses(links);
    counts.unlinked += !links->link.n;
    counts.source_words += tuples->order.n;
    extractor->counts = counts;
    return true;
}

pf_err pf_tuples_of_pair(pf_extractor *extractor, const pf_extract_pair *pair, pf_tuples *out) {
    PF_TRY(extractor->unfolder ? unfold(extractor, pair, out) : monotonize(extractor, pair, out));
    PFI_CHECK(pfi_tuples_sound(out));
    extractor->counts.pairs++;
    if (count_pair(extractor, pair->first, out)) return PF_OK;
    extractor->counts.left_out++;
    pf_tuples_reset(out);
    return PF_OK;
}

static const pf_alignment *take(const pf_tuple_corpus *corpus, size_t column, pf_align_left_out *left_out) {
    pf_alignment *links = pf_parallel_alignment(corpus->pairs, column);
    pf_alignment_filter(links, NULL, left_out);
    return links;
}

pf_err pf_extractor_pair(pf_extractor *extractor, const pf_tuple_corpus *corpus, pf_align_left_out *left_out) {
    pf_extract_pair pair = {.first = take(corpus, corpus->links[0], left_out),
                            .source = pf_parallel_sentence(corpus->pairs, corpus->source),
                            .target = pf_parallel_sentence(corpus->pairs, corpus->target)};
    if (corpus->links[1]) pair.second = take(corpus, corpus->links[1], left_out);
    PF_TRY(pf_tuples_of_pair(extractor, &pair, &extractor->tuples));
    return pf_tuples_write_lines(&corpus->to, &extractor->tuples, pair.source, pair.target);
}

pf_err pf_extract_counts_write(const pf_extract_counts *counts, pf_writer *writer) {
    const struct {
        const char *name;
        uint64_t count;
    } lines[] = {
        {"pairs", counts->pairs}, {"left-out", counts->left_out}, {"in-order", counts->in_order},
        {"no-crossing-links", counts->uncrossed},
        {"no-links", counts->unlinked}, {"source-words", counts->source_words}, {"target-words", counts->target_words},
        {"tuples", counts->tuples},
        {"tuples-without-target", counts->no_target}, {"tuples-without-source", counts->no_source},
        {"most-source-words", counts->most_sources},
        {"most-target-words", counts->most_targets},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        PF_TRY(pf_writer_text(writer, "%s\t%llu\n", lines[i].name, (unsigned long long)lines[i].count));
    return PF_OK;
}
