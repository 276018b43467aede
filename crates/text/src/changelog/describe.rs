//! What a set of changed notes means, in words.

use std::path::Path;

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use ulid::Ulid;

use super::{
    entry::Entry,
    file_name, folder, page,
    text::{code, escape, one_line},
    touched::Touched,
};
use crate::markdown::Scope;
use elophanto_base::counted::counted;

/// Notes that are named one by one.
const MAX_NAMED: usize = 20;
/// Most characters of an entry's title, before escaping.
const MAX_TITLE: usize = 80;
/// Most characters of a note's title in the title of an entry.
const MAX_NOTE_IN_TITLE: usize = 40;
/// Most characters of a note's title among the details.
const MAX_NOTE: usize = 80;
/// Digits of a commit's id that become the random part of an entry's id: 80 bits.
const ID_DIGITS: usize = 20;

/// One note that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the repository, as text.
    pub path: String,
    pub kind: ChangeKind,
    /// What it calls itself, or the name of its file.
    pub title: String,
    pub scope: Scope,
    /// Facts that the page of an entity gained.
    pub facts_added: usize,
    /// Where and how its text differs.
    pub touched: Touched,
}

/// How a note differs. Entries name them in this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Changed,
    Removed,
    /// Moved, whether or not its text changed too.
    Renamed {
        from: String,
    },
}

impl ChangeKind {
    const ALL: usize = 4;

    fn rank(&self) -> usize {
        match self {
            Self::Added => 0,
            Self::Changed => 1,
            Self::Removed => 2,
            Self::Renamed { .. } => 3,
        }
    }

    fn verb(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Renamed { .. } => "renamed",
        }
    }
}

/// The entry for these changes, which does not depend on their order. `None` if nothing changed
/// but the changelog itself and what lies in `.elophanto/`.
pub fn describe(date: Date, write_root: &Path, changes: &[Change]) -> Option<Entry> {
    let mut notes: Vec<&Change> =
        changes.iter().filter(|change| !is_bookkeeping(write_root, change)).collect();
    if notes.is_empty() {
        return None;
    }
    fn key(note: &Change) -> impl Ord + '_ {
        (note.kind.rank(), &note.path, &note.title, &note.kind, note.facts_added, &note.touched)
    }
    notes.sort_by(|a, b| key(a).cmp(&key(b)));
    let mut details: Vec<String> = notes.iter().take(MAX_NAMED).map(|note| detail(note)).collect();
    if notes.len() > MAX_NAMED {
        details.push(format!("and {} more", notes.len() - MAX_NAMED));
    }
    let kind = Some(kind(write_root, &notes));
    Some(Entry { kind, details, ..Entry::new(date, title(&notes)) })
}

/// The entry for a commit that has none, and the name of its file. A pure function of the commit,
/// so that two clones write the same bytes to the same place. `None` where [`describe`] says so,
/// and for what is no commit's id.
pub fn for_commit(
    commit: &str,
    seconds: i64,
    subject: &str,
    write_root: &Path,
    changes: &[Change],
) -> Option<(String, Entry)> {
    let digits = commit.get(..ID_DIGITS)?;
    if !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let random = u128::from_str_radix(digits, 16).ok()?;
    // A commit may claim any time.
    let seconds = seconds.clamp(0, Timestamp::MAX.as_second());
    let time = Timestamp::from_second(seconds).ok()?;
    let date = time.to_zoned(TimeZone::UTC).date();
    let ulid = Ulid::from_parts(u64::try_from(time.as_millisecond()).ok()?, random);
    let entry = describe(date, write_root, changes)?;
    Some((file_name(date, ulid), Entry { reason: Some(subject.to_owned()), ..entry }))
}

impl Entry {
    /// Whether a detail names the note that a change is of.
    pub fn names(&self, change: &Change) -> bool {
        let path = code(&change.path);
        self.details.iter().any(|detail| detail.contains(&path))
    }
}

/// Whether only our own records are touched.
fn is_bookkeeping(write_root: &Path, change: &Change) -> bool {
    let ours = |path: &str| {
        let path = Path::new(path);
        path.starts_with(".elophanto")
            || path == page(write_root)
            || path.starts_with(folder(write_root))
    };
    let from_ours = match &change.kind {
        ChangeKind::Renamed { from } => ours(from),
        _ => true,
    };
    ours(&change.path) && from_ours
}

