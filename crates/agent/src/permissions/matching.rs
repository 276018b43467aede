//! Paths that may hold stand-ins for what is not known, compared name by name.

use super::shell::stand_ins::{ANY, STAR, UNKNOWN};

/// How a path lies to a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It is the tree or lies inside.
    Inside,
    /// The tree lies inside of it.
    Above,
    Apart,
}

/// Names of a path, as they are compared.
pub fn names(pattern: &str) -> Vec<String> {
    pattern.split('/').filter(|name| !name.is_empty() && *name != ".").map(folded).collect()
}

fn folded(name: &str) -> String {
    let folded = name.to_lowercase();
    let bare = folded.trim_end_matches(['.', ' ']);
    // HFS+ leaves out characters without width; NTFS what follows a colon.
    let bare = bare.split(':').next().unwrap_or(bare);
    bare.chars().filter(|c| !elophanto_base::visible::is_deceptive(*c)).collect()
}

/// Whether a path has stand-ins.
pub fn is_open(pattern: &str) -> bool {
    pattern.contains([STAR, ANY, UNKNOWN])
}

/// How many characters of a name are known; more than it has, if all are.
pub fn known(name: &str) -> usize {
    let known = name.chars().filter(|char| ![STAR, ANY, UNKNOWN].contains(char)).count();
    if is_open(name) { known } else { usize::MAX }
}

pub fn fit(path: &[String], tree: &[String]) -> Fit {
    if !path.iter().zip(tree).all(|(name, wanted)| fits(name, wanted)) {
        return Fit::Apart;
    }
    if path.len() >= tree.len() { Fit::Inside } else { Fit::Above }
}

/// Whether a name with stand-ins can be this name. As in a shell, `*` and `?` at the start of a
/// name do not stand for a dot.
pub fn fits(name: &str, wanted: &str) -> bool {
    if wanted.starts_with('.') && name.starts_with([STAR, ANY]) {
        return false;
    }
    if !is_open(name) {
        return name == wanted;
    }
    let (name, wanted): (Vec<char>, Vec<char>) = (name.chars().collect(), wanted.chars().collect());
    let (mut at, mut on) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while on < wanted.len() {
        match name.get(at) {
            Some(&(STAR | UNKNOWN)) => {
                back = Some((at, on));
                at += 1;
            }
            Some(&ANY) => (at, on) = (at + 1, on + 1),
            Some(char) if Some(char) == wanted.get(on) => (at, on) = (at + 1, on + 1),
            _ => {
                let Some((star, from)) = back else { return false };
                back = Some((star, from + 1));
                (at, on) = (star + 1, from + 1);
            }
        }
    }
    name.iter().skip(at).all(|c| matches!(*c, STAR | UNKNOWN))
}

/// An absolute pattern without `.`, `..` and doubled slashes; `None` where `..` follows a stand-in,
/// since nobody knows where that leads.
pub fn absolute(pattern: &str, folder: &str) -> Option<String> {
    let whole =
        if pattern.starts_with('/') { pattern.to_owned() } else { format!("{folder}/{pattern}") };
    let mut names: Vec<&str> = Vec::new();
    for name in whole.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                if names.pop().is_some_and(is_open) {
                    return None;
                }
            }
            name => names.push(name),
        }
    }
    Some(format!("/{}", names.join("/")))
}
