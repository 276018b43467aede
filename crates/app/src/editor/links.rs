//! Where the links of a text lead, and who leads where.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Buffer, Resolver, Spot};
use crate::reading::Catalogue;
use elophanto_text::markdown::{
    self, Destination, Document, Heading, Link, Written, anchor, written,
};

/// A link and where it leads.
#[derive(Debug, Clone)]
pub struct LinkTo<'b> {
    /// As it is written.
    pub link: &'b Link,
    /// The note, file or heading; or that there is none.
    pub to: Destination,
}

impl LinkTo<'_> {
    /// Where its parts are written; `None` where that cannot be told for sure.
    pub fn written(&self, buffer: &Buffer) -> Option<Written> {
        written(&buffer.text, self.link)
    }

    /// The heading that it names.
    pub fn heading(&self) -> Option<&str> {
        self.link.heading.as_deref().filter(|heading| !heading.is_empty())
    }
}

/// The headings of a text by what links call them.
#[derive(Debug, Clone, Default)]
pub struct Headings {
    /// As forges link to them.
    anchors: FxHashMap<String, usize>,
    /// Their words, in lower case.
    words: FxHashMap<String, usize>,
}

impl Headings {
    pub fn of(document: &Document) -> Self {
        let mut found = Self::default();
        for (number, (heading, anchor)) in anchors(document).enumerate() {
            found.anchors.entry(anchor).or_insert(number);
            found.words.entry(heading.text.to_ascii_lowercase()).or_insert(number);
        }
        found
    }

    /// The number of the heading that a link means: by its words, or as forges write it.
    pub fn number(&self, wanted: &str) -> Option<usize> {
        // `[[note#Part#Below]]` names the way to it.
        let wanted = wanted.rsplit('#').next().unwrap_or(wanted).trim();
        let decoded = markdown::percent_decode(wanted).unwrap_or_else(|| wanted.to_owned());
        let slug = || Some(anchor(&decoded)).filter(|slug| !slug.is_empty());
        let by_words = || self.words.get(&wanted.to_ascii_lowercase());
        let found = self.anchors.get(&decoded).or_else(by_words);
        found.or_else(|| self.anchors.get(&slug()?)).copied()
    }
}

/// What links may mean in a text besides its headings.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// What HTML calls its elements, what headings are called in braces or by their blanks, and what
    /// comments hold that generators of sites may make an anchor of.
    ids: FxHashSet<String>,
    /// Headings with pictures, as forges link to them but for the words of the pictures.
    pictured: Vec<String>,
}

impl Named {
    /// What HTML, headings and comments of this text name.
    pub fn of(text: &str, headings: &[Heading]) -> Self {
        let mut found = Self::default();
        for key in ["id=", "name="] {
            for (at, _) in text.match_indices(key) {
                found.value(&text[at + key.len()..]);
            }
        }
        // `{#id}`, `{ #id .class }`, `{: #id }`
        for (at, mark) in text.match_indices('{') {
            let rest = &text[at + mark.len()..];
            let end = rest.find(['}', '{', '\n']).filter(|end| rest[*end..].starts_with('}'));
            let inside = end.map_or("", |end| &rest[..end]).trim_start_matches(':');
            let ids = inside.split_whitespace().filter_map(|word| word.strip_prefix('#'));
            found.ids.extend(ids.map(str::to_owned));
        }
        for comment in text.split("<!--").skip(1).filter_map(|it| it.split_once("-->")) {
            // None of them is the anchor of a heading.
            let ids = comment.0.split_whitespace().filter(|word| word.contains(['.', ':']));
            found.ids.extend(ids.map(str::to_owned));
        }
        for heading in headings {
            // Forges put a `-` for each blank.
            let source = text.get(heading.range.clone()).unwrap_or_default().trim();
            let words = source.trim_matches('#').trim();
            found.ids.extend(words.contains("  ").then(|| anchor(words)));
        }
        let is_pictured = |heading: &&Heading| {
            let source = text.get(heading.range.clone()).unwrap_or_default();
            source.contains("![") || source.contains("<img")
        };
        let pictured = headings.iter().filter(is_pictured);
        found.pictured = pictured.map(|heading| anchor(&heading.text)).collect();
        found
    }

