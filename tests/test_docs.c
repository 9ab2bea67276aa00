/* Documents of evaluations: what the readers find, and what they refuse, as texts of the tests' own. */
#include "check.h"
#include <permfst/io/docs.h>

#include <stdio.h>
#include <string.h>

/* All sets as text: "R name document/segment[text]...", one after the other. */
static void dump(const pf_docs *docs, char *to, size_t room) {
    size_t used = 0;
    *to = 0;
    for (size_t i = 0; i < docs->set.n; i++) {
        const pf_docset *s = &docs->set.at[i];
        used += (size_t)snprintf(to + used, room - used, "%s%c %s", i ? " " : "", "LSRH"[s->kind], s->name);
        for (size_t k = 0; k < s->end.n; k++) {
            size_t n, length = 0;
            const char *text = pf_docset_text(s, k, &n);
            const char *key = k < s->key.n ? pf_statetab_key(&s->key, (uint32_t)k, &length) : "";
            used += (size_t)snprintf(to + used, room - used, " %s%s%.*s[%.*s]", key, length ? "/" : "",
                                     length ? (int)(length - strlen(key) - 1) : 0, length ? key + strlen(key) + 1 : "",
                                     (int)n, text);
        }
    }
}

typedef struct {
    const char *text, *sets, *words; /* what is read; else words of the message */
    pf_docs_form form;
    size_t n; /* bytes, 0: up to the NUL */
} sample;

static void check_sample(const sample *c) {
    pf_reader *reader;
    pf_docs docs;
    char found[2000];
    SUCCEED(pf_reader_memory(c->text, c->n ? c->n : strlen(c->text), "input", &reader));
    pf_err err = pf_docs_read(reader, c->form, &docs);
    if (c->sets) {
        CHECK(!err, "%s: %s", c->text, pf_message());
        dump(&docs, found, sizeof found);
        CHECK(strcmp(found, c->sets) == 0, "%s:\nexpected %s\nfound    %s", c->text, c->sets, found);
    } else
        CHECK(err == PF_EINPUT && strstr(pf_message(), c->words), "%s:\nexpected a failure with '%s', found %d '%s'", c->text,
              c->words, err, pf_message());
    pf_docs_free(&docs);
    pf_reader_free(reader);
}

static const sample lines[] = {
    {.text = "", .sets = "L "},
    {.text = "a b\n\n c \r\nlast", .sets = "L  [a b] [] [ c ] [last]"},
    {.text = "<unk> is no document\n", .sets = "L  [<unk> is no document]"},
    {.text = "<doctor> neither\n", .sets = "L  [<doctor> neither]"},
    {.text = "<refset> by option\n", .sets = "L  [<refset> by option]", .form = PF_DOCS_TEXT},
    {.text = "a\0b\n", .n = 4, .words = "input:1: expected text, found a NUL byte"},
};

#define REFSET(segments) "<refset setid=\"s\"><doc docid=\"d\" sysid=\"A\">" segments "</doc></refset>"

