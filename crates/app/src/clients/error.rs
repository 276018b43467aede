//! Why a program cannot be set up.

use std::{io, path::PathBuf};

/// Nothing is changed when one of these comes. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message says what each field is")]
pub enum ClientError {
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` has more than {max} bytes", path.display())]
    TooLarge { path: PathBuf, max: usize },
    #[error("`{}`:{line} is not valid {format}: {reason}; repair the file, then try again", path.display())]
    Invalid { path: PathBuf, line: usize, format: &'static str, reason: String },
    #[error("`{}`:{line}: `{key}` is no {expected}; make it one or take it out, then try again", path.display())]
    WrongType { path: PathBuf, line: usize, key: String, expected: &'static str },
    #[error("`{}`:{line}: `{key}` is there twice; leave one, then try again", path.display())]
    Twice { path: PathBuf, line: usize, key: String },
    #[error(
        "`{}`:{line}: `{key}` is not written as a table with a header of its own; \
         write it so or take it out, then try again",
        path.display()
    )]
    NoTable { path: PathBuf, line: usize, key: String },
    #[error("`{}` is there and not ours; move it away, then try again", path.display())]
    NotOurs { path: PathBuf },
    #[error("the program's path is empty or has a control character in it")]
    Program,
}

/// The line of a place in a text, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + memchr::memchr_iter(b'\n', before).count()
}
