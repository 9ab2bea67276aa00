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

void pfi_slf_head_begin(pfi_slf_head *h, uint64_t line) {
    *h = (pfi_slf_head){.base = 1, .start = PFI_SLF_NONE, .end = PFI_SLF_NONE, .nodes = PFI_SLF_NONE, .links = UINT64_MAX,
                        .line = line};
    for (unsigned i = 0; i < PFI_SLF_NAMED; i++) h->scale[i] = named[i].preset;
}

/* The N of x1 to x99, before `rest`; 0 if the name is none of these. */
static unsigned x_of(const pfi_slf_line *l, const char *rest) {
    unsigned x = 0;
    size_t i = 1, n = strlen(rest);
    if (!l->name_n || *l->name != 'x') return 0;
    for (; i < l->name_n && l->name[i] >= '0' && l->name[i] <= '9'; i++)
        if (x <= PF_SLF_SCORES) x = 10 * x + (unsigned)(l->name[i] - '0');
    if (i == 1 || l->name[1] == '0' || l->name_n - i != n || memcmp(l->name + i, rest, n) != 0) return 0;
    return x;
}

/* x100 must not be ignored as an unknown field is. */
static pf_err check_x(const pfi_slf_line *l, unsigned x) {
    if (x <= PF_SLF_SCORES) return PF_OK;
    return pfi_slf_expected(l, l->name, "x1 to x99", l->name, l->name_n);
}

static pf_err head_score(pfi_slf_head *h, const pfi_slf_line *l, bool *known) {
    unsigned x = x_of(l, "scale");
    *known = true;
    PF_TRY(check_x(l, x));
    if (x) return pfi_slf_real(l, false, "a scale, a number", &h->scale[PFI_SLF_NAMED + x - 1]);
    for (unsigned i = 0; i < PFI_SLF_NAMED; i++)
        if (named[i].scale && pfi_slf_is(l, named[i].scale)) return pfi_slf_real(l, false, "a scale, a number", &h->scale[i]);
    *known = false;
    return PF_OK;
}

static pf_err head_base(pfi_slf_head *h, const pfi_slf_line *l) {
    static const char what[] = "the base of the logarithms, a number of at least 0";
    PF_TRY(pfi_slf_real(l, false, what, &h->base));
    return h->base >= 0 ? PF_OK : pfi_slf_expected(l, l->value_at, what, l->value, l->value_n);
}

static pf_err head_direction(pfi_slf_head *h, const pfi_slf_line *l) {
    h->backward = l->value_n && *l->value == 'b';
    if (h->backward || (l->value_n && *l->value == 'f')) return PF_OK;
    return pfi_slf_expected(l, l->value_at, "dir=f (forward) or dir=b (backward)", l->value, l->value_n);
}

static pf_err head_links(pfi_slf_head *h, const pfi_slf_line *l) {
    uint32_t n;
    PF_TRY(pfi_slf_number(l, UINT64_C(1) << 32, "the number of links", &n));
    h->links = n;
    return PF_OK;
}

pf_err pfi_slf_head_field(pfi_slf_head *h, const pfi_slf_line *l, bool *known) {
    static const char *const passed[] = {"VERSION", "V", "UTTERANCE", "U", "tscale", "lmname", "ngname", "vocab", "hmms",
                                         "amscale", "framedur", "engineconfig"};
    *known = true;
    if (pfi_slf_is(l, "NODES") || pfi_slf_is(l, "N")) return pfi_slf_number(l, UINT32_MAX, "the number of nodes", &h->nodes);
    if (pfi_slf_is(l, "LINKS") || pfi_slf_is(l, "L")) return head_links(h, l);
    if (pfi_slf_is(l, "start")) return pfi_slf_number(l, UINT32_MAX, "a node", &h->start);
    if (pfi_slf_is(l, "end")) return pfi_slf_number(l, UINT32_MAX, "a node", &h->end);
    if (pfi_slf_is(l, "base")) return head_base(h, l);
    if (pfi_slf_is(l, "dir")) return head_direction(h, l);
    if (pfi_slf_is(l, "wdpenalty")) return h->has_penalty = true, pfi_slf_real(l, false, "a number", &h->penalty);
    if (pfi_slf_is(l, "SUBLAT") || pfi_slf_is(l, "S")) return pfi_slf_bad(l, l->name, "a sub-lattice, which is not supported");
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (pfi_slf_is(l, passed[i])) return PF_OK;
    return head_score(h, l, known);
}

int pfi_slf_score(const pfi_slf_line *l) {
    for (int i = 0; i < PFI_SLF_NAMED; i++)
        if (pfi_slf_is(l, named[i].name) || (named[i].other && pfi_slf_is(l, named[i].other))) return i;
    unsigned x = x_of(l, "");
    return x ? PFI_SLF_NAMED + (int)x - 1 : -1;
}

/* ln of what a number says. */
static double natural(double base, double x) { return base == 0 ? log(x) : base == 1 ? x : x * log(base); }

pf_err pfi_slf_score_value(const pfi_slf_head *h, const pf_lattice_options *o, const pfi_slf_line *l, unsigned i, double *to) {
    char name[8];
    double x, base = i == POSTERIOR ? 0 : h->base;
    PF_TRY(check_x(l, i < PFI_SLF_NAMED ? 0 : i - PFI_SLF_NAMED + 1));
    if (i < PFI_SLF_NAMED) snprintf(name, sizeof name, "%s", named[i].name);
    else snprintf(name, sizeof name, "x%u", (i - PFI_SLF_NAMED + 1) % 1000);
    const char *what = base == 0 ? "a probability, a number of at least 0" : "a logarithm, a number";
    PF_TRY(pfi_slf_real(l, true, what, &x));
    if (base == 0 && x < 0) return pfi_slf_expected(l, l->value_at, what, l->value, l->value_n);
    double scale = o->scales ? pfi_scale(o, name, strlen(name), h->scale[i]) : h->scale[i];
    *to = scale == 0 ? 0 : scale * natural(base, x);
    return PF_OK;
}

double pfi_slf_penalty(const pfi_slf_head *h, const pf_lattice_options *o) {
    double penalty = h->has_penalty ? natural(h->base, h->penalty) : 0;
    return pfi_scale(o, "words", 5, penalty);
}
