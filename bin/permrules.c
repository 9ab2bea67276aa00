/* permrules: reordering rules, learned from aligned and tagged text and applied to sentences. */
#include "toolrules.h"

enum { LEARN, LEARN_ORDERS, MAP, MAP_ORDERS, MAP_TOTALS, REDUCE, APPLY, APPLY_ONLY }; /* forms */
#define ON_LEARN (TOOL_IN(LEARN) | TOOL_IN(LEARN_ORDERS))
#define ON_MAP (TOOL_IN(MAP) | TOOL_IN(MAP_ORDERS) | TOOL_IN(MAP_TOTALS))
#define ON_CORPORA (ON_LEARN | ON_MAP)
#define ON_SENTENCES (TOOL_IN(APPLY) | TOOL_IN(APPLY_ONLY))

#define AT(FIELD) offsetof(toolrules_options, FIELD)

static const tool_option rows[] = {
    TOOL_GROUP_OF("With several commands"),
    {'t', "tags", TOOL_FILE, AT(tags), "FILE", .forms = ON_CORPORA | ON_SENTENCES,
     .help = "the tags of the sentences"},
    {0, "maxlen", TOOL_NUMBER, AT(maxlen), "L", .min = 2, .max = PF_MAX_WORDS, .forms = ON_CORPORA | ON_SENTENCES,
     .help = "reorder at most L words [10]"},
    {0, "maxcost", TOOL_REAL, AT(maxcost), "C", .min = 0, .forms = ON_LEARN | TOOL_IN(REDUCE) | ON_SENTENCES,
     .help = "the cost limit of rules [4]"},
    TOOL_OUTPUT,
    {.kind = TOOL_GROUP, .forms = ON_CORPORA, .help = "With learn and map"},
    {0, "one-tag", TOOL_FLAG, AT(one_tag), .excludes = "tags lexicalise lexicon", .help = "give all words the same tag"},
    {0, "words", TOOL_FILE, AT(words), "FILE", .needs = "lexicalise lexicon one-tag", .help = "the source sentences"},
    {0, "lexicalise", TOOL_NUMBER, AT(lexicalise), "N", .min = 1, .max = SIZE_MAX, .needs = "words", .excludes = "lexicon",
     .help = "give the N most frequent words tags of their own"},
    {0, "lexicon", TOOL_FILE, AT(lexicon), "FILE", .needs = "words", .help = "give the words in FILE tags of their own"},
    {0, "permutations", TOOL_FILE, AT(permutations), "FILE", .forms = TOOL_IN(LEARN_ORDERS) | TOOL_IN(MAP_ORDERS),
     .help = "the orders of the sentences"},
    {'i', "invert", TOOL_FLAG, AT(invert), .forms = TOOL_IN(LEARN) | TOOL_IN(MAP),
     .help = "alignments list the other side first"},
    {0, "no-totals", TOOL_FLAG, AT(no_totals), .forms = TOOL_IN(MAP) | TOOL_IN(MAP_ORDERS),
     .help = "do not count the occurrences of tags"},
    {0, "totals-of", TOOL_FILE, AT(totals_of), "FILE", .needs = "tags words", .forms = TOOL_IN(MAP_TOTALS),
     .help = "count only the occurrences of the tags in FILE"},
    {.kind = TOOL_GROUP, .forms = ON_SENTENCES, .help = "With apply"},
    {'u', "unweighted", TOOL_FLAG, AT(unweighted), .help = "give rules no cost"},
    {0, "augment", TOOL_SPECS, AT(augment), "FILE", .help = "add the order on each line of FILE to its lattice"},
    {0, "augment-cost", TOOL_REAL, AT(augment_cost), "C", .min = 0, .needs = "augment", .excludes = "unweighted",
     .help = "the cost of a path that --augment adds [0]"},
    {0, "only", TOOL_FLAG, AT(only), .forms = TOOL_IN(APPLY_ONLY), .needs = "augment", .excludes = "tags maxlen maxcost",
     .help = "use only what --augment adds"},
    {'s', "statistics", TOOL_FLAG, AT(statistics), .excludes = "far", .help = "write the size of the lattices"},
    {0, "per-line", TOOL_FLAG, AT(per_line), .needs = "statistics", .help = "write a line for each sentence"},
    {'r', "reference", TOOL_FILE, AT(reference), "FILE", .needs = "statistics",
     .help = "count the lattices that have the order of FILE"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_FAR(NULL),
    TOOL_OF_RECORDS,
    {0},
};

/* A call of learn, map or reduce. */
typedef struct {
    tool_call *call;
    const toolrules_options *options;
    const char *operand; /* alignments, or lines to reduce */
    pf_rule_options how;
    pf_lexicon *lexicon;
    toolrules_files files;
} corpus_call;

static pf_err learn_corpus(corpus_call *task, pf_rules *rules, pf_writer *writer) {
    pf_align_left_out links;
    PF_TRY(pf_rules_learn_corpus(rules, &(pf_tagged_corpus){toolrules_open, &task->files}, &links));
    PF_TRY(pf_rules_write(rules, writer));
    toolrules_say_rules(task->call, &links, rules);
    return PF_OK;
}

static pf_err learn(void *self, pf_writer *writer) {
    corpus_call *task = self;
    pf_rules *rules;
    PF_TRY(pf_rules_new(&task->how, &rules));
    pf_err err = learn_corpus(task, rules, writer);
    pf_rules_free(rules);
    return err;
}

static pf_err map_orders(corpus_call *task, pf_tagged *sentences, pf_writer *writer) {
    pf_rule_map *rule_map;
    PF_TRY(pf_rule_map_new(writer, &task->how, !task->options->no_totals, 0, &rule_map));
    pf_err err = pf_rule_map_corpus(rule_map, sentences);
    if (!err) toolrules_say_left_out(task->call, pf_tagged_left_out(sentences), pf_rule_map_omitted(rule_map));
    pf_rule_map_free(rule_map);
    return err;
}

static pf_err map_totals(corpus_call *task, pf_tagged *sentences, pf_writer *writer) {
    pf_reader *first_pass;
    PF_TRY(toolfst_open(task->call, task->options->totals_of, &first_pass));
    pf_err err = pf_rule_map_totals_corpus(first_pass, sentences, &task->how, writer);
    pf_reader_free(first_pass);
    return err;
}

static pf_err map(void *self, pf_writer *writer) {
    corpus_call *task = self;
    pf_tagged *sentences;
    PF_TRY(toolrules_open(&task->files, !task->options->totals_of, &sentences));
    pf_err err = (task->options->totals_of ? map_totals : map_orders)(task, sentences, writer);
    pf_tagged_free(sentences);
    return err;
}

static pf_err reduce(void *self, pf_writer *writer) {
    const corpus_call *task = self;
    pf_rules_left_out left_out;
    pf_reader *reader;
    PF_TRY(toolfst_open(task->call, task->operand, &reader));
    pf_err err = pf_rule_reduce(reader, task->how.max_cost, writer, &left_out);
    if (!err) toolrules_say_left_out(task->call, NULL, &left_out);
    pf_reader_free(reader);
    return err;
}

/* What learns from tags reads them twice; a lexicon of the most frequent words is counted first. */
static pf_err check_twice(const toolrules_options *options, bool learns) {
    const bool tags = learns && !options->one_tag, words = options->lexicalise || (options->lexicon && tags);
    return toolfst_check_files((const char *const[]){tags ? options->tags : NULL, words ? options->words : NULL}, 2,
                               "tags and words are read twice, so they must be files");
}

static pf_err run_on_corpus(tool_call *call, pf_err (*verb)(void *self, pf_writer *writer), const char *operand) {
    corpus_call task = {.call = call, .options = tool_options(call), .operand = operand};
    PF_TRY(check_twice(task.options, verb == learn));
    pf_err err = toolrules_rule_options(call, &task.how, &task.lexicon);
    task.files = (toolrules_files){call, task.how.lexicon, operand};
    if (!err) err = toolfst_write(call, verb, &task);
    pf_lexicon_free(task.lexicon);
    return err;
}

static int run(tool_call *call) {
    static pf_err (*const verbs[])(void *self, pf_writer *writer) = {learn, learn, map, map, map, reduce};
    int form = tool_form(call);
    const char *const *operands;
    int count = tool_operands(call, &operands);
    pf_err err = form < APPLY ? run_on_corpus(call, verbs[form], tool_input_file(call)) : toolrules_apply(call, count, operands);
    return tool_status(call, err, false);
}

const tool permrules = {
    .name = "permrules",
    .summary = "Learn reordering rules from tagged, aligned text, and apply them to sentences",
    .forms = {"learn --tags=FILE|--one-tag [ALIGNMENTS]",
              "learn --tags=FILE|--one-tag --permutations=FILE",
              "map --tags=FILE|--one-tag [ALIGNMENTS]",
              "map --tags=FILE|--one-tag --permutations=FILE",
              "map --tags=FILE|--one-tag --totals-of=FILE",
              "reduce [FILE]",
              "apply RULES [FILE...]",
              "apply --only --augment=FILE [FILE...]"},
    .options = rows,
    .size = sizeof(toolrules_options),
    .defaults = &(const toolrules_options){.maxcost = TOOL_NOT_GIVEN, .augment_cost = TOOL_NOT_GIVEN},
    .run = run,
    .examples = {"permrules learn --tags=train.upos train.gdfa > rules",
                 "permcompile test.de | permrules apply --tags=test.upos rules > lattices"},
};

TOOL_MAIN(permrules);
