//! Renaming, where every reference is certain.

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    PrepareRenameResponse, RenameFile, RenameFileOptions, RenameFilesParams, RenameParams,
    ResourceOp, ResourceOperationKind, TextDocumentEdit, TextDocumentPositionParams, TextEdit, Uri,
    WorkspaceEdit,
};

use super::{asked::Asked, asked::told, uris::path_of};
use elophanto_app::{
    Error, Result,
    editor::{Buffer, Rename, Renamed, Unproven},
};
use elophanto_base::{counted::counted, visible::escape_control_line};

/// Doubtful references that are named.
const MOST_NAMED: usize = 10;

pub fn prepare(
    asked: &Asked,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let offset = asked.encoding.offset(&asked.buffer, params.position);
    let workspace = asked.editor().workspace()?;
    let found = asked.resolver(&workspace)?.renaming(&asked.buffer, offset);
    Ok(found.map(|(_, range, placeholder)| PrepareRenameResponse::RangeWithPlaceholder {
        range: asked.range(&range),
        placeholder,
    }))
}

pub fn rename(asked: &Asked, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let position = params.text_document_position.position;
    let offset = asked.encoding.offset(&asked.buffer, position);
    let workspace = asked.editor().workspace()?;
    let found = asked.resolver(&workspace)?.renaming(&asked.buffer, offset);
    let (what, ..) = found.ok_or_else(|| {
        Error::new("nothing here can be renamed")
            .hint("put the cursor on a heading, or on a link to a note")
    })?;
    if matches!(what, Rename::Note { .. })
        && !asked.client.can_change_files(&ResourceOperationKind::Rename)
    {
        return Err(Error::new("your editor cannot rename files for a server")
            .hint("rename the file in the editor: links follow where it asks for it"));
    }
    let planned = plan(asked, &what, &params.new_name)?;
    let renamed = planned.map_err(|unproven| refused(&unproven))?;
    edit(asked, &renamed, true).map(Some)
}

/// Edits of links for a note that the editor is about to rename. Where not all is certain, links stay as
/// they are, and it is said which.
pub fn will_rename(asked: &Asked, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
    let [file] = params.files.as_slice() else {
        let said =
            "links stay as they are: several files are renamed at once, and links follow one";
        asked.client.show(lsp_types::MessageType::WARNING, said);
        return Ok(None);
    };
    let to = file.new_uri.parse::<Uri>().ok().and_then(|uri| path_of(&uri));
    let (root, base) = (&asked.editor().root, asked.folder.uri("x").and_then(|it| path_of(&it)));
    let base = base.as_deref().and_then(|it| it.parent());
    let below = |to: std::path::PathBuf| {
        let below = base.and_then(|base| to.strip_prefix(base).ok());
        let below = below.or_else(|| to.strip_prefix(root).ok())?;
        below.to_str().map(str::to_owned)
    };
    let Some(to) = to.and_then(below) else { return Ok(None) };
    let path = asked.buffer.path.clone();
    if !asked.editor().is_note(&path) || !asked.editor().is_note(&to) {
        return Ok(None);
    }
    // With `/` a name counts from the top.
    let name = if to.contains('/') { to.clone() } else { format!("/{to}") };
    let planned = plan(asked, &Rename::Note { path }, &name);
    match planned {
        Ok(Ok(renamed)) if renamed.moved.as_ref().is_none_or(|(_, planned)| *planned != to) => {
            let said = "links stay as they are: they follow a note whose name keeps its ending";
            asked.client.show(lsp_types::MessageType::WARNING, said);
            Ok(None)
        }
        Ok(Ok(renamed)) => edit(asked, &renamed, false).map(Some),
        Ok(Err(unproven)) => {
            asked.client.show(lsp_types::MessageType::WARNING, told(&refused(&unproven)));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn plan(asked: &Asked, what: &Rename, name: &str) -> Result<Result<Renamed, Vec<Unproven>>> {
    if let Some(lost) = asked.texts.iter().find(|text| text.is_lost) {
        return Err(Error::new(format_args!("what `{}` says now is not known", lost.buffer.path))
            .hint("close it and open it again"));
    }
    let workspace = asked.editor().workspace()?;
    asked.editor().rename(&workspace, what, name, &asked.open)
}

fn refused(unproven: &[Unproven]) -> Error {
    let many = counted(unproven.len(), "reference");
    let mut message =
        format!("nothing is renamed: {many} cannot be proven to lead where it should");
    for it in unproven.iter().take(MOST_NAMED) {
        let path = escape_control_line(&it.path);
        message.push_str(&format!("\n{path}:{}: {}", it.line, escape_control_line(&it.why)));
    }
    if let Some(more @ 1..) = unproven.len().checked_sub(MOST_NAMED) {
        message.push_str(&format!("\nand {more} more"));
    }
    Error::new(message)
}

/// The edits, then the new name of the file.
fn edit(asked: &Asked, renamed: &Renamed, with_file: bool) -> Result<WorkspaceEdit> {
    let gone = || Error::new("a note that refers to it has changed meanwhile").hint("try again");
    let mut operations = Vec::new();
    let mut plain = std::collections::BTreeMap::new();
    for change in &renamed.changes {
        let open = asked.texts.iter().find(|text| text.buffer.path == change.path);
        let buffer = Buffer::new(change.path.clone(), change.text.clone());
        // Texts that are open are looked at once more when the answer is there.
        let is_so = |now: Buffer| now.text == change.text;
        if open.is_none() && !asked.editor().read(&change.path).is_some_and(is_so) {
            return Err(gone());
        }
        let uri = open.map(|text| text.uri.clone()).or_else(|| asked.uri_of(&change.path));
        let uri = uri.ok_or_else(gone)?;
        let edits: Vec<TextEdit> = change
            .edits
            .iter()
            .map(|(range, text)| TextEdit {
                range: asked.encoding.range(&buffer, range),
                new_text: text.clone(),
            })
            .collect();
        plain.insert(uri.as_str().to_owned(), (uri.clone(), edits.clone()));
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri,
                version: open.map(|text| text.version),
            },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        }));
    }
    if let Some((from, to)) = renamed.moved.as_ref().filter(|_| with_file) {
        let (old_uri, new_uri) = (asked.uri_of(from), asked.folder.uri(to));
        let (Some(old_uri), Some(new_uri)) = (old_uri, new_uri) else { return Err(gone()) };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
            old_uri,
            new_uri,
            options: Some(RenameFileOptions {
                overwrite: Some(false),
                ignore_if_exists: Some(false),
            }),
            annotation_id: None,
        })));
    }
    if asked.client.takes_versions() {
        let document_changes = Some(DocumentChanges::Operations(operations));
        return Ok(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() });
    }
    // Addresses are compared by their text, which never changes.
    #[allow(clippy::mutable_key_type)]
    let changes = plain.into_values().collect();
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
