//! What goes over the wire: what the tools of the MCP server take and answer, and what `--json` prints.
//! JSON schemas are derived from the types of tools, so that what is told of a tool is what it takes and
//! gives.
//!
//! Owns the names of fields and the bounds of arguments, which are a promise; answers that are no
//! different from what `app` gives are its own types. It refuses to know who asks, and how an answer
//! is found. Pure.

pub mod budget;
pub mod channels;
mod conversation;
mod evidence;
pub mod fleet;
mod forms;
pub mod gateway;
mod hit;
pub mod interest;
mod knowledge;
mod lessons;
mod models;
mod named;
mod notes;
pub mod page;
pub mod plugins;
mod printed;
pub mod run;
mod schema;
mod search;
pub mod servers;
mod skills;
pub mod trust;
pub mod upkeep;
pub mod vault;

pub use conversation::{MessageWire, ResultWire, SessionWire};
pub use evidence::{AnswerWire, EvidenceWire, IndexedWire};
pub use forms::{FORMS, Form};
pub use hit::{Told, state};
pub use knowledge::{
    EntityArguments, LearnArguments, LearnSetupWire, MergeWire, ProposalWire, QuestionsArguments,
    RemovedEntityWire, StatusArguments, UndoneWire,
};
pub use lessons::{
    ForgottenLessonWire, JoinedWire, LikelyWire, MemoryWire, RecallArguments, RememberArguments,
    RememberedWire, RestoredWire, SharedWire, WipedWire,
};
pub use models::{TaskNoteWire, TriedEmbedderWire, TriedWire, UnansweredWire, UsageWire};
pub use named::{Named, Names};
pub use notes::{ChangeWire, GetArguments, PartWire, WriteNoteArguments, WrittenWire};
pub use printed::printed_json;
pub use schema::{form, full, input, listed_input, listed_output, misfit, output};
pub use search::{
    AlikeWire, BlameWire, CommitWire, ConfidenceWire, DriftWire, ExplainWire, FoundWire, HitWire,
    ListedWire, OtherwiseWire, PassageWire, ReplyWire, SearchArguments, SimilarArguments,
    SourceWire,
};
pub use skills::{EntryWire, NewSkillWire, PlanWire, ShadowedWire, SkillTextWire, SkillWire};

pub use elophanto_text::place::{PREFIX, TEMPLATE, from_uri, to_uri};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use elophanto_app::{entities::ToldEntities, learn::Gained, questions::Waiting, status::Status};

/// What a tool takes.
pub trait Arguments: DeserializeOwned + JsonSchema {
    /// What it answers.
    type Answer<'a>: Serialize + JsonSchema;
    /// Tokens of an answer: as many if a call does not say, and at most so many.
    const TOKENS: [usize; 2] = [2_000, 20_000];
    /// Whether it is always short, so that nobody need be told how to make it so.
    const IS_SHORT: bool = false;
}

macro_rules! answers {
    ($life:lifetime: $($arguments:ty => $answer:ty, $is_short:literal;)+) => {
        $(impl Arguments for $arguments {
            type Answer<$life> = $answer;
            const IS_SHORT: bool = $is_short;
        })+
    };
}

answers! {
    'a:
    SearchArguments => FoundWire<'a>, false;
    SimilarArguments => AlikeWire<'a>, false;
    GetArguments => PartWire<'a>, false;
    WriteNoteArguments => WrittenWire, true;
    RememberArguments => RememberedWire<'a>, true;
    LearnArguments => Gained<'a>, true;
    QuestionsArguments => Waiting<'a>, false;
    EntityArguments => ToldEntities<'a>, false;
    StatusArguments => Status, true;
}
