//! The eight messages between a gateway and its clients, typed. What is written here is a promise:
//! names and shapes are those of the protocol, version [`VERSION`].
//!
//! An envelope is `{type, id, session_id, channel, user_id, data}`. Who somebody is, and which
//! conversation a connection is in, is what the gateway knows of the connection, never what a message
//! says.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::Channel;

/// Version of the protocol: in the first `status` of both sides.
pub const VERSION: u32 = 1;

/// A message of a client.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Incoming {
    /// Chosen by the client; a message that is sent again with the same id is not done again.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub id: Uuid,
    /// May be left out; another one than that of the connection is refused.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    pub session_id: Option<Uuid>,
    /// What is wanted, by its `type`, and its `data`.
    #[serde(flatten)]
    pub body: Asked,
}

/// What a client says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Asked {
    /// A task, or the next message of the conversation.
    Chat(Chat),
    /// The answer to an `approval_request`.
    ApprovalResponse(ApprovalResponse),
    /// A command, as it is typed behind a `/`.
    Command(Command),
    /// The first message of a connection, and a heartbeat.
    Status(Hello),
}

/// What somebody says to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    /// In the user's words, at most 64 KiB.
    pub content: String,
    /// Files that go with it: at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attached>,
}

/// A file that goes with what somebody says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an attachment is the id of a file that was handed over, a UUID, or a file within the \
                 message: {\"name\": \"...\", \"data\": \"its bytes in Base64\"}"
)]
pub enum Attached {
    /// The id of one that was handed over before, by `POST /attachment`: at most 20 MiB.
    Id(#[schemars(with = "String", extend("format" = "uuid"))] Uuid),
    /// One that has room in the message.
    File(AttachedFile),
}

/// A file within a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachedFile {
    /// As the user knows it, kept on one line of at most 100 bytes.
    pub name: String,
    /// Its bytes in Base64.
    pub data: String,
}

/// The answer to an approval or a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalResponse {
    /// That of the request.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub request_id: Uuid,
    /// That of the request: what is approved is what was shown.
    pub digest: String,
    /// Yes in one of its widths, or no.
    pub answer: Word,
    /// Of a question: what is answered. Of a no: why not.
    #[serde(default)]
    pub text: Option<String>,
}

elophanto_base::named! {
    /// What may be answered to an approval.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Word, name {
        /// This call alone.
        Once = "once",
        /// This call and its like until the conversation ends.
        Session = "session",
        /// All edits of files in the work tree until the conversation ends.
        Edits = "edits",
        /// As a rule of the user's own.
        Rule = "rule",
        /// It is not made; `text` may say why not.
        No = "no",
    }
}

/// A command of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// With or without the `/`.
    pub name: String,
    /// What stands behind it.
    #[serde(default)]
    pub args: String,
}

/// What a client says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The newest of the protocol that it speaks.
    pub version: u32,
}

/// A message of the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outgoing {
    /// Of this message.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub id: Uuid,
    /// The conversation that it is about.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub session_id: Uuid,
    /// Where the client is.
    pub channel: Channel,
    /// Whom the client speaks for, as their channel knows them.
    pub user_id: String,
    /// What is told, by its `type`, and its `data`.
    #[serde(flatten)]
    pub body: Told,
}

/// What the gateway says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Told {
    /// A piece of an answer, or all of it.
    Response(Response),
    /// A call that waits for an answer, or a question of the agent.
    ApprovalRequest(Box<ApprovalRequest>),
    /// Something happens.
    Event(Box<Happening>),
    /// How the conversation stands; that a message was taken; a heartbeat.
    Status(Status),
    /// Something was not done.
    Error(Failure),
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Of a piece, that piece; where `done`, the whole answer. Markdown; text from outside may be in it.
    pub content: String,
    /// Nothing more comes of this answer.
    pub done: bool,
    /// The message that is answered.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    pub reply_to: Option<Uuid>,
    /// What is known of it, and where it stands; with the whole answer only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceWire>,
    /// The task that is answered, where nobody asked for it just now but its time had come; with the whole
    /// answer only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<String>,
}

/// Where something is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceWire {
    /// Relative to the root of the repository.
    pub path: String,
    /// The first line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The last commit that changed the file, if it is committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A call that waits for an answer: `once`, and where it says so `session`, `edits` or `rule`; or `no`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRequest {
    /// By which it is answered.
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub request_id: Uuid,
    /// BLAKE3 of the tool, its arguments and what is shown, in hex: an answer has to repeat it.
    pub digest: String,
    /// When it began to wait.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub asked: Timestamp,
    /// When it counts as denied.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires: Timestamp,
    /// The run that waits for it.
    pub run: String,
    /// The repository that the conversation is about.
    pub repository: String,
    /// The run was ended while this waited: it goes on once this is answered.
    #[serde(default)]
    pub is_interrupted: bool,
    /// What is asked, by its `kind`.
    #[serde(flatten)]
    pub what: ApprovalOf,
}

