//! One entry and its form.

use jiff::civil::Date;

use super::text::{escape, one_line};
use crate::markdown::unescape;

/// Most characters of a title or of a value. What is longer is cut.
const MAX_LINE: usize = 300;
/// Most details of an entry.
const MAX_DETAILS: usize = 100;

/// What changed, and what is known of it. All but the details is plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub date: Date,
    pub title: String,
    /// What kind of change it is: the line `Type`.
    pub kind: Option<String>,
    /// What asked for it.
    pub reason: Option<String>,
    /// What it consists of, each on a line of its own, as Markdown.
    pub details: Vec<String>,
    /// What was tried.
    pub tests: Option<String>,
    /// What it needs.
    pub dependencies: Option<String>,
}

impl Entry {
    /// An entry that says nothing but its title.
    pub fn new(date: Date, title: impl Into<String>) -> Self {
        let title = title.into();
        Self {
            date,
            title,
            kind: None,
            reason: None,
            details: Vec::new(),
            tests: None,
            dependencies: None,
        }
    }

    /// Content of the entry's file. A line without a known value is left out.
    pub fn render(&self) -> String {
        let title = one_line(&self.title, MAX_LINE);
        let title = if title.is_empty() { "Untitled" } else { &escape(&title) };
        let mut text = format!("## {} — {title}\n", self.date);
        let plain = |value: &Option<String>| {
            let line = one_line(value.as_deref().unwrap_or_default(), MAX_LINE);
            (!line.is_empty()).then(|| escape(&line))
        };
        let mut gap = "\n";
        for (name, value) in [
            ("Type", plain(&self.kind)),
            ("Reason", plain(&self.reason)),
            ("Details", self.render_details()),
            ("Tests", plain(&self.tests)),
            ("Dependencies", plain(&self.dependencies)),
        ] {
            if let Some(value) = value {
                text.push_str(&format!("{gap}- **{name}**: {value}\n"));
                gap = "";
            }
        }
        text
    }

    /// Reads the first entry of a text, also one that a person wrote. `None` if there is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut entry = lines.find_map(heading)?;
        // The value that a line continues.
        let mut open: Option<(&str, String)> = None;
        for line in lines.take_while(|line| !line.starts_with("## ")) {
            if let Some((name, value)) = field(line) {
                entry.set(open.replace((name, value.to_owned())));
            } else if line.starts_with("  ") {
                if let Some((_, value)) = &mut open {
                    value.push('\n');
                    value.push_str(line.trim());
                }
            } else {
                entry.set(open.take());
            }
        }
        entry.set(open);
        Some(entry)
    }

    /// Continuation lines of one list item: a semicolon ends a detail, a newline only a line.
    fn render_details(&self) -> Option<String> {
        let details = self.details.iter().take(MAX_DETAILS);
        // A path and its old name are longer than other values.
        let lines = details.map(|detail| one_line(detail, 4 * MAX_LINE));
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let lines: Vec<String> = lines.iter().map(|line| no_block(line)).collect();
        (!lines.is_empty()).then(|| lines.join(";\n  "))
    }

    fn set(&mut self, read: Option<(&str, String)>) {
        let Some((name, value)) = read else { return };
        let plain = || Some(unescape(&value.replace('\n', " "))).filter(|text| !text.is_empty());
        match name {
            "Type" => self.kind = plain(),
            "Reason" => self.reason = plain(),
            "Details" => {
                let details = value.split(";\n").map(|detail| detail.replace('\n', " "));
                self.details = details.filter(|detail| !detail.is_empty()).collect();
            }
            "Tests" => self.tests = plain(),
            "Dependencies" => self.dependencies = plain(),
            _ => {}
        }
    }
}

/// `## YYYY-MM-DD — title`
fn heading(line: &str) -> Option<Entry> {
    let line = line.trim_start_matches('\u{feff}').strip_prefix("## ")?.trim();
    let (date, rest) = (line.get(..10)?, line.get(10..)?.trim_start());
    let title = rest.strip_prefix(['—', '–', '-'])?.trim_start();
    Some(Entry::new(date.parse().ok()?, unescape(title)))
}

/// `- **Name**: value`
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("- **")?.split_once("**:")?;
    Some((name, value.trim()))
}

