verbsincludedir = $(pkgincludedir)/verbs
verbsinclude_HEADERS = \
	include/permfst/verbs/compile.h \
	include/permfst/verbs/compose.h \
	include/permfst/verbs/count.h \
	include/permfst/verbs/describe.h \
	include/permfst/verbs/draw.h \
	include/permfst/verbs/expand.h \
	include/permfst/verbs/print.h \
	include/permfst/verbs/search.h

library_sources += \
	fst/verbs/compile.c \
	fst/verbs/compose.c \
	fst/verbs/count.c \
	fst/verbs/describe.c \
	fst/verbs/draw.c \
	fst/verbs/expand.c \
	fst/verbs/print.c \
	fst/verbs/search.c
