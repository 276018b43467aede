//! `file_write`: a whole file.

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    contents::{Contents, Decoded, hash_of, store},
    cut::cut,
    diff::diff,
    paths::{Last, Place, place},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::{beneath::Kind, secrets};

/// Writes a whole file of the work tree.
#[derive(Default)]
pub struct FileWrite {
    approved: Approved,
}

impl Tool for FileWrite {
    fn spec(&self) -> Spec {
        spec(
            "file_write",
            Level::Destructive,
            false,
            "Write a whole file: a new one (folders above it are made), or over one that you have \
             read, with the hash that file_read gave. To change parts of a file use file_edit. At \
             most 1 MiB.",
            json!({
                "path": { "type": "string",
                    "description": "relative to the root, or absolute beneath it" },
                "text": { "type": "string", "description": "all of the file" },
                "expected": { "type": "string",
                    "description": "hash of the file to replace; leave out for a new file" },
            }),
            &["path", "text"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let plan = self.plan(arguments, host)?;
        self.approved.remember(host.root(), arguments, &plan.state());
        Ok(Intent {
            shown: plan.shown(),
            action: Action::Write { paths: vec![plan.place.absolute] },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let plan = self.plan(arguments, host)?;
        self.approved.check(host.root(), arguments, &plan.state())?;
        host.alive()?;
        store(host.root(), &plan.place, plan.text.as_bytes(), plan.before.as_ref())?;
        let did = if plan.before.is_some() { "replaced" } else { "made" };
        let (path, hash) = (plan.place.shown(), hash_of(plan.text.as_bytes()));
        let text = format!("{did} {path}: {} bytes, hash {hash}\n", plan.text.len());
        Ok(Output {
            text: cut(&text, host.max_output()),
            touched: vec![plan.place.relative],
            ..Output::default()
        })
    }
}

struct Plan<'a> {
    place: Place,
    text: &'a str,
    before: Option<Contents>,
}

impl FileWrite {
    fn plan<'a>(&self, arguments: &'a Value, host: &dyn Host) -> Result<Plan<'a>, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let place = place(host.root(), arguments.text("path")?, Last::Followed)?;
        let text = arguments.text("text")?;
        let expected = arguments.optional_text("expected")?;
        let shown = place.shown();
        let before = match place.kind {
            None => None,
            Some(Kind::File) => Some(Contents::read(host.root(), &place)?),
            Some(Kind::Folder) => return Err(bad(format!("`{shown}` is a folder"))),
            Some(_) => return Err(ToolError::Refused(format!("`{shown}` is not a regular file"))),
        };
        match (&before, expected) {
            (None, None) => {}
            (None, Some(_)) => {
                return Err(bad(format!("there is no `{shown}` to replace: leave out `expected`")));
            }
            (Some(_), None) => {
                return Err(bad(format!(
                    "`{shown}` is there: read it first and give its hash as `expected`, or use \
                     file_edit"
                )));
            }
            (Some(before), Some(hash)) if before.hash != hash => {
                return Err(bad(format!(
                    "`{shown}` has another hash than `expected`: it has changed, read it again"
                )));
            }
            (Some(_), Some(_)) => {}
        }
        if before.as_ref().is_some_and(|before| before.bytes == text.as_bytes()) {
            return Err(bad(format!("`{shown}` has this text already")));
        }
        if let Some(Decoded::Text(old)) = before.as_ref().map(Contents::decoded) {
            keeps_secrets(old, text)?;
        }
        Ok(Plan { place, text, before })
    }
}

impl Plan<'_> {
    fn state(&self) -> Vec<u8> {
        state(&self.place.absolute, self.before.as_ref())
    }

    fn shown(&self) -> String {
        let (path, mode) = (&self.place.relative, self.before.as_ref().map_or(0, |old| old.mode));
        let change = match &self.before {
            None => diff(path, None, Some(self.text), mode),
            Some(before) => match before.decoded() {
                Decoded::Text(old) => diff(path, Some(old), Some(self.text), mode),
                _ => format!(
                    "replaces {} bytes that are not UTF-8 text\n{}",
                    before.bytes.len(),
                    diff(path, None, Some(self.text), mode)
                ),
            },
        };
        let old = self.before.as_ref().map(Contents::decoded);
        let old = if let Some(Decoded::Text(old)) = old { old } else { "" };
        format!("{}{change}", warnings(old, self.text))
    }
}

/// What the effect of writing depends on: where, and what was there.
pub(super) fn state(path: &std::path::Path, before: Option<&Contents>) -> Vec<u8> {
    let mut state = path.as_os_str().as_encoded_bytes().to_vec();
    state.push(0);
    if let Some(before) = before {
        state.extend_from_slice(&before.mode.to_be_bytes());
        state.extend_from_slice(before.hash.as_bytes());
    }
    state
}

/// Refuses a text in which a masked secret stands where the file has the secret itself: a model sees
/// secrets masked only, and writing that back would lose them.
pub(super) fn keeps_secrets(before: &str, after: &str) -> Result<(), ToolError> {
    let masks = |text: &str| text.matches(secrets::MASK).count();
    if masks(after) <= masks(before) || secrets::scan(before).is_empty() {
        return Ok(());
    }
    Err(bad(format!(
        "`{}` is how a secret of this file is shown, not what stands there: writing it would lose the secret. \
         Change other lines with file_edit, and leave that one to the user",
        secrets::MASK
    )))
}

/// What whoever approves should know before the diff: secrets that come into the text.
pub(super) fn warnings(before: &str, after: &str) -> String {
    let found = secrets::scan(after);
    let old = if found.is_empty() { Vec::new() } else { secrets::scan(before) };
    let is_new = |one: &&secrets::Finding| !old.iter().any(|known| known.hash == one.hash);
    let tell = |found: &secrets::Finding| {
        format!("warning: line {} holds what looks like a {}\n", found.line, found.kind)
    };
    found.iter().filter(is_new).map(tell).collect()
}
