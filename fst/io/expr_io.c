/* Expressions as records: an OpenFst header whose type names the operation, then a body of its own version.
 *
 *   perm     flags; constraints; weights, each with its number of costs and these; the input as a record
 *   compose  the first operand as a record; flags; both scales, where they are flagged; the failure symbol of the second
 *            one, where it is flagged; the second one as a record, or, where it is flagged, the hash of a shared one
 *   model    a shared operand (blob.h), standing alone
 *   best     bound, states, arcs; 1 and the reference's cost, or 0; paths, each with its final weight and its arcs; symbol tables as in OpenFst files */
#include <permfst/base/params.h>
#include <permfst/io/bin.h>
#include <permfst/io/expr.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 32 };
enum { ACCEPTOR = 1 };
enum { SHARED = 1, SCALED = 2, FAILS = 4 };

typedef struct {
    pf_reader *r;
    pf_blob_find find;
    void *self;
    unsigned depth;
} expr_source;

static pf_err read_expr(expr_source *s, const pf_header *h, uint64_t begin, pf_expr **out);

static pf_err read_nested(expr_source *s, pf_expr **out) {
    pf_header h;
    uint64_t begin = pf_reader_offset(s->r);
    if (s->depth == DEPTH_LIMIT) return pf_reader_fail(s->r, "an expression is nested more than %d deep", DEPTH_LIMIT);
    PF_TRY(pf_header_read(s->r, &h));
    s->depth++;
    pf_err err = read_expr(s, &h, begin, out);
    s->depth--;
    return err;
}

static pf_err read_count(expr_source *s, const char *what, uint32_t *n) {
    PF_TRY(pf_reader_u32(s->r, n, what));
    if (*n <= PF_SPECS_LIMIT) return PF_OK;
    return pf_reader_fail(s->r, "expected at most %d %s, found %u", PF_SPECS_LIMIT, what, *n);
}

/* What a specification is read into. */
typedef struct {
    PF_VEC(char *) con;
    PF_VEC(pf_weight) wm; /* strings and costs are in these two */
    PF_VEC(char *) name;
    PF_VEC(double *) table;
} read_lists;

static void lists_free(read_lists *l) {
    for (size_t i = 0; i < l->con.n; i++) free(l->con.at[i]);
    for (size_t i = 0; i < l->name.n; i++) free(l->name.at[i]);
    for (size_t i = 0; i < l->table.n; i++) free(l->table.at[i]);
    PF_VEC_FREE(&l->con);
    PF_VEC_FREE(&l->wm);
    PF_VEC_FREE(&l->name);
    PF_VEC_FREE(&l->table);
}

static pf_err read_constraints(expr_source *s, read_lists *l) {
    uint32_t n;
    PF_TRY(read_count(s, "constraints", &n));
    for (uint32_t i = 0; i < n; i++) {
        PF_TRY(PF_ROOM(&l->con, 1));
        PF_TRY(pf_reader_string(s->r, &l->con.at[l->con.n], NULL, PF_SPEC_BYTES, "constraints"));
        l->con.n++;
    }
    return PF_OK;
}

typedef PF_VEC(double) cost_list;

/* Their number is a claim: memory grows with what comes. */
static pf_err read_costs(expr_source *s, cost_list *c) {
    uint64_t claimed;
    PF_TRY(pf_reader_u64(s->r, &claimed, "the number of a weight's costs"));
    for (uint64_t i = 0; i < claimed; i++) {
        double cost;
        PF_TRY(pf_reader_f64(s->r, &cost, "a weight's costs"));
        if (!(fabs(cost) <= (double)FLT_MAX)) return pf_reader_fail(s->r, "cost %llu of a weight is not finite", (unsigned long long)i + 1);
        PF_TRY(PF_PUSH(c, cost));
    }
    return PF_OK;
}

static pf_err read_weight(expr_source *s, read_lists *l) {
    cost_list c = {0};
    PF_TRY(PF_ROOM(&l->name, 1));
    PF_TRY(PF_ROOM(&l->table, 1));
    PF_TRY(PF_ROOM(&l->wm, 1));
    PF_TRY(pf_reader_string(s->r, &l->name.at[l->name.n], NULL, PF_SPEC_BYTES, "weights"));
    const char *name = l->name.at[l->name.n++];
    pf_err err = read_costs(s, &c);
    l->table.at[l->table.n++] = c.at;
    l->wm.at[l->wm.n++] = (pf_weight){name, c.n ? c.at : NULL, c.n};
    return err;
}

