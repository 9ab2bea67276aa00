/* Reading ARPA files (Doug Paul's format for the ARPA language modelling tools; SRILM's ngram-format(5)).
 *
 * Lines are split in place at blanks and tabs. The n-grams of a section are kept as they come, and sorted when it ends; that
 * shows which are listed twice or lack their histories. The counts of the header are compared with what came and used for nothing
 * else. */
#include "model/ngram_impl.h"

#include <permfst/base/digits.h>
#include <permfst/base/hash.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LN10 2.30258509299404568402
#define LARGEST 1e30          /* of a number: its cost is a float, sums of costs stay finite */
#define POSITIVE 1e-4         /* a log probability up to this is a rounding error */
#define UNKNOWN_LOG10 (-100.) /* of an <unk> that is not listed, as in KenLM */

typedef struct {
    char *at;
    size_t length;
} arpa_field;

/* A word and its label. A short word is known by its bytes alone, the others being zero; for longer ones `text` is 0. */
typedef struct {
    uint64_t text;
    pf_label label; /* PF_NO_LABEL: of no word */
} arpa_word;

enum { MET = 1 << 12 };

/* N-grams on lines that follow one another without empty ones: the first of them, and its line. */
typedef struct {
    size_t first;
    uint64_t line;
} line_run;

typedef struct {
    uint64_t line; /* 0: there is none */
    char words[400];
} held_warning;

typedef struct {
    pf_reader *reader;
    pf_err (*check)(const char *word, size_t length); /* of each unigram */
    pfi_warner warner;
    pfi_trie trie;             /* it gets its nodes last */
    PF_VEC(pfi_section) sections; /* the last one is being read; all others are sorted */
    PF_VEC(line_run) lines;    /* of the last section */
    held_warning held[PFI_WARN_AFTER + 1]; /* of the last section, by kind: given in the order of lines, when it ends */
    PF_VEC(uint64_t) claimed;  /* counts of the header */
    PF_VEC(arpa_field) fields; /* of the present line */
    PF_VEC(arpa_word) recent;  /* the words of the last n-gram, by place from 1 on */
    arpa_word met[MET];        /* short words that were looked up, the last one of each hash: most words of a text are few */
    uint64_t weighed_line;     /* the first of the section with a back-off weight, 0 if none has one */
} arpa_parser;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static void warn(arpa_parser *parser, unsigned kind, const char *format, ...) PF_PRINTF(3, 4);
static void warn(arpa_parser *parser, unsigned kind, const char *format, ...) {
    char words[400];
    if (parser->warner.given >> kind & 1) return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    pfi_ngram_warn(&parser->warner, kind, pf_reader_line_number(parser->reader), "%s", words);
}

/* Keeps a warning about a line of the section, the first one of its kind. */
static void hold(arpa_parser *parser, unsigned kind, uint64_t line, const char *format, ...) PF_PRINTF(4, 5);
static void hold(arpa_parser *parser, unsigned kind, uint64_t line, const char *format, ...) {
    held_warning *held = &parser->held[kind];
    if (held->line || parser->warner.given >> kind & 1) return;
    held->line = line;
    va_list ap;
    va_start(ap, format);
    vsnprintf(held->words, sizeof held->words, format, ap);
    va_end(ap);
}

/* Gives the warnings about lines up to this one, and forgets those about later ones. */
static void release(arpa_parser *parser, uint64_t last) {
    held_warning *held = parser->held;
    for (;;) {
        unsigned next = 0;
        for (unsigned kind = 1; kind <= PFI_WARN_AFTER; kind++)
            if (held[kind].line && (!held[next].line || held[kind].line < held[next].line)) next = kind;
        if (!held[next].line || held[next].line > last) break;
        pfi_ngram_warn(&parser->warner, next, held[next].line, "%s", held[next].words);
        held[next].line = 0;
    }
    for (unsigned kind = 0; kind <= PFI_WARN_AFTER; kind++) held[kind].line = 0;
}

