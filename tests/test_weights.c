/* Weights: what a path costs is what the definitions say, alone and in sums; probabilities sum to one; and tables of costs
 * are read from files as they are meant, or refused with file and line. */
#include "laws.h"

#include <permfst/permute/wm_file.h>

#include <unistd.h>

/* ---- Costs of paths. */

/* The specifications to try for an entry of the table. The names of files are names only: the tables are the test's. */
static const char *const *model_specs(const pf_wm_class *cls) {
    static const char *const monotone[] = {"monotone:0.3", "monotone:0.7", NULL};
    static const char *const number[][3] = {{"distance:1", "distance:-0.75", NULL},
                                            {"early-distance:1", "early-distance:0.5", NULL},
                                            {"inversions:1", "inversions:-2.25", NULL},
                                            {"jumps:1", "jumps:0.375", NULL}};
    static const char *const table[][2] = {{"pairwise:p", NULL}, {"position:p", NULL}, {"lexical:l", NULL}};
    if (!strcmp(cls->name, "monotone")) return monotone;
    for (size_t at = 0; at < LENGTH(number); at++)
        if (strcspn(number[at][0], ":") == strlen(cls->name) && !strncmp(number[at][0], cls->name, strlen(cls->name)))
            return number[at];
    for (size_t at = 0; at < LENGTH(table); at++)
        if (strcspn(table[at][0], ":") == strlen(cls->name) && !strncmp(table[at][0], cls->name, strlen(cls->name)))
            return table[at];
    CHECK(false, "tests/test_weights.c knows no parameters for '%s'", cls->name);
    return NULL;
}

static void paths_cost_what_the_definition_says(void **state) {
    (void)state;
    for (size_t model = 0; pf_wm_at(model); model++)
        for (const char *const *wm = model_specs(pf_wm_at(model)); *wm; wm++)
            for (size_t i = 0; i < cases.n; i++)
                if (cases.at[i].n <= 5 || i % 5 == model % 5) check_paths(&cases.at[i], wm, 1);
}

static void sums_of_models_cost_the_sum(void **state) {
    (void)state;
    static const struct {
        const char *wm[3];
        size_t wms;
    } sum[] = {
        {{"distance:1", "pairwise:p"}, 2},
        {{"lexical:l", "early-distance:0.5"}, 2},
        {{"monotone:0.6", "jumps:2"}, 2},
        {{"monotone:0.6*2.5", "pairwise:p*-0.75", "lexical:l*3"}, 3},
        {{"early-distance:1*0.5"}, 1},
        {{"inversions:2*0", "position:p*1e1"}, 2},
        {{"position:p", "position:q"}, 2},
        {{"inversions:0.5", "lexical:l", "distance:-1"}, 3},
        {{"pairwise:p", "position:q", "monotone:0.4"}, 3},
        {{"jumps:1", "jumps:1", "jumps:-2"}, 3},
        {{"lexical:l", "lexical:m", "early-distance:1"}, 3},
    };
    for (size_t model = 0; model < LENGTH(sum); model++)
        for (size_t i = 0; i < cases.n; i++)
            if (i % 4 == model % 4 && cases.at[i].n <= 6) check_paths(&cases.at[i], sum[model].wm, sum[model].wms);
}