static const sample sgml[] = {
    {.text = REFSET("<hl><seg id=\"1\"> one </seg></hl><p>\n<seg id=\"2\">two\nlines</seg></p>"),
     .sets = "R A d/1[ one ] d/2[two\nlines]"},
    {.text = "\xef\xbb\xbf \n<REFSET><DOC DOCID=d SYSID=A><Seg ID=1>x</SEG><seg id='2'>y</seg></DOC></REFSET>",
     .sets = "R A d/1[x] d/2[y]"},
    {.text = REFSET("<seg id=\"1\">S & P, R&D, a<b, 3 < 4, <3, &amp; &lt;&gt;&quot;&apos; "
                    "&eacute; &#65;&#x20ac; &#0; &#xD800; &amp</seg>"),
     .sets = "R A d/1[S & P, R&D, a<b, 3 < 4, <3, & <>\"' &eacute; A\xe2\x82\xac &#0; &#xD800; &amp]"},
    {.text = REFSET("<seg id=\"1\">a <b>c</b> <unk/> d</seg>"), .sets = "R A d/1[a <b>c</b> <unk/> d]"},
    {.text = REFSET("<seg id=\"1\">a<!-- <seg> -->b<![CDATA[<c>&amp;]]></seg>"), .sets = "R A d/1[ab<c>&amp;]"},
    {.text = REFSET("<seg id=\"1\"></seg><seg id=\"2\"/>"), .sets = "R A d/1[] d/2[]"},
    {.text = REFSET("<!-- <seg id=\"1\">no</seg> --><seg id=\"1\">yes</seg>"), .sets = "R A d/1[yes]"},
    {.text = "<!DOCTYPE mteval SYSTEM \"x.dtd\">" REFSET("<seg id=\"1\">a</seg>"), .sets = "R A d/1[a]"},
    {.text = "<mteval><url>http://x?a&b</url><refset refid=\"r1\"><doc docid=\"d\"><title>T</title><seg "
             "id=\"1\">a</seg></doc></refset>"
             "<refset refid=\"r2\"><doc docid=\"d\"><seg id=\"1\">b</seg></doc></refset>"
             "<tstset sysid=\"s\"><doc docid=\"d\"><seg id=\"1\">c</seg></doc></tstset></mteval>",
     .sets = "R r1 d/1[a] R r2 d/1[b] H s d/1[c]"},
    {.text = "<tstset><doc docid=\"1\" sysid=\"x\"><seg id=\"1\">a</seg></doc><doc docid=\"1\" sysid=\"y\"><seg "
             "id=\"1\">b</seg></doc>"
             "<doc docid=\"2\" sysid=\"x\"><seg id=\"1\">c</seg></doc></tstset>",
     .sets = "H x 1/1[a] 2/1[c] H y 1/1[b]"},
    {.text = "<srcset><doc docid=\"a&amp;b\"><seg id=\"1\">q</seg></doc></srcset>", .sets = "S  a&b/1[q]"},
    {.text = "no mark\n" REFSET("<seg id=\"1\">a</seg>"), .sets = "R A d/1[a]", .form = PF_DOCS_SGML},

    {.text = REFSET("<seg id=\"1\">a"), .words = "input:1: the <seg> has no </seg>"},
    {.text = "<refset>\n<doc docid=d>\n<seg id=1>a\n<seg id=2>b</seg></doc></refset>",
     .words = "input:3: the <seg> has no </seg>"},
    {.text = REFSET("\n<seg id=\"1\">a</seg>\n<seg id=\"1\">b</seg>"),
     .words = "input:3: expected each segment of a text once, found segment 1 of document 'd' twice"},
    {.text = REFSET("<seg>a</seg>"), .words = "needs the attribute 'id'"},
    {.text = "<refset><doc><seg id=\"1\">a</seg></doc></refset>", .words = "<doc> needs the attribute 'docid' or 'id'"},
    {.text = "<refset>\n<seg id=\"1\">a</seg></refset>", .words = "input:2: a <seg> is expected inside a <doc>"},
    {.text = "<doc id=\"1\"><seg id=\"1\">a</seg></doc>", .words = "a <seg> is expected inside a <doc> of"},
    {.text = "<refset><doc docid=\"d\"></doc></refset>", .words = "input: expected documents with <seg>, found none"},
    {.text = "<refset><doc docid=\"d>", .words = "the value has no closing quote"},
    {.text = "<refset><doc docid", .words = "the tag does not end"},
    {.text = "<refset><!-- ", .words = "the comment does not end"},
    {.text = "<!DOCTYPE x [<!ENTITY a \"b\">]><refset>", .words = "a document type declaration must not have declarations inside"},
    {.text = "<refset>\0</refset>", .n = 18, .words = "found a NUL byte"},
};

#define XML "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
#define HEAD XML "<dataset id=\"x\"><doc origlang=\"en\" id=\"d\">"

