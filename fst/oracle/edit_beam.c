/* The path with the fewest edits to the nearest of several references, exactly or with a gap: arc by arc over (state, words of
 * the reference that are edited). Beams of 64, 256, ... hypotheses a level, until all that was dropped has more edits than the
 * best path. The first beam has no limit, so that there is a path; each beam leaves a bound.
 *
 * In a permutation automaton the words that the state and the reference still have, as bags, bound the edits to come, as in
 * itg_edits.c: most hypotheses are dropped by that alone (A*, Hart, Nilsson & Raphael 1968). O(beam x arcs of a state x words of
 * the reference) a level. */
#include "oracle/oracle_impl.h"

#include "base/contract.h"
#include "search/ties.h"

#include <permfst/base/cover.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, FIRST_BEAM = 64, WIDER = 4, MOST_BEAM = 1 << 24 };

/* A path to a state, edited to the first words of a reference. */
typedef struct {
    uint32_t from; /* of `all` */
    pf_state state;
    uint32_t place; /* words of the reference */
    uint32_t edits, total; /* so far; with the least that the rest costs */
    const pf_arc *arc;
} edited_path;

typedef struct {
    pfi_word_list word;
    uint32_t bound;        /* no path has fewer edits to it, or than the best path */
    bool whole;            /* what was dropped is worse than the best path */
} edited_line;

typedef struct {
    pfi_product product;   /* for the words of labels */
    pfi_work *work;
    const edited_line *line;   /* the one at hand */
    pf_slots_view slots;       /* n = 0: not known */
    uint64_t *cover;           /* scratch */
    uint32_t *least_words;     /* of each slot */
    uint32_t *times, *seen;    /* by word of the references: what is left; scratch */
    uint32_t *row;
    PF_VEC(edited_path) all;
    size_t level;              /* the first hypothesis of the level at hand */
    pf_statetab here;          /* those of the next level, by state and place */
    size_t next;               /* the first of them */
    pf_statetab states;        /* of the next level; and the rests of each, for each place: */
    PF_VEC(uint32_t) rest;
    size_t beam;
    uint32_t dropped;          /* the least total of what the beam has dropped; NONE: nothing */
    uint32_t ended;            /* the best hypothesis that ends, and its edits */
    uint32_t edits;
    pf_path best;              /* of all passes */
    uint32_t least;            /* its edits; NONE: there is none */
} edit_beam;

/* ---- what the rest costs ---- */

/* The words that the slots outside of the cover can print, and how many they print at least. */
static pf_err count_left(edit_beam *own, uint32_t *least) {
    const uint32_t words = own->product.references->words.n;
    *least = 0;
    memset(own->times, 0, words * sizeof *own->times);
    for (unsigned slot = 0; slot < own->slots.n; slot++) {
        if (own->cover[slot / 64] >> slot % 64 & 1) continue;
        *least += own->least_words[slot];
        for (uint32_t alternative = own->slots.first[slot]; alternative < own->slots.first[slot + 1]; alternative++) {
            const pfi_label_words *label;
            PF_TRY(pfi_product_label(&own->product, own->slots.arc[alternative].out, &label));
            const uint32_t *word = own->product.words.at + label->first;
            for (uint32_t at = 0; at < label->n; at++)
                if (word[at] != NONE) own->times[word[at]]++;
        }
    }
    return PF_OK;
}

/* For each place: what the longer side has more than both have in common. */
static pf_err add_rests(edit_beam *own, pf_state state) {
    const uint32_t length = (uint32_t)own->line->word.n, *word = own->line->word.at;
    uint32_t least, both = 0;
    PF_TRY(PF_ROOM(&own->rest, length + (size_t)1));
    uint32_t *rest = own->rest.at + own->rest.n;
    own->rest.n += length + (size_t)1;
    memset(rest, 0, (length + (size_t)1) * sizeof *rest);
    if (!own->slots.n) return PF_OK;
    own->product.fst->op->cover(own->product.fst->self, state, own->cover);
    PF_TRY(count_left(own, &least));
    memset(own->seen, 0, own->product.references->words.n * sizeof *own->seen);
    for (uint32_t place = length + 1; place--;) {
        if (place < length) both += ++own->seen[word[place]] <= own->times[word[place]];
        rest[place] = (least > length - place ? least : length - place) - both;
    }
    return PF_OK;
}

static pf_err find_rests(edit_beam *own, pf_state state, const uint32_t **out) {
    uint32_t id;
    PF_TRY(pf_statetab_intern_word(&own->states, 0, state, &id));
    size_t side = own->line->word.n + 1;
    if (id * side == own->rest.n) PF_TRY(add_rests(own, state));
    *out = own->rest.at + id * side;
    return PF_OK;
}

