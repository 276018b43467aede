//! Files of a work tree that other programs go by, outside of any sandbox and as the user: what
//! they say is run, or decides what is.

use super::matching;

/// Names of folders and files, one below the other, wherever they stand in a work tree, and who
/// goes by them. In lower case, as names are compared.
const TABLE: &[(&str, &str)] = &[
    (".vscode", "VS Code"),
    (".idea", "JetBrains IDEs"),
    (".run", "JetBrains IDEs"),
    (".fleet", "Fleet"),
    (".zed", "Zed"),
    (".nova", "Nova"),
    (".vs", "Visual Studio"),
    (".vimrc", "Vim"),
    (".exrc", "Vim"),
    (".nvim.lua", "Neovim"),
    (".nvimrc", "Neovim"),
    (".dir-locals.el", "Emacs"),
    (".sublime", "Sublime Text"),
    (".devcontainer", "development containers"),
    (".devcontainer.json", "development containers"),
    (".gitpod.yml", "Gitpod"),
    (".envrc", "direnv"),
    (".lfsconfig", "Git LFS"),
    (".mise.toml", "mise"),
    ("mise.toml", "mise"),
    (".mise", "mise"),
    ("mise/config.toml", "mise"),
    (".rtx.toml", "mise"),
    (".autoenv.zsh", "autoenv"),
    (".tool-versions", "asdf"),
    (".gdbinit", "gdb"),
    (".lldbinit", "lldb"),
    (".mcp.json", "agents"),
    (".claude", "Claude Code"),
    (".cursor", "Cursor"),
    (".codex", "Codex"),
    (".gemini", "Gemini"),
    (".windsurf", "Windsurf"),
    (".continue", "Continue"),
    (".roo", "Roo"),
    (".kiro", "Kiro"),
    (".junie", "Junie"),
    (".trae", "Trae"),
    (".opencode", "opencode"),
    ("opencode.json", "opencode"),
    (".aider.conf.yml", "aider"),
    (".agents", "agents"),
    (".elophanto/skills", "agents"),
    (".elophanto/allow-secrets", "the gate for secrets"),
    (".elophantoignore", "the index"),
    ("lefthook.yml", "lefthook"),
    ("lefthook.yaml", "lefthook"),
    ("lefthook.toml", "lefthook"),
    ("lefthook.json", "lefthook"),
    ("lefthook-local.yml", "lefthook"),
    (".lefthook.yml", "lefthook"),
    (".lefthook.yaml", "lefthook"),
    (".lefthook.toml", "lefthook"),
    (".lefthook.json", "lefthook"),
    (".lefthook-local.yml", "lefthook"),
    (".lefthook", "lefthook"),
    (".lefthook-local", "lefthook"),
    (".pre-commit-config.yaml", "pre-commit"),
    (".pre-commit-config.yml", "pre-commit"),
    (".overcommit.yml", "overcommit"),
    (".huskyrc", "husky"),
    (".huskyrc.json", "husky"),
    (".huskyrc.js", "husky"),
    ("husky.config.js", "husky"),
    (".simple-git-hooks.json", "simple-git-hooks"),
    (".simple-git-hooks.js", "simple-git-hooks"),
    (".lintstagedrc", "lint-staged"),
    (".lintstagedrc.json", "lint-staged"),
    (".lintstagedrc.js", "lint-staged"),
    (".lintstagedrc.yml", "lint-staged"),
    (".lintstagedrc.yaml", "lint-staged"),
    ("lint-staged.config.js", "lint-staged"),
    (".git-hooks", "git"),
    (".cargo/config", "cargo"),
    (".cargo/config.toml", "cargo"),
    ("rust-toolchain", "rustup"),
    ("rust-toolchain.toml", "rustup"),
    (".npmrc", "npm"),
    (".pnpmfile.cjs", "pnpm"),
    (".yarnrc", "Yarn"),
    (".yarnrc.yml", "Yarn"),
    (".yarn/releases", "Yarn"),
    (".yarn/plugins", "Yarn"),
    (".bazelrc", "Bazel"),
    (".mvn", "Maven"),
    ("gradle/wrapper", "Gradle"),
    (".github/workflows", "GitHub Actions"),
    (".github/actions", "GitHub Actions"),
    (".forgejo/workflows", "Forgejo Actions"),
    (".gitea/workflows", "Gitea Actions"),
    (".gitlab-ci.yml", "GitLab CI"),
    (".gitlab/ci", "GitLab CI"),
    (".circleci", "CircleCI"),
    (".travis.yml", "Travis CI"),
    (".drone.yml", "Drone"),
    (".woodpecker", "Woodpecker"),
    (".woodpecker.yml", "Woodpecker"),
    (".woodpecker.yaml", "Woodpecker"),
    (".buildkite", "Buildkite"),
    (".cirrus.yml", "Cirrus CI"),
    (".appveyor.yml", "AppVeyor"),
    ("appveyor.yml", "AppVeyor"),
    (".semaphore", "Semaphore"),
    (".teamcity", "TeamCity"),
    ("azure-pipelines.yml", "Azure Pipelines"),
    (".azure-pipelines", "Azure Pipelines"),
    ("bitbucket-pipelines.yml", "Bitbucket Pipelines"),
    ("jenkinsfile", "Jenkins"),
    (".sr.ht", "builds.sr.ht"),
    (".build.yml", "builds.sr.ht"),
    (".builds", "builds.sr.ht"),
    (".ci", "the CI"),
    ("mise.local.toml", "mise"),
    (".mise.local.toml", "mise"),
    (".config/mise", "mise"),
    ("lefthook-local.yaml", "lefthook"),
    ("lefthook-local.toml", "lefthook"),
    ("lefthook-local.json", "lefthook"),
    ("prek.toml", "prek"),
    (".hooks", "git"),
    (".lintstagedrc.mjs", "lint-staged"),
    (".lintstagedrc.cjs", "lint-staged"),
    ("lint-staged.config.mjs", "lint-staged"),
    ("lint-staged.config.cjs", "lint-staged"),
    (".simple-git-hooks.cjs", "simple-git-hooks"),
    (".pnpmfile.mjs", "pnpm"),
    (".pnp.cjs", "Yarn"),
    (".helix", "Helix"),
    (".lvimrc", "Vim"),
    (".ycm_extra_conf.py", "YouCompleteMe"),
    ("rust-analyzer.toml", "rust-analyzer"),
    (".dir-locals-2.el", "Emacs"),
    (".pylintrc", "pylint"),
    (".bundle", "Bundler"),
    (".irbrc", "irb"),
    ("gradle.properties", "Gradle"),
    ("flake.nix", "Nix"),
    ("agents.md", "agents"),
    ("agents.override.md", "agents"),
    ("claude.md", "Claude Code"),
    ("claude.local.md", "Claude Code"),
    ("gemini.md", "Gemini"),
    (".cursorrules", "Cursor"),
    (".windsurfrules", "Windsurf"),
    (".clinerules", "Cline"),
    (".github/copilot-instructions.md", "GitHub Copilot"),
    (".github/instructions", "GitHub Copilot"),
    (".github/agents", "GitHub Copilot"),
    (".github/hooks", "GitHub Copilot"),
    ("crush.json", "Crush"),
    (".crush.json", "Crush"),
    ("opencode.jsonc", "opencode"),
    ("cloudbuild.yaml", "Google Cloud Build"),
    ("buildspec.yml", "AWS CodeBuild"),
    (".tekton", "Tekton"),
    (".hg", "Mercurial"),
    (".jj", "Jujutsu"),
    // Which filters and conversions a file goes through.
    (".gitattributes", "git"),
    (".gitconfig", "git"),
    // In whatever folder: those of programs that are named above come first.
    ("mcp.json", "agents"),
];

