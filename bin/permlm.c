/* permlm: the scores that an n-gram model gives to sentences. */
#include "toolmap.h"
#include "toolprogress.h"

#include <string.h>

enum { LINES = 256 }; /* that a thread takes at a time */

typedef struct {
    tool_common common;
    bool words, no_unk;
} lm_settings;

#define AT(FIELD) offsetof(lm_settings, FIELD)

static const tool_option rows[] = {
    TOOL_SOME("lines"),
    {'w', "words", TOOL_FLAG, AT(words), .help = "print the n-gram length and log10 score of each word"},
    {0, "no-unk", TOOL_FLAG, AT(no_unk), .help = "fail on a word that the model lacks"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    const lm_settings *options;
    const pf_model *model;
    pf_sentence_score total;
} sentence_scorer;

static pf_err put_word(void *writer, const pf_word_score *score) {
    size_t length;
    pf_writer_bytes(writer, &length);
    return pf_writer_text(writer, "%s%.*s %u %.8g", length ? "\t" : "", (int)score->n, score->word, score->matched, score->log10);
}

static pf_err score_line(void *self, pf_line *line) {
    const sentence_scorer *task = self;
    pf_sentence_score *score = line->result;
    pf_sentence_score_options how = {task->options->no_unk, task->options->words ? put_word : NULL, line->out};
    PF_TRY(pf_sentence_score_line(task->model, line->text, &how, score));
    if (task->options->words) return pf_writer_text(line->out, "\n");
    return pf_writer_text(line->out, "%.6f\t%llu\n", score->log10, (unsigned long long)score->unknown);
}

/* Sentence by sentence, in their order, so that the sums do not depend on --jobs. */
static void add_up(void *self, const void *result) { pf_sentence_score_add(&((sentence_scorer *)self)->total, result); }

static void summarise(tool_call *call, const pf_sentence_score *total) {
    if (!total->sentences) return;
    tool_say(call, "sentences %llu, words %llu, unknown %llu; log10 %.6f; perplexity %.4f, without unknown words %.4f",
             (unsigned long long)total->sentences, (unsigned long long)total->words, (unsigned long long)total->unknown,
             total->log10, pf_sentence_score_perplexity(total), pf_sentence_score_perplexity_known(total));
}

static pf_err open_model(tool_call *call, const char *path, pf_blob **blob, const pf_model **model) {
    pf_reader *reader;
    PF_TRY(toolfst_open(call, path, &reader));
    PF_TRY(pf_source_model(reader, tool_warn, call, blob));
    if (strcmp(pf_blob_class(*blob), pf_ngram_class.name) == 0) return pf_open_model(*blob, model);
    return pf_fail(PF_EINPUT, "%s: expected a language model, found a tuple model", path);
}

static int run(tool_call *call) {
    static const pf_line_steps steps = {LINES, sizeof(pf_sentence_score), NULL, score_line, add_up, "\n"};
    sentence_scorer task = {.options = tool_options(call)};
    pf_blob *blob = NULL;
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_err err = open_model(call, operands[0], &blob, &task.model);
    tool_item(call, "sentence");
    if (!err) err = toolmap_lines(call, count - 1, operands + 1, &steps, &task, NULL);
    if (!err) summarise(call, &task.total);
    pf_blob_free(blob);
    return tool_status(call, err, false);
}

const tool permlm = {
    .name = "permlm",
    .summary = "Score sentences with a language model",
    .forms = {"MODEL [FILE...]"},
    .options = rows,
    .size = sizeof(lm_settings),
    .run = run,
    .examples = {"permlm en.3gram.arpa sentences.en > scores", "echo that does not suit me | permlm --words en.3gram.arpa"},
};

TOOL_MAIN(permlm);
