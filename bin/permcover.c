/* permcover: which reordering constraints reach the alignments of a corpus. */
#include "toolalign.h"
#include "toolperm.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    tool_common common;
    int from, links, place, direction; /* places among formats and the words below */
    const char *source, *target, *lattices, *bins, *why, *svg;
    tool_specs con;
    bool only, tsv, per_sentence;
    uint64_t up_to, max_states;
} options;

enum { SURE, ALL };
static const char *const kinds[] = {"sure", "all", NULL};
static const char *const places[] = {"first", "last", NULL}; /* as PLACES */
static const pf_place PLACES[] = {PF_PLACE_FIRST, PF_PLACE_LAST};
enum { BOTH, FORWARD, BACKWARD };
static const char *const directions[] = {"both", "forward", "backward", NULL};
static const char *const direction_names[PF_DIRECTIONS] = {"source-target", "target-source"};

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    TOOLALIGN_FROM(offsetof(options, from), "alignments"),
    {.name = "source", .kind = TOOL_FILE, .at = offsetof(options, source), .metavar = "FILE",
     .help = "the source sentences, one on each line, which show how long the sentences are"},
    {.name = "target", .kind = TOOL_FILE, .at = offsetof(options, target), .metavar = "FILE",
     .help = "the target sentences, one on each line, which show how long the sentences are"},
    {.name = "links", .kind = TOOL_CHOICE, .at = offsetof(options, links), .metavar = "KIND", .words = kinds,
     .help = "use only the sure links, or all links [sure]"},
    TOOL_FIRST_RECORD,
    TOOL_GROUP_OF("What is asked"),
    {.name = "place", .kind = TOOL_CHOICE, .at = offsetof(options, place), .metavar = "WORD", .words = places,
     .help = "a word with several links counts at the first or at the last of its targets [first]"},
    {.letter = 'd', .name = "direction", .kind = TOOL_CHOICE, .at = offsetof(options, direction), .metavar = "WORD",
     .words = directions,
     .help = "visit source words in target order (forward), target words in source order (backward), or do both [both]"},
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .at = offsetof(options, con), .metavar = "SPEC",
     .list = toolperm_list_constraints,
     .help = "add a row for SPEC, such as itg+ibm:4 or itg-extended; may be repeated. -c list prints all names"},
    {.name = "lattices", .kind = TOOL_FILE, .at = offsetof(options, lattices), .metavar = "FILE",
     .excludes = "direction=backward",
     .help = "add a row for the paths of these automata, which have source positions as input labels, one record for each "
             "pair"},
    {.name = "only", .kind = TOOL_FLAG, .at = offsetof(options, only), .needs = "constraint lattices",
     .help = "print only the rows of --constraint and --lattices"},
    {.name = "max-states", .kind = TOOL_NUMBER, .at = offsetof(options, max_states), .metavar = "N", .min = 1,
     .max = UINT32_MAX,
     .help = "visit at most N states for an answer; the answer is undecided if that is not enough [1000000]"},
    TOOL_GROUP_OF("What is written"),
    {.name = "tsv", .kind = TOOL_FLAG, .at = offsetof(options, tsv), .excludes = "per-sentence why",
     .help = "write the table as lines with tabs"},
    {.letter = 's', .name = "per-sentence", .kind = TOOL_FLAG, .at = offsetof(options, per_sentence),
     .excludes = "why svg bins up-to",
     .help = "instead of the table, print for each pair the least parameters that reach it"},
    {.letter = 'w', .name = "why", .kind = TOOL_TEXT, .at = offsetof(options, why), .metavar = "SPEC",
     .excludes = "svg constraint lattices",
     .help = "instead of the table, print for each pair that SPEC does not reach the links that break it"},
    {.letter = 'b', .name = "bins", .kind = TOOL_TEXT, .at = offsetof(options, bins), .metavar = "LIST",
     .help = "also print tables by number of source words, in bins that end at these numbers, such as 10,20,30"},
    {.letter = 'u', .name = "up-to", .kind = TOOL_NUMBER, .at = offsetof(options, up_to), .metavar = "N", .min = 1,
     .max = PF_MAX_WORDS,
     .help = "list parameters up to N [8; with --tsv: all]"},
    {.name = "svg", .kind = TOOL_FILE, .at = offsetof(options, svg), .metavar = "FILE",
     .help = "also draw the table, to FILE"},
    TOOL_OUTPUT,
    {0},
};

typedef enum { TABLE, CHART, OUTPUTS } output;

