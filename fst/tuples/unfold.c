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

void pf_unfolder_free(pf_unfolder *u) {
    if (!u) return;
    PF_VEC_FREE(&u->reach);
    PF_VEC_FREE(&u->number);
    PF_VEC_FREE(&u->member);
    PF_VEC_FREE(&u->segment);
    free(u);
}

/* ---- segments ---- */

static pf_err read_links(pf_unfolder *u, const pf_alignment *a, uint32_t n_source, uint32_t n_target) {
    u->reach.n = u->number.n = u->member.n = u->segment.n = 0;
    PF_TRY(PF_ROOM(&u->reach, n_target));
    PF_TRY(PF_ROOM(&u->number, n_target));
    PF_TRY(PF_ROOM(&u->member, n_source));
    for (uint32_t i = 0; i < n_target; i++) u->reach.at[i] = 0;
    for (uint32_t j = 0; j < n_source; j++) u->member.at[j] = UINT32_MAX;
    for (size_t k = 0; k < a->link.n;) {
        uint32_t j = a->link.at[k].source, first = a->link.at[k].target;
        while (k < a->link.n && a->link.at[k].source == j) k++;
        uint32_t end = a->link.at[k - 1].target + 1;
        u->member.at[j] = first;
        if (u->reach.at[first] < end) u->reach.at[first] = end;
    }
    return PF_OK;
}

/* Segments begin where a source's first link is and no segment is open. */
static pf_err cut(pf_unfolder *u, uint32_t n_target) {
    for (uint32_t i = 0; i < n_target; i++) {
        uint32_t end = u->reach.at[i];
        if (!end) continue;
        if (!u->segment.n || u->segment.at[u->segment.n - 1].end <= i)
            PF_TRY(PF_PUSH(&u->segment, ((unfold_segment){.begin = i, .end = end})));
        unfold_segment *s = &u->segment.at[u->segment.n - 1];
        if (s->end < end) s->end = end;
        u->number.at[i] = (uint32_t)(u->segment.n - 1);
    }
    return PF_OK;
}

/* From first links to segments; an unaligned word goes with the next aligned one. */
static void place_sources(pf_unfolder *u, uint32_t n_source) {
    uint32_t next = (uint32_t)u->segment.n - 1;
    for (uint32_t j = n_source; j--;) {
        if (u->member.at[j] != UINT32_MAX) next = u->number.at[u->member.at[j]];
        u->member.at[j] = next;
        unfold_segment *s = &u->segment.at[next];
        if (!s->sources++) s->last = j;
    }
}

/* A cut stays if all sources before it stand before all sources after it. Removing a cut changes nothing for the others. */
static void join(pf_unfolder *u, uint32_t n_source) {
    size_t m = 0;
    uint32_t done = 0, reach = 0; /* sources up to here, and past the last of them */
    for (size_t k = 0; k < u->segment.n; k++) {
        unfold_segment s = u->segment.at[k];
        if (k && done == reach) m++;
        if (k && done != reach) {
            u->segment.at[m].end = s.end;
            u->segment.at[m].sources += s.sources;
        } else u->segment.at[m] = s;
        done += s.sources;
        if (reach <= s.last) reach = s.last + 1;
    }
    u->segment.n = m + 1;
    for (uint32_t j = 0, k = 0, end = u->segment.at[0].sources; j < n_source; j++) {
        if (j == end) end += u->segment.at[++k].sources;
        u->member.at[j] = k;
    }
}

/* `sources` becomes where a segment's words begin in the order, and after the sort where they end. */
static void sort_sources(pf_unfolder *u, pf_tuples *out, uint32_t n_source) {
    uint32_t begin = 0;
    for (size_t k = 0; k < u->segment.n; k++) {
        uint32_t n = u->segment.at[k].sources;
        u->segment.at[k].sources = begin;
        begin += n;
    }
    for (uint32_t j = 0; j < n_source; j++) out->order.at[u->segment.at[u->member.at[j]].sources++] = j;
    out->order.n = n_source;
}

