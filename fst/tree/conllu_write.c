/* CoNLL-U in a new order: the lines of the sentence as they were, with new numbers. */
#include <permfst/tree/write.h>

#include <permfst/base/digits.h>
#include <permfst/base/vec.h>

#include <stdlib.h>
#include <string.h>

enum { ID, FORM, HEAD = 6, DEPREL, DEPS, MISC, COLUMNS };

/* A part of the sentence's text. */
typedef struct {
    const char *at;
    size_t n;
} slice;

typedef struct {
    slice column[COLUMNS];
} row;

typedef struct {
    const pf_tree *tree;
    const unsigned *perm;
    unsigned *place; /* of each word: where it stands now */
    row *word;       /* of each word */
    PF_VEC(row) extra; /* ranges and empty nodes */
    pf_writer *writer;
} rewriter;

static bool equal(slice s, const char *text) { return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0; }
static pf_err put(rewriter *w, slice s) { return pf_writer_put(w->writer, s.at, s.n); }

/* The first `n` bytes of a slice, and what follows them. */
static slice head_of(slice s, size_t n) { return (slice){s.at, n}; }
static slice tail_of(slice s, size_t n) { return (slice){s.at + n, s.n - n}; }

static size_t digits_of(slice s) {
    size_t n = 0;
    while (n < s.n && pf_is_digit(s.at[n])) n++;
    return n;
}

static uint64_t number_of(slice s) {
    uint64_t number = 0;
    pf_digits(s.at, digits_of(s), &number);
    return number;
}

/* ---- reading the lines again ---- */

static row split(slice line) {
    row r = {0};
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *tab = memchr(line.at, '\t', line.n);
        r.column[i] = tab ? head_of(line, (size_t)(tab - line.at)) : line;
        if (tab) line = tail_of(line, r.column[i].n + 1);
    }
    return r;
}

/* Comments are written at once, but for the text, which is spelled anew. */
static pf_err take_line(rewriter *w, slice line) {
    static const char text[] = "# text =", old[] = "# permutation =";
    if (*line.at == '#') {
        bool drop = (line.n >= sizeof text - 1 && memcmp(line.at, text, sizeof text - 1) == 0) ||
                    (line.n >= sizeof old - 1 && memcmp(line.at, old, sizeof old - 1) == 0);
        if (drop) return PF_OK;
        PF_TRY(put(w, line));
        return pf_writer_put(w->writer, "\n", 1);
    }
    row r = split(line);
    size_t digits = digits_of(r.column[ID]);
    if (digits < r.column[ID].n) return PF_PUSH(&w->extra, r);
    w->word[number_of(r.column[ID]) - 1] = r;
    return PF_OK;
}

static pf_err take_lines(rewriter *w) {
    for (const char *at = w->tree->source, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        PF_TRY(take_line(w, (slice){at, (size_t)(end - at)}));
    }
    return PF_OK;
}

/* A sentence that does not come from CoNLL-U: its words as rows. A further word of a unit hangs on the first, a mark on the word
 * before it. */
static pf_err describe_word(rewriter *w, unsigned j, pf_arena *arena) {
    const pf_tree *tree = w->tree;
    const pf_tree_word *word = &tree->word[j];
    const char *text[COLUMNS] = {"", word->form, word->lemma, word->upos, word->xpos, word->feats, NULL, word->relation, "_", "_"};
    unsigned head = 0;
    if (word->node == PF_TREE_NONE) head = j;
    else if (pf_tree_first(tree, word->node) != j) head = pf_tree_first(tree, word->node) + 1;
    else if (tree->node[word->node].head != tree->nodes) head = pf_tree_first(tree, tree->node[word->node].head) + 1;
    char *number = pf_arena_get(arena, 12);
    if (!number) return pf_nomem();
    char *at = number + 11;
    *at = 0;
    do *--at = (char)('0' + head % 10);
    while ((head /= 10));
    text[HEAD] = at;
    for (size_t i = 0; i < COLUMNS; i++) w->word[j].column[i] = (slice){text[i], strlen(text[i])};
    return PF_OK;
}

