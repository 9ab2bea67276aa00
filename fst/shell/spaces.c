/* Which orders are allowed, what they cost, and how they are searched: the settings of a session. */
#include "shell/shell_impl.h"

#include <permfst/ops/open.h>
#include <permfst/ops/source.h>
#include <permfst/permute/compare.h>

#include <permfst/base/digits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char none[] = "none";

/* ---- space, weight ---- */

static pf_err say_settings(pfi_command *command) {
    const pf_shell *shell = command->shell;
    if (!shell->options.people || shell->settings.input == PFI_INPUT_NONE) return PF_OK;
    return pfi_say_space(command);
}

static pf_err set_specs(const pfi_command *command, pfi_texts *specs) {
    pfi_texts_clear(specs);
    if (command->n == 2 && strcmp(command->word[1], none) == 0) return PF_OK;
    for (size_t i = 1; i < command->n; i++) PF_TRY(pfi_texts_add(specs, command->word[i]));
    return PF_OK;
}

pf_err pfi_do_space(pfi_command *command) {
    pfi_settings changed;
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (!err) err = set_specs(command, &changed.space);
    PF_TRY(pfi_shell_change(command, err, &changed));
    return say_settings(command);
}

pf_err pfi_do_weight(pfi_command *command) {
    pfi_settings changed;
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (!err) err = set_specs(command, &changed.weight);
    return pfi_shell_change(command, err, &changed);
}

/* ---- walls and zones ---- */

static bool all_numbers(const pfi_command *command) {
    uint64_t number;
    for (size_t i = 1; i < command->n; i++)
        for (const char *at = command->word[i];; at++) {
            if (!pf_digits_take(&at, &number)) return false;
            if (!*at) break;
            if (*at != '-' && *at != ',') return false;
        }
    return true;
}

/* Where the words of a command stand side by side, from 1; there must be one such place. */
static pf_err find_words(pfi_command *command, unsigned *from, unsigned *to) {
    pfi_slots slots;
    unsigned found = 0, n = (unsigned)command->n - 1;
    PF_TRY(pfi_shell_slots(command->shell, &slots));
    for (unsigned at = 0; at + n <= slots.n; at++) {
        unsigned i = 0;
        while (i < n && strcmp(slots.word[at + i], command->word[1 + i]) == 0) i++;
        if (i < n) continue;
        *from = at + 1;
        *to = at + n;
        found++;
    }
    pfi_slots_free(&slots);
    if (found == 1) return PF_OK;
    return pf_fail(PF_EARG,
                   "%s: expected words that stand side by side %s, found '%.100s'; positions, such as 4 5, name any of them",
                   command->word[0], found ? "in one place only" : "in the sentence", command->rest);
}

/* "4 5", "4-5" or "4,5"; or one number, for a wall. */
static pf_err find_positions(const pfi_command *command, unsigned *from, unsigned *to) {
    uint64_t first = 0, last = 0;
    const char *at = command->word[1];
    pf_digits_take(&at, &first);
    last = first;
    if (*at) at++;
    else if (command->n > 2) at = command->word[command->n - 1];
    if (*at && (!pf_digits_take(&at, &last) || *at)) last = 0;
    if (!first || last < first || last > PF_MAX_WORDS)
        return pf_fail(PF_EARG, "%s: expected positions that rise, such as 4 5, found '%.100s'", command->word[0], command->rest);
    *from = (unsigned)first;
    *to = (unsigned)last;
    return PF_OK;
}

static pf_err write_mark(pfi_command *command, char spec[60]) {
    unsigned from = 0, to = 0;
    const char *kind = strcmp(command->word[0], "keep") == 0 ? "zone" : command->word[0];
    bool wall = strcmp(kind, "wall") == 0;
    PF_TRY(all_numbers(command) ? find_positions(command, &from, &to) : find_words(command, &from, &to));
    if (wall) snprintf(spec, 60, "wall:%u", to);
    else snprintf(spec, 60, "%s:%u,%u", kind, from, to);
    return PF_OK;
}

