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

static bool equal(slice part, const char *text) { return part.n == strlen(text) && memcmp(part.at, text, part.n) == 0; }
static pf_err put(rewriter *output, slice part) { return pf_writer_put(output->writer, part.at, part.n); }

/* The first `n` bytes of a slice, and what follows them. */
static slice head_of(slice part, size_t n) { return (slice){part.at, n}; }
static slice tail_of(slice part, size_t n) { return (slice){part.at + n, part.n - n}; }

static size_t digits_of(slice part) {
    size_t digits = 0;
    while (digits < part.n && pf_is_digit(part.at[digits])) digits++;
    return digits;
}

static uint64_t number_of(slice part) {
    uint64_t number = 0;
    pf_digits(part.at, digits_of(part), &number);
    return number;
}

/* ---- reading the lines again ---- */

static row split(slice line) {
    row fields = {0};
    for (size_t column = 0; column < COLUMNS; column++) {
        const char *tab = memchr(line.at, '\t', line.n);
        fields.column[column] = tab ? head_of(line, (size_t)(tab - line.at)) : line;
        if (tab) line = tail_of(line, fields.column[column].n + 1);
    }
    return fields;
}

/* Comments are written at once, but for the text, which is spelled anew. */
static pf_err take_line(rewriter *output, slice line) {
    static const char text[] = "# text =", old[] = "# permutation =";
    if (*line.at == '#') {
        bool drop = (line.n >= sizeof text - 1 && memcmp(line.at, text, sizeof text - 1) == 0) ||
                    (line.n >= sizeof old - 1 && memcmp(line.at, old, sizeof old - 1) == 0);
        if (drop) return PF_OK;
        PF_TRY(put(output, line));
        return pf_writer_put(output->writer, "\n", 1);
    }
    row fields = split(line);
    size_t digits = digits_of(fields.column[ID]);
    if (digits < fields.column[ID].n) return PF_PUSH(&output->extra, fields);
    output->word[number_of(fields.column[ID]) - 1] = fields;
    return PF_OK;
}

static pf_err take_lines(rewriter *output) {
    for (const char *at = output->tree->source, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        PF_TRY(take_line(output, (slice){at, (size_t)(end - at)}));
    }
    return PF_OK;
}

/* A sentence that does not come from CoNLL-U: its words as rows. A further word of a unit hangs on the first, a mark on the word
 * before it. */
static pf_err describe_word(rewriter *output, unsigned j, pf_arena *arena) {
    const pf_tree *tree = output->tree;
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
    for (size_t i = 0; i < COLUMNS; i++) output->word[j].column[i] = (slice){text[i], strlen(text[i])};
    return PF_OK;
}

static pf_err describe_words(rewriter *output, pf_arena *arena) {
    if (*output->tree->id) PF_TRY(pf_writer_text(output->writer, "# sent_id = %s\n", output->tree->id));
    for (unsigned j = 0; j < output->tree->n; j++) PF_TRY(describe_word(output, j, arena));
    return PF_OK;
}

/* ---- comments ---- */

static bool no_space(const rewriter *output, unsigned j) {
    slice misc = output->word[j].column[MISC];
    for (size_t i = 0; i < misc.n;) {
        slice item = tail_of(misc, i);
        const char *bar = memchr(item.at, '|', item.n);
        if (bar) item.n = (size_t)(bar - item.at);
        if (equal(item, "SpaceAfter=No")) return true;
        i += item.n + 1;
    }
    return false;
}

/* Does the word at the position precede the same word as before, without a space? */
static bool glued(const rewriter *output, unsigned position) {
    return position + 1 < output->tree->n && output->perm[position + 1] == output->perm[position] + 1
        && no_space(output, output->perm[position]);
}

static bool range_of(const row *fields, unsigned *from, unsigned *to) {
    size_t digits = digits_of(fields->column[ID]);
    if (fields->column[ID].at[digits] != '-') return false;
    *from = (unsigned)number_of(fields->column[ID]);
    *to = (unsigned)number_of(tail_of(fields->column[ID], digits + 1));
    return true;
}

/* Are the words of a range, from 1, still neighbours in their order? */
static bool together(const rewriter *output, unsigned from, unsigned to) {
    if (!from || from > to || to > output->tree->n) return false;
    for (unsigned j = from; j < to; j++)
        if (output->place[j] != output->place[j - 1] + 1) return false;
    return true;
}

/* The range that begins with the word at the position; NULL: none that is still there. */
static const row *range_at(const rewriter *output, unsigned position, unsigned *last) {
    unsigned from, to;
    for (size_t at = 0; at < output->extra.n; at++)
        if (range_of(&output->extra.at[at], &from, &to) && from == output->perm[position] + 1 && together(output, from, to)) {
            *last = to;
            return &output->extra.at[at];
        }
    return NULL;
}