/* The next line that is not empty, without the blanks around it; NULL at the end. */
static pf_err next_line(arpa_parser *parser, char **line) {
    size_t n = 0;
    do {
        PF_TRY(pf_reader_line(parser->reader, line, &n));
        if (!*line) return PF_OK;
        while (n && is_blank((*line)[n - 1])) (*line)[--n] = 0;
        while (is_blank(**line)) ++*line, n--;
    } while (!n);
    if (strlen(*line) != n) return pf_reader_fail_line(parser->reader, "expected text, found a NUL byte");
    return PF_OK;
}

static pf_err expected_end(const arpa_parser *parser) {
    return pf_reader_fail_line(parser->reader, "expected \\end\\, found the end of the input; is the file truncated?");
}

/* The line after section k, or after the header (k = 0): \(k + 1)-grams: opens the next section, \end\ gives 0. */
static pf_err section_line(const arpa_parser *parser, const char *line, unsigned k, unsigned *next) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\\%u-grams:", k + 1);
    *next = strcmp(line, wanted) == 0 ? k + 1 : 0;
    if (*next || (k && strcmp(line, "\\end\\") == 0)) return PF_OK;
    return pf_reader_fail_line(parser->reader, "expected %s%s, found '%.100s'", wanted, k ? " or \\end\\" : "", line);
}

/* What stands before \data\ is not read. A file that has no such line is none of these files. */
static pf_err find_data(arpa_parser *parser) {
    char *line, first[101] = "";
    uint64_t skipped = 0; /* the number of the first line */
    for (;;) {
        PF_TRY(next_line(parser, &line));
        if (!line || strcmp(line, "\\data\\") == 0) break;
        if (skipped) continue;
        skipped = pf_reader_line_number(parser->reader);
        snprintf(first, sizeof first, "%s", line);
    }
    if (line && skipped) pfi_ngram_warn(&parser->warner, PFI_WARN_BEFORE, skipped, "expected \\data\\, skipped '%s'", first);
    if (line) return PF_OK;
    if (!skipped)
        return pf_fail(PF_EINPUT, "%s: expected \\data\\, found the end; did the command before it fail?", parser->warner.name);
    return pf_fail(PF_EINPUT,
                   "%s:%llu: expected an ARPA model, found text without a line \\data\\: '%s' (permcompile makes records of text)",
                   pf_reader_name(parser->reader), (unsigned long long)skipped, first);
}

/* "ngram 3=174840", the orders one after the other. */
static bool header_line(const char *line, uint64_t *k, uint64_t *count) {
    if (strncmp(line, "ngram", 5) != 0 || !is_blank(line[5])) return false;
    const char *at = line + 5;
    while (is_blank(*at)) at++;
    if (!pf_digits_take(&at, k)) return false;
    while (is_blank(*at)) at++;
    if (*at++ != '=') return false;
    while (is_blank(*at)) at++;
    return pf_digits_take(&at, count) && !*at;
}

static pf_err read_header(arpa_parser *parser, unsigned *next) {
    char *line;
    for (;;) {
        uint64_t k, count;
        PF_TRY(next_line(parser, &line));
        if (!line) return expected_end(parser);
        if (*line == '\\') return section_line(parser, line, 0, next);
        if (!header_line(line, &k, &count) || k != parser->claimed.n + 1)
            return pf_reader_fail_line(parser->reader, "expected 'ngram %zu=(a number)', found '%.100s'", parser->claimed.n + 1,
                                       line);
        PF_TRY(PF_PUSH(&parser->claimed, count));
    }
}

enum { DIGITS = 19 };             /* so many are less than 2^64 */
#define EXACT (UINT64_C(1) << 53) /* whole numbers up to this are doubles */

/* The value of digits * 10^exponent where both are doubles, so that one operation rounds once (Clinger 1990). False: the long
 * way must be taken. */
static bool scale(uint64_t digits, int exponent, double *out) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits > EXACT || exponent < -22 || exponent > 22) return false;
    *out = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    return true;
}

/* Appends digits to a number, and returns how many. */
static size_t take_digits(const char **at, uint64_t *digits) {
    const char *begin = *at;
    for (; pf_is_digit(**at); ++*at) *digits = *digits * 10 + (unsigned)(**at - '0');
    return (size_t)(*at - begin);
}

