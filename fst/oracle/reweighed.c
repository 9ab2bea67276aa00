/* Permutation automata with the costs of a score in place of their own weights. They stay what they are, so that the searches that
 * know spaces find their best paths: level by level with rest costs and beams, or by a chart over spans (chart/best.h), which takes
 * polynomial time for itg. The machines of additive.c have the same paths at the same costs, and are made whole before a search.
 *
 *   linear BLEU   is a model of the words (Pecheux et al. 2016, section 5.1): its state is the history of references.h. A chart
 *                 scores blocks before the words to their left are known; these matter as long as all that was printed is an
 *                 n-gram of fewer than three words that some reference has with a word before it.
 *   kendall       is a weight model of pairs: visiting p costs the positions visited before that the reference visits after it.
 *   chunks        is one of neighbours: a position costs 1 unless it is visited right after the one that the reference has before.
 *
 * A step costs O(words of a label), O(covered positions) and O(1). */
#include "oracle/oracle_impl.h"

#include <permfst/permute/perm.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- linear BLEU ---- */

/* Label 1 + i is the i-th of `sequences`; words that no reference has are alike. State: a history * 2 + 1 where words before all
 * that was printed can still matter. */
struct pfi_linear_model {
    pfi_product product;    /* for the words of labels */
    double theta[1 + PF_ORACLE_ORDER];
    pf_statetab symbols, sequences;
    PF_VEC(uint32_t) sequence; /* of each symbol */
    PF_VEC(bool) continued;    /* by n-gram: some reference has it with a word before it */
};

static pf_state state_of(const pfi_linear_model *model, uint32_t history, bool all) {
    unsigned length = model->product.references->gram.at[history].length;
    return history << 1 | (all && length + 1 < PF_ORACLE_ORDER && model->continued.at[history]);
}

static pf_state start(const pf_scorer *scorer) { return state_of(scorer->model, 0, false); }

static pf_state empty(const pf_scorer *scorer) { return state_of(scorer->model, 0, true); }

static unsigned reach(const pf_scorer *scorer PF_UNUSED) { return PF_ORACLE_ORDER - 1; }

static bool is_open(const pf_scorer *scorer PF_UNUSED, pf_state state, unsigned words PF_UNUSED) { return state & 1; }

static double step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    const pfi_linear_model *model = scorer->model;
    const pf_oracle_references *references = model->product.references;
    uint32_t history = state >> 1, printed = references->gram.at[history].length, word;
    size_t bytes;
    const unsigned char *words = pf_statetab_key(&model->sequences, (uint32_t)label - 1, &bytes);
    double gain = 0;
    for (size_t at = 0; at < bytes; at += sizeof word, printed++) {
        memcpy(&word, words + at, sizeof word);
        uint32_t match = pf_oracle_step(references, history, word, &history);
        for (gain += model->theta[0]; match; match = references->gram.at[match].end)
            gain += model->theta[references->gram.at[match].length];
    }
    *to = state_of(model, history, (state & 1) && references->gram.at[history].length == printed);
    return -gain;
}

static void row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    for (unsigned i = 0; i < labels->n; i++) costs[i] = step(scorer, state, labels->at[i], &to[i]);
}

static double end(pf_scorer *scorer PF_UNUSED, pf_state state PF_UNUSED) { return 0; }

static pf_label label_of(const pf_scorer *scorer, const char *word, size_t length) {
    const pfi_linear_model *model = scorer->model;
    uint32_t symbol = pf_statetab_find(&model->symbols, word, length);
    assert(symbol < model->sequence.n);
    return (pf_label)model->sequence.at[symbol] + 1;
}

static const pf_scorer_class linear_class = {
    .start = start, .step = step, .row = row, .final = end, .label = label_of, .empty = empty, .reach = reach, .open = is_open,
};

