# For scripts that read C: a line without comments, and without what is in quotation marks. `comment` says whether it begins inside
# of a comment; the scripts set it to 0 where a file begins.
function code_of(line,    i, j) {
    gsub(/'([^'\\]|\\.)'/, "0", line)
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    while (1) {
        if (comment) { i = index(line, "*/"); if (!i) return ""; line = substr(line, i + 2); comment = 0 }
        i = index(line, "/*"); if (!i) return line
        j = index(substr(line, i), "*/")
        if (j) line = substr(line, 1, i - 1) " " substr(line, i + j + 1)
        else { comment = 1; return substr(line, 1, i - 1) }
    }
}
