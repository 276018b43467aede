//! Whether two texts that say nearly the same differ in what matters: a number, a date, a negation,
//! a name. Pure.

use std::collections::BTreeSet;

/// Words that turn a statement round.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "without", "cannot", "neither", "nor", "dont", "doesnt", "isnt",
    "arent", "wasnt", "wont", "cant", "shouldnt", "mustnt", "disabled", "false", "nicht", "kein",
    "keine", "nie", "ohne",
];

/// Whether one of the texts holds a number (a date and a version are made of them) or a negation
/// that the other does not, where the other holds another in its place.
pub fn contradicts(a: &str, b: &str) -> bool {
    // One that only says more contradicts nothing: each must hold what the other does not.
    let numbers = name_other_numbers(a, b);
    let (a, b) = (Claims::of(a), Claims::of(b));
    numbers || (a.negations != b.negations && a.numbers == b.numbers)
}

/// Whether each of two texts holds a number that the other does not: `port 8080`, `port 9090`.
pub fn name_other_numbers(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|text| Claims::of(text).numbers);
    !a.is_subset(&b) && !b.is_subset(&a)
}

/// Words after which stands what is said of a subject, and not the subject itself.
const SAID_AFTER: &[&str] = &[
    "is", "are", "was", "were", "in", "on", "at", "by", "to", "from", "called", "named", "as",
    "after", "before", "until", "under", "ist", "sind", "war", "bei", "von", "nach", "am", "im",
];
/// A longer name is none, in words.
const MOST_NAME: usize = 3;
/// Words that both sentences begin with: what they speak of, and that they say something of it.
const FEWEST_BEFORE: usize = 3;
/// Words that both end with, where what stands before the names does not tell.
const FEWEST_AFTER: usize = 2;

/// Whether two sentences are the same, word by word, but for the name (or code) that one holds in
/// the place of the other's: `The office is in Madrid`, `The office is in Lisbon`.
pub fn name_another(a: &str, b: &str) -> bool {
    let (a, b) = (spoken(a), spoken(b));
    let is_same = |(a, b): &(&&str, &&str)| a.to_lowercase() == b.to_lowercase();
    let before = a.iter().zip(&b).take_while(is_same).count();
    let is_said =
        a[..before].last().is_some_and(|word| SAID_AFTER.contains(&word.to_lowercase().as_str()));
    let (a, b) = (&a[before..], &b[before..]);
    let after = a.iter().rev().zip(b.iter().rev()).take_while(is_same).count();
    let names = [&a[..a.len() - after], &b[..b.len() - after]];
    let is_name = |name: &&[&str]| {
        let begins =
            |word: &&str| word.starts_with(|char: char| char == '`' || char.is_uppercase());
        name.len() <= MOST_NAME && name.first().is_some_and(begins)
    };
    // `Berlin` and `Berlin Mitte` may be one.
    let shares = || names[0].iter().any(|word| names[1].contains(word));
    before >= FEWEST_BEFORE
        && (is_said || after >= FEWEST_AFTER)
        && names.iter().all(is_name)
        && !shares()
}

/// Whether two texts about their subjects say different things of the same: a number, a negation or a
/// name differs in what is said, and none in the subject. A code (`E1041`) in place of another is
/// another thing.
pub fn disputes([subject, said]: [&str; 2], [other_subject, other_said]: [&str; 2]) -> bool {
    let differ = |a: &str, b: &str| contradicts(a, b) || name_another(a, b);
    let codes = |text: &str| -> BTreeSet<String> {
        let is_code = |word: &&str| {
            word.starts_with(char::is_alphabetic)
                && word.chars().count() > 2
                && word.ends_with(|char: char| char.is_ascii_digit())
        };
        spoken(text).into_iter().filter(is_code).map(str::to_lowercase).collect()
    };
    differ(said, other_said)
        && !differ(subject, other_subject)
        && codes(said) == codes(other_said)
        && codes(subject) == codes(other_subject)
}

/// Verbs that tell to do something with what stands behind them.
const TELLING: &[&str] =
    &["add", "call", "enable", "export", "install", "pass", "put", "run", "set", "use"];
/// Words that stand for something else.
const STANDING_FOR: &[&str] = &["it", "this", "that", "these", "those", "them", "any", "both"];

/// Whether one text tells to do something that the other forbids altogether: `export CI=1` and `do not
/// set CI`, but not `do not set CI on Windows`.
pub fn forbids(a: &str, b: &str) -> bool {
    let (a, b) = (told(a), told(b));
    a.iter().any(|(object, is_forbidden)| b.contains(&(object.clone(), !is_forbidden)))
}

