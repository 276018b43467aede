//! `elophanto hook run`: what a hook does. Git waits for it, so it fails open, fast and in one
//! line.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use crate::cli::{CliError, Outcome, Result, Ui, env, escape_control_line};
use crate::{terminal::ui::say_note, wire::upkeep::StagedSecretWire};
use elophanto_app::{
    hook_run::{freshen, freshen_merged, look},
    hooks::HookName,
    on_commit::{ALLOW_FILE, ALLOW_VARIABLE, Done, Looked, Secret},
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::store::tables;

/// Git waits no longer than this, whatever happens.
const CEILING: Duration = Duration::from_millis(9_500);
/// Most secrets that are listed one by one.
const MOST_TOLD: usize = 20;
/// Variable with another ceiling, in seconds, for machines that are slower than most. Whoever runs
/// git sets it; no repository can.
const CEILING_VARIABLE: &str = "ELOPHANTO_HOOK_SECONDS";
/// What is said where the gate did not come to its end.
const NOT_LOOKED_AT: &str = "not all that is staged was looked through for secrets";

/// Whether the gate has something left to look at.
static AT_THE_GATE: AtomicBool = AtomicBool::new(false);

/// Runs a hook. Only a secret in what is to be committed is a reason to say no.
pub fn run(name: &str, ui: &mut Ui) -> Result<Outcome> {
    let ceiling = ceiling();
    // Before that, git is stopped in an orderly way where it is git that takes so long.
    let deadline = Instant::now() + ceiling * 9 / 10;
    std::thread::spawn(move || give_up(ceiling));
    let hook = HookName::named(name);
    let outcome = match hook {
        Some(HookName::PreCommit) => pre_commit(deadline, ceiling * 6 / 10, ui),
        Some(HookName::PostMerge) => {
            freshen_merged(Path::new("."), env::environment(), ui).map(|()| Outcome::Done)
        }
        Some(HookName::PostCommit | HookName::PostCheckout | HookName::PostRewrite) => {
            freshen(Path::new("."), env::environment(), ui).map(|()| Outcome::Done)
        }
        None => {
            Err(CliError::new(format_args!("no hook is called `{}`", escape_control_line(name))))
        }
    };
    Ok(outcome.unwrap_or_else(|cause| {
        let name = escape_control_line(name);
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
    say_note(&format!(
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
fn pre_commit(deadline: Instant, embed_until: Duration, ui: &mut Ui) -> Result<Outcome> {
    let start = Instant::now();
    AT_THE_GATE.store(true, Ordering::Relaxed);
    let given = env::git_variables();
    let looked = look(Path::new("."), &given, deadline, env::environment(), ui)?;
    let Some((looked, gated)) = looked else { return Ok(Outcome::Done) };
    if looked.refuses() {
        refuse(&looked, ui)?;
        return Ok(Outcome::Negative);
    }
    AT_THE_GATE.store(false, Ordering::Relaxed);
    let done = gated.prepare(start, embed_until);
    // What the gate saw is said, whatever comes of the rest.
    say(done.as_ref().unwrap_or(&Done::default()), &looked.notices, ui);
    done.map(|_| Outcome::Done)
}

fn refuse(looked: &Looked, ui: &mut Ui) -> Result<()> {
    for (path, cause) in &looked.unread {
        ui.talk(format_args!(
            "elophanto: `{}` cannot be looked through for secrets: {}; the commit is refused",
            escape_control_line(&path.to_text()),
            escape_control_line(cause)
        ));
    }
    if looked.secrets.is_empty() {
        return Ok(());
    }
    ui.talk("elophanto: this looks like a secret; the commit is refused");
    let most = if ui.json { usize::MAX } else { MOST_TOLD };
    for secret in looked.secrets.iter().take(most) {
        let Secret { path, finding } = secret;
        let text = format!(
            "{}:{}: {}  ({})",
            escape_control_line(&path.to_text()),
            finding.line,
            finding.kind,
            finding.hash
        );
        if ui.json {
            ui.json(&StagedSecretWire::from(secret))?;
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
    let mut parts: Vec<String> = seen.iter().map(|notice| escape_control_line(notice)).collect();
    let mut add = |count: usize, noun, one: &'static str, more: &'static str| {
        if count > 0 {
            parts.push(format!("{} {}", counted(count, noun), agreeing(count, one, more)));
        }
    };
    add(done.records, "record", "goes along", "go along");
    add(done.vectors, "vector", "goes along", "go along");
    add(done.left, "passage", "waits for the next commit", "wait for the next commit");
    add(done.entries, "changelog entry", "written", "written");
    parts.extend(done.notices.iter().cloned());
    if !parts.is_empty() {
        ui.talk(format_args!("elophanto: {}", parts.join(", ")));
    }
}
