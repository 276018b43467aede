//! What may be meant by what was typed so far.

use std::{ops::Range, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    Buffer, Editor, Resolver,
    context::{Typing, typing},
    covers,
    fixes::{relative, target_to},
    links::anchors,
};
use crate::{
    Result,
    reading::Catalogue,
    reporter::Silent,
    search::{SearchRequest, search_in},
};
use elophanto_base::{mutex::lock, one_line::one_line};
use elophanto_index::{Kind, search::Listing as Hits};
use elophanto_text::markdown::{Destination, Heading, Link, LinkKind, Scope};

/// Things that are proposed at once.
const MOST: usize = 60;
/// Characters of a name as it is shown.
const MOST_NAME: usize = 120;
/// Bytes of a paragraph by whose meaning notes are ranked.
const MOST_PARAGRAPH: usize = 150;
/// Keys of the front matter, with what each is for.
const KEYS: [(&str, &str); 7] = [
    ("title", "what the note is called"),
    ("created", "when it was written"),
    ("updated", "when it was last looked after"),
    ("tags", "words to find it by"),
    ("scope", "whom it is for: system, user, learned or plugin"),
    ("covers", "patterns of the files that it describes; when they change, it drifts"),
    ("aliases", "other names under which links find it"),
];

/// What something is that is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalKind {
    /// A note of the knowledge base.
    Note,
    /// The page of an entity.
    Entity,
    /// A heading of a note.
    Heading,
    /// A tag that notes have.
    Tag,
    /// A key of front matter.
    Key,
    /// A value that such a key may have.
    Value,
    /// A file of the work tree.
    File,
    /// A folder of the work tree.
    Folder,
}

/// Something that may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What is shown in the list.
    pub label: String,
    /// What is shown beside it: a title, a path.
    pub detail: String,
    /// What takes the place of `replace`.
    pub text: String,
    /// Bytes of the buffer.
    pub replace: Range<usize>,
    /// What is compared with what is typed on.
    pub filter: String,
    /// What it is, by which editors choose a picture.
    pub kind: ProposalKind,
}

/// All of them, the likeliest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposals {
    /// At most as many as a list is useful for.
    pub all: Vec<Proposal>,
    /// Whether there are others, for other words.
    pub is_cut: bool,
}

/// How near notes are to the paragraph that was written at last.
#[derive(Debug, Default)]
pub struct Meant {
    key: Option<(u64, blake3::Hash)>,
    ranks: FxHashMap<String, usize>,
}

/// What may be meant at a byte; `open` are the texts that are open.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn propose(
    editor: &Editor,
    open: &[Arc<Buffer>],
    buffer: &Buffer,
    offset: usize,
) -> Result<Proposals> {
    // Most keys are part of no link: nothing is opened for them.
    let Some(typing) = typing(buffer, offset) else { return Ok(Proposals::default()) };
    let workspace = editor.workspace()?;
    let resolver = editor.resolver(&workspace, open)?;
    match typing {
        Typing::Wiki { target, closing } => {
            let form = (LinkKind::Wiki, false, closing);
            notes(&resolver, buffer, target, offset, form)
        }
        Typing::Path { target, closing, is_pointed } => {
            let form = (LinkKind::Inline, is_pointed, closing);
            notes(&resolver, buffer, target, offset, form)
        }
        Typing::Heading { target, range, is_wiki } => {
            Ok(headings(&resolver, buffer, target, range, is_wiki))
        }
        Typing::Key { from } => Ok(keys(buffer, from..offset)),
        Typing::Value { key, from } => values(&resolver, buffer, &key, from..offset),
    }
}

/// A note that may be linked to.
struct Candidate<'c> {
    path: &'c str,
    title: &'c str,
    kind: Kind,
}

