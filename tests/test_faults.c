/* A system that fails: in every call of the table the k-th open, read, write, fsync, close, rename or look at a file fails, either
 * alone or with all after it. The call then ends with status 2 and says what the system said, or with the right bytes. A file
 * that it writes is there as a whole, or is the one that was there before; no temporary file is left and no descriptor is open.
 * Then reads and writes of one byte, which signals interrupt, change nothing. The linker turns these calls of the project's own
 * files to the functions below (tests/files.mk). */
#include "check.h"
#include "steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- calls that fail ---- */

typedef enum { OPEN, READ, WRITE, FSYNC, CLOSE, RENAME, LOOK, KINDS } call_kind;

static const struct {
    const char *name;
    int error;
} kinds[KINDS] = {
    [OPEN] = {"open", EMFILE},  [READ] = {"read", EIO},       [WRITE] = {"write", ENOSPC}, [FSYNC] = {"fsync", EIO},
    [CLOSE] = {"close", EDQUOT}, [RENAME] = {"rename", EACCES}, [LOOK] = {"stat", EACCES},
};

static struct {
    pthread_mutex_t lock;
    bool armed, all_after, slow; /* does the `fails`-th call of `kind` fail; with all after it? Or are all slow? */
    call_kind kind;
    uint64_t fails, made;
    int spared; /* a descriptor: that of messages, which are asked for */
    int64_t open;
} faults = {.lock = PTHREAD_MUTEX_INITIALIZER};

int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_write(int fd, const void *from, size_t n);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __real_stat(const char *path, struct stat *out);
int __real_fstat(int fd, struct stat *out);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_stat(const char *path, struct stat *out);
int __wrap_fstat(int fd, struct stat *out);

static bool fails_here(call_kind kind, int fd) {
    pthread_mutex_lock(&faults.lock);
    uint64_t k = faults.armed && !faults.slow && kind == faults.kind && (fd < 0 || fd != faults.spared) ? ++faults.made : 0;
    bool fails = k && (k == faults.fails || (faults.all_after && k > faults.fails));
    pthread_mutex_unlock(&faults.lock);
    if (fails) errno = kinds[kind].error;
    return fails;
}

/* Of slow reads and writes each takes a byte, and of three one is interrupted and one is told to wait. */
static bool held_up(size_t *n) {
    if (!faults.slow || !faults.armed) return false;
    uint64_t k = __atomic_add_fetch(&faults.made, 1, __ATOMIC_RELAXED);
    if (*n) *n = 1;
    errno = k % 3 == 1 ? EINTR : EAGAIN;
    return k % 3 != 0;
}

static int count_open(int change, int result) {
    if (faults.armed && result >= 0) __atomic_add_fetch(&faults.open, change, __ATOMIC_RELAXED);
    return result;
}

int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails_here(OPEN, -1) ? -1 : count_open(1, __real_open(path, flags, mode));
}

ssize_t __wrap_read(int fd, void *to, size_t n) { return fails_here(READ, fd) || held_up(&n) ? -1 : __real_read(fd, to, n); }

ssize_t __wrap_write(int fd, const void *from, size_t n) {
    return fails_here(WRITE, fd) || held_up(&n) ? -1 : __real_write(fd, from, n);
}

/* Nobody waits for the disk. */
int __wrap_fsync(int fd) { return fails_here(FSYNC, fd) ? -1 : 0; }

/* The descriptor is closed all the same, as on Linux. */
int __wrap_close(int fd) {
    bool fails = fails_here(CLOSE, fd);
    int saved = errno, result = count_open(-1, __real_close(fd));
    if (!fails) return result;
    errno = saved;
    return -1;
}

int __wrap_rename(const char *from, const char *to) { return fails_here(RENAME, -1) ? -1 : __real_rename(from, to); }
int __wrap_stat(const char *path, struct stat *out) { return fails_here(LOOK, -1) ? -1 : __real_stat(path, out); }
int __wrap_fstat(int fd, struct stat *out) { return fails_here(LOOK, fd) ? -1 : __real_fstat(fd, out); }

static int run_armed(const tool *program, int n, const char *const *arguments, tool_streams streams) {
    faults.spared = streams.err;
    faults.armed = true;
    int status = tool_run(program, n, arguments, streams);
    faults.armed = false;
    return status;
}

/* ---- files ---- */

static char folder[NAME];
static const char old[] = "what was there before\n";

enum { PATH = 2 * NAME };

static void path_in(const char *name, const char *more, char path[PATH]) {
    int n = snprintf(path, PATH, "%s/%s%s", folder, name, more);
    CHECK(n > 0 && n < PATH, "%s", name);
}

static size_t count_files(void) {
    size_t n = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    while (readdir(files)) n++;
    closedir(files);
    return n;
}

