/* The profile of a search by levels: what each pass did at each level (pf_answer.profile). Each call is O(levels + bytes). */
#ifndef PF_DRAW_PROFILE_H
#define PF_DRAW_PROFILE_H

#include <permfst/base/writer.h>
#include <permfst/machine/answer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lines of record, pass, level, states, hypotheses, dropped, bound and gap, separated by tabs. The gap is how much
 * less than the best path found a path can cost, as far as that level tells; "-": the level proves nothing. Errors of the
 * writer. */
pf_err pf_draw_profile_rows(pf_writer *writer, const pf_answer *answer, uint64_t record);

/* SVG of the last pass: above, the states and hypotheses of each level, and those that were dropped, on a log scale; below, the
 * bound and the cost of the best path. PF_EARG: the answer has no profile. PF_ENOMEM, errors of the writer. */
pf_err pf_draw_profile(pf_writer *writer, const pf_answer *answer, uint64_t record);

#ifdef __cplusplus
}
#endif
#endif
