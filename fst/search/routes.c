/* Routes: their costs after two positions, the best of them, and prices that make it visit each position once. */
#include "search/routes.h"

#include "base/contract.h"
#include "search/bound_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 300, FEWEST_ROUNDS = 20, SHORT = 64, PATIENCE = 3, PATIENT = 100 };

static const double MOST_ADDITIONS = 1 << 28, SMOOTHING = 0.5, ADDITIONS_OF_A_HYPOTHESIS = 64;

/* The longer a sentence, the more hypotheses does a tight bound save. Under a beam they are few, and the prices cost no more. */
unsigned pfi_routes_rounds(unsigned length, size_t beam) {
    const double n = length, additions = n * n * n * n;
    const double saved = beam ? (double)beam * n * n * ADDITIONS_OF_A_HYPOTHESIS : MOST_ADDITIONS;
    const double rounds = fmin(fmin(saved, MOST_ADDITIONS) / (additions + 1), fmax(n * n * n / SHORT, FEWEST_ROUNDS));
    return length && rounds >= FEWEST_ROUNDS ? (unsigned)fmin(rounds, MOST_ROUNDS) : 0;
}

/* The histories of one model. */
typedef struct {
    const pfi_model_costs *costs;
    uint32_t *first; /* of each position, and of the start: where its rows begin in `row`; and the end */
    uint32_t *row;   /* that are possible after it */
    uint32_t *taken; /* of each row: the pair of positions that it was taken for last, from 1 */
    double *least;   /* of each column, and of the end: the least cost after the pair */
} route_histories;

typedef struct {
    const pfi_bound_tables *tables;
    pfi_routes *routes;
    unsigned rounds; /* sets of prices that are tried */
    route_histories *model;
    float *cost;     /* length x length rows: of the position `next` after `last`, by the position before; INFINITY after itself */
    float *second;   /* length x length: the same where the start is before `last` */
    float *end;      /* (length+1) x length: of the end after two positions; position `length` is the start */
    float *begin;    /* of each position at the start */
    float *next;     /* scratch, length rows: after `last`, what comes after each next position, less its price */
    float largest;   /* of all those costs that are finite */
    uint16_t *visited; /* by the best route, in order */
    int *visits;     /* of each position: by the best route */
    double *direction; /* of each position: where its price is going */
    float *best_price;
} routes_maker;

/* ---- costs after two positions ---- */

/* The rows after each position: those to which a word of it leads. The start has row 0. */
static pf_err list_rows(const pfi_bound_tables *tables, route_histories *model) {
    const pfi_rows *rows = model->costs->rows;
    const size_t n = tables->slots.n, count = rows->final.n, width = rows->width + (size_t)1;
    bool *leads = calloc(count * n, sizeof *leads);
    uint32_t listed = 0;
    model->first = malloc((n + 2) * sizeof *model->first);
    model->row = malloc((count * n + 1) * sizeof *model->row);
    model->taken = calloc(count, sizeof *model->taken);
    model->least = malloc(width * sizeof *model->least);
    const bool room = leads && model->first && model->row && model->taken && model->least;
    for (uint32_t from = 0; room && from < count; from++)
        for (size_t j = 0; j < n; j++)
            for (uint32_t arc = tables->slots.first[j]; arc < tables->slots.first[j + 1]; arc++) {
                const pfi_cell *cell = &pfi_rows_cells(rows, from)[pfi_rows_column(model->costs->rows, tables->slots.arc[arc].out)];
                if (cell->cost < (double)INFINITY) leads[j * count + cell->to] = true;
            }
    for (size_t j = 0; room && j < n; j++) {
        model->first[j] = listed;
        for (uint32_t row = 0; row < count; row++)
            if (leads[j * count + row]) model->row[listed++] = row;
    }
    free(leads);
    if (!room) return pf_nomem();
    model->first[n] = listed;
    model->row[listed++] = 0;
    model->first[n + 1] = listed;
    return PF_OK;
}

