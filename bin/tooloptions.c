/* Parsing: values go where their rows say. */
#include "toolcall.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
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
    int n, at; /* arguments, and the next one */
    char *const *argument;
    const tool_option *print; /* of `list`, or --help or --version: what is to be printed instead of running */
} parser;

const char *tool_choice(const tool_option *o, size_t i) {
    if (o->words) return o->words[i];
    return o->word ? o->word(i) : NULL;
}

bool tool_takes_value(const tool_option *o) { return o->kind > TOOL_SELECT; }

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
static bool same_name(const char *name, const char *given, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (name[i] != (given[i] == '_' ? '-' : given[i])) return false;
    return !name[n];
}

const tool_option *tool_find(const tool_option *rows, const char *name, size_t n) {
    for (const tool_option *o = rows; o->kind; o++)
        if (o->kind != TOOL_GROUP && same_name(o->name, name, n)) return o;
    return NULL;
}

static const tool_option *find_long(const tool *t, const char *name, size_t n) {
    const tool_option *own = tool_find(t->options, name, n);
    return own ? own : tool_find(tool_standard, name, n);
}

static const tool_option *find_letter(const tool *t, char letter) {
    for (const tool_option *o = t->options; o->kind; o++)
        if (o->letter == letter) return o;
    for (const tool_option *o = tool_standard; o->kind; o++)
        if (o->letter == letter) return o;
    return NULL;
}

uint64_t tool_bit_of(const tool *t, const tool_option *o) {
    for (size_t i = 0; t->options[i].kind; i++) {
        assert(i < TOOL_MOST_OPTIONS);
        if (o == &t->options[i]) return UINT64_C(1) << i;
    }
    return 0;
}

/* ---- values ---- */

static int set_number(tool_call *call, const tool_option *o, uint64_t *to, const char *value) {
    char *end;
    errno = 0;
    unsigned long long x = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno || x < o->min || x > o->max) {
        tool_say(call, "--%s: expected a whole number from %llu to %llu, found '%s'", o->name, (unsigned long long)o->min,
                 (unsigned long long)o->max, value);
        return -1;
    }
    *to = x;
    return 0;
}

static int set_real(tool_call *call, const tool_option *o, double *to, const char *value) {
    char *end, bounds[60];
    double x = strtod(value, &end);
    if (end != value && !*end && x >= (double)o->min && x < HUGE_VAL && (!o->max || x <= (double)o->max)) {
        *to = x;
        return 0;
    }
    if (o->max) snprintf(bounds, sizeof bounds, "from %llu to %llu", (unsigned long long)o->min, (unsigned long long)o->max);
    else snprintf(bounds, sizeof bounds, "of at least %llu", (unsigned long long)o->min);
    tool_say(call, "--%s: expected a number %s, found '%s'", o->name, bounds, value);
    return -1;
}

static int find_choice(tool_call *call, const tool_option *o, const char *value, size_t n) {
    tool_list words = {0};
    const char *word;
    for (size_t i = 0; (word = tool_choice(o, i)); i++) {
        if (strlen(word) == n && memcmp(word, value, n) == 0) return (int)i;
        tool_list_add(&words, "%s", word);
    }
    tool_say(call, "--%s: expected %s, found '%.*s'", o->name, tool_list_text(&words), (int)n, value);
    return -1;
}

static int set_choice(tool_call *call, const tool_option *o, int *to, const char *value) {
    return (*to = find_choice(call, o, value, strlen(value))) < 0 ? -1 : 0;
}

static int set_choices(tool_call *call, const tool_option *o, tool_choices *to, const char *value) {
    to->n = 0;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        int choice = find_choice(call, o, at, n);
        if (choice < 0) return -1;
        for (size_t i = 0; i < to->n; i++)
            if (to->at[i] == choice) return tool_usage(call, "--%s names %s twice", o->name, tool_choice(o, (size_t)choice));
        assert(to->n < sizeof to->at / sizeof *to->at);
        to->at[to->n++] = choice;
        if (!*(at += n)) return 0;
    }
}

static int add_spec(tool_call *call, const tool_option *o, tool_specs *to, const char *value) {
    if (to->n == sizeof to->at / sizeof *to->at) return tool_usage(call, "--%s is given too many times", o->name);
    to->at[to->n++] = value;
    return 0;
}

