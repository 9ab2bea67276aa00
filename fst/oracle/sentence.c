/* The oracles of one sentence in many spaces. Candidate by candidate: larger spaces before those that are known to be inside them.
 * Then what was found in one space is offered to the others. */
#include <permfst/oracle/table.h>

#include "base/contract.h"
#include "oracle/oracle_impl.h"

#include <permfst/machine/build.h>
#include <permfst/permute/input.h>
#include <permfst/permute/perm.h>
#include <permfst/permute/walk.h>
#include <permfst/search/best.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = PFI_NONE_OF, FEW_POSITIONS = 12 };
#define JOINER "\x1f" /* of the words of a unit, where the options have none: a control character is in no word */

/* One candidate in one space. */
typedef struct {
    pf_con *con;
    bool found, exact, out_of_memory; /* exact: the search has ended, and its answer is the first of the best */
    unsigned *order;      /* the slots, as they are visited */
    pf_path path;
    pf_oracle_counts counts;
    double score, bound;
    uint64_t states;
    unsigned searches;
    double seconds;
} answered;

typedef struct {
    const pf_oracle_table_options *options;
    pf_oracle_options search;
    const pf_oracle_references *references;
    pf_fst *linear;
    unsigned slots;
    answered *space;
} candidate;

static bool has_brevity(const candidate *own) { return !own->search.without_brevity; }

/* ---- membership ---- */

static pf_err is_member(const pf_con *con, const unsigned *order, bool *out) {
    pf_con_walk walk = {0};
    *out = true;
    pf_err err = pf_con_walk_init(&walk, con, 0);
    if (!err) pf_con_walk_start(&walk);
    for (unsigned place = 0; !err && *out && place < con->n; place++) {
        err = pf_con_walk_allows(&walk, order[place], out);
        if (!err && *out) pf_con_walk_visit(&walk, order[place]);
    }
    if (!err && *out) *out = pf_con_walk_ends(&walk);
    pf_con_walk_free(&walk);
    return err;
}

/* Copies an answer of one space to another. */
static pf_err copy_order(const candidate *own, const answered *from, answered *to) {
    unsigned *order = malloc((own->slots + (size_t)1) * sizeof *order);
    pf_arc *arc = malloc((from->path.n + 1) * sizeof *arc);
    if (!order || !arc) return free(order), free(arc), pf_nomem();
    memcpy(order, from->order, own->slots * sizeof *order);
    memcpy(arc, from->path.arc, from->path.n * sizeof *arc);
    free(to->order);
    free(to->path.arc);
    to->order = order;
    to->path = (pf_path){.arc = arc, .n = from->path.n};
    to->counts = from->counts;
    to->score = from->score;
    to->found = true;
    return PF_OK;
}

/* ---- searches ---- */

static pf_err take_answer(const candidate *own, pf_oracle_answer *answer, answered *out) {
    out->states += answer->answer.states;
    out->out_of_memory = answer->answer.out_of_memory;
    if (!answer->counts.n) return PF_OK;
    pf_path *path = &answer->answer.paths.at[0];
    if (!(out->order = malloc((own->slots + (size_t)1) * sizeof *out->order))) return pf_nomem();
    for (unsigned place = 0; place < own->slots; place++) out->order[place] = (unsigned)path->arc[place].in - 1;
    out->path = *path;
    path->arc = NULL;
    path->n = 0;
    out->counts = answer->counts.at[0];
    out->score = answer->score;
    out->bound = answer->bound;
    out->found = true;
    out->exact = !answer->answer.stopped;
    return PF_OK;
}

/* The greatest counts of an order that another space has found and this one has. *best is NULL where there is none. */
static pf_err known_order(const candidate *own, size_t space, const answered **best) {
    *best = NULL;
    for (size_t at = 0; at < own->options->spaces; at++) {
        const answered *other = &own->space[at];
        bool member;
        if (at == space || !other->found) continue;
        if (*best && pf_oracle_compare(&other->counts, &(*best)->counts, has_brevity(own)) <= 0) continue;
        PF_TRY(is_member(own->space[space].con, other->order, &member));
        if (member) *best = other;
    }
    return PF_OK;
}

static pf_err search_space(candidate *own, size_t space) {
    const char *spec = own->options->space[space];
    const pf_perm_spec perm = {.con = &spec, .n_con = 1};
    answered *out = &own->space[space];
    pf_oracle_answer answer = {0};
    const answered *known = NULL;
    pf_fst *fst;
    double began = own->options->seconds ? own->options->seconds(own->options->self) : 0;
    if (!own->options->alone) PF_TRY(known_order(own, space, &known));
    own->search.known = known ? &known->counts : NULL;
    if (own->options->begin) own->options->begin(own->options->self);
    PF_TRY(pf_perm_lazy(own->linear, &perm, &fst));
    pf_err err = pf_oracle_bleu(fst, own->references, &own->search, &answer);
    if (!err) err = take_answer(own, &answer, out);
    pf_oracle_answer_free(&answer);
    pf_fst_free(fst);
    out->searches = 1;
    if (own->options->seconds) out->seconds = own->options->seconds(own->options->self) - began;
    return err;
}

