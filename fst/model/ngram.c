/* Scoring with a back-off model: p(x | h) is that of the n-gram h x if it is listed, else the back-off weight of h times
 * p(x | h without its first word) (Katz 1987; Chen & Goodman 1998, §2). One word costs a binary search in each of at
 * most `order` states. */
#include "base/contract.h"
#include "model/ngram_impl.h"

#include <math.h>
#include <stdlib.h>

#define NO_ARC UINT32_MAX

/* n if word i of a table is below `word`, else 0. A branch could not be foretold, so there is none. */
static inline uint32_t n_if_below(const pfi_packed *words, uint32_t i, uint32_t word, uint32_t n) {
    return n & -(uint32_t)(pfi_packed_at(words, i) < word);
}

enum { ARCS_AT_ONCE = 4 };

/* For each of the first four labels, or of `count` if they are fewer: the only arc in [low, high) that can have it. Each step of a
 * search waits for what the step before it has looked up, so four searches side by side take little more time than one. */
static void arcs_of_some(const pfi_ngram *model, uint32_t low, uint32_t high, const pf_label *labels, unsigned count,
    uint32_t arcs[ARCS_AT_ONCE]) {
    const pfi_packed words = model->word;
    uint32_t word[ARCS_AT_ONCE], at[ARCS_AT_ONCE]; /* in registers */
#pragma GCC unroll 4
    for (unsigned k = 0; k < ARCS_AT_ONCE; k++) {
        word[k] = (uint32_t)labels[k < count ? k : 0];
        at[k] = low;
    }
    for (uint32_t n = high - low; n > 1; n -= n / 2) {
#pragma GCC unroll 4
        for (unsigned k = 0; k < ARCS_AT_ONCE; k++) at[k] += n_if_below(&words, at[k] + n / 2 - 1, word[k], n / 2);
    }
#pragma GCC unroll 4
    for (unsigned k = 0; k < ARCS_AT_ONCE; k++) arcs[k] = at[k];
}

static uint32_t find(const pfi_ngram *model, pf_state state, uint32_t word) {
    if (!state) return word - 1;
    uint32_t arc = pfi_ngram_first(model, state);
    const uint32_t end = pfi_ngram_first(model, state + 1);
    for (uint32_t n = end - arc; n > 1; n -= n / 2) arc += n_if_below(&model->word, arc + n / 2 - 1, word, n / 2);
    return arc < end && pfi_ngram_word(model, arc) == word ? arc : NO_ARC;
}

/* The arc by which a word leaves *state, from there or from the nearest back-off state that has one; *state becomes that state, and
 * *back grows by what backing off to it costs. */
static uint32_t walk(const pfi_ngram *model, pf_state *state, pf_label label, double *back) {
    assert(label > 0 && (size_t)label <= pfi_ngram_first(model, 1));
    uint32_t arc;
    while ((arc = find(model, *state, (uint32_t)label)) == NO_ARC) {
        *back += model->back.at[*state];
        *state = pfi_ngram_fail(model, *state);
    }
    return arc;
}

pf_state pfi_ngram_to(const pfi_ngram *model, pf_state state, uint32_t arc) {
    if (arc < model->to.n) return pfi_packed_at(&model->to, arc);
    if (!state) return 0; /* of a unigram model */
    double back = 0;
    pf_state shorter = pfi_ngram_fail(model, state);
    arc = walk(model, &shorter, (pf_label)pfi_ngram_word(model, arc), &back);
    assert(arc < model->to.n);
    return pfi_packed_at(&model->to, arc);
}

static double follow(const pfi_ngram *model, pf_state state, pf_label label, pf_state *to, double *back) {
    *back = 0;
    const uint32_t arc = walk(model, &state, label, back);
    *to = pfi_ngram_to(model, state, arc);
    return (double)model->cost.at[arc];
}

double pfi_ngram_follow(const pfi_ngram *model, pf_state state, pf_label label, pf_state *to) {
    double back;
    const double cost = follow(model, state, label, to, &back);
    return back + cost;
}

static double step(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to) {
    return pfi_ngram_follow(scorer->model, state, label, to);
}

static double listed(pf_scorer *scorer, pf_state state, pf_label label, pf_state *to, double *back) {
    return follow(scorer->model, state, label, to, back);
}

static double final(pf_scorer *scorer, pf_state state) {
    const pfi_ngram *model = scorer->model;
    pf_state to;
    return pfi_ngram_follow(model, state, model->end, &to);
}

