# What examples/quickstart and tests/run share: packages and a configured build. Source it in the top folder of the tree.

setup_build_packages="gcc g++ make autoconf automake libtool pkg-config libxml2-dev libgmp-dev zlib1g-dev libreadline-dev"
setup_test_packages="libcmocka-dev libxml2-utils libfst-tools valgrind procps tmux"

# An engine for tests/slurm.test, which is skipped without it. Where a package may start its daemons, it is not installed unasked.
setup_engine_packages="slurm-wlm slurm-wlm-basic-plugins munge"

# setup_packages [tests | engine]: installs missing packages through apt if that is allowed; otherwise it says what to install.
setup_packages() {
    wanted=$setup_build_packages
    case ${1:-} in
    tests) wanted="$wanted $setup_test_packages" ;;
    engine) wanted=$setup_engine_packages; [ ! -d /run/systemd/system ] || return 0 ;;
    esac
    command -v dpkg-query > /dev/null 2>&1 || { setup_check_commands; return; }
    missing=
    for package in $wanted; do
        dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q '^install ok installed' || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo="sudo -n"
    if [ -z "$sudo" ] || $sudo true 2> /dev/null; then
        echo "Installing:$missing"
        log=$(mktemp)
        if { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1; then
            rm -f "$log"
            return 0
        fi
        tail -n 5 "$log" >&2
        rm -f "$log"
    fi
    echo "Please install these packages and run this again:" >&2
    echo "    apt-get install$missing" >&2
    return 1
}

# On a system without Debian's packages the tools must already be there.
setup_check_commands() {
    for command in cc make autoreconf libtoolize pkg-config; do
        command -v "$command" > /dev/null 2>&1 || { echo "Please install $command, and the libraries libxml2, gmp, zlib and cmocka." >&2; return 1; }
    done
    for library in libxml-2.0 gmp zlib; do
        pkg-config --exists "$library" || { echo "Please install the development files of $library." >&2; return 1; }
    done
}

# setup_configure DIRECTORY [arguments of configure]: bootstraps and configures, unless that has been done.
setup_configure() {
    directory=$1
    shift
    mkdir -p "$directory"
    log=$directory/setup.log
    : > "$log"
    [ -x configure ] && [ configure -nt configure.ac ] || ./bootstrap >> "$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
    [ -f "$directory/Makefile" ] || (cd "$directory" && ../configure --quiet "$@") >> "$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
}
