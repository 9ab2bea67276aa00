/* The settings of a session as a pipeline of programs, in the words of the system's shell. */
#include "shell/shell_impl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const setting_options[PFI_SETTING_NUMBERS] = {"--beam", "--threshold", "--gap", "--max-states", "--time"};
static const char *const search_words[] = {NULL, "levels", "astar", "chart"};            /* as pf_search */
static const char *const unique_words[] = {NULL, "output", "permutation"};               /* as pf_unique */

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-@%";

pf_err pfi_quote(pf_writer *to, const char *word) {
    if (*word && strspn(word, plain) == strlen(word)) return pf_writer_text(to, "%s", word);
    PF_TRY(pf_writer_put(to, "'", 1));
    for (; *word; word++) PF_TRY(*word == '\'' ? pf_writer_text(to, "'\\''") : pf_writer_put(to, word, 1));
    return pf_writer_put(to, "'", 1);
}

/* echo has its own opinion about backslashes and a hyphen at the beginning. */
pf_err pfi_pipe_text(const char *text, pf_writer *to) {
    if (*text != '-' && !strpbrk(text, "\\\"$`!")) return pf_writer_text(to, "echo \"%s\"", text);
    PF_TRY(pf_writer_text(to, "printf '%%s\\n' "));
    return pfi_quote(to, text);
}

static pf_err pipe_input(const pfi_settings *settings, pf_writer *to) {
    if (settings->input == PFI_INPUT_NONE) return pf_fail(PF_EARG, "there is no sentence yet, and so no pipeline");
    if (settings->input == PFI_INPUT_RECORD) {
        if (settings->source) return pf_writer_text(to, "%s", settings->source);
        if (settings->of_value || settings->number)
            return pf_fail(PF_EARG, "%s: no pipeline begins with %s: save it and open the file", settings->text,
                           settings->of_value ? "this value" : "one of several records");
        PF_TRY(pf_writer_text(to, "cat "));
        return pfi_quote(to, settings->text);
    }
    PF_TRY(pfi_pipe_text(settings->text, to));
    PF_TRY(pf_writer_text(to, " | permcompile"));
    if (settings->input == PFI_INPUT_LATTICE) return pf_writer_text(to, " --plf");
    if (settings->input == PFI_INPUT_MARKUP) PF_TRY(pf_writer_text(to, " --markup"));
    return settings->at_punctuation ? pf_writer_text(to, " --monotone-at-punctuation") : PF_OK;
}

static pf_err put_specs(const pfi_texts *specs, const char *option, pf_writer *to) {
    for (size_t i = 0; i < specs->n; i++) {
        PF_TRY(pf_writer_text(to, " %s%s", option, *option ? " " : ""));
        PF_TRY(pfi_quote(to, specs->at[i]));
    }
    return PF_OK;
}

pf_err pfi_pipe_permuting(const pfi_settings *settings, bool marks, pf_writer *to) {
    PF_TRY(pf_writer_text(to, " | lazyperm"));
    PF_TRY(put_specs(&settings->space, "-c", to));
    if (marks) PF_TRY(put_specs(&settings->mark, "-c", to));
    return put_specs(&settings->weight, "-w", to);
}

static pf_err pipe_permute(const pfi_settings *settings, pf_writer *to) {
    pf_expr *input, *permuted;
    PF_TRY(pfi_settings_input(settings, &input));
    pf_err err = pfi_settings_permute(settings, input, &permuted);
    bool stays = permuted == input;
    pf_expr_free(permuted);
    pf_expr_free(input);
    return err || stays ? err : pfi_pipe_permuting(settings, true, to);
}

/* A number with the digits that read back to it. */
static pf_err put_number(double number, pf_writer *to) {
    char words[40];
    snprintf(words, sizeof words, "%.15g", number);
    if (strtod(words, NULL) != number) snprintf(words, sizeof words, "%.17g", number);
    return pf_writer_text(to, "%s", words);
}

pf_err pfi_pipe_compose(const pfi_settings *settings, pf_writer *to) {
    bool scaled = false;
    if (!settings->model.n) return PF_OK;
    for (size_t i = 0; i < settings->model.n; i++) scaled = scaled || settings->model.at[i].scale != 1;
    PF_TRY(pf_writer_text(to, " | permcompose"));
    if (settings->scale_first != 1) {
        PF_TRY(pf_writer_text(to, " --scale-first="));
        PF_TRY(put_number(settings->scale_first, to));
    }
    for (size_t i = 0; scaled && i < settings->model.n; i++) {
        PF_TRY(pf_writer_text(to, "%s", i ? "," : " --scale="));
        PF_TRY(put_number(settings->model.at[i].scale, to));
    }
    PF_TRY(pf_writer_text(to, " -"));
    for (size_t i = 0; i < settings->model.n; i++) {
        PF_TRY(pf_writer_put(to, " ", 1));
        PF_TRY(pfi_quote(to, settings->model.at[i].path));
    }
    return PF_OK;
}

