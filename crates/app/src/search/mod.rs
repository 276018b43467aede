//! Searching a knowledge base, as every door offers it: with the model of the repository or the next
//! best, summaries that no longer hold described again, hits traced to their authors, and what a
//! question shows of the user's interests noted.

pub mod answer;
pub mod asking;
pub mod budget;
mod fresh;
mod interest;
mod quote;
pub mod request;
pub(crate) mod second;
mod view;

use std::{path::Path, time::Duration};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashSet;

use crate::{
    Error, Result, fleet,
    reporter::Reporter,
    when::{self, moment},
    workspace::{Workspace, now_nanoseconds},
};
pub use elophanto_index::{
    Kind,
    search::{Answer, Confidence, Hit, Level, Listing, run::Like},
};
use elophanto_index::{
    Part, Refreshed, Snapshot, drift,
    search::{Filter, Mode, Query, Request, SearchError, origin::changed_notes, search as rank},
    version::blobs_of,
};
use elophanto_repo::{CommitId, Git, GitError, NotePath, Version};
pub use elophanto_text::markdown::Scope;
use elophanto_text::outline::{Family, FileKind};
use fresh::{Outdated, check, describe_again};
use view::{Blame, Viewed};

/// A search waits this long for git to tell which of its hits have drifted.
const DRIFT_PATIENCE: Duration = Duration::from_secs(1);
/// How many times the wanted hits are looked at to find those of one author.
const AUTHOR_RESERVE: usize = 5;
/// How often hits of files that are gone are replaced by others.
const GONE_ROUNDS: usize = 4;

/// What to look for. The settings of the workspace say how: how many hits, by words or by meaning,
/// and whether files are described again.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The question; `"words in quotation marks"` stand together, `-word` must not occur.
    pub text: String,
    /// In place of a question: what resembles this place?
    pub like: Option<Like>,
    /// Only these kinds; all if empty.
    pub kinds: Vec<Kind>,
    /// Only files of these types, by name; all if empty.
    pub types: Vec<String>,
    /// Only these scopes; all if empty.
    pub scopes: Vec<Scope>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    /// Only notes whose path matches one of these patterns, or lies below; all if empty.
    pub paths: Vec<String>,
    /// Only notes changed from then on, and before then: dates or time spans ago.
    pub since: Option<String>,
    /// See [`since`](Self::since); what is given is no longer in it.
    pub until: Option<String>,
    /// The notes of a revision or date in place of those of the work tree.
    pub at: Option<String>,
    /// Only notes whose text differs from that of a revision or date.
    pub changed_since: Option<String>,
    /// Whether hits are traced to who wrote their best lines.
    pub blame: bool,
    /// Only hits whose best lines this person wrote: part of a name or address.
    pub author: Option<String>,
    /// Leaves out hits with a lower score, which is from 0 to about 1: the score before a second look.
    pub min_score: Option<f32>,
    /// At most so many hits, if that is fewer than the settings say.
    pub most: Option<usize>,
    /// Passages, or each file once.
    pub listing: Listing,
    /// Whether somebody waits for the hits who has a moment to spare for a better order
    /// (`search.second_look`): people, agents and servers have, a pipe has not.
    pub awaited: bool,
    /// Searches the view as it is, without a look for changed notes.
    pub as_it_is: bool,
    /// Searches a fleet in place of this repository.
    pub within: Option<fleet::Reader>,
}

impl SearchRequest {
    /// Whether something besides the question says what may be found.
    pub fn is_narrowed(&self) -> bool {
        let lists = [self.types.len(), self.scopes.len(), self.tags.len(), self.paths.len()];
        let times = [&self.since, &self.until, &self.at];
        !self.kinds.is_empty()
            || lists.iter().any(|list| *list > 0)
            || times.iter().any(|time| time.is_some())
            || self.within.as_ref().is_some_and(|reader| !reader.repositories.is_empty())
    }
}

/// What a search found.
pub struct Found {
    /// The hits, the best first, and how sure they are.
    pub answer: Answer,
    /// The commit whose notes were searched, if not those of the work tree.
    pub at: Option<CommitId>,
    /// Notes that changed and are not searched yet.
    pub stale: usize,
    /// Where the hits of a fleet come from.
    pub origins: Option<fleet::Origins>,
    refreshed: Refreshed,
}

impl Found {
    /// What a fleet answered.
    pub(crate) fn of_fleet(answer: Answer, origins: fleet::Origins) -> Self {
        let refreshed = Refreshed::default();
        Self { answer, at: None, stale: 0, origins: Some(origins), refreshed }
    }

    /// Where a hit of a fleet comes from.
    pub fn source(&self, hit: &Hit) -> Option<&fleet::Source> {
        self.origins.as_ref()?.of(hit)
    }

    /// How sure it is that the hits answer, if that is less than wanted. Not without hits.
    pub fn doubted(&self, least: Level) -> Option<Confidence> {
        let found = self.answer.confidence.filter(|_| !self.answer.hits.is_empty());
        found.filter(|found| found.level < least)
    }

