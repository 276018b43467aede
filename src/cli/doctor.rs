//! `elophanto doctor`

use std::path::Path;

use super::{Outcome, Result, Ui, escape_control_line, visible, workspace};
use crate::wire::upkeep::SettingWire;
use elophanto_app::doctor::{Diagnosis, Facts, Finding, Unfilled, examine, told_some};
use elophanto_base::counted::counted;
use elophanto_repo::locate;

/// Say what is indexed, by which model, how fresh, how large, and what is wrong
///
/// Every finding comes with the command that mends it. Exits with 1 if there is any.
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// Show every setting with the place it comes from
    #[arg(long)]
    settings: bool,
}

pub fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = match workspace::at(locate(Path::new("."))?, Vec::new(), ui) {
        Ok(workspace) => workspace,
        Err(cause) => return show(&[cause.into()], ui),
    };
    let Diagnosis { facts, findings, .. } = examine(&workspace)?;
    if ui.json {
        ui.json(&facts)?
    } else {
        print_facts(&facts, ui)?
    }
    if args.settings {
        for setting in workspace.config.origins() {
            let text = format!("{}: {}  ({})", setting.key, setting.value, setting.origin);
            ui.emit(&SettingWire::from(&setting), escape_control_line(&text))?;
        }
    }
    let outcome = show(&findings, ui)?;
    if findings.is_empty() && !ui.json {
        ui.line("nothing is wrong")?;
    }
    Ok(outcome)
}

/// Programs get all findings.
fn show(findings: &[Finding], ui: &mut Ui) -> Result<Outcome> {
    let some = told_some(findings);
    for finding in if ui.json { findings } else { some.as_slice() } {
        let text = format!("! {}\n  mend: {}", finding.finding, finding.mend);
        ui.emit(finding, visible(&text))?;
    }
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Negative })
}

fn print_facts(facts: &Facts, ui: &mut Ui) -> Result<()> {
    let kind = if facts.git { "git repository" } else { "plain folder" };
    ui.line(format_args!("root      {} ({kind})", escape_control_line(&facts.root)))?;
    ui.line(format_args!("model     {}", facts.model))?;
    let chunks = counted(facts.chunks, "chunk");
    ui.line(format_args!("notes     {} in {chunks}, up to date", facts.notes))?;
    ui.line(format_args!(
        "view      {} in {}, local, may be deleted",
        size(facts.view_bytes),
        counted(facts.segments, "segment")
    ))?;
    if facts.git {
        ui.line(format_args!(
            "index     {} in {} below .elophanto/index",
            size(facts.tables_bytes),
            counted(facts.tables, "table")
        ))?;
    }
    for Unfilled { path, sections } in &facts.unfilled {
        let sections = escape_control_line(&sections.join(", "));
        ui.line(format_args!("unfilled  {}: {sections}", escape_control_line(path)))?;
    }
    Ok(())
}

/// Bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => counted(bytes, "byte"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
