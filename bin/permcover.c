/* permcover: which reordering constraints reach the alignments of a corpus. */
#include "toolalign.h"
#include "toolperm.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source, *target, *links = "sure", *place = "first", *direction = "both", *lattices, *bins,
                  *why, *svg;
static const char *const kinds[] = {"sure", "all", NULL}, *const places[] = {"first", "last", NULL};
static const char *const directions[] = {"both", "forward", "backward", NULL};
static const char *const direction_names[PF_DIRECTIONS] = {"source-target", "target-source"};
static tool_specs con;
static bool only, tsv, per_sentence;
static uint64_t up_to, max_states = 1000000;

static const tool_option options[] = {
    TOOLALIGN_FROM("alignments"),
    {.name = "source", .kind = TOOL_FILE, .to = &source, .metavar = "FILE",
     .help = "the source sentences, a line a pair: they say how long sentences are"},
    {.name = "target", .kind = TOOL_FILE, .to = &target, .metavar = "FILE", .help = "the target sentences, likewise"},
    {.name = "links", .kind = TOOL_CHOICE, .to = &links, .metavar = "KIND", .words = kinds,
     .help = "the links to use: sure ones only, or all [sure]"},
    {.name = "place", .kind = TOOL_CHOICE, .to = &place, .metavar = "WORD", .words = places,
     .help = "a word with several links counts at the first of its targets, or at the last [first]"},
    {.letter = 'd', .name = "direction", .kind = TOOL_CHOICE, .to = &direction, .metavar = "WORD", .words = directions,
     .help = "visit source words in target order (forward), target words in source order (backward), or one after the other "
             "[both]"},
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .to = &con, .metavar = "SPEC", .list = toolperm_list_constraints,
     .help = "a row for SPEC, such as itg+ibm:4 or itg-extended; may be repeated. -c list prints all names"},
    {.name = "lattices", .kind = TOOL_FILE, .to = &lattices, .metavar = "FILE",
     .help = "a row for the paths of these automata, a record a pair, which read positions of the source"},
    {.name = "only", .kind = TOOL_FLAG, .to = &only, .help = "no rows but those of --constraint and --lattices"},
    {.letter = 'b', .name = "bins", .kind = TOOL_TEXT, .to = &bins, .metavar = "LIST",
     .help = "also by number of source words, in bins that end at these, such as 10,20,30"},
    {.letter = 'u', .name = "up-to", .kind = TOOL_NUMBER, .to = &up_to, .metavar = "N", .min = 1, .max = PF_MAX_WORDS,
     .help = "the largest parameter to list; without it 8, and with --tsv all"},
    {.name = "tsv", .kind = TOOL_FLAG, .to = &tsv, .help = "write the table as lines with tabs"},
    {.name = "svg", .kind = TOOL_FILE, .to = &svg, .metavar = "FILE", .help = "draw the table to FILE, besides"},
    {.letter = 's', .name = "per-sentence", .kind = TOOL_FLAG, .to = &per_sentence,
     .help = "write no table, but for each pair the least parameters that reach it"},
    {.letter = 'w', .name = "why", .kind = TOOL_TEXT, .to = &why, .metavar = "SPEC",
     .help = "write no table, but for each pair that SPEC does not reach the links that break it"},
    {.name = "max-states", .kind = TOOL_NUMBER, .to = &max_states, .metavar = "N", .min = 1, .max = UINT32_MAX,
     .help = "the most states that a search may visit for one answer, which is undecided past it [1000000]"},
    TOOLFST_FIRST_RECORD,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permcover = {
    .name = "permcover",
    .operands = "[FILE]",
    .summary = "Say how many alignments of a corpus each reordering constraint reaches",
    .options = options,
    .max_operands = 1,
};

typedef enum { TABLE, CHART, OUTPUTS } output;

