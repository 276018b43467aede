//! `elophanto agent skill`

mod bring;
mod look;

use super::super::{Outcome, arguments::Json, error::Result, ui::Ui};

/// Skills: folders with a SKILL.md that teach the agent a kind of work
#[derive(clap::Args, Debug)]
pub struct SkillArgs {
    #[command(subcommand)]
    command: SkillCommand,
}

#[derive(clap::Subcommand, Debug)]
enum SkillCommand {
    List(Json<look::ListArgs>),
    Show(Json<look::ShowArgs>),
    New(Json<look::NewArgs>),
    Install(Json<bring::InstallArgs>),
    Update(Json<bring::UpdateArgs>),
    Remove(Json<bring::RemoveArgs>),
}

pub fn run(args: &SkillArgs, ui: &mut Ui) -> Result<Outcome> {
    match &args.command {
        SkillCommand::List(_) => look::list(ui),
        SkillCommand::Show(args) => look::show(args, ui),
        SkillCommand::New(args) => look::new(args, ui),
        SkillCommand::Install(args) => bring::install(args, ui),
        SkillCommand::Update(args) => bring::update(args, ui),
        SkillCommand::Remove(args) => bring::remove(args, ui),
    }
}
