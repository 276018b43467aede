//! What goes over the wire: what the tools of the MCP server take and answer, and what `--json` prints
//! of the same things. JSON schemas are derived from these types, so that what is told of a tool is
//! what it takes and gives.
//!
//! Owns the names of fields and the bounds of arguments, which are a promise; answers that are no
//! different from what `app` gives are its own types. It refuses to know who asks, and how an answer
//! is found. Pure.

mod forms;
mod knowledge;
mod lessons;
mod named;
mod notes;
mod schema;
mod search;

pub use forms::{FORMS, Form, is_below_root, lines};
pub use knowledge::{EntityArguments, LearnArguments, QuestionsArguments, StatusArguments};
pub use lessons::{ContradictedWire, RecallArguments, RememberArguments, RememberedWire};
pub use named::{Named, Names};
pub use notes::{GetArguments, PartWire, WriteNoteArguments, WrittenWire};
pub use schema::{brief, input, output};
pub use search::{
    AlikeWire, BlameWire, CommitWire, ConfidenceWire, DriftWire, ExplainWire, FoundWire, HitWire,
    PassageWire, SearchArguments, SimilarArguments,
};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use elophanto_app::{entities::ToldEntities, learn::Gained, questions::Waiting, status::Status};

/// What a tool takes.
pub trait Arguments: DeserializeOwned + JsonSchema {
    /// What it answers.
    type Answer<'a>: Serialize + JsonSchema;
    /// Tokens of an answer: as many if a call does not say, and at most so many.
    const TOKENS: [usize; 2] = [2_000, 20_000];
}

macro_rules! answers {
    ($life:lifetime: $($arguments:ty => $answer:ty,)+) => {
        $(impl Arguments for $arguments {
            type Answer<$life> = $answer;
        })+
    };
}

answers! {
    'a:
    SearchArguments => FoundWire<'a>,
    SimilarArguments => AlikeWire<'a>,
    GetArguments => PartWire<'a>,
    WriteNoteArguments => WrittenWire,
    RememberArguments => RememberedWire<'a>,
    LearnArguments => Gained<'a>,
    QuestionsArguments => Waiting<'a>,
    EntityArguments => ToldEntities<'a>,
    StatusArguments => Status,
}
