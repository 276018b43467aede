//! What happens when git commits: secrets are refused, the change is written down, and the
//! vectors of the staged notes go along.
//!
//! Works on what is *staged* and stages only files of ours. What the user has in the work tree,
//! staged or not, stays as it is. It knows no hooks folder and prints nothing.

mod attempt;
mod changes;
mod entities;
mod given_up;
pub mod journal;
mod record;
pub(crate) mod secrets;
mod seen;
mod skipped;
mod unseen;
mod vectors;

use std::path::{Path, PathBuf};

use jiff::Timestamp;

pub use changes::{NoteChange, changes};
pub use given_up::Along;
pub use secrets::{ALLOW_FILE, ALLOW_VARIABLE, Looked, Secret, allowed, allowed_for, look};
pub use seen::Seen;

use elophanto_base::counted::counted;
use elophanto_base::secrets::AllowList;
use elophanto_index::{Context, IndexError, Progress, fill::Allowance};
use elophanto_knowledge::learn;
use elophanto_repo::{
    CommitId, Git, GitError, NotePath, Objects, Version, WriteError, head,
    record_store::RecordStore, stored_notes,
};
use elophanto_text::changelog;

/// What is wanted of a commit.
pub struct CommitRequest<'a> {
    /// Whether anything is staged that HEAD does not hold.
    pub differs: bool,
    /// Whether the commit takes the place of HEAD.
    pub amends: bool,
    /// Write changelog entries.
    pub changelog: bool,
    /// Stage the vectors.
    pub index: bool,
    /// How much a model that is not instant may embed for that.
    pub embed: Option<Allowance<'a>>,
    /// Stage what was written down in the journal.
    pub journal: bool,
    /// Findings that are no secrets.
    pub allowed: &'a AllowList,
    /// Seconds since 1970.
    pub now: i64,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Done {
    /// Changelog entries written.
    pub entries: usize,
    /// Lines of entities of which it was written down that they are gone, or back.
    pub lines: usize,
    /// Records of the journal that go along.
    pub records: usize,
    /// Vectors in the table that goes along; 0 if there is nothing new.
    pub vectors: usize,
    /// Passages whose vectors go along with a later commit, if that is to be said.
    pub left: usize,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// Something went wrong; what is staged is as it was, or holds more files of ours.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Git could not tell what is staged, or stage something.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Vectors of what is staged could not be made or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file of the work tree could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The journal could not be read or written.
    #[error(transparent)]
    Journal(#[from] elophanto_repo::journal::JournalError),
    /// The lessons of this repository could not be read or written.
    #[error(transparent)]
    Memory(#[from] elophanto_knowledge::memory::MemoryError),
    /// Git's variables, as a hook inherits them, are about another repository.
    #[error("GIT_DIR or GIT_INDEX_FILE is of another repository than the one around this folder")]
    Elsewhere,
}

/// What git, running a hook, says of itself: where its directory and the index of the commit are, relative to
/// the folder of the hook, and what it was called for.
#[derive(Debug, Default)]
pub struct GitVariables {
    /// `GIT_DIR`.
    pub git_dir: Option<PathBuf>,
    /// `GIT_INDEX_FILE`.
    pub index_file: Option<PathBuf>,
    /// Whether it was called to amend.
    pub amends: bool,
}

impl GitVariables {
    /// Whether the first git among programs, given by their arguments, was told to amend.
    pub fn amends(mut programs: impl Iterator<Item = Vec<String>>) -> bool {
        let after_commit = |arguments: Vec<String>| {
            let (program, arguments) = arguments.split_first()?;
            let is_git = Path::new(program).file_name().is_some_and(|name| name == "git");
            let at = arguments.iter().position(|argument| argument == "commit")?;
            is_git.then(|| arguments[at + 1..].to_vec())
        };
        // Git takes every beginning of an option that no other has.
        let is_it =
            |option: &String| option.len() >= "--am".len() && "--amend".starts_with(&**option);
        let arguments = programs.find_map(after_commit).unwrap_or_default();
        let mut options = arguments.iter().take_while(|argument| *argument != "--");
        while let Some(option) = options.next() {
            if is_it(option) {
                return true;
            }
            if takes_another(option) {
                options.next();
            }
        }
        false
    }
}

/// Whether an option of `git commit` has the argument behind it for its value, such as a message.
fn takes_another(option: &str) -> bool {
    const LONG: [&str; 10] = [
        "message", "file", "author", "date", "template", "reuse-message", "reedit-message",
        "fixup", "squash", "trailer",
    ];
    match option.strip_prefix("--") {
        Some(long) => LONG.contains(&long),
        // Unless it stands in the same argument already: `-mtext`.
        None => option.strip_prefix('-').is_some_and(|short| {
            // Behind `-S` and `-u` a value stands in the same argument or nowhere.
            let takes = short.find(['m', 'F', 'C', 'c', 't', 'S', 'u']);
            takes.is_some_and(|at| at + 1 == short.len() && !short.ends_with(['S', 'u']))
        }),
    }
}

/// Which index file a running commit uses, and whether files may be staged in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    /// Absolute.
    pub path: PathBuf,
    /// Not in the throw-away index of `git commit PATH`: what is staged there is in this commit,
    /// and deleted by the next.
    pub may_stage: bool,
}

impl IndexFile {
    /// From what git hands to a hook that runs in `folder`.
    ///
    /// # Errors
    /// When that belongs to another repository.
    pub fn of(git: &Git, folder: &Path, given: &GitVariables) -> Result<Self, CommitError> {
        let real = |path: &Path| folder.join(path).canonicalize().ok();
        let own = git.git_dir().canonicalize().ok();
        if let Some(given) = &given.git_dir
            && real(given) != own
        {
            return Err(CommitError::Elsewhere);
        }
        let usual = git.git_dir().join("index");
        let Some(given) = &given.index_file else {
            return Ok(Self { path: usual, may_stage: true });
        };
        let given = folder.join(given);
        let in_own = given.parent().and_then(|parent| parent.canonicalize().ok()) == own;
        if !in_own {
            // A temporary index of some other tool, wherever it lies: looked at, never written. One
            // of another repository is not even looked at.
            let folder = given.parent().unwrap_or(Path::new("."));
            let has = |name: &str| folder.join(name).exists();
            let is_of_git = has("HEAD") && (has("objects") || has("commondir"));
            let is_below =
                own.is_some_and(|own| real(folder).is_some_and(|it| it.starts_with(own)));
            return if is_of_git && !is_below {
                Err(CommitError::Elsewhere)
            } else {
                Ok(Self { path: given, may_stage: false })
            };
        }
        let name = given.file_name().unwrap_or_default();
        Ok(Self { may_stage: name == "index" || name == "index.lock", path: given })
    }
}

/// Does what a commit wants, in the index that `git` was given, once the gate let it pass.
///
/// # Errors
/// [`CommitError`]; the caller lets the commit go on.
pub fn prepare(
    context: &Context,
    git: &Git,
    may_stage: bool,
    request: &CommitRequest,
    progress: Progress,
) -> Result<Done, CommitError> {
    let head = head(git)?;
    let parents: Vec<_> = head.into_iter().chain(git.merge_heads()).collect();
    // Lines of facts are held against HEAD all the same: other branches may have it.
    let before = if request.amends { amended(git, &parents)? } else { None };
    let amends = before.is_some();
    let before = before.unwrap_or_else(|| parents.clone());
    // Git asks before it finds out that there is nothing to commit: what is staged now would stay
    // there and be in the way of the next rebase or revert.
    let is_made = request.differs || amends && !git.is_replaying();
    if may_stage && parents.len() == 1 && !is_made {
        return Ok(Done::default());
    }
    let objects = git.objects();
    let found = found(context, git, &objects, &before)?;
    let folder = learn::entity_store::folder(context.write_root);
    let pages = entities::Pages::list(git, &folder, &parents)?;
    let found_pages = changes(&pages.before, &pages.staged);
    let mut done = Done::default();
    let now = Timestamp::from_second(request.now).unwrap_or_default();
    let record_store = RecordStore::new(context.repository, request.journal);
    let note = |done: &mut Done| {
        match entities::note(&record_store, git, &objects, &folder, &pages, &parents, now) {
            Ok(noted) => done.lines = noted.retired + noted.restored,
            // The rest goes along all the same.
            Err(cause) => done.notices.push(format!("what became of facts is not noted: {cause}")),
        }
    };
    if !may_stage {
        // Written down now, or no later commit could tell; it goes along with the next.
        note(&mut done);
        if done.lines > 0 && request.journal {
            let what = counted(done.lines, "fact");
            done.notices.push(format!("what became of {what} goes along with the next commit"));
        }
        if request.index && !found.is_empty() {
            let notes = counted(found.len(), "note");
            done.notices.push(format!(
                "the vectors of {notes} go along with the next commit: nothing can be added to \
                 one of chosen files (`git commit FILE`)"
            ));
        }
        return Ok(done);
    }
    if request.changelog && !is_kept_out(git, &changelog::folder(context.write_root)) {
        let head = before.first().copied();
        match record::record(context, git, &objects, head, amends, &found, request.now) {
            Ok(recorded) => {
                done.entries = recorded.written;
                if recorded.earlier > 0 {
                    done.notices.push(format!("{} of them for earlier commits", recorded.earlier));
                }
            }
            // Everything else goes along all the same.
            Err(cause) => done.notices.push(format!("no changelog entry is written: {cause}")),
        }
    }
    note(&mut done);
    if request.journal {
        let pending = journal::pending(context.repository, git, request.allowed)?;
        match pending.stage(context.repository, git) {
            Ok(()) => done.records = pending.records,
            Err(cause) => done.notices.push(format!("no records go along: {cause}")),
        }
        done.notices.extend(pending.notices);
    }
    let changed = found.iter().chain(&found_pages).map(|change| &change.path).collect();
    if request.index
        && let Err(cause) = vectors::stage(
            context,
            git,
            &before,
            &changed,
            request.embed.as_ref(),
            progress,
            &mut done,
        )
    {
        // The entries are staged: say both.
        done.notices.push(format!("no vectors go along: {cause}"));
    }
    let entries = changelog::folder(context.write_root);
    let mut places: Vec<&Path> = Vec::new();
    if done.entries > 0 {
        places.push(&entries);
    }
    if done.records > 0 || done.vectors > 0 {
        places.push(Path::new(".elophanto"));
    }
    // Where that cannot be done, the next `git status` does it.
    let _ = git.refresh(&places);
    Ok(done)
}

/// Whether an ignore rule keeps what a folder holds out of git. Of one that is no part of the repository, as
/// in a submodule, git knows nothing.
fn is_kept_out(git: &Git, folder: &Path) -> bool {
    git.ignored(&[&folder.join("x.md").as_path().into()]).is_ok_and(|ignored| !ignored.is_empty())
}

/// The vectors of what is staged go along with a commit that no hook prepares; how many there are in
/// the table that is staged.
///
/// # Errors
/// When something cannot be read or staged; the commit can be made all the same.
pub fn carry(
    context: &Context,
    git: &Git,
    allowance: Option<&Allowance>,
    progress: Progress,
) -> Result<usize, CommitError> {
    let parents: Vec<_> = head(git)?.into_iter().collect();
    let found = found(context, git, &git.objects(), &parents)?;
    let folder = learn::entity_store::folder(context.write_root);
    let pages = entities::Pages::list(git, &folder, &parents)?;
    let found_pages = changes(&pages.before, &pages.staged);
    let changed = found.iter().chain(&found_pages).map(|change| &change.path).collect();
    let mut done = Done::default();
    vectors::stage(context, git, &parents, &changed, allowance, progress, &mut done)?;
    Ok(done.vectors)
}

/// Notes that HEAD holds as no side of the merge that was just made held them; none if it is another commit.
///
/// # Errors
/// When git cannot read a commit.
pub fn merged(context: &Context, git: &Git) -> Result<Vec<NotePath>, GitError> {
    let Some(head) = head(git)? else { return Ok(Vec::new()) };
    let parents = parents_of(git, &head)?;
    // What was pulled as it is, was merged elsewhere.
    if parents.len() < 2 || git.resolve("ORIG_HEAD").ok() != parents.first().copied() {
        return Ok(Vec::new());
    }
    let objects = git.objects();
    let notes = |commit| stored_notes(git, &objects, &Version::Commit(commit), context.selection);
    let before = parents.into_iter().map(notes).collect::<Result<Vec<_>, _>>()?;
    let changes = changes(&before, &notes(head)?).into_iter();
    Ok(changes.filter(|change| change.new.is_some()).map(|change| change.path).collect())
}

/// The parents of a commit that takes the place of the only one of `parents`; `None` where that is the first of
/// all that git knows.
fn amended(git: &Git, parents: &[CommitId]) -> Result<Option<Vec<CommitId>>, GitError> {
    let [head] = parents else { return Ok(None) };
    Ok(Some(parents_of(git, head)?).filter(|parents| !parents.is_empty()))
}

fn parents_of(git: &Git, commit: &CommitId) -> Result<Vec<CommitId>, GitError> {
    let mut parents = Vec::new();
    loop {
        match git.resolve(&format!("{commit}^{}", parents.len() + 1)) {
            Ok(parent) => parents.push(parent),
            Err(GitError::UnknownRevision(_)) => return Ok(parents),
            Err(cause) => return Err(cause),
        }
    }
}

/// Notes that a commit brings.
fn found(
    context: &Context,
    git: &Git,
    objects: &Objects,
    parents: &[CommitId],
) -> Result<Vec<NoteChange>, GitError> {
    let notes = |version: &Version| stored_notes(git, objects, version, context.selection);
    let staged = notes(&Version::Staged)?;
    let before = parents.iter().map(|parent| notes(&Version::Commit(*parent)));
    Ok(changes(&before.collect::<Result<Vec<_>, _>>()?, &staged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_amends_is_told_by_the_first_git_that_commits() {
        for (called, expected) in [
            ("sh .git/hooks/pre-commit|git commit --amend|bash", true),
            ("sh|python3 pre-commit run|/usr/bin/git -c a.b=c commit -qam x --ame|sh", true),
            ("sh|git commit -m x|git commit --amend", false),
            ("sh|git commit -- --amend", false),
            ("sh|git commit -qam --amend", false),
            ("sh|git commit --message --amend --author x", false),
            ("sh|git commit -m x --author y -mtext --amend", true),
            ("sh|git commit --all", false),
            ("sh|git rebase -i HEAD~3|sh", false),
            ("sh|gitk commit --amend", false),
            ("", false),
        ] {
            let words = |program: &str| program.split(' ').map(str::to_owned).collect();
            assert_eq!(GitVariables::amends(called.split('|').map(words)), expected, "{called}");
        }
    }
}
