/* One call of each kind, and how a call is run in a folder. */
#include "steps.h"

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_ARGUMENTS = 32 };

const step steps[] = {
    {&permcompile, ">sentences", "a b a c\nb a\n", 0},
    {&lazyperm, "-c ibm:2 -w monotone:0.5 >permuted", "@sentences", 0},
    {&permcompile, "--arpa DATA/good-back-off.arpa >model", "", 0},
    {&permcompose, "@permuted @model >composed", "", 0},
    {&permshortest, "-n 3 -j 2 >best", "@composed", 0},
    {&permprint, "", "@best", 0},
    {&permprint, "--strings", "@best", 0},
    {&permexpand, "-j 2 >expanded", "@composed", 0},
    {&perminfo, "", "@composed", 0},
    {&perminfo, "--check -v", "@composed", 0},
    {&permlm, "-j 2 DATA/good-back-off.arpa", "a b\nb qqq\n\n", 0},
    {&permcount, "-c itg --table 1-12 -j 3", "", 0},
    {&permcount, "", "@composed", 0},
    {&permequal, "itg none 3", "", 0},
    {&permequal, "-j 2 itg none 4", "", 1},
    {&permrandgen, "-c itg --seed 7 -n 5 9", "", 0},
    {&permrandgen, "--seed 7 -n 2", "@composed", 0},
    {&permcheck, "--tightest --why -c itg", "2 4 1 3\n1 3 2\n", 1},
    {&permalign, "--invert", "0-1 1-0 2-2\n0-1 1-0\n", 0},
    {&permscore, "-r @reference", "the cat sat here\na b d c\n", 0},
    {&permtuples, "@source @target @links", "", 0},
    {&permtuples, "--unaligned ibm1 @source @target @links", "", 0},
    {&permrules, "learn --tags @tags @links >rules", "", 0},
    {&permcompile, ">tagged", "a b c\nb a\n", 0},
    {&permrules, "apply --tags @tags @rules @tagged >ruled", "", 0},
    {&permcover, "--source @source --target @target @links", "", 0},
    {&permcompile, "--xml DATA/good-perm3.xml", "", 0},
    {&permcompile, "--markup", "a <zone> b c </zone> d\n", 0},
    {&permcompile, "--plf", "((('a',1,1),('b',2,2),),(('c',1,1),),)\n", 0},
    {&lazyperm, "-c itg+inverse-ibm:3|mj:1 -c wall:1 -w distance:0.5 >constrained", "@sentences", 0},
    {&permshortest, "-b 4 -j 2", "@constrained", 0},
    {&permexpand, "", "@constrained", 0},
    {&permprint, "--xml", "@best", 0},
    {&permprint, "--dot", "@permuted", 0},
    {&permcheck, "--why -c ibm:2|mj:1 -c itg+inverse-ibm:3-none+wall:2", "4 2 1 3\n3 1 2\n", 1},
    {&permequal, "ibm:2|mj:2 (itg+ibm:3)-inverse-ibm:2 4", "", 1},
    {&permrandgen, "-c itg+ibm:3+wall:2 --seed 3 -n 3 6", "", 0},
    {&permtree, "full -j 2", "@trees", 0},
    {&permtree, "limited --ratio=.5 --to=conllu", "@trees", 0},
    {&permtree, "collins --to=records --punctuation=tree", "@alpino", 0},
    {&permtree, "full --why -k --first-record 3 -o %moved @trees @alpino", "", 0},
    {&permcompile, ">six", "a b c d e .\n", 0},
    {&lazyperm, "-c tree:@trees", "@six", 0},
    {&permcheck, "--why -c tree:@trees", "3 1 4 2 5 6\n", 1},
    {&permtree, "stats", "@alpino", 0},
    {&permtree, "draw --by=collins", "@alpino", 0},
    {&permtree, "draw --svg --records=1", "@trees", 0},

    /* Sentences, texts and lattices to records. */
    {&permcompile, "--records 2", "a b a c\nb a\n", 0},
    {&permcompile, "--symbols @symbols -k --first-record 5 -o %numbered @source", "", 0},
    {&permcompile, "--monotone-at-punctuation", "a b , c\n", 0},
    {&permcompile, "--att --isymbols @symbols --osymbols @symbols --arc-type log", "@att", 0},
    {&permcompile, "--att @numbers >plain", "", 0},
    {&permcompile, "--att --acceptor --keep-state-numbering --many --far=sttable", "@acceptors", 0},
    {&permcompile, "--plf --plf-scores log --scale 2:0.5 --epsilon b @plf >lattices", "", 0},
    {&permcompile, "--slf --no-quotes --scale a:0.5 @slf", "", 0},
    {&permcompile, "--tuples --pass 3 --most 2 @tuple.arpa >tuples", "", 0},
    {&permcompile, "--xml", "@xml", 0},

    /* Spaces. */
    {&lazyperm, "-w pairwise:@pairwise -w position:@position -w lexical:@lexical", "@sentences", 0},
    {&lazyperm, "--acceptor -k --first-record 3 --osymbols @symbols -o %accepted DATA/good-perm3.vector.fst", "", 2},
    {&permcount, "-c ibm:3 --by jumps --max-states 1000 --verbose 6", "", 0},
    {&permcount, "-k -o %counted @permuted", "", 0},
    {&permcount, "-f json -v --by inversions -c ibm:2 -c mj:1-none 5", "", 0},
    {&permequal, "--inside --max-states 100 -o %inside ibm:2 ibm:3 4", "", 0},
    {&permrandgen, "--select weight --verbose --max-states 500 --seed 1 -j 2 -k --first-record 7 -o %drawn @composed", "", 0},
    {&permrandgen, "--isymbols @symbols --osymbols @symbols --seed 2 @plain", "", 0},
    {&permcheck, "--base 0 --direction places -j 2 -k --first-record 2 -o %checked -c ibm:2 @orders0", "", 0},
    {&permcheck, "-c ibm:2 --records 2", "2 1 3\n1 3 2\n", 0},
    {&permcheck, "-q -t -c itg", "2 1 3\n", 0},
    {&permcheck, "-f json --why -t -c tree:@trees", "3 1 4 2 5 6\n", 1},
    {&perminfo, "--count --max-states 100 -j 2 -k --first-record 4 -o %info @composed DATA/good-three.sttable.far", "", 0},
    {&perminfo, "--isymbols @symbols --osymbols @symbols @plain", "", 0},

    /* Compositions, and what is made of them. */
    {&permcompose, "--isymbols @symbols --osymbols @symbols -o %joined @plain @plain", "", 0},
    {&permcompose, "--scale 0.5,2 --scale-first 2 -k --first-record 3 @permuted @model DATA/good-back-off.arpa", "", 0},
    {&permexpand, "--backoff phi:<phi> @model >failing", "", 0},
    {&permcompose, "--phi <phi> @permuted @failing", "", 0},
    {&permcompose, "--no-unk @permuted DATA/good-back-off.arpa", "", 2},
    {&permcompose, "--by-name @permuted @model >named", "", 0},
    {&permshortest, "", "@named", 0},
    {&permcompose, "@permuted @tuples >translated", "", 0},
    {&permshortest, "--unique=output --search levels --gap 0 --verbose", "@translated", 0},
    {&permshortest, "-n 4 --unique=permutation --max-states 10000 -k --first-record 2 -o %answers", "@composed", 0},
    {&permshortest, "--search astar --memory 100", "@composed", 0},
    {&permshortest, "--reference @words", "@composed", 0},
    {&permshortest, "--verify @best @composed", "", 0},
    {&permshortest, "--lattice --threshold 1 --beam 5 --time 1000", "@composed", 0},
    {&permshortest, "--fst --isymbols @symbols --osymbols @symbols", "@plain", 0},
    {&permexpand, "--max-states 1000 --symbols @symbols --arc-type log -k --first-record 2 --far -o %archive", "@permuted", 0},
    {&permexpand, "--isymbols @symbols --osymbols @symbols", "@plain", 0},
    {&permcompile, "--slf --far @slf >keyed", "", 0},
    {&permcompile, "--slf --far=sttable --number-keys @slf", "", 0},
    {&permexpand, "--far --number-keys", "@keyed", 0},
    {&perminfo, "", "@keyed", 0},
    {&permshortest, ">keyed_best", "@keyed", 0},
    {&permprint, "--names --strings", "@keyed_best", 0},
    {&permshortest, "--scores --names", "@keyed", 0},
    {&permprint, "--permutations --all -k --first-record 2 -o %printed", "@best", 0},
    {&permprint, "--paths -j 2", "@best", 0},
    {&permprint, "-f json -j 2", "@best", 0},
    {&permprint, "--att --numeric --acceptor --max-states 100", "@sentences", 0},
    {&permprint, "--att --isymbols @symbols --osymbols @symbols", "@plain", 0},
    {&permprint, "--plf --plf-scores cost", "@lattices", 0},
    {&permprint, "--slf --no-quotes", "@lattices", 0},
    {&permprint, "--xml", "@expanded", 0},
    {&permlm, "--words -k -o %scored @model @source", "", 0},
    {&permlm, "--no-unk @model", "a b\n", 0},
    {&permlm, "@tuple.arpa.gz @source.gz", "", 0},
    {&permprint, "--strings @best.gz", "", 0},
    {&perminfo, "", "@composed.gz", 0},

    /* Aligned corpora. */
    {&permalign, "--from pharaoh --source @source --target @target --links sure --min-posterior 0.1 --first-record 4 --to lengths "
                 "-o %sure @marked", "", 0},
    {&permalign, "--symmetrize grow-diag-final-and --compat symal --invert-second @links @back", "", 0},
    {&permalign, "--gold @gold --per-line --alpha 0.3 @links", "", 0},
    {&permalign, "--to a3 --source @source --target @target", "@links", 0},
    {&permalign, "--to naacl", "DATA/good-brackets.align.A3", 0},
    {&permalign, "", "DATA/good-links.align.naacl", 0},
    {&permcover, "--from pharaoh --links all --place last --direction forward -c ibm:2 --lattices @ruled --max-states 1000 --tsv "
                 "--first-record 2 --source @source --target @target @links", "", 0},
    {&permcover, "-c itg --only --bins 1,2 --svg %figure -o %covered @links", "", 0},
    {&permcover, "--per-sentence", "@links", 0},
    {&permcover, "--up-to 3", "@links", 0},
    {&permcover, "--why ibm:1", "@links", 0},
    {&permcover, "--why ibm:1 --format json --monotone-at-punctuation --source @source --target @target --lattices @ruled --row "
                 "ruled --records=2 @links", "", 0},
    {&permcover, "--only -c ibm:2 --format table --markup --source @source @links", "", 0},
    {&permtuples, "--from pharaoh --by monotone --invert-second --weight 0.25 --costs links --first-record 3 --max-words 5 "
                  "--tuples %cut --reordered %reordered --permutations %order --statistics %figures "
                  "@source @target @links @back", "", 0},
    {&permtuples, "--keep-order --iterations 2 @source @target @links", "", 0},
    {&permtuples, "--unaligned left @source @target", "@links", 2},
    {&permrules, "learn --one-tag --words @source --invert --maxlen 4 --maxcost 3 -o %one @links", "", 0},
    {&permrules, "learn --tags @tags --words @source --lexicalise 1 --permutations @orders", "", 0},
    {&permrules, "map --tags @tags --words @source --lexicon @lexicon --no-totals @links >mapped", "", 0},
    {&permrules, "map --tags @tags --words @source --lexicon @lexicon --totals-of @mapped >totals", "", 0},
    {&permrules, "map --tags @tags >sorted", "@links", 0},
    {&permrules, "reduce @lines", "", 0},
    {&permrules, "apply --unweighted --far -j 2 -k --first-record 2 --tags @tags @rules @tagged", "", 0},
    {&permrules, "apply --augment @orders --augment-cost 1 --statistics --per-line --reference @orders --tags @tags @rules",
     "@tagged", 0},
    {&permrules, "apply --augment @orders --only --isymbols @symbols --osymbols @symbols @tagged", "", 0},

    /* Translations. */
    {&permscore, "-m nist,ribes,mwer -b 3 -r @reference", "The cat sat here\na b D c\n", 0},
    {&permscore, "--orders -m tau,spearman,footrule -b 3 -f json -r @orders", "1 2 3\n1 2\n", 0},
    {&permscore, "-a @links -s", "3 1 2\n1 2\n", 0},
    {&permscore, "--alignment @marked --links all --base 0 --compat lader --no-combine --attach left @orders0", "", 0},
    {&permscore, "--orders --average pairs -r @orders @orders", "", 0},
    {&permscore, "--case lower -r @reference @other", "", 0},
    {&permscore, "--input sgml --tokenise 13a --metric bleu,per -r @references.sgm @system.sgm", "", 0},
    {&permscore, "--input xml -r @dataset.xml --format tsv --width 5 @dataset.xml", "", 0},
    {&permscore, "--sentence --smooth floor --smooth-value 0.1 --max-order 2 --effective-order yes --format json -o %scores "
                 "-r @reference @reference", "", 0},
    {&permscore, "--bootstrap 20 --seed 3 -r @reference @reference", "", 0},
    {&permscore, "--paired=randomisation --trials 10 --seed 3 -r @reference @reference @other", "", 0},
    {&permshortest, "--scores -n 2", "@composed", 0},
    {&permtune, "-n 2 --restarts 1 --seed 4 --records 2 -r @source", "@composed", 0},
    {&permtune, "-n 3 -j 2 --restarts 2 -r @source", "@composed", 0},
    {&permtune, "-n 2 --tokenise 13a --first-record 3 --unique paths --beam 4 --threshold 5 --low -2,0 --high 2,3 --fix 1 "
                "--iterations 2 "
                "--restarts 1 --directions 2 --seed 7 -v -o %tuned -r @source @composed", "", 0},
    {&permtune, "-n 2 --beam 2 --gap 1 --restarts 1 -r @source @composed", "", 0},
    {&permalign, "train -j 2 --forward-posteriors %posteriors -o - @source @target", "", 0},
    {&permalign, "train --model1 2 --hmm 2 --empty 0.2 --alone --max-words 9 -v --forward %forward --reverse %backward "
                 "--forward-posteriors %likely --reverse-posteriors %unlikely @source @target", "", 0},
    {&lazyperm, "-c itg -w jumps:0.5 -w inversions:0.3*2 --weight-scales 1,2 >swapped", "@sentences", 0},
    {&permcompose, "@swapped @model >charted", "", 0},
    {&permcompile, "--plf >graphs", "((('that',1,1),('that',2,2),),(('does',1,1),),)\n", 0},
    {&lazyperm, "-c itg >graphed", "@graphs", 0},
    {&permshortest, "--search=chart -n 3", "@graphed", 0},
    {&lazyperm, "-c itg >separable", "@sentences", 0},
    {&permcompose, "@separable @tuples >regrouped", "", 0},
    {&permshortest, "--units extended -n 3 >grouped", "@regrouped", 0},
    {&permprint, "--trees --all", "@grouped", 0},
    {&permshortest, "--search=chart --units=contiguous --lattice --threshold 2", "@regrouped", 0},
    {&permshortest, "--search=chart -n 3 -j 2 >ordered", "@charted", 0},
    {&permshortest, "--search=chart -b 1", "@charted", 0},
    {&permshortest, "--search=chart --lattice --threshold 2", "@charted", 0},
    {&permshortest, "--straight .25 --inverted .5 --start runs --spans @spans -n 4 -b 20", "@charted", 0},
    {&permprint, "--trees --positions --all", "@ordered", 0},
    {&permprint, "--trees=binary --all", "@ordered", 0},
    {&permprint, "--diff --all", "@ordered", 0},
    {&permshortest, "--profile -j 2", "@composed", 0},
    {&permshortest, "--profile=svg -b 2 --records=1", "@composed", 0},
    {&permalign, "--show --source @source --target @target", "@links", 0},
    {&permalign, "--show=svg --records=1", "@links", 0},
    {&permcover, "--records=2- --source @source --target @target @links", "", 0},
    {&permtuples, "--records=1 @source @target @links", "", 0},
    {&permlm, "--records=2- @model @source", "", 0},
    {&permtree, "full --records=1", "@trees", 0},
    {&permlearn, "train --min-count 1 --records=2 @source @links", "", 0},
    {&permscore, "--records=2 -r @reference", "the cat sat here\na b d c\n", 0},
    {&permprint, "--strings --records 2", "@ordered", 0},
    {&lazyperm, "--records=2- -c ibm:2 -w monotone:0.5", "@sentences", 0},
    {&permcompose, "--records=1 @permuted @model", "", 0},
    {&permshortest, "-j 2 --records=2,1-2", "@composed", 0},
    {&permexpand, "--records=2", "@composed", 0},
    {&perminfo, "--records=1-1", "@composed", 0},
    {&perminfo, "-f json --count", "@composed", 0},
    {&permcount, "--records=2", "@composed", 0},
    {&permrandgen, "--seed 7 --records=2", "@composed", 0},
    {&permoracle, "--records=2 @source", "@constrained", 0},
    {&permrules, "apply --records=1 --tags @tags @rules @tagged", "", 0},
    {&permprint, "--strings --records=3-", "@ordered", 2},
    {&lazyperm, "-c itg+ibm:2 -w jumps:0.5 >one_space", "@six", 0},
    {&permshortest, "-n 2 >two_best", "@one_space", 0},
    {&permprint, "--svg", "@one_space", 0},
    {&permprint, "--svg=automaton --beam 2", "@one_space", 0},
    {&permprint, "--svg=order", "@two_best", 0},
    {&permprint, "--after b", "@one_space", 0},
    {&permprint, "--svg=tree", "@two_best", 0},
    {&permprint, "--dot --beam 1 --max-states 60", "@one_space", 0},
    {&permoracle, "-n 2 @source", "@constrained", 0},
    {&permoracle, "--ties -j 2 @source @tags", "@constrained", 0},
    {&permoracle, "--corpus=iterate @source", "@constrained", 0},
    {&permoracle, "--approximate=dreyer @source", "@constrained", 0},
    {&permoracle, "-m linear-bleu -n 2 @source", "@constrained", 0},
    {&permoracle, "-m wer --ties @source @reference", "@constrained", 0},
    {&permoracle, "-m kendall --ties --memory 100 @four", "@constrained", 0},
    {&permoracle, "-m wer --max-states 2 --scores %oracle_edits @source @reference", "@constrained", 0},
    {&permoracle, "-m linear-bleu --max-states 2 @source", "@lattices", 0},
    {&permoracle, "-m wer -n 2 --max-states 2 @source", "@lattices", 0},
    {&permoracle, "-m linear-bleu --max-states 2 -i @composed @source", "", 0},
    {&permoracle, "--max-states 2 --corpus=accumulate @source", "@constrained", 0},
    {&permoracle, "-m chunks -a @links --lattice --threshold 1", "@constrained", 0},
    {&permoracle, "--joiner - --no-brevity --time 100 --max-states 40 -k -v --scores %oracle_scores -o %oracle_best -i "
                  "@constrained @source", "", 0},
    {&permoracle, "-m kendall --base 1 --first-record 3 --isymbols @symbols --osymbols @symbols @four", "@constrained", 0},
    {&lazyperm, "-c itg >spanned", "@sentences", 0},
    {&permoracle, "-m wer -n 3 --ties @source @target", "@spanned", 0},
    {&permoracle, "-m wer --max-states 2 -v @target", "@spanned", 0},
    {&permoracle, "-m linear-bleu --ties --joiner - @source @target", "@spanned", 0},
    {&permoracle, "-m chunks -a @links -n 2 --ties", "@spanned", 0},
    {&permoracle, "--table=tsv -c ibm:1,2 -c itg -c none --bins 2,4 --timings --chart %oracle_chart -o %oracle_table "
                  "@source", "@sentences", 0},
    {&permoracle, "--table -c itg --records 1-2 -k @target @source", "", 0},
    {&permoracle, "--table -c mj:1 --candidates 3 @source", "@lattices", 0},
    {&permoracle, "--table -c itg -c mj:1 --candidates 2 --alone --max-states 60 -j 2 @source", "@ordered", 0},
    {&permlearn, "train --tags @tags --templates @templates --min-count 1 -j 2 --passes 30 --lambda 1 --tolerance 0.01 "
                 "--max-length 9 -v "
                 "--from pharaoh --first-record 3 @source @target @links >ordering", "", 0},
    {&permlearn, "train --learner ap --passes 1 --gold links --min-count 1 --state %learned -o %perceptron @source @links", "", 0},
    {&permlearn, "train --learner ap --passes 2 --gold links --min-count 1 --resume @learned @source @links", "", 0},
    {&permlearn, "train --learner ap --loss chunk --margin 2 --passes 2 --min-count 1 --space itg --invert @source @back", "", 0},
    {&permlearn, "train --learner ap --loss chunk --passes 1 --min-count 1 --space ibm:3 @source @links", "", 0},
    {&permlearn, "train --min-count 1 --trees @trees @sixwords @links6 >of_trees", "", 0},
    {&permlearn, "apply --trees @trees --why 1,3 @of_trees @sixwords", "", 0},
    {&permlearn, "train --tolerance 1e9 --permutations --min-count 1 --state %descended -o %ordered_once @source @orders", "", 0},
    {&permlearn, "train --passes 9 --permutations --min-count 1 --resume @descended @source @orders", "", 0},
    {&permlearn, "map --tags @tags @source @links", "", 0},
    {&permlearn, "reduce --min-count 2 @counted_features >features", "", 0},
    {&permlearn, "train --learner ap --features @features --tags @tags @source @links", "", 0},
    {&permlearn, "compile @ordering >compiled_ordering", "", 0},
    {&permlearn, "apply --tags @tags -j 2 -s itg+ibm:3 @compiled_ordering >ordered_records", "@source", 0},
    {&permshortest, "--search=chart @ordered_records", "", 0},
    {&permlearn, "apply --tags @tags --matrices @ordering @source", "", 0},
    {&permlearn, "test --tags @tags --links all --space none --space itg --max-states 1000 -j 2 @compiled_ordering @source "
                 "@links", "", 0},

    /* Sessions. */
    {&permsh, "--lm DATA/good-back-off.arpa --execute b -e best -e pipe --no-history -j 2 -o %session", "", 0},
    {&permsh, "", "a b c\nspace ibm:2\nkeep b c\nx = best 2\nshow x\ninfo x\nuse x\ncount\nsample 3\ntree\nsweep space=ibm:1,none "
              "count\n", 2},
    {&permsh, "@session.psh", "", 1},
};
const size_t n_steps = LENGTH(steps);

