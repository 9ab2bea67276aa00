drawincludedir = $(pkgincludedir)/draw
drawinclude_HEADERS = \
	include/permfst/draw/automaton.h \
	include/permfst/draw/order.h \
	include/permfst/draw/plot.h \
	include/permfst/draw/profile.h \
	include/permfst/draw/svg.h

library_sources += \
	fst/draw/automaton.c \
	fst/draw/characters.c \
	fst/draw/characters_impl.h \
	fst/draw/diff.c \
	fst/draw/dot.c \
	fst/draw/layout.c \
	fst/draw/layout_impl.h \
	fst/draw/machine.c \
	fst/draw/machine_impl.h \
	fst/draw/mark.c \
	fst/draw/order.c \
	fst/draw/order_svg.c \
	fst/draw/plot.c \
	fst/draw/profile.c \
	fst/draw/svg.c
