//! Which of the ranked chunks are listed: what says the same once, and no file before all others.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{
    Listing, Request, Score,
    language::Foreign,
    rank::CANDIDATES,
    scene::{ChunkId, Scene},
};
use crate::store::Malformed;
use elophanto_repo::NotePath;
use elophanto_text::markdown::Scope;

/// At most this many passages of one file come before those of other files.
const PASSAGES_PER_FILE: usize = 3;
/// From this cosine on, a user's note and a learned one speak of the same thing.
const SAME_SUBJECT: f32 = 0.8;
/// Folders of what others wrote.
const OF_OTHERS: &[&str] = &["vendor", "vendored", "third_party", "third-party", "node_modules"];
/// Folders that hold copies of what is written elsewhere, beside those.
const COPIES: &[&str] = &[
    "example", "examples", "fixtures", "testdata", "web", "website", "site", "www", "public",
    "static", "dist", "build", "out", "_build", "_site", "archive", "archived", "attic", "backup",
    "old", "copy", "copies", "mirror", "snapshots",
];

/// A chunk that is listed, its score, and how many like it are not.
pub type Chosen = (ChunkId, Score, usize);

impl Scene<'_> {
    /// Takes hits from the top: near-identical ones are counted with the first of them, which none of the
    /// `foreign` is where another is in the language of the question; a user's note comes before a learned one
    /// on the same subject, and no file crowds out the others.
    ///
    /// # Errors
    /// [`Malformed`] if a segment is damaged.
    pub fn choose(
        &self,
        ranked: Vec<(ChunkId, Score)>,
        foreign: &FxHashMap<ChunkId, Foreign>,
        request: &Request,
    ) -> Result<Vec<Chosen>, Malformed> {
        let ordered = self.users_first(self.collapsed(ranked, foreign, request)?)?;
        match request.listing {
            Listing::Passages => self.passages(ordered, request.limit),
            Listing::Files { places } => self.files(ordered, request.limit, places),
        }
    }

    /// How much the score of the best chunk is above that of the next file's best one; a copy of it
    /// is no other file.
    ///
    /// # Errors
    /// [`Malformed`] if a segment is damaged.
    pub fn lead(&self, ranked: &[(ChunkId, Score)], twin: f32) -> Result<f32, Malformed> {
        let Some((first, score)) = ranked.first() else { return Ok(0.0) };
        let path = self.path(*first)?;
        for (place, other) in &ranked[1..] {
            if self.path(*place)? != path && self.similarity(*first, *place) < twin {
                return Ok(score.total - other.total);
            }
        }
        Ok(score.total)
    }

    /// Enough of the best chunks to choose from, with those that say the same counted.
    fn collapsed(
        &self,
        ranked: Vec<(ChunkId, Score)>,
        foreign: &FxHashMap<ChunkId, Foreign>,
        request: &Request,
    ) -> Result<Vec<Chosen>, Malformed> {
        let mut kept: Vec<Chosen> = Vec::new();
        // Places of a file beyond those that are listed: copies of them are none either.
        let mut beyond: Vec<ChunkId> = Vec::new();
        let mut of_file: FxHashMap<&[u8], usize> = FxHashMap::default();
        // Some reserve, so that reordering and the share of a file have something to choose from.
        let wanted = request.limit.saturating_mul(3).max(CANDIDATES / 2);
        for (place, score) in ranked {
            let path = self.path(place)?;
            let is_enough = match request.listing {
                Listing::Passages => kept.len() >= wanted,
                Listing::Files { .. } => of_file.len() >= wanted,
            };
            if is_enough {
                break;
            }
            if let Listing::Files { places } = request.listing
                && of_file.get(path).is_some_and(|count| *count >= places)
            {
                if beyond.len() < CANDIDATES {
                    beyond.push(place);
                }
                continue;
            }
            let is_twin =
                |other: ChunkId| self.similarity(other, place) >= request.collapse_similarity;
            match kept.iter().position(|(other, _, _)| is_twin(*other)) {
                None if beyond.iter().any(|other| is_twin(*other)) => {}
                None => {
                    *of_file.entry(path).or_default() += 1;
                    kept.push((place, score, 0));
                }
                Some(index) => {
                    kept[index].2 += 1;
                    let [is_foreign, other] =
                        [place, kept[index].0].map(|place| foreign.contains_key(&place));
                    let stands_for = match is_foreign == other {
                        true => {
                            self.stands_for((place, &score), (kept[index].0, &kept[index].1))?
                        }
                        false => other && !self.is_elsewhere(),
                    };
                    if stands_for {
                        if let Some(count) = of_file.get_mut(self.path(kept[index].0)?) {
                            *count -= 1;
                        }
                        kept[index].0 = place;
                        *of_file.entry(path).or_default() += 1;
                    }
                }
            }
        }
        Ok(kept)
    }

    /// Whether of two chunks that say the same the first is the one to show: the user's own wording,
    /// else the one that is called what was asked for, else that of the more central file.
    fn stands_for(
        &self,
        (place, score): (ChunkId, &Score),
        (other, other_score): (ChunkId, &Score),
    ) -> Result<bool, Malformed> {
        // Of what lies elsewhere nobody says by the name of a file which one is shown.
        if self.is_elsewhere() {
            return Ok(false);
        }
        let (scope, other_scope) = (self.scope(place)?, self.scope(other)?);
        if scope != other_scope {
            return Ok(scope == Scope::User && other_scope == Scope::Learned);
        }
        if self.kind(place) != self.kind(other) {
            return Ok(false);
        }
        let is_called = |score: &Score| score.source_part > 0.0;
        if is_called(score) != is_called(other_score) {
            return Ok(is_called(score));
        }
        let path = |place| Ok::<_, Malformed>(NotePath::new(self.path(place)?));
        Ok(remoteness(path(place)?.as_path()) < remoteness(path(other)?.as_path()))
    }

    /// A user's note before the first learned one that is about the same; one that says otherwise than a
    /// better one right behind it.
    fn users_first(&self, kept: Vec<Chosen>) -> Result<Vec<Chosen>, Malformed> {
        let mut ordered: Vec<Chosen> = Vec::with_capacity(kept.len());
        for hit in kept {
            let mut place = ordered.len();
            if self.scope(hit.0)? == Scope::User {
                for (index, other) in ordered.iter().enumerate() {
                    if self.scope(other.0)? != Scope::Learned {
                        continue;
                    }
                    if self.similarity(other.0, hit.0) >= SAME_SUBJECT {
                        place = index;
                        break;
                    }
                    if self.is_contradicted(other.0, hit.0)? {
                        place = self.behind(&ordered, index, hit.0)?;
                        break;
                    }
                }
            }
            ordered.insert(place, hit);
        }
        Ok(ordered)
    }

    /// Where a note stands that says otherwise than the hit at `index`: behind it and the others that do,
    /// but where another passage of the note came before.
    fn behind(&self, ordered: &[Chosen], index: usize, note: ChunkId) -> Result<usize, Malformed> {
        let path = self.path(note)?;
        let mut place = index + 1;
        for (at, (other, ..)) in ordered.iter().enumerate() {
            if self.path(*other)? == path {
                return Ok(ordered.len());
            }
            if at == place && self.is_contradicted(ordered[index].0, *other)? {
                place += 1;
            }
        }
        Ok(place)
    }

    /// So many passages, the first few of each file before more of any.
    fn passages(&self, ordered: Vec<Chosen>, limit: usize) -> Result<Vec<Chosen>, Malformed> {
        let mut first = Vec::new();
        let mut later = Vec::new();
        let mut of_file: FxHashMap<&[u8], usize> = FxHashMap::default();
        for hit in ordered {
            let count = of_file.entry(self.path(hit.0)?).or_default();
            *count += 1;
            if *count <= PASSAGES_PER_FILE { first.push(hit) } else { later.push(hit) }
        }
        first.extend(later);
        first.truncate(limit);
        Ok(first)
    }

    /// So many files in the order of their best places, each with so many of these.
    fn files(
        &self,
        ordered: Vec<Chosen>,
        limit: usize,
        places: usize,
    ) -> Result<Vec<Chosen>, Malformed> {
        let mut files: Vec<Vec<Chosen>> = Vec::new();
        let mut numbers: FxHashMap<&[u8], usize> = FxHashMap::default();
        for hit in ordered {
            let next = files.len();
            let number = *numbers.entry(self.path(hit.0)?).or_insert(next);
            if number == next {
                files.push(Vec::new());
            }
            if files[number].len() < places {
                files[number].push(hit);
            }
        }
        files.truncate(limit);
        Ok(files.concat())
    }
}