static pf_err say_marks(pfi_command *command) {
    const pfi_settings *settings = &command->shell->settings;
    const char *plus = "";
    if (!command->shell->options.people) return PF_OK;
    for (size_t i = 0; i < settings->space.n; i++, plus = "+") PF_TRY(PFI_SAY(command, "%s%s", plus, settings->space.at[i]));
    for (size_t i = 0; i < settings->mark.n; i++, plus = "+") PF_TRY(PFI_SAY(command, "%s%s", plus, settings->mark.at[i]));
    PF_TRY(PFI_SAY(command, "%s", *plus ? ": " : ""));
    return pfi_say_space(command);
}

/* keep, unit and wall. */
pf_err pfi_do_marks(pfi_command *command) {
    pfi_settings changed;
    char spec[60];
    bool clears = command->n == 2 && strcmp(command->word[1], none) == 0;
    if (!clears) PF_TRY(write_mark(command, spec));
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (clears) pfi_texts_clear(&changed.mark);
    else if (!err) err = pfi_texts_add(&changed.mark, spec);
    PF_TRY(pfi_shell_change(command, err, &changed));
    return say_marks(command);
}

/* ---- models ---- */

/* The model is made here, so that a damaged file is refused by this command. */
static pf_err read_model(const char *path, pf_source *source, pf_blob **model, pf_expr **automaton) {
    const pf_model *made;
    pf_expr *more = NULL;
    PF_TRY(pf_source_operand(source, model, automaton));
    if (*model) return strcmp(pf_blob_class(*model), "fst") == 0 ? PF_OK : pf_open_model(*model, &made);
    PF_TRY(pf_source_next(source, &more));
    pf_expr_free(more);
    return more ? pf_fail(PF_EARG, "%s: expected one automaton, found several", path) : PF_OK;
}

static pf_err add_model(pfi_command *command, double scale, pfi_settings *changed) {
    const char *path = command->word[1];
    pf_reader *reader;
    pf_source *source;
    pf_blob *model = NULL;
    pf_expr *automaton = NULL;
    PF_TRY(pfi_shell_open(command->shell, path, &reader));
    PF_TRY(pf_source_new(reader, &(pf_source_options){.first = 1, .models = true}, &source));
    pf_err err = read_model(path, source, &model, &automaton);
    if (!err) err = pfi_models_add(changed, path, scale, model, automaton);
    pf_source_free(source);
    pf_blob_free(model);
    pf_expr_free(automaton);
    return err;
}

/* lm: the only model; model: one more. */
pf_err pfi_do_lm(pfi_command *command) {
    pfi_settings changed;
    double scale = 1;
    if (command->n > 2) PF_TRY(pfi_command_real(command->word[2], "a scale", &scale));
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (strcmp(command->word[0], "lm") == 0) pfi_models_clear(&changed);
    if (!err && strcmp(command->word[1], none) != 0) err = add_model(command, scale, &changed);
    return pfi_shell_change(command, err, &changed);
}

static pf_err set_scales(const pfi_command *command, pfi_settings *changed) {
    if (command->n - 1 != changed->model.n + 1)
        return pf_fail(PF_EARG, "scale: expected %zu numbers, for the costs of the orders and each model, found %zu",
                       changed->model.n + 1,
                       command->n - 1);
    PF_TRY(pfi_command_real(command->word[1], "a scale", &changed->scale_first));
    for (size_t i = 0; i < changed->model.n; i++)
        PF_TRY(pfi_command_real(command->word[2 + i], "a scale", &changed->model.at[i].scale));
    return PF_OK;
}

pf_err pfi_do_scale(pfi_command *command) {
    pfi_settings changed;
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (!err) err = set_scales(command, &changed);
    return pfi_shell_change(command, err, &changed);
}

/* ---- searches ---- */

static const struct {
    const char *name;
    bool whole;
} numbers[PFI_SETTING_NUMBERS] = {{"beam", true}, {"threshold", false}, {"gap", false}, {"limit", true}, {"seconds", false}};

