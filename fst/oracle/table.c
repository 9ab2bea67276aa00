/* The table of oracles: sentences are kept, with the words of their orders, as NIST asks for all references before it scores any. */
#include <permfst/oracle/table.h>

#include <permfst/metric/systems.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIST, RIBES, METRICS };

struct pf_oracle_table {
    const pf_oracle_table_options *options;
    PF_VEC(pf_oracle_sentence) sentence;
    PF_VEC(pf_oracle_row) row; /* by space and group; the last group are all */
};

static size_t groups_of(const pf_oracle_table *table) { return table->options->bins + 2; }

pf_err pf_oracle_table_new(const pf_oracle_table_options *options, pf_oracle_table **out) {
    if (!(*out = calloc(1, sizeof **out))) return pf_nomem();
    (*out)->options = options;
    return PF_OK;
}

void pf_oracle_table_free(pf_oracle_table *table) {
    if (!table) return;
    for (size_t i = 0; i < table->sentence.n; i++) pf_oracle_sentence_free(&table->sentence.at[i]);
    PF_VEC_FREE(&table->sentence);
    PF_VEC_FREE(&table->row);
    free(table);
}

pf_err pf_oracle_table_add(pf_oracle_table *table, pf_oracle_sentence *sentence) {
    PF_TRY(PF_PUSH(&table->sentence, *sentence));
    *sentence = (pf_oracle_sentence){0};
    return PF_OK;
}

/* ---- figures ---- */

static size_t group_of(const pf_oracle_table *table, unsigned words) {
    size_t group = 0;
    while (group < table->options->bins && words > table->options->bin[group]) group++;
    return group;
}

static pf_err add_line(pf_docset *set, const char *line) {
    size_t n = strlen(line);
    PF_TRY(PF_ROOM(&set->text, n + 1));
    memcpy(set->text.at + set->text.n, line, n);
    set->text.n += n;
    return PF_PUSH(&set->end, set->text.n);
}

static void free_set(pf_docset *set) {
    PF_VEC_FREE(&set->text);
    PF_VEC_FREE(&set->end);
    pf_statetab_free(&set->key);
}

/* Reference k of all sentences, or their orders in a space. */
static pf_err add_set(const pf_oracle_table *table, pf_systems *systems, bool is_reference, size_t k) {
    pf_docset set = {0};
    size_t extra, first;
    pf_err err = PF_OK;
    pf_statetab_init(&set.key, 0);
    for (size_t i = 0; !err && i < table->sentence.n; i++) {
        const pf_oracle_sentence *sentence = &table->sentence.at[i];
        err = add_line(&set, is_reference ? sentence->reference.at[k] : sentence->space.at[k].text);
    }
    if (!err) err = is_reference ? pf_systems_reference(systems, &set, "references")
                                 : pf_systems_add(systems, &set, table->options->space[k], &extra, &first);
    free_set(&set);
    return err;
}

static pf_err add_metric(pf_systems *systems, const char *name) {
    const pf_metric_class *cls;
    const pf_metric_options options = {.bleu = pf_bleu_usual()};
    PF_TRY(pf_metric_find(PF_METRIC_WORDS, name, strlen(name), &cls));
    return pf_systems_metric(systems, cls, &options);
}

static pf_err count_all(const pf_oracle_table *table, pf_systems *systems) {
    PF_TRY(add_metric(systems, "nist"));
    PF_TRY(add_metric(systems, "ribes"));
    for (size_t k = 0; k < table->sentence.at[0].reference.n; k++) PF_TRY(add_set(table, systems, true, k));
    for (size_t k = 0; k < table->options->spaces; k++) PF_TRY(add_set(table, systems, false, k));
    for (size_t i = 0; i < table->sentence.n; i++) PF_TRY(pf_systems_count(systems, i));
    return PF_OK;
}

static double metric_of(const pf_oracle_table *table, const pf_systems *systems, size_t space, size_t group, unsigned metric) {
    double sum[PF_METRIC_STATISTICS] = {0};
    unsigned width = systems->metric[metric].cls->width(&systems->metric[metric].options);
    for (size_t i = 0; i < table->sentence.n; i++) {
        const double *own = pf_systems_segment(systems, space, metric, i);
        bool counts = group + 1 == groups_of(table) || group_of(table, table->sentence.at[i].words) == group;
        for (unsigned k = 0; counts && k < width; k++) sum[k] += own[k];
    }
    return pf_metric_score(&systems->metric[metric], sum);
}

