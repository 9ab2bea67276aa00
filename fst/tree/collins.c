/* The rules of Collins et al. 2005 for German, as Zwarts & Dras 2006 (section 2.1) name them, on dependency trees: blocks of a
 * clause move, one rule after the other. A clause is a node whose unit is a verb, or that has an auxiliary or a copula. */
#include "tree/reorder_impl.h"

#include <permfst/base/vec.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a child is to its head. */
enum {
    SUBJECT = 1,
    AUXILIARY = 2,
    MARK = 4,
    CLAUSAL = 8,     /* it does not hold the place of a relative */
    ARGUMENT = 16,   /* a subject or an object */
    PARTICLE = 32,
    MODIFIER = 64,
    INDEPENDENT = 128 /* the clause does not begin with a relative */
};

/* A name ends at a colon, unless it has one itself. */
typedef struct {
    const char *relation;
    unsigned roles;
} role;
static const role ud[] = {
    {"nsubj", SUBJECT | ARGUMENT}, {"aux", AUXILIARY},      {"cop", AUXILIARY},
    {"mark", MARK},                {"obj", ARGUMENT},       {"iobj", ARGUMENT},
    {"obl", ARGUMENT},             {"xcomp", ARGUMENT},     {"ccomp", ARGUMENT | CLAUSAL},
    {"advcl", CLAUSAL},            {"acl", CLAUSAL},        {"conj", CLAUSAL | INDEPENDENT},
    {"parataxis", CLAUSAL | INDEPENDENT}, {"root", INDEPENDENT}, {"compound:prt", PARTICLE},
    {"advmod", MODIFIER},
};
static const role alpino[] = {
    {"su", SUBJECT | ARGUMENT}, {"hd", AUXILIARY},   {"obj1", ARGUMENT}, {"obj2", ARGUMENT}, {"pc", ARGUMENT},
    {"ld", ARGUMENT},           {"predc", ARGUMENT}, {"vc", ARGUMENT},   {"se", ARGUMENT},   {"svp", PARTICLE},
    {"mod", MODIFIER},
};

/* One clause: its blocks, and which of them have a part. PF_TREE_NONE: none has. */
typedef struct {
    const pf_tree *tree;
    uint32_t node, *block, n;
    uint32_t finite, subject, complementizer, particle, negation;
    bool at_front; /* the place of the complementizer is before all blocks */
} clause;

static unsigned roles_of(const pf_tree *tree, uint32_t node) {
    const char *relation = pf_tree_relation(tree, node);
    const role *table = tree->scheme == PF_TREE_UD ? ud : alpino;
    size_t n = tree->scheme == PF_TREE_UD ? sizeof ud / sizeof *ud : sizeof alpino / sizeof *alpino;
    for (size_t at = 0; at < n; at++) {
        size_t length = strlen(table[at].relation);
        if (strncmp(relation, table[at].relation, length) == 0 && (!relation[length] || relation[length] == ':'))
            return table[at].roles;
    }
    return 0;
}

static bool is_child(const clause *of, uint32_t block, unsigned roles) {
    return block != of->node && (roles_of(of->tree, block) & roles);
}

/* The features of a unit. A unit of several words is neither verb nor negation: Alpino gives tags to the words of
 * an mwu, but none to the mwu. */
static unsigned features(const clause *of, uint32_t block) {
    unsigned of_word = of->tree->word[pf_tree_first(of->tree, block)].features;
    return of->tree->node[block].words == 1 ? of_word : of_word & PF_WORD_CLAUSE;
}

/* Does the constituent have a relative or interrogative word? */
static bool holds_relative(const pf_tree *tree, uint32_t node) {
    for (uint32_t v = 0; v < tree->nodes; v++) {
        const pf_tree_node *of = &tree->node[v];
        bool relative = false;
        for (uint32_t i = 0; i < of->words; i++)
            relative = relative || tree->word[tree->member[of->first + i]].features & PF_WORD_RELATIVE;
        uint32_t up = v;
        while (relative && up != node && up != tree->nodes) up = tree->node[up].head;
        if (relative && up == node) return true;
    }
    return false;
}

static bool is_complementizer(const clause *of, uint32_t block) {
    if (is_child(of, block, MARK)) return !(features(of, block) & PF_WORD_PARTICLE);
    if (block == of->node || of->tree->scheme != PF_TREE_UD || roles_of(of->tree, of->node) & INDEPENDENT) return false;
    return !is_child(of, block, CLAUSAL) && holds_relative(of->tree, block);
}

/* Words may hang on a particle ("bezig met ..."), and move with it; a unit of several words ("in brand") stays. */
static bool is_particle(const clause *of, uint32_t block) {
    return is_child(of, block, PARTICLE) && of->tree->node[block].words == 1;
}

static bool is_negation(const clause *of, uint32_t block) {
    return is_child(of, block, MODIFIER) && features(of, block) & PF_WORD_NEGATIVE;
}

