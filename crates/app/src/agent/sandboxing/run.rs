//! One program in the sandbox: what it may read and write, from the settings and from what the work
//! tree holds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Fencing, Wanted, ready::Ready};
use elophanto_agent::{
    git_guard::Shown,
    sandbox::{self, Attend, Ended, Kind, Limits, Policy, Stopped},
};
use elophanto_base::{
    mutex::lock,
    platform::{self, PRIVATE_FOLDER},
    process,
};

impl Fencing {
    pub(super) fn run(&self, wanted: &Wanted, attend: Attend<'_>) -> Result<Ended, String> {
        let Ready { standby, keys, repositories, temporary, stays_here } =
            std::mem::take(&mut *lock(&self.ready));
        let temporary = match temporary.filter(|folder| is_fresh(folder.path())) {
            Some(folder) => folder,
            None => platform::permissions(PRIVATE_FOLDER)
                .and_then(|own| {
                    tempfile::Builder::new().prefix("elophanto-").permissions(own).tempdir()
                })
                .map_err(|cause| format!("no temporary folder: {cause}"))?,
        };
        let variables = self.environment.harmless();
        let path = variables.get("PATH").map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
        let language = variables.get("LANG").map(String::as_str);
        let mut environment = sandbox::environment(path, &self.home, temporary.path(), language);
        environment.extend(self.git.variables());
        let (helper, kind) = self.helper();
        if matches!(kind, Kind::Absent(_)) {
            return unfenced(wanted, &environment);
        }
        let with_home = |path: &PathBuf| match path.strip_prefix("~") {
            Ok(below) => self.home.join(below),
            Err(_) => path.clone(),
        };
        let absolute = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().map(with_home).filter(|path| path.is_absolute()).collect()
        };
        let mut read = absolute(&self.settings.readable);
        read.extend(self.git.read(&self.root));
        read.extend(wanted.read.iter().cloned());
        let mut searched = absolute(&self.settings.writable);
        searched.extend(read.iter().cloned().chain([self.root.clone()]));
        let path = sandbox::searched(path, &self.home, &searched);
        if !path.is_empty() {
            environment.insert("PATH".to_owned(), path);
        }
        let repositories = repositories.unwrap_or_else(|| self.repositories());
        let covered = self
            .git
            .covered(&repositories)
            .map_err(|cause| format!("no temporary file: {cause}"))?;
        let (protected, write) = if wanted.only_reads {
            (vec![self.root.clone()], Vec::new())
        } else {
            let protected = self.paths.iter().cloned().chain(repositories).collect();
            let more = if stays_here { &[][..] } else { &self.settings.writable };
            (protected, absolute(more))
        };
        let mut hidden = keys.unwrap_or_else(|| self.keys());
        hidden.extend(self.git.hidden());
        let policy = Policy {
            root: self.root.clone(),
            protected,
            write,
            read,
            hidden,
            covered: covered
                .iter()
                .map(|Shown { path, with }| (path.clone(), with.path().to_owned()))
                .collect(),
            temporary: temporary.path().to_owned(),
            network: wanted.network,
            home: self.home.clone(),
            limits: Limits {
                time: wanted.time,
                output_bytes: wanted.max_output,
                memory_bytes: self.settings.tool_memory,
                ..Limits::default()
            },
        };
        let (argv, folder) = (&wanted.argv, wanted.folder);
        let program =
            sandbox::Program { argv, stdin: wanted.stdin, environment: &environment, folder };
        // Others may write there meanwhile: no folder that stands in for it may be in their way.
        let own: Vec<&PathBuf> =
            self.shared.iter().filter(|_| !wanted.only_reads).filter(|it| makes(it)).collect();
        let standby = standby.and_then(|mut standby| standby.is_waiting().then_some(standby));
        let ended = standby
            .map_or_else(|| helper.start(), Ok)
            .and_then(|standby| standby.run_attended(&policy, &program, attend))
            .map_err(|cause| cause.to_string());
        for folder in own.into_iter().rev() {
            // Unless there is something in it by now.
            let _ = fs::remove_dir(folder);
        }
        // What the program left there goes with the folder.
        if is_fresh(temporary.path()) {
            lock(&self.ready).temporary = Some(temporary);
        }
        ended
    }
}

/// Whether a folder was not there, and now is.
fn makes(folder: &Path) -> bool {
    fs::create_dir(folder).is_ok()
}

/// Whether a temporary folder is as when it was made: empty, and the user's alone.
fn is_fresh(folder: &Path) -> bool {
    let is_own = |found: fs::Metadata| found.is_dir() && platform::rights(&found) == PRIVATE_FOLDER;
    fs::symlink_metadata(folder).is_ok_and(is_own)
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Where the kernel has no fence and somebody approved all the same.
fn unfenced(wanted: &Wanted, environment: &process::Environment) -> Result<Ended, String> {
    let folder = wanted.folder.to_string_lossy().into_owned();
    let enter = ["/bin/sh", "-c", "cd -- \"$1\" && shift && exec \"$@\"", "sh"].map(str::to_owned);
    let argv: Vec<String> =
        enter.into_iter().chain([folder]).chain(wanted.argv.iter().cloned()).collect();
    let (time, most) = (wanted.time, wanted.max_output);
    match process::run(&argv, wanted.stdin, environment, time, most) {
        Ok(process::Output { code, signal, stdout, stderr, cut }) => {
            Ok(Ended { code, signal, stdout, stderr, cut, why: None })
        }
        Err(process::ProcessError::TooSlow { .. }) => Ok(Ended {
            code: None,
            signal: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            cut: false,
            why: Some(Stopped::Time),
        }),
        Err(cause) => Err(cause.to_string()),
    }
}
