//! The structure lines: what a file defines, by name.

use elophanto_text::outline::{FileKind, Item, ItemKind, Outline};

use super::{
    CountTokens,
    text::{cut, tidy},
    words::in_words,
};
use crate::words::{Words, list};

/// Most tokens of the structure lines.
pub const MAX_STRUCTURE_TOKENS: usize = 200;

/// Most names that one line looks at.
const MAX_NAMES: usize = 300;
/// Most columns, fields or keys that are named of one thing.
const MAX_CHILDREN: usize = 8;
/// Names that are passed over because they are too long.
const MAX_MISSES: usize = 8;
/// Longest name that is shown, in bytes.
const MAX_NAME: usize = 80;

struct Line {
    label: &'static str,
    kinds: &'static [ItemKind],
    /// Kinds of what is named in brackets behind each.
    children: &'static [ItemKind],
}

const LINES: &[Line] = &[
    Line { label: "Tables", kinds: &[ItemKind::Table], children: &[ItemKind::Column] },
    Line { label: "Messages", kinds: &[ItemKind::Message], children: &[ItemKind::Field] },
    Line {
        label: "Services",
        kinds: &[ItemKind::Service],
        children: &[ItemKind::Operation, ItemKind::Method],
    },
    Line { label: "Operations", kinds: &[ItemKind::Operation], children: &[] },
    Line {
        label: "Types",
        kinds: &[
            ItemKind::Struct,
            ItemKind::Enum,
            ItemKind::Union,
            ItemKind::Trait,
            ItemKind::Class,
            ItemKind::Interface,
            ItemKind::TypeAlias,
        ],
        children: &[ItemKind::Field],
    },
    Line { label: "Functions", kinds: &[ItemKind::Function], children: &[] },
    Line { label: "Methods", kinds: &[ItemKind::Method], children: &[] },
    Line { label: "Macros", kinds: &[ItemKind::Macro], children: &[] },
    Line { label: "Commands", kinds: &[ItemKind::Command], children: &[] },
    Line { label: "Sections", kinds: &[ItemKind::Heading, ItemKind::Section], children: &[] },
    Line {
        label: "Top-level keys",
        kinds: &[ItemKind::Key],
        children: &[ItemKind::Field, ItemKind::Key],
    },
    Line { label: "Implements", kinds: &[ItemKind::Impl], children: &[] },
    Line { label: "Modules", kinds: &[ItemKind::Module], children: &[] },
    Line { label: "Constants", kinds: &[ItemKind::Constant], children: &[] },
];

/// Names of methods and traits that nearly every type has.
static EVERYWHERE: Words = list!(words "common_methods");
static TRAITS_EVERYWHERE: Words = list!(words "common_traits");

/// The structure lines of a file: `Types: A, B.`, `Functions: c, d.`, `Sections: ...`, at most
/// [`MAX_STRUCTURE_TOKENS`] tokens. Empty for a file that defines nothing.
pub fn structure(kind: FileKind, outline: &Outline, count_tokens: &CountTokens<'_>) -> String {
    structure_within(kind, outline, MAX_STRUCTURE_TOKENS, count_tokens)
}

/// The structure lines in at most `budget` tokens.
pub(super) fn structure_within(
    kind: FileKind,
    outline: &Outline,
    budget: usize,
    count_tokens: &CountTokens<'_>,
) -> String {
    let whole_tests = all_tests(outline);
    let lines: Vec<(&Line, Vec<Entry>)> = LINES
        .iter()
        .filter(|line| !(is_unit(kind) && line.label == "Sections"))
        .map(|line| (line, entries(line, outline, whole_tests)))
        .filter(|(_, entries)| !entries.is_empty())
        .collect();
    let mut left = budget;
    let mut written = String::new();
    for (at, (line, entries)) in lines.iter().enumerate() {
        // What comes first matters most, but leaves something to what follows.
        let share = if at + 1 == lines.len() { left } else { left * 6 / 10 };
        let text = within(label(line, kind), entries, share, count_tokens);
        if text.is_empty() {
            continue;
        }
        let joined = if written.is_empty() { text } else { format!("{written}\n{text}") };
        let tokens = count_tokens(&joined);
        if tokens > budget {
            continue;
        }
        written = joined;
        left = budget - tokens;
    }
    written
}

fn label(line: &Line, kind: FileKind) -> &'static str {
    match line.label {
        "Top-level keys" if is_unit(kind) => "Settings",
        "Top-level keys" if kind == FileKind::Sql => "Indexes",
        label => label,
    }
}

/// Whether a file is there for its tests: it defines nothing else, or they stand on the top level
/// and outnumber their helpers.
pub(super) fn all_tests(outline: &Outline) -> bool {
    let counted = |item: &&Item| !matches!(item.kind, ItemKind::Module | ItemKind::Impl);
    let top = |item: &&Item| item.parent.is_none();
    let tests = outline.items.iter().filter(counted).filter(|item| item.test);
    let others = outline.items.iter().filter(counted).filter(|item| !item.test);
    match others.filter(top).count() {
        0 => tests.count() > 0,
        others => tests.filter(top).count() >= 2 * others,
    }
}

