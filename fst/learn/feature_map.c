/* Features are counted in a table until it is full, then written. Reducing adds up a group of equal features at a time. */
#include <permfst/learn/feature_map.h>

#include <permfst/base/digits.h>

#include "learn/learn_impl.h"

#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)1 << 28) /* bytes of the table */
static const char MAP[] = "# permlearn-map 1 ", FEATURES[] = "permlearn-features";

struct pf_feature_map {
    pf_writer *out;
    pf_example_options options;
    pf_order_model *model;
    size_t most;
    PF_VEC(uint64_t) count;
    pf_gold_finder finder;
    pf_numbered numbered;
};

/* ---- map ---- */

static pf_err write_options(const pf_feature_map *map) {
    const pf_example_options *options = &map->options;
    PF_TRY(pf_writer_text(map->out, "%sgold=%s pairs=%s max-length=%llu templates=", MAP, pf_gold_name(options->gold),
                          options->all_pairs ? "all" : "gold", (unsigned long long)options->max_length));
    for (size_t k = 0; k < map->model->templates.at.n; k++)
        PF_TRY(pf_writer_text(map->out, "%s%s", k ? " " : "", map->model->templates.at.at[k].text));
    return pf_writer_put(map->out, "\n", 1);
}

pf_err pf_feature_map_new(pf_writer *writer, const pf_example_options *options, pf_order_model *model, size_t bytes,
                          pf_feature_map **out) {
    pf_feature_map *map = *out = calloc(1, sizeof *map);
    if (!map) return pf_nomem();
    *map = (pf_feature_map){.out = writer, .options = *options, .model = model, .most = bytes ? bytes : ROOM,
                            .finder = {.gold = options->gold}};
    pf_err err = write_options(map);
    if (err) {
        pf_feature_map_free(map);
        *out = NULL;
    }
    return err;
}

void pf_feature_map_free(pf_feature_map *map) {
    if (!map) return;
    PF_VEC_FREE(&map->count);
    pf_gold_finder_free(&map->finder);
    pf_numbered_free(&map->numbered);
    free(map);
}

static pf_err write_counts(pf_feature_map *map) {
    for (uint32_t feature = 0; feature < map->count.n; feature++) {
        size_t n;
        const uint32_t *key = pf_statetab_key(&map->model->feature, feature, &n);
        PF_TRY(pf_writer_text(map->out, "%s\t", map->model->templates.at.at[key[0]].text));
        PF_TRY(pfi_order_values_write(map->model, key, map->out));
        PF_TRY(pf_writer_text(map->out, "\t%llu\n", (unsigned long long)map->count.at[feature]));
    }
    pf_statetab_reset(&map->model->feature);
    map->count.n = 0;
    return PF_OK;
}

static pf_err count_feature(void *self, const uint32_t *key) {
    pf_feature_map *map = self;
    pf_statetab *table = &map->model->feature;
    uint32_t feature;
    int fresh;
    if (table->key_n + 24 * (size_t)table->n > map->most) PF_TRY(write_counts(map));
    PF_TRY(PF_ROOM(&map->count, 1));
    PF_TRY(pf_statetab_intern(table, key, map->model->stride * sizeof *key, &feature, &fresh));
    if (fresh) map->count.at[map->count.n++] = 0;
    map->count.at[feature]++;
    return PF_OK;
}

static pf_err map_sentence(pf_feature_map *map, const pf_factored *sentence) {
    const unsigned length = (unsigned)sentence->column[PF_COLUMN_WORDS]->n;
    sentence->links->n_source = length;
    PF_TRY(pf_gold_find(&map->finder, sentence->links, length));
    PF_TRY(pf_order_model_number(map->model, sentence, &map->numbered));
    for (unsigned i = 0; i < length; i++)
        for (unsigned j = i + 1; j < length; j++)
            if (map->options.all_pairs || pf_gold_of(&map->finder, i, j))
                PF_TRY(pf_order_model_features(map->model, &map->numbered, i, j, count_feature, map));
    return PF_OK;
}

pf_err pf_feature_map_read(pf_feature_map *map, pf_factor_reader *reader, uint64_t *too_long) {
    *too_long = 0;
    for (;;) {
        pf_factored sentence;
        bool more;
        PF_TRY(pf_factor_next(reader, &sentence, &more));
        if (!more) return write_counts(map);
        if (sentence.column[PF_COLUMN_WORDS]->n > map->options.max_length) {
            ++*too_long;
            continue;
        }
        pf_err err = map_sentence(map, &sentence);
        if (err) return pf_factor_blame(reader, err);
    }
}

/* ---- reduce ---- */

typedef struct {
    pf_reader *in;
    pf_writer *out;
    uint64_t min_count, *rare;
    PF_VEC(char) first; /* the first line */
    PF_VEC(char) group; /* template, tab, values, tab */
    uint64_t count;
} feature_reducer;

static pf_err put_header(feature_reducer *reducer, const char *list) {
    pf_templates templates = {{0}};
    pf_order_model *model;
    pf_err err = PF_OK;
    for (const char *end; !err && *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, " ");
        err = pf_templates_add(&templates, list, (size_t)(end - list));
    }
    if (err) pf_templates_free(&templates);
    if (err == PF_EARG || err == PF_ELIMIT) return pf_reader_fail_line(reducer->in, "%s", pf_message());
    PF_TRY(err);
    PF_TRY(pf_order_model_new(PF_LEARNERS, &templates, &model));
    err = pfi_order_header_write(model, FEATURES, reducer->out);
    pf_order_model_free(model);
    return err;
}

