/* Arc types by name. */
#include <permfst/machine/semiring.h>

#include <assert.h>
#include <string.h>

static const char *const names[] = {"standard", "log", "log64"};

const char *pf_arc_type_name(pf_arc_type type) {
    assert((size_t)type < sizeof names / sizeof *names);
    return names[type];
}

bool pf_arc_type_find(const char *name, pf_arc_type *type) {
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *type = (pf_arc_type)i;
            return true;
        }
    return false;
}
