/* The verbs by the library alone: what a program does to one record, one line, one length or one pair of spaces. Each is compared
 * with the parts that it is made of, or with numbers that are known; at the end threads share expressions. */
#include "check.h"
#include "paths.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what the tests share ---- */

static const char *data(const char *name) {
    static char where[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(where, sizeof where, "%s/tests/data/%s", srcdir ? srcdir : ".", name);
    return where;
}

static pf_reader *reader_of(const char *text) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "text", &reader));
    return reader;
}

/* What was written, NUL-ended; the caller frees it, the writer is gone. */
static char *text_of(pf_writer *writer) {
    size_t n;
    const unsigned char *at = pf_writer_bytes(writer, &n);
    char *text = malloc(n + 1);
    assert_non_null(text);
    if (n) memcpy(text, at, n);
    text[n] = 0;
    pf_writer_free(writer);
    return text;
}

static pf_writer *memory(void) {
    pf_writer *writer;
    SUCCEED(pf_writer_memory(&writer));
    return writer;
}

static pf_expr *words(const char *line) {
    pf_fst *fst;
    pf_expr *expr;
    SUCCEED(pf_fst_of_line(PF_STANDARD, line, &fst));
    SUCCEED(pf_expr_of_fst(fst, &expr));
    return expr;
}

static pf_expr *permuted(const char *line, const char *con) {
    pf_expr *input = words(line), *expr;
    SUCCEED(pf_expr_permute(input, &(pf_perm_spec){.con = &con, .n_con = con != NULL}, &expr));
    pf_expr_free(input);
    return expr;
}

static pf_blob *back_off_model(void) {
    pf_reader *reader;
    pf_model loaded;
    pf_blob *blob;
    SUCCEED(pf_reader_open(data("good-back-off.arpa"), &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &loaded));
    pf_reader_free(reader);
    SUCCEED(pf_blob_of_model(&loaded, &blob));
    return blob;
}

static pf_expr *composed(pf_expr *first, pf_blob *model_blob) {
    pf_expr *expr;
    SUCCEED(pf_expr_compose_shared(first, model_blob, NULL, &expr));
    pf_expr_free(first);
    pf_blob_free(model_blob);
    return expr;
}

static pf_answer best_of(pf_expr *expr, size_t n) {
    pf_opened *opened;
    pf_answer answer;
    SUCCEED(pf_open(expr, &opened));
    SUCCEED(pf_best(pf_opened_fst(opened), &(pf_best_options){.n = n}, &answer));
    pf_opened_free(opened);
    return answer;
}

static void expect_message(pf_err got, pf_err want, const char *part) {
    CHECK(got == want, "%d, %s", got, pf_message());
    CHECK(strstr(pf_message(), part), "'%s' in '%s'", part, pf_message());
}

/* ---- compile ---- */

/* Counts the records of a text, their kinds in `kinds` ("vpm": vector, perm, model); lines that fail are 'x'. */
static void compile(const char *text, const pf_compiler_options *options, const char *kinds) {
    pf_reader *reader = reader_of(text);
    pf_compiler *compiler;
    pf_expr *expr, *nothing;
    char seen[20] = "";
    size_t n = 0;
    SUCCEED(pf_compiler_new(reader, options, &compiler));
    for (;;) {
        pf_err err = pf_compiler_next(compiler, &expr);
        if (!err && !expr) break;
        assert_true(n + 1 < sizeof seen);
        seen[n++] = err ? 'x' : *pf_expr_kind_name(expr->kind);
        if (err) {
            assert_null(expr);
            if (!pf_compiler_goes_on(compiler)) break;
            SUCCEED(pf_compiler_nothing(compiler, &nothing));
            assert_int_equal(nothing->fst->start, PF_NO_STATE);
            pf_expr_free(nothing);
        }
        pf_expr_free(expr);
    }
    SUCCEED(pf_compiler_next(compiler, &expr)); /* the end stays the end */
    assert_null(expr);
    CHECK(strcmp(seen, kinds) == 0, "%s: '%s', not '%s'", text, seen, kinds);
    pf_compiler_free(compiler);
    pf_reader_free(reader);
}

static char *file_text(const char *where) {
    static char text[1 << 16];
    FILE *file = fopen(where, "rb");
    CHECK(file, "%s", where);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    return text;
}

static void every_kind_of_text_is_compiled(void **state) {
    pf_symtab *fixed;
    (void)state;
    SUCCEED(pf_symtab_new("fixed", &fixed));
    SUCCEED(pf_symtab_add(fixed, "a", 1, &(pf_label){0}));
    compile("", &(pf_compiler_options){0}, "");
    compile("a b\n\nc", &(pf_compiler_options){0}, "vvv");
    compile("a\nb\na a\n", &(pf_compiler_options){.sentence.labels = {.words = fixed, .fixed = true}}, "vxv");
    compile("<zone>a b</zone> c\nd\n<zone>\n", &(pf_compiler_options){.sentence.markup = true}, "ppx");
    compile("0 1 1 1\n1\n", &(pf_compiler_options){.kind = PF_TEXT_ATT}, "v");
    compile("0 1 1 1\n1\n\n0\n", &(pf_compiler_options){.kind = PF_TEXT_ATT, .att.many = true}, "vv");
    compile("0 1 x\n", &(pf_compiler_options){.kind = PF_TEXT_ATT}, "x");
    compile("((('a',1,1),),)\n(((\n((('b',1,1),),)\n", &(pf_compiler_options){.kind = PF_TEXT_PLF}, "vxv");
    compile("VERSION=1.0\nN=2 L=1\nI=0\nI=1 W=a\nJ=0 S=0 E=1\n", &(pf_compiler_options){.kind = PF_TEXT_SLF}, "v");
    compile(file_text(data("good-perm3.xml")), &(pf_compiler_options){.kind = PF_TEXT_XML}, "v");
    compile(file_text(data("good-back-off.arpa")), &(pf_compiler_options){.kind = PF_TEXT_ARPA}, "m");
    compile("\\data\\\n", &(pf_compiler_options){.kind = PF_TEXT_ARPA}, "x");
    compile("\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 a|x_y\n\n\\end\\\n",
            &(pf_compiler_options){.kind = PF_TEXT_TUPLES, .tuples = {10, 0}}, "m");
    pf_symtab_free(fixed);
}

static void a_marked_line_is_a_permutation_with_its_marks(void **state) {
    pf_reader *reader = reader_of("<zone>a b</zone> c\n");
    pf_compiler *compiler;
    pf_expr *expr;
    (void)state;
    SUCCEED(pf_compiler_new(reader, &(pf_compiler_options){.sentence.markup = true}, &compiler));
    SUCCEED(pf_compiler_next(compiler, &expr));
    assert_int_equal(expr->spec.n_con, 1);
    assert_string_equal(expr->spec.con[0], "zone:1,2");
    pf_expr_free(expr);
    pf_compiler_free(compiler);
    pf_reader_free(reader);
}

static void scales_are_read_by_name(void **state) {
    pf_score_scales scales;
    (void)state;
    SUCCEED(pf_score_scales_read((const char *const[]){"1:0.5", "a:b:-2"}, 2, "scale", &scales));
    assert_int_equal(scales.n, 2);
    assert_string_equal(scales.at[1].name, "a:b");
    assert_true(scales.at[0].by == 0.5 && scales.at[1].by == -2);
    pf_score_scales_free(&scales);
    expect_message(pf_score_scales_read((const char *const[]){"a:1", "a:2"}, 2, "scale", &scales), PF_EARG,
                   "scale gives 'a' twice");
    pf_score_scales_free(&scales);
    expect_message(pf_score_scales_read((const char *const[]){"a"}, 1, "scale", &scales), PF_EARG,
                   "scale: expected NAME:X, found 'a'");
    pf_score_scales_free(&scales);
}

/* ---- permute ---- */

