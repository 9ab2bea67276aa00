/* The sentences of a corpus, read by one thread and worked on by several: batches of sentences are the pieces of the workers
 * (base/workers.h), and are finished in the order of the corpus. A batch has copies of what was read, and room for what is made of
 * it. */
#ifndef PFI_LEARN_BATCHES_H
#define PFI_LEARN_BATCHES_H

#include <permfst/base/workers.h>
#include <permfst/learn/order_model.h>

typedef struct {
    uint64_t number; /* in the corpus */
    pf_numbered numbered;
    pf_alignment links; /* with `links` of the steps */
    PF_VEC(char) words; /* with `words`: each with a NUL */
} pfi_batch_sentence;

typedef struct pfi_batch_steps pfi_batch_steps;

typedef struct {
    const pfi_batch_steps *steps;
    size_t n;       /* sentences; at least 1 when it is worked on */
    pfi_batch_sentence *sentence;
    void *result;   /* zeros until it is worked on */
} pfi_batch;

struct pfi_batch_steps {
    size_t sentences; /* of a batch, at most */
    bool links, words;
    size_t result;    /* bytes of a result */
    /* As work and finish of pf_workers_steps; the piece is a pfi_batch. */
    pf_err (*work)(void *self, void *batch);
    pf_err (*finish)(void *self, void *batch, pf_err err);
    void (*drop)(void *result); /* frees what a result has; NULL: nothing */
};

typedef struct {
    const pf_order_model *model;
    pf_factor_reader *reader;
    size_t threads;
    const pf_workers_hooks *hooks;
} pfi_batch_corpus;

/* Reads the corpus to its end. Errors of pf_factor_next, pf_order_model_find and the steps; PF_ENOMEM; PF_EIO: no thread. */
pf_err pfi_batches_run(const pfi_batch_corpus *corpus, const pfi_batch_steps *steps, void *self);

#endif
