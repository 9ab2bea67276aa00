/* Documents that are XML, through libxml2's pull parser as xmlpull.c keeps it. */
#include "io/docs_impl.h"
#include "io/xmlpull.h"

#include <string.h>

/* The builder's words do not know the place. */
static pf_err placed(pfi_xml *x, pf_err err) { return err == PF_EINPUT ? pfi_xml_fail(x, "%s", pf_message()) : err; }

static pf_err read_tag(pfi_xml *x, pfi_tag *tag) {
    const char *name = pfi_xml_name(x);
    PF_TRY(pfi_tag_begin(tag, name, strlen(name)));
    while (xmlTextReaderMoveToNextAttribute(x->parser) == 1) {
        const char *value = pfi_xml_text(x);
        name = pfi_xml_name(x);
        PF_TRY(placed(x, pfi_tag_attribute(tag, name, strlen(name), value, strlen(value))));
    }
    xmlTextReaderMoveToElement(x->parser);
    return x->err;
}

/* An element, with all there is in it where it is a segment; *open: its end is still to come. */
static pf_err begin(pfi_xml *x, pfi_docs_build *b, bool *open) {
    bool segment;
    *open = !x->empty;
    PF_TRY(read_tag(x, &b->tag));
    PF_TRY(placed(x, pfi_docs_begin(b, &segment)));
    if (!segment) {
        if (x->empty) pfi_docs_end(b, b->tag.name.at);
        x->empty = false;
        return PF_OK;
    }
    *open = false;
    PF_TRY(pfi_xml_content(x, PF_LINE_LIMIT));
    return placed(x, pfi_docs_segment(b, x->content.at, x->content.n));
}

static pf_err read_elements(pfi_xml *x, pfi_docs_build *b) {
    size_t depth = 0;
    do {
        bool begins, open;
        PF_TRY(pfi_xml_advance(x, &begins));
        if (begins) {
            PF_TRY(begin(x, b, &open));
            depth += open;
        } else if (depth) {
            pfi_docs_end(b, pfi_xml_name(x));
            if (x->err) return x->err;
            depth--;
        }
    } while (depth);
    return pfi_xml_advance(x, &(bool){false}); /* what comes after the root */
}

pf_err pfi_docs_xml(pf_reader *r, pfi_docs_build *b) {
    pfi_xml x = {.loose = true};
    pf_err err = pfi_xml_open(&x, r);
    if (!err) err = read_elements(&x, b);
    pfi_xml_close(&x);
    return err;
}