static void each_record_gets_its_own_costs(void **state) {
    char costs[] = "permfst-verbs-XXXXXX", weight[80];
    const char *spec = weight, *nothing = "nothing:1", *wall = "wall:7";
    int fd = mkstemp(costs);
    static const char matrices[] = "0 1\n2 0\n\n0 bad\n1 0\n\n0 5\n7 0\n";
    pf_permuter *permuter;
    pf_expr *line = words("a b"), *e, *none;
    (void)state;
    assert_true(fd >= 0 && write(fd, matrices, sizeof matrices - 1) == (ssize_t)sizeof matrices - 1);
    snprintf(weight, sizeof weight, "pairwise:%s", costs);
    SUCCEED(pf_permuter_new(NULL, 0, &spec, 1, NULL, false, &permuter));
    SUCCEED(pf_permuter_permute(permuter, line, &e));
    assert_true(e->spec.wm[0].n == 4 && e->spec.wm[0].cost[1] == 1);
    pf_expr_free(e);
    expect_message(pf_permuter_permute(permuter, line, &none), PF_EINPUT, "bad");
    assert_null(none);
    SUCCEED(pf_permuter_permute(permuter, line, &e)); /* the third matrix is that of the third record */
    assert_true(e->spec.wm[0].cost[1] == 5 && e->spec.wm[0].cost[2] == 7);
    SUCCEED(pf_permuter_end(permuter));
    pf_expr_free(e);
    pf_permuter_free(permuter);
    expect_message(pf_permuter_new(&nothing, 1, NULL, 0, NULL, false, &permuter), PF_EARG, "nothing");
    assert_null(permuter);
    SUCCEED(pf_permuter_new(&wall, 1, NULL, 0, NULL, false, &permuter));
    expect_message(pf_permuter_permute(permuter, line, &none), PF_EARG, "7");
    pf_permuter_free(permuter);
    pf_expr_free(line);
    close(fd);
    unlink(costs);
}

/* ---- compose ---- */

/* Gives references of n expressions, then the end. */
typedef struct {
    pf_expr **at;
    size_t n;
} sequence;

static pf_err next_of(void *self, pf_expr **out) {
    sequence *rest = self;
    *out = rest->n ? pf_expr_ref(*rest->at) : NULL;
    if (rest->n) rest->at++, rest->n--;
    return PF_OK;
}

static void a_list_of_operands_is_one_composition_inside_the_other(void **state) {
    pf_expr *first = permuted("a b", NULL), *second[2] = {words("a b"), words("b a")}, *got, *model_only;
    sequence rest = {second + 1, 1};
    pf_blob *blob = back_off_model();
    pf_operands *list;
    pf_operand_records *own;
    double cost[2];
    (void)state;
    SUCCEED(pf_operands_new(&(pf_operands_options){.scale_first = 1}, &list));
    SUCCEED(pf_operands_add_model(list, 0.5, blob));
    SUCCEED(pf_operands_add(list, "pairs", 1, second[0], next_of, &rest));
    assert_ptr_equal(pf_operands_shared(list, 0), blob);
    assert_null(pf_operands_shared(list, 1));
    for (int i = 0; i < 2; i++) {
        pf_expr *inner, *want;
        SUCCEED(pf_operands_take(list, &own));
        SUCCEED(pf_operands_compose(list, own, first, &got));
        pf_operand_records_free(own);
        SUCCEED(pf_expr_compose_shared(first, blob, &(pf_composing){{1, 0.5}, NULL}, &inner));
        SUCCEED(pf_expr_compose(inner, second[i], NULL, &want));
        pf_answer answer = best_of(got, 1), b = best_of(want, 1);
        assert_int_equal(answer.paths.n, 1);
        cost[i] = answer.paths.at[0].cost;
        assert_true(cost[i] == b.paths.at[0].cost);
        pf_answer_free(&answer);
        pf_answer_free(&b);
        pf_expr_free(got);
        pf_expr_free(inner);
        pf_expr_free(want);
        assert_true(i == 1 || pf_operands_end(list) == PF_EINPUT);
    }
    assert_true(cost[0] != cost[1]);
    SUCCEED(pf_operands_end(list));
    expect_message(pf_operands_take(list, &own), PF_EINPUT, "pairs has fewer records");
    pf_operand_records_free(own);
    pf_operands_free(list);
    SUCCEED(pf_expr_of_model(blob, &model_only));
    SUCCEED(pf_operands_new(&(pf_operands_options){.scale_first = 1}, &list));
    SUCCEED(pf_operands_take(list, &own));
    expect_message(pf_operands_compose(list, own, model_only, &got), PF_EINPUT, "found a model");
    pf_operand_records_free(own);
    pf_operands_free(list);
    pf_expr_free(model_only);
    for (int i = 0; i < 2; i++) pf_expr_free(second[i]);
    pf_expr_free(first);
    pf_blob_free(blob);
}

static void a_scale_past_the_floats_is_a_limit_everywhere(void **state) {
    const double large = 1e39;
    pf_expr *first = words("a b"), *composed;
    pf_blob *blob = back_off_model();
    sequence none = {NULL, 0};
    pf_operands *list;
    (void)state;
    expect_message(pf_operands_new(&(pf_operands_options){.scale_first = large}, &list), PF_ELIMIT, "found 1e+39");
    assert_null(list);
    SUCCEED(pf_operands_new(&(pf_operands_options){.scale_first = 1}, &list));
    expect_message(pf_operands_add_model(list, -large, blob), PF_ELIMIT, "found -1e+39");
    expect_message(pf_operands_add(list, "B", large, first, next_of, &none), PF_ELIMIT, "found 1e+39");
    expect_message(pf_expr_compose(first, first, &(pf_composing){{large, 1}, NULL}, &composed), PF_ELIMIT, "found 1e+39");
    expect_message(pf_expr_compose_shared(first, blob, &(pf_composing){{1, NAN}, NULL}, &composed), PF_ELIMIT, "found nan");
    pf_operands_free(list);
    pf_expr_free(first);
    pf_blob_free(blob);
}

static void a_failure_symbol_must_be_in_some_operand(void **state) {
    pf_expr *lacks = words("a b"), *has = words("a <phi>");
    sequence none = {NULL, 0}, one = {&has, 1};
    pf_operand_records *own;
    pf_operands *list;
    (void)state;
    SUCCEED(pf_operands_new(&(pf_operands_options){.scale_first = 1, .phi = "<phi>"}, &list));
    assert_true(pf_operands_lack_phi(list));
    SUCCEED(pf_operands_add(list, "B", 1, lacks, next_of, &none));
    assert_true(pf_operands_lack_phi(list));
    expect_message(pf_operands_check_phi(list), PF_EARG, "no automaton after the first has the symbol '<phi>'");
    SUCCEED(pf_operands_add(list, "C", 1, lacks, next_of, &one));
    assert_false(pf_operands_lack_phi(list)); /* records of C can have it */
    SUCCEED(pf_operands_take(list, &own));
    pf_operand_records_free(own);
    SUCCEED(pf_operands_take(list, &own));
    assert_false(pf_operands_lack_phi(list)); /* the second one has */
    pf_operand_records_free(own);
    pf_operands_free(list);
    pf_expr_free(lacks);
    pf_expr_free(has);
}

/* ---- search and verify ---- */

static void an_answer_says_how_good_it_is(void **state) {
    pf_arc arc = {1, 1, 1.5f, 0};
    pf_answer answer = {.bound = 1, .search = "levels", .states = 3, .arcs = 4};
    char proof[PF_PROOF_BYTES], searched[PF_SEARCHED_BYTES];
    pf_expr *expr = permuted("a b c d", "none");
    pf_opened *opened;
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    SUCCEED(pf_answer_add(&answer, &arc, 1, 0));
    assert_string_equal(pf_answer_proof(&answer, proof), "gap <= 0.500000");
    answer.bound = -(double)INFINITY;
    assert_string_equal(pf_answer_proof(&answer, proof), "not proven optimal");
    answer.bound = 1.5;
    assert_string_equal(pf_answer_proof(&answer, proof), "optimal");
    assert_string_equal(pf_answer_searched(&answer, pf_opened_fst(opened), searched), "1 path, levels: 3 states, 4 arcs, optimal");
    answer.compared = true;
    answer.reference = 2;
    pf_answer_searched(&answer, pf_opened_fst(opened), searched);
    assert_non_null(strstr(searched, ", optimal; reference 2.000000, model error"));
    assert_true(pf_best_size(pf_opened_fst(opened), &(pf_best_options){0}) == 16);
    assert_true(pf_best_size(pf_opened_fst(opened), &(pf_best_options){.beam = 5}) == 0);
    assert_true(pf_best_size(pf_opened_fst(opened), &(pf_best_options){.threshold = 1}) == 0);
    assert_true(pf_best_size(pf_opened_fst(opened), &(pf_best_options){.threshold = 1, .lattice = true}) == 16);
    pf_answer_free(&answer);
    pf_opened_free(opened);
    pf_expr_free(expr);
}

