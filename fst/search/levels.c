/* Best paths of a layered machine, level by level (dynamic programming over coverage and history).
 *
 * A hypothesis is (state of the automaton, state of the model). The automaton's states of one level are taken together;
 * for each state of the next level, the arcs into it are gathered and every hypothesis behind each arc is relaxed in one
 * loop. The model's states are renumbered per sentence and each has a row: cost and next state for each word of the
 * sentence, filled once by one call, so a relaxation is an array look-up, an addition and a comparison. In memory: two
 * levels, the rows, and the back-pointers. */
#include "ops/labelmap.h"
#include "ops/score.h"
#include "search/graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t node; /* in the graph */
    uint32_t row;  /* the model's state */
} hypothesis;

typedef struct {
    pf_state state;  /* of the automaton */
    size_t first, n; /* its hypotheses */
} block;

typedef struct {
    uint32_t target;  /* block of the next level */
    uint32_t source;  /* block of this one */
    const pf_arc *arc;
} link;

/* The model, seen from one sentence. Column `width` - 1 is epsilon. */
typedef struct {
    const pf_model *model;   /* NULL: costs nothing */
    const pf_fst *fst;       /* for its alphabet */
    uint32_t *column;        /* of each letter of the alphabet */
    pf_label *word;          /* of each column, ascending: the model's labels */
    unsigned words, width;
    pf_statetab rows;        /* states of the model -> rows */
    PF_VEC(double) filled;   /* per row: its final cost; NAN while the row is empty */
    PF_VEC(double) w;        /* rows x width */
    PF_VEC(uint32_t) to;     /* rows x width, rows */
    double *w_scratch;
    pf_state *to_scratch;
} table;

typedef struct {
    pf_fst *fst; /* the automaton */
    const pf_best_options *options;
    pfi_graph graph;
    table table;
    PF_VEC(block) level, next;
    PF_VEC(hypothesis) hyps, next_hyps;
    PF_VEC(link) links, sorted;
    PF_VEC(uint32_t) place;   /* of each automaton state: its block in the level it belongs to */
    PF_VEC(uint32_t) slot;    /* of each row: its hypothesis in the block being filled */
    PF_VEC(uint32_t) stamp;   /* of each row: the block `slot` speaks of */
    uint32_t stamps;
    uint32_t end;             /* node; PFI_NO_EDGE until a path has ended */
    bool pruned;
    uint64_t arcs;
} search;

/* ---- the table of rows ---- */

static int by_label(const void *a, const void *b) {
    pf_label x = *(const pf_label *)a, y = *(const pf_label *)b;
    return (x > y) - (x < y);
}

static uint32_t position(const pf_label *sorted, size_t n, pf_label x) {
    size_t low = 0;
    while (n > 1) {
        size_t half = n / 2;
        if (sorted[low + half] <= x) low += half;
        n -= half;
    }
    return (uint32_t)low;
}

/* The model's labels of the alphabet, ascending and each once; then the column of each letter. */
static pf_err set_columns(table *t) {
    size_t letters = t->fst->alphabet.n;
    pf_labelmap map;
    pf_err err = PF_OK;
    pf_label *of = calloc(letters + 1, sizeof *of);
    t->word = calloc(letters + 1, sizeof *t->word);
    t->column = calloc(letters + 1, sizeof *t->column);
    if (!of || !t->word || !t->column) {
        free(of);
        return pf_nomem();
    }
    if (t->model) err = pf_labelmap_model(&map, t->fst->osyms, t->model);
    for (size_t i = 0; !err && t->model && i < letters; i++) {
        err = pf_labelmap_get(&map, t->fst->alphabet.at[i], &of[i]);
        if (!err && of[i] != PF_EPSILON) t->word[t->words++] = of[i];
    }
    if (t->model) pf_labelmap_free(&map);
    qsort(t->word, t->words, sizeof *t->word, by_label);
    unsigned n = 0;
    for (unsigned i = 0; i < t->words; i++)
        if (!n || t->word[n - 1] != t->word[i]) t->word[n++] = t->word[i];
    t->words = n;
    t->width = n + 1;
    for (size_t i = 0; i < letters; i++) t->column[i] = of[i] == PF_EPSILON ? n : position(t->word, n, of[i]);
    free(of);
    return err;
}

