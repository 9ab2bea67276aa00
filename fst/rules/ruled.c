/* A record and its lines, then its lattice, which is written or counted. */
#include <permfst/rules/ruled.h>

#include <stdlib.h>

typedef struct {
    pf_annotated *in;
    pf_rule_figures figures;
} ruled_sentence;

static void drop(void *own) {
    ruled_sentence *sentence = own;
    pf_annotated_free(sentence->in);
    pf_rule_figures_free(&sentence->figures);
    free(sentence);
}

/* The lines are read also where the record fails. */
static pf_err prepare(void *self, pf_record *record) {
    const pf_ruling *ruling = self;
    ruled_sentence *sentence = record->own = calloc(1, sizeof *sentence);
    pf_fst *fst;
    if (!sentence) return pf_nomem();
    pf_rule_figures_init(&sentence->figures);
    PF_TRY(pf_annotated_read(&ruling->files, &sentence->in));
    PF_TRY(pf_record_open(record, &fst));
    return pf_annotated_take(sentence->in, &ruling->files, fst);
}

static size_t added(const pf_ruling *ruling) { return ruling->files.n_perms - ruling->reference; }

static pf_err apply(const pf_ruling *ruling, const pf_record *record, pf_rule_lattice **out, uint64_t *matches) {
    const ruled_sentence *sentence = record->own;
    pf_rule_sentence all = pf_annotated_sentence(sentence->in, added(ruling));
    return pf_rules_apply(&ruling->how, &all, out, matches);
}

static pf_err make_automaton(const pf_annotated *sentence, const pf_rule_lattice *lattice, pf_expr **out) {
    pf_fst *fst;
    PF_TRY(pf_rule_lattice_fst(lattice, &sentence->input, sentence->type, &fst));
    pf_fst_set_symbols(fst, NULL, sentence->symbols);
    return pf_expr_of_fst(fst, out);
}

static pf_err make_lattice(void *self, pf_record *record) {
    const ruled_sentence *sentence = record->own;
    pf_rule_lattice *lattice;
    uint64_t matches;
    PF_TRY(apply(self, record, &lattice, &matches));
    pf_err err = make_automaton(sentence->in, lattice, &record->out);
    pf_rule_lattice_free(lattice);
    return err;
}

static pf_err count_lattice(void *self, pf_record *record) {
    const pf_ruling *ruling = self;
    ruled_sentence *sentence = record->own;
    const pf_permutation *reference = ruling->reference ? &sentence->in->perm[added(ruling)] : NULL;
    pf_rule_lattice *lattice;
    uint64_t matches;
    PF_TRY(apply(ruling, record, &lattice, &matches));
    pf_err err = pf_rule_figures_of(&sentence->figures, lattice, matches, reference);
    pf_rule_lattice_free(lattice);
    return err;
}

static pf_err add_figures(void *self, pf_record *record) {
    pf_ruling *ruling = self;
    const ruled_sentence *sentence = record->own;
    if (record->failed) return PF_OK;
    pf_rule_totals_add(&ruling->totals, &sentence->figures);
    if (!ruling->lines) return PF_OK;
    PF_TRY(pf_rule_figures_write(&sentence->figures, record->record, ruling->reference, ruling->lines));
    return pf_writer_flush(ruling->lines);
}

const pf_record_steps pf_ruled_lattices = {prepare, make_lattice, NULL, drop, false};
const pf_record_steps pf_ruled_figures = {prepare, count_lattice, add_figures, drop, false};

pf_err pf_ruled_end(const pf_ruling *ruling) { return pf_annotation_end(&ruling->files, ruling->name, ruling->first); }
