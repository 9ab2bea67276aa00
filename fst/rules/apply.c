/* A sentence: the tags that the rules are about, their matches, then the permutations that are added. */
#include <permfst/rules/apply.h>

#include "rules/rules_impl.h"

#include <assert.h>

typedef struct {
    pf_words one_tag, words;
    pf_lexical_tags lexical;
} tag_room;

static void tag_room_free(tag_room *room) {
    PF_VEC_FREE(&room->one_tag);
    PF_VEC_FREE(&room->words);
    pf_lexical_tags_free(&room->lexical);
}

/* The word of each slot, the first one if there are alternatives. */
static pf_err take_words(const pf_rule_sentence *sentence, pf_words *words) {
    for (unsigned position = 0; position < sentence->input->n; position++) {
        pf_word word = {"", 0};
        word.at = sentence->symbols
                      ? pf_symtab_name(sentence->symbols, sentence->input->arc[sentence->input->first[position]].out, &word.n)
                      : NULL;
        if (!word.at)
            return pf_fail(PF_EINPUT, "the rules have a lexicon, but the record has no output symbol at position %u", position + 1);
        PF_TRY(PF_PUSH(words, word));
    }
    return PF_OK;
}

static pf_err find_tags(const pf_rules *rules, const pf_rule_sentence *sentence, tag_room *room, const pf_words **tags) {
    const pf_rule_options *options = pf_rules_options(rules);
    *tags = &room->one_tag;
    if (options->one_tag) return pfi_one_tags(&room->one_tag, sentence->input->n);
    *tags = sentence->tags;
    if (sentence->tags->n != sentence->input->n)
        return pf_fail(PF_EARG, "expected %u tags, found %zu", sentence->input->n, sentence->tags->n);
    if (!options->lexicon) return PF_OK;
    *tags = &room->lexical.tags;
    PF_TRY(take_words(sentence, &room->words));
    return pf_lexicon_tags(options->lexicon, sentence->tags, &room->words, &room->lexical);
}

static pf_err match(const pf_rule_apply_options *options, const pf_rule_sentence *sentence, pf_rule_lattice *lattice,
                    uint64_t *matches) {
    tag_room room = {0};
    const pf_words *tags;
    if (!options->rules) return PF_OK;
    pf_err err = find_tags(options->rules, sentence, &room, &tags);
    if (!err) err = pf_rule_lattice_match(lattice, options->rules, tags, options->weighted, matches);
    tag_room_free(&room);
    return err;
}

static pf_err add(const pf_rule_apply_options *options, const pf_rule_sentence *sentence, pf_rule_lattice *lattice) {
    bool fresh;
    for (size_t i = 0; i < sentence->n_added; i++) {
        assert(sentence->added[i].at.n == sentence->input->n);
        PF_TRY(pf_rule_lattice_add(lattice, sentence->added[i].at.at, options->weighted ? options->added_cost : 0, &fresh));
    }
    return PF_OK;
}

pf_err pf_rules_apply(const pf_rule_apply_options *options, const pf_rule_sentence *sentence, pf_rule_lattice **out,
                      uint64_t *matches) {
    *matches = 0;
    PF_TRY(pf_rule_lattice_new(sentence->input->n, out));
    pf_err err = match(options, sentence, *out, matches);
    if (!err) err = add(options, sentence, *out);
    if (err) {
        pf_rule_lattice_free(*out);
        *out = NULL;
    }
    return err;
}
