oracleincludedir = $(pkgincludedir)/oracle
oracleinclude_HEADERS = \
	include/permfst/oracle/additive.h \
	include/permfst/oracle/bleu.h \
	include/permfst/oracle/corpus.h \
	include/permfst/oracle/counts.h \
	include/permfst/oracle/record.h \
	include/permfst/oracle/references.h \
	include/permfst/oracle/searcher.h \
	include/permfst/oracle/table.h

library_sources += \
	fst/oracle/additive.c \
	fst/oracle/bleu.c \
	fst/oracle/corpus.c \
	fst/oracle/counts.c \
	fst/oracle/edit_beam.c \
	fst/oracle/edit_ties.c \
	fst/oracle/edits.c \
	fst/oracle/greedy.c \
	fst/oracle/inside.c \
	fst/oracle/itg.c \
	fst/oracle/itg_edits.c \
	fst/oracle/limited.c \
	fst/oracle/itg_impl.h \
	fst/oracle/pareto.c \
	fst/oracle/record.c \
	fst/oracle/references.c \
	fst/oracle/reweighed.c \
	fst/oracle/scores.c \
	fst/oracle/product.c \
	fst/oracle/seam.c \
	fst/oracle/searcher.c \
	fst/oracle/sentence.c \
	fst/oracle/table.c \
	fst/oracle/oracle_impl.h
