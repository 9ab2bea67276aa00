/* Automata and answers as XML: what is written is valid by the schema and reads back; what the schema refuses, and what
 * is meant to harm, is refused in words, and nothing is printed. */
#include "check.h"
#include "machines.h"
#include <permfst/io/bin.h>
#include <permfst/io/xml.h>

#include <permfst/machine/build.h>

#include <libxml/relaxng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void path_of(const char *name, char *path, size_t room) {
    const char *srcdir = getenv("srcdir");
    snprintf(path, room, "%s/%s", srcdir ? srcdir : ".", name);
}

/* ---- The schema, as libxml2 understands it. */

static xmlRelaxNGPtr schema;

static void quiet(void *context PF_UNUSED, xmlErrorPtr error PF_UNUSED) {}

static int load_schema(void **state PF_UNUSED) {
    char path[512];
    path_of("fst/io/permfst.rng", path, sizeof path);
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(path);
    schema = parser ? xmlRelaxNGParse(parser) : NULL;
    xmlRelaxNGFreeParserCtxt(parser);
    return schema ? 0 : -1;
}

static int free_schema(void **state PF_UNUSED) {
    xmlRelaxNGFree(schema);
    xmlRelaxNGCleanupTypes();
    xmlCleanupParser();
    return 0;
}

static bool valid(const char *text, size_t n) {
    xmlDocPtr doc = xmlReadMemory(text, (int)n, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!doc) return false;
    xmlRelaxNGValidCtxtPtr v = xmlRelaxNGNewValidCtxt(schema);
    xmlRelaxNGSetValidStructuredErrors(v, quiet, NULL);
    int code = xmlRelaxNGValidateDoc(v, doc);
    xmlRelaxNGFreeValidCtxt(v);
    xmlFreeDoc(doc);
    return code == 0;
}

/* ---- Reading and writing. */

/* A copy of the machine of a record; an answer's has its paths. */
static pf_fst *machine_of(pf_expr *expr) {
    pf_fst *fst;
    pf_writer *writer;
    pf_reader *reader;
    pf_header header;
    size_t n;
    if (expr->kind == PF_EXPR_BEST) {
        SUCCEED(pf_answer_fst(expr->answer, &fst));
        return fst;
    }
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_bin_write(writer, expr->fst));
    const unsigned char *at = pf_writer_bytes(writer, &n);
    SUCCEED(pf_reader_memory(at, n, "copy", &reader));
    SUCCEED(pf_header_read(reader, &header));
    SUCCEED(pf_bin_read(reader, &header, 0, &fst));
    pf_reader_free(reader);
    pf_writer_free(writer);
    return fst;
}

/* Reads a whole document; `first` (the caller's, may be NULL) is its first record, *n counts them. */
static pf_err read_all(const char *text, size_t length, pf_fst **first, unsigned *n) {
    pf_reader *reader;
    pf_xml_reader *xml = NULL;
    pf_expr *expr = NULL;
    *n = 0;
    if (first) *first = NULL;
    SUCCEED(pf_reader_memory(text, length, "memory", &reader));
    pf_err err = pf_xml_reader_new(reader, &xml);
    while (!err && !(err = pf_xml_next(xml, &expr)) && expr) {
        if (first && !*n) *first = machine_of(expr);
        pf_expr_free(expr);
        ++*n;
    }
    pf_xml_reader_free(xml);
    pf_reader_free(reader);
    if (err && first) {
        pf_fst_free(*first);
        *first = NULL;
    }
    return err;
}

static pf_err read_text(const char *text, pf_fst **first) {
    unsigned n;
    return read_all(text, strlen(text), first, &n);
}

/* A document of one record, the caller's. */
static pf_err write_doc(pf_fst *fst, const pf_answer *answer, char **text) {
    pf_writer *writer;
    size_t n;
    *text = NULL;
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_xml_begin(writer));
    pf_err err = fst ? pf_xml_fst(writer, fst, NULL) : answer ? pf_xml_answer(writer, answer, NULL) : PF_OK;
    SUCCEED(pf_xml_end(writer));
    const unsigned char *at = pf_writer_bytes(writer, &n);
    if (!err) {
        *text = malloc(n + 1);
        assert_non_null(*text);
        memcpy(*text, at, n);
        (*text)[n] = 0;
    }
    pf_writer_free(writer);
    return err;
}

