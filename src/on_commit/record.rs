//! Writing down what a commit brings: changelog entries, and the page that gathers them.
//!
//! Everything is made from staged contents and staged at once; the same bytes are put into the
//! work tree, but a page that the user is editing there is left alone.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rustc_hash::FxHashMap;

use super::{CommitError, NoteChange, changes};
use crate::{
    changelog::{self, Change, ChangeKind, Entry, assemble, describe, for_commit},
    index::{Context, note::Cutter},
    markdown::Scope,
    repo::{
        BlobId, CommitId, Git, GitError, NotePath, ObjectId, Objects, Staged, Stored, Version,
        read_note, stored_notes, write_beneath,
    },
};

/// Commits without an entry that one commit writes down at most, the newest ones.
const MOST_SKIPPED: usize = 50;
/// What a page begins with that nobody has written yet.
const NEW_PAGE: &[u8] = b"# Changelog\n\n";

/// Writes and stages the entries for this commit and for those before it that have none; returns
/// how many.
///
/// # Errors
/// When git cannot be read, or an entry cannot be written.
pub fn record(
    context: &Context,
    git: &Git,
    objects: &Objects,
    head: Option<CommitId>,
    found: &[NoteChange],
    now: i64,
) -> Result<usize, CommitError> {
    let teller = Teller { context, objects };
    let folder = changelog::folder(context.write_root);
    let mut entries: Vec<(String, String)> = Vec::new();
    let seen = Seen::of(git);
    if let Some(head) = head {
        for (name, entry) in skipped(&teller, git, seen.read(), head)? {
            entries.push((name, entry.render()));
        }
    }
    let has_entry = |path: &NotePath| path.as_path().starts_with(&folder);
    if !found.iter().any(|change| change.old.is_none() && has_entry(&change.path)) {
        let date = jiff::Timestamp::from_second(now)
            .map(|time| time.to_zoned(jiff::tz::TimeZone::system()).date())
            .unwrap_or_default();
        if let Some(entry) = describe(date, context.write_root, &teller.tell(found)) {
            entries.push((changelog::file_name(date, ulid::Ulid::new()), entry.render()));
        }
    }
    let staged = git.list(&Version::Staged, &[&folder])?;
    entries.retain(|(name, _)| {
        let path = NotePath::from(folder.join(name).as_path());
        !staged.iter().any(|file| file.path == path)
    });
    let mut changes = Vec::new();
    for (name, text) in &entries {
        let path = folder.join(name);
        write_beneath(&context.repository.root, &path, text.as_bytes())?;
        changes.push(put(git, &path, text.clone().into_bytes())?);
    }
    // A merge brings the entries of the other side, which are no change of its own.
    let committed = match head {
        Some(head) => git.list(&Version::Commit(head), &[&folder])?,
        None => Vec::new(),
    };
    let is_new = !entries.is_empty() || staged != committed;
    if is_new && git.branch().is_some_and(|branch| git.is_default_branch(&branch)) {
        changes.extend(gather(context, git, objects, &staged, &entries)?);
    }
    git.stage(&changes)?;
    seen.write(head);
    Ok(entries.len())
}

/// The page of all entries, if it does not say so already.
fn gather(
    context: &Context,
    git: &Git,
    objects: &Objects,
    staged: &[Stored],
    new: &[(String, String)],
) -> Result<Option<Staged>, CommitError> {
    if staged.is_empty() && new.is_empty() {
        return Ok(None);
    }
    let ids: Vec<&ObjectId> = staged.iter().map(|file| &file.object).collect();
    let contents = objects.read(&ids, context.max_file_bytes);
    let mut entries: Vec<(String, String)> = staged
        .iter()
        .zip(contents)
        .filter_map(|(file, content)| {
            let name = file.path.as_path().file_name()?.to_str()?.to_owned();
            Some((name, String::from_utf8(content.ok()?).ok()?))
        })
        .collect();
    entries.extend_from_slice(new);
    let page = changelog::page(context.write_root);
    let path = NotePath::from(page.as_path());
    let before = git.list(&Version::Staged, &[&page])?.into_iter().find(|file| file.path == path);
    let before = match before {
        Some(file) => match objects.read(&[&file.object], context.max_file_bytes).pop() {
            Some(Ok(content)) => Some(content),
            _ => return Ok(None),
        },
        None => None,
    };
    // Markers that somebody broke are for a person to mend; the entries are there all the same.
    let Ok(Some(after)) = assemble(&entries, before.as_deref().unwrap_or(NEW_PAGE)) else {
        return Ok(None);
    };
    let root = &context.repository.root;
    let untouched = match read_note(root, &path, context.max_file_bytes) {
        Ok((bytes, _)) => before.as_deref() == Some(&bytes[..]),
        Err(cause) => cause.is_gone() && before.is_none(),
    };
    if untouched {
        write_beneath(root, &page, &after)?;
    }
    put(git, &page, after).map(Some)
}

