/* A sentence needs nothing of another one, so each of them is a piece of the workers. */
#include <permfst/tree/sentence.h>

#include <permfst/tree/draw.h>
#include <permfst/tree/write.h>

#include <assert.h>
#include <stdlib.h>

void pf_tree_sentence_drop(void *piece) {
    pf_tree_sentence *sentence = piece;
    pf_tree_free(sentence->tree);
    pf_writer_free(sentence->text);
    pf_expr_free(sentence->record);
    pf_tree_totals_free(sentence->totals);
}

/* ---- one sentence ---- */

static pf_err make_record(pf_tree_sentence *sentence, const unsigned *perm) {
    pf_fst *fst;
    PF_TRY(pf_tree_fst(sentence->tree, perm, &fst));
    return pf_expr_of_fst(fst, &sentence->record);
}

static pf_err write_order(const pf_tree_task *task, pf_tree_sentence *sentence, const uint32_t *order, const unsigned *perm) {
    pf_writer *text = sentence->text;
    const pf_tree *tree = sentence->tree;
    switch (task->form) {
    case PF_TREE_PERMUTATION: return pf_tree_write_order(text, perm, tree->n);
    case PF_TREE_WORDS: return pf_tree_write_words(text, tree, perm);
    case PF_TREE_CONLLU: return pf_tree_write_conllu(text, tree, perm);
    case PF_TREE_RECORD: return make_record(sentence, perm);
    case PF_TREE_WHY: return pf_tree_write_why(text, tree, order, sentence->number);
    case PF_TREE_TEXT: return pf_tree_draw_text(text, tree, perm);
    case PF_TREE_SVG: return pf_tree_draw_svg(text, tree, perm);
    case PF_TREE_TOTALS: break;
    }
    assert(!"a form that has an order");
    return PF_OK;
}

static pf_err reorder(const pf_tree_task *task, pf_tree_sentence *sentence, pf_reorderer *reorderer) {
    const pf_tree_node *top = &sentence->tree->node[sentence->tree->nodes];
    uint32_t *order = calloc(top->blocks + top->n_blocks + 1, sizeof *order);
    unsigned *perm = calloc(sentence->tree->n + 1, sizeof *perm);
    pf_err err = order && perm ? pf_writer_memory(&sentence->text) : pf_nomem();
    if (!err) err = pf_tree_reorder(reorderer, sentence->tree, &task->rule, order);
    if (!err) err = pf_tree_order(sentence->tree, order, perm);
    if (!err) err = write_order(task, sentence, order, perm);
    free(order);
    free(perm);
    return err;
}

static pf_err count(const pf_tree_task *task, pf_tree_sentence *sentence, pf_reorderer *reorderer) {
    PF_TRY(pf_tree_totals_new(&sentence->totals));
    return pf_tree_totals_add(sentence->totals, reorderer, sentence->tree, task->rule.ratio);
}

pf_err pf_tree_sentence_work(const pf_tree_task *task, pf_tree_sentence *sentence) {
    pf_reorderer *reorderer;
    PF_TRY(pf_reorderer_new(&reorderer));
    pf_err err = (task->form == PF_TREE_TOTALS ? count : reorder)(task, sentence, reorderer);
    pf_reorderer_free(reorderer);
    if (err && err != PF_ENOMEM) return pf_fail_in(err, "%s:%llu: ", sentence->file, (unsigned long long)sentence->tree->line);
    return err;
}

/* ---- where it goes ---- */

static pf_err put_failed(const pf_tree_task *task, const pf_tree_output *to, const pf_tree_sentence *sentence) {
    if (task->form == PF_TREE_TOTALS || task->form == PF_TREE_WHY) return PF_OK;
    if (task->form == PF_TREE_RECORD) return pf_stream_put_empty(to->stream, sentence->number, NULL);
    return pf_writer_put(to->writer, "\n", 1);
}

static pf_err put_text(const pf_tree_task *task, pf_tree_output *to, const pf_tree_sentence *sentence) {
    size_t n;
    const unsigned char *bytes = pf_writer_bytes(sentence->text, &n);
    const bool drawing = task->form == PF_TREE_TEXT || task->form == PF_TREE_SVG;
    if (drawing && to->drawn) PF_TRY(pf_writer_put(to->writer, "\n", 1));
    to->drawn = true;
    PF_TRY(pf_writer_put(to->writer, bytes, n));
    return pf_writer_flush(to->writer);
}

pf_err pf_tree_sentence_put(const pf_tree_task *task, pf_tree_output *to, const pf_tree_sentence *sentence, bool failed) {
    if (failed) return put_failed(task, to, sentence);
    switch (task->form) {
    case PF_TREE_TOTALS: return pf_tree_totals_join(to->totals, sentence->totals);
    case PF_TREE_RECORD: return pf_stream_put(to->stream, sentence->record, sentence->number);
    default: return put_text(task, to, sentence);
    }
}

/* ---- all sentences ---- */

static pf_err put_next(const pf_tree_task *task, const pf_tree_file *file, pf_treebank *treebank, pf_tree_sentence *sentence,
                       pf_workers *workers, bool *more) {
    pf_err wrong = pf_treebank_next(treebank, &sentence->tree);
    sentence->stored = file->stored_before + pf_reader_stored(file->reader);
    *more = wrong || sentence->tree;
    if (!*more) return PF_OK;
    if (wrong || !task->wanted || task->wanted(task->self, sentence->number)) return pf_workers_put(workers, sentence, wrong);
    pf_tree_free(sentence->tree);
    return PF_OK;
}

pf_err pf_tree_sentences_put(const pf_tree_task *task, const pf_tree_file *file, pf_workers *workers, uint64_t *number) {
    pf_treebank *treebank;
    bool more = true;
    PF_TRY(pf_treebank_open(file->reader, file->punctuation, &treebank));
    pf_err err = PF_OK;
    while (!err && more) {
        pf_tree_sentence sentence = {.file = file->name, .number = *number};
        err = put_next(task, file, treebank, &sentence, workers, &more);
        if (more) ++*number;
    }
    pf_treebank_free(treebank);
    return err;
}
