/* permrules: reordering rules, learned from aligned and tagged text and applied to sentences. */
#include "toolrules.h"

#include <string.h>
#include <sys/stat.h>

static const tool_option options[] = {
    {.letter = 't', .name = "tags", .kind = TOOL_FILE, .to = &toolrules.tags, .metavar = "FILE",
     .help = "learn, map, apply: tags, classes or words of the source sentences, a line a sentence"},
    {.name = "one-tag", .kind = TOOL_FLAG, .to = &toolrules.one_tag, .help = "learn, map: all words have the same tag"},
    {.name = "words", .kind = TOOL_FILE, .to = &toolrules.words, .metavar = "FILE",
     .help = "learn, map: the words of the source sentences"},
    {.name = "lexicalise", .kind = TOOL_NUMBER, .to = &toolrules.lexicalise, .metavar = "N", .min = 1, .max = SIZE_MAX,
     .help = "learn, map: the N most frequent of --words have tags of their own, tag|word"},
    {.name = "lexicon", .kind = TOOL_FILE, .to = &toolrules.lexicon, .metavar = "FILE",
     .help = "learn, map: the same for the words that FILE lists"},
    {.name = "permutations", .kind = TOOL_FILE, .to = &toolrules.permutations, .metavar = "FILE",
     .help = "learn, map: the orders of the sentences, in place of alignments"},
    {.letter = 'i', .name = "invert", .kind = TOOL_FLAG, .to = &toolrules.invert,
     .help = "learn, map: the alignments list the other side first"},
    {.name = "maxlen", .kind = TOOL_NUMBER, .to = &toolrules.maxlen, .metavar = "L", .min = 2, .max = PF_MAX_WORDS,
     .help = "learn, map, apply: leave out reorderings of more than L words [10; apply: as learned]"},
    {.name = "maxcost", .kind = TOOL_REAL, .to = &toolrules.maxcost, .metavar = "C", .min = 0,
     .help = "learn, reduce, apply: leave out rules that cost more than C [4; apply: as learned]"},
    {.name = "no-totals", .kind = TOOL_FLAG, .to = &toolrules.no_totals,
     .help = "map: do not count how often tag sequences occur (the first of two passes)"},
    {.name = "totals-of", .kind = TOOL_FILE, .to = &toolrules.totals_of, .metavar = "FILE",
     .help = "map: count how often the tag sequences of the lines in FILE occur, and nothing else (the second pass)"},
    {.letter = 'u', .name = "unweighted", .kind = TOOL_FLAG, .to = &toolrules.unweighted, .help = "apply: rules cost nothing"},
    {.name = "augment", .kind = TOOL_SPECS, .to = &toolrules.augment, .metavar = "FILE",
     .help = "apply: add a permutation a line to the lattice of each sentence; may be repeated"},
    {.name = "augment-cost", .kind = TOOL_REAL, .to = &toolrules.augment_cost, .metavar = "C", .min = 0,
     .help = "apply: what a path costs that --augment adds [0]"},
    {.name = "only", .kind = TOOL_FLAG, .to = &toolrules.only,
     .help = "apply: no rules and no monotone path, nothing but what --augment adds; RULES is not given"},
    {.letter = 's', .name = "statistics", .kind = TOOL_FLAG, .to = &toolrules.statistics,
     .help = "apply: write how large the lattices are instead of them"},
    {.name = "per-line", .kind = TOOL_FLAG, .to = &toolrules.per_line, .help = "apply --statistics: a line for each sentence"},
    {.letter = 'r', .name = "reference", .kind = TOOL_FILE, .to = &toolrules.reference, .metavar = "FILE",
     .help = "apply --statistics: say how many of these permutations, a line a sentence, are in the lattices"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOLFST_FAR,
    TOOLFST_RECORDS,
    TOOLFST_OUTPUT,
    {0},
};

static const tool permrules = {
    .name = "permrules",
    .operands = "learn|map|reduce|apply [FILE...]",
    .summary = "Learn reordering rules from tagged and aligned text, and apply them to sentences",
    .options = options,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
};

/* ---- learn ---- */

static pf_err learn(int n, char **operands, pf_writer *w) {
    pf_rule_options o;
    pf_lexicon *lexicon = NULL;
    pf_rules *rules = NULL;
    pf_align_left_out links;
    pf_err err = toolrules_rule_options(&o, &lexicon);
    toolrules_files files = {o.lexicon, n ? operands[0] : "-"};
    if (!err) err = pf_rules_new(&o, &rules);
    if (!err) err = pf_rules_learn_corpus(rules, &(pf_tagged_corpus){toolrules_open, &files}, &links);
    if (!err) err = pf_rules_write(rules, w);
    if (!err) err = toolfst_close_output(w);
    if (!err) toolrules_say_left_out(&links, pf_rules_omitted(rules));
    pf_rules_free(rules);
    pf_lexicon_free(lexicon);
    return err;
}

/* ---- map, reduce ---- */

static pf_err map_orders(const pf_rule_options *o, const char *alignments, pf_writer *w) {
    toolrules_files files = {o->lexicon, alignments};
    pf_tagged *sentences = NULL;
    pf_rule_map *m = NULL;
    pf_err err = toolrules_open(&files, true, &sentences);
    if (!err) err = pf_rule_map_new(w, o, !toolrules.no_totals, 0, &m);
    if (!err) err = pf_rule_map_corpus(m, sentences);
    if (!err) err = toolfst_close_output(w);
    if (!err) toolrules_say_left_out(pf_tagged_left_out(sentences), pf_rule_map_omitted(m));
    pf_rule_map_free(m);
    pf_tagged_free(sentences);
    return err;
}

static pf_err list_sequences(pf_rules *rules) {
    pf_reader *r;
    PF_TRY(toolfst_open(toolrules.totals_of, &r));
    pf_err err = pf_rule_map_list(r, rules);
    pf_reader_free(r);
    return err;
}

static pf_err map_totals(const pf_rule_options *o, pf_writer *w) {
    toolrules_files files = {o->lexicon, NULL};
    pf_tagged *sentences = NULL;
    pf_rules *rules;
    PF_TRY(pf_rules_new(o, &rules));
    pf_err err = list_sequences(rules);
    if (!err) err = toolrules_open(&files, false, &sentences);
    if (!err) err = pf_rules_count_corpus(rules, sentences);
    if (!err) err = pf_rule_map_totals(rules, w);
    if (!err) err = toolfst_close_output(w);
    pf_tagged_free(sentences);
    pf_rules_free(rules);
    return err;
}

static pf_err map(int n, char **operands, pf_writer *w) {
    pf_rule_options o;
    pf_lexicon *lexicon = NULL;
    pf_err err = toolrules_rule_options(&o, &lexicon);
    if (!err) err = toolrules.totals_of ? map_totals(&o, w) : map_orders(&o, n ? operands[0] : "-", w);
    pf_lexicon_free(lexicon);
    return err;
}

static pf_err reduce(int n, char **operands, pf_writer *w) {
    pf_rules_left_out left_out;
    pf_reader *r;
    PF_TRY(toolfst_open(n ? operands[0] : "-", &r));
    pf_err err = pf_rule_reduce(r, toolrules.maxcost >= 0 ? toolrules.maxcost : PF_RULES_MAX_COST, w, &left_out);
    if (!err) err = toolfst_close_output(w);
    if (!err) toolrules_say_left_out(NULL, &left_out);
    pf_reader_free(r);
    return err;
}

/* ---- commands ---- */

enum { LEARN = 1, MAP = 2, REDUCE = 4, APPLY = 8 };

static const struct {
    const char *name;
    unsigned bit;
    pf_err (*run)(int n, char **operands, pf_writer *w); /* NULL: apply */
} commands[] = {{"learn", LEARN, learn}, {"map", MAP, map}, {"reduce", REDUCE, reduce}, {"apply", APPLY, NULL}};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* What options go with; those that are not here go with apply. */
static const struct {
    const char *name;
    unsigned commands;
} goes_with[] = {
    {"tags", LEARN | MAP | APPLY}, {"maxlen", LEARN | MAP | APPLY}, {"maxcost", LEARN | REDUCE | APPLY},
    {"one-tag", LEARN | MAP}, {"words", LEARN | MAP}, {"lexicalise", LEARN | MAP}, {"lexicon", LEARN | MAP},
    {"permutations", LEARN | MAP}, {"invert", LEARN | MAP}, {"no-totals", MAP}, {"totals-of", MAP},
    {"output", LEARN | MAP | REDUCE | APPLY},
};

/* -j and --first-record are 1 where they are not given. */
static bool given(const tool_option *o) {
    switch (o->kind) {
    case TOOL_FLAG: return *(const bool *)o->to;
    case TOOL_NUMBER: return *(const uint64_t *)o->to > (o->to == &tool_jobs || o->to == &toolfst.first_record);
    case TOOL_REAL: return *(const double *)o->to >= 0;
    case TOOL_SPECS: return ((const tool_specs *)o->to)->n > 0;
    default: return *(const char *const *)o->to != NULL;
    }
}

static pf_err check_options(size_t command) {
    for (const tool_option *o = options; o->kind; o++) {
        unsigned with = APPLY;
        for (size_t i = 0; i < sizeof goes_with / sizeof *goes_with; i++)
            if (strcmp(goes_with[i].name, o->name) == 0) with = goes_with[i].commands;
        if (given(o) && !(with & commands[command].bit))
            return pf_fail(PF_EARG, "--%s does not go with %s", o->name, commands[command].name);
    }
    return PF_OK;
}

/* What is read twice cannot be a pipe. */
static pf_err check_twice(const char *option, const char *path) {
    struct stat status;
    if (!path) return PF_OK;
    bool there = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0 || (there && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))))
        return pf_fail(PF_EARG, "--%s %s is read twice, so it cannot be a pipe", option, path);
    return PF_OK;
}