    /// The value of an attribute, of which this is the rest of the text.
    fn value(&mut self, rest: &str) {
        if let Some(quote) = rest.chars().next().filter(|char| matches!(char, '"' | '\'')) {
            self.ids.extend(rest[1..].split_once(quote).map(|(value, _)| value.to_owned()));
            return;
        }
        let end = rest.find(['>', '=', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
        let value = &rest[..end];
        // A slash may be part of it, or close the element.
        self.ids.extend(value.split_once('/').map(|(value, _)| value.to_owned()));
        if !rest[end..].starts_with('=') {
            self.ids.insert(value.to_owned());
        }
    }

    /// Whether a link may mean one of them.
    pub fn holds(&self, wanted: &str) -> bool {
        let slug = anchor(wanted);
        let slug = slug.trim_matches('-');
        self.ids.contains(wanted)
            || !slug.is_empty() && self.pictured.iter().any(|pictured| pictured.contains(slug))
    }
}

/// Each heading with what forges link to it by.
pub fn anchors(document: &Document) -> impl Iterator<Item = (&Heading, String)> {
    let mut seen = FxHashMap::<String, usize>::default();
    document.headings.iter().map(move |heading| {
        let slug = anchor(&heading.text);
        let count = seen.entry(slug.clone()).or_insert(0);
        let own = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        (heading, own)
    })
}

impl Resolver<'_> {
    fn follow<'b>(&self, buffer: &Buffer, link: &'b Link) -> LinkTo<'b> {
        LinkTo { link, to: self.destination(&buffer.path, link) }
    }

    /// The links of a text.
    pub fn links<'b>(&self, buffer: &'b Buffer) -> impl Iterator<Item = LinkTo<'b>> {
        let links = buffer.document().map_or(&[][..], |document| document.links.as_slice());
        links.iter().map(|link| self.follow(buffer, link))
    }

    /// The link at a byte: of links within each other, the inner one.
    pub fn link_at<'b>(&self, buffer: &'b Buffer, offset: usize) -> Option<LinkTo<'b>> {
        let document = buffer.document().ok()?;
        let holds = |range: &Range<usize>| range.start <= offset && offset < range.end;
        let around = document.links.iter().filter(|link| holds(&link.range));
        Some(self.follow(buffer, around.min_by_key(|link| link.range.len())?))
    }

    /// What stands at a byte is defined here.
    pub fn definition(&self, buffer: &Buffer, offset: usize) -> Option<Spot> {
        if let Some(link) = self.link_at(buffer, offset) {
            let Destination::Inside(path) = &link.to else { return None };
            // What is no text has a beginning all the same.
            let Some(target) = self.buffer_of(path) else { return Some(Spot::top(path)) };
            return Some(match link.heading().and_then(|wanted| target.heading(wanted)) {
                Some(heading) => Spot::of(&target, &heading.range),
                None => Spot::line(&target, 0),
            });
        }
        let known = self.known().ok()?;
        let (_, entity) = known.entity_at(buffer, offset)?;
        Some(Spot::top(&known.page(entity)?))
    }

    /// Who refers to what stands at a byte: to where a link leads, to a heading, to an entity; else to
    /// the note itself.
    pub fn references(&self, buffer: &Buffer, offset: usize) -> Vec<Spot> {
        let Ok(catalogue) = self.catalogue() else { return Vec::new() };
        if let Some(link) = self.link_at(buffer, offset) {
            return match &link.to {
                Destination::Inside(path) => self.referring(catalogue, path, link.heading()),
                _ => Vec::new(),
            };
        }
        let line = buffer.line_at(offset);
        if let Ok(document) = buffer.document()
            && let Some(heading) = document.headings.iter().find(|it| it.line == line + 1)
            && heading.level > 1
        {
            return self.referring(catalogue, &buffer.path, Some(&heading.text));
        }
        let Ok(known) = self.known() else { return Vec::new() };
        match known.entity_at(buffer, offset) {
            Some((_, entity)) => known.mentions(catalogue, entity),
            None => self.referring(catalogue, &buffer.path, None),
        }
    }

    /// The links that lead to a file, or to a heading in it.
    fn referring(&self, catalogue: &Catalogue, path: &str, heading: Option<&str>) -> Vec<Spot> {
        let mut notes: Vec<String> = match catalogue.find(path) {
            Some(number) => {
                let from = catalogue.incoming(number).iter().map(|it| it.from);
                let names = from.filter_map(|from| catalogue.entries.get(from));
                names.map(|entry| entry.name.clone()).collect()
            }
            // Of a file that is no note: whoever writes its name.
            None => naming(catalogue, path),
        };
        notes.extend(self.open_notes().map(str::to_owned));
        notes.push(path.to_owned());
        notes.sort();
        notes.dedup();
        let target = self.buffer_of(path);
        let meant = |wanted: &str| target.as_ref().and_then(|target| target.heading(wanted));
        let wanted = heading.and_then(meant);
        let mut spots = Vec::new();
        for buffer in notes.iter().filter_map(|note| self.buffer_of(note)) {
            let leads = |link: &LinkTo| {
                matches!(&link.to, Destination::Inside(to) if to == path)
                    && (heading.is_none()
                        || wanted.is_some() && link.heading().and_then(meant) == wanted)
            };
            let links = self.links(&buffer).filter(leads);
            spots.extend(links.map(|link| Spot::of(&buffer, &link.link.range)));
        }
        spots
    }
}

/// Notes in which the name of a file stands.
pub fn naming(catalogue: &Catalogue, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.is_empty() {
        return Vec::new();
    }
    let finder = memchr::memmem::Finder::new(name);
    let numbers = 0..catalogue.entries.len();
    let holds = |number: &usize| {
        let text = catalogue.text(*number);
        text.is_some_and(|text| finder.find(text.as_bytes()).is_some())
    };
    let naming = numbers.filter(holds).filter_map(|number| catalogue.entries.get(number));
    naming.map(|entry| entry.name.clone()).collect()
}
