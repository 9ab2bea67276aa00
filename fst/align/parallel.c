/* Columns side by side, one pair at a time. The sentences of a pair are read before the alignments that are checked against
 * them, because their columns come first. */
#include <permfst/align/parallel.h>

#include <permfst/io/markup.h>
#include <permfst/permute/input.h>

#include "align/align_impl.h"
#include "align/sound.h"
#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    pf_reader *reader;
    bool more;              /* does the file have a line for the pair? */
    size_t like;            /* words: the column with as many; 0: none */
    pf_words words;
    bool marked;            /* words: they are of the sentence, */
    pf_compile_options marking;
    pf_sentence sentence;
    pf_marks marks;
    pf_align_reader *align; /* NULL: words */
    pf_parallel_links how;
    pf_alignment links;
} corpus_column;

struct pf_parallel {
    PF_VEC(corpus_column) column;
    uint64_t first, number; /* of the first pair, of the next one */
};

pf_err pf_parallel_new(uint64_t first, pf_parallel **out) {
    assert(first > 0);
    if (!(*out = calloc(1, sizeof **out))) return pf_nomem();
    (*out)->first = (*out)->number = first;
    return PF_OK;
}

void pf_parallel_free(pf_parallel *pairs) {
    if (!pairs) return;
    for (size_t i = 0; i < pairs->column.n; i++) {
        corpus_column *column = &pairs->column.at[i];
        pf_align_reader_free(column->align);
        pf_alignment_free(&column->links);
        PF_VEC_FREE(&column->words);
        PF_VEC_FREE(&column->marks);
        pf_sentence_free(&column->sentence);
        pf_reader_free(column->reader);
    }
    PF_VEC_FREE(&pairs->column);
    free(pairs);
}

static corpus_column *at(const pf_parallel *pairs, size_t number) {
    assert(number >= 1 && number <= pairs->column.n);
    return &pairs->column.at[number - 1];
}

static corpus_column *column_of_words(const pf_parallel *pairs, size_t number) {
    assert(!at(pairs, number)->align);
    return at(pairs, number);
}

static corpus_column *column_of_links(const pf_parallel *pairs, size_t number) {
    assert(at(pairs, number)->align);
    return at(pairs, number);
}

static pf_err add(pf_parallel *pairs, pf_reader *reader, size_t *number) {
    pf_err err = PF_PUSH(&pairs->column, ((corpus_column){.reader = reader}));
    if (err) pf_reader_free(reader);
    else *number = pairs->column.n;
    return err;
}

pf_err pf_parallel_words(pf_parallel *pairs, pf_reader *reader, size_t *number) { return add(pairs, reader, number); }

pf_err pf_parallel_marked(pf_parallel *pairs, pf_reader *reader, const pf_compile_options *how, size_t *number) {
    PF_TRY(add(pairs, reader, number));
    corpus_column *column = at(pairs, *number);
    column->marked = true;
    column->marking = *how;
    column->sentence.at_punctuation = how->at_punctuation;
    return PF_OK;
}

pf_err pf_parallel_match(pf_parallel *pairs, size_t number, size_t like) {
    if (!like || like >= number || number > pairs->column.n || at(pairs, number)->align || at(pairs, like)->align)
        return pf_fail(PF_EARG, "column %zu cannot have the same number of words as column %zu", number, like);
    at(pairs, number)->like = like;
    return PF_OK;
}

pf_err pf_parallel_alignments(pf_parallel *pairs, pf_reader *reader, const pf_parallel_links *how, size_t *number) {
    PF_TRY(add(pairs, reader, number));
    if (how->source >= *number || how->target >= *number)
        return pf_fail(PF_EARG, "the words of column %zu must come before it", *number);
    at(pairs, *number)->how = *how;
    return pf_align_reader_new(reader, how->format, pairs->first, &at(pairs, *number)->align);
}

/* ---- a pair ---- */

static pf_err read_marked(corpus_column *column, const char *line, size_t length) {
    pf_sentence *sentence = &column->sentence;
    PF_TRY(pf_sentence_read(sentence, column->marking.markup, line, length));
    if (sentence->end.n > PF_MAX_WORDS) return pf_fail(PF_EINPUT, "expected at most %u words, found more", PF_MAX_WORDS);
    PF_TRY(PF_ROOM(&column->words, sentence->end.n));
    for (size_t i = 0; i < sentence->end.n; i++) {
        pf_word *word = &column->words.at[column->words.n++];
        word->at = pf_sentence_word(sentence, i, &word->n);
    }
    return pf_sentence_marks(sentence, &column->marks);
}