static const struct {
    const char *name, *text;
} files[] = {
    {"trees", "# sent_id = 1\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tNOUN\t_\t_\t5\tnsubj\t5:nsubj\tSpaceAfter=No\n"
              "2\tb\t_\tAUX\t_\tVerbForm=Fin\t5\taux\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n"
              "3\tc\t_\tDET\t_\t_\t4\tdet\t_\t_\n4\td\t_\tNOUN\t_\t_\t5\tobj\t_\t_\n"
              "5\te\t_\tVERB\t_\t_\t0\troot\t_\t_\n6\t.\t_\tPUNCT\t_\t_\t5\tpunct\t_\t_\n"},
    {"alpino", "<alpino_ds><node cat='top' rel='top'><node cat='smain' rel='--'><node begin='0' rel='su' word='wij' pt='vnw'/>"
               "<node begin='1' rel='hd' word='moeten' pt='ww' wvorm='pv'/><node cat='inf' rel='vc'><node cat='np' rel='obj1'>"
               "<node begin='2' rel='det' word='dit'/><node begin='3' rel='hd' word='ding'/></node>"
               "<node begin='4' rel='hd' word='doen' pt='ww'/></node></node><node begin='5' rel='--' word='.' pt='let'/></node>"
               "<sentence sentid='s1'/></alpino_ds>\n"},
    {"source", "a b c\nb a\n"},
    {"target", "x y z\ny x\n"},
    {"links", "0-1 1-0 2-2\n0-1 1-0\n"},
    {"marked", "0-1 1p0:0.5 2-2:0.05\n0-1 1-0\n"},
    {"back", "1-0 2-2\n0-1\n"},
    {"gold", "1 1 2 S\n1 2 1 P 0.5\n2 1 2\n"},
    {"tags", "A B C\nB A\n"},
    {"orders", "2 1 3\n2 1\n"},
    {"orders0", "1 0 2\n1 0\n"},
    {"lexicon", "a\nb\n"},
    {"lines", "\t permrules 1 maxlen=10 tags=given\nA B\t\t3\nA B\t2 1\t1\nA B C\t\t2\nA B C\t3 1 2\t2\n"},
    {"reference", "the cat sat down here\na b c d\n"},
    {"other", "the cat here\na b d c\n"},
    {"spans", "0 2 1 inf\n0 1 4 0.5 -1\n\n0 2 0 1\n"},
    {"words", "b a a c\na b\n"},
    {"symbols", "<eps>\t0\na\t1\nb\t2\nc\t3\nd\t4\n<phi>\t5\n"},
    {"att", "0 1 a b 0.5\n1 2 b c\n0 2 c a 2\n2 0.25\n"},
    {"acceptors", "0 1 1 0.5\n1\n\n0 1 2\n1 1\n\n"},
    {"plf", "((('a',-.5,1,1),(\"b'c\",-2.5e-1,0,1),),(('b',-1,0,1),),)\n((('d',-1,2,1),),)\n"},
    {"slf", "VERSION=1.0 UTTERANCE=x\nlmscale=2 wdpenalty=-1\nN=3 L=3\nI=0\nI=1\nI=2\nJ=0 S=0 E=1 W=b a=-1 l=-2\n"
            "J=1 S=1 E=2 W=!NULL p=0.5\nJ=2 S=0 E=2 W=c r=-1\n"},
    {"xml", "<?xml version=\"1.0\"?>\n<permfst version=\"1\"><fst type=\"standard\" start=\"0\"><osymbols name=\"x\">"
            "<symbol label=\"1\">a</symbol></osymbols><state id=\"0\"><arc to=\"1\" in=\"1\" out=\"1\" weight=\"0.5\"/></state>"
            "<state id=\"1\" final=\"0\"/></fst></permfst>\n"},
    {"tuple.arpa", "\\data\\\nngram 1=7\nngram 2=2\n\n\\1-grams:\n-99\t<s>\t-0.3\n-1\t</s>\n-3\t<unk>\n-1\ta|x\t-0.2\n"
                   "-1\tb|y_z\t-0.2\n-1.5\tc|w\n-1.2\ta_b|v\t-0.1\n\n\\2-grams:\n-0.2\t<s> a|x\n-0.5\ta|x b|y_z\n\n\\end\\\n"},
    {"pairwise", "0 1 2 0\n1 0 0 1\n2 1 0 0\n0 0 1 0\n\n0 1\n0.5 0\n"},
    {"position", "0 1 2 3\n1 0 0 1\n2 1 0 0\n0 0 1 0\n\n0 1\n0.5 0\n"},
    {"lexical", "a 0 1 2\n<unk> 0.5 1 2\n"},
    {"references.sgm", "<refset setid=\"t\" srclang=\"any\"><doc docid=\"d\" sysid=\"A\"><seg id=1> R & D &lt; 3 . </seg>\n"
                       "<seg id=2>a b c</seg></doc></refset>\n"},
    {"system.sgm", "<tstset setid=\"t\" srclang=\"any\"><doc docid=\"d\" sysid=\"B\"><seg id=1> R & E 3 . </seg>\n"
                   "<seg id=2>a c b</seg></doc></tstset>\n"},
    {"dataset.xml", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<dataset id=\"x\"><doc origlang=\"en\" id=\"d\">"
                    "<src lang=\"en\"><p>"
                    "<seg id=\"1\">s</seg></p></src><ref translator=\"A\"><p><seg id=\"1\">a b c</seg></p></ref>"
                    "<hyp system=\"X\"><p><seg id=\"1\">a c &amp; b</seg></p></hyp></doc></dataset>\n"},
    {"numbers", "0 1 1 2 0.5\n1 2 2 3\n0 2 3 1 2\n2 0.25\n"},
    {"source", "a b c\nb a\n"},     {"target", "x y z\ny x\n"},        {"links", "0-1 1-0 2-2\n0-1 1-0\n"},
    {"tags", "A B C\nB A\n"},       {"reference", "the cat sat down here\na b c d\n"},
    {"four", "2 1 4 3\n2 1\n"},    {"sixwords", "a b c d e .\n"},    {"links6", "0-0 1-4 2-1 3-2 4-3 5-5\n"},
    {"templates", "# of words and tags\n1\nd\nw.i+t1.j\nt1.i+t1.b+t1.j\n"},
    {"counted_features", "# permlearn-map 1 gold=unfold pairs=all max-length=80 templates=1 t1.i+t1.j\n1\t\t1\n1\t\t3\n"
                         "t1.i+t1.j\tA B\t2\n"
                         "t1.i+t1.j\tB A\t1\n"},
    {"session.psh", "a b c\nspace ibm:3\nweight monotone:0.5\nbest 3\nwhy ibm:1\ntight\nstep b\ntake a\nback\nwall 1\nbeam 2\n"
                    "best\n"
                    "certificate\nalternatives 2 x y\noracle c a x\nreference a y c\ncompare ibm:2 mj:1 4\nhelp best\n"
                    "sweep weight=none,distance:1 best\n"},
};

