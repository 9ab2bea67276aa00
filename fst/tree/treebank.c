/* Which format a file of trees has: XML begins with '<'. */
#include "tree/tree_impl.h"

#include <stdlib.h>

struct pf_treebank {
    const pfi_tree_format *format; /* NULL: there is nothing to read */
    void *self;
    bool broken;
};

enum { LOOK = 4096 }; /* how much space a file may begin with */

/* The first byte that is no space; 0: there is none. */
static pf_err first_byte(pf_reader *reader, unsigned char *first) {
    const unsigned char *at;
    size_t have = 0, i = 0;
    *first = 0;
    PF_TRY(pf_reader_skip_mark(reader));
    for (size_t want = 1; i == have && want <= LOOK; want = have + 1) {
        PF_TRY(pf_reader_peek(reader, want, &at, &have));
        while (i < have && (at[i] == ' ' || at[i] == '\t' || at[i] == '\n' || at[i] == '\r')) i++;
        if (i < have) *first = at[i];
        if (have < want) return PF_OK;
    }
    return PF_OK;
}

pf_err pf_treebank_open(pf_reader *reader, pf_tree_punctuation punctuation, pf_treebank **out) {
    unsigned char first;
    *out = NULL;
    PF_TRY(first_byte(reader, &first));
    pf_treebank *treebank = calloc(1, sizeof *treebank);
    if (!treebank) return pf_nomem();
    if (first) treebank->format = first == '<' ? &pfi_alpino : &pfi_conllu;
    pf_err err = first ? treebank->format->open(reader, punctuation, &treebank->self) : PF_OK;
    if (!err) *out = treebank;
    else free(treebank);
    return err;
}

void pf_treebank_free(pf_treebank *treebank) {
    if (!treebank) return;
    if (treebank->format) treebank->format->free(treebank->self);
    free(treebank);
}

pf_err pf_treebank_next(pf_treebank *treebank, pf_tree **out) {
    *out = NULL;
    if (!treebank->format || treebank->broken) return PF_OK;
    return treebank->format->next(treebank->self, out, &treebank->broken);
}
