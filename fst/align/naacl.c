/* A line a link (Mihalcea and Pedersen 2003). One link is read ahead, because only the first link of the next pair tells that a
 * pair is complete. */
#include "align/align_impl.h"

#include <math.h>

static pf_err bad_naacl(const pf_align_reader *reader, const char *line) {
    return pf_reader_fail_line(reader->reader, "expected pair, source and target position, counted from 1, then optionally S or P "
                               "and a confidence from 0 to 1, found '%.60s'", line);
}

/* A number, followed by a blank or the end. */
static bool field(const char **at, uint64_t *out) {
    *at = pfi_align_skip(*at);
    return pf_digits_take(at, out) && (!**at || **at == ' ' || **at == '\t');
}

static pf_err parse_naacl(pf_align_reader *reader, const char *line, size_t length) {
    const char *at = line;
    reader->ahead.possible = false;
    reader->ahead.posterior = NAN;
    if (!field(&at, &reader->ahead.number) || !field(&at, &reader->ahead.source) || !field(&at, &reader->ahead.target))
        return bad_naacl(reader, line);
    at = pfi_align_skip(at);
    if (*at == 'S' || *at == 'P') {
        reader->ahead.possible = *at++ == 'P';
        if (*at && *at != ' ' && *at != '\t') return bad_naacl(reader, line);
        at = pfi_align_skip(at);
    }
    if (*at && !pfi_align_probability(&at, &reader->ahead.posterior)) return bad_naacl(reader, line);
    at = pfi_align_skip(at);
    if (at != line + length) return bad_naacl(reader, line);
    reader->ahead.source--;
    reader->ahead.target--;
    return PF_OK;
}

/* Each pair that is left out is a pair without links, which costs work and output: that may not grow without the file. */
enum { FREE_PAIRS = 1000000, PAIRS_PER_LINK = 10 };

pf_err pfi_align_naacl_gaps(const pf_align_reader *reader) {
    const uint64_t justified = FREE_PAIRS + PAIRS_PER_LINK * reader->links;
    if (!reader->ahead.there || reader->ahead.number == reader->number || reader->ahead.number - reader->first <= justified)
        return PF_OK;
    return pf_reader_fail_line(reader->reader,
        "pair %llu after pair %llu leaves out too many: without sentences, which say how many "
        "pairs there are, a file of %llu links so far has at most %llu pairs",
        (unsigned long long)reader->ahead.number, (unsigned long long)reader->number - 1, (unsigned long long)reader->links,
        (unsigned long long)justified);
}

/* Reads the next link, unless one is waiting. Blank lines are skipped. */
static pf_err look_ahead(pf_align_reader *reader) {
    while (!reader->ahead.there && !reader->ended) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(reader->reader, &line, &length));
        reader->ended = !line;
        if (reader->ended || !*pfi_align_skip(line)) continue;
        PF_TRY(parse_naacl(reader, line, length));
        reader->ahead.there = true;
        reader->links++;
        if (reader->ahead.number < reader->number)
            return pf_reader_fail_line(reader->reader, "expected pair %llu or a later one, found pair %llu",
                                       (unsigned long long)reader->number, (unsigned long long)reader->ahead.number);
    }
    return PF_OK;
}

pf_err pfi_align_naacl(pf_align_reader *reader, pf_alignment *links, bool *more) {
    PF_TRY(look_ahead(reader));
    *more = reader->ahead.there;
    while (reader->ahead.there && reader->ahead.number == reader->number) {
        reader->ahead.there = false;
        if (reader->ahead.source == UINT64_MAX || reader->ahead.target == UINT64_MAX) links->empty_word++;
        else PF_TRY(pfi_align_add(reader->reader, links, reader->ahead.source, reader->ahead.target, reader->ahead.possible,
                                  reader->ahead.posterior, 1));
        PF_TRY(look_ahead(reader));
    }
    return PF_OK;
}

