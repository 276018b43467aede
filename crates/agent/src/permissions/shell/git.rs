//! `git`: what loses work, forces, or runs other programs.

mod options;

use super::{
    arguments::{has_option, operands},
    env::Env,
    walk::Walker,
    word::Word,
};
use crate::permissions::matching;

/// Subcommands that lose nothing unless an option below says so.
const PLAIN: &[&str] = &[
    "status", "log", "diff", "show", "blame", "annotate", "branch", "add", "commit", "push",
    "pull", "fetch", "checkout", "switch", "merge", "rebase", "stash", "tag", "restore", "mv",
    "rm", "cherry-pick", "revert", "describe", "rev-parse", "ls-files", "ls-tree", "grep",
    "shortlog", "rev-list", "cat-file", "merge-base", "remote", "worktree", "config", "clone",
    "reset", "for-each-ref", "name-rev", "count-objects", "check-ignore", "check-attr",
    "diff-tree", "diff-files", "diff-index", "ls-remote", "show-ref", "whatchanged", "cherry",
    "range-diff", "version", "help", "reflog", "bisect", "init", "show-branch", "verify-commit",
    "verify-tag", "format-patch", "stripspace", "hash-object", "clean",
];
/// Subcommands that show contents, ...
const CONTENTS: &[&str] = &[
    "show", "diff", "blame", "annotate", "grep", "cat-file", "archive", "format-patch",
    "diff-tree", "diff-files", "diff-index", "range-diff",
];
/// ... and that do so with an option that asks for patches.
const WITH_PATCHES: &[&str] = &["log", "whatchanged", "stash", "reflog", "rev-list", "shortlog"];
const PATCHES: &[&str] = &["--patch", "--cc", "--unified", "--word-diff", "--color-words", "--raw"];
/// Values of `-c` that change only what is shown.
const SHOWN: &[&str] = &[
    "color.", "user.name=", "user.email=", "core.quotepath=", "core.pager=cat", "advice.",
    "log.date", "diff.renames", "commit.gpgsign=false", "tag.gpgsign=false", "init.defaultbranch=",
];

