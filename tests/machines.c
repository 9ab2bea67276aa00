#include "machines.h"

#include "check.h"

#include <string.h>

void expect_same_table(const pf_symtab *one, const pf_symtab *other) {
    CHECK(!one == !other, "one has a table");
    if (!one) return;
    assert_int_equal(pf_symtab_count(one), pf_symtab_count(other));
    for (size_t at = 0; at < pf_symtab_count(one); at++) {
        size_t length, others;
        pf_label label, other_label;
        const char *word = pf_symtab_at(one, at, &length, &label), *other_word = pf_symtab_at(other, at, &others, &other_label);
        CHECK(length == others && label == other_label && memcmp(word, other_word, length) == 0, "'%s' %d, '%s' %d", word, label,
              other_word, other_label);
    }
}

void expect_same_fst(pf_fst *one, pf_fst *other) {
    assert_int_equal(one->start, other->start);
    assert_int_equal(pf_fst_states(one), pf_fst_states(other));
    for (pf_state state = 0; state < pf_fst_states(one); state++) {
        pf_arcs arcs = pf_fst_arcs(one, state), others = pf_fst_arcs(other, state);
        assert_int_equal(arcs.n, others.n);
        CHECK(!arcs.n || memcmp(arcs.arc, others.arc, arcs.n * sizeof *arcs.arc) == 0, "the arcs of state %u", state);
        CHECK(pf_fst_final(one, state) == pf_fst_final(other, state), "the final weight of state %u", state);
    }
}

bool some_negative(pf_fst *fst) {
    for (pf_state state = 0; state < pf_fst_states(fst); state++) {
        if (pf_fst_final(fst, state) < 0) return true;
        for (uint32_t i = 0; i < pf_fst_arcs(fst, state).n; i++)
            if (pf_fst_arcs(fst, state).arc[i].w < 0) return true;
    }
    return false;
}
