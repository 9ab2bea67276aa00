/* Orders against orders and alignments: figures by hand, and against their definitions pair by pair. */
#include "check.h"
#include "draw.h"
#include <permfst/metric/orders.h>
#include <permfst/metric/systems.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, MOST_LINKS = 12 };

static uint64_t random_state = 1;
static unsigned below(unsigned n) { return draw(&random_state, n); }

static void draw_order(uint32_t *order, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        unsigned j = below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* The numbers of a text; their count. */
static size_t numbers(const char *text, uint32_t *to) {
    size_t n = 0;
    for (const char *at = text; *at;) {
        char *end;
        to[n++] = (uint32_t)strtoul(at, &end, 10);
        for (at = end; *at == ' ' || *at == '-'; at++) {}
    }
    return n;
}

static double score_of(pf_metric_subject subject, const char *name, const pf_metric_options *options, pf_segment order,
                       pf_segment reference, bool one) {
    const pf_metric_class *cls;
    pf_metric metric;
    double statistic[PF_METRIC_STATISTICS];
    SUCCEED(pf_metric_find(subject, name, strlen(name), &cls));
    SUCCEED(pf_metric_init(&metric, cls, options));
    SUCCEED(cls->count(&metric, order, &(pf_references){&reference, 1, 0}, statistic));
    double score = one ? pf_metric_score_one(&metric, statistic) : pf_metric_score(&metric, statistic);
    pf_metric_free(&metric);
    return score;
}

static bool is(double found, double expected) { return isnan(expected) ? isnan(found) : fabs(found - expected) < 5e-7; }

/* ---- two orders ---- */

static void two_orders_by_hand(void **state PF_UNUSED) {
    static const struct {
        const char *order, *reference;
        uint64_t discordant;
        double tau, kendall, fuzzy, spearman, footrule;
    } cases[] = {
        {"1 3 0 2", "0 1 2 3", 3, 0, .707107, 0, 0, 6},
        {"2 0 3 1", "1 3 0 2", 6, -1, 1, 0, -1, 8},
        {"1 2 0", "0 1 2", 2, -.333333, .816497, .5, -.5, 4},
        {"2 3 0 1 4", "0 1 2 3 4", 4, .2, .632456, .5, .2, 8},
        {"3 2 1 0", "0 1 2 3", 6, -1, 1, 0, -1, 8},
        {"0", "0", 0, 1, 0, 1, 1, 0},
        {"", "", 0, 1, 0, 1, 1, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint32_t order[MOST], reference[MOST], spare[2 * MOST];
        pf_segment segment = {order, numbers(cases[i].order, order)}, other = {reference, numbers(cases[i].reference, reference)};
        pf_order_figures figures;
        pf_order_compare(order, reference, segment.n, spare, &figures);
        CHECK(figures.discordant == cases[i].discordant, "%s: %llu pairs", cases[i].order, (unsigned long long)figures.discordant);
        for (pf_metric_average average = PF_AVERAGE_SENTENCE; average <= PF_AVERAGE_PAIRS; average++) {
            pf_metric_options how = {.bleu = pf_bleu_usual(), .average = average};
            const struct {
                const char *name;
                double value;
            } all[] = {{"tau", cases[i].tau}, {"kendall", cases[i].kendall}, {"fuzzy", cases[i].fuzzy},
                       {"pairs", (1 + cases[i].tau) / 2}, {"fragmentation", 1 - cases[i].fuzzy},
                       {"spearman", cases[i].spearman}, {"footrule", cases[i].footrule}};
            for (size_t k = 0; k < LENGTH(all); k++) {
                double found = score_of(PF_METRIC_ORDERS, all[k].name, &how, segment, other, false);
                CHECK(is(found, all[k].value), "%s of %s: expected %f, found %f", all[k].name, cases[i].order, all[k].value, found);
            }
        }
    }
}

static void figures_are_those_of_the_definitions(void **state PF_UNUSED) {
    for (unsigned round = 0; round < 500; round++) {
        uint32_t order[MOST], reference[MOST], spare[2 * MOST], place[MOST] = {0}, reference_place[MOST] = {0};
        unsigned n = below(MOST + 1);
        uint64_t discordant = 0, chunks = n > 0, footrule = 0;
        double sum = 0;
        pf_order_figures figures;
        draw_order(order, n);
        draw_order(reference, n);
        for (unsigned i = 0; i < n; i++) place[order[i]] = i, reference_place[reference[i]] = i;
        for (unsigned i = 0; i < n; i++) {
            for (unsigned j = 0; j < i; j++) discordant += (place[i] < place[j]) != (reference_place[i] < reference_place[j]);
            int far = (int)place[i] - (int)reference_place[i];
            footrule += (uint64_t)abs(far);
            sum += far * far;
            if (i) chunks += reference_place[order[i]] != reference_place[order[i - 1]] + 1;
        }
        pf_order_compare(order, reference, n, spare, &figures);
        assert_true(figures.discordant == discordant && figures.chunks == chunks && figures.footrule == footrule &&
                    figures.squares == sum);
    }
}

/* ---- orders and alignments ---- */

static void alignments_by_hand(void **state PF_UNUSED) {
    static const struct {
        const char *links, *order;
        double bad, chunks, falling, pairs;            /* lader */
        double left[4], apart[4];                      /* ... --attach=left, --no-combine; NAN: not defined; -1: not given */
        double fuzzy, tau, match;                      /* TD-BTG; NAN: skipped */
        uint64_t before, after;
    } cases[] = {
        {"0-1 1-3 2-0 3-2", "2 0 3 1", 0, 5, 0, 6, {-1}, {0, 5, 0, 6}, 1, 1, 1, 3, 0},
        {"0-1 1-3 2-0 3-2", "1 3 0 2", 5, 5, 6, 6, {-1}, {-1}, 0, 0, 0, 3, 6},
        {"0-2 1-0 2-1 3-4 4-3", "0 1 2 3 4", 5, 6, 3, 10, {-1}, {-1}, .166667, .7, 0, 3, 3},
        {"0-1 2-0", "2 1 0", 0, 4, 0, 2, {-1}, {-1}, 1, 1, 1, 1, 0},
        {"1-2 3-0", "3 4 0 1 2", 2, 6, 2, 6, {3, 6, 3, 7}, {-1}, 1, 1, 1, 1, 0},
        {"", "2 0 1", 0, 0, 0, 0, {0, 0, 0, 0}, {0, 0, 0, 0}, 1, 1, 1, 0, 0},
        {"0-0 0-4 1-2 2-1 3-3", "0 2 1 3", 0, 0, 0, 0, {-1}, {NAN}, NAN, NAN, NAN, 4, 3},
        {"0-3 1-4 1-5 2-4 3-0 4-1 5-2 5-1", "3 4 5 0 1 2", 0, 7, 0, 13, {-1}, {3, 7, 1, 15}, .571429, .933333, 0, 17, 1},
        {"0-0 1-3 2-1 4-0 5-2", "0 2 4 5 1 3", 0, 0, 0, 0, {-1}, {4, 7, 4, 12}, .666667, .9, 0, 4, 1},
    };
    pf_order_room room = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const pf_metric_options options = {.bleu = pf_bleu_usual()};
        uint32_t order[MOST], link[2 * MOST_LINKS];
        pf_segment segment = {order, numbers(cases[i].order, order)}, links = {link, numbers(cases[i].links, link)};
        uint64_t before, after;
        for (int how = 0; how < 3; how++) {
            const double own[] = {cases[i].bad, cases[i].chunks, cases[i].falling, cases[i].pairs};
            const double *expected = how == 0 ? own : how == 1 ? cases[i].left : cases[i].apart;
            pf_lader_figures figures;
            if (*expected < 0) continue;
            SUCCEED(pf_order_lader(&room, segment, links, how != 2, how == 1, &figures));
            if (isnan(*expected)) {
                assert_true(figures.undefined);
                continue;
            }
            CHECK((double)figures.bad == expected[0] && (double)figures.chunks == expected[1] &&
                      (double)figures.falling == expected[2] && (double)figures.pairs == expected[3],
                  "case %zu, %d: found %llu/%llu, %llu/%llu", i, how, (unsigned long long)figures.bad,
                  (unsigned long long)figures.chunks, (unsigned long long)figures.falling, (unsigned long long)figures.pairs);
        }
        assert_true(is(score_of(PF_METRIC_LINKS, "tdbtg-fuzzy", &options, segment, links, true), cases[i].fuzzy));
        assert_true(is(score_of(PF_METRIC_LINKS, "tdbtg-tau", &options, segment, links, true), cases[i].tau));
        assert_true(is(score_of(PF_METRIC_LINKS, "tdbtg-match", &options, segment, links, true), cases[i].match));
        double chunk = cases[i].chunks ? 1 - cases[i].bad / cases[i].chunks : 1;
        assert_true(is(score_of(PF_METRIC_LINKS, "lader-chunk", &options, segment, links, true), chunk));
        assert_true(is(score_of(PF_METRIC_LINKS, "lader-chunk", &options, segment, links, false), cases[i].chunks ? chunk : NAN));
        SUCCEED(pf_order_crossings(&room, segment, links, &before, &after));
        assert_true(before == cases[i].before && after == cases[i].after);
    }
    pf_order_room_free(&room);
}

/* TD-BTG and crossings, pair by pair. */
static void alignments_pair_by_pair(void **state PF_UNUSED) {
    pf_order_room room = {0};
    for (unsigned round = 0; round < 2000; round++) {
        unsigned n = 1 + below(MOST), n_links = below(MOST_LINKS);
        uint32_t order[MOST], place[MOST], link[2 * MOST_LINKS], low[MOST], high[MOST];
        uint64_t before = 0, after = 0, found_before, found_after, falling = 0;
        bool has[MOST] = {false}, skipped = false;
        pf_tdbtg_figures figures;
        draw_order(order, n);
        for (unsigned i = 0; i < n; i++) place[order[i]] = i;
        for (unsigned k = 0; k < n_links; k++) {
            uint32_t source = link[2 * k] = below(n), target = link[2 * k + 1] = below(5 + round % 5);
            if (!has[source] || target < low[source]) low[source] = target;
            if (!has[source] || target > high[source]) high[source] = target;
            has[source] = true;
        }
        for (unsigned i = 0; i < n_links; i++)
            for (unsigned j = 0; j < n_links; j++) {
                before += link[2 * i] < link[2 * j] && link[2 * i + 1] > link[2 * j + 1];
                after += place[link[2 * i]] < place[link[2 * j]] && link[2 * i + 1] > link[2 * j + 1];
            }
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; j < n; j++) {
                if (!has[i] || !has[j]) continue;
                skipped = skipped || (low[i] < low[j] && high[i] > high[j]);
                falling += place[i] < place[j] && (low[j] < low[i] || (low[j] == low[i] && high[j] < high[i]));
            }
        pf_segment segment = {order, n}, links = {link, 2 * n_links};
        SUCCEED(pf_order_crossings(&room, segment, links, &found_before, &found_after));
        assert_true(before == found_before && after == found_after);
        SUCCEED(pf_order_tdbtg(&room, segment, links, &figures));
        assert_true(figures.skipped == skipped && (skipped || figures.falling == falling));
    }
    pf_order_room_free(&room);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_orders_by_hand),
        cmocka_unit_test(figures_are_those_of_the_definitions),
        cmocka_unit_test(alignments_by_hand),
        cmocka_unit_test(alignments_pair_by_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
