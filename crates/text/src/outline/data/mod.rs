//! Configuration: YAML, JSON and TOML as keys, systemd units as sections; and what OpenAPI and JSON
//! Schema say with such keys.
//!
//! Each format is read by lines or marks into [`Entry`]s, without a tree and without aliases, so
//! that no text can make it large. What the keys mean is told here for all formats at once.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use super::{
    draft::{Draft, Found},
    kind::ItemKind,
    prose,
};

pub(super) mod json;
pub(super) mod toml;
pub(super) mod unit;
pub(super) mod yaml;

/// Keys deeper than this are read over: a property of an OpenAPI schema has its description here.
const DEPTH: usize = 6;
/// Keys that are kept.
const ENTRIES: usize = 50_000;
const METHODS: &[&str] =
    &["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// A key where it stands.
struct Entry<'t> {
    parent: Option<usize>,
    /// How many keys and lists are around it.
    depth: usize,
    key: Cow<'t, str>,
    /// Empty for what holds keys or a list.
    value: Cow<'t, str>,
    /// From the key to the end of what it holds.
    range: Range<usize>,
    /// The comment above it.
    doc: String,
}

/// The keys of a text, and the comment at its head.
#[derive(Default)]
struct Entries<'t> {
    list: Vec<Entry<'t>>,
    head: String,
}

impl<'t> Entries<'t> {
    /// The number of the new entry; `None` for one that is not kept.
    fn add(&mut self, entry: Entry<'t>) -> Option<usize> {
        if entry.depth > DEPTH || self.list.len() >= ENTRIES {
            return None;
        }
        self.list.push(entry);
        Some(self.list.len() - 1)
    }

    fn end(&mut self, number: Option<usize>, at: usize) {
        if let Some(entry) = number.and_then(|number| self.list.get_mut(number)) {
            entry.range.end = at.max(entry.range.start);
        }
    }

    fn key(&self, number: Option<usize>) -> &str {
        number.and_then(|number| self.list.get(number)).map_or("", |entry| entry.key.as_ref())
    }

    fn parent(&self, number: Option<usize>) -> Option<usize> {
        number.and_then(|number| self.list.get(number)).and_then(|entry| entry.parent)
    }

    /// A comment with nothing right below it: above all keys it is about the file.
    fn pause(&mut self, comment: &[&str]) {
        if self.list.is_empty() && self.head.is_empty() {
            self.head = said(comment);
        }
    }
}

/// The lines of a comment, each without its `#`; a licence says nothing.
fn said(comment: &[&str]) -> String {
    let text =
        prose::unmarked(&comment.iter().map(|line| format!("#{line}\n")).collect::<String>());
    if prose::is_licence(&text) { String::new() } else { text }
}

/// Values by the entry they belong to and their key.
type Values<'e> = HashMap<(Option<usize>, &'e str), &'e str>;

fn tell(draft: &mut Draft<'_>, entries: &Entries<'_>) {
    let mut values = Values::new();
    for entry in entries.list.iter().filter(|entry| !entry.value.is_empty()) {
        values.entry((entry.parent, &entry.key)).or_insert(&entry.value);
    }
    draft.purpose(&purpose(entries, &values));
    let top = |key: &str| entries.list.iter().any(|entry| entry.depth == 0 && entry.key == key);
    let api = (top("openapi") || top("swagger")) && (top("paths") || top("components"));
    let schema = top("properties") && (top("type") || top("$schema"))
        || top("$schema") && (top("$defs") || top("definitions"));
    let mut numbers = vec![None; entries.list.len()];
    for at in 0..entries.list.len() {
        let item = if api || schema {
            described(entries, &values, at, &numbers)
        } else {
            plain(entries, at, &numbers)
        };
        if let Some(item) = item {
            let entry = &entries.list[at];
            let head = first_line(draft.slice(entry.range.clone()));
            let signature = if item.kind == ItemKind::Operation { &item.name } else { head };
            numbers[at] = draft.add(Found {
                parent: item.parent,
                signature,
                doc: &item.doc,
                ..Found::new(item.kind, &item.name, entry.range.clone())
            });
        }
    }
}

struct Told {
    kind: ItemKind,
    name: String,
    parent: Option<usize>,
    doc: String,
}

/// Title and description of the whole, or of the package that it is about; else the comment at the
/// head.
fn purpose(entries: &Entries<'_>, values: &Values<'_>) -> String {
    const ABOUT: &[&str] = &["info", "package", "project", "metadata", "workspace"];
    let about = entries
        .list
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.depth == 0 && ABOUT.contains(&entry.key.as_ref()));
    let places = std::iter::once(None).chain(about.map(|(at, _)| Some(at)));
    let said = places.filter_map(|place| {
        let description = values.get(&(place, "description"));
        let title = values.get(&(place, "title"));
        // A name alone says nothing that the key does not.
        title.or(description)?;
        let parts = [title, description].into_iter().flatten().copied();
        Some(parts.collect::<Vec<_>>().join("\n\n"))
    });
    said.into_iter().next().unwrap_or_else(|| entries.head.clone())
}

/// Keys at the top and one below; the names of what is listed at the top.
fn plain(entries: &Entries<'_>, at: usize, numbers: &[Option<usize>]) -> Option<Told> {
    let entry = &entries.list[at];
    let parent = entry.parent.and_then(|parent| numbers[parent]);
    let (kind, name) = match (entry.depth, entry.parent) {
        (0, _) => (ItemKind::Key, entry.key.to_string()),
        (1, Some(_)) => (ItemKind::Field, entry.key.to_string()),
        (1, None) if entry.key == "name" => (ItemKind::Key, entry.value.to_string()),
        _ => return None,
    };
    Some(Told { kind, name, parent, doc: entry.doc.clone() })
}

/// Operations, schemas and their properties.
fn described(
    entries: &Entries<'_>,
    values: &Values<'_>,
    at: usize,
    numbers: &[Option<usize>],
) -> Option<Told> {
    let entry = &entries.list[at];
    let above = entry.parent;
    let over = entries.parent(above);
    let told = |kind, name: String, parent| {
        let keys = ["operationId", "title", "summary", "description"];
        let said = keys.iter().filter_map(|key| values.get(&(Some(at), *key)).copied());
        let doc = said.collect::<Vec<_>>().join("\n");
        Some(Told { kind, name, parent, doc })
    };
    let method = METHODS.contains(&entry.key.as_ref());
    let schemas = ["schemas", "definitions", "$defs"].contains(&entries.key(above));
    if entry.depth == 2 && method && entries.key(over) == "paths" {
        let name = format!("{} {}", entry.key.to_uppercase(), entries.key(above));
        return told(ItemKind::Operation, name, None);
    }
    if schemas && entry.depth <= 2 {
        return told(ItemKind::Message, entry.key.to_string(), None);
    }
    if entries.key(above) == "properties" {
        let parent = over.and_then(|over| numbers[over]);
        if parent.is_some() || over.is_none() && entry.depth == 1 {
            return told(ItemKind::Field, entry.key.to_string(), parent);
        }
    }
    None
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches(['{', '[', ',', ' '])
}
