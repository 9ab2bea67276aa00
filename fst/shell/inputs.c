/* What is permuted: sentences, marked sentences, alternatives, lattices, records of files. */
#include "shell/shell_impl.h"

#include <permfst/base/digits.h>
#include <permfst/ops/source.h>
#include <permfst/permute/con.h>
#include <permfst/permute/input.h>
#include <permfst/permute/wm.h>
#include <permfst/verbs/count.h>

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNTED = 1000000 }; /* states of a level; beyond them the space is not counted unasked */

/* ---- words of a command ---- */

pf_err pfi_command_number(const char *word, const char *what, uint64_t min, uint64_t max, uint64_t *out) {
    if (!pf_digits(word, strlen(word), out) || *out < min || *out > max)
        return pf_fail(PF_EARG, "expected %s, a number from %llu to %llu, found '%.100s'", what, (unsigned long long)min,
                       (unsigned long long)max, word);
    return PF_OK;
}

pf_err pfi_command_real(const char *word, const char *what, double *out) {
    char *end;
    *out = strtod(word, &end);
    if (*end || end == word || !isfinite(*out) || strchr(" \t", *word))
        return pf_fail(PF_EARG, "expected %s, found '%.100s'", what, word);
    return PF_OK;
}

/* ---- what the settings give ---- */

pf_err pfi_shell_permuted(const pf_shell *shell, pf_expr **out) {
    pf_expr *input;
    *out = NULL;
    PF_TRY(pfi_settings_input(&shell->settings, &input));
    pf_err err = pfi_settings_permute(&shell->settings, input, out);
    pf_expr_free(input);
    return err;
}

pf_err pfi_shell_slots(const pf_shell *shell, pfi_slots *out) {
    pf_expr *input;
    *out = (pfi_slots){0};
    PF_TRY(pfi_settings_input(&shell->settings, &input));
    pf_err err = pfi_slots_of(input, out);
    pf_expr_free(input);
    return err;
}

/* ---- the size of a space ---- */

/* A number for people, of what a noun in the singular says; a long one is rounded to two digits. */
static pf_err say_whole(pfi_command *command, const mpz_t number, const char *what) {
    const char *plural = mpz_cmp_ui(number, 1) == 0 ? "" : "s";
    void (*give_back)(void *, size_t);
    char *digits = mpz_get_str(NULL, 10, number);
    size_t n = strlen(digits);
    mp_get_memory_functions(NULL, NULL, &give_back);
    pf_err err = n <= 24 ? PFI_SAY(command, "%s %s%s", digits, what, plural)
                         : PFI_SAY(command, "%c.%c%ce%zu %s%s", digits[0], digits[1], digits[2], n - 1, what, plural);
    give_back(digits, n + 1);
    return err;
}

static pf_err say_states(pfi_command *command, pf_expr *permuted, const pf_path_count *count) {
    pf_con_size size;
    pf_opened *opened;
    if (!count->of_space) return PFI_SAY(command, ", %llu states", (unsigned long long)count->states);
    if (!count->tally.closed) return PFI_SAY(command, ", %llu states", (unsigned long long)count->tally.states);
    PF_TRY(pf_open(permuted, &opened));
    const pf_con *con = pf_fst_space(pf_opened_fst(opened));
    pf_con_size_init(&size);
    if (con) pf_con_size_of(con, &size);
    pf_err err = size.machine ? PFI_SAY(command, ", ") : PF_OK;
    if (!err && size.machine) err = say_whole(command, size.states, "state");
    pf_con_size_clear(&size);
    pf_opened_free(opened);
    return err;
}

/* The space of an answer is what people ask about, so it is told unasked, where that is quick. */
pf_err pfi_say_space(pfi_command *command) {
    pf_tally_options how = {.max_states = MOST_COUNTED, .expired = pfi_shell_expired, .self = command->shell};
    pf_path_count count;
    pf_expr *permuted;
    PF_TRY(pfi_shell_permuted(command->shell, &permuted));
    pf_err err = pf_expr_count(permuted, &how, &count);
    if (err == PF_ELIMIT) err = PFI_SAY(command, "more orders than are counted unasked");
    else if (!err) {
        err = say_whole(command, count.tally.at[0], count.of_space ? "order" : "path");
        if (!err) err = say_states(command, permuted, &count);
        pf_path_count_free(&count);
    }
    pf_expr_free(permuted);
    return err ? err : PFI_SAY(command, "\n");
}

/* ---- changes ---- */

