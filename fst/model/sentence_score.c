/* A walk through the model's states, from the begin of the sentence to its end. */
#include <permfst/model/sentence_score.h>

#include <permfst/base/word.h>

#include <assert.h>
#include <math.h>
#include <string.h>

/* A sentence that is being scored. */
typedef struct {
    const pf_model *model;
    const pf_sentence_score_options *options;
    pf_state state;
    pf_sentence_score *score;
} sentence_walk;

/* Costs back to log10, as ARPA has them. */
static double log10_of(double cost) { return -cost / 2.302585092994045684; }

static pf_err step(sentence_walk *walk, pf_label label, const char *word, size_t length, bool known) {
    unsigned matched;
    double log10 = log10_of(pf_ngram_step(walk->model, walk->state, label, &walk->state, &matched));
    pf_word_score one = {word, length, matched, log10};
    walk->score->log10 += log10;
    if (known) walk->score->log10_known += log10;
    return walk->options->each ? walk->options->each(walk->options->self, &one) : PF_OK;
}

static pf_err score_word(sentence_walk *walk, const pf_word *word) {
    const pf_model *model = walk->model;
    bool unknown = pf_model_lacks(model, word->at, word->n);
    if (word->n > INT32_MAX / 2) return pf_fail(PF_EINPUT, "a word is too long");
    if (unknown && walk->options->all_words)
        return pf_fail(PF_EINPUT, "the model lacks the word '%.*s'", (int)(word->n < 200 ? word->n : 200), word->at);
    walk->score->words++;
    walk->score->unknown += unknown;
    return step(walk, model->cls->label(model->self, word->at, word->n), word->at, word->n, !unknown);
}

pf_err pf_sentence_score_line(const pf_model *model, const char *line, const pf_sentence_score_options *options,
                              pf_sentence_score *out) {
    static const char sentence_end[] = "</s>";
    const char *end = line + strlen(line);
    sentence_walk walk = {model, options, pf_ngram_start(model), out};
    assert(model->cls == &pf_ngram_class);
    *out = (pf_sentence_score){.sentences = 1};
    for (pf_word word; pf_word_next(&line, end, &word);) PF_TRY(score_word(&walk, &word));
    pf_label label = pf_symtab_find(model->cls->words(model->self), sentence_end, sizeof sentence_end - 1);
    return step(&walk, label, sentence_end, sizeof sentence_end - 1, true);
}

void pf_sentence_score_add(pf_sentence_score *total, const pf_sentence_score *one) {
    total->sentences += one->sentences;
    total->words += one->words;
    total->unknown += one->unknown;
    total->log10 += one->log10;
    total->log10_known += one->log10_known;
}

double pf_sentence_score_perplexity(const pf_sentence_score *score) {
    return pow(10, -score->log10 / (double)(score->words + score->sentences));
}

double pf_sentence_score_perplexity_known(const pf_sentence_score *score) {
    return pow(10, -score->log10_known / ((double)(score->words + score->sentences) - (double)score->unknown));
}
