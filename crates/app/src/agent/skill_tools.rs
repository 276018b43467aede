//! Skills as tools of the agent: what there is, what one says.

use std::{fmt::Write as _, path::Path};

use serde_json::{Value, json};

use super::{hub_tools, skill_store::SkillStore};
use elophanto_agent::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
    skills::{self, MAX_SKILL_BYTES, Skill, SkillError},
    tools::spec,
};
use elophanto_base::one_line::one_line;

/// All of them.
pub fn tools(store: &SkillStore) -> Vec<Box<dyn Tool>> {
    let mut all: Vec<Box<dyn Tool>> = vec![
        Box::new(SkillList { store: store.clone() }),
        Box::new(SkillRead { store: store.clone() }),
    ];
    all.extend(hub_tools::tools(store));
    all
}

/// A text argument, if it is given.
pub(super) fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// For the model: what it can mend, and what it cannot.
pub(super) fn failed(cause: SkillError) -> ToolError {
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
    store: SkillStore,
}

impl Tool for SkillList {
    fn spec(&self) -> Spec {
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

    fn intent(&self, _: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        Ok(Intent { action: Action::Look, shown: "list all skills".to_owned() })
    }

    fn execute(&self, _: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let found = self.store.discover();
        let mut text: Vec<String> = found.skills.iter().map(skills::line).collect();
        text.extend(found.problems.iter().map(|problem| format!("not loaded: {problem}")));
        // A problem may repeat what a file of the repository says.
        let is_untrusted = is_outside(&found.skills) || !found.problems.is_empty();
        Ok(Output { text: text.join("\n"), is_untrusted, ..Output::default() })
    }
}

/// Reads a skill, or a file beside it.
struct SkillRead {
    store: SkillStore,
}

impl Tool for SkillRead {
    fn spec(&self) -> Spec {
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

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let name = text(arguments, "name").unwrap_or_default();
        skills::check_name(name).map_err(failed)?;
        let file = text(arguments, "file").map(|file| format!(", its file {file}"));
        let shown = format!("read skill {name}{}", file.unwrap_or_default());
        Ok(Intent { action: Action::Look, shown })
    }

    fn execute(&self, arguments: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let name = text(arguments, "name").unwrap_or_default();
        let found = self.store.discover();
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
