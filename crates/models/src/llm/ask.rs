//! Asking as whoever needs an answer sees it: a prompt goes in, and something comes back.

/// What a model said, or why it did not.
#[derive(Debug)]
pub enum Asked {
    Said {
        text: String,
        /// As `provider/model`.
        model: String,
    },
    /// It turned out that there is no model: what can be done without one is done.
    NoModel,
    /// It failed on this text.
    Failed(String),
    /// No further text should be sent: what is left stays open.
    Stop(String),
}

/// Asks a model, given the prompt; `None` where there is none.
pub type Ask<'a> = Option<&'a mut dyn FnMut(&str) -> Asked>;

/// What made a thing that no model made.
pub const EXTRACTIVE: &str = "extractive";
