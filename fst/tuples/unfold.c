/* One sweep over the target finds the segments that have links, one over the source gives each word its segment, and a counting
 * sort by segment gives the order. Target words between two segments are shared out at the end. */
#include <permfst/tuples/unfold.h>

#include "align/sound.h"
#include "base/contract.h"
#include "tuples/sound.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_P 1e-300

typedef struct {
    uint32_t begin, end; /* in the target */
    uint32_t last;       /* its last source word */
    uint32_t sources;    /* how many it has; later where they begin, then where they end in the order */
} unfold_segment;

struct pf_unfolder {
    PF_VEC(uint32_t) reach;   /* target word: 1 + the last target of the sources whose first link it is; 0: of none */
    PF_VEC(uint32_t) number;  /* target word: its segment, if it is the first link of a source */
    PF_VEC(uint32_t) member;  /* source word: the first target it is linked with; later its segment */
    PF_VEC(unfold_segment) segment;
};

pf_err pf_unfolder_new(pf_unfolder **out) { return (*out = calloc(1, sizeof **out)) ? PF_OK : pf_nomem(); }

void pf_unfolder_free(pf_unfolder *unfolder) {
    if (!unfolder) return;
    PF_VEC_FREE(&unfolder->reach);
    PF_VEC_FREE(&unfolder->number);
    PF_VEC_FREE(&unfolder->member);
    PF_VEC_FREE(&unfolder->segment);
    free(unfolder);
}

/* ---- segments ---- */

static pf_err read_links(pf_unfolder *unfolder, const pf_alignment *links, uint32_t n_source, uint32_t n_target) {
    unfolder->reach.n = unfolder->number.n = unfolder->member.n = unfolder->segment.n = 0;
    PF_TRY(PF_ROOM(&unfolder->reach, n_target));
    PF_TRY(PF_ROOM(&unfolder->number, n_target));
    PF_TRY(PF_ROOM(&unfolder->member, n_source));
    for (uint32_t i = 0; i < n_target; i++) unfolder->reach.at[i] = 0;
    for (uint32_t j = 0; j < n_source; j++) unfolder->member.at[j] = UINT32_MAX;
    for (size_t at = 0; at < links->link.n;) {
        uint32_t source = links->link.at[at].source, first = links->link.at[at].target;
        while (at < links->link.n && links->link.at[at].source == source) at++;
        uint32_t end = links->link.at[at - 1].target + 1;
        unfolder->member.at[source] = first;
        if (unfolder->reach.at[first] < end) unfolder->reach.at[first] = end;
    }
    return PF_OK;
}

/* Segments begin where a source's first link is and no segment is open. */
static pf_err cut(pf_unfolder *unfolder, uint32_t n_target) {
    for (uint32_t target = 0; target < n_target; target++) {
        uint32_t end = unfolder->reach.at[target];
        if (!end) continue;
        if (!unfolder->segment.n || unfolder->segment.at[unfolder->segment.n - 1].end <= target)
            PF_TRY(PF_PUSH(&unfolder->segment, ((unfold_segment){.begin = target, .end = end})));
        unfold_segment *segment = &unfolder->segment.at[unfolder->segment.n - 1];
        if (segment->end < end) segment->end = end;
        unfolder->number.at[target] = (uint32_t)(unfolder->segment.n - 1);
    }
    return PF_OK;
}

/* From first links to segments; an unaligned word goes with the next aligned one. */
static void place_sources(pf_unfolder *unfolder, uint32_t n_source) {
    uint32_t next = (uint32_t)unfolder->segment.n - 1;
    for (uint32_t source = n_source; source--;) {
        if (unfolder->member.at[source] != UINT32_MAX) next = unfolder->number.at[unfolder->member.at[source]];
        unfolder->member.at[source] = next;
        unfold_segment *segment = &unfolder->segment.at[next];
        if (!segment->sources++) segment->last = source;
    }
}

/* A cut stays if all sources before it stand before all sources after it. Removing a cut changes nothing for the others. */
static void join(pf_unfolder *unfolder, uint32_t n_source) {
    size_t kept = 0;
    uint32_t done = 0, reach = 0; /* sources up to here, and past the last of them */
    for (size_t number = 0; number < unfolder->segment.n; number++) {
        unfold_segment segment = unfolder->segment.at[number];
        if (number && done == reach) kept++;
        if (number && done != reach) {
            unfolder->segment.at[kept].end = segment.end;
            unfolder->segment.at[kept].sources += segment.sources;
        } else unfolder->segment.at[kept] = segment;
        done += segment.sources;
        if (reach <= segment.last) reach = segment.last + 1;
    }
    unfolder->segment.n = kept + 1;
    for (uint32_t source = 0, number = 0, end = unfolder->segment.at[0].sources; source < n_source; source++) {
        if (source == end) end += unfolder->segment.at[++number].sources;
        unfolder->member.at[source] = number;
    }
}