/// `Otters added, 2 notes changed`: a note that is alone in its group is called by its name, as
/// long as the whole stays short.
fn title(notes: &[&Change]) -> String {
    let groups: Vec<Vec<&Change>> = (0..ChangeKind::ALL)
        .map(|rank| notes.iter().filter(|note| note.kind.rank() == rank).copied().collect())
        .filter(|group: &Vec<&Change>| !group.is_empty())
        .collect();
    let say = |names: bool| {
        let parts = groups.iter().filter_map(|group| {
            let first = group.first()?;
            let verb = first.kind.verb();
            Some(match group.len() {
                1 if names => format!("{} {verb}", name(first, MAX_NOTE_IN_TITLE)),
                count => format!("{} {verb}", counted(count, "note")),
            })
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let named = say(true);
    if named.chars().count() <= MAX_TITLE { named } else { say(false) }
}

/// The title of a note, else the name of its file.
fn name(note: &Change, limit: usize) -> String {
    let title = one_line(&note.title, limit);
    if !title.is_empty() {
        return title;
    }
    one_line(note.path.rsplit('/').next().unwrap_or_default(), limit)
}

/// `added Otters (`knowledge/otters.md`), 3 facts`, `changed Keys (`keys.md`) in “Rotation”: “weekly” is
/// now “daily”`
fn detail(note: &Change) -> String {
    let (verb, path) = (note.kind.verb(), code(&note.path));
    let name = escape(&name(note, MAX_NOTE));
    let was = match &note.kind {
        ChangeKind::Renamed { from } => format!(", was {}", code(from)),
        _ => String::new(),
    };
    let facts = match note.facts_added {
        0 => String::new(),
        count => format!(", {}", counted(count, "fact")),
    };
    let quoted = |text: &String| format!("“{}”", escape(text));
    let place = match &note.touched.sections[..] {
        [] => String::new(),
        names => format!(" in {}", names.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    let words = match &note.touched.words {
        Some((old, new)) => format!(": {} is now {}", quoted(old), quoted(new)),
        None => String::new(),
    };
    format!("{verb} {name} ({path}{was}){facts}{place}{words}")
}

fn kind(write_root: &Path, notes: &[&Change]) -> String {
    let root = write_root.strip_prefix(".").unwrap_or(write_root);
    let beneath = |folder: &str| {
        let folder = root.join(folder);
        notes.iter().any(|note| Path::new(&note.path).starts_with(&folder))
    };
    let plugin = beneath("plugins") || notes.iter().any(|note| note.scope == Scope::Plugin);
    let skill = notes.iter().any(|note| Path::new(&note.path).ends_with("SKILL.md"));
    let touched = [("entity", beneath("learned/entities")), ("plugin", plugin), ("skill", skill)];
    let more = touched.iter().filter(|(_, touched)| *touched).map(|(name, _)| *name);
    std::iter::once("knowledge").chain(more).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const ROOT: &str = "knowledge";

    fn change(path: &str, kind: ChangeKind, title: &str) -> Change {
        Change {
            path: path.to_owned(),
            kind,
            title: title.to_owned(),
            scope: Scope::User,
            facts_added: 0,
            touched: Touched::default(),
        }
    }

    fn renamed(from: &str) -> ChangeKind {
        ChangeKind::Renamed { from: from.to_owned() }
    }

    fn said(changes: &[Change]) -> Option<Entry> {
        describe(date(2026, 11, 21), Path::new(ROOT), changes)
    }

    #[test]
    fn a_whole_entry() {
        let mut otters =
            change("knowledge/learned/entities/otters.md", ChangeKind::Added, "Otters");
        otters.facts_added = 3;
        let mut reader =
            change("knowledge/plugins/reader.md", ChangeKind::Changed, "Mail [reader]");
        reader.scope = Scope::Plugin;
        reader.touched = Touched {
            sections: vec!["Of *mail*".to_owned(), "Folders".to_owned()],
            words: Some(("hourly".to_owned(), "`cron`".to_owned())),
        };
        let entry = said(&[
            change("docs/b.md", renamed("docs/a.md"), "Bears"),
            change("docs/c.md", ChangeKind::Removed, ""),
            reader,
            change("skills/x/SKILL.md", ChangeKind::Changed, "X"),
            otters,
            change(".elophanto/index/a", ChangeKind::Added, "a"),
        ]);
        assert_eq!(
            entry.unwrap().render(),
            "## 2026-11-21 — Otters added, 2 notes changed, c.md removed, Bears renamed\n\n\
             - **Type**: knowledge, entity, plugin, skill\n\
             - **Details**: added Otters (`knowledge/learned/entities/otters.md`), 3 facts;\n  \
             changed Mail \\[reader] (`knowledge/plugins/reader.md`) in “Of \\*mail\\*”, “Folders”: “hourly” is now \
             “\\`cron\\`”;\n  \
             changed X (`skills/x/SKILL.md`);\n  \
             removed c.md (`docs/c.md`);\n  \
             renamed Bears (`docs/b.md`, was `docs/a.md`)\n"
        );
    }

    #[test]
    fn bookkeeping_is_no_change() {
        for (path, kind, expected) in [
            (".elophanto/index/a.lance/data/b", ChangeKind::Added, false),
            (".elophanto/config.yaml", ChangeKind::Changed, false),
            ("knowledge/system/changelog.md", ChangeKind::Changed, false),
            ("knowledge/system/changelog/a.md", ChangeKind::Added, false),
            ("knowledge/system/changelog/a.md", renamed(".elophanto/a.md"), false),
            ("knowledge/system/changelog/a.md", renamed("knowledge/a.md"), true),
            ("knowledge/a.md", renamed("knowledge/system/changelog/a.md"), true),
            ("knowledge/system/changelogs.md", ChangeKind::Changed, true),
            ("docs/system/changelog.md", ChangeKind::Changed, true),
            ("x/.elophanto/a.md", ChangeKind::Changed, true),
        ] {
            let entry = said(&[change(path, kind.clone(), "A")]);
            assert_eq!(entry.is_some(), expected, "{path} {kind:?}");
        }
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn an_entry_names_what_it_was_made_of() {
        let otters = change("a *b*.md", ChangeKind::Changed, "Otters; *new*");
        let entry = Entry::parse(&said(std::slice::from_ref(&otters)).unwrap().render()).unwrap();
        assert!(entry.names(&otters));
        for (path, kind, title, named) in [
            ("a *b*.md", ChangeKind::Added, "Otters; *new*", true),
            ("a *b*.md", ChangeKind::Changed, "Otters", true),
            ("b.md", ChangeKind::Changed, "Otters; *new*", false),
        ] {
            let other = change(path, kind, title);
            assert_eq!(entry.names(&other), named, "{path} {title}");
        }
    }

    #[test]
    fn many_notes_are_counted() {
        let notes: Vec<Change> = (0..23)
            .map(|number| change(&format!("n{number:02}.md"), ChangeKind::Added, "N"))
            .collect();
        let entry = said(&notes).unwrap();
        assert_eq!((entry.title.as_str(), entry.details.len()), ("23 notes added", 21));
        assert_eq!(entry.details[20], "and 3 more");
        let long = "word ".repeat(30);
        let kinds = [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Removed];
        let notes = kinds.map(|kind| change("a.md", kind, &long));
        assert_eq!(said(&notes).unwrap().title, "1 note added, 1 note changed, 1 note removed");
        assert_eq!(
            said(&notes[..1]).unwrap().title,
            "word word word word word word word word… added"
        );
    }

    #[test]
    fn a_commit_names_its_own_entry() {
        let notes = [change("a.md", ChangeKind::Added, "A")];
        let named = |commit: &str, seconds: i64| {
            let entry = for_commit(commit, seconds, "Add *A*", Path::new(ROOT), &notes);
            entry.map(|(name, entry)| (name, entry.date.to_string(), entry.reason))
        };
        let id = "cfec2c7a0b1c2d3e4f5061728394a5b6c7d8e9f0";
        let (name, day, reason) = named(id, 1_763_740_800).unwrap();
        let ulid = Ulid::from_parts(1_763_740_800_000, 0xcfec_2c7a_0b1c_2d3e_4f50);
        assert_eq!(name, file_name(date(2025, 11, 21), ulid));
        assert_eq!((day.as_str(), reason.as_deref()), ("2025-11-21", Some("Add *A*")));
        assert_eq!(named(id, 1_763_740_800), named(id, 1_763_740_800));
        assert_ne!(named(id, 1_763_740_800), named(&id.replacen('c', "d", 1), 1_763_740_800));
        assert_eq!(named(id, -5).unwrap().1, "1970-01-01");
        assert!(super::super::name_parts(&named(id, i64::MAX).unwrap().0).is_some());
        for id in ["", "cfec2c7", "+fec2c7a0b1c2d3e4f5061728394", "éééééééééééééééééééé"]
        {
            assert_eq!(named(id, 0), None, "{id}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn order_says_nothing_and_titles_stay_short(
            notes in proptest::collection::vec((0..4_usize, "[a-c]{1,2}", "\\PC{0,50}"), 1..30),
        ) {
            let kinds =
                [ChangeKind::Added, ChangeKind::Changed, ChangeKind::Removed, renamed("old.md")];
            let mut notes: Vec<Change> = notes
                .into_iter()
                .map(|(kind, path, title)| change(&path, kinds[kind].clone(), &title))
                .collect();
            let entry = said(&notes).unwrap();
            prop_assert!(entry.title.chars().count() <= MAX_TITLE, "{}", entry.title);
            notes.reverse();
            prop_assert_eq!(said(&notes).unwrap().render(), entry.render());
            prop_assert_eq!(Entry::parse(&entry.render()), Some(entry));
        }
    }
}
