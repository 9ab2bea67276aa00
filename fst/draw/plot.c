/* Axes take round numbers: 1, 2 or 5 times a power of ten, and on a log scale powers of ten. Coordinates are rounded to pixels. */
#include <permfst/draw/plot.h>

#include <permfst/draw/svg.h>

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 76, TOP = 44, WIDTH = 460, HEIGHT = 220, BELOW = 62, LEGEND = 22, ROW = 18, SIZE = 12, TICKS = 6 }; /* pixels */

pf_err pf_plot_series_add(pf_plot *plot, const char *name, bool line) {
    return PF_PUSH(&plot->series, ((pf_plot_series){.name = name, .line = line}));
}

pf_err pf_plot_point_add(pf_plot *plot, pf_plot_point point) {
    assert(plot->series.n);
    return PF_PUSH(&plot->series.at[plot->series.n - 1].points, point);
}

void pf_plot_free(pf_plot *plot) {
    for (size_t i = 0; i < plot->series.n; i++) PF_VEC_FREE(&plot->series.at[i].points);
    PF_VEC_FREE(&plot->series);
}

/* ---- axes ---- */

typedef struct {
    double low, high, step; /* between two ticks; low and high of a log axis are exponents of ten */
    bool log, any;
} plot_axis;

static double on_axis(const plot_axis *axis, double value) { return axis->log ? log10(value) : value; }

/* Differences of greater numbers may be infinite. */
static bool is_shown(const plot_axis *axis, double value) { return fabs(value) <= DBL_MAX / 8 && (!axis->log || value > 0); }

static void stretch(plot_axis *axis, double value) {
    if (!is_shown(axis, value)) return;
    double at = on_axis(axis, value);
    axis->low = axis->any ? fmin(axis->low, at) : at;
    axis->high = axis->any ? fmax(axis->high, at) : at;
    axis->any = true;
}

static double round_step(double range) {
    double unit = pow(10, floor(log10(range / TICKS)));
    for (int at = 0;; at++) {
        static const double steps[] = {1, 2, 5, 10};
        if (at == 3 || range / (steps[at] * unit) <= TICKS) return steps[at] * unit;
    }
}

/* Ends that are the same number, or nearly so, are moved apart: ticks are numbers of their own, and are written with seven
 * digits. */
static void part_ends(plot_axis *axis) {
    const double size = fmax(fabs(axis->low), fabs(axis->high)), range = axis->high - axis->low;
    const bool same = range < 1e-300;
    if (!same && range > 1e-12 * size) return;
    const double more = fmax(same ? 0.5 : 0, 1e-5 * size);
    axis->low -= axis->log ? 0 : more;
    axis->high += axis->log ? 1 : more;
}

/* Rounds the ends to ticks. */
static void finish_axis(plot_axis *axis, bool ticks_at_ends) {
    if (!axis->any) axis->low = axis->high = 0;
    part_ends(axis);
    axis->step = axis->log ? ceil((axis->high - axis->low) / TICKS) : round_step(axis->high - axis->low);
    if (axis->log && axis->step < 1) axis->step = 1;
    if (!ticks_at_ends && !axis->log) return;
    axis->low = floor(axis->low / axis->step + 1e-9) * axis->step;
    axis->high = ceil(axis->high / axis->step - 1e-9) * axis->step;
    if (axis->high <= axis->low) axis->high = axis->low + axis->step;
}

typedef struct {
    const pf_plot *plot;
    plot_axis x, y;
    int left, top; /* of the area */
    pf_writer *out;
} plot_panel;

static void make_axes(plot_panel *panel) {
    const pf_plot *plot = panel->plot;
    panel->x.log = plot->x_log && !plot->x_words;
    panel->y.log = plot->y_log;
    for (size_t line = 0; line < plot->series.n; line++)
        for (size_t at = 0; at < plot->series.at[line].points.n; at++) {
            const pf_plot_point *point = &plot->series.at[line].points.at[at];
            stretch(&panel->x, point->at);
            stretch(&panel->y, point->value);
            if (point->low == point->high) continue;
            stretch(&panel->y, point->low);
            stretch(&panel->y, point->high);
        }
    if (plot->x_words) panel->x = (plot_axis){-0.5, (double)plot->n_words - 0.5, 1, false, true};
    else finish_axis(&panel->x, false);
    finish_axis(&panel->y, true);
}

