//! The texts that may refer to a note: all notes, the other Markdown of the repository, and what is left
//! out of it.

use std::{collections::BTreeMap, ffi::OsStr, path::Path, sync::Arc};

use rustc_hash::FxHashMap;
use walkdir::WalkDir;

use super::{
    super::{Buffer, Editor, MOST_BYTES, without_mark},
    hidden::{guessed, mentions},
    page_names,
    plan::{Doc, Standing},
};
use crate::reading::Catalogue;
use elophanto_repo::{NotePath, Selection, is_git_name, read_note, walk};
use elophanto_text::markdown;

/// All texts as they are now. Of those that are no notes, the `own` one and the ones in which one of the
/// `names` stands.
pub fn docs(
    editor: &Editor,
    catalogue: &Catalogue,
    open: &[Arc<Buffer>],
    own: &str,
    names: &[String],
) -> Vec<Doc> {
    let mut pages: FxHashMap<String, Vec<String>> = page_names(catalogue).into_iter().collect();
    let mut places = places(editor, catalogue);
    places.entry(own.to_owned()).or_insert((Standing::Beside, None));
    // Those that nobody has saved yet are notes where notes lie.
    for path in open.iter().map(|it| it.path.as_str()).filter(|path| editor.is_note(path)) {
        let place = match is_to_be_note(editor, path) {
            true => (Standing::Note, None),
            false => (Standing::Beside, Some(LEFT_OUT)),
        };
        places.entry(path.to_owned()).or_insert(place);
    }
    let doc = |(path, (standing, kept)): (String, Place)| {
        let aliases = pages.remove(&path);
        let read = || read_note(&editor.root, &NotePath::from(path.as_str()), MOST_BYTES);
        let (text, standing, kept) = match open.iter().find(|it| it.path == path) {
            Some(open) => (open.text.clone(), standing, kept),
            None => match read() {
                Ok((bytes, _)) => match markdown::decode(&bytes) {
                    Ok(decoded) => {
                        let kept = kept.or(decoded.note.is_some().then_some(NOT_UTF8));
                        (without_mark(&decoded.text).to_owned(), standing, kept)
                    }
                    Err(_) => (guessed(&bytes), Standing::Unreadable, kept),
                },
                // It may say anything.
                Err(_) if editor.root.join(&path).exists() => {
                    (names.join("\n"), Standing::Unreadable, kept)
                }
                Err(_) => return None,
            },
        };
        let is_asked =
            standing == Standing::Note || path == own || names.iter().any(|it| mentions(&text, it));
        is_asked.then_some(Doc { path, text, aliases, standing, kept })
    };
    places.into_iter().filter_map(doc).collect()
}

/// How a text is found, and why it is not edited if it is not.
type Place = (Standing, Option<&'static str>);

const LEFT_OUT: &str = "its file is left out of the repository, and not edited";
const NOT_UTF8: &str = "its file is not UTF-8, and not edited unless it is open";

fn places(editor: &Editor, catalogue: &Catalogue) -> BTreeMap<String, Place> {
    let (listing, selection) = (editor.listing(), editor.selection());
    // Those that could not be indexed may refer all the same.
    let listed = listing.paths().iter().cloned();
    let notes = catalogue.entries.iter().map(|it| it.name.clone()).chain(listed);
    let mut found: BTreeMap<String, Place> =
        notes.map(|path| (path, (Standing::Note, None))).collect();
    let all = Selection {
        roots: vec![".".into()],
        apart: std::path::PathBuf::new(),
        ..Selection::clone(&selection)
    };
    for file in walk(&editor.root, &all).0 {
        found.entry(file.path.to_text()).or_insert((Standing::Beside, None));
    }
    // Nothing of git, and nothing of repositories within this one.
    let walked = WalkDir::new(&editor.root).into_iter().filter_entry(|entry| {
        let is_inner = || entry.depth() > 0 && entry.path().join(".git").exists();
        !(entry.file_type().is_dir() && (is_git_name(entry.file_name()) || is_inner()))
    });
    for entry in walked.filter_map(Result::ok).filter(|it| it.file_type().is_file()) {
        let below = entry.path().strip_prefix(&editor.root).ok().and_then(Path::to_str);
        if let Some(path) = below.filter(|path| editor.is_note(path)) {
            found.entry(path.to_owned()).or_insert((Standing::Beside, Some(LEFT_OUT)));
        }
    }
    found
}

/// Whether a text that is not saved will be a note.
fn is_to_be_note(editor: &Editor, path: &str) -> bool {
    let below = Path::new(path);
    let selection = editor.selection();
    let is_below = selection.roots.iter().any(|root| {
        root.as_os_str() == OsStr::new(".")
            || below.starts_with(root.strip_prefix("./").unwrap_or(root))
    });
    is_below
        && selection.names(below)
        && !path.split('/').any(|part| part.starts_with('.'))
        && !editor.root.join(below).exists()
}
