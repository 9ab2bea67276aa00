/* Opening expressions bottom up. */
#include <permfst/ops/open.h>

#include <permfst/io/bin.h>
#include <permfst/io/stream.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/compose.h>
#include <permfst/ops/score.h>
#include <permfst/ops/spell.h>

#include <stdlib.h>
#include <string.h>

static void free_model(void *object) {
    pf_model_free(object);
    free(object);
}

/* A shared automaton, and its arcs in order for each failure symbol that a composition has named. */
typedef struct {
    char *phi; /* NULL: none */
    pf_match *match;
} ordered;

typedef struct {
    pf_fst *fst;
    PF_VEC(ordered) orders;
} shared_fst;

static void free_shared_fst(void *object) {
    shared_fst *s = object;
    for (size_t i = 0; i < s->orders.n; i++) {
        pf_match_free(s->orders.at[i].match);
        free(s->orders.at[i].phi);
    }
    PF_VEC_FREE(&s->orders);
    pf_fst_free(s->fst);
    free(s);
}

/* ---- blobs ---- */

pf_err pf_blob_of_model(const pf_model *model, pf_blob **out) {
    pf_writer *w;
    size_t n;
    PF_TRY(pf_writer_memory(&w));
    pf_err err = model->cls->write(model->self, w);
    const unsigned char *bytes = pf_writer_bytes(w, &n);
    if (!err) err = pf_blob_new(model->cls->name, bytes, n, out);
    pf_writer_free(w);
    return err;
}

pf_err pf_blob_of_fst(pf_fst *fst, pf_blob **out) {
    pf_writer *w;
    size_t n;
    PF_TRY(pf_writer_memory(&w));
    pf_err err = pf_bin_write(w, fst);
    const unsigned char *bytes = pf_writer_bytes(w, &n);
    if (!err) err = pf_blob_new("fst", bytes, n, out);
    pf_writer_free(w);
    return err;
}

/* By name: the file is a compiled model or an automaton, or ARPA text; its bytes must have the hash. */
static pf_err load_bytes(pf_blob *blob) {
    pf_reader *r = NULL;
    pf_stream_reader *s = NULL;
    pf_expr *e = NULL;
    pf_blob *found = NULL;
    const unsigned char *at;
    size_t n = 0;
    pf_err err = pf_reader_open(blob->path, &r);
    if (!err) err = pf_reader_peek(r, PF_STREAM_LOOK, &at, &n);
    bool binary = !err && pf_stream_begins(at, n);
    if (!err && binary && !(err = pf_stream_reader_new(r, 1, &s))) err = pf_stream_next(s, &e);
    if (!err && e && e->kind == PF_EXPR_FST) err = pf_blob_of_fst(e->fst, &found);
    else if (!err && e && e->kind == PF_EXPR_MODEL) found = pf_blob_ref(e->shared);
    else if (!err && !binary) {
        pf_model model = {0};
        err = pf_ngram_read_arpa(r, NULL, NULL, &model);
        if (!err) err = pf_blob_of_model(&model, &found);
        pf_model_free(&model);
    }
    if (!err && (!found || memcmp(found->hash, blob->hash, PF_HASH_BYTES) != 0))
        err = pf_fail(PF_EINPUT, "%s: not the model that was there when the stream was written", blob->path);
    if (!err) {
        blob->bytes = found->bytes;
        blob->n = found->n;
        found->bytes = NULL;
    }
    pf_blob_free(found);
    pf_expr_free(e);
    pf_stream_reader_free(s);
    pf_reader_free(r);
    return err;
}

pf_err pf_open_model(pf_blob *blob, const pf_model **out) {
    *out = blob->object;
    if (*out) return PF_OK;
    const pf_model_class *cls = pf_model_class_find(blob->cls);
    if (!cls) return pf_fail(PF_EINPUT, "unknown class of model '%s'", blob->cls);
    if (!blob->bytes) PF_TRY(load_bytes(blob));
    pf_model *model = calloc(1, sizeof *model);
    pf_reader *r = NULL;
    if (!model) return pf_nomem();
    model->cls = cls;
    pf_err err = pf_reader_memory(blob->bytes, blob->n, "model", &r);
    if (!err) err = cls->read(r, &model->self);
    pf_reader_free(r);
    if (err) {
        free(model);
        return err;
    }
    blob->object = model;
    *out = model;
    blob->object_free = free_model;
    return PF_OK;
}

static pf_err read_shared_fst(const pf_blob *blob, pf_fst **out) {
    pf_reader *r;
    pf_header h;
    PF_TRY(pf_reader_memory(blob->bytes, blob->n, "operand", &r));
    pf_err err = pf_header_read(r, &h);
    if (!err && !pf_bin_is(&h)) err = pf_reader_fail(r, "expected an automaton, found a '%s'", h.fst_type);
    if (!err) err = pf_bin_read(r, &h, 0, out);
    pf_reader_free(r);
    return err;
}

static pf_err open_shared_fst(pf_blob *blob, shared_fst **out) {
    *out = blob->object;
    if (*out) return PF_OK;
    if (!blob->bytes) PF_TRY(load_bytes(blob));
    shared_fst *s = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    pf_err err = read_shared_fst(blob, &s->fst);
    if (err) {
        free(s);
        return err;
    }
    *out = blob->object = s;
    blob->object_free = free_shared_fst;
    return PF_OK;
}

