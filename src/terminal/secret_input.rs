//! How a secret comes in: typed without echo, from standard input, or from a descriptor that
//! whoever started us left open. Never as an argument, never in a variable.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use secrecy::SecretString;
use zeroize::Zeroizing;

use super::system;
use elophanto_app::{Error, Result, vault::Source};
use elophanto_net::vault::{VaultError, read_passphrase, read_value};

/// A descriptor that holds a secret. It is closed when it has been read, and no program that we
/// start inherits it.
#[derive(Debug)]
pub struct Descriptor {
    number: i32,
    file: File,
}

impl Descriptor {
    /// Takes over the descriptor whose number was given by `origin`. Other text is not repeated: it
    /// may be the secret itself, put there by mistake.
    ///
    /// # Errors
    /// When it is no number, and those of [`Descriptor::claim`].
    pub fn named(origin: &str, text: &str) -> Result<Self> {
        match text.parse() {
            Ok(number) => Self::claim(number),
            Err(_) => Err(Error::new(format_args!("{origin} takes the number of a descriptor"))
                .hint("give a number such as 3, never a secret: others can read it there")),
        }
    }

    /// Takes over an open descriptor by its number. To be called before anything else is opened.
    ///
    /// # Errors
    /// When it is one of the outputs, not open, or was not left open for us.
    pub fn claim(number: i32) -> Result<Self> {
        if number == 0 {
            return Self::stdin();
        }
        let refused = |why: &str| {
            Err(Error::new(format_args!("descriptor {number} {why}"))
                .hint("leave one open for us, such as 3: `elophanto ... 3<FILE`"))
        };
        if number < 0 {
            return refused("is no descriptor");
        }
        if number <= 2 {
            return refused("is an output");
        }
        match system::claim(number)? {
            Ok(file) => Ok(Self { number, file }),
            Err(why) => refused(why),
        }
    }

    /// Standard input, without a buffer that would keep what was read.
    ///
    /// # Errors
    /// When it is closed.
    pub fn stdin() -> Result<Self> {
        Ok(Self { number: 0, file: system::stdin()? })
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.number == 0
    }

    /// The passphrase in its first line.
    ///
    /// # Errors
    /// When it can't be read, or is none.
    pub fn passphrase(self) -> Result<SecretString> {
        Ok(read_passphrase(self.file)?)
    }

    /// The same, read once it is needed.
    pub fn into_passphrase(self) -> Source {
        Box::new(move || self.passphrase())
    }

    /// The value that it holds.
    ///
    /// # Errors
    /// When it can't be read, or can't be kept.
    pub fn value(self) -> Result<SecretString> {
        value(self.file, format_args!("descriptor {}", self.number))
    }
}

/// Whether somebody can be asked. `/dev/tty` alone would also be there for a job of a terminal
/// that nobody looks at.
pub fn can_ask() -> bool {
    !is_stdin_taken() && (io::stdin().is_terminal() || io::stderr().is_terminal())
}

/// Whether somebody reads what is typed already: who asked for a secret there would not get it.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whatever is typed at the terminal belongs to the caller from now on; nobody is asked for anything there.
pub fn take_stdin() {
    TAKEN.store(true, Ordering::Relaxed);
}

/// Whether what is typed at the terminal belongs to somebody.
pub fn is_stdin_taken() -> bool {
    TAKEN.load(Ordering::Relaxed) && io::stdin().is_terminal()
}

/// Asks for a passphrase at the terminal, without echo.
///
/// # Errors
/// When there is no terminal, or what was typed is no passphrase.
pub fn ask_passphrase(prompt: &str) -> Result<SecretString> {
    Ok(read_passphrase(typed(prompt)?.as_bytes())?)
}

/// Asks for a value at the terminal, without echo.
///
/// # Errors
/// When there is no terminal, or what was typed can't be kept.
pub fn ask_value(prompt: &str) -> Result<SecretString> {
    value(typed(prompt)?.as_bytes(), "what was typed")
}

/// Whether standard input is typed by a person.
pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

fn value(reader: impl Read, what: impl std::fmt::Display) -> Result<SecretString> {
    let value = read_value(reader)
        .map_err(|cause| Error::new(format_args!("cannot read {what}: {cause}")))?;
    Ok(value.map_err(VaultError::from)?)
}

fn typed(prompt: &str) -> Result<Zeroizing<String>> {
    if !can_ask() {
        return Err(no_terminal());
    }
    let held = system::HeldInterrupt::hold();
    let answer = rpassword::prompt_password(prompt);
    drop(held);
    match answer {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(cause) if cause.kind() == io::ErrorKind::Interrupted => Err(Error::new("interrupted")),
        Err(cause) if system::is_no_terminal(&cause) => Err(no_terminal()),
        Err(cause) => Err(Error::new(format_args!("cannot ask at the terminal: {cause}"))),
    }
}

fn no_terminal() -> Error {
    Error::new("a secret is needed, and there is no terminal to ask for it").hint(
        "hand the passphrase over with `--passphrase-fd 3 3<FILE`, or name the descriptor in \
         ELOPHANTO_VAULT_FD; a value with `--value-fd`",
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};
    use std::os::fd::{AsRawFd as _, RawFd};

    use secrecy::ExposeSecret as _;

    use super::*;

    /// A descriptor such as a shell leaves open.
    fn left_open(bytes: &[u8]) -> RawFd {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        // SAFETY: the file is open; the copy is owned by whoever claims it.
        unsafe { libc::dup(file.as_raw_fd()) }
    }

    #[test]
    fn a_descriptor_is_claimed_once() {
        let number = left_open(b"hold hands\nmore");
        let descriptor = Descriptor::claim(number).unwrap();
        let twice = Descriptor::claim(number).unwrap_err();
        assert!(twice.message().contains("named twice"), "{}", twice.message());
        assert_eq!(descriptor.passphrase().unwrap().expose_secret(), "hold hands");
        let value = Descriptor::claim(left_open(b"two\nlines\n")).unwrap().value().unwrap();
        assert_eq!(value.expose_secret(), "two\nlines");
    }

    #[test]
    fn what_is_no_descriptor_of_ours() {
        let own = tempfile::tempfile().unwrap();
        for (number, expected) in [
            (-1, "is no descriptor"),
            (1, "is an output"),
            (2, "is an output"),
            (100_000, "is not open"),
            (own.as_raw_fd(), "was not left open"),
        ] {
            let error = Descriptor::claim(number).unwrap_err();
            assert!(error.message().contains(expected), "{}", error.message());
        }
        assert!(own.metadata().is_ok());
        for text in ["hold hands", "", "3x", "99999999999"] {
            let error = Descriptor::named("--value-fd", text).unwrap_err();
            assert_eq!(error.message(), "--value-fd takes the number of a descriptor");
        }
        assert!(Descriptor::claim(0).unwrap().is_stdin());
    }
}
