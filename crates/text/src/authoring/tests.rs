//! Tables and properties of the room. The tables of one file stand together here, as most of them
//! go through `plan`.

use std::{collections::BTreeMap, path::Path};

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::markdown::{self, Document, Scope};

mod excerpts;
mod hostile;
mod overwriting;
mod paths;
mod texts;

const ROOT: &str = "knowledge";

fn now() -> Timestamp {
    "2026-11-22T06:07:08.9Z".parse().unwrap()
}

fn draft(title: &str) -> Draft<'_> {
    Draft { kind: Kind::Note, title, sections: &[], body: None, tags: None, path: None }
}

/// A world in which these files are.
fn world(files: &[(&str, &str)]) -> impl Fn(&Path) -> Existing + use<> {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    move |path| {
        let path = path.to_str().unwrap();
        if files.keys().any(|file| file.starts_with(&format!("{path}/"))) {
            return Existing::NotAFile;
        }
        files.get(path).map_or(Existing::None, |text| Existing::Text(text.clone()))
    }
}

fn plan_in_void(draft: &Draft<'_>) -> Result<Planned, AuthoringError> {
    plan(draft, Path::new(ROOT), now(), &|_| Existing::None, None)
}

fn body_of(text: &str) -> &str {
    &text[markdown::parse(text).unwrap().body]
}

/// Error and hint in one line.
fn told(error: &AuthoringError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}
