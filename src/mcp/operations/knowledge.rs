//! The tools `learn`, `questions`, `entity` and `status`: the use cases of the commands of these names.

use super::{OperationContext, found, listed};
use crate::{
    mcp::server::{Call, Reply},
    wire::{EntityArguments, LearnArguments, QuestionsArguments, StatusArguments},
};
use elophanto_app::{
    Error, Result,
    entities::{KnownFact, Told, told},
    learn::{FoundEntity, LearnRequest, Material, ReadMaterial, learn as run},
    learning::{Learning, now},
    questions::{Listed, known, waiting},
    status,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::scan::QuestionState;

/// The tool `learn`.
///
/// # Errors
/// Those of learning.
pub fn learn(given: LearnArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let LearnArguments { topic, text, source } = given;
    if source.is_some() && text.is_none() {
        return Err(Error::new("`source` says where `text` is from, and there is none")
            .hint("hand over as `text` what is to be read"));
    }
    let material = text.map(|text| -> ReadMaterial {
        let bytes = text.into_bytes();
        Box::new(|| {
            Ok(match source {
                Some(source) => Material::Sourced { bytes, source },
                None => Material::Bytes { bytes, name: None },
            })
        })
    });
    let request = LearnRequest { topic, material, ..LearnRequest::default() };
    let learnt = run(&on.workspace()?, request, &mut |_| Ok(()), &on.reporter(call))?;
    let gained = learnt.gained();
    let mut text = match gained.prompt {
        Some(_) => format!("{} learnt", counted(gained.facts, "fact")),
        None => "Nothing was learnt.".to_owned(),
    };
    if learnt.is_unknown() && gained.facts == 0 {
        text.push_str(": nothing is to be found about it; `text` hands over what is to be read");
    }
    if gained.queued > 0 {
        let (searches, wait) =
            (counted(gained.queued, "search"), agreeing(gained.queued, "waits", "wait"));
        text.push_str(&format!(", {searches} {wait} for `elophanto enrich`"));
    }
    let line = |found: &FoundEntity| format!("\n- {} ({})", found.name, found.counted());
    let items = gained.entities.iter().copied().flatten().map(line).collect();
    listed::<LearnArguments>(text, items, &gained)
}

/// The tool `questions`.
///
/// # Errors
/// When the journal cannot be read.
pub fn questions(given: QuestionsArguments, on: &OperationContext) -> Result<Reply> {
    let known = known(&on.workspace()?)?;
    let state = given.status.map(|status| status.0);
    let waiting = waiting(&known, state, given.limit);
    let line = |asked: &Listed| {
        format!("- {}  ({}, {})\n", asked.question, asked.id, asked.state.as_str())
    };
    let mut items: Vec<String> = waiting.questions.iter().map(line).collect();
    let text = match state {
        _ if !items.is_empty() => String::new(),
        None | Some(QuestionState::Open) => {
            "No question is open: `elophanto scan` looks for some.".to_owned()
        }
        Some(state) => format!("No question is {}.", state.as_str()),
    };
    tell_more(&mut items, waiting.more);
    listed::<QuestionsArguments>(text, items, &waiting)
}

/// The tool `entity`.
///
/// # Errors
/// When what is known cannot be read.
pub fn entity(given: EntityArguments, on: &OperationContext) -> Result<Reply> {
    let workspace = on.workspace()?;
    let learning = Learning::look(&workspace);
    let (store, snapshot) = (learning.store(), learning.store().read(now()));
    let told = told(&store, &snapshot, given.name.as_deref(), given.limit);
    let (mut text, mut items) = (String::new(), Vec::new());
    for entity in &told.entities {
        let known = match entity {
            Told::Listed(it) => {
                items.push(format!("- {} ({})\n", it.name, counted(it.facts, "fact")));
                continue;
            }
            Told::Known(known) => known,
        };
        text.push_str(&format!("{} ({})\n", known.name, known.path));
        for fact in &known.facts {
            let doubt = fact
                .against
                .map_or_else(String::new, |note| format!(" [the user says otherwise: {note}]"));
            let others = known.facts.iter().filter(|it| fact.otherwise.contains(&it.id));
            let others: String =
                others.map(|it| format!(" [otherwise: {}  ({})]", it.text, origin(it))).collect();
            items.push(format!("- {}  ({}){doubt}{others}\n", fact.text, origin(fact)));
        }
    }
    if told.entities.is_empty() {
        text = match &given.name {
            Some(name) => format!("Nothing is known of `{name}`."),
            None => "Nothing is known yet.".to_owned(),
        };
    }
    tell_more(&mut items, told.more);
    listed::<EntityArguments>(text, items, &told)
}

/// Says behind the last item how many the limit leaves out.
fn tell_more(items: &mut [String], more: usize) {
    if let (Some(last), 1..) = (items.last_mut(), more) {
        last.push_str(&format!("and {more} more: a higher `limit` lists them\n"));
    }
}

/// Where a fact is from and, if others say otherwise, of which day.
fn origin(fact: &KnownFact) -> String {
    let none = if fact.edited { "changed by hand" } else { "no source named" };
    let source = fact.source.filter(|it| !it.is_empty()).unwrap_or(none);
    let also = fact.also.iter().map(|also| also.source);
    let sources: Vec<&str> = std::iter::once(source).chain(also).collect();
    let day = fact.day().filter(|_| !fact.otherwise.is_empty());
    let day = day.map(|day| format!(", {day}")).unwrap_or_default();
    format!("{}{day}", sources.join(", "))
}

/// The tool `status`.
///
/// # Errors
/// When the view cannot be read. That there is no knowledge base is an answer.
pub fn status(_: StatusArguments, on: &OperationContext) -> Result<Reply> {
    let version = env!("CARGO_PKG_VERSION");
    let it = match on.workspace() {
        Err(cause) if cause.is_nowhere => status::nowhere(&cause, version),
        workspace => status::status(&workspace?, version)?,
    };
    if let Some(problem) = &it.problem {
        return found::<StatusArguments>(format!("There is no knowledge base: {problem}."), &it);
    }
    let text = format!(
        "{}: {} in {}, {} of them {} for a vector; {} remembered; model {}; elophanto {}",
        it.repository,
        counted(it.documents, "document"),
        counted(it.chunks, "chunk"),
        it.waiting,
        agreeing(it.waiting, "waits", "wait"),
        counted(it.lessons, "lesson"),
        it.model,
        it.version,
    );
    found::<StatusArguments>(text, &it)
}