pf_err pfi_pipe_automaton(const pfi_settings *settings, pf_writer *to) {
    PF_TRY(pipe_input(settings, to));
    PF_TRY(pipe_permute(settings, to));
    return pfi_pipe_compose(settings, to);
}

pf_err pfi_pipe_search(const pfi_settings *settings, size_t n, pf_writer *to) {
    assert((size_t)settings->search < sizeof search_words / sizeof *search_words);
    assert((size_t)settings->unique < sizeof unique_words / sizeof *unique_words);
    PF_TRY(pf_writer_text(to, " | permshortest"));
    if (n > 1) PF_TRY(pf_writer_text(to, " -n %zu", n));
    if (settings->search) PF_TRY(pf_writer_text(to, " --search=%s", search_words[settings->search]));
    if (settings->unique) PF_TRY(pf_writer_text(to, " --unique=%s", unique_words[settings->unique]));
    for (int i = 0; i < PFI_SETTING_NUMBERS; i++) {
        if (settings->number_of[i] < 0) continue;
        PF_TRY(pf_writer_text(to, " %s=", setting_options[i]));
        PF_TRY(put_number(settings->number_of[i], to));
    }
    return PF_OK;
}

/* ---- as commands of permsh ---- */

static pf_err put_command(pf_writer *line, pf_writer *to) {
    size_t n;
    PF_TRY(pf_writer_put(line, "", 1));
    PF_TRY(pf_writer_text(to, " -e "));
    PF_TRY(pfi_quote(to, (const char *)pf_writer_bytes(line, &n)));
    pf_writer_clear(line);
    return PF_OK;
}

static pf_err put_input_command(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    static const char *const names[] = {"", "sentence ", "markup ", "lattice ", "open "}; /* as pfi_input_kind */
    if (settings->input == PFI_INPUT_NONE) return PF_OK;
    PF_TRY(pf_writer_text(line, "%s", names[settings->input]));
    if (settings->input != PFI_INPUT_RECORD) PF_TRY(pf_writer_text(line, "%s", settings->text));
    else PF_TRY(pfi_quote(line, settings->text));
    if (settings->number) PF_TRY(pf_writer_text(line, " %llu", (unsigned long long)settings->number));
    return put_command(line, to);
}

static pf_err put_spec_command(const char *name, const pfi_texts *specs, pf_writer *line, pf_writer *to) {
    if (!specs->n) return PF_OK;
    PF_TRY(pf_writer_text(line, "%s", name));
    PF_TRY(put_specs(specs, "", line));
    return put_command(line, to);
}

/* "zone:4,5" was "keep 4 5". */
static pf_err put_mark_commands(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    for (size_t i = 0; i < settings->mark.n; i++) {
        const char *spec = settings->mark.at[i], *colon = strchr(spec, ':');
        assert(colon);
        PF_TRY(strncmp(spec, "zone", 4) == 0 ? pf_writer_text(line, "keep %s", colon + 1)
                                             : pf_writer_text(line, "%.*s %s", (int)(colon - spec), spec, colon + 1));
        PF_TRY(put_command(line, to));
    }
    return PF_OK;
}

static pf_err put_model_commands(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    for (size_t i = 0; i < settings->model.n; i++) {
        PF_TRY(pf_writer_text(line, "model "));
        PF_TRY(pfi_quote(line, settings->model.at[i].path));
        PF_TRY(put_command(line, to));
    }
    PF_TRY(pf_writer_text(line, "scale "));
    PF_TRY(put_number(settings->scale_first, line));
    for (size_t i = 0; i < settings->model.n; i++) {
        PF_TRY(pf_writer_text(line, " "));
        PF_TRY(put_number(settings->model.at[i].scale, line));
    }
    return put_command(line, to);
}

static pf_err put_search_commands(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    static const char *const names[PFI_SETTING_NUMBERS] = {"beam ", "threshold ", "gap ", "limit ", "seconds "};
    for (int i = 0; i < PFI_SETTING_NUMBERS; i++) {
        if (settings->number_of[i] < 0) continue;
        PF_TRY(pf_writer_text(line, "%s", names[i]));
        PF_TRY(put_number(settings->number_of[i], line));
        PF_TRY(put_command(line, to));
    }
    if (settings->search) {
        PF_TRY(pf_writer_text(line, "search %s", search_words[settings->search]));
        PF_TRY(put_command(line, to));
    }
    if (settings->unique) {
        PF_TRY(pf_writer_text(line, "unique %s", unique_words[settings->unique]));
        PF_TRY(put_command(line, to));
    }
    PF_TRY(pf_writer_text(line, "seed %llu", (unsigned long long)settings->seed));
    return put_command(line, to);
}

