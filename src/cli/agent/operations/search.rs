//! The tools `search` and `similar`: the use case of the terminal's `search`, answered as the protocol
//! wants it.

use serde::Serialize;
use serde_json::json;

use super::{
    super::super::{
        error::CliError,
        search::{
            args::{kind, place},
            output::{Format, Shape, texts},
            wire::{ConfidenceWire, DriftWire, HitWire, wire},
        },
        ui::Ui,
        workspace::Workspace,
    },
    Arguments,
    notes::by,
    value,
};
use crate::server::{Call, Reply};
use elophanto_app::{
    notes::Origin,
    search::{Found, SearchRequest, search as run},
};
use elophanto_index::search::{Level, Listing};

/// A hit as the server answers it.
#[derive(Serialize)]
struct HitReply<'a> {
    path: &'a str,
    line: usize,
    kind: &'static str,
    title: &'a str,
    breadcrumb: &'a [String],
    scope: &'a str,
    text: &'a str,
    score: f32,
    /// Who wrote its best lines.
    origin: Origin,
    /// Only for a fact: the note of the user that says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drifted: Option<&'a DriftWire<'a>>,
    /// The commit that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a str>,
}

/// All hits.
#[derive(Serialize)]
struct FoundReply<'a> {
    hits: Vec<HitReply<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'a ConfidenceWire>,
    /// What the question excluded, as typed.
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    excluded: &'a [&'a str],
}

/// The tool `search`.
///
/// # Errors
/// Those of searching.
pub fn search(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let limit = arguments.whole("limit").map(|limit| limit.to_string());
    let mode = arguments.text("mode").map(str::to_owned);
    let workspace = open(arguments, &[("search.limit", limit), ("search.mode", mode)])?;
    let several = |name: &str| arguments.text(name).map(str::to_owned).into_iter().collect();
    let kinds = arguments.texts("kind").unwrap_or_default();
    let scope = arguments.text("scope").map(str::parse).transpose();
    let request = SearchRequest {
        text: arguments.given("query").to_owned(),
        kinds: kinds
            .iter()
            .map(|name| kind(name))
            .collect::<Result<_, _>>()
            .map_err(CliError::new)?,
        scopes: scope.map_err(CliError::new)?.into_iter().collect(),
        tags: several("tag"),
        paths: several("path"),
        since: arguments.text("since").map(str::to_owned),
        at: arguments.text("at").map(str::to_owned),
        ..traced()
    };
    found(arguments, &workspace, &request, call)
}

/// The tool `similar`.
///
/// # Errors
/// Those of searching.
pub fn similar(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let limit = arguments.whole("limit").map(|limit| limit.to_string());
    let workspace = open(arguments, &[("search.limit", limit)])?;
    let path = arguments.given("path");
    let typed = match arguments.whole("line") {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    };
    let like = Some(place(&typed, &workspace));
    found(arguments, &workspace, &SearchRequest { like, ..traced() }, call)
}

fn open(arguments: &Arguments, settings: &[(&str, Option<String>)]) -> Result<Workspace, CliError> {
    let set = |(key, value): &(&str, Option<String>)| Some(((*key).to_owned(), value.clone()?));
    arguments.context.base.open(settings.iter().filter_map(set).collect())
}

fn traced() -> SearchRequest {
    SearchRequest { blame: true, ..SearchRequest::default() }
}

/// Hits within the budget of the call. Where no sentence of them fits, their beginnings: the server
/// cuts those, and what was found is never taken for nothing.
fn found(
    arguments: &Arguments,
    workspace: &Workspace,
    request: &SearchRequest,
    call: &Call,
) -> Result<Reply, CliError> {
    let found = run(workspace, request, &arguments.reporter())?;
    let drifted = found.drifted(workspace);
    let Found { answer, .. } = &found;
    let mut shape = Shape {
        format: Format::Json,
        listing: Listing::Passages,
        null: false,
        full: false,
        explain: false,
        max_tokens: Some(call.max_tokens()),
        here: std::path::PathBuf::new(),
        drifted: &drifted,
        root: &workspace.repository.root,
        found: &found,
    };
    let nobody = Ui::silent();
    let mut of_hits = texts(&shape, &nobody);
    if of_hits.iter().all(Option::is_none) {
        shape.max_tokens = None;
        of_hits = texts(&shape, &nobody);
    }
    let wires: Vec<HitWire> = answer
        .hits
        .iter()
        .zip(&of_hits)
        .filter(|(_, text)| shape.max_tokens.is_none() || text.is_some())
        .map(|(hit, text)| wire(hit, text.as_deref(), &shape))
        .collect();
    let excluded: Vec<&str> = answer.query.excluded.iter().map(|it| it.typed.as_str()).collect();
    let confidence = answer.confidence.map(ConfidenceWire::from);
    let hits: Vec<HitReply> = wires.iter().map(reply).collect();
    if hits.is_empty() {
        let text = format!("Nothing was found.\n{}", left_out(&excluded)).trim_end().to_owned();
        return Ok(Reply::Found { text, structured: json!({ "hits": [] }) });
    }
    // What is true of all hits stands once.
    let mut text = String::new();
    if answer.confidence.is_some_and(|found| found.level == Level::Nothing) {
        text.push_str("Probably nothing here answers this. The nearest:\n\n");
    }
    text.push_str(&left_out(&excluded));
    text.extend(hits.iter().map(line));
    let reply = FoundReply { hits, confidence: confidence.as_ref(), excluded: &excluded };
    Ok(Reply::Found { text, structured: value(&reply)? })
}

fn reply<'a>(wire: &'a HitWire<'a>) -> HitReply<'a> {
    let blame = wire.blame.as_ref();
    HitReply {
        path: &wire.path,
        line: wire.line,
        kind: wire.kind,
        title: wire.title,
        breadcrumb: wire.breadcrumb,
        scope: wire.scope,
        text: wire.text.unwrap_or(wire.snippet).trim(),
        score: wire.score,
        origin: Origin {
            author: blame.and_then(|blame| blame.author.clone()),
            commit: blame.and_then(|blame| blame.commit.clone()),
            date: blame.and_then(|blame| blame.date.clone()),
            state: wire.state.unwrap_or("committed"),
        },
        against: wire.against,
        drifted: wire.drifted.as_ref(),
        at: wire.at.as_deref(),
    }
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
fn line(hit: &HitReply) -> String {
    let heading = hit.breadcrumb.last().map_or(hit.title, String::as_str);
    let by = by(&hit.origin);
    let doubt =
        hit.against.map_or_else(String::new, |note| format!(" [the user says otherwise: {note}]"));
    let text = hit.text.replace('\n', "\n  ");
    format!("{}:{}  {heading}  ({by}){doubt}\n  {text}\n\n", hit.path, hit.line)
}
