/* The order of itg with the fewest edits to a reference, by a chart over spans of the sentence and of the reference: the order of
 * from .. to-1 is edited to the words begin .. end-1 (an inversion transduction grammar with a cost for each pair, Wu 1997,
 * section 5).
 *
 * A cell, of two spans and an orientation, has the n best orders; each order has one tree, so that they differ, but for those that
 * divide the reference in other ways. The edits of a span and the least that the rest can cost, which is known from the words that
 * both sides have outside, do not exceed a limit. The limit begins with the least that all words cost in any order, and grows to
 * the least number that was left: then nothing that is left belongs to the n best.
 *
 * O(n^3 m^3 / 18) joins a pass for n slots and m words of the reference; the limit leaves few cells of them. */
#include "oracle/oracle_impl.h"
#include "search/ties.h"

#include "chart/forest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, ORIENTATIONS = 2 }; /* cells of one slot are in the first list */

/* An order of a span. */
typedef struct {
    uint32_t first, second; /* its two parts, in the order of visits; of one slot: an alternative, and NONE */
    uint32_t edits;
    pf_label lead;          /* the input label that it begins with */
    uint64_t hash;          /* of its input labels: sum of label * BASE^(labels after it) */
    uint64_t power;         /* BASE^labels */
} edit_order;

#define BASE UINT64_C(0x9e3779b97f4a7c15)

/* The n best orders of from .. to-1 against begin .. end-1: of `kept`. */
typedef struct {
    uint32_t begin, end, first, n;
    unsigned char orientation; /* PFI_ANY: one slot */
} edit_cell;

typedef PF_VEC(uint32_t) order_list;

typedef struct {
    pfi_product *product;
    pfi_work *work;
    pfi_shape shape;
    pf_slots_view slots;
    size_t wanted;               /* orders */
    pfi_word_list word;          /* of the reference */
    PF_VEC(uint32_t) label_first, label_words; /* of each alternative: words of the product */
    uint32_t limit, left;        /* edits: no more are kept; the least number that was not kept, or NONE */
    PF_VEC(edit_order) all;
    PF_VEC(uint32_t) kept;
    PF_VEC(edit_cell) cell;
    size_t *span;                /* by from * (slots + 1) + to and begin: the first cell; and the end */
    order_list *open;            /* of the span at hand, by orientation, begin and end */
    uint32_t *outside;           /* by begin and end: the least that what is outside costs */
    uint32_t *times, *spare;     /* by word of the references: outside of the span; scratch */
    uint32_t *most;              /* by slot and word: how often it can be printed */
    uint32_t *least_words;       /* by slot */
    uint32_t *row, *stack[2];
} edit_chart;

static size_t side(const edit_chart *chart) { return chart->word.n + 1; }
static size_t *span_of(const edit_chart *chart, unsigned from, unsigned to) {
    return chart->span + (from * (chart->slots.n + (size_t)1) + to) * (chart->word.n + 2);
}
static order_list *open_of(const edit_chart *chart, unsigned orientation, uint32_t begin, uint32_t end) {
    return &chart->open[((orientation == PFI_ANY ? 0 : orientation) * side(chart) + begin) * side(chart) + end];
}

/* ---- orders ---- */

static uint32_t next_leaf(const edit_chart *chart, uint32_t *stack, unsigned *height) {
    uint32_t order = stack[--*height];
    while (chart->all.at[order].second != NONE) {
        stack[(*height)++] = chart->all.at[order].second;
        order = chart->all.at[order].first;
    }
    return order;
}

static pf_label output_of(const edit_chart *chart, uint32_t leaf) { return chart->slots.arc[chart->all.at[leaf].first].out; }

