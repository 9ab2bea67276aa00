alignincludedir = $(pkgincludedir)/align
aligninclude_HEADERS = \
	include/permfst/align/alignment.h \
	include/permfst/align/convert.h \
	include/permfst/align/draw.h \
	include/permfst/align/evaluate.h \
	include/permfst/align/format.h \
	include/permfst/align/parallel.h \
	include/permfst/align/symmetrize.h \
	include/permfst/align/words.h

library_sources += \
	fst/align/a3.c \
	fst/align/alignment.c \
	fst/align/convert.c \
	fst/align/draw.c \
	fst/align/evaluate.c \
	fst/align/line.c \
	fst/align/naacl.c \
	fst/align/parallel.c \
	fst/align/read.c \
	fst/align/symmetrize.c \
	fst/align/words.c \
	fst/align/write.c \
	fst/align/align_impl.h \
	fst/align/sound.h
