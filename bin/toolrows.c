#include "toolrows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const toolrows_formats[] = {"table", "tsv", "json", NULL};

static bool is(const toolrows *t, const char *format) { return strcmp(toolrows_formats[t->format], format) == 0; }

/* ---- cells: a table pads them, TSV parts them ---- */

enum { METRIC = 6, NUMBER = 9 };

static pf_err text(const toolrows *t, const char *words, size_t width, bool first) {
    size_t n = strlen(words);
    if (is(t, "table")) return pf_writer_text(t->w, "%s%s%*s", first ? "" : "  ", words, (int)(n < width ? width - n : 0), "");
    if (!first) PF_TRY(pf_writer_text(t->w, "\t"));
    for (; *words; words++) PF_TRY(pf_writer_put(t->w, *words == '\t' || *words == '\n' ? " " : words, 1));
    return PF_OK;
}

static pf_err cell(const toolrows *t, const char *words) {
    return pf_writer_text(t->w, is(t, "table") ? "  %*s" : "\t%.*s", is(t, "table") ? NUMBER : 99, words);
}

static pf_err number(const toolrows *t, double x, unsigned digits) {
    char words[400] = "-";
    if (!isnan(x)) snprintf(words, sizeof words, "%.*f", (int)digits, x);
    return cell(t, words);
}

/* ---- JSON ---- */

/* Bytes of the character of UTF-8 there, 0 where there is none. */
static size_t character(const unsigned char *at) {
    size_t n = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return n;
}

/* A file name may be no UTF-8, JSON must be. */
static pf_err string(pf_writer *w, const char *key, const char *words) {
    PF_TRY(pf_writer_text(w, "\"%s\": \"", key));
    for (const unsigned char *at = (const unsigned char *)words; *at;) {
        size_t n = character(at);
        if (!n) PF_TRY(pf_writer_text(w, "\\ufffd"));
        else if (*at < ' ' || *at == '"' || *at == '\\') PF_TRY(pf_writer_text(w, "\\u%04x", *at));
        else PF_TRY(pf_writer_put(w, at, n));
        at += n ? n : 1;
    }
    return pf_writer_text(w, "\"");
}

static pf_err member(const toolrows *t, const char *key, double x, unsigned digits) {
    return isnan(x) ? PF_OK : pf_writer_text(t->w, ", \"%s\": %.*f", key, (int)digits, x);
}

static pf_err object(const toolrows *t, const toolrows_row *row) {
    PF_TRY(pf_writer_text(t->w, "{"));
    if (row->sentence) PF_TRY(pf_writer_text(t->w, "\"sentence\": %llu, ", (unsigned long long)row->sentence));
    PF_TRY(string(t->w, "system", row->system));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(string(t->w, "metric", row->metric));
    PF_TRY(member(t, "score", row->score, t->digits));
    PF_TRY(member(t, "mean", row->mean, t->digits));
    PF_TRY(member(t, "low", row->low, t->digits));
    PF_TRY(member(t, "high", row->high, t->digits));
    PF_TRY(member(t, "p", row->p, 4));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(string(t->w, "details", row->details));
    PF_TRY(pf_writer_text(t->w, ", "));
    PF_TRY(string(t->w, "signature", row->signature));
    return pf_writer_text(t->w, "}\n");
}

/* ---- rows ---- */

pf_err toolrows_begin(const toolrows *t) {
    if (is(t, "json")) return PF_OK;
    if (t->sentences) PF_TRY(text(t, "sentence", 8, true));
    PF_TRY(text(t, "system", t->width, !t->sentences));
    PF_TRY(text(t, "metric", METRIC, false));
    PF_TRY(cell(t, "score"));
    if (t->intervals) PF_TRY(cell(t, "mean"));
    if (t->intervals) PF_TRY(cell(t, "low"));
    if (t->intervals) PF_TRY(cell(t, "high"));
    if (t->paired) PF_TRY(cell(t, "p"));
    PF_TRY(text(t, "details", 0, false));
    if (is(t, "tsv")) PF_TRY(text(t, "signature", 0, false));
    return pf_writer_text(t->w, "\n");
}

pf_err toolrows_put(const toolrows *t, const toolrows_row *row) {
    char sentence[24];
    if (is(t, "json")) return object(t, row);
    snprintf(sentence, sizeof sentence, "%llu", (unsigned long long)row->sentence);
    if (t->sentences) PF_TRY(text(t, sentence, 8, true));
    PF_TRY(text(t, row->system, t->width, !t->sentences));
    PF_TRY(text(t, row->metric, METRIC, false));
    PF_TRY(number(t, row->score, t->digits));
    if (t->intervals) PF_TRY(number(t, row->mean, t->digits));
    if (t->intervals) PF_TRY(number(t, row->low, t->digits));
    if (t->intervals) PF_TRY(number(t, row->high, t->digits));
    if (t->paired) PF_TRY(number(t, row->p, 4));
    PF_TRY(text(t, row->details, 0, false));
    if (is(t, "tsv")) PF_TRY(text(t, row->signature, 0, false));
    return pf_writer_text(t->w, "\n");
}

pf_err toolrows_signature(const toolrows *t, const char *metric, const char *signature, bool first) {
    return is(t, "table") ? pf_writer_text(t->w, "%s%s|%s\n", first ? "\n" : "", metric, signature) : PF_OK;
}
