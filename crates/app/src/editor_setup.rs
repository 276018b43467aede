//! Setting up editors: what to change in the user's files so that they start our language server, and
//! taking it out again. What is written is what lies below `editors/` in our own repository.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use crate::{
    Environment, Error, Result,
    clients::{Change, Read, Setup, change, own_files},
    init::managed_block,
};
use elophanto_base::process;

const NEOVIM: &str = include_str!("../../../editors/neovim/elophanto.lua");
const HELIX: &str = include_str!("../../../editors/helix/languages.toml");
const EMACS: &str = include_str!("../../../editors/emacs/elophanto.el");
/// The line by which Emacs loads ours.
const EMACS_LOADS: &str = "(load (locate-user-emacs-file \"elophanto\") t)";
/// The name of the extension of VS Code.
const EXTENSION: &str = "elophanto.elophanto";
/// How long VS Code may take to install it.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of what it says that are kept.
const MOST_SAID: usize = 16 * 1024;

elophanto_base::named! {
    /// An editor that can be set up.
    pub enum EditorProgram, name {
        /// Visual Studio Code, by an extension.
        Vscode = "vscode",
        /// Neovim, by a file of its configuration.
        Neovim = "neovim",
        /// Helix, by `languages.toml`.
        Helix = "helix",
        /// Emacs, by a file for eglot.
        Emacs = "emacs",
    }
}

/// A name that no editor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no such editor; there are vscode, neovim, helix and emacs")]
pub struct UnknownEditor;

impl FromStr for EditorProgram {
    type Err = UnknownEditor;

    fn from_str(name: &str) -> Result<Self, UnknownEditor> {
        Self::named(name).ok_or(UnknownEditor)
    }
}

/// What is to be set up.
#[derive(Debug, Clone, Copy)]
pub struct EditorRequest<'r> {
    /// The editor.
    pub editor: EditorProgram,
    /// Take out what was put in.
    pub remove: bool,
    /// The packed extension, for VS Code.
    pub vsix: Option<&'r Path>,
}

/// What would be done.
#[derive(Debug)]
pub struct EditorSetup {
    /// Files that change.
    pub setup: Setup,
    /// A program of the editor's that is run, which changes the rest.
    pub command: Option<Vec<String>>,
}

/// Plans it; nothing is written and nothing is run.
///
/// # Errors
/// When there is no home, a file cannot be read or understood, or the extension is not named.
pub fn plan(request: &EditorRequest, environment: &Environment) -> Result<EditorSetup> {
    let (Some(home), Some(config_home)) = (environment.home(), environment.config_home()) else {
        return Err(Error::new("there is no home folder").hint("set HOME"));
    };
    let program = environment
        .program()
        .and_then(Path::to_str)
        .ok_or_else(|| Error::new("where this program lies cannot be told"))?;
    if program.chars().any(|char| char.is_control() || "\"\\".contains(char)) {
        return Err(Error::new(format_args!("`{program}` cannot be written to a file"))
            .hint("move elophanto to a folder with a plain name"));
    }
    let quoted = format!("\"{program}\"");
    let remove = request.remove;
    let setup = own_files(|read| match request.editor {
        EditorProgram::Vscode => Ok(Vec::new()),
        EditorProgram::Neovim => {
            let path = config_home.join("nvim/after/plugin/elophanto.lua");
            let text =
                NEOVIM.replace("\"elophanto\"\nlocal clients", &format!("{quoted}\nlocal clients"));
            whole(path, text, remove, read)
        }
        EditorProgram::Helix => {
            let text = HELIX.replace("command = \"elophanto\"", &format!("command = {quoted}"));
            helix(config_home.join("helix/languages.toml"), &text, remove, read)
        }
        EditorProgram::Emacs => {
            let text = EMACS.replace("program \"elophanto\"", &format!("program {quoted}"));
            emacs(&home, &config_home, text, remove, read)
        }
    })?;
    let command = match request.editor {
        EditorProgram::Vscode => Some(vscode(request)?),
        _ => None,
    };
    Ok(EditorSetup { setup, command })
}

