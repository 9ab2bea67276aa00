/* The table as a chart: a row of panels for each bin, a column for each direction, a line for each row of the table, with its
 * interval as a band. What has no parameter is a dashed line across. The colours can be told apart by people who see fewer
 * of them (Okabe and Ito). */
#include <permfst/coverage/table.h>

#include <inttypes.h>
#include <stdio.h>

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

static double x_of(const svg_chart *c, const svg_panel *p, double param) { return p->x + WIDTH * param / (c->most ? c->most : 1); }
static double y_of(const svg_panel *p, double share) { return p->y - HEIGHT * share; }

/* How many rows of its kind come before a row. Rows with a parameter have 8
 * colours, the others 40 of colour and dash, before one comes again. */
static size_t rank(const svg_chart *c, size_t row) {
    size_t n = 0;
    for (size_t i = 0; i < row; i++) n += c->table->row.at[i].numbered == c->table->row.at[row].numbered;
    return n;
}

static const char *colour(const svg_chart *c, size_t row) { return colours[rank(c, row) % COLOURS]; }
static const char *dash(const svg_chart *c, size_t row) {
    return c->table->row.at[row].numbered ? "none" : dashes[rank(c, row) % DASHES];
}

/* Text as XML has it; names of constraints are ASCII. */
static pf_err put_escaped(pf_writer *w, const char *text) {
    for (; *text; text++) {
        unsigned char x = (unsigned char)*text;
        if (x == '<') PF_TRY(pf_writer_text(w, "&lt;"));
        else if (x == '&') PF_TRY(pf_writer_text(w, "&amp;"));
        else PF_TRY(pf_writer_put(w, x < ' ' || x > '~' ? "?" : text, 1));
    }
    return PF_OK;
}

