# What C files declare outside of functions, a line each: NAME, KIND, FILE, and what it stands for, apart by tabs. KIND is
# type, function, variable, macro or constant (of an enumeration); the last column is the text of a macro, the members of a
# type, the value of a constant, and "" where a type is only announced. Enumerations inside of functions are left out.
function out(name, kind, text) {
    if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/) return
    gsub(/[ \t]+/, " ", text)
    print name "\t" kind "\t" file "\t" text
}
function last_name(text) {
    sub(/(\[[^]]*\] *)*$/, "", text)
    return match(text, /[A-Za-z_][A-Za-z0-9_]*$/) ? substr(text, RSTART) : ""
}
function constants(body,    n, i, part, value) {
    n = split(body, part, ",")
    for (i = 1; i <= n; i++) {
        value = part[i]
        gsub(/^ +| +$/, "", part[i])
        sub(/ *=.*/, "", part[i])
        if (!sub(/^[^=]*= */, "", value)) value = "number " i " of " body
        out(part[i], "constant", value)
    }
}
# A declaration on one line, its braces' content in `body`, replaced by {}.
function declaration(text, body,    name) {
    gsub(/[ \t\n]+/, " ", text); gsub(/[ \t\n]+/, " ", body)
    gsub(/^ +| +$/, "", text)
    gsub(/PF_PRINTF\([^)]*\)|__extension__|PF_UNUSED/, "", text)
    gsub(/ +$/, "", text)
    if (text ~ /^(typedef )?enum/ && text ~ /\{\}/) constants(body)
    if (text ~ /^typedef /) {
        if (match(text, /\(\*[a-z_A-Z0-9]+\)/) && text !~ /\{\}/) { name = substr(text, RSTART + 2, RLENGTH - 3); body = text }
        else name = last_name(text)
        if (text !~ /\{\}/ && text ~ /^typedef (struct|union|enum) [a-zA-Z_0-9]+ [a-zA-Z_0-9]+$/) { out(name, "type", ""); return }
        if (text !~ /\{\}/) body = text
        out(name, "type", body)
        return
    }
    if (text ~ /^(struct|union|enum) [A-Za-z_0-9]+( \{\})?$/) {
        name = text; sub(/^[a-z]+ /, "", name); sub(/ .*/, "", name)
        out(name, "type", text ~ /\{\}/ ? body : "")
        return
    }
    if (text ~ /^enum/ || text == "") return
    # NAME(...) without a type is a macro that writes definitions.
    if (match(text, /[=({]/) && substr(text, RSTART, 1) == "(") {
        if (text !~ /^[A-Z_]+\(/) out(last_name(substr(text, 1, RSTART - 1)), "function", "")
    }
    else { sub(/ *=.*/, "", text); out(last_name(text), "variable", "") }
}
function end_of_file() { text = body = ""; depth = 0; comment = 0; skip = 0; define = "" }
FNR == 1 { end_of_file(); file = FILENAME }
{
    line = code_of($0)
    if (line ~ /^# *ifdef __cplusplus/) skip = 1
    if (skip) { if (line ~ /^# *endif/) skip = 0; next }
    if (define != "" || line ~ /^# *define /) {
        whole = $0; gsub(/\/\*[^*]*\*\//, "", whole)
        continued = whole ~ /\\$/; sub(/ *\\$/, "", whole)
        define = define " " whole
        if (continued) next
        sub(/^ *# *define +/, "", define)
        name = define; sub(/[^A-Za-z0-9_].*/, "", name)
        out(name, "macro", substr(define, length(name) + 1))
        define = ""
        next
    }
    if (line ~ /^#/) next
    while (match(line, /[{};]/)) {
        before = substr(line, 1, RSTART - 1); c = substr(line, RSTART, 1); line = substr(line, RSTART + 1)
        if (depth) body = body before c; else text = text before
        if (c == "{") { if (!depth++) text = text "{}" }
        else if (c == "}") {
            if (--depth == 0) {
                sub(/\}$/, "", body)
                if (text ~ /\) *\{\}$/ && text !~ /=/) { declaration(text, ""); text = body = "" }
            }
        } else if (!depth) { declaration(text, body); text = body = "" }
    }
    if (depth) body = body line " "; else text = text line " "
}
