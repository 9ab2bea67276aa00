/* What a word of a line can be, for the Tab key. */
#include "shell/shell_impl.h"

#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

#include <string.h>

typedef struct {
    const pf_shell *shell;
    const char *word; /* what is there of it */
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

/* The choices of a usage such as "auto|levels|astar". */
static pf_err offer_usage(const word_completion *completion, const char *usage) {
    for (const char *at = usage; *at; at += strspn(at, "|. ")) {
        char choice[40];
        size_t n = strcspn(at, "|. ");
        if (n < sizeof choice && *at >= 'a' && *at <= 'z') {
            memcpy(choice, at, n);
            choice[n] = 0;
            PF_TRY(offer(completion, choice, ""));
        }
        at += n;
    }
    return PF_OK;
}

static pf_err offer_words(const word_completion *completion, const char *name, size_t length) {
    static const struct {
        const char *commands;
        pf_err (*offer)(const word_completion *completion);
    } kinds[] = {
        {" space why compare cover ", offer_constraints},
        {" weight ", offer_weights},
        {" help ", offer_commands},
        {" help ", offer_constraints},
        {" help ", offer_weights},
        {" keep unit wall step take reference oracle ", offer_sentence},
    };
    char key[32];
    if (length + 3 > sizeof key) return PF_OK;
    key[0] = ' ';
    memcpy(key + 1, name, length);
    memcpy(key + 1 + length, " ", 2);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(kinds[i].commands, key)) PF_TRY(kinds[i].offer(completion));
    if (strstr(" use show info save draw ", key)) PF_TRY(offer_values(completion, false));
    const pfi_shell_command *command = pfi_shell_find(name, length);
    return command ? offer_usage(completion, command->help.usage) : PF_OK;
}

pf_err pf_shell_complete(const pf_shell *shell, const char *line, size_t end, size_t *begin, bool *files, pf_writer *candidates) {
    size_t name, length, at = end;
    while (at && line[at - 1] != ' ' && line[at - 1] != '\t') at--;
    word_completion completion = {shell, line + at, end - at, candidates};
    for (name = 0; line[name] == ' ' || line[name] == '\t';) name++;
    for (length = 0; name + length < at && line[name + length] != ' ' && line[name + length] != '\t';) length++;
    *begin = at;
    *files = false;
    if (at <= name) return offer_commands(&completion);
    if (completion.n && *completion.word == '$') return offer_values(&completion, true);
    *files = true;
    return offer_words(&completion, line + name, length);
}
