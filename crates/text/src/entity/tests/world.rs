//! Branches of a repository in memory: pages, records, and what people and commands do to them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use super::super::{
    Changes, Entities, Kind, Line, LineHash, NewLine, Page, Reason, Record, Restoration, Retired,
    Retirement, append, changes, empty_page, to_retire_again, without, without_moves,
};

pub(super) const SLUGS: [&str; 3] = ["alpha", "beta", "gamma"];
pub(super) type Pages = BTreeMap<String, String>;

#[derive(Debug, Clone, Default)]
pub(super) struct Branch {
    /// In front of the ids of its records.
    pub name: String,
    pub pages: Pages,
    /// As they were at the last commit.
    pub committed: Pages,
    pub records: Vec<Record>,
    /// Of the records those that the next commit brings along.
    pub fresh: usize,
    /// Every line there ever was, as git remembers it.
    pub history: BTreeMap<LineHash, String>,
    pub clock: i64,
}

impl Branch {
    pub(super) fn fork(&self, name: &str) -> Self {
        Self { name: format!("{}{name}", self.name), ..self.clone() }
    }

    pub(super) fn retired(&self) -> Retired {
        Retired::of(self.records.iter().cloned())
    }

    pub(super) fn entities(&self) -> Entities {
        let pages = self.pages.iter().map(|(slug, text)| (slug.clone(), Page::parse(text)));
        Entities::of(pages, &self.retired())
    }

    /// Tells what was done by hand, as the hook does.
    pub(super) fn commit(&mut self) {
        let told = Retired::of(self.records.iter().skip(self.fresh).cloned());
        let before = std::mem::take(&mut self.committed);
        let fresh = self.records.split_at(self.fresh).1;
        let again = to_retire_again(fresh, &self.records, self.pages.values().map(String::as_str));
        for one in again {
            let id = self.id();
            self.records.push(Record::Retired(Retirement { id, ..one }));
        }
        let known = Retired::of(self.records.iter().take(self.fresh).cloned());
        self.tell(&[&before], &told, &known);
        self.committed = self.pages.clone();
        self.fresh = self.records.len();
    }

    fn tell(&mut self, parents: &[&Pages], told: &Retired, before: &Retired) {
        let slugs: BTreeSet<String> = parents
            .iter()
            .flat_map(|pages| pages.keys())
            .chain(self.pages.keys())
            .cloned()
            .collect();
        fn text<'a>(pages: &'a Pages, slug: &str) -> &'a str {
            pages.get(slug).map_or("", String::as_str)
        }
        let all: Vec<Changes> = slugs
            .iter()
            .map(|slug| {
                let parents: Vec<&str> = parents.iter().map(|pages| text(pages, slug)).collect();
                changes(&parents, text(&self.pages, slug))
            })
            .collect();
        for (slug, change) in slugs.iter().zip(without_moves(all)) {
            for line in change.to_retire(told) {
                let edited = change.back.iter().any(|new| new.key() == line.key());
                self.retire(slug, line, if edited { Reason::Edited } else { Reason::Removed });
            }
            for (_, ids) in change.to_restore(before) {
                let retirements = ids.into_iter().map(str::to_owned).collect();
                let id = self.id();
                self.records.push(Record::Restored(Restoration { id, retirements }));
            }
        }
    }

    pub(super) fn id(&mut self) -> String {
        self.clock += 1;
        format!("{}-{}", self.name, self.clock)
    }

    pub(super) fn retire(&mut self, slug: &str, line: &Line, reason: Reason) {
        let id = self.id();
        self.records.push(Record::Retired(Retirement::new(id, slug, line, reason)));
    }

    pub(super) fn take_out(&mut self, slug: &str, hashes: &[LineHash]) {
        self.remember();
        if let Some(page) = self.pages.get_mut(slug) {
            *page = without(page, &hashes.iter().copied().collect());
        }
    }

    pub(super) fn bring_back(&mut self, slug: &str, hash: LineHash) {
        let line = NewLine::again(&self.history[&hash]).unwrap();
        assert_eq!(line.hash(), hash);
        let page = self.pages.entry(slug.to_owned()).or_insert_with(|| empty_page(slug));
        *page = append(page, &[line]);
    }

    pub(super) fn remember(&mut self) {
        for text in self.pages.values() {
            let own = super::super::page::own_lines(text);
            self.history
                .extend(own.map(|(line, row)| (line.hash, row.content.trim_end().to_owned())));
        }
    }

    pub(super) fn lines(&self) -> Vec<(String, Line)> {
        let of = |(slug, text): (&String, &String)| {
            let lines = Page::parse(text).lines;
            lines.into_iter().map(|line| (slug.clone(), line)).collect::<Vec<_>>()
        };
        self.pages.iter().flat_map(of).collect()
    }

    /// Of the lines of all pages, with the slugs of these.
    pub(super) fn hashes(&self) -> BTreeSet<(String, LineHash)> {
        self.lines().into_iter().map(|(slug, line)| (slug, line.hash)).collect()
    }

    pub(super) fn counting(&self) -> Vec<(String, Line)> {
        let retired = self.retired();
        self.lines().into_iter().filter(|(_, line)| !retired.holds(&line.hash)).collect()
    }

    pub(super) fn pick(&self, a: u8) -> Option<(String, Line)> {
        let all = self.counting();
        let (slug, line) = all.get(usize::from(a) % all.len().max(1))?;
        (!matches!(line.kind, Kind::Created | Kind::MergedInto))
            .then(|| (slug.clone(), line.clone()))
    }
}

/// What a merge of two committed branches leaves, by git's own union merge of every page.
pub(super) fn merge(base: &Branch, ours: &Branch, theirs: &Branch, folder: &Path) -> Branch {
    let mut merged = Branch {
        name: format!("{}m", ours.name),
        clock: ours.clock.max(theirs.clock),
        ..ours.clone()
    };
    for record in &theirs.records {
        if !merged.records.contains(record) {
            merged.records.push(record.clone());
        }
    }
    merged.history.extend(theirs.history.clone());
    merged.pages = SLUGS
        .iter()
        .filter_map(|slug| {
            let page = |branch: &Branch| branch.committed.get(*slug).cloned();
            Some(((*slug).to_owned(), union(page(base), page(ours), page(theirs), folder)?))
        })
        .collect();
    let told = merged.retired();
    merged.tell(&[&ours.committed, &theirs.committed], &told, &told);
    merged.committed = merged.pages.clone();
    merged.fresh = merged.records.len();
    merged
}

fn union(
    base: Option<String>,
    ours: Option<String>,
    theirs: Option<String>,
    folder: &Path,
) -> Option<String> {
    // As git does where one side alone has changed it. A person keeps what was deleted here and
    // changed there.
    if ours == theirs || theirs == base {
        return ours;
    }
    if ours == base {
        return theirs;
    }
    let (ours, theirs) = match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours, theirs),
        (one, other) => return one.or(other),
    };
    for (name, text) in [("base", &base.unwrap_or_default()), ("ours", &ours), ("theirs", &theirs)]
    {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut git = Command::new("git");
    git.args(["merge-file", "--union", "-p", "ours", "base", "theirs"]).current_dir(folder);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}