/// How names of such files end.
const ENDINGS: &[(&str, &str)] =
    &[(".code-workspace", "VS Code"), (".sublime-project", "Sublime Text")];

/// Characters of a name that are known, if not all are.
const FEWEST_KNOWN: usize = 3;

/// Who goes by what lies at these names of a path, relative to the root. Names may hold stand-ins
/// for what is not known.
pub(super) fn executed(names: &[String]) -> Option<&'static str> {
    // A name of which nothing is known could be any: that asks about nothing in particular.
    let says_something = |name: &String| matching::known(name) >= FEWEST_KNOWN;
    let is_it = |wanted: &str| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        names.windows(wanted.len()).any(|names| {
            let mut pairs = names.iter().zip(&wanted);
            // Any page could have the name of a page.
            let fits = |name: &String, wanted: &str| match wanted.ends_with(".md") {
                true => name == wanted,
                false => says_something(name) && matching::fits(name, wanted),
            };
            pairs.all(|(name, wanted)| fits(name, wanted))
        })
    };
    let is_end = |end: &str| names.last().is_some_and(|name| name.ends_with(end));
    let named = TABLE.iter().find(|(wanted, _)| is_it(wanted));
    named.or_else(|| ENDINGS.iter().find(|(end, _)| is_end(end))).map(|(_, who)| *who)
}