static void take_row(route_histories *model, uint32_t row) {
    const pfi_rows *rows = model->costs->rows;
    const pfi_cell *cell = pfi_rows_cells(rows, row);
    for (size_t column = 0; column < rows->width; column++) model->least[column] = fmin(model->least[column], cell[column].cost);
    model->least[rows->width] = fmin(model->least[rows->width], rows->final.at[row]);
}

/* The least costs of a model after positions `before` and `last`. */
static void take_pair(const pfi_bound_tables *tables, route_histories *model, unsigned before, unsigned last) {
    pfi_rows *rows = model->costs->rows;
    const uint32_t pair = before * tables->slots.n + last + 1;
    for (size_t column = 0; column <= rows->width; column++) model->least[column] = (double)INFINITY;
    for (uint32_t i = model->first[before]; i < model->first[before + 1]; i++)
        for (uint32_t arc = tables->slots.first[last]; arc < tables->slots.first[last + 1]; arc++) {
            const pfi_cell *cell = &pfi_rows_cells(rows, model->row[i])[pfi_rows_column(rows, tables->slots.arc[arc].out)];
            if (cell->cost == (double)INFINITY || model->taken[cell->to] == pair) continue;
            model->taken[cell->to] = pair;
            take_row(model, cell->to);
        }
}

/* The least cost of position j, over its alternatives; `costs` are those that a model says of each column. */
static double position_cost(const routes_maker *maker, unsigned j) {
    const pfi_bound_tables *tables = maker->tables;
    double least = (double)INFINITY;
    for (uint32_t arc = tables->slots.first[j]; arc < tables->slots.first[j + 1]; arc++) {
        double cost = pfi_own_cost(tables, arc);
        for (size_t i = 0; i < tables->models; i++) {
            const route_histories *model = &maker->model[i];
            cost += model->least[pfi_rows_column(model->costs->rows, tables->slots.arc[arc].out)];
        }
        least = fmin(least, cost);
    }
    return least;
}

static void note_size(routes_maker *maker, float cost) {
    if (fabsf(cost) < INFINITY && fabsf(cost) > maker->largest) maker->largest = fabsf(cost);
}

static void fill_pair(routes_maker *maker, unsigned before, unsigned last) {
    const pfi_bound_tables *tables = maker->tables;
    const size_t n = tables->slots.n, stride = maker->routes->stride;
    double end = pf_scaled(tables->rows->parts.own, (double)tables->slots.final);
    for (size_t i = 0; i < tables->models; i++) {
        take_pair(tables, &maker->model[i], before, last);
        end += maker->model[i].least[maker->model[i].costs->rows->width];
    }
    for (unsigned j = 0; j < n; j++) {
        if (j == before || j == last) continue;
        const float cost = pfi_float_below(position_cost(maker, j));
        *(before < n ? &maker->cost[(last * n + j) * stride + before] : &maker->second[last * n + j]) = cost;
        note_size(maker, cost);
    }
    maker->end[before * n + last] = pfi_float_below(end);
    note_size(maker, maker->end[before * n + last]);
}

static void fill_costs(routes_maker *maker) {
    const unsigned n = maker->tables->slots.n;
    for (size_t i = 0; i < (size_t)n * n * maker->routes->stride; i++) maker->cost[i] = INFINITY;
    for (size_t i = 0; i < (size_t)n * n; i++) maker->second[i] = INFINITY;
    for (unsigned before = 0; before <= n; before++)
        for (unsigned last = 0; last < n; last++)
            if (before != last) fill_pair(maker, before, last);
    for (size_t i = 0; i < maker->tables->models; i++) {
        route_histories *model = &maker->model[i];
        for (size_t column = 0; column <= model->costs->rows->width; column++) model->least[column] = (double)INFINITY;
        take_row(model, 0);
    }
    for (unsigned j = 0; j < n; j++) {
        maker->begin[j] = pfi_float_below(position_cost(maker, j));
        note_size(maker, maker->begin[j]);
    }
}

/* ---- the best route ---- */

/* What position j costs after two others, without its price. After one visit the start is before the last. */
static float cost_after(const routes_maker *maker, unsigned visits, unsigned before, unsigned last, unsigned j) {
    const size_t pair = (size_t)last * maker->routes->length + j;
    return visits > 1 ? maker->cost[pair * maker->routes->stride + before] : maker->second[pair];
}

