//! What `elophanto search` is called with.

use std::path::Path;

use super::output::Format;
use crate::cli::{CliError, Result, Ui, Workspace};
use elophanto_app::search::SearchRequest;
use elophanto_index::{
    Kind,
    search::{Level, Listing, run::Like},
};
use elophanto_repo::NotePath;
use elophanto_text::{markdown::Scope, outline::FileKind};

/// Hits in an evidence record.
const MOST_EVIDENCE: usize = 5;
/// Places of one file that people are shown: with three of them no passage is lost that a list of
/// passages would show.
const PLACES: usize = 3;
/// Largest query, in bytes.
const MAX_QUERY_BYTES: u64 = 64 * 1024;

/// Search the knowledge base
///
/// Finds by meaning and by keyword. `"quoted words"` must stand together, `-word` must not occur; a
/// dash before one letter, or before a word that the notes write with its dash, is part of an option
/// such as `-r`. Text for people lists files with their best places, everything else passages. On a terminal
/// a second model may look at the best hits again, so that their order is another than in a pipe
/// (`search.second_look`).
/// Exits with 0 if something was found, however doubtful (it says so), 1 if nothing was, or nothing as
/// sure as `--min-confidence` wants it, 2 if the search failed.
#[derive(clap::Args, Debug)]
pub struct SearchArgs {
    /// What to look for, in one or more words; `-` reads it from standard input
    #[arg(required_unless_present = "like", allow_hyphen_values = false)]
    query: Vec<String>,
    /// Print at most this many hits: files in text and with `--format files`, else passages
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// List files, each with at most this many places; 3 unless set, in text
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    per_file: Option<u16>,
    /// Only this kind: note, summary or fact; may be repeated
    #[arg(long, value_parser = kind)]
    kind: Vec<Kind>,
    /// Only files of this type, such as markdown_doc or rust_file; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = file_type)]
    file_type: Vec<String>,
    /// Only notes of this scope: system, user, learned or plugin; may be repeated
    #[arg(long)]
    scope: Vec<Scope>,
    /// Only notes with this tag; repeated, with all of them
    #[arg(long)]
    tag: Vec<String>,
    /// Only notes whose path matches, such as 'docs/**'; may be repeated
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Only notes changed since a date or a time span ago, such as 2026-05-01 or 2w; leaves out notes
    /// of which that is not known
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only notes changed before a date or a time span ago; without --since, also those of which
    /// that is not known
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Search a fleet of repositories in place of this one: s3://BUCKET/FOLDER, gs://, az:// or
    /// file:///FOLDER, as `elophanto publish` takes it
    #[arg(long = "in", value_name = "URL",
          conflicts_with_all = ["like", "changed_since", "author", "blame", "no_refresh"])]
    pub fleet: Option<String>,
    /// With --in: only this repository, by its name or the end of it; may be repeated
    #[arg(long, value_name = "NAME", requires = "fleet")]
    pub repo: Vec<String>,
    /// Search the notes of a commit, branch, tag or date, such as v1.2, HEAD~10 or '3 weeks ago'
    #[arg(long, value_name = "REV", conflicts_with = "no_refresh")]
    at: Option<String>,
    /// Only notes whose text differs from that of a commit, branch, tag or date
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,
    /// Say who wrote the best lines of each hit, in which commit and when
    #[arg(long)]
    blame: bool,
    /// Only hits whose best lines this person wrote: part of a name or address
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Use words, meaning or both: hybrid, keyword or semantic
    #[arg(long)]
    pub mode: Option<String>,
    /// How scores are fused: weighted or additive
    #[arg(long)]
    pub ranking: Option<String>,
    /// What resembles this note, or this line of it?
    #[arg(long, value_name = "PATH[:LINE]", conflicts_with = "query")]
    like: Option<String>,
    /// Leave out hits with a lower score
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f32>,
    /// Find nothing unless it is this sure that the hits answer: sure or perhaps
    #[arg(long, value_name = "LEVEL", value_parser = least_level, conflicts_with = "like")]
    pub min_confidence: Option<Level>,
    /// How to print: text, json, files, markdown or vimgrep
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// End file names with NUL instead of a line feed (with `--format files`)
    #[arg(long, short = '0')]
    pub null: bool,
    /// Print the most useful sentences that fit into N tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// Print whole chunks
    #[arg(long, conflicts_with = "max_tokens")]
    pub full: bool,
    /// Show what each score is made of
    #[arg(long)]
    pub explain: bool,
    /// Search the view as it is, without looking for changed notes
    #[arg(long)]
    no_refresh: bool,
    /// Describe files again that changed since they were described: always, local (where that costs
    /// nothing) or never
    #[arg(long, value_name = "WHEN")]
    pub refresh_stale: Option<String>,
    /// Answer from notes and facts, with citations, if what is known suffices; else say so
    #[arg(long, conflicts_with_all = ["format", "full", "explain", "like", "at", "evidence"])]
    pub answer: bool,
    /// With --answer: send what bears on the question to the model of the settings, and remember
    /// that this may be done
    #[arg(long, short, requires = "answer")]
    pub yes: bool,
    /// Print the best summaries as one evidence record, for other programs
    #[arg(long, conflicts_with_all = ["format", "json", "full", "explain", "like", "at"])]
    pub evidence: bool,
}

