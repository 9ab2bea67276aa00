/* Lattices: what PLF and SLF say is what the machine is. Random lattices are spelt out, path by path, from the test's own
 * arrays, and written as text in every shape that the formats have; random machines are written and read again. The oracle
 * shares nothing with the readers: it enumerates paths. */
#include "check.h"
#include <permfst/io/plf.h>
#include <permfst/io/slf.h>

#include <permfst/machine/build.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 7, MAX_ARCS = 16, MAX_PATHS = 4000, TEXT = 20000, ROUNDS = 400 };

static unsigned seed;
static unsigned below(unsigned n) { return (seed = seed * 1103515245u + 12345u) / 65536 % 32768 % n; }

/* Words that need every kind of quoting; the first is epsilon. */
static const char *const words[] = {"", "a", "it's", "back\\slash", "\"q", "'tis", "two words", "\303\274ber"};

/* ---- Paths, spelt out. */

typedef struct {
    char spelt[200];
    double cost;
} path;

typedef struct {
    path at[MAX_PATHS];
    size_t n;
} paths;

static int by_spelling(const void *x, const void *y) {
    const path *a = x, *b = y;
    int order = strcmp(a->spelt, b->spelt);
    return order ? order : (a->cost > b->cost) - (a->cost < b->cost);
}

static void add_path(paths *to, const char *spelt, double cost) {
    assert_true(to->n < MAX_PATHS);
    snprintf(to->at[to->n].spelt, sizeof to->at[0].spelt, "%s", spelt);
    to->at[to->n++].cost = cost;
}

static void walk(pf_fst *fst, pf_state state, const char *spelt, double cost, paths *to) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    if (pf_fst_final(fst, state) != INFINITY) add_path(to, spelt, cost + (double)pf_fst_final(fst, state));
    for (uint32_t i = 0; i < arcs.n; i++) {
        char longer[200];
        const pf_arc *k = &arcs.arc[i];
        snprintf(longer, sizeof longer, k->out ? "%s<%s>" : "%s", spelt, pf_symtab_name(fst->osyms, k->out, NULL));
        walk(fst, k->to, longer, cost + (double)k->w, to);
    }
}

static paths *paths_of(pf_fst *fst) {
    paths *list = calloc(1, sizeof *list);
    assert_non_null(list);
    if (fst->start != PF_NO_STATE) walk(fst, fst->start, "", 0, list);
    qsort(list->at, list->n, sizeof *list->at, by_spelling);
    return list;
}

/* The same paths with the same costs, up to the tolerance; both are freed. */
static void check_paths(paths *want, paths *found, double tolerance, const char *text) {
    CHECK(want->n == found->n, "%zu paths, not %zu: seed %u\n%s", found->n, want->n, seed, text);
    for (size_t i = 0; i < want->n; i++) {
        const path *a = &want->at[i], *b = &found->at[i];
        CHECK(!strcmp(a->spelt, b->spelt), "'%s', not '%s': seed %u\n%s", b->spelt, a->spelt, seed, text);
        CHECK(fabs(a->cost - b->cost) <= tolerance * (1 + fabs(a->cost)), "'%s': %.9g, not %.9g: seed %u\n%s", a->spelt,
              b->cost, a->cost, seed, text);
    }
    free(want);
    free(found);
}

/* ---- Reading from memory. */

typedef struct {
    pf_reader *reader;
    pf_slf_reader *slf;
    pf_symtab *table;
    pf_lattice_options how;
} source;

static void open_source(source *input, const char *text, pf_lattice_options how, bool slf) {
    *input = (source){.how = how};
    SUCCEED(pf_reader_memory(text, strlen(text), "memory", &input->reader));
    SUCCEED(pf_symtab_new("words", &input->table));
    input->how.labels.words = input->table;
    if (slf) SUCCEED(pf_slf_reader_new(input->reader, &input->how, &input->slf));
}

static pf_err next(source *input, pf_fst **out) {
    char *line;
    size_t n;
    if (input->slf) return pf_slf_next(input->slf, out);
    *out = NULL;
    PF_TRY(pf_reader_line(input->reader, &line, &n));
    return line ? pf_plf_line(input->reader, &input->how, line, n, out) : PF_OK;
}

static void close_source(source *input) {
    pf_slf_reader_free(input->slf);
    pf_reader_free(input->reader);
    pf_symtab_free(input->table);
}

