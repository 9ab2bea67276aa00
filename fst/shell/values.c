/* What a session shows, keeps, draws, passes to programs, and says of itself. */
#include "shell/shell_impl.h"

#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>
#include <permfst/verbs/describe.h>
#include <permfst/verbs/print.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- show ---- */

static pf_err show_texts(pfi_command *command, const char *name, const pfi_texts *texts) {
    if (!texts->n) return PF_OK;
    PF_TRY(PFI_SAY(command, "%s\t", name));
    for (size_t i = 0; i < texts->n; i++) PF_TRY(PFI_SAY(command, "%s%s", i ? " " : "", texts->at[i]));
    return PFI_SAY(command, "\n");
}

static pf_err show_settings(pfi_command *command) {
    static const char *const inputs[] = {"", "sentence", "markup", "lattice", "record"}; /* as pfi_input_kind */
    static const char *const numbers[] = {"beam", "threshold", "gap", "limit", "seconds"}; /* as PFI_SETTING_BEAM ... */
    static const char *const searches[] = {"auto", "levels", "astar", "chart"};
    static const char *const uniques[] = {"none", "output", "permutation"};
    static const char *const files[] = {"source", "target", "links"};
    const pfi_settings *settings = &command->shell->settings;
    if (settings->input) PF_TRY(PFI_SAY(command, "%s\t%s\n", inputs[settings->input], settings->text));
    if (settings->at_punctuation) PF_TRY(PFI_SAY(command, "punctuation\ton\n"));
    PF_TRY(show_texts(command, "space", &settings->space));
    PF_TRY(show_texts(command, "marks", &settings->mark));
    PF_TRY(show_texts(command, "weight", &settings->weight));
    for (size_t i = 0; i < settings->model.n; i++)
        PF_TRY(PFI_SAY(command, "model\t%s %g\n", settings->model.at[i].path, settings->model.at[i].scale));
    if (settings->scale_first != 1) PF_TRY(PFI_SAY(command, "scale of orders\t%g\n", settings->scale_first));
    for (int i = 0; i < PFI_SETTING_NUMBERS; i++)
        if (settings->number_of[i] >= 0) PF_TRY(PFI_SAY(command, "%s\t%g\n", numbers[i], settings->number_of[i]));
    if (settings->search) PF_TRY(PFI_SAY(command, "search\t%s\n", searches[settings->search]));
    if (settings->unique) PF_TRY(PFI_SAY(command, "unique\t%s\n", uniques[settings->unique]));
    for (int i = 0; i < PFI_CORPUS_FILES; i++)
        if (settings->corpus[i]) PF_TRY(PFI_SAY(command, "%s\t%s\n", files[i], settings->corpus[i]));
    return PFI_SAY(command, "seed\t%llu\n", (unsigned long long)settings->seed);
}

static pfi_shell_value *need_value(pf_shell *shell, const char *name) {
    pfi_shell_value *value = pfi_shell_value_of(shell, name, strlen(name));
    if (!value) pf_fail(PF_EARG, "there is no value '%.100s': show lists them", name);
    return value;
}

/* show, or show NAME. */
pf_err pfi_do_show(pfi_command *command) {
    pf_shell *shell = command->shell;
    if (command->n > 1) {
        const pfi_shell_value *value = need_value(shell, command->word[1]);
        size_t n = value ? strlen(value->text) : 0;
        return value ? PFI_SAY(command, "%s%s", value->text, n && value->text[n - 1] == '\n' ? "" : "\n") : PF_EARG;
    }
    PF_TRY(show_settings(command));
    for (size_t i = 0; i < shell->value.n; i++) {
        const pfi_shell_value *value = &shell->value.at[i];
        size_t line = strcspn(value->text, "\n");
        PF_TRY(PFI_SAY(command, "%s =\t%s%.*s\n", value->name, value->record ? "a record: " : "", (int)(line < 60 ? line : 60),
                       value->text));
    }
    return PF_OK;
}

/* ---- records ---- */

/* The record of a value, or what the last command made, or the automaton; and the pipeline that makes it, for pfi_pipe_asked. */
static pf_err find_record(pf_shell *shell, const char *name, pf_expr **out, const char **source) {
    const pfi_shell_value *value = name ? need_value(shell, name) : NULL;
    *out = NULL;
    if (name && !value) return PF_EARG;
    if (name && !value->record) return pf_fail(PF_EARG, "the value '%.100s' is a text, not a record", name);
    if (name || shell->record) *out = pf_expr_ref(name ? value->record : shell->record);
    *source = name ? value->source : shell->source;
    if (*out && !*source) *source = "";
    return *out ? PF_OK : pfi_settings_automaton(&shell->settings, out);
}

