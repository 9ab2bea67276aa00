/* Splitting and checking name:value,value. */
#include <permfst/base/params.h>
#include <permfst/base/digits.h>
#include <permfst/base/nearest.h>

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

pf_err pf_params_expect(const pf_params *params, unsigned count, const char *usage) {
    if (params->n == count) return PF_OK;
    return pf_fail(PF_EARG, "'%s' is written as %s: expected %u value%s, found %u", params->name, usage, count,
        pf_plural(count), params->n);
}

typedef struct {
    const char *(*entry)(size_t i, const char **values);
} known_names;

static const char *known_name(const void *self, size_t i) {
    const char *values;
    return ((const known_names *)self)->entry(i, &values);
}

pf_err pf_params_unknown(const char *what, const char *name, const char *(*entry)(size_t i, const char **values)) {
    char list[512] = "";
    const char *known, *values;
    const char *meant = pf_nearest(name, strcspn(name, "="), known_name, &(known_names){entry});
    for (size_t i = 0, n = 0; (known = entry(i, &values)) && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s%s", i ? ", " : "", known, values);
    if (!meant) return pf_fail(PF_EARG, "unknown %s '%.60s'; there are: %s", what, name, list);
    const char *value = strchr(name, '=');
    return pf_fail(PF_EARG, "unknown %s '%.60s'; did you mean '%s%s%.40s'? There are: %s", what, name, meant, value ? ":" : "",
                   value ? value + 1 : "", list);
}

/* A value by its number; a specification that was copied has values in another. */
static const char *value_of(const pf_params *params, unsigned number) {
    assert(number < params->n && params->n <= PF_PARAMS_MAX);
    assert(params->value[number] > params->text && params->value[number] < params->text + sizeof params->text);
    return params->value[number];
}

pf_err pf_params_number(const pf_params *params, unsigned i, uint64_t min, uint64_t max, uint64_t *out) {
    const char *text = value_of(params, i);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end)
        return pf_fail(PF_EARG, "%s: expected a whole number of at least %llu, found '%s'", params->name,
                       (unsigned long long)min, text);
    if (!errno && value < min && max == UINT64_MAX)
        return pf_fail(PF_EARG, "%s: expected a number of at least %llu, found %s", params->name, (unsigned long long)min, text);
    if (errno || value < min || value > max)
        return pf_fail(PF_EARG, "%s: expected a number from %llu to %llu, found %s", params->name, (unsigned long long)min,
                       (unsigned long long)max, text);
    *out = value;
    return PF_OK;
}

pf_err pf_params_real(const pf_params *params, unsigned i, double min, double max, double *out) {
    const char *text = value_of(params, i);
    assert(min < max);
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > min && value < max))
        return pf_fail(PF_EARG, "%s: expected a number between %g and %g, found '%s'", params->name, min, max, text);
    *out = value;
    return PF_OK;
}