/// Whether the file is a systemd unit.
pub(super) fn is_unit(kind: FileKind) -> bool {
    matches!(kind, FileKind::Service | FileKind::Timer)
}

struct Entry {
    /// With words or children in brackets.
    text: String,
    name: String,
    /// Higher is kept first.
    value: usize,
}

fn entries(line: &Line, outline: &Outline, tests: bool) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (index, item) in outline.items.iter().enumerate() {
        if found.len() >= MAX_NAMES {
            break;
        }
        if !line.kinds.contains(&item.kind) || (item.test && !tests) || is_everywhere(item) {
            continue;
        }
        let parent = item.parent.and_then(|parent| outline.items.get(parent));
        if parent.is_some_and(|parent| is_named_with(parent.kind, item.kind)) {
            continue;
        }
        let name = name(item);
        if name.is_empty() || !seen.insert(name.clone()) {
            continue;
        }
        let children = children(line.children, index, outline);
        let words =
            in_words(&name).filter(|_| matches!(line.label, "Types" | "Messages" | "Services"));
        let text = match (children.is_empty(), words) {
            (false, _) => format!("{name}({})", children.join(", ")),
            (true, Some(words)) => format!("{name} ({words})"),
            (true, None) => name.clone(),
        };
        let size = item.lines.1.saturating_sub(item.lines.0).min(10_000);
        let value =
            size + usize::from(item.public) * 20_000 + usize::from(item.parent.is_none()) * 40_000;
        found.push(Entry { text, name, value });
    }
    found
}

/// A line of as many names as fit, those of most value, in the order of the file.
fn within(label: &str, entries: &[Entry], budget: usize, count_tokens: &CountTokens<'_>) -> String {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(entries.get(at).map(|entry| entry.value)), at));
    let costs = |text: &str| count_tokens(text) + 1;
    // The label, the full stop and "and 99 more".
    let mut left = budget.saturating_sub(costs(label) + 6);
    let (mut kept, mut misses) = (Vec::new(), 0);
    for at in order {
        let Some(entry) = entries.get(at) else { continue };
        // A name alone is better than nothing.
        let fitting = [&entry.text, &entry.name].into_iter().find(|text| costs(text) <= left);
        if let Some(text) = fitting {
            left -= costs(text);
            kept.push((at, text.as_str()));
        } else if misses == MAX_MISSES {
            break;
        } else {
            misses += 1;
        }
    }
    if kept.is_empty() {
        return String::new();
    }
    kept.sort_unstable();
    let names: Vec<&str> = kept.iter().map(|(_, text)| *text).collect();
    let more = match entries.len() - kept.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{label}: {}{more}.", names.join(", "))
}

fn name(item: &Item) -> String {
    let name = if item.kind == ItemKind::Operation && item.parent.is_none() && !item.doc.is_empty()
    {
        format!("{} ({})", item.name, cut(&tidy(&item.doc), MAX_NAME))
    } else if item.kind == ItemKind::Command {
        item.signature.clone()
    } else {
        item.name.clone()
    };
    let name = tidy(&name);
    cut(&name, 2 * MAX_NAME).to_owned()
}

fn children(kinds: &[ItemKind], parent: usize, outline: &Outline) -> Vec<String> {
    if kinds.is_empty() {
        return Vec::new();
    }
    // Children follow their parent, so the search ends where the parent does.
    let end = outline.items.get(parent).map_or(0, |item| item.lines.1);
    let mut names: Vec<String> = outline
        .items
        .iter()
        .skip(parent + 1)
        .take_while(|item| item.lines.0 <= end)
        .filter(|item| item.parent == Some(parent) && kinds.contains(&item.kind))
        .take(MAX_CHILDREN + 1)
        .map(|item| cut(&tidy(&item.name), MAX_NAME).to_owned())
        .collect();
    if names.len() > MAX_CHILDREN
        && let Some(last) = names.last_mut()
    {
        "...".clone_into(last);
    }
    names
}

/// Whether such a child is told in the brackets of such a parent.
fn is_named_with(parent: ItemKind, child: ItemKind) -> bool {
    LINES.iter().any(|line| line.kinds.contains(&parent) && line.children.contains(&child))
}

fn is_everywhere(item: &Item) -> bool {
    match item.kind {
        ItemKind::Method => EVERYWHERE.contains(item.name.as_str()),
        ItemKind::Impl => item.name.split_once(" for ").is_none_or(|(name, _)| {
            let name = name.split('<').next().unwrap_or(name);
            TRAITS_EVERYWHERE.contains(name.rsplit("::").next().unwrap_or(name))
        }),
        _ => false,
    }
}
