tuneincludedir = $(pkgincludedir)/tune
tuneinclude_HEADERS = \
	include/permfst/tune/line_search.h \
	include/permfst/tune/optimise.h \
	include/permfst/tune/pool.h \
	include/permfst/tune/tuner.h \
	include/permfst/tune/tuning.h

library_sources += \
	fst/tune/line_search.c \
	fst/tune/optimise.c \
	fst/tune/pool.c \
	fst/tune/tuner.c \
	fst/tune/tuning.c
