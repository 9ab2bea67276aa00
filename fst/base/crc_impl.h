/* Private: the plain version of pf_crc32c, with which the tests compare the one in use. */
#ifndef PF_BASE_CRC_IMPL_H
#define PF_BASE_CRC_IMPL_H

#include <permfst/base/crc.h>

uint32_t pfi_crc32c_plain(uint32_t before, const void *bytes, size_t n);

#endif
