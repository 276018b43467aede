//! What is said of each large item of a large source file.

use std::collections::HashMap;

use elophanto_text::{
    outline::{Family, FileKind, Item, ItemKind, Outline},
    sentences::split,
};

use super::{
    CountTokens, Part,
    candidates::{lead, type_name},
    phrases::is_prose,
    print::{limited, said, words_within},
    prose::paragraphs,
    rank::{Candidate, Lead, choose},
    remarks::Remarks,
    text::tidy,
    words::{Vocabulary, in_words},
};

/// Most tokens of a part's text.
pub const MAX_PART_TOKENS: usize = 120;
/// Most parts of a file.
pub const MAX_PARTS: usize = 60;
/// A source file of more lines than this has parts.
pub const MIN_LINES: usize = 150;
/// A source file of more tokens than this has parts, however few its lines.
pub const MIN_TOKENS: usize = 1_500;
/// Lines that an item must have to be a part.
pub const MIN_ITEM_LINES: usize = 6;

/// Most tokens of a part's signature and of its sentences.
const MAX_SIGNATURE_TOKENS: usize = 40;
const MAX_PROSE_TOKENS: usize = 60;
/// Most sentences of a part.
const MAX_SENTENCES: usize = 3;

/// Items that are described together: a function, or a type with its implementations.
#[derive(Default)]
struct Group {
    /// Indexes into the outline, in its order.
    items: Vec<usize>,
    /// Methods and the like.
    members: Vec<usize>,
    lines: (usize, usize),
    /// Lines of all items together.
    size: usize,
}

/// The parts of a source file, none of a file that is short.
pub(super) fn parts(
    kind: FileKind,
    text: &str,
    outline: &Outline,
    remarks: &Remarks,
    vocabulary: &mut Vocabulary,
    count_tokens: &CountTokens<'_>,
) -> Vec<Part> {
    // A token has at least one byte, so most files need not be counted.
    let long = || text.lines().nth(MIN_LINES).is_some();
    let many = || text.len() > MIN_TOKENS && count_tokens(text) > MIN_TOKENS;
    if kind.family() != Family::Source || !(long() || many()) {
        return Vec::new();
    }
    let mut groups = groups(outline);
    groups.retain(|(_, group)| group.size >= MIN_ITEM_LINES);
    groups.sort_by_key(|(_, group)| (std::cmp::Reverse(group.size), group.lines.0));
    groups.truncate(MAX_PARTS);
    groups.sort_by_key(|(_, group)| group.lines);
    groups
        .into_iter()
        .map(|(name, group)| {
            let text = describe(&group, text, outline, remarks, vocabulary, count_tokens);
            Part { name, lines: group.lines, text }
        })
        .collect()
}

