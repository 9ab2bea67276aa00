/* What a word of a line can be, for the Tab key. */
#include "shell/shell_impl.h"

#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const pf_shell *shell;
    const char *line; /* the command that it belongs to */
    const char *word; /* what is there of it, in this line */
    size_t n;
    pf_writer *to;
} word_completion;

static pf_err offer(const word_completion *completion, const char *candidate, const char *after) {
    if (strncmp(candidate, completion->word, completion->n) != 0) return PF_OK;
    return pf_writer_text(completion->to, "%s%s\n", candidate, after);
}

static pf_err offer_commands(const word_completion *completion) {
    const pf_shell_host *host = &completion->shell->options.host;
    const char *name, *summary;
    for (const pfi_shell_command *command = pfi_shell_commands; command->help.name; command++)
        PF_TRY(offer(completion, command->help.name, ""));
    for (size_t i = 0; host->program_name
         && (name = host->program_name(host->self, i, &summary)); i++) PF_TRY(offer(completion, name, ""));
    return PF_OK;
}

/* Atoms of a constraint stand after "+", "|", "-", "(" or "inverse:". */
static pf_err offer_constraints(const word_completion *completion) {
    word_completion atom = *completion;
    for (size_t i = completion->n; i-- > 0;)
        if (strchr("+|(:", completion->word[i])
            && !(completion->word[i] == ':' && (i < 7 || memcmp(completion->word + i - 7, "inverse", 7) != 0))) {
            atom.word = completion->word + i + 1;
            atom.n = completion->n - i - 1;
            break;
        }
    const pf_con_class *con;
    for (size_t i = 0; (con = pf_con_at(i)); i++) {
        if (strncmp(con->name, atom.word, atom.n) != 0) continue;
        PF_TRY(pf_writer_text(completion->to, "%.*s%s%s\n", (int)(atom.word - completion->word), completion->word, con->name,
                              *con->params ? ":" : ""));
    }
    return PF_OK;
}

static pf_err offer_weights(const word_completion *completion) {
    const pf_wm_class *wm;
    for (size_t i = 0; (wm = pf_wm_at(i)); i++) PF_TRY(offer(completion, wm->name, *wm->params ? ":" : ""));
    return PF_OK;
}

static pf_err offer_values(const word_completion *completion, bool dollar) {
    word_completion name = *completion;
    if (dollar) {
        name.word++;
        name.n--;
    }
    for (size_t i = 0; i < completion->shell->value.n; i++)
        if (strncmp(completion->shell->value.at[i].name, name.word, name.n) == 0)
            PF_TRY(pf_writer_text(completion->to, "%s%s\n", dollar ? "$" : "", completion->shell->value.at[i].name));
    return PF_OK;
}

static pf_err offer_sentence(const word_completion *completion) {
    pfi_slots slots;
    if (completion->shell->settings.input == PFI_INPUT_NONE) return PF_OK;
    PF_TRY(pfi_shell_slots(completion->shell, &slots));
    pf_err err = PF_OK;
    for (unsigned j = 0; !err && j < slots.n; j++) {
        bool before = false;
        for (unsigned i = 0; i < j && !before; i++) before = strcmp(slots.word[i], slots.word[j]) == 0;
        if (!before) err = offer(completion, slots.word[j], "");
    }
    pfi_slots_free(&slots);
    return err;
}

/* The statistics of count: weights in whole numbers. */
static pf_err offer_statistics(const word_completion *completion) {
    const pf_wm_class *wm;
    for (size_t i = 0; (wm = pf_wm_at(i)); i++)
        if (wm->whole) PF_TRY(offer(completion, wm->name, ""));
    return PF_OK;
}

/* Is the word before the one at hand `before`? */
static bool follows(const word_completion *completion, const char *before) {
    const char *at = completion->word;
    size_t n = strlen(before);
    while (at > completion->line && (at[-1] == ' ' || at[-1] == '\t')) at--;
    if ((size_t)(at - completion->line) <= n) return false;
    return memcmp(at - n, before, n) == 0 && (at[-(ptrdiff_t)n - 1] == ' ' || at[-(ptrdiff_t)n - 1] == '\t');
}

/* Options of a program, and the values of -c and -w. */
static pf_err offer_options(const word_completion *completion, const char *name, size_t length) {
    const pf_shell_host *host = &completion->shell->options.host;
    char program[40], candidate[80];
    const char *option;
    if (follows(completion, "-c")) return offer_constraints(completion);
    if (follows(completion, "-w")) return offer_weights(completion);
    if (length >= sizeof program || !host->program_option || *completion->word != '-') return PF_OK;
    memcpy(program, name, length);
    program[length] = 0;
    for (size_t i = 0; (option = host->program_option(host->self, program, i)); i++) {
        snprintf(candidate, sizeof candidate, "--%s", option);
        PF_TRY(offer(completion, candidate, ""));
    }
    return PF_OK;
}

