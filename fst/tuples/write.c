/* Tuples in sequence. */
#include <permfst/tuples/write.h>

#include <assert.h>

static const pf_word *from(const pf_words *words, size_t i) { return words->at ? words->at + i : NULL; }

pf_err pf_tuples_write(pf_writer *writer, const pf_tuples *tuples, const pf_words *reordered, const pf_words *target) {
    pf_tuple at = {0, 0};
    assert(reordered->n == tuples->order.n);
    for (size_t k = 0; k < tuples->tuple.n; k++) {
        pf_tuple to = tuples->tuple.at[k];
        assert(to.source_end <= reordered->n && to.target_end <= target->n);
        if (k) PF_TRY(pf_writer_put(writer, " ", 1));
        PF_TRY(pf_tuple_write(writer, from(reordered, at.source_end), to.source_end - at.source_end,
                              from(target, at.target_end), to.target_end - at.target_end));
        at = to;
    }
    return PF_OK;
}

pf_err pf_tuples_write_order(pf_writer *writer, const pf_tuples *tuples) {
    for (size_t place = 0; place < tuples->order.n; place++) {
        char digits[16], *to = digits + sizeof digits;
        uint32_t value = tuples->order.at[place] + 1;
        do *--to = (char)('0' + value % 10);
        while (value /= 10);
        if (place) *--to = ' ';
        PF_TRY(pf_writer_put(writer, to, (size_t)(digits + sizeof digits - to)));
    }
    return PF_OK;
}

/* ---- the lines of a pair ---- */

static pf_err end_line(pf_writer *writer) {
    PF_TRY(pf_writer_put(writer, "\n", 1));
    return pf_writer_temporary(writer) ? PF_OK : pf_writer_flush(writer);
}

static pf_err write_lines(const pf_tuple_writers *to, const pf_tuples *tuples, const pf_words *reordered,
    const pf_words *target) {
    if (to->tuples) PF_TRY(pf_tuples_write(to->tuples, tuples, reordered, target));
    if (to->reordered) PF_TRY(pf_words_write(to->reordered, reordered));
    if (to->permutations) PF_TRY(pf_tuples_write_order(to->permutations, tuples));
    if (to->tuples) PF_TRY(end_line(to->tuples));
    if (to->reordered) PF_TRY(end_line(to->reordered));
    return to->permutations ? end_line(to->permutations) : PF_OK;
}

pf_err pf_tuples_write_lines(const pf_tuple_writers *to, const pf_tuples *tuples, const pf_words *source,
    const pf_words *target) {
    pf_words reordered = {0};
    pf_err err = pf_tuples_reorder(tuples, source, &reordered);
    if (!err) err = write_lines(to, tuples, &reordered, target);
    PF_VEC_FREE(&reordered);
    return err;
}
