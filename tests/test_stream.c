/* Streams of records: every kind goes out and comes back; a stream that was cut, damaged, made by another version or made
 * to hurt is refused in words that name record and byte, without a crash and without more memory than there are bytes. */
#include "check.h"
#include <permfst/io/stream.h>

#include "io/frame.h"

#include <permfst/base/crc.h>
#include <permfst/base/vec.h>
#include <permfst/machine/build.h>
#include <permfst/model/ngram.h>
#include <permfst/ops/open.h>
#include <permfst/search/best.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Bytes, and what writes them. */

typedef struct {
    unsigned char *at;
    size_t n;
} bytes;

static bytes copy_of(const void *at, size_t length) {
    bytes content = {malloc(length + 1), length};
    assert_non_null(content.at);
    memcpy(content.at, at, length);
    content.at[length] = 0;
    return content;
}

static pf_writer *writer(void) {
    pf_writer *out;
    SUCCEED(pf_writer_memory(&out));
    return out;
}

static bytes taken(pf_writer *out) {
    size_t length;
    const unsigned char *at = pf_writer_bytes(out, &length);
    bytes b = copy_of(at, length);
    pf_writer_free(out);
    return b;
}

/* ---- Expressions to write. */

static pf_symtab *table(void) {
    pf_symtab *symbols;
    pf_label label;
    SUCCEED(pf_symtab_new("words", &symbols));
    for (const char *word = "abc"; *word; word++) SUCCEED(pf_symtab_add(symbols, word, 1, &label));
    SUCCEED(pf_symtab_put_epsilon(symbols));
    return symbols;
}

/* A linear machine of the words 1..n, with tables. */
static pf_expr *linear(pf_label n) {
    pf_build build = {0};
    pf_fst *fst;
    pf_expr *expr;
    pf_symtab *symbols = table();
    for (pf_label i = 0; i < n; i++) SUCCEED(pf_build_arc(&build, (pf_state)i, i % 3 + 1, i % 3 + 1, 0.5f, (pf_state)i + 1));
    SUCCEED(pf_build_final(&build, (pf_state)n, 0.25f));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, symbols, symbols);
    pf_symtab_free(symbols);
    SUCCEED(pf_expr_of_fst(fst, &expr));
    return expr;
}

/* The builders take over what they are given. */

static pf_expr *perm_of_spec(pf_expr *input, const pf_perm_spec *spec) {
    pf_expr *expr;
    SUCCEED(pf_expr_permute(input, spec, &expr));
    pf_expr_free(input);
    return expr;
}

static pf_expr *perm_of(pf_expr *input, bool acceptor) {
    static const char *const con[] = {"ibm:2", "inverse-ibm:3"};
    static const pf_weight wm = {.spec = "monotone:0.75"};
    return perm_of_spec(input, &(pf_perm_spec){con, 2, &wm, 1, acceptor});
}

static pf_expr *perm_of_more(pf_expr *perm, const pf_perm_spec *more) {
    pf_expr *expr;
    SUCCEED(pf_expr_permute_more(perm, more, &expr));
    pf_expr_free(perm);
    return expr;
}

/* A sentence of n words with a weight model that has a table of costs and one that has none. */
static pf_expr *weighted(pf_expr *input, pf_label n) {
    static const char *const con[] = {"itg|ibm:2 + inverse:local:3"};
    static const double cost[] = {0.1, -2, 3e-300, 4.5, 1e30, 6, 7, 8, 1.0 / 3};
    const pf_weight wm[] = {{"position:of a file, or: not", cost, (size_t)(n * n)}, {.spec = "distance:0.5"}};
    return perm_of_spec(input, &(pf_perm_spec){con, 1, wm, 2, false});
}

static pf_expr *weighted_perm(pf_label n) { return weighted(linear(n), n); }

static pf_expr *composed(pf_expr *first, pf_expr *second, pf_blob *shared, const pf_composing *how) {
    pf_expr *expr;
    if (shared) SUCCEED(pf_expr_compose_shared(first, shared, how, &expr));
    else SUCCEED(pf_expr_compose(first, second, how, &expr));
    pf_expr_free(first);
    pf_expr_free(second);
    return expr;
}

static pf_expr *compose_of(pf_expr *first, pf_expr *second, pf_blob *shared) { return composed(first, second, shared, NULL); }

/* With scales, and with a failure symbol that is a word of the second. */
static pf_expr *scaled(pf_expr *first, pf_expr *second, pf_blob *shared, const char *phi) {
    return composed(first, second, shared, &(pf_composing){{0.1, -2.5}, phi});
}

static const char arpa[] = "\\data\\\nngram 1=6\nngram 2=2\n\n\\1-grams:\n-2 <unk>\n-99 <s> -0.5\n-1 </s>\n-0.5 a -0.25\n"
                           "-0.75 b -0.125\n-1.25 c\n\n\\2-grams:\n-0.25 <s> b\n-0.5 b a\n\\end\\\n";

