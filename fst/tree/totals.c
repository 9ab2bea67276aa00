/* Sums, and a table of relations, which are listed by name. */
#include <permfst/tree/totals.h>

#include <permfst/base/vec.h>
#include <permfst/machine/symtab.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[PF_TREE_MODELS] = {"read-off", "full", "limited", "collins"};

typedef struct {
    uint64_t times, distance[PF_TREE_MODELS];
} relation_sums;

typedef struct {
    uint64_t changed, nodes, shd2;
} model_sums;

struct pf_tree_totals {
    uint64_t sentences, words, marks, nodes, broken, broken_sentences;
    model_sums model[PF_TREE_MODELS];
    pf_symtab *names;            /* of relations, */
    PF_VEC(relation_sums) relation; /* by label, from 1 */
    PF_VEC(uint32_t) order;      /* scratch */
    PF_VEC(unsigned) perm;
};

pf_err pf_tree_totals_new(pf_tree_totals **out) {
    pf_tree_totals *totals = *out = calloc(1, sizeof *totals);
    if (!totals) return pf_nomem();
    pf_err err = pf_symtab_new("relations", &totals->names);
    if (err) {
        free(totals);
        *out = NULL;
    }
    return err;
}

void pf_tree_totals_free(pf_tree_totals *totals) {
    if (!totals) return;
    pf_symtab_free(totals->names);
    PF_VEC_FREE(&totals->relation);
    PF_VEC_FREE(&totals->order);
    PF_VEC_FREE(&totals->perm);
    free(totals);
}

/* ---- adding ---- */

static pf_err find_relation(pf_tree_totals *totals, const char *name, size_t length, relation_sums **out) {
    pf_label label;
    PF_TRY(pf_symtab_add(totals->names, name, length, &label));
    PF_TRY(PF_ROOM(&totals->relation, 1));
    if ((size_t)label > totals->relation.n) totals->relation.at[totals->relation.n++] = (relation_sums){0};
    *out = &totals->relation.at[label - 1];
    return PF_OK;
}

/* The distances of the children of a node, from the unit outwards. */
static pf_err add_distances(pf_tree_totals *totals, const pf_tree *tree, uint32_t node, unsigned model) {
    const pf_tree_node *of = &tree->node[node];
    const uint32_t *block = totals->order.at + of->blocks;
    uint32_t at = 0;
    while (block[at] != node) at++;
    for (int side = 0; side < 2; side++) {
        uint64_t distance = 1;
        for (uint32_t k = 1; side ? at + k < of->n_blocks : k <= at; k++) {
            uint32_t child = block[side ? at + k : at - k];
            const char *name = pf_tree_relation(tree, child);
            relation_sums *sums;
            PF_TRY(find_relation(totals, name, strlen(name), &sums));
            sums->times += model == 0;
            sums->distance[model] += distance;
            distance += tree->node[child].size;
        }
    }
    return PF_OK;
}

static pf_err add_model(pf_tree_totals *totals, const pf_tree *tree, unsigned model) {
    bool changed = false;
    PF_TRY(pf_tree_order(tree, totals->order.at, totals->perm.at));
    for (unsigned i = 0; i < tree->n; i++) changed = changed || totals->perm.at[i] != i;
    totals->model[model].changed += changed;
    totals->model[model].shd2 += pf_tree_shd2(tree, totals->order.at);
    for (uint32_t v = 0; v < tree->nodes; v++) {
        const pf_tree_node *node = &tree->node[v];
        totals->model[model].nodes += memcmp(totals->order.at + node->blocks, tree->block + node->blocks,
                                             node->n_blocks * sizeof *tree->block) != 0;
        PF_TRY(add_distances(totals, tree, v, model));
    }
    return PF_OK;
}

pf_err pf_tree_totals_add(pf_tree_totals *totals, pf_reorderer *reorderer, const pf_tree *tree, double ratio) {
    const pf_tree_node *top = &tree->node[tree->nodes];
    unsigned broken;
    PF_TRY(pf_vec_reserve(&totals->order.at, &totals->order.cap, top->blocks + top->n_blocks + 1, sizeof *totals->order.at));
    PF_TRY(pf_vec_reserve(&totals->perm.at, &totals->perm.cap, tree->n + 1, sizeof *totals->perm.at));
    PF_TRY(pf_tree_discontinuous(tree, NULL, &broken));
    for (unsigned model = 0; model < PF_TREE_MODELS; model++) {
        pf_tree_rule rule = {(pf_tree_model)model, ratio};
        PF_TRY(pf_tree_reorder(reorderer, tree, &rule, totals->order.at));
        PF_TRY(add_model(totals, tree, model));
    }
    totals->sentences++;
    totals->words += tree->n;
    totals->nodes += tree->nodes;
    totals->broken += broken;
    totals->broken_sentences += broken > 0;
    for (unsigned j = 0; j < tree->n; j++) totals->marks += tree->word[j].node == PF_TREE_NONE;
    return PF_OK;
}

