/* What the readers of word lattices (plf.h, slf.h) are told: how words become labels, and scores weights.
 *
 * A score is a number on an arc that has a name: in PLF "1", "2", ... by its place, or that of a sparse feature; in SLF "a",
 * "l", "n", "r", "ds", "p" and "x1" to "x99"; in both "words", which is 1 on an arc with a word and 0 on an epsilon. The
 * weight of an arc is the cost -(the sum of scale times log score), a double that becomes a float once. A scale of 0 leaves
 * a score out, also an infinite one. */
#ifndef PF_IO_LATTICE_H
#define PF_IO_LATTICE_H

#include <permfst/base/writer.h>
#include <permfst/io/labels.h>
#include <permfst/machine/fst.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    double by; /* finite */
} pf_score_scale;

/* Scales read of specifications NAME:X, where a NAME may have colons. `what` begins messages ("--scale"). *out is freed by
 * pf_score_scales_free, also after an error. PF_EARG: not of this form, not finite, a name given twice. O(n^2). */
typedef struct {
    pf_score_scale *at;
    size_t n;
    char *names; /* what the scales' names point to */
} pf_score_scales;
pf_err pf_score_scales_list(pf_writer *writer); /* the names: a line each, with a tab and what it is. Errors of the writer */
pf_err pf_score_scales_read(const char *const *spec, size_t count, const char *what, pf_score_scales *out);
void pf_score_scales_free(pf_score_scales *scales);

/* What the numbers of PLF are: probabilities (Moses), their natural logarithms, or the logarithms negated. */
typedef enum { PF_PLF_PROB, PF_PLF_LOG, PF_PLF_COST } pf_plf_scores;
extern const char *const pf_plf_scores_names[]; /* "prob", "log", "cost", NULL */

typedef struct {
    pf_arc_type type;
    pf_word_labels labels;
    const char *epsilon;          /* words, separated by blanks, that are epsilons besides the format's own; NULL: none */
    const pf_score_scale *scale;  /* borrowed; they override what a file says */
    size_t scales;
    pf_plf_scores scores;         /* PLF */
    bool plain;                   /* SLF: quotes and backslashes are characters like any other */
    void (*warn)(void *to, const char *words); /* SLF: a field that is not known; NULL: not called */
    void *warn_to;
} pf_lattice_options;

#ifdef __cplusplus
}
#endif
#endif
