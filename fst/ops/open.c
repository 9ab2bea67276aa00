/* Opening expressions bottom up. */
#include <permfst/ops/open.h>

#include <permfst/io/bin.h>
#include <permfst/io/stream.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/compose.h>
#include <permfst/ops/score.h>
#include <permfst/ops/spell.h>

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- models as objects of blobs ---- */

static pf_err write_model(const void *object, pf_writer *writer) {
    const pf_model *model = object;
    return model->cls->write(model->self, writer);
}

static void free_model(void *object) {
    pf_model_free(object);
    free(object);
}

static const pf_blob_ops model_ops = {write_model, free_model};

pf_err pf_blob_of_model(pf_model *model, pf_blob **out) {
    pf_model *object = malloc(sizeof *object);
    *out = NULL;
    if (!object) {
        pf_model_free(model);
        return pf_nomem();
    }
    *object = *model;
    *model = (pf_model){0};
    return pf_blob_of_object(object->cls->name, &model_ops, object, out);
}

/* ---- automata as objects of blobs ---- */

/* The arcs of a shared automaton in order, for a failure symbol that a composition has named. */
typedef struct {
    char *phi; /* NULL: none */
    pf_match *match;
} ordered;

typedef struct {
    pf_fst *fst;
    pf_expr *owner;       /* of the machine; NULL: it is owned here */
    pthread_mutex_t lock; /* of the orders */
    PF_VEC(ordered) orders;
} shared_fst;

static void free_shared_fst(void *object) {
    shared_fst *shared = object;
    for (size_t i = 0; i < shared->orders.n; i++) {
        pf_match_free(shared->orders.at[i].match);
        free(shared->orders.at[i].phi);
    }
    PF_VEC_FREE(&shared->orders);
    pthread_mutex_destroy(&shared->lock);
    if (shared->owner) pf_expr_free(shared->owner);
    else pf_fst_free(shared->fst);
    free(shared);
}

static pf_err write_shared_fst(const void *object, pf_writer *writer) {
    return pf_bin_write(writer, ((const shared_fst *)object)->fst);
}

/* Other bytes than ours may describe the same machine: those that it was read from must stay. */
static const pf_blob_ops read_fst_ops = {NULL, free_shared_fst};
static const pf_blob_ops fst_ops = {write_shared_fst, free_shared_fst};

/* Takes over the machine, or keeps a reference of its owner. */
static pf_err shared_fst_new(pf_fst *fst, pf_expr *owner, shared_fst **out) {
    shared_fst *shared = calloc(1, sizeof *shared);
    if (shared && pthread_mutex_init(&shared->lock, NULL)) {
        free(shared);
        shared = NULL;
    }
    if (!shared) {
        if (!owner) pf_fst_free(fst);
        return pf_nomem();
    }
    shared->fst = fst;
    shared->owner = owner ? pf_expr_ref(owner) : NULL;
    *out = shared;
    return PF_OK;
}

pf_err pf_blob_of_fst(pf_expr *expr, pf_blob **out) {
    shared_fst *shared;
    assert(expr->kind == PF_EXPR_FST);
    *out = NULL;
    PF_TRY(shared_fst_new(expr->fst, expr, &shared));
    return pf_blob_of_object("fst", &fst_ops, shared, out);
}

/* ---- making objects ---- */

static pf_err model_of_bytes(const pf_blob_source *from, const pf_blob_ops **ops, void **object) {
    const pf_model_class *cls = pf_model_class_find(from->cls);
    if (!cls) return pf_fail(PF_EINPUT, "unknown class of model '%s'", from->cls);
    pf_model *model = calloc(1, sizeof *model);
    pf_reader *reader = NULL;
    if (!model) return pf_nomem();
    model->cls = cls;
    pf_err err = pf_reader_bytes(from->bytes, "model", &reader);
    if (!err) err = cls->read(reader, &model->self);
    pf_reader_free(reader);
    if (err) {
        free(model);
        return err;
    }
    *ops = &model_ops;
    *object = model;
    return PF_OK;
}

static pf_err fst_of_bytes(const pf_blob_source *from, const pf_blob_ops **ops, void **object) {
    pf_reader *reader;
    pf_header header;
    pf_fst *fst = NULL;
    shared_fst *shared;
    PF_TRY(pf_reader_bytes(from->bytes, "operand", &reader));
    pf_err err = pf_header_read(reader, &header);
    if (!err && !pf_bin_is(&header)) err = pf_reader_fail(reader, "expected an automaton, found a '%s'", header.fst_type);
    if (!err) err = pf_bin_read(reader, &header, 0, &fst);
    pf_reader_free(reader);
    if (!err) err = shared_fst_new(fst, NULL, &shared);
    if (err) return err;
    *ops = &read_fst_ops;
    *object = shared;
    return PF_OK;
}

static pf_err check_last(pf_stream_reader *stream) {
    pf_expr *second;
    PF_TRY(pf_stream_next(stream, &second));
    if (!second) return PF_OK;
    pf_expr_free(second);
    return pf_fail(PF_EINPUT, "expected one model or automaton, found another record after it");
}

