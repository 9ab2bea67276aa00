/* Features of a pair are made as keys and looked up: two hash tables, of the texts of each column and of the keys. */
#include <permfst/learn/order_model.h>

#include <permfst/base/digits.h>

#include "base/contract.h"
#include "learn/learn_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_END, LAST_END };

const char *pf_learner_name(size_t learner) {
    static const char *const names[] = {"lr", "ap"};
    return learner < PF_LEARNERS ? names[learner] : NULL;
}

static pf_err add_ends(pf_order_model *model) {
    for (int k = 0; k < PF_COLUMNS; k++) {
        uint32_t id;
        pf_statetab_init(&model->value[k], 0);
        PF_TRY(pf_statetab_intern(&model->value[k], "<s>", 3, &id, NULL));
        PF_TRY(pf_statetab_intern(&model->value[k], "</s>", 4, &id, NULL));
    }
    return PF_OK;
}

static size_t most_atoms(const pf_templates *templates) {
    unsigned most = 0;
    for (size_t k = 0; k < templates->at.n; k++)
        if (templates->at.at[k].n > most) most = templates->at.at[k].n;
    return most;
}

pf_err pf_order_model_new(pf_learner learner, pf_templates *templates, pf_order_model **out) {
    pf_order_model *model = *out = calloc(1, sizeof *model);
    if (!model) {
        pf_templates_free(templates);
        return pf_nomem();
    }
    model->learner = learner;
    model->templates = *templates;
    *templates = (pf_templates){{0}};
    model->tags = pf_templates_tags(&model->templates);
    model->trees = pf_templates_trees(&model->templates);
    model->stride = 1 + most_atoms(&model->templates);
    pf_statetab_init(&model->feature, model->stride * sizeof(uint32_t));
    pf_err err = add_ends(model);
    if (err) {
        pf_order_model_free(model);
        *out = NULL;
    }
    return err;
}

void pf_order_model_free(pf_order_model *model) {
    if (!model) return;
    pf_templates_free(&model->templates);
    for (int k = 0; k < PF_COLUMNS; k++) pf_statetab_free(&model->value[k]);
    pf_statetab_free(&model->feature);
    PF_VEC_FREE(&model->weight);
    free(model);
}

pf_err pf_order_model_check(const pf_order_model *model, const char *name, unsigned tags, bool trees) {
    if (model->tags != tags)
        return pf_fail(PF_EARG, "%s has templates for %u column%s of tags: expected as many --tags, found %u", name, model->tags,
                       pf_plural(model->tags), tags);
    if (model->trees == trees) return PF_OK;
    return pf_fail(PF_EARG, model->trees ? "%s has templates for trees: expected --trees"
                   : "%s has no templates for trees: --trees has no effect",
                   name);
}

/* ---- a sentence in numbers ---- */

void pf_numbered_free(pf_numbered *sentence) {
    PF_VEC_FREE(&sentence->value);
    PF_VEC_FREE(&sentence->governor);
}

/* Has the model use of a column? */
static bool uses(const pf_order_model *model, unsigned column) {
    if (column == PF_COLUMN_WORDS) return true;
    return column < PF_COLUMN_TREE_TAG ? column < PF_COLUMN_TAGS + model->tags : model->trees;
}

/* What a line of a model file could not say. A word of a line has no blanks. */
static bool can_be_written(const pf_word *word) { return !memchr(word->at, '\r', word->n); }

static pf_err number_column(const pf_order_model *model, pf_order_model *growing, unsigned column, const pf_words *words,
                            pf_numbered *out) {
    PF_TRY(PF_ROOM(&out->value, words->n + 2));
    out->begin[column] = out->value.n;
    out->value.at[out->value.n++] = FIRST_END;
    for (size_t k = 0; k < words->n; k++) {
        uint32_t id;
        if (growing && !can_be_written(&words->at[k]))
            return pf_fail(PF_EINPUT, "word %zu has a carriage return, which no model file can hold", k + 1);
        if (growing) PF_TRY(pf_statetab_intern(&growing->value[column], words->at[k].at, words->at[k].n, &id, NULL));
        else id = pf_statetab_find(&model->value[column], words->at[k].at, words->at[k].n);
        out->value.at[out->value.n++] = id;
    }
    out->value.at[out->value.n++] = LAST_END;
    return PF_OK;
}

static pf_err number(const pf_order_model *model, pf_order_model *growing, const pf_factored *sentence, pf_numbered *out) {
    out->value.n = out->governor.n = 0;
    out->n = (unsigned)sentence->column[PF_COLUMN_WORDS]->n;
    for (unsigned column = 0; column < PF_COLUMNS; column++) {
        const pf_words *words = sentence->column[column];
        out->begin[column] = SIZE_MAX;
        if (!uses(model, column)) continue;
        PFI_CHECK(words && words->n == out->n);
        PF_TRY(number_column(model, growing, column, words, out));
    }
    if (!model->trees) return PF_OK;
    for (unsigned k = 0; k < out->n; k++) PF_TRY(PF_PUSH(&out->governor, sentence->governor[k]));
    return PF_OK;
}

