//! Texts of settings with a form of their own: budgets, names of models, of providers and of
//! where a key is kept.
//!
//! Only the form is checked here: what a text means is the business of the room that acts on it.

/// What a budget looks like; for error messages.
pub(super) const BUDGET_FORM: &str =
    "none, or limits such as 0.50usd, 20000tok or 30calls, each once and joined with commas";

/// What the name of a model looks like; for error messages.
pub(super) const MODEL_FORM: &str = "provider/model, such as openrouter/google/gemini-2.5-flash";

/// What the name of a provider looks like; for error messages.
pub(super) const PROVIDER_FORM: &str =
    "a provider's name of 1 to 32 of a to z, 0 to 9, `.`, `_` and `-`";

/// Longest name of a model with its provider, in bytes.
const MAX_MODEL: usize = 200;
/// Longest name of a provider.
const MAX_PROVIDER: usize = 32;
/// Longest name of a local model.
const MAX_LOCAL: usize = 64;
/// Longest name of a key in the environment or in the vault.
const MAX_KEY_NAME: usize = 64;

/// A budget in its plain form: lower case, without spaces.
pub(super) fn budget(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    if text == "none" {
        return Some(text);
    }
    let mut units = Vec::new();
    let mut limits = Vec::new();
    for limit in text.split(',').map(str::trim) {
        let end = limit.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = limit.split_at(end);
        let fits = match unit {
            "usd" => money(number),
            "tok" => whole(number, 15),
            "calls" => whole(number, 9),
            _ => false,
        };
        if !fits || units.contains(&unit) {
            return None;
        }
        units.push(unit);
        limits.push(limit);
    }
    Some(limits.join(","))
}

fn money(number: &str) -> bool {
    match number.split_once('.') {
        Some((whole_part, cents)) => whole(whole_part, 9) && whole(cents, 6),
        None => whole(number, 9),
    }
}

/// Whether these are digits, at least one and at most so many.
fn whole(number: &str, most: usize) -> bool {
    (1..=most).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this names a model and who has it. The model's part may hold more slashes and colons.
pub(super) fn model_name(text: &str) -> bool {
    let printable = |c: char| c.is_ascii_graphic() || c.is_alphanumeric();
    let Some((provider, model)) = text.split_once('/') else { return false };
    text.len() <= MAX_MODEL
        && !provider.is_empty()
        && provider.chars().all(name_char)
        && !model.is_empty()
        && model.chars().all(printable)
}

/// Whether a provider may be called so.
pub(super) fn provider_name(text: &str) -> bool {
    (1..=MAX_PROVIDER).contains(&text.len()) && text.chars().all(name_char)
}

/// Whether a model that the user added may be called so.
pub(super) fn local_name(text: &str) -> bool {
    (1..=MAX_LOCAL).contains(&text.len())
        && text.chars().all(name_char)
        && !text.starts_with(['.', '-'])
}

/// Whether an environment variable with a key may be called so.
pub(super) fn variable_name(text: &str) -> bool {
    let word = |c: char| matches!(c, 'A'..='Z' | '0'..='9' | '_');
    (1..=MAX_KEY_NAME).contains(&text.len())
        && text.chars().all(word)
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a key in the vault may be called so.
pub(super) fn vault_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=MAX_KEY_NAME).contains(&text.len()) && text.chars().all(word)
}

fn name_char(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        for (text, expected) in [
            ("none", Some("none")),
            ("None", Some("none")),
            ("0.50usd", Some("0.50usd")),
            ("20000TOK", Some("20000tok")),
            ("0.5usd, 20000tok,30calls", Some("0.5usd,20000tok,30calls")),
            ("0calls", Some("0calls")),
            ("", None),
            ("5", None),
            ("usd", None),
            ("-1usd", None),
            ("+1usd", None),
            ("1.usd", None),
            (".5usd", None),
            ("1e9usd", None),
            ("1,5usd", None),
            ("0.1234567usd", None),
            ("1.5tok", None),
            ("1usd,2usd", None),
            ("1usd,none", None),
            ("1usd,", None),
            ("1 usd", None),
            ("5dollars", None),
            ("٣usd", None),
            ("9999999999999999tok", None),
            ("1\u{e9}", None),
        ] {
            assert_eq!(budget(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn models() {
        for text in ["a/b", "openrouter/anthropic/claude:free", "my.host-1_x/M", "a//", "a/é"] {
            assert!(model_name(text), "{text}");
        }
        let long = format!("a/{}", "x".repeat(199));
        for text in ["", "a", "/b", "a/", "A/b", "a b/c", "a/b c", "a/b\u{202e}", "a/\u{7}", &long]
        {
            assert!(!model_name(text), "{text:?}");
        }
    }

    #[test]
    fn names() {
        assert!(local_name("bge-small.v1_5") && local_name("_") && local_name(&"a".repeat(64)));
        for text in ["", ".", "..", "-x", ".x", "a/b", "A", "é", &"a".repeat(65)] {
            assert!(!local_name(text), "{text:?}");
        }
        assert!(provider_name("lm.studio-2") && !provider_name("") && !provider_name("OpenAI"));
        assert!(!provider_name(&"a".repeat(33)) && !provider_name("a b"));
        assert!(variable_name("_A1") && !variable_name("1A") && !variable_name("a"));
        assert!(!variable_name("") && !variable_name("A-B") && !variable_name("A=B"));
        assert!(vault_name("Work.key-1_") && !vault_name("") && !vault_name("a/b"));
    }
}
