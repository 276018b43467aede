//! The settings that pick one of a few words, as enums.
//!
//! Owns the words and nothing else: what a choice means is the business of the room that acts on
//! it.

use super::declare::{Field, Natural, field};
use super::forms::local_name;
use super::kind::{Kind, Value, shown};

/// The word is none of those the setting knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct UnknownWord {
    expected: String,
    found: String,
}

/// Joins words as people do: `a, b or c`.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        elophanto_base::named! {
            $(#[$doc])*
            #[derive(Hash)]
            pub enum $name, as_str { $($(#[$variant_doc])* $variant = $word,)+ }
        }

        impl $name {
            /// Every word, in the order in which help texts list them.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                Self::named(&text.to_ascii_lowercase()).ok_or_else(|| UnknownWord {
                    expected: one_of(Self::WORDS),
                    found: shown(text),
                })
            }
        }

        field! { $name = Kind::Choice($name::WORDS), Value::Text(text) => text.parse().ok(); }
    };
}

/// Who turns text into vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Provider {
    /// The best of those that can be reached, decided once and then pinned.
    Auto,
    /// The small static model inside the program.
    Builtin,
    /// A local MiniLM model.
    Minilm,
    /// OpenRouter, over the network.
    Openrouter,
    /// Any endpoint that speaks OpenAI's protocol.
    Openai,
    /// A local Ollama.
    Ollama,
    /// A model that the user added under this name, run by this program.
    Local(String),
}

impl Provider {
    /// Every provider that is one word, in the order in which help texts list them.
    pub const WORDS: &'static [&'static str] =
        &["auto", "builtin", "minilm", "openrouter", "openai", "ollama"];

    /// What stands in front of a local model's name.
    pub const LOCAL: &'static str = "local:";

    /// What a provider must be, to follow the word "expected".
    pub(super) fn expected() -> String {
        let local = format!("{}NAME", Self::LOCAL);
        one_of(&[Self::WORDS, &[local.as_str()]].concat())
    }
}

impl std::str::FromStr for Provider {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let lower = text.to_ascii_lowercase();
        Ok(match lower.as_str() {
            "auto" => Self::Auto,
            "builtin" => Self::Builtin,
            "minilm" => Self::Minilm,
            "openrouter" => Self::Openrouter,
            "openai" => Self::Openai,
            "ollama" => Self::Ollama,
            other => match other.strip_prefix(Self::LOCAL) {
                Some(name) if local_name(name) => Self::Local(name.to_owned()),
                _ => {
                    let found = text.chars().take(80).collect();
                    return Err(UnknownWord { expected: Self::expected(), found });
                }
            },
        })
    }
}

field! { Provider = Kind::Embedder, Value::Text(text) => text.parse().ok(); }

/// As it stands in a configuration file.
impl std::fmt::Display for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Builtin => "builtin",
            Self::Minilm => "minilm",
            Self::Openrouter => "openrouter",
            Self::Openai => "openai",
            Self::Ollama => "ollama",
            Self::Local(name) => return write!(f, "{}{name}", Self::LOCAL),
        })
    }
}

choice! {
    /// Where learning looks.
    Source {
        /// The notes of this repository.
        Knowledge = "knowledge",
        /// Files on this machine.
        Files = "files",
        /// A SearXNG.
        Searxng = "searxng",
        /// Brave Search.
        Brave = "brave",
        /// Tavily.
        Tavily = "tavily",
        /// A program of the user's.
        Command = "command",
    }
}

choice! {
    /// How long the texts are kept that facts were found in.
    KeepTexts {
        /// Until they were read.
        None = "none",
        /// On this machine.
        Local = "local",
        /// Also in git.
        Git = "git",
    }
}

choice! {
    /// Where discoveries are told.
    SinkKind {
        /// Beside what a command prints.
        Terminal = "terminal",
        /// A file of JSON Lines.
        File = "file",
        /// A desktop notification.
        Desktop = "desktop",
        /// A program of the user's.
        Command = "command",
        /// An address that takes JSON.
        Webhook = "webhook",
        /// By the user's bot at Telegram.
        Telegram = "telegram",
        /// By the user's bot at Discord.
        Discord = "discord",
        /// By the user's app at Slack.
        Slack = "slack",
    }
}

