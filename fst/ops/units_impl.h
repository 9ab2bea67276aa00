/* What the files of units share. */
#ifndef PF_OPS_UNITS_IMPL_H
#define PF_OPS_UNITS_IMPL_H

#include <permfst/base/statetab.h>
#include <permfst/base/word.h>
#include <permfst/ops/units.h>

typedef struct {
    size_t first, n; /* in `reading` */
} pfi_readings;

struct pf_units {
    const pf_model *tuples;
    const pf_symtab *from;       /* of the automaton's words */
    pf_symtab *names, *words;    /* of units, and of target words */
    PF_VEC(pf_unit) unit;        /* of labels 1.. */
    PF_VEC(pf_label) said;
    size_t plain;                /* the first units: whole tuples of one source word, by tuple */
    bool alone;                  /* may the automaton accept the empty string, and is there a tuple to insert then? */
    size_t alone_first, alone_n; /* units of these tuples */
    bool ordered;                /* are there units that something must follow, or nothing may? */
    pf_statetab met;             /* words of the automaton, by label */
    PF_VEC(pfi_readings) of;     /* of each of them */
    PF_VEC(pf_label) reading;
    bool closed;                 /* are all words of the automaton known before the first unit is made? */
    PF_VEC(pf_label) occurring;  /* the words of its alphabet that the tuple model knows: their labels there, ascending */
    PF_VEC(pf_scorer *) owned;   /* made for them */
};

/* The units of a word, by its label. PF_EINPUT: it is not in the table. */
pf_err pfi_units_of(pf_units *units, pf_label word, const pf_label **unit, size_t *count);

#endif
