//! Asking the user, and what follows a yes.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Ended, Stage, attempt::Ready, pipeline::Run};
use crate::{
    Output, Tool, ToolError,
    plugins::{
        self, FOLDER, MANIFEST, MAX_PAGE_BYTES, PluginTool, capabilities, cell, cut_middle,
        readme_note, readme_page, text_at,
    },
};
use elophanto_base::{one_line::one_line, visible::visible};

/// The one answer that is a yes.
const YES: &str = "deploy";
const NO: &str = "leave it";
/// Bytes of the tests' output and of the review that the question shows.
const MAX_SHOWN_BYTES: usize = 4 << 10;

/// Deploys if the user agrees to exactly what was tested and reviewed.
pub(super) fn deploy(run: &mut Run<'_>, ready: &Ready) -> Result<(Output, Ended), ToolError> {
    run.begin(Stage::Deploy, "asking the user")?;
    let question = question(run, ready);
    let said = run.host.ask_user(&question, &[YES.to_owned(), NO.to_owned()]);
    run.host.alive()?;
    if said.as_deref().map(str::trim) != Some(YES) {
        let reason = match said {
            None => "nobody was there to agree".to_owned(),
            Some(said) if said.trim() == NO => "the user did not agree".to_owned(),
            Some(said) => format!("the user did not agree and said: {}", one_line(&said, 500)),
        };
        run.failed(Stage::Deploy, reason.clone());
        let text = format!(
            "Not deployed: {reason}. The plugin `{}` passed its tests; its files are in plugins/{0} \
             and on the branch {}. Do not develop it again unless the user asks for it.",
            run.name, run.branch.name
        );
        return Ok((run.output(text, true), Ended::NotAgreed));
    }
    let now = (run.parts.now)();
    let (root, parts) = (run.host.root().to_owned(), run.parts);
    // Agreed to before it is written down: an entry alone makes nothing run.
    (parts.agree)(&ready.plugin.name, &ready.plugin.hash)
        .map_err(|reason| ToolError::Failed(run.failed(Stage::Deploy, reason)))?;
    plugins::deploy(&root, &ready.plugin, &ready.report, &parts.lock, now, &*parts.write)
        .map_err(|error| ToolError::Failed(run.failed(Stage::Deploy, error.to_string())))?;
    run.touched.push(PathBuf::from(MANIFEST));
    let tool = PluginTool::new(root, &ready.plugin, Arc::clone(&parts.runtime));
    let spec = tool.spec();
    (parts.deployed)(Box::new(tool));
    run.done(Stage::Deploy, &ready.plugin.hash);

    let missing = document(run, ready, &spec);
    let mut text = format!(
        "The plugin `{}` is deployed and can be called now. {}\nIts arguments fit this JSON \
         schema: {}",
        spec.name, spec.description, spec.input
    );
    for reason in missing {
        let _ = write!(text, "\nNot documented: {reason}");
    }
    Ok((run.output(text, false), Ended::Deployed))
}

/// What the user has to know to say yes. Words of models and programs stand behind a bar, so that
/// none of them can be taken for ours.
fn question(run: &Run<'_>, ready: &Ready) -> String {
    let (plugin, declared) = (&ready.plugin, &ready.plugin.declared);
    let secrets = match declared.secrets.join(", ") {
        none if none.is_empty() => "none".to_owned(),
        names => names,
    };
    let network = if declared.network { "yes" } else { "no" };
    let mut text = format!(
        "Deploy the plugin `{}` as a tool of the agent?\n\nWhat it says it does:\n{}\
         It was asked for:\n{}\
         Network: {network}. Secrets it is given: {secrets}.\nContent hash: {}\n\
         Files in plugins/{0}, also on the branch {}:\n",
        plugin.name,
        barred(&declared.description),
        barred(&run.goal),
        plugin.hash,
        run.branch.name,
    );
    for file in &plugin.files {
        let executable = if file.is_executable { ", executable" } else { "" };
        let _ = writeln!(text, "  {} ({} bytes{executable})", file.path, file.bytes.len());
    }
    let _ = write!(
        text,
        "\nIts tests ({}, passed) printed:\n{}",
        plugin.test,
        barred(ready.report.output())
    );
    if ready.review.findings.is_empty() {
        text.push_str("\nThe review approved it without findings.\n");
    } else {
        text.push_str("\nThe review approved it and said:\n");
        text.push_str(&barred(&ready.review.findings.join("\n")));
    }
    text
}

fn barred(text: &str) -> String {
    let text = visible(&cut_middle(text, MAX_SHOWN_BYTES));
    text.lines().map(|line| format!("  | {line}\n")).collect()
}

/// README, capabilities and changelog; the reasons why one is missing. The plugin is deployed
/// whatever becomes of them.
fn document(run: &mut Run<'_>, ready: &Ready, spec: &crate::Spec) -> Vec<String> {
    let mut missing = Vec::new();
    if run.begin(Stage::Document, "").is_err() {
        missing.push("the run was cancelled".to_owned());
        return missing;
    }
    let mut paths = vec![PathBuf::from(FOLDER).join(&run.name), PathBuf::from(MANIFEST)];
    let parts = run.parts;
    let page = readme_page(&parts.write_root, &run.name);
    let now = (parts.now)();
    let name = run.name.clone();
    let note = |existing: Option<&str>| {
        readme_note(&ready.plugin.readme, &name, existing, now).map_err(|error| error.to_string())
    };
    take(&mut missing, &mut paths, &page, update(run, &page, &note));

    let mut tools = (parts.tools)();
    tools.retain(|tool| tool.name != spec.name);
    tools.push(spec.clone());
    let write_root = parts.write_root.strip_prefix(".").unwrap_or(&parts.write_root);
    let page = write_root.join("system/capabilities.md");
    let table = |existing: Option<&str>| {
        capabilities(&tools, existing).map(Some).map_err(|error| error.to_string())
    };
    take(&mut missing, &mut paths, &page, update(run, &page, &table));

    let described = cell(&ready.plugin.declared.description);
    let entry = format!("- New plugin `{}`: {described}", run.name);
    match (parts.changelog)(&entry) {
        Ok(written) => {
            run.touched.extend(written.iter().cloned());
            paths.extend(written);
        }
        Err(reason) => missing.push(format!("changelog: {reason}")),
    }
    let message = format!("plugins/{}: deployed", run.name);
    if let Err(error) = run.commit(&paths, &message) {
        missing.push(format!("branch {}: {error}", run.branch.name));
    }
    if missing.is_empty() {
        run.done(Stage::Document, "");
    } else {
        run.failed(Stage::Document, missing.join("; "));
    }
    missing
}

fn take(
    missing: &mut Vec<String>,
    paths: &mut Vec<PathBuf>,
    page: &Path,
    updated: Result<(), String>,
) {
    match updated {
        Ok(()) => paths.push(page.to_owned()),
        Err(reason) => missing.push(format!("`{}`: {reason}", page.display())),
    }
}

/// The new text of a page, made of what it says now; `None` if it stays.
type Renew<'a> = dyn Fn(Option<&str>) -> Result<Option<String>, String> + 'a;

/// Writes a page if it says something else now.
fn update(run: &mut Run<'_>, page: &Path, new: &Renew<'_>) -> Result<(), String> {
    let existing = text_at(run.host.root(), page, MAX_PAGE_BYTES).map_err(|e| e.to_string())?;
    match new(existing.as_deref())? {
        Some(text) if existing.as_deref() != Some(&*text) => run.write(page, &text),
        _ => Ok(()),
    }
}
