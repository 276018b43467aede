//! Writing down what a commit brings: changelog entries, and the page that gathers them.
//!
//! Everything is made from staged contents and staged at once; the same bytes are put into the
//! work tree, but a page that the user is editing there is left alone.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::{
    CommitError, NoteChange,
    attempt::{Attempt, name_of},
    skipped::{Seen, skipped},
};
use elophanto_index::Context;
use elophanto_repo::{
    BlobId, CommitId, Git, GitError, NotePath, ObjectId, Objects, Staged, Stored, Version,
    WriteError, read_note, remove_beneath, write_beneath,
};
use elophanto_text::{
    changelog::{self, Change, ChangeKind, assemble, describe, name_parts},
    markdown::Scope,
};

/// What a page begins with that nobody has written yet.
const NEW_PAGE: &[u8] = b"# Changelog\n\n";

/// Writes and stages the entries for this commit and for those before it that have none; returns
/// how many.
///
/// # Errors
/// When git cannot be read, or an entry cannot be written; nothing is changed then.
pub fn record(
    context: &Context,
    git: &Git,
    objects: &Objects,
    head: Option<CommitId>,
    found: &[NoteChange],
    now: i64,
) -> Result<usize, CommitError> {
    let teller = Teller { context, objects };
    let root = &context.repository.root;
    let limit = context.max_file_bytes;
    let folder = changelog::folder(context.write_root);
    let page = changelog::page(context.write_root);
    let places = [folder.as_path(), page.as_path()];
    let (mut entries, staged_page) = parted(git.list(&Version::Staged, &places)?, &page);
    let committed = match head {
        Some(head) => git.list(&Version::Commit(head), &places)?,
        None => Vec::new(),
    };
    let (committed, committed_page) = parted(committed, &page);
    let mut attempt = Attempt::read(git);
    let mut work = Work::default();
    let mut written = 0;

    // Commits that no hook saw. They count as written down once their entries are committed.
    let seen = Seen::of(git);
    let mut new: Vec<(String, String)> = match head {
        Some(head) => skipped(&teller, git, seen.read(), head)?,
        None => Vec::new(),
    };
    new.retain(|(name, text)| {
        let id = Some(BlobId::of(text.as_bytes()));
        // The same words under another name: the commit was rebased or picked.
        !committed.iter().any(|file| is_named(file, name) || file.object.blob_id() == id)
    });
    if new.is_empty() {
        seen.write(head);
    }

    // What an attempt that came to nothing has left is made anew.
    let earlier = attempt.entry.take().filter(|(name, object)| {
        if committed.iter().any(|file| is_named(file, name)) {
            return false;
        }
        match entries.iter().find(|file| is_named(file, name)) {
            Some(file) => file.object == *object,
            None => {
                let left = read_note(root, &folder.join(name).as_path().into(), limit);
                let ours = objects.read(&[object], limit).pop();
                left.is_ok_and(|(bytes, _)| ours == Some(Ok(bytes)))
            }
        }
    });
    let earlier = earlier.map(|(name, _)| name);
    let is_theirs = |change: &NoteChange| {
        let path = change.path.as_path();
        change.old.is_none()
            && path.parent() == Some(&folder)
            && path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                name_parts(name).is_some()
                    && earlier.as_deref() != Some(name)
                    && !new.iter().any(|(ours, _)| ours == name)
            })
    };
    let date = jiff::Timestamp::from_second(now)
        .map(|time| time.to_zoned(jiff::tz::TimeZone::system()).date())
        .unwrap_or_default();
    let own = if found.iter().any(is_theirs) {
        None
    } else {
        describe(date, context.write_root, &teller.tell(found)).map(|entry| entry.render())
    };
    new.retain(|(name, _)| !entries.iter().any(|file| is_named(file, name)));
    let own = own.map(|text| {
        let again = earlier.clone().filter(|name| name_parts(name).is_some_and(|(d, _)| d == date));
        (again.unwrap_or_else(|| changelog::file_name(date, ulid::Ulid::new())), text)
    });
    if let Some(name) = earlier.filter(|name| own.as_ref().is_none_or(|(own, _)| own != name)) {
        if entries.iter().any(|file| is_named(file, &name)) {
            work.changes.push(Staged::Remove { path: folder.join(&name).as_path().into() });
        }
        entries.retain(|file| !is_named(file, &name));
        work.files.push((folder.join(&name), None));
    }
    for (name, text) in new.iter().chain(&own) {
        let path = folder.join(name);
        let stored = put(git, &path, text.clone().into_bytes())?;
        if own.as_ref().is_some_and(|(own, _)| own == name) {
            attempt.entry = Some((name.clone(), stored.object));
        }
        work.files.push((path, Some(text.clone().into_bytes())));
        if entries.contains(&stored) {
            continue;
        }
        written += 1;
        entries.retain(|file| file.path != stored.path);
        work.changes.push(Staged::Put { path: stored.path.clone(), object: stored.object });
        entries.push(stored);
    }
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));

    if git.branch().is_some_and(|branch| git.is_default_branch(&branch)) {
        let all = name_of(&entries);
        let nobodys = entries.is_empty() && committed_page.is_none();
        if nobodys && staged_page.as_ref().is_some_and(|file| attempt.page == Some(file.object)) {
            // Of an attempt that came to nothing, and there is nothing to gather.
            work.changes.push(Staged::Remove { path: page.as_path().into() });
            if is_untouched(context, objects, &page, None, attempt.page).is_some() {
                work.files.push((page.clone(), None));
            }
        } else if attempt.gathered.as_deref() != Some(all.as_str()) {
            let snapshot = PagesAtCommit { context, git, objects, page: &page };
            match snapshot.gather(&entries, staged_page.as_ref(), &mut attempt, &mut work)? {
                Gathered::Already => attempt.gathered = Some(all),
                Gathered::Now | Gathered::NotOurs => {}
            }
        }
    }
    attempt.write(git);
    work.apply(git, root, limit)?;
    Ok(written)
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
        Some(content) => write_beneath(root, path, content),
        None => remove_beneath(root, path),
    }
}

