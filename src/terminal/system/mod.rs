//! What each system has in its own way of a terminal: how wide it is, what waits there, handles, signals.

#[cfg(any(test, not(unix)))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use elsewhere as system;
#[cfg(unix)]
use unix as system;

pub use system::{HeldInterrupt, claim, columns, ending, is_no_terminal, stdin, stdout, waiting};

#[cfg(test)]
mod tests {
    use std::{fs::File, io};

    use super::*;

    /// Both systems have the same calls, so that what is built with one is built with the other.
    #[test]
    fn systems_are_asked_alike() {
        type Claim = fn(i32) -> io::Result<Result<File, &'static str>>;
        let _: [fn() -> [usize; 2]; 2] = [unix::columns, elsewhere::columns];
        let _: [fn(usize) -> Vec<u8>; 2] = [unix::waiting, elsewhere::waiting];
        let _: [fn(&io::Error) -> bool; 2] = [unix::is_no_terminal, elsewhere::is_no_terminal];
        let _: [Claim; 2] = [unix::claim, elsewhere::claim];
        let _: [fn() -> io::Result<File>; 4] =
            [unix::stdin, elsewhere::stdin, unix::stdout, elsewhere::stdout];
        let _ = (unix::HeldInterrupt::hold, elsewhere::HeldInterrupt::hold);
        assert!(elsewhere::ending().all(|signal| unix::ending().any(|known| known == signal)));
        for refused in [elsewhere::stdin(), elsewhere::stdout()] {
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::Unsupported);
        }
        assert!(elsewhere::claim(3).unwrap().is_err());
        assert_eq!((elsewhere::columns(), elsewhere::waiting(9)), ([0; 2], Vec::new()));
    }
}
