//! What a commit did to the lines of a page.

use std::collections::BTreeSet;

use super::{
    line::{Line, LineHash},
    page::own_lines,
    retired::{Record, Retired, Retirement},
};

/// Lines of ours that a commit took away or brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// In a parent and not in the page now; their numbers are those of the parent.
    pub gone: Vec<Line>,
    /// In the page now and in no parent: new ones, and such as once were taken away.
    pub back: Vec<Line>,
    was: BTreeSet<LineHash>,
    is: BTreeSet<LineHash>,
}

/// Compares a page with what it was in the commit's parents. The text is empty where there is no
/// page.
pub fn changes(parents: &[&str], now: &str) -> Changes {
    let lines = |text: &str| own_lines(text).map(|(line, _)| line).collect::<Vec<_>>();
    let hashes =
        |lines: &[Line]| lines.iter().map(|line| line.hash).collect::<BTreeSet<LineHash>>();
    let before: Vec<Line> = parents.iter().flat_map(|text| lines(text)).collect();
    let now = lines(now);
    let (was, is) = (hashes(&before), hashes(&now));
    // Each line is told once.
    let (mut gone_from, mut back_to) = (is.clone(), was.clone());
    let gone = before.into_iter().filter(|line| gone_from.insert(line.hash)).collect();
    let back = now.into_iter().filter(|line| back_to.insert(line.hash)).collect();
    Changes { gone, back, was, is }
}

impl Changes {
    /// The lines whose loss no record tells yet.
    ///
    /// `told` are the records that an ordinary commit itself brings along; of a merge, all there
    /// are. For a line that is taken out counts as retired even where it was so before: else it
    /// would be lost, untold, to a branch that has restored it meanwhile. But what a merge leaves
    /// out has been told by the branch that took it out.
    pub fn to_retire<'a>(&'a self, told: &'a Retired) -> impl Iterator<Item = &'a Line> {
        self.gone.iter().filter(|line| !told.holds(&line.hash))
    }

    /// The lines that were brought back although they were retired, with the ids of the retirements
    /// that a restoration has to name.
    ///
    /// `before` are the records that the parents have. Those that the commit itself brings along
    /// are none of them: a line that was learned and retired since the last commit is new to the
    /// page, and not back.
    pub fn to_restore<'a>(
        &'a self,
        before: &'a Retired,
    ) -> impl Iterator<Item = (&'a Line, Vec<&'a str>)> {
        self.back.iter().filter_map(|line| {
            let ids: Vec<&str> =
                before.standing(&line.hash).iter().map(|one| one.id.as_str()).collect();
            (!ids.is_empty()).then_some((line, ids))
        })
    }
}

/// The changes of all pages that one commit touched, without lines that only went from one page to
/// another, as they do when a file is renamed: they are neither gone nor back.
pub fn without_moves(mut pages: Vec<Changes>) -> Vec<Changes> {
    let was: BTreeSet<LineHash> = pages.iter().flat_map(|page| &page.was).copied().collect();
    let is: BTreeSet<LineHash> = pages.iter().flat_map(|page| &page.is).copied().collect();
    for page in &mut pages {
        page.gone.retain(|line| !is.contains(&line.hash));
        page.back.retain(|line| !was.contains(&line.hash));
    }
    pages
}

/// The retirements that a commit's own records took back although no page has the line: it was
/// brought back and taken out again, by hand, before anything was committed. Each is to be written
/// again under a new id, or a branch that still has the line could not tell that it was taken out.
///
/// `fresh` are the records that the commit brings along, `all` these and those before, `pages` the
/// texts of all pages.
pub fn to_retire_again<'a>(
    fresh: &[Record],
    all: &[Record],
    pages: impl IntoIterator<Item = &'a str>,
) -> Vec<Retirement> {
    let restored = fresh.iter().filter_map(|record| match record {
        Record::Restored(restoration) => Some(&restoration.retirements),
        Record::Retired(_) => None,
    });
    let restored: BTreeSet<&str> = restored.flatten().map(String::as_str).collect();
    if restored.is_empty() {
        return Vec::new();
    }
    let retired = Retired::of(all.iter().cloned());
    let mut there: BTreeSet<LineHash> =
        pages.into_iter().flat_map(own_lines).map(|(line, _)| line.hash).collect();
    let retirements = all.iter().filter_map(|record| match record {
        Record::Retired(one) if restored.contains(one.id.as_str()) => Some(one),
        _ => None,
    });
    // Each line once.
    let absent = retirements.filter(|one| !retired.holds(&one.hash) && there.insert(one.hash));
    absent.cloned().collect()
}
