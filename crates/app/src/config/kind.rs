//! How each kind of setting is read from text, checked, and written as text.
//!
//! Nothing here knows which settings there are or where a text came from.

use std::net::IpAddr;
use std::path::{Component, Path};
use std::time::Duration;

use super::choices::{LANGUAGES, Provider, one_of};
use super::duration::{format_duration, parse_duration};
use super::forms::{BUDGET_FORM, MODEL_FORM, budget, model_name};
use crate::gateway::Channel;

/// Longest text of one setting, in bytes.
pub const MAX_TEXT: usize = 1_024;
/// Most items of one list.
pub const MAX_ITEMS: usize = 256;
/// Most models of one list: each is tried only when those before it failed.
pub const MAX_MODELS: usize = 16;

/// Which values a setting allows.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number within bounds.
    Whole {
        /// The least, allowed itself.
        min: u64,
        /// The most, allowed itself.
        max: u64,
    },
    /// A number within bounds.
    Real {
        /// The least, allowed itself.
        min: f64,
        /// The most, allowed itself.
        max: f64,
    },
    /// Yes or no.
    Switch,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A language that Snowball has rules for, or none.
    Tongue,
    /// One line of text.
    Text,
    /// Who embeds: a [`Provider`].
    Embedder,
    /// Limits to what may be spent.
    Budget,
    /// Models, each with its provider, the first choice first.
    Models,
    /// File name endings without the dot.
    Extensions,
    /// A folder beneath the repository that is not hidden.
    Folder,
    /// Folders beneath the repository.
    Folders,
    /// Folders and files, absolute ones too, with patterns in the last part.
    Places,
    /// Patterns of file names or paths.
    Patterns,
    /// An address that opens a file in an editor, or none.
    Opener,
    /// An address of a machine.
    Address,
    /// People who speak over several channels, or none.
    People,
    /// Some of a few words, in an order.
    Words(&'static [&'static str]),
    /// A length of time within bounds.
    Span {
        /// The shortest, allowed itself.
        min: Duration,
        /// The longest, allowed itself.
        max: Duration,
    },
}

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Switch(bool),
    /// A word, a text or a folder.
    Text(String),
    /// Several texts.
    List(Vec<String>),
    /// A length of time.
    Span(Duration),
}

/// Text not checked yet: what a file, a variable or a flag says.
#[derive(Debug, Clone, PartialEq)]
pub enum Raw {
    /// One text.
    Scalar(String),
    /// Several texts.
    List(Vec<String>),
    /// Something that no setting can be, with its name.
    Other(&'static str),
}

impl Kind {
    /// What a value must be, to follow the word "expected".
    pub fn expected(self) -> String {
        match self {
            Self::Whole { min, max } => format!("a whole number from {min} to {max}"),
            Self::Real { min, max } => format!("a number from {min} to {max}"),
            Self::Switch => "true or false".to_owned(),
            Self::Choice(words) => one_of(words),
            Self::Tongue => format!("a language ({})", one_of(LANGUAGES)),
            Self::Text => format!("one line of at most {MAX_TEXT} bytes"),
            Self::Embedder => Provider::expected(),
            Self::Budget => BUDGET_FORM.to_owned(),
            Self::Models => format!("a list of 1 to {MAX_MODELS} models, each {MODEL_FORM}"),
            Self::Extensions => {
                format!("a list of at most {MAX_ITEMS} file name endings such as [md, markdown]")
            }
            Self::Folder => "a relative folder beneath the repository, not hidden".to_owned(),
            Self::Folders => format!(
                "a list of at most {MAX_ITEMS} relative folders beneath the repository, not its .git"
            ),
            Self::Places => format!(
                "a list of at most {MAX_ITEMS} folders or files, relative to the repository or absolute"
            ),
            Self::Patterns => {
                format!("a list of at most {MAX_ITEMS} patterns such as [\"*.md\", \"docs/**\"]")
            }
            Self::Opener => {
                "an address that holds {path}, such as vscode://file/{path}:{line}, or none"
                    .to_owned()
            }
            Self::Address => "an address such as 127.0.0.1 or ::1".to_owned(),
            Self::People => {
                let channels = Channel::ALL.map(Channel::name).join(", ");
                format!(
                    "a list of people, each as \"telegram:1 slack:U2\" by two or more of {channels}, \
                     or none"
                )
            }
            Self::Words(words) => format!("a list of {}", one_of(words)),
            Self::Span { min, max } => format!(
                "a duration from {} to {} such as 300ms, 30s, 10m, 6h, 2d or 1w",
                format_duration(min),
                format_duration(max)
            ),
        }
    }