static pf_err write_record(pf_expr *record, const char *path) {
    pf_writer *writer;
    PF_TRY(pf_writer_open(path, &writer));
    pf_err err = pfi_record_bytes(record, writer);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    return err;
}

pf_err pfi_shell_may_write(const pf_shell *shell, const char *path) {
    if (shell->options.sealed) return pf_fail(PF_EARG, "%s: this session opens no files", path);
    return strcmp(path, "-") == 0 ? pf_fail(PF_EARG, "expected a file, found '-'") : PF_OK;
}

/* What is written to a file: by `print`, which begins with a bar or is empty. */
static pf_err pipe_to_file(pf_shell *shell, const char *source, const char *print, const char *path) {
    pf_writer *question;
    size_t n;
    PF_TRY(pf_writer_memory(&question));
    pf_err err = pf_writer_text(question, "%s > ", print);
    if (!err) err = pfi_quote(question, path);
    if (!err) err = pf_writer_put(question, "", 1);
    if (!err) err = pfi_pipe_asked(shell, source, (const char *)pf_writer_bytes(question, &n));
    pf_writer_free(question);
    return err;
}

/* save FILE [NAME] */
pf_err pfi_do_save(pfi_command *command) {
    pf_expr *record;
    const char *source;
    PF_TRY(pfi_shell_may_write(command->shell, command->word[1]));
    PF_TRY(find_record(command->shell, command->n > 2 ? command->word[2] : NULL, &record, &source));
    pf_err err = write_record(record, command->word[1]);
    pf_expr_free(record);
    return err ? err : pipe_to_file(command->shell, source, "", command->word[1]);
}

pf_err pfi_do_info(pfi_command *command) {
    pf_describe_options how = {0};
    pf_expr *record;
    const char *source;
    PF_TRY(find_record(command->shell, command->n > 1 ? command->word[1] : NULL, &record, &source));
    pf_err err = pf_expr_describe(record, &how, command->shell->text);
    pf_expr_free(record);
    return err ? err : pfi_pipe_asked(command->shell, source, " | perminfo | cut -f 2-");
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), length = strlen(end);
    return n > length && strcmp(text + n - length, end) == 0;
}

/* draw FILE [NAME]: permprint knows how. */
pf_err pfi_do_draw(pfi_command *command) {
    const char *path = command->word[1];
    const char *form = ends_with(path, ".dot") ? "--dot" : ends_with(path, ".svg") ? "--svg" : NULL;
    pf_expr *record;
    const char *source;
    pf_writer *writer = NULL;
    if (!form) return pf_fail(PF_EARG, "draw: expected a file that ends with .svg or .dot, found '%.100s'", path);
    PF_TRY(pfi_shell_may_write(command->shell, path));
    PF_TRY(find_record(command->shell, command->n > 2 ? command->word[2] : NULL, &record, &source));
    pf_err err = pf_writer_open(path, &writer);
    if (!err) err = pfi_shell_program(command->shell, "permprint", &form, 1, record, writer);
    if (!err) err = pf_writer_close(writer);
    pf_writer_free(writer);
    pf_expr_free(record);
    if (err) return err;
    char print[40];
    snprintf(print, sizeof print, " | permprint %s", form);
    return pipe_to_file(command->shell, source, print, path);
}

static pf_err pipe_run(pfi_command *command) {
    pf_shell *shell = command->shell;
    const char *source = shell->record ? (shell->source ? shell->source : "") : NULL;
    bool alone = !shell->record && !shell->settings.input;
    pf_writer *question;
    size_t n;
    PF_TRY(pf_writer_memory(&question));
    pf_err err = PF_OK;
    for (size_t i = 1; !err && i < command->n; i++) {
        err = pf_writer_text(question, "%s", i > 1 ? " " : alone ? "" : " | ");
        if (!err) err = pfi_quote(question, command->word[i]);
    }
    if (!err && alone) err = pfi_shell_pipeline(shell, question);
    else if (!err && !(err = pf_writer_put(question, "", 1)))
        err = pfi_pipe_asked(shell, source, (const char *)pf_writer_bytes(question, &n));
    pf_writer_free(question);
    return err;
}

