/* The files of systems and references: texts, orders and alignments. O(bytes). */
#include <permfst/metric/systems.h>

#include <permfst/base/lines.h>
#include <permfst/permute/order.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the texts of a file ---- */

static void say(pf_warn warn, void *to, const char *format, ...) PF_PRINTF(3, 4);
static void say(pf_warn warn, void *to, const char *format, ...) {
    char words[1000];
    va_list ap;
    if (!warn) return;
    va_start(ap, format);
    vsnprintf(words, sizeof words, format, ap);
    va_end(ap);
    warn(to, words);
}

static bool is_of_kind(const pf_docset *set, pf_docs_kind kind) { return set->kind == kind || set->kind == PF_DOCS_LINES; }

static size_t count_sets(const pf_docs *docs, pf_docs_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < docs->set.n; i++) count += is_of_kind(&docs->set.at[i], kind);
    return count;
}

/* What a file has of a kind; where it has none, of the other, but never a source text. */
static pf_err choose(const pf_docs *docs, const char *name, pf_docs_kind *kind, pf_warn warn, void *warn_to) {
    bool wants = *kind == PF_DOCS_REFERENCE;
    if (count_sets(docs, *kind)) return PF_OK;
    *kind = wants ? PF_DOCS_SYSTEM : PF_DOCS_REFERENCE;
    if (!count_sets(docs, *kind))
        return pf_fail(PF_EINPUT, "%s: expected %s, found only a source text", name, wants ? "references" : "translations");
    say(warn, warn_to, "%s has no %s: its %s are used instead", name, wants ? "references" : "translations of a system",
        wants ? "translations of a system" : "references");
    return PF_OK;
}

static pf_err add_system(pf_systems *systems, const pf_docset *set, const char *name, pf_warn warn, void *warn_to) {
    size_t extra, first;
    char where[200];
    PF_TRY(pf_systems_add(systems, set, name, &extra, &first));
    if (extra)
        say(warn, warn_to, "%s: %zu %s %s", name, extra,
            extra == 1 ? "segment without a reference is left out:" : "segments without a reference are left out; the first is",
            pf_docset_where(set, first, where, sizeof where));
    return PF_OK;
}

pf_err pf_systems_docs(pf_systems *systems, const pf_docs *docs, const char *name, pf_docs_kind kind, pf_warn warn,
    void *warn_to) {
    bool is_reference = kind == PF_DOCS_REFERENCE;
    assert(is_reference || kind == PF_DOCS_SYSTEM);
    PF_TRY(choose(docs, name, &kind, warn, warn_to));
    bool several = count_sets(docs, kind) > 1;
    for (size_t i = 0; i < docs->set.n; i++) {
        const pf_docset *set = &docs->set.at[i];
        char full[5000];
        if (!is_of_kind(set, kind)) continue;
        snprintf(full, sizeof full, "%s%s%s", name, several ? ":" : "", several ? set->name : "");
        PF_TRY(is_reference ? pf_systems_reference(systems, set, full) : add_system(systems, set, full, warn, warn_to));
    }
    return PF_OK;
}

/* ---- orders and alignments ---- */

/* Fails with the line: has an order of so many positions what its reference asks for? Segments of orders have their numbers. */
static pf_err check_order(const pf_systems *systems, const pf_reader *reader, size_t segment, size_t positions) {
    const pf_reference *reference = &systems->set.reference.at[0];
    if (segment >= reference->words.end.n) return PF_OK; /* the number of lines is checked later */
    pf_segment expected = pf_tokens_at(&reference->words, segment);
    if (!systems->links && expected.n != positions)
        return pf_reader_fail_line(reader, "expected an order of %zu positions, as line %zu of %s has, found %zu", expected.n,
                                   segment + 1, reference->file, positions);
    for (size_t at = 0; systems->links && at < expected.n; at += 2)
        if (expected.word[at] >= positions)
            return pf_reader_fail_line(reader,
                                       "expected an order of more than %u positions, as line %zu of %s links %u-%u, found %zu",
                                       expected.word[at], segment + 1, reference->file, expected.word[at], expected.word[at + 1],
                                       positions);
    return PF_OK;
}

