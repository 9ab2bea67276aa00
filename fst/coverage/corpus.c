/* Each direction of a pair is taken, asked about, and counted or written. */
#include <permfst/coverage/corpus.h>

#include "coverage/coverage_impl.h"

#include <permfst/ops/open.h>
#include <permfst/permute/con_file.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pf_coverage_corpus {
    pf_coverage_corpus_options options;
    pf_coverage *order, *scratch;
    pf_expr *expr; /* the lattice of the pair, and opened */
    pf_opened *opened;
    pf_fst *lattice;
    pf_coverage_answer *answer;  /* of each row */
    pf_alignment visited, fewer; /* of the pair, in the direction at hand; the links that break it */
    unsigned length;
    uint64_t pairs;              /* taken or passed over */
    uint64_t undecided;
    pf_align_left_out left_out;
    pf_con_file **trees;         /* of each row, and of options.spec after them; NULL: it has none */
    const char *spec;            /* EXPLAINED: of the pair at hand */
    pf_table lines;              /* LINES, EXPLAINED */
    pf_writer *words;            /* scratch: of a cell */
    const pf_marks *marks;       /* of the pair at hand; NULL: no marks are read */
    pf_marks blamed;             /* those that break a constraint */
};

/* ---- where it went wrong ---- */

static pf_err fail_in_lattice(const pf_coverage_corpus *corpus, pf_err err) {
    return pf_fail_in_record(err, pf_source_name(corpus->options.lattices), pf_source_record(corpus->options.lattices));
}

/* A specification may name a position that the sentence lacks. */
static pf_err fail_in_line(const pf_coverage_corpus *corpus, pf_err err) {
    return err == PF_EARG
               ? pf_reader_fail_line(pf_parallel_reader(corpus->options.pairs, corpus->options.links), "%s", pf_message())
               : err;
}

/* ---- the lattice of a pair ---- */

static void close_lattice(pf_coverage_corpus *corpus) {
    pf_opened_free(corpus->opened);
    pf_expr_free(corpus->expr);
    corpus->opened = NULL;
    corpus->expr = NULL;
    corpus->lattice = NULL;
}

static pf_err open_lattice(pf_coverage_corpus *corpus, uint32_t *length) {
    PF_TRY(pf_open(corpus->expr, &corpus->opened));
    corpus->lattice = pf_opened_fst(corpus->opened);
    return pf_coverage_lattice_length(corpus->lattice, length);
}

static pf_err read_lattice(pf_coverage_corpus *corpus) {
    const pf_coverage_corpus_options *options = &corpus->options;
    close_lattice(corpus);
    PF_TRY(pf_source_next(options->lattices, &corpus->expr));
    if (!corpus->expr)
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end",
            pf_source_name(options->lattices), pf_parallel_number(options->pairs));
    return PF_OK;
}

/* The sentence is as long as the lattice says, where nothing else says it. */
static pf_err take_lattice(pf_coverage_corpus *corpus, pf_alignment *alignment) {
    const pf_coverage_corpus_options *options = &corpus->options;
    uint32_t length;
    PF_TRY(read_lattice(corpus));
    pf_err err = open_lattice(corpus, &length);
    if (err) return fail_in_lattice(corpus, err);
    if (length == PF_UNKNOWN_LENGTH) return PF_OK;
    bool unknown = alignment->n_source == PF_UNKNOWN_LENGTH;
    uint32_t has = pf_alignment_sources(alignment);
    if (unknown ? has > length : has != length)
        return pf_reader_fail_line(pf_parallel_reader(options->pairs, options->links),
            "the sentence has %s%u words, but record %" PRIu64 " of %s has %u positions", unknown ? "at least " : "", has,
            pf_source_record(options->lattices), pf_source_name(options->lattices), length);
    alignment->n_source = length;
    return PF_OK;
}

/* ---- lines ---- */

