//! The text layer of a PDF.
//!
//! The parsers below panic on damaged files, follow what refers to itself until the stack is used
//! up, and unpack whatever they find. So a file is looked through twice: as bytes before it is
//! parsed, for what is unpacked while parsing (`packed`), and as objects before its pages are read
//! (`guard`, `costs`). What still goes wrong costs its page, or the time limit ends it.

use std::time::{Duration, Instant};

use pdf_extract::{Document, Object};

use super::{ReadError, TEXT_CAP, worker};

mod cmap;
mod costs;
mod guard;
mod packed;
mod pages;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

/// Pages read of one file.
const MOST_PAGES: usize = 2000;

pub(super) struct Found {
    /// Pages with an empty line between them.
    pub text: String,
    pub title: Option<String>,
    /// Whether pages are missing: damaged, overloaded, beyond a cap.
    pub cut: bool,
}

/// Reads the text layer within `limit`.
///
/// # Errors
/// Those of [`ReadError`] that speak of PDFs and of time.
pub(super) fn extract(bytes: &[u8], limit: Duration) -> Result<Found, ReadError> {
    if packed::is_encrypted(bytes) {
        return Err(ReadError::PdfEncrypted);
    }
    let bytes = bytes.to_vec();
    let end = Instant::now().checked_add(limit);
    match worker::run(limit, move || read(&bytes, end)) {
        Err(ReadError::Unparsable) => Err(damaged("no parser could read it")),
        Err(error) => Err(error),
        Ok(result) => result,
    }
}

/// On a thread that may panic. `end` is when nobody waits any more.
fn read(bytes: &[u8], end: Option<Instant>) -> Result<Found, ReadError> {
    packed::check(bytes)?;
    let mut pdf = match worker::catch(|| Document::load_mem(bytes)) {
        Some(Ok(pdf)) => pdf,
        Some(Err(error)) => return Err(damaged(&error.to_string())),
        None => return Err(damaged("its parts do not fit together")),
    };
    if pdf.is_encrypted() || pdf.was_encrypted() {
        return Err(ReadError::PdfEncrypted);
    }
    let pages: Vec<_> = pdf.get_pages().into_iter().collect();
    if pages.is_empty() {
        return Err(damaged("it has no pages"));
    }
    let mut cut = guard::prepare(&mut pdf);
    let usable = costs::bearable(&pdf, pages.get(..MOST_PAGES).unwrap_or(&pages));
    cut |= usable.len() < pages.len();
    let mut text = String::new();
    for number in usable {
        let room = TEXT_CAP.saturating_sub(text.len());
        let page = pages::read(&pdf, number, room, end);
        cut |= page.is_cut;
        let page = pages::joined(&page.text);
        if !page.is_empty() && !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&page);
        if text.len() >= TEXT_CAP {
            break;
        }
    }
    let has_letters = text.chars().any(char::is_alphanumeric);
    match (has_letters, cut) {
        (true, _) => Ok(Found { text, title: title(&pdf), cut }),
        (false, true) => Err(damaged("none of its pages could be read")),
        (false, false) => Err(ReadError::PdfWithoutText),
    }
}

fn damaged(reason: &str) -> ReadError {
    let reason = super::tidy::line(reason, 120).unwrap_or_default();
    ReadError::PdfDamaged { reason }
}

/// The title among the properties of the file.
fn title(pdf: &Document) -> Option<String> {
    let info = match pdf.trailer.get(b"Info").ok()? {
        Object::Reference(id) => pdf.get_dictionary(*id).ok()?,
        other => other.as_dict().ok()?,
    };
    let title = info.get(b"Title").ok()?;
    let title = worker::catch(|| pdf_extract::decode_text_string(title))?.ok()?;
    // Some programs write the name of the file there.
    let is_name = [".doc", ".docx", ".dvi", ".tex", ".indd", ".qxd", ".pdf"];
    let lower = title.trim().to_ascii_lowercase();
    (!lower.is_empty() && lower != "untitled" && !is_name.iter().any(|end| lower.ends_with(end)))
        .then_some(title)
}
