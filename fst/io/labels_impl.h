/* Private to io: labels for the words of one machine, and the machine's symbol table. */
#ifndef PF_IO_LABELS_IMPL_H
#define PF_IO_LABELS_IMPL_H

#include <permfst/io/labels.h>
#include <permfst/machine/fst.h>

typedef struct {
    const pf_word_labels *options;
    pf_symtab *table; /* the machine's own: one reference */
} pfi_labeller;

/* `options` must outlive the labeller. */
pf_err pfi_labeller_begin(const pf_word_labels *options, pfi_labeller *out);

/* The label of a word of `length` > 0 bytes. PF_EINPUT, without a place. */
pf_err pfi_labeller_label(pfi_labeller *labeller, const char *word, size_t length, pf_label *label);

/* Gives the table to the machine, for its input and its output labels. */
pf_err pfi_labeller_end(pfi_labeller *labeller, pf_fst *fst);
void pfi_labeller_free(pfi_labeller *labeller);

#endif
