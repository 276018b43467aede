//! Names of files made of titles.

/// A title as words of ASCII letters and digits in lower case, joined by `-`, at most `max` bytes:
/// cut between words if that costs at most half. Accents are taken off, letters that then are not
/// ASCII left out, so that nothing may be left.
pub fn slug(title: &str, max: usize) -> String {
    let mut slug = String::new();
    for word in words(title) {
        let word: String = word.chars().filter(char::is_ascii).collect();
        if word.is_empty() {
            continue;
        }
        let between = usize::from(!slug.is_empty());
        if slug.len() + between + word.len() > max {
            if slug.len() * 2 < max {
                slug.push_str(if between == 1 { "-" } else { "" });
                slug.push_str(&word);
                slug.truncate(max);
            }
            break;
        }
        slug.push_str(if between == 1 { "-" } else { "" });
        slug.push_str(&word);
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The words of a text in lower case and without accents, joined by `-`: what two names have in
/// common that were written differently.
pub(super) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for word in words(text) {
        key.push_str(if key.is_empty() { "" } else { "-" });
        key.push_str(&word);
    }
    key
}

/// Whether Windows keeps this name for a device.
pub(super) fn is_reserved(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let port = |name: &str| {
        let number = stem.strip_prefix(name);
        number.is_some_and(|number| number.len() == 1 && number.bytes().all(|b| b.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$")
        || port("com")
        || port("lpt")
}

/// Letters and digits of any script; an apostrophe or an accent of its own parts no word.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = |char: char| {
        !char.is_alphanumeric() && !matches!(char, '\'' | '\u{2019}' | '\u{300}'..='\u{36f}')
    };
    text.split(parts).map(fold).filter(|word| !word.is_empty())
}

fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.replace('\'', "").to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(word.len());
    for char in word.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase) {
        match PLAIN.iter().find(|(letters, _)| !char.is_ascii() && letters.contains(char)) {
            Some((_, plain)) => folded.push_str(plain),
            // A mark that lower case has parted from its letter.
            None if !char.is_alphanumeric() => {}
            None => folded.push(char),
        }
    }
    folded
}

/// Latin letters in lower case and what is written for them where there is only ASCII.
const PLAIN: &[(&str, &str)] = &[
    ("àáâãäåāăąǎ", "a"),
    ("æ", "ae"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįıǐ", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõöøōŏőǒ", "o"),
    ("œ", "oe"),
    ("ŕŗř", "r"),
    ("śŝşšșſ", "s"),
    ("ß", "ss"),
    ("ţťŧț", "t"),
    ("þ", "th"),
    ("ùúûüũūŭůűųǔ", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
];
