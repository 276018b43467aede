//! Which arguments each tool takes, as one table, and the JSON schema made of it. Pure.

use serde_json::{Map, Value, json};

use super::Tool;

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// What counts if it is left out.
    pub default: Option<u64>,
    /// What it is for, in a few words.
    pub says: &'static str,
}

/// What an argument may be. All bounds are inclusive, lengths are in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// From 1 to `most` characters.
    Text {
        most: usize,
    },
    /// A path relative to the root, with `/`, that cannot lead out of it.
    Path,
    /// One line number, or two as `10-40`.
    Lines,
    /// How many of how many, as `9/10`.
    Rate,
    Whole {
        least: u64,
        most: u64,
    },
    Flag,
    Choice(&'static [&'static str]),
    Choices(&'static [&'static str]),
    /// Up to `items` texts of 1 to `most` characters.
    Texts {
        items: usize,
        most: usize,
    },
}

/// Characters of a path.
pub const PATH_MAX: usize = 1024;

const TOKENS: Argument = whole("max_tokens", 50, 20_000, "length of the answer").or(2000);
const KINDS: &[&str] = &["note", "summary", "fact"];
const SCOPES: &[&str] = &["system", "user", "learned", "plugin"];
const EVENTS: &[&str] = &["error", "success", "pattern"];

/// The arguments of a tool, the important ones first.
pub fn arguments(tool: Tool) -> &'static [Argument] {
    match tool {
        Tool::Search => {
            &const {
                [
                    text("query", 4096, "words or a question").required(),
                    whole("limit", 1, 50, "hits").or(8),
                    choices("kind", KINDS, "only these kinds"),
                    choice("scope", SCOPES, "only notes of this scope"),
                    text("tag", 100, "only notes with this tag"),
                    text("path", PATH_MAX, "only paths that match a glob, such as docs/**"),
                    text(
                        "since",
                        64,
                        "only notes changed since a date or span, such as 2026-05-01 or 2w",
                    ),
                    text("at", 256, "the notes as of a commit, branch, tag or date"),
                    choice("mode", &["hybrid", "keyword", "semantic"], "how to compare"),
                    TOKENS,
                ]
            }
        }
        Tool::Get => {
            &const {
                [
                    path("path", "as in a hit").required(),
                    text("heading", 500, "only the section below this heading"),
                    argument("lines", Kind::Lines, "only these lines, such as 10-40"),
                    TOKENS,
                ]
            }
        }
        Tool::Similar => {
            &const {
                [
                    path("path", "the note").required(),
                    whole("line", 1, 100_000_000, "only the part around this line"),
                    whole("limit", 1, 50, "hits").or(8),
                    TOKENS,
                ]
            }
        }
        Tool::Recall => {
            &const {
                [
                    text("text", 4096, "the task, the command or the error message").required(),
                    text("repo", 64, "only lessons of this repository"),
                    choice("type", EVENTS, "only lessons of this type"),
                    whole("limit", 1, 20, "lessons").or(5),
                    argument("archived", Kind::Flag, "also archived lessons"),
                    whole("max_tokens", 50, 4000, "length of the answer").or(500),
                ]
            }
        }
        Tool::Remember => {
            &const {
                [
                    choice("type", EVENTS, "what the lesson comes from").required(),
                    text("context", 4000, "what was being done").required(),
                    text("lesson", 4000, "what to do next time").required(),
                    text("command", 4000, "the command that worked or failed"),
                    argument(
                        "success_rate",
                        Kind::Rate,
                        "how many of how many attempts worked, as 9/10",
                    ),
                    texts("tags", 20, 40, "words to find it by"),
                    text("repo", 64, "the repository, if not this one"),
                    TOKENS,
                ]
            }
        }
        Tool::Learn => {
            &const {
                [
                    text("topic", 4096, "what to learn about").required(),
                    text(
                        "text",
                        1_000_000,
                        "what to read; without it the configured sources are asked",
                    ),
                    TOKENS,
                ]
            }
        }
        Tool::Questions => {
            &const {
                [
                    whole("limit", 1, 100, "questions").or(20),
                    text("status", 32, "only questions of this status, such as open"),
                    TOKENS,
                ]
            }
        }
        Tool::Entity => {
            &const {
                [
                    text("name", 500, "name or alias; without it all are listed"),
                    whole("limit", 1, 100, "entities").or(20),
                    TOKENS,
                ]
            }
        }
        Tool::WriteNote => {
            &const {
                [
                    text("title", 200, "title of the note").required(),
                    text("text", 262_144, "its Markdown, without front matter").required(),
                    path(
                        "path",
                        "where, from the root on, below the learned folder; this or `kind` is needed",
                    ),
                    choice(
                        "kind",
                        &["task", "pattern", "failure", "service", "note"],
                        "chooses folder and name",
                    ),
                    texts("tags", 50, 40, "tags"),
                    text("hash", 64, "hash of the note that is overwritten, from `get`"),
                    TOKENS,
                ]
            }
        }
        Tool::Status => &const { [TOKENS] },
    }
}

