/* Coverage x constraint x weight model, interned to states. */
#include <permfst/permute/perm.h>

#include <permfst/base/statetab.h>
#include <permfst/permute/graph.h>
#include "permute/moves_impl.h"
#include "permute/perm_walk_impl.h"
#include "permute/short_key_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PARTS = 256 }; /* the most parts of the table of states, which is split by level */

typedef struct {
    pf_input input;
    pf_con *con;
    pf_wm *wm;
    bool acceptor;
    bool borrows; /* the constraint belongs to another automaton */
    pf_statetab states;
    bool is_short;       /* no move costs anything, and states have short keys: */
    pfi_short_keys keys;
    pfi_perm_walk walk;
    unsigned char *next; /* scratch: the key of a state */
} perm_machine;

static void perm_free(void *self) {
    perm_machine *perm = self;
    pf_input_free(&perm->input);
    if (!perm->borrows) pf_con_free(perm->con);
    pf_wm_free(perm->wm);
    pf_statetab_free(&perm->states);
    pfi_perm_walk_free(&perm->walk);
    free(perm->next);
    free(perm);
}

/* One arc of a slot. A weight of -0 becomes 0, as it is added to a cost. */
static pf_err slot_arc(const perm_machine *perm, unsigned position, const pf_arc *word, double cost, pf_state next, pf_arc *out) {
    const double sum = cost + (double)word->w;
    if (!(fabs(sum) <= (double)FLT_MAX) && word->w != INFINITY)
        return pf_fail(PF_EINPUT, "the weights of a move to position %u add up to %g, which is too large for an arc",
                       position + 1, sum);
    *out = (pf_arc){perm->acceptor ? word->in : (pf_label)(position + 1), word->out, (float)sum, next};
    return PF_OK;
}

static pf_err emit_slot(const perm_machine *perm, unsigned position, double cost, pf_state next, pf_emit *to) {
    const uint32_t first = perm->input.first[position], end = perm->input.first[position + 1];
    PF_TRY(PF_ROOM(&to->arcs, end - first));
    for (uint32_t i = first; i < end; i++)
        PF_TRY(slot_arc(perm, position, &perm->input.arc[i], cost, next, &to->arcs.at[to->arcs.n++]));
    return PF_OK;
}

/* The moves where a key is a coverage of one word, as it is in most spaces. */
static pf_err emit_moves_word(perm_machine *perm, unsigned level, pf_emit *to) {
    uint64_t b, rest = perm->walk.con.moves[0];
    const double *costs = perm->walk.cost;
    memcpy(&b, perm->walk.con.key, sizeof b);
    for (; rest; rest &= rest - 1) {
        pf_state next;
        unsigned position = pf_bits_first(rest);
        PF_TRY(pf_statetab_intern_word(&perm->states, level, b | UINT64_C(1) << position, &next));
        PF_TRY(emit_slot(perm, position, *costs++, next, to));
    }
    assert(costs == perm->walk.cost + perm->walk.count);
    return PF_OK;
}

static pf_err emit_moves(perm_machine *perm, unsigned level, pf_emit *to) {
    const double *costs = perm->walk.cost;
    const pf_con_walk *con = &perm->walk.con;
    for (unsigned position = pf_con_walk_next(con, 0); position < perm->con->n; position = pf_con_walk_next(con, position + 1)) {
        pf_state next;
        size_t length = pfi_perm_walk_step(&perm->walk, position, perm->next);
        PF_TRY(pf_statetab_intern_part(&perm->states, level, perm->next, length, &next, NULL));
        PF_TRY(emit_slot(perm, position, *costs++, next, to));
    }
    assert(costs == perm->walk.cost + perm->walk.count);
    return PF_OK;
}

static uint64_t short_key(const perm_machine *perm, pf_state state) {
    uint64_t key;
    size_t length;
    memcpy(&key, pf_statetab_key(&perm->states, state, &length), sizeof key);
    assert(length == sizeof key);
    return key;
}

