//! Where an import leads. Owns the rules of each language for naming another file.
//!
//! It is told the import as the file has it, without quotes, and answers with one file of the
//! repository or none: a library of others, a name that fits several files, a path that leaves the
//! root. It knows no build files, so what those rename is not followed.

mod files;
mod python;
mod rust;
#[cfg(test)]
mod tests;

use super::paths::Paths;

/// Bytes of an import; nobody writes longer ones.
const MAX_IMPORT: usize = 4096;
/// Parts of a dotted or `::` name that are looked at.
const MAX_PARTS: usize = 64;

/// The language whose rules an import follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// `crate::a::Item`, `super::a`, `self::a`, `mod a`, or the name of another crate here.
    Rust,
    /// `.a`, `..a.b`, `package.module`.
    Python,
    /// `./a`, `../a`, `@/a`; TypeScript too.
    JavaScript,
    /// `example.com/module/folder`.
    Go,
    /// `a.h`, `folder/a.h`; C++ too.
    C,
    /// `a.b.C`, `a.b.C.member`.
    Java,
    /// `source ./a.sh`, `. a.sh`, or the path alone.
    Shell,
    /// A systemd unit's name, or the command line or file that it names.
    Unit,
}

impl Paths {
    /// The file that `import`, written in the file `from`, leads to; `None` if that is no file of
    /// these paths or cannot be told.
    pub fn resolve_import(&self, from: &str, language: Language, import: &str) -> Option<&str> {
        let import = import.trim();
        if import.is_empty() || import.len() > MAX_IMPORT {
            return None;
        }
        match language {
            Language::Rust => rust::resolve(self, from, import),
            Language::Python => python::resolve(self, from, import),
            Language::JavaScript => files::javascript(self, from, import),
            Language::Go => files::go(self, import),
            Language::C => files::c(self, from, import),
            Language::Java => files::java(self, import),
            Language::Shell => files::shell(self, from, import),
            Language::Unit => files::unit(self, from, import),
        }
    }
}

/// Whether all parts are plain names, so that joining them with `/` makes no other path of them.
fn are_names(parts: &[&str]) -> bool {
    let is_name = |part: &&str| {
        !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() || char == '_')
    };
    parts.len() <= MAX_PARTS && parts.iter().all(is_name)
}
