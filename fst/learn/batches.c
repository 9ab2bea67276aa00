/* A batch is filled, put, and followed by an empty one. */
#include "learn/batches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pfi_batch_corpus *corpus;
    pf_workers *workers;
    pfi_batch next; /* that is filled */
} batch_filler;

static void drop(void *piece) {
    pfi_batch *batch = piece;
    for (size_t k = 0; k < batch->n; k++) {
        pf_numbered_free(&batch->sentence[k].numbered);
        pf_alignment_free(&batch->sentence[k].links);
        PF_VEC_FREE(&batch->sentence[k].words);
    }
    free(batch->sentence);
    if (batch->result && batch->steps->drop) batch->steps->drop(batch->result);
    free(batch->result);
}

static pf_err put(batch_filler *filler) {
    const pfi_batch full = filler->next;
    filler->next = (pfi_batch){.steps = full.steps};
    return full.n ? pf_workers_put(filler->workers, &full, PF_OK) : PF_OK;
}

static pf_err begin(pfi_batch *batch) {
    if (!batch->sentence) batch->sentence = calloc(batch->steps->sentences, sizeof *batch->sentence);
    if (!batch->result) batch->result = calloc(1, batch->steps->result);
    return batch->sentence && batch->result ? PF_OK : pf_nomem();
}

static pf_err copy_words(pfi_batch_sentence *sentence, const pf_words *words) {
    for (size_t k = 0; k < words->n; k++) {
        PF_TRY(PF_ROOM(&sentence->words, words->at[k].n + 1));
        memcpy(sentence->words.at + sentence->words.n, words->at[k].at, words->at[k].n);
        sentence->words.n += words->at[k].n;
        sentence->words.at[sentence->words.n++] = 0;
    }
    return PF_OK;
}

static pf_err add(batch_filler *filler, const pf_factored *from) {
    pfi_batch *batch = &filler->next;
    const pfi_batch_steps *steps = batch->steps;
    PF_TRY(begin(batch));
    pfi_batch_sentence *sentence = &batch->sentence[batch->n++];
    sentence->number = from->number;
    PF_TRY(pf_order_model_find(filler->corpus->model, from, &sentence->numbered));
    if (steps->words) PF_TRY(copy_words(sentence, from->column[PF_COLUMN_WORDS]));
    if (steps->links) {
        PF_TRY(pf_alignment_copy(from->links, &sentence->links));
        sentence->links.n_source = sentence->numbered.n;
    }
    return batch->n == steps->sentences ? put(filler) : PF_OK;
}

static pf_err fill(batch_filler *filler) {
    for (;;) {
        pf_factored sentence;
        bool more;
        PF_TRY(pf_factor_next(filler->corpus->reader, &sentence, &more));
        if (!more) return put(filler);
        PF_TRY(add(filler, &sentence));
    }
}

pf_err pfi_batches_run(const pfi_batch_corpus *corpus, const pfi_batch_steps *steps, void *self) {
    const pf_workers_steps work = {sizeof(pfi_batch), steps->work, steps->finish, drop, NULL};
    batch_filler filler = {.corpus = corpus, .next = {.steps = steps}};
    assert(steps->sentences && steps->result);
    PF_TRY(pf_workers_new(corpus->threads, &work, self, corpus->hooks, &filler.workers));
    pf_err err = pf_workers_end(filler.workers, fill(&filler));
    drop(&filler.next);
    return err;
}
