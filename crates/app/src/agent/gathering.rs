//! What is known that bears on a task: who the agent is, notes, facts, lessons, earlier tasks,
//! skills.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use super::{ranking, skill_tools, tasks};
use crate::{
    Error, Workspace, init,
    learning::Learning,
    memory::{
        Memories, Question,
        reply::{Beside, fitting},
    },
    pages::{Page, Pages, Trust, folders, is_instructions},
    reporter::Silent,
    search::{Found, SearchRequest, search},
    workspace::KnowledgeBase,
};
use elophanto_agent::{
    Gathered, Instructions, Piece, SkillLine,
    skills::{self, Skill},
};
use elophanto_base::{counted::counted, visible::exact_line};
use elophanto_index::{
    Kind,
    search::{Hit, Level},
};
use elophanto_models::builtin::count_tokens;
use elophanto_text::entity::{self, slug_of};

/// Pages of the knowledge base about itself that are read at the beginning of every task.
const IDENTITY: [&str; 3] = ["identity.md", "capabilities.md", "known-limitations.md"];
/// What is read before anything is developed.
const CONVENTIONS: &str = "conventions.md";
/// Bytes of a page.
const MOST_PAGE: usize = 64 * 1024;
/// Pages that are named where they are not obeyed.
const MOST_NAMED: usize = 8;
/// Hits of the one search.
const HITS: usize = 24;
const MOST_NOTES: usize = 6;
const MOST_FACTS: usize = 8;
const MOST_PAST: usize = 4;
/// Characters of a note about an earlier task.
const MOST_OF_A_TASK: usize = 3_000;
const MOST_LESSONS: usize = 4;
/// Tokens of lessons.
const LESSON_TOKENS: usize = 500;
/// Skills that are read in full.
const MOST_SKILLS: usize = 1;

/// Looks for everything once. What cannot be read is left out.
pub fn gather(
    workspace: &Workspace,
    goal: &str,
    skills: &[Skill],
    protected: Vec<String>,
) -> Gathered {
    let write_root = &workspace.config.knowledge.write_root;
    let pages = Pages::open(&workspace.repository.root, &workspace.config, &workspace.environment);
    let [system, _] = folders(write_root);
    let read = |name: &str| pages.read(&system.join(name)).filter(|it| it.bytes.len() <= MOST_PAGE);
    let identity: Vec<Page> = IDENTITY.iter().filter_map(|name| read(name)).collect();
    let conventions: Vec<Page> = read(CONVENTIONS).into_iter().collect();
    let mut instructions = once(pages.instructions());
    instructions.retain(|page| page.bytes.len() <= MOST_PAGE);
    let remarks = remark(identity.iter().chain(&conventions).chain(&instructions));
    let mut gathered = Gathered {
        identity: identity.into_iter().filter_map(piece).collect(),
        conventions: conventions.into_iter().filter_map(piece).collect(),
        instructions: instructions.into_iter().filter_map(in_folder).collect(),
        protected,
        remarks: remarks.into_iter().collect(),
        ..Gathered::default()
    };
    let mut hits = found(workspace, goal);
    by_interest(workspace, write_root, &mut hits);
    for hit in &hits {
        sort(&pages, hit, write_root, &mut gathered);
    }
    gathered.past.extend(tasks::past(workspace, goal, MOST_PAST));
    gathered.past.truncate(MOST_PAST);
    for lesson in lessons(workspace, goal) {
        gathered.past.extend(lesson_piece(&lesson));
    }
    (gathered.skills, gathered.loaded_skills) = skills_for(goal, skills);
    gathered
}

