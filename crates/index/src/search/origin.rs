//! Where a hit comes from: whether its text is committed, and who wrote its best lines.
//!
//! Asks git for the few hits that are shown. What is not committed has no author yet; its lines
//! are told apart by comparing the committed text with that of the hit.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Hit;
use crate::{Snapshot, store::manifest::Place};
use elophanto_repo::{Blame, BlobId, CommitId, Git, GitError, NotePath, ObjectId, Objects};
use elophanto_text::markdown;

/// A larger committed text is not compared, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// What is known of where a hit comes from.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    pub state: State,
    /// `None` if nobody asked, or git cannot say.
    pub author: Option<Author>,
}

/// How the text of a hit stands to the commit it is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// The commit holds exactly this text at this path; or there is no git.
    #[default]
    Committed,
    /// The commit holds another text at this path.
    Modified,
    /// The commit holds nothing at this path.
    Uncommitted,
    /// The file that a summary is of has changed since, or is gone.
    Stale,
}

/// Who wrote the best lines of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// The youngest of the commits that wrote them.
    Commit(Blame),
    /// All of them are still uncommitted.
    Nobody,
}

/// What git says about hits, against one commit.
pub struct Origins<'a> {
    git: &'a Git,
    commit: Option<CommitId>,
    objects: Objects,
}

impl<'a> Origins<'a> {
    /// Measures against this commit; `None` where there is no commit yet.
    pub fn new(git: &'a Git, commit: Option<CommitId>) -> Self {
        Self { git, commit, objects: git.objects() }
    }

    /// How each hit stands to the commit, with the content the commit holds.
    ///
    /// # Errors
    /// When git cannot read the commit.
    pub fn states(&self, hits: &[Hit]) -> Result<Vec<(State, Option<ObjectId>)>, GitError> {
        let Some(commit) = &self.commit else {
            return Ok(vec![(State::Uncommitted, None); hits.len()]);
        };
        let paths: Vec<&NotePath> = hits.iter().map(|hit| &hit.path).collect();
        let contents = self.git.contents_at(commit, &paths)?;
        let state = |(hit, content): (&Hit, Option<ObjectId>)| match content {
            None => (State::Uncommitted, None),
            Some(content) if self.is_same(&content, hit.blob) => (State::Committed, Some(content)),
            Some(content) => (State::Modified, Some(content)),
        };
        Ok(hits.iter().zip(contents).map(state).collect())
    }

    fn is_same(&self, content: &ObjectId, blob: BlobId) -> bool {
        match content.blob_id() {
            Some(id) => id == blob,
            // Git names content in another way here: compare the content itself.
            None => self.read(content).is_some_and(|bytes| BlobId::of(&bytes) == blob),
        }
    }

    fn read(&self, content: &ObjectId) -> Option<Vec<u8>> {
        self.objects.read(&[content], MOST_BYTES).pop()?.ok()
    }

    /// Who wrote the best lines of each hit. `None` where git cannot say.
    pub fn authors(&self, hits: &[Hit], snapshot: &Snapshot) -> Vec<Option<Author>> {
        let Ok(states) = self.states(hits) else { return vec![None; hits.len()] };
        hits.par_iter()
            .zip(states)
            .map(|(hit, (state, content))| self.author(hit, state, content, snapshot))
            .collect()
    }

    fn author(
        &self,
        hit: &Hit,
        state: State,
        content: Option<ObjectId>,
        snapshot: &Snapshot,
    ) -> Option<Author> {
        let lines = best_lines(hit);
        let (Some(commit), Some(content)) = (&self.commit, content) else {
            return Some(Author::Nobody);
        };
        let ranges = match state {
            State::Uncommitted | State::Stale => return Some(Author::Nobody),
            State::Committed => vec![lines],
            State::Modified => {
                let committed = searched(&self.read(&content)?);
                let text = text_of(snapshot, &hit.path)?;
                committed_lines(&committed, text.as_bytes(), lines)?
            }
        };
        if ranges.is_empty() {
            return Some(Author::Nobody);
        }
        let mut youngest: Option<Blame> = None;
        for range in ranges {
            for blame in self.git.blame(commit, &hit.path, range).ok()? {
                if youngest.as_ref().is_none_or(|found| found.time < blame.time) {
                    youngest = Some(blame);
                }
            }
        }
        youngest.map(Author::Commit)
    }
}

