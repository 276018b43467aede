//! What is told above lines and behind them.

use lsp_types::{
    CodeLens, CodeLensParams, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams,
    InlayHintTooltip, Position, Range,
};
use serde_json::json;

use super::{asked::Asked, commands, positions::count};
use elophanto_app::{
    Result,
    editor::{Shown, Spot, hints as known_hints, lenses as known_lenses},
};
use elophanto_base::{counted::agreeing, counted::counted, one_line::one_line, visible::visible};

/// Characters of a description.
const MOST: usize = 160;

pub fn lenses(asked: &Asked, _: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let workspace = asked.editor().workspace()?;
    let found = known_lenses(&asked.resolver(&workspace)?, &asked.buffer)?;
    let mut all = Vec::new();
    for lens in found {
        let at = Position::new(count(lens.line), 0);
        let mut tell = |title: String, command: &str, arguments: serde_json::Value| {
            all.push(CodeLens {
                range: Range::new(at, at),
                command: Some(Command {
                    title: visible(&title),
                    command: command.to_owned(),
                    arguments: Some(vec![arguments]),
                }),
                data: None,
            });
        };
        let here = json!({ "uri": asked.uri, "line": lens.line });
        match lens.shown {
            Shown::Referred(links) => {
                let refer = agreeing(links, "refers", "refer");
                tell(
                    format!("{} {refer} here", counted(links, "link")),
                    commands::REFERENCES,
                    here,
                );
            }
            Shown::Drifted(commits, day) => {
                let touched = counted(commits, "commit");
                tell(format!("drifted since {day}: {touched}"), commands::OPEN, here);
            }
            Shown::Contradicted(page) => {
                let Some(place) = place(asked, &page) else { continue };
                let title = format!("contradicts {}:{}", page.path, page.line + 1);
                tell(title, commands::OPEN, place);
            }
            Shown::Similar(spots) => {
                for (spot, title) in spots {
                    let Some(place) = place(asked, &spot) else { continue };
                    tell(format!("similar: {title}"), commands::OPEN, place);
                }
            }
            Shown::Told(spots) => {
                for (spot, title) in spots {
                    let Some(place) = place(asked, &spot) else { continue };
                    tell(format!("told in {title}"), commands::OPEN, place);
                }
            }
            Shown::Described(text, holds) => {
                let doubt = if holds { "" } else { "changed since: " };
                tell(format!("{doubt}{}", one_line(&text, MOST)), commands::OPEN, here);
            }
        }
    }
    Ok(Some(all))
}

fn place(asked: &Asked, spot: &Spot) -> Option<serde_json::Value> {
    Some(json!({ "uri": asked.uri_of(&spot.path)?, "line": spot.line }))
}

pub fn hints(asked: &Asked, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let workspace = asked.editor().workspace()?;
    let wanted = asked.encoding.bytes(&asked.buffer, params.range);
    let found = known_hints(&asked.resolver(&workspace)?, &asked.buffer)?;
    let wanted = found.into_iter().filter(|it| wanted.start <= it.at && it.at <= wanted.end);
    let hint = wanted.map(|it| InlayHint {
        position: asked.position(it.at),
        label: InlayHintLabel::String(visible(&it.text)),
        kind: Some(InlayHintKind::PARAMETER),
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(visible(&it.more))),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    Ok(Some(hint.collect()))
}