static pf_err add_columns(pf_coverage_corpus *corpus) {
    static const pf_table_heading_cell all[] = {{"pair", -6}, {"direction", 13}}, of_lines[] = {{"words", -5}, {"links", -5}},
        of_reasons[] = {{"constraint", 20}, {"links", 20}};
    const pf_coverage_corpus_options *options = &corpus->options;
    const pf_table_heading_cell *more = options->form == PF_COVERAGE_LINES ? of_lines : of_reasons;
    pf_table *table = &corpus->lines;
    table->format = options->format;
    for (int i = 0; i < 2; i++) PF_TRY(pf_table_column(table, all[i].name, all[i].width));
    for (int i = 0; i < 2; i++) PF_TRY(pf_table_column(table, more[i].name, more[i].width));
    if (options->form == PF_COVERAGE_EXPLAINED) {
        if (options->source && options->target) PF_TRY(pf_table_column(table, "words", 20));
        return options->marked ? pf_table_column(table, "marks", 0) : PF_OK;
    }
    for (size_t i = 0; i < options->table->row.n; i++) PF_TRY(pf_table_column(table, options->table->row.at[i].name, -5));
    return PF_OK;
}

static pf_err put_answer(const pf_coverage_row *row, unsigned direction, const pf_coverage_answer *answer, pf_table_line *line) {
    if (!row->asked[direction]) return pf_cell_nothing(line);
    if (answer->reach == PF_UNDECIDED) return pf_cell_unknown(line, "?");
    if (answer->reach == PF_REACHED && row->numbered) return pf_cell_whole(line, answer->param);
    return pf_cell_truth(line, answer->reach == PF_REACHED);
}

static pf_err put_answers(const pf_coverage_corpus *corpus, unsigned direction) {
    pf_table_line line = pf_table_begin(&corpus->lines, corpus->options.writer);
    PF_TRY(pf_cell_whole(&line, pf_parallel_number(corpus->options.pairs)));
    PF_TRY(pf_cell_text(&line, pfi_coverage_directions[direction]));
    PF_TRY(pf_cell_whole(&line, pf_alignment_sources(&corpus->visited)));
    PF_TRY(pf_cell_whole(&line, corpus->visited.link.n));
    for (size_t i = 0; i < corpus->options.table->row.n; i++)
        PF_TRY(put_answer(&corpus->options.table->row.at[i], direction, &corpus->answer[i], &line));
    return PF_OK;
}

/* ---- the links that break it ---- */

static pf_err put_text(pf_coverage_corpus *corpus, pf_table_line *line) {
    size_t n;
    PF_TRY(pf_writer_put(corpus->words, "", 1));
    pf_err err = pf_cell_text(line, (const char *)pf_writer_bytes(corpus->words, &n));
    pf_writer_clear(corpus->words);
    return err;
}

static pf_err write_links(const pf_alignment *alignment, pf_writer *to) {
    for (size_t i = 0; i < alignment->link.n; i++)
        PF_TRY(pf_writer_text(to, "%s%u-%u", i ? " " : "", alignment->link.at[i].source, alignment->link.at[i].target));
    return PF_OK;
}

static pf_err write_words(const pf_coverage_corpus *corpus, const pf_alignment *alignment, pf_writer *to) {
    const pf_coverage_corpus_options *options = &corpus->options;
    const pf_words *f = pf_parallel_sentence(options->pairs, options->source),
                   *e = pf_parallel_sentence(options->pairs, options->target);
    for (size_t at = 0; at < alignment->link.n; at++) {
        const pf_word *x = &f->at[alignment->link.at[at].source], *y = &e->at[alignment->link.at[at].target];
        PF_TRY(pf_writer_text(to, "%s%.*s-%.*s", at ? " " : "", (int)x->n, x->at, (int)y->n, y->at));
    }
    return PF_OK;
}

/* "wall before ,", "zone das Haus": in the words of the sentence. */
static pf_err write_mark(const pf_coverage_corpus *corpus, const pf_mark *mark, pf_writer *to) {
    const pf_words *words = pf_parallel_sentence(corpus->options.pairs, corpus->options.source);
    const pfi_mark_parts parts = pfi_mark_take_apart(mark);
    assert(parts.wall ? parts.at < words->n : parts.last <= words->n);
    if (parts.wall) return pf_writer_text(to, "wall before %.*s", (int)words->at[parts.at].n, words->at[parts.at].at);
    PF_TRY(pf_writer_text(to, "%s", parts.unit ? "unit" : "zone"));
    for (unsigned i = parts.first; i <= parts.last; i++)
        PF_TRY(pf_writer_text(to, " %.*s", (int)words->at[i - 1].n, words->at[i - 1].at));
    return PF_OK;
}