static int scaled(const plot_axis *axis, double at, int length) {
    return (int)lround((double)length * (at - axis->low) / (axis->high - axis->low));
}
static int x_of(const plot_panel *panel, double x) { return panel->left + scaled(&panel->x, on_axis(&panel->x, x), WIDTH); }
static int y_of(const plot_panel *panel, double y) {
    return panel->top + HEIGHT - scaled(&panel->y, on_axis(&panel->y, y), HEIGHT);
}

static pf_err put_tick_text(const plot_panel *panel, int x, int y, const char *css_class, const plot_axis *axis, double at) {
    char words[40];
    if (fabs(at) < axis->step * 1e-6) at = 0;
    int length = axis->log && fabs(at) > 4 ? snprintf(words, sizeof words, "1e%.0f", at)
                                           : snprintf(words, sizeof words, "%.7g", axis->log ? pow(10, at) : at);
    return pf_svg_text(panel->out, x, y, css_class, words, (size_t)length);
}

static pf_err put_y_axis(const plot_panel *panel) {
    for (double at = panel->y.low; at <= panel->y.high + panel->y.step / 2; at += panel->y.step) {
        int y = panel->top + HEIGHT - scaled(&panel->y, at, HEIGHT);
        PF_TRY(pf_writer_text(panel->out, "<path d=\"M%d %dh%d\" class=\"grid\"/>\n", panel->left, y, WIDTH));
        PF_TRY(put_tick_text(panel, panel->left - 6, y + 4, "y", &panel->y, at));
    }
    PF_TRY(pf_writer_text(panel->out, "<text class=\"a\" transform=\"translate(%d %d)rotate(-90)\">", panel->left - 56,
                          panel->top + HEIGHT / 2));
    PF_TRY(pf_svg_escape(panel->out, panel->plot->y_name, strlen(panel->plot->y_name)));
    return pf_writer_text(panel->out, "</text>\n");
}

static pf_err put_x_words(const plot_panel *panel) {
    for (size_t at = 0; at < panel->plot->n_words; at++) {
        const char *words = panel->plot->x_words[at];
        int y = panel->top + HEIGHT + 18 + (panel->plot->n_words > 5 && at % 2 ? 14 : 0);
        PF_TRY(pf_svg_text(panel->out, x_of(panel, (double)at), y, "a", words, strlen(words)));
    }
    return PF_OK;
}

static pf_err put_x_axis(const plot_panel *panel) {
    int base = panel->top + HEIGHT;
    PF_TRY(pf_writer_text(panel->out, "<path d=\"M%d %dv%dh%d\" class=\"axis\"/>\n", panel->left, panel->top, HEIGHT, WIDTH));
    if (panel->plot->x_words) PF_TRY(put_x_words(panel));
    double first = ceil(panel->x.low / panel->x.step - 1e-9) * panel->x.step;
    for (double at = first; !panel->plot->x_words && at <= panel->x.high + panel->x.step * 1e-6; at += panel->x.step) {
        int x = panel->left + scaled(&panel->x, at, WIDTH);
        PF_TRY(pf_writer_text(panel->out, "<path d=\"M%d %dv4\" class=\"axis\"/>\n", x, base));
        PF_TRY(put_tick_text(panel, x, base + 18, "a", &panel->x, at));
    }
    return pf_svg_text(panel->out, panel->left + WIDTH / 2, base + 46, "a", panel->plot->x_name, strlen(panel->plot->x_name));
}

/* ---- series ---- */

/* The first is black. */
static const char *colour(size_t series) { return series ? pf_svg_colour(series - 1) : "#000000"; }

static bool has_point(const plot_panel *panel, const pf_plot_point *point) {
    return is_shown(&panel->x, point->at) && is_shown(&panel->y, point->value);
}

