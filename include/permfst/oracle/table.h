/* What the best orders of a corpus could score in many spaces at once, by sentence length (Dreyer et al. 2007, tables 1 to 3 and
 * figure 6).
 *
 * A sentence has candidates: its words, or translations of it, whose words or phrases are put in order; the best order of any of
 * them is its oracle in a space. Spaces share work. Where one is known to lie inside another, and the order that is best in the
 * larger one lies in the smaller one, it is the best there, too. An order that is found in any space and lies in another is a floor
 * for the search there. And what no order of a larger space exceeds, none of the smaller one does. Answers do not depend on which
 * spaces are asked for together, but for searches that a limit ends, which can only get better. A sentence costs a search in
 * each space; sums and rows are O(sentences). */
#ifndef PF_ORACLE_TABLE_H
#define PF_ORACLE_TABLE_H

#include <permfst/base/writer.h>
#include <permfst/io/expr.h>
#include <permfst/oracle/bleu.h>
#include <permfst/permute/con.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is it known, from their names and parameters, that every order of the first space is in the second? Both have one length. Of the
 * families: mj:k is in local:k+1, ibm:k+1 and inverse-ibm:k+1, local:k in ibm:k, each in those of greater parameters; a conjunction
 * is in its parts. False: it is not known. O(parts). */
bool pf_oracle_space_known_inside(const pf_con *first, const pf_con *second);

/* A list of specifications. pf_oracle_spaces_add adds one, or several that differ in their number: "ibm:2,3,4". PF_EARG. */
typedef PF_VEC(char *) pf_oracle_spaces;
pf_err pf_oracle_spaces_add(pf_oracle_spaces *spaces, const char *spec);
void pf_oracle_spaces_free(pf_oracle_spaces *spaces);

typedef struct {
    const char *const *space; /* specifications (permute/con.h) */
    size_t spaces;
    size_t candidates;        /* paths of an answer that are taken; 0 is taken as 1 */
    const double *bin;        /* the most words of each group of sentences, ascending whole numbers; others are in one more group */
    size_t bins;              /* 0: 5, 10, .. 40 */
    bool alone;               /* spaces share nothing, for comparison */
    pf_oracle_options search; /* limits are those of each search; n, ties and approximations are not for tables */
    void (*begin)(void *self);     /* a search begins; NULL, and: */
    double (*seconds)(void *self); /* the time that the thread has worked; NULL: it is not known */
    void *self;
} pf_oracle_table_options;

/* The oracle of a sentence in one space. */
typedef struct {
    pf_oracle_counts counts;
    double bound;        /* no order of any candidate has a greater score, 0 to 1 */
    bool proven;
    uint64_t states;     /* of the automaton, with histories, or orders of spans: what the searches have visited */
    unsigned searches;   /* that were made: fewer than there are candidates, where another space had the answer */
    double seconds;
    char *text;          /* the words of the order */
} pf_oracle_cell;

typedef struct {
    PF_VEC(pf_oracle_cell) space;
    PF_VEC(char *) reference;
    unsigned words;      /* of the first candidate */
    bool more_paths;     /* than there are candidates: what is proven is not proven of these */
    bool out_of_memory;  /* the end of the memory was the limit of a search: the same call may find more elsewhere */
} pf_oracle_sentence;

/* The oracles of a sentence: `in` is an automaton whose slots are to be put in order (permute/input.h), or an answer, of which each
 * path is a candidate, or any other automaton, as a lattice of phrases, whose best paths are. In a path, a unit is an arc that
 * reads something, with those after it that read nothing; its words stay together. `line` are the references. *out is freed by
 * pf_oracle_sentence_free, also after an error. PF_EINPUT: there is no candidate; errors of pf_best and pf_oracle_bleu. Any
 * thread. */
pf_err pf_oracle_table_sentence(const pf_oracle_table_options *options, pf_expr *in, pf_fst *fst, const char *const *line,
                                size_t lines, pf_oracle_sentence *out);
void pf_oracle_sentence_free(pf_oracle_sentence *sentence);

/* One row: a space and a group of sentences. */
typedef struct {
    uint64_t sentences, proven;
    double bleu, nist, ribes; /* of the corpus: 0 to 100, from 0, 0 to 1; NAN: not defined */
    double most;              /* the mean of what a sentence that is not proven can gain, in BLEU points; 0 where all are proven */
    double states, searches, seconds; /* the means of a sentence; the sum of seconds */
} pf_oracle_row;

typedef struct pf_oracle_table pf_oracle_table;

/* An empty table, which borrows what the options borrow. Here a specification may be several ("ibm:2,3,4"), and without any there
 * is the space of all orders. PF_EARG: a specification, or the groups are not ascending; PF_ENOMEM. */
pf_err pf_oracle_table_new(const pf_oracle_table_options *options, pf_oracle_table **out);
void pf_oracle_table_free(pf_oracle_table *table);

/* Adds a sentence, which is empty then. PF_ENOMEM. */
pf_err pf_oracle_table_add(pf_oracle_table *table, pf_oracle_sentence *sentence);

/* The options of its sentences: with each space by itself, and with groups. */
const pf_oracle_table_options *pf_oracle_table_asked(const pf_oracle_table *table);

/* What is to be said of sentences that have more paths than candidates. Returns `words`; NULL: there are none. */
enum { PF_ORACLE_TABLE_BYTES = 140 };
const char *pf_oracle_table_words(const pf_oracle_table *table, char words[PF_ORACLE_TABLE_BYTES]);

/* A row of a space, after pf_oracle_table_put; group `bins + 1` are all sentences. */
const pf_oracle_row *pf_oracle_table_row(const pf_oracle_table *table, size_t space, size_t group);

/* The rows as a table for people or with tabs; and BLEU by length as a chart, a line for each space. */
typedef enum { PF_ORACLE_TABLE_TEXT, PF_ORACLE_TABLE_TSV } pf_oracle_table_format;
typedef struct {
    pf_oracle_table_format format;
    bool timed;           /* with seconds */
    pf_writer *writer[2]; /* of the rows, and of the chart; either may be NULL */
} pf_oracle_table_outputs;

/* Figures the rows out, and writes; nothing is added later. O(words). PF_ENOMEM; errors of the writers. */
pf_err pf_oracle_table_put(pf_oracle_table *table, const pf_oracle_table_outputs *outputs);

#ifdef __cplusplus
}
#endif
#endif
