/* A sentence's columns: those of files are borrowed from them, those of its tree are put beside them. */
#include <permfst/learn/factors.h>

#include <permfst/rules/reordering.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_COLUMNS = PF_COLUMNS - PF_COLUMN_TREE_TAG };

struct pf_factor_reader {
    pf_factor_files files;
    pf_treebank *treebank;
    pf_tree *tree; /* whose texts the columns point to */
    pf_words column[TREE_COLUMNS];
    PF_VEC(uint32_t) governor;
    pf_permutation order;
    pf_alignment places; /* of the words in the order */
};

static void free_files(const pf_factor_files *files) {
    pf_parallel_free(files->pairs);
    pf_reader_free(files->trees);
}

pf_err pf_factor_reader_new(const pf_factor_files *files, pf_factor_reader **out) {
    pf_factor_reader *reader = *out = calloc(1, sizeof *reader);
    if (!reader) {
        free_files(files);
        return pf_nomem();
    }
    reader->files = *files;
    pf_err err = files->trees ? pf_treebank_open(files->trees, PF_TREE_KEEP, &reader->treebank) : PF_OK;
    if (err) {
        pf_factor_reader_free(reader);
        *out = NULL;
    }
    return err;
}

void pf_factor_reader_free(pf_factor_reader *reader) {
    if (!reader) return;
    pf_treebank_free(reader->treebank);
    pf_tree_free(reader->tree);
    for (int k = 0; k < TREE_COLUMNS; k++) PF_VEC_FREE(&reader->column[k]);
    PF_VEC_FREE(&reader->governor);
    pf_permutation_free(&reader->order);
    pf_alignment_free(&reader->places);
    free_files(&reader->files);
    free(reader);
}

pf_err pf_factor_blame(const pf_factor_reader *reader, pf_err err) {
    if (err != PF_EINPUT && err != PF_ELIMIT) return err;
    pf_reader_fail_line(pf_parallel_reader(reader->files.pairs, reader->files.words), "%s", pf_message());
    return err;
}

/* ---- trees ---- */

/* The first word of the unit that governs the unit of a word. */
static uint32_t governor_of(const pf_tree *tree, unsigned word) {
    uint32_t node = tree->word[word].node;
    if (node == PF_TREE_NONE || tree->node[node].head == tree->nodes) return PF_NO_GOVERNOR;
    return pf_tree_first(tree, tree->node[node].head);
}

static pf_err add_text(pf_words *words, const char *text) { return PF_PUSH(words, ((pf_word){text, strlen(text)})); }

static pf_err add_word(pf_factor_reader *reader, unsigned word) {
    const pf_tree *tree = reader->tree;
    const uint32_t governor = governor_of(tree, word);
    PF_TRY(PF_PUSH(&reader->governor, governor));
    PF_TRY(add_text(&reader->column[0], tree->word[word].upos));
    PF_TRY(add_text(&reader->column[1], tree->word[word].relation));
    return add_text(&reader->column[2], governor == PF_NO_GOVERNOR ? "root" : tree->word[governor].upos);
}

static pf_err next_tree(pf_factor_reader *reader) {
    const pf_reader *words = pf_parallel_reader(reader->files.pairs, reader->files.words);
    const size_t length = pf_parallel_sentence(reader->files.pairs, reader->files.words)->n;
    pf_tree_free(reader->tree);
    reader->tree = NULL;
    PF_TRY(pf_treebank_next(reader->treebank, &reader->tree));
    if (!reader->tree)
        return pf_reader_fail_line(words, "expected the tree of this sentence in %s, found the end of the file",
                                   pf_reader_name(reader->files.trees));
    if (reader->tree->n != length)
        return pf_reader_fail_line(words, "the sentence has %zu words, but its tree (%s:%llu) has %u", length,
                                   pf_reader_name(reader->files.trees), (unsigned long long)reader->tree->line, reader->tree->n);
    reader->governor.n = 0;
    for (int k = 0; k < TREE_COLUMNS; k++) reader->column[k].n = 0;
    for (unsigned word = 0; word < length; word++) PF_TRY(add_word(reader, word));
    return PF_OK;
}

static pf_err end_trees(pf_factor_reader *reader) {
    if (!reader->treebank) return PF_OK;
    pf_tree_free(reader->tree);
    reader->tree = NULL;
    PF_TRY(pf_treebank_next(reader->treebank, &reader->tree));
    if (!reader->tree) return PF_OK;
    return pf_fail(PF_EINPUT, "%s:%llu: expected the end of the file after a tree for each sentence of %s, found another tree",
                   pf_reader_name(reader->files.trees), (unsigned long long)reader->tree->line,
                   pf_reader_name(pf_parallel_reader(reader->files.pairs, reader->files.words)));
}

/* ---- orders ---- */

static pf_err next_order(pf_factor_reader *reader) {
    const pf_words *numbers = pf_parallel_sentence(reader->files.pairs, reader->files.orders);
    pf_alignment *places = &reader->places;
    PF_TRY(pf_permutation_read(pf_parallel_reader(reader->files.pairs, reader->files.orders), numbers, &reader->order));
    pf_alignment_reset(places);
    places->n_source = places->n_target = (uint32_t)numbers->n;
    for (unsigned word = 0; word < numbers->n; word++)
        PF_TRY(pf_alignment_add(places, (pf_link){.source = word, .target = reader->order.step.at[word], .posterior = NAN}));
    return PF_OK;
}

/* ---- sentences ---- */

static pf_err end(pf_factor_reader *reader) {
    const pf_factor_files *files = &reader->files;
    PF_TRY(end_trees(reader));
    return files->ended ? files->ended(files->self, pf_parallel_number(files->pairs)) : PF_OK;
}

/* A tree is read for each sentence, also for those that are passed over. */
static pf_err next_wanted(pf_factor_reader *reader, uint64_t *number, bool *more) {
    const pf_factor_files *files = &reader->files;
    for (;;) {
        PF_TRY(pf_parallel_next(files->pairs, more));
        if (!*more) return end(reader);
        *number = pf_parallel_number(files->pairs);
        if (files->progress) files->progress(files->self, *number);
        if (reader->treebank) PF_TRY(next_tree(reader));
        if (!files->wanted || files->wanted(files->self, *number)) return PF_OK;
    }
}

pf_err pf_factor_next(pf_factor_reader *reader, pf_factored *out, bool *more) {
    const pf_factor_files *files = &reader->files;
    *out = (pf_factored){0};
    PF_TRY(next_wanted(reader, &out->number, more));
    if (!*more) return PF_OK;
    out->column[PF_COLUMN_WORDS] = pf_parallel_sentence(files->pairs, files->words);
    for (unsigned k = 0; k < files->tags; k++) out->column[PF_COLUMN_TAGS + k] = pf_parallel_sentence(files->pairs, files->tag[k]);
    if (files->links) out->links = pf_parallel_alignment(files->pairs, files->links);
    if (files->orders) {
        PF_TRY(next_order(reader));
        out->links = &reader->places;
    }
    if (!reader->treebank) return PF_OK;
    for (int k = 0; k < TREE_COLUMNS; k++) out->column[PF_COLUMN_TREE_TAG + k] = &reader->column[k];
    out->governor = reader->governor.at;
    return PF_OK;
}
