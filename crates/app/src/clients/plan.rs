//! Which files change when a program is set up or given back.

use std::path::{Path, PathBuf};

use super::{
    Change, Client, ClientError, MAX_FILE_BYTES, Places, Read, Scope,
    error::line_of,
    hooks, places,
    servers::{self, Format, Refusal},
    skill,
};

const SERVER: &str = "registers the MCP server";
const NO_SERVER: &str = "takes the MCP server out";
const SKILL: &str = "teaches the agent when to search, recall and remember";
const NO_SKILL: &str = "takes the skill out";

/// What to change so that the client starts `program` as an MCP server and has our skill. Empty if
/// all is as it should be.
pub fn install(
    client: Client,
    scope: Scope,
    places: &Places<'_>,
    program: &str,
    read: &Read<'_>,
) -> Result<Vec<Change>, ClientError> {
    check(program)?;
    let (paths, format) = places::servers(client, scope, places);
    let files = paths
        .into_iter()
        .map(|path| Ok((read_file(&path, read)?, path)))
        .collect::<Result<Vec<_>, ClientError>>()?;
    let mut changes = Vec::new();
    for (before, path) in chosen(files, format) {
        let after = servers::with_entry(before.as_deref(), format, program)
            .map_err(|refusal| refused(refusal, &path, before.as_deref()))?;
        changes.extend(change(path, before, Some(after), SERVER));
    }
    let path = places::skill(client, scope, places);
    let before = read_file(&path, read)?;
    match &before {
        Some(text) if !skill::is_ours(text) => return Err(ClientError::NotOurs { path }),
        Some(text) if skill::is_current(text) => {}
        _ => changes.extend(change(path, before, Some(skill::skill().to_owned()), SKILL)),
    }
    Ok(changes)
}

/// What to change so that nothing of ours is left in the client's files, our hooks included.
pub fn remove(
    client: Client,
    scope: Scope,
    places: &Places<'_>,
    read: &Read<'_>,
) -> Result<Vec<Change>, ClientError> {
    let (paths, format) = places::servers(client, scope, places);
    let mut changes = Vec::new();
    for path in paths {
        let Some(before) = read_file(&path, read)? else { continue };
        let after = servers::without_entry(&before, format)
            .map_err(|refusal| refused(refusal, &path, Some(&before)))?;
        changes.extend(change(path, Some(before), after, NO_SERVER));
    }
    let path = places::skill(client, scope, places);
    if let Some(before) = read_file(&path, read)?.filter(|text| skill::is_ours(text)) {
        changes.extend(change(path, Some(before), None, NO_SKILL));
    }
    if client == Client::ClaudeCode {
        changes.extend(hooks::remove_hooks(scope, places, read)?);
    }
    Ok(changes)
}

/// The files that are to have our entry: all that have one, so that none contradicts the others;
/// else the first that is there; else the last.
fn chosen(
    files: Vec<(Option<String>, PathBuf)>,
    format: Format,
) -> impl Iterator<Item = (Option<String>, PathBuf)> {
    let holds: Vec<bool> = files
        .iter()
        .map(|(text, _)| text.as_ref().is_some_and(|text| servers::has_entry(text, format)))
        .collect();
    let first = files.iter().position(|(text, _)| text.is_some());
    let only = first.unwrap_or(files.len().saturating_sub(1));
    let is_held = holds.contains(&true);
    let takes = move |at: usize, holds: bool| if is_held { holds } else { at == only };
    files
        .into_iter()
        .zip(holds)
        .enumerate()
        .filter_map(move |(at, (file, holds))| takes(at, holds).then_some(file))
}

/// Whether the path of our program can be written to a file.
pub(super) fn check(program: &str) -> Result<(), ClientError> {
    if program.trim().is_empty() || program.chars().any(char::is_control) {
        return Err(ClientError::Program);
    }
    Ok(())
}

pub(super) fn read_file(path: &Path, read: &Read<'_>) -> Result<Option<String>, ClientError> {
    let text =
        read(path).map_err(|cause| ClientError::Read { path: path.to_owned(), source: cause })?;
    if text.as_ref().is_some_and(|text| text.len() > MAX_FILE_BYTES) {
        return Err(ClientError::TooLarge { path: path.to_owned(), max: MAX_FILE_BYTES });
    }
    Ok(text)
}

/// The change, if it is one.
pub(crate) fn change(
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    purpose: &'static str,
) -> Option<Change> {
    (before != after).then_some(Change { path, before, after, purpose })
}

pub(super) fn refused(refusal: Refusal, path: &Path, text: Option<&str>) -> ClientError {
    let line = |offset| line_of(text.unwrap_or_default(), offset);
    let path = path.to_owned();
    match refusal {
        Refusal::Invalid { offset, format, reason } => {
            ClientError::Invalid { path, line: line(offset), format, reason }
        }
        Refusal::WrongType { offset, key, expected } => {
            ClientError::WrongType { path, line: line(offset), key, expected }
        }
        Refusal::Twice { offset, key } => ClientError::Twice { path, line: line(offset), key },
        Refusal::NoTable { offset, key } => ClientError::NoTable { path, line: line(offset), key },
    }
}
