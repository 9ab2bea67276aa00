/* What is asked of an automaton: its best paths, how good they are, how many there are, and why an order is outside of a space. */
#include "shell/shell_impl.h"

#include <permfst/draw/order.h>
#include <permfst/io/paths.h>
#include <permfst/oracle/bleu.h>
#include <permfst/permute/check.h>
#include <permfst/permute/order.h>
#include <permfst/search/reference.h>
#include <permfst/verbs/check.h>
#include <permfst/verbs/count.h>
#include <permfst/verbs/describe.h>
#include <permfst/verbs/draw.h>
#include <permfst/verbs/print.h>
#include <permfst/verbs/search.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 1000000 };

/* ---- pipelines ---- */

/* What is made by a search, or in another way, and how it is printed. */
static pf_err pipe_made(pf_shell *shell, const char *making, const char *print) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pfi_pipe_automaton(&shell->settings, words);
    if (!err) err = pf_writer_text(words, "%s", making);
    return pfi_pipe_made(shell, err, words, print);
}

static pf_err pipe_search(pf_shell *shell, size_t n, const char *print) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pfi_pipe_automaton(&shell->settings, words);
    if (!err) err = pfi_pipe_search(&shell->settings, n, words);
    return pfi_pipe_made(shell, err, words, print);
}

/* A file for the reference that no other reference of the pipeline has. */
static void name_reference(const pf_writer *words, char name[40]) {
    size_t n;
    const char *text = (const char *)pf_writer_bytes(words, &n);
    snprintf(name, 40, "reference.txt");
    for (unsigned i = 2; n && strstr(text, name); i++) snprintf(name, 40, "reference%u.txt", i);
}

/* The reference goes to a file, which the programs read beside the records: `making` and the file's name make the record. */
static pf_err pipe_reference(pf_shell *shell, const char *reference, bool searched, const char *making, const char *print) {
    pf_writer *words, *automaton = NULL;
    char file[40];
    size_t n;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pf_writer_memory(&automaton);
    if (!err) err = pfi_pipe_automaton(&shell->settings, automaton);
    if (!err && searched) err = pfi_pipe_search(&shell->settings, 1, automaton);
    if (!err) err = pf_writer_put(automaton, "", 1);
    if (!err) {
        name_reference(automaton, file);
        err = pfi_pipe_text(reference, words);
        if (!err) err = pf_writer_text(words, " > %s && %s%s%s", file, (const char *)pf_writer_bytes(automaton, &n), making, file);
    }
    pf_writer_free(automaton);
    return pfi_pipe_made(shell, err, words, print);
}

/* ---- orders ---- */

/* The order of a path, whose input labels are positions; false: they are not. */
static bool order_of(const pf_answer *answer, const pf_path *path, unsigned *order, unsigned *n) {
    *n = 0;
    if (answer->isyms) return false;
    for (size_t i = 0; i < path->n; i++) {
        if (path->arc[i].in <= 0 || (size_t)path->arc[i].in > path->n) return false;
        order[(*n)++] = (unsigned)path->arc[i].in - 1;
    }
    return true;
}

pf_err pfi_shell_order(pf_shell *shell, unsigned **order, unsigned *n) {
    *order = NULL;
    if (!shell->answer || !shell->answer->answer->paths.n)
        return pf_fail(PF_EARG, "there is no answer yet whose order that could be: best finds one");
    const pf_path *path = &shell->answer->answer->paths.at[0];
    if (!(*order = calloc(path->n + 1, sizeof **order))) return pf_nomem();
    if (order_of(shell->answer->answer, path, *order, n)) return PF_OK;
    free(*order);
    *order = NULL;
    return pf_fail(PF_EARG, "the paths of the last answer are no orders of a sentence");
}

static bool is_order(const pf_answer *answer, const pf_path *path, bool *same) {
    *same = true;
    for (size_t i = 0; i < path->n; i++) {
        if (answer->isyms || path->arc[i].in <= 0 || (size_t)path->arc[i].in > path->n) return false;
        *same = *same && (size_t)path->arc[i].in == i + 1;
    }
    return true;
}

