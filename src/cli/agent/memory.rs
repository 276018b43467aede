//! `elophanto agent memory`

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible, visible_line},
        workspace,
    },
    memory_care, remember,
};
use elophanto_app::memory::Memories;
use elophanto_app::when::day;
use elophanto_knowledge::memory::{Draft, Entry, EventType, Folded, Memory, Rate, fold, repo_name};

/// Look through what agents remember, and mend it
///
/// A correction is a new record that takes the place of another; so is forgetting. Every clone obeys
/// them once it has them.
#[derive(clap::Args, Debug)]
pub struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(clap::Subcommand, Debug)]
enum MemoryCommand {
    List(ListArgs),
    Show(ShowArgs),
    Edit(EditArgs),
    Forget(ForgetArgs),
    Stats(memory_care::StatsArgs),
    Export(memory_care::ExportArgs),
    Archive(memory_care::ArchiveArgs),
    Patterns(memory_care::PatternsArgs),
}

/// List lessons, the newest first
#[derive(clap::Args, Debug)]
struct ListArgs {
    /// Only those of this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Only this kind: error, success or pattern
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<EventType>,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Also what was moved to the archive
    #[arg(long)]
    archived: bool,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// Show a lesson with all that is known of it
#[derive(clap::Args, Debug)]
struct ShowArgs {
    /// Its id, or the beginning of it
    id: String,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// Correct a lesson: what is given takes the place of what it says
#[derive(clap::Args, Debug)]
struct EditArgs {
    /// Its id, or the beginning of it
    id: String,
    /// What kind of lesson: error, success or pattern
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<EventType>,
    /// What was attempted, or what went wrong
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    context: Option<String>,
    /// What was run
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    command: Option<String>,
    /// What was learnt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    lesson: Option<String>,
    /// How often it worked, such as 9/10
    #[arg(long, value_name = "X/Y")]
    success_rate: Option<Rate>,
    /// Keywords
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Option<Vec<String>>,
    /// Who corrects it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// Forget a lesson, here and in every clone that takes this over
#[derive(clap::Args, Debug)]
struct ForgetArgs {
    /// Its id, or the beginning of it
    id: String,
    /// Also remove its line from the file; git's history keeps it
    #[arg(long)]
    remove: bool,
    /// Who forgets it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

impl MemoryArgs {
    pub fn is_json(&self) -> bool {
        match &self.command {
            MemoryCommand::List(args) => args.json,
            MemoryCommand::Show(args) => args.json,
            MemoryCommand::Edit(args) => args.json,
            MemoryCommand::Forget(args) => args.json,
            MemoryCommand::Stats(args) => args.json,
            MemoryCommand::Export(_) => false,
            MemoryCommand::Archive(args) => args.json,
            MemoryCommand::Patterns(args) => args.json,
        }
    }
}

pub fn run(args: &MemoryArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let memories = Memories::open(&workspace);
    match &args.command {
        MemoryCommand::List(args) => list(args, &memories, ui),
        MemoryCommand::Show(args) => show(args, &memories, ui),
        MemoryCommand::Edit(args) => edit(args, &memories, ui),
        MemoryCommand::Forget(args) => forget(args, &memories, ui),
        MemoryCommand::Stats(args) => memory_care::stats(args, &memories, ui),
        MemoryCommand::Export(args) => memory_care::export(args, &memories, ui),
        MemoryCommand::Archive(args) => memory_care::archive(args, &memories, ui),
        MemoryCommand::Patterns(args) => memory_care::patterns(args, &memories, ui),
    }
}

/// A record, as `--json` prints it.
#[derive(Serialize)]
struct MemoryWire<'a> {
    id: &'a str,
    timestamp: String,
    agent_id: &'a str,
    repo: &'a str,
    event_type: &'static str,
    context: &'a str,
    command: &'a str,
    lesson: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl<'a> MemoryWire<'a> {
    fn of(memory: &'a Memory, place: Option<&(String, usize)>) -> Self {
        Self {
            id: &memory.id,
            timestamp: memory.timestamp.to_string(),
            agent_id: &memory.agent_id,
            repo: &memory.repo,
            event_type: memory.event_type.as_str(),
            context: &memory.context,
            command: &memory.command,
            lesson: &memory.lesson,
            success_rate: memory.success_rate.map(|rate| rate.to_string()),
            tags: &memory.tags,
            replaces: memory.replaces.as_deref(),
            path: place.map(|(path, _)| path.clone()),
            line: place.map(|(_, line)| *line),
        }
    }
}

/// All records there are.
pub(super) struct All {
    pub folded: Folded,
    /// Where each record stands: path as the user knows it, line.
    pub places: BTreeMap<String, (String, usize)>,
    /// Ids of what lies in the archive.
    pub archived: BTreeSet<String>,
    /// What each record corrects that corrects another.
    before: BTreeMap<String, String>,
}

impl All {
    /// A record and all that it corrects, directly or not.
    fn with_older<'a>(&'a self, id: &'a str) -> Vec<&'a str> {
        let (mut ids, mut seen) = (vec![id], BTreeSet::from([id]));
        let mut id = id;
        while let Some(older) = self.before.get(id).filter(|older| seen.insert(older)) {
            ids.push(older);
            id = older;
        }
        ids
    }
}

/// Reads all files; what is damaged is said and passed over.
pub(super) fn all(memories: &Memories, ui: &Ui) -> All {
    let listing = memories.files.list();
    for error in &listing.unreadable {
        ui.warn(error);
    }
    let mut entries: Vec<Entry> = Vec::new();
    let (mut places, mut archived) = (BTreeMap::new(), BTreeSet::new());
    let mut before = BTreeMap::new();
    for found in &listing.files {
        let read = match memories.files.read(found) {
            Ok(read) => read,
            Err(error) => {
                ui.warn(error);
                continue;
            }
        };
        let path = memories.shown(&found.path).to_string_lossy().into_owned();
        if let Some(told) = read.damage_told() {
            ui.warn(format_args!("`{}`, {told}", visible_line(&path)));
        }
        for (line, entry) in read.entries {
            if found.is_archived {
                archived.insert(entry.id().to_owned());
            }
            if let Entry::Memory(Memory { id, replaces: Some(older), .. }) = &entry {
                before.insert(id.clone(), older.clone());
            }
            places.insert(entry.id().to_owned(), (path.clone(), line));
            entries.push(entry);
        }
    }
    All { folded: fold(entries), places, archived, before }
}

fn list(args: &ListArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let repo = args.repo.as_ref().map(|repo| repo_name(None, repo));
    let is_wanted = |memory: &&Memory| {
        repo.as_ref().is_none_or(|repo| *repo == memory.repo)
            && args.event_type.is_none_or(|kind| kind == memory.event_type)
            && (args.archived || !all.archived.contains(&memory.id))
    };
    let wanted = all.folded.memories.iter().rev().filter(is_wanted);
    let mut any = false;
    for memory in wanted.take(args.limit) {
        any = true;
        let text = format!(
            "{}  {}  {}  {}  {}",
            visible_line(&memory.id),
            day(memory.timestamp.as_second()),
            visible_line(&memory.repo),
            memory.event_type,
            visible_line(&elophanto_base::one_line::one_line(said(memory), 100)),
        );
        ui.emit(&MemoryWire::of(memory, all.places.get(&memory.id)), text)?;
    }
    if !any {
        ui.talk("nothing is remembered; write a lesson down with `elophanto agent remember`");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

/// The lesson, or what it was about where somebody wrote down no lesson.
fn said(memory: &Memory) -> &str {
    if memory.lesson.trim().is_empty() { &memory.context } else { &memory.lesson }
}

fn show(args: &ShowArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let memory = find(&args.id, &all)?;
    let place = all.places.get(&memory.id);
    let mut text = format!(
        "{}\n{} in {} by {}",
        visible_line(&memory.id),
        memory.event_type,
        visible_line(&memory.repo),
        visible_line(if memory.agent_id.is_empty() { "nobody named" } else { &memory.agent_id }),
    );
    text.push_str(&format!(", {}\n", memory.timestamp));
    for (name, value) in [
        ("context", memory.context.as_str()),
        ("command", &memory.command),
        ("lesson", &memory.lesson),
        ("success", &memory.success_rate.map(|rate| rate.to_string()).unwrap_or_default()),
        ("tags", &memory.tags.join(", ")),
        ("replaces", memory.replaces.as_deref().unwrap_or_default()),
    ] {
        if !value.is_empty() {
            text.push_str(&format!("{name}: {}\n", visible(value)));
        }
    }
    if let Some((path, line)) = place {
        text.push_str(&format!("{}:{line}", visible_line(path)));
    }
    ui.emit(&MemoryWire::of(memory, place), text)?;
    Ok(Outcome::Done)
}

fn edit(args: &EditArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let nothing = args.event_type.is_none()
        && args.context.is_none()
        && args.command.is_none()
        && args.lesson.is_none()
        && args.success_rate.is_none()
        && args.tags.is_none();
    if nothing {
        return Err(CliError::new("there is nothing to correct")
            .hint("give what it should say, such as --lesson or --success-rate 9/10"));
    }
    let all = all(memories, ui);
    let old = find(&args.id, &all)?.clone();
    let draft = Draft {
        event_type: args.event_type.unwrap_or(old.event_type),
        context: args.context.clone().unwrap_or(old.context),
        command: args.command.clone().unwrap_or(old.command),
        lesson: args.lesson.clone().unwrap_or(old.lesson),
        success_rate: args.success_rate.or(old.success_rate),
        tags: Some(args.tags.clone().unwrap_or(old.tags)),
        repo: old.repo,
        agent_id: agent(args.agent.as_ref(), memories),
        replaces: Some(old.id),
    };
    let remembered = memories.remember(draft, Timestamp::now())?;
    remember::say(&remembered, ui)?;
    Ok(Outcome::Done)
}

/// What was forgotten, as `--json` prints it.
#[derive(Serialize)]
struct ForgottenWire<'a> {
    id: &'a str,
    lesson: &'a str,
    /// Whether its line is gone from the file.
    removed: bool,
}

fn forget(args: &ForgetArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome, CliError> {
    let all = all(memories, ui);
    let memory = find(&args.id, &all)?;
    let agent = agent(args.agent.as_ref(), memories);
    // With all that it corrects: else that would count again once this line is gone, and a
    // correction that another clone made of it would stay.
    let ids = all.with_older(&memory.id);
    memories.forget(&memory.repo, &ids, &agent, Timestamp::now())?;
    let (mut removed, mut left_in) = (false, BTreeSet::new());
    if args.remove {
        for id in &ids {
            let Some(found) = memories.files.remove_line(id)? else { continue };
            removed |= !found.files.is_empty();
            left_in.extend(found.left_in);
        }
    }
    let (id, lesson) = (memory.id.as_str(), memory.lesson.as_str());
    let text = format!(
        "forgotten: {}",
        visible_line(&elophanto_base::one_line::one_line(said(memory), 100))
    );
    ui.emit(&ForgottenWire { id, lesson, removed }, text)?;
    if removed {
        ui.note("its line is gone from the file; commits that hold it keep it in git's history");
    }
    for path in left_in {
        let path = memories.shown(&path);
        let path = visible_line(&path.to_string_lossy());
        ui.warn(format_args!("`{path}` is another program's file: its line is still there"));
    }
    Ok(Outcome::Done)
}

fn agent(given: Option<&String>, memories: &Memories) -> String {
    given.cloned().unwrap_or_else(|| memories.workspace.config.memory.agent_id.clone())
}

/// The lesson that an id, or the beginning of one, means. A whole id never means another one that
/// begins with it.
fn find<'a>(id: &str, all: &'a All) -> Result<&'a Memory, CliError> {
    let Folded { memories, retired, replaced } = &all.folded;
    if let Some(memory) = memories.iter().find(|memory| memory.id == id) {
        return Ok(memory);
    }
    if retired.contains(id) {
        return Err(CliError::new(format_args!("`{}` is forgotten already", visible_line(id))));
    }
    if let Some(newer) = replaced.get(id) {
        return Err(CliError::new(format_args!("`{}` was corrected", visible_line(id)))
            .hint(format!("the correction is {}", visible_line(newer))));
    }
    let wanted = id.to_ascii_uppercase();
    // Nothing is the beginning of every id, and mostly a variable that is not set.
    let begins = |memory: &&Memory| {
        !wanted.is_empty() && memory.id.to_ascii_uppercase().starts_with(&wanted)
    };
    let found: Vec<&Memory> = memories.iter().filter(begins).collect();
    match found[..] {
        [memory] => Ok(memory),
        [] => Err(CliError::new(format_args!("there is no lesson `{}`", visible_line(id)))
            .hint("elophanto agent memory list shows their ids")),
        _ => Err(CliError::new(format_args!(
            "{} lessons have an id that begins with `{}`",
            found.len(),
            visible_line(id)
        ))
        .hint("give more of it")),
    }
}
