/* A tagged corpus: columns side by side, tags made finer by words, orders from permutations or by unfolding alignments. */
#include "toolrules.h"

#include <stdio.h>
#include <string.h>

toolrules_options toolrules = {.maxcost = -1, .augment_cost = -1};

/* ---- options ---- */

static pf_err read_lexicon(pf_reader *reader, pf_lexicon *lexicon) {
    pf_words words = {0};
    pf_err err = PF_OK;
    char *line;
    size_t n;
    while (!err && !(err = pf_reader_line(reader, &line, &n)) && line) {
        err = pf_words_split(reader, line, n, &words);
        if (!err) err = pf_lexicon_count(lexicon, &words);
    }
    PF_VEC_FREE(&words);
    return err;
}

static pf_err make_lexicon(const char *path, size_t most, pf_lexicon **out) {
    pf_reader *r;
    PF_TRY(toolfst_open(path, &r));
    pf_err err = pf_lexicon_new(out);
    if (!err) err = read_lexicon(r, *out);
    if (!err) err = pf_lexicon_keep(*out, most);
    pf_reader_free(r);
    return err;
}

pf_err toolrules_rule_options(pf_rule_options *out, pf_lexicon **lexicon) {
    const toolrules_options *o = &toolrules;
    *lexicon = NULL;
    *out = (pf_rule_options){.max_length = o->maxlen ? (unsigned)o->maxlen : PF_RULES_MAX_LENGTH,
                             .max_cost = o->maxcost >= 0 ? o->maxcost : PF_RULES_MAX_COST, .one_tag = o->one_tag};
    if (o->lexicon) PF_TRY(make_lexicon(o->lexicon, SIZE_MAX, lexicon));
    else if (o->lexicalise) PF_TRY(make_lexicon(o->words, (size_t)o->lexicalise, lexicon));
    if (*lexicon && pf_lexicon_size(*lexicon)) out->lexicon = *lexicon;
    return PF_OK;
}

/* ---- columns ---- */

static pf_err add_words(toolrules_corpus *c, const char *path, size_t like, size_t *column) {
    PF_TRY(toolalign_text(c->rows, path, column));
    return like ? pf_parallel_match(c->rows, *column, like) : PF_OK;
}

static pf_err add_alignments(toolrules_corpus *c, const char *path) {
    pf_parallel_links how = {PF_ALIGN_AUTO, toolrules.invert, c->tags ? c->tags : c->words, 0};
    return toolalign_links(c->rows, path, &how, &c->alignments);
}

pf_err toolrules_corpus_open(toolrules_corpus *c, const pf_lexicon *lexicon, bool orders, const char *alignments) {
    *c = (toolrules_corpus){.lexicon = lexicon};
    PF_TRY(pf_parallel_new(1, &c->rows));
    if (toolrules.tags) PF_TRY(add_words(c, toolrules.tags, 0, &c->tags));
    if (toolrules.words && (lexicon || !toolrules.tags)) PF_TRY(add_words(c, toolrules.words, c->tags, &c->words));
    if (!orders) return PF_OK;
    if (toolrules.permutations) return add_words(c, toolrules.permutations, c->tags ? c->tags : c->words, &c->permutations);
    return add_alignments(c, alignments);
}

void toolrules_corpus_free(toolrules_corpus *c) {
    pf_parallel_free(c->rows);
    pf_lexical_tags_free(&c->lexical);
    PF_VEC_FREE(&c->one);
    pf_permutation_free(&c->read);
    pf_unfolder_free(c->unfolder);
    pf_tuples_free(&c->unfolded);
}

/* ---- a row ---- */

pf_err toolrules_one_tags(pf_words *one, size_t n) {
    for (size_t i = one->n = 0; i < n; i++) PF_TRY(PF_PUSH(one, ((pf_word){PF_ONE_TAG, strlen(PF_ONE_TAG)})));
    return PF_OK;
}

/* How many words a sentence without tags has. */
static pf_err count_words(const toolrules_corpus *c, size_t *n) {
    if (c->words || c->permutations) {
        *n = pf_parallel_sentence(c->rows, c->words ? c->words : c->permutations)->n;
        return PF_OK;
    }
    *n = pf_parallel_alignment(c->rows, c->alignments)->n_source;
    if (*n != PF_UNKNOWN_LENGTH) return PF_OK;
    return pf_reader_fail_line(pf_parallel_reader(c->rows, c->alignments),
                               "--one-tag needs to know how many words there are: give --words, or alignments with lengths");
}

static pf_err tags_of(toolrules_corpus *c, const pf_words **tags) {
    size_t n;
    if (!c->tags) {
        PF_TRY(count_words(c, &n));
        *tags = &c->one;
        return toolrules_one_tags(&c->one, n);
    }
    *tags = pf_parallel_sentence(c->rows, c->tags);
    if (!c->lexicon) return PF_OK;
    PF_TRY(pf_lexicon_tags(c->lexicon, *tags, pf_parallel_sentence(c->rows, c->words), &c->lexical));
    *tags = &c->lexical.tags;
    return PF_OK;
}

static pf_err order_of(toolrules_corpus *c, size_t n, const unsigned **perm) {
    if (c->permutations) {
        size_t column = c->permutations;
        PF_TRY(pf_permutation_read(pf_parallel_reader(c->rows, column), pf_parallel_sentence(c->rows, column), &c->read));
        *perm = c->read.at.at;
        return PF_OK;
    }
    pf_alignment *a = pf_parallel_alignment(c->rows, c->alignments);
    pf_unfold_options how = {.unaligned = PF_UNALIGNED_LEFT};
    c->repeated += a->repeated;
    c->null += a->empty_word;
    a->n_source = (uint32_t)n;
    if (!c->unfolder) PF_TRY(pf_unfolder_new(&c->unfolder));
    PF_TRY(pf_unfold(c->unfolder, a, &how, &c->unfolded));
    *perm = c->unfolded.order.at;
    return PF_OK;
}

pf_err toolrules_corpus_next(toolrules_corpus *c, const pf_words **tags, const unsigned **perm) {
    bool more;
    *tags = NULL;
    *perm = NULL;
    PF_TRY(pf_parallel_next(c->rows, &more));
    if (!more) return PF_OK;
    tool_unit("sentence");
    tool_done(1, pf_parallel_number(c->rows), 0);
    PF_TRY(tags_of(c, tags));
    return c->permutations || c->alignments ? order_of(c, (*tags)->n, perm) : PF_OK;
}

/* ---- what is left out ---- */

void toolrules_say_left_out(const toolrules_corpus *c, const pf_rules_left_out *rules) {
    const tool_left_out all[] = {
        {c ? c->repeated : 0, TOOLALIGN_REPEATED},
        {c ? c->null : 0, TOOLALIGN_EMPTY_WORD},
        {rules->too_long, c ? "reorderings that are too long (--maxlen)" : "rules that are too long (--maxlen)"},
        {rules->too_costly, "rules that cost too much (--maxcost)"},
    };
    tool_say_left_out(all, sizeof all / sizeof *all);
}
