/* permcover: which reordering constraints reach the alignments of a corpus. */
#include "toolalign.h"
#include "toolperm.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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

/* What is left out, and why. */
typedef enum { REPEATED, EMPTY_WORD, POSSIBLE, REASONS } reason;
static tool_left_out left_out[REASONS] = {
    [REPEATED] = {0, TOOLALIGN_REPEATED},
    [EMPTY_WORD] = {0, TOOLALIGN_EMPTY_WORD},
    [POSSIBLE] = {0, TOOLALIGN_POSSIBLE},
};

typedef enum { TABLE, CHART, OUTPUTS } output;

typedef struct {
    pf_writer *w[OUTPUTS];
    pf_parallel *rows;
    size_t column, source, target; /* source and target: 0 without */
    toolfst_source lattices;
    pf_expr *expr;        /* the lattice of the pair, and opened */
    pf_opened *opened;
    pf_fst *lattice;
    pf_coverage *order, *scratch;
    pf_coverage_table table;
    size_t families;      /* rows of families; then those of -c; then that of --lattices */
    pf_alignment a, fewer; /* of the pair, as it is visited; the links that break it */
    unsigned length;
    uint64_t undecided;
} coverer;

static bool goes(unsigned d) {
    return strcmp(direction, "both") == 0 || (strcmp(direction, "forward") == 0) == (d == PF_FORWARD);
}

/* ---- answers ---- */

/* One answer into the table, or onto the line of the pair. */
static pf_err answer(coverer *t, size_t row, unsigned d, pf_reach reach, unsigned param) {
    static const char *const words[] = {[PF_NOT_REACHED] = "no", [PF_REACHED] = "yes", [PF_UNDECIDED] = "?"};
    t->undecided += reach == PF_UNDECIDED;
    if (!per_sentence) return pf_coverage_table_count(&t->table, row, d, t->length, reach, param);
    if (reach == PF_REACHED && t->table.row.at[row].numbered) return pf_writer_text(t->w[TABLE], "\t%u", param);
    return pf_writer_text(t->w[TABLE], "\t%s", words[reach]);
}

static pf_err answer_families(coverer *t, unsigned d) {
    for (size_t i = 0; i < t->families; i++) {
        unsigned param;
        bool reached = pf_coverage_least(t->order, pf_coverage_family_at(i), &param);
        PF_TRY(answer(t, i, d, reached ? PF_REACHED : PF_NOT_REACHED, param));
    }
    return PF_OK;
}

/* A specification may name a position that the sentence lacks. */
static pf_err reaches(coverer *t, const char *spec, pf_reach *reach) {
    pf_err err = pf_coverage_reaches(t->order, spec, max_states, reach);
    return err == PF_EARG ? pf_reader_fail_line(pf_parallel_reader(t->rows, t->column), "%s", pf_message()) : err;
}

static pf_err answer_specs(coverer *t, unsigned d) {
    for (size_t i = 0; i < con.n; i++) {
        pf_reach reach;
        PF_TRY(reaches(t, con.at[i], &reach));
        PF_TRY(answer(t, t->families + i, d, reach, 0));
    }
    return PF_OK;
}

/* The positions that a path of a lattice reads: all do alike. PF_UNKNOWN_LENGTH where the way at hand does not end. */
static pf_err lattice_length(pf_fst *fst, uint32_t *n) {
    pf_state s = fst->start;
    uint32_t read = 0;
    *n = PF_UNKNOWN_LENGTH;
    for (uint32_t steps = 0; s != PF_NO_STATE && steps <= 2 * PF_MAX_WORDS; steps++) {
        pf_arcs a = pf_fst_arcs(fst, s);
        PF_TRY(pf_fst_error(fst));
        if (pf_fst_final(fst, s) < INFINITY) *n = read;
        if (!a.n || *n != PF_UNKNOWN_LENGTH) return PF_OK;
        read += a.arc[0].in != PF_EPSILON;
        s = a.arc[0].to;
    }
    return PF_OK;
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
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end", lattices, pf_parallel_number(t->rows));
    pf_err err = pf_open(t->expr, &t->opened);
    if (!err) t->lattice = pf_opened_fst(t->opened);
    if (!err) err = lattice_length(t->lattice, &n);
    if (err) return toolfst_name_record(err, lattices, pf_stream_record(t->lattices.stream));
    if (n == PF_UNKNOWN_LENGTH) return PF_OK;
    uint32_t has = a->n_source == PF_UNKNOWN_LENGTH ? pf_alignment_sources(a) : a->n_source;
    if (a->n_source == PF_UNKNOWN_LENGTH ? has > n : has != n)
        return pf_reader_fail_line(pf_parallel_reader(t->rows, t->column), "the sentence has %s%u words, but record %" PRIu64
                                   " of %s has %u positions", a->n_source == PF_UNKNOWN_LENGTH ? "at least " : "", has,
                                   pf_stream_record(t->lattices.stream), lattices, n);
    a->n_source = n;
    return PF_OK;
}

