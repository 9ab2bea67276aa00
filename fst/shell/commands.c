/* The table of commands: how each is written, what it does, and its function. Help, completion and the man page are made of it. */
#include "shell/shell_impl.h"

#include <stdint.h>

#define ANY SIZE_MAX

const pfi_shell_command pfi_shell_commands[] = {
    {{"sentence", "WORDS", "the sentence to permute; a line that is not a command is one, too", "What is permuted"}, 0, ANY,
     true, NULL, pfi_do_sentence},
    {{"markup", "WORDS", "the same with <zone> and <wall/>", NULL}, 0, ANY, true, NULL, pfi_do_markup},
    {{"punctuation", "on|off", "walls around the words , . ! ? : ; \"", NULL}, 1, 1, false, NULL, pfi_do_punctuation},
    {{"alternatives", "POSITION WORD...", "more words that may stand at a position", NULL}, 2, ANY, false, NULL,
     pfi_do_alternatives},
    {{"lattice", "PLF", "a lattice in the format of Moses", NULL}, 0, ANY, true, NULL, pfi_do_lattice},
    {{"open", "FILE [NUMBER]", "read a record of a file: the first, or that of this number", NULL}, 1, 2, false, NULL, pfi_do_open},
    {{"use", "NAME", "take the record of a value", NULL}, 1, 1, false, NULL, pfi_do_use},

    {{"space", "SPEC...|none", "allow the orders that all SPEC allow, such as ibm:3", "Which orders, at what cost"}, 1, ANY, false,
     NULL, pfi_do_space},
    {{"keep", "WORDS|FROM TO|none", "visit these words without a break (a zone)", NULL}, 1, ANY, false, NULL, pfi_do_marks},
    {{"unit", "WORDS|FROM TO|none", "the same, and in order", NULL}, 1, ANY, false, NULL, pfi_do_marks},
    {{"wall", "WORDS|POSITION|none", "visit all words up to there before the rest; none: remove all marks", NULL}, 1, ANY, false,
     NULL, pfi_do_marks},
    {{"weight", "SPEC...|none", "costs of the moves, such as distance:0.1", NULL}, 1, ANY, false, NULL, pfi_do_weight},
    {{"lm", "FILE [SCALE]|none", "the model that scores the words, in place of others", NULL}, 1, 2, false, NULL, pfi_do_lm},
    {{"model", "FILE [SCALE]", "one more model, or an automaton to compose with", NULL}, 1, 2, false, NULL, pfi_do_lm},
    {{"scale", "X X...", "factors of the costs: of the orders, and of each model", NULL}, 1, ANY, false, NULL, pfi_do_scale},

    {{"search", "auto|levels|astar|chart", "how best searches", "How it is searched"}, 1, 1, false, NULL, pfi_do_search},
    {{"beam", "N|none", "keep the N best hypotheses of a level", NULL}, 1, 1, false, NULL, pfi_do_number},
    {{"threshold", "COST|none", "keep hypotheses up to COST above the best of their level", NULL}, 1, 1, false, NULL,
     pfi_do_number},
    {{"gap", "COST|none", "widen the beam until the answer is within COST of the best", NULL}, 1, 1, false, NULL, pfi_do_number},
    {{"limit", "N|none", "end a search after N states of a pass", NULL}, 1, 1, false, NULL, pfi_do_number},
    {{"seconds", "S|none", "end a search after S seconds", NULL}, 1, 1, false, NULL, pfi_do_number},
    {{"unique", "none|output|permutation", "which paths count as different", NULL}, 1, 1, false, NULL, pfi_do_unique},
    {{"seed", "N", "the seed of what is drawn at random", NULL}, 1, 1, false, NULL, pfi_do_seed},

    {{"best", "[N]", "the best order, or the N best: cost, proof, words with [moved] ones in brackets, order", "What is asked"},
     0, 1, false,
     "record\trank\tcost\tpermutation\twords", pfi_do_best},
    {{"certificate", "", "what is proven about the last answer, and what work it took", NULL}, 0, 0, false, "key\tvalue",
     pfi_do_certificate},
    {{"reference", "WORDS", "what this order costs beside the best: is it a model error or a search error?", NULL}, 0, ANY, true,
     "verdict\treference\tbest", pfi_do_reference},
    {{"oracle", "WORDS", "the order with the best BLEU against these words", NULL}, 0, ANY, true,
     "record\trank\tcost\tpermutation\twords", pfi_do_oracle},
    {{"why", "SPEC | PAIR SPEC", "where the last order breaks SPEC; or which links of a pair of the corpus break it", NULL}, 1, 2,
     false, "record\tspec\tverdict\twhy", pfi_do_why},
    {{"tight", "", "the least parameters that allow the last order", NULL}, 0, 0, false, "record\tspec\tverdict", pfi_do_tight},
    {{"tree", "", "the tree of the last order, which is one of itg", NULL}, 0, 0, false, "tree", pfi_do_tree},
    {{"count", "[STATISTIC]", "how many orders there are, exactly; by inversions, jumps, ...", NULL}, 0, 1, false, "count",
     pfi_do_count},
    {{"sample", "[N]", "orders drawn at random", NULL}, 0, 1, false, "record\trank\tcost\tpermutation\twords", pfi_do_sample},
    {{"compare", "SPACE SPACE [LENGTH]", "is one space inside the other, with an order that proves it is not", NULL}, 2, 3, false,
     "relation", pfi_do_compare},

    {{"step", "[WORDS]", "what may follow these words, and at what cost", "By hand"}, 0, ANY, false, "word\tposition\tcost",
     pfi_do_step},
    {{"take", "WORDS", "go on from there", NULL}, 1, ANY, false, "word\tposition\tcost", pfi_do_take},
    {{"back", "[N]", "go back one step, or N", NULL}, 0, 1, false, "word\tposition\tcost", pfi_do_back},

    {{"load", "SOURCE [TARGET LINKS]", "a corpus: sentences, or aligned pairs", "Corpora"}, 1, 3, false, NULL, pfi_do_load},
    {{"cover", "SPEC", "how many pairs SPEC reaches, alone and with walls at punctuation", NULL}, 1, 1, false, "", pfi_do_cover},
    {{"tuples", "[OPTION...]", "the bilingual tuples of the corpus (permtuples)", NULL}, 0, ANY, false, NULL, pfi_do_tuples},
    {{"score", "REFERENCE [OPTION...]", "search all sentences of the corpus, and score them (permscore)", NULL}, 1, ANY, false, "",
     pfi_do_score},
    {{"sweep", "[-j N] NAME=A,B... COMMAND", "do COMMAND for all values, as lines with tabs; >> FILE goes on where it ended", NULL},
     2, ANY, false, NULL, pfi_do_sweep},
    {{"plot", "TABLE FILE.svg X Y [SERIES] [NAME=VALUE...]", "a plot of columns of a table with a heading, such as a sweep writes",
      NULL}, 4, ANY, false, NULL, pfi_do_plot},

    {{"show", "[NAME]", "the settings and values, or one value", "The session"}, 0, 1, false, NULL, pfi_do_show},
    {{"info", "[NAME]", "what a record is: the last one, or that of a value", NULL}, 0, 1, false, "key\tvalue", pfi_do_info},
    {{"draw", "FILE.svg|FILE.dot [NAME]", "draw the last record, or that of a value", NULL}, 1, 2, false, NULL, pfi_do_draw},
    {{"save", "FILE [NAME]", "write the last record, or that of a value", NULL}, 1, 2, false, NULL, pfi_do_save},
    {{"pipe", "", "the pipeline of programs that answers as the last command did", NULL}, 0, 0, false, "pipeline", pfi_do_pipe},
    {{"time", "COMMAND", "do COMMAND, and say how long it took", NULL}, 1, ANY, false, NULL, pfi_do_time},
    {{"run", "PROGRAM [ARGUMENT...]", "run a program of permfst on the last record; the name alone does the same", NULL}, 1, ANY,
     false, NULL, pfi_do_run},
    {{"help", "[WORD]", "the commands; or a command, a constraint, a weight or a program", NULL}, 0, 1, false, NULL, pfi_do_help},
    {{"exit", "", "end the session, as the end of the input does", NULL}, 0, 0, false, NULL, pfi_do_exit},
    {{"quit", "", "the same", NULL}, 0, 0, false, NULL, pfi_do_exit},
    {{NULL, NULL, NULL, NULL}, 0, 0, false, NULL, NULL},
};

const pf_shell_help *pf_shell_command_at(size_t i) { return pfi_shell_commands[i].help.name ? &pfi_shell_commands[i].help : NULL; }
