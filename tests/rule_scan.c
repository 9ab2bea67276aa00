#include "draw.h"
#include "rule_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 20161;
unsigned below(unsigned n) { return draw(&seed, n); }

bool next_permutation(unsigned *perm, unsigned n) {
    unsigned i = n, k;
    while (i > 1 && perm[i - 2] > perm[i - 1]) i--;
    if (i < 2) return false;
    for (k = n - 1; perm[k] < perm[i - 2];) k--;
    unsigned kept = perm[k];
    perm[k] = perm[i - 2];
    perm[i - 2] = kept;
    for (unsigned left = i - 1, right = n - 1; left < right; left++, right--) {
        kept = perm[left];
        perm[left] = perm[right];
        perm[right] = kept;
    }
    return true;
}

void identity(unsigned *perm, unsigned n) {
    for (unsigned i = 0; i < n; i++) perm[i] = i;
}

/* ---- the definitions ---- */

/* Does p map i..j onto itself? */
static bool onto_itself(const unsigned *perm, unsigned i, unsigned j) {
    for (unsigned k = i; k <= j; k++)
        if (perm[k] < i || perm[k] > j) return false;
    return true;
}

/* A reordering that cannot be cut into two, of those that the permutation is cut into: what comes before it is mapped onto
 * itself, so that 4 3 2 1 is one and has none inside. */
bool minimal(const unsigned *perm, unsigned i, unsigned j) {
    if (j <= i || !onto_itself(perm, i, j) || (i && !onto_itself(perm, 0, i - 1))) return false;
    for (unsigned k = i; k < j; k++)
        if (onto_itself(perm, i, k) && onto_itself(perm, k + 1, j)) return false;
    return true;
}

/* ---- a random corpus, and its rules by scanning ---- */

void random_sentence(sentence *text) {
    static const char *const tags[] = {"A", "B", "AB"};
    text->n = below(MOST + 1);
    identity(text->perm, text->n);
    for (unsigned k = 0; k < 2 && text->n > 1; k++) { /* shuffle a few spans, so that there are fixed points too */
        unsigned i = below(text->n - 1), j = i + 1 + below(text->n - 1 - i < 3 ? text->n - 1 - i : 3);
        for (unsigned at = i; at < j; at++) {
            unsigned from = at + below(j - at + 1), kept = text->perm[at];
            text->perm[at] = text->perm[from];
            text->perm[from] = kept;
        }
    }
    for (unsigned i = 0; i < text->n; i++) {
        strcpy(text->tag[i], tags[below(3)]);
        text->word[i] = (pf_word){text->tag[i], strlen(text->tag[i])};
    }
    text->tags = (pf_words){text->word, text->n, MOST};
}

sentence corpus[SENTENCES];
void make_corpus(void) {
    for (int i = 0; i < SENTENCES; i++) random_sentence(&corpus[i]);
}

void span_text(const sentence *text, unsigned i, unsigned j, char *out) {
    for (*out = 0; i <= j; i++) strcat(strcat(out, text->tag[i]), i < j ? " " : "");
}

/* "tags TAB reordering TAB" */
static void rule_text(const sentence *text, unsigned i, unsigned j, char *out) {
    span_text(text, i, j, out);
    for (unsigned k = i; k <= j; k++) sprintf(out + strlen(out), "%c%u", k > i ? ' ' : '\t', text->perm[k] - i + 1);
    strcat(out, "\t");
}

static int by_bytes(const void *one, const void *other) { return strcmp(one, other); }

static line lines[LINES];

static unsigned count_lines(const char *text, bool rule) {
    unsigned count = 0;
    line other;
    for (int number = 0; number < SENTENCES; number++)
        for (unsigned i = 0; i < corpus[number].n; i++)
            for (unsigned j = i + 1; j < corpus[number].n; j++) {
                if (rule && !minimal(corpus[number].perm, i, j)) continue;
                if (rule) rule_text(&corpus[number], i, j, other);
                else span_text(&corpus[number], i, j, other);
                count += strcmp(text, other) == 0;
            }
    return count;
}

/* The rule file, by the definitions. */
void scan(unsigned max_length, double max_cost, char *out) {
    size_t n = 0;
    for (int number = 0; number < SENTENCES; number++)
        for (unsigned i = 0; i < corpus[number].n; i++)
            for (unsigned j = i + 1; j < corpus[number].n && j - i < max_length; j++)
                if (minimal(corpus[number].perm, i, j)) rule_text(&corpus[number], i, j, lines[n++]);
    qsort(lines, n, sizeof *lines, by_bytes);
    out += sprintf(out, "# permrules 1 maxlen=%u maxcost=%g tags=given\n", max_length, max_cost);
    for (size_t i = 0; i < n; i++) {
        line tags;
        if (i && strcmp(lines[i], lines[i - 1]) == 0) continue;
        snprintf(tags, sizeof tags, "%.*s", (int)strcspn(lines[i], "\t"), lines[i]);
        unsigned count = count_lines(lines[i], true), total = count_lines(tags, false);
        double cost = log((double)total / count);
        if (cost <= max_cost) out += sprintf(out, "%s%.9g\t%u\t%u\n", lines[i], cost, count, total);
    }
}