impl SearchArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        self.json || self.evidence || self.format == Format::Json
    }

    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// People read a list of files; whoever has a budget, wants whole chunks or reads by program gets
    /// the best passages.
    fn listing(&self) -> Listing {
        let is_made_of_hits = self.answer || self.evidence;
        let is_for_people = self.max_tokens.is_none() && !self.full && !is_made_of_hits;
        match (self.format(), self.per_file) {
            (Format::Files, _) => Listing::Files { places: 1 },
            (_, Some(places)) if !is_made_of_hits => Listing::Files { places: places.into() },
            (Format::Text, None) if is_for_people => Listing::Files { places: PLACES },
            _ => Listing::Passages,
        }
    }

    /// What is looked for.
    ///
    /// # Errors
    /// When standard input, where the query is said to be, holds none.
    pub fn request(&self, workspace: &Workspace, ui: &Ui) -> Result<SearchRequest> {
        Ok(SearchRequest {
            text: self.query(ui)?,
            like: self.like.as_deref().map(|like| place(like, workspace)),
            kinds: self.kind.clone(),
            types: self.file_type.clone(),
            scopes: self.scope.clone(),
            tags: self.tag.clone(),
            paths: self.path.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            at: self.at.clone(),
            changed_since: self.changed_since.clone(),
            blame: self.blame,
            author: self.author.clone(),
            min_score: self.min_score,
            most: self.evidence.then_some(MOST_EVIDENCE),
            listing: self.listing(),
            awaited: self.answer || ui.is_terminal(),
            as_it_is: self.no_refresh,
            within: None,
        })
    }

    fn query(&self, ui: &Ui) -> Result<String> {
        if self.query != ["-"] {
            return Ok(self.query.join(" "));
        }
        let bytes = ui.input(MAX_QUERY_BYTES)?.ok_or_else(|| {
            CliError::new("`-` reads the query from standard input, which is a terminal")
                .hint("pipe a query in, or type it in place of the `-`")
        })?;
        if bytes.len() as u64 > MAX_QUERY_BYTES {
            return Err(CliError::new(format_args!(
                "the query is longer than {MAX_QUERY_BYTES} bytes"
            ))
            .hint("to find what resembles a text, save it as a note and use `--like`"));
        }
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

/// A place as it is typed: `PATH` or `PATH:LINE`.
pub fn place(typed: &str, workspace: &Workspace) -> Like {
    let numbered = typed.rsplit_once(':').filter(|_| !Path::new(typed).exists());
    let (path, line) = match numbered.map(|(path, line)| (path, line.parse())) {
        Some((path, Ok(line))) => (path, Some(line)),
        _ => (typed, None),
    };
    // Relative to the current folder if it is there, else as it stands, relative to the root.
    let path = match Path::new(path).exists() {
        true => workspace.note_path(Path::new(path)),
        false => NotePath::from(path),
    };
    Like { path, line }
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::SEARCHED
        .into_iter()
        .find(|kind| kind.name() == text)
        .ok_or_else(|| "expected note, summary or fact".to_owned())
}

fn least_level(text: &str) -> Result<Level, String> {
    // At the lowest level everything passes.
    [Level::Sure, Level::Perhaps]
        .into_iter()
        .find(|level| level.name() == text)
        .ok_or_else(|| "expected sure or perhaps".to_owned())
}

fn file_type(text: &str) -> Result<String, String> {
    FileKind::from_name(text)
        .map(|kind| kind.name().to_owned())
        .ok_or_else(|| format!("expected one of {}", FileKind::names().join(", ")))
}
