//! What the loop needs of the product: what is known, what is allowed, what really happened.

use std::{collections::BTreeSet, path::PathBuf};

use ulid::Ulid;

use super::TaskSummary;
use crate::permissions::{Action, Call, Verdict};
use elophanto_models::llm::Image;

/// A text for the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Piece {
    /// Where it comes from: a path, a heading, an address.
    pub origin: String,
    pub text: String,
    /// Learned, from a plugin or from the web: it enters the prompt as a quote, and the session is
    /// tainted by it.
    pub is_untrusted: bool,
}

/// What a repository says how to work in one of its folders, such as `AGENTS.md`: an order where the user
/// trusts exactly that text, else a quote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instructions {
    /// Relative to the root; empty for the root itself. They count for what lies below.
    pub folder: PathBuf,
    pub piece: Piece,
}

/// A skill in one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkillLine {
    pub name: String,
    pub description: String,
}

/// What is known that bears on a goal. Best first in every list; what is over the caps of the
/// prompt is left out from the end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gathered {
    /// Who the agent is: `knowledge/system/`.
    pub identity: Vec<Piece>,
    pub conventions: Vec<Piece>,
    /// Outer folders before inner ones.
    pub instructions: Vec<Instructions>,
    /// Facts of entities that are near the goal.
    pub facts: Vec<Piece>,
    pub notes: Vec<Piece>,
    /// All skills there are.
    pub skills: Vec<SkillLine>,
    /// The skills that fit best, in full.
    pub loaded_skills: Vec<Piece>,
    /// Summaries of past tasks, failures with their lessons.
    pub past: Vec<Piece>,
    /// What no tool may touch.
    pub protected: Vec<String>,
    /// What the user should know of all this, in words.
    pub remarks: Vec<String>,
}

/// What a call really did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Paths that changed, relative to the root.
    pub changed: Vec<PathBuf>,
    /// What somebody should know of it, in words.
    pub remarks: Vec<String>,
}

/// What a run on a branch of its own has changed and not committed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftToCommit {
    /// To be committed now.
    pub paths: Vec<PathBuf>,
    /// Why other changes of the run are not.
    pub kept_back: Option<String>,
}

/// The product around the loop.
pub trait World {
    /// A run begins; what is called until the next one belongs to it.
    fn begun(&mut self, run: Ulid);

    /// What is known that bears on a goal. Best effort: what cannot be read is left out.
    fn gather(&mut self, goal: &str) -> Gathered;

    /// Whether a call may run. Called for every call that is made, of whatever depth.
    fn decide(&mut self, call: &Call<'_>, is_tainted: bool, is_attended: bool) -> Verdict;

    /// Makes the checkpoint that the call can be taken back to. Calls nest: a tool may call others
    /// between its own `before` and [`World::after`]. Where nobody has looked at the call although
    /// text from outside is in the conversation (`is_unseen`), a program does not get at what other
    /// programs go by.
    ///
    /// # Errors
    /// With the reason; then the call is not made.
    fn before(&mut self, action: &Action, is_unseen: bool) -> Result<(), String>;

    /// What the call that is about to be made could change and no undo would bring back, in words;
    /// what is made again by its program (build output, installed packages) apart.
    fn beyond_undo(&self) -> Vec<String>;

    /// What the call did since the [`World::before`] that belongs to it.
    fn after(&mut self) -> Effects;

    /// What the run may have changed and no undo takes back, in words.
    fn uncovered(&self) -> Vec<String>;

    /// Of these files, which the run has changed, those that are to be committed on the branch of its
    /// own; none where it has none.
    fn left_to_commit(&mut self, _touched: &BTreeSet<PathBuf>) -> LeftToCommit {
        LeftToCommit::default()
    }

    /// A picture of a kept conversation, read again, by the path it had.
    ///
    /// # Errors
    /// With the reason why it cannot be shown any more.
    fn image(&self, _path: &str) -> Result<Image, String> {
        Err("it is not kept".to_owned())
    }

    /// Writes the notes about a task; their paths.
    ///
    /// # Errors
    /// With the reason; the run has ended all the same.
    fn remember(&mut self, summary: &TaskSummary) -> Result<Vec<PathBuf>, String>;

    /// A message of the user, for the journal.
    fn heard(&mut self, message: &str);

    /// Keeps an approval as a rule of the user's own.
    ///
    /// # Errors
    /// With the reason; the call is approved for the session all the same.
    fn keep_rule(&mut self, call: &Call<'_>, verdict: &Verdict) -> Result<(), String>;
}
