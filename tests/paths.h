/* Machines whose paths are all listed by walking them: what searches are compared with. */
#ifndef PATHS_H
#define PATHS_H

#include <permfst/permfst.h>

enum { MAX_ARCS = 24 };

typedef struct {
    double cost;
    unsigned n;
    pf_label in[MAX_ARCS], out[MAX_ARCS];
    const pf_symtab *osyms;
} path;

typedef struct {
    PF_VEC(path) at;
} paths;

/* Every path of at most MAX_ARCS arcs and of a cost up to `most`, in the documented order: cost, arcs, inputs, outputs. The
 * caller frees it with PF_VEC_FREE(&all.at). */
paths all_paths(pf_fst *f, double most);

/* The same cost and labels? */
void expect_path(const path *want, const pf_path *got);

/* What an answer claims of a machine whose paths are known, where n paths were asked for: paths of it at their true costs, best
 * first; no path below its bound that is missing; its first paths proven; a gap that no rank exceeds; optimal, then all there
 * are. */
void expect_certificate(const pf_answer *answer, const paths *all, size_t n);

/* The chart finds the first paths, as many as are asked for, and proves them. And what it claims is true where it is pruned, for
 * 1, 4 and 7 paths. */
void expect_best_of_chart(pf_fst *fst, const paths *all, const pf_best_options *options);
void expect_claims_of_chart(pf_fst *fst, const paths *all, pf_best_options options);

/* Takes epsilon arcs out of paths, and sorts the paths by inputs and outputs. */
void paths_by_labels(paths *all);

/* Each path of the lattice, which may be NULL, is one of `want`, at its cost, and there once; unless it is pruned by a beam, all
 * that cost up to `more` than the best are there. `want` is sorted by labels. */
void expect_paths(pf_fst *lattice, const paths *want, bool pruned, double more);

/* The shipped trigram model, for groups of tests that begin with read_model and end with free_model. */
extern pf_model model;
int read_model(void **state);
int free_model(void **state);

/* The composition of an automaton with this model. The caller frees it, and then the automaton. */
pf_fst *with_model(pf_fst *fst);

/* The end of a sentence of n positions: the automaton that was built, with its words, which belong to it from now on. */
pf_fst *finish_sentence(pf_build *build, unsigned n, float final, pf_symtab *words);

/* The first n words of a text; with `alternatives` an odd word gets one of its own cost, and one that prints nothing. */
pf_fst *sentence(const char *text, unsigned length, bool alternatives);

typedef struct {
    const char *con[2], *wm;
} space;

enum { SPACES = 13, TEXTS = 3 };
extern const space spaces[SPACES];
extern const char *const texts[TEXTS];
pf_fst *permute(pf_fst *linear, const space *s);

/* The table of moves of a space for n positions, from a store, to which the caller gives it back. NULL: it has more than `most`
 * moves. `weights` may be NULL. */
const pf_moves *take_moves(pf_moves_store *store, const char *spec, unsigned n, const char *weights, uint32_t most);

/* Some three to seven states, with epsilons; weights from `least` in steps of a half. The same everywhere for a seed. */
pf_fst *random_machine(uint64_t seed, bool cyclic, float least);

/* A copy of a stored machine in which one arc costs `less` less. */
pf_fst *cheaper(pf_fst *f, uint64_t seed, float less);

/* A copy of a stored machine whose paths cost the same, but not their beginnings: each state has a potential, in steps of a half,
 * which an arc into it takes away and an arc out of it adds. */
pf_fst *with_potentials(pf_fst *f, uint64_t seed);

/* For the options of a search: the time is over from the beginning. */
bool at_once(void *self);

#endif
