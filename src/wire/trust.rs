//! What of a repository needs trust, and what is trusted.

use std::{borrow::Cow, path::Path};

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::{
    config::{Guarded, Program, REPOSITORY_FILE, TrustEntry, digest},
    pages::{Page, Trust},
    trust::Untrusted,
};

/// A setting that needs trust.
#[derive(Serialize, JsonSchema)]
pub struct GuardedWire<'a> {
    file: &'static str,
    line: usize,
    key: &'a str,
    value: &'a str,
    /// Hash of what the file says.
    digest: &'a str,
}

impl<'a> GuardedWire<'a> {
    /// Of one of the settings.
    pub fn of(setting: &'a Guarded, untrusted: &'a Untrusted<'_>) -> Self {
        let Guarded { name: key, line, value } = setting;
        Self { file: REPOSITORY_FILE, line: *line, key, value, digest: &untrusted.digest }
    }
}

/// A file of the repository that settings have run, and that is trusted with them.
#[derive(Serialize, JsonSchema)]
pub struct ProgramWire<'a> {
    program: String,
    /// Hash of what it says, if it can be read.
    digest: Option<&'a str>,
}

impl<'a> From<&'a Program> for ProgramWire<'a> {
    fn from(program: &'a Program) -> Self {
        Self { program: program.file(), digest: program.digest.as_deref() }
    }
}

/// A page that needs trust.
#[derive(Serialize, JsonSchema)]
pub struct TrustPageWire<'a> {
    page: Cow<'a, str>,
    pub lines: usize,
    /// The user trusted something else that it said.
    pub changed: bool,
    /// Hash of what it says.
    digest: String,
    /// Where it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
}

impl<'a> TrustPageWire<'a> {
    pub fn of(page: &'a Page, is_shown: bool) -> Self {
        let text = String::from_utf8_lossy(&page.bytes);
        Self {
            page: page.path.to_string_lossy(),
            lines: text.lines().count(),
            changed: page.trust == Trust::Changed,
            digest: digest(&page.bytes),
            text: is_shown.then_some(text),
        }
    }
}

/// A file that is trusted as it was.
#[derive(Serialize, JsonSchema)]
pub struct TrustedWire<'a> {
    trusted: &'a str,
    digest: &'a str,
    since: &'a str,
    pub root: Cow<'a, str>,
}

impl<'a> From<&'a TrustEntry> for TrustedWire<'a> {
    fn from(TrustEntry { digest, file, since, root }: &'a TrustEntry) -> Self {
        Self { trusted: file, digest, since, root: root.to_string_lossy() }
    }
}

/// How many contents of a repository are trusted no more.
#[derive(Serialize, JsonSchema)]
pub struct RevokedWire<'a> {
    revoked: usize,
    root: Cow<'a, str>,
}

impl<'a> RevokedWire<'a> {
    pub fn of(revoked: usize, root: &'a Path) -> Self {
        Self { revoked, root: root.to_string_lossy() }
    }
}
