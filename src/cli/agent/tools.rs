//! `elophanto agent tools`

use super::work;
use crate::cli::{Outcome, Result, Ui, escape_control_line, workspace};
use crate::wire::plugins::ToolWire;
use elophanto_agent::{Source, Spec};
use elophanto_app::mcp;
use elophanto_base::counted::counted;

/// List the tools of the agent: those built in, and deployed plugins
///
/// With `--json` each is printed with the JSON schema of its arguments. What may run without asking
/// depends on its level, the mode and your rules. Tools of other servers are listed with --servers,
/// which starts those that you trust.
#[derive(clap::Args, Debug)]
pub struct ToolsArgs {
    /// Start the servers that you added and trust, as a run does, and list their tools too
    #[arg(long)]
    servers: bool,
}

pub fn run(args: &ToolsArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let prepared = work::prepare(&workspace, std::sync::Arc::new(ui.beside()))?;
    let specs = || prepared.tools.specs().collect::<Vec<Spec>>();
    let specs = if args.servers { prepared.with_servers(specs) } else { specs() };
    for spec in &specs {
        let source = match &spec.source {
            Source::Plugin { hash } => format!("plugin {}", hash.get(..12).unwrap_or(hash)),
            Source::Server { name } => format!("server {name}"),
            Source::BuiltIn => "built in".to_owned(),
        };
        let Spec { name, level, description, .. } = spec;
        let line = format!("{name:<20} {:<12} {source:<12} {description}", level.name());
        ui.emit(&ToolWire::from(spec), escape_control_line(&line))?;
    }
    let servers = mcp::list(&workspace.environment)?.iter().filter(|it| it.trusted).count();
    if servers > 0 && !args.servers {
        ui.talk(format_args!("and those of {}: --servers lists them", counted(servers, "server")));
    }
    Ok(Outcome::Done)
}
