//! The scheduler with a systemd and a cron that are played.

use std::{
    cell::{Cell, RefCell},
    fs, io,
    os::unix::{fs::symlink, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{ExitStatus, Output},
    time::Duration,
};

use super::*;
use crate::schedule::{GatewayUnit, tests::job};

/// A user's machine: what programs are asked, and what becomes of the crontab.
struct Machine {
    home: tempfile::TempDir,
    /// `None`: there is no cron.
    crontab: RefCell<Option<Vec<u8>>>,
    /// What `crontab -l` complains of.
    complaint: Cell<&'static str>,
    /// Whether systemd answers.
    systemd: Cell<bool>,
    /// The words with which a call begins that fails.
    fails: RefCell<Option<&'static str>>,
    calls: RefCell<Vec<String>>,
    /// Whether the file of the gateway's jobs cannot be written once a crontab was.
    breaks: Cell<bool>,
}

impl Machine {
    fn new(systemd: bool, crontab: Option<&str>) -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
            crontab: RefCell::new(crontab.map(|text| text.as_bytes().to_vec())),
            complaint: Cell::new(""),
            systemd: Cell::new(systemd),
            fails: RefCell::new(None),
            calls: RefCell::default(),
            breaks: Cell::new(false),
        }
    }

    fn run(&self, call: &Call) -> io::Result<Output> {
        let line = call.to_string();
        let is_it = |start| line == start || line.starts_with(&format!("{start} "));
        let fails = self.fails.borrow().is_some_and(is_it);
        if !is_question(&line) {
            let lock = fs::File::open(self.home.path().join("state/lock")).unwrap();
            assert!(lock.try_lock().is_err(), "{line}");
        }
        self.calls.borrow_mut().push(line);
        let mut crontab = self.crontab.borrow_mut();
        let (status, stdout, stderr) = match (call.program, crontab.as_mut()) {
            _ if fails => (256, Vec::new(), "it broke"),
            ("systemctl", _) if self.systemd.get() => (0, Vec::new(), ""),
            ("systemctl", _) => (256, Vec::new(), "Failed to connect to bus: No medium found"),
            (_, None) => return Err(io::ErrorKind::NotFound.into()),
            (_, Some(_)) if call.arguments == ["-l"] && !self.complaint.get().is_empty() => {
                (256, Vec::new(), self.complaint.get())
            }
            (_, Some(text)) if call.arguments == ["-l"] => (0, text.clone(), ""),
            (_, Some(text)) => {
                assert_eq!(call.arguments, ["-"]);
                text.clone_from(&call.input);
                if self.breaks.replace(false) {
                    let kept = self.home.path().join("state/gateway.json");
                    fs::remove_file(&kept).unwrap();
                    fs::create_dir(&kept).unwrap();
                }
                (0, Vec::new(), "")
            }
        };
        Ok(Output { status: ExitStatus::from_raw(status), stdout, stderr: stderr.into() })
    }

    fn with<T>(&self, act: impl FnOnce(&Scheduler) -> T) -> T {
        self.calls.borrow_mut().clear();
        let run = |call: &Call| self.run(call);
        let lock = self.home.path().join("state/lock");
        let kept = self.home.path().join("state/gateway.json");
        act(&Scheduler { units: self.units(), lock, kept, run: &run })
    }

    fn units(&self) -> PathBuf {
        self.home.path().join(".config/systemd/user")
    }

    /// Names and contents of all files beside one another.
    fn files(&self) -> Vec<(String, String)> {
        let Ok(folder) = fs::read_dir(self.units()) else { return Vec::new() };
        let entry = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        };
        let mut files: Vec<_> = folder.map(entry).collect();
        files.sort();
        files
    }

    fn crontab(&self) -> String {
        String::from_utf8(self.crontab.borrow().clone().unwrap()).unwrap()
    }

    fn add(&self, job: &Job, replace: bool) -> Result<Added, ScheduleError> {
        self.with(|scheduler| scheduler.add(job, Adding { replace, by_gateway: false }))
    }

    fn remove(&self, job: &Job) -> Result<bool, ScheduleError> {
        self.with(|scheduler| scheduler.remove(&job.name, &job.folder))
    }

    fn list(&self) -> Listing {
        self.with(|scheduler| scheduler.list().unwrap())
    }

    fn jobs(&self) -> Vec<Job> {
        self.list().jobs.into_iter().map(|installed| installed.job).collect()
    }

    /// The calls of the last act, without those that only ask.
    fn calls(&self) -> Vec<String> {
        self.calls.borrow().iter().filter(|call| !is_question(call)).cloned().collect()
    }
}