static bool same_bytes(const char *one, const char *other) {
    char *bytes[2];
    size_t n[2];
    read_whole(one, &bytes[0], &n[0]);
    read_whole(other, &bytes[1], &n[1]);
    bool same = n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

/* The files that a step writes hold the old bytes. */
static void put_old(const step *s) {
    const char *name[MOST_FILES];
    char path[PATH];
    for (size_t i = 0, n = step_files(s, true, name); i < n; i++) {
        path_in(name[i], "", path);
        put_bytes(path, old, sizeof old - 1);
    }
}

/* How many of the files that a step writes are not as they were, nor, if they may be, as they are after a call that went well. */
static size_t wrong_files(const step *s, bool must_be_right) {
    const char *name[MOST_FILES];
    char path[PATH], right[PATH], before[PATH];
    size_t wrong = 0;
    path_in("old", "", before);
    for (size_t i = 0, n = step_files(s, true, name); i < n; i++) {
        path_in(name[i], "", path);
        path_in(name[i], ".right", right);
        wrong += !same_bytes(path, right) && (must_be_right || !same_bytes(path, before));
    }
    return wrong;
}

/* ---- calls ---- */

static unsigned wrong;

static char *said(void) {
    char path[PATH], *words;
    size_t n;
    path_in("failed", ".said", path);
    read_whole(path, &words, &n);
    return words;
}

static void report(const step *s, const char *what) {
    char *words = said();
    print_error("%s %s: %s %llu%s: %s. It says: %s\n", s->program->name, s->arguments,
                faults.slow ? "slow" : kinds[faults.kind].name, (unsigned long long)faults.fails,
                    faults.all_after ? " and all after it" : "", what, words);
    free(words);
    wrong++;
}

/* Has the last run of step i written what it writes when nothing fails? */
static bool has_right_bytes(size_t i) {
    char name[24], right[PATH], found[PATH];
    snprintf(name, sizeof name, "%zu", i);
    path_in(name, "", right);
    path_in("failed", "", found);
    return same_bytes(right, found);
}

static void check_end(const step *s, size_t i, int status, size_t files) {
    char *words = said();
    bool as_ever = status == s->status && has_right_bytes(i);
    if (status != TOOL_TROUBLE && !as_ever) report(s, "other bytes or another status");
    if (status == TOOL_TROUBLE && s->status != TOOL_TROUBLE && !strstr(words, strerror(kinds[faults.kind].error)))
        report(s, "trouble without its reason");
    if (wrong_files(s, as_ever && s->status != TOOL_TROUBLE)) report(s, "a damaged file");
    if (count_files() != files) report(s, "a file is left");
    if (faults.open) report(s, "descriptors are left open");
    free(words);
}

/* Runs step i with the fault; true if it made as many calls. */
static bool run_one(size_t i, size_t files) {
    const step *s = &steps[i];
    put_old(s);
    faults.made = 0;
    faults.open = 0;
    int status = run_step_by(folder, s, "failed", run_armed);
    check_end(s, i, status, files);
    if (wrong > 60) fail();
    return faults.made >= faults.fails;
}

static void the_system_fails(void **state PF_UNUSED) {
    uint64_t failed[KINDS] = {0};
    size_t files = count_files();
    for (size_t i = 0; i < n_steps; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            faults.kind = (call_kind)kind;
            for (faults.fails = 1; run_one(i, files); faults.fails++) {
                failed[kind]++;
                /* Where a step has made no such call after the one that failed, it is the same with all after it. */
                if (faults.made == faults.fails) continue;
                faults.all_after = true;
                run_one(i, files);
                faults.all_after = false;
            }
        }
    assert_int_equal(wrong, 0);
    for (int kind = 0; kind < KINDS; kind++) CHECK(failed[kind] > 20, "%s: only %d calls", kinds[kind].name, (int)failed[kind]);
}

static void slow_files_change_nothing(void **state PF_UNUSED) {
    size_t files = count_files();
    wrong = 0;
    faults.slow = true;
    faults.fails = 0;
    for (size_t i = 0; i < n_steps; i++) {
        run_one(i, files);
        if (!has_right_bytes(i)) report(&steps[i], "other bytes");
    }
    faults.slow = false;
    assert_int_equal(wrong, 0);
}

/* What each step writes when nothing fails. */
static int begin(void **state PF_UNUSED) {
    char path[PATH], right[PATH];
    const char *name[MOST_FILES];
    begin_folder(folder);
    run_all(folder);
    path_in("old", "", path);
    put_bytes(path, old, sizeof old - 1);
    for (size_t i = 0; i < n_steps; i++) {
        for (size_t k = 0, n = step_files(&steps[i], true, name); k < n; k++) {
            path_in(name[k], "", path);
            path_in(name[k], ".right", right);
            if (access(path, F_OK) == 0) assert_int_equal(rename(path, right), 0);
            else put_bytes(right, old, sizeof old - 1);
        }
        put_old(&steps[i]);
    }
    path_in("failed", "", path);
    put_bytes(path, "", 0);
    path_in("failed", ".said", path);
    put_bytes(path, "", 0);
    return 0;
}

static int end(void **state PF_UNUSED) {
    end_folder(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_fails),
        cmocka_unit_test(slow_files_change_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
