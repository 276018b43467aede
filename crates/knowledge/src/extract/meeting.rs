//! Whether a page tells of one meeting, and of which day.

use super::fold::fold;
use super::name::{Rejection, is_month_or_day, is_year, structural};
use super::page::{Kind, Page};
use super::shape;
use super::thing::{DOCUMENT_KINDS, spaced, titles};
use crate::words::{Words, list};
use elophanto_text::markdown;

/// The day that a page has for its title, as minutes do.
pub(super) fn date(page: &Page, title: Option<&str>) -> Option<String> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1)));
    let titles = title.into_iter().chain(page.title.as_deref());
    let mut titles = titles.chain(heading.map(|block| block.text.as_str()));
    let is_date = |title: &&str| structural(title) == Err(Rejection::Date);
    titles
        .clone()
        .find(is_date)
        .map(str::to_owned)
        .or_else(|| date_below(page, is_day_line))
        .or_else(|| page.day.clone())
        .or_else(|| date_below(page, |_| true))
        .or_else(|| titles.find(is_of_one_time).map(str::to_owned))
}

/// `April 2019 Minutes`, `Board meeting, 11 March 2021`, `(29/4/24) Minutes`
fn is_of_one_time(title: &&str) -> bool {
    let key = spaced(title);
    let mut words = key.split_whitespace();
    is_of_minutes(title) && (words.any(is_year) || title.split_whitespace().any(is_short_day))
}

/// What minutes are called.
const MEETINGS: &[&str] = &["meeting", "minutes", "mitgliederversammlung", "protokoll", "sitzung"];

fn is_of_minutes(title: &&str) -> bool {
    spaced(title).split_whitespace().any(|word| MEETINGS.contains(&word))
}

/// Who meets, and how often, whoever they are.
static BODIES: Words = list!(words "meeting_bodies");

/// `29/4/24`
fn is_short_day(word: &str) -> bool {
    const PARTS: usize = 3;
    let day = word.trim_matches(|char: char| "(),.:".contains(char));
    let parts: Vec<&str> = day.split(['/', '.', '-']).collect();
    let is_number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.len() == PARTS && parts.iter().all(is_number)
}

