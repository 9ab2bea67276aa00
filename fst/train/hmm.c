/* A pair has the places of its words in the table, so that its counts can be added without looking them up again. */
#include <permfst/train/hmm.h>

#include "base/contract.h"
#include "train/chain_impl.h"
#include "train/word_pairs_impl.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE, TARGET };

#define LEAST_GIVEN 1e-12 /* a smaller t is taken as this */

struct pf_hmm {
    pf_hmm_options options;
    pfi_word_pairs table;
    pfi_jumps first[PF_HMM_DIRECTIONS], inner[PF_HMM_DIRECTIONS];
};

/* What the model says in one direction: each of the words is linked with one of the other side. */
typedef struct {
    PF_VEC(double) posterior; /* [linked word * n + word] */
    PF_VEC(double) empty;     /* [linked word] */
    PF_VEC(double) departed;  /* [word]: expected jumps from it */
    double first[PFI_JUMP_WEIGHTS], inner[PFI_JUMP_WEIGHTS]; /* expected jumps */
    double log_likelihood;
} pair_side;

struct pf_hmm_pair {
    PF_VEC(uint32_t) word[2]; /* numbers of the source words, of the target words */
    PF_VEC(size_t) place;     /* [target * sources + source] in the table */
    pair_side side[PF_HMM_DIRECTIONS];
};

struct pf_hmm_work {
    pfi_chain chain;
    PF_VEC(uint32_t) best;
};

/* ---- made and freed ---- */

pf_err pf_hmm_new(const pf_hmm_options *options, pf_hmm **out) {
    assert(options->empty > 0 && options->empty < 1);
    if (!(*out = calloc(1, sizeof **out))) return pf_nomem();
    (*out)->options = *options;
    pfi_word_pairs_init(&(*out)->table);
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pfi_jumps_init(&(*out)->first[direction]);
        pfi_jumps_init(&(*out)->inner[direction]);
    }
    return PF_OK;
}

void pf_hmm_free(pf_hmm *model) {
    if (!model) return;
    pfi_word_pairs_free(&model->table);
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pfi_jumps_free(&model->first[direction]);
        pfi_jumps_free(&model->inner[direction]);
    }
    free(model);
}

pf_err pf_hmm_start(pf_hmm *model, pf_hmm_direction direction, const pf_ibm1 *from) {
    return pfi_word_pairs_take(&model->table, direction, from);
}

pf_err pf_hmm_work_new(pf_hmm_work **out) { return (*out = calloc(1, sizeof **out)) ? PF_OK : pf_nomem(); }

void pf_hmm_work_free(pf_hmm_work *work) {
    if (!work) return;
    pfi_chain_free(&work->chain);
    PF_VEC_FREE(&work->best);
    free(work);
}

pf_err pf_hmm_pair_new(pf_hmm_pair **out) { return (*out = calloc(1, sizeof **out)) ? PF_OK : pf_nomem(); }

void pf_hmm_pair_free(pf_hmm_pair *pair) {
    if (!pair) return;
    for (int side = 0; side < 2; side++) {
        PF_VEC_FREE(&pair->word[side]);
        PF_VEC_FREE(&pair->side[side].posterior);
        PF_VEC_FREE(&pair->side[side].empty);
        PF_VEC_FREE(&pair->side[side].departed);
    }
    PF_VEC_FREE(&pair->place);
    free(pair);
}

/* ---- the words of a pair ---- */

static pf_err changed(void) {
    return pf_fail(PF_EINPUT, "two words of this pair occur together in no pair of the corpus that the model began with: "
                   "has the corpus changed?");
}

pf_err pf_hmm_pair_set(pf_hmm_pair *pair, const pf_hmm *model, const pf_words *source, const pf_words *target) {
    const pf_words *words[2] = {source, target};
    for (int side = 0; side < 2; side++) {
        pair->word[side].n = 0;
        PF_TRY(PF_ROOM(&pair->word[side], words[side]->n));
        for (size_t k = 0; k < words[side]->n; k++) {
            const pf_word *word = &words[side]->at[k];
            uint32_t number = pf_statetab_find(&model->table.word[side], word->at, word->n);
            if (number == UINT32_MAX)
                return pf_fail(PF_EINPUT, "the %s word '%.*s' does not occur in the corpus that the model began with: "
                               "has the corpus changed?", side == SOURCE ? "source" : "target", word->n < 40 ? (int)word->n : 40,
                               word->at);
            pair->word[side].at[pair->word[side].n++] = number;
        }
    }
    return PF_OK;
}

