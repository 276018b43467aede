//! `file_list`: what is in a folder.

use std::fmt::Write as _;

use globset::GlobSet;
use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    cut::cut,
    paths::{Last, Place, place, shown},
    tree::{globs, walk},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::beneath::Kind;

/// Entries that are listed unless told otherwise, and at most.
const USUAL: u64 = 500;
const MOST: u64 = 5_000;

/// Lists files and folders.
#[derive(Default)]
pub struct FileList {
    approved: Approved,
}

impl Tool for FileList {
    fn spec(&self) -> Spec {
        spec(
            "file_list",
            Level::Safe,
            true,
            "List files and folders below a folder, with sizes in bytes, sorted. With `glob`, only \
             files whose path matches: `*.md` in every folder, `docs/**/*.md` from the root. What \
             git ignores is left out unless `all`; `.git` always is.",
            json!({
                "path": { "type": "string", "description": "folder; the root if left out" },
                "glob": { "type": "string" },
                "depth": { "type": "integer", "minimum": 1, "maximum": 100,
                    "description": "folders deep; all if left out" },
                "all": { "type": "boolean", "description": "ignored files too" },
                "max": { "type": "integer", "minimum": 1, "maximum": MOST,
                    "description": "entries; 500 if left out" },
            }),
            &[],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let Asked { folder, .. } = self.asked(arguments, host)?;
        let state = folder.absolute.as_os_str().as_encoded_bytes();
        self.approved.remember(host.root(), arguments, state);
        Ok(Intent {
            shown: format!("list {}", folder.shown()),
            action: Action::Read { paths: vec![folder.absolute] },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let Asked { folder, glob, most, depth, all } = self.asked(arguments, host)?;
        let state = folder.absolute.as_os_str().as_encoded_bytes();
        self.approved.check(host.root(), arguments, state)?;
        let (mut text, mut count, mut more) = (String::new(), 0, 0_usize);
        let walked = walk(host, &folder.relative, all, depth, |entry| {
            let wanted = glob
                .as_ref()
                .is_none_or(|glob| entry.kind != Kind::Folder && glob.is_match(&entry.relative));
            if wanted && count >= most {
                more += 1;
            } else if wanted {
                count += 1;
                let path = shown(&entry.relative);
                let _ = match entry.kind {
                    Kind::Folder => writeln!(text, "{path}/"),
                    Kind::File => writeln!(text, "{path} {}", entry.size),
                    Kind::Link => writeln!(text, "{path} (link)"),
                    Kind::Other => writeln!(text, "{path} (no regular file)"),
                };
            }
            Ok(true)
        })?;
        if count == 0 {
            let ignored = if all { "" } else { "; what git ignores is left out, see `all`" };
            let _ = writeln!(text, "nothing in {}{ignored}", folder.shown());
        }
        if more > 0 {
            let _ = writeln!(text, "[{more} more: name a folder, a glob or a depth]");
        }
        text.push_str(&walked.told());
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

struct Asked {
    folder: Place,
    glob: Option<GlobSet>,
    most: usize,
    depth: usize,
    all: bool,
}

impl FileList {
    fn asked(&self, arguments: &Value, host: &dyn Host) -> Result<Asked, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let path = arguments.optional_text("path")?.unwrap_or(".");
        let folder = place(host.root(), path, Last::Followed)?;
        match folder.kind {
            Some(Kind::Folder) => {}
            Some(_) => return Err(bad(format!("`{}` is not a folder", folder.shown()))),
            None => {
                return Err(ToolError::Failed(format!("there is no folder `{}`", folder.shown())));
            }
        }
        let depth = arguments.number("depth", 1, 100)?;
        Ok(Asked {
            folder,
            glob: arguments.optional_text("glob")?.map(|glob| globs(&[glob])).transpose()?,
            most: arguments.number("max", 1, MOST)?.unwrap_or(USUAL) as usize,
            depth: depth.map_or(usize::MAX, |depth| depth as usize),
            all: arguments.flag("all")?,
        })
    }
}