/* The only lattice of a text. */
static pf_fst *read_one(const char *text, pf_lattice_options how, bool slf) {
    source input;
    pf_fst *fst, *more;
    open_source(&input, text, how, slf);
    CHECK(next(&input, &fst) == PF_OK, "%s: seed %u\n%s", pf_message(), seed, text);
    CHECK(fst, "no lattice: %s", text);
    SUCCEED(next(&input, &more));
    assert_null(more);
    close_source(&input);
    return fst;
}

static void check_sorted(pf_fst *fst, const char *text) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++)
        for (uint32_t i = 0; i < pf_fst_arcs(fst, state).n; i++)
            CHECK(pf_fst_arcs(fst, state).arc[i].to > state
                  && pf_fst_arcs(fst, state).arc[i].in == pf_fst_arcs(fst, state).arc[i].out, "%s", text);
}

/* ---- Machines go out and come back. */

/* A machine without a cycle whose states are numbered at random; some states are on no path. */
static pf_fst *random_machine(void) {
    pf_build build = {0};
    pf_fst *fst;
    pf_symtab *table;
    pf_label label;
    pf_state n = 1 + below(MAX_NODES), name[MAX_NODES];
    for (pf_state i = 0; i < n; i++) name[i] = i;
    for (pf_state i = n - 1; i > 0; i--) {
        pf_state k = below(i + 1), x = name[i];
        name[i] = name[k];
        name[k] = x;
    }
    SUCCEED(pf_build_state(&build, n - 1));
    for (unsigned arcs = n > 1 ? below(MAX_ARCS) : 0; arcs; arcs--) {
        pf_state from = below(n - 1), to = from + 1 + below(n - 1 - from);
        float weight = below(4) ? (float)below(1000) / 37.0f - 3 : 0;
        SUCCEED(pf_build_arc(&build, name[from], (pf_label)below(3), (pf_label)below(LENGTH(words)), weight, name[to]));
    }
    for (pf_state i = 0; i < n; i++)
        if (i == n - 1 || !below(4)) SUCCEED(pf_build_final(&build, name[i], below(2) ? 0 : (float)below(50) / 7.0f));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, name[0], &fst));
    SUCCEED(pf_symtab_new("words", &table));
    for (size_t i = 1; i < LENGTH(words); i++) SUCCEED(pf_symtab_add(table, words[i], strlen(words[i]), &label));
    pf_fst_set_symbols(fst, NULL, table);
    pf_symtab_free(table);
    return fst;
}

/* Form 0 to 2: PLF; 3: SLF. */
static pf_err write_form(pf_writer *writer, pf_fst *fst, int form) {
    return form < 3 ? pf_plf_write(writer, fst, (pf_plf_scores)form, false) : pf_slf_write(writer, fst, "it's one", false, false);
}

static void test_round_trip(void **state PF_UNUSED) {
    unsigned empty = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = round;
        pf_fst *fst = random_machine();
        for (int form = 0; form < 4; form++) {
            pf_writer *writer;
            size_t n;
            paths *want = paths_of(fst);
            SUCCEED(pf_writer_memory(&writer));
            pf_err err = write_form(writer, fst, form);
            if (!want->n) {
                CHECK(err == PF_EINPUT && strstr(pf_message(), "path"), "%s", pf_message());
                empty++;
                free(want);
            } else {
                CHECK(!err, "%s", pf_message());
                SUCCEED(pf_writer_put(writer, "", 1));
                const char *text = (const char *)pf_writer_bytes(writer, &n);
                pf_fst *g = read_one(text, (pf_lattice_options){.scores = (pf_plf_scores)(form % 3)}, form == 3);
                check_sorted(g, text);
                check_paths(want, paths_of(g), form ? 0 : 1e-6, text);
                pf_fst_free(g);
            }
            pf_writer_free(writer);
        }
        pf_fst_free(fst);
    }
    CHECK(empty < 2 * ROUNDS, "%u", empty);
}

static void test_refused_machines(void **state PF_UNUSED) {
    for (int form = 0; form < 4; form++)
        for (int which = 0; which < 3; which++) {
            pf_build build = {0};
            pf_fst *fst;
            pf_writer *writer;
            SUCCEED(pf_build_arc(&build, 0, 1, 1, 0, 1));
            SUCCEED(pf_build_arc(&build, 1, 1, 1, 0, 2));
            if (which == 0) SUCCEED(pf_build_arc(&build, 2, 1, 1, 0, 1));
            if (which == 1) SUCCEED(pf_build_arc(&build, 2, 1, 1, 0, 2));
            SUCCEED(pf_build_arc(&build, 3, 1, 1, 0, 3)); /* a cycle on no path: no matter */
            if (which < 2) SUCCEED(pf_build_final(&build, 2, 0));
            SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
            SUCCEED(pf_writer_memory(&writer));
            CHECK(write_form(writer, fst, form) == PF_EINPUT, "%d %d", form, which);
            CHECK(strstr(pf_message(), which < 2 ? "no cycle" : "has a path"), "%s", pf_message());
            pf_writer_free(writer);
            pf_fst_free(fst);
        }
}