/// Notes in the place of `range`, of which as much is typed as stands before `offset`; `form` is how the
/// link is written: its kind, whether it stands in `<`, and what is missing behind it.
fn notes(
    resolver: &Resolver,
    buffer: &Buffer,
    range: Range<usize>,
    offset: usize,
    (kind, is_pointed, closing): (LinkKind, bool, &str),
) -> Result<Proposals> {
    let typed = buffer.text.get(range.start..offset).unwrap_or_default().to_lowercase();
    // Before notes were read, names have to do: nobody waits for a list.
    let (editor, listing, catalogue) = (resolver.editor, &resolver.listing, resolver.known_notes());
    if catalogue.is_none() {
        editor.warm();
    }
    let candidates: Vec<Candidate> = match catalogue {
        Some(catalogue) => {
            let of = |it: &'_ crate::reading::Entry| it.name != buffer.path;
            let entries = catalogue.entries.iter().filter(|it| of(it));
            let candidate =
                entries.map(|it| Candidate { path: &it.name, title: &it.title, kind: it.kind });
            candidate.collect()
        }
        None => {
            let paths = listing.paths().iter().filter(|path| **path != buffer.path);
            paths.map(|path| Candidate { path, title: "", kind: Kind::Note }).collect()
        }
    };
    let open = match kind {
        LinkKind::Inline => range.start.saturating_sub(1),
        LinkKind::Wiki | LinkKind::Embed => range.start.saturating_sub(2),
    };
    let ranks = match catalogue {
        Some(catalogue) => ranks(editor, catalogue, buffer, open..range.end)?,
        None => FxHashMap::default(),
    };
    // Of a path that rises, what rises as far or further.
    let rest = typed.trim_start_matches("../");
    let rising = typed.get(..typed.len() - rest.len()).filter(|_| kind == LinkKind::Inline);
    let rising = rising.unwrap_or_default();
    let is_word = |word: &&str| !word.is_empty() && !word.chars().all(|char| char == '.');
    let words: Vec<&str> = typed.split(['/', ' ']).filter(is_word).collect();
    let mut fitting: Vec<(bool, usize, &Candidate)> = candidates
        .iter()
        .filter_map(|it| {
            let (path, title) = (it.path.to_lowercase(), it.title.to_lowercase());
            let fits = words.iter().all(|word| path.contains(word) || title.contains(word));
            let stem = path.rsplit('/').next().unwrap_or(&path);
            let fits =
                fits && (rising.is_empty() || relative(&buffer.path, it.path).starts_with(rising));
            let begins = stem.starts_with(rest) || title.starts_with(rest);
            let rank = ranks.get(it.path).copied().unwrap_or(usize::MAX);
            fits.then_some((!begins, rank, it))
        })
        .collect();
    fitting.sort_by(|a, b| (a.0, a.1, a.2.path).cmp(&(b.0, b.1, b.2.path)));
    let is_cut = fitting.len() > MOST || catalogue.is_none();
    let all = fitting.into_iter().take(MOST).map(|(_, _, it)| {
        let target = target_to(&buffer.path, it.path, kind, is_pointed, listing);
        // What rises is compared as it is typed.
        let as_typed = if rising.is_empty() { String::new() } else { format!("{target} ") };
        let text = format!("{target}{closing}");
        let stem = it.path.rsplit('/').next().unwrap_or(it.path);
        let label = if it.title.is_empty() { stem } else { it.title };
        Proposal {
            label: one_line(label, MOST_NAME),
            detail: it.path.to_owned(),
            text,
            replace: range.clone(),
            filter: format!("{as_typed}{stem} {} {}", it.title, it.path),
            kind: if it.kind == Kind::Fact { ProposalKind::Entity } else { ProposalKind::Note },
        }
    });
    Ok(Proposals { all: all.collect(), is_cut })
}

