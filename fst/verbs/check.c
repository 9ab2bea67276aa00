/* One permutation after the other: read, asked about, answered in lines. */
#include <permfst/verbs/check.h>
#include <permfst/permute/con_file.h>

#include <permfst/permute/order.h>

typedef struct {
    const pf_check_options *options;
    pf_writer *writer;
    uint64_t record;
    const unsigned *permutation;
    const char *given; /* the constraint as it was given, where the one that is checked has a tree in the place of its file */
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

static pf_err answer(line_check *check, unsigned n) {
    const pf_check_options *options = check->options;
    for (size_t i = 0; i < options->n_con; i++) {
        pf_con_file *trees = options->trees ? options->trees[i] : NULL;
        const char *spec = options->con[i];
        if (trees) PF_TRY(pf_con_file_next(trees, n, &spec));
        check->given = trees ? options->con[i] : NULL;
        PF_TRY(pf_check_spec(spec, check->permutation, n, write_and_note, check));
    }
    check->given = NULL;
    if (options->n_con && !options->tightest) return PF_OK;
    return pf_check_tightest(check->permutation, n, write_answer, check);
}

pf_err pf_check_line(const char *line, uint64_t record, const pf_check_options *options, pf_writer *writer, bool *outside) {
    line_check check = {.options = options, .writer = writer, .record = record};
    pf_visit_order order;
    pf_err err = pf_visit_order_read(line, options->base, &order);
    check.permutation = options->places ? order.place : order.order;
    if (!err) err = answer(&check, order.n);
    *outside = check.outside;
    pf_visit_order_free(&order);
    return err;
}
