/* "pfLearn\2", the CRC-32C of what follows (u32), the hash of examples and options (u64), two numbers (u64), and two lists. A list
 * is how many numbers it has (u64), and these (u64 each, doubles by their bits). */
#include <permfst/learn/learner_state.h>

#include "learn/learn_impl.h"

#include <permfst/base/crc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[8] = "pfLearn\2";

enum { HEAD = 2, LISTS = 2 };
typedef struct {
    void *at; /* numbers of 64 bits */
    size_t n;
} state_list;
typedef struct {
    uint64_t hash, number[HEAD];
    state_list list[LISTS];
} state_file;

static pf_err write_list(const state_list *list, pf_writer *writer) {
    PF_TRY(pf_writer_u64(writer, list->n));
    for (size_t k = 0; k < list->n; k++) {
        uint64_t number;
        memcpy(&number, (const unsigned char *)list->at + k * sizeof number, sizeof number);
        PF_TRY(pf_writer_u64(writer, number));
    }
    return PF_OK;
}

static pf_err write_content(const state_file *state, pf_writer *writer) {
    PF_TRY(pf_writer_u64(writer, state->hash));
    for (int k = 0; k < HEAD; k++) PF_TRY(pf_writer_u64(writer, state->number[k]));
    for (int k = 0; k < LISTS; k++) PF_TRY(write_list(&state->list[k], writer));
    return PF_OK;
}

static pf_err write_sum(const state_file *state, pf_writer *content, pf_writer *writer) {
    size_t size;
    PF_TRY(write_content(state, content));
    const unsigned char *at = pf_writer_bytes(content, &size);
    PF_TRY(pf_writer_put(writer, mark, sizeof mark));
    PF_TRY(pf_writer_u32(writer, pf_crc32c(0, at, size)));
    return pf_writer_put(writer, at, size);
}

static pf_err write_state(const state_file *state, pf_writer *writer) {
    pf_writer *content;
    PF_TRY(pf_writer_memory(&content));
    pf_err err = write_sum(state, content, writer);
    pf_writer_free(content);
    return err;
}

static pf_err other_training(pf_reader *reader) {
    return pf_reader_fail(reader, "the state belongs to another training, with another text, other templates or other options");
}

static pf_err read_list(pf_reader *reader, const state_list *list) {
    uint64_t n, number;
    PF_TRY(pf_reader_u64(reader, &n, "how many numbers there are"));
    if (n != list->n) return other_training(reader);
    for (size_t k = 0; k < list->n; k++) {
        PF_TRY(pf_reader_u64(reader, &number, "a number"));
        memcpy((unsigned char *)list->at + k * sizeof number, &number, sizeof number);
    }
    return PF_OK;
}

static pf_err read_content(pf_reader *reader, state_file *state) {
    uint64_t hash;
    PF_TRY(pf_reader_u64(reader, &hash, "a hash"));
    if (hash != state->hash) return other_training(reader);
    for (int k = 0; k < HEAD; k++) PF_TRY(pf_reader_u64(reader, &state->number[k], "a number"));
    for (int k = 0; k < LISTS; k++) PF_TRY(read_list(reader, &state->list[k]));
    return PF_OK;
}

/* What is damaged must not be learned from: the lists are the learner's own, so an error ends it. */
static pf_err read_state(pf_reader *reader, state_file *state) {
    unsigned char begin[sizeof mark];
    uint32_t sum;
    PF_TRY(pf_reader_get(reader, begin, sizeof begin, "a state of permlearn"));
    if (memcmp(begin, mark, sizeof mark) != 0) return pf_reader_fail(reader, "expected a state of permlearn (--state)");
    PF_TRY(pf_reader_u32(reader, &sum, "a checksum"));
    pf_reader_sum_begin(reader);
    PF_TRY(read_content(reader, state));
    if (pf_reader_sum(reader) != sum) return pf_reader_fail(reader, "the checksum of the state is wrong: it is damaged");
    return PF_OK;
}

/* ---- which training it is ---- */

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t size) { return pf_hash(size ? bytes : "", size, hash); }