/* The file is a compiled model or an automaton, or ARPA text. */
static pf_err blob_of_reader(pf_reader *reader, pf_blob **out) {
    const unsigned char *at;
    size_t length;
    pf_stream_reader *stream;
    pf_expr *expr = NULL;
    pf_model model = {0};
    PF_TRY(pf_reader_peek(reader, PF_STREAM_LOOK, &at, &length));
    if (!pf_stream_begins(at, length)) {
        PF_TRY(pf_ngram_read_arpa(reader, NULL, NULL, &model));
        return pf_blob_of_model(&model, out);
    }
    PF_TRY(pf_stream_reader_new(reader, 1, &stream));
    pf_err err = pf_stream_next(stream, &expr);
    if (!err && expr) err = check_last(stream);
    if (!err && expr && expr->kind == PF_EXPR_FST) err = pf_blob_of_fst(expr, out);
    else if (!err && expr && expr->kind == PF_EXPR_MODEL) *out = pf_blob_ref(expr->shared);
    pf_expr_free(expr);
    pf_stream_reader_free(stream);
    return err;
}

static pf_err make_object(const pf_blob_source *from, const pf_blob_ops **ops, void **object);

/* A model that is a name again is none: names could go round. */
static pf_err object_of_file(const pf_blob_source *from, const pf_blob_ops **ops, void **object) {
    pf_reader *reader;
    pf_blob *found = NULL;
    unsigned char hash[PF_HASH_BYTES];
    PF_TRY(pf_reader_open_regular(from->path, &reader));
    pf_err err = blob_of_reader(reader, &found);
    pf_reader_free(reader);
    if (!err && found) err = pf_blob_hash(found, hash);
    if (!err && (!found || pf_blob_path(found) || strcmp(pf_blob_class(found), from->cls) != 0 ||
                 memcmp(hash, from->hash, sizeof hash) != 0))
        err = pf_fail(PF_EINPUT, "%s: this is not the model that was there when the stream was written", from->path);
    if (!err) err = pf_blob_take(found, make_object, ops, object);
    pf_blob_free(found);
    return err;
}

static pf_err make_object(const pf_blob_source *from, const pf_blob_ops **ops, void **object) {
    assert(from->bytes || from->path);
    if (!from->bytes) return object_of_file(from, ops, object);
    return strcmp(from->cls, "fst") == 0 ? fst_of_bytes(from, ops, object) : model_of_bytes(from, ops, object);
}

pf_err pf_open_model(pf_blob *blob, const pf_model **out) {
    void *object;
    if (!pf_model_class_find(pf_blob_class(blob)))
        return pf_fail(PF_EINPUT, "unknown class of model '%s'", pf_blob_class(blob));
    PF_TRY(pf_blob_object(blob, make_object, &object));
    *out = object;
    return PF_OK;
}

static pf_err open_shared_fst(pf_blob *blob, shared_fst **out) {
    void *object;
    PF_TRY(pf_blob_object(blob, make_object, &object));
    *out = object;
    return PF_OK;
}

static bool same_phi(const char *first, const char *second) {
    return first && second ? strcmp(first, second) == 0 : first == second;
}

/* Under the lock. */
static pf_err order(shared_fst *shared, const char *phi, pf_match **out) {
    ordered one = {0};
    for (size_t i = 0; i < shared->orders.n; i++)
        if (same_phi(shared->orders.at[i].phi, phi)) {
            *out = shared->orders.at[i].match;
            return PF_OK;
        }
    PF_TRY(PF_ROOM(&shared->orders, 1));
    PF_TRY(pf_match_new(shared->fst, phi, &one.match));
    if (phi && !(one.phi = strdup(phi))) {
        pf_match_free(one.match);
        return pf_nomem();
    }
    shared->orders.at[shared->orders.n++] = one;
    *out = one.match;
    return PF_OK;
}

static pf_err open_shared_match(pf_blob *blob, const char *phi, pf_match **out) {
    shared_fst *shared;
    PF_TRY(open_shared_fst(blob, &shared));
    pthread_mutex_lock(&shared->lock);
    pf_err err = order(shared, phi, out);
    pthread_mutex_unlock(&shared->lock);
    return err;
}

/* ---- expressions ---- */

struct pf_opened {
    pf_expr *expr;
    pf_opened *first, *second; /* operands */
    pf_match *match;           /* the arcs of `second` in order */
    pf_scorer scorer;          /* of the model that scores a translation */
    pf_fst *made;              /* the machine, where it was made here */
    pf_fst *fst;               /* the machine */
};

void pf_opened_free(pf_opened *opened) {
    if (!opened) return;
    pf_fst_free(opened->made); /* before what it borrows */
    pf_scorer_end(&opened->scorer);
    pf_match_free(opened->match);
    pf_opened_free(opened->first);
    pf_opened_free(opened->second);
    pf_expr_free(opened->expr);
    free(opened);
}

pf_fst *pf_opened_fst(const pf_opened *opened) { return opened->fst; }

