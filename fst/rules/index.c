/* Rules in the order of their reorderings. At a position of a sentence the ranks of all rules that match there are sorted; then
 * the rules are in the order of the leaves of a trie. */
#include "rules/rules_impl.h"
#include "base/contract.h"

#include <stdlib.h>

typedef struct {
    const pf_rules *rules;
    uint32_t rule;
} indexed;

static int by_path(const void *first, const void *second) {
    const indexed *one = first, *other = second;
    unsigned m = pfi_rule_length(one->rules, one->rule), n = pfi_rule_length(other->rules, other->rule);
    for (unsigned step = 0; step < m && step < n; step++) {
        unsigned p = pfi_rule_at(one->rules, one->rule, step), q = pfi_rule_at(other->rules, other->rule, step);
        if (p != q) return p < q ? -1 : 1;
    }
    return m != n ? (m > n) - (m < n) : (one->rule > other->rule) - (one->rule < other->rule);
}

/* rank[first[node] .. first[node + 1]) of every node, ascending. */
static pf_err rank_nodes(pf_rules *rules) {
    size_t nodes = rules->total.n, count = rules->by_path.n;
    PF_TRY(PF_ROOM(&rules->first, nodes + 2));
    PF_TRY(PF_ROOM(&rules->rank, count));
    memset(rules->first.at, 0, (nodes + 2) * sizeof *rules->first.at);
    for (size_t i = 0; i < count; i++) rules->first.at[pfi_rule_node(rules, rules->by_path.at[i]) + 2]++;
    for (size_t i = 2; i < nodes + 2; i++) rules->first.at[i] += rules->first.at[i - 1];
    for (uint32_t i = 0; i < count; i++)
        rules->rank.at[rules->first.at[pfi_rule_node(rules, rules->by_path.at[i]) + 1]++] = i;
    return PF_OK;
}

/* The ranks of each node rise. */
static inline bool ranked(const pf_rules *rules) {
    for (size_t node = 0; node < rules->total.n; node++)
        for (size_t i = (size_t)rules->first.at[node] + 1; i < rules->first.at[node + 1]; i++)
            if (rules->rank.at[i - 1] >= rules->rank.at[i]) return false;
    return rules->first.at[rules->total.n] == rules->by_path.n;
}

pf_err pfi_rules_index(pf_rules *rules) {
    size_t count = 0;
    indexed *list = calloc(rules->count.n + 1, sizeof *list);
    if (!list) return pf_nomem();
    for (uint32_t i = 0; i < rules->count.n; i++) {
        if (rules->cost.at[i] <= rules->options.max_cost) list[count++] = (indexed){rules, i};
        else rules->left_out.too_costly++;
    }
    qsort(list, count, sizeof *list, by_path);
    pf_err err = PF_ROOM(&rules->by_path, count);
    for (size_t i = 0; !err && i < count; i++) rules->by_path.at[rules->by_path.n++] = list[i].rule;
    free(list);
    if (!err) err = rank_nodes(rules);
    PFI_CHECK(err || ranked(rules));
    return err;
}
