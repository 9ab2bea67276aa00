/* The lines of texts, worked on by several threads: results come out in the order of the lines.
 *
 * Lines that are there already make a piece for the workers (base/workers.h, which says what is in memory); a piece has fewer lines
 * where the next one would have to be waited for. Each line has its own outcome: what is printed for it is printed whole, or not at
 * all where the work on it fails. Each call is O(bytes), without the work on the lines. */
#ifndef PF_BASE_LINES_H
#define PF_BASE_LINES_H

#include <permfst/base/reader.h>
#include <permfst/base/workers.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *text; /* `length` bytes without a NUL, and one after them */
    size_t length;
    uint64_t record;  /* its number: lines of all readers count on */
    const char *beside; /* what was read beside it, see below */
    pf_writer *out;   /* a memory writer: what is to be printed for the line */
    void *result;     /* of the size of a result, for finish(): zeros at first */
} pf_line;

typedef struct {
    size_t most;   /* lines of a piece, at least 1 */
    size_t result; /* bytes of a result */
    /* In order, by the thread that reads: writes what else there is to be read for a line, such as its tree in another file. Its
     * errors are the line's. May be NULL. */
    pf_err (*read_beside)(void *self, const char *text, pf_writer *beside);
    /* By any thread: changes nothing but what is its line's own. */
    pf_err (*work)(void *self, pf_line *line);
    /* In order, by one thread at a time, for each line that has not failed. May be NULL. */
    void (*finish)(void *self, const void *result);
    const char *stand_in; /* printed for a line that failed, where the reading goes on */
} pf_line_steps;

typedef struct {
    size_t threads;        /* at least 1 */
    uint64_t first;        /* the number of the first line */
    pf_workers_hooks hooks;
    void *call;            /* for the functions that follow, which are called in order, by one thread at a time; each may be NULL */
    /* A line failed, the message says where ("name:12: ..."). PF_OK: go on; else the error ends the reading. NULL: every error
     * does. PF_EIO and PF_ENOMEM should. */
    pf_err (*failed)(void *call, pf_err err);
    /* Is the line of this number to be worked on? What is beside it is read in any case. NULL: all are. */
    bool (*wanted)(void *call, uint64_t record);
    /* A line is finished. `stored` bytes of the input, as they are stored, were read for it and the lines before it. */
    void (*done)(void *call, uint64_t record, uint64_t stored);
} pf_line_options;

typedef struct pf_lines pf_lines;

/* What is printed goes to `out`, which is flushed after each piece; all but `options` is borrowed. *out_lines is freed by
 * pf_lines_end, also after errors. The errors of pf_workers_new. */
pf_err pf_lines_new(const pf_line_steps *steps, void *self, const pf_line_options *options, pf_writer *out, pf_lines **out_lines);

/* Puts all lines of a reader to work. Several readers may follow one another. The errors of the reader, of the lines and of the
 * writer; a line with a NUL byte fails with PF_EINPUT. */
pf_err pf_lines_read(pf_lines *lines, pf_reader *reader);

/* The number of the line that would be read next. */
uint64_t pf_lines_next(const pf_lines *lines);

/* The function for pf_reader_before_wait, as pf_workers_hurry; `lines` is a pf_lines. */
void pf_lines_hurry(void *lines);

/* Waits until all is finished, and frees. The first error, else `reading`, an error after the last line, whose message is set.
 * *failed (NULL: not asked): did a line fail? */
pf_err pf_lines_end(pf_lines *lines, pf_err reading, bool *failed);

/* Checks that a line is text. PF_EINPUT, without a place: it has a NUL byte. */
pf_err pf_line_check(const char *line, size_t length);

#ifdef __cplusplus
}
#endif
#endif