/// What a text tells to do something with, and whether it forbids that; without what it forbids in one
/// case.
fn told(text: &str) -> Vec<(String, bool)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower = |at: usize| {
        let word = words.get(at)?.trim_matches(|char: char| !char.is_alphanumeric());
        Some(word.to_lowercase().replace(['\'', '\u{2019}'], ""))
    };
    let is_verb = |at: &usize| lower(*at).is_some_and(|word| TELLING.contains(&word.as_str()));
    let object = |verb: usize| {
        let has_article = lower(verb + 1).is_some_and(|word| matches!(&*word, "a" | "an" | "the"));
        let at = verb + 1 + usize::from(has_article);
        let raw = words.get(at)?.trim_end_matches(['`', '"', '\'']);
        let inside = |char: char| char.is_alphanumeric() || char == '-';
        let object = raw.split('=').next()?.trim_matches(|char: char| !inside(char)).to_lowercase();
        let is_named = !object.is_empty() && !STANDING_FOR.contains(&object.as_str());
        let is_last = at + 1 == words.len() || raw.ends_with([',', '.', ';', ':', ')']);
        is_named.then_some((object, is_last))
    };
    let of_verb = |verb: usize| {
        let (object, is_last) = object(verb)?;
        let before = verb.checked_sub(1).and_then(lower).unwrap_or_default();
        let is_forbidden = NEGATIONS.contains(&before.as_str());
        (is_last || !is_forbidden).then_some((object, is_forbidden))
    };
    (0..words.len()).filter(is_verb).filter_map(of_verb).collect()
}

/// Whether a text says of itself that it corrects what was said before: `Correction: use node 20`.
pub fn is_correction(text: &str) -> bool {
    spoken(text).first().is_some_and(|word| word.eq_ignore_ascii_case("correction"))
}

/// The words as they stand there, punctuation around them apart.
fn spoken(text: &str) -> Vec<&str> {
    let is_around = |char: char| !char.is_alphanumeric() && char != '`';
    let words = text.split_whitespace().map(|word| word.trim_matches(is_around));
    words.filter(|word| !word.is_empty()).collect()
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
    fn another_name_in_the_same_place_counts() {
        for (a, b, expected) in [
            ("The main office is in Madrid.", "The main office is in Lisbon.", true),
            ("The main office is in Madrid.", "Our main office is in Lisbon.", false),
            ("We deploy on Tuesdays.", "We deploy on Fridays, at noon.", true),
            ("We deploy on Tuesdays.", "we deploy on **Fridays**", true),
            ("The store is `sqlite`.", "The store is `rocksdb`.", true),
            ("The team lead is Ada Byron.", "The team lead is Grace.", true),
            ("The team lead is Ada Byron.", "The team lead is Ada.", false),
            ("All of them use Kafka for the events.", "All of them use NATS for the events.", true),
            ("It also supports Linux.", "It also supports Windows.", false),
            ("The cache is small.", "The cache is fast.", false),
            ("Madrid is the office.", "Lisbon is the office.", false),
            ("The main office is in Madrid.", "The main office is in Madrid.", false),
        ] {
            assert_eq!(name_another(a, b), expected, "{a:?} {b:?}");
            assert_eq!(name_another(b, a), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn what_is_said_of_another_thing_is_no_dispute() {
        for (a, b, expected) in [
            (
                ["staging API", "It listens on port 8080"],
                ["staging API", "It listens on port 9090"],
                true,
            ),
            (["port 1 of the hub", "It takes 5 V"], ["port 2 of the hub", "It takes 9 V"], false),
            (["login", "Error E1041 means expired"], ["login", "Error E1117 means expired"], false),
            (["login fails", "Clear the cache"], ["login fails", "Never clear the cache"], true),
            (["cache", "The store is `sqlite`"], ["the cache", "The store is `rocksdb`"], true),
            (["cache", "Clear it"], ["cache", "Clear it first"], false),
        ] {
            assert_eq!(disputes(a, b), expected, "{a:?} {b:?}");
            assert_eq!(disputes(b, a), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn what_is_forbidden_altogether_is_told_no_more() {
        for (a, b, expected) in [
            ("export CI=1 before the build", "do not set CI; upgrade next instead", true),
            ("Use `--force` when it hangs.", "Never use `--force`.", true),
            ("Run the linter first", "Don't run the linter", true),
            ("use sudo", "do not use sudo with npm", false),
            ("use sudo", "use sudo, not su", false),
            ("export CI=1", "export CI_TOKEN", false),
            ("use it twice", "do not use it", false),
            ("do not use sudo", "never use sudo", false),
            ("CI is set by the runner", "do not set CI", false),
            ("set", "do not set", false),
        ] {
            assert_eq!(forbids(a, b), expected, "{a:?} {b:?}");
            assert_eq!(forbids(b, a), expected, "{b:?} {a:?}");
        }
    }

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
            assert_eq!(contradicts(a, b), expected, "{a:?} {b:?}");
            assert_eq!(contradicts(b, a), expected, "{b:?} {a:?}");
        }
    }
}
