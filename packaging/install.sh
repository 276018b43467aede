#!/bin/sh
# Installs elophanto from the archives of a release, below a prefix of yours; asks for no root.
#
#   install.sh [--prefix DIR] [--version X.Y.Z] [--from URL|FOLDER]
#   install.sh --uninstall [--prefix DIR]
#
# The prefix is ~/.local unless told, the source the project's releases, the version the newest, or the
# one that lies at --from. The archive is checked against SHA256SUMS and the program is started once
# before anything is put in place. What is put there is listed with its sums before, in
# PREFIX/share/elophanto/installed, so that whatever ends an installation, another run or --uninstall
# mends it. A file that this script did not put there, or that was changed since, is never touched.
# Exit codes: 0 done; 2 failed, and then nothing has changed, or it says what has.
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
        http://*@*) fail "only https is read: $from" ;;
        https://* | http://127.0.0.1:*)
            command -v curl >/dev/null ||
                fail "curl is not here: bring SHA256SUMS and the archive into a folder, and name it with --from"
            curl --fail --silent --show-error --location --proto-redir =https --output "$work/$1" "$from/$1"
            ;;
        *://*) fail "only https is read: $from" ;;
        *) cp "$from/$1" "$work/$1" ;;
    esac || fail "cannot get $1 from $from"
}

# From standard input: of a file that is named, some print its name with marks.
sum_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1"
    else
        shasum -a 256 <"$1"
    fi | cut -d ' ' -f 1
}

newest() {
    curl --fail --silent --show-error --output /dev/null --write-out '%{redirect_url}' "$releases/latest" |
        sed -n 's|.*/tag/v||p'
}

