/* The settings of a session as a pipeline of programs, in the words of the system's shell. */
#include "shell/settings_impl.h"

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
        if (settings->number)
            return pf_fail(PF_EARG, "%s: no pipeline begins with a value or one of several records: save it and open the file",
                           settings->text);
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
        PF_TRY(pf_writer_text(to, " %s ", option));
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
