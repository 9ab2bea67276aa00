/* Programs as functions: every program of the table runs twice in one process, also after a call that failed, and several run
 * at once on several threads. Their outputs are the same bytes each time, and nobody ends the process. */
#include "check.h"
#include "steps.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls that fail in different places. */
static const step failures[] = {
    {&permcompile, "--no-such-option", "", 2},
    {&permcompile, "--att", "1 2 x y z\n", 2},
    {&lazyperm, "-c nothing:1", "@sentences", 2},
    {&permcompose, "@sentences @missing", "", 2},
    {&permshortest, "-n 0", "", 2},
    {&permprint, "", "text\n", 2},
    {&permcheck, "", "1 1\n", 2},
    {&permcount, "-c ibm:4", "", 2},
    {&permalign, "", "0-x\n", 2},
};

/* ---- all of them ---- */

/* Does a step have an option, as "--name" or "-x"? */
static bool gives(const step *s, char letter, const char *name) {
    for (const char *at = s->arguments; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        size_t n = strcspn(at, " =");
        if (n == 2 && letter && at[0] == '-' && at[1] == letter) return true;
        if (n == strlen(name) + 2 && memcmp(at, "--", 2) == 0 && memcmp(at + 2, name, n - 2) == 0) return true;
    }
    return false;
}

/* Does a step write nothing to its standard output? */
static bool writes_elsewhere(const step *s) {
    return strchr(s->arguments, '%') || s->status == TOOL_TROUBLE || gives(s, 'q', "quiet") || gives(s, 0, "verify")
        || gives(s, 0, "check");
}

/* A record of --by-name, or of a table of costs, has the path of its file. */
static bool names_folder(const char *bytes, size_t n, const char *folder) { return memmem(bytes, n, folder, strlen(folder)); }

static void compare_outputs(const char *one, const char *other) {
    for (size_t i = 0; i < n_steps; i++) {
        char path[2 * NAME], *bytes[2];
        size_t n[2];
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s/%zu", k ? other : one, i);
            read_whole(path, &bytes[k], &n[k]);
        }
        CHECK(n[0] > 0 || writes_elsewhere(&steps[i]), "step %zu writes nothing", i);
        CHECK(names_folder(bytes[0], n[0], one) || (n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0),
              "step %zu, %s %s: other bytes the second time", i, steps[i].program->name, steps[i].arguments);
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
            CHECK(run_step(folder, &failures[i], "failed") == failures[i].status, "%s %s", failures[i].program->name,
                  failures[i].arguments);
    run_all(folder);
    compare_outputs(first, folder);
    end_folder(folder);
}

static void help_comes_back(void **state PF_UNUSED) {
    char path[2 * NAME], *text;
    size_t n;
    for (size_t i = 0; i < n_steps; i++) {
        assert_int_equal(run_step(first, &(step){steps[i].program, "--help", "", 0}, "help"), 0);
        snprintf(path, sizeof path, "%s/help", first);
        read_whole(path, &text, &n);
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

static bool is_first(size_t i) {
    for (size_t k = 0; k < i; k++)
        if (steps[k].program == steps[i].program) return false;
    return true;
}

/* An option that no step gives is not tested under faults and damage. The page of a program lists the same rows. */
static void every_option_is_here(void **state PF_UNUSED) {
    unsigned missing = 0;
    for (size_t i = 0; i < n_steps; i++) {
        const tool *program = steps[i].program;
        for (const tool_option *o = program->options; o->kind && is_first(i); o++) {
            bool here = o->kind == TOOL_GROUP;
            for (size_t k = 0; k < n_steps && !here; k++)
                here = steps[k].program == program && gives(&steps[k], o->letter, o->name);
            if (!here) print_error("no step has %s --%s: tests/steps.c needs one\n", program->name, o->name);
            missing += !here;
        }
    }
    assert_int_equal(missing, 0);
}

/* A program that is not in the table of steps is not tested. So the folder of programs has those of the table, and no others. */
static void every_program_is_here(void **state PF_UNUSED) {
    const char *srcdir = getenv("srcdir");
    char command[4 * NAME], name[NAME];
    snprintf(command, sizeof command, "grep -ho '^TOOL_MAIN([a-z]*)' '%s'/bin/*.c | sed 's/.*(\\(.*\\))/\\1/'",
             srcdir ? srcdir : ".");
    FILE *list = popen(command, "r");
    assert_non_null(list);
    unsigned programs = 0, in_table = 0;
    for (; fscanf(list, "%299s", name) == 1; programs++) {
        bool here = false;
        for (size_t i = 0; i < n_steps; i++) here = here || strcmp(steps[i].program->name, name) == 0;
        CHECK(here, "%s is not run", name);
    }
    pclose(list);
    for (size_t i = 0; i < n_steps; i++) in_table += is_first(i);
    assert_int_equal(programs, in_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run_twice),
        cmocka_unit_test(a_call_that_fails_leaves_nothing_behind),
        cmocka_unit_test(programs_run_at_once),
        cmocka_unit_test(help_comes_back),
        cmocka_unit_test(every_program_is_here),
        cmocka_unit_test(every_option_is_here),
    };
    return cmocka_run_group_tests(tests, run_first, end_first);
}
