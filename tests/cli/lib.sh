# What the shell tests share; it is sourced first. It gives each test a folder of its own and changes to it, has checks that say
# what failed, and sets $data to the folder of the good-* and bad-* files.
set -u
LC_ALL=C
export LC_ALL
: "${srcdir:?}" "${builddir:?}"
srcdir=$(cd "$srcdir" && pwd)
data=$srcdir/tests/data
work=$(mktemp -d "${TMPDIR:-/tmp}/permfst.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
exec < /dev/null # the caller's standard input may be a terminal
failures=0
tab='	'
lf='
'

failed() {
    failures=$((failures + 1))
    printf 'FAIL: %s\n' "$1"
}

# run COMMAND...: standard output to ./out, standard error to ./err, exit status to $status.
run() {
    command_line=$*
    "$@" > out 2> err
    status=$?
}

# content FILE: its text goes to $content, without line ends at its end. It starts no process, which takes longer than a short file.
content() {
    content=
    while IFS= read -r content_line; do content=$content$content_line$lf; done < "$1"
    content=$content$content_line
    while [ "$content" != "${content%"$lf"}" ]; do content=${content%"$lf"}; done
}

# exits STATUS CLAIM: the status of the last run.
exits() {
    [ "$status" -eq "$1" ] && return
    failed "$2: expected exit status $1, found $status: $command_line"
    sed 's/^/    stderr: /' err
}

# equal CLAIM EXPECTED FOUND
equal() {
    [ "$2" = "$3" ] && return
    failed "$1"
    printf '%s\n' "$2" | sed 's/^/    expected: /'
    printf '%s\n' "$3" | sed 's/^/    found:    /'
}

# prints CLAIM TEXT: the standard output of the last run, which must have succeeded without a message.
prints() {
    exits 0 "$1"
    content out
    equal "$1" "$2" "$content"
    silent "$1"
}

# prints_nothing CLAIM ITEMS: the last run succeeded, made nothing of text without a line, and its only message says so.
prints_nothing() {
    exits 0 "$1"
    equal "$1" '' "$(cat out)"
    equal "$1" ": warning: the input is empty: there are no $2" "$(sed 's/^[a-z]*//' err)"
}

# silent CLAIM: nothing on standard error in the last run.
silent() {
    [ -s err ] || return 0
    failed "$1: expected no message"
    sed 's/^/    found: /' err
}

# says CLAIM TEXT...: the last run's standard error has each text.
says() {
    claim=$1
    shift
    content err
    for text; do
        case $content in *"$text"*) continue ;; esac
        failed "$claim: expected a message with '$text': $command_line"
        sed 's/^/    found: /' err
    done
}

# refused CLAIM TEXT...: the last run ended with status 2 and one message (besides warnings and the hint of --help) that
# has each text.
refused() {
    exits 2 "$1"
    messages=0
    while IFS= read -r message || [ -n "$message" ]; do
        case $message in 'Try '* | *': warning: '*) ;; *) messages=$((messages + 1)) ;; esac
    done < err
    [ "$messages" -eq 1 ] || failed "$1: expected one message, found $messages: $command_line"
    says "$@"
}

# same CLAIM FILE FILE: equal bytes.
same() {
    cmp "$2" "$3" > differs 2>&1 && return
    failed "$1: $(cat differs)"
}

# near CLAIM A B [TOLERANCE]: numbers, or both Infinity.
near() {
    awk -v a="$2" -v b="$3" -v t="${4:-1e-4}" 'BEGIN {
        if (a == "" || b == "") exit 1
        if (a == b) exit 0
        d = a - b; if (d < 0) d = -d
        exit !(a + 0 == a && b + 0 == b && d <= t)
    }' && return
    failed "$1: expected $2, found $3"
}

