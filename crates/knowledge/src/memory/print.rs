//! Lessons for a reader who pays by the token. Pure; tokens are counted by whoever asks.

use std::collections::BTreeSet;

use super::{Memory, Rate, inline};

/// Most characters of a context, a lesson and a command that are printed.
const MAX_CHARACTERS: usize = 4000;

/// A lesson is not shortened to fewer characters than this.
const MIN_CHARACTERS: usize = 12;

/// Most lessons that are printed at once.
const MAX_ITEMS: usize = 1000;

/// Where not all commands fit, so many are tried one by one.
const MAX_COMMAND_TRIALS: usize = 50;

/// A lesson to be printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub memory: Memory,
    /// What is printed as its rate of success: that of all records it stands for.
    pub rate: Option<Rate>,
    /// How many records it stands for.
    pub count: usize,
    /// How it stands to the lessons that contradict it, if any do.
    pub dispute: Option<Dispute>,
    /// Whether its repository is named: it is another than the reader's.
    pub repo_shown: bool,
    /// Whether its id is printed where there is room, for who may want it forgotten or corrected.
    pub id_shown: bool,
}

/// Where a lesson stands among some that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispute {
    Newest,
    Older,
}

/// What was printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compact {
    /// Markdown without a line end at the end; empty if there is nothing, or no room for anything.
    pub text: String,
    /// How many of the lessons, from the first.
    pub shown: usize,
}

/// A numbered list below `**Relevant Memories (N):**` that never has more than `max_tokens` by
/// `count`.
///
/// First whole lessons are left out from the end; the first is shortened if it does not fit alone.
/// Then there are commands, from the first lesson on, wherever one still fits, and ids in the same way.
pub fn compact(memories: &[Shown], max_tokens: usize, count: &dyn Fn(&str) -> usize) -> Compact {
    let items: Vec<_> = memories.iter().take(MAX_ITEMS).map(Item::of).collect();
    let fits = |text: &str| count(text) <= max_tokens;
    let without = |items: &[Item]| list(items.iter().map(|item| item.line(false, false)));
    if items.is_empty() {
        return Compact::default();
    }
    let shown =
        most(items.len(), |count| items.get(..count).is_some_and(|items| fits(&without(items))));
    let items = items.get(..shown).unwrap_or_default();
    if items.is_empty() {
        return shortened(memories, &fits);
    }
    let numbered = || items.iter().enumerate();
    let commands = fitting(items.len(), &|has: Has| {
        fits(&list(numbered().map(|(at, item)| item.line(has(at), false))))
    });
    let has_command = |at: usize| commands.contains(&at);
    let ids = fitting(items.len(), &|has: Has| {
        fits(&list(numbered().map(|(at, item)| item.line(has_command(at), has(at)))))
    });
    let lines = numbered().map(|(at, item)| item.line(has_command(at), ids.contains(&at)));
    Compact { text: list(lines), shown }
}

/// Whether an item has something.
type Has<'a> = &'a dyn Fn(usize) -> bool;

/// Those of `count` items, from the first on, for what they have beside there is room.
fn fitting(count: usize, fits: &dyn Fn(Has) -> bool) -> BTreeSet<usize> {
    if fits(&|_| true) {
        return (0..count).collect();
    }
    let mut chosen = BTreeSet::new();
    for index in 0..count.min(MAX_COMMAND_TRIALS) {
        if fits(&|other| other == index || chosen.contains(&other)) {
            chosen.insert(index);
        }
    }
    chosen
}

/// The first lesson alone, with as much of its text as there is room for.
fn shortened(memories: &[Shown], fits: &dyn Fn(&str) -> bool) -> Compact {
    let Some(shown) = memories.first() else { return Compact::default() };
    let text =
        |characters| list([Item::of_length(shown, characters).line(false, false)].into_iter());
    let more = most(MAX_CHARACTERS, |more| fits(&text(MIN_CHARACTERS + more)));
    let text = text(MIN_CHARACTERS + more);
    if fits(&text) { Compact { text, shown: 1 } } else { Compact::default() }
}

