//! The plan of a rename, and its proof. Pure.

use std::ops::Range;

use globset::{Glob, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;

use super::{
    super::{
        covers::globs,
        fixes::{encoded, relative},
        links::{anchors, heading_of},
    },
    Change, Renamed, Unproven,
    hidden::{Named, mentions, named, read_by_forges},
    words::{apply, words_of},
};
use elophanto_repo::NotePath;
use elophanto_text::markdown::{
    self, Destination, Document, Link, LinkKind, Notes, resolve_link, written,
};

/// A note as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    pub path: String,
    pub text: String,
    /// Of a page of an entity, its names; else those of the front matter count.
    pub aliases: Option<Vec<String>>,
    pub standing: Standing,
}

/// What is done with a text that may refer to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is found by its name, and edited.
    Note,
    /// It lies beside the notes: it is edited.
    Beside,
    /// It is left out of the repository, such as by `.gitignore`: it is not edited.
    LeftOut,
    /// It is no text: what is known of it is what its bytes may say.
    Unreadable,
}

/// All notes, read.
struct World<'d> {
    docs: Vec<(&'d str, &'d str, Option<Document>)>,
    stems: FxHashMap<String, Option<String>>,
    aliases: FxHashMap<String, String>,
}

impl<'d> World<'d> {
    /// Docs under the names and with the texts that they have then.
    fn of(docs: impl Iterator<Item = (&'d Doc, &'d str, &'d str)>) -> Self {
        let mut world =
            Self { docs: Vec::new(), stems: FxHashMap::default(), aliases: FxHashMap::default() };
        for (doc, path, text) in docs {
            let is_text = doc.standing != Standing::Unreadable;
            let document = is_text.then(|| markdown::parse(text).ok()).flatten();
            // A note that cannot be read has no name by which it is found, as for a search.
            if let Some(document) = document.as_ref().filter(|_| doc.standing == Standing::Note) {
                world
                    .stems
                    .entry(NotePath::from(path).stem())
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(path.to_owned()));
                for name in doc.aliases.as_ref().unwrap_or(&document.front_matter.aliases) {
                    world.aliases.insert(name.clone(), path.to_owned());
                }
            }
            world.docs.push((path, text, document));
        }
        world
    }

    fn resolve(&self, note: &str, link: &Link, exists: &dyn Fn(&str) -> bool) -> Destination {
        let notes = Notes {
            exists,
            by_stem: &|stem| self.stems.get(stem).cloned().flatten(),
            by_alias: &|alias| self.aliases.get(alias).cloned(),
        };
        resolve_link(note, link, &notes)
    }

    /// Where something leads that is no link of Markdown, or one that forges alone can follow.
    fn leads(&self, note: &str, named: &Named, exists: &dyn Fn(&str) -> bool) -> Destination {
        let link = |target: &str| Link {
            target: target.to_owned(),
            kind: named.kind,
            heading: named.heading.clone(),
            line: named.line,
            range: 0..0,
        };
        match self.resolve(note, &link(&named.target), exists) {
            Destination::Nowhere => match read_by_forges(&named.target) {
                Some(target) => self.resolve(note, &link(&target), exists),
                None => Destination::Nowhere,
            },
            found => found,
        }
    }

    fn document(&self, path: &str) -> Option<&Document> {
        self.docs.iter().find(|(known, ..)| *known == path)?.2.as_ref()
    }

    /// Which heading of the note that it leads to a link means.
    fn meant(&self, link: &Link, to: &Destination) -> Option<usize> {
        let Destination::Inside(path) = to else { return None };
        self.heading(path, link.heading.as_deref())
    }

    fn heading(&self, path: &str, wanted: Option<&str>) -> Option<usize> {
        let wanted = wanted.filter(|heading| !heading.is_empty())?;
        let document = self.document(path)?;
        let heading = heading_of(document, wanted)?;
        document.headings.iter().position(|known| known == heading)
    }
}

