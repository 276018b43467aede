//! How hits are printed: text, JSON, file names, Markdown, vimgrep.

use std::{
    fmt::Write as _,
    ops::Range,
    path::{Component, Path, PathBuf},
};

use anstyle::{AnsiColor, Style};

use super::{
    error::CliError,
    search_wire::wire,
    ui::{Ui, exact_line, visible, visible_line},
};
use elophanto_app::{search::SearchRequest, when::day};
use elophanto_index::{
    Kind,
    drift::Drift,
    search::{
        Answer, Hit, Level, Listing,
        origin::{Author, State},
        passage::{Piece, fill},
    },
};
use elophanto_repo::{CommitId, NotePath};
use elophanto_text::outline::FileKind;

const PATH: Style = AnsiColor::Magenta.on_default();
const HEADING: Style = Style::new().dimmed();
const MATCH: Style = AnsiColor::Red.on_default().bold();

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
    pub explain: bool,
    pub max_tokens: Option<usize>,
    pub stale: usize,
    /// Where the command runs, relative to the root.
    pub here: PathBuf,
    /// Sorted by path.
    pub drifted: &'a [Drift],
    pub root: &'a Path,
    /// The commit that was searched, if not the work tree.
    pub at: Option<CommitId>,
    pub count_tokens: &'a dyn Fn(&str) -> usize,
}

/// What is printed of each hit: with a budget its most useful sentences, none where none fits; else
/// all of it, if that is wanted.
pub fn texts(answer: &Answer, shape: &Shape, ui: &Ui) -> Vec<Option<String>> {
    match shape.max_tokens {
        Some(budget) => within_budget(answer, shape, budget, ui),
        None => answer.hits.iter().map(|hit| shape.full.then(|| hit.text.clone())).collect(),
    }
}

/// Prints all hits.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(answer: &Answer, shape: &Shape, ui: &mut Ui) -> Result<(), CliError> {
    let texts = texts(answer, shape, ui);
    let mut above: Option<&Hit> = None;
    if let Some(doubt) = doubt(answer, shape) {
        ui.line(format_args!("{doubt}\n"))?;
    }
    for (hit, text) in answer.hits.iter().zip(&texts) {
        if shape.max_tokens.is_some() && text.is_none() && shape.format != Format::Files {
            continue;
        }
        match shape.format {
            Format::Json => ui.json(&wire(hit, answer, text.as_deref(), shape))?,
            Format::Files => print_file(&from_here(hit, shape), shape, ui)?,
            Format::Vimgrep => {
                let column = column(hit);
                let line = format!(
                    "{}:{}:{column}:{}",
                    unambiguous(&exact_line(&from_here(hit, shape).to_text())),
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
                    Some(_) => contradiction(hit).map(|line| format!("    ! {line}")),
                    None => warning(hit, shape),
                };
                if let Some(warning) = warning {
                    ui.line(warning)?;
                }
                if let Some(author) = &hit.origin.author {
                    ui.line(format_args!("    {}", blamed(author)))?;
                }
                if shape.explain {
                    ui.line(explain(hit))?;
                }
            }
        }
    }
    ui.flush()
}

/// A name that cannot be read as one with a line: `a:12:b.md` would be line 12 of `a`.
fn unambiguous(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        if char == ':' && chars.peek().is_some_and(char::is_ascii_digit) {
            shown.push_str("<U+003A>");
        } else {
            shown.push(char);
        }
    }
    shown
}

/// That what follows is hardly an answer, for whoever reads it: what is nearest is found always.
fn doubt(answer: &Answer, shape: &Shape) -> Option<&'static str> {
    let is_read = matches!(shape.format, Format::Text | Format::Markdown);
    let is_doubtful = answer.confidence.is_some_and(|found| found.level == Level::Nothing);
    (is_read && is_doubtful).then_some("Probably nothing here answers this. The nearest:")
}

/// Says on stderr what was searched and what to try, when there is nothing to print.
pub fn say_nothing(answer: &Answer, request: &SearchRequest, ui: &Ui) {
    let (notes, chunks) = answer.searched;
    let what = match &request.like {
        Some(like) => format!("like `{}`", like.path.to_text()),
        None => format!("for `{}`", request.text),
    };
    ui.talk(format_args!("nothing found {what} in {notes} notes ({chunks} chunks)"));
    let hint = if answer.notes == 0 {
        "no note is indexed: write one below `knowledge/`, or check `knowledge.roots` in \
         `.elophanto/config.yaml`"
    } else if notes < answer.notes {
        "the filter left out the other notes: try without --kind, --type, --scope, --tag, --path, --since or --until"
    } else if request.min_score.is_some() {
        "try a lower --min-score"
    } else if !answer.query.phrases.is_empty() {
        "try without the quotes"
    } else if !answer.query.excluded.is_empty() {
        "try without what is left out"
    } else {
        "try other words, or fewer"
    };
    ui.talk(format_args!("hint: {hint}"));
}

