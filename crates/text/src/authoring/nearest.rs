//! Paths that somebody may have meant.

use std::cmp::Reverse;

use super::{
    MAX_PATH_BYTES, MAX_PATHS,
    likeness::{Pairs, likeness},
    slug::key,
};

/// Paths that are compared letter by letter.
const SHORTLIST: usize = 200;
/// Names are alike from here on.
const ALIKE: usize = 600;
/// From here on at a first look, which is rough.
const ALIKE_AT_FIRST: usize = 300;
/// `2026-11-22-` in front of a name, as its key has it.
const DATE: usize = "2026-11-22-".len();

/// Why a path may be meant, the best reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// Only case, punctuation or `.md` differ.
    Same,
    /// It ends in what was wanted.
    Below,
    /// The same file name elsewhere, or the one that the title makes.
    Name,
    /// The same file name behind a date.
    Dated,
    /// All words of the name are in its name.
    Words,
    /// A typing error away.
    Typo,
}

/// The paths most like one that does not exist, or like a title, at most `most` and the likeliest
/// first: the same but for case and `.md`, the same file name elsewhere, names with these words,
/// names a typing error away. Takes n log n steps for n paths.
pub fn nearest<'a>(
    wanted: &str,
    paths: impl Iterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let wanted: String = wanted.chars().take(MAX_PATH_BYTES).collect();
    let wanted = Name::of(&wanted);
    if wanted.stem().is_empty() {
        return Vec::new();
    }
    let first_look = (Pairs::of(wanted.stem()), Pairs::of(&wanted.path));
    let mut found: Vec<(Reason, Reverse<usize>, &str)> = paths
        .take(MAX_PATHS)
        .filter(|path| path.len() <= 4 * MAX_PATH_BYTES)
        .filter_map(|path| {
            let name = Name::of(path);
            let stem = first_look.0.likeness(name.undated());
            let whole = first_look.1.likeness(&name.path);
            let reason = reason(&wanted, &name)
                .or_else(|| (stem.max(whole) >= ALIKE_AT_FIRST).then_some(Reason::Typo))?;
            Some((reason, Reverse(stem + whole), path))
        })
        .collect();
    found.sort_unstable();
    found.dedup_by_key(|(_, _, path)| *path);
    found.truncate(SHORTLIST.max(most));
    let closer = found.into_iter().filter_map(|(reason, _, path)| {
        let name = Name::of(path);
        let stem =
            likeness(wanted.stem(), name.undated()).max(likeness(wanted.stem(), name.stem()));
        let whole = likeness(&wanted.path, &name.path);
        let is_like = reason < Reason::Typo || stem.max(whole) >= ALIKE;
        is_like.then_some((reason, Reverse(stem + whole), path))
    });
    let mut closer: Vec<_> = closer.collect();
    closer.sort_unstable();
    closer.into_iter().take(most).map(|(_, _, path)| path).collect()
}

fn reason(wanted: &Name, name: &Name) -> Option<Reason> {
    let stem = wanted.stem();
    if wanted.path == name.path {
        Some(Reason::Same)
    } else if wanted.path.contains('/') && ends_in(&name.path, &wanted.path, b'/') {
        Some(Reason::Below)
    } else if stem == name.stem() {
        Some(Reason::Name)
    } else if stem == name.undated() || wanted.undated() == name.undated() {
        Some(Reason::Dated)
    } else if holds(name.stem(), stem) {
        Some(Reason::Words)
    } else {
        None
    }
}

/// A path as keys joined by `/`, without extension.
struct Name {
    path: String,
    /// Where the file name begins.
    at: usize,
}

impl Name {
    fn of(path: &str) -> Self {
        let parts = path.trim().split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
        let mut parts: Vec<&str> = parts.collect();
        let name = parts.pop().unwrap_or_default();
        let bare = name.len().checked_sub(3).and_then(|end| name.split_at_checked(end));
        let bare = bare.filter(|(_, end)| end.eq_ignore_ascii_case(".md")).map_or(name, |it| it.0);
        let mut path: String = parts.into_iter().flat_map(|part| [key(part), "/".into()]).collect();
        let at = path.len();
        path.push_str(&key(bare));
        Self { path, at }
    }

    fn stem(&self) -> &str {
        self.path.get(self.at..).unwrap_or_default()
    }

    /// The file name without a date in front.
    fn undated(&self) -> &str {
        let stem = self.stem();
        let is_date = |date: &str| {
            date.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 | 10 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
        };
        match stem.split_at_checked(DATE) {
            Some((date, rest)) if !rest.is_empty() && is_date(date) => rest,
            _ => stem,
        }
    }
}

fn ends_in(text: &str, end: &str, border: u8) -> bool {
    let before = text.strip_suffix(end);
    before.is_some_and(|before| before.as_bytes().last().is_none_or(|byte| *byte == border))
}

/// Whether these words follow each other in the name.
fn holds(name: &str, words: &str) -> bool {
    let is_border = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == b'-');
    name.match_indices(words).any(|(at, found)| {
        let bytes = name.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        is_border(before) && is_border(bytes.get(at + found.len()))
    })
}