typedef struct {
    pf_writer *out[OUTPUTS];
    pf_parallel *pairs;
    size_t links, source, target; /* columns; source and target: 0 without */
    toolfst_source lattices;
    pf_expr *expr;         /* the lattice of the pair, and opened */
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

static bool goes(unsigned d) {
    return strcmp(direction, "both") == 0 || (strcmp(direction, "forward") == 0) == (d == PF_FORWARD);
}

/* ---- answers ---- */

/* What went wrong is said with the place of the pair, or of the lattice. A specification may name a position that the sentence
 * lacks. */
static pf_err name_place(const coverer *t, bool lattice, pf_err err) {
    if (lattice) return toolfst_name_record(err, lattices, pf_stream_record(t->lattices.stream));
    return err == PF_EARG ? pf_reader_fail_line(pf_parallel_reader(t->pairs, t->links), "%s", pf_message()) : err;
}

static pf_err ask(coverer *t, unsigned d) {
    size_t row;
    pf_err err = pf_coverage_table_ask(&t->table, t->order, d, t->lattice, max_states, t->answer, &row);
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
    pf_expr_free(t->expr);
    t->expr = NULL;
    PF_TRY(toolfst_next(&t->lattices, &t->expr));
    if (!t->expr)
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end", lattices,
                       pf_parallel_number(t->pairs));
    pf_err err = pf_open(t->expr, &t->lattice);
    if (!err) err = pf_coverage_lattice_length(t->lattice, &n);
    if (err) return name_place(t, true, err);
    if (n == PF_UNKNOWN_LENGTH) return PF_OK;
    uint32_t has = pf_alignment_sources(a);
    if (a->n_source == PF_UNKNOWN_LENGTH ? has > n : has != n)
        return pf_reader_fail_line(pf_parallel_reader(t->pairs, t->links), "the sentence has %s%u words, but record %" PRIu64
                                   " of %s has %u positions", a->n_source == PF_UNKNOWN_LENGTH ? "at least " : "", has,
                                   pf_stream_record(t->lattices.stream), lattices, n);
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
    pf_reach reach;
    pf_err err = pf_coverage_reaches(t->order, why, max_states, &reach);
    if (err) return name_place(t, false, err);
    t->undecided += reach == PF_UNDECIDED;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(pf_coverage_why(t->scratch, &t->visited, why, max_states, &t->fewer));
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
    if (lattices) PF_TRY(take_lattice(t, a));
    pf_alignment_filter(a, &t->filter, &t->left_out);
    t->length = pf_alignment_sources(a);
    pf_coverage_table_pair(&t->table, t->length);
    return pf_alignment_copy(a, &t->visited);
}

static pf_err do_direction(coverer *t, unsigned d) {
    PF_TRY(pf_coverage_take(t->order, &t->visited));
    if (why) return explain(t, d);
    PF_TRY(ask(t, d));
    if (!per_sentence) return pf_coverage_table_count(&t->table, d, t->length, t->answer);
    PF_TRY(pf_writer_text(t->out[TABLE], "%" PRIu64 "\t%s\t%u\t%zu", pf_parallel_number(t->pairs), direction_names[d],
                          (unsigned)pf_alignment_sources(&t->visited), t->visited.link.n));
    return put_answers(t, d);
}

static pf_err do_pair(void *self) {
    coverer *t = self;
    PF_TRY(take(t));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        if (d == PF_BACKWARD) pf_alignment_invert(&t->visited);
        if (goes(d)) PF_TRY(do_direction(t, d));
    }
    return pf_writer_flush(t->out[TABLE]);
}

/* That there is no lattice left, now that there is no pair. */
static pf_err close_lattices(coverer *t) {
    pf_expr *expr = NULL;
    if (lattices) PF_TRY(toolfst_next(&t->lattices, &expr));
    if (!expr) return PF_OK;
    pf_expr_free(expr);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, as there are pairs, found more", lattices,
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
    if (svg) PF_TRY(pf_coverage_table_svg(&t->table, up_to ? (unsigned)up_to : 8, t->out[CHART]));
    if (tsv) return pf_coverage_table_tsv(&t->table, up_to ? (unsigned)up_to : UINT_MAX, t->out[TABLE]);
    return pf_coverage_table_text(&t->table, up_to ? (unsigned)up_to : 8, t->out[TABLE]);
}

/* What there is to say besides, on stderr. */
static void say(const coverer *t) {
    toolalign_say_left_out(&t->left_out, NULL, 0);
    if (t->undecided) tool_say("undecided, and counted as not reached (--max-states): %" PRIu64, t->undecided);
    if (!t->table.pairs.at[0]) tool_warn(NULL, "the input is empty: there are no pairs");
}