static void expect_same_named_table(const pf_symtab *one, const pf_symtab *other) {
    if (one && other) assert_string_equal(pf_symtab_title(one), pf_symtab_title(other));
    expect_same_table(one, other);
}

static void expect_same_machine(pf_fst *one, pf_fst *other) {
    assert_int_equal(one->type, other->type);
    expect_same_fst(one, other);
    expect_same_named_table(one->isyms, other->isyms);
    expect_same_named_table(one->osyms, other->osyms);
}

static char *contents(const char *name, size_t *n) {
    char path[512], data[256];
    snprintf(data, sizeof data, "tests/data/%s", name);
    path_of(data, path, sizeof path);
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*n + 1);
    CHECK(text && fread(text, 1, *n, file) == *n, "%s", path);
    text[*n] = 0;
    fclose(file);
    return text;
}

static pf_fst *fst_of(const char *name) {
    size_t n;
    char *b = contents(name, &n);
    pf_reader *reader;
    pf_header header;
    pf_fst *fst;
    SUCCEED(pf_reader_memory(b, n, name, &reader));
    SUCCEED(pf_header_read(reader, &header));
    SUCCEED(pf_bin_read(reader, &header, 0, &fst));
    pf_reader_free(reader);
    free(b);
    return fst;
}

static pf_symtab *odd_symbols(void) {
    static const char *const symbols[] = {
        "<eps>", "<&>\"'", " leading and trailing ", "\ttab\nline\rreturn\r\n", "", "]]>", "gr\xc3\xbc\xc3\x9f",
        "\xf0\x9f\x90\x9f", "\xe2\x80\xa8", " ", "&#60;", "\x7f",
    };
    pf_symtab *table;
    SUCCEED(pf_symtab_new("a \"name\"\n<&>", &table));
    for (size_t i = 0; i < LENGTH(symbols); i++)
        SUCCEED(pf_symtab_put(table, symbols[i], strlen(symbols[i]), (pf_label)(i * i)));
    SUCCEED(pf_symtab_put(table, "last", 4, INT32_MAX));
    return table;
}

static void what_is_written_is_valid_and_reads_back(void **state PF_UNUSED) {
    static const char *const names[] = {"good-perm3.tables.fst", "good-perm3.log.fst", "good-perm3.log64.fst",
                                        "good-epsilon.fst", "good-empty.fst"};
    pf_symtab *odd = odd_symbols();
    for (size_t i = 0; i < 2 * LENGTH(names); i++) {
        pf_fst *fst = fst_of(names[i / 2]), *again;
        char *text;
        if (i % 2) pf_fst_set_symbols(fst, NULL, odd);
        SUCCEED(write_doc(fst, NULL, &text));
        CHECK(valid(text, strlen(text)), "%s", text);
        SUCCEED(read_text(text, &again));
        assert_non_null(again);
        expect_same_machine(fst, again);
        pf_fst_free(again);
        pf_fst_free(fst);
        free(text);
    }
    pf_symtab_free(odd);
}

static void a_document_is_written_as_before(void **state PF_UNUSED) {
    size_t n;
    char *expected = contents("good-perm3.xml", &n), *text;
    pf_fst *fst = fst_of("good-perm3.tables.fst");
    SUCCEED(write_doc(fst, NULL, &text));
    assert_string_equal(text, expected);
    pf_fst_free(fst);
    free(text);
    free(expected);
}

static void answers_are_valid_and_read_as_their_paths(void **state PF_UNUSED) {
    static const pf_arc arcs[] = {{1, 2, 0.1f, 0}, {2, 0, 0, 0}, {3, 1, 2.5f, 0}};
    pf_answer answer = {.type = PF_LOG, .bound = -(double)INFINITY, .states = 12, .arcs = UINT64_C(1) << 40};
    answer.osyms = odd_symbols();
    for (size_t paths = 0; paths < 5; paths++) {
        pf_fst *fst, *again;
        char *text;
        SUCCEED(write_doc(NULL, &answer, &text));
        CHECK(valid(text, strlen(text)), "%s", text);
        SUCCEED(read_text(text, &again));
        SUCCEED(pf_answer_fst(&answer, &fst));
        expect_same_machine(fst, again);
        pf_fst_free(fst);
        pf_fst_free(again);
        free(text);
        SUCCEED(pf_answer_add(&answer, arcs, paths < 3 ? paths : 3, paths % 2 ? 0.3f : paths == 2 ? INFINITY : 0));
        answer.bound = paths == 2 ? (double)INFINITY : answer.paths.at[0].cost - 1e-17;
    }
    pf_answer_free(&answer);
}