uint32_t pf_hmm_pair_sources(const pf_hmm_pair *pair) { return (uint32_t)pair->word[SOURCE].n; }
uint32_t pf_hmm_pair_targets(const pf_hmm_pair *pair) { return (uint32_t)pair->word[TARGET].n; }

static pf_err find_places(const pf_hmm *model, pf_hmm_pair *pair) {
    size_t sources = pair->word[SOURCE].n, targets = pair->word[TARGET].n;
    PF_TRY(PF_ROOM(&pair->place, sources * targets));
    if (!model->table.slot) return changed();
    for (size_t i = 0; i < targets; i++)
        pfi_word_pairs_find(&model->table, pair->word[SOURCE].at, sources, pair->word[TARGET].at[i], pair->place.at + i * sources);
    for (size_t k = 0; k < sources * targets; k++)
        if (pair->place.at[k] == SIZE_MAX) return changed();
    return PF_OK;
}

/* ---- a direction ---- */

static double floored(double given) { return given > LEAST_GIVEN ? given : LEAST_GIVEN; }

/* Where source word j and target word i are in the matrices of a direction, which have a row for each linked word. */
static size_t cell(const pf_hmm_pair *pair, int direction, size_t j, size_t i) {
    return direction == PF_HMM_FORWARD ? i * pair->word[SOURCE].n + j : j * pair->word[TARGET].n + i;
}

static pf_err begin(const pf_hmm *model, const pf_hmm_pair *pair, int direction, pfi_chain *chain) {
    size_t sources = pair->word[SOURCE].n, targets = pair->word[TARGET].n, links = pair->word[!direction].n;
    PF_TRY(pfi_chain_begin(chain, pair->word[direction].n, links, &model->first[direction], &model->inner[direction],
                           model->options.empty));
    for (size_t target = 0; target < targets; target++)
        for (size_t source = 0; source < sources; source++)
            chain->emission.at[cell(pair, direction, source, target)] =
                floored(model->table.slot[pair->place.at[target * sources + source]].given[direction]);
    for (size_t k = 0; k < links; k++)
        chain->empty_emission.at[k] = floored(model->table.sums[direction].empty.at[pair->word[!direction].at[k]]);
    return PF_OK;
}

static pf_err expect(const pf_hmm *model, pfi_chain *chain, int direction, pf_hmm_pair *pair) {
    pair_side *side = &pair->side[direction];
    size_t n = pair->word[direction].n, links = pair->word[!direction].n;
    PF_TRY(begin(model, pair, direction, chain));
    PF_TRY(PF_ROOM(&side->posterior, n * links));
    PF_TRY(PF_ROOM(&side->empty, links));
    PF_TRY(PF_ROOM(&side->departed, n));
    PF_TRY(pfi_chain_expect(chain, side->posterior.at, side->empty.at, &side->log_likelihood));
    pfi_chain_count(chain, side->posterior.at, side->first, side->inner, side->departed.at);
    return PF_OK;
}

pf_err pf_hmm_expect(const pf_hmm *model, pf_hmm_work *work, pf_hmm_pair *pair) {
    assert(pair->word[SOURCE].n && pair->word[TARGET].n);
    PF_TRY(find_places(model, pair));
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) PF_TRY(expect(model, &work->chain, direction, pair));
    return PF_OK;
}

/* ---- what is asked of a pair ---- */

double pf_hmm_posterior(const pf_hmm_pair *pair, pf_hmm_direction direction, uint32_t source, uint32_t target) {
    assert(source < pair->word[SOURCE].n && target < pair->word[TARGET].n);
    return pair->side[direction].posterior.at[cell(pair, direction, source, target)];
}

double pf_hmm_log_likelihood(const pf_hmm_pair *pair, pf_hmm_direction direction) { return pair->side[direction].log_likelihood; }

static void set_lengths(const pf_hmm_pair *pair, pf_alignment *out) {
    pf_alignment_reset(out);
    out->n_source = pf_hmm_pair_sources(pair);
    out->n_target = pf_hmm_pair_targets(pair);
}

pf_err pf_hmm_likely(const pf_hmm_pair *pair, pf_hmm_direction direction, double least, pf_alignment *out) {
    set_lengths(pair, out);
    for (uint32_t source = 0; source < out->n_source; source++)
        for (uint32_t target = 0; target < out->n_target; target++) {
            double posterior = pf_hmm_posterior(pair, direction, source, target);
            if (posterior > 1) posterior = 1; /* sums are rounded */
            if (posterior > 0 && posterior >= least) PF_TRY(pf_alignment_add(out, (pf_link){source, target, false, posterior}));
        }
    pf_alignment_sort(out);
    return PF_OK;
}