static void an_answer_is_written_in_three_forms(void **state) {
    static const pf_expr_kind kind[] = {PF_EXPR_BEST, PF_EXPR_FST, PF_EXPR_FST};
    pf_expr *expr = permuted("a b c", "none"), *out;
    pf_opened *opened;
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    for (int form = PF_ANSWER_AS_PATHS; form <= PF_ANSWER_AS_LATTICE; form++) {
        pf_answer answer, empty = {0};
        pf_best_options options = {.n = 4, .lattice = form == PF_ANSWER_AS_LATTICE, .threshold = (double)INFINITY};
        SUCCEED(pf_best(pf_opened_fst(opened), &options, &answer));
        SUCCEED(pf_expr_of_search(&answer, (pf_answer_form)form, &out));
        assert_int_equal(out->kind, kind[form]);
        if (form) {
            paths all = all_paths(out->fst, (double)INFINITY);
            assert_int_equal(all.at.n, form == PF_ANSWER_AS_FST ? 4 : 6);
            PF_VEC_FREE(&all.at);
        }
        pf_expr_free(out);
        pf_answer_free(&answer);
        SUCCEED(pf_expr_of_search(&empty, (pf_answer_form)form, &out));
        assert_true(form ? out->fst->start == PF_NO_STATE : !out->answer->paths.n);
        pf_expr_free(out);
        pf_answer_free(&empty);
    }
    pf_opened_free(opened);
    pf_expr_free(expr);
}

typedef struct {
    size_t rank[8], n;
    double cost[8];
} wrong_paths;

static void note_wrong(void *self, const pf_path *wrong, size_t rank, double cost) {
    wrong_paths *w = self;
    assert_true(w->n < LENGTH(w->rank) && wrong->n == 2);
    w->rank[w->n] = rank;
    w->cost[w->n++] = cost;
}

static void wrong_paths_of_an_answer_are_found(void **state) {
    pf_expr *expr = composed(permuted("a b", NULL), back_off_model());
    pf_opened *opened;
    pf_answer answer = best_of(expr, 2);
    wrong_paths wrong = {.n = 0};
    uint64_t n;
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    SUCCEED(pf_verify_answer(pf_opened_fst(opened), &answer, note_wrong, &wrong, &n));
    assert_true(n == 0 && wrong.n == 0 && answer.paths.n == 2);
    double cost = answer.paths.at[0].cost;
    answer.paths.at[0].cost += 1;
    answer.paths.at[1].arc[0].in = 7;
    SUCCEED(pf_verify_answer(pf_opened_fst(opened), &answer, note_wrong, &wrong, &n));
    assert_true(n == 2 && wrong.n == 2 && wrong.rank[0] == 1 && wrong.rank[1] == 2);
    assert_true(wrong.cost[0] == cost && wrong.cost[1] == (double)INFINITY);
    SUCCEED(pf_verify_answer(pf_opened_fst(opened), &answer, NULL, NULL, &n));
    assert_int_equal(n, 2);
    pf_answer_free(&answer);
    pf_opened_free(opened);
    pf_expr_free(expr);
}

static void an_answer_is_compared_with_a_reference(void **state) {
    pf_expr *expr = composed(permuted("a b", NULL), back_off_model());
    pf_opened *opened;
    pf_answer answer = best_of(expr, 2);
    pf_reference_order *reference;
    static const char *const line[] = {"a b", "b a", "a a"};
    static const pf_verdict want[] = {PF_REFERENCE_BEST, PF_MODEL_ERROR, PF_NOT_ADMITTED};
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    for (size_t i = 0; i < LENGTH(line); i++) {
        SUCCEED(pf_reference_order_new(pf_opened_fst(opened), line[i], &reference));
        SUCCEED(pf_answer_compare(&answer, reference, NULL, NULL));
        assert_int_equal(pf_answer_verdict(&answer), want[i]);
        assert_true(i == 2 || answer.reference == answer.paths.at[i].cost);
        pf_reference_order_free(reference);
    }
    const double cost = answer.paths.at[0].cost;
    answer.reference = cost * (1 + 0.9e-6);
    assert_int_equal(pf_answer_verdict(&answer), PF_REFERENCE_TIE);
    answer.reference = cost * (1 - 0.9e-6);
    assert_int_equal(pf_answer_verdict(&answer), PF_REFERENCE_TIE);
    answer.reference = cost * (1 + 1.1e-6);
    assert_int_equal(pf_answer_verdict(&answer), PF_MODEL_ERROR);
    answer.reference = cost * (1 - 1.1e-6);
    assert_int_equal(pf_answer_verdict(&answer), PF_SEARCH_ERROR);
    answer.reference = cost;
    answer.bound = cost - 1;
    assert_int_equal(pf_answer_verdict(&answer), PF_REFERENCE_BEST_FOUND);
    pf_answer_free(&answer);
    pf_opened_free(opened);
    pf_expr_free(expr);
}

/* The line of a record that failed is read, too, and the message of the record stays. */
static void references_are_read_beside_records(void **state) {
    pf_expr *expr = permuted("a b", NULL);
    pf_reader *reader = reader_of("b a\nskipped\na b\n");
    pf_reference_order *order;
    pf_opened *opened;
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    for (int i = 0; i < 3; i++) {
        pf_err failed = i == 1 ? pf_fail(PF_EINPUT, "no such record") : PF_OK;
        if (i == 1) expect_message(pf_reference_next(reader, NULL, failed, &order), PF_EINPUT, "no such record");
        else SUCCEED(pf_reference_next(reader, fst, failed, &order));
        if (i != 1) pf_reference_order_free(order);
    }
    SUCCEED(pf_reference_end(reader));
    expect_message(pf_reference_next(reader, fst, PF_OK, &order), PF_EINPUT, "expected the reference of another record");
    pf_reader_free(reader);
    reader = reader_of("b a\nb a\n");
    SUCCEED(pf_reference_next(reader, fst, PF_OK, &order));
    pf_reference_order_free(order);
    expect_message(pf_reference_end(reader), PF_EINPUT, "text:2: expected the end");
    pf_reader_free(reader);
    pf_opened_free(opened);
    pf_expr_free(expr);
}

typedef struct {
    char words[4000];
} heard;

/* Threads that work, and the one that finishes, may say something at the same time. */
static void hear(void *call, const char *words) {
    static pthread_mutex_t one_speaks = PTHREAD_MUTEX_INITIALIZER;
    heard *all = call;
    pthread_mutex_lock(&one_speaks);
    size_t used = strlen(all->words);
    snprintf(all->words + used, sizeof all->words - used, "%s\n", words);
    pthread_mutex_unlock(&one_speaks);
}

static pf_err go_on(void *call, pf_err err) {
    hear(call, pf_message());
    return err == PF_EIO || err == PF_ENOMEM ? err : PF_OK;
}

static pf_err search_record(void *self, pf_record *record) {
    pf_searcher *searcher = self;
    return pf_searcher_work(searcher, record, &searcher->best);
}

/* Records as a stream of bytes, which the caller frees. */
static char *stream_of(pf_expr *const *all, size_t n, size_t *bytes) {
    pf_writer *writer = memory();
    pf_stream_writer *stream;
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    for (size_t i = 0; i < n; i++) SUCCEED(pf_stream_put(stream, all[i], i + 1));
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    const unsigned char *at = pf_writer_bytes(writer, bytes);
    char *copy = malloc(*bytes);
    assert_non_null(copy);
    memcpy(copy, at, *bytes);
    pf_writer_free(writer);
    return copy;
}

/* What steps make of the records in these bytes, as a stream that the caller frees. */
static void read_through(const char *bytes, size_t n, size_t threads, const pf_record_steps *steps, void *self, char **out,
                         size_t *size) {
    pf_writer *writer = memory();
    pf_stream_writer *stream;
    pf_reader *reader;
    pf_source *source;
    pf_records *records;
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    SUCCEED(pf_reader_memory(bytes, n, "records", &reader));
    SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &source));
    SUCCEED(pf_records_new(steps, self, &(pf_record_options){.threads = threads, .stream = stream}, &records));
    SUCCEED(pf_records_end(records, pf_records_read(records, source), NULL));
    SUCCEED(pf_stream_end(stream));
    pf_source_free(source);
    pf_stream_writer_free(stream);
    const unsigned char *at = pf_writer_bytes(writer, size);
    *out = malloc(*size);
    assert_non_null(*out);
    memcpy(*out, at, *size);
    pf_writer_free(writer);
}

/* Searches the records of the bytes with as many threads; what they put out as text is the caller's. */
static char *search_all(pf_searcher *searcher, heard *said, const char *bytes, size_t n, size_t threads) {
    const pf_record_steps steps = {pf_searcher_open, search_record, pf_searcher_finish, pf_searcher_drop, true};
    pf_writer *text = memory();
    pf_reader *reader;
    pf_source *source;
    pf_records *records;
    *said->words = 0;
    searcher->done = (pf_searched){0};
    SUCCEED(pf_reader_memory(bytes, n, "records", &reader));
    SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1, .models = true}, &source));
    SUCCEED(pf_records_new(&steps, searcher, &(pf_record_options){.threads = threads, .call = said, .writer = text, .stand_in = "",
                                                                .failed = go_on}, &records));
    pf_err err = pf_records_read(records, source);
    SUCCEED(pf_records_end(records, err, NULL));
    pf_source_free(source);
    return text_of(text);
}

