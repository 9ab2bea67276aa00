/* What users write about spaces: specifications of constraints, tables of costs, permutations and references. What is accepted is
 * held to definitions: members that are counted, enumerated and walked to are the same ones. */
#include "fuzz.h"

#include <permfst/io/sentence.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/score.h>
#include <permfst/permute/check.h>
#include <permfst/permute/order.h>
#include <permfst/permute/perm.h>
#include <permfst/permute/tally.h>
#include <permfst/permute/walk.h>
#include <permfst/permute/wm_file.h>
#include <permfst/search/reference.h>

#include "../oracle.h"

#include <math.h>
#include <string.h>

enum { LONGEST_SPEC = 200, POSITIONS = 5, LINES = 4, MAX_LEVEL = 1000 };

/* ---- constraints: a specification a line ---- */

/* Does the automaton have a path that visits the positions in this order? */
static bool is_path(pf_con_walk *walk, const unsigned *p, unsigned n) {
    bool allowed = true;
    pf_con_walk_start(walk);
    for (unsigned t = 0; t < n && allowed; t++) {
        MUST(!pf_con_walk_allows(walk, p[t], &allowed));
        if (allowed) pf_con_walk_visit(walk, p[t]);
    }
    return allowed && pf_con_walk_ends(walk);
}

/* Of all permutations: those inside by the quick test, by the definition, and on a path are the same; as many are counted. */
static void compare_members(const char *spec, const pf_con *con, unsigned n) {
    unsigned p[POSITIONS], members = 0;
    pf_check *check;
    pf_con_walk walk;
    pf_tally tally;
    MUST(!pf_check_new(spec, n, &check) && !pf_con_walk_init(&walk, con, 0));
    oracle_first(p, n);
    do {
        bool inside = pf_check_inside(check, p);
        MUST(inside == oracle_member(spec, p, n));
        MUST(inside == is_path(&walk, p, n));
        members += inside;
    } while (oracle_next(p, n));
    MUST(!pf_tally_run(con, &(pf_tally_options){.max_states = MAX_LEVEL}, &tally));
    MUST(mpz_cmp_ui(tally.at[0], members) == 0);
    pf_tally_free(&tally);
    pf_con_walk_free(&walk);
    pf_check_free(check);
}

/* A difference that is empty has no constraint and no members. */
static void compare_empty(const char *spec, unsigned n) {
    unsigned p[POSITIONS];
    pf_con *plain;
    if (pf_con_plain(&spec, 1, n, &plain)) return;
    pf_con_free(plain);
    oracle_first(p, n);
    do MUST(!oracle_member(spec, p, n));
    while (oracle_next(p, n));
}

size_t fuzz_constraints(pf_reader *r, pf_writer *w PF_UNUSED, unsigned variant PF_UNUSED) {
    size_t accepted = 0, length;
    char *line;
    for (int i = 0; i < LINES && !pf_reader_line(r, &line, &length) && line; i++) {
        if (length > LONGEST_SPEC || strlen(line) != length || pf_con_check(line)) continue;
        accepted++;
        for (unsigned n = 0; n <= POSITIONS; n++) {
            pf_con *con;
            pf_err err = pf_con_new(line, n, &con);
            MUST(!err || err == PF_EARG || err == PF_ELIMIT);
            if (!err) compare_members(line, con, n);
            else if (err == PF_EARG) compare_empty(line, n);
            if (!err) pf_con_free(con);
        }
    }
    return accepted;
}

/* ---- tables of costs ---- */

static void use_costs(const char *spec, pf_fst *linear, const double *cost, size_t n) {
    pf_weight weight = {spec, cost, n};
    pf_fst *permuted;
    pf_err err = pf_perm_lazy(linear, &(pf_perm_spec){.wm = &weight, .n_wm = 1}, &permuted);
    MUST(!err || err == PF_ELIMIT || err == PF_EINPUT);
    if (err) return;
    fuzz_use_fst(permuted);
    pf_fst_free(permuted);
}

