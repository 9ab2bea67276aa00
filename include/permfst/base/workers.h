/* Threads that share work: pieces are taken in order, worked on by N threads, and finished in order.
 *
 * One thread puts pieces, which have a size of the caller's. Each piece is worked on by any of N threads, and then finished: in the
 * order in which the pieces were put, one at a time, by the thread that completes the oldest piece. So the results are those of one
 * thread. With N = 1 no thread is started: a piece is worked on and finished where it is put.
 *
 * Memory is bounded. Where pieces do not say how many bytes they hold, at most 4 N of them exist; the thread that puts one more
 * waits until the oldest is finished. So a slow piece holds up the reading of others, and nothing grows. Where pieces say it, 32 N
 * of them may exist as long as they hold less than 16 N MiB together: then the other threads have work for longer, while one of
 * them is at a slow piece.
 *
 * Threads are woken for 2 N pieces, or where the thread that puts is about to wait for something else: a small piece is cheaper to
 * work on than a thread is to wake. For the same reason that thread, once it waits, goes on when half as many pieces are left as
 * may exist. A call is O(1) for each piece, and what the system does to wake and to wait. */
#ifndef PF_BASE_WORKERS_H
#define PF_BASE_WORKERS_H

#include <permfst/base/writer.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PF_PIECES_OF_WORKER = 4, PF_SMALL_PIECES_OF_WORKER = 32, PF_BYTES_OF_WORKER = 16 << 20 };

typedef struct {
    size_t size; /* bytes of a piece */
    /* By any thread: changes nothing but what is its piece's own. */
    pf_err (*work)(void *self, void *piece);
    /* In order, by one thread at a time. `err` is what work or the caller of pf_workers_put gave, and its message is set. */
    pf_err (*finish)(void *self, void *piece, pf_err err);
    void (*drop)(void *piece); /* frees what a piece has: of every piece, also of one that was not finished. May be NULL */
    /* The bytes that a piece holds: asked by the thread that puts, and after work() by the one that worked. NULL: any number. */
    uint64_t (*bytes)(const void *piece);
} pf_workers_steps;

/* What the caller's program does around the steps; each function may be NULL. */
typedef struct {
    void *self;
    /* By the thread that takes a piece, one thread at a time and in the order of the pieces, before work_begins: false where the
     * piece is not to be begun any more. Then it is dropped, neither worked on nor finished. */
    bool (*takes)(void *self);
    /* By the thread that works, before and after work(). What the work has to say while several threads work goes to `said`, a
     * memory writer of the piece; with one thread it is NULL, and everything may be said at once. */
    void (*work_begins)(void *self, pf_writer *said);
    void (*work_ends)(void *self);
    /* By the thread that finishes, before and after finish(); `said` is what was said, NULL for nothing. Also for a piece that
     * was begun and is not finished, because finish() has failed before. */
    void (*finish_begins)(void *self, const pf_writer *said);
    void (*finish_ends)(void *self);
} pf_workers_hooks;

/* Belongs to the thread that made it, which puts all pieces. */
typedef struct pf_workers pf_workers;

/* Starts `threads` threads, at least 1; `steps` and `hooks` (NULL: none) are copied. *out is freed by pf_workers_end, also after
 * errors; it is NULL where this fails. PF_ENOMEM; PF_EIO: no thread can be started (fewer than asked for are enough). */
pf_err pf_workers_new(size_t threads, const pf_workers_steps *steps, void *self, const pf_workers_hooks *hooks, pf_workers **out);

/* A copy of the piece belongs to the workers from now on, also when this fails. One that has failed already (`err`, its message
 * set) is not worked on. The result is an error of finish(), of this piece or of one before; nothing is finished after one. */
pf_err pf_workers_put(pf_workers *workers, const void *piece, pf_err err);

/* A copy of a text, such as the name of an input, that pieces can point to: it stays until pf_workers_end. By the thread that puts.
 * PF_ENOMEM. */
pf_err pf_workers_keep(pf_workers *workers, const char *text, const char **kept);

/* Call this before the thread that puts waits for something else (pf_reader_before_wait): pieces that wait for others to come
 * are begun. `workers` is a pf_workers. */
void pf_workers_hurry(void *workers);

/* Waits until all that was put is finished, and frees. The first error of finish(), else `reading`: an error of the caller after
 * its last piece, whose message is set. PF_OK for NULL if `reading` is PF_OK. */
pf_err pf_workers_end(pf_workers *workers, pf_err reading);

#ifdef __cplusplus
}
#endif
#endif
