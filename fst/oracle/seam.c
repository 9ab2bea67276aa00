/* Texts of spans, joined. N-grams with words of both sides are found once for each pair of an end and a beginning.
 *
 * The bound of an order of a span, order by order of n-grams: its matches; those that words outside can form by themselves, each as
 * often as these words are there; and those that begin or end outside and go on over one of its sides, if the words that they need
 * are outside. An n-gram of the references that the order has torn apart is in none of them, so that the bound falls as soon as
 * something is lost. O(1) for an order, O(n-grams of the references) for a span. */
#include "oracle/itg_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, SIDE = PF_ORACLE_ORDER - 1 };
#define EPSILON 1e-10

static const pf_oracle_gram *grams_of(const pfi_itg *chart) { return chart->product->references->gram.at; }
static bool counts_of_length(const pfi_itg *chart, uint32_t length) { return length > 1 || !chart->product->fixed; }

/* The words of an n-gram. Returns how many. */
static uint32_t words_of(const pf_oracle_gram *grams, uint32_t gram, uint32_t word[PF_ORACLE_ORDER]) {
    uint32_t length = grams[gram].length;
    assert(length <= PF_ORACLE_ORDER);
    for (uint32_t k = length; k--; gram = grams[gram].parent) word[k] = grams[gram].word;
    return length;
}

/* ---- seams ---- */

static uint32_t longer(const pf_oracle_references *references, uint32_t gram, uint32_t word) {
    uint64_t key = (uint64_t)gram << 32 | word;
    uint32_t id = word == NONE ? NONE : pf_statetab_find(&references->grams, &key, sizeof key);
    return id == NONE ? 0 : id + 1;
}

/* The beginning with one word more, if there is one of at most three words. */
static bool lengthen(const pf_oracle_references *references, uint32_t *left, uint32_t word) {
    uint32_t next = references->gram.at[*left].length < SIDE ? longer(references, *left, word) : 0;
    if (next) *left = next;
    return next != 0;
}

static pf_err make_seam(pfi_itg *chart, uint32_t right, uint32_t left, pfi_seam *seam) {
    const pf_oracle_references *references = chart->product->references;
    uint32_t word[PF_ORACLE_ORDER], length = words_of(references->gram.at, left, word), history = right;
    *seam = (pfi_seam){.left = right, .whole = true, .first = (uint32_t)chart->seam_grams.n};
    for (uint32_t at = 0; at < length; at++) {
        uint32_t match = pf_oracle_step(references, history, word[at], &history);
        for (; references->gram.at[match].length > at + 1; match = references->gram.at[match].end) {
            if (chart->place.at[match] == NONE) seam->sure[references->gram.at[match].length - 1]++;
            else PF_TRY(PF_PUSH(&chart->seam_grams, match));
        }
        seam->whole = seam->whole && lengthen(references, &seam->left, word[at]);
    }
    seam->next = history;
    seam->contested = (uint32_t)chart->seam_grams.n - seam->first;
    return PF_OK;
}

static pf_err find_seam(pfi_itg *chart, uint32_t right, uint32_t left, uint32_t *out) {
    pfi_seam seam;
    PF_TRY(pf_statetab_intern_word(&chart->seams, 0, (uint64_t)right << 32 | left, out));
    if (*out < chart->seam.n) return PF_OK;
    PF_TRY(make_seam(chart, right, left, &seam));
    return PF_PUSH(&chart->seam, seam);
}

/* One more of a contested n-gram: a match, if the references have it so often. */
static void use(const pfi_itg *chart, uint32_t gram, pfi_span_order *order, uint32_t *used) {
    const pf_oracle_gram *own = &grams_of(chart)[gram];
    assert(chart->place.at[gram] < chart->contested.n);
    uint32_t *times = &used[chart->place.at[gram]];
    if (*times < own->most) ++*times, order->match[own->length - 1]++;
}

