/* Reordering spaces on a command line. */
#include "toolperm.h"

pf_err toolperm_list_constraints(pf_writer *to) {
    const pf_con_class *cls;
    for (size_t i = 0; (cls = pf_con_at(i)); i++) PF_TRY(pf_writer_text(to, "%s%s\t%s\n", cls->name, cls->params, cls->help));
    return PF_OK;
}

pf_err toolperm_list_weights(pf_writer *to) {
    const pf_wm_class *cls;
    for (size_t i = 0; (cls = pf_wm_at(i)); i++) PF_TRY(pf_writer_text(to, "%s%s\t%s\n", cls->name, cls->params, cls->help));
    return PF_OK;
}

/* The digits at *text, which moves past them. */
static pf_err number(const char **text, unsigned *to) {
    const char *at = *text;
    uint64_t value;
    if (!pf_digits_take(text, &value)) return pf_fail(PF_EARG, "expected a number of positions, found '%.40s'", at);
    if (value > PF_MAX_WORDS) return pf_fail(PF_EARG, "expected a length of at most %u positions, found %.40s", PF_MAX_WORDS, at);
    *to = (unsigned)value;
    return PF_OK;
}

static pf_err end_of(const char *at, const char *text) {
    return *at ? pf_fail(PF_EARG, "expected a length, or a range such as 1-40, found '%.40s'", text) : PF_OK;
}

pf_err toolperm_length(const char *text, unsigned *length) {
    const char *at = text;
    PF_TRY(number(&at, length));
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
