/* Symmetrization against the two programs' procedures written out on a matrix, and cases worked by hand. */
#include "check.h"
#include "draw.h"

#include <permfst/align/format.h>
#include <permfst/align/symmetrize.h>

#include <math.h>
#include <string.h>

enum { SIDE = 7, RANDOM_PAIRS = 3000 };

static uint64_t seed = 20031;
static unsigned below(unsigned n) { return draw(&seed, n); }

/* ---- the procedures, on matrices ---- */

typedef struct {
    bool at[SIDE][SIDE]; /* source, target */
} matrix;

static bool source_linked(const matrix *links, int source) {
    for (int target = 0; target < SIDE; target++)
        if (links->at[source][target]) return true;
    return false;
}

static bool target_linked(const matrix *links, int target) {
    for (int source = 0; source < SIDE; source++)
        if (links->at[source][target]) return true;
    return false;
}

static bool inside(int source, int target) { return source >= 0 && target >= 0 && source < SIDE && target < SIDE; }

/* Within one step, diagonally too or not. */
static bool touches(const matrix *links, int source, int target, bool diagonal) {
    for (int ds = -1; ds <= 1; ds++)
        for (int dt = -1; dt <= 1; dt++)
            if ((ds || dt) && (diagonal || !ds || !dt) && inside(source + ds, target + dt) && links->at[source + ds][target + dt])
                return true;
    return false;
}

static void grow_by_rounds(matrix *links, const matrix *all, bool diagonal) {
    for (bool added = true; added;) {
        added = false;
        for (int source = 0; source < SIDE; source++)
            for (int target = 0; target < SIDE; target++) {
                bool open = !source_linked(links, source) || !target_linked(links, target);
                if (all->at[source][target] && !links->at[source][target] && open && touches(links, source, target, diagonal))
                    links->at[source][target] = added = true;
            }
    }
}