typedef struct {
    tool_call *call;
    const options *o;
    pf_writer *out[OUTPUTS];
    pf_parallel *pairs;
    size_t links, source, target; /* columns; source and target: 0 without */
    toolfst_source lattices;
    pf_expr *expr;         /* the lattice of the pair, and opened */
    pf_opened *opened;
    pf_fst *lattice;
    pf_coverage *order, *scratch;
    pf_coverage_table table;
    pf_coverage_answer *answer;  /* of each row */
    pf_alignment visited, fewer; /* of the pair, in the direction at hand; the links that break it */
    unsigned length;
    uint64_t undecided;
    pf_align_filter filter;
    pf_align_left_out left_out;
} coverer;

static bool goes(const options *o, unsigned d) {
    return o->direction == BOTH || (o->direction == FORWARD) == (d == PF_FORWARD);
}

/* ---- answers ---- */

/* What went wrong is said with the place of the pair, or of the lattice. A specification may name a position that the sentence
 * lacks. */
static pf_err name_place(const coverer *t, bool lattice, pf_err err) {
    if (lattice) return pf_fail_in_record(err, pf_source_name(t->lattices.source), pf_source_record(t->lattices.source));
    return err == PF_EARG ? pf_reader_fail_line(pf_parallel_reader(t->pairs, t->links), "%s", pf_message()) : err;
}

static pf_err ask(coverer *t, unsigned d) {
    size_t row;
    pf_err err = pf_coverage_table_ask(&t->table, t->order, d, t->lattice, t->o->max_states, t->answer, &row);
    if (err) return name_place(t, t->table.row.at[row].lattice, err);
    for (size_t i = 0; i < t->table.row.n; i++) t->undecided += t->answer[i].reach == PF_UNDECIDED;
    return PF_OK;
}

/* The answers onto the line of the pair. */
static pf_err put_answers(const coverer *t, unsigned d) {
    static const char *const words[] = {[PF_NOT_REACHED] = "no", [PF_REACHED] = "yes", [PF_UNDECIDED] = "?"};
    for (size_t i = 0; i < t->table.row.n; i++) {
        const pf_coverage_row *row = &t->table.row.at[i];
        const pf_coverage_answer *answer = &t->answer[i];
        if (answer->reach == PF_REACHED && row->numbered) PF_TRY(pf_writer_text(t->out[TABLE], "\t%u", answer->param));
        else PF_TRY(pf_writer_text(t->out[TABLE], "\t%s", row->asked[d] ? words[answer->reach] : "-"));
    }
    return pf_writer_text(t->out[TABLE], "\n");
}

/* Opens the lattice of the pair; the sentence is as long as it says, where nothing else says it. */
static pf_err take_lattice(coverer *t, pf_alignment *a) {
    uint32_t n;
    pf_opened_free(t->opened);
    pf_expr_free(t->expr);
    t->opened = NULL;
    t->expr = NULL;
    PF_TRY(toolfst_next(&t->lattices, &t->expr));
    if (!t->expr)
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end", t->o->lattices,
                       pf_parallel_number(t->pairs));
    pf_err err = pf_open(t->expr, &t->opened);
    if (!err) t->lattice = pf_opened_fst(t->opened);
    if (!err) err = pf_coverage_lattice_length(t->lattice, &n);
    if (err) return name_place(t, true, err);
    if (n == PF_UNKNOWN_LENGTH) return PF_OK;
    uint32_t has = pf_alignment_sources(a);
    if (a->n_source == PF_UNKNOWN_LENGTH ? has > n : has != n)
        return pf_reader_fail_line(pf_parallel_reader(t->pairs, t->links), "the sentence has %s%u words, but record %" PRIu64
                                   " of %s has %u positions", a->n_source == PF_UNKNOWN_LENGTH ? "at least " : "", has,
                                   pf_source_record(t->lattices.source), t->o->lattices, n);
    a->n_source = n;
    return PF_OK;
}

/* ---- the links that break it ---- */

static pf_err put_words(const coverer *t, const pf_alignment *a) {
    if (!t->source || !t->target) return PF_OK;
    const pf_words *f = pf_parallel_sentence(t->pairs, t->source), *e = pf_parallel_sentence(t->pairs, t->target);
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_word *x = &f->at[a->link.at[i].source], *y = &e->at[a->link.at[i].target];
        PF_TRY(pf_writer_put(t->out[TABLE], i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(t->out[TABLE], x->at, x->n));
        PF_TRY(pf_writer_put(t->out[TABLE], "-", 1));
        PF_TRY(pf_writer_put(t->out[TABLE], y->at, y->n));
    }
    return PF_OK;
}

