//! Files of a work tree that other programs go by, outside of any sandbox and as the user: what
//! they say is run, or decides what is.

use super::matching;

/// Who goes by folders and files of these names, one below the other, wherever they stand in a work
/// tree; what comes first wins. In lower case, as names are compared.
const TABLE: &[(&str, &[&str])] = &[
    ("VS Code", &[".vscode"]),
    ("JetBrains IDEs", &[".idea", ".run"]),
    ("Fleet", &[".fleet"]),
    ("Zed", &[".zed"]),
    ("Nova", &[".nova"]),
    ("Visual Studio", &[".vs"]),
    ("Vim", &[".vimrc", ".exrc"]),
    ("Neovim", &[".nvim.lua", ".nvimrc"]),
    ("Emacs", &[".dir-locals.el"]),
    ("Sublime Text", &[".sublime"]),
    ("development containers", &[".devcontainer", ".devcontainer.json"]),
    ("Gitpod", &[".gitpod.yml"]),
    ("direnv", &[".envrc"]),
    ("Git LFS", &[".lfsconfig"]),
    ("mise", &[".mise.toml", "mise.toml", ".mise", "mise/config.toml", ".rtx.toml"]),
    ("autoenv", &[".autoenv.zsh"]),
    ("asdf", &[".tool-versions"]),
    ("gdb", &[".gdbinit"]),
    ("lldb", &[".lldbinit"]),
    ("agents", &[".mcp.json"]),
    ("Claude Code", &[".claude"]),
    ("Cursor", &[".cursor"]),
    ("Codex", &[".codex"]),
    ("Gemini", &[".gemini"]),
    ("Windsurf", &[".windsurf"]),
    ("Continue", &[".continue"]),
    ("Roo", &[".roo"]),
    ("Kiro", &[".kiro"]),
    ("Junie", &[".junie"]),
    ("Trae", &[".trae"]),
    ("opencode", &[".opencode", "opencode.json"]),
    ("aider", &[".aider.conf.yml"]),
    ("agents", &[".agents", ".elophanto/skills"]),
    ("the gate for secrets", &[".elophanto/allow-secrets"]),
    ("the index", &[".elophantoignore"]),
    (
        "lefthook",
        &[
            "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json",
            "lefthook-local.yml", ".lefthook.yml", ".lefthook.yaml", ".lefthook.toml",
            ".lefthook.json", ".lefthook-local.yml", ".lefthook", ".lefthook-local",
        ],
    ),
    ("pre-commit", &[".pre-commit-config.yaml", ".pre-commit-config.yml"]),
    ("overcommit", &[".overcommit.yml"]),
    ("husky", &[".huskyrc", ".huskyrc.json", ".huskyrc.js", "husky.config.js"]),
    ("simple-git-hooks", &[".simple-git-hooks.json", ".simple-git-hooks.js"]),
    (
        "lint-staged",
        &[
            ".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.js", ".lintstagedrc.yml",
            ".lintstagedrc.yaml", "lint-staged.config.js",
        ],
    ),
    ("git", &[".git-hooks"]),
    ("cargo", &[".cargo/config", ".cargo/config.toml"]),
    ("rustup", &["rust-toolchain", "rust-toolchain.toml"]),
    ("npm", &[".npmrc"]),
    ("pnpm", &[".pnpmfile.cjs"]),
    ("Yarn", &[".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins"]),
    ("Bazel", &[".bazelrc"]),
    ("Maven", &[".mvn"]),
    ("Gradle", &["gradle/wrapper"]),
    ("GitHub Actions", &[".github/workflows", ".github/actions"]),
    ("Forgejo Actions", &[".forgejo/workflows"]),
    ("Gitea Actions", &[".gitea/workflows"]),
    ("GitLab CI", &[".gitlab-ci.yml", ".gitlab/ci"]),
    ("CircleCI", &[".circleci"]),
    ("Travis CI", &[".travis.yml"]),
    ("Drone", &[".drone.yml"]),
    ("Woodpecker", &[".woodpecker", ".woodpecker.yml", ".woodpecker.yaml"]),
    ("Buildkite", &[".buildkite"]),
    ("Cirrus CI", &[".cirrus.yml"]),
    ("AppVeyor", &[".appveyor.yml", "appveyor.yml"]),
    ("Semaphore", &[".semaphore"]),
    ("TeamCity", &[".teamcity"]),
    ("Azure Pipelines", &["azure-pipelines.yml", ".azure-pipelines"]),
    ("Bitbucket Pipelines", &["bitbucket-pipelines.yml"]),
    ("Jenkins", &["jenkinsfile"]),
    ("builds.sr.ht", &[".sr.ht", ".build.yml", ".builds"]),
    ("the CI", &[".ci"]),
    ("mise", &["mise.local.toml", ".mise.local.toml", ".config/mise"]),
    ("lefthook", &["lefthook-local.yaml", "lefthook-local.toml", "lefthook-local.json"]),
    ("prek", &["prek.toml"]),
    ("git", &[".hooks"]),
    (
        "lint-staged",
        &[
            ".lintstagedrc.mjs", ".lintstagedrc.cjs", "lint-staged.config.mjs",
            "lint-staged.config.cjs",
        ],
    ),
    ("simple-git-hooks", &[".simple-git-hooks.cjs"]),
    ("pnpm", &[".pnpmfile.mjs"]),
    ("Yarn", &[".pnp.cjs"]),
    ("Helix", &[".helix"]),
    ("Vim", &[".lvimrc"]),
    ("YouCompleteMe", &[".ycm_extra_conf.py"]),
    ("rust-analyzer", &["rust-analyzer.toml"]),
    ("Emacs", &[".dir-locals-2.el"]),
    ("pylint", &[".pylintrc"]),
    ("Bundler", &[".bundle"]),
    ("irb", &[".irbrc"]),
    ("Gradle", &["gradle.properties"]),
    ("Nix", &["flake.nix"]),
    ("agents", &["agents.md", "agents.override.md"]),
    ("Claude Code", &["claude.md", "claude.local.md"]),
    ("Gemini", &["gemini.md"]),
    ("Cursor", &[".cursorrules"]),
    ("Windsurf", &[".windsurfrules"]),
    ("Cline", &[".clinerules"]),
    (
        "GitHub Copilot",
        &[
            ".github/copilot-instructions.md",
            ".github/instructions",
            ".github/agents",
            ".github/hooks",
        ],
    ),
    ("Crush", &["crush.json", ".crush.json"]),
    ("opencode", &["opencode.jsonc"]),
    ("Google Cloud Build", &["cloudbuild.yaml"]),
    ("AWS CodeBuild", &["buildspec.yml"]),
    ("Tekton", &[".tekton"]),
    ("Mercurial", &[".hg"]),
    ("Jujutsu", &[".jj"]),
    // Which filters and conversions a file goes through.
    ("git", &[".gitattributes", ".gitconfig"]),
    // In whatever folder: those of programs that are named above come first.
    ("agents", &["mcp.json"]),
];

