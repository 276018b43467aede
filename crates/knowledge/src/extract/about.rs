//! What a text is about: what was asked for, what its title and headings name, and what it begins with.

use super::Document;
use super::fold::fold;
use super::name::tidy;
use super::page::{self, Kind};

/// What a text says that it is about.
#[derive(Debug, Default)]
pub struct About {
    /// Words in lower case, with one blank between them and around all.
    asked: String,
    titles: Vec<String>,
    headings: Vec<String>,
    /// How it begins, without a title or a heading above.
    beginning: String,
}

impl About {
    /// Reads it out of a text that was found for a topic.
    pub fn of(document: &Document<'_>, topic: &str) -> Self {
        let text = document.text;
        let page = page::read(&text[..text.floor_char_boundary(super::MAX_DOCUMENT_BYTES)]);
        let titles = document.title.into_iter().chain(page.title.as_deref()).map(words);
        let headings = page.blocks.iter().filter(|block| !block.is_furniture);
        let headings = headings.filter(|block| matches!(block.kind, Kind::Heading(_)));
        let is_headed = page.blocks.first().is_some_and(|it| matches!(it.kind, Kind::Heading(_)));
        let first = page.sentences.first().filter(|_| !is_headed);
        let first = first.map(|sentence| words(page.text(sentence)));
        Self {
            asked: words(topic),
            titles: titles.collect(),
            headings: headings.map(|block| words(&tidy(&block.text))).collect(),
            beginning: first.unwrap_or_default(),
        }
    }

    /// Whether it is about the thing of this name.
    pub fn is(&self, name: &str) -> bool {
        let name = words(&tidy(name));
        if name.trim().is_empty() {
            return false;
        }
        let is_asked = !self.asked.trim().is_empty()
            && (self.asked.contains(&name) || name.contains(&self.asked));
        let begins = || {
            let articles = [" the ", " a "].iter();
            let bare = articles.fold(self.beginning.as_str(), |rest, article| {
                rest.strip_prefix(article).unwrap_or(rest)
            });
            self.titles.is_empty() && format!(" {}", bare.trim_start()).starts_with(&name)
        };
        is_asked
            || self.titles.iter().any(|title| title.contains(&name))
            || self.headings.contains(&name)
            || begins()
    }
}

fn words(text: &str) -> String {
    let text = fold(text);
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_about_what_it_says_it_is() {
        let text = "# Otters\n\nOtters swim in rivers. KEF was bought in 2020.\n\n## Heron Island\n\nIt is far.";
        let about = About::of(&Document { text, title: None }, "sea otters");
        for (name, expected) in [
            ("otters", true),
            ("Heron Island", true),
            ("Sea Otters", true),
            ("KEF", false),
            ("Heron", false),
            ("", false),
        ] {
            assert_eq!(about.is(name), expected, "{name}");
        }
        let headed = Document { text: "# Otters\n\nTannoy was named after them.", title: None };
        assert!(!About::of(&headed, "otters").is("Tannoy"));
        let begins = Document { text: "Theranos was fined by a judge.", title: None };
        assert!(About::of(&begins, "zebras").is("Theranos"));
        let plain =
            Document { text: "The KEF R3 is a speaker by KEF. Tannoy is loud.", title: None };
        let about = About::of(&plain, "speakers");
        assert!(about.is("KEF R3") && about.is("KEF") && !about.is("Tannoy"));
    }
}
