//! Errors as people see them: those of the use cases.

pub use elophanto_app::{Error as CliError, Result};