pf_err pf_order_model_number(pf_order_model *model, const pf_factored *sentence, pf_numbered *out) {
    return number(model, model, sentence, out);
}

pf_err pf_order_model_find(const pf_order_model *model, const pf_factored *sentence, pf_numbered *out) {
    return number(model, NULL, sentence, out);
}

/* ---- features ---- */

static uint32_t value_at(const pf_numbered *sentence, unsigned column, unsigned place) {
    return sentence->value.at[sentence->begin[column] + place];
}

static uint32_t distance_bin(unsigned distance) { return distance <= 5 ? distance : distance <= 10 ? 6 : 11; }

static uint32_t governs(const pf_numbered *sentence, unsigned first, unsigned second) {
    const uint32_t *governor = sentence->governor.at;
    if (governor[second] == first) return '>';
    if (governor[first] == second) return '<';
    return governor[first] == governor[second] ? '=' : '-';
}

/* The value of an atom; `between` is the position that b stands for. UINT32_MAX: the model does not know it. */
static uint32_t atom_value(const pf_numbered *sentence, const pf_atom *atom, unsigned first, unsigned second, unsigned between) {
    /* positions count from 0, and the places of a column from <s> */
    const unsigned at[PF_PLACES] = {first + 1, second + 1, first, first + 2, second, second + 2, between + 1};
    if (atom->place == PF_PLACE_DISTANCE) return distance_bin(second - first);
    if (atom->place == PF_PLACE_GOVERNS) return governs(sentence, first, second);
    return value_at(sentence, atom->column, at[atom->place]);
}

static bool fill(const pf_template *template, const pf_numbered *sentence, unsigned first, unsigned second, unsigned between,
                 uint32_t *key) {
    for (unsigned atom = 0; atom < template->n; atom++)
        if ((key[1 + atom] = atom_value(sentence, &template->atom[atom], first, second, between)) == UINT32_MAX) return false;
    return true;
}

/* Do two positions have the same values of all atoms at b? */
static bool alike(const pf_template *template, const pf_numbered *sentence, unsigned one, unsigned other) {
    for (unsigned a = 0; a < template->n; a++) {
        const pf_atom *atom = &template->atom[a];
        if (atom->place == PF_PLACE_BETWEEN
            && value_at(sentence, atom->column, one + 1) != value_at(sentence, atom->column, other + 1))
            return false;
    }
    return true;
}

static bool seen(const pf_template *template, const pf_numbered *sentence, unsigned first, unsigned between) {
    for (unsigned earlier = between - 1; earlier > first; earlier--)
        if (alike(template, sentence, earlier, between)) return true;
    return false;
}

pf_err pf_order_model_features(const pf_order_model *model, const pf_numbered *sentence, unsigned first, unsigned second,
                               pf_err (*take)(void *self, const uint32_t *key), void *self) {
    uint32_t key[1 + PF_TEMPLATE_ATOMS];
    assert(first < second && second < sentence->n);
    for (size_t which = 0; which < model->templates.at.n; which++) {
        const pf_template *template = &model->templates.at.at[which];
        memset(key, 0, sizeof key);
        key[0] = (uint32_t)which;
        if (!template->between) {
            if (fill(template, sentence, first, second, 0, key)) PF_TRY(take(self, key));
            continue;
        }
        for (unsigned between = first + 1; between < second; between++)
            if (!seen(template, sentence, first, between) && fill(template, sentence, first, second, between, key))
                PF_TRY(take(self, key));
    }
    return PF_OK;
}

/* ---- scores ---- */

typedef struct {
    const pf_order_model *model;
    double sum;
} score_sum;

static pf_err add_weight(void *self, const uint32_t *key) {
    score_sum *score = self;
    uint32_t feature = pf_statetab_find(&score->model->feature, key, score->model->stride * sizeof *key);
    if (feature != UINT32_MAX) score->sum += score->model->weight.at[feature];
    return PF_OK;
}

double pf_order_model_score(const pf_order_model *model, const pf_numbered *sentence, unsigned first, unsigned second) {
    score_sum score = {model, 0};
    pf_order_model_features(model, sentence, first, second, add_weight, &score);
    return score.sum;
}

/* ln(1 + e^score), without overflow. */
double pfi_softplus(double score) { return score > 0 ? score + log1p(exp(-score)) : log1p(exp(score)); }

static int64_t millionths(double cost) {
    const double most = 1e12; /* an arc must hold the sums of many */
    return llround((cost < most ? cost : most) * PF_MILLION);
}

void pf_order_model_matrix(const pf_order_model *model, const pf_numbered *sentence, int64_t *out) {
    const bool lr = model->learner == PF_LEARN_LR;
    const unsigned words = sentence->n;
    for (unsigned first = 0; first < words; first++) {
        out[(size_t)first * words + first] = 0;
        for (unsigned second = first + 1; second < words; second++) {
            double score = pf_order_model_score(model, sentence, first, second);
            out[(size_t)first * words + second] = millionths(lr ? pfi_softplus(-score) : fmax(0, -score));
            out[(size_t)second * words + first] = millionths(lr ? pfi_softplus(score) : fmax(0, score));
        }
    }
}
