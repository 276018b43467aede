//! What programs in the sandbox see of the repository's git: its settings without credentials, its
//! history without the contents of key files, and nothing of what elophanto keeps beside it.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use tempfile::NamedTempFile;
use walkdir::WalkDir;

use super::credentials;
use crate::permissions::{KEY_DRIVER, key_attributes};
use elophanto_base::{
    mutex::lock,
    regular,
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_repo::{FileStat, Git, Repository};

/// The file of attributes, in the folder of the user's own state.
const ATTRIBUTES: &str = "attributes";
/// Bytes of a file of settings; of a larger one nothing is shown.
const MOST_CONFIG: u64 = 1024 * 1024;
/// Files and folders that are looked at for settings of submodules.
const MOST_ENTRIES: usize = 20_000;
/// What lies in a git directory and is large.
pub(super) const LARGE: [&str; 5] = ["objects", "refs", "logs", "hooks", "lfs"];

/// What one repository is shown as.
pub struct GitView {
    git: Option<Git>,
    /// Its git directory, and that which all work trees share.
    folders: BTreeSet<PathBuf>,
    /// What elophanto keeps: no program reads it.
    own: BTreeSet<PathBuf>,
    /// What git is told of files that hold keys.
    attributes: Option<PathBuf>,
    /// Of files of settings, what is shown instead, if they hold credentials.
    known: Mutex<HashMap<PathBuf, (FileStat, Option<String>)>>,
}

/// A file that is shown as another one, as long as this lives.
pub struct Shown {
    pub path: PathBuf,
    pub with: NamedTempFile,
}

impl GitView {
    /// The view of a repository; `state` is the folder of the user's own state.
    pub fn of(repository: &Repository, state: Option<&Path>) -> Self {
        let folders = [&repository.git_dir, &repository.common_dir].into_iter().flatten();
        let folders: BTreeSet<PathBuf> = folders.cloned().collect();
        Self {
            git: Git::of(repository),
            own: folders.iter().map(|folder| folder.join("elophanto")).collect(),
            folders,
            attributes: state.map(|folder| folder.join(ATTRIBUTES)),
            known: Mutex::default(),
        }
    }

    /// Git directories outside of the work tree, as a linked one has, and what git is told: read,
    /// never written.
    pub fn read(&self, root: &Path) -> Vec<PathBuf> {
        let folders = self.folders.iter().filter(|folder| !folder.starts_with(root));
        folders.chain(&self.attributes).cloned().collect()
    }

    /// What is not read at all. It is made if it is not there, so that nobody makes it meanwhile.
    pub fn hidden(&self) -> impl Iterator<Item = PathBuf> {
        self.own.iter().map(|folder| {
            let _ = fs::create_dir_all(folder);
            folder.clone()
        })
    }

    /// Files of settings that hold credentials, each with a copy that holds none: of this
    /// repository, of its submodules, and of those whose folders these are.
    ///
    /// # Errors
    /// When no copy can be made: then nothing is to be run.
    pub fn covered(&self, repositories: &[PathBuf]) -> io::Result<Vec<Shown>> {
        let mut covered = Vec::new();
        for path in self.configs(repositories) {
            if let Some(text) = self.without_credentials(&path) {
                let mut with = NamedTempFile::new()?;
                with.write_all(text.as_bytes())?;
                with.flush()?;
                covered.push(Shown { path, with });
            }
        }
        Ok(covered)
    }

    fn without_credentials(&self, path: &Path) -> Option<String> {
        let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let stat = FileStat::from(&found);
        let mut known = lock(&self.known);
        if let Some((_, shown)) = known.get(path).filter(|(seen, _)| *seen == stat) {
            return shown.clone();
        }
        let shown = match self.git.as_ref().filter(|_| found.len() <= MOST_CONFIG) {
            Some(git) => credentials::without(git, path),
            None => Some(String::new()),
        };
        known.insert(path.to_owned(), (stat, shown.clone()));
        shown
    }

    /// Everything that git may read settings from, and older versions of it beside.
    fn configs(&self, repositories: &[PathBuf]) -> BTreeSet<PathBuf> {
        let is_config = |path: &Path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("config"))
        };
        let files_in = |folder: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| is_config(path)).collect()
        };
        let mut configs: BTreeSet<PathBuf> = BTreeSet::new();
        for folder in &self.folders {
            configs.extend(files_in(folder));
            for name in ["modules", "worktrees"] {
                let walk = WalkDir::new(folder.join(name)).into_iter();
                let walk =
                    walk.filter_entry(|it| !LARGE.iter().any(|name| it.file_name() == *name));
                let files = walk.take(MOST_ENTRIES).filter_map(Result::ok);
                let files = files.filter(|it| it.file_type().is_file() && is_config(it.path()));
                configs.extend(files.map(|it| it.into_path()));
            }
        }
        for folder in repositories {
            configs.extend(files_in(&folder.join(".git")));
            if folder.join("HEAD").exists() {
                configs.extend(files_in(folder));
            }
        }
        configs
    }

    /// Variables that keep git from showing what was committed of files that hold keys. Best
    /// effort, as where nothing can be written: what a program says is looked through as well.
    pub fn variables(&self) -> Vec<(String, String)> {
        let Some(attributes) = &self.attributes else { return Vec::new() };
        let text = key_attributes();
        if regular::read(attributes, text.len() as u64).ok().as_deref() != Some(text.as_bytes())
            && let Some(folder) = attributes.parent()
        {
            let _ = fs::create_dir_all(folder)
                .and_then(|()| write_whole(attributes, text.as_bytes(), PRIVATE, Synced::Nothing));
        }
        let settings = [
            ("core.attributesFile".to_owned(), attributes.to_string_lossy().into_owned()),
            // For patches of the history, and for those of the work tree, which a program of the
            // user's may make.
            (format!("diff.{KEY_DRIVER}.binary"), "true".to_owned()),
            (format!("diff.{KEY_DRIVER}.command"), "true".to_owned()),
        ];
        let mut variables = vec![("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string())];
        for (number, (key, value)) in settings.into_iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{number}"), key));
            variables.push((format!("GIT_CONFIG_VALUE_{number}"), value));
        }
        variables
    }
}
