/* The links that break a constraint: links are taken out as long as those that remain are not reached either (Zeller's delta
 * debugging, with halves, quarters, ...). For ibm:4 a word and four that it passes over remain, for itg four links inside out. */
#include "coverage/coverage_impl.h"

#include <assert.h>

#include <string.h>

typedef struct {
    pf_coverage *coverage;
    const char *spec; /* NULL: the lattice */
    pf_fst *lattice;
    uint64_t limit;
    pf_alignment *links, kept; /* those that remain; a copy of those before the last step */
} alignment_reducer;

static pf_err ask(const alignment_reducer *reducer, pf_reach *reach) {
    return reducer->spec ? pf_coverage_reaches(reducer->coverage, reducer->spec, reducer->limit, reach)
                         : pf_coverage_lattice(reducer->coverage, reducer->lattice, reducer->limit, reach);
}

/* Takes out `count` links from `at` on, if what remains is not reached either. */
static pf_err try_without(alignment_reducer *reducer, size_t at, size_t count, bool *taken) {
    pf_alignment *links = reducer->links;
    pf_reach reach;
    PF_TRY(pf_alignment_copy(links, &reducer->kept));
    memmove(links->link.at + at, links->link.at + at + count, (links->link.n - at - count) * sizeof *links->link.at);
    links->link.n -= count;
    PF_TRY(pf_coverage_take(reducer->coverage, links));
    PF_TRY(ask(reducer, &reach));
    *taken = reach == PF_NOT_REACHED;
    return *taken ? PF_OK : pf_alignment_copy(&reducer->kept, links);
}

/* All runs of `count` links, from the last to the first; *any: was one taken out? */
static pf_err pass(alignment_reducer *reducer, size_t count, bool *any) {
    bool taken;
    *any = false;
    for (size_t end = reducer->links->link.n; end; end = end > count ? end - count : 0) {
        size_t at = end > count ? end - count : 0;
        PF_TRY(try_without(reducer, at, end - at, &taken));
        *any = *any || taken;
    }
    return PF_OK;
}

static pf_err reduce(alignment_reducer *reducer) {
    bool any;
    for (size_t n = reducer->links->link.n / 2; n > 1; n /= 2) PF_TRY(pass(reducer, n, &any));
    do PF_TRY(pass(reducer, 1, &any));
    while (any);
    return PF_OK;
}

pf_err pf_coverage_why(pf_coverage *coverage, const pf_alignment *alignment, const char *spec, pf_fst *lattice, uint64_t limit,
                       pf_alignment *links) {
    alignment_reducer reducer = {coverage, spec, lattice, limit, links, {0}};
    assert(alignment != links);
    pf_err err = pf_alignment_copy(alignment, links);
    links->n_source = pf_alignment_sources(alignment);
    links->n_target = pf_alignment_targets(alignment);
    if (!err) err = reduce(&reducer);
    pf_alignment_free(&reducer.kept);
    return err;
}

/* One after the other, from the last: few are left, because the links are few. */
pf_err pf_coverage_why_marks(pf_coverage *coverage, const char *spec, uint64_t limit, pf_marks *marks) {
    const pf_marks *all = coverage->marks;
    marks->n = 0;
    PF_TRY(PF_ROOM(marks, all->n));
    memcpy(marks->at, all->at, all->n * sizeof *marks->at);
    marks->n = all->n;
    pf_coverage_mark(coverage, marks);
    for (size_t at = marks->n; at-- > 0;) {
        pf_reach reach;
        pf_mark left_out = marks->at[at];
        memmove(marks->at + at, marks->at + at + 1, (marks->n - at - 1) * sizeof left_out);
        marks->n--;
        PF_TRY(pf_coverage_reaches(coverage, spec, limit, &reach));
        if (reach == PF_NOT_REACHED) continue;
        memmove(marks->at + at + 1, marks->at + at, (marks->n - at) * sizeof left_out);
        marks->at[at] = left_out;
        marks->n++;
    }
    return PF_OK;
}