    /// How many source files git holds, where none of them is described, so that no search finds
    /// any; 0 where git cannot tell.
    pub fn undescribed(&self, workspace: &Workspace) -> usize {
        let parts = &self.refreshed.snapshot.parts;
        let is_described = |part: &Part| part.kind == Kind::Summary && part.live.count() > 0;
        if self.origins.is_some() || parts.iter().any(is_described) {
            return 0;
        }
        let git = Git::of(&workspace.repository);
        let files = git.and_then(|git| git.list(&Version::Staged, &[Path::new(".")]).ok());
        let is_source = |path: &NotePath| {
            FileKind::of(path.as_path()).is_some_and(|kind| kind.family() == Family::Source)
        };
        files.unwrap_or_default().iter().filter(|file| is_source(&file.path)).count()
    }

    /// Which of the notes found have drifted, by path, as far as git tells in time: an answer never
    /// fails or waits for long because of this. None of those of another version.
    pub fn drifted(&self, workspace: &Workspace) -> Vec<drift::Drift> {
        let is_here = self.at.is_none() && self.origins.is_none();
        let git = Git::of(&workspace.repository).filter(|_| is_here);
        let Some(git) = git else { return Vec::new() };
        let notes = self.answer.hits.iter().filter(|hit| hit.kind == Kind::Note);
        let mut paths: Vec<&NotePath> = notes.map(|hit| &hit.path).collect();
        paths.sort_unstable();
        paths.dedup();
        drift::drifted(&git, &self.refreshed.snapshot, paths, DRIFT_PATIENCE)
            .map(|drifts| drifts.found)
            .unwrap_or_default()
    }
}

/// Searches.
///
/// # Errors
/// When there is nothing to look for, a part of the request cannot be understood, or the view cannot
/// be read.
pub fn search(
    workspace: &Workspace,
    wanted: &SearchRequest,
    reporter: &dyn Reporter,
) -> Result<Found> {
    search_in(workspace, wanted, None, reporter)
}

/// The same among files as they were seen, if they are handed in and no revision is asked for.
///
/// # Errors
/// As [`search`].
pub fn search_in(
    workspace: &Workspace,
    wanted: &SearchRequest,
    seen: Option<&Snapshot>,
    reporter: &dyn Reporter,
) -> Result<Found> {
    if let Some(reader) = &wanted.within {
        return fleet::search(workspace, wanted, reader, reporter);
    }
    let query = Query::parse(&wanted.text, &workspace.analyzer);
    let nothing_to_look_for = || {
        Error::new("there is nothing to look for")
            .hint("give a few words, such as `elophanto search \"how are notes merged\"`")
    };
    // What seems to be excluded may be an option, which the notes tell.
    if query.is_empty() && query.excluded.is_empty() && wanted.like.is_none() {
        return Err(nothing_to_look_for());
    }
    let git = Git::of(&workspace.repository);
    let asked = ask_fresh(wanted, seen, workspace, &query, reporter)?;
    let Asked { viewed, mut answer, limit, .. } = asked;
    if answer.query.is_empty() && wanted.like.is_none() {
        return Err(nothing_to_look_for());
    }
    for reason in workspace.models.reasons() {
        reporter.note(reason);
    }
    if let Some(cause) = &answer.second_look_failed {
        reporter.note(format_args!("nobody looked again at what was found: {cause}"));
    }
    let author = wanted.author.as_deref();
    let blame = Blame { asked: wanted.blame || author.is_some(), author };
    viewed.trace(&blame, wanted.listing, limit, &mut answer, git.as_ref());
    viewed.say(reporter);
    let report = &viewed.refreshed.report;
    for notice in &report.notices {
        reporter.note(notice);
    }
    let stale = report.stale;
    if stale > 0 {
        reporter.note(format_args!(
            "{stale} changed notes are not searched yet: an index is being built"
        ));
    }
    if workspace.config.interest.count_searches
        && wanted.at.is_none()
        && let Err(cause) = interest::note(&wanted.text, &answer, workspace)
    {
        reporter.note(format_args!("the search is not counted: {}", cause.message()));
    }
    let at = viewed.at.map(|(commit, _)| commit);
    Ok(Found { answer, at, stale, origins: None, refreshed: viewed.refreshed })
}

/// A question and its answer.
struct Asked<'a> {
    viewed: Viewed,
    request: Request<'a>,
    answer: Answer,
    /// How many hits are wanted.
    limit: usize,
}

