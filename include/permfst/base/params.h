/* Specifications, as command lines and records have them: name, or name:value,value.
 *
 * Each call is O(length), and O(entries) where a name is not known. */
#ifndef PF_BASE_PARAMS_H
#define PF_BASE_PARAMS_H

#include <permfst/base/err.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_PARAMS_MAX = 8, PF_PARAMS_BYTES = 256 };

/* A text that combines specifications, such as a constraint "itg+ibm:4", has at most this many bytes, also in a record. */
enum { PF_SPEC_BYTES = 4096 };

/* The same with the texts of trees (permute/con.h), which do not count above: a sentence of 65535 words has one. */
enum { PF_SPEC_TEXT_BYTES = 1 << 19 };

typedef struct {
    char text[PF_PARAMS_BYTES];       /* the specification with its separators replaced by NULs */
    const char *name;                 /* into text */
    const char *value[PF_PARAMS_MAX]; /* into text */
    unsigned n;                       /* values */
} pf_params;

/* Splits a specification. The result points into itself and must not be copied. PF_EARG when it is too long. */
pf_err pf_params_parse(const char *spec, pf_params *out);

/* Checks that there are exactly `count` values; `usage` ("ibm:L") goes into the message. PF_EARG. */
pf_err pf_params_expect(const pf_params *params, unsigned count, const char *usage);

/* PF_EARG: "unknown WHAT 'NAME'; there are: ibm:L, ...", with the name that may have been meant; a value that follows '=' follows
 * ':' there. entry(i) is the i-th name, with how its values are written (":L",
 * or "") in *values; NULL past the last. */
pf_err pf_params_unknown(const char *what, const char *name, const char *(*entry)(size_t i, const char **values));

/* Reads value i < params->n as a whole number within [min, max], or as a real number strictly between min and max. PF_EARG. */
pf_err pf_params_number(const pf_params *params, unsigned i, uint64_t min, uint64_t max, uint64_t *out);
pf_err pf_params_real(const pf_params *params, unsigned i, double min, double max, double *out);

#ifdef __cplusplus
}
#endif
#endif
