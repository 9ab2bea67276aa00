/* Writing SLF: what pfi_lattice_of has made of a machine, a line a node and a line a link, quoted as HTK does it. O(arcs). */
#include "io/io_impl.h"
#include "io/lattice_impl.h"
#include <permfst/io/slf.h>

#include <assert.h>
#include <string.h>

static bool is_plain(const char *text, size_t length) {
    bool good = length > 0;
    for (size_t i = 0; i < length; i++) good &= (unsigned char)text[i] > ' ' && text[i] != 0x7f;
    return good;
}

/* A backslash before a quote at the begin and before a backslash; three octal digits for space and what does not print. */
static pf_err put_quoted(pf_writer *writer, const char *text, size_t length) {
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        bool plain = is_plain(&text[i], 1);
        if (plain && text[i] != '\\' && (i || (*text != '"' && *text != '\''))) continue;
        PF_TRY(pf_writer_put(writer, text + from, i - from));
        PF_TRY(pf_writer_text(writer, plain ? "\\%c" : "\\%03o", (unsigned char)text[i]));
        from = i + 1;
    }
    return pf_writer_put(writer, text + from, length - from);
}

static pf_err put_value(pf_writer *writer, const char *text, size_t length, bool plain) {
    char shown[80];
    if (!plain) return put_quoted(writer, text, length);
    if (is_plain(text, length)) return pf_writer_put(writer, text, length);
    return pf_fail(PF_EINPUT, "'%s' has white space or control characters: it cannot be written without quotes",
                   pfi_printable(text, length, shown, sizeof shown));
}

static pf_err put_link(pf_writer *writer, const pfi_lattice *lattice, uint32_t node, const pfi_node_link *link, uint64_t number,
                       bool plain) {
    char digits[PFI_NUMBER], score[PFI_WEIGHT_BYTES];
    const char *word;
    size_t n;
    assert(link->to > node);
    PF_TRY(pfi_lattice_word(lattice, link->label, digits, &word, &n));
    PF_TRY(pf_writer_text(writer, "J=%llu\tS=%u\tE=%u\tW=", (unsigned long long)number, node, link->to));
    PF_TRY(put_value(writer, word, n, plain));
    if (link->weight == INFINITY) return pf_writer_text(writer, "\ta=-Infinity\n");
    pfi_weight_text(0 - link->weight, score);
    return pf_writer_text(writer, "\ta=%s\n", score);
}

static pf_err put_lattice(pf_writer *writer, const pfi_lattice *lattice, const char *utterance, bool plain) {
    uint32_t nodes = (uint32_t)lattice->state.n + lattice->joined;
    uint64_t number = 0;
    PF_TRY(pf_writer_text(writer, "VERSION=1.0\nUTTERANCE="));
    PF_TRY(put_value(writer, utterance, strlen(utterance), plain));
    PF_TRY(pf_writer_text(writer, "\nstart=0\nend=%u\nN=%u\tL=%llu\n", nodes - 1, nodes, (unsigned long long)lattice->links));
    for (uint32_t i = 0; i < nodes; i++) PF_TRY(pf_writer_text(writer, "I=%u\n", i));
    for (uint32_t i = 0; i < lattice->state.n; i++) {
        pfi_node_link link;
        for (uint32_t k = 0; pfi_lattice_link(lattice, i, &k, &link);) PF_TRY(put_link(writer, lattice, i, &link, number++, plain));
    }
    assert(number == lattice->links);
    return PF_OK;
}

pf_err pf_slf_write(pf_writer *writer, pf_fst *fst, const char *utterance, bool plain, bool numeric) {
    pfi_lattice lattice;
    PF_TRY(pfi_lattice_of(fst, numeric, "!NULL", &lattice));
    pf_err err = put_lattice(writer, &lattice, utterance, plain);
    pfi_lattice_free(&lattice);
    return err;
}
