//! Repositories and folders that mean no good.

use std::os::unix::fs::symlink;

use super::*;

/// Writes a tree straight into git's objects, under names no file system would take.
fn publish_raw(desk: &Desk, entries: &[(&str, &str, &str)]) -> String {
    fs::create_dir_all(desk.at("raw.git")).unwrap();
    if !desk.at("raw.git/HEAD").exists() {
        desk.git("raw.git", &["init", "--quiet", "--bare", "--initial-branch=main"]);
    }
    // One tree per name, so that names with `/` can stand in one entry.
    let mut tree = Vec::new();
    let mut sorted: Vec<_> = entries.to_vec();
    sorted.sort_by_key(|(_, name, _)| name.as_bytes().to_vec());
    for (mode, name, text) in sorted {
        desk.write("blob", text);
        let id = if mode == "160000" {
            "1234567890123456789012345678901234567890".to_owned()
        } else {
            desk.git("raw.git", &["hash-object", "-w", desk.at("blob").to_str().unwrap()])
        };
        tree.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        tree.extend(
            id.as_bytes()
                .chunks(2)
                .map(|hex| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()),
        );
    }
    let file = desk.write("tree", tree);
    let tree = desk.git(
        "raw.git",
        &["hash-object", "-w", "-t", "tree", "--literally", file.to_str().unwrap()],
    );
    let commit = desk.git("raw.git", &["commit-tree", &tree, "-m", "x"]);
    desk.git("raw.git", &["update-ref", "refs/heads/main", &commit]);
    format!("file://{}", desk.at("raw.git").display())
}

#[test]
fn trees_that_lead_out() {
    let good = skill_text("a-skill", "d");
    for name in [
        "..", "../../x", ".git", ".GIT", "a\\b", "con", "a\nb", "a\u{202e}b", "-rf", "git~1",
        "/abs",
    ] {
        let desk = Desk::new();
        let url = publish_raw(&desk, &[("100644", "SKILL.md", &good), ("100644", name, "x")]);
        let plan = desk.plan(&url);
        assert!(plan.is_err(), "{name:?}: {:?}", plan.map(|plan| plan.files));
        assert!(!desk.installed().exists());
    }
    let desk = Desk::new();
    let url = publish_raw(
        &desk,
        &[("100644", "SKILL.md", &good), ("100644", "Doc.md", "1"), ("100644", "doc.md", "2")],
    );
    assert!(
        matches!(desk.plan(&url), Err(SkillError::FileName { .. })),
        "one name on some systems"
    );
}

#[test]
fn links_and_submodules_are_not_copied() {
    let desk = Desk::new();
    let good = skill_text("a-skill", "d");
    let url = publish_raw(
        &desk,
        &[
            ("100644", "SKILL.md", &good),
            ("120000", "passwords", "/etc/passwd"),
            ("160000", "module", ""),
            ("100755", "run.sh", "#!/bin/sh\ntouch /tmp/canary\n"),
            ("100644", ".gitattributes", "* filter=x text eol=crlf\n"),
            (
                "100644",
                ".gitmodules",
                "[submodule \"m\"]\n path = module\n url = ext::sh -c touch% canary\n",
            ),
        ],
    );
    let plan = desk.install(&url).unwrap();
    let skipped: Vec<&str> = plan
        .warnings
        .iter()
        .filter(|warning| warning.concern == Concern::Skipped)
        .map(|warning| warning.path.as_str())
        .collect();
    assert_eq!(skipped, ["module", "passwords"]);
    let place = desk.installed().join("a-skill");
    assert_eq!(names(&place), ["SKILL.md", "run.sh"]);
    // Bytes as they are in the commit: no filter, no line ends turned.
    assert_eq!(fs::read_to_string(place.join("SKILL.md")).unwrap(), good);
    assert!(!desk.at("canary").exists());
}

#[test]
fn folders_that_lead_out() {
    let desk = Desk::new();
    let folder = desk.skill("from/a-skill", "d");
    symlink("/etc/passwd", folder.join("link")).unwrap();
    symlink("/etc", folder.join("folder")).unwrap();
    fs::create_dir_all(folder.join(".git/hooks")).unwrap();
    fs::write(folder.join(".git/hooks/post-checkout"), "x").unwrap();
    let plan = desk.install(folder.to_str().unwrap()).unwrap();
    assert_eq!(plan.files.len(), 1);
    assert_eq!(names(&desk.installed().join("a-skill")), ["SKILL.md"]);
    fs::remove_file(folder.join("SKILL.md")).unwrap();
    symlink("/etc/passwd", folder.join("SKILL.md")).unwrap();
    assert!(desk.plan(folder.to_str().unwrap()).is_err());
}

