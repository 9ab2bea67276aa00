/* Option tables: parsing, and the three texts that come from them. */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const tool *running;
static bool no_progress;

static const tool_option standard[] = {
    {.letter = 'h', .name = "help", .kind = TOOL_FLAG, .help = "print this help and exit"},
    {.letter = 'V', .name = "version", .kind = TOOL_FLAG, .help = "print the versions of the program and of its record format and exit"},
    {.name = "no-progress", .kind = TOOL_FLAG, .to = &no_progress, .help = "never show on a terminal how far the program is"},
    {0},
};

static _Thread_local pf_writer *collector;

void tool_say_into(pf_writer *writer) { collector = writer; }

void tool_say(const char *format, ...) {
    char words[1400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    if (collector && !pf_writer_text(collector, "%s: %s\n", running->name, words)) return;
    fflush(stdout);
    char line[sizeof words + 60];
    snprintf(line, sizeof line, "%s: %s", running->name, words);
    tool_line(line);
}

void tool_said(const pf_writer *writer) {
    size_t n;
    const char *at = (const char *)pf_writer_bytes(writer, &n), *end = at + n;
    for (const char *lf; at < end && (lf = memchr(at, '\n', (size_t)(end - at))); at = lf + 1) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line, "%.*s", (int)(lf - at), at);
        tool_line(line);
    }
}

void tool_say_left_out(const tool_left_out *all, size_t n) {
    char words[1000];
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof words; i++)
        if (all[i].n)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s: %llu", used ? "; " : "", all[i].what,
                                     (unsigned long long)all[i].n);
    if (used) tool_say("left out: %s", words);
}

int tool_trouble(void) {
    tool_say("%s", pf_message());
    return TOOL_TROUBLE;
}

void tool_warn(void *to, const char *words) {
    (void)to;
    tool_say("warning: %s", words);
}

/* A full disk is an error, also for what stdio wrote. */
static int check_output(int status) {
    if (!fflush(stdout) && !ferror(stdout)) return status;
    tool_say("standard output: %s", strerror(errno));
    return TOOL_TROUBLE;
}

/* ---- lines of words ---- */

bool tool_word(const char **at, size_t *n) {
    *at += *n;
    *at += strspn(*at, " \t");
    *n = strcspn(*at, " \t");
    return *n > 0;
}

pf_err tool_check_text(const char *line, size_t length) {
    return strlen(line) == length ? PF_OK : pf_fail(PF_EINPUT, "expected text, found a NUL byte");
}

pf_err tool_text(const pf_reader *reader, const char *line, size_t length) {
    pf_err err = tool_check_text(line, length);
    return err ? pf_reader_fail_line(reader, "%s", pf_message()) : PF_OK;
}

/* ---- help ---- */

static bool takes_value(const tool_option *o) { return o->kind != TOOL_FLAG; }

enum { HELP_COLUMN = 28, HELP_WIDTH = 79 };

/* Words from HELP_COLUMN on, as many as fit a line; `column` is where the cursor is. */
static void print_wrapped(const char *text, int column) {
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column + 1 + n > HELP_WIDTH && column > HELP_COLUMN) {
            printf("\n");
            column = 0;
        }
        if (column < HELP_COLUMN) column += printf("%*s", HELP_COLUMN - column, "");
        else if (column > HELP_COLUMN) column += printf(" ");
        column += printf("%.*s", n, text);
        text += n;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_option(const tool_option *o) {
    char left[64];
    int n = o->letter ? snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name)
                      : snprintf(left, sizeof left, "    --%s", o->name);
    if (takes_value(o))
        snprintf(left + n, sizeof left - (size_t)n, o->optional ? "[=%s]" : o->letter ? " %s" : "=%s", o->metavar);
    int column = printf("  %s", left);
    if (column >= HELP_COLUMN) column = printf("\n") - 1;
    print_wrapped(o->help, column);
}

static int print_help(const tool *t) {
    printf("Usage: %s [OPTION...]%s%s\n%s.\n\nOptions:\n", t->name, *t->operands ? " " : "", t->operands, t->summary);
    for (const tool_option *o = t->options; o->kind; o++) print_option(o);
    for (const tool_option *o = standard; o->kind; o++) print_option(o);
    printf("\nExit status: 0 done, 1 the answer is no, 2 trouble. More: man %s, man 7 permfst.\n", t->name);
    return TOOL_DONE;
}

