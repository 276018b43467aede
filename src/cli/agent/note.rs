//! `elophanto agent note`

use crate::cli::{CliError, Outcome, Result, Ui, escape_control_line, workspace};
use crate::wire::WrittenWire;
use elophanto_app::notes::{MOST_BYTES, sections, write};
use elophanto_text::authoring::{Draft, Kind};

/// Write a note about a task, a pattern, a failure or a service
///
/// It goes below `knowledge/learned/` and begins with title, times, tags and scope. Its text comes
/// from --section, or from standard input with `-`; without either, the headings wait to be filled.
#[derive(clap::Args, Debug)]
pub struct NoteArgs {
    /// task, pattern, failure, service or note
    #[arg(value_parser = kind)]
    kind: Kind,
    /// What it is called
    title: String,
    /// `-` reads the text from standard input
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with = "section")]
    text: Option<String>,
    /// What stands under one of its headings, such as 'Root cause=the cache belonged to root'
    #[arg(long, value_name = "HEADING=TEXT", value_parser = section)]
    section: Vec<(String, String)>,
    /// Keywords
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
}

/// A kind of note by its name.
fn kind(name: &str) -> Result<Kind, String> {
    Kind::named(name)
        .ok_or_else(|| format!("give one of {}", Kind::ALL.map(Kind::as_str).join(", ")))
}

fn section(text: &str) -> Result<(String, String), String> {
    let (heading, text) = text.split_once('=').ok_or("give HEADING=TEXT")?;
    Ok((heading.trim().to_owned(), text.to_owned()))
}

pub fn run(args: &NoteArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let texts = sections(args.kind, &args.section)?;
    let body = match &args.text {
        None => None,
        Some(_) => {
            let bytes = ui.input(MOST_BYTES)?.ok_or_else(|| {
                CliError::new("`-` reads standard input, which is a terminal")
                    .hint("pipe the text in, or give --section")
            })?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
    };
    let sections: Vec<(&str, &str)> =
        texts.iter().map(|(heading, text)| (*heading, text.as_str())).collect();
    let draft = Draft {
        kind: args.kind,
        title: &args.title,
        sections: if body.is_some() { &[] } else { &sections },
        body: body.as_deref(),
        tags: Some(&args.tags),
        path: None,
    };
    let path = write(&workspace, &draft, None, ui)?.path.to_string_lossy().into_owned();
    let shown = escape_control_line(&path);
    ui.done(&WrittenWire { path, hash: None }, shown)
}
