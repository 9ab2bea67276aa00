/* A reference is composed with the automaton, which leaves the paths that have its words. */
#include "toolref.h"

#include <stdio.h>

static pf_err add_words(const char *line, pf_symtab *table, pf_build *b) {
    pf_state s = 0;
    PF_TRY(pf_build_state(b, 0));
    for (size_t n = 0; tool_word(&line, &n); s++) {
        pf_label label;
        PF_TRY(pf_symtab_add(table, line, n, &label));
        PF_TRY(pf_build_arc(b, s, label, label, 0, s + 1));
    }
    return pf_build_final(b, s, 0);
}

static pf_err acceptor(const char *line, pf_arc_type type, pf_fst **out) {
    pf_build b = {0};
    pf_symtab *table;
    PF_TRY(pf_symtab_new("reference", &table));
    pf_err err = add_words(line, table, &b);
    if (!err) err = pf_symtab_put_epsilon(table);
    if (!err) err = pf_build_finish(&b, type, 0, out);
    if (!err) pf_fst_set_symbols(*out, table, table);
    pf_build_free(&b);
    pf_symtab_free(table);
    return err;
}

pf_err toolref_next(pf_reader *r, pf_fst *fst, toolref *out) {
    char *line;
    size_t n;
    *out = (toolref){0};
    PF_TRY(pf_reader_line(r, &line, &n));
    if (!line) return pf_reader_fail_line(r, "expected the reference of one more record, found the end");
    PF_TRY(tool_text(r, line, n));
    PF_TRY(acceptor(line, fst->type, &out->words));
    return pf_compose_lazy(fst, out->words, &out->paths);
}

void toolref_end(toolref *one) {
    pf_fst_free(one->paths);
    pf_fst_free(one->words);
}

pf_err toolref_skip(pf_reader *r, pf_err err) {
    char message[1024], *line;
    size_t n;
    snprintf(message, sizeof message, "%s", pf_message());
    PF_TRY(pf_reader_line(r, &line, &n));
    return pf_fail(err, "%s", message);
}

static bool interrupted(void *self) {
    (void)self;
    return tool_interrupted();
}

pf_err toolref_cost(const toolref *one, double *cost) {
    pf_answer a;
    PF_TRY(pf_best(one->paths, &(pf_best_options){.n = 1, .expired = interrupted}, &a));
    *cost = a.paths.n ? a.paths.at[0].cost : (double)INFINITY;
    pf_answer_free(&a);
    return PF_OK;
}

pf_err toolref_close(pf_reader *r) {
    char *line;
    size_t n;
    PF_TRY(pf_reader_line(r, &line, &n));
    return line ? pf_reader_fail_line(r, "expected the end, as every record has its reference, found a line more") : PF_OK;
}
