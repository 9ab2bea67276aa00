/* Work by several threads: pieces, lines and records are finished in the order in which they came, whatever number of threads works
 * and however long a piece takes; errors, what stands for what failed, and what is said, come in the same order; memory is
 * bounded. Without any program. */
#include "check.h"
#include <permfst/base/lines.h>
#include <permfst/ops/records.h>

#include <permfst/io/stream.h>
#include <permfst/machine/build.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t thread_counts[] = {1, 2, 5};

/* ---- pieces ---- */

enum { PIECES = 400 };

typedef struct {
    unsigned number;
    unsigned *square; /* made by work, freed by drop */
} piece;

typedef struct {
    unsigned finished;      /* the next one that may be finished */
    atomic_uint alive, most; /* pieces that were put and not dropped */
    unsigned bad, last;     /* work fails for multiples of `bad`; finish fails for `last`. 0: none */
    unsigned failures;
    pf_writer *said;
} desk;

static atomic_uint *alive; /* drop has no self */

static pf_err square(void *self, void *at) {
    desk *clerk = self;
    piece *work = at;
    unsigned now = atomic_load(&clerk->alive), most = atomic_load(&clerk->most);
    while (now > most && !atomic_compare_exchange_weak(&clerk->most, &most, now)) {}
    if (work->number % 7 == 3) usleep(300); /* others overtake it */
    if (clerk->bad && work->number % clerk->bad == 0) return pf_fail(PF_EINPUT, "piece %u is bad", work->number);
    work->square = malloc(sizeof *work->square);
    if (!work->square) return pf_nomem();
    *work->square = work->number * work->number;
    return PF_OK;
}

static pf_err in_order(void *self, void *at, pf_err err) {
    desk *clerk = self;
    const piece *work = at;
    char words[40];
    CHECK(work->number == clerk->finished, "piece %u after %u", work->number, clerk->finished);
    clerk->finished++;
    snprintf(words, sizeof words, "piece %u is bad", work->number);
    if (err) {
        assert_int_equal(err, PF_EINPUT);
        assert_string_equal(pf_message(), words);
        clerk->failures++;
        return PF_OK;
    }
    if (clerk->last && work->number == clerk->last) return pf_fail(PF_ELIMIT, "enough after %u", work->number);
    CHECK(*work->square == work->number * work->number, "of %u", work->number);
    return PF_OK;
}

static void forget(void *at) {
    free(((piece *)at)->square);
    atomic_fetch_sub(alive, 1);
}

static const pf_workers_steps steps = {sizeof(piece), square, in_order, forget, NULL};

static pf_err put_all(pf_workers *workers, desk *clerk, unsigned n) {
    pf_err err = PF_OK;
    for (unsigned i = 0; !err && i < n; i++) {
        atomic_fetch_add(&clerk->alive, 1);
        err = pf_workers_put(workers, &(piece){.number = i}, PF_OK);
    }
    return err;
}

static void pieces_in_order(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        desk clerk = {.bad = 11};
        pf_workers *workers;
        alive = &clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &steps, &clerk, NULL, &workers));
        SUCCEED(put_all(workers, &clerk, PIECES));
        SUCCEED(pf_workers_end(workers, PF_OK));
        assert_int_equal(clerk.finished, PIECES);
        assert_int_equal(clerk.failures, (PIECES + 10) / 11);
        assert_int_equal(atomic_load(&clerk.alive), 0);
        CHECK(atomic_load(&clerk.most) <= PF_PIECES_OF_WORKER * thread_counts[i] + 1, "%u pieces at a time",
              atomic_load(&clerk.most));
    }
}

/* ---- pieces that say what they hold ---- */

enum { WEIGHED = 1000 };

/* Every 200th piece waits for others to get far ahead of it. */
typedef struct {
    uint64_t made;            /* bytes that a piece holds after it was worked on */
    unsigned begun, finished; /* `begun` under the lock */
    unsigned ahead, most;     /* how far the others must get; how far they got */
    pthread_mutex_t lock;
    pthread_cond_t moved;
} scales;

typedef struct {
    unsigned number;
    uint64_t bytes;
} weighed;

static uint64_t weight_of(const void *at) { return ((const weighed *)at)->bytes; }

