searchincludedir = $(pkgincludedir)/search
searchinclude_HEADERS = \
	include/permfst/search/best.h \
	include/permfst/search/reference.h

library_sources += \
	fst/search/arcs.c \
	fst/search/astar.c \
	fst/search/best.c \
	fst/search/backoff.c \
	fst/search/better.c \
	fst/search/bound.c \
	fst/search/claims.c \
	fst/search/completion.c \
	fst/search/completion_step.c \
	fst/search/correcting.c \
	fst/search/critical.c \
	fst/search/graph.c \
	fst/search/lattice.c \
	fst/search/level.c \
	fst/search/least_sums.c \
	fst/search/levels.c \
	fst/search/limits.c \
	fst/search/nbest.c \
	fst/search/placed.c \
	fst/search/plan.c \
	fst/search/potentials.c \
	fst/search/prepare.c \
	fst/search/prices.c \
	fst/search/queue.c \
	fst/search/reference.c \
	fst/search/rest.c \
	fst/search/rows.c \
	fst/search/shorter.c \
	fst/search/ties.c \
	fst/search/twins.c \
	fst/search/unit_completion.c \
	fst/search/route_costs.c \
	fst/search/route_step.c \
	fst/search/routes.c \
	fst/search/astar.h \
	fst/search/backoff.h \
	fst/search/better.h \
	fst/search/bound.h \
	fst/search/bound_impl.h \
	fst/search/claims.h \
	fst/search/completion.h \
	fst/search/completion_impl.h \
	fst/search/completion_step.h \
	fst/search/correcting.h \
	fst/search/graph.h \
	fst/search/lattice.h \
	fst/search/level.h \
	fst/search/least_sums.h \
	fst/search/levels.h \
	fst/search/limits.h \
	fst/search/potentials.h \
	fst/search/queue.h \
	fst/search/rest.h \
	fst/search/rows.h \
	fst/search/shorter.h \
	fst/search/ties.h \
	fst/search/route_costs.h \
	fst/search/route_step.h \
	fst/search/routes.h \
	fst/search/routes_impl.h \
	fst/search/twins.h \
	fst/search/wide.h
