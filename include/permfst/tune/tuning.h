/* A corpus whose scales are tuned: compositions and their references, and the limits of the scales. The verb of permtune.
 *
 * A composition has a scale for each of its features (verbs/features.h). Those that may change lie between two limits. The scales
 * of a sum matter only in proportion, so one of them stays as it is: that of B1, or that of A1 if there is no B, unless others are
 * fixed. The scale of A stays as well where its weights have scales of their own. Reading is O(bytes), figures and words
 * O(scales); tuning is that of tuner.h. */
#ifndef PF_TUNE_TUNING_H
#define PF_TUNE_TUNING_H

#include <permfst/ops/source.h>
#include <permfst/tune/tuner.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that a user gives. Messages call them by this name. */
typedef struct {
    const char *name;
    const double *at;
    size_t n; /* 0: none are given */
} pf_scale_numbers;

typedef struct {
    pf_scale_numbers low, high; /* a limit for each scale; none: 0 and 3, or -3 and 0 for a scale below 0, and twice the scale where
                                   that is more */
    pf_scale_numbers fixed;     /* the places of scales that stay as they are, from 0; none: as above */
} pf_scale_limits; /* the names must outlive the tuning */

/* Is record i of the input, or line i of a reference, from 0, part of the corpus? */
typedef struct {
    bool (*keeps)(const void *self, uint64_t i);
    const void *self;
} pf_tuning_choice;

/* One thread at a time. */
typedef struct pf_tuning pf_tuning;

/* A corpus without records. `choice` is copied. *out belongs to the caller; NULL after an error. PF_ENOMEM. */
pf_err pf_tuning_new(const pf_tokeniser *tokeniser, const pf_tuning_choice *choice, pf_tuning **out);
void pf_tuning_free(pf_tuning *tuning); /* NULL is accepted */

/* Adds a reference for each record: the lines of a text. Errors of the reader and of pf_testset_reference. */
pf_err pf_tuning_reference(pf_tuning *tuning, pf_reader *reader);

/* Adds all records of a source. Errors of the source; PF_ENOMEM. */
pf_err pf_tuning_records(pf_tuning *tuning, pf_source *source);
uint64_t pf_tuning_read(const pf_tuning *tuning); /* records of all sources, with those that are not part of the corpus */

/* Ends the records, and begins with the scales of the first one. PF_EINPUT: there is no record, or it has a single scale. PF_EARG:
 * another number of limits than of scales, a scale that is not within its limits, a place that no scale has. PF_ENOMEM. */
pf_err pf_tuning_limits(pf_tuning *tuning, const pf_scale_limits *limits);

/* Tunes the scales for the best BLEU, once. The limits of `options` are not looked at: they are those of the corpus. Errors of
 * pf_tune. */
pf_err pf_tuning_run(pf_tuning *tuning, const pf_tuner_options *options, pf_tuned *out);

/* Warns, after the tuning, of what may hide better scales: limits of scales, by the names that pf_tuning_limits got; and the limit
 * of iterations, by the name `iterations`, where the scales still changed. PF_ENOMEM. */
pf_err pf_tuning_warn(const pf_tuning *tuning, const pf_tuned *tuned, const char *iterations, pf_warn warn, void *warn_to);

/* "A 1, B1 0.5": the names of the scales, and such scales; what does not fit is left out. Returns `words`. */
enum { PF_TUNING_WORDS = 800 };
const char *pf_tuning_words(const pf_tuning *tuning, const double *scale, char words[PF_TUNING_WORDS]);

/* Writes the scales as options of permcompose, and, on a line of their own, as one of lazyperm. Errors of the writer. */
pf_err pf_tuning_write(const pf_tuning *tuning, pf_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
