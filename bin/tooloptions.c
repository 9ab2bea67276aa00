/* Parsing: values go where their rows say. */
#include "toolcall.h"
#include "toolfst.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tool_far_forms[] = {"stlist", "sttable", NULL};
const char *const tool_arc_types[] = {"standard", "log", "log64", NULL};

const tool_option tool_standard[] = {
    {.letter = 'h', .name = "help", .kind = TOOL_FLAG, .help = "print this help and exit"},
    {.letter = 'V', .name = "version", .kind = TOOL_FLAG,
     .help = "print the program and record versions, and exit"},
    {.name = "no-progress", .kind = TOOL_FLAG, .at = offsetof(tool_common, no_progress),
     .help = "never show progress on a terminal"},
    {.name = "no-sync", .kind = TOOL_FLAG, .at = offsetof(tool_common, no_sync),
     .help = "do not wait until the files written are on the disk"},
    {0},
};
enum { HELP, VERSION }; /* rows of it */

typedef struct {
    tool_call *call;
    int count, at; /* arguments, and the next one */
    const char *const *argument;
    const tool_option *print; /* of `list`, or --help or --version: what is to be printed instead of running */
} parser;

const char *tool_choice(const tool_option *row, size_t place) {
    if (row->words) return row->words[place];
    return row->word ? row->word(place) : NULL;
}

bool tool_takes_value(const tool_option *row) { return row->kind > TOOL_SELECT; }

int tool_usage(tool_call *call, const char *format, ...) {
    char words[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    tool_say(call, "%s", words);
    snprintf(words, sizeof words, "Try '%s --help'.", call->program->name);
    tool_line(call, words);
    return -1;
}

/* ---- finding a row ---- */

/* Hyphens and underscores are the same, as OpenFst's users write them. */
static bool same_name(const char *name, const char *given, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (name[i] != (given[i] == '_' ? '-' : given[i])) return false;
    return !name[length];
}

const tool_option *tool_find(const tool_option *rows, const char *name, size_t length) {
    for (const tool_option *row = rows; row->kind; row++)
        if (row->kind != TOOL_GROUP && same_name(row->name, name, length)) return row;
    return NULL;
}

static const tool_option *find_long(const tool *program, const char *name, size_t length) {
    const tool_option *own = tool_find(program->options, name, length);
    return own ? own : tool_find(tool_standard, name, length);
}

static const tool_option *find_letter(const tool *program, char letter) {
    for (const tool_option *row = program->options; row->kind; row++)
        if (row->letter == letter) return row;
    for (const tool_option *row = tool_standard; row->kind; row++)
        if (row->letter == letter) return row;
    return NULL;
}

uint64_t tool_bit_of(const tool *program, const tool_option *row) {
    for (size_t i = 0; program->options[i].kind; i++) {
        assert(i < TOOL_MOST_OPTIONS);
        if (row == &program->options[i]) return UINT64_C(1) << i;
    }
    return 0;
}

/* ---- values ---- */

static int set_number(tool_call *call, const tool_option *row, uint64_t *to, const char *value) {
    char *end;
    assert(row->min <= row->max);
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno || number < row->min || number > row->max) {
        tool_say(call, "--%s: expected a whole number from %llu to %llu, found '%s'", row->name, (unsigned long long)row->min,
                 (unsigned long long)row->max, value);
        return -1;
    }
    *to = number;
    return 0;
}

static double least_of(const tool_option *row) { return row->least > 0 ? row->least : (double)row->min; }

static bool is_within(const tool_option *row, double number) {
    const double least = least_of(row), most = row->max ? (double)row->max : DBL_MAX;
    return row->open ? number > least && number < most : number >= least && number <= most;
}

bool tool_has_own_bounds(const tool_option *row) { return row->open || row->least > 0; }

void tool_bounds(const tool_option *row, char words[TOOL_BOUNDS]) {
    const unsigned long long most = row->max;
    if (row->open && most) snprintf(words, TOOL_BOUNDS, "above %g and below %llu", least_of(row), most);
    else if (row->open) snprintf(words, TOOL_BOUNDS, "above %g", least_of(row));
    else if (most) snprintf(words, TOOL_BOUNDS, "from %g to %llu", least_of(row), most);
    else snprintf(words, TOOL_BOUNDS, "of at least %g", least_of(row));
}

static int set_real(tool_call *call, const tool_option *row, double *to, const char *value) {
    char *end, bounds[TOOL_BOUNDS];
    double number = strtod(value, &end);
    assert(!row->max || least_of(row) < (double)row->max);
    if (end != value && !*end && is_within(row, number)) {
        *to = number;
        return 0;
    }
    tool_bounds(row, bounds);
    tool_say(call, "--%s: expected a number %s, found '%s'", row->name, bounds, value);
    return -1;
}