/* The second record has no path; the third one is a model, which has none of its own and fails. */
static void records_are_searched_in_turn(void **state) {
    pf_expr *all[] = {composed(permuted("a b", NULL), back_off_model()), NULL, NULL, permuted("b a a", NULL)};
    pf_searcher search = {.best = {.n = 2}, .say = hear, .most_coverages = 4, .verbose = true};
    heard said;
    char verdicts[PF_VERDICTS_BYTES];
    pf_fst *none;
    size_t n;
    (void)state;
    SUCCEED(pf_fst_new(PF_STANDARD, NULL, NULL, &none));
    SUCCEED(pf_expr_of_fst(none, &all[1]));
    pf_blob *model_blob = back_off_model();
    SUCCEED(pf_expr_of_model(model_blob, &all[2]));
    pf_blob_free(model_blob);
    char *bytes = stream_of(all, LENGTH(all), &n);
    for (size_t threads = 1; threads <= 2; threads++) {
        pf_searcher *searcher = &search;
        searcher->references = reader_of("b a\nx\na b\na b a\n");
        searcher->scores = false;
        char *text = search_all(searcher, &said, bytes, n, threads);
        SUCCEED(pf_searcher_end(searcher));
        assert_string_equal(text, "");
        assert_null(strstr(said.words, "record 1: an exact search")); /* of 4 coverages */
        assert_null(strstr(said.words, "record 2: an exact search"));
        assert_non_null(strstr(said.words, "record 4: an exact search may visit up to 8 coverages"));
        assert_int_equal(searcher->done.records, 3);
        assert_int_equal(searcher->done.without_path, 1);
        assert_int_equal(searcher->done.out_of_memory, 0);
        assert_non_null(strstr(said.words, "record 1: 2 paths, levels: "));
        assert_non_null(strstr(said.words, "record 2 has no path\n"));
        assert_non_null(strstr(said.words, "record 3"));
        assert_non_null(strstr(said.words, "record 4: 2 paths, "));
        assert_string_equal(pf_searched_verdicts(&searcher->done, verdicts),
                            "1 best, 0 best found, 0 tie, 1 model error, 0 search error, 1 not admitted");
        free(text);
        pf_reader_free(searcher->references);
        searcher->references = NULL;
        searcher->scores = true;
        text = search_all(searcher, &said, bytes, n, threads);
        assert_non_null(strstr(text, "0 ||| a b ||| A= "));
        assert_non_null(strstr(text, "\n3 ||| "));
        assert_null(strstr(text, "\n1 ||| ")); /* no path, no line */
        assert_null(strstr(text, "\n2 ||| "));
        free(text);
    }
    free(bytes);
    for (size_t i = 0; i < LENGTH(all); i++) pf_expr_free(all[i]);
}

/* ---- count ---- */

static void expect_count(pf_expr *expr, const char *by, bool of_space, size_t k, unsigned long want) {
    pf_path_count count;
    SUCCEED(pf_expr_count(expr, &(pf_tally_options){.by = by}, &count));
    assert_int_equal(count.of_space, of_space);
    assert_true(k < count.tally.n);
    CHECK(mpz_cmp_ui(count.tally.at[k], want) == 0, "%lu expected", want);
    pf_path_count_free(&count);
}

static pf_expr *compiled(const char *text, pf_text_kind kind) {
    pf_reader *reader = reader_of(text);
    pf_compiler *compiler;
    pf_expr *expr;
    SUCCEED(pf_compiler_new(reader, &(pf_compiler_options){.kind = kind}, &compiler));
    SUCCEED(pf_compiler_next(compiler, &expr));
    pf_compiler_free(compiler);
    pf_reader_free(reader);
    return expr;
}

static void paths_and_permutations_are_counted(void **state) {
    pf_expr *perm = permuted("a b a b", "none"), *both = composed(pf_expr_ref(perm), back_off_model());
    pf_expr *alternatives = compiled("((('a',1,1),('b',1,1),),(('c',1,1),),)\n", PF_TEXT_PLF), *slots;
    pf_expr *cycle = compiled("0 0 1 1\n0\n", PF_TEXT_ATT), *inner;
    pf_path_count count;
    pf_writer *writer = memory();
    char how[PF_COUNT_HOW_BYTES];
    (void)state;
    SUCCEED(pf_expr_permute(alternatives, &(pf_perm_spec){0}, &slots));
    expect_count(perm, NULL, true, 0, 24);
    expect_count(perm, "inversions:1", true, 1, 3);
    expect_count(both, NULL, true, 0, 24);
    expect_count(slots, NULL, true, 0, 4);
    expect_count(alternatives, NULL, false, 0, 2);
    SUCCEED(pf_expr_without_models(both, &inner));
    assert_ptr_equal(inner, both->first);
    expect_message(pf_expr_count(cycle, &(pf_tally_options){0}, &count), PF_EINPUT, "cycle");
    expect_message(pf_expr_count(alternatives, &(pf_tally_options){.by = "inversions:1"}, &count), PF_EARG, "statistic");
    SUCCEED(pf_expr_count(alternatives, &(pf_tally_options){0}, &count));
    assert_string_equal(pf_path_count_how(&count, how), "3 states and 3 arcs built");
    pf_path_count_free(&count);
    SUCCEED(pf_space_count((const char *const[]){"itg", "ibm:2"}, 2, 6, &(pf_tally_options){0}, &count));
    assert_int_equal(mpz_get_ui(count.tally.at[0]), 32);
    SUCCEED(pf_tally_write(&count.tally, false, "6\t", writer));
    SUCCEED(pf_tally_write(&count.tally, true, NULL, writer));
    char *written = text_of(writer);
    assert_string_equal(written, "6\t32\n0\t32\n");
    free(written);
    assert_non_null(strstr(pf_path_count_how(&count, how), "6 positions: "));
    pf_path_count_free(&count);
    expect_message(pf_space_count((const char *const[]){"ibm"}, 1, 6, &(pf_tally_options){0}, &count), PF_EARG, "ibm");
    pf_expr_free(slots);
    pf_expr_free(alternatives);
    pf_expr_free(cycle);
    pf_expr_free(both);
    pf_expr_free(perm);
}

/* ---- draw ---- */

enum { DRAWN = 60, PLACES = 7 };

static void draw(const char *spec, const size_t *batch, unsigned *orders, bool *counted) {
    gmp_randstate_t random;
    pf_space_drawer *drawer;
    uint64_t states, arcs;
    pf_randgen_seed(random, 7, 1);
    SUCCEED(pf_space_drawer_new(&spec, 1, PLACES, &(pf_randgen_options){0}, &drawer));
    for (size_t i = 0; i < DRAWN; i += *batch++) SUCCEED(pf_space_drawer_draw(drawer, random, *batch, orders + i * PLACES));
    *counted = pf_space_drawer_counted(drawer, &states, &arcs);
    assert_true(*counted == (states > 0));
    pf_space_drawer_free(drawer);
    gmp_randclear(random);
}

static void permutations_are_drawn_from_a_space(void **state) {
    static const char *const spec[] = {"itg", "ibm:2", "local:3", "none"};
    bool counted, some = false, all = true;
    (void)state;
    for (size_t i = 0; i < LENGTH(spec); i++) {
        unsigned one[DRAWN * PLACES], other[DRAWN * PLACES];
        pf_check *check;
        draw(spec[i], (const size_t[]){DRAWN}, one, &counted);
        draw(spec[i], (const size_t[]){1, 19, 40}, other, &counted);
        assert_memory_equal(one, other, sizeof one);
        SUCCEED(pf_check_new(spec[i], PLACES, &check));
        for (size_t k = 0; k < DRAWN; k++) assert_true(pf_check_inside(check, one + k * PLACES));
        pf_check_free(check);
        assert_memory_not_equal(one, one + PLACES, (DRAWN - 1) * PLACES * sizeof *one);
        some = some || counted;
        all = all && counted;
    }
    assert_true(some && !all); /* both ways were seen */
}

/* The lines are the orders that are drawn, by the constraint and through the automaton. */
static void drawn_permutations_are_written(void **state) {
    static const char *const specs[] = {"itg", "ibm:3+itg"};
    enum { LENGTH_DRAWN = 7, COUNT = 40 };
    (void)state;
    for (size_t i = 0; i < LENGTH(specs); i++) {
        unsigned orders[COUNT * LENGTH_DRAWN];
        pf_writer *want = memory(), *got = memory();
        for (int k = 0; k < 2; k++) {
            gmp_randstate_t random;
            pf_space_drawer *drawer;
            SUCCEED(pf_space_drawer_new(&specs[i], 1, LENGTH_DRAWN, &(pf_randgen_options){0}, &drawer));
            pf_randgen_seed(random, 3, 1);
            if (k) SUCCEED(pf_space_drawer_write(drawer, random, COUNT, got));
            else SUCCEED(pf_space_drawer_draw(drawer, random, COUNT, orders));
            gmp_randclear(random);
            pf_space_drawer_free(drawer);
        }
        for (size_t k = 0; k < COUNT * LENGTH_DRAWN; k++)
            SUCCEED(pf_writer_text(want, "%u%s", orders[k] + 1, (k + 1) % LENGTH_DRAWN ? " " : "\n"));
        char *text[] = {text_of(want), text_of(got)};
        assert_string_equal(text[0], text[1]);
        for (int k = 0; k < 2; k++) free(text[k]);
    }
}

