/* Damaged input: each file that a call of the table reads is cut at every byte, and each of its bits is flipped; the call then
 * ends. It never crashes, never hangs, and asks for no more memory than its input is worth. What it does is one of three things:
 *
 *   noticed   status 2 and a message
 *   same      the status and the bytes of the undamaged file: the damage is of no account
 *   changed   other bytes, or another status
 *
 * Which of them are allowed depends on the format (`formats` below): text has no room for a checksum, so a letter that has changed
 * is another letter; a record and a gzip file do.
 *
 * PERMFST_DAMAGE=N takes N cuts and N flips of each file, spread over it (default 64; 0: all of them, some 470,000). After a crash
 * or a hang the damaged file is still in the folder, which is named. */
#include "check.h"
#include "steps.h"

#include <permfst/base/hash.h>
#include <permfst/io/header.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SECONDS = 60 }; /* for one call, which takes milliseconds; under valgrind more */

/* ---- memory ---- */

/* Inputs have a few hundred bytes; the largest thing that they are worth is a buffer. A table that a number in a file makes as
 * large as it says would be larger. */
#define MOST_BYTES ((size_t)32 << 20)

static size_t largest; /* asked for at once, since the last call began */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_fsync(int fd);

static size_t note(size_t size) {
    size_t most = __atomic_load_n(&largest, __ATOMIC_RELAXED);
    while (size > most && !__atomic_compare_exchange_n(&largest, &most, size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return size;
}

void *__wrap_malloc(size_t size) { return __real_malloc(note(size)); }
void *__wrap_calloc(size_t n, size_t size) {
    note(n && size > SIZE_MAX / n ? SIZE_MAX : n * size);
    return __real_calloc(n, size);
}
void *__wrap_realloc(void *old, size_t size) { return __real_realloc(old, note(size)); }
int __wrap_fsync(int fd PF_UNUSED) { return 0; }

/* ---- formats ---- */

typedef enum { NOTICED, SAME, CHANGED, OUTCOMES } outcome;

typedef struct {
    const char *name;
    bool (*is)(const unsigned char *bytes, size_t n);
    bool cuts_may_change, flips_may_change;
    bool only_by_mark; /* nobody expects it: without its mark it is something else */
    uint64_t counts[2][OUTCOMES]; /* of cuts and of flips */
} format;

static bool is_gzip(const unsigned char *bytes, size_t n) { return n > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

/* The magic number, then the name of the type. */
static bool is_automaton(const unsigned char *bytes, size_t n) {
    static const unsigned char magic[] = {0xd6, 0xfd, 0xb2, 0x7e};
    return n > 20 && memcmp(bytes, magic, sizeof magic) == 0;
}

/* A stream of this project's: it has a frame (fst/io/frame.h), at its beginning or after an automaton, or a record of format 3. */
static bool is_stream(const unsigned char *bytes, size_t n) {
    if (memmem(bytes, n, "\x8fpermfst", 8)) return true;
    return is_automaton(bytes, n) && memcmp(bytes + 8, "vector", 6) != 0 && memcmp(bytes + 8, "const", 5) != 0;
}

static bool is_far(const unsigned char *bytes, size_t n) {
    static const unsigned char stlist[] = {0x5c, 0x51, 0x56, 0}, sttable[] = {0x5c, 0xf3, 0xb2, 0x7e};
    return n > 4 && (memcmp(bytes, stlist, 4) == 0 || memcmp(bytes, sttable, 4) == 0);
}

/* A compiled model of permlearn, or the state of its learner: a checksum after the mark. */
static bool is_learned(const unsigned char *bytes, size_t n) {
    return n > 8 && (memcmp(bytes, "pfOrder\2", 8) == 0 || memcmp(bytes, "pfLearn\1", 8) == 0);
}

static bool is_anything(const unsigned char *bytes PF_UNUSED, size_t n PF_UNUSED) { return true; }

/* The first that fits. OpenFst's formats say how much they have, but no more; a cut between two automata goes unnoticed. Records of
 * format 3 had no checksums either. */
static format formats[] = {
    {"gzip", is_gzip, false, false, true, {{0}}},
    {"FAR", is_far, true, true, false, {{0}}},
    {"records", is_stream, PF_FORMAT_VERSION < 4, PF_FORMAT_VERSION < 4, false, {{0}}},
    {"learned", is_learned, false, false, false, {{0}}},
    {"OpenFst", is_automaton, true, true, false, {{0}}},
    {"text", is_anything, true, true, false, {{0}}},
};

static format *format_of(const unsigned char *bytes, size_t n) {
    format *f = formats;
    while (!f->is(bytes, n)) f++;
    return f;
}

/* ---- one call ---- */

static char folder[NAME];
static const step *at_work;
static const char *damaged;
static unsigned wrong;

enum { PATH = 2 * NAME };

static void path_in(const char *name, const char *more, char path[PATH]) {
    int n = snprintf(path, PATH, "%s/%s%s", folder, name, more);
    CHECK(n > 0 && n < PATH, "%s", name);
}

static bool same_bytes(const char *one, const char *other) {
    char path[2][PATH], *bytes[2];
    size_t n[2];
    path_in(one, "", path[0]);
    path_in(other, "", path[1]);
    for (int i = 0; i < 2; i++) read_whole(path[i], &bytes[i], &n[i]);
    bool same = n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
    for (int i = 0; i < 2; i++) free(bytes[i]);
    return same;
}

/* With what async-signal-safe functions can say. */
static void too_long(int number) {
    static const char words[] = "a call hangs, or crashes; the damaged file is in ";
    (void)!write(2, words, sizeof words - 1);
    (void)!write(2, folder, strlen(folder));
    (void)!write(2, "/", 1);
    (void)!write(2, damaged, strlen(damaged));
    (void)!write(2, ": ", 2);
    (void)!write(2, at_work->program->name, strlen(at_work->program->name));
    (void)!write(2, " ", 1);
    (void)!write(2, at_work->arguments, strlen(at_work->arguments));
    (void)!write(2, "\n", 1);
    signal(number, SIG_DFL);
    raise(number);
}

static bool right_files(const step *s) {
    const char *name[MOST_FILES];
    char right[NAME + 10];
    for (size_t i = 0, n = step_files(s, true, name); i < n; i++) {
        snprintf(right, sizeof right, "%s.right", name[i]);
        if (!same_bytes(name[i], right)) return false;
    }
    return true;
}

/* Runs step i, whose input is as it is now. */
static outcome run(size_t i, const char *name) {
    char right[24];
    step s = steps[i];
    if (*s.input && *s.input != '@' && strncmp(s.input, "DATA/", 5) != 0) s.input = "@input";
    at_work = &steps[i];
    damaged = name;
    alarm(SECONDS);
    __atomic_store_n(&largest, 0, __ATOMIC_RELAXED);
    int status = run_step(folder, &s, "found");
    alarm(0);
    if (largest > MOST_BYTES) {
        print_error("%s %s, with a damaged %s: asks for %zu bytes\n", s.program->name, s.arguments, name, largest);
        wrong++;
    }
    if (status == TOOL_TROUBLE && s.status != TOOL_TROUBLE) return NOTICED;
    if (status == TOOL_NO && strstr(s.arguments, "--check")) return NOTICED; /* perminfo's answer */
    snprintf(right, sizeof right, "%zu", i);
    return status == s.status && same_bytes("found", right) && right_files(&s) ? SAME : CHANGED;
}

/* ---- damage ---- */

typedef struct {
    const char *name;
    char path[PATH];
    char *bytes;
    size_t n;
    format *form;
} input;

/* Runs step i with the first n bytes of the input as they are now. */
static void judge(size_t i, const input *in, size_t n, bool flipped, size_t at) {
    format *form = in->form->only_by_mark ? format_of((unsigned char *)in->bytes, n) : in->form;
    put_bytes(in->path, in->bytes, n);
    outcome what = run(i, in->name);
    form->counts[flipped][what]++;
    if (what != CHANGED || (flipped ? form->flips_may_change : form->cuts_may_change)) return;
    print_error("%s %s: %s (%s) %s at %zu goes unnoticed\n", steps[i].program->name, steps[i].arguments, in->name, form->name,
                flipped ? "with a bit flipped" : "cut", at);
    wrong++;
}

static void cut(size_t i, input *in, size_t at) { judge(i, in, at, false, at); }

static void flip(size_t i, input *in, size_t at) {
    char bit = (char)(1 << at % 8);
    in->bytes[at / 8] ^= bit;
    judge(i, in, in->n, true, at);
    in->bytes[at / 8] ^= bit;
}

/* `most` of the places below n, one in each of as many spans; all: 0. The same on every machine. */
static void each(size_t i, input *in, size_t n, size_t most, void damage(size_t, input *, size_t)) {
    size_t spans = most && most < n ? most : n;
    for (size_t k = 0; k < spans && wrong <= 60; k++) {
        size_t first = k * n / spans, after = (k + 1) * n / spans;
        damage(i, in, first + (size_t)(pf_hash(&k, sizeof k, i) % (after - first)));
    }
}

static void damage_file(size_t i, const char *name, size_t most) {
    input in = {.name = name};
    path_in(name, "", in.path);
    read_whole(in.path, &in.bytes, &in.n);
    in.form = format_of((unsigned char *)in.bytes, in.n);
    each(i, &in, in.n, most, cut);
    each(i, &in, 8 * in.n, most, flip);
    put_bytes(in.path, in.bytes, in.n);
    free(in.bytes);
}

static void print_counts(void) {
    static const char *const kind[] = {"cut", "flipped"};
    for (size_t i = 0; i < LENGTH(formats); i++)
        for (int flipped = 0; flipped < 2; flipped++) {
            const uint64_t *c = formats[i].counts[flipped];
            printf("%-8s %-8s %7llu noticed %7llu same %7llu changed\n", formats[i].name, kind[flipped],
                   (unsigned long long)c[NOTICED], (unsigned long long)c[SAME], (unsigned long long)c[CHANGED]);
        }
}

static void damaged_input_is_survived(void **state PF_UNUSED) {
    const char *most = getenv("PERMFST_DAMAGE");
    size_t places = most ? (size_t)strtoull(most, NULL, 10) : getenv("PERMFST_QUICK") ? 4 : 64;
    for (size_t i = 0; i < n_steps; i++) {
        const char *borrowed[MOST_FILES];
        char name[MOST_FILES][NAME], path[PATH];
        size_t n = step_files(&steps[i], false, borrowed);
        for (size_t k = 0; k < n; k++) snprintf(name[k], NAME, "%s", borrowed[k]);
        path_in("input", "", path);
        put_bytes(path, steps[i].input, strlen(steps[i].input));
        CHECK(run(i, "nothing") == SAME || steps[i].status == TOOL_TROUBLE, "%s %s", steps[i].program->name, steps[i].arguments);
        for (size_t k = 0; k < n; k++) damage_file(i, name[k], places);
        if (step_files(&steps[i], true, borrowed)) run(i, "nothing"); /* later steps read what it writes of whole files */
    }
    print_counts();
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%ld MB\n", used.ru_maxrss / 1024);
    assert_int_equal(wrong, 0);
}

static int begin(void **state PF_UNUSED) {
    char path[PATH], right[PATH];
    const char *name[MOST_FILES];
    begin_folder(folder);
    run_all(folder);
    for (size_t i = 0; i < n_steps; i++)
        for (size_t k = 0, n = step_files(&steps[i], true, name); k < n; k++) {
            path_in(name[k], "", path);
            path_in(name[k], ".right", right);
            if (access(path, F_OK) != 0) put_bytes(path, "", 0);
            if (access(right, F_OK) != 0) CHECK(link(path, right) == 0, "%s", right);
        }
    signal(SIGALRM, too_long);
    return 0;
}

static int end(void **state PF_UNUSED) {
    end_folder(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_input_is_survived)};
    return cmocka_run_group_tests(tests, begin, end);
}