static pf_err describe_words(rewriter *w, pf_arena *arena) {
    if (*w->tree->id) PF_TRY(pf_writer_text(w->writer, "# sent_id = %s\n", w->tree->id));
    for (unsigned j = 0; j < w->tree->n; j++) PF_TRY(describe_word(w, j, arena));
    return PF_OK;
}

/* ---- comments ---- */

static bool no_space(const rewriter *w, unsigned j) {
    slice misc = w->word[j].column[MISC];
    for (size_t i = 0; i < misc.n;) {
        slice item = tail_of(misc, i);
        const char *bar = memchr(item.at, '|', item.n);
        if (bar) item.n = (size_t)(bar - item.at);
        if (equal(item, "SpaceAfter=No")) return true;
        i += item.n + 1;
    }
    return false;
}

/* Does the word at place i have the same word behind it as before, without a space? */
static bool glued(const rewriter *w, unsigned i) {
    return i + 1 < w->tree->n && w->perm[i + 1] == w->perm[i] + 1 && no_space(w, w->perm[i]);
}

static bool range_of(const row *r, unsigned *from, unsigned *to) {
    size_t digits = digits_of(r->column[ID]);
    if (r->column[ID].at[digits] != '-') return false;
    *from = (unsigned)number_of(r->column[ID]);
    *to = (unsigned)number_of(tail_of(r->column[ID], digits + 1));
    return true;
}

/* Are the words of a range, from 1, still neighbours in their order? */
static bool together(const rewriter *w, unsigned from, unsigned to) {
    if (!from || from > to || to > w->tree->n) return false;
    for (unsigned j = from; j < to; j++)
        if (w->place[j] != w->place[j - 1] + 1) return false;
    return true;
}

/* The range that begins with the word at place i; NULL: none that is still there. */
static const row *range_at(const rewriter *w, unsigned i, unsigned *last) {
    unsigned from, to;
    for (size_t k = 0; k < w->extra.n; k++)
        if (range_of(&w->extra.at[k], &from, &to) && from == w->perm[i] + 1 && together(w, from, to)) {
            *last = to;
            return &w->extra.at[k];
        }
    return NULL;
}

static pf_err write_text(rewriter *w) {
    PF_TRY(pf_writer_text(w->writer, "# text ="));
    for (unsigned i = 0; i < w->tree->n; i++) {
        unsigned last = 0;
        const row *range = range_at(w, i, &last);
        if (!i || !glued(w, i - 1)) PF_TRY(pf_writer_put(w->writer, " ", 1));
        PF_TRY(put(w, range ? range->column[FORM] : w->word[w->perm[i]].column[FORM]));
        if (range) i = w->place[last - 1];
    }
    PF_TRY(pf_writer_text(w->writer, "\n# permutation ="));
    for (unsigned i = 0; i < w->tree->n; i++) PF_TRY(pf_writer_text(w->writer, " %u", w->perm[i] + 1));
    return pf_writer_put(w->writer, "\n", 1);
}

/* ---- words ---- */

/* A number of a word or of an empty node ("8.1"), anew. */
static pf_err renumber(rewriter *w, slice number) {
    size_t digits = digits_of(number);
    uint64_t old = number_of(number);
    if (!digits || !old || old > w->tree->n) return put(w, number);
    PF_TRY(pf_writer_text(w->writer, "%u", w->place[old - 1] + 1));
    return put(w, tail_of(number, digits));
}

/* DEPS: "4:nsubj|8.1:obj". */
static pf_err renumber_all(rewriter *w, slice deps) {
    while (deps.n) {
        const char *bar = memchr(deps.at, '|', deps.n);
        size_t n = bar ? (size_t)(bar - deps.at) + 1 : deps.n;
        PF_TRY(renumber(w, head_of(deps, n)));
        deps = tail_of(deps, n);
    }
    return PF_OK;
}

