/* Rules in the order of their reorderings. At a position of a sentence the ranks of all rules that match there are sorted; then
 * the rules are in the order of the leaves of a trie. */
#include "rules/rules_impl.h"
#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    const pf_rules *rules;
    uint32_t rule;
} indexed;

static int by_path(const void *a, const void *b) {
    const indexed *x = a, *y = b;
    unsigned m = pfi_rule_length(x->rules, x->rule), n = pfi_rule_length(y->rules, y->rule);
    for (unsigned t = 0; t < m && t < n; t++) {
        unsigned p = pfi_rule_at(x->rules, x->rule, t), q = pfi_rule_at(y->rules, y->rule, t);
        if (p != q) return p < q ? -1 : 1;
    }
    return m != n ? (m > n) - (m < n) : (x->rule > y->rule) - (x->rule < y->rule);
}

/* rank[first[node] .. first[node + 1]) of every node, ascending. */
static pf_err rank_nodes(pf_rules *r) {
    size_t nodes = r->total.n, n = r->by_path.n;
    PF_TRY(PF_ROOM(&r->first, nodes + 2));
    PF_TRY(PF_ROOM(&r->rank, n));
    memset(r->first.at, 0, (nodes + 2) * sizeof *r->first.at);
    for (size_t i = 0; i < n; i++) r->first.at[pfi_rule_node(r, r->by_path.at[i]) + 2]++;
    for (size_t i = 2; i < nodes + 2; i++) r->first.at[i] += r->first.at[i - 1];
    for (uint32_t i = 0; i < n; i++) r->rank.at[r->first.at[pfi_rule_node(r, r->by_path.at[i]) + 1]++] = i;
    return PF_OK;
}

/* The ranks of each node rise. */
static inline bool ranked(const pf_rules *r) {
    for (size_t node = 0; node < r->total.n; node++)
        for (size_t i = (size_t)r->first.at[node] + 1; i < r->first.at[node + 1]; i++)
            if (r->rank.at[i - 1] >= r->rank.at[i]) return false;
    return r->first.at[r->total.n] == r->by_path.n;
}

pf_err pfi_rules_index(pf_rules *r) {
    size_t n = 0;
    indexed *list = calloc(r->count.n + 1, sizeof *list);
    if (!list) return pf_nomem();
    for (uint32_t i = 0; i < r->count.n; i++) {
        if (r->cost.at[i] <= r->options.max_cost) list[n++] = (indexed){r, i};
        else r->left_out.too_costly++;
    }
    qsort(list, n, sizeof *list, by_path);
    pf_err err = PF_ROOM(&r->by_path, n);
    for (size_t i = 0; !err && i < n; i++) r->by_path.at[r->by_path.n++] = list[i].rule;
    free(list);
    if (!err) err = rank_nodes(r);
    PFI_CHECK(err || ranked(r));
    return err;
}
