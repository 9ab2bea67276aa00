# Makes the man page of a program from its option table and a page with markers:
#
#     awk -v version=V -f page.awk TABLE PAGE.1.in > PAGE.1
#
# TABLE is what "program --option-table" prints: a row with name, summary and the forms of a call, then one row an option with
# letter (- for none), long name, kind, metavar (- for none; a last ? where the value may be left out), choices, help, the
# terms of which one must hold, those that must not (bin/tool.h), the forms that it goes with, and its bounds (- for none).
#
# A marker stands on a line of its own:
#     @TITLE date@     the title line of the page
#     @NAME@           the section NAME, from the summary
#     @SYNOPSIS@       the section SYNOPSIS, from the forms
#     @OPTIONS@        the section OPTIONS, up to @END@: every option of the table, in its order. Between the two,
#     @OPTION name@    begins what the page adds to an option of the table
#     @LIST option@    what "program --option list" prints, in the file TABLE.option: names with their words, a tab, and help
# and @VERSION@ anywhere stands for the version. Any other line is roff and is passed on.

function fail(words) {
    printf "page.awk: %s:%d: %s\n", FILENAME, FNR, words > "/dev/stderr"
    failed = 1
    exit 1
}

# Plain words as roff: no backslash or quote is special, a hyphen that begins an option is a minus sign.
function roff(s) {
    gsub(/\\/, "\\e", s)
    gsub(/'/, "\\(aq", s)
    gsub(/`/, "\\(ga", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    return s
}

function minus(s) {
    gsub(/-/, "\\-", s)
    return s
}

function bold(s) { return "\\fB" minus(s) "\\fR" }
function italic(s) { return "\\fI" minus(s) "\\fR" }

# Lines of text: short ones, none of which begins like a request.
function lines(s,    line, word, n, k, i, j, at, out) {
    n = split(s, line, "\n")
    for (i = 1; i <= n; i++) {
        k = split(line[i], word, " ")
        at = ""
        for (j = 1; j <= k; j++) {
            if (at != "" && length(at) + length(word[j]) > 77) {
                out = out at "\n"
                at = ""
            }
            if (at == "" && word[j] ~ /^[.']/) word[j] = "\\&" word[j]
            at = at (at == "" ? "" : " ") word[j]
        }
        out = out at (i < n ? "\n" : "")
    }
    return out
}

# Forms of a call: options and commands in bold, upper-case names of values and operands in italics.
function form_words(s,    piece, out) {
    gsub(/'/, "", s)
    while (match(s, /--[a-z][a-z-]*(=[a-z]+)?|[A-Z]+|[a-z]+/)) {
        piece = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1) (piece ~ /^[A-Z]/ ? italic(piece) : piece == "or" ? piece : bold(piece))
        s = substr(s, RSTART + RLENGTH)
    }
    return out s
}

function capital(s) { return toupper(substr(s, 1, 1)) substr(s, 2) }

# The help of an option as sentences: its value in italics, other options in bold, a default in words.
function sentences(help, metavar,    word, n, i, out, core, tail, preset) {
    if (match(help, / \[[^]]*\]$/)) {
        preset = substr(help, RSTART + 2, RLENGTH - 3)
        help = substr(help, 1, RSTART - 1)
    }
    n = split(capital(help), word, " ")
    for (i = 1; i <= n; i++) {
        core = word[i]
        tail = ""
        if (match(core, /[.,:;?]+$/)) {
            tail = substr(core, RSTART)
            core = substr(core, 1, RSTART - 1)
        }
        if (core == metavar) core = italic(core)
        else if (core ~ /^--?[a-zA-Z]/) core = bold(core)
        else core = roff(core)
        out = out (i == 1 ? "" : out ~ /[.?]$/ ? "\n" : " ") core tail
    }
    out = out ~ /[.?]$/ ? out : out "."
    if (preset != "") out = out "\nDefault: " minus(roff(preset)) "."
    return lines(out)
}

# "-n N, --nbest=N"
function form(i,    value, long) {
    value = metavar[i] == "-" ? "" : italic(metavar[i])
    long = bold("--" name[i])
    if (value != "") long = long (optional[i] ? "[=" value "]" : "=" value)
    if (letter[i] == "-") return long
    return bold("-" letter[i]) (value == "" ? "" : " " value) ", " long
}

# A part of a term: "a=b|c", "a>1", "REF>1", "!a", or a command.
function term_part(part,    many, name) {
    sub(/^!/, "", part)
    if (match(part, />[0-9]+$/)) {
        many = substr(part, RSTART + 1) == 1 ? "several " : "more than " substr(part, RSTART + 1) " "
        part = substr(part, 1, RSTART - 1)
    }
    name = part
    sub(/=.*/, "", name)
    return many (name in known ? bold("--" part) : name ~ /^[A-Z]/ ? italic(part) : bold(part))
}

# "a b=c" as "--a or --b=c", in bold; its parts one with or without the other.
function relation(terms,    term, part, n, i, k, parts, out) {
    n = split(terms, term, " ")
    for (i = 1; i <= n; i++) {
        out = out (i == 1 ? "" : i == n ? " or " : ", ")
        parts = split(term[i], part, "+")
        for (k = 1; k <= parts; k++) out = out (k == 1 ? "" : part[k] ~ /^!/ ? " without " : " with ") term_part(part[k])
    }
    return out
}

# What an option excludes: of itself, with some value or given several times, and whenever it is given.
function print_excluded(i,    term, n, k, own, rest, plain) {
    n = split(excludes[i], term, " ")
    for (k = 1; k <= n; k++) {
        own = rest = term[k]
        if (sub(/\+.*/, "", own) && own ~ "^" name[i] "[=>]") {
            sub(/^[^+]*\+/, "", rest)
            print lines(capital(relation(own)) " does not go with " relation(rest) ".")
        } else plain = plain (plain == "" ? "" : " ") term[k]
    }
    if (plain != "") print lines("It does not go with " relation(plain) ".")
}

function print_options(    i) {
    print ".SH OPTIONS"
    for (i = 1; i <= options; i++) {
        print ".TP"
        print form(i)
        print sentences(help[i], metavar[i])
        if (needs[i] != "-") print lines("It needs " relation(needs[i]) ".")
        if (forms[i] != "-") print lines("It goes only with " form_words(forms[i]) ".")
        if (excludes[i] != "-") print_excluded(i)
        if (bounds[i] != "-") print lines("It is a number " bounds[i] ".")
        printf "%s", more[name[i]]
    }
}

BEGIN { FS = "\t" }

NR == 1 {
    program = $1
    summary = $2
    for (i = 3; i <= NF; i++) usage[i - 2] = $i
    next
}

NR == FNR {
    options++
    letter[options] = $1
    name[options] = $2
    optional[options] = sub(/\?$/, "", $4)
    metavar[options] = $4
    help[options] = $6
    needs[options] = $7
    excludes[options] = $8
    forms[options] = $9
    bounds[options] = $10
    known[$2] = 1
    next
}

{ gsub(/@VERSION@/, version) }

/^@TITLE [0-9]+-[0-9]+-[0-9]+@$/ {
    printf ".\\\" Made from man/%s.1.in and the option table of %s.\n", program, program
    printf ".TH %s 1 %s \"permfst %s\" \"permfst manual\"\n", toupper(program), substr($0, 8, 10), version
    print ".nh\n.ad l\n.ta T 8n"
    titled = 1
    next
}

/^@NAME@$/ {
    print ".SH NAME"
    print lines(program " \\- " roff(tolower(substr(summary, 1, 1)) substr(summary, 2)))
    next
}

/^@SYNOPSIS@$/ {
    print ".SH SYNOPSIS"
    for (i = 1; i in usage; i++) {
        if (i > 1) print ".br"
        print ".B " program
        print lines("[\\fIOPTION\\fR...] " form_words(usage[i]))
    }
    next
}

/^@OPTIONS@$/ { in_options = 1; current = ""; next }
/^@END@$/ { print_options(); in_options = 0; next }

in_options && /^@OPTION [a-z-]+@$/ {
    current = substr($0, 9, length($0) - 9)
    if (!(current in known)) fail("the table has no option --" current)
    next
}

/^@LIST [a-z-]+@$/ {
    list = ARGV[1] "." substr($0, 7, length($0) - 7)
    while ((getline item < list) > 0) {
        split(item, part, "\t")
        match(part[1], /^[^ ]+/)
        print ".TP"
        print bold(substr(part[1], 1, RLENGTH)) minus(roff(substr(part[1], RLENGTH + 1)))
        print lines(minus(roff(capital(part[2]))) ".")
        listed = 1
    }
    close(list)
    if (!listed) fail("nothing is listed: " list)
    next
}

/^@/ { fail("unknown marker: " $0) }

in_options {
    if (current == "") fail("expected @OPTION name@ or @END@")
    more[current] = more[current] $0 "\n"
    next
}

{ print }

END {
    if (!failed && in_options) fail("@OPTIONS@ without @END@")
    if (!failed && !titled) fail("no @TITLE date@")
    exit failed
}
