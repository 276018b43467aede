//! Lessons: `recall` and `remember`.

use jiff::Timestamp;

use super::{OperationContext, found, in_words, saying};
use crate::{
    mcp::server::{Call, Reply},
    wire::{RecallArguments, RememberArguments, RememberedWire},
};
use elophanto_app::{
    Result,
    fleet::{self, Reader},
    memory::{Memories, Nothing},
    reporter::{Heard, Reporter},
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::{Draft, Question};
use elophanto_models::builtin::count_tokens;

pub fn recall(given: RecallArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    if let Some(reader) = &on.base.within {
        return of_fleet(given, reader, on, call);
    }
    let workspace = on.workspace()?;
    let memories = Memories::open(&workspace).keeping(&on.kept);
    let question = Question {
        repo: given.repo.as_deref(),
        event_type: given.event_type.map(|it| it.0),
        archived: given.archived,
        ..memories.question(&given.text, given.limit)
    };
    let lessons = memories.lessons(&question, &on.kept, call.max_tokens())?;
    let text = match lessons.is_none() {
        true => begun(&memories.nothing_recalled(&question)),
        false => lessons.text.clone(),
    };
    found::<RecallArguments>(text, &lessons)
}

/// Lessons of a fleet. What repository it is asked from, nobody knows.
fn of_fleet(
    given: RecallArguments,
    reader: &Reader,
    on: &OperationContext,
    call: &Call,
) -> Result<Reply> {
    let workspace = on.workspace()?;
    let question = Question {
        text: &given.text,
        repo: None,
        own: "",
        event_type: given.event_type.map(|it| it.0),
        archived: false,
        limit: given.limit,
        now: Timestamp::now(),
    };
    let reader = match given.repo {
        Some(repo) => reader.clone().among(vec![repo]),
        None => reader.clone(),
    };
    let heard = Heard::default();
    let recalled = fleet::recall(&workspace, &question, &reader, &heard)?;
    let said = heard.all();
    let lessons = recalled.within(call.max_tokens().saturating_sub(count_tokens(&in_words(&said))));
    let text = match lessons.is_none() {
        true => "Nothing close to that is published there.".to_owned(),
        false => lessons.text.clone(),
    };
    Ok(saying(&said, found::<RecallArguments>(text, &lessons)?))
}

/// As a sentence.
fn begun(nothing: &Nothing) -> String {
    let text = nothing.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|char| char.to_ascii_uppercase());
    let more = if *nothing == Nothing::Archived { ": `archived` tells that, too" } else { "" };
    first.into_iter().chain(chars).chain(more.chars()).chain(['.']).collect()
}

pub fn remember(given: RememberArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let workspace = on.workspace()?;
    let memories = Memories::open(&workspace);
    let agent = call.client().map(str::to_owned);
    let draft = Draft {
        event_type: given.event_type.0,
        context: given.context,
        command: given.command.unwrap_or_default(),
        lesson: given.lesson,
        success_rate: given.success_rate.and_then(|rate| rate.parse().ok()),
        tags: given.tags,
        repo: given.repo.unwrap_or_else(|| memories.own.clone()),
        agent_id: agent.unwrap_or_else(|| workspace.config.memory.agent_id.clone()),
        replaces: None,
    };
    let reporter: &dyn Reporter = &on.reporter(call);
    reporter.still_wanted()?;
    let remembered = match &given.replaces {
        Some(id) => memories.replace(id, draft, reporter)?,
        None => memories.remember(draft, Timestamp::now())?,
    };
    let wire = RememberedWire::of(&remembered, None);
    let mut text = format!("Remembered as {} in {}.", wire.id, wire.path);
    if let Some(old) = &given.replaces {
        text.push_str(&format!(" It takes the place of {old}, which is told no more."));
    }
    if wire.masked > 0 {
        let (secrets, were) =
            (counted(wire.masked, "secret"), agreeing(wire.masked, "was", "were"));
        text.push_str(&format!(" {secrets} in it {were} masked."));
    }
    for told in remembered.contradictions() {
        text.push_str(&format!(" It {told}."));
    }
    found::<RememberArguments>(text, &wire)
}
