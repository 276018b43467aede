//! What names of emoji say that are put to a message. Pure.

use crate::Sign;

const FOR: [&str; 10] =
    ["+1", "thumbsup", "heart", "laughing", "tada", "fire", "clap", "100", "heart_eyes", "pray"];
const AGAINST: [&str; 6] = ["-1", "thumbsdown", "angry", "cry", "rage", "sob"];

/// What an emoji says; `None` where it is neither.
pub fn sign(name: &str) -> Option<Sign> {
    // `+1::skin-tone-2`
    let bare = name.split("::").next().unwrap_or_default();
    match bare {
        "white_check_mark" => Some(Sign::Yes),
        "x" => Some(Sign::No),
        _ if FOR.contains(&bare) => Some(Sign::For),
        _ if AGAINST.contains(&bare) => Some(Sign::Against),
        _ => None,
    }
}
