//! What refers to what: links and mentions of notes, imports of source files, and what notes say
//! that they cover, as one graph.
//!
//! Owns reading the files that the graph is of. What an import or a mention means is `graph`'s,
//! where a link leads `links`'.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scan::{Found, outline_in_time};
use elophanto_index::{
    Snapshot, links,
    store::{Malformed, segment::Attributes},
};
use elophanto_repo::read_note;
use elophanto_text::{
    changelog,
    graph::{Edge, EdgeKind, Graph, Language, Node, NodeKind, Paths, Symbols, mentions},
    markdown::{self, Destination},
    outline::{FileKind, ItemKind, Outline},
};

/// A graph, and the bytes of paths that are not UTF-8, by what stands for them in it.
pub struct References {
    pub graph: Graph,
    pub bytes: FxHashMap<String, Vec<u8>>,
}

/// The graph of the notes and of the files that could be described.
///
/// # Errors
/// [`Malformed`] if the view of the notes is damaged.
pub fn graph(
    root: &Path,
    notes: &Snapshot,
    files: &[Found],
    max_file_bytes: u64,
) -> Result<References, Malformed> {
    let mut nodes = Vec::new();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut texts = Vec::new();
    let mut things: Vec<Thing> = Vec::new();
    let mut left_out: FxHashSet<String> = FxHashSet::default();
    for part in &notes.parts {
        for number in part.live.ones() {
            let view = part.loaded.segment.document(number)?;
            let path = view.path.to_text();
            // It names every note there is.
            if changelog::is_part(view.path.as_path(), view.scope) {
                left_out.insert(path);
                continue;
            }
            let text = part.loaded.segment.text(&view)?;
            let kind = match view.attributes {
                Attributes::Note { covers } => {
                    texts.push((path.clone(), text, covers));
                    NodeKind::Note
                }
                Attributes::Facts { names, .. } => {
                    things.push(Thing { path: path.clone(), text, names });
                    NodeKind::Entity
                }
                Attributes::Summary(_) | Attributes::Lessons { .. } => continue,
            };
            numbers.insert(path.clone(), nodes.len());
            nodes.push(Node { path, title: view.title.to_owned(), kind });
        }
    }
    let is_known = |path: &String| numbers.contains_key(path) || left_out.contains(path);
    let sources: Vec<&Found> = files
        .iter()
        .filter(|found| !found.is_private && !is_known(&found.path.to_text()))
        .collect();
    for found in &sources {
        let path = found.path.to_text();
        numbers.insert(path.clone(), nodes.len());
        let title = found.kind.label().to_owned();
        nodes.push(Node { title, path, kind: NodeKind::Source });
    }
    let outlines: Vec<(String, FileKind, Outline)> = sources
        .par_iter()
        .filter_map(|found| {
            let (bytes, _) = read_note(root, &found.path, max_file_bytes).ok()?;
            let decoded = markdown::decode(&bytes).ok()?;
            Some((found.path.to_text(), found.kind, outline_in_time(found.kind, &decoded.text)))
        })
        .collect();

    // What is told already, by node.
    let mut told: FxHashSet<(String, String)> = FxHashSet::default();
    let paths = Paths::new(nodes.iter().map(|node| node.path.as_str()));
    let mut edges = Vec::new();
    let mut add = |from: &str, to: &str, kind, line| {
        if let (Some(&from), Some(&to)) = (numbers.get(from), numbers.get(to)) {
            edges.push(Edge { from, to, kind, line });
        }
    };
    for (path, kind, outline) in &outlines {
        let Some(language) = language(*kind) else { continue };
        for import in &outline.imports {
            if let Some(to) = paths.resolve_import(path, language, import) {
                add(path, to, EdgeKind::Import, None);
            }
        }
    }
    let exists = |path: &str| root.join(path).exists();
    for link in links::follow(notes, &exists, &links::Files::below(root))? {
        if let Destination::Inside(to) = &link.to {
            let kind = if link.wiki { EdgeKind::WikiLink } else { EdgeKind::Link };
            add(&link.path.to_text(), to, kind, Some(link.line));
            told.insert((link.path.to_text(), to.clone()));
        }
    }
    let symbols = Symbols::new(outlines.iter().flat_map(|(path, _, outline)| {
        names(outline).into_iter().map(move |name| (name, path.as_str()))
    }));
    for (path, _, covers) in texts.iter().filter(|(.., covers)| !covers.is_empty()) {
        let set = patterns(covers);
        for found in &sources {
            if set.is_match(found.path.as_path()) {
                add(path, &found.path.to_text(), EdgeKind::Covers, None);
                told.insert((path.clone(), found.path.to_text()));
            }
        }
    }
    let mentioned: Vec<_> =
        texts.par_iter().map(|(_, text, _)| mentions(text, &paths, &symbols)).collect();
    for ((path, ..), mentioned) in texts.iter().zip(mentioned) {
        for mention in mentioned {
            // The text of a link, and what `covers:` names, is no reference of its own.
            if !told.contains(&(path.clone(), mention.path.to_owned())) {
                add(path, mention.path, EdgeKind::Mention, Some(mention.line));
            }
        }
    }
    for (from, to, line) in facts_about(&things) {
        add(from, to, EdgeKind::Mention, Some(line));
    }
    let notes = notes.files.iter().map(|file| &file.path);
    let all = notes.chain(files.iter().map(|found| &found.path));
    let odd = all.filter(|path| std::str::from_utf8(path.as_bytes()).is_err());
    let bytes = odd.map(|path| (path.to_text(), path.as_bytes().to_vec())).collect();
    Ok(References { graph: Graph::new(nodes, edges), bytes })
}

