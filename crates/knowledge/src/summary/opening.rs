//! The sentence that opens a summary, and those about what a file refers to.

use elophanto_text::{
    outline::{Family, FileKind, Item, ItemKind, Outline},
    sentences::split,
};

use super::{
    candidates::{file_stem, is_named, item_weight, lead},
    phrases::is_boilerplate,
    print::{and, lowered, named, said},
    prose::paragraphs,
    structure::{all_tests, is_unit},
    text::{cut, tidy},
};

/// Most things named as what a file defines.
const MAX_DEFINED: usize = 4;
/// Most names in a sentence.
const MAX_NAMES: usize = 6;

/// What a file says of itself, unless that is only who made it.
pub(super) fn purpose(outline: &Outline) -> &str {
    if is_boilerplate(&outline.purpose) { "" } else { &outline.purpose }
}

/// The first sentence that a file says of itself.
pub(super) fn first_sentence(kind: FileKind, outline: &Outline) -> Option<String> {
    let paragraphs = paragraphs(purpose(outline), kind != FileKind::Markdown);
    Some((*split(paragraphs.first()?).first()?).to_owned())
}

/// What the file is: its kind, its path, and its own first sentence, or else that of its main
/// item, or else what it defines.
pub(super) fn opening(
    path: &str,
    kind: FileKind,
    text: &str,
    outline: &Outline,
    first: Option<&str>,
) -> String {
    let start = format!("{} `{}`", kind.label(), tidy(path).replace('`', "'"));
    if let Some(first) = first {
        return format!("{start}: {}", said(&lowered(first, text), None, "", text));
    }
    let items = main_items(path, kind, outline);
    let documented = items.iter().find_map(|item| {
        let lead = lead(item, outline)?;
        let paragraphs = paragraphs(&item.doc, true);
        let sentence = *split(paragraphs.first()?).first()?;
        Some(said(sentence, Some(&lead), "", text))
    });
    let names: Vec<String> = items
        .iter()
        .filter_map(|item| {
            Some(format!("the {} {}", item.kind.name(), named(&lead(item, outline)?, "")))
        })
        .take(MAX_DEFINED)
        .collect();
    match (documented, kind.family()) {
        (Some(documented), Family::Source) => format!("{start} with {documented}"),
        _ if names.is_empty() => format!("{start}."),
        (_, Family::Source) if all_tests(outline) => format!("{start} tests with {}.", and(&names)),
        (_, Family::Source) => format!("{start} defines {}.", and(&names)),
        _ => format!("{start} has {}.", and(&names)),
    }
}

/// What a file is there for, best first: what has its name, what is documented, what is large.
fn main_items<'a>(path: &str, kind: FileKind, outline: &'a Outline) -> Vec<&'a Item> {
    let (tests, stem) = (all_tests(outline), file_stem(path));
    let mut items: Vec<&Item> = outline
        .items
        .iter()
        .filter(|item| (!item.test && item.parent.is_none()) || tests)
        .filter(|item| {
            !matches!(
                item.kind,
                ItemKind::Impl | ItemKind::Field | ItemKind::Column | ItemKind::Method
            )
        })
        .filter(|item| !is_unit(kind) || item.kind == ItemKind::Command)
        .collect();
    let weight = |item: &Item| {
        let inner = matches!(item.kind, ItemKind::Module | ItemKind::Constant);
        item_weight(item)
            * if is_named(item, &stem) { 2.0 } else { 1.0 }
            * if item.doc.is_empty() { 0.7 } else { 1.0 }
            * if inner { 0.5 } else { 1.0 }
    };
    // Stable: of equal ones the first in the file stays first.
    items.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    items
}

/// Sentences about what a file refers to, for those that say little themselves.
pub(super) fn fillers(kind: FileKind, text: &str, outline: &Outline) -> Vec<String> {
    let mut fillers = Vec::new();
    if is_unit(kind) {
        fillers.extend(unit_sentences(text));
    }
    let imports: Vec<String> = outline
        .imports
        .iter()
        .take(MAX_NAMES)
        .map(|import| format!("`{}`", cut(&tidy(import), 80).replace('`', "'")))
        .collect();
    if !imports.is_empty() {
        fillers.push(format!("It uses {}.", and(&imports)));
    }
    fillers
}

/// When and how a unit runs, by the settings that say so.
fn unit_sentences(text: &str) -> Vec<String> {
    let values = |names: &[&str]| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.trim().split_once('='))
            .filter(|(name, value)| names.contains(&name.trim()) && !value.trim().is_empty())
            .take(MAX_NAMES)
            .map(|(name, value)| {
                format!("`{}={}`", name.trim(), cut(&tidy(value), 120).replace('`', "'"))
            })
            .collect()
    };
    let rows: [(&str, &[&str]); 4] = [
        ("It runs", &["ExecStart", "ExecStartPre", "ExecStop", "ExecReload", "Unit"]),
        (
            "Its schedule is",
            &[
                "OnCalendar", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec",
                "OnActiveSec", "Persistent", "RandomizedDelaySec",
            ],
        ),
        ("Its start depends on", &["After", "Requires", "Wants", "BindsTo", "WantedBy"]),
        ("Its restarts are set by", &["Restart", "RestartSec", "WatchdogSec"]),
    ];
    rows.iter()
        .map(|(verb, names)| (verb, values(names)))
        .filter(|(_, values)| !values.is_empty())
        .map(|(verb, values)| format!("{verb} {}.", and(&values)))
        .collect()
}
