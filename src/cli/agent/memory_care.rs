//! `elophanto agent memory stats`, `export`, `archive` and `patterns`

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible_line},
    },
    memory::all,
    note,
};
use elophanto_app::memory::{Memories, reply::shown};
use elophanto_app::when::day;
use elophanto_app::when::moment;
use elophanto_index::search::SearchError;
use elophanto_knowledge::memory::{
    Entry, Memory, Question, Shared, compact, compared, line, repo_name, shared, vectors,
};
use elophanto_models::builtin::count_tokens;

/// Lessons whose own words are asked for, to see what an answer costs.
const ASKED: usize = 20;
/// What one answer may cost at most, in tokens.
const MOST_TOKENS: usize = 500;

/// Say how much is remembered, and what recalling it saves
#[derive(clap::Args, Debug)]
pub struct StatsArgs {
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Show lessons that three or more repositories learnt: worth a note for all
#[derive(clap::Args, Debug)]
pub struct PatternsArgs {
    /// Write the note of this one, below knowledge/learned/patterns
    #[arg(long, value_name = "ID")]
    promote: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// What there is, as `--json` prints it.
#[derive(Serialize)]
struct StatsWire {
    lessons: usize,
    errors: usize,
    successes: usize,
    patterns: usize,
    forgotten: usize,
    corrected: usize,
    archived: usize,
    agents: usize,
    repositories: BTreeMap<String, usize>,
    /// Tokens of all files, as whoever reads them pays.
    log_tokens: usize,
    /// Mean tokens of an answer to what lessons are about.
    recall_tokens: usize,
    /// What one recall saves.
    saved_tokens: usize,
    /// Lessons that three or more repositories learnt.
    shared: usize,
}

pub fn stats(_: &StatsArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let known = &all.folded.memories;
    if known.is_empty() {
        ui.talk("nothing is remembered; write a lesson down with `elophanto agent remember`");
        return Ok(Outcome::Negative);
    }
    let mut repositories: BTreeMap<String, usize> = BTreeMap::new();
    for memory in known {
        *repositories.entry(memory.repo.clone()).or_default() += 1;
    }
    let files = memories.files.list().files;
    let texts = files.iter().filter_map(|file| fs::read(&file.path).ok());
    let log_tokens: usize = texts.map(|text| count_tokens(&String::from_utf8_lossy(&text))).sum();
    let mut costs = Vec::new();
    for memory in known.iter().rev().take(ASKED) {
        let question = Question {
            text: if memory.context.is_empty() { &memory.lesson } else { &memory.context },
            repo: None,
            own: &memories.own,
            event_type: None,
            archived: false,
            limit: 5,
            now: Timestamp::now(),
        };
        let found = memories.recall(&question)?;
        let text = compact(&shown(&found, &memories.own), MOST_TOKENS, &count_tokens).text;
        costs.push(count_tokens(&text));
    }
    let recall_tokens = costs.iter().sum::<usize>() / costs.len().max(1);
    let count = |name: &str| known.iter().filter(|it| it.event_type.as_str() == name).count();
    let agents: BTreeSet<&str> = known.iter().map(|it| it.agent_id.as_str()).collect();
    let wire = StatsWire {
        lessons: known.len(),
        errors: count("error"),
        successes: count("success"),
        patterns: count("pattern"),
        forgotten: all.folded.retired.len(),
        corrected: all.folded.replaced.len(),
        archived: known.iter().filter(|it| all.archived.contains(&it.id)).count(),
        agents: agents.len(),
        log_tokens,
        recall_tokens,
        saved_tokens: log_tokens.saturating_sub(recall_tokens),
        shared: shared(known, &alike(known, memories)?).len(),
        repositories,
    };
    let mut text = format!(
        "{} lessons by {} agents: {} errors, {} successes, {} patterns; {} corrected, {} forgotten, \
         {} archived",
        wire.lessons,
        wire.agents,
        wire.errors,
        wire.successes,
        wire.patterns,
        wire.corrected,
        wire.forgotten,
        wire.archived
    );
    for (repo, count) in &wire.repositories {
        text.push_str(&format!("\n  {count:>6}  {}", visible_line(repo)));
    }
    text.push_str(&format!(
        "\nreading the logs takes {log_tokens} tokens, a recall {recall_tokens}: each saves {}",
        wire.saved_tokens
    ));
    if wire.shared > 0 {
        text.push_str(&format!(
            "\n{} lessons were learnt in three or more repositories: elophanto agent memory patterns",
            wire.shared
        ));
    }
    ui.emit(&wire, text)?;
    Ok(Outcome::Done)
}

/// How alike two lessons are by their meaning, by their ids.
fn alike(
    known: &[Memory],
    memories: &Memories,
) -> Result<impl Fn(&Memory, &Memory) -> bool + use<>, CliError> {
    let refreshed = memories.refreshed(false)?;
    let vectors = vectors(&refreshed.snapshot, &compared(known)).map_err(SearchError::from)?;
    let least = memories.workspace.models.profile().near_duplicate;
    Ok(move |a: &Memory, b: &Memory| {
        let pair = vectors.get(&a.id).zip(vectors.get(&b.id));
        pair.is_some_and(|(a, b)| cosine(a, b) >= least)
    })
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn export(args: &ExportArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for memory in &all.folded.memories {
        let text = texts.entry(&memory.repo).or_default();
        text.push_str(&line(&Entry::Memory(memory.clone()))?);
        text.push('\n');
    }
    let Some(folder) = &args.to else {
        let repo = match &args.repo {
            Some(repo) => &repo_name(None, repo),
            None => &memories.own,
        };
        let Some(text) = texts.get(repo.as_str()) else {
            let known: Vec<String> = texts.keys().map(|repo| visible_line(repo)).collect();
            ui.talk(format_args!("nothing is remembered of `{}`", visible_line(repo)));
            if !known.is_empty() {
                ui.talk(format_args!("there is: {}", known.join(", ")));
            }
            return Ok(Outcome::Negative);
        };
        for record in text.lines() {
            let record: &RawValue = serde_json::from_str(record).map_err(CliError::new)?;
            ui.json(record)?;
        }
        return Ok(Outcome::Done);
    };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(CliError::new(format_args!("`{}` is not empty", folder.display()))
            .hint("name a folder that does not exist yet"));
    }
    fs::create_dir_all(folder)?;
    for (repo, text) in &texts {
        fs::write(folder.join(format!("{repo}.jsonl")), text)?;
        ui.line(visible_line(&Path::new(folder).join(format!("{repo}.jsonl")).to_string_lossy()))?;
    }
    Ok(Outcome::Done)
}

/// What was moved, as `--json` prints it.
#[derive(Serialize)]
struct ArchivedWire {
    files: usize,
    records: usize,
    before: String,
    dry_run: bool,
}

pub fn archive(args: &ArchiveArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let seconds = moment(&args.before, Timestamp::now().as_second())?;
    let before = Timestamp::from_second(seconds).map_err(CliError::new)?;
    let archived = memories.files.archive(before, args.dry_run)?;
    for error in &archived.left {
        ui.warn(error);
    }
    let (files, records) = (archived.files, archived.records);
    for left in &archived.left {
        ui.warn(left);
    }
    let verb = if args.dry_run { "would be moved" } else { "moved" };
    let wire = ArchivedWire { files, records, before: day(seconds), dry_run: args.dry_run };
    let text = format!("{records} records in {files} files {verb}, all before {}", wire.before);
    ui.emit(&wire, text)?;
    if files > 0 && !args.dry_run {
        ui.talk("git takes the move along with `git add -A .elophanto/memory`");
    }
    Ok(if files > 0 { Outcome::Done } else { Outcome::Negative })
}

/// A lesson of several repositories, as `--json` prints it.
#[derive(Serialize)]
struct SharedWire<'a> {
    id: &'a str,
    lesson: &'a str,
    repositories: &'a [String],
    records: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn patterns(
    args: &PatternsArgs,
    memories: &Memories,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let known = &all.folded.memories;
    let mut found = shared(known, &alike(known, memories)?);
    if let Some(id) = &args.promote {
        found.retain(|it| it.memory.id == *id);
        if found.is_empty() {
            return Err(CliError::new(format_args!(
                "`{}` is no lesson that three repositories learnt",
                visible_line(id)
            ))
            .hint("elophanto agent memory patterns shows those that are"));
        }
    }
    for it in &found {
        let Shared { memory, repositories, records, rate } = it;
        let note = match args.promote {
            Some(_) => Some(note::pattern(memories.workspace, it)?),
            None => None,
        };
        let text = match &note {
            Some(path) => format!("written: {}", visible_line(path)),
            None => format!(
                "{}  {}  ({}, {records} records)",
                visible_line(&memory.id),
                visible_line(&memory.lesson),
                visible_line(&repositories.join(", "))
            ),
        };
        let success_rate = rate.map(|rate| rate.to_string());
        let (id, lesson) = (memory.id.as_str(), memory.lesson.as_str());
        let wire = SharedWire { id, lesson, repositories, records: *records, success_rate, note };
        ui.emit(&wire, text)?;
    }
    if found.is_empty() {
        ui.talk("no lesson was learnt in three repositories");
        return Ok(Outcome::Negative);
    }
    if args.promote.is_none() {
        ui.talk("write the note of one with --promote ID");
    }
    Ok(Outcome::Done)
}
