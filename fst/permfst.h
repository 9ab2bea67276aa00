/* permfst: on-demand permutation automata, their composition with models, and the search for best paths.
 *
 * This header includes the whole library. Its folders, each of which knows only those before it: base (errors, containers,
 * readers, writers), machine (automata), io, permute and model, ops, search. */
#ifndef PERMFST_H
#define PERMFST_H

#include "base/arena.h"
#include "base/cover.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/params.h"
#include "base/reader.h"
#include "base/statetab.h"
#include "base/vec.h"
#include "base/writer.h"
#include "io/bin.h"
#include "io/blob.h"
#include "io/expr.h"
#include "io/far.h"
#include "io/header.h"
#include "io/stream.h"
#include "io/text.h"
#include "io/xml.h"
#include "machine/answer.h"
#include "machine/build.h"
#include "machine/fst.h"
#include "machine/semiring.h"
#include "machine/symtab.h"
#include "machine/weight.h"
#include "model/model.h"
#include "model/ngram.h"
#include "ops/compose.h"
#include "ops/count.h"
#include "ops/expand.h"
#include "ops/labelmap.h"
#include "ops/open.h"
#include "ops/relabel.h"
#include "ops/score.h"
#include "ops/topsort.h"
#include "permute/con.h"
#include "permute/input.h"
#include "permute/perm.h"
#include "permute/wm.h"
#include "permute/wm_file.h"
#include "search/best.h"

#endif