/* Under the lock. The others have a moment for what they must not do. */
static void wait_for_others(scales *all, unsigned number) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    while (all->begun < number + all->ahead && !pthread_cond_timedwait(&all->moved, &all->lock, &until)) {}
    CHECK(all->begun >= number + all->ahead, "%u pieces ahead, expected %u", all->begun - number, all->ahead);
    pthread_mutex_unlock(&all->lock);
    usleep(2000);
    pthread_mutex_lock(&all->lock);
    if (all->begun - number > all->most) all->most = all->begun - number;
}

static pf_err weigh(void *self, void *at) {
    scales *all = self;
    weighed *own = at;
    pthread_mutex_lock(&all->lock);
    all->begun++;
    pthread_cond_broadcast(&all->moved);
    if (own->number % 200 == 0) wait_for_others(all, own->number);
    pthread_mutex_unlock(&all->lock);
    own->bytes = all->made;
    return PF_OK;
}

static pf_err weighed_in_order(void *self, void *at, pf_err err) {
    scales *all = self;
    CHECK(((const weighed *)at)->number == all->finished, "piece %u after %u", ((const weighed *)at)->number, all->finished);
    all->finished++;
    return err;
}

/* While one piece takes long, others are worked on: many that hold little, few that hold much. */
static void pieces_ahead(void **state) {
    static const pf_workers_steps weighing = {sizeof(weighed), weigh, weighed_in_order, NULL, weight_of};
    static const struct { uint64_t made; unsigned pieces; } cases[] = {
        {100, PF_SMALL_PIECES_OF_WORKER}, {PF_BYTES_OF_WORKER, PF_PIECES_OF_WORKER}, {UINT64_C(1) << 40, PF_PIECES_OF_WORKER}};
    (void)state;
    for (size_t i = 1; i < LENGTH(thread_counts); i++)
        for (size_t k = 0; k < LENGTH(cases); k++) {
            const unsigned pieces = cases[k].pieces * (unsigned)thread_counts[i];
            scales all = {cases[k].made, .ahead = pieces / 2, .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
            pf_workers *workers;
            SUCCEED(pf_workers_new(thread_counts[i], &weighing, &all, NULL, &workers));
            for (unsigned number = 0; number < WEIGHED; number++)
                SUCCEED(pf_workers_put(workers, &(weighed){number, number % 3 * 40}, PF_OK));
            SUCCEED(pf_workers_end(workers, PF_OK));
            assert_int_equal(all.finished, WEIGHED);
            CHECK(all.most <= pieces, "%u pieces ahead, expected at most %u", all.most, pieces);
        }
}

/* A piece that holds much, and little once it was worked on, holds up others only until then; all threads end. Piece 0 holds nearly
 * as much as all may, and piece 8 the rest, when it was worked on. */
static pf_err shrink(void *self, void *at) {
    weighed *own = at;
    (void)self;
    if (own->number == 0) usleep(20000);
    own->bytes = own->number == 8 ? PF_BYTES_OF_WORKER / 8 : 0;
    return PF_OK;
}

static void pieces_that_shrink(void **state) {
    static const pf_workers_steps shrinking = {sizeof(weighed), shrink, weighed_in_order, NULL, weight_of};
    (void)state;
    for (unsigned pieces = 9; pieces < 60; pieces += 10) {
        scales all = {0};
        pf_workers *workers;
        SUCCEED(pf_workers_new(2, &shrinking, &all, NULL, &workers));
        for (unsigned number = 0; number < pieces; number++) {
            const uint64_t bytes = number == 0 ? 2 * PF_BYTES_OF_WORKER - (1 << 20) : number == 8 ? 2 << 20 : 100;
            SUCCEED(pf_workers_put(workers, &(weighed){number, bytes}, PF_OK));
        }
        SUCCEED(pf_workers_end(workers, PF_OK));
        assert_int_equal(all.finished, pieces);
    }
}

/* The first error of finish() is the outcome; nothing is finished after it, and every piece is dropped. */
static void an_error_ends(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        desk clerk = {.last = 50};
        pf_workers *workers;
        alive = &clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &steps, &clerk, NULL, &workers));
        pf_err err = put_all(workers, &clerk, PIECES);
        assert_int_equal(err, PF_ELIMIT); /* nobody goes on for ever */
        assert_int_equal(pf_workers_end(workers, PF_OK), PF_ELIMIT);
        assert_string_equal(pf_message(), "enough after 50");
        assert_int_equal(clerk.finished, 51);
        assert_int_equal(atomic_load(&clerk.alive), 0);
    }
}

