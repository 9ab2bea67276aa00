/* The three texts that come from a program's table. */
#include "toolcall.h"

#include <stdio.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum { HELP_COLUMN = 28, HELP_WIDTH = 79 };

static bool takes_value(const tool_option *o) { return o->kind > TOOL_SELECT; }

/* Words from HELP_COLUMN on, as many as fit a line; *column is where the cursor is. */
static pf_err put_words(pf_writer *w, const char *text, int *column) {
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (*column + 1 + n > HELP_WIDTH && *column > HELP_COLUMN) {
            PF_TRY(pf_writer_text(w, "\n"));
            *column = 0;
        }
        if (*column < HELP_COLUMN) {
            PF_TRY(pf_writer_text(w, "%*s", HELP_COLUMN - *column, ""));
            *column = HELP_COLUMN;
        } else if (*column > HELP_COLUMN) {
            PF_TRY(pf_writer_text(w, " "));
            ++*column;
        }
        PF_TRY(pf_writer_text(w, "%.*s", n, text));
        *column += n;
        text += n;
        text += strspn(text, " ");
    }
    return PF_OK;
}

/* "--plf or --slf" onto words, which have `used` bytes; returns those they have then. */
static size_t add_names(char *words, size_t room, size_t used, const char *names) {
    for (const char *at = names; *at && used < room;) {
        int n = (int)strcspn(at, " ");
        bool last = !at[n];
        used += (size_t)snprintf(words + used, room - used, "%s--%.*s", at == names ? "" : last ? " or " : ", ", n, at);
        at += n + !last;
    }
    return used;
}

/* " (needs --plf; not with --far)", if there is anything to say. */
static pf_err put_relations(pf_writer *w, const tool_option *o, int *column) {
    char words[600];
    size_t used = 1, room = sizeof words - 2;
    if (!o->needs && !o->excludes) return PF_OK;
    words[0] = '(';
    if (o->needs) used = add_names(words, room, used + (size_t)snprintf(words + used, room - used, "needs "), o->needs);
    if (o->needs && o->excludes && used < room) used += (size_t)snprintf(words + used, room - used, "; ");
    if (o->excludes && used < room)
        used = add_names(words, room, used + (size_t)snprintf(words + used, room - used, "not with "), o->excludes);
    if (used > room) used = room;
    memcpy(words + used, ")", 2);
    return put_words(w, words, column);
}

static pf_err put_option(pf_writer *w, const tool_option *o) {
    char left[64];
    if (o->kind == TOOL_GROUP) return pf_writer_text(w, "\n%s:\n", o->help);
    int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "      --%s", o->name);
    if (takes_value(o))
        n += snprintf(left + n, sizeof left - (size_t)n, o->optional ? "[=%s]" : o->letter ? " %s" : "=%s", o->metavar);
    PF_TRY(pf_writer_text(w, "%s", left));
    int column = n;
    if (column >= HELP_COLUMN) {
        PF_TRY(pf_writer_text(w, "\n"));
        column = 0;
    }
    PF_TRY(put_words(w, o->help, &column));
    PF_TRY(put_relations(w, o, &column));
    return pf_writer_text(w, "\n");
}

pf_err tool_print_help(const tool *t, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "Usage: %s [OPTION...]%s%s\n%s.\n", t->name, *t->operands ? " " : "", t->operands, t->summary));
    if (t->options->kind != TOOL_GROUP) PF_TRY(pf_writer_text(w, "\nOptions:\n"));
    for (const tool_option *o = t->options; o->kind; o++) PF_TRY(put_option(w, o));
    if (t->options->kind == TOOL_GROUP) PF_TRY(pf_writer_text(w, "\nOther options:\n"));
    for (const tool_option *o = tool_standard; o->kind; o++) PF_TRY(put_option(w, o));
    if (t->examples[0]) PF_TRY(pf_writer_text(w, "\nExamples:\n"));
    for (int i = 0; i < 2 && t->examples[i]; i++) PF_TRY(pf_writer_text(w, "  %s\n", t->examples[i]));
    return pf_writer_text(w, "\nExit status: 0 success, 1 the answer is no, 2 trouble. See man %s and man 7 permfst.\n", t->name);
}

pf_err tool_print_version(const tool *t, pf_writer *w) {
    return pf_writer_text(w, "%s (permfst) %s, record format %d\n", t->name, PACKAGE_VERSION, PF_FORMAT_VERSION);
}

static pf_err put_row(pf_writer *w, const tool_option *o) {
    static const char *const kinds[] = {"",     "group",  "flag",  "flag",  "number", "real",
                                        "text", "file",   "choice", "reals", "specs",  "file"};
    const char *word = tool_choice(o, 0);
    if (o->kind == TOOL_GROUP) return PF_OK;
    PF_TRY(pf_writer_text(w, "%c\t%s\t%s\t%s%s\t%s", o->letter ? o->letter : '-', o->name, kinds[o->kind],
                          takes_value(o) ? o->metavar : "-", o->optional ? "?" : "", word ? word : "-"));
    for (size_t i = 1; word && (word = tool_choice(o, i)); i++) PF_TRY(pf_writer_text(w, " %s", word));
    return pf_writer_text(w, "\t%s\t%s\t%s\n", o->help, o->needs ? o->needs : "-", o->excludes ? o->excludes : "-");
}

pf_err tool_print_table(const tool *t, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "%s\t%s\t%s\n", t->name, t->operands, t->summary));
    for (const tool_option *o = t->options; o->kind; o++) PF_TRY(put_row(w, o));
    for (const tool_option *o = tool_standard; o->kind; o++) PF_TRY(put_row(w, o));
    return PF_OK;
}
