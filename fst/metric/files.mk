metricincludedir = $(pkgincludedir)/metric
metricinclude_HEADERS = \
	include/permfst/metric/bleu.h \
	include/permfst/metric/bootstrap.h \
	include/permfst/metric/metric.h \
	include/permfst/metric/orders.h \
	include/permfst/metric/report.h \
	include/permfst/metric/systems.h \
	include/permfst/metric/testset.h \
	include/permfst/metric/tokens.h

library_sources += \
	fst/metric/bleu.c \
	fst/metric/bootstrap.c \
	fst/metric/grams.c \
	fst/metric/lower.c \
	fst/metric/metric.c \
	fst/metric/nist.c \
	fst/metric/orders.c \
	fst/metric/per.c \
	fst/metric/ranks.c \
	fst/metric/report.c \
	fst/metric/ribes.c \
	fst/metric/scored_files.c \
	fst/metric/systems.c \
	fst/metric/testset.c \
	fst/metric/tokens.c \
	fst/metric/wer.c \
	fst/metric/metric_impl.h
