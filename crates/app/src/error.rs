//! Errors as people see them: what happened, and what to do next.

use std::{error::Error as StdError, fmt::Display, iter};

mod hints;

use elophanto_base::visible::escape_control_line;

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whoever asked: by asking otherwise, or by changing what lies in the repository.
    User,
    /// Whoever keeps the settings.
    Settings,
    /// Whoever keeps the machine: its disk, rights, network and programs.
    System,
    /// Whoever writes elophanto.
    Bug,
}

/// A failure: what happened, what caused it, and what to do next.
///
/// [`Error::source`](StdError::source) leads to the causes.
#[derive(Debug)]
pub struct Error {
    /// Who can do something about it.
    pub kind: Kind,
    message: String,
    cause: Option<Box<dyn StdError + Send + Sync>>,
    hints: Vec<String>,
    /// The reader of our output went away: that is no failure.
    pub broken_pipe: bool,
    /// There is no knowledge base here.
    pub is_nowhere: bool,
}

/// What a use case comes to.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure that explains itself.
    pub fn new(message: impl Display) -> Self {
        let message = message.to_string();
        let (kind, cause, hints) = (Kind::User, None, Vec::new());
        Self { kind, message, cause, hints, broken_pipe: false, is_nowhere: false }
    }

    /// What somebody named is not there; `list` is the command that lists what is.
    pub fn unknown(what: &str, name: &str, list: &str) -> Self {
        let name = escape_control_line(name);
        Self::new(format_args!("there is no {what} `{name}`"))
            .hint(format!("`elophanto {list}` lists what there is"))
    }

    /// A failure that `cause` explains.
    pub fn of(cause: impl StdError + Send + Sync + 'static) -> Self {
        Self::because(cause.to_string(), cause)
    }

    /// What failed, because of `cause`.
    pub fn because(message: impl Display, cause: impl StdError + Send + Sync + 'static) -> Self {
        let first: &(dyn StdError + 'static) = &cause;
        let is_system = iter::successors(Some(first), |&cause| cause.source())
            .any(|cause| cause.is::<std::io::Error>());
        let kind = if is_system { Kind::System } else { Kind::User };
        Self { kind, cause: Some(Box::new(cause)), ..Self::new(message) }
    }

    /// A fault of elophanto's own.
    pub fn bug(message: impl Display) -> Self {
        let hint = format!("this is a fault of elophanto itself; {HOW_TO_REPORT}");
        Self { kind: Kind::Bug, ..Self::new(message) }.hint(hint)
    }

    /// The same, of a kind.
    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds what to do next, where that is known.
    pub fn hints_of(mut self, hints: impl IntoIterator<Item: Into<String>>) -> Self {
        self.hints.extend(hints.into_iter().map(Into::into));
        self
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The first of the hints.
    pub fn hint_text(&self) -> Option<&str> {
        self.hints.first().map(String::as_str)
    }

    /// What to do next, the likeliest first.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// What caused it, as far as the message does not say so already, the nearest first.
    pub fn causes(&self) -> Vec<String> {
        let mut said = self.message.clone();
        let mut causes = Vec::new();
        for cause in iter::successors(self.source(), |&cause| cause.source()) {
            let cause = cause.to_string();
            if !said.contains(&cause) {
                said = cause.clone();
                causes.push(cause);
            }
        }
        causes
    }
}

/// What whoever meets a fault of elophanto is asked for.
pub const HOW_TO_REPORT: &str = "please report it where you have elophanto from, with what stands \
                                 above, the command, and what `elophanto --version` prints";

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self.cause.as_deref()?)
    }
}

impl From<std::io::Error> for Error {
    fn from(cause: std::io::Error) -> Self {
        let broken_pipe = cause.kind() == std::io::ErrorKind::BrokenPipe;
        Self { broken_pipe, ..Self::of(cause) }
    }
}

#[cfg(test)]
mod tests {
    use std::{io, path::PathBuf};

    use super::*;
    use elophanto_repo::{LocateError, WriteError};

    #[test]
    fn a_path_is_one_word_of_the_command_that_a_hint_names() {
        let path = "/srv/it's; id";
        let error = Error::from(LocateError::NotOwn { path: path.into() });
        let command = error.hint_text().unwrap().split('`').nth(1).unwrap();
        assert_eq!(shlex::split(command).unwrap().last().unwrap(), path);
    }

    #[test]
    fn causes_are_said_once() {
        let io = || io::Error::new(io::ErrorKind::PermissionDenied, "not yours");
        let write = || WriteError::Io { path: PathBuf::from("a.md"), source: io() };
        let error = Error::from(write());
        assert_eq!(error.message(), write().to_string());
        assert_eq!((error.kind, error.causes()), (Kind::System, Vec::new()));
        let error = Error::because("the note was not kept", write());
        assert_eq!(error.causes(), [write().to_string()]);
        let chain = iter::successors(error.source(), |&cause| cause.source()).count();
        assert_eq!(chain, 2, "a library's user sees the error of the system too");
    }

    #[test]
    fn a_closed_pipe_is_no_failure_where_we_write_ourselves_only() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(Error::from(closed()).broken_pipe);
        let write = WriteError::Io { path: PathBuf::from("a.md"), source: closed() };
        assert!(!Error::from(write).broken_pipe);
    }

    #[test]
    fn a_bug_says_so_and_how_to_report_it() {
        let error =
            Error::bug("no segment holds the chunk").hint("or run `elophanto index --full`");
        assert_eq!(error.kind, Kind::Bug);
        assert!(error.hints()[0].contains("fault of elophanto itself"));
        assert!(error.hints()[0].contains("elophanto --version"));
        assert_eq!(error.hints()[1], "or run `elophanto index --full`");
    }
}