uint64_t pfi_examples_hash(const pf_examples *examples, uint64_t hash) {
    hash = hash_more(hash, examples->model->feature.key, examples->model->feature.key_n);
    hash = hash_more(hash, examples->feature.at, examples->feature.n * sizeof *examples->feature.at);
    hash = hash_more(hash, examples->end.at, examples->end.n * sizeof *examples->end.at);
    hash = hash_more(hash, examples->gold.at, examples->gold.n);
    return hash_more(hash, examples->rank.at, examples->rank.n * sizeof *examples->rank.at);
}

/* ---- lr ---- */

static state_file file_of_lr(const pf_examples *examples, const pf_lr_options *options, const pf_lr_state *state) {
    return (state_file){pfi_examples_hash(examples, pf_hash(&options->lambda, sizeof options->lambda, PF_LEARN_LR)),
                        {state->pass},
                        {{examples->model->weight.at, examples->model->weight.n}, {state->dual, examples->gold.n}}};
}

pf_err pf_lr_state_write(const pf_examples *examples, const pf_lr_options *options, const pf_lr_state *state, pf_writer *writer) {
    const state_file file = file_of_lr(examples, options, state);
    return write_state(&file, writer);
}

/* A checksum is no proof that a learner has written it. */
static bool is_of_lr(const pf_examples *examples, const pf_lr_options *options, const pf_lr_state *state) {
    const double most = 1.001 * (double)examples->gold.n / options->lambda; /* each pair adds at most 1 / lambda to a weight */
    if (state->pass > PF_PASSES_MOST) return false;
    for (size_t k = 0; k < examples->model->weight.n; k++)
        if (!(fabs(examples->model->weight.at[k]) <= most)) return false;
    for (size_t k = 0; k < examples->gold.n; k++)
        if (!(state->dual[k] >= 0 && state->dual[k] <= 1)) return false;
    return true;
}

pf_err pf_lr_state_read(pf_reader *reader, const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out) {
    *out = (pf_lr_state){.dual = calloc(examples->gold.n + 1, sizeof *out->dual)};
    if (!out->dual) return pf_nomem();
    state_file file = file_of_lr(examples, options, out);
    pf_err err = read_state(reader, &file);
    out->pass = file.number[0];
    if (!err && !is_of_lr(examples, options, out))
        err = pf_reader_fail(reader, "the state has numbers that a training with lr cannot have");
    if (err) pf_lr_state_free(out);
    return err;
}

/* ---- ap ---- */

static state_file file_of_ap(const pfi_perceptron_numbers *numbers) {
    return (state_file){numbers->hash, {numbers->pass, numbers->sentences},
                        {{numbers->weight, numbers->n}, {numbers->late, numbers->n}}};
}

pf_err pf_perceptron_write(const pf_perceptron *learner, pf_writer *writer) {
    pfi_perceptron_numbers numbers;
    pfi_perceptron_numbers_of(learner, &numbers);
    const state_file file = file_of_ap(&numbers);
    return write_state(&file, writer);
}

/* A pass corrects each pair at most once, and a correction changes `late` by less than the number of sentences so far. The products
 * that pf_perceptron_mean makes of the numbers are within 62 bits. */
static bool is_of_ap(const pfi_perceptron_numbers *numbers) {
    const double most = 0x1p61, corrections = (double)numbers->pass * (double)numbers->pairs_a_pass;
    const double sentences = (double)numbers->sentences;
    if (numbers->pass > PF_PASSES_MOST || numbers->sentences != numbers->pass * numbers->sentences_a_pass) return false;
    for (size_t k = 0; k < numbers->n; k++) {
        const double weight = fabs((double)numbers->weight[k]), late = fabs((double)numbers->late[k]);
        if (weight > corrections || weight * sentences > most) return false;
        if (late > corrections * sentences || late > most) return false;
    }
    return true;
}

pf_err pf_perceptron_read(pf_perceptron *learner, pf_reader *reader) {
    pfi_perceptron_numbers numbers;
    pfi_perceptron_numbers_of(learner, &numbers);
    state_file file = file_of_ap(&numbers);
    PF_TRY(read_state(reader, &file));
    numbers.pass = file.number[0];
    numbers.sentences = file.number[1];
    pfi_perceptron_go_on(learner, numbers.pass, numbers.sentences);
    return is_of_ap(&numbers) ? PF_OK : pf_reader_fail(reader, "the state has numbers that a training with ap cannot have");
}
