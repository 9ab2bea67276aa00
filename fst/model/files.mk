model_headers = \
	fst/model/model.h \
	fst/model/ngram.h

library_sources += \
	fst/model/arpa.c \
	fst/model/model.c \
	fst/model/ngram.c \
	fst/model/ngram_build.c \
	fst/model/ngram_fst.c \
	fst/model/ngram_record.c

public_headers += $(model_headers)
private_headers += \
	fst/model/ngram_impl.h
