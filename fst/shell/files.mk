shellincludedir = $(pkgincludedir)/shell
shellinclude_HEADERS = \
	include/permfst/shell/shell.h

library_sources += \
	fst/shell/answers.c \
	fst/shell/commands.c \
	fst/shell/complete.c \
	fst/shell/corpus.c \
	fst/shell/inputs.c \
	fst/shell/line.c \
	fst/shell/pipeline.c \
	fst/shell/plot.c \
	fst/shell/session.c \
	fst/shell/settings.c \
	fst/shell/settings_impl.h \
	fst/shell/shell_impl.h \
	fst/shell/spaces.c \
	fst/shell/sweep.c \
	fst/shell/values.c \
	fst/shell/walk.c
