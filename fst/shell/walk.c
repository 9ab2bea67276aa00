/* A walk through the automaton of a session by hand: the costs of what may come next, and the way there. Only the states that are
 * looked at are expanded. */
#include "shell/shell_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pf_fst *machine(const pf_shell *shell) { return pf_opened_fst(shell->walk.opened); }

static const pfi_walk_place *here(const pf_shell *shell) {
    assert(shell->walk.opened && shell->walk.place.n);
    return &shell->walk.place.at[shell->walk.place.n - 1];
}

static const char *label_name(const pf_fst *fst, pf_label label, char room[24]) {
    size_t length;
    const char *name = fst->osyms ? pf_symtab_name(fst->osyms, label, &length) : NULL;
    if (name || !label) return name ? name : "(nothing)";
    snprintf(room, 24, "%u", (unsigned)label);
    return room;
}

/* Begins at the start, unless somebody walks already. */
static pf_err begin(pf_shell *shell) {
    pf_expr *automaton;
    if (shell->walk.opened) return PF_OK;
    PF_TRY(pfi_settings_automaton(&shell->settings, &automaton));
    pf_err err = pf_open(automaton, &shell->walk.opened);
    pf_expr_free(automaton);
    if (!err && machine(shell)->start == PF_NO_STATE) err = pf_fail(PF_EARG, "the automaton has no state");
    if (!err) err = PF_PUSH(&shell->walk.place, ((pfi_walk_place){.state = machine(shell)->start})) ? pf_nomem() : PF_OK;
    if (err) pfi_walk_end(shell);
    return err;
}

/* The cheapest arc from here with the word; NULL: there is none. */
static const pf_arc *arc_of(const pf_shell *shell, const char *word) {
    pf_fst *fst = machine(shell);
    pf_arcs arcs = pf_fst_arcs(fst, here(shell)->state);
    const pf_arc *best = NULL;
    char room[24];
    for (uint32_t i = 0; i < arcs.n; i++)
        if (strcmp(label_name(fst, arcs.arc[i].out, room), word) == 0 && (!best || arcs.arc[i].w < best->w)) best = &arcs.arc[i];
    return best;
}

static pf_err no_such_word(const pf_shell *shell, const char *word) {
    pf_fst *fst = machine(shell);
    PF_TRY(pf_fst_error(fst));
    pf_arcs arcs = pf_fst_arcs(fst, here(shell)->state);
    char names[400] = "", room[24];
    size_t used = 0;
    for (uint32_t i = 0; i < arcs.n && used < sizeof names - 100; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", i ? ", " : "",
                                 label_name(fst, arcs.arc[i].out, room));
    return pf_fail(PF_EARG, "expected %s at step %zu, found '%.100s'", arcs.n ? names : "the end", shell->walk.place.n, word);
}

/* A word may stand in several places: the cheapest arc is taken. */
static pf_err take(pf_shell *shell, const char *word) {
    const pf_arc *arc = arc_of(shell, word);
    if (!arc) return no_such_word(shell, word);
    pfi_walk_place place = {arc->to, *arc};
    return PF_PUSH(&shell->walk.place, place) ? pf_nomem() : PF_OK;
}

static pf_err take_all(pf_shell *shell, const char *const *word, size_t n) {
    size_t before = shell->walk.place.n;
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < n; i++) err = take(shell, word[i]);
    if (err) shell->walk.place.n = before;
    return err;
}

static int by_cost(const void *first, const void *second) {
    const pf_arc *a = first, *b = second;
    if (a->w != b->w) return a->w < b->w ? -1 : 1;
    return a->in < b->in ? -1 : a->in > b->in ? 1 : a->out < b->out ? -1 : a->out > b->out;
}

static pf_err say_moves(pfi_command *command, const pf_arc *arc, uint32_t n, float final) {
    pf_fst *fst = machine(command->shell);
    bool people = command->shell->options.people;
    char room[24];
    for (uint32_t i = 0; i < n; i++) {
        const char *word = label_name(fst, arc[i].out, room);
        PF_TRY(people ? PFI_SAY(command, "%s%s %.3f", i ? "   " : "", word, (double)arc[i].w)
                      : PFI_SAY(command, "%s\t%u\t%.6f\n", word, (unsigned)arc[i].in, (double)arc[i].w));
    }
    if (!isinf(final))
        PF_TRY(PFI_SAY(command, people ? "%s(end) %.3f" : "%s(end)\t\t%.6f\n", people && n ? "   " : "", (double)final));
    return people ? PFI_SAY(command, "\n") : PF_OK;
}

/* What may come next, cheapest first. */
static pf_err say_here(pfi_command *command) {
    pf_fst *fst = machine(command->shell);
    pf_arcs arcs = pf_fst_arcs(fst, here(command->shell)->state);
    PF_TRY(pf_fst_error(fst));
    pf_arc *sorted = malloc((arcs.n + 1) * sizeof *sorted);
    if (!sorted) return pf_nomem();
    if (arcs.n) memcpy(sorted, arcs.arc, arcs.n * sizeof *sorted);
    qsort(sorted, arcs.n, sizeof *sorted, by_cost);
    pf_err err = say_moves(command, sorted, arcs.n, pf_fst_final(fst, here(command->shell)->state));
    free(sorted);
    return err;
}

/* The way so far, with its cost, then what may come next. */
static pf_err say_way(pfi_command *command) {
    const pf_shell *shell = command->shell;
    double cost = 0;
    char room[24];
    if (!shell->options.people) return say_here(command);
    for (size_t i = 1; i < shell->walk.place.n; i++) {
        cost += (double)shell->walk.place.at[i].arc.w;
        PF_TRY(PFI_SAY(command, "%s ", label_name(machine(shell), shell->walk.place.at[i].arc.out, room)));
    }
    if (shell->walk.place.n > 1) PF_TRY(PFI_SAY(command, "%.3f\n", cost));
    return say_here(command);
}

/* step: from the start along the words; without words: here. */
pf_err pfi_do_step(pfi_command *command) {
    pf_shell *shell = command->shell;
    size_t before = shell->walk.opened ? shell->walk.place.n : 0;
    if (command->n == 1) {
        PF_TRY(begin(shell));
        return say_here(command);
    }
    PF_TRY(begin(shell));
    pfi_shell_walk old = shell->walk;
    shell->walk.place.at = NULL;
    shell->walk.place.n = shell->walk.place.cap = 0;
    pf_err err = PF_PUSH(&shell->walk.place, old.place.at[0]) ? pf_nomem() : PF_OK;
    if (!err) err = take_all(shell, command->word + 1, command->n - 1);
    if (err) {
        PF_VEC_FREE(&shell->walk.place);
        shell->walk = old;
        if (!before) pfi_walk_end(shell);
        return err;
    }
    PF_VEC_FREE(&old.place);
    return say_here(command);
}

pf_err pfi_do_take(pfi_command *command) {
    PF_TRY(begin(command->shell));
    PF_TRY(take_all(command->shell, command->word + 1, command->n - 1));
    return say_way(command);
}

/* back: one step, or so many. */
pf_err pfi_do_back(pfi_command *command) {
    pf_shell *shell = command->shell;
    uint64_t n = 1;
    PF_TRY(begin(shell));
    if (command->n > 1) PF_TRY(pfi_command_number(command->word[1], "a number of steps", 1, UINT32_MAX, &n));
    if (n >= shell->walk.place.n)
        return pf_fail(PF_EARG, "back: expected at most %zu steps, found %llu", shell->walk.place.n - 1, (unsigned long long)n);
    shell->walk.place.n -= (size_t)n;
    return say_way(command);
}
