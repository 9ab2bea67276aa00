/* Translation against brute force: every order and every reading of a sentence by a tuple model is listed from the definition,
 * with an n-gram model of the tuples that is looked up word by word, and compared with what the composition has. */
#include "model/tuple_impl.h"
#include "search/levels.h"
#include "check.h"
#include "draw.h"
#include "paths.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char tuples_arpa[] =
    "\\data\\\nngram 1=16\nngram 2=10\nngram 3=2\n\n\\1-grams:\n"
    "-99\t<s>\t-0.3\n-0.9\t</s>\n-2\t<unk>\t-0.1\n-1\tdas|that\t-0.2\n-1.2\tdas|the\t-0.25\n-1\thaus|house\t-0.1\n"
    "-1.5\thaus|the_house\t-0.15\n-1.4\tist|is\t-0.3\n-2\tist|\t-0.05\n-1.8\tnicht_wahr|isn't_it\t-0.1\n"
    "-2.5\tdas_haus_da|there\t-0.2\n"
    "-1.7\tklein|small\t-0.12\n-2.2\tklein_klein|tiny\t-0.1\n-1.9\twahr|true\t-0.1\n-2.1\ta\\|b|x\\_y\t-0.1\n-2.3\tnicht|not\n\n"
    "\\2-grams:\n-0.3\t<s> das|that\t-0.1\n-0.4\tdas|the haus|house\t-0.2\n-0.2\tdas|that ist|is\t-0.3\n-0.5\thaus|house ist|is\n"
    "-0.6\tklein|small </s>\n-0.7\tist|is klein|small\n-0.3\tnicht_wahr|isn't_it </s>\n-0.8\tist|is ist|\n-0.4\t<unk> haus|house\n"
    "-0.9\t<s> das_haus_da|there\n\n\\3-grams:\n-0.1\t<s> das|that ist|is\n-0.2\tdas|the haus|house ist|is\n\n\\end\\\n";

static const char inserting_arpa[] =
    "\\data\\\nngram 1=8\nngram 2=4\n\n\\1-grams:\n-99\t<s>\t-0.3\n-0.9\t</s>\n-2\t<unk>\n-1\ta|x\t-0.2\n-1.2\tb_a|y\t-0.1\n"
    "-1.1\tb|\t-0.3\n-1.5\t|of\t-0.2\n-1.6\t|,_so\t-0.1\n\n\\2-grams:\n-0.2\t<s> |of\n-0.1\t|of a|x\n-0.3\ta|x |,_so\n"
    "-0.1\t|,_so </s>\n\n\\end\\\n";

static const char target_arpa[] =
    "\\data\\\nngram 1=10\nngram 2=5\n\n\\1-grams:\n-99\t<s>\t-0.3\n-0.9\t</s>\n-2\t<unk>\n-1\tthe\t-0.2\n-1.2\thouse\t-0.1\n"
    "-1.1\tis\t-0.3\n-1.5\tsmall\t-0.2\n-1.6\tof\t-0.1\n-1.3\tx\t-0.2\n-1.4\tit\n\n\\2-grams:\n-0.2\t<s> the\n-0.1\tthe house\n"
    "-0.3\thouse is\n-0.1\tis small\n-0.2\tof x\n\n\\end\\\n";

/* A scorer of a model that needs no state of its own. */
static pf_scorer *ask(const pf_model *grams) {
    static pf_scorer by;
    SUCCEED(pf_scorer_of(grams, &by));
    assert_null(by.own);
    return &by;
}

static void read_arpa(const char *text, pf_model *out) {
    pf_reader *reader;
    SUCCEED(pf_reader_memory(text, strlen(text), "test.arpa", &reader));
    SUCCEED(pf_ngram_read_arpa(reader, NULL, NULL, out));
    pf_reader_free(reader);
}

#define PASS 3.25

static void tuple_model(const char *arpa, uint32_t most, pf_model *out) {
    pf_model ngram;
    read_arpa(arpa, &ngram);
    SUCCEED(pf_tuplemodel_new(&ngram, &(pf_tuple_options){PASS, most}, out));
}

/* ---- machines ---- */

/* A sentence in the orders of a space, read as tuples; `scored` by a target model, too, or NULL. `machine` is the last of these. */
typedef struct {
    pf_fst *linear, *perm, *spelt, *scored, *machine;
} translation;

static pf_fst *orders_of(pf_fst *linear, const pf_perm_spec *spec) {
    pf_fst *perm;
    SUCCEED(pf_perm_lazy(linear, spec, &perm));
    return perm;
}

/* It owns the two automata, and borrows the models. */
static translation translate(pf_fst *linear, pf_fst *perm, const pf_model *tuples, const double *scale) {
    translation made = {.linear = linear, .perm = perm};
    SUCCEED(pf_spell_tuples(perm, tuples, scale, &made.spelt));
    made.machine = made.spelt;
    return made;
}

static void score_target(translation *of, const pf_model *target, double scale) {
    SUCCEED(pf_spell_score(of->spelt, 1, &(pf_scored_by){ask(target), scale}, &of->scored));
    of->machine = of->scored;
}

static void free_translation(const translation *of) {
    pf_fst_free(of->scored);
    pf_fst_free(of->spelt);
    pf_fst_free(of->perm);
    pf_fst_free(of->linear);
}

/* ---- the definition ---- */

enum { LONGEST = 12 };

typedef struct {
    double cost;
    unsigned n_in, n_out;
    unsigned in[LONGEST];        /* positions */
    const char *out[4 * LONGEST];
} reading;

typedef struct {
    PF_VEC(reading) at;
} readings;

typedef struct {
    const pf_model *tuples, *target;
    double scale, target_scale;
    const char **word; /* of the sentence */
    unsigned n, order[LONGEST];
    readings *to;
} lister;

typedef struct {
    pf_state tuples, target;
    double cost;
} point;

static void say(const lister *list, const char *word, reading *said, point *here) {
    said->out[said->n_out++] = word;
    if (!list->target) return;
    here->cost +=
        list->target_scale * ask(list->target)
                                 ->cls->step(ask(list->target), here->target,
                                             list->target->cls->label(list->target->self, word, strlen(word)), &here->target);
}

/* The m-gram model of a tuple model. */
static const pf_model *ngram_of(const pf_model *tuples) { return &((const pfi_tuple_model *)tuples->self)->ngram; }

/* Reads a tuple whose words are known to fit. */
static void take(const lister *list, pf_label tuple, reading *r, point *here) {
    pf_tuple_labels labels = pf_tuplemodel_at(list->tuples, tuple);
    const pf_model *grams = ngram_of(list->tuples);
    here->cost += list->scale * ask(grams)->cls->step(ask(grams), here->tuples, tuple, &here->tuples);
    for (unsigned i = 0; i < labels.n_target; i++)
        say(list, pf_symtab_name(pf_tuplemodel_target(list->tuples), labels.target[i], NULL), r, here);
}

