/* Each form is a function of io; here is which one prints what. O(size of what is printed). */
#include <permfst/verbs/print.h>

#include <permfst/chart/tree.h>
#include <permfst/draw/automaton.h>
#include <permfst/draw/order.h>
#include <permfst/io/paths.h>
#include <permfst/io/plf.h>
#include <permfst/io/slf.h>
#include <permfst/io/text.h>
#include <permfst/io/xml.h>
#include <permfst/machine/build.h>
#include <permfst/ops/expand.h>
#include <permfst/ops/open.h>
#include <permfst/verbs/search.h>
#include <permfst/verbs/step.h>

#include <assert.h>
#include <stdio.h>

static bool is_line(pf_print_form form) {
    return form == PF_PRINT_STRINGS || form == PF_PRINT_PERMUTATIONS || form == PF_PRINT_TREES || form == PF_PRINT_DIFF;
}

bool pf_print_as_automaton(const pf_print_options *options, const pf_expr *expr) {
    switch (options->form) {
    case PF_PRINT_SVG:
        return options->picture == PF_PICTURE_BY_KIND ? expr->kind != PF_EXPR_BEST : options->picture == PF_PICTURE_AUTOMATON;
    case PF_PRINT_BY_KIND: case PF_PRINT_XML: return expr->kind != PF_EXPR_BEST;
    case PF_PRINT_ATT: case PF_PRINT_PLF: case PF_PRINT_SLF: case PF_PRINT_DOT: case PF_PRINT_STEPS:
        return true;
    default: return false;
    }
}

pf_table pf_print_columns(const pf_print_options *options) {
    bool lines = options->form == PF_PRINT_LINES;
    return pf_answer_columns(lines ? options->format : PF_TABLE_TSV, options->names || (lines && options->format == PF_TABLE_JSON));
}

/* ---- answers ---- */

/* The begin of a line, where names are asked for. */
static pf_err put_name(const pf_print_options *options, const char *name, pf_writer *writer) {
    if (!options->names) return PF_OK;
    PF_TRY(pf_record_name_write(writer, name, options->record));
    return pf_writer_put(writer, "\t", 1);
}

static pf_err put_line(const pf_print_options *options, const pf_answer *answer, const char *name, size_t rank, pf_writer *writer) {
    PF_TRY(put_name(options, name, writer));
    switch (options->form) {
    case PF_PRINT_TREES:
        PF_TRY(pf_answer_write_tree(writer, answer, rank, options->tree_form, options->positions, options->numeric));
        break;
    case PF_PRINT_STRINGS: PF_TRY(pf_answer_write_words(writer, answer, rank, options->numeric)); break;
    case PF_PRINT_DIFF: PF_TRY(pf_draw_diff(writer, answer, rank, options->numeric, options->colours)); break;
    default: PF_TRY(pf_answer_write_permutation(writer, answer, rank));
    }
    return pf_writer_put(writer, "\n", 1);
}

static pf_err put_empty_line(const pf_print_options *options, const char *name, pf_writer *writer) {
    PF_TRY(put_name(options, name, writer));
    return pf_writer_put(writer, "\n", 1);
}

static pf_err put_paths(const pf_print_options *options, const pf_answer *answer, const char *name, pf_writer *writer) {
    const pf_table columns = pf_print_columns(options);
    if (!is_line(options->form)) return pf_answer_write_lines(writer, answer, options->record, name, options->numeric, &columns);
    for (size_t rank = 0; rank < (options->all ? answer->paths.n : 1); rank++)
        PF_TRY(put_line(options, answer, name, rank, writer));
    return PF_OK;
}

static pf_err put_answer(const pf_print_options *options, const pf_answer *answer, const char *name, pf_writer *writer,
                         bool *no_path) {
    *no_path = !answer->paths.n;
    if (options->form == PF_PRINT_XML) {
        *no_path = false;
        return pf_xml_answer(writer, answer, name);
    }
    if (*no_path) return is_line(options->form) ? put_empty_line(options, name, writer) : PF_OK;
    if (options->form == PF_PRINT_SVG)
        return options->picture == PF_PICTURE_TREE ? pf_draw_itg_tree(writer, answer, 0, options->positions, options->numeric)
                                                   : pf_draw_order(writer, answer, 0, options->numeric);
    return put_paths(options, answer, name, writer);
}

/* An automaton of one path is an answer of one path. */
static pf_err put_linear(const pf_print_options *options, pf_fst *fst, const char *name, pf_writer *writer, bool *no_path) {
    pf_answer answer;
    PF_TRY(pf_answer_from_linear(fst, &answer));
    pf_err err = put_answer(options, &answer, name, writer, no_path);
    pf_answer_free(&answer);
    return err;
}

/* ---- automata ---- */

