/* CoNLL-U: a word a line in ten columns separated by tabs, sentences separated by empty lines. The lines of a sentence are kept as
 * they are, for the writer of reordered sentences; the words point into this copy. O(bytes). */
#include "tree/tree_impl.h"

#include <permfst/base/digits.h>
#include <permfst/base/vec.h>
#include <permfst/machine/fst.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 10, ID = 0, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL };
enum { SENTENCE_LIMIT = 1 << 28 }; /* bytes */

typedef struct {
    size_t begin;    /* of its line in the text */
    unsigned head;   /* 0: the top */
    uint64_t number; /* of its line in the file */
} conllu_word;

typedef struct {
    pf_reader *reader;
    pf_tree_punctuation punctuation;
    PF_VEC(char) text;
    PF_VEC(conllu_word) words;
    uint64_t begin; /* the line where the sentence begins */
    size_t id, id_length; /* of the sentence, in the text; a length of 0: none */
} conllu;

static pf_err open_conllu(pf_reader *reader, pf_tree_punctuation punctuation, void **self) {
    conllu *bank = *self = calloc(1, sizeof *bank);
    if (!bank) return pf_nomem();
    bank->reader = reader;
    bank->punctuation = punctuation;
    return PF_OK;
}

static void free_conllu(void *self) {
    conllu *bank = self;
    PF_VEC_FREE(&bank->text);
    PF_VEC_FREE(&bank->words);
    free(bank);
}

static pf_err fail_at(const conllu *bank, uint64_t line, const char *format, ...) PF_PRINTF(3, 4);
static pf_err fail_at(const conllu *bank, uint64_t line, const char *format, ...) {
    char words[400], id[100] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    if (bank->id_length) snprintf(id, sizeof id, "sentence %.*s: ", bank->id_length < 80 ? (int)bank->id_length : 80,
                                  bank->text.at + bank->id);
    return pf_fail(PF_EINPUT, "%s:%llu: %s%s", pf_reader_name(bank->reader), (unsigned long long)line, id, words);
}

/* ---- lines ---- */

/* The columns of a line of `length` bytes: their begins, and one past the end. False: there are not ten. */
static bool split(const char *line, size_t length, size_t *column) {
    size_t columns = 0;
    column[columns++] = 0;
    for (const char *at = line; (at = memchr(at, '\t', length - (size_t)(at - line))); at++)
        if (columns == COLUMNS) return false;
        else column[columns++] = (size_t)(at - line) + 1;
    column[columns] = length + 1;
    return columns == COLUMNS;
}

static int shown(size_t n) { return n < 40 ? (int)n : 40; }

/* Is it the number of a range or of an empty node: digits, then '-' or '.' with digits? */
static bool is_extra(const char *id, size_t n) {
    uint64_t number;
    size_t digits = strspn(id, "0123456789");
    return digits && digits + 1 < n && (id[digits] == '-' || id[digits] == '.') &&
           pf_digits(id + digits + 1, n - digits - 1, &number);
}

static pf_err take_word(conllu *bank, const char *line, size_t length) {
    size_t column[COLUMNS + 1];
    uint64_t id, head, number = pf_reader_line_number(bank->reader);
    if (!split(line, length, column)) return fail_at(bank, number, "expected ten columns separated by tabs");
    size_t width = column[1] - column[0] - 1;
    if (is_extra(line, width)) return PF_OK;
    if (!pf_digits(line, width, &id) || id != bank->words.n + 1)
        return fail_at(bank, number, "expected word number %zu, found '%.*s'", bank->words.n + 1, shown(width), line);
    if (id > PF_MAX_WORDS) return fail_at(bank, number, "a sentence has at most %u words, found more", PF_MAX_WORDS);
    const char *text = line + column[HEAD];
    width = column[HEAD + 1] - column[HEAD] - 1;
    if (!pf_digits(text, width, &head))
        return fail_at(bank, number, "expected the number of a word, or 0, as HEAD, found '%.*s'", shown(width), text);
    conllu_word word = {bank->text.n, head > PF_MAX_WORDS ? PF_MAX_WORDS + 1 : (unsigned)head, number};
    return PF_PUSH(&bank->words, word);
}

