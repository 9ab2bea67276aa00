/* One pair at a time: time and memory of a pair are those of its links. */
#include <permfst/align/convert.h>

#include <permfst/align/draw.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct pf_align_converter {
    pf_align_conversion how;
    pf_sym *sym;
    pf_alignment symmetrized;
    pf_align_counts all;
    pf_align_left_out left_out;
    pf_align_lost lost;
    uint64_t drawn; /* pairs */
};

pf_err pf_align_converter_new(const pf_align_conversion *how, pf_align_converter **out) {
    pf_align_converter *converter = *out = calloc(1, sizeof *converter);
    assert(how->operand[0] && !how->method == !how->operand[1]);
    if (!converter) return pf_nomem();
    converter->how = *how;
    pf_err err = how->method ? pf_sym_new(&converter->sym) : PF_OK;
    if (!err) return PF_OK;
    free(converter);
    *out = NULL;
    return err;
}

void pf_align_converter_free(pf_align_converter *converter) {
    if (!converter) return;
    pf_sym_free(converter->sym);
    pf_alignment_free(&converter->symmetrized);
    free(converter);
}

/* ---- a pair ---- */

static pf_alignment *take(pf_align_converter *converter, int operand) {
    pf_alignment *links = pf_parallel_alignment(converter->how.pairs, converter->how.operand[operand]);
    pf_alignment_filter(links, &converter->how.filter, &converter->left_out);
    return links;
}

static pf_err make(pf_align_converter *converter, pf_alignment **out) {
    const pf_align_conversion *how = &converter->how;
    *out = take(converter, 0);
    if (!how->method) return PF_OK;
    const pf_alignment *first = *out, *second = take(converter, 1);
    *out = &converter->symmetrized;
    return pf_symmetrize(converter->sym, how->method, how->order, first, second, *out);
}

/* The words of a side: of the text, or else of an operand that has them. */
static const pf_words *words(const pf_align_conversion *how, size_t text, const pf_words *side(const pf_parallel *, size_t)) {
    if (text) return pf_parallel_sentence(how->pairs, text);
    for (int i = 0; i < 2 && how->operand[i]; i++)
        if (side(how->pairs, how->operand[i])) return side(how->pairs, how->operand[i]);
    return NULL;
}

/* A blank line stands between two matrices of text. */
static pf_err draw_pair(pf_align_converter *converter, const pf_alignment *links, const pf_align_pair *pair) {
    bool first = !converter->drawn++, svg = converter->how.shown == PF_ALIGN_MATRIX_SVG;
    pf_writer *writer = converter->how.writer;
    if (svg && !first)
        return pf_fail(PF_EARG, "a picture shows one pair, and there are more: take one of them (--records=%llu)",
                       (unsigned long long)pair->number);
    if (svg) return pf_draw_alignment(writer, links, pair);
    if (!first) PF_TRY(pf_writer_put(writer, "\n", 1));
    return pf_draw_alignment_text(writer, links, pair);
}

static pf_err write_pair(pf_align_converter *converter, const pf_alignment *links) {
    const pf_align_conversion *how = &converter->how;
    const pf_words *source = words(how, how->source, pf_parallel_source), *target = words(how, how->target, pf_parallel_target);
    pf_align_pair pair = {pf_parallel_number(how->pairs), how->invert ? target : source, how->invert ? source : target};
    if (how->shown != PF_ALIGN_LINKS) return draw_pair(converter, links, &pair);
    pf_align_count_lost(how->to, links, &converter->lost);
    return pf_align_write(how->writer, how->to, links, &pair);
}

static pf_err evaluate_pair(pf_align_converter *converter, const pf_alignment *links) {
    const pf_align_conversion *how = &converter->how;
    pf_alignment *gold = pf_parallel_alignment(how->pairs, how->gold);
    pf_align_counts counts = {0};
    char number[24];
    pf_alignment_filter(gold, NULL, &converter->left_out);
    pf_align_evaluate(links, gold, &converter->all);
    if (!how->per_line) return PF_OK;
    pf_align_evaluate(links, gold, &counts);
    snprintf(number, sizeof number, "%llu", (unsigned long long)pf_parallel_number(how->pairs));
    return pf_align_counts_write_line(&counts, how->alpha, number, how->writer);
}

pf_err pf_align_converter_pair(pf_align_converter *converter) {
    pf_alignment *links;
    PF_TRY(make(converter, &links));
    if (converter->how.invert) pf_alignment_invert(links);
    PF_TRY(converter->how.gold ? evaluate_pair(converter, links) : write_pair(converter, links));
    return pf_writer_flush(converter->how.writer);
}

/* ---- all pairs ---- */

pf_err pf_align_converter_end(pf_align_converter *converter) {
    const pf_align_conversion *how = &converter->how;
    if (!how->gold) return PF_OK;
    return how->per_line ? pf_align_counts_write_line(&converter->all, how->alpha, "all", how->writer)
                         : pf_align_counts_write(&converter->all, how->alpha, how->writer);
}

const pf_align_left_out *pf_align_converter_left_out(const pf_align_converter *converter) { return &converter->left_out; }
const pf_align_lost *pf_align_converter_lost(const pf_align_converter *converter) { return &converter->lost; }
