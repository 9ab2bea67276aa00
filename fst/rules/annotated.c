/* Lines are copied where they are read, so that sentences may be worked on later. */
#include <permfst/rules/annotated.h>

#include <permfst/align/words.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pf_annotated_free(pf_annotated *annotated) {
    if (!annotated) return;
    pf_input_free(&annotated->input);
    pf_symtab_free(annotated->symbols);
    PF_VEC_FREE(&annotated->tags);
    for (size_t i = 0; annotated->perm && i < annotated->n_perms; i++) pf_permutation_free(&annotated->perm[i]);
    free(annotated->perm);
    free(annotated->line);
    free(annotated);
}

/* ---- lines ---- */

static pf_err next_line(pf_reader *reader, char **line, size_t *length) {
    PF_TRY(pf_reader_line(reader, line, length));
    if (*line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected line %llu, for this record, found the end of the file", pf_reader_name(reader),
                   (unsigned long long)pf_reader_line_number(reader) + 1);
}

static pf_err read_tags(pf_reader *reader, pf_annotated *annotated) {
    char *line;
    size_t length;
    PF_TRY(next_line(reader, &line, &length));
    if (!(annotated->line = malloc(length + 1))) return pf_nomem();
    memcpy(annotated->line, line, length + 1);
    return pf_words_split(reader, annotated->line, length, &annotated->tags);
}

static pf_err read_permutation(pf_reader *reader, pf_permutation *permutation) {
    pf_words words = {0};
    char *line;
    size_t n;
    PF_TRY(next_line(reader, &line, &n));
    pf_err err = pf_words_split(reader, line, n, &words);
    if (!err) err = pf_permutation_read(reader, &words, permutation);
    PF_VEC_FREE(&words);
    return err;
}

static pf_err read_lines(const pf_annotation_files *files, pf_annotated *annotated) {
    pf_err err = files->tags ? read_tags(files->tags, annotated) : PF_OK;
    for (size_t at = 0; at < files->n_perms; at++) {
        char *line;
        size_t n;
        if (!err) err = read_permutation(files->perms[at], &annotated->perm[at]);
        else PF_TRY(pf_reader_line(files->perms[at], &line, &n));
    }
    return err;
}

pf_err pf_annotated_read(const pf_annotation_files *files, pf_annotated **out) {
    pf_annotated *annotated = *out = calloc(1, sizeof *annotated);
    if (!annotated) return pf_nomem();
    annotated->perm = calloc(files->n_perms + 1, sizeof *annotated->perm);
    annotated->n_perms = files->n_perms;
    pf_err err = annotated->perm ? read_lines(files, annotated) : pf_nomem();
    if (!err) return PF_OK;
    pf_annotated_free(annotated);
    *out = NULL;
    return err;
}

/* ---- words ---- */

static pf_err check_length(const pf_annotated *annotated, const pf_reader *reader, size_t count, const char *what) {
    if (count == annotated->input.n) return PF_OK;
    return pf_reader_fail_line(reader, "expected %u %s, the number of words of the record, found %zu", annotated->input.n,
        what, count);
}

pf_err pf_annotated_take(pf_annotated *annotated, const pf_annotation_files *files, pf_fst *words) {
    PF_TRY(pf_input_read(words, &annotated->input));
    annotated->type = words->type;
    annotated->symbols = pf_symtab_ref(words->osyms);
    if (files->tags) PF_TRY(check_length(annotated, files->tags, annotated->tags.n, "tags"));
    for (size_t i = 0; i < annotated->n_perms; i++)
        PF_TRY(check_length(annotated, files->perms[i], annotated->perm[i].at.n, "positions"));
    return PF_OK;
}

pf_rule_sentence pf_annotated_sentence(const pf_annotated *annotated, size_t count) {
    assert(count <= annotated->n_perms);
    return (pf_rule_sentence){&annotated->input, annotated->symbols, &annotated->tags, annotated->perm, count};
}

/* ---- the end ---- */

static pf_err check_end(pf_reader *reader, const char *name, uint64_t record) {
    char *line;
    size_t n;
    PF_TRY(pf_reader_line(reader, &line, &n));
    if (!line) return PF_OK;
    return pf_fail(PF_EINPUT, "%s: expected record %llu, since %s has line %llu, found the end of the records", name,
                   (unsigned long long)record, pf_reader_name(reader), (unsigned long long)pf_reader_line_number(reader));
}

pf_err pf_annotation_end(const pf_annotation_files *files, const char *name, uint64_t first) {
    const pf_reader *any = files->tags ? files->tags : files->n_perms ? files->perms[0] : NULL;
    uint64_t record = first + (any ? pf_reader_line_number(any) : 0);
    if (files->tags) PF_TRY(check_end(files->tags, name, record));
    for (size_t i = 0; i < files->n_perms; i++) PF_TRY(check_end(files->perms[i], name, record));
    return PF_OK;
}
