# What all trials share: counting, a question with a known answer, lists of what is there.
passed=0 failed=0 skipped=0
question="how does the index survive a merge" answer=committed-index.md

# check WHAT COMMAND...: passes if the command succeeds; else shows what it said.
check() {
    local what=$1 said
    shift
    if said=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "passed  $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
        tail -n 20 <<<"$said" | sed 's/^/        /'
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "skipped $1: $2"
}

# refuses WORD COMMAND...: the command fails, and says the word.
refuses() {
    local word=$1 said
    shift
    ! said=$("$@" 2>&1) && grep -Fq -- "$word" <<<"$said" || { echo "it said: $said"; return 1; }
}

# answers COMMAND...: the program started so finds the note, with nothing known of any user.
answers() {
    (cd "$clone" && env -i HOME="$(mktemp -d -p "$work")" PATH=/usr/bin:/bin "$@" search "$question" -n 1) |
        tee /dev/stderr | grep -Fq "$answer"
}

# in_root ROOT COMMAND...: the same inside of a root, where the clone lies at /clone.
in_root() {
    local root=$1
    shift
    chroot "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# root_of SUITE FOLDER: a Debian system there; made once, then unpacked.
root_of() {
    # What somebody else put there would be started as root.
    mkdir -p "$roots" && chmod 700 "$roots" && [ -O "$roots" ] || return
    [ -f "$roots/$1.tar" ] || mmdebstrap --quiet --variant=apt --include=git "$1" "$roots/$1.tar" \
        http://deb.debian.org/debian || return
    mkdir -p "$2" && tar -xf "$roots/$1.tar" -C "$2" && cp -r "$clone" "$2/clone"
}

# listens PORT: waits until somebody does, a minute at most.
listens() {
    for _ in $(seq 600); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    return 1
}

# listed FOLDER: all that is no folder, but for what was compiled from Python.
listed() {
    (cd "$1" && find . ! -type d ! -path '*/__pycache__/*' | sort)
}

same() {
    diff "$1" "$2"
}

# A folder with a virtual environment; its programs are in bin.
venv() {
    python3 -m venv "$1"
}
