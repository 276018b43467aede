//! Taking the text of a lesson out of everything of this work tree, for a secret that got into it, and
//! finding what git's history still holds of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Memories, Records,
    records::{MOST_CANDIDATES, begins},
};
use crate::{Error, Result, on_commit::Along, reporter::Reporter, when::day};
use elophanto_base::{counted::counted, visible::escape_control_line};
use elophanto_index::{note::key, store::cache};
use elophanto_knowledge::memory::{Entry, Memory, parse_file, passage, repo_below};
use elophanto_models::{Embedder, builtin::Builtin};
use elophanto_repo::{Brought, Git, ObjectId, Version};

/// How long git may take to go through a history.
const PATIENCE: Duration = Duration::from_secs(120);
/// Largest file of lessons, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A commit that brought the text into git's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Held {
    /// The full id.
    pub commit: String,
    /// The day of the commit, in UTC.
    pub date: String,
    /// The file that it brought the text in, relative to the root.
    pub path: String,
    /// Branches and other refs whose history holds it, by their full names; none: only the reflog
    /// knows it.
    pub refs: Vec<String>,
    /// Whether a branch of a remote holds it, as far as this clone knows.
    pub pushed: bool,
}

/// What is to be taken out.
#[derive(Debug)]
pub struct Wiping {
    /// All records of the lesson, whether or not a file still holds them.
    pub ids: Vec<String>,
    /// The records that files hold.
    records: Vec<Memory>,
    repo: String,
    /// Where they stand: file (as the user knows it) and line.
    pub places: Vec<(String, usize)>,
    /// Such places in files of other programs, which are left alone.
    pub foreign: Vec<(String, usize)>,
    /// Whether a record is not taken back yet.
    is_live: bool,
    /// What git's own history holds of it, which stays.
    pub history: History,
}

/// What git's history holds.
#[derive(Debug, Default)]
pub struct History {
    /// The newest first.
    pub held: Vec<Held>,
    /// Ids that stand in these contents as they are; of a record without one nothing does.
    pub ids: BTreeSet<String>,
    /// Whether git's index holds it: what the next commit would hold.
    pub is_staged: bool,
    /// Contents of the history that could not be read, as in a partial clone.
    pub unread: usize,
    /// The records as they were.
    records: Vec<Memory>,
}

/// What was taken out.
#[derive(Debug)]
pub struct Wiped {
    /// Files that no longer hold it, as the user knows them.
    pub files: BTreeSet<String>,
    /// Lines that were taken out.
    pub records: usize,
}

impl Wiping {
    /// The question that is asked before anything is written.
    pub fn question(&self) -> String {
        let files: BTreeSet<&String> = self.places.iter().map(|(path, _)| path).collect();
        let (records, files) = (counted(self.places.len(), "record"), counted(files.len(), "file"));
        format!("Take {records} out of {files}, for good?")
    }

    /// Whether somebody is to be asked: a record goes, or the lesson is taken back. The index and the
    /// cache, which may hold what no file does any more, are made anew in any case.
    pub fn asks(&self) -> bool {
        self.is_live || !self.places.is_empty()
    }
}

