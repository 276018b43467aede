//! Whether two texts that say nearly the same differ in what matters: a number, a date, a negation.
//! Pure.

use std::collections::BTreeSet;

/// Words that turn a statement round.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "without", "cannot", "neither", "nor", "dont", "doesnt", "isnt",
    "arent", "wasnt", "wont", "cant", "shouldnt", "mustnt", "disabled", "false", "nicht", "kein",
    "keine", "nie", "ohne",
];

/// Whether one of the texts holds a number (a date and a version are made of them) or a negation
/// that the other does not, where the other holds another in its place.
pub fn differ(a: &str, b: &str) -> bool {
    let (a, b) = (Claims::of(a), Claims::of(b));
    // One that only says more contradicts nothing: each must hold what the other does not.
    let numbers = !a.numbers.is_subset(&b.numbers) && !b.numbers.is_subset(&a.numbers);
    numbers || (a.negations != b.negations && a.numbers == b.numbers)
}

struct Claims {
    numbers: BTreeSet<String>,
    negations: usize,
}

impl Claims {
    fn of(text: &str) -> Self {
        let mut claims = Self { numbers: BTreeSet::new(), negations: 0 };
        // Apostrophes within a word are left out: `don't` is one word.
        let text = text.to_lowercase().replace(['\'', '\u{2019}'], "");
        let inside =
            |char: char| char.is_alphanumeric() || matches!(char, '.' | ',' | ':' | '-' | '/');
        for word in text.split(|char: char| !inside(char)) {
            let word = word.trim_matches(|char: char| !char.is_alphanumeric());
            if word.chars().any(|char| char.is_ascii_digit()) {
                claims.numbers.insert(word.replace(',', ""));
            } else if NEGATIONS.contains(&word) {
                claims.negations += 1;
            }
        }
        claims
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dates_and_negations_count() {
        for (a, b, expected) in [
            ("Retries are capped at 5.", "Retries are capped at 3.", true),
            ("Released on 2026-01-02.", "Released on 2026-01-03.", true),
            ("The cache is used.", "The cache is not used.", true),
            ("It doesn't lock.", "It does lock.", true),
            ("Retries are capped at 5.", "Retries are capped at 5, always.", false),
            ("Retries are capped.", "Retries are capped at 5.", false),
            ("It costs 1,000 bytes.", "It costs 1000 bytes.", false),
            ("Same words.", "The same words.", false),
        ] {
            assert_eq!(differ(a, b), expected, "{a:?} {b:?}");
            assert_eq!(differ(b, a), expected, "{b:?} {a:?}");
        }
    }
}
