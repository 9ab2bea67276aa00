/* Tables of options: what a table says of forms, groups and relations is what calls are refused for, and what --help and the table
 * for the man page print. The two programs below have no other purpose. */
#include "check.h"
#include "../bin/tool.h"

#include <stdio.h>
#include <string.h>

/* ---- two programs: their exit status is 10 and the place of the form ---- */

typedef struct {
    tool_common common;
    bool flag, grouped, long_name, alone, gilded;
    int choice, kind, tint;
    tool_choices several, unset;
    tool_reals reals;
    const char *table, *file;
    uint64_t number;
    double share, rate;
    tool_specs names;
} option_values;

#define AT(FIELD) offsetof(option_values, FIELD)
static const char *const colours[] = {"red", "green", "blue", NULL};

enum { FILES, LENGTH_OF, TABLE_OF }; /* forms of `plain` */

static const tool_option plain_rows[] = {
    TOOL_GROUP_OF("First"),
    {'f', "flag", TOOL_FLAG, AT(flag), .help = "be flagged"},
    {'n', "number", TOOL_NUMBER, AT(number), "N", .max = 9, .needs = "flag choice=green", .help = "a number"},
    {'s', "share", TOOL_REAL, AT(share), "X", .max = 1, .open = true, .excludes = "names+!flag", .help = "a share"},
    {0, "rate", TOOL_REAL, AT(rate), "X", .least = 0.25, .help = "a rate"},
    {0, "names", TOOL_SPECS, AT(names), "NAME", .excludes = "names>1+rate FILE>2", .help = "a name"},
    {0, "unset", TOOL_CHOICES, AT(unset), "LIST", .words = colours, .excludes = "unset=red|blue+choice=green|blue",
     .help = "colours"},
    {0, "gilded", TOOL_FLAG, AT(gilded), .needs = "unset=blue", .help = "be gilded"},
    {0, "choice", TOOL_CHOICE, AT(choice), "COLOUR", .words = colours, .excludes = "alone", .help = "a colour [red]"},
    {0, "several", TOOL_CHOICES, AT(several), "LIST", .words = colours, .help = "colours [red,blue]"},
    {0, "alone", TOOL_FLAG, AT(alone), .help = "be alone"},
    {0, "table", TOOL_TEXT, AT(table), "RANGE", .forms = TOOL_IN(TABLE_OF), .help = "a table"},
    {.kind = TOOL_GROUP, .needs = "several=blue", .excludes = "alone", .help = "With blue"},
    {'g', "grouped", TOOL_FLAG, AT(grouped), .excludes = "flag", .help = "be grouped"},
    {0, "grouped-with-a-long-name", TOOL_FLAG, AT(long_name), .help = "be long"},
    TOOL_GROUP_OF("In one form"),
    {0, "one", TOOL_SELECT, AT(kind), .min = 1, .help = "be one"},
    {0, "tint", TOOL_CHOICE, AT(tint), "COLOUR", .words = colours, .excludes = "one alone", .help = "be tinted"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(LENGTH_OF) | TOOL_IN(TABLE_OF), .help = "With lengths"},
    {0, "reals", TOOL_REALS, AT(reals), "X", .help = "numbers"},
    {0},
};

enum { LEARN, LEARN_ALONE, APPLY }; /* forms of `commanded` */

static const tool_option commanded_rows[] = {
    {.kind = TOOL_GROUP, .forms = TOOL_IN(LEARN) | TOOL_IN(LEARN_ALONE), .help = "With learn"},
    {'f', "flag", TOOL_FLAG, AT(flag), .help = "be flagged"},
    {0, "file", TOOL_FILE, AT(file), "FILE", .forms = TOOL_IN(LEARN), .help = "a file"},
    {0, "alone", TOOL_FLAG, AT(alone), .forms = TOOL_IN(LEARN_ALONE), .help = "be alone"},
    {.kind = TOOL_GROUP, .forms = TOOL_IN(APPLY), .help = "With apply"},
    {'g', "grouped", TOOL_FLAG, AT(grouped), .help = "be grouped"},
    TOOL_GROUP_OF("With both"),
    {'t', "twice", TOOL_SPECS, AT(names), "NAME", .excludes = "twice>1+learn", .help = "a name"},
    {0},
};

static int say_form(tool_call *call) { return 10 + tool_form(call); }

static const tool plain = {
    .name = "plain",
    .summary = "Have options",
    .forms = {"[FILE...]", "LENGTH", "--table=RANGE"},
    .options = plain_rows,
    .size = sizeof(option_values),
    .defaults = &(const option_values){.several = {{0, 2}, 2}},
    .run = say_form,
    .examples = {"plain --flag", "plain 3"},
};

static const tool commanded = {
    .name = "commanded",
    .summary = "Have commands",
    .forms = {"learn --flag|--file=FILE RULES", "learn --alone", "apply RULES [FILE...]"},
    .options = commanded_rows,
    .size = sizeof(option_values),
    .run = say_form,
    .examples = {"commanded learn --flag x", "commanded apply x"},
};

/* ---- a call: its status, and what it has said or printed ---- */

static char said[20000];

