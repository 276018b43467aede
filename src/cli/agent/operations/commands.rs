//! Tools that run the command of their name, with its data kept instead of printed.

use serde_json::{Value, json};

use super::{
    super::super::{Outcome, error::CliError, run_kept},
    Arguments,
    notes::by,
};
use crate::server::{Call, Reply};
use elophanto_base::lexical::Analyzer;
use elophanto_index::search::{Level, Query};

/// What a command prints as JSON Lines, and whether it found anything.
fn lines(command: &[String], input: Vec<u8>) -> Result<(Vec<Value>, Outcome), CliError> {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (outcome, bytes) = run_kept(&command, input)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok((text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), outcome))
}

/// A command line whose values cannot be taken for options.
#[derive(Clone)]
struct Line(Vec<String>);

impl Line {
    fn new(words: &[&str]) -> Self {
        Self(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| format!("--{name}={}", value.to_string())));
        self
    }

    fn then(mut self, value: &str) -> Vec<String> {
        self.0.extend(["--".to_owned(), value.to_owned()]);
        self.0
    }
}

pub fn search(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let mut line = Line::new(&["search", "--json", "--blame"])
        .option("limit", arguments.whole("limit"))
        .option("scope", arguments.text("scope"))
        .option("tag", arguments.text("tag"))
        .option("path", arguments.text("path"))
        .option("since", arguments.text("since"))
        .option("at", arguments.text("at"))
        .option("mode", arguments.text("mode"));
    for kind in arguments.texts("kind").unwrap_or_default() {
        line = line.option("kind", Some(kind));
    }
    found(line, Some(arguments.given("query")), call)
}

pub fn similar(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let path = arguments.given("path");
    let place = match arguments.whole("line") {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    };
    let line = Line::new(&["search", "--json", "--blame"])
        .option("limit", arguments.whole("limit"))
        .option("like", Some(place));
    found(line, None, call)
}

/// Hits as the server answers them. Where no sentence of them fits, their beginnings: the server
/// cuts those, and what was found is never taken for nothing.
fn found(line: Line, query: Option<&str>, call: &Call) -> Result<Reply, CliError> {
    let ask = |line: Line| {
        let command = match query {
            Some(query) => line.then(query),
            None => line.0,
        };
        lines(&command, Vec::new())
    };
    let mut asked = ask(line.clone().option("max-tokens", Some(call.max_tokens())))?;
    if asked.0.is_empty() && asked.1 == Outcome::Done {
        asked = ask(line)?;
    }
    let (lines, _) = asked;
    let hits: Vec<Value> = lines.iter().map(hit).collect();
    let mut structured = json!({ "hits": hits });
    let Some(first) = lines.first() else {
        let excluded = query.map(exclusions).unwrap_or_default();
        let text = format!("Nothing was found.\n{excluded}").trim_end().to_owned();
        return Ok(Reply::Found { text, structured });
    };
    // What is true of all hits stands on each line.
    let mut text = String::new();
    if let Some(confidence) = first.get("confidence") {
        if confidence["level"] == Level::Nothing.name() {
            text.push_str("Probably nothing here answers this. The nearest:\n\n");
        }
        structured["confidence"] = confidence.clone();
    }
    if let Some(excluded) = first.get("excluded") {
        structured["excluded"] = excluded.clone();
        text.push_str(&left_out(
            excluded.as_array().into_iter().flatten().filter_map(Value::as_str),
        ));
    }
    text.extend(hits.iter().map(hit_text));
    Ok(Reply::Found { text, structured })
}

/// What a question that found nothing seems to exclude.
fn exclusions(query: &str) -> String {
    let query = Query::parse(query, &Analyzer::new("none"));
    left_out(query.excluded.iter().map(|it| it.typed.as_str()))
}

/// How to look for words that were left out instead.
fn left_out<'t>(typed: impl Iterator<Item = &'t str>) -> String {
    let typed: Vec<&str> = typed.collect();
    match typed.is_empty() {
        true => String::new(),
        false => format!(
            "A word with a dash is left out: {}. In double quotes it is looked for.\n\n",
            typed.join(", ")
        ),
    }
}

fn hit(line: &Value) -> Value {
    let text = line["text"].as_str().or(line["snippet"].as_str()).unwrap_or_default().trim();
    let mut hit = json!({
        "path": line["path"],
        "line": line["line"],
        "kind": line["kind"],
        "title": line["title"],
        "breadcrumb": line["breadcrumb"],
        "scope": line["scope"],
        "text": text,
        "score": line["score"],
        "origin": {
            "author": line["blame"]["author"],
            "commit": line["blame"]["commit"],
            "date": line["blame"]["date"],
            "state": line.get("state").cloned().unwrap_or_else(|| json!("committed")),
        },
    });
    for more in ["against", "drifted", "at"] {
        if let Some(value) = line.get(more) {
            hit[more] = value.clone();
        }
    }
    hit
}

