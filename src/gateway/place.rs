//! Where pages of a user lie: below a path that nobody else knows. A cookie is sent to every port of a
//! machine, and only below the path that it is for.

use std::{fs, path::Path};

use crate::listening::token::new_token;
use elophanto_app::{Error, Result};
use elophanto_base::regular::if_there;

/// In the folder of the gateway.
const NAME: &str = "page";
/// Digits of the path.
const DIGITS: usize = 32;

/// The path, with `/` at both ends: the one that is kept in a folder of the user's own, or a new one.
///
/// # Errors
/// When it can neither be read nor be written.
pub fn place(folder: &Path) -> Result<String> {
    let file = folder.join(NAME);
    let known = if_there(fs::read_to_string(&file)).map_err(|cause| unusable(&file, &cause))?;
    let known = known.as_deref().unwrap_or_default().trim();
    if known.len() == DIGITS && known.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(path(known));
    }
    let token = new_token().map_err(Error::new)?;
    let made = token.get(..DIGITS).unwrap_or(&token);
    elophanto_index::store::write_whole(&file, made.as_bytes())
        .map_err(|cause| unusable(&file, &cause))?;
    Ok(path(made))
}

fn path(digits: &str) -> String {
    format!("/~{digits}/")
}

fn unusable(file: &Path, cause: &std::io::Error) -> Error {
    Error::new(format_args!("`{}` cannot be used: {cause}", file.display()))
        .hint("it says below which path your pages lie: remove it, and another one is made")
}
