//! Where runs lie that are at work, and what is kept of sessions.

use std::path::PathBuf;

use super::super::super::{env, error::CliError};

/// Where sessions and trails lie, below the folder of the state.
const STATE: &str = "agent";

/// The folder of sessions and trails.
///
/// # Errors
/// When the user has no home.
pub fn state_folder() -> Result<PathBuf, CliError> {
    let folder = env::environment().state_folder().ok_or_else(|| {
        CliError::new("there is no folder for sessions and runs")
            .hint("set HOME, or XDG_STATE_HOME to a folder")
    })?;
    Ok(folder.join(STATE))
}

/// The name of the user, for sessions.
pub fn user() -> String {
    env::harmless().remove("USER").unwrap_or_default()
}