static int call(const tool *program, const char *arguments) {
    char words[300];
    const char *argument[20];
    int n = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    snprintf(words, sizeof words, "%s", arguments);
    for (char *at = strtok(words, " "); at; at = strtok(NULL, " ")) argument[n++] = at;
    int status = tool_run(program, n, argument, (tool_streams){0, fileno(file), fileno(file)});
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    return status;
}

/* The status is 10 and the place of the form, or 2 with these words. */
static const struct {
    const tool *program;
    const char *arguments;
    int status;
    const char *words;
} calls[] = {
    {&plain, "", 10 + FILES, ""},
    {&plain, "a b c", 10 + FILES, ""},
    {&plain, "12", 10 + LENGTH_OF, ""},
    {&plain, "./12", 10 + FILES, ""},
    {&plain, "--table=1-2", 10 + TABLE_OF, ""},
    {&plain, "12 13", 2, "plain: expected 'LENGTH'\n"},
    {&plain, "12 a", 2, "expected 'LENGTH'\n"},
    {&plain, "--table=1-2 12", 2, "--table goes with '--table=RANGE', not with 'LENGTH'\n"},
    {&plain, "--reals=1 a", 2, "--reals goes with 'LENGTH' or '--table=RANGE', not with '[FILE...]'\n"},
    {&plain, "--reals=1,2 12", 10 + LENGTH_OF, ""},
    {&plain, "-n 3", 2, "--number needs --flag or --choice=green\n"},
    {&plain, "-n 3 --choice=red", 2, "--number needs"},
    {&plain, "-n 3 --choice=green", 10 + FILES, ""},
    {&plain, "-n 3 -f", 10 + FILES, ""},
    {&plain, "--choice=blue --alone", 2, "--choice and --alone do not go together\n"},
    {&plain, "--choice=pink", 2, "--choice: expected red, green or blue, found 'pink'\n"},
    {&plain, "-g", 10 + FILES, ""}, /* blue by default */
    {&plain, "-g --several=green,blue", 10 + FILES, ""},
    {&plain, "-g --several=green", 2, "--grouped needs --several=blue\n"},
    {&plain, "-g --alone", 2, "--grouped and --alone do not go together\n"},
    {&plain, "--tint=red --one", 2, "--tint and --one do not go together\n"},
    {&plain, "-g -f", 2, "--grouped and --flag do not go together\n"},
    {&plain, "--several=red,pink", 2, "--several: expected red, green or blue, found 'pink'\n"},
    {&plain, "--several=red,", 2, "found ''\n"},
    {&plain, "--several=red,green,red", 2, "--several names red twice\n"},
    {&plain, "--several=red --several=red", 10 + FILES, ""},
    {&plain, "-s .5", 10 + FILES, ""},
    {&plain, "-s 0", 2, "--share: expected a number above 0 and below 1, found '0'\n"},
    {&plain, "-s 1", 2, "--share: expected a number above 0 and below 1, found '1'\n"},
    {&plain, "-s nan", 2, "--share: expected a number above 0 and below 1, found 'nan'\n"},
    {&plain, "--rate=.25", 10 + FILES, ""},
    {&plain, "--rate=.2", 2, "--rate: expected a number of at least 0.25, found '.2'\n"},
    {&plain, "--rate=inf", 2, "--rate: expected a number of at least 0.25, found 'inf'\n"},
    {&plain, "-s .5 --names=a", 2, "--share and --names without --flag do not go together\n"},
    {&plain, "-s .5 --names=a -f", 10 + FILES, ""},
    {&plain, "--names=a --rate=1", 10 + FILES, ""},
    {&plain, "--names=a --names=b", 10 + FILES, ""},
    {&plain, "--names=a --names=b --rate=1", 2, "several --names and --rate do not go together\n"},
    {&plain, "--names=a b c", 10 + FILES, ""},
    {&plain, "--names=a b c d", 2, "--names and more than 2 FILE do not go together\n"},
    {&plain, "--unset=red --choice=red", 10 + FILES, ""},
    {&plain, "--unset=green --choice=blue", 10 + FILES, ""},
    {&plain, "--unset=green,red --choice=blue", 2, "--unset=red|blue and --choice=green|blue do not go together\n"},
    {&plain, "--gilded", 10 + FILES, ""},
    {&plain, "--gilded --unset=red", 2, "--gilded needs --unset=blue\n"},
    {&commanded, "apply --twice=a --twice=b x", 10 + APPLY, ""},
    {&commanded, "learn --twice=a --flag x", 10 + LEARN, ""},
    {&commanded, "learn --twice=a --twice=b --flag x", 2, "several --twice and learn do not go together\n"},
    {&commanded, "", 2, "expected learn or apply\n"},
    {&commanded, "lear", 2, "expected learn or apply, found 'lear'\n"},
    {&commanded, "learn x", 2, "expected --flag|--file=FILE, as in 'learn --flag|--file=FILE RULES'\n"},
    {&commanded, "learn -f x", 10 + LEARN, ""},
    {&commanded, "learn --file=y x", 10 + LEARN, ""},
    {&commanded, "learn -f x y", 2, "expected 'learn --flag|--file=FILE RULES' or 'learn --alone'\n"},
    {&commanded, "learn --alone", 10 + LEARN_ALONE, ""},
    {&commanded, "learn --alone --file=y", 2, "--file goes with 'learn --flag|--file=FILE RULES', not with 'learn --alone'\n"},
    {&commanded, "learn -f -g x", 2, "--grouped goes with apply, not with learn\n"},
    {&commanded, "apply -f x", 2, "--flag goes with learn, not with apply\n"},
    {&commanded, "apply", 2, "expected 'apply RULES [FILE...]'\n"},
    {&commanded, "apply x y z", 10 + APPLY, ""},
};

