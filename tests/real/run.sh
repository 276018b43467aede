#!/usr/bin/env bash
# Tries elophanto against real OpenAI-compatible servers which nobody here wrote:
#
#   A  llama.cpp (its Python server), serving a tiny model that make_model.py writes
#   B  LiteLLM's proxy in front of A, with a master key and model names of its own
#
#   tests/real/run.sh [--keep] [--raw FILE]
#
#   --keep       leave the temporary folder and the servers' logs, and say where
#   --raw FILE   also write what both servers answer to each kind of request, for reading
#
#   ELOPHANTO              the program to try (default: elophanto on the PATH)
#   ELOPHANTO_REAL_CACHE   where servers are installed
#                          (default: ${XDG_CACHE_HOME:-$HOME/.cache}/elophanto-real)
#   LLAMA_CMAKE_ARGS       more options for building A
#
# Needs git, python3 with venv and pip, a C++ compiler, and PyPI the first time: A is
# compiled (some 10 minutes on two cores), B is 750 MB. After that a run takes one or two
# minutes and no network. Nothing outside the cache and one temporary folder is written.
# It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts
# them. Exit code 1 if a check failed, 2 if the servers could not be brought up.
set -euo pipefail

LLAMA_CPP_PYTHON=0.3.36
GGUF=0.19.0
LITELLM=1.106.0
PRISMA=0.15.0 # Without it LiteLLM answers a missing key with a bare 500.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${ELOPHANTO_REAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/elophanto-real}
keep=
raw=
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=1 ;;
    --raw) raw=${2:?--raw FILE} && shift ;;
    *) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2 ;;
    esac
    shift
done

