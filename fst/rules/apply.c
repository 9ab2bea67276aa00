/* A sentence: the tags that the rules are about, their matches, then the permutations that are added. */
#include <permfst/rules/apply.h>

#include "rules/rules_impl.h"

#include <assert.h>

typedef struct {
    pf_words one_tag, words;
    pf_lexical_tags lexical;
} tag_room;

static void tag_room_free(tag_room *r) {
    PF_VEC_FREE(&r->one_tag);
    PF_VEC_FREE(&r->words);
    pf_lexical_tags_free(&r->lexical);
}

/* The word of each slot, the first one if there are alternatives. */
static pf_err take_words(const pf_rule_sentence *s, pf_words *words) {
    for (unsigned j = 0; j < s->input->n; j++) {
        pf_word w = {"", 0};
        w.at = s->symbols ? pf_symtab_name(s->symbols, s->input->arc[s->input->first[j]].out, &w.n) : NULL;
        if (!w.at)
            return pf_fail(PF_EINPUT, "the rules have a lexicon, but the record has no output symbol at position %u", j + 1);
        PF_TRY(PF_PUSH(words, w));
    }
    return PF_OK;
}

static pf_err find_tags(const pf_rules *rules, const pf_rule_sentence *s, tag_room *room, const pf_words **tags) {
    const pf_rule_options *o = pf_rules_options(rules);
    *tags = &room->one_tag;
    if (o->one_tag) return pfi_one_tags(&room->one_tag, s->input->n);
    *tags = s->tags;
    if (s->tags->n != s->input->n) return pf_fail(PF_EARG, "expected %u tags, found %zu", s->input->n, s->tags->n);
    if (!o->lexicon) return PF_OK;
    *tags = &room->lexical.tags;
    PF_TRY(take_words(s, &room->words));
    return pf_lexicon_tags(o->lexicon, s->tags, &room->words, &room->lexical);
}

static pf_err match(const pf_rule_apply_options *o, const pf_rule_sentence *s, pf_rule_lattice *l, uint64_t *matches) {
    tag_room room = {0};
    const pf_words *tags;
    if (!o->rules) return PF_OK;
    pf_err err = find_tags(o->rules, s, &room, &tags);
    if (!err) err = pf_rule_lattice_match(l, o->rules, tags, o->weighted, matches);
    tag_room_free(&room);
    return err;
}

static pf_err add(const pf_rule_apply_options *o, const pf_rule_sentence *s, pf_rule_lattice *l) {
    bool fresh;
    for (size_t i = 0; i < s->n_added; i++) {
        assert(s->added[i].at.n == s->input->n);
        PF_TRY(pf_rule_lattice_add(l, s->added[i].at.at, o->weighted ? o->added_cost : 0, &fresh));
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
