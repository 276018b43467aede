//! The tools `search` and `similar`: the use case of the terminal's `search`, answered as the protocol
//! wants it.

use super::{
    OperationContext, in_words, listed,
    notes::{at, by, drifted},
    saying,
};
use crate::{
    mcp::server::{Call, Reply},
    wire::{
        AlikeWire, ConfidenceWire, FoundWire, PassageWire, SearchArguments, SimilarArguments, Told,
    },
};
use elophanto_app::{
    Result, Workspace,
    notes::Notes,
    reporter::Heard,
    search::{SearchRequest, search as run},
};
use elophanto_base::visible::visible;
use elophanto_index::search::{Level, run::Like};
use elophanto_models::builtin::count_tokens;

/// Tokens of what stands beside the hits and the words about all of them: keys, how sure it is, what
/// says that the text is quoted.
const BESIDE: usize = 64;

/// The tool `search`.
///
/// # Errors
/// Those of searching.
pub fn search(given: SearchArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let mode = given.mode.map(|mode| mode.0.to_string());
    let workspace =
        open(on, &[("search.limit", Some(given.limit.to_string())), ("search.mode", mode)])?;
    let request = SearchRequest {
        text: given.query,
        kinds: given.kind.into_iter().flatten().map(|kind| kind.0).collect(),
        scopes: given.scope.map(|scope| scope.0).into_iter().collect(),
        tags: given.tag.into_iter().collect(),
        paths: given.path.into_iter().collect(),
        since: given.since,
        at: given.at,
        within: on.base.within.clone(),
        ..traced()
    };
    found(on, &workspace, &request, call)
}

/// The tool `similar`.
///
/// # Errors
/// Those of searching.
pub fn similar(given: SimilarArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let workspace = open(on, &[("search.limit", Some(given.limit.to_string()))])?;
    let (path, lines) = Notes::open(&workspace)?.meant(&at(&given.path)?);
    let like = Some(Like { path, line: given.line.or(lines.map(|(first, _)| first)) });
    found(on, &workspace, &SearchRequest { like, ..traced() }, call)
}

fn open(on: &OperationContext, settings: &[(&str, Option<String>)]) -> Result<Workspace> {
    let set = |(key, value): &(&str, Option<String>)| Some(((*key).to_owned(), value.clone()?));
    on.base.open(settings.iter().filter_map(set).collect())
}

fn traced() -> SearchRequest {
    SearchRequest { blame: true, awaited: true, ..SearchRequest::default() }
}

/// Hits within the budget of the call.
fn found(
    on: &OperationContext,
    workspace: &Workspace,
    request: &SearchRequest,
    call: &Call,
) -> Result<Reply> {
    let heard = Heard::default();
    let found = match request.within {
        // Whoever runs the server sees no word of a store that does not answer.
        Some(_) => run(workspace, request, &heard)?,
        None => run(workspace, request, &on.reporter(call))?,
    };
    let drifted = found.drifted(workspace);
    let answer = &found.answer;
    let told = Told { found: &found, drifted: &drifted, explain: false };
    let excluded: Vec<&str> = answer.query.excluded.iter().map(|it| it.typed.as_str()).collect();
    let mut text = String::new();
    if answer.hits.is_empty() {
        text = format!("Nothing was found.\n{}", left_out(&excluded)).trim_end().to_owned();
    } else {
        // What is true of all hits stands once.
        if answer.confidence.is_some_and(|found| found.level == Level::Nothing) {
            text.push_str("Probably nothing here answers this. The nearest:\n\n");
        }
        text.push_str(&left_out(&excluded));
        if let Some(commit) = found.at {
            text.push_str(&format!("As of {}:\n\n", commit.short()));
        }
    }
    let said = heard.all();
    let beside = BESIDE + count_tokens(&in_words(&said)) + count_tokens(&text);
    let room = call.max_tokens().saturating_sub(beside);
    let texts = told.within(room, |wire| cost(&PassageWire::from(wire)));
    let wires = told.passages(&texts);
    let hits: Vec<PassageWire> = wires.iter().map(PassageWire::from).collect();
    let items = hits.iter().map(line).collect();
    let reply = match (request.like.is_some(), hits.is_empty()) {
        (true, _) => listed::<SimilarArguments>(text, items, &AlikeWire { hits }),
        (false, true) => {
            let nothing = FoundWire { hits, confidence: None, excluded: &[] };
            listed::<SearchArguments>(text, items, &nothing)
        }
        (false, false) => {
            let confidence = answer.confidence.map(ConfidenceWire::from);
            let answer = FoundWire { hits, confidence, excluded: &excluded };
            listed::<SearchArguments>(text, items, &answer)
        }
    };
    Ok(saying(&said, reply?))
}

/// What a hit costs as data or as text, whichever is more, as it is shown.
fn cost(hit: &PassageWire) -> usize {
    let json = serde_json::to_string(hit).unwrap_or_default();
    count_tokens(&visible(&json)).max(count_tokens(&visible(&line(hit)))) + 1
}

/// How to look for words that were left out instead.
fn left_out(typed: &[&str]) -> String {
    if typed.is_empty() {
        return String::new();
    }
    let typed = typed.join(", ");
    format!("A word with a dash is left out: {typed}. In double quotes it is looked for.\n\n")
}

/// A hit for people.
fn line(hit: &PassageWire) -> String {
    let heading = hit.breadcrumb.last().map_or(hit.title, String::as_str);
    let by = by(&hit.origin);
    let doubt =
        hit.against.map_or_else(String::new, |note| format!(" [the user says otherwise: {note}]"));
    let text = hit.text.replace('\n', "\n  ");
    let others: String = hit
        .otherwise
        .iter()
        .map(|other| {
            let from: Vec<&str> = other.date.as_deref().into_iter().chain(other.source).collect();
            format!("  [otherwise: {} ({})]\n", other.text, from.join(", "))
        })
        .collect();
    let drifted = hit.drifted.map_or_else(String::new, drifted);
    format!("{}:{}  {drifted}{heading}  ({by}){doubt}\n  {text}\n{others}\n", hit.path, hit.line)
}