static void grow_by_walks(matrix *links, const matrix *all, bool diagonal) {
    static const int steps[8][2] = /* target, source */
        {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    for (bool added = true; added;) {
        added = false;
        for (int target = 0; target < SIDE; target++)
            for (int source = 0; source < SIDE; source++)
                for (int i = 0; links->at[source][target] && i < (diagonal ? 8 : 4); i++) {
                    int to = target + steps[i][0], from = source + steps[i][1];
                    if (!inside(from, to) || !all->at[from][to]) continue;
                    if (source_linked(links, from) && target_linked(links, to)) continue;
                    links->at[from][to] = added = true;
                }
    }
}

static void final_step(matrix *links, const matrix *extra, bool both, bool by_target) {
    for (int outer = 0; outer < SIDE; outer++)
        for (int inner = 0; inner < SIDE; inner++) {
            int source = by_target ? inner : outer, target = by_target ? outer : inner;
            bool from = source_linked(links, source), to = target_linked(links, target);
            if (extra->at[source][target] && (both ? !from && !to : !from || !to)) links->at[source][target] = true;
        }
}

static matrix literally(const char *method, bool symal, const matrix *first, const matrix *second) {
    matrix links, all;
    bool diagonal = strstr(method, "diag"), final = strstr(method, "final"), both = strstr(method, "final-and");
    for (int source = 0; source < SIDE; source++)
        for (int target = 0; target < SIDE; target++) {
            all.at[source][target] = first->at[source][target] || second->at[source][target];
            links.at[source][target] = first->at[source][target] && second->at[source][target];
        }
    if (strcmp(method, "union") == 0) return all;
    if (strcmp(method, "intersect") == 0) return links;
    (symal ? grow_by_walks : grow_by_rounds)(&links, &all, diagonal);
    if (final) final_step(&links, first, both, symal);
    if (final) final_step(&links, second, both, symal);
    return links;
}

/* ---- the library beside them ---- */

static void put_matrix(const matrix *links, pf_alignment *alignment) {
    pf_alignment_reset(alignment);
    for (uint32_t target = SIDE; target--;)
        for (uint32_t source = 0; source < SIDE; source++)
            if (links->at[source][target]) SUCCEED(pf_alignment_add(alignment, (pf_link){source, target, false, NAN}));
    pf_alignment_sort(alignment);
}

static bool equal(const pf_alignment *alignment, const matrix *links) {
    size_t k = 0;
    for (uint32_t source = 0; source < SIDE; source++)
        for (uint32_t target = 0; target < SIDE; target++)
            if (links->at[source][target]) {
                if (k == alignment->link.n) return false;
                if (alignment->link.at[k].source != source || alignment->link.at[k].target != target) return false;
                k++;
            }
    return k == alignment->link.n;
}

typedef struct {
    pf_sym *sym;
    pf_alignment first, second, out;
} bench;

static void check_pair(bench *room, const matrix *first, const matrix *second) {
    const pf_sym_method *method;
    put_matrix(first, &room->first);
    put_matrix(second, &room->second);
    for (size_t i = 0; (method = pf_sym_at(i)); i++)
        for (int symal = 0; symal < 2; symal++) {
            matrix want = literally(pf_sym_name(method), symal, first, second);
            const pf_sym_order order = symal ? PF_SYM_SYMAL : PF_SYM_ATOOLS;
            SUCCEED(pf_symmetrize(room->sym, method, order, &room->first, &room->second, &room->out));
            CHECK(equal(&room->out, &want), "%s, %s", pf_sym_name(method), symal ? "symal" : "atools");
        }
}

static void bench_free(bench *room) {
    pf_sym_free(room->sym);
    pf_alignment_free(&room->first);
    pf_alignment_free(&room->second);
    pf_alignment_free(&room->out);
}

/* Every pair of alignments of 2 and 3 words: 4096 pairs. */
static void small_pairs_are_symmetrized_literally(void **state) {
    bench room = {0};
    (void)state;
    SUCCEED(pf_sym_new(&room.sym));
    for (unsigned bits = 0; bits < 4096; bits++) {
        matrix first = {0}, second = {0};
        for (unsigned k = 0; k < 6; k++) {
            first.at[k / 3][k % 3] = bits >> k & 1;
            second.at[k / 3][k % 3] = bits >> (6 + k) & 1;
        }
        check_pair(&room, &first, &second);
    }
    bench_free(&room);
}

/* Alignments as aligners make them, with one link for each word of one side; and any alignments. */
static void random_pairs_are_symmetrized_literally(void **state) {
    bench room = {0};
    (void)state;
    SUCCEED(pf_sym_new(&room.sym));
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        matrix first = {0}, second = {0};
        for (int k = 0; k < SIDE; k++) {
            if (below(5)) first.at[below(SIDE)][k] = true;
            if (below(5)) second.at[k][below(SIDE)] = true;
        }
        for (unsigned k = i % 2 ? below(40) : 0; k; k--) (k % 2 ? &first : &second)->at[below(SIDE)][below(SIDE)] = true;
        check_pair(&room, &first, &second);
    }
    bench_free(&room);
}

static void read_line(const char *line, pf_alignment *alignment) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(line, strlen(line), "line", &reader));
    SUCCEED(pf_align_line(reader, line, strlen(line), PF_ALIGN_PHARAOH, PF_UNKNOWN_LENGTH, PF_UNKNOWN_LENGTH, alignment));
    pf_reader_free(reader);
}

static void check_line(const pf_alignment *alignment, pf_align_format format, const char *want) {
    pf_writer *writer;
    size_t n;
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_align_write(writer, format, alignment, &(pf_align_pair){.number = 1}));
    const char *found = (const char *)pf_writer_bytes(writer, &n);
    CHECK(n == strlen(want) + 1 && memcmp(found, want, n - 1) == 0, "expected '%s', found '%.*s'", want, (int)n, found);
    pf_writer_free(writer);
}

/* The method of that name; NULL: there is none. */
static const pf_sym_method *method_of(const char *name) {
    size_t i = 0;
    while (pf_sym_at(i) && strcmp(pf_sym_name(pf_sym_at(i)), name) != 0) i++;
    return pf_sym_at(i);
}