/// Plans to call a note otherwise.
///
/// # Errors
/// The references of which it is not certain that they would lead where they lead.
pub fn note(
    docs: &[Doc],
    exists: &dyn Fn(&str) -> bool,
    from: &str,
    to: &str,
) -> Result<Renamed, Vec<Unproven>> {
    let is_there = |path: &str| path == to || (path != from && exists(path));
    let called = |path: &str| if path == from { to.to_owned() } else { path.to_owned() };
    let before = World::of(docs.iter().map(|it| (it, &*it.path, &*it.text)));
    let names: Vec<String> = docs.iter().map(|it| called(&it.path)).collect();
    let renamed = docs.iter().zip(&names);
    let moved = World::of(renamed.map(|(it, name)| (it, name.as_str(), &*it.text)));
    let mut unproven = Vec::new();
    let mut changes = Vec::new();
    for (doc, ((path, text, document), name)) in docs.iter().zip(before.docs.iter().zip(&names)) {
        let at = |line: usize, why: String| Unproven { path: (*path).to_owned(), line, why };
        let Some(document) = document else {
            if mentions(text, &NotePath::from(from).stem()) || *path == from {
                unproven.push(at(1, "it cannot be read, and may name the note".to_owned()));
            }
            continue;
        };
        for pattern in &document.front_matter.covers {
            let set = set_of(pattern);
            if set.is_match(from) && !set.is_match(to) && *path != from {
                unproven.push(at(1, format!("`covers: {pattern}` names it")));
            }
        }
        let leads = |named: &Named| {
            let was = match before.leads(path, named, exists) {
                Destination::Inside(to) => Destination::Inside(called(&to)),
                other => other,
            };
            moved.leads(name, named, &is_there) == was
        };
        for named in named(text) {
            let is_so =
                *path != from && named.is_bare && named.target == NotePath::from(from).stem();
            if is_so || !leads(&named) {
                let why =
                    if *path == from { "in it leads elsewhere from there" } else { "refers to it" };
                unproven.push(at(named.line, format!("{} {why}", named.place)));
            }
        }
        let mut edits = Vec::new();
        for link in &document.links {
            let wanted = match before.resolve(path, link, exists) {
                Destination::Inside(to) => Destination::Inside(called(&to)),
                other => other,
            };
            if moved.resolve(name, link, &is_there) == wanted {
                // What leads nowhere here may lead somewhere on a forge.
                let (kind, target) = (link.kind, link.target.clone());
                let (line, place) = (link.line, "");
                let forges = Named { line, place, kind, target, heading: None, is_bare: false };
                if wanted == Destination::Nowhere && !leads(&forges) {
                    unproven.push(at(line, format!("`{}`: forges find it there", link.target)));
                }
                continue;
            }
            if doc.standing == Standing::LeftOut {
                unproven.push(at(link.line, format!("`{}`: {LEFT_OUT}", link.target)));
                continue;
            }
            let why = match (&wanted, written(text, link)) {
                (Destination::Inside(target), Some(written)) => {
                    let leads = |candidate: &String| {
                        let other = Link { target: candidate.clone(), ..link.clone() };
                        moved.resolve(name, &other, &is_there) == wanted
                    };
                    let form = Form {
                        kind: link.kind,
                        is_pointed: written.is_pointed,
                        is_whole: link.target.ends_with(".md"),
                        has_path: link.target.contains('/'),
                    };
                    match targets(name, target, form).into_iter().find(leads) {
                        Some(text) => {
                            edits.push((written.target, text));
                            continue;
                        }
                        None => "no way to write this link leads there",
                    }
                }
                (Destination::Inside(_), None) => "where its target is written cannot be told",
                _ => "it leads nowhere now, and would lead to the note under its new name",
            };
            unproven.push(Unproven {
                path: (*path).to_owned(),
                line: link.line,
                why: format!("`{}`: {why}", link.target),
            });
        }
        if !edits.is_empty() {
            edits.sort_by_key(|(range, _): &(Range<usize>, String)| range.start);
            changes.push(Change { path: (*path).to_owned(), edits });
        }
    }
    let plan = Renamed { moved: Some((from.to_owned(), to.to_owned())), changes };
    prove(docs, exists, &is_there, plan, unproven, None)
}

/// How a link is written.
struct Form {
    kind: LinkKind,
    is_pointed: bool,
    /// With `.md` at its end.
    is_whole: bool,
    /// With folders.
    has_path: bool,
}