/* The plain way is that below, for all spaces: states and arcs are the same, in the same order. */
static pf_err expand_short(perm_machine *perm, pf_state state, pf_emit *to) {
    uint16_t position[PFI_SHORT_MOVES];
    uint64_t next_key[PFI_SHORT_MOVES], key = short_key(perm, state);
    unsigned first_move, covered = pfi_short_covered(&perm->keys, key);
    const unsigned count = pfi_short_moves(&perm->keys, &key, 1, &first_move, position, next_key);
    if (covered == perm->con->n) to->final = perm->input.final;
    for (unsigned move = 0; move < count; move++) {
        const uint32_t first = perm->input.first[position[move]], end = perm->input.first[position[move] + 1];
        pf_state next;
        PF_TRY(pf_statetab_intern_word(&perm->states, covered + 1, next_key[move], &next));
        PF_TRY(PF_ROOM(&to->arcs, end - first));
        for (uint32_t at = first; at < end; at++) {
            const pf_arc *word = &perm->input.arc[at]; /* a weight of -0 becomes 0, as in a sum */
            pf_label in = perm->acceptor ? word->in : (pf_label)(position[move] + 1);
            assert(fabsf(word->w) <= FLT_MAX || word->w == INFINITY);
            to->arcs.at[to->arcs.n++] = (pf_arc){in, word->out, word->w + 0, next};
        }
    }
    return PF_OK;
}

static pf_err perm_expand(void *self, pf_state state, pf_emit *to) {
    perm_machine *perm = self;
    size_t length;
    if (perm->is_short) return expand_short(perm, state, to);
    const void *key = pf_statetab_key(&perm->states, state, &length);
    PF_TRY(pfi_perm_walk_load(&perm->walk, key, length)); /* a copy: the table may move when it grows */
    if (perm->walk.con.covered == perm->con->n) to->final = perm->input.final;
    unsigned level = perm->walk.con.covered + 1;
    return perm->states.fixed == sizeof(pf_cover) ? emit_moves_word(perm, level, to) : emit_moves(perm, level, to);
}

/* ---- all states at once ---- */

/* How many arcs the moves have. */
static pf_err count_arcs(const pf_input *input, const pf_moves *moves, size_t *out) {
    const uint32_t count = moves->first[moves->states];
    const bool one_each = input->first[input->n] == input->n;
    uint64_t arcs = one_each ? count : 0;
    for (uint32_t i = 0; !one_each && i < count; i++)
        arcs += input->first[moves->position[i] + 1] - input->first[moves->position[i]];
    *out = (size_t)arcs;
    return arcs <= UINT32_MAX ? PF_OK : pf_fst_past_arcs();
}

/* The arcs of the slots, as they are where moves cost nothing. */
static pf_err free_arcs(const perm_machine *perm, pf_arc **out) {
    const pf_input *input = &perm->input;
    if (!(*out = malloc((input->first[input->n] + (size_t)1) * sizeof **out))) return pf_nomem();
    for (unsigned position = 0; position < input->n; position++)
        for (uint32_t at = input->first[position]; at < input->first[position + 1]; at++)
            PF_TRY(slot_arc(perm, position, &input->arc[at], 0, PF_NO_STATE, &(*out)[at]));
    return PF_OK;
}

/* The arcs of a move. */
static pf_err move_arcs(const perm_machine *perm, const pf_moves *moves, uint32_t move, const pf_arc *ready, pf_arc **next) {
    const unsigned position = moves->position[move];
    for (uint32_t at = perm->input.first[position]; at < perm->input.first[position + 1]; at++, ++*next)
        if (moves->cost) PF_TRY(slot_arc(perm, position, &perm->input.arc[at], moves->cost[move], moves->to[move], *next));
        else **next = (pf_arc){ready[at].in, ready[at].out, ready[at].w, moves->to[move]};
    return PF_OK;
}

/* There is room for the states, and at `next` for the arcs. */
static pf_err fill_states(const perm_machine *perm, const pf_moves *moves, const pf_arc *ready, pf_arc *next, pf_fst *to) {
    for (pf_state state = 0; state < moves->states; state++) {
        const pf_arc *first = next;
        for (uint32_t move = moves->first[state]; move < moves->first[state + 1]; move++)
            PF_TRY(move_arcs(perm, moves, move, ready, &next));
        const bool last = state + 1 == moves->states;
        to->state.at[state] =
            (pf_fst_record){next > first ? first : NULL, (uint32_t)(next - first), last ? perm->input.final : INFINITY};
    }
    to->state.n = moves->states;
    return PF_OK;
}