static pf_err row_of(table *t, pf_state s, uint32_t *row) {
    int fresh;
    PF_TRY(pf_statetab_intern(&t->rows, &s, sizeof s, row, &fresh));
    if (!fresh) return PF_OK;
    PF_TRY(PF_ROOM(&t->w, t->width));
    PF_TRY(PF_ROOM(&t->to, t->width));
    t->w.n += t->width;
    t->to.n += t->width;
    return PF_PUSH(&t->filled, (double)NAN);
}

static pf_err fill_row(table *t, uint32_t row) {
    size_t length;
    pf_state s;
    memcpy(&s, pf_statetab_key(&t->rows, row, &length), sizeof s);
    if (t->words) t->model->cls->row(t->model->self, s, t->word, t->words, t->w_scratch, t->to_scratch);
    for (unsigned i = 0; i < t->words; i++) {
        uint32_t to;
        PF_TRY(row_of(t, t->to_scratch[i], &to));
        t->w.at[(size_t)row * t->width + i] = t->w_scratch[i];
        t->to.at[(size_t)row * t->width + i] = to;
    }
    t->w.at[(size_t)row * t->width + t->words] = 0;
    t->to.at[(size_t)row * t->width + t->words] = row;
    t->filled.at[row] = t->model ? t->model->cls->final(t->model->self, s) : 0;
    return PF_OK;
}

static pf_err table_init(table *t, pf_fst *fst, const pf_model *model, uint32_t *start) {
    t->fst = fst;
    t->model = model;
    pf_statetab_init(&t->rows, sizeof(pf_state));
    PF_TRY(set_columns(t));
    t->w_scratch = calloc(t->width, sizeof *t->w_scratch);
    t->to_scratch = calloc(t->width, sizeof *t->to_scratch);
    if (!t->w_scratch || !t->to_scratch) return pf_nomem();
    return row_of(t, model ? model->cls->start(model->self) : 0, start);
}

static void table_free(table *t) {
    free(t->column);
    free(t->word);
    pf_statetab_free(&t->rows);
    PF_VEC_FREE(&t->filled);
    PF_VEC_FREE(&t->w);
    PF_VEC_FREE(&t->to);
    free(t->w_scratch);
    free(t->to_scratch);
}

/* ---- levels ---- */

static pf_err check_limit(const search *s) {
    if (s->options->max_states && s->graph.nodes.n > s->options->max_states)
        return pf_fail(PF_ELIMIT, "the limit of %llu states is reached", (unsigned long long)s->options->max_states);
    return PF_OK;
}

/* Final weights of the level, as edges to the end. */
static pf_err finish_paths(search *s) {
    for (size_t i = 0; i < s->level.n; i++) {
        const block *b = &s->level.at[i];
        float final = pf_fst_final(s->fst, b->state);
        if (final == INFINITY) continue;
        if (s->end == PFI_NO_EDGE) PF_TRY(pfi_graph_node(&s->graph, &s->end));
        for (size_t h = b->first; h < b->first + b->n; h++) {
            const hypothesis *hyp = &s->hyps.at[h];
            float w = (float)((double)final + s->table.filled.at[hyp->row]);
            pfi_step step = {s->graph.nodes.at[hyp->node].cost + (double)w, hyp->node, PF_EPSILON, PF_EPSILON, w};
            bool won;
            if (w < INFINITY) PF_TRY(pfi_graph_offer(&s->graph, s->end, &step, s->options->n > 1, &won));
        }
    }
    return PF_OK;
}

/* The arcs of the level, and a block for each state they lead to. */
static pf_err collect_links(search *s) {
    s->next.n = s->links.n = 0;
    for (size_t i = 0; i < s->level.n; i++) {
        pf_arcs a = pf_fst_arcs(s->fst, s->level.at[i].state);
        PF_TRY(pf_fst_error(s->fst));
        PF_TRY(PF_ROOM(&s->links, a.n));
        for (uint32_t k = 0; k < a.n; k++) {
            pf_state to = a.arc[k].to;
            while (s->place.n <= to) PF_TRY(PF_PUSH(&s->place, UINT32_MAX));
            if (s->place.at[to] == UINT32_MAX) {
                block b = {to, 0, 0};
                s->place.at[to] = (uint32_t)s->next.n;
                PF_TRY(PF_PUSH(&s->next, b));
            }
            s->links.at[s->links.n++] = (link){s->place.at[to], (uint32_t)i, &a.arc[k]};
        }
    }
    return PF_OK;
}

