/* Pictures: what moved in an order, against all subsets of its words; levels and coverages of machines, against the automaton; text
 * that is no UTF-8; the languages of dot and SVG. tests/cli/draw.test has whole pictures. */
#include "check.h"

#include <permfst/align/draw.h>
#include <permfst/chart/tree.h>
#include <permfst/draw/automaton.h>
#include <permfst/draw/order.h>
#include <permfst/draw/plot.h>
#include <permfst/draw/profile.h>
#include <permfst/draw/svg.h>
#include <permfst/machine/build.h>
#include <permfst/permute/perm.h>
#include <permfst/search/best.h>

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static pf_writer *writer(void) {
    pf_writer *out;
    SUCCEED(pf_writer_memory(&out));
    return out;
}

/* Borrowed until something is written. */
static const char *text_of(pf_writer *out) {
    size_t n;
    SUCCEED(pf_writer_put(out, "", 1));
    return (const char *)pf_writer_bytes(out, &n);
}

static void expect_text(pf_writer *out, const char *want) {
    const char *text = text_of(out);
    CHECK(!strcmp(text, want), "expected:\n%s\nfound:\n%s", want, text);
    pf_writer_clear(out);
}

static unsigned count(const char *text, const char *part) {
    unsigned length = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) length++;
    return length;
}

/* ---- Text. */