impl EditorSetup {
    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        self.setup.changes.is_empty() && self.command.is_none()
    }

    /// Runs the editor's program; what it said.
    ///
    /// # Errors
    /// When it cannot be run, or fails.
    pub fn run(&self, environment: &Environment) -> Result<String> {
        let Some(command) = &self.command else { return Ok(String::new()) };
        let given = environment.granted(["HOME", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"]);
        let output = process::run(command, b"", &given, PATIENCE, MOST_SAID).map_err(|cause| {
            Error::new(cause).hint("VS Code puts `code` on the PATH by its command palette")
        })?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match output.is_success() {
            true => Ok(said),
            false => {
                let why = String::from_utf8_lossy(&output.stderr);
                Err(Error::new(format_args!("`{}` failed: {}", command.join(" "), why.trim())))
            }
        }
    }
}

fn vscode(request: &EditorRequest) -> Result<Vec<String>> {
    let words = |words: [&str; 3]| words.map(str::to_owned).to_vec();
    if request.remove {
        return Ok(words(["code", "--uninstall-extension", EXTENSION]));
    }
    let vsix = request.vsix.ok_or_else(|| {
        Error::new("which extension to install is missing")
            .hint("editors/vscode/pack.sh of our repository makes it: --vsix elophanto.vsix")
    })?;
    if !vsix.is_file() {
        return Err(Error::new(format_args!("there is no file `{}`", vsix.display()))
            .hint("editors/vscode/pack.sh of our repository makes it"));
    }
    let path = std::path::absolute(vsix).map_err(Error::new)?;
    Ok(words(["code", "--install-extension", &path.to_string_lossy()]))
}

fn text_of(path: &Path, read: &Read<'_>) -> Result<Option<String>> {
    read(path).map_err(|cause| {
        Error::new(format_args!("`{}`: {cause}", path.display())).hint("mend or move the file")
    })
}

/// A file that is all ours.
fn whole(path: PathBuf, text: String, remove: bool, read: &Read<'_>) -> Result<Vec<Change>> {
    let before = text_of(&path, read)?;
    let is_ours = before.as_ref().is_none_or(|text| text.contains("elophanto editor install"));
    if !is_ours {
        return Err(
            Error::new(format_args!("`{}` is not ours", path.display())).hint("move it elsewhere")
        );
    }
    let after = (!remove).then_some(text);
    Ok(change(path, before, after, "starts the language server").into_iter().collect())
}

/// Our lines in a file of the user's.
fn helix(path: PathBuf, text: &str, remove: bool, read: &Read<'_>) -> Result<Vec<Change>> {
    let before = text_of(&path, read)?;
    let bytes = before.as_deref().unwrap_or_default().as_bytes();
    let wrong = |cause: managed_block::BlockError| {
        Error::new(format_args!("`{}`, line {cause}", path.display()))
    };
    let rest = managed_block::remove(bytes).map_err(wrong)?;
    let own = String::from_utf8_lossy(rest.as_deref().unwrap_or(bytes)).into_owned();
    if remove {
        let after = rest.map(|_| own.clone()).filter(|text| !text.trim().is_empty());
        let has_block = own.len() != bytes.len();
        let change = change(path, before, after, "takes the language server out");
        return Ok(change.filter(|_| has_block).into_iter().collect());
    }
    let table: toml::Table = own.parse().map_err(|cause: toml::de::Error| {
        Error::new(format_args!("`{}`: {}", path.display(), cause.message())).hint("mend the file")
    })?;
    let languages = table.get("language").and_then(toml::Value::as_array);
    let is_markdown =
        |it: &toml::Value| it.get("name").and_then(toml::Value::as_str) == Some("markdown");
    if languages.is_some_and(|all| all.iter().any(is_markdown)) {
        return Err(Error::new(format_args!("`{}` sets up Markdown already", path.display())).hint(
            "add `elophanto` to its language-servers, and [language-server.elophanto] with command and \
             args = [\"lsp\"]",
        ));
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let after = managed_block::upsert(bytes, &lines).map_err(wrong)?;
    let after = after.map(|text| String::from_utf8_lossy(&text).into_owned());
    let after = after.or_else(|| before.clone());
    Ok(change(path, before, after, "starts the language server").into_iter().collect())
}

/// A file of ours beside `init.el`, and the line that loads it.
fn emacs(
    home: &Path,
    config_home: &Path,
    text: String,
    remove: bool,
    read: &Read<'_>,
) -> Result<Vec<Change>> {
    // As Emacs looks for it.
    let old = home.join(".emacs.d");
    let folder = if old.is_dir() { old } else { config_home.join("emacs") };
    let mut changes = whole(folder.join("elophanto.el"), text, remove, read)?;
    let dotted = home.join(".emacs");
    let path = if dotted.is_file() { dotted } else { folder.join("init.el") };
    let before = text_of(&path, read)?;
    let own = before.as_deref().unwrap_or_default();
    let loads = |line: &str| line.trim() == EMACS_LOADS;
    let after = match (remove, own.lines().any(loads)) {
        (false, true) | (true, false) => before.clone(),
        (false, false) => {
            let end = if own.is_empty() || own.ends_with('\n') { "" } else { "\n" };
            Some(format!("{own}{end}{EMACS_LOADS}\n"))
        }
        (true, true) => {
            let kept = own.split_inclusive('\n').filter(|line| !loads(line));
            Some(kept.collect::<String>()).filter(|text| !text.is_empty())
        }
    };
    changes.extend(change(path, before, after, "loads it"));
    Ok(changes)
}