/* A path for people: what moved, and the order. */
static pf_err say_path(pfi_command *command, const pf_answer *answer, size_t rank) {
    const pf_shell *shell = command->shell;
    bool same, numeric = !answer->osyms;
    if (!is_order(answer, &answer->paths.at[rank], &same)) {
        PF_TRY(pf_answer_write_words(shell->text, answer, rank, numeric));
        return PFI_SAY(command, "\n");
    }
    PF_TRY(pf_draw_diff(shell->text, answer, rank, numeric, shell->options.colour));
    if (same) return PFI_SAY(command, "\n");
    PF_TRY(PFI_SAY(command, "   "));
    PF_TRY(pf_answer_write_permutation(shell->text, answer, rank));
    return PFI_SAY(command, "\n");
}

static pf_err say_answer(pfi_command *command, const pf_answer *answer) {
    char proof[PF_PROOF_BYTES];
    const char *words = pf_answer_proof(answer, proof);
    if (!answer->paths.n) return PFI_SAY(command, "no path\n");
    for (size_t i = 0; i < answer->paths.n; i++) {
        if (answer->paths.n > 1) PF_TRY(PFI_SAY(command, "%zu ", i + 1));
        PF_TRY(PFI_SAY(command, "%.3f %-*s  ", answer->paths.at[i].cost, (int)strlen(words), i ? "" : words));
        PF_TRY(say_path(command, answer, i));
    }
    return answer->stopped
        ? PFI_SAY(command, "%s ended the search after %llu states\n", answer->out_of_memory ? "the end of memory" :
                                     pfi_shell_expired(command->shell) ? "an interruption or the time" : "a limit",
                                     (unsigned long long)answer->states) : PF_OK;
}

static pf_err put_answer(pfi_command *command, const pf_answer *answer) {
    if (command->shell->options.people) return say_answer(command, answer);
    return pf_answer_write_table(command->shell->text, answer, 1, !answer->osyms);
}

/* ---- best ---- */

static double now(const pf_shell *shell) {
    const pf_shell_host *host = &shell->options.host;
    return host->clock ? host->clock(host->self, false) : 0;
}

/* The best paths of an opened automaton, and a reference beside them. */
static pf_err search(pf_shell *shell, pf_fst *fst, size_t n, const char *reference, pf_answer *answer) {
    pf_best_options how = pfi_shell_search(shell, n);
    double seconds = shell->settings.number_of[PFI_SETTING_SECONDS];
    pf_reference_order *order = NULL;
    shell->deadline = seconds >= 0 ? now(shell) + seconds : -1;
    pf_err err = pf_search_best(fst, &how, answer);
    shell->deadline = -1;
    /* A person sees that the answer is cut short; lines of a script are taken as they are. */
    if (!err && answer->out_of_memory && !shell->options.people) err = pf_nomem();
    if (!err && reference) err = pf_reference_order_new(fst, reference, &order);
    if (!err && reference) err = pf_answer_compare(answer, order, pfi_shell_expired, shell);
    pf_reference_order_free(order);
    return err;
}

/* The answer becomes that of the session. */
static pf_err find_best(pf_shell *shell, size_t n, const char *reference, const pf_answer **out) {
    pf_expr *automaton, *record = NULL;
    pf_opened *opened = NULL;
    pf_answer answer = {0};
    PF_TRY(pfi_settings_automaton(&shell->settings, &automaton));
    pf_err err = pf_open(automaton, &opened);
    if (!err) err = search(shell, pf_opened_fst(opened), n, reference, &answer);
    if (!err) err = pf_expr_of_answer(&answer, &record);
    else pf_answer_free(&answer);
    if (!err) pfi_shell_made(shell, record);
    if (!err) shell->no = !record->answer->paths.n;
    if (!err) *out = record->answer;
    pf_expr_free(record);
    pf_opened_free(opened);
    pf_expr_free(automaton);
    return err;
}

pf_err pfi_do_best(pfi_command *command) {
    const pf_answer *answer;
    uint64_t n = 1;
    if (command->n > 1) PF_TRY(pfi_command_number(command->word[1], "a number of paths", 1, MOST_PATHS, &n));
    PF_TRY(find_best(command->shell, (size_t)n, NULL, &answer));
    PF_TRY(put_answer(command, answer));
    return pipe_search(command->shell, (size_t)n, " | permprint");
}

