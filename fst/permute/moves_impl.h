/* Private: making a table of moves (machine/moves.h), with limits; and sharing it. */
#ifndef PF_PERMUTE_MOVES_IMPL_H
#define PF_PERMUTE_MOVES_IMPL_H

#include <permfst/machine/fst.h>
#include <permfst/machine/moves.h>
#include <permfst/permute/con.h>
#include <permfst/permute/wm.h>

typedef struct {
    pf_moves_limits limits;
    uint64_t max_states; /* more states are an error; 0: no limit */
    const pf_fst *asker; /* the machine that is expanded: its watcher is called, and it may expire; NULL: nobody asks */
} pfi_moves_task;

/* Makes a table without `arrivals` and `follows`. moves->level is NULL where there would be too many moves, or where the time of
 * the limits is over, which *stopped says. The constraint may look ahead. It is freed by pfi_moves_clear, also after an error.
 * PF_ELIMIT: max_states, the completion test of the constraint, or "interrupted" by the asker. PF_ENOMEM. O(moves). */
pf_err pfi_moves_make(const pf_con *con, const pf_wm *wm, const pfi_moves_task *task, pf_moves *moves, bool *stopped);

void pfi_moves_clear(pf_moves *moves);

/* How many states the largest level has. O(levels). */
uint32_t pfi_moves_widest_level(const pf_moves *moves);

/* The arrivals of a table. After PF_ENOMEM there are none. O(moves). */
pf_err pfi_arrivals_make(pf_moves *moves);
uint64_t pfi_arrivals_bytes(const pf_moves *moves);
void pfi_arrivals_clear(pf_arrivals *arrivals);

/* The same from a store, until it is given back (pf_moves_give_back); `arrivals` and `follows` may be there or not. *out is NULL
 * where there is no table that keeps the limits, or none that another sentence could share. O(1) where the table is there; else as
 * pfi_moves_make. */
pf_err pfi_moves_share(pf_moves_store *store, const pf_con *con, const pf_wm *wm, const pfi_moves_task *task,
                       const pf_moves **out);

#endif
