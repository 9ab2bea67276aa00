/* What a record of a stream is: an automaton, or the description of one that is made on demand, or an answer.
 *
 * A lazy automaton travels as an expression: a permutation automaton is its linear input with constraints and weights, a
 * composition is its two operands. The reader rebuilds it (ops/open.h) and expands only what its own work touches. */
#ifndef PF_IO_EXPR_H
#define PF_IO_EXPR_H

#include <permfst/io/blob.h>
#include <permfst/io/header.h>
#include <permfst/machine/answer.h>
#include <permfst/machine/weight.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_EXPR_FST,     /* an ordinary automaton: fst */
    PF_EXPR_PERM,    /* `left` permuted: con, wm, acceptor */
    PF_EXPR_COMPOSE, /* `left` composed with `right` or `shared`: scale, phi */
    PF_EXPR_MODEL,   /* a model alone: shared */
    PF_EXPR_BEST     /* an answer */
} pf_expr_kind;

typedef struct pf_expr {
    pf_expr_kind kind;
    pf_fst *fst; /* the machine: read, or made by pf_open */
    struct pf_expr *left, *right;
    pf_blob *shared;
    PF_VEC(char *) con;     /* specifications */
    PF_VEC(pf_weight) wm;   /* with copies of their own */
    bool acceptor;
    double scale[2];        /* of the costs of both operands; 1 in a new one */
    char *phi;              /* failure symbol of the second; NULL: none */
    void *made;             /* what else opening has made, for fst to borrow */
    void (*made_free)(void *made);
    pf_answer answer;
} pf_expr; /* owns all it points to (one reference of `shared`) */

/* The name of a kind as files have it: "vector", "perm", "compose", "model", "best". */
const char *pf_expr_kind_name(pf_expr_kind kind);

/* *out belongs to the caller. PF_ENOMEM. */
pf_err pf_expr_new(pf_expr_kind kind, pf_expr **out);
void pf_expr_free(pf_expr *expr);

/* An expression that owns the machine from now on, also when this fails. */
pf_err pf_expr_of_fst(pf_fst *fst, pf_expr **out);

/* Adds a copy of a constraint's specification, or of a weight model and its costs. PF_ELIMIT past PF_SPECS_LIMIT of them. */
enum { PF_SPECS_LIMIT = 1 << 13 };
pf_err pf_expr_add_con(pf_expr *perm, const char *spec);
pf_err pf_expr_add_wm(pf_expr *perm, const pf_weight *weight);

/* The symbol that the failure arcs of a composition's second operand have, copied; NULL: none. PF_EARG: it is empty or has
 * more than PF_PHI_LIMIT bytes. */
enum { PF_PHI_LIMIT = 4096 };
pf_err pf_expr_set_phi(pf_expr *compose, const char *phi);

/* Finds the blob of a hash among those a stream has defined (borrowed), or NULL. */
typedef pf_blob *(*pf_blob_find)(void *self, const unsigned char *hash);

/* Reads what follows a header. PF_EINPUT with record and byte. */
pf_err pf_expr_read(pf_reader *reader, const pf_header *header, uint64_t begin, pf_blob_find find, void *self,
                    pf_expr **out);

/* Writes an expression; shared operands are named by their hashes and must have been defined before. PF_ELIMIT: it is
 * nested deeper than pf_expr_read goes. */
pf_err pf_expr_write(pf_writer *writer, const pf_expr *expr);

/* The header of a lazy record. */
pf_err pf_lazy_header_write(pf_writer *writer, const char *fst_type, pf_arc_type type, uint32_t flags);

#ifdef __cplusplus
}
#endif
#endif
