/* What searches by edits share: words of references as numbers, and the edits of a few words. */
#include "oracle/oracle_impl.h"

#include <assert.h>
#include <string.h>

/* ---- words ---- */

pf_err pfi_edit_words_read(pfi_edit_words *own, const char *const *line, size_t lines) {
    pf_oracle_references_init(&own->words);
    pf_oracle_references_init(&own->without);
    for (size_t k = 0; k < lines; k++) PF_TRY(pf_oracle_references_add(&own->words, line[k], strlen(line[k])));
    own->without.words = own->words.words;
    return PF_OK;
}

void pfi_edit_words_free(pfi_edit_words *own) { pf_oracle_references_free(&own->words); }

pf_err pfi_edit_words_of(const pfi_edit_words *own, const char *line, pfi_word_list *out) {
    const char *end = line + strlen(line);
    for (pf_word word; pf_word_next(&line, end, &word);) PF_TRY(PF_PUSH(out, pf_oracle_word(&own->words, word.at, word.n)));
    return PF_OK;
}

void pfi_edit_product(pfi_product *product, pf_fst *fst, const pfi_edit_words *own, const pf_oracle_options *options) {
    pfi_product_init(product, fst, &own->without, options);
    product->whole_histories = false;
}

/* ---- edits ---- */

void pfi_edit_row(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t length, uint32_t *row) {
    assert(begin <= length);
    for (uint32_t end = begin; end <= length; end++) row[end] = end - begin;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t diagonal = row[begin]++;
        for (uint32_t end = begin + 1; end <= length; end++) {
            uint32_t above = row[end], own = diagonal + (words[at] != reference[end - 1]);
            if (row[end - 1] + 1 < own) own = row[end - 1] + 1;
            row[end] = above + 1 < own ? above + 1 : own;
            diagonal = above;
        }
    }
}

bool pfi_edit_needed(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t end) {
    assert(begin <= end);
    if (end <= begin + n || n > 1) return true;
    return n && words[n - 1] == reference[end - 1];
}