static void take_comment(conllu *bank, const char *line, size_t length) {
    static const char key[] = "# sent_id = ";
    if (length < sizeof key - 1 || memcmp(line, key, sizeof key - 1) != 0) return;
    bank->id = bank->text.n + sizeof key - 1;
    bank->id_length = length - (sizeof key - 1);
}

static pf_err keep_line(conllu *bank, const char *line, size_t length) {
    if (bank->text.n + length > SENTENCE_LIMIT)
        return fail_at(bank, pf_reader_line_number(bank->reader), "a sentence has more than %d bytes", SENTENCE_LIMIT);
    PF_TRY(PF_ROOM(&bank->text, length + 2));
    memcpy(bank->text.at + bank->text.n, line, length);
    bank->text.n += length;
    bank->text.at[bank->text.n++] = '\n';
    bank->text.at[bank->text.n] = 0;
    return PF_OK;
}

static pf_err take_line(conllu *bank, const char *line, size_t length) {
    uint64_t number = pf_reader_line_number(bank->reader);
    if (memchr(line, 0, length)) return fail_at(bank, number, "expected text, found a NUL byte");
    if (*line == '#') take_comment(bank, line, length);
    else PF_TRY(take_word(bank, line, length));
    return keep_line(bank, line, length);
}

static bool blank(const char *line, size_t length) { return strspn(line, " \t") == length; }

/* Reads the lines of a sentence, and all of them also where one is wrong. *there: there is a sentence. */
static pf_err read_lines(conllu *bank, bool *there) {
    char kept[600];
    pf_err wrong = PF_OK;
    bank->text.n = bank->words.n = bank->id_length = 0;
    *there = false;
    for (;;) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(bank->reader, &line, &length));
        if (line && blank(line, length) && !*there) continue;
        if (!line || blank(line, length)) break;
        if (!*there) bank->begin = pf_reader_line_number(bank->reader);
        *there = true;
        if (wrong) continue;
        wrong = take_line(bank, line, length);
        if (wrong != PF_OK && wrong != PF_EINPUT) return wrong;
        if (wrong) snprintf(kept, sizeof kept, "%s", pf_message());
    }
    if (wrong) return pf_fail(wrong, "%s", kept);
    if (*there && !bank->words.n) return fail_at(bank, bank->begin, "expected the words of a sentence, found none");
    return PF_OK;
}

/* ---- words ---- */

/* Does FEATS have KEY=VALUE, VALUE alone or among others separated by commas? An empty value stands for any. */
static bool has(const char *feats, const char *key, const char *value) {
    size_t n = strlen(key), wanted = strlen(value);
    for (const char *at = feats; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        if (strncmp(at, key, n) != 0 || at[n] != '=') continue;
        if (!wanted) return true;
        for (const char *item = at + n + 1; *item && *item != '|';) {
            size_t length = strcspn(item, ",|");
            if (length == wanted && memcmp(item, value, length) == 0) return true;
            item += length + (item[length] == ',');
        }
    }
    return false;
}

static unsigned features_of(const pf_tree_word *word) {
    bool verb = strcmp(word->upos, "VERB") == 0 || strcmp(word->upos, "AUX") == 0;
    unsigned features = verb ? PF_WORD_VERB : 0;
    if (verb && (has(word->feats, "Mood", "") || has(word->feats, "VerbForm", "Fin"))) features |= PF_WORD_FINITE;
    if (strcmp(word->upos, "PART") == 0) features |= PF_WORD_PARTICLE;
    if (has(word->feats, "PronType", "Rel") || has(word->feats, "PronType", "Int")) features |= PF_WORD_RELATIVE;
    if (has(word->feats, "Polarity", "Neg")) features |= PF_WORD_NEGATIVE;
    return features;
}