static pf_err add_symbol(pfi_linear_model *model, pf_label label) {
    size_t length;
    const pfi_label_words *words;
    uint32_t symbol, sequence;
    const char *name = pf_symtab_name(model->product.fst->osyms, label, &length);
    PF_TRY(pfi_product_label(&model->product, label, &words)); /* and fails where there is no name */
    const uint32_t *word = model->product.words.at + words->first;
    PF_TRY(pf_statetab_intern(&model->sequences, word, words->n * sizeof *word, &sequence, NULL));
    PF_TRY(PF_ROOM(&model->sequence, 1));
    PF_TRY(pf_statetab_intern(&model->symbols, name, length, &symbol, NULL));
    if (symbol == model->sequence.n) model->sequence.at[model->sequence.n++] = sequence;
    return PF_OK;
}

static pf_err find_continued(pfi_linear_model *model) {
    const pf_oracle_references *references = model->product.references;
    PF_TRY(PF_ROOM(&model->continued, references->gram.n));
    memset(model->continued.at, 0, references->gram.n * sizeof *model->continued.at);
    model->continued.n = references->gram.n;
    for (size_t i = 1; i < references->gram.n; i++) model->continued.at[references->gram.at[i].end] = true;
    return PF_OK;
}

static pf_err make_model(pfi_linear_model *model) {
    const pf_fst *fst = model->product.fst;
    for (size_t i = 0; i < fst->alphabet.n; i++)
        if (fst->alphabet.at[i] != PF_EPSILON) PF_TRY(add_symbol(model, fst->alphabet.at[i]));
    return find_continued(model);
}

static void free_model(pfi_linear_model *model) {
    pfi_product_free(&model->product);
    pf_statetab_free(&model->symbols);
    pf_statetab_free(&model->sequences);
    PF_VEC_FREE(&model->sequence);
    PF_VEC_FREE(&model->continued);
    free(model);
}

static pf_err score_words(pfi_reweighed *own, pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                          const pf_oracle_options *options) {
    pfi_linear_model *model = own->model = calloc(1, sizeof *model);
    if (!model) return pf_nomem();
    pfi_product_init(&model->product, fst, references, options);
    pf_statetab_init(&model->symbols, 0);
    pf_statetab_init(&model->sequences, 0);
    pfi_linear_thetas(how, model->theta);
    PF_TRY(make_model(model));
    own->scorer = (pf_scorer){.cls = &linear_class, .model = model};
    PF_TRY(pf_perm_reweigh(fst, NULL, &own->space));
    return pf_score_by(own->space, 1, &(pf_scored_by){&own->scorer, 1}, 1, &own->scored);
}

pf_err pfi_reweigh_linear(pfi_reweighed *own, pf_fst *fst, const pf_oracle_references *references, const pf_linear_bleu *how,
                          const pf_oracle_options *options) {
    *own = (pfi_reweighed){.model = NULL};
    assert(pf_is_perm(fst) && fst->osyms);
    pf_err err = score_words(own, fst, references, how, options);
    own->costs = own->scored;
    if (err) pfi_reweighed_free(own);
    return err;
}

/* ---- orders ---- */

/* The data of a weight model: the place of each position in the reference. */
static uint32_t place(const pf_wm *wm, unsigned position) { return ((const uint32_t *)wm->data)[position]; }

static void free_places(pf_wm *wm) { free(wm->data); }

static bool no_cost_is_negative(const pf_wm *wm PF_UNUSED) { return true; }

static double pair(const pf_wm *wm, unsigned earlier, unsigned later) { return place(wm, earlier) > place(wm, later); }

/* Charged at the first of the two, for each position that comes too late from now on: what has been visited has cost all that it
 * will, so that hypotheses of a level can be compared. The sum over a path is that of its pairs. */
