/* Memory that ends: in every call of the table the k-th allocation fails, for every k up to a bound and some beyond it, either
 * alone or with all after it. The call then ends with status 2 and a message, or with the right bytes, and has freed all that it
 * allocated. The linker turns the allocations of the project's own files to the functions below (tests/files.mk); libraries keep
 * theirs, but libxml2 is given these as well; what GMP holds is counted.
 *
 * PERMFST_MEMORY=N takes every k up to N (default 2000; 60 with PERMFST_QUICK), and beyond it one in N / 10. */
#include "check.h"
#include "base/contract.h"
#include "steps.h"

#include <errno.h>
#include <gmp.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- allocations that fail ---- */

/* The pieces that are held, in a table with open addresses; pieces that a library allocated are not in it. */
enum { SLOTS = 1 << 18 };

static struct {
    pthread_mutex_t lock;
    bool armed, all_after; /* does the `fails`-th allocation fail; with all after it? */
    uint64_t fails, made;
    const void *held[SLOTS];
    size_t n_held;
    int64_t gmp_held;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *at);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_fsync(int fd);
void __wrap_free(void *at);

static size_t home(const void *at) { return ((uintptr_t)at >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46; }

static size_t find(const void *at) {
    size_t i = home(at);
    while (memory.held[i] && memory.held[i] != at) i = (i + 1) % SLOTS;
    return i;
}

static void *hold(void *at) {
    if (!at) return NULL;
    pthread_mutex_lock(&memory.lock);
    memory.held[find(at)] = at;
    memory.n_held++;
    pthread_mutex_unlock(&memory.lock);
    return at;
}

/* Those after it in its run move up, so that they are found. */
static void let_go(const void *at) {
    pthread_mutex_lock(&memory.lock);
    size_t hole = find(at);
    if (memory.held[hole]) {
        memory.held[hole] = NULL;
        memory.n_held--;
        for (size_t i = (hole + 1) % SLOTS; memory.held[i]; i = (i + 1) % SLOTS) {
            const void *other = memory.held[i];
            memory.held[i] = NULL;
            memory.held[find(other)] = other;
        }
    }
    pthread_mutex_unlock(&memory.lock);
}

static bool ends_here(void) {
    pthread_mutex_lock(&memory.lock);
    uint64_t k = memory.armed ? ++memory.made : 0;
    bool ends = k && (k == memory.fails || (memory.all_after && k > memory.fails));
    pthread_mutex_unlock(&memory.lock);
    if (ends) errno = ENOMEM;
    return ends;
}

void *__wrap_malloc(size_t size) { return ends_here() ? NULL : hold(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return ends_here() ? NULL : hold(__real_calloc(n, size)); }

void *__wrap_realloc(void *old, size_t size) {
    if (ends_here()) return NULL;
    if (old) let_go(old); /* before another thread can get the same address */
    void *moved = __real_realloc(old, size);
    return hold(moved ? moved : old);
}

char *__wrap_strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = __wrap_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

void __wrap_free(void *at) {
    if (at) let_go(at);
    __real_free(at);
}

/* Nobody waits for the disk. */
int __wrap_fsync(int fd PF_UNUSED) { return 0; }

/* libxml2 may lose memory when it has none left: what it allocates is not counted. */
static void *xml_malloc(size_t size) { return ends_here() ? NULL : __real_malloc(size); }
static void *xml_realloc(void *old, size_t size) { return ends_here() ? NULL : __real_realloc(old, size); }

static char *xml_strdup(const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = xml_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/* It has words of its own for that, which nobody should see. */
static unsigned libxml_words;
static void count_words(void *self PF_UNUSED, const char *format PF_UNUSED, ...) {
    __atomic_add_fetch(&libxml_words, 1, __ATOMIC_RELAXED);
}

/* GMP cannot go on without memory, so its allocations do not fail here. */
static void count_gmp(int64_t n) { __atomic_add_fetch(&memory.gmp_held, n, __ATOMIC_RELAXED); }

static void *gmp_allocate(size_t size) {
    count_gmp(1);
    return __real_malloc(size);
}

static void *gmp_reallocate(void *old, size_t before, size_t size) {
    (void)before;
    return __real_realloc(old, size);
}

static void gmp_free(void *at, size_t size) {
    (void)size;
    count_gmp(-1);
    __real_free(at);
}

/* ---- calls ---- */

static char folder[NAME];

static void arm(uint64_t fails, bool all_after) {
    memory.made = 0;
    memory.fails = fails;
    memory.all_after = all_after;
    memory.armed = true;
}

static bool has_right_bytes(size_t i) {
    char path[2 * NAME], *bytes[2];
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        if (k) snprintf(path, sizeof path, "%s/failed", folder);
        else snprintf(path, sizeof path, "%s/%zu", folder, i);
        read_whole(path, &bytes[k], &n[k]);
    }
    bool same = n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
    for (int k = 0; k < 2; k++) free(bytes[k]);
    return same;
}

/* What the failed call has said; the caller frees it. */
static char *said(void) {
    char path[2 * NAME], *words;
    size_t n;
    snprintf(path, sizeof path, "%s/failed.said", folder);
    read_whole(path, &words, &n);
    return words;
}

static bool has_said(const char *what) {
    char *words = said();
    bool has = strstr(words, what);
    free(words);
    return has;
}

static unsigned wrong;

static void report(size_t i, uint64_t k, bool all_after, const char *what, int64_t number) {
    char *words = said();
    print_error("%s %s, allocation %llu%s: %s (%lld). It says: %s\n", steps[i].program->name, steps[i].arguments,
                (unsigned long long)k, all_after ? " and all after it" : "", what, (long long)number, words);
    free(words);
    wrong++;
}

/* Runs step i while allocation k fails; true if the step made as many. */
static bool fail_one(size_t i, uint64_t k, bool all_after) {
    size_t held = memory.n_held;
    int64_t gmp_held = memory.gmp_held;
    unsigned words = libxml_words;
    arm(k, all_after);
    int status = run_step(folder, &steps[i], "failed");
    memory.armed = false;
    if (memory.n_held != held) report(i, k, all_after, "pieces are lost", (int64_t)(memory.n_held - held));
    if (memory.gmp_held != gmp_held) report(i, k, all_after, "pieces of GMP are lost", memory.gmp_held - gmp_held);
    if (libxml_words != words) report(i, k, all_after, "libxml2 has printed its own words", libxml_words - words);
    bool ever_trouble = steps[i].status == TOOL_TROUBLE;
    if (status == TOOL_TROUBLE && !ever_trouble && !has_said("memory"))
        report(i, k, all_after, "trouble without a message", status);
    if (status != TOOL_TROUBLE && (status != steps[i].status || !has_right_bytes(i)))
        report(i, k, all_after, "other bytes, and this status", status);
    return memory.made >= k;
}

static void memory_ends(void **state PF_UNUSED) {
    const char *most = getenv("PERMFST_MEMORY");
    uint64_t all = most ? strtoull(most, NULL, 10) : getenv("PERMFST_QUICK") ? 60 : 2000, jump = all / 10 + 1;
    for (size_t i = 0; i < n_steps; i++)
        for (uint64_t k = 1; fail_one(i, k, false); k += k < all ? 1 : jump + k / 7) {
            /* Where a call has allocated nothing after the k-th, it is the same call with all after it. */
            if (memory.made > k) fail_one(i, k, true);
            if (wrong > 60) fail();
        }
    assert_int_equal(wrong, 0);
}

/* The first time also makes what a process keeps. */
static int begin(void **state PF_UNUSED) {
    xmlSetGenericErrorFunc(NULL, count_words);
    xmlMemSetup(__real_free, xml_malloc, xml_realloc, xml_strdup);
    mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_free);
    begin_folder(folder);
    run_all(folder);
    return 0;
}

static int end(void **state PF_UNUSED) {
    end_folder(folder);
    return 0;
}

int main(void) {
#ifdef PF_CHECKS
    pfi_checks_on = false; /* to look at a claim takes memory too */
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_ends)};
    return cmocka_run_group_tests(tests, begin, end);
}
