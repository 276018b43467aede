//! `git_commit`: a commit of what is staged, or of named files alone.
//!
//! Made by plumbing, in an index of its own: what the user has staged besides stays as it is, and
//! HEAD moves only if it still is where it was. No hook runs. A hook is a program that often runs
//! what the work tree holds, which an agent may just have written, and here it would run outside of
//! any fence. Hooks of the user that would have had a say are named to whoever approves, and the
//! [`Gate`] has that say instead.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    cut::cut,
    git_calls::{patient, places, told},
    paths::Place,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::counted::counted;
use elophanto_base::secrets;
use elophanto_repo::{CommitId, Git, NotePath, ObjectId, Unread, Version};

mod hooks;
mod make;
mod plan;

/// Bytes of a message at most.
const MOST_OF_A_MESSAGE: usize = 16 << 10;

/// A commit that is about to be made.
pub struct Proposed<'a> {
    /// Git with an index that holds what the commit will.
    pub git: &'a Git,
    /// What it is built on; `None` for the first.
    pub head: Option<CommitId>,
    pub message: &'a str,
    /// What it adds, changes and removes, sorted.
    pub paths: &'a [NotePath],
}

/// May refuse a commit, in words.
pub type Gate = Box<dyn Fn(&Proposed<'_>) -> Result<(), String> + Send + Sync>;

/// Stages what goes along with a commit that the gate let pass; its failure, in words, hinders none.
pub type Along = Box<dyn Fn(&Proposed<'_>) -> Result<(), String> + Send + Sync>;

/// Makes commits.
pub struct GitCommit {
    approved: Approved,
    git: Arc<Git>,
    gate: Gate,
    along: Along,
}

impl GitCommit {
    pub fn new(git: Arc<Git>, gate: Gate, along: Along) -> Self {
        Self { approved: Approved::default(), git, gate, along }
    }

    fn asked(&self, arguments: &Value, host: &dyn Host) -> Result<Asked, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let message = arguments.text("message")?;
        if message.trim().is_empty() || message.len() > MOST_OF_A_MESSAGE {
            return Err(bad(format!("`message` is to have 1 to {MOST_OF_A_MESSAGE} bytes")));
        }
        if message.contains('\0') {
            return Err(bad("`message` has a NUL character in it"));
        }
        let places = places(&arguments, host)?;
        let git = patient(&self.git, host);
        git.check_own().map_err(told)?;
        plan::check_state(&git)?;
        Ok(Asked { message: format!("{}\n", message.trim_end()), places, git })
    }
}

struct Asked {
    message: String,
    places: Vec<Place>,
    git: Git,
}

impl Tool for GitCommit {
    fn spec(&self) -> Spec {
        spec(
            "git_commit",
            Level::Destructive,
            false,
            "Commit the files named in `paths` as they are in the work tree (removed ones too), and \
             nothing else; or, without `paths`, what is staged. Names of folders stand for all that \
             has changed in them. At most 1,000 files. Nothing is pushed, no hook runs.",
            json!({
                "message": { "type": "string", "description": "subject, empty line, body" },
                "paths": { "type": "array", "items": { "type": "string" } },
            }),
            &["message"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let asked = self.asked(arguments, host)?;
        let plan = plan::plan(&asked.git, host, &asked.places)?;
        self.approved.remember(host.root(), arguments, &plan.state);
        let hooks = match hooks::named(&asked.git) {
            none if none.is_empty() => String::new(),
            names => format!("hooks that will not run: {}\n", names.join(", ")),
        };
        let unsigned = if hooks::signs(&asked.git) { "it will not be signed\n" } else { "" };
        // The message comes last: nothing in it can pass for what is said about the commit.
        let shown = format!("commit:\n{}{hooks}{unsigned}\n{}", plan.shown, asked.message);
        Ok(Intent { action: Action::Commit, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let asked = self.asked(arguments, host)?;
        let plan = plan::plan(&asked.git, host, &asked.places)?;
        self.approved.check(host.root(), arguments, &plan.state)?;
        host.alive()?;
        let made = make::commit(&asked.git, &plan, &asked.message, &self.gate, &self.along)?;
        let branch = asked.git.branch().unwrap_or_else(|| "a detached HEAD".to_owned());
        let files = counted(made.files, "file");
        let lacks =
            made.lacks.map(|why| format!("nothing goes along: {why}\n")).unwrap_or_default();
        let text = format!("committed {files} as {} on {branch}\n{lacks}", made.commit);
        Ok(Output {
            text: cut(&text, host.max_output()),
            commits: vec![made.commit.to_string()],
            ..Output::default()
        })
    }
}

/// Refuses a commit that brings in what looks like a secret: in a file that it adds or changes,
/// and not there before. No list allows one here, and what git cannot hand over is refused too.
///
/// # Errors
/// In words: which file and line, what it looks like.
pub fn refuse_secrets(proposed: &Proposed<'_>) -> Result<(), String> {
    let said = |cause: elophanto_repo::GitError| cause.to_string();
    let (git, objects) = (proposed.git, proposed.git.objects());
    let wanted: BTreeSet<&[u8]> = proposed.paths.iter().map(NotePath::as_bytes).collect();
    let mut files = git.list(&Version::Staged, &[Path::new(".")]).map_err(said)?;
    files.retain(|file| wanted.contains(file.path.as_bytes()));
    let before = match &proposed.head {
        Some(head) => {
            let paths: Vec<&NotePath> = files.iter().map(|file| &file.path).collect();
            git.contents_at(head, &paths).map_err(said)?
        }
        None => vec![None; files.len()],
    };
    for (file, before) in files.iter().zip(before) {
        let scan = |id: &ObjectId| {
            let mut stream = secrets::Stream::default();
            objects.pieces(id, &mut |piece| stream.feed(piece))?;
            let found = stream.finish().0.into_iter().map(|one| one.finding);
            Ok::<Vec<secrets::Finding>, Unread>(found.collect())
        };
        let path = || super::paths::shown(file.path.as_path());
        let found = scan(&file.object)
            .map_err(|cause| format!("{} cannot be looked through for secrets: {cause}", path()))?;
        if found.is_empty() {
            continue;
        }
        let old = before.and_then(|id| scan(&id).ok()).unwrap_or_default();
        let is_new = |one: &&secrets::Finding| !old.iter().any(|known| known.hash == one.hash);
        if let Some(one) = found.iter().find(is_new) {
            let path = path();
            let (line, kind) = (one.line, one.kind);
            return Err(format!("{path}:{line} holds what looks like a {kind}"));
        }
    }
    Ok(())
}