/* The place of a word among the choices of a row; -1: it is none of them. */
static int place_of(const tool_option *row, const char *value, size_t length) {
    const char *word;
    for (int i = 0; (word = tool_choice(row, (size_t)i)); i++)
        if (strlen(word) == length && memcmp(word, value, length) == 0) return i;
    return -1;
}

static const char *choice_of(const void *row, size_t place) { return tool_choice(row, place); }

/* Another option may have such a choice: permcover -f is --from, and tsv is for --format. */
static const tool_option *row_with(const tool_call *call, const char *value, size_t length) {
    for (const tool_option *row = call->program->options; row->kind; row++)
        if (place_of(row, value, length) >= 0) return row;
    return NULL;
}

static int find_choice(tool_call *call, const tool_option *row, const char *value, size_t length) {
    tool_list words = {0};
    const char *word;
    int place = place_of(row, value, length);
    if (place >= 0) return place;
    for (size_t i = 0; (word = tool_choice(row, i)); i++) tool_list_add(&words, "%s", word);
    const tool_option *other = row_with(call, value, length);
    const char *near = pf_nearest(value, length, choice_of, row);
    char meant[160] = "";
    if (other) snprintf(meant, sizeof meant, "; did you mean --%s=%.*s?", other->name, (int)length, value);
    else if (near && length) snprintf(meant, sizeof meant, "; did you mean '%s'?", near);
    tool_say(call, "--%s: expected %s, found '%.*s'%s", row->name, tool_list_text(&words), (int)length, value, meant);
    return -1;
}

static int set_choice(tool_call *call, const tool_option *row, int *to, const char *value) {
    return (*to = find_choice(call, row, value, strlen(value))) < 0 ? -1 : 0;
}

static int set_choices(tool_call *call, const tool_option *row, tool_choices *to, const char *value) {
    to->n = 0;
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        int choice = find_choice(call, row, at, length);
        if (choice < 0) return -1;
        for (size_t i = 0; i < to->n; i++)
            if (to->at[i] == choice) return tool_usage(call, "--%s names %s twice", row->name, tool_choice(row, (size_t)choice));
        assert(to->n < sizeof to->at / sizeof *to->at);
        to->at[to->n++] = choice;
        if (!*(at += length)) return 0;
    }
}

static int add_spec(tool_call *call, const tool_option *row, tool_specs *to, const char *value) {
    size_t most = row->max ? (size_t)row->max : TOOL_MOST_SPECS;
    assert(most <= TOOL_MOST_SPECS);
    if (to->n == most) return tool_usage(call, "--%s is given more than %zu times", row->name, most);
    to->at[to->n++] = value;
    return 0;
}

static int add_reals(tool_call *call, const tool_option *row, tool_reals *to, const char *value) {
    size_t most = row->max ? (size_t)row->max : sizeof to->at / sizeof *to->at;
    assert(most <= sizeof to->at / sizeof *to->at);
    for (const char *at = value;; at++) {
        char *end;
        double number = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(number)) {
            tool_say(call, "--%s: expected numbers separated by commas, found '%s'", row->name, value);
            return -1;
        }
        if (to->n == most) {
            tool_say(call, "--%s: expected at most %zu number%s", row->name, most, pf_plural(most));
            return -1;
        }
        to->at[to->n++] = number;
        if (!*(at = end)) return 0;
    }
}

/* One number, or FROM-TO, or FROM-: at the beginning of *at, which moves past it. */
static bool take_range(const char **at, uint64_t *first, uint64_t *last) {
    if (!pf_digits_take(at, first) || !*first) return false;
    *last = *first;
    if (**at != '-') return true;
    ++*at;
    if (!**at || **at == ',') *last = UINT64_MAX;
    else if (!pf_digits_take(at, last)) return false;
    return *first <= *last;
}

static int add_ranges(tool_call *call, const tool_option *row, tool_ranges *to, const char *value) {
    for (const char *at = value;; at++) {
        if (to->n == sizeof to->at / sizeof *to->at) return tool_usage(call, "--%s has more than %zu parts", row->name, to->n);
        if (!take_range(&at, &to->at[to->n].first, &to->at[to->n].last) || (*at && *at != ',')) {
            tool_say(call, "--%s: expected numbers from 1 and ranges separated by commas, such as 17,20-30,40-, found '%s'",
                     row->name, value);
            return -1;
        }
        to->n++;
        if (!*at) return 0;
    }
}

bool tool_in_ranges(const tool_ranges *ranges, uint64_t number) {
    for (size_t i = 0; i < ranges->n; i++)
        if (number >= ranges->at[i].first && number <= ranges->at[i].last) return true;
    return !ranges->n;
}

