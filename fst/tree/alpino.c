/* Alpino's XML: the nodes of one <alpino_ds> at a time, from libxml2's pull parser. What they mean is in alpino_tree.c. */
#include "tree/alpino_impl.h"
#include "tree/documents.h"

#include "io/xmlpull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_LIMIT = 1 << 20, TEXT_LIMIT = 1 << 26 };

typedef struct {
    pfi_documents documents;
    pfi_xml xml;
    pfi_alpino_sentence sentence;
} alpino;

static pf_err open_alpino(pf_reader *reader, pf_tree_punctuation punctuation, void **self) {
    alpino *a = *self = calloc(1, sizeof *a);
    if (!a) return pf_nomem();
    a->documents.reader = reader;
    a->sentence.reader = reader;
    a->sentence.punctuation = punctuation;
    a->xml.loose = true;
    a->xml.feed = pfi_documents_feed;
    a->xml.feed_self = &a->documents;
    pf_err err = pfi_xml_open(&a->xml, reader);
    if (!err) err = pfi_xml_advance(&a->xml, &(bool){false}); /* the root that the documents are given */
    if (!err) return PF_OK;
    pfi_xml_close(&a->xml);
    free(a);
    return err;
}

static void free_alpino(void *self) {
    alpino *a = self;
    pfi_xml_close(&a->xml);
    PF_VEC_FREE(&a->sentence.node);
    PF_VEC_FREE(&a->sentence.text);
    free(a);
}

/* ---- elements ---- */

static const char *const attributes[PFI_ALPINO_TEXTS] = {
    [PFI_ALPINO_REL] = "rel",   [PFI_ALPINO_CAT] = "cat",     [PFI_ALPINO_WORD] = "word",     [PFI_ALPINO_PT] = "pt",
    [PFI_ALPINO_WVORM] = "wvorm", [PFI_ALPINO_LEMMA] = "lemma", [PFI_ALPINO_POSTAG] = "postag",
};

static pf_err keep_text(alpino *a, const char *text, size_t *at) {
    size_t n = strlen(text) + 1;
    if (a->sentence.text.n + n > TEXT_LIMIT) return pfi_xml_fail(&a->xml, "a sentence has more than %d bytes", TEXT_LIMIT);
    PF_TRY(PF_ROOM(&a->sentence.text, n));
    *at = a->sentence.text.n;
    memcpy(a->sentence.text.at + *at, text, n);
    a->sentence.text.n += n;
    return PF_OK;
}

static pf_err take_begin(alpino *a, const char *text, pfi_alpino_node *node) {
    uint64_t begin;
    if (!pf_digits(text, strlen(text), &begin) || begin > INT32_MAX)
        return pfi_xml_fail(&a->xml, "attribute begin: expected a number from 0 to %d, found '%.40s'", INT32_MAX, text);
    node->begin = (uint32_t)begin;
    node->placed = true;
    return PF_OK;
}

static pf_err take_attribute(alpino *a, pfi_alpino_node *node) {
    const char *name = pfi_xml_name(&a->xml), *text = pfi_xml_text(&a->xml);
    if (a->xml.err) return a->xml.err;
    if (strcmp(name, "begin") == 0) return take_begin(a, text, node);
    for (size_t i = 0; i < PFI_ALPINO_TEXTS; i++)
        if (strcmp(name, attributes[i]) == 0) return keep_text(a, text, &node->text[i]);
    return PF_OK;
}

static pf_err check_node(alpino *a, const pfi_alpino_node *node) {
    const pfi_alpino_node *parent = node->parent == UINT32_MAX ? NULL : &a->sentence.node.at[node->parent];
    const char *word = pfi_alpino_text(&a->sentence, node, PFI_ALPINO_WORD);
    if (parent && parent->text[PFI_ALPINO_WORD]) return pfi_xml_fail(&a->xml, "expected a word to have no nodes below it");
    if (!node->text[PFI_ALPINO_WORD]) return PF_OK;
    if (!node->placed) return pfi_xml_fail(&a->xml, "the word '%.40s' needs the attribute 'begin'", word);
    if (!*word || strpbrk(word, " \t\r\n")) return pfi_xml_fail(&a->xml, "expected a word without spaces, found '%.40s'", word);
    if (++a->sentence.words > PF_MAX_WORDS) return pfi_xml_fail(&a->xml, "a sentence has at most %u words, found more", PF_MAX_WORDS);
    return PF_OK;
}

