//! The front matter of a note: where the block is, and what our keys in it say.
//!
//! Owns the keys (`title created updated tags scope covers aliases`, all optional) and their
//! leniency: a key of the wrong type is ignored with a warning, an unknown one without. gray_matter
//! reads the block through the two engines below, which put a budget on YAML and TOML. The block's
//! place is found here, for gray_matter keeps no offsets.

use std::str::FromStr;

use gray_matter::engine::Engine;
use gray_matter::{Matter, Pod};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use toml::de::{DeTable, DeValue};

use super::lines::LineTable;
use super::{FRONT_MATTER_BUDGET, Warning};
use elophanto_base::yaml::{self, Value};

/// What the keys say. A key that is absent, empty or of the wrong type leaves its field empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    pub title: Option<String>,
    pub created: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    /// Without a leading `#`, each once.
    pub tags: Vec<String>,
    pub scope: Option<Scope>,
    /// Globs of the sources that the note describes.
    pub covers: Vec<String>,
    /// Other names under which `[[wikilinks]]` find the note.
    pub aliases: Vec<String>,
}

elophanto_base::named! {
    /// Whose knowledge a note is.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scope, as_str {
        /// How the repository's own system is built and used.
        System = "system",
        /// What the user wrote for themselves.
        User = "user",
        /// What was found out elsewhere, or by agents.
        Learned = "learned",
        /// Of a plugin of the agent.
        Plugin = "plugin",
    }
}

/// A name that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope (system, user, learned or plugin)")]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    /// Takes any case, and `plugins`, which is what the folder is called.
    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        let lower = name.to_ascii_lowercase();
        let singular = if lower == "plugins" { "plugin" } else { lower.as_str() };
        Self::named(singular).ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

/// Reads the front matter of `text`. Returns it with the offset at which the body starts.
pub(super) fn read(text: &str, lines: &LineTable) -> (FrontMatter, usize, Vec<Warning>) {
    const MARK: char = '\u{feff}';
    let start = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
    let mut reader = Reader::default();
    let body = match locate(text, start, lines) {
        Located::Absent => start,
        Located::Unclosed => {
            reader.warn(1, "front matter is not closed, so it is read as text");
            start
        }
        Located::Block(block) => {
            if reader.read(block.format, text.get(block.from..block.to).unwrap_or_default()) {
                block.body
            } else {
                start
            }
        }
    };
    (reader.front_matter, body, reader.warnings)
}

#[derive(Clone, Copy)]
enum Format {
    Yaml,
    Toml,
}

enum Located {
    Absent,
    Unclosed,
    Block(Block),
}

/// `from..to` lies between the delimiters' lines.
struct Block {
    format: Format,
    from: usize,
    to: usize,
    body: usize,
}

