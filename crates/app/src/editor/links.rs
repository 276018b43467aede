//! Where the links of a text lead.

use std::ops::Range;

use super::{Buffer, Editor, Listing, Spot};
use crate::{reading::Catalogue, workspace::Workspace};
use elophanto_text::markdown::{
    self, Destination, Document, Heading, Link, LinkKind, Written, anchor, written,
};

/// A link and where it leads.
#[derive(Debug, Clone)]
pub struct LinkTo<'b> {
    pub link: &'b Link,
    pub to: Destination,
    /// `None` where it cannot be told for sure.
    pub written: Option<Written>,
}

/// Tells where links lead: from the names of files alone, and once notes were read, from what they call
/// themselves too.
pub struct Resolver<'a> {
    pub editor: &'a Editor,
    pub listing: &'a Listing,
    pub catalogue: Option<&'a Catalogue>,
}

impl Resolver<'_> {
    /// Where a link of the note at a path leads.
    pub fn destination(&self, note: &str, link: &Link) -> Destination {
        let root = &self.editor.root;
        let exists = |path: &str| self.listing.contains(path) || root.join(path).exists();
        if let Some(catalogue) = self.catalogue {
            return catalogue.names.destination(note, link, &exists);
        }
        let notes = markdown::Notes {
            exists: &exists,
            by_stem: &|stem| self.listing.by_stem(stem).map(str::to_owned),
            by_alias: &|_| None,
        };
        markdown::resolve_link(note, link, &notes)
    }

    /// Whether what was said of a link that leads nowhere holds: a note may call itself so.
    pub fn is_sure(&self, link: &Link) -> bool {
        let is_name = link.kind != LinkKind::Inline && !link.target.contains('/');
        self.catalogue.is_some() || !is_name
    }

    /// The links of a text, `most` of them.
    pub fn links<'b>(&self, buffer: &'b Buffer, most: usize) -> Vec<LinkTo<'b>> {
        let Ok(document) = buffer.document() else { return Vec::new() };
        let to = |link: &'b Link| LinkTo {
            link,
            to: self.destination(&buffer.path, link),
            written: written(&buffer.text, link),
        };
        document.links.iter().take(most).map(to).collect()
    }

    /// The link at a byte: of links within each other, the inner one.
    pub fn link_at<'b>(&self, buffer: &'b Buffer, offset: usize) -> Option<LinkTo<'b>> {
        let document = buffer.document().ok()?;
        let holds = |range: &Range<usize>| range.start <= offset && offset < range.end;
        let around = document.links.iter().filter(|link| holds(&link.range));
        let link = around.min_by_key(|link| link.range.len())?;
        Some(LinkTo {
            link,
            to: self.destination(&buffer.path, link),
            written: written(&buffer.text, link),
        })
    }
}

/// The heading that a link means: by its words, or as forges write it.
pub fn heading_of<'d>(document: &'d Document, wanted: &str) -> Option<&'d Heading> {
    let wanted = wanted.trim();
    // `[[note#Part#Below]]` names the way to it.
    let wanted = wanted.rsplit('#').next().unwrap_or(wanted).trim();
    let same_words = |heading: &&Heading| heading.text.eq_ignore_ascii_case(wanted);
    let decoded = markdown::percent_decode(wanted).unwrap_or_else(|| wanted.to_owned());
    let slug = anchor(&decoded);
    let by_words = || document.headings.iter().find(same_words);
    anchors(document).find(|(_, known)| *known == decoded).map(|it| it.0).or_else(by_words).or_else(
        || {
            let is_so = |heading: &&Heading| !slug.is_empty() && anchor(&heading.text) == slug;
            document.headings.iter().find(is_so)
        },
    )
}

/// Each heading with what forges link to it by.
pub fn anchors(document: &Document) -> impl Iterator<Item = (&Heading, String)> {
    let mut seen = std::collections::HashMap::<String, usize>::new();
    document.headings.iter().map(move |heading| {
        let slug = anchor(&heading.text);
        let count = seen.entry(slug.clone()).or_insert(0);
        let own = if *count == 0 { slug } else { format!("{slug}-{count}") };
        *count += 1;
        (heading, own)
    })
}

