permute_headers = \
	fst/permute/con.h \
	fst/permute/input.h \
	fst/permute/perm.h \
	fst/permute/wm.h

library_sources += \
	fst/permute/con_and.c \
	fst/permute/con_ibm.c \
	fst/permute/con_inverse_ibm.c \
	fst/permute/con_itg.c \
	fst/permute/con_live.c \
	fst/permute/con_local.c \
	fst/permute/con_none.c \
	fst/permute/con_table.c \
	fst/permute/input.c \
	fst/permute/perm.c \
	fst/permute/wm_monotone.c \
	fst/permute/wm_sum.c \
	fst/permute/wm_table.c

public_headers += $(permute_headers)
private_headers += \
	fst/permute/con_impl.h \
	fst/permute/wm_impl.h