static pf_err check_corpus(unsigned command, int n) {
    const toolrules_options *o = &toolrules;
    bool lexical = o->lexicalise || o->lexicon;
    if (!o->tags == !o->one_tag) return pf_fail(PF_EARG, "expected --tags or --one-tag");
    if (o->lexicalise && o->lexicon) return pf_fail(PF_EARG, "--lexicalise and --lexicon do not go together");
    if (lexical && (!o->words || o->one_tag)) return pf_fail(PF_EARG, "--lexicalise and --lexicon need --words and --tags");
    if (o->words && !lexical && !o->one_tag) return pf_fail(PF_EARG, "--words needs --lexicalise, --lexicon or --one-tag");
    if (o->totals_of && (o->no_totals || o->permutations || o->invert || n))
        return pf_fail(PF_EARG, "--totals-of counts tags: --no-totals, alignments and permutations do not go with it");
    if (o->totals_of && o->one_tag && !o->words) return pf_fail(PF_EARG, "--totals-of and --one-tag need --words");
    if (o->permutations && (n || o->invert)) return pf_fail(PF_EARG, "--permutations stands in place of alignments");
    if (n > 1) return pf_fail(PF_EARG, "expected one file of alignments");
    bool twice = command == LEARN && !o->one_tag;
    if (twice) PF_TRY(check_twice("tags", o->tags));
    return lexical && (twice || o->lexicalise) ? check_twice("words", o->words) : PF_OK;
}