static pf_err read_bins(pf_coverage_table *table) {
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
    const bool asked[PF_DIRECTIONS] = {goes(PF_FORWARD), goes(PF_BACKWARD)};
    const pf_coverage_family *f;
    for (size_t i = 0; !only && (f = pf_coverage_family_at(i)); i++) PF_TRY(pf_coverage_table_family(&t->table, f, asked));
    for (size_t i = 0; i < con.n; i++) PF_TRY(pf_coverage_table_spec(&t->table, con.at[i], asked));
    if (lattices) PF_TRY(pf_coverage_table_lattice(&t->table, "lattice"));
    PF_TRY(read_bins(&t->table));
    t->answer = calloc(t->table.row.n + 1, sizeof *t->answer);
    return t->answer ? pf_coverage_table_start(&t->table) : pf_nomem();
}

static pf_err add_columns(coverer *t, const char *path) {
    PF_TRY(pf_parallel_new(toolfst.first_record, &t->pairs));
    PF_TRY(toolalign_text(t->pairs, source, &t->source));
    PF_TRY(toolalign_text(t->pairs, target, &t->target));
    pf_parallel_links how = {toolalign_format(toolalign_from), false, t->source, t->target};
    return toolalign_links(t->pairs, path, &how, &t->links);
}

static pf_err check(void) {
    const char *const outputs[] = {toolfst.output ? toolfst.output : "-", svg};
    int forms = tsv + per_sentence + (why != NULL);
    if (forms > 1) return pf_fail(PF_EARG, "--tsv, --per-sentence and --why are different outputs: give one");
    if (svg && (per_sentence || why))
        return pf_fail(PF_EARG, "--svg draws the table, which --per-sentence and --why do not make");
    PF_TRY(toolfst_check_outputs(outputs, sizeof outputs / sizeof *outputs));
    if (per_sentence && (bins || up_to))
        return pf_fail(PF_EARG, "--%s is of the table, which --per-sentence does not make", bins ? "bins" : "up-to");
    if (only && !con.n && !lattices) return pf_fail(PF_EARG, "--only needs --constraint or --lattices");
    if (why && (con.n || lattices)) return pf_fail(PF_EARG, "--why takes a specification of its own");
    if (lattices && !goes(PF_FORWARD)) return pf_fail(PF_EARG, "--lattices is about the source: not with --direction=backward");
    for (size_t i = 0; i < con.n; i++) PF_TRY(pf_coverage_check(con.at[i]));
    return why ? pf_coverage_check(why) : PF_OK;
}

static pf_err run_all(coverer *t, const char *path) {
    t->filter.sure_only = strcmp(links, "sure") == 0;
    pf_place at = strcmp(place, "first") == 0 ? PF_PLACE_FIRST : PF_PLACE_LAST;
    PF_TRY(check());
    PF_TRY(pf_coverage_new(at, &t->order));
    PF_TRY(pf_coverage_new(at, &t->scratch));
    PF_TRY(make_table(t));
    PF_TRY(toolfst_open_output(&t->out[TABLE]));
    if (svg) PF_TRY(toolfst_create(svg, &t->out[CHART]));
    PF_TRY(add_columns(t, path));
    if (lattices) PF_TRY(toolfst_source_open(lattices, &t->lattices));
    if (per_sentence) PF_TRY(put_heading(t));
    PF_TRY(toolalign_each(t->pairs, 0, do_pair, t));
    PF_TRY(close_lattices(t));
    if (!per_sentence && !why) PF_TRY(put_table(t));
    return toolfst_close_outputs(t->out, OUTPUTS);
}

static int run(int n, char **operands) {
    coverer t = {0};
    pf_err err = run_all(&t, n ? operands[0] : "-");
    if (!err) say(&t);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.out[i]);
    pf_parallel_free(t.pairs);
    pf_expr_free(t.expr);
    toolfst_source_free(&t.lattices);
    pf_coverage_free(t.order);
    pf_coverage_free(t.scratch);
    pf_coverage_table_free(&t.table);
    free(t.answer);
    pf_alignment_free(&t.visited);
    pf_alignment_free(&t.fewer);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    toolalign_list();
    return tool_main(&permcover, argc, argv, run);
}
