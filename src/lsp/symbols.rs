//! The parts of a text, and places of all notes by what they say.

use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeKind,
    FoldingRangeParams, Location, MessageType, Position, Range, SymbolInformation, SymbolKind,
    WorkspaceSymbolResponse,
};

use super::{
    asked::{Asked, told},
    client::Client,
    folders::Folder,
    positions::count,
};
use elophanto_app::{
    Result,
    editor::{Section, Symbol, foldings as parts, search_symbols, sections},
};
use elophanto_base::visible::escape_control_line;
use elophanto_index::Kind;

pub fn of_text(asked: &Asked, _: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
    let Ok(document) = asked.buffer.document() else { return Ok(None) };
    let all = sections(document);
    if asked.client.takes_trees() {
        let tree = all.iter().map(|section| tree(asked, section)).collect();
        return Ok(Some(DocumentSymbolResponse::Nested(tree)));
    }
    let mut flat = Vec::new();
    all.iter().for_each(|section| flatten(asked, section, None, &mut flat));
    Ok(Some(DocumentSymbolResponse::Flat(flat)))
}

fn name(text: &str) -> String {
    // A name must not be empty.
    if text.trim().is_empty() { "#".to_owned() } else { escape_control_line(text) }
}

#[allow(deprecated)]
fn tree(asked: &Asked, section: &Section) -> DocumentSymbol {
    DocumentSymbol {
        name: name(&section.name),
        detail: None,
        kind: SymbolKind::STRING,
        tags: None,
        deprecated: None,
        range: asked.range(&section.range),
        selection_range: asked.range(&section.heading),
        children: Some(section.below.iter().map(|below| tree(asked, below)).collect()),
    }
}

#[allow(deprecated)]
fn flatten(
    asked: &Asked,
    section: &Section,
    above: Option<&str>,
    flat: &mut Vec<SymbolInformation>,
) {
    flat.push(SymbolInformation {
        name: name(&section.name),
        kind: SymbolKind::STRING,
        tags: None,
        deprecated: None,
        location: Location { uri: asked.uri.clone(), range: asked.range(&section.range) },
        container_name: above.map(name),
    });
    section.below.iter().for_each(|below| flatten(asked, below, Some(&section.name), flat));
}

pub fn foldings(asked: &Asked, _: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
    let buffer = &asked.buffer;
    let folding = |(range, is_comment): (std::ops::Range<usize>, bool)| {
        let text = buffer.text.get(range.clone())?;
        let end = range.start + text.trim_end().len();
        let (first, last) = (buffer.line_at(range.start), buffer.line_at(end.saturating_sub(1)));
        (first < last).then(|| FoldingRange {
            start_line: count(first),
            end_line: count(last),
            kind: is_comment.then_some(FoldingRangeKind::Comment),
            ..FoldingRange::default()
        })
    };
    Ok(Some(parts(buffer).into_iter().filter_map(folding).collect()))
}

/// Places in all knowledge bases that answer a question, best first. One that cannot be read is said to
/// be so, and is in the way of no other.
pub fn of_folders(
    client: &Client,
    folders: &[Folder],
    query: &str,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let mut found = Vec::new();
    for folder in folders {
        let workspace = match folder.editor.workspace() {
            Ok(workspace) => workspace,
            Err(error) => {
                client.log(MessageType::WARNING, told(&error));
                continue;
            }
        };
        let symbols = match search_symbols(&folder.editor, &workspace, query) {
            Ok(symbols) => symbols,
            // Nothing but marks was typed so far.
            Err(_) => continue,
        };
        found.extend(symbols.iter().filter_map(|symbol| information(folder, symbol)));
    }
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

#[allow(deprecated)]
fn information(folder: &Folder, symbol: &Symbol) -> Option<SymbolInformation> {
    let at = Position::new(count(symbol.line), 0);
    Some(SymbolInformation {
        name: name(&symbol.name),
        kind: match symbol.kind {
            Kind::Fact => SymbolKind::OBJECT,
            Kind::Summary => SymbolKind::FILE,
            Kind::Note | Kind::Memory => SymbolKind::STRING,
        },
        tags: None,
        deprecated: None,
        location: Location { uri: folder.uri(&symbol.path)?, range: Range::new(at, at) },
        container_name: Some(escape_control_line(&symbol.container)),
    })
}