/* Models that give a move its cost without looking at the other moves, past the first word of 64 positions. */
static void moves_of_long_sentences_cost_what_the_definition_says(void **state) {
    (void)state;
    enum { N = 130 };
    static const char *const wm[] = {"distance:0.5", "early-distance:1", "inversions:0.25", "jumps:2",
                                     "pairwise:p",   "position:p",       "lexical:l"};
    const oracle_set none = {.n = N};
    for (size_t at = 0; at < LENGTH(wm); at++) {
        pf_fst *fst = lazy(PLAIN, N, NULL, 0, &wm[at], 1);
        pf_state from = fst->start;
        unsigned perm[N], other[N];
        uint32_t seed = 9;
        shuffle(perm, N, &seed);
        memcpy(other, perm, sizeof other);
        for (unsigned step = 0; step < N; step++) {
            pf_arcs arcs = pf_fst_arcs(fst, from);
            for (uint32_t arc = 0; arc < arcs.n; arc++) {
                other[step] = (unsigned)arcs.arc[arc].in - 1;
                double cost = oracle_move_cost(&none, wm[at], table_for(wm[at], N), other, step), w = (double)arcs.arc[arc].w;
                CHECK(fabs(cost - w) < 1e-4, "%s: move %u to %u costs %g, not %g", wm[at], step, other[step] + 1, w, cost);
                if (other[step] == perm[step]) from = arcs.arc[arc].to;
            }
            other[step] = perm[step];
        }
        pf_fst_free(fst);
    }
}

/* The order that a matrix of 0 and 1 was made of: pairwise costs are distances to it, and so to the input's own. */
static void pairwise_costs_can_count_inversions(void **state) {
    (void)state;
    enum { N = 6 };
    static const unsigned reference[N] = {2, 0, 5, 3, 1, 4}; /* no involution */
    double cost[N * N] = {0};
    unsigned place[N], perm[N];
    for (unsigned t = 0; t < N; t++) place[reference[t]] = t;
    for (unsigned s = 0; s < N; s++)
        for (unsigned j = 0; j < N; j++) cost[s * N + j] = place[j] < place[s];
    pf_weight weight = {"pairwise:m", cost, N * N};
    pf_perm_spec spec = {NULL, 0, &weight, 1, false};
    pf_fst *linear = slots(PLAIN, N), *fst;
    SUCCEED(pf_perm_lazy(linear, &spec, &fst));
    oracle_first(perm, N);
    do {
        double sum = 0, tau = 0;
        pf_state from = fst->start;
        for (unsigned step = 0; step < N; step++) {
            pf_arcs arcs = pf_fst_arcs(fst, from);
            uint32_t arc = 0;
            while (arcs.arc[arc].in != (pf_label)perm[step] + 1) arc++;
            sum += (double)arcs.arc[arc].w;
            from = arcs.arc[arc].to;
            for (unsigned i = 0; i < step; i++) tau += place[perm[i]] > place[perm[step]];
        }
        CHECK(fabs(sum - tau) < 1e-9, "a path costs %g, not %g", sum, tau);
    } while (oracle_next(perm, N));
    pf_fst_free(linear);
    pf_fst_free(fst);
}

/* With the number 1, as permcount needs it. */
static void whole_models_have_whole_costs(void **state) {
    (void)state;
    for (size_t model = 0; pf_wm_at(model); model++) {
        if (!pf_wm_at(model)->whole) continue;
        char spec[SPEC];
        const char *wm = spec;
        snprintf(spec, sizeof spec, "%s:1", pf_wm_at(model)->name);
        pf_fst *fst = lazy(PLAIN, 6, NULL, 0, &wm, 1);
        uint32_t states = expand(fst, BREADTH);
        for (pf_state from = 0; from < states; from++)
            for (uint32_t arc = 0; arc < pf_fst_arcs(fst, from).n; arc++) {
                double w = (double)pf_fst_arcs(fst, from).arc[arc].w;
                CHECK(w >= 0 && w <= floor(w), "%s: a move costs %g", spec, w);
            }
        pf_fst_free(fst);
    }
}

/* ---- Probabilities. */

/* Every position once: arcs of one slot share its probability and carry their own costs besides. */
static double mass(pf_fst *fst, pf_state state, int kind) {
    pf_arcs arcs = pf_fst_arcs(fst, state);
    unsigned last = 0, k = 0;
    double sum = 0;
    for (uint32_t arc = 0; arc < arcs.n; arc++) {
        k = (unsigned)arcs.arc[arc].in == last ? k + 1 : 0;
        last = (unsigned)arcs.arc[arc].in;
        if (!k) sum += exp(-((double)arcs.arc[arc].w - (double)own_cost(kind, last - 1, 0)));
    }
    return sum;
}

