/* Learning in memory. The second pass walks the trie of all sequences that some sentence reorders, from every position. */
#include "rules/rules_impl.h"
#include "base/contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

pf_err pf_rules_learn(pf_rules *r, const pf_words *tags, const unsigned *perm) {
    unsigned from = 0;
    assert(!r->first.at); /* not finished */
    PFI_CHECK(pfi_is_permutation(perm, (unsigned)tags->n));
    for (pf_reordering m; pf_reordering_next(perm, (unsigned)tags->n, &from, &m);) {
        uint32_t node, rule;
        int fresh;
        if (m.n > r->options.max_length) {
            r->left_out.too_long++;
            continue;
        }
        PF_TRY(pfi_rules_node(r, tags->at + m.first, m.n, &node));
        PF_TRY(pfi_rules_rule(r, node, perm, m.first, m.n, &rule, &fresh));
        r->listed.at[node] = true;
        r->count.at[rule]++;
    }
    return PF_OK;
}

pf_err pf_rules_list(pf_rules *r, const pf_words *tags) {
    uint32_t node;
    PF_TRY(pfi_rules_node(r, tags->at, tags->n, &node));
    r->listed.at[node] = true;
    return PF_OK;
}

pf_err pf_rules_count(pf_rules *r, const pf_words *tags) {
    size_t n = tags->n;
    r->ids.n = 0;
    PF_TRY(PF_ROOM(&r->ids, n));
    pfi_rules_ids(r, tags, r->ids.at);
    for (size_t i = 0; i < n; i++) {
        uint32_t node = PFI_RULES_ROOT;
        for (size_t k = i; k < n && (node = pfi_rules_step(r, node, r->ids.at[k])) != PFI_NO_NODE; k++) r->total.at[node]++;
    }
    return PF_OK;
}

/* A file has nine digits, so rules have no more: those that are read are those that were written. */
double pfi_cost_round(double cost) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.9g", cost);
    return strtod(digits, NULL);
}

double pfi_rule_cost(uint64_t count, uint64_t total) { return pfi_cost_round(log((double)total / (double)count)); }

pf_err pf_rules_finish(pf_rules *r) {
    assert(!r->first.at); /* once */
    for (uint32_t i = 0; i < r->count.n; i++) {
        uint64_t total = r->total.at[pfi_rule_node(r, i)];
        if (total < r->count.at[i])
            return pf_fail(PF_EINPUT, "a tag sequence is reordered %llu times but occurs %llu times: the counts "
                                      "are of another corpus",
                           (unsigned long long)r->count.at[i], (unsigned long long)total);
        r->cost.at[i] = pfi_rule_cost(r->count.at[i], total);
    }
    return pfi_rules_index(r);
}