# The one version for this machine that the sums name.
only_version() {
    set -- $(awk '{ print $2 }' "$work/SHA256SUMS" | sed -n "s/^elophanto-\\(.*\\)-$target\\.tar\\.gz$/\\1/p")
    [ $# -eq 1 ] || fail "SHA256SUMS of $from names $# archives for $target; name one: --version X.Y.Z"
    say "$1"
}

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

# Whether a path below the prefix is as this script put it there.
is_ours() {
    [ -f "$prefix/$1" ] && [ ! -L "$prefix/$1" ] && grep -Fqsx "$(sum_of "$prefix/$1") $1" "$list"
}

# A list has a line for each file, its sum before it, and for each folder that was made, `-` before it.
files_of() { sed -n '/^- /!s/^[^ ]* //p' "$1" | sort -u; }
folders_of() { sed -n 's/^- //p' "$1" | sort -ru; }

# Removes files that are named on standard input; what of them was changed since, and what cannot be removed, is listed.
remove_files() {
    : >"$work/removed" >"$work/changed" >"$work/left"
    while IFS= read -r path; do
        if ! is_there "$prefix/$path"; then
            continue
        elif ! is_ours "$path"; then
            say "$prefix/$path" >>"$work/changed"
        elif rm -f "$prefix/$path"; then
            say "$path" >>"$work/removed"
        else
            say "$prefix/$path" >>"$work/left"
        fi
    done
    if [ -s "$work/changed" ]; then
        say "left, for it was changed since it was put there: $(tr '\n' ' ' <"$work/changed")"
    fi
    [ ! -s "$work/left" ] || fail "cannot remove, do it again once it can be: $(tr '\n' ' ' <"$work/left")"
}

# Makes the folder for what is needed meanwhile: beside where it goes, so that what has room there has
# room in place, and is renamed. One that a killed run left goes.
begin() {
    trap 'rm -rf "$work"; [ -z "$made" ] || rmdir "$prefix" 2>/dev/null || :' EXIT
    trap 'exit 2' HUP INT TERM PIPE
    work=$(mktemp -d "$prefix/.elophanto.XXXXXX" 2>/dev/null) ||
        fail "cannot write to $prefix: choose another folder with --prefix"
    find "$prefix" -maxdepth 1 -name '.elophanto.??????' -mmin +60 -exec rm -rf {} + 2>/dev/null || :
}

uninstall() {
    [ -f "$list" ] || fail "nothing was installed below $prefix by this script"
    begin
    files_of "$list" >"$work/files"
    folders_of "$list" >"$work/folders"
    remove_files <"$work/files"
    # The list goes last: without it nothing could be taken up again.
    rm -f "$list" || fail "cannot remove $list"
    say "removed $(wc -l <"$work/removed" | tr -d ' ') files below $prefix"
    folders=$(cat "$work/folders")
    rm -rf "$work"
    printf '%s\n' "$folders" | while IFS= read -r path; do
        rmdir "$prefix/$path" 2>/dev/null || :
    done
    exit 0
}

# What the archive has, as lines of a list.
list_of_new() {
    # The prefix itself, if it is new.
    if [ -n "$made" ] || grep -Fqsx -- "- /" "$list"; then say "- /"; fi
    (cd "$unpacked" && find . -mindepth 1 -type d | sed 's|^\./||') | while IFS= read -r path; do
        if [ ! -d "$prefix/$path" ] || grep -Fqsx -- "- $path" "$list"; then say "- $path"; fi
    done
    (cd "$unpacked" && find . -type f | sed 's|^\./||') | while IFS= read -r path; do
        say "$(sum_of "$unpacked/$path") $path"
    done
}

# Whether all of it can be put there and nothing of others lies there, before anything is.
look() {
    files_of "$work/list" >"$work/files"
    while IFS= read -r path; do
        at=$prefix/$path
        if is_there "$at" && ! is_ours "$path"; then
            fail "$at was not put there by this script, or was changed since: remove it first, or choose another --prefix"
        fi
        at=${at%/*}
        while ! is_there "${at:=/}"; do at=${at%/*}; done
        [ -d "$at" ] && [ -w "$at" ] || fail "cannot write to $at: choose another folder with --prefix"
    done <"$work/files"
}

# Puts the files in place.
place() {
    if [ -f "$list" ]; then
        files_of "$list" | comm -23 - "$work/files" >"$work/gone"
        cat "$list" >>"$work/list"
    fi
    mkdir -p "${list%/*}" && cp "$work/list" "$work/both" && mv -f "$work/both" "$list" || fail "cannot write $list"
    (cd "$unpacked" && find . -type d) | while IFS= read -r path; do
        mkdir -p "$prefix/$path" || exit 2
    done || fail "$half"
    while IFS= read -r path; do
        # Onto another file system it is copied, and what is half a file is none.
        mv -f "$unpacked/$path" "$prefix/$path" || {
            rm -f "$prefix/$path"
            fail "$half"
        }
    done <"$work/files"
    [ ! -f "$work/gone" ] || remove_files <"$work/gone"
    mv -f "$work/new" "$list"
}

quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

main() {
    prefix=${HOME:?}/.local version='' from='' remove='' made=''
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix | --version | --from)
                [ -n "${2-}" ] || fail "$1 wants a value"
                case $1 in
                    --prefix) prefix=$2 ;;
                    --version) version=${2#v} ;;
                    --from) from=$2 ;;
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
        '~'*) fail "the shell left the ~ of $prefix as it stands: say \$HOME" ;;
        *) prefix=$PWD/$prefix ;;
    esac
    while [ "$prefix" != "${prefix%/}" ]; do prefix=${prefix%/}; done
    [ "$from" = / ] || from=${from%/}
    list=$prefix/share/elophanto/installed half="installed in part below $prefix: run this again, or --uninstall"
    command -v sha256sum >/dev/null || command -v shasum >/dev/null || fail "neither sha256sum nor shasum is here"
    # What root installs is for all.
    [ "$(id -u)" -ne 0 ] || umask 022
    [ -z "$remove" ] || uninstall

    target=$(target)
    if [ -z "$version$from" ]; then
        version=$(newest) || :
        [ -n "$version" ] || fail "cannot tell the newest version; name one: --version X.Y.Z"
    fi
    : "${from:=$releases/download/v$version}"
    old=$(command -v elophanto || :)
    own=$prefix/bin/elophanto

    [ -d "$prefix" ] || made=yes
    mkdir -p "$prefix" 2>/dev/null || fail "cannot make $prefix: choose another folder with --prefix"
    begin
    get SHA256SUMS
    [ -n "$version" ] || version=$(only_version)
    label=elophanto-$version-$target
    get "$label.tar.gz"
    wanted=$(awk -v name="$label.tar.gz" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$wanted" ] || fail "SHA256SUMS of $from does not name $label.tar.gz"
    got=$(sum_of "$work/$label.tar.gz")
    [ "$got" = "$wanted" ] || fail "wrong sum of $label.tar.gz: $got instead of $wanted; nothing was installed"
    # Into where it is: tar reads a backslash in the name of a folder.
    (cd "$work" && tar -xzf - <"$label.tar.gz") || fail "cannot unpack below $prefix (is there room?)"
    unpacked=$work/$label
    answer=$("$unpacked/bin/elophanto" --version 2>&1) ||
        fail "the program does not start here, nothing was installed: $answer"
    list_of_new >"$work/list"
    cp "$work/list" "$work/new"
    look
    place

    say "installed $answer in $own ($(wc -l <"$work/files" | tr -d ' ') files below $prefix; sum checked)"
    if [ -n "$old" ] && ! [ "$old" -ef "$own" ]; then
        say "another one is on your PATH: $old ($("$old" --version 2>/dev/null || echo 'does not start'))"
        say "  \`elophanto\` starts $(PATH=$PATH command -v elophanto); remove one, or change their order in PATH"
    fi
    case :$PATH: in
        *:"$prefix/bin":*) ;;
        *) say "add it to your PATH:  export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" ;;
    esac
    say "remove it again with:  install.sh --uninstall --prefix $(quoted "$prefix")"
}

main "$@"
