/* Each batch of sentences has sums of its own, which are added in the order of the sentences. */
#include <permfst/learn/figures.h>

#include "learn/batches.h"

#include <assert.h>
#include <math.h>

enum { BATCH = 64 };

typedef struct {
    const pf_order_model *model;
    const pf_figure_options *options;
    pf_learn_figures *sum;
} test_run;

/* Memory of a batch that is worked on. */
typedef struct {
    pf_gold_finder gold;
    pf_order_decoder decoder[PF_FIGURE_SPACES];
    pf_order_room room;
    PF_VEC(int64_t) matrix, cost;
    PF_VEC(uint32_t) order, links;
} test_room;

/* ---- orders ---- */

/* Words next to each other in the order become blocks while they are runs of positions; a separable order becomes one block. */
static pf_err is_separable(test_room *room, unsigned words, bool *out) {
    uint32_t *low, *high, blocks = 0;
    room->links.n = 0;
    PF_TRY(PF_ROOM(&room->links, 2 * (size_t)words + 2));
    low = room->links.at;
    high = low + words + 1;
    for (unsigned at = 0; at < words; at++) {
        low[blocks] = high[blocks] = room->order.at[at];
        for (blocks++; blocks > 1; blocks--) {
            bool straight = high[blocks - 2] + 1 == low[blocks - 1], inverted = high[blocks - 1] + 1 == low[blocks - 2];
            if (!straight && !inverted) break;
            if (straight) high[blocks - 2] = high[blocks - 1];
            else low[blocks - 2] = low[blocks - 1];
        }
    }
    *out = blocks <= 1;
    return PF_OK;
}

static pf_err list_links(test_room *room, const pf_alignment *links, bool sure_only) {
    room->links.n = 0;
    for (size_t k = 0; k < links->link.n; k++) {
        const pf_link *link = &links->link.at[k];
        if (sure_only && link->possible) continue;
        PF_TRY(PF_PUSH(&room->links, link->source));
        PF_TRY(PF_PUSH(&room->links, link->target));
    }
    return PF_OK;
}

static pf_err score_order(test_room *room, const pf_alignment *links, bool sure_only, unsigned words, pf_order_totals *to) {
    pf_lader_figures lader;
    pf_tdbtg_figures tdbtg;
    bool separable;
    for (unsigned at = 0; at < words; at++)
        if (room->order.at[at] != at) {
            to->moved++;
            break;
        }
    PF_TRY(is_separable(room, words, &separable));
    to->inseparable += !separable;
    PF_TRY(list_links(room, links, sure_only));
    const pf_segment order = {room->order.at, words}, pairs = {room->links.at, room->links.n};
    PF_TRY(pf_order_lader(&room->room, order, pairs, true, false, &lader));
    to->bad += lader.bad;
    to->chunks += lader.chunks;
    to->falling += lader.falling;
    to->pairs += lader.pairs;
    PF_TRY(pf_order_tdbtg(&room->room, order, pairs, &tdbtg));
    if (tdbtg.skipped) return PF_OK;
    const double kept = (double)tdbtg.n;
    to->kept++;
    to->match += tdbtg.n < 2 || !tdbtg.falling;
    to->fuzzy += tdbtg.n < 2 ? 1 : 1 - (double)tdbtg.bad / (kept + 1);
    to->tau += tdbtg.n < 2 ? 1 : 1 - (double)tdbtg.falling / (kept * (kept - 1) / 2);
    return PF_OK;
}

static pf_err decode_space(test_room *room, const test_run *run, const pfi_batch_sentence *sentence, size_t space,
                           pf_order_totals *to) {
    bool proven;
    const unsigned words = sentence->numbered.n;
    PF_TRY(pf_order_decode(&room->decoder[space], room->cost.at, words, room->order.at, &proven));
    to->unproven += !proven;
    return score_order(room, &sentence->links, run->options->sure_only, words, to);
}

/* ---- pairs ---- */

static pf_err score_pairs(test_room *room, const pfi_batch_sentence *sentence, pf_learn_figures *to) {
    const unsigned words = sentence->numbered.n;
    PF_TRY(pf_gold_find(&room->gold, &sentence->links, words));
    for (unsigned first = 0; first < words; first++)
        for (unsigned second = first + 1; second < words; second++) {
            const int64_t cost = room->matrix.at[(size_t)second * words + first] - room->matrix.at[(size_t)first * words + second];
            const int gold = pf_gold_of(&room->gold, first, second);
            room->cost.at[(size_t)first * words + second] = cost;
            if (!gold) continue;
            to->pairs++;
            to->in_order += gold > 0;
            to->right += (cost >= 0) == (gold > 0);
        }
    return PF_OK;
}