/* An error of the reading comes after those of the pieces before it, and is kept over the waiting for them. */
static void errors_of_reading(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        desk clerk = {.bad = 3};
        pf_workers *workers;
        alive = &clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &steps, &clerk, NULL, &workers));
        SUCCEED(put_all(workers, &clerk, 9));
        assert_int_equal(pf_workers_end(workers, pf_fail(PF_EIO, "the disk is gone")), PF_EIO);
        assert_string_equal(pf_message(), "the disk is gone");
        assert_int_equal(clerk.finished, 9);
        assert_int_equal(pf_workers_end(NULL, PF_OK), PF_OK);
    }
}

/* A piece that failed before it was put is not worked on, and is finished in its turn. */
static void failed_before(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        desk clerk = {0};
        pf_workers *workers;
        alive = &clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &steps, &clerk, NULL, &workers));
        SUCCEED(put_all(workers, &clerk, 1));
        atomic_fetch_add(&clerk.alive, 1);
        SUCCEED(pf_workers_put(workers, &(piece){.number = 1}, pf_fail(PF_EINPUT, "piece 1 is bad")));
        SUCCEED(pf_workers_end(workers, PF_OK));
        assert_int_equal(clerk.finished, 2);
        assert_int_equal(clerk.failures, 1);
    }
}

/* ---- hooks ---- */

enum { TAKEN = 150 };

typedef struct {
    desk clerk;
    atomic_int taking;
    atomic_uint taken, begun, turns;
} porter;

/* Slow: whoever took the next piece meanwhile would be found. */
static bool take_some(void *self) {
    porter *gate = self;
    assert_int_equal(atomic_fetch_add(&gate->taking, 1), 0);
    const unsigned number = atomic_load(&gate->taken);
    if (number % 16 == 1) usleep(200);
    atomic_store(&gate->taken, number + 1);
    assert_int_equal(atomic_fetch_sub(&gate->taking, 1), 1);
    return number < TAKEN;
}

static pf_err begin_taken(void *self, void *at) {
    porter *gate = self;
    const piece *work = at;
    CHECK(work->number < atomic_load(&gate->taken) && work->number < TAKEN, "piece %u is begun", work->number);
    atomic_fetch_add(&gate->begun, 1);
    return square(&gate->clerk, at);
}

static pf_err finish_taken(void *self, void *at, pf_err err) { return in_order(&((porter *)self)->clerk, at, err); }

static void end_turn(void *self) { atomic_fetch_add(&((porter *)self)->turns, 1); }

/* After an error, the turns of pieces that were begun pass: whoever counts pieces in work comes to the end. */
static void turns_pass_after_an_error(void **state) {
    static const pf_workers_steps taking = {sizeof(piece), begin_taken, finish_taken, forget, NULL};
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        porter gate = {.clerk = {.last = 50}};
        const pf_workers_hooks hooks = {.self = &gate, .takes = take_some, .finish_ends = end_turn};
        pf_workers *workers;
        alive = &gate.clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &taking, &gate, &hooks, &workers));
        assert_int_equal(put_all(workers, &gate.clerk, PIECES), PF_ELIMIT);
        assert_int_equal(pf_workers_end(workers, PF_OK), PF_ELIMIT);
        assert_int_equal(gate.clerk.finished, 51);
        assert_int_equal(atomic_load(&gate.turns), atomic_load(&gate.taken));
    }
}

/* Pieces are taken one at a time, before they are begun: those that are begun are the first ones. The others are dropped. */
static void taken_in_order(void **state) {
    static const pf_workers_steps taking = {sizeof(piece), begin_taken, finish_taken, forget, NULL};
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        porter gate = {0};
        const pf_workers_hooks hooks = {.self = &gate, .takes = take_some};
        pf_workers *workers;
        alive = &gate.clerk.alive;
        SUCCEED(pf_workers_new(thread_counts[i], &taking, &gate, &hooks, &workers));
        SUCCEED(put_all(workers, &gate.clerk, PIECES));
        SUCCEED(pf_workers_end(workers, PF_OK));
        assert_int_equal(atomic_load(&gate.taken), PIECES);
        assert_int_equal(atomic_load(&gate.begun), TAKEN);
        assert_int_equal(gate.clerk.finished, TAKEN);
        assert_int_equal(atomic_load(&gate.clerk.alive), 0);
    }
}

