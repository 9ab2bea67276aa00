/* permrules: reordering rules, learned from aligned and tagged text and applied to sentences. */
#include "toolrules.h"

#include <string.h>
#include <sys/stat.h>

enum { LEARN, MAP, REDUCE, APPLY };
static const char *const commands[] = {"learn", "map", "reduce", "apply", NULL};
#define WITH(command) (1u << (command))

static const tool_option rows[] = {
    {.kind = TOOL_GROUP, .help = "learn, map, apply", .commands = WITH(LEARN) | WITH(MAP) | WITH(APPLY)},
    {.letter = 't', .name = "tags", .kind = TOOL_FILE, .at = offsetof(toolrules_options, tags), .metavar = "FILE",
     .help = "the tags of the source sentences (parts of speech, classes or words), one sentence on each line"},
    {.name = "maxlen", .kind = TOOL_NUMBER, .at = offsetof(toolrules_options, maxlen), .metavar = "L", .min = 2,
     .max = PF_MAX_WORDS, .help = "leave out reorderings of more than L words [10; apply: as learned]"},
    {.name = "maxcost", .kind = TOOL_REAL, .at = offsetof(toolrules_options, maxcost), .metavar = "C", .min = 0,
     .commands = WITH(LEARN) | WITH(REDUCE) | WITH(APPLY),
     .help = "not map, but reduce: leave out rules that cost more than C [4; apply: as learned]"},
    {.kind = TOOL_GROUP, .help = "learn, map", .commands = WITH(LEARN) | WITH(MAP)},
    {.name = "one-tag", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, one_tag), .excludes = "tags lexicalise lexicon",
     .help = "give all words the same tag"},
    {.name = "words", .kind = TOOL_FILE, .at = offsetof(toolrules_options, words), .metavar = "FILE",
     .needs = "lexicalise lexicon one-tag", .help = "the words of the source sentences"},
    {.name = "lexicalise", .kind = TOOL_NUMBER, .at = offsetof(toolrules_options, lexicalise), .metavar = "N", .min = 1,
     .max = SIZE_MAX, .needs = "words", .excludes = "lexicon",
     .help = "give the N most frequent of --words tags of their own, tag|word"},
    {.name = "lexicon", .kind = TOOL_FILE, .at = offsetof(toolrules_options, lexicon), .metavar = "FILE", .needs = "words",
     .help = "give the words in FILE tags of their own, tag|word"},
    {.name = "permutations", .kind = TOOL_FILE, .at = offsetof(toolrules_options, permutations), .metavar = "FILE",
     .excludes = "invert",
     .help = "take the orders of the sentences from FILE, not from alignments"},
    {.letter = 'i', .name = "invert", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, invert),
     .help = "the alignments list the other side first"},
    {.name = "no-totals", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, no_totals), .commands = WITH(MAP),
     .help = "map: do not count how often tag sequences occur (the first of two passes)"},
    {.name = "totals-of", .kind = TOOL_FILE, .at = offsetof(toolrules_options, totals_of), .metavar = "FILE",
     .commands = WITH(MAP), .excludes = "no-totals permutations invert",
     .help = "only count how often the tag sequences in the lines of FILE occur (the second pass)"},
    {.kind = TOOL_GROUP, .help = "apply", .commands = WITH(APPLY)},
    {.letter = 'u', .name = "unweighted", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, unweighted),
     .help = "give rules no cost"},
    {.name = "augment", .kind = TOOL_SPECS, .at = offsetof(toolrules_options, augment), .metavar = "FILE",
     .help = "add a permutation to each lattice, one on each line of FILE; may be repeated"},
    {.name = "augment-cost", .kind = TOOL_REAL, .at = offsetof(toolrules_options, augment_cost), .metavar = "C", .min = 0,
     .needs = "augment", .excludes = "unweighted",
     .help = "the cost of a path that --augment adds [0]"},
    {.name = "only", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, only), .needs = "augment",
     .excludes = "tags maxlen maxcost",
     .help = "leave out the rules and the monotone path, and take no RULES: the lattice has only what --augment adds"},
    {.letter = 's', .name = "statistics", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, statistics), .excludes = "far",
     .help = "write the size of the lattices, not the lattices"},
    {.name = "per-line", .kind = TOOL_FLAG, .at = offsetof(toolrules_options, per_line), .needs = "statistics",
     .help = "write a line for each sentence"},
    {.letter = 'r', .name = "reference", .kind = TOOL_FILE, .at = offsetof(toolrules_options, reference), .metavar = "FILE",
     .needs = "statistics",
     .help = "count the lattices that have the permutation of their line in FILE"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_FAR(NULL),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
    TOOL_GROUP_OF("all"),
    TOOL_OUTPUT,
    {0},
};

/* ---- learn ---- */

static pf_err learn(tool_call *call, int n, char *const *operands, pf_writer *w) {
    pf_rule_options o;
    pf_lexicon *lexicon = NULL;
    pf_rules *rules = NULL;
    pf_align_left_out links;
    pf_err err = toolrules_rule_options(call, &o, &lexicon);
    toolrules_files files = {call, o.lexicon, n ? operands[0] : "-"};
    if (!err) err = pf_rules_new(&o, &rules);
    if (!err) err = pf_rules_learn_corpus(rules, &(pf_tagged_corpus){toolrules_open, &files}, &links);
    if (!err) err = pf_rules_write(rules, w);
    if (!err) err = toolfst_close_output(call, w);
    if (!err) toolrules_say_left_out(call, &links, pf_rules_omitted(rules));
    pf_rules_free(rules);
    pf_lexicon_free(lexicon);
    return err;
}

