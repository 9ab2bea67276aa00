/* permrules apply: a lattice for each sentence, or how large it is. */
#include "toolrules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PERMS = sizeof ((tool_specs *)0)->at / sizeof(char *) + 1 }; /* those to add, and the reference */

/* What a record needs: its lines are copied where they are read. */
typedef struct {
    pf_input in;
    char *text; /* of the tags */
    pf_words tags;
    pf_permutation *perm; /* those to add, then the reference */
    size_t perms;
    pf_arc_type type;
    pf_symtab *words_of;
    pf_rule_figures figures; /* the answer, of --statistics */
    bool done;
} sentence;

typedef struct {
    tool_call *call;
    const toolrules_options *o;
    pf_rules *rules; /* NULL: --only */
    pf_rule_apply_options how;
    pf_reader *tags, *perm[MOST_PERMS]; /* a line for each record; NULL: no such file */
    size_t perms, to_add;
    toolfst_sink sink; /* automata, or */
    pf_writer *w;      /* statistics: */
    pf_rule_totals totals;
} applier;

/* ---- reading a record ---- */

static void sentence_free(void *own) {
    sentence *s = own;
    pf_input_free(&s->in);
    free(s->text);
    PF_VEC_FREE(&s->tags);
    for (size_t i = 0; i < s->perms; i++) pf_permutation_free(&s->perm[i]);
    free(s->perm);
    pf_symtab_free(s->words_of);
    pf_rule_figures_free(&s->figures);
    free(s);
}

static pf_err sentence_new(size_t perms, sentence **out) {
    sentence *s = *out = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    pf_rule_figures_init(&s->figures);
    if (!(s->perm = calloc(perms + 1, sizeof *s->perm))) {
        sentence_free(s);
        return pf_nomem();
    }
    s->perms = perms;
    return PF_OK;
}

static pf_err next_line(pf_reader *l, char **line, size_t *n) {
    PF_TRY(pf_reader_line(l, line, n));
    if (*line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected line %llu, for this record, found the end of the file", pf_reader_name(l),
                   (unsigned long long)pf_reader_line_number(l) + 1);
}

static pf_err read_tags(const applier *a, sentence *s) {
    char *line;
    size_t n;
    PF_TRY(next_line(a->tags, &line, &n));
    if (!(s->text = malloc(n + 1))) return pf_nomem();
    memcpy(s->text, line, n + 1);
    return pf_words_split(a->tags, s->text, n, &s->tags);
}

static pf_err read_permutation(pf_reader *l, pf_permutation *p) {
    pf_words words = {0};
    char *line;
    size_t n;
    PF_TRY(next_line(l, &line, &n));
    pf_err err = pf_words_split(l, line, n, &words);
    if (!err) err = pf_permutation_read(l, &words, p);
    PF_VEC_FREE(&words);
    return err;
}

/* The lines of a record are read also where one of them is bad, so that those of the next record come next. */
static pf_err read_lines(const applier *a, sentence *s) {
    pf_err err = a->tags ? read_tags(a, s) : PF_OK;
    for (size_t i = 0; i < a->perms; i++) {
        if (!err) err = read_permutation(a->perm[i], &s->perm[i]);
        else {
            char *line;
            size_t n;
            PF_TRY(pf_reader_line(a->perm[i], &line, &n));
        }
    }
    return err;
}

static pf_err check_length(const sentence *s, pf_reader *l, size_t n, const char *what) {
    if (n == s->in.n) return PF_OK;
    return pf_reader_fail_line(l, "expected %u %s, as many as the record has words, found %zu", s->in.n, what, n);
}

static pf_err prepare(void *self, toolmap_record *r) {
    const applier *a = self;
    sentence *s;
    pf_fst *fst;
    PF_TRY(sentence_new(a->perms, &s));
    r->own = s;
    PF_TRY(read_lines(a, s));
    PF_TRY(toolmap_open(r, &fst));
    PF_TRY(pf_input_read(fst, &s->in));
    s->type = fst->type;
    s->words_of = pf_symtab_ref(fst->osyms);
    if (a->tags) PF_TRY(check_length(s, a->tags, s->tags.n, "tags"));
    for (size_t i = 0; i < a->perms; i++) PF_TRY(check_length(s, a->perm[i], s->perm[i].at.n, "positions"));
    return PF_OK;
}

/* ---- a lattice ---- */

static pf_err use(const applier *a, sentence *s, const pf_rule_lattice *l, uint64_t matches, toolmap_record *r) {
    pf_fst *fst;
    s->done = true;
    if (a->o->statistics)
        return pf_rule_figures_of(&s->figures, l, matches, a->perms > a->to_add ? &s->perm[a->to_add] : NULL);
    PF_TRY(pf_rule_lattice_fst(l, &s->in, s->type, &fst));
    pf_fst_set_symbols(fst, NULL, s->words_of);
    return pf_expr_of_fst(fst, &r->out);
}

static pf_err work(void *self, toolmap_record *r) {
    const applier *a = self;
    sentence *s = r->own;
    pf_rule_sentence all = {&s->in, s->words_of, &s->tags, s->perm, a->to_add};
    pf_rule_lattice *l;
    uint64_t matches;
    PF_TRY(pf_rules_apply(&a->how, &all, &l, &matches));
    pf_err err = use(a, s, l, matches, r);
    pf_rule_lattice_free(l);
    return err;
}

