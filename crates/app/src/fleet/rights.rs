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

    /// Whether this repository may be asked, by its name.
    pub fn allows(&self, repository: &str) -> bool {
        let allowed = self.allowed.as_ref();
        allowed.is_none_or(|allowed| allowed.iter().any(|one| covers(one, repository)))
    }

    /// What is named here and is none of these repositories.
    pub fn in_vain<'r>(&self, repositories: impl Iterator<Item = &'r str> + Clone) -> Vec<String> {
        let named = self.allowed.iter().flatten();
        let vain = named.filter(|one| !repositories.clone().any(|it| covers(one, it)));
        vain.cloned().collect()
    }

    /// Whether they are for all repositories, later ones too.
    pub fn are_all(&self) -> bool {
        self.allowed.is_none()
    }
}

/// Whether a name, or a folder of names, is or has a repository.
fn covers(one: &str, repository: &str) -> bool {
    match one.ends_with('/') {
        true => repository.starts_with(one),
        false => repository == one,
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
        assert_eq!(rights.in_vain(["acme/seal", "other/x"].into_iter()), ["acme/sea"]);
        assert!(Rights::default().in_vain(std::iter::empty()).is_empty());
        assert!(Rights::default().allows("anything"));
        assert!(!Rights::only(Vec::new()).allows("anything"));
    }
}
