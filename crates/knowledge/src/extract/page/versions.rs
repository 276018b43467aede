//! Release notes of several versions in one text: who asks for one of them is told of that one.

use std::borrow::Cow;

use crate::extract::changelog::version;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use elophanto_text::markdown;

/// The text without the sections of other versions than the one that the topic names, where there are
/// several: `polkit 121` where `polkit 122` is asked for, and `Version 2.5.0` where it is `tool 2.4`. Lines
/// stay lines.
pub(super) fn of_topic<'t>(text: &'t str, topic: &str) -> Cow<'t, str> {
    let Some(own) = named(topic) else { return Cow::Borrowed(text) };
    let Ok(document) = markdown::parse(text) else { return Cow::Borrowed(text) };
    let of = |heading: &str| {
        let of_name = named(heading).filter(|name| name.0 == own.0).map(|name| name.1);
        let version = || version(heading, &own.0)?.split(' ').next().map(str::to_owned);
        of_name.or_else(version)
    };
    if document.headings.iter().filter(|heading| of(&heading.text).is_some()).count() < 2 {
        return Cow::Borrowed(text);
    }
    let is_own = |version: &str| {
        version.strip_prefix(&own.1).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut kept = String::with_capacity(text.len());
    let mut headings = document.headings.iter().peekable();
    // The level of the heading that is left out.
    let mut out: Option<u8> = None;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if let Some(heading) = headings.next_if(|heading| heading.line == number) {
            let is_other = of(&heading.text).is_some_and(|version| !is_own(&version));
            out = match out {
                Some(above) if heading.level > above => out,
                _ => is_other.then_some(heading.level),
            };
        }
        kept.push_str(if out.is_some() { "\n" } else { line });
    }
    Cow::Owned(kept)
}

/// A name and the version behind it, which may be in brackets: `polkit` and `122`.
fn named(title: &str) -> Option<(String, String)> {
    let title = tidy(title);
    let (name, version) = title.rsplit_once(' ')?;
    let version = version.trim_matches(['(', ')', '[', ']', ',', ':']).trim_start_matches('v');
    let is_version = version.starts_with(|it: char| it.is_ascii_digit())
        && version.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-' | b'_'));
    // `1 May 2023`
    let is_name =
        name.contains(char::is_alphabetic) && !name.starts_with(|it: char| it.is_ascii_digit());
    (is_version && is_name).then(|| (fold(name), version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_are_left_out() {
        let text = "# News\n\n## Foo 1.2\n\n### Fixed\n\nA.\n\n## Foo 1.1\n\n### Fixed\n\nB.\n\n```\n# Foo 1.0\n```\n\n## Links\n\nC.\n";
        for (topic, expected) in [
            ("Foo 1.2", ["A.", "C."].as_slice()),
            ("foo 1.1", &["B.", "C."]),
            ("Foo 1", &["A.", "B.", "C."]),
            ("Foo 2", &["C."]),
            ("Foo", &["A.", "B.", "C."]),
            ("", &["A.", "B.", "C."]),
        ] {
            let kept = of_topic(text, topic);
            let said: Vec<&str> =
                ["A.", "B.", "C."].into_iter().filter(|it| kept.contains(it)).collect();
            assert_eq!(said, expected, "{topic}");
            assert_eq!(kept.lines().count(), text.lines().count(), "{topic}");
        }
        let bare = "# Version 2.5.0\n\nA.\n\n# ~~Version 2.4.1~~\n\nB.\n";
        for (topic, expected) in
            [("Foo 2.4", [false, true]), ("Foo 2", [true; 2]), ("Foo 3", [false; 2])]
        {
            let kept = of_topic(bare, topic);
            assert_eq!(["A.", "B."].map(|it| kept.contains(it)), expected, "{topic}");
        }
        // What bears a day is no version.
        let days = "## Meeting of May 1 2023\n\nA.\n\n## Meeting of May 1 2024\n\nB.\n";
        assert_eq!(of_topic(days, "Meeting"), days);
    }
}
