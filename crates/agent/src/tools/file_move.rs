//! `file_move`: another name or folder for a file, a link or a folder.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    below::{Item, below, state},
    contents::failed,
    cut::cut,
    paths::{Last, Place, place},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::beneath::Folder;

/// Moves and renames.
#[derive(Default)]
pub struct FileMove {
    approved: Approved,
}

impl Tool for FileMove {
    fn spec(&self) -> Spec {
        spec(
            "file_move",
            Level::Destructive,
            false,
            "Move or rename a file, a link or a folder (at most 1,000 files). `to` is its whole new \
             path, where nothing may be; folders above it are made.",
            json!({
                "from": { "type": "string",
                    "description": "relative to the root, or absolute beneath it" },
                "to": { "type": "string", "description": "the new path, name included" },
            }),
            &["from", "to"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let plan = self.plan(arguments, host)?;
        self.approved.remember(host.root(), arguments, &plan.state());
        let inside = match plan.items.len() - 1 {
            0 => String::new(),
            count => format!(" with {count} files and folders in it"),
        };
        let paths = plan.touched().iter().map(|path| host.root().join(path)).collect();
        Ok(Intent {
            shown: format!("move {} to {}{inside}", plan.from.shown(), plan.to.shown()),
            action: Action::Write { paths },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let plan = self.plan(arguments, host)?;
        self.approved.check(host.root(), arguments, &plan.state())?;
        host.alive()?;
        let rename = || {
            let root = Folder::open(host.root())?;
            let (old, old_name) = root.holding(&plan.from.relative)?;
            let (new, new_name) = root.making(&plan.to.relative)?;
            old.rename_new(Path::new(&old_name), &new, Path::new(&new_name))?;
            old.sync()?;
            new.sync()
        };
        rename().map_err(|cause| match cause.kind() {
            ErrorKind::CrossesDevices => ToolError::Failed(format!(
                "`{}` lies on another file system: copy it with a shell",
                plan.to.shown()
            )),
            ErrorKind::AlreadyExists => failed("move to", &plan.to.relative, &cause),
            _ => failed("move", &plan.from.relative, &cause),
        })?;
        let text = format!("moved {} to {}\n", plan.from.shown(), plan.to.shown());
        Ok(Output {
            text: cut(&text, host.max_output()),
            touched: plan.touched(),
            ..Output::default()
        })
    }
}

struct Plan {
    from: Place,
    to: Place,
    items: Vec<Item>,
}

impl Plan {
    /// Both ends of all that moves, relative to the root.
    fn touched(&self) -> Vec<PathBuf> {
        let mut paths = Vec::with_capacity(self.items.len() * 2);
        for item in &self.items {
            paths.push(item.relative.clone());
            let rest = item.relative.strip_prefix(&self.from.relative).unwrap_or(&item.relative);
            // Joining nothing would add a slash.
            let is_top = rest.as_os_str().is_empty();
            let to = &self.to.relative;
            paths.push(if is_top { to.clone() } else { to.join(rest) });
        }
        paths.sort();
        paths
    }

    fn state(&self) -> Vec<u8> {
        let mut state = state(&self.items);
        state.extend_from_slice(self.to.relative.as_os_str().as_encoded_bytes());
        state
    }
}

impl FileMove {
    fn plan(&self, arguments: &Value, host: &dyn Host) -> Result<Plan, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let from = place(host.root(), arguments.text("from")?, Last::Itself)?;
        let to = place(host.root(), arguments.text("to")?, Last::Itself)?;
        if from.relative.as_os_str().is_empty() {
            return Err(ToolError::Refused("the root itself is not moved".into()));
        }
        if from.kind.is_none() {
            return Err(ToolError::Failed(format!("there is no `{}`", from.shown())));
        }
        if to.kind.is_some() {
            return Err(bad(format!("`{}` is there already", to.shown())));
        }
        if to.relative.starts_with(&from.relative) {
            return Err(bad("a folder cannot be moved into itself"));
        }
        let items = below(host.root(), &from.relative)?;
        Ok(Plan { from, to, items })
    }
}
