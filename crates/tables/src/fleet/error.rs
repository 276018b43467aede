//! Why the knowledge base of a fleet cannot be written or read.

use crate::{
    store::{Address, StoreError, error_chain},
    work::Stopped,
};

/// What a fleet is asked for.
pub type Result<T, E = FleetError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no knowledge base at `{place}`")]
    Nothing { place: String },
    #[error("`{place}` is of format {found}, and this version knows {known}")]
    Format { place: String, found: u64, known: u64 },
    #[error("`{place}` holds a `kb.json` that is none of a knowledge base: {reason}")]
    Undeclared { place: String, reason: String },
    #[error("others write to `{place}` all the time")]
    Busy { place: String },
    #[error(
        "`{place}` knows nothing of that time: it began later, or cleaned it away after {days} days"
    )]
    TooOld { place: String, days: u64 },
    #[error("a table of `{place}` is damaged: {said}")]
    Damaged { place: String, said: String },
    #[error("`{place}` did not answer within {seconds} s")]
    TooSlow { place: String, seconds: u64 },
}

impl FleetError {
    /// A failure of Lance: of the store below it, or of a table.
    pub(super) fn of(place: &Address, cause: &lance::Error) -> Self {
        match StoreError::of_lance(place, cause) {
            StoreError::Other { place, said } => Self::Damaged { place, said },
            cause => Self::Store(cause),
        }
    }

    /// Whether what was known before may go on for now.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(cause) => cause.is_passing(),
            Self::TooSlow { .. } => true,
            _ => false,
        }
    }

    pub(super) fn stopped(place: &Address, stopped: Stopped) -> Self {
        let place = place.to_string();
        match stopped {
            Stopped::TooSlow(limit) => Self::TooSlow { place, seconds: limit.as_secs() },
            Stopped::Panicked => Self::Damaged { place, said: "Lance panicked on it".to_owned() },
            Stopped::NoThreads => {
                Self::Damaged { place, said: "the system gives no threads".to_owned() }
            }
        }
    }
}

/// Whether somebody else committed meanwhile, so that everything is looked at again.
pub(super) fn is_overtaken(cause: &lance::Error) -> bool {
    use lance::Error;
    match cause {
        Error::CommitConflict { .. }
        | Error::RetryableCommitConflict { .. }
        | Error::IncompatibleTransaction { .. }
        | Error::TooMuchWriteContention { .. }
        | Error::DatasetAlreadyExists { .. } => true,
        Error::Wrapped { .. } | Error::Cloned { .. } => error_chain(cause).contains("onflict"),
        _ => false,
    }
}
