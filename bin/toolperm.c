/* Reordering spaces on a command line. */
#include "toolperm.h"

#include <stdio.h>
#include <string.h>

tool_specs toolperm_con;

void toolperm_list_constraints(void) {
    const pf_con_class *c;
    for (size_t i = 0; (c = pf_con_at(i)); i++) printf("%s%s\t%s\n", c->name, c->params, c->help);
}

void toolperm_list_weights(void) {
    const pf_wm_class *c;
    for (size_t i = 0; (c = pf_wm_at(i)); i++) printf("%s%s\t%s\n", c->name, c->params, c->help);
}

bool toolperm_is_length(const char *operand) {
    return *operand && !operand[strspn(operand, "0123456789")];
}

/* The digits at *text, which goes behind them. */
static pf_err number(const char **text, unsigned *n) {
    const char *at = *text;
    uint64_t value;
    if (!pf_digits_take(text, &value)) return pf_fail(PF_EARG, "expected a number of positions, found '%.40s'", at);
    if (value > PF_MAX_WORDS) return pf_fail(PF_EARG, "expected a length of at most %u positions, found %.40s", PF_MAX_WORDS, at);
    *n = (unsigned)value;
    return PF_OK;
}

static pf_err end_of(const char *at, const char *text) {
    return *at ? pf_fail(PF_EARG, "expected a length, or a range such as 1-40, found '%.40s'", text) : PF_OK;
}

pf_err toolperm_length(const char *text, unsigned *n) {
    const char *at = text;
    PF_TRY(number(&at, n));
    return end_of(at, text);
}

pf_err toolperm_range(const char *text, unsigned *from, unsigned *to) {
    const char *at = text;
    PF_TRY(number(&at, from));
    *to = *from;
    if (*at == '-') {
        at++;
        PF_TRY(number(&at, to));
    }
    PF_TRY(end_of(at, text));
    return *to < *from ? pf_fail(PF_EARG, "the range %s ends before it begins", text) : PF_OK;
}

pf_err toolperm_space(unsigned n, pf_con **out) { return pf_con_all(toolperm_con.at, toolperm_con.n, n, out); }
