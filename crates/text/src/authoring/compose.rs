//! The text of a note, put together from its parts.

use jiff::Timestamp;

use super::{
    AuthoringError, Draft, MAX_HEADING_CHARS, MAX_NOTE_BYTES,
    fit::{first_level, fit},
    kept::{Kept, quoted},
    text::{clean, heading},
};
use crate::markdown::{self, Scope};
use elophanto_base::one_line::one_line;

/// The level of a section's heading.
const SECTION: u8 = 2;

/// What stands in the front matter.
pub(super) struct Header {
    pub title: String,
    pub created: Timestamp,
    pub updated: Timestamp,
    pub tags: Vec<String>,
    pub kept: Vec<Kept>,
}

/// The whole text: front matter, one heading with the title unless the body brings its own, the
/// body, the sections. `body` is clean and without front matter.
pub(super) fn compose(
    header: &Header,
    draft: &Draft<'_>,
    body: &str,
) -> Result<String, AuthoringError> {
    let mut text = front_matter(header);
    let has_title = first_level(body)? == Some(1);
    if !has_title {
        let label =
            draft.kind.label().filter(|label| !begins_with(&header.title, label.trim_end()));
        let line = format!("\n# {}{}\n", label.unwrap_or_default(), heading(&header.title));
        text.push_str(&line);
    }
    push_block(&mut text, &fit(body, if has_title { 1 } else { SECTION })?);
    for (number, (name, section)) in (1..).zip(draft.sections) {
        let name = one_line(name, MAX_HEADING_CHARS);
        if name.is_empty() {
            return Err(AuthoringError::NoHeading { number });
        }
        push_block(&mut text, &format!("## {}", heading(&name)));
        push_block(&mut text, &fit(&clean(section), SECTION + 1)?);
    }
    if text.len() > MAX_NOTE_BYTES {
        return Err(AuthoringError::TooLarge { bytes: text.len() });
    }
    read_back(&text, header)?;
    Ok(text)
}

fn front_matter(header: &Header) -> String {
    let Header { title, created, updated, tags, kept } = header;
    let tags: Vec<String> = tags.iter().map(|tag| quoted(tag)).collect();
    let kept: String = kept.iter().map(|kept| kept.lines.as_str()).collect();
    format!(
        "---\ntitle: {}\ncreated: {created}\nupdated: {updated}\ntags: [{}]\nscope: {}\n{kept}---\n",
        quoted(title),
        tags.join(", "),
        Scope::Learned,
    )
}

/// What keys are kept must not make the rest unreadable.
fn read_back(text: &str, header: &Header) -> Result<(), AuthoringError> {
    let document = markdown::parse(text)?;
    let front = &document.front_matter;
    let is_read = front.title.as_ref() == Some(&header.title)
        && front.tags == header.tags
        && front.scope == Some(Scope::Learned);
    if is_read {
        return Ok(());
    }
    let warning = document.warnings.into_iter().next();
    let reason = warning.map_or_else(|| "it can't be read back".to_owned(), |found| found.message);
    Err(AuthoringError::FrontMatter { line: None, reason })
}

/// Puts a blank line and a block at the end.
fn push_block(text: &mut String, block: &str) {
    if !block.is_empty() {
        text.push('\n');
        text.push_str(block);
        text.push('\n');
    }
}

fn begins_with(title: &str, label: &str) -> bool {
    title.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label))
}
