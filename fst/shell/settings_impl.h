/* What a session is set to: a sentence, a space, weights, models, a search, a corpus. A value: texts, and references of records and
 * models that never change. A command changes a copy of it, which takes the place of the old one when all has gone well. */
#ifndef PFI_SHELL_SETTINGS_H
#define PFI_SHELL_SETTINGS_H

#include <permfst/base/vec.h>
#include <permfst/io/expr.h>
#include <permfst/ops/open.h>
#include <permfst/search/best.h>

typedef enum { PFI_INPUT_NONE, PFI_INPUT_WORDS, PFI_INPUT_MARKUP, PFI_INPUT_LATTICE, PFI_INPUT_RECORD } pfi_input_kind;

typedef PF_VEC(char *) pfi_texts; /* each is owned */

typedef struct {
    char *path;
    double scale;
    pf_blob *model;     /* a model, or: */
    pf_expr *automaton; /* the only record of a file */
} pfi_shell_model;

enum { PFI_SETTING_BEAM, PFI_SETTING_THRESHOLD, PFI_SETTING_GAP, PFI_SETTING_STATES, PFI_SETTING_SECONDS, PFI_SETTING_NUMBERS };
enum { PFI_CORPUS_SOURCE, PFI_CORPUS_TARGET, PFI_CORPUS_LINKS, PFI_CORPUS_FILES };

typedef struct {
    pfi_input_kind input;
    char *text;            /* the line that was typed; or the name of the file or value that has the record */
    bool at_punctuation;
    pf_expr *record;       /* of PFI_INPUT_RECORD */
    uint64_t number;       /* of the record in its file; 0: it is the only one */
    bool of_value;         /* the record is that of a value, not of a file; and then: */
    char *source;          /* the pipeline that makes it; NULL: there is none */
    pfi_texts space, mark, weight;
    PF_VEC(pfi_shell_model) model;
    double scale_first;
    double number_of[PFI_SETTING_NUMBERS]; /* negative: not set */
    int search, unique;    /* a pf_search; a pf_unique */
    uint64_t seed;
    char *corpus[PFI_CORPUS_FILES]; /* NULL: there is no such file */
} pfi_settings;

/* Models are added with references of their own; cleared. */
pf_err pfi_models_add(pfi_settings *settings, const char *path, double scale, pf_blob *model, pf_expr *automaton);
void pfi_models_clear(pfi_settings *settings);

void pfi_settings_init(pfi_settings *settings);
void pfi_settings_free(pfi_settings *settings);
pf_err pfi_settings_copy(const pfi_settings *settings, pfi_settings *out); /* *out is freed, also after an error */

/* A copy of a text in the place of one that was there. */
pf_err pfi_text_set(char **text, const char *value);
pf_err pfi_texts_add(pfi_texts *texts, const char *value);
void pfi_texts_clear(pfi_texts *texts);
void pfi_texts_free(pfi_texts *texts);

/* The sentence as a record. PF_EARG: there is none. */
pf_err pfi_settings_input(const pfi_settings *settings, pf_expr **out);

/* The permutations of an input under space, marks and weights; an input that cannot be permuted and is not asked to be stays. */
pf_err pfi_settings_permute(const pfi_settings *settings, pf_expr *input, pf_expr **out);

/* The same composed with the models: what is searched. */
pf_err pfi_settings_compose(const pfi_settings *settings, pf_expr *permuted, pf_expr **out);
pf_err pfi_settings_automaton(const pfi_settings *settings, pf_expr **out);

/* Space and marks as specifications, borrowed; *out is freed by the caller. */
pf_err pfi_settings_constraints(const pfi_settings *settings, const char ***out, size_t *n);

/* The words of the sentence's slots, from 0, and how many there are. A slot with alternatives has the first word here. */
typedef struct {
    unsigned n;
    const char **word; /* borrowed from `table` */
    pf_symtab *table;
    bool linear;
} pfi_slots;
pf_err pfi_slots_of(pf_expr *input, pfi_slots *out); /* freed, also after an error */
void pfi_slots_free(pfi_slots *slots);

/* How a search of the settings is asked for. */
pf_best_options pfi_settings_search(const pfi_settings *settings, size_t n);

/* ---- as a pipeline of programs ---- */

/* A word as the system's shell reads it. */
pf_err pfi_quote(pf_writer *to, const char *word);

/* A line of text: "echo ...". */
pf_err pfi_pipe_text(const char *text, pf_writer *to);

/* " | lazyperm ...", with the marks of the sentence or without; " | permcompose ..."; and all from the sentence to there. PF_EARG:
 * there is no such pipeline. */
pf_err pfi_pipe_permuting(const pfi_settings *settings, bool marks, pf_writer *to);
pf_err pfi_pipe_compose(const pfi_settings *settings, pf_writer *to);
pf_err pfi_pipe_automaton(const pfi_settings *settings, pf_writer *to);

/* " | permshortest ..." */
pf_err pfi_pipe_search(const pfi_settings *settings, size_t n, pf_writer *to);

/* "permsh -e ...": the commands that make these settings. PF_EARG: they begin with a value. */
pf_err pfi_pipe_commands(const pfi_settings *settings, pf_writer *to);

#endif