static pf_err write_marks(const pf_coverage_corpus *corpus, pf_writer *to) {
    const pf_marks *marks = &corpus->blamed;
    for (size_t at = 0; at < marks->n; at++) {
        if (at) PF_TRY(pf_writer_text(to, "; "));
        PF_TRY(write_mark(corpus, &marks->at[at], to));
    }
    return marks->n ? PF_OK : pf_writer_text(to, "-");
}

/* What may not be reached: by the specification, by marks, by both together (neither is NULL), or by the lattice (both are). */
typedef struct {
    const char *spec;
    const pf_marks *marks;
} reason;

static const char *lattice_name(const pf_coverage_table *table) {
    size_t i = 0;
    while (!table->row.at[i].lattice) i++; /* there is one, since lattices are read */
    return table->row.at[i].name;
}

/* With the marks that break it: "distortion:6+wall:9", "wall:9". */
static pf_err write_constraint(const pf_coverage_corpus *corpus, const reason *why, pf_writer *to) {
    const char *plus = "";
    if (!why->spec && !why->marks) return pf_writer_text(to, "%s", lattice_name(corpus->options.table));
    if (why->spec) PF_TRY(pf_writer_text(to, "%s", corpus->options.spec));
    if (why->spec) plus = "+";
    for (size_t i = 0; i < corpus->blamed.n; i++, plus = "+") PF_TRY(pf_writer_text(to, "%s%s", plus, corpus->blamed.at[i].spec));
    return PF_OK;
}

static pf_err put_reason(pf_coverage_corpus *corpus, unsigned direction, const reason *why) {
    const pf_coverage_corpus_options *options = &corpus->options;
    pf_table_line line = pf_table_begin(&corpus->lines, options->writer);
    PF_TRY(pf_cell_whole(&line, pf_parallel_number(options->pairs)));
    PF_TRY(pf_cell_text(&line, pfi_coverage_directions[direction]));
    PF_TRY(write_constraint(corpus, why, corpus->words));
    PF_TRY(put_text(corpus, &line));
    PF_TRY(write_links(&corpus->fewer, corpus->words));
    PF_TRY(put_text(corpus, &line));
    if (options->source && options->target) {
        PF_TRY(write_words(corpus, &corpus->fewer, corpus->words));
        PF_TRY(put_text(corpus, &line));
    }
    if (!options->marked) return PF_OK;
    PF_TRY(write_marks(corpus, corpus->words));
    return put_text(corpus, &line);
}

static const char *spec_of(const reason *why) { return why->spec ? why->spec : why->marks ? "none" : NULL; }

static pf_err asks(pf_coverage_corpus *corpus, const reason *why, pf_reach *reach) {
    uint64_t limit = corpus->options.limit;
    const char *spec = spec_of(why);
    pf_coverage_mark(corpus->order, why->marks);
    pf_err err = spec ? pf_coverage_reaches(corpus->order, spec, limit, reach)
                      : pf_coverage_lattice(corpus->order, corpus->lattice, limit, reach);
    corpus->undecided += !err && *reach == PF_UNDECIDED;
    return err && !spec ? fail_in_lattice(corpus, err) : err ? fail_in_line(corpus, err) : PF_OK;
}

/* The links that are left, and the marks that break the constraint with them. */
static pf_err reduce(pf_coverage_corpus *corpus, const reason *why) {
    uint64_t limit = corpus->options.limit;
    corpus->blamed.n = 0;
    pf_coverage_mark(corpus->scratch, why->marks);
    PF_TRY(pf_coverage_why(corpus->scratch, &corpus->visited, spec_of(why), corpus->lattice, limit, &corpus->fewer));
    if (!why->marks) return PF_OK;
    PF_TRY(pf_coverage_take(corpus->scratch, &corpus->fewer));
    return pf_coverage_why_marks(corpus->scratch, spec_of(why), limit, &corpus->blamed);
}

