//! Secrets of the vault.

use schemars::JsonSchema;
use serde::Serialize;

/// A secret that was asked for.
#[derive(Serialize, JsonSchema)]
pub struct SecretWire<'a> {
    pub name: &'a str,
    pub kind: &'static str,
    pub value: &'a str,
}

/// A secret in the list.
#[derive(Serialize, JsonSchema)]
pub struct ListedSecretWire<'a> {
    pub name: &'a str,
    pub kind: &'static str,
    pub created: String,
    pub last_used: Option<String>,
}

/// A secret that was put in.
#[derive(Serialize, JsonSchema)]
pub struct KeptSecretWire<'a> {
    pub name: &'a str,
    pub kind: &'static str,
    /// Whether there was one of that name.
    pub replaced: bool,
}

/// Whether a secret was there to be removed.
#[derive(Serialize, JsonSchema)]
pub struct RemovedSecretWire<'a> {
    pub name: &'a str,
    pub removed: bool,
}

/// Secrets that were encrypted anew.
#[derive(Serialize, JsonSchema)]
pub struct RotatedWire {
    pub rotated: usize,
}
