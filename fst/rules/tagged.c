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
    pf_tagged *sentences = *out = calloc(1, sizeof *sentences);
    if (!sentences) {
        pf_parallel_free(columns->pairs);
        return pf_nomem();
    }
    sentences->columns = *columns;
    pf_err err = columns->alignments ? pf_unfolder_new(&sentences->unfolder) : PF_OK;
    if (err) {
        pf_tagged_free(sentences);
        *out = NULL;
    }
    return err;
}

void pf_tagged_free(pf_tagged *sentences) {
    if (!sentences) return;
    pf_parallel_free(sentences->columns.pairs);
    pf_lexical_tags_free(&sentences->lexical);
    PF_VEC_FREE(&sentences->one_tag);
    pf_permutation_free(&sentences->read);
    pf_unfolder_free(sentences->unfolder);
    pf_tuples_free(&sentences->unfolded);
    free(sentences);
}

const pf_align_left_out *pf_tagged_left_out(const pf_tagged *sentences) { return &sentences->left_out; }

/* ---- a sentence ---- */

pf_err pfi_one_tags(pf_words *tags, size_t count) {
    for (size_t i = tags->n = 0; i < count; i++) PF_TRY(PF_PUSH(tags, ((pf_word){PF_ONE_TAG, strlen(PF_ONE_TAG)})));
    return PF_OK;
}

/* How many words a sentence without tags has. */
static pf_err count_words(const pf_tagged *sentences, size_t *count) {
    const pf_tagged_columns *columns = &sentences->columns;
    if (columns->words || columns->permutations) {
        *count = pf_parallel_sentence(columns->pairs, columns->words ? columns->words : columns->permutations)->n;
        return PF_OK;
    }
    *count = pf_parallel_alignment(columns->pairs, columns->alignments)->n_source;
    if (*count != PF_UNKNOWN_LENGTH) return PF_OK;
    return pf_reader_fail_line(pf_parallel_reader(columns->pairs, columns->alignments),
                               "one tag for all words needs the number of words: expected the words, or alignments with lengths");
}

static pf_err tags_of(pf_tagged *sentences, const pf_words **tags) {
    const pf_tagged_columns *columns = &sentences->columns;
    size_t n;
    if (!columns->tags) {
        PF_TRY(count_words(sentences, &n));
        *tags = &sentences->one_tag;
        return pfi_one_tags(&sentences->one_tag, n);
    }
    *tags = pf_parallel_sentence(columns->pairs, columns->tags);
    if (!columns->lexicon) return PF_OK;
    PF_TRY(pf_lexicon_tags(columns->lexicon, *tags, pf_parallel_sentence(columns->pairs, columns->words), &sentences->lexical));
    *tags = &sentences->lexical.tags;
    return PF_OK;
}

static pf_err read_order(pf_tagged *sentences, const unsigned **perm) {
    const pf_tagged_columns *columns = &sentences->columns;
    const pf_reader *reader = pf_parallel_reader(columns->pairs, columns->permutations);
    PF_TRY(pf_permutation_read(reader, pf_parallel_sentence(columns->pairs, columns->permutations), &sentences->read));
    *perm = sentences->read.at.at;
    return PF_OK;
}

static pf_err unfold_order(pf_tagged *sentences, size_t count, const unsigned **perm) {
    pf_alignment *links = pf_parallel_alignment(sentences->columns.pairs, sentences->columns.alignments);
    pf_unfold_options how = {.unaligned = PF_UNALIGNED_LEFT};
    pf_alignment_filter(links, NULL, &sentences->left_out);
    links->n_source = (uint32_t)count;
    PF_TRY(pf_unfold(sentences->unfolder, links, &how, &sentences->unfolded));
    *perm = sentences->unfolded.order.at;
    return PF_OK;
}

pf_err pf_tagged_next(pf_tagged *sentences, const pf_words **tags, const unsigned **perm) {
    const pf_tagged_columns *columns = &sentences->columns;
    bool more;
    *tags = NULL;
    *perm = NULL;
    PF_TRY(pf_parallel_next(columns->pairs, &more));
    if (!more) return PF_OK;
    if (columns->progress) columns->progress(columns->self, pf_parallel_number(columns->pairs));
    PF_TRY(tags_of(sentences, tags));
    if (columns->permutations) return read_order(sentences, perm);
    return columns->alignments ? unfold_order(sentences, (*tags)->n, perm) : PF_OK;
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

pf_err pf_rule_map_totals_corpus(pf_reader *first_pass, pf_tagged *sentences, const pf_rule_options *options, pf_writer *writer) {
    pf_rules *rules;
    PF_TRY(pf_rules_new(options, &rules));
    pf_err err = pf_rule_map_list(first_pass, rules);
    if (!err) err = pass(rules, sentences, false, true);
    if (!err) err = pf_rule_map_totals(rules, writer);
    pf_rules_free(rules);
    return err;
}

pf_err pf_rule_map_corpus(pf_rule_map *map, pf_tagged *sentences) {
    const pf_tagged_columns *columns = &sentences->columns;
    for (;;) {
        const pf_words *tags;
        const unsigned *perm;
        PF_TRY(pf_tagged_next(sentences, &tags, &perm));
        if (!tags) return pf_rule_map_end(map);
        pf_err err = pf_rule_map_pair(map, tags, perm);
        if (err == PF_EINPUT && columns->tags)
            return pf_reader_fail_line(pf_parallel_reader(columns->pairs, columns->tags), "%s", pf_message());
        PF_TRY(err);
    }
}