/// How near notes are to the paragraph around a link that is being written, the nearest first; the link
/// itself says nothing.
fn ranks(
    editor: &Editor,
    catalogue: &Catalogue,
    buffer: &Buffer,
    link: Range<usize>,
) -> Result<FxHashMap<String, usize>> {
    let around = buffer.paragraph(buffer.line_at(link.start));
    let before = buffer.text.get(around.start..link.start).unwrap_or_default();
    let behind = buffer.text.get(link.end..around.end).unwrap_or_default();
    // The words nearest to the link.
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(MOST_PARAGRAPH))..];
    let behind = &behind[..behind.floor_char_boundary(MOST_PARAGRAPH)];
    // Nothing of it is an operator of a search.
    let paragraph: String = format!("{before} {behind}")
        .chars()
        .map(|char| if char.is_alphanumeric() || "'.".contains(char) { char } else { ' ' })
        .collect();
    if paragraph.trim().is_empty() {
        return Ok(FxHashMap::default());
    }
    let key = (catalogue.number, blake3::hash(paragraph.as_bytes()));
    if let Some(known) = Some(lock(&editor.meant)).filter(|it| it.key == Some(key)) {
        return Ok(known.ranks.clone());
    }
    let workspace = editor.unasked()?;
    let request = SearchRequest {
        text: paragraph,
        kinds: vec![Kind::Note, Kind::Fact],
        listing: Hits::Files { places: 1 },
        as_it_is: true,
        ..SearchRequest::default()
    };
    // A paragraph of nothing but common words ranks nothing.
    let found = search_in(&workspace, &request, Some(&catalogue.searched), &Silent);
    let hits = found.map(|found| found.answer.hits).unwrap_or_default();
    let mut ranks = FxHashMap::default();
    for (rank, hit) in hits.iter().enumerate() {
        ranks.entry(hit.path.to_text()).or_insert(rank);
    }
    *lock(&editor.meant) = Meant { key: Some(key), ranks: ranks.clone() };
    Ok(ranks)
}

fn headings(
    resolver: &Resolver,
    buffer: &Buffer,
    target: String,
    range: Range<usize>,
    is_wiki: bool,
) -> Proposals {
    let kind = if is_wiki { LinkKind::Wiki } else { LinkKind::Inline };
    let link = Link { target, kind, heading: None, line: 1, range: 0..0 };
    let note = match resolver.destination(&buffer.path, &link) {
        Destination::Inside(path) => resolver.buffer_of(&path),
        _ => None,
    };
    let document = note.as_ref().and_then(|note| note.document().ok());
    let Some(document) = document else { return Proposals::default() };
    let proposal = |(heading, slug): (&Heading, String)| Proposal {
        label: one_line(&heading.text, MOST_NAME),
        detail: "#".repeat(heading.level.into()),
        filter: format!("{} {slug}", heading.text),
        // What would end the link is left to the form that forges write.
        text: match is_wiki && !heading.text.contains(['[', ']', '|', '#']) {
            true => heading.text.clone(),
            false => slug,
        },
        replace: range.clone(),
        kind: ProposalKind::Heading,
    };
    Proposals { all: anchors(document).map(proposal).collect(), is_cut: false }
}

fn keys(buffer: &Buffer, range: Range<usize>) -> Proposals {
    let front = buffer.front_matter().and_then(|front| buffer.text.get(front));
    let is_there = |key: &str| {
        let mut lines = front.unwrap_or_default().lines();
        lines.any(|line| line.split([':', '=']).next().is_some_and(|known| known.trim() == key))
    };
    let mark = if buffer.is_toml() { " = " } else { ": " };
    let keys = KEYS.iter().filter(|(key, _)| !is_there(key)).map(|(key, what)| Proposal {
        label: (*key).to_owned(),
        detail: (*what).to_owned(),
        text: format!("{key}{mark}"),
        replace: range.clone(),
        filter: (*key).to_owned(),
        kind: ProposalKind::Key,
    });
    Proposals { all: keys.collect(), is_cut: false }
}

