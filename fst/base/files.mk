baseincludedir = $(pkgincludedir)/base
baseinclude_HEADERS = \
	include/permfst/base/arena.h \
	include/permfst/base/bytes.h \
	include/permfst/base/cover.h \
	include/permfst/base/crc.h \
	include/permfst/base/digits.h \
	include/permfst/base/err.h \
	include/permfst/base/hash.h \
	include/permfst/base/heap.h \
	include/permfst/base/lines.h \
	include/permfst/base/nearest.h \
	include/permfst/base/params.h \
	include/permfst/base/reader.h \
	include/permfst/base/statetab.h \
	include/permfst/base/table.h \
	include/permfst/base/vec.h \
	include/permfst/base/word.h \
	include/permfst/base/workers.h \
	include/permfst/base/writer.h

library_sources += \
	fst/base/ahead.c \
	fst/base/arena.c \
	fst/base/bytes.c \
	fst/base/contract.c \
	fst/base/crc.c \
	fst/base/err.c \
	fst/base/heap.c \
	fst/base/lines.c \
	fst/base/nearest.c \
	fst/base/packed.c \
	fst/base/params.c \
	fst/base/reader.c \
	fst/base/statetab.c \
	fst/base/table.c \
	fst/base/utf8.c \
	fst/base/vec.c \
	fst/base/workers.c \
	fst/base/writer.c \
	fst/base/ahead.h \
	fst/base/contract.h \
	fst/base/crc_impl.h \
	fst/base/descriptor.h \
	fst/base/failure.h \
	fst/base/packed.h \
	fst/base/utf8.h
