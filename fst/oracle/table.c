/* The table of oracles: sentences are kept, with the words of their orders, as NIST sees all references before it scores. */
#include <permfst/oracle/table.h>

#include <permfst/draw/plot.h>
#include <permfst/metric/systems.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NIST, RIBES, METRICS };

struct pf_oracle_table {
    pf_oracle_table_options options;
    pf_oracle_spaces space;
    PF_VEC(pf_oracle_sentence) sentence;
    PF_VEC(pf_oracle_row) row; /* by space and group; the last group are all */
};

static size_t groups_of(const pf_oracle_table *table) { return table->options.bins + 2; }

static pf_err check_bins(const pf_oracle_table_options *options) {
    for (size_t bin = 0; bin < options->bins; bin++) {
        double own = options->bin[bin];
        if (!(own >= 1 && own <= PF_MAX_WORDS && own == floor(own)) || (bin && own <= options->bin[bin - 1]))
            return pf_fail(PF_EARG, "expected ascending numbers of words for the groups of a table, found %g", own);
    }
    return PF_OK;
}

static pf_err read_options(pf_oracle_table *table, const pf_oracle_table_options *given) {
    static const double usual_bins[] = {5, 10, 15, 20, 25, 30, 35, 40};
    pf_oracle_table_options *options = &table->options;
    *options = *given;
    if (!given->bins) options->bin = usual_bins, options->bins = sizeof usual_bins / sizeof *usual_bins;
    for (size_t i = 0; i < given->spaces; i++) PF_TRY(pf_oracle_spaces_add(&table->space, given->space[i]));
    if (!given->spaces) PF_TRY(pf_oracle_spaces_add(&table->space, "none"));
    options->space = (const char *const *)table->space.at;
    options->spaces = table->space.n;
    return check_bins(options);
}

pf_err pf_oracle_table_new(const pf_oracle_table_options *options, pf_oracle_table **out) {
    pf_oracle_table *table = calloc(1, sizeof *table);
    *out = NULL;
    if (!table) return pf_nomem();
    pf_err err = read_options(table, options);
    if (err) pf_oracle_table_free(table);
    else *out = table;
    return err;
}

void pf_oracle_table_free(pf_oracle_table *table) {
    if (!table) return;
    for (size_t i = 0; i < table->sentence.n; i++) pf_oracle_sentence_free(&table->sentence.at[i]);
    PF_VEC_FREE(&table->sentence);
    PF_VEC_FREE(&table->row);
    pf_oracle_spaces_free(&table->space);
    free(table);
}

pf_err pf_oracle_table_add(pf_oracle_table *table, pf_oracle_sentence *sentence) {
    assert(!table->sentence.n || table->sentence.at[0].reference.n == sentence->reference.n);
    assert(sentence->space.n == table->options.spaces);
    PF_TRY(PF_PUSH(&table->sentence, *sentence));
    *sentence = (pf_oracle_sentence){0};
    return PF_OK;
}

const pf_oracle_table_options *pf_oracle_table_asked(const pf_oracle_table *table) { return &table->options; }

const char *pf_oracle_table_words(const pf_oracle_table *table, char words[PF_ORACLE_TABLE_BYTES]) {
    size_t more = 0, candidates = table->options.candidates ? table->options.candidates : 1;
    for (size_t i = 0; i < table->sentence.n; i++) more += table->sentence.at[i].more_paths;
    snprintf(words, PF_ORACLE_TABLE_BYTES, "%zu sentence%s more paths than --candidates=%zu: what is proven is proven of these "
             "candidates", more, more == 1 ? " has" : "s have", candidates);
    return more ? words : NULL;
}

/* ---- figures ---- */

static size_t group_of(const pf_oracle_table *table, unsigned words) {
    size_t group = 0;
    while (group < table->options.bins && words > table->options.bin[group]) group++;
    return group;
}

static pf_err add_line(pf_docset *set, const char *line) {
    size_t length = strlen(line);
    PF_TRY(PF_ROOM(&set->text, length + 1));
    memcpy(set->text.at + set->text.n, line, length);
    set->text.n += length;
    return PF_PUSH(&set->end, set->text.n);
}

