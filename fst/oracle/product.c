/* The graph of (state, history), whole: every path of the automaton is one of its paths. Nodes are numbered as they are found,
 * level by level where the automaton has levels, so that all that is asked backwards is one loop over the steps. */
#include "oracle/oracle_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, PARTS = 64 }; /* of the table of nodes, which is split by level */

pf_err pfi_work_done(pfi_work *work, uint64_t states) {
    const pf_oracle_options *options = work->options;
    uint64_t before = work->states / 1024;
    work->states += states;
    if (options->max_states && work->states > options->max_states)
        return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)options->max_states);
    if (work->states / 1024 == before) return PF_OK;
    if (options->progress) options->progress(options->self, work->states);
    if (options->max_bytes && work->bytes && work->bytes(work->of) > options->max_bytes)
        return pf_fail(options->all_bytes ? PF_ENOMEM : PF_ELIMIT, "the limit of %llu MiB of memory is reached",
                       (unsigned long long)(options->max_bytes >> 20));
    return options->expired && options->expired(options->self) ? pf_fail(PF_ELIMIT, "the time limit is reached") : PF_OK;
}

void pfi_product_init(pfi_product *product, pf_fst *fst, const pf_oracle_references *references, const pf_oracle_options *options) {
    *product = (pfi_product){.fst = fst, .references = references, .options = options};
    product->whole_histories = options->approximate & PF_ORACLE_ONE_A_STATE;
    pf_statetab_init(&product->labels, sizeof(uint64_t));
    pf_statetab_init(&product->moves, sizeof(uint64_t));
    pf_statetab_init_parts(&product->nodes, sizeof(uint64_t), PARTS);
    pf_statetab_init(&product->histories, 3 * sizeof(uint32_t));
    pf_statetab_init(&product->vocabulary, 0);
}

#define BYTES(VEC) ((VEC)->cap * sizeof *(VEC)->at)

uint64_t pfi_product_bytes(const pfi_product *product) {
    return pf_fst_bytes(product->fst) + pf_statetab_bytes(&product->labels) + pf_statetab_bytes(&product->moves) +
           pf_statetab_bytes(&product->nodes) + pf_statetab_bytes(&product->histories) +
           pf_statetab_bytes(&product->vocabulary) + BYTES(&product->move) + BYTES(&product->matched) + BYTES(&product->node) +
           BYTES(&product->step) + BYTES(&product->order) + BYTES(&product->rest) + BYTES(&product->relevant);
}

void pfi_product_free(pfi_product *product) {
    pf_statetab_free(&product->labels);
    pf_statetab_free(&product->moves);
    pf_statetab_free(&product->nodes);
    pf_statetab_free(&product->histories);
    pf_statetab_free(&product->vocabulary);
    PF_VEC_FREE(&product->label);
    PF_VEC_FREE(&product->words);
    PF_VEC_FREE(&product->own_words);
    PF_VEC_FREE(&product->gram_of);
    PF_VEC_FREE(&product->move);
    PF_VEC_FREE(&product->matched);
    PF_VEC_FREE(&product->node);
    PF_VEC_FREE(&product->step);
    PF_VEC_FREE(&product->order);
    PF_VEC_FREE(&product->rest);
    PF_VEC_FREE(&product->bit);
    PF_VEC_FREE(&product->relevant);
}

/* ---- labels and moves ---- */

static pf_err add_word(pfi_product *product, const char *word, size_t length) {
    uint32_t own = 0;
    if (product->whole_histories) PF_TRY(pf_statetab_intern(&product->vocabulary, word, length, &own, NULL));
    PF_TRY(PF_PUSH(&product->own_words, own));
    return PF_PUSH(&product->words, pf_oracle_word(product->references, word, length));
}

/* The words of a symbol, which joiners separate; a joiner at either end is a part of the word. */
static pf_err add_words(pfi_product *product, const char *symbol, size_t length) {
    const char *joiner = product->options->joiner, *end = symbol + length;
    size_t width = joiner ? strlen(joiner) : 0;
    for (const char *at = symbol + 1; width && at + width < end; at++) {
        if (memcmp(at, joiner, width) != 0) continue;
        PF_TRY(add_word(product, symbol, (size_t)(at - symbol)));
        symbol = at + width;
        at = symbol;
    }
    return add_word(product, symbol, (size_t)(end - symbol));
}

