/* CRC-32C (Castagnoli), which finds every damage of up to 32 bits in a row, and all but one in 2^32 of the others. */
#ifndef PF_BASE_CRC_H
#define PF_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of some bytes and n more: `before` is the sum of the bytes before these, 0 for none. O(n), gigabytes a second. Any
 * thread. */
uint32_t pf_crc32c(uint32_t before, const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
