/* The records of sources, worked on by several threads: results come out in the order of the records.
 *
 * A record is a piece of the workers (base/workers.h): at most 32 N of them are in memory, or 4 N if they are large. A machine
 * that a step opens is freed with its record. Reading, what stands for a record that failed, and what is told about the progress,
 * are the same for all that is done with records; what is done is three steps of the caller's. A record costs what its steps do. */
#ifndef PF_OPS_RECORDS_H
#define PF_OPS_RECORDS_H

#include <permfst/base/workers.h>
#include <permfst/io/stream.h>
#include <permfst/ops/open.h>
#include <permfst/ops/source.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    void *call;        /* that of the options */
    pf_expr *in, *out; /* freed with the record; `out` is for work() to make */
    pf_opened *opened; /* `in`, by pf_record_open */
    pf_writer *text;   /* a memory writer, if the steps say `text`, or texts are put somewhere */
    const char *name;  /* of its source */
    uint64_t record;   /* its number: records of all sources count on */
    uint64_t byte;     /* where it begins in its input */
    uint64_t stored;   /* bytes of the input, as they are stored, up to its end */
    bool summed;       /* it had a checksum */
    bool failed;       /* `out` is NULL and `text` empty, and the reading goes on */
    void *own;         /* what the steps like to keep */
    uint64_t own_bytes; /* for prepare() and work() to say: what that holds, where it can be much */
} pf_record;

typedef struct {
    /* In order, by the thread that reads: reads what goes with the record. May be NULL. */
    pf_err (*prepare)(void *self, pf_record *record);
    /* By any thread, makes r->out or r->text: changes nothing but what is its record's own. */
    pf_err (*work)(void *self, pf_record *record);
    /* In order, by one thread at a time, before the result is put where the options say: writes, or makes r->out. Also for a record
     * that failed: what stands for it. May be NULL if there is somewhere to put results. */
    pf_err (*finish)(void *self, pf_record *record);
    void (*drop)(void *own); /* frees r->own, unless it is NULL. May be NULL */
    bool text;
} pf_record_steps;

typedef struct {
    size_t threads; /* at least 1 */
    pf_workers_hooks hooks;
    void *call;     /* of the caller: it is in each record, and goes to the functions that follow, each of which may be NULL */
    /* Where results are put: r->out in a stream, an automaton without states where there is none; or r->text in a writer, with
     * `stand_in` for a record that failed. NULL: nowhere. */
    pf_stream_writer *stream;
    pf_writer *writer;
    const char *stand_in;
    /* By the thread that reads: is the record of this number to be worked on? prepare() is called for those that are not, too, and
     * nothing else is. NULL: all are. */
    bool (*wanted)(void *call, uint64_t record);
    /* By any thread: the machine of pf_record_open has expanded this many states. */
    void (*expanded)(void *call, uint64_t so_far);
    /* The other two in order, by one thread at a time. A record has failed in prepare() or work(), and the message names it. PF_OK:
     * go on; else the error ends the reading. NULL: every error does. PF_EIO and PF_ENOMEM should. */
    pf_err (*failed)(void *call, pf_err err);
    void (*done)(void *call, const pf_record *record); /* it is finished */
    /* By the thread that reads: an input that lost its end was left with an error that failed() has let pass. What is written must
     * lack its end, too. NULL: such an error ends the reading, and reading does not go on after damage. */
    void (*cut)(void *call);
} pf_record_options;

typedef struct pf_records pf_records;

/* `steps` and `self` are borrowed. *out is freed by pf_records_end, also after errors. The errors of pf_workers_new. */
pf_err pf_records_new(const pf_record_steps *steps, void *self, const pf_record_options *options, pf_records **out);

/* Puts all records of a source to work; the source may be freed then, also while they are worked on. The errors of the source;
 * those of the steps, which name the input and the record. */
pf_err pf_records_read(pf_records *records, pf_source *source);

/* The function for pf_reader_before_wait, as pf_workers_hurry; `records` is a pf_records. The caller sets it for each reader that
 * pf_records_read or prepare() may wait for. */
void pf_records_hurry(void *records);

/* Waits until all is finished, and frees. The first error, else `reading`, an error after the last record, whose message is set.
 * *failed (NULL: not asked): did a record fail? */
pf_err pf_records_end(pf_records *records, pf_err reading, bool *failed);

/* The automaton of r->in, opened when it is first asked for; borrowed. For steps only. The errors of pf_open. */
pf_err pf_record_open(pf_record *record, pf_fst **out);

/* Writes record->text, or `stand_in` for a record that failed, and flushes. Errors of the writer. */
pf_err pf_record_put_text(const pf_record *record, const char *stand_in, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