/* Paths of a stream of records, of which the second has none: the same with any number of threads, and as drawn one by one. */
static void records_are_drawn_from(void **state) {
    pf_expr *all[] = {permuted("a b c d", NULL), NULL, permuted("a b c", NULL)};
    pf_fst *none;
    size_t n, size[3];
    char *bytes[3];
    (void)state;
    SUCCEED(pf_fst_new(PF_STANDARD, NULL, NULL, &none));
    SUCCEED(pf_expr_of_fst(none, &all[1]));
    char *records = stream_of(all, LENGTH(all), &n);
    for (size_t threads = 1; threads <= 2; threads++) {
        pf_record_drawer drawer = {.seed = 5, .count = 4};
        read_through(records, n, threads, &pf_record_drawer_steps, &drawer, &bytes[threads], &size[threads]);
        assert_int_equal(drawer.without_path, 1);
    }
    pf_expr *drawn[LENGTH(all)];
    for (size_t i = 0; i < LENGTH(all); i++) {
        pf_opened *opened;
        pf_answer answer;
        SUCCEED(pf_open(all[i], &opened));
        SUCCEED(pf_draw_paths(pf_opened_fst(opened), &(pf_randgen_options){0}, 5, i + 1, 4, &answer));
        SUCCEED(pf_expr_of_answer(&answer, &drawn[i]));
        pf_opened_free(opened);
    }
    bytes[0] = stream_of(drawn, LENGTH(drawn), &size[0]);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(size[i], size[0]);
        assert_memory_equal(bytes[i], bytes[0], size[0]);
    }
    for (int i = 0; i < 3; i++) free(bytes[i]);
    for (size_t i = 0; i < LENGTH(all); i++) {
        pf_expr_free(all[i]);
        pf_expr_free(drawn[i]);
    }
    free(records);
}

/* Composed records are those that are composed one by one; the operand with a record for each is read beside them. */
static void records_are_composed(void **state) {
    pf_expr *first[] = {permuted("a b", NULL), permuted("b a a", NULL)}, *second[] = {words("a b"), words("b a a")}, *both[2];
    size_t n, m, size[3];
    char *bytes[3], *records = stream_of(first, 2, &n), *others = stream_of(second, 2, &m);
    (void)state;
    for (size_t threads = 1; threads <= 2; threads++) {
        pf_operands *list;
        pf_reader *reader;
        pf_source *source;
        pf_expr *one;
        SUCCEED(pf_reader_memory(others, m, "others", &reader));
        SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &source));
        SUCCEED(pf_source_next(source, &one));
        SUCCEED(pf_operands_new(&(pf_operands_options){.scale_first = 1}, &list));
        SUCCEED(pf_operands_add_source(list, "others", 0.5, one, source));
        read_through(records, n, threads, &pf_operands_steps, list, &bytes[threads], &size[threads]);
        SUCCEED(pf_operands_end(list));
        pf_expr_free(one);
        pf_operands_free(list);
    }
    for (int i = 0; i < 2; i++) SUCCEED(pf_expr_compose(first[i], second[i], &(pf_composing){{1, 0.5}, NULL}, &both[i]));
    bytes[0] = stream_of(both, 2, &size[0]);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(size[i], size[0]);
        assert_memory_equal(bytes[i], bytes[0], size[0]);
    }
    for (int i = 0; i < 3; i++) free(bytes[i]);
    for (int i = 0; i < 2; i++) {
        pf_expr_free(first[i]);
        pf_expr_free(second[i]);
        pf_expr_free(both[i]);
    }
    free(records);
    free(others);
}

static void a_record_has_random_numbers_of_its_own(void **state) {
    pf_expr *expr = permuted("a b c d e f g h", "itg");
    pf_opened *opened;
    pf_answer first, same, other;
    (void)state;
    SUCCEED(pf_open(expr, &opened));
    pf_fst *fst = pf_opened_fst(opened);
    SUCCEED(pf_draw_paths(fst, &(pf_randgen_options){0}, 5, 1, 1, &first));
    SUCCEED(pf_draw_paths(fst, &(pf_randgen_options){0}, 5, 1, 1, &same));
    SUCCEED(pf_draw_paths(fst, &(pf_randgen_options){0}, 5, 2, 1, &other));
    bool differs = false;
    for (size_t t = 0; t < 8; t++) {
        assert_int_equal(first.paths.at[0].arc[t].in, same.paths.at[0].arc[t].in);
        differs = differs || first.paths.at[0].arc[t].in != other.paths.at[0].arc[t].in;
    }
    assert_true(differs);
    pf_answer_free(&first);
    pf_answer_free(&same);
    pf_answer_free(&other);
    pf_opened_free(opened);
    pf_expr_free(expr);
}

/* ---- check and compare ---- */

static void permutations_are_read_from_text(void **state) {
    pf_visit_order order;
    pf_writer *writer = memory();
    (void)state;
    SUCCEED(pf_visit_order_read(" 3 1\t2 ", 1, &order));
    assert_true(order.n == 3 && order.order[0] == 2 && order.order[1] == 0 && order.place[2] == 0 && order.place[1] == 2);
    SUCCEED(pf_visit_order_write(writer, order.order, order.n, 1));
    SUCCEED(pf_visit_order_write(writer, order.place, 2, 0));
    char *written = text_of(writer);
    assert_string_equal(written, "3 1 21 2");
    free(written);
    pf_visit_order_free(&order);
    SUCCEED(pf_visit_order_read("", 1, &order));
    assert_int_equal(order.n, 0);
    pf_visit_order_free(&order);
    expect_message(pf_visit_order_read("0 1 1", 0, &order), PF_EINPUT, "each number from 0 to 2 once, found 1 twice");
    pf_visit_order_free(&order);
    expect_message(pf_visit_order_read("1 3", 1, &order), PF_EINPUT, "from 1 to 2");
    pf_visit_order_free(&order);
    expect_message(pf_visit_order_read("1 x", 1, &order), PF_EINPUT, "found 'x'");
    pf_visit_order_free(&order);
}

typedef struct {
    const unsigned *perm;
    unsigned n, calls;
    pf_writer *writer;
} answers_seen;

/* What is said holds: a family with its least parameter is inside, and the explanation is of something p is outside of. */
static pf_err note_answer(void *self, const char *spec, bool inside, pf_check *breaks) {
    answers_seen *seen = self;
    pf_check *check;
    SUCCEED(pf_check_new(strchr(spec, ':') || inside || strcmp(spec, "itg") == 0 ? spec : "none-none", seen->n, &check));
    assert_int_equal(pf_check_inside(check, seen->perm), inside);
    pf_check_free(check);
    if (breaks) assert_false(pf_check_inside(breaks, seen->perm));
    seen->calls++;
    return pf_writer_text(seen->writer, "%s %s\n", spec, inside ? "inside" : "outside");
}

static void specifications_and_families_are_checked(void **state) {
    static const unsigned perm[] = {1, 3, 0, 2};
    answers_seen seen = {perm, 4, 0, memory()};
    (void)state;
    SUCCEED(pf_check_spec("itg", perm, 4, note_answer, &seen));
    SUCCEED(pf_check_spec("ibm:3", perm, 4, note_answer, &seen));
    assert_int_equal(seen.calls, 2);
    SUCCEED(pf_check_tightest(perm, 4, note_answer, &seen));
    expect_message(pf_check_spec("ibm:x", perm, 4, note_answer, &seen), PF_EARG, "x");
    char *said = text_of(seen.writer);
    CHECK(strncmp(said, "itg outside\nibm:3 inside\n", 25) == 0, "%s", said);
    assert_non_null(strstr(said + 25, "\nitg outside\n"));
    assert_non_null(strstr(said + 25, "ibm:3 inside\n"));
    assert_null(strstr(said + 25, "ibm:2 "));
    free(said);
}