/* Has a larger space an answer that is the one of this space? */
static pf_err take_larger(candidate *own, size_t space, bool *taken) {
    *taken = false;
    for (size_t at = 0; at < own->options->spaces && !*taken; at++) {
        const answered *other = &own->space[at];
        if (at == space || !other->exact || !other->found || !pf_oracle_space_known_inside(own->space[space].con, other->con))
            continue;
        PF_TRY(is_member(own->space[space].con, other->order, taken));
        if (!*taken) continue;
        own->space[space].exact = true;
        own->space[space].bound = other->bound;
        PF_TRY(copy_order(own, other, &own->space[space]));
    }
    return PF_OK;
}

/* Must `first` be searched before `second`? Larger spaces are; all orders of many positions come last: their automaton is large. */
static bool comes_first(const candidate *own, size_t first, size_t second) {
    bool inside = pf_oracle_space_known_inside(own->space[first].con, own->space[second].con);
    bool around = pf_oracle_space_known_inside(own->space[second].con, own->space[first].con);
    bool large[2] = {strcmp(pf_con_inner(own->space[first].con)->cls->name, "none") == 0,
                     strcmp(pf_con_inner(own->space[second].con)->cls->name, "none") == 0};
    if (own->slots > FEW_POSITIONS && large[0] != large[1]) return large[1];
    return around && !inside;
}

static pf_err search_spaces(candidate *own) {
    size_t spaces = own->options->spaces;
    bool *done = calloc(spaces + 1, sizeof *done);
    pf_err err = done ? PF_OK : pf_nomem();
    for (size_t round = 0; !err && round < spaces; round++) {
        size_t next = SIZE_MAX;
        for (size_t space = 0; space < spaces; space++)
            if (!done[space] && (next == SIZE_MAX || comes_first(own, space, next))) next = space;
        bool taken = false;
        done[next] = true;
        if (!own->options->alone) err = take_larger(own, next, &taken);
        if (!err && !taken) err = search_space(own, next);
    }
    free(done);
    return err;
}

/* After all searches: an answer that a limit has left may be bettered by those of other spaces, and so may its bound. */
static pf_err share(candidate *own) {
    for (size_t space = 0; !own->options->alone && space < own->options->spaces; space++) {
        answered *out = &own->space[space];
        const answered *known;
        if (out->exact || !out->found) continue;
        PF_TRY(known_order(own, space, &known));
        if (known && pf_oracle_compare(&known->counts, &out->counts, has_brevity(own)) > 0) PF_TRY(copy_order(own, known, out));
        for (size_t larger = 0; larger < own->options->spaces; larger++)
            if (larger != space && own->space[larger].found && pf_oracle_space_known_inside(out->con, own->space[larger].con))
                out->bound = fmin(out->bound, own->space[larger].bound);
        out->bound = fmax(out->bound, out->score);
    }
    return PF_OK;
}

/* ---- candidates ---- */

static pf_err put_text(pf_writer *writer, const char *word, size_t length, const char *joiner) {
    size_t width = strlen(joiner);
    for (size_t at = 0; at < length; at++) {
        bool joins = at && width && at + width < length && memcmp(word + at, joiner, width) == 0;
        PF_TRY(joins ? pf_writer_put(writer, " ", 1) : pf_writer_put(writer, word + at, 1));
        if (joins) at += width - 1;
    }
    return PF_OK;
}

/* The words of a path. */
static pf_err text_of(const candidate *own, const pf_path *path, char **out) {
    pf_writer *writer;
    size_t length;
    bool first = true;
    PF_TRY(pf_writer_memory(&writer));
    pf_err err = PF_OK;
    for (size_t place = 0; !err && place < path->n; place++) {
        if (!path->arc[place].out) continue;
        const char *word = own->linear->osyms ? pf_symtab_name(own->linear->osyms, path->arc[place].out, &length) : NULL;
        if (!first) err = pf_writer_put(writer, " ", 1);
        if (!err && word) err = put_text(writer, word, length, own->search.joiner ? own->search.joiner : "");
        if (!err && !word) err = pf_writer_text(writer, "%ld", (long)path->arc[place].out);
        first = false;
    }
    const unsigned char *bytes = pf_writer_bytes(writer, &length);
    if (!err && !(*out = malloc(length + 1))) err = pf_nomem();
    if (!err && length) memcpy(*out, bytes, length);
    if (!err) (*out)[length] = 0;
    pf_writer_free(writer);
    return err;
}