impl History {
    /// Commands that take it out of the history, all of it, with the other lessons left as they are;
    /// none if there is nothing to purge.
    pub fn purge(&self) -> Vec<String> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let plain = self.ids.iter().filter(|id| is_plain(id));
        let ids: Vec<String> = plain.map(|id| format!(r#"b"{id}""#)).collect();
        let mut commands = Vec::new();
        if !ids.is_empty() {
            // Whatever else is written on other lines stays as it is.
            let kept = r#"not any(b"\"id\":\"" + id + b"\"" in line.replace(b"\": \"", b"\":\"")"#;
            let ids = ids.join(", ");
            commands.push(format!(
                r#"git filter-repo --force --blob-callback 'blob.data = b"".join(line for line in blob.data.splitlines(True) if {kept} for id in [{ids}]))'"#
            ));
        }
        if ids.len() < self.ids.len() || ids.is_empty() {
            commands.push("git filter-repo --force --replace-text FILE".to_owned());
        }
        commands
    }
}

impl Memories<'_> {
    /// What there is of a lesson, by its id or the beginning of one: in files, and in git's history. A
    /// lesson that was forgotten or corrected is one, too.
    ///
    /// # Errors
    /// When there is no such lesson, or more than one; or the history cannot be read.
    pub fn wiping(&self, id: &str, reporter: &dyn Reporter) -> Result<Wiping> {
        let records = self.records(reporter);
        let id = any(&records, id)?;
        let ids: Vec<String> =
            records.folded.lineage.lesson(id).records.iter().map(|&id| id.to_owned()).collect();
        let (mut held, mut places, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
        let mut repo = None;
        for found in &self.files.list().files {
            let path = self.shown(&found.path).to_string_lossy().into_owned();
            for (line, entry) in self.files.read(found)?.entries {
                let Entry::Memory(memory) = entry else { continue };
                if !ids.contains(&memory.id) {
                    continue;
                }
                let kept = if self.files.is_ours(found) { &mut places } else { &mut foreign };
                kept.push((path.clone(), line));
                repo.get_or_insert_with(|| memory.repo.clone());
                held.push(memory);
            }
        }
        let is_live = ids.iter().any(|id| !records.folded.retired.contains_key(id));
        let history = self.history_of(&ids)?;
        let repo = repo.unwrap_or_else(|| self.own.clone());
        Ok(Wiping { ids, records: held, repo, places, foreign, is_live, history })
    }

    /// Takes it out of the files, the index and the cache of vectors. All clones that still have it are
    /// told to forget it.
    ///
    /// # Errors
    /// When a file cannot be written, or the index cannot be made anew.
    pub fn wipe(&self, wiping: &Wiping, agent: Option<&str>) -> Result<Wiped> {
        if wiping.is_live {
            let ids: Vec<&str> = wiping.ids.iter().map(String::as_str).collect();
            self.retire(&wiping.repo, &ids, None, &self.agent(agent))?;
        }
        if let Some(along) = Along::of(&self.workspace.repository) {
            along.forget()?;
        }
        self.drop_copies(wiping.ids.iter().map(String::as_str))?;
        let mut wiped = Wiped { files: BTreeSet::new(), records: 0 };
        for id in &wiping.ids {
            let Some(removed) = self.files.remove_line(id)? else { continue };
            wiped.records += removed.lines;
            let files = removed.files.iter().map(|path| self.shown(path));
            wiped.files.extend(files.map(|path| path.to_string_lossy().into_owned()));
        }
        let active = self.workspace.models.active().fingerprint();
        let keys: BTreeSet<_> = wiping
            .records
            .iter()
            .chain(&wiping.history.records)
            .map(passage)
            .flat_map(|text| [key(active, &text), key(Builtin.fingerprint(), &text)])
            .collect();
        let folder = self.workspace.repository.vectors_dir();
        if folder.is_dir() {
            cache::prune(&folder, |key| !keys.contains(key))?;
        }
        // Segments never change: those that hold the text go only where all are made anew.
        self.refreshed(true)?;
        Ok(wiped)
    }

    /// What git's history holds of records, wherever their files lay.
    fn history_of(&self, ids: &[String]) -> Result<History> {
        let mut history = History::default();
        let Some(repository) = &self.tracked_by else { return Ok(history) };
        let Some(git) = Git::of(repository).map(|git| git.with_timeout(PATIENCE)) else {
            return Ok(history);
        };
        let folder = self.files.folder();
        let Ok(folder) = folder.strip_prefix(&repository.root) else { return Ok(history) };
        let brought = git.brought_below(folder)?;
        let staged = git.list(&Version::Staged, &[folder])?;
        let mut contents: BTreeMap<ObjectId, &Path> =
            brought.iter().map(|it| (it.content, it.path.as_path())).collect();
        let staged: Vec<(ObjectId, &Path)> =
            staged.iter().map(|file| (file.object, file.path.as_path())).collect();
        contents.extend(staged.iter().copied());
        let wanted: Vec<&ObjectId> = contents.keys().collect();
        let mut holding = BTreeSet::new();
        for (id, content) in wanted.iter().zip(git.objects().read(&wanted, MOST_BYTES)) {
            let Ok(content) = content else {
                history.unread += 1;
                continue;
            };
            let below = contents[*id].strip_prefix(folder).unwrap_or(contents[*id]);
            for (_, entry) in parse_file(&content, &repo_below(below)).entries {
                if let Entry::Memory(memory) = entry
                    && ids.contains(&memory.id)
                {
                    holding.insert(**id);
                    if !history.records.contains(&memory) {
                        history.records.push(memory.clone());
                    }
                    let text = String::from_utf8_lossy(&content);
                    if text.contains(&format!("\"{}\"", memory.id)) {
                        history.ids.insert(memory.id);
                    }
                }
            }
        }
        history.is_staged = staged.iter().any(|(id, _)| holding.contains(id));
        let mut refs: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for Brought { commit, committed, path, content } in &brought {
            if !holding.contains(content) {
                continue;
            }
            if !refs.contains_key(commit) {
                refs.insert(*commit, git.refs_with(commit)?);
            }
            let refs = refs[commit].clone();
            let held = Held {
                commit: commit.to_string(),
                date: day(*committed),
                path: path.to_text(),
                pushed: refs.iter().any(|name| name.starts_with("refs/remotes/")),
                refs,
            };
            if !history.held.contains(&held) {
                history.held.push(held);
            }
        }
        Ok(history)
    }
}

/// The whole id of any lesson, of one that was forgotten or corrected too.
fn any<'r>(records: &'r Records, id: &str) -> Result<&'r str> {
    let folded = &records.folded;
    let counting = folded.memories.iter().map(|memory| &memory.id);
    let gone = folded.retired.keys().chain(folded.replaced.keys()).chain(folded.in_vain.keys());
    let known: BTreeSet<&str> = counting.chain(gone).map(String::as_str).collect();
    if let Some(whole) = known.get(id) {
        return Ok(whole);
    }
    let found: Vec<&str> = known.into_iter().filter(|it| begins(it, id)).collect();
    let Some(first) = found.first() else { return records.find(id).map(|memory| &*memory.id) };
    // Whichever of its records is named, it is one lesson.
    let lesson = folded.lineage.lesson(first).records;
    if found.iter().all(|it| lesson.contains(it)) {
        return Ok(first);
    }
    let (count, id) = (found.len(), escape_control_line(id));
    let message =
        format!("{count} lessons, forgotten ones too, have an id that begins with `{id}`");
    let shown = found.iter().take(MOST_CANDIDATES).map(|it| escape_control_line(it));
    Err(Error::new(message)
        .hint(format!("give more of it: {}", shown.collect::<Vec<_>>().join(", "))))
}

/// Whether an id may stand in a command as it is.
fn is_plain(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'))
}
