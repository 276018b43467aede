//! `elophanto agent memory stats`, `export`, `archive`, `restore`, `patterns` and `join`

use std::path::PathBuf;

use serde_json::value::RawValue;

use super::listed;
use crate::cli::{CliError, NoArgs, Outcome, Result, Ui, escape_control_line};
use crate::wire::{JoinedWire, LikelyWire, RestoredWire, SharedWire, printed_json};
use elophanto_app::memory::{Memories, Nothing, Patterns};
use elophanto_base::{
    counted::{agreeing, counted},
    one_line::one_line,
};
use elophanto_knowledge::memory::{Entry, Memory, Shared, abbreviated, repo_name};

/// Says why nothing is told, and how the first lesson is written down where there is none.
pub fn nothing(nothing: &Nothing, ui: &Ui) -> Outcome {
    ui.nothing(match nothing {
        Nothing::AtAll => {
            format!("{nothing}; write a lesson down with `elophanto agent remember`")
        }
        Nothing::Archived => format!("{nothing}: --archived tells that, too"),
        other => other.to_string(),
    })
}

/// Print all lessons of a repository as JSON Lines, corrections applied
#[derive(clap::Args, Debug)]
pub struct ExportArgs {
    /// Which repository, if not this one
    #[arg(long, value_name = "NAME", conflicts_with = "to")]
    repo: Option<String>,
    /// Write one file for each repository, NAME.jsonl, into this new or empty folder
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Move files of old lessons to `.elophanto/memory/archive/`
///
/// A file goes as a whole, once all that is in it is older. What lies there is recalled with
/// --archived.
#[derive(clap::Args, Debug)]
pub struct ArchiveArgs {
    /// Older than a date or a time span ago, such as 2026-05-01 or 6 months
    #[arg(long, value_name = "WHEN", default_value = "1 year ago")]
    before: String,
    /// Only say what would be moved
    #[arg(long)]
    dry_run: bool,
}

/// Put back what was remembered on this machine and is nowhere any more
///
/// A commit that is undone or thrown away takes the lessons along that went with it. What is forgotten or
/// wiped never comes back.
#[derive(clap::Args, Debug)]
pub struct RestoreArgs {
    /// Give it up for good instead
    #[arg(long)]
    forget: bool,
}

/// Show lessons that three or more repositories learnt, and those that may be one
///
/// What was learnt in three repositories is worth a note for all. Of two lessons that seem to say the
/// same in other words, both are shown: agent memory join makes them one.
#[derive(clap::Args, Debug)]
pub struct PatternsArgs {
    /// Write the note of this one, below knowledge/learned/patterns
    #[arg(long, value_name = "ID")]
    promote: Option<String>,
}

/// Make lessons that say the same in other words one
///
/// The text of the first stays; counts are added, tags put together. Every clone that takes this over
/// obeys it.
#[derive(clap::Args, Debug)]
pub struct JoinArgs {
    /// The lesson that stays: its id, or the beginning of it
    #[arg(value_name = "ID")]
    kept: String,
    /// Lessons that say the same
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<String>,
    /// Who joins them
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

pub fn stats(_: &NoArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let Some(stats) = memories.stats(ui)? else {
        return Ok(nothing(&Nothing::AtAll, ui));
    };
    let mut text = format!(
        "{} by {}: {}, {}, {}; {} corrected, {} forgotten, {} archived",
        counted(stats.lessons, "lesson"),
        counted(stats.agents, "agent"),
        counted(stats.errors, "error"),
        counted(stats.successes, "success"),
        counted(stats.patterns, "pattern"),
        stats.corrected,
        stats.forgotten,
        stats.archived
    );
    for (repo, count) in &stats.repositories {
        text.push_str(&format!("\n  {count:>6}  {}", escape_control_line(repo)));
    }
    text.push_str(&format!(
        "\nreading the logs takes {} tokens, a recall {}: each saves {}",
        stats.log_tokens, stats.recall_tokens, stats.saved_tokens
    ));
    if stats.shared > 0 {
        text.push_str(&format!(
            "\n{} {} learnt in three or more repositories: elophanto agent memory patterns",
            counted(stats.shared, "lesson"),
            agreeing(stats.shared, "was", "were")
        ));
    }
    ui.done(&stats, text)
}

pub fn export(args: &ExportArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let records = memories.records(ui);
    if let Some(folder) = &args.to {
        for path in records.export_to(folder)? {
            ui.line(escape_control_line(&path.to_string_lossy()))?;
        }
        return Ok(Outcome::Done);
    }
    let texts = records.exported()?;
    let repo = match &args.repo {
        Some(repo) => &repo_name(None, repo),
        None => &memories.own,
    };
    let Some(text) = texts.get(repo.as_str()) else {
        let known: Vec<String> = texts.keys().map(|repo| escape_control_line(repo)).collect();
        ui.talk(format_args!("nothing is remembered of `{}`", escape_control_line(repo)));
        if !known.is_empty() {
            ui.talk(format_args!("there is: {}", known.join(", ")));
        }
        return Ok(Outcome::Negative);
    };
    for record in text.lines() {
        let record: &RawValue = serde_json::from_str(record).map_err(CliError::new)?;
        ui.line(printed_json(record)?)?;
    }
    Ok(Outcome::Done)
}

pub fn archive(args: &ArchiveArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let moved = memories.archive(&args.before, args.dry_run, ui)?;
    let verb = if moved.dry_run { "would be moved" } else { "moved" };
    let (records, in_files) = (counted(moved.records, "record"), counted(moved.files, "file"));
    let text = format!("{records} in {in_files} {verb}, all before {}", moved.before);
    ui.emit(&moved, text)?;
    if moved.files > 0 && !moved.dry_run {
        ui.talk("git takes the move along with `git add -A .elophanto/memory`");
    }
    Ok(if moved.files > 0 { Outcome::Done } else { Outcome::Negative })
}

pub fn restore(args: &RestoreArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let lost = if args.forget { memories.give_up(ui)? } else { memories.restore(ui)? };
    if lost.is_empty() {
        return Ok(ui.nothing("nothing that was remembered on this machine is missing"));
    }
    let verb = if args.forget { "given up" } else { "put back" };
    for entry in &lost {
        let text = match entry {
            Entry::Memory(memory) => listed(memory, memory.id.len()),
            Entry::Retired(retired) => format!("forgot {}", escape_control_line(&retired.retired)),
        };
        let wire = RestoredWire { id: entry.id(), action: verb };
        ui.emit(&wire, format!("{verb}: {text}"))?;
    }
    Ok(Outcome::Done)
}

pub fn patterns(args: &PatternsArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let Patterns { shared, likely, id_length } = memories.patterns(args.promote.as_deref(), ui)?;
    let id_of = |memory: &Memory| escape_control_line(abbreviated(&memory.id, id_length));
    if shared.is_empty() && likely.is_empty() {
        return Ok(
            ui.nothing("no lesson was learnt in three repositories, and no two seem to be one")
        );
    }
    for (lesson, note) in &shared {
        let Shared { memory, repositories, records, .. } = lesson;
        let text = match note {
            Some(path) => format!("written: {}", escape_control_line(path)),
            None => format!(
                "{}  {}  ({}, {})",
                id_of(memory),
                escape_control_line(&memory.lesson),
                escape_control_line(&repositories.join(", ")),
                counted(*records, "record")
            ),
        };
        ui.emit(&SharedWire::of(lesson, note.as_deref()), text)?;
    }
    if args.promote.is_none() && !shared.is_empty() {
        ui.talk("write the note of one with --promote ID");
    }
    for pair in &likely {
        let line = |memory: &Memory| {
            let (context, lesson) = (&memory.context, &memory.lesson);
            let said = match context.trim().is_empty() {
                true => lesson.to_owned(),
                false => format!("{context}: {lesson}"),
            };
            format!("{}  {}", id_of(memory), escape_control_line(&one_line(&said, 160)))
        };
        let [newer, older] = &pair.lessons;
        let text = format!("perhaps one:\n  {}\n  {}", line(newer), line(older));
        ui.emit(&LikelyWire::from(pair), text)?;
    }
    if !likely.is_empty() {
        ui.talk(
            "make two of them one with elophanto agent memory join ID OTHER: the text of ID stays",
        );
    }
    Ok(Outcome::Done)
}

pub fn join(args: &JoinArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let ids: Vec<String> = std::iter::once(&args.kept).chain(&args.others).cloned().collect();
    let joined = memories.join(&ids, args.agent.as_deref(), ui)?;
    let (wire, memory) = (JoinedWire::from(&joined), &joined.remembered.memory);
    let rate = wire.success_rate.as_ref().map(|rate| format!(" ({rate})")).unwrap_or_default();
    let lesson = escape_control_line(&one_line(&memory.lesson, 100));
    let text = format!(
        "{}  {lesson}{rate}, joined with {}",
        memory.id,
        counted(joined.joined.len(), "other lesson")
    );
    ui.done(&wire, text)
}
