model_headers = \
	fst/model/model.h \
	fst/model/ngram.h \
	fst/model/tuple_text.h \
	fst/model/tuplemodel.h

library_sources += \
	fst/model/arpa.c \
	fst/model/model.c \
	fst/model/ngram.c \
	fst/model/ngram_build.c \
	fst/model/ngram_fst.c \
	fst/model/ngram_look.c \
	fst/model/ngram_record.c \
	fst/model/tuple_fst.c \
	fst/model/tuple_text.c \
	fst/model/tuplemodel.c

private_headers += \
	fst/model/ngram_impl.h fst/model/tuple_impl.h
