/* How the words of a text get their labels: from a table that several texts share, or from the text's own table. */
#ifndef PF_IO_LABELS_H
#define PF_IO_LABELS_H

#include <permfst/machine/symtab.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pf_symtab *words; /* borrowed: gives each word its label. NULL: each machine numbers its own words from 1 */
    bool fixed;       /* a word that `words` lacks is refused; else it is added to `words` */
    bool whole;       /* the machine's table is `words` itself; else the machine has a table of those words that it uses */
    const char *name; /* what messages call `words`; NULL: its title */
} pf_word_labels; /* all zero: a table for each machine */

#ifdef __cplusplus
}
#endif
#endif
