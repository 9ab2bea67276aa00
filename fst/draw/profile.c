/* What has been dropped so far bounds the levels that follow, too. O(levels of all passes). */
#include <permfst/draw/profile.h>

#include <permfst/draw/plot.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* How much less than the best path found a path can cost; INFINITY: nothing is known. */
static double gap_at(const pf_answer *answer, const pf_level_work *level) {
    double gap = answer->paths.n ? answer->paths.at[0].cost - level->bound : (double)INFINITY;
    return gap > 0 ? gap : 0;
}

pf_err pf_draw_profile_rows(pf_writer *writer, const pf_answer *answer, uint64_t record) {
    for (size_t i = 0; i < answer->profile.n; i++) {
        const pf_level_work *level = &answer->profile.at[i];
        PF_TRY(pf_writer_text(writer, "%" PRIu64 "\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", record, level->pass,
                              level->level, level->states, level->hypotheses, level->dropped));
        double gap = gap_at(answer, level);
        if (isfinite(level->bound)) PF_TRY(pf_writer_text(writer, "%.6f\t", level->bound));
        else PF_TRY(pf_writer_text(writer, "-\t"));
        PF_TRY(isfinite(gap) ? pf_writer_text(writer, "%.6f\n", gap) : pf_writer_text(writer, "-\n"));
    }
    return PF_OK;
}

/* ---- the picture ---- */

static pf_err add_counts(const pf_answer *answer, size_t first, pf_plot *plot) {
    static const char *const names[] = {"states", "hypotheses", "dropped"};
    for (int series = 0; series < 3; series++) {
        PF_TRY(pf_plot_series_add(plot, names[series], true));
        for (size_t i = first; i < answer->profile.n; i++) {
            const pf_level_work *level = &answer->profile.at[i];
            double number = (double)(series == 0 ? level->states : series == 1 ? level->hypotheses : level->dropped);
            PF_TRY(pf_plot_point_add(plot, (pf_plot_point){.at = level->level, .value = number}));
        }
    }
    return PF_OK;
}

static pf_err add_bounds(const pf_answer *answer, size_t first, pf_plot *plot) {
    PF_TRY(pf_plot_series_add(plot, "bound", true));
    for (size_t level = first; level < answer->profile.n; level++)
        PF_TRY(pf_plot_point_add(plot,
                                 (pf_plot_point){.at = answer->profile.at[level].level, .value = answer->profile.at[level].bound}));
    if (!answer->paths.n) return PF_OK;
    PF_TRY(pf_plot_series_add(plot, "best path", true));
    PF_TRY(pf_plot_point_add(plot, (pf_plot_point){.at = answer->profile.at[first].level, .value = answer->paths.at[0].cost}));
    return pf_plot_point_add(plot, (pf_plot_point){.at = answer->profile.at[answer->profile.n - 1].level,
                                                   .value = answer->paths.at[0].cost});
}

static pf_err draw(pf_writer *writer, const pf_answer *answer, uint64_t record, pf_plot plot[2]) {
    const unsigned passes = answer->profile.at[answer->profile.n - 1].pass;
    char title[200], proof[PF_PROOF_BYTES];
    size_t first = answer->profile.n;
    while (first && answer->profile.at[first - 1].pass == passes) first--;
    assert(first < answer->profile.n);
    PF_TRY(add_counts(answer, first, &plot[0]));
    PF_TRY(add_bounds(answer, first, &plot[1]));
    snprintf(title, sizeof title, "Record %" PRIu64 ": the search by levels, pass %u of %u, %" PRIu64 " states in all, %s", record,
             passes, passes, answer->states, pf_answer_proof(answer, proof));
    return pf_draw_plots(writer, title, plot, 2);
}

pf_err pf_draw_profile(pf_writer *writer, const pf_answer *answer, uint64_t record) {
    pf_plot plot[2] = {{.title = "What the last pass kept", .x_name = "level: words covered", .y_name = "number", .y_log = true},
                       {.title = "What is proven", .x_name = "level: words covered", .y_name = "cost"}};
    if (!answer->profile.n) return pf_fail(PF_EARG, "the search has no profile: it was not a search by levels (--search=levels)");
    pf_err err = draw(writer, answer, record, plot);
    for (int i = 0; i < 2; i++) pf_plot_free(&plot[i]);
    return err;
}