static bool fits(const lister *list, const pf_tuple_labels *labels, unsigned at) {
    const pf_symtab *words = pf_tuplemodel_source(list->tuples);
    if (!labels->n_source || at + labels->n_source > list->n) return false;
    for (unsigned i = 0; i < labels->n_source; i++)
        if (strcmp(pf_symtab_name(words, labels->source[i], NULL), list->word[list->order[at + i]]) != 0)
            return false;
    return true;
}

static void go_on(const lister *list, unsigned at, reading r, point p);
static void pass_through(const lister *list, unsigned at, reading r, point p);

static void end(const lister *list, reading said, const point *here) {
    const pf_model *grams = ngram_of(list->tuples);
    said.cost = here->cost + list->scale * ask(grams)->cls->final(ask(grams), here->tuples);
    if (list->target) said.cost += list->target_scale * ask(list->target)->cls->final(ask(list->target), here->target);
    assert_int_equal(PF_PUSH(&list->to->at, said), PF_OK);
}

/* After a tuple that was read to word `at`: the end, with an insertion or without, or more. */
static void after(const lister *list, unsigned at, const reading *said, const point *here, pf_label words) {
    if (at < list->n) {
        go_on(list, at, *said, *here);
        return;
    }
    end(list, *said, here);
    for (pf_label tuple = 1; tuple <= words; tuple++) {
        pf_tuple_labels labels = pf_tuplemodel_at(list->tuples, tuple);
        reading r2 = *said;
        point p2 = *here;
        if (labels.n_source || !labels.n_target) continue;
        take(list, tuple, &r2, &p2);
        end(list, r2, &p2);
    }
}

static pf_label vocabulary(const lister *list) { return (pf_label)pf_symtab_count(list->tuples->cls->words(list->tuples->self)); }

/* The tuple x from word `at` on, after whatever was inserted. */
static void read_tuple(const lister *list, unsigned at, pf_label tuple, reading said, point here) {
    pf_tuple_labels labels = pf_tuplemodel_at(list->tuples, tuple);
    if (!fits(list, &labels, at)) return;
    for (unsigned i = 0; i < labels.n_source; i++) said.in[said.n_in++] = list->order[at + i] + 1;
    take(list, tuple, &said, &here);
    after(list, at + labels.n_source, &said, &here, vocabulary(list));
}

static bool read_alone(const lister *list, const char *word) {
    for (pf_label tuple = 1; tuple <= vocabulary(list); tuple++) {
        pf_tuple_labels labels = pf_tuplemodel_at(list->tuples, tuple);
        if (labels.n_source == 1 && strcmp(pf_symtab_name(pf_tuplemodel_source(list->tuples), labels.source[0], NULL), word) == 0)
            return true;
    }
    return false;
}

static void pass_through(const lister *list, unsigned at, reading said, point here) {
    const pf_model *grams = ngram_of(list->tuples);
    const char *word = list->word[list->order[at]];
    if (read_alone(list, word)) return;
    said.in[said.n_in++] = list->order[at] + 1;
    here.cost += list->scale * PASS;
    ask(grams)->cls->step(ask(grams), here.tuples, grams->cls->unknown(grams->self), &here.tuples);
    say(list, word, &said, &here);
    after(list, at + 1, &said, &here, vocabulary(list));
}

static void go_on(const lister *list, unsigned at, reading said, point here) {
    for (pf_label word = 1; word <= vocabulary(list); word++) {
        pf_tuple_labels labels = pf_tuplemodel_at(list->tuples, word);
        if (labels.n_source) read_tuple(list, at, word, said, here);
        if (labels.n_source || !labels.n_target) continue;
        reading r2 = said; /* x is inserted in front of another tuple */
        point p2 = here;
        take(list, word, &r2, &p2);
        for (pf_label y = 1; y <= vocabulary(list); y++) read_tuple(list, at, y, r2, p2);
        pass_through(list, at, r2, p2);
    }
    pass_through(list, at, said, here);
}

static bool next_order(unsigned *p, unsigned length) {
    unsigned at = length, j = length;
    while (at > 1 && p[at - 2] > p[at - 1]) at--;
    if (at < 2) return false;
    while (p[j - 1] < p[at - 2]) j--;
    unsigned step = p[at - 2];
    p[at - 2] = p[j - 1];
    p[j - 1] = step;
    for (unsigned a = at - 1, b = length - 1; a < b; a++, b--) step = p[a], p[a] = p[b], p[b] = step;
    return true;
}

static readings list_all(lister list) {
    readings all = {0};
    list.to = &all;
    for (unsigned j = 0; j < list.n; j++) list.order[j] = j;
    do {
        point p = {ask(list.tuples)->cls->start(ask(list.tuples)), list.target ? ask(list.target)->cls->start(ask(list.target)) : 0,
                   0};
        after(&list, 0, &(reading){0}, &p, vocabulary(&list));
    } while (next_order(list.order, list.n));
    return all;
}

/* ---- comparisons ---- */

static int compare(const void *x, const void *y) {
    const reading *one = x, *other = y;
    if (fabs(one->cost - other->cost) > 1e-4) return one->cost < other->cost ? -1 : 1;
    if (one->n_in != other->n_in) return one->n_in < other->n_in ? -1 : 1;
    for (unsigned i = 0; i < one->n_in; i++)
        if (one->in[i] != other->in[i]) return one->in[i] < other->in[i] ? -1 : 1;
    for (unsigned i = 0; i < one->n_out && i < other->n_out; i++) {
        int order = strcmp(one->out[i], other->out[i]);
        if (order) return order;
    }
    return one->n_out < other->n_out ? -1 : one->n_out > other->n_out;
}

static reading reading_of(const pf_path *one, const pf_symtab *words) {
    reading said = {.cost = one->cost};
    for (size_t at = 0; at < one->n; at++) {
        if (one->arc[at].in) said.in[said.n_in++] = (unsigned)one->arc[at].in;
        if (one->arc[at].out) said.out[said.n_out++] = pf_symtab_name(words, one->arc[at].out, NULL);
    }
    return said;
}

static void expect_readings(const readings *want, readings *got) {
    assert_int_equal(want->at.n, got->at.n);
    for (size_t at = 0; at < got->at.n; at++) {
        assert_true(fabs(want->at.at[at].cost - got->at.at[at].cost) < 1e-4);
        assert_int_equal(compare(&want->at.at[at], &got->at.at[at]), 0);
    }
}

static void sort(readings *all) {
    if (all->at.n) qsort(all->at.at, all->at.n, sizeof(reading), compare);
}

static void expect_answer(pf_fst *fst, const readings *want, size_t wanted, pf_moves_store *moves) {
    pf_answer answer;
    readings got = {0};
    SUCCEED(pf_best(fst, &(pf_best_options){.n = wanted, .moves = moves}, &answer));
    for (size_t i = 0; i < answer.paths.n; i++) SUCCEED(PF_PUSH(&got.at, reading_of(&answer.paths.at[i], answer.osyms)));
    if (wanted >= want->at.n) {
        sort(&got);
        expect_readings(want, &got);
    } else assert_true(got.at.n == wanted && fabs(got.at.at[wanted - 1].cost - want->at.at[wanted - 1].cost) < 1e-4);
    for (size_t at = 0; at < answer.paths.n; at++) {
        double cost;
        SUCCEED(pf_verify_path(fst, &answer.paths.at[at], &cost));
        assert_true(cost == answer.paths.at[at].cost);
    }
    pf_answer_free(&answer);
    PF_VEC_FREE(&got.at);
}

