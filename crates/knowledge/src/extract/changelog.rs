//! What the versions of a thing brought, as the notes of its releases list it: `jiff 0.2.42 (2026-11-09) –
//! Fix a panic in Span::total.`

use super::Statement;
use super::facts::{is_told, shown};
use super::fold::fold;
use super::name::{is_year, structural, tidy};
use super::page::{Block, Kind, Page};
use super::thing::Thing;
use super::words;
use crate::words::{Words, list};
use elophanto_text::sentences::sentences;
use std::collections::HashSet;

/// Fewest headings of versions that make notes of releases.
const LEAST: usize = 2;

/// What notes of releases tell: the items below headings that are versions, each with its version and its
/// day. All else that stands below them goes out of `found`: it was so of one version only.
pub(super) fn tell(page: &Page, thing: &Thing, found: &mut Vec<(usize, Statement)>) {
    let Some(first) = versions(page, &thing.name).next() else { return };
    found.retain(|(_, statement)| statement.line < page.line_of(first));
    // Asked for as `tool 2.4`, it is told of as the tool.
    let name = match thing.name.rsplit_once(' ') {
        Some((name, number)) if is_version(number) => name,
        _ => &thing.name,
    };
    // The version that is told of, and the depth of its heading; and the heading below that.
    let mut below: Option<(String, u8)> = None;
    let mut part: Option<String> = None;
    // `Scripts:`, and the list within that item.
    let mut within: Option<(Option<usize>, String)> = None;
    let mut numbered = HashSet::new();
    for (number, block) in page.blocks.iter().enumerate() {
        if block.kind != Kind::Item
            && let Some(version) = version(&block.text, &thing.name)
        {
            numbered.clear();
            below = Some((version, if let Kind::Heading(level) = block.kind { level } else { 0 }));
            part = None;
            continue;
        }
        if let Kind::Heading(level) = block.kind {
            below = below.filter(|(_, above)| level > *above);
            part = Some(tidy(&block.text));
            continue;
        }
        let Some((version, _)) =
            below.as_ref().filter(|_| block.kind == Kind::Item && !block.is_furniture)
        else {
            continue;
        };
        // `Ann Hill`, whose changes are listed within.
        let next = page.blocks.get(number + 1).filter(|next| next.kind == Kind::Item);
        let inner = next.map(|next| next.list).filter(|list| *list > block.list);
        if let Some(list) = inner.filter(|_| !block.text.trim().ends_with('.')) {
            within = block.text.trim().strip_suffix(':').map(|label| (list, tidy(label)));
            continue;
        }
        let label = within.as_ref().filter(|(list, _)| *list == block.list);
        let label = label.map_or(String::new(), |(_, label)| format!("{label}: "));
        let text = without_number(&block.text);
        let first = sentences(text).into_iter().next().and_then(|range| text.get(range));
        let part = part.as_ref().filter(|part| {
            names_part(part)
                || first.is_some_and(|first| says_done(part) && !says_what_was_done(first))
        });
        let first = first.map(|first| before_reference(first.trim()));
        let Some(first) = first.filter(|first| is_change(first)) else { continue };
        // The same below `Summary` and `Details`.
        let number = first.split_once(": ").filter(|(number, _)| number.contains('#'));
        if number.is_some_and(|(_, said)| !numbered.insert(fold(said))) {
            continue;
        }
        let version = part.map_or(version.clone(), |part| format!("{version}, {part}"));
        let text = shown(&format!("{name} {version} – {label}{}", without_this(first)));
        if is_told(&text) {
            found.push((thing.entity, Statement { text, line: page.line_of(block) }));
        }
    }
}

/// The headings that are versions, if there are several. A line of its own may be one: `version 1.34 - Ann
/// Hill, 2021-02-13`.
fn versions<'p>(page: &'p Page, name: &str) -> impl Iterator<Item = &'p Block> {
    let all = page.blocks.iter().filter(|block| block.kind != Kind::Item);
    let all: Vec<&Block> = all.filter(|block| version(&block.text, name).is_some()).collect();
    // `Changelog for foo 0.16.3`
    let says_so = |block: &&Block| {
        let words = fold(&block.text);
        words.split(' ').any(|word| matches!(word, "changelog" | "changes" | "notes"))
    };
    let heads = page.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(1)));
    let is_several = all.len() >= LEAST
        || !all.is_empty() && heads.chain(all.first().copied()).any(|it| says_so(&it));
    all.into_iter().filter(move |_| is_several)
}

/// Whether a page has notes of releases.
pub(super) fn tells_of_versions(page: &Page) -> bool {
    versions(page, "").next().is_some()
}

/// Whether a heading is a version and nothing else.
pub(super) fn is_version(heading: &str) -> bool {
    version(heading, "").is_some()
}

/// What stands before a version in a heading.
static BEFORE_VERSIONS: Words = list!(words "before_versions");

