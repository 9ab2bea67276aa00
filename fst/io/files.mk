io_headers = \
	fst/io/bin.h \
	fst/io/blob.h \
	fst/io/expr.h \
	fst/io/far.h \
	fst/io/header.h \
	fst/io/markup.h \
	fst/io/stream.h \
	fst/io/text.h \
	fst/io/xml.h

library_sources += \
	fst/io/bin.c \
	fst/io/blob.c \
	fst/io/expr.c \
	fst/io/expr_io.c \
	fst/io/far.c \
	fst/io/header.c \
	fst/io/markup.c \
	fst/io/stream.c \
	fst/io/text.c \
	fst/io/xml.c \
	fst/io/xmlpull.c \
	fst/io/xmlread.c

public_headers += $(io_headers)
private_headers += fst/io/io_impl.h fst/io/xmlpull.h
