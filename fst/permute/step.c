/* States as bytes. */
#include "permute/step_impl.h"

#include <stdlib.h>

pf_err pfi_step_init(pfi_step *s, const pf_con *con, const pf_wm *wm) {
    *s = (pfi_step){.con = con, .wm = wm, .cover = con->nw * sizeof(pf_cover)};
    s->key = malloc(pfi_step_room(s));
    s->allowed = malloc(s->cover);
    s->w = calloc(con->n + 1u, sizeof *s->w);
    return s->key && s->allowed && s->w ? PF_OK : pf_nomem();
}

void pfi_step_free(pfi_step *s) {
    free(s->key);
    free(s->allowed);
    free(s->w);
}

size_t pfi_step_fixed(const pfi_step *s) {
    bool fixed = !s->con->cls->extent || !s->con->room;
    return fixed ? pfi_step_room(s) : 0;
}

size_t pfi_step_room(const pfi_step *s) { return s->cover + s->con->room + s->wm->room; }

size_t pfi_step_start(const pfi_step *s, unsigned char *to) {
    size_t n = s->cover;
    memset(to, 0, n);
    n += pf_con_start(s->con, to + n);
    pf_wm_start(s->wm, to + n);
    return n + s->wm->room;
}

size_t pfi_step_end(const pfi_step *s, unsigned char *to) {
    size_t fixed = pfi_step_fixed(s), n = fixed ? fixed : s->cover + s->wm->room;
    memset(to + s->cover, 0, n - s->cover);
    return n;
}

pf_err pfi_step_load(pfi_step *s, const void *key, size_t length) {
    memcpy(s->key, key, length); /* the table that has it may move when it grows */
    const pf_cover *b = (const pf_cover *)(const void *)s->key;
    s->con_x = s->key + s->cover;
    s->wm_x = s->key + length - s->wm->room;
    s->covered = pf_cover_count(b, s->con->nw);
    if (s->covered < s->con->n) PF_TRY(pf_con_allowed(s->con, b, s->con_x, s->allowed));
    else pf_cover_clear(s->allowed, s->con->nw);
    s->moves = pf_cover_count(s->allowed, s->con->nw);
    for (unsigned i = 0; i < s->moves; i++) s->w[i] = 0;
    s->wm->cls->weigh(s->wm, b, s->wm_x, s->allowed, s->moves, s->w);
    return PF_OK;
}
