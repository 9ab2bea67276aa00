/* PLF: a line is read by a grammar of three levels of lists, one function each; states and arcs are made as they come. What
 * an arc may point to is bounded by the bytes of the line, so that an offset that is not believed takes no memory. O(line). */
#include <permfst/io/plf.h>

#include <permfst/base/digits.h>
#include <permfst/machine/build.h>

#include "io/io_impl.h"
#include "io/lattice_impl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plf_epsilon[] = "*EPS*";

/* ---- reading ---- */

typedef struct {
    const char *at;
    size_t n;
} plf_token;

typedef struct {
    const pf_reader *reader;
    const pf_lattice_options *options;
    const char *line, *at, *end;
    pfi_labeller labeller;
    pf_build build;
    PF_VEC(char) word;       /* without quotes and escapes */
    pf_state node;           /* the one whose arcs come */
    uint64_t furthest;       /* the node furthest on that an arc leads to, */
    const char *furthest_at; /* and where it says so */
    size_t scores;           /* of every arc */
    bool counted;
} plf_input;

static pf_err bad(const plf_input *in, const char *at, const char *words) {
    return pf_reader_fail_line(in->reader, "byte %td: %s", at - in->line + 1, words);
}

static pf_err expected(const plf_input *in, const char *at, const char *what) {
    char shown[60], words[240];
    size_t left = (size_t)(in->end - at);
    pfi_printable(at, left < 20 ? left : 20, shown, sizeof shown);
    if (!left) snprintf(words, sizeof words, "expected %s, found the end of the line", what);
    else snprintf(words, sizeof words, "expected %s, found '%s'", what, shown);
    return bad(in, at, words);
}

static void skip(plf_input *in) {
    while (in->at < in->end && strchr(" \t\r", *in->at)) in->at++;
}

static bool take(plf_input *in, char c) {
    skip(in);
    if (in->at == in->end || *in->at != c) return false;
    in->at++;
    return true;
}

/* ( item, item, ) with or without the last comma. */
static pf_err read_list(plf_input *in, const char *what, pf_err (*item)(plf_input *)) {
    if (!take(in, '(')) return expected(in, in->at, what);
    while (!take(in, ')')) {
        PF_TRY(item(in));
        if (take(in, ',')) continue;
        return take(in, ')') ? PF_OK : expected(in, in->at, "',' or ')'");
    }
    return PF_OK;
}

/* A word in quotes of either kind; a backslash takes what follows as it is. */
static pf_err read_word(plf_input *in) {
    skip(in);
    const char *begin = in->at;
    char quote = begin < in->end ? *begin : 0;
    if (quote != '\'' && quote != '"') return expected(in, begin, "a word in quotes");
    in->word.n = 0;
    PF_TRY(PF_ROOM(&in->word, (size_t)(in->end - begin) + 1));
    for (const char *at = begin + 1; at < in->end; at++) {
        if (*at == quote) {
            in->at = at + 1;
            return PF_OK;
        }
        if (*at == '\\' && ++at == in->end) break;
        in->word.at[in->word.n++] = *at;
    }
    in->at = in->end;
    return expected(in, begin, "a closing quote like the opening one");
}

static pf_err read_label(plf_input *in, pf_label *label) {
    skip(in);
    const char *begin = in->at;
    PF_TRY(read_word(in));
    *label = PF_EPSILON;
    if (!in->word.n || (in->word.n == strlen(plf_epsilon) && !memcmp(in->word.at, plf_epsilon, in->word.n))) return PF_OK;
    pf_err err = pfi_lattice_label(in->options, &in->labeller, in->word.at, in->word.n, label);
    return err == PF_EINPUT ? bad(in, begin, pf_message()) : err;
}

/* What stands between two commas. */
static plf_token read_token(plf_input *in) {
    skip(in);
    plf_token token = {in->at, 0};
    while (in->at < in->end && !strchr(" \t\r,()'\"", *in->at)) in->at++;
    token.n = (size_t)(in->at - token.at);
    return token;
}

/* name=value: its scale must be said. */
static pf_err add_feature(const plf_input *in, plf_token token, const char *equals, double *sum) {
    double value, scale = pfi_scale(in->options, token.at, (size_t)(equals - token.at), (double)NAN);
    char shown[60], words[240];
    if (scale != scale) {
        pfi_printable(token.at, (size_t)(equals - token.at), shown, sizeof shown);
        snprintf(words, sizeof words, "the feature '%s' has no scale (a scale of 0 leaves it out)", shown);
        return bad(in, token.at, words);
    }
    if (!pfi_score_parse(equals + 1, token.at + token.n, &value)) return expected(in, equals + 1, "a number");
    if (scale != 0) *sum += scale * value;
    return PF_OK;
}