enum { SHAPES = 5 };

/* Marks of the second turn are hollow. */
static pf_err begin_group(pf_writer *writer, size_t series) {
    return pf_writer_text(writer, "<g fill=\"%s\" stroke=\"%s\">\n", series / SHAPES % 2 ? "#ffffff" : colour(series),
                          colour(series));
}

/* A mark of a shape of its own, around a place. */
static pf_err put_mark(pf_writer *writer, size_t series, int x, int y) {
    switch (series % SHAPES) {
    case 0: return pf_writer_text(writer, "<circle cx=\"%d\" cy=\"%d\" r=\"4\"/>\n", x, y);
    case 1: return pf_writer_text(writer, "<path d=\"M%d %dh8v8h-8z\"/>\n", x - 4, y - 4);
    case 2: return pf_writer_text(writer, "<path d=\"M%d %dl5 9h-10z\"/>\n", x, y - 5);
    case 3: return pf_writer_text(writer, "<path d=\"M%d %dl5 5l-5 5l-5 -5z\"/>\n", x, y - 5);
    default: return pf_writer_text(writer, "<path d=\"M%d %dl8 8m0 -8l-8 8\" stroke-width=\"2.5\"/>\n", x - 4, y - 4);
    }
}

static pf_err put_line(const plot_panel *panel, size_t number) {
    const pf_plot_series *series = &panel->plot->series.at[number];
    bool pen = false;
    PF_TRY(
        pf_writer_text(panel->out, "<path fill=\"none\" stroke-width=\"1.8\" stroke-dasharray=\"%s\" d=\"", pf_svg_dash(number)));
    for (size_t at = 0; at < series->points.n; at++) {
        const pf_plot_point *point = &series->points.at[at];
        bool shown = has_point(panel, point);
        if (shown)
            PF_TRY(pf_writer_text(panel->out, "%s%d %d", pen ? "L" : "M", x_of(panel, point->at), y_of(panel, point->value)));
        pen = shown;
    }
    return pf_writer_text(panel->out, "\"/>\n");
}

static pf_err put_interval(const plot_panel *panel, const pf_plot_point *point) {
    if (point->low == point->high || !is_shown(&panel->y, point->low) || !is_shown(&panel->y, point->high)) return PF_OK;
    int x = x_of(panel, point->at), low = y_of(panel, point->low), high = y_of(panel, point->high);
    return pf_writer_text(panel->out, "<path fill=\"none\" d=\"M%d %dh8m-4 0V%dm-4 0h8\"/>\n", x - 4, low, high);
}

static pf_err put_series(const plot_panel *panel, size_t number) {
    const pf_plot_series *series = &panel->plot->series.at[number];
    PF_TRY(begin_group(panel->out, number));
    if (series->line) PF_TRY(put_line(panel, number));
    for (size_t at = 0; at < series->points.n; at++) {
        const pf_plot_point *point = &series->points.at[at];
        if (!has_point(panel, point)) continue;
        assert(!panel->plot->x_words || (point->at >= 0 && point->at < (double)panel->plot->n_words));
        PF_TRY(put_interval(panel, point));
        PF_TRY(put_mark(panel->out, number, x_of(panel, point->at), y_of(panel, point->value)));
    }
    return pf_writer_text(panel->out, "</g>\n");
}

static pf_err put_legend(const plot_panel *panel) {
    for (size_t number = 0; number < panel->plot->series.n; number++) {
        const pf_plot_series *series = &panel->plot->series.at[number];
        int x = panel->left + WIDTH + LEGEND, y = panel->top + 8 + ROW * (int)number;
        PF_TRY(begin_group(panel->out, number));
        if (series->line)
            PF_TRY(pf_writer_text(panel->out, "<path stroke-width=\"1.8\" stroke-dasharray=\"%s\" d=\"M%d %dh30\"/>\n",
                                  pf_svg_dash(number), x, y));
        PF_TRY(put_mark(panel->out, number, x + 15, y));
        PF_TRY(pf_writer_text(panel->out, "</g>\n"));
        PF_TRY(pf_svg_text(panel->out, x + 38, y + 4, "s", series->name, strlen(series->name)));
    }
    return PF_OK;
}

