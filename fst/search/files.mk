search_headers = \
	fst/search/best.h

library_sources += \
	fst/search/arcs.c \
	fst/search/best.c \
	fst/search/bound.c \
	fst/search/graph.c \
	fst/search/levels.c \
	fst/search/nbest.c \
	fst/search/rows.c

public_headers += $(search_headers)
private_headers += \
	fst/search/graph.h fst/search/rows.h