/* A decimal number, all of the text; no inf, nan or hexadecimal. */
static bool decimal(const char *text, double *out) {
    const char *at = text;
    uint64_t digits = 0; /* wrong where there are too many; they go the long way */
    const bool minus = *at == '-';
    if (*at == '-' || *at == '+') at++;
    size_t count = take_digits(&at, &digits), fraction = 0;
    if (*at == '.') at++, fraction = take_digits(&at, &digits);
    count += fraction;
    if (!count) return false;
    int e = -(int)fraction, exponent = 0;
    if (*at == 'e' || *at == 'E') {
        bool below = *++at == '-';
        if (*at == '-' || *at == '+') at++;
        if (!pf_is_digit(*at)) return false;
        for (; pf_is_digit(*at); at++)
            if (exponent < 10000) exponent = exponent * 10 + (*at - '0');
        e += below ? -exponent : exponent;
    }
    if (*at) return false;
    if (count <= DIGITS && scale(digits, e, out)) {
        if (minus) *out = -*out;
        return true;
    }
    char *end;
    *out = strtod(text, &end);
    return !*end;
}

/* A log10 number; -inf only where it says so. */
static pf_err log10_number(const arpa_parser *parser, const arpa_field *field, const char *what, double *out) {
    const bool named = field->at[0] == '-' && (field->at[1] == 'i' || field->at[1] == 'I');
    *out = -INFINITY;
    if (named && (strcasecmp(field->at, "-inf") == 0 || strcasecmp(field->at, "-infinity") == 0)) return PF_OK;
    if (!decimal(field->at, out))
        return pf_reader_fail_line(parser->reader, "expected %s, found '%.100s'", what, field->at);
    if (fabs(*out) > LARGEST)
        return pf_reader_fail_line(parser->reader, "expected %s, found one out of range: '%.100s'", what, field->at);
    return PF_OK;
}

static float cost_of(double log10p) { return (float)(-log10p * LN10) + 0.f; /* and no negative zero */ }

static bool ends_field(char c) { return (unsigned char)c <= ' ' && (!c || is_blank(c)); }

static pf_err split(arpa_parser *parser, char *line) {
    parser->fields.n = 0;
    for (char *at = line; *at;) {
        char *begin = at;
        while (!ends_field(*at)) at++;
        arpa_field field = {begin, (size_t)(at - begin)};
        PF_TRY(PF_PUSH(&parser->fields, field));
        while (is_blank(*at)) *at++ = 0;
    }
    return PF_OK;
}

static pfi_section *last_section(const arpa_parser *parser) { return &parser->sections.at[parser->sections.n - 1]; }

/* What is said of the n-gram whose words the last section has got. */
static pf_err enter(arpa_parser *parser, pfi_gram gram) {
    pfi_section *section = last_section(parser);
    const uint64_t line = pf_reader_line_number(parser->reader);
    const line_run *run = parser->lines.n ? &parser->lines.at[parser->lines.n - 1] : NULL;
    if (section->gram.n == UINT32_MAX - 1)
        return pf_fail(PF_ELIMIT, "the section has more than %u n-grams", UINT32_MAX - 1);
    if (!run || run->line + (section->gram.n - run->first) != line)
        PF_TRY(PF_PUSH(&parser->lines, ((line_run){section->gram.n, line})));
    return PF_PUSH(&section->gram, gram);
}

static uint64_t line_of(const arpa_parser *parser, size_t i) {
    size_t run = parser->lines.n - 1;
    while (parser->lines.at[run].first > i) run--;
    return parser->lines.at[run].line + (i - parser->lines.at[run].first);
}

static pf_err take_unigram(arpa_parser *parser, const arpa_field *field) {
    pf_err err = parser->check(field->at, field->length);
    if (err) return err == PF_EINPUT ? pf_reader_fail_line(parser->reader, "%s", pf_message()) : err;
    pf_label label, before = pf_symtab_largest(parser->trie.words);
    PF_TRY(pf_symtab_add(parser->trie.words, field->at, field->length, &label));
    if (label <= before) return pf_reader_fail_line(parser->reader, "the unigram '%.100s' is listed twice", field->at);
    return PF_PUSH(&last_section(parser)->word, (uint32_t)label);
}

