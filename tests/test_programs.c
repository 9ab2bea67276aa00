/* Programs as functions: every program of the table runs twice in one process, also after a call that failed, and several run
 * at once on several threads. Their outputs are the same bytes each time, and nobody ends the process. */
#include "check.h"
#include "../bin/tool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const tool permcompile, lazyperm, permcompose, permshortest, permprint, permexpand, perminfo, permlm, permcount, permequal,
    permrandgen, permcheck, permalign, permscore, permtuples, permrules, permcover;

enum { MOST_ARGUMENTS = 16, NAME = 300 };

/* One call. In its arguments DATA is the folder of test data, "@k" the output of step k, "@NAME" one of the files below. */
typedef struct {
    const tool *program;
    const char *arguments; /* separated by blanks */
    const char *input;     /* text, or "@k" */
    int status;
} step;

static const step steps[] = {
    {&permcompile, "", "a b a c\nb a\n", 0},
    {&lazyperm, "-c ibm:2 -w monotone:0.5", "@0", 0},
    {&permcompile, "--arpa DATA/good-back-off.arpa", "", 0},
    {&permcompose, "@1 @2", "", 0},
    {&permshortest, "-n 3 -j 2", "@3", 0},
    {&permprint, "", "@4", 0},
    {&permprint, "--strings", "@4", 0},
    {&permexpand, "-j 2", "@3", 0},
    {&perminfo, "", "@3", 0},
    {&permlm, "-j 2 DATA/good-back-off.arpa", "a b\nb qqq\n\n", 0},
    {&permcount, "-c itg --table 1-12 -j 3", "", 0},
    {&permcount, "", "@3", 0},
    {&permequal, "itg none 3", "", 0},
    {&permequal, "-j 2 itg none 4", "", 1},
    {&permrandgen, "-c itg --seed 7 -n 5 9", "", 0},
    {&permrandgen, "--seed 7 -n 2", "@3", 0},
    {&permcheck, "--tightest --why -c itg", "2 4 1 3\n1 3 2\n", 1},
    {&permalign, "--invert", "0-1 1-0 2-2\n0-1 1-0\n", 0},
    {&permscore, "-r @reference", "the cat sat here\na b d c\n", 0},
    {&permtuples, "@source @target @links", "", 0},
    {&permtuples, "--unaligned ibm1 @source @target @links", "", 0},
    {&permrules, "learn --tags @tags @links", "", 0},
    {&permcompile, "", "a b c\nb a\n", 0},
    {&permrules, "apply --tags @tags @21 @22", "", 0},
    {&permcover, "--source @source --target @target @links", "", 0},
};

/* Calls that fail in different places. */
static const step failures[] = {
    {&permcompile, "--no-such-option", "", 2},
    {&permcompile, "--att", "1 2 x y z\n", 2},
    {&lazyperm, "-c nothing:1", "@0", 2},
    {&permcompose, "@0 @missing", "", 2},
    {&permshortest, "-n 0", "", 2},
    {&permprint, "", "text\n", 2},
    {&permcheck, "", "1 1\n", 2},
    {&permcount, "-c ibm:4", "", 2},
    {&permalign, "", "0-x\n", 2},
};

static const struct {
    const char *name, *text;
} files[] = {
    {"source", "a b c\nb a\n"},     {"target", "x y z\ny x\n"},        {"links", "0-1 1-0 2-2\n0-1 1-0\n"},
    {"tags", "A B C\nB A\n"},       {"reference", "the cat sat down here\na b c d\n"},
};

/* ---- one call ---- */

static void put_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

/* The argument as the program gets it. */
static void expand(const char *folder, const char *word, size_t n, char out[NAME]) {
    const char *srcdir = getenv("srcdir");
    if (n > 5 && memcmp(word, "DATA/", 5) == 0)
        snprintf(out, NAME, "%s/tests/data/%.*s", srcdir ? srcdir : ".", (int)n - 5, word + 5);
    else if (*word == '@') snprintf(out, NAME, "%s/%.*s", folder, (int)n - 1, word + 1);
    else snprintf(out, NAME, "%.*s", (int)n, word);
}

static int open_input(const char *folder, const char *input) {
    char path[NAME];
    if (*input == '@') expand(folder, input, strlen(input), path);
    else {
        snprintf(path, sizeof path, "%s/input", folder);
        put_file(path, input);
    }
    return open(path, O_RDONLY);
}

/* Runs a step; what it writes goes to FOLDER/NAME, what it says to FOLDER/NAME.said. */
static int run(const char *folder, const step *s, const char *name) {
    char argument[MOST_ARGUMENTS][NAME], *arguments[MOST_ARGUMENTS], out[NAME], said[NAME];
    int n = 0;
    for (const char *at = s->arguments; *at; n++) {
        size_t length = strcspn(at, " ");
        assert_in_range(n, 0, MOST_ARGUMENTS - 1);
        expand(folder, at, length, argument[n]);
        arguments[n] = argument[n];
        at += length + (at[length] == ' ');
    }
    snprintf(out, sizeof out, "%s/%s", folder, name);
    snprintf(said, sizeof said, "%s/%s.said", folder, name);
    tool_streams streams = {open_input(folder, s->input), open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                            open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    int status = tool_run(s->program, n, arguments, streams);
    CHECK(close(streams.in) == 0 && close(streams.out) == 0 && close(streams.err) == 0, "%s closed a stream of its caller's",
          s->program->name);
    return status;
}

static void read_file(const char *path, char **bytes, size_t *n) {
    struct stat there;
    FILE *f = fopen(path, "r");
    CHECK(f && fstat(fileno(f), &there) == 0, "%s", path);
    *n = (size_t)there.st_size;
    *bytes = malloc(*n + 1);
    assert_int_equal(fread(*bytes, 1, *n, f), *n);
    (*bytes)[*n] = 0;
    fclose(f);
}

/* ---- all of them ---- */

static void begin_folder(char folder[NAME]) {
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, NAME, "%s/permfst-programs.XXXXXX", tmp ? tmp : "/tmp");
    CHECK(mkdtemp(folder), "%s", folder);
    for (size_t i = 0; i < LENGTH(files); i++) {
        char path[2 * NAME];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        put_file(path, files[i].text);
    }
}

