/* Learning in memory. The second pass walks the trie of all sequences that some sentence reorders, from every position. */
#include "rules/rules_impl.h"
#include "base/contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

pf_err pf_rules_learn(pf_rules *rules, const pf_words *tags, const unsigned *perm) {
    unsigned from = 0;
    assert(!rules->first.at); /* not finished */
    PFI_CHECK(pfi_is_permutation(perm, (unsigned)tags->n));
    for (pf_reordering reordering; pf_reordering_next(perm, (unsigned)tags->n, &from, &reordering);) {
        uint32_t node, rule;
        int fresh;
        if (reordering.n > rules->options.max_length) {
            rules->left_out.too_long++;
            continue;
        }
        PF_TRY(pfi_rules_node(rules, tags->at + reordering.first, reordering.n, &node));
        PF_TRY(pfi_rules_rule(rules, node, perm, reordering.first, reordering.n, &rule, &fresh));
        rules->listed.at[node] = true;
        rules->count.at[rule]++;
    }
    return PF_OK;
}

pf_err pf_rules_list(pf_rules *rules, const pf_words *tags) {
    uint32_t node;
    PF_TRY(pfi_rules_node(rules, tags->at, tags->n, &node));
    rules->listed.at[node] = true;
    return PF_OK;
}

pf_err pf_rules_count(pf_rules *rules, const pf_words *tags) {
    size_t length = tags->n;
    rules->ids.n = 0;
    PF_TRY(PF_ROOM(&rules->ids, length));
    pfi_rules_ids(rules, tags, rules->ids.at);
    for (size_t i = 0; i < length; i++) {
        uint32_t node = PFI_RULES_ROOT;
        for (size_t k = i; k < length && (node = pfi_rules_step(rules, node, rules->ids.at[k])) != PFI_NO_NODE; k++)
            rules->total.at[node]++;
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

pf_err pf_rules_finish(pf_rules *rules) {
    assert(!rules->first.at); /* once */
    for (uint32_t rule = 0; rule < rules->count.n; rule++) {
        uint64_t total = rules->total.at[pfi_rule_node(rules, rule)];
        if (total < rules->count.at[rule])
            return pf_fail(PF_EINPUT, "a tag sequence is reordered %llu times but occurs %llu times: the counts "
                           "are of another corpus", (unsigned long long)rules->count.at[rule], (unsigned long long)total);
        rules->cost.at[rule] = pfi_rule_cost(rules->count.at[rule], total);
    }
    return pfi_rules_index(rules);
}
