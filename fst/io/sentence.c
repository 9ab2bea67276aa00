/* A line becomes a pf_sentence (words, zones, walls), and that becomes a machine and specifications. O(bytes). */
#include <permfst/io/sentence.h>

#include <permfst/base/word.h>
#include <permfst/io/expr.h>
#include <permfst/io/header.h>
#include <permfst/io/markup.h>
#include <permfst/machine/build.h>
#include "io/labels_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- words to a machine ---- */

typedef struct {
    pfi_labeller labeller;
    pf_build build;
    pf_state last; /* the state after the words so far */
} word_chain;

static pf_err chain_begin(word_chain *chain, const pf_word_labels *labels) {
    *chain = (word_chain){0};
    PF_TRY(pfi_labeller_begin(labels, &chain->labeller));
    return pf_build_state(&chain->build, 0);
}

static pf_err chain_add(word_chain *chain, const char *word, size_t length) {
    pf_label label;
    if (!length) return pf_fail(PF_EINPUT, "expected words, found an empty one");
    if (chain->last == PF_MAX_WORDS) return pf_fail(PF_EINPUT, "expected at most %u words, found more", PF_MAX_WORDS);
    PF_TRY(pfi_labeller_label(&chain->labeller, word, length, &label));
    PF_TRY(pf_build_arc(&chain->build, chain->last, label, label, 0, chain->last + 1));
    chain->last++;
    return PF_OK;
}

static pf_err chain_finish(word_chain *chain, pf_arc_type type, pf_fst **out) {
    PF_TRY(pf_build_final(&chain->build, chain->last, 0));
    PF_TRY(pf_build_finish(&chain->build, type, 0, out));
    return pfi_labeller_end(&chain->labeller, *out);
}

/* After `err` of adding words: the machine, or nothing. */
static pf_err chain_end(word_chain *chain, pf_err err, pf_arc_type type, pf_fst **out) {
    *out = NULL;
    if (!err) err = chain_finish(chain, type, out);
    if (err) {
        pf_fst_free(*out);
        *out = NULL;
    }
    pf_build_free(&chain->build);
    pfi_labeller_free(&chain->labeller);
    return err;
}

static const pf_word_labels own_labels = {0};

pf_err pf_fst_of_words(pf_arc_type type, const char *const *words, size_t count, pf_fst **out) {
    word_chain chain;
    pf_err err = chain_begin(&chain, &own_labels);
    for (size_t i = 0; !err && i < count; i++) err = chain_add(&chain, words[i], strlen(words[i]));
    return chain_end(&chain, err, type, out);
}

pf_err pf_fst_of_line(pf_arc_type type, const char *line, pf_fst **out) {
    word_chain chain;
    const char *end = line + strlen(line);
    pf_err err = chain_begin(&chain, &own_labels);
    for (pf_word word; !err && pf_word_next(&line, end, &word);) err = chain_add(&chain, word.at, word.n);
    return chain_end(&chain, err, type, out);
}

static pf_err sentence_fst(const pf_compile_options *options, const pf_sentence *sentence, pf_fst **out) {
    word_chain chain;
    pf_err err = chain_begin(&chain, &options->labels);
    for (size_t i = 0; !err && i < sentence->end.n; i++) {
        size_t n;
        const char *word = pf_sentence_word(sentence, i, &n);
        err = chain_add(&chain, word, n);
    }
    return chain_end(&chain, err, options->type, out);
}

/* ---- marks ---- */

static void zone_mark(const pf_zone *zone, pf_mark *to) {
    snprintf(to->spec, sizeof to->spec, "%s:%u,%u", zone->unit ? "unit" : "zone", zone->first, zone->last);
}

static void wall_mark(const pf_sentence *sentence, const pf_wall *wall, pf_mark *to) {
    assert(wall->zone <= sentence->zone.n);
    const pf_zone *zone = wall->zone ? &sentence->zone.at[wall->zone - 1] : NULL;
    if (zone) snprintf(to->spec, sizeof to->spec, "wall:%u,%u,%u", wall->at, zone->first, zone->last);
    else snprintf(to->spec, sizeof to->spec, "wall:%u", wall->at);
}

pf_err pf_sentence_marks(const pf_sentence *sentence, pf_marks *marks) {
    marks->n = 0;
    size_t n = sentence->zone.n + sentence->wall.n;
    if (n > PF_SPECS_LIMIT) return pf_fail(PF_EINPUT, "expected at most %d walls and zones, found more", PF_SPECS_LIMIT);
    PF_TRY(PF_ROOM(marks, n));
    for (size_t i = 0; i < sentence->zone.n; i++) zone_mark(&sentence->zone.at[i], &marks->at[marks->n++]);
    for (size_t i = 0; i < sentence->wall.n; i++) wall_mark(sentence, &sentence->wall.at[i], &marks->at[marks->n++]);
    return PF_OK;
}

/* ---- lines ---- */

static pf_err read_plain(pf_sentence *sentence, const char *line, size_t length) {
    const char *end = line + length;
    if (memchr(line, 0, length)) return pf_fail(PF_EINPUT, "expected text, found a NUL byte");
    for (pf_word word; pf_word_next(&line, end, &word);) PF_TRY(pf_sentence_add(sentence, word.at, word.n));
    return PF_OK;
}

pf_err pf_sentence_read(pf_sentence *sentence, bool markup, const char *line, size_t length) {
    if (markup) return pf_sentence_markup(sentence, line, length);
    pf_sentence_clear(sentence);
    return read_plain(sentence, line, length);
}

pf_err pf_compile_line(const pf_compile_options *options, const char *line, size_t length, pf_compiled *out) {
    pf_sentence sentence = {.at_punctuation = options->at_punctuation};
    *out = (pf_compiled){0};
    pf_err err = pf_sentence_read(&sentence, options->markup, line, length);
    if (!err) err = sentence_fst(options, &sentence, &out->fst);
    if (!err) err = pf_sentence_marks(&sentence, &out->mark);
    pf_sentence_free(&sentence);
    return err;
}

void pf_compiled_free(pf_compiled *compiled) {
    pf_fst_free(compiled->fst);
    PF_VEC_FREE(&compiled->mark);
    *compiled = (pf_compiled){0};
}
