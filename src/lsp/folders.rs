//! Which knowledge base a file belongs to.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use lsp_types::Uri;

use super::uris::{path_of, uri_of};
use elophanto_app::{Environment, Error, editor::Editor};
use elophanto_base::{called::called, mutex::lock};

/// Knowledge bases that are kept open at once.
const MOST: usize = 16;
/// Folders that are not tried again.
const MOST_REFUSED: usize = 500;
/// Endings of the names of files for which a knowledge base is opened that has no settings of its own.
const NOTES: [&str; 4] = ["md", "markdown", "mdown", "mkd"];

/// A knowledge base, and what the editor calls its top.
#[derive(Clone)]
pub struct Folder {
    pub editor: Arc<Editor>,
    base: PathBuf,
}

impl Folder {
    /// The address of a file in it, by its path relative to the top.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        uri_of(&self.base.join(path))
    }

    /// The path of a file by its address, relative to the top; `None` if it lies elsewhere.
    pub fn path_of(&self, uri: &Uri) -> Option<String> {
        self.holds(&path_of(uri)?)
    }

    /// The same by its path.
    fn holds(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.base).or_else(|_| path.strip_prefix(&self.editor.root));
        below.ok()?.to_str().filter(|below| !below.is_empty()).map(str::to_owned)
    }
}

/// The knowledge bases of an editor.
pub struct Folders {
    environment: Environment,
    open: Mutex<Vec<Folder>>,
    /// Folders that could not be opened: why was said.
    refused: Mutex<HashSet<PathBuf>>,
}

impl Folders {
    pub fn new(environment: Environment) -> Self {
        Self { environment, open: Mutex::default(), refused: Mutex::default() }
    }

    /// All that are open.
    pub fn all(&self) -> Vec<Folder> {
        lock(&self.open).clone()
    }

    /// Opens the knowledge base around a folder, unless it is; names of its notes are read beside.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened: said once.
    pub fn open(&self, folder: &Path) -> Result<Folder, Option<Error>> {
        if lock(&self.refused).contains(folder) {
            return Err(None);
        }
        let opened = Editor::open(folder, &self.environment).map_err(|error| {
            let mut refused = lock(&self.refused);
            if refused.len() >= MOST_REFUSED {
                refused.clear();
            }
            refused.insert(folder.to_owned());
            Some(error)
        })?;
        let mut all = lock(&self.open);
        if let Some(known) = all.iter().find(|known| known.editor.root == opened.root) {
            return Ok(known.clone());
        }
        let base = called(folder, &opened.root);
        let folder = Folder { editor: Arc::new(opened), base };
        all.push(folder.clone());
        if all.len() > MOST {
            all.remove(0);
        }
        Ok(folder)
    }

    /// Closes the knowledge base around a folder.
    pub fn close(&self, folder: &Path) {
        let canonical = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        lock(&self.open).retain(|known| !canonical.starts_with(&known.editor.root));
        lock(&self.refused).remove(folder);
    }

    /// Forgets what could not be opened: it may be mended.
    pub fn try_again(&self) {
        lock(&self.refused).clear();
    }

    /// The knowledge base of a file, and the file's path in it. One that lies in no open folder is
    /// looked for around the file: around source code, only where somebody has made one.
    pub fn of(&self, uri: &Uri) -> Option<(Folder, String)> {
        let path = path_of(uri)?;
        let known = || {
            let all = lock(&self.open);
            let holding =
                all.iter().filter_map(|folder| Some((folder.clone(), folder.holds(&path)?)));
            // Of one within another, the inner one.
            holding.min_by_key(|(_, below)| below.len())
        };
        if let Some(found) = known() {
            return Some(found);
        }
        let above = path.parent().filter(|above| above.is_dir())?;
        let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_note = NOTES.iter().any(|note| note.eq_ignore_ascii_case(ending));
        if !is_note && !above.ancestors().any(|it| it.join(".elophanto").is_dir()) {
            return None;
        }
        let folder = self.open(above).ok()?;
        // A link in its path may lead elsewhere.
        let real = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        let below = folder.holds(&path).or_else(|| folder.holds(&real()?))?;
        Some((folder, below))
    }
}
