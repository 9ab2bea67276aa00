/* Writing alignments. Numbers are made by hand, because a corpus has a dozen links on each of a million lines. */
#include <permfst/align/format.h>

#include "align/sound.h"
#include "base/contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *put_number(char *to, uint64_t value) {
    char digits[20];
    int n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n) *to++ = digits[--n];
    return to;
}

/* The fewest digits that read as the same number. */
static char *put_real(char *to, double value) {
    int n = 0;
    for (int precision = 6; precision <= 17; precision++) {
        n = snprintf(to, 32, "%.*g", precision, value);
        if (strtod(to, NULL) == value) break;
    }
    return to + n;
}

static char *put_text(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* ---- a line a pair ---- */

static pf_err write_lengths(pf_writer *writer, const pf_alignment *links) {
    char line[64], *to = line;
    if (links->n_source == PF_UNKNOWN_LENGTH || links->n_target == PF_UNKNOWN_LENGTH)
        return pf_fail(PF_EINPUT, "the format 'lengths' needs the numbers of words of both sides, which are not known");
    to = put_number(to, links->n_source);
    *to++ = '-';
    to = put_text(put_number(to, links->n_target), links->link.n ? " ||| " : " |||");
    return pf_writer_put(writer, line, (size_t)(to - line));
}

static pf_err write_links(pf_writer *writer, const pf_alignment *links, bool marks) {
    for (size_t at = 0; at < links->link.n; at++) {
        const pf_link *link = &links->link.at[at];
        char text[96], *to = text;
        if (at) *to++ = ' ';
        to = put_number(to, link->source);
        *to++ = marks && link->possible ? 'p' : '-';
        to = put_number(to, link->target);
        if (marks && !isnan(link->posterior)) {
            *to++ = ':';
            to = put_real(to, link->posterior);
        }
        PF_TRY(pf_writer_put(writer, text, (size_t)(to - text)));
    }
    return pf_writer_put(writer, "\n", 1);
}

/* ---- naacl ---- */

static pf_err write_naacl(pf_writer *writer, const pf_alignment *links, uint64_t number) {
    for (size_t i = 0; i < links->link.n; i++) {
        const pf_link *link = &links->link.at[i];
        char text[128], *to = put_number(text, number);
        *to++ = ' ';
        to = put_number(to, (uint64_t)link->source + 1);
        *to++ = ' ';
        to = put_number(to, (uint64_t)link->target + 1);
        to = put_text(to, link->possible ? " P" : " S");
        if (!isnan(link->posterior)) {
            *to++ = ' ';
            to = put_real(to, link->posterior);
        }
        *to++ = '\n';
        PF_TRY(pf_writer_put(writer, text, (size_t)(to - text)));
    }
    return PF_OK;
}

/* ---- a3 ---- */

static pf_err write_position(pf_writer *writer, uint32_t target) {
    char text[24], *to = put_number(text, (uint64_t)target + 1);
    *to++ = ' ';
    return pf_writer_put(writer, text, (size_t)(to - text));
}

/* The target words without a link. Links are sorted by source, so the linked targets are marked first. */
static pf_err write_null(pf_writer *writer, const pf_alignment *links, uint32_t n_target) {
    unsigned char *linked = calloc((size_t)n_target + 1, 1);
    if (!linked) return pf_nomem();
    for (size_t i = 0; i < links->link.n; i++) linked[links->link.at[i].target] = 1;
    pf_err err = pf_writer_text(writer, "NULL ({ ");
    for (uint32_t i = 0; i < n_target && !err; i++)
        if (!linked[i]) err = write_position(writer, i);
    free(linked);
    return err ? err : pf_writer_put(writer, "})", 2);
}

static pf_err write_a3(pf_writer *writer, const pf_alignment *links, const pf_align_pair *pair) {
    const pf_words *source = pair->source, *target = pair->target;
    char score[40];
    if (!source || !target) return pf_fail(PF_EINPUT, "the format 'a3' needs the words of both sides, which are not known");
    if (pf_alignment_sources(links) > source->n || pf_alignment_targets(links) > target->n)
        return pf_fail(PF_EINPUT, "the alignment has %u and %u words, but the texts have %zu and %zu", pf_alignment_sources(links),
                       pf_alignment_targets(links), source->n, target->n);
    *put_real(score, isnan(links->score) ? 1 : links->score) = 0;
    PF_TRY(pf_writer_text(writer, "# Sentence pair (%llu) source length %zu target length %zu alignment score : %s\n",
                          (unsigned long long)pair->number, source->n, target->n, score));
    PF_TRY(pf_words_write(writer, target));
    PF_TRY(pf_writer_put(writer, "\n", 1));
    PF_TRY(write_null(writer, links, (uint32_t)target->n));
    for (size_t j = 0, at = 0; j < source->n; j++) {
        PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_writer_put(writer, source->at[j].at, source->at[j].n));
        PF_TRY(pf_writer_put(writer, " ({ ", 4));
        for (; at < links->link.n && links->link.at[at].source == j; at++)
            PF_TRY(write_position(writer, links->link.at[at].target));
        PF_TRY(pf_writer_put(writer, "})", 2));
    }
    return pf_writer_put(writer, "\n", 1);
}

pf_err pf_align_write(pf_writer *writer, pf_align_format format, const pf_alignment *links, const pf_align_pair *pair) {
    assert(pf_align_form_at(format) && pf_align_form_at(format)->writes);
    PFI_CHECK(pfi_alignment_sound(links));
    switch (format) {
    case PF_ALIGN_NAACL: return write_naacl(writer, links, pair->number);
    case PF_ALIGN_A3: return write_a3(writer, links, pair);
    case PF_ALIGN_LENGTHS: PF_TRY(write_lengths(writer, links)); break;
    default: break;
    }
    return write_links(writer, links, format != PF_ALIGN_PLAIN);
}

void pf_align_count_lost(pf_align_format format, const pf_alignment *links, pf_align_lost *lost) {
    const pf_align_form *form = pf_align_form_at(format);
    if (!form->posteriors) lost->posteriors += pf_alignment_posteriors(links);
    for (size_t i = 0; i < links->link.n && !form->marks; i++) lost->marks += links->link.at[i].possible;
}