static void text_is_escaped(void **state PF_UNUSED) {
    static const char *const as[][2] = {
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'"},
            {"h\xc3\xbc\xe6\x97\xa5\xf0\x9f\x99\x82", "h\xc3\xbc\xe6\x97\xa5\xf0\x9f\x99\x82"},
        {"\xff", "\xef\xbf\xbd"}, {"a\xc3", "a\xef\xbf\xbd"}, {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
            {"\x01\t\n", "\xef\xbf\xbd\t\n"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, {"\xef\xbf\xbe", "\xef\xbf\xbd"}, {"\x80z", "\xef\xbf\xbdz"},
        {"\xe2\x80\xae" "abc", "\xef\xbf\xbd" "abc"}, {"\xe2\x81\xa9", "\xef\xbf\xbd"}, {"\xe2\x80\x8f", "\xe2\x80\x8f"},
        {"\xf8\x88\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, {"\xe6\x97z", "\xef\xbf\xbd\xef\xbf\xbdz"},
    };
    pf_writer *out = writer();
    for (size_t at = 0; at < LENGTH(as); at++) {
        SUCCEED(pf_svg_escape(out, as[at][0], strlen(as[at][0])));
        expect_text(out, as[at][1]);
    }
    pf_writer_free(out);
}

static void text_has_a_width(void **state PF_UNUSED) {
    static const struct {
        const char *text;
        unsigned columns;
    } as[] = {{"", 0}, {"car", 3}, {"\xc3\xbc", 1}, {"\xe6\x97\xa5\xe6\x9c\xac", 4}, {"u\xcc\x88", 1}, {"\xff\xff", 2},
              {"\xd7\xa9\xd7\x81", 1}};
    for (size_t at = 0; at < LENGTH(as); at++) {
        assert_int_equal(pf_text_columns(as[at].text, strlen(as[at].text)), as[at].columns);
        assert_true((pf_text_width(as[at].text, strlen(as[at].text), 100) > 0) == (as[at].columns > 0));
    }
    assert_true(pf_text_width("iiii", 4, 100) < pf_text_width("mmmm", 4, 100));
    assert_int_equal(pf_text_width("0", 1, 100), 64);
    assert_true(pf_text_width("\xe2\x80\xae", 3, 100) >= 100 && pf_text_width("\x01", 1, 100) >= 100); /* replaced */
    assert_int_equal(pf_text_width("00", 2, 10), 13); /* rounded up */
}

/* The columns of the C library are a peer, for characters that all versions of Unicode from 3 on have. */
static void columns_are_those_of_the_library(void **state PF_UNUSED) {
    static const unsigned ranges[][2] = {
        {0x20, 0x7e},     {0xa0, 0xac},     {0xae, 0x21f},    {0x300, 0x34e},   {0x400, 0x481},     {0x5b0, 0x5b9},
        {0x5d0, 0x5ea},   {0x621, 0x655},   {0x905, 0x939},   {0x93c, 0x94d},   {0xe01, 0xe3a},     {0xe40, 0xe5b},
        {0x1100, 0x1112}, {0x1161, 0x1175}, {0x11a8, 0x11c2}, {0x200b, 0x200f}, {0x2010, 0x2027},   {0x20d0, 0x20e3},
        {0x2190, 0x21ea}, {0x2500, 0x25f7}, {0x3041, 0x3094}, {0x30a1, 0x30fa}, {0x4e00, 0x9fa5},   {0xac00, 0xd7a3},
        {0xf900, 0xfa2d}, {0xfe00, 0xfe0f}, {0xff01, 0xff5e}, {0xff61, 0xff9f}, {0x1f601, 0x1f610}, {0x20000, 0x2a6d6},
    };
    char before[100];
    snprintf(before, sizeof before, "%s", setlocale(LC_CTYPE, NULL));
    if (!setlocale(LC_CTYPE, "C.UTF-8")) skip();
    for (size_t i = 0; i < LENGTH(ranges); i++)
        for (unsigned code = ranges[i][0]; code <= ranges[i][1]; code++) {
            char bytes[MB_LEN_MAX + 1];
            int n = wctomb(bytes, (wchar_t)code);
            CHECK(n > 0 && (int)pf_text_columns(bytes, (size_t)n) == wcwidth((wchar_t)code), "U+%04X", code);
            assert_int_equal(pf_text_width(bytes, (size_t)n, 100) > 0, wcwidth((wchar_t)code) > 0);
        }
    setlocale(LC_CTYPE, before);
}

/* Light of a colour such as "#d55e00", as WCAG 2.1 defines it. */
static double luminance(const char *colour) {
    static const double share[] = {0.2126, 0.7152, 0.0722};
    unsigned part[3];
    double sum = 0;
    assert_int_equal(sscanf(colour, "#%2x%2x%2x", &part[0], &part[1], &part[2]), 3);
    for (int i = 0; i < 3; i++) {
        double value = part[i] / 255.0;
        sum += share[i] * (value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void text_is_dark_enough(void **state PF_UNUSED) {
    for (size_t at = 0; at < 6; at++) {
        assert_true(1.05 / (luminance(pf_svg_ink(at)) + 0.05) >= 5);
        for (size_t k = 0; k < at; k++) assert_string_not_equal(pf_svg_ink(at), pf_svg_ink(k));
    }
    assert_string_equal(pf_svg_ink(6), pf_svg_ink(0));
}

/* ---- What moved. */

enum { MOST = 7 };

static bool ascends(const unsigned *perm, unsigned n, unsigned subset) {
    unsigned last = 0;
    for (unsigned at = 0; at < n; at++) {
        if (!(subset >> at & 1)) continue;
        if (perm[at] + 1 <= last) return false;
        last = perm[at] + 1;
    }
    return true;
}

static void check_moved(const unsigned *perm, unsigned length) {
    unsigned longest = 0, rest = 0;
    bool moved[MOST];
    for (unsigned subset = 0; subset < 1u << length; subset++) {
        unsigned size = (unsigned)__builtin_popcount(subset);
        if (size > longest && ascends(perm, length, subset)) longest = size;
    }
    SUCCEED(pf_order_moved(perm, length, moved));
    for (unsigned i = 0; i < length; i++) rest |= (unsigned)!moved[i] << i;
    assert_int_equal(__builtin_popcount(rest), longest);
    assert_true(ascends(perm, length, rest));
}

static void for_all_orders(unsigned *perm, unsigned length, unsigned step, void (*check)(const unsigned *perm, unsigned n)) {
    if (step == length) {
        check(perm, length);
        return;
    }
    for (unsigned at = step; at < length; at++) {
        unsigned had = perm[step];
        perm[step] = perm[at];
        perm[at] = had;
        for_all_orders(perm, length, step + 1, check);
        perm[at] = perm[step];
        perm[step] = had;
    }
}

static void as_few_words_move_as_can_be(void **state PF_UNUSED) {
    unsigned perm[MOST];
    for (unsigned length = 0; length <= MOST; length++) {
        for (unsigned i = 0; i < length; i++) perm[i] = i;
        for_all_orders(perm, length, 0, check_moved);
    }
}

/* An answer of one path, which visits position perm[t] and puts out its letter. */
static void answer_of(const unsigned *perm, unsigned length, pf_answer *out) {
    pf_arc arc[MOST];
    *out = (pf_answer){0};
    SUCCEED(pf_symtab_new("words", &out->osyms));
    for (unsigned i = 0; i < length; i++) {
        char word = (char)('a' + i);
        pf_label label;
        SUCCEED(pf_symtab_add(out->osyms, &word, 1, &label));
    }
    for (unsigned t = 0; t < length; t++) arc[t] = (pf_arc){(pf_label)perm[t] + 1, (pf_label)perm[t] + 1, 1, 0};
    SUCCEED(pf_answer_add(out, arc, length, 0));
}

/* The order is read back from the words, and the moves are what the brackets say: "[b c] a  2-3->1-2" has the block b c, which came
 * from 2 to 3 and went to 1 to 2. */
static void check_diff(const unsigned *perm, unsigned length) {
    pf_answer answer;
    pf_writer *out = writer();
    char moves[400] = "";
    unsigned step = 0, first = 0, used = 0;
    answer_of(perm, length, &answer);
    SUCCEED(pf_draw_diff(out, &answer, 0, false, false));
    const char *text = text_of(out), *end = strstr(text, "  ");
    CHECK(end || !length, "%s", text);
    for (const char *at = text; length && at < end; at++) {
        if (*at == '[') first = step;
        if (*at >= 'a') CHECK((unsigned)(*at - 'a') == perm[step++], "%s", text);
        if (*at != ']') continue;
        for (unsigned i = first; i + 1 < step; i++) assert_int_equal(perm[i + 1], perm[i] + 1);
        const char *comma = used ? ", " : "";
        used += (unsigned)(step - first > 1 ? snprintf(moves + used, sizeof moves - used, "%s%u-%u->%u-%u", comma, perm[first] + 1,
                                                       perm[step - 1] + 1, first + 1, step)
                                            : snprintf(moves + used, sizeof moves - used, "%s%u->%u", comma, perm[first] + 1,
                                                       first + 1));
    }
    assert_int_equal(step, length);
    if (length) assert_string_equal(end + 2, used ? moves : "unchanged");
    pf_answer_free(&answer);
    pf_writer_free(out);
}

static void differences_tell_the_order(void **state PF_UNUSED) {
    unsigned perm[MOST];
    for (unsigned length = 0; length <= 6; length++) {
        for (unsigned i = 0; i < length; i++) perm[i] = i;
        for_all_orders(perm, length, 0, check_diff);
    }
}

static void differences_have_colours_and_escapes(void **state PF_UNUSED) {
    pf_arc arc[] = {{PF_EPSILON, 3, 0, 0}, {2, 1, 0, 0}, {PF_EPSILON, 2, 0, 0}, {1, PF_EPSILON, 0, 0},
                    {PF_EPSILON, PF_EPSILON, 0, 0}};
    pf_answer answer = {0};
    pf_writer *out = writer();
    SUCCEED(pf_symtab_new("words", &answer.osyms));
    SUCCEED(pf_symtab_put(answer.osyms, "[x]", 3, 1));
    SUCCEED(pf_symtab_put(answer.osyms, "\\", 1, 2));
    SUCCEED(pf_answer_add(&answer, arc, LENGTH(arc), 0));
    SUCCEED(pf_draw_diff(out, &answer, 0, false, true));
    expect_text(out, "\033[1;34m[3 \\[x\\] \\\\]\033[0m  2->1"); /* label 3 has no word; position 1 has no output */
    SUCCEED(pf_draw_diff(out, &answer, 0, true, false));
    expect_text(out, "[3 1 2]  2->1");
    pf_writer_free(out);
    pf_answer_free(&answer);
}

static void other_paths_have_no_order(void **state PF_UNUSED) {
    static const pf_label labels[][2] = {{1, 1}, {1, 3}, {2, 3}, {-1, 1}};
    pf_writer *out = writer();
    for (size_t i = 0; i < LENGTH(labels); i++) {
        pf_arc arc[] = {{labels[i][0], 1, 0, 0}, {labels[i][1], 1, 0, 0}};
        pf_answer answer = {0};
        SUCCEED(pf_answer_add(&answer, arc, LENGTH(arc), 0));
        assert_int_equal(pf_draw_diff(out, &answer, 0, false, false), PF_EINPUT);
        assert_int_equal(pf_draw_order(out, &answer, 0, false), PF_EINPUT);
        assert_int_equal(pf_draw_itg_tree(out, &answer, 0, false, false), PF_EINPUT);
        assert_non_null(strstr(pf_message(), "positions 1 to 2"));
        pf_answer_free(&answer);
    }
    pf_writer_free(out);
}

/* ---- Machines. */

/* a "\\" /0.5 then 7, which the table lacks; end at a cost of 2. */
static pf_fst *two_arcs(void) {
    pf_build build = {0};
    pf_symtab *table;
    pf_fst *fst;
    SUCCEED(pf_symtab_new("words", &table));
    SUCCEED(pf_symtab_put(table, "a\"\\", 3, 1));
    SUCCEED(pf_build_arc(&build, 0, 1, 1, 0.5f, 1));
    SUCCEED(pf_build_arc(&build, 1, 7, 1, 0, 2));
    SUCCEED(pf_build_final(&build, 2, 2));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, table, table);
    pf_symtab_free(table);
    return fst;
}

static void dot_has_labels_and_costs(void **state PF_UNUSED) {
    static const char head[] = "digraph record4 {\n  rankdir=LR;\n  node [shape=circle];\n";
    char want[400];
    pf_fst *fst = two_arcs();
    pf_writer *out = writer();
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 4}));
    snprintf(want, sizeof want, "%s%s", head,
             "  0 [style=bold];\n  0 -> 1 [label=\"a\\\"\\\\:a\\\"\\\\/0.5\"];\n  1 [style=solid];\n"
             "  1 -> 2 [label=\"7:a\\\"\\\\\"];\n  2 [style=solid, shape=doublecircle, label=\"2/2\"];\n}\n");
    expect_text(out, want);
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 4, .numeric = true, .acceptor = true}));
    snprintf(want, sizeof want, "%s%s", head,
             "  0 [style=bold];\n  0 -> 1 [label=\"1/0.5\"];\n  1 [style=solid];\n  1 -> 2 [label=\"7\"];\n"
             "  2 [style=solid, shape=doublecircle, label=\"2/2\"];\n}\n");
    expect_text(out, want);
    pf_writer_free(out);
    pf_fst_free(fst);
}

