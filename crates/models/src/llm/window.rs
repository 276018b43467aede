//! How much a model takes at once, where that is known.
//!
//! Unlike a price, a window that is wrong does no lasting harm: a prompt that is too long is refused,
//! and is made shorter. So a row holds for a whole family, newer models included. Figures are those of
//! the providers' own pages, of prompt and answer together. A model that Ollama runs has the window that
//! it is asked for, whatever its name.

use super::model_ref::ModelRef;

/// How families begin, and tokens.
const TABLE: &[(&str, u64)] = &[
    ("claude", 200_000),
    ("codex-mini", 200_000),
    ("deepseek", 128_000),
    ("gemini", 1_048_576),
    ("glm-4-6", 200_000),
    ("gpt-4-1", 1_047_576),
    ("gpt-4o", 128_000),
    // 400,000 with the answer, of which the prompt may be no more than this.
    ("gpt-5", 272_000),
    ("gpt-oss", 131_072),
    ("grok-4", 256_000),
    ("grok-code", 256_000),
    ("kimi-k2", 131_072),
    ("llama-3-1", 131_072),
    ("llama-3-3", 131_072),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("qwen3-coder", 262_144),
];

/// Tokens of prompt and answer together. `None`: not known.
pub fn window(model: &ModelRef) -> Option<u64> {
    let family = model.family();
    let is_of = |name: &str| {
        let rest = family.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    TABLE.iter().find(|(name, _)| is_of(name)).map(|&(_, tokens)| tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_found_by_family() {
        let check = |model: &str, expected: Option<u64>| {
            assert_eq!(window(&model.parse().unwrap()), expected, "{model}");
        };
        check("anthropic/claude-sonnet-4-5-20250929", Some(200_000));
        check("openrouter/anthropic/claude-sonnet-4.5", Some(200_000));
        check("openrouter/google/gemini-2.5-flash-lite", Some(1_048_576));
        check("openai/gpt-5.1", Some(272_000));
        check("openai/gpt-4.1-mini", Some(1_047_576));
        check("openai/gpt-4o-mini", Some(128_000));
        check("openai/gpt-50", None);
        check("openai/gpt-4", None);
        check("one/m", None);
        assert!(TABLE.is_sorted_by_key(|(name, _)| name));
    }
}
