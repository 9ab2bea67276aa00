coverageincludedir = $(pkgincludedir)/coverage
coverageinclude_HEADERS = \
	include/permfst/coverage/corpus.h \
	include/permfst/coverage/coverage.h \
	include/permfst/coverage/table.h

library_sources += \
	fst/coverage/block.c \
	fst/coverage/corpus.c \
	fst/coverage/coverage.c \
	fst/coverage/displacement.c \
	fst/coverage/distortion.c \
	fst/coverage/interval.c \
	fst/coverage/itg.c \
	fst/coverage/lattice.c \
	fst/coverage/marks.c \
	fst/coverage/monotone.c \
	fst/coverage/search.c \
	fst/coverage/svg.c \
	fst/coverage/table.c \
	fst/coverage/text.c \
	fst/coverage/why.c \
	fst/coverage/window.c \
	fst/coverage/coverage_impl.h