static _Thread_local pf_writer *saying;

static void say_into(void *self, pf_writer *said) { saying = said ? said : ((desk *)self)->said; }
static void say_no_more(void *self) { (void)self, saying = NULL; }
static void say_now(void *self, const pf_writer *said) {
    size_t n = 0;
    const unsigned char *at = said ? pf_writer_bytes(said, &n) : NULL;
    SUCCEED(pf_writer_put(((desk *)self)->said, at, n));
}

static pf_err talk(void *self, void *at) {
    (void)self;
    if (*(unsigned *)at % 5 == 0) usleep(200);
    return *(unsigned *)at % 2 ? pf_writer_text(saying, "%u\n", *(unsigned *)at) : PF_OK;
}

static pf_err listen_to(void *self, void *at, pf_err err) {
    (void)at, (void)self;
    return err;
}

/* What pieces say is said in their order, also where others were ready before. */
static void said_in_order(void **state) {
    static const pf_workers_steps talking = {sizeof(unsigned), talk, listen_to, NULL, NULL};
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        desk clerk = {0};
        const pf_workers_hooks hooks = {.self = &clerk, .work_begins = say_into, .work_ends = say_no_more,
                                        .finish_begins = say_now};
        pf_workers *workers;
        pf_writer *expected;
        size_t n, length;
        SUCCEED(pf_writer_memory(&clerk.said));
        SUCCEED(pf_writer_memory(&expected));
        SUCCEED(pf_workers_new(thread_counts[i], &talking, &clerk, &hooks, &workers));
        for (unsigned k = 0; k < PIECES; k++) {
            if (k % 2) SUCCEED(pf_writer_text(expected, "%u\n", k));
            SUCCEED(pf_workers_put(workers, &k, PF_OK));
        }
        SUCCEED(pf_workers_end(workers, PF_OK));
        const unsigned char *said = pf_writer_bytes(clerk.said, &n), *wanted = pf_writer_bytes(expected, &length);
        assert_int_equal(n, length);
        assert_memory_equal(said, wanted, n);
        pf_writer_free(clerk.said);
        pf_writer_free(expected);
    }
}

/* ---- lines ---- */

static pf_err double_line(void *self, pf_line *line) {
    (void)self;
    *(uint64_t *)line->result = line->length;
    if (line->length % 4 == 1) usleep(100);
    if (strcmp(line->text, "bad") == 0) return pf_fail(PF_EINPUT, "this line is bad");
    return pf_writer_text(line->out, "%llu %s%s\n", (unsigned long long)line->record, line->text, line->text);
}

static void add_length(void *self, const void *result) { *(uint64_t *)self += *(const uint64_t *)result; }

static const pf_line_steps doubling = {3, sizeof(uint64_t), NULL, double_line, add_length, "-\n"};

static pf_err note_failure(void *call, pf_err err) {
    char *words = call;
    snprintf(words, 200, "%s", pf_message());
    return err == PF_EINPUT ? PF_OK : err;
}

static void count_line(void *call, uint64_t record, uint64_t stored) { (void)call, assert_true(record >= 7 && stored > 0); }

/* Lines of two readers; the readers are gone before the lines are finished. */
static pf_err read_two(pf_lines *lines) {
    static const char *const texts[] = {"a\nbb\nccc\nbad\ndddd\neeeee", "bad\nx\n"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        pf_reader *reader;
        char name[] = "text ?";
        name[5] = (char)('1' + (int)i);
        SUCCEED(pf_reader_memory(texts[i], strlen(texts[i]), name, &reader));
        pf_err err = pf_lines_read(lines, reader);
        pf_reader_free(reader);
        PF_TRY(err);
    }
    return PF_OK;
}