static pf_err split(corpus_column *column, const char *line, size_t length) {
    if (!column->marked) return pf_words_split(column->reader, line, length, &column->words);
    pf_err err = read_marked(column, line, length);
    return err == PF_EINPUT ? pf_reader_fail_line(column->reader, "%s", pf_message()) : err;
}

static pf_err read_words(pf_parallel *pairs, corpus_column *column) {
    char *line;
    size_t length;
    PF_TRY(pf_reader_line(column->reader, &line, &length));
    column->more = line != NULL;
    column->words.n = 0;
    if (!column->more) return PF_OK;
    PF_TRY(split(column, line, length));
    if (!column->like) return PF_OK;
    const corpus_column *like = column_of_words(pairs, column->like);
    if (!like->more || like->words.n == column->words.n) return PF_OK;
    return pf_reader_fail_line(column->reader, "expected %zu words, the number in line %llu of %s, found %zu", like->words.n,
                               (unsigned long long)pf_reader_line_number(like->reader), pf_reader_name(like->reader),
                               column->words.n);
}

static uint32_t count(const pf_parallel *pairs, size_t number) {
    return number && column_of_words(pairs, number)->more ? (uint32_t)at(pairs, number)->words.n : PF_UNKNOWN_LENGTH;
}

static pf_err read_links(const pf_parallel *pairs, corpus_column *column) {
    uint32_t n[2] = {count(pairs, column->how.source), count(pairs, column->how.target)};
    PF_TRY(pf_align_next(column->align, n[column->how.inverted], n[!column->how.inverted], &column->links, &column->more));
    if (column->how.inverted) pf_alignment_invert(&column->links);
    PFI_CHECK(pfi_alignment_sound(&column->links));
    return PF_OK;
}

/* May it end while others go on? */
static bool open_end(const corpus_column *column) {
    return column->align && pf_align_reader_format(column->align) == PF_ALIGN_NAACL;
}

/* A column that has a line for the pair, and one that lacks it. */
static pf_err missing(const pf_parallel *pairs, const corpus_column *there, const corpus_column *lacks) {
    const char *what = lacks->align && pf_align_reader_format(lacks->align) == PF_ALIGN_A3 ? "pair" : "line";
    return pf_fail(PF_EINPUT, "%s: expected %s %llu, which %s has, found the end of the file", pf_reader_name(lacks->reader),
                   what, (unsigned long long)(pairs->number - pairs->first + 1), pf_reader_name(there->reader));
}

/* Where every column may end while others go on, only numbers in the files say how many pairs there are. */
static pf_err check_gaps(const pf_parallel *parallel) {
    for (size_t i = 0; i < parallel->column.n; i++)
        if (!open_end(&parallel->column.at[i])) return PF_OK;
    for (size_t i = 0; i < parallel->column.n; i++) PF_TRY(pfi_align_naacl_gaps(parallel->column.at[i].align));
    return PF_OK;
}

pf_err pf_parallel_next(pf_parallel *pairs, bool *more) {
    const corpus_column *there = NULL, *lacks = NULL;
    PF_TRY(check_gaps(pairs));
    for (size_t i = 0; i < pairs->column.n; i++) {
        corpus_column *column = &pairs->column.at[i];
        PF_TRY(column->align ? read_links(pairs, column) : read_words(pairs, column));
        if (column->more && !there) there = column;
        if (!column->more && !open_end(column) && !lacks) lacks = column;
    }
    *more = there != NULL;
    if (there && lacks) return missing(pairs, there, lacks);
    pairs->number += *more;
    return PF_OK;
}

/* ---- what it has ---- */

uint64_t pf_parallel_number(const pf_parallel *pairs) { return pairs->number - 1; }

const pf_words *pf_parallel_sentence(const pf_parallel *pairs, size_t number) { return &column_of_words(pairs, number)->words; }
const pf_marks *pf_parallel_marks(const pf_parallel *pairs, size_t number) { return &column_of_words(pairs, number)->marks; }
pf_alignment *pf_parallel_alignment(pf_parallel *pairs, size_t number) { return &column_of_links(pairs, number)->links; }
const pf_reader *pf_parallel_reader(const pf_parallel *pairs, size_t number) { return at(pairs, number)->reader; }

/* The words of one side in the file; of the other side if the file is inverted. */
static const pf_words *side(const pf_parallel *pairs, size_t number, bool target) {
    const corpus_column *column = at(pairs, number);
    if (!column->align || pf_align_reader_format(column->align) != PF_ALIGN_A3) return NULL;
    return target != column->how.inverted ? pf_align_target_words(column->align) : pf_align_source_words(column->align);
}

const pf_words *pf_parallel_source(const pf_parallel *pairs, size_t number) { return side(pairs, number, false); }
const pf_words *pf_parallel_target(const pf_parallel *pairs, size_t number) { return side(pairs, number, true); }