static size_t known; /* machines of which it was known that no weight is below 0 */

static pf_err word_gain(void *self PF_UNUSED, pf_label word, double *gain) {
    *gain = word ? 0.25 * (double)(word * 7 % 11) - 0.5 : 0;
    return PF_OK;
}

/* What is known of the words without expanding anything: no reading gains more. */
static void expect_bound(pf_fst *fst, const readings *want) {
    double most;
    SUCCEED(pf_most_known(fst, &(pf_gain){word_gain, NULL}, &most));
    assert_true(most < (double)INFINITY);
    for (size_t i = 0; i < want->at.n; i++) {
        const reading *said = &want->at.at[i];
        double sum = 0, gain;
        for (unsigned k = 0; k < said->n_out; k++) {
            SUCCEED(word_gain(NULL, pf_symtab_find(fst->osyms, said->out[k], strlen(said->out[k])), &gain));
            sum += gain;
        }
        assert_true(sum <= most);
    }
}

/* The spelt machine expanded, and listed as any other. */
static void expect_machine(pf_fst *fst, const readings *want) {
    pf_fst *plain;
    readings got = {0};
    bool nonnegative = pf_fst_nonnegative(fst);
    SUCCEED(pf_expand(fst, 0, &plain));
    assert_true(!nonnegative || pf_fst_nonnegative(plain));
    known += nonnegative;
    paths all = all_paths(plain, INFINITY);
    for (size_t at = 0; at < all.at.n; at++) {
        reading said = {.cost = all.at.at[at].cost};
        for (unsigned k = 0; k < all.at.at[at].n; k++) {
            if (all.at.at[at].in[k]) said.in[said.n_in++] = (unsigned)all.at.at[at].in[k];
            if (all.at.at[at].out[k]) said.out[said.n_out++] = pf_symtab_name(plain->osyms, all.at.at[at].out[k], NULL);
        }
        SUCCEED(PF_PUSH(&got.at, said));
    }
    sort(&got);
    expect_readings(want, &got);
    PF_VEC_FREE(&got.at);
    PF_VEC_FREE(&all.at);
    pf_fst_free(plain);
}

static void expect_translation(const pf_model *tuples, const pf_model *target, const char *text) {
    char copy[200], *rest = copy;
    const char *word[LONGEST];
    unsigned length = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *w; (w = strtok_r(rest, " ", &rest));) word[length++] = w;
    double scale[2] = {1, 0.5};
    lister list = {.tuples = tuples, .target = target, .scale = 0.5, .target_scale = 0.75, .word = word, .n = length};
    readings want = list_all(list);
    pf_moves_store *store;
    sort(&want);
    pf_fst *linear = sentence(text, length, false);
    translation of = translate(linear, permute(linear, &spaces[0]), tuples, scale);
    for (size_t i = 0; i < want.at.n; i++) want.at.at[i].cost += 0.125; /* the end of sentence() */
    if (target) score_target(&of, target, 0.75);
    pf_fst *fst = of.machine;
    assert_true(want.at.n > 0);
    expect_bound(fst, &want);
    SUCCEED(pf_moves_store_new(0, &store));
    for (int moves = 0; moves < 2; moves++) {
        expect_answer(fst, &want, 1, moves ? store : NULL);
        expect_answer(fst, &want, want.at.n + 1, moves ? store : NULL);
    }
    pf_moves_store_free(store);
    if (want.at.n < 2000) expect_machine(fst, &want);
    free_translation(&of);
    PF_VEC_FREE(&want.at);
}

/* Many readings cost the same: all tuples are equally likely. */
static const char tied_arpa[] =
    "\\data\\\nngram 1=12\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n-1\ta|z\n-1\ta|y_x\n-1\ta|\n-1\tb|z\n-1\tb|x_y\n"
    "-1\ta_b|z_x\n-1\tb_a|y\n-1\ta_b|y_x_z\n-1\t|x\n\n\\end\\\n";

static void expect_same_answer(const pf_answer *one, const pf_answer *other) {
    assert_int_equal(one->paths.n, other->paths.n);
    for (size_t i = 0; i < one->paths.n; i++) {
        const pf_path *mine = &one->paths.at[i], *peer = &other->paths.at[i];
        assert_true(mine->cost == peer->cost);
        assert_int_equal(mine->n, peer->n);
        for (size_t k = 0; k < mine->n; k++) {
            assert_int_equal(mine->arc[k].in, peer->arc[k].in);
            assert_int_equal(mine->arc[k].out, peer->arc[k].out);
        }
    }
}

/* The order of ties is about the arcs of an answer, not about units: the expanded machine, which has none, gives the same list. */
static void ties_have_one_order(void **state) {
    (void)state;
    static const char *const line[] = {"a", "b a", "a b a", "b a b b"};
    const double scale[2] = {1, 1};
    pf_model tuples;
    pf_moves_store *store;
    size_t ties = 0;
    SUCCEED(pf_moves_store_new(0, &store));
    tuple_model(tied_arpa, 0, &tuples);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        pf_fst *linear = sentence(line[i], (unsigned)i + 1, false), *plain;
        const translation of = translate(linear, permute(linear, &spaces[0]), &tuples, scale);
        SUCCEED(pf_expand(of.machine, 0, &plain));
        for (size_t wanted = 1; wanted <= 60; wanted += 59) {
            const pf_best_options how[] = {{.n = wanted},
                                           {.n = wanted, .beam = 100000},
                                           {.n = wanted, .widen = true},
                                           {.search = PF_SEARCH_ASTAR},
                                           {.n = wanted, .moves = store}};
            for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
                pf_answer units, arcs;
                SUCCEED(pf_best(of.machine, &how[k], &units));
                SUCCEED(pf_best(plain, &(pf_best_options){.n = how[k].n}, &arcs));
                expect_same_answer(&units, &arcs);
                for (size_t rank = 1; rank < arcs.paths.n; rank++) ties += arcs.paths.at[rank].cost == arcs.paths.at[rank - 1].cost;
                pf_answer_free(&units);
                pf_answer_free(&arcs);
            }
        }
        pf_fst_free(plain);
        free_translation(&of);
    }
    assert_true(ties > 100);
    pf_moves_store_free(store);
    pf_model_free(&tuples);
}

