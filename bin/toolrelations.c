/* What a call must have beside values that can be read: the form it fits, and what its rows say about one another. */
#include "toolcall.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <string.h>

/* ---- what a row says, or its group ---- */

const tool_option *tool_group_of(const tool *program, const tool_option *row) {
    static const tool_option none = {0};
    const tool_option *group = &none;
    for (const tool_option *option = program->options; option->kind && option != row; option++)
        if (option->kind == TOOL_GROUP) group = option;
    return group;
}

const char *tool_needs(const tool *program, const tool_option *row) {
    return row->needs ? row->needs : tool_group_of(program, row)->needs;
}

unsigned tool_forms_of(const tool *program, const tool_option *row) {
    return row->forms ? row->forms : tool_group_of(program, row)->forms;
}

/* ---- forms as words ---- */

size_t tool_command_length(const char *form) { return islower((unsigned char)*form) ? strcspn(form, " ") : 0; }

int tool_command(const tool *program, const char *word) {
    for (int i = 0; program->forms[i]; i++) {
        size_t length = tool_command_length(program->forms[i]);
        if (length && strlen(word) == length && memcmp(program->forms[i], word, length) == 0) return i;
    }
    return -1;
}

unsigned tool_forms_like(const tool *program, int form) {
    size_t length = tool_command_length(program->forms[form]);
    unsigned forms = 0;
    for (size_t i = 0; program->forms[i]; i++)
        if (tool_command_length(program->forms[i]) == length && memcmp(program->forms[i], program->forms[form], length) == 0)
            forms |= TOOL_IN(i);
    return forms;
}

/* In quotes, where there is more than one to choose from. */
static void list_whole(tool_list *list, const tool *program, unsigned forms) {
    const char *quote = program->forms[1] ? "'" : "";
    for (size_t i = 0; program->forms[i]; i++)
        if (forms >> i & 1) tool_list_add(list, "%s%s%s", quote, program->forms[i], quote);
}

void tool_list_forms(tool_list *list, const tool *program, unsigned forms) {
    unsigned listed = 0;
    for (int i = 0; program->forms[i]; i++) {
        unsigned like = tool_forms_like(program, i);
        size_t length = tool_command_length(program->forms[i]);
        if (listed & TOOL_IN(i)) continue;
        if (length && (forms & like) == like) tool_list_add(list, "%.*s", (int)length, program->forms[i]);
        else list_whole(list, program, forms & like);
        listed |= like;
    }
}

void tool_list_options(tool_list *list, const char *names) {
    for (size_t length; *names; names += length, names += strspn(names, " ")) {
        length = strcspn(names, " ");
        tool_list_add(list, "--%.*s", (int)length, names);
    }
}

/* ---- the form of a call ---- */

static bool is_choice(const tool_option *row, int place, const char *given, size_t length) {
    const char *word = place < 0 ? "" : tool_choice(row, (size_t)place);
    return strlen(word) == length && memcmp(word, given, length) == 0;
}

/* A text has parameters after a colon: "linear-bleu:.4,.8". */
static bool is_text(const char *text, const char *given, size_t length) {
    return strcspn(text, ":") == length && memcmp(text, given, length) == 0;
}

/* Does the row have this value, perhaps by default? */
static bool has_value(const tool_call *call, const tool_option *row, const char *word, size_t length) {
    const void *value = (const char *)call->options + row->at;
    if (row->kind == TOOL_TEXT) return is_text(*(const char *const *)value, word, length);
    assert(row->kind == TOOL_CHOICE || row->kind == TOOL_CHOICES);
    const tool_choices one = {{*(const int *)value}, 1}, *chosen = row->kind == TOOL_CHOICE ? &one : value;
    for (size_t i = 0; i < chosen->n; i++)
        if (is_choice(row, chosen->at[i], word, length)) return true;
    return false;
}

/* Is NAME given, or does it have the value NAME=word? NAME=VALUE is NAME with any value. */
static bool holds(const tool_call *call, const char *term, size_t length) {
    const char *equals = memchr(term, '=', length), *word = equals ? equals + 1 : term + length;
    const tool_option *row = tool_find(call->program->options, term, equals ? (size_t)(equals - term) : length);
    assert(row);
    if (!equals || !islower((unsigned char)*word)) return call->given & tool_bit_of(call->program, row);
    return has_value(call, row, word, (size_t)(term + length - word));
}

/* The options of "--a|--b=VALUE". */
static bool holds_any(const tool_call *call, const char *word, size_t end) {
    for (size_t at = 0, length; at < end; at += length + 1) {
        for (length = 0; at + length < end && word[at + length] != '|'; length++) {}
        if (holds(call, word + at + 2, length - 2)) return true;
    }
    return false;
}

static bool is_length(const char *operand) { return *operand && !operand[strspn(operand, "0123456789")]; }
static bool takes_length(const char *form) { return strncmp(form, "LENGTH", 6) == 0; }

/* A number is a length where the program takes one. */
static bool fits_first(const tool_call *call, const char *form) {
    bool lengths = false;
    for (size_t i = 0; call->program->forms[i]; i++) lengths = lengths || takes_length(call->program->forms[i]);
    return !lengths || !call->n || is_length(call->operands[0]) == takes_length(form);
}

