//! How a place that was found is shown: on a terminal, and as Markdown.

use std::{ops::Range, path::Path};

use anstyle::{AnsiColor, Style};

use super::output::{Format, Shape};
use crate::cli::{Ui, escape_control_line, exact_line, visible};
use crate::wire::state;
use elophanto_app::{doctor::drift_line, when::day};
use elophanto_index::{
    Kind,
    search::{Hit, origin::Author},
};
use elophanto_text::{outline::FileKind, percent};

const PATH: Style = AnsiColor::Magenta.on_default();
const HEADING: Style = Style::new().dimmed();
const MATCH: Style = AnsiColor::Red.on_default().bold();

/// Who wrote the best lines, on one line.
pub fn blamed(author: &Author) -> String {
    match author {
        Author::Nobody => "not committed yet".to_owned(),
        Author::Commit(blame) => {
            let date = day(blame.time);
            let (author, email) =
                (escape_control_line(&blame.author), escape_control_line(&blame.email));
            let subject = escape_control_line(&blame.subject);
            format!("{author} <{email}> {date} {} {subject}", blame.commit.short())
        }
    }
}

/// The place of a hit, its headings, and whether its text is committed.
pub fn head(hit: &Hit, shape: &Shape, ui: &Ui) -> String {
    let path = exact_line(&hit.path.to_text());
    let place = paint(&format!("{path}:{}", hit.line), PATH, ui);
    let source = shape.told.found.source(hit);
    let is_here = ui.links && shape.told.found.origins.is_none();
    let place = if is_here { link(&place, &hit.path.below(shape.root)) } else { place };
    let heading = heading(hit);
    let heading =
        if heading.is_empty() { heading } else { format!("  {}", paint(&heading, HEADING, ui)) };
    let similar = similar(hit, ui);
    let state = match state(hit) {
        // The first digits of the hash of the note's content.
        Some(state) => paint(&format!("  ({state}, {:.10})", hit.blob.to_string()), HEADING, ui),
        None => String::new(),
    };
    let source = source.map_or_else(String::new, |source| {
        paint(&format!("  (as of {}, {:.10})", day(source.as_of), source.commit), HEADING, ui)
    });
    format!("{place}{heading}{similar}{state}{source}")
}

/// A place of the file whose best place stands above, on one line.
pub fn further(hit: &Hit, above: &Hit, ui: &Ui) -> String {
    let place = paint(&format!(":{}", hit.line), PATH, ui);
    let own = hit.section.last().filter(|own| Some(*own) != above.section.last());
    let heading = own.map_or_else(String::new, |own| {
        format!("{} ", paint(&format!("{}:", escape_control_line(own)), HEADING, ui))
    });
    format!("    {place}  {heading}{}{}", marked(hit, ui), similar(hit, ui))
}

/// How many passages like it are not shown.
fn similar(hit: &Hit, ui: &Ui) -> String {
    match hit.similar {
        0 => String::new(),
        count => paint(&format!("  (+{count} alike)"), HEADING, ui),
    }
}

/// Title and headings on one line.
fn heading(hit: &Hit) -> String {
    if hit.kind == Kind::Summary {
        // Its title is the path.
        let label = FileKind::from_name(hit.file_type()).map_or("file", FileKind::label);
        let parts: Vec<String> = hit.section.iter().map(|part| escape_control_line(part)).collect();
        return match parts.is_empty() {
            true => format!("description ({label})"),
            false => format!("{}, description ({label})", parts.join(" > ")),
        };
    }
    let crumbs = hit.section.iter().filter(|crumb| **crumb != hit.title);
    let parts: Vec<String> =
        std::iter::once(&hit.title).chain(crumbs).map(|part| escape_control_line(part)).collect();
    parts.join(" > ")
}

