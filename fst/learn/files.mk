learnincludedir = $(pkgincludedir)/learn
learninclude_HEADERS = \
	include/permfst/learn/ap.h \
	include/permfst/learn/chunk_decoder.h \
	include/permfst/learn/chunk_search.h \
	include/permfst/learn/examples.h \
	include/permfst/learn/factors.h \
	include/permfst/learn/feature_map.h \
	include/permfst/learn/figures.h \
	include/permfst/learn/learner_state.h \
	include/permfst/learn/lr.h \
	include/permfst/learn/order_apply.h \
	include/permfst/learn/order_decoder.h \
	include/permfst/learn/order_model.h \
	include/permfst/learn/order_train.h \
	include/permfst/learn/separable.h \
	include/permfst/learn/templates.h

library_sources += \
	fst/learn/ap.c \
	fst/learn/batches.c \
	fst/learn/batches.h \
	fst/learn/chunk_decoder.c \
	fst/learn/chunk_search.c \
	fst/learn/examples.c \
	fst/learn/factors.c \
	fst/learn/feature_map.c \
	fst/learn/figures.c \
	fst/learn/learn_impl.h \
	fst/learn/learner_state.c \
	fst/learn/lr.c \
	fst/learn/order_apply.c \
	fst/learn/order_decoder.c \
	fst/learn/order_model.c \
	fst/learn/order_model_binary.c \
	fst/learn/order_model_text.c \
	fst/learn/order_train.c \
	fst/learn/separable.c \
	fst/learn/templates.c