impl Walker<'_> {
    pub fn git(&mut self, arguments: &[Word], env: &Env) {
        let mut own = env.clone();
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            let text = word.literal().unwrap_or_default();
            if !text.starts_with('-') {
                break;
            }
            at += 1;
            match text.as_str() {
                "-C" => {
                    self.in_folder(arguments.get(at), &mut own);
                    at += 1;
                }
                "-c" => {
                    let value = arguments.get(at).and_then(Word::literal).unwrap_or_default();
                    if !SHOWN.iter().any(|shown| value.to_lowercase().starts_with(shown))
                        || value.contains('!')
                    {
                        self.found.unsure(format!("`git -c {value}` can run other programs"));
                    }
                    at += 1;
                }
                "--no-pager"
                | "-P"
                | "--version"
                | "--help"
                | "-v"
                | "-h"
                | "--no-optional-locks"
                | "--literal-pathspecs" => {}
                _ => self
                    .found
                    .unsure(format!("`git {text}` decides which repository or programs git uses")),
            }
        }
        let Some(subcommand) = arguments.get(at) else { return };
        let rest = arguments.get(at + 1..).unwrap_or_default();
        let name = subcommand.literal().unwrap_or_default();
        if !PLAIN.contains(&name.as_str()) {
            let harmful = [
                "filter-branch", "filter-repo", "gc", "prune", "update-ref", "push-force",
                "replace", "fast-import", "submodule", "symbolic-ref", "prune-packed", "repack",
                "read-tree", "checkout-index", "worktree", "update-index", "pack-refs",
            ];
            let reason = format!("`git {name}` may lose work, run other programs, or be an alias");
            if harmful.contains(&name.as_str()) {
                self.found.harm(reason)
            } else {
                self.found.unsure(reason)
            }
        }
        self.found.unpacks |= name == "clone";
        self.shows(&name, rest, &own);
        self.loses(&name, rest);
        self.runs_more(&name, rest);
        if matches!(name.as_str(), "rm" | "mv") {
            for word in operands(rest) {
                self.destroys(word, &own);
            }
        }
        for word in rest {
            // A message says what it likes.
            let message =
                matches!(name.as_str(), "commit" | "tag" | "merge" | "stash" | "log" | "grep")
                    && word.pattern().contains(' ');
            if !message {
                self.mentions(word, &own);
            }
        }
    }

    /// Which files' contents it shows, of the work tree or of the history: without a path, of any.
    fn shows(&mut self, name: &str, rest: &[Word], env: &Env) {
        let is_patch = |word: &Word| {
            let text = word.pattern();
            let is_long = PATCHES.iter().any(|long| text.starts_with(long));
            let is_short = text.starts_with('-') && !text.starts_with("--");
            is_long || is_short && text.contains(['p', 'u', 'U', 'c', 'L', 'G', 'S'])
        };
        let shows =
            CONTENTS.contains(&name) || WITH_PATCHES.contains(&name) && rest.iter().any(is_patch);
        if !shows {
            return;
        }
        let split = rest.iter().position(|word| word.literal().as_deref() == Some("--"));
        let (before, paths) = match split {
            Some(at) => (&rest[..at], rest.get(at + 1..).unwrap_or_default()),
            None => (rest, &[][..]),
        };
        let root = self.place.root.to_string_lossy().into_owned();
        for word in paths {
            self.found.read.extend(self.absolute(&word.pattern(), env).unwrap_or_default());
        }
        for word in before {
            let text = word.pattern();
            // `HEAD:a`, `:a`, `:0:a`, `-L1,2:a`
            if let Some((_, path)) = text.rsplit_once(':') {
                self.found.read.extend(matching::absolute(path, &root));
            }
            self.found.read.extend(self.absolute(&text, env).unwrap_or_default());
        }
        let in_commit = |word: &Word| {
            let text = word.pattern();
            text == "blob" || text.rsplit_once(':').is_some_and(|(_, path)| !path.is_empty())
        };
        let is_named = match name {
            "blame" | "annotate" => true,
            "show" | "cat-file" => operands(before).all(in_commit) && operands(before).count() > 0,
            // `:(top)a`, `:!a`
            _ => !paths.is_empty() && !paths.iter().any(|word| word.prefix().starts_with(':')),
        };
        if !is_named {
            self.found.read.push(root);
        }
    }

    fn in_folder(&mut self, folder: Option<&Word>, env: &mut Env) {
        let Some(folder) = folder.and_then(Word::literal) else {
            env.folders.clear();
            return;
        };
        let folders: Option<Vec<_>> = env
            .folders
            .iter()
            .map(|here| {
                matching::absolute(&folder, &here.to_string_lossy()).map(std::path::PathBuf::from)
            })
            .collect();
        env.folders = folders.unwrap_or_default();
    }

    /// Pushes, and what throws work away.
    fn loses(&mut self, name: &str, rest: &[Word]) {
        let has = |short: &[char], long: &[&str]| has_option(rest, short, long);
        let first = operands(rest).next().map(Word::pattern).unwrap_or_default();
        let dots = || {
            operands(rest).any(|w| {
                matches!(w.pattern().as_str(), "." | "./" | ":/" | "*" | ":" | ":/*")
                    || w.has_glob()
                    || w.prefix().starts_with(":")
            })
        };
        let separated = rest.iter().any(|w| w.literal().as_deref() == Some("--"));
        // Whatever is said of it: others have it then, and no undo takes it back.
        if matches!(name, "push" | "send-pack" | "http-push") {
            self.found.harm(format!("`git {name}` sends commits to another repository"));
        }
        let harmful = match name {
            "reset" => {
                let plain = ["-q", "--quiet", "--soft", "--mixed", "--", "-N", "-p", "--patch"];
                rest.iter()
                    .any(|w| w.pattern().starts_with('-') && !plain.contains(&w.pattern().as_str()))
            }
            "clean" => {
                !rest.iter().any(|w| {
                    matches!(
                        w.literal().as_deref(),
                        Some("-n" | "--dry-run" | "-nd" | "-dn" | "-ndx" | "-ndX")
                    )
                }) || has(&['f'], &["--force"])
            }
            "checkout" => {
                has(&['f', 'B', 'p'], &["--force", "--patch", "--ours", "--theirs", "--orphan"])
                    || separated
                    || dots()
                    || operands(rest).count() > 1 && !has(&['b', 't'], &["--track"])
                    || operands(rest)
                        .any(|w| w.pattern().contains('.') && !w.pattern().starts_with('v'))
            }
            "switch" => {
                has(&['f', 'C'], &["--force", "--discard-changes", "--force-create", "--orphan"])
            }
            "restore" => !has(&['S'], &["--staged"]) || has(&['W'], &["--worktree"]),
            "stash" => matches!(
                first.as_str(),
                "drop" | "clear" | "create" | "store" | "export" | "import"
            ),
            "branch" => {
                has(&['D', 'd', 'f', 'M', 'C', 'm'], &["--delete", "--force", "--move", "--copy"])
            }
            "tag" => has(&['d', 'f'], &["--delete", "--force"]),
            "reflog" => matches!(first.as_str(), "expire" | "delete" | "drop" | "write"),
            "worktree" => !matches!(first.as_str(), "list" | "add") || has(&['f'], &["--force"]),
            "remote" => !first.is_empty() && !matches!(first.as_str(), "show" | "get-url"),
            "config" => {
                let reads = ["--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp"];
                let only = [
                    "--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp",
                    "--show-origin", "--local", "-z", "--null", "--name-only", "--show-scope",
                ];
                !rest.first().is_some_and(|w| {
                    w.literal().is_some_and(|t| {
                        reads.contains(&t.as_str()) || t == "--local" || t == "--show-origin"
                    })
                }) || rest
                    .iter()
                    .any(|w| w.pattern().starts_with('-') && !only.contains(&w.pattern().as_str()))
                    || !rest
                        .iter()
                        .any(|w| w.literal().is_some_and(|t| reads.contains(&t.as_str())))
            }
            "rebase" => has(&['i', 'x'], &["--interactive", "--exec", "--root", "--edit-todo"]),
            "bisect" => !matches!(first.as_str(), "log" | "good" | "bad" | "start" | "reset"),
            "fetch" | "pull" => {
                has(&['f', 'p'], &["--force", "--prune", "--prune-tags", "--update-head-ok"])
                    || rest.iter().any(|w| {
                        w.pattern().starts_with('+')
                            || w.pattern().contains("::")
                            || w.pattern().contains(':') && !w.pattern().contains("://")
                    })
            }
            "rm" => has(&['f'], &["--force"]) || dots(),
            "mv" => has(&['f'], &["--force"]),
            "hash-object" => {
                has(&['w'], &["--stdin-paths"]) && rest.iter().any(|w| w.prefix().starts_with("-w"))
            }
            "commit" => {
                has(&[], &["--no-verify"]) && rest.iter().any(|w| w.pattern().starts_with("--no-v"))
                    || rest.iter().any(|w| {
                        w.literal().is_some_and(|t| {
                            t.starts_with('-')
                                && !t.starts_with("--")
                                && !t.starts_with("-m")
                                && t.contains('n')
                        })
                    })
            }
            _ => false,
        };
        if harmful {
            self.found
                .harm(format!("this `git {name}` forces, loses work or changes what git does"));
        }
    }
}
