//! The sentences that may be said of a file: from its own words about itself, the documentation
//! of what it defines, and its comments.

use std::collections::HashSet;

use elophanto_text::{
    outline::{FileKind, Item, ItemKind, Outline},
    sentences::split,
};

use super::{
    phrases::{is_boilerplate, is_prose},
    prose::paragraphs,
    rank::{Candidate, Lead},
    remarks::Remark,
    structure::all_tests,
    text::{cut, tidy},
    words::{Vocabulary, in_words},
};

/// Longest sentence that is said, in bytes; longer ones are cut.
pub(super) const MAX_SENTENCE: usize = 320;
/// Most candidates of one file.
const MAX_CANDIDATES: usize = 3_000;
/// Sentences read of one piece of documentation.
const MAX_OF_DOC: usize = 4;
/// Sentences read of one comment.
const MAX_OF_COMMENT: usize = 3;

/// Collects the candidates of one file.
pub(super) struct Collector<'a> {
    vocabulary: &'a mut Vocabulary,
    found: Vec<Candidate>,
    /// Texts already met: documentation is found as a comment once more.
    seen: HashSet<String>,
}

impl<'a> Collector<'a> {
    pub fn new(vocabulary: &'a mut Vocabulary) -> Self {
        Self { vocabulary, found: Vec::new(), seen: HashSet::new() }
    }

    pub fn finish(self) -> Vec<Candidate> {
        self.found
    }

    fn add(&mut self, text: &str, lead: Option<Lead>, weight: f32, place: usize) {
        if self.found.len() < MAX_CANDIDATES && text.chars().any(char::is_alphabetic) {
            let text = clipped(text);
            if !self.seen.insert(text.clone()) {
                return;
            }
            self.found.push(Candidate::new(&text, lead, weight, place, self.vocabulary));
        }
    }

    /// What a file says of itself, but for the sentence it is opened with.
    pub fn purpose(&mut self, kind: FileKind, purpose: &str, opening: &str) {
        let weights = [4.0, 2.5, 1.6, 1.2, 1.0, 1.0, 0.8];
        let mut place = 0;
        for paragraph in paragraphs(purpose, kind != FileKind::Markdown) {
            for sentence in split(&paragraph) {
                if sentence != opening {
                    let weight = weights.get(place).copied().unwrap_or(0.7);
                    self.add(sentence, None, weight, 0);
                    place += 1;
                }
            }
        }
    }

    /// Documentation of what the file defines.
    pub fn items(&mut self, path: &str, outline: &Outline) {
        let whole_tests = all_tests(outline);
        let stem = file_stem(path);
        for item in &outline.items {
            if (item.test && !whole_tests) || item.doc.is_empty() || is_boilerplate(&item.doc) {
                continue;
            }
            // What has the file's name tells what the file is for, in more than its first sentence.
            let (more, less) = if is_named(item, &stem) { (1.3, 0.85) } else { (1.0, 0.65) };
            let weight = item_weight(item) * more;
            let lead = lead(item, outline);
            let paragraphs = paragraphs(&item.doc, true);
            let sentences = paragraphs.iter().flat_map(|paragraph| split(paragraph));
            for (at, sentence) in sentences.take(MAX_OF_DOC).enumerate() {
                let weight = weight * f32::powi(less, at.min(2) as i32);
                self.add(sentence, lead.clone(), weight, item.lines.0);
            }
        }
    }

    /// Comments, told with the function that they stand in.
    pub fn comments(&mut self, comments: &[Remark], outline: &Outline, tests: &Lines) {
        let owners = Owners::of(outline);
        for comment in comments {
            if tests.contains(comment.line) || is_boilerplate(&comment.text) {
                continue;
            }
            let lead = owners.at(comment.line).and_then(|item| {
                let code =
                    matches!(item.kind, ItemKind::Function | ItemKind::Method | ItemKind::Macro);
                Some(Lead { inside: code, ..lead(item, outline)? })
            });
            let weight = if lead.is_some() { 0.65 } else { 0.75 };
            for paragraph in paragraphs(&comment.text, true).iter().take(2) {
                for sentence in split(paragraph).into_iter().take(MAX_OF_COMMENT) {
                    if is_prose(sentence) {
                        self.add(sentence, lead.clone(), weight, comment.line);
                    }
                }
            }
        }
    }

    /// The sentences of a document, those at the beginning of a paragraph and of the document
    /// first.
    pub fn prose(&mut self, text: &str, opening: &str) {
        for (number, paragraph) in paragraphs(without_front_matter(text), false).iter().enumerate()
        {
            let early = 1.0 + 1.0 / (1.0 + number as f32);
            for (at, sentence) in split(paragraph).into_iter().enumerate() {
                if sentence != opening && sentence.len() > 20 {
                    let weight = early * if at == 0 { 1.0 } else { 0.75 };
                    self.add(sentence, None, weight, number + 1);
                }
            }
            if self.found.len() >= MAX_CANDIDATES {
                break;
            }
        }
    }
}

