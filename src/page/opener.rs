//! Addresses that open a place of a file in the editor of whoever looks.

use std::path::PathBuf;

use super::address::encoded;
use elophanto_app::Workspace;

/// What opens a place in an editor, if the settings name it.
pub struct Opener {
    address: Option<String>,
    root: PathBuf,
}

impl Opener {
    /// As the settings say.
    pub fn of(workspace: &Workspace) -> Self {
        let address = &workspace.config.page.editor;
        let address = (address != "none").then(|| address.clone());
        Self { address, root: workspace.repository.root.clone() }
    }

    /// What opens nothing.
    pub fn none() -> Self {
        Self { address: None, root: PathBuf::new() }
    }

    /// The address that opens a file, which is relative to the root, at a line.
    pub fn address(&self, path: &str, line: usize) -> Option<String> {
        let address = self.address.as_deref()?;
        let whole = encoded(self.root.join(path).to_str()?);
        // A path begins with the `/` that may stand before it already.
        let path = match address.contains("/{path}") {
            true => whole.trim_start_matches('/'),
            false => &whole,
        };
        Some(address.replace("{path}", path).replace("{line}", &line.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_opened() {
        let address = |address: &str, path: &str| {
            let opener = Opener { address: Some(address.to_owned()), root: "/home/ada".into() };
            opener.address(path, 7).unwrap()
        };
        for (template, path, expected) in [
            ("vscode://file/{path}:{line}", "a b.md", "vscode://file/home/ada/a%20b.md:7"),
            (
                "idea://open?file={path}&line={line}",
                "a&b.md",
                "idea://open?file=/home/ada/a%26b.md&line=7",
            ),
            ("x:{path}", "{line}\".md", "x:/home/ada/%7Bline%7D%22.md"),
        ] {
            assert_eq!(address(template, path), expected);
        }
        assert_eq!(Opener::none().address("a.md", 1), None);
    }
}
