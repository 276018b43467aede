//! What `elophanto agent run` does around the run: a branch, a work tree, changes put aside, a patch.

use std::path::{Path, PathBuf};

use crate::cli::{CliError, Result, Ui, Workspace, exact_line};
use elophanto_app::{
    agent::{
        End, Finished, Prepared,
        around::{After, Around, AroundRequest},
        branch::{Branched, PullRequest},
        worktree::{self, Kept, Left, WorkTree, WorkTreeRequest},
    },
    runs,
    shell::quoted,
};
use elophanto_base::counted::counted;

/// Standard output.
const STDOUT: &str = "-";

#[derive(clap::Args, Debug)]
pub struct AroundArgs {
    /// Work on a new branch of this name, and commit there what the run changes
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Work in a new work tree and branch beside this one, which stays as it is
    ///
    /// It lies in the folder `REPOSITORY.worktrees` beside the repository, at HEAD: changes that are
    /// not committed are not in it. `git worktree remove` removes it.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    worktree: Option<Option<String>>,
    /// Put uncommitted changes, untracked files too, aside until the run has ended
    #[arg(long, conflicts_with = "worktree")]
    stash: bool,
    /// Write what the run changed to a new file for `git apply`; `-` is standard output
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
}

impl AroundArgs {
    /// Whether stdout is for a patch alone.
    pub fn wants_stdout(&self) -> bool {
        self.patch.as_deref() == Some(Path::new(STDOUT))
    }

    /// Refuses what could not be done at the end.
    ///
    /// # Errors
    /// When a patch cannot go where it is to go.
    pub fn check(&self, is_json: bool) -> Result<()> {
        match &self.patch {
            Some(_) if self.wants_stdout() && is_json => {
                Err(CliError::new("`--patch -` and `--json` both need standard output")
                    .hint("name a file for the patch"))
            }
            Some(path) if !self.wants_stdout() => runs::refuse_taken(path),
            _ => Ok(()),
        }
    }

    /// The work tree to work in: the user's, or a new one.
    ///
    /// # Errors
    /// When there is to be a new one, and it cannot be made.
    pub fn work_tree(
        &self,
        workspace: Workspace,
        goal: &str,
        flags: Vec<(String, String)>,
        ui: &Ui,
    ) -> Result<(Workspace, Option<WorkTree>)> {
        let Some(name) = &self.worktree else { return Ok((workspace, None)) };
        let (name, branch) = (name.as_deref(), self.branch.as_deref());
        let request = WorkTreeRequest { name, branch, goal };
        let (workspace, tree) = worktree::begin(&workspace, &request, flags, ui)?;
        ui.talk(format_args!(
            "the run works in {}, on the branch {}",
            quoted(&tree.path().to_string_lossy()),
            quoted(tree.branch().name())
        ));
        Ok((workspace, Some(tree)))
    }

    /// Does what is wanted before the run.
    ///
    /// # Errors
    /// When it cannot be done; then all is as it was.
    pub fn begin(&self, prepared: &Prepared<'_>, work_tree: Option<WorkTree>) -> Result<Around> {
        let branch = self.branch.as_deref().filter(|_| work_tree.is_none());
        prepared.around(AroundRequest { branch, stash: self.stash, work_tree })
    }

    /// Does what is wanted after the run, and says what became of it. `ui` is where data goes, `talk`
    /// where all but a patch does.
    ///
    /// # Errors
    /// When git cannot say what is where, or a patch cannot be written.
    pub fn end(
        &self,
        prepared: &Prepared<'_>,
        around: Around,
        finished: Option<&Finished>,
        (ui, talk): (&mut Ui, Option<&mut Ui>),
    ) -> Result<()> {
        let has_branch = around.branch().is_some();
        let After { branch, work_tree, back } = prepared.after(around, finished)?;
        let is_gone = work_tree == Some(Left::Gone);
        let mut told = Ok(());
        {
            let ui = talk.unwrap_or(&mut *ui);
            if let Some(back) = back {
                back.tell(ui);
            }
            if let Some((name, branched)) = branch {
                told = tell_branch(&name, branched, ui);
            }
            if let Some(left) = work_tree {
                told = told.and_then(|()| tell_work_tree(left, ui));
            }
        }
        let unanswered = finished.filter(|it| has_branch && it.end != End::Answered);
        if let Some(finished) = unanswered.filter(|it| !it.touched.is_empty()) {
            ui.warn(format_args!(
                "what the run changed is not committed, as it gave no answer ({}): `elophanto agent \
                 undo {}` takes it back",
                counted(finished.touched.len(), "file"),
                finished.run
            ));
        }
        if let (Some(_), Some(finished)) = (&self.patch, finished) {
            self.patch(prepared.workspace, &finished.run.to_string(), is_gone, ui)?;
        }
        told
    }