/// Lines that belong to tests.
pub(super) struct Lines(Vec<(usize, usize)>);

impl Lines {
    /// Lines of the tests of a file, none if it is nothing but tests.
    pub fn of_tests(outline: &Outline) -> Self {
        if all_tests(outline) {
            return Self(Vec::new());
        }
        let mut spans: Vec<(usize, usize)> =
            outline.items.iter().filter(|item| item.test).map(|item| item.lines).collect();
        spans.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (first, last) in spans {
            match merged.last_mut() {
                Some(open) if first <= open.1.saturating_add(1) => open.1 = open.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Self(merged)
    }

    pub fn contains(&self, line: usize) -> bool {
        let after = self.0.partition_point(|span| span.0 <= line);
        after.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|span| line <= span.1)
    }
}

/// How an item is called in prose: `` `Level.next` ``, `` `RetryPolicy` `` (retry policy).
pub(super) fn lead(item: &Item, outline: &Outline) -> Option<Lead> {
    if item.kind == ItemKind::Heading || item.name.is_empty() || item.name.contains('`') {
        return None;
    }
    let name = tidy(&item.name);
    let name = cut(&name, 100);
    let owner = item.parent.and_then(|parent| outline.items.get(parent));
    let owner = owner
        .filter(|parent| !matches!(parent.kind, ItemKind::Module | ItemKind::Heading))
        .map(|parent| tidy(type_name(&parent.name)))
        .filter(|owner| !owner.is_empty() && !owner.contains('`'));
    Some(match owner {
        Some(owner) => Lead { name: format!("`{owner}.{name}`"), ..Lead::default() },
        None => Lead { name: format!("`{name}`"), words: in_words(name), inside: false },
    })
}

/// The type that an implementation is of: `Sleep` of `Future for Sleep<T>`.
pub(super) fn type_name(name: &str) -> &str {
    let name = name.rsplit_once(" for ").map_or(name, |(_, of)| of);
    let name = name.trim_start_matches(['&', '*', ' ']);
    let name = name.split(['<', '(', '[', ' ']).next().unwrap_or(name);
    cut(name.rsplit("::").next().unwrap_or(name), 100)
}

/// A sentence that is not too long, with an ellipsis where it was cut.
pub(super) fn clipped(text: &str) -> String {
    let short = cut(text, MAX_SENTENCE);
    if short.len() == text.len() { text.to_owned() } else { format!("{short} …") }
}

/// How much the documentation of an item says of the file: types first, what is offered to
/// others first, large before small.
pub(super) fn item_weight(item: &Item) -> f32 {
    let kind = match item.kind {
        ItemKind::Struct
        | ItemKind::Enum
        | ItemKind::Trait
        | ItemKind::Class
        | ItemKind::Interface
        | ItemKind::Union
        | ItemKind::Table
        | ItemKind::Message
        | ItemKind::Service => 1.2,
        ItemKind::Field | ItemKind::Column | ItemKind::Constant | ItemKind::Impl => 0.8,
        _ => 1.0,
    };
    let lines = item.lines.1.saturating_sub(item.lines.0) as f32;
    kind * if item.public { 1.25 } else { 1.0 } * (1.0 + (1.0 + lines).ln() / 12.0)
}

/// Whether an item has the file's name.
pub(super) fn is_named(item: &Item, stem: &str) -> bool {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    stem.len() > 2 && plain(&item.name) == plain(stem)
}

/// A file's name up to its first full stop.
pub(super) fn file_stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_owned()
}

/// What comments may stand in, in the order of the file.
struct Owners<'a>(Vec<&'a Item>);

impl<'a> Owners<'a> {
    fn of(outline: &'a Outline) -> Self {
        let holds = |item: &&Item| {
            matches!(
                item.kind,
                ItemKind::Function
                    | ItemKind::Method
                    | ItemKind::Macro
                    | ItemKind::Struct
                    | ItemKind::Enum
                    | ItemKind::Class
                    | ItemKind::Trait
                    | ItemKind::Key
                    | ItemKind::Table
            )
        };
        Self(outline.items.iter().filter(holds).collect())
    }

    /// The innermost: items come before what they hold.
    fn at(&self, line: usize) -> Option<&'a Item> {
        let around = |item: &&&Item| (item.lines.0..=item.lines.1).contains(&line);
        self.0.iter().rev().find(around).copied()
    }
}

fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return text;
    };
    rest.find("\n---").and_then(|end| rest.get(end + 4..)).unwrap_or(text)
}