static void weigh_pairs(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra PF_UNUSED, const pf_cover *allowed,
                        unsigned moves PF_UNUSED, double *costs) {
    unsigned move = 0;
    for (unsigned next = pf_cover_next(allowed, wm->nw, 0); next < wm->n; next = pf_cover_next(allowed, wm->nw, next + 1), move++)
        for (unsigned later = 0; later < wm->n; later++)
            if (!pf_cover_has(covered, later)) costs[move] += pair(wm, next, later);
}

static const pf_wm_class kendall_class = {
    .name = "kendall", .params = "", .help = "1 for each pair of positions that the reference visits in the other order",
    .free = free_places, .weigh = weigh_pairs, .pair = pair, .nonnegative = no_cost_is_negative,
};

/* The bytes of a state are the position visited last, + 1. */
typedef uint16_t last_position;

static void weigh_neighbours(const pf_wm *wm, const pf_cover *covered PF_UNUSED, const unsigned char *extra,
                             const pf_cover *allowed, unsigned moves PF_UNUSED, double *costs) {
    last_position last;
    unsigned move = 0;
    memcpy(&last, extra, sizeof last);
    for (unsigned next = pf_cover_next(allowed, wm->nw, 0); next < wm->n; next = pf_cover_next(allowed, wm->nw, next + 1))
        costs[move++] += wm->cls->follow(wm, last ? last - 1u : wm->n, next);
}

static double follow(const pf_wm *wm, unsigned last, unsigned j) {
    return last == wm->n || place(wm, j) != place(wm, last) + 1;
}

static void remember(const pf_wm *wm PF_UNUSED, const pf_cover *covered PF_UNUSED, const unsigned char *extra PF_UNUSED,
                     unsigned position, unsigned char *to) {
    last_position last = (last_position)(position + 1);
    memcpy(to, &last, sizeof last);
}

static const pf_wm_class chunks_class = {
    .name = "chunks", .params = "", .help = "1 for each position that does not follow its neighbour in the reference",
    .free = free_places, .weigh = weigh_neighbours, .follow = follow, .advance = remember, .nonnegative = no_cost_is_negative,
};

static pf_err make_wm(const pf_wm_class *cls, size_t room, const unsigned *order, size_t n, unsigned positions, pf_wm **out) {
    uint32_t *places = calloc(n + 1, sizeof *places);
    *out = calloc(1, sizeof **out);
    if (!places || !*out) return free(places), free(*out), pf_nomem();
    for (size_t place = 0; place < n; place++) {
        assert(order[place] < n);
        places[order[place]] = (uint32_t)place;
    }
    **out = (pf_wm){.cls = cls, .n = positions, .nw = pf_cover_words(positions), .scale = 1, .room = room, .data = places};
    return PF_OK;
}

static pf_err check_positions(pf_fst *fst, size_t n, unsigned *positions) {
    pf_slots_view slots;
    fst->op->slots(fst->self, &slots);
    *positions = slots.n;
    if (!slots.positions) return pf_fail(PF_EINPUT, "expected positions as input labels, found symbols");
    if (slots.n <= n) return PF_OK;
    return pf_fail(PF_EINPUT, "expected a position from 1 to %zu, as the reference order has, found %zu", n, n + 1);
}

pf_err pfi_reweigh_order(pfi_reweighed *own, pf_fst *fst, bool chunks, const unsigned *order, size_t n) {
    const pf_wm_class *cls = chunks ? &chunks_class : &kendall_class;
    unsigned positions;
    pf_wm *wm;
    *own = (pfi_reweighed){.model = NULL};
    PF_TRY(check_positions(fst, n, &positions));
    PF_TRY(make_wm(cls, chunks ? sizeof(last_position) : 0, order, n, positions, &wm));
    PF_TRY(pf_perm_reweigh(fst, wm, &own->space));
    own->costs = own->space;
    return PF_OK;
}

void pfi_reweighed_free(pfi_reweighed *own) {
    pf_fst_free(own->scored);
    pf_fst_free(own->space);
    if (own->model) free_model(own->model);
    *own = (pfi_reweighed){.model = NULL};
}
