//! Tools that run the command of their name, with its data kept instead of printed: those whose use
//! case is not in the library yet.

use serde_json::{Value, json};

use super::{
    super::super::{error::CliError, run_kept},
    Arguments,
};
use crate::server::Reply;

/// What a command prints as JSON Lines.
fn lines(command: &[String], input: Vec<u8>) -> Result<Vec<Value>, CliError> {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (_, bytes) = run_kept(&command, input)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// A command line whose values cannot be taken for options.
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

pub fn learn(arguments: &Arguments) -> Result<Reply, CliError> {
    let text = arguments.text("text");
    let line = Line::new(&["learn", "--json"]).option("from", text.map(|_| "-"));
    let input = text.unwrap_or_default().as_bytes().to_vec();
    let lines = lines(&line.then(arguments.given("topic")), input)?;
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
    let lines = lines(&Line::new(&["scan", "--list", "--json"]).0, Vec::new())?;
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
    let lines = lines(&line, Vec::new())?;
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
