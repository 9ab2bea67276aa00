/* Models as text that sorts and diffs: a line a feature. */
#include "learn/learn_impl.h"

#include <permfst/base/digits.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the values of a feature ---- */

static pf_err write_value(const pf_order_model *model, const pf_atom *atom, uint32_t value, pf_writer *writer) {
    size_t length;
    if (atom->place == PF_PLACE_DISTANCE) return pf_writer_text(writer, "%u", value);
    if (atom->place == PF_PLACE_GOVERNS) return pf_writer_put(writer, &(char){(char)value}, 1);
    const char *text = pf_statetab_key(&model->value[atom->column], value, &length);
    return pf_writer_put(writer, text, length);
}

pf_err pfi_order_values_write(const pf_order_model *model, const uint32_t *key, pf_writer *writer) {
    const pf_template *template = &model->templates.at.at[key[0]];
    for (unsigned a = 0; a < template->n; a++) {
        if (a) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(write_value(model, &template->atom[a], key[1 + a], writer));
    }
    return PF_OK;
}

static const uint32_t *key_of(const pf_order_model *model, uint32_t feature) {
    size_t n;
    return pf_statetab_key(&model->feature, feature, &n);
}

pf_err pf_order_model_write_values(const pf_order_model *model, uint32_t feature, pf_writer *writer) {
    return pfi_order_values_write(model, key_of(model, feature), writer);
}

static pf_err bad_value(const char *what, const char *text, size_t length) {
    return pf_fail(PF_EINPUT, "expected %s, found '%.*s'", what, (int)(length < 60 ? length : 60), text);
}

static pf_err read_value(pf_order_model *model, const pf_atom *atom, const char *text, size_t length, uint32_t *out) {
    uint64_t number;
    if (atom->place == PF_PLACE_DISTANCE) {
        if (!pf_digits(text, length, &number) || !((number >= 1 && number <= 6) || number == 11))
            return bad_value("a distance, 1 to 6 or 11", text, length);
        *out = (uint32_t)number;
        return PF_OK;
    }
    if (atom->place == PF_PLACE_GOVERNS) {
        if (length != 1 || !memchr("<>=-", *text, 4)) return bad_value("<, >, = or -", text, length);
        *out = (unsigned char)*text;
        return PF_OK;
    }
    if (memchr(text, '\t', length) || memchr(text, '\r', length))
        return bad_value("a value without tabs and carriage returns", text, length);
    return pf_statetab_intern(&model->value[atom->column], text, length, out, NULL);
}

pf_err pfi_order_values_read(pf_order_model *model, size_t template_number, const char *text, size_t length, uint32_t *key) {
    const pf_template *template = &model->templates.at.at[template_number];
    const char *end = text + length;
    unsigned atom = 0;
    memset(key, 0, model->stride * sizeof *key);
    key[0] = (uint32_t)template_number;
    if (!template->n) return length ? bad_value("no values of the template 1", text, length) : PF_OK;
    for (const char *at = text; atom < template->n; atom++) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        size_t size = (size_t)((blank ? blank : end) - at);
        if (!size || (!blank && atom + 1 < template->n) || (blank && atom + 1 == template->n)) break;
        PF_TRY(read_value(model, &template->atom[atom], at, size, &key[1 + atom]));
        at += size + 1;
    }
    if (atom == template->n) return PF_OK;
    return pf_fail(PF_EINPUT, "expected %u values of the template %s, separated by blanks, found '%.*s'", template->n,
                   template->text, (int)(length < 60 ? length : 60), text);
}

size_t pfi_order_template(const pf_order_model *model, const char *text, size_t length) {
    for (size_t k = 0; k < model->templates.at.n; k++) {
        const char *own = model->templates.at.at[k].text;
        if (strlen(own) == length && memcmp(own, text, length) == 0) return k;
    }
    return SIZE_MAX;
}

/* ---- sorting ---- */

typedef struct {
    const unsigned char *at; /* template, tab, values */
    size_t n;
    uint32_t feature;
} sort_line;

static int by_bytes(const void *one, const void *other) {
    const sort_line *first = one, *second = other;
    int order = memcmp(first->at, second->at, first->n < second->n ? first->n : second->n);
    return order ? order : (first->n > second->n) - (first->n < second->n);
}

typedef struct {
    pf_writer *text;
    PF_VEC(sort_line) line;
} sort_room;

