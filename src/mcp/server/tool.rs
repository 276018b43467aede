//! The tools by name, and what an agent is told about each before it calls one.

use rmcp::model::ToolAnnotations;
use serde_json::{Map, Value};

use super::{arguments, check};
use crate::wire::listed_input;

/// Tokens of an answer to arguments that do not say, or cannot be read.
pub(super) const TOKENS: usize = 2000;

elophanto_base::named! {
    /// One of the tools that agents can call.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Tool, name {
        /// Hits for a question.
        Search = "search",
        /// A note, a section or lines of it.
        Get = "get",
        /// What resembles a note or a line.
        Similar = "similar",
        /// What agents learnt from tasks before.
        Recall = "recall",
        /// Writes a lesson down.
        Remember = "remember",
        /// Learns about a topic, or reads a text.
        Learn = "learn",
        /// What the knowledge base does not know yet.
        Questions = "questions",
        /// What is known of a person, product or thing.
        Entity = "entity",
        /// Writes a note, new or in the place of one.
        WriteNote = "write_note",
        /// What is indexed and what waits.
        Status = "status",
    }
}

impl Tool {
    /// The name for people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Search => "Search the knowledge base",
            Self::Get => "Read a note",
            Self::Similar => "Find similar notes",
            Self::Recall => "Recall lessons",
            Self::Remember => "Remember a lesson",
            Self::Learn => "Learn about a topic",
            Self::Questions => "Open questions",
            Self::Entity => "Known entities",
            Self::WriteNote => "Write a note",
            Self::Status => "State of the knowledge base",
        }
    }

    /// When to use the tool. Short: all descriptions sit in the agent's context all the time.
    pub fn description(self) -> &'static str {
        match self {
            Self::Search => {
                "Search notes, file summaries and facts. Use it before you read many files or guess \
                 how something works here, or why it was decided."
            }
            Self::Get => {
                "Read a note, a section or lines of it. Use it when a hit of `search` is not \
                 enough."
            }
            Self::Similar => {
                "Find notes about the subject of a note or line. Use it before you write a note, \
                 and to find what else a change concerns."
            }
            Self::Recall => {
                "Recall lessons from earlier work: errors, solutions, patterns. Use it before a \
                 task and when a command fails."
            }
            Self::Remember => {
                "Record a lesson for later. Use it after an error that took several attempts, a known \
                 problem solved or a pattern worth repeating."
            }
            Self::Learn => {
                "Learn facts on a topic from `text` or the configured sources. Use it when the user \
                 wants something kept or found out, not for lessons."
            }
            Self::Questions => {
                "List what is not known yet about this repository: files that are undescribed, \
                 stale or in doubt. Use it to choose what to find out or to ask the user."
            }
            Self::Entity => {
                "Facts about a named thing or person, with sources; without a name, the list of \
                 all. Use it when you need what was learnt, not documents."
            }
            Self::WriteNote => {
                "Write a Markdown note into the learned folder, by path or by kind and title. To \
                 overwrite one, pass the hash that `get` showed."
            }
            Self::Status => {
                "State of the knowledge base: what is indexed and what waits. Use it when answers \
                 seem stale or empty."
            }
        }
    }

    /// JSON schema of its arguments, as clients are told it.
    pub fn schema(self) -> Map<String, Value> {
        listed_input(&arguments::schemas(self).input)
    }

    /// The arguments as [`super::Operations::call`] takes them: held against the schema, defaults
    /// filled in.
    ///
    /// # Errors
    /// What is wrong with them, for whoever wrote them.
    pub fn checked(self, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        check::check(self, given)
    }

    /// How long the answer to a call may be, by arguments that were checked.
    pub fn max_tokens(checked: &Map<String, Value>) -> usize {
        let most = checked.get("max_tokens").and_then(Value::as_u64);
        most.and_then(|most| usize::try_from(most).ok()).unwrap_or(TOKENS)
    }

    /// What a client may assume about a call.
    pub(super) fn annotations(self) -> ToolAnnotations {
        let (reads, destroys, asks_outside) = self.does();
        ToolAnnotations::with_title(self.title())
            .read_only(reads)
            .destructive(destroys)
            .idempotent(reads)
            .open_world(asks_outside)
    }

    /// The same in few words: what only reads destroys nothing, and what is so unless said otherwise
    /// is left out.
    pub(super) fn hints(self) -> ToolAnnotations {
        let (reads, destroys, _) = self.does();
        let mut hints = ToolAnnotations::default();
        hints.read_only_hint = Some(reads);
        hints.destructive_hint = (!reads && !destroys).then_some(false);
        hints
    }

    /// Whether it only reads, may destroy something, and asks others than this repository.
    fn does(self) -> (bool, bool, bool) {
        match self {
            Self::Remember => (false, false, false),
            Self::Learn => (false, false, true),
            Self::WriteNote => (false, true, false),
            _ => (true, false, false),
        }
    }

    /// Whether this answer quotes what others wrote.
    pub fn quotes(self, structured: &Value) -> bool {
        let holds = |name: &str| structured[name].as_array().is_some_and(|items| !items.is_empty());
        match self {
            Self::WriteNote | Self::Status => false,
            // Older lessons that say otherwise.
            Self::Remember => holds("contradicts"),
            _ => self.items().is_none_or(holds),
        }
    }

    /// The array of its structured answer that holds what was asked for, if it is a list.
    pub(super) fn items(self) -> Option<&'static str> {
        match self {
            Self::Search | Self::Similar => Some("hits"),
            Self::Recall => Some("memories"),
            Self::Questions => Some("questions"),
            Self::Learn | Self::Entity => Some("entities"),
            Self::Get | Self::Remember | Self::WriteNote | Self::Status => None,
        }
    }
}