static pf_err check_specs(const pfi_settings *settings) {
    for (size_t i = 0; i < settings->space.n; i++) PF_TRY(pf_con_check(settings->space.at[i]));
    for (size_t i = 0; i < settings->mark.n; i++) PF_TRY(pf_con_check(settings->mark.at[i]));
    for (size_t i = 0; i < settings->weight.n; i++) PF_TRY(pf_wm_check(settings->weight.at[i]));
    return PF_OK;
}

/* Weights with tables and trees name files. */
static pf_err check_sealed_specs(const pfi_settings *settings) {
    static const char words[] = "%s: this session opens no files";
    const pf_wm_class *cls;
    for (size_t i = 0; i < settings->space.n; i++)
        if (strstr(settings->space.at[i], "tree:")) return pf_fail(PF_EARG, words, settings->space.at[i]);
    for (size_t i = 0; i < settings->weight.n; i++) {
        PF_TRY(pf_wm_class_of(settings->weight.at[i], &cls));
        if (cls->table != PF_WM_NO_TABLE) return pf_fail(PF_EARG, words, settings->weight.at[i]);
    }
    return PF_OK;
}

static pf_err check_settings(const pf_shell *shell, const pfi_settings *settings) {
    pf_expr *automaton;
    PF_TRY(check_specs(settings));
    if (shell->options.sealed) PF_TRY(check_sealed_specs(settings));
    if (settings->input == PFI_INPUT_NONE) return PF_OK;
    PF_TRY(pfi_settings_automaton(settings, &automaton));
    pf_expr_free(automaton);
    return PF_OK;
}

pf_err pfi_shell_change(pfi_command *command, pf_err err, pfi_settings *changed) {
    pf_shell *shell = command->shell;
    pf_expr *permuted;
    if (!err) err = check_settings(shell, changed);
    if (err) {
        pfi_settings_free(changed);
        return err;
    }
    pfi_shell_settle(shell, changed);
    if (shell->settings.input == PFI_INPUT_NONE) return PF_OK;
    PF_TRY(pfi_settings_automaton(&shell->settings, &permuted));
    pfi_shell_made(shell, permuted);
    pf_expr_free(permuted);
    return pfi_pipe_settings(shell);
}

/* ---- commands ---- */

static pf_err say_sentence(pfi_command *command) {
    pfi_slots slots;
    if (!command->shell->options.people) return PF_OK;
    PF_TRY(pfi_shell_slots(command->shell, &slots));
    pf_err err = slots.linear ? PFI_SAY(command, "%u word%s, ", slots.n, pf_plural(slots.n)) : PF_OK;
    pfi_slots_free(&slots);
    return err ? err : pfi_say_space(command);
}

/* Marks are about positions of the sentence that was there. `value`: the record is its; NULL: it is of no value. */
static pf_err set_input(pfi_command *command, pfi_input_kind kind, const char *text, pf_expr *record, uint64_t number,
                        const pfi_shell_value *value) {
    pfi_settings changed;
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    if (!err) err = pfi_text_set(&changed.text, text);
    if (!err) err = pfi_text_set(&changed.source, value ? value->source : NULL);
    pf_expr_free(changed.record);
    changed.record = record ? pf_expr_ref(record) : NULL;
    changed.number = number;
    changed.of_value = value;
    changed.input = kind;
    pfi_texts_clear(&changed.mark);
    PF_TRY(pfi_shell_change(command, err, &changed));
    return say_sentence(command);
}

pf_err pfi_do_sentence(pfi_command *command) {
    if (strcmp(command->rest, "\\data\\") == 0)
        return pf_fail(PF_EINPUT, "expected a sentence, found an ARPA model: lm FILE reads it");
    return set_input(command, PFI_INPUT_WORDS, command->rest, NULL, 0, NULL);
}

pf_err pfi_do_markup(pfi_command *command) { return set_input(command, PFI_INPUT_MARKUP, command->rest, NULL, 0, NULL); }
pf_err pfi_do_lattice(pfi_command *command) { return set_input(command, PFI_INPUT_LATTICE, command->rest, NULL, 0, NULL); }

pf_err pfi_do_punctuation(pfi_command *command) {
    pfi_settings changed;
    bool on = strcmp(command->word[1], "on") == 0;
    if (!on && strcmp(command->word[1], "off") != 0)
        return pf_fail(PF_EARG, "punctuation: expected on or off, found '%.100s'", command->word[1]);
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    changed.at_punctuation = on;
    PF_TRY(pfi_shell_change(command, err, &changed));
    return command->shell->settings.input == PFI_INPUT_NONE ? PF_OK : say_sentence(command);
}

