//! The plan of a rename, and its proof. Pure.

use std::{cell::OnceCell, ops::Range, rc::Rc};

use rustc_hash::FxHashMap;

use super::{
    super::links::{Headings, anchors},
    Change, Renamed, Unproven,
    hidden::{Named, mentions, named, read_by_forges},
    words::{apply, words_of, written_anew},
};
use elophanto_index::{
    drift::globs,
    links::{Files, Names},
};
use elophanto_repo::NotePath;
use elophanto_text::markdown::{self, Destination, Document, Link, LinkKind, written};

/// A note as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doc {
    pub path: String,
    pub text: String,
    /// Of a page of an entity, its names; else those of the front matter count.
    pub aliases: Option<Vec<String>>,
    pub standing: Standing,
    /// Why it is not edited, whatever it says.
    pub kept: Option<&'static str>,
}

/// How a text that may refer to a note is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// By its name too.
    Note,
    /// By its path alone: it lies beside the notes.
    Beside,
    /// It is no text: what is known of it is what its bytes may say.
    Unreadable,
}

/// A text, read once for all names that it may have.
struct Read {
    document: Option<Document>,
    headings: OnceCell<Headings>,
}

impl Read {
    fn of(doc: &Doc, text: &str) -> Rc<Self> {
        let is_text = doc.standing != Standing::Unreadable;
        let document = is_text.then(|| markdown::parse(text).ok()).flatten();
        Rc::new(Self { document, headings: OnceCell::new() })
    }

    /// The number of the heading that is meant.
    fn heading(&self, wanted: Option<&str>) -> Option<usize> {
        let wanted = wanted.filter(|heading| !heading.is_empty())?;
        let document = self.document.as_ref()?;
        self.headings.get_or_init(|| Headings::of(document)).number(wanted)
    }
}

/// All notes under the names that they have at one time, in the order of the docs.
struct World<'e> {
    paths: Vec<String>,
    read: Vec<Rc<Read>>,
    numbers: FxHashMap<String, usize>,
    names: Names,
    /// Those that are no notes.
    beside: Files,
    exists: &'e dyn Fn(&str) -> bool,
}

impl<'e> World<'e> {
    fn of(
        docs: &[Doc],
        read: Vec<Rc<Read>>,
        called: &dyn Fn(&str) -> String,
        exists: &'e dyn Fn(&str) -> bool,
    ) -> Self {
        let paths: Vec<String> = docs.iter().map(|doc| called(&doc.path)).collect();
        let mut names = Names::default();
        for ((doc, path), read) in docs.iter().zip(&paths).zip(&read) {
            // A note that cannot be read has no name by which it is found, as for a search.
            if let Some(document) =
                read.document.as_ref().filter(|_| doc.standing == Standing::Note)
            {
                let aliases = doc.aliases.as_ref().unwrap_or(&document.front_matter.aliases);
                names.add(&NotePath::from(path.as_str()), aliases.iter().cloned());
            }
        }
        let beside = docs.iter().zip(&paths).filter(|(doc, _)| doc.standing != Standing::Note);
        let beside = Files::of(beside.map(|(_, path)| path.as_str()));
        let numbers = paths.iter().enumerate().map(|(number, path)| (path.clone(), number));
        Self { numbers: numbers.collect(), paths, read, names, beside, exists }
    }

    /// All as it is now.
    fn now(docs: &[Doc], exists: &'e dyn Fn(&str) -> bool) -> Self {
        let read = docs.iter().map(|doc| Read::of(doc, &doc.text)).collect();
        Self::of(docs, read, &str::to_owned, exists)
    }

    fn resolve(&self, note: &str, link: &Link) -> Destination {
        self.names.destination(note, link, self.exists, &self.beside)
    }

    /// Where something leads that is no link of Markdown, or one that forges alone can follow.
    fn leads(&self, note: &str, named: &Named) -> Destination {
        let link = |target: &str| Link {
            target: target.to_owned(),
            kind: named.kind,
            heading: named.heading.clone(),
            line: named.line,
            range: 0..0,
        };
        match self.resolve(note, &link(&named.target)) {
            Destination::Nowhere => match read_by_forges(&named.target) {
                Some(target) => self.resolve(note, &link(&target)),
                None => Destination::Nowhere,
            },
            found => found,
        }
    }

    /// What is read of a note.
    fn find(&self, path: &str) -> Option<&Read> {
        self.read.get(*self.numbers.get(path)?).map(|it| &**it)
    }