static bool same_phi(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static pf_err open_shared_match(pf_blob *blob, const char *phi, pf_match **out) {
    shared_fst *s;
    ordered one = {0};
    PF_TRY(open_shared_fst(blob, &s));
    for (size_t i = 0; i < s->orders.n; i++)
        if (same_phi(s->orders.at[i].phi, phi)) {
            *out = s->orders.at[i].match;
            return PF_OK;
        }
    PF_TRY(PF_ROOM(&s->orders, 1));
    PF_TRY(pf_match_new(s->fst, phi, &one.match));
    if (phi && !(one.phi = strdup(phi))) {
        pf_match_free(one.match);
        return pf_nomem();
    }
    s->orders.at[s->orders.n++] = one;
    *out = one.match;
    return PF_OK;
}

/* ---- expressions ---- */

pf_err pf_open_shared(pf_expr *e) {
    const pf_model *model;
    pf_match *match;
    if (e->left) PF_TRY(pf_open_shared(e->left));
    if (e->right) PF_TRY(pf_open_shared(e->right));
    if (!e->shared) return PF_OK;
    if (strcmp(e->shared->cls, "fst") == 0) PF_TRY(open_shared_match(e->shared, e->phi, &match));
    else PF_TRY(pf_open_model(e->shared, &model));
    if (e->kind == PF_EXPR_COMPOSE) pf_blob_drop_bytes(e->shared);
    return PF_OK;
}

pf_perm_spec pf_expr_spec(const pf_expr *e) {
    return (pf_perm_spec){(const char *const *)e->con.at, e->con.n, e->wm.at, e->wm.n, e->acceptor};
}

static pf_err open_perm(pf_expr *e) {
    pf_fst *input;
    pf_perm_spec spec = pf_expr_spec(e);
    PF_TRY(pf_open(e->left, &input));
    return pf_perm_lazy(input, &spec, &e->fst);
}

static void free_match(void *match) { pf_match_free(match); }

/* The arcs of an operand that is this record's own. */
static pf_err open_match(pf_expr *e, pf_match **out) {
    pf_fst *right;
    *out = e->made;
    if (*out) return PF_OK;
    PF_TRY(pf_open(e->right, &right));
    PF_TRY(pf_match_new(right, e->phi, out));
    e->made = *out;
    e->made_free = free_match;
    return PF_OK;
}

/* The second operand: a model, or a machine with its arcs in order. */
static pf_err open_second(pf_expr *e, const pf_model **model, pf_match **match) {
    if (!e->shared) return open_match(e, match);
    if (strcmp(e->shared->cls, "fst") == 0) return open_shared_match(e->shared, e->phi, match);
    if (e->phi) return pf_fail(PF_EINPUT, "a composition with a model has a failure symbol, '%.100s'", e->phi);
    return pf_open_model(e->shared, model);
}

/* A machine that is a model scores as one, where both sides are matched by string and add their costs alike. */
static const pf_model *model_of(const pf_fst *left, const pf_match *match) {
    bool fits = left->osyms && left->type == PF_STANDARD && pf_match_fst(match)->type == PF_STANDARD;
    return fits ? pf_match_model(match) : NULL;
}

/* A tuple model translates; any other one scores words, those of a translation too. */
static pf_err open_scored(pf_expr *e, pf_fst *left, const pf_scored *model) {
    pf_fst *scored;
    const pf_units *units;
    if (model->model->cls == &pf_tuple_class) return pf_spell_tuples(left, model->model, e->scale, &e->fst);
    if (pf_spell_parts(left, &scored, &units)) return pf_spell_score(left, e->scale[0], model, &e->fst);
    return pf_score_all(left, e->scale[0], model, 1, &e->fst);
}

static pf_err open_compose(pf_expr *e) {
    pf_fst *left;
    pf_match *match = NULL;
    pf_scored one = {NULL, e->scale[1]};
    PF_TRY(pf_open(e->left, &left));
    PF_TRY(open_second(e, &one.model, &match));
    if (e->shared) pf_blob_drop_bytes(e->shared);
    if (match) one.model = model_of(left, match);
    if (one.model) return open_scored(e, left, &one);
    return pf_compose_match(left, match, e->scale, &e->fst);
}

pf_err pf_open_words(pf_expr *e, pf_fst **out) {
    shared_fst *shared;
    if (e->kind == PF_EXPR_PERM) return pf_open_words(e->left, out);
    if (e->kind != PF_EXPR_COMPOSE) return pf_open(e, out);
    if (e->right) return pf_open_words(e->right, out);
    if (strcmp(e->shared->cls, "fst") != 0) return pf_open_words(e->left, out);
    PF_TRY(open_shared_fst(e->shared, &shared));
    *out = shared->fst;
    return PF_OK;
}

pf_err pf_open(pf_expr *e, pf_fst **out) {
    pf_err err = PF_OK;
    if (!e->fst) switch (e->kind) {
        case PF_EXPR_PERM: err = open_perm(e); break;
        case PF_EXPR_COMPOSE: err = open_compose(e); break;
        case PF_EXPR_BEST: err = pf_answer_fst(&e->answer, &e->fst); break;
        case PF_EXPR_MODEL: return pf_fail(PF_EARG, "expected an automaton, found a model: permexpand --backoff makes one of it");
        case PF_EXPR_FST: break;
        }
    *out = e->fst;
    return err;
}