static pf_err fill_whole(const perm_machine *perm, const pf_moves *moves, pf_fst *to) {
    size_t arcs;
    pf_arc *ready = NULL, *first = NULL;
    assert(moves->level[moves->n] + 1 == moves->states); /* all orders end in one state, the last */
    PF_TRY(count_arcs(&perm->input, moves, &arcs));
    PF_TRY(PF_ROOM(&to->state, moves->states));
    if (arcs && !(first = pf_arena_get(&to->arcs, arcs * sizeof *first))) return pf_nomem();
    pf_err err = free_arcs(perm, &ready);
    if (!err) err = fill_states(perm, moves, ready, first, to);
    free(ready);
    to->expanded = moves->states;
    to->narcs = arcs;
    return err;
}

/* By a table of its own. */
static pf_err make_whole(const perm_machine *perm, const pfi_moves_task *task, pf_fst *to) {
    pf_moves moves;
    bool stopped;
    pf_err err = pfi_moves_make(perm->con, perm->wm, task, &moves, &stopped);
    if (!err && !moves.level) err = pf_fst_past_arcs();
    if (!err) err = fill_whole(perm, &moves, to);
    pfi_moves_clear(&moves);
    return err;
}

/* Where the size is known, no state is made of a machine that has too many. States of a weight model make it larger. */
static pf_err check_size(const perm_machine *perm, uint64_t max_states) {
    if (!max_states) return PF_OK;
    const pf_moves_size size = pf_moves_size_of(perm->con, perm->wm);
    if (!size.known || size.states <= (double)max_states) return PF_OK;
    return pf_fail(PF_ELIMIT, "the limit of %llu states is reached: there are at least %.15g", (unsigned long long)max_states,
                   size.states);
}

/* The plain way is that of perm_expand, state by state. */
static pf_err perm_whole(const pf_fst *fst, uint64_t max_states, pf_moves_store *store, pf_fst *to) {
    const perm_machine *perm = fst->self;
    const pfi_moves_task task = {{.most = UINT32_MAX}, max_states, fst};
    const pf_moves *shared = NULL;
    PF_TRY(check_size(perm, max_states));
    if (store) PF_TRY(pfi_moves_share(store, perm->con, perm->wm, &task, &shared));
    if (!shared) return make_whole(perm, &task, to);
    pf_err err = fill_whole(perm, shared, to);
    pf_moves_give_back(store, shared);
    return err;
}

static void perm_slots(const void *self, pf_slots_view *out) {
    const perm_machine *perm = self;
    *out = (pf_slots_view){perm->input.n, perm->input.first, perm->input.arc, !perm->acceptor, perm->walk.nonnegative &&
                           perm->input.final >= 0, perm->input.final, perm->wm};
}

static void perm_cover(const void *self, pf_state state, uint64_t *slots) {
    const perm_machine *perm = self;
    size_t length;
    if (perm->is_short) {
        pfi_short_cover(&perm->keys, short_key(perm, state), slots);
        return;
    }
    memcpy(slots, pf_statetab_key(&perm->states, state, &length), perm->walk.con.cover_bytes);
}

static bool perm_nonnegative(const void *self) {
    pf_slots_view view;
    perm_slots(self, &view);
    for (uint32_t i = 0; i < view.first[view.n]; i++)
        if (view.arc[i].w < 0) return false;
    return view.nonnegative;
}

static const struct pf_con *perm_space(const void *self) { return ((const perm_machine *)self)->con; }

static uint64_t perm_bytes(const void *self) { return pf_statetab_bytes(&((const perm_machine *)self)->states); }

static const pf_op perm_op = {
    .name = "perm", .expand = perm_expand, .free = perm_free, .slots = perm_slots, .cover = perm_cover,
    .nonnegative = perm_nonnegative, .space = perm_space, .bytes = perm_bytes, .whole = perm_whole,
};

static pf_err make_wm(const pf_perm_spec *spec, unsigned length, pf_wm **out) {
    pf_wm **part = calloc(spec->n_wm + 1, sizeof(pf_wm *));
    if (!part) return pf_nomem();
    pf_err err = PF_OK;
    size_t made = 0;
    while (!err && made < spec->n_wm)
        if (!(err = pf_wm_new(&spec->wm[made], length, &part[made]))) made++;
    if (!err) err = pf_wm_sum(part, made, length, out);
    else
        while (made) pf_wm_free(part[--made]);
    free(part);
    return err;
}

