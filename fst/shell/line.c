/* A line of a session in words, with the quotes that people know from the system's shell. One pass. O(line). */
#include "shell/shell_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at;
    pfi_value_text value;
    void *self;
    pfi_command_line *out;
} line_input;

static bool blank(char c) { return c == ' ' || c == '\t'; }
static bool of_name(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static size_t name_length(const char *at) {
    size_t n = 0;
    while (of_name(at[n], n == 0)) n++;
    return n;
}

bool pfi_command_line_assigns(const char *line, size_t *name, const char **rest) {
    const char *at = line + (*name = name_length(line));
    if (!*name || !blank(*at)) return false;
    while (blank(*at)) at++;
    if (*at != '=' || !(blank(at[1]) || !at[1])) return false;
    for (at++; blank(*at);) at++;
    *rest = at;
    return true;
}

static pf_err put(line_input *in, const char *bytes, size_t n) {
    pfi_command_line *out = in->out;
    if (out->text.n + n > PF_LINE_LIMIT)
        return pf_fail(PF_EARG, "expected a line of at most %zu bytes with its values, found a longer one", PF_LINE_LIMIT);
    PF_TRY(PF_ROOM(&out->text, n + 1));
    if (n) memcpy(out->text.at + out->text.n, bytes, n);
    out->text.n += n;
    return PF_OK;
}

static pf_err put_value(line_input *in) {
    assert(*in->at == '$' && in->value);
    size_t n = name_length(in->at + 1);
    const char *text = n ? in->value(in->self, in->at + 1, n) : NULL;
    if (!n) return put(in, in->at++, 1);
    if (!text)
        return pf_fail(PF_EARG, "there is no value '%.*s': \"%.*s = ...\" makes one", (int)n, in->at + 1, (int)n, in->at + 1);
    in->at += 1 + n;
    size_t length = strlen(text);
    return put(in, text, length && text[length - 1] == '\n' ? length - 1 : length);
}

static pf_err quoted(line_input *in) {
    char quote = *in->at++;
    while (*in->at && *in->at != quote) {
        if (quote == '"' && *in->at == '\\' && (in->at[1] == '"' || in->at[1] == '\\' || in->at[1] == '$')) in->at++;
        else if (quote == '"' && *in->at == '$' && in->value) {
            PF_TRY(put_value(in));
            continue;
        }
        PF_TRY(put(in, in->at++, 1));
    }
    if (!*in->at) return pf_fail(PF_EARG, "expected a second %c, found the end of the line", quote);
    in->at++;
    return PF_OK;
}

static pf_err word(line_input *in) {
    pfi_command_line *out = in->out;
    PF_TRY(PF_PUSH(&out->begin, out->text.n));
    while (*in->at && !blank(*in->at)) {
        if (*in->at == '\'' || *in->at == '"') PF_TRY(quoted(in));
        else if (*in->at == '$' && in->value) PF_TRY(put_value(in));
        else {
            if (*in->at == '\\' && in->at[1]) in->at++;
            PF_TRY(put(in, in->at++, 1));
        }
    }
    return put(in, "", 1);
}

static void skip_blanks(line_input *in) {
    while (blank(*in->at)) in->at++;
}

/* The file is a word like any other; a command is the rest of the line. */
static pf_err read_target(line_input *in) {
    pfi_command_line *out = in->out;
    bool command = *in->at == '|', at_end = in->at[0] == '>' && in->at[1] == '>';
    const char *name;
    out->target = command ? PFI_TO_COMMAND : at_end ? PFI_TO_FILE_END : PFI_TO_FILE;
    in->at += at_end ? 2 : 1;
    skip_blanks(in);
    if (!*in->at)
        return pf_fail(PF_EARG, "expected a %s after %s", command ? "command" : "file", command ? "|" : at_end ? ">>" : ">");
    name = in->at;
    if (!command) {
        PF_TRY(word(in));
        name = out->text.at + out->begin.at[--out->begin.n];
        skip_blanks(in);
        if (*in->at) return pf_fail(PF_EARG, "expected the end of the line after the file '%.100s', found '%.100s'", name, in->at);
    }
    if (!(out->target_name = strdup(name))) return pf_nomem();
    in->at += strlen(in->at);
    return PF_OK;
}

static bool targets(const char *at) { return *at == '>' || (*at == '|' && (blank(at[1]) || !at[1])); }

static pf_err split(line_input *in) {
    pfi_command_line *out = in->out;
    for (skip_blanks(in); *in->at; skip_blanks(in)) {
        if (out->begin.n == 1 && !out->rest) out->rest = in->at;
        PF_TRY(targets(in->at) ? read_target(in) : word(in));
    }
    if (!out->rest) out->rest = in->at;
    PF_TRY(PF_ROOM(&out->word, out->begin.n + 1));
    for (size_t i = 0; i < out->begin.n; i++) out->word.at[out->word.n++] = out->text.at + out->begin.at[i];
    return PF_OK;
}

pf_err pfi_command_line_split(const char *line, pfi_value_text value, void *self, pfi_command_line *out) {
    *out = (pfi_command_line){0};
    return split(&(line_input){line, value, self, out});
}

void pfi_command_line_free(pfi_command_line *line) {
    PF_VEC_FREE(&line->text);
    PF_VEC_FREE(&line->begin);
    PF_VEC_FREE(&line->word);
    free(line->target_name);
    *line = (pfi_command_line){0};
}
