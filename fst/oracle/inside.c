/* Lists of spaces, and which spaces are known to lie inside which others: a rule for single families, and conjunctions part by
 * part. */
#include <permfst/oracle/table.h>

#include <stdlib.h>
#include <string.h>

/* Orders of `family` with a parameter k are among those of `larger` with k + `more`, and grow with the parameter. */
static const struct {
    const char *family, *larger;
    unsigned more;
} inclusions[] = {
    {"ibm", "ibm", 0}, {"inverse-ibm", "inverse-ibm", 0}, {"local", "local", 0}, {"mj", "mj", 0}, {"distortion", "distortion", 0},
    {"mj", "local", 1}, {"mj", "ibm", 1}, {"mj", "inverse-ibm", 1}, {"local", "ibm", 0},
};

static bool is(const pf_con *con, const char *name) { return strcmp(con->cls->name, name) == 0; }

static bool part_inside(const pf_con *first, const pf_con *second) {
    if (is(second, "none")) return true;
    if (is(first, "itg") && is(second, "itg")) return true;
    for (size_t rule = 0; rule < sizeof inclusions / sizeof *inclusions; rule++)
        if (is(first, inclusions[rule].family) && is(second, inclusions[rule].larger) && first->param <= second->param &&
            second->param - first->param >= inclusions[rule].more)
            return true;
    return false;
}

/* Of itg orders, those in local:k are those in mj:k-1. */
static bool as_mj(const pf_con *part, const pf_con *second, bool itg) {
    return itg && is(part, "local") && is(second, "mj") && part->param <= second->param + 1;
}

/* The parts of a conjunction, or the one constraint. */
static pf_con *const *parts_of(const pf_con *con, size_t *n) {
    *n = 1;
    return is(con, "and") ? con->cls->parts(con, n) : NULL;
}

bool pf_oracle_space_known_inside(const pf_con *first, const pf_con *second) {
    size_t parts, other_parts;
    first = pf_con_inner(first);
    second = pf_con_inner(second);
    pf_con *const *own = parts_of(first, &parts), *const *others = parts_of(second, &other_parts);
    bool itg = false;
    for (size_t i = 0; i < parts; i++) itg = itg || is(own ? own[i] : first, "itg");
    for (size_t theirs = 0; theirs < other_parts; theirs++) {
        bool found = false;
        for (size_t mine = 0; mine < parts && !found; mine++) {
            const pf_con *part = own ? own[mine] : first, *other = others ? others[theirs] : second;
            found = part_inside(part, other) || as_mj(part, other, itg);
        }
        if (!found) return false;
    }
    return true;
}

/* ---- lists ---- */

static pf_err add_spec(pf_oracle_spaces *spaces, const char *name, size_t length, const char *number, size_t digits) {
    PF_TRY(PF_ROOM(spaces, 1));
    char *spec = malloc(length + digits + 1);
    if (!spec) return pf_nomem();
    memcpy(spec, name, length);
    memcpy(spec + length, number, digits);
    spec[length + digits] = 0;
    spaces->at[spaces->n++] = spec;
    return pf_con_check(spec);
}

pf_err pf_oracle_spaces_add(pf_oracle_spaces *spaces, const char *spec) {
    size_t name = strcspn(spec, ":");
    const char *number = spec + name + 1;
    if (!spec[name] || !strchr(number, ',') || number[strspn(number, "0123456789,")])
        return add_spec(spaces, spec, strlen(spec), "", 0);
    for (;; number++) {
        size_t digits = strcspn(number, ",");
        PF_TRY(add_spec(spaces, spec, name + 1, number, digits));
        number += digits;
        if (!*number) return PF_OK;
    }
}

void pf_oracle_spaces_free(pf_oracle_spaces *spaces) {
    for (size_t i = 0; i < spaces->n; i++) free(spaces->at[i]);
    PF_VEC_FREE(spaces);
}
