/* A walk through the automaton of a session by hand: the costs of what may come next, and the way there. Only the states that are
 * looked at are expanded. */
#include "shell/shell_impl.h"

#include <permfst/verbs/step.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static pf_fst *machine(const pf_shell *shell) {
    assert(shell->walk.opened);
    return pf_opened_fst(shell->walk.opened);
}

static const pfi_walk_place *here(const pf_shell *shell) {
    assert(shell->walk.opened && shell->walk.place.n);
    return &shell->walk.place.at[shell->walk.place.n - 1];
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

static pf_err take(pf_shell *shell, const char *word) {
    pfi_walk_place place;
    PF_TRY(pf_step_take(machine(shell), here(shell)->state, word, shell->walk.place.n, &place.arc));
    place.state = place.arc.to;
    return PF_PUSH(&shell->walk.place, place) ? pf_nomem() : PF_OK;
}

static pf_err take_all(pf_shell *shell, const char *const *word, size_t n) {
    size_t before = shell->walk.place.n;
    pf_err err = PF_OK;
    for (size_t i = 0; !err && i < n; i++) err = take(shell, word[i]);
    if (err) shell->walk.place.n = before;
    return err;
}

static pf_err say_moves(pfi_command *command, const pf_arc *arc, uint32_t n, float final) {
    char room[PF_STEP_ROOM];
    for (uint32_t i = 0; i < n; i++)
        PF_TRY(PFI_SAY(command, "%s%s %.3f", i ? "   " : "", pf_step_word(machine(command->shell), arc[i].out, room),
                       (double)arc[i].w));
    if (!isinf(final)) PF_TRY(PFI_SAY(command, "%s(end) %.3f", n ? "   " : "", (double)final));
    return PFI_SAY(command, "\n");
}

/* What may come next, cheapest first. */
static pf_err say_here(pfi_command *command) {
    pf_fst *fst = machine(command->shell);
    pf_state state = here(command->shell)->state;
    pf_arc *arc;
    uint32_t n;
    if (!command->shell->options.people) return pf_step_write(fst, state, command->shell->text);
    PF_TRY(pf_step_arcs(fst, state, &arc, &n));
    pf_err err = say_moves(command, arc, n, pf_fst_final(fst, state));
    free(arc);
    return err;
}

/* The words of the way go to permprint. */
static pf_err pipe_walk(pf_shell *shell) {
    pf_writer *way, *to = NULL;
    char room[PF_STEP_ROOM];
    size_t length;
    PF_TRY(pf_writer_memory(&way));
    pf_err err = pf_writer_memory(&to);
    for (size_t i = 1; !err && i < shell->walk.place.n; i++)
        err = pf_writer_text(way, "%s%s", i > 1 ? " " : "", pf_step_word(machine(shell), shell->walk.place.at[i].arc.out, room));
    if (!err) err = pf_writer_put(way, "", 1);
    if (!err) err = pf_writer_text(to, " | permprint --after=");
    if (!err) err = pfi_quote(to, (const char *)pf_writer_bytes(way, &length));
    if (!err) err = pf_writer_put(to, "", 1);
    if (!err) err = pfi_pipe_asked(shell, NULL, (const char *)pf_writer_bytes(to, &length));
    pf_writer_free(to);
    pf_writer_free(way);
    return err;
}

/* The way so far, with its cost, then what may come next. */
static pf_err say_way(pfi_command *command) {
    const pf_shell *shell = command->shell;
    double cost = 0;
    char room[PF_STEP_ROOM];
    if (!shell->options.people) return say_here(command);
    for (size_t i = 1; i < shell->walk.place.n; i++) {
        cost += (double)shell->walk.place.at[i].arc.w;
        PF_TRY(PFI_SAY(command, "%s ", pf_step_word(machine(shell), shell->walk.place.at[i].arc.out, room)));
    }
    if (shell->walk.place.n > 1) PF_TRY(PFI_SAY(command, "%.3f\n", cost));
    return say_here(command);
}

/* Walks from the start along the words. If that fails, the walk stays as it was. */
static pf_err step(pf_shell *shell, const char *const *word, size_t n) {
    pfi_shell_walk old = shell->walk;
    assert(old.opened && old.place.n);
    shell->walk.place.at = NULL;
    shell->walk.place.n = shell->walk.place.cap = 0;
    pf_err err = PF_PUSH(&shell->walk.place, old.place.at[0]) ? pf_nomem() : PF_OK;
    if (!err) err = take_all(shell, word, n);
    if (err) {
        PF_VEC_FREE(&shell->walk.place);
        shell->walk = old;
    } else PF_VEC_FREE(&old.place);
    return err;
}

/* step: without words, from here. */
pf_err pfi_do_step(pfi_command *command) {
    pf_shell *shell = command->shell;
    bool walks = shell->walk.opened;
    PF_TRY(begin(shell));
    pf_err err = command->n > 1 ? step(shell, command->word + 1, command->n - 1) : PF_OK;
    if (err && !walks) pfi_walk_end(shell);
    if (!err) err = say_here(command);
    return err ? err : pipe_walk(shell);
}

pf_err pfi_do_take(pfi_command *command) {
    PF_TRY(begin(command->shell));
    PF_TRY(take_all(command->shell, command->word + 1, command->n - 1));
    PF_TRY(say_way(command));
    return pipe_walk(command->shell);
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
    PF_TRY(say_way(command));
    return pipe_walk(shell);
}
