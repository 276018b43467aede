//! Secrets in what a commit brings: the one gate.
//!
//! It covers the same files in every repository: no setting, ignore file or size takes one out. It
//! looks at every byte; what is no text, or lies elsewhere, is named. What git cannot hand over is
//! a reason to refuse, for nobody can say what it holds. Only what an earlier commit allowed is
//! allowed, or who commits: else a commit could bring a secret and its permission.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::{CommitError, parents_of};
use crate::environment::Environment;
use elophanto_base::secrets::{AllowList, Finding, Located, Stream};
use elophanto_index::version::table_name;
use elophanto_repo::{Git, NotePath, ObjectId, Objects, StagedFile, Version, head};
use elophanto_text::markdown::{Undecodable, decode};

/// File of the repository with hashes of findings that are no secrets.
pub const ALLOW_FILE: &str = ".elophanto/allow-secrets";
/// Variable with hashes of findings that are no secrets, for one commit.
pub const ALLOW_VARIABLE: &str = "ELOPHANTO_ALLOW_SECRET";
/// Largest allow list, in bytes.
const MOST_ALLOW_BYTES: u64 = 1024 * 1024;
/// Extensions of notes, whatever the settings say.
const EXTENSIONS: [&str; 5] = ["md", "markdown", "mdown", "mkd", "mdx"];
/// Folder of ours.
const OWN: &str = ".elophanto";
/// A content up to this size is decoded as the index does it, to say why it is no text.
const MOST_DECODED: usize = 8 << 20;

/// A finding and the note it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Relative to the root.
    pub path: NotePath,
    /// What looks like a secret, and in which line.
    pub finding: Finding,
}

/// What the gate saw.
#[derive(Debug, Default)]
pub struct Looked {
    /// If there are any, the commit should be refused.
    pub secrets: Vec<Secret>,
    /// Files that git could not hand over, with the reason; likewise.
    pub unread: Vec<(NotePath, String)>,
    /// What was looked through, but is no text, or not all there is.
    pub notices: Vec<String>,
    /// Whether anything is staged that HEAD does not hold.
    pub differs: bool,
}

impl Looked {
    /// Whether the commit should be refused.
    pub fn refuses(&self) -> bool {
        !self.secrets.is_empty() || !self.unread.is_empty()
    }
}

/// What is allowed: by lists that the commits have on which this one builds, and by whoever
/// commits, in a variable.
///
/// # Errors
/// When git cannot read a commit.
pub fn allowed(git: &Git, environment: &Environment) -> Result<AllowList, CommitError> {
    allowed_for(git, environment, false)
}

/// The same for a commit that may take the place of HEAD: HEAD's own list then comes with it.
///
/// # Errors
/// When git cannot read a commit.
pub fn allowed_for(
    git: &Git,
    environment: &Environment,
    amends: bool,
) -> Result<AllowList, CommitError> {
    let path = NotePath::from(ALLOW_FILE);
    let mut lists = String::new();
    let parents = match head(git)? {
        Some(head) if amends => parents_of(git, &head)?,
        head => head.into_iter().chain(git.merge_heads()).collect(),
    };
    for parent in parents {
        for id in git.contents_at(&parent, &[&path])?.into_iter().flatten() {
            if let Some(Ok(list)) = git.objects().read(&[&id], MOST_ALLOW_BYTES).pop() {
                lists.push_str(&String::from_utf8_lossy(&list));
                lists.push('\n');
            }
        }
    }
    let variable = environment.variables().get(ALLOW_VARIABLE);
    Ok(AllowList::parse(&lists, variable.map(String::as_str).unwrap_or_default()))
}

/// Looks through what is staged: notes, also those with an extension that the settings name, and
/// files of ours.
///
/// # Errors
/// When git cannot say what is staged.
pub fn look(git: &Git, extensions: &[String], allowed: &AllowList) -> Result<Looked, CommitError> {
    let parents: Vec<_> = head(git)?.into_iter().chain(git.merge_heads()).collect();
    let mut staged = match parents.split_first() {
        None => {
            let files = git.list(&Version::Staged, &[Path::new(".")])?.into_iter();
            let file = |file: elophanto_repo::Stored| StagedFile {
                path: file.path,
                old: None,
                new: Some(file.object),
            };
            files.map(file).collect()
        }
        Some((first, others)) => {
            let mut staged = git.staged_against(first)?;
            // What another side has as it is, is no change of a merge.
            for other in others {
                let changed: FxHashSet<NotePath> =
                    git.staged_against(other)?.into_iter().map(|file| file.path).collect();
                staged.retain(|file| changed.contains(&file.path));
            }
            staged
        }
    };
    let differs = !staged.is_empty();
    // What was moved is out already.
    let gone: FxHashSet<ObjectId> =
        staged.iter().filter(|file| file.new.is_none()).filter_map(|file| file.old).collect();
    staged.retain(|file| is_covered(&file.path, extensions));
    let objects = git.objects();
    let mut looked = Looked { differs, ..Looked::default() };
    for file in &staged {
        let Some(new) = file.new.filter(|new| file.old.is_some() || !gone.contains(new)) else {
            continue;
        };
        look_at(git, file, &new, &objects, allowed, &mut looked);
    }
    Ok(looked)
}

