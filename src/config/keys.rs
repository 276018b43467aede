//! The one table of settings, and how each kind of setting is read from and written as text.
//!
//! Validation, the commented file that `init` writes and the list that `doctor` prints all come
//! from [`KEYS`]. Nothing here knows where a text came from.

use std::time::Duration;

use super::choices::{CommitIndex, Language, Mode, Provider, Ranking, one_of};
use super::duration::{format_duration, parse_duration};

/// Longest text of one setting, in bytes.
pub const MAX_TEXT: usize = 1_024;
/// Most items of one list.
pub const MAX_ITEMS: usize = 256;

const SECOND: Duration = Duration::from_secs(1);
const TEN_YEARS: Duration = Duration::from_secs(3_650 * 86_400);

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// Dotted name, as in `search.limit`.
    pub name: &'static str,
    /// What holds when nobody says otherwise, as it would stand in the file.
    pub default: &'static str,
    /// Which values are allowed.
    pub kind: Kind,
    /// One line for people.
    pub doc: &'static str,
    /// Whether a repository's file may set it by itself.
    pub needs_trust: NeedsTrust,
}

/// Whether a value that comes from a repository's file is obeyed only once the user trusts that
/// file. The user's own file, variables and flags are always obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsTrust {
    /// Nothing that it may say leaves the machine, runs a program or widens a right.
    Never,
    /// Whatever it says.
    Always,
    /// Unless it says one of these words.
    Except(&'static [&'static str]),
}

/// Which values a setting allows.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number within bounds.
    Whole { min: u64, max: u64 },
    /// A number within bounds.
    Real { min: f64, max: f64 },
    /// Yes or no.
    Switch,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A language of [`Language`].
    Tongue,
    /// One line of text.
    Text,
    /// File name endings without the dot.
    Extensions,
    /// A folder beneath the repository.
    Folder,
    /// Folders beneath the repository.
    Folders,
    /// A length of time within bounds.
    Span { min: Duration, max: Duration },
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

/// Every setting, grouped by section, in the order of the generated file.
pub const KEYS: &[Key] = &[
    key("knowledge.roots", "[.]", Kind::Folders)
        .doc("Folders to read, relative to the repository; `.` is every Markdown file in it."),
    key("knowledge.write_root", "knowledge", Kind::Folder)
        .doc("Folder that elophanto writes its own notes to."),
    key("knowledge.extensions", "[md, markdown, mdown, mkd]", Kind::Extensions)
        .doc("File name endings that count as Markdown."),
    key("knowledge.embedding_provider", "auto", Kind::Choice(Provider::WORDS))
        .doc("Who embeds: auto, builtin, minilm, openrouter, openai or ollama.")
        // The others hand the text of notes to another program or another machine.
        .needs_trust(NeedsTrust::Except(&["auto", "builtin", "minilm"])),
    key("knowledge.embedding_openrouter_model", "google/gemini-embedding-001", Kind::Text)
        .doc("Model to ask for at OpenRouter.")
        // It decides whose machine the text is sent on to, and what that costs. The other two
        // name a model at an endpoint that the user chose.
        .needs_trust(NeedsTrust::Always),
    key("knowledge.embedding_model", "nomic-embed-text", Kind::Text)
        .doc("Model to ask for at Ollama or at an OpenAI-compatible endpoint."),
    key("knowledge.embedding_fallback", "mxbai-embed-large", Kind::Text)
        .doc("Model to ask Ollama for where the first is missing."),
    key("knowledge.index_interval", "6h", Kind::Span { min: MILLIS_100, max: TEN_YEARS })
        .doc("How often `index --every` runs when no time is given."),
    key("knowledge.max_file_bytes", "16777216", Kind::Whole { min: 1_024, max: 1 << 30 })
        .doc("A larger file is skipped and reported."),
    key("knowledge.chunk.max_tokens", "1000", Kind::Whole { min: 50, max: 100_000 })
        .doc("A larger section is cut: at H3, then between blocks, then between sentences."),
    key("knowledge.chunk.min_tokens", "50", Kind::Whole { min: 0, max: 100_000 })
        .doc("A smaller section joins its neighbour."),
    key("knowledge.chunk.min_split_tokens", "200", Kind::Whole { min: 0, max: 100_000 })
        .doc("Cutting between blocks keeps at least this much; at most max_tokens counts."),
    key("search.limit", "10", Kind::Whole { min: 1, max: 10_000 })
        .doc("How many hits are shown when nothing is said."),
    key("search.mode", "hybrid", Kind::Choice(Mode::WORDS))
        .doc("hybrid (words and meaning), keyword or semantic."),
    key("search.ranking", "weighted", Kind::Choice(Ranking::WORDS))
        .doc("weighted (mean of both scores) or additive (cosine plus boosts)."),
    key("search.semantic_weight", "0.4", Kind::Real { min: 0.0, max: 1.0 })
        .doc("Share of meaning in a weighted score; words have the rest."),
    key("search.recency_weight", "0.02", Kind::Real { min: 0.0, max: 1.0 })
        .doc("What being written just now adds to a score."),
    key("search.recency_half_life", "90d", Kind::Span { min: SECOND, max: TEN_YEARS })
        .doc("After this time half of that is left."),
    key("search.language", "english", Kind::Tongue)
        .doc("Language whose word endings are removed, by its Snowball name, or none."),
    key("search.fuzzy", "true", Kind::Switch)
        .doc("Whether a misspelt word finds its neighbours when it finds nothing itself."),
    key("search.collapse_similarity", "0.97", Kind::Real { min: 0.0, max: 1.0 })
        .doc("Hits more alike than this (cosine) are shown as one."),
    key("index.commit", "always", Kind::Choice(CommitIndex::WORDS))
        .doc("Whether vectors are committed: always, slow (of slow models only) or never."),
    key("changelog.enabled", "true", Kind::Switch)
        .doc("Whether a commit adds an entry to the changelog."),
];

