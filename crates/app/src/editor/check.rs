//! What is wrong with a text: first what it shows itself, then what all notes and git tell of it.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{
    Buffer, LinkTo, Resolver, Spot,
    facts::{contradicted, on_page},
    fixes::{Fix, near, target_to, titled},
};
use crate::{
    Result,
    on_commit::secrets::{allowed, is_covered},
    reading::drift_of,
    when::day,
    workspace::Workspace,
};
use elophanto_base::{counted::counted, one_line::one_line, secrets};
use elophanto_index::drift::Drift;
use elophanto_repo::{Git, NotePath};
use elophanto_text::markdown::{Destination, LinkKind, anchor};

/// Links of one text that are looked at because they may be broken.
const MOST_LINKS: usize = 2_000;
/// Characters of what is told of a commit.
const MOST_SUBJECT: usize = 80;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A commit of it is refused.
    Error,
    /// It may mislead.
    Warning,
    /// It is worth knowing.
    Information,
}

/// Something wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The bytes that it is about.
    pub range: Range<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of thing it is, such as `broken-link`.
    pub code: &'static str,
    /// For people, on one line.
    pub message: String,
    /// What would mend it, the likeliest first.
    pub fixes: Vec<Fix>,
    /// Other places that have to do with it, each with what it is.
    pub related: Vec<(Spot, String)>,
}

impl Finding {
    /// Without a fix, and about no other place.
    pub fn new(
        range: Range<usize>,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        let (fixes, related) = (Vec::new(), Vec::new());
        Self { range, severity, code, message: message.into(), fixes, related }
    }

    /// Whether it stands in some bytes, or beside them.
    pub fn touches(&self, range: &Range<usize>) -> bool {
        self.range.start <= range.end && range.start <= self.range.end
    }
}

/// Code of a secret: its fix masks it.
pub const SECRET: &str = "secret";
/// Code of a link that leads nowhere.
pub const BROKEN_LINK: &str = "broken-link";

impl Resolver<'_> {
    /// What a text shows itself, with the names of files at hand: told at once. Only what is found in the
    /// bytes `mended` has fixes that take long to find.
    pub fn own_findings(&self, buffer: &Buffer, mended: Option<&Range<usize>>) -> Vec<Finding> {
        let mut found = secrets_of(self.workspace, buffer);
        if !self.editor.is_note(&buffer.path) {
            return found;
        }
        match buffer.document() {
            Err(reason) => {
                let range = buffer.line_range(0);
                let message = format!("this note is not searched: {reason}");
                found.push(Finding::new(range, Severity::Warning, "unreadable", message));
                return found;
            }
            Ok(document) => found.extend(document.warnings.iter().map(|warning| {
                let line = warning.line.unwrap_or(1).saturating_sub(1);
                let message = warning.message.clone();
                Finding::new(buffer.line_range(line), Severity::Warning, "note", message)
            })),
        }
        let is_doubtful =
            |link: &LinkTo| link.to == Destination::Nowhere || link.heading().is_some();
        let doubtful = self.links(buffer).filter(is_doubtful).take(MOST_LINKS);
        found.extend(doubtful.filter_map(|link| self.broken(buffer, &link, mended)));
        found
    }

    /// What all notes and git tell of a text beside.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn other_findings(&self, buffer: &Buffer) -> Result<Vec<Finding>> {
        let (catalogue, known) = (self.catalogue()?, self.known()?);
        let mut found = contradicted(self.workspace, &known, buffer);
        found.extend(on_page(self, &known, catalogue, buffer));
        let path = NotePath::from(buffer.path.as_str());
        if let Some(drift) = drift_of(self.workspace, catalogue, &path) {
            found.push(drifted(buffer, &drift));
        }
        Ok(found)
    }

    fn broken(
        &self,
        buffer: &Buffer,
        link: &LinkTo,
        mended: Option<&Range<usize>>,
    ) -> Option<Finding> {
        let mut found = match &link.to {
            Destination::External => None,
            Destination::Nowhere => {
                let is_so = self.is_sure(link.link) && !self.is_foreign(buffer, link);
                is_so.then(|| {
                    let message = format!("`{}` leads nowhere", link.link.target);
                    let range = one_line_of(buffer, &link.link.range);
                    Finding::new(range, Severity::Warning, BROKEN_LINK, message)
                })
            }
            Destination::Inside(path) => self.misses_heading(buffer, link, path),
        }?;
        if mended.is_some_and(|range| found.touches(range)) {
            found.fixes = match &link.to {
                Destination::Inside(path) => self.near_headings(buffer, link, path),
                _ => self.near_notes(buffer, link),
            };
        }
        Some(found)
    }

    /// Links to notes that are called nearly so.
    fn near_notes(&self, buffer: &Buffer, link: &LinkTo) -> Vec<Fix> {
        let Some(written) = link.written(buffer) else { return Vec::new() };
        let target = &link.link.target;
        let named = self.known_notes().map(|it| titled(target, it)).unwrap_or_default();
        let mut near = [named, near(target, &self.listing)].concat();
        let mut seen = FxHashSet::default();
        near.retain(|path| *path != buffer.path && seen.insert(*path));
        let fix = |path: &str| {
            let (kind, pointed) = (link.link.kind, written.is_pointed);
            let text = target_to(&buffer.path, path, kind, pointed, &self.listing);
            Fix { title: format!("Link to {path}"), range: written.target.clone(), text }
        };
        near.into_iter().map(fix).collect()
    }

    /// That a note is there, and the heading in it is not.
    fn misses_heading(&self, buffer: &Buffer, link: &LinkTo, path: &str) -> Option<Finding> {
        let wanted = link.heading()?;
        // `#^block` names a paragraph, `#:~:text=` words of it, `#L10` lines.
        if wanted.starts_with(['^', ':', '!', '/']) || is_line(wanted) || is_footnote(wanted) {
            return None;
        }
        let target = self.buffer_of(path)?;
        target.document().ok()?;
        if target.heading(wanted).is_some()
            || target.names(wanted)
            || wanted.eq_ignore_ascii_case("top")
            || self.is_of_mkdocs(&target, wanted)
        {
            return None;
        }
        let range = one_line_of(buffer, &link.link.range);
        let message = format!("`{path}` has no heading `{wanted}`");
        Some(Finding::new(range, Severity::Information, "missing-heading", message))
    }

    /// Links to headings of the note that say nearly so.
    fn near_headings(&self, buffer: &Buffer, link: &LinkTo, path: &str) -> Vec<Fix> {
        let at = link.written(buffer).and_then(|written| written.heading);
        let (Some(at), Some(target)) = (at, self.buffer_of(path)) else { return Vec::new() };
        let headings = target.document().map_or(&[][..], |it| it.headings.as_slice());
        let slug = anchor(link.heading().unwrap_or_default());
        let mut near: Vec<(f64, &str)> = headings
            .iter()
            .map(|it| (strsim::jaro_winkler(&slug, &anchor(&it.text)), it.text.as_str()))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let fix = |(_, heading): (f64, &str)| Fix {
            title: format!("Link to # {heading}"),
            range: at.clone(),
            text: match link.link.kind {
                LinkKind::Inline => anchor(heading),
                LinkKind::Wiki | LinkKind::Embed => heading.to_owned(),
            },
        };
        near.into_iter().take(3).map(fix).collect()
    }
}