static pf_err explain(pf_coverage_corpus *corpus, unsigned direction, const reason *why, bool *broken) {
    pf_reach reach;
    PF_TRY(asks(corpus, why, &reach));
    if (reach == PF_NOT_REACHED) *broken = true;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(reduce(corpus, why));
    if (direction == PF_BACKWARD) pf_alignment_invert(&corpus->fewer);
    return put_reason(corpus, direction, why);
}

/* The specification and the marks, each by itself; both together where that is what breaks. Trees, marks and lattices are about the
 * source. */
static pf_err explain_all(pf_coverage_corpus *corpus, unsigned direction) {
    bool forward = direction == PF_FORWARD, of_trees = corpus->trees[corpus->options.table->row.n], broken = false;
    const reason alone = {corpus->spec, NULL}, marks = {NULL, corpus->marks}, both = {corpus->spec, corpus->marks};
    if (alone.spec && (forward || !of_trees)) PF_TRY(explain(corpus, direction, &alone, &broken));
    if (alone.spec && forward && corpus->marks) PF_TRY(explain(corpus, direction, &marks, &broken));
    if (alone.spec && forward && corpus->marks && !broken) PF_TRY(explain(corpus, direction, &both, &broken));
    return corpus->lattice && forward ? explain(corpus, direction, &(reason){NULL, NULL}, &broken) : PF_OK;
}

/* ---- a pair ---- */

static pf_err ask(pf_coverage_corpus *corpus, unsigned direction) {
    const pf_coverage_table *table = corpus->options.table;
    size_t row;
    pf_err err = pf_coverage_table_ask(table, corpus->order, direction, corpus->lattice, corpus->options.limit,
        corpus->answer, &row);
    if (err) return table->row.at[row].lattice ? fail_in_lattice(corpus, err) : fail_in_line(corpus, err);
    for (size_t i = 0; i < table->row.n; i++) corpus->undecided += corpus->answer[i].reach == PF_UNDECIDED;
    return PF_OK;
}

static pf_err do_direction(pf_coverage_corpus *corpus, unsigned direction) {
    PF_TRY(pf_coverage_take(corpus->order, &corpus->visited));
    if (corpus->options.form == PF_COVERAGE_EXPLAINED) return explain_all(corpus, direction);
    pf_coverage_mark(corpus->order, direction == PF_FORWARD ? corpus->marks : NULL);
    PF_TRY(ask(corpus, direction));
    return corpus->options.form == PF_COVERAGE_LINES
               ? put_answers(corpus, direction)
               : pf_coverage_table_count(corpus->options.table, direction, corpus->length, corpus->answer);
}

/* The next tree of a file, after those of all pairs before. */
static pf_err take_tree(const pf_coverage_corpus *corpus, pf_con_file *file, const char **spec) {
    if (!file) return PF_OK;
    PF_TRY(pf_con_file_skip(file, corpus->pairs));
    return pf_con_file_next(file, corpus->length, spec);
}

/* The tree of the pair goes into the specifications that have a file of them. */
static pf_err take_trees(pf_coverage_corpus *corpus) {
    pf_coverage_table *table = corpus->options.table;
    for (size_t i = 0; i < table->row.n; i++) PF_TRY(take_tree(corpus, corpus->trees[i], &table->row.at[i].spec));
    corpus->spec = corpus->options.spec;
    return take_tree(corpus, corpus->trees[table->row.n], &corpus->spec);
}

static pf_err take(pf_coverage_corpus *corpus) {
    pf_alignment *alignment = pf_parallel_alignment(corpus->options.pairs, corpus->options.links);
    if (corpus->options.lattices) PF_TRY(take_lattice(corpus, alignment));
    pf_alignment_filter(alignment, &corpus->options.filter, &corpus->left_out);
    corpus->length = pf_alignment_sources(alignment);
    if (corpus->options.marked) corpus->marks = pf_parallel_marks(corpus->options.pairs, corpus->options.source);
    PF_TRY(take_trees(corpus));
    corpus->pairs++;
    pf_coverage_table_pair(corpus->options.table, corpus->length);
    return pf_alignment_copy(alignment, &corpus->visited);
}