pf_err pf_perm_check(const pf_perm_spec *spec) {
    for (size_t i = 0; i < spec->n_con; i++) PF_TRY(pf_con_check(spec->con[i]));
    for (size_t i = 0; i < spec->n_wm; i++) PF_TRY(pf_wm_check(spec->wm[i].spec));
    return PF_OK;
}

static pf_err take_spec(perm_machine *perm, pf_fst *linear, const pf_perm_spec *spec) {
    PF_TRY(pf_input_read(linear, &perm->input));
    PF_TRY(pf_con_all(spec->con, spec->n_con, perm->input.n, &perm->con));
    return make_wm(spec, perm->input.n, &perm->wm);
}

static pf_err set_up(perm_machine *perm, pf_state *start) {
    unsigned n = perm->input.n, parts = n < PARTS ? n + 1 : PARTS;
    PF_TRY(pfi_perm_walk_init(&perm->walk, perm->con, perm->wm));
    perm->is_short = !pf_wm_weighs(perm->wm) && pfi_short_keys_init(&perm->keys, perm->con);
    pf_statetab_init_parts(&perm->states, perm->is_short ? sizeof(uint64_t) : pfi_perm_walk_fixed(&perm->walk), parts);
    if (perm->is_short) return pf_statetab_intern_word(&perm->states, 0, pfi_short_start(&perm->keys), start);
    if (!(perm->next = malloc(pfi_perm_walk_room(&perm->walk)))) return pf_nomem();
    return pf_statetab_intern(&perm->states, perm->walk.con.key, pfi_perm_walk_start(&perm->walk), start, NULL);
}

/* The automaton of what is set up. It owns `perm` from now on, also when this fails. */
static pf_err make_machine(perm_machine *perm, pf_arc_type type, pf_symtab *words, pf_fst **out) {
    pf_state start;
    pf_err err = set_up(perm, &start);
    if (err) {
        perm_free(perm);
        return err;
    }
    PF_TRY(pf_fst_new(type, &perm_op, perm, out));
    (*out)->start = start;
    (*out)->layered = true;
    if ((err = pf_input_alphabet(&perm->input, *out))) {
        pf_fst_free(*out);
        *out = NULL;
        return err;
    }
    pf_fst_set_symbols(*out, perm->acceptor ? words : NULL, words);
    return PF_OK;
}

pf_err pf_perm_lazy(pf_fst *linear, const pf_perm_spec *spec, pf_fst **out) {
    if (pf_graph_wanted(linear, spec->con, spec->n_con)) return pf_graph_lazy(linear, spec, out);
    perm_machine *perm = calloc(1, sizeof *perm);
    if (!perm) return pf_nomem();
    perm->acceptor = spec->acceptor;
    pf_err err = take_spec(perm, linear, spec);
    if (!err) return make_machine(perm, linear->type, linear->osyms, out);
    perm_free(perm);
    return err;
}

/* ---- the same with other weights ---- */

bool pf_is_perm(const pf_fst *fst) { return fst->op == &perm_op; }

static pf_err copy_words(const pf_input *from, pf_input *to) {
    size_t arcs = from->first[from->n];
    *to = (pf_input){.n = from->n};
    to->first = malloc((from->n + (size_t)1) * sizeof *to->first);
    to->arc = malloc((arcs + 1) * sizeof *to->arc);
    if (!to->first || !to->arc) return pf_nomem();
    memcpy(to->first, from->first, (from->n + (size_t)1) * sizeof *to->first);
    for (size_t i = 0; i < arcs; i++) to->arc[i] = (pf_arc){from->arc[i].in, from->arc[i].out, 0, from->arc[i].to};
    return PF_OK;
}

pf_err pf_perm_reweigh(pf_fst *fst, pf_wm *wm, pf_fst **out) {
    const perm_machine *from = fst->self;
    perm_machine *perm = calloc(1, sizeof *perm);
    assert(pf_is_perm(fst));
    if (!perm) return pf_wm_free(wm), pf_nomem();
    *perm = (perm_machine){.con = from->con, .wm = wm, .acceptor = from->acceptor, .borrows = true};
    pf_err err = copy_words(&from->input, &perm->input);
    if (!err && !wm) err = pf_wm_sum(NULL, 0, perm->input.n, &perm->wm);
    if (!err) return make_machine(perm, fst->type, fst->osyms, out);
    perm_free(perm);
    return err;
}