/* Takes the better of two candidates; of equal ones the first. */
static pf_err merge(const candidate *own, const answered *from, bool first, pf_oracle_cell *to) {
    double before = first ? -1 : to->bound;
    to->bound = fmax(before, from->bound);
    to->states += from->states;
    to->searches += from->searches;
    to->seconds += from->seconds;
    if (!first && pf_oracle_compare(&from->counts, &to->counts, has_brevity(own)) <= 0) return PF_OK;
    to->counts = from->counts;
    free(to->text);
    to->text = NULL;
    return text_of(own, &from->path, &to->text);
}

static pf_err add_candidate(const pf_oracle_table_options *options, const pf_oracle_references *references, const char *joiner,
                            pf_fst *linear, bool first, pf_oracle_sentence *out) {
    candidate own = {.options = options, .search = options->search, .references = references, .linear = linear};
    pf_input input;
    own.search.n = 1;
    own.search.joiner = joiner;
    PF_TRY(pf_input_read(linear, &input));
    own.slots = input.n;
    pf_input_free(&input);
    if (first) out->words = own.slots;
    if (!(own.space = calloc(options->spaces + 1, sizeof *own.space))) return pf_nomem();
    pf_err err = PF_OK;
    for (size_t k = 0; !err && k < options->spaces; k++) err = pf_con_new(options->space[k], own.slots, &own.space[k].con);
    if (!err) err = search_spaces(&own);
    if (!err) err = share(&own);
    for (size_t space = 0; !err && space < options->spaces; space++) {
        if (!own.space[space].found)
            err = pf_fail(PF_EINPUT, "the space %s has no order of %u words", options->space[space], own.slots);
        else err = merge(&own, &own.space[space], first, &out->space.at[space]);
        out->out_of_memory = out->out_of_memory || own.space[space].out_of_memory;
    }
    for (size_t space = 0; space < options->spaces; space++) {
        pf_con_free(own.space[space].con);
        free(own.space[space].order);
        free(own.space[space].path.arc);
    }
    free(own.space);
    return err;
}

/* A unit of a path: its words, joined, as one label of a table. An epsilon for a unit without words. */
static pf_err unit_of(const pf_answer *answer, const pf_path *path, size_t *at, const char *joiner, pf_symtab *words,
                      pf_label *out) {
    pf_writer *writer;
    size_t length, count = 0;
    char number[24];
    PF_TRY(pf_writer_memory(&writer));
    pf_err err = PF_OK;
    for (bool first = true; !err && *at < path->n && (first || !path->arc[*at].in); first = false, ++*at) {
        pf_label label = path->arc[*at].out;
        const char *word = label && answer->osyms ? pf_symtab_name(answer->osyms, label, &length) : number;
        if (!label) continue;
        if (!answer->osyms) length = (size_t)snprintf(number, sizeof number, "%ld", (long)label);
        if (!word) err = pf_fail(PF_EINPUT, "expected a symbol for the output label %ld, found none", (long)label);
        if (!err && count++) err = pf_writer_put(writer, joiner, strlen(joiner));
        if (!err) err = pf_writer_put(writer, word, length);
    }
    const unsigned char *bytes = pf_writer_bytes(writer, &length);
    *out = PF_EPSILON;
    if (!err && count) err = pf_symtab_add(words, (const char *)bytes, length, out);
    pf_writer_free(writer);
    return err;
}

/* A path as a sentence of units; those without words are left out. */
static pf_err sentence_of(const pf_answer *answer, const pf_path *path, const char *joiner, pf_fst **out) {
    pf_build build = {0};
    pf_symtab *words;
    pf_state state = 0;
    PF_TRY(pf_symtab_new("words", &words));
    pf_err err = pf_build_state(&build, 0);
    for (size_t at = 0; !err && at < path->n;) {
        pf_label unit;
        err = unit_of(answer, path, &at, joiner, words, &unit);
        if (!err && unit) err = pf_build_arc(&build, state, unit, unit, 0, state + 1);
        if (!err && unit) state++;
    }
    if (!err) err = pf_build_final(&build, state, 0);
    if (!err) err = pf_build_finish(&build, PF_STANDARD, 0, out);
    if (!err) pf_fst_set_symbols(*out, words, words);
    pf_build_free(&build);
    pf_symtab_free(words);
    return err;
}

