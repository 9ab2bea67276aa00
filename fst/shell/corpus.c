/* Corpora of a session: aligned pairs that spaces reach or not, tuples, and sentences that are searched and scored. */
#include "shell/shell_impl.h"

#include <permfst/align/parallel.h>
#include <permfst/coverage/corpus.h>
#include <permfst/ops/permute.h>
#include <permfst/ops/records.h>
#include <permfst/verbs/compile.h>
#include <permfst/verbs/print.h>
#include <permfst/verbs/search.h>

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1000000 }; /* of an answer: the default of permcover */

/* ---- the files ---- */

typedef struct {
    pf_parallel *pairs;
    size_t column[PFI_CORPUS_FILES];
} corpus_files;

static pf_err open_columns(const pf_shell *shell, char *const *path, corpus_files *out) {
    pf_reader *reader;
    pf_parallel_links how = {0};
    PF_TRY(pf_parallel_new(1, &out->pairs));
    for (int i = 0; i < PFI_CORPUS_LINKS; i++) {
        if (!path[i]) continue;
        PF_TRY(pfi_shell_open(shell, path[i], &reader));
        PF_TRY(pf_parallel_words(out->pairs, reader, &out->column[i]));
    }
    if (!path[PFI_CORPUS_LINKS]) return PF_OK;
    how.source = out->column[PFI_CORPUS_SOURCE];
    how.target = out->column[PFI_CORPUS_TARGET];
    PF_TRY(pfi_shell_open(shell, path[PFI_CORPUS_LINKS], &reader));
    return pf_parallel_alignments(out->pairs, reader, &how, &out->column[PFI_CORPUS_LINKS]);
}

/* All lines are read once, so that a damaged corpus is refused here. */
static pf_err count_pairs(const pf_shell *shell, char *const *path, uint64_t *n) {
    corpus_files files = {0};
    bool more = true;
    *n = 0;
    pf_err err = open_columns(shell, path, &files);
    while (!err && !(err = pf_parallel_next(files.pairs, &more)) && more) ++*n;
    pf_parallel_free(files.pairs);
    return err;
}

pf_err pfi_do_load(pfi_command *command) {
    pfi_settings changed;
    uint64_t n = 0;
    bool aligned = command->n == 4;
    if (command->n == 3) return pf_fail(PF_EARG, "load: expected SOURCE, or SOURCE TARGET LINKS, found two files");
    pf_err err = pfi_settings_copy(&command->shell->settings, &changed);
    for (int i = 0; !err && i < PFI_CORPUS_FILES; i++)
        err = pfi_text_set(&changed.corpus[i], i + 1 < (int)command->n ? command->word[i + 1] : NULL);
    if (!err) err = count_pairs(command->shell, changed.corpus, &n);
    PF_TRY(pfi_shell_change(command, err, &changed));
    if (!command->shell->options.people) return PF_OK;
    return PFI_SAY(command, "%llu %s\n", (unsigned long long)n, aligned ? "pairs" : "sentences");
}

static pf_err need_links(const pf_shell *shell) {
    if (shell->settings.corpus[PFI_CORPUS_LINKS]) return PF_OK;
    return pf_fail(PF_EARG, "there is no aligned corpus yet: load SOURCE TARGET LINKS");
}

static pf_err put_files(const pf_shell *shell, const char *before_source, const char *before_target, pf_writer *to) {
    assert(shell->settings.corpus[PFI_CORPUS_LINKS]);
    PF_TRY(pf_writer_text(to, "%s", before_source));
    PF_TRY(pfi_quote(to, shell->settings.corpus[PFI_CORPUS_SOURCE]));
    PF_TRY(pf_writer_text(to, "%s", before_target));
    PF_TRY(pfi_quote(to, shell->settings.corpus[PFI_CORPUS_TARGET]));
    PF_TRY(pf_writer_text(to, " "));
    return pfi_quote(to, shell->settings.corpus[PFI_CORPUS_LINKS]);
}

/* ---- cover ---- */