static pf_err take_node(alpino *a, uint32_t parent) {
    pfi_alpino_node node = {.parent = parent};
    pf_err err = PF_OK;
    if (a->sentence.node.n == NODE_LIMIT) return pfi_xml_fail(&a->xml, "a sentence has more than %d nodes", NODE_LIMIT);
    while (!err && xmlTextReaderMoveToNextAttribute(a->xml.parser) == 1) err = take_attribute(a, &node);
    xmlTextReaderMoveToElement(a->xml.parser);
    if (!err) err = check_node(a, &node);
    return err ? err : PF_PUSH(&a->sentence.node, node);
}

/* <sentence sentid="...">: the name of the sentence. */
static pf_err take_id(alpino *a) {
    pf_err err = PF_OK;
    while (!err && xmlTextReaderMoveToNextAttribute(a->xml.parser) == 1)
        if (strcmp(pfi_xml_name(&a->xml), "sentid") == 0) err = keep_text(a, pfi_xml_text(&a->xml), &a->sentence.id);
    xmlTextReaderMoveToElement(a->xml.parser);
    return a->xml.err ? a->xml.err : err;
}

/* Reads to the end of the current element. */
static pf_err skip_element(pfi_xml *xml) {
    for (size_t depth = !xml->empty; depth;) {
        bool begin;
        PF_TRY(pfi_xml_advance(xml, &begin));
        if (begin) depth += !xml->empty;
        else depth--;
    }
    xml->empty = false;
    return PF_OK;
}

/* The nodes below the current element, in the order in which they stand, to the end of <alpino_ds>. */
static pf_err take_nodes(alpino *a) {
    uint32_t parent = UINT32_MAX;
    for (bool begin, open = !a->xml.empty; open;) {
        PF_TRY(pfi_xml_advance(&a->xml, &begin));
        if (!begin) {
            open = parent != UINT32_MAX;
            if (open) parent = a->sentence.node.at[parent].parent;
        } else if (strcmp(pfi_xml_name(&a->xml), "node") == 0) {
            PF_TRY(take_node(a, parent));
            if (!a->xml.empty) parent = (uint32_t)a->sentence.node.n - 1;
        } else if (parent != UINT32_MAX) return pfi_xml_unexpected(&a->xml, "<node>");
        else {
            if (strcmp(pfi_xml_name(&a->xml), "sentence") == 0) PF_TRY(take_id(a));
            PF_TRY(skip_element(&a->xml));
        }
        if (a->xml.err) return a->xml.err;
    }
    a->xml.empty = false;
    return PF_OK;
}

/* Finds the next <alpino_ds>, in a <treebank> or alone. */
static pf_err find_sentence(alpino *a, bool *there) {
    for (;;) {
        PF_TRY(pfi_xml_advance(&a->xml, there));
        if (*there && strcmp(pfi_xml_name(&a->xml), "alpino_ds") == 0) return PF_OK;
        if (*there && strcmp(pfi_xml_name(&a->xml), "treebank") != 0)
            return pfi_xml_unexpected(&a->xml, "<alpino_ds> or <treebank>");
        if (!*there && xmlTextReaderNodeType(a->xml.parser) <= 0) return PF_OK; /* the end of the input */
        if (!*there && xmlTextReaderDepth(a->xml.parser) == 0) return PF_OK;    /* of the root */
    }
}

static pf_err read_sentence(alpino *a, bool *there) {
    pfi_alpino_sentence *s = &a->sentence;
    s->node.n = s->text.n = s->words = 0;
    s->id = 0;
    PF_TRY(PF_PUSH(&s->text, 0)); /* text 0 is empty */
    PF_TRY(find_sentence(a, there));
    if (!*there) return PF_OK;
    xmlNodePtr node = xmlTextReaderCurrentNode(a->xml.parser);
    long line = node ? xmlGetLineNo(node) : -1;
    s->line = line > 0 && line < UINT16_MAX ? (uint64_t)line : (uint64_t)xmlTextReaderGetParserLineNumber(a->xml.parser);
    return take_nodes(a);
}

static pf_err next_alpino(void *self, pf_tree **out, bool *broken) {
    alpino *a = self;
    bool there = false;
    pf_err err = read_sentence(a, &there);
    *broken = err;
    if (err == PF_EINPUT && strstr(a->xml.words, "and documents"))
        return pf_fail(err, "%s:%llu: the input ends inside an element", pf_reader_name(a->sentence.reader),
                       (unsigned long long)a->documents.line);
    PF_TRY(err);
    return there ? pfi_alpino_make(&a->sentence, out) : PF_OK;
}

const pfi_tree_format pfi_alpino = {open_alpino, next_alpino, free_alpino};