/* A matrix for each of a few sentences, or a row for each word; a sentence that is refused is passed over. */
size_t fuzz_tables(pf_reader *r, pf_writer *w PF_UNUSED, unsigned variant) {
    static const char *const specs[] = {"pairwise:x", "position:x", "lexical:x"};
    static const char *const sentences[] = {"a b", "b", "", "c a b"};
    const unsigned char *bytes;
    size_t have, n, accepted = 0;
    pf_reader *copy;
    pf_wm_file *file;
    if (pf_reader_peek(r, 1 << 16, &bytes, &have) || pf_reader_memory(bytes, have, "table", &copy) ||
        pf_wm_file_read(specs[variant], copy, &file))
        return 0;
    for (uint64_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        pf_fst *linear;
        pf_input input;
        double *cost;
        MUST(!pf_fst_of_line(PF_STANDARD, sentences[i], &linear) && !pf_input_read(linear, &input));
        if (pf_wm_file_next(file, &input, linear->osyms, &cost, &n)) {
            if (pf_wm_file_skip(file, i + 1)) i = UINT64_MAX - 1; /* the file ends */
        } else {
            use_costs(specs[variant], linear, cost, n);
            free(cost);
            accepted++;
        }
        pf_input_free(&input);
        pf_fst_free(linear);
    }
    (void)pf_wm_file_end(file);
    pf_wm_file_free(file);
    return accepted;
}

/* ---- permutations: one a line ---- */

/* The least parameter admits the permutation, and the one before it does not. */
static void check_least(const unsigned *p, unsigned n) {
    const pf_con_class *cls;
    for (size_t i = 0; (cls = pf_con_at(i)); i++) {
        char spec[100];
        bool inside;
        uint64_t param;
        if (!cls->least) continue;
        MUST(!pf_check_least(cls, p, n, &inside, &param));
        for (uint64_t less = 0; inside && less < 2 && param - less >= 1; less++) {
            pf_check *check;
            snprintf(spec, sizeof spec, "%s:%llu", cls->name, (unsigned long long)(param - less));
            if (pf_check_new(spec, n, &check)) break; /* a parameter that is too small for the class */
            MUST(pf_check_inside(check, p) == !less && oracle_member(spec, p, n) == !less);
            pf_check_free(check);
        }
    }
}

size_t fuzz_orders(pf_reader *r, pf_writer *w, unsigned base) {
    size_t accepted = 0, length;
    char *line;
    while (!pf_reader_line(r, &line, &length) && line) {
        pf_visit_order order = {0};
        if (strlen(line) == length && !pf_visit_order_read(line, base, &order)) {
            MUST(!pf_visit_order_write(w, order.order, order.n, base) && !pf_writer_put(w, "\n", 1));
            if (order.n <= POSITIONS + 1) check_least(order.order, order.n);
            accepted++;
        }
        pf_visit_order_free(&order);
    }
    return accepted;
}

/* ---- references: a line beside a permutation automaton with a model ---- */

static const char arpa[] = "\\data\\\nngram 1=5\nngram 2=3\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n"
                           "-0.75\tb\t-0.125\n\n\\2-grams:\n-0.2\t<s> a\n-0.4\ta b\n-0.3\tb a\n\n\\end\\\n";

/* An answer of all paths, compared with the reference, costs no more than the reference does; a reference that costs the same is
 * the best one. */
static size_t compare_reference(pf_fst *scored, const char *line) {
    pf_reference_order *reference;
    pf_answer answer;
    size_t accepted = 0;
    if (pf_reference_order_new(scored, line, &reference)) return 0;
    MUST(!pf_best(scored, &(pf_best_options){0}, &answer) && answer.paths.n == 1);
    if (!pf_answer_compare(&answer, reference, NULL, NULL)) {
        MUST(answer.compared && answer.reference >= answer.paths.at[0].cost);
        MUST(pf_answer_verdict(&answer) != PF_SEARCH_ERROR);
        MUST((pf_answer_verdict(&answer) == PF_NOT_ADMITTED) == isinf(answer.reference));
        accepted = 1;
    }
    pf_answer_free(&answer);
    pf_reference_order_free(reference);
    return accepted;
}

size_t fuzz_references(pf_reader *r, pf_writer *w PF_UNUSED, unsigned variant PF_UNUSED) {
    const char *con = "ibm:3";
    size_t accepted = 0, length;
    char *line;
    pf_reader *text;
    pf_model model;
    pf_fst *linear, *permuted, *scored;
    MUST(!pf_reader_memory(arpa, sizeof arpa - 1, "model", &text) && !pf_ngram_read_arpa(text, NULL, NULL, &model));
    MUST(!pf_fst_of_line(PF_STANDARD, "a b a c b", &linear));
    MUST(!pf_perm_lazy(linear, &(pf_perm_spec){.con = &con, .n_con = 1}, &permuted));
    MUST(!pf_score_all(permuted, 1, &(pf_scored){&model, 1}, 1, &scored));
    while (accepted < LINES && !pf_reader_line(r, &line, &length) && line)
        if (strlen(line) == length) accepted += compare_reference(scored, line);
    pf_fst_free(scored);
    pf_fst_free(permuted);
    pf_fst_free(linear);
    pf_model_free(&model);
    pf_reader_free(text);
    return accepted;
}