/* The forms that the first operand fits. */
static unsigned forms_begun(const tool_call *call) {
    unsigned forms = 0;
    for (size_t i = 0; call->program->forms[i]; i++)
        if (fits_first(call, call->program->forms[i])) forms |= TOOL_IN(i);
    return forms;
}

static bool operands_fit(const tool_call *call, const char *form) {
    size_t command = tool_command_length(form), least = 0, most = 0, count = (size_t)call->n - (call->n && command);
    if (command && !(call->n && strlen(call->operands[0]) == command && memcmp(form, call->operands[0], command) == 0))
        return false;
    for (const char *word = form + command; *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        size_t length = strcspn(word, " ");
        if (*word == '-' || !length) continue;
        least += *word != '[';
        most = length > 3 && memchr(word, '.', length) ? SIZE_MAX : most + 1;
    }
    return count >= least && count <= most && (command || fits_first(call, form));
}

/* The first option of a form that is not given; NULL: all are. */
static const char *missing_option(const tool_call *call, const char *form) {
    for (const char *word = form; *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (*word == '-' && !holds_any(call, word, strcspn(word, " "))) return word;
    }
    return NULL;
}

/* Where the first form of the command lacks only an option, that one; else its forms, or what commands there are. */
static int say_no_form(tool_call *call) {
    const tool *program = call->program;
    int command = call->n ? tool_command(program, call->operands[0]) : -1;
    const char *general = program->forms[command < 0 ? 0 : command];
    tool_list list = {0};
    if (operands_fit(call, general)) {
        const char *option = missing_option(call, general);
        return tool_usage(call, "expected %.*s, as in '%s'", (int)strcspn(option, " "), option, general);
    }
    if (command < 0 && tool_command_length(program->forms[0])) {
        tool_list_forms(&list, program, UINT_MAX);
        if (call->n) return tool_usage(call, "expected %s, found '%.60s'", tool_list_text(&list), call->operands[0]);
    } else list_whole(&list, program, tool_forms_like(program, command < 0 ? 0 : command) & forms_begun(call));
    return tool_usage(call, "expected %s", tool_list_text(&list));
}

static int find_form(tool_call *call) {
    for (size_t i = 0; call->program->forms[i]; i++) {
        assert(i < TOOL_MOST_FORMS);
        if (operands_fit(call, call->program->forms[i]) && !missing_option(call, call->program->forms[i]))
            call->form = call->program->forms[i];
    }
    return call->form ? 0 : say_no_form(call);
}

/* ---- what rows say of forms, and of one another ---- */

static int say_forms(tool_call *call, const tool_option *row, unsigned goes, unsigned called) {
    tool_list allowed = {0}, found = {0};
    tool_list_forms(&allowed, call->program, goes);
    tool_list_forms(&found, call->program, called);
    return tool_usage(call, "--%s goes with %s, not with %s", row->name, tool_list_text(&allowed), tool_list_text(&found));
}

static int check_command(tool_call *call, const tool_option *row) {
    unsigned forms = tool_forms_of(call->program, row), like = tool_forms_like(call->program, tool_form(call));
    return !forms || forms & like ? 0 : say_forms(call, row, forms, like);
}

/* Of the command that is called, only what can be meant. */
static int check_form(tool_call *call, const tool_option *row) {
    unsigned forms = tool_forms_of(call->program, row), form = TOOL_IN(tool_form(call));
    return !forms || forms & form ? 0 : say_forms(call, row, forms & tool_forms_like(call->program, tool_form(call)), form);
}

static int do_not_go_together(tool_call *call, const char *one, const char *other, size_t length) {
    return tool_usage(call, "--%s and --%.*s do not go together", one, (int)length, other);
}

/* Of the rows that set the same value. */
static int check_selection(tool_call *call, const tool_option *row) {
    if (row->kind != TOOL_SELECT) return 0;
    for (const tool_option *other = call->program->options; other != row; other++)
        if (other->kind == TOOL_SELECT && other->at == row->at && call->given & tool_bit_of(call->program, other))
            return do_not_go_together(call, other->name, row->name, strlen(row->name));
    return 0;
}

static int check_needs(tool_call *call, const tool_option *row) {
    const char *needs = tool_needs(call->program, row);
    tool_list list = {0};
    for (const char *at = needs; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (holds(call, at, length)) return 0;
        at += length;
    }
    if (!needs) return 0;
    tool_list_options(&list, needs);
    return tool_usage(call, "--%s needs %s", row->name, tool_list_text(&list));
}

static int check_excludes(tool_call *call, const tool_option *row, const char *excludes) {
    for (const char *at = excludes; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (holds(call, at, length)) return do_not_go_together(call, row->name, at, length);
        at += length;
    }
    return 0;
}

int tool_relations_check(tool_call *call) {
    if (find_form(call)) return -1;
    const tool *program = call->program;
    for (const tool_option *row = program->options; row->kind; row++)
        if (call->given & tool_bit_of(program, row) &&
            (check_command(call, row) || check_selection(call, row) || check_needs(call, row) ||
             check_excludes(call, row, row->excludes) || check_excludes(call, row, tool_group_of(program, row)->excludes) ||
             check_form(call, row)))
            return -1;
    return 0;
}
