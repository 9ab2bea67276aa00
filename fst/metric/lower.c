/* Lower case, letter by letter: what Unicode's simple mapping says of the letters of the Latin, Greek, Cyrillic and Armenian
 * scripts and of full-width Latin. Letters come as runs: each one moves by the same distance, or every second one moves to its
 * neighbour. */
#include <permfst/metric/tokens.h>

#include "base/utf8.h"

typedef struct {
    uint32_t first, last;
    int32_t move; /* 1: only the first, the third, .. */
} letters;

static const letters runs[] = {
    {0x41, 0x5a, 32},      {0xc0, 0xd6, 32},      {0xd8, 0xde, 32},      {0x100, 0x12e, 1},     {0x132, 0x136, 1},
    {0x139, 0x147, 1},     {0x14a, 0x176, 1},     {0x178, 0x178, -121},  {0x179, 0x17d, 1},     {0x1cd, 0x1db, 1},
    {0x1de, 0x1ee, 1},     {0x1f8, 0x21e, 1},     {0x222, 0x232, 1},     {0x386, 0x386, 38},    {0x388, 0x38a, 37},
    {0x38c, 0x38c, 64},    {0x38e, 0x38f, 63},    {0x391, 0x3a1, 32},    {0x3a3, 0x3ab, 32},    {0x400, 0x40f, 80},
    {0x410, 0x42f, 32},    {0x460, 0x480, 1},     {0x48a, 0x4be, 1},     {0x4c0, 0x4c0, 15},    {0x4c1, 0x4cd, 1},
    {0x4d0, 0x52e, 1},     {0x531, 0x556, 48},    {0x1e00, 0x1e94, 1},   {0x1ea0, 0x1efe, 1},   {0xff21, 0xff3a, 32},
};

static uint32_t lower_of(uint32_t letter) {
    for (size_t run = 0; run < sizeof runs / sizeof *runs && letter >= runs[run].first; run++) {
        if (letter > runs[run].last) continue;
        return runs[run].move == 1 && (letter - runs[run].first) % 2 ? letter : letter + (uint32_t)runs[run].move;
    }
    return letter;
}

/* As many bytes as `letter` came from: no run changes their number. */
static void encode(uint32_t letter, size_t bytes, char *to) {
    static const unsigned char begin[] = {0, 0, 0xc0, 0xe0};
    for (size_t i = bytes; i-- > 1; letter >>= 6) to[i] = (char)(0x80 | (letter & 0x3f));
    *to = (char)(begin[bytes] | letter);
}

pf_err pf_lower_case(const char *text, size_t length, pf_token_text *out) {
    PF_TRY(PF_ROOM(out, length));
    for (size_t at = 0; at < length;) {
        uint32_t letter = 0;
        size_t bytes = pfi_utf8(text + at, length - at, &letter);
        uint32_t lower = bytes ? lower_of(letter) : 0;
        if (lower == letter || !bytes) bytes = 1, out->at[out->n] = text[at];
        else encode(lower, bytes, out->at + out->n);
        out->n += bytes;
        at += bytes;
    }
    return PF_OK;
}