/// Whether the gate looks at a file.
pub(crate) fn is_covered(path: &NotePath, extensions: &[String]) -> bool {
    let extension = path.as_path().extension().map(|extension| extension.to_ascii_lowercase());
    let is_note = extension.is_some_and(|extension| {
        EXTENSIONS.iter().any(|known| extension == *known)
            || extensions.iter().any(|known| extension == **known)
    });
    is_note || path.as_path().starts_with(OWN) && !is_of_table(path)
}

/// Whether a file is one of those of a table, which hold numbers only.
fn is_of_table(path: &NotePath) -> bool {
    let below = |folder: &str, extension: &str| {
        let path = path.as_path();
        path.parent().is_some_and(|parent| parent.ends_with(folder))
            && path.extension().is_some_and(|it| it == extension)
    };
    let is_named =
        below("data", "lance") || below("_versions", "manifest") || below("_transactions", "txn");
    is_named && table_name(path).is_some()
}

fn look_at(
    git: &Git,
    file: &StagedFile,
    new: &ObjectId,
    objects: &Objects,
    allowed: &AllowList,
    looked: &mut Looked,
) {
    let (found, why) = match look_through(objects, new) {
        Ok(looked) => looked,
        Err(cause) => {
            if !is_of_other_side(git, &file.path, new) {
                looked.unread.push((file.path.clone(), cause));
            }
            return;
        }
    };
    if let Some(why) = why {
        looked
            .notices
            .push(format!("`{}` looked through for secrets only: {why}", file.path.to_text()));
    }
    let mut found: Vec<Located> =
        found.into_iter().filter(|one| !allowed.allows(&one.finding)).collect();
    if found.is_empty() {
        return;
    }
    // What an earlier commit holds is out already; refusing a commit that only touches another
    // line would help nobody.
    let old = file.old.and_then(|old| look_through(objects, &old).ok()).unwrap_or_default().0;
    let old: FxHashSet<_> = old.iter().map(Located::identity).collect();
    found.retain(|one| !old.contains(&one.identity()));
    let secret = |one: Located| Secret { path: file.path.clone(), finding: one.finding };
    looked.secrets.extend(found.into_iter().map(secret));
}

/// Whether a commit that git is picking, reverting or rebasing brings this very content: a partial clone need
/// not hold it, and it is out already.
fn is_of_other_side(git: &Git, path: &NotePath, content: &ObjectId) -> bool {
    // A revert puts back what was before.
    let before = git.resolve("REVERT_HEAD^").ok();
    git.other_sides().into_iter().chain(before).any(|commit| {
        git.contents_at(&commit, &[path]).is_ok_and(|found| found == [Some(*content)])
    })
}

/// The secrets of one content that is not allowed to hold any, for files of ours.
///
/// # Errors
/// In words, when git cannot hand it over.
pub(super) fn in_content(
    objects: &Objects,
    id: &ObjectId,
    allowed: &AllowList,
) -> Result<Vec<Finding>, String> {
    let found = look_through(objects, id)?.0.into_iter().map(|one| one.finding);
    Ok(found.filter(|finding| !allowed.allows(finding)).collect())
}

/// What is found in a content, and why that may not be all there is.
fn look_through(
    objects: &Objects,
    id: &ObjectId,
) -> Result<(Vec<Located>, Option<String>), String> {
    let mut stream = Stream::default();
    let mut head = Vec::new();
    let mut length = 0;
    let take = &mut |piece: &[u8]| {
        length += piece.len();
        if length <= MOST_DECODED {
            head.extend_from_slice(piece);
        }
        stream.feed(piece);
    };
    objects.pieces(id, take).map_err(|cause| cause.to_string())?;
    let (found, has_nul) = stream.finish();
    let why = if length <= MOST_DECODED {
        decode(&head).err().map(|cause: Undecodable| cause.to_string())
    } else {
        has_nul.then(|| "no text: NUL bytes".to_owned())
    };
    Ok((found, why))
}
