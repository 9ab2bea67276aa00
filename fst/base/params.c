/* Splitting and checking name:value,value. */
#include <permfst/base/params.h>

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pf_err pf_params_parse(const char *spec, pf_params *out) {
    size_t n = strlen(spec);
    if (n >= sizeof out->text) return pf_fail(PF_EARG, "'%.40s...' is too long", spec);
    memcpy(out->text, spec, n + 1);
    out->name = out->text;
    out->n = 0;
    char *at = strchr(out->text, ':');
    while (at) {
        *at++ = 0;
        if (out->n == PF_PARAMS_MAX) return pf_fail(PF_EARG, "'%s' has more than %d values", spec, PF_PARAMS_MAX);
        out->value[out->n++] = at;
        at = strchr(at, ',');
    }
    return PF_OK;
}

pf_err pf_params_expect(const pf_params *p, unsigned n, const char *usage) {
    if (p->n == n) return PF_OK;
    return pf_fail(PF_EARG, "'%s' is written as %s: expected %u value%s, found %u", p->name, usage, n, n == 1 ? "" : "s",
                   p->n);
}

pf_err pf_params_unknown(const char *what, const char *name, const char *(*entry)(size_t i, const char **values)) {
    char list[512] = "";
    const char *known, *values;
    for (size_t i = 0, n = 0; (known = entry(i, &values)) && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s%s", i ? ", " : "", known, values);
    return pf_fail(PF_EARG, "unknown %s '%.60s'; there are: %s", what, name, list);
}

/* Value i; a specification that was copied has values in another. */
static const char *value_of(const pf_params *p, unsigned i) {
    assert(i < p->n && p->n <= PF_PARAMS_MAX);
    assert(p->value[i] > p->text && p->value[i] < p->text + sizeof p->text);
    return p->value[i];
}

pf_err pf_params_number(const pf_params *p, unsigned i, uint64_t min, uint64_t max, uint64_t *out) {
    const char *s = value_of(p, i);
    char *end;
    errno = 0;
    unsigned long long x = strtoull(s, &end, 10);
    if (!isdigit((unsigned char)*s) || *end)
        return pf_fail(PF_EARG, "%s: expected a whole number of at least %llu, found '%s'", p->name,
                       (unsigned long long)min, s);
    if (!errno && x < min && max == UINT64_MAX)
        return pf_fail(PF_EARG, "%s: expected a number of at least %llu, found %s", p->name, (unsigned long long)min, s);
    if (errno || x < min || x > max)
        return pf_fail(PF_EARG, "%s: expected a number from %llu to %llu, found %s", p->name, (unsigned long long)min,
                       (unsigned long long)max, s);
    *out = x;
    return PF_OK;
}

pf_err pf_params_real(const pf_params *p, unsigned i, double min, double max, double *out) {
    const char *s = value_of(p, i);
    assert(min < max);
    char *end;
    double x = strtod(s, &end);
    if (end == s || *end || !(x > min && x < max))
        return pf_fail(PF_EARG, "%s: expected a number between %g and %g, found '%s'", p->name, min, max, s);
    *out = x;
    return PF_OK;
}