static pf_err answer_lattice(coverer *t, unsigned d) {
    pf_reach reach;
    if (!lattices || d != PF_FORWARD) return lattices && per_sentence ? pf_writer_text(t->w[TABLE], "\t-") : PF_OK;
    pf_err err = pf_coverage_lattice(t->order, t->lattice, max_states, &reach);
    if (err) return toolfst_name_record(err, lattices, pf_stream_record(t->lattices.stream));
    return answer(t, t->families + con.n, d, reach, 0);
}

/* ---- the links that break it ---- */

static pf_err put_words(const coverer *t, const pf_alignment *a) {
    if (!t->source || !t->target) return PF_OK;
    const pf_words *f = pf_parallel_sentence(t->rows, t->source), *e = pf_parallel_sentence(t->rows, t->target);
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_word *x = &f->at[a->link.at[i].source], *y = &e->at[a->link.at[i].target];
        PF_TRY(pf_writer_put(t->w[TABLE], i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(t->w[TABLE], x->at, x->n));
        PF_TRY(pf_writer_put(t->w[TABLE], "-", 1));
        PF_TRY(pf_writer_put(t->w[TABLE], y->at, y->n));
    }
    return PF_OK;
}

static pf_err explain(coverer *t, unsigned d) {
    pf_reach reach;
    PF_TRY(reaches(t, why, &reach));
    t->undecided += reach == PF_UNDECIDED;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(pf_coverage_why(t->scratch, &t->a, why, max_states, &t->fewer));
    if (d == PF_BACKWARD) pf_alignment_invert(&t->fewer);
    PF_TRY(pf_writer_text(t->w[TABLE], "%" PRIu64 "\t%s\t%s\t", pf_parallel_number(t->rows), direction_names[d], why));
    for (size_t i = 0; i < t->fewer.link.n; i++)
        PF_TRY(pf_writer_text(t->w[TABLE], "%s%u-%u", i ? " " : "", t->fewer.link.at[i].source, t->fewer.link.at[i].target));
    PF_TRY(put_words(t, &t->fewer));
    return pf_writer_text(t->w[TABLE], "\n");
}

/* ---- a pair ---- */

static pf_err take(coverer *t) {
    pf_alignment *a = pf_parallel_alignment(t->rows, t->column);
    left_out[REPEATED].n += a->repeated;
    left_out[EMPTY_WORD].n += a->null;
    if (lattices) PF_TRY(take_lattice(t, a));
    if (strcmp(links, "sure") == 0) left_out[POSSIBLE].n += pf_alignment_keep_sure(a);
    t->length = pf_alignment_sources(a);
    pf_coverage_table_pair(&t->table, t->length);
    return pf_alignment_copy(a, &t->a);
}

static pf_err do_direction(coverer *t, unsigned d) {
    PF_TRY(pf_coverage_take(t->order, &t->a));
    if (why) return explain(t, d);
    if (per_sentence)
        PF_TRY(pf_writer_text(t->w[TABLE], "%" PRIu64 "\t%s\t%u\t%zu", pf_parallel_number(t->rows), direction_names[d],
                              (unsigned)pf_alignment_sources(&t->a), t->a.link.n));
    PF_TRY(answer_families(t, d));
    PF_TRY(answer_specs(t, d));
    PF_TRY(answer_lattice(t, d));
    return per_sentence ? pf_writer_text(t->w[TABLE], "\n") : PF_OK;
}

static pf_err do_pair(coverer *t) {
    PF_TRY(take(t));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        if (d == PF_BACKWARD) pf_alignment_invert(&t->a);
        if (goes(d)) PF_TRY(do_direction(t, d));
    }
    return pf_writer_flush(t->w[TABLE]);
}

static pf_err do_pairs(coverer *t) {
    tool_unit("pair");
    for (bool more;;) {
        PF_TRY(pf_parallel_next(t->rows, &more));
        if (!more) break;
        tool_write_begin();
        pf_err err = do_pair(t);
        tool_write_end();
        PF_TRY(err);
        tool_done(1, pf_parallel_number(t->rows), 0);
    }
    pf_expr *expr = NULL;
    if (lattices) PF_TRY(toolfst_next(&t->lattices, &expr));
    if (!expr) return PF_OK;
    pf_expr_free(expr);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, as there are pairs, found more", lattices,
                   t->table.pairs.at[0]);
}

/* ---- the whole ---- */

static pf_err put_heading(const coverer *t) {
    PF_TRY(pf_writer_text(t->w[TABLE], "pair\tdirection\twords\tlinks"));
    for (size_t i = 0; i < t->table.row.n; i++) {
        PF_TRY(pf_writer_text(t->w[TABLE], "\t"));
        for (const char *c = t->table.row.at[i].name; *c; c++) PF_TRY(pf_writer_put(t->w[TABLE], *c == '\t' ? " " : c, 1));
    }
    return pf_writer_text(t->w[TABLE], "\n");
}

