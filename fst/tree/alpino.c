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
    alpino *bank = *self = calloc(1, sizeof *bank);
    if (!bank) return pf_nomem();
    bank->documents.reader = reader;
    bank->sentence.reader = reader;
    bank->sentence.punctuation = punctuation;
    bank->xml.loose = true;
    bank->xml.feed = pfi_documents_feed;
    bank->xml.feed_self = &bank->documents;
    pf_err err = pfi_xml_open(&bank->xml, reader);
    if (!err) err = pfi_xml_advance(&bank->xml, &(bool){false}); /* the root that the documents are given */
    if (!err) return PF_OK;
    pfi_xml_close(&bank->xml);
    free(bank);
    return err;
}

static void free_alpino(void *self) {
    alpino *bank = self;
    pfi_xml_close(&bank->xml);
    PF_VEC_FREE(&bank->sentence.node);
    PF_VEC_FREE(&bank->sentence.text);
    free(bank);
}

/* ---- elements ---- */

static const char *const attributes[PFI_ALPINO_TEXTS] = {
    [PFI_ALPINO_REL] = "rel",   [PFI_ALPINO_CAT] = "cat",     [PFI_ALPINO_WORD] = "word",     [PFI_ALPINO_PT] = "pt",
    [PFI_ALPINO_WVORM] = "wvorm", [PFI_ALPINO_LEMMA] = "lemma", [PFI_ALPINO_POSTAG] = "postag",
};

static pf_err keep_text(alpino *bank, const char *text, size_t *at) {
    size_t n = strlen(text) + 1;
    if (bank->sentence.text.n + n > TEXT_LIMIT) return pfi_xml_fail(&bank->xml, "a sentence has more than %d bytes", TEXT_LIMIT);
    PF_TRY(PF_ROOM(&bank->sentence.text, n));
    *at = bank->sentence.text.n;
    memcpy(bank->sentence.text.at + *at, text, n);
    bank->sentence.text.n += n;
    return PF_OK;
}

static pf_err take_begin(alpino *bank, const char *text, pfi_alpino_node *node) {
    uint64_t begin;
    if (!pf_digits(text, strlen(text), &begin) || begin > INT32_MAX)
        return pfi_xml_fail(&bank->xml, "attribute begin: expected a number from 0 to %d, found '%.40s'", INT32_MAX, text);
    node->begin = (uint32_t)begin;
    node->placed = true;
    return PF_OK;
}

static pf_err take_attribute(alpino *bank, pfi_alpino_node *node) {
    const char *name = pfi_xml_name(&bank->xml), *text = pfi_xml_text(&bank->xml);
    if (bank->xml.err) return bank->xml.err;
    if (strcmp(name, "begin") == 0) return take_begin(bank, text, node);
    for (size_t i = 0; i < PFI_ALPINO_TEXTS; i++)
        if (strcmp(name, attributes[i]) == 0) return keep_text(bank, text, &node->text[i]);
    return PF_OK;
}

static pf_err check_node(alpino *bank, const pfi_alpino_node *node) {
    const pfi_alpino_node *parent = node->parent == UINT32_MAX ? NULL : &bank->sentence.node.at[node->parent];
    const char *word = pfi_alpino_text(&bank->sentence, node, PFI_ALPINO_WORD);
    if (parent && parent->text[PFI_ALPINO_WORD]) return pfi_xml_fail(&bank->xml, "expected no node below a word, found one");
    if (!node->text[PFI_ALPINO_WORD]) return PF_OK;
    if (!node->placed) return pfi_xml_fail(&bank->xml, "the word '%.40s' has no attribute 'begin'", word);
    if (!*word || strpbrk(word, " \t\r\n")) return pfi_xml_fail(&bank->xml, "expected a word without spaces, found '%.40s'", word);
    if (++bank->sentence.words > PF_MAX_WORDS) return pfi_xml_fail(&bank->xml, "a sentence has at most %u words, found more",
                                                                   PF_MAX_WORDS);
    return PF_OK;
}