static pf_err label_number(pfi_product *product, pf_label label, uint32_t *out) {
    PF_TRY(pf_statetab_intern_word(&product->labels, 0, (uint64_t)(uint32_t)label, out));
    if (*out < product->label.n) return PF_OK;
    char number[24];
    size_t length;
    uint32_t first = (uint32_t)product->words.n;
    const char *symbol = product->fst->osyms ? pf_symtab_name(product->fst->osyms, label, &length) : number;
    if (!product->fst->osyms) length = (size_t)snprintf(number, sizeof number, "%ld", (long)label);
    if (label != PF_EPSILON && !symbol)
        return pf_fail(PF_EINPUT, "expected a symbol for the output label %ld, found none", (long)label);
    if (label != PF_EPSILON) PF_TRY(add_words(product, symbol, length));
    return PF_PUSH(&product->label, ((pfi_label_words){first, (uint32_t)product->words.n - first}));
}

pf_err pfi_product_label(pfi_product *product, pf_label label, const pfi_label_words **out) {
    uint32_t number;
    PF_TRY(label_number(product, label, &number));
    *out = &product->label.at[number];
    return PF_OK;
}

double pfi_brevity(const pfi_product *product, uint64_t words) {
    double reference = pf_oracle_closest(product->references, words);
    if (product->options->without_brevity || reference <= (double)words) return 0;
    return words ? PF_ORACLE_ORDER * (1 - reference / (double)words) : -(double)INFINITY;
}

/* The history after one more word, with the n-grams that match. */
static pf_err match_word(pfi_product *product, uint32_t word, uint32_t *gram, pfi_move *move) {
    uint32_t match = pf_oracle_step(product->references, *gram, word, gram);
    for (; match; match = product->references->gram.at[match].end, move->matches++) PF_TRY(PF_PUSH(&product->matched, match));
    return PF_OK;
}

static pf_err whole_history(pfi_product *product, const uint32_t *last, uint32_t gram, uint32_t *out) {
    PF_TRY(pf_statetab_intern(&product->histories, last, 3 * sizeof *last, out, NULL));
    return *out < product->gram_of.n ? PF_OK : PF_PUSH(&product->gram_of, gram);
}

static pf_err make_move(pfi_product *product, uint32_t history, uint32_t label, pfi_move *move) {
    const pfi_label_words *words = &product->label.at[label];
    uint32_t gram = history, last[3] = {NONE, NONE, NONE};
    *move = (pfi_move){.next = history, .words = words->n, .first = (uint32_t)product->matched.n};
    if (product->whole_histories) {
        size_t length;
        assert(history < product->gram_of.n);
        gram = product->gram_of.at[history];
        memcpy(last, pf_statetab_key(&product->histories, history, &length), sizeof last);
    }
    for (uint32_t at = words->first; at < words->first + words->n; at++) {
        PF_TRY(match_word(product, product->words.at[at], &gram, move));
        last[0] = last[1], last[1] = last[2], last[2] = product->own_words.at[at];
    }
    move->next = gram;
    return product->whole_histories ? whole_history(product, last, gram, &move->next) : PF_OK;
}

pf_err pfi_product_move(pfi_product *product, uint32_t history, pf_label label, uint32_t *out) {
    uint32_t number;
    pfi_move move;
    PF_TRY(label_number(product, label, &number));
    PF_TRY(pf_statetab_intern_word(&product->moves, 0, (uint64_t)history << 32 | number, out));
    if (*out < product->move.n) return PF_OK;
    PF_TRY(make_move(product, history, number, &move));
    return PF_PUSH(&product->move, move);
}

static pf_err first_history(pfi_product *product, uint32_t *out) {
    static const uint32_t nothing[3] = {NONE, NONE, NONE};
    *out = 0;
    return product->whole_histories ? whole_history(product, nothing, 0, out) : PF_OK;
}