static pf_err list_lines(const pf_order_model *model, sort_room *room) {
    size_t begin = 0, end;
    for (uint32_t feature = 0; feature < model->feature.n; feature++) {
        const uint32_t *key = key_of(model, feature);
        if (model->weight.at[feature] == 0) continue;
        PF_TRY(pf_writer_text(room->text, "%s\t", model->templates.at.at[key[0]].text));
        PF_TRY(pfi_order_values_write(model, key, room->text));
        pf_writer_bytes(room->text, &end);
        PF_TRY(PF_PUSH(&room->line, ((sort_line){NULL, end - begin, feature})));
        begin = end;
    }
    const unsigned char *at = pf_writer_bytes(room->text, &end);
    for (size_t k = 0; k < room->line.n; at += room->line.at[k++].n) room->line.at[k].at = at;
    return PF_OK;
}

static pf_err sort_lines(const pf_order_model *model, sort_room *room, uint32_t **out, size_t *count) {
    PF_TRY(pf_writer_memory(&room->text));
    PF_TRY(list_lines(model, room));
    *count = room->line.n;
    if (!(*out = malloc((*count + 1) * sizeof **out))) return pf_nomem();
    if (*count) qsort(room->line.at, *count, sizeof *room->line.at, by_bytes);
    for (size_t k = 0; k < *count; k++) (*out)[k] = room->line.at[k].feature;
    return PF_OK;
}

pf_err pfi_order_sorted(const pf_order_model *model, uint32_t **out, size_t *count) {
    sort_room room = {0};
    *out = NULL;
    pf_err err = sort_lines(model, &room, out, count);
    pf_writer_free(room.text);
    PF_VEC_FREE(&room.line);
    return err;
}

/* ---- writing ---- */

pf_err pfi_order_header_write(const pf_order_model *model, const char *what, pf_writer *writer) {
    PF_TRY(pf_writer_text(writer, "# %s 1%s%s\n# columns: w", what, model->learner < PF_LEARNERS ? " " : "",
                          model->learner < PF_LEARNERS ? pf_learner_name(model->learner) : ""));
    for (unsigned tag = 1; tag <= model->tags; tag++) PF_TRY(pf_writer_text(writer, " t%u", tag));
    PF_TRY(pf_writer_text(writer, "%s\n", model->trees ? " trees" : ""));
    for (size_t k = 0; k < model->templates.at.n; k++)
        PF_TRY(pf_writer_text(writer, "# template %s\n", model->templates.at.at[k].text));
    return PF_OK;
}

static pf_err write_features(const pf_order_model *model, const uint32_t *feature, size_t count, pf_writer *writer) {
    for (size_t k = 0; k < count; k++) {
        const uint32_t *key = key_of(model, feature[k]);
        PF_TRY(pf_writer_text(writer, "%.17g\t%s\t", model->weight.at[feature[k]], model->templates.at.at[key[0]].text));
        PF_TRY(pfi_order_values_write(model, key, writer));
        PF_TRY(pf_writer_put(writer, "\n", 1));
    }
    return PF_OK;
}

pf_err pf_order_model_write(const pf_order_model *model, pf_writer *writer) {
    uint32_t *feature;
    size_t count;
    pf_err err = pfi_order_sorted(model, &feature, &count);
    if (!err) err = pfi_order_header_write(model, "permlearn", writer);
    if (!err) err = write_features(model, feature, count, writer);
    free(feature);
    return err;
}

/* ---- reading ---- */

static pf_err next_line(pf_reader *reader, char **line, size_t *length) {
    PF_TRY(pf_reader_line(reader, line, length));
    if (*line && memchr(*line, 0, *length)) return pf_reader_fail_line(reader, "expected text, found a NUL byte");
    return PF_OK;
}

/* "# permlearn 1 lr", or without a learner. */
static pf_err read_first(pf_reader *reader, const char *what, pf_learner *learner) {
    char *line;
    size_t length, prefix = strlen(what);
    PF_TRY(next_line(reader, &line, &length));
    bool begins = line && length >= prefix + 4 && memcmp(line, "# ", 2) == 0 && memcmp(line + 2, what, prefix) == 0 &&
                  memcmp(line + 2 + prefix, " 1", 2) == 0;
    const char *rest = begins ? line + prefix + 4 : "?";
    *learner = PF_LEARNERS;
    if (!*rest && begins) return PF_OK;
    for (unsigned k = 0; k < PF_LEARNERS; k++)
        if (*rest == ' ' && strcmp(rest + 1, pf_learner_name(k)) == 0) {
            *learner = (pf_learner)k;
            return PF_OK;
        }
    return pf_reader_fail_line(reader, "expected '# %s 1' at the beginning, found '%.60s'", what, line ? line : "the end");
}