impl Author {
    /// Whether this is somebody whose name or address holds the text, without regard to case.
    pub fn is_called(&self, name: &str) -> bool {
        match self {
            Self::Nobody => false,
            Self::Commit(blame) => {
                let name = name.to_lowercase();
                let said = format!("{} <{}>", blame.author, blame.email).to_lowercase();
                said.contains(&name)
            }
        }
    }
}

/// First and last line in the file of what is shown of a hit.
fn best_lines(hit: &Hit) -> (usize, usize) {
    let shown = hit.text.get(hit.snippet.clone()).unwrap_or_default();
    (hit.line, hit.line + shown.trim_end().matches('\n').count())
}

/// The whole text of a note as it is searched.
fn text_of(snapshot: &Snapshot, path: &NotePath) -> Option<String> {
    let index = snapshot.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
    let Place::Document { segment, document } = snapshot.files.get(index)?.place else {
        return None;
    };
    let segment = &snapshot.parts.get(segment as usize)?.loaded.segment;
    let document = segment.document(document as usize).ok()?;
    segment.text(&document).ok().map(str::to_owned)
}

/// A committed note as it is searched: without comments and what else says nothing.
fn searched(committed: &[u8]) -> Vec<u8> {
    let said = |text: &str| {
        let document = markdown::parse(text).ok()?;
        Some(markdown::blanked(text, &markdown::unsaid(text, &document)).into_bytes())
    };
    let decoded = markdown::decode(committed).ok();
    decoded.and_then(|decoded| said(&decoded.text)).unwrap_or_else(|| committed.to_vec())
}

/// Where lines of the present text are in the committed one, as ranges; lines that are new are
/// nowhere.
fn committed_lines(
    committed: &[u8],
    present: &[u8],
    (first, last): (usize, usize),
) -> Option<Vec<(usize, usize)>> {
    let mut options = git2::DiffOptions::new();
    options.context_lines(0);
    let patch =
        git2::Patch::from_buffers(committed, None, present, None, Some(&mut options)).ok()?;
    let mut found: Vec<(usize, usize)> = Vec::new();
    for line in first..=last {
        // What the hunks above this line added or took away.
        let mut shift = 0i64;
        let mut is_new = false;
        for index in 0..patch.num_hunks() {
            let (hunk, _) = patch.hunk(index).ok()?;
            let (start, count) = (hunk.new_start() as usize, hunk.new_lines() as usize);
            if line >= start && line < start + count {
                is_new = true;
                break;
            }
            // A hunk that only takes lines away starts at the line before them.
            let above = if count == 0 { line > start } else { line >= start + count };
            if above {
                shift += i64::from(hunk.old_lines()) - count as i64;
            }
        }
        if is_new {
            continue;
        }
        let old = usize::try_from(line as i64 + shift).ok()?;
        match found.last_mut() {
            Some(range) if range.1 + 1 == old => range.1 = old,
            _ => found.push((old, old)),
        }
    }
    Some(found)
}

/// Notes whose text is not that of another version, by path and content: a note that was only
/// moved has not changed.
pub fn changed_notes(
    snapshot: &Snapshot,
    then: impl Iterator<Item = (NotePath, BlobId)>,
) -> FxHashSet<NotePath> {
    let blobs: FxHashSet<BlobId> = then.map(|(_, blob)| blob).collect();
    let files = snapshot.files.iter().filter(|file| !blobs.contains(&file.blob));
    files.map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(committed: &str, present: &str, lines: (usize, usize), found: &[(usize, usize)]) {
        let ranges = committed_lines(committed.as_bytes(), present.as_bytes(), lines).unwrap();
        assert_eq!(ranges, found, "{committed:?} {present:?} {lines:?}");
    }

    #[test]
    fn lines_are_followed_back_to_the_commit() {
        let committed = "a\nb\nc\nd\n";
        check(committed, committed, (2, 3), &[(2, 3)]);
        check(committed, "new\na\nb\nc\nd\n", (3, 4), &[(2, 3)]);
        check(committed, "new\na\nb\nc\nd\n", (1, 2), &[(1, 1)]);
        check(committed, "b\nc\nd\n", (1, 2), &[(2, 3)]);
        check(committed, "a\nB\nc\nd\n", (2, 2), &[]);
        check(committed, "a\nb\nnew\nc\nd\n", (2, 4), &[(2, 3)]);
        check(committed, "a\nd\n", (1, 2), &[(1, 1), (4, 4)]);
        check("", "a\n", (1, 1), &[]);
    }
}
