//! Pages that say what an agent is to do: those about the knowledge base itself and about its user,
//! `system` and `user` below the folder that notes are written to, and the instructions that repositories
//! have for agents, in whatever folder. An agent obeys such a page if the user trusted exactly what it
//! says; any other is text of whoever wrote it, as a clone brings it along.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::{
    config::{Config, StoreError, TrustEntry, TrustStore, digest},
    environment::Environment,
};
use elophanto_repo::{NotePath, read_note, walk_files};
use elophanto_text::changelog;

/// Their folders.
const FOLDERS: [&str; 2] = ["system", "user"];
/// Names of files that hold instructions for what lies in their folder and below.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Files of instructions that are looked at in one repository.
const MOST_INSTRUCTIONS: usize = 500;
/// Files and folders that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// Where such pages lie, relative to the root.
pub fn folders(write_root: &Path) -> [PathBuf; 2] {
    let write_root = write_root.strip_prefix(".").unwrap_or(write_root);
    FOLDERS.map(|folder| write_root.join(folder))
}

/// Whether a file holds instructions for the folder that it lies in.
pub(crate) fn is_instructions(path: &Path) -> bool {
    path.file_name().is_some_and(|name| INSTRUCTIONS.iter().any(|it| name == *it))
}

/// The pages of one repository, and which of them are trusted.
pub struct Pages {
    root: PathBuf,
    folders: [PathBuf; 2],
    /// Made from commits, which anybody may have made: never obeyed.
    made: [PathBuf; 2],
    extensions: Vec<String>,
    most_bytes: u64,
    environment: Environment,
    /// One that cannot be relied on trusts nothing.
    store: Result<TrustStore, StoreError>,
}

/// What the user said of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// They trust it as it is.
    Given,
    /// They trusted something else that it said.
    Changed,
    /// They said nothing of it.
    Missing,
}

/// A page as it is.
#[derive(Debug, Clone)]
pub struct Page {
    /// Relative to the root.
    pub path: PathBuf,
    /// All of it.
    pub bytes: Vec<u8>,
    /// What the user said of it.
    pub trust: Trust,
}

impl Pages {
    /// Reads what is trusted.
    pub fn open(root: &Path, config: &Config, environment: &Environment) -> Self {
        let knowledge = &config.knowledge;
        Self {
            root: root.to_owned(),
            folders: folders(&knowledge.write_root),
            made: [
                changelog::folder(&knowledge.write_root),
                changelog::page(&knowledge.write_root),
            ],
            extensions: knowledge.extensions.clone(),
            most_bytes: knowledge.max_file_bytes,
            environment: environment.clone(),
            store: TrustStore::open_for(root, environment.variables()),
        }
    }

    /// Whether such a page could lie at a path, relative to the root.
    fn holds(&self, path: &Path) -> bool {
        let below = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        is_instructions(path) || below(&self.folders) && !below(&self.made)
    }

    /// The same of a file that is named as a note is.
    pub(crate) fn is_page(&self, path: &Path) -> bool {
        let extension = path.extension().unwrap_or_default();
        let is_known = |known: &String| extension.eq_ignore_ascii_case(known.as_str());
        self.holds(path) && self.extensions.iter().any(is_known)
    }

    /// What the user said of a page that says this.
    pub fn trust(&self, path: &Path, bytes: &[u8]) -> Trust {
        let Ok(store) = self.store.as_ref() else { return Trust::Missing };
        let name = name(path);
        if !self.holds(path) {
            Trust::Missing
        } else if store.trusts(&self.root, &name, bytes) {
            Trust::Given
        } else if store.entries().any(|it| it.root == self.root && it.file == name) {
            Trust::Changed
        } else {
            Trust::Missing
        }
    }

    /// A page at a path, relative to the root; `None` if there is none that can be read.
    pub fn read(&self, path: &Path) -> Option<Page> {
        let (bytes, _) = read_note(&self.root, &NotePath::from(path), self.most_bytes).ok()?;
        let trust = self.trust(path, &bytes);
        Some(Page { path: path.to_owned(), bytes, trust })
    }

    /// Instructions in all folders but ignored ones, outer folders first.
    pub fn instructions(&self) -> Vec<Page> {
        let (found, _) = walk_files(&self.root, &[PathBuf::from(".")], is_instructions, |_| true);
        let mut paths: Vec<PathBuf> =
            found.into_iter().map(|it| it.path.as_path().to_owned()).collect();
        paths.sort_by_cached_key(|path| (path.components().count(), path.clone()));
        paths.iter().take(MOST_INSTRUCTIONS).filter_map(|path| self.read(path)).collect()
    }

    /// All pages, sorted by path.
    pub fn all(&self) -> Vec<Page> {
        let walk = |folder: &PathBuf| {
            let walk = WalkDir::new(self.root.join(folder)).sort_by_file_name();
            walk.into_iter().take(MOST_ENTRIES).filter_map(Result::ok)
        };
        let files = self.folders.iter().flat_map(walk).filter(|it| it.file_type().is_file());
        let paths =
            files.filter_map(|it| Some(it.path().strip_prefix(&self.root).ok()?.to_owned()));
        let paths = paths.filter(|path| self.is_page(path) && !is_instructions(path));
        let mut pages: Vec<Page> = paths.filter_map(|path| self.read(&path)).collect();
        pages.extend(self.instructions());
        pages.sort_by(|one, two| one.path.cmp(&two.path));
        pages
    }

    /// Trusts exactly what these pages say; what they said before no longer is.
    ///
    /// # Errors
    /// When that cannot be kept in the user's own folder.
    pub fn record<'p>(
        &self,
        pages: impl IntoIterator<Item = (&'p Path, &'p [u8])>,
    ) -> Result<usize, StoreError> {
        let entry =
            |(path, bytes): (&Path, &[u8])| TrustEntry::now(digest(bytes), name(path), &self.root);
        let entries: Vec<TrustEntry> = pages.into_iter().map(entry).collect();
        if entries.is_empty() {
            return Ok(0);
        }
        TrustStore::open_for(&self.root, self.environment.variables())?.record_newest(entries)
    }
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