pf_err pf_tree_totals_join(pf_tree_totals *totals, const pf_tree_totals *others) {
    assert(totals != others);
    for (size_t at = 0; at < others->relation.n; at++) {
        size_t length;
        const char *name = pf_symtab_name(others->names, (pf_label)at + 1, &length);
        relation_sums *sums;
        PF_TRY(find_relation(totals, name, length, &sums));
        sums->times += others->relation.at[at].times;
        for (unsigned model = 0; model < PF_TREE_MODELS; model++) sums->distance[model] += others->relation.at[at].distance[model];
    }
    for (unsigned model = 0; model < PF_TREE_MODELS; model++) {
        totals->model[model].changed += others->model[model].changed;
        totals->model[model].nodes += others->model[model].nodes;
        totals->model[model].shd2 += others->model[model].shd2;
    }
    totals->sentences += others->sentences;
    totals->words += others->words;
    totals->marks += others->marks;
    totals->nodes += others->nodes;
    totals->broken += others->broken;
    totals->broken_sentences += others->broken_sentences;
    return PF_OK;
}

/* ---- writing ---- */

typedef unsigned long long number;

static double percent(uint64_t part, uint64_t all) { return all ? 100.0 * (double)part / (double)all : 0; }

static pf_err write_heading(pf_writer *writer, const char *first, const char *second) {
    PF_TRY(pf_writer_text(writer, "\n%s\t%s", first, second));
    for (unsigned m = 0; m < PF_TREE_MODELS; m++) PF_TRY(pf_writer_text(writer, "\t%s", names[m]));
    return pf_writer_put(writer, "\n", 1);
}

typedef struct {
    const char *name;
    size_t length;
    const relation_sums *sums;
} named_sums;

static int by_name(const void *first, const void *second) {
    const named_sums *one = first, *other = second;
    int order = memcmp(one->name, other->name, one->length < other->length ? one->length : other->length);
    return order ? order : (one->length > other->length) - (one->length < other->length);
}

static pf_err write_relations(const pf_tree_totals *totals, pf_writer *writer, named_sums *list) {
    for (size_t at = 0; at < totals->relation.n; at++) {
        list[at].name = pf_symtab_name(totals->names, (pf_label)at + 1, &list[at].length);
        list[at].sums = &totals->relation.at[at];
    }
    qsort(list, totals->relation.n, sizeof *list, by_name);
    for (size_t at = 0; at < totals->relation.n; at++) {
        PF_TRY(pf_writer_put(writer, list[at].name, list[at].length));
        PF_TRY(pf_writer_text(writer, "\t%llu", (number)list[at].sums->times));
        for (unsigned m = 0; m < PF_TREE_MODELS; m++)
            PF_TRY(pf_writer_text(writer, "\t%.2f", (double)list[at].sums->distance[m] / (double)list[at].sums->times));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

pf_err pf_tree_totals_write(const pf_tree_totals *totals, pf_writer *writer) {
    named_sums *list = malloc((totals->relation.n + 1) * sizeof *list);
    if (!list) return pf_nomem();
    pf_err err = pf_writer_text(writer,
                                "sentences\t%llu\nwords\t%llu\npunctuation left out\t%llu\nnodes\t%llu\n"
                                "discontinuous constituents\t%llu\nsentences with one\t%llu\t%.2f %%\n",
                                (number)totals->sentences, (number)totals->words, (number)totals->marks, (number)totals->nodes,
                                    (number)totals->broken,
                                (number)totals->broken_sentences, percent(totals->broken_sentences, totals->sentences));
    if (!err) err = pf_writer_text(writer, "\nmodel\tsentences changed\tshare\tnodes changed\tSHD2\n");
    for (unsigned model = 0; !err && model < PF_TREE_MODELS; model++)
        err = pf_writer_text(writer, "%s\t%llu\t%.2f %%\t%llu\t%llu\n", names[model], (number)totals->model[model].changed,
                             percent(totals->model[model].changed, totals->sentences), (number)totals->model[model].nodes,
                             (number)totals->model[model].shd2);
    if (!err) err = write_heading(writer, "mean distance", "n");
    if (!err) err = write_relations(totals, writer, list);
    free(list);
    return err;
}
