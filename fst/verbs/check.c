/* One permutation after the other: read, asked about, answered in lines. */
#include <permfst/verbs/check.h>

#include <permfst/base/word.h>
#include <permfst/permute/order.h>

#include <stdio.h>
#include <string.h>

typedef struct {
    const pf_check_options *options;
    pf_writer *writer;
    uint64_t record;
    const unsigned *permutation;
    const char *given; /* the constraint as it was given: the one that is checked may have a tree in the place of its file */
    bool outside;
} line_check;

/* A tab ends a field. */
static pf_err write_spec(const line_check *check, const char *spec) {
    PF_TRY(pf_writer_text(check->writer, "%llu\t", (unsigned long long)check->record));
    for (; *spec; spec++) PF_TRY(pf_writer_put(check->writer, *spec == '\t' ? " " : spec, 1));
    return PF_OK;
}

static pf_err write_answer(void *self, const char *spec, bool inside, pf_check *breaks) {
    const line_check *check = self;
    if (check->options->quiet) return PF_OK;
    PF_TRY(write_spec(check, check->given ? check->given : spec));
    PF_TRY(pf_writer_text(check->writer, "\t%s", inside ? "inside" : "outside"));
    if (breaks && check->options->why) {
        PF_TRY(pf_writer_text(check->writer, "\t"));
        PF_TRY(pf_check_why(breaks, check->permutation, check->options->base, check->writer));
    }
    return pf_writer_text(check->writer, "\n");
}

static pf_err write_and_note(void *self, const char *spec, bool inside, pf_check *breaks) {
    line_check *check = self;
    check->outside = check->outside || !inside;
    return write_answer(check, spec, inside, breaks);
}

static pf_err answer(line_check *check, unsigned n, const char *specs) {
    const pf_check_options *options = check->options;
    for (size_t i = 0; i < options->n_con; i++) {
        check->given = options->con[i];
        PF_TRY(pf_check_spec(specs ? specs : check->given, check->permutation, n, write_and_note, check));
        if (specs) specs += strlen(specs) + 1;
    }
    check->given = NULL;
    if (options->n_con && !options->tightest) return PF_OK;
    return pf_check_tightest(check->permutation, n, write_answer, check);
}

static unsigned count_words(const char *line) {
    const char *end = line + strlen(line);
    unsigned n = 0;
    for (pf_word word; pf_word_next(&line, end, &word);) n++;
    return n;
}

pf_err pf_check_read_trees(const char *line, const pf_check_options *options, pf_con_file *const *trees, pf_writer *writer) {
    char words[1024] = "";
    pf_err wrong = PF_OK;
    for (size_t i = 0; i < options->n_con; i++) {
        const char *spec = options->con[i];
        pf_err err = trees[i] ? pf_con_file_next(trees[i], count_words(line), &spec) : PF_OK;
        if (err && err != PF_EINPUT) return err;
        if (err && !wrong) snprintf(words, sizeof words, "%s", pf_message());
        if (err) wrong = err;
        else PF_TRY(pf_writer_put(writer, spec, strlen(spec) + 1));
    }
    return wrong ? pf_fail(wrong, "%s", words) : PF_OK;
}

pf_err pf_check_line(const char *line, uint64_t record, const pf_check_options *options, const char *specs, pf_writer *writer,
                     bool *outside) {
    line_check check = {.options = options, .writer = writer, .record = record};
    pf_visit_order order;
    pf_err err = pf_visit_order_read(line, options->base, &order);
    check.permutation = options->places ? order.place : order.order;
    if (!err) err = answer(&check, order.n, specs);
    *outside = check.outside;
    pf_visit_order_free(&order);
    return err;
}
