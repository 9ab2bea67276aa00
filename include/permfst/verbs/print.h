/* Printing: a record as text, in any form. The verb of permprint. A record is O(bytes) that are written. */
#ifndef PF_VERBS_PRINT_H
#define PF_VERBS_PRINT_H

#include <permfst/base/table.h>
#include <permfst/chart/tree.h>
#include <permfst/io/expr.h>
#include <permfst/io/lattice.h>
#include <permfst/machine/moves.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_PRINT_BY_KIND,      /* the table of paths for an answer, AT&T text for everything else */
    PF_PRINT_STRINGS,      /* the words of the best path, a line */
    PF_PRINT_PERMUTATIONS, /* its source positions, a line */
    PF_PRINT_TREES,        /* the tree of its order, which is one of itg, a line (chart/tree.h) */
    PF_PRINT_PATHS,        /* a line for each path (pf_answer_write_table) */
    PF_PRINT_LINES,        /* the same in the format of the options, below the heading of pf_answer_columns */
    PF_PRINT_ATT,
    PF_PRINT_PLF,
    PF_PRINT_SLF,
    PF_PRINT_XML,          /* an element of a document: pf_xml_begin and pf_xml_end go around all records */
    PF_PRINT_DOT,          /* a drawing in the language of graphviz's dot */
    PF_PRINT_SVG,          /* a picture: a document of one record */
    PF_PRINT_DIFF,         /* the words of the best path with what moved in brackets, a line (draw/order.h) */
    PF_PRINT_STEPS         /* what may come after some words of an automaton, and its cost (verbs/step.h) */
} pf_print_form;

/* What a picture shows: what suits the record (the order of an answer, and else the automaton); its states and arcs
 * (draw/automaton.h); the order of its best path (draw/order.h); the tree of that order (chart/tree.h). */
typedef enum { PF_PICTURE_BY_KIND, PF_PICTURE_AUTOMATON, PF_PICTURE_ORDER, PF_PICTURE_TREE } pf_picture;

typedef struct {
    pf_print_form form;
    uint64_t record;          /* its number: part of the table of paths, and of the names of lattices and drawings */
    pf_table_format format;   /* of lines */
    bool names;               /* strings, permutations, trees, differences and paths: with the name of the record */
    bool all;                 /* strings, permutations and trees: a line for each path */
    pf_itg_tree_form tree_form;   /* trees */
    bool positions;           /* trees: positions as leaves, not words */
    bool numeric, acceptor;   /* labels as numbers; one label an arc */
    const char *after;        /* steps: the words, with blanks between them */
    bool plain;               /* SLF: words are not quoted */
    bool colours;             /* diff: with escape sequences of a terminal */
    pf_picture picture;       /* SVG */
    size_t beam;              /* of drawn automata, what a search with this beam does not keep is grey; 0: nothing is */
    pf_plf_scores plf_scores;
    uint64_t max_states;      /* the most states of a lazy automaton, and of any that is drawn; 0: no limit */
    void (*progress)(void *self, uint64_t states); /* called now and then with the states expanded so far; may be NULL */
    void *self;
    pf_moves_store *moves; /* tables of moves that lazy automata share, borrowed; NULL: none. They change nothing that is printed */
} pf_print_options;

/* Is a record printed as an automaton in this form, not as an answer? */
bool pf_print_as_automaton(const pf_print_options *options, const pf_expr *expr);

/* Prints a record. Lazy automata are expanded; where paths are asked for, an automaton of one path is an answer of one path.
 * *no_path: an answer has none (a line of a line form is empty then). Errors of opening, expanding and writing. */
pf_err pf_expr_print(pf_expr *expr, const pf_print_options *options, pf_writer *writer, bool *no_path);

/* The columns of paths in these options (pf_answer_columns). Only JSON, where they are in no order, has names without being
 * asked. */
pf_table pf_print_columns(const pf_print_options *options);

/* Prints what stands for a record that has failed: an empty element in XML, a line without words for strings, permutations, trees
 * and differences, else nothing, as lines of other forms have the number of their record. Errors of the writer; PF_ENOMEM. */
pf_err pf_print_nothing(const pf_print_options *options, const pf_expr *expr, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