    /// Whether the value is a list.
    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::Extensions
                | Self::Folders
                | Self::Models
                | Self::Places
                | Self::Patterns
                | Self::People
                | Self::Words(_)
        )
    }

    /// Checks a text. `None` means that it is not what [`Kind::expected`] says.
    pub fn read(self, raw: &Raw) -> Option<Value> {
        match raw {
            Raw::Scalar(text) if matches!(self, Self::People) && text == "none" => {
                Some(Value::Text(text.clone()))
            }
            Raw::Scalar(text) if self.is_list() => self.list(text.split(',').map(str::trim)),
            Raw::Scalar(text) => self.scalar(text),
            Raw::List(items) if self.is_list() => self.list(items.iter().map(String::as_str)),
            Raw::List(_) | Raw::Other(_) => None,
        }
    }

    fn scalar(self, text: &str) -> Option<Value> {
        match self {
            Self::Whole { min, max } => {
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let number: u64 = digits.then(|| text.parse().ok())??;
                (min..=max).contains(&number).then_some(Value::Whole(number))
            }
            Self::Real { min, max } => {
                let number: f64 = text.parse().ok()?;
                // `-0` would be written back as `-0`; NaN is within no range.
                (min..=max).contains(&number).then_some(Value::Real(number.abs()))
            }
            Self::Switch => match text {
                "true" | "True" | "TRUE" => Some(Value::Switch(true)),
                "false" | "False" | "FALSE" => Some(Value::Switch(false)),
                _ => None,
            },
            Self::Choice(words) => word(words, text).map(Value::Text),
            Self::Tongue => word(LANGUAGES, text).map(Value::Text),
            Self::Text => one_line(text).then(|| Value::Text(text.to_owned())),
            Self::Embedder => text.parse().ok().map(|who: Provider| Value::Text(who.to_string())),
            Self::Budget => budget(text).map(Value::Text),
            Self::Folder => folder(text).filter(|it| !is_hidden(it)).map(Value::Text),
            Self::Opener => opener(text).then(|| Value::Text(text.to_owned())),
            Self::Address => text.parse().ok().map(|it: IpAddr| Value::Text(it.to_string())),
            Self::Span { min, max } => {
                let span = parse_duration(text).ok()?;
                (min..=max).contains(&span).then_some(Value::Span(span))
            }
            // The lists.
            _ => None,
        }
    }

    fn list<'a>(self, items: impl Iterator<Item = &'a str>) -> Option<Value> {
        let most = if matches!(self, Self::Models) { MAX_MODELS } else { MAX_ITEMS };
        let mut list = Vec::new();
        for item in items {
            let item = match self {
                Self::Folders => folder(item)?,
                Self::Models => model_name(item).then(|| item.to_owned())?,
                Self::Places => place(item)?,
                Self::Patterns => pattern(item)?,
                Self::People => person(item)?,
                Self::Words(words) => word(words, item)?,
                _ => extension(item)?,
            };
            if !list.contains(&item) {
                list.push(item);
            }
            if list.len() > most {
                return None;
            }
        }
        (!list.is_empty()).then_some(Value::List(list))
    }
}

/// As it would stand in the file.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Switch(yes) => write!(f, "{yes}"),
            Self::Text(text) => f.write_str(&quote(text)),
            Self::List(items) => f.write_str(&list_text(items)),
            Self::Span(span) => f.write_str(&format_duration(*span)),
        }
    }
}

