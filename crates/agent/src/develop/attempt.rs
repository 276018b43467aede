//! One attempt: write the files, run their tests, have them reviewed.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;

use super::{
    MAX_ANSWER_FILE_BYTES, MAX_ANSWER_FILES, MAX_ANSWER_FILES_BYTES, MAX_TEST_SECONDS, Stage,
    answer::{self, Review},
    pipeline::Run,
    prompts::{self, Before, CODER, Known, REVIEWER},
};
use crate::{
    ToolError,
    plugins::{
        self, FOLDER, Plugin, PluginError, PluginFile, TestReport, cut_middle, examine, read_files,
    },
    tools::hash_of,
};
use elophanto_base::{beneath::Folder, counted::counted, one_line::one_line, platform};

/// Bytes of a reason that goes into the next attempt.
const MAX_REASON_BYTES: usize = 8 << 10;

/// A plugin that may be shown to the user.
pub(super) struct Ready {
    pub plugin: Plugin,
    pub report: TestReport,
    pub review: Review,
}

/// The reason is for the next attempt and for people; an error ends the whole work.
pub(super) fn attempt(
    run: &mut Run<'_>,
    known: &Known<'_>,
    reasons: &[String],
) -> Result<Result<Ready, String>, ToolError> {
    let plugin = match implement(run, known, reasons)? {
        Ok(plugin) => plugin,
        Err(reason) => return Ok(Err(run.failed(Stage::Implement, reason))),
    };
    let files = vec![PathBuf::from(FOLDER).join(&run.name)];
    run.commit(&files, &format!("plugins/{}: attempt {}", run.name, run.attempt))?;

    run.begin(Stage::Test, "")?;
    let host = &*run.host;
    let time = host.patience().min(Duration::from_secs(MAX_TEST_SECONDS));
    let report = plugins::test(&plugin, &run.parts.runtime, time, &|| host.is_cancelled());
    run.host.alive()?;
    if !report.passed() {
        run.failed(Stage::Test, report.reason().to_owned());
        let said = format!("{}\n{}", report.reason(), report.output());
        return Ok(Err(cut_middle(&said, MAX_REASON_BYTES)));
    }
    run.done(Stage::Test, report.reason());

    let review = review(run, known, &plugin, &report)?;
    if !review.approved {
        let findings = match review.findings.join("\n- ") {
            none if none.is_empty() => "the reviewer did not say why".to_owned(),
            findings => format!("- {findings}"),
        };
        run.failed(Stage::Review, findings.clone());
        return Ok(Err(format!("the review did not approve it:\n{findings}")));
    }
    run.done(Stage::Review, &review.findings.join("; "));
    Ok(Ok(Ready { plugin, report, review }))
}

fn implement(
    run: &mut Run<'_>,
    known: &Known<'_>,
    reasons: &[String],
) -> Result<Result<Plugin, String>, ToolError> {
    run.begin(Stage::Implement, "")?;
    let now = current(run)?;
    let prompt = prompts::implement(known, &Before { files: &now, reasons });
    let said = run.host.think("coding", &prompts::system(CODER), &prompt)?;
    run.host.alive()?;
    let wanted = match answer::files(&said) {
        Ok(wanted) => wanted,
        Err(reason) => return Ok(Err(format!("the answer could not be used: {reason}"))),
    };
    if let Err(reason) = write(run, &now, &wanted)? {
        return Ok(Err(reason));
    }
    let built_in: Vec<&str> = run.parts.built_in.iter().map(String::as_str).collect();
    let plugin = match examine(run.host.root(), &run.name, &built_in) {
        Ok(plugin) => plugin,
        Err(error) => return Ok(Err(format!("the plugin's folder is not in form: {error}"))),
    };
    let same = |(found, wanted): (&PluginFile, &PluginFile)| {
        found.path == wanted.path && found.bytes == wanted.bytes
    };
    if plugin.files.len() != wanted.len() || !plugin.files.iter().zip(&wanted).all(same) {
        return Err(ToolError::Failed(format!(
            "`plugins/{}` is not what was written: somebody else changes it",
            run.name
        )));
    }
    run.done(Stage::Implement, &counted(plugin.files.len(), "file"));
    Ok(Ok(plugin))
}

