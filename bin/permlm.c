/* permlm: the scores that an n-gram model gives to sentences. */
#include "toolfst.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool words, no_unk;

static const tool_option options[] = {
    {.letter = 'w', .name = "words", .kind = TOOL_FLAG, .to = &words,
     .help = "every word with the length of the n-gram that matched and its log10 probability"},
    {.name = "no-unk", .kind = TOOL_FLAG, .to = &no_unk, .help = "a word that the model lacks is an error"},
    TOOLFST_OUTPUT,
    {0},
};

static const tool permlm = {
    .name = "permlm",
    .operands = "MODEL [FILE...]",
    .summary = "Score sentences with a language model",
    .options = options,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
};

typedef struct {
    const pf_model *model;
    pf_label end; /* </s> */
    pf_writer *w;
    uint64_t sentences, tokens, oovs;
    double log10, log10_known; /* sums; the second without unknown words */
} scorer;

/* Costs back to log10, as ARPA has them. */
static double log10_of(double cost) { return -cost / 2.302585092994045684; }

typedef struct {
    pf_state state;
    double log10;
    uint64_t oovs;
} sentence;

static pf_err score_word(scorer *s, sentence *now, const char *word, size_t n) {
    const pf_model *m = s->model;
    pf_label label = m->cls->label(m->self, word, n);
    bool oov = pf_model_lacks(m, word, n);
    unsigned matched;
    double log10 = log10_of(pf_ngram_step(m, now->state, label, &now->state, &matched));
    if (oov && no_unk) return pf_fail(PF_EINPUT, "the model lacks the word '%.*s'", (int)(n < 200 ? n : 200), word);
    now->log10 += log10;
    now->oovs += oov;
    if (!oov) s->log10_known += log10;
    return words ? pf_writer_text(s->w, "%.*s %u %.8g\t", (int)n, word, matched, log10) : PF_OK;
}

/* The end of the sentence counts as a word. */
static pf_err score_end(scorer *s, sentence *now) {
    const pf_model *m = s->model;
    unsigned matched;
    pf_state to;
    double log10 = log10_of(pf_ngram_step(m, now->state, s->end, &to, &matched));
    now->log10 += log10;
    s->log10_known += log10;
    if (words) return pf_writer_text(s->w, "</s> %u %.8g\n", matched, log10);
    return pf_writer_text(s->w, "%.6f\t%llu\n", now->log10, (unsigned long long)now->oovs);
}

static pf_err score_line(scorer *s, const pf_reader *r, const char *line, size_t length) {
    sentence now = {s->model->cls->start(s->model->self), 0, 0};
    PF_TRY(tool_text(r, line, length));
    for (size_t n = 0; tool_word(&line, &n);) {
        if (n > INT32_MAX / 2) return pf_reader_fail_line(r, "a word is too long");
        pf_err err = score_word(s, &now, line, n);
        if (err == PF_EINPUT) return pf_reader_fail_line(r, "%s", pf_message());
        PF_TRY(err);
        s->tokens++;
    }
    PF_TRY(score_end(s, &now));
    s->sentences++;
    s->oovs += now.oovs;
    s->log10 += now.log10;
    tool_progress(s->sentences, "sentences done", false);
    return PF_OK;
}

static pf_err score_file(scorer *s, const char *path) {
    pf_reader *r;
    PF_TRY(toolfst_open(path, &r));
    pf_err err = PF_OK;
    for (;;) {
        char *line;
        size_t n;
        err = pf_reader_line(r, &line, &n);
        if (err || !line) break;
        if ((err = score_line(s, r, line, n))) break;
    }
    pf_reader_free(r);
    return err;
}

/* Totals, as KenLM's query gives them: perplexities count the sentence ends. */
static void summarise(const scorer *s) {
    double all = (double)(s->tokens + s->sentences), known = all - (double)s->oovs;
    if (!s->sentences) return;
    tool_say("sentences %llu, words %llu, unknown %llu; log10 %.6f; perplexity %.4f, without unknown words %.4f",
             (unsigned long long)s->sentences, (unsigned long long)s->tokens, (unsigned long long)s->oovs, s->log10,
             pow(10, -s->log10 / all), pow(10, -s->log10_known / known));
}

static pf_err score_all(scorer *s, int n, char **files) {
    PF_TRY(toolfst_open_output(&s->w));
    if (!n) PF_TRY(score_file(s, "-"));
    for (int i = 0; i < n; i++) PF_TRY(score_file(s, files[i]));
    return pf_writer_close(s->w);
}

static int run(int n, char **operands) {
    scorer s = {0};
    pf_blob *blob = NULL;
    pf_expr *other = NULL;
    toolfst_source more;
    pf_err err = toolfst_operand(operands[0], &blob, &other, &more);
    if (!err && (!blob || strcmp(blob->cls, pf_ngram_class.name) != 0))
        err = pf_fail(PF_EINPUT, "%s: expected a language model, found an automaton", operands[0]);
    if (!err) err = pf_open_model(blob, &s.model);
    if (!err) s.end = pf_symtab_find(s.model->cls->words(s.model->self), "</s>", 4);
    if (!err) err = score_all(&s, n - 1, operands + 1);
    pf_writer_free(s.w);
    if (!err) summarise(&s);
    toolfst_source_free(&more);
    pf_expr_free(other);
    pf_blob_free(blob);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permlm, argc, argv, run); }
