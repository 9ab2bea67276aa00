/* The label of a word is looked up in the shared table; the word is then entered in the machine's own table under the same
 * label, so that equal words of several machines have equal labels. O(length of the word). */
#include "io/labels_impl.h"

#include <permfst/io/header.h>
#include "io/io_impl.h"

#include <assert.h>

enum { SHOWN = 80 };

/* Is the machine's table the one that gives the labels? */
static bool is_one_table(const pf_word_labels *labels) { return labels->whole || !labels->words; }

pf_err pfi_labeller_begin(const pf_word_labels *labels, pfi_labeller *labeller) {
    assert(labels->words || (!labels->fixed && !labels->whole));
    labeller->options = labels;
    labeller->table = NULL;
    if (!labels->whole) return pf_symtab_new("words", &labeller->table);
    labeller->table = pf_symtab_ref(labels->words);
    return PF_OK;
}

static pf_err find_fixed(const pf_word_labels *labels, const char *word, size_t length, pf_label *label) {
    char shown[SHOWN];
    *label = pf_symtab_find(labels->words, word, length);
    if (*label > 0) return PF_OK;
    return pf_fail(PF_EINPUT, "the word '%s' is %s %s", pfi_printable(word, length, shown, sizeof shown),
                   *label ? "not in" : "epsilon (0) in", labels->name ? labels->name : pf_symtab_title(labels->words));
}

pf_err pfi_labeller_label(pfi_labeller *labeller, const char *word, size_t length, pf_label *label) {
    const pf_word_labels *labels = labeller->options;
    assert(length > 0);
    if (length > PF_SYMBOL_LIMIT)
        return pf_fail(PF_EINPUT, "expected words of at most %zu bytes, found a longer one", PF_SYMBOL_LIMIT);
    PF_TRY(labels->fixed ? find_fixed(labels, word, length, label)
           : pf_symtab_add(labels->words ? labels->words : labeller->table, word, length, label));
    return is_one_table(labels) ? PF_OK : pf_symtab_put(labeller->table, word, length, *label);
}

pf_err pfi_labeller_end(pfi_labeller *labeller, pf_fst *fst) {
    assert(labeller->table);
    if (!labeller->options->whole) PF_TRY(pf_symtab_put_epsilon(labeller->table));
    pf_fst_set_symbols(fst, labeller->table, labeller->table);
    return PF_OK;
}

void pfi_labeller_free(pfi_labeller *labeller) {
    pf_symtab_free(labeller->table);
    labeller->table = NULL;
}