pf_err pfi_itg_join(pfi_itg *chart, uint32_t first, uint32_t second, pfi_span_order *out, uint32_t *used) {
    uint32_t at;
    const size_t contested = chart->contested.n;
    const pfi_span_order *before = &chart->all.at[first], *after = &chart->all.at[second];
    PF_TRY(find_seam(chart, before->right, after->left, &at));
    const pfi_seam *seam = &chart->seam.at[at];
    *out = (pfi_span_order){.first = first, .second = second, .next = NONE, .words = before->words + after->words,
                            .lead = before->lead,
                            .orders = before->orders > UINT64_MAX / after->orders ? UINT64_MAX : before->orders * after->orders};
    for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) out->match[n] = before->match[n] + after->match[n] + seam->sure[n];
    out->open = before->open && after->open && seam->whole;
    out->left = before->open ? seam->left : before->left;
    out->right = after->open ? seam->next : after->right;
    const uint32_t *of_first = &chart->used.at[contested * first], *of_second = &chart->used.at[contested * second];
    for (size_t place = 0; place < contested; place++) {
        const pf_oracle_gram *gram = &grams_of(chart)[chart->contested.at[place]];
        uint32_t sum = of_first[place] + of_second[place];
        used[place] = sum < gram->most ? sum : gram->most;
        out->match[gram->length - 1] -= sum - used[place];
    }
    for (uint32_t i = seam->first; i < seam->first + seam->contested; i++) use(chart, chart->seam_grams.at[i], out, used);
    return PF_OK;
}

pf_err pfi_itg_word(pfi_itg *chart, unsigned slot, uint32_t alternative, pfi_span_order *out, uint32_t *used) {
    const pfi_product *product = chart->product;
    const pf_oracle_references *references = product->references;
    const pfi_label_words *words;
    const pf_arc *arc = &chart->slots.arc[alternative];
    uint32_t history = 0;
    PF_TRY(pfi_product_label(chart->product, arc->out, &words));
    *out = (pfi_span_order){.first = alternative, .second = NONE, .next = NONE, .words = words->n, .orders = 1, .open = true,
                            .orientation = PFI_ANY, .lead = chart->slots.positions ? (pf_label)(slot + 1) : arc->out};
    memset(used, 0, chart->contested.n * sizeof *used);
    for (uint32_t at = words->first; at < words->first + words->n; at++) {
        uint32_t match = pf_oracle_step(references, history, product->words.at[at], &history);
        for (; match; match = references->gram.at[match].end) {
            uint32_t length = references->gram.at[match].length;
            if (chart->place.at[match] != NONE) use(chart, match, out, used);
            else if (counts_of_length(chart, length)) out->match[length - 1]++;
        }
        out->open = out->open && lengthen(references, &out->left, product->words.at[at]);
    }
    out->right = history;
    return PF_OK;
}

/* ---- what is outside of a span ---- */

static uint32_t occurrences(const pf_oracle_gram *grams, uint32_t gram, const uint32_t *times) {
    uint32_t word[PF_ORACLE_ORDER], length = words_of(grams, gram, word), least = NONE;
    bool run = true;
    for (uint32_t at = 0; at < length; at++) {
        if (times[word[at]] < least) least = times[word[at]];
        run = run && word[at] == word[0];
    }
    return !run ? least : least >= length ? least - (length - 1) : 0;
}

static void count_outside(pfi_itg *chart, unsigned begin, unsigned end) {
    pfi_span_outside *outside = &chart->outside;
    memset(outside->times, 0, (size_t)chart->product->references->words.n * sizeof *outside->times);
    assert(begin < end && end <= chart->slots.n);
    outside->least_words = outside->most_words = 0;
    outside->all = begin == 0 && end == chart->slots.n;
    for (unsigned slot = 0; slot < chart->slots.n; slot++) {
        if (slot >= begin && slot < end) continue;
        outside->least_words += chart->slot_least.at[slot];
        outside->most_words += chart->slot_most.at[slot];
        for (uint32_t word = chart->slot_first.at[slot]; word < chart->slot_first.at[slot + 1]; word++)
            outside->times[chart->slot_words.at[word].word] += chart->slot_words.at[word].times;
    }
}

/* The n-gram goes on over the left side of a text that begins with its last words, if its first ones are outside; and so on. */
static void note_sides(pfi_itg *chart, uint32_t gram) {
    pfi_span_outside *outside = &chart->outside;
    const pf_oracle_gram *grams = grams_of(chart);
    uint32_t word[PF_ORACLE_ORDER], length = words_of(grams, gram, word), before = gram, behind = gram;
    bool first = true, last = true;
    for (uint32_t split = 1; split < length; split++) {
        first = first && outside->times[word[split - 1]];
        last = last && outside->times[word[length - split]];
        before = grams[before].end;
        behind = grams[behind].parent;
        if (first) outside->left_most[before][length - 1] = 1;
        if (last) outside->right_most[behind][length - 1] = 1;
    }
}

