//! Who speaks over a connection, and what they may.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

elophanto_base::named! {
    /// Where somebody speaks to the agent.
    #[derive(Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Channel, name {
        /// A terminal of this machine.
        Cli = "cli",
        /// A chat of Telegram.
        Telegram = "telegram",
        /// A channel or direct message of Discord.
        Discord = "discord",
        /// A channel or direct message of Slack.
        Slack = "slack",
        /// A page in a browser.
        Web = "web",
        /// An editor.
        Lsp = "lsp",
    }
}

impl Channel {
    /// Whether whoever speaks there is the user of this machine, at it.
    pub fn is_of_this_machine(self) -> bool {
        self == Self::Cli
    }
}

/// What somebody may do besides reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes {
    /// Give tasks, and steer what goes on.
    pub chat: bool,
    /// Answer approvals.
    pub approve: bool,
    /// What concerns the gateway itself.
    pub admin: bool,
}

impl Scopes {
    /// Everything: the user at their own machine.
    pub const ALL: Self = Self { chat: true, approve: true, admin: true };

    /// Their names, `read` first, which everybody has.
    pub fn names(self) -> Vec<String> {
        let all =
            [("read", true), ("chat", self.chat), ("approve", self.approve), ("admin", self.admin)];
        all.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect()
    }
}

/// Who speaks: set by whoever accepted the connection, never by a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Where they speak.
    pub channel: Channel,
    /// As the channel knows them: the name of the system's user, a number.
    pub user: String,
    /// What they may do there.
    pub scopes: Scopes,
}

impl Identity {
    /// As settings write it: `telegram:1`.
    pub fn key(&self) -> String {
        format!("{}:{}", self.channel.name(), self.user)
    }
}
