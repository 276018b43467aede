//! Which parts of a page still say what our templates say: they ask for something and know
//! nothing, so they are neither searched nor told to an agent. Pure.
//!
//! Compared by their words alone, section by section, so that wrapped lines, other line ends and
//! other marks change nothing. The names that a template leaves open match anything short.

use std::{ops::Range, sync::OnceLock};

use super::templates;
use elophanto_text::markdown::{self, Document};

/// Texts of templates as earlier versions wrote them: one that changes leaves its old text here.
const FORMER: &[&str] = &[];
/// Sections that say how to use a page: nobody has to fill them.
const GUIDES: &[&str] = &["How to write an entry", "Related", "Decisions"];
/// Words that the name of a project or folder has at most.
const MOST_WORDS: usize = 24;

/// A section that says what a template says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfilled {
    /// Without its marks.
    pub heading: String,
    /// Whether it waits for somebody to write it.
    pub is_to_fill: bool,
    /// Bytes of the page: the text of the section up to the next heading, and its heading if that
    /// is the template's and nothing below it is filled.
    pub range: Range<usize>,
}

/// The sections of a page that still say what a template says. `document` is what `text` parses to.
pub fn unfilled(text: &str, document: &Document) -> Vec<Unfilled> {
    let sections = sections(text, document);
    let asks: Vec<Option<&Known>> = sections.iter().map(Section::template).collect();
    let mut found = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let Some(known) = asks[number] else { continue };
        let below = sections[number + 1..].iter().take_while(|next| next.level > section.level);
        let all = asks[number + 1..].iter().take(below.count()).all(Option::is_some);
        let is_ours = matches(&known.heading, &words(section.heading));
        let start = if all && is_ours { section.start } else { section.body.start };
        found.push(Unfilled {
            heading: section.heading.to_owned(),
            is_to_fill: section.level > 1 && !GUIDES.contains(&section.heading),
            range: start..section.body.end,
        });
    }
    found
}

/// The text of a page without the sections that still say what a template says; `None` if nothing
/// else is left.
pub fn filled(text: &str) -> Option<String> {
    let Ok(document) = markdown::parse(text) else { return Some(text.to_owned()) };
    let mut kept = String::new();
    let mut body = String::new();
    let mut from = 0;
    for Unfilled { range, .. } in unfilled(text, &document) {
        kept.push_str(&text[from..range.start]);
        body.push_str(&text[from.max(document.body.start)..range.start]);
        from = range.end;
    }
    kept.push_str(&text[from..]);
    body.push_str(&text[from.max(document.body.start)..]);
    (!body.trim().is_empty()).then_some(kept)
}

/// A heading with the text below it, up to the next heading.
struct Section<'t> {
    level: u8,
    heading: &'t str,
    start: usize,
    body: Range<usize>,
    text: &'t str,
}

impl Section<'_> {
    /// The section of a template whose words these are.
    fn template(&self) -> Option<&'static Known> {
        let first = runs(self.text).next()?.to_lowercase();
        // Nearly no section of any note gets past this word.
        let begins = |known: &&Known| match known.body.first() {
            Some(Word::Said(word)) => *word == first,
            Some(Word::Open) => true,
            None => false,
        };
        let mut known = known().iter().filter(begins).peekable();
        known.peek()?;
        let body = words(self.text);
        known.find(|known| matches(&known.body, &body))
    }
}

fn sections<'t>(text: &'t str, document: &'t Document) -> Vec<Section<'t>> {
    let headings = &document.headings;
    let section = |(number, heading): (usize, &'t markdown::Heading)| {
        let next = headings.get(number + 1).map_or(document.body.end, |next| next.range.start);
        let body = heading.range.end..next;
        let text = text.get(body.clone()).unwrap_or_default();
        Section {
            level: heading.level,
            heading: &heading.text,
            start: heading.range.start,
            body,
            text,
        }
    };
    headings.iter().enumerate().map(section).collect()
}

/// A word of a template.
#[derive(Debug, PartialEq)]
enum Word {
    Said(String),
    /// The name of the project or of a folder.
    Open,
}

/// A section of a template.
struct Known {
    heading: Vec<Word>,
    body: Vec<Word>,
}

fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let texts = templates::NOTES.iter().map(|note| note.body).chain(FORMER.iter().copied());
        let known = |text: &str| -> Vec<Known> {
            let Ok(document) = markdown::parse(text) else { return Vec::new() };
            let known = |section: &Section| Known {
                heading: open_words(section.heading),
                body: open_words(section.text),
            };
            sections(text, &document).iter().map(known).collect()
        };
        texts.flat_map(known).collect()
    })
}