/* The last answer, or else the best path. */
static pf_err need_answer(pf_shell *shell, const pf_answer **out) {
    if (shell->answer) {
        *out = shell->answer->answer;
        return PF_OK;
    }
    PF_TRY(find_best(shell, 1, NULL, out));
    return pipe_search(shell, 1, " | permprint");
}

static pf_err pipe_answer(pf_shell *shell, const char *question) {
    return pfi_pipe_asked(shell, shell->answer_source ? shell->answer_source : "", question);
}

pf_err pfi_do_certificate(pfi_command *command) {
    const pf_answer *answer;
    PF_TRY(need_answer(command->shell, &answer));
    PF_TRY(pf_answer_describe(answer, command->shell->text));
    return pipe_answer(command->shell, " | perminfo | cut -f 2- | sed 1d");
}

static pf_err say_verdict(pfi_command *command, const pf_answer *answer) {
    if (!command->shell->options.people) return pf_answer_describe_verdict(answer, command->shell->text);
    PF_TRY(PFI_SAY(command, "%s: ", pf_verdict_name(pf_answer_verdict(answer))));
    if (isinf(answer->reference)) return PFI_SAY(command, "the space has no such order\n");
    PF_TRY(PFI_SAY(command, "%.3f", answer->reference));
    return answer->paths.n ? PFI_SAY(command, ", the best %.3f\n", answer->paths.at[0].cost) : PFI_SAY(command, "\n");
}

pf_err pfi_do_reference(pfi_command *command) {
    const pf_answer *answer;
    PF_TRY(find_best(command->shell, 1, command->rest, &answer));
    command->shell->no = !isfinite(answer->reference);
    PF_TRY(say_verdict(command, answer));
    return pipe_reference(command->shell, command->rest, true, " --reference=",
                          " | perminfo | cut -f 2- | grep -E '^(best cost|reference)'");
}

/* ---- why, tight ---- */

/* Words of the sentence beside the positions in an explanation: of "position 6 at step 4, ibm:2 allows 4, 5" 6, 4 and 5. */
static pf_err name_positions(pfi_command *command, const pfi_slots *slots, const char *at) {
    const char *way = strstr(at, ": position ");
    for (bool listing = false; *at; at++) {
        if (way && at < way) at = way + 2, way = NULL;
        if (strncmp(at, "position ", 9) == 0) at += 9, listing = true;
        if (strncmp(at, "allows ", 7) == 0) {
            PF_TRY(PFI_SAY(command, "allows "));
            at += 7;
            listing = true;
        }
        if (listing && *at >= '0' && *at <= '9') {
            char *end;
            unsigned long j = strtoul(at, &end, 10);
            at = end;
            if (j >= 1 && j <= slots->n) PF_TRY(PFI_SAY(command, "%s (%lu)", slots->word[j - 1], j));
            else PF_TRY(PFI_SAY(command, "%lu", j));
        }
        listing = listing && (strncmp(at, ", ", 2) == 0 || *at == '-') && at[1] && at[1 + (*at == ',')] >= '0'
            && at[1 + (*at == ',')] <= '9';
        if (!*at) break;
        PF_TRY(PFI_SAY(command, "%c", *at));
        if (listing && *at == ',') PF_TRY(PFI_SAY(command, "%c", *++at));
    }
    return PF_OK;
}

typedef struct {
    pfi_command *command;
    const unsigned *order;
    unsigned n;
    const pfi_slots *slots;
    const char *gap;
} explanations;

static pf_err explain(void *self, const char *spec, bool inside, pf_check *breaks) {
    explanations *all = self;
    pf_writer *words;
    size_t n;
    if (!all->command->shell->no) all->command->shell->no = !inside;
    if (inside) return PFI_SAY(all->command, "inside %s\n", spec);
    PF_TRY(pf_writer_memory(&words));
    pf_err err = breaks ? pf_check_why(breaks, all->order, 1, words) : pf_writer_text(words, "outside %s", spec);
    if (!err) err = pf_writer_put(words, "", 1);
    if (!err) err = name_positions(all->command, all->slots, (const char *)pf_writer_bytes(words, &n));
    pf_writer_free(words);
    return err ? err : PFI_SAY(all->command, "\n");
}

