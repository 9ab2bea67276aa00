/* Figures of lattices. Numbers of paths are exact, for they have more digits than a double; means are of six. */
#include <permfst/rules/apply.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void pf_rule_figures_init(pf_rule_figures *figures) {
    *figures = (pf_rule_figures){0};
    mpz_init(figures->paths);
}

void pf_rule_figures_free(pf_rule_figures *figures) { mpz_clear(figures->paths); }

pf_err pf_rule_figures_of(pf_rule_figures *figures, const pf_rule_lattice *lattice, uint64_t matches,
                          const pf_permutation *reference) {
    figures->words = pf_rule_lattice_words(lattice);
    figures->matches = matches;
    assert(!reference || reference->at.n == figures->words);
    figures->covered = reference && pf_rule_lattice_has(lattice, reference->at.at, NULL);
    return pf_rule_lattice_count(lattice, &figures->size, figures->paths);
}

static pf_err write_digits(const mpz_t number, pf_writer *writer) {
    char *digits = malloc(mpz_sizeinbase(number, 10) + 2);
    pf_err err = digits ? pf_writer_text(writer, "%s", mpz_get_str(digits, 10, number)) : pf_nomem();
    free(digits);
    return err;
}

pf_err pf_rule_figures_write(const pf_rule_figures *figures, uint64_t number, bool reference, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "%llu\t%u\t%llu\t%llu\t%llu\t", (unsigned long long)number, figures->words,
                          (unsigned long long)figures->matches,
                          (unsigned long long)figures->size.states, (unsigned long long)figures->size.arcs));
    PF_TRY(write_digits(figures->paths, writer));
    if (reference) PF_TRY(pf_writer_text(writer, "\t%s", figures->covered ? "covered" : "missed"));
    return pf_writer_text(writer, "\n");
}

/* ---- sums ---- */

void pf_rule_totals_init(pf_rule_totals *totals) {
    *totals = (pf_rule_totals){0};
    mpz_init(totals->paths);
}

void pf_rule_totals_free(pf_rule_totals *totals) { mpz_clear(totals->paths); }

/* log10 of a whole number of any size. */
static double log10_of(const mpz_t number) {
    long exponent;
    double mantissa = mpz_get_d_2exp(&exponent, number);
    return log10(mantissa) + (double)exponent * log10(2);
}

void pf_rule_totals_add(pf_rule_totals *totals, const pf_rule_figures *figures) {
    totals->sentences++;
    totals->words += figures->words;
    totals->matches += figures->matches;
    totals->states += figures->size.states;
    totals->arcs += figures->size.arcs;
    totals->covered += figures->covered;
    totals->log10_paths += log10_of(figures->paths);
    mpz_add(totals->paths, totals->paths, figures->paths);
}

static pf_err write_mean_paths(const pf_rule_totals *totals, pf_writer *writer) {
    char digits[64];
    mpf_t mean;
    mpf_init2(mean, 128);
    mpf_set_z(mean, totals->paths);
    mpf_div_ui(mean, mean, totals->sentences);
    gmp_snprintf(digits, sizeof digits, "%.6Fg", mean);
    mpf_clear(mean);
    return pf_writer_text(writer, "mean-paths\t%s\nmean-log10-paths\t%.6f\n", digits,
                          totals->log10_paths / (double)totals->sentences);
}

pf_err pf_rule_totals_write(const pf_rule_totals *totals, uint64_t rules, bool reference, pf_writer *writer) {
    const struct {
        const char *name;
        uint64_t count;
    } sums[] = {{"rules", rules},         {"sentences", totals->sentences}, {"words", totals->words},
                {"matches", totals->matches},     {"states", totals->states},       {"arcs", totals->arcs}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        PF_TRY(pf_writer_text(writer, "%s\t%llu\n", sums[i].name, (unsigned long long)sums[i].count));
    PF_TRY(pf_writer_text(writer, "paths\t"));
    PF_TRY(write_digits(totals->paths, writer));
    PF_TRY(pf_writer_text(writer, "\n"));
    if (!totals->sentences) return PF_OK;
    PF_TRY(pf_writer_text(writer, "mean-arcs\t%.6f\n", (double)totals->arcs / (double)totals->sentences));
    PF_TRY(write_mean_paths(totals, writer));
    if (!reference) return PF_OK;
    return pf_writer_text(writer, "covered\t%llu\ncoverage\t%.6f\n", (unsigned long long)totals->covered,
                          (double)totals->covered / (double)totals->sentences);
}
