//! A glance at a note or an entity from a link to it: its title and first words.

use serde_json::json;

use super::{Asked, Page, Tab, words};
use elophanto_app::{Result, entities::by_name, learning::Learning};
use elophanto_base::one_line::one_line;
use elophanto_knowledge::summary::prose;
use elophanto_text::markdown::{self, BlockKind};

/// Paragraphs that are looked at, and characters that are shown.
const PARAGRAPHS: usize = 2;
const MOST: usize = 240;

/// `note/PATH` or `entity/NAME`, as JSON whatever was asked for.
pub fn page(asked: &Asked, what: &str) -> Result<Page> {
    let path = match what.split_once('/') {
        Some(("note", path)) => Some(path.to_owned()),
        Some(("entity", name)) => {
            let learning = Learning::look(&asked.workspace);
            let store = learning.store();
            by_name(asked.known(), name).map(|entity| store.path(&entity.slug).to_text())
        }
        _ => None,
    };
    let number = path.as_deref().and_then(|path| asked.catalogue.find(path));
    let entry = number.and_then(|number| asked.catalogue.entries.get(number));
    let (Some(number), Some(entry)) = (number, entry) else {
        return Ok(asked.missing(Tab::Notes, &asked.no_note(what)));
    };
    let text = asked.catalogue.text(number).unwrap_or_default();
    let first = first_words(text);
    let twin = json!({ "title": words::line(&entry.title), "words": words::line(&first) });
    asked.json(&twin)
}

/// The first sentences of a note, without its markup.
fn first_words(text: &str) -> String {
    let paragraphs = match markdown::parse(text) {
        Ok(document) => {
            let prose = document.blocks.iter().filter(|it| it.kind == BlockKind::Paragraph);
            let prose = prose.take(PARAGRAPHS).filter_map(|it| text.get(it.range.clone()));
            prose.collect::<Vec<_>>().join("\n\n")
        }
        Err(_) => text.chars().take(4 * MOST).collect(),
    };
    one_line(&prose(&paragraphs).join(" "), MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_shows_prose() {
        let text = "---\ntags: [a]\n---\n# The ferry\n\nIt *leaves*\nat [dawn](dawn.md).\n\n| a |\n|---|\n";
        assert_eq!(first_words(text), "It leaves at dawn.");
        assert_eq!(first_words("# Only a heading\n"), "");
        assert!(first_words(&"word ".repeat(1_000)).chars().count() <= MOST);
    }
}