static pf_err take_node(alpino *bank, uint32_t parent) {
    pfi_alpino_node node = {.parent = parent};
    pf_err err = PF_OK;
    if (bank->sentence.node.n == NODE_LIMIT) return pfi_xml_fail(&bank->xml, "a sentence has more than %d nodes", NODE_LIMIT);
    while (!err && pfi_libxml.TextReaderMoveToNextAttribute(bank->xml.parser) == 1) err = take_attribute(bank, &node);
    pfi_libxml.TextReaderMoveToElement(bank->xml.parser);
    if (!err) err = check_node(bank, &node);
    return err ? err : PF_PUSH(&bank->sentence.node, node);
}

/* <sentence sentid="...">: the name of the sentence. */
static pf_err take_id(alpino *bank) {
    pf_err err = PF_OK;
    while (!err && pfi_libxml.TextReaderMoveToNextAttribute(bank->xml.parser) == 1)
        if (strcmp(pfi_xml_name(&bank->xml), "sentid") == 0) err = keep_text(bank, pfi_xml_text(&bank->xml), &bank->sentence.id);
    pfi_libxml.TextReaderMoveToElement(bank->xml.parser);
    return bank->xml.err ? bank->xml.err : err;
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
static pf_err take_nodes(alpino *bank) {
    uint32_t parent = UINT32_MAX;
    for (bool begin, open = !bank->xml.empty; open;) {
        PF_TRY(pfi_xml_advance(&bank->xml, &begin));
        if (!begin) {
            open = parent != UINT32_MAX;
            if (open) parent = bank->sentence.node.at[parent].parent;
        } else if (strcmp(pfi_xml_name(&bank->xml), "node") == 0) {
            PF_TRY(take_node(bank, parent));
            if (!bank->xml.empty) parent = (uint32_t)bank->sentence.node.n - 1;
        } else if (parent != UINT32_MAX) return pfi_xml_unexpected(&bank->xml, "<node>");
        else {
            if (strcmp(pfi_xml_name(&bank->xml), "sentence") == 0) PF_TRY(take_id(bank));
            PF_TRY(skip_element(&bank->xml));
        }
        if (bank->xml.err) return bank->xml.err;
    }
    bank->xml.empty = false;
    return PF_OK;
}

/* Finds the next <alpino_ds>, in a <treebank> or alone. */
static pf_err find_sentence(alpino *bank, bool *there) {
    for (;;) {
        PF_TRY(pfi_xml_advance(&bank->xml, there));
        if (*there && strcmp(pfi_xml_name(&bank->xml), "alpino_ds") == 0) return PF_OK;
        if (*there && strcmp(pfi_xml_name(&bank->xml), "treebank") != 0)
            return pfi_xml_unexpected(&bank->xml, "<alpino_ds> or <treebank>");
        if (!*there && pfi_libxml.TextReaderNodeType(bank->xml.parser) <= 0) return PF_OK; /* the end of the input */
        if (!*there && pfi_libxml.TextReaderDepth(bank->xml.parser) == 0) return PF_OK;    /* of the root */
    }
}

static pf_err read_sentence(alpino *bank, bool *there) {
    pfi_alpino_sentence *sentence = &bank->sentence;
    sentence->node.n = sentence->text.n = sentence->words = 0;
    sentence->id = 0;
    PF_TRY(PF_PUSH(&sentence->text, 0)); /* text 0 is empty */
    PF_TRY(find_sentence(bank, there));
    if (!*there) return PF_OK;
    xmlNodePtr node = pfi_libxml.TextReaderCurrentNode(bank->xml.parser);
    long line = node ? pfi_libxml.GetLineNo(node) : -1;
    if (line <= 0 || line >= UINT16_MAX) line = pfi_libxml.TextReaderGetParserLineNumber(bank->xml.parser);
    sentence->line = (uint64_t)line;
    return take_nodes(bank);
}

static pf_err next_alpino(void *self, pf_tree **out, bool *broken) {
    alpino *bank = self;
    bool there = false;
    pf_err err = read_sentence(bank, &there);
    *broken = err;
    if (err == PF_EINPUT && strstr(bank->xml.words, "and documents"))
        return pf_fail(err, "%s:%llu: the input ends inside an element", pf_reader_name(bank->sentence.reader),
                       (unsigned long long)bank->documents.line);
    PF_TRY(err);
    return there ? pfi_alpino_make(&bank->sentence, out) : PF_OK;
}

const pfi_tree_format pfi_alpino = {open_alpino, next_alpino, free_alpino};