static void make_row(const pf_oracle_table *table, const pf_systems *systems, size_t space, size_t group, pf_oracle_row *row) {
    pf_oracle_counts sum = {{0}, {0}, 0, 0};
    *row = (pf_oracle_row){0};
    for (size_t i = 0; i < table->sentence.n; i++) {
        const pf_oracle_sentence *sentence = &table->sentence.at[i];
        const pf_oracle_cell *cell = &sentence->space.at[space];
        if (group + 1 < groups_of(table) && group_of(table, sentence->words) != group) continue;
        pf_oracle_counts_add(&sum, &cell->counts);
        row->sentences++;
        row->proven += cell->proven;
        if (!cell->proven) row->most += 100 * (cell->bound - pf_oracle_score(&cell->counts, !table->options->search.without_brevity));
        row->states += (double)cell->states;
        row->searches += cell->searches;
        row->seconds += cell->seconds;
    }
    if (!row->sentences) return;
    if (row->sentences > row->proven) row->most /= (double)(row->sentences - row->proven);
    row->states /= (double)row->sentences;
    row->searches /= (double)row->sentences;
    row->bleu = pf_oracle_corpus_bleu(&sum);
    row->nist = metric_of(table, systems, space, group, NIST);
    row->ribes = metric_of(table, systems, space, group, RIBES);
}

pf_err pf_oracle_table_finish(pf_oracle_table *table) {
    pf_systems systems;
    size_t rows = table->options->spaces * groups_of(table);
    PF_TRY(PF_ROOM(&table->row, rows + 1));
    memset(table->row.at, 0, (rows + 1) * sizeof *table->row.at);
    table->row.n = rows;
    if (!table->sentence.n) return PF_OK;
    pf_systems_init(&systems, pf_tokeniser_at(0));
    pf_err err = count_all(table, &systems);
    for (size_t i = 0; !err && i < rows; i++)
        make_row(table, &systems, i / groups_of(table), i % groups_of(table), &table->row.at[i]);
    pf_systems_free(&systems);
    return err;
}

const pf_oracle_row *pf_oracle_table_row(const pf_oracle_table *table, size_t space, size_t group) {
    return &table->row.at[space * groups_of(table) + group];
}

/* ---- rows as text ---- */

enum { WORDS_ROOM = 24, WIDEST = 40 };

static const char *words_of(const pf_oracle_table *table, size_t group, char words[WORDS_ROOM]) {
    const unsigned *bin = table->options->bin;
    unsigned from = group && group <= table->options->bins ? bin[group - 1] + 1 : 0;
    if (group + 1 == groups_of(table)) snprintf(words, WORDS_ROOM, "all");
    else if (group < table->options->bins) snprintf(words, WORDS_ROOM, "%u-%u", from, bin[group]);
    else snprintf(words, WORDS_ROOM, "%u-", from);
    return words;
}

static pf_err put_number(pf_writer *writer, const char *before, double value, int digits) {
    PF_TRY(pf_writer_text(writer, "%s", before));
    return isnan(value) ? pf_writer_text(writer, "nan") : pf_writer_text(writer, "%.*f", digits, value);
}

static pf_err put_tsv(const pf_oracle_table *table, size_t space, size_t group, bool timed, pf_writer *writer) {
    char words[WORDS_ROOM];
    const pf_oracle_row *row = pf_oracle_table_row(table, space, group);
    PF_TRY(pf_writer_text(writer, "%s\t%s\t%llu", table->options->space[space], words_of(table, group, words), (unsigned long long)row->sentences));
    PF_TRY(put_number(writer, "\t", row->bleu, 4));
    PF_TRY(put_number(writer, "\t", row->nist, 4));
    PF_TRY(put_number(writer, "\t", row->ribes, 4));
    PF_TRY(pf_writer_text(writer, "\t%.2f\t%.2f\t%.1f\t%.3f", 100 * (double)row->proven / (double)row->sentences, row->most, row->states, row->searches));
    if (timed) PF_TRY(put_number(writer, "\t", row->seconds, 1));
    return pf_writer_text(writer, "\n");
}

static pf_err put_row(const pf_oracle_table *table, size_t space, size_t group, bool timed, pf_writer *writer) {
    char words[WORDS_ROOM];
    const pf_oracle_row *row = pf_oracle_table_row(table, space, group);
    PF_TRY(pf_writer_text(writer, "%-20.*s %7s %9llu %8.2f %8.4f %7.4f %7.2f %6.2f %12.1f %8.3f", WIDEST, table->options->space[space],
                          words_of(table, group, words), (unsigned long long)row->sentences, row->bleu, row->nist, row->ribes,
                          100 * (double)row->proven / (double)row->sentences, row->most, row->states, row->searches));
    if (timed) PF_TRY(pf_writer_text(writer, " %9.1f", row->seconds));
    return pf_writer_text(writer, "\n");
}

pf_err pf_oracle_table_write(const pf_oracle_table *table, pf_oracle_table_format format, bool timed, pf_writer *writer) {
    bool tsv = format == PF_ORACLE_TABLE_TSV;
    PF_TRY(pf_writer_text(writer, tsv ? "space\twords\tsentences\tBLEU\tNIST\tRIBES\tproven\tgap\tstates\tsearches%s\n"
                                      : "space                  words sentences     BLEU     NIST   RIBES  proven    gap       states searches%s\n",
                          !timed ? "" : tsv ? "\tseconds" : "   seconds"));
    for (size_t group = 0; group < groups_of(table); group++)
        for (size_t space = 0; space < table->options->spaces; space++)
            if (pf_oracle_table_row(table, space, group)->sentences)
                PF_TRY((tsv ? put_tsv : put_row)(table, space, group, timed, writer));
    return PF_OK;
}

