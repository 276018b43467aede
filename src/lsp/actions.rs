//! What can be done about what stands at a place: mend what is wrong, write the note that is missing,
//! remember, learn, like, look at how it was.

use std::{collections::HashMap, ops};

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, CreateFile,
    CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp, ResourceOperationKind,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use serde_json::json;

use super::{asked::Asked, commands, diagnostics::diagnostic};
use elophanto_app::{
    Result,
    editor::{Fix, LinkTo, Missing, missing},
};
use elophanto_base::visible::escape_control_line;
use elophanto_text::markdown::Destination;

pub fn actions(
    asked: &Asked,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>> {
    let wanted = |kind: &CodeActionKind| match &params.context.only {
        None => true,
        Some(only) => only.iter().any(|it| kind.as_str().starts_with(it.as_str())),
    };
    let range = asked.encoding.bytes(&asked.buffer, params.range);
    let mut all = Vec::new();
    if wanted(&CodeActionKind::QUICKFIX) {
        all.extend(fixes(asked, &range)?);
        all.extend(missing_note(asked, &range)?);
    }
    if wanted(&CodeActionKind::EMPTY) {
        all.extend(commands_at(asked, &range));
    }
    Ok(Some(all.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
}

/// What mends findings at a place, those that the text shows itself.
fn fixes(asked: &Asked, range: &ops::Range<usize>) -> Result<Vec<CodeAction>> {
    let workspace = asked.editor().workspace()?;
    let found = asked.resolver(&workspace)?.own_findings(&asked.buffer, Some(range));
    let mut all = Vec::new();
    for finding in found.iter().filter(|it| it.touches(range)) {
        for (rank, fix) in finding.fixes.iter().enumerate() {
            all.push(CodeAction {
                title: escape_control_line(&fix.title),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic(asked, finding)]),
                edit: Some(edit(asked, fix)),
                is_preferred: Some(rank == 0),
                ..CodeAction::default()
            });
        }
    }
    Ok(all)
}

fn edit(asked: &Asked, fix: &Fix) -> WorkspaceEdit {
    let edit = TextEdit { range: asked.range(&fix.range), new_text: fix.text.clone() };
    if asked.client.takes_versions() {
        let edits = TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: asked.uri.clone(),
                version: asked.version,
            },
            edits: vec![OneOf::Left(edit)],
        };
        let changes = Some(DocumentChanges::Edits(vec![edits]));
        return WorkspaceEdit { document_changes: changes, ..WorkspaceEdit::default() };
    }
    // Addresses are compared by their text, which never changes.
    #[allow(clippy::mutable_key_type)]
    let changes = HashMap::from([(asked.uri.clone(), vec![edit])]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// The note that a link leads to and that is not there, to be made by the editor.
fn missing_note(asked: &Asked, range: &ops::Range<usize>) -> Result<Option<CodeAction>> {
    let editor = asked.editor();
    if !editor.is_note(&asked.buffer.path)
        || !asked.client.can_change_files(&ResourceOperationKind::Create)
    {
        return Ok(None);
    }
    let workspace = editor.workspace()?;
    let resolver = asked.resolver(&workspace)?;
    resolver.catalogue()?;
    let link = resolver.link_at(&asked.buffer, range.start);
    let is_missing = |link: &LinkTo| {
        link.to == Destination::Nowhere && !resolver.is_foreign(&asked.buffer, link)
    };
    let Some(link) = link.filter(is_missing) else { return Ok(None) };
    let Some(Missing { path, text }) = missing(&asked.buffer.path, link.link, &resolver.listing)
    else {
        return Ok(None);
    };
    // Nothing is made where a link leads.
    if !editor.is_free(&path) {
        return Ok(None);
    }
    let Some(uri) = asked.folder.uri(&path) else { return Ok(None) };
    let start = Position::new(0, 0);
    let made = DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) }),
        annotation_id: None,
    }));
    let written = DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: vec![OneOf::Left(TextEdit { range: Range::new(start, start), new_text: text })],
    });
    Ok(Some(CodeAction {
        title: format!("Write the note {}", escape_control_line(&path)),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(vec![made, written])),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }))
}

/// What can be done on somebody's word.
fn commands_at(asked: &Asked, range: &ops::Range<usize>) -> Vec<CodeAction> {
    let action = |title: &str, command: &str| {
        let here = json!({ "uri": asked.uri, "range": asked.range(range) });
        CodeAction {
            title: title.to_owned(),
            command: Some(Command {
                title: title.to_owned(),
                command: command.to_owned(),
                arguments: Some(vec![here]),
            }),
            ..CodeAction::default()
        }
    };
    let mut all = Vec::new();
    let selected = asked.buffer.text.get(range.clone()).unwrap_or_default().trim();
    if !selected.is_empty() {
        all.push(action("Remember this, for every agent that works here", commands::REMEMBER));
        all.push(action("Learn this", commands::LEARN));
        if !selected.contains('\n') {
            all.push(action("Like this topic", commands::LIKE));
        }
    }
    if asked.editor().is_note(&asked.buffer.path) {
        all.push(action("Open as it was at a commit", commands::AT_COMMIT));
    }
    all
}
