//! `elophanto schedule`, with a `systemctl` and a `crontab` of our own: nothing of this machine is
//! asked or changed.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, fs::symlink, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::env::{Output, PROGRAM, TestEnv, finish};

/// Nothing here takes minutes; what does hangs.
const HANGS: Duration = Duration::from_secs(120);

const GOOD_SYSTEMCTL: &str = "";
const NO_SYSTEMD: &str = "echo 'Failed to connect to bus: No medium found' >&2; exit 1";
const GOOD_CRONTAB: &str = "case $1 in\n\
    -l) if [ -f tab ]; then cat tab; else echo 'no crontab for a' >&2; exit 1; fi;;\n\
    -) cat > tab;;\n\
    *) exit 64;;\n\
    esac";
const NO_CRON: &str = "echo 'a: you may not use this program' >&2; exit 1";

/// A repository with a note and a source, and a folder that is all there is on `PATH`: git and the
/// programs given.
struct Site {
    env: TestEnv,
    tools: PathBuf,
}

impl Site {
    fn new(systemctl: Option<&str>, crontab: Option<&str>) -> Self {
        let env = TestEnv::with(&[
            ("a.md", "# Harbour\n\nThe harbour sleeps.\n"),
            ("src/lib.rs", "pub fn open_harbour() {}\n"),
        ]);
        let tools = env.outside().join("tools");
        fs::create_dir(&tools).unwrap();
        let git = finish(env.sealed("sh").args(["-c", "command -v git"])).stdout();
        symlink(git.trim(), tools.join("git")).unwrap();
        let site = Self { env, tools };
        site.tool("systemctl", systemctl);
        site.tool("crontab", crontab);
        site
    }

    fn systemd() -> Self {
        Self::new(Some(GOOD_SYSTEMCTL), Some(GOOD_CRONTAB))
    }

    fn cron() -> Self {
        Self::new(Some(NO_SYSTEMD), Some(GOOD_CRONTAB))
    }

    /// Puts a program in that notes what it is asked; or takes it away.
    fn tool(&self, name: &str, text: Option<&str>) {
        let path = self.tools.join(name);
        let _ = fs::remove_file(&path);
        let Some(text) = text else { return };
        let tools = self.tools.display();
        let head = format!("#!/bin/sh\nPATH=/usr/bin:/bin\ncd '{tools}' || exit 70\n");
        fs::write(&path, format!("{head}echo \"{name} $*\" >> asked\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(&[&["schedule"], args].concat());
        command.env("PATH", &self.tools);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = finish(&mut self.command(args));
        assert!(!output.stderr().contains("panicked"), "{args:?}\n{output}");
        output
    }

    fn run_in(&self, folder: &Path, args: &[&str]) -> Output {
        finish(self.command(args).current_dir(folder))
    }

    fn ok(&self, args: &[&str]) -> Output {
        let output = self.run(args);
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
        output
    }

    /// Expects a failure that says why and what to do.
    fn refused(&self, args: &[&str], because: &str) -> Output {
        let output = self.run(args);
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert!(output.stderr().contains("error: "), "{args:?}\n{output}");
        assert!(output.stderr().contains(because), "{args:?}: {because}\n{output}");
        output
    }

    fn list(&self) -> Vec<Value> {
        self.run(&["list", "--json"]).json()
    }

    /// What the programs were asked, and forgets it.
    fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.tools.join("asked")).unwrap_or_default();
        let _ = fs::remove_file(self.tools.join("asked"));
        asked.lines().map(str::to_owned).collect()
    }

