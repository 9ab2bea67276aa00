/* Classes of what was said last, and copies of silent units. */
#include "search/said.h"

#include <permfst/base/cover.h>

#include <stdlib.h>

static pf_err make_room(pfi_said *said, unsigned positions) {
    said->of_unit = malloc(said->units * sizeof *said->of_unit);
    said->leads_to = calloc((said->units + (size_t)1) * said->words, sizeof *said->leads_to);
    said->unit = malloc((said->copies + (size_t)1) * sizeof *said->unit);
    said->of_copy = malloc((said->copies + (size_t)1) * sizeof *said->of_copy);
    said->first = malloc(said->units * sizeof *said->first);
    said->silent = malloc((said->units + (size_t)1) * sizeof *said->silent);
    said->place = malloc((positions + (size_t)1) * sizeof *said->place);
    if (!said->of_unit || !said->leads_to || !said->unit || !said->of_copy) return pf_nomem();
    return said->first && said->silent && said->place ? PF_OK : pf_nomem();
}

static void make_copies(pfi_said *said, unsigned positions, const uint32_t *place, const bool *silent) {
    uint32_t copy = 0, silents = 0;
    for (unsigned position = 0; position < positions; position++) {
        said->place[position] = copy;
        for (uint32_t unit = place[position]; unit < place[position + 1]; unit++) {
            said->of_unit[unit] = silent[unit] ? PFI_SILENT : position;
            said->first[unit] = copy;
            const bool told_apart = pfi_is_told_apart(said, unit);
            if (told_apart) said->silent[silents++] = unit;
            for (uint32_t class = 0; class < (told_apart ? said->classes : 1); class++, copy++) {
                said->unit[copy] = unit;
                said->of_copy[copy] = told_apart ? class : PFI_SILENT;
            }
        }
    }
    assert(copy == said->copies);
    said->silent[silents] = said->units;
    said->place[positions] = copy;
    said->unit[copy] = said->units;
    said->of_copy[copy] = PFI_SILENT;
}

pf_err pfi_said_init(pfi_said *said, unsigned positions, const uint32_t *place, const bool *silent, size_t most) {
    const unsigned units = place[positions];
    size_t copies = units;
    for (unsigned unit = 0; unit < units; unit++) copies += silent[unit] ? positions : 0;
    *said = (pfi_said){.units = units, .copies = units};
    if (copies > units && copies <= most) {
        said->classes = positions + 1;
        said->words = pf_cover_words(said->classes);
        said->copies = (uint32_t)copies;
    }
    PF_TRY(make_room(said, positions));
    make_copies(said, positions, place, silent);
    return PF_OK;
}

void pfi_said_free(pfi_said *said) {
    PF_VEC_FREE(&said->of_history);
    free(said->of_unit);
    free(said->leads_to);
    free(said->unit);
    free(said->of_copy);
    free(said->first);
    free(said->silent);
    free(said->place);
    *said = (pfi_said){0};
}
