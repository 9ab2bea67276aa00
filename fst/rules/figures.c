/* Figures of lattices. Numbers of paths are exact, for they have more digits than a double; means are of six. */
#include <permfst/rules/apply.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void pf_rule_figures_init(pf_rule_figures *f) {
    *f = (pf_rule_figures){0};
    mpz_init(f->paths);
}

void pf_rule_figures_free(pf_rule_figures *f) { mpz_clear(f->paths); }

pf_err pf_rule_figures_of(pf_rule_figures *f, const pf_rule_lattice *lattice, uint64_t matches, const pf_permutation *reference) {
    f->words = pf_rule_lattice_words(lattice);
    f->matches = matches;
    assert(!reference || reference->at.n == f->words);
    f->covered = reference && pf_rule_lattice_has(lattice, reference->at.at, NULL);
    return pf_rule_lattice_count(lattice, &f->size, f->paths);
}

static pf_err write_digits(const mpz_t x, pf_writer *w) {
    char *digits = malloc(mpz_sizeinbase(x, 10) + 2);
    pf_err err = digits ? pf_writer_text(w, "%s", mpz_get_str(digits, 10, x)) : pf_nomem();
    free(digits);
    return err;
}

pf_err pf_rule_figures_write(const pf_rule_figures *f, uint64_t number, bool reference, pf_writer *w) {
    PF_TRY(pf_writer_text(w, "%llu\t%u\t%llu\t%llu\t%llu\t", (unsigned long long)number, f->words, (unsigned long long)f->matches,
                          (unsigned long long)f->size.states, (unsigned long long)f->size.arcs));
    PF_TRY(write_digits(f->paths, w));
    if (reference) PF_TRY(pf_writer_text(w, "\t%s", f->covered ? "covered" : "missed"));
    return pf_writer_text(w, "\n");
}

/* ---- sums ---- */

void pf_rule_totals_init(pf_rule_totals *t) {
    *t = (pf_rule_totals){0};
    mpz_init(t->paths);
}

void pf_rule_totals_free(pf_rule_totals *t) { mpz_clear(t->paths); }

/* log10 of a whole number of any size. */
static double log10_of(const mpz_t x) {
    long exponent;
    double mantissa = mpz_get_d_2exp(&exponent, x);
    return log10(mantissa) + (double)exponent * log10(2);
}

void pf_rule_totals_add(pf_rule_totals *t, const pf_rule_figures *f) {
    t->sentences++;
    t->words += f->words;
    t->matches += f->matches;
    t->states += f->size.states;
    t->arcs += f->size.arcs;
    t->covered += f->covered;
    t->log10_paths += log10_of(f->paths);
    mpz_add(t->paths, t->paths, f->paths);
}

static pf_err write_mean_paths(const pf_rule_totals *t, pf_writer *w) {
    char digits[64];
    mpf_t mean;
    mpf_init2(mean, 128);
    mpf_set_z(mean, t->paths);
    mpf_div_ui(mean, mean, t->sentences);
    gmp_snprintf(digits, sizeof digits, "%.6Fg", mean);
    mpf_clear(mean);
    return pf_writer_text(w, "mean-paths\t%s\nmean-log10-paths\t%.6f\n", digits, t->log10_paths / (double)t->sentences);
}

pf_err pf_rule_totals_write(const pf_rule_totals *t, uint64_t rules, bool reference, pf_writer *w) {
    const struct {
        const char *name;
        uint64_t n;
    } sums[] = {{"rules", rules},         {"sentences", t->sentences}, {"words", t->words},
                {"matches", t->matches},  {"states", t->states},       {"arcs", t->arcs}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        PF_TRY(pf_writer_text(w, "%s\t%llu\n", sums[i].name, (unsigned long long)sums[i].n));
    PF_TRY(pf_writer_text(w, "paths\t"));
    PF_TRY(write_digits(t->paths, w));
    PF_TRY(pf_writer_text(w, "\n"));
    if (!t->sentences) return PF_OK;
    PF_TRY(pf_writer_text(w, "mean-arcs\t%.6f\n", (double)t->arcs / (double)t->sentences));
    PF_TRY(write_mean_paths(t, w));
    if (!reference) return PF_OK;
    return pf_writer_text(w, "covered\t%llu\ncoverage\t%.6f\n", (unsigned long long)t->covered,
                          (double)t->covered / (double)t->sentences);
}
