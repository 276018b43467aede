//! `elophanto search`

use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    search_answer,
    search_output::{Format, print, say_nothing},
    ui::{Ui, visible_line},
    workspace::{self, Workspace},
};
use elophanto_app::search::{SearchRequest, answer::answer as reply_to, search};
use elophanto_index::{
    Kind,
    search::{Answer, Confidence, Level, Listing, run::Like},
};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::NotePath;
use elophanto_text::{markdown::Scope, outline::FileKind};

/// Hits in an evidence record.
const MOST_EVIDENCE: usize = 5;
/// How sure a reader of evidence may be that it bears on the question, as the reference design has
/// it.
const EVIDENCE_CONFIDENCE: f32 = 0.8;
/// Places of one file that people are shown: with three of them no passage is lost that a list of
/// passages would show.
const PLACES: usize = 3;
/// Largest query, in bytes.
const MAX_QUERY_BYTES: u64 = 64 * 1024;

/// Search the knowledge base
///
/// Finds by meaning and by keyword. `"quoted words"` must stand together, `-word` must not occur; a
/// dash before one letter, or before a word that the notes write with its dash, is part of an option
/// such as `-r`. Text for people lists files with their best places, everything else passages.
/// Exits with 0 if something was found, 1 if nothing was, 2 if the search failed.
#[derive(clap::Args, Debug)]
pub struct SearchArgs {
    /// What to look for; `-` reads it from standard input
    #[arg(required_unless_present = "like", allow_hyphen_values = false)]
    query: Option<String>,
    /// Print at most this many hits: files in text and with `--format files`, else passages
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
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
    mode: Option<String>,
    /// How scores are fused: weighted or additive
    #[arg(long)]
    ranking: Option<String>,
    /// What resembles this note, or this line of it?
    #[arg(long, value_name = "PATH[:LINE]", conflicts_with = "query")]
    like: Option<String>,
    /// Leave out hits with a lower score
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f32>,
    /// Find nothing unless it is this sure that the hits answer: sure or perhaps
    #[arg(long, value_name = "LEVEL", value_parser = least_level, conflicts_with = "like")]
    min_confidence: Option<Level>,
    /// How to print: text, json, files, markdown or vimgrep
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// End file names with NUL instead of a line feed (with `--format files`)
    #[arg(long, short = '0')]
    null: bool,
    /// Print the most useful sentences that fit into N tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Print whole chunks
    #[arg(long, conflicts_with = "max_tokens")]
    full: bool,
    /// Show what each score is made of
    #[arg(long)]
    explain: bool,
    /// Search the view as it is, without looking for changed notes
    #[arg(long)]
    no_refresh: bool,
    /// Describe files again that changed since they were described: always, local (where that costs
    /// nothing) or never
    #[arg(long, value_name = "WHEN")]
    refresh_stale: Option<String>,
    /// Answer from notes and facts, with citations, if what is known suffices; else say so
    #[arg(long, conflicts_with_all = ["format", "full", "explain", "like", "at", "evidence"])]
    answer: bool,
    /// With --answer: send what bears on the question to the model of the settings, and remember
    /// that this may be done
    #[arg(long, short, requires = "answer")]
    yes: bool,
    /// Print the best summaries as one evidence record, for other programs
    #[arg(long, conflicts_with_all = ["format", "json", "full", "explain", "like", "at"])]
    evidence: bool,
}

impl SearchArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        self.json || self.evidence || self.format == Format::Json
    }

    fn format(&self) -> Format {
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
}

pub fn run(args: &SearchArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let flags = [
        ("search.limit", args.limit.map(|limit| limit.to_string())),
        ("search.mode", args.mode.clone()),
        ("search.ranking", args.ranking.clone()),
        ("search.refresh_stale", args.refresh_stale.clone()),
    ];
    let flags = flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let workspace = workspace::open(flags.collect(), ui)?;
    let request = request(args, &workspace)?;
    let found = search(&workspace, &request, ui)?;
    let (typed, answer) = (&request.text, &found.answer);
    say_exclusions(answer, ui);
    if let Some(least) = args.min_confidence {
        let believed = answer.confidence.filter(|_| !answer.hits.is_empty());
        if let Some(believed) = believed.filter(|believed| believed.level < least) {
            say_doubt(typed, believed, least, ui);
            return Ok(Outcome::Negative);
        }
    }
    if args.answer {
        let reply = reply_to(typed, answer, &workspace, args.yes, ui)?;
        return search_answer::print(&reply, ui);
    }
    if args.evidence {
        return evidence(typed, answer, ui);
    }
    if answer.hits.is_empty() {
        say_nothing(answer, &request, ui);
        return Ok(Outcome::Negative);
    }
    say_corrections(answer, ui);
    let drifted = match args.format() {
        Format::Files | Format::Vimgrep => Vec::new(),
        Format::Text | Format::Json | Format::Markdown => found.drifted(&workspace),
    };
    let root = &workspace.repository.root;
    print(
        answer,
        &super::search_output::Shape {
            format: args.format(),
            listing: request.listing,
            null: args.null,
            full: args.full,
            explain: args.explain,
            max_tokens: args.max_tokens,
            stale: found.stale,
            here: here(root),
            drifted: &drifted,
            root,
            at: found.at,
            count_tokens: &|text| count_tokens(text),
        },
        ui,
    )?;
    Ok(Outcome::Done)
}

