/* A linear model of pairs: which of two words of a sentence comes first (Tromble and Eisner 2009, Learning linear ordering problems
 * for better translation).
 *
 * For positions i < j, s(i, j) is the sum of the weights of the pair's features (templates.h); s > 0 prefers i before j. The costs
 * of a sentence are a matrix, cost[i][j] for i before j, for the weights `pairwise` of a permutation automaton (permute/wm.h):
 *
 *   lr   -ln of the probability of each order of the pair: ln(1 + e^-s), ln(1 + e^s)
 *   ap   max(0, -s), max(0, s)
 *
 * rounded to millionths, never negative. The pairs are independent, so the cost of an order is not -ln of its probability. A
 * look-up is O(length), a score is O(features); reading, writing and compiling are O(bytes). */
#ifndef PF_LEARN_ORDER_MODEL_H
#define PF_LEARN_ORDER_MODEL_H

#include <permfst/base/statetab.h>
#include <permfst/base/writer.h>
#include <permfst/learn/factors.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PF_MILLION 1e6 /* the unit of costs */

typedef enum { PF_LEARN_LR, PF_LEARN_AP, PF_LEARNERS } pf_learner;
const char *pf_learner_name(size_t learner); /* "lr", "ap"; NULL past the last */

/* A feature is a key of 32-bit numbers: its template and the values of its atoms; 0 after them. */
typedef struct {
    pf_learner learner;
    pf_templates templates;
    unsigned tags; /* columns of tags that go with it */
    bool trees;    /* trees go with it */
    pf_statetab value[PF_COLUMNS]; /* the texts of each column; the first two are the ends, <s> and </s> */
    pf_statetab feature;           /* keys of `stride` numbers */
    size_t stride;
    PF_VEC(double) weight; /* of each feature */
} pf_order_model;

/* A model without features, of these templates, which belong to it from here on, even if the call fails. *out belongs to the
 * caller. PF_ENOMEM. */
pf_err pf_order_model_new(pf_learner learner, pf_templates *templates, pf_order_model **out);
void pf_order_model_free(pf_order_model *model); /* NULL is accepted */

/* ---- a sentence ---- */

/* A sentence in numbers, those of its texts. All zero: none; the memory is kept from sentence to sentence. */
typedef struct {
    unsigned n;
    PF_VEC(uint32_t) value;             /* of each column that there is: <s>, the words, </s> */
    size_t begin[PF_COLUMNS];           /* of each column; SIZE_MAX: there is none */
    PF_VEC(uint32_t) governor;          /* empty without trees */
} pf_numbered;
void pf_numbered_free(pf_numbered *sentence);

/* Finds the texts of a sentence; with `add` new ones get numbers. PF_EARG: the model needs other columns; PF_ENOMEM; PF_ELIMIT. */
pf_err pf_order_model_number(pf_order_model *model, const pf_factored *sentence, pf_numbered *out);
pf_err pf_order_model_find(const pf_order_model *model, const pf_factored *sentence, pf_numbered *out);

/* Calls `take` for each feature of the pair i < j, in the order of the templates: key[0 .. stride-1]. Features with a text that the
 * model does not know are passed over. The error of `take`. O(templates, and j - i for those with b). */
pf_err pf_order_model_features(const pf_order_model *model, const pf_numbered *sentence, unsigned i, unsigned j,
                               pf_err (*take)(void *self, const uint32_t *key), void *self);

/* s(i, j). */
double pf_order_model_score(const pf_order_model *model, const pf_numbered *sentence, unsigned i, unsigned j);

/* The matrix of a sentence: n x n costs in millionths, into *out, which has room for them; 0 on the diagonal. O(n^2 templates). */
void pf_order_model_matrix(const pf_order_model *model, const pf_numbered *sentence, int64_t *out);

/* The values of a feature as a model file has them, separated by blanks. Errors of the writer. */
pf_err pf_order_model_write_values(const pf_order_model *model, uint32_t feature, pf_writer *writer);

/* ---- files ----
 *
 * Text: "# permlearn 1 lr" (or ap), "# columns: ..." with the columns that it needs, the lines "# template ..." in order, then a
 * line a feature: weight (%.17g), template, values, separated by tabs, sorted by the bytes of template and values. Features of
 * weight 0 are left out. Binary: the same tables as they are in memory, loaded at once (order_model_binary.c). Reading finds out
 * which of the two it is. */

/* Writes a model as text, or compiled. PF_ENOMEM; errors of the writer. O(bytes), and the text is sorted. */
pf_err pf_order_model_write(const pf_order_model *model, pf_writer *writer);
pf_err pf_order_model_compile(const pf_order_model *model, pf_writer *writer);

/* *out belongs to the caller; NULL after an error. PF_EINPUT with file and line (or byte); PF_EIO, PF_ENOMEM. */
pf_err pf_order_model_read(pf_reader *reader, pf_order_model **out);

/* Checks that the model needs this many columns of tags, and trees or none. PF_EARG, naming `name`. */
pf_err pf_order_model_check(const pf_order_model *model, const char *name, unsigned tags, bool trees);

#ifdef __cplusplus
}
#endif
#endif