/* Tuples and bigrams of them, drawn at random: of two costs, so that many readings cost the same. */
static void draw_arpa(uint64_t *seed, char *text, size_t room) {
    static const char *const tuple[] = {"a|z",   "a|y_x", "a|",  "b|z",     "b|x_y", "a_b|z_x", "b_a|y", "a_b|y_x_z",
                                        "b_b|x", "c|z",   "c|x", "a|x_y_z", "c_a|z", "a|x",     "b|",    "|y"};
    enum { TUPLES = sizeof tuple / sizeof *tuple };
    char pairs[TUPLES * TUPLES * 40] = "";
    bool chosen[TUPLES];
    unsigned n[2] = {0, 0};
    size_t length = 0;
    for (unsigned i = 0; i < TUPLES; i++)
        n[0] += chosen[i] = draw(seed, i + 1 == TUPLES ? 6 : 3) != 0 && (i + 1 < TUPLES || !draw(seed, 3));
    for (unsigned i = 0; i < TUPLES; i++)
        for (unsigned k = 0; k < TUPLES; k++) {
            if (!chosen[i] || !chosen[k] || draw(seed, 9)) continue;
            length +=
                (size_t)snprintf(pairs + length, sizeof pairs - length, "-%u\t%s %s\n", 1 + draw(seed, 2), tuple[i], tuple[k]);
            n[1]++;
        }
    length = (size_t)snprintf(text, room, "\\data\\\nngram 1=%u\nngram 2=%u\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n",
                              n[0] + 3, n[1]);
    for (unsigned i = 0; i < TUPLES; i++)
        if (chosen[i])
            length += (size_t)snprintf(text + length, room - length, "-%u\t%s\t-%u\n", 1 + draw(seed, 2), tuple[i], draw(seed, 2));
    snprintf(text + length, room - length, "\n\\2-grams:\n%s\n\\end\\\n", pairs);
}

/* Orders of itg, by levels and by a chart: the same answers, ties included. Returns how many ties there were. */
static size_t expect_same_ties(const pf_model *tuples, const pf_model *target, const char *line, unsigned n, bool alternatives,
                               bool acceptor, pf_moves_store *moves) {
    const char *const itg = "itg";
    const double scale[2] = {1, 1};
    pf_fst *linear = sentence(line, n, alternatives);
    const pf_perm_spec spec = {.con = &itg, .n_con = 1, .acceptor = acceptor};
    translation of = translate(linear, orders_of(linear, &spec), tuples, scale);
    size_t ties = 0;
    if (target) score_target(&of, target, 1);
    for (pf_unique unique = PF_UNIQUE_PATHS; unique <= PF_UNIQUE_INPUTS; unique++)
        for (size_t most = 1; most <= 50; most *= 7) {
            const pf_best_options by_chart = {.n = most == 49 ? 50 : most, .unique = unique};
            pf_best_options by_levels = by_chart;
            pf_answer levels, chart;
            by_levels.moves = moves;
            SUCCEED(pf_best(of.machine, &by_levels, &levels));
            SUCCEED(pf_chart_best(of.machine, &by_chart, &chart));
            expect_same_answer(&levels, &chart);
            for (size_t rank = 1; rank < levels.paths.n; rank++)
                ties += levels.paths.at[rank].cost == levels.paths.at[rank - 1].cost;
            pf_answer_free(&levels);
            pf_answer_free(&chart);
        }
    free_translation(&of);
    return ties;
}

static void a_chart_has_the_ties_of_the_levels(void **state) {
    (void)state;
    static const char *const line[] = {"b a c a b", "c b b a a", "a b a b a", "d b a d c"};
    size_t ties = 0;
    pf_model target;
    pf_moves_store *moves;
    SUCCEED(pf_moves_store_new(0, &moves));
    read_arpa(target_arpa, &target);
    const uint64_t seeds = getenv("PERMFST_QUICK") ? 12 : 60;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        char text[8000];
        uint64_t at = seed;
        pf_model tuples;
        draw(&at, 2);
        draw_arpa(&at, text, sizeof text);
        tuple_model(text, 0, &tuples);
        const unsigned which = draw(&at, 4), length = 1 + draw(&at, 5);
        ties += expect_same_ties(&tuples, draw(&at, 4) ? NULL : &target, line[which], length, length < 5 && draw(&at, 2),
                                 draw(&at, 2), draw(&at, 2) ? moves : NULL);
        pf_model_free(&tuples);
    }
    assert_true(ties > 8 * seeds);
    pf_moves_store_free(moves);
    pf_model_free(&target);
}

/* Tuples with more joint histories than a chart lists (chart/pieces.h): each bigram has a weight, so it is a history. */
static void write_many_tuples(uint64_t seed, char *text, size_t room) {
    enum { WORDS = 3, TUPLES = 108 }; /* 2916 bigrams x 108 units: more than 2^18 steps */
    size_t at =
        (size_t)snprintf(text, room, "\\data\\\nngram 1=%u\nngram 2=%u\nngram 3=1\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n",
                         TUPLES + 3, TUPLES * TUPLES / 4);
    for (unsigned i = 0; i < TUPLES; i++)
        at += (size_t)snprintf(text + at, room - at, "-%u.%u\t%c|w%u\t-0.%u\n", 1 + draw(&seed, 2), draw(&seed, 4), 'a' + i % WORDS,
                               i, 1 + draw(&seed, 9));
    at += (size_t)snprintf(text + at, room - at, "\n\\2-grams:\n");
    for (unsigned place = 0; place < TUPLES; place++)
        for (unsigned k = place % 4; k < TUPLES; k += 4)
            at += (size_t)snprintf(text + at, room - at, "-%u.%u\t%c|w%u %c|w%u\t-0.%u\n", draw(&seed, 2), draw(&seed, 10),
                                   'a' + place % WORDS, place, 'a' + (k + place / 4) % WORDS, (k + place / 4) % TUPLES,
                                   1 + draw(&seed, 9));
    snprintf(text + at, room - at, "\n\\3-grams:\n-1\ta|w0 a|w0 a|w0\n\n\\end\\\n");
}

static void histories_of_many_units_are_listed_by_model(void **state) {
    (void)state;
    enum { ROOM = 1 << 19 };
    const char *const itg = "itg";
    const double scale[2] = {1, 0.5};
    const pf_weight weight = {.spec = "distance:0.25"};
    char *text = malloc(ROOM);
    pf_model tuples, target;
    assert_non_null(text);
    read_arpa(target_arpa, &target);
    for (uint64_t seed = 0; seed < 2; seed++) {
        pf_fst *linear = sentence("c a b", 3, false);
        const pf_perm_spec spec = {.con = &itg, .n_con = 1, .wm = &weight, .n_wm = seed};
        pf_answer levels, chart;
        write_many_tuples(seed, text, ROOM);
        tuple_model(text, 0, &tuples);
        translation of = translate(linear, orders_of(linear, &spec), &tuples, scale);
        score_target(&of, &target, 1);
        SUCCEED(pf_best(of.machine, &(pf_best_options){.n = 20}, &levels));
        SUCCEED(pf_chart_best(of.machine, &(pf_best_options){.n = 20}, &chart));
        assert_int_equal(chart.paths.n, 20);
        expect_same_answer(&levels, &chart);
        assert_true(pf_answer_optimal(&chart));
        pf_answer_free(&levels);
        pf_answer_free(&chart);
        free_translation(&of);
        pf_model_free(&tuples);
    }
    pf_model_free(&target);
    free(text);
}