/* The sources as records: compiled and permuted in order, so that files of costs and trees are read beside them. */
static pf_err write_permuted(pf_compiler *compiler, pf_permuter *permuter, pf_stream_writer *to) {
    for (uint64_t record = 1;; record++) {
        pf_expr *sentence, *permuted = NULL;
        PF_TRY(pf_compiler_next(compiler, &sentence));
        if (!sentence) break;
        pf_err err = pf_permuter_permute(permuter, sentence, &permuted);
        if (!err) err = pf_stream_put(to, permuted, record);
        pf_expr_free(permuted);
        pf_expr_free(sentence);
        PF_TRY(err);
    }
    PF_TRY(pf_permuter_end(permuter));
    return pf_stream_end(to);
}

/* What the records are permuted by. */
typedef struct {
    const char *const *con, *const *wm;
    size_t n_con, n_wm;
    bool at_punctuation;
} corpus_space;

static pf_err permute_corpus(const pf_shell *shell, const corpus_space *space, pf_writer *to) {
    pf_compiler_options how = {.kind = PF_TEXT_SENTENCES, .sentence = {.at_punctuation = space->at_punctuation}};
    pf_reader *reader;
    pf_compiler *compiler = NULL;
    pf_permuter *permuter = NULL;
    pf_stream_writer *stream = NULL;
    assert(shell->settings.corpus[PFI_CORPUS_SOURCE]);
    PF_TRY(pfi_shell_open(shell, shell->settings.corpus[PFI_CORPUS_SOURCE], &reader));
    pf_err err = pf_compiler_new(reader, &how, &compiler);
    if (!err) err = pf_permuter_new(space->con, space->n_con, space->wm, space->n_wm, NULL, false, &permuter);
    if (!err) err = pf_stream_writer_new(to, PF_AS_RECORDS, &stream);
    if (!err) err = write_permuted(compiler, permuter, stream);
    pf_stream_writer_free(stream);
    pf_permuter_free(permuter);
    pf_compiler_free(compiler);
    pf_reader_free(reader);
    return err;
}

static pf_err open_permuted(const pf_writer *records, const char *name, pf_source **out) {
    size_t n;
    const unsigned char *bytes = pf_writer_bytes(records, &n);
    pf_reader *reader;
    PF_TRY(pf_reader_memory(bytes, n, name, &reader));
    return pf_source_new(reader, &(pf_source_options){.first = 1}, out);
}

static const bool forward[PF_DIRECTIONS] = {true, false};

/* The second row, of the same constraint with walls at punctuation, as "ibm:3+walls". */
static pf_err name_walled(const char *spec, char **out) {
    size_t n = strlen(spec) + sizeof "+walls";
    if (!(*out = malloc(n))) return pf_nomem();
    snprintf(*out, n, "%s+walls", spec);
    return PF_OK;
}

/* `walled`: the name of the second row. */
static pf_err start_table(const char *spec, const char *walled, pf_coverage_table *table) {
    PF_TRY(pf_coverage_check(spec));
    PF_TRY(pf_coverage_table_spec(table, spec, forward));
    PF_TRY(pf_coverage_table_lattice(table, walled));
    return pf_coverage_table_start(table);
}

static pf_err count_all(pf_shell *shell, pf_source *walled, pf_coverage_table *table) {
    corpus_files files = {0};
    pf_coverage_corpus *corpus = NULL;
    bool more = true;
    pf_err err = open_columns(shell, shell->settings.corpus, &files);
    pf_coverage_corpus_options how = {.pairs = files.pairs, .links = files.column[PFI_CORPUS_LINKS],
                                      .source = files.column[PFI_CORPUS_SOURCE], .target = files.column[PFI_CORPUS_TARGET],
                                      .lattices = walled, .table = table, .asked = {true, false}, .place = PF_PLACE_FIRST,
                                      .filter = {.sure_only = true}, .limit = MOST_STATES, .form = PF_COVERAGE_COUNTED};
    if (!err) err = pf_coverage_corpus_new(&how, &corpus);
    while (!err && !(err = pf_parallel_next(files.pairs, &more)) && more) {
        err = pf_coverage_corpus_pair(corpus);
        if (!err && pfi_shell_expired(shell)) err = pf_fail(PF_ELIMIT, "interrupted");
    }
    if (!err) err = pf_coverage_corpus_end(corpus);
    pf_coverage_corpus_free(corpus);
    pf_parallel_free(files.pairs);
    return err;
}

