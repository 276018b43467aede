//! Which tools a model is told of in full. Their schemas stand before everything else in each request,
//! so where there are many, a task begins with those that nearly every task needs and those that its
//! plan names; the others are a line each, and come when they are asked for. Pure.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{Source, Spec};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Tool, Tools};

/// The tool that offers others. It is the loop's own: nothing is done, so nobody is asked.
pub(super) const MORE: &str = "more_tools";
/// Tokens of schemas up to which all tools are offered.
const FEW: u64 = 1_500;
/// What nearly every task needs.
const USUAL: [&str; 6] =
    ["ask_user", "file_edit", "file_read", "file_search", "file_write", "shell_execute"];
/// Characters of what is said of a tool that is not offered yet. Those of the program are named as what
/// they do.
const LINE_CHARS: usize = 60;

/// The tools of a request: all that there are if those are few, else the usual and the wanted ones.
pub(super) fn offer(specs: Vec<Spec>, wanted: &BTreeSet<String>) -> Tools {
    let is_taken = specs.iter().any(|spec| spec.name == MORE);
    let all: Tools = specs.iter().cloned().map(tool).collect::<Vec<_>>().into();
    if is_taken || all.tokens() <= FEW {
        return all;
    }
    let is_offered =
        |spec: &Spec| USUAL.contains(&spec.name.as_str()) || wanted.contains(&spec.name);
    let (offered, others): (Vec<Spec>, Vec<Spec>) = specs.into_iter().partition(is_offered);
    if others.is_empty() {
        return all;
    }
    offered.into_iter().map(tool).chain([more(&others)]).collect::<Vec<_>>().into()
}

/// The names that a call of [`MORE`] asks for.
pub(super) fn asked(arguments: &Value) -> Vec<String> {
    let names = arguments["names"].as_array().into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

fn more(others: &[Spec]) -> Tool {
    let line = |spec: &Spec| match spec.source {
        Source::BuiltIn => spec.name.clone(),
        _ => format!("{} ({})", spec.name, one_line(&spec.description, LINE_CHARS)),
    };
    let lines: Vec<String> = others.iter().map(line).collect();
    let parameters = json!({
        "type": "object",
        "properties": { "names": { "type": "array", "items": { "type": "string" } } },
        "required": ["names"],
    });
    let description = format!("Makes more tools callable, of: {}", lines.join(", "));
    Tool { name: MORE.to_owned(), description, parameters }
}

fn tool(spec: Spec) -> Tool {
    Tool { name: spec.name, description: spec.description, parameters: spec.input }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::Level;

    fn spec(name: &str, words: usize) -> Spec {
        Spec {
            name: name.to_owned(),
            description: "words ".repeat(words),
            input: json!({ "type": "object" }),
            level: Level::Safe,
            source: Source::BuiltIn,
            is_untrusted: false,
        }
    }

    fn names(tools: &Tools) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn many_are_offered_as_they_are_wanted() {
        let few = || vec![spec("file_read", 100), spec("web_fetch", 100)];
        assert_eq!(names(&offer(few(), &BTreeSet::new())), ["file_read", "web_fetch"]);
        let many = || [few(), vec![spec("web_search", 2_000)]].concat();
        let found = offer(many(), &BTreeSet::new());
        assert_eq!(names(&found), ["file_read", MORE]);
        let said = &found[1].description;
        assert_eq!(said, "Makes more tools callable, of: web_fetch, web_search");
        assert!(found.tokens() < 300, "{}", found.tokens());
        let mut of_server = many();
        of_server[2].source = Source::Server { name: "one".to_owned() };
        let found = offer(of_server, &BTreeSet::new());
        assert!(found[1].description.contains("web_search (words words"), "{found:?}");
        let wanted = asked(&json!({ "names": ["web_fetch", 1, "nothing"] })).into_iter().collect();
        assert_eq!(names(&offer(many(), &wanted)), ["file_read", "web_fetch", MORE]);
        let all = ["web_fetch".to_owned(), "web_search".to_owned()].into();
        assert_eq!(names(&offer(many(), &all)), ["file_read", "web_fetch", "web_search"]);
        // Nobody may put a tool in its place.
        let taken = [many(), vec![spec(MORE, 1)]].concat();
        assert_eq!(offer(taken, &BTreeSet::new()).len(), 4);
    }
}
