//! Writing down what a commit brings: the entries of the changelog.
//!
//! Everything is made from staged contents and staged at once; the same bytes are put into the
//! work tree. Only new files are made, so nothing that git knew before is touched: the page that
//! gathers the entries is written when a user asks for it.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::{CommitError, NoteChange, attempt::Attempt, seen::Seen, skipped::skipped};
use elophanto_index::Context;
use elophanto_repo::{
    BlobId, CommitId, Git, GitError, NotePath, ObjectId, Objects, Staged, Stored, Version,
    WriteError, read_note, remove_beneath, write_beneath,
};
use elophanto_text::{
    changelog::{self, Change, ChangeKind, Entry, Touched, describe, name_parts},
    markdown::Scope,
};

/// How many entries were written.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) written: usize,
    /// Those of them that are of earlier commits.
    pub(super) earlier: usize,
}

/// Writes and stages the entries for this commit, whose first parent is `head`, and for those before it that
/// have none.
///
/// # Errors
/// When git cannot be read, or an entry cannot be written; nothing is changed then.
pub(super) fn record(
    context: &Context,
    git: &Git,
    objects: &Objects,
    head: Option<CommitId>,
    amends: bool,
    found: &[NoteChange],
    now: i64,
) -> Result<Recorded, CommitError> {
    let folder = changelog::folder(context.write_root);
    let listed = |version| git.list(&version, &[folder.as_path()]);
    let committed = head.map(|head| listed(Version::Commit(head))).transpose()?;
    let teller = Teller { context, objects };
    let staged = listed(Version::Staged)?;
    let committed = committed.unwrap_or_default();
    Entries { teller, git, head, amends, folder, staged, committed }.record(found, now)
}

/// The folder of the entries, as a commit finds it.
struct Entries<'a> {
    teller: Teller<'a>,
    git: &'a Git,
    head: Option<CommitId>,
    amends: bool,
    folder: PathBuf,
    staged: Vec<Stored>,
    committed: Vec<Stored>,
}