static void a_line_is_checked(void **state) {
    static const char *const con[] = {"itg", "ibm:3"}, *const two[] = {"ibm:2"};
    static const struct {
        const char *line, *want;
        pf_check_options how;
        bool outside;
    } cases[] = {
        {"2 4 1 3", "7\titg\toutside\n7\tibm:3\tinside\n", {con, 2, .base = 1}, true},
        {"1 3 0 2", "7\titg\toutside\n7\tibm:3\tinside\n", {con, 2, .base = 0}, true},
        {"2 4 1 3", "", {con, 2, .base = 1, .quiet = true}, true},
        {"2 1 3", "7\tibm:3\tinside\n", {con + 1, 1, .base = 1}, false},
        {"2 3 1", "7\tibm:2\tinside\n", {two, 1, .base = 1}, false},
        {"3 1 2", "7\tibm:2\tinside\n", {two, 1, .base = 1, .places = true}, false},
        {"3 1 2", "7\tibm:2\toutside\n", {two, 1, .base = 1}, true},
    };
    bool outside;
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        pf_writer *writer = memory();
        SUCCEED(pf_check_line(cases[i].line, 7, &cases[i].how, NULL, writer, &outside));
        char *said = text_of(writer);
        CHECK(strcmp(said, cases[i].want) == 0 && outside == cases[i].outside, "%zu: %s", i, said);
        free(said);
    }
    pf_writer *writer = memory();
    SUCCEED(pf_check_line("2 4 1 3", 1, &(pf_check_options){.base = 1, .why = true}, NULL, writer, &outside));
    char *said = text_of(writer);
    assert_false(outside);
    assert_non_null(strstr(said, "1\tibm:3\tinside\t2 4 ...: position 4 at step 2"));
    free(said);
    writer = memory();
    expect_message(pf_check_line("2 2", 1, &(pf_check_options){.base = 1}, NULL, writer, &outside), PF_EINPUT, "found 2 twice");
    pf_writer_free(writer);
}

static void the_relation_of_two_spaces_is_written(void **state) {
    static const struct {
        const char *first, *second, *want, *first_only;
    } cases[] = {
        {"ibm:2", "inverse:inverse-ibm:2", "ibm:2 and inverse:inverse-ibm:2 are equal\n",
         "ibm:2 is inside inverse:inverse-ibm:2\n"},
        {"ibm:2", "ibm:3", "ibm:2 is inside ibm:3\n3 1 2 is in ibm:3, not in ibm:2\n", "ibm:2 is inside ibm:3\n"},
        {"ibm:3", "ibm:2", "ibm:2 is inside ibm:3\n3 1 2 is in ibm:3, not in ibm:2\n",
         "ibm:3 is not inside ibm:2\n3 1 2 is in ibm:3, not in ibm:2\n"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        pf_space_proof proof[2];
        pf_writer *both = memory(), *one = memory();
        SUCCEED(pf_space_inside(cases[i].first, cases[i].second, 5, &(pf_compare_options){0}, &proof[0]));
        SUCCEED(pf_space_inside(cases[i].second, cases[i].first, 5, &(pf_compare_options){0}, &proof[1]));
        SUCCEED(pf_space_relation_write(cases[i].first, cases[i].second, &proof[0], &proof[1], both));
        SUCCEED(pf_space_relation_write(cases[i].first, cases[i].second, &proof[0], NULL, one));
        char *said = text_of(both), *asked = text_of(one);
        CHECK(strncmp(said, cases[i].want, strcspn(cases[i].want, "\n")) == 0, "%s", said);
        CHECK(strncmp(asked, cases[i].first_only, strcspn(cases[i].first_only, "\n")) == 0, "%s", asked);
        assert_int_equal(strstr(said, " is in ") != NULL, strstr(cases[i].want, " is in ") != NULL);
        assert_int_equal(strstr(asked, " is in ") != NULL, strstr(cases[i].first_only, " is in ") != NULL);
        free(said);
        free(asked);
        for (int k = 0; k < 2; k++) pf_space_proof_free(&proof[k]);
    }
}

static void a_space_is_inside_another_or_there_is_a_short_proof(void **state) {
    pf_space_proof proof;
    (void)state;
    SUCCEED(pf_space_inside("itg", "none", 9, &(pf_compare_options){0}, &proof));
    assert_true(proof.inside && !proof.only);
    pf_space_proof_free(&proof);
    SUCCEED(pf_space_inside("none", "itg", 9, &(pf_compare_options){0}, &proof));
    assert_true(!proof.inside && proof.n == 4);
    pf_check *itg;
    SUCCEED(pf_check_new("itg", 4, &itg));
    assert_false(pf_check_inside(itg, proof.only));
    pf_check_free(itg);
    pf_space_proof_free(&proof);
    SUCCEED(pf_space_inside("none", "wall:3", 5, &(pf_compare_options){0}, &proof)); /* no wall:3 at a length below 4 */
    assert_true(!proof.inside && proof.n >= 3 && proof.n <= 4);
    pf_space_proof_free(&proof);
    expect_message(pf_space_inside("none", "nothing", 9, &(pf_compare_options){0}, &proof), PF_EARG, "nothing");
    pf_space_proof_free(&proof);
    expect_message(pf_space_inside("ibm:5", "local:5", 9, &(pf_compare_options){.max_states = 2}, &proof), PF_ELIMIT, "2");
    pf_space_proof_free(&proof);
}

/* ---- describe, print, expand ---- */

static char *described(pf_expr *expr, const char *prefix, bool count) {
    pf_writer *writer = memory();
    SUCCEED(pf_expr_describe(expr, &(pf_describe_options){.prefix = prefix, .count = count}, writer));
    return text_of(writer);
}

static void a_record_is_described(void **state) {
    pf_expr *expr = composed(permuted("a b c", "ibm:2"), back_off_model());
    char *plain = described(expr, NULL, false), *numbered = described(expr, "7\t", true);
    (void)state;
    static const char begin[] = "record\tcompose\nfirst operand\tperm\nwords\t3\nconstraint\tibm:2\nexpected states\t7\n";
    CHECK(strncmp(plain, begin, sizeof begin - 1) == 0, "%s", plain);
    assert_non_null(strstr(plain, "\nsecond operand\tngram\nmodel class\tngram\nmodel hash\t"));
    assert_null(strstr(plain, "\npaths\t"));
    assert_non_null(strstr(numbered, "\n7\tpaths\t4\n"));
    for (const char *line = numbered; *line; line = strchr(line, '\n') + 1) assert_int_equal(strncmp(line, "7\t", 2), 0);
    free(plain);
    free(numbered);
    pf_expr_free(expr);
}

static char *printed(pf_expr *expr, pf_print_options options, bool want_no_path) {
    pf_writer *writer = memory();
    bool no_path;
    options.record = 3;
    SUCCEED(pf_expr_print(expr, &options, writer, &no_path));
    assert_int_equal(no_path, want_no_path);
    return text_of(writer);
}

static void expect_printed(pf_expr *expr, pf_print_options options, const char *want) {
    char *got = printed(expr, options, false);
    CHECK(strcmp(got, want) == 0, "'%s', not '%s'", got, want);
    free(got);
}

static void a_record_is_printed_in_every_form(void **state) {
    pf_expr *line = words("a b"), *lazy = permuted("a b", NULL), *best, *none;
    pf_answer answer = best_of(lazy, 2), empty = {0};
    pf_writer *writer = memory();
    (void)state;
    SUCCEED(pf_expr_of_answer(&answer, &best));
    SUCCEED(pf_expr_of_answer(&empty, &none));
    expect_printed(line, (pf_print_options){.form = PF_PRINT_STRINGS}, "a b\n");
    expect_printed(line, (pf_print_options){.form = PF_PRINT_STRINGS, .numeric = true}, "1 2\n");
    expect_printed(line, (pf_print_options){.form = PF_PRINT_BY_KIND, .acceptor = true}, "0\t1\ta\n1\t2\tb\n2\n");
    expect_printed(line, (pf_print_options){.form = PF_PRINT_PLF}, "((('a',1,1),),(('b',1,1),),)\n");
    expect_printed(best, (pf_print_options){.form = PF_PRINT_PERMUTATIONS}, "1 2\n");
    expect_printed(best, (pf_print_options){.form = PF_PRINT_PERMUTATIONS, .all = true}, "1 2\n2 1\n");
    expect_printed(best, (pf_print_options){.form = PF_PRINT_BY_KIND}, "3\t1\t0.000000\t1 2\ta b\n3\t2\t0.000000\t2 1\tb a\n");
    expect_printed(lazy, (pf_print_options){.form = PF_PRINT_ATT},
                   "0\t1\t1\ta\n0\t2\t2\tb\n1\t3\t2\tb\n2\t3\t1\ta\n3\n");
    for (int form = PF_PRINT_SLF; form <= PF_PRINT_DOT; form++)
        free(printed(lazy, (pf_print_options){.form = (pf_print_form)form}, false));
    char *empty_line = printed(none, (pf_print_options){.form = PF_PRINT_STRINGS}, true);
    assert_string_equal(empty_line, "\n");
    free(empty_line);
    pf_err err = pf_expr_print(lazy, &(pf_print_options){.form = PF_PRINT_ATT, .max_states = 2}, writer, &(bool){false});
    expect_message(err, PF_ELIMIT, "2");
    const pf_print_options by_kind = {.form = PF_PRINT_BY_KIND};
    assert_true(pf_print_as_automaton(&by_kind, lazy) && !pf_print_as_automaton(&by_kind, best));
    SUCCEED(pf_print_nothing(&(pf_print_options){.form = PF_PRINT_STRINGS}, lazy, writer));
    SUCCEED(pf_print_nothing(&(pf_print_options){.form = PF_PRINT_PATHS}, lazy, writer));
    char *nothing = text_of(writer);
    assert_string_equal(nothing, "\n");
    free(nothing);
    pf_expr_free(none);
    pf_expr_free(best);
    pf_expr_free(lazy);
    pf_expr_free(line);
}

/* ---- streams that are printed or checked ---- */

/* Puts the records of the bytes through steps, which put nothing anywhere; what is said of them is kept. */
static pf_err put_through(const char *bytes, size_t n, size_t threads, const pf_record_steps *steps, void *self, heard *said) {
    pf_reader *reader;
    pf_source *source;
    pf_records *records;
    *said->words = 0;
    SUCCEED(pf_reader_memory(bytes, n, "records", &reader));
    SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &source));
    SUCCEED(pf_records_new(steps, self, &(pf_record_options){.threads = threads, .call = said, .failed = go_on}, &records));
    pf_err err = pf_records_end(records, pf_records_read(records, source), NULL);
    pf_source_free(source);
    return err;
}

