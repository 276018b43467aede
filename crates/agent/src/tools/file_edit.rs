//! `file_edit`: exact replacements in one file.

use serde_json::{Value, json};

use super::{
    approved::Approved,
    arguments::{Arguments, bad, spec},
    contents::{Contents, hash_of, store},
    cut::cut,
    diff::diff,
    edits::{Edit, apply},
    file_write::{keeps_secrets, state, warnings},
    paths::{Last, Place, place},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::beneath::Kind;
use elophanto_base::counted::counted;

/// Edits in one call at most.
const MOST_EDITS: usize = 100;

/// Replaces parts of a text file.
#[derive(Default)]
pub struct FileEdit {
    approved: Approved,
}

impl Tool for FileEdit {
    fn spec(&self) -> Spec {
        spec(
            "file_edit",
            Level::Destructive,
            true,
            "Replace parts of a text file. Each `old` has to be in the file exactly once, letter by \
             letter, white space included, unless `all` is set. Edits are made in order, all or \
             none. Line ends of the file are kept. At most 100 edits.",
            json!({
                "path": { "type": "string",
                    "description": "relative to the root, or absolute beneath it" },
                "edits": {
                    "type": "array", "minItems": 1, "maxItems": MOST_EDITS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "old": { "type": "string", "description": "what is there" },
                            "new": { "type": "string", "description": "what comes in its place" },
                            "all": { "type": "boolean", "description": "replace it everywhere" },
                        },
                        "required": ["old", "new"],
                        "additionalProperties": false,
                    },
                },
                "expected": { "type": "string",
                    "description": "hash of the file, to be sure that it is as it was read" },
            }),
            &["path", "edits"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let plan = self.plan(arguments, host)?;
        let old = plan.before.text(&plan.place)?;
        let change = diff(&plan.place.relative, Some(old), Some(&plan.after), plan.before.mode);
        let state = state(&plan.place.absolute, Some(&plan.before));
        self.approved.remember(host.root(), arguments, &state);
        Ok(Intent {
            shown: format!("{}{change}", warnings(old, &plan.after)),
            action: Action::Write { paths: vec![plan.place.absolute] },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let plan = self.plan(arguments, host)?;
        let state = state(&plan.place.absolute, Some(&plan.before));
        self.approved.check(host.root(), arguments, &state)?;
        host.alive()?;
        store(host.root(), &plan.place, plan.after.as_bytes(), Some(&plan.before))?;
        let (path, hash) = (plan.place.shown(), hash_of(plan.after.as_bytes()));
        let places = counted(plan.places, "place");
        let text = format!("edited {path} in {places}: hash {hash}\n");
        Ok(Output {
            text: cut(&text, host.max_output()),
            touched: vec![plan.place.relative],
            ..Output::default()
        })
    }
}

struct Plan {
    place: Place,
    before: Contents,
    after: String,
    places: usize,
}

impl FileEdit {
    fn plan(&self, arguments: &Value, host: &dyn Host) -> Result<Plan, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let place = place(host.root(), arguments.text("path")?, Last::Followed)?;
        let edits = arguments.list("edits")?;
        if edits.is_empty() || edits.len() > MOST_EDITS {
            return Err(bad(format!("`edits` is to hold 1 to {MOST_EDITS} edits")));
        }
        let inner: Vec<Arguments> = edits
            .iter()
            .map(|edit| Arguments::inner(edit, &["old", "new", "all"]))
            .collect::<Result<_, _>>()?;
        let edits: Vec<Edit> = inner
            .iter()
            .map(|edit| {
                let (old, new) = (edit.text("old")?, edit.text("new")?);
                Ok(Edit { old, new, all: edit.flag("all")? })
            })
            .collect::<Result<_, ToolError>>()?;
        let shown = place.shown();
        match place.kind {
            Some(Kind::File) => {}
            Some(Kind::Folder) => return Err(bad(format!("`{shown}` is a folder"))),
            Some(_) => return Err(ToolError::Refused(format!("`{shown}` is not a regular file"))),
            None => return Err(bad(format!("there is no `{shown}`: file_write makes files"))),
        }
        let before = Contents::read(host.root(), &place)?;
        if arguments.optional_text("expected")?.is_some_and(|hash| hash != before.hash) {
            return Err(bad(format!(
                "`{shown}` has another hash than `expected`: it has changed, read it again"
            )));
        }
        let (after, places) =
            apply(before.text(&place)?, &edits).map_err(|why| bad(format!("{shown}: {why}")))?;
        keeps_secrets(before.text(&place)?, &after)?;
        if after.as_bytes() == before.bytes {
            return Err(bad(format!("{shown}: the edits undo each other")));
        }
        Ok(Plan { place, before, after, places })
    }
}
