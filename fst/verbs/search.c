/* Before a search: how large it can be. After it: what to say and what to write. O(1), but for copies of paths. */
#include <permfst/verbs/search.h>

#include "base/failure.h"

#include <permfst/base/digits.h>
#include <permfst/base/lines.h>
#include <permfst/permute/con.h>

#include <stdio.h>
#include <string.h>

/* The chart where it can search the machine. Elsewhere, if the orders are those of itg, the reason why it cannot goes to `why`. */
static pf_err choose(pf_fst *fst, const pf_best_options *options, pf_answer *out, char why[PF_WHY_BYTES]) {
    bool itg;
    pf_err err = pf_chart_check(fst, options, &itg);
    if (!err) err = pf_chart_best(fst, options, out);
    if (!err) snprintf(out->why, sizeof out->why, "its time is polynomial in the length");
    if (err == PF_EARG && itg) snprintf(why, PF_WHY_BYTES, "%s", pf_message());
    return err;
}

/* The chart and nothing else: where it cannot, the message names the other searches. */
static pf_err by_chart(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    char why[PF_WHY_BYTES];
    pf_err err = pf_chart_best(fst, options, out);
    if (err != PF_EARG) return err;
    snprintf(why, sizeof why, "%s", pf_message());
    if (options->grouping) return pf_fail(PF_EARG, "%s", why);
    return pf_fail(PF_EARG, options->trees ? "%s: without costs of trees there is a search by levels" : "%s: search by levels",
                   why);
}

pf_err pf_search_best(pf_fst *fst, const pf_best_options *options, pf_answer *out) {
    char why[PF_WHY_BYTES] = "";
    if (options->search == PF_SEARCH_CHART || (options->search == PF_SEARCH_AUTO && (options->trees || options->grouping)))
        return by_chart(fst, options, out);
    pf_err err = options->search == PF_SEARCH_AUTO && !options->profile ? choose(fst, options, out, why) : PF_EARG;
    if (err != PF_EARG) return err;
    PF_TRY(pf_best(fst, options, out));
    memcpy(out->why, why, sizeof why);
    return PF_OK;
}

double pf_best_size(pf_fst *fst, const pf_best_options *options) {
    const pf_con *con = pf_fst_space(fst);
    bool prunes = options->beam || options->widen || (options->threshold > 0 && !options->lattice);
    if (!con || prunes || options->max_states) return 0;
    if (options->search == PF_SEARCH_CHART || (options->search == PF_SEARCH_AUTO && !pf_chart_check(fst, options, NULL))) return 0;
    pf_con_size size;
    pf_con_size_init(&size);
    pf_con_size_of(con, &size);
    double states = size.machine ? mpz_get_d(size.states) : 0;
    pf_con_size_clear(&size);
    return states;
}

const char *pf_answer_searched(const pf_answer *answer, const pf_fst *fst, char words[PF_SEARCHED_BYTES]) {
    const pf_con *con = pf_fst_space(fst);
    char why[PF_WHY_BYTES + 4] = "", ahead[64] = "", reference[80] = "", proof[PF_PROOF_BYTES];
    if (con && con->looks_ahead)
        snprintf(ahead, sizeof ahead, ", %llu states looked ahead", (unsigned long long)pf_con_probes(con));
    if (answer->compared && answer->reference < (double)INFINITY)
        snprintf(reference, sizeof reference, "; reference %.6f, %s", answer->reference,
            pf_verdict_name(pf_answer_verdict(answer)));
    else if (answer->compared) snprintf(reference, sizeof reference, "; reference not admitted");
    if (*answer->why) snprintf(why, sizeof why, " (%s)", answer->why);
    snprintf(words, PF_SEARCHED_BYTES, "%zu path%s, %s%s: %llu states, %llu arcs%s, %s%s", answer->paths.n,
        pf_plural(answer->paths.n), answer->search, why, (unsigned long long)answer->states,
        (unsigned long long)answer->arcs, ahead, pf_answer_proof(answer, proof), reference);
    return words;
}

/* The lattice, with the answer's symbol tables. */
static pf_err take_lattice(pf_answer *answer, pf_fst **out) {
    *out = answer->lattice;
    answer->lattice = NULL;
    if (!*out) PF_TRY(pf_fst_new(answer->type, NULL, NULL, out));
    pf_fst_set_symbols(*out, answer->isyms, answer->osyms);
    return PF_OK;
}

pf_err pf_reference_next(pf_reader *references, pf_fst *fst, pf_err failed, pf_reference_order **out) {
    char *line;
    size_t n;
    pfi_failure before;
    pfi_failure_note(&before, failed);
    PF_TRY(pf_reader_line(references, &line, &n));
    if (failed) return pfi_failure_again(&before);
    if (!line)
        return pf_reader_fail_line(references, "expected the reference of another record, found the end (is it of another text?)");
    if (pf_line_check(line, n)) return pf_reader_fail_line(references, "%s", pf_message());
    return pf_reference_order_new(fst, line, out);
}

pf_err pf_reference_end(pf_reader *references) {
    char *line;
    size_t n;
    PF_TRY(pf_reader_line(references, &line, &n));
    if (!line) return PF_OK;
    return pf_reader_fail_line(references, "expected the end, as every record has its reference, found one more line "
                               "(is it of another text?)");
}

pf_err pf_expr_of_search(pf_answer *answer, pf_answer_form form, pf_expr **out) {
    pf_fst *fst;
    *out = NULL;
    if (form == PF_ANSWER_AS_PATHS) return pf_expr_of_answer(answer, out);
    PF_TRY(form == PF_ANSWER_AS_LATTICE ? take_lattice(answer, &fst) : pf_answer_fst(answer, &fst));
    return pf_expr_of_fst(fst, out);
}
