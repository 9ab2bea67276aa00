/* Feature templates: what is said of a pair of positions i < j (Tromble and Eisner 2009, table 1).
 *
 * A template is atoms joined by "+". An atom is COLUMN.PLACE, the value of a column at a place: i, j, i-1, i+1, j-1, j+1, or b,
 * which stands for every position between i and j (one feature for each distinct value). Two atoms tell something of the pair
 * itself: d, the distance j - i in the bins 1 2 3 4 5 6 (6 to 10) 11 (11 and more); and h, which of the two governs the other in a
 * tree: ">" i governs j, "<" j governs i, "=" both have the same governor, "-" none of these. The template 1 has no atom: its
 * feature is that of every pair.
 *
 * Columns: w the words, t1 to t9 other files of factors, such as tags or classes; of trees, u the tag (UPOS), r the relation to
 * the governor, g the tag of the governor. Each call is O(length of the text). */
#ifndef PF_LEARN_TEMPLATES_H
#define PF_LEARN_TEMPLATES_H

#include <permfst/base/reader.h>
#include <permfst/base/vec.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_TAG_COLUMNS = 9 };
enum { PF_COLUMN_WORDS, PF_COLUMN_TAGS, PF_COLUMN_TREE_TAG = PF_COLUMN_TAGS + PF_TAG_COLUMNS, PF_COLUMN_RELATION,
       PF_COLUMN_GOVERNOR, PF_COLUMNS };

typedef enum { PF_PLACE_I, PF_PLACE_J, PF_PLACE_BEFORE_I, PF_PLACE_AFTER_I, PF_PLACE_BEFORE_J, PF_PLACE_AFTER_J, PF_PLACE_BETWEEN,
               PF_PLACES, PF_PLACE_DISTANCE = PF_PLACES, PF_PLACE_GOVERNS } pf_atom_place;

typedef struct {
    unsigned column; /* of the places before PF_PLACES */
    pf_atom_place place;
} pf_atom;

enum { PF_TEMPLATE_ATOMS = 7, PF_TEMPLATE_BYTES = 48 };
typedef struct {
    pf_atom atom[PF_TEMPLATE_ATOMS];
    unsigned n;
    bool between;                 /* one of them is at PF_PLACE_BETWEEN */
    char text[PF_TEMPLATE_BYTES]; /* as it was written */
} pf_template;

enum { PF_TEMPLATES_MOST = 1000 };
typedef struct {
    PF_VEC(pf_template) at;
} pf_templates; /* all zero: none */
void pf_templates_free(pf_templates *templates);

/* Adds a template. PF_EARG: it is not a template, or is there already; PF_ELIMIT: too many; PF_ENOMEM. */
pf_err pf_templates_add(pf_templates *templates, const char *text, size_t length);

/* The usual templates for this many columns of tags, and for trees. PF_ENOMEM. */
pf_err pf_templates_usual(pf_templates *templates, unsigned tags, bool trees);

/* A template a line; empty lines and lines that begin with "#" are passed over. PF_EINPUT with file and line; PF_ENOMEM. */
pf_err pf_templates_read(pf_templates *templates, pf_reader *reader);

/* How many columns of tags the templates need; and whether they need trees. */
unsigned pf_templates_tags(const pf_templates *templates);
bool pf_templates_trees(const pf_templates *templates);

/* Checks that this many columns of tags, and trees or none, are enough for the templates. PF_EARG, naming `name`. */
pf_err pf_templates_check(const pf_templates *templates, const char *name, unsigned tags, bool trees);

#ifdef __cplusplus
}
#endif
#endif