static float *table_after(const routes_maker *maker, unsigned visits) {
    return &maker->routes->after[(visits - (size_t)1) * maker->routes->length * maker->routes->stride];
}

/* Columns that a table of a number of visits has. */
static unsigned columns_after(const routes_maker *maker, unsigned visits) { return visits > 1 ? maker->routes->length : 1; }

/* Fills `next`. The largest of its costs, for rounding. */
static float fill_next(const routes_maker *maker, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const float *after = table_after(maker, visits + 1);
    float largest = 0;
    for (size_t last = 0; last < routes->length; last++)
        for (size_t j = 0; j < routes->length; j++) {
            const float cost = after[j * routes->stride + last] - routes->price[j], size = cost < INFINITY ? fabsf(cost) : 0;
            maker->next[last * routes->stride + j] = cost;
            largest = size > largest ? size : largest;
        }
    return largest;
}

/* Each sum of floats is rounded twice, by half of FLT_EPSILON times terms of this size, and so is what is taken away for it. */
static float rounding(float largest) { return 2 * FLT_EPSILON * largest; }

/* After position `last`, by the position before it: the cheapest next position and all that comes after it. */
static void fill_row(const routes_maker *maker, unsigned last, float lost, float *after) {
    const pfi_routes *routes = maker->routes;
    const float *next = &maker->next[last * routes->stride];
    for (size_t chunk = 0; chunk < routes->stride; chunk += PFI_CHUNK) {
        const float *cost = &maker->cost[last * routes->length * routes->stride + chunk];
        float least[PFI_CHUNK];
        for (size_t k = 0; k < PFI_CHUNK; k++) least[k] = INFINITY;
        for (size_t j = 0; j < routes->length; j++, cost += routes->stride)
            for (size_t k = 0; k < PFI_CHUNK; k++) {
                const float sum = cost[k] + next[j];
                least[k] = sum < least[k] ? sum : least[k];
            }
        for (size_t k = 0; k < PFI_CHUNK; k++) after[chunk + k] = least[k] - lost;
    }
}

static void fill_step(const routes_maker *maker, unsigned visits) {
    const pfi_routes *routes = maker->routes;
    const float lost = rounding(fill_next(maker, visits) + maker->largest);
    for (unsigned last = 0; last < routes->length; last++) {
        float *after = &table_after(maker, visits)[last * routes->stride];
        if (visits > 1) {
            fill_row(maker, last, lost, after);
            continue;
        }
        *after = INFINITY;
        for (unsigned j = 0; j < routes->length; j++)
            *after = fminf(*after, cost_after(maker, 1, 0, last, j) + maker->next[last * routes->stride + j]);
        *after -= lost;
    }
}

static void fill_end(const routes_maker *maker) {
    const pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    for (unsigned last = 0; last < n; last++)
        for (unsigned column = 0; column < columns_after(maker, n); column++) {
            const unsigned before = n > 1 ? column : n;
            table_after(maker, n)[last * routes->stride + column] = before == last ? INFINITY : maker->end[before * n + last];
        }
}

/* The least cost of a route with the prices that there are, and of all prices; its first position. */
static double find_route(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    const float *after = table_after(maker, 1);
    double least = (double)INFINITY;
    fill_end(maker);
    for (unsigned visits = routes->length - 1; visits > 0; visits--) fill_step(maker, visits);
    routes->prices = 0;
    for (unsigned j = 0; j < routes->length; j++) {
        const double cost = (double)maker->begin[j] - (double)routes->price[j] + (double)after[j * routes->stride];
        routes->prices += (double)routes->price[j];
        if (cost < least) maker->visited[0] = (uint16_t)j;
        least = fmin(least, cost);
    }
    return least + routes->prices;
}

