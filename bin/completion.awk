# Makes the bash completion of a program from its option table, which man/page.awk describes:
#
#     awk -f completion-verbs.awk -f completion.awk TABLE > PROGRAM
#
# It needs bash 4, and no helper functions. After an option it offers the values of the option's kind: choices, file names, for a
# specification the names that "program --option list" prints, and nothing for numbers and other text. After a hyphen it offers
# options, and otherwise file names. Readline usually breaks words at "=" and ":", but need not.

function row(pattern, action) { rows = rows "    " pattern ") " action " ;;\n" }

NR == 1 { next }

{
    long = "--" $2
    both = ($1 == "-" ? "" : "-" $1 "|") long
    options = options (options == "" ? "" : " ") long
    if ($3 == "flag") next
    if ($4 ~ /\?$/) { # its value can only follow "="
        options = options " " long "="
        both = long "="
    } else both = both "|" long "="
    if ($3 == "choice") row(both, "kind=words words='" $5 "'")
    else if ($3 == "file") row(both, "kind=files")
    else if ($3 == "choices") row(both, "kind=list words='" $5 "'")
    else if ($3 == "specs") row(both, "kind=specs")
    else row(both, "kind=none")
}

END {
    print "# bash completion of " program ", made from its option table"
    print ""
    print "_" program "()"
    print "{"
    print "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} prefix= kind= words= broken=",
        "operator='*[+|(]' i"
    print "    COMPREPLY=()"
    print "    # --option=value, in one word or in three"
    print "    if [[ $cur == --*=* ]]; then"
    print "        prefix=${cur%%=*}= option=$prefix cur=${cur#*=}"
    print "    elif [[ $cur == = ]]; then"
    print "        option+== cur="
    print "    elif [[ $option == = ]]; then"
    print "        option=${COMP_WORDS[COMP_CWORD-2]}="
    print "    fi"
    print "    # a specification that readline has broken at its colons, such as ibm:4+it"
    print "    local joined=$cur"
    print "    i=COMP_CWORD"
    print "    while ((i > 1)) && [[ ${COMP_WORDS[i]} == : || ${COMP_WORDS[i-1]} == : ]]; do"
    print "        ((--i))"
    print "        joined=${COMP_WORDS[i]}$joined"
    print "    done"
    print "    if ((i < COMP_CWORD)); then"
    print "        option=${COMP_WORDS[i-1]} broken=1"
    print "        [[ $option == = ]] && option=${COMP_WORDS[i-2]}="
    print "    fi"
    print "    case $option in"
    printf "%s", rows
    print "    esac"
    print "    [[ $broken && $kind != specs ]] && return"
    if (verbs != "") {
        print "    if [[ $COMP_CWORD == 1 && $cur != -* ]]; then"
        print "        kind=" (files ? "files" : "words") " words='" verbs "'"
        print "    fi"
    }
    print "    if [[ -z $kind && -z $prefix && $cur == -* ]]; then"
    print "        kind=words words='" options "'"
    print "    fi"
    print "    for ((i = 1; i < COMP_CWORD; i++)); do"
    print "        [[ ${COMP_WORDS[i]} == -- ]] && kind=files words= prefix= cur=${COMP_WORDS[COMP_CWORD]}"
    print "    done"
    print "    case $kind in"
    print "    list) # the word after the last comma"
    print "        [[ $cur == *,* ]] && prefix+=${cur%,*}, cur=${cur##*,} ;;"
    print "    specs) # the name after the last operator, unless a colon follows it"
    print "        joined=${joined##$operator}"
    print "        [[ $broken && $joined == *:* ]] && return"
    print "        prefix+=${cur%\"${cur##$operator}\"} cur=${cur##$operator}"
    print "        words=\"$(\"$1\" \"${option%=}\" list < /dev/null 2> /dev/null | cut -f 1 | sed 's/:.*/:/')\""
    print "        [[ $joined$prefix == *[+\\|\\(]* ]] || words+=' list' ;;"
    print "    files | '')"
    print "        compopt -o filenames 2> /dev/null"
    print "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;"
    print "    esac"
    print "    [[ $words ]] && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
    print "    [[ $prefix ]] && COMPREPLY=(\"${COMPREPLY[@]/#/$prefix}\")"
    print "    [[ ${COMPREPLY[0]-} == *[:=] ]] && compopt -o nospace 2> /dev/null"
    print "    return 0"
    print "}"
    print ""
    print "complete -F _" program " " program
}
