//! Which command line runs a file of a plugin.

use std::path::Path;

use super::{PluginError, PluginFile};

/// By its `#!` line, else by its ending, else itself. The first is read here, so that the mode of
/// a file of tests, or a file system without executable files, does not matter.
pub(super) fn command(folder: &Path, file: &PluginFile) -> Result<Vec<String>, PluginError> {
    let wrong =
        |reason: &str| PluginError::File { path: file.path.clone(), reason: reason.to_owned() };
    let path = folder.join(&file.path);
    let path = path.to_str().ok_or_else(|| wrong("its path is not UTF-8"))?.to_owned();
    if let Some(mut command) = interpreter(&file.bytes).map_err(wrong)? {
        command.push(path);
        return Ok(command);
    }
    let ending = Path::new(&file.path).extension().and_then(|ending| ending.to_str());
    let program = match ending {
        Some("py") => "python3",
        Some("sh") => "sh",
        Some("js" | "mjs" | "cjs") => "node",
        _ if file.is_executable => return Ok(vec![path]),
        _ => return Err(wrong("neither executable nor a script of a known kind")),
    };
    Ok(vec![program.to_owned(), path])
}

/// The interpreter of a `#!` line and, as Linux has it, all that follows as one argument.
fn interpreter(bytes: &[u8]) -> Result<Option<Vec<String>>, &'static str> {
    let Some(rest) = bytes.strip_prefix(b"#!") else { return Ok(None) };
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.get(..line.len().min(256)).unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| "its `#!` line is not UTF-8")?.trim();
    let (program, argument) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    if !program.starts_with('/') || line.contains('\0') {
        return Err("its `#!` line names no absolute path");
    }
    let argument = Some(argument.trim()).filter(|argument| !argument.is_empty());
    Ok(Some([program].into_iter().chain(argument).map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, is_executable: bool, text: &str, expected: &[&str]) {
        let bytes = text.as_bytes().to_vec();
        let file = PluginFile { path: path.to_owned(), is_executable, bytes };
        let found = command(Path::new("/p"), &file).unwrap_or_default();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn commands() {
        check("plugin", true, "#!/bin/sh\n", &["/bin/sh", "/p/plugin"]);
        check("plugin", true, "#! /bin/sh -e x\r\n", &["/bin/sh", "-e x", "/p/plugin"]);
        let env = ["/usr/bin/env", "python3", "/p/test_plugin.py"];
        check("test_plugin.py", false, "#!/usr/bin/env python3\n", &env);
        check("test_plugin.py", false, "import x", &["python3", "/p/test_plugin.py"]);
        check("test_plugin.sh", false, "", &["sh", "/p/test_plugin.sh"]);
        check("test_plugin.js", false, "", &["node", "/p/test_plugin.js"]);
        check("plugin", true, "\x7fELF", &["/p/plugin"]);
        check("plugin", false, "\x7fELF", &[]);
        check("plugin.py", true, "#!python3\n", &[]);
        check("plugin.py", true, "#!", &[]);
    }
}