/// The version of a heading with its day, without the name of the thing: `0.2.42 (2026-11-09)`.
pub(super) fn version(heading: &str, name: &str) -> Option<String> {
    const MOST_WORDS: usize = 10;
    let heading = tidy(heading);
    // `(bug fix release)`
    const REMARKS: &[&str] = &["bug", "bugfix", "fix", "fixes", "maintenance", "release", "stable"];
    let remark = heading.rsplit_once(" (").filter(|(_, it)| {
        fold(it.trim_end_matches(')')).split(' ').all(|word| REMARKS.contains(&word))
    });
    let heading = remark.map_or(heading.as_str(), |(heading, _)| heading);
    let words: Vec<&str> = heading.split_whitespace().collect();
    // What was withdrawn is struck through.
    let bare = |word: &str| word.trim_matches(|char| "[](),:v~".contains(char)).to_owned();
    // `polkit 122`, of polkit.
    let is_whole = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|it| {
            format!("{} version", fold(name)).split(' ').any(|own| own == fold(it))
        }) && words[at].bytes().all(|byte| byte.is_ascii_digit())
            && !is_year(words[at])
    };
    let is_version = |at: usize| {
        let word = bare(words[at]);
        is_whole(at)
            || word.contains('.')
                && word.starts_with(|char: char| char.is_ascii_digit())
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
                && word
                    .split('.')
                    .take(2)
                    .all(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
    };
    let at = (0..words.len()).find(|at| is_version(*at)).filter(|_| words.len() <= MOST_WORDS)?;
    let before = words[..at].iter().all(|word| {
        let word = fold(word.trim_matches(':'));
        fold(name).split(' ').any(|own| own == word) || BEFORE_VERSIONS.contains(word.as_str())
    });
    let rest: Vec<String> = words[at + 1..].iter().map(|word| bare(word)).collect();
    let rest: Vec<&str> =
        rest.iter().map(String::as_str).filter(|it| !"-–—".contains(*it)).collect();
    let is_date = |day: &str| structural(day) == Err(super::name::Rejection::Date);
    // Whoever released it stands before the day.
    let (all, last) = (rest.join(" "), rest.last().copied().unwrap_or_default());
    let day = if !is_date(&all) && is_date(last) { last.to_owned() } else { all };
    let is_day = is_date(&day);
    let number = bare(words[at]);
    match (before, day.is_empty(), is_day) {
        (true, true, _) => Some(number),
        (true, false, true) => Some(format!("{number} ({day})")),
        _ => None,
    }
}

/// Whether a heading below a version says of what the items are that changed nothing: `Build requirements`.
fn names_part(heading: &str) -> bool {
    let key = fold(heading);
    key.split(' ').any(|word| {
        word.starts_with("require") || word.starts_with("dependenc") || word.starts_with("compatib")
    })
}

/// Whether a heading below a version says what was done with what is named there: `Removed`, `Bug fixes`.
fn says_done(heading: &str) -> bool {
    static DONE: Words = list!(words "change_headings");
    const MOST_WORDS: usize = 3;
    let key = fold(heading);
    key.split(' ').count() <= MOST_WORDS && key.split(' ').any(|word| DONE.contains(word))
}

/// Whether an item says by itself what was done, and not only with what, or what was wrong before: `gzip -d could
/// crash`.
fn says_what_was_done(item: &str) -> bool {
    static TOLD: Words = list!(words "change_verbs");
    let item = item.to_lowercase();
    let mut words = item.split(|char: char| !char.is_alphanumeric() && char != '\'');
    let first = words.next().unwrap_or_default();
    let stem = first.strip_suffix("es").or(first.strip_suffix('s')).unwrap_or(first);
    words::looks_past(first)
        || [first, stem].iter().any(|word| words::is_verb_base(word))
        || words.any(|word| TOLD.contains(word))
}

/// `Switches to SFTP` for `This release switches to SFTP`.
fn without_this(said: &str) -> String {
    let rest = ["This release ", "This version "].iter().find_map(|this| said.strip_prefix(this));
    match rest {
        Some(rest) if rest.split(' ').next().is_some_and(|verb| verb.ends_with('s')) => {
            let first = rest.chars().next().map(char::to_uppercase);
            first.into_iter().flatten().chain(rest.chars().skip(1)).collect()
        }
        _ => said.to_owned(),
    }
}

/// What an item says behind the number of what it is about: `#651: Add`.
fn without_number(text: &str) -> &str {
    let text = text.trim();
    let number = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
    let Some(rest) = text.strip_prefix('#') else { return text };
    let digits = number(rest);
    rest.get(digits..)
        .filter(|_| digits > 0)
        .map_or(text, |rest| rest.trim_start_matches([':', ' ', '-']))
}

/// What an item says before the numbers of what it is about: `Add it, see #651`.
fn before_reference(text: &str) -> &str {
    let marks = [", see #", " (see #"];
    marks.iter().find_map(|mark| text.split_once(mark)).map_or(text, |(said, _)| said)
}

/// What points to the text around a change.
static POINTING: Words = list!(words "change_pointers");