static void an_answer_looks_like_this(void **state PF_UNUSED) {
    static const pf_arc arcs[] = {{1, 2, 0.1f, 0}, {2, 0, 0, 0}};
    pf_answer answer = {.bound = 0.5, .states = 3, .arcs = 4};
    char *text;
    SUCCEED(pf_answer_add(&answer, arcs, 2, 0.25f));
    SUCCEED(write_doc(NULL, &answer, &text));
    assert_string_equal(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<permfst version=\"1\">\n"
                              "  <answer type=\"standard\" bound=\"0.5\" states=\"3\" arcs=\"4\">\n"
                              "    <path rank=\"1\" cost=\"0.3500000014901161\" final=\"0.25\">\n"
                              "      <arc in=\"1\" out=\"2\" weight=\"0.1\"/>\n"
                              "      <arc in=\"2\" out=\"0\"/>\n"
                              "    </path>\n"
                              "  </answer>\n"
                              "</permfst>\n");
    pf_answer_free(&answer);
    free(text);
}

static void symbols_xml_cannot_hold_are_named(void **state PF_UNUSED) {
    static const struct {
        const char *symbol;
        size_t n;
    } as[] = {{"a\1b", 3},     {"\xff", 1},         {"\xc3", 1},         {"\xc0\x80", 2}, {"\xed\xa0\x80", 3},
              {"\xef\xbf\xbf", 3}, {"\xf4\x90\x80\x80", 4}, {"\xe0\x80\xaf", 3}, {"a\0b", 3},     {"\x1b[2J", 4}};
    for (size_t i = 0; i < LENGTH(as); i++) {
        pf_fst *fst = fst_of("good-empty.fst");
        pf_symtab *table;
        char *text;
        SUCCEED(pf_symtab_new("t", &table));
        SUCCEED(pf_symtab_put(table, as[i].symbol, as[i].n, 7));
        pf_fst_set_symbols(fst, table, NULL);
        CHECK(write_doc(fst, NULL, &text) == PF_EINPUT, "symbol %zu", i);
        CHECK(strstr(pf_message(), "(label 7) has a control character or is not UTF-8"), "%s", pf_message());
        CHECK(!strpbrk(pf_message(), "\1\x1b"), "control characters in the message");
        pf_symtab_free(table);
        pf_fst_free(fst);
    }
}

/* ---- Documents of others. */

#define FST(inside) "<fst type='standard' start='0'>" inside "</fst>"
#define STATE "<state id='0' final='0'/>"
#define TABLE(inside) FST("<isymbols>" inside "</isymbols>" STATE)

static void documents_of_others_are_read(void **state PF_UNUSED) {
    static const struct {
        const char *text;
        int states;
        const char *symbol;
    } as[] = {
        {FST(STATE), 1, NULL},
        {"<permfst version='1'/>", -1, NULL},
        {"<permfst version='1'>\n</permfst>\n<!-- the end -->\n", -1, NULL},
        {"<fst type='log64'/>", 0, NULL},
        {"<!-- c --><?pi x?><fst type='log'><!-- c --><?pi x?>" STATE "<!-- c --></fst><?pi x?>", 1, NULL},
        {FST("<state id='0'><arc to='1' in='1' out='2' weight='-1.5E-3'/></state><state id='1'></state>"), 2, NULL},
        {TABLE("<symbol label='5'><![CDATA[<a>]]> &amp;&#x20;b<!-- c -->c\n</symbol>"), 1, "<a> & bc\n"},
        {TABLE("<symbol label='5'/>"), 1, ""},
        {"<?xml version='1.0' encoding='ISO-8859-1'?>" TABLE("<symbol label='5'>\xfc</symbol>"), 1, "\xc3\xbc"},
        {"<answer type='standard'/>", 0, NULL},
        {"<answer type='log' bound='Infinity'><path rank='1' cost='0'/></answer>", 1, NULL},
    };
    for (size_t i = 0; i < LENGTH(as); i++) {
        pf_fst *fst;
        CHECK(read_text(as[i].text, &fst) == PF_OK, "%s: %s", as[i].text, pf_message());
        CHECK((fst ? (int)pf_fst_states(fst) : -1) == as[i].states, "%s", as[i].text);
        CHECK(valid(as[i].text, strlen(as[i].text)), "%s", as[i].text);
        if (as[i].symbol) assert_string_equal(pf_symtab_name(fst->isyms, 5, NULL), as[i].symbol);
        pf_fst_free(fst);
    }
}

