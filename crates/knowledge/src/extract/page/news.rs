//! Changelogs and news as packages of Debian and GNU have them: `openssh (1:9.2p1-1) unstable; urgency=medium` or
//! `* Noteworthy changes in release 3.8 (2021-08-01)`, and below it what the version brought. Such a head becomes a
//! heading with the version and its day, and each paragraph at the margin an item.

use std::borrow::Cow;

use crate::extract::fold::fold;

/// Fewest heads of GNU's that make news.
const LEAST: usize = 2;

/// The text with headings for its heads and without its margin. Who asks for the package is told of what they asked
/// for. Lines stay lines.
pub(super) fn as_markdown<'t>(text: &'t str, topic: &str) -> Cow<'t, str> {
    if let Some(told) = dated(text, topic) {
        return Cow::Owned(told);
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).and_then(debian);
    let is_gnu = || text.lines().filter_map(gnu).take(LEAST).count() == LEAST;
    if first.is_none() && !is_gnu() {
        return Cow::Borrowed(text);
    }
    let mut title = first.map(|(package, _)| {
        let is_asked = fold(topic).split(' ').any(|word| word == fold(package));
        if is_asked { topic } else { package }
    });
    // Of each head, from the lines up to the next one.
    let mut days = Vec::new();
    for line in text.lines().filter(|_| first.is_some()) {
        match (debian(line.trim_end()), days.last_mut()) {
            (Some(_), _) => days.push(None),
            (None, Some(last)) if last.is_none() => *last = day(line),
            _ => {}
        }
    }
    let mut days = days.into_iter();
    // Below its title the first version stands on the line behind its head.
    let mut pending: Option<String> = None;
    let mut is_behind_blank = true;
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let head = match first {
            Some(_) => debian(bare).map(|(_, version)| {
                let day = days.next().flatten().map(|day| format!(" ({day})")).unwrap_or_default();
                format!("## {version}{day}")
            }),
            None => gnu(bare).map(|version| match version.contains('.') {
                true => format!("## {version}"),
                false => format!("## Version {version}"),
            }),
        };
        if let Some(head) = head {
            match title.take() {
                Some(title) => {
                    kept.push_str(&format!("# {title}\n"));
                    pending = Some(head);
                }
                None => kept.push_str(&format!("{head}\n")),
            }
            continue;
        }
        let told = if first.is_some() && day(bare).is_some() { "" } else { bare };
        let behind = told.strip_prefix("  ").unwrap_or(told);
        // A paragraph at the margin says what changed.
        let is_item = is_behind_blank && behind.len() < told.len() && begins(behind);
        is_behind_blank = told.is_empty();
        let told = match (pending.take(), told.strip_prefix("** ")) {
            (Some(version), _) => version,
            (None, Some(part)) => format!("### {part}"),
            (None, None) if is_item => format!("* {behind}"),
            (None, None) => behind.to_owned(),
        };
        kept.push_str(&told);
        kept.push('\n');
    }
    Cow::Owned(kept)
}

/// GNU's older form, where versions are items: `2017-07-21 Ann Hill <ann@example.org>`, and behind a tab `* Version
/// 1.3.2 released.`
fn dated(text: &str, topic: &str) -> Option<String> {
    let day = |line: &str| {
        let (day, rest) = line.split_once(' ')?;
        let is_day = day.len() == 10 && day.bytes().all(|it| it.is_ascii_digit() || it == b'-');
        (is_day && rest.contains(" <") && rest.trim_end().ends_with('>')).then(|| day.to_owned())
    };
    let version = |line: &str| {
        let said = line
            .strip_prefix("\t* ")?
            .strip_prefix("Version ")
            .or_else(|| line.strip_prefix("\t* ")?.strip_prefix("Release "))?;
        let version = said.split([' ', ',']).next()?.trim_end_matches(['.', ':']);
        version.starts_with(|it: char| it.is_ascii_digit()).then(|| version.to_owned())
    };
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    if day(first).is_none() || text.lines().filter_map(version).take(LEAST).count() < LEAST {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut last = None;
    for (number, line) in text.lines().enumerate() {
        let bare = line.strip_prefix('\t').unwrap_or(line);
        match (day(line), version(line)) {
            (Some(day), _) => {
                last = Some(day);
                kept.push_str(if number == 0 { "# " } else { "" });
                kept.push_str(if number == 0 { topic } else { "" });
            }
            (None, Some(version)) => {
                let day = last.as_ref().map(|day| format!(" ({day})")).unwrap_or_default();
                kept.push_str(&format!("## {version}{day}"));
            }
            // `Bug fixes:`, whose items stand below it.
            (None, None) => match bare.strip_prefix("* ").and_then(|it| it.strip_suffix(':')) {
                Some(part) => kept.push_str(&format!("### {part}")),
                None => kept.push_str(bare.strip_prefix('\t').unwrap_or(bare)),
            },
        }
        kept.push('\n');
    }
    Some(kept)
}

fn begins(line: &str) -> bool {
    line.starts_with(|char: char| char.is_alphanumeric() || "\"'`-".contains(char))
        && !line.starts_with("- ")
}

/// The package and the version of a head, without the epoch: `openssh (1:9.2p1-1) unstable; urgency=medium`.
fn debian(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" (")?;
    let (version, rest) = rest.split_once(") ")?;
    let version = version.split_once(':').map_or(version, |(_, version)| version);
    let is_name =
        name.starts_with(|char: char| char.is_ascii_alphanumeric()) && !name.contains(' ');
    let is_version =
        version.starts_with(|char: char| char.is_ascii_digit()) && !version.contains(' ');
    (is_name && is_version && rest.contains("; urgency=")).then_some((name, version))
}

