/* A batch of sentences becomes records, or text. */
#include <permfst/learn/order_apply.h>

#include <permfst/io/sentence.h>
#include <permfst/permute/perm.h>

#include "learn/batches.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BATCH = 32 };

typedef struct {
    pf_expr *record[BATCH];
    pf_writer *text; /* of matrices, or reasons */
} applied_batch;

typedef struct {
    const pf_order_model *model;
    const pf_order_apply_options *options;
} application;

typedef PF_VEC(int64_t) learned_matrix;
typedef PF_VEC(double) learned_costs;
typedef struct {
    learned_matrix matrix;
    PF_VEC(const char *) word;
} applied_room;

/* ---- a record ---- */

static pf_err list_words(applied_room *room, const pfi_batch_sentence *sentence) {
    room->word.n = 0;
    PF_TRY(PF_ROOM(&room->word, (size_t)sentence->numbered.n + 1));
    const char *at = sentence->words.at;
    for (unsigned k = 0; k < sentence->numbered.n; k++, at += strlen(at) + 1) room->word.at[room->word.n++] = at;
    return PF_OK;
}

static size_t pairs_of(const pf_numbered *sentence) { return (size_t)sentence->n * sentence->n; }

static pf_err find_matrix(const pf_order_model *model, const pf_numbered *sentence, learned_matrix *matrix) {
    matrix->n = 0;
    PF_TRY(PF_ROOM(matrix, pairs_of(sentence) + 1));
    pf_order_model_matrix(model, sentence, matrix->at);
    return PF_OK;
}

static pf_err find_costs(const pf_order_model *model, const pf_numbered *sentence, learned_costs *costs) {
    learned_matrix matrix = {NULL};
    pf_err err = find_matrix(model, sentence, &matrix);
    if (!err) err = PF_ROOM(costs, pairs_of(sentence) + 1);
    for (size_t k = 0; !err && k < pairs_of(sentence); k++) costs->at[k] = (double)matrix.at[k] / PF_MILLION;
    PF_VEC_FREE(&matrix);
    return err;
}

pf_err pf_order_permute(const pf_order_model *model, const pf_numbered *sentence, pf_expr *input, const char *const *space,
                        size_t spaces, pf_expr **out) {
    learned_costs costs = {NULL};
    *out = NULL;
    pf_err err = find_costs(model, sentence, &costs);
    const pf_weight pairwise = {"pairwise:learned", costs.at, pairs_of(sentence)};
    const pf_perm_spec spec = {.con = space, .n_con = spaces, .wm = &pairwise, .n_wm = 1};
    if (!err) err = pf_expr_permute(input, &spec, out);
    PF_VEC_FREE(&costs);
    return err;
}

static pf_err make_record(const application *of, applied_room *room, const pfi_batch_sentence *sentence, pf_expr **out) {
    pf_fst *fst;
    pf_expr *words;
    PF_TRY(list_words(room, sentence));
    PF_TRY(pf_fst_of_words(PF_STANDARD, room->word.at, sentence->numbered.n, &fst));
    PF_TRY(pf_expr_of_fst(fst, &words));
    pf_err err = pf_order_permute(of->model, &sentence->numbered, words, of->options->space, of->options->spaces, out);
    pf_expr_free(words);
    return err;
}

/* ---- a matrix as text ---- */

static pf_err write_matrix(const applied_room *room, unsigned length, pf_writer *writer) {
    for (unsigned i = 0; i < length; i++)
        for (unsigned j = 0; j < length; j++) {
            const int64_t cost = room->matrix.at[(size_t)i * length + j];
            PF_TRY(pf_writer_text(writer, "%lld.%06lld%c", (long long)(cost / 1000000), (long long)(cost % 1000000),
                                  j + 1 < length ? ' ' : '\n'));
        }
    return pf_writer_put(writer, "\n", 1);
}

/* ---- why ---- */

typedef struct {
    const pf_order_model *model;
    PF_VEC(uint32_t) feature;
} found_features;

static pf_err take_feature(void *self, const uint32_t *key) {
    found_features *found = self;
    uint32_t feature = pf_statetab_find(&found->model->feature, key, found->model->stride * sizeof *key);
    return feature == UINT32_MAX ? PF_OK : PF_PUSH(&found->feature, feature);
}

/* The heaviest first; of equal ones in the order of the templates. */
static void sort_found(const pf_order_model *model, found_features *found) {
    for (size_t k = 1; k < found->feature.n; k++) {
        uint32_t feature = found->feature.at[k];
        size_t to = k;
        for (; to && fabs(model->weight.at[found->feature.at[to - 1]]) < fabs(model->weight.at[feature]); to--)
            found->feature.at[to] = found->feature.at[to - 1];
        found->feature.at[to] = feature;
    }
}