static pf_err take_first(feature_reducer *reducer, const char *line, size_t length) {
    const char *list = strstr(line, "templates=");
    if (strncmp(line, MAP, sizeof MAP - 1) != 0 || !list)
        return pf_reader_fail_line(reducer->in, "expected '%s...', the first line of permlearn map, found '%.60s'", MAP, line);
    if (!reducer->first.n) {
        PF_TRY(PF_ROOM(&reducer->first, length + 1));
        memcpy(reducer->first.at, line, length + 1);
        reducer->first.n = length + 1;
        return put_header(reducer, list + strlen("templates="));
    }
    if (strcmp(reducer->first.at, line) == 0) return PF_OK;
    return pf_reader_fail_line(reducer->in, "the parts were mapped with different options: '%.200s' and '%.200s'",
                               reducer->first.at, line);
}

static pf_err close_group(feature_reducer *reducer) {
    if (!reducer->group.n) return PF_OK;
    if (reducer->count < reducer->min_count) {
        ++*reducer->rare;
        return PF_OK;
    }
    PF_TRY(pf_writer_put(reducer->out, reducer->group.at, reducer->group.n));
    return pf_writer_text(reducer->out, "%llu\n", (unsigned long long)reducer->count);
}

/* The template, the values and the tabs after them. 0: it is no line of a map. */
static size_t feature_of(const char *line, size_t length, uint64_t *count) {
    const char *tab = memchr(line, '\t', length), *last = tab ? memchr(tab + 1, '\t', length - (size_t)(tab + 1 - line)) : NULL;
    if (!last || !pf_digits(last + 1, length - (size_t)(last + 1 - line), count) || !*count) return 0;
    return (size_t)(last + 1 - line);
}

static pf_err open_group(feature_reducer *reducer, const char *line, size_t size) {
    size_t same = reducer->group.n < size ? reducer->group.n : size;
    if (same && memcmp(reducer->group.at, line, same) > 0)
        return pf_reader_fail_line(reducer->in, "the lines are not sorted by their bytes (LC_ALL=C sort)");
    PF_TRY(close_group(reducer));
    reducer->group.n = 0;
    reducer->count = 0;
    PF_TRY(PF_ROOM(&reducer->group, size));
    memcpy(reducer->group.at, line, size);
    reducer->group.n = size;
    return PF_OK;
}

static pf_err take_line(feature_reducer *reducer, const char *line, size_t length) {
    uint64_t count;
    if (memchr(line, 0, length)) return pf_reader_fail_line(reducer->in, "expected text, found a NUL byte");
    if (*line == '#' || !reducer->first.n) return take_first(reducer, line, length);
    size_t size = feature_of(line, length, &count);
    if (!size)
        return pf_reader_fail_line(reducer->in, "expected template, values and count, separated by tabs, found '%.60s'", line);
    if (size != reducer->group.n || memcmp(reducer->group.at, line, size) != 0) PF_TRY(open_group(reducer, line, size));
    if (count > UINT64_MAX - reducer->count) return pf_reader_fail_line(reducer->in, "the counts add up to more than 2^64 - 1");
    reducer->count += count;
    return PF_OK;
}

static pf_err reduce_lines(feature_reducer *reducer) {
    for (;;) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(reducer->in, &line, &length));
        if (!line) break;
        PF_TRY(take_line(reducer, line, length));
    }
    return reducer->first.n ? close_group(reducer)
        : pf_reader_fail_line(reducer->in, "expected lines of permlearn map, found none");
}

pf_err pf_feature_reduce(pf_reader *sorted, uint64_t min_count, pf_writer *writer, uint64_t *rare) {
    feature_reducer reducer = {.in = sorted, .out = writer, .min_count = min_count, .rare = rare};
    *rare = 0;
    pf_err err = reduce_lines(&reducer);
    PF_VEC_FREE(&reducer.first);
    PF_VEC_FREE(&reducer.group);
    return err;
}

/* ---- reading what was reduced ---- */

static pf_err add_line(pf_order_model *model, const char *line, size_t length) {
    uint32_t key[1 + PF_TEMPLATE_ATOMS], feature;
    uint64_t count;
    int fresh;
    const size_t size = feature_of(line, length, &count);
    if (!size) return pf_fail(PF_EINPUT, "expected template, values and count, separated by tabs, found '%.60s'", line);
    const char *values = (const char *)memchr(line, '\t', size) + 1;
    const size_t number = pfi_order_template(model, line, (size_t)(values - line) - 1);
    if (number == SIZE_MAX)
        return pf_fail(PF_EINPUT, "the template of '%.60s' is not listed at the beginning of the file", line);
    PF_TRY(pfi_order_values_read(model, number, values, (size_t)(line + size - values) - 1, key));
    PF_TRY(pf_statetab_intern(&model->feature, key, model->stride * sizeof *key, &feature, &fresh));
    return fresh ? PF_OK : pf_fail(PF_EINPUT, "'%.60s' is listed twice", line);
}

static pf_err read_features(pf_reader *reader, pf_order_model **out) {
    char *line;
    size_t length;
    PF_TRY(pfi_order_header_read(reader, FEATURES, out, &line, &length));
    while (line) {
        pf_err err = memchr(line, 0, length) ? pf_fail(PF_EINPUT, "expected text, found a NUL byte") : add_line(*out, line, length);
        if (err == PF_EINPUT) return pf_reader_fail_line(reader, "%s", pf_message());
        PF_TRY(err);
        PF_TRY(pf_reader_line(reader, &line, &length));
    }
    return (*out)->feature.n ? PF_OK : pf_reader_fail_line(reader, "expected features, found none");
}

pf_err pf_features_read(pf_reader *reader, pf_learner learner, pf_order_model **out) {
    *out = NULL;
    pf_err err = read_features(reader, out);
    if (!err) {
        (*out)->learner = learner;
        return PF_OK;
    }
    pf_order_model_free(*out);
    *out = NULL;
    return err;
}