/* Of each move, where its units begin among those of all moves. The caller frees it. */
static uint32_t *first_units(const pfi_levels *all) {
    const pf_moves *moves = all->moves;
    const uint32_t *place = all->slots.first;
    uint32_t *first = malloc((moves->first[moves->states] + (size_t)1) * sizeof *first);
    assert_non_null(first);
    first[0] = 0;
    for (uint32_t move = 0; move < moves->first[moves->states]; move++)
        first[move + 1] = first[move] + place[moves->position[move] + 1] - place[moves->position[move]];
    return first;
}

/* What the best path up to each unit of each move costs in the coarse model. The caller frees it. */
static double *exact_leads(const pfi_levels *all, const uint32_t *first) {
    const pf_moves *moves = all->moves;
    const pfi_bound *bound = &all->bound;
    const uint32_t *place = all->slots.first;
    double *leads = malloc((moves->first[moves->states] * (size_t)bound->length + 1) * sizeof *leads);
    assert_non_null(leads);
    for (uint32_t state = 0; state < moves->states; state++)
        for (uint32_t next = moves->first[state]; next < moves->first[state + 1]; next++)
            for (uint32_t unit = place[moves->position[next]]; unit < place[moves->position[next] + 1]; unit++) {
                double least = state ? (double)INFINITY : (double)bound->after[bound->length * bound->stride + unit];
                for (uint32_t before = 0; before < moves->first[state]; before++) {
                    const uint32_t from = place[moves->position[before]], end = place[moves->position[before] + 1];
                    for (uint32_t last = from; moves->to[before] == state && last < end; last++)
                        least = fmin(least, leads[first[before] + last - from] + (double)bound->after[last * bound->stride + unit]);
                }
                const double own = moves->cost ? all->rows.parts.own * moves->cost[next] : 0;
                leads[first[next] + unit - place[moves->position[next]]] = least + own;
            }
    return leads;
}

/* Completions for one path are those for several, but for units that no path within their reach goes over: what comes after these
 * may be passed over. Returns after how many it is. */
static size_t expect_part_within(const pfi_levels *one, const pfi_levels *all, const uint32_t *first, const double *leads,
    double reach) {
    size_t passed = 0;
    for (uint32_t move = 0; move < all->moves->first[all->moves->states]; move++) {
        const uint32_t *place = &all->slots.first[all->moves->position[move]];
        for (uint32_t unit = 0; unit < place[1] - place[0]; unit++) {
            const float part = pfi_completion_after(&one->completion, move, unit);
            const float whole = pfi_completion_after(&all->completion, move, unit);
            const bool better = leads[first[move] + unit] + (double)whole <= reach;
            assert_true(better ? part == whole : part >= whole);
            passed += part != whole;
        }
    }
    assert_true(all->completion.start > reach || one->completion.start == all->completion.start);
    return passed;
}

/* Both are rounded down, one of them more often. */
static void expect_no_more(const pfi_levels *all, float cost, float most) {
    assert_true(cost <= most || (double)cost <= (double)most + pfi_levels_slack(all, (double)most));
}

/* What a path costs at least that goes on as completions by any unit say. */
static double least_start(const pfi_levels *any) {
    const pf_moves *moves = any->moves;
    const pfi_bound *bound = &any->bound;
    double least = (double)INFINITY;
    for (uint32_t move = 0; move < moves->first[1]; move++) {
        const uint32_t *place = &any->slots.first[moves->position[move]];
        const double own = moves->cost ? any->rows.parts.own * moves->cost[move] : 0;
        for (uint32_t unit = place[0]; unit < place[1]; unit++)
            least = fmin(least, own + (double)bound->after[bound->length * bound->stride + unit] +
                                    (double)pfi_completion_after(&any->completion, move, 0));
    }
    return least;
}

/* Completions by any unit of a position cost no more than those by each of them. No path costs less than they say, and they say
 * what can be said. */
static void expect_below_units(const pfi_levels *any, const pfi_levels *all, double cost) {
    assert_true(!any->completion.units && any->completion.within == (double)INFINITY);
    for (uint32_t move = 0; move < all->moves->first[all->moves->states]; move++) {
        const uint32_t *place = &all->slots.first[all->moves->position[move]];
        for (uint32_t unit = 0; unit < place[1] - place[0]; unit++)
            expect_no_more(all, pfi_completion_after(&any->completion, move, unit),
                           pfi_completion_after(&all->completion, move, unit));
    }
    const double least = least_start(any);
    assert_true(any->completion.start <= cost + pfi_levels_slack(any, cost));
    assert_true(least == (double)INFINITY || any->completion.start >= least - pfi_levels_slack(any, least));
}

/* Makes what a search knows again, with potentials of so many rounds. */
static void make_known(pfi_levels *all, bool one_path, unsigned rounds, const pf_best_options *options) {
    const pfi_bound_wish wish = {.one_path = one_path, .potentials = rounds};
    pfi_completion_free(&all->completion);
    pfi_bound_free(&all->bound);
    SUCCEED(pfi_bound_init(&all->bound, &all->rows, all->automaton, all->moves, &wish));
    SUCCEED(pfi_completion_init(&all->completion, all->moves, &all->bound, &all->rows, &all->slots, one_path, options));
}

/* A search that has a path beyond reach, and is at its limit, ends with it, after the first scout. */
static void expect_stop(pf_fst *scored, const pf_best_options *one_path, double best, double reach) {
    pf_best_options limited = *one_path;
    pf_answer answer;
    limited.max_states = 1;
    limited.profile = true;
    SUCCEED(pf_best(scored, &limited, &answer));
    assert_true(answer.paths.n == 1 && answer.paths.at[0].cost >= best && answer.bound <= answer.paths.at[0].cost);
    if (reach < best) assert_true(answer.stopped && answer.profile.at[answer.profile.n - 1].pass == 1);
    pf_answer_free(&answer);
}

/* After so many looks at the clock there is no more time. */
static bool is_late(void *looks) {
    unsigned *left = looks;
    if (!*left) return true;
    --*left;
    return false;
}

/* What is known of the costs of paths before the first pass, with so many looks at the clock. */
static double known_first(pf_fst *scored, pf_best_options options, unsigned looks) {
    pfi_levels all;
    options.self = &looks;
    SUCCEED(pfi_levels_init(&all, scored, &options));
    const double start = all.completion.moves ? fmin(all.completion.start, pfi_levels_reach(&all)) : -(double)INFINITY;
    pfi_levels_free(&all);
    return start;
}

/* A search that may take little memory or time finds a path all the same. It says no more of the best one than it knows, and no
 * less. Returns whether it has met a limit, and knows something. */
static bool expect_limited(pf_fst *scored, pf_best_options options, unsigned looks, double best) {
    const double start = known_first(scored, options, looks), slack = 1e-6 * (fabs(best) + 1000);
    pf_answer answer;
    options.self = &looks;
    SUCCEED(pf_best(scored, &options, &answer));
    const bool stopped = answer.stopped;
    assert_true(answer.paths.n == 1 && answer.bound <= best + slack && answer.bound >= start - slack);
    assert_true(stopped || pf_answer_optimal(&answer));
    pf_answer_free(&answer);
    return stopped && start > -(double)INFINITY;
}

