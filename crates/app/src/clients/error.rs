//! Why a program cannot be set up.

use std::{io, path::PathBuf};

/// Nothing is changed when one of these comes. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A configuration that is there and cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// The configuration.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// More than any configuration of a client.
    #[error("`{}` has more than {max} bytes", path.display())]
    TooLarge {
        /// The configuration.
        path: PathBuf,
        /// Bytes of it that would be read.
        max: usize,
    },
    /// A configuration that is broken in its own format.
    #[error("`{}`:{line} is not valid {format}: {reason}; repair the file, then try again", path.display())]
    Invalid {
        /// The configuration.
        path: PathBuf,
        /// Where.
        line: usize,
        /// `JSON` or `TOML`.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Something else stands where our entry belongs.
    #[error("`{}`:{line}: `{key}` is no {expected}; make it one or take it out, then try again", path.display())]
    WrongType {
        /// The configuration.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Its name.
        key: String,
        /// What it is to be.
        expected: &'static str,
    },
    /// Which of two entries counts is not said.
    #[error("`{}`:{line}: `{key}` is there twice; leave one, then try again", path.display())]
    Twice {
        /// The configuration.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Its name.
        key: String,
    },
    /// TOML that has our entry within a line, or by dotted keys.
    #[error(
        "`{}`:{line}: `{key}` is not written as a table with a header of its own; \
         write it so or take it out, then try again",
        path.display()
    )]
    NoTable {
        /// The configuration.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Its name.
        key: String,
    },
    /// A file that would be ours by its name does not hold what we write.
    #[error("`{}` is there and not ours; move it away, then try again", path.display())]
    NotOurs {
        /// The configuration.
        path: PathBuf,
    },
    /// No client could start it.
    #[error("the program's path is empty or has a control character in it")]
    Program,
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + memchr::memchr_iter(b'\n', before).count()
}
