//! Names of models, as settings write them.

use std::{fmt, str::FromStr};

/// Characters of a name.
const LENGTH_CAP: usize = 200;

/// A provider and its own name of a model: `openrouter/google/gemini-2.5-flash`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelRef {
    provider: String,
    model: String,
}

/// Why a text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelRefError {
    #[error("`{0}` is not of the form `provider/model`")]
    Form(String),
    #[error("the provider in `{0}` has other characters than a-z, 0-9, `-` and `_`")]
    Provider(String),
    #[error("the model in `{0}` has spaces or control characters")]
    Model(String),
    #[error("the name of a model has {length} characters, over the cap of {LENGTH_CAP}")]
    TooLong { length: usize },
}

impl ModelRef {
    /// What stands before the first `/`: the name of a provider in the settings.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// What stands behind it: the name of the model there.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether Ollama only passes the request on, to a model that runs on other people's machines.
    pub fn is_remote_tag(&self) -> bool {
        let tag = self.model.rsplit_once(':').map_or("", |(_, tag)| tag);
        let tag = tag.to_ascii_lowercase();
        tag == "cloud"
            || tag.ends_with("-cloud")
            || self.model.to_ascii_lowercase().ends_with("-cloud")
    }

    /// Whether both are the same model, be it at different providers, and as far as names tell.
    pub fn is_same_model(&self, other: &Self) -> bool {
        self == other || self.family() == other.family()
    }

    /// The model without who offers it, without its date, and without the ways to be served that
    /// OpenRouter adds after a colon.
    pub(super) fn family(&self) -> String {
        let last = self.model.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let served = ["free", "nitro", "floor", "online", "extended", "exacto", "latest"];
        let last = match last.rsplit_once(':') {
            Some((name, way)) if served.contains(&way) => name,
            _ => &last,
        };
        let name = last.replace('.', "-");
        let name = name.strip_suffix("-latest").unwrap_or(&name);
        without_date(name).to_owned()
    }
}

/// Without `-20250929` or `-2025-08-07` at its end.
fn without_date(name: &str) -> &str {
    let is_date = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let dashes = text.chars().filter(|char| *char == '-').count();
        digits.len() == 8
            && digits.starts_with("20")
            && (text.len() == 8 || (text.len() == 10 && dashes == 2))
    };
    for length in [8, 10] {
        let cut = name.len().checked_sub(length + 1).and_then(|at| name.split_at_checked(at));
        if let Some((before, date)) = cut
            && let Some(date) = date.strip_prefix('-')
            && is_date(date)
        {
            return before;
        }
    }
    name
}

impl FromStr for ModelRef {
    type Err = ModelRefError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let length = text.chars().count();
        if length > LENGTH_CAP {
            return Err(ModelRefError::TooLong { length });
        }
        let name = || text.to_owned();
        let (provider, model) = text.split_once('/').ok_or_else(|| ModelRefError::Form(name()))?;
        if provider.is_empty() || model.is_empty() {
            return Err(ModelRefError::Form(name()));
        }
        let plain =
            |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "-_".contains(char);
        if !provider.chars().all(plain) {
            return Err(ModelRefError::Provider(name()));
        }
        if model.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(ModelRefError::Model(name()));
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, provider, model) in [
            ("openrouter/google/gemini-2.5-flash", "openrouter", "google/gemini-2.5-flash"),
            ("ollama/qwen2.5-coder:14b", "ollama", "qwen2.5-coder:14b"),
            ("my_own-1/x", "my_own-1", "x"),
        ] {
            let model_ref: ModelRef = text.parse().unwrap();
            assert_eq!((model_ref.provider(), model_ref.model()), (provider, model));
            assert_eq!(model_ref.to_string(), text);
        }
        for text in ["", "x", "/x", "x/", "X/y", "a b/c", "a/b c", "a/b\u{1b}", &"a/".repeat(150)] {
            assert!(text.parse::<ModelRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_same_model_elsewhere_is_recognised() {
        let check = |one: &str, two: &str, expected| {
            let (one, two): (ModelRef, ModelRef) = (one.parse().unwrap(), two.parse().unwrap());
            assert_eq!(one.is_same_model(&two), expected, "{one} {two}");
        };
        check(
            "anthropic/claude-sonnet-4-5-20250929",
            "openrouter/anthropic/claude-sonnet-4.5",
            true,
        );
        check("openai/gpt-5-2025-08-07", "openrouter/openai/gpt-5:nitro", true);
        check("openai/gpt-5", "openai/gpt-5-mini", false);
        check("ollama/qwen2.5-coder:14b", "ollama/qwen2.5-coder:7b", false);
        check("ollama/llama3.1:latest", "ollama/llama3.1", true);
        check("a/é20250929", "a/é", false);
    }
}