/// The version of a head and its day: `* Noteworthy changes in release 3.8 (2021-08-01) [stable]`, `Changes
/// between 3.0.6 and 3.0.7 [1 Nov 2022]`.
fn gnu(line: &str) -> Option<&str> {
    let is_version = |it: &str| it.starts_with(|char: char| char.is_ascii_digit());
    let line = line.trim();
    let head = line.trim_start_matches(['#', '*', ' ']);
    let head =
        head.strip_prefix("Major ").or_else(|| head.strip_prefix("Noteworthy ")).unwrap_or(head);
    if let Some(versions) =
        ["Changes between ", "changes between "].iter().find_map(|begins| head.strip_prefix(begins))
    {
        let (before, version) = versions.rsplit_once(" and ")?;
        let version = version.split(" [").next()?.trim();
        let before = before.rsplit(' ').next().unwrap_or_default();
        return (is_version(before) && is_version(version) && !version.contains(' '))
            .then_some(version);
    }
    let (_, version) = line.strip_prefix("* ")?.split_once("hanges in release ")?;
    let version = version.split(" [").next()?.trim();
    is_version(version).then_some(version)
}

/// The day on which somebody released it: ` -- Ann Hill <a@b.c>  Wed, 08 Feb 2023 10:36:06 +0000`.
fn day(line: &str) -> Option<String> {
    let (_, date) = line.strip_prefix(" -- ")?.rsplit_once(">  ")?;
    let mut words = date.split_once(", ")?.1.split_whitespace();
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    Some(format!("{} {month} {year}", day.trim_start_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::as_markdown;

    #[test]
    fn heads_of_versions_are_headings() {
        let undated = "foo (2) unstable; urgency=low\n\n  A\n\nfoo (1) unstable; urgency=low\n\n  B\n\n \
                       -- Ann <a@b.c>  Wed, 08 Feb 2023 10:36:06 +0000\n";
        let told = as_markdown(undated, "Foo");
        assert!(told.contains("## 2\n"), "{told}");
        assert!(told.contains("## 1 (8 Feb 2023)\n"), "{told}");
        let text = "foo (1:2.0-1) unstable; urgency=low\n\n  * New one.\n\n -- Ann <a@b.c>  Wed, 08 Feb 2023 \
                    10:36:06 +0000\n\nfoo (1.9-2) unstable; urgency=low\n\n  Old one\n  goes on:\n\n     - so\n";
        let told = "# Foo news\n## 2.0-1 (8 Feb 2023)\n* New one.\n\n\n\n## 1.9-2\n\n* Old one\ngoes on:\n\n   - so\n";
        assert_eq!(as_markdown(text, "Foo news"), told);
        assert_eq!(as_markdown(text, "Bar"), told.replace("Foo news", "foo"));
        let gnu = "Foo NEWS\n\n* Noteworthy changes in release 3.8 (2021-08-01) [stable]\n\n** Bug fixes\n\n  foo \
                   is\n  new.\n\n* Changes in release 3.7\n";
        let told = "Foo NEWS\n\n## 3.8 (2021-08-01)\n\n### Bug fixes\n\n* foo is\nnew.\n\n## 3.7\n";
        assert_eq!(as_markdown(gnu, "Foo"), told);
        let told = as_markdown(
            "\tMajor changes between \"foo\" versions 1 and 2\n\n* New.\n\n### Changes between 0.9 and 1.0 [1 Nov 2022]\n",
            "Foo",
        );
        assert_eq!(told, "## Version 2\n\n* New.\n\n## 1.0\n");
        let old = "2017-07-21 Ann <a@b.c>\n\n\t* Version 1.3 released.\n\n\t* Bug fixes:\n\t\t* Fix it.\n\n2016-01-02 Ann \
                   <a@b.c>\n\n\t* Version 1.2 released.\n";
        let told =
            "# Foo\n\n## 1.3 (2017-07-21)\n\n### Bug fixes\n* Fix it.\n\n\n\n## 1.2 (2016-01-02)\n";
        assert_eq!(as_markdown(old, "Foo"), told);
        let prose = "This tells of the changes between 1.0 and 2.0\n\nIt is new.\n";
        assert_eq!(as_markdown(prose, "Foo"), prose);
        let blanks = as_markdown(
            "* Changes in release  3.8 (2021-08-01)\n\n* New.\n\n* Changes in release 3.7\n",
            "Foo",
        );
        assert!(blanks.starts_with("## 3.8 (2021-08-01)\n"), "{blanks}");
        for prose in ["Foo (1.2) is old; urgent.\n\n  A\n", "* Changes in release 3.7\n\n  A\n"] {
            assert_eq!(as_markdown(prose, "Foo"), prose);
        }
    }
}