/* ---- nodes and steps ---- */

static pf_err find_node(pfi_product *product, unsigned level, pf_state state, uint32_t history, uint32_t *out) {
    PF_TRY(pf_statetab_intern_word(&product->nodes, level, (uint64_t)state << 32 | history, out));
    if (*out < product->node.n) return PF_OK;
    return PF_PUSH(&product->node, ((pfi_node){.state = state, .history = history}));
}

/* Its steps lead to nodes of the level. */
static pf_err expand(pfi_product *product, uint32_t node, unsigned level) {
    pf_state state = product->node.at[node].state;
    uint32_t history = product->node.at[node].history;
    pf_arcs arcs = pf_fst_arcs(product->fst, state);
    PF_TRY(pf_fst_error(product->fst));
    if (product->step.n + arcs.n >= NONE) return pf_fail(PF_ELIMIT, "there are more than %u steps", NONE - 1);
    product->node.at[node].first = (uint32_t)product->step.n;
    product->node.at[node].steps = arcs.n;
    product->node.at[node].final = pf_fst_final(product->fst, state) < INFINITY;
    PF_TRY(PF_ROOM(&product->step, arcs.n));
    for (uint32_t arc = 0; arc < arcs.n; arc++) {
        pfi_step step = {.arc = &arcs.arc[arc]};
        PF_TRY(pfi_product_move(product, history, step.arc->out, &step.move));
        PF_TRY(find_node(product, level, step.arc->to, product->move.at[step.move].next, &step.to));
        product->step.at[product->step.n++] = step;
    }
    return PF_OK;
}

/* Nodes whose sources are all before them, again and again (Kahn 1962). */
static pf_err sort_nodes(pfi_product *product) {
    PF_VEC(uint32_t) sources = {0};
    uint32_t nodes = (uint32_t)product->node.n;
    pf_err err = PF_ROOM(&sources, nodes + 1);
    if (err) return err;
    memset(sources.at, 0, nodes * sizeof *sources.at);
    for (size_t i = 0; i < product->step.n; i++) sources.at[product->step.at[i].to]++;
    for (uint32_t step = 0; step < nodes; step++)
        if (!sources.at[step]) product->order.at[product->order.n++] = step;
    for (size_t k = 0; k < product->order.n; k++) {
        const pfi_node *node = &product->node.at[product->order.at[k]];
        for (uint32_t step = node->first; step < node->first + node->steps; step++)
            if (!--sources.at[product->step.at[step].to]) product->order.at[product->order.n++] = product->step.at[step].to;
    }
    PF_VEC_FREE(&sources);
    if (product->order.n < nodes) return pf_fail(PF_EINPUT, "expected an automaton without a cycle, found one with a cycle");
    return PF_OK;
}

pf_err pfi_product_graph(pfi_product *product, pfi_work *work) {
    uint32_t history, start, end = 1; /* of the nodes of a level */
    unsigned level = 0;
    assert(!product->node.n); /* it is made once */
    PF_TRY(first_history(product, &history));
    if (product->fst->start == PF_NO_STATE) return PF_OK;
    PF_TRY(find_node(product, level, product->fst->start, history, &start));
    for (uint32_t node = 0; node < product->node.n; node++) {
        PF_TRY(pfi_work_done(work, 1));
        PF_TRY(expand(product, node, product->fst->layered ? level + 1 : 0));
        if (node + 1 < end) continue;
        end = (uint32_t)product->node.n;
        level++;
    }
    PF_TRY(PF_ROOM(&product->order, product->node.n));
    if (!product->fst->layered) return sort_nodes(product);
    for (uint32_t i = 0; i < product->node.n; i++) product->order.at[product->order.n++] = i;
    return PF_OK;
}

/* ---- what paths still have ---- */

