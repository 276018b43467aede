//! Renaming a note or a heading, where every reference to it is certain; else it is said what is not.
//!
//! What is planned is proven before it is handed out: all texts are read again as they would be, and
//! every link must lead where it led, to the same heading. Nobody's word is taken for that.

mod docs;
mod hidden;
mod plan;
#[cfg(test)]
mod tests;
mod words;

use std::{ops::Range, sync::Arc};

use super::{Buffer, Editor, Resolver};
use crate::{Error, Result, reading::Catalogue, workspace::Workspace};
use elophanto_index::{
    Kind,
    store::{manifest::Place, segment::Attributes},
};
use elophanto_repo::NotePath;
use elophanto_text::markdown::Destination;
pub use plan::{heading, note};

/// Characters of a new name.
const MOST_NAME: usize = 200;

/// Another text in the place of some bytes of a file, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As the file is called before anything is renamed.
    pub path: String,
    /// What it says before.
    pub text: String,
    /// None overlaps another.
    pub edits: Vec<(Range<usize>, String)>,
}

/// What a rename changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renamed {
    /// The note that is called otherwise, before and after.
    pub moved: Option<(String, String)>,
    /// One of each file, sorted by path.
    pub changes: Vec<Change>,
}

/// A reference of which it cannot be proven that it would lead where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    /// Of the file that refers, relative to the root.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// In words, for the user.
    pub why: String,
}

/// What is to be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rename {
    /// A note, by its path relative to the root.
    Note {
        /// Relative to the root, with `/`.
        path: String,
    },
    /// By its number in the note.
    Heading {
        /// Of its note, relative to the root.
        path: String,
        /// From 0, in the order of the text.
        number: usize,
    },
}

impl Resolver<'_> {
    /// What is renamed at a byte, where it stands, and what it is called now: the heading that a link
    /// means or that begins there, else the note that a link leads to.
    pub fn renaming(
        &self,
        buffer: &Buffer,
        offset: usize,
    ) -> Option<(Rename, Range<usize>, String)> {
        self.catalogue().ok()?;
        if let Some(link) = self.link_at(buffer, offset) {
            let written = link.written(buffer)?;
            let Destination::Inside(path) = link.to else { return None };
            if !self.editor.is_note(&path) {
                return None;
            }
            if let Some(range) = written.heading.filter(|it| it.start <= offset && offset <= it.end)
            {
                let target = self.buffer_of(&path)?;
                let document = target.document().ok()?;
                let found = target.heading(buffer.text.get(range.clone())?)?;
                let number = document.headings.iter().position(|heading| heading == found)?;
                let name = found.text.clone();
                return Some((Rename::Heading { path, number }, range, name));
            }
            let name = NotePath::from(path.as_str()).stem();
            return Some((Rename::Note { path }, written.target, name));
        }
        let line = buffer.line_at(offset) + 1;
        let document = buffer.document().ok()?;
        let number = document.headings.iter().position(|heading| heading.line == line)?;
        let found = document.headings.get(number)?;
        let range = words::words_of(&buffer.text, found)?;
        let path = buffer.path.clone();
        Some((Rename::Heading { path, number }, range, found.text.clone()))
    }
}

impl Editor {
    /// Plans a rename; nothing is written. `open` are texts that may not be saved yet.
    ///
    /// # Errors
    /// When the knowledge base cannot be read, or the new name is none. Where not every reference is
    /// certain, the answer is which are not.
    pub fn rename(
        &self,
        workspace: &Workspace,
        what: &Rename,
        name: &str,
        open: &[Arc<Buffer>],
    ) -> Result<Result<Renamed, Vec<Unproven>>> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > MOST_NAME || name.chars().any(char::is_control)
        {
            return Err(
                Error::new("this is no name").hint("give one line of at most 200 characters")
            );
        }
        let catalogue = self.cache.look_again(workspace)?;
        let stem = |path: &str| NotePath::from(path).stem();
        let exists =
            |path: &str| self.root.join(path).exists() || open.iter().any(|it| it.path == path);
        match what {
            Rename::Heading { path, number } => {
                let own = self.resolver(workspace, open)?.buffer_of(path);
                let own = own.as_ref().and_then(|it| it.document().ok());
                let own = own.map(|it| it.front_matter.aliases.clone()).unwrap_or_default();
                let pages = page_names(&catalogue).into_iter().filter(|(page, _)| page == path);
                let mut names = vec![stem(path)];
                names.extend(own.into_iter().chain(pages.flat_map(|(_, names)| names)));
                let docs = docs::docs(self, &catalogue, open, path, &names);
                Ok(heading(&docs, &exists, path, *number, name))
            }
            Rename::Note { path } => {
                let to = new_path(path, name)?;
                let is_open = open.iter().any(|it| it.path == *path);
                if !(self.is_file(path) || is_open && self.is_free(path)) {
                    return Err(Error::new(format_args!("`{path}` is reached through a link"))
                        .hint("rename the file that the link leads to"));
                }
                if self.root.join(&to).symlink_metadata().is_ok() || exists(&to) {
                    return Err(Error::new(format_args!("there is already `{to}`"))
                        .hint("choose another name"));
                }
                if !self.is_free(&to) {
                    return Err(Error::new(format_args!(
                        "`{to}` would not lie in this repository"
                    ))
                    .hint("a part of the path is a link or a file; choose another name"));
                }
                let docs = docs::docs(self, &catalogue, open, path, &[stem(path), stem(&to)]);
                Ok(note(&docs, &exists, path, &to))
            }
        }
    }
}

/// By what names pages of entities are linked to.
fn page_names(catalogue: &Catalogue) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for file in &catalogue.snapshot.files {
        let Place::Document { segment, document } = file.place else { continue };
        let part = catalogue.snapshot.parts.get(segment as usize);
        let Some(part) = part.filter(|part| part.kind == Kind::Fact) else { continue };
        let Ok(view) = part.loaded.segment.document(document as usize) else { continue };
        if let Attributes::Facts { names, .. } = view.attributes {
            let names = names.into_iter().map(str::to_owned).collect();
            found.push((file.path.to_text(), names));
        }
    }
    found
}

/// Where a note lies under its new name: beside the old one, or, with `/` in it, even in front, counted
/// from the root.
pub fn new_path(path: &str, name: &str) -> Result<String> {
    let ending = path.rsplit_once('.').map_or("md", |(_, ending)| ending);
    let bare = name.strip_suffix(&format!(".{ending}")).unwrap_or(name);
    let from_top = bare.contains('/');
    let bare = bare.strip_prefix('/').unwrap_or(bare);
    let is_odd = |part: &str| {
        part.is_empty()
            || part.starts_with('.')
            || part.contains(['\\', ':', '*', '?', '"', '<', '>', '|'])
    };
    if bare.split('/').any(is_odd) {
        return Err(Error::new(format_args!("`{name}` is no name of a note"))
            .hint("give a name, or a path from the top of the repository"));
    }
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    Ok(match folder.filter(|_| !from_top) {
        Some(folder) => format!("{folder}/{bare}.{ending}"),
        None => format!("{bare}.{ending}"),
    })
}