static pf_err print_stream(const char *bytes, size_t n, pf_print_options how, size_t threads, heard *said, char **text) {
    pf_printer printer = {.how = how, .writer = memory(), .say = hear};
    SUCCEED(pf_printer_begin(&printer));
    pf_err err = put_through(bytes, n, threads, &pf_printer_steps, &printer, said);
    SUCCEED(pf_printer_end(&printer));
    assert_int_equal(printer.no_path, strstr(said->words, "has no path") != NULL);
    *text = text_of(printer.writer);
    return err;
}

/* An automaton of two paths, an answer without any, and a sentence: what each form makes of them, by one thread or two. */
static void a_stream_is_printed(void **state) {
    static const char both[] = "0\t1\t1\ta\n0\t2\t2\tb\n1\t3\t2\tb\n2\t3\t1\ta\n3\n";
    pf_answer empty = {0};
    pf_expr *all[] = {permuted("a b", NULL), NULL, words("c")};
    heard said;
    size_t n;
    char *text, want[200];
    (void)state;
    SUCCEED(pf_expr_of_answer(&empty, &all[1]));
    char *bytes = stream_of(all, LENGTH(all), &n);
    for (size_t threads = 1; threads <= 2; threads++) {
        SUCCEED(print_stream(bytes, n, (pf_print_options){.form = PF_PRINT_BY_KIND}, threads, &said, &text));
        snprintf(want, sizeof want, "%s\n0\t1\tc\tc\n1\n", both); /* a blank line between two automata */
        assert_string_equal(text, want);
        assert_string_equal(said.words, "record 2 has no path\n");
        free(text);
        SUCCEED(print_stream(bytes, n, (pf_print_options){.form = PF_PRINT_LINES, .format = PF_TABLE_TSV}, threads, &said, &text));
        CHECK(strncmp(text, "record\t", 7) == 0 && strstr(text, "\n3\t1\t"), "%s", text); /* a heading */
        CHECK(strstr(said.words, "record 1"), "%s", said.words); /* two paths are no answer */
        free(text);
        SUCCEED(print_stream(bytes, n, (pf_print_options){.form = PF_PRINT_STRINGS}, threads, &said, &text));
        assert_string_equal(text, "\n\nc\n"); /* an empty line for the record that fails, and for the one without a path */
        free(text);
        SUCCEED(print_stream(bytes, n, (pf_print_options){.form = PF_PRINT_XML}, threads, &said, &text));
        CHECK(strncmp(text, "<?xml", 5) == 0 && strstr(text, "</"), "%s", text);
        free(text);
        pf_err err = print_stream(bytes, n, (pf_print_options){.form = PF_PRINT_SVG}, threads, &said, &text);
        expect_message(err, PF_EARG, "a picture shows one record");
        free(text);
    }
    free(bytes);
    for (size_t i = 0; i < LENGTH(all); i++) pf_expr_free(all[i]);
}

/* What a stream of a sentence, a lazy automaton and a model has, and which of its answers are wrong. */
static void a_stream_is_checked(void **state) {
    pf_expr *all[] = {words("a b"), permuted("a b", NULL), NULL};
    pf_blob *blob = back_off_model();
    pf_answer answer = best_of(all[1], 2);
    char counted[PF_INTACT_BYTES], checked[PF_VERIFIED_BYTES];
    heard said;
    size_t n, answer_bytes;
    (void)state;
    SUCCEED(pf_expr_of_model(blob, &all[2]));
    pf_blob_free(blob);
    char *bytes = stream_of(all, LENGTH(all), &n);
    for (size_t threads = 1; threads <= 2; threads++) {
        pf_intact_stream stream = {0};
        SUCCEED(put_through(bytes, n, threads, &pf_intact_steps, &stream, &said));
        assert_string_equal(said.words, "");
        assert_string_equal(pf_intact_words(&stream, counted),
                            "intact: 3 records, 0 of them without a checksum; automata with 6 states and 4 arcs, of which 0 "
                            "properties were claimed; 1 lazy automata, which open; 1 models; 0 answers");
    }
    free(bytes);
    pf_expr *lazy[] = {all[1]};
    bytes = stream_of(lazy, 1, &n);
    answer.paths.at[1].final += 1;
    SUCCEED(pf_expr_of_answer(&answer, &lazy[0]));
    char *answers = stream_of(lazy, 1, &answer_bytes);
    pf_verifier verifier = {.say = hear};
    pf_reader *reader;
    SUCCEED(pf_reader_memory(answers, answer_bytes, "answers", &reader));
    SUCCEED(pf_source_new(reader, &(pf_source_options){.first = 1}, &verifier.answers));
    SUCCEED(put_through(bytes, n, 1, &pf_verifier_steps, &verifier, &said));
    SUCCEED(pf_verifier_end(&verifier));
    assert_string_equal(said.words, "record 1: path 2 costs 0 in the automaton, but 1 in the answer\n");
    assert_string_equal(pf_verified_words(&verifier.done, checked), "1 answer with 2 paths: 1 wrong");
    pf_source_free(verifier.answers);
    free(answers);
    free(bytes);
    pf_expr_free(lazy[0]);
    for (size_t i = 0; i < LENGTH(all); i++) pf_expr_free(all[i]);
}

static void a_record_is_expanded(void **state) {
    pf_expr *lazy = permuted("a b", NULL), *model_only, *out;
    pf_blob *blob = back_off_model();
    pf_symtab *table;
    (void)state;
    SUCCEED(pf_symtab_new("table", &table));
    for (const char *word = "cba"; *word; word++) SUCCEED(pf_symtab_add(table, word, 1, &(pf_label){0}));
    SUCCEED(pf_expr_of_model(blob, &model_only));
    SUCCEED(pf_expr_expand(lazy, &(pf_expand_options){.table = table, .retype = true, .type = PF_LOG}, &out));
    assert_int_equal(out->kind, PF_EXPR_FST);
    assert_int_equal(out->fst->type, PF_LOG);
    assert_ptr_equal(out->fst->osyms, table);
    pf_expr_free(out);
    SUCCEED(pf_expr_expand(model_only, &(pf_expand_options){.backoff = PF_BACKOFF_PHI, .phi = "<phi>"}, &out));
    assert_true(pf_expr_reads(out, "<phi>"));
    pf_expr_free(out);
    SUCCEED(pf_expr_expand(model_only, &(pf_expand_options){.backoff = PF_BACKOFF_EPSILON}, &out));
    assert_false(pf_expr_reads(out, "<phi>"));
    pf_expr_free(out);
    expect_message(pf_expr_expand(model_only, &(pf_expand_options){0}, &out), PF_EARG, "back-off");
    assert_null(out);
    expect_message(pf_expr_expand(lazy, &(pf_expand_options){.backoff = PF_BACKOFF_EPSILON}, &out), PF_EARG, "'perm'");
    expect_message(pf_expr_expand(lazy, &(pf_expand_options){.max_states = 2}, &out), PF_ELIMIT, "2");
    pf_expr_free(model_only);
    pf_expr_free(lazy);
    pf_symtab_free(table);
    pf_blob_free(blob);
}