static pf_err add_order(const pf_systems *systems, const pf_reader *reader, char *line, size_t length, unsigned base,
                        bool is_system, pf_tokens *out) {
    pf_visit_order order = {0};
    pf_err err = pf_line_check(line, length);
    if (!err) err = pf_visit_order_read(line, base, &order);
    if (err == PF_EINPUT) err = pf_reader_fail_line(reader, "%s", pf_message());
    if (!err && is_system) err = check_order(systems, reader, out->end.n, order.n);
    for (unsigned i = 0; !err && i < order.n; i++) err = PF_PUSH(&out->word, order.order[i]);
    pf_visit_order_free(&order);
    return err ? err : PF_PUSH(&out->end, out->word.n);
}

static pf_err read_orders(const pf_systems *systems, pf_reader *reader, unsigned base, bool is_system, pf_tokens *out) {
    char *line;
    size_t length;
    for (;;) {
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) return PF_OK;
        PF_TRY(add_order(systems, reader, line, length, base, is_system, out));
    }
}

pf_err pf_systems_orders(pf_systems *systems, pf_reader *reader, unsigned base, pf_docs_kind kind) {
    bool is_system = kind == PF_DOCS_SYSTEM;
    const char *name = pf_reader_name(reader);
    pf_tokens orders = {0};
    pf_err err = read_orders(systems, reader, base, is_system, &orders);
    if (!err && is_system) err = pf_testset_check(&systems->set, orders.end.n, name);
    if (!err && !is_system) err = pf_testset_numbers(&systems->set, &orders, name);
    if (!err && is_system) {
        err = PF_PUSH(&systems->system, ((pf_scored_system){.words = orders}));
        if (!err) orders = (pf_tokens){0};
        if (!err && !(systems->system.at[systems->system.n - 1].name = strdup(name))) err = pf_nomem();
    }
    pf_tokens_free(&orders);
    return err;
}

static pf_err add_alignment(const pf_alignment *links, pf_tokens *out) {
    PF_TRY(PF_ROOM(&out->word, 2 * links->link.n));
    for (size_t at = 0; at < links->link.n; at++) {
        out->word.at[out->word.n++] = links->link.at[at].source;
        out->word.at[out->word.n++] = links->link.at[at].target;
    }
    return PF_PUSH(&out->end, out->word.n);
}

static pf_err read_links(pf_align_reader *reader, pf_alignment *links, const pf_align_filter *filter, pf_tokens *out) {
    for (bool more = true;;) {
        PF_TRY(pf_align_next(reader, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, links, &more));
        if (!more) return PF_OK;
        pf_align_left_out left_out = {0};
        pf_alignment_filter(links, filter, &left_out);
        PF_TRY(add_alignment(links, out));
    }
}

pf_err pf_systems_links(pf_systems *systems, pf_reader *reader, pf_align_format format, const pf_align_filter *filter) {
    pf_align_reader *align = NULL;
    pf_alignment links = {0};
    pf_tokens tokens = {0};
    pf_err err = pf_align_reader_new(reader, format, 1, &align);
    if (!err) err = read_links(align, &links, filter, &tokens);
    if (!err) err = pf_testset_numbers(&systems->set, &tokens, pf_reader_name(reader));
    systems->links = true;
    pf_align_reader_free(align);
    pf_alignment_free(&links);
    pf_tokens_free(&tokens);
    return err;
}

/* ---- any of them ---- */

static pf_err read_docs(pf_systems *systems, pf_reader *reader, pf_docs_form form, pf_docs_kind kind, pf_warn warn, void *warn_to) {
    pf_docs docs;
    pf_err err = pf_docs_read(reader, form, &docs);
    if (!err) err = pf_systems_docs(systems, &docs, pf_reader_name(reader), kind, warn, warn_to);
    pf_docs_free(&docs);
    return err;
}

pf_err pf_systems_read(pf_systems *systems, pf_reader *reader, const pf_scored_form *form, pf_docs_kind kind, pf_warn warn,
                       void *warn_to) {
    if (form->subject == PF_METRIC_WORDS) return read_docs(systems, reader, form->docs, kind, warn, warn_to);
    if (form->subject == PF_METRIC_LINKS && kind == PF_DOCS_REFERENCE)
        return pf_systems_links(systems, reader, PF_ALIGN_AUTO, &form->links);
    return pf_systems_orders(systems, reader, form->base, kind);
}