/// The words of a template.
fn open_words(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    for (number, part) in text.split("{{").enumerate() {
        let said = match part.split_once("}}") {
            Some((_, said)) if number > 0 => {
                all.push(Word::Open);
                said
            }
            _ => part,
        };
        all.extend(words(said).into_iter().map(Word::Said));
    }
    all
}

/// Letters and digits in lower case, run by run.
fn words(text: &str) -> Vec<String> {
    runs(text).map(str::to_lowercase).collect()
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// Whether these words are the template's, with up to [`MOST_WORDS`] for what it leaves open.
fn matches(template: &[Word], words: &[String]) -> bool {
    match template.split_first() {
        None => words.is_empty(),
        Some((Word::Said(said), rest)) => {
            words.split_first().is_some_and(|(word, words)| word == said && matches(rest, words))
        }
        Some((Word::Open, rest)) => {
            (0..=words.len().min(MOST_WORDS)).any(|taken| matches(rest, &words[taken..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn page(name: &str) -> String {
        let note = templates::NOTES.iter().find(|note| note.path.ends_with(name)).unwrap();
        templates::render(note, "My <odd> project, v2", "docs/kb", Timestamp::UNIX_EPOCH)
    }

    fn left(text: &str) -> Vec<String> {
        let document = markdown::parse(text).unwrap();
        unfilled(text, &document).into_iter().map(|section| section.heading).collect()
    }

    #[test]
    fn a_new_page_says_nothing() {
        for note in templates::NOTES {
            for name in ["x", "My <odd> project, v2", "{{project}}"] {
                for root in [".", "knowledge", "docs/kb"] {
                    let text = templates::render(note, name, root, Timestamp::UNIX_EPOCH);
                    assert_eq!(filled(&text), None, "{text}");
                    assert_eq!(filled(&text.replace('\n', "\r\n")), None, "{}", note.path);
                    let wrapped = text.replace(". ", ".\n").replace("\n- ", "\n\n*   ");
                    assert_eq!(filled(&wrapped), None, "{wrapped}");
                    let bare = text.split_once("---\n\n").unwrap().1;
                    assert_eq!(filled(bare), None, "{bare}");
                }
            }
        }
    }

    #[test]
    fn what_is_filled_is_told() {
        let text = page("identity.md");
        let mine = "It sorts the mail of a whole village.";
        let edited = text.replace("One paragraph: which problem", &format!("{mine} Which problem"));
        assert_ne!(text, edited);
        let kept = filled(&edited).unwrap();
        assert!(kept.starts_with("---\ntitle:") && kept.contains(mine), "{kept}");
        assert!(!kept.contains("Mention those who") && !kept.contains("Words we use"), "{kept}");
        // The title stays over what is filled.
        assert!(kept.contains("\n# Identity of My") && kept.contains("## Purpose"), "{kept}");
        assert_eq!(
            left(&edited),
            ["Identity of My project, v2", "Who uses it", "Principles", "Words we use", "Related"]
        );
        // A section below an unfilled one, and one of which only the heading was changed.
        let text = page("architecture.md");
        let edited = text.replace("- Owns: the data", "- Owns: all bags");
        let kept = filled(&edited).unwrap();
        assert!(kept.contains("## Parts") && !kept.contains("One section per part"), "{kept}");
        let kept = filled(&text.replace("### Name of the part", "### The sorter")).unwrap();
        assert!(kept.contains("### The sorter") && !kept.contains("Owns"), "{kept}");
    }

    #[test]
    fn other_texts_are_nobodys_template() {
        for text in ["", "# Purpose\n\nTo sort mail.\n", "## Overview\n", "No heading.\n"] {
            assert_eq!(left(text), [""; 0], "{text}");
        }
        assert_eq!(filled(""), None);
        assert_eq!(filled("No heading.\n").as_deref(), Some("No heading.\n"));
    }

    /// A template that changes leaves its old text in [`FORMER`], so that pages of earlier versions
    /// are still known; then this digest is brought up to date.
    #[test]
    fn templates_are_those_that_were_written_before() {
        let mut hasher = blake3::Hasher::new();
        for note in templates::NOTES {
            hasher.update(note.body.as_bytes()).update(&[0]);
        }
        let digest = hasher.finalize().to_hex();
        assert_eq!(&digest[..16], "80df9e87e3f06884");
    }
}
