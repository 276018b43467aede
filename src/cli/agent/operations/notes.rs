//! Notes: `get`, `write_note`, and notes as resources.

use std::path::Path;

use serde_json::json;

use super::{
    super::{
        super::{error::CliError, workspace::KnowledgeBase},
        note,
    },
    Arguments,
};
use crate::server::{Call, NoteEntry, NoteText, Reply};
use elophanto_app::notes::{Excerpted, Listed, Notes, Origin, write};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::NotePath;
use elophanto_text::{
    authoring::{self, Part, content_hash},
    markdown::count_line_ends,
};

/// Largest note that is read as a whole, in bytes.
const MOST_READ: usize = 256 * 1024;

pub fn get(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
    let notes = Notes::open(&workspace)?;
    let part = match (arguments.text("heading"), arguments.text("lines")) {
        (Some(heading), _) => Part::Heading(heading.to_owned()),
        (None, Some(lines)) => {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Part::Lines(first.parse().unwrap_or(1), last.parse().unwrap_or(usize::MAX))
        }
        (None, None) => Part::Whole,
    };
    let Excerpted { path, title, part, hash } = notes.excerpt(arguments.given("path"), &part)?;
    let (first, end) = part.lines;
    let answer = |body: &str, last: usize, origin: &Origin| {
        let structured = json!({
            "path": path.to_text(),
            "title": title,
            "lines": [first, last],
            "text": body,
            "hash": hash,
            "truncated": last < end,
            "origin": origin,
        });
        let mut text = format!("{}:{first}-{last}  ({})\n\n{body}", path.to_text(), by(origin));
        if last < end {
            text.push_str(&format!("[it goes on; ask for `lines` {}-{end}]", last + 1));
        }
        (text, structured)
    };
    // An origin of the usual length, and room for the line that says what is quoted.
    let usual = |count: usize, char: &str| Some(char.repeat(count));
    let usual =
        Origin { author: usual(40, "a"), commit: usual(40, "0"), date: usual(20, "0"), state: "" };
    let room = call.max_tokens().saturating_sub(24);
    let fits = |body: &str, last| {
        let (text, structured) = answer(body, last, &usual);
        let Reply::Found { text, structured } = (Reply::Found { text, structured }).shown() else {
            return false;
        };
        count_tokens(&text) <= room && count_tokens(&structured.to_string()) <= room
    };
    let (body, last) = whole_lines(&part.text, part.lines, fits);
    let (text, structured) = answer(body, last, &notes.origin(&path, (first, last)));
    Ok(Reply::Found { text, structured })
}

/// The most lines that fit, at least one, and the number of the last one.
fn whole_lines(
    text: &str,
    (first, end): (usize, usize),
    fits: impl Fn(&str, usize) -> bool,
) -> (&str, usize) {
    if fits(text, end) {
        return (text, end);
    }
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
    let head = |lines: usize| {
        let at = lines.checked_sub(1).and_then(|last| ends.get(last)).copied();
        let head = at.and_then(|at| text.get(..at)).unwrap_or(text);
        let last = if at.is_some() { first + count_line_ends(head) - 1 } else { end };
        (head, last.max(first).min(end))
    };
    let (mut least, mut most) = (1, ends.len().max(1));
    while least < most {
        let middle = (least + most).div_ceil(2);
        let (body, last) = head(middle);
        if fits(body, last) { least = middle } else { most = middle - 1 }
    }
    head(least)
}

/// An origin in a few words.
pub fn by(origin: &Origin) -> String {
    match (origin.author.as_deref(), origin.commit.as_deref()) {
        (Some(author), Some(commit)) if !author.is_empty() && !commit.is_empty() => {
            format!("{author}, {}", commit.chars().take(10).collect::<String>())
        }
        _ => origin.state.to_owned(),
    }
}

pub fn write_note(arguments: &Arguments) -> Result<Reply, CliError> {
    let workspace = arguments.workspace()?;
    let kind = arguments.text("kind").and_then(|name| note::kind(name).ok());
    let tags = arguments.texts("tags").unwrap_or_default();
    let draft = authoring::Draft {
        kind: kind.unwrap_or(authoring::Kind::Note),
        title: arguments.given("title"),
        sections: &[],
        body: arguments.text("text"),
        tags: &tags,
        path: arguments.text("path").map(Path::new),
    };
    let written = write(&workspace, &draft, arguments.text("hash"))?;
    let path = written.path.to_string_lossy().into_owned();
    let text = format!("Written to {path}.");
    let structured = json!({ "path": path, "hash": content_hash(&written.text) });
    Ok(Reply::Found { text, structured })
}

pub fn list(
    base: &KnowledgeBase,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<NoteEntry>, CliError> {
    let workspace = base.open(Vec::new())?;
    let entry = |Listed { path, title, bytes, changed }| NoteEntry { path, title, bytes, changed };
    Ok(Notes::open(&workspace)?.list(after, limit).into_iter().map(entry).collect())
}

pub fn read(base: &KnowledgeBase, path: &str) -> Result<Option<NoteText>, CliError> {
    let workspace = base.open(Vec::new())?;
    let text = Notes::open(&workspace)?.text(&NotePath::from(path))?;
    Ok(text.map(|mut text| {
        let truncated = text.len() > MOST_READ;
        text.truncate(text.floor_char_boundary(MOST_READ));
        NoteText { text, truncated }
    }))
}