fn put(git: &Git, path: &Path, content: Vec<u8>) -> Result<Staged, CommitError> {
    let object = git.write_contents(&[content])?.pop();
    let object = object.ok_or_else(|| GitError::Odd("no id for a content".to_owned()))?;
    Ok(Staged::Put { path: NotePath::from(path), object })
}

/// Entries for commits since `seen` that changed notes and brought no entry.
fn skipped(
    teller: &Teller,
    git: &Git,
    seen: Option<CommitId>,
    head: CommitId,
) -> Result<Vec<(String, Entry)>, CommitError> {
    // Where hooks begin, history is as it is: only what comes after is written down.
    let Some(seen) = seen.filter(|seen| *seen != head) else { return Ok(Vec::new()) };
    let range = format!("{seen}..{head}");
    let most = format!("--max-count={MOST_SKIPPED}");
    let listed = git.run(&[
        "log",
        "--no-merges",
        "--no-ext-diff",
        "-z",
        "--format=%H %P%n%ct%n%s",
        most.as_str(),
        range.as_str(),
        "--",
    ]);
    // A commit that was rewritten and pruned since: begin anew.
    let Ok(listed) = listed else { return Ok(Vec::new()) };
    let folder = changelog::folder(teller.context.write_root);
    let mut entries = Vec::new();
    for record in listed.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
        let text = String::from_utf8_lossy(record);
        let mut lines = text.lines();
        let mut ids = lines.next().unwrap_or_default().split(' ').filter_map(|id| id.parse().ok());
        let (Some(commit), parent): (Option<CommitId>, Option<CommitId>) = (ids.next(), ids.next())
        else {
            continue;
        };
        let seconds = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let subject = lines.next().unwrap_or_default();
        let notes = |version| stored_notes(git, teller.objects, &version, teller.context.selection);
        let now = notes(Version::Commit(commit))?;
        let before = parent.map(|parent| notes(Version::Commit(parent))).transpose()?;
        let found = changes(before.as_slice(), &now);
        if found.iter().any(|change| change.path.as_path().starts_with(&folder)) {
            continue;
        }
        let told = teller.tell(&found);
        let write_root = teller.context.write_root;
        entries.extend(for_commit(&commit.to_string(), seconds, subject, write_root, &told));
    }
    Ok(entries)
}

/// Puts changes of notes into the words of the changelog.
struct Teller<'a> {
    context: &'a Context<'a>,
    objects: &'a Objects,
}

impl Teller<'_> {
    fn tell(&self, changes: &[NoteChange]) -> Vec<Change> {
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
                Change { path: change.path.to_text(), kind, title, scope, facts_added }
            })
            .collect()
    }

    fn title(&self, path: &NotePath, content: &[u8]) -> (String, Scope) {
        let cutter = Cutter {
            limits: self.context.limits,
            write_root: self.context.write_root,
            count_tokens: self.context.count_tokens,
            fingerprint: self.context.embedder.fingerprint(),
        };
        match cutter.cut_bytes(path, BlobId::of(content), content) {
            Ok(note) => (note.record.title, note.record.scope),
            Err(_) => (path.stem(), Scope::User),
        }
    }
}

/// Lines that are facts, on the page of an entity.
fn facts(content: &[u8]) -> usize {
    content.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"- ")).count()
}

/// Up to which commit everything is written down, in this clone.
pub struct Seen {
    file: PathBuf,
}

impl Seen {
    /// The memory of this clone.
    pub fn of(git: &Git) -> Self {
        Self { file: git.common_dir().join("elophanto").join("changelog-seen") }
    }

    fn read(&self) -> Option<CommitId> {
        fs::read_to_string(&self.file).ok()?.trim().parse().ok()
    }

    /// Begins at a commit, unless there is a memory already.
    pub fn begin(&self, commit: Option<CommitId>) {
        if self.read().is_none() {
            self.write(commit);
        }
    }

    /// Remembers a commit. Where that cannot be written, the next commit looks again.
    fn write(&self, commit: Option<CommitId>) {
        let write = |commit: CommitId| -> io::Result<()> {
            fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
            fs::write(&self.file, format!("{commit}\n"))
        };
        let _ = commit.map(write);
    }
}