/// Items as the text of a list: `[docs, "my notes"]`.
pub fn list_text(items: &[impl AsRef<str>]) -> String {
    let items: Vec<String> = items.iter().map(|item| quote(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// A text as a YAML scalar: plain where that is safe, else in double quotes with escapes.
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./-+".contains(c);
    let first = |c: char| c.is_alphanumeric() || "_./".contains(c);
    let reserved = ["null", "true", "false", "yes", "no", "on", "off"];
    if text.starts_with(first)
        && text.chars().all(plain)
        && text != "..."
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
    {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' ' => quoted.push(c),
            c if c.is_alphanumeric() || c.is_ascii_graphic() => quoted.push(c),
            c if u32::from(c) > 0xFFFF => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// The start of a text, for a message that says what was found.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

fn word(words: &[&str], text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    words.contains(&text.as_str()).then_some(text)
}

fn one_line(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_TEXT && !text.contains(char::is_control)
}

fn extension(text: &str) -> Option<String> {
    let text = text.strip_prefix('.').unwrap_or(text);
    let fits = one_line(text) && !text.contains(['/', '\\', ' ']);
    fits.then(|| text.to_lowercase())
}

/// Normalises a relative folder: `./docs/` is `docs`. Nothing that leaves the repository, and
/// nothing inside git's folder or ours, is one, in either case: some file systems don't tell them apart.
fn folder(text: &str) -> Option<String> {
    if text.is_empty() || text.len() > MAX_TEXT || text.contains(['\0', '\n', '\r']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(text).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let git = |part: &&str| part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1");
    let ours = |part: &&str| part.eq_ignore_ascii_case(".elophanto");
    if parts.iter().any(git) || parts.first().is_some_and(ours) {
        return None;
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether a folder, or one above it, is hidden: agents, editors and forges obey what lies there.
fn is_hidden(folder: &str) -> bool {
    folder != "." && folder.split('/').any(|part| part.starts_with('.'))
}

/// A folder beneath the repository as [`folder`] has it, or an absolute path that git's folder is
/// no part of.
fn place(text: &str) -> Option<String> {
    let path = Path::new(text);
    if !path.is_absolute() {
        return folder(text);
    }
    let plain = one_line(text)
        && path.components().all(|part| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            part => part == Component::RootDir,
        });
    plain.then(|| text.to_owned())
}

fn pattern(text: &str) -> Option<String> {
    (one_line(text) && globset::Glob::new(text).is_ok()).then(|| text.to_owned())
}

/// Schemes that run what follows them, or show it as if it were a page of ours.
const NOT_TO_BE_OPENED: &[&str] =
    &["about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source"];

fn opener(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return text == "none" };
    let is_scheme = scheme.starts_with(|char: char| char.is_ascii_lowercase())
        && scheme.chars().all(|char| {
            char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '+' | '-' | '.')
        });
    let is_plain = |char: char| char.is_ascii_graphic() && !matches!(char, '"' | '<' | '>' | '\\');
    is_scheme
        && !NOT_TO_BE_OPENED.contains(&scheme)
        && rest.contains("{path}")
        && text.len() <= MAX_TEXT
        && rest.chars().all(is_plain)
}

/// One who speaks over several channels: `telegram:1 slack:U2`.
fn person(text: &str) -> Option<String> {
    let names: Vec<_> = text.split_whitespace().collect();
    let is_known = |name: &&str| {
        let (channel, user) = name.split_once(':').unwrap_or_default();
        !user.is_empty() && Channel::named(channel).is_some()
    };
    let fits = one_line(text) && names.len() > 1 && names.iter().all(is_known);
    fits.then(|| names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::keys::find;
    use super::*;

    fn check(name: &str, text: &str, expected: Option<&str>) {
        let read = find(name).unwrap().kind.read(&Raw::Scalar(text.to_owned()));
        assert_eq!(read.map(|value| value.to_string()).as_deref(), expected, "{name}: {text:?}");
    }

    #[test]
    fn reads_every_kind() {
        for (name, text, expected) in [
            ("search.limit", "5", Some("5")),
            ("search.limit", "0", None),
            ("search.limit", "+5", None),
            ("search.limit", "5.0", None),
            ("search.limit", "99999999999999999999999", None),
            ("search.semantic_weight", "1", Some("1")),
            ("search.semantic_weight", "-0", Some("0")),
            ("search.semantic_weight", "NaN", None),
            ("search.semantic_weight", "inf", None),
            ("search.semantic_weight", "1.01", None),
            ("search.fuzzy", "True", Some("true")),
            ("search.fuzzy", "maybe", None),
            ("search.mode", "Keyword", Some("keyword")),
            ("search.mode", "", None),
            ("search.language", "klingon", None),
            ("search.language", "none", Some("none")),
            ("search.recency_half_life", "2w", Some("2w")),
            ("search.recency_half_life", "0s", None),
            ("knowledge.embedding_model", "a: b", Some(r#""a: b""#)),
            ("knowledge.embedding_model", "a\u{1b}[2J", None),
            ("knowledge.extensions", ".MD, txt,md", Some("[md, txt]")),
            ("knowledge.extensions", "", None),
            ("knowledge.extensions", "a/b", None),
            ("knowledge.embedding_provider", "OpenAI", Some("openai")),
            ("knowledge.embedding_provider", "local:bge-small", Some(r#""local:bge-small""#)),
            ("knowledge.embedding_provider", "local:", None),
            ("knowledge.embedding_provider", "local:../x", None),
            ("knowledge.embedding_provider", "local", None),
            ("knowledge.embedding_dimension", "8193", None),
            (
                "scan.paths",
                "./docs/, /etc/systemd/system/k-*.service",
                Some(r#"[docs, "/etc/systemd/system/k-*.service"]"#),
            ),
            ("scan.paths", "../x", None),
            ("scan.paths", "/srv/../etc", None),
            ("scan.paths", "/srv/.git/hooks", None),
            ("scan.patterns.documentation", "*.rst", Some(r#"["*.rst"]"#)),
            ("scan.patterns.documentation", "a{", None),
            ("llm.timeout", "90s", Some("90s")),
            ("llm.timeout", "2h", None),
            ("llm.budget.run", "0.50usd, 30calls", Some(r#""0.50usd,30calls""#)),
            ("llm.budget.run", "lots", None),
            ("llm.tasks.simple", "a/b, c/d:e", Some(r#"[a/b, "c/d:e"]"#)),
            ("llm.tasks.simple", "gpt-5", None),
            ("gateway.host", "127.0.0.1", Some("127.0.0.1")),
            ("gateway.host", "0:0::1", Some(r#""::1""#)),
            ("gateway.host", "localhost", None),
            ("gateway.port", "65536", None),
            ("page.editor", "none", Some("none")),
            (
                "page.editor",
                "vscode://file/{path}:{line}",
                Some(r#""vscode://file/{path}:{line}""#),
            ),
            ("page.editor", "vscode://file/", None),
            ("page.editor", "javascript:alert('{path}')", None),
            ("page.editor", "JavaScript:alert('{path}')", None),
            ("page.editor", "data:text/html,{path}", None),
            ("page.editor", "file://{path}", None),
            ("page.editor", " vscode:{path}", None),
            ("page.editor", "x:{path}\"onclick=\"y", None),
            ("page.editor", "{path}", None),
            ("gateway.same_person", "none", Some("none")),
            (
                "gateway.same_person",
                "telegram:1  slack:U2, cli:ada web:ada",
                Some(r#"["telegram:1 slack:U2", "cli:ada web:ada"]"#),
            ),
            ("gateway.same_person", "telegram:1", None),
            ("gateway.same_person", "telegram:1 irc:2", None),
            ("gateway.same_person", "telegram:1 slack:", None),
            ("llm.tasks.simple", "", None),
        ] {
            check(name, text, expected);
        }
    }

    #[test]
    fn lists_have_their_own_caps() {
        let models = |count: usize| {
            let items = (0..count).map(|n| format!("a/{n}")).collect();
            find("llm.tasks.simple").unwrap().kind.read(&Raw::List(items))
        };
        assert!(models(16).is_some() && models(17).is_none());
        let budget = find("llm.budget.day").unwrap().kind;
        assert_eq!(budget.read(&Raw::List(vec!["1usd".to_owned()])), None);
    }

    #[test]
    fn folders_stay_beneath_the_repository() {
        for (text, expected) in [
            (".", Some(".")),
            ("./", Some(".")),
            ("docs/", Some("docs")),
            ("./docs//api/.", Some("docs/api")),
            ("my notes", Some(r#""my notes""#)),
            ("..a", None),
            (".claude/commands", None),
            ("docs/.vscode", None),
            ("", None),
            ("..", None),
            ("docs/../..", None),
            ("docs/../notes", None),
            ("/etc", None),
            ("a\0b", None),
            ("a\nb", None),
            (".git", None),
            ("sub/.GIT/hooks", None),
            (".elophanto/index", None),
        ] {
            check("knowledge.write_root", text, expected);
        }
    }
}
