machine_headers = \
	fst/machine/answer.h \
	fst/machine/build.h \
	fst/machine/fst.h \
	fst/machine/semiring.h \
	fst/machine/symtab.h \
	fst/machine/weight.h

library_sources += \
	fst/machine/answer.c \
	fst/machine/build.c \
	fst/machine/fst.c \
	fst/machine/semiring.c \
	fst/machine/symtab.c