static void probabilities_sum_to_one(void **state) {
    (void)state;
    for (size_t model = 0; pf_wm_at(model); model++)
        for (const char *const *wm = model_specs(pf_wm_at(model)); pf_wm_at(model)->normalised && *wm; wm++)
            for (size_t at = 0; at < cases.n; at++) {
                const instance *k = &cases.at[at];
                int kind = at % 3 ? ALTERNATIVES : PLAIN;
                pf_fst *fst = lazy_case(k, kind, *wm);
                uint32_t states = expand(fst, BREADTH);
                for (pf_state from = 0; from < states; from++)
                    CHECK(isfinite(pf_fst_final(fst, from)) || fabs(mass(fst, from, kind) - 1) < 1e-6, "%s, %s, state %u: %.9g",
                          k->name, *wm, from, mass(fst, from, kind));
                pf_fst_free(fst);
            }
}

/* ---- Sums, arc by arc and byte by byte. */

static void weight_models_add_up(void **state) {
    (void)state;
    static const char *const con[] = {"itg", "inverse-ibm:3"}, *const wm[] = {"monotone:0.3", "monotone:0.7"};
    pf_fst *fst = lazy(PLAIN, 6, con, 2, wm, 1), *other = lazy(PLAIN, 6, con, 2, wm + 1, 1);
    pf_fst *both = lazy(PLAIN, 6, con, 2, wm, 2);
    uint32_t states = expand(fst, BREADTH);
    CHECK(expand(other, BREADTH) == states && expand(both, BREADTH) == states, "the models changed the states");
    for (pf_state from = 0; from < states; from++) {
        pf_arcs arcs = pf_fst_arcs(fst, from), y = pf_fst_arcs(other, from), z = pf_fst_arcs(both, from);
        for (uint32_t i = 0; i < arcs.n; i++)
            CHECK(fabs((double)arcs.arc[i].w + (double)y.arc[i].w - (double)z.arc[i].w) < 1e-5, "state %u, arc %u", from, i);
    }
    pf_fst_free(fst);
    pf_fst_free(other);
    pf_fst_free(both);
}

/* A weight model of the test's own, with a byte of state: jumps cost their distance, and so does the end. */
static void far_start(const pf_wm *wm, unsigned char *x) {
    x[0] = (unsigned char)wm->param; /* which tells the parts' bytes apart; + the position that would go on in order */
}

static void far_weigh(const pf_wm *wm, const pf_cover *cover, const unsigned char *x, const pf_cover *allowed, unsigned moves,
                      double *w) {
    (void)cover;
    for (unsigned j = 0, r = 0; r < moves; j++)
        if (pf_cover_has(allowed, j)) w[r++] += wm->param * fabs(j + wm->param - x[0]);
}

static void far_advance(const pf_wm *wm, const pf_cover *cover, const unsigned char *x, unsigned j, unsigned char *to) {
    (void)cover;
    CHECK(x[0] >= wm->param && x[0] <= wm->param + wm->n, "the bytes of another part");
    to[0] = (unsigned char)(wm->param + j + 1);
}

static const pf_wm_class far_class = {.name = "far",
                                      .params = ":W",
                                      .help = "",
                                      .start = far_start,
                                      .weigh = far_weigh,
                                      .advance = far_advance};

static pf_wm *far_of(unsigned n, double param) {
    pf_wm *wm = calloc(1, sizeof *wm);
    if (!wm) abort();
    *wm = (pf_wm){.cls = &far_class, .n = n, .nw = 1, .param = param, .room = 1};
    return wm;
}

