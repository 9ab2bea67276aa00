/* SLF: the header, then a line a node and a line a link, as they come; the end of a lattice is where the next header begins.
 * Nodes are known by number in a hash table and no count is believed, so memory grows with the text. O(text). */
#include <permfst/io/slf.h>

#include <permfst/base/statetab.h>
#include "io/io_impl.h"
#include "io/slf_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char slf_epsilon[] = "!NULL";

struct pf_slf_reader {
    const pf_lattice_options *options;
    pfi_slf_line at;
    bool pending;      /* the current line is the next header's */
    pfi_slf_lattice lattice;
    pf_statetab nodes, links; /* numbers that came */
    pfi_labeller labeller;
    pf_symtab *unknown; /* fields of which somebody was told */
};

pf_err pf_slf_reader_new(pf_reader *r, const pf_lattice_options *o, pf_slf_reader **out) {
    pf_slf_reader *s = calloc(1, sizeof *s);
    if (!s || pf_symtab_new("fields", &s->unknown)) {
        free(s);
        return pf_nomem();
    }
    s->at.reader = r;
    s->options = o;
    pf_statetab_init(&s->nodes, sizeof(uint32_t));
    pf_statetab_init(&s->links, sizeof(uint32_t));
    *out = s;
    return PF_OK;
}

void pf_slf_reader_free(pf_slf_reader *s) {
    if (!s) return;
    PF_VEC_FREE(&s->lattice.node);
    PF_VEC_FREE(&s->lattice.link);
    PF_VEC_FREE(&s->lattice.number);
    PF_VEC_FREE(&s->lattice.score);
    pf_statetab_free(&s->nodes);
    pf_statetab_free(&s->links);
    pfi_labeller_free(&s->labeller);
    pf_symtab_free(s->unknown);
    free(s);
}

/* Warns, once for each unknown field, that it is ignored. */
static pf_err pass_over(pf_slf_reader *s) {
    const pfi_slf_line *l = &s->at;
    char shown[60], words[400];
    pf_label label;
    if (!s->options->warn || pf_symtab_find(s->unknown, l->name, l->name_n) != PF_NO_LABEL) return PF_OK;
    PF_TRY(pf_symtab_add(s->unknown, l->name, l->name_n, &label));
    snprintf(words, sizeof words, "%.200s:%llu: the field %s= is not known and is ignored", pf_reader_name(l->reader),
             (unsigned long long)pf_reader_line_number(l->reader), pfi_printable(l->name, l->name_n, shown, sizeof shown));
    s->options->warn(s->options->warn_to, words);
    return PF_OK;
}

/* ---- nodes and links ---- */