/* ---- answers ---- */

static pf_err put_line(const applier *a, const sentence *s, uint64_t record) {
    PF_TRY(pf_rule_figures_write(&s->figures, record, a->o->reference != NULL, a->w));
    return pf_writer_flush(a->w);
}

static pf_err finish(void *self, toolmap_record *r) {
    applier *a = self;
    const sentence *s = r->own;
    if (r->failed && !a->o->statistics) return toolfst_put_nothing(&a->sink, r->record);
    if (!s || !s->done) return PF_OK;
    if (!a->o->statistics) return r->out ? pf_stream_put(a->sink.stream, r->out, r->record) : PF_OK;
    pf_rule_totals_add(&a->totals, &s->figures);
    return a->o->per_line ? put_line(a, s, r->record) : PF_OK;
}

static pf_err put_statistics(const applier *a) {
    return pf_rule_totals_write(&a->totals, a->rules ? pf_rules_size(a->rules) : 0, a->o->reference != NULL, a->w);
}

/* ---- all records ---- */

/* That a file has no line left, now that there is no record. */
static pf_err close_lines(const applier *a, pf_reader *l, uint64_t records, const char *path) {
    char *line;
    size_t n;
    if (!l) return PF_OK;
    PF_TRY(pf_reader_line(l, &line, &n));
    if (!line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected record %llu, which %s has as line %llu, found the end of the records",
                   toolfst_name(path),
                   (unsigned long long)(a->o->common.first_record + records), pf_reader_name(l),
                   (unsigned long long)pf_reader_line_number(l));
}

static pf_err close_all(const applier *a, const char *path) {
    uint64_t records = a->tags ? pf_reader_line_number(a->tags) : a->perms ? pf_reader_line_number(a->perm[0]) : 0;
    PF_TRY(close_lines(a, a->tags, records, path));
    for (size_t i = 0; i < a->perms; i++) PF_TRY(close_lines(a, a->perm[i], records, path));
    return PF_OK;
}

static pf_err open_lines(const applier *a, pf_reader **l, const char *path) {
    return path ? toolfst_open(a->call, path, l) : PF_OK;
}

static pf_err open_rules(applier *a, const char *path) {
    pf_rule_options most = {.max_length = a->o->maxlen ? (unsigned)a->o->maxlen : PF_MAX_WORDS,
                            .max_cost = a->o->maxcost >= 0 ? a->o->maxcost : (double)INFINITY};
    pf_reader *r;
    PF_TRY(toolfst_open(a->call, path, &r));
    pf_err err = pf_rules_read(r, &most, &a->rules);
    pf_reader_free(r);
    PF_TRY(err);
    bool one_tag = pf_rules_options(a->rules)->one_tag;
    if (one_tag && a->o->tags) return pf_fail(PF_EARG, "%s has rules of one tag: --tags does not go with them", path);
    if (!one_tag && !a->o->tags) return pf_fail(PF_EARG, "%s has rules of tags: give those of the sentences (--tags)", path);
    toolrules_say_left_out(a->call, NULL, pf_rules_omitted(a->rules));
    return PF_OK;
}

static pf_err open_files(applier *a, char *const *operands) {
    if (!a->o->only) PF_TRY(open_rules(a, operands[0]));
    a->how = (pf_rule_apply_options){a->rules, !a->o->unweighted,
                                     a->o->augment_cost > 0 ? (float)a->o->augment_cost : 0};
    PF_TRY(open_lines(a, &a->tags, a->o->tags));
    a->to_add = a->o->augment.n;
    for (size_t i = 0; i < a->to_add; i++) PF_TRY(open_lines(a, &a->perm[a->perms++], a->o->augment.at[i]));
    if (a->o->reference) PF_TRY(open_lines(a, &a->perm[a->perms++], a->o->reference));
    return a->o->statistics ? toolfst_open_output(a->call, &a->w) : toolfst_sink_open(a->call, &a->sink);
}

static pf_err apply_all(applier *a, int n, char *const *operands, bool *failed) {
    static const toolmap_steps steps = {prepare, work, finish, sentence_free, false};
    int rules = !a->o->only;
    PF_TRY(open_files(a, operands));
    PF_TRY(toolmap_read(a->call, n - rules, operands + rules, &steps, a, failed));
    PF_TRY(close_all(a, n > rules ? operands[n - 1] : "-"));
    if (!a->o->statistics) return toolfst_sink_close(&a->sink);
    if (!a->o->per_line) PF_TRY(put_statistics(a));
    return toolfst_close_output(a->call, a->w);
}

pf_err toolrules_apply(tool_call *call, int n, char *const *operands, bool *failed) {
    applier a = {.call = call, .o = tool_options(call)};
    if (!a.o->only && !n) return pf_fail(PF_EARG, "apply needs a rule file");
    pf_rule_totals_init(&a.totals);
    pf_err err = apply_all(&a, n, operands, failed);
    toolfst_sink_free(&a.sink);
    pf_writer_free(a.w);
    pf_reader_free(a.tags);
    for (size_t i = 0; i < a.perms; i++) pf_reader_free(a.perm[i]);
    pf_rules_free(a.rules);
    pf_rule_totals_free(&a.totals);
    return err;
}