/* A cycle leads back, so that levels have an end; a loop does, too; what the start does not reach is drawn. */
static void cycles_are_drawn(void **state PF_UNUSED) {
    static const struct {
        pf_state from, to;
    } arcs[] = {{0, 1}, {1, 2}, {2, 0}, {2, 2}, {1, 3}, {0, 3}, {4, 1}, {2, 1}};
    pf_build build = {0};
    pf_fst *fst;
    pf_writer *out = writer();
    for (size_t i = 0; i < LENGTH(arcs); i++) SUCCEED(pf_build_arc(&build, arcs[i].from, 1, 1, 0, arcs[i].to));
    SUCCEED(pf_build_final(&build, 3, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1}));
    const char *text = text_of(out);
    assert_int_equal(count(text, "->"), LENGTH(arcs));
    assert_int_equal(count(text, "constraint=false"), 3);
    assert_non_null(strstr(text, "{rank=same; 0; 4;}\n  {rank=same; 2; 3;}"));
    pf_writer_clear(out);
    SUCCEED(pf_draw_automaton(out, fst, &(pf_draw_options){.record = 1}));
    text = text_of(out);
    assert_int_equal(count(text, "marker-end"), LENGTH(arcs));
    assert_int_equal(count(text, "class=\"n\""), 5);
    assert_int_equal(count(text, "stroke-dasharray"), 3);
    pf_writer_free(out);
    pf_fst_free(fst);
}

