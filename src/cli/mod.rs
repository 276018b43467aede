//! The door for people, scripts and hooks.
//!
//! Owns arguments, wire types, exit codes and everything that is printed. Stdout is data, stderr
//! is talk. Exit 0: done. 1: an honest no (nothing found, not complete). 2: failed.

mod acp;
mod agent;
mod arguments;
mod begin;
mod changelog;
mod channel;
mod clean;
mod clean_entities;
mod doctor;
mod editor;
mod enrich;
mod entity;
mod env;
mod error;
mod eval;
mod gateway;
mod generate;
mod graph;
mod groups;
mod hook;
mod hook_run;
mod index;
mod index_git;
mod init;
mod interest;
mod learn;
mod learn_setup;
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
use crate::terminal::{secret_input, ui};
use arguments::Json;
use elophanto_knowledge::interest::PreferenceKind::{Dislike, Like};
use error::{CliError, Result};
use ui::Ui;

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

// What a subcommand takes is put together once it is called: most are not.
#[derive(clap::Subcommand, Debug)]
#[command(defer = true)]
enum Command {
    Init(init::InitArgs),
    Index(index::IndexArgs),
    Scan(Box<Json<scan::ScanArgs>>),
    Graph(graph::GraphArgs),
    Search(Box<search::SearchArgs>),
    Learn(Json<learn::LearnArgs>),
    Enrich(Json<enrich::EnrichArgs>),
    #[command(alias = "memory")]
    Entity(Json<entity::EntityArgs>),
    /// Say that you like a topic: an entity is made of it, and it is worth finding out more
    Like(Json<interest::WishArgs>),
    /// Take a like back
    Unlike(Json<interest::WishArgs>),
    /// Say that you do not care for a topic: nothing more is found out about it
    Dislike(Json<interest::WishArgs>),
    /// Take a dislike back
    Undislike(Json<interest::WishArgs>),
    Interests(Json<interest::InterestsArgs>),
    React(Json<interest::ReactArgs>),
    Agent(agent::AgentArgs),
    Gateway(gateway::GatewayArgs),
    Channel(channel::ChannelArgs),
    Page(Json<page::PageArgs>),
    Acp(acp::AcpArgs),
    Publish(Json<publish::PublishArgs>),
    Lsp(lsp::LspArgs),
    Editor(editor::EditorArgs),
    Schedule(schedule::ScheduleArgs),
    Changelog(Json<changelog::ChangelogArgs>),
    Doctor(Json<doctor::DoctorArgs>),
    Clean(Json<clean::CleanArgs>),
    Eval(Json<eval::EvalArgs>),
    Hook(hook::HookArgs),
    Trust(Json<trust::TrustArgs>),
    Vault(vault::VaultArgs),
    Model(model::ModelArgs),
    Usage(Json<usage::UsageArgs>),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
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
                    ui::report(&cause.into());
                    ExitCode::from(2)
                }
                _ => ExitCode::from(code),
            };
        }
    };
    exit_code(with_ui(cli.no_color, is_json, |ui| dispatch(&cli.command, ui)))
}

fn exit_code(ended: Result<Outcome>) -> ExitCode {
    match ended {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(cause) if cause.broken_pipe => ExitCode::SUCCESS,
        Err(cause) => {
            ui::report(&cause);
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

fn dispatch(command: &Command, ui: &mut Ui) -> Result<Outcome> {
    match command {
        Command::Init(args) => init::run(args, ui),
        Command::Index(args) => index::run(args, ui),
        Command::Scan(args) => scan::run(args, ui),
        Command::Graph(args) => graph::run(args, ui),
        Command::Search(args) => search::run(args, ui),
        Command::Learn(args) => learn::run(args, ui),
        Command::Enrich(args) => enrich::run(args, ui),
        Command::Entity(args) => entity::run(args, ui),
        Command::Like(args) => interest::wish(args, Like, false, ui),
        Command::Unlike(args) => interest::wish(args, Like, true, ui),
        Command::Dislike(args) => interest::wish(args, Dislike, false, ui),
        Command::Undislike(args) => interest::wish(args, Dislike, true, ui),
        Command::Interests(args) => interest::interests(args, ui),
        Command::React(args) => interest::react(args, ui),
        Command::Agent(args) => agent::run(args, ui),
        Command::Gateway(args) => gateway::run(args, ui),
        Command::Channel(args) => channel::run(args, ui),
        Command::Page(args) => page::run(args, ui),
        Command::Acp(args) => acp::run(args),
        Command::Publish(args) => publish::run(args, ui),
        Command::Lsp(args) => lsp::run(args),
        Command::Editor(args) => editor::run(args, ui),
        Command::Schedule(args) => schedule::run(args, ui),
        Command::Changelog(args) => changelog::run(args, ui),
        Command::Doctor(args) => doctor::run(args, ui),
        Command::Clean(args) => clean::run(args, ui),
        Command::Eval(args) => eval::run(args, ui),
        Command::Hook(args) => hook::run(args, ui),
        Command::Trust(args) => trust::run(args, ui),
        Command::Vault(args) => vault::run(args, ui),
        Command::Model(args) => model::run(args, ui),
        Command::Usage(args) => usage::run(args, ui),
        Command::Completions(args) => generate::completions(args, ui),
        Command::Man(args) => generate::man(args, ui),
    }
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
            ui::report(&CliError::bug("elophanto had to stop"));
        }
    }));
}
