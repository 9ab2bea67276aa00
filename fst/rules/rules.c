/* The table: tags, their trie, and rules, all interned. */
#include "rules/rules_impl.h"

#include <stdlib.h>

static pf_err add_node(pf_rules *r) {
    PF_TRY(PF_PUSH(&r->listed, false));
    return PF_PUSH(&r->total, 0);
}

static pf_err set_up(pf_rules *r, const pf_rule_options *o) {
    if (o->max_length < 2 || o->max_length > PF_MAX_WORDS || !(o->max_cost >= 0))
        return pf_fail(PF_EARG, "rules have a length from 2 to %u and a cost of at least 0", PF_MAX_WORDS);
    r->options = *o;
    return add_node(r);
}

pf_err pf_rules_new(const pf_rule_options *o, pf_rules **out) {
    pf_rules *r = *out = calloc(1, sizeof *r);
    if (!r) return pf_nomem();
    pf_statetab_init(&r->tag, 0);
    pf_statetab_init(&r->child, sizeof(uint64_t));
    pf_statetab_init(&r->rule, 0);
    pf_err err = set_up(r, o);
    if (err) {
        pf_rules_free(r);
        *out = NULL;
    }
    return err;
}

void pf_rules_free(pf_rules *r) {
    if (!r) return;
    pf_lexicon_free(r->own);
    pf_statetab_free(&r->tag);
    pf_statetab_free(&r->child);
    pf_statetab_free(&r->rule);
    PF_VEC_FREE(&r->total);
    PF_VEC_FREE(&r->listed);
    PF_VEC_FREE(&r->count);
    PF_VEC_FREE(&r->cost);
    PF_VEC_FREE(&r->ids);
    PF_VEC_FREE(&r->scratch);
    PF_VEC_FREE(&r->by_path);
    PF_VEC_FREE(&r->rank);
    PF_VEC_FREE(&r->first);
    free(r);
}

const pf_rule_options *pf_rules_options(const pf_rules *r) { return &r->options; }
const pf_rules_left_out *pf_rules_omitted(const pf_rules *r) { return &r->left_out; }
size_t pf_rules_size(const pf_rules *r) { return r->by_path.n; }

/* ---- the trie ---- */

pf_err pfi_rules_node(pf_rules *r, const pf_word *tags, size_t n, uint32_t *node) {
    *node = PFI_RULES_ROOT;
    for (size_t i = 0; i < n; i++) {
        uint32_t tag, id;
        PF_TRY(pf_statetab_intern(&r->tag, tags[i].at, tags[i].n, &tag, NULL));
        PF_TRY(pf_statetab_intern_word(&r->child, 0, (uint64_t)*node << 32 | tag, &id));
        if (id + 1 == r->total.n) PF_TRY(add_node(r));
        *node = id + 1;
    }
    return PF_OK;
}

void pfi_rules_ids(const pf_rules *r, const pf_words *tags, uint32_t *ids) {
    for (size_t i = 0; i < tags->n; i++) ids[i] = pf_statetab_find(&r->tag, tags->at[i].at, tags->at[i].n);
}

/* ---- rules ---- */

pf_err pfi_rules_rule(pf_rules *r, uint32_t node, const unsigned *perm, unsigned first, unsigned n, uint32_t *rule,
                      int *fresh) {
    r->scratch.n = 0;
    PF_TRY(PF_ROOM(&r->scratch, n + 2u));
    PF_TRY(PF_ROOM(&r->count, 1));
    PF_TRY(PF_ROOM(&r->cost, 1));
    memcpy(r->scratch.at, &node, sizeof node);
    for (unsigned t = 0; t < n; t++) r->scratch.at[2 + t] = (uint16_t)(perm[first + t] - first);
    PF_TRY(pf_statetab_intern(&r->rule, r->scratch.at, (n + 2u) * sizeof(uint16_t), rule, fresh));
    if (*fresh) {
        r->count.at[r->count.n++] = 0;
        r->cost.at[r->cost.n++] = 0;
    }
    return PF_OK;
}
