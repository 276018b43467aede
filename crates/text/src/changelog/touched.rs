//! Which part of a note a change touches.

use super::text::one_line;
use crate::markdown::{self, Document};
use elophanto_base::secrets::mask;

/// Sections that are named; of more the note alone is.
const MAX_SECTIONS: usize = 3;
/// Most words of either side that are said.
const MAX_WORDS: usize = 6;
/// Most characters of those words, and of a heading.
const MAX_CHARACTERS: usize = 60;

/// Where a note changed, and how, if a few words say that.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touched {
    /// Headings of the sections; none where the beginning of the note changed, or most of it.
    pub sections: Vec<String>,
    /// The words before and after, where only some of one line changed.
    pub words: Option<(String, String)>,
}

impl Touched {
    /// Compares two contents of a note. What is no text of which the structure is known says nothing.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let (Ok(old), Ok(new)) = (markdown::decode(old), markdown::decode(new)) else {
            return Self::default();
        };
        let (old, new) = (&*old.text, &*new.text);
        let (Ok(before), Ok(after)) = (markdown::parse(old), markdown::parse(new)) else {
            return Self::default();
        };
        Self {
            sections: sections(&pieces(old, &before), &pieces(new, &after)),
            words: words(body(old, &before), body(new, &after)),
        }
    }
}

fn body<'t>(text: &'t str, document: &Document) -> &'t str {
    slice(text, document.body.start, text.len())
}

/// A part of a note, with the heading over it; that of the note itself is none.
type Piece<'t> = (Option<&'t str>, &'t str);

fn pieces<'t>(text: &'t str, document: &'t Document) -> Vec<Piece<'t>> {
    let heading = |at: &markdown::Heading| at.range.start;
    let starts = std::iter::once(document.body.start).chain(document.headings.iter().map(heading));
    let ends = document.headings.iter().map(heading).chain([text.len()]);
    let names = document.headings.iter().map(|it| (it.level > 1).then_some(it.text.as_str()));
    let names = std::iter::once(None).chain(names);
    let piece = |((start, end), name)| (name, slice(text, start, end).trim());
    starts.zip(ends).zip(names).map(piece).collect()
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Headings of the pieces that differ, in the order of the note.
fn sections(old: &[Piece<'_>], new: &[Piece<'_>]) -> Vec<String> {
    let changed = new.iter().filter(|piece| !old.contains(piece));
    let gone = old.iter().filter(|(name, _)| !new.iter().any(|(kept, _)| kept == name));
    let mut names: Vec<Option<&str>> = changed.chain(gone).map(|(name, _)| *name).collect();
    names.dedup();
    let named: Option<Vec<&str>> = names.into_iter().collect();
    let named = named.filter(|named| named.len() <= MAX_SECTIONS).unwrap_or_default();
    let short = named.iter().map(|name| one_line(name, MAX_CHARACTERS));
    short.filter(|name| !name.is_empty()).collect()
}

/// `weekly`, `each day`: what of a line was put in the place of what, unless either text holds
/// something that looks like a secret.
fn words(old: &str, new: &str) -> Option<(String, String)> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old_lines, new_lines) = (lines(old), lines(new));
    let ([before], [after]) = apart(&old_lines, &new_lines) else { return None };
    let split = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (split(before), split(after));
    let (before, after) = apart(&before, &after);
    let short = |words: &[String]| {
        let line = words.join(" ");
        let is_short = words.len() <= MAX_WORDS && line.chars().count() <= MAX_CHARACTERS;
        Some(one_line(&line, MAX_CHARACTERS)).filter(|line| is_short && !line.is_empty())
    };
    let words = (short(before)?, short(after)?);
    let is_clean = |text| mask(text).1 == 0;
    (is_clean(old) && is_clean(new)).then_some(words)
}

/// What is left of both without what they begin and end with alike.
fn apart<'a>(old: &'a [String], new: &'a [String]) -> (&'a [String], &'a [String]) {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    (&old[..old.len() - same], &new[..new.len() - same])
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "---\ntitle: Keys\nupdated: 2026-01-01\n---\n\n# Keys\n\nWhat unlocks.\n\n\
                        ## Rotation\n\nKeys rotate weekly, at night.\n\n## Storage\n\nIn the vault.\n\
                        ### Copies\n\nNone.\n\n## Audit\n\nTwice a year.\n";

    fn check(from: &str, to: &str, sections: &[&str], words: Option<(&str, &str)>) {
        assert!(NOTE.contains(from), "{from}");
        let touched = Touched::between(NOTE.as_bytes(), NOTE.replace(from, to).as_bytes());
        let said = touched.words.as_ref().map(|(old, new)| (old.as_str(), new.as_str()));
        assert_eq!(
            (touched.sections, said),
            (sections.iter().map(|it| (*it).to_owned()).collect(), words),
            "{from} -> {to}"
        );
    }

    #[test]
    fn says_where_and_how() {
        let token = concat!("ghp", "_", "R7kq2ZpX9vLm4TnB8cWd1YsF6hJg3Qa5Ue0o");
        for (from, to, sections, words) in [
            ("weekly,", "daily,", &["Rotation"][..], Some(("weekly,", "daily,"))),
            (
                "weekly, at night",
                "each day",
                &["Rotation"],
                Some(("weekly, at night.", "each day.")),
            ),
            ("None.", "Two.", &["Copies"], Some(("None.", "Two."))),
            ("unlocks", "opens", &[], Some(("unlocks.", "opens."))),
            ("weekly, at night", "daily.\nAt noon", &["Rotation"], None),
            ("at night.", "at night.\nMore.", &["Rotation"], None),
            ("weekly", &format!("weekly with {token}"), &["Rotation"], None),
            ("weekly", "as often as seven of us have the time", &["Rotation"], None),
            ("## Audit\n\nTwice a year.\n", "", &["Audit"], None),
            ("## Audit", "## Review", &["Review", "Audit"], Some(("Audit", "Review"))),
            ("a year", "a month\n\n## New\n\nText", &["Audit", "New"], None),
            ("updated: 2026-01-01", "updated: 2026-02-02", &[], None),
            ("e", "E", &[], None),
        ] {
            check(from, to, sections, words);
        }
        let with_token = NOTE.replace("weekly", token);
        let touched = Touched::between(with_token.as_bytes(), NOTE.as_bytes());
        assert_eq!(touched.words, None);
        assert_eq!(Touched::between(b"\0", NOTE.as_bytes()), Touched::default());
        assert_eq!(Touched::between(NOTE.as_bytes(), NOTE.as_bytes()), Touched::default());
    }
}
