/* What the options of permlearn mean: columns of factors, templates, models. */
#include "toollearn.h"

#include "toolprogress.h"

#include <assert.h>
#include <string.h>

/* ---- columns ---- */

static pf_err add_orders(tool_call *call, const char *path, pf_factor_files *files) {
    PF_TRY(toolalign_text(call, files->pairs, path, &files->orders));
    return pf_parallel_match(files->pairs, files->orders, files->words);
}

static pf_err add_columns(tool_call *call, const char *source, const char *target, const char *links, pf_factor_files *files) {
    const toollearn_options *options = tool_options(call);
    size_t target_column = 0;
    PF_TRY(toolalign_text(call, files->pairs, source, &files->words));
    for (files->tags = 0; files->tags < options->tags.n; files->tags++) {
        PF_TRY(toolalign_text(call, files->pairs, options->tags.at[files->tags], &files->tag[files->tags]));
        PF_TRY(pf_parallel_match(files->pairs, files->tag[files->tags], files->words));
    }
    if (target) PF_TRY(toolalign_text(call, files->pairs, target, &target_column));
    if (links && options->permutations) return add_orders(call, links, files);
    const pf_parallel_links how = {toolalign_from(options->from), options->invert, files->words, target_column};
    return links ? toolalign_links(call, files->pairs, links, &how, &files->links) : PF_OK;
}

pf_err toollearn_open(tool_call *call, const char *source, const char *target, const char *links, pf_factor_reader **out) {
    assert(source && (links || !target));
    const toollearn_options *options = tool_options(call);
    pf_factor_files files = {.progress = tool_one_done, .wanted = tool_is_wanted, .ended = tool_records_met, .self = call};
    *out = NULL;
    tool_item(call, "sentence");
    PF_TRY(pf_parallel_new(options->common.first_record, &files.pairs));
    pf_err err = add_columns(call, source, target, links, &files);
    if (!err && options->trees) err = toolfst_open(call, options->trees, &files.trees);
    if (!err) return pf_factor_reader_new(&files, out);
    pf_parallel_free(files.pairs);
    return err;
}

/* ---- templates and models ---- */

static pf_err read_templates(tool_call *call, const char *path, pf_templates *out) {
    pf_reader *reader;
    PF_TRY(toolfst_open(call, path, &reader));
    pf_err err = pf_templates_read(out, reader);
    pf_reader_free(reader);
    return err;
}

pf_err toollearn_templates(tool_call *call, pf_templates *out) {
    const toollearn_options *options = tool_options(call);
    if (!options->templates || strcmp(options->templates, "default") == 0)
        return pf_templates_usual(out, (unsigned)options->tags.n, options->trees != NULL);
    PF_TRY(read_templates(call, options->templates, out));
    if (pf_templates_tags(out) > options->tags.n)
        return pf_fail(PF_EARG, "%s: a template needs t%u: expected as many --tags, found %zu", options->templates,
                       pf_templates_tags(out), options->tags.n);
    if (pf_templates_trees(out) && !options->trees)
        return pf_fail(PF_EARG, "%s: a template needs trees: expected --trees", options->templates);
    return PF_OK;
}

static pf_err read_model(void *out, pf_reader *reader, const char *name PF_UNUSED) { return pf_order_model_read(reader, out); }

pf_err toollearn_any_model(tool_call *call, const char *path, pf_order_model **out) {
    *out = NULL;
    return toolfst_read(call, path, read_model, out);
}

pf_err toollearn_model(tool_call *call, const char *path, pf_order_model **out) {
    const toollearn_options *options = tool_options(call);
    PF_TRY(toollearn_any_model(call, path, out));
    return pf_order_model_check(*out, toolfst_name(path), (unsigned)options->tags.n, options->trees != NULL);
}