    /// Of a work tree that is gone there is nothing to ask git for.
    fn patch(&self, workspace: &Workspace, run: &str, is_gone: bool, ui: &mut Ui) -> Result<()> {
        let Some(path) = &self.patch else { return Ok(()) };
        let patch = if is_gone { runs::Patch::default() } else { runs::patch(workspace, run)? };
        tell_left_out(&patch, ui);
        let files = counted(patch.files, "file");
        if patch.bytes.is_empty() {
            ui.talk("there is nothing that a patch could say: none is written");
        } else if self.wants_stdout() {
            ui.raw(&patch.bytes)?;
            ui.flush()?;
        } else {
            runs::write_new(path, &patch.bytes).map_err(|error| {
                error.hint(format!("`elophanto agent runs show {run} --patch` prints it"))
            })?;
            let path = path.to_string_lossy();
            ui.talk(format_args!("a patch of {files} is in {}", quoted(&path)));
        }
        Ok(())
    }
}

/// Says what a patch lacks.
pub fn tell_left_out(patch: &runs::Patch, ui: &Ui) {
    for runs::Left { path, reason } in &patch.left_out {
        ui.warn(format_args!("`{}` is not in the patch: it {reason}", exact_line(path)));
    }
}

/// Says what is on the branch of a run.
fn tell_branch(name: &str, branched: Branched, ui: &mut Ui) -> Result<()> {
    let pull_request = match branched {
        Branched::Kept(pull_request) => pull_request,
        Branched::Gone => {
            ui.talk("nothing was committed: the branch is gone, and HEAD is where it was");
            return Ok(());
        }
        Branched::Moved => {
            ui.warn(format_args!(
                "`{}`, or where it began, is not as the run left it: nothing was moved back, see \
                 `git status` and `git branch`",
                exact_line(name)
            ));
            return Ok(());
        }
    };
    let PullRequest { branch, base, .. } = &pull_request;
    let range = format!("{base}...{branch}");
    ui.talk(format_args!(
        "you are on {} now, and nothing was pushed: `git diff {}` shows it, `git switch {}` goes \
         back; for a pull request:",
        quoted(branch),
        quoted(&range),
        quoted(base)
    ));
    emit_pull_request(&pull_request, ui)
}

/// Says what is in the work tree of a run.
fn tell_work_tree(left: Left, ui: &mut Ui) -> Result<()> {
    let kept = match left {
        Left::Kept(kept) => kept,
        Left::Gone => {
            ui.talk("nothing came of it: its work tree and branch are gone");
            return Ok(());
        }
    };
    let Kept { path, branch, base, commits, uncommitted, pull_request } = &kept;
    let (path, range) = (quoted(&path.to_string_lossy()), quoted(&format!("{base}...{branch}")));
    let branch = quoted(branch);
    let left = match uncommitted {
        0 => String::new(),
        files => format!(" and {} not committed", counted(*files, "file")),
    };
    ui.talk(format_args!(
        "{path} holds {}{left} on {branch}; this work tree is as it was, and nothing was pushed: `git \
         diff {range}` shows it, `git merge {branch}` takes it over, `git worktree remove {path}` and \
         `git branch -d {branch}` remove it",
        counted(*commits, "commit"),
    ));
    if ui.json {
        ui.json(&Line::Worktree(&kept))?;
    }
    match pull_request {
        Some(pull_request) => emit_pull_request(pull_request, ui),
        None => Ok(()),
    }
}

fn emit_pull_request(pull_request: &PullRequest, ui: &mut Ui) -> Result<()> {
    let text = format!("# {}\n\n{}", pull_request.title, pull_request.body);
    ui.emit(&Line::PullRequest(pull_request), text)
}

/// A work tree or a pull request, as one of the lines of `--json`.
#[derive(serde::Serialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'p> {
    Worktree(&'p Kept),
    PullRequest(&'p PullRequest),
}