/* ---- scores of sentences ---- */

static pf_err note_word(void *self, const pf_word_score *score) {
    return pf_writer_text(self, "%.*s/%u ", (int)score->n, score->word, score->matched);
}

static void sentences_are_scored(void **state) {
    pf_blob *blob = back_off_model();
    pf_writer *writer = memory();
    pf_sentence_score one, other, total = {0};
    const pf_model *loaded;
    (void)state;
    SUCCEED(pf_open_model(blob, &loaded));
    SUCCEED(pf_sentence_score_line(loaded, "a b", &(pf_sentence_score_options){.each = note_word, .self = writer}, &one));
    char *seen = text_of(writer);
    assert_string_equal(seen, "a/2 b/3 </s>/2 ");
    free(seen);
    assert_true(fabs(one.log10 - (-0.2 - 0.1 - 0.6)) < 1e-6 && one.log10_known == one.log10 && one.words == 2 && one.unknown == 0);
    SUCCEED(pf_sentence_score_line(loaded, "qqq", &(pf_sentence_score_options){0}, &other));
    assert_true(other.unknown == 1 && other.words == 1 && other.log10_known > other.log10);
    pf_sentence_score_add(&total, &one);
    pf_sentence_score_add(&total, &other);
    assert_true(total.sentences == 2 && total.words == 3 && total.unknown == 1);
    assert_true(fabs(pf_sentence_score_perplexity(&total) - pow(10, -total.log10 / 5)) < 1e-9);
    assert_true(fabs(pf_sentence_score_perplexity_known(&total) - pow(10, -total.log10_known / 4)) < 1e-9);
    pf_err err = pf_sentence_score_line(loaded, "a qqq", &(pf_sentence_score_options){.all_words = true}, &one);
    expect_message(err, PF_EINPUT, "lacks the word 'qqq'");
    pf_blob_free(blob);
}

/* ---- threads ---- */

enum { THREADS = 4, TIMES = 100 };

typedef struct {
    pf_expr *expr;
    char *want;
} shared_work;

/* All verbs of one record, as text; the caller frees it. */
static char *all_verbs(pf_expr *expr) {
    pf_writer *writer = memory();
    pf_expr *expanded;
    pf_path_count count;
    bool no_path;
    SUCCEED(pf_expr_describe(expr, &(pf_describe_options){.count = true}, writer));
    SUCCEED(pf_expr_print(expr, &(pf_print_options){.form = PF_PRINT_ATT}, writer, &no_path));
    SUCCEED(pf_expr_expand(expr, &(pf_expand_options){0}, &expanded));
    SUCCEED(pf_expr_print(expanded, &(pf_print_options){.form = PF_PRINT_SLF}, writer, &no_path));
    SUCCEED(pf_expr_count(expr, &(pf_tally_options){0}, &count));
    SUCCEED(pf_writer_text(writer, "%lu", mpz_get_ui(count.tally.at[0])));
    pf_path_count_free(&count);
    pf_expr_free(expanded);
    return text_of(writer);
}

static void *work_again(void *self) {
    shared_work *work = self;
    for (int i = 0; i < TIMES; i++) {
        char *got = all_verbs(work->expr);
        bool same = strcmp(got, work->want) == 0;
        free(got);
        if (!same) return work;
    }
    return NULL;
}

static void threads_share_a_record(void **state) {
    pf_expr *expr = composed(permuted("a b a qqq", "ibm:3"), back_off_model());
    pf_expr *again = composed(permuted("a b a qqq", "ibm:3"), back_off_model()); /* the threads open a model that nobody has made */
    shared_work work = {again, all_verbs(expr)};
    pthread_t thread[THREADS];
    void *failed;
    (void)state;
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, work_again, &work), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    free(work.want);
    pf_expr_free(expr);
    pf_expr_free(again);
}

/* ---- threads with one store of tables of moves ---- */

enum { SHARED_SPACES = 10 };

typedef struct {
    pf_expr *expr[SHARED_SPACES];
    char *want[SHARED_SPACES];
    pf_moves_store *moves;
} shared_spaces;

/* A record as it is printed, printed when it is expanded, and its best path: with tables from the store, or without a store. */
static char *expanded_text(pf_expr *expr, pf_moves_store *moves) {
    pf_writer *writer = memory();
    pf_expr *expanded;
    pf_opened *opened;
    pf_answer answer;
    bool no_path;
    SUCCEED(pf_expr_print(expr, &(pf_print_options){.form = PF_PRINT_ATT, .moves = moves}, writer, &no_path));
    SUCCEED(pf_open(expr, &opened));
    SUCCEED(pf_best(pf_opened_fst(opened), &(pf_best_options){.n = 2, .moves = moves}, &answer));
    SUCCEED(pf_answer_write_permutation(writer, &answer, 0));
    pf_answer_free(&answer);
    pf_opened_free(opened);
    SUCCEED(pf_expr_expand(expr, &(pf_expand_options){.moves = moves}, &expanded));
    SUCCEED(pf_expr_print(expanded, &(pf_print_options){.form = PF_PRINT_ATT}, writer, &no_path));
    pf_expr_free(expanded);
    return text_of(writer);
}

/* Each thread takes the records in an order of its own. */
static void *expand_again(void *self) {
    const shared_spaces *work = self;
    uint64_t seed = (uint64_t)(uintptr_t)&seed;
    for (int i = 0; i < TIMES; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t which = (seed >> 33) % SHARED_SPACES;
        char *got = expanded_text(work->expr[which], work->moves);
        const bool same = strcmp(got, work->want[which]) == 0;
        free(got);
        if (!same) return self;
    }
    return NULL;
}

static void expect_shared_tables(shared_spaces *work, uint64_t most_bytes) {
    pthread_t thread[THREADS];
    void *failed;
    SUCCEED(pf_moves_store_new(most_bytes, &work->moves));
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, expand_again, work), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    pf_moves_store_free(work->moves);
}

/* Stores that keep everything, some of it, and nothing. */
static void threads_share_tables_of_moves(void **state) {
    static const char *const sentences[] = {"a b c d e", "b b c d a", "e a d b c a"};
    static const char *const shared[] = {"ibm:2", "local:2", "itg", "none-mj:1"};
    shared_spaces work;
    (void)state;
    for (size_t i = 0; i < SHARED_SPACES; i++) {
        work.expr[i] = permuted(sentences[i % 3], shared[i % 4]);
        work.want[i] = expanded_text(work.expr[i], NULL);
    }
    expect_shared_tables(&work, 1 << 20);
    expect_shared_tables(&work, 3000);
    expect_shared_tables(&work, 0);
    for (size_t i = 0; i < SHARED_SPACES; i++) {
        free(work.want[i]);
        pf_expr_free(work.expr[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_text_is_compiled),
        cmocka_unit_test(a_marked_line_is_a_permutation_with_its_marks),
        cmocka_unit_test(scales_are_read_by_name),
        cmocka_unit_test(each_record_gets_its_own_costs),
        cmocka_unit_test(a_list_of_operands_is_one_composition_inside_the_other),
        cmocka_unit_test(a_scale_past_the_floats_is_a_limit_everywhere),
        cmocka_unit_test(a_failure_symbol_must_be_in_some_operand),
        cmocka_unit_test(an_answer_says_how_good_it_is),
        cmocka_unit_test(an_answer_is_written_in_three_forms),
        cmocka_unit_test(wrong_paths_of_an_answer_are_found),
        cmocka_unit_test(an_answer_is_compared_with_a_reference),
        cmocka_unit_test(references_are_read_beside_records),
        cmocka_unit_test(records_are_searched_in_turn),
        cmocka_unit_test(paths_and_permutations_are_counted),
        cmocka_unit_test(permutations_are_drawn_from_a_space),
        cmocka_unit_test(a_record_has_random_numbers_of_its_own),
        cmocka_unit_test(drawn_permutations_are_written),
        cmocka_unit_test(records_are_drawn_from),
        cmocka_unit_test(records_are_composed),
        cmocka_unit_test(permutations_are_read_from_text),
        cmocka_unit_test(specifications_and_families_are_checked),
        cmocka_unit_test(a_line_is_checked),
        cmocka_unit_test(the_relation_of_two_spaces_is_written),
        cmocka_unit_test(a_space_is_inside_another_or_there_is_a_short_proof),
        cmocka_unit_test(a_record_is_described),
        cmocka_unit_test(a_record_is_printed_in_every_form),
        cmocka_unit_test(a_stream_is_printed),
        cmocka_unit_test(a_stream_is_checked),
        cmocka_unit_test(a_record_is_expanded),
        cmocka_unit_test(sentences_are_scored),
        cmocka_unit_test(threads_share_a_record),
        cmocka_unit_test(threads_share_tables_of_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
