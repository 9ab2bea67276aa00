/* Compiled models: the tables as they are in memory, so that loading is a few large reads and one pass that checks them.
 *
 *   "pfOrder\2", CRC-32C of what follows (u32), its bytes (u64), then
 *   learner (u32), templates (u32), each as text; for each column: texts (u32), each as text;
 *   features (u32), their keys (stride x u32 each), slots (u64), the slots of their hash table (u64 each); weights (f64 each)
 *
 * All numbers are little-endian. A text is its length (u32) and its bytes. Nothing that the file says is trusted: values and slots
 * are within their tables, and a table has an empty slot, at which a look-up ends. */
#include "learn/learn_impl.h"

#include <permfst/base/crc.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char pfi_order_mark[PFI_ORDER_MARK + 1] = "pfOrder\2";

enum { LONGEST_TEXT = 1 << 20 };

/* ---- writing ---- */

static pf_err write_column(const pf_statetab *texts, pf_writer *writer) {
    PF_TRY(pf_writer_u32(writer, texts->n));
    for (uint32_t id = 0; id < texts->n; id++) {
        size_t n;
        const char *text = pf_statetab_key(texts, id, &n);
        PF_TRY(pf_writer_string(writer, text, n));
    }
    return PF_OK;
}

static pf_err write_features(const pf_order_model *model, pf_writer *writer) {
    const pf_statetab *tab = &model->feature;
    const size_t slots = tab->part && tab->part->slot ? tab->part->mask + 1 : 0;
    PF_TRY(pf_writer_u32(writer, tab->n));
    for (uint32_t id = 0; id < tab->n; id++) {
        size_t n;
        const uint32_t *key = pf_statetab_key(tab, id, &n);
        for (size_t k = 0; k < model->stride; k++) PF_TRY(pf_writer_u32(writer, key[k]));
    }
    PF_TRY(pf_writer_u64(writer, slots));
    for (size_t k = 0; k < slots; k++) PF_TRY(pf_writer_u64(writer, tab->part->slot[k]));
    for (size_t k = 0; k < model->weight.n; k++) PF_TRY(pf_writer_f64(writer, model->weight.at[k]));
    return PF_OK;
}

static pf_err write_content(const pf_order_model *model, pf_writer *writer) {
    PF_TRY(pf_writer_u32(writer, (uint32_t)model->learner));
    PF_TRY(pf_writer_u32(writer, (uint32_t)model->templates.at.n));
    for (size_t k = 0; k < model->templates.at.n; k++) {
        const char *text = model->templates.at.at[k].text;
        PF_TRY(pf_writer_string(writer, text, strlen(text)));
    }
    for (int column = 0; column < PF_COLUMNS; column++) PF_TRY(write_column(&model->value[column], writer));
    return write_features(model, writer);
}

static pf_err write_whole(const pf_order_model *model, pf_writer *content, pf_writer *writer) {
    size_t size;
    PF_TRY(write_content(model, content));
    const unsigned char *at = pf_writer_bytes(content, &size);
    PF_TRY(pf_writer_put(writer, pfi_order_mark, PFI_ORDER_MARK));
    PF_TRY(pf_writer_u32(writer, pf_crc32c(0, at, size)));
    PF_TRY(pf_writer_u64(writer, size));
    return pf_writer_put(writer, at, size);
}

pf_err pf_order_model_compile(const pf_order_model *model, pf_writer *writer) {
    pf_writer *content;
    PF_TRY(pf_writer_memory(&content));
    pf_err err = write_whole(model, content, writer);
    pf_writer_free(content);
    return err;
}

/* ---- reading ---- */

static pf_err read_templates(pf_reader *reader, pf_templates *templates) {
    uint32_t count;
    PF_TRY(pf_reader_u32(reader, &count, "the number of templates"));
    for (uint32_t k = 0; k < count; k++) {
        char *text;
        size_t n;
        PF_TRY(pf_reader_string(reader, &text, &n, PF_TEMPLATE_BYTES, "a template"));
        pf_err err = pf_templates_add(templates, text, n);
        free(text);
        if (err == PF_EARG || err == PF_ELIMIT) return pf_reader_fail(reader, "%s", pf_message());
        PF_TRY(err);
    }
    return PF_OK;
}