/// How the page stands.
enum Gathered {
    Already,
    Now,
    /// Somebody broke the markers: that is for a person to mend, the entries are there all the
    /// same.
    NotOurs,
}

struct PagesAtCommit<'a> {
    context: &'a Context<'a>,
    git: &'a Git,
    objects: &'a Objects,
    page: &'a Path,
}

impl PagesAtCommit<'_> {
    /// Makes the staged page say what all staged entries say.
    fn gather(
        &self,
        entries: &[Stored],
        staged: Option<&Stored>,
        attempt: &mut Attempt,
        work: &mut Work,
    ) -> Result<Gathered, CommitError> {
        let limit = self.context.max_file_bytes;
        let ids: Vec<&ObjectId> = entries.iter().map(|file| &file.object).collect();
        let contents = self.objects.read(&ids, limit);
        let texts: Vec<(String, String)> = entries
            .iter()
            .zip(contents)
            .filter_map(|(file, content)| {
                let name = file.path.as_path().file_name()?.to_str()?.to_owned();
                Some((name, String::from_utf8(content.ok()?).ok()?))
            })
            .collect();
        if texts.is_empty() && staged.is_none() {
            return Ok(Gathered::Already);
        }
        let before = match staged.map(|file| self.objects.read(&[&file.object], limit).pop()) {
            None => None,
            Some(Some(Ok(content))) => Some(content),
            Some(_) => return Ok(Gathered::NotOurs),
        };
        let after = match assemble(&texts, before.as_deref().unwrap_or(NEW_PAGE)) {
            Ok(Some(after)) => after,
            Ok(None) => return Ok(Gathered::Already),
            Err(_) => return Ok(Gathered::NotOurs),
        };
        let stored = put(self.git, self.page, after.clone())?;
        let untouched =
            is_untouched(self.context, self.objects, self.page, before.as_deref(), attempt.page);
        if let Some(endings) = untouched {
            let text = match endings {
                Endings::AsStored => after,
                Endings::Converted => to_crlf(&after),
            };
            work.files.push((self.page.to_owned(), Some(text)));
            attempt.page = Some(stored.object);
        }
        work.changes.push(Staged::Put { path: stored.path, object: stored.object });
        Ok(Gathered::Now)
    }
}

/// How the lines of a file in the work tree end.
enum Endings {
    AsStored,
    /// Git wrote CR and LF where it holds LF.
    Converted,
}

/// Whether the page in the work tree is what is staged, or what we put there last; then also how
/// its lines end.
fn is_untouched(
    context: &Context,
    objects: &Objects,
    page: &Path,
    staged: Option<&[u8]>,
    ours: Option<ObjectId>,
) -> Option<Endings> {
    let limit = context.max_file_bytes;
    let here = match read_note(&context.repository.root, &page.into(), limit) {
        Ok((bytes, _)) => bytes,
        Err(cause) => return (cause.is_gone() && staged.is_none()).then_some(Endings::AsStored),
    };
    let ours = ours.and_then(|id| objects.read(&[&id], limit).pop()?.ok());
    for known in staged.into_iter().chain(ours.as_deref()) {
        if here == known {
            return Some(Endings::AsStored);
        }
        if !known.contains(&b'\r') && here == to_crlf(known) {
            return Some(Endings::Converted);
        }
    }
    None
}

fn to_crlf(text: &[u8]) -> Vec<u8> {
    let mut converted = Vec::with_capacity(text.len() + text.len() / 32);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => converted.extend_from_slice(&[line, b"\r\n"].concat()),
            None => converted.extend_from_slice(line),
        }
    }
    converted
}

/// The entries, and the page.
fn parted(files: Vec<Stored>, page: &Path) -> (Vec<Stored>, Option<Stored>) {
    let (mut pages, entries): (Vec<Stored>, Vec<Stored>) =
        files.into_iter().partition(|file| file.path.as_path() == page);
    (entries, pages.pop())
}

fn is_named(file: &Stored, name: &str) -> bool {
    file.path.as_path().file_name().is_some_and(|found| found == name)
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
                Change { path: change.path.to_text(), kind, title, scope, facts_added }
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
