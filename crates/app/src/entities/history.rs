//! What became of an entity: when each fact was found out, where, and what was changed, taken out or
//! put back since.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::learning::now;
use elophanto_knowledge::learn::{
    entity_store::{EntitySnapshot, EntityStore, KINDS, ParsedPage},
    record::{RESTORED, RETIRED, RestoredLines, RetiredLine},
};
use elophanto_repo::journal::fold;
use elophanto_text::entity::{Kind, Line, LineHash, Reason, identity};

/// Something that happened to an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Happened {
    /// `None` where nobody wrote it down.
    pub at: Option<String>,
    /// `learnt`, `named`, `merged`, `changed`, `removed`, `deleted`, `masked`, `undone`, `unmerged` or
    /// `put back`.
    pub what: &'static str,
    /// What it is about, as it stood; empty of what held a secret.
    pub text: String,
    /// Where it is from: an address, or the path of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What the text gave way to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// All that happened to the entity of a name, be it there or not any more, the oldest first; empty
/// where nothing is known of it.
pub fn history(store: &EntityStore, snapshot: &EntitySnapshot, name: &str) -> Vec<Happened> {
    let read = store.record_store.journal.read(&KINDS).records;
    let (mut retired, mut restored) = (Vec::new(), Vec::new());
    for record in fold(read, now()).into_values().filter(|record| !record.retired) {
        match record.kind.as_str() {
            RETIRED => retired.extend(record.parse::<RetiredLine>().ok()),
            RESTORED => restored.extend(record.parse::<RestoredLines>().ok()),
            _ => {}
        }
    }
    let slugs = pages(snapshot, &retired, name);
    retired.retain(|line: &RetiredLine| slugs.contains(&line.line.slug));
    let mut all = Vec::new();
    // Each line once, there or gone.
    let mut seen: BTreeSet<LineHash> = BTreeSet::new();
    for page in slugs.iter().filter_map(|slug| snapshot.pages.get(slug)) {
        for line in page.page.lines.iter().filter(|line| seen.insert(line.hash)) {
            all.extend(began(line));
        }
    }
    for line in &retired {
        let before = line.raw.clone().map(ParsedPage::of);
        let before = before.and_then(|parsed| parsed.page.lines.into_iter().next());
        let is_fresh = seen.insert(line.line.hash);
        all.extend(before.iter().filter(|_| is_fresh).filter_map(began));
        all.extend(ended(line, before.as_ref(), snapshot));
    }
    for back in restored {
        let its = retired.iter().filter(|line| back.retirements.contains(&line.id));
        all.extend(its.filter(|line| !line.line.line.starts_with(Kind::Created.letter())).map(
            |line| Happened {
                at: Some(format!("{:.0}", back.at)),
                what: "put back",
                text: line.says().unwrap_or_default(),
                source: None,
                now: None,
            },
        ));
    }
    all.sort();
    all
}

/// Slugs of the pages of an entity that is there, or once was.
fn pages(snapshot: &EntitySnapshot, retired: &[RetiredLine], name: &str) -> BTreeSet<String> {
    if let Some(entity) = super::find(snapshot, name) {
        return entity.pages.iter().cloned().collect();
    }
    let own = identity(name);
    let is_title = |line: &&RetiredLine| line.line.line.starts_with(Kind::Title.letter());
    let titles = retired.iter().filter(is_title);
    let its = titles.filter(|line| line.says().is_some_and(|title| identity(&title) == own));
    its.map(|line| line.line.slug.clone()).collect()
}

/// That a line came to be.
fn began(line: &Line) -> Option<Happened> {
    let what = match line.kind {
        Kind::Fact if line.is_edited => return None,
        Kind::Fact => "learnt",
        Kind::Title | Kind::Alias | Kind::Tag => "named",
        Kind::MergedInto => "merged",
        Kind::Created => return None,
    };
    Some(Happened {
        at: line.at.map(|at| format!("{at:.0}")),
        what,
        text: line.text.clone(),
        source: line.source.clone(),
        now: None,
    })
}

/// That a line went.
fn ended(line: &RetiredLine, before: Option<&Line>, snapshot: &EntitySnapshot) -> Option<Happened> {
    let is_of = |kind: Kind| line.line.line.starts_with(kind.letter());
    if is_of(Kind::Created) {
        return None;
    }
    let what = match &line.line.reason {
        Reason::Edited => "changed",
        Reason::Masked => "masked",
        Reason::Undone(_) if is_of(Kind::MergedInto) => "unmerged",
        Reason::Undone(_) => "undone",
        Reason::Merged(_) => "merged",
        Reason::Deleted => "deleted",
        Reason::Removed | Reason::Other(_) => "removed",
    };
    let page = snapshot.pages.get(&line.line.slug);
    let after = page.into_iter().flat_map(|page| &page.page.lines);
    let mut after = after.filter(|now| now.key() == line.line.line && what == "changed");
    Some(Happened {
        at: Some(format!("{:.0}", line.at)),
        what,
        text: line.says().unwrap_or_default(),
        source: before.and_then(|line| line.source.clone()),
        now: after.next().map(|now| now.text.clone()),
    })
}
