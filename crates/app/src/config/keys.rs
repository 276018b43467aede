//! The one table of settings, made of what [`super::sections`] declares.
//!
//! Validation, the commented file that `init` writes and the list that `doctor` prints all come
//! from [`KEYS`]. The one section whose names people choose themselves is [`super::providers`].

use std::sync::LazyLock;

use super::declare::Section as _;
use super::kind::{Kind, Raw, Value};
use super::providers;
use super::sections::Sections;

/// With this begins the name of every variable that sets something.
pub(super) const VARIABLES: &str = "ELOPHANTO_";

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
    /// Unless it says one of these words. One that ends with a colon stands for every text that
    /// begins with it.
    Except(&'static [&'static str]),
    /// A number, a length of time or a switch that a repository may lower, and raise only once it is
    /// trusted.
    Raising,
    /// The same of a number of which 0 is the most: it sets no limit.
    RaisingTo0,
    /// The same of these words, the narrowest first.
    Widening(&'static [&'static str]),
}

/// Every setting, grouped by section, in the order of the generated file.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut table = Vec::new();
    Sections::keys(&mut table);
    table
});

/// The setting of that name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether some setting's name begins with this one and a dot.
pub fn is_section(name: &str) -> bool {
    let begins = |key: &Key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    name == providers::SECTION || KEYS.iter().any(begins)
}

/// The known setting or section that an unknown name most likely means.
pub fn suggest(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > 100 {
        return None;
    }
    if providers::is_meant(name) {
        return providers::suggest(name);
    }
    let leaf = name.rsplit('.').next().unwrap_or(name);
    let mut same_leaf = KEYS.iter().filter(|key| key.name.rsplit('.').next() == Some(leaf));
    if let (Some(only), None) = (same_leaf.next(), same_leaf.next()) {
        return Some(only.name);
    }
    let names = KEYS.iter().map(|key| key.name);
    let sections = KEYS.iter().map(|key| key.split().0).chain([providers::SECTION]);
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    names
        .chain(sections)
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
        format!("{VARIABLES}{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Whether this value of a repository's file is above another: what the user says, else the default.
    fn raises(&self, value: &Value, allowed: Option<&Value>) -> bool {
        let size = |value: &Value| match (self.needs_trust, value) {
            (NeedsTrust::RaisingTo0, Value::Whole(0)) => Some(u128::MAX),
            (_, Value::Whole(number)) => Some(u128::from(*number)),
            (_, Value::Span(span)) => Some(span.as_nanos()),
            (_, Value::Switch(is_on)) => Some(u128::from(*is_on)),
            (NeedsTrust::Widening(words), Value::Text(text)) => {
                words.iter().position(|word| word == text).map(|at| at as u128)
            }
            _ => None,
        };
        let usual = || self.kind.read(&Raw::Scalar(self.default.to_owned()));
        let allowed = allowed.cloned().or_else(usual);
        let allowed = allowed.as_ref().and_then(size);
        size(value).is_none_or(|size| allowed.is_none_or(|allowed| size > allowed))
    }

    /// Whether this value of a repository's file is passed over until the user trusts the file; `allowed` is
    /// what the user says, if anything.
    pub fn guards(&self, value: &Value, allowed: Option<&Value>) -> bool {
        match self.needs_trust {
            NeedsTrust::Never => false,
            NeedsTrust::Always => true,
            NeedsTrust::Raising | NeedsTrust::RaisingTo0 | NeedsTrust::Widening(_) => {
                self.raises(value, allowed)
            }
            NeedsTrust::Except(words) => {
                let text = match value {
                    Value::Text(text) => text.as_str(),
                    Value::Switch(true) => "true",
                    Value::Switch(false) => "false",
                    _ => return true,
                };
                let is =
                    |word: &&str| *word == text || word.ends_with(':') && text.starts_with(word);
                !words.iter().any(is)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::raw_of;
    use super::*;

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
            ("knowledge.embedding_provider", "local:bge", false),
            ("knowledge.embedding_dimension", "256", false),
            ("llm.local_only", "true", false),
            ("llm.local_only", "false", true),
            ("llm.budget.run", "none", true),
            ("llm.budget.month", "1calls", true),
            ("llm.tasks.coding", "evil/x", true),
            ("index.commit", "always", false),
            ("index.background", "true", false),
            ("changelog.enabled", "false", false),
            ("scan.skip", "x", false),
            ("learn.keep", "git", true),
            ("learn.keep", "local", false),
            ("learn.keep", "none", false),
            ("journal.share", "true", false),
            ("agent.notes", "journal", false),
            ("agent.notes", "none", false),
            ("agent.notes", "knowledge", true),
            ("agent.context_tokens", "0", false),
            ("agent.context_tokens", "2000", false),
            ("agent.readers", "4", true),
            ("agent.reader_tokens", "50001", true),
            ("llm.context_tokens", "16385", true),
            ("llm.max_tokens", "100000", true),
            ("llm.max_tokens", "64", false),
            ("llm.timeout", "3m", true),
            ("llm.images", "always", true),
            ("llm.images", "never", false),
            ("agent.max_steps", "40", false),
            ("agent.max_steps", "41", true),
            ("agent.tool_timeout", "1s", false),
            ("agent.tool_timeout", "1h", true),
            ("agent.tool_memory", "1048576", false),
            ("agent.tool_memory", "1099511627776", true),
            ("enrich.searches_per_hour", "1", false),
            ("enrich.searches_per_hour", "3600", true),
        ] {
            let key = find(name).unwrap();
            let value = key.kind.read(&Raw::Scalar(text.to_owned())).unwrap();
            assert_eq!(key.guards(&value, None), expected, "{name}: {text}");
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
            ("llm.taks", Some("llm.tasks")),
            ("llm.task.planing", Some("llm.tasks.planning")),
            ("llm.provider", Some("llm.providers")),
            ("llm.providers.x.baseurl", Some("llm.providers.NAME.base_url")),
            ("LLM.providers.x.Key", Some("llm.providers.NAME.key")),
            ("llm.providers.x.timeout", None),
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
            let value = key.kind.read(&raw_of(key.default));
            let value = value.unwrap_or_else(|| panic!("{}", key.name));
            assert_eq!(value.to_string(), key.default);
            assert!(key.doc.ends_with('.') && key.doc.len() < 90, "{}", key.name);
            let words = match key.needs_trust {
                NeedsTrust::Except(words) | NeedsTrust::Widening(words) => words,
                _ => continue,
            };
            match key.kind {
                Kind::Choice(known) if matches!(key.needs_trust, NeedsTrust::Widening(_)) => {
                    let mut sorted = [words, known].map(<[&str]>::to_vec);
                    sorted.iter_mut().for_each(|words| words.sort_unstable());
                    assert_eq!(sorted[0], sorted[1], "{}", key.name);
                }
                Kind::Choice(known) => {
                    assert!(words.iter().all(|word| known.contains(word)), "{}", key.name);
                    assert!(!key.guards(&value, None), "{}: the default needs trust", key.name);
                }
                Kind::Embedder => assert!(!key.guards(&value, None), "{}", key.name),
                // The narrower of the two is harmless; the default need not be it.
                Kind::Switch => assert!(matches!(words, ["true"] | ["false"]), "{}", key.name),
                _ => panic!("{} has no words", key.name),
            }
        }
    }
}
