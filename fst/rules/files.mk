rulesincludedir = $(pkgincludedir)/rules
rulesinclude_HEADERS = \
	include/permfst/rules/annotated.h \
	include/permfst/rules/apply.h \
	include/permfst/rules/lattice.h \
	include/permfst/rules/lexicon.h \
	include/permfst/rules/map.h \
	include/permfst/rules/reordering.h \
	include/permfst/rules/ruled.h \
	include/permfst/rules/rules.h \
	include/permfst/rules/tagged.h

library_sources += \
	fst/rules/annotated.c \
	fst/rules/apply.c \
	fst/rules/figures.c \
	fst/rules/index.c \
	fst/rules/lattice.c \
	fst/rules/lattice_add.c \
	fst/rules/lattice_fst.c \
	fst/rules/learn.c \
	fst/rules/lexicon.c \
	fst/rules/map.c \
	fst/rules/read.c \
	fst/rules/reduce.c \
	fst/rules/reordering.c \
	fst/rules/ruled.c \
	fst/rules/rules.c \
	fst/rules/tagged.c \
	fst/rules/write.c \
	fst/rules/rule_lattice_impl.h \
	fst/rules/rules_impl.h
