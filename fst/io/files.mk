io_headers = \
	fst/io/bin.h \
	fst/io/blob.h \
	fst/io/docs.h \
	fst/io/expr.h \
	fst/io/far.h \
	fst/io/header.h \
	fst/io/lattice.h \
	fst/io/markup.h \
	fst/io/plf.h \
	fst/io/slf.h \
	fst/io/stream.h \
	fst/io/text.h \
	fst/io/xml.h

library_sources += \
	fst/io/bin.c \
	fst/io/blob.c \
	fst/io/docs.c \
	fst/io/docs_sgml.c \
	fst/io/docs_xml.c \
	fst/io/expr.c \
	fst/io/expr_io.c \
	fst/io/far.c \
	fst/io/header.c \
	fst/io/lattice.c \
	fst/io/markup.c \
	fst/io/plf.c \
	fst/io/slf.c \
	fst/io/slfbuild.c \
	fst/io/slfhead.c \
	fst/io/slfline.c \
	fst/io/slfwrite.c \
	fst/io/stream.c \
	fst/io/text.c \
	fst/io/xml.c \
	fst/io/xmlpull.c \
	fst/io/xmlread.c

private_headers += fst/io/docs_impl.h fst/io/io_impl.h fst/io/lattice_impl.h fst/io/slf_impl.h fst/io/xmlpull.h
