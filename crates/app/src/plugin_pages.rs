//! Pages of the knowledge base that are made of plugins and tools.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::{
    Error, Result,
    pages::{Pages, Trust},
    reporter::Reporter,
    workspace::{Workspace, write_beneath},
};
use elophanto_agent::{
    Spec,
    plugins::{self, MAX_PAGE_BYTES, text_at},
};
use elophanto_base::visible::escape_control_line;

/// Brings the pages of deployed plugins up to date with their READMEs; the pages that changed.
pub fn mirror(workspace: &Workspace, reporter: &dyn Reporter) -> Vec<PathBuf> {
    let root = &workspace.repository.root;
    let write_root = &workspace.config.knowledge.write_root;
    let mut write = |path: &Path, text: &str| {
        write_beneath(root, path, text.as_bytes()).map_err(|error| error.message().to_owned())
    };
    let mirrored = plugins::mirror(root, write_root, Timestamp::now(), &mut write);
    for problem in mirrored.problems {
        let name = match problem.name.as_str() {
            "" => String::new(),
            name => format!("the plugin `{name}`: "),
        };
        reporter.warn(format_args!("{name}{}", escape_control_line(&problem.reason)));
    }
    mirrored.changed
}

/// Writes the table of all tools into its block of `system/capabilities.md`; the page, if it
/// changed. What the table says of tools an agent is told as their descriptions in any case, so a page
/// that the user trusted as it was stays trusted with another table, and so does one that is only a table.
///
/// # Errors
/// When the page cannot be read or written, or its block is damaged; when trust cannot be kept.
pub fn capabilities(workspace: &Workspace, tools: &[Spec]) -> Result<Option<PathBuf>> {
    let root = &workspace.repository.root;
    let write_root = &workspace.config.knowledge.write_root;
    let path = write_root.strip_prefix(".").unwrap_or(write_root).join("system/capabilities.md");
    let existing = text_at(root, &path, MAX_PAGE_BYTES)?;
    let page = plugins::capabilities(tools, existing.as_deref()).map_err(|cause| {
        Error::new(format_args!("`{}`: {cause}", path.display()))
            .hint("everything outside of the block is yours")
    })?;
    if existing.as_deref() == Some(&*page) {
        return Ok(None);
    }
    let pages = Pages::open(root, &workspace.config, &workspace.environment);
    let trust = existing.as_ref().map(|text| pages.trust(&path, text.as_bytes()));
    write_beneath(root, &path, page.as_bytes())?;
    if trust.is_none_or(|trust| trust == Trust::Given) {
        pages.record([(&*path, page.as_bytes())])?;
    }
    Ok(Some(path))
}
