/* Expressions as records: an OpenFst header whose type names the operation, then a body of its own version.
 *
 *   perm     flags; constraints; weights, each with its number of costs and these; the input as a record
 *   compose  the first operand as a record; flags; both scales, where they are flagged; the failure symbol of the second
 *            one, where it is flagged; the second one as a record, or, where it is flagged, the hash of a shared one
 *   model    a shared operand (blob.h), standing alone
 *   best     bound, states, arcs; flags; the name and the reference's cost, where they are flagged; paths, each with its final
 *            weight and its arcs and, where trees are flagged, with the codes of its tree; symbol tables (short.c)
 *
 * A record inside another one that is a chain (short.c) is short. */
#include <permfst/base/params.h>
#include <permfst/io/bin.h>
#include <permfst/io/expr.h>
#include <permfst/machine/scale.h>

#include "io/io_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 32 };
enum { ACCEPTOR = 1 };
enum { SHARED = 1, SCALED = 2, FAILS = 4 };
enum { COMPARED = 1, TREES = 2, NAMED = 4 };

typedef struct {
    pf_reader *reader;
    pf_blob_find find;
    void *self;
    unsigned depth;
} expr_source;

static pf_err read_expr(expr_source *source, const pf_header *header, uint64_t begin, pf_expr **out);

static pf_err read_nested(expr_source *source, pf_expr **out) {
    pf_header header;
    uint64_t begin = pf_reader_offset(source->reader);
    if (source->depth == DEPTH_LIMIT)
        return pf_reader_fail(source->reader, "an expression is nested more than %d deep", DEPTH_LIMIT);
    PF_TRY(pf_header_read(source->reader, &header));
    source->depth++;
    pf_err err = read_expr(source, &header, begin, out);
    source->depth--;
    return err;
}

static pf_err read_count(expr_source *source, const char *what, uint32_t *n) {
    PF_TRY(pf_reader_u32(source->reader, n, what));
    if (*n <= PF_SPECS_LIMIT) return PF_OK;
    return pf_reader_fail(source->reader, "expected at most %d %s, found %u", PF_SPECS_LIMIT, what, *n);
}

/* What a specification is read into. */
typedef struct {
    PF_VEC(char *) con;
    PF_VEC(pf_weight) wm; /* strings and costs are in these two */
    PF_VEC(char *) name;
    PF_VEC(double *) table;
} read_lists;

static void lists_free(read_lists *lists) {
    for (size_t i = 0; i < lists->con.n; i++) free(lists->con.at[i]);
    for (size_t i = 0; i < lists->name.n; i++) free(lists->name.at[i]);
    for (size_t i = 0; i < lists->table.n; i++) free(lists->table.at[i]);
    PF_VEC_FREE(&lists->con);
    PF_VEC_FREE(&lists->wm);
    PF_VEC_FREE(&lists->name);
    PF_VEC_FREE(&lists->table);
}

static pf_err read_constraints(expr_source *source, read_lists *lists) {
    uint32_t n;
    PF_TRY(read_count(source, "constraints", &n));
    for (uint32_t i = 0; i < n; i++) {
        PF_TRY(PF_ROOM(&lists->con, 1));
        PF_TRY(pf_reader_string(source->reader, &lists->con.at[lists->con.n], NULL, PF_SPEC_TEXT_BYTES, "constraints"));
        lists->con.n++;
    }
    return PF_OK;
}

typedef PF_VEC(double) cost_list;

/* Their number is a claim: memory grows with what comes. */
static pf_err read_costs(expr_source *source, cost_list *costs) {
    uint64_t claimed;
    PF_TRY(pf_reader_u64(source->reader, &claimed, "the number of a weight's costs"));
    for (uint64_t i = 0; i < claimed; i++) {
        double cost;
        PF_TRY(pf_reader_f64(source->reader, &cost, "a weight's costs"));
        if (!(fabs(cost) <= (double)FLT_MAX))
            return pf_reader_fail(source->reader, "cost %llu of a weight is not finite", (unsigned long long)i + 1);
        PF_TRY(PF_PUSH(costs, cost));
    }
    return PF_OK;
}

static pf_err read_weight(expr_source *source, read_lists *lists) {
    cost_list costs = {0};
    PF_TRY(PF_ROOM(&lists->name, 1));
    PF_TRY(PF_ROOM(&lists->table, 1));
    PF_TRY(PF_ROOM(&lists->wm, 1));
    PF_TRY(pf_reader_string(source->reader, &lists->name.at[lists->name.n], NULL, PF_SPEC_BYTES, "weights"));
    const char *name = lists->name.at[lists->name.n++];
    pf_err err = read_costs(source, &costs);
    lists->table.at[lists->table.n++] = costs.at;
    lists->wm.at[lists->wm.n++] = (pf_weight){name, costs.n ? costs.at : NULL, costs.n};
    return err;
}

