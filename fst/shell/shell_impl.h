/* A session from within: its state, and what its commands share. */
#ifndef PFI_SHELL_IMPL_H
#define PFI_SHELL_IMPL_H

#include <permfst/shell/shell.h>

#include "shell/settings_impl.h"

/* ---- lines ---- */

typedef enum { PFI_TO_ANSWERS, PFI_TO_FILE, PFI_TO_FILE_END, PFI_TO_COMMAND } pfi_answer_target;

/* A line in parts. Words stand in `text`, each with a NUL after it. */
typedef struct {
    PF_VEC(char) text;
    PF_VEC(size_t) begin;   /* of each word in the text */
    PF_VEC(const char *) word;
    const char *rest;       /* the line after the first word: borrowed from it */
    pfi_answer_target target;
    char *target_name;      /* the file or command */
} pfi_command_line;

/* The text of a value; NULL: there is none of this name. */
typedef const char *(*pfi_value_text)(void *self, const char *name, size_t length);

/* Is the line of the form "NAME = ..."? Then *name is the length of the name, and *rest what follows. */
bool pfi_command_line_assigns(const char *line, size_t *name, const char **rest);

/* Splits a line: words at blanks, with 'text', "text" and \c as the system's shell has them; $NAME, not within '', is the text of a
 * value; > FILE, >> FILE and | COMMAND end the words. `value` NULL: $ is a character like any other. *out is freed, also after an
 * error. PF_EARG: a quote without its end, no such value, > without a file. */
pf_err pfi_command_line_split(const char *line, pfi_value_text value, void *self, pfi_command_line *out);
void pfi_command_line_free(pfi_command_line *line);

/* ---- sessions ---- */

typedef struct {
    char *name, *text;
    pf_expr *record; /* NULL: it has only a text */
    char *source;    /* the pipeline that makes the record; NULL: there is none */
} pfi_shell_value;

/* A place in the automaton, reached by hand. */
typedef struct {
    pf_state state;
    pf_arc arc; /* that led there; the first place has none */
} pfi_walk_place;

typedef struct {
    pf_opened *opened; /* NULL: nobody walks */
    PF_VEC(pfi_walk_place) place;
} pfi_shell_walk;

struct pf_shell {
    pf_shell_options options;
    pf_moves_store *moves; /* borrowed by a branch */
    bool branch;
    pfi_settings settings;
    PF_VEC(pfi_shell_value) value;
    pfi_shell_walk walk;
    pf_expr *answer;  /* the last one: PF_EXPR_BEST; NULL: none since the settings changed */
    pf_expr *record;  /* what the last command made; NULL: nothing */
    char *source, *answer_source; /* the pipelines that make record and answer; NULL: there is none */
    char *pipeline;   /* the pipeline of the last command; NULL: none */
    bool piped;       /* the command at work has set it */
    pf_writer *text;  /* what the command at work answers */
    bool no, any_no, ended;
    unsigned depth;   /* of commands within commands */
    double deadline;  /* of the search at work, by the host's clock; negative: none */
};

/* A command with its words; word[0] is its name. */
typedef struct {
    pf_shell *shell;
    const char *const *word;
    size_t n;
    const char *rest; /* the line after its name, as it was typed */
    const char *grows; /* the file of ">> FILE"; NULL: there is none. A command that writes it itself answers nothing */
} pfi_command;

typedef struct {
    pf_shell_help help;
    size_t least, most; /* words after the name */
    bool raw;           /* takes the rest of the line as it is */
    const char *heading; /* the columns of its lines; "": its first line names them; NULL: they have no names */
    pf_err (*run)(pfi_command *command);
} pfi_shell_command;

extern const pfi_shell_command pfi_shell_commands[];
const pfi_shell_command *pfi_shell_find(const char *name, size_t length);
bool pfi_shell_is_program(const pf_shell *shell, const char *name, size_t length);

/* One line within another: what it answers goes to the shell's text. */
pf_err pfi_shell_do(pf_shell *shell, const char *line);

/* A session with the same settings and values that answers into a text of its own. */
pf_err pfi_shell_branch(const pf_shell *shell, pf_shell **out);

/* Adds to the answer. */
#define PFI_SAY(COMMAND, ...) pf_writer_text((COMMAND)->shell->text, __VA_ARGS__)

/* The settings changed: *changed takes the place of the old ones, and the last answer is forgotten. It is empty then. */
void pfi_shell_settle(pf_shell *shell, pfi_settings *changed);

/* What a command made, of which a reference is kept, until the settings change. */
void pfi_shell_made(pf_shell *shell, pf_expr *record);

/* The pipeline of a command, of the memory writer `words`; empty: there is none. */
pf_err pfi_shell_pipeline(pf_shell *shell, const pf_writer *words);

/* The same of what a command has made, after pfi_shell_made: `words` make the record, which `print` prints. `err` is of what made
 * the words, which are freed. Where there is no such pipeline, "pipe" says why. */
pf_err pfi_pipe_made(pf_shell *shell, pf_err err, pf_writer *words, const char *print);

/* The automaton of the settings is what was made, and nothing is asked of it yet. */
pf_err pfi_pipe_settings(pf_shell *shell);

/* The same of what is asked of something there is: `source` makes it; NULL: what is asked is the automaton of the settings. */
pf_err pfi_pipe_asked(pf_shell *shell, const char *source, const char *question);

