/* A session of 10,000 commands holds as much memory after the last one as after the first thousand. The programs that a session may
 * run have a test of their own (test_programs.c). */
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
    "where can i my car park ?", "search auto", "space ibm:3", "weight distance:0.1 monotone:0.7", "best 2", "certificate", "why ibm:2", "tight",
    "tree", "pipe", "kept = best 3", "show kept", "info", "info kept", "use kept", "best", "where can i my car park ?", "weight none",
    "keep my car", "wall 4", "count", "count inversions", "sample 3", "best", "wall none", "keep none", "space itg", "search chart",
    "best 2", "tree", "reference where can i park my car ?", "search levels", "beam 3", "best", "beam none", "gap 0.5", "best",
    "gap 0", "oracle where can i park my car ?", "compare ibm:2 itg 4", "take where", "take can", "step i", "back 2",
    "alternatives 2 could would", "best", "punctuation on", "best", "punctuation off", "lattice ((('a',0.5,1),('b',0.5,2),),(('c',1,1),),)",
    "best", "markup <zone> a b </zone> c <wall/> d", "count", "sweep space=ibm:1,ibm:2,none best 1", "help itg", "help", "show",
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_flat)};
    return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
