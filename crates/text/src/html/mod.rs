//! Notes as HTML that can do no harm: what a note says, never what it would like a browser to do.
//!
//! Owns how Markdown is shown: raw HTML is text, links lead where the caller says, pictures of others
//! are links, headings follow one another without gaps. What comes out went through an allow list
//! besides. Pure: it opens nothing, and knows no address.

mod finish;
mod mark;
mod parts;
#[cfg(test)]
mod tests;
mod tree;

pub use mark::Mark;
pub use parts::{Part, parts};

use comrak::{Arena, Options, format_html};

use crate::markdown::{Link, Unparsable, parsed_within_budget};
use finish::{finished, sanitised};
use tree::Preparation;

/// Where a link of a note leads, as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An address of the page's own, or of another site.
    To(String),
    /// Nowhere that can be opened from here: its words stay.
    Nowhere,
}

/// What is asked of whoever knows the addresses.
pub struct Addresses<'a> {
    pub link: &'a dyn Fn(&Link) -> Target,
    /// The address of a picture that lies beside the notes; `None` for all others.
    pub picture: &'a dyn Fn(&Link) -> Option<String>,
}

/// A heading as it can be linked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// As the note has it, 1 to 6.
    pub level: u8,
    pub text: String,
    /// Its `id` in the HTML.
    pub id: String,
    /// In the file, from 1.
    pub line: usize,
}

/// Markdown as HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    pub anchors: Vec<Anchor>,
    /// Whether something of it is marked, as `id="mark"`.
    pub is_marked: bool,
}

/// Renders Markdown without front matter. `first_line` is the line of the file on which it begins;
/// a first heading that says `title` is left out, as the page says it already.
///
/// # Errors
/// When it would cost too much to read: such text can be shown as it stands.
pub fn render(
    markdown: &str,
    first_line: usize,
    title: &str,
    mark: Option<&Mark>,
    addresses: &Addresses<'_>,
) -> Result<Rendered, Unparsable> {
    let arena = Arena::new();
    let options = options();
    let root = parsed_within_budget(&arena, markdown, &options)?;
    let mut prepared = Preparation::new(first_line, title, mark, addresses);
    prepared.prepare(root);
    let mut html = String::new();
    // Writing into a string does not fail.
    let _ = format_html(root, &options, &mut html);
    let Preparation { anchors, is_marked, .. } = prepared;
    Ok(Rendered { html: finished(&sanitised(&html), &anchors), anchors, is_marked })
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.wikilinks_title_after_pipe = true;
    options.render.escape = true;
    options
}