/* beam, threshold, gap, limit, seconds. */
pf_err pfi_do_number(pfi_command *command) {
    const char *word = command->word[1];
    pfi_settings changed;
    uint64_t whole;
    double number = -1;
    size_t i = 0;
    while (strcmp(numbers[i].name, command->word[0]) != 0) i++;
    if (strcmp(word, none) != 0) {
        if (numbers[i].whole) {
            PF_TRY(pfi_command_number(word, command->word[0], 1, 1000000000, &whole));
            number = (double)whole;
        } else PF_TRY(pfi_command_real(word, command->word[0], &number));
        if (number < 0)
            return pf_fail(PF_EARG, "%s: expected a number of at least 0, or none, found '%.100s'", command->word[0], word);
    }
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    changed.number_of[i] = number;
    return pfi_shell_change(command, err, &changed);
}

static pf_err set_choice(pfi_command *command, const char *const *choices, size_t at) {
    pfi_settings changed;
    int choice = 0;
    while (choices[choice] && strcmp(choices[choice], command->word[1]) != 0) choice++;
    if (!choices[choice])
        return pf_fail(PF_EARG, "%s: expected %s, found '%.100s'", command->word[0],
                       pfi_shell_find(command->word[0], strlen(command->word[0]))->help.usage,
                       command->word[1]);
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    *(int *)((char *)&changed + at) = choice;
    return pfi_shell_change(command, err, &changed);
}

pf_err pfi_do_search(pfi_command *command) {
    static const char *const choices[] = {"auto", "levels", "astar", "chart", NULL}; /* as pf_search */
    return set_choice(command, choices, offsetof(pfi_settings, search));
}

pf_err pfi_do_unique(pfi_command *command) {
    static const char *const choices[] = {"none", "output", "permutation", NULL}; /* as pf_unique */
    return set_choice(command, choices, offsetof(pfi_settings, unique));
}

pf_err pfi_do_seed(pfi_command *command) {
    pfi_settings changed;
    uint64_t seed;
    PF_TRY(pfi_command_number(command->word[1], "a seed", 0, INT64_MAX, &seed));
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    changed.seed = seed;
    return pfi_shell_change(command, err, &changed);
}

/* ---- two spaces ---- */

static pf_err pipe_compare(pf_shell *shell, const char *first, const char *second, uint64_t length) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pf_writer_text(words, "permequal ");
    if (!err) err = pfi_quote(words, first);
    if (!err) err = pf_writer_text(words, " ");
    if (!err) err = pfi_quote(words, second);
    if (!err) err = pf_writer_text(words, " %llu", (unsigned long long)length);
    if (!err) err = pfi_shell_pipeline(shell, words);
    pf_writer_free(words);
    return err;
}

pf_err pfi_do_compare(pfi_command *command) {
    pf_space_proof proof[2] = {{0}, {0}};
    pf_compare_options how = {.max_states = 10000000, .expired = pfi_shell_expired, .self = command->shell};
    const char *const *spec = command->word + 1;
    uint64_t length;
    pfi_slots slots = {0};
    if (command->n > 3) PF_TRY(pfi_command_number(command->word[3], "a length", 0, PF_MAX_WORDS, &length));
    else if (command->shell->settings.input == PFI_INPUT_NONE)
        return pf_fail(PF_EARG, "compare: there is no sentence yet: expected a LENGTH, such as compare %s %s 6", spec[0], spec[1]);
    else {
        PF_TRY(pfi_shell_slots(command->shell, &slots));
        length = slots.n;
        pfi_slots_free(&slots);
    }
    pf_err err = pf_space_inside(spec[0], spec[1], (unsigned)length, &how, &proof[0]);
    if (!err) err = pf_space_inside(spec[1], spec[0], (unsigned)length, &how, &proof[1]);
    if (!err) err = pf_space_relation_write(spec[0], spec[1], &proof[0], &proof[1], command->shell->text);
    if (!err) command->shell->no = !proof[0].inside || !proof[1].inside;
    for (int i = 0; i < 2; i++) pf_space_proof_free(&proof[i]);
    return err ? err : pipe_compare(command->shell, spec[0], spec[1], length);
}