static unsigned expect_little(pf_fst *scored, const pf_best_options *one_path, double best) {
    pf_best_options limited = *one_path;
    unsigned stopped = 0;
    for (limited.max_bytes = 1; limited.max_bytes < 1 << 24; limited.max_bytes *= 4)
        stopped += expect_limited(scored, limited, 0, best);
    limited.max_bytes = 0;
    limited.expired = is_late;
    for (unsigned looks = 0; looks < 12; looks++) stopped += expect_limited(scored, limited, looks, best);
    return stopped;
}

/* Without memory there are completions of positions alone. `all` knows all completions of the same machine. */
static void expect_no_memory(pf_fst *scored, const pf_best_options *one_path, const pfi_levels *all, double best, unsigned rounds) {
    pf_best_options limited = *one_path;
    pfi_levels any;
    pf_answer answer;
    limited.max_bytes = 1;
    SUCCEED(pfi_levels_init(&any, scored, &limited));
    SUCCEED(pf_best(scored, &limited, &answer));
    assert_true(answer.bound >= fmin(any.completion.start, best) - pfi_levels_slack(&any, best));
    pf_answer_free(&answer);
    make_known(&any, true, rounds, &limited);
    expect_below_units(&any, all, best);
    pfi_levels_free(&any);
}

/* As far as they reach at first, and further, until the best path is within reach. */
static size_t expect_part(pf_fst *scored, const pf_units *units, pf_moves_store *moves, unsigned rounds) {
    const pf_best_options one_path = {.n = 1, .threshold = (double)INFINITY, .moves = moves, .units = units};
    pf_best_options several = one_path;
    pf_answer best;
    pfi_levels one, all;
    several.n = 2;
    SUCCEED(pf_best(scored, &one_path, &best));
    SUCCEED(pfi_levels_init(&one, scored, &one_path));
    SUCCEED(pfi_levels_init(&all, scored, &several));
    if (best.paths.n) expect_stop(scored, &one_path, best.paths.at[0].cost, one.completion.within);
    make_known(&one, true, rounds, NULL);
    make_known(&all, false, rounds, NULL);
    assert_true(one.completion.units && all.completion.units && one.moves == all.moves);
    const double cost = best.paths.n ? best.paths.at[0].cost : (double)INFINITY;
    expect_no_memory(scored, &one_path, &all, cost, rounds);
    uint32_t *first = first_units(&all);
    double *leads = exact_leads(&all, first);
    size_t passed = expect_part_within(&one, &all, first, leads, fmin(cost, one.completion.within));
    while (one.completion.within < cost) {
        SUCCEED(pfi_completion_widen(&one.completion, (double)INFINITY));
        expect_part_within(&one, &all, first, leads, fmin(cost, one.completion.within));
    }
    free(leads);
    free(first);
    make_known(&one, true, rounds, NULL);
    if (one.completion.within < (double)INFINITY) {
        pfi_completion_forget_units(&one.completion);
        expect_below_units(&one, &all, cost);
    }
    pfi_levels_free(&one);
    pfi_levels_free(&all);
    pf_answer_free(&best);
    return passed;
}

static void completions_for_one_path_are_a_part_of_all(void **state) {
    (void)state;
    enum { ROOM = 1 << 19 };
    static const char *const constraint[] = {"none", "ibm:6", "inverse-ibm:6"};
    const double scale[2] = {1, 0.5};
    const pf_weight weight = {.spec = "distance:0.25"};
    char *text = malloc(ROOM);
    size_t passed = 0;
    pf_moves_store *moves;
    pf_model tuples, target;
    assert_non_null(text);
    read_arpa(target_arpa, &target);
    SUCCEED(pf_moves_store_new(1 << 20, &moves));
    for (uint64_t seed = 0; seed < 6; seed++) {
        pf_fst *linear = sentence("c a b a c b b a", 8, false), *scored;
        const pf_units *units;
        write_many_tuples(seed, text, ROOM);
        tuple_model(text, 0, &tuples);
        const pf_perm_spec spec = {.con = &constraint[seed % 3], .n_con = 1, .wm = &weight, .n_wm = seed % 2};
        translation of = translate(linear, orders_of(linear, &spec), &tuples, scale);
        if (seed % 2) score_target(&of, &target, seed < 3 ? 1 : -1);
        assert_true(pf_spell_parts(of.machine, &scored, &units));
        for (unsigned rounds = 0; rounds <= 8; rounds += 8) passed += expect_part(scored, units, moves, rounds);
        free_translation(&of);
        pf_model_free(&tuples);
    }
    assert_true(passed > 0);
    pf_moves_store_free(moves);
    pf_model_free(&target);
    free(text);
}

/* How many moves are known of 19 words without a constraint, whose table has 19 x 2^18: where they have one unit, or three. */
static uint32_t moves_known(unsigned units, uint64_t max_bytes) {
    static const char *const of_units[] = {
        "\\data\\\nngram 1=4\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n-1\ta|x\n\n\\end\\\n",
        "\\data\\\nngram 1=6\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n-1\ta|x\n-1.5\ta|y\n-2\ta|z\n\n\\end\\\n",
    };
    const char *const none = "none";
    const double scale[2] = {1, 1};
    pf_fst *linear = sentence("a a a a a a a a a a a a a a a a a a a", 19, false), *scored;
    pf_best_options options = {.n = 1, .threshold = (double)INFINITY, .max_bytes = max_bytes};
    pfi_levels all;
    pf_model tuples;
    tuple_model(of_units[units > 1], 0, &tuples);
    SUCCEED(pf_moves_store_new(0, &options.moves));
    const translation of = translate(linear, orders_of(linear, &(pf_perm_spec){.con = &none, .n_con = 1}), &tuples, scale);
    assert_true(pf_spell_parts(of.machine, &scored, &options.units));
    SUCCEED(pfi_levels_init(&all, scored, &options));
    const uint32_t moves = all.moves ? all.moves->first[all.moves->states] : 0;
    pfi_levels_free(&all);
    pf_moves_store_free(options.moves);
    free_translation(&of);
    pf_model_free(&tuples);
    return moves;
}

static void tables_of_moves_are_larger_where_words_have_units(void **state) {
    (void)state;
    assert_int_equal(moves_known(3, 0), 19 << 18);
    assert_int_equal(moves_known(3, UINT64_C(48 * 19) << 18), 19 << 18);
    assert_int_equal(moves_known(3, (UINT64_C(48 * 19) << 18) - 1), 0); /* there is no room */
    assert_int_equal(moves_known(1, 0), 0);
}

/* Are there prices of positions, as where potentials are worth their time? */
static bool has_prices(pf_fst *scored, const pf_best_options *options) {
    pfi_levels all;
    SUCCEED(pfi_levels_init(&all, scored, options));
    const bool has = all.bound.price != NULL;
    pfi_levels_free(&all);
    return has;
}

