//! What may be meant by what was typed so far.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionResponse,
    CompletionTextEdit, TextEdit,
};

use super::asked::Asked;
use elophanto_app::{
    Result,
    editor::{Proposal, ProposalKind, propose},
};
use elophanto_base::visible::escape_control_line;

pub fn completion(asked: &Asked, params: CompletionParams) -> Result<Option<CompletionResponse>> {
    let position = params.text_document_position.position;
    let offset = asked.encoding.offset(&asked.buffer, position);
    let proposals = propose(asked.editor(), &asked.open, &asked.buffer, offset)?;
    let items = proposals.all.into_iter().enumerate().map(|(rank, it)| item(asked, rank, it));
    Ok(Some(CompletionResponse::List(CompletionList {
        is_incomplete: proposals.is_cut,
        items: items.collect(),
    })))
}

fn item(asked: &Asked, rank: usize, proposal: Proposal) -> CompletionItem {
    let Proposal { label, detail, text, replace, filter, kind } = proposal;
    CompletionItem {
        label: escape_control_line(&label),
        detail: Some(escape_control_line(&detail)).filter(|detail| !detail.is_empty()),
        kind: Some(match kind {
            ProposalKind::Note | ProposalKind::File => CompletionItemKind::FILE,
            ProposalKind::Entity => CompletionItemKind::CLASS,
            ProposalKind::Heading => CompletionItemKind::REFERENCE,
            ProposalKind::Tag => CompletionItemKind::KEYWORD,
            ProposalKind::Key => CompletionItemKind::PROPERTY,
            ProposalKind::Value => CompletionItemKind::VALUE,
            ProposalKind::Folder => CompletionItemKind::FOLDER,
        }),
        // Editors sort by text.
        sort_text: Some(format!("{rank:04}")),
        filter_text: Some(filter),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range: asked.range(&replace),
            new_text: text,
        })),
        ..CompletionItem::default()
    }
}
