base_headers = \
	fst/base/arena.h \
	fst/base/cover.h \
	fst/base/digits.h \
	fst/base/err.h \
	fst/base/hash.h \
	fst/base/heap.h \
	fst/base/params.h \
	fst/base/reader.h \
	fst/base/statetab.h \
	fst/base/vec.h \
	fst/base/word.h \
	fst/base/writer.h

library_sources += \
	fst/base/arena.c \
	fst/base/err.c \
	fst/base/heap.c \
	fst/base/params.c \
	fst/base/reader.c \
	fst/base/statetab.c \
	fst/base/vec.c \
	fst/base/writer.c