static void an_empty_machine_is_drawn(void **state PF_UNUSED) {
    pf_fst *fst;
    pf_writer *out = writer();
    SUCCEED(pf_build_finish(&(pf_build){0}, PF_STANDARD, 0, &fst));
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1}));
    SUCCEED(pf_draw_automaton(out, fst, &(pf_draw_options){.record = 1}));
    assert_non_null(strstr(text_of(out), "0 states and 0 arcs"));
    pf_writer_free(out);
    pf_fst_free(fst);
}

static pf_fst *linear_of(unsigned length) {
    pf_build build = {0};
    pf_fst *fst;
    for (pf_state state = 0; state < length; state++)
        SUCCEED(pf_build_arc(&build, state, (pf_label)state + 1, (pf_label)state + 1, 0, state + 1));
    SUCCEED(pf_build_final(&build, length, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    return fst;
}

/* Every permutation automaton has coverages: each state of dot is named by the circles of the positions on any path to it. */
static void permutation_automata_have_coverages(void **state PF_UNUSED) {
    static const char *const cons[] = {"none", "ibm:2", "itg", "local:3", "mj:2", "inverse-ibm:2"};
    for (size_t at = 0; at < LENGTH(cons); at++) {
        pf_fst *linear = linear_of(5), *perm;
        pf_writer *out = writer();
        SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = &cons[at], .n_con = 1}, &perm));
        SUCCEED(pf_draw_dot(out, perm, &(pf_draw_options){.record = 1}));
        const char *text = text_of(out);
        unsigned covered = 0;
        for (pf_state from = 0; from < pf_fst_states(perm); from++) {
            char name[160], found[80] = "";
            pf_slots_view view;
            uint64_t cover = 0;
            perm->op->slots(perm->self, &view);
            perm->op->cover(perm->self, from, &cover);
            for (unsigned j = 0; j < 5; j++) strcat(found, cover >> j & 1 ? "\xe2\x97\x8f" : "\xc2\xb7");
            snprintf(name, sizeof name, "\n  %u [style=%s%s, label=\"%s\"]", from, from == perm->start ? "bold" : "solid",
                     cover == 31 ? ", peripheries=2" : "", found);
            CHECK(strstr(text, name), "%s: %s in %s", cons[at], name, text);
            covered += pf_bits_count(cover);
        }
        assert_int_equal(count(text, "\xe2\x97\x8f"), covered);
        pf_writer_free(out);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
}

/* What a short name says was visited: a number, then signs, each once or with a number after a multiplication sign. */
static void read_short_name(const char *at, bool *visited, unsigned n) {
    unsigned j = 0;
    char *after;
    for (unsigned long prefix = strtoul(at, &after, 10); prefix; prefix--) visited[j++] = true;
    for (at = *after == ' ' ? after + 1 : after; *at;) {
        bool circle = !strncmp(at, "\xe2\x97\x8f", 3);
        unsigned long times = 1;
        assert_true(circle || !strncmp(at, "\xc2\xb7", 2));
        at += circle ? 3 : 2;
        if (!strncmp(at, "\xc3\x97", 2)) {
            times = strtoul(at + 2, &after, 10);
            at = after;
            assert_true(times > 4);
        }
        for (; times; times--) {
            assert_true(j < n);
            visited[j++] = circle;
        }
    }
}

/* Names of long sentences are short and say the same: along random orders, of which each state has a coverage of its own. */
static void coverages_of_long_sentences_are_short(void **state PF_UNUSED) {
    enum { LONGEST = 130, NAME = 900 };
    uint64_t random = 16;
    for (unsigned n = 17; n <= LONGEST; n += 7) {
        unsigned order[LONGEST];
        bool visited[LONGEST] = {false}, found[LONGEST];
        pf_build build = {0};
        pf_fst *fst;
        pf_writer *out = writer();
        for (unsigned j = 0; j < n; j++) order[j] = j;
        for (unsigned position = 0; position < n; position++) { /* words move by up to a third of the sentence */
            random = random * 6364136223846793005u + 1442695040888963407u;
            unsigned k = position + (unsigned)((random >> 33) % (n / 3)), moved = order[position];
            if (k >= n) k = n - 1;
            order[position] = order[k];
            order[k] = moved;
        }
        for (pf_state s = 0; s < n; s++) SUCCEED(pf_build_arc(&build, s, (pf_label)order[s] + 1, 1, 0, s + 1));
        SUCCEED(pf_build_final(&build, n, 0));
        SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
        SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1}));
        const char *text = text_of(out);
        for (pf_state from = 0; from <= n; from++) {
            char line[60], name[NAME];
            snprintf(line, sizeof line, "\n  %u [style=%s%s, label=\"", from, from ? "solid" : "bold",
                     from == n ? ", peripheries=2" : "");
            const char *at = strstr(text, line);
            assert_non_null(at);
            at += strlen(line);
            size_t length = strcspn(at, "\"");
            assert_true(length < NAME);
            memcpy(name, at, length);
            name[length] = 0;
            memset(found, 0, sizeof found);
            read_short_name(name, found, n);
            CHECK(!memcmp(found, visited, sizeof found), "%u words, state %u: %s", n, from, name);
            if (from < n) visited[order[from]] = true;
        }
        pf_writer_free(out);
        pf_fst_free(fst);
    }
}

