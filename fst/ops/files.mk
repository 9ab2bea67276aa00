ops_headers = \
	fst/ops/compose.h \
	fst/ops/count.h \
	fst/ops/expand.h \
	fst/ops/labelmap.h \
	fst/ops/match.h \
	fst/ops/open.h \
	fst/ops/randgen.h \
	fst/ops/relabel.h \
	fst/ops/scale.h \
	fst/ops/score.h \
	fst/ops/spell.h \
	fst/ops/topsort.h \
	fst/ops/units.h \
	fst/ops/verify.h

library_sources += \
	fst/ops/compose.c \
	fst/ops/count.c \
	fst/ops/expand.c \
	fst/ops/labelmap.c \
	fst/ops/match.c \
	fst/ops/match_model.c \
	fst/ops/open.c \
	fst/ops/randgen.c \
	fst/ops/relabel.c \
	fst/ops/score.c \
	fst/ops/spell.c \
	fst/ops/topsort.c \
	fst/ops/unit_models.c \
	fst/ops/units.c \
	fst/ops/verify.c

private_headers += fst/ops/match_impl.h fst/ops/units_impl.h