/* The choices of a usage such as "auto|levels|astar"; what is in capitals is none. */
static pf_err offer_usage(const word_completion *completion, const char *usage) {
    for (const char *at = usage; *at; at += strspn(at, "| ")) {
        char choice[40];
        size_t n = strcspn(at, "| ");
        if (n < sizeof choice && *at >= 'a' && *at <= 'z') {
            memcpy(choice, at, n);
            choice[n] = 0;
            PF_TRY(offer(completion, choice, ""));
        }
        at += n;
    }
    return PF_OK;
}

static pf_err offer_words(const word_completion *completion, const char *name, size_t length, bool *files);

/* NAME=VALUE of a sweep: values are what the command NAME takes, after the last comma. */
static pf_err offer_swept(const word_completion *completion, const char *equals, bool *files) {
    const char *comma = equals;
    size_t n;
    pf_writer *values;
    for (const char *at = equals; at < completion->word + completion->n; at++)
        if (*at == ',') comma = at;
    PF_TRY(pf_writer_memory(&values));
    word_completion value = {completion->shell, completion->line, comma + 1, completion->n - (size_t)(comma + 1 - completion->word),
                             values};
    pf_err err = offer_words(&value, completion->word, (size_t)(equals - completion->word), files);
    const char *at = (const char *)pf_writer_bytes(values, &n);
    for (const char *end = at + n, *lf; !err && at < end; at = lf + 1) {
        lf = memchr(at, '\n', (size_t)(end - at));
        err = pf_writer_text(completion->to, "%.*s%.*s\n", (int)(comma + 1 - completion->word), completion->word, (int)(lf - at),
                             at);
    }
    pf_writer_free(values);
    return err;
}

static pf_err offer_words(const word_completion *completion, const char *name, size_t length, bool *files) {
    static const struct {
        const char *commands;
        pf_err (*offer)(const word_completion *completion);
    } kinds[] = {
        {" space why compare cover ", offer_constraints},
        {" weight ", offer_weights},
        {" count ", offer_statistics},
        {" help ", offer_commands},
        {" help ", offer_constraints},
        {" help ", offer_weights},
        {" sentence markup keep unit wall step take reference oracle ", offer_sentence},
    };
    const pfi_shell_command *command = pfi_shell_find(name, length);
    char key[32];
    if (pfi_shell_is_program(completion->shell, name, length)) return offer_options(completion, name, length);
    if (!command) { /* a sentence */
        *files = false;
        return offer_sentence(completion);
    }
    snprintf(key, sizeof key, " %s ", command->help.name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(kinds[i].commands, key)) PF_TRY(kinds[i].offer(completion));
    if (strstr(" use show info save draw ", key)) PF_TRY(offer_values(completion, false));
    return offer_usage(completion, command->help.usage);
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }
static const char *skip_word(const char *at) { return at + strcspn(at, " \t"); }

/* Where the command that the word at hand belongs to begins: after "NAME =", "time" and the values of a sweep. NULL: the word is
 * such a value. */
static const char *find_command(const char *line, const char *word) {
    const char *at = skip_blanks(line), *rest;
    size_t name;
    for (bool sweeps = false;; at = rest) {
        if (at >= word) return sweeps && memchr(word, '=', strcspn(word, " \t")) ? NULL : at;
        if (pfi_command_line_assigns(at, &name, &rest)) continue;
        size_t n = (size_t)(skip_word(at) - at);
        rest = skip_blanks(at + n);
        if (sweeps && n == 2 && memcmp(at, "-j", 2) == 0) rest = skip_blanks(skip_word(rest));
        else if (n == 5 && memcmp(at, "sweep", 5) == 0) sweeps = true;
        else if (!(n == 4 && memcmp(at, "time", 4) == 0) && !(sweeps && memchr(at, '=', n))) return at;
    }
}

pf_err pf_shell_complete(const pf_shell *shell, const char *line, size_t end, size_t *begin, bool *files, pf_writer *candidates) {
    char *copy = strndup(line, end);
    size_t at = end;
    if (!copy) return pf_nomem();
    while (at && copy[at - 1] != ' ' && copy[at - 1] != '\t') at--;
    const char *command = find_command(copy, copy + at);
    word_completion completion = {shell, command ? command : copy, copy + at, end - at, candidates};
    pf_err err;
    *begin = at;
    *files = command && command < completion.word;
    if (completion.n && *completion.word == '$') err = offer_values(&completion, true);
    else if (!command) err = offer_swept(&completion, strchr(completion.word, '='), files);
    else if (command >= completion.word) err = offer_commands(&completion);
    else err = offer_words(&completion, command, (size_t)(skip_word(command) - command), files);
    free(copy);
    return err;
}
