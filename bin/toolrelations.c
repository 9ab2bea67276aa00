/* What a call must have beside values that can be read: the form it fits, and what its rows say about one another. */
#include "toolcall.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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
    assert(form >= 0 && form < TOOL_MOST_FORMS && program->forms[form]);
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

/* ---- terms ---- */

/* A part of a term. */
typedef struct {
    const char *name, *words;    /* the words after "="; NULL: there are none */
    size_t length, words_length; /* of both */
    size_t more_than;            /* NAME>N */
    bool without, counted;       /* !NAME; NAME>N */
} term_part;

static term_part part_of(const char *text, size_t length) {
    const bool without = *text == '!';
    term_part part = {.name = text + without, .without = without};
    const char *end = text + length;
    assert(length > without);
    while (part.name + part.length < end && !strchr("=>", part.name[part.length])) part.length++;
    const char *after = part.name + part.length + 1;
    if (after >= end) return part;
    part.counted = after[-1] == '>';
    if (part.counted) part.more_than = (size_t)strtoul(after, NULL, 10);
    else part.words = after, part.words_length = (size_t)(end - after);
    return part;
}

/* The first part of what is left of a term, which begins after it then. */
static term_part next_part(const char **term, const char *end) {
    const char *at = *term, *plus = memchr(at, '+', (size_t)(end - at));
    *term = plus ? plus + 1 : end;
    return part_of(at, (size_t)((plus ? plus : end) - at));
}

size_t tool_next_term(const char **terms, const char **term) {
    *term = *terms ? *terms + strspn(*terms, " ") : "";
    const size_t length = strcspn(*term, " ");
    *terms = *term + length;
    return length;
}

static bool is_about(const tool *program, const tool_option *row, const term_part *part) {
    return row && !part->without && tool_find(program->options, part->name, part->length) == row;
}

/* ---- terms as words ---- */

enum { TERM_WORDS = 160 };

/* "several --a", "--a=b", "learn"; in the help of a row "-a", and of the row itself "several", "b". */
static int put_part(char *words, size_t room, const tool *program, const tool_option *row, const term_part *part) {
    const tool_option *named = tool_find(program->options, part->name, part->length);
    char many[32] = "", name[80] = "";
    if (part->counted && part->more_than == 1) snprintf(many, sizeof many, "several");
    else if (part->counted) snprintf(many, sizeof many, "more than %zu", part->more_than);
    if (row && named && named->letter && !part->words) snprintf(name, sizeof name, "-%c", named->letter);
    else snprintf(name, sizeof name, "%s%.*s", named ? "--" : "", (int)part->length, part->name);
    if (is_about(program, row, part)) *name = 0;
    return snprintf(words, room, "%s%s%s%s%.*s", many, *many && *name ? " " : "", name, part->words && *name ? "=" : "",
                    (int)part->words_length, part->words ? part->words : "");
}

static void put_term(char words[TERM_WORDS], const tool *program, const tool_option *row, const char *at, const char *end) {
    for (size_t used = 0; at < end;) {
        const term_part part = next_part(&at, end);
        if (used || part.without)
            used += (size_t)snprintf(words + used, TERM_WORDS - used, "%s%s ", used ? " " : "", part.without ? "without" : "with");
        used += (size_t)put_part(words + used, TERM_WORDS - used, program, row, &part);
        assert(used < TERM_WORDS);
    }
}

