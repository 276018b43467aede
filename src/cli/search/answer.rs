//! How `elophanto search --answer` prints.

use std::fmt::Write as _;

use crate::cli::{Outcome, Result, Ui, escape_control_line, visible};
use crate::wire::ReplyWire;
use elophanto_app::{
    doctor::drift_line,
    search::answer::{Citation, Nearest, Reply},
    shell::quoted,
};
use elophanto_index::{Kind, drift::Drift};

/// Prints an answer, or that there is none; then the notes need not be searched again, where `learn` looks
/// nowhere else. `drifted` are the notes that have, of those found.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(
    reply: &Reply,
    drifted: &[Drift],
    learns_from_notes_alone: bool,
    ui: &mut Ui,
) -> Result<Outcome> {
    let wire = ReplyWire::of(reply, drifted);
    let Some(text) = &reply.answer else { return refuse(&wire, learns_from_notes_alone, ui) };
    let drift = |path: &str| drifted.iter().find(|it| it.path.to_text() == path);
    let mut shown = visible(text);
    shown.push('\n');
    for numbers in &reply.contradictions {
        let _ = writeln!(shown, "{} say otherwise of the same thing: newest first", list(numbers));
    }
    for citation in &reply.citations {
        let Citation { number, path, line, title, kind, source, against, superseded, .. } =
            citation;
        let _ = write!(
            shown,
            "\n[{number}] {}:{line}  {}",
            escape_control_line(path),
            escape_control_line(title)
        );
        if *kind == Kind::Summary.name() {
            shown.push_str(" (description)");
        }
        if let Some(source) = source {
            let _ = write!(shown, "  from {}", escape_control_line(source));
        }
        if let Some(note) = against {
            let _ = write!(shown, " (your note says otherwise: {})", escape_control_line(note));
        }
        if *superseded {
            shown.push_str(" (superseded)");
        }
        if let Some(drift) = drift(path) {
            let _ = write!(shown, "\n    ! {}", drift_line(drift));
        }
    }
    ui.emit(&wire, shown)?;
    if !reply.unsaid.is_empty() {
        ui.talk(format_args!(
            "what is quoted first does not say `{}`: it may be about something else",
            escape_control_line(&reply.unsaid.join("`, `"))
        ));
    }
    if let Some(id) = &reply.id {
        ui.talk(format_args!("(`elophanto react {id} +` or `-`)"));
    }
    Ok(Outcome::Done)
}

/// Says that what is known does not suffice.
fn refuse(wire: &ReplyWire, learns_from_notes_alone: bool, ui: &mut Ui) -> Result<Outcome> {
    let reply = wire.reply;
    if ui.json {
        ui.json(wire)?;
    }
    let setup = if learns_from_notes_alone { "elophanto learn --setup, then " } else { "" };
    ui.talk(format_args!(
        "what is known does not suffice to answer that; find out: {setup}elophanto learn -- {}",
        quoted(&escape_control_line(&reply.question))
    ));
    if let Some(Nearest { path, line, title, text }) = &reply.nearest {
        let (path, title) = (escape_control_line(path), escape_control_line(title));
        ui.talk(format_args!("the nearest is {path}:{line}  {title}"));
        if let Some(text) = text {
            ui.talk(format_args!("    {}", escape_control_line(text)));
        }
    }
    Ok(Outcome::Negative)
}

/// Numbers as `[1] and [2]`.
fn list(numbers: &[usize]) -> String {
    numbers.iter().map(|number| format!("[{number}]")).collect::<Vec<_>>().join(" and ")
}
