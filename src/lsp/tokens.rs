//! Wikilinks as tokens, so that an editor paints those that lead nowhere otherwise.

use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensResult,
};

use super::{asked::Asked, positions::count};
use elophanto_app::{Result, editor::LinkTo};
use elophanto_text::markdown::{Destination, LinkKind};

/// Tokens of one text.
const MOST: usize = 50_000;

/// What numbers in tokens mean.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: vec![SemanticTokenType::new("wikilink")],
        token_modifiers: ["broken", "embed"].map(SemanticTokenModifier::new).into(),
    }
}

const BROKEN: u32 = 1;
const EMBED: u32 = 2;

pub fn tokens(asked: &Asked, _: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
    let editor = asked.editor();
    if !editor.is_note(&asked.buffer.path) {
        return Ok(None);
    }
    let workspace = editor.workspace()?;
    let resolver = asked.resolver(&workspace)?;
    let is_wiki = |link: &LinkTo| link.link.kind != LinkKind::Inline;
    let mut links: Vec<LinkTo> = resolver.links(&asked.buffer).filter(is_wiki).collect();
    links.sort_by_key(|link| link.link.range.start);
    let (mut line, mut column) = (0, 0);
    let mut data = Vec::new();
    for link in links.iter().take(MOST) {
        let buffer = &asked.buffer;
        let number = buffer.line_at(link.link.range.start);
        let whole = buffer.line_range(number);
        let end = link.link.range.end.min(whole.end);
        let start = asked.position(link.link.range.start);
        let text = buffer.text.get(link.link.range.start..end).unwrap_or_default();
        if text.is_empty() || (start.line, start.character) < (line, column) {
            continue;
        }
        let is_broken = link.to == Destination::Nowhere
            && resolver.is_sure(link.link)
            && !resolver.is_foreign(buffer, link);
        let is_embed = link.link.kind == LinkKind::Embed;
        data.push(SemanticToken {
            delta_line: start.line - line,
            delta_start: if start.line == line {
                start.character - column
            } else {
                start.character
            },
            length: asked.encoding.column(text),
            token_type: 0,
            token_modifiers_bitset: if is_broken { BROKEN } else { 0 }
                | if is_embed { EMBED } else { 0 },
        });
        (line, column) = (count(number), start.character);
    }
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
}