static pf_err read_weights(expr_source *source, read_lists *lists) {
    uint32_t n;
    PF_TRY(read_count(source, "weights", &n));
    for (uint32_t i = 0; i < n; i++) PF_TRY(read_weight(source, lists));
    return PF_OK;
}

static pf_err read_spec(expr_source *source, read_lists *lists, pf_perm_spec *spec) {
    uint32_t flags;
    PF_TRY(pf_reader_u32(source->reader, &flags, "the flags of a permutation automaton"));
    if (flags & ~(uint32_t)ACCEPTOR) return pf_reader_fail(source->reader, "unknown flags %#x of a permutation automaton", flags);
    PF_TRY(read_constraints(source, lists));
    PF_TRY(read_weights(source, lists));
    *spec = (pf_perm_spec){(const char *const *)lists->con.at, lists->con.n, lists->wm.at, lists->wm.n, flags & ACCEPTOR};
    return PF_OK;
}

static pf_err read_perm(expr_source *source, const pf_header *header, pf_expr **out) {
    read_lists lists = {0};
    pf_perm_spec spec;
    pf_expr *input = NULL;
    (void)header;
    pf_err err = read_spec(source, &lists, &spec);
    if (!err) err = read_nested(source, &input);
    if (!err) err = pf_expr_permute(input, &spec, out);
    pf_expr_free(input);
    lists_free(&lists);
    return err;
}

static pf_err read_scale(expr_source *source, double *scale) {
    PF_TRY(pf_reader_f64(source->reader, scale, "the scale of an operand"));
    return pf_scale_fits(*scale) ? PF_OK
        : pf_reader_fail(source->reader, "the scale of an operand is not finite or too large");
}

static pf_err read_phi(expr_source *source, char **phi) {
    PF_TRY(pf_reader_string(source->reader, phi, NULL, PF_PHI_LIMIT, "a failure symbol"));
    return **phi ? PF_OK : pf_reader_fail(source->reader, "a failure symbol is empty");
}

static pf_err read_shared(expr_source *source, pf_blob **out) {
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_reader_get(source->reader, hash, sizeof hash, "the hash of an operand"));
    *out = source->find(source->self, hash);
    return *out ? PF_OK : pf_reader_fail(source->reader, "the composition names a model that the stream has not defined");
}

static pf_err read_operand(expr_source *source, bool is_shared, pf_expr *first, const pf_composing *how, pf_expr **out) {
    pf_blob *shared;
    pf_expr *second;
    if (is_shared) {
        PF_TRY(read_shared(source, &shared));
        return pf_expr_compose_shared(first, shared, how, out);
    }
    PF_TRY(read_nested(source, &second));
    pf_err err = pf_expr_compose(first, second, how, out);
    pf_expr_free(second);
    return err;
}

static pf_err read_second(expr_source *source, pf_expr *first, pf_expr **out) {
    pf_composing how = {{1, 1}, NULL};
    uint32_t flags;
    char *phi = NULL;
    PF_TRY(pf_reader_u32(source->reader, &flags, "the flags of a composition"));
    if (flags & ~(uint32_t)(SHARED | SCALED | FAILS))
        return pf_reader_fail(source->reader, "unknown flags %#x of a composition", flags);
    for (size_t i = 0; flags & SCALED && i < 2; i++) PF_TRY(read_scale(source, &how.scale[i]));
    pf_err err = flags & FAILS ? read_phi(source, &phi) : PF_OK;
    how.phi = phi;
    if (!err) err = read_operand(source, flags & SHARED, first, &how, out);
    free(phi);
    return err;
}

static pf_err read_compose(expr_source *source, const pf_header *header, pf_expr **out) {
    pf_expr *first;
    (void)header;
    PF_TRY(read_nested(source, &first));
    pf_err err = read_second(source, first, out);
    pf_expr_free(first);
    return err;
}

static pf_err read_model(expr_source *source, const pf_header *header, pf_expr **out) {
    pf_blob *model;
    (void)header;
    PF_TRY(pf_blob_read(source->reader, source->reader, &model));
    pf_err err = pf_expr_of_model(model, out);
    pf_blob_free(model);
    return err;
}

