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
    PF_VEC(char) utterance; /* the string of UTTERANCE=, with its NUL; or nothing */
    pf_statetab nodes, links; /* numbers that came */
    pfi_labeller labeller;
    pf_symtab *unknown; /* fields of which somebody was told */
};

pf_err pf_slf_reader_new(pf_reader *reader, const pf_lattice_options *options, pf_slf_reader **out) {
    pf_slf_reader *slf = calloc(1, sizeof *slf);
    if (!slf || pf_symtab_new("fields", &slf->unknown)) {
        free(slf);
        return pf_nomem();
    }
    slf->at.reader = reader;
    slf->options = options;
    pf_statetab_init(&slf->nodes, sizeof(uint32_t));
    pf_statetab_init(&slf->links, sizeof(uint32_t));
    *out = slf;
    return PF_OK;
}

void pf_slf_reader_free(pf_slf_reader *slf) {
    if (!slf) return;
    PF_VEC_FREE(&slf->lattice.node);
    PF_VEC_FREE(&slf->lattice.link);
    PF_VEC_FREE(&slf->lattice.number);
    PF_VEC_FREE(&slf->lattice.score);
    PF_VEC_FREE(&slf->utterance);
    pf_statetab_free(&slf->nodes);
    pf_statetab_free(&slf->links);
    pfi_labeller_free(&slf->labeller);
    pf_symtab_free(slf->unknown);
    free(slf);
}

/* Warns, once for each unknown field, that it is ignored. */
static pf_err pass_over(pf_slf_reader *slf) {
    const pfi_slf_line *line = &slf->at;
    char shown[60], words[400];
    pf_label label;
    if (!slf->options->warn || pf_symtab_find(slf->unknown, line->name, line->name_n) != PF_NO_LABEL) return PF_OK;
    PF_TRY(pf_symtab_add(slf->unknown, line->name, line->name_n, &label));
    snprintf(words, sizeof words, "%.200s:%llu: the field %s= is not known and is ignored", pf_reader_name(line->reader),
             (unsigned long long)pf_reader_line_number(line->reader), pfi_printable(line->name, line->name_n, shown, sizeof shown));
    slf->options->warn(slf->options->warn_to, words);
    return PF_OK;
}

/* ---- nodes and links ---- */

