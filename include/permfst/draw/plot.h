/* Plots: series of points and lines over an axis, with intervals; several panels below one another in one picture.
 *
 * Adding is O(length of a name). */
#ifndef PF_DRAW_PLOT_H
#define PF_DRAW_PLOT_H

#include <permfst/base/vec.h>
#include <permfst/base/writer.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of the y axis at a place of the x axis. `low` to `high` is an interval around the value; there is none if they are equal.
 * A point whose value is not finite is left out, and a line has a gap there. */
typedef struct {
    double at, value, low, high;
} pf_plot_point;

typedef struct {
    const char *name;            /* in the legend */
    PF_VEC(pf_plot_point) points; /* of a line: in the order of places */
    bool line;                   /* the points are joined */
} pf_plot_series;

/* Text is borrowed, UTF-8. */
typedef struct {
    const char *title, *x_name, *y_name;
    bool x_log, y_log;           /* values of 0 and less are left out */
    const char *const *x_words;  /* NULL: places are numbers; else the names of the places 0, 1, ..., n_words of them */
    size_t n_words;
    PF_VEC(pf_plot_series) series;
} pf_plot;

/* A plot that is all zero has no series. The first function adds a series without points at the end, the second adds a point to the
 * last series, and the third frees all series. PF_ENOMEM. */
pf_err pf_plot_series_add(pf_plot *plot, const char *name, bool line);
pf_err pf_plot_point_add(pf_plot *plot, pf_plot_point point);
void pf_plot_free(pf_plot *plot);

/* Writes a picture of the plots as SVG, a panel each. Each series has a colour, a dash and a mark of its own, the same as the
 * series of that number in the other panels. The description says the ranges of all series. Errors of the writer. O(points). */
pf_err pf_draw_plots(pf_writer *writer, const char *title, const pf_plot *plot, size_t plots);

#ifdef __cplusplus
}
#endif
#endif