/* The position that comes next: the cheapest one of those that are allowed. */
static unsigned cheapest_next(const routes_maker *maker, unsigned visits, const bool *forbidden) {
    const pfi_routes *routes = maker->routes;
    const unsigned last = maker->visited[visits - 1], before = visits > 1 ? maker->visited[visits - 2] : 0;
    const float *after = table_after(maker, visits + 1);
    unsigned next = routes->length;
    float least = INFINITY;
    for (unsigned j = 0; j < routes->length; j++) {
        const float total = cost_after(maker, visits, before, last, j) + (after[j * routes->stride + last] - routes->price[j]);
        if ((forbidden && forbidden[j]) || total >= least) continue;
        least = total;
        next = j;
    }
    return next;
}

/* How often the best route visits each position. False: there is none. */
static bool count_visits(routes_maker *maker) {
    const unsigned n = maker->routes->length;
    memset(maker->visits, 0, n * sizeof *maker->visits);
    maker->visits[maker->visited[0]]++;
    for (unsigned visits = 1; visits < n; visits++) {
        const unsigned next = cheapest_next(maker, visits, NULL);
        if (next == n) return false;
        maker->visited[visits] = (uint16_t)next;
        maker->visits[next]++;
    }
    return true;
}

/* The cost of the permutation that begins as the route does, and goes on cheapest: an estimate of the least one. INFINITY: none. */
static double greedy_cost(routes_maker *maker, bool *forbidden) {
    const unsigned n = maker->routes->length;
    double cost = (double)maker->begin[maker->visited[0]];
    memset(forbidden, 0, n * sizeof *forbidden);
    forbidden[maker->visited[0]] = true;
    for (unsigned visits = 1; visits < n; visits++) {
        const unsigned next = cheapest_next(maker, visits, forbidden);
        if (next == n) return (double)INFINITY;
        cost += (double)cost_after(maker, visits, visits > 1 ? maker->visited[visits - 2] : 0, maker->visited[visits - 1], next);
        forbidden[next] = true;
        maker->visited[visits] = (uint16_t)next;
    }
    const unsigned first = n > 1 ? maker->visited[n - 2] : n;
    return cost + (double)maker->end[(size_t)first * n + maker->visited[n - 1]];
}

/* ---- prices ---- */

/* One step along the direction (Camerini, Fratta & Maffioli 1975: past directions count). False: the route is a permutation,
 * which no prices can make dearer. */
static bool change_prices(routes_maker *maker, double missing) {
    pfi_routes *routes = maker->routes;
    double squares = 0;
    bool twice = false;
    for (unsigned j = 0; j < routes->length; j++) {
        const int more = 1 - maker->visits[j];
        twice = twice || more;
        maker->direction[j] = (double)more + SMOOTHING * maker->direction[j];
        squares += maker->direction[j] * maker->direction[j];
    }
    for (unsigned j = 0; twice && squares > 0 && j < routes->length; j++)
        routes->price[j] += (float)(missing / squares * maker->direction[j]);
    return twice && squares > 0;
}

/* The first prices: the least that each position costs after any two others. A route that costs these prices and no more visits
 * nothing below its price, so the first bound is at least their sum. */
static void begin_prices(const routes_maker *maker) {
    const pfi_routes *routes = maker->routes;
    const unsigned n = routes->length;
    for (unsigned j = 0; j < n; j++) {
        float least = maker->begin[j];
        for (size_t last = 0; last < n; last++) {
            least = fminf(least, maker->second[last * n + j]);
            for (unsigned before = 0; before < n; before++)
                least = fminf(least, maker->cost[(last * n + j) * routes->stride + before]);
        }
        routes->price[j] = least < INFINITY ? least : 0;
    }
}

/* Looks for prices that make the best route dear. A step goes as far as would close the gap to the least permutation that is known
 * (Polyak 1969), and less far when that has not helped for some rounds. */
static void find_prices(routes_maker *maker, bool *scratch) {
    pfi_routes *routes = maker->routes;
    double best = -(double)INFINITY, upper = (double)INFINITY, reach = 1;
    unsigned stalled = 0;
    begin_prices(maker);
    for (unsigned round = 0; round < maker->rounds; round++) {
        const double least = find_route(maker);
        if (least > best) {
            best = least;
            memcpy(maker->best_price, routes->price, routes->length * sizeof *routes->price);
            stalled = 0;
        } else if (++stalled == PATIENCE + maker->rounds / PATIENT) {
            reach /= 2;
            stalled = 0;
        }
        if (least == (double)INFINITY || !count_visits(maker)) break;
        upper = fmin(upper, greedy_cost(maker, scratch));
        if (!(upper < (double)INFINITY) || !change_prices(maker, reach * fmax(upper - least, 0))) break;
    }
    memcpy(routes->price, maker->best_price, routes->length * sizeof *routes->price);
    routes->guess = upper;
    routes->start = find_route(maker);
}

