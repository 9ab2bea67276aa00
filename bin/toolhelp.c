/* The three texts that come from a program's table. */
#include "toolcall.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 79 };

/* ---- lines ---- */

/* Words from HELP_COLUMN on, as many as fit a line; *column is where the cursor is. */
static pf_err put_words(pf_writer *writer, const char *text, int *column) {
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (*column + 1 + length > HELP_WIDTH && *column > HELP_COLUMN) {
            PF_TRY(pf_writer_text(writer, "\n"));
            *column = 0;
        }
        if (*column < HELP_COLUMN) {
            PF_TRY(pf_writer_text(writer, "%*s", HELP_COLUMN - *column, ""));
            *column = HELP_COLUMN;
        } else if (*column > HELP_COLUMN) {
            PF_TRY(pf_writer_text(writer, " "));
            ++*column;
        }
        PF_TRY(pf_writer_text(writer, "%.*s", length, text));
        *column += length;
        text += length;
        text += strspn(text, " ");
    }
    return PF_OK;
}

/* The commands of a row that goes with some of those shown, and with others not. */
static void list_commands(tool_list *list, const tool *program, unsigned forms, unsigned shown) {
    unsigned whole = 0;
    bool all = true;
    for (int i = 0; program->forms[i]; i++) {
        bool goes = forms & tool_forms_like(program, i);
        if (goes) whole |= TOOL_IN(i) & shown;
        all = all && (goes || !(TOOL_IN(i) & shown));
    }
    if (!all) tool_list_forms(list, program, whole);
}

/* Of a program with commands, whose own help says the rest. */
static bool is_overview(const tool *program, unsigned shown) { return tool_command_length(program->forms[0]) && shown == UINT_MAX; }

/* "-s, -p, --trees". */
static void list_terms(tool_list *list, const tool *program, const tool_option *row, const char *terms) {
    const char *term;
    for (size_t length; (length = tool_next_term(&terms, &term)) > 0;) tool_list_term(list, program, row, term, length);
}

/* What a row excludes, but for the rows of its group of which only one can be chosen: their heading says so. */
static void list_excluded(tool_list *list, const tool *program, const tool_option *row) {
    const char *terms = row->excludes, *term;
    for (size_t length; (length = tool_next_term(&terms, &term)) > 0;) {
        const tool_option *other = tool_find(program->options, term, length);
        if (!other || other->kind != TOOL_SELECT || tool_group_of(program, other) != tool_group_of(program, row))
            tool_list_term(list, program, row, term, length);
    }
}

/* "(with --plf; not --far; above 0)": what the row says itself; its group has its heading, and forms of one command the usage
 * lines. */
static pf_err put_relations(pf_writer *writer, const tool *program, const tool_option *row, unsigned shown, int *column) {
    tool_list commands = {0}, with = {0}, without = {0};
    char words[3 * sizeof with.text + TOOL_BOUNDS], bounds[TOOL_BOUNDS] = "";
    if (row->forms) list_commands(&commands, program, row->forms, shown);
    if (row->needs && !is_overview(program, shown)) list_terms(&with, program, row, row->needs);
    if (row->excludes && !is_overview(program, shown)) list_excluded(&without, program, row);
    if (tool_has_own_bounds(row) && !is_overview(program, shown)) tool_bounds(row, bounds);
    if (!commands.used && !with.used && !without.used && !*bounds) return PF_OK;
    int used = snprintf(words, sizeof words, "(");
    if (commands.used) used += snprintf(words + used, sizeof words - (size_t)used, "%s; ", tool_list_text(&commands));
    if (with.used) used += snprintf(words + used, sizeof words - (size_t)used, "with %s; ", tool_list_text(&with));
    if (without.used) used += snprintf(words + used, sizeof words - (size_t)used, "not %s; ", tool_list_text(&without));
    if (*bounds) used += snprintf(words + used, sizeof words - (size_t)used, "%s; ", bounds);
    snprintf(words + used - 2, 3, ")");
    return put_words(writer, words, column);
}

static pf_err put_option(pf_writer *writer, const tool *program, const tool_option *row, unsigned shown) {
    char left[64];
    int used = row->letter ? snprintf(left, sizeof left, "  -%c, --%s", row->letter, row->name)
                      : snprintf(left, sizeof left, "      --%s", row->name);
    if (tool_takes_value(row))
        used += snprintf(left + used, sizeof left - (size_t)used, row->optional ? "[=%s]" : row->letter ? " %s" : "=%s",
                         row->metavar);
    PF_TRY(pf_writer_text(writer, "%s", left));
    int column = used;
    if (column >= HELP_COLUMN && (size_t)column + 1 + strlen(row->help) <= HELP_WIDTH) column++;
    else if (column >= HELP_COLUMN) column = 0;
    if (column != used) PF_TRY(pf_writer_text(writer, column ? " " : "\n"));
    PF_TRY(put_words(writer, row->help, &column));
    PF_TRY(put_relations(writer, program, row, shown, &column));
    return pf_writer_text(writer, "\n");
}

/* ---- --help ---- */

static pf_err put_usage(pf_writer *writer, const tool *program, unsigned shown) {
    bool first = true;
    for (size_t i = 0; program->forms[i]; i++) {
        if (!(shown >> i & 1)) continue;
        PF_TRY(pf_writer_text(writer, "%s %s [OPTION...]%s%s\n", first ? "Usage:" : "   or:", program->name,
                              *program->forms[i] ? " " : "", program->forms[i]));
        first = false;
    }
    return pf_writer_text(writer, "%s.\n", program->summary);
}