pf_err pf_coverage_corpus_pair(pf_coverage_corpus *corpus) {
    PF_TRY(take(corpus));
    for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++) {
        if (direction == PF_BACKWARD) pf_alignment_invert(&corpus->visited);
        if (corpus->options.asked[direction]) PF_TRY(do_direction(corpus, direction));
    }
    return corpus->options.form == PF_COVERAGE_COUNTED ? PF_OK : pf_writer_flush(corpus->options.writer);
}

pf_err pf_coverage_corpus_pass(pf_coverage_corpus *corpus) {
    corpus->pairs++;
    return corpus->options.lattices ? read_lattice(corpus) : PF_OK;
}

/* ---- the whole ---- */

static pf_err begin(pf_coverage_corpus *corpus) {
    const pf_coverage_corpus_options *options = &corpus->options;
    assert(options->table->pairs.n && (options->form == PF_COVERAGE_COUNTED || options->writer) &&
           (options->form != PF_COVERAGE_EXPLAINED || options->spec || options->lattices) && (!options->marked || options->source));
    PF_TRY(pf_coverage_new(options->place, &corpus->order));
    PF_TRY(pf_coverage_new(options->place, &corpus->scratch));
    corpus->answer = calloc(options->table->row.n + 1, sizeof *corpus->answer);
    corpus->trees = calloc(options->table->row.n + 1, sizeof *corpus->trees);
    if (!corpus->answer || !corpus->trees) return pf_nomem();
    for (size_t i = 0; i < options->table->row.n; i++) {
        const pf_coverage_row *row = &options->table->row.at[i];
        if (!row->family && !row->lattice) PF_TRY(pf_con_file_open(row->name, &corpus->trees[i]));
    }
    if (options->form == PF_COVERAGE_EXPLAINED && options->spec)
        PF_TRY(pf_con_file_open(options->spec, &corpus->trees[options->table->row.n]));
    if (options->form == PF_COVERAGE_COUNTED) return PF_OK;
    PF_TRY(pf_writer_memory(&corpus->words));
    PF_TRY(add_columns(corpus));
    bool headed = options->form == PF_COVERAGE_LINES || options->heading;
    return headed ? pf_table_heading(&corpus->lines, options->writer) : PF_OK;
}

pf_err pf_coverage_corpus_new(const pf_coverage_corpus_options *options, pf_coverage_corpus **out) {
    pf_coverage_corpus *corpus = *out = calloc(1, sizeof *corpus);
    if (!corpus) return pf_nomem();
    corpus->options = *options;
    pf_err err = begin(corpus);
    if (!err) return PF_OK;
    pf_coverage_corpus_free(corpus);
    *out = NULL;
    return err;
}

void pf_coverage_corpus_free(pf_coverage_corpus *corpus) {
    if (!corpus) return;
    close_lattice(corpus);
    pf_coverage_free(corpus->order);
    pf_coverage_free(corpus->scratch);
    pf_alignment_free(&corpus->visited);
    pf_alignment_free(&corpus->fewer);
    pf_table_free(&corpus->lines);
    pf_writer_free(corpus->words);
    PF_VEC_FREE(&corpus->blamed);
    for (size_t i = 0; corpus->trees && i <= corpus->options.table->row.n; i++) pf_con_file_free(corpus->trees[i]);
    free(corpus->trees);
    free(corpus->answer);
    free(corpus);
}

static pf_err end_trees(const pf_coverage_corpus *corpus, pf_con_file *file) {
    PF_TRY(pf_con_file_skip(file, corpus->pairs));
    return pf_con_file_end(file);
}

pf_err pf_coverage_corpus_end(pf_coverage_corpus *corpus) {
    pf_expr *more = NULL;
    for (size_t i = 0; i <= corpus->options.table->row.n; i++)
        if (corpus->trees[i]) PF_TRY(end_trees(corpus, corpus->trees[i]));
    if (corpus->options.lattices) PF_TRY(pf_source_next(corpus->options.lattices, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, one for each pair, found more",
                   pf_source_name(corpus->options.lattices), corpus->pairs);
}

const pf_align_left_out *pf_coverage_corpus_left_out(const pf_coverage_corpus *corpus) { return &corpus->left_out; }
uint64_t pf_coverage_corpus_undecided(const pf_coverage_corpus *corpus) { return corpus->undecided; }