/// From here on a heading may be meant by another's name.
const ALIKE: f64 = 0.75;

/// `L10`, `L10-L20`: lines, as forges link to them.
fn is_line(wanted: &str) -> bool {
    let rest = wanted.strip_prefix('L').unwrap_or_default();
    rest.starts_with(|char: char| char.is_ascii_digit())
}

/// `fn:1`, `fnref:1`: a footnote, and where it is referred to.
fn is_footnote(wanted: &str) -> bool {
    wanted.starts_with("fn:") || wanted.starts_with("fnref:")
}

/// The part of a range that stands in its first line.
pub fn one_line_of(buffer: &Buffer, range: &Range<usize>) -> Range<usize> {
    let end = buffer.line_range(buffer.line_at(range.start)).end;
    range.start..range.end.min(end).max(range.start)
}

/// What the hook would refuse to commit.
fn secrets_of(workspace: &Workspace, buffer: &Buffer) -> Vec<Finding> {
    let path = NotePath::from(buffer.path.as_str());
    if !is_covered(&path, &workspace.config.knowledge.extensions) {
        return Vec::new();
    }
    let mut located = secrets::locate(&buffer.text);
    if located.is_empty() {
        return Vec::new();
    }
    let git = Git::of(&workspace.repository);
    // What cannot be read allows nothing.
    if let Some(list) = git.and_then(|git| allowed(&git, &workspace.environment).ok()) {
        located.retain(|(_, finding)| !list.allows(finding));
    }
    let found = located.into_iter().map(|(range, secret)| {
        let message = format!(
            "this looks like a {}; a commit of it is refused. Say where it is kept instead, or, if it is none, \
             put {} into .elophanto/allow-secrets",
            secret.kind, secret.hash
        );
        let mut finding = Finding::new(range.clone(), Severity::Error, SECRET, message);
        let title = format!("Mask this {}", secret.kind);
        finding.fixes.push(Fix { title, range, text: secrets::MASK.to_owned() });
        finding
    });
    found.collect()
}

/// That what a note covers has changed after it.
fn drifted(buffer: &Buffer, drift: &Drift) -> Finding {
    let range = covers_line(buffer).unwrap_or_else(|| buffer.line_range(0));
    let mut message = format!(
        "{} touched what this note covers since it changed on {}",
        counted(drift.total, "commit"),
        day(drift.since)
    );
    for commit in &drift.commits {
        let id = commit.id.to_string();
        let id = id.get(..10).unwrap_or(&id);
        let subject = one_line(&commit.subject, MOST_SUBJECT);
        message.push_str(&format!("\n{id} {} {subject}", day(commit.time)));
    }
    Finding::new(range, Severity::Warning, "drift", message)
}

/// The line of the front matter that says what is covered.
fn covers_line(buffer: &Buffer) -> Option<Range<usize>> {
    let front = buffer.front_matter()?;
    let lines = buffer.line_at(front.start)..=buffer.line_at(front.end);
    let mut lines = lines.map(|line| buffer.line_range(line));
    lines.find(|range| buffer.text[range.clone()].trim_start().starts_with("covers"))
}
