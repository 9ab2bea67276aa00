/* A line a link (Mihalcea and Pedersen 2003). One link is read ahead, because only the first link of the next pair tells that a
 * pair is complete. */
#include "align/align_impl.h"

#include <math.h>

static pf_err bad_naacl(const pf_align_reader *r, const char *line) {
    return pf_reader_fail_line(r->reader, "expected pair, source and target position, counted from 1, then optionally S or P "
                               "and a confidence from 0 to 1, found '%.60s'", line);
}

/* A number, followed by a blank or the end. */
static bool field(const char **at, uint64_t *out) {
    *at = pfi_align_skip(*at);
    return pf_digits_take(at, out) && (!**at || **at == ' ' || **at == '\t');
}

static pf_err parse_naacl(pf_align_reader *r, const char *line, size_t length) {
    const char *at = line;
    r->ahead.possible = false;
    r->ahead.posterior = NAN;
    if (!field(&at, &r->ahead.number) || !field(&at, &r->ahead.source) || !field(&at, &r->ahead.target))
        return bad_naacl(r, line);
    at = pfi_align_skip(at);
    if (*at == 'S' || *at == 'P') {
        r->ahead.possible = *at++ == 'P';
        if (*at && *at != ' ' && *at != '\t') return bad_naacl(r, line);
        at = pfi_align_skip(at);
    }
    if (*at && !pfi_align_probability(&at, &r->ahead.posterior)) return bad_naacl(r, line);
    at = pfi_align_skip(at);
    if (at != line + length) return bad_naacl(r, line);
    r->ahead.source--;
    r->ahead.target--;
    return PF_OK;
}

/* Each pair that is left out is a pair without links, which costs work and output: that may not grow without the file. */
enum { FREE_PAIRS = 1000000, PAIRS_PER_LINK = 10 };

pf_err pfi_align_naacl_gaps(const pf_align_reader *r) {
    if (!r->ahead.there || r->ahead.number == r->number || r->ahead.number - r->first <= FREE_PAIRS + PAIRS_PER_LINK * r->links) return PF_OK;
    return pf_reader_fail_line(r->reader, "pair %llu after pair %llu leaves out too many: without sentences, which say how many "
                        "pairs there are, a file of %llu links so far has at most %llu pairs",
                        (unsigned long long)r->ahead.number, (unsigned long long)r->number - 1, (unsigned long long)r->links,
                        (unsigned long long)(FREE_PAIRS + PAIRS_PER_LINK * r->links));
}

/* Reads the next link, unless one is waiting. Blank lines are skipped. */
static pf_err look_ahead(pf_align_reader *r) {
    while (!r->ahead.there && !r->ended) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(r->reader, &line, &length));
        r->ended = !line;
        if (r->ended || !*pfi_align_skip(line)) continue;
        PF_TRY(parse_naacl(r, line, length));
        r->ahead.there = true;
        r->links++;
        if (r->ahead.number < r->number)
            return pf_reader_fail_line(r->reader, "expected pair %llu or a later one, found pair %llu",
                                       (unsigned long long)r->number, (unsigned long long)r->ahead.number);
    }
    return PF_OK;
}

pf_err pfi_align_naacl(pf_align_reader *r, pf_alignment *a, bool *more) {
    PF_TRY(look_ahead(r));
    *more = r->ahead.there;
    while (r->ahead.there && r->ahead.number == r->number) {
        r->ahead.there = false;
        if (r->ahead.source == UINT64_MAX || r->ahead.target == UINT64_MAX) a->empty_word++;
        else PF_TRY(pfi_align_add(r->reader, a, r->ahead.source, r->ahead.target, r->ahead.possible, r->ahead.posterior, 1));
        PF_TRY(look_ahead(r));
    }
    return PF_OK;
}