/* Orders of one span: inputs, then, into *outputs, outputs. */
static int compare_inputs(const edit_chart *chart, uint32_t first, uint32_t second, int *outputs) {
    unsigned left[2] = {1, 1};
    *outputs = 0;
    chart->stack[0][0] = first;
    chart->stack[1][0] = second;
    while (left[0]) {
        if (chart->stack[0][left[0] - 1] == chart->stack[1][left[1] - 1] && left[0] == left[1]) {
            left[0]--, left[1]--;
            continue;
        }
        uint32_t one = next_leaf(chart, chart->stack[0], &left[0]), other = next_leaf(chart, chart->stack[1], &left[1]);
        pf_label a = chart->all.at[one].lead, b = chart->all.at[other].lead;
        if (a != b) return a < b ? -1 : 1;
        if (!*outputs && output_of(chart, one) != output_of(chart, other))
            *outputs = pfi_output_order(chart->product->fst->osyms, output_of(chart, one), output_of(chart, other));
    }
    return 0;
}

static int compare(const edit_chart *chart, uint32_t first, uint32_t second) {
    const edit_order *a = &chart->all.at[first], *b = &chart->all.at[second];
    int outputs, inputs;
    if (a->edits != b->edits) return a->edits < b->edits ? -1 : 1;
    if (a->lead != b->lead) return a->lead < b->lead ? -1 : 1;
    inputs = compare_inputs(chart, first, second, &outputs);
    return inputs ? inputs : outputs;
}

static bool same_inputs(const edit_chart *chart, uint32_t first, uint32_t second) {
    int outputs;
    return chart->all.at[first].hash == chart->all.at[second].hash && !compare_inputs(chart, first, second, &outputs);
}

static pf_err path_of(const edit_chart *chart, uint32_t order, pf_path *out) {
    unsigned left = 1;
    *out = (pf_path){.cost = chart->all.at[order].edits};
    if (!(out->arc = malloc((chart->slots.n + (size_t)1) * sizeof *out->arc))) return pf_nomem();
    chart->stack[0][0] = order;
    while (left) {
        const edit_order *leaf = &chart->all.at[next_leaf(chart, chart->stack[0], &left)];
        out->arc[out->n++] = (pf_arc){leaf->lead, chart->slots.arc[leaf->first].out, (float)leaf->edits, PF_NO_STATE};
    }
    return PF_OK;
}

/* ---- the cells of one span ---- */

/* Its place in the list, which is in order; an order with the same inputs stays or leaves. */
static bool find_place(const edit_chart *chart, order_list *list, uint32_t fresh, size_t *place) {
    size_t same = list->n;
    for (*place = list->n; *place && compare(chart, fresh, list->at[*place - 1]) < 0;) --*place;
    if (chart->wanted == 1) return !*place;
    for (size_t other = 0; other < list->n && same == list->n; other++)
        if (same_inputs(chart, fresh, list->at[other])) same = other;
    if (same == list->n) return *place < chart->wanted;
    if (same < *place) return false;
    memmove(list->at + same, list->at + same + 1, (list->n - same - 1) * sizeof *list->at);
    list->n--;
    return true;
}

/* False: no order with so many edits or more belongs into the cell. */
static pf_err offer(edit_chart *chart, const edit_order *order, unsigned orientation, uint32_t begin, uint32_t end, bool *more) {
    assert(begin <= end && end < side(chart));
    uint32_t total = order->edits + chart->outside[begin * side(chart) + end];
    order_list *list = open_of(chart, orientation, begin, end);
    size_t place;
    *more = total <= chart->limit;
    if (!*more && total < chart->left) chart->left = total;
    if (*more && list->n == chart->wanted) *more = order->edits <= chart->all.at[list->at[list->n - 1]].edits;
    if (!*more) return PF_OK;
    if (chart->all.n == NONE) return pf_fail(PF_ELIMIT, "there are more than %u orders of spans", NONE - 1);
    PF_TRY(PF_ROOM(list, 1));
    PF_TRY(PF_PUSH(&chart->all, *order));
    uint32_t fresh = (uint32_t)chart->all.n - 1;
    if (!find_place(chart, list, fresh, &place)) return chart->all.n--, PF_OK;
    if (list->n == chart->wanted) list->n--;
    memmove(list->at + place + 1, list->at + place, (list->n - place) * sizeof *list->at);
    list->at[place] = fresh;
    list->n++;
    return PF_OK;
}

