/* Systems and references of one test set, segment by segment.
 *
 * Texts with keys (io/docs.h) are matched by document and segment; lines are matched by their order, also with segments. A system
 * must have every segment, or every line, of the references. An empty reference among several does not count, as in sacreBLEU; if
 * all are empty, the segment has one reference without words. Adding a reference or a system is O(bytes), choosing is O(words of
 * the test set); what is asked of a segment is O(references). */
#ifndef PF_METRIC_TESTSET_H
#define PF_METRIC_TESTSET_H

#include <permfst/io/docs.h>
#include <permfst/metric/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    char *file; /* for messages */
    pf_tokens words;
    PF_VEC(uint32_t) place; /* of each segment of the test set in `words`; UINT32_MAX, or past the end: the reference lacks it */
} pf_reference;

typedef struct {
    const pf_tokeniser *tokeniser;
    pf_statetab vocabulary;
    pf_statetab key;             /* of the segments, where the first reference has keys */
    size_t n;                    /* segments */
    PF_VEC(pf_reference) reference;
    PF_VEC(pf_segment) one;      /* what pf_testset_references gives */
    PF_VEC(size_t) chosen;       /* the number that each segment had, from 0, before pf_testset_choose; empty: none were left out */
} pf_testset;

/* Begins with no references; the tokeniser is borrowed. */
void pf_testset_init(pf_testset *set, const pf_tokeniser *tokeniser);
void pf_testset_free(pf_testset *set);

/* Adds a reference. It has as many lines as the first one; with keys, it may lack segments of the others and have more. `file` is
 * for messages. PF_EINPUT: another number of lines, naming the first one that is missing. */
pf_err pf_testset_reference(pf_testset *testset, const pf_docset *set, const char *file);

/* The words of a system, in the order of the test set, into the empty *out. *extra is how many of its segments have no reference
 * and are left out; *first is the first of them, a segment of `set`. PF_EINPUT as above. */
pf_err pf_testset_system(pf_testset *testset, const pf_docset *set, const char *file, pf_tokens *out, size_t *extra, size_t *first);

/* Adds a reference whose segments are numbers, not words (metric.h: orders, links), without a table; `words` is moved, also after
 * an error. PF_EINPUT as above. */
pf_err pf_testset_numbers(pf_testset *testset, pf_tokens *words, const char *file);

/* Checks that a system of so many segments without keys has all of them. PF_EINPUT as above. */
pf_err pf_testset_check(const pf_testset *testset, size_t segments, const char *file);

/* The references of a segment into *out, borrowed until the next call. PF_ENOMEM. */
pf_err pf_testset_references(pf_testset *set, size_t place, pf_references *out);

/* Leaves out the segments that are not wanted; their numbers go from 1. All references are added, and it is called once.
 * PF_ENOMEM. */
pf_err pf_testset_choose(pf_testset *set, bool (*wanted)(void *self, uint64_t number), void *self);

/* The number of a segment, from 1, also where others were left out. */
uint64_t pf_testset_number(const pf_testset *set, size_t place);

/* The name of a segment of a set: "line 3", or "segment 2 of document 'x'"; cut to `room`. Returns `to`. */
const char *pf_docset_where(const pf_docset *set, size_t segment, char *to, size_t room);

#ifdef __cplusplus
}
#endif
#endif
