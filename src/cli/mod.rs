//! The door for people, scripts and hooks.
//!
//! Owns arguments, exit codes and everything that is printed. Stdout is data, stderr
//! is talk. Exit 0: done. 1: an honest no (nothing found, not complete). 2: failed.

// What describes an argument is what `--help` shows, where an address stands as it is typed.
#![allow(rustdoc::bare_urls)]

mod agent;
mod arguments;
mod begin;
mod changelog;
mod channel;
mod clean;
mod doctor;
mod editor;
mod enrich;
mod entity;
mod env;
mod eval;
mod gateway;
mod generate;
mod graph;
mod groups;
mod hook;
mod index;
mod init;
mod interest;
mod learn;
mod lsp;
mod model;
mod page;
mod publish;
mod scan;
mod schedule;
mod search;
mod trust;
mod unlock;
mod usage;
mod vault;
mod workspace;

use std::{ffi::OsString, process::ExitCode};

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

pub use crate::terminal::Outcome;
use crate::terminal::{
    secret_input::{self, Descriptor},
    ui::{Ui, escape_control_line, exact_line, report, visible},
};
use arguments::{DoneJson, DoneLines, Json, NoArgs, OneJson, commands, flags, one_of};
use elophanto_app::{Error as CliError, Result};
use elophanto_knowledge::interest::PreferenceKind::{Dislike, Like};
use unlock::UnlockArgs;
use workspace::Workspace;

/// Turns a git repository's Markdown into a knowledge base that people and AI agents share
///
/// Works offline from the first command. The index lies beside the Markdown in git, so that
/// whoever clones the repository can search at once, by meaning and by keyword.
#[derive(Parser, Debug)]
#[command(name = "elophanto", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print without colours and links
    #[arg(long, global = true, display_order = 900)]
    no_color: bool,
}

// What a command takes is put together once it is called: most are not.
commands! {
    #[command(defer = true)]
    enum Command(args, ui);
    Init(init::InitArgs) => init::run(args, ui);
    Index(index::IndexArgs) => index::run(args, ui);
    Scan(Box<Json<scan::ScanArgs>>) => scan::run(args, ui);
    Graph(graph::GraphArgs) => graph::run(args, ui);
    Search(Box<search::SearchArgs>) => search::run(args, ui);
    Learn(Json<learn::LearnArgs>) => learn::run(args, ui);
    Enrich(Json<enrich::EnrichArgs>) => enrich::run(args, ui);
    #[command(alias = "memory")]
    Entity(Json<entity::EntityArgs>) => entity::run(args, ui);
    /// Say that you like a topic: an entity is made of it, and it is worth finding out more
    Like(Json<interest::PreferenceArgs>) => interest::note_preference(args, Like, false, ui);
    /// Take a like back
    Unlike(Json<interest::PreferenceArgs>) => interest::note_preference(args, Like, true, ui);
    /// Say that you do not care for a topic: nothing more is found out about it
    Dislike(Json<interest::PreferenceArgs>) => interest::note_preference(args, Dislike, false, ui);
    /// Take a dislike back
    Undislike(Json<interest::PreferenceArgs>) => interest::note_preference(args, Dislike, true, ui);
    Interests(Json<interest::InterestsArgs>) => interest::interests(args, ui);
    React(Json<interest::ReactArgs>) => interest::react(args, ui);
    Agent(agent::AgentArgs) => args.run(ui);
    Gateway(gateway::GatewayArgs) => gateway::run(args, ui);
    Channel(channel::ChannelArgs) => args.run(ui);
    Page(Json<page::PageArgs>) => page::run(args, ui);
    Acp(lsp::AcpArgs) => lsp::acp(args);
    Publish(Json<publish::PublishArgs>) => publish::run(args, ui);
    Lsp(lsp::LspArgs) => lsp::run(args);
    Editor(editor::EditorArgs) => args.run(ui);
    Schedule(schedule::ScheduleArgs) => args.run(ui);
    Changelog(Json<changelog::ChangelogArgs>) => changelog::run(args, ui);
    Doctor(Json<doctor::DoctorArgs>) => doctor::run(args, ui);
    Clean(Json<clean::CleanArgs>) => clean::run(args, ui);
    Eval(Json<eval::EvalArgs>) => eval::run(args, ui);
    Hook(hook::HookArgs) => hook::run(args, ui);
    Trust(Json<trust::TrustArgs>) => trust::run(args, ui);
    Vault(vault::VaultArgs) => args.run(ui);
    Model(model::ModelArgs) => args.run(ui);
    Usage(Json<usage::UsageArgs>) => usage::run(args, ui);
    Completions(generate::CompletionsArgs) => generate::completions(args, ui);
    Man(generate::ManArgs) => generate::man(args, ui);
}

