//! `elophanto agent memory forget` and `wipe`

use super::{listed, said};
use crate::cli::{Outcome, Result, Ui, escape_control_line};
use crate::wire::{ForgottenLessonWire, WipedWire};
use elophanto_app::memory::{About, Forgotten, Held, Memories, Wiping};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::repo_name;

/// Commits that are told one by one.
const MOST_COMMITS: usize = 20;

/// Forget a lesson, or all about something, here and in every clone that takes this over
///
/// With a lesson go those that say the same, which `recall` shows as one with it.
#[derive(clap::Args, Debug)]
pub struct ForgetArgs {
    /// Its id, or the beginning of it
    #[arg(required_unless_present = "about")]
    id: Option<String>,
    /// All lessons that hold every word of this, after a question
    #[arg(long, value_name = "TEXT", conflicts_with = "id")]
    about: Option<String>,
    /// With --about: only those of this repository
    #[arg(long, value_name = "NAME", requires = "about")]
    repo: Option<String>,
    /// With --about: without a question
    #[arg(long, short = 'y', requires = "about")]
    yes: bool,
    /// Also remove its line from the file; git's history keeps it
    #[arg(long)]
    remove: bool,
    /// Who forgets it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

/// Take a lesson's text out of the files for good, and say what git's history still holds
///
/// For a secret that got into a lesson. All its records go, those that it corrects too, from the files,
/// the search index and the cache of vectors; every other record stays as it is. What commits hold stays in
/// git's history: they are named, with the command that purges them.
#[derive(clap::Args, Debug)]
pub struct WipeArgs {
    /// Its id, or the beginning of it; that of a forgotten or corrected lesson too
    id: String,
    /// Without a question
    #[arg(long, short = 'y')]
    yes: bool,
    /// Who wipes it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

pub fn forget(args: &ForgetArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    if let Some(text) = &args.about {
        return forget_about(text, args, memories, ui);
    }
    let id = args.id.as_deref().unwrap_or_default();
    let forgotten = memories.forget_shown(id, args.remove, args.agent.as_deref(), ui)?;
    tell(&forgotten, memories, ui)?;
    Ok(Outcome::Done)
}

fn forget_about(
    text: &str,
    args: &ForgetArgs,
    memories: &Memories,
    ui: &mut Ui,
) -> Result<Outcome> {
    let repo = args.repo.as_ref().map(|repo| repo_name(None, repo));
    let About { lessons, near, id_length } = memories.about(text, repo.as_deref(), ui)?;
    let text = escape_control_line(text);
    if !ui.json {
        for memory in &lessons {
            ui.line(listed(memory, id_length))?;
        }
        ui.flush()?;
    }
    if !near.is_empty() {
        ui.talk("near in other words, and left alone:");
        for memory in &near {
            ui.talk(format_args!("  {}", listed(memory, id_length)));
        }
    }
    if lessons.is_empty() {
        let nothing = memories.nothing(repo.as_deref(), None, true);
        let said = match nothing {
            elophanto_app::memory::Nothing::Close => {
                format!("no lesson holds every word of `{text}`")
            }
            nothing => nothing.to_string(),
        };
        return Ok(ui.nothing(said));
    }
    let count = counted(lessons.len(), "lesson");
    if !(args.yes || ui.confirm(&format!("Forget {count} about `{text}`?"))?) {
        if ui.json {
            for memory in &lessons {
                ui.json(&ForgottenLessonWire::of(memory, false, false))?;
            }
        }
        return Ok(
            ui.nothing(format_args!("{count} would be forgotten; nobody agreed (`--yes` agrees)"))
        );
    }
    let forgotten = memories.forget_all(&lessons, args.remove, args.agent.as_deref(), ui)?;
    tell(&forgotten, memories, ui)?;
    Ok(Outcome::Done)
}

fn tell(forgotten: &[Forgotten], memories: &Memories, ui: &mut Ui) -> Result<()> {
    for Forgotten { memory, removed, left_in } in forgotten {
        let wire = ForgottenLessonWire::of(memory, true, *removed);
        ui.emit(&wire, format_args!("forgotten: {}", said(memory)))?;
        for path in left_in {
            let path = memories.shown(path);
            let path = escape_control_line(&path.to_string_lossy());
            ui.warn(format_args!("`{path}` is another program's file: its line is still there"));
        }
    }
    let removed = forgotten.iter().filter(|it| it.removed).count();
    if removed > 0 {
        let (line, is) =
            (agreeing(removed, "its line is", "their lines are"), agreeing(removed, "it", "them"));
        ui.note(format_args!(
            "{line} gone from the file; commits that hold {is} keep {is} in git's history"
        ));
    }
    Ok(())
}

pub fn wipe(args: &WipeArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let wiping = memories.wiping(&args.id, ui)?;
    let is_due = wiping.asks();
    if !ui.json {
        for (path, line) in &wiping.places {
            ui.talk(format_args!("{}:{line}", escape_control_line(path)));
        }
    }
    let is_agreed = !is_due || args.yes || ui.confirm(&wiping.question())?;
    let wipe = || memories.wipe(&wiping, args.agent.as_deref());
    let wiped = is_agreed.then(wipe).transpose()?;
    let wire = WipedWire::of(&wiping, wiped.as_ref());
    let (records, in_files) = (counted(wire.records, "record"), counted(wire.files.len(), "file"));
    let text = match (is_due, is_agreed) {
        (true, true) if wire.records == 0 => "forgotten: no file of ours holds it".to_owned(),
        (true, true) => {
            format!("wiped: {records} out of {in_files}, the search index and the cache of vectors")
        },
        (true, false) => {
            format!("{records} in {in_files} would be wiped; nobody agreed (`--yes` agrees)")
        }
        (false, _) => {
            "no file here holds it any more; the search index and the cache of vectors were made anew"
                .to_owned()
        }
    };
    ui.emit(&wire, text)?;
    tell_rest(&wire, &wiping, is_agreed, ui)?;
    Ok(if is_agreed { Outcome::Done } else { Outcome::Negative })
}

/// What still holds it, and what to do about that.
fn tell_rest(wire: &WipedWire, wiping: &Wiping, is_agreed: bool, ui: &mut Ui) -> Result<()> {
    for place in &wire.left {
        let place = escape_control_line(place);
        ui.warn(format_args!(
            "{place} is in another program's file, and left alone: take it out there"
        ));
    }
    if wiping.history.unread > 0 {
        let contents = counted(wiping.history.unread, "content");
        ui.warn(format_args!(
            "{contents} of git's history cannot be read: what they hold is not known"
        ));
    }
    if wire.staged && is_agreed {
        ui.talk(
            "what is staged in git still holds it, and the next commit would: git add -A \
             .elophanto/memory, and commit",
        );
    }
    if wire.history.is_empty() {
        return Ok(());
    }
    let is_pushed = wire.history.iter().any(|held| held.pushed);
    if !ui.json {
        ui.line(format_args!(
            "git's history holds it still, from {} on:",
            counted(wire.history.len(), "commit")
        ))?;
        for held in wire.history.iter().take(MOST_COMMITS) {
            ui.line(held_line(held))?;
        }
        if let more @ 1.. = wire.history.len().saturating_sub(MOST_COMMITS) {
            ui.line(format_args!("  and {more} more: --json tells all"))?;
        }
        ui.flush()?;
    }
    ui.talk("to purge it (git-filter-repo rewrites every commit from there on; try it in a fresh clone):");
    for command in &wire.purge {
        ui.talk(format_args!("  {command}"));
        if command.ends_with(" FILE") {
            ui.talk("  with FILE holding `literal:` and the record's line as it was, one for each");
        }
    }
    ui.talk(match is_pushed {
        true => {
            "then push it with `git push --force --all` and `--force --tags`, and have every clone made \
             anew; a secret in it is known to whoever has fetched it: change the secret in any case"
        }
        false => {
            "no branch of a remote that this clone knows of holds it; other clones and copies may, so \
             change a secret that was in it"
        }
    });
    Ok(())
}

fn held_line(held: &Held) -> String {
    let commit: String = held.commit.chars().take(10).collect();
    let refs = held.refs.iter().map(|name| {
        let short = ["refs/heads/", "refs/remotes/", "refs/tags/"];
        let short = short.iter().find_map(|prefix| name.strip_prefix(prefix));
        escape_control_line(short.unwrap_or(name))
    });
    let refs = refs.collect::<Vec<_>>().join(", ");
    let on = if refs.is_empty() { "the reflog alone" } else { &refs };
    let pushed = if held.pushed { ", pushed" } else { "" };
    format!("  {commit}  {}  {}  on {on}{pushed}", held.date, escape_control_line(&held.path))
}