/// Whether a text says what was changed, to somebody who reads nothing else.
fn is_change(text: &str) -> bool {
    const FEWEST_WORDS: usize = 3;
    const FEWEST_NAMED: usize = 2;
    const FAR: usize = 5;
    let text = without_this(text);
    let text = text.as_str();
    let points = |at: usize, word: &str| {
        let word = word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
        // `X is off, as it is slow`
        let is_inner = at > FAR && matches!(word.as_str(), "it" | "these" | "they");
        !is_inner && POINTING.contains(word.as_str())
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    // `An empty list would crash it`, which it does no more.
    let mends = ["avoid", "correct", "fix", "handle", "prevent", "resolve", "stop"];
    let begins = text.to_lowercase();
    if words.contains(&"would") && !mends.iter().any(|mends| begins.starts_with(mends)) {
        return false;
    }
    let first = words.first().map(|first| first.to_lowercase()).unwrap_or_default();
    words.len() >= FEWEST_WORDS
        && words.iter().filter(|word| !word.contains('#')).count() >= FEWEST_NAMED
        && !text.ends_with([':', ',', ';', '?'])
        && text.starts_with(char::is_alphanumeric)
        && (text.starts_with(char::is_uppercase) || !words::is_starter(&first))
        && !words.iter().enumerate().any(|(at, word)| points(at, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_with_their_day() {
        for (heading, expected) in [
            ("0.2.43 (2026-11-11)", Some("0.2.43 (2026-11-11)")),
            ("[1.0.0] - 2024-01-02", Some("1.0.0 (2024-01-02)")),
            ("Version 2.1", Some("2.1")),
            ("jiff v0.3.0-alpha.1", Some("0.3.0-alpha.1")),
            ("Upgrading to 2.0", None),
            ("3. Treasurer's report", None),
            ("1.2 Installation", None),
            ("version 1.34 - Ann Hill, 2021-02-13", Some("1.34 (2021-02-13)")),
            ("~~[v0.15.0] - 2024-10-01~~", Some("0.15.0 (2024-10-01)")),
            ("Noteworthy changes in release 6.1 (2022-12-12)", Some("6.1 (2022-12-12)")),
            ("Changelog for jiff 0.16.3 (2024-01-14)", Some("0.16.3 (2024-01-14)")),
            ("Version 2.22 - 4 September 2022 (bug fix release)", Some("2.22 (4 September 2022)")),
            ("Unreleased", None),
            ("2.0 (planned)", None),
            ("jiff 122", Some("122")),
            ("jiff 2022", None),
            ("Chapter 122", None),
            ("Version 122", Some("122")),
        ] {
            assert_eq!(version(heading, "jiff").as_deref(), expected, "{heading}");
        }
        for (text, expected) in [
            ("This release switches scp to SFTP by default.", true),
            ("This option switches scp to SFTP.", false),
            ("DSA keys are no longer made, as these are insecure.", true),
            ("If it fails, an error is shown.", false),
            ("ssh(1): add a new option", true),
            ("the old one is gone", false),
            ("An empty list would crash the program.", false),
            ("Fix a bug where a list would crash it.", true),
        ] {
            assert_eq!(is_change(text), expected, "{text}");
        }
        for (text, expected) in [
            ("Fix a crash", true),
            ("Fixes a crash", true),
            ("Added one", true),
            ("tool no longer crashes", true),
            ("tool -d could crash", false),
            ("Memory struct", false),
        ] {
            assert_eq!(says_what_was_done(text), expected, "{text}");
        }
        // The same change below two headings is one.
        let page = "# Changelog for Foo 0.16\n\n## Summary\n\n- Fix #4: Improve errors for files\n\n## Details\n\n\
                    - Bugfix #4: Improve errors for files\n";
        let told = crate::extract::tests::told(page, "Foo");
        assert_eq!(told, ["Foo | Foo 0.16 – Fix #4: Improve errors for files"]);
        assert_eq!(["Removed", "Bug fixes", "Newsletter"].map(says_done), [true, true, false]);
        assert!(is_change("Memory struct (#1)") && !is_change("Documentation (#1, #2)"));
        assert_eq!(without_number("#651: Add it"), "Add it");
        assert_eq!(without_number("# of items"), "# of items");
        let page = "# Changelog for Foo\n\n## 1.3.0\n\n- Add `--all` to Foo, see #8 and #9 (@ann)\n- Scripts:\n  - \
                    Wider lines for plots\n\n## 1.2.0\n\n### Bugfixes\n\n- Foo not shown on Windows, see #7\n";
        let document = crate::extract::Document { text: page, title: None };
        let told = crate::extract::extract(&document, "Foo", &[], crate::extract::Mode::Given);
        let facts = told.entities.iter().flat_map(|it| &it.facts).map(|fact| fact.text.as_str());
        assert_eq!(
            facts.collect::<Vec<&str>>(),
            [
                "Foo 1.3.0 – Add --all to Foo",
                "Foo 1.3.0 – Scripts: Wider lines for plots",
                "Foo 1.2.0, Bugfixes – Foo not shown on Windows",
            ]
        );
    }
}
