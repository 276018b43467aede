//! `elophanto clean`: entities that are one.

use crate::cli::{Outcome, Result, Ui, Workspace, escape_control_line};
use crate::wire::{MergeWire, ProposalWire};
use elophanto_app::{clean::entities, llm::asker::Reach, shell::quoted};
use elophanto_base::counted::{agreeing, counted};
use elophanto_knowledge::learn::{
    merge::{Proposal, Unmerged},
    record::Merge,
};

#[derive(clap::Args, Debug)]
pub struct ReviewArgs {
    /// Ask the model of the settings what it thinks of each
    #[arg(long)]
    ask: bool,
    /// Send names and facts to the model, and remember that this may be done
    #[arg(long, short, requires = "ask")]
    yes: bool,
}

#[derive(clap::Args, Debug)]
pub struct MergeArgs {
    /// The entity that goes: its name or the name of its page
    from: String,
    /// The entity that stays
    into: String,
}

#[derive(clap::Args, Debug)]
pub struct UndoArgs {
    /// The id of a merge
    id: String,
}

/// Merges what is certain if that is wanted, and says what else may be one.
pub fn merge_all(workspace: &Workspace, apply: bool, dry: bool, ui: &mut Ui) -> Result<()> {
    let would = if apply { "would merge" } else { "may merge" };
    let told = &mut |proposal: &Proposal, merged: Option<&Merge>| match merged {
        None => ui.emit(&ProposalWire::of(proposal, None), line(proposal, would)),
        Some(done) => {
            let line = line(proposal, "merged");
            let text = format!("{line} (undo: elophanto clean undo {})", done.id);
            ui.emit(&MergeWire::from(done), text)
        }
    };
    let pairs = entities::merge_certain(workspace, apply && !dry, told)?;
    if !apply && pairs.certain > 0 {
        ui.note("`elophanto clean --apply` merges them");
    }
    if pairs.likely > 0 {
        ui.note(format_args!(
            "{} {} for you to decide: `elophanto clean review`",
            counted(pairs.likely, "pair"),
            agreeing(pairs.likely, "is", "are")
        ));
    }
    Ok(())
}

pub fn review(workspace: &Workspace, args: &ReviewArgs, ui: &mut Ui) -> Result<Outcome> {
    let reach = if args.ask { Reach::Agreed } else { Reach::Nothing };
    let beside = ui.beside();
    let told = &mut |proposal: &Proposal, said: Option<&'static str>| {
        let verb = if proposal.is_certain { "surely one" } else { "perhaps one" };
        let mut text = line(proposal, verb);
        if let Some(said) = said {
            text.push_str(&format!("\n    the model says: {said}"));
        }
        text.push_str(&format!(
            "\n    elophanto clean merge {} {}",
            quoted(&escape_control_line(&proposal.from.0)),
            quoted(&escape_control_line(&proposal.into.0))
        ));
        ui.emit(&ProposalWire::of(proposal, said), text)
    };
    let pairs = entities::review(workspace, reach, args.yes, &beside, told)?;
    Ok(ui.listed(pairs == 0, "no entities look alike"))
}

pub fn merge_two(workspace: &Workspace, args: &MergeArgs, ui: &mut Ui) -> Result<Outcome> {
    let done = entities::merge(workspace, &args.from, &args.into)?;
    ui.done(
        &MergeWire::from(&done),
        format_args!(
            "merged {} into {} (undo: elophanto clean undo {})",
            escape_control_line(&done.from_name),
            escape_control_line(&done.into_name),
            done.id
        ),
    )
}

pub fn undo(workspace: &Workspace, args: &UndoArgs, ui: &mut Ui) -> Result<Outcome> {
    let (merge, how, outcome) = match entities::undo(workspace, &args.id)? {
        Some(Unmerged::Done(merge)) => (merge, "are two again", Outcome::Done),
        Some(Unmerged::Already(merge)) => (merge, "were taken apart before", Outcome::Negative),
        None => {
            return Ok(ui.nothing(format_args!(
                "no merge is called `{}`; its id stood beside it when it was made",
                escape_control_line(&args.id)
            )));
        }
    };
    let (from, into) =
        (escape_control_line(&merge.from_name), escape_control_line(&merge.into_name));
    ui.emit(&MergeWire::from(&merge), format_args!("{from} and {into} {how}"))?;
    Ok(outcome)
}

fn line(proposal: &Proposal, verb: &str) -> String {
    format!(
        "{verb}: {} -> {} ({})",
        escape_control_line(&proposal.from.1),
        escape_control_line(&proposal.into.1),
        proposal.reason
    )
}