/* Their number is a claim. What they say is checked where a tree is made of them. */
static pf_err read_tree(expr_source *source, pf_path *path) {
    PF_VEC(uint32_t) codes = {0};
    uint64_t n = 0;
    pf_err err = pf_reader_u64(source->reader, &n, "the number of codes of a tree");
    for (uint64_t i = 0; !err && i < n; i++) {
        uint32_t code;
        err = pf_reader_u32(source->reader, &code, "a code of a tree");
        if (!err) err = PF_PUSH(&codes, code);
    }
    if (err) PF_VEC_FREE(&codes);
    path->tree = codes.at;
    path->codes = codes.n;
    return err;
}

static pf_err read_path(expr_source *source, pf_answer *answer) {
    PF_VEC(pf_arc) arcs = {0};
    float final = 0;
    uint64_t n = 0;
    pf_err err = pf_reader_f32(source->reader, &final, "the final weight of a path");
    if (!err) err = pf_reader_u64(source->reader, &n, "the number of arcs of a path");
    for (uint64_t i = 0; !err && i < n; i++) {
        uint32_t in = 0, out = 0;
        float weight = 0;
        err = pf_reader_u32(source->reader, &in, "an input label");
        if (!err) err = pf_reader_u32(source->reader, &out, "an output label");
        if (!err) err = pf_reader_f32(source->reader, &weight, "a weight");
        if (!err && (in > INT32_MAX || out > INT32_MAX || !(weight > -INFINITY)))
            err = pf_reader_fail(source->reader, "arc %llu of a path has a negative label, or a weight that is not a number",
                                 (unsigned long long)i + 1);
        pf_arc arc = {(pf_label)in, (pf_label)out, weight, PF_NO_STATE};
        if (!err) err = PF_PUSH(&arcs, arc);
    }
    if (!err && !(final > -INFINITY)) err = pf_reader_fail(source->reader, "the final weight of a path is not a number");
    if (!err) err = pf_answer_add(answer, arcs.at, arcs.n, final);
    PF_VEC_FREE(&arcs);
    return err;
}

static pf_err read_name(expr_source *source, char **name) {
    PF_TRY(pf_reader_string(source->reader, name, NULL, PF_NAME_LIMIT, "the name of a record"));
    return **name ? PF_OK : pf_reader_fail(source->reader, "the name of a record is empty");
}

/* Flags, and what they announce. */
static pf_err read_reference(expr_source *source, pf_answer *answer, bool *trees, char **name) {
    uint32_t flags;
    PF_TRY(pf_reader_u32(source->reader, &flags, "the flags of an answer"));
    if (flags & ~(uint32_t)(COMPARED | TREES | NAMED))
        return pf_reader_fail(source->reader, "unknown flags %#x of an answer", flags);
    *trees = flags & TREES;
    if (flags & NAMED) PF_TRY(read_name(source, name));
    answer->compared = flags & COMPARED;
    if (!answer->compared) return PF_OK;
    PF_TRY(pf_reader_f64(source->reader, &answer->reference, "the cost of a reference"));
    if (answer->reference > -(double)INFINITY) return PF_OK;
    return pf_reader_fail(source->reader, "the cost of a reference is not a number");
}

static pf_err read_answer(expr_source *source, const pf_header *header, pf_answer *answer, char **name) {
    uint64_t n;
    bool trees = false;
    answer->type = header->type;
    PF_TRY(pfi_short_tables_read(source->reader, header->flags, &answer->isyms, &answer->osyms));
    PF_TRY(pf_reader_f64(source->reader, &answer->bound, "the bound of an answer"));
    PF_TRY(pf_reader_u64(source->reader, &answer->states, "a number of states"));
    PF_TRY(pf_reader_u64(source->reader, &answer->arcs, "a number of arcs"));
    PF_TRY(read_reference(source, answer, &trees, name));
    PF_TRY(pf_reader_u64(source->reader, &n, "the number of paths"));
    for (uint64_t i = 0; i < n; i++) {
        PF_TRY(read_path(source, answer));
        if (trees) PF_TRY(read_tree(source, &answer->paths.at[i]));
    }
    return PF_OK;
}

static pf_err read_best(expr_source *source, const pf_header *header, pf_expr **out) {
    pf_answer answer = {0};
    char *name = NULL;
    pf_err err = read_answer(source, header, &answer, &name);
    if (!err) err = pf_expr_of_answer(&answer, out);
    pf_answer_free(&answer);
    if (!err) err = pf_expr_give_name(out, name);
    free(name);
    return err;
}

