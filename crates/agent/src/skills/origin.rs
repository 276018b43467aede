//! Where a skill comes from.

use schemars::JsonSchema;
use serde::Serialize;

/// Where a skill comes from, in the order in which one name wins over another: a user's own
/// first, a bundled one last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "origin", rename_all = "lowercase")]
pub enum Origin {
    /// A folder of the user's own.
    User,
    /// The repository that is worked in: whoever writes there writes it.
    Repository,
    /// Copied from elsewhere after the user agreed.
    Installed {
        /// As [`super::Source`] shows it.
        source: String,
        /// The commit it was read from; `None` if it was a folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// Hash of all its files.
        tree: String,
    },
    /// Part of the program.
    Bundled,
}

impl Origin {
    /// Whether the user vouches for what it says: wrote it, agreed to it, or took it with the
    /// program. What a repository brings is text of whoever writes there.
    pub fn is_vouched_for(&self) -> bool {
        !matches!(self, Self::Repository)
    }

    /// The name as programs are told it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Repository => "repository",
            Self::Installed { .. } => "installed",
            Self::Bundled => "bundled",
        }
    }

    /// A word or two for people and models.
    pub fn label(&self) -> &'static str {
        match self {
            Self::User => "the user's own",
            Self::Repository => "from this repository",
            Self::Installed { .. } => "installed",
            Self::Bundled => "bundled",
        }
    }
}
