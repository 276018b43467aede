//! `recall` and `remember`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arguments, Named};
use elophanto_app::memory::{Held, Joined, Place, Remembered, Wiped, Wiping, reply::Lessons};
use elophanto_knowledge::memory::{EventType, Likely, Memory, Shared};

/// What `recall` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecallArguments {
    /// the task, the command or the error message
    #[schemars(length(min = 1, max = 4096), extend("aliases" = ["query"]))]
    pub text: String,
    /// only lessons of this repository
    #[schemars(length(min = 1, max = 64), extend("unlisted" = true))]
    pub repo: Option<String>,
    #[serde(rename = "type")]
    pub event_type: Option<Named<EventType>>,
    #[serde(default = "lessons")]
    #[schemars(range(min = 1, max = 20))]
    pub limit: usize,
    /// also archived lessons
    #[serde(default)]
    #[schemars(extend("unlisted" = true))]
    pub archived: bool,
}

/// What `remember` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RememberArguments {
    #[serde(rename = "type")]
    pub event_type: Named<EventType>,
    /// what was done
    #[schemars(length(min = 1, max = 4000))]
    pub context: String,
    /// what to do next time
    #[schemars(length(min = 1, max = 4000))]
    pub lesson: String,
    /// that worked or failed
    #[schemars(length(min = 1, max = 4000))]
    pub command: Option<String>,
    /// of attempts, as 9/10
    #[schemars(length(max = 13), regex(pattern = r"^[0-9]{1,6}/[1-9][0-9]{0,5}$"))]
    #[schemars(extend("format" = "rate"))]
    pub success_rate: Option<String>,
    /// to find it by
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    pub tags: Option<Vec<String>>,
    /// id of what it corrects
    #[schemars(length(min = 1, max = 64))]
    pub replaces: Option<String>,
    /// the repository, if not this one
    #[schemars(length(min = 1, max = 64), extend("unlisted" = true))]
    pub repo: Option<String>,
}

/// What was written down.
#[derive(Serialize, JsonSchema)]
pub struct RememberedWire<'a> {
    pub id: &'a str,
    /// Told at the terminal, where a record may name another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub repo: Option<&'a str>,
    #[schemars(extend("detail" = 2))]
    pub path: String,
    #[schemars(extend("detail" = 1))]
    pub tags: &'a [String],
    /// secrets that were masked
    pub masked: usize,
    /// older lessons that say something else of the same
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<ContradictedWire<'a>>,
}

impl<'a> RememberedWire<'a> {
    /// Of a lesson that was written down; `repo` where that is told.
    pub fn of(remembered: &'a Remembered, repo: Option<&'a str>) -> Self {
        let Remembered { memory, path, masked, .. } = remembered;
        Self {
            id: &memory.id,
            repo,
            path: path.to_string_lossy().into_owned(),
            tags: &memory.tags,
            masked: *masked,
            contradicts: remembered.contradicts.iter().map(ContradictedWire::from).collect(),
        }
    }
}

/// A lesson that a newer one contradicts.
#[derive(Serialize, JsonSchema)]
pub struct ContradictedWire<'a> {
    pub id: &'a str,
    pub lesson: &'a str,
    pub timestamp: String,
}

impl<'a> From<&'a Memory> for ContradictedWire<'a> {
    fn from(it: &'a Memory) -> Self {
        Self { id: &it.id, lesson: &it.lesson, timestamp: it.timestamp.to_string() }
    }
}

/// A record, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct MemoryWire<'a> {
    id: &'a str,
    timestamp: String,
    agent_id: &'a str,
    repo: &'a str,
    event_type: &'static str,
    context: &'a str,
    command: &'a str,
    lesson: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl<'a> MemoryWire<'a> {
    /// Of a record and where it stands.
    pub fn of(memory: &'a Memory, place: Option<&'a Place>) -> Self {
        Self {
            id: &memory.id,
            timestamp: memory.timestamp.to_string(),
            agent_id: &memory.agent_id,
            repo: &memory.repo,
            event_type: memory.event_type.as_str(),
            context: &memory.context,
            command: &memory.command,
            lesson: &memory.lesson,
            success_rate: memory.success_rate.map(|rate| rate.to_string()),
            tags: &memory.tags,
            replaces: memory.replaces.as_deref(),
            path: place.map(|place| place.path.as_str()),
            line: place.map(|place| place.line),
        }
    }
}