static void end_folder(const char *folder) {
    char command[4 * NAME + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void run_all(const char *folder) {
    for (size_t i = 0; i < LENGTH(steps); i++) {
        char name[20];
        snprintf(name, sizeof name, "%zu", i);
        int status = run(folder, &steps[i], name);
        if (status == steps[i].status) continue;
        char path[2 * NAME], *said;
        size_t n;
        snprintf(path, sizeof path, "%s/%s.said", folder, name);
        read_file(path, &said, &n);
        CHECK(false, "step %zu, %s %s: status %d, not %d: %s", i, steps[i].program->name, steps[i].arguments, status,
              steps[i].status, said);
    }
}

static void compare_outputs(const char *one, const char *other) {
    for (size_t i = 0; i < LENGTH(steps); i++) {
        char path[2 * NAME], *bytes[2];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s/%zu", k ? other : one, i);
            read_file(path, &bytes[k], &n[k]);
        }
        CHECK(n[0] > 0, "step %zu writes nothing", i);
        CHECK(n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0, "step %zu, %s %s: other bytes the second time", i,
              steps[i].program->name, steps[i].arguments);
        for (int k = 0; k < 2; k++) free(bytes[k]);
    }
}

static char first[NAME]; /* the folder of the first time */

static int run_first(void **state PF_UNUSED) {
    begin_folder(first);
    run_all(first);
    return 0;
}

static int end_first(void **state PF_UNUSED) {
    end_folder(first);
    return 0;
}

static void programs_run_twice(void **state PF_UNUSED) {
    char folder[NAME];
    begin_folder(folder);
    run_all(folder);
    compare_outputs(first, folder);
    end_folder(folder);
}

static void a_call_that_fails_leaves_nothing_behind(void **state PF_UNUSED) {
    char folder[NAME];
    begin_folder(folder);
    run_all(folder);
    for (int times = 0; times < 2; times++)
        for (size_t i = 0; i < LENGTH(failures); i++)
            CHECK(run(folder, &failures[i], "failed") == failures[i].status, "%s %s", failures[i].program->name,
                  failures[i].arguments);
    run_all(folder);
    compare_outputs(first, folder);
    end_folder(folder);
}

static void help_comes_back(void **state PF_UNUSED) {
    char path[2 * NAME], *text;
    size_t n;
    for (size_t i = 0; i < LENGTH(steps); i++) {
        assert_int_equal(run(first, &(step){steps[i].program, "--help", "", 0}, "help"), 0);
        snprintf(path, sizeof path, "%s/help", first);
        read_file(path, &text, &n);
        CHECK(n > 100 && strncmp(text, "Usage: ", 7) == 0, "%s", steps[i].program->name);
        CHECK(strstr(text, "Examples:"), "%s --help ends without examples", steps[i].program->name);
        free(text);
    }
}

enum { THREADS = 4 };

static void *run_and_compare(void *folder) {
    run_all(folder);
    return NULL;
}

static void programs_run_at_once(void **state PF_UNUSED) {
    char folder[THREADS][NAME];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        begin_folder(folder[i]);
        assert_int_equal(pthread_create(&thread[i], NULL, run_and_compare, folder[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        compare_outputs(first, folder[i]);
        end_folder(folder[i]);
    }
}

/* A program that is not in the table above is not tested: the folder of programs is asked. */
static void every_program_is_here(void **state PF_UNUSED) {
    const char *srcdir = getenv("srcdir");
    char command[2 * NAME], name[NAME];
    snprintf(command, sizeof command, "grep -ho '^TOOL_MAIN([a-z]*)' '%s'/bin/*.c | sed 's/.*(\\(.*\\))/\\1/'", srcdir ? srcdir : ".");
    FILE *list = popen(command, "r");
    assert_non_null(list);
    unsigned programs = 0;
    for (; fscanf(list, "%299s", name) == 1; programs++) {
        bool here = false;
        for (size_t i = 0; i < LENGTH(steps); i++) here = here || strcmp(steps[i].program->name, name) == 0;
        CHECK(here, "%s is not run", name);
    }
    pclose(list);
    assert_true(programs >= 17);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run_twice),
        cmocka_unit_test(a_call_that_fails_leaves_nothing_behind),
        cmocka_unit_test(programs_run_at_once),
        cmocka_unit_test(help_comes_back),
        cmocka_unit_test(every_program_is_here),
    };
    return cmocka_run_group_tests(tests, run_first, end_first);
}
