//! `elophanto hook run`: what a hook does. Git waits for it, so it fails open, fast and in one
//! line.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{Workspace, now_nanoseconds},
};
use crate::{
    hooks::{self, HookName, Place, Standing, State},
    index::Options,
    on_commit::{self, Done, IndexFile, Secret, Wishes},
    repo::{self, Git, NotePath, Repository},
    secrets::AllowList,
    store::view,
};

/// Git waits no longer than this, whatever happens.
const CEILING: Duration = Duration::from_millis(9_500);
/// Variable with another ceiling, in seconds, for machines that are slower than most. Whoever runs
/// git sets it; no repository can.
const CEILING_VARIABLE: &str = "ELOPHANTO_HOOK_SECONDS";
/// File of the repository with hashes of findings that are no secrets.
const ALLOW_FILE: &str = ".elophanto/allow-secrets";
/// Variable with more of them.
const ALLOW_VARIABLE: &str = "ELOPHANTO_ALLOW_SECRET";
/// Largest allow list, in bytes.
const MOST_ALLOW_BYTES: u64 = 1024 * 1024;

/// A finding that refuses a commit, as `--json` prints it.
#[derive(Serialize)]
struct SecretWire<'a> {
    path: String,
    line: usize,
    column: usize,
    kind: &'a str,
    masked: &'a str,
    hash: &'a str,
}

/// Runs a hook. Only a secret in what is to be committed is a reason to say no.
pub fn run(name: &str, ui: &mut Ui) -> Result<Outcome, CliError> {
    let ceiling = ceiling();
    // Before that, git is stopped in an orderly way where it is git that takes so long.
    let deadline = Instant::now() + ceiling * 9 / 10;
    std::thread::spawn(move || give_up(ceiling));
    let hook = HookName::ALL.into_iter().find(|hook| hook.as_str() == name);
    let outcome = match hook {
        Some(HookName::PreCommit) => pre_commit(deadline, ui),
        Some(
            HookName::PostMerge
            | HookName::PostCommit
            | HookName::PostCheckout
            | HookName::PostRewrite,
        ) => freshen(ui),
        None => Err(CliError::new(format_args!("no hook is called `{}`", visible_line(name)))),
    };
    Ok(outcome.unwrap_or_else(|cause| {
        let name = visible_line(name);
        ui.talk(format_args!("elophanto: {} (the {name} hook did nothing)", cause.message()));
        Outcome::Done
    }))
}

/// Ends the process when the ceiling is reached: git goes on as if there were no hook.
#[expect(clippy::exit, reason = "whatever the other threads are doing, git must not wait for it")]
fn give_up(ceiling: Duration) {
    std::thread::sleep(ceiling);
    super::ui::say_note(&format!(
        "elophanto gave up: a hook may take {} s; run `elophanto index` instead",
        ceiling.as_secs_f32().ceil()
    ));
    std::process::exit(0);
}

fn ceiling() -> Duration {
    let seconds = env::variables().remove(CEILING_VARIABLE).and_then(|text| text.parse().ok());
    seconds.map_or(CEILING, Duration::from_secs)
}

fn pre_commit(deadline: Instant, ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some((workspace, git)) = open(true, ui)? else { return Ok(Outcome::Done) };
    // Where nothing of ours is (yet), nothing is written: secrets are refused all the same.
    let is_indexed = is_indexed(&workspace.repository);
    let given = env::git_variables();
    let index_file =
        IndexFile::of(&git, Path::new("."), given.git_dir.as_deref(), given.index_file.as_deref())?;
    let git = git.with_index(index_file.path).until(deadline);
    let allowed = allowed(&workspace);
    let settings = &workspace.config;
    let wishes = Wishes {
        changelog: is_indexed && settings.changelog.enabled,
        // Never the vectors of a model that only stands in here.
        index: is_indexed && workspace.commits_vectors(),
        journal: is_indexed && settings.journal.share,
        allowed: &allowed,
        now: now_nanoseconds() / 1_000_000_000,
    };
    let done =
        on_commit::prepare(&workspace.context(), &git, index_file.may_stage, &wishes, &|_, _| {})?;
    if !done.secrets.is_empty() {
        refuse(&done.secrets, ui)?;
        return Ok(Outcome::Negative);
    }
    say(&done, ui);
    Ok(Outcome::Done)
}