/// The ways to write a target, the one that is likest to how it was written first.
fn targets(from: &str, to: &str, form: Form) -> Vec<String> {
    let Form { kind, is_pointed, is_whole, has_path } = form;
    let bare = to.strip_suffix(".md").unwrap_or(to);
    match kind {
        LinkKind::Inline => {
            let path = |to: &str| {
                let path = relative(from, to);
                if is_pointed { path } else { encoded(&path) }
            };
            if is_whole { vec![path(to)] } else { vec![path(bare), path(to)] }
        }
        LinkKind::Wiki | LinkKind::Embed => {
            let stem = bare.rsplit('/').next().unwrap_or(bare);
            let mut all = match is_whole {
                true => vec![format!("{stem}.md"), to.to_owned(), bare.to_owned()],
                false => vec![stem.to_owned(), bare.to_owned(), to.to_owned()],
            };
            if has_path {
                all.rotate_left(1);
            }
            // Percent signs, and what ends a link, are written otherwise.
            let plain = |target: &String| !target.contains(['[', ']', '|', '#', '%', '\\', '&']);
            all.into_iter().filter(plain).collect()
        }
    }
}

/// Why a reference is not written anew.
const LEFT_OUT: &str = "its file is left out of the repository, and not edited";

fn set_of(pattern: &str) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    globs(pattern).iter().filter_map(|it| Glob::new(it).ok()).for_each(|glob| {
        set.add(glob);
    });
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

/// Plans to call a heading otherwise, by its number in the note.
///
/// # Errors
/// As [`note`].
pub fn heading(
    docs: &[Doc],
    exists: &dyn Fn(&str) -> bool,
    path: &str,
    number: usize,
    name: &str,
) -> Result<Renamed, Vec<Unproven>> {
    let world = World::of(docs.iter().map(|it| (it, &*it.path, &*it.text)));
    let nothing =
        |why: &str| vec![Unproven { path: path.to_owned(), line: 1, why: why.to_owned() }];
    let own = docs.iter().find(|it| it.path == path).zip(world.document(path));
    let Some((own, document)) = own else { return Err(nothing("it cannot be read")) };
    let Some(found) = document.headings.get(number) else {
        return Err(nothing("it has no such heading any more"));
    };
    let Some(words) = words_of(&own.text, found) else {
        return Err(nothing("the heading has several lines"));
    };
    // How forges link to it then.
    let after = apply(&own.text, &[(words.clone(), name.to_owned())]);
    let read = markdown::parse(&after).ok();
    let slug = read.as_ref().and_then(|it| anchors(it).nth(number)).map(|it| it.1);
    let Some(slug) = slug.filter(|slug| !slug.is_empty()) else {
        return Err(nothing("no link could name it then"));
    };
    let shown = read.as_ref().and_then(|it| it.headings.get(number)).map(|it| it.text.clone());
    let shown = shown.unwrap_or_default();
    let mut edits: FxHashMap<&str, Vec<(Range<usize>, String)>> = FxHashMap::default();
    edits.insert(path, vec![(words, name.to_owned())]);
    let mut unproven = Vec::new();
    // Which heading a name that is not edited means then.
    let stays = |heading: Option<&str>| {
        let wanted = heading.filter(|it| !it.is_empty());
        let then = wanted.and_then(|wanted| heading_of(read.as_ref()?, wanted));
        let then = then.and_then(|it| read.as_ref()?.headings.iter().position(|known| known == it));
        let now = world.heading(path, wanted);
        now != Some(number) && now == then
    };
    for (doc, (note, text, document)) in docs.iter().zip(&world.docs) {
        let at = |line: usize, why: String| Unproven { path: (*note).to_owned(), line, why };
        if document.is_none() && mentions(text, &NotePath::from(path).stem()) {
            unproven.push(at(1, "it cannot be read, and may name the note".to_owned()));
        }
        for named in named(text).into_iter().filter(|_| document.is_some()) {
            let leads =
                matches!(world.leads(note, &named, exists), Destination::Inside(to) if to == path);
            if leads && named.heading.is_some() && !stays(named.heading.as_deref()) {
                unproven.push(at(named.line, format!("{} refers to it", named.place)));
            }
        }
        for link in document.iter().flat_map(|it| &it.links) {
            let to = world.resolve(note, link, exists);
            if to == Destination::Nowhere {
                let (kind, target, heading) =
                    (link.kind, link.target.clone(), link.heading.clone());
                let forges =
                    Named { line: link.line, place: "", kind, target, heading, is_bare: false };
                let leads = matches!(world.leads(note, &forges, exists), Destination::Inside(to) if to == path);
                if leads && link.heading.is_some() && !stays(link.heading.as_deref()) {
                    unproven
                        .push(at(link.line, format!("`{}`: forges find it there", link.target)));
                }
            }
            let leads = matches!(&to, Destination::Inside(to) if to == path);
            if !leads || world.meant(link, &to) != Some(number) {
                continue;
            }
            if doc.standing == Standing::LeftOut {
                unproven.push(at(link.line, format!("`{}`: {LEFT_OUT}", link.target)));
                continue;
            }
            let Some(at) = written(text, link).and_then(|it| it.heading) else {
                let why = "where its heading is written cannot be told".to_owned();
                unproven.push(Unproven { path: (*note).to_owned(), line: link.line, why });
                continue;
            };
            // `[[note#Part#Below]]` names the way to it.
            let raw = text.get(at.clone()).unwrap_or_default();
            let start = raw.rfind('#').map_or(at.start, |mark| at.start + mark + 1);
            let by_words = raw.rsplit('#').next().is_some_and(|it| it.trim() == found.text);
            let plain = !shown.contains(['[', ']', '|', '#', '\\', '&', '%']);
            let is_wiki = link.kind != LinkKind::Inline;
            let new = if by_words && plain && is_wiki { shown.clone() } else { slug.clone() };
            edits.entry(note).or_default().push((start..at.end, new));
        }
    }
    let mut changes: Vec<Change> = edits
        .into_iter()
        .map(|(path, mut edits)| {
            edits.sort_by_key(|(range, _)| range.start);
            Change { path: path.to_owned(), edits }
        })
        .collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let plan = Renamed { moved: None, changes };
    prove(docs, exists, exists, plan, unproven, Some((path, number)))
}