static void records_are_read_one_after_the_other(void **state PF_UNUSED) {
    static const char text[] = "<permfst version='1'>" FST(STATE) "<answer type='log'/>" FST(STATE) "</permfst>";
    unsigned n;
    SUCCEED(read_all(text, sizeof text - 1, NULL, &n));
    assert_int_equal(n, 3);
}

#define LAUGHS                                                                                                         \
    "<!DOCTYPE fst [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"                                      \
    "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"                         \
    "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>"                         \
    "<!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;'>"                         \
    "<!ENTITY i '&h;&h;&h;&h;&h;&h;&h;&h;&h;&h;'>]>"

/* No schema can tell the first ones from good documents; the schema refuses all others, too. */
static const struct {
    bool schema;
    const char *text, *words;
} bad[] = {
    {false, FST("<state id='1'/>"), "memory:1: expected state 0, found state 1"},
    {false, FST(STATE STATE), "expected state 1, found state 0"},
    {false, FST("<state id='0'>\n<arc to='1' in='0' out='0'/></state>"), "state 0 has an arc to state 1, but there are 1"},
    {false, "<fst type='log' start='3'>" STATE "</fst>", "the start state is 3, but there are 1 states"},
    {false, FST(""), "the start state is 0, but there are 0 states"},
    {false, TABLE("<symbol label='1'>a</symbol><symbol label='2'>a</symbol>"), "symbol 'a' has two labels: 1 and 2"},
    {false, TABLE("<symbol label='1'>a</symbol>\n<symbol label='1'>b</symbol>"), "memory:2: label 1 has two symbols"},
    {false, "<answer type='log'><path rank='2' cost='0'/></answer>", "expected rank 1, found rank 2"},
    {false, FST("<state id='0' final='1e39'/>"), "attribute final: expected a weight, found '1e39'"},
    {false, LAUGHS FST(STATE), "a document type declaration is not allowed"},
    {false, "<!DOCTYPE fst SYSTEM 'file:///etc/passwd'>" FST(STATE), "a document type declaration is not allowed"},
    {false, "<!DOCTYPE fst [<!ATTLIST fst start CDATA '0'>]><fst type='log'/>", "a document type declaration"},

    {true, LAUGHS TABLE("<symbol label='1'>&i;</symbol>"), "a document type declaration is not allowed"},
    {true, LAUGHS "<fst type='&i;'/>", "memory:1: a document type declaration is not allowed"},
    {true, "<!DOCTYPE fst [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" TABLE("<symbol label='&x;'></symbol>"),
     "a document type declaration is not allowed"},
    {true, "<!DOCTYPE fst [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/x'> %p;]><fst/>", "a document type declaration"},
    {true, TABLE("<symbol label='1'>&unknown;</symbol>"), "memory:1: Entity 'unknown' not defined"},
    {true, "<fst type='log'>", "memory:1: "},
    {true, "<fst type='log'></fst><fst type='log'></fst>", "memory:1: Extra content"},
    {true, "\n\n  ", "memory:"},
    {true, "<fst type='log'\n\xff/>", "memory:2: "},
    {true, "no XML", "memory:1: expected an XML document"},
    {true, "<html/>", "expected <fst> or <answer>, found <html>"},
    {true, "<permfst/>", "<permfst> needs the attribute 'version'"},
    {true, "<permfst version='2'/>", "attribute version: expected 1, found '2'"},
    {true, "<permfst version='1'><permfst version='1'/></permfst>", "expected <fst> or <answer>, found <permfst>"},
    {true, "<permfst version='1'>\n<state/></permfst>", "memory:2: expected <fst> or <answer>, found <state>"},
    {true, "<permfst version='1'>words</permfst>", "expected an element, found the text 'words'"},
    {true, "<fst/>", "<fst> needs the attribute 'type'"},
    {true, "<fst type='tropical'/>", "attribute type: expected standard, log or log64, found 'tropical'"},
    {true, "<fst type='log' start='-1'/>", "attribute start: expected a number from 0 to 2147483647, found '-1'"},
    {true, "<fst type='log' kind='x'/>", "<fst> has no attribute 'kind'"},
    {true, "<fst xmlns='urn:x' type='log'/>", "<fst> has no attribute 'xmlns'"},
    {true, "<x:fst xmlns:x='urn:x' type='log'/>", "found <x:fst>"},
    {true, "<y:fst type='log'/>", "memory:1: Namespace prefix y"},
    {true, "<fst type='log' type='log'/>", "memory:1: Attribute type redefined"},
    {true, FST("<state/>"), "<state> needs the attribute 'id'"},
    {true, FST("<state id=''/>"), "attribute id: expected a number"},
    {true, FST("<state id='x'/>"), "found 'x'"},
    {true, FST("<state id='2147483648'/>"), "found '2147483648'"},
    {true, FST("<state id='99999999999999999999999'/>"), "found '99999999999999999999999'"},
    {true, FST("<state id='0' final='-Infinity'/>"), "expected a weight, found '-Infinity'"},
    {true, FST("<state id='0' final='NaN'/>"), "expected a weight, found 'NaN'"},
    {true, FST("<state id='0' final='inf'/>"), "expected a weight, found 'inf'"},
    {true, FST("<state id='0' final='0x1p3'/>"), "expected a weight, found '0x1p3'"},
    {true, FST("<state id='0' final='1 2'/>"), "expected a weight, found '1 2'"},
    {true, FST("<state id='0' final=''/>"), "expected a weight, found ''"},
    {true, FST("<state id='0' final='e'/>"), "expected a weight, found 'e'"},
    {true, FST("<state id='0'><arc in='0' out='0'/></state>"), "<arc> needs the attribute 'to'"},
    {true, FST("<state id='0'><arc to='0' out='0'/></state>"), "<arc> needs the attribute 'in'"},
    {true, FST("<state id='0'><arc to='0' in='0' out='-3'/></state>"), "attribute out: expected a number"},
    {true, FST("<state id='0'><arc to='0' in='0' out='0'>x</arc></state>"), "expected an element, found the text 'x'"},
    {true, FST("<state id='0'><arc to='0' in='0' out='0'><arc/></arc></state>"), "expected the end of <arc>, found <arc>"},
    {true, FST("<state id='0'><state id='1'/></state>"), "expected <arc>, found <state>"},
    {true, FST(STATE "<isymbols/>"), "expected <state>, found <isymbols>"},
    {true, FST("<osymbols/><isymbols/>"), "expected <state>, found <isymbols>"},
    {true, FST("<isymbols/><isymbols/>"), "expected <state>, found <isymbols>"},
    {true, TABLE("a"), "expected an element, found the text 'a'"},
    {true, TABLE("<symbol>a</symbol>"), "<symbol> needs the attribute 'label'"},
    {true, TABLE("<symbol label='1'>a<b/></symbol>"), "expected text, found <b>"},
    {true, FST("<isymbols xml:space='default'/>"), "attribute xml:space: expected preserve, found 'default'"},
    {true, "<answer type='log'><path rank='1'/></answer>", "<path> needs the attribute 'cost'"},
    {true, "<answer type='log'><path rank='1' cost='x'/></answer>", "attribute cost: expected a cost, found 'x'"},
    {true, "<answer type='log'><path rank='1' cost='0'><arc to='1' in='1' out='1'/></path></answer>", "no attribute 'to'"},
    {true, "<answer type='log' states='-1'/>", "attribute states: expected a whole number, found '-1'"},
    {true, "<answer type='log' bound='-Infinity'/>", "attribute bound: expected a cost, found '-Infinity'"},
};