/* far:1 + monotone + far:100 along 1 3 0 2, whose jumps are 1, 1, 4 and 1. */
static void sums_keep_the_bytes_of_their_parts_apart(void **state) {
    (void)state;
    static const unsigned perm[] = {1, 3, 0, 2}, jump[] = {1, 1, 4, 1};
    oracle_set set = oracle_all(NULL, 0, 4);
    pf_wm *part[] = {far_of(4, 1), NULL, far_of(4, 100)}, *sum = NULL;
    SUCCEED(pf_wm_new(&(pf_weight){.spec = "monotone:0.7"}, 4, &part[1]));
    SUCCEED(pf_wm_sum(part, 3, 4, &sum));
    CHECK(sum->room == 2, "room for %zu bytes", sum->room);
    unsigned char x[2], to[2];
    pf_cover cover = 0;
    sum->cls->start(sum, x);
    for (unsigned step = 0; step < 4; step++) {
        pf_cover allowed = 15 & ~cover;
        double w[4] = {1000, 1000, 1000, 1000};
        double expected = 1000 + 101 * jump[step] + oracle_move_cost(&set, "monotone:0.7", NULL, perm, step);
        sum->cls->weigh(sum, &cover, x, &allowed, 4 - step, w);
        unsigned rank = pf_bits_count(allowed & ((UINT64_C(1) << perm[step]) - 1));
        CHECK(fabs(w[rank] - expected) < 1e-9, "move %u costs %g, not %g", step, w[rank], expected);
        sum->cls->advance(sum, &cover, x, perm[step], to);
        memcpy(x, to, 2);
        pf_cover_put(&cover, perm[step]);
    }
    pf_wm_free(sum);
    free(set.at);
}

/* ---- Specifications of models. */

static void a_model_with_a_table_needs_a_file_and_its_costs(void **state) {
    (void)state;
    static const char *const bad[] = {"pairwise", "pairwise:", "position", "lexical:", "lexical", "pairwise*2", "pairwise:*2"};
    double cost[12] = {0};
    pf_wm *wm;
    for (size_t i = 0; i < LENGTH(bad); i++) CHECK(pf_wm_check(bad[i]) == PF_EARG, "'%s' is taken", bad[i]);
    SUCCEED(pf_wm_check("pairwise:a name, with: all of it"));
    static const struct {
        const char *spec;
        size_t right;
    } row[] = {{"pairwise:f", 9}, {"lexical:f*2", 9}, {"jumps:1*3", 0}, {"position:f", 9}, {"lexical:f", 9}, {"distance:1", 0},
               {"jumps:2", 0}};
    for (size_t at = 0; at < LENGTH(row); at++)
        for (size_t n = 0; n <= 12; n++) {
            pf_err err = pf_wm_new(&(pf_weight){row[at].spec, cost, n}, 3, &wm);
            CHECK(err == (n == row[at].right ? PF_OK : PF_EINPUT), "%s with %zu costs: %d", row[at].spec, n, err);
            if (!err) pf_wm_free(wm);
            else CHECK(strstr(pf_message(), row[at].spec), "%s", pf_message());
        }
}

static void a_scale_is_a_finite_number_after_the_last_star(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        size_t before;
        double scale;
    } row[] = {{"jumps:1", 7, 1}, {"jumps:1*-2.5", 7, -2.5}, {"pairwise:a*b", 12, 1}, {"pairwise:a*b*2", 12, 2}, {"jumps:1*", 8, 1},
               {"jumps:1*inf", 11, 1}, {"jumps:1*nan", 11, 1}, {"jumps:1*2x", 10, 1}, {"pairwise:1*2", 10, 2}};
    double scale;
    for (size_t at = 0; at < LENGTH(row); at++) {
        size_t before = pf_wm_scale_of(row[at].spec, &scale);
        CHECK(before == row[at].before && scale == row[at].scale, "%s: %zu, %g", row[at].spec, before, scale);
    }
    static const char *const bad[] = {"jumps:1*", "jumps:1*inf", "jumps:*2", "jumps*2", "jumps:1*2x", "monotone:0.5*1*2"};
    for (size_t i = 0; i < LENGTH(bad); i++) CHECK(pf_wm_check(bad[i]) == PF_EARG, "'%s' is taken", bad[i]);
    static const struct {
        const char *spec;
        bool nonnegative;
    } sign[] = {{"jumps:1*2", true}, {"jumps:1*-2", false}, {"jumps:-1*0", true}, {"monotone:0.2*-1", false},
                {"jumps:-1*-1", false}};
    for (size_t at = 0; at < LENGTH(sign); at++) {
        pf_wm *wm;
        SUCCEED(pf_wm_new(&(pf_weight){.spec = sign[at].spec}, 4, &wm));
        CHECK(pf_wm_nonnegative(wm) == sign[at].nonnegative, "%s", sign[at].spec);
        pf_wm_free(wm);
    }
}