static pf_err explain(coverer *t, unsigned d) {
    const char *why = t->o->why;
    pf_reach reach;
    pf_err err = pf_coverage_reaches(t->order, why, t->o->max_states, &reach);
    if (err) return name_place(t, false, err);
    t->undecided += reach == PF_UNDECIDED;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(pf_coverage_why(t->scratch, &t->visited, why, t->o->max_states, &t->fewer));
    if (d == PF_BACKWARD) pf_alignment_invert(&t->fewer);
    PF_TRY(pf_writer_text(t->out[TABLE], "%" PRIu64 "\t%s\t%s\t", pf_parallel_number(t->pairs), direction_names[d], why));
    for (size_t i = 0; i < t->fewer.link.n; i++)
        PF_TRY(pf_writer_text(t->out[TABLE], "%s%u-%u", i ? " " : "", t->fewer.link.at[i].source, t->fewer.link.at[i].target));
    PF_TRY(put_words(t, &t->fewer));
    return pf_writer_text(t->out[TABLE], "\n");
}

/* ---- a pair ---- */

static pf_err take(coverer *t) {
    pf_alignment *a = pf_parallel_alignment(t->pairs, t->links);
    if (t->o->lattices) PF_TRY(take_lattice(t, a));
    pf_alignment_filter(a, &t->filter, &t->left_out);
    t->length = pf_alignment_sources(a);
    pf_coverage_table_pair(&t->table, t->length);
    return pf_alignment_copy(a, &t->visited);
}

static pf_err do_direction(coverer *t, unsigned d) {
    PF_TRY(pf_coverage_take(t->order, &t->visited));
    if (t->o->why) return explain(t, d);
    PF_TRY(ask(t, d));
    if (!t->o->per_sentence) return pf_coverage_table_count(&t->table, d, t->length, t->answer);
    PF_TRY(pf_writer_text(t->out[TABLE], "%" PRIu64 "\t%s\t%u\t%zu", pf_parallel_number(t->pairs), direction_names[d],
                          (unsigned)pf_alignment_sources(&t->visited), t->visited.link.n));
    return put_answers(t, d);
}

static pf_err do_pair(void *self) {
    coverer *t = self;
    PF_TRY(take(t));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        if (d == PF_BACKWARD) pf_alignment_invert(&t->visited);
        if (goes(t->o, d)) PF_TRY(do_direction(t, d));
    }
    return pf_writer_flush(t->out[TABLE]);
}

/* That there is no lattice left, now that there is no pair. */
static pf_err close_lattices(coverer *t) {
    pf_expr *expr = NULL;
    if (t->o->lattices) PF_TRY(toolfst_next(&t->lattices, &expr));
    if (!expr) return PF_OK;
    pf_expr_free(expr);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, as there are pairs, found more", t->o->lattices,
                   t->table.pairs.at[0]);
}

/* ---- the whole ---- */

static pf_err put_heading(const coverer *t) {
    PF_TRY(pf_writer_text(t->out[TABLE], "pair\tdirection\twords\tlinks"));
    for (size_t i = 0; i < t->table.row.n; i++) {
        PF_TRY(pf_writer_text(t->out[TABLE], "\t"));
        for (const char *c = t->table.row.at[i].name; *c; c++) PF_TRY(pf_writer_put(t->out[TABLE], *c == '\t' ? " " : c, 1));
    }
    return pf_writer_text(t->out[TABLE], "\n");
}

static pf_err put_table(const coverer *t) {
    unsigned up_to = (unsigned)t->o->up_to;
    if (t->o->svg) PF_TRY(pf_coverage_table_svg(&t->table, up_to ? up_to : 8, t->out[CHART]));
    if (t->o->tsv) return pf_coverage_table_tsv(&t->table, up_to ? up_to : UINT_MAX, t->out[TABLE]);
    return pf_coverage_table_text(&t->table, up_to ? up_to : 8, t->out[TABLE]);
}

/* What there is to say besides, on stderr. */
static void say(const coverer *t) {
    toolalign_say_left_out(t->call, &t->left_out, NULL, 0);
    if (t->undecided) tool_say(t->call, "undecided, and counted as not reached (--max-states): %" PRIu64, t->undecided);
    if (!t->table.pairs.at[0]) tool_warn(t->call, "the input is empty: there are no pairs");
}

