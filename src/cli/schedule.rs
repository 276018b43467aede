//! `elophanto schedule`

use std::{path::Path, time::Duration};

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, escape_control_line},
};
use elophanto_app::{
    config::{format_duration, parse_duration},
    schedule::{
        Added, Backend, Installed, Job, Jobs, Place, ScheduleError, service_unit, timer_unit,
        unit_name,
    },
};
use elophanto_repo::locate;

/// Run a command at intervals
///
/// Installs a systemd user timer, or a line in your crontab where there is no systemd, that runs
/// `elophanto COMMAND` in this repository. Runs do not pile up, and each writes one line of what
/// it did, which `list` shows.
#[derive(clap::Args, Debug)]
pub struct ScheduleArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Install a job
    Add(AddArgs),
    /// List the jobs of this repository
    List(ListArgs),
    /// Take a job away
    Remove(RemoveArgs),
    /// Print what `add` would install
    Print(AddArgs),
    /// What the timer calls: runs the command unless its last run is still going
    #[command(hide = true)]
    Run(RunArgs),
}

#[derive(clap::Args, Debug)]
struct AddArgs {
    /// Name of the job: small letters, digits, `-` and `_`
    name: String,
    /// How often, such as 10m or 6h; for index, scan, enrich and clean every 6h, 10m, 10m and 24h unless said
    #[arg(long, value_name = "DURATION")]
    every: Option<String>,
    /// Replace another job of that name
    #[arg(long)]
    replace: bool,
    /// What to run, such as `scan --investigate`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(clap::Args, Debug)]
struct ListArgs {
    /// Jobs of all repositories
    #[arg(long)]
    all: bool,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct RemoveArgs {
    /// Name of the job
    name: String,
}

#[derive(clap::Args, Debug)]
struct RunArgs {
    name: String,
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

impl ScheduleArgs {
    /// Whether stdout is JSON Lines.
    pub fn is_json(&self) -> bool {
        matches!(&self.action, Action::List(args) if args.json)
    }
}

/// A job, as `--json` prints it.
#[derive(Serialize)]
struct JobWire<'a> {
    name: &'a str,
    every: String,
    command: &'a [String],
    folder: String,
    /// `systemd` or `cron`.
    by: &'static str,
    last: Option<String>,
}

pub fn run(args: &ScheduleArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    match &args.action {
        Action::Add(args) => add(args, ui),
        Action::Print(args) => print(args, ui),
        Action::List(args) => list(args, ui),
        Action::Remove(args) => remove(args, ui),
        Action::Run(args) => execute(args, ui),
    }
}

fn add(args: &AddArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let job = job(args)?;
    let jobs = Jobs::of(&env::environment())?;
    let Added { outcome, backend } = jobs.scheduler().add(&job, args.replace)?;
    let every = format_duration(job.every);
    let by = word(backend);
    let what = match outcome {
        elophanto_app::schedule::Outcome::Added => "added",
        elophanto_app::schedule::Outcome::Replaced => "replaced",
        elophanto_app::schedule::Outcome::AlreadyThere => "was there already",
    };
    ui.line(format_args!("{} {what}: every {every}, by {by}", job.name))?;
    if backend == Backend::Systemd {
        ui.talk(
            "hint: it runs while you are logged in; `loginctl enable-linger` makes it run always",
        );
    }
    Ok(Outcome::Done)
}

fn print(args: &AddArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let job = job(args)?;
    let unit = unit_name(&job.name, &job.folder);
    ui.line(format_args!("# {unit}.service"))?;
    ui.line(service_unit(&job).map_err(ScheduleError::from)?.trim_end())?;
    ui.line(format_args!("\n# {unit}.timer"))?;
    ui.line(timer_unit(&job).map_err(ScheduleError::from)?.trim_end())?;
    ui.line("\n# or, without systemd, in the crontab:")?;
    match elophanto_app::schedule::crontab_entry(&job) {
        Ok(entry) => ui.line(entry.trim_end())?,
        Err(cause) => ui.line(format_args!("# not possible: {cause}"))?,
    }
    Ok(Outcome::Done)
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let jobs = Jobs::of(&env::environment())?;
    let here = locate(Path::new(".")).ok().filter(|_| !args.all);
    let listing = jobs.list(here.as_ref().map(|repository| &*repository.root))?;
    for Installed { backend, job } in &listing.jobs {
        let last = jobs.last(job).map(|run| {
            let exit =
                run.exit.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            format!("{} {exit}: {}", run.at, run.said)
        });
        let wire = JobWire {
            name: &job.name,
            every: format_duration(job.every),
            command: &job.command,
            folder: job.folder.display().to_string(),
            by: word(*backend),
            last: last.clone(),
        };
        let last = last.map(|line| format!("\n    last: {line}")).unwrap_or_default();
        let text = format!(
            "{}  every {}  {}  ({}){}",
            job.name,
            wire.every,
            escape_control_line(&job.command.join(" ")),
            wire.by,
            escape_control_line(&last).replace('\u{240a}', "\n")
        );
        ui.emit(&wire, text)?;
    }
    for place in &listing.unclear {
        match place {
            Place::Unit { path } => {
                ui.warn(format_args!("`{}` is not as we wrote it", path.display()))
            }
            Place::Crontab { line } => {
                ui.warn(format_args!("line {line} of the crontab is not as we wrote it"))
            }
        }
    }
    if let Some(cause) = &listing.unread {
        ui.warn(cause);
    }
    if listing.jobs.is_empty() {
        let add = "`elophanto schedule add scan -- scan --investigate`";
        return Ok(ui.nothing(format_args!("nothing is scheduled here: {add}")));
    }
    Ok(Outcome::Done)
}

fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let jobs = Jobs::of(&env::environment())?;
    let root = locate(Path::new("."))?.root;
    if jobs.scheduler().remove(&args.name, &root)? {
        ui.line(format_args!("{} removed", escape_control_line(&args.name)))?;
        return Ok(Outcome::Done);
    }
    Err(CliError::unknown("job of this repository", &args.name, "schedule list"))
}

fn execute(args: &RunArgs, ui: &Ui) -> Result<Outcome, CliError> {
    let every = Some(Duration::from_secs(60 * 60));
    let program = env::own_program()?;
    let job = Job::around(Path::new("."), &args.name, every, &args.command, program)?;
    let run = Jobs::of(&env::environment())?.run(&job)?;
    // Cron sends mail about whatever is printed: only a failure is worth that.
    if run.has_failed() {
        ui.talk(format_args!("{}: {}", run.name, run.said));
    }
    Ok(Outcome::Done)
}

fn job(args: &AddArgs) -> Result<Job, CliError> {
    let every = args.every.as_deref().map(parse_duration).transpose().map_err(|cause| {
        CliError::new(cause).hint("give a number with m, h or d, such as `--every 10m`")
    })?;
    Job::around(Path::new("."), &args.name, every, &args.command, env::own_program()?)
}

fn word(backend: Backend) -> &'static str {
    match backend {
        Backend::Systemd => "systemd",
        Backend::Cron => "cron",
    }
}
