/* The table: tags, their trie, and rules, all interned. */
#include "rules/rules_impl.h"

#include <stdlib.h>

static pf_err add_node(pf_rules *rules) {
    PF_TRY(PF_PUSH(&rules->listed, false));
    return PF_PUSH(&rules->total, 0);
}

static pf_err set_up(pf_rules *rules, const pf_rule_options *options) {
    if (options->max_length < 2 || options->max_length > PF_MAX_WORDS || !(options->max_cost >= 0))
        return pf_fail(PF_EARG, "rules have a length from 2 to %u and a cost of at least 0", PF_MAX_WORDS);
    rules->options = *options;
    return add_node(rules);
}

pf_err pf_rules_new(const pf_rule_options *options, pf_rules **out) {
    pf_rules *rules = *out = calloc(1, sizeof *rules);
    if (!rules) return pf_nomem();
    pf_statetab_init(&rules->tag, 0);
    pf_statetab_init(&rules->child, sizeof(uint64_t));
    pf_statetab_init(&rules->rule, 0);
    pf_err err = set_up(rules, options);
    if (err) {
        pf_rules_free(rules);
        *out = NULL;
    }
    return err;
}

void pf_rules_free(pf_rules *rules) {
    if (!rules) return;
    pf_lexicon_free(rules->own);
    pf_statetab_free(&rules->tag);
    pf_statetab_free(&rules->child);
    pf_statetab_free(&rules->rule);
    PF_VEC_FREE(&rules->total);
    PF_VEC_FREE(&rules->listed);
    PF_VEC_FREE(&rules->count);
    PF_VEC_FREE(&rules->cost);
    PF_VEC_FREE(&rules->ids);
    PF_VEC_FREE(&rules->scratch);
    PF_VEC_FREE(&rules->by_path);
    PF_VEC_FREE(&rules->rank);
    PF_VEC_FREE(&rules->first);
    free(rules);
}

const pf_rule_options *pf_rules_options(const pf_rules *rules) { return &rules->options; }
const pf_rules_left_out *pf_rules_omitted(const pf_rules *rules) { return &rules->left_out; }
size_t pf_rules_size(const pf_rules *rules) { return rules->by_path.n; }

/* ---- the trie ---- */

pf_err pfi_rules_node(pf_rules *rules, const pf_word *tags, size_t count, uint32_t *node) {
    *node = PFI_RULES_ROOT;
    for (size_t i = 0; i < count; i++) {
        uint32_t tag, id;
        PF_TRY(pf_statetab_intern(&rules->tag, tags[i].at, tags[i].n, &tag, NULL));
        PF_TRY(pf_statetab_intern_word(&rules->child, 0, (uint64_t)*node << 32 | tag, &id));
        if (id + 1 == rules->total.n) PF_TRY(add_node(rules));
        *node = id + 1;
    }
    return PF_OK;
}

void pfi_rules_ids(const pf_rules *rules, const pf_words *tags, uint32_t *ids) {
    for (size_t i = 0; i < tags->n; i++) ids[i] = pf_statetab_find(&rules->tag, tags->at[i].at, tags->at[i].n);
}

/* ---- rules ---- */

pf_err pfi_rules_rule(pf_rules *rules, uint32_t node, const unsigned *perm, unsigned first, unsigned length, uint32_t *rule,
                      int *fresh) {
    rules->scratch.n = 0;
    PF_TRY(PF_ROOM(&rules->scratch, length + 2u));
    PF_TRY(PF_ROOM(&rules->count, 1));
    PF_TRY(PF_ROOM(&rules->cost, 1));
    memcpy(rules->scratch.at, &node, sizeof node);
    for (unsigned step = 0; step < length; step++) rules->scratch.at[2 + step] = (uint16_t)(perm[first + step] - first);
    PF_TRY(pf_statetab_intern(&rules->rule, rules->scratch.at, (length + 2u) * sizeof(uint16_t), rule, fresh));
    if (*fresh) {
        rules->count.at[rules->count.n++] = 0;
        rules->cost.at[rules->cost.n++] = 0;
    }
    return PF_OK;
}