static void lines_in_order(void **state) {
    static const char expected[] = "7 aa\n8 bbbb\n9 cccccc\n-\n11 dddddddd\n12 eeeeeeeeee\n-\n14 xx\n";
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        char failure[200] = "";
        uint64_t sum = 0;
        bool failed;
        size_t n;
        pf_writer *writer;
        pf_lines *lines;
        pf_line_options how = {.threads = thread_counts[i], .first = 7, .call = failure, .failed = note_failure,
                               .done = count_line};
        SUCCEED(pf_writer_memory(&writer));
        SUCCEED(pf_lines_new(&doubling, &sum, &how, writer, &lines));
        pf_err err = read_two(lines);
        SUCCEED(pf_lines_end(lines, err, &failed));
        const char *at = (const char *)pf_writer_bytes(writer, &n);
        CHECK(n == strlen(expected) && memcmp(at, expected, n) == 0, "%.*s", (int)n, at);
        assert_true(failed);
        assert_int_equal(sum, 1 + 2 + 3 + 4 + 5 + 1);
        assert_string_equal(failure, "text 2:1: this line is bad");
        pf_writer_free(writer);
    }
}

/* Without anybody who says what to do about it, the first bad line is the end; what comes before it is printed. */
static void a_bad_line_ends(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        uint64_t sum = 0;
        size_t n;
        bool failed;
        pf_writer *writer;
        pf_lines *lines;
        pf_line_options how = {.threads = thread_counts[i], .first = 1};
        SUCCEED(pf_writer_memory(&writer));
        SUCCEED(pf_lines_new(&doubling, &sum, &how, writer, &lines));
        pf_err err = read_two(lines);
        assert_int_equal(pf_lines_end(lines, err, &failed), PF_EINPUT);
        assert_string_equal(pf_message(), "text 1:4: this line is bad");
        assert_true(failed);
        assert_memory_equal(pf_writer_bytes(writer, &n), "1 aa\n2 bbbb\n3 cccccc\n", 21);
        assert_int_equal(n, 21);
        pf_writer_free(writer);
    }
}

static void a_nul_is_no_text(void **state) {
    (void)state;
    SUCCEED(pf_line_check("abc", 3));
    assert_int_equal(pf_line_check("a\0c", 3), PF_EINPUT);
}

/* ---- records ---- */

enum { RECORDS = 60 };

static pf_expr *linear(unsigned n) {
    pf_build build = {0};
    pf_fst *fst;
    pf_expr *expr;
    for (unsigned i = 0; i < n; i++)
        SUCCEED(pf_build_arc(&build, (pf_state)i, (pf_label)i + 1, (pf_label)i + 1, 0, (pf_state)i + 1));
    SUCCEED(pf_build_final(&build, (pf_state)n, 0));
    SUCCEED(pf_build_finish(&build, PF_STANDARD, 0, &fst));
    SUCCEED(pf_expr_of_fst(fst, &expr));
    return expr;
}

/* The last one is long, with one order. */
static bool is_long(unsigned i) { return i == RECORDS - 1; }
static unsigned length_of(unsigned i) { return is_long(i) ? 1500 : 1 + i * 5 % 6; }

/* Permutations under ibm:2 of RECORDS inputs, as a stream. */
static pf_writer *permutations(void) {
    pf_writer *writer;
    pf_stream_writer *stream;
    SUCCEED(pf_writer_memory(&writer));
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    for (unsigned i = 0; i < RECORDS; i++) {
        const char *const constraint[] = {is_long(i) ? "ibm:1" : "ibm:2"};
        const pf_perm_spec spec = {.con = constraint, .n_con = 1};
        pf_expr *in = linear(length_of(i)), *perm;
        SUCCEED(pf_expr_permute(in, &spec, &perm));
        SUCCEED(pf_stream_put(stream, perm, i + 1));
        pf_expr_free(in);
        pf_expr_free(perm);
    }
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    return writer;
}

static pf_source *source_of(const void *at, size_t n, const char *name, const pf_source_options *how) {
    pf_reader *reader;
    pf_source *source;
    SUCCEED(pf_reader_memory(at, n, name, &reader));
    SUCCEED(pf_source_new(reader, how, &source));
    return source;
}

typedef struct {
    uint64_t next;
    atomic_ullong states;
    uint64_t failures;
    pf_writer *writer;
} office;

static pf_err keep_number(void *self, pf_record *record) {
    (void)self;
    record->own = malloc(sizeof record->record);
    if (!record->own) return pf_nomem();
    *(uint64_t *)record->own = record->record;
    return record->record % 13 == 0 ? pf_fail(PF_EINPUT, "nothing goes with it") : PF_OK;
}