impl Entries<'_> {
    fn record(&self, found: &[NoteChange], now: i64) -> Result<Recorded, CommitError> {
        let date = jiff::Timestamp::from_second(now)
            .map(|time| time.to_zoned(jiff::tz::TimeZone::system()).date())
            .unwrap_or_default();
        let mut unseen = self.unseen()?;
        // What an attempt that came to nothing has left is made anew.
        let given_up = Attempt::read(self.git).entry.filter(|entry| self.is_given_up(entry));
        let given_up = given_up.map(|(name, _)| name);
        let is_ours = |name: &str| {
            given_up.as_deref() == Some(name) || unseen.iter().any(|(ours, _)| ours == name)
        };
        let brought: Vec<&ObjectId> = found
            .iter()
            .filter(|change| {
                change.old.is_none() && change.path.as_path().parent() == Some(&self.folder)
            })
            .filter(|change| {
                let name = change.path.as_path().file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name_parts(name).is_some() && !is_ours(name))
            })
            .filter_map(|change| change.new.as_ref())
            .collect();
        let untold = self.untold(self.teller.tell(found), &brought);
        let again = given_up.clone().and_then(|name| Some((name_parts(&name)?.0, name)));
        // What is amended is told as of the day on which it was made.
        let date = again.as_ref().filter(|_| self.amends).map_or(date, |(day, _)| *day);
        let own = describe(date, self.teller.context.write_root, &untold);
        let own = own.map(|entry| {
            let name = again.filter(|(day, _)| *day == date).map(|(_, name)| name);
            (name.unwrap_or_else(|| changelog::file_name(date, ulid::Ulid::new())), entry.render())
        });
        unseen.retain(|(name, _)| !has(&self.staged, name));
        self.put(&unseen, own, given_up)
    }

    /// Name and text of entries for commits that no hook saw. They count as written down once
    /// their entries are committed.
    fn unseen(&self) -> Result<Vec<(String, String)>, CommitError> {
        let seen = Seen::of_entries(self.git);
        seen.begin(self.git)?;
        let (Some(head), Some(commits)) = (self.head, seen.commits()) else {
            return Ok(Vec::new());
        };
        let mut unseen = skipped(&self.teller, self.git, &commits, head)?;
        unseen.retain(|(name, text)| {
            let id = Some(BlobId::of(text.as_bytes()));
            // The same words under another name: the commit was rebased or picked.
            !has(&self.committed, name)
                && !self.committed.iter().any(|file| file.object.blob_id() == id)
        });
        if !unseen.is_empty() {
            // On another branch, by another program, other words may have been found for it.
            let brought = self.git.brought_below(&self.folder)?;
            unseen.retain(|(name, text)| {
                let id = Some(BlobId::of(text.as_bytes()));
                !brought.iter().any(|it| is_named(&it.path, name) && it.content.blob_id() != id)
            });
        }
        if unseen.is_empty() {
            seen.write(self.git, head, 0);
        }
        Ok(unseen)
    }

    /// Whether an entry that was written for a commit is still there and was never committed, or by the
    /// commit alone that is amended. One of `merge --squash` or `reset --soft` is staged as well, and was: it
    /// stays as it is.
    fn is_given_up(&self, (name, object): &(String, ObjectId)) -> bool {
        let context = self.teller.context;
        let (path, limit) = (self.folder.join(name), context.max_file_bytes);
        let is_left = match self.staged.iter().find(|file| is_named(&file.path, name)) {
            Some(file) => file.object == *object,
            None => {
                let left = read_note(&context.repository.root, &path.as_path().into(), limit);
                let ours = self.teller.objects.read(&[object], limit).pop();
                left.is_ok_and(|(bytes, _)| ours == Some(Ok(bytes)))
            }
        };
        is_left
            && !has(&self.committed, name)
            && (self.amends
                || self.git.brought_below(&path).is_ok_and(|brought| brought.is_empty()))
    }

    /// What the entries that this commit brings do not say.
    fn untold(&self, mut changes: Vec<Change>, brought: &[&ObjectId]) -> Vec<Change> {
        let entries = self.read(brought);
        let is_of_ours = |entry: &Entry| changes.iter().any(|change| entry.names(change));
        // Who writes an entry by hand says all there is to say.
        if entries.len() < brought.len() || !entries.iter().all(is_of_ours) {
            return Vec::new();
        }
        changes.retain(|change| !entries.iter().any(|entry| entry.names(change)));
        changes
    }

    /// Those that can be read.
    fn read(&self, ids: &[&ObjectId]) -> Vec<Entry> {
        if ids.is_empty() {
            return Vec::new();
        }
        let contents = self.teller.objects.read(ids, self.teller.context.max_file_bytes);
        let texts =
            contents.into_iter().filter_map(|content| String::from_utf8(content.ok()?).ok());
        texts.filter_map(|text| Entry::parse(&text)).collect()
    }

    /// Puts entries where they belong, in the place of one that was given up.
    fn put(
        &self,
        unseen: &[(String, String)],
        own: Option<(String, String)>,
        given_up: Option<String>,
    ) -> Result<Recorded, CommitError> {
        let (mut work, mut recorded, mut attempt) =
            (Work::default(), Recorded::default(), Attempt::default());
        if let Some(name) = given_up.filter(|name| own.as_ref().is_none_or(|(own, _)| own != name))
        {
            let path = self.folder.join(&name);
            if has(&self.staged, &name) {
                work.changes.push(Staged::Remove { path: path.as_path().into() });
            }
            work.files.push((path, None));
        }
        for (name, text) in unseen.iter().chain(&own) {
            let path = self.folder.join(name);
            let stored = put(self.git, &path, text.clone().into_bytes())?;
            work.files.push((path, Some(text.clone().into_bytes())));
            let is_own = own.as_ref().is_some_and(|(own, _)| own == name);
            if is_own {
                attempt.entry = Some((name.clone(), stored.object));
            }
            if !self.staged.contains(&stored) {
                recorded.written += 1;
                recorded.earlier += usize::from(!is_own);
                work.changes.push(Staged::Put { path: stored.path, object: stored.object });
            }
        }
        attempt.write(self.git);
        let context = self.teller.context;
        work.apply(self.git, &context.repository.root, context.max_file_bytes)?;
        Ok(recorded)
    }
}

