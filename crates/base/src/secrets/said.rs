//! Secrets that a sentence tells: `The wifi password is Zx81kqPw77mm.`, `user admin and password Zx81kqPw77mm`,
//! `our login is admin / Zx81kqPw77mm`.
//!
//! A word that names a secret, and in the same sentence one that looks like nothing else: right behind it, in
//! quotes, or behind a word such as `is`.

use std::{ops::Range, sync::LazyLock};

use regex::{Captures, Regex};

use super::{Found, SHORT, judge};

/// Words that name a password; a key or a token, which are longer; a user together with a password.
const NAMES: &str = concat!(
    r"(?i-u:(pass[ -]?(?:words?|wort|wd|phrase|code)|kennwort|pwd?|psk|mot de passe|mdp|contraseña|senha|wachtwoord",
    "|Пароль|пароль|密码|密碼|パスワード|비밀번호|hasło|heslo|lösenord|adgangskode|parola",
    "|wi-?fi[ -]key|(?:wpa2?|network|pre-?shared)[ _-]key)",
    "|((?:api|access|auth|secret|private|signing|encryption)[ _-]?key|secret)",
    "|(token)",
    "|(log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|credentials|creds|zugangsdaten))",
);

/// One of these is in every text that has one of [`NAMES`], in lower case.
const HINTS: &[&str] = &[
    "pass", "kennwort", "pw", "psk", "mdp", "contrase", "senha", "wachtw", "key", "token",
    "secret", "log", "sign", "cred", "zugang", "ароль", "密", "パスワード", "비밀번호", "has",
    "hes", "lösen", "adgang", "parola",
];

static REGEX: LazyLock<Regex> = LazyLock::new(|| match Regex::new(NAMES) {
    Ok(regex) => regex,
    Err(cause) => unreachable!("names are no pattern: {cause}"),
});

/// Bytes behind or before a name in which its secret is looked for, and words of them.
const REACH: usize = 160;
const MOST_BEHIND: usize = 12;
const MOST_AHEAD: usize = 7;

/// Behind these stands what a name has: `the password was changed to ...`.
const LINKS: &[&str] = &[
    "is", "was", "are", "be", "to", "now", "still", "stays", "use", "enter", "ist", "war",
    "lautet", "heißt", "sind", "est", "es", "é", "=", ":", "->", "=>", "→", "—", "–", "-",
];
/// Behind these stands what somebody logs in to, or what the password is of.
const OF: &[&str] = &["for", "of", "in", "from", "by", "für", "von", "de", "du", "del"];
/// Behind these stands a password behind its user.
const PAIRS: &[&str] = &["/", "pass", "pw", ":"];
/// Behind these too, or what one logs in to: only what nothing else looks like is a password.
const JOINED: &[&str] = &["and", "und", "with", "mit"];
/// Changes that a name of a machine or a program may have.
const JOINED_CHANGES: usize = 3;
const QUOTES: [char; 6] = ['`', '"', '\'', '“', '„', '*'];

/// What a word names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Password,
    /// It may be digits like those of a hash.
    Key,
    Token,
    /// A user and a password.
    Login,
}

/// All of a text.
pub(super) fn found(text: &str) -> Vec<Found> {
    if text.len() <= SHORT {
        let folded = text.to_ascii_lowercase();
        if !HINTS.iter().any(|hint| folded.contains(hint)) {
            return Vec::new();
        }
    }
    let secret = |captures: Captures<'_>| {
        let (name, named) = name_of(&captures)?;
        if is_of_program(text, name.start) {
            return None;
        }
        behind(text, name.end, named).or_else(|| ahead(text, name.start, named))
    };
    REGEX.captures_iter(text).filter_map(secret).collect()
}

/// The last name of a secret in a text, and what it names.
pub(super) fn named(text: &str) -> Option<(Range<usize>, Named)> {
    name_of(&REGEX.captures_iter(text).last()?)
}

fn name_of(captures: &Captures<'_>) -> Option<(Range<usize>, Named)> {
    let kinds = [Named::Password, Named::Key, Named::Token, Named::Login];
    let mut groups = (1..).zip(kinds);
    groups.find_map(|(at, kind)| Some((captures.get(at)?.range(), kind)))
}

/// Whether the name that begins at `start` is one of a program, which no sentence has: `--token`, `CLIENT_SECRET`.
fn is_of_program(text: &str, start: usize) -> bool {
    let reach = text.ceil_char_boundary(start.saturating_sub(REACH));
    let before = text.get(reach..start).unwrap_or_default();
    let word = before.rsplit(|char: char| char.is_whitespace() || "`\"(*".contains(char)).next();
    let word = word.unwrap_or_default();
    word.starts_with('-')
        || word.ends_with(|char: char| char.is_ascii_alphanumeric() || char == '_')
}

/// The secret that the sentence tells behind a name that ends at `start`.
fn behind(text: &str, start: usize, named: Named) -> Option<Found> {
    let end = text.floor_char_boundary(text.len().min(start + REACH));
    let rest = text.get(start..end).map(open_line)?;
    // The id of a learned fact: `a password <!-- f:0123456789abcdef -->`.
    let rest = rest.split("<!--").next()?;
    // `tokens`, `password-protected`, `secret_name`.
    let closed = rest.trim_start_matches(QUOTES);
    if !closed.starts_with([' ', '\t', ':', ',', '\n', '\r', '：']) {
        return None;
    }
    let mut at = start + rest.len() - closed.len();
    let (mut previous, mut words) = ("", 0);
    for piece in closed.split_inclusive([' ', '\t', '\n']) {
        let word = piece.trim_end();
        let bare = bare(word, named);
        let value = bare.value;
        if words > 0 && previous.ends_with(['.', '!', '?', ';']) || word.starts_with("--") {
            return None;
        }
        if fits(previous, words, &bare, named) && judge::said(value, named) {
            let begin = at + word.rfind(value)?;
            return Some(told(begin..begin + value.len(), value));
        }
        at += piece.len();
        if !word.is_empty() {
            previous = word;
            words += usize::from(value.starts_with(char::is_alphanumeric));
        }
        if words > MOST_BEHIND {
            return None;
        }
    }
    None
}