/* The edits of the words of an alternative to the words from `begin` on, up to each end. */
static void edit_row(const edit_chart *chart, uint32_t alternative, uint32_t begin) {
    pfi_edit_row(chart->product->words.at + chart->label_first.at[alternative], chart->label_words.at[alternative], chart->word.at,
                 begin, (uint32_t)chart->word.n, chart->row);
}

static pf_err edit_slot(edit_chart *chart, unsigned slot) {
    pf_label label = (pf_label)slot + 1;
    bool more;
    for (uint32_t alternative = chart->slots.first[slot]; alternative < chart->slots.first[slot + 1]; alternative++) {
        edit_order order = {alternative, NONE, 0, chart->slots.positions ? label : chart->slots.arc[alternative].out, 0, BASE};
        order.hash = (uint64_t)order.lead;
        for (uint32_t begin = 0; begin < side(chart); begin++) {
            edit_row(chart, alternative, begin);
            for (uint32_t end = begin; end < side(chart); end++) {
                order.edits = chart->row[end];
                PF_TRY(offer(chart, &order, PFI_ANY, begin, end, &more));
            }
        }
    }
    return PF_OK;
}

static pf_err join_cells(edit_chart *chart, const edit_cell *one, const edit_cell *other, unsigned orientation) {
    bool more = true;
    for (uint32_t a = 0; a < one->n; a++)
        for (uint32_t b = 0; b < other->n; b++) {
            uint32_t first = chart->kept.at[one->first + a], second = chart->kept.at[other->first + b];
            const edit_order *before = &chart->all.at[first], *after = &chart->all.at[second];
            edit_order order = {first,
                                second,
                                before->edits + after->edits,
                                before->lead,
                                before->hash * after->power + after->hash,
                                before->power * after->power};
            PF_TRY(offer(chart, &order, orientation, one->begin, other->end, &more));
            if (more) continue;
            if (!b) return PF_OK;
            break;
        }
    return PF_OK;
}

static bool may_be(const edit_cell *cell, unsigned which) {
    return which == PFI_ANY || cell->orientation == PFI_ANY || cell->orientation == which;
}

/* first[b] .. first[b + 1]: the cells of what is visited first that begin with word b; and of what is visited second. */
static pf_err join_spans(edit_chart *chart, const size_t *first, const size_t *second, unsigned orientation, bool zone) {
    unsigned which[2];
    pfi_sons(orientation, zone, which);
    for (size_t before = first[0]; before < first[side(chart)]; before++) {
        const edit_cell one = chart->cell.at[before];
        if (!may_be(&one, which[0])) continue;
        PF_TRY(pfi_work_done(chart->work, second[one.end + 1] - second[one.end]));
        for (size_t after = second[one.end]; after < second[one.end + 1]; after++)
            if (may_be(&chart->cell.at[after], which[1])) PF_TRY(join_cells(chart, &one, &chart->cell.at[after], orientation));
    }
    return PF_OK;
}

/* The least that the words outside of from .. to-1 cost against those outside of begin .. end-1: what the longer side has more
 * than both have in common, for all begins and ends. */
static void find_outside(edit_chart *chart, unsigned from, unsigned to) {
    const uint32_t words = chart->product->references->words.n, length = (uint32_t)chart->word.n;
    uint32_t least = 0, *now = chart->spare, *times = chart->times;
    memset(times, 0, words * sizeof *times);
    for (unsigned slot = 0; slot < chart->slots.n; slot++) {
        if (slot >= from && slot < to) continue;
        least += chart->least_words[slot];
        for (uint32_t word = 0; word < words; word++) times[word] += chart->most[slot * (size_t)words + word];
    }
    for (uint32_t begin = 0; begin <= length; begin++) {
        uint32_t both = 0;
        memset(now, 0, words * sizeof *now);
        for (uint32_t at = 0; at < length; at++) both += ++now[chart->word.at[at]] <= times[chart->word.at[at]];
        for (uint32_t end = begin; end <= length; end++) {
            uint32_t rest = length - (end - begin);
            chart->outside[begin * side(chart) + end] = (least > rest ? least : rest) - both;
            if (end < length) both -= now[chart->word.at[end]]-- <= times[chart->word.at[end]];
        }
    }
}

