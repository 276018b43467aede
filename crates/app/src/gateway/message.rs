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
    #[serde(flatten)]
    pub body: Asked,
}

/// What a client says.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    pub content: String,
    /// Files that go with it: at most ten.
    #[serde(default)]
    pub attachments: Vec<Attached>,
}

/// A file that goes with what somebody says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachedFile {
    pub name: String,
    /// Its bytes in Base64.
    pub data: String,
}

/// The answer to an approval or a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalResponse {
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub request_id: Uuid,
    /// That of the request: what is approved is what was shown.
    pub digest: String,
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
        Once = "once",
        /// This call and its like until the conversation ends.
        Session = "session",
        /// All edits of files in the work tree until the conversation ends.
        Edits = "edits",
        /// As a rule of the user's own.
        Rule = "rule",
        No = "no",
    }
}

/// A command of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// With or without the `/`.
    pub name: String,
    /// What stands behind it.
    #[serde(default)]
    pub args: String,
}

/// What a client says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    pub version: u32,
}

/// A message of the gateway.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outgoing {
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub id: Uuid,
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub session_id: Uuid,
    pub channel: Channel,
    pub user_id: String,
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
    #[schemars(with = "String", extend("format" = "uuid"))]
    pub request_id: Uuid,
    /// BLAKE3 of the tool, its arguments and what is shown, in hex: an answer has to repeat it.
    pub digest: String,
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub asked: Timestamp,
    /// When it counts as denied.
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub expires: Timestamp,
    pub run: String,
    /// The repository that the conversation is about.
    pub repository: String,
    /// The run was ended while this waited: it goes on once this is answered.
    #[serde(default)]
    pub is_interrupted: bool,
    #[serde(flatten)]
    pub what: ApprovalOf,
}

/// What is to be answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApprovalOf {
    Call {
        tool: String,
        level: String,
        /// As they will be used.
        arguments: Value,
        /// What exactly will run, and its effect.
        shown: String,
        reasons: Vec<String>,
        commands: Vec<Vec<String>>,
        can_be_kept: bool,
        can_be_edits: bool,
        can_be_rule: bool,
        tainted: bool,
        depth: u32,
    },
    /// Answered by `text`; `no` leaves it open.
    Question { question: String, options: Vec<String> },
}

/// What happens, as it happens.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    Begun {
        run: String,
        goal: String,
        #[schemars(with = "Option<String>")]
        reply_to: Option<Uuid>,
    },
    Planned {
        steps: Vec<String>,
        depth: u32,
    },
    Calling {
        tool: String,
        shown: String,
        depth: u32,
    },
    Called {
        tool: String,
        failed: bool,
        text: String,
        seconds: f64,
        depth: u32,
    },
    Todo {
        items: Vec<TodoItem>,
        depth: u32,
    },
    /// Whole lines that a command says, as it says them.
    Output {
        tool: String,
        text: String,
        depth: u32,
    },
    Progress {
        tool: String,
        text: String,
        depth: u32,
    },
    /// A call was not made, and why.
    Unmade {
        tool: String,
        reason: String,
        depth: u32,
    },
    Reflected {
        note: String,
        unexpected: bool,
        depth: u32,
    },
    Compacted {
        messages: usize,
    },
    Tainted {
        origin: String,
    },
    SubTask {
        goal: String,
        depth: u32,
    },
    /// The pieces of the answer so far are void.
    Restart,
    /// An approval is answered, by whom, or has expired.
    ApprovalSettled {
        #[schemars(with = "String")]
        request_id: Uuid,
        /// `once`, `session`, `edits`, `rule`, `no`, `expired` or `stopped`.
        answer: String,
        channel: Option<Channel>,
    },
    /// Something the user should know.
    Notification {
        text: String,
        tone: Tone,
    },
    /// Something went wrong beside a run.
    Error {
        text: String,
    },
    TaskComplete(TaskComplete),
}

/// How something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Note,
    Warning,
    Talk,
}

/// Something that is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TodoItem {
    pub text: String,
    /// `open`, `doing` or `done`.
    pub state: String,
}

/// A run has ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskComplete {
    pub run: String,
    pub goal: String,
    /// `done`, `partly`, `nothing done`, `failed`, `cancelled` or `cut off`.
    pub outcome: String,
    pub reason: String,
    pub files: Vec<String>,
    pub commits: Vec<String>,
    pub notes: Vec<String>,
    /// Calls that were made and that change, run or reach something.
    pub effects: usize,
    pub steps: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Of the calls whose price is known.
    pub usd: f64,
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
    pub detail: String,
    pub hint: Option<String>,
    #[schemars(with = "Option<String>")]
    pub reply_to: Option<Uuid>,
}
