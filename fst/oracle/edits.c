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

void pfi_edit_row(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t m, uint32_t *row) {
    assert(begin <= m);
    for (uint32_t e = begin; e <= m; e++) row[e] = e - begin;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t diagonal = row[begin]++;
        for (uint32_t e = begin + 1; e <= m; e++) {
            uint32_t above = row[e], own = diagonal + (words[k] != reference[e - 1]);
            if (row[e - 1] + 1 < own) own = row[e - 1] + 1;
            row[e] = above + 1 < own ? above + 1 : own;
            diagonal = above;
        }
    }
}

bool pfi_edit_needed(const uint32_t *words, uint32_t n, const uint32_t *reference, uint32_t begin, uint32_t e) {
    assert(begin <= e);
    if (e <= begin + n || n > 1) return true;
    return n && words[n - 1] == reference[e - 1];
}
