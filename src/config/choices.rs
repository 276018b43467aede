//! The settings that pick one of a few words, as enums.
//!
//! Owns the words and nothing else: what a choice means is the business of the room that acts on
//! it.

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
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// Every word, in the order in which help texts list them.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word that stands in a configuration file.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                match text.to_ascii_lowercase().as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord {
                        expected: one_of(Self::WORDS),
                        found: text.chars().take(80).collect(),
                    }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

choice! {
    /// Who turns text into vectors.
    Provider {
        /// The best of those that can be reached, decided once and then pinned.
        Auto = "auto",
        /// The small static model inside the program.
        Builtin = "builtin",
        /// A local MiniLM model.
        Minilm = "minilm",
        /// OpenRouter, over the network.
        Openrouter = "openrouter",
        /// Any endpoint that speaks OpenAI's protocol.
        Openai = "openai",
        /// A local Ollama.
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

choice! {
    /// The language whose word endings keyword search removes: what Snowball has rules for.
    Language {
        /// Arabic.
        Arabic = "arabic",
        /// Armenian.
        Armenian = "armenian",
        /// Basque.
        Basque = "basque",
        /// Catalan.
        Catalan = "catalan",
        /// Czech.
        Czech = "czech",
        /// Danish.
        Danish = "danish",
        /// Dutch.
        Dutch = "dutch",
        /// English.
        English = "english",
        /// Esperanto.
        Esperanto = "esperanto",
        /// Estonian.
        Estonian = "estonian",
        /// Finnish.
        Finnish = "finnish",
        /// French.
        French = "french",
        /// German.
        German = "german",
        /// Greek.
        Greek = "greek",
        /// Hindi.
        Hindi = "hindi",
        /// Hungarian.
        Hungarian = "hungarian",
        /// Indonesian.
        Indonesian = "indonesian",
        /// Irish.
        Irish = "irish",
        /// Italian.
        Italian = "italian",
        /// Lithuanian.
        Lithuanian = "lithuanian",
        /// Nepali.
        Nepali = "nepali",
        /// Norwegian.
        Norwegian = "norwegian",
        /// Persian.
        Persian = "persian",
        /// Polish.
        Polish = "polish",
        /// Portuguese.
        Portuguese = "portuguese",
        /// Romanian.
        Romanian = "romanian",
        /// Russian.
        Russian = "russian",
        /// Serbian.
        Serbian = "serbian",
        /// Sesotho.
        Sesotho = "sesotho",
        /// Spanish.
        Spanish = "spanish",
        /// Swedish.
        Swedish = "swedish",
        /// Tamil.
        Tamil = "tamil",
        /// Turkish.
        Turkish = "turkish",
        /// Yiddish.
        Yiddish = "yiddish",
        /// Words are taken as they stand.
        None = "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for word in Language::WORDS {
            assert_eq!(word.parse::<Language>().unwrap().as_str(), *word);
        }
        assert_eq!("Hybrid".parse::<Mode>().unwrap(), Mode::Hybrid);
        assert_eq!(
            "fast".parse::<Mode>().unwrap_err().to_string(),
            r#"expected hybrid, keyword or semantic, found "fast""#
        );
    }

    #[test]
    fn every_language_has_a_stemmer() {
        for word in Language::WORDS.iter().filter(|word| **word != "none") {
            assert!(frostem::Stemmer::try_from_name(word).is_ok(), "{word}");
        }
    }
}
