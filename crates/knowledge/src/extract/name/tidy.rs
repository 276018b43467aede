//! A name as it is kept, out of a name as it was found.

use crate::words::{Words, list};
use elophanto_base::visible::is_deceptive;
use elophanto_text::markdown::on_one_line;

/// Words whose final full stop is theirs.
static ABBREVIATED: Words = list!(words "abbreviated");
/// Names that end in a possessive.
static POSSESSIVES: Words = list!(phrases "possessives");
const QUOTES: &[char] =
    &['"', '“', '”', '„', '‘', '’', '\'', '«', '»', '‹', '›', '「', '」', '『', '』', '`'];
const BRACKETS: &[(char, char)] = &[('(', ')'), ('[', ']'), ('<', '>'), ('【', '】')];

/// A name without the quotes, brackets, emphasis, article, possessive and punctuation around it,
/// on one line, without what is not seen. Names keep the marks that are theirs: `Yahoo!`, `C++`,
/// `.NET`, `Apple Inc.`, `St. John's`. May be empty; costs time linear in the name.
pub fn tidy(name: &str) -> String {
    let kept = on_one_line(name, usize::MAX, |char| {
        let joins = matches!(char, '\u{200c}' | '\u{200d}');
        !char.is_control() && (joins || !is_deceptive(char))
    });
    let mut rest = kept.as_str();
    // Each round takes something off, and few things are wrapped more than a few times.
    for _ in 0..8 {
        let before = rest.len();
        rest = rest.trim();
        rest = without_emphasis(rest);
        rest = without_quotes(rest);
        rest = without_brackets(rest);
        rest = without_end(rest);
        rest = without_article(rest);
        if rest.len() == before {
            break;
        }
    }
    rest.to_owned()
}

fn without_emphasis(text: &str) -> &str {
    for mark in ["***", "**", "__", "~~", "*", "_"] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark))
            && !inner.is_empty()
            // `__init__` is a name.
            && (!mark.starts_with('_') || inner.contains(' '))
        {
            return inner;
        }
    }
    text.trim_end_matches("**").trim_start_matches("**")
}

fn without_quotes(text: &str) -> &str {
    let text = text.trim_start_matches(QUOTES);
    // A possessive plural and an unclosed quote look the same; neither mark belongs to a name.
    text.trim_end_matches(QUOTES)
}

fn without_brackets(text: &str) -> &str {
    for (open, close) in BRACKETS {
        if let Some(inner) = text.strip_prefix(*open).and_then(|rest| rest.strip_suffix(*close))
            && !inner.contains([*open, *close])
        {
            return inner;
        }
        let opened = text.matches(*open).count();
        let closed = text.matches(*close).count();
        if closed > opened && text.ends_with(*close) && !text.ends_with("->") {
            return text.strip_suffix(*close).unwrap_or(text);
        }
        if opened > closed && text.starts_with(*open) {
            return text.strip_prefix(*open).unwrap_or(text);
        }
    }
    text
}

fn without_end(text: &str) -> &str {
    let text = text.trim_end_matches([',', ';', ':', '…', '、', '。', '–', '—']);
    let text = text.strip_suffix(" -").unwrap_or(text).trim_end();
    let text = without_possessive(text);
    let Some(bare) = text.strip_suffix('.') else { return text };
    let last = bare.rsplit([' ', '-']).next().unwrap_or_default();
    let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    let own = last.contains('.') || initial || ABBREVIATED.contains(last.to_lowercase().as_str());
    if own && !bare.ends_with('.') { text } else { bare.trim_end_matches('.') }
}

fn without_possessive(text: &str) -> &str {
    let Some(bare) = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")) else {
        return text;
    };
    let lower = bare.to_lowercase();
    let saint = lower
        .split_whitespace()
        .any(|word| matches!(word, "st." | "st" | "saint" | "queen" | "king"))
        && bare.contains(' ');
    if saint || bare.is_empty() || POSSESSIVES.contains(lower.as_str()) { text } else { bare }
}

fn without_article(text: &str) -> &str {
    let Some((article, rest)) = text.split_once(' ') else { return text };
    let is_article = ["the", "a", "an"].iter().any(|known| article.eq_ignore_ascii_case(known));
    let names = rest.chars().any(char::is_alphanumeric);
    if is_article && names { rest } else { text }
}