static void add_rest(pfi_remainder *rest, const pfi_remainder *next, const pfi_move *move) {
    if (next->least_words > next->most_words) return;
    uint32_t least = next->least_words + move->words, most = next->most_words + move->words;
    if (least < rest->least_words) rest->least_words = least;
    if (most > rest->most_words) rest->most_words = most;
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++)
        if (next->most[n] + move->sure[n] > rest->most[n]) rest->most[n] = next->most[n] + move->sure[n];
}

/* With `sure` as all matches of a move. */
static pf_err find_rests(pfi_product *product) {
    assert(product->order.n == product->node.n);
    PF_TRY(PF_ROOM(&product->rest, product->node.n));
    product->rest.n = product->node.n;
    for (size_t k = product->order.n; k--;) {
        const pfi_node *node = &product->node.at[product->order.at[k]];
        pfi_remainder *rest = &product->rest.at[product->order.at[k]];
        *rest = (pfi_remainder){.least_words = node->final ? 0 : NONE};
        for (uint32_t step = node->first; step < node->first + node->steps; step++)
            add_rest(rest, &product->rest.at[product->step.at[step].to], &product->move.at[product->step.at[step].move]);
    }
    return PF_OK;
}

static double value_of(const pfi_product *product, const pfi_move *move, const double *slope) {
    double sum = 0;
    assert(move->contested <= move->matches);
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) sum += slope[n] * move->sure[n];
    for (uint32_t match = move->first; match < move->first + move->contested; match++)
        sum += slope[product->references->gram.at[product->matched.at[match]].length - 1];
    return sum;
}

void pfi_product_values(pfi_product *product, const double *slope) {
    for (size_t k = product->order.n; k--;) {
        const pfi_node *node = &product->node.at[product->order.at[k]];
        pfi_remainder *rest = &product->rest.at[product->order.at[k]];
        rest->value = node->final ? 0 : -(double)INFINITY;
        for (uint32_t i = node->first; i < node->first + node->steps; i++) {
            const pfi_step *step = &product->step.at[i];
            double value = product->rest.at[step->to].value + value_of(product, &product->move.at[step->move], slope);
            if (value > rest->value) rest->value = value;
        }
    }
}

/* ---- how often paths can have words ---- */

static const pf_op *slots_of(const pfi_product *product) {
    return product->fst->op && product->fst->op->slots ? product->fst->op : NULL;
}

/* By slots: each slot prints one of its arcs. *fixed: no slot has a choice. */
static pf_err most_by_slots(pfi_product *product, uint32_t *most, bool *fixed) {
    pf_slots_view slots;
    uint32_t vocabulary = product->references->words.n, *own = calloc((size_t)2 * vocabulary + 2, sizeof *own),
             *best = own + vocabulary;
    pf_err err = own ? PF_OK : pf_nomem();
    slots_of(product)->slots(product->fst->self, &slots);
    for (unsigned slot = 0; !err && slot < slots.n; slot++) {
        *fixed = *fixed && slots.first[slot + 1] - slots.first[slot] == 1;
        for (uint32_t alternative = slots.first[slot]; !err && alternative < slots.first[slot + 1]; alternative++) {
            uint32_t number;
            if ((err = label_number(product, slots.arc[alternative].out, &number))) break;
            const pfi_label_words *words = &product->label.at[number];
            for (uint32_t at = words->first; at < words->first + words->n; at++)
                if (product->words.at[at] != NONE) own[product->words.at[at]]++;
            for (uint32_t at = words->first; at < words->first + words->n; at++) {
                uint32_t word = product->words.at[at];
                if (word == NONE) continue;
                if (own[word] > best[word]) most[word] += own[word] - best[word], best[word] = own[word];
            }
            for (uint32_t at = words->first; at < words->first + words->n; at++)
                if (product->words.at[at] != NONE) own[product->words.at[at]] = 0;
        }
        for (uint32_t alternative = slots.first[slot]; !err && alternative < slots.first[slot + 1]; alternative++) {
            uint32_t number;
            if ((err = label_number(product, slots.arc[alternative].out, &number))) break;
            const pfi_label_words *words = &product->label.at[number];
            for (uint32_t at = words->first; at < words->first + words->n; at++)
                if (product->words.at[at] != NONE) best[product->words.at[at]] = 0;
        }
    }
    free(own);
    return err;
}