/* MISC without SpaceAfter=No where another word follows, and without an old Position; with the new one. */
static pf_err write_misc(rewriter *w, slice misc, unsigned i, bool is_word) {
    bool some = false;
    while (misc.n) {
        const char *bar = memchr(misc.at, '|', misc.n);
        slice item = head_of(misc, bar ? (size_t)(bar - misc.at) : misc.n);
        bool drop = equal(item, "_") || (is_word && equal(item, "SpaceAfter=No") && !glued(w, i)) ||
                    (is_word && item.n > 9 && memcmp(item.at, "Position=", 9) == 0);
        misc = tail_of(misc, item.n + (bar ? 1 : 0));
        if (drop) continue;
        if (some) PF_TRY(pf_writer_put(w->writer, "|", 1));
        PF_TRY(put(w, item));
        some = true;
    }
    if (is_word) return pf_writer_text(w->writer, some ? "|Position=%u" : "Position=%u", w->perm[i] + 1);
    return some ? PF_OK : pf_writer_put(w->writer, "_", 1);
}

/* A row whose number has been written; word i, or a row beside it. */
static pf_err write_columns(rewriter *w, const row *r, unsigned i, bool is_word) {
    for (size_t c = FORM; c < COLUMNS; c++) {
        PF_TRY(pf_writer_put(w->writer, "\t", 1));
        if (c == HEAD) PF_TRY(renumber(w, r->column[c]));
        else if (c == DEPS) PF_TRY(renumber_all(w, r->column[c]));
        else if (c == MISC) PF_TRY(write_misc(w, r->column[c], i, is_word));
        else PF_TRY(put(w, r->column[c]));
    }
    return pf_writer_put(w->writer, "\n", 1);
}

/* The empty nodes behind a word; 0: before all words. */
static pf_err write_empty_nodes(rewriter *w, unsigned number, unsigned i) {
    for (size_t k = 0; k < w->extra.n; k++) {
        slice id = w->extra.at[k].column[ID];
        if (id.at[digits_of(id)] != '.' || number_of(id) != number) continue;
        PF_TRY(renumber(w, id));
        PF_TRY(write_columns(w, &w->extra.at[k], i, false));
    }
    return PF_OK;
}

static pf_err write_rows(rewriter *w) {
    PF_TRY(write_empty_nodes(w, 0, 0));
    for (unsigned i = 0; i < w->tree->n; i++) {
        unsigned last = 0;
        const row *range = range_at(w, i, &last);
        if (range) {
            PF_TRY(pf_writer_text(w->writer, "%u-%u", i + 1, w->place[last - 1] + 1));
            PF_TRY(write_columns(w, range, i, false));
        }
        PF_TRY(pf_writer_text(w->writer, "%u", i + 1));
        PF_TRY(write_columns(w, &w->word[w->perm[i]], i, true));
        PF_TRY(write_empty_nodes(w, w->perm[i] + 1, i));
    }
    return pf_writer_put(w->writer, "\n", 1);
}

static pf_err rewrite(rewriter *w, pf_arena *arena) {
    for (unsigned i = 0; i < w->tree->n; i++) w->place[w->perm[i]] = i;
    PF_TRY(*w->tree->source ? take_lines(w) : describe_words(w, arena));
    PF_TRY(write_text(w));
    return write_rows(w);
}

pf_err pf_tree_write_conllu(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    pf_arena arena = {0};
    rewriter w = {.tree = tree, .perm = perm, .writer = writer, .place = calloc(tree->n + 1, sizeof(unsigned)),
                  .word = calloc(tree->n + 1, sizeof(row))};
    pf_err err = w.place && w.word ? rewrite(&w, &arena) : pf_nomem();
    free(w.place);
    free(w.word);
    PF_VEC_FREE(&w.extra);
    pf_arena_free(&arena);
    return err;
}