/// What to call text that is not committed.
pub fn state(hit: &Hit) -> Option<&'static str> {
    match hit.origin.state {
        State::Committed => None,
        State::Modified => Some("modified"),
        State::Uncommitted => Some("uncommitted"),
        State::Stale => Some("stale"),
    }
}

/// Who wrote the best lines, on one line.
fn blamed(author: &Author) -> String {
    match author {
        Author::Nobody => "not committed yet".to_owned(),
        Author::Commit(blame) => {
            let date = day(blame.time);
            let (author, email) = (visible_line(&blame.author), visible_line(&blame.email));
            let subject = visible_line(&blame.subject);
            format!("{author} <{email}> {date} {} {subject}", blame.commit.short())
        }
    }
}

/// How the note of a hit has drifted.
pub fn drift<'a>(hit: &Hit, shape: &Shape<'a>) -> Option<&'a Drift> {
    let index = shape.drifted.binary_search_by(|drift| drift.path.cmp(&hit.path)).ok()?;
    shape.drifted.get(index)
}

/// That a note has drifted, on one line.
pub fn drift_line(drift: &Drift) -> String {
    let commits = if drift.total == 1 { "commit" } else { "commits" };
    let latest = drift.commits.first().map_or_else(String::new, |commit| {
        format!(", latest {} {}", commit.id.short(), visible_line(&commit.subject))
    });
    let since = day(drift.since);
    format!("drifted: {} {commits} to what it covers since {since}{latest}", drift.total)
}

fn print_file(path: &NotePath, shape: &Shape, ui: &mut Ui) -> Result<(), CliError> {
    let bytes = path.as_bytes();
    if shape.null {
        ui.raw(bytes)?;
        return ui.raw(b"\0");
    }
    // A program gets the name as it is, a person gets it escaped.
    if ui.is_terminal() {
        ui.line(exact_line(&path.to_text()))
    } else {
        ui.raw(bytes)?;
        ui.raw(b"\n")
    }
}

/// The path from where the command runs, for whoever opens the file there.
fn from_here(hit: &Hit, shape: &Shape) -> NotePath {
    let path = hit.path.as_path();
    let shared = path.components().zip(shape.here.components()).take_while(|(a, b)| a == b).count();
    let up = shape.here.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(path.components().skip(shared)).collect();
    NotePath::from(path.as_path())
}

fn head(hit: &Hit, shape: &Shape, ui: &Ui) -> String {
    let path = exact_line(&hit.path.to_text());
    let place = paint(&format!("{path}:{}", hit.line), PATH, ui);
    let place = if ui.links { link(&place, &hit.path.below(shape.root)) } else { place };
    let heading = heading(hit);
    let heading =
        if heading.is_empty() { heading } else { format!("  {}", paint(&heading, HEADING, ui)) };
    let similar = similar(hit, ui);
    let state = match state(hit) {
        Some(state) => paint(&format!("  ({state}, {})", short(hit)), HEADING, ui),
        None => String::new(),
    };
    format!("{place}{heading}{similar}{state}")
}

