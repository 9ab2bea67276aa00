/* The table of model classes. */
#include <permfst/model/model.h>

#include <permfst/model/ngram.h>
#include <permfst/model/tuplemodel.h>

#include <string.h>

static const pf_model_class *const classes[] = {&pf_ngram_class, &pf_tuple_class};

const pf_model_class *pf_model_class_find(const char *name) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    return NULL;
}

void pf_model_free(pf_model *model) {
    if (!model) return;
    if (model->cls) model->cls->free(model->self);
    *model = (pf_model){NULL, NULL};
}

bool pf_model_lacks(const pf_model *model, const char *word, size_t length) {
    if (model->cls->lacks) return model->cls->lacks(model->self, word, length);
    pf_label unknown = model->cls->unknown(model->self);
    size_t n;
    const char *name = pf_symtab_name(model->cls->words(model->self), unknown, &n);
    if (model->cls->label(model->self, word, length) != unknown) return false;
    return !name || n != length || memcmp(name, word, n) != 0;
}
