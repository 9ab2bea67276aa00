/* The first byte has the number of bytes, and the least code that needs as many. */
#include "base/utf8.h"

size_t pfi_utf8(const char *bytes, size_t length, uint32_t *code) {
    const unsigned char *at = (const unsigned char *)bytes;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned more = at[0] < 0x80 ? 0 : at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : 1;
    *code = more ? at[0] & (0x3fu >> more) : at[0];
    if ((at[0] >= 0x80 && at[0] < 0xc0) || at[0] >= 0xf8 || more >= length) return 0;
    for (unsigned i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (at[i] & 0x3fu);
    }
    return *code < least[more] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff) ? 0 : more + 1;
}
