//! The acts that count, and how much.

use serde::{Deserialize, Serialize};

/// What a user did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngagementKind {
    /// Asked for a topic to be learned.
    LearnCommand,
    /// Said by a command that they like it.
    LikeCommand,
    /// Said by a command that they dislike it.
    DislikeCommand,
    /// Said in a message that they like or dislike it.
    Statement,
    /// Had something searched for.
    Search,
    /// Asked more about it.
    FollowUp,
    /// Welcomed a message that they had not asked for.
    ReactionNotificationPositive,
    /// Rejected a message that they had not asked for: more of it is the last thing they want.
    ReactionNotificationNegative,
    /// Welcomed an answer.
    ReactionAnswerPositive,
    /// Rejected an answer.
    ReactionAnswerNegative,
    /// Named it in passing. Shows activity, adds nothing.
    Mention,
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
    /// Its word in records; the same that serde writes.
    pub fn word(self) -> &'static str {
        match self {
            Self::LearnCommand => "learn_command",
            Self::LikeCommand => "like_command",
            Self::DislikeCommand => "dislike_command",
            Self::Statement => "statement",
            Self::Search => "search",
            Self::FollowUp => "follow_up",
            Self::ReactionNotificationPositive => "reaction_notification_positive",
            Self::ReactionNotificationNegative => "reaction_notification_negative",
            Self::ReactionAnswerPositive => "reaction_answer_positive",
            Self::ReactionAnswerNegative => "reaction_answer_negative",
            Self::Mention => "mention",
        }
    }

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