/* ---- map, reduce ---- */

static pf_err map_orders(tool_call *call, const pf_rule_options *o, const char *alignments, pf_writer *w) {
    const toolrules_options *options = tool_options(call);
    toolrules_files files = {call, o->lexicon, alignments};
    pf_tagged *sentences = NULL;
    pf_rule_map *m = NULL;
    pf_err err = toolrules_open(&files, true, &sentences);
    if (!err) err = pf_rule_map_new(w, o, !options->no_totals, 0, &m);
    if (!err) err = pf_rule_map_corpus(m, sentences);
    if (!err) err = toolfst_close_output(call, w);
    if (!err) toolrules_say_left_out(call, pf_tagged_left_out(sentences), pf_rule_map_omitted(m));
    pf_rule_map_free(m);
    pf_tagged_free(sentences);
    return err;
}

static pf_err list_sequences(tool_call *call, pf_rules *rules) {
    const toolrules_options *o = tool_options(call);
    pf_reader *r;
    PF_TRY(toolfst_open(call, o->totals_of, &r));
    pf_err err = pf_rule_map_list(r, rules);
    pf_reader_free(r);
    return err;
}

static pf_err map_totals(tool_call *call, const pf_rule_options *o, pf_writer *w) {
    toolrules_files files = {call, o->lexicon, NULL};
    pf_tagged *sentences = NULL;
    pf_rules *rules;
    PF_TRY(pf_rules_new(o, &rules));
    pf_err err = list_sequences(call, rules);
    if (!err) err = toolrules_open(&files, false, &sentences);
    if (!err) err = pf_rules_count_corpus(rules, sentences);
    if (!err) err = pf_rule_map_totals(rules, w);
    if (!err) err = toolfst_close_output(call, w);
    pf_tagged_free(sentences);
    pf_rules_free(rules);
    return err;
}

static pf_err map(tool_call *call, int n, char *const *operands, pf_writer *w) {
    const toolrules_options *options = tool_options(call);
    pf_rule_options o;
    pf_lexicon *lexicon = NULL;
    pf_err err = toolrules_rule_options(call, &o, &lexicon);
    if (!err) err = options->totals_of ? map_totals(call, &o, w) : map_orders(call, &o, n ? operands[0] : "-", w);
    pf_lexicon_free(lexicon);
    return err;
}

static pf_err reduce(tool_call *call, int n, char *const *operands, pf_writer *w) {
    const toolrules_options *o = tool_options(call);
    pf_rules_left_out left_out;
    pf_reader *r;
    PF_TRY(toolfst_open(call, n ? operands[0] : "-", &r));
    pf_err err = pf_rule_reduce(r, o->maxcost >= 0 ? o->maxcost : PF_RULES_MAX_COST, w, &left_out);
    if (!err) err = toolfst_close_output(call, w);
    if (!err) toolrules_say_left_out(call, NULL, &left_out);
    pf_reader_free(r);
    return err;
}

/* ---- commands ---- */

/* What is read twice cannot be a pipe. */
static pf_err check_twice(const char *option, const char *path) {
    struct stat status;
    if (!path) return PF_OK;
    bool there = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0 || (there && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))))
        return pf_fail(PF_EARG, "--%s %s is read twice, so it cannot be a pipe", option, path);
    return PF_OK;
}

static pf_err check_corpus(const toolrules_options *o, int command, int n) {
    bool lexical = o->lexicalise || o->lexicon;
    if (!o->tags && !o->one_tag) return pf_fail(PF_EARG, "expected --tags or --one-tag");
    if (o->totals_of && n) return pf_fail(PF_EARG, "--totals-of counts tags: no alignments can be given");
    if (o->totals_of && o->one_tag && !o->words) return pf_fail(PF_EARG, "--totals-of and --one-tag need --words");
    if (o->permutations && n) return pf_fail(PF_EARG, "--permutations replaces alignments: give only one of them");
    if (n > 1) return pf_fail(PF_EARG, "expected one file of alignments");
    bool twice = command == LEARN && !o->one_tag;
    if (twice) PF_TRY(check_twice("tags", o->tags));
    return lexical && (twice || o->lexicalise) ? check_twice("words", o->words) : PF_OK;
}

static pf_err run_command(tool_call *call, bool *failed) {
    static pf_err (*const verbs[])(tool_call *, int n, char *const *operands, pf_writer *) = {learn, map, reduce};
    int command = tool_command(call);
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_writer *w;
    if (command == APPLY) return toolrules_apply(call, n, operands, failed);
    if (command != REDUCE) PF_TRY(check_corpus(tool_options(call), command, n));
    if (command == REDUCE && n > 1) return pf_fail(PF_EARG, "reduce takes one file: sort -m merges several");
    PF_TRY(toolfst_open_output(call, &w));
    pf_err err = verbs[command](call, n, operands, w);
    pf_writer_free(w);
    return err;
}

static int run(tool_call *call) {
    bool failed = false;
    pf_err err = run_command(call, &failed);
    return tool_status(call, err, failed, false);
}

const tool permrules = {
    .name = "permrules",
    .operands = "learn|map|reduce|apply [FILE...]",
    .summary = "Learn reordering rules from tagged and aligned text, and apply them to sentences",
    .options = rows,
    .size = sizeof(toolrules_options),
    .defaults = &(const toolrules_options){.maxcost = TOOL_NOT_GIVEN, .augment_cost = TOOL_NOT_GIVEN},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
    .commands = commands,
    .examples = {"permrules learn --tags=train.upos train.gdfa > rules",
                 "permcompile test.de | permrules apply --tags=test.upos rules > lattices"},
};

TOOL_MAIN(permrules);