/* A program on the record that the last command made. */
pf_err pfi_do_run(pfi_command *command) {
    pf_expr *record = command->shell->record ? pf_expr_ref(command->shell->record) : NULL;
    if (!record && command->shell->settings.input) PF_TRY(pfi_settings_automaton(&command->shell->settings, &record));
    pf_err err = pfi_shell_program(command->shell, command->word[1], command->word + 2, command->n - 2, record,
                                   command->shell->text);
    pf_expr_free(record);
    return err ? err : pipe_run(command);
}

/* ---- pipe ---- */

pf_err pfi_do_pipe(pfi_command *command) {
    const pf_shell *shell = command->shell;
    if (shell->pipeline && *shell->pipeline) return PFI_SAY(command, "%s\n", shell->pipeline);
    PF_TRY(pfi_pipe_automaton(&shell->settings, shell->text));
    PF_TRY(pfi_pipe_search(&shell->settings, 1, shell->text));
    return PFI_SAY(command, " | permprint\n");
}

/* ---- time ---- */

pf_err pfi_do_time(pfi_command *command) {
    const pf_shell_host *host = &command->shell->options.host;
    if (!host->clock) return pf_fail(PF_EARG, "there is no clock here");
    double processor = host->clock(host->self, true), passed = host->clock(host->self, false);
    PF_TRY(pfi_shell_do(command->shell, command->rest));
    return PFI_SAY(command, command->shell->options.people ? "%.3f s of the processor, %.3f s passed\n" : "%.3f\t%.3f\n",
                   host->clock(host->self, true) - processor, host->clock(host->self, false) - passed);
}

/* ---- help ---- */

static pf_err list_commands(pfi_command *command) {
    for (const pfi_shell_command *entry = pfi_shell_commands; entry->help.name; entry++) {
        char usage[80];
        if (entry->help.group) PF_TRY(PFI_SAY(command, "%s%s:\n", entry == pfi_shell_commands ? "" : "\n", entry->help.group));
        snprintf(usage, sizeof usage, "%s %s", entry->help.name, entry->help.usage);
        PF_TRY(PFI_SAY(command, "  %-34s %s\n", usage, entry->help.help));
    }
    return PFI_SAY(command, "\nNAME = COMMAND or TEXT keeps what is answered; $NAME is its text. A line may end with > FILE, >> "
                            "FILE or | COMMAND.\n"
                            "help WORD: a command, a constraint, a weight or a program. Any other line is a sentence.\n");
}

static size_t plain_length(const char *word) { return strcspn(word, ":"); }

static bool is_named(const char *name, const char *word) {
    return strlen(name) == plain_length(word) && memcmp(name, word, strlen(name)) == 0;
}

static pf_err help_of_specs(pfi_command *command, const char *word, bool *found) {
    const pf_con_class *con;
    const pf_wm_class *wm;
    for (size_t i = 0; (con = pf_con_at(i)); i++)
        if (is_named(con->name, word)) {
            *found = true;
            PF_TRY(PFI_SAY(command, "space %s%s\n    %s\n", con->name, con->params, con->help));
        }
    for (size_t i = 0; (wm = pf_wm_at(i)); i++)
        if (is_named(wm->name, word)) {
            *found = true;
            PF_TRY(PFI_SAY(command, "weight %s%s\n    %s\n", wm->name, wm->params, wm->help));
        }
    return PF_OK;
}

static pf_err help_of_program(pfi_command *command, const char *word, bool *found) {
    const pf_shell_host *host = &command->shell->options.host;
    const char *name, *summary;
    for (size_t i = 0; host->program_name && (name = host->program_name(host->self, i, &summary)); i++)
        if (strcmp(name, word) == 0) {
            *found = true;
            PF_TRY(PFI_SAY(command, "%s [OPTION...]\n    %s: %s --help, man %s\n", name, summary, name, name));
        }
    return PF_OK;
}

pf_err pfi_do_help(pfi_command *command) {
    if (command->n == 1) return list_commands(command);
    const char *word = command->word[1];
    const pfi_shell_command *entry = pfi_shell_find(word, strlen(word));
    bool found = entry != NULL;
    if (entry) PF_TRY(PFI_SAY(command, "%s %s\n    %s\n", entry->help.name, entry->help.usage, entry->help.help));
    PF_TRY(help_of_specs(command, word, &found));
    PF_TRY(help_of_program(command, word, &found));
    return found ? PF_OK : pf_fail(PF_EARG, "help: there is no command, constraint, weight or program '%.100s': help lists them",
                                   word);
}

pf_err pfi_do_exit(pfi_command *command) {
    command->shell->ended = true;
    return PF_OK;
}