fn typed_query(args: &SearchArgs) -> Result<String, CliError> {
    match args.query.as_deref() {
        Some("-") => {
            if std::io::stdin().is_terminal() {
                return Err(CliError::new(
                    "`-` reads the query from standard input, which is a terminal",
                )
                .hint("pipe a query in, or type it in place of the `-`"));
            }
            let mut bytes = Vec::new();
            std::io::stdin().take(MAX_QUERY_BYTES + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MAX_QUERY_BYTES {
                return Err(CliError::new(format_args!(
                    "the query is longer than {MAX_QUERY_BYTES} bytes"
                ))
                .hint("to find what resembles a text, save it as a note and use `--like`"));
            }
            Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
        }
        Some(query) => Ok(query.to_owned()),
        None => Ok(String::new()),
    }
}

fn request(args: &SearchArgs, workspace: &Workspace) -> Result<SearchRequest, CliError> {
    Ok(SearchRequest {
        text: typed_query(args)?,
        like: args.like.as_deref().map(|like| place(like, workspace)),
        kinds: args.kind.clone(),
        types: args.file_type.clone(),
        scopes: args.scope.clone(),
        tags: args.tag.clone(),
        paths: args.path.clone(),
        since: args.since.clone(),
        until: args.until.clone(),
        at: args.at.clone(),
        changed_since: args.changed_since.clone(),
        blame: args.blame,
        author: args.author.clone(),
        min_score: args.min_score,
        most: args.evidence.then_some(MOST_EVIDENCE),
        listing: args.listing(),
        as_it_is: args.no_refresh,
    })
}

/// A place as it is typed: `PATH` or `PATH:LINE`.
pub fn place(typed: &str, workspace: &Workspace) -> Like {
    let (path, line) = match typed.rsplit_once(':') {
        Some((path, line)) if !Path::new(typed).exists() => match line.parse() {
            Ok(line) => (path, Some(line)),
            Err(_) => (typed, None),
        },
        _ => (typed, None),
    };
    // Relative to the current folder if it is there, else as it stands, relative to the root.
    let path = if Path::new(path).exists() {
        workspace.note_path(&PathBuf::from(path))
    } else {
        NotePath::from(path)
    };
    Like { path, line }
}

/// What was found, as other programs take it.
#[derive(Serialize)]
struct EvidenceWire<'a> {
    source: &'static str,
    #[serde(rename = "type")]
    evidence_type: &'static str,
    content: ContentWire<'a>,
    metadata: MetadataWire<'a>,
    confidence: f32,
}

#[derive(Serialize)]
struct ContentWire<'a> {
    summaries: Vec<&'a str>,
    file_paths: Vec<String>,
}

#[derive(Serialize)]
struct MetadataWire<'a> {
    query: &'a str,
    result_count: usize,
}

fn evidence(query: &str, answer: &Answer, ui: &mut Ui) -> Result<Outcome, CliError> {
    let hits = &answer.hits;
    ui.json(&EvidenceWire {
        source: "documentation",
        evidence_type: "indexed_knowledge",
        content: ContentWire {
            summaries: hits.iter().map(|hit| hit.text.trim()).collect(),
            file_paths: hits.iter().map(|hit| hit.path.to_text()).collect(),
        },
        metadata: MetadataWire { query, result_count: hits.len() },
        confidence: EVIDENCE_CONFIDENCE,
    })?;
    Ok(if hits.is_empty() { Outcome::Negative } else { Outcome::Done })
}

pub fn kind(text: &str) -> Result<Kind, String> {
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

/// The folder that the command runs in, relative to the root.
fn here(root: &Path) -> PathBuf {
    let here = std::fs::canonicalize(".").unwrap_or_default();
    here.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// Says what was left out and what could not be: a question may hold a dash by chance.
fn say_exclusions(answer: &Answer, ui: &Ui) {
    for excluded in &answer.query.excluded {
        let typed = visible_line(&excluded.typed);
        let word = typed.trim_start_matches('-').trim_matches('"');
        ui.note(format_args!(
            "`{typed}` leaves out whatever holds `{word}`; to look for it instead: \"{word}\""
        ));
    }
    for ignored in &answer.query.ignored {
        ui.note(format_args!(
            "`{}` is not kept to: such words are in nearly every note, and are not indexed",
            visible_line(ignored)
        ));
    }
}

/// Says that what was found is not sure enough.
fn say_doubt(typed: &str, found: Confidence, least: Level, ui: &Ui) {
    let (level, least) = (found.level.name(), least.name());
    ui.talk(format_args!("nothing found for `{typed}` that is {least} to answer: {level}"));
    ui.talk("hint: see what is nearest without --min-confidence");
}

fn say_corrections(answer: &Answer, ui: &Ui) {
    for (typed, terms) in &answer.corrections {
        ui.note(format_args!("`{typed}` occurs nowhere; looked for {}", terms.join(", ")));
    }
}