    /// Which heading of the note that it leads to a link means.
    fn meant(&self, link: &Link, to: &Destination) -> Option<usize> {
        let Destination::Inside(path) = to else { return None };
        self.find(path)?.heading(link.heading.as_deref())
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
    let before = World::now(docs, exists);
    let moved = World::of(docs, before.read.clone(), &called, &is_there);
    let mut unproven = Vec::new();
    let mut changes = Vec::new();
    for ((doc, read), name) in docs.iter().zip(&before.read).zip(&moved.paths) {
        let Doc { path, text, .. } = doc;
        let at = |line: usize, why: String| Unproven { path: path.clone(), line, why };
        let Some(document) = &read.document else {
            if mentions(text, &NotePath::from(from).stem()) || path == from {
                unproven.push(at(1, "it cannot be read, and may name the note".to_owned()));
            }
            continue;
        };
        for pattern in &document.front_matter.covers {
            let matchers: Vec<_> = globs(pattern).iter().map(|it| it.compile_matcher()).collect();
            let covers = |path: &str| matchers.iter().any(|it| it.is_match(path));
            if path != from && covers(from) && !covers(to) {
                unproven.push(at(1, format!("`covers: {pattern}` names it")));
            }
        }
        let leads = |named: &Named| {
            let was = match before.leads(path, named) {
                Destination::Inside(to) => Destination::Inside(called(&to)),
                other => other,
            };
            moved.leads(name, named) == was
        };
        for named in named(text) {
            let stem = NotePath::from(from).stem().to_lowercase();
            let is_so = path != from && named.is_bare && named.target.to_lowercase() == stem;
            if is_so || !leads(&named) {
                let why =
                    if path == from { "in it leads elsewhere from there" } else { "refers to it" };
                unproven.push(at(named.line, format!("{} {why}", named.place)));
            }
        }
        let mut edits = Vec::new();
        for link in &document.links {
            let wanted = match before.resolve(path, link) {
                Destination::Inside(to) => Destination::Inside(called(&to)),
                other => other,
            };
            if moved.resolve(name, link) == wanted {
                // What leads nowhere here may lead somewhere on a forge.
                let (kind, target) = (link.kind, link.target.clone());
                let (line, place) = (link.line, "");
                let forges = Named { line, place, kind, target, heading: None, is_bare: false };
                if wanted == Destination::Nowhere && !leads(&forges) {
                    unproven.push(at(line, format!("`{}`: forges find it there", link.target)));
                }
                continue;
            }
            if let Some(why) = doc.kept {
                unproven.push(at(link.line, format!("`{}`: {why}", link.target)));
                continue;
            }
            let why = match (&wanted, written(text, link)) {
                (Destination::Inside(target), Some(written)) => {
                    let leads = |candidate: &String| {
                        let other = Link { target: candidate.clone(), ..link.clone() };
                        moved.resolve(name, &other) == wanted
                    };
                    let was = if target == to { from } else { target };
                    let mut all = written_anew(name, was, target, link, written.is_pointed);
                    all.retain(leads);
                    // A name that others have as well is only written where nothing else will do.
                    let alone = all.iter().find(|target| !moved.names.is_shared(target));
                    match alone.or(all.first()).cloned() {
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
            unproven.push(at(link.line, format!("`{}`: {why}", link.target)));
        }
        if !edits.is_empty() {
            edits.sort_by_key(|(range, _): &(Range<usize>, String)| range.start);
            changes.push(Change { path: path.clone(), text: text.clone(), edits });
        }
    }
    drop(moved);
    let plan = Renamed { moved: Some((from.to_owned(), to.to_owned())), changes };
    prove(docs, before, &is_there, plan, unproven, None)
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
    let world = World::now(docs, exists);
    let nothing =
        |why: &str| vec![Unproven { path: path.to_owned(), line: 1, why: why.to_owned() }];
    let own = docs.iter().find(|it| it.path == path);
    let read = world.find(path).and_then(|it| it.document.as_ref());
    let Some((own, document)) = own.zip(read) else { return Err(nothing("it cannot be read")) };
    if let Some(why) = own.kept {
        return Err(nothing(why));
    }
    let Some(found) = document.headings.get(number) else {
        return Err(nothing("it has no such heading any more"));
    };
    let Some(words) = words_of(&own.text, found) else {
        return Err(nothing("the heading has several lines"));
    };
    // How forges link to it then.
    let after = apply(&own.text, &[(words.clone(), name.to_owned())]);
    let read = Read::of(own, &after);
    let then = read.document.as_ref();
    let slug = then.and_then(|it| anchors(it).nth(number)).map(|it| it.1);
    let Some(slug) = slug.filter(|slug| !slug.is_empty()) else {
        return Err(nothing("no link could name it then"));
    };
    let shown = then.and_then(|it| it.headings.get(number)).map(|it| it.text.clone());
    let shown = shown.unwrap_or_default();
    let mut edits: FxHashMap<&str, Vec<(Range<usize>, String)>> = FxHashMap::default();
    edits.insert(path, vec![(words, name.to_owned())]);
    let mut unproven = Vec::new();
    // Which heading a name that is not edited means then.
    let stays = |heading: Option<&str>| {
        let now = world.find(path).and_then(|it| it.heading(heading));
        now != Some(number) && now == read.heading(heading)
    };
    for (doc, read) in docs.iter().zip(&world.read) {
        let Doc { path: note, text, .. } = doc;
        let document = read.document.as_ref();
        let at = |line: usize, why: String| Unproven { path: note.clone(), line, why };
        if document.is_none() && mentions(text, &NotePath::from(path).stem()) {
            unproven.push(at(1, "it cannot be read, and may name the note".to_owned()));
        }
        for named in named(text).into_iter().filter(|_| document.is_some()) {
            let leads = matches!(world.leads(note, &named), Destination::Inside(to) if to == path);
            if leads && named.heading.is_some() && !stays(named.heading.as_deref()) {
                unproven.push(at(named.line, format!("{} refers to it", named.place)));
            }
        }
        for link in document.into_iter().flat_map(|it| &it.links) {
            let to = world.resolve(note, link);
            if to == Destination::Nowhere {
                let (kind, target, heading) =
                    (link.kind, link.target.clone(), link.heading.clone());
                let forges =
                    Named { line: link.line, place: "", kind, target, heading, is_bare: false };
                let leads =
                    matches!(world.leads(note, &forges), Destination::Inside(to) if to == path);
                if leads && link.heading.is_some() && !stays(link.heading.as_deref()) {
                    unproven
                        .push(at(link.line, format!("`{}`: forges find it there", link.target)));
                }
            }
            let leads = matches!(&to, Destination::Inside(to) if to == path);
            if !leads || world.meant(link, &to) != Some(number) {
                continue;
            }
            if let Some(why) = doc.kept {
                unproven.push(at(link.line, format!("`{}`: {why}", link.target)));
                continue;
            }
            let Some(at) = written(text, link).and_then(|it| it.heading) else {
                let why = "where its heading is written cannot be told".to_owned();
                unproven.push(at(link.line, why));
                continue;
            };
            // `[[note#Part#Below]]` names the way to it.
            let raw = text.get(at.clone()).unwrap_or_default();
            let start = raw.rfind('#').map_or(at.start, |mark| at.start + mark + 1);
            let by_words = raw.rsplit('#').next().is_some_and(|it| it.trim() == found.text);
            let plain = !shown.contains(['[', ']', '|', '#', '\\', '&', '%']);
            let is_wiki = link.kind != LinkKind::Inline;
            let new = if by_words && plain && is_wiki { shown.clone() } else { slug.clone() };
            edits.entry(note.as_str()).or_default().push((start..at.end, new));
        }
    }
    let mut changes: Vec<Change> = edits
        .into_iter()
        .map(|(path, mut edits)| {
            edits.sort_by_key(|(range, _)| range.start);
            let text = docs.iter().find(|doc| doc.path == path).map(|doc| doc.text.clone());
            Change { path: path.to_owned(), text: text.unwrap_or_default(), edits }
        })
        .collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let plan = Renamed { moved: None, changes };
    prove(docs, world, exists, plan, unproven, Some((path, number)))
}

/// Reads all texts as they would be: every link must lead where it led, to the same heading, and every
/// heading but the one that is renamed must be what it was.
fn prove(
    docs: &[Doc],
    before: World,
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
    let edits: FxHashMap<&str, &[(Range<usize>, String)]> =
        plan.changes.iter().map(|it| (it.path.as_str(), it.edits.as_slice())).collect();
    let read =
        docs.iter().zip(&before.read).map(|(doc, read)| match edits.get(doc.path.as_str()) {
            Some(edits) => Read::of(doc, &apply(&doc.text, edits)),
            None => Rc::clone(read),
        });
    let after = World::of(docs, read.collect(), &called, is_there);
    for ((Doc { path, .. }, was), is) in docs.iter().zip(&before.read).zip(&after.read) {
        let name = called(path);
        let at =
            |line: usize, why: &str| Unproven { path: path.clone(), line, why: why.to_owned() };
        let (Some(was), Some(is)) = (&was.document, &is.document) else {
            if was.document.is_some() != is.document.is_some() {
                unproven.push(at(1, "it could not be read then"));
            }
            continue;
        };
        let heads = |document: &Document| -> Vec<(u8, String)> {
            let heads = document.headings.iter().enumerate();
            let is_other = |number: usize| renamed != Some((path.as_str(), number));
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
            let was_to = before.resolve(path, old);
            let is_to = after.resolve(&name, new);
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