fn is_question(call: &str) -> bool {
    call.contains(" show ") || call.ends_with(" -l")
}

fn added(outcome: Outcome, backend: Backend) -> Added {
    Added { outcome, backend, aside: None }
}

/// The same story for both.
fn check_life(machine: &Machine, backend: Backend) {
    let [mine, theirs] = ["/r", "/s"].map(|folder| job("scan", 600, &["scan"], folder));
    for job in [&mine, &theirs] {
        assert_eq!(machine.add(job, false).unwrap(), added(Outcome::Added, backend));
    }
    let expected = |job: &Job| Installed { backend, job: job.clone() };
    let mut found = machine.list().jobs;
    found.sort_by_key(|installed| installed.job.folder.clone());
    assert_eq!(found, [expected(&mine), expected(&theirs)]);

    assert_eq!(machine.add(&mine, false).unwrap(), added(Outcome::AlreadyThere, backend));
    let other = Job { every: Duration::from_hours(1), ..mine.clone() };
    let error = machine.add(&other, false).unwrap_err();
    assert_eq!(error.to_string(), "`/r` has a job `scan` already, which differs");
    assert!(machine.jobs().contains(&mine));
    assert_eq!(machine.add(&other, true).unwrap(), added(Outcome::Replaced, backend));
    assert!(machine.jobs().contains(&other) && !machine.jobs().contains(&mine));

    assert!(machine.remove(&mine).unwrap());
    assert!(!machine.remove(&mine).unwrap());
    assert_eq!(machine.calls(), [""; 0]);
    assert_eq!(machine.jobs(), std::slice::from_ref(&theirs));
    assert!(machine.remove(&theirs).unwrap());
}

#[test]
fn with_systemd() {
    let machine = Machine::new(true, Some("1 2 * * * x\n"));
    check_life(&machine, Backend::Systemd);
    assert_eq!(machine.files(), []);
    assert_eq!(machine.crontab(), "1 2 * * * x\n");
    check_life(&Machine::new(true, None), Backend::Systemd);
}

#[test]
fn with_cron() {
    let machine = Machine::new(false, Some("SHELL=/bin/sh\n1 2 * * * x"));
    check_life(&machine, Backend::Cron);
    assert_eq!(machine.crontab(), "SHELL=/bin/sh\n1 2 * * * x\n");
    assert_eq!(machine.files(), []);
    let none = Machine::new(false, Some(""));
    none.complaint.set("no crontab for me\n");
    none.add(&job("scan", 600, &["scan"], "/r"), false).unwrap();
    assert!(none.crontab().starts_with("# elophanto: scan /r\n"));
}

#[test]
fn calls_of_systemctl() {
    let machine = Machine::new(true, None);
    let job = job("scan", 600, &["scan"], "/r");
    let timer = format!("{}.timer", unit_name("scan", Path::new("/r")));
    let user = |rest: &str| format!("systemctl --user {rest}");
    let (reload, enable) = (user("daemon-reload"), user(&format!("enable --now {timer}")));
    machine.add(&job, false).unwrap();
    assert_eq!(machine.calls(), [reload.clone(), enable.clone()]);
    // The files may have been written by a run that was killed before it told systemd.
    machine.add(&job, false).unwrap();
    assert_eq!(machine.calls(), [reload.clone(), enable.clone()]);
    machine.add(&Job { every: Duration::from_hours(1), ..job.clone() }, true).unwrap();
    assert_eq!(machine.calls(), [reload.clone(), enable, user(&format!("restart {timer}"))]);
    machine.remove(&job).unwrap();
    assert_eq!(machine.calls(), [user(&format!("disable --now {timer}")), reload]);
}

