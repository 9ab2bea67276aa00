/* Each direction of a pair is taken, asked about, and counted or written. */
#include <permfst/coverage/corpus.h>

#include "coverage/coverage_impl.h"

#include <permfst/ops/open.h>
#include <permfst/permute/con_file.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

struct pf_coverage_corpus {
    pf_coverage_corpus_options options;
    pf_coverage *order, *scratch;
    pf_expr *expr; /* the lattice of the pair, and opened */
    pf_opened *opened;
    pf_fst *lattice;
    pf_coverage_answer *answer;  /* of each row */
    pf_alignment visited, fewer; /* of the pair, in the direction at hand; the links that break it */
    unsigned length;
    uint64_t undecided;
    pf_align_left_out left_out;
    pf_con_file **trees;         /* of each row, and of options.spec after them; NULL: it has none */
    const char *spec;            /* EXPLAINED: of the pair at hand */
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

/* The sentence is as long as the lattice says, where nothing else says it. */
static pf_err take_lattice(pf_coverage_corpus *corpus, pf_alignment *alignment) {
    const pf_coverage_corpus_options *options = &corpus->options;
    uint32_t length;
    close_lattice(corpus);
    PF_TRY(pf_source_next(options->lattices, &corpus->expr));
    if (!corpus->expr)
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end",
            pf_source_name(options->lattices), pf_parallel_number(options->pairs));
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

static pf_err put_heading(const pf_coverage_table *table, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "pair\tdirection\twords\tlinks"));
    for (size_t i = 0; i < table->row.n; i++) {
        PF_TRY(pf_writer_text(writer, "\t"));
        for (const char *at = table->row.at[i].name; *at; at++) PF_TRY(pf_writer_put(writer, *at == '\t' ? " " : at, 1));
    }
    return pf_writer_text(writer, "\n");
}

static pf_err put_answers(const pf_coverage_corpus *corpus, unsigned direction) {
    static const char *const words[] = {[PF_NOT_REACHED] = "no", [PF_REACHED] = "yes", [PF_UNDECIDED] = "?"};
    pf_writer *writer = corpus->options.writer;
    PF_TRY(pf_writer_text(writer, "%" PRIu64 "\t%s\t%u\t%zu", pf_parallel_number(corpus->options.pairs),
        pfi_coverage_directions[direction], (unsigned)pf_alignment_sources(&corpus->visited), corpus->visited.link.n));
    for (size_t i = 0; i < corpus->options.table->row.n; i++) {
        const pf_coverage_row *row = &corpus->options.table->row.at[i];
        const pf_coverage_answer *answer = &corpus->answer[i];
        if (answer->reach == PF_REACHED && row->numbered) PF_TRY(pf_writer_text(writer, "\t%u", answer->param));
        else PF_TRY(pf_writer_text(writer, "\t%s", row->asked[direction] ? words[answer->reach] : "-"));
    }
    return pf_writer_text(writer, "\n");
}

/* ---- the links that break it ---- */

