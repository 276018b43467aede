//! The skill: what an agent is taught about us.

const SKILL: &str = include_str!("skill.md");
/// Tells a file of ours, of any version, from one that the user wrote under its name.
const MARK: &str = "<!-- Written by `elophanto agent install`";

/// The text of the skill file, front matter included.
pub fn skill() -> &'static str {
    SKILL
}

/// Whether a file was written by us, now or by an earlier version.
pub(super) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}

/// Whether a file says what the skill says; git may have turned its line ends.
pub(super) fn is_current(text: &str) -> bool {
    text == SKILL || text.replace("\r\n", "\n") == SKILL
}
