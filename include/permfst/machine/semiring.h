/* Arc types: the semiring of a machine's weights, and the width that weights have in a file.
 *
 * Weights are costs, -ln of a probability. In memory an arc's weight is a float and every sum a double, whatever the
 * type; `log64` differs from `log` only in files, where it is read rounded to float and written widened to double. Each call is
 * O(1). */
#ifndef PF_MACHINE_SEMIRING_H
#define PF_MACHINE_SEMIRING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PF_STANDARD, /* tropical: alternatives take the least cost */
    PF_LOG,      /* alternatives add their probabilities */
    PF_LOG64
} pf_arc_type;

/* The name in OpenFst files: "standard", "log", "log64". */
const char *pf_arc_type_name(pf_arc_type type);
bool pf_arc_type_find(const char *name, pf_arc_type *type);

#ifdef __cplusplus
}
#endif
#endif