static void calls_are_refused_for_what_tables_say(void **state PF_UNUSED) {
    for (size_t i = 0; i < LENGTH(calls); i++) {
        int status = call(calls[i].program, calls[i].arguments);
        CHECK(status == calls[i].status, "%s %s: status %d: %s", calls[i].program->name, calls[i].arguments, status, said);
        CHECK(strstr(said, calls[i].words), "%s %s: %s", calls[i].program->name, calls[i].arguments, said);
        CHECK(status != 2 || strstr(said, calls[i].program->name) == said, "%s", said);
    }
}

/* ---- --help ---- */

static void help_prints_what_tables_say(void **state PF_UNUSED) {
    assert_int_equal(call(&plain, "--help"), 0);
    assert_string_equal(said,
                        "Usage: plain [OPTION...] [FILE...]\n"
                        "   or: plain [OPTION...] LENGTH\n"
                        "   or: plain [OPTION...] --table=RANGE\n"
                        "Have options.\n"
                        "\n"
                        "First:\n"
                        "  -f, --flag              be flagged\n"
                        "  -n, --number N          a number (with -f or --choice=green)\n"
                        "  -s, --share X           a share (not --names without -f; above 0 and below 1)\n"
                        "      --rate=X            a rate (of at least 0.25)\n"
                        "      --names=NAME        a name (not several with --rate or more than 2 FILE)\n"
                        "      --unset=LIST        colours (not red|blue with --choice=green|blue)\n"
                        "      --gilded            be gilded (with --unset=blue)\n"
                        "      --choice=COLOUR     a colour [red] (not --alone)\n"
                        "      --several=LIST      colours [red,blue]\n"
                        "      --alone             be alone\n"
                        "      --table=RANGE       a table\n"
                        "With blue:\n"
                        "  -g, --grouped           be grouped (not -f)\n"
                        "      --grouped-with-a-long-name  be long\n"
                        "\n"
                        "In one form:\n"
                        "      --one               be one\n"
                        "      --tint=COLOUR       be tinted (not --alone)\n"
                        "\n"
                        "With lengths:\n"
                        "      --reals=X           numbers\n"
                        "\n"
                        "Every program: -h, --help; -V, --version; --no-progress; --no-sync (permfst(7))\n"
                        "Exit status: 0 success, 1 the answer is no, 2 trouble. See man plain\n"
                        "\n"
                        "Examples:\n"
                        "  plain --flag\n"
                        "  plain 3\n");
}

static void help_of_a_command_has_its_options_only(void **state PF_UNUSED) {
    assert_int_equal(call(&commanded, "apply --help"), 0);
    CHECK(strstr(said, "Usage: commanded [OPTION...] apply RULES [FILE...]\nHave commands.\n") == said, "%s", said);
    CHECK(strstr(said, "--grouped") && !strstr(said, "--file") && !strstr(said, "With learn"), "%s", said);
    assert_int_equal(call(&commanded, "--help"), 0);
    CHECK(strstr(said, "--grouped") && strstr(said, "--file") && strstr(said, "commanded learn --help"), "%s", said);
}

/* ---- a call within a piece of another one's work ---- */

static int say_at_once(tool_call *call) {
    tool_say(call, "at once");
    return TOOL_DONE;
}

static const tool inner = {.name = "inner", .summary = "Say it", .forms = {"[FILE...]"}, .options = commanded_rows,
                           .size = sizeof(option_values), .run = say_at_once};

static int say_around(tool_call *call) {
    pf_writer *collected;
    assert_int_equal(pf_writer_memory(&collected), PF_OK);
    tool_say_into(call, collected);
    tool_say(call, "first");
    int status = tool_run(&inner, 0, NULL, *tool_streams_of(call));
    tool_say(call, "second");
    tool_say_into(call, NULL);
    tool_said(call, collected);
    pf_writer_free(collected);
    return status;
}

static const tool outer = {.name = "outer", .summary = "Have it said", .forms = {"[FILE...]"}, .options = commanded_rows,
                           .size = sizeof(option_values), .run = say_around};

static void calls_keep_their_own_words(void **state PF_UNUSED) {
    assert_int_equal(call(&outer, ""), TOOL_DONE);
    assert_string_equal(said, "inner: at once\nouter: first\nouter: second\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_keep_their_own_words),
        cmocka_unit_test(calls_are_refused_for_what_tables_say),
        cmocka_unit_test(help_prints_what_tables_say),
        cmocka_unit_test(help_of_a_command_has_its_options_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
