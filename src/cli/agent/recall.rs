//! `elophanto agent recall`

use serde_json::Value;

use super::memory::care::nothing;
use crate::cli::{Outcome, Result, Ui, visible, workspace};
use crate::wire::printed_json;
use elophanto_app::{
    fleet::{self, Reader},
    keys::Asking,
    memory::{
        Memories,
        reply::{Beside, fitting, shown as as_shown},
    },
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::{EventType, Question, Recalled, Shown, compact, repo_name};
use elophanto_models::builtin::count_tokens;

/// Faults of files that are told one by one.
const MOST_FAULTS: usize = 5;

/// Recall what agents learnt about something, in few tokens
///
/// Of lessons that are as close, what this repository learnt comes first. Lessons that say the same
/// are one, with their counts added; those that contradict each other stand together, the newest
/// first; one that failed more often than it worked is a warning. Without a query: the best of what
/// was learnt here lately. Exits with 1 if nothing close is known, or none of it fits.
#[derive(clap::Args, Debug)]
pub struct RecallArgs {
    /// What it is about: the error, or what you are about to do
    #[arg(allow_hyphen_values = false)]
    query: Vec<String>,
    /// Recall from a fleet of repositories in place of this one, whatever of theirs was published with
    /// `elophanto publish --memory`: s3://BUCKET/FOLDER, gs://, az:// or file:///FOLDER
    #[arg(long = "in", value_name = "URL", requires = "query", conflicts_with = "archived")]
    fleet: Option<String>,
    /// Only what was learnt in this repository; with --in, its name there, or the end of it
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
}

pub fn run(args: &RecallArgs, ui: &mut Ui) -> Result<Outcome> {
    if let Some(address) = &args.fleet {
        return of_fleet(args, address, ui);
    }
    let workspace = workspace::open(Vec::new(), ui)?;
    let memories = Memories::open(&workspace);
    let query = args.query.join(" ");
    let repo = args.repo.as_ref().map(|repo| repo_name(None, repo));
    let question = Question {
        repo: repo.as_deref(),
        event_type: args.event_type,
        archived: args.archived,
        ..memories.question(&query, args.limit)
    };
    let (found, faults) = memories.recall_with_faults(&question)?;
    for reason in workspace.models.reasons() {
        ui.note(reason);
    }
    for fault in faults.iter().take(MOST_FAULTS) {
        ui.warn(fault);
    }
    if faults.len() > MOST_FAULTS {
        let more = counted(faults.len() - MOST_FAULTS, "more fault");
        ui.warn(format_args!("{more} like that"));
    }
    if found.is_empty() {
        return Ok(nothing(&memories.nothing_recalled(&question), ui));
    }
    let told = as_shown(&found, &memories.own);
    let beside = Beside { path: &|path| memories.shown(path), origin: &|_| None };
    print(args, &found, &told, &beside, ui)
}

/// Recalls from a fleet.
fn of_fleet(args: &RecallArgs, address: &str, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open_anywhere(Vec::new(), ui)?;
    let fleet = fleet::open(address, &workspace.environment, Asking::Through(ui), true)?;
    let reader = Reader::new(fleet).among(args.repo.iter().cloned().collect());
    let memories = Memories::open(&workspace);
    let query = args.query.join(" ");
    let question =
        Question { event_type: args.event_type, ..memories.question(&query, args.limit) };
    let recalled = fleet::recall(&workspace, &question, &reader, ui)?;
    if recalled.found.is_empty() {
        return Ok(ui.nothing("nothing close to that is published there"));
    }
    let beside = Beside { path: &|path| path.to_owned(), origin: &|it| recalled.origin(it) };
    print(args, &recalled.found, &recalled.shown(), &beside, ui)
}

/// Prints the lessons for which there is room.
fn print(
    args: &RecallArgs,
    found: &[Recalled],
    told: &[Shown],
    beside: &Beside,
    ui: &mut Ui,
) -> Result<Outcome> {
    let mut shown = 0;
    if ui.json {
        let line = |lesson: &Value| printed_json(lesson).unwrap_or_default();
        let fits = |lessons: &[Value]| {
            lessons.iter().map(|lesson| count_tokens(&line(lesson))).sum::<usize>()
                <= args.max_tokens
        };
        for lesson in fitting(found, beside, &fits) {
            shown += 1;
            ui.json(&lesson)?;
        }
        if let (1.., left @ 1..) = (shown, found.len() - shown) {
            let (lessons, have) = (counted(left, "more lesson"), agreeing(left, "has", "have"));
            let room = counted(args.max_tokens, "token");
            ui.note(format_args!("{lessons} {have} no room in {room}"));
        }
    } else {
        let count = |text: &str| count_tokens(&visible(text));
        let fitting = compact(told, args.max_tokens, &count);
        shown = fitting.shown;
        if shown > 0 {
            ui.line(visible(fitting.text.trim_end()))?;
        }
    }
    if shown == 0 {
        ui.note(format_args!("no lesson fits into {}", counted(args.max_tokens, "token")));
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}