static pf_err put_line(const svg_chart *c, double x1, double y1, double x2, double y2, const char *style) {
    return pf_writer_text(c->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

static pf_err put_text(const svg_chart *c, double x, double y, const char *anchor, const char *text) {
    PF_TRY(pf_writer_text(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor));
    PF_TRY(put_escaped(c->out, text));
    return pf_writer_text(c->out, "</text>\n");
}

/* ---- a panel ---- */

static pf_err put_axes(const svg_chart *c, const svg_panel *p) {
    char words[80];
    unsigned step = 1 + c->most / 12;
    for (int percent = 0; percent <= 100; percent += 20) {
        double y = y_of(p, percent / 100.0);
        PF_TRY(put_line(c, p->x, y, p->x + WIDTH, y, percent ? "stroke=\"#dddddd\"" : "stroke=\"#000000\""));
        snprintf(words, sizeof words, "%d %%", percent);
        PF_TRY(put_text(c, p->x - 6, y + 4, "end", words));
    }
    for (unsigned k = 0; k <= c->most; k += step) {
        snprintf(words, sizeof words, "%u", k);
        PF_TRY(put_line(c, x_of(c, p, k), p->y, x_of(c, p, k), p->y + 4, "stroke=\"#000000\""));
        PF_TRY(put_text(c, x_of(c, p, k), p->y + 17, "middle", words));
    }
    return put_text(c, p->x + WIDTH / 2.0, p->y + 33, "middle", "parameter");
}

static pf_err put_title(const svg_chart *c, const svg_panel *p) {
    static const char *const directions[PF_DIRECTIONS] = {"source to target", "target to source"};
    char label[80], words[160];
    pf_coverage_table_label(c->table, p->bin, label, sizeof label);
    snprintf(words, sizeof words, "%s, %s: %" PRIu64 " pairs", directions[p->direction], label, c->table->pairs.at[p->bin]);
    return put_text(c, p->x, p->y - HEIGHT - 10, "start", words);
}

typedef struct {
    double low, share, high;
} svg_figure;

static svg_figure figure_of(const svg_chart *c, const svg_panel *p, size_t row, unsigned param) {
    const pf_coverage_cell *cell = pf_coverage_table_cell(c->table, p->bin, row, p->direction);
    uint64_t reached = pf_coverage_reached(cell, param), pairs = c->table->pairs.at[p->bin];
    svg_figure f = {.share = (double)reached / (double)pairs};
    pf_coverage_interval(reached, pairs, &f.low, &f.high);
    return f;
}

/* Along the upper ends of the intervals and back along the lower ones. */
static pf_err put_band(const svg_chart *c, const svg_panel *p, size_t row) {
    unsigned from = c->table->row.at[row].lowest;
    PF_TRY(pf_writer_text(c->out, "<polygon fill=\"%s\" fill-opacity=\"0.12\" points=\"", colour(c, row)));
    for (unsigned k = from; k <= c->most; k++)
        PF_TRY(pf_writer_text(c->out, "%.1f,%.1f ", x_of(c, p, k), y_of(p, figure_of(c, p, row, k).high)));
    for (unsigned k = c->most + 1; k-- > from;)
        PF_TRY(pf_writer_text(c->out, "%.1f,%.1f%s", x_of(c, p, k), y_of(p, figure_of(c, p, row, k).low),
                              k > from ? " " : ""));
    return pf_writer_text(c->out, "\"/>\n");
}

static pf_err put_curve(const svg_chart *c, const svg_panel *p, size_t row) {
    PF_TRY(put_band(c, p, row));
    PF_TRY(pf_writer_text(c->out, "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"", colour(c, row)));
    for (unsigned k = c->table->row.at[row].lowest; k <= c->most; k++)
        PF_TRY(pf_writer_text(c->out, "%s%.1f,%.1f", k > c->table->row.at[row].lowest ? " " : "", x_of(c, p, k),
                              y_of(p, figure_of(c, p, row, k).share)));
    return pf_writer_text(c->out, "\"/>\n");
}

static pf_err put_level(const svg_chart *c, const svg_panel *p, size_t row) {
    char style[120];
    double y = y_of(p, figure_of(c, p, row, 0).share);
    snprintf(style, sizeof style, "stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\"", colour(c, row), dash(c, row));
    return put_line(c, p->x, y, p->x + WIDTH, y, style);
}

static pf_err put_panel(const svg_chart *c, const svg_panel *p) {
    PF_TRY(put_axes(c, p));
    PF_TRY(put_title(c, p));
    for (size_t row = 0; row < c->table->row.n && c->table->pairs.at[p->bin]; row++) {
        if (!c->table->row.at[row].asked[p->direction]) continue;
        PF_TRY(c->table->row.at[row].numbered ? put_curve(c, p, row) : put_level(c, p, row));
    }
    return PF_OK;
}

/* ---- the whole ---- */

static pf_err put_legend(const svg_chart *c) {
    double x = LEFT + c->columns * (WIDTH + ACROSS);
    for (size_t row = 0; row < c->table->row.n; row++) {
        double y = TOP + LINE * ((double)row + 0.5);
        char style[120];
        snprintf(style, sizeof style, "stroke-width=\"1.5\" stroke=\"%s\" stroke-dasharray=\"%s\"", colour(c, row), dash(c, row));
        PF_TRY(put_line(c, x, y, x + 30, y, style));
        PF_TRY(put_text(c, x + 38, y + 4, "start", c->table->row.at[row].name));
    }
    return PF_OK;
}

static pf_err put_head(const svg_chart *c) {
    size_t bins = pf_coverage_table_bins(c->table);
    double width = LEFT + c->columns * (WIDTH + ACROSS) + LEGEND, height = TOP + (double)bins * (HEIGHT + DOWN);
    double legend = TOP + LINE * ((double)c->table->row.n + 1);
    if (height < legend) height = legend;
    PF_TRY(pf_writer_text(c->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                                "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n",
                          width, height, width, height));
    PF_TRY(pf_writer_text(c->out, "<title>Share of alignments that each constraint reaches</title>\n"));
    return pf_writer_text(c->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
}

static void find_columns(svg_chart *c) {
    for (unsigned d = 0; d < PF_DIRECTIONS; d++) {
        bool any = false;
        for (size_t row = 0; row < c->table->row.n; row++) any = any || c->table->row.at[row].asked[d];
        if (any) c->direction[c->columns++] = d;
    }
}

pf_err pf_coverage_table_svg(const pf_coverage_table *t, unsigned most, pf_writer *w) {
    svg_chart c = {.table = t, .most = most, .out = w};
    find_columns(&c);
    PF_TRY(put_head(&c));
    for (size_t bin = 0; bin < pf_coverage_table_bins(t); bin++)
        for (unsigned i = 0; i < c.columns; i++) {
            svg_panel p = {bin, c.direction[i], LEFT + i * (WIDTH + ACROSS), TOP + HEIGHT + (double)bin * (HEIGHT + DOWN)};
            PF_TRY(put_panel(&c, &p));
        }
    PF_TRY(put_legend(&c));
    return pf_writer_text(w, "</svg>\n");
}