fn locate(text: &str, start: usize, lines: &LineTable) -> Located {
    let mut rows = lines.iter().map(|(_, range)| range);
    let Some(first) = rows.next() else { return Located::Absent };
    let format = match text.get(start..first.end).map(str::trim_end) {
        Some("---") => Format::Yaml,
        Some("+++") => Format::Toml,
        _ => return Located::Absent,
    };
    for row in rows {
        let line = text.get(row.clone()).unwrap_or_default().trim_end();
        let closes = match format {
            Format::Yaml => matches!(line, "---" | "..."),
            Format::Toml => line == "+++",
        };
        if closes {
            return Located::Block(Block { format, from: first.end, to: row.start, body: row.end });
        }
    }
    // A rule above a text is no front matter that somebody forgot to close.
    let next = text.get(first.end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if next.contains([':', '=']) { Located::Unclosed } else { Located::Absent }
}

/// The guarded YAML reader as an engine of gray_matter.
struct Yaml;

/// The `toml` crate as an engine of gray_matter, under the same cap on bytes; its own limit on
/// depth is 80.
struct Toml;

/// An engine returns a message at best when it fails, and no lines when it doesn't. So both travel
/// as data: `[line, message]` is a refusal, `{key: [line, value]}` a mapping, and null a block
/// that is no mapping at all. Values are strings, lists of them, or null.
fn with_line(line: usize, pod: Pod) -> Pod {
    Pod::Array(vec![Pod::Integer(i64::try_from(line).unwrap_or(i64::MAX)), pod])
}

fn refusal(line: Option<usize>, message: String) -> Pod {
    with_line(line.unwrap_or_default(), Pod::String(message))
}

impl Engine for Yaml {
    fn parse(block: &str) -> gray_matter::Result<Pod> {
        let root = match yaml::parse(block, &FRONT_MATTER_BUDGET) {
            Ok(root) => root,
            Err(error) => return Ok(refusal(error.line(), error.to_string())),
        };
        Ok(match root.value {
            Value::Mapping(entries) => entries
                .into_iter()
                .map(|(key, node)| (key, with_line(node.line, pod_of_yaml(node.value))))
                .collect::<std::collections::HashMap<_, _>>()
                .into(),
            Value::Null => Pod::new_hash(),
            Value::Scalar(_) | Value::Sequence(_) => Pod::Null,
        })
    }
}

fn pod_of_yaml(value: Value) -> Pod {
    match value {
        Value::Null => Pod::Null,
        Value::Scalar(text) => Pod::String(text),
        Value::Sequence(items) => {
            Pod::Array(items.into_iter().map(|item| pod_of_yaml(item.value)).collect())
        }
        Value::Mapping(_) => Pod::new_hash(),
    }
}

impl Engine for Toml {
    fn parse(block: &str) -> gray_matter::Result<Pod> {
        let max = FRONT_MATTER_BUDGET.max_bytes;
        if block.len() > max {
            let message = format!("{} bytes of TOML, over the cap of {max}", block.len());
            return Ok(refusal(None, message));
        }
        let line_at =
            |offset: usize| 1 + super::count_line_ends(block.get(..offset).unwrap_or_default());
        let table = match DeTable::parse(block) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let line = error.span().map(|span| line_at(span.start));
                return Ok(refusal(line, format!("invalid TOML: {}", error.message())));
            }
        };
        let entries = table.into_iter().map(|(key, value)| {
            let line = line_at(key.span().start);
            (key.into_inner().into_owned(), with_line(line, pod_of_toml(value.get_ref())))
        });
        Ok(entries.collect::<std::collections::HashMap<_, _>>().into())
    }
}

fn pod_of_toml(value: &DeValue<'_>) -> Pod {
    match value {
        DeValue::String(text) => Pod::String(text.to_string()),
        DeValue::Integer(number) => Pod::String(number.to_string()),
        DeValue::Float(number) => Pod::String(number.to_string()),
        DeValue::Boolean(yes) => Pod::String(yes.to_string()),
        DeValue::Datetime(time) => Pod::String(time.to_string()),
        DeValue::Array(items) => {
            Pod::Array(items.iter().map(|item| pod_of_toml(item.get_ref())).collect())
        }
        DeValue::Table(_) => Pod::new_hash(),
    }
}

#[derive(Default)]
struct Reader {
    front_matter: FrontMatter,
    warnings: Vec<Warning>,
}

impl Reader {
    /// Reads a block. `false` if it is no front matter but text between two rules.
    fn read(&mut self, format: Format, block: &str) -> bool {
        // gray_matter trims the block, which would cost leading blank lines (and so line numbers)
        // and the first key's indentation (and so the meaning). A comment in front prevents both,
        // and stands for the opening delimiter: line n of the block is line n of the file.
        let parsed = match format {
            Format::Yaml => {
                let mut matter = Matter::<Yaml>::new();
                matter.close_delimiter = Some("...".to_owned());
                matter.parse::<Pod>(&format!("---\n#\n{block}\n---\n"))
            }
            Format::Toml => {
                let mut matter = Matter::<Toml>::new();
                matter.delimiter = "+++".to_owned();
                matter.parse::<Pod>(&format!("+++\n#\n{block}\n+++\n"))
            }
        };
        match parsed.map(|entity| entity.data.unwrap_or(Pod::Null)) {
            Ok(Pod::Hash(mut entries)) => {
                for key in KEYS {
                    if let Some((line, value)) = entries.remove(*key).and_then(split_line) {
                        self.key(key, line, value);
                    }
                }
                // In the order of the file, not of the keys' table.
                self.warnings.sort_by_key(|warning| warning.line);
                true
            }
            Ok(Pod::Null) => false,
            Ok(refusal) => {
                if let Some((line, Pod::String(message))) = split_line(refusal) {
                    self.warn(line, &format!("front matter ignored: {message}"));
                }
                true
            }
            Err(error) => {
                self.warn(1, &format!("front matter ignored: {error}"));
                true
            }
        }
    }

