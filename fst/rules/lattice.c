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

pf_err pf_rule_lattice_new(unsigned length, pf_rule_lattice **out) {
    pf_rule_lattice *lattice = *out = calloc(1, sizeof *lattice);
    pf_state end;
    if (!lattice) return pf_nomem();
    lattice->n = length;
    lattice->start = PF_NO_STATE;
    pf_statetab_init(&lattice->states, 0);
    pf_err err = pfi_rule_state_intern(lattice, 0, &end);
    if (err) {
        pf_rule_lattice_free(lattice);
        *out = NULL;
    }
    return err;
}

void pf_rule_lattice_free(pf_rule_lattice *lattice) {
    if (!lattice) return;
    pf_statetab_free(&lattice->states);
    PF_VEC_FREE(&lattice->arcs);
    PF_VEC_FREE(&lattice->on_path);
    free(lattice);
}

unsigned pf_rule_lattice_words(const pf_rule_lattice *lattice) { return lattice->n; }

pf_err pfi_rule_state_close(pf_rule_lattice *lattice, size_t begin, float *least, pf_state *state) {
    *least = lattice->arcs.at[begin].cost;
    for (size_t i = begin + 1; i < lattice->arcs.n; i++)
        if (lattice->arcs.at[i].cost < *least) *least = lattice->arcs.at[i].cost;
    for (size_t i = begin; i < lattice->arcs.n; i++) lattice->arcs.at[i].cost -= *least;
    return pfi_rule_state_intern(lattice, begin, state);
}

bool pfi_rule_lattice_sound(const pf_rule_lattice *lattice) {
    uint64_t *read = calloc((size_t)lattice->states.n + 1, sizeof *read), all = 0; /* the sum of a hash of each position */
    bool holds = read != NULL;
    for (pf_state state = 0; holds && state < lattice->states.n; state++) {
        uint32_t n = pfi_rule_arcs(lattice, state);
        holds = (n == 0) == (state == 0);
        for (uint32_t at = 0; holds && at < n; at++) {
            pfi_rule_arc arc = pfi_rule_arc_at(lattice, state, at);
            uint64_t sum = arc.to < state ? read[arc.to] + pf_hash_word(arc.position, 0) : 0;
            holds = arc.to < state && arc.position < lattice->n &&
                    (!at || (pfi_rule_arc_at(lattice, state, at - 1).position < arc.position && read[state] == sum));
            read[state] = sum;
        }
    }
    for (unsigned j = 0; j < lattice->n; j++) all += pf_hash_word(j, 0);
    holds = holds && (lattice->start == PF_NO_STATE || read[lattice->start] == all);
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
    PF_VEC(size_t) begin;    /* where the arcs of its state of depth d begin in lattice->arcs */
} rule_lattice_builder;

static void builder_free(rule_lattice_builder *builder) {
    PF_VEC_FREE(&builder->tag);
    PF_VEC_FREE(&builder->match);
    PF_VEC_FREE(&builder->node);
    PF_VEC_FREE(&builder->symbol);
    PF_VEC_FREE(&builder->begin);
}

static int ascending(const void *first, const void *second) {
    uint32_t value = *(const uint32_t *)first, other = *(const uint32_t *)second;
    return (value > other) - (value < other);
}

static pf_err find_matches(rule_lattice_builder *builder, unsigned i) {
    const pf_rules *rules = builder->rules;
    uint32_t node = PFI_RULES_ROOT;
    builder->match.n = 0;
    for (unsigned j = i; j < builder->lattice->n && (node = pfi_rules_step(rules, node, builder->tag.at[j])) != PFI_NO_NODE; j++) {
        uint32_t first = rules->first.at[node], n = rules->first.at[node + 1] - first;
        PF_TRY(PF_ROOM(&builder->match, n));
        if (n) memcpy(builder->match.at + builder->match.n, rules->rank.at + first, n * sizeof first);
        builder->match.n += n;
    }
    if (builder->match.n > 1) qsort(builder->match.at, builder->match.n, sizeof *builder->match.at, ascending);
    return PF_OK;
}

/* Closes the open branch down to a depth. */
static pf_err close_to(rule_lattice_builder *builder, size_t depth) {
    while (builder->symbol.n > depth) {
        pfi_rule_arc arc = {builder->symbol.at[--builder->symbol.n], 0, 0};
        PF_TRY(pfi_rule_state_close(builder->lattice, builder->begin.at[--builder->begin.n], &arc.cost, &arc.to));
        PF_TRY(PF_PUSH(&builder->lattice->arcs, arc));
    }
    return PF_OK;
}

/* A rule that begins at a position: where its branch leaves the open one, a new one opens. */
static pf_err add_match(rule_lattice_builder *builder, unsigned begin, uint32_t rule) {
    unsigned length = pfi_rule_length(builder->rules, rule), step = 0;
    while (step < builder->symbol.n && builder->symbol.at[step] == begin + pfi_rule_at(builder->rules, rule, step)) step++;
    PF_TRY(close_to(builder, step));
    for (; step + 1 < length; step++) {
        PF_TRY(PF_PUSH(&builder->symbol, begin + pfi_rule_at(builder->rules, rule, step)));
        PF_TRY(PF_PUSH(&builder->begin, builder->lattice->arcs.n));
    }
    float weight = builder->weighted ? (float)builder->rules->cost.at[rule] : 0;
    pfi_rule_arc last = {begin + pfi_rule_at(builder->rules, rule, length - 1), weight, builder->node.at[begin + length]};
    return PF_PUSH(&builder->lattice->arcs, last);
}

static pf_err build_node(rule_lattice_builder *builder, unsigned begin) {
    pfi_rule_arc monotone = {begin, 0, builder->node.at[begin + 1]};
    PF_TRY(find_matches(builder, begin));
    PF_TRY(PF_PUSH(&builder->lattice->arcs, monotone));
    for (size_t k = 0; k < builder->match.n; k++)
        PF_TRY(add_match(builder, begin, builder->rules->by_path.at[builder->match.at[k]]));
    PF_TRY(close_to(builder, 0));
    return pfi_rule_state_intern(builder->lattice, 0, &builder->node.at[begin]);
}

static pf_err build(rule_lattice_builder *builder, const pf_words *tags, uint64_t *matches) {
    unsigned length = builder->lattice->n;
    PF_TRY(PF_ROOM(&builder->tag, length));
    PF_TRY(PF_ROOM(&builder->node, length + 1u));
    pfi_rules_ids(builder->rules, tags, builder->tag.at);
    builder->node.at[length] = 0;
    for (unsigned i = length; i--; *matches += builder->match.n) PF_TRY(build_node(builder, i));
    builder->lattice->start = builder->node.at[0];
    return PF_OK;
}

pf_err pf_rule_lattice_match(pf_rule_lattice *lattice, const pf_rules *rules, const pf_words *tags, bool weighted,
                             uint64_t *matches) {
    rule_lattice_builder builder = {.lattice = lattice, .rules = rules, .weighted = weighted};
    *matches = 0;
    assert(rules->first.at); /* finished */
    if (tags->n != lattice->n) return pf_fail(PF_EARG, "expected %u tags, found %zu", lattice->n, tags->n);
    if (lattice->start != PF_NO_STATE) return pf_fail(PF_EARG, "rules are matched before permutations are added");
    pf_err err = build(&builder, tags, matches);
    builder_free(&builder);
    PFI_CHECK(err || pfi_rule_lattice_sound(lattice));
    return err;
}