static pf_err put_words(const pf_coverage_corpus *corpus, const pf_alignment *alignment) {
    const pf_coverage_corpus_options *options = &corpus->options;
    if (!options->source || !options->target) return PF_OK;
    const pf_words *f = pf_parallel_sentence(options->pairs, options->source),
                   *e = pf_parallel_sentence(options->pairs, options->target);
    for (size_t i = 0; i < alignment->link.n; i++) {
        const pf_word *x = &f->at[alignment->link.at[i].source], *y = &e->at[alignment->link.at[i].target];
        PF_TRY(pf_writer_put(options->writer, i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(options->writer, x->at, x->n));
        PF_TRY(pf_writer_put(options->writer, "-", 1));
        PF_TRY(pf_writer_put(options->writer, y->at, y->n));
    }
    return PF_OK;
}

static pf_err explain(pf_coverage_corpus *corpus, unsigned direction) {
    const pf_coverage_corpus_options *options = &corpus->options;
    pf_reach reach;
    if (direction == PF_BACKWARD && corpus->trees[options->table->row.n]) return PF_OK;
    pf_err err = pf_coverage_reaches(corpus->order, corpus->spec, options->limit, &reach);
    if (err) return fail_in_line(corpus, err);
    corpus->undecided += reach == PF_UNDECIDED;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(pf_coverage_why(corpus->scratch, &corpus->visited, corpus->spec, options->limit, &corpus->fewer));
    if (direction == PF_BACKWARD) pf_alignment_invert(&corpus->fewer);
    PF_TRY(pf_writer_text(options->writer, "%" PRIu64 "\t%s\t%s\t", pf_parallel_number(options->pairs),
        pfi_coverage_directions[direction], options->spec));
    for (size_t i = 0; i < corpus->fewer.link.n; i++)
        PF_TRY(pf_writer_text(options->writer, "%s%u-%u", i ? " " : "", corpus->fewer.link.at[i].source,
            corpus->fewer.link.at[i].target));
    PF_TRY(put_words(corpus, &corpus->fewer));
    return pf_writer_text(options->writer, "\n");
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
    if (corpus->options.form == PF_COVERAGE_EXPLAINED) return explain(corpus, direction);
    PF_TRY(ask(corpus, direction));
    return corpus->options.form == PF_COVERAGE_LINES
               ? put_answers(corpus, direction)
               : pf_coverage_table_count(corpus->options.table, direction, corpus->length, corpus->answer);
}

/* The tree of the pair goes into the specifications that have a file of them. */
static pf_err take_trees(pf_coverage_corpus *corpus) {
    pf_coverage_table *table = corpus->options.table;
    for (size_t i = 0; i < table->row.n; i++)
        if (corpus->trees[i]) PF_TRY(pf_con_file_next(corpus->trees[i], corpus->length, &table->row.at[i].spec));
    corpus->spec = corpus->options.spec;
    pf_con_file *file = corpus->trees[table->row.n];
    return file ? pf_con_file_next(file, corpus->length, &corpus->spec) : PF_OK;
}

static pf_err take(pf_coverage_corpus *corpus) {
    pf_alignment *alignment = pf_parallel_alignment(corpus->options.pairs, corpus->options.links);
    if (corpus->options.lattices) PF_TRY(take_lattice(corpus, alignment));
    pf_alignment_filter(alignment, &corpus->options.filter, &corpus->left_out);
    corpus->length = pf_alignment_sources(alignment);
    PF_TRY(take_trees(corpus));
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

/* ---- the whole ---- */

static pf_err begin(pf_coverage_corpus *corpus) {
    const pf_coverage_corpus_options *options = &corpus->options;
    assert(options->table->pairs.n && (options->form == PF_COVERAGE_COUNTED || options->writer) &&
           (options->form != PF_COVERAGE_EXPLAINED || options->spec));
    PF_TRY(pf_coverage_new(options->place, &corpus->order));
    PF_TRY(pf_coverage_new(options->place, &corpus->scratch));
    corpus->answer = calloc(options->table->row.n + 1, sizeof *corpus->answer);
    corpus->trees = calloc(options->table->row.n + 1, sizeof *corpus->trees);
    if (!corpus->answer || !corpus->trees) return pf_nomem();
    for (size_t i = 0; i < options->table->row.n; i++) {
        const pf_coverage_row *row = &options->table->row.at[i];
        if (!row->family && !row->lattice) PF_TRY(pf_con_file_open(row->name, &corpus->trees[i]));
    }
    if (options->form == PF_COVERAGE_EXPLAINED)
        PF_TRY(pf_con_file_open(options->spec, &corpus->trees[options->table->row.n]));
    return options->form == PF_COVERAGE_LINES ? put_heading(options->table, options->writer) : PF_OK;
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
    for (size_t i = 0; corpus->trees && i <= corpus->options.table->row.n; i++) pf_con_file_free(corpus->trees[i]);
    free(corpus->trees);
    free(corpus->answer);
    free(corpus);
}

pf_err pf_coverage_corpus_end(pf_coverage_corpus *corpus) {
    pf_expr *more = NULL;
    for (size_t i = 0; i <= corpus->options.table->row.n; i++)
        if (corpus->trees[i]) PF_TRY(pf_con_file_end(corpus->trees[i]));
    if (corpus->options.lattices) PF_TRY(pf_source_next(corpus->options.lattices, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, one for each pair, found more",
                   pf_source_name(corpus->options.lattices), corpus->options.table->pairs.at[0]);
}

const pf_align_left_out *pf_coverage_corpus_left_out(const pf_coverage_corpus *corpus) { return &corpus->left_out; }
uint64_t pf_coverage_corpus_undecided(const pf_coverage_corpus *corpus) { return corpus->undecided; }
