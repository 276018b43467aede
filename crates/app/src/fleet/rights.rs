//! Whose repositories a caller may ask about.

/// What a caller may find, before anything is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rights {
    /// Names of repositories, or of folders of them that end with a slash; `None` is all.
    allowed: Option<Vec<String>>,
}

impl Rights {
    /// These, and nothing else.
    pub fn only(allowed: Vec<String>) -> Self {
        Self { allowed: Some(allowed) }
    }

    pub fn allows(&self, repository: &str) -> bool {
        let covers = |one: &String| match one.ends_with('/') {
            true => repository.starts_with(one.as_str()),
            false => repository == one,
        };
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(covers))
    }

    pub fn are_all(&self) -> bool {
        self.allowed.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_not_allowed() {
        let rights = Rights::only(vec!["acme/sea".to_owned(), "other/".to_owned()]);
        for (repository, expected) in [
            ("acme/sea", true),
            ("acme/seal", false),
            ("acme/sea/more", false),
            ("acme", false),
            ("other/x", true),
            ("others/x", false),
            ("other", false),
        ] {
            assert_eq!(rights.allows(repository), expected, "{repository}");
        }
        assert!(Rights::default().allows("anything"));
        assert!(!Rights::only(Vec::new()).allows("anything"));
    }
}
