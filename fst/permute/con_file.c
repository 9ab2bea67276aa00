/* A specification is cut into the parts between its files. Each file is a reader and a treebank of its own. */
#include <permfst/permute/con_file.h>

#include "permute/con_impl.h"

#include <permfst/base/vec.h>
#include <permfst/base/writer.h>
#include <permfst/tree/heads.h>
#include <permfst/tree/treebank.h>

#include <stdlib.h>
#include <string.h>

static const char name[] = "tree:", limited[] = ",limited", punctuation[] = ",punctuation";

typedef struct {
    size_t begin, end; /* in the text: what a tree replaces */
    pf_reader *reader;
    pf_treebank *trees;
} tree_file;

struct pf_con_file {
    char *text;
    PF_VEC(tree_file) file;
    pf_writer *spec;   /* of a sentence */
    uint64_t begun;    /* sentences whose trees were read, or begun to be */
};

/* The length of a text without a word at its end. */
static size_t without(const char *at, size_t length, const char *word) {
    size_t n = strlen(word);
    return length > n && memcmp(at + length - n, word, n) == 0 ? length - n : length;
}

/* The next name of a file from `at` on, with ",punctuation": its begin and length. NULL: there is none. */
static const char *next_file(const char *at, size_t *length) {
    for (const char *from = at; (at = strstr(at, name)); at += *length) {
        bool word = at == from || strchr("|+-() \t:", at[-1]);
        at += sizeof name - 1;
        *length = without(at, pfi_con_text(at), limited);
        if (word && *length && !pf_tree_is_heads(at, *length)) return at;
    }
    return NULL;
}

bool pf_con_has_files(const char *spec) {
    size_t length;
    return next_file(spec, &length) != NULL;
}

static pf_err open_file(pf_con_file *file, const char *at, size_t length) {
    size_t begin = (size_t)(at - file->text);
    PF_TRY(PF_PUSH(&file->file, ((tree_file){begin, begin + length, NULL, NULL})));
    tree_file *one = &file->file.at[file->file.n - 1];
    size_t path_length = without(at, length, punctuation);
    char *path = malloc(path_length + 1);
    if (!path) return pf_nomem();
    memcpy(path, at, path_length);
    path[path_length] = 0;
    pf_err err = pf_reader_open(path, &one->reader);
    free(path);
    return err ? err : pf_treebank_open(one->reader, path_length < length ? PF_TREE_KEEP : PF_TREE_SKIP, &one->trees);
}

static pf_err open_files(pf_con_file *file) {
    size_t length;
    PF_TRY(pf_writer_memory(&file->spec));
    for (const char *at = file->text; (at = next_file(at, &length)); at += length) PF_TRY(open_file(file, at, length));
    return PF_OK;
}

pf_err pf_con_file_open(const char *spec, pf_con_file **out) {
    *out = NULL;
    if (!pf_con_has_files(spec)) return PF_OK;
    PF_TRY(pf_con_check(spec));
    pf_con_file *file = calloc(1, sizeof *file);
    if (!file) return pf_nomem();
    pf_err err = (file->text = strdup(spec)) ? open_files(file) : pf_nomem();
    if (!err) *out = file;
    else pf_con_file_free(file);
    return err;
}

void pf_con_file_free(pf_con_file *file) {
    if (!file) return;
    for (size_t at = 0; at < file->file.n; at++) {
        pf_treebank_free(file->file.at[at].trees);
        pf_reader_free(file->file.at[at].reader);
    }
    PF_VEC_FREE(&file->file);
    pf_writer_free(file->spec);
    free(file->text);
    free(file);
}

static pf_err put_tree(pf_con_file *file, const tree_file *one, const pf_tree *tree, unsigned n) {
    if (!tree)
        return pf_fail(PF_EINPUT, "%s: expected the tree of another sentence, found the end", pf_reader_name(one->reader));
    if (tree->n == n) return pf_tree_write_heads(file->spec, tree);
    return pf_fail(PF_EINPUT, "%s:%llu: expected a tree of %u words, as the sentence has, found %u", pf_reader_name(one->reader),
                   (unsigned long long)tree->line, n, tree->n);
}

pf_err pf_con_file_skip(pf_con_file *file, uint64_t sentences) {
    for (; file->begun < sentences; file->begun++)
        for (size_t at = 0; at < file->file.n; at++) {
            pf_tree *tree = NULL;
            pf_err err = pf_treebank_next(file->file.at[at].trees, &tree);
            pf_tree_free(tree);
            if (err && err != PF_EINPUT) return err;
        }
    return PF_OK;
}

/* All files go on to their next tree, also where one of them has none that fits. */
pf_err pf_con_file_next(pf_con_file *file, unsigned n, const char **spec) {
    char words[600] = "";
    pf_err wrong = PF_OK;
    size_t at = 0, length;
    file->begun++;
    pf_writer_clear(file->spec);
    for (size_t i = 0; i < file->file.n; i++) {
        const tree_file *one = &file->file.at[i];
        pf_tree *tree = NULL;
        pf_err err = pf_treebank_next(one->trees, &tree);
        if (!err) err = pf_writer_put(file->spec, file->text + at, one->begin - at);
        if (!err) err = put_tree(file, one, tree, n);
        pf_tree_free(tree);
        at = one->end;
        if (err && err != PF_EINPUT) return err;
        if (err && !wrong) strncpy(words, pf_message(), sizeof words - 1);
        if (err) wrong = err;
    }
    if (wrong) return pf_fail(wrong, "%s", words);
    PF_TRY(pf_writer_put(file->spec, file->text + at, strlen(file->text + at) + 1));
    *spec = (const char *)pf_writer_bytes(file->spec, &length);
    return PF_OK;
}

pf_err pf_con_file_end(pf_con_file *file) {
    for (size_t at = 0; at < file->file.n; at++) {
        const tree_file *one = &file->file.at[at];
        pf_tree *tree;
        PF_TRY(pf_treebank_next(one->trees, &tree));
        if (!tree) continue;
        uint64_t line = tree->line;
        pf_tree_free(tree);
        return pf_fail(PF_EINPUT, "%s:%llu: expected the end, since every sentence has its tree, found another one",
                       pf_reader_name(one->reader), (unsigned long long)line);
    }
    return PF_OK;
}