/* ---- hypotheses ---- */

/* Two paths with as many arcs, as best.h orders paths. */
static int compare(const edit_beam *own, uint32_t first, uint32_t second) {
    const edited_path *all = own->all.at;
    int in = 0, out = 0;
    for (; first != second && all[first].arc && all[second].arc; first = all[first].from, second = all[second].from) {
        const pf_arc *a = all[first].arc, *b = all[second].arc;
        if (a->in != b->in) in = a->in < b->in ? -1 : 1; /* the earliest difference decides */
        if (a->out != b->out) out = pfi_output_order(own->product.fst->osyms, a->out, b->out);
    }
    return in ? in : out;
}

/* The last hypothesis belongs to the next level, unless one that is there is before it. */
static pf_err enter(edit_beam *own) {
    uint32_t id, fresh = (uint32_t)own->all.n - 1;
    assert(own->all.n > own->next);
    edited_path *now = &own->all.at[fresh];
    PF_TRY(pf_statetab_intern_word(&own->here, 0, (uint64_t)now->state << 32 | now->place, &id));
    edited_path *there = &own->all.at[own->next + id];
    if (there == now) return PF_OK;
    bool first = now->edits == there->edits && compare(own, fresh, (uint32_t)(own->next + id)) < 0;
    if (now->edits < there->edits || first) *there = *now;
    own->all.n--;
    return PF_OK;
}

static pf_err extend(edit_beam *own, uint32_t from, const pf_arc *arc) {
    const edited_path before = own->all.at[from];
    const uint32_t length = (uint32_t)own->line->word.n, *rest;
    const pfi_label_words *label;
    PF_TRY(pfi_product_label(&own->product, arc->out, &label));
    const uint32_t *words = own->product.words.at + label->first, n = label->n;
    pfi_edit_row(words, n, own->line->word.at, before.place, length, own->row);
    PF_TRY(find_rests(own, arc->to, &rest));
    for (uint32_t end = before.place; end <= length; end++) {
        edited_path next = {from, arc->to, end, before.edits + own->row[end], before.edits + own->row[end] + rest[end], arc};
        if (next.total > own->least || !pfi_edit_needed(words, n, own->line->word.at, before.place, end)) continue;
        if (own->all.n == NONE) return pf_fail(PF_ELIMIT, "there are more than %u hypotheses", NONE - 1);
        PF_TRY(PF_PUSH(&own->all, next));
        PF_TRY(enter(own));
    }
    return PF_OK;
}

/* Does no hypothesis on the way to one say that a path over it has more edits than this? */
static bool totals_hold(const edit_beam *own, uint32_t hypothesis, uint32_t edits) {
    const edited_path *all = own->all.at;
    for (; hypothesis != NONE; hypothesis = all[hypothesis].from)
        if (all[hypothesis].total > edits) return false;
    return true;
}

/* A path may end here: what the reference still has is deleted. */
static void end(edit_beam *own, uint32_t hypothesis) {
    const edited_path *now = &own->all.at[hypothesis];
    uint32_t edits = now->edits + (uint32_t)own->line->word.n - now->place;
    bool as_long = own->ended != NONE && own->ended >= own->level;
    PFI_CHECK(totals_hold(own, hypothesis, edits));
    if (edits > own->edits || edits > own->least) return;
    if (edits == own->edits && !(as_long && compare(own, hypothesis, own->ended) < 0)) return;
    own->ended = hypothesis;
    own->edits = edits;
}