/// The text of a hit, or its snippet.
pub fn body(hit: &Hit, text: Option<&str>, ui: &Ui) -> String {
    let shown = match text {
        Some(text) => visible(text.trim_end()),
        None => marked(hit, ui),
    };
    let lines: Vec<String> = shown.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

/// The snippet with its matches marked, white space folded.
fn marked(hit: &Hit, ui: &Ui) -> String {
    let mut out = String::new();
    if hit.sentences.iter().all(|(range, _)| range.start != hit.snippet.start) {
        out.push_str("... ");
    }
    let mut at = hit.snippet.start;
    for found in hit.matches.iter().filter(|found| inside(found, &hit.snippet)) {
        out.push_str(&one_line(&hit.text[at..found.start]));
        out.push_str(&paint(&one_line(&hit.text[found.clone()]), MATCH, ui));
        at = found.end;
    }
    out.push_str(&one_line(&hit.text[at..hit.snippet.end]));
    if hit.sentences.iter().all(|(range, _)| range.end != hit.snippet.end) {
        out.push_str(" ...");
    }
    out
}

/// Whether a range lies in another.
pub fn inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A hit as Markdown: a link, and a quotation.
pub fn markdown(hit: &Hit, text: Option<&str>) -> String {
    let path = exact_line(&hit.path.to_text());
    let text = text.unwrap_or(&hit.text[hit.snippet.clone()]);
    let quoted: Vec<String> = visible(text.trim_end())
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    // Percent-encode what would end the link.
    let target = path.replace('%', "%25").replace(' ', "%20").replace(')', "%29");
    format!(
        "**[{path}:{}]({target}#L{})** {}\n\n{}",
        hit.line,
        hit.line,
        heading(hit),
        quoted.join("\n")
    )
}

/// That a note of the user's, or other facts, say otherwise, one a line.
pub fn contradictions(hit: &Hit) -> Vec<String> {
    let note = hit.contradicted_by();
    let note = note.map(|note| format!("your note says otherwise: {}", escape_control_line(note)));
    let others = hit.others_at(hit.line).map(|other| {
        let date = other.said.map(day);
        let source = Some(&other.source).filter(|source| !source.is_empty());
        let from: Vec<&str> =
            date.as_deref().into_iter().chain(source.map(String::as_str)).collect();
        let from = if from.is_empty() { String::new() } else { format!(" ({})", from.join(", ")) };
        escape_control_line(&format!("otherwise: {}{from}", other.text))
    });
    note.into_iter().chain(others).collect()
}

/// What the reader should know about the note before believing it.
pub fn warning(hit: &Hit, shape: &Shape) -> Option<String> {
    let mut lines = contradictions(hit);
    if lines.is_empty() {
        lines.extend(shape.told.drift(hit).map(drift_line));
    }
    warned(&lines, shape)
}

/// Warnings as they stand below a hit; `None` where there are none.
pub fn warned(lines: &[String], shape: &Shape) -> Option<String> {
    let shown = |line: &String| match shape.format {
        Format::Markdown => format!("\n{line}"),
        _ => format!("    ! {line}"),
    };
    let all: Vec<String> = lines.iter().map(shown).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// What the score of a hit is made of.
pub fn explain(hit: &Hit) -> String {
    let score = &hit.score;
    let source = match hit.kind {
        Kind::Note if score.source_part != 0.0 => {
            format!(" + kind of note {:.3}", score.source_part)
        }
        Kind::Note | Kind::Fact | Kind::Memory => String::new(),
        Kind::Summary => format!(" + file {:.3}", score.source_part),
    };
    let closer = match score.words_part + score.window_part {
        0.0 => String::new(),
        _ => format!(" + words {:.3} + sentences {:.3}", score.words_part, score.window_part),
    };
    let again = match score.whole_part + score.excerpt_part {
        0.0 => String::new(),
        _ => format!(
            " + read again: whole {:.3} + excerpt {:.3}",
            score.whole_part, score.excerpt_part
        ),
    };
    format!(
        "    score {:.3} = keyword {:.3} (bm25 {:.2}) + semantic {:.3} (cosine {:.3}) + recency {:.3}{closer}{again}{source}",
        score.total,
        score.keyword_part,
        score.keyword,
        score.semantic_part,
        score.cosine,
        score.recency_part
    )
}

/// The text with its white space folded.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in visible(text).chars() {
        if !char.is_whitespace() {
            out.push(char);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

fn paint(text: &str, style: Style, ui: &Ui) -> String {
    if ui.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// An OSC 8 link. The target is percent-encoded, so that nothing in a name can end it early.
fn link(text: &str, path: &Path) -> String {
    let target = percent::encoded(path.as_os_str().as_encoded_bytes());
    format!("\x1b]8;;file://{target}\x1b\\{text}\x1b]8;;\x1b\\")
}