static const sample xml[] = {
    {.text = HEAD "<src lang=\"en\"><p><seg id=\"1\">s</seg></p></src><ref translator=\"A\"><p><seg id=\"1\">a &amp; "
                  "b</seg></p></ref>"
                  "<ref translator=\"B\"><seg id=\"1\">b</seg></ref><hyp system=\"X\"><seg id=\"1\"/></hyp></doc></dataset>",
     .sets = "S  d/1[s] R A d/1[a & b] R B d/1[b] H X d/1[]"},
    {.text = XML "<!DOCTYPE mteval SYSTEM \"ftp://nowhere.example/x.dtd\">" REFSET("<seg id=\"1\">a<!-- x "
                                                                                   "-->b<![CDATA[<c>]]></seg>"),
     .sets = "R A d/1[ab<c>]"},
    {.text = HEAD "text <b>that</b> is passed over <hyp><seg id=\"1\">a</seg></hyp></doc></dataset>", .sets = "H  d/1[a]"},
    {.text = "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><refset><doc docid=\"d\"><seg id=\"1\">\xe9</seg></doc></refset>",
     .sets = "R  d/1[\xc3\xa9]"},
    {.text = XML REFSET("<seg id=\"1\">R & D</seg>"), .words = "input:2: xmlParseEntityRef: no name"},
    {.text = XML REFSET("<seg id=\"1\">R &D; D</seg>"), .words = "input:2: "},
    {.text = XML REFSET("<seg id=\"1\">a <b>c</b></seg>"), .words = "expected text, found <b>"},
    {.text = XML REFSET("\n<seg id=\"1\">a</seg>\n<seg id=\"1\">b</seg>"),
     .words = "input:4: expected each segment of a text once"},
    {.text = XML "<refset><doc docid=\"d\"><seg>a</seg></doc></refset>", .words = "input:2: <seg> needs the attribute 'id'"},
    {.text = XML "<!DOCTYPE x [<!ENTITY a \"b\">]>" REFSET("<seg id=\"1\">&a;</seg>"),
     .words = "a document type declaration is not allowed"},
    {.text = XML "<!DOCTYPE x SYSTEM \"x.dtd\">" REFSET("<seg id=\"1\">&a;</seg>"), .words = "input:2: "},
    {.text = XML REFSET("<seg id=\"1\">a</seg>") "<more/>", .words = "input:2: "},
    {.text = HEAD "<hyp><seg id=\"1\">a</seg></hyp>", .words = "input:2: "},
    {.text = XML "<dataset/>", .words = "expected documents with <seg>, found none"},
    {.text = "", .form = PF_DOCS_XML, .words = "input is empty"},
};

static void check_all(const sample *c, size_t n) {
    for (size_t i = 0; i < n; i++) check_sample(&c[i]);
}

static void plain_lines(void **state PF_UNUSED) { check_all(lines, LENGTH(lines)); }
static void sgml_as_it_is(void **state PF_UNUSED) { check_all(sgml, LENGTH(sgml)); }
static void xml_documents(void **state PF_UNUSED) { check_all(xml, LENGTH(xml)); }

/* Every prefix of a readable file is read, or refused with a message: nothing runs past the end. */
static void cut_files(void **state PF_UNUSED) {
    const char *const text[] = {sgml[2].text, sgml[4].text, sgml[8].text, xml[0].text, xml[1].text};
    for (size_t i = 0; i < LENGTH(text); i++)
        for (size_t n = 1; n < strlen(text[i]); n++) {
            pf_reader *reader;
            pf_docs docs;
            SUCCEED(pf_reader_memory(text[i], n, "input", &reader));
            pf_err err = pf_docs_read(reader, PF_DOCS_AUTO, &docs);
            CHECK(!err || (err == PF_EINPUT && strncmp(pf_message(), "input", 5) == 0), "%.*s: %s", (int)n, text[i],
                  pf_message());
            pf_docs_free(&docs);
            pf_reader_free(reader);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines),
        cmocka_unit_test(sgml_as_it_is),
        cmocka_unit_test(xml_documents),
        cmocka_unit_test(cut_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
