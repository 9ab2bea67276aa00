/* Coverage x constraint x weight model, interned to states. */
#include <permfst/permute/perm.h>

#include <permfst/base/statetab.h>
#include <permfst/permute/input.h>
#include "permute/perm_walk_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PARTS = 256 }; /* the most parts of the table of states, which is split by level */

typedef struct {
    pf_input input;
    pf_con *con;
    pf_wm *wm;
    bool acceptor;
    pf_statetab states;
    pfi_perm_walk walk;
    unsigned char *next; /* scratch: the key of a state */
} perm_machine;

static void perm_free(void *self) {
    perm_machine *p = self;
    pf_input_free(&p->input);
    pf_con_free(p->con);
    pf_wm_free(p->wm);
    pf_statetab_free(&p->states);
    pfi_perm_walk_free(&p->walk);
    free(p->next);
    free(p);
}

static pf_err emit_slot(const perm_machine *p, unsigned j, double w, pf_state next, pf_emit *to) {
    for (uint32_t i = p->input.first[j]; i < p->input.first[j + 1]; i++) {
        const pf_arc *word = &p->input.arc[i];
        pf_label in = p->acceptor ? word->out : (pf_label)(j + 1);
        double sum = w + (double)word->w;
        if (!(fabs(sum) <= (double)FLT_MAX) && word->w != INFINITY)
            return pf_fail(PF_EINPUT, "the weights of a move to position %u add up to %g, which is too large for an arc",
                           j + 1, sum);
        PF_TRY(pf_emit_arc(to, in, word->out, (float)sum, next));
    }
    return PF_OK;
}

/* The moves where a key is a coverage of one word, as it is in most spaces. */
static pf_err emit_moves_word(perm_machine *p, unsigned level, pf_emit *to) {
    uint64_t b, rest = p->walk.con.moves[0];
    const double *w = p->walk.cost;
    memcpy(&b, p->walk.con.key, sizeof b);
    for (; rest; rest &= rest - 1) {
        pf_state next;
        unsigned j = pf_bits_first(rest);
        PF_TRY(pf_statetab_intern_word(&p->states, level, b | UINT64_C(1) << j, &next));
        PF_TRY(emit_slot(p, j, *w++, next, to));
    }
    assert(w == p->walk.cost + p->walk.count);
    return PF_OK;
}

static pf_err emit_moves(perm_machine *p, unsigned level, pf_emit *to) {
    const double *w = p->walk.cost;
    const pf_con_walk *con = &p->walk.con;
    for (unsigned j = pf_con_walk_next(con, 0); j < p->con->n; j = pf_con_walk_next(con, j + 1)) {
        pf_state next;
        size_t length = pfi_perm_walk_step(&p->walk, j, p->next);
        PF_TRY(pf_statetab_intern_part(&p->states, level, p->next, length, &next, NULL));
        PF_TRY(emit_slot(p, j, *w++, next, to));
    }
    assert(w == p->walk.cost + p->walk.count);
    return PF_OK;
}

static pf_err perm_expand(void *self, pf_state s, pf_emit *to) {
    perm_machine *p = self;
    size_t length;
    const void *key = pf_statetab_key(&p->states, s, &length);
    PF_TRY(pfi_perm_walk_load(&p->walk, key, length)); /* a copy: the table may move when it grows */
    if (p->walk.con.covered == p->con->n) to->final = p->input.final;
    unsigned level = p->walk.con.covered + 1;
    return p->states.fixed == sizeof(pf_cover) ? emit_moves_word(p, level, to) : emit_moves(p, level, to);
}

static void perm_slots(const void *self, pf_slots_view *out) {
    const perm_machine *p = self;
    *out = (pf_slots_view){p->input.n, p->input.first, p->input.arc, !p->acceptor, p->walk.nonnegative && p->input.final >= 0};
}

static void perm_cover(const void *self, pf_state s, uint64_t *slots) {
    const perm_machine *p = self;
    size_t length;
    memcpy(slots, pf_statetab_key(&p->states, s, &length), p->walk.con.cover_bytes);
}

static bool perm_nonnegative(const void *self) {
    pf_slots_view view;
    perm_slots(self, &view);
    for (uint32_t i = 0; i < view.first[view.n]; i++)
        if (view.arc[i].w < 0) return false;
    return view.nonnegative;
}

static const struct pf_con *perm_space(const void *self) { return ((const perm_machine *)self)->con; }

static const pf_op perm_op = {"perm", perm_expand, perm_free, perm_slots, perm_cover, perm_nonnegative, perm_space};

static pf_err make_wm(const pf_perm_spec *spec, unsigned n, pf_wm **out) {
    pf_wm **part = calloc(spec->n_wm + 1, sizeof(pf_wm *));
    if (!part) return pf_nomem();
    pf_err err = PF_OK;
    size_t made = 0;
    while (!err && made < spec->n_wm)
        if (!(err = pf_wm_new(&spec->wm[made], n, &part[made]))) made++;
    if (!err) err = pf_wm_sum(part, made, n, out);
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

static pf_err set_up(perm_machine *p, pf_fst *linear, const pf_perm_spec *spec, pf_state *start) {
    PF_TRY(pf_input_read(linear, &p->input));
    unsigned n = p->input.n;
    PF_TRY(pf_con_all(spec->con, spec->n_con, n, &p->con));
    PF_TRY(make_wm(spec, n, &p->wm));
    PF_TRY(pfi_perm_walk_init(&p->walk, p->con, p->wm));
    pf_statetab_init_parts(&p->states, pfi_perm_walk_fixed(&p->walk), n < PARTS ? n + 1 : PARTS);
    if (!(p->next = malloc(pfi_perm_walk_room(&p->walk)))) return pf_nomem();
    return pf_statetab_intern(&p->states, p->walk.con.key, pfi_perm_walk_start(&p->walk), start, NULL);
}

static int by_label(const void *a, const void *b) {
    pf_label x = *(const pf_label *)a, y = *(const pf_label *)b;
    return (x > y) - (x < y);
}

/* The alphabet is every word of the input, ascending, each once. */
static pf_err set_alphabet(pf_fst *f, const pf_input *input) {
    size_t arcs = input->first[input->n], n = 0;
    PF_TRY(PF_ROOM(&f->alphabet, arcs + 1));
    for (size_t i = 0; i < arcs; i++) f->alphabet.at[i] = input->arc[i].out;
    qsort(f->alphabet.at, arcs, sizeof(pf_label), by_label);
    for (size_t i = 0; i < arcs; i++)
        if (!n || f->alphabet.at[n - 1] != f->alphabet.at[i]) f->alphabet.at[n++] = f->alphabet.at[i];
    f->alphabet.n = n;
    return PF_OK;
}

pf_err pf_perm_lazy(pf_fst *linear, const pf_perm_spec *spec, pf_fst **out) {
    perm_machine *p = calloc(1, sizeof *p);
    if (!p) return pf_nomem();
    p->acceptor = spec->acceptor;
    pf_state start;
    pf_err err = set_up(p, linear, spec, &start);
    if (err) {
        perm_free(p);
        return err;
    }
    PF_TRY(pf_fst_new(linear->type, &perm_op, p, out));
    (*out)->start = start;
    (*out)->layered = true;
    if ((err = set_alphabet(*out, &p->input))) {
        pf_fst_free(*out);
        *out = NULL;
        return err;
    }
    pf_fst_set_symbols(*out, spec->acceptor ? linear->osyms : NULL, linear->osyms);
    return PF_OK;
}
