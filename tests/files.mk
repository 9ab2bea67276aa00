# Tests: C programs (cmocka), and shell scripts *.test. Exit status 77 says SKIP.

c_tests = \
	tests/test_base \
	tests/test_ngram \
	tests/test_io \
	tests/test_xml \
	tests/test_laws \
	tests/test_sizes \
	tests/test_combine \
	tests/test_weights \
	tests/test_members \
	tests/test_search \
	tests/test_answers \
	tests/test_lattice \
	tests/test_stream \
	tests/test_randgen \
	tests/test_check \
	tests/test_compose \
	tests/test_docs \
	tests/test_metric \
	tests/test_align \
	tests/test_symmetrize \
	tests/test_coverage \
	tests/test_rules \
	tests/test_rule_lattice \
	tests/test_unfold \
	tests/test_monotonize \
	tests/test_translate \
	tests/test_tuples
check_PROGRAMS =
if HAVE_CMOCKA
check_PROGRAMS += $(c_tests)
endif

test_ldadd = libcore.la $(CMOCKA_LIBS) $(GMP_LIBS)
tests_test_base_LDADD = $(test_ldadd)
tests_test_ngram_LDADD = $(test_ldadd)
tests_test_io_LDADD = $(test_ldadd)
tests_test_xml_LDADD = $(test_ldadd)
law_sources = tests/laws.c tests/laws.h tests/oracle.c tests/oracle.h
tests_test_laws_SOURCES = tests/test_laws.c $(law_sources)
tests_test_laws_LDADD = $(test_ldadd)
tests_test_sizes_SOURCES = tests/test_sizes.c $(law_sources)
tests_test_sizes_LDADD = $(test_ldadd)
tests_test_combine_SOURCES = tests/test_combine.c $(law_sources)
tests_test_combine_LDADD = $(test_ldadd)
tests_test_weights_SOURCES = tests/test_weights.c $(law_sources)
tests_test_weights_LDADD = $(test_ldadd)
tests_test_members_SOURCES = tests/test_members.c tests/itg_stacks.c tests/itg_stacks.h $(law_sources)
tests_test_members_LDADD = $(test_ldadd)
path_sources = tests/paths.c tests/paths.h
tests_test_search_SOURCES = tests/test_search.c tests/oracle.c tests/oracle.h $(path_sources)
tests_test_answers_SOURCES = tests/test_answers.c $(path_sources)
tests_test_answers_LDADD = $(test_ldadd)
tests_test_search_LDADD = $(test_ldadd)
tests_test_stream_LDADD = $(test_ldadd)
tests_test_randgen_SOURCES = tests/test_randgen.c tests/oracle.c tests/oracle.h
tests_test_randgen_LDADD = $(test_ldadd)
tests_test_check_LDADD = $(test_ldadd)
tests_test_align_LDADD = $(test_ldadd)
tests_test_symmetrize_LDADD = $(test_ldadd)
tests_test_lattice_LDADD = $(test_ldadd)
tests_test_docs_LDADD = $(test_ldadd)
tests_test_metric_LDADD = $(test_ldadd) -lm
tests_test_compose_LDADD = $(test_ldadd)
tests_test_unfold_LDADD = $(test_ldadd)
tests_test_monotonize_LDADD = $(test_ldadd)
tests_test_tuples_LDADD = $(test_ldadd)
tests_test_rules_SOURCES = tests/test_rules.c tests/rule_scan.c tests/rule_scan.h
tests_test_rules_LDADD = $(test_ldadd)
tests_test_rule_lattice_SOURCES = tests/test_rule_lattice.c tests/rule_scan.c tests/rule_scan.h
tests_test_rule_lattice_LDADD = $(test_ldadd)
tests_test_coverage_SOURCES = tests/test_coverage.c tests/oracle.c tests/oracle.h
tests_test_coverage_LDADD = $(test_ldadd)

tests_test_translate_SOURCES = tests/test_translate.c $(path_sources)
tests_test_translate_LDADD = $(test_ldadd)

TESTS = $(check_PROGRAMS)
script_tests = \
	tests/examples.test \
	tests/completion.test \
	tests/quickstart.test \
	tests/spread.test \
	tests/translate.test \
	tests/spaces.test \
	tests/includes.test \
	tests/headers.test \
	tests/exports.test \
	tests/interop.test \
	tests/phi.test \
	tests/cli/compile.test \
	tests/cli/lazyperm.test \
	tests/cli/compose.test \
	tests/cli/shortest.test \
	tests/cli/print.test \
	tests/cli/expand.test \
	tests/cli/info.test \
	tests/cli/markup.test \
	tests/cli/lattice.test \
	tests/cli/lm.test \
	tests/cli/check.test \
	tests/cli/count.test \
	tests/cli/equal.test \
	tests/cli/randgen.test \
	tests/cli/score.test \
	tests/cli/align.test \
	tests/cli/cover.test \
	tests/cli/rules.test \
	tests/cli/tuples.test \
	tests/cli/translate.test \
	tests/cli/pipeline.test \
	tests/cli/streams.test \
	tests/cli/failures.test \
	tests/cli/jobs.test \
	tests/cli/signals.test
TESTS += $(script_tests)
