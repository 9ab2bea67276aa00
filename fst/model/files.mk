modelincludedir = $(pkgincludedir)/model
modelinclude_HEADERS = \
	include/permfst/model/label_set.h \
	include/permfst/model/model.h \
	include/permfst/model/ngram.h \
	include/permfst/model/scorer.h \
	include/permfst/model/sentence_score.h \
	include/permfst/model/tuple_text.h \
	include/permfst/model/tuplemodel.h

library_sources += \
	fst/model/arpa.c \
	fst/model/label_set.c \
	fst/model/model.c \
	fst/model/ngram.c \
	fst/model/ngram_build.c \
	fst/model/ngram_fst.c \
	fst/model/ngram_look.c \
	fst/model/ngram_record.c \
	fst/model/ngram_trie.c \
	fst/model/scorer.c \
	fst/model/sentence_score.c \
	fst/model/tuple_fst.c \
	fst/model/tuple_text.c \
	fst/model/tuplemodel.c \
	fst/model/ngram_impl.h \
	fst/model/tuple_impl.h