/// What is to be done in git's index and, with the same bytes, in the work tree.
#[derive(Default)]
struct Work {
    changes: Vec<Staged>,
    /// The new content; `None` removes the file.
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Work {
    /// Does all of it, or nothing.
    fn apply(self, git: &Git, root: &Path, limit: u64) -> Result<(), CommitError> {
        let mut undo: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        let mut done = Ok(());
        for (path, content) in self.files {
            let before =
                read_note(root, &path.as_path().into(), limit).ok().map(|(bytes, _)| bytes);
            if before != content {
                done = put_file(root, &path, content.as_deref());
                undo.push((path, before));
            }
            if done.is_err() {
                break;
            }
        }
        let done = done
            .map_err(CommitError::from)
            .and_then(|()| git.stage(&self.changes).map_err(CommitError::from));
        if done.is_err() {
            for (path, before) in undo.into_iter().rev() {
                // What cannot be put back is known to the next attempt.
                let _ = put_file(root, &path, before.as_deref());
            }
        }
        done
    }
}

fn put_file(root: &Path, path: &Path, content: Option<&[u8]>) -> Result<(), WriteError> {
    match content {
        Some(content) => match write_beneath(root, path, content) {
            // It is staged, and left out of the work tree as before.
            Err(WriteError::LeftOut { .. }) => Ok(()),
            written => written,
        },
        None => remove_beneath(root, path),
    }
}

/// Whether files have one of this name.
fn has(files: &[Stored], name: &str) -> bool {
    files.iter().any(|file| is_named(&file.path, name))
}

fn is_named(path: &NotePath, name: &str) -> bool {
    path.as_path().file_name().is_some_and(|found| found == name)
}

fn put(git: &Git, path: &Path, content: Vec<u8>) -> Result<Stored, CommitError> {
    let object = git.write_contents(&[content])?.pop();
    let object = object.ok_or_else(|| GitError::Odd("no id for a content".to_owned()))?;
    Ok(Stored { path: path.into(), object, executable: false })
}

/// Puts changes of notes into the words of the changelog.
pub(super) struct Teller<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) objects: &'a Objects,
}

impl Teller<'_> {
    pub(super) fn tell(&self, changes: &[NoteChange]) -> Vec<Change> {
        let ids: Vec<&ObjectId> =
            changes.iter().flat_map(|change| change.old.iter().chain(&change.new)).collect();
        let contents = self.objects.read(&ids, self.context.max_file_bytes);
        let read: FxHashMap<&ObjectId, Vec<u8>> =
            ids.into_iter().zip(contents).filter_map(|(id, read)| Some((id, read.ok()?))).collect();
        let content = |id: &Option<ObjectId>| {
            id.as_ref().and_then(|id| read.get(id)).map(Vec::as_slice).unwrap_or_default()
        };
        let entities = self.context.write_root.join("learned/entities");
        changes
            .iter()
            .map(|change| {
                let (old, new) = (content(&change.old), content(&change.new));
                let text = if change.new.is_some() { new } else { old };
                let (title, scope) = self.title(&change.path, text);
                let kind = match (&change.from, &change.old, &change.new) {
                    (Some(from), ..) => ChangeKind::Renamed { from: from.to_text() },
                    (None, _, None) => ChangeKind::Removed,
                    (None, None, _) => ChangeKind::Added,
                    (None, ..) => ChangeKind::Changed,
                };
                let is_entity = change.path.as_path().starts_with(&entities);
                let gained = facts(new).saturating_sub(facts(old));
                let facts_added = if is_entity { gained } else { 0 };
                // What was taken out of what is learnt is not said again.
                let touched = match kind {
                    ChangeKind::Changed if !is_entity => Touched::between(old, new),
                    _ => Touched::default(),
                };
                Change { path: change.path.to_text(), kind, title, scope, facts_added, touched }
            })
            .collect()
    }

    fn title(&self, path: &NotePath, content: &[u8]) -> (String, Scope) {
        match self.context.chunker().cut_bytes(path, BlobId::of(content), content) {
            Ok(note) => (note.record.title, note.record.scope),
            Err(_) => (path.stem(), Scope::User),
        }
    }
}

/// Lines that are facts, on the page of an entity.
fn facts(content: &[u8]) -> usize {
    content.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"- ")).count()
}
