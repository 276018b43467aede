//! The tools `learn`, `questions` and `entity`: the use cases of the commands of these names.

use serde_json::{Value, json};

use super::{super::super::error::CliError, Arguments, value};
use crate::server::Reply;
use elophanto_app::{
    entities,
    learn::{Given, LearnRequest, Material, learn as run},
    learning::{Learning, now},
    questions::{self, Listed, known},
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::scan::{Question, QuestionState};

/// Items of a list, if the call does not say.
const MOST: usize = 20;

/// The tool `learn`.
///
/// # Errors
/// Those of learning.
pub fn learn(arguments: &Arguments) -> Result<Reply, CliError> {
    let text = arguments.text("text").map(|text| text.as_bytes().to_vec());
    let request = LearnRequest {
        topic: arguments.given("topic").to_owned(),
        material: text
            .map(|bytes| -> Given { Box::new(|| Ok(Material::Bytes { bytes, name: None })) }),
        ..LearnRequest::default()
    };
    let workspace = arguments.workspace()?;
    let learnt = run(&workspace, request, &mut |_| Ok(()), &arguments.reporter())?;
    let Some(prompt) = learnt.prompt else {
        let text = "Nothing was learnt.".to_owned();
        return Ok(Reply::Found { text, structured: json!({"queued": 0, "facts": 0}) });
    };
    let queued = prompt.searches.iter().filter(|search| search.queued).count();
    let facts = prompt.entities.iter().map(|found| found.facts).sum::<usize>();
    let mut text = format!("{} learnt", counted(facts, "fact"));
    if queued > 0 {
        let (searches, wait) = (counted(queued, "search"), agreeing(queued, "waits", "wait"));
        text.push_str(&format!(", {searches} {wait} for `elophanto enrich`"));
    }
    for found in &prompt.entities {
        text.push_str(&format!("\n- {} ({})", found.name, counted(found.facts, "fact")));
    }
    let structured = json!({
        "prompt": prompt.id,
        "queued": queued,
        "facts": facts,
        "entities": prompt.entities,
    });
    Ok(Reply::Found { text, structured })
}

/// The tool `questions`.
///
/// # Errors
/// When the journal cannot be read.
pub fn questions(arguments: &Arguments) -> Result<Reply, CliError> {
    let known = known(&arguments.workspace()?)?;
    let wanted = arguments.text("status").map(str::to_lowercase).filter(|status| status != "open");
    let limit = arguments.whole("limit").unwrap_or(MOST);
    let waiting = questions::list(&known, None);
    let is_wanted = |question: &&&Question| {
        wanted.as_ref().is_none_or(|wanted| question.state.as_str() == wanted)
    };
    let all: Vec<&Question> = waiting.iter().filter(is_wanted).copied().collect();
    let asked = |question: &&Question| {
        let state: QuestionState = question.state;
        format!("- {}  ({}, {})\n", question.question, question.id, state.as_str())
    };
    let text = match all.is_empty() {
        true => "No question is open.".to_owned(),
        false => all.iter().take(limit).map(asked).collect(),
    };
    let shown: Vec<Listed> = all.iter().take(limit).map(|it| Listed::from(*it)).collect();
    let more = all.len() - shown.len();
    Ok(Reply::Found { text, structured: json!({ "questions": value(&shown)?, "more": more }) })
}

/// The tool `entity`.
///
/// # Errors
/// When what is known cannot be read.
pub fn entity(arguments: &Arguments) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
    let learning = Learning::look(&workspace);
    let (store, snapshot) = (learning.store(), learning.store().read(now()));
    let found = |text: String, entities: Vec<Value>, more: usize| Reply::Found {
        text,
        structured: json!({ "entities": entities, "more": more }),
    };
    let Some(name) = arguments.text("name") else {
        let limit = arguments.whole("limit").unwrap_or(MOST);
        let all = entities::list(&store, &snapshot);
        let shown = &all[..limit.min(all.len())];
        let text = match all.is_empty() {
            true => "Nothing is known yet.".to_owned(),
            false => {
                let facts = |count| counted(count, "fact");
                shown.iter().map(|it| format!("- {} ({})\n", it.name, facts(it.facts))).collect()
            }
        };
        let values = shown.iter().map(value);
        return Ok(found(text, values.collect::<Result<_, _>>()?, all.len() - shown.len()));
    };
    let Some(entity) = entities::find(&snapshot, name) else {
        return Ok(found(format!("Nothing is known of `{name}`."), Vec::new(), 0));
    };
    let known = entities::of(&store, entity);
    let mut text = format!("{} ({})\n", known.name, known.path);
    for fact in &known.facts {
        let source = fact.source.filter(|source| !source.is_empty()).unwrap_or("no source named");
        let doubt = fact
            .against
            .map_or_else(String::new, |note| format!(" [the user says otherwise: {note}]"));
        text.push_str(&format!("- {}  ({source}){doubt}\n", fact.text));
    }
    let values = vec![value(&known)?];
    Ok(found(text, values, 0))
}
