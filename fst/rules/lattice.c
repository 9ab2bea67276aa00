/* The lattice is built from the last position to the first. The matches that begin at a position, in the order of their
 * reorderings, are the leaves of a trie. One branch of the trie is open at a time, and a state that is left for good is closed:
 * the least cost of its arcs moves to the arc before it, and it is looked up among all states there are (Daciuk et al. 2000,
 * Incremental construction of minimal acyclic finite-state automata; Mohri 2000, Minimization algorithms for sequential
 * transducers). The trie itself is never in memory. */
#include <permfst/rules/lattice.h>

#include "rules/rule_lattice_impl.h"
#include "rules/rules_impl.h"
#include "base/contract.h"

#include <stdlib.h>

pf_err pf_rule_lattice_new(unsigned n, pf_rule_lattice **out) {
    pf_rule_lattice *l = *out = calloc(1, sizeof *l);
    pf_state end;
    if (!l) return pf_nomem();
    l->n = n;
    l->start = PF_NO_STATE;
    pf_statetab_init(&l->states, 0);
    pf_err err = pfi_rule_state_intern(l, 0, &end);
    if (err) {
        pf_rule_lattice_free(l);
        *out = NULL;
    }
    return err;
}

void pf_rule_lattice_free(pf_rule_lattice *l) {
    if (!l) return;
    pf_statetab_free(&l->states);
    PF_VEC_FREE(&l->arcs);
    PF_VEC_FREE(&l->on_path);
    free(l);
}

unsigned pf_rule_lattice_words(const pf_rule_lattice *l) { return l->n; }

pf_err pfi_rule_state_close(pf_rule_lattice *l, size_t begin, float *least, pf_state *s) {
    *least = l->arcs.at[begin].cost;
    for (size_t i = begin + 1; i < l->arcs.n; i++)
        if (l->arcs.at[i].cost < *least) *least = l->arcs.at[i].cost;
    for (size_t i = begin; i < l->arcs.n; i++) l->arcs.at[i].cost -= *least;
    return pfi_rule_state_intern(l, begin, s);
}

bool pfi_rule_lattice_sound(const pf_rule_lattice *l) {
    uint64_t *read = calloc((size_t)l->states.n + 1, sizeof *read), all = 0; /* the sum of a hash of each position */
    bool holds = read != NULL;
    for (pf_state s = 0; holds && s < l->states.n; s++) {
        uint32_t n = pfi_rule_arcs(l, s);
        holds = (n == 0) == (s == 0);
        for (uint32_t i = 0; holds && i < n; i++) {
            pfi_rule_arc a = pfi_rule_arc_at(l, s, i);
            uint64_t sum = a.to < s ? read[a.to] + pf_hash_word(a.position, 0) : 0;
            holds = a.to < s && a.position < l->n && (!i || (pfi_rule_arc_at(l, s, i - 1).position < a.position && read[s] == sum));
            read[s] = sum;
        }
    }
    for (unsigned j = 0; j < l->n; j++) all += pf_hash_word(j, 0);
    holds = holds && (l->start == PF_NO_STATE || read[l->start] == all);
    free(read);
    return holds;
}

/* ---- the matches of a position ---- */

typedef struct {
    pf_rule_lattice *lattice;
    const pf_rules *rules;
    bool weighted;
    PF_VEC(uint32_t) tag;    /* of each position */
    PF_VEC(uint32_t) match;  /* ranks of the rules at a position */
    PF_VEC(pf_state) node;   /* the state before position i, when the positions before it are read */
    PF_VEC(unsigned) symbol; /* of the open branch: symbol.at[d] leads to its state of depth d + 1 */
    PF_VEC(size_t) begin;    /* where the arcs of its state of depth d begin in l->arcs */
} rule_lattice_builder;

