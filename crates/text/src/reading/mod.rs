//! Given material as Markdown: Markdown, plain text, HTML pages and PDF files.
//!
//! Owns telling what bytes are, decoding them, finding what a page is about, and the text layer of
//! a PDF. It refuses to know where bytes come from: no network, no files, no clock but the limit on
//! its own work. It recognises no text in images.
//!
//! What it reads was written by strangers. Hidden elements, scripts (but the properties of things
//! that JSON-LD tells), forms and invisible characters are dropped, every amount has a cap, and parsers
//! of others run on a thread of their own that is given up when its time is over. What is left is still
//! a stranger's text.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

mod address;
mod charset;
mod error;
mod html;
mod kind;
mod pdf;
mod tidy;
mod worker;

#[cfg(test)]
mod tests;

pub use error::ReadError;
pub use kind::Kind;

/// Most bytes taken in.
pub const INPUT_CAP: usize = 20 << 20;

/// Most bytes of text given back.
pub const TEXT_CAP: usize = 2 << 20;

/// Most characters of a title.
const TITLE_CAP: usize = 300;

/// Most characters of an author and a time.
const BYLINE_CAP: usize = 120;

/// What is known of bytes before looking at them. Outranks what they look like, except that a file
/// which begins as a PDF is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hint<'a> {
    /// As in a `Content-Type` header: `text/html; charset=utf-8`.
    pub media_type: Option<&'a str>,
    /// A file name, a path or the path of an address; only its ending counts.
    pub name: Option<&'a str>,
}

/// How to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Time for a page or a PDF; both are read on a thread of their own.
    pub limit: Duration,
    /// Where the page was found: relative links are made absolute with it.
    pub base: Option<Url>,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: Duration::from_secs(20), base: None }
    }
}

/// Who wrote something and when, as it says itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Byline {
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// A day or a time, as it is written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// Material that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub kind: Kind,
    /// Markdown; of plain text, the text as it is. Lines end in `\n`. Never empty.
    pub text: String,
    /// One line of at most 300 characters.
    pub title: Option<String>,
    /// Address of the picture a page shows for itself: absolute if [`Options::base`] is given, else
    /// as in the page.
    pub image: Option<String>,
    /// The address a page gives as its own, as `image`.
    pub canonical: Option<String>,
    pub byline: Byline,
    /// Whether text is missing because a cap was reached.
    pub cut: bool,
}

/// Reads `bytes` with the default [`Options`].
///
/// # Errors
/// [`ReadError`] on what is no text, has none, or takes too much.
pub fn read(bytes: &[u8], hint: Hint<'_>) -> Result<Read, ReadError> {
    read_with(bytes, hint, &Options::default())
}

/// As [`read`], with a limit on time and an address for relative links.
///
/// # Errors
/// As [`read`].
pub fn read_with(bytes: &[u8], hint: Hint<'_>, options: &Options) -> Result<Read, ReadError> {
    if bytes.len() > INPUT_CAP {
        return Err(ReadError::TooLarge { bytes: bytes.len(), cap: INPUT_CAP });
    }
    let kind = kind::tell(bytes, hint)?;
    match kind {
        Kind::Markdown | Kind::Text => {
            let text = charset::decode(bytes, hint.media_type, false)?;
            let mut about = html::About::default();
            if kind == Kind::Markdown {
                about.title = first_heading(&text);
                about.author = of_front(&text, &["author", "by"]);
                about.published = of_front(&text, &["date", "published", "created"]);
            }
            finish(kind, &text, false, about)
        }
        Kind::Html => {
            let page = charset::decode(bytes, hint.media_type, true)?;
            let base = options.base.clone();
            let found = worker::run(options.limit, move || html::extract(&page, base))??;
            finish(kind, &found.text, found.cut, found.about)
        }
        Kind::Pdf => {
            let found = pdf::extract(bytes, options.limit)?;
            let about = html::About { title: found.title, ..Default::default() };
            finish(kind, &found.text, found.cut, about)
        }
    }
}

/// Whether a text ends with what has powers, and no word with the number of a note: `2` of `2<sup>53</sup>`, `km`.
pub fn takes_power(text: &str) -> bool {
    const LONGEST: usize = 8;
    let from = text.char_indices().rev().nth(LONGEST).map_or(0, |(at, _)| at);
    let word = text[from..].rsplit(|it: char| it.is_whitespace() || "/×·".contains(it)).next();
    let word = word.unwrap_or_default();
    matches!(word, "10" | "2" | "cm" | "ft" | "km" | "m" | "mi" | "mm" | "s")
}

/// A few words of HTML, as search services send them, as plain text on one line without markup.
/// At most 64 KB are looked at.
pub fn plain(snippet: &str) -> String {
    const CAP: usize = 64 << 10;
    let snippet = snippet.get(..snippet.floor_char_boundary(CAP)).unwrap_or_default();
    tidy::line(&html::plain(snippet), usize::MAX).unwrap_or_default()
}

/// `text` on one line, its white space single, without control, direction and other characters that
/// hide or steer, cut after `most` characters; `None` if nothing is left.
pub fn clean_line(text: &str, most: usize) -> Option<String> {
    tidy::line(text, most)
}

/// `text` without such characters and without embedded files, at most `cap` bytes of it.
pub fn clean(text: &str, cap: usize) -> String {
    let (mut text, _) = tidy::text(text, cap);
    text.truncate(text.trim_end().len());
    text
}

fn finish(kind: Kind, text: &str, cut: bool, about: html::About) -> Result<Read, ReadError> {
    let (text, shortened) = tidy::text(text, TEXT_CAP);
    if text.is_empty() {
        return Err(if kind == Kind::Pdf { ReadError::PdfWithoutText } else { ReadError::Empty });
    }
    let title = about.title.and_then(|title| tidy::line(&title, TITLE_CAP));
    let byline = Byline {
        author: about.author.and_then(|author| tidy::line(&author, BYLINE_CAP)),
        published: about.published.and_then(|published| tidy::line(&published, BYLINE_CAP)),
    };
    let html::About { image, canonical, .. } = about;
    Ok(Read { kind, text, title, image, canonical, byline, cut: cut || shortened })
}

/// The front matter of a Markdown text, if it has one, and what follows.
fn parted(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start_matches('\u{feff}');
    match text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) {
        Some(rest) => {
            rest.split_once("\n---").map_or((None, text), |(front, body)| (Some(front), body))
        }
        None => (None, text),
    }
}

/// A plain value of the front matter under the first of these keys that has one.
fn of_front(text: &str, keys: &[&str]) -> Option<String> {
    let (front, _) = parted(text);
    let lines = || front.into_iter().flat_map(str::lines);
    keys.iter().find_map(|wanted| {
        let values =
            lines().filter_map(|line| line.split_once(':').filter(|(key, _)| key == wanted));
        let mut plain = values.map(|(_, value)| value.trim().trim_matches(['"', '\'']));
        plain
            .find(|value| !value.is_empty() && !value.starts_with(['[', '{', '|', '>']))
            .map(str::to_owned)
    })
}

/// The text of a `# heading` that opens a Markdown text, front matter left aside.
fn first_heading(text: &str) -> Option<String> {
    let (_, body) = parted(text);
    let line = body.lines().map(str::trim).find(|line| !line.is_empty() && *line != "---")?;
    let heading = line.strip_prefix("# ")?.trim().trim_end_matches('#').trim();
    (!heading.is_empty()).then(|| heading.to_owned())
}