/* ---- Lattices of the test's own, as text in many shapes. */

typedef struct {
    unsigned from, to, word;
    double score[2];
} link;

typedef struct {
    unsigned nodes, n; /* node 0 is the start, the last one the end */
    link at[MAX_ARCS + MAX_NODES];
} lattice;

/* Every node but the last has an arc, every node but the first is entered. */
static lattice random_lattice(void) {
    lattice drawn = {.nodes = 2 + below(MAX_NODES - 1)};
    for (unsigned i = 0; i + 1 < drawn.nodes; i++) drawn.at[drawn.n++] = (link){.from = i, .to = i + 1};
    for (unsigned arcs = below(MAX_ARCS - MAX_NODES); arcs; arcs--) {
        unsigned from = below(drawn.nodes - 1);
        drawn.at[drawn.n++] = (link){.from = from, .to = from + 1 + below(drawn.nodes - 1 - from)};
    }
    for (unsigned i = 0; i < drawn.n; i++) {
        drawn.at[i].word = below(LENGTH(words));
        for (int k = 0; k < 2; k++) drawn.at[i].score[k] = (1 + below(999)) / 1000.0;
    }
    return drawn;
}

/* Paths from a node; `cost` has the links' costs. */
static void spell(const lattice *drawn, const double *cost, unsigned node, const char *spelt, double sum, paths *to) {
    if (node == drawn->nodes - 1) add_path(to, spelt, sum);
    for (unsigned i = 0; i < drawn->n; i++) {
        char longer[200];
        if (drawn->at[i].from != node) continue;
        snprintf(longer, sizeof longer, drawn->at[i].word ? "%s<%s>" : "%s", spelt, words[drawn->at[i].word]);
        spell(drawn, cost, drawn->at[i].to, longer, sum + cost[i], to);
    }
}

static paths *spelt_paths(const lattice *drawn, const double *cost) {
    paths *list = calloc(1, sizeof *list);
    assert_non_null(list);
    spell(drawn, cost, 0, "", 0, list);
    qsort(list->at, list->n, sizeof *list->at, by_spelling);
    return list;
}

static char text[TEXT];
static size_t at;
#define PUT(...) (at += (size_t)snprintf(text + at, TEXT - at, __VA_ARGS__))

static void put_space(void) {
    if (!below(3)) PUT(below(2) ? " " : "\t ");
}

/* A number in one of its shapes. */
static void put_number(double x) {
    static const char *const shape[] = {"%.6f", "%.17g", "%.12e", "%+.9g", "%.3f"};
    PUT(shape[below(LENGTH(shape))], x);
}

static void put_plf_word(unsigned word) {
    char quote = below(2) ? '\'' : '"';
    const char *from = word ? words[word] : below(2) ? "*EPS*" : "";
    PUT("%c", quote);
    for (; *from; from++) PUT(*from == quote || *from == '\\' || !below(5) ? "\\%c" : "%c", *from);
    PUT("%c", quote);
}

static void put_plf_node(const lattice *drawn, unsigned node) {
    bool first = true;
    PUT("(");
    for (unsigned i = 0; i < drawn->n; i++) {
        const link *k = &drawn->at[i];
        if (k->from != node) continue;
        if (!first) PUT(",");
        first = false;
        put_space(), PUT("("), put_space(), put_plf_word(k->word), put_space(), PUT(","), put_space();
        put_number(k->score[0]), put_space(), PUT(","), put_number(k->score[1]), PUT(", f:x=0.5"), PUT(",%u", k->to - node);
        put_space(), PUT(below(2) ? ")" : ",)"), put_space();
    }
    PUT(below(2) ? ",)" : ")");
}

