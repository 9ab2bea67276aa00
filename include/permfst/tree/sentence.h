/* Puts a sentence of a treebank, or all of them by workers, in a new order: the verb of permtree.
 *
 * A sentence costs O(bytes), and what its reordering does (reorder.h). */
#ifndef PF_TREE_SENTENCE_H
#define PF_TREE_SENTENCE_H

#include <permfst/base/workers.h>
#include <permfst/io/expr.h>
#include <permfst/io/stream.h>
#include <permfst/tree/totals.h>
#include <permfst/tree/treebank.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is made of a sentence. */
typedef enum {
    PF_TREE_PERMUTATION, /* a line of numbers (tree/write.h) */
    PF_TREE_WORDS,       /* a line of words */
    PF_TREE_CONLLU,      /* CoNLL-U */
    PF_TREE_RECORD,      /* an automaton of this one order */
    PF_TREE_WHY,         /* a line for each node that is reordered */
    PF_TREE_TEXT,        /* a drawing in characters (tree/draw.h) */
    PF_TREE_SVG,         /* a picture */
    PF_TREE_TOTALS       /* the orders of all models, counted (tree/totals.h) */
} pf_tree_form;

/* What is done to each sentence. */
typedef struct {
    pf_tree_rule rule; /* of PF_TREE_TOTALS the ratio alone */
    pf_tree_form form;
    bool (*wanted)(void *self, uint64_t number); /* is this sentence taken? NULL: all are */
    void *self;
} pf_tree_task;

/* A sentence and what comes of it: one of the last three; what is not asked for is NULL. */
typedef struct {
    pf_tree *tree;
    const char *file;        /* borrowed; for messages */
    uint64_t number, stored; /* stored: bytes of all files that were read with it */
    pf_writer *text;
    pf_expr *record;
    pf_tree_totals *totals;
} pf_tree_sentence;

/* Does a task to a sentence that has a tree. Any thread. The errors of pf_tree_reorder and of what writes the form, with file and
 * line. */
pf_err pf_tree_sentence_work(const pf_tree_task *task, pf_tree_sentence *sentence);

/* Frees what a sentence has; not the struct. For pf_workers_steps. */
void pf_tree_sentence_drop(void *sentence);

/* Where sentences go, in order: records to a stream, text to a writer, and the orders of PF_TREE_TOTALS to a sum; all of these are
 * borrowed. */
typedef struct {
    pf_stream_writer *stream; /* PF_TREE_RECORD */
    pf_writer *writer;        /* text, totals */
    pf_tree_totals *totals;   /* PF_TREE_TOTALS */
    bool drawn;               /* private: drawings are set apart by an empty line */
} pf_tree_output;

/* Puts a sentence that was worked on, or what stands for one that has failed: an automaton without states, or an empty line;
 * nothing where sentences have no line of their own (totals, why). Text is flushed. Errors of the writers. */
pf_err pf_tree_sentence_put(const pf_tree_task *task, pf_tree_output *to, const pf_tree_sentence *sentence, bool failed);

/* A file of trees. */
typedef struct {
    pf_reader *reader;
    const char *name;       /* must stay (pf_workers_keep) */
    uint64_t stored_before; /* bytes of the files before it */
    pf_tree_punctuation punctuation;
} pf_tree_file;

/* Puts all wanted sentences of a file as pieces, which are pf_tree_sentence. *number is that of the next sentence; it goes on from
 * file to file. A sentence that is not a tree is a piece that has failed. Errors of pf_treebank_open and of pf_workers_put. */
pf_err pf_tree_sentences_put(const pf_tree_task *task, const pf_tree_file *file, pf_workers *workers, uint64_t *number);

#ifdef __cplusplus
}
#endif
#endif
