/* Private to the oracles: the graph of (state, history) that is searched, and the hypotheses on it. */
#ifndef PF_ORACLE_IMPL_H
#define PF_ORACLE_IMPL_H

#include <permfst/ops/score.h>
#include <permfst/oracle/additive.h>

#include <stddef.h>

enum { PFI_NONE_OF = UINT32_MAX };

/* ---- limits ---- */

/* What was done so far, against the limits of the options, and what memory it takes. PF_ELIMIT; PF_ENOMEM with `all_bytes`. */
typedef struct {
    const pf_oracle_options *options;
    uint64_t states;
    uint64_t (*bytes)(const void *of); /* NULL: they are not counted */
    const void *of;
} pfi_work;
pf_err pfi_work_done(pfi_work *work, uint64_t states);

/* Does an error end a search with what it has? */
static inline bool pfi_ends_search(pf_err err) { return err == PF_ELIMIT || err == PF_ENOMEM; }

/* ---- the graph: product.c ---- */

/* What an output label does after a history. */
typedef struct {
    uint32_t next;                   /* history */
    uint32_t words;
    uint32_t sure[PF_ORACLE_ORDER];  /* matches that nothing printed before can clip */
    uint32_t first, matches;         /* the n-grams that match: of `matched`; of them the contested ones first, in order */
    uint32_t contested;
} pfi_move;

typedef struct {
    uint32_t to, move;
    const pf_arc *arc;
} pfi_step;

typedef struct {
    pf_state state;
    uint32_t history;
    uint32_t first, steps;
    bool final;
} pfi_node;

/* What paths from a node to an end still have. */
typedef struct {
    uint32_t most[PF_ORACLE_ORDER]; /* matches, not clipped */
    uint32_t least_words, most_words; /* least > most: no path ends */
    double value;                   /* the most of a sum of matches, each times the slope of its order */
} pfi_remainder;

typedef struct {
    uint32_t first; /* word of `words` of the product */
    uint32_t n;
} pfi_label_words;

typedef struct {
    pf_fst *fst;
    const pf_oracle_references *references;
    const pf_oracle_options *options;
    bool whole_histories;             /* the last three words, all of them */
    pf_statetab labels, moves, nodes, histories, vocabulary;
    PF_VEC(pfi_label_words) label;    /* by number of a label */
    PF_VEC(uint32_t) words;           /* words of references; the same, by `vocabulary`: */
    PF_VEC(uint32_t) own_words;
    PF_VEC(uint32_t) gram_of;         /* whole histories: the history in the references */
    PF_VEC(pfi_move) move;
    PF_VEC(uint32_t) matched;         /* n-grams */
    PF_VEC(pfi_node) node;
    PF_VEC(pfi_step) step;
    PF_VEC(uint32_t) order;           /* the nodes, sources before targets */
    PF_VEC(pfi_remainder) rest;            /* by node */
    PF_VEC(uint32_t) bit;             /* by n-gram: its first bit; PFI_NONE_OF: not contested */
    size_t bits;                      /* 64 bits each: of a set of uses */
    PF_VEC(uint64_t) relevant;        /* by node: bits of the n-grams that may still come */
    bool fixed;                       /* all paths print the same words, so that single words are not counted on the way: */
    uint32_t fixed_matches;
    uint64_t cap[PF_ORACLE_ORDER];    /* no path has more matches */
} pfi_product;

/* All zero but for what is given. */
void pfi_product_init(pfi_product *product, pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options);
void pfi_product_free(pfi_product *product);
uint64_t pfi_product_bytes(const pfi_product *product); /* with the automaton */

/* Makes nodes, steps and order, then rests and contested n-grams. PF_EINPUT: a cycle; PF_ELIMIT, PF_ENOMEM. */
pf_err pfi_product_build(pfi_product *product, pfi_work *work);

/* Nodes, steps and order alone. */
pf_err pfi_product_graph(pfi_product *product, pfi_work *work);

/* The caps alone, of a machine whose slots are known, before any node is made; false: they are not. */
pf_err pfi_product_caps(pfi_product *product, bool *known);

