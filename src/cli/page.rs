//! `elophanto page`

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use axum::http::Method;

use super::{
    Outcome, Result, Ui, Workspace, escape_control_line, gateway::serve::usual_program, workspace,
};
use crate::{
    gateway::files::GatewayFiles,
    listening::{life, own},
    page::{self, Library, address::encoded},
    wire::servers::PageAddressWire,
};
use elophanto_app::{Environment, Error, gateway::Served};
use elophanto_base::{counted::counted, process};

/// How long the gateway may take to issue a ticket.
const PATIENCE: Duration = Duration::from_secs(5);

/// See, search and read the knowledge base in your browser
///
/// Starts your gateway unless it runs, and opens its page. The address that is opened is good once, and
/// for a minute; the browser may come back for twelve hours.
#[derive(clap::Args, Debug)]
pub struct PageArgs {
    /// Print the address, and open nothing
    #[arg(long, conflicts_with = "export")]
    print: bool,
    /// Write the reading part as files into a folder that is new or empty, for a web server
    ///
    /// Notes, entities, graph, and a search that the browser does. Nothing is written if anything in it
    /// looks like a secret.
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// Of the notes as of a commit, branch, tag or date
    #[arg(long, value_name = "REV", requires = "export")]
    at: Option<String>,
}

pub fn run(args: &PageArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let environment = workspace.environment.clone();
    if let Some(folder) = &args.export {
        return export(workspace, folder, args.at.as_deref(), ui);
    }
    let root = &workspace.repository.root;
    let files = GatewayFiles::of(&environment)?;
    files.prepare()?;
    let (running, _) = life::ensure(root, &files.server, &[usual_program()?])?;
    let (status, said) = own::ask(&files.socket, Method::POST, "/ticket", PATIENCE)?;
    let (Some(ticket), Some(page)) = (said["ticket"].as_str(), said["page"].as_str()) else {
        let error = Error::new(format_args!("your gateway has no page ({status})"));
        return Err(error.hint("it is of an older version: `elophanto gateway stop`, then again"));
    };
    let name = match files.reach(root) {
        Some(reached) => encoded(&reached.name) + "/",
        None => {
            ui.note(
                "your gateway does not serve this repository: name it in gateway.repositories of your \
                 own settings, then `elophanto gateway stop` and again",
            );
            String::new()
        }
    };
    let url = format!("{}{page}{name}#ticket={ticket}", running.base());
    let opened = !args.print && open(&environment, &url);
    if opened && !ui.json {
        ui.talk(
            "the page opens in your browser; `elophanto page --print` prints its address instead",
        );
        return Ok(Outcome::Done);
    }
    ui.done(&PageAddressWire { url: &url, opened }, &url)
}

fn export(workspace: Workspace, folder: &Path, at: Option<&str>, ui: &mut Ui) -> Result<Outcome> {
    let root = workspace.repository.root.clone();
    let environment = workspace.environment.clone();
    let (here, _) = Served::all(&[PathBuf::from(".")], Some(&root), &environment)?;
    let library = Library::new(&here, environment);
    let written = page::export::export(&library, workspace, folder, at)?;
    let text = format!(
        "{} written to {}",
        counted(written.pages, "page"),
        escape_control_line(&written.folder)
    );
    ui.done(&written, text)
}

/// Opens an address in the browser of the desktop; whether there is one.
fn open(environment: &Environment, url: &str) -> bool {
    let has = |name: &str| environment.harmless().get(name).is_some_and(|it| !it.is_empty());
    let program = match cfg!(target_os = "macos") {
        true => "open",
        false if has("DISPLAY") || has("WAYLAND_DISPLAY") => "xdg-open",
        false => return false,
    };
    let words = [program.to_owned(), url.to_owned()];
    process::detach(&words, Path::new("/"), Stdio::null(), None).is_ok()
}