/* Of an answer that lacks paths it is known (machine/answer.h). */
static pf_err add_answer(const pf_oracle_table_options *options, const pf_oracle_references *references, const pf_answer *answer,
                         pf_oracle_sentence *out) {
    const char *joiner = options->search.joiner ? options->search.joiner : JOINER;
    size_t wanted = options->candidates ? options->candidates : 1;
    if (!answer->paths.n) return pf_fail(PF_EINPUT, "expected an answer with a path, found none");
    out->more_paths = answer->paths.n > wanted || answer->bound < (double)INFINITY;
    for (size_t place = 0; place < wanted && place < answer->paths.n; place++) {
        pf_fst *linear;
        PF_TRY(sentence_of(answer, &answer->paths.at[place], joiner, &linear));
        pf_err err = add_candidate(options, references, joiner, linear, place == 0, out);
        pf_fst_free(linear);
        PF_TRY(err);
    }
    return PF_OK;
}

/* Is each state followed by one other, so that slots can be put in order? */
static bool is_linear(pf_fst *fst) {
    pf_input input;
    pf_err err = pf_input_read(fst, &input);
    if (!err) pf_input_free(&input);
    return err != PF_EINPUT || fst->start == PF_NO_STATE || pf_fst_error(fst);
}

/* A single way to cut a sentence into units is linear. After its first arc a unit has arcs that read nothing and print words. */
static bool has_units(pf_fst *linear) {
    bool reads = false;
    pf_state state = linear->start;
    for (unsigned slot = 0; state != PF_NO_STATE && slot <= PF_MAX_WORDS; slot++) {
        pf_arcs arcs = pf_fst_arcs(linear, state);
        state = arcs.n ? arcs.arc[0].to : PF_NO_STATE;
        for (uint32_t arc = 0; arc < arcs.n; arc++) {
            if (reads && !arcs.arc[arc].in && arcs.arc[arc].out) return true;
            reads = reads || arcs.arc[arc].in;
        }
    }
    return false;
}

/* A lattice of phrases: its best paths, each a way to cut a sentence into units; and one more, to know whether there are more. */
static pf_err add_lattice(const pf_oracle_table_options *options, const pf_oracle_references *references, pf_fst *fst,
                          pf_oracle_sentence *out) {
    pf_answer answer = {0};
    size_t wanted = options->candidates ? options->candidates : 1;
    PF_TRY(pfi_refuse_cycle(fst));
    pf_err err = pf_best(fst, &(pf_best_options){.n = wanted + 1, .progress = options->search.progress,
                                                 .expired = options->search.expired, .self = options->search.self}, &answer);
    if (!err) err = add_answer(options, references, &answer, out);
    pf_answer_free(&answer);
    return err;
}

static pf_err add_references(const char *const *line, size_t lines, pf_oracle_references *references, pf_oracle_sentence *out) {
    for (size_t reference = 0; reference < lines; reference++) {
        pf_word word;
        const char *at = line[reference];
        bool has_words = pf_word_next(&at, line[reference] + strlen(line[reference]), &word);
        PF_TRY(PF_ROOM(&out->reference, 1));
        if (!(out->reference.at[out->reference.n] = strdup(line[reference]))) return pf_nomem();
        out->reference.n++;
        if (has_words || (reference + 1 == lines && !references->length.n))
            PF_TRY(pf_oracle_references_add(references, line[reference], strlen(line[reference])));
    }
    return PF_OK;
}

pf_err pf_oracle_table_sentence(const pf_oracle_table_options *options, pf_expr *in, pf_fst *fst, const char *const *line,
                                size_t lines, pf_oracle_sentence *out) {
    pf_oracle_references references;
    *out = (pf_oracle_sentence){0};
    assert(lines);
    pf_oracle_references_init(&references);
    pf_err err = PF_ROOM(&out->space, options->spaces);
    for (size_t k = 0; !err && k < options->spaces; k++) out->space.at[out->space.n++] = (pf_oracle_cell){.bound = 0};
    if (!err) err = add_references(line, lines, &references, out);
    if (!err && in && in->answer) err = add_answer(options, &references, in->answer, out);
    else if (!err && (!is_linear(fst) || has_units(fst))) err = add_lattice(options, &references, fst, out);
    else if (!err) err = add_candidate(options, &references, options->search.joiner, fst, true, out);
    for (size_t space = 0; !err && space < options->spaces; space++) {
        pf_oracle_cell *cell = &out->space.at[space];
        double gap = 100 * (cell->bound - pf_oracle_score(&cell->counts, !options->search.without_brevity));
        cell->proven = gap < 1e-9;
    }
    pf_oracle_references_free(&references);
    return err;
}

void pf_oracle_sentence_free(pf_oracle_sentence *sentence) {
    for (size_t k = 0; k < sentence->space.n; k++) free(sentence->space.at[k].text);
    for (size_t k = 0; k < sentence->reference.n; k++) free(sentence->reference.at[k]);
    PF_VEC_FREE(&sentence->space);
    PF_VEC_FREE(&sentence->reference);
    *sentence = (pf_oracle_sentence){0};
}