static pf_err write_text(rewriter *output) {
    PF_TRY(pf_writer_text(output->writer, "# text ="));
    for (unsigned position = 0; position < output->tree->n; position++) {
        unsigned last = 0;
        const row *range = range_at(output, position, &last);
        if (!position || !glued(output, position - 1)) PF_TRY(pf_writer_put(output->writer, " ", 1));
        PF_TRY(put(output, range ? range->column[FORM] : output->word[output->perm[position]].column[FORM]));
        if (range) position = output->place[last - 1];
    }
    PF_TRY(pf_writer_text(output->writer, "\n# permutation ="));
    for (unsigned position = 0; position < output->tree->n; position++)
        PF_TRY(pf_writer_text(output->writer, " %u", output->perm[position] + 1));
    return pf_writer_put(output->writer, "\n", 1);
}

/* ---- words ---- */

/* A number of a word or of an empty node ("8.1"), anew. */
static pf_err renumber(rewriter *output, slice number) {
    size_t digits = digits_of(number);
    uint64_t old = number_of(number);
    if (!digits || !old || old > output->tree->n) return put(output, number);
    PF_TRY(pf_writer_text(output->writer, "%u", output->place[old - 1] + 1));
    return put(output, tail_of(number, digits));
}

/* DEPS: "4:nsubj|8.1:obj". */
static pf_err renumber_all(rewriter *output, slice deps) {
    while (deps.n) {
        const char *bar = memchr(deps.at, '|', deps.n);
        size_t length = bar ? (size_t)(bar - deps.at) + 1 : deps.n;
        PF_TRY(renumber(output, head_of(deps, length)));
        deps = tail_of(deps, length);
    }
    return PF_OK;
}

/* MISC without SpaceAfter=No where another word follows, and without an old Position; with the new one. */
static pf_err write_misc(rewriter *output, slice misc, unsigned position, bool is_word) {
    bool some = false;
    while (misc.n) {
        const char *bar = memchr(misc.at, '|', misc.n);
        slice item = head_of(misc, bar ? (size_t)(bar - misc.at) : misc.n);
        bool drop = equal(item, "_") || (is_word && equal(item, "SpaceAfter=No") && !glued(output, position)) ||
                    (is_word && item.n > 9 && memcmp(item.at, "Position=", 9) == 0);
        misc = tail_of(misc, item.n + (bar ? 1 : 0));
        if (drop) continue;
        if (some) PF_TRY(pf_writer_put(output->writer, "|", 1));
        PF_TRY(put(output, item));
        some = true;
    }
    if (is_word) return pf_writer_text(output->writer, some ? "|Position=%u" : "Position=%u", output->perm[position] + 1);
    return some ? PF_OK : pf_writer_put(output->writer, "_", 1);
}

/* A row whose number has been written; the word at the position, or a row beside it. */
static pf_err write_columns(rewriter *output, const row *fields, unsigned position, bool is_word) {
    for (size_t column = FORM; column < COLUMNS; column++) {
        PF_TRY(pf_writer_put(output->writer, "\t", 1));
        if (column == HEAD) PF_TRY(renumber(output, fields->column[column]));
        else if (column == DEPS) PF_TRY(renumber_all(output, fields->column[column]));
        else if (column == MISC) PF_TRY(write_misc(output, fields->column[column], position, is_word));
        else PF_TRY(put(output, fields->column[column]));
    }
    return pf_writer_put(output->writer, "\n", 1);
}

/* The empty nodes after a word; 0: before all words. */
static pf_err write_empty_nodes(rewriter *output, unsigned number, unsigned position) {
    for (size_t at = 0; at < output->extra.n; at++) {
        slice id = output->extra.at[at].column[ID];
        if (id.at[digits_of(id)] != '.' || number_of(id) != number) continue;
        PF_TRY(renumber(output, id));
        PF_TRY(write_columns(output, &output->extra.at[at], position, false));
    }
    return PF_OK;
}

static pf_err write_rows(rewriter *output) {
    PF_TRY(write_empty_nodes(output, 0, 0));
    for (unsigned position = 0; position < output->tree->n; position++) {
        unsigned last = 0;
        const row *range = range_at(output, position, &last);
        if (range) {
            PF_TRY(pf_writer_text(output->writer, "%u-%u", position + 1, output->place[last - 1] + 1));
            PF_TRY(write_columns(output, range, position, false));
        }
        PF_TRY(pf_writer_text(output->writer, "%u", position + 1));
        PF_TRY(write_columns(output, &output->word[output->perm[position]], position, true));
        PF_TRY(write_empty_nodes(output, output->perm[position] + 1, position));
    }
    return pf_writer_put(output->writer, "\n", 1);
}

static pf_err rewrite(rewriter *output, pf_arena *arena) {
    for (unsigned position = 0; position < output->tree->n; position++) output->place[output->perm[position]] = position;
    PF_TRY(*output->tree->source ? take_lines(output) : describe_words(output, arena));
    PF_TRY(write_text(output));
    return write_rows(output);
}

pf_err pf_tree_write_conllu(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    pf_arena arena = {0};
    rewriter output = {.tree = tree, .perm = perm, .writer = writer, .place = calloc(tree->n + 1, sizeof(unsigned)),
                       .word = calloc(tree->n + 1, sizeof(row))};
    pf_err err = output.place && output.word ? rewrite(&output, &arena) : pf_nomem();
    free(output.place);
    free(output.word);
    PF_VEC_FREE(&output.extra);
    pf_arena_free(&arena);
    return err;
}
