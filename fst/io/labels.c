/* The label of a word is looked up in the shared table; the word is then entered in the machine's own table under the same
 * label, so that equal words of several machines have equal labels. O(length of the word). */
#include "io/labels_impl.h"

#include <permfst/io/header.h>
#include "io/io_impl.h"

#include <assert.h>

enum { SHOWN = 80 };

/* Is the machine's table the one that gives the labels? */
static bool is_one_table(const pf_word_labels *o) { return o->whole || !o->words; }

pf_err pfi_labeller_begin(const pf_word_labels *o, pfi_labeller *l) {
    assert(o->words || (!o->fixed && !o->whole));
    l->options = o;
    l->table = NULL;
    if (!o->whole) return pf_symtab_new("words", &l->table);
    l->table = pf_symtab_ref(o->words);
    return PF_OK;
}

static pf_err find_fixed(const pf_word_labels *o, const char *word, size_t n, pf_label *label) {
    char shown[SHOWN];
    *label = pf_symtab_find(o->words, word, n);
    if (*label > 0) return PF_OK;
    return pf_fail(PF_EINPUT, "the word '%s' is %s %s", pfi_printable(word, n, shown, sizeof shown),
                   *label ? "not in" : "epsilon (0) in", o->name ? o->name : pf_symtab_title(o->words));
}

pf_err pfi_labeller_label(pfi_labeller *l, const char *word, size_t n, pf_label *label) {
    const pf_word_labels *o = l->options;
    assert(n > 0);
    if (n > PF_SYMBOL_LIMIT)
        return pf_fail(PF_EINPUT, "expected words of at most %zu bytes, found a longer one", PF_SYMBOL_LIMIT);
    PF_TRY(o->fixed ? find_fixed(o, word, n, label) : pf_symtab_add(o->words ? o->words : l->table, word, n, label));
    return is_one_table(o) ? PF_OK : pf_symtab_put(l->table, word, n, *label);
}

pf_err pfi_labeller_end(pfi_labeller *l, pf_fst *fst) {
    if (!l->options->whole) PF_TRY(pf_symtab_put_epsilon(l->table));
    pf_fst_set_symbols(fst, l->table, l->table);
    return PF_OK;
}

void pfi_labeller_free(pfi_labeller *l) {
    pf_symtab_free(l->table);
    l->table = NULL;
}