static void bad_documents_are_refused_in_words(void **state PF_UNUSED) {
    for (size_t i = 0; i < LENGTH(bad); i++) {
        pf_fst *fst;
        CHECK(read_text(bad[i].text, &fst) == PF_EINPUT, "%s", bad[i].text);
        CHECK(strstr(pf_message(), bad[i].words), "%s: %s", bad[i].text, pf_message());
        CHECK(valid(bad[i].text, strlen(bad[i].text)) == !bad[i].schema, "%s: the schema", bad[i].text);
    }
}

static void an_empty_document_is_named(void **state PF_UNUSED) {
    pf_fst *fst;
    assert_int_equal(read_text("", &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "memory is empty (did the command before it fail?)");
}

/* `n` times a text between two others, the caller's. */
static char *repeated(const char *before, const char *text, size_t n, const char *after) {
    size_t length = strlen(text);
    char *to = malloc(strlen(before) + n * length + strlen(after) + 1), *at = to;
    assert_non_null(to);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < n; i++, at += length) memcpy(at, text, length);
    strcpy(at, after);
    return to;
}

static void size_has_its_limits(void **state PF_UNUSED) {
    static const struct {
        const char *before, *text;
        size_t n;
        const char *after, *words;
    } as[] = {
        {"", "<fst type='log'>", 1000, "", "expected <state>, found <fst>"},
        {"<permfst version='1'>", "<permfst version='1'>", 200000, "", "expected <fst> or <answer>, found <permfst>"},
        {"<fst type='log' start='", "0", 5000, "'/>", "attribute start: expected a number from 0 to 2147483647, found '000"},
        {"<fst type='log' start='", "1", 20000000, "'/>", "memory:1: "},
        {"<fst type='log'><isymbols><symbol label='1'>", "long ", 300000, "</symbol></isymbols></fst>",
         "expected a text of at most 1048576 bytes"},
        {"<fst type='log'><isymbols><symbol label='1'>", "long ", 4000000, "</symbol></isymbols></fst>", "memory:1: "},
        {"<fst type='log'><isymbols><symbol label='1'>", "<!---->x", 300000, "", "memory:1: "},
    };
    for (size_t i = 0; i < LENGTH(as); i++) {
        char *text = repeated(as[i].before, as[i].text, as[i].n, as[i].after);
        pf_fst *fst;
        CHECK(read_text(text, &fst) == PF_EINPUT, "document %zu", i);
        CHECK(strstr(pf_message(), as[i].words), "document %zu: %s", i, pf_message());
        free(text);
    }
}

