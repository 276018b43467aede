//! `elophanto learn --setup`

use secrecy::{ExposeSecret, SecretString};

use crate::cli::{
    CliError, Descriptor, Outcome, Result, Ui, UnlockArgs, env, escape_control_line, secret_input,
};
use crate::wire::LearnSetupWire;
use elophanto_app::learn_setup::{Wanted, set_up};
use elophanto_net::vault::{Kind, Name};

/// Where the web is searched.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceArg {
    /// A SearXNG of yours or of somebody else: its address is asked for
    Searxng,
    /// Brave Search: its key is asked for
    Brave,
    /// Tavily: its key is asked for
    Tavily,
    /// A program that is given a query and prints what it found
    Command,
}

/// Asks for what a service takes (at the terminal, else on standard input), tries it, and writes the
/// user's own settings.
///
/// # Errors
/// When nobody can be asked, the service does not answer, or something cannot be written.
pub fn run(service: Option<ServiceArg>, ui: &mut Ui) -> Result<Outcome> {
    let service = match service {
        Some(service) => service,
        None => chosen(ui)?,
    };
    let environment = env::environment();
    let of_variable = |name: &str| {
        let key = environment.secrets().variable(name);
        key.filter(|key| !key.expose_secret().is_empty())
    };
    let (wanted, is_kept) = match service {
        ServiceArg::Searxng => {
            (Wanted::Searxng { url: line("Its address, such as http://localhost:8888: ")? }, true)
        }
        ServiceArg::Command => {
            (Wanted::Command { line: line("The program with its arguments: ")? }, true)
        }
        ServiceArg::Brave => match of_variable("BRAVE_API_KEY") {
            Some(key) => (Wanted::Brave { key }, true),
            None => (Wanted::Brave { key: secret("Its key: ")? }, false),
        },
        ServiceArg::Tavily => match of_variable("TAVILY_API_KEY") {
            Some(key) => (Wanted::Tavily { key }, true),
            None => (Wanted::Tavily { key: secret("Its key: ")? }, false),
        },
    };
    let name = if service == ServiceArg::Brave { "brave" } else { "tavily" };
    let mut keep = |key: &SecretString| -> Result<()> {
        if is_kept {
            return Ok(());
        }
        let (unlock, entry): (UnlockArgs, Name) = (UnlockArgs::default(), name.parse()?);
        let passphrase = unlock.descriptor()?;
        let value = || Ok(key.clone());
        unlock.entrance(passphrase)?.set(&entry, Kind::ApiKey, value, ui).map(drop)
    };
    let done = set_up(&wanted, &environment, &mut keep)?;
    let settings = done.file.display().to_string();
    let wire = LearnSetupWire { service: done.service, found: done.found, settings: &settings };
    let text = format!(
        "{} answers; `learn` searches there from now on ({})",
        done.service,
        escape_control_line(&settings)
    );
    ui.emit(&wire, text)?;
    if done.found == 0 {
        ui.note("it found nothing when it was tried, which may be as it should");
    }
    Ok(Outcome::Done)
}

fn chosen(ui: &Ui) -> Result<ServiceArg> {
    if !ui.can_ask() {
        return Err(CliError::new("nobody can be asked where to search")
            .hint("name it: `elophanto learn --setup searxng`, brave, tavily or command"));
    }
    ui.talk("Where is the web to be searched?");
    ui.talk("1) a SearXNG   2) Brave Search   3) Tavily   4) a program of yours");
    match line("The number: ")?.trim() {
        "1" => Ok(ServiceArg::Searxng),
        "2" => Ok(ServiceArg::Brave),
        "3" => Ok(ServiceArg::Tavily),
        "4" => Ok(ServiceArg::Command),
        other => {
            Err(CliError::new(format_args!("`{}` is none of them", escape_control_line(other)))
                .hint("answer with a number from 1 to 4"))
        }
    }
}

/// A line of the terminal, or standard input.
fn line(question: &str) -> Result<String> {
    Ok(secret(question)?.expose_secret().trim().to_owned())
}

fn secret(question: &str) -> Result<SecretString> {
    if secret_input::stdin_is_terminal() {
        return secret_input::ask_value(question);
    }
    Descriptor::stdin()?.value()
}