/* ---- files ---- */

void put_bytes(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0, "%s", path);
}

static void path_of(const char *folder, const char *name, size_t n, char out[NAME]) {
    CHECK((size_t)snprintf(out, NAME, "%s/%.*s", folder, (int)n, name) < NAME, "%s", name);
}

/* A copy in the folder, so that a test may damage it. */
static void copy_data(const char *path, const char *name, size_t n) {
    const char *srcdir = getenv("srcdir");
    char from[2 * NAME], *bytes;
    size_t size;
    snprintf(from, sizeof from, "%s/tests/data/%.*s", srcdir ? srcdir : ".", (int)n, name);
    read_whole(from, &bytes, &size);
    put_bytes(path, bytes, size);
    free(bytes);
}

/* NAME.gz has the bytes of NAME, packed. */
static void pack(const char *path) {
    char from[NAME], *bytes;
    size_t n;
    snprintf(from, sizeof from, "%.*s", (int)strlen(path) - 3, path);
    read_whole(from, &bytes, &n);
    gzFile file = gzopen(path, "wb");
    CHECK(file && gzwrite(file, bytes, (unsigned)n) == (int)n && gzclose(file) == Z_OK, "%s", path);
    free(bytes);
}

/* The path of a file that a step names; what is not there yet is made. */
static void find_file(const char *folder, char mark, const char *name, size_t n, char path[NAME]) {
    path_of(folder, name, n, path);
    if (access(path, F_OK) == 0) return;
    if (mark == 'D') copy_data(path, name, n);
    if (mark == '@' && n > 3 && memcmp(name + n - 3, ".gz", 3) == 0) pack(path);
}

