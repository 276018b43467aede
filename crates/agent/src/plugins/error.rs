use std::{io, path::PathBuf};

use super::{BlockError, NameError};

/// Why a plugin is none, or is not written down as deployed.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is no folder of this name.
    #[error("there is no folder `plugins/{name}`")]
    Missing { name: String },
    #[error("there is a plugin `{name}` already")]
    Exists { name: String },
    /// A path within the plugin, and what is wrong there.
    #[error("`{path}`: {reason}")]
    File { path: String, reason: String },
    /// More than a cap; `what` names it.
    #[error("over the cap of {max} {what}")]
    Cap { max: usize, what: &'static str },
    /// `schema.json` does not say what it must.
    #[error("`schema.json`: {0}")]
    Schema(String),
    #[error("`plugins/manifest.json`: {0}")]
    Manifest(String),
    /// The folder is not what was looked at.
    #[error("`plugins/{name}` has changed since it was looked at")]
    Changed { name: String },
    /// Its tests did not run, or did not pass, on exactly these files.
    #[error("the tests of `{name}` have not passed for what is in its folder")]
    Untested { name: String },
    #[error("`{}`: {source}", path.display())]
    Block { path: PathBuf, source: BlockError },
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The caller's function could not write it.
    #[error("`{}` was not written: {reason}", path.display())]
    Write { path: PathBuf, reason: String },
}
