//! Files of git's settings without the credentials in them.

use std::{borrow::Cow, ffi::OsStr, fs, path::Path};

use elophanto_base::secrets;
use elophanto_repo::Git;

/// Whole sections that are about credentials: a helper may be a line of a shell that says one.
const SECTIONS: [&str; 1] = ["credential"];
/// Parts of names of settings that hold one.
const NAMES: [&str; 9] = [
    "extraheader", "password", "passwd", "smtppass", "secret", "token", "apikey", "authorization",
    "cookie",
];
/// A setting that is called just this holds one.
const PASS: &str = "pass";
/// Ends of what stands before the path of an address.
const ENDS: [char; 8] = ['/', '?', '#', '"', '\'', ' ', '\t', '\n'];

/// What a file of settings says without credentials; `None` if it holds none. Of one that git does
/// not understand nothing is said.
pub fn without(git: &Git, path: &Path) -> Option<String> {
    let raw = fs::read(path).ok()?;
    let arguments = [
        OsStr::new("config"),
        OsStr::new("--file"),
        path.as_os_str(),
        OsStr::new("--list"),
        OsStr::new("-z"),
    ];
    let Ok(listed) = git.run(&arguments) else { return Some(String::new()) };
    let raw = String::from_utf8_lossy(&raw);
    let listed = String::from_utf8_lossy(&listed);
    let (text, is_same) = cleaned(&listed);
    // What is commented out may be one as well.
    let is_clean = raw.lines().filter(|line| line.contains(['#', ';'])).all(|line| {
        let is_setting = !line.trim_start().starts_with(['#', ';']);
        is_setting || clean(line) == line && !holds(line)
    });
    (!is_same || !is_clean).then_some(text)
}

/// Settings as `git config --list -z` says them, as a file without credentials, and whether all of
/// them are in it as they are.
fn cleaned(listed: &str) -> (String, bool) {
    let (mut text, mut is_same) = (String::new(), true);
    for setting in listed.split('\0').filter(|setting| !setting.is_empty()) {
        let (name, value) = match setting.split_once('\n') {
            Some((name, value)) => (name, Some(value)),
            None => (setting, None),
        };
        let (Some((section, _)), Some((_, key))) = (name.split_once('.'), name.rsplit_once('.'))
        else {
            continue;
        };
        if SECTIONS.contains(&section) || holds(key) {
            is_same = false;
            continue;
        }
        let sub = name.get(section.len() + 1..name.len() - key.len()).unwrap_or_default();
        let sub = clean(sub.strip_suffix('.').unwrap_or(sub));
        let value = value.map(clean);
        let shown = match &value {
            Some(value) => format!("{name}\n{value}"),
            None => name.to_owned(),
        };
        is_same &= shown == setting && name.contains(&*sub);
        match sub.is_empty() {
            true => text.push_str(&format!("[{section}]\n")),
            false => text.push_str(&format!("[{section} \"{}\"]\n", escaped(&sub))),
        }
        match value {
            None => text.push_str(&format!("\t{key}\n")),
            Some(value) => {
                let value = escaped(&value).replace('\n', "\\n").replace('\t', "\\t");
                text.push_str(&format!("\t{key} = \"{value}\"\n"));
            }
        }
    }
    (text, is_same)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Whether a setting of this name, or a line with it, is about a credential.
fn holds(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', '_'], "");
    name == PASS || NAMES.iter().any(|part| name.contains(part))
}

/// A text without secrets, and addresses in it without whom they are asked as.
fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains("://") || !text.contains('@') {
        return secrets::mask(text).0;
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = after.find(ENDS).unwrap_or(after.len());
        let (host, tail) = after.split_at(end);
        let is_ssh = before[..at].to_ascii_lowercase().ends_with("ssh");
        match host.rsplit_once('@') {
            // A user of a machine is none.
            Some((user, host)) if is_ssh => {
                let user = user.split(':').next().unwrap_or_default();
                shown.push_str(&format!("{user}@{host}"));
            }
            Some((_, host)) => shown.push_str(host),
            None => shown.push_str(host),
        }
        rest = tail;
    }
    shown.push_str(rest);
    let masked = secrets::mask(&shown).0.into_owned();
    if masked == text { Cow::Borrowed(text) } else { Cow::Owned(masked) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_go_and_all_else_stays() {
        let token = format!("ghp_{}", "kX9mQ2vL7wRt4YbN8cJ5hF3sD6gP1zAe0uTi");
        for (setting, expected) in [
            ("core.bare\nfalse".to_owned(), "[core]\n\tbare = \"false\"\n"),
            ("core.bare".to_owned(), "[core]\n\tbare\n"),
            (
                "remote.origin.url\ngit@github.com:a/b.git".to_owned(),
                "[remote \"origin\"]\n\turl = \"git@github.com:a/b.git\"\n",
            ),
            (
                "branch.a.b \"c\".merge\nrefs/heads/a\\b\tc".to_owned(),
                "[branch \"a.b \\\"c\\\"\"]\n\tmerge = \"refs/heads/a\\\\b\\tc\"\n",
            ),
            (
                "alias.x\n!echo 'a'; echo \"b\"".to_owned(),
                "[alias]\n\tx = \"!echo 'a'; echo \\\"b\\\"\"\n",
            ),
        ] {
            assert_eq!(cleaned(&format!("{setting}\0")), (expected.to_owned(), true), "{setting}");
        }
        for (setting, expected) in [
            (
                format!("remote.origin.url\nhttps://{token}@github.com/a/b"),
                "[remote \"origin\"]\n\turl = \"https://github.com/a/b\"\n",
            ),
            (
                "remote.o.url\nhttps://ada:pa%40ss@example.org:8080/a?b@c".to_owned(),
                "[remote \"o\"]\n\turl = \"https://example.org:8080/a?b@c\"\n",
            ),
            (
                "remote.o.url\nssh://git:pass@example.org/a".to_owned(),
                "[remote \"o\"]\n\turl = \"ssh://git@example.org/a\"\n",
            ),
            (
                "url.https://x:y@example.org/.insteadof\nexample:".to_owned(),
                "[url \"https://example.org/\"]\n\tinsteadof = \"example:\"\n",
            ),
            ("http.https://github.com/.extraheader\nAUTHORIZATION: basic eA==".to_owned(), ""),
            ("http.extraheader\nAuthorization: Bearer x".to_owned(), ""),
            ("credential.helper\n!f() { echo password=x; }; f".to_owned(), ""),
            ("credential.https://a.b.username\nada".to_owned(), ""),
            ("sendemail.smtppass\nx".to_owned(), ""),
            ("imap.pass\nx".to_owned(), ""),
            ("gitea.api-token\nx".to_owned(), ""),
        ] {
            assert_eq!(cleaned(&format!("{setting}\0")), (expected.to_owned(), false), "{setting}");
        }
        let (text, is_same) = cleaned(&format!("alias.x\n!curl -H 'x: {token}'\0"));
        assert!(!text.contains(&token) && !is_same, "{text}");
    }
}
