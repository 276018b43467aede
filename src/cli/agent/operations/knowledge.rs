//! The tools `learn`, `questions`, `entity` and `status`: the use cases of the commands of these names.

use super::{super::super::error::CliError, OperationContext, found};
use crate::{
    server::Reply,
    wire::{EntityArguments, LearnArguments, QuestionsArguments, StatusArguments},
};
use elophanto_app::{
    entities::{Told, told},
    learn::{Given, LearnRequest, Material, learn as run},
    learning::{Learning, now},
    questions::{known, waiting},
    status,
};
use elophanto_base::counted::{agreeing, counted};

/// The tool `learn`.
///
/// # Errors
/// Those of learning.
pub fn learn(given: LearnArguments, on: &OperationContext) -> Result<Reply, CliError> {
    let material = given.text.map(|text| -> Given {
        Box::new(|| Ok(Material::Bytes { bytes: text.into_bytes(), name: None }))
    });
    let request = LearnRequest { topic: given.topic, material, ..LearnRequest::default() };
    let learnt = run(&on.workspace()?, request, &mut |_| Ok(()), &on.reporter())?;
    let gained = learnt.gained();
    let mut text = match gained.prompt {
        Some(_) => format!("{} learnt", counted(gained.facts, "fact")),
        None => "Nothing was learnt.".to_owned(),
    };
    if gained.queued > 0 {
        let (searches, wait) =
            (counted(gained.queued, "search"), agreeing(gained.queued, "waits", "wait"));
        text.push_str(&format!(", {searches} {wait} for `elophanto enrich`"));
    }
    for found in gained.entities.unwrap_or_default() {
        text.push_str(&format!("\n- {} ({})", found.name, counted(found.facts, "fact")));
    }
    found::<LearnArguments>(text, &gained)
}

/// The tool `questions`.
///
/// # Errors
/// When the journal cannot be read.
pub fn questions(given: QuestionsArguments, on: &OperationContext) -> Result<Reply, CliError> {
    let known = known(&on.workspace()?)?;
    let waiting = waiting(&known, given.status.as_deref(), given.limit);
    let mut text = String::new();
    for asked in &waiting.questions {
        text.push_str(&format!("- {}  ({}, {})\n", asked.question, asked.id, asked.state.as_str()));
    }
    if text.is_empty() {
        text.push_str("No question is open.");
    }
    found::<QuestionsArguments>(text, &waiting)
}

/// The tool `entity`.
///
/// # Errors
/// When what is known cannot be read.
pub fn entity(given: EntityArguments, on: &OperationContext) -> Result<Reply, CliError> {
    let workspace = on.workspace()?;
    let learning = Learning::look(&workspace);
    let (store, snapshot) = (learning.store(), learning.store().read(now()));
    let told = told(&store, &snapshot, given.name.as_deref(), given.limit);
    let mut text = String::new();
    for entity in &told.entities {
        let known = match entity {
            Told::Listed(it) => {
                text.push_str(&format!("- {} ({})\n", it.name, counted(it.facts, "fact")));
                continue;
            }
            Told::Known(known) => known,
        };
        text.push_str(&format!("{} ({})\n", known.name, known.path));
        for fact in &known.facts {
            let source = fact.source.filter(|it| !it.is_empty()).unwrap_or("no source named");
            let doubt = fact
                .against
                .map_or_else(String::new, |note| format!(" [the user says otherwise: {note}]"));
            text.push_str(&format!("- {}  ({source}){doubt}\n", fact.text));
        }
    }
    if text.is_empty() {
        text = match &given.name {
            Some(name) => format!("Nothing is known of `{name}`."),
            None => "Nothing is known yet.".to_owned(),
        };
    }
    found::<EntityArguments>(text, &told)
}

/// The tool `status`.
///
/// # Errors
/// When the view cannot be read.
pub fn status(_: StatusArguments, on: &OperationContext) -> Result<Reply, CliError> {
    let it = status::status(&on.workspace()?, env!("CARGO_PKG_VERSION"))?;
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