/* The index of the node with the number that the current field gives. */
static pf_err read_node(pf_slf_reader *slf, const char *what, uint32_t *index) {
    uint32_t number;
    int fresh;
    PF_TRY(pfi_slf_number(&slf->at, slf->lattice.head.nodes, what, &number));
    PF_TRY(pf_statetab_intern(&slf->nodes, &number, sizeof number, index, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_PUSH(&slf->lattice.number, number));
    return PF_PUSH(&slf->lattice.node, (pfi_slf_item){0});
}

static pf_err read_word(pf_slf_reader *slf, pf_label *word) {
    const pfi_slf_line *line = &slf->at;
    if (!line->value_n) return pfi_slf_expected(line, line->value_at, "a word", "", 0);
    if (line->value_n == strlen(slf_epsilon) && memcmp(line->value, slf_epsilon, line->value_n) == 0) return PF_OK;
    pf_err err = pfi_lattice_label(slf->options, &slf->labeller, line->value, line->value_n, word);
    return err == PF_EINPUT ? pfi_slf_bad(line, line->value_at, pf_message()) : err;
}

/* A node or a link, as far as the fields of its line have been read. */
typedef struct {
    pfi_slf_item item;
    bool word, start, end, score[PFI_SLF_ALL];
} slf_definition;

static pf_err once(const pfi_slf_line *line, bool *seen) {
    if (*seen) return pfi_slf_expected(line, line->name, "each field only once", line->name, line->name_n);
    *seen = true;
    return PF_OK;
}

static pf_err read_score(pf_slf_reader *slf, slf_definition *definition, unsigned i) {
    pfi_slf_score_of score = {i, 0};
    PF_TRY(pfi_slf_score_value(&slf->lattice.head, slf->options, &slf->at, i, &score.log_score));
    PF_TRY(once(&slf->at, &definition->score[i]));
    definition->item.scores++;
    return PF_PUSH(&slf->lattice.score, score);
}

/* A field that nodes and links both may have. */
static pf_err read_common(pf_slf_reader *slf, slf_definition *definition) {
    static const char *const passed[] = {"t", "time", "v", "var", "d", "div", "s", "states"};
    const pfi_slf_line *line = &slf->at;
    if (pfi_slf_is(line, "W") || pfi_slf_is(line, "WORD")) {
        PF_TRY(once(line, &definition->word));
        return read_word(slf, &definition->item.word);
    }
    int score = pfi_slf_score(line);
    if (score >= 0) return read_score(slf, definition, (unsigned)score);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (pfi_slf_is(line, passed[i])) return PF_OK;
    return pass_over(slf);
}

static pf_err read_node_field(pf_slf_reader *slf, slf_definition *definition) {
    if (pfi_slf_is(&slf->at, "L")) return pfi_slf_bad(&slf->at, slf->at.name, "a sub-lattice, which is not supported");
    return read_common(slf, definition);
}

static pf_err read_link_field(pf_slf_reader *slf, slf_definition *definition) {
    const pfi_slf_line *line = &slf->at;
    bool start = pfi_slf_is(line, "S") || pfi_slf_is(line, "START");
    if (!start && !pfi_slf_is(line, "E") && !pfi_slf_is(line, "END")) return read_common(slf, definition);
    PF_TRY(once(line, start ? &definition->start : &definition->end));
    return read_node(slf, "the number of a node", start ? &definition->item.from : &definition->item.to);
}

/* The fields after I= or J=. */
static pf_err read_fields(pf_slf_reader *slf, slf_definition *definition, pf_err (*field)(pf_slf_reader *, slf_definition *)) {
    definition->item.first = slf->lattice.score.n;
    definition->item.line = pf_reader_line_number(slf->at.reader);
    for (bool any;;) {
        PF_TRY(pfi_slf_field(&slf->at, slf->options->plain, &any));
        if (!any) return PF_OK;
        PF_TRY(field(slf, definition));
    }
}

static pf_err define_node(pf_slf_reader *slf) {
    const pfi_slf_line *line = &slf->at;
    slf_definition definition = {0};
    uint32_t node;
    PF_TRY(read_node(slf, "the number of a node", &node));
    if (slf->lattice.node.at[node].line)
        return pfi_slf_expected(line, line->value_at, "each node only once", line->value, line->value_n);
    PF_TRY(read_fields(slf, &definition, read_node_field));
    slf->lattice.node.at[node] = definition.item;
    return PF_OK;
}

static pf_err define_link(pf_slf_reader *slf) {
    const pfi_slf_line *line = &slf->at;
    slf_definition definition = {0};
    uint32_t number, id;
    int fresh;
    PF_TRY(pfi_slf_number(line, slf->lattice.head.links, "the number of a link", &number));
    PF_TRY(pf_statetab_intern(&slf->links, &number, sizeof number, &id, &fresh));
    if (!fresh) return pfi_slf_expected(line, line->value_at, "each link only once", line->value, line->value_n);
    PF_TRY(read_fields(slf, &definition, read_link_field));
    if (!definition.start) return pfi_slf_bad(line, line->line, "a link without S=, the node that it starts from");
    if (!definition.end) return pfi_slf_bad(line, line->line, "a link without E=, the node that it ends in");
    return PF_PUSH(&slf->lattice.link, definition.item);
}

/* ---- lattices ---- */

static void clear(pf_slf_reader *slf) {
    pfi_slf_lattice *lattice = &slf->lattice;
    lattice->node.n = lattice->link.n = lattice->number.n = lattice->score.n = slf->utterance.n = 0;
    pf_statetab_reset(&slf->nodes);
    pf_statetab_reset(&slf->links);
    pfi_labeller_free(&slf->labeller);
    pfi_slf_head_begin(&lattice->head, 0);
}

static bool in_body(const pf_slf_reader *slf) { return slf->lattice.node.n > 0 || slf->links.n > 0; }

/* The sizes are known when nodes and links begin. */
static pf_err check_sizes(const pf_slf_reader *slf) {
    const pfi_slf_head *head = &slf->lattice.head;
    if (head->nodes != PFI_SLF_NONE && head->links != UINT64_MAX) return PF_OK;
    bool nodes = head->nodes == PFI_SLF_NONE;
    return pfi_slf_bad(&slf->at, slf->at.line, nodes ? "expected NODES= (N=) in the header before nodes and links"
                                                 : "expected LINKS= (L=) in the header before nodes and links");
}

/* If it is that of the utterance, the value of the current field is kept. */
static pf_err keep_utterance(pf_slf_reader *slf) {
    const pfi_slf_line *line = &slf->at;
    if (!pfi_slf_is(line, "UTTERANCE") && !pfi_slf_is(line, "U")) return PF_OK;
    slf->utterance.n = 0;
    PF_TRY(PF_ROOM(&slf->utterance, line->value_n + 1));
    memcpy(slf->utterance.at, line->value, line->value_n);
    slf->utterance.at[line->value_n] = 0;
    slf->utterance.n = line->value_n + 1;
    return PF_OK;
}

const char *pf_slf_utterance(const pf_slf_reader *slf) { return slf->utterance.n ? slf->utterance.at : NULL; }

/* A line of the header, whose first field has been read. */
static pf_err read_header(pf_slf_reader *slf) {
    for (bool any = true, known; any;) {
        PF_TRY(keep_utterance(slf));
        PF_TRY(pfi_slf_head_field(&slf->lattice.head, &slf->at, &known));
        if (!known) PF_TRY(pass_over(slf));
        PF_TRY(pfi_slf_field(&slf->at, slf->options->plain, &any));
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
static pf_err read_line(pf_slf_reader *slf, bool *done) {
    pfi_slf_line *line = &slf->at;
    bool any, begun = slf->lattice.head.line != 0;
    char kind = kind_of(line->at);
    *done = false;
    if (!kind) return PF_OK;
    if (kind == 'h' && in_body(slf)) return slf->pending = *done = true, PF_OK;
    PF_TRY(pfi_slf_field(line, slf->options->plain, &any));
    if (kind == '.') return *done = begun, PF_OK;
    if (!begun) pfi_slf_head_begin(&slf->lattice.head, pf_reader_line_number(line->reader));
    if (kind == 'h') return read_header(slf);
    PF_TRY(check_sizes(slf));
    return (kind == 'I' ? define_node : define_link)(slf);
}

/* The next line into slf->at; *any is false at the end of the input. */
static pf_err next_line(pf_slf_reader *slf, bool *any) {
    size_t length;
    *any = true;
    if (slf->pending) {
        slf->pending = false;
        return PF_OK;
    }
    PF_TRY(pf_reader_line(slf->at.reader, &slf->at.line, &length));
    slf->at.at = slf->at.line;
    *any = slf->at.line != NULL;
    if (!*any || strlen(slf->at.line) == length) return PF_OK;
    return pfi_slf_bad(&slf->at, slf->at.line + strlen(slf->at.line), "expected text, found a NUL byte");
}

static pf_err read_lattice(pf_slf_reader *slf) {
    for (bool any, done = false; !done;) {
        PF_TRY(next_line(slf, &any));
        if (!any) return PF_OK;
        PF_TRY(read_line(slf, &done));
    }
    return PF_OK;
}

/* Checks that what was announced has come: every link, and every node or none. */
static pf_err check_counts(const pf_slf_reader *slf) {
    const pfi_slf_lattice *lattice = &slf->lattice;
    const char *name = pf_reader_name(slf->at.reader);
    unsigned long long line = lattice->head.line, defined = 0;
    if (!in_body(slf))
        return pf_fail(PF_EINPUT, "%s:%llu: expected nodes (I=) and links (J=) after this header, found none", name, line);
    if (lattice->link.n != lattice->head.links)
        return pf_fail(PF_EINPUT, "%s:%llu: expected %llu links in the lattice that begins here, found %zu", name, line,
                       (unsigned long long)lattice->head.links, lattice->link.n);
    for (size_t i = 0; i < lattice->node.n; i++) defined += lattice->node.at[i].line != 0;
    if (!defined || defined == lattice->head.nodes) return PF_OK;
    return pf_fail(PF_EINPUT, "%s:%llu: expected %u nodes (I=) in the lattice that begins here, or none, found %llu", name,
                   line, lattice->head.nodes, defined);
}

pf_err pf_slf_next(pf_slf_reader *slf, pf_fst **out) {
    *out = NULL;
    clear(slf);
    PF_TRY(pfi_labeller_begin(&slf->options->labels, &slf->labeller));
    PF_TRY(read_lattice(slf));
    if (!slf->lattice.head.line) return PF_OK;
    PF_TRY(check_counts(slf));
    PF_TRY(pfi_slf_build(&slf->lattice, slf->at.reader, slf->options, slf->labeller.table, out));
    pf_err err = pfi_labeller_end(&slf->labeller, *out);
    if (!err) return PF_OK;
    pf_fst_free(*out);
    *out = NULL;
    return err;
}
