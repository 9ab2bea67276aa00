# Which names are used from the roots: each name on a line. A root is all that is written in a file of bin/ or in a program for
# users (ROOT=1 before the file's name). What else is defined, a function, a variable, a type or a macro, uses the names in its
# text; it is used where its own name is. Files that have names for themselves share them here, so a name may be found that is not
# used, but none is missed that is.
function uses(name, text,    word) {
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (ROOT) { if (!(word in used)) { used[word] = 1; todo[++last] = word } }
        else if (word != name) inside[name] = inside[name] " " word
    }
}
# The end of what is outside of braces: `head` is that, and `text` all of it.
function define(    name) {
    name = head
    if (match(name, /[=(]/) && substr(name, RSTART, 1) == "(") name = substr(name, 1, RSTART - 1)
    else sub(/ *=.*/, "", name)
    sub(/([ \t]|\[[^]]*\])*$/, "", name)
    if (match(name, /[A-Za-z_][A-Za-z0-9_]*$/)) uses(substr(name, RSTART), text)
    head = text = ""
}
FNR == 1 { head = text = ""; depth = comment = macro = 0 }
{
    line = code_of($0)
    if (macro || line ~ /^# *define /) {
        if (!macro) { sub(/^# *define +/, "", line); name = line; sub(/[^A-Za-z0-9_].*/, "", name) }
        macro = line ~ /\\$/
        uses(name, line)
        next
    }
    if (line ~ /^#/ || line ~ /^extern ""/) next
    while (match(line, /[{};]/)) {
        before = substr(line, 1, RSTART - 1); mark = substr(line, RSTART, 1); line = substr(line, RSTART + 1)
        if (!depth) head = head before
        text = text " " before
        if (mark == "{") depth++
        else if (mark == "}") { if (depth && --depth == 0 && head ~ /\) *$/ && head !~ /=/) define() }
        else if (!depth) define()
    }
    if (!depth) head = head line " "
    text = text " " line
}
END {
    for (k = 1; k <= last; k++) {
        n = split(inside[todo[k]], part, " ")
        for (i = 1; i <= n; i++) if (!(part[i] in used)) { used[part[i]] = 1; todo[++last] = part[i] }
    }
    for (name in used) print name
}
