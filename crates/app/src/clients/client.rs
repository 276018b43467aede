//! The programs that can be set up, and for whom.

use std::str::FromStr;

elophanto_base::named! {
    /// A program that runs an agent.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Client, name {
        /// Claude Code: `.mcp.json` and `.claude/`.
        ClaudeCode = "claude-code",
        /// Codex: `.codex/config.toml`.
        Codex = "codex",
        /// Cursor: `.cursor/mcp.json`.
        Cursor = "cursor",
        /// Visual Studio Code: `.vscode/mcp.json`.
        Vscode = "vscode",
        /// Gemini CLI: `.gemini/settings.json`.
        Gemini = "gemini",
        /// OpenCode: `opencode.json`.
        Opencode = "opencode",
    }
}

/// A name that no program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no such client; there are claude-code, codex, cursor, vscode, gemini and opencode")]
pub struct UnknownClient;

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        Self::named(name).ok_or(UnknownClient)
    }
}

elophanto_base::named! {
    /// Whose sessions are set up.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scope, name {
        /// Everybody's in this project: the files lie in the project.
        Project = "project",
        /// The user's in all projects: the files lie in the user's folders.
        User = "user",
    }
}