static void errors_name_lines_beyond_all_limits(void **state PF_UNUSED) {
    char *text = repeated("<fst type='log'>", "\n", 70000, "<state id='0'/>\n<state id='2'/></fst>");
    pf_fst *fst;
    assert_int_equal(read_text(text, &fst), PF_EINPUT);
    assert_string_equal(pf_message(), "memory:70002: expected state 1, found state 2");
    free(text);
}

static void no_cut_and_no_flipped_bit_does_harm(void **state PF_UNUSED) {
    size_t length;
    unsigned n;
    char *text = contents("good-perm3.xml", &length);
    while (text[length - 1] == '\n') length--;
    for (size_t cut = 0; cut < length; cut++)
        CHECK(read_all(text, cut, NULL, &n) == PF_EINPUT, "cut at %zu", cut);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        pf_err err = read_all(text, length, NULL, &n);
        CHECK(err == PF_OK || err == PF_EINPUT, "bit %zu: %s", bit, pf_message());
        if (err) CHECK(!valid(text, length) || strstr(pf_message(), "state") || strstr(pf_message(), "two"), "bit %zu: %s",
                       bit, pf_message());
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
    }
    free(text);
}

/* All of the above wrote nothing on standard error. */
static int saved;
static FILE *said;

static int listen_to_stderr(void **state PF_UNUSED) {
    said = tmpfile();
    saved = dup(STDERR_FILENO);
    return said && saved >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0 ? 0 : -1;
}

static int nothing_was_said(void **state PF_UNUSED) {
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(said);
    char line[500];
    int lines = 0;
    for (; fgets(line, sizeof line, said); lines++) print_error("standard error: %s", line);
    fclose(said);
    return lines ? -1 : 0;
}

int main(void) {
#define SILENT(test) cmocka_unit_test_setup_teardown(test, listen_to_stderr, nothing_was_said)
    static const struct CMUnitTest tests[] = {
        SILENT(what_is_written_is_valid_and_reads_back),
        SILENT(a_document_is_written_as_before),
        SILENT(answers_are_valid_and_read_as_their_paths),
        SILENT(an_answer_looks_like_this),
        SILENT(symbols_xml_cannot_hold_are_named),
        SILENT(documents_of_others_are_read),
        SILENT(records_are_read_one_after_the_other),
        SILENT(bad_documents_are_refused_in_words),
        SILENT(an_empty_document_is_named),
        SILENT(size_has_its_limits),
        SILENT(errors_name_lines_beyond_all_limits),
        SILENT(no_cut_and_no_flipped_bit_does_harm),
    };
    return cmocka_run_group_tests(tests, load_schema, free_schema);
}
