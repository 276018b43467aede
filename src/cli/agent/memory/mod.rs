//! `elophanto agent memory`

pub mod care;
mod forget;

use super::remember;
use crate::cli::{
    Json, NoArgs, Outcome, Result, Ui, commands, escape_control_line, visible, workspace,
};
use crate::wire::MemoryWire;
use elophanto_app::{
    memory::{Correction, EventType, Memories, Place},
    when::day,
};
use elophanto_base::one_line::one_line;
use elophanto_knowledge::memory::{Memory, Rate, abbreviated, repo_name};

commands! {
    /// Look through what agents remember, and mend it
    ///
    /// A correction is a new record that takes the place of another; so is forgetting. Every clone obeys
    /// them once it has them.
    struct MemoryArgs(args, ui, memories: &Memories<'_>);
    List(Json<ListArgs>) => list(args, memories, ui);
    Show(Json<ShowArgs>) => show(args, memories, ui);
    Edit(Json<EditArgs>) => edit(args, memories, ui);
    Forget(Json<forget::ForgetArgs>) => forget::forget(args, memories, ui);
    Wipe(Json<forget::WipeArgs>) => forget::wipe(args, memories, ui);
    Join(Json<care::JoinArgs>) => care::join(args, memories, ui);
    /// Say how much is remembered, and what recalling it saves
    Stats(Json<NoArgs>) => care::stats(args, memories, ui);
    Export(care::ExportArgs) => care::export(args, memories, ui);
    Archive(Json<care::ArchiveArgs>) => care::archive(args, memories, ui);
    Restore(Json<care::RestoreArgs>) => care::restore(args, memories, ui);
    Patterns(Json<care::PatternsArgs>) => care::patterns(args, memories, ui);
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
}

/// Show a lesson with all that is known of it
#[derive(clap::Args, Debug)]
struct ShowArgs {
    /// Its id, or the beginning of it
    id: String,
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
}

pub fn run(args: &MemoryArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    args.run(ui, &Memories::open(&workspace))
}

fn list(args: &ListArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let records = memories.records(ui);
    let repo = args.repo.as_ref().map(|repo| repo_name(None, repo));
    let wanted = records.newest(repo.as_deref(), args.event_type, args.archived);
    let (mut any, length) = (false, records.telling_length());
    for memory in wanted.take(args.limit) {
        any = true;
        let text = listed(memory, length);
        ui.emit(&MemoryWire::of(memory, records.places.get(&memory.id)), text)?;
    }
    if !any {
        let nothing = memories.nothing(repo.as_deref(), args.event_type, args.archived);
        return Ok(care::nothing(&nothing, ui));
    }
    Ok(Outcome::Done)
}

/// A lesson in a line, with so many characters of its id.
fn listed(memory: &Memory, id_length: usize) -> String {
    format!(
        "{}  {}  {}  {}  {}",
        escape_control_line(abbreviated(&memory.id, id_length)),
        day(memory.timestamp.as_second()),
        escape_control_line(&memory.repo),
        memory.event_type,
        said(memory),
    )
}

/// The lesson, or what it was about where somebody wrote down no lesson, in a line.
fn said(memory: &Memory) -> String {
    let text = if memory.lesson.trim().is_empty() { &memory.context } else { &memory.lesson };
    escape_control_line(&one_line(text, 100))
}

fn show(args: &ShowArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let records = memories.records(ui);
    let memory = records.find(&args.id)?;
    let place = records.places.get(&memory.id);
    let mut text = format!(
        "{}\n{} in {} by {}",
        escape_control_line(&memory.id),
        memory.event_type,
        escape_control_line(&memory.repo),
        escape_control_line(if memory.agent_id.is_empty() {
            "nobody named"
        } else {
            &memory.agent_id
        }),
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
    if let Some(Place { path, line, .. }) = place {
        text.push_str(&format!("{}:{line}", escape_control_line(path)));
    }
    ui.done(&MemoryWire::of(memory, place), text)
}

fn edit(args: &EditArgs, memories: &Memories, ui: &mut Ui) -> Result<Outcome> {
    let correction = Correction {
        event_type: args.event_type,
        context: args.context.clone(),
        command: args.command.clone(),
        lesson: args.lesson.clone(),
        success_rate: args.success_rate,
        tags: args.tags.clone(),
    };
    let remembered = memories.correct(&args.id, correction, args.agent.as_deref(), ui)?;
    remember::say(&remembered, ui)?;
    Ok(Outcome::Done)
}