/// One line for each skill, and in full those that fit. What a repository says of its own is a
/// quote: whoever writes there wrote it.
fn skills_for(goal: &str, skills: &[Skill]) -> (Vec<SkillLine>, Vec<Piece>) {
    let (vouched, others): (Vec<&Skill>, Vec<&Skill>) =
        skills.iter().partition(|skill| skill.origin.is_vouched_for());
    let line = |skill: &&Skill| SkillLine {
        name: skill.name.clone(),
        description: skill.description.clone(),
    };
    let fits = skills::fits(goal, skills, &ranking::rank);
    let fitting = fits.into_iter().take(MOST_SKILLS).filter_map(|(at, _)| skills.get(at));
    let mut pieces: Vec<Piece> = fitting
        .map(|skill| Piece {
            origin: format!("skill {} ({})", skill.name, skill.origin.label()),
            text: skill_tools::whole(skill),
            is_untrusted: !skill.origin.is_vouched_for(),
        })
        .collect();
    if !others.is_empty() {
        let lines: Vec<String> = others.into_iter().map(skills::line).collect();
        let origin = "skills of this repository, for skill_read".to_owned();
        pieces.push(Piece { origin, text: lines.join("\n"), is_untrusted: true });
    }
    (vouched.iter().map(line).collect(), pieces)
}

/// A page about this knowledge base: an order if the user trusts what it says, else a quote.
fn piece(page: Page) -> Option<Piece> {
    // What waits to be written asks for something, and tells nothing.
    let text = init::filled(&String::from_utf8(page.bytes).ok()?)?;
    let origin = page.path.to_string_lossy().into_owned();
    Some(Piece { origin, text, is_untrusted: page.trust != Trust::Given })
}

/// What two files of one folder say alike is said once, as an order if one of them is trusted.
fn once(pages: Vec<Page>) -> Vec<Page> {
    let mut kept: Vec<Page> = Vec::new();
    for page in pages {
        let says_it = |other: &&mut Page| {
            other.path.parent() == page.path.parent() && other.bytes == page.bytes
        };
        match kept.iter_mut().find(says_it) {
            Some(other) if page.trust == Trust::Given => *other = page,
            Some(_) => {}
            None => kept.push(page),
        }
    }
    kept
}

/// Instructions for the folder that they lie in.
fn in_folder(page: Page) -> Option<Instructions> {
    let folder = page.path.parent()?.to_owned();
    Some(Instructions { folder, piece: piece(page)? })
}

/// Says of pages that they are not obeyed, and what to do about it.
fn remark<'p>(pages: impl Iterator<Item = &'p Page>) -> Option<String> {
    let mut quoted: Vec<String> = pages
        .filter(|page| page.trust != Trust::Given && says_something(&page.bytes))
        .map(|page| exact_line(&page.path.to_string_lossy()))
        .collect();
    if let Some(more @ 1..) = quoted.len().checked_sub(MOST_NAMED) {
        quoted.truncate(MOST_NAMED);
        quoted.push(counted(more, "more file"));
    }
    let (are, them) = if quoted.len() == 1 { ("is", "it") } else { ("are", "them") };
    (!quoted.is_empty()).then(|| {
        format!(
            "{} {are} quoted, not obeyed: `elophanto trust --pages` shows and trusts {them}",
            quoted.join(", ")
        )
    })
}

/// Whether somebody wrote something on a page.
fn says_something(page: &[u8]) -> bool {
    init::filled(&String::from_utf8_lossy(page)).is_some_and(|text| !text.trim().is_empty())
}

/// Whether all of a text stands in a page that the user trusts as it is.
fn is_trusted(pages: &Pages, path: &Path, text: &str) -> bool {
    let page = pages.read(path).filter(|page| page.trust == Trust::Given);
    page.is_some_and(|page| {
        let whole = String::from_utf8_lossy(&page.bytes);
        text.lines().all(|line| whole.contains(line.trim()))
    })
}

/// Notes and facts that bear on a task; none where they cannot be searched, or what is found is near by
/// chance: it helps nobody, and it is text from outside.
fn found(workspace: &Workspace, goal: &str) -> Vec<Hit> {
    let request = SearchRequest {
        text: goal.to_owned(),
        kinds: vec![Kind::Note, Kind::Fact],
        awaited: true,
        ..SearchRequest::default()
    };
    let limit = ("search.limit".to_owned(), HITS.to_string());
    let asked = KnowledgeBase::of(workspace)
        .open(vec![limit])
        .and_then(|it| search(&it, &request, &Silent));
    let by_chance = |found: &Found| found.doubted(Level::Perhaps).is_some();
    let asked = asked.ok().filter(|found| !by_chance(found));
    asked.map(|found| found.answer.hits).unwrap_or_default()
}