static pf_err put_plf_word(pf_writer *to, const char *word) {
    PF_TRY(pf_writer_text(to, "('"));
    for (; *word; word++) PF_TRY(pf_writer_text(to, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word));
    return pf_writer_text(to, "',1,1),");
}

/* The slots as a lattice, with more words at one of them. */
static pf_err write_alternatives(pfi_command *command, const pf_input *input, const pf_symtab *table, uint64_t at, pf_writer *to) {
    PF_TRY(pf_writer_text(to, "("));
    for (unsigned j = 0; j < input->n; j++) {
        PF_TRY(pf_writer_text(to, "("));
        for (uint32_t i = input->first[j]; i < input->first[j + 1]; i++) {
            size_t length;
            const char *word = pf_symtab_name(table, input->arc[i].out, &length);
            if (!word || input->arc[i].w != 0) return pf_fail(PF_EARG, "alternatives need words without costs");
            PF_TRY(put_plf_word(to, word));
        }
        for (size_t i = 2; j + 1 == at && i < command->n; i++) PF_TRY(put_plf_word(to, command->word[i]));
        PF_TRY(pf_writer_text(to, "),"));
    }
    PF_TRY(pf_writer_text(to, ")"));
    return pf_writer_put(to, "", 1);
}

static pf_err add_alternatives(pfi_command *command, pf_expr *sentence, pf_writer *lattice) {
    uint64_t at;
    pf_input input;
    if (sentence->kind != PF_EXPR_FST || !sentence->fst->osyms)
        return pf_fail(PF_EARG, "alternatives need a sentence of words without marks: keep and wall come after them");
    PF_TRY(pf_input_read(sentence->fst, &input));
    pf_err err = pfi_command_number(command->word[1], "a position", 1, input.n, &at);
    if (!err) err = write_alternatives(command, &input, sentence->fst->osyms, at, lattice);
    pf_input_free(&input);
    return err;
}

pf_err pfi_do_alternatives(pfi_command *command) {
    pf_expr *sentence = NULL;
    pf_writer *lattice;
    size_t n;
    PF_TRY(pf_writer_memory(&lattice));
    pf_err err = pfi_settings_input(&command->shell->settings, &sentence);
    if (!err) err = add_alternatives(command, sentence, lattice);
    if (!err) err = set_input(command, PFI_INPUT_LATTICE, (const char *)pf_writer_bytes(lattice, &n), NULL, 0, NULL);
    pf_expr_free(sentence);
    pf_writer_free(lattice);
    return err;
}

/* Record `number` of a source, and whether it is the only one. */
static pf_err take_record(pf_source *source, uint64_t number, pf_expr **out, bool *only) {
    pf_expr *next;
    *out = NULL;
    for (uint64_t i = 1;; i++) {
        PF_TRY(pf_source_next(source, &next));
        *only = i == 1 || !next;
        if (!next || *out) break;
        if (i == number) *out = next;
        else pf_expr_free(next);
        next = NULL;
    }
    *only = number == 1 && !next;
    pf_expr_free(next);
    return *out ? PF_OK : pf_fail(PF_EARG, "%s has no record %llu", pf_source_name(source), (unsigned long long)number);
}

pf_err pfi_do_open(pfi_command *command) {
    const char *path = command->word[1];
    uint64_t number = 1;
    pf_reader *reader;
    pf_source *source;
    pf_expr *record = NULL;
    bool only = false;
    if (command->n > 2) PF_TRY(pfi_command_number(command->word[2], "a record", 1, UINT64_MAX - 1, &number));
    PF_TRY(pfi_shell_open(command->shell, path, &reader));
    PF_TRY(pf_source_new(reader, &(pf_source_options){.first = 1}, &source));
    pf_err err = take_record(source, number, &record, &only);
    pf_source_free(source);
    if (!err && record->kind == PF_EXPR_MODEL) err = pf_fail(PF_EARG, "%s is a model: lm %s", path, path);
    if (!err) err = set_input(command, PFI_INPUT_RECORD, path, record, only ? 0 : number, NULL);
    pf_expr_free(record);
    return err;
}

/* A record of a value becomes what is permuted. */
pf_err pfi_do_use(pfi_command *command) {
    pf_shell *shell = command->shell;
    const pfi_shell_value *value = pfi_shell_value_of(shell, command->word[1], strlen(command->word[1]));
    if (!value) return pf_fail(PF_EARG, "there is no value '%.100s'", command->word[1]);
    if (!value->record)
        return pf_fail(PF_EARG, "the value '%.100s' is a text, not a record: sentence $%.100s", value->name, value->name);
    return set_input(command, PFI_INPUT_RECORD, value->name, value->record, 0, value);
}
