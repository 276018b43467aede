//! Reading notes and pages of entities, and telling who wrote them.

use std::{fs, time::Duration};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result, workspace::Workspace};
use elophanto_base::visible::visible;
use elophanto_index::{
    Kind, Options, Refreshed,
    drift::{Drift, drifted},
    search::SearchError,
    store::{manifest::Place, segment::Attributes},
};
use elophanto_knowledge::scan::freshness::{Freshness, described_content};
use elophanto_repo::{Git, NotePath, head, history::Age, read_if_there};
use elophanto_text::{
    authoring::{Excerpt, Part, content_hash, excerpt, nearest},
    markdown,
    place::Place as Wanted,
};

/// What another process writes into the view is not waited for long.
const PATIENTLY: Options =
    Options { full: false, patience: Some(Duration::from_millis(50)), progress: &|_, _| {} };
/// How long reading waits for git to tell whether a note has drifted.
const DRIFT_PATIENCE: Duration = Duration::from_secs(1);
/// Lines that are told before the one that is asked for, where not all of its section fits.
const LINES_BEFORE: usize = 3;
/// Paths that are suggested where there is no such note.
const SUGGESTIONS: usize = 5;

/// Notes and pages of entities, as they are now.
pub struct Notes<'a> {
    workspace: &'a Workspace,
    /// What can be searched, and how it came about.
    pub known: Refreshed,
}

/// A part of a note.
pub struct Excerpted {
    /// Relative to the root.
    pub path: NotePath,
    /// Of the note.
    pub title: String,
    /// The lines that were asked for.
    pub part: Excerpt,
    /// The one line that was asked for, with what stands around it.
    pub asked: Option<usize>,
    /// Names the content of the whole note; empty for a description.
    pub hash: String,
    /// Of a description, how it stands to its file.
    pub origin: Option<Origin>,
}

/// A note in a list.
pub struct Listed {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Of the note.
    pub title: String,
    /// Size of its file.
    pub bytes: u64,
    /// When its last commit was made; of what is not committed, when its file was written.
    pub changed: Option<Timestamp>,
}

/// Who wrote lines of a note last, and whether it is committed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Origin {
    /// The name that git knows them by.
    pub author: Option<String>,
    /// The full id; none while the lines are in none.
    pub commit: Option<String>,
    /// When that commit was made, in RFC 3339.
    pub date: Option<String>,
    /// `committed`, `modified` or `uncommitted`; of the description of a file `described` or `stale`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub state: &'static str,
}

impl Origin {
    /// One of the usual length: what room an answer needs is known before git is asked.
    pub fn usual() -> Self {
        let usual = |count: usize, char: &str| Some(char.repeat(count));
        Self { author: usual(40, "a"), commit: usual(40, "0"), date: usual(20, "0"), state: "" }
    }
}

impl Excerpted {
    /// The most lines that fit, at least one, with the numbers of the first and the last; the line that was
    /// asked for is among them.
    pub fn fitting(&self, fits: impl Fn(&str, (usize, usize)) -> bool) -> (&str, (usize, usize)) {
        let (text, (start, end)) = (self.part.text.as_str(), self.part.lines);
        if fits(text, (start, end)) {
            return (text, (start, end));
        }
        let asked = self.asked.unwrap_or(start);
        let from = [start, asked.saturating_sub(LINES_BEFORE).max(start), asked];
        let mut parts = from.into_iter().map(|line| self.lines_from(line, &fits));
        let found = parts.find(|(_, (_, last))| *last >= asked);
        found.unwrap_or_else(|| self.lines_from(start, &fits))
    }

    /// The most lines from one on that fit, at least one.
    fn lines_from(
        &self,
        line: usize,
        fits: impl Fn(&str, (usize, usize)) -> bool,
    ) -> (&str, (usize, usize)) {
        let (text, (start, end)) = (self.part.text.as_str(), self.part.lines);
        let ends: Vec<usize> =
            memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
        let skipped = line.saturating_sub(start).min(ends.len().saturating_sub(1));
        let begin = skipped.checked_sub(1).map_or(0, |last| ends[last]);
        let first = start + markdown::count_line_ends(&text[..begin]);
        let head = |lines: usize| {
            let at = ends.get(skipped + lines - 1).copied();
            let head = at.and_then(|at| text.get(begin..at)).unwrap_or(&text[begin..]);
            let last = if at.is_some() { first + markdown::count_line_ends(head) - 1 } else { end };
            (head, (first, last.max(first).min(end.max(first))))
        };
        let (mut least, mut most) = (1, (ends.len() - skipped).max(1));
        while least < most {
            let middle = (least + most).div_ceil(2);
            let (body, lines) = head(middle);
            if fits(body, lines) { least = middle } else { most = middle - 1 }
        }
        head(least)
    }
}