static pf_err say_cover(pfi_command *command, const pf_coverage_table *table) {
    static const char *const before[] = {"", "   with punctuation walls "};
    assert(table->pairs.n);
    double pairs = (double)table->pairs.at[0];
    for (size_t row = 0; row < 2; row++) {
        uint64_t reached = pf_coverage_reached(pf_coverage_table_cell(table, 0, row, PF_FORWARD), UINT_MAX - 1);
        PF_TRY(PFI_SAY(command, "%s%llu (%.1f %%)", before[row], (unsigned long long)reached,
                       pairs > 0 ? 100 * (double)reached / pairs : 0));
    }
    return PFI_SAY(command, "\n");
}

static pf_err pipe_cover(pf_shell *shell, const char *spec, const char *walled) {
    pf_writer *to;
    PF_TRY(pf_writer_memory(&to));
    pf_err err = pf_writer_text(to, "permcompile --monotone-at-punctuation ");
    if (!err) err = pfi_quote(to, shell->settings.corpus[PFI_CORPUS_SOURCE]);
    if (!err) err = pf_writer_text(to, " | lazyperm -c ");
    if (!err) err = pfi_quote(to, spec);
    if (!err) err = pf_writer_text(to, " | permcover --direction=forward --only --tsv --lattices=- --row=");
    if (!err) err = pfi_quote(to, walled);
    if (!err) err = pf_writer_text(to, " -c ");
    if (!err) err = pfi_quote(to, spec);
    if (!err) err = put_files(shell, " --source=", " --target=", to);
    if (!err) err = pfi_shell_pipeline(shell, to);
    pf_writer_free(to);
    return err;
}

pf_err pfi_do_cover(pfi_command *command) {
    pf_shell *shell = command->shell;
    pf_coverage_table table = {0};
    pf_source *walled = NULL;
    pf_writer *records;
    char *row;
    PF_TRY(need_links(shell));
    PF_TRY(name_walled(command->word[1], &row));
    PF_TRY(pf_writer_memory(&records));
    pf_err err = start_table(command->word[1], row, &table);
    if (!err) err = permute_corpus(shell, &(corpus_space){.con = command->word + 1, .n_con = 1, .at_punctuation = true}, records);
    if (!err) err = open_permuted(records, shell->settings.corpus[PFI_CORPUS_SOURCE], &walled);
    if (!err) err = count_all(shell, walled, &table);
    if (!err)
        err = shell->options.people ? say_cover(command, &table)
                                    : pf_coverage_table_write(&table, UINT_MAX, PF_TABLE_TSV, shell->text);
    pf_source_free(walled);
    pf_writer_free(records);
    pf_coverage_table_free(&table);
    if (!err) err = pipe_cover(shell, command->word[1], row);
    free(row);
    return err;
}

/* ---- why PAIR SPEC ---- */

/* A line as permcover writes it, for people: "amerika-, wurden-were   20-20 27-13". */
static pf_err say_links(pfi_command *command, const char *spec, const char *line) {
    const char *links = line;
    if (!*line) return PFI_SAY(command, "inside %s\n", spec);
    for (int tabs = 0; tabs < 3; tabs++) links = strchr(links, '\t') + 1;
    const char *words = strchr(links, '\t') + 1;
    return PFI_SAY(command, "%.*s   %.*s\n", (int)strcspn(words, "\n"), words, (int)(words - links) - 1, links);
}

static pf_err put_links(pfi_command *command, const pf_coverage_corpus *corpus, pf_writer *line, const char *spec) {
    size_t n;
    PF_TRY(pf_writer_put(line, "", 1));
    const char *text = (const char *)pf_writer_bytes(line, &n);
    if (pf_coverage_corpus_undecided(corpus)) return pf_fail(PF_ELIMIT, "%s: undecided after %d states", spec, MOST_STATES);
    command->shell->no = *text != 0;
    return command->shell->options.people ? say_links(command, spec, text) : PFI_SAY(command, "%s", text);
}

static pf_err find_pair(pf_coverage_corpus *corpus, pf_parallel *pairs, uint64_t number) {
    for (uint64_t i = 0;; i++) {
        bool more;
        PF_TRY(pf_parallel_next(pairs, &more));
        if (!more)
            return pf_fail(PF_EARG, "why: expected a pair of the %llu that there are, found %llu", (unsigned long long)i,
                           (unsigned long long)number);
        if (i + 1 == number) return pf_coverage_corpus_pair(corpus);
        PF_TRY(pf_coverage_corpus_pass(corpus));
    }
}

