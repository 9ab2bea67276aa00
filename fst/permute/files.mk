permuteincludedir = $(pkgincludedir)/permute
permuteinclude_HEADERS = \
	include/permfst/permute/check.h \
	include/permfst/permute/compare.h \
	include/permfst/permute/con_file.h \
	include/permfst/permute/con.h \
	include/permfst/permute/graph.h \
	include/permfst/permute/input.h \
	include/permfst/permute/order.h \
	include/permfst/permute/perm.h \
	include/permfst/permute/tally.h \
	include/permfst/permute/walk.h \
	include/permfst/permute/wm.h \
	include/permfst/permute/wm_file.h

library_sources += \
	fst/permute/check.c \
	fst/permute/compare.c \
	fst/permute/con_and.c \
	fst/permute/con_displacement.c \
	fst/permute/con_distortion.c \
	fst/permute/con_file.c \
	fst/permute/con_ibm.c \
	fst/permute/con_inverse_ibm.c \
	fst/permute/con_inverse_local.c \
	fst/permute/con_itg.c \
	fst/permute/con_itg_draw.c \
	fst/permute/con_itg_span.c \
	fst/permute/con_jump.c \
	fst/permute/con_live.c \
	fst/permute/con_local.c \
	fst/permute/con_minus.c \
	fst/permute/con_mj.c \
	fst/permute/con_none.c \
	fst/permute/con_or.c \
	fst/permute/con_pair.c \
	fst/permute/con_parse.c \
	fst/permute/con_table.c \
	fst/permute/con_tree.c \
	fst/permute/con_wall.c \
	fst/permute/con_zone.c \
	fst/permute/graph.c \
	fst/permute/input.c \
	fst/permute/moves.c \
	fst/permute/order.c \
	fst/permute/perm.c \
	fst/permute/perm_walk.c \
	fst/permute/short_key.c \
	fst/permute/space.c \
	fst/permute/tally.c \
	fst/permute/walk.c \
	fst/permute/wm_distance.c \
	fst/permute/wm_early_distance.c \
	fst/permute/wm_file.c \
	fst/permute/wm_inversions.c \
	fst/permute/wm_jumps.c \
	fst/permute/wm_lexical.c \
	fst/permute/wm_monotone.c \
	fst/permute/wm_pairwise.c \
	fst/permute/wm_position.c \
	fst/permute/wm_scaled.c \
	fst/permute/wm_sum.c \
	fst/permute/wm_table.c \
	fst/permute/con_impl.h \
	fst/permute/perm_walk_impl.h \
	fst/permute/short_key_impl.h \
	fst/permute/wm_impl.h