static pf_err put_panel(const plot_panel *panel) {
    PF_TRY(pf_svg_text(panel->out, panel->left, panel->top - 14, "t", panel->plot->title, strlen(panel->plot->title)));
    PF_TRY(put_y_axis(panel));
    PF_TRY(put_x_axis(panel));
    for (size_t i = panel->plot->series.n; i-- > 0;) PF_TRY(put_series(panel, i)); /* the first is on top */
    return put_legend(panel);
}

/* ---- head ---- */

static pf_err describe_series(const plot_panel *panel, const pf_plot_series *series, const char *separator) {
    const pf_plot_point *first = NULL, *last = NULL;
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (size_t at = 0; at < series->points.n; at++) {
        const pf_plot_point *point = &series->points.at[at];
        if (!has_point(panel, point)) continue;
        if (!first) first = point;
        last = point;
        least = fmin(least, point->value);
        most = fmax(most, point->value);
    }
    PF_TRY(pf_writer_text(panel->out, "%s", separator));
    PF_TRY(pf_svg_escape(panel->out, series->name, strlen(series->name)));
    if (!first) return pf_writer_text(panel->out, " has no points");
    return pf_writer_text(panel->out, " from %.6g to %.6g, between %.6g and %.6g", first->value, last->value, least, most);
}

static pf_err describe(const plot_panel *panel) {
    PF_TRY(pf_svg_escape(panel->out, panel->plot->title, strlen(panel->plot->title)));
    for (size_t i = 0; i < panel->plot->series.n; i++) PF_TRY(describe_series(panel, &panel->plot->series.at[i], i ? "; " : ": "));
    return pf_writer_text(panel->out, ". ");
}

/* The area and what is around it, or the legend, if that is longer. */
static int panel_height(const pf_plot *plot) {
    int legend = TOP + ROW * ((int)plot->series.n + 1);
    return legend > TOP + HEIGHT + BELOW ? legend : TOP + HEIGHT + BELOW;
}

/* All panels before number i. */
static int panels_height(const pf_plot *plot, size_t number) {
    int height = 0;
    for (size_t k = 0; k < number; k++) height += panel_height(&plot[k]);
    return height;
}

static void panel_at(const pf_plot *plot, size_t number, pf_writer *writer, plot_panel *panel) {
    *panel = (plot_panel){.plot = &plot[number], .left = LEFT, .top = TOP + panels_height(plot, number), .out = writer};
    make_axes(panel);
}

static int legend_width(const pf_plot *plot, size_t plots) {
    int most = 0;
    for (size_t panel = 0; panel < plots; panel++)
        for (size_t series = 0; series < plot[panel].series.n; series++) {
            int width = pf_text_width(plot[panel].series.at[series].name, strlen(plot[panel].series.at[series].name), SIZE);
            if (width > most) most = width;
        }
    return most + LEGEND + 38;
}

pf_err pf_draw_plots(pf_writer *writer, const char *title, const pf_plot *plot, size_t plots) {
    plot_panel panel;
    assert(plots);
    PF_TRY(pf_svg_begin(writer, LEFT + WIDTH + legend_width(plot, plots) + 16, panels_height(plot, plots)));
    PF_TRY(pf_svg_escape(writer, title, strlen(title)));
    PF_TRY(pf_svg_describe(writer));
    for (size_t number = 0; number < plots; number++) {
        panel_at(plot, number, writer, &panel);
        PF_TRY(describe(&panel));
    }
    PF_TRY(pf_svg_style(writer,
                        ".y,.a,.s{font-size:12px}.y{text-anchor:end}.s,.t{text-anchor:start}.t{font-weight:bold;font-size:13px}"
                                ".grid{stroke:#dddddd}.axis{stroke:#000000;fill:none}"));
    for (size_t number = 0; number < plots; number++) {
        panel_at(plot, number, writer, &panel);
        PF_TRY(put_panel(&panel));
    }
    return pf_svg_end(writer);
}