static pf_err explain_pair(pfi_command *command, const corpus_files *files, uint64_t number, const char *spec, pf_writer *line) {
    pf_coverage_table table = {0};
    pf_coverage_corpus *corpus = NULL;
    pf_coverage_corpus_options how = {.pairs = files->pairs, .links = files->column[PFI_CORPUS_LINKS],
                                      .source = files->column[PFI_CORPUS_SOURCE], .target = files->column[PFI_CORPUS_TARGET],
                                      .table = &table, .asked = {true, false}, .place = PF_PLACE_FIRST,
                                      .filter = {.sure_only = true}, .limit = MOST_STATES, .form = PF_COVERAGE_EXPLAINED,
                                      .spec = spec, .writer = line, .format = PF_TABLE_TSV};
    pf_err err = pf_coverage_table_start(&table); /* without rows: nothing is counted */
    if (!err) err = pf_coverage_corpus_new(&how, &corpus);
    if (!err) err = find_pair(corpus, files->pairs, number);
    if (!err) err = put_links(command, corpus, line, spec);
    pf_coverage_corpus_free(corpus);
    pf_coverage_table_free(&table);
    return err;
}

static pf_err pipe_why(pf_shell *shell, uint64_t number, const char *spec) {
    pf_writer *to;
    PF_TRY(pf_writer_memory(&to));
    pf_err err = pf_writer_text(to, "permcover --direction=forward --records=%llu --why=", (unsigned long long)number);
    if (!err) err = pfi_quote(to, spec);
    if (!err) err = put_files(shell, " --source=", " --target=", to);
    if (!err) err = pfi_shell_pipeline(shell, to);
    pf_writer_free(to);
    return err;
}

pf_err pfi_why_pair(pfi_command *command) {
    corpus_files files = {0};
    pf_writer *line = NULL;
    uint64_t number;
    PF_TRY(need_links(command->shell));
    PF_TRY(pfi_command_number(command->word[1], "the number of a pair", 1, UINT64_MAX - 1, &number));
    PF_TRY(pf_coverage_check(command->word[2]));
    pf_err err = open_columns(command->shell, command->shell->settings.corpus, &files);
    if (!err) err = pf_writer_memory(&line);
    if (!err) err = explain_pair(command, &files, number, command->word[2], line);
    pf_writer_free(line);
    pf_parallel_free(files.pairs);
    return err ? err : pipe_why(command->shell, number, command->word[2]);
}

/* ---- tuples ---- */

pf_err pfi_do_tuples(pfi_command *command) {
    pf_shell *shell = command->shell;
    pf_writer *to;
    size_t n = command->n - 1;
    PF_TRY(need_links(shell));
    const char **arguments = calloc(n + PFI_CORPUS_FILES, sizeof *arguments);
    if (!arguments) return pf_nomem();
    if (n) memcpy(arguments, command->word + 1, n * sizeof *arguments);
    for (int i = 0; i < PFI_CORPUS_FILES; i++) arguments[n + (size_t)i] = shell->settings.corpus[i];
    pf_err err = pfi_shell_program(shell, "permtuples", arguments, n + PFI_CORPUS_FILES, NULL, shell->text);
    free(arguments);
    if (err) return err;
    PF_TRY(pf_writer_memory(&to));
    err = pf_writer_text(to, "permtuples");
    for (size_t i = 1; !err && i < command->n; i++) {
        err = pf_writer_text(to, " ");
        if (!err) err = pfi_quote(to, command->word[i]);
    }
    if (!err) err = put_files(shell, " ", " ", to);
    if (!err) err = pfi_shell_pipeline(shell, to);
    pf_writer_free(to);
    return err;
}

/* ---- score ---- */