/* Where the name of a file begins in a word, after its mark: '@', '%' or 'D'. NULL: there is none. */
static const char *file_in(const char *word, size_t n, char *mark) {
    for (size_t i = 0; i < n; i++) {
        *mark = word[i];
        if (*mark == '@' || *mark == '%') return word + i + 1;
        if (*mark == 'D' && n - i > 5 && memcmp(word + i, "DATA/", 5) == 0) return word + i + 5;
    }
    return NULL;
}

size_t step_files(const step *s, bool outputs, const char *name[MOST_FILES]) {
    static _Thread_local char found[MOST_FILES][NAME];
    size_t n = 0;
    for (const char *at = s->arguments; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        char mark;
        const char *begin = file_in(at, strcspn(at, " "), &mark);
        if (!begin || (mark == '%') != outputs) continue;
        assert_in_range(n, 0, MOST_FILES - 2);
        snprintf(found[n], NAME, "%.*s", (int)strcspn(begin, " "), begin);
        name[n] = found[n];
        n++;
    }
    if (!outputs && *s->input) name[n++] = step_input(s);
    return n;
}

static const char standard_input[] = "input"; /* the file of a text */

const char *step_input(const step *s) {
    if (*s->input == '@') return s->input + 1;
    return strncmp(s->input, "DATA/", 5) == 0 ? s->input + 5 : standard_input;
}

