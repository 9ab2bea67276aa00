# What the experiments share: steps that are done once, tables and charts. It is sourced.
#
# Experiments take programs from the folders of $programs, as in PATH, or else from $builddir/bin, or else from build/bin.

# claim DIRECTORY OPTIONS [NAME]: makes the directory for steps with these options. A directory that has steps with other
# options is refused, because these would be taken for the steps wanted. The file NAME [options] in it holds its options.
claim() {
    claim_file=$1/${3:-options}
    mkdir -p "$1" || exit 2
    [ -f "$claim_file" ] || printf '%s\n' "$2" > "$claim_file" || exit 2
    [ "$(cat "$claim_file")" = "$2" ] && return
    echo "$0: $1 was made with $(cat "$claim_file"), not $2: take another directory (-d)" >&2
    exit 2
}

# claim_data DIRECTORY: the same for the folder PERMFST_DATA, from which sets are taken.
claim_data() { claim "$1" "PERMFST_DATA=$(cd "$PERMFST_DATA" && pwd -P)" data; }

# step FILE WORDS COMMAND...: makes FILE of the output of COMMAND, as a whole or not at all, and only if FILE does not exist yet.
# Progress goes to standard error.
step() {
    step_file=$1
    [ ! -f "$step_file" ] || return 0
    step_began=$(date '+%s %H:%M:%S')
    echo "${step_began#* } ${step_file##*/}: $2" >&2
    shift 2
    if ("$@") > "$step_file.part" && mv "$step_file.part" "$step_file"; then
        step_took=$(($(date +%s) - ${step_began% *}))
        [ "$step_took" -lt 10 ] || echo "         $step_took s" >&2
    else
        rm -f "$step_file.part"
        echo "${step_file##*/}: failed" >&2
        exit 2
    fi
}

# classes TEXT: word classes for text without tags. The class of a long word is its last two characters, that of a short word
# is the word.
classes() { awk '{ for (i = 1; i <= NF; i++) if (length($i) > 4) $i = "-" substr($i, length($i) - 1); print }' "$1"; }

# table TSV: prints its columns aligned, text to the left and numbers to the right.
table() {
    awk -F '\t' '
        {
            for (i = 1; i <= NF; i++) {
                cell[NR, i] = $i
                if (length($i) > width[i]) width[i] = length($i)
                if (NR > 1 && $i !~ /^[-+]?[0-9.e+]*$/) text[i] = 1
            }
            if (NF > columns) columns = NF
        }
        END {
            for (r = 1; r <= NR; r++) {
                line = ""
                for (i = 1; i <= columns; i++) line = line sprintf(text[i] ? "%-" width[i] "s  " : "%" width[i] "s  ", cell[r, i])
                sub(/ +$/, "", line)
                print line
            }
        }' "$1"
}

# What the charts share: functions of awk. Rows are named on the left, and groups of rows are headed.
chart_functions='
    function plain(s) {
        gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
        return s
    }
    function head_group(name) {
        y += 28
        out = out sprintf("<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y, plain(name))
        y += 8
    }
    function label_row(name) { out = out sprintf("<text x=\"170\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, plain(name)) }
    function label_number(x, number) { out = out sprintf("<text x=\"%.1f\" y=\"%d\">%s</text>\n", x, y + 13, number) }
    function print_chart(title, description) {
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"%d\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n", y + 20
        printf "<title>%s</title>\n<desc>%s</desc>\n", plain(title), plain(description)
        printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"10\" y=\"30\" font-size=\"16\">%s</text>\n%s</svg>\n", plain(title), out
    }
'

# bars TITLE TSV: an SVG chart of horizontal bars, from lines with GROUP, NAME and NUMBER.
bars() {
    awk -F '\t' -v title="$1" "$chart_functions"'
        { group[NR] = $1; name[NR] = $2; value[NR] = $3; if ($3 > most) most = $3 }
        END {
            y = 50
            for (r = 1; r <= NR; r++) {
                if (group[r] != group[r - 1]) head_group(group[r])
                words = words " " group[r] ", " name[r] ": " value[r] ";"
                w = most > 0 ? 460 * value[r] / most : 0
                label_row(name[r])
                out = out sprintf("<rect x=\"180\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"#4477aa\"/>\n", y + 2, w < 0 ? 0 : w)
                label_number(186 + w, value[r])
                y += 18
            }
            print_chart(title, "Bars:" words)
        }' "$2"
}

# intervals TITLE TSV: an SVG chart of numbers with their intervals, from lines with GROUP, NAME, NUMBER, LOW and HIGH. A line stands
# where the number is 0.
intervals() {
    awk -F '\t' -v title="$1" "$chart_functions"'
        function x(v) { return 180 + 460 * (v - low) / (high - low) }
        { group[NR] = $1; name[NR] = $2; value[NR] = $3; from[NR] = $4; to[NR] = $5 }
        $4 < low { low = $4 + 0 }
        $5 > high { high = $5 + 0 }
        END {
            if (high == low) high = low + 1
            y = 40
            for (r = 1; r <= NR; r++) {
                if (group[r] != group[r - 1]) head_group(group[r])
                words = words " " group[r] ", " name[r] ": " value[r] " (" from[r] " to " to[r] ");"
                label_row(name[r])
                out = out sprintf("<path d=\"M%.1f %dH%.1f\" stroke=\"black\"/>\n", x(from[r]), y + 9, x(to[r]))
                out = out sprintf("<circle cx=\"%.1f\" cy=\"%d\" r=\"3.5\"/>\n", x(value[r]), y + 9)
                label_number(650, value[r])
                y += 18
            }
            out = sprintf("<path d=\"M%.1f 45V%d\" stroke=\"black\" stroke-dasharray=\"3 3\"/>\n", x(0), y) out
            print_chart(title, "Intervals:" words)
        }' "$2"
}