/* Closes the cells of the span at hand. */
static pf_err keep_cells(edit_chart *chart, unsigned from, unsigned to) {
    size_t *first = span_of(chart, from, to);
    for (uint32_t begin = 0; begin < side(chart); begin++) {
        first[begin] = chart->cell.n;
        for (uint32_t end = begin; end < side(chart); end++)
            for (unsigned orientation = 0; orientation < ORIENTATIONS; orientation++) {
                order_list *list = open_of(chart, orientation, begin, end);
                edit_cell cell = {begin, end, (uint32_t)chart->kept.n, (uint32_t)list->n,
                                  (unsigned char)(to == from + 1 ? PFI_ANY : orientation)};
                if (!list->n) continue;
                PF_TRY(PF_PUSH(&chart->cell, cell));
                for (size_t at = 0; at < list->n; at++) PF_TRY(PF_PUSH(&chart->kept, list->at[at]));
                list->n = 0;
            }
    }
    first[side(chart)] = chart->cell.n;
    return PF_OK;
}

static pf_err fill_span(edit_chart *chart, unsigned from, unsigned to) {
    find_outside(chart, from, to);
    if (to == from + 1) PF_TRY(edit_slot(chart, from));
    for (unsigned split = from + 1; split < to; split++) {
        const size_t *left = span_of(chart, from, split), *right = span_of(chart, split, to);
        bool zone = pfi_shape_zone(&chart->shape, split, to);
        PF_TRY(join_spans(chart, left, right, PFI_STRAIGHT, zone));
        if (pfi_shape_inverts(&chart->shape, from, split, to)) PF_TRY(join_spans(chart, right, left, PFI_INVERTED, zone));
    }
    return keep_cells(chart, from, to);
}

static void close_open(edit_chart *chart) {
    for (size_t i = 0; chart->open && i < ORIENTATIONS * side(chart) * side(chart); i++) chart->open[i].n = 0;
}

static pf_err run_pass(edit_chart *chart) {
    const unsigned slots = chart->slots.n;
    chart->all.n = chart->kept.n = chart->cell.n = 0;
    chart->left = NONE;
    close_open(chart);
    memset(chart->span, 0, (slots + (size_t)1) * (slots + (size_t)1) * (chart->word.n + 2) * sizeof *chart->span);
    for (unsigned length = 1; length <= slots; length++)
        for (unsigned from = 0; from + length <= slots; from++)
            if (pfi_shape_has(&chart->shape, from, from + length)) PF_TRY(fill_span(chart, from, from + length));
    return PF_OK;
}

/* ---- the order as it stands ---- */

/* Where a limit ends the search before there is an order: the monotone one, which every space of itg has, with the alternatives
 * that are nearest. edits[slot * side + end]: the least of the slots before it against the words before end; back[]: the
 * alternative and begin. */
static pf_err edit_monotone(edit_chart *chart, uint64_t *edits, uint64_t *back) {
    const uint64_t nothing = UINT64_MAX;
    for (size_t at = 0; at < (chart->slots.n + (size_t)1) * side(chart); at++) edits[at] = at ? nothing : 0;
    for (unsigned slot = 0; slot < chart->slots.n; slot++)
        for (uint32_t begin = 0; begin < side(chart); begin++) {
            if (edits[slot * side(chart) + begin] == nothing) continue;
            for (uint32_t alternative = chart->slots.first[slot]; alternative < chart->slots.first[slot + 1]; alternative++) {
                edit_row(chart, alternative, begin);
                for (uint32_t end = begin; end < side(chart); end++) {
                    uint64_t sum = edits[slot * side(chart) + begin] + chart->row[end],
                             *to = &edits[(slot + 1) * side(chart) + end];
                    if (sum >= *to) continue;
                    *to = sum;
                    back[(slot + 1) * side(chart) + end] = (uint64_t)alternative << 32 | begin;
                }
            }
        }
    return PF_OK;
}

