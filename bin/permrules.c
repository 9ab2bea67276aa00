/* permrules: reordering rules, learned from aligned and tagged text and applied to sentences. */
#include "toolrules.h"

#include <string.h>
#include <sys/stat.h>

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
    {'r', "reference", TOOL_FILE, AT(reference), "FILE", .needs = "statistics", .help = "count the lattices that have the order of FILE"},
    TOOL_JOBS("records"),
    TOOL_KEEP_GOING("record"),
    TOOL_FAR(NULL),
    TOOL_FIRST_RECORD,
    TOOL_ISYMBOLS,
    TOOL_OSYMBOLS,
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

static pf_err check_corpus(const toolrules_options *o, bool learns) {
    bool lexical = o->lexicalise || o->lexicon, twice = learns && !o->one_tag;
    if (twice) PF_TRY(check_twice("tags", o->tags));
    return lexical && (twice || o->lexicalise) ? check_twice("words", o->words) : PF_OK;
}

static pf_err run_command(tool_call *call, bool *failed) {
    static pf_err (*const verbs[])(tool_call *, int n, char *const *operands, pf_writer *) = {learn, learn, map, map, map, reduce};
    int form = tool_form(call);
    char *const *operands;
    int n = tool_operands(call, &operands);
    pf_writer *w;
    if (form >= APPLY) return toolrules_apply(call, n, operands, failed);
    if (form < REDUCE) PF_TRY(check_corpus(tool_options(call), form < MAP));
    PF_TRY(toolfst_open_output(call, &w));
    pf_err err = verbs[form](call, n, operands, w);
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
    .summary = "Learn reordering rules from tagged and aligned text, and apply them to sentences",
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
