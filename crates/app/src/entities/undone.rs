//! Facts that went with a commit which was undone or thrown away: git's reflog alone still knows them.

use rustc_hash::FxHashSet;

use crate::{
    learning::{Learning, now},
    memory::held,
    workspace::Workspace,
};
use elophanto_knowledge::learn::entity_store::{MAX_PAGE_BYTES, folder};
use elophanto_repo::{CommitId, Git, NotePath, ObjectId};
use elophanto_text::entity::{Kind, Line, Page};

/// What such a commit held of a page, and nothing holds any more.
pub struct Undone {
    /// The page, relative to the root.
    pub path: NotePath,
    /// The commit that was given up.
    pub commit: CommitId,
    /// In the order of the page.
    pub facts: Vec<Line>,
}

/// All of it, from the newest commit on. What is on a page, or was taken out of one, is not among it, nor what
/// git's index, HEAD, a branch or a stash holds. Nothing where git cannot tell.
pub fn undone(workspace: &Workspace) -> Vec<Undone> {
    let Some(git) = Git::of(&workspace.repository) else { return Vec::new() };
    let folder = folder(&workspace.config.knowledge.write_root);
    let brought = git.undone_below(&folder).unwrap_or_default();
    if brought.is_empty() {
        return Vec::new();
    }
    let snapshot = Learning::look(workspace).store().read(now());
    let lines = snapshot.pages.values().flat_map(|page| &page.page.lines).map(Line::key);
    let retired = snapshot.retired.all().map(|retirement| retirement.line.clone());
    let mut known: FxHashSet<String> = lines.chain(retired).collect();
    let contents: Vec<&ObjectId> = brought.iter().map(|it| &it.content).collect();
    let texts = git.objects().read(&contents, MAX_PAGE_BYTES);
    let mut undone = Vec::new();
    for (brought, text) in brought.iter().zip(texts) {
        let text = text.unwrap_or_default();
        let facts = Page::parse(&String::from_utf8_lossy(&text)).lines.into_iter();
        let facts = facts.filter(|line| line.kind == Kind::Fact && known.insert(line.key()));
        let (path, commit) = (brought.path.clone(), brought.commit);
        undone.push(Undone { path, commit, facts: facts.collect() });
    }
    let ids = undone.iter().flat_map(|it| &it.facts).map(|line| line.id.as_str());
    let Ok(held) = held(&git, &folder, ids) else { return Vec::new() };
    for one in &mut undone {
        one.facts.retain(|line| !held.contains(&line.id));
    }
    undone.retain(|it| !it.facts.is_empty());
    undone
}
