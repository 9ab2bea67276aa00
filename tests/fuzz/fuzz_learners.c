/* States of learners (learn/learner_state.h). A state has a checksum and the hash of its training, which bytes by chance never
 * have: so the bytes change the numbers of a state that was written, and its checksum is made right again. What is accepted is
 * trained on, and its weights are numbers. */
#include "fuzz.h"

#include <permfst/base/crc.h>
#include <permfst/learn/order_train.h>

#include <math.h>
#include <string.h>

enum { MARK = 8, SUM = 4, HASH = 8, STATE_BYTES = 1 << 12, PASSES = 2 };

static pf_err keep_state(void *self, const pf_train_pass *pass, const pf_training *now) {
    (void)pass;
    pf_writer_clear(self);
    return pf_training_write(now, self);
}

static pf_examples *new_examples(pf_order_model *model, unsigned variant) {
    static const char *const text[][4] = {{"a", "b", "c", "d"}, {"b", "d", "a", "c"}};
    const pf_gold gold = variant > 1 ? PF_GOLD_RANKS : variant ? PF_GOLD_UNFOLD : PF_GOLD_LINKS;
    pf_examples *examples;
    MUST(!pf_examples_new(&(pf_example_options){gold, variant > 0, 80, 1}, model, &examples));
    for (unsigned k = 0; k < 2; k++) {
        pf_word word[4];
        const pf_words words = {word, 4, 0};
        pf_alignment links = {.n_source = 4, .n_target = 4, .score = NAN};
        for (unsigned i = 0; i < 4; i++) {
            word[i] = (pf_word){text[k][i], 1};
            MUST(!PF_PUSH(&links.link, ((pf_link){i, (i + 2 + k) % 4, false, NAN})));
        }
        MUST(!pf_examples_add(examples, &(pf_factored){.column = {&words}, .links = &links}));
        PF_VEC_FREE(&links.link);
    }
    MUST(!pf_examples_finish(examples));
    return examples;
}

/* The state of one pass, changed. */
static size_t change(pf_reader *r, pf_writer *state, unsigned char bytes[STATE_BYTES]) {
    unsigned char more[STATE_BYTES];
    size_t length, n;
    const unsigned char *written = pf_writer_bytes(state, &length);
    MUST(length <= STATE_BYTES);
    memcpy(bytes, written, length);
    MUST(!pf_reader_some(r, more, STATE_BYTES, &n));
    for (size_t k = 0; k < n && MARK + SUM + HASH + k < length; k++) bytes[MARK + SUM + HASH + k] ^= more[k];
    const uint32_t sum = pf_crc32c(0, bytes + MARK + SUM, length - MARK - SUM);
    for (int k = 0; k < SUM; k++) bytes[MARK + k] = (unsigned char)(sum >> 8 * k);
    return length;
}

static size_t resume(pf_examples *examples, pf_train_options how, const unsigned char *bytes, size_t length) {
    pf_train_pass last;
    pf_reader *reader;
    size_t n = 0;
    MUST(!pf_reader_memory(bytes, length, "state", &reader));
    how.resume = reader;
    how.passes = PASSES;
    if (!pf_order_train(examples, &how, &last, NULL))
        for (; n < examples->model->weight.n; n++) MUST(isfinite(examples->model->weight.at[n]));
    pf_reader_free(reader);
    return n;
}

/* Variants: lr; ap without a loss, with that of pairs, with that of chunks. */
size_t fuzz_learners(pf_reader *r, pf_writer *w, unsigned variant) {
    unsigned char bytes[STATE_BYTES];
    pf_templates templates = {{0}};
    pf_train_pass last;
    pf_order_model *model;
    pf_writer *state;
    (void)w;
    MUST(!pf_templates_add(&templates, "1", 1) && !pf_templates_add(&templates, "w.i+w.j", 7));
    MUST(!pf_order_model_new(variant ? PF_LEARN_AP : PF_LEARN_LR, &templates, &model));
    MUST(!pf_writer_memory(&state));
    pf_examples *examples = new_examples(model, variant);
    const pf_train_options how = {.lr = {.lambda = 1, .tolerance = 0, .threads = 1},
                                  .ap = {.space = "itg", .loss = variant > 1 ? (pf_loss)(variant - 1) : PF_LOSS_NONE, .margin = 2},
                                  .passes = 1, .passed = keep_state, .self = state};
    MUST(!pf_order_train(examples, &how, &last, NULL));
    const size_t length = change(r, state, bytes), n = resume(examples, how, bytes, length);
    pf_writer_free(state);
    pf_examples_free(examples);
    pf_order_model_free(model);
    return n;
}
