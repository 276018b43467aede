//! The acts that count, and how much.

use serde::{Deserialize, Serialize};

elophanto_base::named! {
    /// What a user did.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum EngagementKind, word {
        /// Asked for a topic to be learned.
        LearnCommand = "learn_command",
        /// Said by a command that they like it.
        LikeCommand = "like_command",
        /// Said by a command that they dislike it.
        DislikeCommand = "dislike_command",
        /// Said in a message that they like or dislike it.
        Statement = "statement",
        /// Had something searched for.
        Search = "search",
        /// Asked more about it.
        FollowUp = "follow_up",
        /// Welcomed a message that they had not asked for.
        ReactionNotificationPositive = "reaction_notification_positive",
        /// Rejected a message that they had not asked for: more of it is the last thing they want.
        ReactionNotificationNegative = "reaction_notification_negative",
        /// Welcomed an answer.
        ReactionAnswerPositive = "reaction_answer_positive",
        /// Rejected an answer.
        ReactionAnswerNegative = "reaction_answer_negative",
        /// Named it in passing. Shows activity, adds nothing.
        Mention = "mention",
    }
}

/// Whether an act speaks for what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Valence {
    /// For it.
    Positive,
    /// Against it.
    Negative,
    /// Neither.
    Neutral,
}

/// What a user reacted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// A message that came unasked.
    Notification,
    /// The answer to what they had asked.
    Answer,
}

/// The kind of a reaction: thumbs up (`positive`) or down.
pub fn react(to: Answered, positive: bool) -> EngagementKind {
    match (to, positive) {
        (Answered::Notification, true) => EngagementKind::ReactionNotificationPositive,
        (Answered::Notification, false) => EngagementKind::ReactionNotificationNegative,
        (Answered::Answer, true) => EngagementKind::ReactionAnswerPositive,
        (Answered::Answer, false) => EngagementKind::ReactionAnswerNegative,
    }
}

impl EngagementKind {
    /// How much it counts when it is new, from 0 to 1.
    pub fn strength(self) -> f32 {
        match self {
            Self::LearnCommand => 1.0,
            Self::LikeCommand | Self::DislikeCommand | Self::ReactionNotificationNegative => 0.8,
            Self::Statement => 0.7,
            Self::Search => 0.6,
            Self::FollowUp | Self::ReactionNotificationPositive => 0.5,
            Self::ReactionAnswerPositive | Self::ReactionAnswerNegative => 0.3,
            Self::Mention => 0.2,
        }
    }

    /// What it says by itself; `None` where the record has to say it.
    pub fn valence(self) -> Option<Valence> {
        match self {
            Self::LearnCommand
            | Self::LikeCommand
            | Self::Search
            | Self::FollowUp
            | Self::ReactionNotificationPositive
            | Self::ReactionAnswerPositive => Some(Valence::Positive),
            Self::DislikeCommand
            | Self::ReactionNotificationNegative
            | Self::ReactionAnswerNegative => Some(Valence::Negative),
            Self::Mention => Some(Valence::Neutral),
            Self::Statement => None,
        }
    }
}

impl Valence {
    /// 1, -1 or 0.
    pub fn sign(self) -> f64 {
        match self {
            Self::Positive => 1.0,
            Self::Negative => -1.0,
            Self::Neutral => 0.0,
        }
    }
}