fn groups(outline: &Outline) -> Vec<(String, Group)> {
    let mut groups: Vec<(String, Group)> = Vec::new();
    let mut by_name: HashMap<(bool, String), usize> = HashMap::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (index, item) in outline.items.iter().enumerate() {
        if item.test {
            continue;
        }
        let parent = item.parent.filter(|&parent| parent < index);
        let owner = parent.and_then(|parent| group_of.get(&parent).copied());
        if let Some((_, group)) = owner.and_then(|owner| groups.get_mut(owner)) {
            // A Go method stands beside its type, not in it.
            if item.lines.0 > group.lines.1 || item.lines.1 < group.lines.0 {
                group.extend(item);
            }
            group.members.push(index);
            group_of.extend(owner.map(|owner| (index, owner)));
            continue;
        }
        let is_type = match item.kind {
            ItemKind::Struct
            | ItemKind::Enum
            | ItemKind::Union
            | ItemKind::Trait
            | ItemKind::Impl
            | ItemKind::Class
            | ItemKind::Interface
            | ItemKind::TypeAlias => true,
            ItemKind::Function | ItemKind::Method | ItemKind::Macro | ItemKind::Constant => false,
            _ => continue,
        };
        // A Go method may stand above its type.
        let later = item.parent.filter(|&parent| parent > index && item.kind == ItemKind::Method);
        let later = later.and_then(|parent| outline.items.get(parent));
        let is_type = is_type || later.is_some();
        let name =
            if is_type { type_name(&later.unwrap_or(item).name) } else { item.name.as_str() };
        let name = tidy(name);
        // Functions of one name in two modules are two things, implementations of a type are not.
        let key = (is_type, if is_type { name.clone() } else { format!("{name}\n{index}") });
        let at = *by_name.entry(key).or_insert_with(|| {
            groups.push((name, Group { lines: item.lines, ..Group::default() }));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(at) {
            group.extend(item);
            if later.is_some() { &mut group.members } else { &mut group.items }.push(index);
            group_of.insert(index, at);
        }
    }
    groups
}

impl Group {
    fn extend(&mut self, item: &Item) {
        self.lines = (self.lines.0.min(item.lines.0), self.lines.1.max(item.lines.1));
        self.size += (item.lines.1 + 1).saturating_sub(item.lines.0);
    }
}

/// Signature, the sentences that say most, names of members in words.
fn describe(
    group: &Group,
    text: &str,
    outline: &Outline,
    remarks: &Remarks,
    vocabulary: &mut Vocabulary,
    count_tokens: &CountTokens<'_>,
) -> String {
    let items = |indexes: &'_ [usize]| -> Vec<&Item> {
        indexes.iter().filter_map(|&index| outline.items.get(index)).collect()
    };
    let (own, members) = (items(&group.items), items(&group.members));
    let main = own.iter().find(|item| item.kind != ItemKind::Impl).or(own.first());
    let signature = main.map_or(String::new(), |item| tidy(&item.signature));
    let signature = words_within(&signature, MAX_SIGNATURE_TOKENS, count_tokens);
    let name = main.map_or("", |item| type_name(&item.name));
    let mut described = format!("`{}`", signature.replace('`', "'"));
    if let Some(words) = in_words(name) {
        described = format!("{described} ({words})");
    }
    described.push('.');

    let mut candidates = Vec::new();
    let mut add = |sentence: &str, lead: Option<Lead>, weight: f32, place: usize| {
        let sentence = super::candidates::clipped(sentence);
        candidates.push(Candidate::new(&sentence, lead, weight, place, vocabulary));
    };
    for (item, is_member) in
        own.iter().map(|item| (item, false)).chain(members.iter().map(|item| (item, true)))
    {
        let doc = paragraphs(&item.doc, true);
        let sentences = doc.iter().flat_map(|paragraph| split(paragraph));
        for (at, sentence) in sentences.take(if is_member { 1 } else { 6 }).enumerate() {
            let lead = if is_member { lead_of_member(item) } else { None };
            let weight =
                [3.0, 1.4].get(at).copied().unwrap_or(1.0) * if is_member { 0.35 } else { 1.0 };
            add(sentence, lead, weight, item.lines.0);
        }
    }
    let (first, last) = group.lines;
    let within = |line: usize| {
        (first..=last).contains(&line)
            && own.iter().chain(&members).any(|item| (item.lines.0..=item.lines.1).contains(&line))
    };
    for comment in remarks.comments.iter().filter(|comment| within(comment.line)).take(60) {
        for paragraph in paragraphs(&comment.text, true).iter().take(1) {
            for sentence in split(paragraph).into_iter().take(2).filter(|text| is_prose(text)) {
                add(sentence, None, 0.6, comment.line);
            }
        }
    }
    for message in remarks.messages.iter().filter(|message| within(message.line)).take(20) {
        add(&format!("Says \"{}\"", message.text.replace('"', "'")), None, 0.3, message.line);
    }

    let said_already = Candidate::new(&described, None, 1.0, 0, vocabulary);
    let print = |at: usize| {
        candidates.get(at).map_or(String::new(), |candidate| {
            said(&candidate.text, candidate.lead.as_ref(), "", text)
        })
    };
    let mut left = MAX_PROSE_TOKENS;
    let mut chosen = choose(&candidates, &said_already, vocabulary, MAX_SENTENCES, |at| {
        let cost = count_tokens(&print(at)) + 1;
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    });
    chosen.sort_by_key(|&at| (candidates.get(at).map(|candidate| candidate.place), at));
    for at in chosen {
        described.push(' ');
        described.push_str(&print(at));
    }
    with_members(described, &members, count_tokens)
}

fn with_members(described: String, members: &[&Item], count_tokens: &CountTokens<'_>) -> String {
    let mut names: Vec<String> = Vec::new();
    let called = |item: &&&Item| matches!(item.kind, ItemKind::Method | ItemKind::Function);
    for member in members.iter().filter(called) {
        let name = tidy(&member.name);
        let name = in_words(&name).unwrap_or_else(|| name.replace('_', " ").trim().to_owned());
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
        if names.len() >= 40 {
            break;
        }
    }
    let mut left = MAX_PART_TOKENS.saturating_sub(count_tokens(&described) + 6);
    names.retain(|name| {
        let cost = count_tokens(name) + 1;
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    });
    let text = if names.is_empty() {
        described
    } else {
        format!("{described} Methods: {}.", names.join(", "))
    };
    limited(&text, MAX_PART_TOKENS, count_tokens)
}

fn lead_of_member(item: &Item) -> Option<Lead> {
    lead(&Item { parent: None, ..item.clone() }, &Outline::default())
}