static pf_err write_with(pf_err (*run)(int n, char **operands, pf_writer *w), int n, char **operands) {
    pf_writer *w;
    PF_TRY(toolfst_open_output(&w));
    pf_err err = run(n, operands, w);
    pf_writer_free(w);
    return err;
}

static pf_err run_command(int n, char **operands, bool *failed) {
    size_t i = 0;
    while (i < COMMANDS && strcmp(commands[i].name, operands[0]) != 0) i++;
    if (i == COMMANDS) return pf_fail(PF_EARG, "expected learn, map, reduce or apply, found '%.60s'", operands[0]);
    PF_TRY(check_options(i));
    if (commands[i].bit & (LEARN | MAP)) PF_TRY(check_corpus(commands[i].bit, n - 1));
    if (commands[i].bit == REDUCE && n > 2) return pf_fail(PF_EARG, "reduce takes one file: sort -m puts several together");
    return commands[i].run ? write_with(commands[i].run, n - 1, operands + 1) : toolrules_apply(n - 1, operands + 1, failed);
}

static int run(int n, char **operands) {
    bool failed = false;
    if (run_command(n, operands, &failed)) return tool_trouble();
    return failed ? TOOL_TROUBLE : TOOL_DONE;
}

int main(int argc, char **argv) { return tool_main(&permrules, argc, argv, run); }
