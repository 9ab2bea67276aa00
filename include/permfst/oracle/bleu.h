/* The path of an acyclic automaton with the best sentence BLEU, exactly or with a proven gap (Dreyer et al. 2007, section 3).
 *
 * What a path prints is compared with the references of its sentence: matches are clipped, and the penalty for short paths is in
 * the score. Hypotheses are paths to a state of the automaton and a history (references.h). One is better than another there if it
 * has at least as many matches of each length, and has used up no more of the n-grams that a path can have more often than the
 * references: only such hypotheses are dropped (Pareto search), and those whose bound is below a score that is known. Of two paths
 * of equal score, the one with fewer arcs comes first; then input labels decide (in a permutation automaton: the permutation), then
 * output labels. Arc weights do not count. The graph has as many nodes as there are states and histories, and hypotheses are
 * exponential at worst: limits bound both. What is asked of an answer is O(1). */
#ifndef PF_ORACLE_BLEU_H
#define PF_ORACLE_BLEU_H

#include <permfst/machine/answer.h>
#include <permfst/oracle/references.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What Dreyer et al. leave out: clipping; all hypotheses but one of a state of the automaton and the last three words, the one with
 * the best BLEU of what it has printed. Nothing is proven then. */
enum { PF_ORACLE_WITHOUT_CLIPS = 1, PF_ORACLE_ONE_A_STATE = 2, PF_ORACLE_DREYER = 3 };

typedef struct {
    size_t n;              /* paths wanted; 0 is taken as 1 */
    bool without_brevity;
    bool ties;             /* count the paths with the best score */
    unsigned approximate;  /* a sum of the above */
    const char *joiner;    /* where the words of an output label are joined ("to-me": "-"); NULL: a label is a word */
    const pf_oracle_counts *known; /* n = 1: those of a path of the machine; nothing worse is looked for. NULL: none */
    uint64_t max_states;   /* hypotheses made and states visited, together; 0: any number */
    uint64_t max_bytes;    /* what the search takes, with the automaton: the first path may take more; as in search/best.h */
    bool all_bytes;
    bool (*expired)(void *self);
    void (*progress)(void *self, uint64_t states);
    void *self;
} pf_oracle_options; /* all zero: the best path, exactly */

typedef struct {
    pf_answer answer;      /* weights of arcs are 0, the final one is -ln(score), at most 1e6 */
    PF_VEC(pf_oracle_counts) counts; /* of each path */
    double score;          /* of the first path, 0 to 1; 0 if there is none */
    bool approximate;      /* nothing is proven */
    double bound;          /* no path has a greater score: the first one is the best if they are equal */
    uint64_t ties;         /* paths with the best score, as counted; UINT64_MAX: that many or more; 0: not counted */
} pf_oracle_answer; /* pf_oracle_answer_free */

/* The n best paths; fewer if there are no more. `references` has at least one reference; the output labels of the automaton have a
 * symbol table, or are words as numbers. A limit that is met ends the search with the best path found (answer.stopped) and the
 * bound. *out is freed by pf_oracle_answer_free, also after an error. PF_EINPUT: the automaton has a cycle; PF_ELIMIT: a limit
 * before there was a path; PF_ENOMEM; the errors of the automaton. */
pf_err pf_oracle_bleu(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options, pf_oracle_answer *out);
void pf_oracle_answer_free(pf_oracle_answer *answer);

/* How much better another path can be, in BLEU points (0 to 100), rounded up to two digits; 0: the first path is a best one. */
double pf_oracle_gap(const pf_oracle_answer *answer);

/* What is proven, in words: "optimal", "gap <= 1.73" (BLEU points), or "approximate". Returns `words`. */
enum { PF_ORACLE_PROOF_BYTES = 40 };
const char *pf_oracle_proof(const pf_oracle_answer *answer, char words[PF_ORACLE_PROOF_BYTES]);

/* All counts that paths can have and that no path of the same length betters. They are for corpora, whose BLEU is computed from
 * sums of counts. Each has the first path with these counts. Those of one length follow one another, in falling order. If a limit
 * ends the search, the front has what was found, and `rest` has, for each order of n-grams, what no other path exceeds. */
typedef struct {
    pf_oracle_counts counts;
    pf_path path;
} pf_oracle_choice;
typedef struct {
    PF_VEC(pf_oracle_choice) choice;
    bool whole;              /* all of it */
    bool out_of_memory;      /* ... and the limit was the memory */
    pf_oracle_counts rest;   /* where it is not */
    pf_symtab *isyms, *osyms; /* one reference each, or NULL */
} pf_oracle_front;

/* Finds the front of a machine. *out is freed by pf_oracle_front_free, also after an error. Errors of pf_oracle_bleu. */
pf_err pf_oracle_front_of(pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options,
                          pf_oracle_front *out);
void pf_oracle_front_free(pf_oracle_front *front);

#ifdef __cplusplus
}
#endif
#endif