/* By paths: one word at a time, the most of it on a path to an end. */
static pf_err most_by_paths(pfi_product *product, uint32_t *most) {
    PF_VEC(uint32_t) times = {0}, of_label = {0};
    pf_err err = PF_ROOM(&times, product->node.n + 1);
    if (!err) err = PF_ROOM(&of_label, product->label.n + 1);
    for (uint32_t word = 0; !err && word < product->references->words.n; word++) {
        for (size_t label = 0; label < product->label.n; label++) {
            of_label.at[label] = 0;
            for (uint32_t at = 0; at < product->label.at[label].n; at++)
                of_label.at[label] += product->words.at[product->label.at[label].first + at] == word;
        }
        for (size_t k = product->order.n; k--;) {
            const pfi_node *node = &product->node.at[product->order.at[k]];
            uint32_t best = 0;
            for (uint32_t step = node->first; step < node->first + node->steps; step++) {
                uint64_t label = (uint64_t)(uint32_t)product->step.at[step].arc->out;
                uint32_t now =
                    times.at[product->step.at[step].to] + of_label.at[pf_statetab_find(&product->labels, &label, sizeof label)];
                if (now > best) best = now;
            }
            times.at[product->order.at[k]] = best;
        }
        most[word] = product->node.n ? times.at[0] : 0;
    }
    PF_VEC_FREE(&times);
    PF_VEC_FREE(&of_label);
    return err;
}

/* How often a path can have an n-gram at most: as often as it can have any of its words; a run of one word needs n of them. */
static uint64_t occurrences(const pfi_product *product, uint32_t gram, const uint32_t *most) {
    const pf_oracle_gram *grams = product->references->gram.at;
    uint32_t word = grams[gram].word, least = NONE, length = grams[gram].length;
    bool run = true;
    for (uint32_t at = gram; at; at = grams[at].parent) {
        if (most[grams[at].word] < least) least = most[grams[at].word];
        run = run && grams[at].word == word;
    }
    if (run) return least >= length ? least - (length - 1) : 0;
    return least;
}

/* ---- contested n-grams ---- */

static pf_err find_contested(pfi_product *product, const uint32_t *most) {
    const pf_oracle_gram *grams = product->references->gram.at;
    size_t bits = 0;
    PF_TRY(PF_ROOM(&product->bit, product->references->gram.n));
    product->bit.n = product->references->gram.n;
    memset(product->cap, 0, sizeof product->cap);
    product->fixed_matches = 0;
    if (product->bit.n) product->bit.at[0] = NONE;
    for (uint32_t gram = 1; gram < product->bit.n; gram++) {
        uint64_t times = occurrences(product, gram, most), clipped = times < grams[gram].most ? times : grams[gram].most;
        bool counts = !product->fixed || grams[gram].length > 1;
        product->cap[grams[gram].length - 1] += clipped;
        product->bit.at[gram] = times > grams[gram].most && counts ? (uint32_t)bits : NONE;
        if (times > grams[gram].most && counts) bits += grams[gram].most;
        if (!counts) product->fixed_matches += (uint32_t)clipped;
    }
    product->bits = (bits + 63) / 64;
    return PF_OK;
}

/* The contested n-grams of a move come first; the others are sure. */
static void split_move(pfi_product *product, pfi_move *move) {
    const pf_oracle_gram *grams = product->references->gram.at;
    uint32_t *matched = product->matched.at + move->first;
    move->contested = 0;
    memset(move->sure, 0, sizeof move->sure);
    for (uint32_t place = 0; place < move->matches; place++) {
        uint32_t gram = matched[place], length = grams[gram].length;
        if (product->bit.n && product->bit.at[gram] != NONE) {
            matched[place] = matched[move->contested];
            matched[move->contested++] = gram;
        } else if (!product->fixed || length > 1) move->sure[length - 1]++;
    }
}