/* Labels that are no positions, or that two paths to a state have not in common, are no coverages. */
static void other_machines_have_numbers(void **state PF_UNUSED) {
    static const struct {
        pf_state from;
        pf_label in;
        pf_state to;
    } as[][4] = {{{0, 1, 1}, {0, 2, 1}, {1, 3, 2}, {1, 3, 2}}, {{0, 1, 1}, {1, 1, 2}, {1, 2, 2}, {0, 2, 1}},
                 {{0, 1, 1}, {1, 3, 2}, {1, 3, 2}, {1, 3, 2}}, {{0, 1, 2}, {0, 2, 1}, {1, 1, 2}, {1, 1, 2}}};
    for (size_t at = 0; at < LENGTH(as); at++) {
        pf_build build = {0};
        pf_fst *fst;
        pf_writer *out = writer();
        for (size_t k = 0; k < LENGTH(as[at]); k++) SUCCEED(pf_build_arc(&build, as[at][k].from, as[at][k].in, 1, 0, as[at][k].to));
        SUCCEED(pf_build_final(&build, 2, 0));
        SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
        SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1}));
        const char *text = text_of(out);
        CHECK(!strstr(text, "\xe2\x97\x8f"), "%zu: %s", at, text);
        pf_writer_free(out);
        pf_fst_free(fst);
    }
}

/* Of two paths with the same labels the one that is best is bold; grey is what no kept path has. */
static void the_best_path_is_bold(void **state PF_UNUSED) {
    pf_build build = {0};
    pf_fst *fst, *kept;
    pf_answer best = {0};
    pf_arc path[] = {{1, 1, 0.25f, 0}, {2, 2, 0, 0}};
    pf_writer *out = writer();
    SUCCEED(pf_build_arc(&build, 0, 1, 1, 0.5f, 1));
    SUCCEED(pf_build_arc(&build, 0, 1, 1, 0.25f, 2));
    SUCCEED(pf_build_arc(&build, 1, 2, 2, 0, 3));
    SUCCEED(pf_build_arc(&build, 2, 2, 2, 0, 3));
    SUCCEED(pf_build_arc(&build, 0, 2, 2, 0, 4));
    SUCCEED(pf_build_arc(&build, 4, 1, 1, 0, 3));
    SUCCEED(pf_build_final(&build, 3, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    SUCCEED(pf_answer_add(&best, path, LENGTH(path), 0));
    SUCCEED(pf_answer_fst(&best, &kept));
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1, .best = &best, .kept = kept}));
    expect_text(out, "digraph record1 {\n  rankdir=LR;\n  node [shape=box];\n"
                     "  0 [style=bold, label=\"\xc2\xb7\xc2\xb7\"];\n"
                     "  0 -> 1 [label=\"1:1/0.5\", color=gray70, fontcolor=gray50];\n"
                     "  0 -> 2 [label=\"1:1/0.25\", style=bold];\n"
                     "  0 -> 4 [label=\"2:2\", color=gray70, fontcolor=gray50];\n"
                     "  1 [style=solid, label=\"\xe2\x97\x8f\xc2\xb7\", color=gray70, fontcolor=gray50];\n"
                     "  1 -> 3 [label=\"2:2\", color=gray70, fontcolor=gray50];\n"
                     "  2 [style=solid, label=\"\xe2\x97\x8f\xc2\xb7\"];\n  2 -> 3 [label=\"2:2\", style=bold];\n"
                     "  3 [style=solid, peripheries=2, label=\"\xe2\x97\x8f\xe2\x97\x8f\"];\n"
                     "  4 [style=solid, label=\"\xc2\xb7\xe2\x97\x8f\", color=gray70, fontcolor=gray50];\n"
                     "  4 -> 3 [label=\"1:1\", color=gray70, fontcolor=gray50];\n  {rank=same; 1; 2; 4;}\n}\n");
    /* Costs that differ by rounding: labels decide. */
    best.paths.at[0].arc[0].w = 0.2500001f;
    SUCCEED(pf_draw_dot(out, fst, &(pf_draw_options){.record = 1, .best = &best}));
    assert_int_equal(count(text_of(out), "label=\"1:1/0.25\", style=bold"), 1);
    pf_writer_free(out);
    pf_answer_free(&best);
    pf_fst_free(kept);
    pf_fst_free(fst);
}

/* ---- Long sentences. */

static int number_after(const char *text, const char *before) {
    const char *at = strstr(text, before);
    CHECK(at, "%s in %.300s", before, text);
    return atoi(at + strlen(before));
}

/* An answer of n words of 12 letters. */
static void long_answer(unsigned length, const unsigned *perm, pf_answer *out) {
    pf_arc *arc = calloc(length, sizeof *arc);
    assert_non_null(arc);
    *out = (pf_answer){0};
    SUCCEED(pf_symtab_new("words", &out->osyms));
    for (unsigned i = 0; i < length; i++) {
        char word[32];
        pf_label label;
        snprintf(word, sizeof word, "abcdefghi%03u", i + 1);
        SUCCEED(pf_symtab_add(out->osyms, word, strlen(word), &label));
    }
    for (unsigned t = 0; t < length; t++) arc[t] = (pf_arc){.in = (pf_label)perm[t] + 1, .out = (pf_label)perm[t] + 1};
    SUCCEED(pf_answer_add(out, arc, length, 0));
    free(arc);
}

