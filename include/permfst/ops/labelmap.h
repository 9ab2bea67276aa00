/* Maps the labels of one table to those of another, by string: nobody keeps word ids in step.
 *
 * A label is looked up when it is first asked for, and remembered; a record uses few of the labels of a large table. A label is
 * O(length) the first time, then O(1). */
#ifndef PF_OPS_LABELMAP_H
#define PF_OPS_LABELMAP_H

#include <permfst/base/statetab.h>
#include <permfst/machine/symtab.h>
#include <permfst/model/scorer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const pf_symtab *from;
    const pf_symtab *to;     /* a table, or */
    const pf_scorer *scorer; /* a scorer's words */
    pf_statetab seen;
    PF_VEC(pf_label) label;  /* of each id of `seen` */
} pf_labelmap;

/* Between two tables; either NULL: labels are compared as numbers. Borrows both. */
void pf_labelmap_tables(pf_labelmap *map, const pf_symtab *from, const pf_symtab *to);

/* Maps a table to a scorer's words; unknown words become its unknown word. Borrows both. PF_EINPUT: there is no table. */
pf_err pf_labelmap_scorer(pf_labelmap *map, const pf_symtab *from, const pf_scorer *scorer);

/* The partner of a label; epsilon is its own; PF_NO_LABEL where there is none.
 * PF_EINPUT: the label is not in its own table. PF_ENOMEM. */
pf_err pf_labelmap_get(pf_labelmap *map, pf_label label, pf_label *out);

/* The same, and nothing is remembered: for labels that are asked for once. O(length). */
pf_err pf_labelmap_look_up(const pf_labelmap *map, pf_label label, pf_label *out);

void pf_labelmap_free(pf_labelmap *map); /* its memory, not the tables */

#ifdef __cplusplus
}
#endif
#endif
