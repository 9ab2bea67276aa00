# Makes the fish completion of a program from its option table, which man/page.awk describes:
#
#     awk -f completion-verbs.awk -f completion-fish.awk TABLE > PROGRAM.fish
#
# For a specification it offers the names that "program --option list" prints, also after an operator: ibm:4+itg.

function quoted(s) { gsub(/\\/, "\\\\", s); gsub(/'/, "\\'", s); return s }

NR == 1 {
    print "# fish completion of " program ", made from its option table"
    if (verbs != "") print "complete -c " program " -n __fish_use_subcommand" (files ? "" : " -f") " -a '" verbs "'"
    print "function __" program "_specs"
    print "    set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^.*[+|(]')"
    print "    " program " $argv[1] list < /dev/null 2> /dev/null | string replace -r '[:\\s].*' '' |",
        "string replace -r '^' -- \"$before\""
    print "end"
    next
}

{
    if ($3 == "flag") action = ""
    else if ($3 == "choice") action = " -x -a '" quoted($5) "'"
    else if ($3 == "choices") action = " -x -a '(__fish_append , " quoted($5) ")'"
    else if ($3 == "file") action = " -r -F"
    else if ($3 == "specs") action = " -x -a '(__" program "_specs --" $2 ")'"
    else action = " -x"
    if ($4 ~ /\?$/) sub(/^ -[xr]/, " -f", action) # its value may be left out
    printf "complete -c %s%s -l %s%s -d '%s'\n", program, $1 == "-" ? "" : " -s " $1, $2, action, quoted($6)
}
