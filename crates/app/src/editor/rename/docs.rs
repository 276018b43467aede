//! The texts that may refer to a note: all notes, the other Markdown of the repository, and what is left
//! out of it.

use std::{collections::BTreeMap, ffi::OsStr, path::Path};

use walkdir::WalkDir;

use super::{
    super::{Buffer, Editor, MOST_BYTES},
    hidden::{guessed, mentions},
    page_names,
    plan::{Doc, Standing},
};
use crate::reading::Catalogue;
use elophanto_repo::{NotePath, Selection, is_git_name, read_note, walk};
use elophanto_text::markdown;

/// All texts as they are now. Of those that are no notes, the ones in which one of the `names` stands.
pub fn docs(
    editor: &Editor,
    catalogue: &Catalogue,
    open: &[&Buffer],
    names: &[String],
) -> Vec<Doc> {
    let pages = page_names(catalogue);
    let mut standings = standings(editor, catalogue);
    // Those that nobody has saved yet are notes where notes lie.
    for path in open.iter().map(|it| it.path.as_str()).filter(|path| editor.is_note(path)) {
        let standing = match is_to_be_note(editor, path) {
            true => Standing::Note,
            false => Standing::LeftOut,
        };
        standings.entry(path.to_owned()).or_insert(standing);
    }
    let doc = |(path, standing): (String, Standing)| {
        let aliases = pages.iter().find(|(page, _)| *page == path).map(|it| it.1.clone());
        let (text, standing) = match open.iter().find(|it| it.path == path) {
            Some(open) => (open.text.clone(), standing),
            None => match read_note(&editor.root, &NotePath::from(path.as_str()), MOST_BYTES) {
                Ok((bytes, _)) => match markdown::decode(&bytes) {
                    Ok(decoded) => (decoded.text.into_owned(), standing),
                    Err(_) => (guessed(&bytes), Standing::Unreadable),
                },
                // It may say anything.
                Err(_) if editor.root.join(&path).exists() => {
                    (names.join("\n"), Standing::Unreadable)
                }
                Err(_) => return None,
            },
        };
        let is_asked = standing == Standing::Note || names.iter().any(|it| mentions(&text, it));
        is_asked.then_some(Doc { path, text, aliases, standing })
    };
    standings.into_iter().filter_map(doc).collect()
}

fn standings(editor: &Editor, catalogue: &Catalogue) -> BTreeMap<String, Standing> {
    let listing = editor.relist(catalogue);
    // Those that could not be indexed may refer all the same.
    let listed = listing.paths().iter().cloned();
    let notes = catalogue.entries.iter().map(|it| it.name.clone()).chain(listed);
    let mut found: BTreeMap<String, Standing> = notes.map(|path| (path, Standing::Note)).collect();
    let all = Selection {
        roots: vec![".".into()],
        apart: std::path::PathBuf::new(),
        ..editor.selection.clone()
    };
    for file in walk(&editor.root, &all).0 {
        found.entry(file.path.to_text()).or_insert(Standing::Beside);
    }
    // Nothing of git, and nothing of repositories within this one.
    let walked = WalkDir::new(&editor.root).into_iter().filter_entry(|entry| {
        let is_inner = || entry.depth() > 0 && entry.path().join(".git").exists();
        !(entry.file_type().is_dir() && (is_git_name(entry.file_name()) || is_inner()))
    });
    for entry in walked.filter_map(Result::ok).filter(|it| it.file_type().is_file()) {
        let below = entry.path().strip_prefix(&editor.root).ok().and_then(Path::to_str);
        if let Some(path) = below.filter(|path| editor.is_note(path)) {
            found.entry(path.to_owned()).or_insert(Standing::LeftOut);
        }
    }
    found
}

/// Whether a text that is not saved will be a note.
fn is_to_be_note(editor: &Editor, path: &str) -> bool {
    let below = Path::new(path);
    let roots = &editor.selection.roots;
    let is_below = roots.iter().any(|root| {
        root.as_os_str() == OsStr::new(".")
            || below.starts_with(root.strip_prefix("./").unwrap_or(root))
    });
    is_below
        && editor.selection.names(below)
        && !path.split('/').any(|part| part.starts_with('.'))
        && !editor.root.join(below).exists()
}