/// The page of an entity.
struct Thing<'s> {
    path: String,
    text: &'s str,
    /// Every name of the entity.
    names: Vec<&'s str>,
}

/// Shorter names mean too many things.
const SHORTEST_NAME: usize = 3;
/// A longer name is not looked for, in words.
const LONGEST_NAME: usize = 8;

/// Pages whose facts name another entity: the page, that of the other, and the line. A name within a
/// longer one is not meant.
fn facts_about<'t>(things: &'t [Thing]) -> Vec<(&'t str, &'t str, usize)> {
    let mut by_name: FxHashMap<Vec<String>, &Thing> = FxHashMap::default();
    for thing in things {
        for name in thing.names.iter().filter(|name| name.chars().count() >= SHORTEST_NAME) {
            by_name.entry(words(name)).or_insert(thing);
        }
    }
    let of_page = |thing: &'t Thing| {
        let own: FxHashSet<Vec<String>> = thing.names.iter().map(|name| words(name)).collect();
        let mut found = Vec::new();
        for (line, text) in (1..).zip(thing.text.lines()) {
            let said = words(text);
            let mut at = 0;
            while at < said.len() {
                let longest = (1..=LONGEST_NAME.min(said.len() - at)).rev();
                let mut named = longest.filter_map(|count| {
                    let name = &said[at..at + count];
                    Some((count, *by_name.get(name)?, own.contains(name)))
                });
                let Some((count, other, is_own)) = named.next() else {
                    at += 1;
                    continue;
                };
                if !is_own {
                    found.push((thing.path.as_str(), other.path.as_str(), line));
                }
                at += count;
            }
        }
        found
    };
    things.par_iter().flat_map_iter(of_page).collect()
}

/// The words of a text in lower case, without what stands around them.
fn words(text: &str) -> Vec<String> {
    let bare = |char: char| !char.is_alphanumeric() && !matches!(char, '+' | '#');
    let words = text.split_whitespace().map(|word| word.trim_matches(bare).to_lowercase());
    let without_s = words.map(|word| match word.strip_suffix("'s").or(word.strip_suffix("’s")) {
        Some(owner) => owner.to_owned(),
        None => word,
    });
    without_s.filter(|word| !word.is_empty()).collect()
}

/// What covers: names, each pattern as it is and as a folder.
fn patterns(covers: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in covers {
        let pattern = pattern.trim_start_matches("./").trim_matches('/');
        for pattern in [pattern.to_owned(), format!("{pattern}/**")] {
            if let Ok(glob) = GlobBuilder::new(&pattern).literal_separator(true).build() {
                set.add(glob);
            }
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The names that a file defines, those of members also with what they belong to.
fn names(outline: &Outline) -> Vec<String> {
    let mut names = Vec::new();
    for item in outline.items.iter().filter(|item| is_symbol(item.kind) && !item.test) {
        names.push(item.name.clone());
        let parent = item.parent.and_then(|parent| outline.items.get(parent));
        if let Some(parent) = parent {
            // `Trait for Type` belongs to the type.
            let owner = parent.name.rsplit(" for ").next().unwrap_or(&parent.name);
            names.push(format!("{owner}::{}", item.name));
            names.push(format!("{owner}.{}", item.name));
        }
    }
    names
}

fn is_symbol(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Function
        | ItemKind::Method
        | ItemKind::Struct
        | ItemKind::Enum
        | ItemKind::Union
        | ItemKind::Trait
        | ItemKind::Class
        | ItemKind::Interface
        | ItemKind::TypeAlias
        | ItemKind::Constant
        | ItemKind::Macro
        | ItemKind::Table
        | ItemKind::Message
        | ItemKind::Service => true,
        ItemKind::Module
        | ItemKind::Impl
        | ItemKind::Heading
        | ItemKind::Key
        | ItemKind::Section
        | ItemKind::Command
        | ItemKind::Column
        | ItemKind::Operation
        | ItemKind::Field => false,
    }
}

/// How imports of a kind of file are to be read.
fn language(kind: FileKind) -> Option<Language> {
    Some(match kind {
        FileKind::Rust => Language::Rust,
        FileKind::Python => Language::Python,
        FileKind::JavaScript | FileKind::TypeScript | FileKind::Tsx => Language::JavaScript,
        FileKind::Go => Language::Go,
        FileKind::C => Language::C,
        FileKind::Java => Language::Java,
        FileKind::Shell => Language::Shell,
        FileKind::Service | FileKind::Timer => Language::Unit,
        _ => return None,
    })
}
