/* permcheck: permutations against constraints: inside or outside, where they break, and the least parameters. */
#include "toolmap.h"
#include "toolperm.h"
#include "toolprogress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 32 }; /* that a thread takes at a time */

typedef struct {
    tool_common common;
    tool_specs con;
    bool tightest, why, quiet;
    uint64_t base;
    int direction; /* a place in `directions` */
} options;

enum { ORDER, PLACES };
static const char *const directions[] = {"order", "places", NULL};

static const tool_option rows[] = {
    TOOL_GROUP_OF("What is read"),
    {.name = "base", .kind = TOOL_NUMBER, .at = offsetof(options, base), .metavar = "N", .min = 0, .max = 1,
     .help = "the number of the first position, 0 or 1 [1]"},
    {.name = "direction", .kind = TOOL_CHOICE, .at = offsetof(options, direction), .metavar = "WORD", .words = directions,
     .help = "what a line lists: the source positions in output order (order), or the place of each source position "
             "(places) [order]"},
    TOOL_FIRST_RECORD,
    TOOL_GROUP_OF("What is asked"),
    {.letter = 'c', .name = "constraint", .kind = TOOL_SPECS, .at = offsetof(options, con), .metavar = "SPEC",
     .list = toolperm_list_constraints,
     .help = "say whether SPEC allows each permutation, such as ibm:4 or itg+local:5; may be repeated. -c list prints all "
             "names"},
    {.letter = 't', .name = "tightest", .kind = TOOL_FLAG, .at = offsetof(options, tightest),
     .help = "print the least parameter of each family that allows the permutation; this is the default without -c"},
    {.name = "why", .kind = TOOL_FLAG, .at = offsetof(options, why),
     .help = "explain where the permutation breaks a constraint, or the constraint with the next smaller parameter"},
    TOOL_GROUP_OF("What is written"),
    {.letter = 'q', .name = "quiet", .kind = TOOL_FLAG, .at = offsetof(options, quiet),
     .help = "write nothing; only the exit status gives the answer"},
    TOOL_JOBS("lines"),
    TOOL_KEEP_GOING("line"),
    TOOL_OUTPUT,
    {0},
};

typedef PF_VEC(unsigned) numbers;

/* A line at work. */
typedef struct {
    const options *o;
    pf_writer *w;
    uint64_t record;
    bool outside;
    numbers order, place; /* the position at each step, and its inverse */
} checker;

/* ---- a line ---- */

static pf_err read_number(uint64_t base, const char *word, size_t length, unsigned n, unsigned *out) {
    uint64_t x;
    if (!pf_digits(word, length, &x) || x < base || x - base >= n)
        return pf_fail(PF_EINPUT, "expected a number from %llu to %llu (--base=%llu), found '%.*s'", (unsigned long long)base,
                       (unsigned long long)(n - 1 + base), (unsigned long long)base, (int)(length < 40 ? length : 40), word);
    *out = (unsigned)(x - base);
    return PF_OK;
}

static pf_err count_words(const char *line, unsigned *out) {
    *out = 0;
    for (size_t n = 0; tool_word(&line, &n); ++*out)
        if (*out == PF_MAX_WORDS) return pf_fail(PF_EINPUT, "expected at most %u positions, found more", PF_MAX_WORDS);
    return PF_OK;
}

static pf_err read_line(checker *c, const char *line) {
    uint64_t base = c->o->base;
    unsigned n, x = 0;
    PF_TRY(count_words(line, &n));
    PF_TRY(PF_ROOM(&c->order, n + 1));
    PF_TRY(PF_ROOM(&c->place, n + 1));
    c->place.n = n;
    for (unsigned i = 0; i < n; i++) c->place.at[i] = UINT32_MAX;
    for (size_t bytes = 0; tool_word(&line, &bytes); c->order.at[c->order.n++] = x) {
        PF_TRY(read_number(base, line, bytes, n, &x));
        if (c->place.at[x] != UINT32_MAX)
            return pf_fail(PF_EINPUT, "expected each number from %llu to %llu once, found %.*s twice",
                           (unsigned long long)base, (unsigned long long)(n - 1 + base), (int)bytes, line);
        c->place.at[x] = (unsigned)c->order.n;
    }
    return PF_OK;
}

/* ---- answers: record, specification, inside or outside, and perhaps why ---- */

static pf_err say_spec(checker *c, const char *spec) {
    PF_TRY(pf_writer_text(c->w, "%llu\t", (unsigned long long)c->record));
    for (; *spec; spec++) PF_TRY(pf_writer_put(c->w, *spec == '\t' ? " " : spec, 1));
    return PF_OK;
}