static pf_err monotone_path(edit_chart *chart, pf_path *out) {
    const size_t slots = chart->slots.n, cells = (slots + 1) * side(chart);
    uint64_t *edits = malloc(cells * sizeof *edits), *back = calloc(cells, sizeof *back);
    *out = (pf_path){.n = slots};
    pf_err err =
        edits && back && (out->arc = malloc((slots + 1) * sizeof *out->arc)) ? edit_monotone(chart, edits, back) : pf_nomem();
    size_t end = chart->word.n;
    if (!err) out->cost = (double)edits[slots * side(chart) + end];
    for (size_t slot = slots; !err && slot--;) {
        uint64_t from = back[(slot + 1) * side(chart) + end];
        const pf_arc *arc = &chart->slots.arc[from >> 32];
        uint64_t own = edits[(slot + 1) * side(chart) + end] - edits[slot * side(chart) + (uint32_t)from];
        out->arc[slot] = (pf_arc){chart->slots.positions ? (pf_label)slot + 1 : arc->out, arc->out, (float)own, PF_NO_STATE};
        end = (uint32_t)from;
    }
    free(edits);
    free(back);
    if (err) free(out->arc);
    return err;
}

/* ---- one reference ---- */

static pf_err read_slots(edit_chart *chart) {
    const uint32_t words = chart->product->references->words.n;
    const pf_slots_view *slots = &chart->slots;
    for (unsigned slot = 0; slot < slots->n; slot++)
        for (uint32_t alternative = slots->first[slot]; alternative < slots->first[slot + 1]; alternative++) {
            const pfi_label_words *own;
            PF_TRY(pfi_product_label(chart->product, slots->arc[alternative].out, &own));
            PF_TRY(PF_PUSH(&chart->label_first, own->first));
            PF_TRY(PF_PUSH(&chart->label_words, own->n));
            if (alternative == slots->first[slot] || own->n < chart->least_words[slot]) chart->least_words[slot] = own->n;
            memset(chart->spare, 0, words * sizeof *chart->spare);
            for (uint32_t at = own->first; at < own->first + own->n; at++) {
                uint32_t word = chart->product->words.at[at], *most = &chart->most[slot * (size_t)words];
                if (word != PF_ORACLE_NO_WORD && ++chart->spare[word] > most[word]) most[word] = chart->spare[word];
            }
        }
    return PF_OK;
}

static void free_chart(edit_chart *chart) {
    for (size_t i = 0; chart->open && i < ORIENTATIONS * side(chart) * side(chart); i++) PF_VEC_FREE(&chart->open[i]);
    free(chart->open);
    PF_VEC_FREE(&chart->word);
    PF_VEC_FREE(&chart->label_first);
    PF_VEC_FREE(&chart->label_words);
    PF_VEC_FREE(&chart->all);
    PF_VEC_FREE(&chart->kept);
    PF_VEC_FREE(&chart->cell);
    free(chart->span);
    free(chart->outside);
    free(chart->times);
    free(chart->spare);
    free(chart->most);
    free(chart->least_words);
    free(chart->row);
    free(chart->stack[0]);
    free(chart->stack[1]);
    pfi_shape_free(&chart->shape);
}