/* The index of the node with the number that the current field gives. */
static pf_err read_node(pf_slf_reader *s, const char *what, uint32_t *index) {
    uint32_t number;
    int fresh;
    PF_TRY(pfi_slf_number(&s->at, s->lattice.head.nodes, what, &number));
    PF_TRY(pf_statetab_intern(&s->nodes, &number, sizeof number, index, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_PUSH(&s->lattice.number, number));
    return PF_PUSH(&s->lattice.node, (pfi_slf_item){0});
}

static pf_err read_word(pf_slf_reader *s, pf_label *word) {
    const pfi_slf_line *l = &s->at;
    if (!l->value_n) return pfi_slf_expected(l, l->value_at, "a word", "", 0);
    if (l->value_n == strlen(slf_epsilon) && memcmp(l->value, slf_epsilon, l->value_n) == 0) return PF_OK;
    pf_err err = pfi_lattice_label(s->options, &s->labeller, l->value, l->value_n, word);
    return err == PF_EINPUT ? pfi_slf_bad(l, l->value_at, pf_message()) : err;
}

/* A node or a link, as far as the fields of its line have been read. */
typedef struct {
    pfi_slf_item item;
    bool word, start, end, score[PFI_SLF_ALL];
} slf_definition;

static pf_err once(const pfi_slf_line *l, bool *seen) {
    if (*seen) return pfi_slf_expected(l, l->name, "each field only once", l->name, l->name_n);
    *seen = true;
    return PF_OK;
}

static pf_err read_score(pf_slf_reader *s, slf_definition *d, unsigned i) {
    pfi_slf_score_of score = {i, 0};
    PF_TRY(pfi_slf_score_value(&s->lattice.head, s->options, &s->at, i, &score.log_score));
    PF_TRY(once(&s->at, &d->score[i]));
    d->item.scores++;
    return PF_PUSH(&s->lattice.score, score);
}

/* A field that nodes and links both may have. */
static pf_err read_common(pf_slf_reader *s, slf_definition *d) {
    static const char *const passed[] = {"t", "time", "v", "var", "d", "div", "s", "states"};
    const pfi_slf_line *l = &s->at;
    if (pfi_slf_is(l, "W") || pfi_slf_is(l, "WORD")) {
        PF_TRY(once(l, &d->word));
        return read_word(s, &d->item.word);
    }
    int score = pfi_slf_score(l);
    if (score >= 0) return read_score(s, d, (unsigned)score);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (pfi_slf_is(l, passed[i])) return PF_OK;
    return pass_over(s);
}

static pf_err read_node_field(pf_slf_reader *s, slf_definition *d) {
    if (pfi_slf_is(&s->at, "L")) return pfi_slf_bad(&s->at, s->at.name, "a sub-lattice, which is not supported");
    return read_common(s, d);
}

static pf_err read_link_field(pf_slf_reader *s, slf_definition *d) {
    const pfi_slf_line *l = &s->at;
    bool start = pfi_slf_is(l, "S") || pfi_slf_is(l, "START");
    if (!start && !pfi_slf_is(l, "E") && !pfi_slf_is(l, "END")) return read_common(s, d);
    PF_TRY(once(l, start ? &d->start : &d->end));
    return read_node(s, "the number of a node", start ? &d->item.from : &d->item.to);
}

/* The fields after I= or J=. */
static pf_err read_fields(pf_slf_reader *s, slf_definition *d, pf_err (*field)(pf_slf_reader *, slf_definition *)) {
    d->item.first = s->lattice.score.n;
    d->item.line = pf_reader_line_number(s->at.reader);
    for (bool any;;) {
        PF_TRY(pfi_slf_field(&s->at, s->options->plain, &any));
        if (!any) return PF_OK;
        PF_TRY(field(s, d));
    }
}

static pf_err define_node(pf_slf_reader *s) {
    const pfi_slf_line *l = &s->at;
    slf_definition d = {0};
    uint32_t node;
    PF_TRY(read_node(s, "the number of a node", &node));
    if (s->lattice.node.at[node].line) return pfi_slf_expected(l, l->value_at, "each node only once", l->value, l->value_n);
    PF_TRY(read_fields(s, &d, read_node_field));
    s->lattice.node.at[node] = d.item;
    return PF_OK;
}

static pf_err define_link(pf_slf_reader *s) {
    const pfi_slf_line *l = &s->at;
    slf_definition d = {0};
    uint32_t number, id;
    int fresh;
    PF_TRY(pfi_slf_number(l, s->lattice.head.links, "the number of a link", &number));
    PF_TRY(pf_statetab_intern(&s->links, &number, sizeof number, &id, &fresh));
    if (!fresh) return pfi_slf_expected(l, l->value_at, "each link only once", l->value, l->value_n);
    PF_TRY(read_fields(s, &d, read_link_field));
    if (!d.start) return pfi_slf_bad(l, l->line, "a link without S=, the node that it starts from");
    if (!d.end) return pfi_slf_bad(l, l->line, "a link without E=, the node that it ends in");
    return PF_PUSH(&s->lattice.link, d.item);
}

/* ---- lattices ---- */

static void clear(pf_slf_reader *s) {
    pfi_slf_lattice *l = &s->lattice;
    l->node.n = l->link.n = l->number.n = l->score.n = 0;
    pf_statetab_reset(&s->nodes);
    pf_statetab_reset(&s->links);
    pfi_labeller_free(&s->labeller);
    pfi_slf_head_begin(&l->head, 0);
}

static bool in_body(const pf_slf_reader *s) { return s->lattice.node.n > 0 || s->links.n > 0; }

/* The sizes are known when nodes and links begin. */
static pf_err check_sizes(const pf_slf_reader *s) {
    const pfi_slf_head *h = &s->lattice.head;
    if (h->nodes != PFI_SLF_NONE && h->links != UINT64_MAX) return PF_OK;
    bool nodes = h->nodes == PFI_SLF_NONE;
    return pfi_slf_bad(&s->at, s->at.line, nodes ? "expected NODES= (N=) in the header before nodes and links"
                                                 : "expected LINKS= (L=) in the header before nodes and links");
}

/* A line of the header, whose first field has been read. */
static pf_err read_header(pf_slf_reader *s) {
    for (bool any = true, known; any;) {
        PF_TRY(pfi_slf_head_field(&s->lattice.head, &s->at, &known));
        if (!known) PF_TRY(pass_over(s));
        PF_TRY(pfi_slf_field(&s->at, s->options->plain, &any));
    }
    return PF_OK;
}

/* The begin of a line: I= and J= are the body's, "." ends a lattice, all else is the header's. */
static char kind_of(const char *at) {
    at += strspn(at, " \t\r\v\f");
    if (!*at || *at == '#') return 0;
    return (*at == 'I' || *at == 'J') && (at[1] == '=' || at[1] == '~') ? *at : *at == '.' ? '.' : 'h';
}

/* One line; *done where it ends the lattice. */
static pf_err read_line(pf_slf_reader *s, bool *done) {
    pfi_slf_line *l = &s->at;
    bool any, begun = s->lattice.head.line != 0;
    char kind = kind_of(l->at);
    *done = false;
    if (!kind) return PF_OK;
    if (kind == 'h' && in_body(s)) return s->pending = *done = true, PF_OK;
    PF_TRY(pfi_slf_field(l, s->options->plain, &any));
    if (kind == '.') return *done = begun, PF_OK;
    if (!begun) pfi_slf_head_begin(&s->lattice.head, pf_reader_line_number(l->reader));
    if (kind == 'h') return read_header(s);
    PF_TRY(check_sizes(s));
    return (kind == 'I' ? define_node : define_link)(s);
}

/* The next line into s->at; *any is false at the end of the input. */
static pf_err next_line(pf_slf_reader *s, bool *any) {
    size_t n;
    *any = true;
    if (s->pending) {
        s->pending = false;
        return PF_OK;
    }
    PF_TRY(pf_reader_line(s->at.reader, &s->at.line, &n));
    s->at.at = s->at.line;
    *any = s->at.line != NULL;
    if (!*any || strlen(s->at.line) == n) return PF_OK;
    return pfi_slf_bad(&s->at, s->at.line + strlen(s->at.line), "expected text, found a NUL byte");
}

static pf_err read_lattice(pf_slf_reader *s) {
    for (bool any, done = false; !done;) {
        PF_TRY(next_line(s, &any));
        if (!any) return PF_OK;
        PF_TRY(read_line(s, &done));
    }
    return PF_OK;
}

/* Checks that what was announced has come: every link, and every node or none. */
static pf_err check_counts(const pf_slf_reader *s) {
    const pfi_slf_lattice *l = &s->lattice;
    const char *name = pf_reader_name(s->at.reader);
    unsigned long long line = l->head.line, defined = 0;
    if (!in_body(s))
        return pf_fail(PF_EINPUT, "%s:%llu: expected nodes (I=) and links (J=) after this header, found none", name, line);
    if (l->link.n != l->head.links)
        return pf_fail(PF_EINPUT, "%s:%llu: expected %llu links in the lattice that begins here, found %zu", name, line,
                       (unsigned long long)l->head.links, l->link.n);
    for (size_t i = 0; i < l->node.n; i++) defined += l->node.at[i].line != 0;
    if (!defined || defined == l->head.nodes) return PF_OK;
    return pf_fail(PF_EINPUT, "%s:%llu: expected %u nodes (I=) in the lattice that begins here, or none, found %llu", name,
                   line, l->head.nodes, defined);
}

pf_err pf_slf_next(pf_slf_reader *s, pf_fst **out) {
    *out = NULL;
    clear(s);
    PF_TRY(pfi_labeller_begin(&s->options->labels, &s->labeller));
    PF_TRY(read_lattice(s));
    if (!s->lattice.head.line) return PF_OK;
    PF_TRY(check_counts(s));
    PF_TRY(pfi_slf_build(&s->lattice, s->at.reader, s->options, s->labeller.table, out));
    pf_err err = pfi_labeller_end(&s->labeller, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
