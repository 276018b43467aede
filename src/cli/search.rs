//! `elophanto search`

use std::{
    io::{IsTerminal, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use globset::{GlobBuilder, GlobSetBuilder};
use rustc_hash::FxHashSet;
use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    search_answer,
    search_fresh::{Outdated, check, describe_again},
    search_interest,
    search_output::{Format, print, say_nothing},
    search_request,
    search_view::{Blame, Viewed},
    ui::{Ui, visible_line},
    when::{self, moment},
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::{
    Kind, Refreshed, drift,
    search::{
        Answer, Confidence, Filter, Level, Listing, Mode, Query, Request, SearchError,
        origin::changed_notes, run::Like, search,
    },
    version::blobs_of,
};
use elophanto_models::builtin::count_tokens;
use elophanto_repo::{Git, GitError, NotePath};
use elophanto_text::{markdown::Scope, outline::FileKind};

/// A search waits this long for git to tell which of its hits have drifted.
const DRIFT_PATIENCE: Duration = Duration::from_secs(1);
/// How many times the wanted hits are looked at to find those of one author.
const AUTHOR_RESERVE: usize = 5;
/// How often hits of files that are gone are replaced by others.
const GONE_ROUNDS: usize = 4;
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
    let workspace = Workspace::open(flags.collect(), ui)?;
    let typed = typed_query(args)?;
    let query = Query::parse(&typed, &workspace.analyzer);
    let nothing_to_look_for = || {
        CliError::new("there is nothing to look for")
            .hint("give a few words, such as `elophanto search \"how are notes merged\"`")
    };
    // What seems to be excluded may be an option, which the notes tell.
    if query.is_empty() && query.excluded.is_empty() && args.like.is_none() {
        return Err(nothing_to_look_for());
    }
    let git = Git::of(&workspace.repository);
    let Asked { viewed, request, mut answer, wanted } = ask_fresh(args, &workspace, &query, ui)?;
    if answer.query.is_empty() && args.like.is_none() {
        return Err(nothing_to_look_for());
    }
    for reason in workspace.models.reasons() {
        ui.note(reason);
    }
    let blame =
        Blame { asked: args.blame || args.author.is_some(), author: args.author.as_deref() };
    viewed.trace(&blame, request.listing, wanted, &mut answer, git.as_ref());
    viewed.say(ui);
    let refreshed = &viewed.refreshed;
    for notice in &refreshed.report.notices {
        ui.note(notice);
    }
    let stale = refreshed.report.stale;
    if stale > 0 {
        ui.note(format_args!(
            "{stale} changed notes are not searched yet: an index is being built"
        ));
    }
    if workspace.config.interest.count_searches
        && args.at.is_none()
        && let Err(cause) = search_interest::note(&typed, &answer, &workspace)
    {
        ui.note(format_args!("the search is not counted: {}", cause.message()));
    }
    say_exclusions(&answer, ui);
    if let Some(least) = args.min_confidence {
        let found = answer.confidence.filter(|_| !answer.hits.is_empty());
        if let Some(found) = found.filter(|found| found.level < least) {
            say_doubt(&typed, found, least, ui);
            return Ok(Outcome::Negative);
        }
    }
    if args.answer {
        return search_answer::answer(&typed, &answer, &workspace, args.yes, ui);
    }
    if args.evidence {
        return evidence(&typed, &answer, ui);
    }
    if answer.hits.is_empty() {
        say_nothing(&typed, &answer, &request, ui);
        return Ok(Outcome::Negative);
    }
    say_corrections(&answer, ui);
    let format = args.format();
    let drifted = match format {
        Format::Files | Format::Vimgrep => Vec::new(),
        _ if args.at.is_some() => Vec::new(),
        Format::Text | Format::Json | Format::Markdown => drifted(&answer, refreshed, &workspace),
    };
    let root = &workspace.repository.root;
    print(
        &answer,
        &super::search_output::Shape {
            format,
            listing: request.listing,
            null: args.null,
            full: args.full,
            explain: args.explain,
            max_tokens: args.max_tokens,
            stale,
            here: here(root),
            drifted: &drifted,
            root,
            at: viewed.at.map(|(commit, _)| commit),
            count_tokens: &|text| count_tokens(text),
        },
        ui,
    )?;
    Ok(Outcome::Done)
}

/// A question and its answer.
struct Asked<'a> {
    viewed: Viewed,
    request: Request<'a>,
    answer: Answer,
    /// How many hits are to be shown.
    wanted: usize,
}

/// Asks; and asks again where summaries among the hits turned out to be out of date and were made
/// anew, or their files to be gone.
fn ask_fresh<'a>(
    args: &SearchArgs,
    workspace: &Workspace,
    query: &'a Query,
    ui: &Ui,
) -> Result<Asked<'a>, CliError> {
    let mut asked = ask(args, workspace, query, ui)?;
    if args.at.is_some() {
        return Ok(asked);
    }
    let Outdated { stale, mut gone } = check(&mut asked.answer, workspace);
    if !args.no_refresh && describe_again(&stale, workspace, ui)? {
        asked = ask(args, workspace, query, ui)?;
        gone = check(&mut asked.answer, workspace).gone;
    }
    // In the place of what is gone others may come that are gone too.
    for _ in 0..GONE_ROUNDS {
        if gone.is_empty() {
            break;
        }
        asked.request.filter.except.extend(gone);
        asked.answer =
            search(&asked.viewed.refreshed.snapshot, &asked.request, &workspace.tools())?;
        gone = check(&mut asked.answer, workspace).gone;
    }
    let Asked { request, answer, .. } = &mut asked;
    answer.keep(request.listing, request.limit, |hit| !gone.contains(&hit.path));
    Ok(asked)
}