fn values(
    resolver: &Resolver,
    buffer: &Buffer,
    key: &str,
    range: Range<usize>,
) -> Result<Proposals> {
    let typed = buffer.text.get(range.clone()).unwrap_or_default();
    let before = buffer.text[..range.start].chars().next_back();
    let quote = before.filter(|char| matches!(char, '"' | '\''));
    let value = |text: String, detail: String, kind| Proposal {
        label: text.clone(),
        detail,
        filter: text.clone(),
        text: match quote {
            Some(quote) => escaped(&text, quote),
            None => quoted(text, buffer.is_toml()),
        },
        replace: range.clone(),
        kind,
    };
    let all: Vec<Proposal> = match key {
        "scope" => [Scope::System, Scope::User, Scope::Learned, Scope::Plugin]
            .into_iter()
            .map(|scope| value(scope.to_string(), String::new(), ProposalKind::Value))
            .collect(),
        "created" | "updated" => {
            let now = format!("{:.0}", jiff::Timestamp::now());
            vec![value(now, "now".to_owned(), ProposalKind::Value)]
        }
        "title" => {
            let first = buffer
                .document()
                .ok()
                .and_then(|document| document.headings.iter().find(|heading| heading.level == 1));
            let title = first.map(|heading| heading.text.clone());
            title
                .map(|it| value(it, "the heading".to_owned(), ProposalKind::Value))
                .into_iter()
                .collect()
        }
        "covers" => covers::proposals(&resolver.editor.root, typed)
            .into_iter()
            .map(|path| {
                let is_folder = path.ends_with(['/', '*']);
                let kind = if is_folder { ProposalKind::Folder } else { ProposalKind::File };
                value(path, String::new(), kind)
            })
            .collect(),
        "tags" => tags(resolver.catalogue()?)
            .into_iter()
            .map(|(tag, notes)| {
                value(tag, elophanto_base::counted::counted(notes, "note"), ProposalKind::Tag)
            })
            .collect(),
        _ => Vec::new(),
    };
    Ok(Proposals { all, is_cut: key == "covers" })
}

/// The tags of all notes, the commonest first, each with how many notes have it.
fn tags(catalogue: &Catalogue) -> Vec<(String, usize)> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for tag in catalogue.entries.iter().flat_map(|entry| &entry.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<(String, usize)> =
        counts.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect();
    tags.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    tags
}

/// A value as it stands in front matter: as text, which TOML has quoted, and YAML where it would take it
/// for something else.
fn quoted(text: String, is_toml: bool) -> String {
    const MEANT: [&str; 10] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"];
    let is_meant = MEANT.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_digits =
        text.starts_with(|char: char| char.is_ascii_digit()) && !text.contains(char::is_alphabetic);
    let is_number = is_digits
        || text.parse::<f64>().is_ok()
        || ["0x", "0o"].iter().any(|it| text.starts_with(it));
    let begins = text
        .starts_with(['*', '&', '!', '[', '{', '"', '\'', '#', '%', '@', '`', '|', '>', '-', '?']);
    let holds = [": ", " #", ","].iter().any(|mark| text.contains(mark)) || text.ends_with(':');
    if is_toml || is_meant || is_number || begins || holds || text.contains(['[', ']', '{', '}']) {
        format!("\"{}\"", escaped(&text, '"'))
    } else {
        text
    }
}

/// A value as it stands behind a mark that opens a quotation. TOML has no way to write `'` behind `'`.
fn escaped(text: &str, quote: char) -> String {
    match quote {
        '"' => text.replace('\\', "\\\\").replace('"', "\\\""),
        _ => text.replace('\'', "''"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_text() {
        for (text, yaml, toml) in [
            ("one", "one", "\"one\""),
            ("2024", "\"2024\"", "\"2024\""),
            ("1e5", "\"1e5\"", "\"1e5\""),
            ("2024-01-02", "\"2024-01-02\"", "\"2024-01-02\""),
            ("No", "\"No\"", "\"No\""),
            ("nothing", "nothing", "\"nothing\""),
            ("src/**", "src/**", "\"src/**\""),
            ("*.rs", "\"*.rs\"", "\"*.rs\""),
            ("2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z", "\"2026-11-27T10:00:00Z\""),
        ] {
            assert_eq!(quoted(text.to_owned(), false), yaml);
            assert_eq!(quoted(text.to_owned(), true), toml);
        }
        for (text, double, single) in [
            ("one", "one", "one"),
            (r#"a "b" c"#, r#"a \"b\" c"#, r#"a "b" c"#),
            (r"a\b", r"a\\b", r"a\b"),
            ("it's", "it's", "it''s"),
        ] {
            assert_eq!((escaped(text, '"'), escaped(text, '\'')), (double.into(), single.into()));
        }
    }
}
