# The GitHub action: its steps run as the runner runs them, with archives from a folder of ours in place of
# a release. That GitHub's own runner takes them is not tried.
venv "$work/runner" && "$work/runner/bin/pip" install --quiet pyyaml
# action OUT NAME=VALUE...: its steps with these inputs; what it adds to PATH and says is in OUT.
action() {
    mkdir -p "$1/temp" && "$work/runner/bin/python" - "$clone/packaging/setup-elophanto" "$@" <<'PY'
import os, pathlib, re, subprocess, sys
import yaml
folder, out, *given = sys.argv[1:]
action = yaml.safe_load((pathlib.Path(folder) / "action.yml").read_text())
inputs = {name: it["default"] for name, it in action["inputs"].items()} | dict(it.split("=", 1) for it in given)
known = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.action_path": folder}
told = lambda text: re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda name: known[name[1]], text)
for step in action["runs"]["steps"]:
    assert step["shell"] == "bash"
    variables = {name: told(value) for name, value in step["env"].items()}
    runner = {"PATH": os.environ["PATH"], "HOME": f"{out}/temp", "RUNNER_TEMP": f"{out}/temp",
              "GITHUB_PATH": f"{out}/path", "GITHUB_OUTPUT": f"{out}/output"}
    subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], check=True,
                   cwd=out, env=runner | variables)
PY
}

check "the action installs from a folder" action "$work/action" "from=$made"
on_path() {
    local path
    path=$(cat "$work/action/path") && [ "$(wc -l <"$work/action/path")" -eq 1 ] && answers "$path/elophanto"
}
check "what it adds to PATH answers" on_path
check "it says the version" grep -Fx "version=elophanto $version" "$work/action/output"
(cd "$made" && exec python3 -m http.server --bind 127.0.0.1 48733) >/dev/null 2>&1 &
server=$!
listens 48733
check "it installs the version that is named, over the network" \
    action "$work/action_over" "from=http://127.0.0.1:48733" "version=$version"
check "a version that is not there ends the step" refuses "cannot get" action "$work/action_no" "from=$made" version=9.9.9
check "and PATH is as it was" test ! -e "$work/action_no/path"
kill "$server"
