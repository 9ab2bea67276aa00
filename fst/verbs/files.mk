verbsincludedir = $(pkgincludedir)/verbs
verbsinclude_HEADERS = \
	include/permfst/verbs/check.h \
	include/permfst/verbs/compile.h \
	include/permfst/verbs/compose.h \
	include/permfst/verbs/count.h \
	include/permfst/verbs/describe.h \
	include/permfst/verbs/draw.h \
	include/permfst/verbs/expand.h \
	include/permfst/verbs/features.h \
	include/permfst/verbs/intact.h \
	include/permfst/verbs/print.h \
	include/permfst/verbs/printer.h \
	include/permfst/verbs/search.h \
	include/permfst/verbs/searcher.h \
	include/permfst/verbs/step.h \
	include/permfst/verbs/verify.h

library_sources += \
	fst/verbs/check.c \
	fst/verbs/compile.c \
	fst/verbs/compose.c \
	fst/verbs/count.c \
	fst/verbs/describe.c \
	fst/verbs/draw.c \
	fst/verbs/expand.c \
	fst/verbs/features.c \
	fst/verbs/intact.c \
	fst/verbs/print.c \
	fst/verbs/printer.c \
	fst/verbs/search.c \
	fst/verbs/searcher.c \
	fst/verbs/step.c \
	fst/verbs/verify.c
