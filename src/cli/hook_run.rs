//! `elophanto hook run`: what a hook does. Git waits for it, so it fails open, fast and in one
//! line.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{self, now_nanoseconds},
};
use elophanto_app::{
    hooks::{self, HookName, Place, Standing, State},
    on_commit::{self, ALLOW_FILE, Done, IndexFile, Looked, Secret, Wishes},
};
use elophanto_base::secrets::AllowList;
use elophanto_index::{
    Options,
    fill::Allowance,
    store::{tables, view},
};
use elophanto_repo::{Git, Repository};

/// Git waits no longer than this, whatever happens.
const CEILING: Duration = Duration::from_millis(9_500);
/// Passages that a commit always embeds: what people change at a time.
/// Most secrets that are listed one by one.
const MOST_TOLD: usize = 20;
const LEAST_EMBEDDED: usize = 50;
/// Variable with another ceiling, in seconds, for machines that are slower than most. Whoever runs
/// git sets it; no repository can.
const CEILING_VARIABLE: &str = "ELOPHANTO_HOOK_SECONDS";
/// Variable with hashes of findings that are no secrets, for one commit.
const ALLOW_VARIABLE: &str = "ELOPHANTO_ALLOW_SECRET";
/// What is said where the gate did not come to its end.
const NOT_LOOKED_AT: &str = "not all that is staged was looked through for secrets";

/// Whether the gate has something left to look at.
static AT_THE_GATE: AtomicBool = AtomicBool::new(false);

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
        Some(HookName::PreCommit) => pre_commit(deadline, ceiling * 6 / 10, ui),
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
        let gate = if AT_THE_GATE.load(Ordering::Relaxed) {
            format!("; {NOT_LOOKED_AT}")
        } else {
            String::new()
        };
        ui.talk(format_args!("elophanto: {} (the {name} hook did nothing{gate})", cause.message()));
        Outcome::Done
    }))
}

/// Ends the process when the ceiling is reached: git goes on as if there were no hook.
#[expect(clippy::exit, reason = "whatever the other threads are doing, git must not wait for it")]
fn give_up(ceiling: Duration) {
    std::thread::sleep(ceiling);
    let what = if AT_THE_GATE.load(Ordering::Relaxed) {
        NOT_LOOKED_AT
    } else {
        "run `elophanto index` instead"
    };
    tables::abandon();
    super::ui::say_note(&format!(
        "elophanto gave up: a hook may take {} s; {what}",
        ceiling.as_secs_f32().ceil()
    ));
    std::process::exit(0);
}

fn ceiling() -> Duration {
    let seconds = env::variables().remove(CEILING_VARIABLE).and_then(|text| text.parse().ok());
    seconds.map_or(CEILING, Duration::from_secs)
}

