//! The skills that are part of the program.

use super::{Origin, Skill, front};

/// Names and texts of the skills in a folder of `assets`.
macro_rules! skills {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/../../assets/", $folder, "/", $name, "/SKILL.md"
            )),
        )),*]
    };
}
pub(super) use skills;

pub(super) const BUNDLED: &[(&str, &str)] = skills![
    "skills":
    "investigating-a-failure",
    "recording-a-decision",
    "reviewing-a-change",
    "tidying-a-knowledge-base",
    "writing-a-note",
    "writing-a-plugin",
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
