//! `elophanto schedule`

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::{CommandFactory as _, error::ErrorKind};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use super::{Cli, CliError, Json, Outcome, Result, Ui, commands, env, escape_control_line};
use crate::{gateway::files::GatewayFiles, wire::upkeep::JobWire};
use elophanto_app::{
    Error,
    config::{format_duration, parse_duration},
    schedule::{
        Added, Adding, Backend, GatewayUnit, Job, Jobs, Place, ScheduleError, kept_entry,
        service_unit, timer_unit, unit_name,
    },
};
use elophanto_repo::locate;

const LINGER: &str =
    "hint: it runs while you are logged in; `loginctl enable-linger` makes it run always";

commands! {
    /// Run a command at intervals
    ///
    /// Installs a systemd user timer, or a line in your crontab where there is no systemd, that runs
    /// `elophanto COMMAND` in this repository; where there is neither, your gateway runs it while it lives. Runs do not pile up, and each writes one line of what
    /// it did, which `list` shows.
    struct ScheduleArgs(args, ui);
    /// Install a job
    Add(AddArgs) => add(args, ui);
    /// List the jobs of this repository
    List(Json<ListArgs>) => list(args, ui);
    /// Take a job away
    Remove(RemoveArgs) => remove(args, ui);
    /// Print what `add` would install
    Print(AddArgs) => print(args, ui);
    /// Have systemd start your gateway whenever you log in
    Gateway(GatewayArgs) => gateway(args, ui);
    /// What the timer calls: runs the command unless its last run is still going
    #[command(hide = true)]
    Run(RunArgs) => execute(args, ui);
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
    /// Have your gateway run it while that lives, though systemd or cron could
    #[arg(long)]
    gateway: bool,
    /// What to run, such as `scan --investigate`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(clap::Args, Debug)]
struct ListArgs {
    /// Jobs of all repositories
    #[arg(long)]
    all: bool,
}

#[derive(clap::Args, Debug)]
struct RemoveArgs {
    /// Name of the job
    name: String,
}

#[derive(clap::Args, Debug)]
struct GatewayArgs {
    /// Replace one that is started in another folder, or by another program
    #[arg(long)]
    replace: bool,
    /// Take it away, and end it
    #[arg(long, conflicts_with = "replace")]
    remove: bool,
}

#[derive(clap::Args, Debug)]
struct RunArgs {
    name: String,
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

fn add(args: &AddArgs, ui: &mut Ui) -> Result<Outcome> {
    let job = job(args)?;
    let jobs = Jobs::of(&env::environment())?;
    let how = Adding { replace: args.replace, by_gateway: args.gateway };
    let Added { outcome, backend, aside } = jobs.scheduler().add(&job, how)?;
    if let Some(aside) = aside {
        ui.warn(format_args!(
            "the jobs of your gateway were not as we wrote them, and do not run: they are in `{}`",
            aside.display()
        ));
    }
    let every = format_duration(job.every);
    ui.line(format_args!("{} {outcome}: every {every}, by {backend}", job.name))?;
    match backend {
        Backend::Systemd => ui.talk(LINGER),
        Backend::Gateway => ui.talk(
            "hint: it runs while your gateway does (`elophanto gateway --ensure`), and once when that \
             begins if it is due by then",
        ),
        Backend::Cron => {}
    }
    Ok(Outcome::Done)
}

fn gateway(args: &GatewayArgs, ui: &mut Ui) -> Result<Outcome> {
    let environment = env::environment();
    let jobs = Jobs::of(&environment)?;
    let scheduler = jobs.scheduler();
    if args.remove {
        if scheduler.remove_gateway()? {
            ui.line("gateway removed")?;
            return Ok(Outcome::Done);
        }
        return Ok(ui.nothing("systemd has no gateway of yours: `elophanto schedule gateway`"));
    }
    let folder = locate(Path::new("."))?.root;
    let running = GatewayFiles::of(&environment)?.running();
    if let (None, Some(running)) = (scheduler.gateway()?, running) {
        let pid = running.pid;
        return Err(Error::new(format_args!("a gateway of yours runs already, process {pid}"))
            .hint("`elophanto gateway stop` first: systemd starts its own"));
    }
    let unit = GatewayUnit { folder, program: env::own_program()? };
    let outcome = scheduler.add_gateway(&unit, args.replace)?;
    ui.line(format_args!("gateway {outcome}: from each login on, by systemd"))?;
    ui.talk(LINGER);
    Ok(Outcome::Done)
}

fn print(args: &AddArgs, ui: &mut Ui) -> Result<Outcome> {
    let job = job(args)?;
    let unit = unit_name(&job.name, &job.folder);
    let service = service_unit(&job).map_err(ScheduleError::from)?;
    let timer = timer_unit(&job).map_err(ScheduleError::from)?;
    ui.line(format_args!("# {unit}.service\n{}", service.trim_end()))?;
    ui.line(format_args!("\n# {unit}.timer\n{}", timer.trim_end()))?;
    ui.line("\n# or, without systemd, in the crontab:")?;
    match elophanto_app::schedule::crontab_entry(&job) {
        Ok(entry) => ui.line(entry.trim_end())?,
        Err(cause) => ui.line(format_args!("# not possible: {cause}"))?,
    }
    if args.gateway {
        ui.line("\n# or, for your gateway:")?;
        ui.line(kept_entry(&job, jiff::Timestamp::now()).trim_end())?;
    }
    Ok(Outcome::Done)
}

fn list(args: &ListArgs, ui: &mut Ui) -> Result<Outcome> {
    let jobs = Jobs::of(&env::environment())?;
    let here = locate(Path::new(".")).ok().filter(|_| !args.all);
    let listing = jobs.list(here.as_ref().map(|repository| &*repository.root))?;
    for installed in &listing.jobs {
        let job = &installed.job;
        let last = jobs.last(job).map(|run| {
            let exit =
                run.exit.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            format!("{} {exit}: {}", run.at, run.said)
        });
        let wire = JobWire::of(installed, last);
        let last = wire.last.iter().map(|line| format!("\n    last: {line}")).collect::<String>();
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
    let is_here = |unit: &GatewayUnit| here.as_ref().is_none_or(|it| *it.root == *unit.folder);
    let own = jobs.scheduler().gateway()?.filter(is_here);
    if let Some(unit) = &own {
        ui.emit(&JobWire::from(unit), "gateway  from each login on  (systemd)")?;
    }
    for place in &listing.unclear {
        match place {
            Place::Unit { path } | Place::File { path } => {
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
    if listing.jobs.is_empty() && own.is_none() {
        let add = "`elophanto schedule add scan -- scan --investigate`";
        return Ok(ui.nothing(format_args!("nothing is scheduled here: {add}")));
    }
    Ok(Outcome::Done)
}

fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome> {
    let jobs = Jobs::of(&env::environment())?;
    let root = locate(Path::new("."))?.root;
    if jobs.scheduler().remove(&args.name, &root)? {
        ui.line(format_args!("{} removed", escape_control_line(&args.name)))?;
        return Ok(Outcome::Done);
    }
    Err(CliError::unknown("scheduled job", &args.name, "schedule list"))
}

fn execute(args: &RunArgs, ui: &Ui) -> Result<Outcome> {
    let every = Some(Duration::from_secs(60 * 60));
    let program = env::own_program()?;
    let job = Job::around(Path::new("."), &args.name, every, &args.command, program)?;
    // Told to end, as whoever ends its group tells the command too, it writes down what became of that.
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        flag::register(signal, Arc::clone(&ended))?;
    }
    let run = Jobs::of(&env::environment())?.run(&job, &ended)?;
    // Cron sends mail about whatever is printed: only a failure is worth that.
    if run.has_failed() {
        ui.talk(format_args!("{}: {}", run.name, run.said));
    }
    Ok(Outcome::Done)
}

fn job(args: &AddArgs) -> Result<Job> {
    refuse_unreadable(&args.command)?;
    let every = args.every.as_deref().map(parse_duration).transpose().map_err(|cause| {
        CliError::new(cause).hint("give a number with m, h or d, such as `--every 10m`")
    })?;
    Job::around(Path::new("."), &args.name, every, &args.command, env::own_program()?)
}

/// A command that cannot be read would fail each time, and nobody would see it.
fn refuse_unreadable(command: &[String]) -> Result<()> {
    let given = ["elophanto"].into_iter().chain(command.iter().map(String::as_str));
    let Err(cause) = Cli::command().try_get_matches_from(given) else { return Ok(()) };
    let said = match cause.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a subcommand is missing".to_owned(),
        _ => cause.to_string(),
    };
    let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let command = escape_control_line(&command.join(" "));
    let said = escape_control_line(said);
    Err(Error::new(format_args!("`elophanto {command}` cannot be run: {said}")).hint(
        "what stands behind `--` is typed as behind `elophanto`, whose --help lists all commands",
    ))
}