    /// Unit files with their texts.
    fn units(&self) -> Vec<(String, String)> {
        let folder = self.env.outside().join("home/.config/systemd/user");
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        };
        let mut units: Vec<(String, String)> = entries.map(|found| entry(found.unwrap())).collect();
        units.sort();
        units
    }

    fn crontab(&self) -> Vec<u8> {
        fs::read(self.tools.join("tab")).unwrap_or_default()
    }

    fn set_crontab(&self, text: &[u8]) {
        fs::write(self.tools.join("tab"), text).unwrap();
    }

    /// Folder of logs and locks.
    fn state(&self) -> PathBuf {
        self.env.outside().join("home/.local/state/elophanto/schedule")
    }

    /// The lines of all logs.
    fn log(&self) -> Vec<Value> {
        let Ok(entries) = fs::read_dir(self.state()) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
        let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
        let text: String = texts.collect();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn a_job_comes_and_goes() {
    let site = Site::systemd();
    let added = site.ok(&["add", "fresh", "--every", "20m", "--", "scan", "--investigate"]);
    assert_eq!(added.stdout(), "fresh added: every 20m, by systemd\n");
    assert!(added.stderr().contains("loginctl enable-linger"), "{added}");

    let units = site.units();
    let [(service, service_text), (timer, timer_text)] = &units[..] else { panic!("{units:?}") };
    let unit = service.strip_suffix(".service").unwrap();
    assert!(unit.starts_with("elophanto-fresh-"), "{unit}");
    assert_eq!(timer, &format!("{unit}.timer"));
    let root = site.env.root().display();
    for line in [
        format!("WorkingDirectory={root}"),
        format!("ExecStart={PROGRAM} schedule run fresh -- scan --investigate"),
    ] {
        assert!(service_text.lines().any(|one| one == line), "{line}\n{service_text}");
    }
    assert!(timer_text.contains("\nOnUnitActiveSec=1200s\n"), "{timer_text}");
    let asked = site.asked();
    let enable = format!("systemctl --user enable --now {unit}.timer");
    assert_eq!(asked.last(), Some(&enable), "{asked:?}");
    assert!(asked.iter().all(|call| !call.starts_with("crontab -") || call == "crontab -l"));

    assert_eq!(
        site.list(),
        [json!({"name": "fresh", "every": "20m", "command": ["scan", "--investigate"],
                "folder": root.to_string(), "by": "systemd", "last": null})]
    );
    let text = site.ok(&["list"]).stdout();
    assert_eq!(text, "fresh  every 20m  scan --investigate  (systemd)\n");

    site.asked();
    assert_eq!(site.ok(&["remove", "fresh"]).stdout(), "fresh removed\n");
    assert_eq!(site.units(), []);
    let disable = format!("systemctl --user disable --now {unit}.timer");
    assert!(site.asked().contains(&disable));
    let again = site.run(&["remove", "fresh"]);
    assert_eq!((again.code, again.stdout.len()), (Some(2), 0), "{again}");
    assert!(again.stderr().contains("there is no scheduled job `fresh`"), "{again}");
    let none = site.run(&["list"]);
    assert_eq!((none.code, none.stdout.len()), (Some(1), 0), "{none}");
    assert!(none.stderr().contains("nothing is scheduled here"), "{none}");
    assert_eq!(site.crontab(), b"");
}

#[test]
fn intervals_that_nobody_has_to_say() {
    let site = Site::systemd();
    for (command, every) in [("index", "6h"), ("scan", "10m"), ("clean", "1d")] {
        let added = site.ok(&["add", command, "--", command]).stdout();
        let shown = site.list().into_iter().find(|job| job["name"] == command).unwrap();
        // A day is a day, however it is spelt.
        let spelt = shown["every"].as_str().unwrap().replace("24h", "1d");
        assert_eq!(spelt, every, "{added}");
    }
    site.refused(&["add", "ask", "--", "search", "harbour"], "how often is not said");
    for every in ["10s", "31d", "0m", "-5m", "5x", "", "1.5h", "99999999999999999999h", "inf"] {
        let every = format!("--every={every}");
        let output = site.run(&["add", "odd", &every, "--", "index"]);
        assert_eq!(output.code, Some(2), "{every}\n{output}");
        assert!(output.stderr().contains("error: "), "{every}\n{output}");
    }
    assert_eq!(site.list().len(), 3);
}

const NO_NAMES: &[&str] = &[
    "",
    " ",
    "Scan",
    "a b",
    "a.b",
    "a/b",
    "../up",
    "../../../../evil",
    "/abs",
    "ä",
    "a\nb",
    "a;b",
    "$(x)",
    "%h",
    "_a",
    "a@b",
    "elophanto.service",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

#[test]
fn names_that_are_none() {
    let site = Site::systemd();
    for name in NO_NAMES {
        for action in ["add", "print"] {
            site.refused(&[action, name, "--", "scan"], "is no name of a job");
        }
        site.refused(&["remove", name], "is no name of a job");
    }
    for name in ["-x", "--all"] {
        let output = site.run(&["add", name, "--", "scan"]);
        assert_eq!(output.code, Some(2), "{output}");
    }
    assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
    for name in ["a", "0", "a-b_c-", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
        site.ok(&["add", name, "--", "scan"]);
    }
    assert_eq!(site.list().len(), 4);
}

/// What the timer calls takes a name too, and makes files of it.
#[test]
fn a_run_writes_only_where_logs_are() {
    let site = Site::systemd();
    fs::create_dir_all(site.state()).unwrap();
    for name in NO_NAMES {
        let output = site.run(&["run", name, "--", "scan"]);
        assert_eq!(output.code, Some(2), "{name:?}\n{output}");
    }
    let home = site.env.outside().join("home");
    let below = |entry: walkdir::DirEntry| entry.path().strip_prefix(&home).unwrap().to_owned();
    let state = site.state().strip_prefix(&home).unwrap().to_owned();
    let files = walkdir::WalkDir::new(&home).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file()).map(below);
    let strays: Vec<PathBuf> =
        files.filter(|path| !path.starts_with(&state) && !path.ends_with("config.yaml")).collect();
    assert_eq!(strays, Vec::<PathBuf>::new());
}

#[test]
fn commands_that_cannot_be_scheduled() {
    let site = Site::systemd();
    site.refused(&["add", "a", "--every", "1h", "--", "search", "a\nb"], "control character");
    let long = "x".repeat(9_000);
    site.refused(&["add", "a", "--every", "1h", "--", "search", &long], "at most");
    let many = ["x"; 80];
    let args = [&["add", "a", "--every", "1h", "--", "search"][..], &many].concat();
    site.refused(&args, "at most");
    for (command, because) in [
        (&["serach", "x"][..], "unrecognized subcommand 'serach'"),
        (&["search", "x", "--limt", "3"], "unexpected argument '--limt' found"),
        (&["agent"], "a subcommand is missing"),
    ] {
        for action in ["add", "print"] {
            let args = [&[action, "a", "--every", "1h", "--"], command].concat();
            assert_eq!(site.refused(&args, because).stdout(), "", "{args:?}");
        }
    }
    let short = site.refused(&["print", "a", "--every", "1s", "--", "scan"], "every 1 minute");
    assert_eq!(short.stdout(), "", "{short}");
    for args in [&["add", "a"][..], &["add", "a", "--"], &["add", "a", "--every", "1h"]] {
        assert_eq!(site.run(args).code, Some(2), "{args:?}");
    }
    assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
}

#[test]
fn a_job_that_is_there_already() {
    for site in [Site::systemd(), Site::cron()] {
        site.ok(&["add", "fresh", "--", "scan"]);
        let before = (site.units(), site.crontab());
        let again = site.ok(&["add", "fresh", "--", "scan"]);
        assert!(again.stdout().starts_with("fresh was there already: every 10m"), "{again}");
        for other in [
            &["add", "fresh", "--every", "20m", "--", "scan"][..],
            &["add", "fresh", "--", "scan", "--investigate"],
            &["add", "fresh", "--", "index"],
        ] {
            let refused = site.refused(other, "has a job `fresh` already");
            assert!(refused.stderr().contains("--replace"), "{refused}");
        }
        assert_eq!((site.units(), site.crontab()), before);
        let replaced = site.ok(&["add", "fresh", "--every", "20m", "--replace", "--", "scan"]);
        assert!(replaced.stdout().starts_with("fresh replaced: every 20m"), "{replaced}");
        let jobs = site.list();
        assert_eq!((jobs.len(), &jobs[0]["every"]), (1, &json!("20m")), "{jobs:?}");
        // With nothing to replace, and with the same, it does no harm.
        site.ok(&["add", "fresh", "--every", "20m", "--replace", "--", "scan"]);
        site.ok(&["add", "other", "--replace", "--", "index"]);
        assert_eq!(site.list().len(), 2);
    }
}

#[test]
fn without_systemd_cron_does_it() {
    for systemctl in [Some(NO_SYSTEMD), None] {
        let site = Site::new(systemctl, Some(GOOD_CRONTAB));
        let added = site.ok(&["add", "fresh", "--", "scan", "--investigate"]);
        assert_eq!(added.stdout(), "fresh added: every 10m, by cron\n");
        assert!(!added.stderr().contains("linger"), "{added}");
        let root = site.env.root().display().to_string();
        let crontab = String::from_utf8(site.crontab()).unwrap();
        assert_eq!(
            crontab,
            format!(
                "# elophanto: fresh {root}\n\
                 */10 * * * * cd {root} && {PROGRAM} schedule run fresh -- scan --investigate\n"
            )
        );
        assert_eq!(site.units(), []);
        let jobs = site.list();
        assert_eq!((jobs.len(), &jobs[0]["by"]), (1, &json!("cron")), "{jobs:?}");
        assert_eq!(site.ok(&["remove", "fresh"]).stdout(), "fresh removed\n");
        assert_eq!(site.crontab(), b"");
    }
}

#[test]
fn an_interval_that_cron_cannot_say() {
    let site = Site::cron();
    let refused = site.refused(&["add", "odd", "--every", "7m", "--", "scan"], "cron cannot say");
    assert!(refused.stderr().contains("6m and 10m"), "{refused}");
    assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
    // Systemd can.
    site.tool("systemctl", Some(GOOD_SYSTEMCTL));
    site.ok(&["add", "odd", "--every", "7m", "--", "scan"]);
}

#[test]
fn lines_of_others_stay_as_they_are() {
    let foreign: &[&[u8]] = &[
        b"MAILTO=me\n# elophanto is a nice word\n*/5 * * * * true\n",
        b"# no line feed at the end\n1 2 3 4 5 echo hi",
        b"PATH=/bin\r\n\r\n0 0 * * * caf\xe9 %in\\%put\r\n",
        b"# elophanto: fresh /somewhere/else\n*/10 * * * * rm -rf /precious\n",
        b"# elophanto: fresh\n# elophanto:\n# elophanto: Fresh /x\n@reboot x\n\n\n",
    ];
    for before in foreign {
        let site = Site::cron();
        site.set_crontab(before);
        site.ok(&["add", "fresh", "--", "scan"]);
        site.ok(&["add", "second", "--", "index"]);
        let with = site.crontab();
        assert!(with.starts_with(before), "{}", String::from_utf8_lossy(&with));
        site.ok(&["add", "fresh", "--every", "20m", "--replace", "--", "scan"]);
        let mut more = site.crontab();
        assert!(more.starts_with(before), "{}", String::from_utf8_lossy(&more));
        more.extend_from_slice(b"9 9 * * * later\n");
        site.set_crontab(&more);
        let jobs = site.list();
        assert_eq!(jobs.len(), 2, "{jobs:?}");
        site.ok(&["remove", "fresh"]);
        site.ok(&["remove", "second"]);
        let mut expected = before.to_vec();
        if !expected.ends_with(b"\n") {
            expected.push(b'\n');
        }
        expected.extend_from_slice(b"9 9 * * * later\n");
        let after = site.crontab();
        assert_eq!(after, expected, "{}", String::from_utf8_lossy(&after));
    }
}

/// A line below our mark that is not as we wrote it is somebody's.
#[test]
fn a_line_of_ours_that_somebody_changed() {
    let site = Site::cron();
    site.ok(&["add", "fresh", "--", "scan"]);
    let changed = String::from_utf8(site.crontab()).unwrap().replace("scan\n", "scan; date\n");
    site.set_crontab(changed.as_bytes());
    let list = site.run(&["list"]);
    assert!(list.stderr().contains("line 1 of the crontab is not as we wrote it"), "{list}");
    for args in [
        &["add", "fresh", "--", "scan"][..],
        &["add", "fresh", "--replace", "--", "scan"],
        &["remove", "fresh"],
    ] {
        site.refused(args, "remove it by hand");
        assert_eq!(site.crontab(), changed.as_bytes(), "{args:?}");
    }
    site.ok(&["add", "other", "--", "index"]);
    assert!(site.crontab().starts_with(changed.as_bytes()));
}

#[test]
fn neither_systemd_nor_a_cron_of_theirs() {
    for (systemctl, crontab) in [(None, Some(NO_CRON)), (Some(NO_SYSTEMD), Some(NO_CRON))] {
        let site = Site::new(systemctl, crontab);
        let refused = site.refused(&["add", "fresh", "--", "scan"], "neither systemd");
        let hint = "`--gateway` has your gateway run it";
        assert!(refused.stderr().contains(hint), "{refused}");
        assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
        site.asked();
        let printed = site.ok(&["print", "fresh", "--", "scan"]).stdout();
        assert_eq!(site.asked(), [""; 0], "printing asks nobody");
        for part in ["[Service]", "[Timer]", "OnUnitActiveSec=600s", "*/10 * * * * cd "] {
            assert!(printed.contains(part), "{part}\n{printed}");
        }
        let list = site.run(&["list"]);
        assert_eq!(list.code, Some(1), "{list}");
    }
}

/// Where there is neither, and where that is asked for, the user's gateway runs it.
#[test]
fn a_job_of_the_gateway() {
    let elsewhere = [Site::new(None, None), Site::new(Some(NO_SYSTEMD), None)];
    for (site, flags) in elsewhere.iter().zip([&[][..], &["--gateway"]]) {
        let added = site.ok(&[&["add", "fresh"], flags, &["--", "scan"]].concat());
        assert_eq!(added.stdout(), "fresh added: every 10m, by gateway\n");
        assert!(added.stderr().contains("`elophanto gateway --ensure`"), "{added}");
        let list = site.ok(&["list"]).stdout();
        assert_eq!(list, "fresh  every 10m  scan  (gateway)\n");
        assert_eq!(site.list()[0]["by"], "gateway");
        let kept = fs::read_to_string(site.state().join("gateway.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        assert_eq!((&kept[0]["every"], &kept[0]["name"]), (&json!("10m"), &json!("fresh")));
        assert_eq!(site.ok(&["remove", "fresh"]).stdout(), "fresh removed\n");
        assert_eq!(site.run(&["list"]).code, Some(1));
    }
    let printed = Site::systemd().ok(&["print", "fresh", "--gateway", "--", "scan"]).stdout();
    assert!(printed.contains("# or, for your gateway:\n[\n") && printed.contains("\"10m\""));
}

/// Systemd starts the gateway at each login; without it, it is said what does.
#[test]
fn the_gateway_as_a_service() {
    let site = Site::systemd();
    let added = site.ok(&["gateway"]);
    assert_eq!(added.stdout(), "gateway added: from each login on, by systemd\n");
    let [(name, text)] = &site.units()[..] else { panic!("{:?}", site.units()) };
    assert_eq!(name, "elophanto-gateway.service");
    let root = site.env.root().display();
    for line in [
        format!("WorkingDirectory={root}"),
        format!("ExecStart={PROGRAM} gateway"),
        "Restart=on-failure".to_owned(),
        "RestartPreventExitStatus=1".to_owned(),
        "WantedBy=default.target".to_owned(),
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    assert_eq!(
        site.ok(&["gateway"]).stdout(),
        "gateway was there already: from each login on, by systemd\n"
    );
    assert_eq!(site.ok(&["list"]).stdout(), "gateway  from each login on  (systemd)\n");
    assert_eq!(site.ok(&["gateway", "--remove"]).stdout(), "gateway removed\n");
    assert_eq!((site.units(), site.run(&["list"]).code), (vec![], Some(1)));
    let refused = Site::cron().refused(&["gateway"], "systemd starts nothing of this user here");
    assert!(refused.stderr().contains("`crontab -e`: @reboot cd "), "{refused}");
    let refused = Site::new(None, None).refused(&["gateway"], "systemd starts nothing");
    assert!(refused.stderr().contains("`elophanto gateway --ensure`"), "{refused}");
}

#[test]
fn printing_is_what_add_installs() {
    let args = ["fresh", "--every", "15m", "--", "search", "it's 100% \"harbour\" $HOME"];
    let site = Site::systemd();
    let printed = site.ok(&[&["print"], &args[..]].concat()).stdout();
    assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
    site.ok(&[&["add"], &args[..]].concat());
    for (name, text) in site.units() {
        assert!(printed.contains(&format!("# {name}\n{}", text.trim_end())), "{name}\n{printed}");
    }
    site.ok(&["remove", "fresh"]);
    site.tool("systemctl", None);
    site.ok(&[&["add"], &args[..]].concat());
    let crontab = String::from_utf8(site.crontab()).unwrap();
    assert!(printed.ends_with(&crontab), "{printed}\n{crontab}");
    assert_eq!(site.list()[0]["command"], json!(["search", args[5]]));
    let odd = site.ok(&["print", "odd", "--every", "7m", "--", "scan"]).stdout();
    assert!(odd.contains("# not possible: cron cannot say every 7m"), "{odd}");
}

#[test]
fn a_crontab_that_cannot_be_read_is_not_overwritten() {
    let site = Site::new(None, Some("[ \"$1\" = -l ] && exit 1; cat > tab"));
    site.set_crontab(b"* * * * * precious\n");
    site.refused(&["add", "fresh", "--", "scan"], "crontab -l");
    site.refused(&["remove", "fresh"], "crontab -l");
    assert_eq!(site.crontab(), b"* * * * * precious\n");
    let asked = site.asked();
    assert!(!asked.contains(&"crontab -".to_owned()), "{asked:?}");
}

#[test]
fn a_step_that_fails_leaves_all_as_it_was() {
    let site = Site::new(
        Some("case \"$*\" in *enable*) echo 'it is masked' >&2; exit 1;; esac"),
        Some(GOOD_CRONTAB),
    );
    site.refused(&["add", "fresh", "--", "scan"], "it is masked");
    assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()));
    let site =
        Site::new(None, Some("[ \"$1\" = -l ] && exec cat tab; echo 'bad minute' >&2; exit 1"));
    site.set_crontab(b"# mine\n");
    site.refused(&["add", "fresh", "--", "scan"], "bad minute");
    assert_eq!(site.crontab(), b"# mine\n");
}

/// What other programs say reaches no terminal raw.
#[test]
fn what_systemctl_says_is_shown_escaped() {
    let systemctl = "printf '\\033[31mred\\n\\342\\200\\256gnp' >&2; exit 1";
    let site = Site::new(Some(systemctl), Some(NO_CRON));
    let refused = site.refused(&["add", "fresh", "--", "scan"], "neither systemd");
    let text = refused.stderr();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

#[test]
fn every_repository_has_its_own_jobs() {
    for site in [Site::systemd(), Site::cron()] {
        let other = site.env.outside().join("other");
        fs::create_dir(&other).unwrap();
        site.env.git(&["init", "--quiet", other.to_str().unwrap()]);
        site.ok(&["add", "fresh", "--", "scan"]);
        let added = site.run_in(&other, &["add", "fresh", "--every", "1h", "--", "scan"]);
        assert_eq!(added.code, Some(0), "{added}");
        assert!(added.stdout().starts_with("fresh added"), "{added}");
        assert_eq!(site.list().len(), 1);
        assert_eq!(site.ok(&["list", "--all", "--json"]).json().len(), 2);
        let removed = site.run_in(&other, &["remove", "fresh"]);
        assert_eq!(removed.code, Some(0), "{removed}");
        let left = site.ok(&["list", "--all", "--json"]).json();
        assert_eq!((left.len(), &left[0]["every"]), (1, &json!("10m")), "{left:?}");
        // From a folder within, it is the same repository.
        let inner = site.run_in(&site.env.path("src"), &["list", "--json"]);
        assert_eq!(inner.json().len(), 1, "{inner}");
    }
}

/// The line of the crontab does what it should when a shell runs it, whatever the folder is called.
#[test]
fn a_folder_of_any_name() {
    for name in [
        "two words", "it's", "$(touch canary)", "`touch canary`", "a;touch canary", "quote\"d",
        "back\\slash", "~", "-n", "#x", "ünï", "%h", "100%", "$HOME", "a&b|c",
    ] {
        for site in [Site::systemd(), Site::cron()] {
            let folder = site.env.outside().join(name);
            fs::create_dir(&folder).unwrap();
            site.env.git(&["init", "--quiet", folder.to_str().unwrap()]);
            let added = site.run_in(&folder, &["add", "fresh", "--", "scan"]);
            assert_eq!(added.code, Some(0), "{name:?}\n{added}");
            let jobs = site.run_in(&folder, &["list", "--json"]).json();
            assert_eq!(jobs.len(), 1, "{name:?} {jobs:?}");
            assert_eq!(jobs[0]["folder"], folder.to_str().unwrap());
            let crontab = String::from_utf8(site.crontab()).unwrap();
            if let Some(line) = crontab.lines().nth(1) {
                let command = line.splitn(6, ' ').nth(5).unwrap();
                let output = finish(
                    site.env
                        .sealed("/bin/sh")
                        .args(["-c", command])
                        .env("PATH", &site.tools)
                        .current_dir(site.env.outside()),
                );
                assert_eq!(output.code, Some(0), "{command}\n{output}");
                assert_eq!(output.stdout(), "", "cron sends mail about it");
                let log = site.log();
                assert_eq!((log.len(), &log[0]["exit"]), (1, &json!(0)), "{log:?}");
            }
            for place in [site.env.outside(), &folder, site.env.root(), &site.tools] {
                assert!(!place.join("canary").exists(), "{name:?}");
            }
            let removed = site.run_in(&folder, &["remove", "fresh"]);
            assert_eq!(removed.code, Some(0), "{name:?}\n{removed}");
            assert_eq!((site.units(), site.crontab()), (Vec::new(), Vec::new()), "{name:?}");
        }
    }
    let site = Site::systemd();
    let folder = site.env.outside().join("line\nfeed");
    fs::create_dir(&folder).unwrap();
    site.env.git(&["init", "--quiet", folder.to_str().unwrap()]);
    let refused = site.run_in(&folder, &["add", "fresh", "--", "scan"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr().contains("no absolute path in its plain form"), "{refused}");
}

#[test]
fn a_run_writes_one_line_which_list_shows() {
    let site = Site::systemd();
    site.ok(&["add", "fresh", "--", "scan"]);
    for runs in 1..=3 {
        let output = site.ok(&["run", "fresh", "--", "scan"]);
        assert_eq!((output.stdout(), output.stderr()), (String::new(), String::new()));
        let log = site.log();
        assert_eq!(log.len(), runs, "{log:?}");
        let line = log.last().unwrap();
        assert_eq!((&line["name"], &line["exit"]), (&json!("fresh"), &json!(0)));
        assert_eq!(line["command"], json!(["scan"]));
        let said = line["said"].as_str().unwrap();
        assert!(said.starts_with("1 file, 0 described, "), "{said}");
        let list = site.ok(&["list"]).stdout();
        assert_eq!(list.lines().count(), 2, "{list}");
        assert!(list.contains("    last: ") && list.contains(said), "{list}");
        let last = site.list()[0]["last"].as_str().unwrap().to_owned();
        assert!(last.ends_with(&format!(" exit 0: {said}")), "{last}");
    }
}

/// The line is the error itself, not the hint or the usage below it.
#[test]
fn a_run_that_fails_says_why() {
    let site = Site::systemd();
    site.ok(&["add", "fresh", "--", "scan"]);
    for (command, why) in [
        (&["scan", "--every", "5x"][..], "expected a duration"),
        (&["search", "--like", "nowhere.md"], "nowhere.md"),
        (&["nonsense"], "nonsense"),
    ] {
        let args = [&["run", "fresh", "--"][..], command].concat();
        let output = site.run(&args);
        assert!(output.stderr().contains("fresh: "), "{output}");
        let log = site.log();
        let line = log.last().unwrap();
        assert_eq!(line["exit"], 2, "{line}");
        let said = line["said"].as_str().unwrap();
        assert!(said.contains(why), "{command:?} failed with {said:?}");
        assert!(output.stderr().contains(why), "{output}");
    }
}

#[test]
fn a_negative_answer_is_no_failure() {
    let site = Site::systemd();
    let output = site.ok(&["run", "ask", "--", "search", "zebra", "--mode", "keyword"]);
    assert_eq!(output.stderr(), "", "cron sends mail about it");
    let log = site.log();
    assert_eq!((log.len(), &log[0]["exit"]), (1, &json!(1)), "{log:?}");
}

/// A program and those that it starts, all of which end with the test.
struct Group(Child);

impl Group {
    fn start(mut command: Command) -> Self {
        let command = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        // SAFETY: only sends a signal, to a group of ours whose leader has not been waited for.
        unsafe { libc::kill(-self.0.id().cast_signed(), libc::SIGKILL) };
        let _ = self.0.wait();
    }
}

#[test]
fn runs_do_not_pile_up() {
    let site = Site::systemd();
    site.ok(&["add", "slow", "--", "scan"]);
    // It never ends by itself, unless it finds the other one at work.
    let start = || Group::start(site.command(&["run", "slow", "--", "scan", "--every", "1h"]));
    let mut first = start();
    let begun = Instant::now();
    let second = loop {
        if first.0.try_wait().unwrap().is_some() {
            first = start();
        }
        let output = site.ok(&["run", "slow", "--", "scan"]);
        let log = site.log();
        let last = log.last().cloned().unwrap();
        if output.stderr.is_empty()
            && last["said"] == "the last run still goes on"
            && last["command"] == json!(["scan"])
        {
            break (output, last);
        }
        assert!(begun.elapsed() < HANGS, "{log:?}");
    };
    assert_eq!((second.0.stdout(), second.0.stderr()), (String::new(), String::new()));
    assert_eq!(second.1["exit"], 0);
    let list = site.ok(&["list"]).stdout();
    assert!(list.contains("exit 0: the last run still goes on"), "{list}");
    // Another job need not wait.
    site.ok(&["run", "other", "--", "scan"]);
    let other = site.log().into_iter().find(|line| line["name"] == "other").unwrap();
    assert!(other["said"].as_str().unwrap().contains("1 file, "), "{other}");
    drop(first);
    // A run that was killed holds nobody up.
    site.ok(&["run", "slow", "--", "scan"]);
    let log = site.log();
    let slow = log.iter().rfind(|line| line["name"] == "slow").unwrap();
    assert!(slow["said"].as_str().unwrap().contains("1 file, "), "{slow}");
}

/// A run that is told to end, with all that it started, says so.
#[test]
fn a_run_that_is_told_to_end_is_written_down() {
    let site = Site::systemd();
    site.ok(&["add", "slow", "--", "scan"]);
    let run = Group::start(site.command(&["run", "slow", "--", "scan", "--every", "1h"]));
    let begun = Instant::now();
    let lock = || {
        let all = fs::read_dir(site.state()).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.to_string_lossy().contains("-slow-"))
            .any(|path| path.extension().is_some_and(|ending| ending == "lock"))
    };
    while !lock() {
        assert!(begun.elapsed() < HANGS);
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(1));
    // SAFETY: only sends a signal, to a group of ours whose leader has not been waited for.
    unsafe { libc::kill(-run.0.id().cast_signed(), libc::SIGTERM) };
    while site.log().is_empty() {
        assert!(begun.elapsed() < HANGS, "it leaves no line");
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = site.log();
    assert_eq!((log.len(), &log[0]["name"]), (1, &json!("slow")), "{log:?}");
    assert_ne!(log[0]["exit"], 0, "{log:?}");
}

#[test]
fn outside_of_any_repository() {
    let site = Site::systemd();
    site.ok(&["add", "fresh", "--", "scan"]);
    let none = site.env.outside().join("none");
    fs::create_dir(&none).unwrap();
    for args in [
        &["add", "x", "--", "scan"][..],
        &["print", "x", "--", "scan"],
        &["remove", "fresh"],
        &["run", "x", "--", "scan"],
    ] {
        let output = site.run_in(&none, args);
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert!(output.stderr().contains("hint: "), "{args:?}\n{output}");
    }
    // There, all there are is what one wants to see.
    assert_eq!(site.run_in(&none, &["list", "--json"]).json().len(), 1);
    assert!(fs::read_dir(none).unwrap().next().is_none());
}
