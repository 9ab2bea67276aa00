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
    {'w', "words", TOOL_FLAG, AT(words), .help = "print the n-gram length and log10 score of each word"},
    {0, "no-unk", TOOL_FLAG, AT(no_unk), .help = "fail on a word that the model lacks"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const lm_settings *o;
    const pf_model *model;
    pf_writer *w;
    pf_sentence_score total;
    bool failed;
} sentence_scorer;

static pf_err put_word(void *writer, const pf_word_score *s) {
    size_t n;
    pf_writer_bytes(writer, &n);
    return pf_writer_text(writer, "%s%.*s %u %.8g", n ? "\t" : "", (int)s->n, s->word, s->matched, s->log10);
}

static pf_err score_line(void *self, pf_line *line) {
    const sentence_scorer *s = self;
    pf_sentence_score *score = line->result;
    pf_sentence_score_options how = {s->o->no_unk, s->o->words ? put_word : NULL, line->out};
    PF_TRY(pf_sentence_score_line(s->model, line->text, &how, score));
    if (s->o->words) return pf_writer_text(line->out, "\n");
    return pf_writer_text(line->out, "%.6f\t%llu\n", score->log10, (unsigned long long)score->unknown);
}

/* Sentence by sentence, in their order, so that the sums do not depend on --jobs. */
static void add_up(void *self, const void *result) { pf_sentence_score_add(&((sentence_scorer *)self)->total, result); }

static void summarise(const sentence_scorer *s) {
    const pf_sentence_score *t = &s->total;
    if (!t->sentences) return;
    tool_say(s->call, "sentences %llu, words %llu, unknown %llu; log10 %.6f; perplexity %.4f, without unknown words %.4f",
             (unsigned long long)t->sentences, (unsigned long long)t->words, (unsigned long long)t->unknown, t->log10,
             pf_sentence_score_perplexity(t), pf_sentence_score_perplexity_known(t));
}

static pf_err score_all(sentence_scorer *s, int n, char *const *files) {
    static const pf_line_steps steps = {LINES, sizeof(pf_sentence_score), score_line, add_up, "\n"};
    tool_item(s->call, "sentence");
    PF_TRY(toolfst_open_output(s->call, &s->w));
    PF_TRY(toollines_read(s->call, n, files, &steps, s, s->w, &s->failed));
    return toolfst_close_output(s->call, s->w);
}

static int run(tool_call *call) {
    sentence_scorer s = {.call = call, .o = tool_options(call)};
    pf_blob *blob = NULL;
    pf_expr *other = NULL;
    pf_source *more = NULL;
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = toolfst_operand(call, operands[0], &blob, &other, &more);
    if (!err && (!blob || strcmp(pf_blob_class(blob), pf_ngram_class.name) != 0))
        err = pf_fail(PF_EINPUT, "%s: expected a language model, found %s", operands[0], blob ? "a tuple model" : "an automaton");
    if (!err) err = pf_open_model(blob, &s.model);
    if (!err) err = score_all(&s, n - 1, operands + 1);
    pf_writer_free(s.w);
    if (!err) summarise(&s);
    pf_source_free(more);
    pf_expr_free(other);
    pf_blob_free(blob);
    return tool_status(call, err, s.failed, false);
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