/// Asks; and asks again where summaries among the hits turned out to be out of date and were made
/// anew, or their files to be gone.
fn ask_fresh<'a>(
    wanted: &SearchRequest,
    seen: Option<&Snapshot>,
    workspace: &'a Workspace,
    query: &'a Query,
    reporter: &dyn Reporter,
) -> Result<Asked<'a>> {
    let mut asked = ask(wanted, seen, workspace, query, reporter)?;
    if wanted.at.is_some() {
        return Ok(asked);
    }
    let Outdated { stale, mut gone } = check(&mut asked.answer, workspace);
    if !wanted.as_it_is && describe_again(&stale, workspace, reporter)? {
        asked = ask(wanted, seen, workspace, query, reporter)?;
        gone = check(&mut asked.answer, workspace).gone;
    }
    // In the place of what is gone others may come that are gone too.
    for _ in 0..GONE_ROUNDS {
        if gone.is_empty() {
            break;
        }
        asked.request.filter.except.extend(gone);
        asked.answer = rank(&asked.viewed.refreshed.snapshot, &asked.request, &workspace.tools())?;
        gone = check(&mut asked.answer, workspace).gone;
    }
    let Asked { request, answer, .. } = &mut asked;
    answer.keep(request.listing, request.limit, |hit| !gone.contains(&hit.path));
    Ok(asked)
}

/// Asks with the model of the repository; if it can't answer, with the next best.
fn ask<'a>(
    wanted: &SearchRequest,
    seen: Option<&Snapshot>,
    workspace: &'a Workspace,
    query: &'a Query,
    reporter: &dyn Reporter,
) -> Result<Asked<'a>> {
    loop {
        let mut request = ranked(wanted, workspace, query)?;
        let mut viewed = match &wanted.at {
            Some(revision) => Viewed::at(revision, workspace, request.now, reporter)?,
            None if seen.is_some() => Viewed::seen(seen),
            None => Viewed::now(wanted.as_it_is, workspace, reporter)?,
        };
        let by_meaning = request.mode != Mode::Keyword || request.like.is_some();
        let report = &viewed.refreshed.report;
        if by_meaning && workspace.models.is_behind(report, viewed.at.is_none(), workspace) {
            continue;
        }
        if wanted.at.is_some() {
            // Ages count from then, as they did then.
            request.now = viewed.at.map_or(request.now, |(_, time)| time);
        }
        let limit = request.limit;
        narrow(wanted, workspace, &viewed, &mut request)?;
        let mut asked = rank(&viewed.refreshed.snapshot, &request, &workspace.tools());
        if matches!(asked, Err(SearchError::Damaged)) {
            // Something in the view was damaged since it was written: build it anew, ask again.
            reporter.note("the search view was damaged and is built anew");
            viewed.rebuild(workspace, reporter)?;
            asked = rank(&viewed.refreshed.snapshot, &request, &workspace.tools());
        }
        match asked {
            Err(SearchError::Embed(cause)) if workspace.models.cannot_answer(&cause, workspace) => {
            }
            asked => return Ok(Asked { viewed, request, answer: asked?, limit }),
        }
    }
}

/// Lets through only what differs from a revision, and what an author has touched.
fn narrow(
    wanted: &SearchRequest,
    workspace: &Workspace,
    viewed: &Viewed,
    request: &mut Request,
) -> Result<()> {
    if wanted.changed_since.is_none() && wanted.author.is_none() {
        return Ok(());
    }
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    let now = now_nanoseconds() / 1_000_000_000;
    if let Some(revision) = &wanted.changed_since {
        // A summary is no text of a commit.
        request.filter.kinds = vec![Kind::Note];
        let commit = when::commit(&git, revision, now)?;
        let then = blobs_of(&workspace.context(), &git, commit)?;
        request.filter.among = Some(changed_notes(&viewed.refreshed.snapshot, then.into_iter()));
    }
    if let (Some(name), Some(commit)) = (&wanted.author, &viewed.against()) {
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

/// What is ranked, by the settings and the request.
fn ranked<'a>(
    wanted: &SearchRequest,
    workspace: &'a Workspace,
    query: &'a Query,
) -> Result<Request<'a>> {
    let usual = request::usual(workspace, query);
    let when =
        |text: &Option<String>| text.as_deref().map(|text| moment(text, usual.now)).transpose();
    Ok(Request {
        like: wanted.like.clone(),
        limit: wanted.most.map_or(usual.limit, |most| most.min(usual.limit)),
        filter: Filter {
            kinds: wanted.kinds.clone(),
            types: wanted.types.clone(),
            scopes: wanted.scopes.clone(),
            tags: wanted.tags.clone(),
            paths: patterns(&wanted.paths)?,
            among: None,
            except: FxHashSet::default(),
            since: when(&wanted.since)?,
            until: when(&wanted.until)?,
        },
        min_score: wanted.min_score,
        listing: wanted.listing,
        second_look: second::look(wanted.awaited, workspace),
        ..usual
    })
}

pub(crate) fn patterns(typed: &[String]) -> Result<Option<GlobSet>> {
    if typed.is_empty() {
        return Ok(None);
    }
    let mut patterns = GlobSetBuilder::new();
    for pattern in typed {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|cause| Error::new(cause).hint("a pattern looks like 'docs/**/*.md'"))?;
        patterns.add(glob);
        // A folder means what is in it.
        if let Ok(glob) = GlobBuilder::new(&format!("{}/**", pattern.trim_end_matches('/'))).build()
        {
            patterns.add(glob);
        }
    }
    patterns.build().map(Some).map_err(Error::new)
}
