/* Each form is a function of io; here is which one prints what. O(size of what is printed). */
#include <permfst/verbs/print.h>

#include <permfst/io/dot.h>
#include <permfst/io/paths.h>
#include <permfst/io/plf.h>
#include <permfst/io/slf.h>
#include <permfst/io/text.h>
#include <permfst/io/xml.h>
#include <permfst/machine/build.h>
#include <permfst/ops/expand.h>
#include <permfst/ops/open.h>

#include <stdio.h>

static bool is_line(pf_print_form form) { return form == PF_PRINT_STRINGS || form == PF_PRINT_PERMUTATIONS; }

bool pf_print_as_automaton(pf_print_form form, const pf_expr *e) {
    switch (form) {
    case PF_PRINT_BY_KIND: case PF_PRINT_XML: return e->kind != PF_EXPR_BEST;
    case PF_PRINT_ATT: case PF_PRINT_PLF: case PF_PRINT_SLF: case PF_PRINT_DOT: return true;
    default: return false;
    }
}

/* ---- answers ---- */

static pf_err put_line(const pf_print_options *o, const pf_answer *a, size_t rank, pf_writer *w) {
    PF_TRY(o->form == PF_PRINT_STRINGS ? pf_answer_write_words(w, a, rank, o->numeric) : pf_answer_write_permutation(w, a, rank));
    return pf_writer_put(w, "\n", 1);
}

static pf_err put_answer(const pf_print_options *o, const pf_answer *a, pf_writer *w, bool *no_path) {
    *no_path = !a->paths.n;
    if (o->form == PF_PRINT_XML) {
        *no_path = false;
        return pf_xml_answer(w, a);
    }
    if (*no_path) return is_line(o->form) ? pf_writer_put(w, "\n", 1) : PF_OK;
    if (!is_line(o->form)) return pf_answer_write_table(w, a, o->record, o->numeric);
    for (size_t rank = 0; rank < (o->all ? a->paths.n : 1); rank++) PF_TRY(put_line(o, a, rank, w));
    return PF_OK;
}

/* An automaton of one path is an answer of one path. */
static pf_err put_linear(const pf_print_options *o, pf_fst *f, pf_writer *w, bool *no_path) {
    pf_answer a;
    PF_TRY(pf_answer_from_linear(f, &a));
    pf_err err = put_answer(o, &a, w, no_path);
    pf_answer_free(&a);
    return err;
}

/* ---- automata ---- */

static pf_err put_form(const pf_print_options *o, pf_fst *f, pf_writer *w) {
    char name[40];
    snprintf(name, sizeof name, o->form == PF_PRINT_DOT ? "record%llu" : "%llu", (unsigned long long)o->record);
    switch (o->form) {
    case PF_PRINT_XML: return pf_xml_fst(w, f);
    case PF_PRINT_DOT: return pf_dot_write(w, f, name, o->acceptor, o->numeric);
    case PF_PRINT_PLF: return pf_plf_write(w, f, o->plf_scores, o->numeric);
    case PF_PRINT_SLF: return pf_slf_write(w, f, name, o->plain, o->numeric);
    default: return pf_text_write(w, f, o->acceptor, o->numeric);
    }
}

/* Lazy automata are expanded; ordinary ones are printed as they are. */
static pf_err put_automaton(const pf_print_options *o, pf_fst *f, pf_writer *w) {
    pf_fst *expanded = NULL;
    if (f->op) PF_TRY(pf_expand(f, o->max_states, &expanded));
    pf_err err = put_form(o, expanded ? expanded : f, w);
    pf_fst_free(expanded);
    return err;
}

/* ---- records ---- */

static pf_err put_opened(pf_expr *e, const pf_print_options *o, pf_writer *w, bool *no_path) {
    pf_opened *opened;
    PF_TRY(pf_open(e, &opened));
    pf_fst *f = pf_opened_fst(opened);
    pf_fst_watch(f, o->progress, o->self);
    pf_err err = pf_print_as_automaton(o->form, e) ? put_automaton(o, f, w) : put_linear(o, f, w, no_path);
    pf_opened_free(opened);
    return err;
}

pf_err pf_expr_print(pf_expr *e, const pf_print_options *o, pf_writer *w, bool *no_path) {
    *no_path = false;
    if (e->kind != PF_EXPR_BEST || pf_print_as_automaton(o->form, e)) return put_opened(e, o, w, no_path);
    return put_answer(o, e->answer, w, no_path);
}

pf_err pf_print_nothing(pf_print_form form, const pf_expr *e, pf_writer *w) {
    pf_fst *fst;
    if (is_line(form)) return pf_writer_put(w, "\n", 1);
    if (form != PF_PRINT_XML) return PF_OK;
    if (e->kind == PF_EXPR_BEST) return pf_xml_answer(w, &(pf_answer){.bound = -(double)INFINITY});
    PF_TRY(pf_build_finish(&(pf_build){0}, PF_STANDARD, 0, &fst));
    pf_err err = pf_xml_fst(w, fst);
    pf_fst_free(fst);
    return err;
}
