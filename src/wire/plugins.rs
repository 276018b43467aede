//! Tools of the agent, and plugins of a repository.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use elophanto_agent::{
    Source, Spec,
    plugins::{Plugin, PluginFile, TestReport},
};

/// A tool.
#[derive(Serialize, JsonSchema)]
pub struct ToolWire<'a> {
    name: &'a str,
    description: &'a str,
    level: &'static str,
    source: ToolSourceWire<'a>,
    untrusted: bool,
    /// JSON schema of an object: the arguments.
    input: &'a Value,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ToolSourceWire<'a> {
    BuiltIn,
    Plugin { hash: &'a str },
    Server { name: &'a str },
}

impl<'a> From<&'a Spec> for ToolWire<'a> {
    fn from(spec: &'a Spec) -> Self {
        Self {
            name: &spec.name,
            description: &spec.description,
            level: spec.level.name(),
            source: match &spec.source {
                Source::BuiltIn => ToolSourceWire::BuiltIn,
                Source::Plugin { hash } => ToolSourceWire::Plugin { hash },
                Source::Server { name } => ToolSourceWire::Server { name },
            },
            untrusted: spec.is_untrusted,
            input: &spec.input,
        }
    }
}

/// A plugin with all that it says of itself.
#[derive(Serialize, JsonSchema)]
pub struct PluginWire<'a> {
    name: &'a str,
    description: &'a str,
    level: &'static str,
    network: bool,
    secrets: &'a [String],
    hash: &'a str,
    program: &'a str,
    test: &'a str,
    files: Vec<PluginFileWire<'a>>,
    /// JSON schemas.
    input: &'a Value,
    output: Option<&'a Value>,
    /// Whether the agent can call it.
    tool: bool,
    /// Why it is no tool.
    problem: Option<&'a str>,
    readme: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct PluginFileWire<'a> {
    path: &'a str,
    bytes: usize,
    executable: bool,
}

impl<'a> PluginWire<'a> {
    /// Of a plugin, whether it is a tool, and why it is none.
    pub fn of(plugin: &'a Plugin, tool: bool, problem: Option<&'a str>) -> Self {
        let declared = &plugin.declared;
        let file = |PluginFile { path, is_executable, bytes }: &'a PluginFile| PluginFileWire {
            path,
            bytes: bytes.len(),
            executable: *is_executable,
        };
        Self {
            name: &plugin.name,
            description: &declared.description,
            level: declared.level.name(),
            network: declared.network,
            secrets: &declared.secrets,
            hash: &plugin.hash,
            program: &plugin.program,
            test: &plugin.test,
            files: plugin.files.iter().map(file).collect(),
            input: &declared.input,
            output: declared.output.as_ref(),
            tool,
            problem,
            readme: &plugin.readme,
        }
    }
}

/// What came of a plugin's tests.
#[derive(Serialize, JsonSchema)]
pub struct TestedPluginWire<'a> {
    name: &'a str,
    /// Of what was tested.
    hash: &'a str,
    passed: bool,
    reason: &'a str,
    output: &'a str,
}

impl<'a> TestedPluginWire<'a> {
    pub fn of(name: &'a str, report: &'a TestReport) -> Self {
        Self {
            name,
            hash: report.hash(),
            passed: report.passed(),
            reason: report.reason(),
            output: report.output(),
        }
    }
}

/// A plugin that was made to be filled in.
#[derive(Serialize, JsonSchema)]
pub struct NewPluginWire<'a> {
    pub name: &'a str,
    /// Relative to the root.
    pub written: &'a [String],
}

#[cfg(test)]
mod tests {
    use elophanto_agent::permissions::Level;

    use super::*;

    #[test]
    fn a_tool_says_all_that_is_known_of_it() {
        let spec = |source| Spec {
            name: "a".to_owned(),
            description: "does it".to_owned(),
            input: Value::Null,
            level: Level::Safe,
            source,
            is_untrusted: true,
        };
        for (source, expected) in [
            (Source::BuiltIn, r#"{"kind":"built_in"}"#),
            (Source::Plugin { hash: "1".to_owned() }, r#"{"kind":"plugin","hash":"1"}"#),
            (Source::Server { name: "b".to_owned() }, r#"{"kind":"server","name":"b"}"#),
        ] {
            assert_eq!(
                serde_json::to_string(&ToolWire::from(&spec(source))).unwrap(),
                format!(
                    r#"{{"name":"a","description":"does it","level":"safe","source":{expected},"untrusted":true,"input":null}}"#
                )
            );
        }
    }
}
