//! Lessons as programs get them, in as much detail as there is room for.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Kept, Memories};
use crate::Result;
use elophanto_base::visible::{hidden, visible};
use elophanto_knowledge::memory::{Dispute, Question, Rate, Recalled, Shown, compact};
use elophanto_models::builtin::count_tokens;

/// Characters of a context where there is little room.
const SHORT_CONTEXT: usize = 80;
/// Digits of a commit where not everything is told.
const SHORT_COMMIT: usize = 10;
/// Characters of each text of the only lesson, where there is less than little.
const SHORTER: [usize; 7] = [2_000, 1_000, 500, 200, 80, 40, 12];
/// Tokens of the line that says of a text that it is quoted.
const NOTICE_TOKENS: usize = 24;
/// Tokens of what says how many characters cannot be seen.
const HIDDEN_TOKENS: usize = 24;

/// What is told of each lesson, most first: that all of them are there is worth more than what else
/// is known of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Whole,
    /// What it says, and since when that works how often.
    Brief,
    /// The same without where, when and by whom: the command may be what mends it.
    Least,
    /// The same without its id.
    Said,
    /// The same with [`SHORT_CONTEXT`].
    Terse,
}

impl Detail {
    const ALL: [Self; 5] = [Self::Whole, Self::Brief, Self::Least, Self::Said, Self::Terse];
}

/// A lesson, as `--json` and the MCP server give it.
#[derive(Serialize, JsonSchema)]
struct RecalledWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    event_type: Option<&'static str>,
    lesson: &'a str,
    context: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    /// that it failed more often than it worked: no advice
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// ids of lessons here that say something else of the same
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    contradicts: &'a [String],
    #[serde(flatten)]
    rest: Option<Rest<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    /// Whether there is no room for all of its texts, or for its id and where it is from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// Who wrote a lesson down, and the commit that brought it; `None` while it is in none.
#[derive(Serialize, Clone, JsonSchema)]
pub struct Origin {
    /// The name under which it wrote.
    pub agent: String,
    /// The full id.
    pub commit: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Rest<'a> {
    tags: &'a [String],
    agent_id: &'a str,
    /// How many records say so.
    count: usize,
    path: String,
    line: usize,
    score: f32,
}

/// What is remembered of a question, within a number of tokens.
#[derive(Serialize, JsonSchema)]
pub struct Lessons {
    /// The nearest first.
    #[schemars(with = "Vec<RecalledWire<'static>>")]
    pub memories: Vec<Value>,
    /// Whether texts were shortened to fit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// how many are left out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
    /// The same for people and models; empty if nothing is remembered.
    #[serde(skip)]
    pub text: String,
}

/// What is known of lessons beside what they say.
pub struct Beside<'a> {
    /// A path as the user knows it.
    pub path: &'a dyn Fn(&Path) -> PathBuf,
    /// `None` where it is not told.
    pub origin: &'a dyn Fn(&Recalled) -> Option<Origin>,
}

impl Lessons {
    /// Lessons whole or in part, in `most` tokens as JSON and as text; `told` are the same as they are
    /// printed.
    pub fn within(found: &[Recalled], mut told: Vec<Shown>, beside: &Beside, most: usize) -> Self {
        let lessons = |memories: Vec<Value>| {
            let more = Some(found.len() - memories.len()).filter(|more| *more > 0);
            let is_cut = memories.iter().any(|memory| memory["truncated"] == true);
            Self { cut: is_cut || more.is_some(), more, memories, text: String::new() }
        };
        // What cannot be seen is marked before it is sent, and takes more room then.
        let count = |text: &str| match hidden(text) {
            0 => count_tokens(text),
            _ => count_tokens(&visible(text)) + HIDDEN_TOKENS,
        };
        let fits =
            |memories: &[Value]| count(&json!(lessons(memories.to_vec())).to_string()) <= most;
        let mut memories = fitting(found, beside, &fits);
        let room = most.saturating_sub(NOTICE_TOKENS);
        // Both tell of the same lessons. Some clients hand on the text alone.
        told.truncate(memories.len());
        told.iter_mut().for_each(|it| it.id_shown = true);
        let text = compact(&told, room, &count);
        memories.truncate(text.shown);
        let text = match memories.is_empty() && !found.is_empty() {
            true => format!("no lesson fits into {most} tokens"),
            false => text.text,
        };
        Self { text, ..lessons(memories) }
    }

    /// Whether nothing is remembered.
    pub fn is_none(&self) -> bool {
        self.memories.is_empty() && !self.cut
    }
}