/* ---- unaligned target words ---- */

/* p(e | tuple), the tuple having the sources order[begin..end). */
static double likelihood(const pf_unfold_options *o, const pf_tuples *t, uint32_t begin, uint32_t end, const pf_word *e) {
    static const pf_word empty = {"", 0};
    double sum = pf_ibm1_given(o->model, &empty, e);
    for (uint32_t p = begin; p < end; p++) sum += pf_ibm1_given(o->model, &o->source->at[t->order.at[p]], e);
    sum /= end - begin + 1;
    return sum > LEAST_P ? sum : LEAST_P;
}

/* How many of the words between segments k and k + 1 go to k, by model 1. */
static uint32_t share(const pf_unfolder *u, const pf_unfold_options *o, const pf_tuples *t, size_t k) {
    const unfold_segment *s = &u->segment.at[k];
    uint32_t begin = k ? s[-1].sources : 0, best = 0;
    double gain = 0, best_gain = 0; /* ln of p with the first ones left, over p with all right */
    for (uint32_t i = s->end; i < s[1].begin; i++) {
        const pf_word *e = &o->target->at[i];
        gain += log(likelihood(o, t, begin, s->sources, e)) - log(likelihood(o, t, s->sources, s[1].sources, e));
        if (gain < best_gain) continue;
        best_gain = gain;
        best = i + 1 - s->end;
    }
    return best;
}

static uint32_t target_end(const pf_unfolder *u, const pf_unfold_options *o, const pf_tuples *t, size_t k) {
    const unfold_segment *s = &u->segment.at[k];
    if (s->end == s[1].begin || o->unaligned == PF_UNALIGNED_RIGHT) return s->end;
    if (o->unaligned == PF_UNALIGNED_LEFT) return s[1].begin;
    return s->end + share(u, o, t, k);
}

/* ---- a pair ---- */

static pf_err one_tuple(pf_tuples *out, uint32_t n_source, uint32_t n_target) {
    for (uint32_t j = 0; j < n_source; j++) out->order.at[j] = j;
    out->order.n = n_source;
    return n_source || n_target ? PF_PUSH(&out->tuple, ((pf_tuple){n_source, n_target})) : PF_OK;
}

pf_err pf_unfold(pf_unfolder *u, const pf_alignment *a, const pf_unfold_options *options, pf_tuples *out) {
    uint32_t n_source = pf_alignment_sources(a), n_target = pf_alignment_targets(a);
    PFI_CHECK(pfi_alignment_sound(a));
    assert(options->unaligned != PF_UNALIGNED_IBM1 || !a->link.n ||
           (options->model && options->source->n >= n_source && options->target->n >= n_target));
    pf_tuples_reset(out);
    PF_TRY(PF_ROOM(&out->order, n_source));
    if (!a->link.n) return one_tuple(out, n_source, n_target);
    PF_TRY(read_links(u, a, n_source, n_target));
    PF_TRY(cut(u, n_target));
    place_sources(u, n_source);
    if (options->keep_order) join(u, n_source);
    sort_sources(u, out, n_source);
    PF_TRY(PF_ROOM(&out->tuple, u->segment.n));
    for (size_t k = 0; k < u->segment.n; k++) {
        bool last = k + 1 == u->segment.n;
        out->tuple.at[out->tuple.n++] = (pf_tuple){u->segment.at[k].sources, last ? n_target : target_end(u, options, out, k)};
    }
    PFI_CHECK(pfi_tuples_sound(out));
    return PF_OK;
}

bool pf_alignment_crosses(const pf_alignment *a) {
    uint32_t before = 0; /* 1 + the last target of the sources before this one */
    for (size_t k = 0; k < a->link.n;) {
        uint32_t j = a->link.at[k].source;
        if (a->link.at[k].target + 1 < before) return true;
        while (k < a->link.n && a->link.at[k].source == j) k++;
        if (before <= a->link.at[k - 1].target) before = a->link.at[k - 1].target + 1;
    }
    return false;
}
