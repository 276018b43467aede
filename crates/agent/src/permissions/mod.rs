//! May this call run? Data in, decision out.
//!
//! Owns the immutable core and key material (`protected`, `keys`), what other programs go by
//! (`executed`), the blacklist (`shell`), taint and a missing fence, the user's rules (`rules`), the modes, and the order among these (`decide`). It
//! refuses to know files, the clock and the environment, who is asked, and how a call is carried out.

use std::path::Path;

mod call;
mod decide;
mod executed;
mod keys;
mod matching;
mod protected;
mod rules;
mod shell;
mod table;

pub use call::{Action, Call, Level, Mode};
pub use decide::{decide, only_reads};
pub use keys::{DRIVER as KEY_DRIVER, attributes as key_attributes};
pub use protected::{Protected, core, is_key};
pub use rules::{Owner, Rule, Rules, RulesError, add_rule, rule_for};
pub use shell::shown_objects;
pub use table::{TABLE, table};

elophanto_base::named! {
    /// What becomes of a call, mildest first.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Decision, name {
        Allow = "allow",
        Ask = "ask",
        Deny = "deny",
    }
}

/// Who decided, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The immutable core and key material.
    Protected,
    /// What asks in every mode, and what can't be judged.
    Blacklist,
    /// Untrusted text is in the conversation.
    Taint,
    /// The kernel has no fence.
    Fence,
    /// A rule of the user or the repository.
    Override,
    Mode,
}

/// The answer about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    pub layer: Layer,
    /// For people: what and why, at least one.
    pub reasons: Vec<String>,
    /// Whether an answer may hold for the session or as a rule.
    pub can_be_kept: bool,
    /// Every command that a shell line contains, as its words; `…` stands for what is not known.
    pub commands: Vec<Vec<String>>,
    /// Somebody would have been asked, but nobody is there: hence the denial.
    pub is_unanswered: bool,
}

/// What a decision depends on besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    pub mode: Mode,
    /// Untrusted text is in the conversation.
    pub tainted: bool,
    /// A fence holds what programs may write, read and reach.
    pub fenced: bool,
    /// Somebody is there to be asked.
    pub attended: bool,
    /// Canonical root of the work tree.
    pub root: &'a Path,
    /// The user's home folder.
    pub home: &'a Path,
    pub protected: &'a Protected,
    pub rules: &'a Rules,
}

#[cfg(test)]
mod tests;
