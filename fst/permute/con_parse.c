/* From a specification to a constraint: see the grammar in con.h. Names contain hyphens, and a hyphen is also the difference,
 * so the longest name of the table that matches is taken. */
#include "permute/con_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limit holds for parentheses and for the tree: functions of constraints call those of their parts, and a state has bytes of
 * each part. */
enum { DEPTH_LIMIT = 32 };

typedef struct {
    const char *at;
    unsigned length, depth;
    bool inverse; /* the inverse of what is written here is meant */
} spec_parser;

static pf_err space(spec_parser *parser, pf_con **out);

static void skip(spec_parser *parser) { parser->at += strspn(parser->at, " \t"); }

/* Is this word next, followed by something that cannot belong to it? */
static bool is_next(const spec_parser *parser, const char *word) {
    size_t length = strlen(word);
    return strncmp(parser->at, word, length) == 0 && (!parser->at[length] || strchr(":|+-() \t", parser->at[length]));
}

static const pf_con_class *longest(const spec_parser *parser) {
    const pf_con_class *found = NULL, *cls;
    for (size_t i = 0; (cls = pf_con_at(i)); i++)
        if (is_next(parser, cls->name) && (!found || strlen(cls->name) > strlen(found->name))) found = cls;
    return found;
}

static const char *entry(size_t i, const char **values) {
    const pf_con_class *cls = pf_con_at(i);
    *values = cls ? cls->params : "";
    return cls ? cls->name : NULL;
}

/* The entries of the table whose inverse is known. */
static const char *invertible(size_t i, const char **values) {
    const pf_con_class *cls = NULL;
    for (size_t k = 0; (cls = pf_con_at(k)); k++)
        if (cls->inverse && i-- == 0) break;
    *values = cls ? cls->params : "";
    return cls ? cls->name : NULL;
}

static pf_err unknown(const spec_parser *parser) {
    char name[64];
    size_t length = strcspn(parser->at, ":|+() \t");
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, parser->at, length);
    name[length] = 0;
    if (!length) return pf_fail(PF_EARG, "expected a constraint, found '%.40s'", parser->at);
    return pf_params_unknown("constraint", name, entry);
}

/* ---- names in messages ---- */

/* The text from .. to without blanks at its ends and without tabs, inside inverse:() if the inverse is meant. NULL: no memory. */
static char *text_of(const char *from, const char *to, bool inverse) {
    static const char *const around[][2] = {{"", ""}, {"inverse:(", ")"}};
    from += strspn(from, " \t");
    while (to > from && strchr(" \t", to[-1])) to--;
    int length = (int)(to - from);
    size_t room = strlen(around[inverse][0]) + (size_t)length + strlen(around[inverse][1]) + 1;
    char *text = malloc(room);
    if (!text) return NULL;
    snprintf(text, room, "%s%.*s%s", around[inverse][0], length, from, around[inverse][1]);
    for (char *tab = text; (tab = strchr(tab, '\t'));) *tab = ' ';
    return text;
}

/* Names a combination by its text, which ends here. Frees it where this fails. */
static pf_err set_text(const spec_parser *parser, const char *from, pf_con *con) {
    free(con->spec);
    if ((con->spec = text_of(from, parser->at, parser->inverse))) return PF_OK;
    pf_con_free(con);
    return pf_nomem();
}

/* Names what a name of the table has made as the name was written; also the parts of an alias. */
static pf_err set_name(pf_con *con, bool inverse, const char *text) {
    size_t n = 0, room = sizeof "inverse:" + strlen(text);
    pf_con *const *part = con->cls->parts ? con->cls->parts(con, &n) : NULL;
    for (size_t i = 0; i < n; i++) PF_TRY(set_name(part[i], inverse, text));
    free(con->spec);
    if (!(con->spec = malloc(room))) return pf_nomem();
    snprintf(con->spec, room, "%s%s", inverse ? "inverse:" : "", text);
    return PF_OK;
}

static pf_err make_alias(const pf_con *name, pf_con **out) {
    char spec[128];
    name->cls->alias(name, spec, sizeof spec);
    return pfi_con_parse(spec, name->n, out);
}

static pf_err make(const pf_con_class *cls, const pf_params *params, unsigned length, pf_con **out) {
    pf_con *con;
    if (!cls->init) PF_TRY(pf_params_expect(params, 0, cls->name));
    PF_TRY(pfi_con_make(cls, length, &con));
    pf_err err = cls->init ? cls->init(con, params) : PF_OK;
    bool limits = con->param + cls->slack < length;
    if (!err && !cls->alias && (limits || !length)) {
        *out = con;
        return PF_OK;
    }
    if (!err) err = cls->alias ? make_alias(con, out) : pfi_con_make(&pfi_con_none, length, out);
    pf_con_free(con);
    return err;
}

size_t pfi_con_text(const char *text) {
    size_t heads = strspn(text, "0123456789,^="), length = heads;
    if (strncmp(text + length, "limited", 7) == 0) length += 7;
    if (heads && !strcspn(text + length, "|+-() \t")) return length;
    return strcspn(text, "|+() \t");
}

/* A name with a text of any length. */
static pf_err read_text(spec_parser *parser, const pf_con_class *cls, pf_con **out) {
    const char *from = parser->at, *text = from + strlen(cls->name) + 1;
    size_t length = text[-1] == ':' ? pfi_con_text(text) : 0;
    if (!length) return pf_fail(PF_EARG, "expected %s%s, found '%.40s'", cls->name, cls->params, from);
    PF_TRY(pfi_con_make(cls, parser->length, out));
    pf_err err = cls->read(*out, text, length);
    parser->at = text + length;
    if (err && parser->length != PFI_ANY_LENGTH)
        err = pf_fail_in(err, "'%.*s%s' at %u positions: ", parser->at - from < 60 ? (int)(parser->at - from) : 60, from,
                         parser->at - from < 60 ? "" : "...", parser->length);
    if (!err && !((*out)->spec = text_of(from, parser->at, false))) err = pf_nomem();
    if (err) pf_con_free(*out);
    return err;
}