static void set_bits(const pfi_product *product, uint32_t gram, uint64_t *set) {
    uint32_t first = product->bit.at[gram];
    assert(first != NONE);
    for (uint32_t i = first; i < first + product->references->gram.at[gram].most; i++) set[i / 64] |= UINT64_C(1) << i % 64;
}

static pf_err find_relevant(pfi_product *product) {
    size_t bits = product->bits;
    PF_TRY(PF_ROOM(&product->relevant, bits * product->node.n + 1));
    product->relevant.n = bits * product->node.n;
    if (bits) memset(product->relevant.at, 0, product->relevant.n * sizeof *product->relevant.at);
    for (size_t k = product->order.n; bits && k--;) {
        uint64_t *own = product->relevant.at + bits * product->order.at[k];
        const pfi_node *node = &product->node.at[product->order.at[k]];
        for (uint32_t step = node->first; step < node->first + node->steps; step++) {
            const pfi_move *move = &product->move.at[product->step.at[step].move];
            for (uint32_t match = move->first; match < move->first + move->contested; match++)
                set_bits(product, product->matched.at[match], own);
            for (size_t block = 0; block < bits; block++)
                own[block] |= product->relevant.at[bits * product->step.at[step].to + block];
        }
    }
    return PF_OK;
}

static pf_err count_most(pfi_product *product, uint32_t **out) {
    bool fixed = true, clips = !(product->options->approximate & PF_ORACLE_WITHOUT_CLIPS);
    if (!(*out = calloc((size_t)product->references->words.n + 1, sizeof **out))) return pf_nomem();
    if (!slots_of(product)) return most_by_paths(product, *out);
    PF_TRY(most_by_slots(product, *out, &fixed));
    product->fixed = fixed && clips && !product->whole_histories;
    return PF_OK;
}

static pf_err find_caps(pfi_product *product) {
    uint32_t *most = NULL;
    pf_err err = count_most(product, &most);
    if (!err && !(product->options->approximate & PF_ORACLE_WITHOUT_CLIPS)) err = find_contested(product, most);
    if (!err && product->options->approximate & PF_ORACLE_WITHOUT_CLIPS)
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) product->cap[n] = UINT64_MAX;
    free(most);
    return err;
}

pf_err pfi_product_caps(pfi_product *product, bool *known) {
    *known = slots_of(product) != NULL;
    return *known ? find_caps(product) : PF_OK;
}

pf_err pfi_product_build(pfi_product *product, pfi_work *work) {
    PF_TRY(pfi_product_graph(product, work));
    PF_TRY(find_caps(product));
    size_t bits = product->bit.n; /* first all matches as sure: contested ones count in what may still come */
    product->bit.n = 0;
    for (size_t i = 0; i < product->move.n; i++) split_move(product, &product->move.at[i]);
    PF_TRY(find_rests(product));
    product->bit.n = bits;
    for (size_t i = 0; i < product->move.n; i++) split_move(product, &product->move.at[i]);
    return find_relevant(product);
}

/* ---- counts of a path ---- */

/* All matches are counted, by n-gram; what exceeds the references is taken off. */
pf_err pfi_product_count(pfi_product *product, const pf_arc *arc, size_t n, pf_oracle_counts *out) {
    const pf_oracle_gram *grams = product->references->gram.at;
    uint32_t *times = calloc(product->references->gram.n + 1, sizeof *times), gram = 0;
    uint64_t words = 0;
    pf_err err = times ? PF_OK : pf_nomem();
    *out = (pf_oracle_counts){0};
    for (size_t place = 0; !err && place < n; place++) {
        uint32_t number;
        if ((err = label_number(product, arc[place].out, &number))) break;
        const pfi_label_words *own = &product->label.at[number];
        for (uint32_t at = own->first; at < own->first + own->n; at++, words++) {
            uint32_t match = pf_oracle_step(product->references, gram, product->words.at[at], &gram);
            for (; match; match = grams[match].end)
                if (times[match]++ < grams[match].most) out->match[grams[match].length - 1]++;
        }
    }
    free(times);
    pf_oracle_counts_total(out, words);
    out->reference = pf_oracle_closest(product->references, words);
    return err;
}