/// Who goes by files below a folder of these names, without going by all of them: `.cargo`, of which
/// `.cargo/config.toml` counts.
pub(super) fn leads_to(names: &[String]) -> Option<&'static str> {
    let begins = |(wanted, _): &&(&str, &str)| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        (1..wanted.len()).any(|length| {
            let (above, last) = (&wanted[..length], names.len().saturating_sub(length));
            names.len() >= length && names[last..].iter().zip(above).all(|(name, it)| name == it)
        })
    };
    TABLE.iter().find(begins).map(|(_, who)| *who)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::shell::stand_ins::{STAR, UNKNOWN};

    #[test]
    fn names_are_as_they_are_compared() {
        for (path, _) in TABLE {
            assert_eq!(matching::names(path).join("/"), *path);
            assert_eq!(TABLE.iter().filter(|(other, _)| other == path).count(), 1, "{path}");
        }
    }

    #[test]
    fn which_folders_lead_to_one() {
        for (path, expected) in [
            (".cargo", Some("cargo")),
            ("a/.cargo", Some("cargo")),
            (".config", Some("mise")),
            ("gradle", Some("Gradle")),
            (".cargo/config.toml", None),
            (".vscode", None),
            ("docs", None),
            ("", None),
        ] {
            assert_eq!(leads_to(&matching::names(path)), expected, "{path}");
        }
    }

    #[test]
    fn who_goes_by_a_file() {
        for (path, expected) in [
            (".vscode/tasks.json", Some("VS Code")),
            ("a/b/.VSCode/tasks.json", Some("VS Code")),
            (".envrc", Some("direnv")),
            ("sub/.envrc", Some("direnv")),
            (".cargo/config.toml", Some("cargo")),
            (".cargo/audit.toml", None),
            ("config.toml", None),
            (".github/workflows/ci.yml", Some("GitHub Actions")),
            (".github/CODEOWNERS", None),
            ("docs/.gitattributes", Some("git")),
            ("Jenkinsfile", Some("Jenkins")),
            (".elophanto/allow-secrets", Some("the gate for secrets")),
            (".elophanto/skills/a/SKILL.md", Some("agents")),
            (".elophanto/journal/x.jsonl", None),
            (".envrc.md", None),
            ("docs/AGENTS.md", Some("agents")),
            ("a/My.code-workspace", Some("VS Code")),
            ("build.rs", None),
            ("docs/vscode.md", None),
            ("", None),
            (&format!("{STAR}"), None),
            (&format!("{UNKNOWN}/{STAR}.md"), None),
            (&format!(".vs{STAR}/a"), Some("VS Code")),
            (&format!("{STAR}.yml"), Some("lefthook")),
        ] {
            assert_eq!(executed(&matching::names(path)), expected, "{path}");
        }
    }
}
