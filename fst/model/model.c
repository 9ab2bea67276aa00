/* The table of model classes. */
#include "model/model.h"

#include "model/ngram.h"

#include <string.h>

static const pf_model_class *const classes[] = {&pf_ngram_class};

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