/* Orders of 5 to 80 words, and their trees, are no wider than a page, and have each word on both sides. */
static void long_orders_fit_a_page(void **state PF_UNUSED) {
    for (unsigned length = 5; length <= 80; length += 15) {
        unsigned perm[80];
        pf_answer answer;
        pf_writer *out = writer();
        for (unsigned i = 0; i < length; i++) perm[i] = i < 3 ? (i + 1) % 3 : i; /* 2 3 1 4 5 ... */
        long_answer(length, perm, &answer);
        for (int tree = 0; tree < 2; tree++) {
            SUCCEED(tree ? pf_draw_itg_tree(out, &answer, 0, false, false) : pf_draw_order(out, &answer, 0, false));
            const char *text = text_of(out);
            CHECK(number_after(text, " width=\"") <= 1200, "%u words, tree %d", length, tree);
            assert_int_equal(count(text, ">abcdefghi002</text>"), tree ? 1 : 2);
            assert_int_equal(count(text, ">abcdefghi"), tree ? length : 2 * length);
            pf_writer_clear(out);
        }
        pf_writer_free(out);
        pf_answer_free(&answer);
    }
}

/* A folded machine: its rows follow one another, and what two of them show is a column. */
static void wide_machines_are_folded(void **state PF_UNUSED) {
    enum { ARCS = 120 };
    pf_build build = {0};
    pf_fst *fst;
    pf_writer *out = writer();
    pf_draw_options options = {.numeric = true};
    int left, top, width, height, x, y, wide, high, end = 0, below = 0, rows = 0;
    for (pf_state s = 0; s < ARCS; s++) SUCCEED(pf_build_arc(&build, s, (pf_label)s + 7, 1, 0.5f, s + 1));
    SUCCEED(pf_build_arc(&build, 10, 9, 9, 0, 90)); /* over many columns */
    SUCCEED(pf_build_arc(&build, 80, 9, 9, 0, 20)); /* and back */
    SUCCEED(pf_build_final(&build, ARCS, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_build_free(&build);
    SUCCEED(pf_draw_automaton(out, fst, &options));
    const char *text = text_of(out), *at = text;
    int page = number_after(text, " width=\""), page_height = number_after(text, " height=\"");
    assert_true(page <= 1300);
    for (; (at = strstr(at, "<svg x=")); at++, rows++) {
        assert_int_equal(sscanf(at, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\"", &x, &y, &wide,
                                &high, &left, &top, &width, &height),
                         8);
        assert_true(wide == width && high == height && x >= 0 && x + wide <= page && y >= below && y + high <= page_height);
        CHECK(left < end || !rows, "row %d begins at %d, and the one before ends at %d", rows, left, end);
        end = left + width;
        below = y + high;
    }
    assert_true(rows > 3);
    assert_int_equal(count(text, "class=\"b\"") + count(text, "class=\"e\""), ARCS + 2);
    assert_int_equal(count(text, "class=\"n\""), ARCS + 1);
    pf_writer_free(out);
    pf_fst_free(fst);
}

/* ---- Alignments. */

/* Sides have the words of the pair, or as many as the links need; a matrix that is too large is refused. */
static void matrices_have_all_words(void **state PF_UNUSED) {
    pf_alignment links = {.n_source = PF_UNKNOWN_LENGTH, .n_target = PF_UNKNOWN_LENGTH};
    pf_words words = {0};
    pf_writer *out = writer();
    SUCCEED(pf_alignment_add(&links, (pf_link){0, 1, true, (double)NAN}));
    SUCCEED(pf_alignment_add(&links, (pf_link){1, 0, false, 1}));
    SUCCEED(pf_alignment_add(&links, (pf_link){1, 1, false, 0.29}));
    SUCCEED(PF_PUSH(&words, ((pf_word){"\xe6\x97\xa5", 3})));
    SUCCEED(PF_PUSH(&words, ((pf_word){"ab", 2})));
    SUCCEED(PF_PUSH(&words, ((pf_word){"c", 1})));
    SUCCEED(pf_draw_alignment_text(out, &links, &(pf_align_pair){7, &words, NULL}));
    expect_text(out, "    0\n    \xe2\x94\x82 1\n\xe6\x97\xa5  \xc2\xb7 \xe2\x96\xa1\nab  9 2\nc   \xc2\xb7 \xc2\xb7\n");
    SUCCEED(pf_draw_alignment(out, &links, &(pf_align_pair){7, NULL, &words}));
    const char *text = text_of(out);
    assert_int_equal(count(text, "class=\"s\""), 2);
    assert_int_equal(count(text, "class=\"t\""), 3);
    assert_non_null(strstr(text, "Alignment of pair 7: 2 source words and 3 target words, 3 links"));
    assert_non_null(strstr(text, "Links: 0 - ab, 1 - \xe6\x97\xa5, 1 - ab</desc>"));
    pf_writer_clear(out);
    SUCCEED(pf_alignment_add(&links, (pf_link){1024, 1024, false, 1}));
    assert_int_equal(pf_draw_alignment_text(out, &links, &(pf_align_pair){7, NULL, NULL}), PF_ELIMIT);
    assert_int_equal(pf_draw_alignment(out, &links, &(pf_align_pair){7, NULL, NULL}), PF_ELIMIT);
    pf_alignment_free(&links);
    PF_VEC_FREE(&words);
    pf_writer_free(out);
}

/* ---- Plots and profiles. */

/* A whole picture, which tests/cli/draw.test cannot make; the file is written anew as there. */
static void expect_picture(pf_writer *out, const char *name) {
    const char *srcdir = getenv("srcdir"), *text = text_of(out);
    char path[512], *found;
    size_t length = strlen(text);
    snprintf(path, sizeof path, "%s/tests/data/pictures/%s", srcdir ? srcdir : ".", name);
    FILE *file = fopen(path, getenv("PERMFST_NEW_PICTURES") ? "w+" : "r");
    CHECK(file, "%s", path);
    if (getenv("PERMFST_NEW_PICTURES")) fwrite(text, 1, length, file);
    rewind(file);
    assert_non_null(found = calloc(length + 2, 1));
    CHECK(fread(found, 1, length + 1, file) == length && !memcmp(found, text, length), "%s", path);
    fclose(file);
    free(found);
    pf_writer_clear(out);
}

static void points_that_have_no_place_are_left_out(void **state PF_UNUSED) {
    pf_plot plot = {.title = "<t>", .x_name = "x", .y_name = "y", .y_log = true};
    pf_writer *out = writer();
    const double ys[] = {1, 0, 100, (double)NAN, 1000, (double)INFINITY};
    SUCCEED(pf_plot_series_add(&plot, "one", true));
    for (size_t i = 0; i < LENGTH(ys); i++) SUCCEED(pf_plot_point_add(&plot, (pf_plot_point){(double)i, ys[i], 0, 0}));
    SUCCEED(pf_plot_series_add(&plot, "none", false));
    SUCCEED(pf_draw_plots(out, "title", &plot, 1));
    const char *text = text_of(out);
    assert_non_null(strstr(text, "<desc>&lt;t&gt;: one from 1 to 1000, between 1 and 1000; none has no points. </desc>"));
    assert_int_equal(count(text, "<circle"), 3 + 1); /* and that of the legend */
    assert_non_null(strstr(text, ">1000</text>"));
    pf_writer_free(out);
    pf_plot_free(&plot);
}

/* Both axes have a few ticks, and all places are numbers. */
static void expect_axes(const pf_plot_point *points, size_t n, bool log) {
    pf_plot plot = {.title = "t", .x_name = "x", .y_name = "y", .x_log = log, .y_log = log};
    pf_writer *out = writer();
    SUCCEED(pf_plot_series_add(&plot, "s", true));
    for (size_t i = 0; i < n; i++) SUCCEED(pf_plot_point_add(&plot, points[i]));
    SUCCEED(pf_draw_plots(out, "title", &plot, 1));
    const char *text = text_of(out);
    CHECK(!strstr(text, "nan") && !strstr(text, "inf") && !strstr(text, "-2147483648") && !strstr(text, "-9223372036854775808"),
          "%s", text);
    CHECK(count(text, "class=\"grid\"") >= 2 && count(text, "class=\"grid\"") < 20, "%s", text);
    pf_writer_free(out);
    pf_plot_free(&plot);
}

static void plots_of_one_point_have_axes(void **state PF_UNUSED) {
    const double values[] = {0, -3, 1e-9, 1e12, 1e17, -3e17, 1e300, DBL_MAX, -DBL_MAX};
    for (size_t at = 0; at < LENGTH(values); at++)
        for (int log = 0; log < 2; log++)
            expect_axes(&(pf_plot_point){values[at], values[at], values[at] - 1, values[at] + 1}, 1, log);
}

/* Numbers beside one another, between which no tick has room; and those whose difference is no number. */
static void plots_of_a_narrow_or_wide_range_have_axes(void **state PF_UNUSED) {
    const double pairs[][2] = {{1e17, 1e17 + 16}, {-1e17 - 32, -1e17}, {1, 1 + DBL_EPSILON}, {-DBL_MAX, DBL_MAX}, {0, 5e-324}};
    for (size_t at = 0; at < LENGTH(pairs); at++)
        for (int log = 0; log < 2; log++)
            expect_axes((pf_plot_point[]){{pairs[at][0], pairs[at][0], 0, 0}, {pairs[at][1], pairs[at][1], 0, 0}}, 2, log);
}

/* Intervals and words in the upper panel, log axes in the lower one; six series, of which each has a mark, a dash and a colour. */
static void plots_have_panels(void **state PF_UNUSED) {
    static const char *const words[] = {"none", "ibm:2", "ibm:3", "itg", "local:3 & mj:2", "<all>"};
    static const char *const names[] = {"BLEU", "Kendall", "chunks", "h\xc3\xbc" "ben", "WER", "a name that is longer"};
    pf_plot plots[2] = {{.title = "Scores by space", .x_name = "space", .y_name = "score", .x_words = words,
                         .n_words = LENGTH(words)},
                        {.title = "States by length", .x_name = "words", .y_name = "states", .x_log = true, .y_log = true}};
    pf_writer *out = writer();
    for (size_t at = 0; at < LENGTH(names); at++) {
        SUCCEED(pf_plot_series_add(&plots[0], names[at], at < 2));
        for (size_t k = 0; k < LENGTH(words); k++) {
            double value = 0.2 + 0.1 * (double)at + 0.05 * (double)(k * k % 7), width = at ? 0 : 0.06;
            SUCCEED(pf_plot_point_add(&plots[0], (pf_plot_point){(double)k, value, value - width, value + width / 2}));
        }
        SUCCEED(pf_plot_series_add(&plots[1], names[at], true));
        for (size_t k = 1; k <= 64; k *= 2) {
            double value = (double)(k * (at + 1)) * (double)(at == 5 ? k * k * k : k);
            SUCCEED(pf_plot_point_add(&plots[1], (pf_plot_point){(double)k, value, 0, 0}));
        }
    }
    SUCCEED(pf_draw_plots(out, "Two panels", plots, 2));
    expect_picture(out, "plot.svg");
    for (int i = 0; i < 2; i++) pf_plot_free(&plots[i]);
    pf_writer_free(out);
}

static void a_profile_has_gaps(void **state PF_UNUSED) {
    pf_answer answer = {.states = 9};
    pf_writer *out = writer();
    assert_int_equal(pf_draw_profile(out, &answer, 1), PF_EARG);
    pf_arc arc = {1, 1, 2.5f, 0};
    SUCCEED(pf_answer_add(&answer, &arc, 1, 0));
    SUCCEED(PF_PUSH(&answer.profile, ((pf_level_work){1, 0, 1, 1, 0, 2})));
    SUCCEED(PF_PUSH(&answer.profile, ((pf_level_work){1, 1, 4, 5, 6, -(double)INFINITY})));
    SUCCEED(PF_PUSH(&answer.profile, ((pf_level_work){2, 0, 1, 1, 0, 3})));
    SUCCEED(pf_draw_profile_rows(out, &answer, 8));
    expect_text(out, "8\t1\t0\t1\t1\t0\t2.000000\t0.500000\n8\t1\t1\t4\t5\t6\t-\t-\n8\t2\t0\t1\t1\t0\t3.000000\t0.000000\n");
    SUCCEED(pf_draw_profile(out, &answer, 8));
    assert_non_null(strstr(text_of(out), "<title>Record 8: the search by levels, pass 2 of 2, 9 states in all"));
    pf_writer_clear(out);
    answer.profile.n = 0;
    for (unsigned level = 0; level <= 8; level++) {
        uint64_t states = 1 + level * (8 - level) * (8 - level), dropped = level > 3 ? 90 * level : 0;
        SUCCEED(PF_PUSH(&answer.profile, ((pf_level_work){1, level, states, 3 * states, dropped, 1.5 + 0.12 * level})));
    }
    SUCCEED(pf_draw_profile(out, &answer, 8));
    expect_picture(out, "profile.svg");
    pf_writer_free(out);
    pf_answer_free(&answer);
}

/* Searches with a profile give the same answer; no bound is above the cost of the best path; a beam holds. */
static void profiles_are_sound(void **state PF_UNUSED) {
    static const char *const cons[] = {"none", "ibm:3", "local:4"};
    for (size_t at = 0; at < LENGTH(cons) * 5; at++) {
        const char *con = cons[at % LENGTH(cons)];
        pf_weight weights[] = {{.spec = "jumps:0.7"}, {.spec = "inversions:0.4"}};
        pf_fst *linear = linear_of(6), *perm;
        pf_answer exact, answer;
        SUCCEED(pf_perm_lazy(linear, &(pf_perm_spec){.con = &con, .n_con = 1, .wm = weights, .n_wm = LENGTH(weights)}, &perm));
        SUCCEED(pf_best(perm, &(pf_best_options){0}, &exact));
        assert_int_equal(exact.profile.n, 0);
        size_t beam = at / LENGTH(cons);
        SUCCEED(pf_best(perm, &(pf_best_options){.profile = true, .beam = beam}, &answer));
        if (!beam) assert_true(answer.paths.at[0].cost == exact.paths.at[0].cost);
        CHECK(answer.profile.n % 7 == 0 && answer.profile.n, "%s: %zu levels", con, answer.profile.n);
        for (size_t k = 0; k < answer.profile.n; k++) {
            const pf_level_work *level = &answer.profile.at[k];
            assert_int_equal(level->level, k % 7);
            assert_int_equal(level->pass, k / 7 + 1);
            assert_true(level->states && level->states <= level->hypotheses && (!beam || level->hypotheses <= beam));
            assert_true(level->bound <= exact.paths.at[0].cost + 1e-5);
        }
        assert_true(answer.bound <= exact.paths.at[0].cost + 1e-5);
        pf_answer_free(&answer);
        pf_answer_free(&exact);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(text_has_a_width),
        cmocka_unit_test(columns_are_those_of_the_library),
        cmocka_unit_test(text_is_dark_enough),
        cmocka_unit_test(as_few_words_move_as_can_be),
        cmocka_unit_test(differences_tell_the_order),
        cmocka_unit_test(differences_have_colours_and_escapes),
        cmocka_unit_test(other_paths_have_no_order),
        cmocka_unit_test(dot_has_labels_and_costs),
        cmocka_unit_test(cycles_are_drawn),
        cmocka_unit_test(an_empty_machine_is_drawn),
        cmocka_unit_test(permutation_automata_have_coverages),
        cmocka_unit_test(coverages_of_long_sentences_are_short),
        cmocka_unit_test(other_machines_have_numbers),
        cmocka_unit_test(the_best_path_is_bold),
        cmocka_unit_test(long_orders_fit_a_page),
        cmocka_unit_test(wide_machines_are_folded),
        cmocka_unit_test(matrices_have_all_words),
        cmocka_unit_test(points_that_have_no_place_are_left_out),
        cmocka_unit_test(plots_of_one_point_have_axes),
        cmocka_unit_test(plots_of_a_narrow_or_wide_range_have_axes),
        cmocka_unit_test(plots_have_panels),
        cmocka_unit_test(a_profile_has_gaps),
        cmocka_unit_test(profiles_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
