//! `self_develop` as a tool.

use std::path::Path;

use serde_json::{Value, json};

use super::{MAX_ATTEMPTS, MAX_GOAL_CHARS, Parts, naming, pipeline};
use crate::{
    Host, Intent, Output, Source, Spec, Tool, ToolError,
    permissions::{Action, Level},
    plugins::{FOLDER, check_name},
};
use elophanto_base::schema;

/// Name of the tool.
pub const NAME: &str = "self_develop";

/// The tool that makes plugins.
pub struct SelfDevelop {
    parts: Parts,
}

impl SelfDevelop {
    pub fn new(parts: Parts) -> Self {
        Self { parts }
    }

    /// Name and goal of a call.
    fn read(&self, arguments: &Value, root: &Path) -> Result<(String, String), ToolError> {
        schema::check(&self.spec().input, arguments).map_err(ToolError::Arguments)?;
        let refused = |reason: String| ToolError::Arguments(reason);
        let goal = arguments["goal"].as_str().unwrap_or_default().trim();
        if goal.is_empty() {
            return Err(refused("`goal` is empty".to_owned()));
        }
        if goal.chars().nth(MAX_GOAL_CHARS).is_some() {
            return Err(refused(format!("`goal` is over the cap of {MAX_GOAL_CHARS} characters")));
        }
        let mut built_in: Vec<&str> = self.parts.built_in.iter().map(String::as_str).collect();
        built_in.push(NAME);
        let name = match arguments["name"].as_str() {
            Some(name) => {
                check_name(name, &built_in).map_err(|error| refused(format!("`name`: {error}")))?;
                name.to_owned()
            }
            None => {
                let is_taken = |name: &str| root.join(FOLDER).join(name).symlink_metadata().is_ok();
                naming::made(goal, &built_in, &is_taken)
                    .ok_or_else(|| refused("`goal` makes no name: give `name`".to_owned()))?
            }
        };
        Ok((name, goal.to_owned()))
    }
}

impl Tool for SelfDevelop {
    fn spec(&self) -> Spec {
        Spec {
            name: NAME.to_owned(),
            description: format!(
                "Develops a new tool (a plugin) when none of the tools can do what the task needs: \
                 designs, writes, tests and has it reviewed, asks the user, and deploys it, so that \
                 it can be called in this run. At most {MAX_ATTEMPTS} attempts. Costs many model \
                 calls: use it only for what will be needed again. `name` of a plugin that exists \
                 improves it."
            ),
            input: json!({
                "type": "object",
                "required": ["goal"],
                "additionalProperties": false,
                "properties": {
                    "goal": {
                        "type": "string",
                        "description": "what the tool must do: inputs, outputs, limits",
                    },
                    "name": {
                        "type": "string",
                        "description": "name of the tool: a to z, digits, `_`; made of the goal if left out",
                    },
                },
            }),
            level: Level::Critical,
            source: Source::BuiltIn,
            is_untrusted: true,
        }
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let (name, goal) = self.read(arguments, host.root())?;
        let exists = host.root().join(FOLDER).join(&name).symlink_metadata().is_ok();
        let what = if exists { "improve the plugin" } else { "develop a new plugin" };
        let shown = format!(
            "{what} `{name}`: design it, write plugins/{name}, run its tests in the sandbox, have \
             it reviewed, at most {MAX_ATTEMPTS} times, on the branch elophanto/develop/{name}. It \
             asks again before it deploys.\ngoal: {goal}"
        );
        Ok(Intent { action: Action::Develop, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let (name, goal) = self.read(arguments, host.root())?;
        pipeline::develop(&self.parts, host, name, goal)
    }
}