#[test]
fn failures_leave_everything_as_it_was() {
    let job = job("scan", 600, &["scan"], "/r");
    let other = Job { every: Duration::from_hours(1), ..job.clone() };
    for start in
        ["systemctl --user daemon-reload", "systemctl --user enable", "systemctl --user restart"]
    {
        let machine = Machine::new(true, None);
        *machine.fails.borrow_mut() = Some(start);
        if start.ends_with("restart") {
            machine.add(&job, false).unwrap();
        } else {
            let error = machine.add(&job, false).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{start}")), "{error}");
            assert!(error.ends_with("` failed: it broke"), "{error}");
            assert_eq!(machine.files(), [], "{start}");
            assert!(machine.calls()[1..].iter().any(|call| call.contains(" disable --now ")));
            *machine.fails.borrow_mut() = None;
            machine.add(&job, false).unwrap();
            *machine.fails.borrow_mut() = Some(start);
        }
        let before = machine.files();
        machine.add(&other, true).unwrap_err();
        assert_eq!(machine.files(), before, "{start}");
    }
    let machine = Machine::new(true, None);
    machine.add(&job, false).unwrap();
    *machine.fails.borrow_mut() = Some("systemctl --user disable");
    machine.remove(&job).unwrap_err();
    assert_eq!(machine.jobs(), std::slice::from_ref(&job));

    let machine = Machine::new(false, Some("x\n"));
    *machine.fails.borrow_mut() = Some("crontab -");
    machine.add(&job, false).unwrap_err();
    assert_eq!(machine.crontab(), "x\n");
}

#[test]
fn from_one_to_the_other() {
    let job = job("scan", 600, &["scan"], "/r");
    let other = Job { every: Duration::from_hours(1), ..job.clone() };
    let machine = Machine::new(false, Some("x\n"));
    machine.add(&job, false).unwrap();
    machine.systemd.set(true);
    let stays = added(Outcome::AlreadyThere, Backend::Cron);
    assert_eq!(machine.add(&job, false).unwrap(), stays);
    assert!(matches!(machine.add(&other, false), Err(ScheduleError::Taken { .. })));
    let replaced = added(Outcome::Replaced, Backend::Systemd);
    let before = machine.crontab();
    *machine.fails.borrow_mut() = Some("crontab -");
    machine.add(&other, true).unwrap_err();
    assert_eq!((machine.files(), machine.crontab()), (Vec::new(), before));
    *machine.fails.borrow_mut() = None;
    assert_eq!(machine.add(&other, true).unwrap(), replaced);
    assert_eq!((machine.jobs(), machine.crontab().as_str()), (vec![other.clone()], "x\n"));

    // What systemd has can only be taken from it while it answers.
    machine.systemd.set(false);
    let stays = added(Outcome::AlreadyThere, Backend::Systemd);
    assert_eq!(machine.add(&other, false).unwrap(), stays);
    assert!(matches!(machine.add(&job, true), Err(ScheduleError::Failed { .. })));
    assert!(matches!(machine.remove(&job), Err(ScheduleError::Failed { .. })));
    assert_eq!((machine.jobs(), machine.crontab().as_str()), (vec![other], "x\n"));
}

#[test]
fn without_either() {
    let machine = Machine::new(false, None);
    let job = job("scan", 600, &["scan"], "/r");
    check_life(&machine, Backend::Gateway);
    assert!(machine.list().jobs.is_empty() && machine.list().unread.is_none());
    assert!(!machine.remove(&job).unwrap());
    assert!(!machine.home.path().join("state/gateway.json").exists());
}