/* ibm:2 of n words has 2^(n-1) orders, ibm:1 has one; they are counted by following all arcs. */
static uint64_t orders_from(pf_fst *fst, pf_state state) {
    uint64_t sum = pf_fst_final(fst, state) < (float)INFINITY;
    for (size_t i = 0; i < pf_fst_arcs(fst, state).n; i++) sum += orders_from(fst, pf_fst_arcs(fst, state).arc[i].to);
    return sum;
}

static pf_err count_orders(void *self, pf_record *record) {
    pf_fst *fst;
    (void)self;
    PF_TRY(pf_record_open(record, &fst));
    if (record->record % 17 == 0) return pf_fail(PF_ELIMIT, "too many");
    return pf_writer_text(record->text, "%llu\n", (unsigned long long)orders_from(fst, fst->start));
}

static pf_err check_turn(void *self, pf_record *record) {
    office *clerk = self;
    CHECK(record->record == clerk->next++, "record %llu", (unsigned long long)record->record);
    CHECK(record->own && *(uint64_t *)record->own == record->record && record->call == clerk, "of record %llu",
          (unsigned long long)record->record);
    return PF_OK;
}

static pf_err put_orders(void *self, pf_record *record) {
    PF_TRY(check_turn(self, record));
    return pf_record_put_text(record, "-\n", ((office *)self)->writer);
}

static void add_states(void *call, uint64_t so_far) { atomic_fetch_add(&((office *)call)->states, so_far > 0); }

static pf_err count_failure(void *call, pf_err err) {
    office *clerk = call;
    char words[80];
    clerk->failures++;
    snprintf(words, sizeof words, err == PF_EINPUT ? "stream: record %llu: nothing goes with it" : "stream: record %llu: too many",
             (unsigned long long)clerk->next);
    assert_string_equal(pf_message(), words);
    return PF_OK;
}

static const pf_record_steps counting = {keep_number, count_orders, put_orders, free, true};
static const pf_record_steps counting_only = {keep_number, count_orders, check_turn, free, false};

static void records_in_order(void **state) {
    pf_writer *stream = permutations(), *expected;
    size_t n, length;
    const unsigned char *at = pf_writer_bytes(stream, &n);
    (void)state;
    SUCCEED(pf_writer_memory(&expected));
    for (unsigned k = 1; k <= 2 * RECORDS; k++) {
        if (k % 13 == 0 || k % 17 == 0) SUCCEED(pf_writer_text(expected, "-\n"));
        else SUCCEED(pf_writer_text(expected, "%u\n", is_long((k - 1) % RECORDS) ? 1 : 1u << (length_of((k - 1) % RECORDS) - 1)));
    }
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        office clerk = {.next = 1};
        pf_record_options how = {.threads = thread_counts[i], .call = &clerk, .expanded = add_states, .failed = count_failure};
        pf_records *records;
        bool failed;
        SUCCEED(pf_writer_memory(&clerk.writer));
        if (i % 2) how.writer = clerk.writer; /* they put what the other steps leave to them */
        how.stand_in = "-\n";
        SUCCEED(pf_records_new(i % 2 ? &counting_only : &counting, &clerk, &how, &records));
        for (uint64_t k = 0; k < 2; k++) { /* the source is gone before its records are finished */
            pf_source *source = source_of(at, n, "stream", &(pf_source_options){.first = 1 + k * RECORDS});
            SUCCEED(pf_records_read(records, source));
            assert_int_equal(pf_source_record(source), (k + 1) * RECORDS);
            pf_source_free(source);
        }
        SUCCEED(pf_records_end(records, PF_OK, &failed));
        const unsigned char *printed = pf_writer_bytes(clerk.writer, &length);
        size_t wanted;
        const unsigned char *all = pf_writer_bytes(expected, &wanted);
        CHECK(length == wanted && memcmp(printed, all, length) == 0, "%.*s", (int)length, (const char *)printed);
        assert_true(failed);
        assert_int_equal(clerk.failures, 2 * RECORDS / 13 + 2 * RECORDS / 17);
        assert_true(atomic_load(&clerk.states) > 0);
        pf_writer_free(clerk.writer);
    }
    pf_writer_free(expected);
    pf_writer_free(stream);
}

