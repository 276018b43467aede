//! Skills as tools of the agent: what there is, what one says, what the hub has.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Mutex};

use serde_json::{Value, json};

use super::super::shelf::Shelf;
use crate::{
    agent::{Host, Intent, Output, Source, Spec, Tool, ToolError},
    one_line::one_line,
    permissions::{Action, Level},
    skills::{self, MAX_SKILL_BYTES, Plan, Skill, SkillError, hub},
};

/// Entries of the hub that are told unless a call wants more, and at most.
const USUAL: u64 = 10;
const MOST: u64 = 50;
/// Characters of a query.
const MOST_QUERY: usize = 400;
/// Plans that are kept between being shown and being agreed to.
const MOST_PLANS: usize = 16;

/// All of them.
pub fn tools(shelf: &Shelf) -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(SkillList { spec: list_spec(), shelf: shelf.clone() }),
        Box::new(SkillRead { spec: read_spec(), shelf: shelf.clone() }),
        Box::new(HubSearch { spec: search_spec(), shelf: shelf.clone() }),
        Box::new(HubInstall {
            spec: install_spec(),
            shelf: shelf.clone(),
            shown: Mutex::default(),
        }),
    ]
}

fn spec(
    name: &str,
    level: Level,
    is_untrusted: bool,
    description: &str,
    properties: Value,
    required: &[&str],
) -> Spec {
    Spec {
        name: name.to_owned(),
        description: description.to_owned(),
        input: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        level,
        source: Source::BuiltIn,
        is_untrusted,
    }
}

fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn failed(cause: SkillError) -> ToolError {
    match cause {
        SkillError::Name { .. } | SkillError::Source { .. } | SkillError::NotInHub(_) => {
            ToolError::Arguments(cause.to_string())
        }
        SkillError::HubNotRead => {
            ToolError::Failed(format!("{cause}: call hub_search with `refresh` first"))
        }
        _ => ToolError::Failed(cause.to_string()),
    }
}

/// Whether a text about these skills is from outside.
fn is_outside<'s>(skills: impl IntoIterator<Item = &'s Skill>) -> bool {
    skills.into_iter().any(|skill| !skill.origin.is_vouched_for())
}

/// Lists the skills there are.
struct SkillList {
    spec: Spec,
    shelf: Shelf,
}

fn list_spec() -> Spec {
    spec(
        "skill_list",
        Level::Safe,
        false,
        "List all skills (instructions for a kind of work) with one line each and where each comes \
         from. Read one with skill_read before work that it fits.",
        json!({}),
        &[],
    )
}

impl Tool for SkillList {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, _: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        Ok(Intent { action: Action::Look, shown: "list all skills".to_owned() })
    }

    fn execute(&self, _: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let found = self.shelf.discover();
        let mut text: Vec<String> = found.skills.iter().map(skills::line).collect();
        text.extend(found.problems.iter().map(|problem| format!("not loaded: {problem}")));
        // A problem may repeat what a file of the repository says.
        let is_untrusted = is_outside(&found.skills) || !found.problems.is_empty();
        Ok(Output { text: text.join("\n"), is_untrusted, ..Output::default() })
    }
}

/// Reads a skill, or a file beside it.
struct SkillRead {
    spec: Spec,
    shelf: Shelf,
}

fn read_spec() -> Spec {
    spec(
        "skill_read",
        Level::Safe,
        false,
        "Read a skill in full before work that it fits. It may name files beside it: read those \
         with `file`.",
        json!({
            "name": { "type": "string", "description": "as skill_list names it" },
            "file": { "type": "string", "description": "a file beside SKILL.md, such as forms.md" },
        }),
        &["name"],
    )
}

impl Tool for SkillRead {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let name = text(arguments, "name").unwrap_or_default();
        skills::check_name(name).map_err(failed)?;
        let file = text(arguments, "file").map(|file| format!(", its file {file}"));
        let shown = format!("read skill {name}{}", file.unwrap_or_default());
        Ok(Intent { action: Action::Look, shown })
    }

    fn execute(&self, arguments: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let name = text(arguments, "name").unwrap_or_default();
        let found = self.shelf.discover();
        let Some(skill) = found.skills.iter().find(|skill| skill.name == name) else {
            let names: Vec<&str> = found.skills.iter().map(|skill| skill.name.as_str()).collect();
            let names = names.join(", ");
            let name = one_line(name, 80);
            return Err(ToolError::Arguments(format!("no skill `{name}`; there are: {names}")));
        };
        let text = match text(arguments, "file") {
            None => whole(skill),
            Some(file) => {
                let path = Path::new(file);
                let bytes =
                    skills::read_file(skill, path, MAX_SKILL_BYTES as u64).map_err(failed)?;
                String::from_utf8(bytes)
                    .map_err(|_| ToolError::Failed("that file is no text".to_owned()))?
            }
        };
        Ok(Output { text, is_untrusted: is_outside([skill]), ..Output::default() })
    }
}