static void a_factor_is_a_finite_number(void **state) {
    (void)state;
    static const char *const name[] = {"distance", "early-distance", "inversions", "jumps"};
    static const char *const bad[] = {"", ":", ":x", ":inf", ":-inf", ":nan", ":1,2", ":1x"};
    for (size_t at = 0; at < LENGTH(name); at++) {
        char spec[SPEC];
        for (size_t k = 0; k < LENGTH(bad); k++) {
            snprintf(spec, sizeof spec, "%s%s", name[at], bad[k]);
            CHECK(pf_wm_check(spec) == PF_EARG, "'%s' is taken", spec);
        }
        snprintf(spec, sizeof spec, "%s:-0.5", name[at]);
        SUCCEED(pf_wm_check(spec));
        snprintf(spec, sizeof spec, "%s:0", name[at]);
        SUCCEED(pf_wm_check(spec));
    }
}

/* ---- Files of costs. */

typedef struct {
    char path[64], spec[96];
    pf_wm_file *file;
    pf_symtab *words;
    double *cost;
    size_t n;
} table_file;

/* A file of `n` bytes for a model; not opened yet. */
static table_file new_file(const char *model, const char *bytes, size_t n) {
    table_file table = {.path = "/tmp/permfst-weights-XXXXXX"};
    int fd = mkstemp(table.path);
    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "%s", table.path);
    close(fd);
    snprintf(table.spec, sizeof table.spec, "%s:%s", model, table.path);
    pf_label label;
    SUCCEED(pf_symtab_new("words", &table.words));
    for (const char *c = "abcd"; *c; c++) SUCCEED(pf_symtab_add(table.words, c, 1, &label));
    return table;
}

static table_file open_file(const char *model, const char *text) {
    table_file table = new_file(model, text, strlen(text));
    SUCCEED(pf_wm_file_open(table.spec, &table.file));
    CHECK(table.file, "%s has no file", model);
    return table;
}

static void close_file(table_file *table) {
    pf_wm_file_free(table->file);
    pf_symtab_free(table->words);
    free(table->cost);
    unlink(table->path);
}

/* A sentence of letters; an upper case one is an alternative of the word before it. */
static pf_input input_of(const char *letters) {
    pf_input in = {0};
    in.first = calloc(strlen(letters) + 1, sizeof *in.first);
    in.arc = calloc(strlen(letters) + 1, sizeof *in.arc);
    if (!in.first || !in.arc) abort();
    uint32_t arcs = 0;
    for (const char *at = letters; *at; at++) {
        bool other = *at < 'a';
        in.arc[arcs++].out = other ? *at - 'A' + 1 : *at - 'a' + 1;
        in.n += !other;
        in.first[in.n] = arcs;
    }
    return in;
}

static pf_err next(table_file *table, const char *letters) {
    pf_input in = input_of(letters);
    free(table->cost);
    table->cost = NULL;
    table->n = 99;
    pf_err err = pf_wm_file_next(table->file, &in, table->words, &table->cost, &table->n);
    CHECK(!err == !!table->cost, "costs with an error, or none without");
    pf_input_free(&in);
    return err;
}