static pf_err read_head(pf_reader *reader, pf_order_model **out) {
    pf_templates templates = {{0}};
    uint32_t learner;
    PF_TRY(pf_reader_u32(reader, &learner, "a learner"));
    if (learner >= PF_LEARNERS) return pf_reader_fail(reader, "expected a learner, 0 or 1, found %u", learner);
    pf_err err = read_templates(reader, &templates);
    if (!err) return pf_order_model_new((pf_learner)learner, &templates, out);
    pf_templates_free(&templates);
    return err;
}

/* Can a line of a model have it? */
static bool sound_text(const char *text, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (!text[k] || strchr(" \t\r\n", text[k])) return false;
    return length > 0;
}

static pf_err read_column(pf_reader *reader, pf_statetab *texts) {
    uint32_t count;
    PF_TRY(pf_reader_u32(reader, &count, "the number of texts"));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t id;
        char *text;
        size_t n;
        PF_TRY(pf_reader_string(reader, &text, &n, LONGEST_TEXT, "a text"));
        pf_err err = sound_text(text, n) ? pf_statetab_intern(texts, text, n, &id, NULL)
                                         : pf_reader_fail(reader, "text %u of a column is empty or has blanks", k);
        free(text);
        PF_TRY(err);
        if (id != k) return pf_reader_fail(reader, "text %u of a column is listed twice", k);
    }
    return PF_OK;
}

