//! What emoji say that are put to a message. Pure.

use crate::Sign;

const FOR: [&str; 12] = ["👍", "❤", "😆", "🔥", "👏", "😁", "🎉", "🤩", "💯", "🥰", "🙏", "😍"];
const AGAINST: [&str; 8] = ["👎", "😠", "😢", "😡", "🤬", "💩", "🤮", "😭"];

/// What an emoji says; `None` where it is neither.
pub fn sign(emoji: &str) -> Option<Sign> {
    // With or without what asks for its coloured form.
    let bare = emoji.trim_end_matches('\u{fe0f}');
    match bare {
        "✅" => Some(Sign::Yes),
        "❌" => Some(Sign::No),
        _ if FOR.contains(&bare) => Some(Sign::For),
        _ if AGAINST.contains(&bare) => Some(Sign::Against),
        _ => None,
    }
}
