//! `elophanto schedule`

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
};
use elophanto_app::{
    config::{format_duration, parse_duration},
    schedule::{
        Added, Backend, Installed, Job, Place, ScheduleError, Scheduler, default_every, process,
        service_unit, timer_unit, unit_name,
    },
};
use elophanto_base::jsonl::Log;
use elophanto_index::store::lock;
use elophanto_repo::locate;

/// `systemctl` and `crontab` may take this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer log is put aside, in bytes.
const MOST_LOG: u64 = 1024 * 1024;
/// Of what a run says, its last line is kept, of this many bytes.
const MOST_LINE: usize = 400;

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

/// What a run did, as the log has it.
#[derive(Serialize)]
struct RunWire<'a> {
    at: String,
    name: &'a str,
    command: &'a [String],
    /// `None` if it was ended by a signal.
    exit: Option<i32>,
    seconds: f64,
    said: String,
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
    let places = Places::find()?;
    let Added { outcome, backend } = places.scheduler().add(&job, args.replace)?;
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
    let places = Places::find()?;
    let listing = places.scheduler().list()?;
    let root = locate(Path::new(".")).ok().map(|repository| repository.root);
    let shown = |installed: &&Installed| {
        args.all || root.as_ref().is_none_or(|root| installed.job.folder == *root)
    };
    let mut any = false;
    for Installed { backend, job } in listing.jobs.iter().filter(shown) {
        any = true;
        let last = places.last_line(job);
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
            visible_line(&job.command.join(" ")),
            wire.by,
            visible_line(&last).replace('\u{240a}', "\n")
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
    if !any {
        ui.talk("nothing is scheduled here: `elophanto schedule add scan -- scan --investigate`");
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let places = Places::find()?;
    let root = locate(Path::new("."))?.root;
    if places.scheduler().remove(&args.name, &root)? {
        ui.line(format_args!("{} removed", visible_line(&args.name)))?;
        return Ok(Outcome::Done);
    }
    ui.talk(format_args!("no job of this repository is called `{}`", visible_line(&args.name)));
    ui.talk("hint: `elophanto schedule list` shows them");
    Ok(Outcome::Negative)
}

/// Runs the command of a job, unless its last run still goes on, and writes one line about it.
fn execute(args: &RunArgs, ui: &Ui) -> Result<Outcome, CliError> {
    let root = locate(Path::new("."))?.root;
    let places = Places::find()?;
    let job = Job {
        name: args.name.clone(),
        every: Duration::from_secs(60 * 60),
        command: args.command.clone(),
        folder: root.clone(),
        program: env::own_program()?,
    };
    job.check().map_err(ScheduleError::from)?;
    let unit = unit_name(&args.name, &root);
    std::fs::create_dir_all(&places.state)?;
    let held = lock::try_for(&places.state.join(format!("{unit}.lock")), Duration::ZERO)?;
    let start = Instant::now();
    let (exit, said) = match &held {
        None => (Some(0), "the last run still goes on".to_owned()),
        Some(_) => {
            let output = process::finish(&job.program, &args.command)?;
            let text = if output.status.success() || output.stderr.is_empty() {
                output.stdout
            } else {
                output.stderr
            };
            (output.status.code(), last_line(&text))
        }
    };
    let wire = RunWire {
        at: jiff::Timestamp::now().to_string(),
        name: &args.name,
        command: &args.command,
        exit,
        seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        said,
    };
    let log = places.log(&unit);
    if std::fs::metadata(&log).is_ok_and(|file| file.len() > MOST_LOG) {
        std::fs::rename(&log, log.with_extension("old"))?;
    }
    Log::new(log).append(&wire).map_err(CliError::new)?;
    // Cron sends mail about whatever is printed: only a failure is worth that.
    if exit == Some(2) || exit.is_none() {
        ui.talk(format_args!("{}: {}", args.name, wire.said));
    }
    Ok(Outcome::Done)
}

fn job(args: &AddArgs) -> Result<Job, CliError> {
    let every = match &args.every {
        Some(text) => parse_duration(text).map_err(|cause| {
            CliError::new(cause).hint("give a number with m, h or d, such as `--every 10m`")
        })?,
        None => {
            let command = args.command.first().map(String::as_str).unwrap_or_default();
            default_every(command).ok_or_else(|| {
                CliError::new("how often is not said").hint("add `--every`, such as `--every 6h`")
            })?
        }
    };
    Ok(Job {
        name: args.name.clone(),
        every,
        command: args.command.clone(),
        folder: locate(Path::new("."))?.root,
        program: env::own_program()?,
    })
}

fn word(backend: Backend) -> &'static str {
    match backend {
        Backend::Systemd => "systemd",
        Backend::Cron => "cron",
    }
}

/// Where things of the user's lie.
struct Places {
    units: PathBuf,
    state: PathBuf,
}

impl Places {
    fn find() -> Result<Self, CliError> {
        let environment = env::environment();
        let state = environment.state_folder();
        let units = environment.config_home().map(|folder| folder.join("systemd/user"));
        match (units, state) {
            (Some(units), Some(state)) => Ok(Self { units, state: state.join("schedule") }),
            _ => Err(CliError::new("where your settings lie is not known").hint("set HOME")),
        }
    }

    fn scheduler(&self) -> Scheduler<'static> {
        Scheduler {
            units: self.units.clone(),
            lock: self.state.join("lock"),
            run: &|call| process::call(call, PATIENCE),
        }
    }

    fn log(&self, unit: &str) -> PathBuf {
        self.state.join(format!("{unit}.jsonl"))
    }

    /// What the last run of a job did.
    fn last_line(&self, job: &Job) -> Option<String> {
        #[derive(serde::Deserialize)]
        struct Line {
            at: String,
            exit: Option<i32>,
            said: String,
        }
        let log = self.log(&unit_name(&job.name, &job.folder));
        let read =
            elophanto_base::jsonl::read::<Line>(&log, &elophanto_base::jsonl::Caps::default())
                .ok()?;
        let Line { at, exit, said } = read.into_records().last()?;
        let exit = exit.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
        Some(format!("{at} {exit}: {said}"))
    }
}

/// The line that says most: the error, else the last one that says anything.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let error = text.lines().find(|line| line.starts_with("error: "));
    let last = || text.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = error.or_else(last).unwrap_or("done");
    line[..line.floor_char_boundary(MOST_LINE)].to_owned()
}
