//! The kinds of notes that tools write.

elophanto_base::named! {
    /// What a note is about, which decides its folder and its sections.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Kind, as_str {
        /// Something that was asked for and done.
        Task = "task",
        /// Something that proved itself and can be used again.
        Pattern = "pattern",
        /// Something that went wrong, and what it taught.
        Failure = "failure",
        /// Something outside that is used: how to reach it, how it fails.
        Service = "service",
        /// Anything else.
        Note = "note",
    }
}

impl Kind {
    /// The folder below `<write_root>/learned/`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Task => "tasks",
            Self::Pattern => "patterns",
            Self::Failure => "failures",
            Self::Service => "services",
            Self::Note => "notes",
        }
    }

    /// What stands in front of the title in the first heading.
    pub(super) fn label(self) -> Option<&'static str> {
        match self {
            Self::Task => Some("Task: "),
            Self::Pattern => Some("Pattern: "),
            Self::Failure => Some("Failure: "),
            Self::Service => Some("Service: "),
            Self::Note => None,
        }
    }

    /// Whether it tells of one day, which then stands in front of the file name.
    pub(super) fn is_dated(self) -> bool {
        matches!(self, Self::Task | Self::Failure)
    }
}

/// The headings of the sections that a note of this kind should have, in their order.
pub fn template(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Task => &["What was asked", "What I did", "Outcome", "Notes"],
        Kind::Failure => &["What happened", "Root cause", "Lesson learned", "Attempts"],
        Kind::Pattern => &["When it applies", "What to do", "Why it works", "Seen in"],
        Kind::Service => &["What it is", "How to reach it", "How it fails", "Notes"],
        Kind::Note => &[],
    }
}