static void holds(table_file *table, const char *letters, const double *cost, size_t n) {
    SUCCEED(next(table, letters));
    CHECK(table->n == n, "'%s': %zu costs, not %zu", letters, table->n, n);
    for (size_t i = 0; i < n; i++)
        CHECK(fabs(table->cost[i] - cost[i]) < 1e-12, "'%s': cost %zu is %g", letters, i, table->cost[i]);
}

/* The message names the file and the line, if any, and has the words. */
static void complains(const table_file *t, pf_err err, unsigned line, const char *words) {
    char place[128];
    if (line) snprintf(place, sizeof place, "%s:%u: ", t->path, line);
    else snprintf(place, sizeof place, "%s:", t->path);
    CHECK(err == PF_EINPUT, "expected '%s', found error %d", words, err);
    CHECK(strstr(pf_message(), place) == pf_message(), "'%s' does not begin with '%s'", pf_message(), place);
    CHECK(strstr(pf_message(), words), "'%s' lacks '%s'", pf_message(), words);
}

static void a_matrix_a_sentence_is_read(void **state) {
    (void)state;
    static const double two[] = {1, -2.5, 3e-2, 4}, three[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, one[] = {0.5};
    static const char *const model[] = {"pairwise", "position"};
    for (size_t i = 0; i < LENGTH(model); i++) {
        table_file table = open_file(model[i], "1 -2.5\n3e-2\t4 \r\n\n\n 1 2 3\n4  5 6\n7 8 +9\n\n.5");
        holds(&table, "ab", two, 4);
        holds(&table, "", NULL, 0);
        holds(&table, "bca", three, 9);
        holds(&table, "d", one, 1);
        SUCCEED(pf_wm_file_end(table.file));
        close_file(&table);
    }
}

static void empty_sentences_have_empty_lines(void **state) {
    (void)state;
    static const double one[] = {7};
    table_file table = open_file("position", "\n7\n\n\n\n");
    holds(&table, "", NULL, 0);
    holds(&table, "a", one, 1);
    holds(&table, "", NULL, 0);
    holds(&table, "", NULL, 0);
    SUCCEED(pf_wm_file_end(table.file));
    complains(&table, next(&table, ""), 5, "found the end");
    close_file(&table);
    table = open_file("position", "");
    SUCCEED(pf_wm_file_end(table.file));
    close_file(&table);
}

/* Whole matrices, empty ones, and the rest of one that was refused; never the one that follows. */
static void matrices_can_be_skipped(void **state) {
    (void)state;
    static const double one[] = {7}, two[] = {1, 2, 3, 4};
    table_file table = open_file("position", "1 2\n3 4\n\n\nx y\n1 2\n\n7\n\n1 2\n3 4");
    SUCCEED(pf_wm_file_skip(table.file, 2));
    complains(&table, next(&table, "ab"), 5, "'x'");
    SUCCEED(pf_wm_file_skip(table.file, 3));
    SUCCEED(pf_wm_file_skip(table.file, 3));
    holds(&table, "a", one, 1);
    holds(&table, "ab", two, 4);
    SUCCEED(pf_wm_file_skip(table.file, 5));
    SUCCEED(pf_wm_file_end(table.file));
    SUCCEED(pf_wm_file_skip(table.file, 9));
    close_file(&table);
    table = open_file("position", "1 2\n3 4\n\n7"); /* read whole before it was refused */
    complains(&table, next(&table, "a"), 3, "2 x 2");
    SUCCEED(pf_wm_file_skip(table.file, 1));
    holds(&table, "a", one, 1);
    close_file(&table);
}

static void a_matrix_of_another_shape_is_refused_naming_both(void **state) {
    (void)state;
    static const struct {
        const char *text, *letters;
        unsigned line;
        const char *expected, *found;
    } row[] = {
        {"1 2\n3 4\n\n", "abc", 3, "3 x 3", "2 x 2"}, {"1 2 3\n4 5 6\n7 8 9\n\n", "ab", 4, "2 x 2", "3 x 3"},
        {"1 2\n\n", "ab", 2, "2 x 2", "1 x 2"},       {"1\n2\n\n", "ab", 3, "2 x 2", "2 x 1"},
        {"\n", "a", 1, "1 x 1", "0 x 0"},             {"1 2\n3 4\n\n", "", 3, "0 x 0", "2 x 2"},
        {"1 2\n3\n\n", "ab", 2, "row 2", "the first row has 2"},
    };
    for (size_t at = 0; at < LENGTH(row); at++) {
        table_file table = open_file("pairwise", row[at].text);
        complains(&table, next(&table, row[at].letters), row[at].line, row[at].expected);
        CHECK(strstr(pf_message(), row[at].found), "'%s' lacks '%s'", pf_message(), row[at].found);
        close_file(&table);
    }
}

static void missing_and_spare_matrices_are_refused(void **state) {
    (void)state;
    static const double one[] = {1};
    table_file table = open_file("pairwise", "1\n");
    holds(&table, "a", one, 1);
    complains(&table, next(&table, "a"), 1, "found the end");
    close_file(&table);
    table = open_file("pairwise", "1\n\n2\n");
    holds(&table, "a", one, 1);
    complains(&table, pf_wm_file_end(table.file), 3, "expected the end");
    close_file(&table);
    table = open_file("position", "");
    complains(&table, next(&table, "a"), 0, "found the end");
    close_file(&table);
}

static void what_is_no_finite_number_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"x", "1x", "inf", "-inf", "nan", "1e999", "1,2", "--1", "1.2.3", "0;"};
    for (size_t at = 0; at < LENGTH(bad); at++) {
        char text[64];
        snprintf(text, sizeof text, "1 2\n3 %s\n", bad[at]);
        table_file table = open_file("position", text);
        complains(&table, next(&table, "ab"), 2, bad[at]);
        close_file(&table);
        snprintf(text, sizeof text, "a 1 2 3\nb 1 %s 3\n", bad[at]);
        table = new_file("lexical", text, strlen(text));
        complains(&table, pf_wm_file_open(table.spec, &table.file), 2, bad[at]);
        close_file(&table);
    }
}

