/* Feature templates, read and checked. */
#include <permfst/learn/templates.h>

#include <stdio.h>
#include <string.h>

static const char *const places[PF_PLACES] = {"i", "j", "i-1", "i+1", "j-1", "j+1", "b"};

void pf_templates_free(pf_templates *templates) { PF_VEC_FREE(&templates->at); }

/* ---- one template ---- */

static bool read_column(const char *name, size_t length, unsigned *column) {
    static const struct {
        char name;
        unsigned column;
    } one[] = {{'w', PF_COLUMN_WORDS}, {'u', PF_COLUMN_TREE_TAG}, {'r', PF_COLUMN_RELATION}, {'g', PF_COLUMN_GOVERNOR}};
    for (size_t k = 0; length == 1 && k < sizeof one / sizeof *one; k++) {
        *column = one[k].column;
        if (*name == one[k].name) return true;
    }
    *column = PF_COLUMN_TAGS + (unsigned)(name[length - 1] - '1');
    return length == 2 && name[0] == 't' && name[1] >= '1' && name[1] <= '0' + PF_TAG_COLUMNS;
}

/* The longest place that the text begins with: "i+1" is a place and not i, joined with an atom "1". */
static size_t read_place(const char *text, size_t length, pf_atom_place *place) {
    size_t longest = 0;
    for (unsigned k = 0; k < PF_PLACES; k++) {
        size_t n = strlen(places[k]);
        if (n <= longest || n > length || memcmp(places[k], text, n) != 0) continue;
        longest = n;
        *place = (pf_atom_place)k;
    }
    return longest;
}

/* The bytes of the atom that the text begins with; 0: it begins with none. */
static size_t read_atom(const char *text, size_t length, pf_atom *out) {
    const char *dot = memchr(text, '.', length);
    *out = (pf_atom){0, PF_PLACE_DISTANCE};
    if (length && *text == 'd') return 1;
    out->place = PF_PLACE_GOVERNS;
    if (length && *text == 'h') return 1;
    if (!dot || dot == text || !read_column(text, (size_t)(dot - text), &out->column)) return 0;
    size_t read = read_place(dot + 1, (size_t)(text + length - dot) - 1, &out->place);
    return read ? (size_t)(dot - text) + 1 + read : 0;
}

static bool read_atoms(pf_template *out, size_t length) {
    if (strcmp(out->text, "1") == 0) return true;
    for (size_t at = 0;; at++) {
        if (out->n == PF_TEMPLATE_ATOMS) return false;
        size_t read = read_atom(out->text + at, length - at, &out->atom[out->n]);
        if (!read) return false;
        out->between = out->between || out->atom[out->n].place == PF_PLACE_BETWEEN;
        out->n++;
        at += read;
        if (at == length) return true;
        if (out->text[at] != '+') return false;
    }
}

pf_err pf_templates_add(pf_templates *templates, const char *text, size_t length) {
    pf_template one = {.n = 0};
    bool fits = length && length < sizeof one.text && !memchr(text, 0, length);
    if (fits) memcpy(one.text, text, length);
    if (!fits || !read_atoms(&one, length))
        return pf_fail(PF_EARG, "expected a template, such as w.i+t1.j+d (up to %d atoms), found '%.*s'", PF_TEMPLATE_ATOMS,
                       (int)(length < 60 ? length : 60), text);
    for (size_t k = 0; k < templates->at.n; k++)
        if (strcmp(templates->at.at[k].text, one.text) == 0) return pf_fail(PF_EARG, "the template %s is listed twice", one.text);
    if (templates->at.n == PF_TEMPLATES_MOST) return pf_fail(PF_ELIMIT, "expected at most %d templates", PF_TEMPLATES_MOST);
    return PF_PUSH(&templates->at, one);
}

/* ---- several ---- */

static pf_err add_all(pf_templates *templates, const char *const *texts) {
    for (; *texts; texts++) PF_TRY(pf_templates_add(templates, *texts, strlen(*texts)));
    return PF_OK;
}

/* Each "t" that a digit follows is that of the column. */
static pf_err add_of_tag(pf_templates *templates, unsigned tag) {
    static const char *const texts[] = {"t.i+t.j", "t.i+t.j+d", "t.i-1+t.i+t.j", "t.i+t.i+1+t.j", "t.i+t.j-1+t.j",
                                        "t.i+t.j+t.j+1", "w.i+t.j", "t.i+w.j", "t.i+t.b+t.j"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[PF_TEMPLATE_BYTES];
        size_t used = 0;
        for (const char *from = texts[k]; *from; from++) {
            text[used++] = *from;
            if (*from == 't') text[used++] = (char)('0' + tag);
        }
        PF_TRY(pf_templates_add(templates, text, used));
    }
    return PF_OK;
}

pf_err pf_templates_usual(pf_templates *templates, unsigned tags, bool trees) {
    static const char *const of_words[] = {"1", "d", "w.i", "w.j", "w.i+w.j", NULL};
    static const char *const of_trees[] = {"h", "r.i+r.j", "r.i+r.j+d", "r.i+r.j+h", "u.i+u.j+h", "r.i+u.i+r.j+u.j+h",
                                           "r.i+g.i+r.j+g.j", "r.i+r.b+r.j", "w.i+r.j+h", "r.i+w.j+h", NULL};
    PF_TRY(add_all(templates, of_words));
    for (unsigned tag = 1; tag <= tags; tag++) PF_TRY(add_of_tag(templates, tag));
    return trees ? add_all(templates, of_trees) : PF_OK;
}

pf_err pf_templates_read(pf_templates *templates, pf_reader *reader) {
    for (;;) {
        char *line;
        size_t length;
        PF_TRY(pf_reader_line(reader, &line, &length));
        if (!line) break;
        if (!length || *line == '#') continue;
        pf_err err = pf_templates_add(templates, line, length);
        if (err == PF_EARG || err == PF_ELIMIT) return pf_reader_fail_line(reader, "%s", pf_message());
        PF_TRY(err);
    }
    return templates->at.n ? PF_OK : pf_reader_fail_line(reader, "expected templates, found none");
}

/* ---- what they need ---- */

static bool has(const pf_templates *templates, unsigned first, unsigned last, pf_atom_place pair, unsigned *most) {
    bool any = false;
    for (size_t k = 0; k < templates->at.n; k++)
        for (unsigned a = 0; a < templates->at.at[k].n; a++) {
            const pf_atom *atom = &templates->at.at[k].atom[a];
            bool here = atom->place < PF_PLACES && atom->column >= first && atom->column <= last;
            if (here && atom->column > *most) *most = atom->column;
            any = any || here || atom->place == pair;
        }
    return any;
}

unsigned pf_templates_tags(const pf_templates *templates) {
    unsigned most = 0;
    return has(templates, PF_COLUMN_TAGS, PF_COLUMN_TREE_TAG - 1, PF_PLACES + 2, &most) ? most - PF_COLUMN_TAGS + 1 : 0;
}

bool pf_templates_trees(const pf_templates *templates) {
    unsigned most = 0;
    return has(templates, PF_COLUMN_TREE_TAG, PF_COLUMN_GOVERNOR, PF_PLACE_GOVERNS, &most);
}

pf_err pf_templates_check(const pf_templates *templates, const char *name, unsigned tags, bool trees) {
    if (pf_templates_tags(templates) > tags)
        return pf_fail(PF_EARG, "%s: a template needs t%u: expected as many --tags, found %u", name, pf_templates_tags(templates),
                       tags);
    if (!pf_templates_trees(templates) || trees) return PF_OK;
    return pf_fail(PF_EARG, "%s: a template needs trees: expected --trees", name);
}