/// The rest of a line and, where it ends with a link, the first word of the next one: text that was wrapped.
/// Where nothing is left of the line, as of a heading, the next one that is a single word.
fn open_line(text: &str) -> &str {
    let end = text.find(['\n', '\r', '|']).unwrap_or(text.len());
    let (line, below) = text.split_at(end);
    // A block of YAML begins with `|` or `>`.
    let opens = below.trim_start_matches(['|', '-', '+']).starts_with(['\n', '\r']);
    let is_last = line.chars().all(|char| "*_#:>+- \t".contains(char))
        && (!below.starts_with('|') || line.trim() == ":" && opens);
    if let Some(lone) = is_last.then(|| lone_word(below)).flatten() {
        return &text[..end + lone];
    }
    let last = line.split_whitespace().last().unwrap_or_default();
    let below = below.strip_prefix('\r').unwrap_or(below);
    let Some(next) = below.strip_prefix('\n').filter(|_| is_link(last)) else { return line };
    let word = next.trim_start_matches([' ', '\t', '>', '-']);
    let word_end = word.find([' ', '\t', '\n', '\r', '|']).unwrap_or(word.len());
    &text[..text.len() - word.len() + word_end]
}

/// Where the first line with text ends below a line, if that is a single word.
fn lone_word(below: &str) -> Option<usize> {
    let mut at = 0;
    for (number, line) in below.split_inclusive('\n').enumerate() {
        let text = line.trim();
        if number > 0 && !text.is_empty() && !text.starts_with("```") {
            let word = text.trim_start_matches(['-', '*', '+', ':', '>', ' ']);
            return (!word.contains(char::is_whitespace)).then_some(at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}

/// Whether behind this word stands what the name before it has.
fn is_link(word: &str) -> bool {
    LINKS.contains(&word.trim_matches(QUOTES).to_lowercase().as_str()) || word.ends_with([':', '='])
}

/// The secret that the sentence tells before its name, which begins at `end`: `Zx81kqPw77mm is the root password`.
fn ahead(text: &str, end: usize, named: Named) -> Option<Found> {
    let start = text.ceil_char_boundary(end.saturating_sub(REACH));
    let sentence = text.get(start..end)?.rsplit(['\n', '\r', '|']).next()?;
    let mut words = sentence.split_whitespace().rev().take(MOST_AHEAD).peekable();
    while let Some(word) = words.next() {
        if word.ends_with(['.', '!', '?', ';']) {
            return None;
        }
        let Some(value) = words.peek().map(|word| bare(word, named).value) else { break };
        let is_linked = ["is", "as", "ist", "als"].contains(&word.to_lowercase().as_str());
        if is_linked && judge::said(value, named) {
            let begin = end - sentence.len() + sentence.rfind(value)?;
            return Some(told(begin..begin + value.len(), value));
        }
    }
    None
}

pub(super) fn told(range: Range<usize>, value: &str) -> Found {
    Found { range, kind: "secret by its name", secret: value.to_owned(), certain: false }
}

/// A word of a sentence, without what stands around it.
pub(super) struct Bare<'a> {
    pub(super) value: &'a str,
    is_quoted: bool,
    /// A user stood before it: `admin/Zx81kqPw77mm`.
    is_paired: bool,
}

pub(super) fn bare(word: &str, named: Named) -> Bare<'_> {
    let opened = word.trim_start_matches(['(', '[', '*', '_', ':', '=', ',', '：']);
    // `<code>Zx81kqPw77mm</code>`.
    let tagged = opened.strip_prefix('<').and_then(|tag| tag.split_once('>'));
    let opened = tagged.map_or(opened, |(_, inside)| inside.split('<').next().unwrap_or_default());
    let quote = opened.chars().next().filter(|char| QUOTES.contains(char));
    let inside = quote.and_then(|quote| opened.strip_prefix(quote)?.split_once(quote));
    let around = |char: char| QUOTES.contains(&char) || ".,;:?()[]_。，、".contains(char);
    let value = inside.map_or_else(|| opened.trim_matches(around), |(inside, _)| inside);
    // No path or address.
    let pair = value.split_once(['/', ':']).filter(|(user, password)| {
        let is_user = user.starts_with(|char: char| char.is_alphanumeric());
        named == Named::Login && is_user && !password.contains('/')
    });
    Bare {
        value: pair.map_or(value, |(_, password)| password),
        is_quoted: quote.is_some(),
        is_paired: pair.is_some(),
    }
}

/// Whether this may be the secret of a name, so many words behind it and right behind `previous`.
fn fits(previous: &str, words: usize, bare: &Bare<'_>, named: Named) -> bool {
    let is_of =
        |words: &[&str]| words.contains(&previous.trim_matches(QUOTES).to_lowercase().as_str());
    let is_first = words == 0 || is_link(previous);
    match named {
        Named::Password => is_first || words == 1 && bare.is_quoted && !is_of(OF),
        Named::Key | Named::Token => is_first,
        Named::Login => {
            let is_joined = is_of(JOINED) && judge::changes(bare.value) > JOINED_CHANGES;
            bare.is_paired || words > 0 && (is_of(PAIRS) || is_joined || previous.ends_with(','))
        }
    }
}
