//! What the folder of a repository's lessons is called. Pure.

/// Most characters of a name.
const MAX_CHARACTERS: usize = 64;

/// More of a remote or a path is not looked at, from the end.
const MAX_BYTES: usize = 4096;

/// The folder of what is no longer recalled: no repository's.
pub(super) const ARCHIVE: &str = "archive";

const FALLBACK: &str = "repo";

/// The last part of a git remote (a URL, `user@host:path`, or a path), without `.git`; else the
/// name of the folder. Always a safe name (see [`is_repo_name`]); what is not allowed in one becomes
/// `-`.
pub fn repo_name(remote_url: Option<&str>, folder: &str) -> String {
    let of_remote = remote_url.and_then(last_part).and_then(safe);
    of_remote.or_else(|| safe(folder)).unwrap_or_else(|| FALLBACK.to_owned())
}

/// Whether a folder may be called that: 1 to 64 of `A-Za-z0-9._-`, not starting with `.` or `-`, not
/// ending with `.`, and neither `archive` nor a device of Windows in any case of letters.
pub fn is_repo_name(name: &str) -> bool {
    (1..=MAX_CHARACTERS).contains(&name.len())
        && name.chars().all(is_allowed)
        && !name.starts_with(['.', '-'])
        && !name.ends_with('.')
        && !is_reserved(name)
}

fn is_allowed(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-')
}

/// Windows looks at what comes before the first dot.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let is_numbered = || {
        let (device, number) = stem.split_at_checked(3).unwrap_or_default();
        let is_device = ["com", "lpt"].iter().any(|known| device.eq_ignore_ascii_case(known));
        is_device && number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_device =
        ["con", "prn", "aux", "nul"].iter().any(|known| stem.eq_ignore_ascii_case(known));
    name.eq_ignore_ascii_case(ARCHIVE) || is_device || is_numbered()
}

/// `None` where there is no path: what is left of such a URL is a host, or a password.
fn last_part(remote: &str) -> Option<&str> {
    let remote = remote.trim();
    if remote.len() > MAX_BYTES {
        return None;
    }
    let path = match remote.split_once("://") {
        Some((_, rest)) => {
            let (_, path) = rest.split_once('/')?;
            path.split(['?', '#']).next()?
        }
        None => match remote.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => remote,
        },
    };
    let parts = path.rsplit(['/', '\\']).map(|part| part.strip_suffix(".git").unwrap_or(part));
    parts.filter(|part| !matches!(*part, "" | "." | "..")).find(|part| !part.contains('@'))
}

fn safe(name: &str) -> Option<String> {
    if is_repo_name(name) {
        return Some(name.to_owned());
    }
    let mut safe = String::new();
    for char in name.trim().chars().take(MAX_BYTES) {
        let char = if is_allowed(char) { char } else { '-' };
        // Several that are not allowed are one.
        if !(char == '-' && safe.ends_with('-')) {
            safe.push(char);
        }
        if safe.len() > 2 * MAX_CHARACTERS {
            break;
        }
    }
    let safe = tidy_ends(&safe);
    let safe = tidy_ends(safe.get(..MAX_CHARACTERS).unwrap_or(safe));
    match safe {
        "" => None,
        _ if !is_reserved(safe) => Some(safe.to_owned()),
        _ => {
            let (stem, rest) = safe.split_at(safe.find('.').unwrap_or(safe.len()));
            let named = format!("{stem}-repo{rest}");
            Some(tidy_ends(named.get(..MAX_CHARACTERS).unwrap_or(&named)).to_owned())
        }
    }
}

fn tidy_ends(name: &str) -> &str {
    name.trim_start_matches(['.', '-']).trim_end_matches(['.', '-'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(remote: &str, expected: &str) {
        assert_eq!(repo_name(Some(remote), "the-folder"), expected, "{remote}");
    }

    #[track_caller]
    fn check_folder(folder: &str, expected: &str) {
        assert_eq!(repo_name(None, folder), expected, "{folder}");
    }

    #[test]
    fn remotes() {
        check("https://github.com/acme/billing-api.git", "billing-api");
        check("https://github.com/acme/billing-api/", "billing-api");
        check("https://github.com/acme/billing-api.git/", "billing-api");
        check("https://user:secret@host.test:8443/acme/Billing.API?x=a/b#c/d", "Billing.API");
        check("ssh://git@host.test:22/acme/tools.git", "tools");
        check("git@github.com:acme/tools.git", "tools");
        check("git@github.com:tools.git", "tools");
        check("host:tools", "tools");
        check("/srv/git/tools.git", "tools");
        check("/home/me/tools/.git", "tools");
        check("../tools", "tools");
        check("file:///srv/git/tools", "tools");
        check(r"C:\work\tools", "tools");
        check("https://host.test/acme/a%20b c", "a-20b-c");
        check("https://host.test/acme/.github", "github");
        check("https://host.test/acme/Archive", "Archive-repo");
        // A password must not become a name.
        for remote in ["", "  ", "https://host.test", "https://user:secret@host.test", "/", ".."] {
            check(remote, "the-folder");
        }
        for remote in ["user:secret@host", "https://host.test/", "https://host.test/日本", ".git"]
        {
            check(remote, "the-folder");
        }
        check(&format!("https://host.test/{}", "x".repeat(5_000)), "the-folder");
    }

    #[test]
    fn folders() {
        check_folder("billing-api", "billing-api");
        check_folder("Straße und Weg", "Stra-e-und-Weg");
        check_folder("archive", "archive-repo");
        check_folder("con", "con-repo");
        check_folder("NUL.web", "NUL-repo.web");
        check_folder("com1", "com1-repo");
        check_folder("com", "com");
        check_folder("com10", "com10");
        check_folder("-rf", "rf");
        check_folder("../../bin/x", "bin-x");
        check_folder("...", "repo");
        check_folder("", "repo");
        check_folder("日本", "repo");
        check_folder(&"x".repeat(100), &"x".repeat(64));
        check_folder(&format!("{}.y", "x".repeat(63)), &"x".repeat(63));
        check_folder(&format!("con.{}", "x".repeat(100)), &format!("con-repo.{}", "x".repeat(55)));
    }

    #[test]
    fn names() {
        for name in ["a", "A.b_c-d", "0", "_x", "archive-repo", "console"] {
            assert!(is_repo_name(name), "{name}");
        }
        for name in ["", ".", "..", ".a", "-a", "a.", "a/b", "a b", "é", "archive", "ARCHIVE"] {
            assert!(!is_repo_name(name), "{name}");
        }
        for name in ["aux", "Lpt9.txt", "a\0", "a\\b", &"x".repeat(65)] {
            assert!(!is_repo_name(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn always_a_safe_name_and_stable(remote: Option<String>, folder: String) {
            let name = repo_name(remote.as_deref(), &folder);
            prop_assert!(is_repo_name(&name), "{}", name);
            prop_assert_eq!(repo_name(None, &name), name);
        }
    }
}