static void a_nul_byte_is_refused(void **state) {
    (void)state;
    table_file table = new_file("position", "1 2\n3 4\0\n", 10);
    SUCCEED(pf_wm_file_open(table.spec, &table.file));
    complains(&table, next(&table, "ab"), 2, "NUL");
    close_file(&table);
    table = new_file("lexical", "a 1 2 3\nb\0 1 2 3\n", 18);
    complains(&table, pf_wm_file_open(table.spec, &table.file), 2, "NUL");
    close_file(&table);
}

static void the_costs_of_words_go_to_their_positions(void **state) {
    (void)state;
    static const double bab[] = {4, 5, 6, 1, 2, 3, 4, 5, 6}, unknown[] = {-7, 8, 9, 1, 2, 3};
    table_file table = open_file("lexical", "a 1 2 3\nb\t4 5 6\n<unk> -7 8 9");
    holds(&table, "bab", bab, 9);
    holds(&table, "da", unknown, 6);
    holds(&table, "", NULL, 0);
    SUCCEED(pf_wm_file_end(table.file));
    close_file(&table);
}

static void a_word_without_costs_is_refused(void **state) {
    (void)state;
    static const double a[] = {1, 2, 3};
    table_file table = open_file("lexical", "b 4 5 6\na 1 2 3\n");
    holds(&table, "a", a, 3);
    complains(&table, next(&table, "ac"), 0, "'c' at position 2");
    complains(&table, next(&table, "d"), 0, "'d' at position 1");
    close_file(&table);
    table = open_file("lexical", "");
    complains(&table, next(&table, "a"), 0, "'a'");
    close_file(&table);
    table = open_file("lexical", "a 1 2 3\n");
    pf_input in = input_of("a");
    CHECK(pf_wm_file_next(table.file, &in, NULL, &table.cost, &table.n) == PF_EINPUT && !table.cost,
          "words without a table of symbols");
    complains(&table, PF_EINPUT, 0, "symbol table");
    pf_input_free(&in);
    close_file(&table);
}

