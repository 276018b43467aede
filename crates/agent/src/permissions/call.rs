//! What a tool is about to do, as data.

use std::path::PathBuf;

elophanto_base::named! {
    /// How much harm a tool can do.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Level, name {
        /// Reads what the user lets everybody here read, changes nothing.
        Safe = "safe",
        /// Adds something that is easily taken back.
        Moderate = "moderate",
        /// Changes or removes what the user made, or runs programs.
        Destructive = "destructive",
        /// Changes what the agent itself is.
        Critical = "critical",
    }
}

elophanto_base::named! {
    /// How much the user leaves to the agent.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Mode, name {
        /// Every call asks.
        Ask = "ask",
        /// What is listed as safe runs; the rest asks.
        Smart = "smart",
        /// Everything runs and is logged, but for what asks in every mode.
        Full = "full",
    }
}

/// The effect of a call. Paths are absolute, without `.` and `..`, and links in them resolved as
/// far as they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Looks at knowledge or at nothing.
    Look,
    /// Reads these files.
    Read {
        /// All of them.
        paths: Vec<PathBuf>,
    },
    /// Writes, moves or removes these files (of a move both ends).
    Write {
        /// All of them.
        paths: Vec<PathBuf>,
    },
    /// Runs this line in a shell.
    Shell {
        /// As the shell gets it.
        line: String,
        /// In which it runs.
        folder: PathBuf,
        /// Whether it is to have the network.
        network: bool,
    },
    /// Sends something to this host (lower case), or reads from it.
    Reach {
        /// Without a port.
        host: String,
    },
    /// Asks a language model.
    Model,
    /// Records something in the knowledge base through our own library (never `knowledge/user`): in
    /// these files, or somewhere in these folders.
    Record {
        /// Files, or folders with all below.
        paths: Vec<PathBuf>,
    },
    /// Makes a commit of what is staged or named.
    Commit,
    /// Runs a program that was installed: a plugin, with the hash of what was deployed.
    Program {
        /// Of the plugin.
        name: String,
        /// Of all its files.
        digest: String,
    },
    /// Asks a server that the user trusts, which runs outside of the fence, as the user does. Another
    /// server of that name, and a tool that the server describes otherwise, has another digest.
    Server {
        /// As the user calls it.
        name: String,
        /// Of the server and of how it describes the tool.
        digest: String,
    },
    /// Changes what the agent is: develops, deploys, installs.
    Develop,
    /// Asks the user something.
    AskUser,
}

impl Action {
    /// Whether it changes something or reaches out.
    pub fn writes_or_reaches(&self) -> bool {
        !matches!(self, Self::Look | Self::Read { .. } | Self::Model | Self::AskUser)
    }
}

/// A call that somebody is to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// Name of the tool, such as `shell_execute`.
    pub tool: &'a str,
    pub level: Level,
    pub action: Action,
}