/// The JSON schema of a tool's arguments.
pub fn schema(tool: Tool) -> Map<String, Value> {
    let table = arguments(tool);
    let properties: Map<String, Value> =
        table.iter().map(|argument| (argument.name.to_owned(), property(argument))).collect();
    let required: Vec<&str> =
        table.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(argument: &Argument) -> Value {
    let mut property = match argument.kind {
        Kind::Text { most } => json!({"type": "string", "minLength": 1, "maxLength": most}),
        Kind::Path => json!({"type": "string", "minLength": 1, "maxLength": PATH_MAX}),
        Kind::Lines => {
            json!({"type": "string", "maxLength": 19, "pattern": "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$"})
        }
        Kind::Rate => {
            json!({"type": "string", "maxLength": 13, "pattern": "^[0-9]{1,6}/[1-9][0-9]{0,5}$"})
        }
        Kind::Whole { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Flag => json!({"type": "boolean", "default": false}),
        Kind::Choice(choices) => json!({"type": "string", "enum": choices}),
        Kind::Choices(choices) => {
            json!({"type": "array", "maxItems": choices.len(), "items": {"type": "string", "enum": choices}})
        }
        Kind::Texts { items, most } => json!({
            "type": "array",
            "maxItems": items,
            "items": {"type": "string", "minLength": 1, "maxLength": most},
        }),
    };
    if let Value::Object(keys) = &mut property {
        keys.insert("description".to_owned(), json!(argument.says));
        if let Some(default) = argument.default {
            keys.insert("default".to_owned(), json!(default));
        }
    }
    property
}

impl Argument {
    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn or(mut self, default: u64) -> Self {
        self.default = Some(default);
        self
    }
}

const fn argument(name: &'static str, kind: Kind, says: &'static str) -> Argument {
    Argument { name, kind, required: false, default: None, says }
}

const fn text(name: &'static str, most: usize, says: &'static str) -> Argument {
    argument(name, Kind::Text { most }, says)
}

const fn path(name: &'static str, says: &'static str) -> Argument {
    argument(name, Kind::Path, says)
}

const fn whole(name: &'static str, least: u64, most: u64, says: &'static str) -> Argument {
    argument(name, Kind::Whole { least, most }, says)
}

const fn choice(
    name: &'static str,
    choices: &'static [&'static str],
    says: &'static str,
) -> Argument {
    argument(name, Kind::Choice(choices), says)
}

const fn choices(
    name: &'static str,
    choices: &'static [&'static str],
    says: &'static str,
) -> Argument {
    argument(name, Kind::Choices(choices), says)
}

const fn texts(name: &'static str, items: usize, most: usize, says: &'static str) -> Argument {
    argument(name, Kind::Texts { items, most }, says)
}
