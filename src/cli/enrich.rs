//! `elophanto enrich`

use std::{collections::BTreeSet, time::Duration};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{self, Workspace},
};
use elophanto_app::config::parse_duration;
use elophanto_app::learn::extract;
use elophanto_app::learning::{Learning, now};
use elophanto_knowledge::{
    enrich::Mode,
    learn::{
        deepen::{Deepened, candidates, deepen},
        log::Log,
        run::{Made, make_queued, turn},
    },
};

/// Find out more about what you care about
///
/// Works off what waits first: searches that were queued, and what was found and not read yet. Then
/// searches for what is worth it most: what you care about, know little of, and have not looked at
/// for long. It only adds facts to what is known, never a new entity.
#[derive(clap::Args, Debug)]
pub struct EnrichArgs {
    /// One round (the default)
    #[arg(long, conflicts_with = "every")]
    once: bool,
    /// Go on at intervals, such as 10m; without a value every `enrich.every`
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "")]
    every: Option<String>,
    /// What one round may spend on a language model, such as 0.50usd,20000tok,30calls
    #[arg(long, value_name = "LIMITS")]
    budget: Option<String>,
    /// Send what is read to the model of the settings, and remember that this may be done
    #[arg(long, short)]
    yes: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A round, as `--json` prints it.
#[derive(Serialize, Default)]
struct RoundWire {
    /// Queued searches that were made.
    queued: usize,
    /// What was enriched.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    searches: usize,
    processed: usize,
}

pub fn run(args: &EnrichArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = args.budget.iter().map(|text| ("llm.budget.run".to_owned(), text.clone()));
    let workspace = workspace::open(flags.collect(), ui)?;
    let interval = match args.every.as_deref() {
        None => None,
        Some("") => Some(workspace.config.enrich.every),
        Some(text) => Some(parse_duration(text).map_err(|cause| {
            CliError::new(cause)
                .hint("give a number with ms, s, m, h, d or w, such as `--every 10m`")
        })?),
    };
    let Some(interval) = interval else { return once(&workspace, args, ui) };
    loop {
        // What goes wrong now may go right the next time.
        if let Err(cause) = once(&workspace, args, ui) {
            if cause.broken_pipe {
                return Err(cause);
            }
            ui.warn(cause.message());
        }
        ui.flush()?;
        std::thread::sleep(interval.max(Duration::from_millis(100)));
    }
}

fn once(workspace: &Workspace, args: &EnrichArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let learning = Learning::open(workspace)?;
    let telling = learning.telling(ui)?;
    // Another round may be under way, or a `learn`: what it makes is not made again.
    let _turn = turn(&learning.desk)?;
    let mut wire = RoundWire::default();
    let notes = learning.notes()?;
    let ask = |query: &str| learning.ask_notes(&notes, query);
    // What is queued, or worth a search, needs somewhere to look; what was found does not.
    let log = Log::read(&learning.desk.journal, now());
    if !log.queued().is_empty() {
        let sources = learning.sources(&ask, ui)?;
        let made = make_queued(&learning.desk, &sources, &now)?;
        wire.queued = made.iter().filter(|made| !made.search.queued).count();
        warn_of(&made, ui);
    }
    wire.processed = extract(&learning, &telling, None, args.yes, ui)?;
    if wire.processed == 0 {
        // Only when nothing waits: what the user asked for comes first.
        let shelf = learning.shelves().read(now());
        let log = Log::read(&learning.desk.journal, now());
        let interests = learning.interests();
        let scores = interests.scores(&learning.user, &shelf, &learning.meaning(), now());
        let found = candidates(&shelf, &log, &interests, &scores, &learning.user);
        let most = u32::try_from(workspace.config.enrich.searches_per_hour).unwrap_or(u32::MAX);
        if !found.is_empty() {
            let sources = learning.sources(&ask, ui)?;
            let done =
                deepen(&learning.desk, &shelf, &found, &sources, most, &learning.user, &now)?;
            match done {
                Deepened::Searched { name, mode, made } => {
                    warn_of(&made, ui);
                    wire.searches = made.len();
                    wire.entity = Some(name);
                    wire.mode = Some(word(mode));
                    wire.processed = extract(&learning, &telling, None, args.yes, ui)?;
                }
                Deepened::Nothing => {}
                Deepened::Later(wait) => ui.note(wait),
            }
        }
    }
    // What waited for the end of a pause or of quiet hours.
    learning.tell(&[], &telling, ui)?;
    let about = match (&wire.entity, wire.mode) {
        (Some(name), Some(mode)) => {
            format!(
                ", {} about {} ({mode})",
                count(wire.searches, "search", "searches"),
                visible_line(name)
            )
        }
        _ => String::new(),
    };
    let text = format!(
        "{} made{about}, {} read",
        count(wire.queued, "queued search", "queued searches"),
        count(wire.processed, "response", "responses")
    );
    let is_idle = wire.queued + wire.searches + wire.processed == 0;
    ui.emit(&wire, if is_idle { "nothing to do".to_owned() } else { text })?;
    Ok(if is_idle { Outcome::Negative } else { Outcome::Done })
}

/// Says which sources failed and why, each once.
fn warn_of(made: &[Made], ui: &Ui) {
    let failed = made.iter().flat_map(|made| &made.failed);
    let said: BTreeSet<String> =
        failed.map(|(source, cause)| format!("{source}: {cause}")).collect();
    for text in said {
        ui.warn(visible_line(&text));
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Broad => "broad",
        Mode::Gaps => "gaps",
        Mode::News { .. } => "news",
    }
}