/* The words of the best path of one automaton. */
static pf_err put_best(pf_shell *shell, pf_expr *automaton, pf_writer *to) {
    pf_best_options how = pfi_shell_search(shell, 1);
    pf_print_options print = {.form = PF_PRINT_STRINGS, .record = 1};
    pf_answer answer = {0};
    pf_expr *record = NULL;
    pf_opened *opened;
    bool no_path;
    PF_TRY(pf_open(automaton, &opened));
    pf_err err = pf_search_best(pf_opened_fst(opened), &how, &answer);
    if (!err && answer.out_of_memory) err = pf_nomem();
    if (!err) err = pf_expr_of_answer(&answer, &record);
    else pf_answer_free(&answer);
    if (!err) err = pf_expr_print(record, &print, to, &no_path);
    pf_expr_free(record);
    pf_opened_free(opened);
    return err;
}

static pf_err search_record(void *self, pf_record *record) {
    pf_shell *shell = self;
    pf_expr *automaton;
    PF_TRY(pfi_settings_compose(&shell->settings, record->in, &automaton));
    pf_err err = put_best(shell, automaton, record->text);
    pf_expr_free(automaton);
    return err;
}

static pf_err search_records(pf_shell *shell, pf_source *source, pf_writer *to) {
    static const pf_record_steps steps = {.work = search_record, .text = true};
    pf_record_options how = {.threads = shell->options.jobs ? shell->options.jobs : 1, .writer = to, .stand_in = ""};
    pf_records *records;
    PF_TRY(pf_records_new(&steps, shell, &how, &records));
    return pf_records_end(records, pf_records_read(records, source), NULL);
}

static pf_err search_corpus(pf_shell *shell, pf_writer *to) {
    const pfi_settings *settings = &shell->settings;
    corpus_space space = {(const char *const *)settings->space.at, (const char *const *)settings->weight.at, settings->space.n,
                          settings->weight.n, settings->at_punctuation};
    pf_source *source = NULL;
    pf_writer *records;
    PF_TRY(pf_writer_memory(&records));
    pf_err err = permute_corpus(shell, &space, records);
    if (!err) err = open_permuted(records, settings->corpus[PFI_CORPUS_SOURCE], &source);
    if (!err) err = search_records(shell, source, to);
    pf_source_free(source);
    pf_writer_free(records);
    return err;
}

static pf_err pipe_score(pf_shell *shell, const pfi_command *command) {
    pf_writer *to;
    PF_TRY(pf_writer_memory(&to));
    pf_err err = pf_writer_text(to, "permcompile %s", shell->settings.at_punctuation ? "--monotone-at-punctuation " : "");
    if (!err) err = pfi_quote(to, shell->settings.corpus[PFI_CORPUS_SOURCE]);
    if (!err) err = pfi_pipe_permuting(&shell->settings, false, to);
    if (!err) err = pfi_pipe_compose(&shell->settings, to);
    if (!err) err = pfi_pipe_search(&shell->settings, 1, to);
    if (!err) err = pf_writer_text(to, " | permprint --strings | permscore --format=tsv --reference=");
    for (size_t i = 1; !err && i < command->n; i++) {
        if (i > 1) err = pf_writer_text(to, " ");
        if (!err) err = pfi_quote(to, command->word[i]);
    }
    if (!err) err = pfi_shell_pipeline(shell, to);
    pf_writer_free(to);
    return err;
}

/* score REFERENCE [OPTION...] */
static pf_err score_text(pfi_command *command, const pf_writer *text) {
    const char **arguments = calloc(command->n + 2, sizeof *arguments);
    if (!arguments) return pf_nomem();
    arguments[0] = "--format=tsv";
    arguments[1] = "--reference";
    memcpy(arguments + 2, command->word + 1, (command->n - 1) * sizeof *arguments);
    pf_err err = pfi_shell_program_on(command->shell, "permscore", arguments, command->n + 1, text, command->shell->text);
    free(arguments);
    return err;
}

pf_err pfi_do_score(pfi_command *command) {
    pf_shell *shell = command->shell;
    pf_writer *text;
    if (!shell->settings.corpus[PFI_CORPUS_SOURCE]) return pf_fail(PF_EARG, "there is no corpus yet: load SOURCE");
    PF_TRY(pf_writer_memory(&text));
    pf_err err = search_corpus(shell, text);
    if (!err && pfi_shell_expired(shell)) err = pf_fail(PF_ELIMIT, "interrupted");
    if (!err) err = score_text(command, text);
    pf_writer_free(text);
    return err ? err : pipe_score(shell, command);
}
