//! Quoting the statements that answer a question, each with where it stands, and those that say
//! otherwise of the same, newest first.

use std::{cell::LazyCell, fmt::Write as _};

use super::answer::{Made, Near, Source};
use crate::{
    learning::{Learning, now},
    when::day,
    workspace::Workspace,
};
use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    Kind,
    search::{
        Hit,
        around::{Shown, led_in, shown},
        changes::lists_changes,
        extract::{Statement, statements},
        question::Question,
    },
};
use elophanto_knowledge::learn::entity_store::EntitySnapshot;
use elophanto_models::llm::EXTRACTIVE;
use elophanto_text::{entity::Line, markdown::Scope};

/// Statements that the best extract quotes, those that contradict one of them apart.
const MOST_QUOTED: usize = 3;
/// Statements that contradict a quoted one and are quoted too.
const MOST_CONTRADICTING: usize = 3;
/// A statement that is worth less than this share of the best one is not quoted beside it.
const WORTH_QUOTING: f32 = 0.7;
/// What no longer holds is worth this share of the same said by a note that does: it is quoted where
/// nothing else answers.
const WORTH_SUPERSEDED: f32 = 0.5;
/// What a list of changes says of what nobody asks the time of is worth this share: it tells how things
/// came about rather than how they are.
const WORTH_CHANGES: f32 = 0.7;
/// A statement says at least this share of what was asked, with the headings above it.
const LEAST_SAID: f32 = 0.25;
/// What share of what is asked a statement tells at least, what that counts beside its cosine, and what both come
/// to at least, if it is to be an answer. Chosen on 160 questions about 16 texts, 48 of them without an answer.
const LEAST_TOLD: f32 = 0.3;
const TOLD: f32 = 0.5;
const LEAST_SCORE: f32 = 0.88;
/// A fact, which its words tell more of, is an answer also where it does not come so near, unless another statement
/// is so much nearer.
const FARTHER: f32 = 0.06;
/// Seconds of a day.
const DAY: i64 = 86_400;

/// Something that is quoted.
struct Voice<'v, 'a> {
    text: &'v str,
    hit: &'a Hit,
    /// The page, where it is another than that of the hit.
    page: Option<&'v str>,
    line: usize,
    /// The heading within the hit that it stands beneath.
    beneath: &'v str,
    is_superseded: bool,
    /// Seconds since 1970.
    said: Option<i64>,
    /// Where a fact is from.
    from: Option<String>,
}

impl Voice<'_, '_> {
    fn stands_at(&self, page: &str, line: usize) -> bool {
        self.line == line
            && self.page.map_or_else(|| self.hit.path.to_text() == page, |it| it == page)
    }
}

