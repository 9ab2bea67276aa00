/* Labels by name: tables are asked, automata walked, tuple models asked for what they can say. */
#include <permfst/ops/wording.h>

#include <permfst/model/tuplemodel.h>
#include <permfst/ops/match.h>
#include <permfst/ops/open.h>

#include <string.h>

/* ---- what is read ---- */

/* Does an arc of the automaton read the label? */
static bool arc_reads(pf_fst *fst, pf_label label) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++)
            if (arcs.arc[i].in == label) return true;
    }
    return false;
}

static bool has_label(const pf_symtab *table, const char *symbol) {
    return table && pf_match_label(table, symbol) != PF_NO_LABEL;
}

bool pf_expr_reads(const pf_expr *expr, const char *symbol) {
    switch (expr->kind) {
    case PF_EXPR_MODEL: return false;
    case PF_EXPR_COMPOSE: return pf_expr_reads(expr->first, symbol);
    case PF_EXPR_BEST: return has_label(expr->answer->isyms, symbol);
    case PF_EXPR_PERM: return expr->spec.acceptor && expr->first->fst && has_label(expr->first->fst->osyms, symbol);
    case PF_EXPR_FST: break;
    }
    if (expr->fst->isyms) return has_label(expr->fst->isyms, symbol);
    pf_label label = pf_match_label(NULL, symbol);
    return label != PF_NO_LABEL && arc_reads(expr->fst, label);
}

/* ---- what is put out ---- */

typedef pf_err (*word_use)(const void *self, const char *word, size_t length);

static pf_err each_of_arcs(pf_fst *fst, word_use use, const void *self) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        pf_arcs arcs = pf_fst_arcs(fst, state);
        for (uint32_t i = 0; i < arcs.n; i++) {
            size_t n;
            const char *word = pf_symtab_name(fst->osyms, arcs.arc[i].out, &n);
            if (arcs.arc[i].out && word) PF_TRY(use(self, word, n));
        }
    }
    return PF_OK;
}

typedef struct {
    const pf_model *tuples;
    word_use use;
    const void *self;
} unit_translator;

/* What the tuples say that have a source word, or none (PF_EPSILON). */
static pf_err each_of_tuples(const unit_translator *translator, pf_label source) {
    size_t places, length;
    const pf_tuple_place *place = pf_tuplemodel_places(translator->tuples, source, &places);
    for (size_t i = 0; i < places; i++) {
        pf_tuple_labels one = pf_tuplemodel_at(translator->tuples, place[i].tuple);
        for (unsigned k = 0; k < one.n_target; k++) {
            const char *word = pf_symtab_name(pf_tuplemodel_target(translator->tuples), one.target[k], &length);
            PF_TRY(translator->use(translator->self, word, length));
        }
    }
    return PF_OK;
}

static pf_err translate(const void *self, const char *word, size_t length) {
    const unit_translator *translator = self;
    pf_label label = pf_symtab_find(pf_tuplemodel_source(translator->tuples), word, length);
    if (pf_model_lacks(translator->tuples, word, length))
        PF_TRY(translator->use(translator->self, word, length)); /* it passes through */
    return label == PF_NO_LABEL ? PF_OK : each_of_tuples(translator, label);
}

/* Every word that an automaton can put out, some of them several times. The failure symbol is none; but a failure loop passes
 * words of the first operand on. */
static pf_err each_word(pf_expr *expr, word_use use, const void *self) {
    pf_opened *source;
    bool scored = expr->kind == PF_EXPR_COMPOSE && expr->shared && strcmp(pf_blob_class(expr->shared), "fst") != 0;
    if (scored && strcmp(pf_blob_class(expr->shared), pf_tuple_class.name) == 0) {
        unit_translator translator = {.use = use, .self = self};
        PF_TRY(pf_open_model(expr->shared, &translator.tuples));
        PF_TRY(each_word(expr->first, translate, &translator));
        return each_of_tuples(&translator, PF_EPSILON);
    }
    if (scored) return each_word(expr->first, use, self);
    if (expr->kind == PF_EXPR_COMPOSE && expr->phi) PF_TRY(each_word(expr->first, use, self));
    PF_TRY(pf_open_words(expr, &source));
    pf_err err = each_of_arcs(pf_opened_fst(source), use, self);
    pf_opened_free(source);
    return err;
}

static pf_err refuse_lacking(const void *model, const char *word, size_t length) {
    return pf_model_lacks(model, word, length) ? pf_fail(PF_EINPUT, "the model lacks the word '%.200s'", word) : PF_OK;
}

pf_err pf_expr_check_words(pf_expr *expr, pf_blob *shared, bool all) {
    const pf_model *model;
    pf_opened *source;
    if (strcmp(pf_blob_class(shared), "fst") == 0) return PF_OK;
    PF_TRY(pf_open_words(expr, &source));
    bool named = pf_opened_fst(source)->osyms;
    pf_opened_free(source);
    if (!named)
        return pf_fail(PF_EINPUT, "the automaton has no output symbol table, so its words cannot be matched with the model's");
    if (!all) return PF_OK;
    PF_TRY(pf_open_model(shared, &model));
    return each_word(expr, refuse_lacking, model);
}
