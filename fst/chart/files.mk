chartincludedir = $(pkgincludedir)/chart
chartinclude_HEADERS = \
	include/permfst/chart/best.h \
	include/permfst/chart/count.h \
	include/permfst/chart/spans.h \
	include/permfst/chart/tree.h

library_sources += \
	fst/chart/best.c \
	fst/chart/count.c \
	fst/chart/derive.c \
	fst/chart/lattice.c \
	fst/chart/first_pairs.c \
	fst/chart/forest.c \
	fst/chart/grid_rows.c \
	fst/chart/narrow.c \
	fst/chart/orders.c \
	fst/chart/outside.c \
	fst/chart/pass.c \
	fst/chart/products.c \
	fst/chart/shape.c \
	fst/chart/spans.c \
	fst/chart/least_tree.c \
	fst/chart/lists.c \
	fst/chart/nodes.c \
	fst/chart/leaves.c \
	fst/chart/tree.c \
	fst/chart/tree_codes.c \
	fst/chart/tree_draw.c \
	fst/chart/tree_impl.h \
	fst/chart/pieces.c \
	fst/chart/places.c \
	fst/chart/derive.h \
	fst/chart/first_pairs.h \
	fst/chart/forest.h \
	fst/chart/grid_rows.h \
	fst/chart/lattice.h \
	fst/chart/least_tree.h \
	fst/chart/leaves.h \
	fst/chart/orders.h \
	fst/chart/outside.h \
	fst/chart/pass.h \
	fst/chart/pass_impl.h \
	fst/chart/products.h \
	fst/chart/shape.h \
	fst/chart/pieces.h