/// The best statements, each with its source, once they were looked at; with each of them those that contradict it, newest
/// first. With `by_rank` the first hit goes first. `None` if nothing that was found states anything.
pub(super) fn extract<'a>(
    asked: &Question,
    near: &[Near<'a>],
    workspace: &Workspace,
    analyzer: &Analyzer,
    by_rank: bool,
    look: impl FnOnce(&mut Vec<Statement>),
) -> Option<Made<'a>> {
    let hits: Vec<&'a Hit> = near.iter().map(|near| near.hit).collect();
    let is_superseded = |one: &Statement| near.get(one.hit).is_some_and(|near| near.is_superseded);
    let mut all = statements(asked, &hits, analyzer);
    look(&mut all);
    let known = LazyCell::new(|| Learning::look(workspace).store().read(now()));
    let mut made = Made {
        text: String::new(),
        is_quoted: true,
        model: EXTRACTIVE.to_owned(),
        sources: Vec::new(),
        contradictions: Vec::new(),
        is_sure: false,
    };
    let mut told: Vec<String> = Vec::new();
    for statement in best(&all, near, by_rank) {
        if made.sources.is_empty() {
            made.is_sure = answers(statement);
        }
        if told.contains(&statement.text) {
            continue;
        }
        let mut texts = vec![&statement.text];
        // Changes one after the other contradict nothing.
        let is_change = |one: &Statement| {
            hits.get(one.hit).is_some_and(|hit| lists_changes(hit.path.as_path()))
        };
        let others = all.iter().filter(|other| {
            // Nor does what no longer holds contradict what does.
            let says_more = statement.contradicts(other)
                && (is_superseded(statement) || !is_superseded(other))
                && !is_change(statement)
                && !is_change(other)
                && !texts.contains(&&other.text);
            if says_more {
                texts.push(&other.text);
            }
            says_more
        });
        let mut group: Vec<Voice> = Vec::new();
        for one in std::iter::once(statement).chain(others.take(MOST_CONTRADICTING)) {
            let (hit, line): (&'a Hit, usize) = (hits.get(one.hit)?, one.line);
            let (said, from) = origin(hit, line, &known);
            let is_superseded = is_superseded(one);
            group.push(Voice {
                text: &one.text,
                hit,
                page: None,
                line,
                beneath: &one.beneath,
                is_superseded,
                said,
                from,
            });
        }
        // What other facts of the same entity say of it.
        let hit: &'a Hit = hits.get(statement.hit)?;
        for other in hit.others_at(statement.line) {
            if group.len() > MOST_CONTRADICTING
                || asked.is_of_another(&other.text)
                || group.iter().any(|voice| voice.stands_at(&other.page, other.at_line))
            {
                continue;
            }
            group.push(Voice {
                text: &other.text,
                hit,
                page: Some(&other.page),
                line: other.at_line,
                beneath: "",
                is_superseded: false,
                said: other.said,
                from: Some(other.source.clone()).filter(|source| !source.is_empty()),
            });
        }
        // Of one day, what the user wrote comes before what was learnt.
        group.sort_by_key(|voice| {
            let day = voice.said.map(|said| said.div_euclid(DAY));
            let is_learned = voice.hit.scope == Scope::Learned;
            (voice.is_superseded, std::cmp::Reverse(day), is_learned)
        });
        // What contradicts each other stands word by word, one below the other.
        let shown = match (group.len(), made.sources.is_empty()) {
            (1, true) => shown(statement, hit, asked),
            (1, false) => Shown { line: led_in(statement, hit), ..Shown::default() },
            _ => Shown::default(),
        };
        let mut numbers = Vec::new();
        for voice in &group {
            let line = if group.len() > 1 { voice.text } else { &shown.line };
            told.push(voice.text.to_owned());
            made.sources.push(Source {
                stated: voice.text.to_owned(),
                shown: format!("{line}\n{}", shown.below.join("\n")),
                hit: voice.hit,
                page: voice.page.map(str::to_owned),
                line: voice.line,
                beneath: voice.beneath.to_owned(),
                said: voice.said,
                from: voice.from.clone(),
                is_superseded: voice.is_superseded,
            });
            let number = made.sources.len();
            numbers.push(number);
            // After what is said: before it, it would read as part of the answer.
            let date = voice.said.filter(|_| group.len() > 1);
            let date = date.map(|said| format!("as of {}", day(said)));
            let state = voice.is_superseded.then(|| "superseded".to_owned());
            let remarks: Vec<String> = date.into_iter().chain(state).collect();
            let end = if made.text.is_empty() { "" } else { "\n" };
            let _ = write!(made.text, "{end}{line} [{number}]");
            if !remarks.is_empty() {
                let _ = write!(made.text, " ({})", remarks.join(", "));
            }
            for line in &shown.below {
                let _ = write!(made.text, "\n{line}");
            }
        }
        if group.len() > 1 {
            made.contradictions.push(numbers);
        }
    }
    (!made.sources.is_empty()).then_some(made)
}

/// How near what a sentence transformer read comes to the question, and how much of that it tells; nothing of
/// what it had no time for.
fn score(one: &Statement) -> f32 {
    one.cosine.map_or(0.0, |cosine| cosine + TOLD * one.told)
}

/// Whether a statement that was read answers.
fn answers(one: &Statement) -> bool {
    one.fits && one.told >= LEAST_TOLD && score(one) >= LEAST_SCORE
}