/* ---- one call ---- */

/* The word as the program gets it. */
static void expand(const char *folder, const char *word, size_t n, char out[NAME]) {
    char mark, path[NAME];
    const char *name = file_in(word, n, &mark);
    if (!name) {
        path_of("", word, n, path);
        memmove(out, path + 1, NAME - 1);
        return;
    }
    size_t before = (size_t)(name - word) - (mark == 'D' ? 5 : 1);
    find_file(folder, mark, name, n - (size_t)(name - word), path);
    CHECK((size_t)snprintf(out, NAME, "%.*s%s", (int)before, word, path) < NAME, "%s", word);
}

static int open_input(const char *folder, const step *s) {
    char path[NAME];
    const char *name = step_input(s);
    bool text = name == standard_input;
    find_file(folder, text ? 0 : *s->input, name, strlen(name), path);
    if (text) put_bytes(path, s->input, strlen(s->input));
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int open_to_write(const char *folder, const char *name, const char *more) {
    char path[NAME];
    CHECK((size_t)snprintf(path, sizeof path, "%s/%s%s", folder, name, more) < sizeof path, "%s", name);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

int run_step_by(const char *folder, const step *s, const char *name, step_runner *runner) {
    char argument[MOST_ARGUMENTS][NAME];
    const char *arguments[MOST_ARGUMENTS];
    int n = 0;
    for (const char *at = s->arguments; *at && *at != '>'; n++) {
        size_t length = strcspn(at, " ");
        assert_in_range(n, 0, MOST_ARGUMENTS - 1);
        expand(folder, at, length, argument[n]);
        arguments[n] = argument[n];
        at += length + (at[length] == ' ');
    }
    tool_streams streams = {open_input(folder, s), open_to_write(folder, name, ""), open_to_write(folder, name, ".said")};
    int status = runner(s->program, n, arguments, streams);
    CHECK(close(streams.in) == 0 && close(streams.out) == 0 && close(streams.err) == 0, "%s closed a stream of its caller's",
          s->program->name);
    return status;
}

int run_step(const char *folder, const step *s, const char *name) { return run_step_by(folder, s, name, tool_run); }

void read_whole(const char *path, char **bytes, size_t *n) {
    struct stat there;
    FILE *file = fopen(path, "r");
    CHECK(file && fstat(fileno(file), &there) == 0, "%s", path);
    *n = (size_t)there.st_size;
    *bytes = malloc(*n + 1);
    assert_int_equal(fread(*bytes, 1, *n, file), *n);
    (*bytes)[*n] = 0;
    fclose(file);
}

void begin_folder(char folder[NAME]) {
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, NAME, "%s/permfst-programs.XXXXXX", tmp ? tmp : "/tmp");
    CHECK(mkdtemp(folder), "%s", folder);
    for (size_t i = 0; i < LENGTH(files); i++) {
        char path[2 * NAME];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        put_bytes(path, files[i].text, strlen(files[i].text));
    }
}

void end_folder(const char *folder) {
    char command[2 * NAME];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* ">NAME": later steps know what this one writes under that name. */
static void keep_output(const char *folder, const step *s, const char *name) {
    const char *mark = strrchr(s->arguments, '>');
    char from[NAME], to[NAME];
    if (!mark || (mark > s->arguments && mark[-1] != ' ')) return;
    path_of(folder, name, strlen(name), from);
    path_of(folder, mark + 1, strlen(mark + 1), to);
    unlink(to);
    CHECK(link(from, to) == 0, "%s", to);
}

void run_all(const char *folder) {
    size_t wrong = 0;
    for (size_t i = 0; i < n_steps; i++) {
        char name[20], path[2 * NAME], *said;
        size_t n;
        snprintf(name, sizeof name, "%zu", i);
        int status = run_step(folder, &steps[i], name);
        keep_output(folder, &steps[i], name);
        if (status == steps[i].status) continue;
        snprintf(path, sizeof path, "%s/%s.said", folder, name);
        read_whole(path, &said, &n);
        print_error("step %zu, %s %s: status %d, not %d: %s", i, steps[i].program->name, steps[i].arguments, status,
                    steps[i].status, said);
        free(said);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
