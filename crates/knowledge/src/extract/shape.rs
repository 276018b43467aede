//! How names are written: capitals, humps, digits, initials.

use super::name::{is_month_or_day, is_year};
use super::token::Token;
use crate::words::{Words, list};

/// Words in lower case that stand inside names.
static JOINTS: Words = list!(words "joints");

/// Endings of names of files.
static FILE_ENDINGS: Words = list!(words "file_endings");

/// Whether a word is all capitals.
pub(super) fn is_acronym(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|char| char.is_uppercase() || char.is_ascii_digit())
}

/// Whether a word in lower case may stand inside names.
pub(super) fn is_joint(word: &str) -> bool {
    JOINTS.contains(word)
}

/// The token behind the run of capitalised words that begins at `from`; `from` itself if none
/// does. Short words may stand inside, numbers behind the first.
pub(super) fn run(tokens: &[Token<'_>], from: usize) -> usize {
    let mut end = from;
    let mut at = from;
    while let Some(token) = tokens.get(at).filter(|_| at < from + 9) {
        let inner = at > from;
        if inner && !token.before.is_empty() && !token.text.is_empty() {
            break;
        }
        // `the 2013 Tour`: a year is part of what follows it.
        let year = !inner
            && is_year(token.text)
            && token.joins()
            && tokens
                .get(at + 1)
                .is_some_and(|next| next.before.is_empty() && is_name_word(next.text));
        let capital = is_name_word(token.text) || year;
        let number = inner && token.text.starts_with(|char: char| char.is_ascii_digit());
        let symbol = inner && token.text.is_empty() && token.before == "&";
        if capital || (number && end == at) {
            end = at + 1;
        } else if !(inner && end == at && (JOINTS.contains(token.text) || symbol))
            && !(inner && end + 1 == at && token.text == "the")
        {
            break;
        }
        if capital
            && token.joins()
            && let Some(firm) = joined_firm(tokens, end)
        {
            return firm;
        }
        let possessive = token.text.ends_with("'s") || token.text.ends_with("’s");
        if !token.joins()
            || (possessive && !tokens.get(at + 1).is_some_and(|next| is_name_word(next.text)))
        {
            break;
        }
        at += 1;
    }
    abbreviated(tokens, from, end).unwrap_or(end)
}

/// The token behind `and Human Rights Commission (EHRC)`: what stands in brackets is short for the whole.
fn abbreviated(tokens: &[Token<'_>], from: usize, end: usize) -> Option<usize> {
    const FAR: usize = 6;
    tokens.get(end).filter(|it| end > from && it.text == "and" && it.joins())?;
    let bracket = (end + 2..tokens.len().min(end + FAR))
        .find(|&at| tokens[at].before.starts_with('(') && is_acronym(tokens[at].text))?;
    let initials: String = tokens[from..bracket]
        .iter()
        .filter(|token| token.is_capitalised())
        .filter_map(|token| token.text.chars().next())
        .collect();
    (initials == tokens[bracket].text).then_some(bracket)
}

/// The token behind `and Son Ltd`, `and Co`, which is of one name with what stands before: the firm of
/// somebody and their kin. `Mozilla and Symbian Ltd` are two.
fn joined_firm(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    tokens.get(at).filter(|joint| joint.text == "and" && joint.joins())?;
    let kin = tokens.get(at + 1).filter(|kin| kin.before.is_empty() && is_kin(kin.text))?;
    let next = tokens.get(at + 2).filter(|next| kin.joins() && next.before.is_empty());
    let next = next.map(Token::lower).unwrap_or_default();
    let is_form = matches!(next.trim_end_matches('.'), "inc" | "limited" | "llp" | "ltd" | "plc");
    Some(at + 2 + usize::from(is_form))
}

/// Whom a firm joins with whose it is.
fn is_kin(word: &str) -> bool {
    const KIN: &[&str] =
        &["Bros", "Brothers", "Cie", "Co", "Company", "Daughters", "Partners", "Son", "Sons"];
    KIN.contains(&word.trim_end_matches('.'))
}

fn is_name_word(word: &str) -> bool {
    let uppercase = word.chars().filter(|char| char.is_uppercase()).count();
    let starts = word.starts_with(char::is_uppercase);
    // `iPhone`, `eBPF`, `.NET`, `3M`.
    let humped = uppercase > 0
        && !starts
        && word.chars().all(|char| char.is_alphanumeric() || "-.+#/&'’".contains(char));
    (starts && word != "I" && !word.starts_with("I'") && !word.starts_with("I’")) || humped
}

/// Whether a word is written as only names are: humps, all capitals, letters with digits.
pub(super) fn is_shaped(name: &str) -> bool {
    name.split_whitespace().any(|word| {
        let letters = word.chars().filter(|char| char.is_alphabetic()).count();
        let upper = word.chars().filter(|char| char.is_uppercase()).count();
        let digits = word.chars().any(|char| char.is_ascii_digit());
        let inner = word.chars().skip(1).any(char::is_uppercase);
        letters > 0
            && ((inner && letters > 1)
                || (digits && upper > 0)
                || (upper == letters && letters > 1))
    })
}

/// Whether all words of a name but short ones begin with a capital or digit.
pub(super) fn is_proper(name: &str) -> bool {
    let joins_kin = || {
        name.split_once(" and ").is_some_and(|(_, kin)| kin.split(' ').next().is_some_and(is_kin))
    };
    name.split_whitespace().all(|word| {
        is_name_word(word)
            || word == "and" && joins_kin()
            || JOINTS.contains(word)
            || word.starts_with(|char: char| char.is_ascii_digit() || !char.is_alphanumeric())
    })
}

/// Whether a name in lower case is a month, a day, or a year of one.
pub(super) fn is_calendar(key: &str) -> bool {
    is_month_or_day(key)
}

/// Identifiers, file names, options and calls.
pub(super) fn is_code(name: &str) -> bool {
    let file = name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && FILE_ENDINGS.contains(end.to_lowercase().as_str())
    });
    // `http.Error`, `r.URL.Path`; `node.js` and `f.lux` are names.
    let dotted = name.split_once('.').is_some_and(|(first, rest)| {
        first.starts_with(char::is_lowercase)
            && rest.split('.').any(|part| part.starts_with(char::is_uppercase))
    });
    let marks = ["()", "::", "->", "=", "$", "\\", "--", "@", "%", "^", ";"];
    file || dotted
        || marks.iter().any(|mark| name.contains(mark))
        || name.contains('_')
        || name.starts_with(['-', '/', '~', '<', '.'].as_slice()) && !name.starts_with(".N")
        || name.ends_with(['/', '>', '*'])
        || (name.contains('/') && name == name.to_lowercase())
}