/// What is to be answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApprovalOf {
    /// A call of a tool.
    Call {
        /// By its name.
        tool: String,
        /// `safe`, `moderate`, `destructive` or `critical`: how much harm it may do.
        level: String,
        /// As they will be used.
        arguments: Value,
        /// What exactly will run, and its effect.
        shown: String,
        /// Why it is asked about.
        reasons: Vec<String>,
        /// Every command of a shell line, as its words.
        commands: Vec<Vec<String>>,
        /// Whether `session` may be answered.
        can_be_kept: bool,
        /// Whether `edits` may be answered.
        can_be_edits: bool,
        /// Whether `rule` may be answered.
        can_be_rule: bool,
        /// Whether text from outside is in the conversation.
        tainted: bool,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// Answered by `text`; `no` leaves it open.
    Question {
        /// The agent's own.
        question: String,
        /// What may be answered; empty if anything may.
        options: Vec<String>,
    },
}

/// What happens, as it happens.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    /// A run has begun.
    Begun {
        /// By which it is known from now on.
        run: String,
        /// What was asked for.
        goal: String,
        /// The message that asked for it.
        #[schemars(with = "Option<String>")]
        reply_to: Option<Uuid>,
    },
    /// The agent has a plan.
    Planned {
        /// In their order.
        steps: Vec<String>,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// A call is about to be made.
    Calling {
        /// By its name.
        tool: String,
        /// What exactly will run, and its effect.
        shown: String,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// A call was made.
    Called {
        /// By its name.
        tool: String,
        /// Whether it did not do what was asked.
        failed: bool,
        /// What it gave back, cut; it comes from outside.
        text: String,
        /// How long it took.
        seconds: f64,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// What is to be done, in place of what was told before.
    Todo {
        /// In their order.
        items: Vec<TodoItem>,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// Whole lines that a command says, as it says them.
    Output {
        /// By its name.
        tool: String,
        /// Secrets are masked in it; it comes from outside.
        text: String,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// How far a call is that takes long.
    Progress {
        /// By its name.
        tool: String,
        /// In words.
        text: String,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// A call was not made, and why.
    Unmade {
        /// By its name.
        tool: String,
        /// In words, as the model is told.
        reason: String,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// The agent looked back at its last step.
    Reflected {
        /// What it thinks of it.
        note: String,
        /// Whether it came out otherwise than expected.
        unexpected: bool,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// Older messages were replaced by a summary.
    Compacted {
        /// How many.
        messages: usize,
    },
    /// Text from outside is in the conversation: nothing that reaches out is approved by itself now.
    Tainted {
        /// Where it comes from.
        origin: String,
    },
    /// A task within the run has begun.
    SubTask {
        /// What it is to do.
        goal: String,
        /// How many tasks this one is nested in.
        depth: u32,
    },
    /// The pieces of the answer so far are void.
    Restart,
    /// An approval is answered, by whom, or has expired.
    ApprovalSettled {
        /// Of the request.
        #[schemars(with = "String")]
        request_id: Uuid,
        /// `once`, `session`, `edits`, `rule`, `no`, `expired` or `stopped`.
        answer: String,
        /// Where it was answered; `None` if nobody did.
        channel: Option<Channel>,
    },
    /// Something the user should know.
    Notification {
        /// On one line or several.
        text: String,
        /// How much it matters.
        tone: Tone,
    },
    /// Something went wrong beside a run.
    Error {
        /// What happened, in words.
        text: String,
    },
    /// A run has ended.
    TaskComplete(TaskComplete),
}

/// How something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Something to know.
    Note,
    /// Something to look at.
    Warning,
    /// Something that was done.
    Talk,
}

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TodoItem {
    /// On one line.
    pub text: String,
    /// `open`, `doing` or `done`.
    pub state: String,
}

/// A run has ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskComplete {
    /// By which it is known.
    pub run: String,
    /// What was asked for.
    pub goal: String,
    /// `done`, `partly`, `nothing done`, `failed`, `cancelled` or `cut off`.
    pub outcome: String,
    /// Why it came to that, in a few words.
    pub reason: String,
    /// That it touched, relative to the root, sorted.
    pub files: Vec<String>,
    /// That it made: full ids.
    pub commits: Vec<String>,
    /// That were written about it, relative to the root.
    pub notes: Vec<String>,
    /// Calls that were made and that change, run or reach something.
    pub effects: usize,
    /// Of the model.
    pub steps: u32,
    /// That models read.
    pub input_tokens: u64,
    /// That models wrote.
    pub output_tokens: u64,
    /// Of the calls whose price is known.
    pub usd: f64,
    /// What the user should look at.
    pub warnings: Vec<String>,
}

/// How a conversation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// Of the protocol.
    pub version: u32,
    /// Of the program.
    pub server: String,
    /// The repository that the conversation is about, and all that are served.
    pub repository: String,
    /// Names that `/repo` takes.
    pub repositories: Vec<String>,
    /// What this connection may do: `read`, `chat`, `approve`, `admin`.
    pub scopes: Vec<String>,
    /// The goal of the run that goes on.
    pub running: Option<String>,
    /// Messages that wait for their turn.
    pub queued: usize,
    /// Approvals that wait for an answer.
    pub approvals: usize,
    /// The message that was taken, and is on disk now.
    #[schemars(with = "Option<String>")]
    pub accepted: Option<Uuid>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// What was wrong, on one line.
    pub detail: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The message that is meant, if it had an id.
    #[schemars(with = "Option<String>")]
    pub reply_to: Option<Uuid>,
}
