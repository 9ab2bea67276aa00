/* The inside of a rule table, for the files that learn, read, write and apply rules.
 *
 * Tag sequences are paths of a trie: a node is made of the one before it and a tag. A rule is a node and a reordering. */
#ifndef PFI_RULES_RULES_IMPL_H
#define PFI_RULES_RULES_IMPL_H

#include <permfst/base/statetab.h>
#include <permfst/permute/input.h>
#include <permfst/rules/rules.h>

#include <string.h>

enum { PFI_RULES_ROOT = 0, PFI_RULE_FORMAT = 1 };
#define PFI_NO_NODE UINT32_MAX

struct pf_rules {
    pf_rule_options options;
    pf_lexicon *own;              /* the lexicon, where it was read */
    pf_rules_left_out left_out;
    pf_statetab tag, child, rule; /* strings; node << 32 | tag, whose id + 1 is the node; a node and positions of 16 bits */
    PF_VEC(uint64_t) total;       /* of each node: occurrences */
    PF_VEC(bool) listed;          /* of each node: are they asked for? */
    PF_VEC(uint64_t) count;       /* of each rule */
    PF_VEC(double) cost;
    PF_VEC(uint32_t) ids;         /* scratch: the tags of a sentence */
    PF_VEC(uint16_t) scratch;     /* the key of a rule */
    /* when finished: */
    PF_VEC(uint32_t) by_path;     /* rules in the order of their reorderings, whose places here are their ranks */
    PF_VEC(uint32_t) rank;        /* of the rules of each node, node by node */
    PF_VEC(uint32_t) first;       /* of each node: where its ranks begin; one more */
};

/* The node of tags[0..count), which is added if it is new. */
pf_err pfi_rules_node(pf_rules *rules, const pf_word *tags, size_t count, uint32_t *node);

/* The ids of tags, UINT32_MAX for unknown ones; and the node that follows another by a tag, or PFI_NO_NODE. */
void pfi_rules_ids(const pf_rules *rules, const pf_words *tags, uint32_t *ids);
static inline uint32_t pfi_rules_step(const pf_rules *rules, uint32_t node, uint32_t tag) {
    uint64_t key = (uint64_t)node << 32 | tag;
    uint32_t id = tag == UINT32_MAX ? UINT32_MAX : pf_statetab_find(&rules->child, &key, sizeof key);
    return id == UINT32_MAX ? PFI_NO_NODE : id + 1;
}

/* `count` times PF_ONE_TAG. */
pf_err pfi_one_tags(pf_words *tags, size_t count);

/* The rule of a node and perm[first..first + length), a permutation of the positions first..first + length - 1; added if
 * it is new. */
pf_err pfi_rules_rule(pf_rules *rules, uint32_t node, const unsigned *perm, unsigned first, unsigned length, uint32_t *rule,
                      int *fresh);

/* The node of a rule, its length, and its position at a step, from 0. */
static inline uint32_t pfi_rule_node(const pf_rules *rules, uint32_t rule) {
    size_t n;
    uint32_t node;
    memcpy(&node, pf_statetab_key(&rules->rule, rule, &n), sizeof node);
    return node;
}
static inline unsigned pfi_rule_length(const pf_rules *rules, uint32_t rule) {
    size_t n;
    pf_statetab_key(&rules->rule, rule, &n);
    return (unsigned)((n - sizeof(uint32_t)) / sizeof(uint16_t));
}
static inline unsigned pfi_rule_at(const pf_rules *rules, uint32_t rule, unsigned step) {
    size_t n;
    uint16_t value;
    memcpy(&value, (const char *)pf_statetab_key(&rules->rule, rule, &n) + sizeof(uint32_t) + step * sizeof value, sizeof value);
    return value;
}

/* The ranks of the rules that cost at most max_cost, for matching; the others are counted as too costly. O(rules log rules). */
pf_err pfi_rules_index(pf_rules *rules);

double pfi_cost_round(double cost);
double pfi_rule_cost(uint64_t count, uint64_t total);

/* The lines with the options: of rule files, and of the lines of a map (`map`), which have no cost. */
pf_err pfi_rules_header_write(pf_writer *writer, const pf_rule_options *options, bool map);
/* *lexicon belongs to the caller, NULL: none; out->lexicon is the same. PF_EINPUT. */
pf_err pfi_rules_header_read(const pf_reader *reader, char *line, size_t length, bool map, pf_rule_options *out,
                             pf_lexicon **lexicon);

/* A line's fields, separated by tabs; returns how many there are, of which at most `most` are stored. */
size_t pfi_fields(const char *line, size_t length, pf_word *field, size_t most);

/* Splits the tags and the reordering of a rule: at least two, as many of both, and the reordering is minimal. */
typedef struct {
    pf_words tags, numbers;
    pf_permutation perm;
} pfi_rule_line;
pf_err pfi_rule_parse(const pf_reader *reader, const pf_word *tags, const pf_word *perm, pfi_rule_line *out);
void pfi_rule_line_free(pfi_rule_line *line);

/* A count of at least 1: PF_EINPUT. */
pf_err pfi_count_parse(const pf_reader *reader, const pf_word *field, uint64_t *out);

/* Is perm[0..length) a permutation of 0..length - 1? For PFI_CHECK; O(length), and false if there is no memory to tell. */
bool pfi_is_permutation(const unsigned *perm, unsigned length);

/* Writes a rule as its line; tags and reordering are given as text. */
pf_err pfi_rule_write(pf_writer *writer, const pf_word *text, double cost, uint64_t count, uint64_t total);

/* The numbers of perm[first..first + n) from 1, with blanks between; and the tags of a node. Appended to `text`. */
typedef PF_VEC(char) pfi_text;
pf_err pfi_text_put(pfi_text *text, const char *at, size_t length);
pf_err pfi_text_number(pfi_text *text, unsigned value);
pf_err pfi_text_tags(const pf_rules *rules, uint32_t node, pfi_text *text);

#endif