/* Without anybody who says what to do, the first record that fails is the end. */
static void a_bad_record_ends(void **state) {
    pf_writer *stream = permutations();
    size_t n, length;
    const unsigned char *at = pf_writer_bytes(stream, &n);
    (void)state;
    for (size_t i = 0; i < LENGTH(thread_counts); i++) {
        office clerk = {.next = 1};
        pf_record_options how = {.threads = thread_counts[i], .call = &clerk};
        pf_records *records;
        bool failed;
        pf_source *source = source_of(at, n, "stream", &(pf_source_options){.first = 1});
        SUCCEED(pf_writer_memory(&clerk.writer));
        SUCCEED(pf_records_new(&counting, &clerk, &how, &records));
        pf_err err = pf_records_read(records, source);
        pf_source_free(source);
        assert_int_equal(pf_records_end(records, err, &failed), PF_EINPUT);
        assert_string_equal(pf_message(), "stream: record 13: nothing goes with it");
        assert_int_equal(clerk.next, 13);
        assert_true(failed);
        pf_writer_bytes(clerk.writer, &length);
        assert_true(length > 0);
        pf_writer_free(clerk.writer);
    }
    pf_writer_free(stream);
}

/* ---- sources ---- */

static const char arpa[] = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1 <s>\n-1 </s>\n-1 <unk>\n-1 a\n\n\\end\\\n";

static void a_model_is_a_record(void **state) {
    pf_source *source = source_of(arpa, sizeof arpa - 1, "arpa", &(pf_source_options){.first = 5, .models = true});
    pf_expr *expr;
    (void)state;
    assert_int_equal(pf_source_record(source), 4);
    SUCCEED(pf_source_next(source, &expr));
    assert_int_equal(expr->kind, PF_EXPR_MODEL);
    assert_int_equal(pf_source_record(source), 5);
    assert_int_equal(pf_source_stored(source), sizeof arpa - 1);
    pf_expr_free(expr);
    SUCCEED(pf_source_next(source, &expr));
    assert_null(expr);
    pf_source_free(source);
    source = source_of(arpa, sizeof arpa - 1, "arpa", &(pf_source_options){.first = 1}); /* not for this one */
    assert_int_equal(pf_source_next(source, &expr), PF_EINPUT);
    assert_null(expr);
    pf_source_free(source);
}

/* A model as text and as a record, with a tail, and what is no model. */
static void models(void **state) {
    pf_reader *reader;
    pf_blob *blob;
    pf_expr *expr;
    pf_stream_writer *stream;
    pf_writer *writer = permutations();
    size_t n;
    (void)state;
    const unsigned char *at = pf_writer_bytes(writer, &n);
    SUCCEED(pf_reader_memory(at, n, "orders", &reader));
    assert_int_equal(pf_source_model(reader, NULL, NULL, &blob), PF_EINPUT);
    assert_string_equal(pf_message(), "orders: expected a model, found an automaton");
    assert_null(blob);
    SUCCEED(pf_reader_memory("", 0, "none", &reader));
    assert_int_equal(pf_source_model(reader, NULL, NULL, &blob), PF_EINPUT);
    assert_null(blob);
    SUCCEED(pf_reader_memory(arpa, sizeof arpa - 1, "arpa", &reader));
    SUCCEED(pf_source_model(reader, NULL, NULL, &blob));
    pf_writer_clear(writer);
    SUCCEED(pf_expr_of_model(blob, &expr));
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    SUCCEED(pf_stream_put(stream, expr, 1));
    SUCCEED(pf_stream_end(stream));
    pf_stream_writer_free(stream);
    pf_expr_free(expr);
    pf_blob_free(blob);
    at = pf_writer_bytes(writer, &n);
    SUCCEED(pf_reader_memory(at, n, "record", &reader));
    SUCCEED(pf_source_model(reader, NULL, NULL, &blob));
    const pf_model *model;
    SUCCEED(pf_open_model(blob, &model));
    assert_ptr_equal(model->cls, &pf_ngram_class);
    pf_blob_free(blob);
    pf_writer_free(writer);
}

