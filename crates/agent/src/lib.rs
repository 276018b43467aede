//! An agent at work: plan, execute, reflect, remember, under permissions that somebody else decides.
//!
//! Owns the loop, what of a conversation is kept ([`Session`]), what is written down of a run
//! ([`Trails`]), and the interface of tools. It refuses to know what a tool does ([`Tool`]), which
//! provider answers ([`Brain`]), what is known and allowed ([`World`]), and who is asked
//! ([`Approver`]): terminals, channels and web pages are doors to the same [`run_session`].
//!
//! Three rules hold in every line of it. No call is made that [`World::decide`] has not let through
//! or a person has not approved. Text from outside enters a prompt only as a quote with its origin,
//! and from then on the session is tainted. Nothing reaches a model, a trail or a session file
//! before the secrets in it are masked.

mod approval;
mod brain;
pub mod checkpoint;
mod clean;
pub mod develop;
pub mod git_guard;
mod image;
pub mod mcp_client;
mod outcome;
pub mod permissions;
pub mod plugins;
mod prompt;
mod quote;
mod reading;
pub mod sandbox;
mod session;
mod sessions;
pub mod skills;
pub mod tool;
mod toolbox;
pub mod tools;
mod trail;
mod turn;
mod world;

#[cfg(test)]
mod tests;

pub use approval::{Answer, Approval, Approver, Event};
pub use brain::{Brain, BrainError, BrainErrorKind, Cost, Thought};
pub use image::{MAX_IMAGE_BYTES, NotShown, image};
pub use outcome::{AgentError, End, Finished, Outcome, Spent, TaskSummary};
pub use reading::{ReaderEnd, ReaderState, Reading};
pub use session::{MAX_MESSAGES, Rule, Session};
pub use sessions::{Listing, Said, SessionLock, Sessions, SessionsError};
pub use tool::{Host, Intent, Output, Source, Spec, Todo, TodoState, Tool, ToolError};
pub use toolbox::{Inlet, Toolbox, ToolboxError};
pub use trail::{Entry, EntryKind, RunLine, RunTrail, Trails, TrailsError, Which};
pub use turn::{
    ATTACHED, Agent, Attachment, CompactError, CompactedSession, ContextUse, MAX_DEPTH, Plan,
    Reflect, Settings, checked, compact_session, context_use, run, run_session,
};
pub use world::{Effects, Gathered, Instructions, LeftToCommit, Piece, SkillLine, World};