/* `breaks` is what p is outside of, NULL where there is nothing to explain. */
static pf_err say(checker *c, const char *spec, bool is_inside, pf_check *breaks, const numbers *p) {
    if (c->o->quiet) return PF_OK;
    PF_TRY(say_spec(c, spec));
    PF_TRY(pf_writer_text(c->w, "\t%s", is_inside ? "inside" : "outside"));
    if (breaks && c->o->why) {
        PF_TRY(pf_writer_text(c->w, "\t"));
        PF_TRY(pf_check_why(breaks, p->at, (unsigned)c->o->base, c->w));
    }
    return pf_writer_text(c->w, "\n");
}

static pf_err say_inside(checker *c, const char *spec, const numbers *p, bool *is_inside) {
    pf_check *check;
    PF_TRY(pf_check_new(spec, (unsigned)p->n, &check));
    *is_inside = pf_check_inside(check, p->at);
    pf_err err = say(c, spec, *is_inside, *is_inside ? NULL : check, p);
    pf_check_free(check);
    return err;
}

/* The least parameter that the class has: that of one position. */
static pf_err least_of_all(const pf_con_class *cls, uint64_t *param) {
    bool is_inside;
    return pf_check_least(cls, &(unsigned){0}, 1, &is_inside, param);
}

/* What explains it breaks with the parameter one below, or with any. */
static pf_err say_least(checker *c, const pf_con_class *cls, const numbers *p) {
    uint64_t param = 0, lowest;
    bool is_inside;
    char spec[80], below[80];
    pf_check *check = NULL;
    PF_TRY(least_of_all(cls, &lowest));
    PF_TRY(pf_check_least(cls, p->at, (unsigned)p->n, &is_inside, &param));
    snprintf(spec, sizeof spec, "%s:%llu", cls->name, (unsigned long long)param);
    snprintf(below, sizeof below, "%s:%llu", cls->name, (unsigned long long)(is_inside ? param - 1 : p->n));
    if (!is_inside || param > lowest) PF_TRY(pf_check_new(below, (unsigned)p->n, &check));
    pf_err err = say(c, is_inside ? spec : cls->name, is_inside, check, p);
    pf_check_free(check);
    return err;
}

/* The families, and those without a parameter that have something to refuse. */
static pf_err say_tightest(checker *c, const numbers *p) {
    bool is_inside;
    for (size_t i = 0; pf_con_at(i); i++) {
        const pf_con_class *cls = pf_con_at(i);
        if (cls->least) PF_TRY(say_least(c, cls, p));
        else if (!*cls->params && cls->why) PF_TRY(say_inside(c, cls->name, p, &is_inside));
    }
    return PF_OK;
}

static pf_err answer(checker *c) {
    const numbers *p = c->o->direction == PLACES ? &c->place : &c->order;
    const tool_specs *con = &c->o->con;
    for (size_t i = 0; i < con->n; i++) {
        bool is_inside;
        PF_TRY(say_inside(c, con->at[i], p, &is_inside));
        c->outside = c->outside || !is_inside;
    }
    return c->o->tightest || !con->n ? say_tightest(c, p) : PF_OK;
}

/* ---- all lines ---- */

typedef struct {
    const options *o;
    bool outside, failed;
} answers;

static pf_err check_line(void *self, toollines_line *line) {
    const answers *all = self;
    checker c = {.o = all->o, .w = line->out, .record = line->record};
    pf_err err = read_line(&c, line->text);
    if (!err) err = answer(&c);
    *(bool *)line->result = c.outside;
    PF_VEC_FREE(&c.order);
    PF_VEC_FREE(&c.place);
    return err;
}

static void note_outside(void *self, const void *result) {
    answers *all = self;
    all->outside = all->outside || *(const bool *)result;
}

static pf_err check_all(tool_call *call, answers *all, pf_writer *w) {
    static const toollines_steps steps = {LINES, sizeof(bool), check_line, note_outside, ""};
    char *const *files;
    int n = tool_operands(call, &files);
    tool_item(call, "permutation");
    PF_TRY(toollines_read(call, n, files, &steps, all, w, &all->failed));
    return toolfst_close_output(call, w);
}

static int run(tool_call *call) {
    answers all = {.o = tool_options(call)};
    pf_writer *w = NULL;
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < all.o->con.n; i++) err = pf_con_check(all.o->con.at[i]);
    if (!err) err = toolfst_open_output(call, &w);
    if (!err) err = check_all(call, &all, w);
    pf_writer_free(w);
    if (err) return tool_trouble(call);
    return all.failed ? TOOL_TROUBLE : all.outside ? TOOL_NO : TOOL_DONE;
}

const tool permcheck = {
    .name = "permcheck",
    .operands = "[FILE...]",
    .summary = "Say which constraints allow a permutation, and the least parameter of each family",
    .options = rows,
    .size = sizeof(options),
    .defaults = &(const options){.base = 1},
    .max_operands = SIZE_MAX,
    .run = run,
    .examples = {"echo 2 4 1 3 | permcheck -c itg -c ibm:3", "echo 2 4 1 3 | permcheck --tightest --why"},
};

TOOL_MAIN(permcheck);