/* The move of an output label after a history. PF_EINPUT: a label without a word. */
pf_err pfi_product_move(pfi_product *product, uint32_t history, pf_label label, uint32_t *move);

/* The words of an output label; valid until the next label is asked for. PF_EINPUT: it has no symbol. */
pf_err pfi_product_label(pfi_product *product, pf_label label, const pfi_label_words **out);

/* 4 ln of the penalty of a path of so many words, where the options have one. */
double pfi_brevity(const pfi_product *product, uint64_t words);

/* The clipped counts of a path, with totals and reference. */
pf_err pfi_product_count(pfi_product *product, const pf_arc *arc, size_t n, pf_oracle_counts *out);

/* Sets rest.value for these slopes. O(steps). */
void pfi_product_values(pfi_product *product, const double *slope);

/* ---- hypotheses: pareto.c ---- */

typedef struct {
    uint32_t from, step;             /* of another hypothesis; PFI_NONE_OF: the start; at an end: no step */
    uint32_t next;                   /* at the same node */
    uint32_t match[PF_ORACLE_ORDER], words, depth;
    uint32_t betters;                /* how many others are better */
    double bound;                    /* 4 ln of a score that no path over it exceeds */
    uint64_t orders;                 /* paths that it stands for */
} pfi_partial;

typedef struct {
    pfi_product *product;
    pfi_work *work;
    size_t wanted;                   /* paths */
    size_t at_node;                  /* hypotheses kept at a node; 0: all */
    bool ties, one_a_state, front;
    double floor;                    /* 4 ln(score) of a path that is known: nothing below it is kept */
    double slope[PF_ORACLE_ORDER], peak[PF_ORACLE_ORDER]; /* the tangent: slopes, and the matches where it touches */
    PF_VEC(pfi_partial) all;
    PF_VEC(uint64_t) used;
    PF_VEC(uint32_t) head;           /* by node, and of the end */
    uint32_t freed;
    PF_VEC(double) logs;             /* of 1, 2, .. */
    bool stopped, out_of_memory;     /* ... and the limit was the memory */
    double left;                     /* the largest bound of what was left */
    pf_oracle_counts left_counts;    /* ... and of each order the most matches */
} pfi_pareto;

void pfi_pareto_init(pfi_pareto *search, pfi_product *product, pfi_work *work);
void pfi_pareto_free(pfi_pareto *search);
uint64_t pfi_pareto_bytes(const pfi_pareto *search);

/* Sets the tangent at matches that are near those of the best path. */
void pfi_pareto_tangent(pfi_pareto *search, const pf_oracle_counts *near);

/* 4 ln of a score that nothing after the start exceeds. */
double pfi_pareto_bound(const pfi_pareto *search);

/* One pass. Complete hypotheses are in the list of the end. A limit sets `stopped`. PF_ENOMEM and others. */
pf_err pfi_pareto_run(pfi_pareto *search);

uint32_t pfi_pareto_end(const pfi_pareto *search); /* the first in the list of the end, or PFI_NONE_OF */
int pfi_pareto_compare(const pfi_pareto *search, uint32_t first, uint32_t second); /* paths, as ties are ordered */
pf_oracle_counts pfi_pareto_counts(const pfi_pareto *search, uint32_t hypothesis); /* of a complete one */
pf_err pfi_pareto_path(const pfi_pareto *search, uint32_t hypothesis, pf_path *out);

/* ---- the spaces of itg, without a graph: itg.c ---- */

typedef struct {
    pf_path path;
    pf_oracle_counts counts;
} pfi_solution;

typedef struct {
    PF_VEC(pfi_solution) best; /* in order; of a front, all that the last pass has found */
    double bound;              /* 4 ln of what no order exceeds */
    pf_oracle_counts rest;     /* of a front that is not whole: of each length what no other order exceeds */
    bool whole;                /* nothing is left that is not worse */
    uint64_t ties, joins;      /* orders as good as the first, where they were counted; pairs that were joined */
    bool stopped, out_of_memory;
} pfi_itg_answer;