/// Lessons that bear on a task, as programs get them; none where they cannot be read.
fn lessons(workspace: &Workspace, goal: &str) -> Vec<Value> {
    let recalled = || {
        // As it is now, and opened for this: recalling may go on with another model.
        let workspace = KnowledgeBase::of(workspace).open(Vec::new())?;
        let memories = Memories::open(&workspace);
        let question = Question {
            text: goal,
            repo: None,
            own: &memories.own,
            event_type: None,
            archived: false,
            limit: MOST_LESSONS,
            now: jiff::Timestamp::now(),
        };
        let found = memories.recall(&question)?;
        let tokens = |lesson: &Value| count_tokens(&lesson.to_string());
        let fits = |all: &[Value]| all.iter().map(tokens).sum::<usize>() <= LESSON_TOKENS;
        let beside = Beside { path: &|path| memories.shown(path), origin: &|_| None };
        Ok::<_, Error>(fitting(&found, &beside, &fits))
    };
    recalled().unwrap_or_default()
}

/// Facts of what the user cares about come before others, and of what they do not want to hear
/// about last; otherwise hits stay in their order.
fn by_interest(workspace: &Workspace, write_root: &Path, hits: &mut [Hit]) {
    let folder = entity::folder(write_root);
    let slug = |hit: &Hit| {
        (hit.kind == Kind::Fact).then(|| slug_of(&folder, hit.path.as_path())).flatten()
    };
    let slugs: BTreeSet<String> = hits.iter().filter_map(slug).collect();
    if slugs.len() < 2 {
        return;
    }
    let learning = Learning::look(workspace);
    let scores = learning.scores(&slugs);
    let score = |hit: &Hit| {
        let interest = slug(hit).and_then(|slug| scores.get(&slug).copied());
        interest.unwrap_or_default()
    };
    hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
}

/// Puts a hit where it belongs, as long as there is room.
fn sort(pages: &Pages, hit: &Hit, write_root: &Path, gathered: &mut Gathered) {
    let path = hit.path.to_text();
    let text = hit.text.get(hit.snippet.clone()).unwrap_or_default().trim();
    // Instructions have a place of their own.
    if text.is_empty() || is_instructions(hit.path.as_path()) {
        return;
    }
    let below = hit.path.as_path().strip_prefix(write_root).ok();
    let is_below = |folder: &str| below.is_some_and(|below| below.starts_with(folder));
    let mut piece = Piece {
        origin: format!("{path}:{}", hit.line),
        text: text.to_owned(),
        // Whatever is in the repository may be anybody's.
        is_untrusted: !is_trusted(pages, hit.path.as_path(), text),
    };
    let (list, most) = if hit.kind == Kind::Fact {
        (&mut gathered.facts, MOST_FACTS)
    } else if is_below("learned/tasks") || is_below("learned/failures") {
        // Any part of such a note leads to all of it: what was asked is no help without what came
        // of it.
        piece.origin.clone_from(&path);
        if gathered.past.iter().any(|known| known.origin == path) {
            return;
        }
        if let Some(whole) = pages.read(hit.path.as_path()) {
            piece.text = body(&String::from_utf8_lossy(&whole.bytes));
        }
        (&mut gathered.past, MOST_PAST)
    } else {
        (&mut gathered.notes, MOST_NOTES)
    };
    if list.len() < most {
        list.push(piece);
    }
}

/// A note without its front matter, cut.
fn body(note: &str) -> String {
    let front = note.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let body = front.map_or(note, |(_, body)| body).trim();
    body.chars().take(MOST_OF_A_TASK).collect()
}

fn lesson_piece(lesson: &Value) -> Option<Piece> {
    let word = |key: &str| lesson[key].as_str().unwrap_or_default();
    let text = word("lesson");
    if text.is_empty() {
        return None;
    }
    let rate = match word("success_rate") {
        "" => String::new(),
        rate => format!(" ({rate} success)"),
    };
    Some(Piece {
        origin: format!("lesson {} of {}", word("id"), word("repo")),
        text: format!("{}: {text}{rate}", word("context")),
        is_untrusted: true,
    })
}
