/* One call of each kind, and how a call is run in a folder. */
#include "steps.h"

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16 };

const step steps[] = {
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
    {&permcompile, "--xml DATA/good-perm3.xml", "", 0},
    {&permcompile, "--markup", "a <zone> b c </zone> d\n", 0},
    {&permcompile, "--plf", "((('a',1,1),('b',2,2),),(('c',1,1),),)\n", 0},
    {&lazyperm, "-c itg+inverse-ibm:3|mj:1 -c wall:1 -w distance:0.5", "@0", 0},
    {&permshortest, "-b 4 -j 2", "@28", 0},
    {&permexpand, "", "@28", 0},
    {&permprint, "--xml", "@4", 0},
    {&permprint, "--dot", "@1", 0},
    {&permcheck, "--why -c ibm:2|mj:1 -c itg+inverse-ibm:3-none+wall:2", "4 2 1 3\n3 1 2\n", 1},
    {&permequal, "ibm:2|mj:2 (itg+ibm:3)-inverse-ibm:2 4", "", 1},
    {&permrandgen, "-c itg+ibm:3+wall:2 --seed 3 -n 3 6", "", 0},
    {&permscore, "-m nist,ribes,mwer -b 3 -r @reference", "The cat sat here\na b D c\n", 0},
    {&permscore, "--orders -m tau,spearman,footrule -b 3 -f json -r @orders", "1 2 3\n1 2\n", 0},
    {&permscore, "-a @links -s", "3 1 2\n1 2\n", 0},
};
const size_t n_steps = LENGTH(steps);

static const struct {
    const char *name, *text;
} files[] = {
    {"source", "a b c\nb a\n"},     {"target", "x y z\ny x\n"},        {"links", "0-1 1-0 2-2\n0-1 1-0\n"},
    {"tags", "A B C\nB A\n"},       {"reference", "the cat sat down here\na b c d\n"},
    {"orders", "2 1 3\n2 1\n"},
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

int run_step(const char *folder, const step *s, const char *name) {
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

void read_whole(const char *path, char **bytes, size_t *n) {
    struct stat there;
    FILE *f = fopen(path, "r");
    CHECK(f && fstat(fileno(f), &there) == 0, "%s", path);
    *n = (size_t)there.st_size;
    *bytes = malloc(*n + 1);
    assert_int_equal(fread(*bytes, 1, *n, f), *n);
    (*bytes)[*n] = 0;
    fclose(f);
}

void begin_folder(char folder[NAME]) {
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, NAME, "%s/permfst-programs.XXXXXX", tmp ? tmp : "/tmp");
    CHECK(mkdtemp(folder), "%s", folder);
    for (size_t i = 0; i < LENGTH(files); i++) {
        char path[2 * NAME];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        put_file(path, files[i].text);
    }
}

void end_folder(const char *folder) {
    char command[2 * NAME];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

void run_all(const char *folder) {
    for (size_t i = 0; i < n_steps; i++) {
        char name[20];
        snprintf(name, sizeof name, "%zu", i);
        int status = run_step(folder, &steps[i], name);
        if (status == steps[i].status) continue;
        char path[2 * NAME], *said;
        size_t n;
        snprintf(path, sizeof path, "%s/%s.said", folder, name);
        read_whole(path, &said, &n);
        CHECK(false, "step %zu, %s %s: status %d, not %d: %s", i, steps[i].program->name, steps[i].arguments, status,
              steps[i].status, said);
    }
}
