//! Why a store does not do what is asked, told from what it says.

use std::{error::Error, io, iter};

use super::{Address, folder::Local};

/// Characters shown of what a store says.
const SHOWN: usize = 300;

/// Why a place in an object store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("`{typed}` is no address of a fleet: {reason}")]
    Address { typed: String, reason: &'static str },
    #[error("no key for `{place}` is set")]
    NoKey { place: String },
    #[error("`{place}` refuses the key: {said}")]
    Denied { place: String, said: String },
    #[error("the clock of this machine differs from that of `{place}` by more than it allows")]
    Clock { place: String },
    #[error("there is no bucket of the name in `{place}`")]
    NoBucket { place: String },
    #[error("`{place}` cannot be reached: {said}")]
    Unreachable { place: String, said: String },
    #[error("`{place}` overwrote an object that was only to be created")]
    Careless { place: String },
    #[error("`{object}` holds more than {} MiB", most >> 20)]
    TooLarge { object: String, most: u64 },
    #[error("`{place}` holds a name that no object can have: {said}")]
    OddName { place: String, said: String },
    #[error("`{place}`: {said}")]
    Other { place: String, said: String },
    #[error("{}: {cause}", path.display())]
    Disk { path: std::path::PathBuf, cause: std::io::Error },
}

impl StoreError {
    pub(super) fn of_store(place: &Address, cause: &object_store::Error) -> Self {
        match cause {
            object_store::Error::InvalidPath { .. } => {
                Self::OddName { place: place.to_string(), said: shown(&chain(cause)) }
            }
            _ => Self::said(place, &chain(cause)),
        }
    }

    /// The same out of a failure of Lance, which says it in words alone.
    pub(crate) fn of_lance(place: &Address, cause: &lance::Error) -> Self {
        Self::said(place, &chain(cause))
    }

    /// That a folder is not there for now; `None` for one that is, and for a store.
    pub(crate) fn gone(place: &Address) -> Option<Self> {
        let said = Local::gone(place)?;
        Some(Self::Unreachable { place: place.to_string(), said })
    }

    fn said(place: &Address, said: &str) -> Self {
        if let Some(gone) = Self::gone(place) {
            return gone;
        }
        let is = |parts: &[&str]| parts.iter().any(|part| said.contains(part));
        let place = place.to_string();
        let shown = || shown(said);
        if is(&["RequestTimeTooSkewed", "RequestExpired", "Signature not yet current"]) {
            Self::Clock { place }
        } else if is(&["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]) {
            Self::NoBucket { place }
        } else if is(&["169.254.169.254", "metadata.google.internal", "No credentials"]) {
            Self::NoKey { place }
        } else if is(&[
            "InvalidAccessKeyId",
            "SignatureDoesNotMatch",
            "AccessDenied",
            "ExpiredToken",
            "InvalidToken",
            "AuthenticationFailed",
            "AuthorizationFailure",
            "403 Forbidden",
            "401 Unauthorized",
            "lacked the required privileges",
            "lacked valid authentication",
        ]) {
            Self::Denied { place, said: shown() }
        } else if is(&[
            "error sending request",
            "dns error",
            "onnection refused",
            "timed out",
            "onnection closed",
            "onnection reset",
            "error decoding response body",
            "503 Service",
            "SlowDown",
        ]) {
            Self::Unreachable { place, said: shown() }
        } else {
            Self::Other { place, said: shown() }
        }
    }

    pub(crate) fn is_odd_name(&self) -> bool {
        matches!(self, Self::OddName { .. })
    }

    /// Whether what was known before may go on for now.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            // What the system says of a disk that does not answer, not what is refused here.
            Self::Disk { cause, .. } => {
                cause.raw_os_error().is_some() && cause.kind() != io::ErrorKind::PermissionDenied
            }
            _ => false,
        }
    }
}

/// All that a failure and its causes say.
pub(crate) fn chain(cause: &(dyn Error + 'static)) -> String {
    let mut all: Vec<String> = Vec::new();
    for cause in iter::successors(Some(cause), |&cause| cause.source()) {
        let said = cause.to_string();
        if !all.iter().any(|before| before.contains(&said)) {
            all.push(said);
        }
    }
    all.join(": ")
}

/// What of it is shown: one line, cut, without places in the sources of libraries.
fn shown(said: &str) -> String {
    let line = crate::decode::message(&said.replace(['\n', '\r'], " "));
    line.chars().filter(|char| !char.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stores_say_is_told_apart() {
        let place = Address::parse("s3://b/kb").unwrap();
        for (said, expected) in [
            ("<Code>RequestTimeTooSkewed</Code> 403 Forbidden", "clock"),
            ("<Code>InvalidAccessKeyId</Code>", "denied"),
            ("<Code>NoSuchBucket</Code> 404", "bucket"),
            ("error performing PUT http://169.254.169.254/latest", "key"),
            ("error sending request: Connection refused (os error 111)", "reach"),
            ("Server returned non-2xx status code: 503 Service Unavailable", "reach"),
            ("something else", "other"),
        ] {
            let found = match StoreError::said(&place, said) {
                StoreError::Clock { .. } => "clock",
                StoreError::Denied { .. } => "denied",
                StoreError::NoBucket { .. } => "bucket",
                StoreError::NoKey { .. } => "key",
                StoreError::Unreachable { .. } => "reach",
                _ => "other",
            };
            assert_eq!(found, expected, "{said}");
        }
    }
}