static bool is_finite(const clause *of, uint32_t block) {
    return (block == of->node || is_child(of, block, AUXILIARY)) && features(of, block) & PF_WORD_FINITE;
}

static bool is_subject(const clause *of, uint32_t block) { return is_child(of, block, SUBJECT); }
static bool is_auxiliary(const clause *of, uint32_t block) { return is_child(of, block, AUXILIARY); }

static uint32_t leftmost(const clause *of, bool is(const clause *of, uint32_t block)) {
    for (uint32_t i = 0; i < of->n; i++)
        if (is(of, of->block[i])) return of->block[i];
    return PF_TREE_NONE;
}

/* ---- moves ---- */

static uint32_t place(const clause *of, uint32_t block) {
    uint32_t at = 0;
    while (at < of->n && of->block[at] != block) at++;
    return at;
}

/* Moves a block so that it stands before what is at the place `to` now. */
static void move(const clause *of, uint32_t from, uint32_t to) {
    assert(from < of->n && to <= of->n);
    uint32_t block = of->block[from];
    if (from < to) memmove(of->block + from, of->block + from + 1, (--to - from) * sizeof block);
    else memmove(of->block + to + 1, of->block + to, (from - to) * sizeof block);
    of->block[to] = block;
}

static void put_behind(const clause *of, uint32_t block, uint32_t other) { move(of, place(of, block), place(of, other) + 1); }
static void put_before(const clause *of, uint32_t block, uint32_t other) { move(of, place(of, block), place(of, other)); }

/* ---- the rules ---- */

/* 1: the verb, with a particle ("zu") directly before it, after the last of the finite verb, the subject and the complementizer
 * that stand before it, else to the front. */
static void verb_initial(const clause *of) {
    const uint32_t before[] = {of->finite, of->subject, of->complementizer};
    uint32_t verb = place(of, of->node), to = 0, from = verb;
    if (!(features(of, of->node) & PF_WORD_VERB) || of->finite == of->node) return;
    for (size_t at = 0; at < 3; at++)
        if (before[at] != PF_TREE_NONE && place(of, before[at]) < verb && place(of, before[at]) + 1 > to)
            to = place(of, before[at]) + 1;
    if (verb && is_child(of, of->block[verb - 1], MARK) && features(of, of->block[verb - 1]) & PF_WORD_PARTICLE) from--;
    for (; from > to && from <= verb; from++, to++) move(of, from, to);
}

/* 2: the finite verb after the complementizer. */
static void verb_second(const clause *of) {
    if (of->finite == PF_TREE_NONE) return;
    if (of->at_front) move(of, place(of, of->finite), 0);
    else if (of->complementizer != PF_TREE_NONE) put_behind(of, of->finite, of->complementizer);
}

/* 3: the subject before the finite verb. */
static void move_subject(const clause *of) {
    if (of->subject == PF_TREE_NONE || of->finite == PF_TREE_NONE || of->subject == of->complementizer) return;
    put_before(of, of->subject, of->finite);
}

/* 4: a particle before its finite verb. */
static void move_particle(const clause *of) {
    if (of->finite == of->node && of->particle != PF_TREE_NONE) put_before(of, of->particle, of->node);
}

static bool is_infinite_verb(const clause *of) {
    return (features(of, of->node) & (PF_WORD_VERB | PF_WORD_FINITE)) == PF_WORD_VERB;
}

/* 5: an infinite verb after the finite one, over its subject and objects. */
static void move_infinitive(const clause *of) {
    uint32_t finite = place(of, of->finite), verb = place(of, of->node);
    bool argument = false;
    if (!is_infinite_verb(of) || of->finite == PF_TREE_NONE) return;
    for (uint32_t i = finite + 1; i < verb; i++) argument = argument || is_child(of, of->block[i], ARGUMENT);
    if (argument) put_behind(of, of->node, of->finite);
}

/* 6: the negation of an infinite verb after the finite one. */
static void move_negation(const clause *of) {
    if (!is_infinite_verb(of) || of->finite == PF_TREE_NONE) return;
    if (of->negation != PF_TREE_NONE) put_behind(of, of->negation, of->finite);
}

pf_err pfi_tree_collins(const pf_tree *tree, uint32_t *order) {
    static void (*const rules[])(const clause *of) = {verb_initial, verb_second, move_subject,
                                                      move_particle, move_infinitive, move_negation};
    for (uint32_t node = 0; node < tree->nodes; node++) {
        clause of = {.tree = tree, .node = node, .block = order + tree->node[node].blocks, .n = tree->node[node].n_blocks};
        if (!(features(&of, node) & PF_WORD_VERB) && leftmost(&of, is_auxiliary) == PF_TREE_NONE) continue;
        of.at_front = features(&of, node) & PF_WORD_CLAUSE;
        of.finite = leftmost(&of, is_finite);
        of.subject = leftmost(&of, is_subject);
        of.complementizer = leftmost(&of, is_complementizer);
        of.particle = leftmost(&of, is_particle);
        of.negation = leftmost(&of, is_negation);
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&of);
    }
    return PF_OK;
}