/* By hand. In the first, the intersection is 1-2. atools tries 0-1 first, which touches it on the diagonal and covers two
 * words; then 1-1 covers none. symal stands on 1-2 and tries 1-1, straight beside it, first: it covers a target word; then
 * 0-1 still covers a source word. In the second, atools tries 2-0 before 2-1; symal walks to 1-1 and finds 2-1 beside it.
 * In the third, 0-3 and 2-3 touch nothing: final takes 0-3 of the first file and then 2-3 for its source word, final-and
 * leaves that out; with the files exchanged, 2-3 comes first. */
static void two_programs_differ(void **state) {
    static const struct {
        const char *method, *first, *second, *atools, *symal;
    } cases[] = {
        {"grow-diag", "1-1 1-2", "0-1 1-2", "0-1 1-2", "0-1 1-1 1-2"},
        {"grow-diag", "0-0 2-1", "0-0 1-1 2-0", "0-0 1-1 2-0", "0-0 1-1 2-1"},
        {"grow-diag-final-and", "0-0 2-1", "0-0 1-1 2-0", "0-0 1-1 2-0", "0-0 1-1 2-1"},
        {"grow", "0-0 2-1", "0-0 1-1 2-0", "0-0", "0-0"},
        {"grow-diag-final", "5-0 0-3", "5-0 2-3", "0-3 2-3 5-0", "0-3 2-3 5-0"},
        {"grow-diag-final-and", "5-0 0-3", "5-0 2-3", "0-3 5-0", "0-3 5-0"},
        {"grow-diag-final-and", "5-0 2-3", "5-0 0-3", "2-3 5-0", "2-3 5-0"},
    };
    bench room = {0};
    (void)state;
    SUCCEED(pf_sym_new(&room.sym));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        read_line(cases[i].first, &room.first);
        read_line(cases[i].second, &room.second);
        const pf_sym_method *method = method_of(cases[i].method);
        assert_non_null(method);
        SUCCEED(pf_symmetrize(room.sym, method, PF_SYM_ATOOLS, &room.first, &room.second, &room.out));
        check_line(&room.out, PF_ALIGN_PHARAOH, cases[i].atools);
        SUCCEED(pf_symmetrize(room.sym, method, PF_SYM_SYMAL, &room.first, &room.second, &room.out));
        check_line(&room.out, PF_ALIGN_PHARAOH, cases[i].symal);
    }
    assert_null(method_of("grow-dia"));
    bench_free(&room);
}

static void marks_are_merged(void **state) {
    bench room = {0};
    (void)state;
    SUCCEED(pf_sym_new(&room.sym));
    read_line("0-0:0.5 1p1:0.25 2p2 3-3", &room.first);
    read_line("0p0:0.75 1p1 2p2 4-4:0.125", &room.second);
    SUCCEED(pf_symmetrize(room.sym, method_of("union"), PF_SYM_ATOOLS, &room.first, &room.second, &room.out));
    check_line(&room.out, PF_ALIGN_PHARAOH, "0-0:0.625 1p1:0.25 2p2 3-3 4-4:0.125");
    room.first.n_source = 7;
    SUCCEED(pf_symmetrize(room.sym, method_of("union"), PF_SYM_SYMAL, &room.first, &room.second, &room.out));
    assert_int_equal(room.out.n_source, 7);
    room.second.n_source = 8;
    assert_int_equal(pf_symmetrize(room.sym, method_of("union"), PF_SYM_SYMAL, &room.first, &room.second, &room.out), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "7 and 8"));
    room.first.n_source = 4;
    room.second.n_source = PF_UNKNOWN_LENGTH;
    assert_int_equal(pf_symmetrize(room.sym, method_of("intersect"), PF_SYM_ATOOLS, &room.first, &room.second, &room.out),
                     PF_EINPUT);
    assert_non_null(strstr(pf_message(), "link 4-4"));
    bench_free(&room);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pairs_are_symmetrized_literally),
        cmocka_unit_test(random_pairs_are_symmetrized_literally),
        cmocka_unit_test(two_programs_differ),
        cmocka_unit_test(marks_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
