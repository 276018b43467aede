# The hooks with `language: python`: the pre-commit framework gets the program from the wheel.
venv "$work/framework" && "$work/framework/bin/pip" install --quiet pre-commit
mine=$work/mine
git init --quiet "$mine"
git -C "$mine" config user.name A && git -C "$mine" config user.email a@example.org
cat >"$mine/.pre-commit-config.yaml" <<YAML
repos:
- repo: $clone
  rev: $(git -C "$clone" rev-parse HEAD)
  hooks: [{ id: elophanto-bundled }]
YAML
(cd "$mine" && HOME=$work "$program" init --yes </dev/null >"$work/init.log" 2>&1)
echo "# Keys" >"$mine/keys.md" && echo "They are rotated every quarter." >>"$mine/keys.md"
commit() {
    (cd "$mine" && git add . && HOME=$work PRE_COMMIT_HOME=$work/pre-commit PIP_FIND_LINKS=$made git commit --quiet -m "$1")
}
check "the framework installs itself" sh -c "cd '$mine' && '$work/framework/bin/pre-commit' install"
check "a commit goes through" commit "Keys"
check "and has the index of its notes" sh -c "git -C '$mine' show --stat HEAD | grep -q '\.lance'"
# Of the form of a token, and of no service.
echo "The token is ghp_$(echo elophanto | sha256sum | cut -c 1-36)." >>"$mine/keys.md"
check "a secret is refused" refuses "keys.md" commit "Secret"