/// Asks with the model of the repository; if it can't answer, with the next best.
fn ask<'a>(
    args: &SearchArgs,
    workspace: &Workspace,
    query: &'a Query,
    ui: &Ui,
) -> Result<Asked<'a>, CliError> {
    loop {
        let mut request = request(args, workspace, query)?;
        let mut viewed = match &args.at {
            Some(revision) => Viewed::at(revision, workspace, request.now)?,
            None => Viewed::now(args.no_refresh, workspace)?,
        };
        let by_meaning = request.mode != Mode::Keyword || request.like.is_some();
        let report = &viewed.refreshed.report;
        if by_meaning && workspace.models.is_behind(report, viewed.at.is_none(), workspace) {
            continue;
        }
        if args.at.is_some() {
            // Ages count from then, as they did then.
            request.now = viewed.at.map_or(request.now, |(_, time)| time);
        }
        let wanted = request.limit;
        narrow(args, workspace, &viewed, &mut request)?;
        let mut asked = search(&viewed.refreshed.snapshot, &request, &workspace.tools());
        if matches!(asked, Err(SearchError::Damaged)) {
            // Something in the view was damaged since it was written: build it anew, ask again.
            ui.note("the search view was damaged and is built anew");
            viewed.rebuild(workspace)?;
            asked = search(&viewed.refreshed.snapshot, &request, &workspace.tools());
        }
        match asked {
            Err(SearchError::Embed(cause)) if workspace.models.cannot_answer(&cause, workspace) => {
            }
            asked => return Ok(Asked { viewed, request, answer: asked?, wanted }),
        }
    }
}

/// Lets through only what `--changed-since` and `--author` allow.
fn narrow(
    args: &SearchArgs,
    workspace: &Workspace,
    viewed: &Viewed,
    request: &mut Request,
) -> Result<(), CliError> {
    if args.changed_since.is_none() && args.author.is_none() {
        return Ok(());
    }
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    let now = now_nanoseconds() / 1_000_000_000;
    if let Some(revision) = &args.changed_since {
        // A summary is no text of a commit.
        request.filter.kinds = vec![Kind::Note];
        let commit = when::commit(&git, revision, now)?;
        let then = blobs_of(&workspace.context(), &git, commit)?;
        request.filter.among = Some(changed_notes(&viewed.refreshed.snapshot, then.into_iter()));
    }
    if let (Some(name), Some(commit)) = (&args.author, &viewed.against()) {
        let touched: FxHashSet<NotePath> = git.touched_by(name, commit)?.into_iter().collect();
        request.filter.among = Some(match request.filter.among.take() {
            Some(among) => among.intersection(&touched).cloned().collect(),
            None => touched,
        });
        // Some of these notes' lines are by others.
        request.limit = request.limit.saturating_mul(AUTHOR_RESERVE);
    }
    Ok(())
}

/// Which of the shown notes have drifted, as far as git tells in time: an answer never fails or
/// waits for long because of this.
fn drifted(answer: &Answer, refreshed: &Refreshed, workspace: &Workspace) -> Vec<drift::Drift> {
    let Some(git) = Git::of(&workspace.repository) else { return Vec::new() };
    let notes = answer.hits.iter().filter(|hit| hit.kind == Kind::Note);
    let mut paths: Vec<&NotePath> = notes.map(|hit| &hit.path).collect();
    paths.sort_unstable();
    paths.dedup();
    drift::drifted(&git, &refreshed.snapshot, paths, DRIFT_PATIENCE)
        .map(|drifts| drifts.found)
        .unwrap_or_default()
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

fn request<'a>(
    args: &SearchArgs,
    workspace: &Workspace,
    query: &'a Query,
) -> Result<Request<'a>, CliError> {
    let usual = search_request::usual(workspace, query);
    let when =
        |text: &Option<String>| text.as_deref().map(|text| moment(text, usual.now)).transpose();
    let mut patterns = GlobSetBuilder::new();
    for pattern in &args.path {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|cause| CliError::new(cause).hint("a pattern looks like 'docs/**/*.md'"))?;
        patterns.add(glob);
        // A folder means what is in it.
        if let Ok(glob) = GlobBuilder::new(&format!("{}/**", pattern.trim_end_matches('/'))).build()
        {
            patterns.add(glob);
        }
    }
    let paths =
        if args.path.is_empty() { None } else { Some(patterns.build().map_err(CliError::new)?) };
    Ok(Request {
        like: args.like.as_deref().map(|like| place(like, workspace)),
        limit: if args.evidence { MOST_EVIDENCE.min(usual.limit) } else { usual.limit },
        filter: Filter {
            kinds: args.kind.clone(),
            types: args.file_type.clone(),
            scopes: args.scope.clone(),
            tags: args.tag.clone(),
            paths,
            among: None,
            except: FxHashSet::default(),
            since: when(&args.since)?,
            until: when(&args.until)?,
        },
        min_score: args.min_score,
        listing: args.listing(),
        ..usual
    })
}

/// `PATH` or `PATH:LINE`.
fn place(typed: &str, workspace: &Workspace) -> Like {
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
