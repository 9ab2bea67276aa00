trainincludedir = $(pkgincludedir)/train
traininclude_HEADERS = \
	include/permfst/train/aligned.h \
	include/permfst/train/aligner.h \
	include/permfst/train/hmm.h

library_sources += \
	fst/train/aligned.c \
	fst/train/aligner.c \
	fst/train/chain.c \
	fst/train/chain_impl.h \
	fst/train/hmm.c \
	fst/train/jumps.c \
	fst/train/jumps_impl.h \
	fst/train/word_pairs.c \
	fst/train/word_pairs_impl.h
