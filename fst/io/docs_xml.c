/* Documents that are XML, through libxml2's pull parser as xmlpull.c keeps it. */
#include "io/docs_impl.h"
#include "io/xmlpull.h"

#include <string.h>

/* The builder's words do not know the place. */
static pf_err placed(pfi_xml *xml, pf_err err) { return err == PF_EINPUT ? pfi_xml_fail(xml, "%s", pf_message()) : err; }

static pf_err read_tag(pfi_xml *xml, pfi_tag *tag) {
    const char *name = pfi_xml_name(xml);
    PF_TRY(pfi_tag_begin(tag, name, strlen(name)));
    while (pfi_xml_next_attribute(xml)) {
        const char *value = pfi_xml_text(xml);
        name = pfi_xml_name(xml);
        PF_TRY(placed(xml, pfi_tag_attribute(tag, name, strlen(name), value, strlen(value))));
    }
    pfi_libxml.TextReaderMoveToElement(xml->parser);
    return xml->err;
}

/* An element, with all there is in it where it is a segment; *open: its end is still to come. */
static pf_err begin(pfi_xml *xml, pfi_docs_build *build, bool *open) {
    bool segment;
    *open = !xml->empty;
    PF_TRY(read_tag(xml, &build->tag));
    PF_TRY(placed(xml, pfi_docs_begin(build, &segment)));
    if (!segment) {
        if (xml->empty) pfi_docs_end(build, build->tag.name.at);
        xml->empty = false;
        return PF_OK;
    }
    *open = false;
    PF_TRY(pfi_xml_content(xml, PF_LINE_LIMIT));
    return placed(xml, pfi_docs_segment(build, xml->content.at, xml->content.n));
}

static pf_err read_elements(pfi_xml *xml, pfi_docs_build *build) {
    size_t depth = 0;
    do {
        bool begins, open;
        PF_TRY(pfi_xml_advance(xml, &begins));
        if (begins) {
            PF_TRY(begin(xml, build, &open));
            depth += open;
        } else if (depth) {
            pfi_docs_end(build, pfi_xml_name(xml));
            if (xml->err) return xml->err;
            depth--;
        }
    } while (depth);
    return pfi_xml_advance(xml, &(bool){false}); /* what comes after the root */
}

pf_err pfi_docs_xml(pf_reader *reader, pfi_docs_build *build) {
    pfi_xml xml = {.loose = true};
    pf_err err = pfi_xml_open(&xml, reader);
    if (!err) err = read_elements(&xml, build);
    pfi_xml_close(&xml);
    return err;
}