impl<'a> Notes<'a> {
    /// Brings notes and pages of entities up to date.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub fn open(workspace: &'a Workspace) -> Result<Self> {
        Ok(Self { workspace, known: workspace.refresh_pages(PATIENTLY)? })
    }

    /// A part of a note, or what stands at a place in it; the path may be one with marks in it, as a
    /// terminal shows it. Of a file that was described, what is said of it.
    ///
    /// # Errors
    /// When there is no such note or part, with what is near; or the note cannot be read.
    pub fn excerpt(&self, place: &Wanted, part: Option<Part>) -> Result<Excerpted> {
        let (path, lines) = self.meant(place);
        let at = || match lines {
            None => Part::Whole,
            Some((line, None)) => Part::Around(line),
            Some((first, Some(last))) => Part::Lines(first, last),
        };
        let described = |line| self.description(&path, line);
        let (text, part, origin) = if let Some(text) = self.text(&path)? {
            (text, part.unwrap_or_else(at), None)
        } else if let Some((text, origin)) = described(lines.map(|(first, _)| first))? {
            (text, part.unwrap_or(Part::Whole), Some(origin))
        } else {
            let paths: Vec<String> =
                self.known.snapshot.files.iter().map(|file| file.path.to_text()).collect();
            let near = nearest(&path.to_text(), paths.iter().map(String::as_str), SUGGESTIONS);
            let hint = match near.is_empty() {
                true => "`search` finds notes by what they say".to_owned(),
                false => format!("there is {}", near.join(", ")),
            };
            let error = Error::new(format_args!("there is no note `{}`", path.to_text()));
            return Err(error.hint(hint));
        };
        let asked = match part {
            Part::Around(line) => Some(line),
            _ => None,
        };
        let part = excerpt(&text, &part)?;
        let title = markdown::parse(&text).ok().and_then(|note| note.title().map(str::to_owned));
        let title = title.unwrap_or_else(|| path.stem());
        let hash = origin.as_ref().map_or_else(|| content_hash(&text), |_| String::new());
        Ok(Excerpted { title, part, asked, hash, path, origin })
    }

    /// All that is said of a file that was described, as a search shows it; of a line, what is said of the
    /// parts that hold it, where any is. Nothing of the file itself is read out.
    fn description(
        &self,
        path: &NotePath,
        line: Option<usize>,
    ) -> Result<Option<(String, Origin)>> {
        let reach = self.workspace.reach();
        if !reach.holds(path) {
            return Ok(None);
        }
        let all = self.workspace.refresh_all(PATIENTLY)?.snapshot;
        let mut found = Vec::new();
        for part in all.parts.iter().filter(|part| part.kind == Kind::Summary) {
            let segment = &part.loaded.segment;
            for number in part.live.ones() {
                if segment.identity(number).map_err(SearchError::from)?.0 != path.as_bytes() {
                    continue;
                }
                let view = segment.document(number).map_err(SearchError::from)?;
                let text = segment.text(&view).map_err(SearchError::from)?.trim();
                if let Attributes::Summary(made_from) = view.attributes {
                    found.push((made_from.is_part, made_from.lines, made_from.blob, text));
                }
            }
        }
        found.sort_unstable();
        let holds =
            |(first, last): (usize, usize)| line.is_some_and(|it| first <= it && it <= last);
        if found.iter().any(|(is_part, lines, ..)| *is_part && holds(*lines)) {
            found.retain(|(is_part, lines, ..)| *is_part && holds(*lines));
        }
        let Some((.., blob, _)) = found.first() else { return Ok(None) };
        let most = self.workspace.config.knowledge.max_file_bytes;
        let state = match described_content(&reach, path, blob, most) {
            Ok(_) => "described",
            Err(Freshness::Gone) => return Ok(None),
            Err(Freshness::Fresh | Freshness::Stale) => "stale",
        };
        let texts: Vec<&str> = found.iter().map(|(.., text)| *text).collect();
        let origin = Origin { author: None, commit: None, date: None, state };
        Ok(Some((texts.join("\n\n"), origin)))
    }

    /// The note of a place, and the lines of it that are named.
    pub fn meant(&self, place: &Wanted) -> (NotePath, Option<(usize, Option<usize>)>) {
        let files = &self.known.snapshot.files;
        let known = |given: &str| {
            let path = NotePath::from(given);
            if files.binary_search_by(|file| file.path.cmp(&path)).is_ok() {
                return Some(path);
            }
            let mut marked = files.iter().filter(|_| given.contains("<U+"));
            let shown = marked.find(|file| visible(&file.path.to_text()) == given);
            shown.map(|file| file.path.clone())
        };
        // A name may end in what looks like a line.
        let whole = known(&place.whole).map(|path| (path, None));
        let at = || {
            let path = known(&place.path).unwrap_or_else(|| NotePath::from(place.path.as_str()));
            (path, place.lines)
        };
        whole.unwrap_or_else(at)
    }

    /// The text of a note that is indexed; nothing else is read.
    ///
    /// # Errors
    /// When it cannot be read, or is no text.
    pub fn text(&self, path: &NotePath) -> Result<Option<String>> {
        if self.known.snapshot.files.binary_search_by(|file| file.path.cmp(path)).is_err() {
            return Ok(None);
        }
        let most = self.workspace.config.knowledge.max_file_bytes;
        let read = read_if_there(&self.workspace.repository.root, path, most);
        let Some(bytes) = read.map_err(Error::new)? else { return Ok(None) };
        Ok(Some(markdown::decode(&bytes).map_err(Error::new)?.text.into_owned()))
    }

    /// How a note has drifted, as far as git tells in time.
    pub fn drifted(&self, path: &NotePath) -> Option<Drift> {
        let git = Git::of(&self.workspace.repository)?;
        let drifts = drifted(&git, &self.known.snapshot, [path], DRIFT_PATIENCE).ok()?;
        drifts.found.into_iter().next()
    }

    /// Who wrote these lines of a note last, and whether that is committed.
    pub fn origin(&self, path: &NotePath, lines: (usize, usize)) -> Origin {
        let snapshot = &self.known.snapshot;
        let file = snapshot.files.binary_search_by(|file| file.path.cmp(path)).ok();
        let blob = file.and_then(|at| snapshot.files.get(at)).map(|file| file.blob);
        let history = &snapshot.history;
        let git = Git::of(&self.workspace.repository);
        let state = match blob.map(|blob| history.age(path, &blob)) {
            Some(Age::NotCommitted) if history.complete && history.get(path).is_some() => {
                "modified"
            }
            Some(Age::NotCommitted) if history.complete => "uncommitted",
            Some(_) if history.head.is_none() && git.as_ref().is_some_and(has_no_commit) => {
                "uncommitted"
            }
            _ => "committed",
        };
        let blamed = || {
            let git = git.filter(|_| state == "committed")?;
            let lines = git.blame(history.head.as_ref()?, path, lines).ok()?;
            lines.into_iter().max_by_key(|line| line.time)
        };
        let Some(blame) = blamed() else {
            return Origin { author: None, commit: None, date: None, state };
        };
        let date = Timestamp::from_second(blame.time).ok().map(|time| time.to_string());
        let commit = Some(blame.commit.to_string());
        Origin { author: Some(blame.author), commit, date, state }
    }

    /// Notes in the order of their paths, at most `limit` behind `after`.
    pub fn list(&self, after: Option<&str>, limit: usize) -> Vec<Listed> {
        let snapshot = &self.known.snapshot;
        let mut listed = Vec::new();
        for (file, changed) in snapshot.files.iter().zip(snapshot.change_times()) {
            let path = file.path.to_text();
            if after.is_some_and(|after| path.as_bytes() <= after.as_bytes()) {
                continue;
            }
            let Place::Document { segment, document } = file.place else { continue };
            let Some(part) = snapshot.parts.get(segment as usize) else { continue };
            let document = part.loaded.segment.document(document as usize);
            let title = document.map_or_else(|_| file.path.stem(), |it| it.title.to_owned());
            // A page of an entity comes without its stat.
            let below = || file.path.below(&self.workspace.repository.root);
            let bytes = match file.stat.size {
                0 => fs::metadata(below()).map_or(0, |it| it.len()),
                bytes => bytes,
            };
            let changed = changed.and_then(|seconds| Timestamp::from_second(seconds).ok());
            listed.push(Listed { path, title, bytes, changed });
            if listed.len() == limit {
                break;
            }
        }
        listed
    }
}

/// Whether there is a repository and no commit yet.
fn has_no_commit(git: &Git) -> bool {
    matches!(head(git), Ok(None))
}
