/* The thread that reads the corpus gives words their numbers and puts batches; workers find the posteriors of a batch; batches
 * are finished in order, which adds their counts or hands their alignments out. */
#include <permfst/train/aligner.h>

#include <assert.h>
#include <stdlib.h>

enum { BATCH = 32, BATCH_CELLS = 1 << 15 }; /* pairs of a batch at most; cells of matrices after which it is full */

/* ---- model 1 ---- */

static pf_err open_reversed(void *self, pf_parallel **pairs, size_t *source, size_t *target) {
    const pf_ibm1_corpus *corpus = self;
    return corpus->open(corpus->self, pairs, target, source);
}

static void told(void *self, uint64_t pair) {
    const pf_ibm1_corpus *corpus = self;
    if (corpus->progress) corpus->progress(corpus->self, pair);
}

pf_err pf_aligner_start(pf_hmm *model, const pf_ibm1_corpus *corpus, uint64_t iterations) {
    pf_ibm1_corpus same = *corpus, reversed = {open_reversed, told, &same};
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pf_ibm1 *start;
        PF_TRY(pf_ibm1_new(&start));
        pf_err err = pf_ibm1_train(start, direction == PF_HMM_FORWARD ? &same : &reversed, iterations);
        if (!err) err = pf_hmm_start(model, (pf_hmm_direction)direction, start);
        pf_ibm1_free(start);
        PF_TRY(err);
    }
    return PF_OK;
}

/* ---- batches ---- */

/* A pair and, where the corpus is aligned, its alignments. */
typedef struct {
    uint64_t number;
    bool passed; /* over */
    pf_hmm_pair *pair;
    pf_alignment best[PF_HMM_DIRECTIONS], likely[PF_HMM_DIRECTIONS];
} batch_pair;

typedef struct {
    batch_pair *pair; /* BATCH of them; NULL: the batch that has just been put away */
    size_t pairs, cells;
} pair_batch;

/* One reading of the corpus. */
typedef struct {
    const pf_hmm *model;
    pf_hmm *counted;               /* NULL: the corpus is aligned */
    const pf_aligner_taker *taker; /* NULL: it is counted */
    const pf_ibm1_corpus *corpus;
    const pf_aligner_options *options;
    pf_aligner_counts *counts;
    pf_workers *workers;
} corpus_pass;

static pf_err blame(pf_err err, uint64_t pair) {
    return err == PF_EINPUT ? pf_fail_in(err, "pair %llu: ", (unsigned long long)pair) : err;
}

static void drop_batch(void *piece) {
    pair_batch *batch = piece;
    for (size_t at = 0; batch->pair && at < BATCH; at++) {
        pf_hmm_pair_free(batch->pair[at].pair);
        for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
            pf_alignment_free(&batch->pair[at].best[direction]);
            pf_alignment_free(&batch->pair[at].likely[direction]);
        }
    }
    free(batch->pair);
    *batch = (pair_batch){0};
}

static pf_err align_pair(const corpus_pass *pass, pf_hmm_work *work, batch_pair *at) {
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        PF_TRY(pf_hmm_likely(at->pair, (pf_hmm_direction)direction, pass->taker->least_posterior, &at->likely[direction]));
        PF_TRY(pf_hmm_best(pass->model, work, at->pair, (pf_hmm_direction)direction, &at->best[direction]));
    }
    return PF_OK;
}

static pf_err work_on_pair(const corpus_pass *pass, pf_hmm_work *work, batch_pair *at) {
    if (at->passed) return PF_OK;
    pf_err err = pf_hmm_expect(pass->model, work, at->pair);
    if (err) return blame(err, at->number);
    if (pass->taker) return align_pair(pass, work, at);
    pf_hmm_agree(pass->model, at->pair);
    return PF_OK;
}

static pf_err work_on(void *self, void *piece) {
    pair_batch *batch = piece;
    pf_hmm_work *work;
    PF_TRY(pf_hmm_work_new(&work));
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < batch->pairs; i++) err = work_on_pair(self, work, &batch->pair[i]);
    pf_hmm_work_free(work);
    return err;
}

static pf_err hand_out(const corpus_pass *pass, const batch_pair *at) {
    pf_aligned_pair out = {.number = at->number};
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        out.best[direction] = &at->best[direction];
        out.likely[direction] = &at->likely[direction];
    }
    return pass->taker->take(pass->taker->self, &out);
}

static pf_err finish_pair(corpus_pass *pass, const batch_pair *at) {
    for (int direction = 0; !at->passed && direction < PF_HMM_DIRECTIONS; direction++)
        pass->counts->log_likelihood[direction] += pf_hmm_log_likelihood(at->pair, (pf_hmm_direction)direction);
    if (pass->counted && !at->passed) PF_TRY(pf_hmm_count(pass->counted, at->pair));
    if (pass->taker) PF_TRY(hand_out(pass, at));
    if (pass->corpus->progress) pass->corpus->progress(pass->corpus->self, at->number);
    return PF_OK;
}