/* ---- the chart ---- */

enum { LEFT = 60, TOP = 40, WIDTH = 520, HEIGHT = 340, LEGEND = 150, TICKS = 5 };

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct {
    const pf_oracle_table *table;
    pf_writer *writer;
    size_t columns;       /* groups with sentences */
    double least, most;   /* BLEU at the bottom and the top: multiples of 5 */
} svg_plot;

static double y_of(const svg_plot *plot, double bleu) { return TOP + HEIGHT * (plot->most - bleu) / (plot->most - plot->least); }
static double x_of(const svg_plot *plot, size_t column) { return LEFT + WIDTH * ((double)column + 0.5) / (double)(plot->columns ? plot->columns : 1); }

static void find_range(svg_plot *plot) {
    const pf_oracle_table *table = plot->table;
    double least = 100, most = 0;
    for (size_t group = 0; group + 1 < groups_of(table); group++)
        for (size_t space = 0; space < table->options->spaces; space++) {
            const pf_oracle_row *row = pf_oracle_table_row(table, space, group);
            if (!row->sentences) continue;
            plot->columns += space == 0;
            least = fmin(least, row->bleu);
            most = fmax(most, row->bleu);
        }
    plot->least = fmin(95, 5 * floor(least / 5));
    plot->most = fmax(plot->least + 5, 5 * ceil(most / 5));
}

static pf_err put_escaped(pf_writer *writer, const char *text) {
    for (; *text; text++)
        PF_TRY(*text == '<' ? pf_writer_text(writer, "&lt;") : *text == '&' ? pf_writer_text(writer, "&amp;") : pf_writer_put(writer, text, 1));
    return PF_OK;
}

static pf_err put_axes(const svg_plot *plot) {
    char words[WORDS_ROOM];
    for (int i = 0; i <= TICKS; i++) {
        double bleu = plot->least + (plot->most - plot->least) * i / TICKS, y = y_of(plot, bleu);
        PF_TRY(pf_writer_text(plot->writer, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, y, LEFT + WIDTH, y));
        PF_TRY(pf_writer_text(plot->writer, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4, bleu));
    }
    for (size_t group = 0, column = 0; group + 1 < groups_of(plot->table); group++) {
        if (!pf_oracle_table_row(plot->table, 0, group)->sentences) continue;
        PF_TRY(pf_writer_text(plot->writer, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(plot, column++),
                              TOP + HEIGHT + 18, words_of(plot->table, group, words)));
    }
    PF_TRY(pf_writer_text(plot->writer, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">Sentence length</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 40));
    return pf_writer_text(plot->writer, "<text x=\"%d\" y=\"%d\">BLEU</text>\n", LEFT - 40, TOP - 14);
}

/* A line through the groups, with a dot for each; dashes tell lines of one colour apart. */
static pf_err put_curve(const svg_plot *plot, size_t space) {
    const char *colour = colours[space % COLOURS];
    bool first = true;
    PF_TRY(pf_writer_text(plot->writer, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\"%s d=\"", colour,
                          space / COLOURS % 2 ? " stroke-dasharray=\"6 3\"" : ""));
    for (size_t group = 0, column = 0; group + 1 < groups_of(plot->table); group++) {
        const pf_oracle_row *row = pf_oracle_table_row(plot->table, space, group);
        if (!row->sentences) continue;
        PF_TRY(pf_writer_text(plot->writer, "%s%.1f %.1f", first ? "M" : " L", x_of(plot, column++), y_of(plot, row->bleu)));
        first = false;
    }
    PF_TRY(pf_writer_text(plot->writer, "\"/>\n"));
    for (size_t group = 0, column = 0; group + 1 < groups_of(plot->table); group++) {
        const pf_oracle_row *row = pf_oracle_table_row(plot->table, space, group);
        if (!row->sentences) continue;
        PF_TRY(pf_writer_text(plot->writer, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(plot, column++), y_of(plot, row->bleu), colour));
    }
    double y = TOP + 10 + 18 * (double)space;
    PF_TRY(pf_writer_text(plot->writer, "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>\n<text x=\"%d\" y=\"%.1f\">", LEFT + WIDTH + 14, y - 6, colour, LEFT + WIDTH + 34, y));
    PF_TRY(put_escaped(plot->writer, plot->table->options->space[space]));
    return pf_writer_text(plot->writer, "</text>\n");
}

pf_err pf_oracle_table_chart(const pf_oracle_table *table, pf_writer *writer) {
    svg_plot plot = {.table = table, .writer = writer};
    size_t legend = 18 * table->options->spaces + 40, height = legend > HEIGHT + 100 ? legend : HEIGHT + 100;
    find_range(&plot);
    PF_TRY(pf_writer_text(writer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
                          "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                          LEFT + WIDTH + LEGEND, height));
    PF_TRY(put_axes(&plot));
    for (size_t space = 0; space < table->options->spaces; space++) PF_TRY(put_curve(&plot, space));
    return pf_writer_text(writer, "</svg>\n");
}
