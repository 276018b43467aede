//! What agents remember, opened for a command: where it lies, writing, recalling.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;

use super::super::{error::CliError, search_view::embed_few, workspace::Workspace};
use crate::{
    index::{Options, Refreshed, form::Form, refresh},
    memory::{Draft, Entry, Files, Means, Memory, Question, Recalled, Retired, recall, repo_name},
    repo::{Repository, is_tracked, locate, remote_url},
    search::SearchError,
    secrets,
};

/// A question waits this long for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);

/// The memory of a knowledge base.
pub struct Memories<'a> {
    pub workspace: &'a Workspace,
    /// The name that this repository's own records bear.
    pub own: String,
    pub files: Files,
    /// What the paths of the files are relative to.
    root: PathBuf,
    /// The repository that tracks the files, if any.
    tracked_by: Option<Repository>,
}

/// What was written down.
pub struct Remembered {
    pub memory: Memory,
    /// Relative to the root, or absolute if it lies outside of it.
    pub path: PathBuf,
    /// Secrets that were masked in it.
    pub masked: usize,
}

impl<'a> Memories<'a> {
    pub fn open(workspace: &'a Workspace) -> Self {
        let repository = &workspace.repository;
        let name = repository.root.file_name().unwrap_or_default().to_string_lossy();
        let own = repo_name(remote_url(repository).as_deref(), &name);
        let form = workspace.memory_form();
        let folder = form.folder.as_ref().map_or(form.root.clone(), |below| form.root.join(below));
        let tracked_by = match &form.folder {
            Some(_) => Some(repository.clone()),
            // The parent's: the folder itself is made by the first record.
            None => folder.ancestors().find(|it| it.is_dir()).and_then(|it| locate(it).ok()),
        };
        let files = match &tracked_by {
            Some(_) if form.folder.is_some() => Files::of_repository(repository),
            Some(repository) if repository.git_dir.is_some() => {
                Files::new(folder, repository.local_dir().join("memory.lock"))
            }
            _ => {
                let lock = folder.join(".lock");
                Files::new(folder, lock)
            }
        };
        Self { workspace, own, files, root: form.root.clone(), tracked_by }
    }

    fn form(&self) -> &'a Form {
        self.workspace.memory_form()
    }

    /// Writes a record down; once this returns it is on disk.
    ///
    /// # Errors
    /// When it is no record, or cannot be written.
    pub fn remember(&self, mut draft: Draft, now: Timestamp) -> Result<Remembered, CliError> {
        let mut masked = 0;
        for text in [&mut draft.context, &mut draft.command, &mut draft.lesson] {
            let (safe, found) = secrets::mask(text);
            if found > 0 {
                *text = safe.into_owned();
                masked += found;
            }
        }
        let memory = draft.finish(now)?;
        let path = self.append(&memory.repo, Entry::Memory(memory.clone()), now)?;
        Ok(Remembered { memory, path, masked })
    }

    /// Takes a record back, in every clone.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn forget(&self, memory: &Memory, agent: &str, now: Timestamp) -> Result<(), CliError> {
        let retired = Retired {
            id: ulid::Ulid::new().to_string(),
            timestamp: now,
            agent_id: agent.to_owned(),
            repo: memory.repo.clone(),
            retired: memory.id.clone(),
        };
        self.append(&memory.repo, Entry::Retired(retired), now).map(drop)
    }

    fn append(&self, repo: &str, entry: Entry, now: Timestamp) -> Result<PathBuf, CliError> {
        let tracked = |file: &Path| match &self.tracked_by {
            None => Ok(false),
            Some(repository) => {
                let path = file.strip_prefix(&repository.root).unwrap_or(file);
                is_tracked(repository, path).map_err(io::Error::other)
            }
        };
        let path = self.files.append(repo, &[entry], now, &tracked)?;
        let below = path.strip_prefix(&self.workspace.repository.root).map(Path::to_owned);
        Ok(below.unwrap_or(path))
    }

    /// The records that answer a question best.
    ///
    /// # Errors
    /// When the view cannot be read and not be made anew.
    pub fn recall(&self, question: &Question) -> Result<Vec<Recalled>, CliError> {
        let workspace = self.workspace;
        let mut full = false;
        loop {
            let refreshed = self.refreshed(full)?;
            let is_asked = !question.text.trim().is_empty();
            if is_asked && workspace.models.is_behind(&refreshed.report, workspace) {
                continue;
            }
            let means = Means {
                analyzer: &workspace.analyzer,
                embedder: workspace.models.active(),
                profile: workspace.models.profile(),
            };
            match recall(&refreshed.snapshot, question, &means) {
                Err(SearchError::Damaged) if !full => full = true,
                Err(SearchError::Embed(cause))
                    if workspace.models.cannot_answer(&cause, workspace) => {}
                found => return Ok(found?),
            }
        }
    }

    /// The index of all records, brought up to date.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn refreshed(&self, full: bool) -> Result<Refreshed, CliError> {
        let context = self.workspace.context();
        let context = context.of(self.form());
        let again = |full| {
            let options = Options { full, patience: Some(PATIENCE), progress: &|_, _| {} };
            refresh(&context, options)
        };
        let refreshed = again(full)?;
        if embed_few(&context, &refreshed) { Ok(again(false)?) } else { Ok(refreshed) }
    }

    /// A path as the user knows it.
    pub fn shown(&self, path: &Path) -> PathBuf {
        let absolute = self.root.join(path);
        let below = absolute.strip_prefix(&self.workspace.repository.root).map(Path::to_owned);
        below.unwrap_or(absolute)
    }
}
