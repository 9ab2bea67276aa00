/* The table as a chart: a row of panels for each bin, a column for each direction, a line for each row of the table, with its
 * interval as a band. What has no parameter is a dashed level line across. The colours can be told apart by people who see fewer
 * of them (Okabe and Ito). */
#include <permfst/coverage/table.h>

#include <permfst/base/digits.h>
#include <permfst/draw/svg.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const colours[] = {"#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"};
static const char *const dashes[] = {"6 3", "2 2", "8 3 2 3", "1 3", "12 4"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

enum { LEFT = 56, TOP = 40, WIDTH = 330, HEIGHT = 220, ACROSS = 64, DOWN = 70, LEGEND = 200, LINE = 18 }; /* pixels */

typedef struct {
    const pf_coverage_table *table;
    unsigned most; /* the largest parameter to draw */
    unsigned direction[PF_DIRECTIONS], columns; /* those that there are */
    pf_writer *out;
} svg_chart;

typedef struct {
    size_t bin;
    unsigned direction;
    double x, y; /* its lower left corner */
} svg_panel;

static double x_of(const svg_chart *chart, const svg_panel *panel, double param) {
    return panel->x + WIDTH * param / (chart->most ? chart->most : 1);
}

static double y_of(const svg_panel *panel, double share) { return panel->y - HEIGHT * share; }

/* How many rows of its kind come before a row. Of colour and dash, rows with a parameter have 24, the others 40, before one comes
 * again. */
static size_t rank(const svg_chart *chart, size_t row) {
    size_t n = 0;
    for (size_t i = 0; i < row; i++) n += chart->table->row.at[i].numbered == chart->table->row.at[row].numbered;
    return n;
}

static const char *colour(const svg_chart *chart, size_t row) { return colours[rank(chart, row) % COLOURS]; }
static const char *dash(const svg_chart *chart, size_t row) {
    return chart->table->row.at[row].numbered ? pf_svg_dash(rank(chart, row)) : dashes[rank(chart, row) % DASHES];
}

static pf_err put_line(const svg_chart *chart, double x1, double y1, double x2, double y2, const char *style) {
    return pf_writer_text(chart->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

static pf_err put_text(const svg_chart *chart, double x, double y, const char *anchor, const char *text) {
    PF_TRY(pf_writer_text(chart->out, "<text x=\"%.1f\" y=\"%.1f\" style=\"text-anchor:%s\">", x, y, anchor));
    PF_TRY(pf_svg_escape(chart->out, text, strlen(text)));
    return pf_writer_text(chart->out, "</text>\n");
}

/* ---- a panel ---- */

static pf_err put_axes(const svg_chart *chart, const svg_panel *panel) {
    char words[80];
    unsigned step = 1 + chart->most / 12;
    for (int percent = 0; percent <= 100; percent += 20) {
        double y = y_of(panel, percent / 100.0);
        PF_TRY(put_line(chart, panel->x, y, panel->x + WIDTH, y, percent ? "stroke=\"#dddddd\"" : "stroke=\"#000000\""));
        snprintf(words, sizeof words, "%d %%", percent);
        PF_TRY(put_text(chart, panel->x - 6, y + 4, "end", words));
    }
    for (unsigned param = 0; param <= chart->most; param += step) {
        snprintf(words, sizeof words, "%u", param);
        PF_TRY(put_line(chart, x_of(chart, panel, param), panel->y, x_of(chart, panel, param), panel->y + 4, "stroke=\"#000000\""));
        PF_TRY(put_text(chart, x_of(chart, panel, param), panel->y + 17, "middle", words));
    }
    return put_text(chart, panel->x + WIDTH / 2.0, panel->y + 33, "middle", "parameter");
}

static pf_err put_title(const svg_chart *chart, const svg_panel *panel) {
    static const char *const directions[PF_DIRECTIONS] = {"source to target", "target to source"};
    const uint64_t pairs = chart->table->pairs.at[panel->bin];
    char label[80], words[160];
    pf_coverage_table_label(chart->table, panel->bin, label, sizeof label);
    snprintf(words, sizeof words, "%s, %s: %" PRIu64 " pair%s", directions[panel->direction], label, pairs, pf_plural(pairs));
    return put_text(chart, panel->x, panel->y - HEIGHT - 10, "start", words);
}

typedef struct {
    double low, share, high;
} svg_figure;

static svg_figure figure_of(const svg_chart *chart, const svg_panel *panel, size_t row, unsigned param) {
    const pf_coverage_cell *cell = pf_coverage_table_cell(chart->table, panel->bin, row, panel->direction);
    uint64_t reached = pf_coverage_reached(cell, param), pairs = chart->table->pairs.at[panel->bin];
    svg_figure figure = {.share = (double)reached / (double)pairs};
    pf_coverage_interval(reached, pairs, &figure.low, &figure.high);
    return figure;
}

/* Along the upper ends of the intervals and back along the lower ones. */
static pf_err put_band(const svg_chart *chart, const svg_panel *panel, size_t row) {
    unsigned from = chart->table->row.at[row].lowest;
    PF_TRY(pf_writer_text(chart->out, "<polygon fill=\"%s\" fill-opacity=\"0.12\" points=\"", colour(chart, row)));
    for (unsigned param = from; param <= chart->most; param++)
        PF_TRY(pf_writer_text(chart->out, "%.1f,%.1f ", x_of(chart, panel, param),
                              y_of(panel, figure_of(chart, panel, row, param).high)));
    for (unsigned param = chart->most + 1; param-- > from;)
        PF_TRY(pf_writer_text(chart->out, "%.1f,%.1f%s", x_of(chart, panel, param),
                              y_of(panel, figure_of(chart, panel, row, param).low), param > from ? " " : ""));
    return pf_writer_text(chart->out, "\"/>\n");
}

static pf_err put_curve(const svg_chart *chart, const svg_panel *panel, size_t row) {
    PF_TRY(put_band(chart, panel, row));
    PF_TRY(pf_writer_text(chart->out,
                          "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\" points=\"",
                          colour(chart, row), dash(chart, row)));
    for (unsigned param = chart->table->row.at[row].lowest; param <= chart->most; param++)
        PF_TRY(pf_writer_text(chart->out, "%s%.1f,%.1f", param > chart->table->row.at[row].lowest ? " " : "",
                              x_of(chart, panel, param), y_of(panel, figure_of(chart, panel, row, param).share)));
    return pf_writer_text(chart->out, "\"/>\n");
}

static pf_err put_level(const svg_chart *chart, const svg_panel *panel, size_t row) {
    char style[120];
    double y = y_of(panel, figure_of(chart, panel, row, 0).share);
    snprintf(style, sizeof style, "stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\"", colour(chart, row),
             dash(chart, row));
    return put_line(chart, panel->x, y, panel->x + WIDTH, y, style);
}

static pf_err put_panel(const svg_chart *chart, const svg_panel *panel) {
    PF_TRY(put_axes(chart, panel));
    PF_TRY(put_title(chart, panel));
    for (size_t row = 0; row < chart->table->row.n && chart->table->pairs.at[panel->bin]; row++) {
        if (!chart->table->row.at[row].asked[panel->direction]) continue;
        PF_TRY(chart->table->row.at[row].numbered ? put_curve(chart, panel, row) : put_level(chart, panel, row));
    }
    return PF_OK;
}

/* ---- the whole ---- */

static pf_err put_legend(const svg_chart *chart) {
    double x = LEFT + chart->columns * (WIDTH + ACROSS);
    for (size_t row = 0; row < chart->table->row.n; row++) {
        double y = TOP + LINE * ((double)row + 0.5);
        char style[120];
        snprintf(style, sizeof style, "stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\"", colour(chart, row),
                 dash(chart, row));
        PF_TRY(put_line(chart, x, y, x + 30, y, style));
        PF_TRY(put_text(chart, x + 38, y + 4, "start", chart->table->row.at[row].name));
    }
    return PF_OK;
}

/* The shares of all pairs: of a row with a parameter, at the largest one drawn. */
static pf_err describe(const svg_chart *chart) {
    static const char *const directions[PF_DIRECTIONS] = {"Source to target", "Target to source"};
    const pf_coverage_table *table = chart->table;
    PF_TRY(pf_writer_text(chart->out, "A panel for each direction and length; the share of pairs over the parameter."));
    for (unsigned column = 0; column < chart->columns && table->pairs.at[0]; column++) {
        svg_panel panel = {0, chart->direction[column], 0, 0};
        PF_TRY(pf_writer_text(chart->out, " %s:", directions[chart->direction[column]]));
        for (size_t row = 0; row < table->row.n; row++) {
            if (!table->row.at[row].asked[chart->direction[column]]) continue;
            PF_TRY(pf_writer_put(chart->out, " ", 1));
            PF_TRY(pf_svg_escape(chart->out, table->row.at[row].name, strlen(table->row.at[row].name)));
            PF_TRY(pf_writer_text(chart->out, table->row.at[row].numbered ? " up to %.1f %%;" : " %.1f %%;",
                                  100 * figure_of(chart, &panel, row, chart->most).share));
        }
    }
    return PF_OK;
}

static pf_err put_head(const svg_chart *chart) {
    size_t bins = pf_coverage_table_bins(chart->table);
    double width = LEFT + chart->columns * (WIDTH + ACROSS) + LEGEND, height = TOP + (double)bins * (HEIGHT + DOWN);
    double legend = TOP + LINE * ((double)chart->table->row.n + 1);
    if (height < legend) height = legend;
    PF_TRY(pf_svg_begin(chart->out, (int)width, (int)height));
    PF_TRY(pf_writer_text(chart->out, "Share of alignments that each constraint reaches"));
    PF_TRY(pf_svg_describe(chart->out));
    PF_TRY(describe(chart));
    return pf_svg_style(chart->out, "text{font-size:12px}");
}

static void find_columns(svg_chart *chart) {
    for (unsigned direction = 0; direction < PF_DIRECTIONS; direction++) {
        bool any = false;
        for (size_t row = 0; row < chart->table->row.n; row++) any = any || chart->table->row.at[row].asked[direction];
        if (any) chart->direction[chart->columns++] = direction;
    }
}

pf_err pf_coverage_table_svg(const pf_coverage_table *table, unsigned most, pf_writer *writer) {
    svg_chart chart = {.table = table, .most = most ? most : PF_COVERAGE_MOST, .out = writer};
    find_columns(&chart);
    PF_TRY(put_head(&chart));
    for (size_t bin = 0; bin < pf_coverage_table_bins(table); bin++)
        for (unsigned i = 0; i < chart.columns; i++) {
            svg_panel panel = {bin, chart.direction[i], LEFT + i * (WIDTH + ACROSS), TOP + HEIGHT + (double)bin * (HEIGHT + DOWN)};
            PF_TRY(put_panel(&chart, &panel));
        }
    PF_TRY(put_legend(&chart));
    return pf_writer_text(writer, "</svg>\n");
}
