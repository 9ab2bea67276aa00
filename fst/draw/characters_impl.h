/* Private to the pictures: how wide characters are, and where text goes. */
#ifndef PF_DRAW_CHARACTERS_IMPL_H
#define PF_DRAW_CHARACTERS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

/* The columns of a character in a terminal: 0, 1 or 2. */
unsigned pfi_character_columns(unsigned code);

/* Has a text characters that are written from right to left? A number after it would stand on its left. */
bool pfi_text_turns(const char *bytes, size_t length);

#endif
