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

/// What is printed of each hit: with a budget its most useful sentences, none where none fits; else
/// all of it, if that is wanted.
pub fn texts(shape: &Shape, ui: &Ui) -> Vec<Option<String>> {
    match shape.max_tokens {
        Some(budget) => within_budget(shape, budget, ui),
        None => shape
            .told
            .found
            .answer
            .hits
            .iter()
            .map(|hit| shape.full.then(|| hit.text.clone()))
            .collect(),
    }
}

/// Most useful sentences, so that everything printed fits the budget.
fn within_budget(shape: &Shape, most: usize, ui: &Ui) -> Vec<Option<String>> {
    let most = most.saturating_sub(doubt(shape).map_or(0, count_tokens));
    if shape.format == Format::Json {
        return shape.told.within(most);
    }
    let header = |hit: &Hit| {
        let warned = || warning(hit, shape).map_or(0, |line| count_tokens(&line));
        match shape.format {
            Format::Markdown => count_tokens(&markdown(hit, Some(""))) + warned(),
            _ => {
                let explained = if shape.told.explain { count_tokens(&explain(hit)) } else { 0 };
                let author = hit.origin.author.as_ref();
                let blamed = author.map_or(0, |author| count_tokens(&blamed(author)));
                count_tokens(&head(hit, shape, ui)) + explained + blamed + warned()
            }
        }
    };
    // Three tokens more for what stands around a sentence: marks, quotes, escapes.
    let sentence = |text: &str| count_tokens(text) + 3;
    budget::within(&shape.told.found.answer, most, header, sentence)
}

/// Prints all hits; whether there was room for one.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(shape: &Shape, ui: &mut Ui) -> Result<bool> {
    let texts = texts(shape, ui);
    let mut above: Option<&Hit> = None;
    let is_cut = |text: &Option<String>| {
        shape.max_tokens.is_some() && text.is_none() && shape.format != Format::Files
    };
    if texts.iter().all(is_cut) {
        return Ok(false);
    }
    if let Some(doubt) = doubt(shape) {
        ui.line(format_args!("{doubt}\n"))?;
    }
    for (hit, text) in shape.told.found.answer.hits.iter().zip(&texts) {
        if is_cut(text) {
            continue;
        }
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
                if shape.format == Format::Markdown {
                    ui.line(markdown(hit, text.as_deref()))?;
                } else if let Some(first) = first {
                    ui.line(further(hit, first, ui))?;
                } else {
                    ui.line(head(hit, shape, ui))?;
                    ui.line(body(hit, text.as_deref(), ui))?;
                }
                // That a note has drifted stands above its further places.
                let warning = match first {
                    Some(_) => warned(&contradictions(hit), shape),
                    None => warning(hit, shape),
                };
                if let Some(warning) = warning {
                    ui.line(warning)?;
                }
                if let Some(author) = &hit.origin.author {
                    ui.line(format_args!("    {}", blamed(author)))?;
                }
                if shape.told.explain {
                    ui.line(explain(hit))?;
                }
            }
        }
    }
    ui.flush()?;
    Ok(true)
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