static void fill_least(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    for (unsigned visits = 1; visits <= routes->length; visits++) {
        float *least = &routes->least[(visits - 1) * routes->stride];
        for (unsigned last = 0; last < routes->length; last++) {
            least[last] = INFINITY;
            for (unsigned before = 0; before < columns_after(maker, visits); before++)
                least[last] = fminf(least[last], table_after(maker, visits)[last * routes->stride + before]);
        }
    }
}

/* ---- memory ---- */

static pf_err allocate(routes_maker *maker) {
    pfi_routes *routes = maker->routes;
    const size_t n = routes->length, square = n * routes->stride;
    routes->after = malloc(n * square * sizeof *routes->after);
    routes->least = malloc(square * sizeof *routes->least);
    routes->price = calloc(routes->stride, sizeof *routes->price);
    maker->model = calloc(maker->tables->models, sizeof *maker->model);
    maker->cost = malloc(n * square * sizeof *maker->cost);
    maker->second = malloc(n * n * sizeof *maker->second);
    maker->end = malloc((n + 1) * n * sizeof *maker->end);
    maker->begin = malloc(n * sizeof *maker->begin);
    maker->next = malloc(square * sizeof *maker->next);
    maker->visited = malloc(n * sizeof *maker->visited);
    maker->visits = malloc(n * sizeof *maker->visits);
    maker->direction = calloc(n, sizeof *maker->direction);
    maker->best_price = calloc(n, sizeof *maker->best_price);
    const bool room = routes->after && routes->least && routes->price && maker->model && maker->cost && maker->second &&
                      maker->end && maker->begin && maker->next && maker->visited && maker->visits && maker->direction &&
                      maker->best_price;
    for (size_t i = 0; room && i < n * square; i++) routes->after[i] = INFINITY; /* some columns stay so */
    return room ? PF_OK : pf_nomem();
}

static void maker_free(routes_maker *maker) {
    for (size_t i = 0; maker->model && i < maker->tables->models; i++) {
        free(maker->model[i].first);
        free(maker->model[i].row);
        free(maker->model[i].taken);
        free(maker->model[i].least);
    }
    free(maker->model);
    free(maker->cost);
    free(maker->second);
    free(maker->end);
    free(maker->begin);
    free(maker->next);
    free(maker->visited);
    free(maker->visits);
    free(maker->direction);
    free(maker->best_price);
}

static pf_err make(routes_maker *maker) {
    bool *scratch = malloc(maker->routes->length * sizeof *scratch);
    pf_err err = scratch ? allocate(maker) : pf_nomem();
    for (size_t i = 0; !err && i < maker->tables->models; i++) {
        maker->model[i].costs = &maker->tables->model[i];
        err = list_rows(maker->tables, &maker->model[i]);
    }
    if (!err) {
        fill_costs(maker);
        find_prices(maker, scratch);
        fill_least(maker);
    }
    free(scratch);
    return err;
}

pf_err pfi_routes_init(pfi_routes *routes, const pfi_bound_tables *tables, unsigned rounds) {
    const unsigned n = tables->slots.n;
    routes_maker maker = {.tables = tables, .routes = routes, .rounds = rounds};
    assert(n && rounds && tables->models == tables->rows->parts.n);
    *routes = (pfi_routes){.length = n, .stride = (n + PFI_CHUNK - 1) / PFI_CHUNK * PFI_CHUNK};
    pf_err err = make(&maker);
    routes->known = !err;
    maker_free(&maker);
    return err;
}

void pfi_routes_free(pfi_routes *routes) {
    free(routes->after);
    free(routes->least);
    free(routes->price);
}