/* Reads `count` numbers of `size` bytes, as memory for them grows with what is there. The caller frees *out. */
static pf_err read_numbers(pf_reader *reader, uint64_t count, size_t size, const char *what, void **out) {
    enum { STEP = 1 << 20 };
    PF_VEC(unsigned char) bytes = {0};
    pf_err err = count > SIZE_MAX / size ? pf_reader_fail(reader, "the model has more %s than memory can hold", what) : PF_OK;
    for (uint64_t left = count * size; !err && left;) {
        size_t n = left < STEP ? (size_t)left : STEP;
        if ((err = PF_ROOM(&bytes, n))) break;
        err = pf_reader_get(reader, bytes.at + bytes.n, n, what);
        bytes.n += n;
        left -= n;
    }
    if (!err && !count) err = PF_ROOM(&bytes, 1);
    *out = bytes.at;
    if (!err) return PF_OK;
    PF_VEC_FREE(&bytes);
    *out = NULL;
    return err;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static void to_host(void *at, uint64_t count, size_t size) {
    unsigned char *byte = at;
    for (uint64_t k = 0; k < count; k++, byte += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char other = byte[i];
            byte[i] = byte[size - 1 - i];
            byte[size - 1 - i] = other;
        }
}
#else
static void to_host(void *at, uint64_t count, size_t size) { (void)at, (void)count, (void)size; }
#endif

static bool sound_value(const pf_order_model *model, const pf_atom *atom, uint32_t value) {
    if (atom->place == PF_PLACE_DISTANCE) return (value >= 1 && value <= 6) || value == 11;
    if (atom->place == PF_PLACE_GOVERNS) return value && value < 128 && strchr("<>=-", (int)value);
    return value < model->value[atom->column].n;
}

static bool sound_key(const pf_order_model *model, const uint32_t *key) {
    if (key[0] >= model->templates.at.n) return false;
    const pf_template *template = &model->templates.at.at[key[0]];
    for (size_t k = 1; k < model->stride; k++)
        if (k > template->n ? key[k] != 0 : !sound_value(model, &template->atom[k - 1], key[k])) return false;
    return true;
}

/* Each key in one slot, and a slot that is empty. */
static bool sound_slots(const uint64_t *slot, uint64_t slots, uint32_t keys) {
    uint64_t used = 0;
    if (!slots) return !keys;
    if (slots & (slots - 1)) return false;
    for (uint64_t k = 0; k < slots; k++) {
        if (!slot[k]) continue;
        if ((uint32_t)slot[k] == 0 || (uint32_t)slot[k] > keys) return false;
        used++;
    }
    return used == keys && used < slots;
}

static pf_err read_keys(pf_reader *reader, pf_order_model *model, uint32_t count) {
    pf_statetab *tab = &model->feature;
    PF_TRY(read_numbers(reader, (uint64_t)count * model->stride, sizeof(uint32_t), "keys of features", (void **)&tab->key));
    tab->key_cap = tab->key_n = (size_t)count * model->stride * sizeof(uint32_t);
    to_host(tab->key, (uint64_t)count * model->stride, sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++)
        if (!sound_key(model, (const uint32_t *)(const void *)tab->key + (size_t)k * model->stride))
            return pf_reader_fail(reader, "feature %u has values that its template cannot have", k);
    return PF_OK;
}

static pf_err read_slots(pf_reader *reader, pf_order_model *model, uint32_t count) {
    pf_statetab *tab = &model->feature;
    uint64_t slots;
    PF_TRY(pf_reader_u64(reader, &slots, "the number of slots"));
    if (!(tab->part = calloc(1, sizeof *tab->part))) return pf_nomem();
    PF_TRY(read_numbers(reader, slots, sizeof(uint64_t), "slots", (void **)&tab->part->slot));
    to_host(tab->part->slot, slots, sizeof(uint64_t));
    if (!sound_slots(tab->part->slot, slots, count)) return pf_reader_fail(reader, "the table of features is damaged");
    tab->part->mask = slots ? (size_t)slots - 1 : 0;
    tab->part->n = tab->n = count;
    return PF_OK;
}

static pf_err read_weights(pf_reader *reader, pf_order_model *model, uint32_t count) {
    PF_TRY(read_numbers(reader, count, sizeof(double), "weights", (void **)&model->weight.at));
    model->weight.n = model->weight.cap = count;
    to_host(model->weight.at, count, sizeof(double));
    for (uint32_t k = 0; k < count; k++)
        if (!isfinite(model->weight.at[k])) return pf_reader_fail(reader, "the weight of feature %u is not a finite number", k);
    return PF_OK;
}

static pf_err read_content(pf_reader *reader, pf_order_model **out) {
    uint32_t count;
    PF_TRY(read_head(reader, out));
    for (int column = 0; column < PF_COLUMNS; column++) PF_TRY(read_column(reader, &(*out)->value[column]));
    PF_TRY(pf_reader_u32(reader, &count, "the number of features"));
    if (!count) return pf_reader_skip(reader, sizeof(uint64_t));
    PF_TRY(read_keys(reader, *out, count));
    PF_TRY(read_slots(reader, *out, count));
    return read_weights(reader, *out, count);
}

pf_err pfi_order_binary_read(pf_reader *reader, pf_order_model **out) {
    uint32_t sum;
    uint64_t length, begin;
    const unsigned char *at;
    size_t have;
    PF_TRY(pf_reader_skip(reader, PFI_ORDER_MARK));
    PF_TRY(pf_reader_u32(reader, &sum, "a checksum"));
    PF_TRY(pf_reader_u64(reader, &length, "a length"));
    begin = pf_reader_offset(reader);
    pf_reader_sum_begin(reader);
    PF_TRY(read_content(reader, out));
    if (pf_reader_sum(reader) != sum) return pf_reader_fail(reader, "the checksum of the model is wrong: it is damaged");
    if (pf_reader_offset(reader) - begin != length)
        return pf_reader_fail(reader, "the length of the model is not the one that its header states");
    PF_TRY(pf_reader_peek(reader, 1, &at, &have));
    return have ? pf_reader_fail(reader, "expected the end after the model, found another byte") : PF_OK;
}
