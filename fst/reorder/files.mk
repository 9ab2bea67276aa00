reorder_headers = \
	fst/reorder/align_io.h \
	fst/reorder/align_score.h \
	fst/reorder/alignment.h \
	fst/reorder/ibm1.h \
	fst/reorder/monotonize.h \
	fst/reorder/lexicon.h \
	fst/reorder/coverage.h \
	fst/reorder/coverage_table.h \
	fst/reorder/parallel.h \
	fst/reorder/reordering.h \
	fst/reorder/rule_lattice.h \
	fst/reorder/rule_map.h \
	fst/reorder/rules.h \
	fst/reorder/symmetrize.h \
	fst/reorder/tuples.h \
	fst/reorder/tuples_write.h \
	fst/reorder/unfold.h \
	fst/reorder/words.h

library_sources += \
	fst/reorder/align_a3.c \
	fst/reorder/align_line.c \
	fst/reorder/align_naacl.c \
	fst/reorder/align_read.c \
	fst/reorder/align_score.c \
	fst/reorder/align_write.c \
	fst/reorder/alignment.c \
	fst/reorder/costs.c \
	fst/reorder/ibm1.c \
	fst/reorder/monotonize.c \
	fst/reorder/lexicon.c \
	fst/reorder/coverage.c \
	fst/reorder/coverage_block.c \
	fst/reorder/coverage_displacement.c \
	fst/reorder/coverage_distortion.c \
	fst/reorder/coverage_interval.c \
	fst/reorder/coverage_itg.c \
	fst/reorder/coverage_lattice.c \
	fst/reorder/coverage_monotone.c \
	fst/reorder/coverage_search.c \
	fst/reorder/coverage_svg.c \
	fst/reorder/coverage_table.c \
	fst/reorder/coverage_text.c \
	fst/reorder/coverage_why.c \
	fst/reorder/coverage_window.c \
	fst/reorder/parallel.c \
	fst/reorder/reordering.c \
	fst/reorder/rule_lattice.c \
	fst/reorder/rule_lattice_add.c \
	fst/reorder/rule_lattice_fst.c \
	fst/reorder/rule_map.c \
	fst/reorder/rule_reduce.c \
	fst/reorder/rules.c \
	fst/reorder/rules_index.c \
	fst/reorder/rules_learn.c \
	fst/reorder/rules_read.c \
	fst/reorder/rules_write.c \
	fst/reorder/symmetrize.c \
	fst/reorder/tuples.c \
	fst/reorder/tuples_write.c \
	fst/reorder/unfold.c \
	fst/reorder/words.c

private_headers += \
	fst/reorder/align_impl.h \
	fst/reorder/coverage_impl.h \
	fst/reorder/lattice_impl.h \
	fst/reorder/rules_impl.h
