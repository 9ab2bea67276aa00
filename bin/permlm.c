/* permlm: the scores that an n-gram model gives to sentences. */
#include "toolmap.h"
#include "toolprogress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 256 }; /* that a thread takes at a time */

typedef struct {
    tool_common common;
    bool words, no_unk;
} options;

static const tool_option rows[] = {
    {.letter = 'w', .name = "words", .kind = TOOL_FLAG, .at = offsetof(options, words),
     .help = "print for each word its n-gram length and its log10 probability"},
    {.name = "no-unk", .kind = TOOL_FLAG, .at = offsetof(options, no_unk),
     .help = "make a word that the model lacks an error"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

typedef struct {
    tool_call *call;
    const options *o;
    const pf_model *model;
    pf_label end; /* </s> */
    pf_writer *w;
    uint64_t sentences, tokens, oovs;
    double log10, log10_known; /* sums; the second without unknown words */
    bool failed;
} scorer;

/* Costs back to log10, as ARPA has them. */
static double log10_of(double cost) { return -cost / 2.302585092994045684; }

typedef struct {
    pf_state state;
    uint64_t tokens, oovs;
    double log10, log10_known;
} sentence;

static pf_err score_word(const scorer *s, sentence *now, pf_writer *w, const char *word, size_t n) {
    const pf_model *m = s->model;
    pf_label label = m->cls->label(m->self, word, n);
    bool oov = pf_model_lacks(m, word, n);
    unsigned matched;
    double log10 = log10_of(pf_ngram_step(m, now->state, label, &now->state, &matched));
    if (oov && s->o->no_unk) return pf_fail(PF_EINPUT, "the model lacks the word '%.*s'", (int)(n < 200 ? n : 200), word);
    now->tokens++;
    now->log10 += log10;
    now->oovs += oov;
    if (!oov) now->log10_known += log10;
    return s->o->words ? pf_writer_text(w, "%.*s %u %.8g\t", (int)n, word, matched, log10) : PF_OK;
}

/* The end of the sentence counts as a word. */
static pf_err score_end(const scorer *s, sentence *now, pf_writer *w) {
    const pf_model *m = s->model;
    unsigned matched;
    pf_state to;
    double log10 = log10_of(pf_ngram_step(m, now->state, s->end, &to, &matched));
    now->log10 += log10;
    now->log10_known += log10;
    if (s->o->words) return pf_writer_text(w, "</s> %u %.8g\n", matched, log10);
    return pf_writer_text(w, "%.6f\t%llu\n", now->log10, (unsigned long long)now->oovs);
}

static pf_err score_line(void *self, toollines_line *line) {
    const scorer *s = self;
    sentence *now = line->result;
    const char *word = line->text;
    now->state = pf_ngram_start(s->model);
    for (size_t n = 0; tool_word(&word, &n);) {
        if (n > INT32_MAX / 2) return pf_fail(PF_EINPUT, "a word is too long");
        PF_TRY(score_word(s, now, line->out, word, n));
    }
    return score_end(s, now, line->out);
}

/* Sentence by sentence, in their order, so that the sums do not depend on --jobs. */
static void add_up(void *self, const void *result) {
    scorer *s = self;
    const sentence *one = result;
    s->sentences++;
    s->tokens += one->tokens;
    s->oovs += one->oovs;
    s->log10 += one->log10;
    s->log10_known += one->log10_known;
}

/* Totals, as KenLM's query gives them: perplexities count the sentence ends. */
static void summarise(const scorer *s) {
    double all = (double)(s->tokens + s->sentences), known = all - (double)s->oovs;
    if (!s->sentences) return;
    tool_say(s->call, "sentences %llu, words %llu, unknown %llu; log10 %.6f; perplexity %.4f, without unknown words %.4f",
             (unsigned long long)s->sentences, (unsigned long long)s->tokens, (unsigned long long)s->oovs, s->log10,
             pow(10, -s->log10 / all), pow(10, -s->log10_known / known));
}

static pf_err score_all(scorer *s, int n, char *const *files) {
    static const toollines_steps steps = {LINES, sizeof(sentence), score_line, add_up, "\n"};
    tool_item(s->call, "sentence");
    PF_TRY(toolfst_open_output(s->call, &s->w));
    PF_TRY(toollines_read(s->call, n, files, &steps, s, s->w, &s->failed));
    return toolfst_close_output(s->call, s->w);
}

static int run(tool_call *call) {
    scorer s = {.call = call, .o = tool_options(call)};
    pf_blob *blob = NULL;
    pf_expr *other = NULL;
    toolfst_source more;
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = toolfst_operand(call, operands[0], &blob, &other, &more);
    if (!err && (!blob || strcmp(pf_blob_class(blob), pf_ngram_class.name) != 0))
        err = pf_fail(PF_EINPUT, "%s: expected a language model, found %s", operands[0], blob ? "a tuple model" : "an automaton");
    if (!err) err = pf_open_model(blob, &s.model);
    if (!err) s.end = pf_symtab_find(s.model->cls->words(s.model->self), "</s>", 4);
    if (!err) err = score_all(&s, n - 1, operands + 1);
    pf_writer_free(s.w);
    if (!err) summarise(&s);
    toolfst_source_free(&more);
    pf_expr_free(other);
    pf_blob_free(blob);
    return err ? tool_trouble(call) : s.failed ? TOOL_TROUBLE : TOOL_DONE;
}

const tool permlm = {
    .name = "permlm",
    .operands = "MODEL [FILE...]",
    .summary = "Score sentences with a language model",
    .options = rows,
    .size = sizeof(options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"permlm en.3gram.arpa sentences.en > scores", "echo that does not suit me | permlm --words en.3gram.arpa"},
};

TOOL_MAIN(permlm);
