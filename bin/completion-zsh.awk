# Makes the zsh completion of a program from its option table, which man/page.awk describes:
#
#     awk -f completion-verbs.awk -f completion-zsh.awk TABLE > _PROGRAM
#
# For a specification it offers the names that "program --option list" prints, also after an operator: ibm:4+itg.

function quoted(s) { gsub(/'/, "'\\''", s); return s }

# In an explanation or a message, brackets and colons are special.
function plain(s) {
    gsub(/\[/, "\\[", s)
    gsub(/\]/, "\\]", s)
    gsub(/:/, "\\:", s)
    return quoted(s)
}

NR == 1 {
    print "#compdef " program
    print "# zsh completion of " program ", made from its option table"
    print ""
    print "_" program "_specs() {"
    print "    local -a names list=(list)"
    print "    compset -P '*[+|(]' && list=()"
    print "    names=(${${(f)\"$(" program " $1 list 2> /dev/null < /dev/null)\"}%%[$'\t ':]*})"
    print "    compadd -- $names $list"
    print "}"
    print ""
    print "_arguments -s -S \\"
    next
}

{
    if ($3 == "flag") action = ""
    else if ($3 == "choice") action = ":" plain($4) ":(" quoted($5) ")"
    else if ($3 == "choices") action = ":" plain($4) ": _values -s , " quoted($4) " " quoted($5)
    else if ($3 == "file") action = ":" plain($4) ":_files"
    else if ($3 == "specs") action = ":" plain($4) ": _" program "_specs --" $2
    else action = ":" plain($4) ": "
    sub(/\?:/, ":", action)
    optional = $4 ~ /\?$/
    if (optional) action = ":" action
    value = $3 == "flag" ? "" : optional ? "=-" : "="
    printf "    '*--%s%s[%s]%s' \\\n", $2, value, plain($6), action
    if ($1 != "-") printf "    '*-%s%s[%s]%s' \\\n", $1, value == "=" ? "+" : value == "" ? "" : "-", plain($6), action
}

END {
    first = files ? "{_alternative \"verbs\\:verb\\:(" verbs ")\" \"files\\:file\\:_files\"}" : "(" verbs ")"
    if (verbs != "") print "    '1: :" first "' \\"
    print "    '*: :_files'"
}