/// A place of the file whose best place stands above, on one line.
fn further(hit: &Hit, above: &Hit, ui: &Ui) -> String {
    let place = paint(&format!(":{}", hit.line), PATH, ui);
    let own = hit.breadcrumb.last().filter(|own| Some(*own) != above.breadcrumb.last());
    let heading = own.map_or_else(String::new, |own| {
        format!("{} ", paint(&format!("{}:", visible_line(own)), HEADING, ui))
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

/// The first digits of the hash of the note's content.
fn short(hit: &Hit) -> String {
    let mut digits = hit.blob.to_string();
    digits.truncate(10);
    digits
}

/// Title and headings on one line.
fn heading(hit: &Hit) -> String {
    if hit.kind == Kind::Summary {
        // Its title is the path.
        let label = FileKind::from_name(hit.file_type()).map_or("file", FileKind::label);
        let parts: Vec<String> = hit.breadcrumb.iter().map(|part| visible_line(part)).collect();
        return match parts.is_empty() {
            true => label.to_owned(),
            false => format!("{} ({label})", parts.join(" > ")),
        };
    }
    let crumbs = hit.breadcrumb.iter().filter(|crumb| **crumb != hit.title);
    let parts: Vec<String> =
        std::iter::once(&hit.title).chain(crumbs).map(|part| visible_line(part)).collect();
    parts.join(" > ")
}

fn body(hit: &Hit, text: Option<&str>, ui: &Ui) -> String {
    let shown = match text {
        Some(text) => visible(text.trim_end()),
        None => marked(hit, ui),
    };
    let mut out = String::new();
    for (number, line) in shown.lines().enumerate() {
        let _ = write!(out, "{}    {line}", if number > 0 { "\n" } else { "" });
    }
    out
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

fn inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn markdown(hit: &Hit, text: Option<&str>) -> String {
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

/// That a note of the user's says otherwise, on one line.
fn contradiction(hit: &Hit) -> Option<String> {
    let note = hit.contradicted_by()?;
    Some(format!("your note says otherwise: {}", visible_line(note)))
}

/// What the reader should know about the note before believing it.
fn warning(hit: &Hit, shape: &Shape) -> Option<String> {
    let line = contradiction(hit).or_else(|| Some(drift_line(drift(hit, shape)?)))?;
    Some(match shape.format {
        Format::Markdown => format!("\n{line}"),
        _ => format!("    ! {line}"),
    })
}

fn explain(hit: &Hit) -> String {
    let score = &hit.score;
    let source = match hit.kind {
        Kind::Note if score.source_part != 0.0 => {
            format!(" + list of changes {:.3}", score.source_part)
        }
        Kind::Note | Kind::Fact | Kind::Memory => String::new(),
        Kind::Summary => format!(" + file {:.3}", score.source_part),
    };
    format!(
        "    score {:.3} = keyword {:.3} (bm25 {:.2}) + semantic {:.3} (cosine {:.3}) + recency {:.3}{source}",
        score.total,
        score.keyword_part,
        score.keyword,
        score.semantic_part,
        score.cosine,
        score.recency_part
    )
}

/// Byte column of the first match in its line, from 1.
fn column(hit: &Hit) -> usize {
    let matched = hit.matches.iter().find(|found| inside(found, &hit.snippet));
    let start = matched.map_or(hit.snippet.start, |found| found.start);
    let before = &hit.text[hit.snippet.start..start];
    if before.contains('\n') {
        return 1;
    }
    let line_start = hit.text[..start].rfind('\n').map_or(0, |at| at + 1);
    start - line_start + 1
}

/// Chooses whole sentences for each hit, so that everything printed fits the budget.
fn within_budget(answer: &Answer, shape: &Shape, budget: usize, ui: &Ui) -> Vec<Option<String>> {
    let count = shape.count_tokens;
    let budget = budget.saturating_sub(doubt(answer, shape).map_or(0, count));
    let headers: Vec<usize> = answer
        .hits
        .iter()
        .map(|hit| match shape.format {
            Format::Json => {
                let line =
                    serde_json::to_string(&wire(hit, answer, Some(""), shape)).unwrap_or_default();
                count(&line)
            }
            Format::Markdown => {
                count(&markdown(hit, Some(""))) + warning(hit, shape).map_or(0, |line| count(&line))
            }
            _ => {
                let explained = if shape.explain { count(&explain(hit)) } else { 0 };
                let blamed = hit.origin.author.as_ref().map_or(0, |author| count(&blamed(author)));
                let warned = warning(hit, shape).map_or(0, |line| count(&line));
                count(&head(hit, shape, ui)) + explained + blamed + warned
            }
        })
        .collect();
    let mut pieces = Vec::new();
    let mut places = Vec::new();
    for (number, hit) in answer.hits.iter().enumerate() {
        let is_heading = |range: &Range<usize>| hit.text[range.clone()].starts_with('#');
        let only_headings = hit.sentences.iter().all(|(range, _)| is_heading(range));
        for (range, value) in &hit.sentences {
            // The header says the headings already.
            if is_heading(range) && !only_headings {
                continue;
            }
            let text = &hit.text[range.clone()];
            // Three tokens more for what stands around a sentence: marks, quotes, escapes.
            let cost = match shape.format {
                Format::Json => count(&serde_json::to_string(text).unwrap_or_default()),
                _ => count(text),
            } + 3;
            let value = hit.score.total.max(0.01) * (0.3 + value);
            pieces.push(Piece { hit: number, value, cost });
            places.push(range.clone());
        }
    }
    let mut chosen: Vec<Vec<Range<usize>>> = vec![Vec::new(); answer.hits.len()];
    for index in fill(&pieces, &headers, budget) {
        chosen[pieces[index].hit].push(places[index].clone());
    }
    let joined = chosen.into_iter().zip(&answer.hits).map(|(ranges, hit)| join(&ranges, &hit.text));
    joined.collect()
}

/// Sentences in the order of the text, each on its own line where they were apart.
fn join(ranges: &[Range<usize>], text: &str) -> Option<String> {
    let mut out = String::new();
    let mut end = None;
    for range in ranges {
        if let Some(end) = end {
            let gap: &str = &text[end..range.start];
            out.push_str(if gap.trim().is_empty() && !gap.contains('\n') { " " } else { "\n" });
        }
        out.push_str(&text[range.clone()]);
        end = Some(range.end);
    }
    (!out.is_empty()).then_some(out)
}

fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for char in visible(text).chars() {
        if char.is_whitespace() {
            space = true;
        } else {
            if space {
                out.push(' ');
            }
            space = false;
            out.push(char);
        }
    }
    if space {
        out.push(' ');
    }
    out
}

fn paint(text: &str, style: Style, ui: &Ui) -> String {
    if ui.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// An OSC 8 link. The target is percent-encoded, so that nothing in a name can end it early.
fn link(text: &str, path: &Path) -> String {
    let mut target = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            let _ = write!(target, "%{byte:02X}");
        }
    }
    format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
}
