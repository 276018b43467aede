//! What a user may name as the place of a skill: an allow-list of forms. Pure.

use std::{fmt, path::PathBuf};

use serde::{Serialize, Serializer};

use super::{Result, SkillError, files, name};
use elophanto_base::visible::is_deceptive;

/// Bytes of what names a place.
const MAX_SOURCE: usize = 2_048;

/// Where a skill comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A folder on this machine.
    Path(PathBuf),
    /// A git repository, and the folder of the skill in it where it is not the only one.
    Git { url: String, folder: Option<String> },
    /// A skill of the hub.
    Hub { name: String },
}

impl Source {
    /// Reads what a user wrote:
    ///
    /// - `hub:NAME`
    /// - `https://HOST/PATH`, `ssh://[USER@]HOST/PATH`, `USER@HOST:PATH`, `file:///PATH`, each of
    ///   them with `#FOLDER` behind it
    /// - a path: absolute, or with a `/` in it
    ///
    /// # Errors
    /// [`SkillError::Source`] for every other form and [`SkillError::Name`] for a bad name: what
    /// git would take for an option, a program to run, a user with a password.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = |why| Err(SkillError::Source { shown: name::shown(text), why });
        if text.len() > MAX_SOURCE {
            return refuse("it is too long");
        }
        if text.is_empty() || text.trim() != text {
            return refuse("it is empty, or begins or ends with a blank");
        }
        if text.starts_with('-') {
            return refuse("it begins with a hyphen, like an option");
        }
        if text.chars().any(|c| c.is_control() || is_deceptive(c)) {
            return refuse("it holds characters that cannot be seen");
        }
        if let Some(name) = text.strip_prefix("hub:") {
            name::check_name(name)?;
            return Ok(Self::Hub { name: name.to_owned() });
        }
        if text.contains("::") {
            return refuse("git would run a program for it");
        }
        let is_path = text == "." || text == ".." || text.starts_with(['/', '.']);
        let before_slash = text.split('/').next().unwrap_or_default();
        if is_path || (text.contains('/') && !before_slash.contains([':', '@'])) {
            if text.starts_with('~') {
                return refuse("`~` is for a shell to replace");
            }
            return Ok(Self::Path(PathBuf::from(text)));
        }
        let (url, folder) = match text.split_once('#') {
            Some((url, folder)) => (url, Some(folder)),
            None => (text, None),
        };
        if let Some(folder) = folder {
            files::check_path(folder)?;
        }
        match check_url(url) {
            Ok(()) => Ok(Self::Git { url: url.to_owned(), folder: folder.map(str::to_owned) }),
            Err(why) => refuse(why),
        }
    }

    /// The protocol git may use for it, and no other.
    pub(super) fn protocol(url: &str) -> &'static str {
        if url.starts_with("https://") {
            "https"
        } else if url.starts_with("file://") {
            "file"
        } else {
            "ssh"
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Git { url, folder: None } => f.write_str(url),
            Self::Git { url, folder: Some(folder) } => write!(f, "{url}#{folder}"),
            Self::Hub { name } => write!(f, "hub:{name}"),
        }
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Whether an address of a git repository has one of the forms that are allowed.
pub(super) fn check_url(url: &str) -> Result<(), &'static str> {
    if url.len() > MAX_SOURCE {
        return Err("it is too long");
    }
    if !url.is_ascii() {
        return Err("addresses are written in ASCII: other letters can look alike");
    }
    if url.bytes().any(|b| !(b.is_ascii_alphanumeric() || b"._~/+%:@-".contains(&b))) {
        return Err("it holds a character that an address of a repository does not need");
    }
    check_escapes(url)?;
    if let Some(rest) = url.strip_prefix("https://") {
        let (host, path) = rest.split_once('/').ok_or("there is no path in it")?;
        if host.contains('@') {
            return Err("it names a user: keep passwords in git's credential store");
        }
        check_host(host)?;
        return check_url_path(path);
    }
    if let Some(rest) = url.strip_prefix("ssh://") {
        let (host, path) = rest.split_once('/').ok_or("there is no path in it")?;
        check_host(without_user(host)?)?;
        return check_url_path(path);
    }
    if let Some(path) = url.strip_prefix("file://") {
        let path = path.strip_prefix('/').ok_or("`file://` takes an absolute path")?;
        return check_url_path(path);
    }
    if url.contains("://") {
        return Err("only https, ssh and file are allowed");
    }
    let (host, path) = url
        .split_once(':')
        .ok_or("write `./NAME` for a folder, `hub:NAME` for a skill of the hub")?;
    if !host.contains('@') {
        return Err("only https, ssh, file and USER@HOST:PATH are allowed");
    }
    check_host_name(without_user(host)?)?;
    check_url_path(path.strip_prefix('/').unwrap_or(path))
}

fn without_user(host: &str) -> Result<&str, &'static str> {
    let Some((user, host)) = host.split_once('@') else { return Ok(host) };
    if user.contains(':') {
        return Err("it holds a password");
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    if user.is_empty() || user.starts_with('-') || !user.bytes().all(plain) {
        return Err("the user in it is none");
    }
    Ok(host)
}

fn check_host(host: &str) -> Result<(), &'static str> {
    match host.split_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok_and(|port| port > 0) => {
            check_host_name(host)
        }
        Some(_) => Err("the port in it is none"),
        None => check_host_name(host),
    }
}

fn check_host_name(host: &str) -> Result<(), &'static str> {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if host.len() <= 253 && host.split('.').all(label) {
        Ok(())
    } else {
        Err("the host in it is none")
    }
}

fn check_url_path(path: &str) -> Result<(), &'static str> {
    let odd = |part: &str| part == "." || part == ".." || part.starts_with('-');
    if path.trim_matches('/').is_empty() {
        Err("there is no path in it")
    } else if path.contains([':', '@']) {
        Err("the path in it holds `:` or `@`")
    } else if path.split('/').any(odd) {
        Err("a part of its path is `..` or begins with a hyphen")
    } else {
        Ok(())
    }
}

/// `%41` only for characters that can be seen and separate nothing.
fn check_escapes(url: &str) -> Result<(), &'static str> {
    for (at, _) in url.match_indices('%') {
        let code = url.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) if (0x20..0x7f).contains(&code) && !b"/.\\%:@-".contains(&code) => {}
            _ => return Err("it hides a character behind `%`"),
        }
    }
    Ok(())
}