/// How far a file is from where people look for the original: in a folder of copies, below many
/// folders, with a long name.
fn remoteness(path: &Path) -> (bool, usize, usize) {
    let folders = path.parent().into_iter().flat_map(Path::components).count();
    let is_copy = is_of_others(path) || is_below(path, COPIES);
    (is_copy, folders, path.as_os_str().len())
}

/// Whether a path is one of what others wrote, which lies here for use.
pub fn is_of_others(path: &Path) -> bool {
    is_below(path, OF_OTHERS)
}

fn is_below(path: &Path, folders: &[&str]) -> bool {
    path.parent().into_iter().flat_map(Path::components).any(|part| {
        let name = part.as_os_str().to_str();
        name.is_some_and(|name| folders.contains(&name.to_lowercase().as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn originals_are_nearer_than_copies() {
        // Each is more central than the one after it.
        let paths = [
            "guide.md",
            "docs/guide.md",
            "docs/guide-of-old.md",
            "docs/en/guide.md",
            "web/guide.md",
            "docs/Vendor/guide.md",
            "web/public/docs/guide.md",
        ];
        for pair in paths.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|path| remoteness(Path::new(path)));
            assert!(one < other, "{pair:?}: {one:?} {other:?}");
        }
        // A file is no folder, and a folder is known by its whole name.
        assert!(!remoteness(Path::new("docs/web")).0 && !remoteness(Path::new("webs/a.md")).0);
    }
}
