/* The settings of a session as a value: copied, opened as the records that the programs would make of them. O(texts), and what the
 * verbs cost. */
#include "shell/settings_impl.h"

#include <permfst/ops/permute.h>
#include <permfst/permute/input.h>
#include <permfst/verbs/compile.h>
#include <permfst/verbs/compose.h>

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

pf_err pfi_text_set(char **text, const char *value) {
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy) return pf_nomem();
    free(*text);
    *text = copy;
    return PF_OK;
}

pf_err pfi_texts_add(pfi_texts *texts, const char *value) {
    if (PF_ROOM(texts, 1)) return pf_nomem();
    char *copy = strdup(value);
    if (!copy) return pf_nomem();
    texts->at[texts->n++] = copy;
    return PF_OK;
}

void pfi_texts_clear(pfi_texts *texts) {
    while (texts->n) free(texts->at[--texts->n]);
}

void pfi_texts_free(pfi_texts *texts) {
    pfi_texts_clear(texts);
    PF_VEC_FREE(texts);
}

static pf_err copy_texts(const pfi_texts *texts, pfi_texts *out) {
    for (size_t i = 0; i < texts->n; i++) PF_TRY(pfi_texts_add(out, texts->at[i]));
    return PF_OK;
}

/* ---- the value ---- */

void pfi_settings_init(pfi_settings *settings) {
    *settings = (pfi_settings){.scale_first = 1, .seed = 1};
    for (int i = 0; i < PFI_SETTING_NUMBERS; i++) settings->number_of[i] = -1;
}

void pfi_models_clear(pfi_settings *settings) {
    while (settings->model.n) {
        pfi_shell_model *model = &settings->model.at[--settings->model.n];
        pf_blob_free(model->model);
        pf_expr_free(model->automaton);
        free(model->path);
    }
}

void pfi_settings_free(pfi_settings *settings) {
    pfi_models_clear(settings);
    PF_VEC_FREE(&settings->model);
    pfi_texts_free(&settings->space);
    pfi_texts_free(&settings->mark);
    pfi_texts_free(&settings->weight);
    pf_expr_free(settings->record);
    for (int i = 0; i < PFI_CORPUS_FILES; i++) free(settings->corpus[i]);
    free(settings->text);
    free(settings->source);
    *settings = (pfi_settings){0};
}

pf_err pfi_models_add(pfi_settings *settings, const char *path, double scale, pf_blob *model, pf_expr *automaton) {
    assert(!model != !automaton);
    if (PF_ROOM(&settings->model, 1)) return pf_nomem();
    char *copy = strdup(path);
    if (!copy) return pf_nomem();
    settings->model.at[settings->model.n++] = (pfi_shell_model){copy, scale, model ? pf_blob_ref(model) : NULL,
                                                                automaton ? pf_expr_ref(automaton) : NULL};
    return PF_OK;
}

static pf_err copy_parts(const pfi_settings *settings, pfi_settings *out) {
    PF_TRY(pfi_text_set(&out->text, settings->text));
    PF_TRY(pfi_text_set(&out->source, settings->source));
    PF_TRY(copy_texts(&settings->space, &out->space));
    PF_TRY(copy_texts(&settings->mark, &out->mark));
    PF_TRY(copy_texts(&settings->weight, &out->weight));
    for (int i = 0; i < PFI_CORPUS_FILES; i++) PF_TRY(pfi_text_set(&out->corpus[i], settings->corpus[i]));
    for (size_t i = 0; i < settings->model.n; i++) {
        const pfi_shell_model *model = &settings->model.at[i];
        PF_TRY(pfi_models_add(out, model->path, model->scale, model->model, model->automaton));
    }
    return PF_OK;
}

pf_err pfi_settings_copy(const pfi_settings *settings, pfi_settings *out) {
    *out = (pfi_settings){.input = settings->input, .at_punctuation = settings->at_punctuation, .number = settings->number,
                          .of_value = settings->of_value, .record = settings->record ? pf_expr_ref(settings->record) : NULL,
                          .scale_first = settings->scale_first, .search = settings->search, .unique = settings->unique,
                          .seed = settings->seed};
    memcpy(out->number_of, settings->number_of, sizeof out->number_of);
    return copy_parts(settings, out);
}

