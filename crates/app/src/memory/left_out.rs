//! Lessons that git carries with a repository, and that are not recalled because the user's settings
//! say that lessons lie elsewhere. They stay where they are: nothing of them may look lost.

use std::{collections::BTreeSet, ffi::OsStr, path::PathBuf};

use super::Memories;
use crate::shell::quoted;
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::memory::{FOLDER, Files, fold};

/// Lessons that nobody is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// How many there are.
    pub lessons: usize,
    /// Where lessons are looked for instead.
    pub folder: PathBuf,
    /// The setting that says so.
    pub setting: &'static str,
}

impl LeftOut {
    /// That there are some, and why nobody is told of them.
    pub fn told(&self) -> String {
        format!(
            "{} in `{FOLDER}` {} not recalled: by `{}`, lessons are in `{}`",
            counted(self.lessons, "lesson"),
            agreeing(self.lessons, "is", "are"),
            self.setting,
            self.folder.display()
        )
    }

    /// The command that takes them along. Files of lessons have names of their own, so that none is
    /// written over.
    pub fn mend(&self) -> String {
        let folder = quoted(&self.folder.to_string_lossy());
        format!("mkdir -p {folder} && cp -rn {FOLDER}/. {folder}")
    }
}

impl Memories<'_> {
    /// Lessons of the repository's own folder that are not among those told.
    pub fn left_out(&self) -> Option<LeftOut> {
        if self.workspace.lessons().in_git {
            return None;
        }
        let own = Files::of_repository(&self.workspace.repository);
        let (listed, elsewhere) = (own.list().files, self.files.list().files);
        let name = |path: &std::path::Path| path.file_name().map(OsStr::to_owned);
        let taken: BTreeSet<_> = elsewhere.iter().filter_map(|it| name(&it.path)).collect();
        let left = listed.iter().filter(|it| name(&it.path).is_none_or(|it| !taken.contains(&it)));
        let entries = left.filter_map(|found| own.read(found).ok()).flat_map(|read| read.entries);
        let lessons = fold(entries.map(|(_, entry)| entry)).memories.len();
        let is_named = self.workspace.config.memory.folder.is_some();
        (lessons > 0).then(|| LeftOut {
            lessons,
            folder: self.files.folder().to_owned(),
            setting: if is_named { "memory.folder" } else { "journal.share" },
        })
    }
}
