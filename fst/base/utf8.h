/* The characters of UTF-8 (Unicode, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef PFI_BASE_UTF8_H
#define PFI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at the beginning of `bytes`, of which there is at least one; 0: they are no character. */
size_t pfi_utf8(const char *bytes, size_t length, uint32_t *code);

#endif
