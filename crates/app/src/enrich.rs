//! Finding out more about what the user cares about, a round at a time.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Result,
    learn::extract,
    learning::{Learning, now},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::learn::{
    deepen::{Deepened, candidates, deepen},
    log::Log,
    run::{Made, make_queued, turn},
};

/// What a round came to, as programs get it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Round {
    /// Queued searches that were made.
    pub queued: usize,
    /// The name of the entity that was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// `broad`, `gaps` or `news`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    /// Searches that were made about the entity.
    pub searches: usize,
    /// Searches and messages that were read.
    pub processed: usize,
}

/// Works off what waits; if nothing does, searches for what is worth it most. `yes` agrees to what
/// is sent to a model elsewhere.
///
/// # Errors
/// When a setting is unusable, no source is set up, or something cannot be written down.
pub fn enrich(workspace: &Workspace, yes: bool, reporter: &dyn Reporter) -> Result<Round> {
    let learning = Learning::open(workspace)?;
    let telling = learning.telling(reporter)?;
    // Another round may be under way, or a `learn`: what it makes is not made again.
    let _turn = turn(&learning.record_store)?;
    let mut round = Round::default();
    let notes = learning.notes()?;
    let ask = |query: &str| learning.ask_notes(&notes, query);
    // What is queued, or worth a search, needs somewhere to look; what was found does not.
    let log = Log::read(&learning.record_store, now());
    if !log.queued().is_empty() {
        let sources = learning.sources(&ask, reporter)?;
        let made = make_queued(&learning.record_store, &sources, &now)?;
        round.queued = made.iter().filter(|made| !made.search.queued).count();
        warn_of(&made, reporter);
    }
    round.processed = extract(&learning, &telling, None, yes, reporter)?;
    if round.processed == 0 {
        // Only when nothing waits: what the user asked for comes first.
        let snapshot = learning.store().read(now());
        let log = Log::read(&learning.record_store, now());
        let interests = learning.interests();
        let scores = interests.scores(&learning.user, &snapshot, &learning.meaning(), now());
        let found = candidates(&snapshot, &log, &interests, &scores, &learning.user);
        let most = u32::try_from(workspace.config.enrich.searches_per_hour).unwrap_or(u32::MAX);
        if !found.is_empty() {
            let sources = learning.sources(&ask, reporter)?;
            let done = deepen(
                &learning.record_store, &snapshot, &found, &sources, most, &learning.user, &now,
            )?;
            match done {
                Deepened::Searched { name, mode, made } => {
                    warn_of(&made, reporter);
                    round.searches = made.len();
                    round.entity = Some(name);
                    round.mode = Some(mode.word());
                    round.processed = extract(&learning, &telling, None, yes, reporter)?;
                }
                Deepened::Nothing => {}
                Deepened::Later(wait) => reporter.note(wait),
            }
        }
    }
    // What waited for the end of a pause or of quiet hours.
    learning.tell(&[], &telling, reporter)?;
    Ok(round)
}

/// Says which sources failed and why, each once.
fn warn_of(made: &[Made], reporter: &dyn Reporter) {
    let failed = made.iter().flat_map(|made| &made.failed);
    let said: BTreeSet<String> =
        failed.map(|(source, cause)| format!("{source}: {cause}")).collect();
    for text in said {
        reporter.warn(escape_control_line(&text));
    }
}