/* Counting sort of the links by target; block.first counts, then points. Afterwards the links of target i are
 * sorted[next[i-1].first .. next[i].first). */
static pf_err sort_links(search *s) {
    s->sorted.n = 0;
    PF_TRY(PF_ROOM(&s->sorted, s->links.n));
    for (size_t i = 0; i < s->links.n; i++) s->next.at[s->links.at[i].target].first++;
    size_t sum = 0;
    for (size_t i = 0; i < s->next.n; i++) {
        size_t count = s->next.at[i].first;
        s->next.at[i].first = sum;
        sum += count;
    }
    for (size_t i = 0; i < s->links.n; i++) s->sorted.at[s->next.at[s->links.at[i].target].first++] = s->links.at[i];
    s->sorted.n = s->links.n;
    return PF_OK;
}

/* Rows may have been added: room for their slots. */
static pf_err grow_slots(search *s) {
    size_t rows = s->table.filled.n;
    PF_TRY(pf_vec_reserve(&s->slot.at, &s->slot.cap, rows, sizeof *s->slot.at));
    PF_TRY(pf_vec_reserve(&s->stamp.at, &s->stamp.cap, rows, sizeof *s->stamp.at));
    for (; s->stamp.n < rows; s->stamp.n++) s->stamp.at[s->stamp.n] = 0;
    return PF_OK;
}

/* All hypotheses of one block over one arc. */
static pf_err relax(search *s, const link *l) {
    const block *from = &s->level.at[l->source];
    const table *t = &s->table;
    const pf_arc *a = l->arc;
    double arc_w = (double)a->w;
    uint32_t column = t->column[position(t->fst->alphabet.at, t->fst->alphabet.n, a->out)];
    s->arcs += from->n;
    for (size_t h = from->first; h < from->first + from->n; h++) {
        hypothesis hyp = s->hyps.at[h];
        size_t cell = (size_t)hyp.row * t->width + column;
        float w = (float)(arc_w + t->w.at[cell]);
        uint32_t row = t->to.at[cell];
        pfi_step step = {s->graph.nodes.at[hyp.node].cost + (double)w, hyp.node, a->in, a->out, w};
        bool won;
        if (step.cost == (double)INFINITY) continue;
        if (s->stamp.at[row] != s->stamps) {
            hypothesis fresh = {0, row};
            s->stamp.at[row] = s->stamps;
            PF_TRY(pfi_graph_node(&s->graph, &fresh.node));
            s->slot.at[row] = fresh.node;
            PF_TRY(PF_PUSH(&s->next_hyps, fresh));
        } else if (s->options->n <= 1 && step.cost > s->graph.nodes.at[s->slot.at[row]].cost) continue;
        PF_TRY(pfi_graph_offer(&s->graph, s->slot.at[row], &step, s->options->n > 1, &won));
    }
    return PF_OK;
}

static pf_err relax_level(search *s) {
    size_t at = 0;
    s->next_hyps.n = 0;
    for (size_t i = 0; i < s->next.n; i++) {
        block *b = &s->next.at[i];
        size_t links_end = b->first;
        b->first = s->next_hyps.n;
        s->stamps++;
        for (; at < links_end; at++) PF_TRY(relax(s, &s->sorted.at[at]));
        b->n = s->next_hyps.n - b->first;
        PF_TRY(check_limit(s));
    }
    return PF_OK;
}

/* ---- the beam ---- */

static bool node_before(const pfi_graph *g, uint32_t a, uint32_t b) {
    const pfi_node *x = &g->nodes.at[a], *y = &g->nodes.at[b];
    if (x->cost != y->cost || a == b) return x->cost < y->cost;
    const pfi_edge *e = &g->edges.at[x->best], *f = &g->edges.at[y->best];
    pfi_step p = {0, e->from, e->in, e->out, e->w}, q = {0, f->from, f->in, f->out, f->w};
    return pfi_step_before(g, &p, &q);
}