/// The best statement of each hit, the best of all first, as long as it is worth quoting beside it.
///
/// With `by_rank` what stands under the question itself goes first, then the first hit that still holds, then a value in
/// all words of the question, or nothing is quoted: of 417 questions about ten
/// repositories 134 are answered right and 76 wrong by the best statement of six hits, 129 and 48 by that of the first
/// hit. Facts stand alone.
fn best<'s>(all: &'s [Statement], near: &[Near], by_rank: bool) -> Vec<&'s Statement> {
    let read = all.iter().any(|one| one.cosine.is_some());
    let most = all.iter().filter_map(|one| one.cosine).fold(0.0, f32::max);
    let is_fact = |one: &Statement| near.get(one.hit).is_some_and(|it| it.hit.kind == Kind::Fact);
    let answers = |one: &Statement| {
        let is_nearest = one.cosine.is_some_and(|own| own + FARTHER >= most);
        // What stands under the question itself answers it.
        answers(one) || one.tells && (one.is_headed || is_fact(one) && is_nearest)
    };
    let worth = |one: &Statement| {
        let Some(near) = near.get(one.hit) else { return one.value };
        let worth = if read { score(one) } else { one.value + near.nearness };
        let share = if near.is_superseded { WORTH_SUPERSEDED } else { 1.0 };
        let share = if near.lists_changes { share * WORTH_CHANGES } else { share };
        worth * share
    };
    let says = |one: &Statement| if read { score(one) } else { one.value + one.with_headings };
    let of_hit = all.chunk_by(|a, b| a.hit == b.hit).filter_map(|of_hit| {
        let telling = || of_hit.iter().filter(|one| if read { answers(one) } else { one.tells });
        let headed = || telling().find(|one| one.is_headed);
        match telling().find(|one| one.leads).or_else(headed) {
            // What stands under the heading that was asked for begins with what it is about.
            Some(first) => Some(first),
            // The first of equals.
            None => telling().rev().max_by(|a, b| says(a).total_cmp(&says(b))),
        }
    });
    let is_said = |one: &&Statement| read || one.with_headings >= LEAST_SAID;
    let mut best: Vec<&Statement> = of_hit.filter(is_said).collect();
    best.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    if by_rank && best.first().is_some_and(|one| !is_fact(one)) {
        let first = near.iter().position(|near| !near.is_superseded).unwrap_or_default();
        let holds = |one: &Statement| near.get(one.hit).is_some_and(|near| !near.is_superseded);
        let leads = |one: &Statement| one.leads && holds(one);
        let says_all = |one: &Statement| one.says_all && holds(one);
        best.sort_by_key(|one| (!leads(one), one.hit != first, !says_all(one)));
        let is_told = |one: &Statement| one.hit == first || leads(one) || says_all(one);
        if best.first().is_some_and(|one| !is_told(one)) {
            return Vec::new();
        }
    }
    let most = best.first().map_or(0.0, |one| worth(one));
    // What the user wrote and says as much comes before what was learnt.
    let is_users = |one: &Statement| {
        near.get(one.hit).is_some_and(|it| it.hit.scope == Scope::User && !it.is_superseded)
    };
    if let Some(learned) = best.first().filter(|one| is_fact(one))
        && let Some(users) = best.iter().position(|one| {
            is_users(one)
                && one.with_headings >= learned.with_headings
                && worth(one) >= most * WORTH_QUOTING
        })
    {
        best[..=users].rotate_right(1);
    }
    let is_headed = best.first().is_some_and(|one| one.is_headed);
    // Beside what stands under the question itself, what only speaks of it tells nothing.
    best.retain(|one| worth(one) >= most * WORTH_QUOTING && (one.is_headed || !is_headed));
    best.truncate(MOST_QUOTED);
    best
}

/// When a line was written, in seconds since 1970, and where it is from: a fact says so itself, else
/// its file was changed then.
fn origin(
    hit: &Hit,
    line: usize,
    known: &impl std::ops::Deref<Target = EntitySnapshot>,
) -> (Option<i64>, Option<String>) {
    let slug = hit.path.as_path().file_stem().and_then(|stem| stem.to_str());
    let page = slug.filter(|_| hit.kind == Kind::Fact).and_then(|slug| known.pages.get(slug));
    let fact = page.and_then(|page| page.page.lines.iter().find(|known| known.number == line));
    let at = fact.and_then(Line::said).map(jiff::Timestamp::as_second);
    (at.or(hit.changed), fact.and_then(|fact| fact.source.clone()))
}