static pf_err list_tight(void *self, const char *spec, bool inside, pf_check *breaks) {
    explanations *all = self;
    (void)breaks;
    if (!inside) return PF_OK;
    PF_TRY(PFI_SAY(all->command, "%s%s", all->gap, spec));
    all->gap = " ";
    return PF_OK;
}

/* The line that permcheck would be given, and its answer. */
static pf_err check_line(pfi_command *command, const unsigned *order, unsigned n, const pf_check_options *how) {
    pf_writer *line;
    size_t length;
    bool outside = false;
    PF_TRY(pf_writer_memory(&line));
    pf_err err = pf_visit_order_write(line, order, n, 1);
    if (!err) err = pf_writer_put(line, "", 1);
    if (!err) err = pf_check_line((const char *)pf_writer_bytes(line, &length), 1, how, NULL, command->shell->text, &outside);
    pf_writer_free(line);
    command->shell->no = outside;
    return err;
}

static pf_err pipe_check(pf_shell *shell, const unsigned *order, unsigned n, const char *spec) {
    pf_writer *words;
    PF_TRY(pf_writer_memory(&words));
    pf_err err = pf_writer_text(words, "echo ");
    if (!err) err = pf_visit_order_write(words, order, n, 1);
    if (!err) err = pf_writer_text(words, " | permcheck%s", spec ? " --why -c " : "");
    if (!err && spec) err = pfi_quote(words, spec);
    if (!err) err = pfi_shell_pipeline(shell, words);
    pf_writer_free(words);
    return err;
}

/* Checks an order against a specification; NULL: finds the tightest specifications that allow it. */
static pf_err check_order(pfi_command *command, const char *spec, const unsigned *order, unsigned n) {
    pf_check_options how = {.con = &spec, .n_con = spec != NULL, .why = spec != NULL, .base = 1};
    pfi_slots slots;
    PF_TRY(pipe_check(command->shell, order, n, spec));
    if (!command->shell->options.people) return check_line(command, order, n, &how);
    PF_TRY(pfi_shell_slots(command->shell, &slots));
    explanations all = {command, order, n, &slots, ""};
    command->shell->no = false;
    pf_err err = spec ? pf_check_spec(spec, order, n, explain, &all) : pf_check_tightest(order, n, list_tight, &all);
    if (!err && !spec) err = PFI_SAY(command, "\n");
    pfi_slots_free(&slots);
    return err;
}

static pf_err check_answer(pfi_command *command, const char *spec) {
    unsigned *order, n;
    PF_TRY(pfi_shell_order(command->shell, &order, &n));
    pf_err err = check_order(command, spec, order, n);
    free(order);
    return err;
}

pf_err pfi_do_why(pfi_command *command) {
    return command->n > 2 ? pfi_why_pair(command) : check_answer(command, command->word[1]);
}

pf_err pfi_do_tight(pfi_command *command) { return check_answer(command, NULL); }

/* ---- count, sample ---- */

static pf_err put_count(pfi_command *command, pf_expr *automaton, const char *by) {
    pf_path_count count;
    char words[PF_COUNT_HOW_BYTES];
    pf_tally_options how = {.by = by, .expired = pfi_shell_expired, .self = command->shell};
    PF_TRY(pf_expr_count(automaton, &how, &count));
    pf_err err = pf_tally_write(&count.tally, by, NULL, command->shell->text);
    if (!err && command->shell->options.people && !by) err = PFI_SAY(command, "%s\n", pf_path_count_how(&count, words));
    pf_path_count_free(&count);
    return err;
}

static pf_err pipe_count(pf_shell *shell, const char *by) {
    char question[100] = " | permcount";
    if (by) snprintf(question, sizeof question, " | permcount --by=%s", by);
    return pfi_pipe_asked(shell, NULL, question);
}

pf_err pfi_do_count(pfi_command *command) {
    char by[64] = "";
    pf_expr *automaton;
    if (command->n > 1 && strlen(command->word[1]) < 60) {
        strcpy(by, command->word[1]);
        strcat(by, ":1");
    } else if (command->n > 1) return pf_fail(PF_EARG, "count: expected a statistic such as inversions");
    PF_TRY(pfi_settings_automaton(&command->shell->settings, &automaton));
    pf_err err = put_count(command, automaton, *by ? by : NULL);
    pf_expr_free(automaton);
    return err ? err : pipe_count(command->shell, *by ? command->word[1] : NULL);
}

