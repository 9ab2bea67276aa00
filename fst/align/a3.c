/* GIZA++'s A3.final (Och and Ney 2003): three lines a pair.
 *
 *   # Sentence pair (1) source length 2 target length 3 alignment score : 0.001
 *   das ist gut
 *   NULL ({ }) that ({ 1 }) suits ({ 2 3 })
 *
 * The words of the third line are the sources, those of the second the targets; numbers are target positions from 1. A word
 * may look like a bracket, so what a token is follows from its place. */
#include "align/align_impl.h"

#include <permfst/permute/input.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t number;
    uint32_t n_source, n_target; /* PF_UNKNOWN_LENGTH: not said */
    double score;
} a3_heading;

static bool is(const pf_word *w, const char *text) { return w->n == strlen(text) && memcmp(w->at, text, w->n) == 0; }

/* The number after `name`, if the heading has it; PF_MAX_WORDS + 1 for larger numbers. */
static uint32_t named_length(const char *line, const char *name) {
    const char *at = strstr(line, name);
    uint64_t x;
    if (!at) return PF_UNKNOWN_LENGTH;
    at = pfi_align_skip(at + strlen(name));
    return pf_digits_take(&at, &x) ? (uint32_t)(x <= PF_MAX_WORDS ? x : PF_MAX_WORDS + 1) : PF_UNKNOWN_LENGTH;
}

static double named_score(const char *line) {
    const char *at = strstr(line, "alignment score :");
    char *end;
    if (!at) return NAN;
    at = pfi_align_skip(at + strlen("alignment score :"));
    double score = strtod(at, &end);
    return end == at || !isfinite(score) ? NAN : score;
}

static pf_err read_heading(const pf_align_reader *r, const char *line, size_t length, a3_heading *h) {
    static const char begin[] = "# Sentence pair (";
    const char *at = line + sizeof begin - 1;
    bool begins = strncmp(line, begin, sizeof begin - 1) == 0;
    if (!begins || !pf_digits_take(&at, &h->number) || *at != ')' || strlen(line) != length)
        return pf_reader_fail_line(r->reader, "expected '# Sentence pair (%llu) ...', found '%.60s'",
                                   (unsigned long long)r->number, line);
    if (h->number != r->number)
        return pf_reader_fail_line(r->reader, "expected sentence pair %llu, found %llu", (unsigned long long)r->number,
                                   (unsigned long long)h->number);
    h->n_source = named_length(line, "source length");
    h->n_target = named_length(line, "target length");
    h->score = named_score(line);
    return PF_OK;
}

/* Another of the three lines of a pair. */
static pf_err read_line(const pf_align_reader *r, const char *what, char **line, size_t *length) {
    PF_TRY(pf_reader_line(r->reader, line, length));
    if (*line) return PF_OK;
    return pf_reader_fail_line(r->reader, "expected the %s of sentence pair %llu after this line, found the end", what,
                               (unsigned long long)r->number);
}

/* The line is copied, because the next one overwrites it in the reader. */
static pf_err read_target(pf_align_reader *r) {
    char *line;
    size_t length;
    PF_TRY(read_line(r, "target words", &line, &length));
    r->target_line.n = 0;
    PF_TRY(PF_ROOM(&r->target_line, length + 1));
    memcpy(r->target_line.at, line, length + 1);
    return pf_words_split(r->reader, r->target_line.at, length, &r->target);
}

static pf_err check_length(const pf_align_reader *r, const char *what, size_t n, uint32_t said, uint32_t *length) {
    if (said != PF_UNKNOWN_LENGTH && said != n)
        return pf_reader_fail_line(r->reader, "expected a %s of %s%u words, as the first line of the pair says, found %zu", what,
                                   said > PF_MAX_WORDS ? "more than " : "", said > PF_MAX_WORDS ? PF_MAX_WORDS : said, n);
    return pfi_align_length(r->reader, what, (uint32_t)n, length);
}

static pf_err read_position(const pf_align_reader *r, const pf_word *w, size_t source, pf_alignment *a) {
    const char *at = w->at;
    uint64_t target;
    if (!pf_digits_take(&at, &target) || at != w->at + w->n || !target)
        return pf_reader_fail_line(r->reader, "expected a target position or '})' after source word %zu, found '%.*s'",
                                   source, (int)(w->n < 40 ? w->n : 40), w->at);
    if (source) return pfi_align_add(r->reader, a, source - 1, target - 1, false, NAN, 1);
    if (target <= a->n_target) return PF_OK;
    return pf_reader_fail_line(r->reader, "NULL with target word %.*s is past the end: the target has %u words",
                               (int)(w->n < 40 ? w->n : 40), w->at, a->n_target);
}

/* "word ({ 1 3 })" from token *i on; the word is source `source`, 0 for NULL. */
static pf_err read_group(pf_align_reader *r, size_t *i, size_t source, pf_alignment *a) {
    const pf_words *t = &r->words;
    if (!source && !is(&t->at[*i], "NULL"))
        return pf_reader_fail_line(r->reader, "expected NULL ({ ... }) before the source words");
    if (source) PF_TRY(PF_PUSH(&r->source, t->at[*i]));
    if (++*i == t->n || !is(&t->at[*i], "({"))
        return pf_reader_fail_line(r->reader, "expected '({' after source word %zu", source);
    while (++*i < t->n && !is(&t->at[*i], "})")) PF_TRY(read_position(r, &t->at[*i], source, a));
    if (*i == t->n)
        return pf_reader_fail_line(r->reader, "expected '})' after source word %zu, found the end of the line", source);
    ++*i;
    return PF_OK;
}

static pf_err read_source(pf_align_reader *r, pf_alignment *a) {
    char *line;
    size_t length, i = 0, n = 0;
    PF_TRY(read_line(r, "alignment", &line, &length));
    PF_TRY(pf_words_split(r->reader, line, length, &r->words));
    r->source.n = 0;
    do {
        if (i == r->words.n) return pf_reader_fail_line(r->reader, "expected NULL ({ ... }) and the source words");
        PF_TRY(read_group(r, &i, n++, a));
    } while (i < r->words.n);
    return PF_OK;
}

pf_err pfi_align_a3(pf_align_reader *r, pf_alignment *a, bool *more) {
    a3_heading h = {0};
    char *line;
    size_t length;
    PF_TRY(pf_reader_line(r->reader, &line, &length));
    *more = line != NULL;
    if (!line) return PF_OK;
    PF_TRY(read_heading(r, line, length, &h));
    PF_TRY(read_target(r));
    PF_TRY(check_length(r, "target", r->target.n, h.n_target, &a->n_target));
    PF_TRY(read_source(r, a));
    PF_TRY(check_length(r, "source", r->source.n, h.n_source, &a->n_source));
    a->score = h.score;
    return PF_OK;
}