static pf_err read_weights(expr_source *s, read_lists *l) {
    uint32_t n;
    PF_TRY(read_count(s, "weights", &n));
    for (uint32_t i = 0; i < n; i++) PF_TRY(read_weight(s, l));
    return PF_OK;
}

static pf_err read_spec(expr_source *s, read_lists *l, pf_perm_spec *spec) {
    uint32_t flags;
    PF_TRY(pf_reader_u32(s->r, &flags, "the flags of a permutation automaton"));
    if (flags & ~(uint32_t)ACCEPTOR) return pf_reader_fail(s->r, "unknown flags %#x of a permutation automaton", flags);
    PF_TRY(read_constraints(s, l));
    PF_TRY(read_weights(s, l));
    *spec = (pf_perm_spec){(const char *const *)l->con.at, l->con.n, l->wm.at, l->wm.n, flags & ACCEPTOR};
    return PF_OK;
}

static pf_err read_perm(expr_source *s, const pf_header *h, pf_expr **out) {
    read_lists l = {0};
    pf_perm_spec spec;
    pf_expr *input = NULL;
    (void)h;
    pf_err err = read_spec(s, &l, &spec);
    if (!err) err = read_nested(s, &input);
    if (!err) err = pf_expr_permute(input, &spec, out);
    pf_expr_free(input);
    lists_free(&l);
    return err;
}

static pf_err read_scale(expr_source *s, double *scale) {
    PF_TRY(pf_reader_f64(s->r, scale, "the scale of an operand"));
    return fabs(*scale) <= (double)FLT_MAX ? PF_OK : pf_reader_fail(s->r, "the scale of an operand is not finite or too large");
}

static pf_err read_phi(expr_source *s, char **phi) {
    PF_TRY(pf_reader_string(s->r, phi, NULL, PF_PHI_LIMIT, "a failure symbol"));
    return **phi ? PF_OK : pf_reader_fail(s->r, "a failure symbol is empty");
}

static pf_err read_shared(expr_source *s, pf_blob **out) {
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_reader_get(s->r, hash, sizeof hash, "the hash of an operand"));
    *out = s->find(s->self, hash);
    return *out ? PF_OK : pf_reader_fail(s->r, "the composition names a model that the stream has not defined");
}

static pf_err read_operand(expr_source *s, bool is_shared, pf_expr *first, const pf_composing *how, pf_expr **out) {
    pf_blob *shared;
    pf_expr *second;
    if (is_shared) {
        PF_TRY(read_shared(s, &shared));
        return pf_expr_compose_shared(first, shared, how, out);
    }
    PF_TRY(read_nested(s, &second));
    pf_err err = pf_expr_compose(first, second, how, out);
    pf_expr_free(second);
    return err;
}

static pf_err read_second(expr_source *s, pf_expr *first, pf_expr **out) {
    pf_composing how = {{1, 1}, NULL};
    uint32_t flags;
    char *phi = NULL;
    PF_TRY(pf_reader_u32(s->r, &flags, "the flags of a composition"));
    if (flags & ~(uint32_t)(SHARED | SCALED | FAILS))
        return pf_reader_fail(s->r, "unknown flags %#x of a composition", flags);
    for (size_t i = 0; flags & SCALED && i < 2; i++) PF_TRY(read_scale(s, &how.scale[i]));
    pf_err err = flags & FAILS ? read_phi(s, &phi) : PF_OK;
    how.phi = phi;
    if (!err) err = read_operand(s, flags & SHARED, first, &how, out);
    free(phi);
    return err;
}

static pf_err read_compose(expr_source *s, const pf_header *h, pf_expr **out) {
    pf_expr *first;
    (void)h;
    PF_TRY(read_nested(s, &first));
    pf_err err = read_second(s, first, out);
    pf_expr_free(first);
    return err;
}

static pf_err read_model(expr_source *s, const pf_header *h, pf_expr **out) {
    pf_blob *model;
    (void)h;
    PF_TRY(pf_blob_read(s->r, &model));
    pf_err err = pf_expr_of_model(model, out);
    pf_blob_free(model);
    return err;
}

