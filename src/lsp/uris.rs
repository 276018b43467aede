//! Addresses of files. Pure.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use lsp_types::Uri;

use elophanto_base::platform;
use elophanto_text::percent;

/// The path that an address names; `None` if it names no file of this machine.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let bytes = percent::decoded(path);
    (!bytes.contains(&0)).then(|| platform::path(&bytes).to_owned())
}

/// The address of a file.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let path = percent::encoded(path.as_os_str().as_encoded_bytes());
    Uri::from_str(&format!("file://{path}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_addresses_unchanged() {
        for path in ["/a b/ü#1?.md", "/100%.md", "/a%20b", "/[x]/(y)"] {
            let uri = uri_of(Path::new(path)).expect("an address");
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{}", uri.as_str());
        }
        for other in ["untitled:Untitled-1", "http://example.org/a", "file:relative"] {
            let uri = Uri::from_str(other).expect("an address");
            assert_eq!(path_of(&uri), None, "{other}");
        }
    }
}
