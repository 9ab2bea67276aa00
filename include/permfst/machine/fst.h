/* The one machine type: a weighted finite-state transducer whose states are expanded when somebody asks.
 *
 * A machine is an array of state records. A record that is not done yet is filled by the machine's operation (a
 * permutation automaton, a composition, ...) at its first use; a machine that was read or built has no operation and all
 * its records are done. Algorithms see start, final and arcs only. Arcs never move once they are there.
 *
 * A failed expansion gives a state without arcs and an error that stays with the machine (pf_fst_error): algorithms look
 * at it before they answer. What is asked and set is O(1); expanding is O(arcs) of what the operation looks at. */
#ifndef PF_MACHINE_FST_H
#define PF_MACHINE_FST_H

#include <permfst/base/arena.h>
#include <permfst/base/err.h>
#include <permfst/base/vec.h>
#include <permfst/machine/semiring.h>
#include <permfst/machine/symtab.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t pf_state; /* dense, in order first seen */
#define PF_NO_STATE UINT32_MAX

#define PF_MAX_WORDS 65535u /* positions of a sentence */

typedef struct {
    pf_label in, out;
    float w;
    pf_state to;
} pf_arc; /* 16 bytes, as OpenFst's StdArc */

typedef struct {
    const pf_arc *arc;
    uint32_t n;
} pf_arcs; /* borrowed; valid as long as the machine */

/* What an operation fills for one state. */
typedef struct {
    PF_VEC(pf_arc) arcs;
    float final; /* INFINITY: not final */
} pf_emit;

/* Adds an arc. PF_ENOMEM. */
static inline pf_err pf_emit_arc(pf_emit *to, pf_label in, pf_label out, float weight, pf_state next) {
    pf_arc arc = {in, out, weight, next};
    return PF_PUSH(&to->arcs, arc);
}

struct pf_fst;
struct pf_con; /* a constraint, of permute/con.h */
struct pf_wm;  /* a weight model, of permute/wm.h */
struct pf_gain; /* what labels gain, of ops/most.h */

/* What a permutation automaton is made of, for searches that look further than one arc. Slot j of a sentence has the arcs
 * first[j] .. first[j+1]-1, alternatives of which every path takes one: `out` and its own cost `w`. Of a word graph, slot j is node
 * j, and n is the last node: an arc leads to the node `to`, which is after j, and a path takes the arcs of a path of the graph. */
typedef struct {
    unsigned n;
    const uint32_t *first;
    const pf_arc *arc;
    bool positions;    /* an input label is 1 + the slot; else it is `in` of the arc */
    bool nonnegative;  /* what a move costs beyond its arc's own `w`, and the end, is never below 0 */
    float final;       /* the cost of the end */
    const struct pf_wm *weights; /* what a move costs beyond its arc's own `w`; borrowed */
} pf_slots_view;

struct pf_moves_store; /* of machine/moves.h */

/* An operation expands states. `self` is its own data, which `free` frees (NULL: there is nothing to free). */
typedef struct {
    const char *name;
    pf_err (*expand)(void *self, pf_state state, pf_emit *to); /* called once for each state */
    void (*free)(void *self);
    void (*slots)(const void *self, pf_slots_view *out);               /* NULL: it is not a permutation automaton */
    void (*graph)(const void *self, pf_slots_view *out);               /* NULL: it is not one of a word graph */
    void (*cover)(const void *self, pf_state state, uint64_t *slots);      /* those visited before `state`, (n + 63) / 64 words */
    bool (*nonnegative)(const void *self); /* for pf_fst_nonnegative; NULL: it is not known */
    const struct pf_con *(*space)(const void *self); /* for pf_fst_space; NULL: it has none */
    uint64_t (*bytes)(const void *self); /* for pf_fst_bytes; NULL: nothing of its own grows while it expands */
    pf_err (*most)(void *self, const struct pf_gain *gain, double *out); /* for pf_most_known; NULL: slots or graph tell it */

    /* Fills `to`, an ordinary machine without states, with all that expand() would give: states numbered as they are first seen
     * when they are expanded in the order of their numbers, each on a path to a final state. None of the states of `fst`, which is
     * the machine of `self`, is done by this. Limits and the store as in pf_expand_shared. NULL: only expand() does it. */
    pf_err (*whole)(const struct pf_fst *fst, uint64_t max_states, struct pf_moves_store *store, struct pf_fst *to);
} pf_op;

typedef struct {
    const pf_arc *arc;
    uint32_t n; /* PF_NOT_DONE before the expansion */
    float final;
} pf_fst_record;
#define PF_NOT_DONE UINT32_MAX

