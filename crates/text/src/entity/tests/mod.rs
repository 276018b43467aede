//! Tests that need more than one module.

mod acts;
mod counting;
mod form;
mod hostile;
mod law;
mod world;

use jiff::Timestamp;

use super::{LineHash, NewLine, Origin, Page, append, new_page};

/// A second of a day.
fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_795_230_245 + second).unwrap()
}

/// A page with a line of each kind.
fn page() -> String {
    let page = new_page("kef-ls50-meta", "KEF LS50 Meta", at(0));
    let entity = "KEF LS50 Meta";
    let origin = Origin {
        source: Some("https://example.org/a"),
        search: Some("01J"),
        message: None,
        against: Some("knowledge/user/my audio.md"),
        published: None,
    };
    let lines = [
        NewLine::alias(entity, "LS50 Meta", at(0)),
        NewLine::tag(entity, "#audio", at(0)),
        NewLine::fact(entity, "The KEF LS50 Meta is a bookshelf speaker.", &origin, at(0)),
        NewLine::merged_into("kef-ls50-meta-2", "01JM", at(0)),
    ];
    append(&page, &lines.into_iter().flatten().collect::<Vec<_>>())
}

/// Of the first line that says this.
fn hash_of(text: &str, said: &str) -> LineHash {
    Page::parse(text).lines.iter().find(|line| line.text == said).unwrap().hash
}