/// The files there are now. What no answer could hold would be lost, so it is left alone.
fn current(run: &Run<'_>) -> Result<Vec<PluginFile>, ToolError> {
    match read_files(run.host.root(), &run.name) {
        Ok(files) => {
            let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
            let fits = |file: &PluginFile| {
                file.text().is_some() && file.bytes.len() <= MAX_ANSWER_FILE_BYTES
            };
            let fit = files.len() <= MAX_ANSWER_FILES && bytes <= MAX_ANSWER_FILES_BYTES;
            if !fit || !files.iter().all(fits) {
                return Err(ToolError::Failed(format!(
                    "`plugins/{}` has more, larger or other files than a model can rewrite: it is \
                     changed by hand",
                    run.name
                )));
            }
            Ok(files)
        }
        Err(PluginError::Missing { .. }) => Ok(Vec::new()),
        Err(error) => Err(ToolError::Failed(format!("`plugins/{}`: {error}", run.name))),
    }
}

/// Makes the folder hold exactly these files, by the tools that any call uses.
fn write(
    run: &mut Run<'_>,
    now: &[PluginFile],
    wanted: &[PluginFile],
) -> Result<Result<(), String>, ToolError> {
    let folder = PathBuf::from(FOLDER).join(&run.name);
    let gone = now.iter().filter(|old| !wanted.iter().any(|new| new.path == old.path));
    for old in gone {
        let path = folder.join(&old.path);
        if let Err(reason) = call(run, "file_delete", json!({"path": path}), &path)? {
            return Ok(Err(reason));
        }
    }
    for new in wanted {
        let path = folder.join(&new.path);
        let old = now.iter().find(|old| old.path == new.path);
        if old.is_none_or(|old| old.bytes != new.bytes) {
            let content = String::from_utf8_lossy(&new.bytes);
            let mut arguments = json!({"path": path, "text": content});
            if let Some(old) = old {
                arguments["expected"] = json!(hash_of(&old.bytes));
            }
            if let Err(reason) = call(run, "file_write", arguments, &path)? {
                return Ok(Err(reason));
            }
        }
        if new.is_executable {
            make_executable(run.host.root(), &path)
                .map_err(|cause| ToolError::Failed(format!("`{}`: {cause}", path.display())))?;
        }
    }
    Ok(Ok(()))
}

fn call(
    run: &mut Run<'_>,
    tool: &str,
    arguments: serde_json::Value,
    path: &Path,
) -> Result<Result<(), String>, ToolError> {
    run.host.alive()?;
    match run.host.call(tool, arguments) {
        Ok(output) if output.failed => {
            let said = one_line(&output.text, 500);
            Ok(Err(format!("{tool} of `{}` failed: {said}", path.display())))
        }
        Ok(output) => {
            run.touched.push(path.to_owned());
            run.touched.extend(output.touched);
            Ok(Ok(()))
        }
        Err(ToolError::Arguments(reason) | ToolError::Failed(reason)) => {
            Ok(Err(format!("{tool} of `{}` failed: {reason}", path.display())))
        }
        // Whoever said no said it to the work.
        Err(error) => Err(error),
    }
}

fn make_executable(root: &Path, path: &Path) -> std::io::Result<()> {
    let (file, metadata) = Folder::open(root)?.read(path)?;
    let mode = platform::rights(&metadata);
    if mode & 0o111 == 0 {
        // For whoever may read it.
        platform::set_rights(&file, mode | ((mode & 0o444) >> 2))?;
    }
    Ok(())
}

/// What is no verdict is asked for once more, and then taken for a no.
fn review(
    run: &mut Run<'_>,
    known: &Known<'_>,
    plugin: &Plugin,
    report: &TestReport,
) -> Result<Review, ToolError> {
    run.begin(Stage::Review, "")?;
    let system = prompts::system(REVIEWER);
    let prompt = prompts::review(known, &plugin.files, report.output());
    let mut asked = prompt.clone();
    let mut why = String::new();
    for _ in 0..2 {
        let said = run.host.think("review", &system, &asked)?;
        run.host.alive()?;
        match answer::review(&said) {
            Ok(review) => return Ok(review),
            Err(reason) => why = reason,
        }
        asked = prompts::review_again(&prompt, &why);
    }
    let findings = vec![format!("the reviewer gave no verdict: {}", one_line(&why, 300))];
    Ok(Review { approved: false, findings })
}
