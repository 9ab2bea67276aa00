/* Tags and orders of sentences, from the columns that are there, and the passes over a corpus that learn from them. */
#include <permfst/rules/tagged.h>

#include <permfst/tuples/unfold.h>

#include "base/contract.h"
#include "rules/rules_impl.h"

#include <stdlib.h>

struct pf_tagged {
    pf_tagged_columns columns;
    pf_lexical_tags lexical;
    pf_words one_tag;     /* PF_ONE_TAG, as often as the sentence has words */
    pf_permutation read;
    pf_unfolder *unfolder;
    pf_tuples unfolded;
    pf_align_left_out left_out;
};

pf_err pf_tagged_new(const pf_tagged_columns *columns, pf_tagged **out) {
    assert(!columns->lexicon || (columns->tags && columns->words));
    assert(!columns->permutations || !columns->alignments);
    pf_tagged *c = *out = calloc(1, sizeof *c);
    if (!c) {
        pf_parallel_free(columns->pairs);
        return pf_nomem();
    }
    c->columns = *columns;
    pf_err err = columns->alignments ? pf_unfolder_new(&c->unfolder) : PF_OK;
    if (err) {
        pf_tagged_free(c);
        *out = NULL;
    }
    return err;
}

void pf_tagged_free(pf_tagged *c) {
    if (!c) return;
    pf_parallel_free(c->columns.pairs);
    pf_lexical_tags_free(&c->lexical);
    PF_VEC_FREE(&c->one_tag);
    pf_permutation_free(&c->read);
    pf_unfolder_free(c->unfolder);
    pf_tuples_free(&c->unfolded);
    free(c);
}

const pf_align_left_out *pf_tagged_left_out(const pf_tagged *c) { return &c->left_out; }

/* ---- a sentence ---- */

pf_err pfi_one_tags(pf_words *tags, size_t n) {
    for (size_t i = tags->n = 0; i < n; i++) PF_TRY(PF_PUSH(tags, ((pf_word){PF_ONE_TAG, strlen(PF_ONE_TAG)})));
    return PF_OK;
}

/* How many words a sentence without tags has. */
static pf_err count_words(const pf_tagged *c, size_t *n) {
    const pf_tagged_columns *k = &c->columns;
    if (k->words || k->permutations) {
        *n = pf_parallel_sentence(k->pairs, k->words ? k->words : k->permutations)->n;
        return PF_OK;
    }
    *n = pf_parallel_alignment(k->pairs, k->alignments)->n_source;
    if (*n != PF_UNKNOWN_LENGTH) return PF_OK;
    return pf_reader_fail_line(pf_parallel_reader(k->pairs, k->alignments),
                               "one tag for all words needs the number of words: expected the words, or alignments with lengths");
}

static pf_err tags_of(pf_tagged *c, const pf_words **tags) {
    const pf_tagged_columns *k = &c->columns;
    size_t n;
    if (!k->tags) {
        PF_TRY(count_words(c, &n));
        *tags = &c->one_tag;
        return pfi_one_tags(&c->one_tag, n);
    }
    *tags = pf_parallel_sentence(k->pairs, k->tags);
    if (!k->lexicon) return PF_OK;
    PF_TRY(pf_lexicon_tags(k->lexicon, *tags, pf_parallel_sentence(k->pairs, k->words), &c->lexical));
    *tags = &c->lexical.tags;
    return PF_OK;
}

static pf_err read_order(pf_tagged *c, const unsigned **perm) {
    const pf_tagged_columns *k = &c->columns;
    const pf_reader *reader = pf_parallel_reader(k->pairs, k->permutations);
    PF_TRY(pf_permutation_read(reader, pf_parallel_sentence(k->pairs, k->permutations), &c->read));
    *perm = c->read.at.at;
    return PF_OK;
}

static pf_err unfold_order(pf_tagged *c, size_t n, const unsigned **perm) {
    pf_alignment *a = pf_parallel_alignment(c->columns.pairs, c->columns.alignments);
    pf_unfold_options how = {.unaligned = PF_UNALIGNED_LEFT};
    pf_alignment_filter(a, NULL, &c->left_out);
    a->n_source = (uint32_t)n;
    PF_TRY(pf_unfold(c->unfolder, a, &how, &c->unfolded));
    *perm = c->unfolded.order.at;
    return PF_OK;
}

pf_err pf_tagged_next(pf_tagged *c, const pf_words **tags, const unsigned **perm) {
    const pf_tagged_columns *k = &c->columns;
    bool more;
    *tags = NULL;
    *perm = NULL;
    PF_TRY(pf_parallel_next(k->pairs, &more));
    if (!more) return PF_OK;
    if (k->progress) k->progress(k->self, pf_parallel_number(k->pairs));
    PF_TRY(tags_of(c, tags));
    if (k->permutations) return read_order(c, perm);
    return k->alignments ? unfold_order(c, (*tags)->n, perm) : PF_OK;
}

/* ---- whole corpora ---- */

/* With one tag all sequences are known in advance: they are the beginnings of the longest one. So one pass is enough. */
static pf_err list_one_tag(pf_rules *rules) {
    pf_words tags = {0};
    pf_err err = pfi_one_tags(&tags, rules->options.max_length);
    if (!err) err = pf_rules_list(rules, &tags);
    PF_VEC_FREE(&tags);
    return err;
}

static pf_err pass(pf_rules *rules, pf_tagged *sentences, bool learn, bool count) {
    for (;;) {
        const pf_words *tags;
        const unsigned *perm;
        PF_TRY(pf_tagged_next(sentences, &tags, &perm));
        if (!tags) return PF_OK;
        if (learn) PF_TRY(pf_rules_learn(rules, tags, perm));
        if (count) PF_TRY(pf_rules_count(rules, tags));
    }
}

static pf_err open_and_pass(pf_rules *rules, const pf_tagged_corpus *corpus, bool learn, bool count, pf_align_left_out *out) {
    pf_tagged *sentences;
    PF_TRY(corpus->open(corpus->self, learn, &sentences));
    pf_err err = pass(rules, sentences, learn, count);
    if (learn) *out = sentences->left_out;
    pf_tagged_free(sentences);
    return err;
}

pf_err pf_rules_learn_corpus(pf_rules *rules, const pf_tagged_corpus *corpus, pf_align_left_out *left_out) {
    bool one_tag = rules->options.one_tag;
    if (one_tag) PF_TRY(list_one_tag(rules));
    PF_TRY(open_and_pass(rules, corpus, true, one_tag, left_out));
    if (!one_tag) PF_TRY(open_and_pass(rules, corpus, false, true, left_out));
    return pf_rules_finish(rules);
}

pf_err pf_rules_count_corpus(pf_rules *rules, pf_tagged *sentences) { return pass(rules, sentences, false, true); }

pf_err pf_rule_map_corpus(pf_rule_map *map, pf_tagged *sentences) {
    const pf_tagged_columns *k = &sentences->columns;
    for (;;) {
        const pf_words *tags;
        const unsigned *perm;
        PF_TRY(pf_tagged_next(sentences, &tags, &perm));
        if (!tags) return pf_rule_map_end(map);
        pf_err err = pf_rule_map_pair(map, tags, perm);
        if (err == PF_EINPUT && k->tags)
            return pf_reader_fail_line(pf_parallel_reader(k->pairs, k->tags), "%s", pf_message());
        PF_TRY(err);
    }
}
