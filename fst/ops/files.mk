opsincludedir = $(pkgincludedir)/ops
opsinclude_HEADERS = \
	include/permfst/ops/compose.h \
	include/permfst/ops/count.h \
	include/permfst/ops/expand.h \
	include/permfst/ops/labelmap.h \
	include/permfst/ops/match.h \
	include/permfst/ops/most.h \
	include/permfst/ops/open.h \
	include/permfst/ops/permute.h \
	include/permfst/ops/properties.h \
	include/permfst/ops/randgen.h \
	include/permfst/ops/records.h \
	include/permfst/ops/relabel.h \
	include/permfst/ops/score.h \
	include/permfst/ops/source.h \
	include/permfst/ops/spell.h \
	include/permfst/ops/topsort.h \
	include/permfst/ops/units.h \
	include/permfst/ops/verify.h \
	include/permfst/ops/wording.h

library_sources += \
	fst/ops/compose.c \
	fst/ops/count.c \
	fst/ops/expand.c \
	fst/ops/labelmap.c \
	fst/ops/match.c \
	fst/ops/match_scorer.c \
	fst/ops/most.c \
	fst/ops/open.c \
	fst/ops/permute.c \
	fst/ops/properties.c \
	fst/ops/randgen.c \
	fst/ops/records.c \
	fst/ops/relabel.c \
	fst/ops/score.c \
	fst/ops/source.c \
	fst/ops/spell.c \
	fst/ops/target_scorer.c \
	fst/ops/topsort.c \
	fst/ops/unit_scorers.c \
	fst/ops/units.c \
	fst/ops/verify.c \
	fst/ops/wording.c \
	fst/ops/match_impl.h \
	fst/ops/unit_scorers_impl.h \
	fst/ops/units_impl.h