const MILLIS_100: Duration = Duration::from_millis(100);

/// The setting of that name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether some setting's name begins with this one and a dot.
pub fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// The known setting or section that an unknown name most likely means.
pub fn suggest(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > 100 {
        return None;
    }
    let leaf = name.rsplit('.').next().unwrap_or(name);
    let mut same_leaf = KEYS.iter().filter(|key| key.name.rsplit('.').next() == Some(leaf));
    if let (Some(only), None) = (same_leaf.next(), same_leaf.next()) {
        return Some(only.name);
    }
    let names = KEYS.iter().map(|key| key.name);
    let sections = ["knowledge", "knowledge.chunk", "search", "index", "changelog"];
    let candidates = names.chain(sections.into_iter().filter(|section| is_section(section)));
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    candidates
        .map(|known| (likeness(known), known))
        .filter(|(score, _)| *score >= 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

impl Key {
    /// Section and last part of the name.
    pub fn split(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }

    /// The environment variable that sets it: `ELOPHANTO_SEARCH_LIMIT` for `search.limit`.
    pub fn variable(&self) -> String {
        format!("ELOPHANTO_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Whether this value of a repository's file is passed over until the user trusts the file.
    pub fn guards(&self, value: &Value) -> bool {
        match self.needs_trust {
            NeedsTrust::Never => false,
            NeedsTrust::Always => true,
            NeedsTrust::Except(words) => match value {
                Value::Text(text) => !words.contains(&text.as_str()),
                _ => true,
            },
        }
    }

    const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    const fn needs_trust(self, needs_trust: NeedsTrust) -> Self {
        Self { needs_trust, ..self }
    }
}

const fn key(name: &'static str, default: &'static str, kind: Kind) -> Key {
    Key { name, default, kind, doc: "", needs_trust: NeedsTrust::Never }
}

impl Kind {
    /// What a value must be, to follow the word "expected".
    pub fn expected(self) -> String {
        match self {
            Self::Whole { min, max } => format!("a whole number from {min} to {max}"),
            Self::Real { min, max } => format!("a number from {min} to {max}"),
            Self::Switch => "true or false".to_owned(),
            Self::Choice(words) => one_of(words),
            Self::Tongue => format!("a language ({})", one_of(Language::WORDS)),
            Self::Text => format!("one line of at most {MAX_TEXT} bytes"),
            Self::Extensions => {
                format!("a list of at most {MAX_ITEMS} file name endings such as [md, markdown]")
            }
            Self::Folder => "a relative folder beneath the repository, not its .git".to_owned(),
            Self::Folders => format!(
                "a list of at most {MAX_ITEMS} relative folders beneath the repository, not its .git"
            ),
            Self::Span { min, max } => format!(
                "a duration from {} to {} such as 300ms, 30s, 10m, 6h, 2d or 1w",
                format_duration(min),
                format_duration(max)
            ),
        }
    }

    /// Whether the value is a list.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Extensions | Self::Folders)
    }

    /// Checks a text. `None` means that it is not what [`Kind::expected`] says.
    pub fn read(self, raw: &Raw) -> Option<Value> {
        match raw {
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
            Self::Choice(words) => word(words, text),
            Self::Tongue => word(Language::WORDS, text),
            Self::Text => one_line(text).then(|| Value::Text(text.to_owned())),
            Self::Folder => folder(text).map(Value::Text),
            Self::Span { min, max } => {
                let span = parse_duration(text).ok()?;
                (min..=max).contains(&span).then_some(Value::Span(span))
            }
            Self::Extensions | Self::Folders => None,
        }
    }

    fn list<'a>(self, items: impl Iterator<Item = &'a str>) -> Option<Value> {
        let mut list = Vec::new();
        for item in items {
            let item = match self {
                Self::Folders => folder(item)?,
                _ => extension(item)?,
            };
            if !list.contains(&item) {
                list.push(item);
            }
            if list.len() > MAX_ITEMS {
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
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quote(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Span(span) => f.write_str(&format_duration(*span)),
        }
    }
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

fn word(words: &[&str], text: &str) -> Option<Value> {
    let text = text.to_ascii_lowercase();
    words.contains(&text.as_str()).then_some(Value::Text(text))
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
    use std::path::{Component, Path};
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

#[cfg(test)]
mod tests {
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
        ] {
            check(name, text, expected);
        }
    }

    #[test]
    fn what_needs_trust() {
        for (name, text, expected) in [
            ("knowledge.embedding_provider", "auto", false),
            ("knowledge.embedding_provider", "Builtin", false),
            ("knowledge.embedding_provider", "minilm", false),
            ("knowledge.embedding_provider", "openrouter", true),
            ("knowledge.embedding_provider", "openai", true),
            ("knowledge.embedding_provider", "OLLAMA", true),
            ("knowledge.embedding_openrouter_model", "a/b", true),
            ("knowledge.embedding_model", "a", false),
            ("search.mode", "semantic", false),
        ] {
            let key = find(name).unwrap();
            let value = key.kind.read(&Raw::Scalar(text.to_owned())).unwrap();
            assert_eq!(key.guards(&value), expected, "{name}: {text}");
        }
    }

    #[test]
    fn folders_stay_beneath_the_repository() {
        for (text, expected) in [
            (".", Some(".")),
            ("./", Some(".")),
            ("docs/", Some("docs")),
            ("./docs//api/.", Some("docs/api")),
            ("my notes", Some(r#""my notes""#)),
            ("..a", Some("..a")),
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

    #[test]
    fn suggests_what_was_meant() {
        for (name, expected) in [
            ("knowledge.rots", Some("knowledge.roots")),
            ("search.semantic_wieght", Some("search.semantic_weight")),
            ("limit", Some("search.limit")),
            ("knowledge.max_tokens", Some("knowledge.chunk.max_tokens")),
            ("serch", Some("search")),
            ("something.else", None),
            ("", None),
        ] {
            assert_eq!(suggest(name), expected, "{name}");
        }
    }

    #[test]
    fn the_table_is_sound() {
        for (at, key) in KEYS.iter().enumerate() {
            assert!(KEYS[..at].iter().all(|other| other.name != key.name), "{}", key.name);
            let text = key.default.trim_matches(['[', ']']).to_owned();
            let value = key.kind.read(&Raw::Scalar(text)).unwrap_or_else(|| panic!("{}", key.name));
            assert_eq!(value.to_string(), key.default);
            assert!(key.doc.ends_with('.') && key.doc.len() < 90, "{}", key.name);
            if let NeedsTrust::Except(words) = key.needs_trust {
                let Kind::Choice(known) = key.kind else { panic!("{} has no words", key.name) };
                assert!(words.iter().all(|word| known.contains(word)), "{}", key.name);
                assert!(!key.guards(&value), "{}: the default needs trust", key.name);
            }
        }
    }
}