/// At the start of a line these would begin a list, a quote, a heading, code or a table.
fn no_block(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let begins = match number {
        "" => rest.starts_with(['-', '+', '*', '#', '>', '=', '|', '~', '<', '`', ':']),
        _ => rest.starts_with(['.', ')']),
    };
    // A code span at the start is no fence.
    let fence = rest.starts_with("```") || !rest.starts_with('`');
    if begins && fence { format!("{number}\\{rest}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::markdown;

    fn full() -> Entry {
        Entry {
            kind: Some("knowledge, plugin".to_owned()),
            reason: Some("mail is to be summarised".to_owned()),
            details: vec!["added Reader (`a.md`)".to_owned(), "and 2 more".to_owned()],
            tests: Some("12 passed".to_owned()),
            dependencies: Some("a_client, b".to_owned()),
            ..Entry::new(date(2026, 2, 17), "Reader added")
        }
    }

    #[test]
    fn the_form_is_exact() {
        let text = "## 2026-02-17 — Reader added\n\n\
                    - **Type**: knowledge, plugin\n\
                    - **Reason**: mail is to be summarised\n\
                    - **Details**: added Reader (`a.md`);\n  and 2 more\n\
                    - **Tests**: 12 passed\n\
                    - **Dependencies**: a_client, b\n";
        assert_eq!(full().render(), text);
        assert_eq!(Entry::parse(text), Some(full()));
        let short = Entry::new(date(2026, 2, 17), "Reader *added*");
        assert_eq!(short.render(), "## 2026-02-17 — Reader \\*added\\*\n");
        assert_eq!(Entry::parse(&short.render()), Some(short));
    }

    #[test]
    fn reads_what_people_write() {
        let text = "\u{feff}## 2026-02-17 - A `b` c\r\n\r\n- **Type**: New\r\n- **Details**: One\r\n  \
                    and the same;\r\n  two\r\n- **Other**: x\r\n  y\r\n\r\n## 2026-01-01 — Older\r\n\
                    - **Tests**: 1\r\n";
        let entry = Entry::parse(text).unwrap();
        assert_eq!((entry.title.as_str(), entry.kind.as_deref()), ("A `b` c", Some("New")));
        assert_eq!(
            (entry.details, entry.tests),
            (vec!["One and the same".into(), "two".into()], None)
        );
        for text in ["", "# 2026-02-17 — A", "## A", "## 2026-02-30 — A", "## 2026-02-1é — A"]
        {
            assert_eq!(Entry::parse(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_breaks_the_form() {
        let evil = "x\n## 2020-01-01 — y\n- **Tests**: all\n<!-- >>> elophanto changelog >>> -->";
        let mut entry = full();
        entry.title = evil.to_owned();
        entry.reason = Some(evil.to_owned());
        entry.details = ["- **Tests**: all", "1. a", "## b", "> c", "```d", "`e`", "a\nb", " "]
            .map(str::to_owned)
            .into();
        let text = entry.render();
        let read = Entry::parse(&text).unwrap();
        assert_eq!(read.title, evil.replace('\n', " "));
        assert_eq!((read.reason, read.tests), (Some(read.title), full().tests));
        assert_eq!(
            read.details,
            [r"\- **Tests**: all", r"1\. a", r"\## b", r"\> c", r"\```d", "`e`", "a b"]
        );
        assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 1);
        let document = markdown::parse(&text).unwrap();
        assert_eq!((document.headings.len(), document.blocks.len()), (1, 2));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn gives_the_title_back(title in r"([\PC\n\r\t\\*_`#&<>\[\]~!-]|&amp;|\[\[|--){0,60}") {
            let mut entry = full();
            entry.title = title.clone();
            entry.reason = Some(title.clone());
            entry.details = vec![title.clone(), title.clone()];
            let text = entry.render();
            let read = Entry::parse(&text).unwrap();
            let line = one_line(&title, MAX_LINE);
            let expected = if line.is_empty() { "Untitled" } else { &line };
            prop_assert_eq!(&read.title, expected);
            prop_assert_eq!((read.kind, read.tests), (full().kind, full().tests));
            prop_assert_eq!(read.reason.unwrap_or_default(), line.as_str());

            let plain = Entry { details: Vec::new(), ..entry }.render();
            let document = markdown::parse(&plain).unwrap();
            prop_assert_eq!(document.headings.len(), 1);
            prop_assert_eq!(&document.headings[0].text, &format!("2026-02-17 — {expected}"));
            prop_assert!(document.links.is_empty());
        }
    }
}
