/* Work in pieces: taken up in order, worked on by the threads of -j, finished in order.
 *
 * A ring of 4 N pieces is all that is in memory: who puts one more waits until the oldest is finished, so a slow piece holds
 * up the reading and nothing grows. A piece is finished by the thread that completes the oldest one, as soon as that is done.
 * Threads are woken for half a ring of pieces or of room, or where the reader is about to wait: small pieces are cheaper
 * to work on than to wake somebody for. */
#ifndef TOOLRING_H
#define TOOLRING_H

#include "tool.h"

typedef struct {
    size_t size; /* bytes of a piece */
    /* By any thread: must not write, and change nothing but what is its piece's own. What it says is said before finish(). */
    pf_err (*work)(void *self, void *piece);
    /* In order, by one thread at a time. `err` is what work gave, its message is set. */
    pf_err (*finish)(void *self, void *piece, pf_err err);
    void (*drop)(void *piece); /* of every piece in the end, also one that was not finished. May be NULL */
} toolring_steps;

typedef struct toolring toolring;

/* A ring of the call's --jobs. *out is freed by toolring_end, also after errors. PF_ENOMEM, PF_EIO. */
pf_err toolring_new(tool_call *call, const toolring_steps *steps, void *self, toolring **out);

/* A copy of the piece is the ring's from now on, also when this fails. One that has failed already (`err`, its message set) is
 * not worked on. The result is an error of finish(), of this piece or one before; nothing is finished after one. */
pf_err toolring_put(toolring *ring, const void *piece, pf_err err);

/* To be called before the thread that puts waits for something else: pieces that wait for others to come are begun. */
void toolring_hurry(toolring *ring);

/* Waits for all that was put. The first error of finish(); PF_OK for NULL. */
pf_err toolring_end(toolring *ring);

/* The same after the reading of pieces, whose error comes after those of the pieces it has put. */
pf_err toolring_last(toolring *ring, pf_err reading);

/* What to do about the error of a piece: with --keep-going it is reported, *failed says so, and the result is PF_OK. Where
 * the system refuses or memory is out, it is the end. */
pf_err tool_skip(tool_call *call, pf_err err, bool *failed);

#endif
