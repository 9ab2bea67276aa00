/* Permutations, words and automata; CoNLL-U is in conllu_write.c. */
#include <permfst/tree/write.h>

#include <permfst/machine/build.h>
#include <permfst/machine/symtab.h>

#include <assert.h>
#include <string.h>

pf_err pf_tree_write_order(pf_writer *writer, const unsigned *perm, unsigned words) {
    for (unsigned place = 0; place < words; place++) PF_TRY(pf_writer_text(writer, place ? " %u" : "%u", perm[place] + 1));
    return pf_writer_put(writer, "\n", 1);
}

pf_err pf_tree_write_words(pf_writer *writer, const pf_tree *tree, const unsigned *perm) {
    for (unsigned place = 0; place < tree->n; place++) {
        const char *form = tree->word[perm[place]].form;
        if (place) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_writer_put(writer, form, strlen(form)));
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err write_node(pf_writer *writer, const pf_tree *tree, uint32_t unit, const uint32_t *order, uint64_t number) {
    const pf_tree_node *node = &tree->node[unit];
    unsigned first = pf_tree_first(tree, unit);
    PF_TRY(pf_writer_text(writer, "%llu\t%u\t", (unsigned long long)number, first + 1));
    for (uint32_t at = 0; at < node->words; at++)
        PF_TRY(pf_writer_text(writer, at ? " %s" : "%s", tree->word[tree->member[node->first + at]].form));
    PF_TRY(pf_writer_text(writer, "\t%llu\t%llu\t", (unsigned long long)pf_tree_node_shd2(tree, unit, tree->block),
                          (unsigned long long)pf_tree_node_shd2(tree, unit, order)));
    for (uint32_t at = 0; at < node->n_blocks; at++) {
        uint32_t block = order[node->blocks + at];
        PF_TRY(pf_writer_text(writer, block == unit ? "%s[%u]" : "%s%u", at ? " " : "", pf_tree_first(tree, block) + 1));
    }
    return pf_writer_put(writer, "\n", 1);
}

pf_err pf_tree_write_why(pf_writer *writer, const pf_tree *tree, const uint32_t *order, uint64_t number) {
    for (uint32_t unit = 0; unit < tree->nodes; unit++) {
        const pf_tree_node *node = &tree->node[unit];
        size_t bytes = node->n_blocks * sizeof *order;
        if (memcmp(order + node->blocks, tree->block + node->blocks, bytes) != 0)
            PF_TRY(write_node(writer, tree, unit, order, number));
    }
    return PF_OK;
}

static pf_err build_chain(const pf_tree *tree, const unsigned *perm, pf_symtab *words, pf_build *build) {
    for (unsigned word = 0; word < tree->n; word++) /* labels in the order of the sentence, whatever the order of the words */
        PF_TRY(pf_symtab_add(words, tree->word[word].form, strlen(tree->word[word].form), &(pf_label){0}));
    for (unsigned place = 0; place < tree->n; place++) {
        const char *form = tree->word[perm[place]].form;
        pf_label word = pf_symtab_find(words, form, strlen(form));
        PF_TRY(pf_build_arc(build, place, (pf_label)perm[place] + 1, word, 0, place + 1));
    }
    return pf_build_final(build, tree->n, 0);
}

pf_err pf_tree_fst(const pf_tree *tree, const unsigned *perm, pf_fst **out) {
    pf_build build = {0};
    pf_symtab *words;
    PF_TRY(pf_symtab_new("words", &words));
    pf_err err = build_chain(tree, perm, words, &build);
    if (!err) err = pf_build_finish(&build, PF_STANDARD, 0, out);
    if (!err) pf_fst_set_symbols(*out, NULL, words);
    pf_build_free(&build);
    pf_symtab_free(words);
    return err;
}
