//! The YAML of a file of rules.

use super::{Decision, MAX_RULES, Owner, PathRule, Rules, RulesError, matcher};
use elophanto_base::yaml::{self, Budget, Node, Value};

pub(super) fn parse(text: &[u8], owner: Owner) -> Result<Rules, RulesError> {
    let text = std::str::from_utf8(text).map_err(|_| RulesError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = yaml::parse(text, &Budget { max_depth: 8, ..Budget::default() })?;
    let mut rules = Rules::default();
    for (key, node) in mapping(&document, "the file")? {
        match key.as_str() {
            "tools" => {
                for (name, node) in mapping(node, key)? {
                    rules.tools.push((name.clone(), decision(node, name)?));
                }
            }
            "commands" => {
                for entry in sequence(node, key)? {
                    let (run, decision) = rule(entry, "run")?;
                    let words = sequence(run, "run")?;
                    let words: Result<Vec<String>, _> =
                        words.iter().map(|word| scalar(word, "run").map(str::to_owned)).collect();
                    let words = words?;
                    let inner = words.iter().rev().skip(1).any(|word| word == "**");
                    if words.is_empty() || inner || words.first().is_some_and(|w| w.contains('*')) {
                        return Err(form(run, "run", "a list of words, `**` last at most"));
                    }
                    rules.commands.push((words, decision));
                }
            }
            "paths" => {
                for entry in sequence(node, key)? {
                    let writes = mapping(entry, key)?.iter().any(|(key, _)| key == "write");
                    let name = if writes { "write" } else { "read" };
                    let (glob, decision) = rule(entry, name)?;
                    let glob_text = scalar(glob, name)?.to_owned();
                    let rule = PathRule::new(&glob_text, writes, decision)
                        .map_err(|error| pattern(glob, name, &error))?;
                    rules.paths.push(rule);
                }
            }
            "hosts" => {
                for entry in sequence(node, key)? {
                    let (host, decision) = rule(entry, "host")?;
                    let text = scalar(host, "host")?.to_lowercase();
                    if text.contains("://") {
                        return Err(form(host, "host", "the name of a host, such as example.org"));
                    }
                    let matcher = matcher(&text).map_err(|error| pattern(host, "host", &error))?;
                    rules.hosts.push((text, matcher, decision));
                }
            }
            _ => return Err(RulesError::UnknownKey { line: node.line, key: key.clone() }),
        }
    }
    let count = rules.tools.len() + rules.commands.len() + rules.paths.len() + rules.hosts.len();
    if count > MAX_RULES {
        return Err(RulesError::TooMany);
    }
    Ok(if owner == Owner::Repository { rules.narrowed() } else { rules })
}

/// `{ NAME: what, decision: ask }`.
fn rule<'a>(entry: &'a Node, name: &str) -> Result<(&'a Node, Decision), RulesError> {
    let (mut what, mut says) = (None, None);
    for (key, node) in mapping(entry, name)? {
        match key.as_str() {
            "decision" => says = Some(decision(node, key)?),
            key if key == name => what = Some(node),
            _ => return Err(RulesError::UnknownKey { line: node.line, key: key.clone() }),
        }
    }
    match (what, says) {
        (Some(what), Some(says)) => Ok((what, says)),
        (None, _) => Err(form(entry, name, "there")),
        (_, None) => Err(form(entry, "decision", "there")),
    }
}

fn form(node: &Node, key: &str, expected: &'static str) -> RulesError {
    RulesError::Form { line: node.line, key: key.to_owned(), expected }
}

fn pattern(node: &Node, key: &str, error: &globset::Error) -> RulesError {
    RulesError::Pattern { line: node.line, key: key.to_owned(), reason: error.kind().to_string() }
}

fn decision(node: &Node, key: &str) -> Result<Decision, RulesError> {
    let said = Decision::named(scalar(node, key)?);
    said.ok_or_else(|| form(node, key, "`ask`, `allow` or `deny`"))
}

fn scalar<'a>(node: &'a Node, key: &str) -> Result<&'a str, RulesError> {
    match &node.value {
        Value::Scalar(text) => Ok(text),
        _ => Err(form(node, key, "text")),
    }
}

fn sequence<'a>(node: &'a Node, key: &str) -> Result<&'a [Node], RulesError> {
    match &node.value {
        Value::Sequence(items) => Ok(items),
        Value::Null => Ok(&[]),
        _ => Err(form(node, key, "a list")),
    }
}

fn mapping<'a>(node: &'a Node, key: &str) -> Result<&'a [(String, Node)], RulesError> {
    match &node.value {
        Value::Mapping(entries) => Ok(entries),
        Value::Null => Ok(&[]),
        _ => Err(form(node, key, "a mapping")),
    }
}
