/* Tables of a few units, copied from those of all. */
#include "search/few_units.h"

#include "base/contract.h"

#include <stdlib.h>

/* ---- which ---- */

/* Of units[0..count), those that cost least come first, in the order of their costs. */
static void take_least(const float *cost, uint32_t *units, unsigned count, unsigned most) {
    for (unsigned taken = 0; taken < most; taken++) {
        unsigned best = taken;
        for (unsigned i = taken + 1; i < count; i++)
            if (cost[units[i]] < cost[units[best]]) best = i;
        const uint32_t unit = units[best];
        units[best] = units[taken];
        units[taken] = unit;
    }
}

static void put_in_order(uint32_t *units, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        const uint32_t unit = units[i];
        unsigned at = i;
        for (; at && units[at - 1] > unit; at--) units[at] = units[at - 1];
        units[at] = unit;
    }
}

/* Chooses units, and counts them. */
static pf_err choose(pfi_few_units *few, const pfi_bound_tables *all, const float *cost, unsigned most) {
    const unsigned positions = all->moves->n;
    few->unit = malloc((all->slots.n + (size_t)1) * sizeof *few->unit);
    few->place = malloc((positions + (size_t)1) * sizeof *few->place);
    if (!few->unit || !few->place) return pf_nomem();
    uint32_t units = 0;
    for (unsigned position = 0; position < positions; position++) {
        const uint32_t first = all->place[position], count = all->place[position + 1] - first, taken = count < most ? count : most;
        for (uint32_t i = 0; i < count; i++) few->unit[units + i] = first + i;
        take_least(cost, &few->unit[units], count, taken);
        put_in_order(&few->unit[units], taken);
        few->place[position] = units;
        units += taken;
    }
    few->place[positions] = units;
    few->unit[units] = all->slots.n; /* the start stands after all units */
    return PF_OK;
}

/* ---- tables ---- */

static pf_err copy_slots(pfi_few_units *few, const pfi_bound_tables *all) {
    const uint32_t units = few->place[all->moves->n];
    few->first = malloc((units + (size_t)1) * sizeof *few->first);
    few->arc = malloc((units + (size_t)1) * sizeof *few->arc);
    few->tables.stands = malloc((units + (size_t)1) * sizeof *few->tables.stands);
    if (!few->first || !few->arc || !few->tables.stands) return pf_nomem();
    for (uint32_t unit = 0; unit <= units; unit++) few->first[unit] = unit;
    for (uint32_t unit = 0; unit < units; unit++) {
        few->arc[unit] = all->slots.arc[few->unit[unit]];
        few->tables.stands[unit] = all->stands[few->unit[unit]];
    }
    few->tables.place = few->place;
    few->tables.slots.n = units;
    few->tables.slots.first = few->first;
    few->tables.slots.arc = few->arc;
    return PF_OK;
}

/* What was said last has the same classes. */
static pf_err copy_said(pfi_few_units *few, const pfi_said *all) {
    const uint32_t units = few->tables.slots.n;
    const size_t words = all->words;
    few->said = (pfi_said){.classes = all->classes, .model = all->model, .units = units, .words = all->words};
    few->said.of_unit = malloc((units + (size_t)1) * sizeof *few->said.of_unit);
    few->said.leads_to = malloc((units + (size_t)1) * words * sizeof *few->said.leads_to + 1);
    if (!few->said.of_unit || !few->said.leads_to) return pf_nomem();
    for (uint32_t unit = 0; unit < units; unit++) few->said.of_unit[unit] = all->of_unit[few->unit[unit]];
    for (uint32_t unit = 0; words && unit <= units; unit++)
        memcpy(&few->said.leads_to[unit * words], &all->leads_to[few->unit[unit] * words], words * sizeof *few->said.leads_to);
    few->tables.said = &few->said;
    return PF_OK;
}

/* Numbers the columns of the few units, in order: number[] of each column of all. */
static void number_columns(const pfi_few_units *few, const pfi_model_costs *all, uint32_t *number, pfi_model_costs *model) {
    const uint32_t units = few->tables.slots.n;
    for (size_t column = 0; column < all->width; column++) number[column] = PFI_NO_COLUMN;
    for (uint32_t unit = 0; unit < units; unit++) number[all->column[few->unit[unit]]] = 0;
    for (size_t column = 0; column < all->width; column++)
        if (number[column] != PFI_NO_COLUMN) number[column] = (uint32_t)model->width++;
    for (uint32_t unit = 0; unit < units; unit++) model->column[unit] = number[all->column[few->unit[unit]]];
}

