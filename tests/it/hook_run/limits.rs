//! So many seconds, whatever happens.

use std::{
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use super::*;

/// A `git` that is slow when a hook of ours asks it.
#[test]
fn a_git_that_takes_its_time() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let tools = site.env.outside().join("tools");
    fs::create_dir(&tools).unwrap();
    let git = finish(site.env.sealed("sh").args(["-c", "command -v git"])).stdout();
    let path = tools.join("git");
    let text = format!("#!/bin/sh\nsleep 20\nexec '{}' \"$@\"\n", git.trim());
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let search = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());

    site.stage("new", "Something new.");
    let (staged, status) = (site.staged(), site.status());
    let begun = Instant::now();
    let mut command = site.command(PROGRAM, &["hook", "run", "pre-commit"]);
    let output = finish(command.env("PATH", search).env("ELOPHANTO_HOOK_SECONDS", "3"));
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(10), "{took:?}");
    assert_eq!((output.code, output.stderr().lines().count()), (Some(0), 1), "{output}");
    let named = output.stderr().contains("not all that is staged was looked through for secrets");
    assert!(named, "{output}");
    assert_eq!(site.staged(), staged);
    assert_eq!(not_ours(site.status()), not_ours(status));
    assert!(!site.git_dir().join("index.lock").exists());
    site.commit("new");
    assert_eq!(site.status(), [""; 0]);
    assert_eq!(site.entries("HEAD").len(), 2);
    assert_eq!(site.embedded_by_a_clone(), 0);
}