/// Brings the view up to date after git has changed the work tree.
fn freshen(ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some((workspace, git)) = open(false, ui)? else { return Ok(Outcome::Done) };
    // A rebase runs this hook at every step; the last step is followed by another hook. Whoever
    // is indexing sees what git has done, or the next search does.
    if !git.is_replaying() && !view::is_busy(&workspace.context().view_dir()) {
        let options = Options { full: false, patience: Some(Duration::ZERO), progress: &|_, _| {} };
        workspace.refresh_all(options)?;
    }
    Ok(Outcome::Done)
}

/// The repository around this folder, if it is one of ours: a hooks folder may serve others. With
/// `or_hooked`, one of which nothing is indexed is ours if our hooks are its own.
fn open(or_hooked: bool, ui: &Ui) -> Result<Option<(Workspace, Git)>, CliError> {
    let repository = repo::locate(Path::new("."))?;
    let is_ours = is_indexed(&repository) || or_hooked && has_our_hooks(&repository);
    if !is_ours {
        return Ok(None);
    }
    let Some(git) = Git::of(&repository) else { return Ok(None) };
    Ok(Some((Workspace::at(repository, Vec::new(), ui)?, git)))
}

/// Whether something of ours is in the work tree.
pub fn is_indexed(repository: &Repository) -> bool {
    repository.root.join(".elophanto").is_dir()
}

fn has_our_hooks(repository: &Repository) -> bool {
    hooks::status(repository).is_ok_and(|status| {
        let is_there = |standing: &Standing| standing.state != State::Missing;
        status.folder.place != Place::Outside
            && status.hooks.iter().any(|(_, standing)| is_there(standing))
    })
}

/// Findings that are no secrets, as the repository's file and the environment have it.
pub fn allowed(workspace: &Workspace) -> AllowList {
    let path = NotePath::from(ALLOW_FILE);
    let file = repo::read_note(&workspace.repository.root, &path, MOST_ALLOW_BYTES);
    let file = file.map(|(bytes, _)| bytes).unwrap_or_default();
    let variable = env::variables().remove(ALLOW_VARIABLE).unwrap_or_default();
    AllowList::parse(&String::from_utf8_lossy(&file), &variable)
}

fn refuse(secrets: &[Secret], ui: &mut Ui) -> Result<(), CliError> {
    ui.talk("elophanto: this looks like a secret; the commit is refused");
    for Secret { path, finding } in secrets {
        let wire = SecretWire {
            path: path.to_text(),
            line: finding.line,
            column: finding.column,
            kind: finding.kind,
            masked: &finding.masked,
            hash: &finding.hash,
        };
        let text = format!(
            "{}:{}: {} {}  ({})",
            visible_line(&path.to_text()),
            finding.line,
            finding.kind,
            visible_line(&finding.masked),
            finding.hash
        );
        if ui.json {
            ui.json(&wire)?;
        } else {
            ui.talk(text);
        }
    }
    ui.talk(format_args!(
        "hint: take it out and stage the file again; if it is no secret, put the hash in brackets \
         into `{ALLOW_FILE}`, or commit once with {ALLOW_VARIABLE}=<hash>"
    ));
    Ok(())
}

/// One line, and only if something was done.
fn say(done: &Done, ui: &Ui) {
    let mut parts = Vec::new();
    match done.records {
        0 => {}
        1 => parts.push("1 record goes along".to_owned()),
        count => parts.push(format!("{count} records go along")),
    }
    if done.vectors > 0 {
        parts.push(format!("{} vectors go along", done.vectors));
    }
    match done.entries {
        0 => {}
        1 => parts.push("1 changelog entry written".to_owned()),
        count => parts.push(format!("{count} changelog entries written")),
    }
    parts.extend(done.notices.iter().cloned());
    if !parts.is_empty() {
        ui.talk(format_args!("elophanto: {}", parts.join(", ")));
    }
}