/// Whether a title says that a page is minutes, and of which day, and nothing else.
pub(super) fn says_only_kind_and_day(title: &str) -> bool {
    let key = spaced(title);
    let has_body = key.split_whitespace().any(|word| BODIES.contains(word));
    let is_plain = |word: &str| {
        MEETINGS.contains(&word)
            || BODIES.contains(word)
            || has_body && shape::is_joint(word)
            || DOCUMENT_KINDS.contains(word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || is_month_or_day(word)
    };
    key.split_whitespace().any(|word| MEETINGS.contains(&word))
        && key.split_whitespace().all(is_plain)
}

/// The parts of a text that tells of several meetings, each below a heading with its day, and of what stands before and
/// between them, with the lines before each; else none.
pub(super) fn several(text: &str) -> Vec<(usize, String)> {
    const LEAST: usize = 2;
    const MOST: usize = 60;
    let Ok(document) = markdown::parse(text) else { return Vec::new() };
    let is_one = |heading: &markdown::Heading| is_of_one_time(&heading.text.as_str());
    let count =
        |level: u8| document.headings.iter().filter(|it| it.level == level && is_one(it)).count();
    let Some(level) = (1..=6).find(|level| count(*level) >= LEAST) else { return Vec::new() };
    let heads = document.headings.iter().filter(|heading| heading.level <= level);
    let heads: Vec<(usize, bool)> =
        heads.map(|it| (it.line, it.level == level && is_one(it))).collect();
    if heads.len() > MOST {
        return Vec::new();
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts = [(1, false)].into_iter().chain(heads.iter().copied());
    let ends = heads.iter().map(|(line, _)| line - 1).chain([lines.len()]);
    let part = |((start, is_dated), end): ((usize, bool), usize)| {
        let from = start.checked_sub(1)?;
        let (head, rest) = lines.get(from..end)?.split_first()?;
        let head = match is_dated {
            true => format!("# {}", head.trim_start_matches('#').trim_start()),
            false => (*head).to_owned(),
        };
        let told = format!("{head}{}", rest.concat());
        (!told.trim().is_empty()).then_some((from, told))
    };
    starts.zip(ends).filter_map(part).collect()
}

/// Whether a page that the user gave tells of one meeting.
pub(super) fn is_of_meeting(page: &Page, title: Option<&str>) -> bool {
    const MOST: usize = 12;
    let line = page.blocks.first().map(|block| block.text.as_str());
    let line = line.filter(|it| it.split(' ').count() <= MOST && !it.trim_end().ends_with('.'));
    let is_dated =
        |title: &&str| is_of_one_time(title) || page.day.is_some() && is_of_minutes(title);
    // `Foo Council, extraordinary meeting.`, and below it when that was held.
    let ends = page.blocks.first().is_some_and(|block| ends_as_meeting(&block.text));
    page.is_given
        && (titles(page, title).chain(line).any(|title| is_dated(&title))
            || ends && page.blocks.len() > 1 && date_below(page, |_| true).is_some())
}

/// Whether a line is short and ends with what a meeting is called.
fn ends_as_meeting(line: &str) -> bool {
    const MOST: usize = 12;
    let key = spaced(line);
    let words: Vec<&str> = key.split_whitespace().collect();
    words.len() <= MOST && words.last().is_some_and(|last| MEETINGS.contains(last))
}

/// Whether a line is little more than a day, or says when something was held.
fn is_day_line(line: &str) -> bool {
    const MOST: usize = 5;
    line.split_whitespace().count() <= MOST || line.to_lowercase().contains("held on")
}

/// The day that stands below a title: `Held on Thursday 14 March 2024`.
fn date_below(page: &Page, tells: fn(&str) -> bool) -> Option<String> {
    const EARLY: usize = 6;
    const PARTS: usize = 3;
    let is_part = |char: char| ".,;:()–—- ".contains(char);
    let rows = page.rows.iter().filter(|row| fold(row.cells.first().map_or("", |it| it)) == "date");
    let texts = rows.filter_map(|row| row.cells.get(1)).map(String::as_str);
    let texts = texts.chain(page.title.as_deref());
    let texts = texts.chain(page.blocks.iter().take(EARLY).map(|block| block.text.as_str()));
    // `Next meeting: 7 July 2025`
    let texts = texts.filter(|text| tells(text) && !text.to_lowercase().contains("next"));
    texts.into_iter().find_map(|text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let days = words.windows(PARTS).chain(words.windows(1)).map(|words| words.join(" "));
        let mut days = days.map(|day| day.trim_matches(is_part).to_owned());
        days.find(|day| {
            let has_year = day.split([' ', '.', '-']).any(is_year);
            // `13. Februar 2023`: no number of a list.
            has_year && structural(&day.replacen(". ", " ", 1)) == Err(Rejection::Date)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn a_meeting_has_a_day() {
        for (text, expected) in [
            ("# 2024-03-05\n\nA.", Some("2024-03-05")),
            ("# Foo Meeting 2018-05-23\n\nA.", Some("2018-05-23")),
            ("# (29/4/24) Meeting Minutes\n\nA.", Some("(29/4/24) Meeting Minutes")),
            ("# Minutes\n\nHeld on Thursday 14 March 2024 at 7.", Some("14 March 2024")),
            (
                "---\ndate: 2023-11-16 19:00:00 -0800\n---\n\n# Board meeting\n\nA.",
                Some("2023-11-16"),
            ),
            (
                "---\ntitle: 2016-09-03\ndate: 2024-12-29\n---\n\n## Present\n\nA.",
                Some("2016-09-03"),
            ),
            ("# Protokoll vom 13. Februar 2023\n\nA.", Some("13. Februar 2023")),
            (
                "---\ndate: 2014-09-08\n---\n\nMINUTES HELD ON\n\nTUESDAY MAY 6th 2014\n",
                Some("MAY 6th 2014"),
            ),
            ("# May 2025 – Committee\n\nA.", Some("May 2025")),
            ("# Foo\n\nA.", None),
        ] {
            assert_eq!(date(&read(text), None).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn several_meetings_are_told_apart() {
        let text =
            "# Foo minutes\n\n### May 2025 – Meeting\n\nA.\n\n### June 2025 – Meeting\n\nB.\n";
        let parts = several(text);
        let expected = [
            (0, "# Foo minutes\n\n"),
            (2, "# May 2025 – Meeting\n\nA.\n\n"),
            (6, "# June 2025 – Meeting\n\nB.\n"),
        ];
        assert_eq!(parts, expected.map(|(line, part)| (line, part.to_owned())));
        let deep = "## Meeting 2024\n\nA.\n\n### Minutes of the meeting of May 2023\n\nB.\n\n## Meeting 2025\n\n### Minutes of \
                    the meeting of 2024\n\n## Rules\n\nC.\n";
        assert_eq!(several(deep).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [0, 8, 12]);
        assert_eq!(several("# Meeting 2024\n\nA.\n\n## Notes\n\nB.\n"), []);
        let facts = |text: &str| {
            let document = super::super::Document { text, title: None };
            let told = super::super::extract(&document, "Foo", &[], super::super::Mode::Given);
            let all = told.entities.into_iter().flat_map(|it| it.facts);
            all.map(|fact| (fact.line, fact.text)).collect::<Vec<_>>()
        };
        let minutes = text
            .replace("A.", "- Present: Ann Hill, Bo Oak")
            .replace("B.", "- Present: Ann Hill, Cy Elm");
        let expected = [
            (5, "Foo, May 2025 – present: Ann Hill, Bo Oak".to_owned()),
            (9, "Foo, June 2025 – present: Ann Hill, Cy Elm".to_owned()),
        ];
        assert_eq!(facts(&minutes), expected);
    }

    #[test]
    fn a_page_tells_of_one_meeting() {
        for (text, expected) in [
            ("Foo Council Extra meeting.\n\nHeld at Foo on 21st March 2018\n\nA.", true),
            ("Foo Council Extra meeting.\n\nHeld at Foo.", false),
            ("Foo Council has a meeting room.\n\nHeld on 21st March 2018", false),
            ("# Foo Meeting 2018-05-23\n\nA.", true),
        ] {
            let page = Page { is_given: true, ..read(text) };
            assert_eq!(is_of_meeting(&page, None), expected, "{text}");
        }
    }

    #[test]
    fn minutes_may_say_no_more_than_their_day() {
        for (title, expected) in [
            ("(29/4/24) Meeting Minutes", true),
            ("Minutes of 3 May 2024", false),
            ("Minutes 3 May 2024", true),
            ("Q4 Board of Directors Meeting", true),
            ("Foo Meeting 2024", false),
            ("29/4/24", false),
        ] {
            assert_eq!(says_only_kind_and_day(title), expected, "{title}");
        }
    }
}
