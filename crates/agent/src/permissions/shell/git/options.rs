//! Options of `git` that run programs or write elsewhere.

use super::{Walker, Word};

/// Options of any subcommand that run programs or write elsewhere.
const RUNNING: &[&str] = &[
    "--upload-pack", "--receive-pack", "--exec", "--ext-diff", "--textconv", "--output",
    "--open-files-in-pager", "--template", "--config", "--strategy", "--extcmd", "--tool",
    "--separate-git-dir", "--reference", "--gpg-sign", "--show-signature", "--no-index",
    "--filters", "--output-directory", "--edit-description", "--recurse-submodules",
    "--interactive", "--file", "--global", "--system", "--server-option",
];

impl Walker<'_> {
    /// Options that run programs or write elsewhere.
    pub(super) fn runs_more(&mut self, name: &str, rest: &[Word]) {
        for word in rest.iter().take_while(|w| w.literal().as_deref() != Some("--")) {
            let text = word.pattern();
            let bare = text.split('=').next().unwrap_or_default();
            let abbreviates =
                bare.len() > 4 && RUNNING.iter().any(|option| option.starts_with(bare));
            let reads_config = name == "config";
            let staged = bare == "--interactive" && name == "add";
            if bare.starts_with("--") && abbreviates && !reads_config || staged {
                self.found.unsure(format!(
                    "`git {name} {}` can run other programs or write elsewhere",
                    word.shown()
                ));
            }
            let short = match name {
                "grep" => text.starts_with("-O"),
                "clone" | "ls-remote" => {
                    text.starts_with("-u") || text.starts_with("-c") || text.starts_with("-o")
                }
                "rebase" => text.starts_with("-x") || text.starts_with("-s"),
                "format-patch" => text.starts_with("-o"),
                "merge" | "cherry-pick" | "revert" | "pull" => {
                    text.starts_with("-s") && !text.starts_with("--")
                }
                "commit" | "tag" => {
                    text.starts_with("-F")
                        || text.starts_with("-t") && name == "commit"
                        || text.starts_with("-S")
                }
                _ => false,
            };
            let address = matches!(name, "clone" | "fetch" | "pull" | "push" | "ls-remote")
                && (text.contains("::")
                    || text.starts_with("file:")
                    || text.to_lowercase().starts_with("ext"));
            if short || address {
                self.found.unsure(format!(
                    "`git {name} {}` can run other programs or write elsewhere",
                    word.shown()
                ));
            }
        }
    }
}