static int add_reals(tool_call *call, const tool_option *o, tool_reals *to, const char *value) {
    size_t most = o->max ? (size_t)o->max : sizeof to->at / sizeof *to->at;
    for (const char *at = value;; at++) {
        char *end;
        double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(x)) {
            tool_say(call, "--%s: expected numbers separated by commas, found '%s'", o->name, value);
            return -1;
        }
        if (to->n == most) {
            tool_say(call, "--%s: expected at most %zu number%s", o->name, most, most == 1 ? "" : "s");
            return -1;
        }
        to->at[to->n++] = x;
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

static int add_ranges(tool_call *call, const tool_option *o, tool_ranges *to, const char *value) {
    for (const char *at = value;; at++) {
        if (to->n == sizeof to->at / sizeof *to->at) return tool_usage(call, "--%s has more than %zu parts", o->name, to->n);
        if (!take_range(&at, &to->at[to->n].first, &to->at[to->n].last) || (*at && *at != ',')) {
            tool_say(call, "--%s: expected numbers from 1 and ranges separated by commas, such as 17,20-30,40-, found '%s'",
                     o->name, value);
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

pf_err tool_ranges_met(const tool_ranges *ranges, uint64_t last) {
    for (size_t i = 0; i < ranges->n; i++)
        if (ranges->at[i].first > last)
            return pf_fail(PF_EARG, "--records=%llu: the last record is %llu", (unsigned long long)ranges->at[i].first,
                           (unsigned long long)last);
    return PF_OK;
}

static int set(tool_call *call, const tool_option *o, const char *value) {
    void *to = (char *)call->options + o->at;
    call->given |= tool_bit_of(call->program, o);
    switch (o->kind) {
    case TOOL_FLAG: *(bool *)to = true; return 0;
    case TOOL_SELECT: *(int *)to = (int)o->min; return 0;
    case TOOL_NUMBER: return set_number(call, o, to, value);
    case TOOL_REAL: return set_real(call, o, to, value);
    case TOOL_TEXT:
    case TOOL_FILE: *(const char **)to = value; return 0;
    case TOOL_CHOICE: return set_choice(call, o, to, value);
    case TOOL_CHOICES: return set_choices(call, o, to, value);
    case TOOL_REALS: return add_reals(call, o, to, value);
    case TOOL_RANGES: return add_ranges(call, o, to, value);
    case TOOL_FILES:
    case TOOL_SPECS: return add_spec(call, o, to, value);
    case TOOL_END:
    case TOOL_GROUP: break;
    }
    return -1;
}

/* ---- arguments ---- */

static int apply(parser *p, const tool_option *o, const char *value) {
    bool lists = o->list && value && strcmp(value, "list") == 0;
    if (o != &tool_standard[HELP] && o != &tool_standard[VERSION] && !lists) return set(p->call, o, value);
    if (!p->print) p->print = o;
    return 0;
}

/* The i-th long name of a program. */
static const char *long_name(const void *self, size_t i) {
    const tool *t = self;
    for (const tool_option *o = t->options; o->kind; o++)
        if (o->name && !i--) return o->name;
    for (const tool_option *o = tool_standard; o->kind; o++)
        if (o->name && !i--) return o->name;
    return NULL;
}

static int unknown_option(const parser *p, const char *given, size_t n) {
    const char *meant = pf_nearest(given, n, long_name, p->call->program);
    if (!meant) return tool_usage(p->call, "unknown option --%s", given);
    return tool_usage(p->call, "unknown option --%.*s; did you mean --%s?", (int)n, given, meant);
}

static int parse_long(parser *p, const char *given) {
    size_t n = strcspn(given, "=");
    const tool_option *o = find_long(p->call->program, given, n);
    const char *value = given[n] ? given + n + 1 : NULL;
    if (!o) return unknown_option(p, given, n);
    if (!tool_takes_value(o)) return value ? tool_usage(p->call, "--%s takes no value", o->name) : apply(p, o, NULL);
    if (!value) value = o->optional;
    if (!value && p->at < p->n) value = p->argument[p->at++];
    return value ? apply(p, o, value) : tool_usage(p->call, "--%s needs a value", o->name);
}

static int parse_letters(parser *p, const char *given) {
    for (; *given; given++) {
        char name[2] = {*given, 0};
        const tool_option *o = find_letter(p->call->program, *given);
        if (!o) return tool_usage(p->call, "unknown option -%s", name);
        if (tool_takes_value(o)) {
            const char *value = given[1] ? given + 1 : p->at < p->n ? p->argument[p->at++] : NULL;
            return value ? apply(p, o, value) : tool_usage(p->call, "-%s needs a value", name);
        }
        if (apply(p, o, NULL)) return -1;
    }
    return 0;
}

static int parse(parser *p) {
    tool_call *call = p->call;
    bool only_operands = false;
    while (p->at < p->n) {
        char *a = p->argument[p->at++];
        int failed = 0;
        if (only_operands || a[0] != '-' || !a[1]) call->operands[call->n++] = a;
        else if (strcmp(a, "--") == 0) only_operands = true;
        else if (a[1] == '-') failed = parse_long(p, a + 2);
        else failed = parse_letters(p, a + 1);
        if (failed) return -1;
    }
    return 0;
}

/* ---- all of it ---- */

static pf_err print(const tool_call *call, const tool_option *what, pf_writer *w) {
    const tool *t = call->program;
    int command = call->n ? tool_command(t, call->operands[0]) : -1;
    if (what == &tool_standard[HELP]) return tool_print_help(t, command < 0 ? UINT_MAX : tool_forms_like(t, command), w);
    if (what == &tool_standard[VERSION]) return tool_print_version(t, w);
    return what->list(w);
}

static int print_instead(tool_call *call, const tool_option *what) {
    pf_writer *w;
    pf_err err = pf_writer_descriptor(call->streams.out, "standard output", &w);
    if (err) return tool_trouble(call), -1;
    err = print(call, what, w);
    if (!err) err = pf_writer_close(w);
    pf_writer_free(w);
    return err ? (tool_trouble(call), -1) : 1;
}

int tool_parse(tool_call *call, int n, char *const *arguments) {
    parser p = {.call = call, .n = n, .argument = arguments};
    tool_common *common = call->options;
    common->far = TOOL_NOT_GIVEN;
    if (parse(&p)) return -1;
    if (!common->first_record) common->first_record = 1;
    if (!common->jobs) common->jobs = 1;
    if (p.print) return print_instead(call, p.print);
    return tool_relations_check(call);
}
