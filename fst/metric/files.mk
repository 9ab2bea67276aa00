metric_headers = \
	fst/metric/bleu.h \
	fst/metric/bootstrap.h \
	fst/metric/metric.h \
	fst/metric/testset.h \
	fst/metric/tokens.h

library_sources += \
	fst/metric/bleu.c \
	fst/metric/bootstrap.c \
	fst/metric/metric.c \
	fst/metric/per.c \
	fst/metric/testset.c \
	fst/metric/tokens.c \
	fst/metric/wer.c

private_headers += fst/metric/metric_impl.h
