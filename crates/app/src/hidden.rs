//! Files of ours that an ignore rule of git hides: what is not seen is not committed, and a clone
//! does without it.

use std::{
    path::Path,
    thread::{self, JoinHandle},
};

use crate::{reporter::Reporter, workspace::Workspace};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::learn;
use elophanto_repo::Git;
use elophanto_text::changelog;

/// Where files of ours lie beside our own notes.
const PLACES: [&str; 2] = [".elophanto", ".gitattributes"];
/// What is hidden on purpose.
const LOCAL: &str = ".elophanto/cache/";
/// Most that are named one by one.
const MOST_NAMED: usize = 5;

/// One sentence for each hidden file.
pub fn findings(workspace: &Workspace) -> Vec<String> {
    let Some(git) = Git::of(&workspace.repository) else { return Vec::new() };
    found(&git, &workspace.config.knowledge.write_root)
}

/// Git is being asked what is hidden, while something else is done.
pub struct Asked(Option<JoinHandle<Vec<String>>>);

impl Asked {
    /// Asks.
    pub fn begin(workspace: &Workspace) -> Self {
        let write_root = workspace.config.knowledge.write_root.clone();
        let git = Git::of(&workspace.repository);
        Self(git.map(|git| thread::spawn(move || found(&git, &write_root))))
    }

    /// Says what was hidden.
    pub fn say(self, reporter: &dyn Reporter) {
        told(self.0.and_then(|asked| asked.join().ok()).unwrap_or_default(), reporter);
    }
}

fn found(git: &Git, write_root: &Path) -> Vec<String> {
    let (pages, entries) = (learn::entity_store::folder(write_root), changelog::folder(write_root));
    let mut places: Vec<&Path> = PLACES.iter().map(Path::new).collect();
    places.extend([pages.as_path(), entries.as_path()]);
    // That git cannot be asked is said by whoever needs it.
    let mut hidden = git.hidden(&places).unwrap_or_default();
    hidden.retain(|hidden| !hidden.path.as_bytes().starts_with(LOCAL.as_bytes()));
    let more = hidden.len().saturating_sub(MOST_NAMED);
    let mut found: Vec<String> = hidden
        .iter()
        .take(MOST_NAMED)
        .map(|hidden| {
            let (path, rule) = (hidden.path.to_text(), &hidden.rule);
            format!(
                "`{}` is hidden from git by `{}`",
                escape_control_line(&path),
                escape_control_line(rule)
            )
        })
        .collect();
    if more > 0 {
        let are = agreeing(more, "is", "are");
        found.push(format!("{} of ours {are} hidden from git", counted(more, "more file")));
    }
    found
}

/// Says what is hidden.
pub fn say(workspace: &Workspace, reporter: &dyn Reporter) {
    told(findings(workspace), reporter);
}

fn told(findings: Vec<String>, reporter: &dyn Reporter) {
    for finding in findings {
        reporter.note(format_args!("{finding}: a clone will not have it"));
    }
}