static int print_version(const tool *t) {
    printf("%s (permfst) %s, record format %d\n", t->name, PACKAGE_VERSION, PF_FORMAT_VERSION);
    return TOOL_DONE;
}

/* For the man page and the completion: letter, name, kind, metavar, choices, help, tab-separated. */
static int print_table(const tool *t) {
    static const char *const kinds[] = {"", "flag", "number", "real", "text", "file", "choice", "reals", "specs", "file"};
    printf("%s\t%s\t%s\n", t->name, t->operands, t->summary);
    for (const tool_option *table = t->options; table; table = table == standard ? NULL : standard)
        for (const tool_option *o = table; o->kind; o++) {
            printf("%c\t%s\t%s\t%s%s\t", o->letter ? o->letter : '-', o->name, kinds[o->kind],
                   takes_value(o) ? o->metavar : "-", o->optional ? "?" : "");
            for (size_t i = 0; o->words && o->words[i]; i++) printf("%s%s", i ? " " : "", o->words[i]);
            printf("%s\t%s\n", o->words ? "" : "-", o->help);
        }
    return TOOL_DONE;
}

/* ---- parsing ---- */

static int usage(const char *format, const char *what) {
    tool_say(format, what);
    fprintf(stderr, "Try '%s --help'.\n", running->name);
    return -1;
}

/* Hyphens and underscores are the same, as OpenFst's users write them. */
static bool same_name(const char *name, const char *given, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (name[i] != (given[i] == '_' ? '-' : given[i])) return false;
    return !name[n];
}

static const tool_option *find_long(const tool *t, const char *given, size_t n) {
    for (const tool_option *o = t->options; o->kind; o++)
        if (same_name(o->name, given, n)) return o;
    for (const tool_option *o = standard; o->kind; o++)
        if (same_name(o->name, given, n)) return o;
    return NULL;
}