/// Whether `short` stands for the words of `long` by their initials.
pub(super) fn is_acronym_of(short: &str, long: &str) -> bool {
    let letters: Vec<char> =
        short.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let upper = short.chars().filter(|char| char.is_uppercase()).count();
    let written = upper >= 2 || short.chars().all(char::is_uppercase);
    let plural = short.ends_with('s') && upper >= 2;
    let wanted = match letters.split_last() {
        Some((_, rest)) if plural => rest,
        _ => letters.as_slice(),
    };
    let split = |char: char| char.is_whitespace() || char == '-' || char == '/';
    let all: Vec<char> = long
        .split(split)
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .flat_map(char::to_lowercase)
        .collect();
    let major: Vec<char> = long
        .split(split)
        .filter(|word| !JOINTS.contains(word) && *word != "and")
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .flat_map(char::to_lowercase)
        .collect();
    (2..=8).contains(&wanted.len())
        && written
        && !short.contains(' ')
        && long.split(split).count() > 1
        && (wanted == all || wanted == major)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::token::tokens;

    #[test]
    fn runs_end_where_names_end() {
        for (text, expected) in [
            ("Bank of England rates", "Bank of England"),
            ("KEF LS50 Meta, a", "KEF LS50 Meta"),
            ("iPhone 15 Pro costs", "iPhone 15 Pro"),
            ("the end", ""),
            ("Rust of old", "Rust"),
            ("Johnson & Johnson sells", "Johnson & Johnson"),
            ("F Shepherd and Son Ltd moved", "F Shepherd and Son Ltd"),
            ("Oak and Sons, the firm", "Oak and Sons"),
            ("Oak and Company grew", "Oak and Company"),
            ("Ada and Bo Hill met", "Ada"),
            ("Mozilla and Symbian Ltd. met", "Mozilla"),
            (
                "Equality and Human Rights Commission (EHRC) is",
                "Equality and Human Rights Commission",
            ),
            ("Equality and Human Rights (UN) is", "Equality"),
            ("Oak and sons", "Oak"),
            ("Sutton and Bath, Oak Ltd and", "Sutton"),
            ("I am", ""),
            ("Apple's new", "Apple's"),
            ("Paris (France)", "Paris"),
        ] {
            let tokens = tokens(text);
            let end = run(&tokens, 0);
            let found = if end == 0 { "" } else { &text[..tokens[end - 1].end] };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn acronyms_stand_for_words() {
        for (short, long, expected) in [
            ("DOM", "Document Object Model", true),
            ("BBC", "British Broadcasting Corporation", true),
            ("VMs", "virtual machines", true),
            ("UN", "United Nations", true),
            ("DoD", "Department of Defense", true),
            ("cat", "cool at tables", false),
            ("XYZ", "Document Object Model", false),
            ("X", "Xylophone", false),
        ] {
            assert_eq!(is_acronym_of(short, long), expected, "{short}");
        }
    }
}