void tool_list_term(tool_list *list, const tool *program, const tool_option *row, const char *term, size_t length) {
    char words[TERM_WORDS];
    put_term(words, program, row, term, term + length);
    tool_list_add(list, "%s", words);
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

/* Does the row have this value, perhaps by default? An empty list has what the program chooses. */
static bool has_value(const tool_call *call, const tool_option *row, const char *word, size_t length) {
    const void *value = (const char *)call->options + row->at;
    if (row->kind == TOOL_TEXT) return is_text(*(const char *const *)value, word, length);
    assert(row->kind == TOOL_CHOICE || row->kind == TOOL_CHOICES);
    const tool_choices one = {{*(const int *)value}, 1}, *chosen = row->kind == TOOL_CHOICE ? &one : value;
    for (size_t i = 0; i < chosen->n; i++)
        if (is_choice(row, chosen->at[i], word, length)) return true;
    return !chosen->n;
}

/* One of "a|b". */
static bool has_any_value(const tool_call *call, const tool_option *row, const term_part *part) {
    const char *end = part->words + part->words_length;
    for (const char *word = part->words, *bar; word < end; word = bar + 1) {
        bar = memchr(word, '|', (size_t)(end - word));
        if (!bar) bar = end;
        if (has_value(call, row, word, (size_t)(bar - word))) return true;
    }
    return false;
}

static bool is_called(const tool_call *call, const term_part *command) {
    return call->form && tool_command_length(call->form) == command->length
        && memcmp(call->form, command->name, command->length) == 0;
}

/* How often an option is given, or how many operands there are. */
static size_t how_many(const tool_call *call, const term_part *part) {
    const tool_option *row = tool_find(call->program->options, part->name, part->length);
    const char *const *operands;
    if (!row) return (size_t)tool_operands(call, &operands);
    assert(row->kind == TOOL_SPECS || row->kind == TOOL_FILES);
    return ((const tool_specs *)(const void *)((const char *)call->options + row->at))->n;
}

/* NAME=VALUE is NAME with any value. */
static bool part_holds(const tool_call *call, const term_part *part) {
    if (part->counted) return how_many(call, part) > part->more_than;
    const tool_option *row = tool_find(call->program->options, part->name, part->length);
    if (!row) return is_called(call, part);
    if (part->words && islower((unsigned char)*part->words)) return has_any_value(call, row, part);
    return !(call->given & tool_bit_of(call->program, row)) == part->without;
}

static bool holds(const tool_call *call, const char *term, size_t length) {
    for (const char *at = term, *end = term + length; at < end;) {
        const term_part part = next_part(&at, end);
        if (!part_holds(call, &part)) return false;
    }
    return true;
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

/* The row, or what a term says of it first; and the term, or the rest of it. */
static int do_not_go_together(tool_call *call, const tool_option *row, const char *term, size_t length) {
    const char *rest = term, *end = term + length;
    const term_part first = next_part(&rest, end);
    char one[TERM_WORDS], other[TERM_WORDS];
    const bool about = is_about(call->program, row, &first) && rest < end;
    if (about) put_part(one, sizeof one, call->program, NULL, &first);
    else snprintf(one, sizeof one, "--%s", row->name);
    put_term(other, call->program, NULL, about ? rest : term, end);
    return tool_usage(call, "%s and %s do not go together", one, other);
}

/* Of the rows that set the same value. */
static int check_selection(tool_call *call, const tool_option *row) {
    if (row->kind != TOOL_SELECT) return 0;
    for (const tool_option *other = call->program->options; other != row; other++)
        if (other->kind == TOOL_SELECT && other->at == row->at && call->given & tool_bit_of(call->program, other))
            return do_not_go_together(call, other, row->name, strlen(row->name));
    return 0;
}

static int check_needs(tool_call *call, const tool_option *row) {
    const char *needs = tool_needs(call->program, row), *rest = needs, *term;
    tool_list list = {0};
    if (!needs) return 0;
    for (size_t length; (length = tool_next_term(&rest, &term)) > 0; tool_list_term(&list, call->program, NULL, term, length))
        if (holds(call, term, length)) return 0;
    return tool_usage(call, "--%s needs %s", row->name, tool_list_text(&list));
}

static int check_excludes(tool_call *call, const tool_option *row, const char *excludes) {
    const char *term;
    for (size_t length; (length = tool_next_term(&excludes, &term)) > 0;)
        if (holds(call, term, length)) return do_not_go_together(call, row, term, length);
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
