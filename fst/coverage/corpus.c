/* Each direction of a pair is taken, asked about, and counted or written. */
#include <permfst/coverage/corpus.h>

#include "coverage/coverage_impl.h"

#include <permfst/ops/open.h>

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
};

/* ---- where it went wrong ---- */

static pf_err fail_in_lattice(const pf_coverage_corpus *c, pf_err err) {
    return pf_fail_in_record(err, pf_source_name(c->options.lattices), pf_source_record(c->options.lattices));
}

/* A specification may name a position that the sentence lacks. */
static pf_err fail_in_line(const pf_coverage_corpus *c, pf_err err) {
    return err == PF_EARG ? pf_reader_fail_line(pf_parallel_reader(c->options.pairs, c->options.links), "%s", pf_message()) : err;
}

/* ---- the lattice of a pair ---- */

static void close_lattice(pf_coverage_corpus *c) {
    pf_opened_free(c->opened);
    pf_expr_free(c->expr);
    c->opened = NULL;
    c->expr = NULL;
    c->lattice = NULL;
}

static pf_err open_lattice(pf_coverage_corpus *c, uint32_t *length) {
    PF_TRY(pf_open(c->expr, &c->opened));
    c->lattice = pf_opened_fst(c->opened);
    return pf_coverage_lattice_length(c->lattice, length);
}

/* The sentence is as long as the lattice says, where nothing else says it. */
static pf_err take_lattice(pf_coverage_corpus *c, pf_alignment *a) {
    const pf_coverage_corpus_options *o = &c->options;
    uint32_t n;
    close_lattice(c);
    PF_TRY(pf_source_next(o->lattices, &c->expr));
    if (!c->expr)
        return pf_fail(PF_EINPUT, "%s: expected a record for pair %" PRIu64 ", found the end", pf_source_name(o->lattices),
                       pf_parallel_number(o->pairs));
    pf_err err = open_lattice(c, &n);
    if (err) return fail_in_lattice(c, err);
    if (n == PF_UNKNOWN_LENGTH) return PF_OK;
    bool unknown = a->n_source == PF_UNKNOWN_LENGTH;
    uint32_t has = pf_alignment_sources(a);
    if (unknown ? has > n : has != n)
        return pf_reader_fail_line(pf_parallel_reader(o->pairs, o->links), "the sentence has %s%u words, but record %" PRIu64
                                   " of %s has %u positions", unknown ? "at least " : "", has, pf_source_record(o->lattices),
                                   pf_source_name(o->lattices), n);
    a->n_source = n;
    return PF_OK;
}

/* ---- lines ---- */

static pf_err put_heading(const pf_coverage_table *t, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "pair\tdirection\twords\tlinks"));
    for (size_t i = 0; i < t->row.n; i++) {
        PF_TRY(pf_writer_text(w, "\t"));
        for (const char *at = t->row.at[i].name; *at; at++) PF_TRY(pf_writer_put(w, *at == '\t' ? " " : at, 1));
    }
    return pf_writer_text(w, "\n");
}

static pf_err put_answers(const pf_coverage_corpus *c, unsigned d) {
    static const char *const words[] = {[PF_NOT_REACHED] = "no", [PF_REACHED] = "yes", [PF_UNDECIDED] = "?"};
    pf_writer *w = c->options.w;
    PF_TRY(pf_writer_text(w, "%" PRIu64 "\t%s\t%u\t%zu", pf_parallel_number(c->options.pairs), pfi_coverage_directions[d],
                          (unsigned)pf_alignment_sources(&c->visited), c->visited.link.n));
    for (size_t i = 0; i < c->options.table->row.n; i++) {
        const pf_coverage_row *row = &c->options.table->row.at[i];
        const pf_coverage_answer *answer = &c->answer[i];
        if (answer->reach == PF_REACHED && row->numbered) PF_TRY(pf_writer_text(w, "\t%u", answer->param));
        else PF_TRY(pf_writer_text(w, "\t%s", row->asked[d] ? words[answer->reach] : "-"));
    }
    return pf_writer_text(w, "\n");
}

/* ---- the links that break it ---- */

static pf_err put_words(const pf_coverage_corpus *c, const pf_alignment *a) {
    const pf_coverage_corpus_options *o = &c->options;
    if (!o->source || !o->target) return PF_OK;
    const pf_words *f = pf_parallel_sentence(o->pairs, o->source), *e = pf_parallel_sentence(o->pairs, o->target);
    for (size_t i = 0; i < a->link.n; i++) {
        const pf_word *x = &f->at[a->link.at[i].source], *y = &e->at[a->link.at[i].target];
        PF_TRY(pf_writer_put(o->w, i ? " " : "\t", 1));
        PF_TRY(pf_writer_put(o->w, x->at, x->n));
        PF_TRY(pf_writer_put(o->w, "-", 1));
        PF_TRY(pf_writer_put(o->w, y->at, y->n));
    }
    return PF_OK;
}