static pf_err do_sentence(test_room *room, const test_run *run, const pfi_batch_sentence *sentence, pf_learn_figures *to) {
    const size_t words = sentence->numbered.n;
    room->matrix.n = room->cost.n = room->order.n = 0;
    PF_TRY(PF_ROOM(&room->matrix, words * words + 1));
    PF_TRY(PF_ROOM(&room->cost, words * words + 1));
    PF_TRY(PF_ROOM(&room->order, words + 1));
    pf_order_model_matrix(run->model, &sentence->numbered, room->matrix.at);
    PF_TRY(score_pairs(room, sentence, to));
    to->sentences++;
    for (unsigned at = 0; at < words; at++) room->order.at[at] = at;
    PF_TRY(score_order(room, &sentence->links, run->options->sure_only, (unsigned)words, &to->order[0]));
    for (size_t k = 0; k < run->options->spaces; k++) PF_TRY(decode_space(room, run, sentence, k, &to->order[1 + k]));
    return PF_OK;
}

/* ---- batches ---- */

static pf_err init_room(test_room *room, const pf_figure_options *options) {
    for (size_t k = 0; k < options->spaces; k++) {
        PF_TRY(pf_order_decoder_init(&room->decoder[k], options->space[k], PF_MILLION));
        room->decoder[k].max_states = options->max_states;
    }
    return PF_OK;
}

static void free_room(test_room *room) {
    pf_gold_finder_free(&room->gold);
    for (int k = 0; k < PF_FIGURE_SPACES; k++) pf_order_decoder_free(&room->decoder[k]);
    pf_order_room_free(&room->room);
    PF_VEC_FREE(&room->matrix);
    PF_VEC_FREE(&room->cost);
    PF_VEC_FREE(&room->order);
    PF_VEC_FREE(&room->links);
}

static pf_err work_on(void *self, void *piece) {
    const test_run *run = self;
    const pfi_batch *batch = piece;
    test_room room = {.gold = {.gold = PF_GOLD_LINKS}};
    pf_err err = init_room(&room, run->options);
    for (size_t k = 0; !err && k < batch->n; k++) err = do_sentence(&room, run, &batch->sentence[k], batch->result);
    free_room(&room);
    return err;
}

static void add_totals(pf_order_totals *to, const pf_order_totals *more) {
    to->bad += more->bad;
    to->chunks += more->chunks;
    to->falling += more->falling;
    to->pairs += more->pairs;
    to->kept += more->kept;
    to->match += more->match;
    to->fuzzy += more->fuzzy;
    to->tau += more->tau;
    to->moved += more->moved;
    to->unproven += more->unproven;
    to->inseparable += more->inseparable;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    const test_run *run = self;
    const pf_learn_figures *more = ((const pfi_batch *)piece)->result;
    PF_TRY(err);
    run->sum->sentences += more->sentences;
    run->sum->pairs += more->pairs;
    run->sum->right += more->right;
    run->sum->in_order += more->in_order;
    for (size_t k = 0; k <= run->options->spaces; k++) add_totals(&run->sum->order[k], &more->order[k]);
    return PF_OK;
}

pf_err pf_learn_figures_read(const pf_order_model *model, pf_factor_reader *reader, const pf_figure_options *options,
                             pf_learn_figures *out) {
    static const pfi_batch_steps steps = {.sentences = BATCH, .links = true, .result = sizeof(pf_learn_figures),
                                          .work = work_on, .finish = finish};
    test_run run = {model, options, out};
    assert(options->spaces <= PF_FIGURE_SPACES);
    *out = (pf_learn_figures){0};
    return pfi_batches_run(&(pfi_batch_corpus){model, reader, options->threads, options->hooks}, &steps, &run);
}

/* ---- the table ---- */

static double share(double part, double whole) { return whole > 0 ? part / whole : (double)NAN; }

static pf_err write_row(const char *name, const pf_order_totals *of, pf_writer *writer) {
    const double kept = (double)of->kept;
    PF_TRY(pf_writer_text(writer, "%-16s %11.4f %9.4f %11.4f %9.4f %11.4f %8llu %11llu", name,
                          1 - share((double)of->bad, (double)of->chunks), 1 - share((double)of->falling, (double)of->pairs),
                          share(of->fuzzy, kept), share(of->tau, kept), share((double)of->match, kept),
                              (unsigned long long)of->moved,
                          (unsigned long long)of->inseparable));
    if (of->unproven) PF_TRY(pf_writer_text(writer, " (%llu not proven)", (unsigned long long)of->unproven));
    return pf_writer_put(writer, "\n", 1);
}

pf_err pf_learn_figures_write(const pf_learn_figures *figures, const pf_figure_options *options, pf_writer *writer) {
    const double pairs = (double)figures->pairs;
    PF_TRY(pf_writer_text(writer, "sentences %llu, TD-BTG keeps %llu\npairs %llu, right %.4f, in order %.4f\n\n",
                          (unsigned long long)figures->sentences, (unsigned long long)figures->order[0].kept,
                          (unsigned long long)figures->pairs, share((double)figures->right, pairs),
                          share((double)figures->in_order, pairs)));
    PF_TRY(pf_writer_text(writer, "%-16s %11s %9s %11s %9s %11s %8s %11s\n", "order", "lader-chunk", "lader-tau", "tdbtg-fuzzy",
                          "tdbtg-tau", "tdbtg-match", "moved", "inseparable"));
    PF_TRY(write_row("as it is", &figures->order[0], writer));
    for (size_t k = 0; k < options->spaces; k++) PF_TRY(write_row(options->space[k], &figures->order[1 + k], writer));
    return PF_OK;
}