static uint64_t short_text(const arpa_field *field) {
    uint64_t text = 0;
    if (field->length <= sizeof text) memcpy(&text, field->at, field->length);
    return text;
}

static pf_label label_of_short(arpa_parser *parser, uint64_t text, const arpa_field *field) {
    arpa_word *met = &parser->met[pf_hash_word(text, 0) % MET];
    if (met->text != text) *met = (arpa_word){text, pf_symtab_find(parser->trie.words, field->at, field->length)};
    return met->label;
}

/* The label of word i of an n-gram. Files are sorted by first words or by last ones, so it is mostly that of the line before. */
static pf_label label_of(arpa_parser *parser, unsigned i, const arpa_field *field) {
    const pf_symtab *words = parser->trie.words;
    arpa_word *recent = &parser->recent.at[i];
    const uint64_t text = short_text(field);
    size_t length;
    if (text) {
        if (recent->text != text) *recent = (arpa_word){text, label_of_short(parser, text, field)};
        return recent->label;
    }
    if (!recent->text && recent->label > 0) { /* labels of unigrams are numbers from 1 on */
        const char *word = pf_symtab_at(words, (size_t)recent->label - 1, &length, NULL);
        if (length == field->length && memcmp(word, field->at, length) == 0) return recent->label;
    }
    *recent = (arpa_word){0, pf_symtab_find(words, field->at, field->length)};
    return recent->label;
}

/* The words of fields 1 .. k. */
static pf_err take_words(arpa_parser *parser, unsigned k) {
    pfi_section *section = last_section(parser);
    while (parser->recent.n <= k) PF_TRY(PF_PUSH(&parser->recent, ((arpa_word){0, PF_NO_LABEL})));
    PF_TRY(PF_ROOM(&section->word, k));
    for (unsigned i = 1; i <= k; i++) {
        const arpa_field *field = &parser->fields.at[i];
        pf_label label = label_of(parser, i, field);
        if (label == PF_NO_LABEL)
            return pf_reader_fail_line(parser->reader, "'%.100s' is not among the unigrams", field->at);
        section->word.at[section->word.n + i - 1] = (uint32_t)label;
    }
    section->word.n += k;
    return PF_OK;
}

static pf_err back_weight(arpa_parser *parser, const arpa_field *field, pfi_gram *gram) {
    double weight;
    PF_TRY(log10_number(parser, field, "a back-off weight", &weight));
    if (weight > 0)
        hold(parser, PFI_WARN_BACK_POSITIVE, pf_reader_line_number(parser->reader), "the back-off weight %s is more than 0",
             field->at);
    gram->back = cost_of(weight);
    gram->flags |= PFI_WEIGHED;
    if (gram->back != 0 && !parser->weighed_line) parser->weighed_line = pf_reader_line_number(parser->reader);
    return PF_OK;
}

static pf_err read_ngram(arpa_parser *parser, unsigned k, char *line) {
    pfi_gram gram = {0, 0, PFI_LISTED};
    double log10p;
    PF_TRY(split(parser, line));
    size_t fields = parser->fields.n;
    if (fields != k + (size_t)1 && fields != k + (size_t)2)
        return pf_reader_fail_line(parser->reader,
                                   "expected a log10 probability, %u word%s and optionally a back-off weight, found %zu field%s", k,
                                   pf_plural(k), fields, pf_plural(fields));
    PF_TRY(log10_number(parser, &parser->fields.at[0], "a log10 probability", &log10p));
    if (log10p > POSITIVE)
        return pf_reader_fail_line(parser->reader, "expected a log10 probability, found %s, which is more than 0",
                                   parser->fields.at[0].at);
    if (log10p > 0) {
        hold(parser, PFI_WARN_POSITIVE, pf_reader_line_number(parser->reader),
             "the log10 probability %s is more than 0; it is taken as 0", parser->fields.at[0].at);
        log10p = 0;
    }
    gram.cost = cost_of(log10p);
    if (fields == k + (size_t)2) PF_TRY(back_weight(parser, &parser->fields.at[k + 1], &gram));
    PF_TRY(k == 1 ? take_unigram(parser, &parser->fields.at[1]) : take_words(parser, k));
    return enter(parser, gram);
}