static pf_err add_score(const plf_input *in, plf_token token, size_t i, double *sum) {
    static const char *const what[] = {"a probability, a number of at least 0", "a logarithm, a number", "a cost, a number"};
    char name[24];
    double value, scale = 1;
    if (!pfi_score_parse(token.at, token.at + token.n, &value) || (in->options->scores == PF_PLF_PROB && value < 0))
        return expected(in, token.at, what[in->options->scores]);
    if (in->options->scales) scale = pfi_scale(in->options, name, (size_t)snprintf(name, sizeof name, "%zu", i + 1), 1);
    if (scale == 0) return PF_OK;
    *sum += scale * (in->options->scores == PF_PLF_PROB ? log(value) : in->options->scores == PF_PLF_LOG ? value : -value);
    return PF_OK;
}

/* All arcs have as many scores as the first, and each scale that is a number finds its score. */
static pf_err check_count(plf_input *in, const char *at, size_t length) {
    char words[160];
    if (in->counted && length == in->scores) return PF_OK;
    if (in->counted) {
        snprintf(words, sizeof words, "expected %zu score%s, as on the first arc, found %zu", in->scores,
                 pf_plural(in->scores), length);
        return bad(in, at, words);
    }
    in->counted = true;
    in->scores = length;
    for (size_t i = 0; i < in->options->scales; i++) {
        const char *name = in->options->scale[i].name;
        if (name[strspn(name, "0123456789")] || strtoull(name, NULL, 10) <= length) continue;
        snprintf(words, sizeof words, "the scales name score %.20s, but there %s only %zu", name,
            length == 1 ? "is" : "are", length);
        return bad(in, at, words);
    }
    return PF_OK;
}

/* How many nodes further: 1 or more, and not further than there can be nodes. */
static pf_err read_offset(plf_input *in, plf_token token, pf_state *to) {
    uint64_t value, room = (uint64_t)(in->end - in->at);
    if (!pf_digits(token.at, token.n, &value))
        return expected(in, token.at, "the offset of the arc in nodes, a whole number");
    if (!value) return expected(in, token.at, "the offset of the arc in nodes, at least 1");
    if (value > room) return expected(in, token.at, "an offset to an existing node");
    *to = in->node + (pf_state)value;
    if (*to <= in->furthest) return PF_OK;
    in->furthest = *to;
    in->furthest_at = token.at;
    return PF_OK;
}

/* The numbers of an arc: scores, features, and then the offset. */
static pf_err read_numbers(plf_input *in, double *sum, pf_state *to) {
    size_t scores = 0;
    bool sparse = false;
    if (!take(in, ',')) return expected(in, in->at, "',' after the word");
    for (plf_token token = read_token(in);;) {
        if (!take(in, ',')) {
            PF_TRY(check_count(in, token.at, scores));
            return read_offset(in, token, to);
        }
        plf_token next = read_token(in);
        if (!next.n && in->at < in->end && *in->at == ')') { /* the comma was the last */
            PF_TRY(check_count(in, token.at, scores));
            return read_offset(in, token, to);
        }
        const char *equals = memchr(token.at, '=', token.n);
        if (sparse && !equals) return expected(in, token.at, "a feature, name=number");
        PF_TRY(equals ? add_feature(in, token, equals, sum) : add_score(in, token, scores++, sum));
        sparse |= equals != NULL;
        token = next;
    }
}

static pf_err read_arc(plf_input *in) {
    pf_label label;
    pf_state to;
    float weight;
    double sum = 0;
    if (!take(in, '(')) return expected(in, in->at, "an arc, ('word',score,offset)");
    const char *begin = in->at - 1;
    PF_TRY(read_label(in, &label));
    PF_TRY(read_numbers(in, &sum, &to));
    if (!take(in, ')')) return expected(in, in->at, "',' or ')'");
    if (label != PF_EPSILON && in->options->scales) sum += pfi_scale(in->options, "words", 5, 0);
    if (!pfi_score_weight(sum, &weight))
        return bad(in, begin, "the scores of this arc add up to a number that is not a weight");
    return pf_build_arc(&in->build, in->node, label, label, weight, to);
}

static pf_err read_node(plf_input *in) {
    skip(in);
    const char *begin = in->at;
    size_t arcs = in->build.arcs.n;
    PF_TRY(pf_build_state(&in->build, in->node));
    PF_TRY(read_list(in, "a node, the list of its arcs", read_arc));
    if (in->build.arcs.n == arcs) return bad(in, begin, "a node without arcs: no path leads on from it");
    in->node++;
    return PF_OK;
}

