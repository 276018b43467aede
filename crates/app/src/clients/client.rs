//! The programs that can be set up, and for whom.

use std::{fmt, str::FromStr};

/// A program that runs an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    ClaudeCode,
    Codex,
    Cursor,
    Vscode,
    Gemini,
    Opencode,
}

impl Client {
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Vscode, Self::Gemini, Self::Opencode];

    /// The name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no such client; there are claude-code, codex, cursor, vscode, gemini and opencode")]
pub struct UnknownClient;

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        Self::ALL.into_iter().find(|client| client.name() == name).ok_or(UnknownClient)
    }
}

/// Whose sessions are set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everybody's in this project: the files lie in the project.
    Project,
    /// The user's in all projects: the files lie in the user's folders.
    User,
}

impl Scope {
    pub const ALL: [Self; 2] = [Self::Project, Self::User];

    /// The name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no scope has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no such scope; there are project and user")]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or(UnknownScope)
    }
}
