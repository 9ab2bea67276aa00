/* What the header of an SLF file says, and scores by name. Names and their defaults are HTK's (HNet) and SRILM's
 * (HTKLattice). A number x is ln x with base 0, x with base 1 or none, else x ln base. O(1) a field. */
#include "io/slf_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSTERIOR = 5 };

static const struct {
    const char *name, *other, *scale; /* NULL: none */
    double preset;
} named[PFI_SLF_NAMED] = {
    {"a", "acoustic", "acscale", 1}, {"l", "language", "lmscale", 1}, {"n", "ngram", "ngscale", 1},
    {"r", "pron", "prscale", 1},     {"ds", NULL, "duscale", 0},      {"p", "posterior", NULL, 0},
};

void pfi_slf_head_begin(pfi_slf_head *head, uint64_t line) {
    *head = (pfi_slf_head){.base = 1, .start = PFI_SLF_NONE, .end = PFI_SLF_NONE, .nodes = PFI_SLF_NONE, .links = UINT64_MAX,
                           .line = line};
    for (unsigned i = 0; i < PFI_SLF_NAMED; i++) head->scale[i] = named[i].preset;
}

/* The N of x1 to x99, before `rest`; 0 if the name is none of these. */
static unsigned x_of(const pfi_slf_line *line, const char *rest) {
    unsigned which = 0;
    size_t i = 1, n = strlen(rest);
    if (!line->name_n || *line->name != 'x') return 0;
    for (; i < line->name_n && line->name[i] >= '0' && line->name[i] <= '9'; i++)
        if (which <= PF_SLF_SCORES) which = 10 * which + (unsigned)(line->name[i] - '0');
    if (i == 1 || line->name[1] == '0' || line->name_n - i != n || memcmp(line->name + i, rest, n) != 0) return 0;
    return which;
}

/* x100 must not be ignored as an unknown field is. */
static pf_err check_x(const pfi_slf_line *line, unsigned which) {
    if (which <= PF_SLF_SCORES) return PF_OK;
    return pfi_slf_expected(line, line->name, "x1 to x99", line->name, line->name_n);
}

static pf_err head_score(pfi_slf_head *head, const pfi_slf_line *line, bool *known) {
    unsigned which = x_of(line, "scale");
    *known = true;
    PF_TRY(check_x(line, which));
    if (which) return pfi_slf_real(line, false, "a scale, a number", &head->scale[PFI_SLF_NAMED + which - 1]);
    for (unsigned i = 0; i < PFI_SLF_NAMED; i++)
        if (named[i].scale && pfi_slf_is(line, named[i].scale))
            return pfi_slf_real(line, false, "a scale, a number", &head->scale[i]);
    *known = false;
    return PF_OK;
}

static pf_err head_base(pfi_slf_head *head, const pfi_slf_line *line) {
    static const char what[] = "the base of the logarithms, a number of at least 0";
    PF_TRY(pfi_slf_real(line, false, what, &head->base));
    return head->base >= 0 ? PF_OK : pfi_slf_expected(line, line->value_at, what, line->value, line->value_n);
}

static pf_err head_direction(pfi_slf_head *head, const pfi_slf_line *line) {
    head->backward = line->value_n && *line->value == 'b';
    if (head->backward || (line->value_n && *line->value == 'f')) return PF_OK;
    return pfi_slf_expected(line, line->value_at, "dir=f (forward) or dir=b (backward)", line->value, line->value_n);
}

static pf_err head_links(pfi_slf_head *head, const pfi_slf_line *line) {
    uint32_t n;
    PF_TRY(pfi_slf_number(line, UINT64_C(1) << 32, "the number of links", &n));
    head->links = n;
    return PF_OK;
}

pf_err pfi_slf_head_field(pfi_slf_head *head, const pfi_slf_line *line, bool *known) {
    static const char *const passed[] = {"VERSION", "V", "UTTERANCE", "U", "tscale", "lmname", "ngname", "vocab", "hmms",
                                         "amscale", "framedur", "engineconfig"};
    *known = true;
    if (pfi_slf_is(line, "NODES") || pfi_slf_is(line, "N"))
        return pfi_slf_number(line, UINT32_MAX, "the number of nodes", &head->nodes);
    if (pfi_slf_is(line, "LINKS") || pfi_slf_is(line, "L")) return head_links(head, line);
    if (pfi_slf_is(line, "start")) return pfi_slf_number(line, UINT32_MAX, "a node", &head->start);
    if (pfi_slf_is(line, "end")) return pfi_slf_number(line, UINT32_MAX, "a node", &head->end);
    if (pfi_slf_is(line, "base")) return head_base(head, line);
    if (pfi_slf_is(line, "dir")) return head_direction(head, line);
    if (pfi_slf_is(line, "wdpenalty")) return head->has_penalty = true, pfi_slf_real(line, false, "a number", &head->penalty);
    if (pfi_slf_is(line, "SUBLAT") || pfi_slf_is(line, "S"))
        return pfi_slf_bad(line, line->name, "a sub-lattice, which is not supported");
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (pfi_slf_is(line, passed[i])) return PF_OK;
    return head_score(head, line, known);
}

int pfi_slf_score(const pfi_slf_line *line) {
    for (int i = 0; i < PFI_SLF_NAMED; i++)
        if (pfi_slf_is(line, named[i].name) || (named[i].other && pfi_slf_is(line, named[i].other))) return i;
    unsigned which = x_of(line, "");
    return which ? PFI_SLF_NAMED + (int)which - 1 : -1;
}

/* ln of what a number says. */
static double natural(double base, double value) { return base == 0 ? log(value) : base == 1 ? value : value * log(base); }

pf_err pfi_slf_score_value(const pfi_slf_head *head, const pf_lattice_options *options, const pfi_slf_line *line, unsigned i,
                           double *to) {
    char name[8];
    double value, base = i == POSTERIOR ? 0 : head->base;
    PF_TRY(check_x(line, i < PFI_SLF_NAMED ? 0 : i - PFI_SLF_NAMED + 1));
    if (i < PFI_SLF_NAMED) snprintf(name, sizeof name, "%s", named[i].name);
    else snprintf(name, sizeof name, "x%u", (i - PFI_SLF_NAMED + 1) % 1000);
    const char *what = base == 0 ? "a probability, a number of at least 0" : "a logarithm, a number";
    PF_TRY(pfi_slf_real(line, true, what, &value));
    if (base == 0 && value < 0) return pfi_slf_expected(line, line->value_at, what, line->value, line->value_n);
    double scale = options->scales ? pfi_scale(options, name, strlen(name), head->scale[i]) : head->scale[i];
    *to = scale == 0 ? 0 : scale * natural(base, value);
    return PF_OK;
}

double pfi_slf_penalty(const pfi_slf_head *head, const pf_lattice_options *options) {
    double penalty = head->has_penalty ? natural(head->base, head->penalty) : 0;
    return pfi_scale(options, "words", 5, penalty);
}