static pf_err read_chain(expr_source *source, const pf_header *header, pf_expr **out) {
    pf_fst *fst;
    PF_TRY(pfi_chain_read(source->reader, header, &fst));
    return pf_expr_of_fst(fst, out);
}

static pf_err read_ordinary(expr_source *source, const pf_header *header, uint64_t begin, pf_expr **out) {
    pf_fst *fst;
    PF_TRY(pf_bin_read(source->reader, header, begin, &fst));
    return pf_expr_of_file(fst, header, out);
}

/* Reads an automaton, and its name after it. */
static pf_err read_fst(expr_source *source, const pf_header *header, uint64_t begin, pf_expr **out) {
    char *name = NULL;
    PF_TRY(pf_bin_is(header) ? read_ordinary(source, header, begin, out) : read_chain(source, header, out));
    pf_err err = header->properties & PF_NAMED ? read_name(source, &name) : PF_OK;
    if (!err) err = pf_expr_give_name(out, name);
    else {
        pf_expr_free(*out);
        *out = NULL;
    }
    free(name);
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

static bool is_chain(const pf_header *header) { return strcmp(header->fst_type, PFI_CHAIN) == 0; }

pf_err pfi_lazy_header_check(const pf_reader *reader, const pf_header *header) {
    bool known = strcmp(header->fst_type, "define") == 0 || is_chain(header);
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++)
        known = known || strcmp(header->fst_type, pf_expr_kind_name(lazy[i].kind)) == 0;
    if (!known)
        return pf_reader_fail(reader,
                              "unknown type of record '%s'; there are: vector, const, chain, perm, compose, model, define, best",
                              header->fst_type);
    if (header->version == PF_FORMAT_VERSION) return PF_OK;
    return pf_reader_fail(reader, "a '%s' record of format version %d; this program reads version %d", header->fst_type,
                          header->version, PF_FORMAT_VERSION);
}

static pf_err read_expr(expr_source *source, const pf_header *header, uint64_t begin, pf_expr **out) {
    *out = NULL;
    if (pf_bin_is(header)) return read_fst(source, header, begin, out);
    PF_TRY(pfi_lazy_header_check(source->reader, header));
    if (is_chain(header)) return read_fst(source, header, begin, out);
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++)
        if (strcmp(header->fst_type, pf_expr_kind_name(lazy[i].kind)) == 0) return lazy[i].read(source, header, out);
    return pf_reader_fail(source->reader, "a 'define' record stands inside another record");
}

pf_err pf_expr_read(pf_reader *reader, const pf_header *header, uint64_t begin, pf_blob_find find, void *self, pf_expr **out) {
    expr_source source = {reader, find, self, 0};
    return read_expr(&source, header, begin, out);
}

pf_err pf_lazy_header_write(pf_writer *writer, const char *fst_type, pf_arc_type type, uint32_t flags) {
    pf_header header = {.type = type, .version = PF_FORMAT_VERSION, .flags = flags, .start = -1};
    strncpy(header.fst_type, fst_type, sizeof header.fst_type - 1);
    return pf_header_write(writer, &header);
}

static pf_err write_weight(pf_writer *writer, const pf_weight *weight) {
    PF_TRY(pf_writer_string(writer, weight->spec, strlen(weight->spec)));
    PF_TRY(pf_writer_u64(writer, weight->n));
    for (size_t i = 0; i < weight->n; i++) PF_TRY(pf_writer_f64(writer, weight->cost[i]));
    return PF_OK;
}

static pf_err write_perm(pf_writer *writer, const pf_expr *expr) {
    const pf_perm_spec *spec = &expr->spec;
    PF_TRY(pf_lazy_header_write(writer, "perm", PF_STANDARD, 0));
    PF_TRY(pf_writer_u32(writer, spec->acceptor ? ACCEPTOR : 0));
    PF_TRY(pf_writer_u32(writer, (uint32_t)spec->n_con));
    for (size_t i = 0; i < spec->n_con; i++) PF_TRY(pf_writer_string(writer, spec->con[i], strlen(spec->con[i])));
    PF_TRY(pf_writer_u32(writer, (uint32_t)spec->n_wm));
    for (size_t i = 0; i < spec->n_wm; i++) PF_TRY(write_weight(writer, &spec->wm[i]));
    return pf_expr_write(writer, expr->first);
}