static pf_err put_form(const pf_print_options *options, pf_fst *fst, const char *name, pf_writer *writer) {
    char number[40];
    snprintf(number, sizeof number, "%llu", (unsigned long long)options->record);
    switch (options->form) {
    case PF_PRINT_XML: return pf_xml_fst(writer, fst, name);
    case PF_PRINT_PLF: return pf_plf_write(writer, fst, options->plf_scores, options->numeric);
    case PF_PRINT_SLF: return pf_slf_write(writer, fst, name ? name : number, options->plain, options->numeric);
    default: return pf_text_write(writer, fst, options->acceptor, options->numeric);
    }
}

/* Lazy automata are expanded; ordinary ones are printed as they are. */
static pf_err put_automaton(const pf_print_options *options, pf_fst *fst, const char *name, pf_writer *writer) {
    pf_fst *expanded = NULL;
    if (fst->op) PF_TRY(pf_expand_shared(fst, options->max_states, options->moves, &expanded));
    pf_err err = put_form(options, expanded ? expanded : fst, name, writer);
    pf_fst_free(expanded);
    return err;
}

/* ---- drawn automata ---- */

static bool is_drawn(pf_print_form form) { return form == PF_PRINT_DOT || form == PF_PRINT_SVG; }

static pf_err too_large(const pf_print_options *options) {
    return pf_fail(PF_ELIMIT, "the automaton has more than %llu states, and a picture of them cannot be read: draw a part of it "
                   "(permshortest --lattice --threshold=COST, permshortest --nbest=N, a tighter constraint), or allow more "
                   "(--max-states)", (unsigned long long)options->max_states);
}

static pf_err put_drawing(const pf_print_options *options, pf_fst *fst, const pf_answer *best, pf_writer *writer) {
    pf_draw_options how = {options->record, options->numeric, options->acceptor, best, best->lattice};
    return options->form == PF_PRINT_DOT ? pf_draw_dot(writer, fst, &how) : pf_draw_automaton(writer, fst, &how);
}

/* The best path, and with a beam the paths that are kept. A machine in which a cycle makes paths ever cheaper has no best path. */
static pf_err find_best(const pf_print_options *options, pf_fst *fst, pf_answer *out) {
    pf_best_options best = {.beam = options->beam, .lattice = options->beam > 0, .threshold = (double)INFINITY};
    pf_err err = pf_search_best(fst, &best, out);
    if (err != PF_EINPUT || options->beam || pf_fst_error(fst)) return err;
    *out = (pf_answer){0};
    return PF_OK;
}

/* A machine of the same states: a lazy one is expanded first, so that the limit holds before a search. */
static pf_err draw_automaton(const pf_print_options *options, pf_fst *fst, pf_writer *writer) {
    pf_fst *expanded = NULL;
    pf_answer best = {0};
    pf_err err = fst->op ? pf_expand_shared(fst, options->max_states, options->moves, &expanded) : PF_OK;
    if (err == PF_ELIMIT || (!fst->op && options->max_states && pf_fst_states(fst) > options->max_states))
        return too_large(options);
    if (!err) err = find_best(options, fst, &best);
    if (!err) err = put_drawing(options, expanded ? expanded : fst, &best, writer);
    pf_answer_free(&best);
    pf_fst_free(expanded);
    return err;
}

/* ---- records ---- */

static pf_err put_opened(pf_expr *expr, const pf_print_options *options, pf_writer *writer, bool *no_path) {
    const char *name = pf_expr_name(expr);
    pf_opened *opened;
    PF_TRY(pf_open(expr, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    pf_fst_watch(fst, options->progress, options->self);
    pf_err err = !pf_print_as_automaton(options, expr) ? put_linear(options, fst, name, writer, no_path)
                 : options->form == PF_PRINT_STEPS ? pf_step_write_after(fst, options->after, writer)
                 : is_drawn(options->form) ? draw_automaton(options, fst, writer) : put_automaton(options, fst, name, writer);
    pf_opened_free(opened);
    return err;
}

pf_err pf_expr_print(pf_expr *expr, const pf_print_options *options, pf_writer *writer, bool *no_path) {
    assert(options->form <= PF_PRINT_STEPS && (options->form != PF_PRINT_STEPS || options->after));
    *no_path = false;
    if (expr->kind != PF_EXPR_BEST || pf_print_as_automaton(options, expr))
        return put_opened(expr, options, writer, no_path);
    return put_answer(options, expr->answer, expr->name, writer, no_path);
}

pf_err pf_print_nothing(const pf_print_options *options, const pf_expr *expr, pf_writer *writer) {
    const char *name = pf_expr_name(expr);
    pf_fst *fst;
    if (is_line(options->form)) return put_empty_line(options, name, writer);
    if (options->form != PF_PRINT_XML) return PF_OK;
    if (expr->kind == PF_EXPR_BEST) return pf_xml_answer(writer, &(pf_answer){.bound = -(double)INFINITY}, name);
    PF_TRY(pf_build_finish(&(pf_build){0}, PF_STANDARD, 0, &fst));
    pf_err err = pf_xml_fst(writer, fst, name);
    pf_fst_free(fst);
    return err;
}