static void alternatives_have_no_lexical_costs(void **state) {
    (void)state;
    table_file table = open_file("lexical", "a 1 2 3\nb 4 5 6\n");
    complains(&table, next(&table, "aaB"), 0, "position 2 has alternatives");
    close_file(&table);
    table = open_file("pairwise", "1 2\n3 4\n"); /* which has costs of positions */
    SUCCEED(next(&table, "abA"));
    close_file(&table);
}

static void a_broken_file_of_words_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *words;
    } row[] = {
        {"a 1 2 3\nb 1 2\n", 2, "3 costs"},  {"a 1 2 3 4\n", 1, "found 4"},      {"a\n", 1, "found 0"},
        {"a 1 2 3\n\nb 1 2 3\n", 2, "empty"}, {"a 1 2 3\na 1 2 3\n", 2, "'a'"},
    };
    for (size_t at = 0; at < LENGTH(row); at++) {
        table_file table = new_file("lexical", row[at].text, strlen(row[at].text));
        complains(&table, pf_wm_file_open(table.spec, &table.file), row[at].line, row[at].words);
        CHECK(!table.file, "a file with an error");
        close_file(&table);
    }
}

static void models_without_a_table_have_no_file(void **state) {
    (void)state;
    for (size_t model = 0; pf_wm_at(model); model++) {
        if (pf_wm_at(model)->table) continue;
        pf_wm_file *file = (pf_wm_file *)&file;
        SUCCEED(pf_wm_file_open(model_specs(pf_wm_at(model))[0], &file));
        CHECK(!file, "%s has a file", pf_wm_at(model)->name);
    }
    pf_wm_file *file;
    CHECK(pf_wm_file_open("position:/nonesuch/file", &file) == PF_EIO, "a file that is not there");
    CHECK(strstr(pf_message(), "/nonesuch/file"), "%s", pf_message());
    CHECK(pf_wm_file_open("position", &file) == PF_EARG, "no file");
    CHECK(pf_wm_file_open("nonesuch:x", &file) == PF_EARG, "no such model");
    pf_wm_file_free(NULL);
}

int main(void) {
    const struct CMUnitTest weights[] = {
        cmocka_unit_test(paths_cost_what_the_definition_says),
        cmocka_unit_test(sums_of_models_cost_the_sum),
        cmocka_unit_test(moves_of_long_sentences_cost_what_the_definition_says),
        cmocka_unit_test(pairwise_costs_can_count_inversions),
        cmocka_unit_test(whole_models_have_whole_costs),
        cmocka_unit_test(probabilities_sum_to_one),
        cmocka_unit_test(weight_models_add_up),
        cmocka_unit_test(sums_keep_the_bytes_of_their_parts_apart),
        cmocka_unit_test(a_model_with_a_table_needs_a_file_and_its_costs),
        cmocka_unit_test(a_factor_is_a_finite_number),
        cmocka_unit_test(a_scale_is_a_finite_number_after_the_last_star),
        cmocka_unit_test(a_matrix_a_sentence_is_read),
        cmocka_unit_test(empty_sentences_have_empty_lines),
        cmocka_unit_test(matrices_can_be_skipped),
        cmocka_unit_test(a_matrix_of_another_shape_is_refused_naming_both),
        cmocka_unit_test(missing_and_spare_matrices_are_refused),
        cmocka_unit_test(what_is_no_finite_number_is_refused),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(the_costs_of_words_go_to_their_positions),
        cmocka_unit_test(a_word_without_costs_is_refused),
        cmocka_unit_test(alternatives_have_no_lexical_costs),
        cmocka_unit_test(a_broken_file_of_words_is_refused),
        cmocka_unit_test(models_without_a_table_have_no_file),
    };
    return cmocka_run_group_tests_name("weights", weights, make_cases, drop_cases);
}
