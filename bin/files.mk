# Programs that permsh also runs as calls, and permsh itself.
called_programs = \
	bin/permcompile \
	bin/lazyperm \
	bin/permcompose \
	bin/permshortest \
	bin/permprint \
	bin/permexpand \
	bin/perminfo \
	bin/permlm \
	bin/permcount \
	bin/permequal \
	bin/permrandgen \
	bin/permcheck \
	bin/permalign \
	bin/permscore \
	bin/permtune \
	bin/permtuples \
	bin/permrules \
	bin/permcover \
	bin/permlearn \
	bin/permtree \
	bin/permoracle
programs += $(called_programs) bin/permsh
shell_sources = bin/toolhost.c bin/toolhost.h bin/toolline.c bin/toolline.h

tool_sources += \
	bin/tool.c \
	bin/tool.h \
	bin/toolalign.c \
	bin/toolalign.h \
	bin/toolapply.c \
	bin/toolcall.h \
	bin/toolfst.c \
	bin/toolfst.h \
	bin/toolgather.c \
	bin/toolgather.h \
	bin/toolhelp.c \
	bin/toollearn.c \
	bin/toollearn.h \
	bin/toollearnmap.c \
	bin/toollearntrain.c \
	bin/toolmap.c \
	bin/toolmap.h \
	bin/tooloptions.c \
	bin/toolperm.c \
	bin/toolperm.h \
	bin/toolprogress.c \
	bin/toolprogress.h \
	bin/toolrelations.c \
	bin/toolrules.c \
	bin/toolrules.h \
	bin/toolsearch.c \
	bin/toolsearch.h \
	bin/tooltrain.c \
	bin/tooltrain.h \
	bin/toolwatch.c \
	bin/toolwatch.h
