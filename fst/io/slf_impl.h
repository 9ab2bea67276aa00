/* Private to SLF: lines as fields, the header, and the scores that lines carry. */
#ifndef PF_IO_SLF_IMPL_H
#define PF_IO_SLF_IMPL_H

#include <permfst/base/reader.h>
#include "io/lattice_impl.h"
#include <permfst/io/slf.h>

/* ---- slfline.c: lines as fields ---- */

typedef struct {
    pf_reader *reader;
    char *line, *at; /* NUL-ended, without a NUL inside */
    const char *name, *value, *value_at; /* of the current field: the value without quotes, and where it stands */
    size_t name_n, value_n;
} pfi_slf_line;

/* The next field; *any is false at the end of the line or a comment. "." alone is a field without a value. */
pf_err pfi_slf_field(pfi_slf_line *line, bool plain, bool *any);
bool pfi_slf_is(const pfi_slf_line *line, const char *name);

/* The value as a whole number below a bound, or as a real one, with `endless` an infinite one too. */
pf_err pfi_slf_number(const pfi_slf_line *line, uint64_t below, const char *what, uint32_t *to);
pf_err pfi_slf_real(const pfi_slf_line *line, bool endless, const char *what, double *to);

/* PF_EINPUT with line and byte. */
pf_err pfi_slf_bad(const pfi_slf_line *line, const char *at, const char *words);
pf_err pfi_slf_expected(const pfi_slf_line *line, const char *at, const char *what, const char *found, size_t length);

/* ---- slfhead.c: the header, and scores by name ---- */

#define PFI_SLF_NONE UINT32_MAX

/* Numbers of scores: those with names, then x1, x2, ... */
enum { PFI_SLF_NAMED = 6, PFI_SLF_ALL = PFI_SLF_NAMED + PF_SLF_SCORES };

typedef struct {
    double base;        /* 0: probabilities; 1: as without one, e */
    double penalty;     /* wdpenalty, as it stands there */
    bool has_penalty;
    double scale[PFI_SLF_ALL];
    uint32_t start, end, nodes; /* PFI_SLF_NONE: not said */
    uint64_t links;             /* UINT64_MAX: not said */
    bool backward;      /* dir=b: words of nodes are those of the links that leave */
    uint64_t line;      /* where it begins; 0: there is none yet */
} pfi_slf_head;

void pfi_slf_head_begin(pfi_slf_head *head, uint64_t line);

/* Reads the current field as one of the header; *known is false if it has no meaning there. */
pf_err pfi_slf_head_field(pfi_slf_head *head, const pfi_slf_line *line, bool *known);

/* The number of the score that the current field gives, or -1. */
int pfi_slf_score(const pfi_slf_line *line);

/* What score i adds to the log score of an arc, scaled as the options, or else the header, have it. */
pf_err pfi_slf_score_value(const pfi_slf_head *head, const pf_lattice_options *options, const pfi_slf_line *line, unsigned i,
                           double *to);

/* What a word adds. */
double pfi_slf_penalty(const pfi_slf_head *head, const pf_lattice_options *options);

/* ---- slfbuild.c: nodes and links as a machine ---- */

typedef struct {
    uint32_t field;
    double log_score; /* scaled */
} pfi_slf_score_of;

/* A node or a link. */
typedef struct {
    pf_label word;          /* PF_EPSILON: not said, or !NULL */
    uint32_t from, to;      /* links: indexes of nodes */
    size_t first, scores;   /* into `score` */
    uint64_t line;          /* 0: a node without a line of its own */
} pfi_slf_item;

typedef struct {
    pfi_slf_head head;
    PF_VEC(pfi_slf_item) node, link;
    PF_VEC(uint32_t) number; /* of each node, parallel */
    PF_VEC(pfi_slf_score_of) score;
} pfi_slf_lattice;

/* The machine of a whole lattice, without tables. PF_EINPUT. */
pf_err pfi_slf_build(const pfi_slf_lattice *lattice, pf_reader *reader, const pf_lattice_options *options, const pf_symtab *words,
                     pf_fst **out);

#endif
