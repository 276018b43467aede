//! Notes: `get`, `write_note`, and notes as resources.

use std::{fs, path::Path};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    super::{
        super::{error::CliError, workspace::Workspace},
        note,
    },
    Arguments, known, workspace,
};
use crate::server::{Call, NoteEntry, NoteText, Reply};
use elophanto_base::visible::visible;
use elophanto_index::{Refreshed, store::manifest::Place};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::{Git, NotePath, history::Age, read_note};
use elophanto_text::{
    authoring::{self, Part, content_hash, excerpt, nearest},
    markdown,
};

/// Paths that are suggested where there is no such note.
const SUGGESTIONS: usize = 5;

/// Largest note that is read as a whole, in bytes.
const MOST_READ: usize = 256 * 1024;

pub fn get(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let path = meant(&known, arguments.given("path"));
    let Some(text) = note_text(&workspace, &known, &path)? else {
        let paths: Vec<String> =
            known.snapshot.files.iter().map(|file| file.path.to_text()).collect();
        let near = nearest(&path.to_text(), paths.iter().map(String::as_str), SUGGESTIONS);
        let hint = match near.is_empty() {
            true => "`search` finds notes by what they say".to_owned(),
            false => format!("there is {}", near.join(", ")),
        };
        return Err(CliError::new(format_args!("there is no note `{}`", path.to_text())).hint(hint));
    };
    let part = match (arguments.text("heading"), arguments.text("lines")) {
        (Some(heading), _) => Part::Heading(heading.to_owned()),
        (None, Some(lines)) => {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Part::Lines(first.parse().unwrap_or(1), last.parse().unwrap_or(usize::MAX))
        }
        (None, None) => Part::Whole,
    };
    let found = excerpt(&text, &part)?;
    let title = markdown::parse(&text).ok().and_then(|note| note.title().map(str::to_owned));
    let title = title.unwrap_or_else(|| path.stem());
    let hash = content_hash(&text);
    let (first, end) = found.lines;
    let answer = |body: &str, last: usize, origin: &Value| {
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
    let usual = json!({"author": "a".repeat(40), "commit": "0".repeat(40), "date": "0".repeat(20)});
    let room = call.max_tokens().saturating_sub(24);
    let fits = |body: &str, last| {
        let (text, structured) = answer(body, last, &usual);
        let Reply::Found { text, structured } = (Reply::Found { text, structured }).shown() else {
            return false;
        };
        count_tokens(&text) <= room && count_tokens(&structured.to_string()) <= room
    };
    let (body, last) = whole_lines(&found.text, found.lines, fits);
    let (text, structured) = answer(body, last, &origin(&workspace, &known, &path, (first, last)));
    Ok(Reply::Found { text, structured })
}

/// The note of a path as it was given, which may be one with marks in it.
fn meant(known: &Refreshed, given: &str) -> NotePath {
    let path = NotePath::from(given);
    let files = &known.snapshot.files;
    if files.binary_search_by(|file| file.path.cmp(&path)).is_ok() || !given.contains("<U+") {
        return path;
    }
    let shown = files.iter().find(|file| visible(&file.path.to_text()) == given);
    shown.map_or(path, |file| file.path.clone())
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
        let last = if at.is_some() { first + markdown::count_line_ends(head) - 1 } else { end };
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

/// Who wrote these lines of a note last, and whether that is committed.
fn origin(
    workspace: &Workspace,
    known: &Refreshed,
    path: &NotePath,
    lines: (usize, usize),
) -> Value {
    let snapshot = &known.snapshot;
    let file = snapshot.files.binary_search_by(|file| file.path.cmp(path)).ok();
    let blob = file.and_then(|at| snapshot.files.get(at)).map(|file| file.blob);
    let history = &snapshot.history;
    let state = match blob.map(|blob| history.age(path, &blob)) {
        Some(Age::NotCommitted) if history.complete && history.get(path).is_some() => "modified",
        Some(Age::NotCommitted) if history.complete => "uncommitted",
        _ => "committed",
    };
    let blamed = || {
        let git = Git::of(&workspace.repository).filter(|_| state == "committed")?;
        let lines = git.blame(history.head.as_ref()?, path, lines).ok()?;
        lines.into_iter().max_by_key(|line| line.time)
    };
    let Some(blame) = blamed() else {
        return json!({"author": null, "commit": null, "date": null, "state": state});
    };
    json!({
        "author": blame.author,
        "commit": blame.commit.to_string(),
        "date": Timestamp::from_second(blame.time).ok().map(|time| time.to_string()),
        "state": state,
    })
}

/// An origin in a few words.
pub fn by(origin: &Value) -> String {
    let word = |key: &str| origin[key].as_str().unwrap_or_default().to_owned();
    let commit: String = word("commit").chars().take(10).collect();
    match (word("author"), commit) {
        (author, commit) if author.is_empty() || commit.is_empty() => word("state"),
        (author, commit) => format!("{author}, {commit}"),
    }
}

pub fn write_note(arguments: &Arguments) -> Result<Reply, CliError> {
    let workspace = workspace()?;
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
    let written = note::write(&workspace, &draft, arguments.text("hash"))?;
    let path = written.path.to_string_lossy().into_owned();
    let text = format!("Written to {path}.");
    let structured = json!({ "path": path, "hash": content_hash(&written.text) });
    Ok(Reply::Found { text, structured })
}

/// The text of a note that is indexed; nothing else is read.
fn note_text(
    workspace: &Workspace,
    known: &Refreshed,
    path: &NotePath,
) -> Result<Option<String>, CliError> {
    let is_known = known.snapshot.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
    if !is_known {
        return Ok(None);
    }
    let most = workspace.config.knowledge.max_file_bytes;
    match read_note(&workspace.repository.root, path, most) {
        Ok((bytes, _)) => {
            let decoded = markdown::decode(&bytes).map_err(CliError::new)?;
            Ok(Some(decoded.text.into_owned()))
        }
        Err(cause) if cause.is_gone() => Ok(None),
        Err(cause) => Err(CliError::new(cause)),
    }
}

pub fn list(after: Option<&str>, limit: usize) -> Result<Vec<NoteEntry>, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let snapshot = &known.snapshot;
    let times = snapshot.change_times();
    let mut entries = Vec::new();
    for (file, changed) in snapshot.files.iter().zip(times) {
        let path = file.path.to_text();
        if after.is_some_and(|after| path.as_bytes() <= after.as_bytes()) {
            continue;
        }
        let Place::Document { segment, document } = file.place else { continue };
        let Some(part) = snapshot.parts.get(segment as usize) else { continue };
        let document = part.loaded.segment.document(document as usize);
        let title = document.map_or_else(|_| file.path.stem(), |it| it.title.to_owned());
        // A page of an entity comes without its stat.
        let bytes = match file.stat.size {
            0 => fs::metadata(file.path.below(&workspace.repository.root)).map_or(0, |it| it.len()),
            bytes => bytes,
        };
        let changed = changed.and_then(|seconds| Timestamp::from_second(seconds).ok());
        entries.push(NoteEntry { path, title, bytes, changed });
        if entries.len() == limit {
            break;
        }
    }
    Ok(entries)
}

pub fn read(path: &str) -> Result<Option<NoteText>, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let Some(mut text) = note_text(&workspace, &known, &NotePath::from(path))? else {
        return Ok(None);
    };
    let truncated = text.len() > MOST_READ;
    if truncated {
        let mut end = MOST_READ;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    Ok(Some(NoteText { text, truncated }))
}