/* A group of what another group has begun: there is no blank line between them. */
static bool goes_on(const tool *program, const tool_option *group) {
    return group->needs || group->excludes || (group->forms && group != program->options && tool_command_length(program->forms[0]));
}

/* The rows of the forms that are shown; a heading only where rows follow. */
static pf_err put_options(pf_writer *writer, const tool *program, unsigned shown) {
    static const tool_option all = {.help = "Options"};
    const tool_option *group = &all;
    for (const tool_option *row = program->options; row->kind; row++) {
        unsigned forms = tool_forms_of(program, row);
        if (row->kind == TOOL_GROUP) group = row;
        if (row->kind == TOOL_GROUP || (forms && !(forms & shown))) continue;
        if (group) PF_TRY(pf_writer_text(writer, "%s%s:\n", goes_on(program, group) ? "" : "\n", group->help));
        group = NULL;
        PF_TRY(put_option(writer, program, row, shown));
    }
    return PF_OK;
}

/* What is the same in every program, in two lines. */
static pf_err put_standard(pf_writer *writer, const tool *program) {
    PF_TRY(pf_writer_text(writer, "\nEvery program:"));
    for (const tool_option *row = tool_standard; row->kind; row++) {
        if (row->letter) PF_TRY(pf_writer_text(writer, " -%c,", row->letter));
        PF_TRY(pf_writer_text(writer, " --%s%s", row->name, row[1].kind ? ";" : " (permfst(7))\n"));
    }
    int command = (int)tool_command_length(program->forms[0]);
    PF_TRY(pf_writer_text(writer, "Exit status: 0 success, 1 the answer is no, 2 trouble. See man %s", program->name));
    return command ? pf_writer_text(writer, ",\nand %s %.*s --help\n", program->name, command, program->forms[0])
           : pf_writer_text(writer, "\n");
}

pf_err tool_print_help(const tool *program, unsigned shown, pf_writer *writer) {
    PF_TRY(put_usage(writer, program, shown));
    PF_TRY(put_options(writer, program, shown));
    PF_TRY(put_standard(writer, program));
    if (program->examples[0]) PF_TRY(pf_writer_text(writer, "\nExamples:\n"));
    for (int i = 0; i < 2 && program->examples[i]; i++) PF_TRY(pf_writer_text(writer, "  %s\n", program->examples[i]));
    return PF_OK;
}

pf_err tool_print_version(const tool *program, pf_writer *writer) {
    return pf_writer_text(writer, "%s (permfst) %s, record format %d\n", program->name, PACKAGE_VERSION, PF_FORMAT_VERSION);
}

/* ---- the table ---- */

/* Do all forms of a row name it? Then nobody need say it again. */
static bool named_in_forms(const tool *program, const tool_option *row) {
    char name[64];
    bool all = true;
    snprintf(name, sizeof name, "--%s", row->name);
    for (size_t i = 0; program->forms[i]; i++)
        all = all && (!(tool_forms_of(program, row) >> i & 1) || strstr(program->forms[i], name));
    return all;
}

static pf_err put_row(pf_writer *writer, const tool *program, const tool_option *row) {
    static const char *const kinds[] = {"",     "group",  "flag",  "flag",  "number", "real",
                                        "text", "file",   "choice", "choices", "reals", "ranges", "specs", "file"};
    const char *word = tool_choice(row, 0), *needs = tool_needs(program, row);
    const char *own = row->excludes, *of_group = tool_group_of(program, row)->excludes;
    const char *excludes[] = {own ? own : "", of_group ? of_group : ""};
    char bounds[TOOL_BOUNDS] = "-";
    tool_list forms = {0};
    if (row->kind == TOOL_GROUP) return PF_OK;
    PF_TRY(pf_writer_text(writer, "%c\t%s\t%s\t%s%s\t%s", row->letter ? row->letter : '-', row->name,
                          row->list ? "specs" : kinds[row->kind], tool_takes_value(row) ? row->metavar : "-",
                          row->optional ? "?" : "", word ? word : "-"));
    for (size_t i = 1; word && (word = tool_choice(row, i)); i++) PF_TRY(pf_writer_text(writer, " %s", word));
    if (!named_in_forms(program, row)) tool_list_forms(&forms, program, tool_forms_of(program, row));
    PF_TRY(pf_writer_text(writer, "\t%s\t%s\t", row->help, needs ? needs : "-"));
    PF_TRY(pf_writer_text(writer, "%s%s%s", excludes[0], *excludes[0] && *excludes[1] ? " " : "", excludes[1]));
    if (tool_has_own_bounds(row)) tool_bounds(row, bounds);
    return pf_writer_text(writer, "%s\t%s\t%s\n", *excludes[0] || *excludes[1] ? "" : "-",
                          forms.used ? tool_list_text(&forms) : "-", bounds);
}

pf_err tool_print_table(const tool *program, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "%s\t%s", program->name, program->summary));
    for (size_t i = 0; program->forms[i]; i++) PF_TRY(pf_writer_text(writer, "\t%s", program->forms[i]));
    PF_TRY(pf_writer_text(writer, "\n"));
    for (const tool_option *row = program->options; row->kind; row++) PF_TRY(put_row(writer, program, row));
    for (const tool_option *row = tool_standard; row->kind; row++) PF_TRY(put_row(writer, program, row));
    return PF_OK;
}