static pf_err draw(pf_shell *shell, pf_expr *automaton, size_t n, pf_expr **record) {
    pf_randgen_options how = {.expired = pfi_shell_expired, .self = shell};
    pf_opened *opened;
    pf_answer answer = {0};
    PF_TRY(pf_open(automaton, &opened));
    pf_err err = pf_draw_paths(pf_opened_fst(opened), &how, shell->settings.seed, 1, n, &answer);
    if (!err) err = pf_expr_of_answer(&answer, record);
    else pf_answer_free(&answer);
    pf_opened_free(opened);
    return err;
}

pf_err pfi_do_sample(pfi_command *command) {
    pf_shell *shell = command->shell;
    pf_expr *automaton, *record = NULL;
    char making[80];
    uint64_t n = 1;
    if (command->n > 1) PF_TRY(pfi_command_number(command->word[1], "a number of paths", 1, MOST_PATHS, &n));
    PF_TRY(pfi_settings_automaton(&shell->settings, &automaton));
    pf_err err = draw(shell, automaton, (size_t)n, &record);
    if (!err) err = pf_answer_write_table(shell->text, record->answer, 1, !record->answer->osyms);
    if (!err) pfi_shell_made(shell, record);
    if (!err) shell->no = !record->answer->paths.n;
    pf_expr_free(record);
    pf_expr_free(automaton);
    snprintf(making, sizeof making, " | permrandgen --seed=%llu -n %llu", (unsigned long long)shell->settings.seed,
             (unsigned long long)n);
    return err ? err : pipe_made(shell, making, " | permprint");
}

/* ---- oracle, tree ---- */

static pf_err say_oracle(pfi_command *command, const pf_oracle_answer *found) {
    char proof[PF_ORACLE_PROOF_BYTES];
    if (!command->shell->options.people)
        return pf_answer_write_table(command->shell->text, &found->answer, 1, !found->answer.osyms);
    if (!found->answer.paths.n) return PFI_SAY(command, "no path\n");
    PF_TRY(PFI_SAY(command, "BLEU %.2f %s  ", 100 * found->score, pf_oracle_proof(found, proof)));
    return say_path(command, &found->answer, 0);
}

static pf_err find_oracle(pfi_command *command, pf_fst *fst, pf_expr **record) {
    pf_oracle_references references;
    pf_oracle_options how = {.expired = pfi_shell_expired, .self = command->shell};
    pf_oracle_answer found = {0};
    pf_oracle_references_init(&references);
    pf_err err = pf_oracle_references_add(&references, command->rest, strlen(command->rest));
    if (!err) err = pf_oracle_bleu(fst, &references, &how, &found);
    if (!err) err = say_oracle(command, &found);
    if (!err) {
        pf_answer answer = found.answer;
        found.answer = (pf_answer){0};
        err = pf_expr_of_answer(&answer, record);
    }
    pf_oracle_answer_free(&found);
    pf_oracle_references_free(&references);
    return err;
}

pf_err pfi_do_oracle(pfi_command *command) {
    pf_shell *shell = command->shell;
    pf_expr *automaton, *record = NULL;
    pf_opened *opened = NULL;
    PF_TRY(pfi_settings_automaton(&shell->settings, &automaton));
    pf_err err = pf_open(automaton, &opened);
    if (!err) err = find_oracle(command, pf_opened_fst(opened), &record);
    if (!err) shell->no = !record->answer->paths.n;
    if (!err) pfi_shell_made(shell, record);
    pf_expr_free(record);
    pf_opened_free(opened);
    pf_expr_free(automaton);
    return err ? err : pipe_reference(shell, command->rest, false, " | permoracle ", " | permprint");
}

pf_err pfi_do_tree(pfi_command *command) {
    pf_print_options how = {.form = PF_PRINT_TREES, .record = 1};
    const pf_answer *answer;
    bool no_path;
    PF_TRY(need_answer(command->shell, &answer));
    PF_TRY(pf_expr_print(command->shell->answer, &how, command->shell->text, &no_path));
    command->shell->no = no_path;
    return pipe_answer(command->shell, " | permprint --trees");
}
