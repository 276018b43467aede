//! Why a model can't be read, packed or opened.

use std::{io, path::PathBuf};

/// What is wrong with a model's folder or packed file. Both are data from outside: each message
/// names the file, and the tensor or setting if there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file can't be read.
    #[error("reading `{}` failed: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        source: io::Error,
    },
    /// The file is larger than any model of this family.
    #[error("`{}` is {bytes} bytes, at most {most} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        bytes: u64,
        most: u64,
    },
    /// The file is no JSON, or not the JSON it should be.
    #[error("`{}` can't be understood: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        source: serde_json::Error,
    },
    /// A setting asks for something that this code does not do.
    #[error("`{}`: `{setting}` is {found}, supported: {supported}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        setting: String,
        found: String,
        supported: String,
    },
    /// A tensor is missing, or of another type, shape or place than it must have.
    #[error("`{}`: tensor `{tensor}` {reason}", path.display())]
    Tensor {
        /// The file.
        path: PathBuf,
        tensor: String,
        reason: String,
    },
    /// The file as a whole is not what it should be.
    #[error("`{}`: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        reason: String,
    },
}