static pf_err write_compose(pf_writer *writer, const pf_expr *expr) {
    bool scaled = expr->scale[0] != 1 || expr->scale[1] != 1;
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_lazy_header_write(writer, "compose", PF_STANDARD, 0));
    PF_TRY(pf_expr_write(writer, expr->first));
    PF_TRY(pf_writer_u32(writer, (expr->shared ? SHARED : 0u) | (scaled ? SCALED : 0u) | (expr->phi ? FAILS : 0u)));
    for (size_t i = 0; scaled && i < 2; i++) PF_TRY(pf_writer_f64(writer, expr->scale[i]));
    if (expr->phi) PF_TRY(pf_writer_string(writer, expr->phi, strlen(expr->phi)));
    if (!expr->shared) return pf_expr_write(writer, expr->second);
    PF_TRY(pf_blob_hash(expr->shared, hash));
    return pf_writer_put(writer, hash, sizeof hash);
}

static bool has_trees(const pf_answer *answer) {
    for (size_t i = 0; i < answer->paths.n; i++)
        if (answer->paths.at[i].codes) return true;
    return false;
}

static pf_err write_tree(pf_writer *writer, const pf_path *path) {
    PF_TRY(pf_writer_u64(writer, path->codes));
    for (size_t k = 0; k < path->codes; k++) PF_TRY(pf_writer_u32(writer, path->tree[k]));
    return PF_OK;
}

static pf_err write_best(pf_writer *writer, const pf_expr *expr) {
    const pf_answer *answer = expr->answer;
    const bool trees = has_trees(answer);
    const uint32_t flags = pf_symtabs_flags(answer->isyms, answer->osyms, true);
    PF_TRY(pf_lazy_header_write(writer, "best", answer->type, flags));
    PF_TRY(pfi_short_tables_write(writer, flags, answer->isyms, answer->osyms));
    PF_TRY(pf_writer_f64(writer, answer->bound));
    PF_TRY(pf_writer_u64(writer, answer->states));
    PF_TRY(pf_writer_u64(writer, answer->arcs));
    PF_TRY(pf_writer_u32(writer, (answer->compared ? COMPARED : 0u) | (trees ? TREES : 0u) | (expr->name ? NAMED : 0u)));
    if (expr->name) PF_TRY(pf_writer_string(writer, expr->name, strlen(expr->name)));
    if (answer->compared) PF_TRY(pf_writer_f64(writer, answer->reference));
    PF_TRY(pf_writer_u64(writer, answer->paths.n));
    for (size_t i = 0; i < answer->paths.n; i++) {
        const pf_path *path = &answer->paths.at[i];
        PF_TRY(pf_writer_f32(writer, path->final));
        PF_TRY(pf_writer_u64(writer, path->n));
        for (size_t k = 0; k < path->n; k++) {
            PF_TRY(pf_writer_u32(writer, (uint32_t)path->arc[k].in));
            PF_TRY(pf_writer_u32(writer, (uint32_t)path->arc[k].out));
            PF_TRY(pf_writer_f32(writer, path->arc[k].w));
        }
        if (trees) PF_TRY(write_tree(writer, path));
    }
    return PF_OK;
}

static unsigned depth(const pf_expr *expr) {
    if (!expr) return 0;
    unsigned first = depth(expr->first), second = depth(expr->second);
    return 1 + (first > second ? first : second);
}

pf_err pfi_fst_record_write(pf_writer *writer, const pf_expr *expr, bool sealed) {
    const uint64_t named = expr->name ? PF_NAMED : 0;
    PF_TRY(!sealed && pfi_chain_is(expr->fst) ? pfi_chain_write(writer, expr->fst, named)
                                              : pfi_bin_write_as(writer, expr->fst, (sealed ? PF_SEALED : 0) | named, !sealed));
    return expr->name ? pf_writer_string(writer, expr->name, strlen(expr->name)) : PF_OK;
}

pf_err pf_expr_write(pf_writer *writer, const pf_expr *expr) {
    if (depth(expr) > DEPTH_LIMIT + 1) return pf_fail(PF_ELIMIT, "an expression is nested more than %d deep", DEPTH_LIMIT);
    switch (expr->kind) {
    case PF_EXPR_FST: return pfi_fst_record_write(writer, expr, false);
    case PF_EXPR_PERM: return write_perm(writer, expr);
    case PF_EXPR_COMPOSE: return write_compose(writer, expr);
    case PF_EXPR_BEST: return write_best(writer, expr);
    case PF_EXPR_MODEL: break;
    }
    PF_TRY(pf_lazy_header_write(writer, "model", PF_STANDARD, 0));
    PF_TRY(pf_blob_write_head(writer, expr->shared));
    return pf_blob_write_bytes(writer, expr->shared);
}