/// A lesson of several repositories, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct SharedWire<'a> {
    id: &'a str,
    lesson: &'a str,
    repositories: &'a [String],
    records: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl<'a> SharedWire<'a> {
    /// Of a lesson and the note that was written of it.
    pub fn of(shared: &'a Shared, note: Option<&'a str>) -> Self {
        let Shared { memory, repositories, records, rate } = shared;
        let success_rate = rate.map(|rate| rate.to_string());
        let (id, lesson) = (&memory.id, &memory.lesson);
        Self { id, lesson, repositories, records: *records, success_rate, note }
    }
}

/// Two lessons that may be one, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct LikelyWire<'a> {
    /// The newer first.
    likely: [LikelyLesson<'a>; 2],
    /// Cosine of what they say to do.
    nearness: f32,
}

#[derive(Serialize, JsonSchema)]
struct LikelyLesson<'a> {
    id: &'a str,
    repo: &'a str,
    context: &'a str,
    lesson: &'a str,
}

impl<'a> From<&'a Likely> for LikelyWire<'a> {
    fn from(Likely { lessons, nearness }: &'a Likely) -> Self {
        let likely = lessons.each_ref().map(|it| LikelyLesson {
            id: &it.id,
            repo: &it.repo,
            context: &it.context,
            lesson: &it.lesson,
        });
        Self { likely, nearness: *nearness }
    }
}

/// What was joined, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct JoinedWire<'a> {
    /// The lesson that stands for all of them.
    id: &'a str,
    lesson: &'a str,
    joined: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<String>,
}

impl<'a> From<&'a Joined> for JoinedWire<'a> {
    fn from(Joined { remembered: Remembered { memory, .. }, joined }: &'a Joined) -> Self {
        Self {
            id: &memory.id,
            lesson: &memory.lesson,
            joined: joined.iter().map(|it| it.id.as_str()).collect(),
            success_rate: memory.success_rate.map(|rate| rate.to_string()),
        }
    }
}

/// What was forgotten, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct ForgottenLessonWire<'a> {
    id: &'a str,
    lesson: &'a str,
    /// Whether it is: nobody may have agreed.
    forgotten: bool,
    /// Whether its line is gone from the file.
    removed: bool,
}

impl<'a> ForgottenLessonWire<'a> {
    pub fn of(memory: &'a Memory, forgotten: bool, removed: bool) -> Self {
        Self { id: &memory.id, lesson: &memory.lesson, forgotten, removed }
    }
}

/// A record that was put back or given up, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct RestoredWire<'a> {
    pub id: &'a str,
    pub action: &'static str,
}

/// What was wiped, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct WipedWire<'a> {
    ids: &'a [String],
    /// Whether it is: nobody may have agreed.
    wiped: bool,
    /// Records that were taken out, or would be.
    pub records: usize,
    /// Files that held them.
    pub files: Vec<&'a str>,
    /// Places in other programs' files, which are left alone.
    pub left: Vec<String>,
    /// Commits that brought it into git's history.
    pub history: &'a [Held],
    /// Whether what is staged in git still holds it.
    pub staged: bool,
    /// Commands that take it out of the history.
    pub purge: Vec<String>,
}

impl<'a> WipedWire<'a> {
    /// Of what was to be wiped, and what was where somebody agreed.
    pub fn of(wiping: &'a Wiping, wiped: Option<&'a Wiped>) -> Self {
        let mut files: Vec<&str> = match wiped {
            Some(wiped) => wiped.files.iter().map(String::as_str).collect(),
            None => wiping.places.iter().map(|(path, _)| path.as_str()).collect(),
        };
        files.dedup();
        Self {
            ids: &wiping.ids,
            wiped: wiped.is_some() && wiping.asks(),
            records: wiped.map_or(wiping.places.len(), |wiped| wiped.records),
            left: wiping.foreign.iter().map(|(path, line)| format!("{path}:{line}")).collect(),
            history: &wiping.history.held,
            staged: wiping.history.is_staged,
            purge: wiping.history.purge(),
            files,
        }
    }
}

fn lessons() -> usize {
    5
}

impl Arguments for RecallArguments {
    type Answer<'a> = Lessons;
    const TOKENS: [usize; 2] = [500, 4_000];
}