static int set(tool_call *call, const tool_option *row, const char *value) {
    void *to = (char *)call->options + row->at;
    assert(row->at < (call->program->size ? call->program->size : sizeof(tool_common)));
    call->given |= tool_bit_of(call->program, row);
    switch (row->kind) {
    case TOOL_FLAG: *(bool *)to = true; return 0;
    case TOOL_SELECT: *(int *)to = (int)row->min; return 0;
    case TOOL_NUMBER: return set_number(call, row, to, value);
    case TOOL_REAL: return set_real(call, row, to, value);
    case TOOL_TEXT:
    case TOOL_FILE: *(const char **)to = value; return 0;
    case TOOL_CHOICE: return set_choice(call, row, to, value);
    case TOOL_CHOICES: return set_choices(call, row, to, value);
    case TOOL_REALS: return add_reals(call, row, to, value);
    case TOOL_RANGES: return add_ranges(call, row, to, value);
    case TOOL_FILES:
    case TOOL_SPECS: return add_spec(call, row, to, value);
    case TOOL_END:
    case TOOL_GROUP: break;
    }
    return -1;
}

/* ---- arguments ---- */

static int apply(parser *parsing, const tool_option *row, const char *value) {
    bool lists = row->list && value && strcmp(value, "list") == 0;
    if (row != &tool_standard[HELP] && row != &tool_standard[VERSION] && !lists) return set(parsing->call, row, value);
    if (!parsing->print) parsing->print = row;
    return 0;
}

/* The i-th long name of a program. */
static const char *long_name(const void *self, size_t place) {
    const tool *program = self;
    for (const tool_option *row = program->options; row->kind; row++)
        if (row->name && !place--) return row->name;
    for (const tool_option *row = tool_standard; row->kind; row++)
        if (row->name && !place--) return row->name;
    return NULL;
}

static int unknown_option(const parser *parsing, const char *given, size_t length) {
    const char *meant = pf_nearest(given, length, long_name, parsing->call->program);
    if (!meant) return tool_usage(parsing->call, "unknown option --%s", given);
    return tool_usage(parsing->call, "unknown option --%.*s; did you mean --%s?", (int)length, given, meant);
}

static int parse_long(parser *parsing, const char *given) {
    size_t length = strcspn(given, "=");
    const tool_option *row = find_long(parsing->call->program, given, length);
    const char *value = given[length] ? given + length + 1 : NULL;
    if (!row) return unknown_option(parsing, given, length);
    if (!tool_takes_value(row))
        return value ? tool_usage(parsing->call, "--%s takes no value", row->name) : apply(parsing, row, NULL);
    if (!value) value = row->optional;
    if (!value && parsing->at < parsing->count) value = parsing->argument[parsing->at++];
    return value ? apply(parsing, row, value) : tool_usage(parsing->call, "--%s needs a value", row->name);
}

static int parse_letters(parser *parsing, const char *given) {
    for (; *given; given++) {
        char name[2] = {*given, 0};
        const tool_option *row = find_letter(parsing->call->program, *given);
        if (!row) return tool_usage(parsing->call, "unknown option -%s", name);
        if (tool_takes_value(row)) {
            const char *value = given[1] ? given + 1 : parsing->at < parsing->count ? parsing->argument[parsing->at++] : NULL;
            return value ? apply(parsing, row, value) : tool_usage(parsing->call, "-%s needs a value", name);
        }
        if (apply(parsing, row, NULL)) return -1;
    }
    return 0;
}

static int parse(parser *parsing) {
    tool_call *call = parsing->call;
    bool only_operands = false;
    while (parsing->at < parsing->count) {
        const char *argument = parsing->argument[parsing->at++];
        int failed = 0;
        if (only_operands || argument[0] != '-' || !argument[1]) call->operands[call->n++] = argument;
        else if (strcmp(argument, "--") == 0) only_operands = true;
        else if (argument[1] == '-') failed = parse_long(parsing, argument + 2);
        else failed = parse_letters(parsing, argument + 1);
        if (failed) return -1;
    }
    return 0;
}

/* ---- all of it ---- */

static pf_err print(void *self, pf_writer *writer) {
    const parser *parsing = self;
    const tool_call *call = parsing->call;
    const tool *program = call->program;
    const tool_option *what = parsing->print;
    int command = call->n ? tool_command(program, call->operands[0]) : -1;
    if (what == &tool_standard[HELP])
        return tool_print_help(program, command < 0 ? UINT_MAX : tool_forms_like(program, command), writer);
    if (what == &tool_standard[VERSION]) return tool_print_version(program, writer);
    return what->list(writer);
}

int tool_parse(tool_call *call, int count, const char *const *arguments) {
    parser parsing = {.call = call, .count = count, .argument = arguments};
    tool_common *common = call->options;
    common->far = TOOL_NOT_GIVEN;
    if (parse(&parsing)) return -1;
    if (!common->first_record) common->first_record = 1;
    if (!common->jobs) common->jobs = 1;
    if (!parsing.print) return tool_relations_check(call);
    return toolfst_print(call, print, &parsing) ? (tool_trouble(call), -1) : 1;
}