elophanto=$(command -v "${ELOPHANTO:-elophanto}") || { echo "no such program: ${ELOPHANTO:-elophanto}" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-real.XXXXXX")
servers=()
finish() {
    local code=$?
    trap - EXIT INT TERM
    for server in ${servers[@]+"${servers[@]}"}; do
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    done
    if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

# ---------------------------------------------------------------- the program's commands
# Every command line of the program is in this section; the checks below only name them.

KEY_A=sk-tiny-0123456789abcdef
KEY_B=sk-relay-fedcba9876543210

# Runs the program in the sealed repository: its own home, no variable of ours but PATH
# and the keys. Standard output goes to $tmp/out, standard error to $tmp/err, the exit
# code to $code.
run() {
    code=0
    (cd "$repo" && env -i PATH="$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$tmp" \
        XDG_CONFIG_HOME="$home/config" XDG_CACHE_HOME="$home/cache" \
        XDG_STATE_HOME="$home/state" XDG_DATA_HOME="$home/data" \
        GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        ${key+TINY_KEY="$key"} ${model+ELOPHANTO_LLM_TASKS_SIMPLE="$model"} \
        timeout 300 "$elophanto" "$@" </dev/null >"$tmp/out" 2>"$tmp/err") || code=$?
}
do_index() { run index --yes --json; }
do_search() { run search --json "$@"; }
do_search_plain() { run search "$@"; }
do_chat() { run model test --task simple --json; }
do_stream() { run model test --task simple --stream --json; }
do_tools() { run model test --task simple --tools --json; }
do_schema() { run model test --task extraction --schema --json; }
do_model() { local model=$1; run model test --task simple --json; }
do_usage() { run usage --json; }

# The user's settings: server's address, model of conversations, model of vectors.
configure() {
    mkdir -p "$home/config/elophanto"
    cat >"$home/config/elophanto/config.yaml" <<YAML
knowledge:
  embedding_provider: openai
  embedding_model: "$3"
llm:
  providers:
    openai: {protocol: openai, base_url: "$1", key: env:TINY_KEY}
  tasks:
    simple: ["openai/$2"]
    extraction: ["openai/$2"]
YAML
}

# What is read from the program's answers. Each is a Python expression over `out`, a list
# of the JSON values that were printed.
OK='out[-1]["ok"] is True'
COUNTED='out[-1]["input"] > 0 and out[-1]["output"] > 0'
EMBEDDED='[v["embedded"] for v in out if "embedded" in v][-1]'
WAITING='[v["waiting"] for v in out if "waiting" in v][-1]'
CALLS='out[-1]["calls"]'

# ---------------------------------------------------------------- checks

passed=0
failed=0
ok() { passed=$((passed + 1)) && echo "ok: $1"; }
bad() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    printf '    %s\n' "${@:2}"
}

# check NAME EXIT_CODE [EXPRESSION]: of the command that ran last.
check() {
    local why=
    if [ "$code" != "$2" ]; then
        why="exit code $code instead of $2"
    elif [ "$code" = 2 ] && grep -q '^Usage: ' "$tmp/err"; then
        why="the program does not know this command line"
    elif [ $# -gt 2 ]; then
        why=$(python3 - "$tmp/out" "$tmp/err" "$3" 2>&1 <<'PY'
import json, sys

text, err = (open(p, encoding="utf-8").read() for p in sys.argv[1:3])
try:
    try:
        out = [json.loads(text)]
        if isinstance(out[0], list):
            out = out[0]
    except ValueError:
        out = []
        for line in text.splitlines():
            try:
                out.append(json.loads(line))
            except ValueError:
                out.append({})
    if not eval(sys.argv[3]):
        print("not so:", sys.argv[3])
except Exception as e:
    print(f"{type(e).__name__}: {e}, in: {sys.argv[3]}")
PY
        )
    fi
    if [ -z "$why" ]; then ok "$1"; else
        bad "$1" "$why" "out: $(head -c 600 "$tmp/out" | tr '\n' ' ')" "err: $(head -c 600 "$tmp/err" | tr '\n' ' ')"
    fi
}

# How often server $1 was asked for $2, by its own log.
asked() { grep -c "POST /v1/$2 " "$tmp/$1.log" || true; }

check_more() { # NAME SERVER PATH BEFORE: the server was asked since
    local now
    now=$(asked "$2" "$3")
    if [ "$now" -gt "$4" ]; then ok "$1"; else bad "$1" "$2 was asked for $3 $4 times before and $now times now"; fi
}
check_same() {
    local now
    now=$(asked "$2" "$3")
    if [ "$now" -eq "$4" ]; then ok "$1"; else bad "$1" "$2 was asked for $3 $4 times before and $now times now"; fi
}

# ---------------------------------------------------------------- servers

give_up() {
    echo "$1" >&2
    [ ! -f "${2:-}" ] || tail -n 30 "$2" >&2
    exit 2
}

install() { # FOLDER STAMP PACKAGE...: a virtual environment with these packages
    local folder=$cache/$1 stamp=$2
    shift 2
    [ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ] || return 0
    echo "installing $* into $folder" >&2
    mkdir -p "$cache"
    rm -rf "$folder"
    python3 -m venv "$folder" || give_up "python3 has no venv"
    "$folder/bin/pip" install --disable-pip-version-check -q "$@" >"$cache/install.log" 2>&1 ||
        give_up "could not install $*" "$cache/install.log"
    echo "$stamp" >"$folder/stamp"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

wait_for() { # NAME URL PID
    local i
    for i in $(seq 600); do
        kill -0 "$3" 2>/dev/null || give_up "$1 ended" "$tmp/$1.log"
        if python3 - "$2" "$KEY_A" 2>/dev/null <<'PY'; then return 0; fi
import sys, urllib.request

headers = {"Authorization": "Bearer " + sys.argv[2]}
urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers=headers), timeout=5).read()
PY
        sleep 0.5
    done
    give_up "$1 does not answer" "$tmp/$1.log"
}

# The libraries of A are built for any machine of this architecture, without vision, and
# optimized little: the model is tiny, the compilation is not.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-2}
export CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF -DLLAVA_BUILD=OFF \
-DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' -DCMAKE_C_FLAGS_RELEASE='-O2 -DNDEBUG' ${LLAMA_CMAKE_ARGS:-}"
install llama "$LLAMA_CPP_PYTHON $GGUF" "llama-cpp-python[server]==$LLAMA_CPP_PYTHON" "gguf==$GGUF"
install litellm "$LITELLM $PRISMA" "litellm[proxy]==$LITELLM" "prisma==$PRISMA"

"$cache/llama/bin/python" "$here/make_model.py" "$tmp/tiny.gguf"

fill() { # TEMPLATE NAME=VALUE...
    local text pair
    text=$(cat "$1")
    for pair in "${@:2}"; do text=${text//"@${pair%%=*}@"/${pair#*=}}; done
    printf '%s\n' "$text"
}

port_a=$(free_port)
url_a=http://127.0.0.1:$port_a/v1
fill "$here/llama.json" PORT="$port_a" KEY="$KEY_A" MODEL="$tmp/tiny.gguf" >"$tmp/llama.json"
env -u HOST -u PORT PYTHONUNBUFFERED=1 \
    "$cache/llama/bin/python" -m llama_cpp.server --config_file "$tmp/llama.json" >"$tmp/llama.log" 2>&1 &
servers+=($!)
wait_for llama "$url_a/models" $!

port_b=$(free_port)
url_b=http://127.0.0.1:$port_b/v1
fill "$here/litellm.yaml" UPSTREAM="$url_a" UPSTREAM_KEY="$KEY_A" MASTER_KEY="$KEY_B" >"$tmp/litellm.yaml"
(cd "$tmp" && exec env -u DATABASE_URL PYTHONUNBUFFERED=1 LITELLM_LOCAL_MODEL_COST_MAP=True NO_PROXY=127.0.0.1 \
    "$cache/litellm/bin/litellm" --config litellm.yaml --host 127.0.0.1 --port "$port_b" --telemetry False) >"$tmp/litellm.log" 2>&1 &
servers+=($!)
wait_for litellm "http://127.0.0.1:$port_b/health/liveliness" $!

if [ -n "$raw" ]; then
    {
        echo "##### A: llama-cpp-python $LLAMA_CPP_PYTHON"
        KEY=$KEY_A python3 "$here/probe.py" "$url_a" tiny tiny
        echo "##### B: LiteLLM $LITELLM before A"
        KEY=$KEY_B python3 "$here/probe.py" "$url_b" relay-chat relay/vectors:1
    } >"$raw"
fi

# ---------------------------------------------------------------- what is tried

new_repository() {
    home=$tmp/$1/home
    repo=$tmp/$1/repo
    mkdir -p "$home" "$repo/notes"
    git -c init.defaultBranch=main init -q "$repo"
    printf '# Rotating keys\n\nThe keys are rotated on the first of each month.\n' >"$repo/notes/keys.md"
    printf '# The ferry\n\nThe ferry leaves at dawn, and again at dusk.\n\n## Winter\n\nNo ferry when the harbour is frozen.\n' >"$repo/notes/ferry.md"
    printf '# Ünïcode, 日本語 and 🦀\n\nText that no tokenizer of one byte a letter likes: żółw, 象, 🦀🦀.\n' >"$repo/notes/unicode.md"
    for i in $(seq 40); do printf '## Entry %s\n\nEntry %s of a list which is long enough for several requests.\n\n' "$i" "$i"; done >"$repo/notes/many.md"
}

try() { # NAME SERVER URL KEY CHAT VECTORS
    new_repository "$2"
    key=$4
    configure "$3" "$5" "$6"
    try_vectors "$1" "$2"
    try_chat "$1" "$2"
    try_keys "$1" "$2"
}

try_vectors() { # NAME SERVER
    local name=$1 server=$2 before
    before=$(asked "$server" embeddings)
    do_index
    check "$name: index succeeds" 0
    check "$name: index says that it embedded" 0 "$EMBEDDED > 0"
    check_more "$name: the vectors came from the server" "$server" embeddings "$before"
    before=$(asked "$server" embeddings)
    do_index
    check "$name: index again embeds nothing" 0 "$EMBEDDED == 0"
    check_same "$name: index again asks the server for nothing" "$server" embeddings "$before"
    printf '# Rotating keys\n\nThe keys are rotated each Monday.\n' >"$repo/notes/keys.md"
    do_index
    check "$name: one changed note is embedded alone" 0 "$EMBEDDED == 1"
    check_more "$name: by the server" "$server" embeddings "$before"
    before=$(asked "$server" embeddings)
    do_search "rotated keys"
    check "$name: search answers" 0 'out[0]["path"] == "notes/keys.md"'
    check_more "$name: the question's vector came from the server" "$server" embeddings "$before"
    do_search_plain '"no such words together anywhere"'
    check "$name: search without a hit is an honest nothing" 1
    local good=$key
    printf '# A bell\n\nThe bell rings when the keys have been rotated.\n' >"$repo/notes/bell.md"
    key=sk-not-this-one
    before=$(asked "$server" embeddings)
    do_index
    check "$name: with a wrong key a note waits for its vector" 0 "$EMBEDDED == 0 and $WAITING == 1 and 'not-this-one' not in text + err"
    check_more "$name: as the server refused it" "$server" embeddings "$before"
    key=$good
    do_index
    check "$name: and gets it with the right key" 0 "$EMBEDDED == 1 and $WAITING == 0"
}

try_chat() { # NAME SERVER
    local name=$1 server=$2 before
    before=$(asked "$server" chat/completions)
    do_chat
    check "$name: chat" 0 "$OK"
    check "$name: chat counts tokens" 0 "$COUNTED"
    do_stream
    check "$name: stream" 0 "$OK"
    do_tools
    check "$name: tools" 0 "$OK"
    do_schema
    check "$name: schema" 0 "$OK"
    check_more "$name: the answers came from the server" "$server" chat/completions "$before"
    do_usage
    check "$name: usage counts the calls" 0 "$CALLS >= 4"
}

try_keys() { # NAME SERVER
    local name=$1 server=$2 before good=$key found
    before=$(asked "$server" chat/completions)
    key=sk-not-this-one
    do_chat
    check "$name: a wrong key fails" 2 '"not-this-one" not in text + err'
    check_more "$name: it was the server that refused it" "$server" chat/completions "$before"
    before=$(asked "$server" chat/completions)
    unset key
    do_chat
    check "$name: no key fails and names the variable" 2 '"TINY_KEY" in text + err'
    check_same "$name: and nobody was asked" "$server" chat/completions "$before"
    do_search_plain "rotated keys"
    check "$name: without a key search still answers" 0 '"notes/keys.md" in text'
    key=$good
    found=$(grep -rlF -e "$key" "$repo" "$home" || true)
    if [ -z "$found" ]; then ok "$name: the key is in no file"; else bad "$name: the key is in no file" "$found"; fi
}

try "llama.cpp" llama "$url_a" "$KEY_A" tiny tiny
try "LiteLLM" litellm "$url_b" "$KEY_B" relay-chat relay/vectors:1

# A takes any name for its model; B does not.
do_model openai/no-such-model
check "LiteLLM: an unknown model fails and is named" 2 '"no-such-model" in text + err'

configure "$url_b" relay-chat no-such-model
do_index
check "LiteLLM: vectors of an unknown model: all notes wait, and it is named" 0 "$EMBEDDED == 0 and $WAITING > 10 and 'no-such-model' in err"

configure "http://127.0.0.1:$(free_port)/v1" tiny tiny
do_chat
check "nobody there: fails" 2
do_search_plain "rotated keys"
check "nobody there: search still answers" 0 '"notes/keys.md" in text'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
