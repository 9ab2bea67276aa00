/* "pfLearn\1", the CRC-32C of what follows (u32), the hash of examples and options (u64), three numbers (u64), a real (f64), how many
 * numbers follow (u64), and these (u64 each, doubles by their bits). */
#include <permfst/learn/learner_state.h>

#include "learn/learn_impl.h"

#include <permfst/base/crc.h>

#include <string.h>

static const char mark[8] = "pfLearn\1";

enum { HEAD = 3 };
typedef struct {
    uint64_t hash, number[HEAD];
    double real;
    size_t count; /* of numbers, in one or two lists */
    void *list[2];
} state_file;

static size_t list_length(const state_file *state) { return state->list[1] ? state->count / 2 : state->count; }

static uint64_t load(const void *list, size_t at) {
    uint64_t number;
    memcpy(&number, (const unsigned char *)list + at * sizeof number, sizeof number);
    return number;
}

static void store(void *list, size_t at, uint64_t number) { memcpy((unsigned char *)list + at * sizeof number, &number, sizeof number); }

static pf_err write_content(const state_file *state, pf_writer *writer) {
    const size_t n = list_length(state);
    PF_TRY(pf_writer_u64(writer, state->hash));
    for (int k = 0; k < HEAD; k++) PF_TRY(pf_writer_u64(writer, state->number[k]));
    PF_TRY(pf_writer_f64(writer, state->real));
    PF_TRY(pf_writer_u64(writer, state->count));
    for (size_t k = 0; k < state->count; k++) PF_TRY(pf_writer_u64(writer, load(state->list[k / (n ? n : 1)], n ? k % n : 0)));
    return PF_OK;
}

static pf_err write_sum(const state_file *state, pf_writer *content, pf_writer *writer) {
    size_t n;
    PF_TRY(write_content(state, content));
    const unsigned char *at = pf_writer_bytes(content, &n);
    PF_TRY(pf_writer_put(writer, mark, sizeof mark));
    PF_TRY(pf_writer_u32(writer, pf_crc32c(0, at, n)));
    return pf_writer_put(writer, at, n);
}

static pf_err write_state(const state_file *state, pf_writer *writer) {
    pf_writer *content;
    PF_TRY(pf_writer_memory(&content));
    pf_err err = write_sum(state, content, writer);
    pf_writer_free(content);
    return err;
}

static pf_err read_head(pf_reader *reader, state_file *state) {
    uint64_t hash, count;
    PF_TRY(pf_reader_u64(reader, &hash, "a hash"));
    for (int k = 0; k < HEAD; k++) PF_TRY(pf_reader_u64(reader, &state->number[k], "a number"));
    PF_TRY(pf_reader_f64(reader, &state->real, "a number"));
    PF_TRY(pf_reader_u64(reader, &count, "how many weights there are"));
    if (hash == state->hash && count == state->count) return PF_OK;
    return pf_reader_fail(reader, "the state is that of another training: of other text, templates or options");
}

/* What is damaged must not be learned from: the lists are the learner's own, so an error ends it. */
static pf_err read_state(pf_reader *reader, state_file *state) {
    const size_t n = list_length(state);
    unsigned char begin[sizeof mark];
    uint32_t sum;
    PF_TRY(pf_reader_get(reader, begin, sizeof begin, "a state of permlearn"));
    if (memcmp(begin, mark, sizeof mark) != 0) return pf_reader_fail(reader, "expected a state of permlearn (--state)");
    PF_TRY(pf_reader_u32(reader, &sum, "a checksum"));
    pf_reader_sum_begin(reader);
    PF_TRY(read_head(reader, state));
    for (size_t k = 0; k < state->count; k++) {
        uint64_t number;
        PF_TRY(pf_reader_u64(reader, &number, "a weight"));
        store(state->list[k / n], k % n, number);
    }
    if (pf_reader_sum(reader) != sum) return pf_reader_fail(reader, "the checksum of the state is wrong: it is damaged");
    return PF_OK;
}

/* ---- which training it is ---- */

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t n) { return pf_hash(n ? bytes : "", n, hash); }

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
                        {state->step, state->passes, 0}, state->first, examples->model->weight.n, {examples->model->weight.at, NULL}};
}

pf_err pf_lr_state_write(const pf_examples *examples, const pf_lr_options *options, const pf_lr_state *state, pf_writer *writer) {
    const state_file file = file_of_lr(examples, options, state);
    return write_state(&file, writer);
}

pf_err pf_lr_state_read(pf_reader *reader, const pf_examples *examples, const pf_lr_options *options, pf_lr_state *out) {
    *out = (pf_lr_state){0};
    state_file file = file_of_lr(examples, options, out);
    PF_TRY(read_state(reader, &file));
    out->step = file.number[0];
    out->passes = file.number[1];
    out->first = file.real;
    return PF_OK;
}

/* ---- ap ---- */

static state_file file_of_ap(const pfi_perceptron_numbers *numbers) {
    return (state_file){numbers->hash, {*numbers->pass, *numbers->sentences, 0}, 0, 2 * numbers->n, {numbers->weight, numbers->late}};
}

pf_err pf_perceptron_write(const pf_perceptron *learner, pf_writer *writer) {
    pfi_perceptron_numbers numbers;
    pfi_perceptron_numbers_of((pf_perceptron *)learner, &numbers);
    const state_file file = file_of_ap(&numbers);
    return write_state(&file, writer);
}

pf_err pf_perceptron_read(pf_perceptron *learner, pf_reader *reader) {
    pfi_perceptron_numbers numbers;
    pfi_perceptron_numbers_of(learner, &numbers);
    state_file file = file_of_ap(&numbers);
    PF_TRY(read_state(reader, &file));
    *numbers.pass = file.number[0];
    *numbers.sentences = file.number[1];
    return PF_OK;
}