static pf_err read_path(expr_source *s, pf_answer *a) {
    PF_VEC(pf_arc) arcs = {0};
    float final = 0;
    uint64_t n = 0;
    pf_err err = pf_reader_f32(s->r, &final, "the final weight of a path");
    if (!err) err = pf_reader_u64(s->r, &n, "the number of arcs of a path");
    for (uint64_t i = 0; !err && i < n; i++) {
        uint32_t in = 0, out = 0;
        float w = 0;
        err = pf_reader_u32(s->r, &in, "an input label");
        if (!err) err = pf_reader_u32(s->r, &out, "an output label");
        if (!err) err = pf_reader_f32(s->r, &w, "a weight");
        if (!err && (in > INT32_MAX || out > INT32_MAX || !(w > -INFINITY)))
            err = pf_reader_fail(s->r, "arc %llu of a path has a negative label, or a weight that is not a number",
                                 (unsigned long long)i + 1);
        pf_arc arc = {(pf_label)in, (pf_label)out, w, PF_NO_STATE};
        if (!err) err = PF_PUSH(&arcs, arc);
    }
    if (!err && !(final > -INFINITY)) err = pf_reader_fail(s->r, "the final weight of a path is not a number");
    if (!err) err = pf_answer_add(a, arcs.at, arcs.n, final);
    PF_VEC_FREE(&arcs);
    return err;
}

static pf_err read_reference(expr_source *s, pf_answer *a) {
    uint32_t compared;
    PF_TRY(pf_reader_u32(s->r, &compared, "whether there is a reference"));
    if (compared > 1) return pf_reader_fail(s->r, "expected 1 (there is a reference) or 0 (there is none), found %u", compared);
    a->compared = compared;
    if (!compared) return PF_OK;
    PF_TRY(pf_reader_f64(s->r, &a->reference, "the cost of a reference"));
    return a->reference > -(double)INFINITY ? PF_OK : pf_reader_fail(s->r, "the cost of a reference is not a number");
}

static pf_err read_answer(expr_source *s, const pf_header *h, pf_answer *a) {
    uint64_t n;
    a->type = h->type;
    PF_TRY(pf_symtabs_read(s->r, h->flags, &a->isyms, &a->osyms));
    PF_TRY(pf_reader_f64(s->r, &a->bound, "the bound of an answer"));
    PF_TRY(pf_reader_u64(s->r, &a->states, "a number of states"));
    PF_TRY(pf_reader_u64(s->r, &a->arcs, "a number of arcs"));
    PF_TRY(read_reference(s, a));
    PF_TRY(pf_reader_u64(s->r, &n, "the number of paths"));
    for (uint64_t i = 0; i < n; i++) PF_TRY(read_path(s, a));
    return PF_OK;
}

static pf_err read_best(expr_source *s, const pf_header *h, pf_expr **out) {
    pf_answer a = {0};
    pf_err err = read_answer(s, h, &a);
    if (!err) return pf_expr_of_answer(&a, out);
    pf_answer_free(&a);
    return err;
}

static const struct {
    pf_expr_kind kind;
    pf_err (*read)(expr_source *s, const pf_header *h, pf_expr **out);
} lazy[] = {
    {PF_EXPR_PERM, read_perm},
    {PF_EXPR_COMPOSE, read_compose},
    {PF_EXPR_MODEL, read_model},
    {PF_EXPR_BEST, read_best},
};

static pf_err read_expr(expr_source *s, const pf_header *h, uint64_t begin, pf_expr **out) {
    *out = NULL;
    if (pf_bin_is(h)) {
        pf_fst *fst;
        PF_TRY(pf_bin_read(s->r, h, begin, &fst));
        return pf_expr_of_fst(fst, out);
    }
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++) {
        if (strcmp(h->fst_type, pf_expr_kind_name(lazy[i].kind)) != 0) continue;
        if (h->version != PF_FORMAT_VERSION)
            return pf_reader_fail(s->r, "a '%s' record of format version %d; this program reads version %d", h->fst_type,
                                  h->version, PF_FORMAT_VERSION);
        return lazy[i].read(s, h, out);
    }
    return pf_reader_fail(s->r, "unknown type of record '%s'; there are: vector, const, perm, compose, model, define, best",
                          h->fst_type);
}

pf_err pf_expr_read(pf_reader *r, const pf_header *h, uint64_t begin, pf_blob_find find, void *self, pf_expr **out) {
    expr_source s = {r, find, self, 0};
    return read_expr(&s, h, begin, out);
}

pf_err pf_lazy_header_write(pf_writer *w, const char *fst_type, pf_arc_type type, uint32_t flags) {
    pf_header h = {.type = type, .version = PF_FORMAT_VERSION, .flags = flags, .start = -1};
    strncpy(h.fst_type, fst_type, sizeof h.fst_type - 1);
    return pf_header_write(w, &h);
}