static bool any(const uint32_t number[PF_ORACLE_ORDER]) { return number[1] || number[2] || number[3]; }

/* An n-gram comes after its parent and its end. */
static void sum_sides(pfi_itg *chart) {
    pfi_span_outside *outside = &chart->outside;
    const pf_oracle_gram *grams = grams_of(chart);
    for (uint32_t gram = 1; gram < chart->product->references->gram.n; gram++) {
        uint32_t parent = grams[gram].parent, end = grams[gram].end;
        assert(parent < gram && end < gram);
        outside->left_kept[gram] = any(outside->left_most[gram]) ? gram : outside->left_kept[parent];
        outside->right_kept[gram] = any(outside->right_most[gram]) ? gram : outside->right_kept[end];
        for (unsigned n = 1; n < PF_ORACLE_ORDER; n++) {
            outside->left_most[gram][n] += outside->left_most[parent][n];
            outside->right_most[gram][n] += outside->right_most[end][n];
        }
    }
}

void pfi_itg_outside(pfi_itg *chart, unsigned begin, unsigned end) {
    pfi_span_outside *outside = &chart->outside;
    const pf_oracle_gram *grams = grams_of(chart);
    size_t count = chart->product->references->gram.n;
    count_outside(chart, begin, end);
    memset(outside->out, 0, sizeof outside->out);
    memset(outside->left_most, 0, count * sizeof *outside->left_most);
    memset(outside->right_most, 0, count * sizeof *outside->right_most);
    for (uint32_t gram = 1; gram < count; gram++) {
        uint32_t times = occurrences(grams, gram, outside->times);
        if (counts_of_length(chart, grams[gram].length))
            outside->out[grams[gram].length - 1] += times < grams[gram].most ? times : grams[gram].most;
        note_sides(chart, gram);
    }
    sum_sides(chart);
    for (size_t place = 0; place < chart->contested.n; place++) {
        uint32_t word[PF_ORACLE_ORDER], length = words_of(grams, chart->contested.at[place], word);
        outside->relevant[place] = false;
        for (uint32_t at = 0; at < length; at++) outside->relevant[place] = outside->relevant[place] || outside->times[word[at]];
    }
}

/* ---- bounds ---- */

static double log_of(const pfi_itg *chart, uint64_t n) { return n < chart->logs.n ? chart->logs.at[n] : log((double)n); }
static uint64_t total_of(uint64_t words, unsigned n) { return words > n ? words - n : 0; }

uint64_t pfi_itg_most(const pfi_itg *chart, const pfi_span_order *order, unsigned n, uint64_t words) {
    const pfi_span_outside *outside = &chart->outside;
    const pfi_product *product = chart->product;
    if (product->fixed && !n) return product->fixed_matches;
    uint64_t match = order->match[n], most = match + outside->out[n];
    uint64_t places = match + total_of(words, n) - total_of(order->words, n); /* the other places of an n-gram */
    if (!outside->all) most += outside->left_most[order->left][n] + outside->right_most[order->right][n];
    if (!outside->all && order->open && n > order->words) most += n - order->words; /* over both sides */
    if (places < most) most = places;
    return most < product->cap[n] ? most : product->cap[n];
}

static double bound_of(const pfi_itg *chart, const pfi_span_order *order) {
    double best = -(double)INFINITY;
    for (uint64_t more = chart->outside.least_words; more <= chart->outside.most_words; more++) {
        uint64_t words = order->words + more;
        double sum = pfi_brevity(chart->product, words);
        for (unsigned n = 0; n < PF_ORACLE_ORDER; n++) {
            uint64_t most = pfi_itg_most(chart, order, n, words);
            sum += most ? log_of(chart, most) - log_of(chart, total_of(words, n)) : log(EPSILON);
        }
        if (sum > best) best = sum;
    }
    return best;
}

void pfi_itg_settle(pfi_itg *chart, pfi_span_order *order, uint32_t *used) {
    const pfi_span_outside *outside = &chart->outside;
    if (outside->all) order->open = false, order->left = order->right = 0;
    if (!order->open) order->left = outside->left_kept[order->left], order->right = outside->right_kept[order->right];
    for (size_t place = 0; place < chart->contested.n; place++)
        if (!outside->relevant[place]) used[place] = 0;
    order->bound = bound_of(chart, order);
}

