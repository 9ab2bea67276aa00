/* What a record of a stream is: an automaton, or the description of one that is made on demand, or a model, or an answer.
 *
 * A lazy automaton travels as an expression: a permutation automaton is its linear input with constraints and weights, a
 * composition is its two operands. Whoever needs the automaton opens the expression (ops/open.h) and expands only what its
 * own work touches.
 *
 * An expression is a value. Once it is made nothing changes it: it may be written any number of times, opened any number of
 * times, be a part of any number of others, and be used by several threads. The functions here make new ones of old ones; each
 * new one holds a reference of its own to every part, so that the caller's references stay the caller's. References, names and
 * kinds are O(1). An expression is made in O(1) of its parts and O(length) of the strings that it copies, read and written in
 * O(bytes). */
#ifndef PF_IO_EXPR_H
#define PF_IO_EXPR_H

#include <permfst/io/blob.h>
#include <permfst/io/header.h>
#include <permfst/machine/answer.h>
#include <permfst/machine/symtab.h>
#include <permfst/machine/weight.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_EXPR_FST,     /* an ordinary automaton: fst */
    PF_EXPR_PERM,    /* `first` permuted: spec */
    PF_EXPR_COMPOSE, /* `first` composed with `second` or `shared`: scale, phi */
    PF_EXPR_MODEL,   /* a model alone: shared */
    PF_EXPR_BEST     /* an answer */
} pf_expr_kind;

/* Its members are only read. What a kind does not name above is NULL, or 0. */
typedef struct pf_expr {
    const pf_expr_kind kind;
    pf_fst *const fst;            /* all its states are done: it is only read from now on */
    struct pf_expr *const first, *const second;
    pf_blob *const shared;
    const pf_perm_spec spec;      /* its strings and tables live as long as the expression */
    const double scale[2];        /* of the costs of both operands */
    const char *const phi;        /* failure symbol of the second operand; NULL: none */
    const pf_answer *const answer;
    const uint64_t properties;    /* what the file has said of `fst`: property bits, */
    const int64_t arcs;           /* and their number; -1: nothing */
    const char *const name;       /* of an ordinary automaton or an answer: what others call it; see pf_expr_name */
} pf_expr;

/* The name of a kind as files have it: "vector", "perm", "compose", "model", "best". */
const char *pf_expr_kind_name(pf_expr_kind kind);

/* The bytes that it holds, without operands that other records share. 0 for NULL. O(parts + paths). */
uint64_t pf_expr_bytes(const pf_expr *expr);

/* References are counted atomically. */
pf_expr *pf_expr_ref(pf_expr *expr);
void pf_expr_free(pf_expr *expr); /* gives a reference back; NULL is accepted */

/* All that follow: *out has one reference, the caller's; NULL after an error. PF_ENOMEM. */

/* The machine, whose states must all be done, belongs to the expression from now on, also when this fails.
 * PF_ENOMEM. */
pf_err pf_expr_of_fst(pf_fst *fst, pf_expr **out);

/* The same, with the same errors, of a machine that was read from a file, with what its header says. */
pf_err pf_expr_of_file(pf_fst *fst, const pf_header *header, pf_expr **out);

/* The name of a record: the key of its entry in an archive, or the utterance of its lattice. It belongs to what the record was made
 * of, so that all that is made of an expression has its name: that of its first part that has one. NULL: there is none. */
const char *pf_expr_name(const pf_expr *expr);

/* Gives a name (copied; 1 to PF_NAME_LIMIT bytes) to an automaton or an answer without one, which only the caller has seen yet.
 * NULL and "": it has none. After an error the expression is freed, and *expr is NULL. PF_ENOMEM; PF_EINPUT: the name is too
 * long. */
#define PF_NAME_LIMIT PF_SYMBOL_LIMIT
pf_err pf_expr_give_name(pf_expr **expr, const char *name);

/* What the answer has goes to the expression, also when this fails: *answer is empty then. */
pf_err pf_expr_of_answer(pf_answer *answer, pf_expr **out);

/* A model alone, of which the expression has a reference of its own. PF_ENOMEM. */
pf_err pf_expr_of_model(pf_blob *model, pf_expr **out);

/* The permutations of an input, which is a linear automaton, or under itg also a word graph; pf_open checks that. The specification
 * is copied. O(size of the specification). PF_ELIMIT: more than PF_SPECS_LIMIT constraints or weights. */
enum { PF_SPECS_LIMIT = 1 << 13 };
pf_err pf_expr_permute(pf_expr *input, const pf_perm_spec *spec, pf_expr **out);

/* A permutation with what a specification has in addition to its own; an acceptor if either says so. Errors as
 * pf_expr_permute. */
pf_err pf_expr_permute_more(pf_expr *perm, const pf_perm_spec *more, pf_expr **out);

/* How two operands are composed. */
typedef struct {
    double scale[2];  /* of the costs of the first and the second: finite, at most FLT_MAX in size */
    const char *phi;  /* the symbol of failure arcs of the second: 1 to PF_PHI_LIMIT bytes; NULL: none */
} pf_composing;
enum { PF_PHI_LIMIT = 4096 };

/* The composition with an operand of this record, or with one that many records share: a model or an automaton. `how` is
 * copied; NULL: scales of 1, no failure arcs. PF_EARG: the symbol is empty or too
 * long; PF_ELIMIT: a scale is too large. */
pf_err pf_expr_compose(pf_expr *first, pf_expr *second, const pf_composing *how, pf_expr **out);
pf_err pf_expr_compose_shared(pf_expr *first, pf_blob *second, const pf_composing *how, pf_expr **out);

/* Finds the blob of a hash among those a stream has defined (borrowed), or NULL. */
typedef pf_blob *(*pf_blob_find)(void *self, const unsigned char *hash);

/* Reads what follows a header. PF_EINPUT with record and byte. */
pf_err pf_expr_read(pf_reader *reader, const pf_header *header, uint64_t begin, pf_blob_find find, void *self,
                    pf_expr **out);

/* Writes an expression; shared operands are named by their hashes and must have been defined before. PF_ELIMIT: it is
 * nested deeper than pf_expr_read goes. */
pf_err pf_expr_write(pf_writer *writer, const pf_expr *expr);

/* Writes the header of a lazy record. Errors of the writer. */
pf_err pf_lazy_header_write(pf_writer *writer, const char *fst_type, pf_arc_type type, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
