//! What models answered, and what of it is believed. Pure. Reasons are for the model and for
//! people.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    MAX_ANSWER_BYTES, MAX_ANSWER_FILE_BYTES, MAX_ANSWER_FILES, MAX_ANSWER_FILES_BYTES,
    MAX_FINDING_CHARS, MAX_FINDINGS,
};
use crate::plugins::{PluginFile, is_file_path};
use elophanto_base::{one_line::one_line, schema::check, secrets};
use elophanto_models::llm::schema;

/// What a reviewer said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Review {
    pub approved: bool,
    /// Each on one line.
    pub findings: Vec<String>,
}

pub(super) fn files_schema() -> Value {
    json!({
        "type": "object",
        "required": ["files"],
        "additionalProperties": false,
        "properties": {"files": {"type": "array", "items": {
            "type": "object",
            "required": ["path", "content"],
            "additionalProperties": false,
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        }}},
    })
}

pub(super) fn review_schema() -> Value {
    json!({
        "type": "object",
        "required": ["approved", "findings"],
        "additionalProperties": false,
        "properties": {
            "approved": {"type": "boolean"},
            "findings": {"type": "array", "items": {"type": "string"}},
        },
    })
}

/// The files of an answer, sorted: all of them, or a reason. The program alone is executable.
pub(super) fn files(text: &str) -> Result<Vec<PluginFile>, String> {
    let value = object(text, &files_schema())?;
    let listed = value["files"].as_array().map(Vec::as_slice).unwrap_or_default();
    if listed.len() > MAX_ANSWER_FILES {
        return Err(format!("it has {} files, over the cap of {MAX_ANSWER_FILES}", listed.len()));
    }
    let (mut files, mut seen, mut bytes) = (Vec::new(), BTreeSet::new(), 0);
    for one in listed {
        let (path, content) = (text_of(&one["path"]), text_of(&one["content"]));
        let shown = one_line(path, 100);
        if !is_file_path(path) {
            return Err(format!(
                "`{shown}` is not a path within the plugin's folder: parts of letters, digits, \
                 `.`, `_`, `-`, joined by `/`, none beginning with `.` or `-`"
            ));
        }
        // Some file systems tell no case apart.
        if !seen.insert(path.to_ascii_lowercase()) {
            return Err(format!("`{shown}` is there twice"));
        }
        if content.len() > MAX_ANSWER_FILE_BYTES {
            return Err(format!("`{shown}` is over the cap of {MAX_ANSWER_FILE_BYTES} bytes"));
        }
        bytes += content.len();
        if bytes > MAX_ANSWER_FILES_BYTES {
            return Err(format!("its files are over the cap of {MAX_ANSWER_FILES_BYTES} bytes"));
        }
        if content.contains('\0') {
            return Err(format!("`{shown}` holds a NUL"));
        }
        if let Some(found) = secrets::scan(content).first() {
            return Err(format!(
                "line {} of `{shown}` holds what looks like a {}: secrets come in the input",
                found.line, found.kind
            ));
        }
        let bytes = content.as_bytes().to_vec();
        let is_executable = is_program(path);
        files.push(PluginFile { path: path.to_owned(), is_executable, bytes });
    }
    let is_test = |path: &str| named(path, "test_plugin");
    for (wanted, count) in [
        ("plugin.*", files.iter().filter(|file| is_program(&file.path)).count()),
        ("test_plugin.*", files.iter().filter(|file| is_test(&file.path)).count()),
        ("README.md", files.iter().filter(|file| file.path == "README.md").count()),
        ("schema.json", files.iter().filter(|file| file.path == "schema.json").count()),
    ] {
        if count != 1 {
            return Err(format!("it has {count} files `{wanted}` instead of one"));
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// A reviewer's verdict.
pub(super) fn review(text: &str) -> Result<Review, String> {
    let value = object(text, &review_schema())?;
    let findings = value["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let findings = findings
        .iter()
        .map(|finding| one_line(text_of(finding), MAX_FINDING_CHARS))
        .filter(|finding| !finding.is_empty())
        .take(MAX_FINDINGS)
        .collect();
    Ok(Review { approved: value["approved"] == true, findings })
}

/// Whether it is the plugin's program.
pub(super) fn is_program(path: &str) -> bool {
    named(path, "plugin")
}

fn named(path: &str, stem: &str) -> bool {
    let rest = path.strip_prefix(stem).filter(|rest| !rest.contains('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn object(text: &str, form: &Value) -> Result<Value, String> {
    if text.len() > MAX_ANSWER_BYTES {
        return Err(format!("it is over the cap of {MAX_ANSWER_BYTES} bytes"));
    }
    let value = schema::find_object(text)?;
    check(form, &value)?;
    Ok(value)
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(more: &[(&str, &str)]) -> String {
        let whole = [("plugin.py", "x"), ("test_plugin.py", "x"), ("README.md", "x")];
        let files = whole.iter().chain([("schema.json", "{}")].iter()).chain(more);
        let files: Vec<Value> =
            files.map(|(path, content)| json!({"path": path, "content": content})).collect();
        json!({"files": files}).to_string()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        match files(text) {
            Ok(files) => assert_eq!(expected, format!("{} files", files.len())),
            Err(reason) => assert!(!expected.is_empty() && reason.contains(expected), "{reason}"),
        }
    }

    #[test]
    fn files_of_answers() {
        check(&answer(&[]), "4 files");
        check(&format!("Here:\n```json\n{}\n```\nDone.", answer(&[])), "4 files");
        check(&answer(&[("lib/a.py", "")]), "5 files");
        check("Sure, I will write a plugin for you.", "no whole JSON object");
        check("{\"files\": [", "broken");
        check("{\"plugin\": {}}", "`files` is missing");
        check(r#"{"files": [{"path": "plugin.py"}]}"#, "`content` is missing");
        check(r#"{"files": []}"#, "0 files `plugin.*`");
        for path in ["../../x", "/etc/passwd", ".git/config", "-rf", "a\\b", "a\u{202e}b", ""] {
            check(&answer(&[(path, "x")]), "not a path within");
        }
        check(&answer(&[("readme.md", "x")]), "twice");
        check(&answer(&[("plugin.sh", "x")]), "2 files `plugin.*`");
        check(&answer(&[("a", "\0")]), "NUL");
        check(&answer(&[("a", &"x".repeat(MAX_ANSWER_FILE_BYTES + 1))]), "cap of 65536");
        let large = "x".repeat(MAX_ANSWER_FILE_BYTES);
        check(&answer(&[("a", &large), ("b", &large), ("c", "x")]), "cap of 131072");
        let names: Vec<String> = (0..40).map(|n| format!("f{n}")).collect();
        let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        check(&answer(&many), "cap of 30");
        check(&"x".repeat(MAX_ANSWER_BYTES + 1), "cap of 1048576");
        check(&"{".repeat(100_000), "braces");
        let key = ["ghp_", "R4nd0mT0kenV4lueTh4tL00ksRealEnough12"].concat();
        check(&answer(&[("a", &format!("token = \"{key}\""))]), "looks like");
        let executable: Vec<String> = files(&answer(&[("plugin_lib.py", "")]))
            .unwrap()
            .into_iter()
            .filter(|file| file.is_executable)
            .map(|file| file.path)
            .collect();
        assert_eq!(executable, ["plugin.py"]);
    }

    #[test]
    fn verdicts() {
        let yes = review(r#"{"approved": true, "findings": ["a\nb", " "]}"#).unwrap();
        assert_eq!(yes, Review { approved: true, findings: vec!["a b".to_owned()] });
        for text in [
            "approved",
            r#"{"approved": "true", "findings": []}"#,
            r#"{"approved": true}"#,
            r#"{"approved": true, "findings": []} {"approved": false, "findings": []}"#,
        ] {
            assert!(review(text).is_err(), "{text}");
        }
    }
}
