/* Scoring with a back-off model: p(x | h) is that of the n-gram h x if it is listed, else the back-off weight of h times
 * p(x | h without its first word) (Katz 1987; Chen & Goodman 1998, §2). One word costs a binary search in each of at
 * most `order` states. */
#include "model/ngram_impl.h"

#include <assert.h>
#include <stdlib.h>

#define NO_ARC UINT32_MAX

/* The first arc in [low, high) whose word is not below x. The branch is left to the compiler to turn into a move: taken
 * or not, it can't be foretold. */
static uint32_t lower(const pfi_ngram *m, uint32_t low, uint32_t high, uint32_t x) {
    const uint32_t *at = m->word.at + low;
    uint32_t n = high - low;
    for (; n > 1; n -= n / 2) at += at[n / 2 - 1] < x ? n / 2 : 0;
    return (uint32_t)(at - m->word.at) + (n && *at < x);
}

static uint32_t find(const pfi_ngram *m, pf_state s, uint32_t x) {
    if (!s) return x - 1;
    uint32_t end = m->first.at[s + 1], a = lower(m, m->first.at[s], end, x);
    return a < end && m->word.at[a] == x ? a : NO_ARC;
}

/* The arc by which x leaves s, from s or the nearest back-off state that has one; *s becomes that state. */
static uint32_t walk(const pfi_ngram *m, pf_state *s, pf_label x, double *back) {
    assert(x > 0 && (size_t)x <= m->first.at[1]);
    uint32_t a;
    *back = 0;
    while ((a = find(m, *s, (uint32_t)x)) == NO_ARC) {
        *back += m->back.at[*s];
        *s = m->fail.at[*s];
    }
    return a;
}

double pfi_ngram_follow(const pfi_ngram *m, pf_state s, pf_label x, pf_state *to) {
    double back;
    uint32_t a = walk(m, &s, x, &back);
    *to = m->to.at[a];
    return back + m->cost.at[a];
}

static double step(pf_scorer *scorer, pf_state s, pf_label x, pf_state *to) { return pfi_ngram_follow(scorer->model, s, x, to); }

static double final(pf_scorer *scorer, pf_state s) {
    const pfi_ngram *m = scorer->model;
    pf_state to;
    return pfi_ngram_follow(m, s, m->end, &to);
}

pf_state pf_ngram_start(const pf_model *model) {
    assert(model->cls == &pf_ngram_class);
    return ((const pfi_ngram *)model->self)->start;
}

double pf_ngram_step(const pf_model *model, pf_state s, pf_label x, pf_state *to, unsigned *matched) {
    const pfi_ngram *m = model->self;
    double back;
    uint32_t a = walk(m, &s, x, &back);
    *matched = 1;
    while (s >= m->level.at[*matched - 1]) ++*matched;
    *to = m->to.at[a];
    return back + m->cost.at[a];
}

static unsigned bits(uint32_t x) { return x ? 32 - (unsigned)__builtin_clz(x) : 0; }

/* A row whose words were looked for in some states; `left` are not found, those with to[i] = PF_NO_STATE. */
typedef struct {
    const pf_label *x;
    unsigned n, left;
    double back;
    double *w;
    pf_state *to;
} row_search;

static void take(const pfi_ngram *m, row_search *r, unsigned i, uint32_t a) {
    if (r->to[i] != PF_NO_STATE) return; /* a longer history had it */
    r->w[i] = r->back + m->cost.at[a];
    r->to[i] = m->to.at[a];
    r->left--;
}

/* The words that state s has: a merge of two ascending lists, or one search a word where the state's list is long. */
static void row_of(const pfi_ngram *m, pf_state s, row_search *r) {
    uint32_t a = m->first.at[s], end = m->first.at[s + 1];
    if ((uint64_t)r->left * bits(end - a) < (uint64_t)(end - a) + r->n) {
        for (unsigned i = 0; i < r->n && a < end; i++) {
            if (r->to[i] != PF_NO_STATE) continue;
            a = lower(m, a, end, (uint32_t)r->x[i]);
            if (a < end && m->word.at[a] == (uint32_t)r->x[i]) take(m, r, i, a++);
        }
        return;
    }
    for (unsigned i = 0; i < r->n && a < end;) {
        uint32_t x = (uint32_t)r->x[i];
        if (m->word.at[a] < x) a++;
        else if (m->word.at[a] > x) i++;
        else take(m, r, i++, a++);
    }
}

static void row(pf_scorer *scorer, pf_state s, const pf_label *x, unsigned n, double *w, pf_state *to) {
    const pfi_ngram *m = scorer->model;
    row_search r = {x, n, n, 0, w, to};
    for (unsigned i = 0; i < n; i++) to[i] = PF_NO_STATE;
    for (; s && r.left; s = m->fail.at[s]) {
        row_of(m, s, &r);
        r.back += m->back.at[s];
    }
    for (unsigned i = 0; i < n && r.left; i++) take(m, &r, i, (uint32_t)x[i] - 1);
}

static pf_state start(const pf_scorer *scorer) { return ((const pfi_ngram *)scorer->model)->start; }
static const pf_symtab *words(const void *self) { return ((const pfi_ngram *)self)->words; }
static pf_label unknown(const void *self) { return ((const pfi_ngram *)self)->unknown; }

static pf_label label(const void *self, const char *word, size_t length) {
    const pfi_ngram *m = self;
    pf_label x = pf_symtab_find(m->words, word, length);
    return x == PF_NO_LABEL || x == m->begin || x == m->end ? m->unknown : x;
}

