# Tests: C programs (cmocka), and shell scripts *.test. Exit status 77 says SKIP.

c_tests = \
	tests/test_memory \
	tests/test_chart \
	tests/test_chart_inputs \
	tests/test_damage \
	tests/test_translate \
	tests/test_laws \
	tests/test_faults \
	tests/test_moves \
	tests/test_weights \
	tests/test_arrange \
	tests/test_chart_brute \
	tests/test_coverage \
	tests/test_xml \
	tests/test_ngram \
	tests/test_answers \
	tests/test_search \
	tests/test_base \
	tests/test_options \
	tests/test_programs \
	tests/test_workers \
	tests/test_io \
	tests/test_sentence \
	tests/test_sizes \
	tests/test_combine \
	tests/test_members \
	tests/test_products \
	tests/test_grid_rows \
	tests/test_lattice \
	tests/test_stream \
	tests/test_frames \
	tests/test_verbs \
	tests/test_randgen \
	tests/test_check \
	tests/test_compose \
	tests/test_docs \
	tests/test_draw \
	tests/test_metric \
	tests/test_orders \
	tests/test_oracle \
	tests/test_oracle_spaces \
	tests/test_oracle_table \
	tests/test_align \
	tests/test_symmetrize \
	tests/test_rules \
	tests/test_rule_lattice \
	tests/test_unfold \
	tests/test_monotonize \
	tests/test_backoff \
	tests/test_routes \
	tests/test_potentials \
	tests/test_completions \
	tests/test_passes \
	tests/test_shell \
	tests/test_tuples \
	tests/test_train \
	tests/test_learn \
	tests/test_level \
	tests/test_tune
check_PROGRAMS =
if HAVE_CMOCKA
check_PROGRAMS += $(c_tests)
more_tests = $(c_tests)
endif

# Files that the tests share; each test links those that it uses.
check_LIBRARIES = tests/libtest.a
tests_libtest_a_SOURCES = \
	tests/check.h tests/draw.h tests/known.h \
	tests/itg_stacks.c tests/itg_stacks.h \
	tests/laws.c tests/laws.h \
	tests/machines.c tests/machines.h \
	tests/oracle.c tests/oracle.h \
	tests/paths.c tests/paths.h \
	tests/piece.c tests/piece.h \
	tests/potentials.h tests/values.h \
	tests/rule_scan.c tests/rule_scan.h

# What the table's calls read, for the fuzzer's seeds.
if HAVE_CMOCKA
check_PROGRAMS += tests/step_files
endif
tests_step_files_LDADD = $(called)

# Types to permsh; it needs no library.
check_PROGRAMS += tests/terminal
tests_terminal_LDADD =

# The fuzzer's target with a main that replays seeds; it needs no cmocka and is no test by itself.
check_PROGRAMS += tests/fuzz_replay
tests_fuzz_replay_SOURCES = \
	tests/fuzz/fuzz.h \
	tests/fuzz/fuzz_replay.c \
	tests/fuzz/fuzz_readers.c \
	tests/fuzz/fuzz_learners.c \
	tests/fuzz/fuzz_searches.c \
	tests/fuzz/fuzz_spaces.c

$(check_PROGRAMS): tests/libtest.a libtool.la libcore.la
$(check_PROGRAMS): LDADD = tests/libtest.a libcore.la $(CMOCKA_LIBS) $(GMP_LIBS) $(EDIT_LIBS) -lm

# A test is compiled as often as it runs, and -O2 takes longer than it saves: most of a test's time is the library's. What tests
# share runs often.
test_objects = $(c_tests:=.$(OBJEXT))
$(test_objects): CFLAGS := $(CFLAGS:-O2=-O0)

# The schema of XML, by libxml2.
tests_test_xml_LDADD = $(LDADD) $(XML_LIBS)

# Tables of options, of two programs of the test's own.
tests_test_options_LDADD = libtool.la $(LDADD)

# Programs as functions, and a table of calls. permsh has the others without main; its own file is compiled again without it.
check_LIBRARIES += tests/libsteps.a
tests_libsteps_a_SOURCES = tests/steps.c tests/steps.h bin/permsh.c $(shell_sources)
tests_libsteps_a_CPPFLAGS = $(AM_CPPFLAGS) $(EDIT_CFLAGS) -DTOOL_NO_MAIN
step_tests = tests/test_programs tests/test_frames tests/test_memory tests/test_faults tests/test_damage tests/step_files
$(step_tests): tests/libsteps.a libprograms.la
called = tests/libsteps.a libprograms.la libtool.la $(LDADD) $(ZLIB_LIBS)
tests_test_programs_LDADD = $(called)

# Programs that read damaged streams.
tests_test_frames_LDADD = $(called)

# The same calls, while allocations fail: those of the project's own files, which the linker turns to the test.
tests_test_memory_LDADD = $(called) $(XML_LIBS)
tests_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free,--wrap=fsync

# The same calls, while reads, writes and the other calls of the system about files fail.
tests_test_faults_LDADD = $(called)
tests_test_faults_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=open,--wrap=read,--wrap=write,--wrap=fsync,--wrap=close,--wrap=rename,--wrap=stat,--wrap=fstat

# The same calls, with damaged input: how much memory they ask for is seen.
tests_test_damage_LDADD = $(called)
tests_test_damage_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=fsync

# The longest tests come first, so that two jobs end together: scripts that take more than three seconds or wait (slurm.test waits
# longest, and phi.test compiles its peer once), then the C programs, then the other scripts; in each list those that take more than
# two seconds, the longest first.
long_tests = \
	tests/slurm.test \
	tests/cli/signals.test \
	tests/interop.test \
	tests/fuzz.test \
	tests/trees.test \
	tests/install.test \
	tests/translate.test \
	tests/cli/oracles.test \
	tests/cli/tree.test \
	tests/cli/rules.test \
	tests/cli/shell.test \
	tests/cli/shortest.test \
	tests/phi.test \
	tests/spaces.test \
	tests/examples.test \
	tests/headers.test \
	tests/cli/tuples.test \
	tests/itg.test \
	tests/cli/terminal.test
script_tests = \
	tests/cli/jobs.test \
	tests/cli/failures.test \
	tests/cli/learn.test \
	tests/cli/randgen.test \
	tests/cli/train.test \
	tests/cli/lattice.test \
	tests/includes.test \
	tests/cli/damage.test \
	tests/cli/score.test \
	tests/cli/streams.test \
	tests/orders.test \
	tests/cli/print.test \
	tests/cli/lm.test \
	tests/spread.test \
	tests/cli/markup.test \
	tests/cli/check.test \
	tests/cli/cover.test \
	tests/cli/formats.test \
	tests/completion.test \
	tests/pages.test \
	tests/quickstart.test \
	tests/preorder.test \
	tests/names.test \
	tests/callers.test \
	tests/columns.test \
	tests/programs.test \
	tests/exports.test \
	tests/statics.test \
	tests/cli/compile.test \
	tests/cli/gather.test \
	tests/cli/hints.test \
	tests/cli/lazyperm.test \
	tests/cli/compose.test \
	tests/cli/draw.test \
	tests/cli/expand.test \
	tests/cli/info.test \
	tests/cli/count.test \
	tests/cli/equal.test \
	tests/cli/align.test \
	tests/cli/tune.test \
	tests/cli/translate.test \
	tests/cli/pipeline.test
TESTS = $(long_tests) $(more_tests) $(script_tests)