static pf_err open_perm(pf_opened *opened) {
    PF_TRY(pf_open(opened->expr->first, &opened->first));
    return pf_perm_lazy(opened->first->fst, &opened->expr->spec, &opened->made);
}

/* The second operand: a model, or a machine with its arcs in order. */
static pf_err open_second(pf_opened *opened, const pf_model **model, pf_match **match) {
    const pf_expr *expr = opened->expr;
    if (!expr->shared) {
        PF_TRY(pf_open(expr->second, &opened->second));
        PF_TRY(pf_match_new(opened->second->fst, expr->phi, &opened->match));
        *match = opened->match;
        return PF_OK;
    }
    if (strcmp(pf_blob_class(expr->shared), "fst") == 0) return open_shared_match(expr->shared, expr->phi, match);
    if (expr->phi)
        return pf_fail(PF_EINPUT, "the second operand of a composition is a model and has a failure symbol, '%.100s'",
            expr->phi);
    return pf_open_model(expr->shared, model);
}

/* A machine that can be a scorer scores, where both sides are matched by string and add their costs alike. */
static pf_scorer *scorer_of(const pf_fst *first, pf_match *match) {
    bool fits = first->osyms && first->type == PF_STANDARD && pf_match_fst(match)->type == PF_STANDARD;
    return fits ? pf_match_scorer(match) : NULL;
}

static bool is_spelled(pf_fst *fst) {
    pf_fst *scored;
    const pf_units *units;
    return pf_spell_parts(fst, &scored, &units);
}

/* The words of a translation are scored, too: those that it spells. */
static pf_err open_scored(pf_opened *opened, pf_scorer *scorer) {
    pf_fst *first = opened->first->fst;
    const double *scale = opened->expr->scale;
    pf_scored_by by = {scorer, scale[1]};
    if (is_spelled(first)) return pf_spell_score(first, scale[0], &by, &opened->made);
    return pf_score_by(first, scale[0], &by, 1, &opened->made);
}

static pf_err open_model_scored(pf_opened *opened, const pf_model *model) {
    pf_fst *first = opened->first->fst;
    const double *scale = opened->expr->scale;
    if (model->cls == &pf_tuple_class) return pf_spell_tuples(first, model, scale, &opened->made);
    if (!is_spelled(first)) return pf_score_all(first, scale[0], &(pf_scored){model, scale[1]}, 1, &opened->made);
    PF_TRY(pf_scorer_of(model, &opened->scorer));
    return open_scored(opened, &opened->scorer);
}

static pf_err open_compose(pf_opened *opened) {
    pf_match *match = NULL;
    const pf_model *model = NULL;
    PF_TRY(pf_open(opened->expr->first, &opened->first));
    PF_TRY(open_second(opened, &model, &match));
    assert(!model != !match);
    if (model) return open_model_scored(opened, model);
    pf_scorer *scorer = scorer_of(opened->first->fst, match);
    if (scorer) return open_scored(opened, scorer);
    return pf_compose_match(opened->first->fst, match, opened->expr->scale, &opened->made);
}

static pf_err open_kind(pf_opened *opened) {
    switch (opened->expr->kind) {
    case PF_EXPR_PERM: return open_perm(opened);
    case PF_EXPR_COMPOSE: return open_compose(opened);
    case PF_EXPR_BEST: return pf_answer_fst(opened->expr->answer, &opened->made);
    case PF_EXPR_MODEL: return pf_fail(PF_EARG, "expected an automaton, found a model (permexpand --backoff makes an "
                                       "automaton of it)");
    case PF_EXPR_FST: break;
    }
    return PF_OK;
}

/* Filled by `fill`, which leaves what it makes in `made`, or else sets `fst`. */
static pf_err opened(pf_expr *expr, pf_err (*fill)(pf_opened *o), pf_opened **out) {
    *out = NULL;
    pf_opened *from = calloc(1, sizeof *from);
    if (!from) return pf_nomem();
    from->expr = pf_expr_ref(expr);
    pf_err err = fill(from);
    if (!from->fst) from->fst = from->made ? from->made : expr->fst;
    assert(err || from->fst);
    if (err) pf_opened_free(from);
    else *out = from;
    return err;
}

pf_err pf_open(pf_expr *expr, pf_opened **out) { return opened(expr, open_kind, out); }

static pf_err open_shared_words(pf_opened *opened) {
    shared_fst *shared;
    PF_TRY(open_shared_fst(opened->expr->shared, &shared));
    opened->fst = shared->fst;
    return PF_OK;
}

pf_err pf_open_words(pf_expr *expr, pf_opened **out) {
    if (expr->kind == PF_EXPR_PERM) return pf_open_words(expr->first, out);
    if (expr->kind != PF_EXPR_COMPOSE) return pf_open(expr, out);
    if (expr->second) return pf_open_words(expr->second, out);
    if (strcmp(pf_blob_class(expr->shared), "fst") != 0) return pf_open_words(expr->first, out);
    return opened(expr, open_shared_words, out);
}
