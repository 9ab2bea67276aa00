/* What the Tab key offers; and: a session of 10,000 commands holds as much memory after the last one as after the first thousand.
 * The programs that a session may run have a test of their own (test_programs.c). */
#include <permfst/shell/shell.h>

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COMMANDS = 10000, ROOM = 1024, CACHED = 1 << 18 };

/* Each round begins with the same settings; some lines fail, and what a line that fails has taken must go, too. */
static const char *const lines[] = {
    "where can i my car park ?", "search auto", "space ibm:3", "weight distance:0.1 monotone:0.7", "best 2", "certificate",
    "why ibm:2", "tight", "tree", "pipe", "kept = best 3", "show kept", "info", "info kept", "use kept", "best", "pipe",
    "where can i my car park ?", "weight none",
    "keep my car", "wall 4", "count", "count inversions", "sample 3", "best", "wall none", "keep none", "space itg", "search chart",
    "best 2", "tree", "reference where can i park my car ?", "search levels", "beam 3", "best", "beam none", "gap 0.5", "best",
    "gap 0", "oracle where can i park my car ?", "compare ibm:2 itg 4", "take where", "take can", "step i", "pipe", "back 2",
    "alternatives 2 could would", "best", "punctuation on", "best", "punctuation off",
    "lattice ((('a',0.5,1),('b',0.5,2),),(('c',1,1),),)",
    "best", "markup <zone> a b </zone> c <wall/> d", "count", "sweep space=ibm:1,ibm:2,none best 1", "pipe", "help itg", "help",
    "show",
    "unique output", "best 2", "unique none", "limit 2", "best", "limit none", "time count",
    "bset", "space ibm:-1", "space ibm:2 nothing", "weight", "why", "why ibm:2 ibm:3", "lattice ((", "markup <zone> a", "keep x y",
    "use nothing", "take x", "back 99", "beam x", "compare ibm:2", "sweep space= best", "open nothing.fst", "lm nothing.arpa",
    "tuples", "score x", "cover ibm:2", "best | sort", "$nothing", "gap -1", "count x", "weight none",
};

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* Bytes that are allocated: exactly under the sanitizers. The C library counts what it keeps of small pieces for later, up to some
 * hundred kilobytes; under valgrind, which finds leaks itself, it says 0. */
static bool is_exact(void) { return __sanitizer_get_current_allocated_bytes; }
static size_t held(void) { return is_exact() ? __sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks; }

static void memory_is_flat(void **state) {
    static const size_t count = sizeof lines / sizeof *lines;
    char model[4096];
    const char *source = getenv("srcdir");
    pf_writer *out;
    pf_shell *shell;
    size_t failed = 0, answered = 0, early = 0, bytes;
    (void)state;
    assert_int_equal(pf_writer_memory(&out), PF_OK);
    assert_int_equal(pf_shell_new(&(pf_shell_options){.out = out, .people = true}, &shell), PF_OK);
    snprintf(model, sizeof model, "lm %s/examples/data/en.3gram.arpa", source ? source : ".");
    assert_int_equal(pf_shell_line(shell, model), PF_OK);
    for (size_t done = 0; done < COMMANDS || done % count; done++) {
        if (done % count == 0 && done >= COMMANDS / 10 && !early) early = held();
        failed += pf_shell_line(shell, lines[done % count]) != PF_OK;
        pf_writer_bytes(out, &bytes);
        answered += bytes > 0;
        pf_writer_clear(out);
    }
    assert_true(answered > COMMANDS / 3 && failed > COMMANDS / 5 && failed < COMMANDS / 2);
    assert_in_range(held(), 0, early + (is_exact() ? ROOM : CACHED));
    pf_shell_free(shell);
    pf_writer_free(out);
}

/* ---- completion ---- */

static const char *program_name(void *self, size_t i, const char **summary) {
    (void)self;
    *summary = "";
    return i ? NULL : "permprint";
}

static const char *program_option(void *self, const char *program, size_t i) {
    static const char *const options[] = {"strings", "svg", NULL};
    (void)self;
    return strcmp(program, "permprint") == 0 ? options[i] : NULL;
}

/* What is typed up to the key, and what is offered: all of it, or after a + what it has among others. */
static const struct {
    const char *line, *offered;
    bool files;
} typed[] = {
    {"sp", "space\n", false}, {"x = bes", "best\n", false}, {"time bes", "best\n", false}, {"x = time spa", "space\n", false},
    {"perm", "permprint\n", false}, {"", "+best\n", false},
    {"space ibm", "ibm:\n", true}, {"space ibm:2+mj", "ibm:2+mj:\n", true},
    {"space (ibm:2|inverse-l", "(ibm:2|inverse-local:\n", true},
    {"space inverse:m", "inverse:mj:\n", true}, {"x = space mj", "mj:\n", true}, {"why dist", "distortion:\n", true},
    {"weight early", "early-distance:\n", true}, {"count inv", "inversions\n", true}, {"count lex", "", true},
    {"search l", "levels\n", true}, {"unique o", "output\n", true}, {"punctuation o", "on\noff\n", true}, {"draw ", "kept\n", true},
    {"lm ", "none\n", true}, {"show k", "kept\n", true}, {"best $k", "$kept\n", true},
    {"keep p", "park\n", true}, {"step wh", "where\n", true}, {"oracle where c", "can\ncar\n", true},
    {"where can i p", "park\n", false},
    {"sentence c", "can\ncar\n", true}, {"where can i x", "", false},
    {"help trees", "", true}, {"help dist", "distortion:\ndistance:\n", true},
    {"sweep space=ibm", "space=ibm:\n", false}, {"sweep space=ibm:1,mj", "space=ibm:1,mj:\n", false},
    {"sweep -j 3 space=ibm:1 weight=non", "weight=none\n", false}, {"sweep space=ibm:1 weight=none bes", "best\n", false},
    {"sweep space=ibm:1 count inv", "inversions\n", true},
    {"permprint --s", "--strings\n--svg\n", true}, {"permprint -c mj", "mj:\n", true}, {"permprint -w inv", "inversions:\n", true},
    {"permprint sv", "", true},
};

static void words_are_completed(void **state) {
    pf_writer *out, *found;
    pf_shell *shell;
    (void)state;
    assert_int_equal(pf_writer_memory(&out), PF_OK);
    assert_int_equal(pf_writer_memory(&found), PF_OK);
    pf_shell_options how = {.out = out, .people = true, .host = {.program_name = program_name, .program_option = program_option}};
    assert_int_equal(pf_shell_new(&how, &shell), PF_OK);
    assert_int_equal(pf_shell_line(shell, "where can i my car park ?"), PF_OK);
    assert_int_equal(pf_shell_line(shell, "kept = best"), PF_OK);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        size_t begin, n;
        bool files;
        pf_writer_clear(found);
        assert_int_equal(pf_shell_complete(shell, typed[i].line, strlen(typed[i].line), &begin, &files, found), PF_OK);
        assert_int_equal(pf_writer_put(found, "", 1), PF_OK);
        const char *text = (const char *)pf_writer_bytes(found, &n), *want = typed[i].offered;
        if (*want == '+' ? !strstr(text, want + 1) : strcmp(text, want) != 0 || files != typed[i].files)
            fail_msg("'%s': expected '%s', found '%s'%s", typed[i].line, want, text, files ? " and files" : "");
        const char *blank = strrchr(typed[i].line, ' ');
        assert_int_equal(begin, blank ? blank + 1 - typed[i].line : 0);
    }
    pf_shell_free(shell);
    pf_writer_free(found);
    pf_writer_free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_completed), cmocka_unit_test(memory_is_flat)};
    return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