pf_err pf_hmm_best(const pf_hmm *model, pf_hmm_work *work, const pf_hmm_pair *pair, pf_hmm_direction direction, pf_alignment *out) {
    size_t links = pair->word[!direction].n;
    set_lengths(pair, out);
    PF_TRY(PF_ROOM(&work->best, links));
    PF_TRY(begin(model, pair, direction, &work->chain));
    PF_TRY(pfi_chain_best(&work->chain, work->best.at));
    for (uint32_t at = 0; at < links; at++) {
        uint32_t word = work->best.at[at];
        if (word == UINT32_MAX) continue;
        uint32_t j = direction == PF_HMM_FORWARD ? word : at, i = direction == PF_HMM_FORWARD ? at : word;
        double posterior = pf_hmm_posterior(pair, direction, j, i);
        PF_TRY(pf_alignment_add(out, (pf_link){j, i, false, posterior < 1 ? posterior : 1}));
    }
    pf_alignment_sort(out);
    return PF_OK;
}

/* ---- an iteration ---- */

void pf_hmm_agree(const pf_hmm *model, pf_hmm_pair *pair) {
    size_t sources = pair->word[SOURCE].n, targets = pair->word[TARGET].n;
    if (model->options.alone) return;
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++)
        for (size_t k = 0; k < pair->word[!direction].n; k++) pair->side[direction].empty.at[k] = 1;
    for (size_t target = 0; target < targets; target++)
        for (size_t source = 0; source < sources; source++) {
            double *forward = &pair->side[PF_HMM_FORWARD].posterior.at[cell(pair, PF_HMM_FORWARD, source, target)],
                   *reverse = &pair->side[PF_HMM_REVERSE].posterior.at[cell(pair, PF_HMM_REVERSE, source, target)];
            *forward = *reverse = *forward * *reverse;
            pair->side[PF_HMM_FORWARD].empty.at[target] -= *forward;
            pair->side[PF_HMM_REVERSE].empty.at[source] -= *forward;
        }
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++)
        for (size_t k = 0; k < pair->word[!direction].n; k++)
            if (pair->side[direction].empty.at[k] < 0) pair->side[direction].empty.at[k] = 0; /* sums are rounded */
}

static void count_words(pfi_word_pairs *table, const pf_hmm_pair *pair, int direction) {
    const pair_side *side = &pair->side[direction];
    pfi_word_sums *sums = &table->sums[direction];
    size_t sources = pair->word[SOURCE].n, targets = pair->word[TARGET].n;
    for (size_t target = 0; target < targets; target++)
        for (size_t source = 0; source < sources; source++) {
            double share = side->posterior.at[cell(pair, direction, source, target)];
            table->slot[pair->place.at[target * sources + source]].count[direction] += share;
            sums->total.at[direction == PF_HMM_FORWARD ? pair->word[SOURCE].at[source] : pair->word[TARGET].at[target]] += share;
        }
    for (size_t at = 0; at < pair->word[!direction].n; at++) {
        sums->empty_count.at[pair->word[!direction].at[at]] += side->empty.at[at];
        sums->empty_total += side->empty.at[at];
    }
}

static void count_jumps(pfi_jumps *first, pfi_jumps *inner, const pair_side *side, size_t n) {
    double begun = 0;
    for (int weight = 0; weight < PFI_JUMP_WEIGHTS; weight++) {
        begun += side->first[weight];
        first->count[weight] += side->first[weight];
        inner->count[weight] += side->inner[weight];
    }
    pfi_jumps_depart(first, 0, n, begun);
    for (size_t j = 0; j < n; j++) pfi_jumps_depart(inner, j, n - j, side->departed.at[j]);
}

pf_err pf_hmm_count(pf_hmm *model, const pf_hmm_pair *pair) {
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        PF_TRY(pfi_jumps_room(&model->first[direction], pair->word[direction].n));
        PF_TRY(pfi_jumps_room(&model->inner[direction], pair->word[direction].n));
    }
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        count_words(&model->table, pair, direction);
        count_jumps(&model->first[direction], &model->inner[direction], &pair->side[direction], pair->word[direction].n);
    }
    return PF_OK;
}

void pf_hmm_update(pf_hmm *model) {
    pfi_word_pairs_update(&model->table);
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pfi_jumps_update(&model->first[direction]);
        pfi_jumps_update(&model->inner[direction]);
    }
}