/* The pipeline of a command of permsh itself: this session's settings, then the line. */
pf_err pfi_pipe_itself(pf_shell *shell, const pfi_command *command);

/* The permutation of the last answer's best path, from 0: the caller's. PF_EARG: there is no answer with one. */
pf_err pfi_shell_order(pf_shell *shell, unsigned **order, unsigned *n);

/* A value by its name, or NULL. */
pfi_shell_value *pfi_shell_value_of(pf_shell *shell, const char *name, size_t length);

/* For the library's options: has somebody interrupted, or is the time over? `self` is a shell. */
bool pfi_shell_expired(void *self);

/* How the n best paths are searched: as the settings say, within the session's memory, until somebody interrupts. */
pf_best_options pfi_shell_search(pf_shell *shell, size_t n);

/* Ask a program of the host's, with a record as its input (NULL: with nothing); its output is added to `to`. */
pf_err pfi_shell_program(pf_shell *shell, const char *name, const char *const *arguments, size_t n, pf_expr *in, pf_writer *to);
pf_err pfi_shell_program_on(pf_shell *shell, const char *name, const char *const *arguments, size_t n, const pf_writer *in,
                            pf_writer *to);
pf_err pfi_record_bytes(pf_expr *record, pf_writer *to);

/* A file to read, which a sealed session does not open. */
pf_err pfi_shell_open(const pf_shell *shell, const char *path, pf_reader **out);

/* Adds bytes to the end of a file. After an error a regular file is as it was. */
pf_err pfi_append_file(const char *path, const void *bytes, size_t n);

/* Are the settings sound, as far as that can be told before a search? If so they take the place of the old ones, and for people the
 * space is told. *changed is freed in any case. `err` is of what made them. */
pf_err pfi_shell_change(pfi_command *command, pf_err err, pfi_settings *changed);

/* The record of the sentence under space and weights; the whole automaton; opened. The caller's. */
pf_err pfi_shell_permuted(const pf_shell *shell, pf_expr **out);

/* The slots of the sentence. */
pf_err pfi_shell_slots(const pf_shell *shell, pfi_slots *out);

/* Numbers of words: from min to max. */
pf_err pfi_command_number(const char *word, const char *what, uint64_t min, uint64_t max, uint64_t *out);
pf_err pfi_command_real(const char *word, const char *what, double *out);

/* The number of constraint's orders and states at a length: "64 orders, 29 states". */
pf_err pfi_say_space(pfi_command *command);

/* May a command write this file? Not in a sealed session. */
pf_err pfi_shell_may_write(const pf_shell *shell, const char *path);

/* ---- commands, by files ---- */

pf_err pfi_do_sentence(pfi_command *command);
pf_err pfi_do_markup(pfi_command *command);
pf_err pfi_do_lattice(pfi_command *command);
pf_err pfi_do_alternatives(pfi_command *command);
pf_err pfi_do_punctuation(pfi_command *command);
pf_err pfi_do_open(pfi_command *command);
pf_err pfi_do_space(pfi_command *command);
pf_err pfi_do_marks(pfi_command *command);
pf_err pfi_do_weight(pfi_command *command);
pf_err pfi_do_lm(pfi_command *command);
pf_err pfi_do_scale(pfi_command *command);
pf_err pfi_do_compare(pfi_command *command);
pf_err pfi_do_number(pfi_command *command);
pf_err pfi_do_search(pfi_command *command);
pf_err pfi_do_unique(pfi_command *command);
pf_err pfi_do_seed(pfi_command *command);
pf_err pfi_do_best(pfi_command *command);
pf_err pfi_do_certificate(pfi_command *command);
pf_err pfi_do_reference(pfi_command *command);
pf_err pfi_do_why(pfi_command *command);
pf_err pfi_do_tight(pfi_command *command);
pf_err pfi_do_count(pfi_command *command);
pf_err pfi_do_sample(pfi_command *command);
pf_err pfi_do_oracle(pfi_command *command);
pf_err pfi_do_tree(pfi_command *command);
pf_err pfi_do_step(pfi_command *command);
pf_err pfi_do_take(pfi_command *command);
pf_err pfi_do_back(pfi_command *command);
pf_err pfi_do_load(pfi_command *command);
pf_err pfi_do_cover(pfi_command *command);
pf_err pfi_do_tuples(pfi_command *command);
pf_err pfi_do_score(pfi_command *command);
pf_err pfi_do_sweep(pfi_command *command);
pf_err pfi_do_plot(pfi_command *command);
pf_err pfi_do_show(pfi_command *command);
pf_err pfi_do_info(pfi_command *command);
pf_err pfi_do_use(pfi_command *command);
pf_err pfi_do_save(pfi_command *command);
pf_err pfi_do_draw(pfi_command *command);
pf_err pfi_do_pipe(pfi_command *command);
pf_err pfi_do_time(pfi_command *command);
pf_err pfi_do_run(pfi_command *command);
pf_err pfi_do_help(pfi_command *command);
pf_err pfi_do_exit(pfi_command *command);

/* why PAIR SPEC of a corpus. */
pf_err pfi_why_pair(pfi_command *command);

void pfi_walk_end(pf_shell *shell);

#endif
