/* Lines are copied where they are read, so that sentences may be worked on later. */
#include <permfst/rules/annotated.h>

#include <permfst/align/words.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pf_annotated_free(pf_annotated *s) {
    if (!s) return;
    pf_input_free(&s->input);
    pf_symtab_free(s->symbols);
    PF_VEC_FREE(&s->tags);
    for (size_t i = 0; s->perm && i < s->n_perms; i++) pf_permutation_free(&s->perm[i]);
    free(s->perm);
    free(s->line);
    free(s);
}

/* ---- lines ---- */

static pf_err next_line(pf_reader *r, char **line, size_t *n) {
    PF_TRY(pf_reader_line(r, line, n));
    if (*line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected line %llu, for this record, found the end of the file", pf_reader_name(r),
                   (unsigned long long)pf_reader_line_number(r) + 1);
}

static pf_err read_tags(pf_reader *r, pf_annotated *s) {
    char *line;
    size_t n;
    PF_TRY(next_line(r, &line, &n));
    if (!(s->line = malloc(n + 1))) return pf_nomem();
    memcpy(s->line, line, n + 1);
    return pf_words_split(r, s->line, n, &s->tags);
}

static pf_err read_permutation(pf_reader *r, pf_permutation *p) {
    pf_words words = {0};
    char *line;
    size_t n;
    PF_TRY(next_line(r, &line, &n));
    pf_err err = pf_words_split(r, line, n, &words);
    if (!err) err = pf_permutation_read(r, &words, p);
    PF_VEC_FREE(&words);
    return err;
}

static pf_err read_lines(const pf_annotation_files *files, pf_annotated *s) {
    pf_err err = files->tags ? read_tags(files->tags, s) : PF_OK;
    for (size_t i = 0; i < files->n_perms; i++) {
        char *line;
        size_t n;
        if (!err) err = read_permutation(files->perms[i], &s->perm[i]);
        else PF_TRY(pf_reader_line(files->perms[i], &line, &n));
    }
    return err;
}

pf_err pf_annotated_read(const pf_annotation_files *files, pf_annotated **out) {
    pf_annotated *s = *out = calloc(1, sizeof *s);
    if (!s) return pf_nomem();
    s->perm = calloc(files->n_perms + 1, sizeof *s->perm);
    s->n_perms = files->n_perms;
    pf_err err = s->perm ? read_lines(files, s) : pf_nomem();
    if (!err) return PF_OK;
    pf_annotated_free(s);
    *out = NULL;
    return err;
}

/* ---- words ---- */

static pf_err check_length(const pf_annotated *s, const pf_reader *r, size_t n, const char *what) {
    if (n == s->input.n) return PF_OK;
    return pf_reader_fail_line(r, "expected %u %s, the number of words of the record, found %zu", s->input.n, what, n);
}

pf_err pf_annotated_take(pf_annotated *s, const pf_annotation_files *files, pf_fst *words) {
    PF_TRY(pf_input_read(words, &s->input));
    s->type = words->type;
    s->symbols = pf_symtab_ref(words->osyms);
    if (files->tags) PF_TRY(check_length(s, files->tags, s->tags.n, "tags"));
    for (size_t i = 0; i < s->n_perms; i++) PF_TRY(check_length(s, files->perms[i], s->perm[i].at.n, "positions"));
    return PF_OK;
}

pf_rule_sentence pf_annotated_sentence(const pf_annotated *s, size_t n) {
    assert(n <= s->n_perms);
    return (pf_rule_sentence){&s->input, s->symbols, &s->tags, s->perm, n};
}

/* ---- the end ---- */

static pf_err check_end(pf_reader *r, const char *name, uint64_t record) {
    char *line;
    size_t n;
    PF_TRY(pf_reader_line(r, &line, &n));
    if (!line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected record %llu, since %s has line %llu, found the end of the records", name,
                   (unsigned long long)record, pf_reader_name(r), (unsigned long long)pf_reader_line_number(r));
}

pf_err pf_annotation_end(const pf_annotation_files *files, const char *name, uint64_t first) {
    const pf_reader *any = files->tags ? files->tags : files->n_perms ? files->perms[0] : NULL;
    uint64_t record = first + (any ? pf_reader_line_number(any) : 0);
    if (files->tags) PF_TRY(check_end(files->tags, name, record));
    for (size_t i = 0; i < files->n_perms; i++) PF_TRY(check_end(files->perms[i], name, record));
    return PF_OK;
}