static int by_total(const void *first, const void *second) {
    const edited_path *a = first, *b = second;
    if (a->total != b->total) return a->total < b->total ? -1 : 1;
    if (a->state != b->state) return a->state < b->state ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Leaves the best of the next level, and notes what is dropped. */
static void trim(edit_beam *own) {
    size_t count = own->all.n - own->next;
    if (own->beam >= count) return;
    qsort(own->all.at + own->next, count, sizeof *own->all.at, by_total);
    uint32_t total = own->all.at[own->next + own->beam].total;
    if (total < own->dropped) own->dropped = total;
    own->all.n = own->next + own->beam;
}

/* ---- passes ---- */

static pf_err visit(edit_beam *own, uint32_t hypothesis) {
    pf_fst *fst = own->product.fst;
    pf_state state = own->all.at[hypothesis].state;
    pf_arcs arcs = pf_fst_arcs(fst, state);
    PF_TRY(pf_fst_error(fst));
    PF_TRY(pfi_work_done(own->work, 1));
    if (pf_fst_final(fst, state) < INFINITY) end(own, hypothesis);
    for (uint32_t i = 0; i < arcs.n; i++) PF_TRY(extend(own, hypothesis, &arcs.arc[i]));
    return PF_OK;
}

static pf_err start(edit_beam *own) {
    const uint32_t *rest;
    own->all.n = own->rest.n = own->level = 0;
    pf_statetab_reset(&own->states);
    own->dropped = own->ended = own->edits = NONE;
    PF_TRY(find_rests(own, own->product.fst->start, &rest));
    return PF_PUSH(&own->all, ((edited_path){NONE, own->product.fst->start, 0, 0, rest[0], NULL}));
}

static pf_err run_levels(edit_beam *own) {
    PF_TRY(start(own));
    for (uint32_t level = 0; own->level < own->all.n; level++) {
        own->next = own->all.n;
        pf_statetab_reset(&own->here);
        pf_statetab_reset(&own->states);
        own->rest.n = 0;
        if (level > PF_MAX_WORDS) return pf_fail(PF_ELIMIT, "a path has more than %u arcs", PF_MAX_WORDS);
        for (size_t i = own->level; i < own->next; i++) PF_TRY(visit(own, (uint32_t)i));
        trim(own);
        own->level = own->next;
    }
    return PF_OK;
}

/* After a pass, also one that a limit has ended: each path is over what was dropped, or over the level at hand. */
static uint32_t bound_of(const edit_beam *own) {
    uint32_t bound = own->dropped < own->least ? own->dropped : own->least;
    for (size_t hypothesis = own->level; hypothesis < own->all.n && hypothesis < own->next; hypothesis++)
        if (own->all.at[hypothesis].total < bound) bound = own->all.at[hypothesis].total;
    return own->edits < bound ? own->edits : bound;
}

static pf_err path_of(const edit_beam *own, pf_path *out) {
    const edited_path *all = own->all.at;
    *out = (pf_path){.cost = own->edits, .final = (float)(own->edits - all[own->ended].edits)};
    for (uint32_t at = own->ended; all[at].arc; at = all[at].from) out->n++;
    if (!(out->arc = malloc((out->n + 1) * sizeof *out->arc))) return pf_nomem();
    uint32_t at = own->ended;
    for (size_t place = out->n; place--; at = all[at].from)
        out->arc[place] =
            (pf_arc){all[at].arc->in, all[at].arc->out, (float)(all[at].edits - all[all[at].from].edits), PF_NO_STATE};
    return PF_OK;
}

static pf_err take_path(edit_beam *own) {
    const pfi_speech speech = pfi_speech_of(own->product.fst->osyms, NULL);
    pf_path path;
    if (own->ended == NONE) return PF_OK;
    PF_TRY(path_of(own, &path));
    if (own->least != NONE && pfi_path_order(&speech, &path, &own->best) >= 0) return free(path.arc), PF_OK;
    free(own->best.arc);
    own->best = path;
    own->least = own->edits;
    return PF_OK;
}

/* One pass for one reference. */
static pf_err run_pass(edit_beam *own, edited_line *line) {
    own->line = line;
    pf_err err = run_levels(own), taken = take_path(own);
    if (err && !pfi_ends_search(err)) return err;
    uint32_t bound = bound_of(own);
    if (own->all.n && bound > line->bound) line->bound = bound;
    line->whole = !err && (own->dropped == NONE || own->dropped > own->least);
    return err ? err : taken;
}

/* With the first beam, whatever the limits are. */
static pf_err run_first(edit_beam *own, edited_line *line) {
    pf_oracle_options patient = *own->work->options;
    pfi_work mine = {.options = &patient, .states = own->work->states}, *limited = own->work;
    patient.max_states = patient.max_bytes = 0;
    patient.expired = NULL;
    own->work = &mine;
    own->beam = FIRST_BEAM;
    pf_err err = run_pass(own, line);
    own->work = limited;
    limited->states = mine.states;
    return err;
}

/* A limit of the work ends the passes, when there is a path. */
static pf_err run_passes(edit_beam *own, edited_line *line, size_t lines) {
    for (size_t k = 0; k < lines; k++) PF_TRY(run_first(own, &line[k]));
    for (size_t at = 0; at < lines; at++)
        for (own->beam = FIRST_BEAM; !line[at].whole && line[at].bound <= own->least;) {
            own->beam = own->beam < MOST_BEAM ? WIDER * own->beam : SIZE_MAX;
            PF_TRY(run_pass(own, &line[at]));
        }
    return PF_OK;
}

/* ---- all of it ---- */

static pf_err read_slots(edit_beam *own) {
    const pf_fst *fst = own->product.fst;
    const pf_slots_view *slots = &own->slots;
    if (fst->op && fst->op->slots && fst->op->cover) fst->op->slots(fst->self, &own->slots);
    own->cover = calloc(pf_cover_words(slots->n) + (size_t)1, sizeof *own->cover);
    own->least_words = calloc(slots->n + (size_t)1, sizeof *own->least_words);
    if (!own->cover || !own->least_words) return pf_nomem();
    for (unsigned slot = 0; slot < slots->n; slot++)
        for (uint32_t alternative = slots->first[slot]; alternative < slots->first[slot + 1]; alternative++) {
            const pfi_label_words *label;
            PF_TRY(pfi_product_label(&own->product, slots->arc[alternative].out, &label));
            if (alternative == slots->first[slot] || label->n < own->least_words[slot]) own->least_words[slot] = label->n;
        }
    return PF_OK;
}

static uint64_t bytes(const void *self) {
    const edit_beam *own = self;
    return pf_fst_bytes(own->product.fst) + own->all.cap * sizeof *own->all.at + own->rest.cap * sizeof *own->rest.at +
           pf_statetab_bytes(&own->here) + pf_statetab_bytes(&own->states);
}

static pf_err prepare(edit_beam *own, const pfi_edit_words *words, const char *const *text, edited_line *line, size_t lines) {
    size_t longest = 0, known = words->words.words.n + (size_t)1;
    for (size_t at = 0; at < lines; at++) {
        PF_TRY(pfi_edit_words_of(words, text[at], &line[at].word));
        if (line[at].word.n > longest) longest = line[at].word.n;
    }
    own->times = calloc(known, sizeof *own->times);
    own->seen = calloc(known, sizeof *own->seen);
    own->row = calloc(longest + 1, sizeof *own->row);
    return own->times && own->seen && own->row ? read_slots(own) : pf_nomem();
}

/* The nearest reference is what counts: its bound is the least. */
static pf_err answer(edit_beam *own, const edited_line *line, size_t lines, pf_err err, pf_answer *out) {
    uint32_t bound = NONE;
    bool limited = pfi_ends_search(err);
    if (err && !(limited && own->least != NONE)) return err;
    out->states = own->work->states;
    out->arcs = own->work->states;
    if (own->least == NONE) return out->bound = (double)INFINITY, PF_OK;
    for (size_t at = 0; at < lines; at++)
        if (line[at].bound < bound) bound = line[at].bound;
    out->bound = !err || bound > own->least ? own->least : bound;
    out->out_of_memory = err == PF_ENOMEM;
    out->stopped = out->out_of_memory || (limited && out->bound < own->least);
    return pf_answer_add(out, own->best.arc, own->best.n, own->best.final);
}

static pf_err search(edit_beam *own, const pfi_edit_words *words, const char *const *text, size_t lines, pf_answer *out) {
    edited_line *line = calloc(lines, sizeof *line);
    pf_err err = line ? prepare(own, words, text, line, lines) : pf_nomem();
    if (!err && own->product.fst->start != PF_NO_STATE) err = run_passes(own, line, lines);
    err = answer(own, line, lines, err, out);
    for (size_t k = 0; line && k < lines; k++) PF_VEC_FREE(&line[k].word);
    free(line);
    return err;
}

static void free_all(edit_beam *own) {
    pfi_product_free(&own->product);
    PF_VEC_FREE(&own->all);
    PF_VEC_FREE(&own->rest);
    pf_statetab_free(&own->here);
    pf_statetab_free(&own->states);
    free(own->cover);
    free(own->least_words);
    free(own->times);
    free(own->seen);
    free(own->row);
    free(own->best.arc);
}

pf_err pfi_edit_best(pf_fst *fst, const char *const *text, size_t lines, const pf_oracle_options *options, pf_answer *out) {
    pfi_edit_words words;
    pfi_work work = {.options = options};
    edit_beam own = {.work = &work, .least = NONE};
    *out = (pf_answer){.type = fst->type, .isyms = pf_symtab_ref(fst->isyms), .osyms = pf_symtab_ref(fst->osyms),
                       .search = "edits", .bound = -(double)INFINITY};
    work.bytes = bytes;
    work.of = &own;
    pf_err err = pfi_edit_words_read(&words, text, lines);
    pfi_edit_product(&own.product, fst, &words, options);
    pf_statetab_init(&own.here, sizeof(uint64_t));
    pf_statetab_init(&own.states, sizeof(uint64_t));
    if (!err) err = search(&own, &words, text, lines, out);
    free_all(&own);
    pfi_edit_words_free(&words);
    return err;
}