static pf_err write_found(const pf_order_model *model, const found_features *found, pf_writer *writer) {
    for (size_t k = 0; k < found->feature.n; k++) {
        uint32_t feature = found->feature.at[k];
        size_t n;
        const uint32_t *key = pf_statetab_key(&model->feature, feature, &n);
        PF_TRY(pf_writer_text(writer, "%+.6f\t%s\t", model->weight.at[feature], model->templates.at.at[key[0]].text));
        PF_TRY(pf_order_model_write_values(model, feature, writer));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

static pf_err write_verdict(const application *of, const applied_room *room, uint64_t number, unsigned length, pf_writer *writer) {
    const unsigned earlier = of->options->earlier, later = of->options->later;
    const double before = (double)room->matrix.at[(size_t)earlier * length + later] / PF_MILLION,
        after = (double)room->matrix.at[(size_t)later * length + earlier] / PF_MILLION;
    return pf_writer_text(writer, "sentence %llu: %s (%u) before %s (%u) costs %.6f, after it %.6f: %s comes first\n",
                          (unsigned long long)number, room->word.at[earlier], earlier + 1, room->word.at[later], later + 1,
                          before, after, room->word.at[before <= after ? earlier : later]);
}

static pf_err explain(const application *of, applied_room *room, const pfi_batch_sentence *sentence, uint64_t number,
                      pf_writer *writer) {
    found_features found = {.model = of->model};
    if (of->options->later >= sentence->numbered.n) return PF_OK;
    PF_TRY(list_words(room, sentence));
    pf_err err = write_verdict(of, room, number, sentence->numbered.n, writer);
    if (!err)
        err = pf_order_model_features(of->model, &sentence->numbered, of->options->earlier, of->options->later, take_feature,
                                      &found);
    if (!err) sort_found(of->model, &found);
    if (!err) err = write_found(of->model, &found, writer);
    PF_VEC_FREE(&found.feature);
    return err;
}

/* ---- batches ---- */

static pf_err do_sentence(const application *of, applied_room *room, const pfi_batch *batch, size_t which) {
    const pfi_batch_sentence *sentence = &batch->sentence[which];
    applied_batch *made = batch->result;
    if (of->options->stream) return make_record(of, room, sentence, &made->record[which]);
    PF_TRY(find_matrix(of->model, &sentence->numbered, &room->matrix));
    if (of->options->matrices) return write_matrix(room, sentence->numbered.n, made->text);
    return explain(of, room, sentence, sentence->number, made->text);
}

static pf_err work_on(void *self, void *piece) {
    const application *of = self;
    const pfi_batch *batch = piece;
    applied_batch *made = batch->result;
    applied_room room = {.matrix = {0}};
    pf_err err = of->options->stream ? PF_OK : pf_writer_memory(&made->text);
    for (size_t k = 0; !err && k < batch->n; k++) err = do_sentence(of, &room, batch, k);
    PF_VEC_FREE(&room.matrix);
    PF_VEC_FREE(&room.word);
    return err;
}

static pf_err put_out(const pf_order_apply_options *options, const pfi_batch *batch) {
    const applied_batch *made = batch->result;
    size_t size;
    for (size_t k = 0; options->stream && k < batch->n; k++)
        PF_TRY(pf_stream_put(options->stream, made->record[k], batch->sentence[k].number));
    if (options->stream) return PF_OK;
    const unsigned char *at = pf_writer_bytes(made->text, &size);
    pf_writer *to = options->matrices ? options->matrices : options->why;
    PF_TRY(pf_writer_put(to, at, size));
    return pf_writer_flush(to);
}

static pf_err finish(void *self, void *piece, pf_err err) {
    const pf_order_apply_options *options = ((const application *)self)->options;
    const pfi_batch *batch = piece;
    PF_TRY(err);
    PF_TRY(put_out(options, batch));
    if (options->done) options->done(options->self, batch->sentence[batch->n - 1].number);
    return PF_OK;
}

static void drop(void *result) {
    applied_batch *made = result;
    for (size_t k = 0; k < BATCH; k++) pf_expr_free(made->record[k]);
    pf_writer_free(made->text);
}

pf_err pf_order_apply(const pf_order_model *model, pf_factor_reader *reader, const pf_order_apply_options *options) {
    static const pfi_batch_steps steps = {.sentences = BATCH, .words = true, .result = sizeof(applied_batch),
                                          .work = work_on, .finish = finish, .drop = drop};
    application of = {model, options};
    assert((options->stream != NULL) + (options->matrices != NULL) + (options->why != NULL) == 1);
    assert(!options->why || options->earlier < options->later);
    PF_TRY(pf_perm_check(&(pf_perm_spec){.con = options->space, .n_con = options->spaces}));
    return pfi_batches_run(&(pfi_batch_corpus){model, reader, options->threads, options->hooks}, &steps, &of);
}