static void test_plf_shapes(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 3 * ROUNDS; round++) {
        seed = round;
        lattice drawn = random_lattice();
        double cost[LENGTH(drawn.at)], by[4];
        pf_plf_scores form = (pf_plf_scores)below(3);
        pf_score_scale scale[] = {{"2", 0}, {"1", 0}, {"f:x", 0}, {"words", 0}};
        for (int k = 0; k < 4; k++) scale[k].by = by[k] = below(3) ? below(9) / 4.0 - 1 : 0;
        for (unsigned i = 0; i < drawn.n; i++) {
            double *score = drawn.at[i].score;
            for (int k = 0; k < 2; k++) score[k] = form == PF_PLF_PROB ? score[k] : 4 * score[k] - 1;
            double one = form == PF_PLF_PROB ? log(score[0]) : form == PF_PLF_LOG ? score[0] : -score[0];
            double two = form == PF_PLF_PROB ? log(score[1]) : form == PF_PLF_LOG ? score[1] : -score[1];
            cost[i] = -(by[1] * one + by[0] * two + by[2] * 0.5 + (drawn.at[i].word ? by[3] : 0));
        }
        at = 0;
        put_space(), PUT("(");
        for (unsigned i = 0; i + 1 < drawn.nodes; i++) put_space(), put_plf_node(&drawn, i), PUT(i + 2 < drawn.nodes ? "," : "");
        PUT(below(2) ? ",)" : ")"), put_space(), PUT(below(2) ? "\r\n" : "");
        pf_fst *fst = read_one(text, (pf_lattice_options){.scores = form, .scale = scale, .scales = 4}, false);
        CHECK(pf_fst_states(fst) == drawn.nodes && fst->start == 0 && fst->narcs == drawn.n, "%s", text);
        check_paths(spelt_paths(&drawn, cost), paths_of(fst), 1e-5, text);
        pf_fst_free(fst);
    }
}

static void put_slf_word(const char *name, unsigned word) {
    const char *from = word ? words[word] : "!NULL";
    char quote = below(2) ? below(2) ? '"' : '\'' : 0;
    PUT(" %s=", name);
    if (quote) PUT("%c", quote);
    for (const char *begin = from; *from; from++) {
        bool special = *from == '\\' || *from == quote || (!quote && (*from == ' ' || (from == begin && strchr("'\"", *from))));
        if (*from == ' ' && !quote) PUT("\\040");
        else if (!below(9)) PUT(below(2) && (from[1] < '0' || from[1] > '9') ? "\\0%o" : "\\%03o", (unsigned char)*from);
        else PUT(special ? "\\%c" : "%c", *from);
    }
    if (quote) PUT("%c", quote);
}

/* With words on nodes all links into a node (backward: out of one) have its word. */
static void test_slf_shapes(void **state PF_UNUSED) {
    static const double bases[] = {-1, 0, 1, 10, 0.5, 2.718281828459045};
    for (unsigned round = 0; round < 3 * ROUNDS; round++) {
        seed = round;
        lattice drawn = random_lattice();
        bool on_nodes = below(2), backward = below(2);
        unsigned name[MAX_NODES], word[MAX_NODES];
        double cost[LENGTH(drawn.at)], by[3], base = bases[below(LENGTH(bases))], ln = base < 0 || base == 1 ? 1 : log(base);
        for (unsigned i = 0; i < drawn.nodes; i++) name[i] = i, word[i] = below(LENGTH(words));
        for (unsigned i = drawn.nodes - 1; i > 0; i--) {
            unsigned k = below(i + 1), x = name[i];
            name[i] = name[k], name[k] = x;
        }
        word[backward ? drawn.nodes - 1 : 0] = 0; /* it would be on no link */
        for (int k = 0; k < 3; k++) by[k] = (1 + below(8)) / 4.0;
        for (unsigned i = 0; i < drawn.n; i++) {
            const double *score = drawn.at[i].score;
            if (on_nodes) drawn.at[i].word = word[backward ? drawn.at[i].from : drawn.at[i].to];
            double a = base == 0 ? log(score[0]) : score[0] * ln, x = base == 0 ? log(score[1]) : score[1] * ln;
            double penalty = base == 0 ? log(by[2]) : by[2] * ln;
            cost[i] = -(by[0] * a + by[1] * x + (drawn.at[i].word ? penalty : 0));
        }
        at = 0;
        PUT("# a comment\nVERSION=1.1 UTTERANCE='a # b'\ndir=%s\n", backward ? "backward" : "f");
        if (base >= 0) PUT("base=%.16g%s", base, below(2) ? " " : "\n");
        PUT("%s=%u %s=%u\n", below(2) ? "N" : "NODES", drawn.nodes, below(2) ? "L" : "LINKS", drawn.n);
        PUT("acscale=%g  x7scale=%g\twdpenalty=%g\r\n\n", by[0], by[1], by[2]);
        for (unsigned i = 0; on_nodes && i < drawn.nodes; i++) {
            PUT("I=%u t=0.5", name[i]);
            put_slf_word(below(2) ? "W" : "WORD", word[i]);
            PUT(" v=1 # %u\n", i);
        }
        for (unsigned i = 0; i < drawn.n; i++) {
            const link *k = &drawn.at[i];
            PUT("J=%u", drawn.n - 1 - i);
            if (!on_nodes) put_slf_word("W", k->word);
            PUT(below(2) ? "\tE=%u S=%u" : " END=%u\tSTART=%u", name[k->to], name[k->from]);
            PUT(" %s=", below(2) ? "a" : "acoustic"), put_number(k->score[0]), PUT(" x7="), put_number(k->score[1]);
            PUT(" ds=77%s\n", below(2) ? " p=0" : "");
        }
        pf_fst *fst = read_one(text, (pf_lattice_options){0}, true);
        CHECK(pf_fst_states(fst) == drawn.nodes && fst->narcs == drawn.n, "%s", text);
        check_sorted(fst, text);
        check_paths(spelt_paths(&drawn, cost), paths_of(fst), 1e-5, text);
        pf_fst_free(fst);
    }
}