static pf_err set_word(pf_tree *tree, const char *line, pf_tree_word *word) {
    static const size_t place[] = {offsetof(pf_tree_word, form),   offsetof(pf_tree_word, lemma), offsetof(pf_tree_word, upos),
                                   offsetof(pf_tree_word, xpos),   offsetof(pf_tree_word, feats), 0,
                                   offsetof(pf_tree_word, relation)};
    size_t column[COLUMNS + 1];
    bool good = split(line, strcspn(line, "\n"), column);
    assert(good);
    (void)good;
    for (size_t i = FORM; i <= DEPREL; i++) {
        if (i == HEAD) continue;
        const char *text = pfi_tree_text(tree, line + column[i], column[i + 1] - column[i] - 1);
        if (!text) return pf_nomem();
        *(const char **)(void *)((char *)word + place[i - 1]) = text;
    }
    word->features = features_of(word);
    return PF_OK;
}

static bool is_mark(const conllu *bank, const pf_tree_word *word) {
    return bank->punctuation == PF_TREE_SKIP && strcmp(word->upos, "PUNCT") == 0;
}

/* The nearest word above that stays in the tree. Of a cycle of marks there is none: its words are marks that lead nowhere. */
static int32_t above(const conllu *bank, const pfi_tree_draft *draft, unsigned head) {
    for (size_t step = 0; head && step <= bank->words.n; step++) {
        if (!is_mark(bank, &draft->tree->word[head - 1])) return (int32_t)head - 1;
        head = bank->words.at[head - 1].head;
    }
    return PFI_HEAD_TOP;
}

static pf_err check_heads(const conllu *bank) {
    for (size_t word = 0; word < bank->words.n; word++)
        if (bank->words.at[word].head > bank->words.n)
            return fail_at(bank, bank->words.at[word].number, "HEAD is word %u, but the sentence has %zu words",
                           bank->words.at[word].head, bank->words.n);
    return PF_OK;
}

/* `met` has a number for each word: the word from which it was met first on a way up. */
static pf_err check_cycle(const conllu *bank, uint32_t *met) {
    for (size_t j = 0; j < bank->words.n; j++) met[j] = 0;
    for (size_t word = 0; word < bank->words.n; word++) {
        size_t at = word + 1;
        for (; at && !met[at - 1]; at = bank->words.at[at - 1].head) met[at - 1] = (uint32_t)word + 1;
        if (at && met[at - 1] == word + 1)
            return fail_at(bank, bank->words.at[at - 1].number, "word %zu is its own ancestor: its heads form a cycle", at);
    }
    return PF_OK;
}

static pf_err set_words(const conllu *bank, pfi_tree_draft *draft) {
    pf_tree *tree = draft->tree;
    tree->line = bank->begin;
    tree->source = pfi_tree_text(tree, bank->text.at, bank->text.n);
    tree->id = pfi_tree_text(tree, bank->id_length ? bank->text.at + bank->id : "", bank->id_length);
    if (!tree->source || !tree->id) return pf_nomem();
    for (unsigned j = 0; j < tree->n; j++) PF_TRY(set_word(tree, bank->text.at + bank->words.at[j].begin, &tree->word[j]));
    PF_TRY(check_heads(bank));
    PF_TRY(check_cycle(bank, draft->unit));
    for (unsigned word = 0; word < tree->n; word++) {
        draft->unit[word] = word;
        draft->head[word] = is_mark(bank, &tree->word[word]) ? PFI_HEAD_MARK : above(bank, draft, bank->words.at[word].head);
    }
    return PF_OK;
}

static pf_err next_conllu(void *self, pf_tree **out, bool *broken) {
    conllu *bank = self;
    pfi_tree_draft draft;
    bool there;
    (void)broken;
    PF_TRY(read_lines(bank, &there));
    if (!there) return PF_OK;
    PF_TRY(pfi_tree_draft_new((unsigned)bank->words.n, &draft));
    pf_err err = set_words(bank, &draft);
    if (!err) err = pfi_tree_finish(&draft, out);
    pfi_tree_draft_free(&draft);
    return err;
}

const pfi_tree_format pfi_conllu = {open_conllu, next_conllu, free_conllu};
