searchincludedir = $(pkgincludedir)/search
searchinclude_HEADERS = \
	include/permfst/search/best.h

library_sources += \
	fst/search/arcs.c \
	fst/search/astar.c \
	fst/search/best.c \
	fst/search/bound.c \
	fst/search/graph.c \
	fst/search/lattice.c \
	fst/search/left.c \
	fst/search/levels.c \
	fst/search/nbest.c \
	fst/search/plan.c \
	fst/search/rows.c \
	fst/search/astar.h \
	fst/search/bound.h \
	fst/search/graph.h \
	fst/search/lattice.h \
	fst/search/left.h \
	fst/search/levels.h \
	fst/search/rows.h