static const tool_option *find_letter(const tool *t, char letter) {
    for (const tool_option *o = t->options; o->kind; o++)
        if (o->letter == letter) return o;
    for (const tool_option *o = standard; o->kind; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static int set_number(const tool_option *o, const char *value) {
    char *end;
    errno = 0;
    unsigned long long x = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno || x < o->min || x > o->max) {
        tool_say("--%s: expected a whole number from %llu to %llu, found '%s'", o->name, (unsigned long long)o->min,
                 (unsigned long long)o->max, value);
        return -1;
    }
    *(uint64_t *)o->to = x;
    return 0;
}

static int set_real(const tool_option *o, const char *value) {
    char *end;
    double x = strtod(value, &end);
    if (end == value || *end || !(x >= (double)o->min && x < HUGE_VAL)) {
        tool_say("--%s: expected a number of at least %llu, found '%s'", o->name, (unsigned long long)o->min, value);
        return -1;
    }
    *(double *)o->to = x;
    return 0;
}

static int set_choice(const tool_option *o, const char *value) {
    for (size_t i = 0; o->words[i]; i++)
        if (strcmp(o->words[i], value) == 0) {
            *(const char **)o->to = o->words[i];
            return 0;
        }
    char list[200] = "";
    for (size_t i = 0, n = 0; o->words[i] && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", o->words[i]);
    tool_say("--%s: expected one of %s; found '%s'", o->name, list, value);
    return -1;
}

static int add_spec(const tool_option *o, const char *value) {
    tool_specs *s = o->to;
    if (o->list && strcmp(value, "list") == 0) {
        o->list();
        exit(check_output(TOOL_DONE));
    }
    if (s->n == sizeof s->at / sizeof *s->at) return usage("--%s is given too often", o->name);
    s->at[s->n++] = value;
    return 0;
}

static int add_reals(const tool_option *o, const char *value) {
    tool_reals *r = o->to;
    size_t most = o->max ? (size_t)o->max : sizeof r->at / sizeof *r->at;
    for (const char *at = value;; at++) {
        char *end;
        double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(x)) {
            tool_say("--%s: expected numbers with commas between, found '%s'", o->name, value);
            return -1;
        }
        if (r->n == most) {
            tool_say("--%s: more than %zu number%s", o->name, most, most == 1 ? "" : "s");
            return -1;
        }
        r->at[r->n++] = x;
        if (!*(at = end)) return 0;
    }
}

static int set(const tool_option *o, const char *value) {
    switch (o->kind) {
    case TOOL_FLAG: *(bool *)o->to = true; return 0;
    case TOOL_NUMBER: return set_number(o, value);
    case TOOL_REAL: return set_real(o, value);
    case TOOL_TEXT:
    case TOOL_FILE: *(const char **)o->to = value; return 0;
    case TOOL_CHOICE: return set_choice(o, value);
    case TOOL_REALS: return add_reals(o, value);
    case TOOL_FILES:
    case TOOL_SPECS: return add_spec(o, value);
    case TOOL_END: break;
    }
    return -1;
}

typedef struct {
    int n, at;      /* arguments, and the next one */
    char **argv;
    int operands;   /* argv[0 .. operands-1] after parsing */
    bool help, version;
} parser;

static int apply(parser *p, const tool_option *o, const char *value) {
    if (o == &standard[0]) return p->help = true, 0;
    if (o == &standard[1]) return p->version = true, 0;
    return set(o, value);
}

static int parse_long(const tool *t, parser *p, const char *given) {
    size_t n = strcspn(given, "=");
    const tool_option *o = find_long(t, given, n);
    const char *value = given[n] ? given + n + 1 : NULL;
    if (!o) return usage("unknown option --%s", given);
    if (!takes_value(o)) return value ? usage("--%s takes no value", o->name) : apply(p, o, NULL);
    if (!value) value = o->optional;
    if (!value && p->at < p->n) value = p->argv[p->at++];
    return value ? apply(p, o, value) : usage("--%s needs a value", o->name);
}

static int parse_letters(const tool *t, parser *p, const char *given) {
    for (; *given; given++) {
        char name[2] = {*given, 0};
        const tool_option *o = find_letter(t, *given);
        if (!o) return usage("unknown option -%s", name);
        if (takes_value(o)) {
            const char *value = given[1] ? given + 1 : p->at < p->n ? p->argv[p->at++] : NULL;
            return value ? apply(p, o, value) : usage("-%s needs a value", name);
        }
        if (apply(p, o, NULL)) return -1;
    }
    return 0;
}

static int parse(const tool *t, parser *p) {
    bool only_operands = false;
    while (p->at < p->n) {
        char *a = p->argv[p->at++];
        int failed = 0;
        if (only_operands || a[0] != '-' || !a[1]) p->argv[p->operands++] = a;
        else if (strcmp(a, "--") == 0) only_operands = true;
        else if (a[1] == '-') failed = parse_long(t, p, a + 2);
        else failed = parse_letters(t, p, a + 1);
        if (failed) return -1;
    }
    return 0;
}

/* A standard descriptor that is closed would be given to the next file that is opened, and messages would land there. It
 * is filled so that using it still fails. */
static void fill_standard_descriptors(void) {
    static const int useless[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", useless[fd]);
}

static int run_watched(const tool *t, const parser *p, int (*run)(int n, char **operands)) {
    toolwatch_begin(t->name, t->passes_on, no_progress);
    int status = run(p->operands, p->argv);
    toolwatch_end();
    return status;
}

int tool_main(const tool *t, int argc, char **argv, int (*run)(int n, char **operands)) {
    running = t;
    fill_standard_descriptors();
    if (argc == 2 && strcmp(argv[1], "--option-table") == 0) return check_output(print_table(t));
    toolwatch_signals();
    parser p = {.n = argc - 1, .argv = argv + 1};
    int status = TOOL_TROUBLE;
    if (parse(t, &p)) return status;
    if (p.help) status = print_help(t);
    else if (p.version) status = print_version(t);
    else if ((size_t)p.operands < t->min_operands) usage("expected %s", t->operands);
    else if ((size_t)p.operands > t->max_operands) usage("too many operands: expected %s", t->operands);
    else status = run_watched(t, &p, run);
    return check_output(status);
}