fn hit_text(hit: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let crumbs = hit["breadcrumb"].as_array();
    let heading = word(crumbs.and_then(|all| all.last()).unwrap_or(&hit["title"]));
    let by = by(&hit["origin"]);
    let doubt = match hit.get("against").and_then(Value::as_str) {
        Some(note) => format!(" [the user says otherwise: {note}]"),
        None => String::new(),
    };
    let text = word(&hit["text"]).replace('\n', "\n  ");
    let (path, line) = (word(&hit["path"]), &hit["line"]);
    format!("{path}:{line}  {heading}  ({by}){doubt}\n  {text}\n\n")
}

pub fn learn(arguments: &Arguments) -> Result<Reply, CliError> {
    let text = arguments.text("text");
    let line = Line::new(&["learn", "--json"]).option("from", text.map(|_| "-"));
    let input = text.unwrap_or_default().as_bytes().to_vec();
    let (lines, _) = lines(&line.then(arguments.given("topic")), input)?;
    let prompt = lines.iter().rev().find(|line| line.get("searches").is_some_and(Value::is_array));
    let Some(prompt) = prompt else {
        let text = "Nothing was learnt.".to_owned();
        return Ok(Reply::Found { text, structured: json!({"queued": 0, "facts": 0}) });
    };
    let items = |key: &str| prompt[key].as_array().cloned().unwrap_or_default();
    let queued = items("searches").iter().filter(|search| search["queued"] == true).count();
    let facts = items("entities").iter().filter_map(|it| it["facts"].as_u64()).sum::<u64>();
    let mut text = format!("{facts} facts learnt");
    if queued > 0 {
        text.push_str(&format!(", {queued} searches wait for `elophanto enrich`"));
    }
    for it in items("entities") {
        let word = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("\n- {} ({} facts)", word("name"), it["facts"]));
    }
    let structured = json!({
        "prompt": prompt["id"],
        "queued": queued,
        "facts": facts,
        "entities": items("entities"),
    });
    Ok(Reply::Found { text, structured })
}

pub fn questions(arguments: &Arguments) -> Result<Reply, CliError> {
    let (lines, _) = lines(&Line::new(&["scan", "--list", "--json"]).0, Vec::new())?;
    let wanted = arguments.text("status").map(str::to_lowercase).filter(|status| status != "open");
    let limit = arguments.whole("limit").unwrap_or(20);
    let is_wanted = |line: &&Value| {
        wanted.as_ref().is_none_or(|wanted| line["state"].as_str() == Some(wanted.as_str()))
    };
    let all: Vec<&Value> = lines.iter().filter(is_wanted).collect();
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let asked = |line: &&Value| {
        let (id, question, state) = (word(line, "id"), word(line, "question"), word(line, "state"));
        format!("- {question}  ({id}, {state})\n")
    };
    let mut text: String = all.iter().copied().take(limit).map(|line| asked(&line)).collect();
    if all.is_empty() {
        text = "No question is open.".to_owned();
    }
    let more = all.len().saturating_sub(limit);
    let questions: Vec<&Value> = all.into_iter().take(limit).collect();
    Ok(Reply::Found { text, structured: json!({ "questions": questions, "more": more }) })
}

pub fn entity(arguments: &Arguments) -> Result<Reply, CliError> {
    let line = Line::new(&["entity", "--json"]);
    let line = match arguments.text("name") {
        Some(name) => line.then(name),
        None => line.0,
    };
    let (lines, _) = lines(&line, Vec::new())?;
    let limit = arguments.whole("limit").unwrap_or(20);
    let more = lines.len().saturating_sub(limit);
    let mut text = String::new();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for entity in lines.iter().take(limit) {
        match entity["facts"].as_array() {
            None => {
                text.push_str(&format!(
                    "- {} ({} facts)\n",
                    word(&entity["name"]),
                    entity["facts"]
                ));
            }
            Some(facts) => {
                text.push_str(&format!("{} ({})\n", word(&entity["name"]), word(&entity["path"])));
                for fact in facts {
                    let source = word(&fact["source"]);
                    let source = if source.is_empty() { "no source named" } else { &source };
                    let doubt = match fact["against"].as_str() {
                        Some(note) => format!(" [the user says otherwise: {note}]"),
                        None => String::new(),
                    };
                    text.push_str(&format!("- {}  ({source}){doubt}\n", word(&fact["text"])));
                }
            }
        }
    }
    if lines.is_empty() {
        text = match arguments.text("name") {
            Some(name) => format!("Nothing is known of `{name}`."),
            None => "Nothing is known yet.".to_owned(),
        };
    }
    let entities: Vec<&Value> = lines.iter().take(limit).collect();
    Ok(Reply::Found { text, structured: json!({ "entities": entities, "more": more }) })
}
