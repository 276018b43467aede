//! Starting a server of somebody else to see what it offers.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;

use super::{
    super::super::{env, error::CliError, ui::visible_line},
    kept::Kept,
};
use elophanto_agent::{
    Tool, level_name,
    mcp_client::{Entry, Servers, Started, Surroundings},
};

/// Time for a server to start and say what it offers.
const START: Duration = Duration::from_secs(10);

/// A server, as `--json` prints it.
#[derive(Serialize)]
pub struct ServerWire<'a> {
    pub name: &'a str,
    pub command: &'a [String],
    pub environment: &'a [String],
    pub levels: &'a std::collections::BTreeMap<String, String>,
    /// Whether it is started for a run.
    pub trusted: bool,
    /// Hash of what it offered when it was looked at.
    pub offers: Option<&'a str>,
    /// What it offers; only where it was started to be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<&'a [ToolWire]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub problems: &'a [String],
    /// Whether anything was written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<bool>,
}

#[derive(Serialize)]
pub struct ToolWire {
    pub name: String,
    pub level: &'static str,
    pub description: String,
}

/// What a server offers.
pub struct Looked {
    pub offers: String,
    pub tools: Vec<ToolWire>,
    pub problems: Vec<String>,
}

/// Starts servers as a run does: with the variables they are granted, in the user's home. A
/// repository must not lie where a program looks for its parts.
///
/// # Errors
/// When the system gives no thread.
pub fn start(entries: &[Entry], taken: &BTreeSet<String>) -> Result<Started, CliError> {
    let names = entries.iter().flat_map(|entry| entry.environment.iter().map(String::as_str));
    let environment = env::named(names);
    let home = env::environment().home().unwrap_or_else(|| PathBuf::from("/"));
    let folder: &Path = if home.is_dir() { &home } else { Path::new("/") };
    let surroundings = Surroundings { environment: &environment, folder, taken, patience: START };
    Ok(Servers::start(entries, &surroundings)?)
}

/// Starts one server, asks what it offers, and ends it.
///
/// # Errors
/// When it does not start, or does not say what it offers.
pub fn look(entry: &Entry) -> Result<Looked, CliError> {
    let Started { servers, tools, mut offers, problems } =
        start(std::slice::from_ref(entry), &BTreeSet::new())?;
    let row = |tool: &dyn Tool| {
        let spec = tool.spec();
        let description = spec.description.clone();
        ToolWire { name: spec.name.clone(), level: level_name(spec.level), description }
    };
    let rows = tools.iter().map(|tool| row(tool.as_ref())).collect();
    drop(servers);
    let Some(offers) = offers.remove(&entry.name) else {
        let why = problems.into_iter().next();
        return Err(CliError::new(why.unwrap_or_else(|| "it does not start".to_owned())).hint(
            "try the command by hand; it runs in your home folder, with the variables that \
             `--env` names and no others",
        ));
    };
    Ok(Looked { offers, tools: rows, problems })
}

/// A server in lines of text: its command, what it gets, what it offers.
pub fn lines(name: &str, kept: &Kept, looked: Option<&Looked>) -> Vec<String> {
    let words: Vec<String> = kept.command.iter().map(|word| quoted(word)).collect();
    let environment = match kept.environment.is_empty() {
        true => "no variables".to_owned(),
        false => kept.environment.join(", "),
    };
    let mut lines =
        vec![format!("server {name}: {}", words.join(" ")), format!("gets {environment}")];
    let Some(looked) = looked else { return lines };
    lines.push(format!("offers {} tools:", looked.tools.len()));
    lines.extend(
        looked
            .tools
            .iter()
            .map(|tool| format!("  {} ({}) {}", tool.name, tool.level, tool.description)),
    );
    lines.extend(looked.problems.iter().map(|problem| format!("look at: {problem}")));
    lines.iter().map(|line| visible_line(line)).collect()
}

/// A word as a shell would want it.
pub fn quoted(word: &str) -> String {
    shlex::try_quote(word)
        .map_or_else(|_| word.escape_default().to_string(), |word| word.into_owned())
}
