machineincludedir = $(pkgincludedir)/machine
machineinclude_HEADERS = \
	include/permfst/machine/answer.h \
	include/permfst/machine/build.h \
	include/permfst/machine/fst.h \
	include/permfst/machine/moves.h \
	include/permfst/machine/scale.h \
	include/permfst/machine/semiring.h \
	include/permfst/machine/space.h \
	include/permfst/machine/symtab.h \
	include/permfst/machine/weight.h

library_sources += \
	fst/machine/answer.c \
	fst/machine/build.c \
	fst/machine/fst.c \
	fst/machine/semiring.c \
	fst/machine/symtab.c \
	fst/machine/fst_check.h
