/* A cache in front of two symbol tables. */
#include <permfst/ops/labelmap.h>

#include <assert.h>

void pf_labelmap_tables(pf_labelmap *map, const pf_symtab *from, const pf_symtab *to) {
    *map = (pf_labelmap){0};
    if (from && to && from != to) {
        map->from = from;
        map->to = to;
    }
    pf_statetab_init(&map->seen, sizeof(pf_label));
}

pf_err pf_labelmap_scorer(pf_labelmap *map, const pf_symtab *from, const pf_scorer *scorer) {
    *map = (pf_labelmap){.from = from, .scorer = scorer};
    pf_statetab_init(&map->seen, sizeof(pf_label));
    if (from) return PF_OK;
    return pf_fail(PF_EINPUT, "the automaton has no output symbol table, so its words cannot be matched with the model's");
}

pf_err pf_labelmap_look_up(const pf_labelmap *map, pf_label label, pf_label *out) {
    size_t length;
    assert(!map->from || !map->to != !map->scorer);
    *out = label;
    if (label == PF_EPSILON || !map->from) return PF_OK;
    const char *word = pf_symtab_name(map->from, label, &length);
    if (!word) return pf_fail(PF_EINPUT, "label %d is not in the symbol table '%.100s'", label, pf_symtab_title(map->from));
    *out = map->scorer ? map->scorer->cls->label(map->scorer, word, length) : pf_symtab_find(map->to, word, length);
    return PF_OK;
}

pf_err pf_labelmap_get(pf_labelmap *map, pf_label label, pf_label *out) {
    *out = label;
    if (label == PF_EPSILON || !map->from) return PF_OK;
    uint32_t id;
    if ((id = pf_statetab_find(&map->seen, &label, sizeof label)) == UINT32_MAX) {
        pf_label partner = PF_NO_LABEL;
        PF_TRY(pf_labelmap_look_up(map, label, &partner));
        PF_TRY(PF_ROOM(&map->label, 1));
        PF_TRY(pf_statetab_intern(&map->seen, &label, sizeof label, &id, NULL));
        map->label.at[map->label.n++] = partner;
    }
    assert(id < map->label.n);
    *out = map->label.at[id];
    return PF_OK;
}

void pf_labelmap_free(pf_labelmap *map) {
    pf_statetab_free(&map->seen);
    PF_VEC_FREE(&map->label);
}
