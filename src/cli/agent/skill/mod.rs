//! `elophanto agent skill`

mod bring;
mod look;

use crate::cli::{Json, NoArgs, commands};

commands! {
    /// Skills: folders with a SKILL.md that teach the agent a kind of work
    struct SkillArgs(args, ui);
    /// List all skills, where each comes from, and which hide others of their name
    ///
    /// Of those with one name your own wins, then the repository's, then an installed one, then a
    /// bundled one.
    List(Json<NoArgs>) => look::list(args, ui);
    Show(Json<look::ShowArgs>) => look::show(args, ui);
    New(Json<look::NewArgs>) => look::new(args, ui);
    Install(Json<bring::InstallArgs>) => bring::install(args, ui);
    Update(Json<bring::UpdateArgs>) => bring::update(args, ui);
    Remove(Json<bring::RemoveArgs>) => bring::remove(args, ui);
}