static pf_err put_table(const coverer *t) {
    if (svg) PF_TRY(pf_coverage_table_svg(&t->table, up_to ? (unsigned)up_to : 8, t->w[CHART]));
    if (tsv) return pf_coverage_table_tsv(&t->table, up_to ? (unsigned)up_to : UINT_MAX, t->w[TABLE]);
    return pf_coverage_table_text(&t->table, up_to ? (unsigned)up_to : 8, t->w[TABLE]);
}

/* What there is to say besides, on stderr. */
static void say(const coverer *t) {
    tool_say_left_out(left_out, REASONS);
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
    const bool asked[PF_DIRECTIONS] = {goes(PF_FORWARD), goes(PF_BACKWARD)}, forward[PF_DIRECTIONS] = {true, false};
    const pf_coverage_family *f;
    for (size_t i = 0; !only && (f = pf_coverage_family_at(i)); i++, t->families++)
        PF_TRY(pf_coverage_table_add(&t->table, f->name, f->numbered, f->lowest, asked));
    for (size_t i = 0; i < con.n; i++) PF_TRY(pf_coverage_table_add(&t->table, con.at[i], false, 0, asked));
    if (lattices) PF_TRY(pf_coverage_table_add(&t->table, "lattice", false, 0, forward));
    PF_TRY(read_bins(&t->table));
    return pf_coverage_table_start(&t->table);
}

static pf_err add_columns(coverer *t, const char *path) {
    PF_TRY(pf_parallel_new(toolfst.first_record, &t->rows));
    PF_TRY(toolalign_text(t->rows, source, &t->source));
    PF_TRY(toolalign_text(t->rows, target, &t->target));
    pf_parallel_links how = {toolalign_format(toolalign_from), false, t->source, t->target};
    return toolalign_links(t->rows, path, &how, &t->column);
}

static pf_err check(void) {
    const char *const outputs[] = {toolfst.output ? toolfst.output : "-", svg};
    int forms = tsv + per_sentence + (why != NULL);
    if (forms > 1) return pf_fail(PF_EARG, "--tsv, --per-sentence and --why are different outputs: give one");
    if (svg && (per_sentence || why))
        return pf_fail(PF_EARG, "--svg draws the table, which --per-sentence and --why do not make");
    PF_TRY(toolfst_check_outputs(outputs, sizeof outputs / sizeof *outputs));
    if (per_sentence && (bins || up_to)) return pf_fail(PF_EARG, "--%s is of the table, which --per-sentence does not make", bins ? "bins" : "up-to");
    if (only && !con.n && !lattices) return pf_fail(PF_EARG, "--only needs --constraint or --lattices");
    if (why && (con.n || lattices)) return pf_fail(PF_EARG, "--why takes a specification of its own");
    if (lattices && !goes(PF_FORWARD)) return pf_fail(PF_EARG, "--lattices is about the source: not with --direction=backward");
    for (size_t i = 0; i < con.n; i++) PF_TRY(pf_coverage_check(con.at[i]));
    return why ? pf_coverage_check(why) : PF_OK;
}

static pf_err run_all(coverer *t, const char *path) {
    pf_place at = strcmp(place, "first") == 0 ? PF_PLACE_FIRST : PF_PLACE_LAST;
    PF_TRY(check());
    PF_TRY(pf_coverage_new(at, &t->order));
    PF_TRY(pf_coverage_new(at, &t->scratch));
    PF_TRY(make_table(t));
    PF_TRY(toolfst_open_output(&t->w[TABLE]));
    if (svg) PF_TRY(toolfst_create(svg, &t->w[CHART]));
    PF_TRY(add_columns(t, path));
    if (lattices) PF_TRY(toolfst_source_open(lattices, &t->lattices));
    if (per_sentence) PF_TRY(put_heading(t));
    PF_TRY(do_pairs(t));
    if (!per_sentence && !why) PF_TRY(put_table(t));
    return toolfst_close_outputs(t->w, OUTPUTS);
}

static int run(int n, char **operands) {
    coverer t = {0};
    pf_err err = run_all(&t, n ? operands[0] : "-");
    if (!err) say(&t);
    for (int i = 0; i < OUTPUTS; i++) pf_writer_free(t.w[i]);
    pf_parallel_free(t.rows);
    pf_opened_free(t.opened);
    pf_expr_free(t.expr);
    toolfst_source_free(&t.lattices);
    pf_coverage_free(t.order);
    pf_coverage_free(t.scratch);
    pf_coverage_table_free(&t.table);
    pf_alignment_free(&t.a);
    pf_alignment_free(&t.fewer);
    return err ? tool_trouble() : TOOL_DONE;
}

int main(int argc, char **argv) {
    toolalign_list();
    return tool_main(&permcover, argc, argv, run);
}