/* What the unigrams must have, and an <unk> that they should. */
static pf_err end_unigrams(arpa_parser *parser) {
    const pf_symtab *words = parser->trie.words;
    if (!pf_symtab_count(words)) return pf_reader_fail_line(parser->reader, "expected unigrams, found none");
    if (pf_symtab_find(words, "</s>", 4) == PF_NO_LABEL)
        return pf_reader_fail_line(parser->reader, "expected </s> among the unigrams, found none: no sentence could end");
    if (pf_symtab_find(words, "<s>", 3) == PF_NO_LABEL)
        warn(parser, PFI_WARN_NO_BEGIN, "<s> is not among the unigrams; sentences begin with the empty history");
    if (pf_symtab_find(words, "<unk>", 5) != PF_NO_LABEL || pf_symtab_find(words, "<UNK>", 5) != PF_NO_LABEL)
        return PF_OK;
    warn(parser, PFI_WARN_NO_UNKNOWN, "<unk> is not among the unigrams; it gets the log10 probability %g", UNKNOWN_LOG10);
    const char unknown[] = "<unk>";
    pf_label label;
    PF_TRY(pf_symtab_add(parser->trie.words, unknown, sizeof unknown - 1, &label));
    PF_TRY(PF_PUSH(&last_section(parser)->word, (uint32_t)label));
    return enter(parser, (pfi_gram){cost_of(UNKNOWN_LOG10), 0, PFI_LISTED});
}

/* A word of the last section, by its n-gram. */
static const char *word_of(const arpa_parser *parser, const pfi_section *section, size_t i, unsigned place) {
    return pf_symtab_at(parser->trie.words, pfi_section_words(section, i)[place] - 1, NULL, NULL);
}

/* The n-gram that repeats another one on the first line that does, and before it the warnings about the lines up to there. */
static pf_err check_repeated(arpa_parser *parser, const uint32_t *came) {
    const pfi_section *section = last_section(parser);
    const unsigned k = section->length;
    size_t repeated = SIZE_MAX;
    for (size_t i = 1; i < section->gram.n; i++)
        if (came[i] > came[i - 1] && (repeated == SIZE_MAX || came[i] < came[repeated]) &&
            memcmp(pfi_section_words(section, i - 1), pfi_section_words(section, i), k * sizeof *section->word.at) == 0)
            repeated = i;
    if (repeated == SIZE_MAX) return PF_OK;
    const uint64_t line = line_of(parser, came[repeated]);
    release(parser, line);
    return pf_fail(PF_EINPUT, "%s:%llu: the %u-gram '%.100s ... %.100s' is listed twice", pf_reader_name(parser->reader),
                   (unsigned long long)line, k, word_of(parser, section, repeated, 0),
                   word_of(parser, section, repeated, k - 1));
}

/* Warns of the first line with an n-gram whose history is not listed. Its history's history is: else the section before has been
 * warned of. */
static void check_histories(arpa_parser *parser, const uint32_t *came) {
    const pfi_section *section = last_section(parser), *shorter = section - 1;
    size_t first = SIZE_MAX, at = 0;
    if (parser->warner.given >> PFI_WARN_HISTORY & 1) return;
    for (size_t i = 0; i < section->gram.n; i++)
        if (!pfi_section_reach(shorter, &at, pfi_section_words(section, i)) && (first == SIZE_MAX || came[i] < came[first]))
            first = i;
    if (first != SIZE_MAX)
        hold(parser, PFI_WARN_HISTORY, line_of(parser, came[first]),
             "an n-gram that ends in '%.100s' is listed, but its history is not",
             word_of(parser, section, first, section->length - 1));
}

/* What is known of a section of n-grams, not of words, only when it is sorted. */
static pf_err end_ngrams(arpa_parser *parser) {
    pfi_section *section = last_section(parser);
    if (!section->gram.n) return PF_OK;
    uint32_t *came = malloc(section->gram.n * sizeof *came);
    if (!came) return pf_nomem();
    pf_err err = pfi_section_sort(section, (uint32_t)pf_symtab_count(parser->trie.words), came);
    if (!err) check_histories(parser, came);
    if (!err) err = check_repeated(parser, came);
    free(came);
    return err;
}

