/* The rules of Collins et al. 2005 for German, as Zwarts & Dras 2006 (section 2.1) name them, on dependency trees: blocks of a clause
 * move, one rule after the other. A clause is a node whose unit is a verb, or that has an auxiliary or a copula. */
#include "tree/reorder_impl.h"

#include <permfst/base/vec.h>

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
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(table[i].relation);
        if (strncmp(relation, table[i].relation, length) == 0 && (!relation[length] || relation[length] == ':'))
            return table[i].roles;
    }
    return 0;
}

static bool is_child(const clause *c, uint32_t block, unsigned roles) {
    return block != c->node && (roles_of(c->tree, block) & roles);
}

/* Of a unit. One of several words is neither verb nor negation: Alpino gives tags to the words of an mwu, but none to itself. */
static unsigned features(const clause *c, uint32_t block) {
    unsigned of_word = c->tree->word[pf_tree_first(c->tree, block)].features;
    return c->tree->node[block].words == 1 ? of_word : of_word & PF_WORD_CLAUSE;
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

static bool is_complementizer(const clause *c, uint32_t block) {
    if (is_child(c, block, MARK)) return !(features(c, block) & PF_WORD_PARTICLE);
    if (block == c->node || c->tree->scheme != PF_TREE_UD || roles_of(c->tree, c->node) & INDEPENDENT) return false;
    return !is_child(c, block, CLAUSAL) && holds_relative(c->tree, block);
}

/* Words may hang on a particle ("bezig met ..."), and move with it; a unit of several words ("in brand") stays. */
static bool is_particle(const clause *c, uint32_t block) { return is_child(c, block, PARTICLE) && c->tree->node[block].words == 1; }

static bool is_negation(const clause *c, uint32_t block) {
    return is_child(c, block, MODIFIER) && features(c, block) & PF_WORD_NEGATIVE;
}

static bool is_finite(const clause *c, uint32_t block) {
    return (block == c->node || is_child(c, block, AUXILIARY)) && features(c, block) & PF_WORD_FINITE;
}

static bool is_subject(const clause *c, uint32_t block) { return is_child(c, block, SUBJECT); }
static bool is_auxiliary(const clause *c, uint32_t block) { return is_child(c, block, AUXILIARY); }

static uint32_t leftmost(const clause *c, bool is(const clause *c, uint32_t block)) {
    for (uint32_t i = 0; i < c->n; i++)
        if (is(c, c->block[i])) return c->block[i];
    return PF_TREE_NONE;
}

/* ---- moves ---- */

static uint32_t place(const clause *c, uint32_t block) {
    uint32_t i = 0;
    while (i < c->n && c->block[i] != block) i++;
    return i;
}

/* Moves a block so that it stands before what is at the place `to` now. */
static void move(const clause *c, uint32_t from, uint32_t to) {
    uint32_t block = c->block[from];
    if (from < to) memmove(c->block + from, c->block + from + 1, (--to - from) * sizeof block);
    else memmove(c->block + to + 1, c->block + to, (from - to) * sizeof block);
    c->block[to] = block;
}

static void put_behind(const clause *c, uint32_t block, uint32_t other) { move(c, place(c, block), place(c, other) + 1); }
static void put_before(const clause *c, uint32_t block, uint32_t other) { move(c, place(c, block), place(c, other)); }

/* ---- the rules ---- */

/* 1: the verb, with a particle ("zu") directly before it, behind the last of the finite verb, the subject and the complementizer that
 * stand before it, else to the front. */
static void verb_initial(const clause *c) {
    const uint32_t before[] = {c->finite, c->subject, c->complementizer};
    uint32_t verb = place(c, c->node), to = 0, from = verb;
    if (!(features(c, c->node) & PF_WORD_VERB) || c->finite == c->node) return;
    for (size_t i = 0; i < 3; i++)
        if (before[i] != PF_TREE_NONE && place(c, before[i]) < verb && place(c, before[i]) + 1 > to) to = place(c, before[i]) + 1;
    if (verb && is_child(c, c->block[verb - 1], MARK) && features(c, c->block[verb - 1]) & PF_WORD_PARTICLE) from--;
    for (; from > to && from <= verb; from++, to++) move(c, from, to);
}

/* 2: the finite verb behind the complementizer. */
static void verb_second(const clause *c) {
    if (c->finite == PF_TREE_NONE) return;
    if (c->at_front) move(c, place(c, c->finite), 0);
    else if (c->complementizer != PF_TREE_NONE) put_behind(c, c->finite, c->complementizer);
}

/* 3: the subject before the finite verb. */
static void move_subject(const clause *c) {
    if (c->subject == PF_TREE_NONE || c->finite == PF_TREE_NONE || c->subject == c->complementizer) return;
    put_before(c, c->subject, c->finite);
}

/* 4: a particle before its finite verb. */
static void move_particle(const clause *c) {
    if (c->finite == c->node && c->particle != PF_TREE_NONE) put_before(c, c->particle, c->node);
}

static bool is_infinite_verb(const clause *c) {
    return (features(c, c->node) & (PF_WORD_VERB | PF_WORD_FINITE)) == PF_WORD_VERB;
}

/* 5: an infinite verb behind the finite one, over its subject and objects. */
static void move_infinitive(const clause *c) {
    uint32_t finite = place(c, c->finite), verb = place(c, c->node);
    bool argument = false;
    if (!is_infinite_verb(c) || c->finite == PF_TREE_NONE) return;
    for (uint32_t i = finite + 1; i < verb; i++) argument = argument || is_child(c, c->block[i], ARGUMENT);
    if (argument) put_behind(c, c->node, c->finite);
}

/* 6: the negation of an infinite verb behind the finite one. */
static void move_negation(const clause *c) {
    if (!is_infinite_verb(c) || c->finite == PF_TREE_NONE) return;
    if (c->negation != PF_TREE_NONE) put_behind(c, c->negation, c->finite);
}

pf_err pfi_tree_collins(const pf_tree *tree, uint32_t *order) {
    static void (*const rules[])(const clause *c) = {verb_initial, verb_second, move_subject,
                                                     move_particle, move_infinitive, move_negation};
    for (uint32_t v = 0; v < tree->nodes; v++) {
        clause c = {.tree = tree, .node = v, .block = order + tree->node[v].blocks, .n = tree->node[v].n_blocks};
        if (!(features(&c, v) & PF_WORD_VERB) && leftmost(&c, is_auxiliary) == PF_TREE_NONE) continue;
        c.at_front = features(&c, v) & PF_WORD_CLAUSE;
        c.finite = leftmost(&c, is_finite);
        c.subject = leftmost(&c, is_subject);
        c.complementizer = leftmost(&c, is_complementizer);
        c.particle = leftmost(&c, is_particle);
        c.negation = leftmost(&c, is_negation);
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) rules[i](&c);
    }
    return PF_OK;
}
