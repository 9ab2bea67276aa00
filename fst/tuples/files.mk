tuplesincludedir = $(pkgincludedir)/tuples
tuplesinclude_HEADERS = \
	include/permfst/tuples/extract.h \
	include/permfst/tuples/ibm1.h \
	include/permfst/tuples/monotonize.h \
	include/permfst/tuples/tuples.h \
	include/permfst/tuples/unfold.h \
	include/permfst/tuples/write.h

library_sources += \
	fst/tuples/costs.c \
	fst/tuples/extract.c \
	fst/tuples/ibm1.c \
	fst/tuples/monotonize.c \
	fst/tuples/tuples.c \
	fst/tuples/unfold.c \
	fst/tuples/write.c \
	fst/tuples/sound.h