pf_state pf_ngram_start(const pf_model *model) {
    assert(model->cls == &pf_ngram_class);
    return ((const pfi_ngram *)model->self)->start;
}

/* Does the file list all n-grams of so many words? The others are histories of longer ones. */
static bool lists_all(const pfi_ngram *model, unsigned words) {
    if (words == 1) return true;
    const uint32_t begin = pfi_ngram_first(model, model->level.at[words - 2]);
    const uint32_t end = pfi_ngram_first(model, model->level.at[words - 1]);
    return end - begin == model->count.at[words - 1];
}

/* An n-gram that is not listed has an arc that costs what backing off from its state says: then *state and *arc become those that
 * say it. */
static bool backs_off(const pfi_ngram *model, pf_label label, pf_state *state, uint32_t *arc) {
    pf_state shorter = pfi_ngram_fail(model, *state);
    double back = model->back.at[*state];
    const uint32_t there = walk(model, &shorter, label, &back);
    if (model->cost.at[*arc] != (float)(back + model->cost.at[there])) return false;
    *state = shorter;
    *arc = there;
    return true;
}

/* The number of words of the n-grams that leave a state. */
static unsigned words_from(const pfi_ngram *model, pf_state state) {
    unsigned words = 1;
    while (state >= model->level.at[words - 1]) words++;
    return words;
}

double pf_ngram_step(const pf_model *model, pf_state state, pf_label label, pf_state *to, unsigned *matched) {
    const pfi_ngram *ngram = model->self;
    double back = 0;
    assert(model->cls == &pf_ngram_class && state < pfi_ngram_states(ngram));
    const uint32_t arc = walk(ngram, &state, label, &back);
    uint32_t said = arc;
    *to = pfi_ngram_to(ngram, state, arc);
    while (!lists_all(ngram, words_from(ngram, state)) && backs_off(ngram, label, &state, &said)) {}
    *matched = words_from(ngram, state);
    return back + ngram->cost.at[arc];
}

/* ---- which of some labels a state lists ---- */

/* Is it less work to look at each arc of a state than to look for each label among them? */
static bool is_scanned(uint32_t arcs, unsigned labels) { return arcs < (uint64_t)labels * pfi_bits(arcs); }

typedef void (*take_listed)(const pfi_ngram *model, pf_state state, void *out, unsigned i, uint32_t arc);

/* Gives `take` each label, by its place i, in order, that has an arc from a state. Those with done[i] != PF_NO_STATE are left out,
 * unless `done` is NULL. What is taken, and whether some are left out, is constant where it is inlined. */
static inline __attribute__((always_inline)) void each_listed(const pfi_ngram *model, pf_state state, const pf_label_set *labels,
    const pf_state *done, take_listed take, void *out) {
    uint32_t arc = pfi_ngram_first(model, state);
    const uint32_t end = pfi_ngram_first(model, state + 1);
    if (!state) {
        for (unsigned i = 0; i < labels->n; i++)
            if (!done || done[i] == PF_NO_STATE) take(model, 0, out, i, (uint32_t)labels->at[i] - 1);
    } else if (is_scanned(end - arc, labels->n)) {
        for (unsigned i; arc < end; arc++)
            if (pf_label_set_find(labels, (pf_label)pfi_ngram_word(model, arc), &i) && (!done || done[i] == PF_NO_STATE))
                take(model, state, out, i, arc);
    } else {
        uint32_t arcs[ARCS_AT_ONCE];
        for (unsigned i = 0; i < labels->n && arc < end; i++) {
            const unsigned k = i % ARCS_AT_ONCE;
            if (!k) arcs_of_some(model, arc, end, &labels->at[i], labels->n - i, arcs);
            if (done && done[i] != PF_NO_STATE) continue;
            if (pfi_ngram_word(model, arcs[k]) == (uint32_t)labels->at[i]) take(model, state, out, i, arcs[k]);
        }
    }
}

/* For checks: are all labels words of the model? */
static bool are_words(const pfi_ngram *model, const pf_label_set *labels) {
    return !labels->n || (size_t)labels->at[labels->n - 1] <= pfi_ngram_first(model, 1);
}

/* A row whose words were looked for in some states, longer ones first; `left` are not found, those with to[i] = PF_NO_STATE. */
typedef struct {
    unsigned left;
    double back;
    double *costs;
    pf_state *to;
} row_search;

static void take_cell(const pfi_ngram *model, pf_state state, void *out, unsigned i, uint32_t arc) {
    row_search *row = out;
    row->costs[i] = row->back + model->cost.at[arc];
    row->to[i] = pfi_ngram_to(model, state, arc);
    row->left--;
}

