/* Rules applied to one sentence, and figures about the lattices of many. Sums and lines of figures are O(digits). */
#ifndef PF_RULES_APPLY_H
#define PF_RULES_APPLY_H

#include <permfst/base/writer.h>
#include <permfst/machine/symtab.h>
#include <permfst/rules/lattice.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const pf_rules *rules; /* NULL: no rules and no monotone path, only the permutations that are added */
    bool weighted;         /* false: nothing costs anything */
    float added_cost;      /* of a permutation that is added, at least 0 */
} pf_rule_apply_options;

typedef struct {
    const pf_input *input;
    const pf_symtab *symbols;    /* of the words of the input, for rules with a lexicon */
    const pf_words *tags;        /* a tag a word; not used for rules of one tag, or without rules */
    const pf_permutation *added; /* permutations of the words, which are added after the rules were matched */
    size_t n_added;
} pf_rule_sentence;

/* The lattice of a sentence, and how many matches of rules it has. The rules are only read, so any number of threads may share
 * them. PF_EINPUT: a word without a name, for rules with a lexicon; PF_EARG: too few or too many tags; PF_ENOMEM. *out belongs to
 * the caller. Cost: that of pf_rule_lattice_match and pf_rule_lattice_add. */
pf_err pf_rules_apply(const pf_rule_apply_options *options, const pf_rule_sentence *sentence, pf_rule_lattice **out,
                      uint64_t *matches);

/* ---- figures ---- */

/* What there is to know of one lattice. */
typedef struct {
    unsigned words;
    uint64_t matches;
    pf_rule_lattice_size size;
    mpz_t paths;  /* set up by ..._init */
    bool covered; /* is a reference in it? */
} pf_rule_figures;
void pf_rule_figures_init(pf_rule_figures *figures);
void pf_rule_figures_free(pf_rule_figures *figures);

/* The figures of a lattice with `matches` matches; reference NULL: none. PF_ENOMEM. O(arcs) additions of large numbers. */
pf_err pf_rule_figures_of(pf_rule_figures *figures, const pf_rule_lattice *lattice, uint64_t matches,
                          const pf_permutation *reference);

/* Writes them as a line: number, words, matches, states, arcs, paths, and with a reference whether it is covered.
 * Errors of the writer; PF_ENOMEM. */
pf_err pf_rule_figures_write(const pf_rule_figures *figures, uint64_t number, bool reference, pf_writer *writer);

/* Sums over lattices. */
typedef struct {
    uint64_t sentences, words, matches, states, arcs, covered;
    double log10_paths; /* the sum of the logarithms */
    mpz_t paths;        /* set up by ..._init */
} pf_rule_totals;
void pf_rule_totals_init(pf_rule_totals *totals);
void pf_rule_totals_free(pf_rule_totals *totals);
void pf_rule_totals_add(pf_rule_totals *totals, const pf_rule_figures *figures);

/* Writes the sums and the means, a name and a number a line; `rules` is how many rules were applied.
 * Errors of the writer; PF_ENOMEM. */
pf_err pf_rule_totals_write(const pf_rule_totals *totals, uint64_t rules, bool reference, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
