#!/bin/sh
# Installs elophanto from the archives of a release, below a prefix of yours; asks for no root.
#
#   install.sh [--prefix DIR] [--version X.Y.Z] [--from URL|FOLDER]
#   install.sh --uninstall [--prefix DIR]
#
# The prefix is ~/.local unless told, the version the newest, the source the project's releases. The
# archive is checked against SHA256SUMS and the program is started once before anything is put in
# place. What was put there is listed in PREFIX/share/elophanto/installed; --uninstall reads it.
# Exit codes: 0 done, 2 failed, and then nothing has changed.
set -eu
export LC_ALL=C

releases=https://github.com/elophanto/elophanto/releases
work=

say() { printf '%s\n' "$*"; }
fail() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 2
}

target() {
    case $(uname -m) in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no archive for the processor $(uname -m); build it: cargo install --git" ;;
    esac
    case $(uname -s) in
        Darwin) say "$machine-apple-darwin" ;;
        Linux)
            case $(ldd --version 2>&1 || :) in
                *musl*) say "$machine-unknown-linux-musl" ;;
                *) say "$machine-unknown-linux-gnu" ;;
            esac
            ;;
        *) fail "there is no archive for $(uname -s); build it: cargo install --git" ;;
    esac
}

# get NAME: brings a file of the release into the working folder.
get() {
    case $from in
        https://* | http://127.0.0.1:*)
            if command -v curl >/dev/null; then
                curl --fail --silent --show-error --location --output "$work/$1" "$from/$1"
            elif command -v wget >/dev/null; then
                wget --quiet --output-document="$work/$1" "$from/$1"
            else
                fail "neither curl nor wget is here"
            fi
            ;;
        *://*) fail "only https is read: $from" ;;
        *) cp "$from/$1" "$work/$1" ;;
    esac || fail "cannot get $1 from $from"
}

sum_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    else
        shasum -a 256 "$1"
    fi | cut -d ' ' -f 1
}

newest() {
    curl --fail --silent --show-error --output /dev/null --write-out '%{redirect_url}' "$releases/latest" |
        sed -n 's|.*/tag/v||p'
}

# Removes what the list names, and the folders that were made for it.
remove_listed() {
    sort -r "$1" | while IFS= read -r path; do
        case $path in
            */) rmdir "$prefix/$path" 2>/dev/null || : ;;
            *) rm -f "$prefix/$path" ;;
        esac
    done
}

uninstall() {
    [ -f "$list" ] || fail "nothing was installed below $prefix by this script"
    # The list goes with what it lists.
    kept=$(mktemp)
    cp "$list" "$kept"
    remove_listed "$kept"
    say "removed $(grep -vc '/$' "$kept") files below $prefix"
    rm -f "$kept"
    exit 0
}

# Lists the folders of the archive that the prefix has not yet, each with a slash at its end.
new_folders() {
    (cd "$unpacked" && find . -mindepth 1 -type d | sed 's|^\./||') | while IFS= read -r folder; do
        if [ ! -d "$prefix/$folder" ] || grep -Fqsx "$folder/" "$list"; then
            say "$folder/"
        fi
    done
}

main() {
    prefix=${HOME:?}/.local version='' from='' remove=
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix | --version | --from)
                [ $# -gt 1 ] || fail "$1 wants a value"
                case $1 in
                    --prefix) prefix=$2 ;;
                    --version) version=${2#v} ;;
                    --from) from=${2%/} ;;
                esac
                shift
                ;;
            --uninstall) remove=yes ;;
            *) fail "unknown argument: $1" ;;
        esac
        shift
    done
    case $prefix in
        /*) ;;
        *) prefix=$PWD/$prefix ;;
    esac
    list=$prefix/share/elophanto/installed
    [ -z "$remove" ] || uninstall

    if [ -z "$version" ]; then
        version=$(newest) || :
        [ -n "$version" ] || fail "cannot tell the newest version; name one: --version X.Y.Z"
    fi
    : "${from:=$releases/download/v$version}"
    target=$(target)
    label=elophanto-$version-$target
    old=$(command -v elophanto || :)
    own=$prefix/bin/elophanto
    if [ -e "$own" ] && [ ! -f "$list" ]; then
        fail "$own was not put there by this script: remove it first, or choose another --prefix"
    fi

    # Beside where it goes, so that what has room there has room in place, and is renamed.
    made=
    [ -d "$prefix" ] || made=yes
    mkdir -p "$prefix" 2>/dev/null || fail "cannot make $prefix: choose another folder with --prefix"
    trap 'rm -rf "$work"; [ -z "$made" ] || rmdir "$prefix" 2>/dev/null || :' EXIT
    work=$(mktemp -d "$prefix/.elophanto.XXXXXX" 2>/dev/null) ||
        fail "cannot write to $prefix: choose another folder with --prefix"
    trap 'exit 2' HUP INT TERM
    get SHA256SUMS
    get "$label.tar.gz"
    wanted=$(awk -v name="$label.tar.gz" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$wanted" ] || fail "SHA256SUMS of $from does not name $label.tar.gz"
    got=$(sum_of "$work/$label.tar.gz")
    [ "$got" = "$wanted" ] || fail "wrong sum of $label.tar.gz: $got instead of $wanted; nothing was installed"
    tar -xzf "$work/$label.tar.gz" -C "$work" || fail "cannot unpack below $prefix (is there room?)"
    unpacked=$work/$label
    answer=$("$unpacked/bin/elophanto" --version 2>&1) ||
        fail "the program does not start here, nothing was installed: $answer"

    {
        # The prefix itself, if it is new.
        if [ -n "$made" ] || grep -Fqsx / "$list"; then echo /; fi
        new_folders
    } >"$work/list"
    (cd "$unpacked" && find . -type f | sed 's|^\./||') >>"$work/list"
    echo share/elophanto/installed >>"$work/list"
    if [ -f "$list" ]; then
        # What an older version had and this one has not.
        sort "$list" >"$work/before"
        sort "$work/list" | comm -23 "$work/before" - >"$work/gone"
    fi
    (cd "$unpacked" && find . -type d) | while IFS= read -r folder; do mkdir -p "$prefix/$folder"; done
    (cd "$unpacked" && find . -type f) | while IFS= read -r file; do
        mv -f "$unpacked/$file" "$prefix/$file"
    done
    [ ! -f "$work/gone" ] || remove_listed "$work/gone"
    mv -f "$work/list" "$list"

    say "installed $answer in $own ($(grep -vc '/$' "$list") files below $prefix; sum checked)"
    if [ -n "$old" ] && [ "$old" != "$own" ]; then
        say "another one is on your PATH: $old ($("$old" --version 2>/dev/null || echo 'does not start'))"
        say "  \`elophanto\` starts $(PATH=$PATH command -v elophanto); remove one, or change their order in PATH"
    fi
    case :$PATH: in
        *:"$prefix/bin":*) ;;
        *) say "add it to your PATH:  export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    say "remove it again with:  install.sh --uninstall --prefix $prefix"
}

main "$@"
