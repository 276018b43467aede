//! A new plugin to fill in: it works, and its tests pass, before anything is changed.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{FOLDER, MAX_DESCRIPTION_CHARS, PluginError, check_name};
use elophanto_base::{beneath::Folder, one_line::one_line};

const PROGRAM: &str = include_str!("../../../../assets/plugin/plugin.py");
const TESTS: &str = include_str!("../../../../assets/plugin/test_plugin.py");
const README: &str = include_str!("../../../../assets/plugin/README.md");
/// What it is for unless somebody says so.
const EXAMPLE: &str = "Counts the words of a text. Use when asked how long a text is. At most \
                       100,000 characters.";

/// Makes `plugins/NAME` with a program, its tests, its schema and a README; their paths, relative to
/// the root. Nothing that is there is touched.
///
/// # Errors
/// When the name is not allowed, there is such a folder, or it cannot be written.
pub fn new_plugin(
    root: &Path,
    name: &str,
    description: Option<&str>,
    built_in: &[&str],
) -> Result<Vec<PathBuf>, PluginError> {
    check_name(name, built_in)?;
    let description = description.map(|text| one_line(text, MAX_DESCRIPTION_CHARS));
    let description = description.filter(|text| !text.is_empty());
    let description = description.as_deref().unwrap_or(EXAMPLE);
    let filled = |text: &str| text.replace("{name}", name).replace("{description}", description);
    let schema = json!({
        "description": description,
        "level": "destructive",
        "input": {
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "the text, at most 100,000 characters" },
            },
            "required": ["text"],
            "additionalProperties": false,
        },
        "output": {
            "type": "object",
            "properties": { "words": { "type": "integer" } },
            "required": ["words"],
        },
        "secrets": [],
    });
    let place = Path::new(FOLDER).join(name);
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::AlreadyExists => PluginError::Exists { name: name.to_owned() },
        _ => {
            let path = place.to_string_lossy().into_owned();
            PluginError::File { path, reason: cause.to_string() }
        }
    };
    let folder = Folder::open(root).and_then(|root| {
        let plugins = root.make(Path::new(FOLDER))?;
        plugins.make_new(Path::new(name))?;
        plugins.at(Path::new(name))
    });
    let folder = folder.map_err(failed)?;
    let files = [
        ("plugin.py", filled(PROGRAM), true),
        ("test_plugin.py", filled(TESTS), true),
        ("schema.json", format!("{schema:#}\n"), false),
        ("README.md", filled(README), false),
    ];
    let mut written = Vec::new();
    for (file, text, is_program) in files {
        let write = || {
            folder.create(Path::new(file))?.write_all(text.as_bytes())?;
            if is_program { folder.set_mode(Path::new(file), 0o755) } else { Ok(()) }
        };
        write().map_err(failed)?;
        written.push(place.join(file));
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::{super::fixture::World, *};

    #[test]
    fn it_is_in_form_and_its_tests_pass() {
        let world = World::new();
        for (name, description) in
            [("count_words", None), ("odd", Some("Says \"{name}\"\n'''\\ \u{202e}"))]
        {
            let written = new_plugin(&world.root, name, description, &["file_read"]).unwrap();
            assert_eq!(written.len(), 4);
            let plugin = super::super::examine(&world.root, name, &["file_read"]).unwrap();
            assert!(plugin.declared.output.is_some() && !plugin.declared.network);
            let report = world.test(name, Duration::from_secs(60));
            assert!(report.passed(), "{} {}", report.reason(), report.output());
            assert!(report.output().contains("Ran 3 tests"), "{}", report.output());
        }
        // A test that cannot fail would pass with another program too.
        let program = world.root.join("plugins/count_words/plugin.py");
        let text = fs::read_to_string(&program).unwrap().replace("len(text.split())", "1");
        fs::write(&program, text).unwrap();
        assert!(!world.test("count_words", Duration::from_secs(60)).passed());
    }

    #[test]
    fn what_is_there_stays() {
        let world = World::new();
        world.plugin("mine", &[]);
        let refused = |name: &str| {
            new_plugin(&world.root, name, None, &["file_read"]).unwrap_err().to_string()
        };
        assert_eq!(refused("mine"), "there is a plugin `mine` already");
        for name in ["file_read", "../x", "A", ""] {
            refused(name);
        }
        assert_eq!(fs::read_dir(world.root.join("plugins")).unwrap().count(), 1);
    }
}