impl Memories<'_> {
    /// The lessons that answer a question best, whole or in part, in `most` tokens as JSON and as
    /// text; what git says of their files is kept.
    ///
    /// # Errors
    /// As [`Memories::recall`].
    pub fn lessons(&self, question: &Question, kept: &Kept, most: usize) -> Result<Lessons> {
        let found = self.recall(question)?;
        let beside = Beside { path: &|path| self.shown(path), origin: &self.origins(kept) };
        Ok(Lessons::within(&found, shown(&found, &self.own), &beside, most))
    }
}

/// Lessons as they are printed for people and models.
pub fn shown(found: &[Recalled], own: &str) -> Vec<Shown> {
    let is_first = |at: usize, it: &Recalled| {
        found.iter().take(at).all(|before| !it.contradicts.contains(&before.memory.id))
    };
    let dispute = |at: usize, it: &Recalled| match is_first(at, it) {
        _ if it.contradicts.is_empty() => None,
        true => Some(Dispute::Newest),
        false => Some(Dispute::Older),
    };
    let shown = |(at, it): (usize, &Recalled)| Shown {
        memory: it.memory.clone(),
        rate: it.rate,
        count: it.count,
        dispute: dispute(at, it),
        repo_shown: it.memory.repo != own,
        id_shown: false,
    };
    found.iter().enumerate().map(shown).collect()
}

/// The lessons for which there is room, from the first, with as much of each as lets all of them in.
/// If not even the first fits, as much of its texts as does.
pub fn fitting(found: &[Recalled], beside: &Beside, fits: &dyn Fn(&[Value]) -> bool) -> Vec<Value> {
    let origins: Vec<Option<Origin>> = found.iter().map(beside.origin).collect();
    let told = |detail, most| -> Vec<Value> {
        let wires = found.iter().zip(&origins).map(|(recalled, origin)| {
            let wire = wire(recalled, beside.path, origin.clone(), detail);
            shortened(wire, most)
        });
        wires.filter_map(|wire| serde_json::to_value(wire).ok()).collect()
    };
    let mut all = Vec::new();
    for detail in Detail::ALL {
        all = told(detail, usize::MAX);
        if fits(&all) {
            return all;
        }
    }
    for kept in (1..all.len()).rev() {
        all.truncate(kept);
        if fits(&all) {
            return all;
        }
    }
    for most in SHORTER {
        let mut first = told(Detail::Terse, most);
        first.truncate(1);
        if fits(&first) {
            return first;
        }
    }
    Vec::new()
}

fn wire<'a>(
    recalled: &'a Recalled,
    shown: &dyn Fn(&Path) -> PathBuf,
    origin: Option<Origin>,
    detail: Detail,
) -> RecalledWire<'a> {
    let Recalled { memory, rate, count, score, contradicts, path, line, .. } = recalled;
    let is_whole = detail == Detail::Whole;
    let says_whence = matches!(detail, Detail::Whole | Detail::Brief);
    let has_id = says_whence || detail == Detail::Least;
    let context = head(&memory.context, SHORT_CONTEXT);
    let context = if detail == Detail::Terse { context } else { memory.context.as_str() };
    let origin = origin.filter(|_| says_whence).map(|origin| match origin.commit {
        Some(ref commit) if !is_whole => {
            let short = head(commit, SHORT_COMMIT).to_owned();
            Origin { commit: Some(short), ..origin }
        }
        _ => origin,
    });
    RecalledWire {
        id: has_id.then_some(memory.id.as_str()),
        repo: says_whence.then_some(memory.repo.as_str()),
        event_type: is_whole.then(|| memory.event_type.as_str()),
        lesson: &memory.lesson,
        context,
        command: &memory.command,
        timestamp: says_whence.then(|| memory.timestamp.to_string()),
        success_rate: rate.map(|rate| rate.to_string()),
        warning: rate.and_then(Rate::warning),
        contradicts,
        rest: is_whole.then(|| Rest {
            tags: &memory.tags,
            agent_id: &memory.agent_id,
            count: *count,
            path: shown(path.as_path()).to_string_lossy().into_owned(),
            line: *line,
            score: *score,
        }),
        origin,
        truncated: !says_whence || context.len() < memory.context.len(),
    }
}

/// With so many characters of each text at most.
fn shortened(wire: RecalledWire, characters: usize) -> RecalledWire {
    let [lesson, context, command] =
        [wire.lesson, wire.context, wire.command].map(|text| head(text, characters));
    let whole = wire.lesson.len() + wire.context.len() + wire.command.len();
    let truncated = wire.truncated || lesson.len() + context.len() + command.len() < whole;
    RecalledWire { lesson, context, command, truncated, ..wire }
}

fn head(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