static pf_err put_corpus_command(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    if (!settings->corpus[PFI_CORPUS_SOURCE]) return PF_OK;
    PF_TRY(pf_writer_text(line, "load"));
    for (int i = 0; i < PFI_CORPUS_FILES && settings->corpus[i]; i++) {
        PF_TRY(pf_writer_text(line, " "));
        PF_TRY(pfi_quote(line, settings->corpus[i]));
    }
    return put_command(line, to);
}

static pf_err put_commands(const pfi_settings *settings, pf_writer *line, pf_writer *to) {
    if (settings->at_punctuation) {
        PF_TRY(pf_writer_text(line, "punctuation on"));
        PF_TRY(put_command(line, to));
    }
    PF_TRY(put_input_command(settings, line, to));
    PF_TRY(put_spec_command("space", &settings->space, line, to));
    PF_TRY(put_mark_commands(settings, line, to));
    PF_TRY(put_spec_command("weight", &settings->weight, line, to));
    PF_TRY(put_model_commands(settings, line, to));
    PF_TRY(put_search_commands(settings, line, to));
    return put_corpus_command(settings, line, to);
}

pf_err pfi_pipe_commands(const pfi_settings *settings, pf_writer *to) {
    pf_writer *line;
    if (settings->input == PFI_INPUT_RECORD && settings->of_value)
        return pf_fail(PF_EARG, "%s: no pipeline begins with a value: save it and open the file", settings->text);
    PF_TRY(pf_writer_memory(&line));
    pf_err err = pf_writer_text(to, "permsh");
    if (!err) err = put_commands(settings, line, to);
    pf_writer_free(line);
    return err;
}

/* ---- of what a session makes and asks ---- */

/* The words become those of the record that was made. Where they cannot be made, there are none. */
static pf_err keep_source(pf_shell *shell, pf_err err, pf_writer *words) {
    size_t n;
    if (err && err != PF_ENOMEM) return PF_OK;
    if (!err) err = pf_writer_put(words, "", 1);
    if (!err) err = pfi_text_set(&shell->source, (const char *)pf_writer_bytes(words, &n));
    return err;
}

pf_err pfi_pipe_settings(pf_shell *shell) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = keep_source(shell, pfi_pipe_automaton(&shell->settings, words), words);
    pf_writer_free(words);
    return err;
}

pf_err pfi_pipe_made(pf_shell *shell, pf_err err, pf_writer *words, const char *print) {
    assert(shell->record);
    err = keep_source(shell, err, words);
    pf_writer_free(words);
    if (!err && shell->answer == shell->record) err = pfi_text_set(&shell->answer_source, shell->source);
    return err ? err : pfi_pipe_asked(shell, shell->source ? shell->source : "", print);
}

pf_err pfi_pipe_asked(pf_shell *shell, const char *source, const char *question) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = source ? pf_writer_text(words, "%s", source) : pfi_pipe_automaton(&shell->settings, words);
    if (!err && (!source || *source)) err = pf_writer_text(words, "%s", question);
    else if (err != PF_ENOMEM) {
        pf_writer_clear(words);
        err = PF_OK;
    }
    if (!err) err = pfi_shell_pipeline(shell, words);
    pf_writer_free(words);
    return err;
}

static bool is_one_line(const char *text) { return !strchr(text, '\n'); }

/* Values that have a line of text are set anew; words of other values cannot be. */
static pf_err put_values(const pf_shell *shell, pf_writer *line, pf_writer *to) {
    for (size_t i = 0; i < shell->value.n; i++) {
        const pfi_shell_value *value = &shell->value.at[i];
        if (value->record || !is_one_line(value->text)) continue;
        PF_TRY(pf_writer_text(line, "%s = ", value->name));
        PF_TRY(pfi_quote(line, value->text));
        PF_TRY(put_command(line, to));
    }
    return PF_OK;
}

static pf_err put_line(const pfi_command *command, pf_writer *line, pf_writer *to) {
    PF_TRY(pf_writer_text(line, "%s", command->word[0]));
    for (size_t i = 1; i < command->n; i++) {
        PF_TRY(pf_writer_text(line, " "));
        PF_TRY(pfi_quote(line, command->word[i]));
    }
    if (command->grows) {
        PF_TRY(pf_writer_text(line, " >> "));
        PF_TRY(pfi_quote(line, command->grows));
    }
    return put_command(line, to);
}

pf_err pfi_pipe_itself(pf_shell *shell, const pfi_command *command) {
    pf_writer *words, *line = NULL;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pf_writer_memory(&line);
    if (!err) err = pfi_pipe_commands(&shell->settings, words);
    if (!err) err = put_values(shell, line, words);
    if (!err) err = put_line(command, line, words);
    if (err && err != PF_ENOMEM) pf_writer_clear(words);
    if (err != PF_ENOMEM) err = pfi_shell_pipeline(shell, words);
    pf_writer_free(line);
    pf_writer_free(words);
    return err;
}
