/* The links that break a constraint: links are taken out as long as those that remain are not reached either (Zeller's delta
 * debugging, with halves, quarters, ...). For ibm:4 a word and four that it passes over remain, for itg four links inside out. */
#include "coverage/coverage_impl.h"

#include <assert.h>

#include <string.h>

typedef struct {
    pf_coverage *coverage;
    const char *spec;
    uint64_t limit;
    pf_alignment *links, kept; /* those that remain; a copy of those before the last step */
} alignment_reducer;

/* Takes out `count` links from `at` on, if what remains is not reached either. */
static pf_err try_without(alignment_reducer *reducer, size_t at, size_t count, bool *taken) {
    pf_alignment *links = reducer->links;
    pf_reach reach;
    PF_TRY(pf_alignment_copy(links, &reducer->kept));
    memmove(links->link.at + at, links->link.at + at + count, (links->link.n - at - count) * sizeof *links->link.at);
    links->link.n -= count;
    PF_TRY(pf_coverage_take(reducer->coverage, links));
    PF_TRY(pf_coverage_reaches(reducer->coverage, reducer->spec, reducer->limit, &reach));
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

pf_err pf_coverage_why(pf_coverage *coverage, const pf_alignment *alignment, const char *spec, uint64_t limit,
                       pf_alignment *links) {
    alignment_reducer reducer = {coverage, spec, limit, links, {0}};
    assert(alignment != links);
    pf_err err = pf_alignment_copy(alignment, links);
    links->n_source = pf_alignment_sources(alignment);
    links->n_target = pf_alignment_targets(alignment);
    if (!err) err = reduce(&reducer);
    pf_alignment_free(&reducer.kept);
    return err;
}