/* The lines of a section, and the one after it. */
static pf_err read_ngrams(arpa_parser *parser, unsigned k, char **line) {
    for (;;) {
        PF_TRY(next_line(parser, line));
        if (!*line) return expected_end(parser);
        if (**line == '\\') return PF_OK;
        PF_TRY(read_ngram(parser, k, *line));
        parser->trie.count.at[k - 1]++;
    }
}

static pf_err read_section(arpa_parser *parser, unsigned k, unsigned *next) {
    char *line;
    parser->weighed_line = 0;
    parser->lines.n = 0;
    PF_TRY(PF_PUSH(&parser->trie.count, 0));
    PF_TRY(PF_PUSH(&parser->sections, ((pfi_section){.length = k})));
    pf_err err = read_ngrams(parser, k, &line);
    if (k > 1 && (!err || err == PF_EINPUT)) { /* what is wrong before the line that failed is said first */
        pf_err before = end_ngrams(parser);
        if (before) return before;
    }
    release(parser, UINT64_MAX);
    PF_TRY(err);
    PF_TRY(section_line(parser, line, k, next));
    uint64_t claimed = k <= parser->claimed.n ? parser->claimed.at[k - 1] : 0, count = parser->trie.count.at[k - 1];
    if (k > parser->claimed.n || claimed != count)
        warn(parser, PFI_WARN_COUNT, "the header says %llu %u-grams, but the section has %llu", (unsigned long long)claimed, k,
             (unsigned long long)count);
    return k == 1 ? end_unigrams(parser) : PF_OK;
}

/* Everything is read, so that the length and the checksum of gzip data are compared. */
static pf_err skip_rest(arpa_parser *parser) {
    size_t n;
    for (char *line;;) {
        PF_TRY(pf_reader_line(parser->reader, &line, &n));
        if (!line) return PF_OK;
        if (n) warn(parser, PFI_WARN_AFTER, "expected the end of the file after \\end\\, skipped '%.100s'", line);
    }
}

static pf_err read_file(arpa_parser *parser) {
    unsigned order = 0, next;
    PF_TRY(pf_symtab_new("words", &parser->trie.words));
    PF_TRY(find_data(parser));
    PF_TRY(read_header(parser, &next));
    do PF_TRY(read_section(parser, order = next, &next));
    while (next);
    PF_TRY(skip_rest(parser));
    if (parser->claimed.n > order)
        warn(parser, PFI_WARN_COUNT, "the header has %zu-grams, but the file ends after the %u-grams", parser->claimed.n, order);
    if (parser->weighed_line)
        pfi_ngram_warn(&parser->warner, PFI_WARN_BACK_HIGHEST, parser->weighed_line,
                       "back-off weights on n-grams of the highest order are not used");
    return PF_OK;
}

static pf_err any_word(const char *word, size_t length) {
    (void)word;
    (void)length;
    return PF_OK;
}

pf_err pf_ngram_read_arpa(pf_reader *reader, pf_warn to_warn, void *warn_to, pf_model *out) {
    return pf_ngram_read_arpa_of(reader, any_word, to_warn, warn_to, out);
}

pf_err pf_ngram_read_arpa_of(pf_reader *reader, pf_err (*check)(const char *word, size_t length), pf_warn to_warn, void *warn_to,
                             pf_model *out) {
    arpa_parser parser = {.reader = reader, .check = check, .warner = {pf_reader_name(reader), to_warn, warn_to, 0}};
    pfi_ngram *model = NULL;
    pf_err err = read_file(&parser);
    if (!err) err = pfi_trie_make(parser.sections.at, parser.sections.n, &parser.trie);
    if (!err) err = pfi_ngram_build(&parser.trie, &parser.warner, &model);
    pfi_trie_free(&parser.trie);
    for (size_t k = 0; k < parser.sections.n; k++) pfi_section_free(&parser.sections.at[k]);
    PF_VEC_FREE(&parser.sections);
    PF_VEC_FREE(&parser.lines);
    PF_VEC_FREE(&parser.claimed);
    PF_VEC_FREE(&parser.fields);
    PF_VEC_FREE(&parser.recent);
    if (!err) *out = (pf_model){&pf_ngram_class, model};
    return err;
}
