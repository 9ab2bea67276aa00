/* Compiling: a text of any kind becomes records, one after the other. The verb of permcompile.
 *
 *     pf_compiler *compiler;
 *     pf_err err = pf_compiler_new(reader, &(pf_compiler_options){.kind = PF_TEXT_SENTENCES}, &compiler);
 *     pf_expr *record = NULL;
 *     while (!err && !(err = pf_compiler_next(compiler, &record)) && record) ...;
 *     pf_compiler_free(compiler);
 *
 * A record is O(its bytes). */
#ifndef PF_VERBS_COMPILE_H
#define PF_VERBS_COMPILE_H

#include <permfst/base/reader.h>
#include <permfst/io/expr.h>
#include <permfst/io/lattice.h>
#include <permfst/io/sentence.h>
#include <permfst/io/text.h>
#include <permfst/model/tuplemodel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_TEXT_SENTENCES, /* a sentence a line */
    PF_TEXT_ATT,       /* AT&T text (io/text.h) */
    PF_TEXT_PLF,       /* a lattice of Moses a line (io/plf.h) */
    PF_TEXT_SLF,       /* lattices of HTK (io/slf.h) */
    PF_TEXT_XML,       /* an XML document (io/xml.h) */
    PF_TEXT_ARPA,      /* an n-gram model, one record (model/ngram.h) */
    PF_TEXT_TUPLES     /* an n-gram model of tuples, one record (model/tuplemodel.h) */
} pf_text_kind;

typedef struct {
    pf_text_kind kind;
    pf_compile_options sentence; /* only the options of the kind are read */
    pf_text_options att;
    pf_lattice_options lattice;  /* PLF and SLF */
    pf_tuple_options tuples;
    pf_warn warn;                /* about a model; NULL: not called */
    void *warn_to;
} pf_compiler_options; /* all zero: sentences, each with a table of its own */

typedef struct pf_compiler pf_compiler;

/* Compiles what a reader gives; the reader, and what the options point to, must outlive the compiler. *out belongs to the
 * caller; NULL after an error. Any number of threads may have compilers of their own if these share no table of words that
 * grows. PF_ENOMEM. */
pf_err pf_compiler_new(pf_reader *reader, const pf_compiler_options *options, pf_compiler **out);
void pf_compiler_free(pf_compiler *compiler); /* NULL is accepted */

/* The next record; *out = NULL at the end, else the caller's. A sentence whose marks are read (markup, at_punctuation) becomes
 * the automaton of its permutations, also where it has no mark. PF_EINPUT with file and line. O(bytes of the record). */
pf_err pf_compiler_next(pf_compiler *compiler, pf_expr **out);

/* Was the last error that of one line, so that the next call gives the record of the next line? */
bool pf_compiler_goes_on(const pf_compiler *compiler);

/* The automaton without states, of the arc type of the records: it can stand for one that failed. *out has
 * one reference, the caller's. PF_ENOMEM. */
pf_err pf_compiler_nothing(const pf_compiler *compiler, pf_expr **out);

#ifdef __cplusplus
}
#endif
#endif