static void row(pf_scorer *scorer, pf_state state, const pf_label_set *labels, double *costs, pf_state *to) {
    const pfi_ngram *model = scorer->model;
    row_search search = {labels->n, 0, costs, to};
    PFI_CHECK(are_words(model, labels));
    for (unsigned i = 0; i < labels->n; i++) to[i] = PF_NO_STATE;
    for (; search.left; state = pfi_ngram_fail(model, state)) {
        each_listed(model, state, labels, to, take_cell, &search);
        search.back += model->back.at[state];
    }
}

/* An arc stands in the place of its state, until what it says is read: it is fetched while others are looked for. */
static void take_arc(const pfi_ngram *model, pf_state state, void *out, unsigned i, uint32_t arc) {
    pf_known_words *known = out;
    (void)state;
    known->which[known->n] = i;
    known->to[known->n++] = arc;
    __builtin_prefetch(&model->cost.at[arc]);
}

static void read_arcs(const pfi_ngram *model, pf_state state, pf_known_words *known) {
    for (unsigned i = 0; i < known->n; i++) {
        const uint32_t arc = known->to[i];
        known->cost[i] = (double)model->cost.at[arc];
        known->to[i] = state && arc >= model->to.n ? PF_NO_STATE : pfi_ngram_to(model, state, arc);
    }
}

static void known(pf_scorer *scorer, pf_state state, const pf_label_set *labels, pf_known_words *out) {
    const pfi_ngram *model = scorer->model;
    PFI_CHECK(are_words(model, labels));
    out->n = 0;
    each_listed(model, state, labels, NULL, take_arc, out);
    read_arcs(model, state, out);
    out->lower = pfi_ngram_fail(model, state);
    out->back = (double)model->back.at[state];
}

static double known_end(const pf_scorer *scorer, pf_state state) {
    const pfi_ngram *model = scorer->model;
    const uint32_t arc = find(model, state, (uint32_t)model->end);
    return arc == NO_ARC ? (double)NAN : (double)model->cost.at[arc];
}

static void fetch(const pf_scorer *scorer, pf_state state) {
    const pfi_ngram *model = scorer->model;
    pfi_packed_fetch(&model->first, state);
    pfi_packed_fetch(&model->fail, state);
    __builtin_prefetch(&model->back.at[state]);
}

static void fetch_words(const pf_scorer *scorer, pf_state state) {
    const pfi_ngram *model = scorer->model;
    const uint32_t arc = pfi_ngram_first(model, state);
    pfi_packed_fetch(&model->word, arc);
    __builtin_prefetch(&model->cost.at[arc]);
}

static pf_state start(const pf_scorer *scorer) { return ((const pfi_ngram *)scorer->model)->start; }
static const pf_symtab *words(const void *self) { return ((const pfi_ngram *)self)->words; }
static pf_label unknown(const void *self) { return ((const pfi_ngram *)self)->unknown; }

static pf_label label(const void *self, const char *word, size_t length) {
    const pfi_ngram *model = self;
    pf_label found = pf_symtab_find(model->words, word, length);
    return found == PF_NO_LABEL || found == model->begin || found == model->end ? model->unknown : found;
}

static pf_label label_of(const pf_scorer *scorer, const char *word, size_t length) {
    return label(scorer->model, word, length);
}
static bool nonnegative(const pf_scorer *scorer) { return pfi_ngram_nonnegative(scorer->model); }

/* ---- the middle of a sentence ---- */

static pf_state empty(const pf_scorer *scorer) {
    (void)scorer;
    return 0;
}

static unsigned reach(const pf_scorer *scorer) { return (unsigned)((const pfi_ngram *)scorer->model)->count.n - 1; }

/* Is `state` a history of so many words? */
static bool has_length(const pfi_ngram *model, pf_state state, unsigned words) {
    return state < model->level.at[words] && (!words || state >= model->level.at[words - 1]);
}

/* Where every history without its first word is a history, no longer one ends in words that are none; and one that ends in the
 * history s backs off to s, or to one that does. Elsewhere only the number of words tells, so that still what is open for some
 * words is open for their end. */
static bool is_open(const pf_scorer *scorer, pf_state state, unsigned words) {
    const pfi_ngram *model = scorer->model;
    if (words >= model->level.n - 1) return false;
    return model->gaps || (has_length(model, state, words) && model->longer[state / 8] >> state % 8 & 1);
}