#[test]
fn caps() {
    let desk = Desk::new();
    let many = desk.skill("from/many", "d");
    for n in 0..MAX_FILES {
        desk.write(&format!("from/many/{n}.md"), "x");
    }
    let big = desk.skill("from/big", "d");
    desk.write("from/big/a.bin", vec![0; 3 << 20]);
    desk.write("from/big/b.bin", vec![0; 3 << 20]);
    for folder in [&many, &big] {
        let plan = desk.plan(folder.to_str().unwrap());
        assert!(matches!(plan, Err(SkillError::TooLarge { .. })), "{folder:?} {plan:?}");
    }
    let (url, _) = desk.publish("from");
    for folder in ["many", "big"] {
        let plan = desk.plan(&format!("{url}#{folder}"));
        assert!(matches!(plan, Err(SkillError::TooLarge { .. })), "{folder} {plan:?}");
    }
    let deep = desk.skill("deep/deep", "d");
    desk.write("deep/deep/1/2/3/4/5/6/7/8/9/x.md", "x");
    assert!(desk.plan(deep.to_str().unwrap()).is_err());
}

#[test]
fn nothing_of_the_place_is_run() {
    let desk = Desk::new();
    desk.skill("up/a-skill", "d");
    let (url, _) = desk.publish("up");
    let canary = desk.at("canary");
    let program = format!("#!/bin/sh\ntouch {}\n", canary.display());
    for hook in
        ["post-checkout", "pre-receive", "post-update", "reference-transaction", "upload-pack"]
    {
        let path = desk.write(&format!("up.git/hooks/{hook}"), &program);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let hook = desk.at("up.git/hooks/post-update");
    desk.git("up.git", &["config", "core.fsmonitor", hook.to_str().unwrap()]);
    desk.git("up.git", &["config", "uploadpack.packObjectsHook", hook.to_str().unwrap()]);
    desk.install(&url).unwrap();
    assert!(!canary.exists());
}

#[test]
fn the_environment_does_not_steer_git() {
    let mut desk = Desk::new();
    desk.skill("up/a-skill", "d");
    let (url, commit) = desk.publish("up");
    desk.skill("other/b-skill", "d");
    desk.publish("other");
    let hook = desk.write("hook", format!("#!/bin/sh\ntouch {}\n", desk.at("canary").display()));
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let state = |desk: &Desk| {
        desk.git("other.git", &["show-ref"]) + &desk.git("other.git", &["count-objects", "-v"])
    };
    let before = state(&desk);
    for (name, value) in [
        ("GIT_DIR", desk.at("other.git").to_str().unwrap()),
        ("GIT_INDEX_FILE", "/nowhere"),
        ("GIT_OBJECT_DIRECTORY", desk.at("other.git/objects").to_str().unwrap()),
        ("GIT_SSH_COMMAND", hook.to_str().unwrap()),
        ("GIT_EXEC_PATH", "/nowhere"),
        ("GIT_CONFIG_PARAMETERS", "'core.hooksPath=/x'"),
        ("GIT_ALLOW_PROTOCOL", "ext"),
    ] {
        desk.environment.insert(name.to_owned(), value.to_owned());
    }
    let (environment, cache) = (&desk.environment, &desk.cache());
    let outside = Outside { environment, cache, hub: None };
    let plan = plan_install(&Source::parse(&url).unwrap(), &desk.installed(), &outside).unwrap();
    assert_eq!(plan.commit, Some(commit));
    desk.environment.retain(|name, _| !name.starts_with("GIT_"));
    assert_eq!(state(&desk), before);
    assert!(!desk.at("canary").exists());
}

#[test]
fn a_rewritten_address_runs_no_program() {
    // The user's own settings may turn addresses round, but never into a program.
    let desk = Desk::new();
    let canary = desk.at("canary");
    let program = format!("ext::touch {}", canary.display());
    desk.write(
        "home/.gitconfig",
        format!("[url \"{program}\"]\n insteadOf = https://example.invalid/a\n"),
    );
    assert!(desk.plan("https://example.invalid/a").is_err());
    assert!(!canary.exists());
}

#[test]
fn repositories_that_are_none() {
    let desk = Desk::new();
    desk.write("text", "x");
    fs::create_dir_all(desk.at("empty.git")).unwrap();
    desk.git("empty.git", &["init", "--quiet", "--bare"]);
    for place in ["text", "empty.git", "missing"] {
        let plan = desk.plan(&format!("file://{}", desk.at(place).display()));
        assert!(matches!(plan, Err(SkillError::Git { .. })), "{place} {plan:?}");
    }
    assert!(names(&desk.cache()).is_empty());
}
