//! How hits are printed: text, JSON, file names, Markdown, vimgrep.

use std::path::{Component, Path, PathBuf};

use super::places::{
    blamed, body, contradictions, explain, further, head, inside, markdown, one_line, warned,
    warning,
};
use crate::cli::{Result, Ui, exact_line};
use crate::wire::Told;
use elophanto_app::search::budget;
use elophanto_index::search::{Hit, Level, Listing};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::NotePath;

/// How to print.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Files,
    Markdown,
    Vimgrep,
}

/// Everything that shapes the output.
pub struct Shape<'a> {
    pub format: Format,
    pub listing: Listing,
    pub null: bool,
    pub full: bool,
    pub max_tokens: Option<usize>,
    /// Where the command runs, relative to the root.
    pub here: PathBuf,
    pub root: &'a Path,
    pub told: Told<'a>,
}

/// What is printed of each hit, of those that fit into the budget if there is one: of these the most
/// useful sentences, else all of it, if that is wanted.
pub fn texts(shape: &Shape, ui: &Ui) -> Vec<Option<String>> {
    let hits = &shape.told.found.answer.hits;
    match shape.max_tokens.filter(|_| shape.format != Format::Files) {
        Some(most) => {
            let most = most.saturating_sub(doubt(shape).map_or(0, count_tokens));
            let cost = |hit: &Hit, text: &str| count_tokens(&passage(hit, Some(text), shape, ui));
            budget::within(&shape.told.found.answer, most, cost).into_iter().map(Some).collect()
        }
        None => hits.iter().map(|hit| shape.full.then(|| hit.text.clone())).collect(),
    }
}

/// Prints all hits; how many there was room for.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(shape: &Shape, ui: &mut Ui) -> Result<usize> {
    if let (Format::Json, Some(most)) = (shape.format, shape.max_tokens) {
        let lines = shape.told.lines(most);
        lines.iter().try_for_each(|line| ui.json(line))?;
        ui.flush()?;
        return Ok(lines.len());
    }
    let texts = texts(shape, ui);
    let mut above: Option<&Hit> = None;
    if texts.is_empty() {
        return Ok(0);
    }
    if let Some(doubt) = doubt(shape) {
        ui.line(format_args!("{doubt}\n"))?;
    }
    for (hit, text) in shape.told.found.answer.hits.iter().zip(&texts) {
        match shape.format {
            Format::Json => ui.json(&shape.told.hit(hit, text.as_deref()))?,
            Format::Files => print_file(&from_here(hit, shape), shape, ui)?,
            Format::Vimgrep => {
                let column = column(hit);
                let line = format!(
                    "{}:{}:{column}:{}",
                    unambiguous(exact_line(&from_here(hit, shape).to_text())),
                    hit.line,
                    one_line(&hit.text[hit.snippet.clone()])
                );
                ui.line(line)?;
            }
            Format::Text | Format::Markdown => {
                // Further places of a file stand below its first one.
                let is_list = shape.format == Format::Text && text.is_none();
                let first = above.filter(|above| {
                    is_list && shape.listing != Listing::Passages && above.file == hit.file
                });
                if above.replace(hit).is_some() && first.is_none() {
                    ui.line("")?;
                }
                match first {
                    None => ui.line(passage(hit, text.as_deref(), shape, ui))?,
                    Some(first) => {
                        // That a note has drifted stands above its further places.
                        let warning = warned(&contradictions(hit), shape);
                        let place = further(hit, first, ui);
                        ui.line(with_rest(vec![place], warning, hit, shape))?;
                    }
                }
            }
        }
    }
    ui.flush()?;
    Ok(texts.len())
}

/// All lines of a hit with a text.
fn passage(hit: &Hit, text: Option<&str>, shape: &Shape, ui: &Ui) -> String {
    let lines = match shape.format {
        Format::Markdown => vec![markdown(hit, text)],
        _ => vec![head(hit, shape, ui), body(hit, text, ui)],
    };
    with_rest(lines, warning(hit, shape), hit, shape)
}

/// Lines of a hit, and what is told of it below them.
fn with_rest(mut lines: Vec<String>, warning: Option<String>, hit: &Hit, shape: &Shape) -> String {
    lines.extend(warning);
    lines.extend(hit.origin.author.as_ref().map(|author| format!("    {}", blamed(author))));
    lines.extend(shape.told.explain.then(|| explain(hit)));
    lines.join("\n")
}

/// A name that cannot be read as one with a line: `a:12:b.md` would be line 12 of `a`.
fn unambiguous(name: String) -> String {
    (0..10)
        .fold(name, |name, digit| name.replace(&format!(":{digit}"), &format!("<U+003A>{digit}")))
}

/// That what follows is hardly an answer, for whoever reads it: what is nearest is found always.
fn doubt(shape: &Shape) -> Option<&'static str> {
    let is_read = matches!(shape.format, Format::Text | Format::Markdown);
    let is_doubtful =
        shape.told.found.answer.confidence.is_some_and(|found| found.level == Level::Nothing);
    (is_read && is_doubtful).then_some("Probably nothing here answers this. The nearest:")
}

fn print_file(path: &NotePath, shape: &Shape, ui: &mut Ui) -> Result<()> {
    // A program gets the name as it is, a person gets it escaped.
    if ui.is_terminal() && !shape.null {
        return ui.line(exact_line(&path.to_text()));
    }
    ui.raw(path.as_bytes())?;
    ui.raw(if shape.null { b"\0" } else { b"\n" })
}

/// The path from where the command runs, for whoever opens the file there.
fn from_here(hit: &Hit, shape: &Shape) -> NotePath {
    let path = hit.path.as_path();
    let shared = path.components().zip(shape.here.components()).take_while(|(a, b)| a == b).count();
    let up = shape.here.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(path.components().skip(shared)).collect();
    NotePath::from(path.as_path())
}

/// Byte column of the first match in its line, from 1. What is said of a file has none there.
fn column(hit: &Hit) -> usize {
    if hit.source.is_some() {
        return 1;
    }
    let matched = hit.matches.iter().find(|found| inside(found, &hit.snippet));
    let start = matched.map_or(hit.snippet.start, |found| found.start);
    let before = &hit.text[hit.snippet.start..start];
    if before.contains('\n') {
        return 1;
    }
    let line_start = hit.text[..start].rfind('\n').map_or(0, |at| at + 1);
    start - line_start + 1
}
