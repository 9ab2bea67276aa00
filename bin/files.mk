programs += \
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
	bin/permtuples \
	bin/permrules \
	bin/permcover

LDADD = libpermfst.la $(GMP_LIBS)
bin_permcompile_SOURCES = bin/permcompile.c $(tool_sources)
bin_lazyperm_SOURCES = bin/lazyperm.c $(tool_sources)
bin_permcompose_SOURCES = bin/permcompose.c $(tool_sources)
bin_permshortest_SOURCES = bin/permshortest.c bin/toolref.c bin/toolref.h bin/toolverify.c bin/toolverify.h $(tool_sources)
bin_permprint_SOURCES = bin/permprint.c $(tool_sources)
bin_permexpand_SOURCES = bin/permexpand.c $(tool_sources)
bin_perminfo_SOURCES = bin/perminfo.c $(tool_sources)
bin_permlm_SOURCES = bin/permlm.c $(tool_sources)
bin_permcount_SOURCES = bin/permcount.c $(tool_sources)
bin_permequal_SOURCES = bin/permequal.c $(tool_sources)
bin_permrandgen_SOURCES = bin/permrandgen.c $(tool_sources)
bin_permcheck_SOURCES = bin/permcheck.c $(tool_sources)
bin_permalign_SOURCES = bin/permalign.c bin/toolalign.c bin/toolalign.h $(tool_sources)
bin_permscore_SOURCES = bin/permscore.c bin/toolrows.c bin/toolrows.h $(tool_sources)
bin_permtuples_SOURCES = bin/permtuples.c bin/toolalign.c bin/toolalign.h $(tool_sources)
bin_permrules_SOURCES = bin/permrules.c bin/toolalign.c bin/toolalign.h bin/toolapply.c bin/toolrules.c bin/toolrules.h $(tool_sources)
bin_permcover_SOURCES = bin/permcover.c bin/toolalign.c bin/toolalign.h $(tool_sources)