/* Wherever time or memory ends: while completions are made, and between passes. */
static void limits_hold_wherever_they_are_met(void **state) {
    (void)state;
    enum { ROOM = 1 << 19 };
    static const char *const constraint[] = {"none", "ibm:4"};
    const double scale[2] = {1, 0.5};
    char *text = malloc(ROOM);
    pf_moves_store *moves;
    pf_model tuples, target;
    assert_non_null(text);
    read_arpa(target_arpa, &target);
    SUCCEED(pf_moves_store_new(1 << 20, &moves));
    for (uint64_t seed = 0; seed < 2; seed++) { /* the second sentence is long enough for potentials */
        pf_fst *linear = sentence("c a b a c b b a c c a b a b c", seed ? 15 : 8, false), *scored;
        pf_best_options one_path = {.n = 1, .threshold = (double)INFINITY, .moves = moves};
        pf_answer best;
        write_many_tuples(seed, text, ROOM);
        tuple_model(text, 0, &tuples);
        const pf_perm_spec spec = {.con = &constraint[seed], .n_con = 1};
        translation of = translate(linear, orders_of(linear, &spec), &tuples, scale);
        score_target(&of, &target, 1);
        assert_true(pf_spell_parts(of.machine, &scored, &one_path.units));
        assert_int_equal(has_prices(scored, &one_path), seed);
        SUCCEED(pf_best(scored, &one_path, &best));
        assert_true(best.paths.n && pf_answer_optimal(&best));
        assert_true(expect_little(scored, &one_path, best.paths.at[0].cost) > 0);
        pf_answer_free(&best);
        free_translation(&of);
        pf_model_free(&tuples);
    }
    pf_moves_store_free(moves);
    pf_model_free(&target);
    free(text);
}

/* Scales under which floats do not hold the costs of some paths, or of any: the answer is that of the expanded machine, or an
 * error, but never that there is no path. */
static void large_costs_lose_no_path(void **state) {
    (void)state;
    static const char *const constraint[] = {"ibm:3"};
    const pf_weight weight = {.spec = "jumps:0.5"};
    const pf_perm_spec spec = {.con = constraint, .n_con = 1, .wm = &weight, .n_wm = 1};
    unsigned found = 0, refused = 0;
    pf_model tuples, target;
    pf_moves_store *moves;
    SUCCEED(pf_moves_store_new(0, &moves));
    tuple_model(tied_arpa, 0, &tuples);
    read_arpa(target_arpa, &target);
    for (double size = 1e35; size < 1e38; size *= 1.2) {
        const double scale[2] = {1, size};
        pf_fst *linear = sentence("a b a b a b", 6, false), *plain;
        translation of = translate(linear, orders_of(linear, &spec), &tuples, scale);
        score_target(&of, &target, size);
        for (size_t n = 1; n <= 2; n++)
            for (size_t beam = 0; beam <= 5; beam += 5) {
                pf_answer answer, expanded;
                const pf_err err = pf_best(of.machine, &(pf_best_options){.n = n, .beam = beam, .moves = moves}, &answer);
                assert_true(err == PF_OK || err == PF_ELIMIT);
                refused += err == PF_ELIMIT;
                if (err) continue;
                SUCCEED(pf_expand(of.machine, 0, &plain));
                SUCCEED(pf_best(plain, &(pf_best_options){.n = 1}, &expanded));
                assert_true(expanded.paths.n == 1 && answer.paths.n >= 1);
                const double least = expanded.paths.at[0].cost;
                assert_true(answer.paths.at[0].cost >= least * (1 - 1e-5));
                assert_true(beam || answer.paths.at[0].cost <= least * (1 + 1e-5));
                found++;
                pf_answer_free(&answer);
                pf_answer_free(&expanded);
                pf_fst_free(plain);
            }
        free_translation(&of);
    }
    assert_true(found > 20 && refused > 4);
    pf_moves_store_free(moves);
    pf_model_free(&target);
    pf_model_free(&tuples);
}

/* A row has cells when it is filled, and not when it is met: most histories of a large tuple model are met and never extended. */
static void rows_are_filled_on_demand(void **state) {
    (void)state;
    const double scale[2] = {1, 1};
    pf_model tuples;
    pf_fst *linear = sentence("das haus klein", 3, false), *scored;
    const pf_units *units;
    pfi_rows rows;
    tuple_model(tuples_arpa, 0, &tuples);
    const translation of = translate(linear, permute(linear, &spaces[0]), &tuples, scale);
    assert_true(pf_spell_parts(of.machine, &scored, &units));
    SUCCEED(pfi_rows_init(&rows, scored));
    assert_int_equal(rows.filled, 0);
    SUCCEED(pfi_rows_fill(&rows, 0));
    assert_true(rows.final.n > 2);
    assert_int_equal(rows.filled, rows.width);
    pfi_rows_free(&rows);
    free_translation(&of);
    pf_model_free(&tuples);
}

static const char *const sentences[] = {
    "", "das", "unbekannt", "das haus", "das haus ist klein", "klein klein", "ist das nicht wahr", "nicht wahr wahr",
    "das haus da", "da haus das", "das haus da ist", "a|b das", "klein klein klein",
};

static void translations_are_the_readings_of_all_orders(void **state) {
    (void)state;
    pf_model tuples, target;
    tuple_model(tuples_arpa, 0, &tuples);
    read_arpa(target_arpa, &target);
    for (size_t at = 0; at < sizeof sentences / sizeof *sentences; at++) {
        expect_translation(&tuples, NULL, sentences[at]);
        expect_translation(&tuples, &target, sentences[at]);
    }
    assert_true(known > 10);
    pf_model_free(&tuples);
    pf_model_free(&target);
}

static void tuples_without_source_are_inserted(void **state) {
    (void)state;
    static const char *const line[] = {"", "a", "b", "a b", "b a", "a c", "b a a"};
    pf_model tuples, target;
    tuple_model(inserting_arpa, 0, &tuples);
    read_arpa(target_arpa, &target);
    for (size_t at = 0; at < sizeof line / sizeof *line; at++) {
        expect_translation(&tuples, NULL, line[at]);
        expect_translation(&tuples, &target, line[at]);
    }
    pf_model_free(&tuples);
    pf_model_free(&target);
}

/* A tuple that was begun and can't be ended is a dead end: a beam of them is widened. */
static void a_beam_of_dead_ends_is_widened(void **state) {
    (void)state;
    pf_model tuples;
    tuple_model(tuples_arpa, 0, &tuples);
    for (unsigned length = 1; length <= 6; length++) {
        pf_fst *linear = sentence("das das haus das haus das", length, false);
        const double scale[2] = {1, -1}; /* the unlikely first */
        const translation of = translate(linear, permute(linear, &spaces[0]), &tuples, scale);
        for (size_t beam = 1; beam <= 4; beam++)
            for (int widen = 0; widen < 2; widen++) {
                pf_answer answer;
                SUCCEED(pf_best(of.machine, &(pf_best_options){.beam = beam, .widen = widen}, &answer));
                assert_int_equal(answer.paths.n, 1);
                if (widen) assert_true(pf_answer_optimal(&answer));
                pf_answer_free(&answer);
            }
        free_translation(&of);
    }
    pf_model_free(&tuples);
}

