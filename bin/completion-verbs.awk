# What the completions of all shells read first of an option table, which man/page.awk describes: its first line, with the program
# and the forms of its calls ("learn --tags=FILE", "apply RULES"). It is loaded before the script of a shell.
#
# verbs: the words that the first operand can be, separated by blanks. files: the first operand can be something else.

BEGIN { FS = "\t" }

NR == 1 {
    program = $1
    for (i = 3; i <= NF; i++) {
        verb = $i
        sub(/ .*/, "", verb)
        if (verb !~ /^[a-z][a-z-]*$/) files = 1
        else if (!((" " verbs " ") ~ (" " verb " "))) verbs = verbs (verbs == "" ? "" : " ") verb
    }
}