/// How names of such files end.
const ENDINGS: &[(&str, &str)] =
    &[("VS Code", ".code-workspace"), ("Sublime Text", ".sublime-project")];

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
    let named = TABLE.iter().find(|(_, all)| all.iter().any(|wanted| is_it(wanted)));
    let ended = || ENDINGS.iter().find(|(_, end)| is_end(end)).map(|(who, _)| *who);
    named.map(|(who, _)| *who).or_else(ended)
}

/// Who goes by files below a folder of these names, without going by all of them: `.cargo`, of which
/// `.cargo/config.toml` counts.
pub(super) fn leads_to(names: &[String]) -> Option<&'static str> {
    let begins = |wanted: &&str| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        (1..wanted.len()).any(|length| {
            let (above, last) = (&wanted[..length], names.len().saturating_sub(length));
            names.len() >= length && names[last..].iter().zip(above).all(|(name, it)| name == it)
        })
    };
    TABLE.iter().find(|(_, all)| all.iter().any(begins)).map(|(who, _)| *who)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::shell::stand_ins::{STAR, UNKNOWN};

    #[test]
    fn names_are_as_they_are_compared() {
        let all: Vec<&str> = TABLE.iter().flat_map(|(_, all)| *all).copied().collect();
        for path in &all {
            assert_eq!(matching::names(path).join("/"), *path);
            assert_eq!(all.iter().filter(|other| *other == path).count(), 1, "{path}");
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