/// The greatest number up to `max` that fits, where what is more fits less; 0 without a trial.
/// A result over 0 was tried.
fn most(max: usize, fits: impl Fn(usize) -> bool) -> usize {
    if max > 0 && fits(max) {
        return max;
    }
    let (mut fitting, mut too_many) = (0, max);
    while fitting + 1 < too_many {
        let middle = fitting.midpoint(too_many);
        if fits(middle) {
            fitting = middle;
        } else {
            too_many = middle;
        }
    }
    fitting
}

fn list(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<_> =
        lines.enumerate().map(|(index, line)| format!("{}. {line}", index + 1)).collect();
    format!("**Relevant Memories ({}):**\n\n{}", lines.len(), lines.join("\n"))
}

/// The parts of a line, ready to be printed.
struct Item {
    /// `[2025-10-28, billing-api]`, and that it failed.
    origin: String,
    text: String,
    /// In backticks; empty if the lesson says it anyway.
    command: String,
    /// ` (9/10 success, seen 3 times)`, or empty.
    outcome: String,
    /// ` [id 01M80ZSH01B7DQQBMVJNGVQWAD]`, or empty.
    id: String,
}

impl Item {
    fn of(shown: &Shown) -> Self {
        let Memory { context, command, lesson, .. } = &shown.memory;
        let lesson = inline::one_line(lesson, MAX_CHARACTERS);
        let context = inline::one_line(context, MAX_CHARACTERS);
        let command = inline::one_line(command, MAX_CHARACTERS);
        let is_said = command.is_empty() || lesson.contains(&command);
        let command = if is_said { String::new() } else { inline::code(&command) };
        Self { command, ..Self::of_texts(shown, &context, &lesson) }
    }

    /// With so many characters of context and lesson; the context takes at most a third.
    fn of_length(shown: &Shown, characters: usize) -> Self {
        let context = inline::one_line(&shown.memory.context, characters / 3);
        let left = characters.saturating_sub(context.chars().count());
        let lesson = inline::one_line(&shown.memory.lesson, left);
        let left = characters.saturating_sub(lesson.chars().count());
        let context = inline::one_line(&shown.memory.context, left.min(MAX_CHARACTERS));
        Self::of_texts(shown, &context, &lesson)
    }

    fn of_texts(shown: &Shown, context: &str, lesson: &str) -> Self {
        let date = shown.memory.timestamp.strftime("%Y-%m-%d");
        let repo = match shown.repo_shown {
            true => inline::one_line(&shown.memory.repo, 64),
            false => String::new(),
        };
        let origin = match repo.as_str() {
            "" => format!("[{date}]"),
            repo => format!("[{date}, {}]", inline::harmless(repo)),
        };
        let origin = match shown.rate.and_then(Rate::warning) {
            Some(warning) => format!("{origin} Warning, {warning}:"),
            None => origin,
        };
        let context = context.trim_end_matches(['.', ':', ';', ',', ' ']);
        let text = match (context, lesson) {
            ("", text) | (text, "") => inline::harmless(text),
            (context, lesson) => {
                format!("{}: {}", inline::harmless(context), inline::harmless(lesson))
            }
        };
        let rate = shown.rate.map(|rate| format!("{rate} success"));
        let seen = (shown.count > 1).then(|| format!("seen {} times", shown.count));
        let dispute = shown.dispute.map(|dispute| match dispute {
            Dispute::Newest => "contradicts an older lesson".to_owned(),
            Dispute::Older => "older, contradicted by a newer lesson".to_owned(),
        });
        let outcome: Vec<_> = rate.into_iter().chain(seen).chain(dispute).collect();
        let outcome = match outcome.is_empty() {
            true => String::new(),
            false => format!(" ({})", outcome.join(", ")),
        };
        let id = match shown.id_shown {
            true => format!(" [id {}]", inline::harmless(&inline::one_line(&shown.memory.id, 64))),
            false => String::new(),
        };
        Self { origin, text, command: String::new(), outcome, id }
    }

    fn line(&self, with_command: bool, with_id: bool) -> String {
        let Self { origin, text, command, outcome, id } = self;
        let blank = if text.is_empty() { "" } else { " " };
        let id = if with_id { id } else { "" };
        match with_command && !command.is_empty() {
            true => format!("{origin}{blank}{text} {command}{outcome}{id}"),
            false => format!("{origin}{blank}{text}{outcome}{id}"),
        }
    }
}