/* The length of a name with its values. A value that is missing takes what is written in its place: "ibm:-1", "ibm: 3". */
static size_t length_of(const char *at, const pf_con_class *cls) {
    size_t name = strlen(cls->name), length = name + (at[name] == ':' ? strcspn(at + name, "|+-() \t") : 0);
    if (length == name || !strchr(":,", at[length - 1])) return length;
    size_t blank = length + strspn(at + length, " \t"), sign = blank + (at[blank] == '-' || at[blank] == '+');
    size_t end = sign + strspn(at + sign, "0123456789.");
    return end > sign ? end : length;
}

static pf_err named(spec_parser *parser, pf_con **out) {
    char text[PF_PARAMS_BYTES];
    pf_params params;
    const pf_con_class *cls = longest(parser);
    if (!cls) return unknown(parser);
    if (parser->inverse && !cls->inverse) return pf_params_unknown("inverse of", cls->name, invertible);
    if (cls->read) return read_text(parser, cls, out);
    size_t length = length_of(parser->at, cls);
    if (length >= sizeof text) return pf_fail(PF_EARG, "'%.40s...' is too long", parser->at);
    memcpy(text, parser->at, length);
    text[length] = 0;
    PF_TRY(pf_params_parse(text, &params));
    parser->at += length;
    pf_err err = make(parser->inverse ? cls->inverse : cls, &params, parser->length, out);
    if (err) return parser->length == PFI_ANY_LENGTH ? err : pf_fail_in(err, "'%s' at %u positions: ", text, parser->length);
    err = set_name(*out, parser->inverse, text);
    if (err) pf_con_free(*out);
    return err;
}

static pf_err parenthesis(spec_parser *parser, pf_con **out) {
    parser->at++;
    PF_TRY(space(parser, out));
    if (*parser->at == ')') {
        parser->at++;
        return PF_OK;
    }
    pf_con_free(*out);
    return pf_fail(PF_EARG, "expected ')', found '%.40s'", parser->at);
}

static pf_err atom(spec_parser *parser, pf_con **out) {
    bool inverse = parser->inverse;
    if (parser->depth == DEPTH_LIMIT) return pf_fail(PF_EARG, "a constraint is nested more than %d deep", DEPTH_LIMIT);
    parser->depth++;
    skip(parser);
    for (; strncmp(parser->at, "inverse:", 8) == 0; skip(parser)) {
        parser->inverse = !parser->inverse;
        parser->at += 8;
    }
    pf_err err = *parser->at == '(' ? parenthesis(parser, out) : named(parser, out);
    parser->inverse = inverse;
    parser->depth--;
    skip(parser);
    return err;
}

static pf_err term(spec_parser *parser, pf_con **out) {
    const char *from = parser->at;
    PF_TRY(atom(parser, out));
    while (*parser->at == '+') {
        pf_con *part[2] = {*out, NULL};
        parser->at++;
        pf_err err = atom(parser, &part[1]);
        if (err) {
            pf_con_free(*out);
            return err;
        }
        PF_TRY(pfi_con_conjoin(part, 2, parser->length, out));
        PF_TRY(set_text(parser, from, *out));
    }
    return PF_OK;
}

/* A chain of unions is a tree that is as deep as the chain is long. */
static pf_err check_depth(const pf_con *con) {
    if (con->depth <= DEPTH_LIMIT) return PF_OK;
    return pf_fail(PF_EARG, "a constraint is nested more than %d deep, where each '|' and '-' of a chain is one more", DEPTH_LIMIT);
}

static pf_err operate(spec_parser *parser, char operator, pf_con **out) {
    pf_con *second;
    pf_err err = term(parser, &second);
    if (!err) err = operator == '|' ? pfi_con_union(*out, second, out) : pfi_con_minus(*out, second, out);
    else pf_con_free(*out);
    PF_TRY(err);
    if ((err = check_depth(*out))) pf_con_free(*out);
    return err;
}

static pf_err space(spec_parser *parser, pf_con **out) {
    const char *from = parser->at;
    PF_TRY(term(parser, out));
    while (*parser->at == '|' || *parser->at == '-') {
        char operator = *parser->at++;
        PF_TRY(operate(parser, operator, out));
        PF_TRY(set_text(parser, from, *out));
    }
    return PF_OK;
}

/* The bytes of a specification without those of its trees. */
static size_t bytes_of(const char *spec) {
    static const char tree[] = "tree:";
    size_t n = strlen(spec);
    for (const char *at = spec; (at = strstr(at, tree)); at += sizeof tree - 1) n -= pfi_con_text(at + sizeof tree - 1);
    return n;
}

pf_err pfi_con_parse(const char *spec, unsigned length, pf_con **out) {
    spec_parser parser = {.at = spec, .length = length};
    if (bytes_of(spec) > PF_SPEC_BYTES || strlen(spec) > PF_SPEC_TEXT_BYTES)
        return pf_fail(PF_EARG, "'%.40s...' is too long: a constraint has at most %d bytes", spec, PF_SPEC_BYTES);
    PF_TRY(space(&parser, out));
    if (!*parser.at) return PF_OK;
    pf_con_free(*out);
    *out = NULL;
    return pf_fail(PF_EARG, "expected '+', '|', '-' or the end after a constraint, found '%.40s'", parser.at);
}