static void operands(void **state) {
    const pf_source_options how = {.first = 1, .models = true};
    pf_source *source = source_of(arpa, sizeof arpa - 1, "arpa", &how);
    pf_blob *model;
    pf_expr *first;
    size_t n;
    (void)state;
    SUCCEED(pf_source_operand(source, &model, &first));
    assert_true(model && !first);
    pf_source_free(source);
    pf_writer *writer = permutations();
    const unsigned char *at = pf_writer_bytes(writer, &n);
    source = source_of(at, n, "stream", &how);
    pf_blob *none;
    SUCCEED(pf_source_operand(source, &none, &first));
    assert_true(!none && first && first->kind == PF_EXPR_PERM);
    pf_expr_free(first);
    SUCCEED(pf_source_next(source, &first)); /* the others follow */
    assert_non_null(first);
    pf_expr_free(first);
    pf_source_free(source);
    source = source_of("", 0, "none", &how);
    assert_int_equal(pf_source_operand(source, &none, &first), PF_EINPUT);
    assert_non_null(strstr(pf_message(), "none is empty"));
    pf_source_free(source);
    /* A model as a record, alone and before another one. */
    pf_expr *expr;
    pf_stream_writer *stream;
    pf_writer_clear(writer);
    SUCCEED(pf_expr_of_model(model, &expr));
    for (int i = 0; i < 2; i++) {
        pf_writer_clear(writer);
        SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
        for (int k = 0; k <= i; k++) SUCCEED(pf_stream_put(stream, expr, 1));
        SUCCEED(pf_stream_end(stream));
        pf_stream_writer_free(stream);
        at = pf_writer_bytes(writer, &n);
        source = source_of(at, n, "models", &how);
        assert_int_equal(pf_source_operand(source, &none, &first), i ? PF_EINPUT : PF_OK);
        assert_true(!first && (none == NULL) == (i == 1));
        if (i) assert_string_equal(pf_message(), "models: expected one model, found another record after it");
        pf_blob_free(none);
        pf_source_free(source);
    }
    pf_expr_free(expr);
    pf_blob_free(model);
    pf_writer_free(writer);
}

/* Tables for automata that carry none, also inside an expression; those that have one keep it. */
static void symbols(void **state) {
    pf_writer *writer = permutations();
    pf_symtab *tables[2];
    size_t n;
    (void)state;
    for (int i = 0; i < 2; i++) SUCCEED(pf_symtab_new(i ? "out" : "in", &tables[i]));
    const unsigned char *at = pf_writer_bytes(writer, &n);
    pf_source *source = source_of(at, n, "stream", &(pf_source_options){.first = 1, .isyms = tables[0], .osyms = tables[1]});
    for (int i = 0; i < 2; i++) pf_symtab_free(tables[i]); /* the source has references */
    pf_expr *expr;
    SUCCEED(pf_source_next(source, &expr));
    pf_source_free(source);
    assert_true(expr->first->fst->isyms && expr->first->fst->osyms);
    assert_string_equal(pf_symtab_title(expr->first->fst->isyms), "in");
    assert_string_equal(pf_symtab_title(expr->first->fst->osyms), "out");
    pf_writer_clear(writer);
    pf_stream_writer *stream;
    SUCCEED(pf_stream_writer_new(writer, PF_AS_RECORDS, &stream));
    SUCCEED(pf_stream_put(stream, expr, 1));
    pf_stream_writer_free(stream);
    pf_expr_free(expr);
    at = pf_writer_bytes(writer, &n);
    SUCCEED(pf_symtab_new("other", &tables[0]));
    source = source_of(at, n, "stream", &(pf_source_options){.first = 1, .isyms = tables[0], .osyms = tables[0]});
    pf_symtab_free(tables[0]);
    SUCCEED(pf_source_next(source, &expr));
    assert_string_equal(pf_symtab_title(expr->first->fst->isyms), "in");
    assert_string_equal(pf_symtab_title(expr->first->fst->osyms), "out");
    pf_expr_free(expr);
    pf_source_free(source);
    pf_writer_free(writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_order),     cmocka_unit_test(pieces_ahead),     cmocka_unit_test(an_error_ends),
        cmocka_unit_test(errors_of_reading),   cmocka_unit_test(failed_before),    cmocka_unit_test(taken_in_order),
        cmocka_unit_test(said_in_order),       cmocka_unit_test(lines_in_order),   cmocka_unit_test(a_bad_line_ends),
        cmocka_unit_test(a_nul_is_no_text),    cmocka_unit_test(records_in_order), cmocka_unit_test(a_bad_record_ends),
        cmocka_unit_test(a_model_is_a_record), cmocka_unit_test(operands),         cmocka_unit_test(models),
        cmocka_unit_test(symbols),             cmocka_unit_test(turns_pass_after_an_error),
        cmocka_unit_test(pieces_that_shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