/* ---- what does not depend on the pass ---- */

/* The words of slot j: of each the most that an alternative has; `own` is zero, and is again. */
static pf_err add_slot(pfi_itg *chart, unsigned slot, uint32_t *own, uint32_t *best) {
    uint32_t least = NONE, most = 0;
    PF_TRY(PF_PUSH(&chart->slot_first, (uint32_t)chart->slot_words.n));
    for (uint32_t alternative = chart->slots.first[slot]; alternative < chart->slots.first[slot + 1]; alternative++) {
        const pfi_label_words *words;
        PF_TRY(pfi_product_label(chart->product, chart->slots.arc[alternative].out, &words));
        const uint32_t *word = chart->product->words.at + words->first;
        if (words->n < least) least = words->n;
        if (words->n > most) most = words->n;
        for (uint32_t at = 0; at < words->n; at++)
            if (word[at] != NONE) own[word[at]]++;
        for (uint32_t at = 0; at < words->n; at++) {
            if (word[at] == NONE || own[word[at]] <= best[word[at]]) continue;
            PF_TRY(PF_PUSH(&chart->slot_words, ((pfi_slot_word){word[at], own[word[at]] - best[word[at]]})));
            best[word[at]] = own[word[at]];
        }
        for (uint32_t at = 0; at < words->n; at++)
            if (word[at] != NONE) own[word[at]] = 0;
    }
    for (size_t at = chart->slot_first.at[slot]; at < chart->slot_words.n; at++) best[chart->slot_words.at[at].word] = 0;
    PF_TRY(PF_PUSH(&chart->slot_least, least));
    return PF_PUSH(&chart->slot_most, most);
}

static pf_err add_slots(pfi_itg *chart) {
    uint32_t words = chart->product->references->words.n, *own = calloc((size_t)2 * words + 2, sizeof *own);
    pf_err err = own ? PF_OK : pf_nomem();
    for (unsigned j = 0; !err && j < chart->slots.n; j++) err = add_slot(chart, j, own, own + words);
    if (!err) err = PF_PUSH(&chart->slot_first, (uint32_t)chart->slot_words.n);
    free(own);
    return err;
}

static pf_err find_contested(pfi_itg *chart) {
    size_t grams = chart->product->references->gram.n;
    PF_TRY(PF_ROOM(&chart->place, grams + 1));
    for (uint32_t gram = 0; gram < grams; gram++) {
        bool contested = gram && chart->product->bit.at[gram] != NONE;
        chart->place.at[chart->place.n++] = contested ? (uint32_t)chart->contested.n : NONE;
        if (contested) PF_TRY(PF_PUSH(&chart->contested, gram));
    }
    return PF_OK;
}

static pf_err fill_logs(pfi_itg *chart) {
    uint64_t most = 2;
    for (unsigned j = 0; j < chart->slots.n; j++) most += chart->slot_most.at[j];
    if (most > 100000) most = 100000;
    PF_TRY(PF_ROOM(&chart->logs, most));
    for (uint64_t i = 0; i < most; i++) chart->logs.at[chart->logs.n++] = log((double)i);
    return PF_OK;
}

pf_err pfi_itg_prepare(pfi_itg *chart) {
    pfi_span_outside *outside = &chart->outside;
    size_t grams = chart->product->references->gram.n + 1;
    PF_TRY(find_contested(chart));
    PF_TRY(add_slots(chart));
    PF_TRY(fill_logs(chart));
    outside->times = calloc((size_t)chart->product->references->words.n + 1, sizeof *outside->times);
    outside->left_most = calloc(grams, sizeof *outside->left_most);
    outside->right_most = calloc(grams, sizeof *outside->right_most);
    outside->left_kept = calloc(grams, sizeof *outside->left_kept);
    outside->right_kept = calloc(grams, sizeof *outside->right_kept);
    outside->relevant = calloc(chart->contested.n + 1, sizeof *outside->relevant);
    bool made = outside->times && outside->left_most && outside->right_most && outside->left_kept && outside->right_kept &&
                outside->relevant;
    return made ? PF_OK : pf_nomem();
}
