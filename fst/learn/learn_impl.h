/* What the files of this folder share. */
#ifndef PFI_LEARN_IMPL_H
#define PFI_LEARN_IMPL_H

#include <permfst/learn/ap.h>

/* ln(1 + e^x), without overflow. */
double pfi_softplus(double x);

/* ---- order_model_text.c ---- */

/* The values of a key, separated by blanks, and back: PF_EINPUT, without its place, for values that the template cannot have.
 * Reading changes `text`. */
pf_err pfi_order_values_write(const pf_order_model *model, const uint32_t *key, pf_writer *writer);
pf_err pfi_order_values_read(pf_order_model *model, size_t template_number, const char *text, size_t length, uint32_t *key);

/* The number of a template; SIZE_MAX: the model has none of this text. */
size_t pfi_order_template(const pf_order_model *model, const char *text, size_t length);

/* The numbers of all features whose weight is not 0, sorted by the bytes of template and values. The caller frees *out.
 * PF_ENOMEM. */
pf_err pfi_order_sorted(const pf_order_model *model, uint32_t **out, size_t *count);

/* The lines that begin a file of features: `what` and the version, the learner unless it is PF_LEARNERS, the templates. Reading
 * makes a model without features of them; the line after them is in *line and stays valid until the next one is read. */
pf_err pfi_order_header_write(const pf_order_model *model, const char *what, pf_writer *writer);
pf_err pfi_order_header_read(pf_reader *reader, const char *what, pf_order_model **out, char **line, size_t *length);

/* ---- order_model_binary.c ---- */

enum { PFI_ORDER_MARK = 8 };
extern const char pfi_order_mark[PFI_ORDER_MARK + 1]; /* with which a compiled model begins; the last byte is its version */
pf_err pfi_order_binary_read(pf_reader *reader, pf_order_model **out);

/* ---- lr.c ---- */

/* The best alpha of a pair while those of the others stay: `before` is what it was, `margin` the pair's with that, and `stiffness`
 * by how much the margin grows with alpha. */
double pfi_best_alpha(double before, double margin, double stiffness);

/* ---- learner_state.c, ap.c ---- */

/* A hash of the features and the gold of all pairs, and of what was hashed before. O(features of pairs). */
uint64_t pfi_examples_hash(const pf_examples *examples, uint64_t hash);

/* What a perceptron's state is; the two lists are the learner's own. And how far it is, to go on from there. */
typedef struct {
    uint64_t hash; /* of its examples and options */
    size_t n;
    int64_t *weight, *late;
    uint64_t pass, sentences;
    size_t sentences_a_pass, pairs_a_pass;
} pfi_perceptron_numbers;
void pfi_perceptron_numbers_of(const pf_perceptron *learner, pfi_perceptron_numbers *out);
void pfi_perceptron_go_on(pf_perceptron *learner, uint64_t pass, uint64_t sentences);

#endif
