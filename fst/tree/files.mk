treeincludedir = $(pkgincludedir)/tree
treeinclude_HEADERS = \
	include/permfst/tree/draw.h \
	include/permfst/tree/heads.h \
	include/permfst/tree/reorder.h \
	include/permfst/tree/sentence.h \
	include/permfst/tree/totals.h \
	include/permfst/tree/tree.h \
	include/permfst/tree/treebank.h \
	include/permfst/tree/write.h

library_sources += \
	fst/tree/alpino.c \
	fst/tree/alpino_impl.h \
	fst/tree/alpino_tree.c \
	fst/tree/arrange.c \
	fst/tree/arrange.h \
	fst/tree/collins.c \
	fst/tree/conllu.c \
	fst/tree/conllu_write.c \
	fst/tree/documents.c \
	fst/tree/documents.h \
	fst/tree/draw.c \
	fst/tree/draw_impl.h \
	fst/tree/draw_svg.c \
	fst/tree/draw_text.c \
	fst/tree/heads.c \
	fst/tree/order.c \
	fst/tree/reorder.c \
	fst/tree/reorder_impl.h \
	fst/tree/sentence.c \
	fst/tree/sides.c \
	fst/tree/sides.h \
	fst/tree/split.c \
	fst/tree/split.h \
	fst/tree/totals.c \
	fst/tree/tree.c \
	fst/tree/tree_impl.h \
	fst/tree/treebank.c \
	fst/tree/write.c