/// `embed_until`: no passage is begun after this time, so that what there is can be staged.
fn pre_commit(deadline: Instant, embed_until: Duration, ui: &mut Ui) -> Result<Outcome, CliError> {
    let start = Instant::now();
    AT_THE_GATE.store(true, Ordering::Relaxed);
    let Some((repository, git)) = find(true)? else { return Ok(Outcome::Done) };
    // Where nothing of ours is (yet), nothing is written: secrets are refused all the same.
    let is_indexed = is_indexed(&repository);
    let given = env::git_variables();
    let index_file =
        IndexFile::of(&git, Path::new("."), given.git_dir.as_deref(), given.index_file.as_deref())?;
    let git = git.with_index(index_file.path).until(deadline);
    let allowed = allowed(&git)?;
    // Settings may add to what the gate looks at; those that cannot be read take nothing away.
    let workspace = workspace::at(repository, Vec::new(), ui);
    let extensions = workspace.as_ref().map(|workspace| &workspace.config.knowledge.extensions[..]);
    let looked = on_commit::look(&git, extensions.unwrap_or_default(), &allowed)?;
    if looked.refuses() {
        refuse(&looked, ui)?;
        return Ok(Outcome::Negative);
    }
    AT_THE_GATE.store(false, Ordering::Relaxed);
    // What the gate saw is said, whatever comes of the rest.
    let said = |done: &Done, ui: &mut Ui| say(done, &looked.notices, ui);
    let workspace = workspace.inspect_err(|_| said(&Done::default(), ui))?;
    let settings = &workspace.config;
    let clock = || start.elapsed();
    let budget = settings.hooks.budget;
    let allowance =
        Allowance { least: LEAST_EMBEDDED, budget, ceiling: embed_until, clock: &clock };
    let wishes = Wishes {
        changelog: is_indexed && settings.changelog.enabled,
        // Never the vectors of a model that only stands in here.
        index: is_indexed && workspace.commits_vectors(),
        embed: (!budget.is_zero()).then_some(allowance),
        journal: is_indexed && settings.journal.share,
        allowed: &allowed,
        now: now_nanoseconds() / 1_000_000_000,
    };
    let context = workspace.context();
    let done = on_commit::prepare(&context, &git, index_file.may_stage, &wishes, &|_, _| {});
    said(done.as_ref().unwrap_or(&Done::default()), ui);
    done?;
    Ok(Outcome::Done)
}

/// Brings the view up to date after git has changed the work tree.
fn freshen(ui: &mut Ui) -> Result<Outcome, CliError> {
    let Some((repository, git)) = find(false)? else { return Ok(Outcome::Done) };
    let workspace = workspace::at(repository, Vec::new(), ui)?;
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
fn find(or_hooked: bool) -> Result<Option<(Repository, Git)>, CliError> {
    let repository = elophanto_repo::locate(Path::new("."))?;
    let is_ours = is_indexed(&repository) || or_hooked && has_our_hooks(&repository);
    if !is_ours {
        return Ok(None);
    }
    let Some(git) = Git::of(&repository) else { return Ok(None) };
    Ok(Some((repository, git)))
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

/// Findings that are no secrets, as the commits so far and the environment have it.
pub fn allowed(git: &Git) -> Result<AllowList, CliError> {
    let variable = env::variables().remove(ALLOW_VARIABLE).unwrap_or_default();
    Ok(on_commit::allowed(git, &variable)?)
}

fn refuse(looked: &Looked, ui: &mut Ui) -> Result<(), CliError> {
    for (path, cause) in &looked.unread {
        ui.talk(format_args!(
            "elophanto: `{}` cannot be looked through for secrets: {}; the commit is refused",
            visible_line(&path.to_text()),
            visible_line(cause)
        ));
    }
    if looked.secrets.is_empty() {
        return Ok(());
    }
    ui.talk("elophanto: this looks like a secret; the commit is refused");
    let most = if ui.json { usize::MAX } else { MOST_TOLD };
    for Secret { path, finding } in looked.secrets.iter().take(most) {
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
    if looked.secrets.len() > most {
        ui.talk(format_args!("and {} more", looked.secrets.len() - most));
    }
    ui.talk(format_args!(
        "hint: take it out and stage the file again; if it is no secret, put the hash in brackets \
         into `{ALLOW_FILE}` and commit that file first, alone (a list allows nothing of its own \
         commit), or commit once with {ALLOW_VARIABLE}=<hash>"
    ));
    Ok(())
}

/// One line, and only if something was done.
fn say(done: &Done, seen: &[String], ui: &Ui) {
    let mut parts: Vec<String> = seen.iter().map(|notice| visible_line(notice)).collect();
    match done.records {
        0 => {}
        1 => parts.push("1 record goes along".to_owned()),
        count => parts.push(format!("{count} records go along")),
    }
    if done.vectors > 0 {
        parts.push(format!("{} vectors go along", done.vectors));
    }
    match done.left {
        0 => {}
        1 => parts.push("1 passage waits for the next commit".to_owned()),
        left => parts.push(format!("{left} passages wait for the next commit")),
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
