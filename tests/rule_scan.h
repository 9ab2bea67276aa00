/* A random corpus of tagged and reordered sentences, and its rules by the definitions: every span is looked at. */
#ifndef TESTS_RULE_SCAN_H
#define TESTS_RULE_SCAN_H

#include <permfst/align/words.h>

#include <stdbool.h>
#include <stdint.h>

enum { MOST = 9, TEXT = 200, SENTENCES = 60, LINES = 4000, FILE_BYTES = 200000 };
typedef char line[TEXT];

typedef struct {
    unsigned n, perm[MOST];
    char tag[MOST][4];
    pf_word word[MOST];
    pf_words tags;
} sentence;

extern sentence corpus[SENTENCES];
void make_corpus(void);
void random_sentence(sentence *s);

unsigned below(unsigned n);
void identity(unsigned *perm, unsigned n);

/* The next permutation in the order of its numbers; false after the last. */
bool next_permutation(unsigned *perm, unsigned n);

/* Is i..j one of the minimal reorderings that p is cut into? */
bool minimal(const unsigned *perm, unsigned i, unsigned j);

/* Tags i..j of a sentence with blanks between. */
void span_text(const sentence *s, unsigned i, unsigned j, char *out);

/* The rule file of the corpus. */
void scan(unsigned max_length, double max_cost, char *out);

#endif