static pf_blob *model_blob(void) {
    pf_reader *reader;
    pf_model model;
    pf_blob *blob;
    SUCCEED(pf_reader_memory(arpa, sizeof arpa - 1, "arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &model));
    pf_reader_free(reader);
    SUCCEED(pf_blob_of_model(&model, &blob));
    pf_model_free(&model);
    return blob;
}

static pf_blob *fst_blob(void) {
    pf_expr *expr = linear(2);
    pf_blob *blob;
    SUCCEED(pf_blob_of_fst(expr, &blob));
    pf_expr_free(expr);
    return blob;
}

static pf_expr *model_of(pf_blob *shared) {
    pf_expr *expr;
    SUCCEED(pf_expr_of_model(shared, &expr));
    return expr;
}

static pf_answer answer_of(pf_expr *expr, size_t n) {
    pf_best_options o = {.n = n};
    pf_opened *opened;
    pf_answer answer;
    SUCCEED(pf_open(expr, &opened));
    SUCCEED(pf_best(pf_opened_fst(opened), &o, &answer));
    pf_opened_free(opened);
    return answer;
}

/* The answer of a search: three paths and two tables. */
static pf_expr *best_of(size_t n) {
    pf_expr *expr = perm_of(linear(3), true), *best;
    pf_answer answer = answer_of(expr, n);
    SUCCEED(pf_expr_of_answer(&answer, &best));
    pf_expr_free(expr);
    return best;
}

static pf_expr *no_path(void) {
    pf_expr *best;
    pf_answer answer = {.bound = (double)INFINITY};
    SUCCEED(pf_expr_of_answer(&answer, &best));
    return best;
}

enum { ENDS = 16 };

typedef struct {
    bytes all;
    size_t end[ENDS]; /* of each record */
    size_t n;
} fixture;

static void put(pf_stream_writer *stream, pf_writer *w, fixture *made, pf_expr *expr) {
    SUCCEED(pf_stream_put(stream, expr, made->n + 1));
    pf_expr_free(expr);
    (void)pf_writer_bytes(w, &made->end[made->n]);
    made->n++;
}

/* One record of every kind, and of every way to carry an operand by value. */
static fixture every_kind(void) {
    fixture made = {0};
    pf_writer *out = writer();
    pf_stream_writer *stream;
    pf_blob *model = model_blob(), *shared = fst_blob();
    SUCCEED(pf_stream_writer_new(out, PF_AS_RECORDS, &stream));
    put(stream, out, &made, linear(2));
    put(stream, out, &made, linear(0));
    put(stream, out, &made, perm_of(linear(3), false));
    put(stream, out, &made, compose_of(perm_of(linear(2), false), NULL, model));
    put(stream, out, &made, compose_of(linear(3), NULL, model));
    put(stream, out, &made, compose_of(linear(2), linear(2), NULL));
    put(stream, out, &made, compose_of(compose_of(linear(2), NULL, shared), NULL, model));
    put(stream, out, &made, scaled(compose_of(linear(3), NULL, shared), linear(1), NULL, "c"));
    put(stream, out, &made, model_of(model));
    put(stream, out, &made, best_of(3));
    put(stream, out, &made, no_path());
    put(stream, out, &made, weighted_perm(2));
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    pf_blob_free(model);
    pf_blob_free(shared);
    made.all = taken(out);
    return made;
}

/* ---- Reading. */

typedef struct {
    PF_VEC(pf_expr *) at;
    pf_err err;
} records;

/* All records up to the end or an error. */
static records read_all(const void *at, size_t n) {
    records got = {0};
    pf_reader *reader;
    pf_stream_reader *stream;
    SUCCEED(pf_reader_memory(at, n, "memory", &reader));
    SUCCEED(pf_stream_reader_new(reader, 1, &stream));
    for (;;) {
        pf_expr *expr = NULL;
        got.err = pf_stream_next(stream, &expr);
        CHECK(!got.err || !expr, "an error comes with a record");
        if (!expr) break;
        SUCCEED(PF_PUSH(&got.at, expr));
        CHECK(pf_stream_record(stream) == got.at.n, "record %llu", (unsigned long long)pf_stream_record(stream));
    }
    pf_stream_reader_free(stream);
    pf_reader_free(reader);
    return got;
}

static void records_free(records *r) {
    for (size_t i = 0; i < r->at.n; i++) pf_expr_free(r->at.at[i]);
    PF_VEC_FREE(&r->at);
}

static bytes write_all(const records *r) {
    pf_writer *out = writer();
    pf_stream_writer *stream;
    SUCCEED(pf_stream_writer_new(out, PF_AS_RECORDS, &stream));
    for (size_t i = 0; i < r->at.n; i++) SUCCEED(pf_stream_put(stream, r->at.at[i], i + 1));
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    return taken(out);
}

/* Opening and searching any record ends with an answer or an error. */
static pf_err use(pf_expr *expr) {
    pf_best_options o = {.n = 3, .max_states = 500};
    pf_answer answer = {0};
    pf_opened *opened;
    const pf_model *model;
    if (expr->kind == PF_EXPR_MODEL) return pf_open_model(expr->shared, &model);
    PF_TRY(pf_open(expr, &opened));
    pf_err err = pf_best(pf_opened_fst(opened), &o, &answer);
    pf_opened_free(opened);
    pf_answer_free(&answer);
    return err;
}

static double cost_of(pf_expr *expr) {
    pf_answer answer = answer_of(expr, 1);
    double cost = answer.paths.n ? answer.paths.at[0].cost : (double)INFINITY;
    pf_answer_free(&answer);
    return cost;
}

/* ---- What goes out comes back. */

static void every_kind_of_record_comes_back(void **state PF_UNUSED) {
    static const pf_expr_kind kind[] = {PF_EXPR_FST,     PF_EXPR_FST,     PF_EXPR_PERM,  PF_EXPR_COMPOSE, PF_EXPR_COMPOSE,
                                        PF_EXPR_COMPOSE, PF_EXPR_COMPOSE, PF_EXPR_COMPOSE, PF_EXPR_MODEL, PF_EXPR_BEST,
                                        PF_EXPR_BEST,    PF_EXPR_PERM};
    fixture made = every_kind();
    records got = read_all(made.all.at, made.all.n);
    CHECK(!got.err, "%s", pf_message());
    assert_int_equal(got.at.n, made.n);
    for (size_t i = 0; i < got.at.n; i++) assert_int_equal(got.at.at[i]->kind, kind[i]);
    bytes again = write_all(&got);
    assert_int_equal(again.n, made.all.n);
    assert_memory_equal(again.at, made.all.at, made.all.n);
    free(again.at);

    const pf_expr *perm = got.at.at[2];
    assert_int_equal(perm->spec.n_con, 2);
    assert_string_equal(perm->spec.con[1], "inverse-ibm:3");
    assert_int_equal(perm->spec.n_wm, 1);
    assert_string_equal(perm->spec.wm[0].spec, "monotone:0.75");
    assert_false(perm->spec.acceptor);
    assert_ptr_equal(got.at.at[3]->shared, got.at.at[4]->shared); /* one model for all that name it */
    assert_ptr_equal(got.at.at[6]->shared, got.at.at[3]->shared);
    assert_string_equal(pf_blob_class(got.at.at[6]->first->shared), "fst");
    CHECK(got.at.at[6]->scale[0] == 1 && got.at.at[6]->scale[1] == 1 && !got.at.at[6]->phi, "as it is");
    CHECK(got.at.at[7]->scale[0] == 0.1 && got.at.at[7]->scale[1] == -2.5, "the scales, bit by bit");
    assert_string_equal(got.at.at[7]->phi, "c");
    assert_null(got.at.at[7]->first->phi);
    records_free(&got);
    free(made.all.at);
}

static void an_answer_comes_back_with_its_paths(void **state PF_UNUSED) {
    pf_expr *before = best_of(3);
    records one = {0};
    SUCCEED(PF_PUSH(&one.at, before));
    bytes content = write_all(&one);
    records got = read_all(content.at, content.n);
    CHECK(!got.err && got.at.n == 1, "%s", pf_message());
    const pf_answer *mine = before->answer, *theirs = got.at.at[0]->answer;
    CHECK(mine->bound == theirs->bound && mine->states == theirs->states && mine->arcs == theirs->arcs, "what was searched");
    CHECK(theirs->isyms && theirs->osyms, "the tables");
    assert_int_equal(mine->paths.n, 3);
    assert_int_equal(theirs->paths.n, 3);
    for (size_t k = 0; k < 3; k++) {
        const pf_path *path = &mine->paths.at[k], *other = &theirs->paths.at[k];
        CHECK(path->cost == other->cost && path->final == other->final && path->n == other->n, "path %zu", k);
        for (size_t at = 0; at < path->n; at++)
            CHECK(path->arc[at].in == other->arc[at].in && path->arc[at].out == other->arc[at].out &&
                      path->arc[at].w == other->arc[at].w,
                  "path %zu, arc %zu", k, at);
    }
    records_free(&got);
    records_free(&one);
    free(content.at);
}

/* Every bit of every cost, and so the same paths. */
static void a_table_of_costs_comes_back(void **state PF_UNUSED) {
    for (pf_label n = 0; n <= 3; n++) {
        pf_expr *before = weighted_perm(n);
        records one = {0};
        SUCCEED(PF_PUSH(&one.at, before));
        bytes content = write_all(&one);
        records got = read_all(content.at, content.n);
        CHECK(!got.err && got.at.n == 1, "%s", pf_message());
        const pf_weight *mine = before->spec.wm, *theirs = got.at.at[0]->spec.wm;
        assert_int_equal(got.at.at[0]->spec.n_wm, 2);
        assert_int_equal(theirs[0].n, n * n);
        assert_string_equal(theirs[0].spec, mine[0].spec);
        if (n) assert_memory_equal(theirs[0].cost, mine[0].cost, mine[0].n * sizeof *mine[0].cost);
        assert_string_equal(theirs[1].spec, "distance:0.5");
        assert_int_equal(theirs[1].n, 0);
        assert_string_equal(got.at.at[0]->spec.con[0], before->spec.con[0]);
        CHECK(cost_of(before) == cost_of(got.at.at[0]), "another cost");
        records_free(&got);
        records_free(&one);
        free(content.at);
    }
}

static void what_is_read_is_what_was_meant(void **state PF_UNUSED) {
    pf_blob *model = model_blob(), *again = model_blob();
    pf_expr *direct = compose_of(perm_of(linear(3), false), NULL, model);
    records one = {0};
    SUCCEED(PF_PUSH(&one.at, compose_of(perm_of(linear(3), false), NULL, again)));
    bytes content = write_all(&one);
    records got = read_all(content.at, content.n);
    CHECK(!got.err && got.at.n == 1, "%s", pf_message());
    CHECK(cost_of(direct) == cost_of(got.at.at[0]), "%g", cost_of(direct));
    records_free(&got);
    records_free(&one);
    pf_expr_free(direct);
    pf_blob_free(model);
    pf_blob_free(again);
    free(content.at);
}

static void an_operand_is_defined_once(void **state PF_UNUSED) {
    pf_blob *model = model_blob();
    records few = {0};
    size_t defined = 0;
    for (int i = 0; i < 50; i++) SUCCEED(PF_PUSH(&few.at, compose_of(linear(2), NULL, model)));
    bytes content = write_all(&few);
    for (size_t i = 0; i + 6 < content.n; i++) defined += memcmp(content.at + i, "define", 6) == 0;
    assert_int_equal(defined, 1);

    bytes twice = {malloc(2 * content.n), 2 * content.n}; /* streams joined: the repeat is skipped */
    assert_non_null(twice.at);
    memcpy(twice.at, content.at, content.n);
    memcpy(twice.at + content.n, content.at, content.n);
    records got = read_all(twice.at, twice.n);
    CHECK(!got.err, "%s", pf_message());
    assert_int_equal(got.at.n, 100);
    for (size_t i = 1; i < 100; i++) assert_ptr_equal(got.at.at[i]->shared, got.at.at[0]->shared);
    bytes joined = write_all(&got);
    CHECK(joined.n < twice.n, "a joined stream is written with one definition");
    records_free(&got);
    records_free(&few);
    pf_blob_free(model);
    free(content.at);
    free(twice.at);
    free(joined.at);
}

static void an_archive_has_ordinary_automata_only(void **state PF_UNUSED) {
    pf_writer *out = writer();
    pf_stream_writer *stream;
    pf_expr *lazy = perm_of(linear(2), false), *plain = linear(2);
    SUCCEED(pf_stream_writer_new(out, PF_AS_FAR, &stream));
    SUCCEED(pf_stream_put(stream, plain, 7));
    assert_int_equal(pf_stream_put(stream, lazy, 8), PF_EARG);
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    bytes content = taken(out);
    records got = read_all(content.at, content.n);
    CHECK(!got.err && got.at.n == 1, "%s", pf_message());
    records_free(&got);
    pf_expr_free(lazy);
    pf_expr_free(plain);
    free(content.at);
}

/* ---- Opened many times. */

static bytes bytes_of(pf_expr *expr) {
    records one = {0};
    SUCCEED(PF_PUSH(&one.at, expr));
    bytes b = write_all(&one);
    PF_VEC_FREE(&one.at);
    return b;
}

static void is_written_as(pf_expr *expr, const bytes *before, size_t kind) {
    bytes now = bytes_of(expr);
    CHECK(now.n == before->n && memcmp(now.at, before->at, now.n) == 0, "record %zu is written otherwise", kind + 1);
    free(now.at);
}

/* Two machines of one description: neither changes the other or the description. */
static void an_expression_is_opened_again_and_again(void **state PF_UNUSED) {
    fixture made = every_kind();
    records got = read_all(made.all.at, made.all.n);
    for (size_t at = 0; at < got.at.n; at++) {
        pf_expr *expr = got.at.at[at];
        pf_opened *one, *two;
        bytes before = bytes_of(expr);
        if (expr->kind != PF_EXPR_MODEL) {
            SUCCEED(pf_open(expr, &one));
            SUCCEED(pf_fst_complete(pf_opened_fst(one)));
            SUCCEED(pf_open(expr, &two));
            pf_fst *fst = pf_opened_fst(one), *other = pf_opened_fst(two);
            CHECK((fst == other) == (expr->kind == PF_EXPR_FST), "record %zu: whose machine?", at + 1);
            CHECK(fst == other || !other->op || other->expanded == 0, "record %zu: the second is expanded already", at + 1);
            is_written_as(expr, &before, at);
            pf_opened_free(one);
            SUCCEED(pf_fst_complete(other));
            pf_opened_free(two);
        } else SUCCEED(use(expr));
        is_written_as(expr, &before, at);
        free(before.at);
    }
    records_free(&got);
    free(made.all.at);
}

typedef struct {
    const records *all;
    double cost[ENDS];
} searcher;

static void *search_all(void *self) {
    searcher *own = self;
    for (size_t i = 0; i < own->all->at.n; i++)
        own->cost[i] = own->all->at.at[i]->kind == PF_EXPR_MODEL ? use(own->all->at.at[i]) : cost_of(own->all->at.at[i]);
    return NULL;
}

/* The first thread makes what the threads share. A third thread writes the records at the same time. */
static void threads_open_one_expression(void **state PF_UNUSED) {
    fixture made = every_kind();
    for (int turn = 0; turn < 20; turn++) {
        records got = read_all(made.all.at, made.all.n);
        searcher one = {.all = &got}, two = {.all = &got};
        pthread_t thread[2];
        assert_int_equal(pthread_create(&thread[0], NULL, search_all, &one), 0);
        assert_int_equal(pthread_create(&thread[1], NULL, search_all, &two), 0);
        bytes content = write_all(&got);
        for (size_t i = 0; i < 2; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
        for (size_t i = 0; i < got.at.n; i++) CHECK(one.cost[i] == two.cost[i], "record %zu: another cost", i + 1);
        CHECK(content.n == made.all.n && memcmp(content.at, made.all.at, content.n) == 0, "other bytes");
        free(content.at);
        records_free(&got);
    }
    free(made.all.at);
}

/* A model that was made here is the one that scores, before and after it was written. */
static void a_model_is_used_as_it_is(void **state PF_UNUSED) {
    pf_reader *reader;
    pf_model model;
    pf_blob *blob;
    const pf_model *found;
    SUCCEED(pf_reader_memory(arpa, sizeof arpa - 1, "arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, &model));
    pf_reader_free(reader);
    const void *self = model.self;
    SUCCEED(pf_blob_of_model(&model, &blob));
    assert_null(model.cls);
    pf_expr *expr = compose_of(linear(3), NULL, blob);
    double cost = cost_of(expr);
    bytes content = bytes_of(expr);
    SUCCEED(pf_open_model(blob, &found));
    assert_ptr_equal(found->self, self);
    CHECK(cost_of(expr) == cost, "another cost");
    is_written_as(expr, &content, 0);
    records back = read_all(content.at, content.n);
    CHECK(cost_of(back.at.at[0]) == cost, "another cost of what was written");
    records_free(&back);
    pf_expr_free(expr);
    pf_blob_free(blob);
    free(content.at);
}

/* ---- By name. */

static char *write_file(const char *text) {
    static char path[] = "/tmp/permfst-stream-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int fd = mkstemp(path);
    CHECK(fd >= 0, "%s", path);
    FILE *file = fdopen(fd, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

static bytes named(const char *path) {
    pf_blob *model = model_blob();
    records one = {0};
    SUCCEED(pf_blob_by_name(model, path));
    SUCCEED(PF_PUSH(&one.at, compose_of(linear(3), NULL, model)));
    bytes b = write_all(&one);
    records_free(&one);
    pf_blob_free(model);
    return b;
}

static void a_model_may_be_sent_by_name(void **state PF_UNUSED) {
    char *path = write_file(arpa);
    bytes whole = named(path);
    pf_blob *model = model_blob();
    CHECK(whole.n < 700, "%zu bytes: more than a name", whole.n);
    records read = read_all(whole.at, whole.n);
    CHECK(!read.err && read.at.n == 1, "%s", pf_message());
    assert_string_equal(pf_blob_path(read.at.at[0]->shared), path);
    bytes again = write_all(&read);
    CHECK(again.n == whole.n && memcmp(again.at, whole.at, whole.n) == 0, "written again");
    pf_expr *direct = compose_of(linear(3), NULL, model);
    CHECK(cost_of(read.at.at[0]) == cost_of(direct), "another cost");
    records_free(&read);

    FILE *file = fopen(path, "a");
    fputs("\n", file);
    fclose(file);
    read = read_all(whole.at, whole.n);
    SUCCEED(use(read.at.at[0])); /* the same model in other bytes */
    records_free(&read);

    char *changed = strdup(arpa), *digit = strstr(changed, "-0.75");
    digit[3] = '8';
    file = fopen(path, "w");
    fputs(changed, file);
    fclose(file);
    free(changed);
    read = read_all(whole.at, whole.n);
    assert_int_equal(use(read.at.at[0]), PF_EINPUT);
    CHECK(strstr(pf_message(), path), "%s", pf_message());
    records_free(&read);

    unlink(path);
    read = read_all(whole.at, whole.n);
    assert_int_equal(use(read.at.at[0]), PF_EIO);
    CHECK(strstr(pf_message(), path), "%s", pf_message());
    records_free(&read);
    pf_expr_free(direct);
    pf_blob_free(model);
    free(whole.at);
    free(again.at);
}

/* ---- What is cut or damaged. */

static void names_the_place(const char *what, size_t at) {
    const char *words = pf_message();
    CHECK(strstr(words, "memory: ") == words || strstr(words, "memory is empty") == words, "%s at byte %zu: %s", what, at, words);
    CHECK(strstr(words, "record ") || strstr(words, "is empty"), "%s at byte %zu: %s", what, at, words);
    CHECK(strstr(words, "byte ") || strstr(words, "is empty"), "%s at byte %zu: %s", what, at, words);
}

/* A bit says that an automaton has a seal. Where it is flipped, the automaton is given, unchanged, and the seal is noticed. */
static bool is_bare(const pf_expr *expr) { return expr->kind == PF_EXPR_FST && !(expr->properties & PF_SEALED); }

/* A copy of its own, so that a byte too far is noticed. */
static records read_copy(const unsigned char *at, size_t length) {
    unsigned char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, at, length);
    records r = read_all(copy, length);
    free(copy);
    return r;
}

static void a_cut_is_noticed_wherever_it_is(void **state PF_UNUSED) {
    fixture made = every_kind();
    for (size_t length = 0; length < made.all.n; length++) {
        size_t whole = 0;
        while (whole < made.n && made.end[whole] <= length) whole++;
        records got = read_copy(made.all.at, length);
        CHECK(got.at.n == whole, "cut at byte %zu: %zu records, expected %zu", length, got.at.n, whole);
        CHECK(got.err == PF_EINPUT, "a cut at byte %zu is not noticed", length);
        names_the_place("cut", length);
        records_free(&got);
    }
    free(made.all.at);
}

/* Not one bit, wherever it is. Before the damage is noticed only records that come before it are given. */
static void every_flipped_bit_is_noticed(void **state PF_UNUSED) {
    fixture made = every_kind();
    size_t step = getenv("PERMFST_QUICK") ? 7 : 1, before = 0;
    for (size_t bit = 0; bit < 8 * made.all.n; bit += step) {
        while (before < made.n && made.end[before] <= bit / 8) before++;
        made.all.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        records got = read_copy(made.all.at, made.all.n);
        CHECK(got.err == PF_EINPUT, "bit %zu of byte %zu is not noticed", bit % 8, bit / 8);
        names_the_place("flipped bit", bit / 8);
        CHECK(got.at.n <= before + (before < made.n && got.at.n == before + 1 && is_bare(got.at.at[before])),
              "bit %zu of byte %zu: %zu records, expected at most %zu", bit % 8, bit / 8, got.at.n, before);
        records_free(&got);
        made.all.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(made.all.at);
}

/* What stands between two streams may be of others, and has no end of its own. */
static void streams_are_joined_whole(void **state PF_UNUSED) {
    fixture made = every_kind();
    bytes two = {malloc(2 * made.all.n), 2 * made.all.n};
    assert_non_null(two.at);
    memcpy(two.at, made.all.at, made.all.n);
    memcpy(two.at + made.all.n, made.all.at, made.all.n);
    records got = read_copy(two.at, two.n);
    SUCCEED(got.err);
    assert_int_equal(got.at.n, 2 * made.n);
    records_free(&got);
    memcpy(two.at + made.end[4], made.all.at, made.all.n); /* the first one is cut between two records */
    got = read_copy(two.at, made.end[4] + made.all.n);
    CHECK(got.err && got.at.n == 5 && strstr(pf_message(), "missing"), "%zu records, %s", got.at.n, pf_message());
    records_free(&got);
    memmove(two.at + made.end[4], two.at + made.end[5], two.n - made.end[5]); /* and one is taken out */
    got = read_copy(two.at, two.n);
    CHECK(got.err && got.at.n == 5, "%zu records", got.at.n);
    records_free(&got);
    free(two.at);
    free(made.all.at);
}

static void a_damaged_model_is_noticed(void **state PF_UNUSED) {
    pf_blob *model = model_blob();
    records one = {0};
    SUCCEED(PF_PUSH(&one.at, compose_of(linear(2), NULL, model)));
    bytes content = write_all(&one);
    size_t begin = 0, size = 0;
    while (memcmp(content.at + begin, "ngram", 5) != 0) begin++;
    size_t hash = begin + 5, body = hash + PF_HASH_BYTES + 4 + 8;
    for (size_t i = 8; i; i--) size = size << 8 | content.at[body - 9 + i];
    CHECK(size > 100 && body + size < content.n, "%zu bytes of a model", size);
    for (size_t at = hash; at < body + size; at++) {
        if (at >= hash + PF_HASH_BYTES && at < body) continue;
        content.at[at] ^= 0x10;
        records got = read_copy(content.at, content.n);
        assert_int_equal(got.err, PF_EINPUT);
        CHECK(strstr(pf_message(), "damaged") && strstr(pf_message(), "record 1"), "byte %zu: %s", at, pf_message());
        assert_int_equal(got.at.n, 0);
        records_free(&got);
        content.at[at] ^= 0x10;
    }
    records_free(&one);
    pf_blob_free(model);
    free(content.at);
}

/* ---- Another version, another type. */

/* Bytes as the content of a frame. */
static bytes framed(bytes content) {
    pf_writer *out = writer();
    SUCCEED(pfi_frame_write(out, &(pfi_frame){PFI_RECORD, 1, content.n, pf_crc32c(0, content.at, content.n)}));
    SUCCEED(pf_writer_put(out, content.at, content.n));
    free(content.at);
    return taken(out);
}

static void is_refused_as(bytes content, const char *words) {
    records got = read_copy(content.at, content.n);
    CHECK(got.err && strstr(pf_message(), words), "expected '%s', found '%s'", words, got.err ? pf_message() : "no error");
    names_the_place(words, content.n);
    records_free(&got);
    free(content.at);
}

/* Before version 4 records had no frames. */
static void another_version_is_refused_naming_both(void **state PF_UNUSED) {
    static const char *const type[] = {"perm", "compose", "model", "define", "best"};
    for (int version = 0; version < PF_FORMAT_VERSION + 2; version++) {
        for (size_t at = 0; at < LENGTH(type); at++) {
            pf_header h = {.version = version, .start = -1};
            pf_writer *out = writer();
            char words[120] = "expected a frame around the record of type";
            strcpy(h.fst_type, type[at]);
            SUCCEED(pf_header_write(out, &h));
            if (version != PF_FORMAT_VERSION)
                snprintf(words, sizeof words, "'%s' record of format version %d; this program reads version %d", type[at], version,
                         PF_FORMAT_VERSION);
            is_refused_as(taken(out), words);
        }
        if (version == PF_FORMAT_VERSION) continue;
        bytes content = framed(copy_of("", 0));
        char words[120];
        content.at[8] = (unsigned char)version;
        uint32_t sum = pf_crc32c(0, content.at, 36);
        for (int i = 0; i < 4; i++) content.at[36 + i] = (unsigned char)(sum >> 8 * i);
        snprintf(words, sizeof words, "a record of format version %d; this program reads version %d", version, PF_FORMAT_VERSION);
        is_refused_as(content, words);
    }
}

/* ---- What is made to hurt. */

static void header(pf_writer *w, const char *type) { SUCCEED(pf_lazy_header_write(w, type, PF_STANDARD, 0)); }

/* As the content of a frame. */
static void is_refused(pf_writer *w, const char *words) { is_refused_as(framed(taken(w)), words); }

static void nesting_ends(void **state PF_UNUSED) {
    pf_writer *out = writer();
    for (int i = 0; i < 200000; i++) {
        header(out, "perm");
        for (int k = 0; k < 3; k++) SUCCEED(pf_writer_u32(out, 0));
    }
    is_refused(out, "nested");
    out = writer();
    for (int i = 0; i < 200000; i++) header(out, "compose");
    is_refused(out, "nested");

    pf_expr *deep = linear(2);
    records one = {0};
    for (int i = 0; i < 30; i++) deep = compose_of(deep, linear(2), NULL);
    SUCCEED(PF_PUSH(&one.at, deep));
    bytes content = write_all(&one);
    records got = read_all(content.at, content.n);
    CHECK(!got.err, "30 deep: %s", pf_message());
    SUCCEED(use(got.at.at[0]));
    records_free(&got);
    records_free(&one);
    free(content.at);
}

/* What begins a composition: the first operand, and flags. */
static pf_writer *composition(uint32_t flags) {
    pf_writer *out = writer();
    pf_expr *expr = linear(1);
    header(out, "compose");
    SUCCEED(pf_expr_write(out, expr));
    SUCCEED(pf_writer_u32(out, flags));
    pf_expr_free(expr);
    return out;
}

static void odd_scales_and_symbols_are_refused(void **state PF_UNUSED) {
    static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e39, -1e300};
    static const char *const symbol[] = {"", "a\0b"};
    for (size_t at = 0; at < 2 * LENGTH(odd); at++) {
        pf_writer *out = composition(2);
        if (at % 2) SUCCEED(pf_writer_f64(out, -3e38));
        SUCCEED(pf_writer_f64(out, odd[at / 2]));
        is_refused(out, "scale of an operand");
    }
    for (size_t at = 0; at < LENGTH(symbol); at++) {
        pf_writer *out = composition(4);
        SUCCEED(pf_writer_string(out, symbol[at], 3 * at));
        is_refused(out, at ? "NUL" : "is empty");
    }
    pf_writer *to = composition(4);
    SUCCEED(pf_writer_u32(to, INT32_MAX));
    is_refused(to, "failure symbol");
    is_refused(composition(8), "unknown flags 0x8 of a composition");
    pf_expr *expr = linear(1), *none;
    assert_int_equal(pf_expr_compose(expr, expr, &(pf_composing){{1, 1}, ""}, &none), PF_EARG);
    assert_int_equal(pf_expr_compose(expr, expr, &(pf_composing){{1, 1e39}, NULL}, &none), PF_ELIMIT);
    assert_null(none);
    pf_expr_free(expr);
}

static void no_count_is_believed(void **state PF_UNUSED) {
    pf_writer *to = writer();
    header(to, "perm");
    SUCCEED(pf_writer_u32(to, 0));
    SUCCEED(pf_writer_u32(to, UINT32_MAX));
    is_refused(to, "constraints");
    to = writer();
    header(to, "perm");
    SUCCEED(pf_writer_u32(to, 0));
    SUCCEED(pf_writer_u32(to, 1));
    SUCCEED(pf_writer_u32(to, INT32_MAX));
    is_refused(to, "constraints");
    for (int wrong = 0; wrong < 3; wrong++) { /* costs that are missing, a cost that is not a number, a cost that is not finite */
        to = writer();
        header(to, "perm");
        SUCCEED(pf_writer_u32(to, 0));
        SUCCEED(pf_writer_u32(to, 0));
        SUCCEED(pf_writer_u32(to, 1));
        SUCCEED(pf_writer_string(to, "position:f", 10));
        SUCCEED(pf_writer_u64(to, wrong ? 1 : UINT64_MAX));
        SUCCEED(pf_writer_f64(to, wrong == 0 ? 1 : wrong == 1 ? (double)NAN : (double)-INFINITY));
        is_refused(to, wrong ? "cost 1 of a weight is not finite" : "a weight's costs");
    }
    to = writer();
    header(to, "perm");
    SUCCEED(pf_writer_u32(to, 0x80));
    is_refused(to, "flags");
    to = writer();
    header(to, "model");
    SUCCEED(pf_writer_string(to, "ngram", 5));
    for (int i = 0; i < 4; i++) SUCCEED(pf_writer_u32(to, 0));
    SUCCEED(pf_writer_u32(to, 0));
    SUCCEED(pf_writer_u64(to, UINT64_MAX / 2));
    SUCCEED(pf_writer_put(to, "few", 3));
    is_refused(to, "bytes of a model");
    to = writer();
    header(to, "model");
    SUCCEED(pf_writer_string(to, "a class whose name is much too long", 35));
    is_refused(to, "class");
    to = writer();
    header(to, "model");
    SUCCEED(pf_writer_string(to, "ngram", 5));
    for (int i = 0; i < 4; i++) SUCCEED(pf_writer_u32(to, 0));
    SUCCEED(pf_writer_u32(to, 7));
    is_refused(to, "by value (0) or by name (1)");
    for (int alone = 0; alone < 2; alone++) { /* no bytes at all, with the hash of none: found by fuzzing */
        unsigned char hash[PF_HASH_BYTES];
        pf_hash_bytes("", 0, hash);
        to = writer();
        header(to, alone ? "model" : "define");
        SUCCEED(pf_writer_string(to, "ngram", 5));
        SUCCEED(pf_writer_put(to, hash, sizeof hash));
        SUCCEED(pf_writer_u32(to, 0));
        SUCCEED(pf_writer_u64(to, 0));
        is_refused(to, "a size of 0");
    }
    for (int wrong = 0; wrong < 3; wrong++) { /* a flag that is unknown; a reference's cost that is no number; an empty name */
        static const uint32_t flags[] = {8, 1, 4};
        to = writer();
        header(to, "best");
        for (int i = 0; i < 3; i++) SUCCEED(pf_writer_u64(to, 0));
        SUCCEED(pf_writer_u32(to, flags[wrong]));
        if (wrong < 2) SUCCEED(pf_writer_f64(to, (double)NAN));
        else SUCCEED(pf_writer_u32(to, 0));
        is_refused(to, wrong == 2 ? "the name of a record is empty" : wrong ? "cost of a reference" : "unknown flags");
    }
    for (int paths = 0; paths < 2; paths++) {
        to = writer();
        header(to, "best");
        for (int i = 0; i < 3; i++) SUCCEED(pf_writer_u64(to, 0));
        SUCCEED(pf_writer_u32(to, 0));
        SUCCEED(pf_writer_u64(to, paths ? UINT64_MAX : 1));
        SUCCEED(pf_writer_f32(to, 0));
        SUCCEED(pf_writer_u64(to, paths ? 0 : UINT64_MAX));
        is_refused(to, "expected");
    }
    to = writer(); /* more codes of a tree than there are bytes */
    header(to, "best");
    for (int i = 0; i < 3; i++) SUCCEED(pf_writer_u64(to, 0));
    SUCCEED(pf_writer_u32(to, 2));
    SUCCEED(pf_writer_u64(to, 1));
    SUCCEED(pf_writer_f32(to, 0));
    SUCCEED(pf_writer_u64(to, 0));
    SUCCEED(pf_writer_u64(to, UINT64_MAX));
    is_refused(to, "a code of a tree");
    for (int wrong = 0; wrong < 3; wrong++) { /* a negative label; a weight or a final weight that is not a number */
        to = writer();
        header(to, "best");
        for (int i = 0; i < 3; i++) SUCCEED(pf_writer_u64(to, 0));
        SUCCEED(pf_writer_u32(to, 0));
        SUCCEED(pf_writer_u64(to, 1));
        SUCCEED(pf_writer_f32(to, wrong == 2 ? NAN : 0));
        SUCCEED(pf_writer_u64(to, 1));
        SUCCEED(pf_writer_u32(to, wrong == 0 ? UINT32_MAX : 1));
        SUCCEED(pf_writer_u32(to, 1));
        SUCCEED(pf_writer_f32(to, wrong == 1 ? NAN : 0));
        is_refused(to, wrong == 2 ? "final weight" : "negative label");
    }
}

static void unknown_things_are_named(void **state PF_UNUSED) {
    pf_writer *out = writer();
    header(out, "magic");
    is_refused(out, "'magic'");
    out = writer();
    SUCCEED(pf_writer_text(out, "0 1 1 1\n"));
    is_refused_as(taken(out), "an automaton as text");
    out = writer();
    SUCCEED(pf_writer_u32(out, 0x01020304));
    is_refused_as(taken(out), "04 03");
    out = writer();
    SUCCEED(pf_writer_u32(out, 0xfdd6));
    is_refused_as(taken(out), "record");
    out = composition(1);
    for (int i = 0; i < 4; i++) SUCCEED(pf_writer_u32(out, 5));
    is_refused(out, "not defined");
}

/* What is no object of its class. */
static pf_err write_bytes(const void *object, pf_writer *to) { return pf_writer_text(to, "%s", (const char *)object); }
static void free_nothing(void *object PF_UNUSED) {}
static const pf_blob_ops no_object = {write_bytes, free_nothing};

/* A record whose parts are whole, but do not fit one another, is read and then refused where it is opened. */
static void what_does_not_fit_is_refused_when_opened(void **state PF_UNUSED) {
    pf_blob *model = model_blob(), *odd, *text;
    static char no_model[] = "bytes";
    SUCCEED(pf_blob_of_object("magic", &no_object, no_model, &odd));
    SUCCEED(pf_blob_of_object("fst", &no_object, no_model, &text));
    static const char *const window[] = {"window:3"};
    static const pf_weight lexical = {.spec = "lexical:f"};
    records few = {0};
    SUCCEED(PF_PUSH(&few.at, perm_of(model_of(model), false)));
    SUCCEED(PF_PUSH(&few.at, compose_of(model_of(model), linear(2), NULL)));
    SUCCEED(PF_PUSH(&few.at, compose_of(linear(2), model_of(model), NULL)));
    SUCCEED(PF_PUSH(&few.at, compose_of(linear(2), NULL, odd)));
    SUCCEED(PF_PUSH(&few.at, compose_of(linear(2), NULL, text)));
    SUCCEED(PF_PUSH(&few.at, scaled(linear(2), NULL, model, "b")));
    SUCCEED(PF_PUSH(&few.at, scaled(linear(2), linear(2), NULL, "zzz")));
    SUCCEED(PF_PUSH(&few.at, perm_of_more(perm_of(linear(2), false), &(pf_perm_spec){.con = window, .n_con = 1})));
    SUCCEED(PF_PUSH(&few.at, perm_of(no_path(), false)));
    SUCCEED(PF_PUSH(&few.at, model_of(odd)));
    SUCCEED(PF_PUSH(&few.at, weighted(linear(2), 3))); /* the table of another sentence, and none at all */
    SUCCEED(PF_PUSH(&few.at, perm_of_more(perm_of(linear(2), false), &(pf_perm_spec){.wm = &lexical, .n_wm = 1})));
    bytes content = write_all(&few);
    records got = read_all(content.at, content.n);
    CHECK(!got.err, "%s", pf_message());
    for (size_t at = 0; at < got.at.n; at++) {
        pf_err err = use(got.at.at[at]);
        CHECK(err == PF_EINPUT || err == PF_EARG, "record %zu: %d", at + 1, err);
        CHECK(use(got.at.at[at]) == err, "record %zu is refused once only", at + 1);
    }
    records_free(&got);
    records_free(&few);
    pf_blob_free(model);
    pf_blob_free(odd);
    pf_blob_free(text);
    free(content.at);
}

/* A writer that has nothing to say says so. */
static void nothing_is_no_stream(void **state PF_UNUSED) {
    records none = {0}, got = read_all("", 0);
    CHECK(got.err == PF_EINPUT && strstr(pf_message(), "memory is empty"), "%s", pf_message());
    bytes content = write_all(&none);
    got = read_all(content.at, content.n);
    SUCCEED(got.err);
    assert_int_equal(got.at.n, 0);
    free(content.at);
}

/* ---- names ---- */

static pf_expr *with_name(pf_expr *expr, const char *name) {
    SUCCEED(pf_expr_give_name(&expr, name));
    return expr;
}

/* A name goes with whatever kind of record it is in, on the pipe and into what is made of it. */
static void names_come_back(void **state) {
    static const char *const names[] = {"one", "two words", "\xc3\xbc", "four", NULL, "first", "second"};
    pf_blob *model = model_blob();
    pf_expr *made[] = {
        with_name(linear(3), names[0]), with_name(best_of(2), names[1]), perm_of(with_name(linear(3), names[2]), false),
        compose_of(perm_of(with_name(linear(3), names[3]), true), NULL, model), linear(2),
        compose_of(with_name(linear(2), names[5]), with_name(linear(2), "other"), NULL),
        compose_of(linear(2), with_name(linear(2), names[6]), NULL),
    };
    pf_writer *out = writer();
    pf_stream_writer *stream;
    fixture f = {0};
    (void)state;
    SUCCEED(pf_stream_writer_new(out, PF_AS_RECORDS, &stream));
    for (size_t i = 0; i < LENGTH(made); i++) put(stream, out, &f, made[i]);
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    pf_blob_free(model);
    bytes content = taken(out);
    records got = read_all(content.at, content.n);
    SUCCEED(got.err);
    assert_int_equal(got.at.n, LENGTH(made));
    for (size_t at = 0; at < got.at.n; at++) {
        const char *name = pf_expr_name(got.at.at[at]);
        if (names[at]) assert_string_equal(name, names[at]);
        else assert_null(name);
    }
    records_free(&got);
    free(content.at);
}

/* Not too long, and never empty. */
static void names_have_limits(void **state) {
    pf_expr *expr = linear(1);
    char *name = malloc(PF_NAME_LIMIT + 2);
    (void)state;
    assert_non_null(name);
    memset(name, 'x', PF_NAME_LIMIT + 1);
    name[PF_NAME_LIMIT + 1] = 0;
    SUCCEED(pf_expr_give_name(&expr, NULL));
    SUCCEED(pf_expr_give_name(&expr, ""));
    assert_null(pf_expr_name(expr));
    assert_int_equal(pf_expr_give_name(&expr, name), PF_EINPUT);
    assert_null(expr);
    name[PF_NAME_LIMIT] = 0;
    expr = with_name(linear(1), name);
    assert_string_equal(pf_expr_name(expr), name);
    free(name);
    pf_expr_free(expr);
}

/* ---- symbol tables ---- */

/* An automaton with these words in its tables, label after label. */
static pf_expr *with_tables(const char *const *inputs, const char *const *outputs, const char *title) {
    pf_expr *expr;
    pf_fst *fst;
    pf_build build = {0};
    pf_symtab *table[2] = {NULL, NULL};
    const char *const *words[] = {inputs, outputs};
    for (int side = 0; side < 2; side++) {
        if (!words[side]) continue;
        SUCCEED(pf_symtab_new(side ? title : "words", &table[side]));
        for (pf_label i = 0; words[side][i]; i++) SUCCEED(pf_symtab_put(table[side], words[side][i], strlen(words[side][i]), i));
    }
    SUCCEED(pf_build_arc(&build, 0, 1, 1, 0, 1));
    SUCCEED(pf_build_final(&build, 1, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    pf_fst_set_symbols(fst, table[0], table[1]);
    pf_symtab_free(table[0]);
    pf_symtab_free(table[1]);
    SUCCEED(pf_expr_of_fst(fst, &expr));
    return expr;
}

static void expect_table(const pf_symtab *table, const char *const *words, const char *title) {
    size_t count = 0;
    if (!words) {
        assert_null(table);
        return;
    }
    assert_string_equal(pf_symtab_title(table), title);
    for (; words[count]; count++) {
        size_t length;
        pf_label label;
        assert_string_equal(pf_symtab_at(table, count, &length, &label), words[count]);
        assert_int_equal(label, count);
        assert_int_equal(pf_symtab_find(table, words[count], length), count);
    }
    assert_int_equal(pf_symtab_count(table), count);
}

/* Tables that are alike, as far as they are, come back as they were, from a sealed automaton and from one inside a record; where
 * they are the same, they are one. */
static void tables_come_back(void **state) {
    static const char *const full[] = {"<eps>", "a", "b", "c", NULL}, *const shorter[] = {"<eps>", "a", "b", NULL},
                      *const other[] = {"<eps>", "a", "x", "c", NULL}, *const none[] = {NULL};
    static const struct {
        const char *const *inputs, *const *outputs;
        const char *title;
        bool one;
    } cases[] = {
        {full, full, "words", true}, {full, full, "others", false}, {full, shorter, "words", false},
        {shorter, full, "words", false},
        {full, other, "words", false}, {full, NULL, "words", false}, {NULL, full, "words", false}, {full, none, "words", false},
        {none, none, "words", true}, {none, full, "words", false},
    };
    (void)state;
    for (size_t at = 0; at < LENGTH(cases); at++)
        for (int inside = 0; inside < 2; inside++) {
            pf_expr *expr = with_tables(cases[at].inputs, cases[at].outputs, cases[at].title);
            if (inside) expr = perm_of(expr, false);
            records one = {0};
            SUCCEED(PF_PUSH(&one.at, expr));
            for (int again = 0; again < 2; again++) { /* written as two tables, and as one */
                bytes content = write_all(&one);
                records_free(&one);
                one = read_all(content.at, content.n);
                SUCCEED(one.err);
                assert_int_equal(one.at.n, 1);
                const pf_fst *fst = inside ? one.at.at[0]->first->fst : one.at.at[0]->fst;
                expect_table(fst->isyms, cases[at].inputs, "words");
                expect_table(fst->osyms, cases[at].outputs, cases[at].title);
                assert_int_equal(fst->isyms == fst->osyms, cases[at].one);
                free(content.at);
            }
            records_free(&one);
        }
}

/* ---- Sentences inside records. */

typedef struct {
    pf_label words, label;  /* how many; the label of the first */
    float weight, final;
    bool transducer, parallel, other_type, ends_early, backwards; /* all but the first of these: it is no chain */
} sentence_case;

static pf_fst *sentence_of(const sentence_case *given) {
    pf_build build = {0};
    pf_fst *fst;
    const pf_state states = (pf_state)given->words;
    for (pf_state i = 0; i < states; i++) {
        const pf_state from = given->backwards ? states - i : i, to = given->backwards ? states - i - 1 : i + 1;
        const pf_label in = given->label - (pf_label)i, out = given->transducer ? (pf_label)i * 40 : in;
        SUCCEED(pf_build_arc(&build, from, in, out, i % 3 ? 0 : given->weight, to));
        if (given->parallel) SUCCEED(pf_build_arc(&build, from, 1, 1, 1, to));
    }
    if (given->ends_early) SUCCEED(pf_build_final(&build, 0, 1));
    SUCCEED(pf_build_final(&build, given->backwards ? 0 : states, given->final));
    SUCCEED(pf_build_finish(&build, given->other_type ? PF_LOG64 : PF_STANDARD, given->backwards ? states : 0, &fst));
    return fst;
}

static void same_weight(float expected, float found) { assert_memory_equal(&expected, &found, sizeof found); }

static void same_machine(pf_fst *expected, pf_fst *found) {
    assert_int_equal(found->type, expected->type);
    assert_int_equal(found->start, expected->start);
    assert_int_equal(pf_fst_states(found), pf_fst_states(expected));
    assert_int_equal(found->narcs, expected->narcs);
    for (pf_state state = 0; state < pf_fst_states(expected); state++) {
        const pf_arcs arcs = pf_fst_arcs(expected, state), others = pf_fst_arcs(found, state);
        same_weight(pf_fst_final(expected, state), pf_fst_final(found, state));
        assert_int_equal(others.n, arcs.n);
        for (uint32_t at = 0; at < arcs.n; at++) {
            assert_int_equal(others.arc[at].in, arcs.arc[at].in);
            assert_int_equal(others.arc[at].out, arcs.arc[at].out);
            assert_int_equal(others.arc[at].to, arcs.arc[at].to);
            same_weight(arcs.arc[at].w, others.arc[at].w);
        }
    }
}

static pf_err read_content(const unsigned char *at, size_t n, pf_expr **out) {
    pf_reader *reader;
    pf_header header;
    SUCCEED(pf_reader_memory(at, n, "content", &reader));
    *out = NULL;
    pf_err err = pf_header_read(reader, &header);
    if (!err) err = pf_expr_read(reader, &header, 0, NULL, NULL, out);
    pf_reader_free(reader);
    return err;
}

/* Each cut is refused, and each flipped bit leaves something that can be used, or is refused. */
static void check_damage(const bytes *content) {
    pf_expr *expr;
    for (size_t length = 0; length < content->n; length++) {
        unsigned char *cut = memcpy(malloc(length + 1), content->at, length); /* what is read beyond it is seen by the sanitizer */
        assert_int_equal(read_content(cut, length, &expr), PF_EINPUT);
        assert_null(expr);
        free(cut);
    }
    for (size_t at = 0; at < 8 * content->n; at++) {
        content->at[at / 8] ^= (unsigned char)(1u << at % 8);
        if (read_content(content->at, content->n, &expr)) assert_null(expr);
        else use(expr);
        pf_expr_free(expr);
        content->at[at / 8] ^= (unsigned char)(1u << at % 8);
    }
}

static bool is_written_short(const bytes *content) {
    for (size_t i = 0; i + 5 <= content->n; i++)
        if (memcmp(content->at + i, "chain", 5) == 0) return true;
    return false;
}

static void a_sentence_inside_a_record_is_short(void **state PF_UNUSED) {
    static const sentence_case cases[] = {
        {.words = 0},
        {.words = 0, .final = 2.5f},
        {.words = 1, .label = 1},
        {.words = 13, .label = 20},
        {.words = 20, .label = INT32_MAX},
        {.words = 5, .label = 127, .weight = 0.5f},
        {.words = 5, .label = 130, .weight = -0.f},
        {.words = 5, .label = 16385, .weight = INFINITY, .final = -3},
        {.words = 5, .label = 9, .final = -0.f},
        {.words = 7, .label = 2097152, .weight = 1e-30f, .final = 1, .transducer = true},
        {.words = 4, .label = 9, .transducer = true},
        {.words = 3, .label = 9, .parallel = true},
        {.words = 3, .label = 9, .other_type = true},
        {.words = 3, .label = 9, .ends_early = true},
        {.words = 3, .label = 9, .backwards = true},
        {.words = 2, .label = 2, .final = INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int tables = 0; tables < 3; tables++) {
            const sentence_case *given = &cases[i];
            const bool other =
                given->parallel || given->other_type || given->ends_early || given->backwards || given->final == INFINITY;
            pf_fst *fst = sentence_of(given);
            pf_symtab *words = tables ? table() : NULL;
            pf_expr *input, *expr, *back;
            pf_fst_set_symbols(fst, words, tables == 2 ? words : NULL);
            pf_symtab_free(words);
            SUCCEED(pf_expr_of_fst(fst, &input));
            expr = perm_of(pf_expr_ref(input), false);
            pf_writer *out = writer();
            SUCCEED(pf_expr_write(out, expr));
            bytes content = taken(out);
            assert_int_equal(is_written_short(&content), !other);
            SUCCEED(read_content(content.at, content.n, &back));
            same_machine(fst, back->first->fst);
            assert_int_equal(!back->first->fst->isyms, !tables);
            assert_ptr_equal(back->first->fst->osyms, tables == 2 ? back->first->fst->isyms : NULL);
            if (!other) check_damage(&content);
            pf_expr_free(back);
            pf_expr_free(expr);
            pf_expr_free(input);
            free(content.at);
        }
}

/* What stands for a record that failed is a record like others. */
static void what_stands_for_a_failure(void **state) {
    pf_writer *out = writer();
    pf_stream_writer *stream;
    (void)state;
    SUCCEED(pf_stream_writer_new(out, PF_AS_RECORDS, &stream));
    SUCCEED(pf_stream_put_empty(stream, 1, NULL));
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    bytes content = taken(out);
    records got = read_all(content.at, content.n);
    SUCCEED(got.err);
    assert_int_equal(got.at.n, 1);
    assert_true(got.at.at[0]->kind == PF_EXPR_FST && got.at.at[0]->fst->start == PF_NO_STATE);
    records_free(&got);
    free(content.at);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_record_comes_back),
        cmocka_unit_test(an_answer_comes_back_with_its_paths),
        cmocka_unit_test(a_table_of_costs_comes_back),
        cmocka_unit_test(what_is_read_is_what_was_meant),
        cmocka_unit_test(an_operand_is_defined_once),
        cmocka_unit_test(an_archive_has_ordinary_automata_only),
        cmocka_unit_test(an_expression_is_opened_again_and_again),
        cmocka_unit_test(threads_open_one_expression),
        cmocka_unit_test(a_model_is_used_as_it_is),
        cmocka_unit_test(a_model_may_be_sent_by_name),
        cmocka_unit_test(a_cut_is_noticed_wherever_it_is),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(streams_are_joined_whole),
        cmocka_unit_test(a_damaged_model_is_noticed),
        cmocka_unit_test(another_version_is_refused_naming_both),
        cmocka_unit_test(nesting_ends),
        cmocka_unit_test(no_count_is_believed),
        cmocka_unit_test(unknown_things_are_named),
        cmocka_unit_test(odd_scales_and_symbols_are_refused),
        cmocka_unit_test(what_does_not_fit_is_refused_when_opened),
        cmocka_unit_test(nothing_is_no_stream),
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(names_have_limits),
        cmocka_unit_test(tables_come_back),
        cmocka_unit_test(a_sentence_inside_a_record_is_short),
        cmocka_unit_test(what_stands_for_a_failure),
    };
    limit_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