/* ---- records ---- */

static pf_err compile(const pfi_settings *settings, pf_reader *reader, pf_expr **out) {
    pf_compiler_options how = {.kind = settings->input == PFI_INPUT_LATTICE ? PF_TEXT_PLF : PF_TEXT_SENTENCES,
                               .sentence = {.markup = settings->input == PFI_INPUT_MARKUP,
                                            .at_punctuation = settings->at_punctuation}};
    pf_compiler *compiler;
    PF_TRY(pf_compiler_new(reader, &how, &compiler));
    pf_err err = pf_compiler_next(compiler, out);
    pf_compiler_free(compiler);
    if (!err && !*out) return pf_fail(PF_EINPUT, "expected a sentence, found nothing");
    return err;
}

pf_err pfi_settings_input(const pfi_settings *settings, pf_expr **out) {
    pf_reader *reader;
    *out = NULL;
    if (settings->input == PFI_INPUT_NONE) return pf_fail(PF_EARG, "there is no sentence yet: type one, or open a record");
    assert(settings->input == PFI_INPUT_RECORD ? settings->record != NULL : settings->text != NULL);
    if (settings->input == PFI_INPUT_RECORD) {
        *out = pf_expr_ref(settings->record);
        return PF_OK;
    }
    PF_TRY(pf_reader_memory(settings->text, strlen(settings->text), "the sentence", &reader));
    pf_err err = compile(settings, reader, out);
    pf_reader_free(reader);
    return err;
}

pf_err pfi_settings_constraints(const pfi_settings *settings, const char ***out, size_t *n) {
    const char **spec = calloc(settings->space.n + settings->mark.n + 1, sizeof *spec);
    *out = spec;
    *n = 0;
    if (!spec) return pf_nomem();
    for (size_t i = 0; i < settings->space.n; i++) spec[(*n)++] = settings->space.at[i];
    for (size_t i = 0; i < settings->mark.n; i++) spec[(*n)++] = settings->mark.at[i];
    return PF_OK;
}

/* Is an automaton a sentence, whose orders are asked for without a word about the space? */
static pf_err is_linear(pf_expr *input, bool *linear) {
    pf_input slots;
    *linear = input->kind == PF_EXPR_PERM || (input->kind == PF_EXPR_BEST && input->answer->paths.n == 1);
    if (input->kind != PF_EXPR_FST) return PF_OK;
    pf_err err = pf_input_read(input->fst, &slots);
    *linear = !err;
    if (err) return err == PF_ENOMEM ? err : PF_OK;
    pf_input_free(&slots);
    return PF_OK;
}

pf_err pfi_settings_permute(const pfi_settings *settings, pf_expr *input, pf_expr **out) {
    const char **spec;
    size_t n;
    bool linear;
    pf_permuter *permuter = NULL;
    *out = NULL;
    PF_TRY(is_linear(input, &linear));
    if (!settings->space.n && !settings->mark.n && !settings->weight.n && !linear) {
        *out = pf_expr_ref(input);
        return PF_OK;
    }
    pf_err err = pfi_settings_constraints(settings, &spec, &n);
    if (!err) err = pf_permuter_new(spec, n, (const char *const *)settings->weight.at, settings->weight.n, NULL,
                                    false, &permuter);
    if (!err) err = pf_permuter_permute(permuter, input, out);
    pf_permuter_free(permuter);
    free(spec);
    return err;
}

static pf_err no_more(void *self, pf_expr **out) {
    (void)self;
    *out = NULL;
    return PF_OK;
}

static pf_err add_operands(const pfi_settings *settings, pf_operands *operands) {
    for (size_t i = 0; i < settings->model.n; i++) {
        const pfi_shell_model *model = &settings->model.at[i];
        PF_TRY(model->model ? pf_operands_add_model(operands, model->scale, model->model)
                            : pf_operands_add(operands, model->path, model->scale, model->automaton, no_more, NULL));
    }
    return PF_OK;
}