static pf_err write_weight(pf_writer *w, const pf_weight *weight) {
    PF_TRY(pf_writer_string(w, weight->spec, strlen(weight->spec)));
    PF_TRY(pf_writer_u64(w, weight->n));
    for (size_t i = 0; i < weight->n; i++) PF_TRY(pf_writer_f64(w, weight->cost[i]));
    return PF_OK;
}

static pf_err write_perm(pf_writer *w, const pf_expr *e) {
    const pf_perm_spec *spec = &e->spec;
    PF_TRY(pf_lazy_header_write(w, "perm", PF_STANDARD, 0));
    PF_TRY(pf_writer_u32(w, spec->acceptor ? ACCEPTOR : 0));
    PF_TRY(pf_writer_u32(w, (uint32_t)spec->n_con));
    for (size_t i = 0; i < spec->n_con; i++) PF_TRY(pf_writer_string(w, spec->con[i], strlen(spec->con[i])));
    PF_TRY(pf_writer_u32(w, (uint32_t)spec->n_wm));
    for (size_t i = 0; i < spec->n_wm; i++) PF_TRY(write_weight(w, &spec->wm[i]));
    return pf_expr_write(w, e->first);
}

static pf_err write_compose(pf_writer *w, const pf_expr *e) {
    bool scaled = e->scale[0] != 1 || e->scale[1] != 1;
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_lazy_header_write(w, "compose", PF_STANDARD, 0));
    PF_TRY(pf_expr_write(w, e->first));
    PF_TRY(pf_writer_u32(w, (e->shared ? SHARED : 0u) | (scaled ? SCALED : 0u) | (e->phi ? FAILS : 0u)));
    for (size_t i = 0; scaled && i < 2; i++) PF_TRY(pf_writer_f64(w, e->scale[i]));
    if (e->phi) PF_TRY(pf_writer_string(w, e->phi, strlen(e->phi)));
    if (!e->shared) return pf_expr_write(w, e->second);
    PF_TRY(pf_blob_hash(e->shared, hash));
    return pf_writer_put(w, hash, sizeof hash);
}

static pf_err write_best(pf_writer *w, const pf_expr *e) {
    const pf_answer *a = e->answer;
    uint32_t flags = (a->isyms ? PF_HAS_ISYMS : 0u) | (a->osyms ? PF_HAS_OSYMS : 0u);
    PF_TRY(pf_lazy_header_write(w, "best", a->type, flags));
    if (a->isyms) PF_TRY(pf_symtab_write(w, a->isyms));
    if (a->osyms) PF_TRY(pf_symtab_write(w, a->osyms));
    PF_TRY(pf_writer_f64(w, a->bound));
    PF_TRY(pf_writer_u64(w, a->states));
    PF_TRY(pf_writer_u64(w, a->arcs));
    PF_TRY(pf_writer_u32(w, a->compared));
    if (a->compared) PF_TRY(pf_writer_f64(w, a->reference));
    PF_TRY(pf_writer_u64(w, a->paths.n));
    for (size_t i = 0; i < a->paths.n; i++) {
        const pf_path *p = &a->paths.at[i];
        PF_TRY(pf_writer_f32(w, p->final));
        PF_TRY(pf_writer_u64(w, p->n));
        for (size_t k = 0; k < p->n; k++) {
            PF_TRY(pf_writer_u32(w, (uint32_t)p->arc[k].in));
            PF_TRY(pf_writer_u32(w, (uint32_t)p->arc[k].out));
            PF_TRY(pf_writer_f32(w, p->arc[k].w));
        }
    }
    return PF_OK;
}

static unsigned depth(const pf_expr *e) {
    if (!e) return 0;
    unsigned first = depth(e->first), second = depth(e->second);
    return 1 + (first > second ? first : second);
}

pf_err pf_expr_write(pf_writer *w, const pf_expr *e) {
    if (depth(e) > DEPTH_LIMIT + 1) return pf_fail(PF_ELIMIT, "an expression is nested more than %d deep", DEPTH_LIMIT);
    switch (e->kind) {
    case PF_EXPR_FST: return pf_bin_write(w, e->fst);
    case PF_EXPR_PERM: return write_perm(w, e);
    case PF_EXPR_COMPOSE: return write_compose(w, e);
    case PF_EXPR_BEST: return write_best(w, e);
    case PF_EXPR_MODEL: break;
    }
    PF_TRY(pf_lazy_header_write(w, "model", PF_STANDARD, 0));
    return pf_blob_write(w, e->shared);
}