static pf_err read_bins(const char *bins, pf_coverage_table *table) {
    const char *at = bins;
    unsigned before = 0;
    while (at && *at) {
        uint64_t x;
        const char *end = at;
        if (!pf_digits_take(&end, &x) || x <= before || x > PF_MAX_WORDS || (*end && (*end != ',' || !end[1])))
            return pf_fail(PF_EARG, "--bins: expected lengths that rise, such as 10,20,30, found '%s'", bins);
        PF_TRY(PF_PUSH(&table->longest, (unsigned)x));
        before = (unsigned)x;
        at = *end ? end + 1 : end;
    }
    if (bins && !table->longest.n) return pf_fail(PF_EARG, "--bins: expected lengths, such as 10,20,30");
    return bins ? PF_PUSH(&table->longest, UINT_MAX) : PF_OK;
}

static pf_err make_table(coverer *t) {
    const options *o = t->o;
    const bool asked[PF_DIRECTIONS] = {goes(o, PF_FORWARD), goes(o, PF_BACKWARD)};
    const pf_coverage_family *f;
    for (size_t i = 0; !o->only && (f = pf_coverage_family_at(i)); i++) PF_TRY(pf_coverage_table_family(&t->table, f, asked));
    for (size_t i = 0; i < o->con.n; i++) PF_TRY(pf_coverage_table_spec(&t->table, o->con.at[i], asked));
    if (o->lattices) PF_TRY(pf_coverage_table_lattice(&t->table, "lattice"));
    PF_TRY(read_bins(o->bins, &t->table));
    t->answer = calloc(t->table.row.n + 1, sizeof *t->answer);
    return t->answer ? pf_coverage_table_start(&t->table) : pf_nomem();
}

static pf_err add_columns(coverer *t, const char *path) {
    const options *o = t->o;
    PF_TRY(pf_parallel_new(o->common.first_record, &t->pairs));
    PF_TRY(toolalign_text(t->call, t->pairs, o->source, &t->source));
    PF_TRY(toolalign_text(t->call, t->pairs, o->target, &t->target));
    pf_parallel_links how = {toolalign_from(o->from), false, t->source, t->target};
    return toolalign_links(t->call, t->pairs, path, &how, &t->links);
}

static pf_err check(const options *o) {
    const char *const outputs[] = {o->common.output ? o->common.output : "-", o->svg};
    PF_TRY(toolfst_check_outputs(outputs, sizeof outputs / sizeof *outputs));
    for (size_t i = 0; i < o->con.n; i++) PF_TRY(pf_coverage_check(o->con.at[i]));
    return o->why ? pf_coverage_check(o->why) : PF_OK;
}

static pf_err run_all(coverer *t, const char *path) {
    const options *o = t->o;
    t->filter.sure_only = o->links == SURE;
    PF_TRY(check(o));
    PF_TRY(pf_coverage_new(PLACES[o->place], &t->order));
    PF_TRY(pf_coverage_new(PLACES[o->place], &t->scratch));
    PF_TRY(make_table(t));
    PF_TRY(toolfst_open_output(t->call, &t->out[TABLE]));
    if (o->svg) PF_TRY(toolfst_create(t->call, o->svg, &t->out[CHART]));
    PF_TRY(add_columns(t, path));
    if (o->lattices) PF_TRY(toolfst_source_open(t->call, o->lattices, &t->lattices));
    if (o->per_sentence) PF_TRY(put_heading(t));
    PF_TRY(toolalign_each(t->call, t->pairs, 0, do_pair, t));
    PF_TRY(close_lattices(t));
    if (!o->per_sentence && !o->why) PF_TRY(put_table(t));
    return toolfst_close_outputs(t->call, t->out, OUTPUTS);
}

static int run(tool_call *call) {
    coverer t = {.call = call, .o = tool_options(call)};
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_err err = run_all(&t, n ? operands[0] : "-");
    if (!err) say(&t);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.out[i]);
    pf_parallel_free(t.pairs);
    pf_opened_free(t.opened);
    pf_expr_free(t.expr);
    toolfst_source_free(&t.lattices);
    pf_coverage_free(t.order);
    pf_coverage_free(t.scratch);
    pf_coverage_table_free(&t.table);
    free(t.answer);
    pf_alignment_free(&t.visited);
    pf_alignment_free(&t.fewer);
    return err ? tool_trouble(call) : TOOL_DONE;
}

const tool permcover = {
    .name = "permcover",
    .operands = "[FILE]",
    .summary = "Say how many alignments of a corpus each reordering constraint reaches",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.max_states = 1000000},
    .max_operands = 1,
    .run = run,
    .examples = {"permcover --source=train.de --target=train.en train.gdfa", "permcover --why=distortion:6 train.gdfa"},
};

TOOL_MAIN(permcover);