static pf_err read_lattice(plf_input *in) {
    char words[120];
    skip(in);
    if (in->at < in->end) {
        PF_TRY(read_list(in, "a lattice, the list of its nodes", read_node));
        skip(in);
        if (in->at < in->end) return expected(in, in->at, "the end of the line");
    }
    if (in->furthest <= in->node) return pf_build_final(&in->build, in->node, 0);
    snprintf(words, sizeof words, "this arc leads to node %llu, past the end, which is node %u", (unsigned long long)in->furthest,
             in->node);
    return bad(in, in->furthest_at, words);
}

pf_err pf_plf_line(const pf_reader *reader, const pf_lattice_options *options, const char *line, size_t length,
    pf_fst **out) {
    plf_input in = {.reader = reader, .options = options, .line = line, .at = line, .end = line + length};
    *out = NULL;
    const char *nul = memchr(line, 0, length);
    pf_err err = nul ? bad(&in, nul, "expected text, found a NUL byte") : pfi_labeller_begin(&options->labels, &in.labeller);
    if (!err) err = read_lattice(&in);
    if (!err) err = pf_build_finish(&in.build, options->type, 0, out);
    else pf_build_free(&in.build);
    if (!err && (err = pfi_labeller_end(&in.labeller, *out))) {
        pf_fst_free(*out);
        *out = NULL;
    }
    pfi_labeller_free(&in.labeller);
    PF_VEC_FREE(&in.word);
    return err;
}

/* ---- writing ---- */

/* A cost as the probability that reads back to it. A tiny one is 1, as near as numbers come. */
static pf_err put_probability(pf_writer *writer, float cost) {
    char text[40] = "0";
    double probability = exp(-(double)cost), back = (double)INFINITY;
    for (int digits = 6; cost != INFINITY && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, probability);
        back = 0 - log(strtod(text, NULL));
        if ((float)back == cost) break;
    }
    double off = back - (double)cost;
    if (cost != INFINITY && !(fabs(off) <= 1e-7 * fabs((double)cost) + 1e-15))
        return pf_fail(PF_EINPUT, "a cost of %.9g is too large for its probability to be written: write logarithms or costs",
                       (double)cost);
    return pf_writer_text(writer, "%s", text);
}

static pf_err put_score(pf_writer *writer, pf_plf_scores scores, float cost) {
    char text[PFI_WEIGHT_BYTES + 1];
    if (scores == PF_PLF_PROB) return put_probability(writer, cost);
    float value = scores == PF_PLF_LOG ? 0 - cost : cost;
    if (value == -INFINITY) return pf_writer_put(writer, "-Infinity", 9);
    return pf_writer_put(writer, text, pfi_weight_text(value, text));
}

static pf_err put_word(pf_writer *writer, const pfi_lattice *lattice, pf_label label) {
    char number[PFI_NUMBER];
    const char *word;
    size_t n;
    PF_TRY(pfi_lattice_word(lattice, label, number, &word, &n));
    if (memchr(word, '\n', n)) return pf_fail(PF_EINPUT, "the symbol of label %d contains a line end", label);
    PF_TRY(pf_writer_put(writer, "'", 1));
    for (size_t i = 0; i < n; i++) {
        if (word[i] == '\'' || word[i] == '\\') PF_TRY(pf_writer_put(writer, "\\", 1));
        PF_TRY(pf_writer_put(writer, &word[i], 1));
    }
    return pf_writer_put(writer, "'", 1);
}

static pf_err put_node(pf_writer *writer, const pfi_lattice *lattice, uint32_t node, pf_plf_scores scores) {
    pfi_node_link link;
    PF_TRY(pf_writer_put(writer, "(", 1));
    for (uint32_t k = 0; pfi_lattice_link(lattice, node, &k, &link);) {
        PF_TRY(pf_writer_put(writer, "(", 1));
        PF_TRY(put_word(writer, lattice, link.label));
        PF_TRY(pf_writer_put(writer, ",", 1));
        PF_TRY(put_score(writer, scores, link.weight));
        assert(link.to > node);
        PF_TRY(pf_writer_text(writer, ",%u),", link.to - node));
    }
    return pf_writer_put(writer, "),", 2);
}

pf_err pf_plf_write(pf_writer *writer, pf_fst *fst, pf_plf_scores scores, bool numeric) {
    pfi_lattice lattice;
    PF_TRY(pfi_lattice_of(fst, numeric, plf_epsilon, &lattice));
    size_t nodes = lattice.state.n - !lattice.joined; /* the end is not written */
    pf_err err = pf_writer_put(writer, "(", 1);
    for (uint32_t i = 0; !err && i < nodes; i++) err = put_node(writer, &lattice, i, scores);
    if (!err) err = pf_writer_put(writer, ")\n", 2);
    pfi_lattice_free(&lattice);
    return err;
}