/// A skill for a model: where it comes from, what it says, what lies beside it.
pub fn whole(skill: &Skill) -> String {
    let mut text = format!("skill {} ({})\n\n{}", skill.name, skill.origin.label(), skill.body);
    if !skill.files.is_empty() {
        text.push_str("\nFiles beside it, for skill_read with `file`:\n");
    }
    for (path, size) in &skill.files {
        let path = one_line(&path.to_string_lossy(), 400);
        let _ = writeln!(text, "- {path} ({size} bytes)");
    }
    text
}

/// Searches the hub.
struct HubSearch {
    spec: Spec,
    shelf: Shelf,
}

fn search_spec() -> Spec {
    spec(
        "hub_search",
        Level::Safe,
        true,
        "Search the user's hub, a registry of skills that can be installed, when no skill here \
         fits. Looks into the copy that is kept here; `refresh` fetches the newest one.",
        json!({
            "query": { "type": "string", "maxLength": MOST_QUERY,
                "description": "words; all entries if left out" },
            "refresh": { "type": "boolean", "description": "false if left out" },
            "max": { "type": "integer", "minimum": 1, "maximum": MOST,
                "description": "entries; 10 if left out" },
        }),
        &[],
    )
}

impl HubSearch {
    fn fetches(arguments: &Value) -> bool {
        arguments.get("refresh").and_then(Value::as_bool).unwrap_or(false)
    }
}

impl Tool for HubSearch {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let Some(address) = self.shelf.hub.as_deref() else {
            return Err(failed(SkillError::NoHub));
        };
        let query = one_line(text(arguments, "query").unwrap_or_default(), MOST_QUERY);
        if Self::fetches(arguments) {
            let host = host(address);
            let shown = format!("fetch the hub {address}, then look for: {query}");
            return Ok(Intent { action: Action::Reach { host }, shown });
        }
        let shown = format!("look into the kept copy of the hub for: {query}");
        Ok(Intent { action: Action::Look, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let hub = match Self::fetches(arguments) {
            true => self.shelf.fetched_hub(),
            false => self.shelf.kept_hub(),
        };
        let hub = hub.map_err(failed)?;
        let max = arguments.get("max").and_then(Value::as_u64).unwrap_or(USUAL).min(MOST);
        let query = text(arguments, "query").unwrap_or_default();
        let found = hub::search(&hub, query, max as usize);
        let mut text = String::new();
        for entry in &found {
            let _ = writeln!(text, "- hub:{} {}", entry.name, entry.description);
        }
        if found.is_empty() {
            let _ = writeln!(text, "nothing found among {} skills", hub.entries.len());
        }
        Ok(Output { text, ..Output::default() })
    }
}

/// The host of the hub, for rules about hosts.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', ':']).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    if host.is_empty() { "localhost".to_owned() } else { host }
}

/// Installs a skill of the hub.
struct HubInstall {
    spec: Spec,
    shelf: Shelf,
    /// By name, what was shown last: this is installed and nothing else.
    shown: Mutex<BTreeMap<String, Plan>>,
}

fn install_spec() -> Spec {
    spec(
        "hub_install",
        Level::Moderate,
        true,
        "Install a skill that hub_search found. The user sees all of it first and decides; nothing \
         of it is run. Read it with skill_read afterwards.",
        json!({ "name": { "type": "string", "description": "as hub_search names it" } }),
        &["name"],
    )
}

impl HubInstall {
    fn named(arguments: &Value) -> &str {
        let name = text(arguments, "name").unwrap_or_default();
        name.strip_prefix("hub:").unwrap_or(name)
    }

    fn plans(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Plan>> {
        self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Tool for HubInstall {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let name = Self::named(arguments);
        skills::check_name(name).map_err(failed)?;
        let source = skills::Source::Hub { name: name.to_owned() };
        let installed = &self.shelf.places.installed;
        let plan =
            skills::plan_install(&source, installed, &self.shelf.outside()).map_err(failed)?;
        if plan.is_current() {
            return Err(ToolError::Refused(format!("just this `{name}` is installed already")));
        }
        let shown = plan.shown();
        let mut plans = self.plans();
        if plans.len() >= MOST_PLANS {
            plans.clear();
        }
        plans.insert(name.to_owned(), plan);
        Ok(Intent { action: Action::Develop, shown })
    }

    fn execute(&self, arguments: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let name = Self::named(arguments);
        let plan = self.plans().remove(name);
        let plan = plan.ok_or_else(|| failed(SkillError::NotAgreed(name.to_owned())))?;
        skills::install(&plan, &plan.tree, &self.shelf.places.installed).map_err(failed)?;
        let text = format!(
            "installed {name} ({} files). `elophanto agent skill remove {name}` takes it out",
            plan.files.len()
        );
        Ok(Output { text, ..Output::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: &str) {
        assert_eq!(host(address), expected, "{address}");
    }

    #[test]
    fn hosts_of_hubs() {
        check("https://Example.org/skills.git", "example.org");
        check("https://example.org:8443/skills.git", "example.org");
        check("ssh://git@example.org:22/skills", "example.org");
        check("git@example.org:team/skills", "example.org");
        check("file:///srv/skills.git", "localhost");
        check("", "localhost");
    }
}
