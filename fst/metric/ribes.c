/* RIBES (Isozaki et al., EMNLP 2010), as RIBES 1.03.1 with alpha = .25 and beta = .10: are the words in the order of the reference?
 *
 *   score = NKT * (matched / words)^alpha * min(1, exp(1 - reference / words))^beta
 *
 * A word of the system is matched with the place that its context gives: alone, if it occurs once on both sides; else with
 * k = 1, 2, .. words before it, then with k after it, the first of these n-grams that occurs once on both sides. NKT is the
 * share of pairs of matched words that ascend.
 *
 * The n-gram that ends at a word and has `length` words is the only one of its kind iff every other place agrees with this one in
 * fewer than `length` words. So two numbers of each side tell the least such length: the longest agreement within the system, and
 * the two longest ones with the reference. Both come row by row from those of the word before it: O(system * (system + reference))
 * time, O(system + reference) memory. The n-grams to the right are those to the left of both sides reversed.
 * Statistics: the score as a multiple of 2^-36, segments, segments that are not defined. */
#include "metric/metric_impl.h"

#include <math.h>
#include <string.h>

enum { SCORE, SEGMENTS, UNDEFINED, WIDTH, BITS = 36 };
static const double ALPHA = 0.25, BETA = 0.10;

static unsigned width(const pf_metric_options *options PF_UNUSED) { return WIDTH; }

/* ---- matches ---- */

/* A segment read from either end. */
typedef struct {
    pf_segment words;
    bool reversed;
} direction;

static size_t at(const direction *side, size_t number) { return side->reversed ? side->words.n - 1 - number : number; }
static uint32_t word(const direction *side, size_t place) { return side->words.word[at(side, place)]; }

/* Where the longest agreement is, and how long it and the next are. */
typedef struct {
    uint32_t longest, second, place;
} agreement;

/* row[here]: in how many words what ends at `place` of `side` and here in `other` agrees; of the word before `place` first, then of
 * `place`. `self`: the two are one, and `place` itself does not count. */
static agreement agree(const direction *side, size_t place, const direction *other, uint32_t *row, bool self) {
    agreement most = {0, 0, 0};
    uint32_t own = word(side, place);
    for (size_t here = other->words.n; here--;) {
        row[here] = own != word(other, here) ? 0 : here ? row[here - 1] + 1 : 1;
        if (row[here] <= most.second || (self && here == place)) continue;
        most.second = row[here] > most.longest ? most.longest : row[here];
        if (row[here] <= most.longest) continue;
        most.longest = row[here];
        most.place = (uint32_t)here;
    }
    return most;
}

/* The n-gram with which each word is matched: its length, 0 if there is none, and the place in the reference. */
static void match(const pf_segment *system, const pf_segment *reference, bool reversed, uint32_t *row, uint32_t *length,
                  uint32_t *place) {
    direction side = {*system, reversed}, other = {*reference, reversed};
    uint32_t *row_of_side = row, *row_of_other = row + system->n;
    memset(row, 0, (system->n + reference->n) * sizeof *row);
    for (size_t here = 0; here < system->n; here++) {
        agreement within = agree(&side, here, &side, row_of_side, true), with = agree(&side, here, &other, row_of_other, false);
        uint32_t least = 1 + (within.longest > with.second ? within.longest : with.second);
        length[at(&side, here)] = least <= with.longest ? least : 0;
        place[at(&side, here)] = (uint32_t)at(&other, with.place);
    }
}

/* The places of the matched words, in the order of the system; their number. Lists of system->n numbers. */
static size_t choose(size_t words, const uint32_t *left, const uint32_t *left_place, const uint32_t *right,
                     const uint32_t *right_place, uint32_t *out) {
    size_t matched = 0;
    for (size_t place = 0; place < words; place++) {
        if (!left[place] && !right[place]) continue;
        bool is_left = left[place] && (!right[place] || left[place] <= right[place]);
        out[matched++] = is_left ? left_place[place] : right_place[place];
    }
    return matched;
}

/* ---- the score ---- */

/* Pairs that ascend: all but those that descend, and those that are equal. Sorts the places. */
static double ascending(uint32_t *place, size_t matched, uint32_t *spare) {
    double pairs = (double)matched * (double)(matched - 1) / 2, not = (double)pfi_inversions(place, matched, spare);
    for (size_t i = 0, same = 0; i < matched; i++) {
        same = i && place[i] == place[i - 1] ? same + 1 : 0;
        not += (double)same;
    }
    return (pairs - not) / pairs;
}

static pf_err score_with(pf_metric *metric, pf_segment system, pf_segment reference, double *out) {
    pfi_numbers *room = &metric->room->row;
    size_t words = system.n;
    room->n = 0;
    PF_TRY(PF_ROOM(room, 7 * words + reference.n + 1));
    uint32_t *left = room->at, *left_place = left + words, *right = left + 2 * words, *right_place = left + 3 * words;
    uint32_t *place = left + 4 * words, *row = left + 5 * words;
    match(&system, &reference, false, row, left, left_place);
    match(&system, &reference, true, row, right, right_place);
    size_t matched = choose(words, left, left_place, right, right_place, place);
    double nkt = matched >= 2 ? ascending(place, matched, row) : matched == 1 && reference.n == 1;
    double precision = words ? (double)matched / (double)words : 0;
    double brevity = words ? fmin(1, exp(1 - (double)reference.n / (double)words)) : 0;
    *out = nkt * pow(precision, ALPHA) * pow(brevity, BETA);
    return PF_OK;
}

static pf_err count(pf_metric *metric, pf_segment system, const pf_references *references, double *to) {
    double best = 0;
    to[SEGMENTS] = 1;
    to[UNDEFINED] = references->empty > 0;
    for (size_t k = 0; k < references->n && !references->empty; k++) {
        double score;
        PF_TRY(score_with(metric, system, references->at[k], &score));
        if (score > best) best = score;
    }
    to[SCORE] = pfi_rounded(best, BITS);
    return PF_OK;
}

static double score(const pf_metric *metric PF_UNUSED, const double *sum) {
    return sum[UNDEFINED] > 0 ? NAN : sum[SCORE] / sum[SEGMENTS];
}

static pf_err details(const pf_metric *metric PF_UNUSED, const double *sum, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "segments=%.0f", sum[SEGMENTS]));
    return sum[UNDEFINED] > 0 ? pf_writer_text(writer, " without_words=%.0f", sum[UNDEFINED]) : PF_OK;
}

static pf_err after_tok(const pf_metric_options *options PF_UNUSED, pf_writer *writer) {
    return pf_writer_text(writer, "alpha:%.2f|beta:%.2f|", ALPHA, BETA);
}

const pf_metric_class pfi_metric_ribes = {
    .name = "ribes", .title = "RIBES", .lower_case = true, .width = width, .count = count, .score = score, .details = details,
    .after_tok = after_tok,
};