static pf_label label_of(const pf_scorer *scorer, const char *word, size_t n) { return label(scorer->model, word, n); }
static bool nonnegative(const pf_scorer *scorer) { return pfi_ngram_nonnegative(scorer->model); }

/* ---- the middle of a sentence ---- */

static pf_state empty(const pf_scorer *scorer) {
    (void)scorer;
    return 0;
}

static unsigned reach(const pf_scorer *scorer) { return (unsigned)((const pfi_ngram *)scorer->model)->count.n - 1; }

/* Is state s a history of n words? */
static bool has_length(const pfi_ngram *m, pf_state s, unsigned n) { return s < m->level.at[n] && (!n || s >= m->level.at[n - 1]); }

/* Where every history without its first word is a history, no longer one ends in words that are none; and one that ends in the
 * history s backs off to s, or to one that does. Elsewhere only the number of words tells, so that still what is open for some
 * words is open for their end. */
static bool is_open(const pf_scorer *scorer, pf_state s, unsigned n) {
    const pfi_ngram *m = scorer->model;
    if (n >= m->level.n - 1) return false;
    return m->gaps || (has_length(m, s, n) && m->longer[s / 8] >> s % 8 & 1);
}

/* Which histories another backs off to, and whether some back off by more than one word. */
pf_err pfi_ngram_mark_longer(pfi_ngram *m) {
    size_t states = pfi_ngram_states(m);
    if (!(m->longer = calloc(states / 8 + 1, 1))) return pf_nomem();
    m->gaps = false;
    for (size_t s = 1, k = 1; s < states; s++) {
        while (s >= m->level.at[k]) k++;
        m->longer[m->fail.at[s] / 8] |= (unsigned char)(1 << m->fail.at[s] % 8);
        m->gaps = m->gaps || !has_length(m, m->fail.at[s], (unsigned)k - 1);
    }
    return PF_OK;
}

static const pf_scorer_class scorer_class = {
    .start = start,
    .step = step,
    .row = row,
    .final = final,
    .label = label_of,
    .nonnegative = nonnegative,
    .empty = empty,
    .reach = reach,
    .open = is_open,
};

static pf_err scorer(const void *self, pf_scorer *out) {
    *out = (pf_scorer){.cls = &scorer_class, .model = self};
    return PF_OK;
}

pf_err pfi_ngram_new(pfi_ngram **out) {
    pfi_ngram *m = calloc(1, sizeof *m);
    if (!m || !(m->nonnegative = calloc(1, sizeof *m->nonnegative))) {
        free(m);
        return pf_nomem();
    }
    *out = m;
    return PF_OK;
}

bool pfi_ngram_marks(pfi_ngram *m) {
    m->begin = pf_symtab_find(m->words, "<s>", 3);
    m->end = pf_symtab_find(m->words, "</s>", 4);
    m->unknown = pf_symtab_find(m->words, "<unk>", 5);
    if (m->unknown == PF_NO_LABEL) m->unknown = pf_symtab_find(m->words, "<UNK>", 5);
    m->start = m->begin == PF_NO_LABEL ? 0 : m->to.at[m->begin - 1];
    return m->end != PF_NO_LABEL && m->unknown != PF_NO_LABEL;
}

unsigned pf_ngram_order(const pf_model *model) {
    assert(model->cls == &pf_ngram_class);
    return (unsigned)((const pfi_ngram *)model->self)->count.n;
}

uint64_t pf_ngram_count(const pf_model *model, unsigned k) {
    assert(k >= 1 && k <= pf_ngram_order(model));
    return ((const pfi_ngram *)model->self)->count.at[k - 1];
}

static void describe(const void *self, pf_writer *text) {
    const pfi_ngram *m = self;
    size_t states = pfi_ngram_states(m), a = m->word.n;
    pf_writer_text(text, "order\t%zu\n", m->count.n);
    for (size_t k = 0; k < m->count.n; k++)
        pf_writer_text(text, "%zu-grams\t%llu\n", k + 1, (unsigned long long)m->count.at[k]);
    pf_writer_text(text, "words\t%zu\n", pf_symtab_count(m->words));
    pf_writer_text(text, "states\t%zu\n", states);
    pf_writer_text(text, "arcs\t%zu\n", a);
    pf_writer_text(text, "bytes\t%zu\n", a * (2 * sizeof(uint32_t) + sizeof(float)) +
                                             states * (2 * sizeof(uint32_t) + sizeof(float)));
}

void pfi_ngram_free(pfi_ngram *m) {
    if (!m) return;
    pf_symtab_free(m->words);
    PF_VEC_FREE(&m->count);
    PF_VEC_FREE(&m->level);
    PF_VEC_FREE(&m->first);
    PF_VEC_FREE(&m->back);
    PF_VEC_FREE(&m->fail);
    PF_VEC_FREE(&m->word);
    PF_VEC_FREE(&m->cost);
    PF_VEC_FREE(&m->to);
    free(m->longer);
    free(m->nonnegative);
    free(m);
}

static void free_self(void *self) { pfi_ngram_free(self); }

static bool all_finite(const void *self) {
    const pfi_ngram *m = self;
    for (size_t a = 0; a < m->cost.n; a++)
        if (m->cost.at[a] == INFINITY) return false;
    for (size_t s = 0; s < m->back.n; s++)
        if (m->back.at[s] == INFINITY) return false;
    return true;
}

const pf_model_class pf_ngram_class = {
    .name = "ngram",
    .scorer = scorer,
    .finite = all_finite,
    .write = pfi_ngram_write,
    .read = pfi_ngram_read,
    .expand = pfi_ngram_expand,
    .words = words,
    .label = label,
    .unknown = unknown,
    .describe = describe,
    .free = free_self,
};