static void free_set(pf_docset *set) {
    PF_VEC_FREE(&set->text);
    PF_VEC_FREE(&set->end);
    pf_statetab_free(&set->key);
}

/* Reference k of all sentences, or their orders in a space. */
static pf_err add_set(const pf_oracle_table *table, pf_systems *systems, bool is_reference, size_t which) {
    pf_docset set = {0};
    size_t extra, first;
    pf_err err = PF_OK;
    pf_statetab_init(&set.key, 0);
    for (size_t row = 0; !err && row < table->sentence.n; row++) {
        const pf_oracle_sentence *sentence = &table->sentence.at[row];
        err = add_line(&set, is_reference ? sentence->reference.at[which] : sentence->space.at[which].text);
    }
    if (!err)
        err = is_reference ? pf_systems_reference(systems, &set, "references")
                           : pf_systems_add(systems, &set, table->options.space[which], &extra, &first);
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
    for (size_t k = 0; k < table->options.spaces; k++) PF_TRY(add_set(table, systems, false, k));
    for (size_t i = 0; i < table->sentence.n; i++) PF_TRY(pf_systems_count(systems, i));
    return PF_OK;
}

static double metric_of(const pf_oracle_table *table, const pf_systems *systems, size_t space, size_t group, unsigned metric) {
    double sum[PF_METRIC_STATISTICS] = {0};
    unsigned width = systems->metric[metric].cls->width(&systems->metric[metric].options);
    for (size_t sentence = 0; sentence < table->sentence.n; sentence++) {
        const double *own = pf_systems_segment(systems, space, metric, sentence);
        bool counts = group + 1 == groups_of(table) || group_of(table, table->sentence.at[sentence].words) == group;
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
        if (!cell->proven)
            row->most += 100 * (cell->bound - pf_oracle_score(&cell->counts, !table->options.search.without_brevity));
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

static pf_err figure_out(pf_oracle_table *table) {
    pf_systems systems;
    size_t rows = table->options.spaces * groups_of(table);
    PF_TRY(PF_ROOM(&table->row, rows + 1));
    memset(table->row.at, 0, (rows + 1) * sizeof *table->row.at);
    table->row.n = rows;
    if (!table->sentence.n) return PF_OK;
    pf_systems_init(&systems, pf_tokeniser_at(0));
    pf_err err = count_all(table, &systems);
    for (size_t row = 0; !err && row < rows; row++)
        make_row(table, &systems, row / groups_of(table), row % groups_of(table), &table->row.at[row]);
    pf_systems_free(&systems);
    return err;
}

const pf_oracle_row *pf_oracle_table_row(const pf_oracle_table *table, size_t space, size_t group) {
    assert(space < table->options.spaces && group < groups_of(table) && table->row.n);
    return &table->row.at[space * groups_of(table) + group];
}

/* ---- rows as text ---- */

enum { WORDS_ROOM = 24, WIDEST = 40 };

static const char *words_of(const pf_oracle_table *table, size_t group, char words[WORDS_ROOM]) {
    const double *bin = table->options.bin;
    unsigned from = group && group <= table->options.bins ? (unsigned)bin[group - 1] + 1 : 0;
    if (group + 1 == groups_of(table)) snprintf(words, WORDS_ROOM, "all");
    else if (group < table->options.bins) snprintf(words, WORDS_ROOM, "%u-%u", from, (unsigned)bin[group]);
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
    PF_TRY(pf_writer_text(writer, "%s\t%s\t%llu", table->options.space[space], words_of(table, group, words),
                          (unsigned long long)row->sentences));
    PF_TRY(put_number(writer, "\t", row->bleu, 4));
    PF_TRY(put_number(writer, "\t", row->nist, 4));
    PF_TRY(put_number(writer, "\t", row->ribes, 4));
    PF_TRY(pf_writer_text(writer, "\t%.2f\t%.2f\t%.1f\t%.3f", 100 * (double)row->proven / (double)row->sentences, row->most,
                          row->states, row->searches));
    if (timed) PF_TRY(put_number(writer, "\t", row->seconds, 1));
    return pf_writer_text(writer, "\n");
}

static pf_err put_row(const pf_oracle_table *table, size_t space, size_t group, bool timed, pf_writer *writer) {
    char words[WORDS_ROOM];
    const pf_oracle_row *row = pf_oracle_table_row(table, space, group);
    PF_TRY(pf_writer_text(writer, "%-20.*s %7s %9llu %8.2f %8.4f %7.4f %7.2f %6.2f %12.1f %8.3f", WIDEST,
                          table->options.space[space],
                          words_of(table, group, words), (unsigned long long)row->sentences, row->bleu, row->nist, row->ribes,
                          100 * (double)row->proven / (double)row->sentences, row->most, row->states, row->searches));
    if (timed) PF_TRY(pf_writer_text(writer, " %9.1f", row->seconds));
    return pf_writer_text(writer, "\n");
}

static pf_err put_rows(const pf_oracle_table *table, pf_oracle_table_format format, bool timed, pf_writer *writer) {
    bool tsv = format == PF_ORACLE_TABLE_TSV;
    static const char *const heads[] = {
        "space                  words sentences     BLEU     NIST   RIBES  proven    gap       states searches",
        "space\twords\tsentences\tBLEU\tNIST\tRIBES\tproven\tgap\tstates\tsearches",
    };
    PF_TRY(pf_writer_text(writer, "%s%s\n", heads[tsv], !timed ? "" : tsv ? "\tseconds" : "   seconds"));
    for (size_t group = 0; group < groups_of(table); group++)
        for (size_t space = 0; space < table->options.spaces; space++)
            if (pf_oracle_table_row(table, space, group)->sentences)
                PF_TRY((tsv ? put_tsv : put_row)(table, space, group, timed, writer));
    return PF_OK;
}

/* ---- the chart ---- */

/* The words of the groups that have sentences: their number. */
static size_t name_groups(const pf_oracle_table *table, char (*words)[WORDS_ROOM], const char **name) {
    size_t groups = 0;
    for (size_t group = 0; group + 1 < groups_of(table); group++)
        if (pf_oracle_table_row(table, 0, group)->sentences) {
            name[groups] = words_of(table, group, words[groups]);
            groups++;
        }
    return groups;
}

static pf_err add_space(const pf_oracle_table *table, size_t space, pf_plot *plot) {
    double at = 0;
    PF_TRY(pf_plot_series_add(plot, table->options.space[space], true));
    for (size_t group = 0; group + 1 < groups_of(table); group++) {
        const pf_oracle_row *row = pf_oracle_table_row(table, space, group);
        if (row->sentences) PF_TRY(pf_plot_point_add(plot, (pf_plot_point){.at = at++, .value = row->bleu}));
    }
    return PF_OK;
}

static pf_err put_chart(const pf_oracle_table *table, pf_writer *writer) {
    char(*words)[WORDS_ROOM] = calloc(groups_of(table), sizeof *words);
    const char **name = calloc(groups_of(table), sizeof *name);
    pf_plot plot = {.title = "BLEU of the best orders", .x_name = "sentence length", .y_name = "BLEU", .x_words = name};
    pf_err err = words && name ? PF_OK : pf_nomem();
    if (!err) plot.n_words = name_groups(table, words, name);
    for (size_t space = 0; !err && space < table->options.spaces; space++) err = add_space(table, space, &plot);
    if (!err) err = pf_draw_plots(writer, "BLEU of the best orders of each space, by sentence length", &plot, 1);
    pf_plot_free(&plot);
    free(words);
    free(name);
    return err;
}

pf_err pf_oracle_table_put(pf_oracle_table *table, const pf_oracle_table_outputs *outputs) {
    PF_TRY(figure_out(table));
    if (outputs->writer[0]) PF_TRY(put_rows(table, outputs->format, outputs->timed, outputs->writer[0]));
    return outputs->writer[1] ? put_chart(table, outputs->writer[1]) : PF_OK;
}