/* Which histories another backs off to, and whether some back off by more than one word. */
pf_err pfi_ngram_mark_longer(pfi_ngram *model) {
    size_t states = pfi_ngram_states(model);
    if (!(model->longer = calloc(states / 8 + 1, 1))) return pf_nomem();
    model->gaps = false;
    for (size_t state = 1, k = 1; state < states; state++) {
        while (state >= model->level.at[k]) k++;
        const pf_state shorter = pfi_ngram_fail(model, (pf_state)state);
        model->longer[shorter / 8] |= (unsigned char)(1 << shorter % 8);
        model->gaps = model->gaps || !has_length(model, shorter, (unsigned)k - 1);
    }
    return PF_OK;
}

static const pf_scorer_class scorer_class = {
    .start = start,
    .step = step,
    .row = row,
    .known = known,
    .backs = reach,
    .listed = listed,
    .fetch = fetch,
    .fetch_words = fetch_words,
    .final = final,
    .known_end = known_end,
    .label = label_of,
    .nonnegative = nonnegative,
    .empty = empty,
    .reach = reach,
    .open = is_open,
};

static pf_err scorer(const void *self, pf_scorer *out) {
    *out = (pf_scorer){.cls = &scorer_class, .model = self};
    return PF_OK;
}

pf_err pfi_ngram_new(pfi_ngram **out) {
    pfi_ngram *model = calloc(1, sizeof *model);
    if (!model || !(model->nonnegative = calloc(1, sizeof *model->nonnegative))) {
        free(model);
        return pf_nomem();
    }
    *out = model;
    return PF_OK;
}

bool pfi_ngram_marks(pfi_ngram *model) {
    model->begin = pf_symtab_find(model->words, "<s>", 3);
    model->end = pf_symtab_find(model->words, "</s>", 4);
    model->unknown = pf_symtab_find(model->words, "<unk>", 5);
    if (model->unknown == PF_NO_LABEL) model->unknown = pf_symtab_find(model->words, "<UNK>", 5);
    model->start = model->begin == PF_NO_LABEL ? 0 : pfi_ngram_to(model, 0, (uint32_t)model->begin - 1);
    return model->end != PF_NO_LABEL && model->unknown != PF_NO_LABEL;
}

/* What the tables take. */
static size_t bytes(const pfi_ngram *model) {
    const pfi_packed *const packed[] = {&model->first, &model->fail, &model->word, &model->to};
    size_t sum = (model->back.n + model->cost.n) * sizeof(float);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) sum += pfi_packed_size(packed[i]);
    return sum;
}

static void describe(const void *self, pf_writer *text) {
    const pfi_ngram *model = self;
    pf_writer_text(text, "order\t%zu\n", model->count.n);
    for (size_t k = 0; k < model->count.n; k++)
        pf_writer_text(text, "%zu-grams\t%llu\n", k + 1, (unsigned long long)model->count.at[k]);
    pf_writer_text(text, "words\t%zu\n", pf_symtab_count(model->words));
    pf_writer_text(text, "states\t%zu\n", pfi_ngram_states(model));
    pf_writer_text(text, "arcs\t%zu\n", pfi_ngram_arcs(model));
    pf_writer_text(text, "bytes\t%zu\n", bytes(model));
}

#define FREE_TABLE(table) do { if ((table)->cap) PF_VEC_FREE(table); } while (0)

void pfi_ngram_free(pfi_ngram *model) {
    if (!model) return;
    pf_symtab_free(model->words);
    PF_VEC_FREE(&model->count);
    PF_VEC_FREE(&model->level);
    FREE_TABLE(&model->back);
    FREE_TABLE(&model->cost);
    pfi_packed_free(&model->first);
    pfi_packed_free(&model->fail);
    pfi_packed_free(&model->word);
    pfi_packed_free(&model->to);
    pf_bytes_free(model->placed);
    free(model->longer);
    free(model->nonnegative);
    free(model);
}

static void free_self(void *self) { pfi_ngram_free(self); }

static bool all_finite(const void *self) {
    const pfi_ngram *model = self;
    for (size_t arc = 0; arc < model->cost.n; arc++)
        if (model->cost.at[arc] == INFINITY) return false;
    for (size_t state = 0; state < model->back.n; state++)
        if (model->back.at[state] == INFINITY) return false;
    return true;
}

const pf_model_class pf_ngram_class = {
    .name = "ngram",
    .scorer = scorer,
    .finite = all_finite,
    .write = pfi_ngram_write,
    .read = pfi_ngram_read,
    .expand = pfi_ngram_expand,
    .words = words,
    .label = label,
    .unknown = unknown,
    .describe = describe,
    .free = free_self,
};
