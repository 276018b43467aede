//! `elophanto agent remember`

use jiff::Timestamp;

use crate::cli::{CliError, Outcome, Result, Ui, escape_control_line, workspace};
use crate::wire::RememberedWire;
use elophanto_app::memory::{Memories, Remembered};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::{Draft, DraftParts, EventType, MAX_LINE_BYTES, Rate, repo_name};

/// Write down a lesson, for every agent that works here
///
/// One record goes to `.elophanto/memory/REPO/`, on disk before this returns, and into git with the
/// next commit. Secrets are masked. Without --lesson, a record is read from standard input as JSON.
#[derive(clap::Args, Debug)]
pub struct RememberArgs {
    /// What kind of lesson: error, success or pattern
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<EventType>,
    /// What was attempted, or what went wrong
    #[arg(long, value_name = "TEXT", requires = "lesson", allow_hyphen_values = true)]
    context: Option<String>,
    /// What was run
    #[arg(long, value_name = "TEXT", requires = "lesson", allow_hyphen_values = true)]
    command: Option<String>,
    /// What was learnt
    #[arg(long, value_name = "TEXT", requires = "event_type", allow_hyphen_values = true)]
    lesson: Option<String>,
    /// How often it worked, such as 9/10
    #[arg(long, value_name = "X/Y", requires = "lesson")]
    success_rate: Option<Rate>,
    /// Keywords; without them they are taken from the texts
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "lesson")]
    tags: Option<Vec<String>>,
    /// Which repository it is about, if not this one
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Who remembers
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

pub fn run(args: &RememberArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let memories = Memories::open(&workspace);
    let parts = parts(args, ui)?;
    let event_type = args.event_type.or(parts.event_type).ok_or_else(|| {
        CliError::new("what kind of lesson it is is missing")
            .hint("give --type error, success or pattern")
    })?;
    let time = parts.timestamp.unwrap_or_else(Timestamp::now);
    let agent = workspace.config.memory.agent_id.clone();
    let mut draft = parts.into_draft(event_type, memories.own.clone(), agent);
    if let Some(repo) = &args.repo {
        draft.repo = repo_name(None, repo);
    }
    if let Some(agent) = &args.agent {
        draft.agent_id.clone_from(agent);
    }
    draft.event_type = event_type;
    let remembered = memories.remember(draft, time)?;
    say(&remembered, ui)?;
    Ok(Outcome::Done)
}

/// Says what was written down.
pub(super) fn say(remembered: &Remembered, ui: &mut Ui) -> Result<()> {
    let wire = RememberedWire::of(remembered, Some(&remembered.memory.repo));
    if wire.masked > 0 {
        let are = agreeing(wire.masked, "is", "are");
        ui.note(format_args!("{} in it {are} masked", counted(wire.masked, "secret")));
    }
    let text = format!("{} {}", wire.id, escape_control_line(&wire.path));
    ui.emit(&wire, text)?;
    for told in remembered.contradictions() {
        ui.warn(format_args!("it {told}"));
    }
    Ok(())
}

fn parts(args: &RememberArgs, ui: &Ui) -> Result<DraftParts> {
    if let Some(lesson) = &args.lesson {
        return Ok(DraftParts {
            context: args.context.clone().unwrap_or_default(),
            command: args.command.clone().unwrap_or_default(),
            lesson: lesson.clone(),
            success_rate: args.success_rate,
            tags: args.tags.clone(),
            ..DraftParts::default()
        });
    }
    let bytes = ui.input(MAX_LINE_BYTES as u64)?;
    let bytes = bytes.filter(|bytes| !bytes.trim_ascii().is_empty()).ok_or_else(|| {
        CliError::new("there is nothing to remember")
            .hint("give --type and --lesson, or a record as JSON on standard input")
    })?;
    if bytes.len() > MAX_LINE_BYTES {
        return Err(CliError::new(format_args!("the record has more than {MAX_LINE_BYTES} bytes"))
            .hint("a lesson is a sentence or two; write a note for more: elophanto agent note"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new("the record on standard input is no UTF-8"))?;
    Ok(Draft::from_json(&text)?)
}