typedef struct pf_fst {
    pf_arc_type type;
    pf_state start; /* PF_NO_STATE: the empty machine, which accepts nothing */
    bool layered;   /* its maker has proved that all paths into a state have the same number of arcs, and all whole paths too,
                       except for a tuple that stands alone (ops/units.h) */
    PF_VEC(pf_label) alphabet; /* of a layered machine: every output label that may occur, ascending */
    PF_VEC(pf_fst_record) state;
    pf_arena arcs;
    uint64_t expanded, narcs; /* states done, their arcs; of a stored machine all there are */
    void (*watch)(void *watcher, uint64_t expanded);
    void *watcher;
    bool (*expired)(void *asked);
    void *asked;
    const pf_op *op;          /* NULL: every state is done */
    void *self;
    pf_emit emit;
    pf_symtab *isyms, *osyms; /* one reference each, or NULL */
    pf_err err;
} pf_fst;

/* A machine without states. With an operation it is lazy: start must be set and `self` belongs to it from now on, also
 * when this fails. *out belongs to the caller. PF_ENOMEM. */
pf_err pf_fst_new(pf_arc_type type, const pf_op *op, void *self, pf_fst **out);
void pf_fst_free(pf_fst *fst);

/* Takes references to the tables (either may be NULL) and drops those it had. */
void pf_fst_set_symbols(pf_fst *fst, pf_symtab *isyms, pf_symtab *osyms);

/* From now on `watch` is called from time to time while the machine is expanded, with the number of states done; NULL: nothing
 * is called. A machine whose states are all done does not change. */
void pf_fst_watch(pf_fst *fst, void (*watch)(void *watcher, uint64_t expanded), void *watcher);

/* From now on `expired` is asked from time to time while the machine is expanded; when it says so, expanding ends with PF_ELIMIT,
 * "interrupted". NULL: nobody is asked. */
void pf_fst_expires(pf_fst *fst, bool (*expired)(void *asked), void *asked);

/* What every expansion does when so many states are done: now and then it calls the watcher, and asks if the machine has expired.
 * PF_ELIMIT: it has. */
pf_err pf_fst_look(const pf_fst *fst, uint64_t expanded);

/* PF_ELIMIT: no more than max_states are to be expanded, and so many were seen that are not. */
pf_err pf_fst_past_limit(uint64_t max_states, uint64_t waiting);

/* PF_ELIMIT: there are more arcs than an automaton can have, UINT32_MAX. */
pf_err pf_fst_past_arcs(void);

/* Expands a state of a lazy machine, which is not done yet; use the accessors below. The result is fst->err:
 * PF_ENOMEM, or what the operation of the machine says. */
pf_err pf_fst_expand(pf_fst *fst, pf_state state);

extern const pf_fst_record pf_fst_no_record; /* no arcs, not final: for a state that has no record because memory was out */

static inline const pf_fst_record *pf_fst_record_of(pf_fst *fst, pf_state state) {
    if ((state >= fst->state.n || fst->state.at[state].n == PF_NOT_DONE) && pf_fst_expand(fst, state) &&
        state >= fst->state.n)
        return &pf_fst_no_record;
    return &fst->state.at[state];
}

/* The arcs of a state, and its final cost (INFINITY: not final). O(1) once the state is done. */
static inline pf_arcs pf_fst_arcs(pf_fst *fst, pf_state state) {
    const pf_fst_record *record = pf_fst_record_of(fst, state);
    pf_arcs arcs = {record->arc, record->n};
    return arcs;
}
static inline float pf_fst_final(pf_fst *fst, pf_state state) { return pf_fst_record_of(fst, state)->final; }

/* The sticky error of an expansion; PF_OK if there was none. */
static inline pf_err pf_fst_error(const pf_fst *fst) { return fst->err; }

/* Is no weight below 0, also of what is not expanded yet? False where that is not known. Expands nothing. O(arcs) of the
 * machines that it is made of; shared ones have the answer stored. */
bool pf_fst_nonnegative(const pf_fst *fst);

/* The space of a machine: the constraint that says which permutations its paths can have. A permutation automaton has one, and
 * so has a machine that follows such an automaton path by path: a composition whose first operand it is, with models or with
 * another machine, a translation too; these may lack paths of the space, or have several of one. NULL: there is none. Borrowed,
 * it lives as long as the machine and changes while the machine is expanded (pf_con_probes). O(1) for each machine inside. */
const struct pf_con *pf_fst_space(const pf_fst *fst);

/* The bytes that a machine takes for its states and arcs, with the tables of its operation and of the machines that it is made of.
 * O(1) for each machine inside. */
uint64_t pf_fst_bytes(const pf_fst *fst);

/* Expands every state, after which pf_fst_states is their number. PF_ELIMIT past 2^31 - 1 of them; errors of expanding. */
pf_err pf_fst_complete(pf_fst *fst);

/* The number of states known so far; for a machine that was read or built, of all states. */
static inline pf_state pf_fst_states(const pf_fst *fst) { return (pf_state)fst->state.n; }

#ifdef __cplusplus
}
#endif
#endif
