//! Secrets in a text: keys, tokens and passwords that should not be committed.
//!
//! Owns the table of rules, the judgement of what is only a placeholder, and the list of
//! hashes that a user allows. It is pure: it opens no file and asks no service whether a key
//! works. A finding carries nothing of the secret but where it stands and a hash.
//!
//! A false alarm can stop a commit, so a value that merely could be a secret is passed over.
//! Time is linear in the text: no rule looks further than its own run of characters, and what
//! surrounds a key block is searched for once.

mod allow;
mod columns;
mod judge;
mod pem;
mod rules;
mod said;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    ops::Range,
    sync::{LazyLock, OnceLock},
};

use regex::{Regex, RegexSet};

pub use allow::AllowList;
pub use pem::{KeyLines, begins_key, ends_key, may_be_of_key};
use rules::{Candidate, RULES, Rule};
pub use stream::{Located, Stream};

/// Something that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Line of its first character, from 1.
    pub line: usize,
    /// Column of its first character, in characters from 1.
    pub column: usize,
    /// What it looks like, such as `GitHub token`.
    pub kind: &'static str,
    /// What an allow list names it by: the first 16 hexadecimal digits of its BLAKE3 hash.
    pub hash: String,
}

/// What stands in the place of a secret: a word that shows nothing of it, and of which Markdown makes nothing else.
pub const MASK: &str = "masked-secret";

/// All secrets of a text, in its order. What lies within another finding is not named again.
pub fn scan(text: &str) -> Vec<Finding> {
    findings(text, places(text))
}

/// The same, each with the bytes that it takes in the text.
pub fn locate(text: &str) -> Vec<(Range<usize>, Finding)> {
    let found = places(text);
    let ranges: Vec<Range<usize>> = found.iter().map(|one| one.range.clone()).collect();
    ranges.into_iter().zip(findings(text, found)).collect()
}

fn places(text: &str) -> Vec<Found> {
    let mut found = as_written(text);
    // As editors write `ghp_` into Markdown: `ghp\_`.
    let escapes = text.match_indices(r"\_").enumerate();
    let escapes: Vec<usize> = escapes.map(|(number, (at, _))| at - number).collect();
    if !escapes.is_empty() {
        let place = |at: usize| at + escapes.partition_point(|escape| *escape < at);
        let meant = as_written(&text.replace(r"\_", "_")).into_iter();
        found.extend(meant.map(|one| {
            let range = place(one.range.start)..place(one.range.end);
            Found { range, ..one }
        }));
    }
    distinct(found)
}

fn as_written(text: &str) -> Vec<Found> {
    let mut found = pem::blocks(text);
    for number in worth_a_pass(text) {
        let rule = &RULES[number];
        let regex = REGEXES[number].get_or_init(|| compiled(rule));
        found.extend(candidates(text, rule, regex));
    }
    found.extend(said::found(text));
    found.extend(columns::found(text));
    found
}

/// Numbers of the rules whose pattern may match. Making the set of all patterns takes longer than
/// a short text is worth.
fn worth_a_pass(text: &str) -> Vec<usize> {
    if text.len() > SHORT {
        return SET.matches(text).into_iter().collect();
    }
    let folded = text.to_ascii_lowercase();
    let hinted = |rule: &Rule| rule.hints.iter().any(|hint| folded.contains(hint));
    RULES.iter().enumerate().filter(|(_, rule)| hinted(rule)).map(|(number, _)| number).collect()
}

/// The text with every secret masked, and how many there were. Borrowed if there are none.
pub fn mask(text: &str) -> (Cow<'_, str>, usize) {
    let found = places(text);
    if found.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
    for one in &found {
        shown.push_str(&text[at..one.range.start]);
        shown.push_str(MASK);
        at = one.range.end;
    }
    shown.push_str(&text[at..]);
    (Cow::Owned(shown), found.len())
}

/// A place in the text, and what a rule or a key block takes for the secret there.
struct Found {
    range: Range<usize>,
    kind: &'static str,
    secret: String,
    /// Whether the form alone gives it away; else it is known by the name before it.
    certain: bool,
}

/// Bytes up to which a text is looked through for the rules' hints.
const SHORT: usize = 4096;

/// Says in one pass which rules are worth a pass of their own.
static SET: LazyLock<RegexSet> =
    LazyLock::new(|| match RegexSet::new(RULES.iter().map(|rule| rule.pattern)) {
        Ok(set) => set,
        Err(cause) => unreachable!("a rule is no pattern: {cause}"),
    });

/// Each made when it is first needed: most texts need none.
static REGEXES: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];

fn compiled(rule: &Rule) -> Regex {
    match Regex::new(rule.pattern) {
        Ok(regex) => regex,
        Err(cause) => unreachable!("a rule is no pattern: {cause}"),
    }
}

fn candidates<'a>(
    text: &'a str,
    rule: &'a Rule,
    regex: &'a Regex,
) -> impl Iterator<Item = Found> + 'a {
    regex.captures_iter(text).filter_map(move |captures| {
        // The last group is the secret, what comes before it is context.
        let groups: Vec<_> = captures.iter().skip(1).flatten().collect();
        let (secret, context) = groups.split_last()?;
        let candidate = Candidate {
            secret: secret.as_str(),
            context: context.first().map_or("", |group| group.as_str()),
            before: &text[..secret.start()],
            after: &text[secret.end()..],
        };
        let fits = rule.lengths.contains(&secret.len()) && (rule.judge)(&candidate);
        fits.then(|| Found {
            range: secret.range(),
            kind: rule.kind,
            secret: secret.as_str().to_owned(),
            certain: rule.certain,
        })
    })
}

/// Drops what overlaps something better: forms before names, earlier before later, the first rule
/// of the table before the others.
fn distinct(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| one.range.start);
    let (certain, named): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.certain);
    let mut kept: Vec<Found> = Vec::with_capacity(certain.len() + named.len());
    let mut end = 0;
    for one in certain {
        if one.range.start >= end {
            end = one.range.end;
            kept.push(one);
        }
    }
    let forms = kept.len();
    let (mut next, mut end) = (0, 0);
    for one in named {
        while next < forms && kept[next].range.end <= one.range.start {
            next += 1;
        }
        let taken = next < forms && kept[next].range.start < one.range.end;
        if !taken && one.range.start >= end {
            end = one.range.end;
            kept.push(one);
        }
    }
    kept.sort_by_key(|one| one.range.start);
    kept
}

/// Adds lines and columns, counting every character once.
fn findings(text: &str, found: Vec<Found>) -> Vec<Finding> {
    let (mut at, mut line, mut column) = (0, 1, 1);
    let place = |one: Found| {
        let between = &text[at..one.range.start];
        line += between.bytes().filter(|byte| *byte == b'\n').count();
        column = match between.rfind('\n') {
            Some(end) => 1 + between[end + 1..].chars().count(),
            None => column + between.chars().count(),
        };
        at = one.range.start;
        Finding {
            line,
            column,
            kind: one.kind,
            hash: blake3::hash(one.secret.as_bytes()).to_hex()[..HASH_DIGITS].to_owned(),
        }
    };
    found.into_iter().map(place).collect()
}

/// Digits of a [`Finding::hash`].
const HASH_DIGITS: usize = 16;