pf_err pfi_settings_compose(const pfi_settings *settings, pf_expr *permuted, pf_expr **out) {
    pf_operands_options how = {.scale_first = settings->scale_first};
    pf_operands *operands;
    pf_operand_records *records = NULL;
    *out = NULL;
    if (!settings->model.n) {
        *out = pf_expr_ref(permuted);
        return PF_OK;
    }
    PF_TRY(pf_operands_new(&how, &operands));
    pf_err err = add_operands(settings, operands);
    if (!err) err = pf_operands_take(operands, &records);
    if (!err) err = pf_operands_compose(operands, records, permuted, out);
    pf_operand_records_free(records);
    pf_operands_free(operands);
    return err;
}

pf_err pfi_settings_automaton(const pfi_settings *settings, pf_expr **out) {
    pf_expr *input, *permuted = NULL;
    *out = NULL;
    PF_TRY(pfi_settings_input(settings, &input));
    pf_err err = pfi_settings_permute(settings, input, &permuted);
    if (!err) err = pfi_settings_compose(settings, permuted, out);
    pf_expr_free(permuted);
    pf_expr_free(input);
    return err;
}

/* ---- slots ---- */

static pf_err words_of(const pf_input *input, pfi_slots *out) {
    if (!(out->word = calloc(input->n + 1, sizeof *out->word))) return pf_nomem();
    out->n = input->n;
    out->linear = true;
    for (unsigned j = 0; j < input->n; j++) {
        size_t length;
        assert(input->first[j] < input->first[j + 1]);
        const char *word = out->table ? pf_symtab_name(out->table, input->arc[input->first[j]].out, &length) : NULL;
        out->word[j] = word ? word : "";
    }
    return PF_OK;
}

/* What is permuted inside an expression. */
static const pf_expr *permuted_input(const pf_expr *expr) {
    while (expr->kind == PF_EXPR_COMPOSE || expr->kind == PF_EXPR_PERM) expr = expr->first;
    return expr;
}

pf_err pfi_slots_of(pf_expr *input, pfi_slots *out) {
    const pf_expr *linear = permuted_input(input);
    pf_input slots;
    pf_fst *path = NULL;
    *out = (pfi_slots){0};
    if (linear->kind == PF_EXPR_BEST && linear->answer->paths.n == 1) PF_TRY(pf_answer_fst(linear->answer, &path));
    pf_fst *fst = path ? path : linear->kind == PF_EXPR_FST ? linear->fst : NULL;
    if (!fst) return PF_OK;
    out->table = pf_symtab_ref(fst->osyms);
    pf_err err = pf_input_read(fst, &slots);
    if (!err) {
        err = words_of(&slots, out);
        pf_input_free(&slots);
    } else if (err != PF_ENOMEM) err = PF_OK; /* it is not linear */
    pf_fst_free(path);
    if (err) pfi_slots_free(out);
    return err;
}

void pfi_slots_free(pfi_slots *slots) {
    free(slots->word);
    pf_symtab_free(slots->table);
    *slots = (pfi_slots){0};
}

/* ---- searches ---- */

pf_best_options pfi_settings_search(const pfi_settings *settings, size_t n) {
    const double *number = settings->number_of;
    pf_best_options best = {.search = (pf_search)settings->search, .unique = (pf_unique)settings->unique, .n = n};
    if (number[PFI_SETTING_BEAM] > 0) best.beam = (size_t)number[PFI_SETTING_BEAM];
    /* For the library a threshold of 0 is none. */
    if (number[PFI_SETTING_THRESHOLD] >= 0) best.threshold = fmax(number[PFI_SETTING_THRESHOLD], DBL_TRUE_MIN);
    best.widen = number[PFI_SETTING_GAP] >= 0;
    if (best.widen) best.gap = number[PFI_SETTING_GAP];
    if (number[PFI_SETTING_STATES] > 0) best.max_states = (uint64_t)number[PFI_SETTING_STATES];
    return best;
}