/// The place that a link of a text leads to; `None` if it leads out or nowhere.
pub fn place_of(editor: &Editor, buffer: &Buffer, link: &LinkTo) -> Option<Spot> {
    let Destination::Inside(path) = &link.to else { return None };
    let own;
    let target = if *path == buffer.path {
        buffer
    } else {
        // What is no text has a beginning all the same.
        match editor.is_note(path).then(|| editor.read(path)).flatten() {
            None => return Some(Spot::top(path)),
            Some(read) => {
                own = read;
                &own
            }
        }
    };
    let heading = link.link.heading.as_deref().filter(|heading| !heading.is_empty());
    let found = heading.and_then(|wanted| heading_of(target.document().ok()?, wanted));
    Some(match found {
        Some(heading) => Spot::of(target, &heading.range),
        None => Spot::line(target, 0),
    })
}

/// The places where a link or heading of a text leads or is, and who refers there.
impl Editor {
    /// What stands at a byte is defined here.
    pub fn definition(
        &self,
        workspace: &Workspace,
        buffer: &Buffer,
        offset: usize,
    ) -> Option<Spot> {
        let catalogue = self.catalogue(workspace).ok()?;
        let listing = self.listing();
        let resolver = Resolver { editor: self, listing: &listing, catalogue: Some(&catalogue) };
        if let Some(link) = resolver.link_at(buffer, offset) {
            return place_of(self, buffer, &link);
        }
        let known = self.known(workspace, &catalogue);
        let (_, entity) = known.entity_at(buffer, offset)?;
        Some(Spot::top(&known.page(entity)?))
    }

    /// Who refers to what stands at a byte: to where a link leads, to a heading, to an entity; else to
    /// the note itself.
    pub fn references(&self, workspace: &Workspace, buffer: &Buffer, offset: usize) -> Vec<Spot> {
        let Ok(catalogue) = self.catalogue(workspace) else { return Vec::new() };
        let listing = self.listing();
        let resolver = Resolver { editor: self, listing: &listing, catalogue: Some(&catalogue) };
        if let Some(link) = resolver.link_at(buffer, offset) {
            return match &link.to {
                Destination::Inside(path) => {
                    let heading = link.link.heading.as_deref().filter(|it| !it.is_empty());
                    self.referring(&resolver, buffer, path, heading)
                }
                _ => Vec::new(),
            };
        }
        let line = buffer.line_at(offset);
        if let Ok(document) = buffer.document()
            && let Some(heading) = document.headings.iter().find(|it| it.line == line + 1)
            && heading.level > 1
        {
            return self.referring(&resolver, buffer, &buffer.path, Some(&heading.text));
        }
        let known = self.known(workspace, &catalogue);
        match known.entity_at(buffer, offset) {
            Some((_, entity)) => known.mentions(&catalogue, entity),
            None => self.referring(&resolver, buffer, &buffer.path, None),
        }
    }

    /// The links that lead to a file, or to a heading in it; `open` is taken as it is now.
    pub fn referring(
        &self,
        resolver: &Resolver,
        open: &Buffer,
        path: &str,
        heading: Option<&str>,
    ) -> Vec<Spot> {
        let Some(catalogue) = resolver.catalogue else { return Vec::new() };
        let mut notes: Vec<String> = match catalogue.find(path) {
            Some(number) => {
                let from = catalogue.incoming(number).iter().map(|it| it.from);
                let names = from.filter_map(|from| catalogue.entries.get(from));
                names.map(|entry| entry.name.clone()).collect()
            }
            // Of a file that is no note: whoever writes its name.
            None => naming(catalogue, path),
        };
        notes.push(open.path.clone());
        notes.push(path.to_owned());
        notes.sort();
        notes.dedup();
        let target = if path == open.path { Some(open.text.clone()) } else { self.text(path) };
        let target = target.map(|text| Buffer::new(path.to_owned(), text));
        let document = target.as_ref().and_then(|it| it.document().ok());
        let wanted = heading.and_then(|heading| heading_of(document?, heading));
        let mut spots = Vec::new();
        for note in notes {
            let own;
            let buffer = if note == open.path {
                open
            } else {
                match self.read(&note) {
                    Some(read) => {
                        own = read;
                        &own
                    }
                    None => continue,
                }
            };
            for link in resolver.links(buffer, usize::MAX) {
                let leads = matches!(&link.to, Destination::Inside(to) if to == path);
                let means = || match heading {
                    None => true,
                    Some(_) => {
                        let own = link.link.heading.as_deref().unwrap_or_default();
                        let found = document.and_then(|document| heading_of(document, own));
                        !own.is_empty() && wanted.is_some() && found == wanted
                    }
                };
                if leads && means() {
                    spots.push(Spot::of(buffer, &link.link.range));
                }
            }
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
