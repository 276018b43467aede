//! `elophanto agent recall`

use jiff::Timestamp;
use serde::Serialize;

use super::{
    super::{
        Outcome,
        error::CliError,
        ui::{Ui, printed_json, visible},
        workspace::Workspace,
    },
    memories::Memories,
};
use crate::{
    embed::builtin::count_tokens,
    memory::{EventType, Question, Recalled, Shown, compact, repo_name},
};

/// Faults of files that are told one by one.
const MOST_FAULTS: usize = 5;

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
    /// Whether its texts are cut, for there is no room for all of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

pub fn run(args: &RecallArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = Workspace::open(Vec::new(), ui)?;
    let memories = Memories::open(&workspace);
    let repo = args.repo.as_ref().map(|repo| repo_name(None, repo));
    let question = Question {
        text: args.query.as_deref().unwrap_or_default(),
        repo: repo.as_deref(),
        own: &memories.own,
        event_type: args.event_type,
        archived: args.archived,
        limit: args.limit,
        now: Timestamp::now(),
    };
    let (found, faults) = memories.recall_with_faults(&question)?;
    for reason in workspace.models.reasons() {
        ui.note(reason);
    }
    for fault in faults.iter().take(MOST_FAULTS) {
        ui.warn(fault);
    }
    if faults.len() > MOST_FAULTS {
        ui.warn(format_args!("{} more faults like that", faults.len() - MOST_FAULTS));
    }
    if found.is_empty() {
        ui.talk("nothing is remembered about that");
        return Ok(Outcome::Negative);
    }
    let mut shown = 0;
    if ui.json {
        let mut left = args.max_tokens;
        for recalled in &found {
            let whole = wire(recalled, &memories);
            let mut cost = count_tokens(&printed_json(&whole)?);
            let mut wire = whole;
            // The best one is worth a part of it, as in the other form.
            for characters in [2_000, 1_000, 500, 200, 80].into_iter().filter(|_| shown == 0) {
                if cost <= left {
                    break;
                }
                wire = shortened(wire, characters);
                cost = count_tokens(&printed_json(&wire)?);
            }
            if cost > left {
                continue;
            }
            left -= cost;
            shown += 1;
            ui.json(&wire)?;
        }
    } else {
        let count = |text: &str| count_tokens(&visible(text));
        let fitting = compact(&self::shown(&found, &memories.own), args.max_tokens, &count);
        shown = fitting.shown;
        if shown > 0 {
            ui.line(visible(fitting.text.trim_end()))?;
        }
    }
    if shown == 0 {
        ui.note(format_args!("no lesson fits into {} tokens", args.max_tokens));
    }
    Ok(Outcome::Done)
}

/// With so many characters of each text at most.
fn shortened(wire: RecalledWire, characters: usize) -> RecalledWire {
    let cut = |text: &str| match text.char_indices().nth(characters) {
        Some((end, _)) => end,
        None => text.len(),
    };
    let [lesson, context, command] =
        [wire.lesson, wire.context, wire.command].map(|text| text.get(..cut(text)).unwrap_or(text));
    let whole = wire.lesson.len() + wire.context.len() + wire.command.len();
    let truncated = wire.truncated || lesson.len() + context.len() + command.len() < whole;
    RecalledWire { lesson, context, command, truncated, ..wire }
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
        truncated: false,
    }
}