/* The places of the units, of the start, and of classes, if this is their model. */
static size_t list_places(const pfi_few_units *few, const pfi_said *all, bool classes, uint32_t *place) {
    size_t places = 0;
    for (uint32_t unit = 0; unit <= few->tables.slots.n; unit++) place[places++] = few->unit[unit];
    for (uint32_t class = 0; classes && class < all->classes; class++) place[places++] = all->units + 1 + class;
    return places;
}

/* The histories, and room for what they say. */
static pf_err copy_listings(const pfi_few_units *few, const pfi_model_costs *all, const pfi_said *said, bool classes,
    const uint32_t *number, pfi_model_costs *model) {
    uint32_t *place = malloc((few->tables.slots.n + (size_t)1 + said->classes) * sizeof *place);
    if (!place) return pf_nomem();
    const size_t places = list_places(few, said, classes, place);
    const pfi_few_columns columns = {number, (uint32_t)model->width, place, places};
    pf_err err = pfi_listings_of_few(all->listings, &columns, &model->listings);
    free(place);
    PF_TRY(err);
    model->row = pfi_listings_row(model->listings);
    model->after = malloc(pfi_listings_rows(model->listings) * (model->width + 1) * sizeof *model->after);
    return model->after ? PF_OK : pf_nomem();
}

/* What a model without histories says after each unit stays as it is. */
static pf_err copy_after(const pfi_few_units *few, const pfi_model_costs *all, const uint32_t *number, pfi_model_costs *model) {
    const uint32_t units = few->tables.slots.n;
    const size_t width = model->width + 1;
    model->after = malloc((units + (size_t)1) * width * sizeof *model->after);
    if (!model->after) return pf_nomem();
    for (uint32_t unit = 0; unit <= units; unit++) {
        const double *from = pfi_after(all, few->unit[unit]);
        double *after = &model->after[unit * width];
        for (size_t column = 0; column < all->width; column++)
            if (number[column] != PFI_NO_COLUMN) after[number[column]] = from[column];
        after[model->width] = from[all->width];
    }
    return PF_OK;
}

static pf_err copy_model(pfi_few_units *few, const pfi_bound_tables *all, size_t which) {
    const pfi_model_costs *from = &all->model[which];
    pfi_model_costs *model = &few->tables.model[which];
    uint32_t *number = malloc((from->width + 1) * sizeof *number);
    *model = (pfi_model_costs){.rows = from->rows, .history_potential = from->history_potential};
    model->column = calloc(pfi_whole_chunks(few->tables.slots.n + (size_t)1), sizeof *model->column);
    pf_err err = number && model->column ? PF_OK : pf_nomem();
    if (!err) number_columns(few, from, number, model);
    const bool classes = all->said->classes && which == all->said->model;
    if (!err) err = from->listings ? copy_listings(few, from, all->said, classes, number, model)
                                   : copy_after(few, from, number, model);
    free(number);
    return err;
}

pf_err pfi_few_units_init(pfi_few_units *few, const pfi_bound_tables *all, const float *cost, unsigned most) {
    assert(all->place && most);
    *few = (pfi_few_units){.tables = *all};
    few->tables.after = NULL;
    few->tables.stands = NULL;
    few->tables.model = calloc(all->models, sizeof *few->tables.model);
    if (!few->tables.model) return pf_nomem();
    PF_TRY(choose(few, all, cost, most));
    PF_TRY(copy_slots(few, all));
    PF_TRY(copy_said(few, all->said));
    for (size_t i = 0; i < all->models; i++) PF_TRY(copy_model(few, all, i));
    return PF_OK;
}

void pfi_few_units_free(pfi_few_units *few) {
    for (size_t i = 0; few->tables.model && i < few->tables.models; i++) {
        pfi_listings_free(few->tables.model[i].listings);
        free(few->tables.model[i].column);
        free(few->tables.model[i].after);
    }
    free(few->tables.model);
    free(few->tables.stands);
    free(few->unit);
    free(few->place);
    free(few->first);
    free(few->arc);
    pfi_said_free(&few->said);
    *few = (pfi_few_units){0};
}