static pf_err explain(pf_coverage_corpus *c, unsigned d) {
    const pf_coverage_corpus_options *o = &c->options;
    pf_reach reach;
    pf_err err = pf_coverage_reaches(c->order, o->spec, o->limit, &reach);
    if (err) return fail_in_line(c, err);
    c->undecided += reach == PF_UNDECIDED;
    if (reach != PF_NOT_REACHED) return PF_OK;
    PF_TRY(pf_coverage_why(c->scratch, &c->visited, o->spec, o->limit, &c->fewer));
    if (d == PF_BACKWARD) pf_alignment_invert(&c->fewer);
    PF_TRY(pf_writer_text(o->w, "%" PRIu64 "\t%s\t%s\t", pf_parallel_number(o->pairs), pfi_coverage_directions[d], o->spec));
    for (size_t i = 0; i < c->fewer.link.n; i++)
        PF_TRY(pf_writer_text(o->w, "%s%u-%u", i ? " " : "", c->fewer.link.at[i].source, c->fewer.link.at[i].target));
    PF_TRY(put_words(c, &c->fewer));
    return pf_writer_text(o->w, "\n");
}

/* ---- a pair ---- */

static pf_err ask(pf_coverage_corpus *c, unsigned d) {
    const pf_coverage_table *t = c->options.table;
    size_t row;
    pf_err err = pf_coverage_table_ask(t, c->order, d, c->lattice, c->options.limit, c->answer, &row);
    if (err) return t->row.at[row].lattice ? fail_in_lattice(c, err) : fail_in_line(c, err);
    for (size_t i = 0; i < t->row.n; i++) c->undecided += c->answer[i].reach == PF_UNDECIDED;
    return PF_OK;
}

static pf_err do_direction(pf_coverage_corpus *c, unsigned d) {
    PF_TRY(pf_coverage_take(c->order, &c->visited));
    if (c->options.form == PF_COVERAGE_EXPLAINED) return explain(c, d);
    PF_TRY(ask(c, d));
    return c->options.form == PF_COVERAGE_LINES ? put_answers(c, d)
                                                : pf_coverage_table_count(c->options.table, d, c->length, c->answer);
}

static pf_err take(pf_coverage_corpus *c) {
    pf_alignment *a = pf_parallel_alignment(c->options.pairs, c->options.links);
    if (c->options.lattices) PF_TRY(take_lattice(c, a));
    pf_alignment_filter(a, &c->options.filter, &c->left_out);
    c->length = pf_alignment_sources(a);
    pf_coverage_table_pair(c->options.table, c->length);
    return pf_alignment_copy(a, &c->visited);
}

pf_err pf_coverage_corpus_pair(pf_coverage_corpus *c) {
    PF_TRY(take(c));
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        if (d == PF_BACKWARD) pf_alignment_invert(&c->visited);
        if (c->options.asked[d]) PF_TRY(do_direction(c, d));
    }
    return c->options.form == PF_COVERAGE_COUNTED ? PF_OK : pf_writer_flush(c->options.w);
}

/* ---- the whole ---- */

static pf_err begin(pf_coverage_corpus *c) {
    const pf_coverage_corpus_options *o = &c->options;
    assert(o->table->pairs.n && (o->form == PF_COVERAGE_COUNTED || o->w) && (o->form != PF_COVERAGE_EXPLAINED || o->spec));
    PF_TRY(pf_coverage_new(o->place, &c->order));
    PF_TRY(pf_coverage_new(o->place, &c->scratch));
    c->answer = calloc(o->table->row.n + 1, sizeof *c->answer);
    if (!c->answer) return pf_nomem();
    return o->form == PF_COVERAGE_LINES ? put_heading(o->table, o->w) : PF_OK;
}

pf_err pf_coverage_corpus_new(const pf_coverage_corpus_options *options, pf_coverage_corpus **out) {
    pf_coverage_corpus *c = *out = calloc(1, sizeof *c);
    if (!c) return pf_nomem();
    c->options = *options;
    pf_err err = begin(c);
    if (!err) return PF_OK;
    pf_coverage_corpus_free(c);
    *out = NULL;
    return err;
}

void pf_coverage_corpus_free(pf_coverage_corpus *c) {
    if (!c) return;
    close_lattice(c);
    pf_coverage_free(c->order);
    pf_coverage_free(c->scratch);
    pf_alignment_free(&c->visited);
    pf_alignment_free(&c->fewer);
    free(c->answer);
    free(c);
}

pf_err pf_coverage_corpus_end(pf_coverage_corpus *c) {
    pf_expr *more = NULL;
    if (c->options.lattices) PF_TRY(pf_source_next(c->options.lattices, &more));
    if (!more) return PF_OK;
    pf_expr_free(more);
    return pf_fail(PF_EINPUT, "%s: expected %" PRIu64 " records, one for each pair, found more",
                   pf_source_name(c->options.lattices), c->options.table->pairs.at[0]);
}

const pf_align_left_out *pf_coverage_corpus_left_out(const pf_coverage_corpus *c) { return &c->left_out; }
uint64_t pf_coverage_corpus_undecided(const pf_coverage_corpus *c) { return c->undecided; }