static pf_err make_chart(edit_chart *chart, const pfi_edit_words *words, const char *line) {
    pf_fst *fst = chart->product->fst;
    fst->op->slots(fst->self, &chart->slots);
    PF_TRY(pfi_shape_init(&chart->shape, pf_fst_space(fst), NULL, 1, NULL));
    PF_TRY(pfi_edit_words_of(words, line, &chart->word));
    const size_t slot_side = chart->slots.n + (size_t)1, word_side = side(chart), known = words->words.words.n + (size_t)1;
    chart->open = calloc(ORIENTATIONS * word_side * word_side, sizeof *chart->open);
    chart->span = calloc(slot_side * slot_side * (word_side + 1), sizeof *chart->span);
    chart->outside = calloc(word_side * word_side, sizeof *chart->outside);
    chart->times = calloc(known, sizeof *chart->times);
    chart->spare = calloc(known, sizeof *chart->spare);
    chart->most = calloc(slot_side * known, sizeof *chart->most);
    chart->least_words = calloc(slot_side, sizeof *chart->least_words);
    chart->row = calloc(word_side, sizeof *chart->row);
    chart->stack[0] = calloc(slot_side, sizeof **chart->stack);
    chart->stack[1] = calloc(slot_side, sizeof **chart->stack);
    bool made = chart->open && chart->span && chart->outside && chart->times && chart->spare && chart->most && chart->least_words &&
                chart->row && chart->stack[0] && chart->stack[1];
    return made ? read_slots(chart) : pf_nomem();
}

/* ---- all references ---- */

typedef struct {
    edit_chart *chart; /* of each reference */
    size_t charts;
    PF_VEC(pf_path) best; /* of all references, in order; their permutations differ */
    const pf_symtab *symbols;
} edit_search;

static int compare_paths(const edit_search *search, const pf_path *first, const pf_path *second, bool *same) {
    int outputs = 0;
    *same = false;
    for (size_t at = 0; at < first->n; at++) {
        const pf_arc *a = &first->arc[at], *b = &second->arc[at];
        if (a->in != b->in) return first->cost != second->cost ? (first->cost < second->cost ? -1 : 1) : a->in < b->in ? -1 : 1;
        if (!outputs && a->out != b->out) outputs = pfi_output_order(search->symbols, a->out, b->out);
    }
    *same = true;
    return first->cost != second->cost ? (first->cost < second->cost ? -1 : 1) : outputs;
}

static void drop_path(edit_search *search, size_t place) {
    free(search->best.at[place].arc);
    memmove(search->best.at + place, search->best.at + place + 1, (search->best.n - place - 1) * sizeof *search->best.at);
    search->best.n--;
}

/* Takes a path, if it belongs to the n best. It is freed elsewhere. */
static pf_err take_path(edit_search *search, pf_path path, size_t wanted) {
    size_t place = 0;
    bool same;
    pf_err err = PF_ROOM(&search->best, 1);
    for (size_t at = 0; !err && at < search->best.n; at++) {
        int order = compare_paths(search, &path, &search->best.at[at], &same);
        if (same && order >= 0) return free(path.arc), PF_OK;
        if (order > 0) place = at + 1;
        if (same) drop_path(search, at--);
    }
    if (err || place >= wanted) return free(path.arc), err;
    if (search->best.n == wanted) drop_path(search, wanted - 1);
    memmove(search->best.at + place + 1, search->best.at + place, (search->best.n - place) * sizeof *search->best.at);
    search->best.at[place] = path;
    search->best.n++;
    return PF_OK;
}

static pf_err harvest(edit_search *search, edit_chart *chart) {
    const size_t *first = span_of(chart, 0, chart->slots.n);
    for (size_t at = first[0]; at < first[side(chart)]; at++) {
        const edit_cell cell = chart->cell.at[at];
        if (cell.begin != 0 || cell.end != chart->word.n) continue;
        for (uint32_t order = 0; order < cell.n; order++) {
            pf_path path;
            PF_TRY(path_of(chart, chart->kept.at[cell.first + order], &path));
            PF_TRY(take_path(search, path, chart->wanted));
        }
    }
    return PF_OK;
}

/* What no order of any reference is below: all words, as a bag. */
static uint32_t first_limit(edit_search *search) {
    uint32_t least = NONE;
    for (size_t reference = 0; reference < search->charts; reference++) {
        edit_chart *chart = &search->chart[reference];
        find_outside(chart, 0, 0);
        if (chart->outside[0] < least) least = chart->outside[0];
    }
    return least;
}