static void builder_free(rule_lattice_builder *b) {
    PF_VEC_FREE(&b->tag);
    PF_VEC_FREE(&b->match);
    PF_VEC_FREE(&b->node);
    PF_VEC_FREE(&b->symbol);
    PF_VEC_FREE(&b->begin);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static pf_err find_matches(rule_lattice_builder *b, unsigned i) {
    const pf_rules *r = b->rules;
    uint32_t node = PFI_RULES_ROOT;
    b->match.n = 0;
    for (unsigned j = i; j < b->lattice->n && (node = pfi_rules_step(r, node, b->tag.at[j])) != PFI_NO_NODE; j++) {
        uint32_t first = r->first.at[node], n = r->first.at[node + 1] - first;
        PF_TRY(PF_ROOM(&b->match, n));
        if (n) memcpy(b->match.at + b->match.n, r->rank.at + first, n * sizeof first);
        b->match.n += n;
    }
    if (b->match.n > 1) qsort(b->match.at, b->match.n, sizeof *b->match.at, ascending);
    return PF_OK;
}

/* Closes the open branch down to a depth. */
static pf_err close_to(rule_lattice_builder *b, size_t depth) {
    while (b->symbol.n > depth) {
        pfi_rule_arc a = {b->symbol.at[--b->symbol.n], 0, 0};
        PF_TRY(pfi_rule_state_close(b->lattice, b->begin.at[--b->begin.n], &a.cost, &a.to));
        PF_TRY(PF_PUSH(&b->lattice->arcs, a));
    }
    return PF_OK;
}

/* A rule at position i: where its branch leaves the open one, a new one opens. */
static pf_err add_match(rule_lattice_builder *b, unsigned i, uint32_t rule) {
    unsigned n = pfi_rule_length(b->rules, rule), t = 0;
    while (t < b->symbol.n && b->symbol.at[t] == i + pfi_rule_at(b->rules, rule, t)) t++;
    PF_TRY(close_to(b, t));
    for (; t + 1 < n; t++) {
        PF_TRY(PF_PUSH(&b->symbol, i + pfi_rule_at(b->rules, rule, t)));
        PF_TRY(PF_PUSH(&b->begin, b->lattice->arcs.n));
    }
    float w = b->weighted ? (float)b->rules->cost.at[rule] : 0;
    pfi_rule_arc last = {i + pfi_rule_at(b->rules, rule, n - 1), w, b->node.at[i + n]};
    return PF_PUSH(&b->lattice->arcs, last);
}

static pf_err build_node(rule_lattice_builder *b, unsigned i) {
    pfi_rule_arc monotone = {i, 0, b->node.at[i + 1]};
    PF_TRY(find_matches(b, i));
    PF_TRY(PF_PUSH(&b->lattice->arcs, monotone));
    for (size_t k = 0; k < b->match.n; k++) PF_TRY(add_match(b, i, b->rules->by_path.at[b->match.at[k]]));
    PF_TRY(close_to(b, 0));
    return pfi_rule_state_intern(b->lattice, 0, &b->node.at[i]);
}

static pf_err build(rule_lattice_builder *b, const pf_words *tags, uint64_t *matches) {
    unsigned n = b->lattice->n;
    PF_TRY(PF_ROOM(&b->tag, n));
    PF_TRY(PF_ROOM(&b->node, n + 1u));
    pfi_rules_ids(b->rules, tags, b->tag.at);
    b->node.at[n] = 0;
    for (unsigned i = n; i--; *matches += b->match.n) PF_TRY(build_node(b, i));
    b->lattice->start = b->node.at[0];
    return PF_OK;
}

pf_err pf_rule_lattice_match(pf_rule_lattice *l, const pf_rules *rules, const pf_words *tags, bool weighted,
                             uint64_t *matches) {
    rule_lattice_builder b = {.lattice = l, .rules = rules, .weighted = weighted};
    *matches = 0;
    assert(rules->first.at); /* finished */
    if (tags->n != l->n) return pf_fail(PF_EARG, "expected %u tags, found %zu", l->n, tags->n);
    if (l->start != PF_NO_STATE) return pf_fail(PF_EARG, "rules are matched before permutations are added");
    pf_err err = build(&b, tags, matches);
    builder_free(&b);
    PFI_CHECK(err || pfi_rule_lattice_sound(l));
    return err;
}
