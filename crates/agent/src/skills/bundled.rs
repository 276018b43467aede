//! The skills that are part of the program.

use super::{Origin, Skill, front};

pub(super) const BUNDLED: &[(&str, &str)] = &[
    (
        "investigating-a-failure",
        include_str!("../../../../assets/skills/investigating-a-failure/SKILL.md"),
    ),
    (
        "recording-a-decision",
        include_str!("../../../../assets/skills/recording-a-decision/SKILL.md"),
    ),
    ("reviewing-a-change", include_str!("../../../../assets/skills/reviewing-a-change/SKILL.md")),
    (
        "tidying-a-knowledge-base",
        include_str!("../../../../assets/skills/tidying-a-knowledge-base/SKILL.md"),
    ),
    ("writing-a-note", include_str!("../../../../assets/skills/writing-a-note/SKILL.md")),
    ("writing-a-plugin", include_str!("../../../../assets/skills/writing-a-plugin/SKILL.md")),
];

/// All bundled skills, sorted by name.
pub fn bundled() -> Vec<Skill> {
    let read = |(name, text): &(&str, &str)| {
        // Tests hold that none is passed over.
        let front = front::read(text.as_bytes(), Some(name)).ok()?;
        Some(Skill {
            name: front.name,
            description: front.description,
            origin: Origin::Bundled,
            folder: None,
            body: front.body,
            files: Vec::new(),
            problems: front.problems,
        })
    };
    BUNDLED.iter().filter_map(read).collect()
}
