//! Where links lead, and who leads here.

use lsp_types::{
    DocumentLink, DocumentLinkParams, GotoDefinitionParams, GotoDefinitionResponse, Location,
    ReferenceParams, Uri,
};

use super::asked::Asked;
use elophanto_app::Result;
use elophanto_text::markdown::Destination;

pub fn definition(
    asked: &Asked,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>> {
    let position = params.text_document_position_params.position;
    let offset = asked.encoding.offset(&asked.buffer, position);
    let workspace = asked.editor().workspace()?;
    let spot = asked.resolver(&workspace)?.definition(&asked.buffer, offset);
    let location = spot.and_then(|spot| asked.location(&spot));
    Ok(location.map(GotoDefinitionResponse::Scalar))
}

pub fn references(asked: &Asked, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
    let position = params.text_document_position.position;
    let offset = asked.encoding.offset(&asked.buffer, position);
    let workspace = asked.editor().workspace()?;
    let spots = asked.resolver(&workspace)?.references(&asked.buffer, offset);
    Ok(Some(spots.iter().filter_map(|spot| asked.location(spot)).collect()))
}

/// Links of one text that can be clicked.
const MOST_LINKS: usize = 2_000;

/// Links that lead to a file here, or to the web. Nothing else is opened by a click.
pub fn links(asked: &Asked, _: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
    let workspace = asked.editor().workspace()?;
    let resolver = asked.resolver(&workspace)?;
    let links = resolver.links(&asked.buffer).take(MOST_LINKS).filter_map(|link| {
        let target = match &link.to {
            Destination::Inside(path) => asked.uri_of(path)?,
            Destination::External => {
                let is_web =
                    ["http://", "https://"].iter().any(|it| link.link.target.starts_with(it));
                is_web.then(|| link.link.target.parse::<Uri>().ok()).flatten()?
            }
            Destination::Nowhere => return None,
        };
        let range = link.written(&asked.buffer).map_or(link.link.range.clone(), |written| {
            let end = written.heading.map_or(written.target.end, |heading| heading.end);
            written.target.start..end
        });
        Some(DocumentLink {
            range: asked.range(&range),
            target: Some(target),
            tooltip: None,
            data: None,
        })
    });
    Ok(Some(links.collect()))
}