choice! {
    /// How a provider of language models is spoken to.
    Protocol {
        /// Chat completions as OpenAI has them.
        Openai = "openai",
        /// Messages as Anthropic has them.
        Anthropic = "anthropic",
        /// Chat as Ollama has it.
        Ollama = "ollama",
    }
}

choice! {
    /// Which of the two kinds of search answer.
    Mode {
        /// Both, fused.
        Hybrid = "hybrid",
        /// Words only.
        Keyword = "keyword",
        /// Meaning only.
        Semantic = "semantic",
    }
}

choice! {
    /// How the scores of one hit are fused.
    Ranking {
        /// A weighted mean of both scores, brought to one scale.
        Weighted = "weighted",
        /// Cosine plus a boost for exact words plus a boost for recent notes.
        Additive = "additive",
    }
}

choice! {
    /// Whether a search describes files again that changed since they were described.
    RefreshStale {
        /// Also where a model is asked that costs something.
        Always = "always",
        /// Only where that costs nothing.
        Local = "local",
        /// Not at all: what is stale is marked.
        Never = "never",
    }
}

choice! {
    /// Whether a slower model looks again at the best hits of the built-in one.
    SecondLook {
        /// Where somebody waits for the hits, for a moment: not for a pipe.
        Auto = "auto",
        /// Everywhere, at as many as there are.
        Always = "always",
        /// Nowhere.
        Never = "never",
    }
}

choice! {
    /// Whether new vectors go into the commit.
    CommitIndex {
        /// With every commit.
        Always = "always",
        /// Only those of a model that is slow to run again.
        Slow = "slow",
        /// Not at all: whoever clones embeds again.
        Never = "never",
    }
}

/// The languages whose word endings keyword search removes: what Snowball has rules for. With
/// `none` words are taken as they stand.
#[rustfmt::skip]
pub(super) const LANGUAGES: &[&str] = &[
    "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish",
    "italian", "lithuanian", "nepali", "norwegian", "persian", "polish", "portuguese", "romanian",
    "russian", "serbian", "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish", "none",
];

choice! {
    /// What the agent does without asking.
    AgentMode {
        /// Nothing.
        Ask = "ask",
        /// What is safe by rules.
        Smart = "smart",
        /// Everything but what asks in every mode.
        Full = "full",
    }
}

choice! {
    /// Where the agent writes down what became of a task.
    TaskNotes {
        /// In the journal of this clone.
        Journal = "journal",
        /// As notes of the knowledge base.
        Knowledge = "knowledge",
        /// Nowhere.
        None = "none",
    }
}

choice! {
    /// When the agent looks back at what it did.
    Reflection {
        /// After every step.
        Steps = "steps",
        /// After steps that failed.
        Failures = "failures",
    }
}

choice! {
    /// Which models are shown pictures.
    Images {
        /// Those that are known to take them.
        Auto = "auto",
        /// All.
        Always = "always",
        /// None.
        Never = "never",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for word in Source::WORDS {
            assert_eq!(word.parse::<Source>().unwrap().as_str(), *word);
        }
        assert_eq!("Hybrid".parse::<Mode>().unwrap(), Mode::Hybrid);
        assert_eq!(
            "fast".parse::<Mode>().unwrap_err().to_string(),
            r#"expected hybrid, keyword or semantic, found "fast""#
        );
    }

    #[test]
    fn providers_read_back() {
        for text in Provider::WORDS.iter().copied().chain(["local:bge-small.v1_5"]) {
            assert_eq!(text.parse::<Provider>().unwrap().to_string(), text);
        }
        let local = Provider::Local("bge".to_owned());
        assert_eq!("LOCAL:Bge".parse::<Provider>().unwrap(), local);
        for text in ["", "local", "local:", "local:a/b", "local:.x", "local:a b", "remote:x"] {
            assert!(text.parse::<Provider>().is_err(), "{text}");
        }
        assert_eq!(
            "x".parse::<Provider>().unwrap_err().to_string(),
            "expected auto, builtin, minilm, openrouter, openai, ollama or local:NAME, found \"x\""
        );
    }

    #[test]
    fn every_language_has_a_stemmer() {
        for word in LANGUAGES.iter().filter(|word| **word != "none") {
            assert!(frostem::Stemmer::try_from_name(word).is_ok(), "{word}");
        }
    }
}