/// A job goes to the gateway where that is asked for, and back; at no time two run it.
#[test]
fn by_the_gateway() {
    let by_gateway = |machine: &Machine, job: &Job, replace| {
        machine.with(|it| it.add(job, Adding { replace, by_gateway: true }))
    };
    for systemd in [true, false] {
        let machine = Machine::new(systemd, Some("1 2 * * * x\n"));
        let timer = if systemd { Backend::Systemd } else { Backend::Cron };
        let job = job("scan", 600, &["scan"], "/r");
        assert_eq!(machine.add(&job, false).unwrap(), added(Outcome::Added, timer));
        assert!(matches!(by_gateway(&machine, &job, false), Err(ScheduleError::Taken { .. })));
        let moved = added(Outcome::Replaced, Backend::Gateway);
        assert_eq!(by_gateway(&machine, &job, true).unwrap(), moved);
        assert_eq!((machine.files(), machine.crontab()), (vec![], "1 2 * * * x\n".to_owned()));
        assert_eq!(machine.jobs(), std::slice::from_ref(&job));
        let stays = added(Outcome::AlreadyThere, Backend::Gateway);
        assert_eq!(by_gateway(&machine, &job, false).unwrap(), stays);
        assert_eq!(machine.add(&job, false).unwrap(), stays);
        let other = Job { every: Duration::from_hours(1), ..job.clone() };
        let back = added(Outcome::Replaced, timer);
        assert_eq!(machine.add(&other, true).unwrap(), back);
        assert_eq!(machine.list().jobs, [Installed { backend: timer, job: other.clone() }]);
        // What fails leaves it where it was.
        by_gateway(&machine, &other, true).unwrap();
        *machine.fails.borrow_mut() =
            Some(if systemd { "systemctl --user enable" } else { "crontab -" });
        machine.add(&job, true).unwrap_err();
        let kept = Installed { backend: Backend::Gateway, job: other };
        assert_eq!(machine.list().jobs, [kept]);
    }
    // One that is not as we wrote it hides no other, and is not overwritten.
    let machine = Machine::new(true, None);
    let job = job("scan", 600, &["scan"], "/r");
    machine.add(&job, false).unwrap();
    let path = machine.home.path().join("state/gateway.json");
    fs::write(&path, "[").unwrap();
    assert_eq!(machine.jobs(), std::slice::from_ref(&job));
    assert_eq!(machine.list().unclear, [Place::File { path: path.clone() }]);
    assert!(matches!(by_gateway(&machine, &job, false), Err(ScheduleError::Unclear(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "[");
    // Put aside where that is asked for.
    let added = by_gateway(&machine, &job, true).unwrap();
    let aside = added.aside.unwrap();
    assert_eq!(
        (added.outcome, fs::read_to_string(aside).unwrap()),
        (Outcome::Replaced, "[".into())
    );
    assert_eq!(machine.jobs(), [job]);
}

/// Systemd starts the gateway; without it nothing is changed.
#[test]
fn a_gateway_as_a_service() {
    let unit = |folder: &str| GatewayUnit { folder: folder.into(), program: "/b/e".into() };
    let machine = Machine::new(true, None);
    let add = |folder: &str, replace| machine.with(|it| it.add_gateway(&unit(folder), replace));
    let found = || machine.with(|it| it.gateway()).unwrap();
    assert_eq!(add("/r", false).unwrap(), Outcome::Added);
    let user = |rest: &str| format!("systemctl --user {rest}");
    let enable = user("enable --now elophanto-gateway.service");
    assert_eq!(machine.calls(), [user("daemon-reload"), enable]);
    assert_eq!(found(), Some(unit("/r")));
    assert_eq!(add("/r", false).unwrap(), Outcome::AlreadyThere);
    assert!(matches!(add("/s 1%", false), Err(ScheduleError::Taken { .. })));
    assert_eq!(add("/s 1%", true).unwrap(), Outcome::Replaced);
    assert_eq!(found(), Some(unit("/s 1%")));
    // It is no job.
    assert!(machine.list().jobs.is_empty() && machine.list().unclear.is_empty());
    *machine.fails.borrow_mut() = Some("systemctl --user enable");
    add("/r", true).unwrap_err();
    assert_eq!(found(), Some(unit("/s 1%")));
    *machine.fails.borrow_mut() = None;
    assert!(machine.with(|it| it.remove_gateway()).unwrap());
    assert!(!machine.with(|it| it.remove_gateway()).unwrap());
    assert!(found().is_none() && machine.files().is_empty());
    for (crontab, expected) in
        [(None, None), (Some(""), Some("@reboot cd /r && /b/e gateway --ensure"))]
    {
        let machine = Machine::new(false, crontab);
        let error = machine.with(|it| it.add_gateway(&unit("/r"), false)).unwrap_err();
        let ScheduleError::NoSystemd { line, .. } = error else { panic!("{error}") };
        assert_eq!(line.as_deref(), expected);
        assert!(machine.files().is_empty());
    }
}

#[test]
fn a_crontab_that_cannot_be_read_is_not_taken_for_empty() {
    let machine = Machine::new(false, Some("precious\n"));
    machine.complaint.set("you are not allowed to use this program");
    let job = job("scan", 600, &["scan"], "/r");
    assert!(matches!(machine.add(&job, false), Err(ScheduleError::Neither { .. })));
    assert!(matches!(machine.remove(&job), Err(ScheduleError::Failed { .. })));
    assert!(machine.list().unread.is_some());
    assert_eq!(machine.crontab(), "precious\n");
    machine.systemd.set(true);
    machine.add(&job, false).unwrap();
    assert!(machine.remove(&job).unwrap());
}

#[test]
fn what_others_wrote_is_left_alone() {
    let machine = Machine::new(true, None);
    let job = job("scan", 600, &["scan"], "/r");
    let unit = unit_name("scan", Path::new("/r"));
    fs::create_dir_all(machine.units()).unwrap();
    let timer = machine.units().join(format!("{unit}.timer"));
    let check = |what: &str| {
        assert!(machine.add(&job, true).is_err() && machine.remove(&job).is_err(), "{what}");
        assert_eq!(machine.calls(), [""; 0], "{what}");
        let listing = machine.list();
        assert_eq!(listing.unclear, [Place::Unit { path: timer.clone() }], "{what}");
        assert!(listing.jobs.is_empty());
    };
    fs::write(&timer, "[Timer]\n").unwrap();
    check("a file");
    assert_eq!(fs::read_to_string(&timer).unwrap(), "[Timer]\n");
    fs::remove_file(&timer).unwrap();
    symlink("/dev/null", &timer).unwrap();
    check("a masked unit");
    assert!(timer.is_symlink());
    fs::remove_file(&timer).unwrap();
    let elsewhere = machine.home.path().join("elsewhere");
    fs::write(&elsewhere, timer_unit(&job).unwrap()).unwrap();
    symlink(&elsewhere, &timer).unwrap();
    check("a link");
    fs::remove_file(&timer).unwrap();
    fs::create_dir(&timer).unwrap();
    check("a folder");
    fs::remove_dir(&timer).unwrap();
    fs::write(machine.units().join("other.timer"), "[Timer]\n").unwrap();
    fs::write(machine.units().join("elophanto-mine.timer"), "[Timer]\n").unwrap();
    assert!(machine.list().unclear.is_empty());
    machine.add(&job, false).unwrap();
    for ending in ["timer", "service"] {
        let copy = machine.units().join(format!("elophanto-scan-01234567.{ending}"));
        fs::copy(timer.with_extension(ending), copy).unwrap();
    }
    assert_eq!((machine.jobs().len(), machine.list().unclear.len()), (1, 1));
    machine.remove(&job).unwrap();
    assert_eq!(machine.files().len(), 4);
}

#[test]
fn a_linked_folder_is_not_written_to() {
    let machine = Machine::new(true, None);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir_all(machine.units().parent().unwrap()).unwrap();
    symlink(elsewhere.path(), machine.units()).unwrap();
    let error = machine.add(&job("scan", 600, &["scan"], "/r"), false).unwrap_err();
    assert!(matches!(error, ScheduleError::Odd { expected: "folder", .. }), "{error}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_service_without_its_timer_is_no_job() {
    let machine = Machine::new(true, None);
    let job = job("scan", 600, &["scan"], "/r");
    machine.add(&job, false).unwrap();
    let timer = machine.units().join(format!("{}.timer", unit_name("scan", Path::new("/r"))));
    fs::remove_file(timer).unwrap();
    assert!(machine.jobs().is_empty());
    assert_eq!(machine.add(&job, false).unwrap(), added(Outcome::Added, Backend::Systemd));
    assert_eq!(machine.jobs(), [job]);
}

#[test]
fn an_entry_edited_by_hand_is_not_guessed_at() {
    let machine = Machine::new(false, Some("# elophanto: scan /r\n* * * * * mine\n"));
    let before = machine.crontab();
    let job = job("scan", 600, &["scan"], "/r");
    let error = machine.add(&job, true).unwrap_err().to_string();
    assert!(error.starts_with("the line below line 1 of the crontab is named like"), "{error}");
    machine.remove(&job).unwrap_err();
    assert_eq!(machine.crontab(), before);
    assert_eq!(machine.list().unclear, [Place::Crontab { line: 1 }]);
    let elsewhere = Job { folder: PathBuf::from("/s"), ..job };
    machine.add(&elsewhere, false).unwrap();
    assert_eq!(machine.jobs(), [elsewhere]);
}

#[test]
fn what_failed_after_the_crontab_was_written_takes_that_back() {
    let before = "1 2 * * * backup\n";
    let machine = Machine::new(false, Some(before));
    let job = job("a", 3600, &["scan"], "/r");
    machine.with(|it| it.add(&job, Adding { replace: false, by_gateway: true })).unwrap();
    let other = Job { every: Duration::from_secs(7200), ..job };
    machine.breaks.set(true);
    assert!(matches!(machine.add(&other, true), Err(ScheduleError::Undone { .. })));
    assert!(!machine.breaks.get());
    assert_eq!(machine.crontab(), before);
}
