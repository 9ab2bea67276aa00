/* Makes the files that the calls of the table read, for the fuzzer's seeds: prints a folder, which is the caller's to remove, and
 * then the name of each file in it that a call reads. */
#include "check.h"
#include "steps.h"

#include <stdio.h>
#include <string.h>

/* A text for standard input has a file of its own for each step. */
static void put_text(const char *folder, const step *s, size_t i) {
    char path[2 * NAME];
    snprintf(path, sizeof path, "%s/text-%zu", folder, i);
    put_bytes(path, s->input, strlen(s->input));
    printf("text-%zu\n", i);
}

int main(void) {
    char folder[NAME];
    begin_folder(folder);
    run_all(folder);
    puts(folder);
    for (size_t i = 0; i < n_steps; i++) {
        const char *name[MOST_FILES];
        size_t n = step_files(&steps[i], false, name);
        for (size_t k = 0; k < n; k++)
            if (strcmp(name[k], "input") != 0) puts(name[k]);
        if (n && strcmp(name[n - 1], "input") == 0) put_text(folder, &steps[i], i);
    }
    return 0;
}
