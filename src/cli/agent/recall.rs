//! `elophanto agent recall`

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, visible},
        workspace::Workspace,
    },
    memories::Memories,
};
use crate::{
    embed::builtin::count_tokens,
    memory::{EventType, Question, Recalled, Shown, compact},
};

/// Recall what agents learnt about something, in few tokens
///
/// What this repository learnt comes first. Lessons that say the same are one, with their counts
/// added. Without a query: the best of what was learnt here lately. Exits with 1 if nothing is known.
#[derive(clap::Args, Debug)]
pub struct RecallArgs {
    /// What it is about: the error, or what you are about to do
    #[arg(allow_hyphen_values = false)]
    query: Option<String>,
    /// Only what was learnt in this repository
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Only this kind of lesson: error, success or pattern
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<EventType>,
    /// At most this many lessons
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Never more than this many tokens
    #[arg(long, value_name = "N", default_value_t = 500)]
    max_tokens: usize,
    /// Also what was moved to the archive
    #[arg(long)]
    archived: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A lesson, as `--json` and the MCP server give it.
#[derive(Serialize)]
pub struct RecalledWire<'a> {
    id: &'a str,
    repo: &'a str,
    #[serde(rename = "type")]
    event_type: &'static str,
    lesson: &'a str,
    context: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    command: &'a str,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    tags: &'a [String],
    agent_id: &'a str,
    /// How many records say so.
    count: usize,
    path: String,
    line: usize,
    score: f32,
}

pub fn run(args: &RecallArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = Workspace::open(Vec::new(), ui)?;
    let memories = Memories::open(&workspace);
    let question = Question {
        text: args.query.as_deref().unwrap_or_default(),
        repo: args.repo.as_deref(),
        own: &memories.own,
        event_type: args.event_type,
        archived: args.archived,
        limit: args.limit,
        now: Timestamp::now(),
    };
    let found = memories.recall(&question)?;
    for reason in workspace.models.reasons() {
        ui.note(reason);
    }
    if found.is_empty() {
        ui.talk("nothing is remembered about that");
        return Ok(Outcome::Negative);
    }
    if ui.json {
        let mut left = args.max_tokens;
        for recalled in &found {
            let wire = wire(recalled, &memories);
            let cost = count_tokens(&serde_json::to_string(&wire).map_err(CliError::new)?);
            if cost > left {
                break;
            }
            left -= cost;
            ui.json(&wire)?;
        }
        return Ok(Outcome::Done);
    }
    let shown = shown(&found, &memories.own);
    let text = compact(&shown, args.max_tokens, &|text| count_tokens(text)).text;
    ui.line(visible(text.trim_end()))?;
    Ok(Outcome::Done)
}

/// Lessons as they are printed for people and models.
pub fn shown(found: &[Recalled], own: &str) -> Vec<Shown> {
    let shown = |it: &Recalled| Shown {
        memory: it.memory.clone(),
        rate: it.rate,
        count: it.count,
        repo_shown: it.memory.repo != own,
    };
    found.iter().map(shown).collect()
}

/// A lesson as programs get it.
pub fn wire<'a>(recalled: &'a Recalled, memories: &Memories) -> RecalledWire<'a> {
    let Recalled { memory, rate, count, score, path, line } = recalled;
    RecalledWire {
        id: &memory.id,
        repo: &memory.repo,
        event_type: memory.event_type.as_str(),
        lesson: &memory.lesson,
        context: &memory.context,
        command: &memory.command,
        timestamp: memory.timestamp.to_string(),
        success_rate: rate.map(|rate| rate.to_string()),
        tags: &memory.tags,
        agent_id: &memory.agent_id,
        count: *count,
        path: memories.shown(path.as_path()).to_string_lossy().into_owned(),
        line: *line,
        score: *score,
    }
}
