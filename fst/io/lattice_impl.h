/* Private to the lattice formats of io: the words of a lattice, its scales, and a machine as nodes and links. */
#ifndef PF_IO_LATTICE_IMPL_H
#define PF_IO_LATTICE_IMPL_H

#include <permfst/base/writer.h>
#include <permfst/io/lattice.h>
#include "io/labels_impl.h"

/* ---- reading ---- */

/* The label of a word of `length` > 0 bytes, which is not the format's epsilon but may be one of the options'. PF_EINPUT, without a
 * place. */
pf_err pfi_lattice_label(const pf_lattice_options *options, pfi_labeller *labeller, const char *word, size_t length,
    pf_label *label);

/* The scale that the options give a name of `length` bytes, or `without` if they give none. */
double pfi_scale(const pf_lattice_options *options, const char *name, size_t length, double without);

/* A number, infinity by name included, that ends right at `end`; not NaN, no number out of the doubles. */
bool pfi_score_parse(const char *text, const char *end, double *score);

/* A log score as a weight: false where that is no weight (NaN, minus infinity, or too large for a float). */
bool pfi_score_weight(double log_score, float *weight);

/* ---- order ---- */

typedef PF_VEC(uint32_t) pfi_numbers;

/* The states in topological order, at each place the smallest that can come next; states with keep[s] = 0 are left out (NULL:
 * none is). *on_cycle is a state on a cycle, or PF_NO_STATE if there is no cycle and the order is whole. Every state must be
 * done. */
pf_err pfi_topological(pf_fst *fst, const char *keep, pfi_numbers *order, pf_state *on_cycle);

/* ---- writing ---- */

/* A machine without what is on no path, as nodes in topological order: 0 is the start, the last one the end. */
typedef struct {
    pf_fst *fst;
    const pf_symtab *words; /* NULL: numbers */
    const char *epsilon;    /* what the format calls it */
    pfi_numbers state;      /* of each node */
    pfi_numbers node;       /* of each state; UINT32_MAX: on no path */
    bool joined;            /* one more node after these is the end: each final state has an epsilon to it */
    uint64_t links;
} pfi_lattice;

/* PF_EINPUT: no path, a cycle. Freed by pfi_lattice_free. */
pf_err pfi_lattice_of(pf_fst *fst, bool numeric, const char *epsilon, pfi_lattice *out);
void pfi_lattice_free(pfi_lattice *lattice);

/* Link k, from 0, of a node, in the order of arcs: the node it leads to, label and weight. False past the last; *k is moved
 * on. */
typedef struct {
    uint32_t to;
    pf_label label;
    float weight;
} pfi_node_link;
bool pfi_lattice_link(const pfi_lattice *lattice, uint32_t node, uint32_t *k, pfi_node_link *out);

/* The word of a label; `number` is room for it where it is one. PF_EINPUT: no symbol, an empty one, one that the format
 * takes for epsilon, or with a NUL byte. */
enum { PFI_NUMBER = 16 };
pf_err pfi_lattice_word(const pfi_lattice *lattice, pf_label label, char *number, const char **word, size_t *length);

#endif