static void swap(hypothesis *a, hypothesis *b) {
    hypothesis t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect: the k best of n come first, in any order. */
static void select_best(const pfi_graph *g, hypothesis *h, size_t n, size_t k) {
    while (n > 1 && k && k < n) {
        swap(&h[0], &h[n / 2]);
        size_t lower = 0;
        for (size_t i = 1; i < n; i++)
            if (node_before(g, h[i].node, h[0].node)) swap(&h[++lower], &h[i]);
        swap(&h[0], &h[lower]);
        if (lower >= k) n = lower;
        else {
            h += lower + 1;
            n -= lower + 1;
            k -= lower + 1;
        }
    }
}

/* Keeps the best hypotheses of the next level; the others lose their place in their blocks. */
static pf_err prune(search *s) {
    size_t n = s->next_hyps.n, beam = s->options->beam;
    if (!beam || n <= beam) return PF_OK;
    PF_VEC(hypothesis) all = {0};
    PF_TRY(PF_ROOM(&all, n));
    memcpy(all.at, s->next_hyps.at, n * sizeof *all.at);
    select_best(&s->graph, all.at, n, beam);
    for (size_t i = beam; i < n; i++) s->graph.nodes.at[all.at[i].node].cost = (double)INFINITY;
    PF_VEC_FREE(&all);
    size_t kept = 0;
    for (size_t i = 0; i < s->next.n; i++) {
        block *b = &s->next.at[i];
        size_t first = kept;
        for (size_t h = b->first; h < b->first + b->n; h++)
            if (s->graph.nodes.at[s->next_hyps.at[h].node].cost < (double)INFINITY)
                s->next_hyps.at[kept++] = s->next_hyps.at[h];
        b->first = first;
        b->n = kept - first;
    }
    s->next_hyps.n = kept;
    s->pruned = true;
    return PF_OK;
}

/* Blocks without hypotheses are not gone on from. */
static void drop_empty(search *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->next.n; i++)
        if (s->next.at[i].n) s->next.at[kept++] = s->next.at[i];
    s->next.n = kept;
}

static pf_err fill_rows(search *s) {
    for (size_t i = 0; i < s->hyps.n; i++)
        if (isnan(s->table.filled.at[s->hyps.at[i].row])) PF_TRY(fill_row(&s->table, s->hyps.at[i].row));
    return grow_slots(s);
}

#define SWAP(a, b)                         \
    do {                                   \
        unsigned char swap_[sizeof(a)];    \
        memcpy(swap_, &(a), sizeof swap_); \
        memcpy(&(a), &(b), sizeof swap_);  \
        memcpy(&(b), swap_, sizeof swap_); \
    } while (0)

static pf_err run(search *s) {
    block first = {s->fst->start, 0, 1};
    hypothesis root = {PFI_ROOT, 0};
    s->graph.osyms = s->fst->osyms;
    PF_TRY(pfi_graph_root(&s->graph));
    PF_TRY(PF_PUSH(&s->level, first));
    PF_TRY(PF_PUSH(&s->hyps, root));
    while (s->level.n) {
        PF_TRY(fill_rows(s));
        PF_TRY(collect_links(s));
        PF_TRY(finish_paths(s));
        PF_TRY(sort_links(s));
        PF_TRY(relax_level(s));
        PF_TRY(prune(s));
        drop_empty(s);
        SWAP(s->level, s->next);
        SWAP(s->hyps, s->next_hyps);
    }
    return PF_OK;
}

static void search_free(search *s) {
    pfi_graph_free(&s->graph);
    table_free(&s->table);
    PF_VEC_FREE(&s->level);
    PF_VEC_FREE(&s->next);
    PF_VEC_FREE(&s->hyps);
    PF_VEC_FREE(&s->next_hyps);
    PF_VEC_FREE(&s->links);
    PF_VEC_FREE(&s->sorted);
    PF_VEC_FREE(&s->place);
    PF_VEC_FREE(&s->slot);
    PF_VEC_FREE(&s->stamp);
}

pf_err pfi_best_levels(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    search s = {.fst = fst, .options = options, .end = PFI_NO_EDGE};
    const pf_model *model = NULL;
    uint32_t start;
    pf_score_parts(fst, &s.fst, &model);
    pf_err err = table_init(&s.table, s.fst, model, &start);
    if (!err) err = run(&s);
    out->states = s.graph.nodes.n;
    out->arcs = s.arcs;
    if (!err && s.end != PFI_NO_EDGE) err = pfi_graph_answer(&s.graph, s.end, options, out);
    if (!err && !s.pruned) out->bound = out->paths.n ? out->paths.at[0].cost : (double)INFINITY;
    search_free(&s);
    return err;
}