/* Is the machine a permutation automaton of itg, alone or with what is told node by node? Weights of moves forbid nothing. */
bool pfi_itg_takes(pf_fst *fst, const pf_oracle_options *options);

/* The best orders; `front`: all that no other one betters. *out is freed by pfi_itg_answer_free. PF_ELIMIT: there is no order yet;
 * PF_ENOMEM; errors of labels. */
pf_err pfi_itg_search(pfi_product *product, pfi_work *work, bool front, pfi_itg_answer *out);
void pfi_itg_answer_free(pfi_itg_answer *answer);

/* The n orders with the fewest edits, of different permutations, where pfi_itg_takes the machine, which has slots; options->n. A
 * limit leaves an order and a bound. *out is freed by pf_answer_free. Errors of labels; PF_ENOMEM. itg_edits.c. */
pf_err pfi_itg_edits(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_answer *out);

/* The path with the fewest edits, of any acyclic machine: edit_beam.c. The same errors; PF_ELIMIT: there is no path yet. */
pf_err pfi_edit_best(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_answer *out);

/* ---- words and edits: edits.c ---- */

typedef PF_VEC(uint32_t) pfi_word_list; /* as numbers of references */

/* The words of references; and references that have these numbers, but no n-gram that could match. */
typedef struct {
    pf_oracle_references words, without;
} pfi_edit_words; /* pfi_edit_words_free, also after an error */
pf_err pfi_edit_words_read(pfi_edit_words *own, const char *const *line, size_t lines);
void pfi_edit_words_free(pfi_edit_words *own);

/* The words of one of the lines, after those of the list. */
pf_err pfi_edit_words_of(const pfi_edit_words *own, const char *line, pfi_word_list *out);

/* For the words of labels. */
void pfi_edit_product(pfi_product *product, pf_fst *fst, const pfi_edit_words *own, const pf_oracle_options *options);

/* The edits of n words to the words of a reference from `begin` on, up to each end: row[begin .. length] (Wagner & Fischer
 * 1974). */
void pfi_edit_row(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t length, uint32_t *row);

/* Words of the reference are deleted directly before one that matches, or at the end: of one word, other ends are not needed. */
bool pfi_edit_needed(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t end);

/* ---- permutation automata whose costs are a score: reweighed.c ---- */

typedef struct pfi_linear_model pfi_linear_model;

typedef struct {
    pf_fst *costs;            /* what is to be searched; one of: */
    pf_fst *space, *scored;
    pfi_linear_model *model;  /* NULL: the score is of orders */
    pf_scorer scorer;
} pfi_reweighed; /* pfi_reweighed_free; stays where it is */

/* Both take a permutation automaton (pf_is_perm), which must outlive what they make; the first one's words have symbols. Costs
 * and errors as in additive.h. After an error there is nothing to free. */
pf_err pfi_reweigh_linear(pfi_reweighed *own, pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                          const pf_oracle_options *options);
pf_err pfi_reweigh_order(pfi_reweighed *own, pf_fst *fst, bool chunks, const unsigned *order, size_t n);
void pfi_reweighed_free(pfi_reweighed *own);

/* What a word gains by linear BLEU, and what each n-gram does that ends with it. */
void pfi_linear_thetas(const pf_linear_bleu *how, double theta[1 + PF_ORACLE_ORDER]);

/* ---- when there is no graph: limited.c, greedy.c ---- */

/* PF_EINPUT: the machine has a cycle that can be reached; PF_ELIMIT: that is not known, also when many states were looked at. */
pf_err pfi_refuse_cycle(pf_fst *fst);

/* What no path gains by linear BLEU; -INFINITY: there is no path. The same errors. */
pf_err pfi_linear_most(pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                       const pf_oracle_options *options, double *out);

/* Some path, by a beam on the automaton itself. */
pf_err pfi_greedy(pfi_product *product, pf_path *out);

/* The same, by itself. Into *out, which has types and symbols. */
pf_err pfi_greedy_answer(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options, pf_answer *out);

#endif
