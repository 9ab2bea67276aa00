ioincludedir = $(pkgincludedir)/io
ioinclude_HEADERS = \
	include/permfst/io/bin.h \
	include/permfst/io/blob.h \
	include/permfst/io/docs.h \
	include/permfst/io/expr.h \
	include/permfst/io/far.h \
	include/permfst/io/header.h \
	include/permfst/io/labels.h \
	include/permfst/io/lattice.h \
	include/permfst/io/markup.h \
	include/permfst/io/paths.h \
	include/permfst/io/plf.h \
	include/permfst/io/sentence.h \
	include/permfst/io/slf.h \
	include/permfst/io/stream.h \
	include/permfst/io/text.h \
	include/permfst/io/xml.h

library_sources += \
	fst/io/bin.c \
	fst/io/blob.c \
	fst/io/bloblist.c \
	fst/io/docs.c \
	fst/io/docs_sgml.c \
	fst/io/docs_xml.c \
	fst/io/expr.c \
	fst/io/expr_io.c \
	fst/io/far.c \
	fst/io/frame.c \
	fst/io/header.c \
	fst/io/labels.c \
	fst/io/lattice.c \
	fst/io/libxml.c \
	fst/io/markup.c \
	fst/io/paths.c \
	fst/io/plf.c \
	fst/io/sentence.c \
	fst/io/short.c \
	fst/io/slf.c \
	fst/io/slfbuild.c \
	fst/io/slfhead.c \
	fst/io/slfline.c \
	fst/io/slfwrite.c \
	fst/io/stream.c \
	fst/io/streamwrite.c \
	fst/io/text.c \
	fst/io/xml.c \
	fst/io/xmlpull.c \
	fst/io/xmlread.c \
	fst/io/bloblist.h \
	fst/io/docs_impl.h \
	fst/io/frame.h \
	fst/io/io_impl.h \
	fst/io/labels_impl.h \
	fst/io/lattice_impl.h \
	fst/io/libxml.h \
	fst/io/slf_impl.h \
	fst/io/xmlpull.h