/// Runs the program.
pub fn main() -> ExitCode {
    env::forbid_version_hints();
    env::survive_file_size_limit();
    tell_of_panics();
    let given = read(Cli::command().try_get_matches());
    let (cli, is_json) = match given.or_else(with_dashed_words).or_else(with_help) {
        Ok(given) => given,
        Err(cause) => {
            let is_bare = env::arguments().len() == 1;
            if let Some(repository) = is_bare.then(begin::here).flatten() {
                return exit_code(with_ui(false, false, |ui| begin::run(repository, ui)));
            }
            // Help and version are answers, not failures. A closed pipe is nobody's loss.
            let code = u8::try_from(cause.exit_code()).unwrap_or(2);
            return match cause.print() {
                Err(cause) if cause.kind() != std::io::ErrorKind::BrokenPipe => {
                    report(&cause.into());
                    ExitCode::from(2)
                }
                _ => ExitCode::from(code),
            };
        }
    };
    exit_code(with_ui(cli.no_color, is_json, |ui| cli.command.run(ui)))
}

fn exit_code(ended: Result<Outcome>) -> ExitCode {
    match ended {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(cause) if cause.broken_pipe => ExitCode::SUCCESS,
        Err(cause) => {
            report(&cause);
            ExitCode::from(2)
        }
    }
}

/// What was given, and whether stdout is JSON Lines.
fn read(matches: clap::error::Result<ArgMatches>) -> clap::error::Result<(Cli, bool)> {
    let matches = matches?;
    let cli = Cli::from_arg_matches(&matches)?;
    let is_json = is_json(&cli.command, &matches);
    Ok((cli, is_json))
}

/// The same where an argument of several words begins with a dash, which no option does: a question.
fn with_dashed_words(cause: clap::Error) -> clap::error::Result<(Cli, bool)> {
    let is_words = |argument: &OsString| {
        let text = argument.to_str().unwrap_or_default();
        text.starts_with('-') && text.contains(char::is_whitespace)
    };
    let (words, mut rest): (Vec<_>, Vec<_>) = env::arguments().partition(is_words);
    if words.is_empty() || rest.iter().any(|argument| argument == "--") {
        return Err(cause);
    }
    rest.push("--".into());
    rest.extend(words);
    read(Cli::command().try_get_matches_from(rest)).map_err(|_| cause)
}

/// The same with all subcommands put together, for what help and errors tell of them.
fn with_help(cause: clap::Error) -> clap::error::Result<(Cli, bool)> {
    if cause.kind() == clap::error::ErrorKind::DisplayVersion {
        return Err(cause);
    }
    let mut command = Cli::command();
    command.build();
    read(groups::grouped(command).try_get_matches())
}

fn with_ui(
    no_color: bool,
    json: bool,
    run: impl FnOnce(&mut Ui) -> Result<Outcome>,
) -> Result<Outcome> {
    let variables = env::variables();
    let plain = no_color
        || variables.get("NO_COLOR").is_some_and(|value| !value.is_empty())
        || variables.get("TERM").is_some_and(|term| term == "dumb");
    let mut ui = Ui::new(json, plain);
    let outcome = run(&mut ui)?;
    ui.flush()?;
    Ok(outcome)
}

/// Whether stdout is JSON Lines.
fn is_json(command: &Command, matches: &ArgMatches) -> bool {
    match command {
        Command::Graph(args) => args.is_json(),
        Command::Search(args) => args.is_json(),
        _ => says_json(matches),
    }
}

/// Whether a command, or the one below it that was named, was given `--json`.
fn says_json(matches: &ArgMatches) -> bool {
    let is_said = matches.try_get_one("json").is_ok_and(|said| said == Some(&true));
    is_said || matches.subcommand().is_some_and(|(_, below)| says_json(below))
}

/// A panic that ends the program is a bug, and says how to report it. One while Lance reads a damaged
/// table is turned into an error where it is called; it need not be printed as well.
fn tell_of_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        if name != elophanto_tables::WORKER_THREAD && !name.starts_with("lance") {
            usual(panic);
        }
        if name == "main" {
            report(&CliError::bug("elophanto had to stop"));
        }
    }));
}
