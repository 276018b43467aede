//! Notes as resources: pages of them, and one of them by its URI.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{
        Annotations, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult,
        Resource, ResourceContents, ResourceTemplate,
    },
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{NoteEntry, Shared, budget::NOTICE, gate::Denied, shown::said};
use crate::wire::{PREFIX, TEMPLATE, from_uri, to_uri};
use elophanto_base::{
    one_line::one_line,
    visible::{escape_control_line, hidden, visible},
};

/// Notes of one page.
const PAGE: usize = 100;
const MIME: &str = "text/markdown";

/// One page of notes, the one after `cursor`.
///
/// # Errors
/// The cursor is none of ours, or the notes cannot be listed.
pub async fn list(
    shared: &Arc<Shared>,
    cursor: Option<String>,
    token: CancellationToken,
) -> Result<ListResourcesResult, ErrorData> {
    let after = match cursor {
        None => None,
        Some(cursor) => Some(from_uri(&format!("{PREFIX}{cursor}")).ok_or_else(|| {
            ErrorData::invalid_params("the cursor is none that this server gave", None)
        })?),
    };
    let operations = Arc::clone(shared);
    let notes = shared
        .gate
        .run(token, move || (operations.operations.notes)(after.as_deref(), PAGE + 1))
        .await
        .map_err(denied)?
        .map_err(failed)?;
    let next = notes.get(PAGE).and_then(|_| notes.get(PAGE - 1));
    let next = next.and_then(|last| to_uri(&last.path).strip_prefix(PREFIX).map(str::to_owned));
    let mut page =
        ListResourcesResult::with_all_items(notes.into_iter().take(PAGE).map(resource).collect());
    page.next_cursor = next;
    Ok(page)
}

/// The one form that all URIs of notes have.
pub fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "note")
        .with_title("Note")
        .with_description("A note of the knowledge base by its path")
        .with_mime_type(MIME);
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// The text of the note of a URI.
///
/// # Errors
/// There is none, or it cannot be read.
pub async fn read(
    shared: &Arc<Shared>,
    uri: String,
    token: CancellationToken,
) -> Result<ReadResourceResult, ErrorData> {
    let path = from_uri(&uri).ok_or_else(|| not_found(&uri))?;
    let operations = Arc::clone(shared);
    let note = shared
        .gate
        .run(token, move || (operations.operations.read)(&path))
        .await
        .map_err(denied)?
        .map_err(failed)?
        .ok_or_else(|| not_found(&uri))?;
    let mut text = match hidden(&note.text) {
        0 => format!("{NOTICE}\n{}", note.text),
        count => format!("{NOTICE}\n{}\n{}", said(count), visible(&note.text)),
    };
    if note.truncated {
        let line_feed = if text.ends_with('\n') { "" } else { "\n" };
        text.push_str(line_feed);
        text.push_str("[cut: the note goes on; read its lines with `get`]");
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MIME)]))
}

/// The error for a URI that names no note.
pub fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("there is no such note", Some(json!({ "uri": uri })))
}

fn resource(note: NoteEntry) -> Resource {
    let mut resource =
        Resource::new(to_uri(&note.path), escape_control_line(&note.path)).with_mime_type(MIME);
    // Of pages that are put together from several places nobody knows how long they are.
    resource.size = Some(note.bytes).filter(|bytes| *bytes > 0);
    resource.title = Some(one_line(&note.title, 200)).filter(|title| !title.is_empty());
    resource.annotations = note.changed.map(|changed| {
        let mut annotations = Annotations::default();
        annotations.last_modified = Some(changed.to_string());
        annotations
    });
    resource
}

fn denied(denied: Denied) -> ErrorData {
    ErrorData::internal_error(denied.to_string(), None)
}

fn failed(reason: String) -> ErrorData {
    ErrorData::internal_error(reason, None)
}