/// Reads all texts as they would be: every link must lead where it led, to the same heading, and every
/// heading but the one that is renamed must be what it was.
fn prove(
    docs: &[Doc],
    exists: &dyn Fn(&str) -> bool,
    is_there: &dyn Fn(&str) -> bool,
    plan: Renamed,
    mut unproven: Vec<Unproven>,
    renamed: Option<(&str, usize)>,
) -> Result<Renamed, Vec<Unproven>> {
    if !unproven.is_empty() {
        unproven.sort_by(|a, b| (&a.path, a.line, &a.why).cmp(&(&b.path, b.line, &b.why)));
        return Err(unproven);
    }
    let called = |path: &str| match &plan.moved {
        Some((from, to)) if from == path => to.clone(),
        _ => path.to_owned(),
    };
    let texts: Vec<(String, String)> = docs
        .iter()
        .map(|doc| {
            let change = plan.changes.iter().find(|change| change.path == doc.path);
            let edits = change.map(|change| change.edits.as_slice()).unwrap_or_default();
            (called(&doc.path), apply(&doc.text, edits))
        })
        .collect();
    let before = World::of(docs.iter().map(|it| (it, &*it.path, &*it.text)));
    let after =
        World::of(docs.iter().zip(&texts).map(|(doc, (path, text))| (doc, &**path, &**text)));
    for ((path, _, was), (name, _, is)) in before.docs.iter().zip(&after.docs) {
        let at = |line: usize, why: &str| Unproven {
            path: (*path).to_owned(),
            line,
            why: why.to_owned(),
        };
        let (Some(was), Some(is)) = (was, is) else {
            if was.is_some() != is.is_some() {
                unproven.push(at(1, "it could not be read then"));
            }
            continue;
        };
        let heads = |document: &Document| -> Vec<(u8, String)> {
            let heads = document.headings.iter().enumerate();
            let is_other = |number: usize| renamed != Some((path, number));
            heads
                .map(|(number, it)| {
                    (it.level, if is_other(number) { it.text.clone() } else { String::new() })
                })
                .collect()
        };
        if was.links.len() != is.links.len() || heads(was) != heads(is) {
            unproven.push(at(1, "its links and headings would not be what they are"));
            continue;
        }
        for (old, new) in was.links.iter().zip(&is.links) {
            let was_to = before.resolve(path, old, exists);
            let is_to = after.resolve(name, new, is_there);
            let wanted = match &was_to {
                Destination::Inside(to) => Destination::Inside(called(to)),
                other => other.clone(),
            };
            if is_to != wanted || before.meant(old, &was_to) != after.meant(new, &is_to) {
                unproven.push(at(old.line, &format!("`{}` would lead elsewhere", old.target)));
            }
        }
    }
    if unproven.is_empty() { Ok(plan) } else { Err(unproven) }
}