/* ---- Texts that were damaged. */

static void read_all(const char *damaged, bool slf, unsigned *errors) {
    source input;
    pf_fst *fst;
    pf_err err;
    open_source(&input, damaged, (pf_lattice_options){.plain = below(2)}, slf);
    while (!(err = next(&input, &fst)) && fst) pf_fst_free(fst);
    if (err) {
        CHECK(err == PF_EINPUT && !strncmp(pf_message(), "memory:", 7), "%d: %s", err, pf_message());
        ++*errors;
    }
    close_source(&input);
}

static void test_damage(void **state PF_UNUSED) {
    static const char *const good[] = {
        "((('a',0.5,1),('b\\'c',.25,2),),((\"*EPS*\",1e-1,1),),)\n((('d',1,1),),)\n",
        "VERSION=1.0\nUTTERANCE=\"x y\"\nbase=10 lmscale=2\nN=3 L=3\nI=0 W=!NULL\nI=1 W='b c'\nI=2 W=\\303\\274\n"
        "J=0 S=0 E=1 a=-1 l=-2\nJ=1 S=1 E=2\nJ=2 S=0 E=2 W=\\303\\274\n.\nN=2 L=1\nJ=0 S=0 E=1 W=e x3=-1\n"};
    static const char others[] = "()',\"\\=#. \n0199-eNLIJSEWax~";
    for (int slf = 0; slf < 2; slf++) {
        unsigned errors = 0;
        size_t n = strlen(good[slf]);
        for (size_t i = 0; i < n; i++) {
            snprintf(text, i + 1, "%s", good[slf]);
            read_all(text, slf, &errors);
            for (const char *c = others; *c; c++) {
                snprintf(text, n + 1, "%s", good[slf]);
                text[i] = *c;
                read_all(text, slf, &errors);
            }
        }
        CHECK(errors > n, "%u errors of %zu texts", errors, n * LENGTH(others));
    }
}

/* Counts and offsets that are larger than what follows. */
static void test_beliefs(void **state PF_UNUSED) {
    static const struct {
        const char *text, *words;
        bool slf;
    } lie[] = {
        {"((('a',1,4294967295),),)", "byte 10: expected an offset", false},
        {"((('a',1,18446744073709551617),),)", "byte 10: expected an offset", false},
        {"((('a',1,2),),)", "leads to node 2, past the end, which is node 1", false},
        {"N=4294967294 L=4294967295\nJ=0 S=4294967293 E=0 W=a\n", "expected 4294967295 links", true},
        {"N=4294967296 L=1\n", "expected the number of nodes", true},
        {"N=4294967294 L=1\nI=0\nJ=0 S=4294967293 E=0 W=a\n", "expected 4294967294 nodes", true},
    };
    for (size_t i = 0; i < LENGTH(lie); i++) {
        source input;
        pf_fst *fst;
        open_source(&input, lie[i].text, (pf_lattice_options){0}, lie[i].slf);
        CHECK(next(&input, &fst) == PF_EINPUT && strstr(pf_message(), lie[i].words), "%s: %s", lie[i].text, pf_message());
        close_source(&input);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused_machines), cmocka_unit_test(test_plf_shapes),
        cmocka_unit_test(test_slf_shapes), cmocka_unit_test(test_damage),           cmocka_unit_test(test_beliefs),
    };
    keep_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