/* `sources` becomes where a segment's words begin in the order, and after the sort where they end. */
static void sort_sources(pf_unfolder *unfolder, pf_tuples *out, uint32_t n_source) {
    uint32_t begin = 0;
    for (size_t number = 0; number < unfolder->segment.n; number++) {
        uint32_t words = unfolder->segment.at[number].sources;
        unfolder->segment.at[number].sources = begin;
        begin += words;
    }
    for (uint32_t j = 0; j < n_source; j++) out->order.at[unfolder->segment.at[unfolder->member.at[j]].sources++] = j;
    out->order.n = n_source;
}

/* ---- unaligned target words ---- */

/* p(word | tuple), the tuple having the sources order[begin..end). */
static double likelihood(const pf_unfold_options *options, const pf_tuples *tuples, uint32_t begin, uint32_t end,
                         const pf_word *word) {
    static const pf_word empty = {"", 0};
    double sum = pf_ibm1_given(options->model, &empty, word);
    for (uint32_t place = begin; place < end; place++)
        sum += pf_ibm1_given(options->model, &options->source->at[tuples->order.at[place]], word);
    sum /= end - begin + 1;
    return sum > LEAST_P ? sum : LEAST_P;
}

/* How many of the words between a segment and the next one go to it, by model 1. */
static uint32_t share(const pf_unfolder *unfolder, const pf_unfold_options *options, const pf_tuples *tuples, size_t number) {
    const unfold_segment *segment = &unfolder->segment.at[number];
    uint32_t begin = number ? segment[-1].sources : 0, best = 0;
    double gain = 0, best_gain = 0; /* ln of p with the first ones left, over p with all right */
    for (uint32_t target = segment->end; target < segment[1].begin; target++) {
        const pf_word *word = &options->target->at[target];
        gain += log(likelihood(options, tuples, begin, segment->sources, word)) - log(likelihood(options, tuples, segment->sources,
                                                                                                 segment[1].sources, word));
        if (gain < best_gain) continue;
        best_gain = gain;
        best = target + 1 - segment->end;
    }
    return best;
}

static uint32_t target_end(const pf_unfolder *unfolder, const pf_unfold_options *options, const pf_tuples *tuples, size_t number) {
    const unfold_segment *segment = &unfolder->segment.at[number];
    if (segment->end == segment[1].begin || options->unaligned == PF_UNALIGNED_RIGHT) return segment->end;
    if (options->unaligned == PF_UNALIGNED_LEFT) return segment[1].begin;
    return segment->end + share(unfolder, options, tuples, number);
}

/* ---- a pair ---- */

static pf_err one_tuple(pf_tuples *out, uint32_t n_source, uint32_t n_target) {
    for (uint32_t j = 0; j < n_source; j++) out->order.at[j] = j;
    out->order.n = n_source;
    return n_source || n_target ? PF_PUSH(&out->tuple, ((pf_tuple){n_source, n_target})) : PF_OK;
}

pf_err pf_unfold(pf_unfolder *unfolder, const pf_alignment *links, const pf_unfold_options *options, pf_tuples *out) {
    uint32_t n_source = pf_alignment_sources(links), n_target = pf_alignment_targets(links);
    PFI_CHECK(pfi_alignment_sound(links));
    assert(options->unaligned != PF_UNALIGNED_IBM1 || !links->link.n ||
           (options->model && options->source->n >= n_source && options->target->n >= n_target));
    pf_tuples_reset(out);
    PF_TRY(PF_ROOM(&out->order, n_source));
    if (!links->link.n) return one_tuple(out, n_source, n_target);
    PF_TRY(read_links(unfolder, links, n_source, n_target));
    PF_TRY(cut(unfolder, n_target));
    place_sources(unfolder, n_source);
    if (options->keep_order) join(unfolder, n_source);
    sort_sources(unfolder, out, n_source);
    PF_TRY(PF_ROOM(&out->tuple, unfolder->segment.n));
    for (size_t number = 0; number < unfolder->segment.n; number++) {
        bool last = number + 1 == unfolder->segment.n;
        out->tuple.at[out->tuple.n++] =
            (pf_tuple){unfolder->segment.at[number].sources, last ? n_target : target_end(unfolder, options, out, number)};
    }
    PFI_CHECK(pfi_tuples_sound(out));
    return PF_OK;
}

bool pf_alignment_crosses(const pf_alignment *links) {
    uint32_t before = 0; /* 1 + the last target of the sources before this one */
    for (size_t at = 0; at < links->link.n;) {
        uint32_t source = links->link.at[at].source;
        if (links->link.at[at].target + 1 < before) return true;
        while (at < links->link.n && links->link.at[at].source == source) at++;
        if (before <= links->link.at[at - 1].target) before = links->link.at[at - 1].target + 1;
    }
    return false;
}
