/* A weight model whose costs are multiplied by a number: "pairwise:FILE*0.5". Scales make weights that are no logarithms of
 * probabilities comparable with others, and can be tuned. */
#include "permute/wm_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pf_wm_class cls; /* that of `of`, with the methods below */
    pf_wm *of;
    double *cost;    /* scratch: of the moves from a state */
} scaled_data;

static void scaled_free(pf_wm *wm) {
    scaled_data *scaled = wm->data;
    pf_wm_free(scaled->of);
    free(scaled->cost);
    free(scaled);
}

static void scaled_start(const pf_wm *wm, unsigned char *extra) { pf_wm_start(((scaled_data *)wm->data)->of, extra); }

static void scaled_weigh(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, const pf_cover *allowed,
    unsigned moves, double *costs) {
    scaled_data *scaled = wm->data;
    assert(moves <= wm->n);
    for (unsigned move = 0; move < moves; move++) scaled->cost[move] = 0;
    scaled->of->cls->weigh(scaled->of, covered, extra, allowed, moves, scaled->cost);
    for (unsigned move = 0; move < moves; move++) costs[move] += wm->scale * scaled->cost[move];
}

static void scaled_advance(const pf_wm *wm, const pf_cover *covered, const unsigned char *extra, unsigned position,
    unsigned char *to) {
    const scaled_data *scaled = wm->data;
    scaled->of->cls->advance(scaled->of, covered, extra, position, to);
}

static double scaled_pair(const pf_wm *wm, unsigned earlier, unsigned later) {
    const scaled_data *scaled = wm->data;
    return wm->scale * scaled->of->cls->pair(scaled->of, earlier, later);
}

static double scaled_follow(const pf_wm *wm, unsigned last, unsigned j) {
    const scaled_data *scaled = wm->data;
    return wm->scale * scaled->of->cls->follow(scaled->of, last, j);
}

static bool scaled_nonnegative(const pf_wm *wm) {
    const scaled_data *scaled = wm->data;
    return wm->scale == 0 || (wm->scale > 0 && pf_wm_nonnegative(scaled->of));
}

static void set_class(scaled_data *scaled) {
    const pf_wm_class *of = scaled->of->cls;
    scaled->cls = (pf_wm_class){
        .name = of->name, .params = of->params, .help = of->help, .table = of->table, .columns = of->columns,
        .free = scaled_free, .start = scaled_start, .weigh = scaled_weigh, .nonnegative = scaled_nonnegative,
        .advance = of->advance ? scaled_advance : NULL,
        .pair = of->pair ? scaled_pair : NULL,
        .follow = of->follow ? scaled_follow : NULL,
    };
}

pf_err pfi_wm_scale(pf_wm *of, double scale, pf_wm **out) {
    scaled_data *scaled = calloc(1, sizeof *scaled);
    double *cost = calloc(of->n + (size_t)1, sizeof *cost);
    *out = NULL;
    if (!scaled || !cost || pfi_wm_make(&scaled->cls, of->n, out)) {
        free(scaled);
        free(cost);
        pf_wm_free(of);
        return pf_nomem();
    }
    *scaled = (scaled_data){.of = of, .cost = cost};
    set_class(scaled);
    (*out)->data = scaled;
    (*out)->param = of->param;
    (*out)->scale = scale;
    (*out)->room = of->room;
    (*out)->cost = of->cost;
    return PF_OK;
}

/* ---- specifications ---- */

/* The last star, if a number follows it: the name of a file may have stars too. */
size_t pf_wm_scale_of(const char *spec, double *scale) {
    const char *star = strrchr(spec, '*');
    char *end;
    *scale = 1;
    if (!star || !star[1]) return strlen(spec);
    double found = strtod(star + 1, &end);
    if (*end || !(fabs(found) <= (double)FLT_MAX)) return strlen(spec);
    *scale = found;
    return (size_t)(star - spec);
}

pf_err pf_wm_rescale(const char *spec, double scale, char **out) {
    double old;
    size_t plain = pf_wm_scale_of(spec, &old), room = plain + 40;
    assert(isfinite(scale));
    if (!(*out = malloc(room))) return pf_nomem();
    if (scale == 1) snprintf(*out, room, "%.*s", (int)plain, spec);
    else snprintf(*out, room, "%.*s*%.17g", (int)plain, spec, scale);
    return PF_OK;
}
