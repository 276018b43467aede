//! `file_delete`: a file, a link, or a folder with all that is in it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    below::{Item, below, state},
    contents::failed,
    cut::cut,
    paths::{Last, Place, place, shown},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::beneath::{Folder, Kind};

/// Removes files and folders.
#[derive(Default)]
pub struct FileDelete {
    approved: Approved,
}

impl Tool for FileDelete {
    fn spec(&self) -> Spec {
        spec(
            "file_delete",
            Level::Destructive,
            false,
            "Remove a file, a link (not what it leads to), or with `recursive` a folder and all that \
             is in it, at most 1,000 files.",
            json!({
                "path": { "type": "string",
                    "description": "relative to the root, or absolute beneath it" },
                "recursive": { "type": "boolean", "description": "a folder that is not empty" },
            }),
            &["path"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let (_, items) = self.plan(arguments, host)?;
        self.approved.remember(host.root(), arguments, &state(&items));
        let mut text = String::new();
        for item in &items {
            let slash = if item.kind == Kind::Folder { "/" } else { "" };
            let _ = writeln!(text, "remove {}{slash}", shown(&item.relative));
        }
        let paths = items.iter().map(|item| host.root().join(&item.relative)).collect();
        Ok(Intent { action: Action::Write { paths }, shown: text })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let (place, items) = self.plan(arguments, host)?;
        self.approved.check(host.root(), arguments, &state(&items))?;
        let mut output = Output::default();
        // What is in a folder comes before it.
        for item in items.iter().rev() {
            if host.is_cancelled() {
                if output.touched.is_empty() {
                    return Err(ToolError::Cancelled);
                }
                output.failed = true;
                let _ = writeln!(output.text, "cancelled before the rest was removed");
                break;
            }
            match remove(host, item) {
                Ok(()) => output.touched.push(item.relative.clone()),
                Err(cause) if output.touched.is_empty() => {
                    return Err(failed("remove", &item.relative, &cause));
                }
                Err(cause) => {
                    output.failed = true;
                    let path = shown(&item.relative);
                    let _ = writeln!(output.text, "the rest is left: `{path}`: {cause}");
                    break;
                }
            }
        }
        output.touched.reverse();
        let _ = writeln!(
            output.text,
            "removed {} of {} files and folders: {}",
            output.touched.len(),
            items.len(),
            place.shown()
        );
        output.text = cut(&output.text, host.max_output());
        Ok(output)
    }
}

impl FileDelete {
    fn plan(&self, arguments: &Value, host: &dyn Host) -> Result<(Place, Vec<Item>), ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let place = place(host.root(), arguments.text("path")?, Last::Itself)?;
        let recursive = arguments.flag("recursive")?;
        if place.relative.as_os_str().is_empty() {
            return Err(ToolError::Refused("the root itself is not removed".into()));
        }
        if place.kind.is_none() {
            return Err(ToolError::Failed(format!("there is no `{}`", place.shown())));
        }
        let items = below(host.root(), &place.relative)?;
        if items.len() > 1 && !recursive {
            let (path, count) = (place.shown(), items.len() - 1);
            return Err(bad(format!(
                "`{path}` is a folder with {count} files and folders in it: see `recursive`"
            )));
        }
        Ok((place, items))
    }
}

fn remove(host: &dyn Host, item: &Item) -> std::io::Result<()> {
    let (root, path) = (Folder::open(host.root())?, &item.relative);
    if item.kind == Kind::Folder { root.remove_folder(path) } else { root.remove(path) }
}
