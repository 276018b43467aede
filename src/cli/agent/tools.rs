//! `elophanto agent tools`

use elophanto_app::mcp;
use elophanto_base::counted::counted;
use serde_json::Value;

use super::work;
use crate::cli::{Outcome, Result, Ui, escape_control_line, workspace};

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
    let manifest = || prepared.tools.manifest();
    let manifest = if args.servers { prepared.with_servers(manifest) } else { manifest() };
    for tool in manifest.as_array().map(Vec::as_slice).unwrap_or_default() {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let source = match tool["source"]["kind"].as_str() {
            Some("plugin") => {
                let hash = word(&tool["source"]["hash"]);
                format!("plugin {}", hash.get(..12).unwrap_or(&hash))
            }
            Some("server") => format!("server {}", word(&tool["source"]["name"])),
            _ => "built in".to_owned(),
        };
        let (name, level) = (word(&tool["name"]), word(&tool["level"]));
        let described = word(&tool["description"]);
        let line = format!("{name:<20} {level:<12} {source:<12} {described}");
        ui.emit(tool, escape_control_line(&line))?;
    }
    let servers = mcp::list(&workspace.environment)?.iter().filter(|it| it.trusted).count();
    if servers > 0 && !args.servers {
        ui.talk(format_args!("and those of {}: --servers lists them", counted(servers, "server")));
    }
    Ok(Outcome::Done)
}