static pf_err finish(void *self, void *piece, pf_err err) {
    const pair_batch *batch = piece;
    for (size_t i = 0; !err && i < batch->pairs; i++) err = finish_pair(self, &batch->pair[i]);
    return err;
}

/* ---- reading ---- */

/* Puts the batch, which is empty afterwards. */
static pf_err put(const corpus_pass *pass, pair_batch *batch) {
    pair_batch full = *batch;
    *batch = (pair_batch){0};
    if (full.pairs) return pf_workers_put(pass->workers, &full, PF_OK);
    drop_batch(&full);
    return PF_OK;
}

static void set_lengths(batch_pair *at, const pf_words *source, const pf_words *target) {
    for (int direction = 0; direction < PF_HMM_DIRECTIONS; direction++) {
        pf_alignment *both[] = {&at->best[direction], &at->likely[direction]};
        for (int side = 0; side < 2; side++) {
            pf_alignment_reset(both[side]);
            both[side]->n_source = (uint32_t)source->n;
            both[side]->n_target = (uint32_t)target->n;
        }
    }
}

static pf_err add_pair(const corpus_pass *pass, pair_batch *batch, uint64_t number, const pf_words *source,
                       const pf_words *target) {
    bool wordless = !source->n || !target->n, long_one = source->n > pass->options->longest || target->n > pass->options->longest;
    if (!batch->pair && !(batch->pair = calloc(BATCH, sizeof *batch->pair))) return pf_nomem();
    batch_pair *at = &batch->pair[batch->pairs];
    at->number = number;
    at->passed = wordless || long_one;
    set_lengths(at, source, target);
    pass->counts->pairs++;
    pass->counts->wordless += wordless;
    pass->counts->too_long += !wordless && long_one;
    if (!at->passed) {
        PF_TRY(pf_hmm_pair_new(&at->pair));
        PF_TRY(pf_hmm_pair_set(at->pair, pass->model, source, target));
        batch->cells += source->n * target->n;
    }
    batch->pairs++;
    return batch->pairs == BATCH || batch->cells >= BATCH_CELLS ? put(pass, batch) : PF_OK;
}

static pf_err read_pairs(const corpus_pass *pass, pf_parallel *pairs, size_t source, size_t target, pair_batch *batch) {
    for (bool more;;) {
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more) return put(pass, batch);
        pf_err err = add_pair(pass, batch, pf_parallel_number(pairs), pf_parallel_sentence(pairs, source),
                              pf_parallel_sentence(pairs, target));
        if (err) return blame(err, pf_parallel_number(pairs));
    }
}

static pf_err read_corpus(corpus_pass *pass) {
    static const pf_workers_steps steps = {sizeof(pair_batch), work_on, finish, drop_batch, NULL};
    pf_parallel *pairs = NULL;
    pair_batch batch = {0};
    size_t source, target;
    *pass->counts = (pf_aligner_counts){0};
    PF_TRY(pf_workers_new(pass->options->threads, &steps, pass, pass->options->hooks, &pass->workers));
    pf_err err = pass->corpus->open(pass->corpus->self, &pairs, &source, &target);
    if (!err) err = read_pairs(pass, pairs, source, target, &batch);
    err = pf_workers_end(pass->workers, err);
    drop_batch(&batch);
    pf_parallel_free(pairs);
    return err;
}

pf_err pf_aligner_iterate(pf_hmm *model, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                          pf_aligner_counts *counts) {
    corpus_pass pass = {.model = model, .counted = model, .corpus = corpus, .options = options, .counts = counts};
    PF_TRY(read_corpus(&pass));
    pf_hmm_update(model);
    return PF_OK;
}

static pf_err train(pf_hmm *model, const pf_aligner_training *training, const pf_ibm1_corpus *corpus,
                    const pf_aligner_options *options) {
    PF_TRY(pf_aligner_start(model, corpus, training->model1));
    for (uint64_t iteration = 1; iteration <= training->hmm; iteration++) {
        pf_aligner_counts counts;
        PF_TRY(pf_aligner_iterate(model, corpus, options, &counts));
        if (training->told) training->told(training->self, iteration, &counts);
    }
    return PF_OK;
}

pf_err pf_aligner_train(const pf_aligner_training *training, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                        pf_hmm **out) {
    assert(training->model1 > 0 && training->hmm > 0);
    PF_TRY(pf_hmm_new(&training->model, out));
    pf_err err = train(*out, training, corpus, options);
    if (err) {
        pf_hmm_free(*out);
        *out = NULL;
    }
    return err;
}

pf_err pf_aligner_align(const pf_hmm *model, const pf_ibm1_corpus *corpus, const pf_aligner_options *options,
                        const pf_aligner_taker *taker, pf_aligner_counts *counts) {
    corpus_pass pass = {.model = model, .taker = taker, .corpus = corpus, .options = options, .counts = counts};
    return read_corpus(&pass);
}
