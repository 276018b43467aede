//! The whole work tree at one moment: what there is at each path, and where its content is kept.
//!
//! It is also the cache by which the next one is made: a file whose stat is the same is not read
//! again. Contents are objects of git, held by a commit under a ref of this work tree, but for those
//! of files that hold keys.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{
    CheckpointError, Checkpoints, MOST_IGNORED_BYTES, MOST_IGNORED_ENTRIES, Result, baseline_file,
    git_calls::{self, Contents, Holder},
    name::Name,
    private::{Private, is_private},
    record::{Place, Was},
    state::{Digest, Opaque, State},
    survey::{Moment, Survey},
};
use elophanto_base::{
    regular,
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_repo::{FileStat, ObjectId};

/// Largest file of a baseline, in bytes.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) state: State,
    /// Of files only.
    pub(super) stat: FileStat,
    /// The stat does not prove that the file is unchanged.
    pub(super) is_racy: bool,
    /// Of files only: where the content is kept.
    pub(super) place: Option<Place>,
}

impl Entry {
    /// What is no file, or a file of which nothing is known but its state.
    pub(super) fn plain(state: State) -> Self {
        Self { state, stat: FileStat::default(), is_racy: true, place: None }
    }

    /// Where git keeps the content.
    pub(super) fn blob(&self) -> Option<&ObjectId> {
        match &self.place {
            Some(Place::Blob(id)) => Some(id),
            _ => None,
        }
    }

    pub(super) fn is_private(&self) -> bool {
        self.place == Some(Place::Private)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Baseline {
    /// The commit that holds the contents.
    pub(super) commit: Option<ObjectId>,
    /// Contents that the commit holds without need.
    pub(super) extras: Vec<ObjectId>,
    /// Sorted by path.
    pub(super) entries: Vec<(Name, Entry)>,
}

impl Baseline {
    pub(super) fn get(&self, name: &Name) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|(other, _)| other.cmp(name)).ok()?;
        self.entries.get(at).map(|(_, entry)| entry)
    }

    /// Whether a work tree like this is so small that what git ignores of it need not be known.
    pub(super) fn is_little(&self) -> bool {
        let mut bytes = 0;
        let is_whole = self.entries.iter().all(|(_, entry)| {
            bytes += entry.stat.size;
            entry.state != State::Opaque(Opaque::TooMuch)
        });
        is_whole && self.entries.len() <= MOST_IGNORED_ENTRIES && bytes <= MOST_IGNORED_BYTES
    }

    /// How a later one differs from it.
    pub(super) fn difference(&self, later: &[(Name, Entry)]) -> Vec<Was> {
        let was = |path: &Name, entry: &Entry| Was {
            path: path.clone(),
            state: entry.state.clone(),
            place: entry.place.clone(),
        };
        let gone = |path: &Name| Was { path: path.clone(), state: State::Absent, place: None };
        let mut different = Vec::new();
        let mut known = self.entries.iter().peekable();
        for (name, entry) in later {
            while let Some((name, _)) = known.next_if(|(other, _)| other < name) {
                different.push(gone(name));
            }
            match known.next_if(|(other, _)| other == name) {
                Some((_, before)) if before.state == entry.state && before.place == entry.place => {
                }
                _ => different.push(was(name, entry)),
            }
        }
        different.extend(known.map(|(name, _)| gone(name)));
        different
    }

    /// It with such differences. What it says of their files needs to be looked at again.
    pub(super) fn with(mut self, different: &[Was]) -> Self {
        let mut entries: BTreeMap<Name, Entry> = self.entries.into_iter().collect();
        for Was { path, state, place } in different {
            if state.is_absent() {
                entries.remove(path);
            } else {
                let entry = Entry { place: place.clone(), ..Entry::plain(state.clone()) };
                entries.insert(path.clone(), entry);
            }
        }
        self.entries = entries.into_iter().collect();
        self
    }
}

/// The baseline that was taken last, if its contents are in git.
pub(super) fn last(at: &Checkpoints) -> Result<Option<Baseline>> {
    // Without the commit the contents may be gone.
    let held = elophanto_repo::reference(at.git, &reference(at))?;
    let last = load(&cache_file(at)).filter(|last| held.is_some() && held == last.commit);
    Ok(last.map(|mut last| {
        let private = private(at);
        for (_, entry) in last.entries.iter_mut().filter(|(_, entry)| entry.is_private()) {
            if let State::File { size, digest, .. } = entry.state
                && !private.holds(&digest, size)
            {
                *entry = Entry::plain(entry.state.clone());
            }
        }
        last
    }))
}

