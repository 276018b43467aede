//! What a repository is called in a fleet. Pure, but for the question where it was cloned from.

use crate::{Error, Result};
use elophanto_repo::{Git, Repository, remote_url};
use elophanto_tables::fleet::is_repository;

/// The name that was given, else the address that the repository was cloned from, without what is no
/// part of its name: `github.com/acme/sea`.
///
/// # Errors
/// When there is none, or it is no name.
pub fn name_of(repository: &Repository, given: Option<&str>) -> Result<String> {
    let hint = "give it one: `--as github.com/acme/notes`; lower-case letters, digits, `.`, `-` and \
                `_`, in parts with slashes between them";
    if let Some(given) = given {
        return match is_repository(given) {
            true => Ok(given.to_owned()),
            false => {
                Err(Error::new(format_args!("`{given}` is no name of a repository")).hint(hint))
            }
        };
    }
    let remote = remote_url(repository);
    let name = remote.as_deref().and_then(of_remote);
    name.ok_or_else(|| {
        Error::new("this repository has no address to take its name from").hint(hint)
    })
}

/// The name that the address of a remote says.
fn of_remote(remote: &str) -> Option<String> {
    let plain = |char: char| match char {
        'a'..='z' | '0'..='9' | '.' | '-' | '_' | '/' => char,
        _ => '-',
    };
    let name: String = Git::repository_of(remote)?.chars().map(plain).collect();
    is_repository(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_name_their_repository() {
        for (remote, expected) in [
            ("https://github.com/Acme/Sea.git", Some("github.com/acme/sea")),
            ("https://user:secret@github.com/acme/sea", Some("github.com/acme/sea")),
            ("git@github.com:acme/sea.git", Some("github.com/acme/sea")),
            ("ssh://git@git.lan:2222/team/sea.git", Some("git.lan/team/sea")),
            ("https://gitlab.com/a/b/c d.git/", Some("gitlab.com/a/b/c-d")),
            ("/srv/git/sea.git", None),
            ("../sea", None),
            ("file:///srv/git/sea.git", None),
            ("https://github.com", None),
            ("https://github.com/../etc", None),
        ] {
            assert_eq!(of_remote(remote).as_deref(), expected, "{remote}");
        }
    }
}