/* The tuples of "das" are, by unigram: that, the, then the one of three words. */
static void the_less_likely_are_left_out(void **state) {
    (void)state;
    pf_model all, one, two;
    size_t wanted;
    tuple_model(tuples_arpa, 0, &all);
    tuple_model(tuples_arpa, 1, &one);
    tuple_model(tuples_arpa, 2, &two);
    pf_label das = pf_symtab_find(pf_tuplemodel_source(&all), "das", 3), da = pf_symtab_find(pf_tuplemodel_source(&all), "da", 2);
    pf_tuplemodel_places(&all, das, &wanted);
    assert_int_equal(wanted, 3);
    pf_tuplemodel_places(&two, das, &wanted);
    assert_int_equal(wanted, 2);
    pf_tuplemodel_places(&two, da, &wanted);
    assert_int_equal(wanted, 0); /* its only tuple begins with das */
    const pf_tuple_place *at = pf_tuplemodel_places(&one, das, &wanted);
    assert_int_equal(wanted, 1);
    assert_string_equal(pf_symtab_name(pf_tuplemodel_target(&one), pf_tuplemodel_at(&one, at->tuple).target[0], NULL), "that");
    pf_model_free(&all);
    pf_model_free(&one);
    pf_model_free(&two);
}

/* Of the tuple "das da" a sentence without "da" has no unit, and one with it has two, one for each word. The readings of the units
 * are those of the definition, which other tests compare. */
static void tuples_that_cannot_be_read_have_no_units(void **state) {
    (void)state;
    static const char arpa[] = "\\data\\\nngram 1=5\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n-1\tdas|the\n"
                               "-1\tdas_da|that\n\n\\end\\\n";
    static const struct { const char *text; unsigned words; size_t units; } expected[] = {
        {"das", 1, 1}, {"das haus", 2, 2}, {"das da", 2, 4}, {"das da haus", 3, 5}};
    pf_model tuples;
    tuple_model(arpa, 0, &tuples);
    for (size_t at = 0; at < sizeof expected / sizeof *expected; at++) {
        pf_fst *linear = sentence(expected[at].text, expected[at].words, false), *perm = permute(linear, &spaces[0]), *read;
        pf_units *units;
        SUCCEED(pf_units_new(&tuples, perm, &units));
        SUCCEED(pf_units_lazy(perm, units, &read));
        assert_int_equal(read->alphabet.n, expected[at].units);
        pf_fst_free(read);
        pf_units_free(units);
        pf_fst_free(perm);
        pf_fst_free(linear);
    }
    pf_model_free(&tuples);
}

/* As an automaton with failure arcs it gives the same, where nothing is passed through or inserted. */
static void the_expanded_transducer_is_the_model(void **state) {
    (void)state;
    static const char *const line[] = {"das haus ist klein", "das haus klein klein", "ist das haus"};
    pf_model tuples;
    pf_fst *transducer;
    tuple_model(tuples_arpa, 0, &tuples);
    SUCCEED(tuples.cls->expand(tuples.self, 1000, "<phi>", &transducer));
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        pf_fst *linear = sentence(line[i], i == 2 ? 3 : 4, false), *composed;
        pf_match *match;
        const double scale[2] = {1, 1};
        pf_answer answer, other;
        const translation of = translate(linear, permute(linear, &spaces[0]), &tuples, scale);
        SUCCEED(pf_match_new(transducer, "<phi>", &match));
        SUCCEED(pf_compose_match(of.perm, match, scale, &composed));
        SUCCEED(pf_best(of.machine, &(pf_best_options){.n = 100000}, &answer));
        SUCCEED(pf_best(composed, &(pf_best_options){.n = 100000}, &other));
        assert_int_equal(answer.paths.n, other.paths.n);
        assert_true(answer.paths.n > 10);
        for (size_t k = 0; k < answer.paths.n; k++) assert_true(fabs(answer.paths.at[k].cost - other.paths.at[k].cost) < 1e-4);
        pf_answer_free(&answer);
        pf_answer_free(&other);
        pf_fst_free(composed);
        pf_match_free(match);
        free_translation(&of);
    }
    pf_fst_free(transducer);
    pf_model_free(&tuples);
}

static void a_word_that_is_no_tuple_is_named(void **state) {
    (void)state;
    static const char bad[] = "\\data\\\nngram 1=4\n\n\\1-grams:\n-99\t<s>\n-1\t</s>\n-2\t<unk>\n-1\tno_tuple\n\n\\end\\\n";
    pf_model ngram, out;
    read_arpa(bad, &ngram);
    assert_int_equal(pf_tuplemodel_new(&ngram, &(pf_tuple_options){1, 0}, &out), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "no_tuple"));
}

/* Written and read again it is the same model. */
static void records_keep_it(void **state) {
    (void)state;
    pf_model tuples, again = {&pf_tuple_class, NULL};
    pf_writer *out, *w2;
    pf_reader *reader;
    size_t wanted, n2;
    tuple_model(tuples_arpa, 2, &tuples);
    SUCCEED(pf_writer_memory(&out));
    SUCCEED(pf_writer_memory(&w2));
    SUCCEED(tuples.cls->write(tuples.self, out));
    const unsigned char *bytes = pf_writer_bytes(out, &wanted);
    SUCCEED(pf_reader_memory(bytes, wanted, "record", &reader));
    SUCCEED(again.cls->read(reader, &again.self));
    SUCCEED(again.cls->write(again.self, w2));
    const unsigned char *bytes2 = pf_writer_bytes(w2, &n2);
    assert_int_equal(wanted, n2);
    assert_memory_equal(bytes, bytes2, wanted);
    for (size_t cut = 0; cut < wanted; cut += 7) {
        pf_model none = {&pf_tuple_class, NULL};
        pf_reader *short_one;
        SUCCEED(pf_reader_memory(bytes, cut, "record", &short_one));
        assert_int_equal(none.cls->read(short_one, &none.self), PF_EINPUT);
        pf_reader_free(short_one);
    }
    pf_reader_free(reader);
    pf_writer_free(out);
    pf_writer_free(w2);
    pf_model_free(&tuples);
    pf_model_free(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_are_the_readings_of_all_orders),
        cmocka_unit_test(tuples_without_source_are_inserted),
        cmocka_unit_test(ties_have_one_order),
        cmocka_unit_test(a_chart_has_the_ties_of_the_levels),
        cmocka_unit_test(histories_of_many_units_are_listed_by_model),
        cmocka_unit_test(completions_for_one_path_are_a_part_of_all),
        cmocka_unit_test(limits_hold_wherever_they_are_met),
        cmocka_unit_test(large_costs_lose_no_path),
        cmocka_unit_test(tables_of_moves_are_larger_where_words_have_units),
        cmocka_unit_test(rows_are_filled_on_demand),
        cmocka_unit_test(a_beam_of_dead_ends_is_widened),
        cmocka_unit_test(the_less_likely_are_left_out),
        cmocka_unit_test(tuples_that_cannot_be_read_have_no_units),
        cmocka_unit_test(the_expanded_transducer_is_the_model),
        cmocka_unit_test(a_word_that_is_no_tuple_is_named),
        cmocka_unit_test(records_keep_it),
    };
    keep_memory();
    return cmocka_run_group_tests_name("translate", tests, NULL, NULL);
}