/* *bound: no order that is missing has fewer edits; NONE: none is missing. */
static pf_err run_passes(edit_search *search, size_t wanted, uint32_t *bound) {
    for (*bound = first_limit(search); *bound != NONE;) {
        uint32_t left = NONE;
        for (size_t reference = 0; reference < search->charts; reference++) {
            edit_chart *chart = &search->chart[reference];
            chart->limit = *bound;
            PF_TRY(run_pass(chart));
            PF_TRY(harvest(search, chart));
            if (chart->left < left) left = chart->left;
        }
        *bound = left;
        if (search->best.n == wanted) return PF_OK;
    }
    return PF_OK;
}

static pf_err answer(edit_search *search, size_t n, uint32_t bound, pf_err err, pf_answer *out) {
    bool limited = pfi_ends_search(err);
    if (limited && !search->best.n) {
        for (size_t k = 0; k < search->charts; k++) {
            pf_path path;
            PF_TRY(monotone_path(&search->chart[k], &path));
            PF_TRY(take_path(search, path, 1));
        }
    }
    if (err && !limited) return err;
    for (size_t i = 0; i < search->best.n; i++)
        PF_TRY(pf_answer_add(out, search->best.at[i].arc, search->best.at[i].n, 0));
    double last = out->paths.n ? out->paths.at[out->paths.n - 1].cost : (double)INFINITY;
    out->bound = bound == NONE && !limited ? (double)INFINITY : (double)bound;
    if (out->paths.n == n && out->bound > last) out->bound = last;
    out->out_of_memory = err == PF_ENOMEM;
    out->stopped = out->out_of_memory || (limited && (out->paths.n < n || out->bound < last));
    return PF_OK;
}

static pf_err search_all(edit_search *search, pfi_product *product, pfi_work *work, const pfi_edit_words *words,
                         const char *const *line, size_t lines, pf_answer *out) {
    size_t n = product->options->n ? product->options->n : 1;
    uint32_t bound = 0;
    search->symbols = product->fst->osyms;
    if (!(search->chart = calloc(lines, sizeof *search->chart))) return pf_nomem();
    for (; search->charts < lines;) {
        edit_chart *chart = &search->chart[search->charts++];
        *chart = (edit_chart){.product = product, .work = work, .wanted = n};
        PF_TRY(make_chart(chart, words, line[search->charts - 1]));
    }
    pf_err err = run_passes(search, n, &bound);
    *out = (pf_answer){.type = product->fst->type, .isyms = pf_symtab_ref(product->fst->isyms),
                       .osyms = pf_symtab_ref(product->fst->osyms), .search = "chart", .arcs = work->states};
    for (size_t k = 0; k < search->charts; k++) out->states += search->chart[k].all.n;
    return answer(search, n, bound, err, out);
}

static uint64_t bytes(const void *self) {
    const edit_search *search = self;
    uint64_t sum = 0;
    for (size_t k = 0; k < search->charts; k++) {
        const edit_chart *chart = &search->chart[k];
        const size_t n = chart->slots.n + (size_t)1, m = side(chart);
        sum += chart->all.cap * sizeof *chart->all.at + chart->kept.cap * sizeof *chart->kept.at +
               chart->cell.cap * sizeof *chart->cell.at + n * n * (m + 1) * sizeof *chart->span;
    }
    return sum;
}

pf_err pfi_itg_edits(pf_fst *fst, const char *const *line, size_t lines, const pf_oracle_options *options, pf_answer *out) {
    pfi_edit_words words;
    pfi_product product;
    pfi_work work = {.options = options};
    edit_search search = {.charts = 0};
    work.bytes = bytes;
    work.of = &search;
    *out = (pf_answer){0};
    pf_err err = pfi_edit_words_read(&words, line, lines);
    pfi_edit_product(&product, fst, &words, options);
    if (!err) err = search_all(&search, &product, &work, &words, line, lines, out);
    for (size_t k = 0; k < search.charts; k++) free_chart(&search.chart[k]);
    free(search.chart);
    while (search.best.n) drop_path(&search, search.best.n - 1);
    PF_VEC_FREE(&search.best);
    pfi_product_free(&product);
    pfi_edit_words_free(&words);
    if (err) pf_answer_free(out);
    return err;
}