static pf_err read_templates(pf_reader *reader, pf_templates *templates, char **line, size_t *length) {
    static const char begin[] = "# template ";
    const size_t prefix = sizeof begin - 1;
    for (;;) {
        PF_TRY(next_line(reader, line, length));
        if (!*line || **line != '#') break;
        if (*length < prefix || memcmp(*line, begin, prefix) != 0) continue;
        pf_err err = pf_templates_add(templates, *line + prefix, *length - prefix);
        if (err == PF_EARG || err == PF_ELIMIT) return pf_reader_fail_line(reader, "%s", pf_message());
        PF_TRY(err);
    }
    return templates->at.n ? PF_OK : pf_reader_fail_line(reader, "expected lines '# template ...' before the features");
}

pf_err pfi_order_header_read(pf_reader *reader, const char *what, pf_order_model **out, char **line, size_t *length) {
    pf_templates templates = {{0}};
    pf_learner learner;
    *out = NULL;
    PF_TRY(read_first(reader, what, &learner));
    pf_err err = read_templates(reader, &templates, line, length);
    if (!err) return pf_order_model_new(learner, &templates, out);
    pf_templates_free(&templates);
    return err;
}

static pf_err add_feature(pf_order_model *model, size_t template_number, const char *values, size_t length, double weight) {
    uint32_t key[1 + PF_TEMPLATE_ATOMS], feature;
    int fresh;
    PF_TRY(pfi_order_values_read(model, template_number, values, length, key));
    PF_TRY(PF_ROOM(&model->weight, 1));
    PF_TRY(pf_statetab_intern(&model->feature, key, model->stride * sizeof *key, &feature, &fresh));
    if (!fresh) return pf_fail(PF_EINPUT, "the feature %s %.*s is listed twice", model->templates.at.at[template_number].text,
                               (int)(length < 60 ? length : 60), values);
    model->weight.at[model->weight.n++] = weight;
    return PF_OK;
}

static pf_err read_feature(pf_order_model *model, char *line, size_t length) {
    char *end;
    double weight = strtod(line, &end);
    char *template = end + 1, *tab = *end == '\t' && end > line ? memchr(template, '\t', (size_t)(line + length - template)) : NULL;
    if (!tab || !isfinite(weight))
        return pf_fail(PF_EINPUT, "expected weight, template and values, separated by tabs, found '%.60s'", line);
    size_t number = pfi_order_template(model, template, (size_t)(tab - template));
    if (number == SIZE_MAX)
        return pf_fail(PF_EINPUT, "the template '%.*s' is not listed at the beginning of the file", (int)(tab - template),
                       template);
    return add_feature(model, number, tab + 1, (size_t)(line + length - tab) - 1, weight);
}

static pf_err read_features(pf_reader *reader, pf_order_model *model, char *line, size_t length) {
    for (; line; ) {
        pf_err err = read_feature(model, line, length);
        if (err == PF_EINPUT) return pf_reader_fail_line(reader, "%s", pf_message());
        PF_TRY(err);
        PF_TRY(next_line(reader, &line, &length));
    }
    return PF_OK;
}

static pf_err read_text(pf_reader *reader, pf_order_model **out) {
    char *line;
    size_t length;
    PF_TRY(pfi_order_header_read(reader, "permlearn", out, &line, &length));
    if ((*out)->learner == PF_LEARNERS)
        return pf_reader_fail_line(reader, "expected a learner, lr or ap, in the first line of a model, found none");
    return read_features(reader, *out, line, length);
}

pf_err pf_order_model_read(pf_reader *reader, pf_order_model **out) {
    const unsigned char *at;
    size_t have;
    *out = NULL;
    PF_TRY(pf_reader_peek(reader, PFI_ORDER_MARK, &at, &have));
    const unsigned version = have == PFI_ORDER_MARK ? at[PFI_ORDER_MARK - 1] : 0;
    const bool binary = version && memcmp(at, pfi_order_mark, PFI_ORDER_MARK - 1) == 0;
    if (binary && version != (unsigned char)pfi_order_mark[PFI_ORDER_MARK - 1])
        return pf_reader_fail(reader, "found a compiled model of version %u, expected version %u: compile its text again", version,
                              (unsigned char)pfi_order_mark[PFI_ORDER_MARK - 1]);
    pf_err err = (binary ? pfi_order_binary_read : read_text)(reader, out);
    if (!err) return PF_OK;
    pf_order_model_free(*out);
    *out = NULL;
    return err;
}