/// Takes a baseline and makes it durable: its contents in git, its entries in the file of this
/// work tree. `tidies`: contents that it does not need are let go of.
pub(super) fn take(at: &Checkpoints, moment: Moment, tidies: bool) -> Result<Baseline> {
    let (file, reference) = (cache_file(at), reference(at));
    let old = last(at)?.unwrap_or_default();
    let mut contents = Contents::new(at.git);
    let mut read = Vec::new();
    let private = private(at);
    let survey = Survey::of(at, &old, moment)?;
    let mut entries = survey.read(at.git.root(), &old, &mut |name, bytes| {
        if is_private(at, name.as_path()) {
            private.keep(&Digest::of(&bytes), &bytes)?;
            return Ok(Some(Place::Private));
        }
        read.push(name.clone());
        contents.add(bytes)?;
        Ok(None)
    })?;
    private.finish()?;
    let ids = contents.finish()?;
    for (name, id) in read.iter().zip(ids) {
        if let Ok(at) = entries.binary_search_by(|(other, _)| other.cmp(name)) {
            entries[at].1.place = Some(Place::Blob(id));
        }
    }
    let needed = |entries: &[(Name, Entry)]| -> BTreeSet<ObjectId> {
        entries.iter().filter_map(|(_, entry)| entry.blob().copied()).collect()
    };
    let mut extras: BTreeSet<ObjectId> = old.extras.iter().copied().collect();
    let mut commit = old.commit;
    if entries != old.entries || (tidies && !extras.is_empty()) || commit.is_none() {
        let (now, before) = (needed(&entries), needed(&old.entries));
        let is_new = |id: &&ObjectId| !before.contains(id) && !extras.contains(id);
        let added: Vec<ObjectId> = now.iter().filter(is_new).copied().collect();
        extras.extend(before.iter().copied());
        extras.retain(|id| !now.contains(id));
        let without: Vec<_> =
            if tidies { std::mem::take(&mut extras).into_iter().collect() } else { Vec::new() };
        if commit.is_none() || !added.is_empty() || !without.is_empty() {
            let with: Vec<_> = added.iter().map(|id| (held_as(id), *id)).collect();
            let without: Vec<_> = without.iter().map(held_as).collect();
            let holder = Holder {
                reference: &reference,
                message: b"contents of a work tree",
                time: 0,
                parents: &[],
                from: commit.as_ref(),
                without: &without,
                with: &with,
                file: None,
            };
            // A git that a killed run had started may set the ref at the same moment.
            let held =
                git_calls::hold(at.git, &holder).or_else(|_| git_calls::hold(at.git, &holder))?;
            let found = elophanto_repo::reference(at.git, &reference)?;
            if found != Some(held) {
                git_calls::hold(at.git, &holder)?;
            }
            commit = Some(held);
        }
    }
    let baseline = Baseline { commit, extras: extras.into_iter().collect(), entries };
    if baseline != old {
        save(&file, &baseline)?;
    }
    if tidies {
        let held = baseline.entries.iter().filter(|(_, entry)| entry.is_private());
        private.retain(&held.filter_map(|(_, entry)| entry.state.digest()).collect());
    }
    Ok(baseline)
}

/// What is kept of this work tree's files that hold keys.
pub(super) fn private(at: &Checkpoints) -> Private {
    Private::of(at, &owner(at))
}

/// Where the cache of this work tree lies.
pub(super) fn cache_file(at: &Checkpoints) -> PathBuf {
    at.folder.join(owner(at))
}

fn owner(at: &Checkpoints) -> String {
    format!("work-tree-{}", key(at))
}

/// Reads a baseline; `None` if it is not there or is damaged.
pub(super) fn load(file: &Path) -> Option<Baseline> {
    baseline_file::decode(&regular::read(file, MOST_BYTES).ok()?)
}

fn save(file: &Path, baseline: &Baseline) -> Result<()> {
    let bytes = baseline_file::encode(baseline);
    let written = write_whole(file, &bytes, PRIVATE, Synced::ContentAndName);
    written.map_err(CheckpointError::io(file, "written"))
}

fn reference(at: &Checkpoints) -> String {
    format!("{}{}", git_calls::BASELINES, key(at))
}

/// Names this work tree among those that share a repository.
fn key(at: &Checkpoints) -> String {
    key_of(at.git.git_dir())
}

fn key_of(git_dir: &Path) -> String {
    let git_dir = fs::canonicalize(git_dir).unwrap_or_else(|_| git_dir.into());
    let hash = blake3::hash(Name::from(&*git_dir).as_bytes()).to_hex();
    hash.as_str().chars().take(16).collect()
}

/// Forgets what was kept of work trees that are gone.
///
/// # Errors
/// When git cannot list or remove it.
pub(super) fn prune(at: &Checkpoints) -> Result<()> {
    // Before the work trees are listed: one that is new then has its folder already.
    let held = git_calls::references(at.git, git_calls::BASELINES)?;
    let common = at.git.common_dir();
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let all = [common.to_owned(), at.git.git_dir().to_owned()].into_iter();
    let live: BTreeSet<String> = all
        .chain(linked.map(|entry| entry.path()))
        .map(|git_dir| format!("{}{}", git_calls::BASELINES, key_of(&git_dir)))
        .collect();
    for (reference, _) in held.iter().filter(|(reference, _)| !live.contains(reference)) {
        git_calls::remove_reference(at.git, reference)?;
    }
    Ok(())
}

/// In folders, as one of thousands of files would be written anew for each change.
fn held_as(id: &ObjectId) -> String {
    let digits = id.to_string();
    let (folder, file) = digits.split_at(2);
    format!("{folder}/{file}")
}