    fn key(&mut self, key: &str, line: usize, value: Pod) {
        let out = &mut self.front_matter;
        let read = match (key, value) {
            (_, Pod::Null) => Ok(()),
            ("title", Pod::String(text)) => {
                let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
                out.title = Some(title).filter(|title| !title.is_empty());
                Ok(())
            }
            ("created", Pod::String(text)) => time(&text).map(|time| out.created = Some(time)),
            ("updated", Pod::String(text)) => time(&text).map(|time| out.updated = Some(time)),
            ("scope", Pod::String(text)) => match text.trim().parse() {
                Ok(scope) => {
                    out.scope = Some(scope);
                    Ok(())
                }
                Err(error) => Err(UnknownScope::to_string(&error)),
            },
            ("tags", value) => names(value, "#").map(|names| out.tags = names),
            ("covers", value) => names(value, "").map(|names| out.covers = names),
            ("aliases", value) => names(value, "").map(|names| out.aliases = names),
            _ => Err("expected a single value".to_owned()),
        };
        if let Err(reason) = read {
            self.warn(line, &format!("`{key}` ignored: {reason}"));
        }
    }

    /// Line 0 stands for no line in particular.
    fn warn(&mut self, line: usize, message: &str) {
        let line = (line > 0).then_some(line);
        self.warnings.push(Warning { line, message: message.to_owned() });
    }
}

const KEYS: &[&str] = &["title", "created", "updated", "tags", "scope", "covers", "aliases"];

fn split_line(pod: Pod) -> Option<(usize, Pod)> {
    let Pod::Array(pair) = pod else { return None };
    let [Pod::Integer(line), value]: [Pod; 2] = pair.try_into().ok()? else { return None };
    Some((usize::try_from(line).unwrap_or_default(), value))
}

/// A list, or one string with commas. `sigil` is taken off in front.
fn names(value: Pod, sigil: &str) -> Result<Vec<String>, String> {
    let raw = match value {
        Pod::String(text) => text.split(',').map(str::to_owned).collect(),
        Pod::Array(items) => items
            .into_iter()
            .filter(|item| *item != Pod::Null)
            .map(|item| item.as_string().map_err(|_| "expected a list of single values".to_owned()))
            .collect::<Result<Vec<_>, _>>()?,
        _ => return Err("expected a list or a text with commas".to_owned()),
    };
    let mut names: Vec<String> = Vec::with_capacity(raw.len());
    let mut seen = std::collections::HashSet::new();
    for name in &raw {
        let name = name.trim();
        let name = name.strip_prefix(sigil).unwrap_or(name);
        if !name.is_empty() && seen.insert(name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// A date, or a date and time with or without zone; UTC where none is given. Times that a
/// [`Timestamp`] can't hold are moved to the nearest that it can.
fn time(text: &str) -> Result<Timestamp, String> {
    let text = text.trim();
    // `2024-01-31 10:00 +0200`, with a blank that only people and static site generators write.
    let joined = text.rsplit_once(' ').filter(|(_, zone)| zone.starts_with(['+', '-', 'Z']));
    let joined = joined.map(|(time, zone)| format!("{}{zone}", time.trim_end()));
    let text = joined.as_deref().unwrap_or(text);
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let civil = text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(DateTime::from));
    let Ok(civil) = civil else { return Err(format!("`{text}` is no date or time")) };
    let bound = if civil.year() > 0 { Timestamp::MAX } else { Timestamp::MIN };
    Ok(TimeZone::UTC.to_timestamp(civil).unwrap_or(bound))
}
