/* What the options of permrules mean: limits, a lexicon, the columns of a tagged corpus. */
#include "toolrules.h"

#include "toolprogress.h"

#include <stdio.h>
#include <string.h>

/* ---- options ---- */

static pf_err read_lexicon(tool_call *call, const char *path, size_t most, pf_lexicon **out) {
    pf_reader *reader;
    PF_TRY(toolfst_open(call, path, &reader));
    pf_err err = pf_lexicon_read(reader, most, out);
    pf_reader_free(reader);
    return err;
}

pf_err toolrules_rule_options(tool_call *call, pf_rule_options *out, pf_lexicon **lexicon) {
    const toolrules_options *options = tool_options(call);
    *lexicon = NULL;
    *out = (pf_rule_options){.max_length = options->maxlen ? (unsigned)options->maxlen : PF_RULES_MAX_LENGTH,
                             .max_cost = options->maxcost >= 0 ? options->maxcost : PF_RULES_MAX_COST, .one_tag = options->one_tag};
    if (options->lexicon) PF_TRY(read_lexicon(call, options->lexicon, SIZE_MAX, lexicon));
    else if (options->lexicalise) PF_TRY(read_lexicon(call, options->words, (size_t)options->lexicalise, lexicon));
    if (*lexicon && pf_lexicon_size(*lexicon)) out->lexicon = *lexicon;
    return PF_OK;
}

/* ---- columns ---- */

static pf_err add_words(tool_call *call, pf_parallel *pairs, const char *path, size_t like, size_t *column) {
    PF_TRY(toolalign_text(call, pairs, path, column));
    return like ? pf_parallel_match(pairs, *column, like) : PF_OK;
}

static pf_err add_columns(pf_tagged_columns *columns, const toolrules_files *files, bool orders) {
    tool_call *call = files->call;
    const toolrules_options *options = tool_options(call);
    if (options->tags) PF_TRY(add_words(call, columns->pairs, options->tags, 0, &columns->tags));
    if (options->words && (files->lexicon || !options->tags))
        PF_TRY(add_words(call, columns->pairs, options->words, columns->tags, &columns->words));
    if (!orders) return PF_OK;
    size_t source = columns->tags ? columns->tags : columns->words;
    if (options->permutations) return add_words(call, columns->pairs, options->permutations, source, &columns->permutations);
    pf_parallel_links how = {PF_ALIGN_AUTO, options->invert, source, 0};
    return toolalign_links(call, columns->pairs, files->alignments, &how, &columns->alignments);
}

pf_err toolrules_open(void *files, bool orders, pf_tagged **out) {
    const toolrules_files *from = files;
    pf_tagged_columns columns = {.lexicon = from->lexicon, .progress = tool_one_done, .self = from->call};
    *out = NULL;
    tool_item(from->call, "sentence");
    PF_TRY(pf_parallel_new(1, &columns.pairs));
    pf_err err = add_columns(&columns, from, orders);
    if (!err) return pf_tagged_new(&columns, out);
    pf_parallel_free(columns.pairs);
    return err;
}

/* ---- what is left out ---- */

void toolrules_say_left_out(tool_call *call, const pf_align_left_out *links, const pf_rules_left_out *rules) {
    const tool_left_out all[] = {
        {links ? links->repeated : 0, TOOLALIGN_REPEATED},
        {links ? links->empty_word : 0, TOOLALIGN_EMPTY_WORD},
        {rules->too_long, links ? "reorderings that are too long (--maxlen)" : "rules that are too long (--maxlen)"},
        {rules->too_costly, "rules that cost too much (--maxcost)"},
    };
    tool_say_left_out(call, all, sizeof all / sizeof *all);
}

void toolrules_say_rules(tool_call *call, const pf_align_left_out *links, const pf_rules *rules) {
    const pf_rules_left_out *omitted = pf_rules_omitted(rules);
    toolrules_say_left_out(call, links, omitted);
    if (!pf_rules_size(rules) && omitted->too_costly)
        tool_say(call, "warning: no rule is left: each of them costs more than %g (--maxcost)", pf_rules_options(rules)->max_cost);
}