# until_true COMMAND...: waits until the command succeeds, for at most half a minute.
until_true() {
    tries=0
    until "$@" 2> /dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

# have COMMAND...: are they installed?
have() {
    for program; do
        command -v "$program" > /dev/null 2>&1 || return 1
    done
}

skip() {
    printf 'SKIP: %s\n' "$1"
    exit 77
}

finish() {
    [ "$failures" -eq 0 ] && exit 0
    printf '%d checks failed\n' "$failures"
    exit 1
}

# values KEY...: what the last run, of perminfo, says of each key: "record:value" for each record.
values() {
    for key; do sed -n "s/^\([0-9]*\)$tab$key$tab/\1:/p" out | tr '\n' ' '; done
}

# arpa: a trigram model of the words a and b, small enough to compute by hand.
arpa=$data/good-back-off.arpa

# machine SEED[-LAST] STATES ARCS LABELS EPSILONS(0..100) ACYCLIC(0, 1) [ACCEPTOR(0, 1)]: a random automaton as AT&T text, its
# weights multiples of 1/4. Of several seeds, one automaton each, with an empty line after it.
machine() {
    awk -v seeds="$1" -v n="$2" -v m="$3" -v labels="$4" -v epsilons="$5" -v acyclic="$6" -v acceptor="${7:-0}" '
        function below(k) { seed = (seed * 16807) % 2147483647; return int(seed / 2147483647 * k) }
        function label() { return below(100) < epsilons ? 0 : 1 + below(labels) }
        function automaton(    a, i, j, t, x, y) {
            for (i = 0; i < 5; i++) below(2)
            for (a = 0; a < m; a++) {
                i = a < n ? a : below(n); j = below(n)
                if (acyclic && i == j) { if (i == n - 1) i--; else j++ }
                if (acyclic && i > j) { t = i; i = j; j = t }
                if (a == 0 && i != 0) i = 0
                x = label(); y = acceptor ? x : label()
                print i, j, x, y, below(40) / 4
            }
            for (i = 0; i < n; i++) if (i == n - 1 || below(4) == 0) print i, below(40) / 4
        }
        BEGIN {
            several = split(seeds, range, "-") == 2
            for (k = range[1]; k <= range[several + 1]; k++) {
                seed = k * 7919 + 17
                automaton()
                if (several) print ""
            }
        }'
}

# oracle N < TEXT: the N best paths of each acyclic automaton of a stream, in the documented order: by cost, number of arcs, input
# labels, output labels. It shares nothing with the programs: every path is spelt out, and the paths are sorted. Weights are
# multiples of 1/4.
oracle() {
    awk '
        function walk(s, cost, n, ins, outs,    i) {
            if (s in final)
                printf "%06d %08.2f %03d %s %s\t%d\t%.6f\t%s\t%s\n", record, cost + final[s] + 1000, n, order(ins), order(outs),
                    record, cost + final[s], labels(ins), labels(outs)
            for (i = 0; i < arcs[s]; i++) walk(to[s, i], cost + w[s, i], n + 1, ins " " in_[s, i], outs " " out[s, i])
        }
        function order(list,    part, k, i, text) {
            k = split(list, part, " "); text = ""
            for (i = 1; i <= k; i++) text = text sprintf("%02d", part[i])
            return text
        }
        function labels(list,    part, k, i, text) {
            k = split(list, part, " "); text = ""
            for (i = 1; i <= k; i++) if (part[i] != 0) text = text (text == "" ? "" : " ") part[i]
            return text
        }
        function end() {
            record++
            walk(start, 0, 0, "", "")
            begun = 0
            split("", arcs)
            split("", final)
        }
        !NF { end(); next }
        !begun { start = $1; begun = 1 }
        NF >= 4 { i = arcs[$1]++ + 0; to[$1, i] = $2; in_[$1, i] = $3; out[$1, i] = $4; w[$1, i] = $5 + 0 }
        NF <= 2 { final[$1] = $2 + 0 }
        END { if (begun) end() }' | sort | awk -F '\t' -v OFS='\t' -v most="$1" '
        $2 != record { record = $2; n = 0 }
        ++n <= most { print record, n, $3, $4, $5 }'
}
