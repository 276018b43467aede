//! Notes: `get`, `write_note`, and notes as resources.

use std::path::Path;

use super::{OperationContext, found};
use crate::{
    mcp::server::{Call, NoteEntry, NoteText, Reply},
    wire::{DriftWire, GetArguments, PartWire, WriteNoteArguments, WrittenWire},
};
use elophanto_app::{
    Error, Result,
    notes::{Listed, Notes, Origin, write},
    workspace::KnowledgeBase,
};
use elophanto_base::counted::counted;
use elophanto_models::builtin::count_tokens;
use elophanto_repo::NotePath;
use elophanto_text::{
    authoring::{self, Part, content_hash},
    place::{Place, lines, place},
};

/// Largest note that is read as a whole, in bytes.
const MOST_READ: usize = 256 * 1024;

pub fn get(given: GetArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let workspace = on.workspace()?;
    let notes = Notes::open(&workspace)?;
    let part = match (given.heading, &given.lines) {
        (Some(_), Some(_)) => {
            let error = Error::new("`heading` and `lines` name two parts of the note");
            return Err(error.hint("give one of them"));
        }
        (Some(heading), None) => Some(Part::Heading(heading)),
        (None, given) => {
            given.as_deref().and_then(lines).map(|(first, last)| Part::Lines(first, last))
        }
    };
    let excerpt = notes.excerpt(&at(&given.path)?, part)?;
    let path = excerpt.path.to_text();
    let (start, end) = excerpt.part.lines;
    let drift = notes.drifted(&excerpt.path);
    let answer = |body: &str, (first, last): (usize, usize), origin: &Origin| {
        let drifted = drift.as_ref().map(DriftWire::from);
        let warned = drifted.as_ref().map_or_else(String::new, self::drifted);
        let hash = &excerpt.hash;
        let by = by(origin);
        let mut text = match excerpt.origin {
            Some(_) => {
                format!("{path}  ({by}: what is said of it, lines {first}-{last})\n\n{body}")
            }
            None => format!("{path}:{first}-{last}  {warned}({by}; hash {hash})\n\n{body}"),
        };
        if first > start {
            text.push_str(if body.ends_with('\n') { "" } else { "\n" });
            text.push_str(&format!("[before it stand `lines` {start}-{}] ", first - 1));
        }
        if last < end {
            text.push_str(&format!("[it goes on; ask for `lines` {}-{end}]", last + 1));
        }
        let part = PartWire {
            path: &path,
            title: &excerpt.title,
            lines: [first, last],
            text: body,
            hash,
            truncated: first > start || last < end,
            drifted,
            origin,
        };
        found::<GetArguments>(text, &part)
    };
    let usual = Origin::usual();
    // Room for the line that says what is quoted.
    let room = call.max_tokens().saturating_sub(24);
    let fits = |body: &str, told: (usize, usize)| match answer(body, told, &usual).map(Reply::shown)
    {
        Ok(Reply::Found { text, structured, .. }) => {
            count_tokens(&text) <= room && count_tokens(&structured.to_string()) <= room
        }
        _ => false,
    };
    let (body, told) = excerpt.fitting(fits);
    match &excerpt.origin {
        Some(origin) => answer(body, told, origin),
        None => answer(body, told, &notes.origin(&excerpt.path, told)),
    }
}

/// A place that was held against the form of one.
pub fn at(given: &str) -> Result<Place> {
    place(given).ok_or_else(|| Error::new(format_args!("`{given}` leads out of the root")))
}

/// An origin in a few words.
pub fn by(origin: &Origin) -> String {
    match (origin.author.as_deref(), origin.commit.as_deref()) {
        (Some(author), Some(commit)) if !author.is_empty() && !commit.is_empty() => {
            format!("{author}, {commit:.10}")
        }
        // Of what is published elsewhere nobody knows who wrote it.
        (None, Some(commit)) => {
            let day = origin.date.as_deref().and_then(|date| date.get(..10));
            format!("{commit:.10}{}", day.map(|day| format!(" of {day}")).unwrap_or_default())
        }
        _ => origin.state.to_owned(),
    }
}

/// That a note has drifted: it stands before what else is told of the note, so that it is read first.
pub fn drifted(drift: &DriftWire) -> String {
    format!("[drifted: {} to what it covers]  ", counted(drift.commits, "later commit"))
}

pub fn write_note(given: WriteNoteArguments, on: &OperationContext, call: &Call) -> Result<Reply> {
    let draft = authoring::Draft {
        kind: given.kind.map_or(authoring::Kind::Note, |kind| kind.0),
        title: &given.title,
        sections: &[],
        body: Some(&given.text),
        tags: given.tags.as_deref(),
        path: given.path.as_deref().map(Path::new),
    };
    let written = write(&on.workspace()?, &draft, given.hash.as_deref(), &on.reporter(call))?;
    let path = written.path.to_string_lossy().into_owned();
    let text = format!("Written to {path}.");
    let hash = Some(content_hash(&written.text));
    found::<WriteNoteArguments>(text, &WrittenWire { path, hash })
}

pub fn list(base: &KnowledgeBase, after: Option<&str>, limit: usize) -> Result<Vec<NoteEntry>> {
    let workspace = base.open(Vec::new())?;
    let entry = |Listed { path, title, bytes, changed }| NoteEntry { path, title, bytes, changed };
    Ok(Notes::open(&workspace)?.list(after, limit).into_iter().map(entry).collect())
}

pub fn read(base: &KnowledgeBase, path: &str) -> Result<Option<NoteText>> {
    let workspace = base.open(Vec::new())?;
    let text = Notes::open(&workspace)?.text(&NotePath::from(path))?;
    Ok(text.map(|mut text| {
        let truncated = text.len() > MOST_READ;
        text.truncate(text.floor_char_boundary(MOST_READ));
        NoteText { text, truncated }
    }))
}
