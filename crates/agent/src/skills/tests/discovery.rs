//! Which of several skills counts, and what is not loaded.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn one_name_in_all_places() {
    let desk = Desk::new();
    let from = desk.skill("from/writing-a-note", "installed");
    let used = |expected: &str, shadowed: usize| {
        let found = desk.discover();
        let skill = found.skills.iter().find(|skill| skill.name == "writing-a-note").unwrap();
        assert_eq!(skill.origin.label(), expected);
        assert_eq!(found.shadowed.len(), shadowed, "{expected}");
        assert!(found.shadowed.iter().all(|hidden| hidden.by == skill.origin));
        assert!(found.skills.is_sorted_by_key(|skill| skill.name.clone()));
    };
    used("bundled", 0);
    desk.install(from.to_str().unwrap()).unwrap();
    used("installed", 1);
    desk.skill("repo/.claude/skills/writing-a-note", "repository");
    used("from this repository", 2);
    desk.skill("repo/.elophanto/skills/writing-a-note", "repository");
    used("from this repository", 3);
    desk.skill("user/writing-a-note", "user");
    used("the user's own", 4);
}

#[test]
fn links_of_a_repository_stay_inside() {
    let desk = Desk::new();
    desk.skill("repo/.agents/skills/inside", "d");
    desk.skill("outside/leaked", "d");
    desk.skill("outside/sly", "d");
    fs::create_dir_all(desk.at("repo/.claude")).unwrap();
    // The usual way to have one folder for several programs: seen once.
    symlink("../.agents/skills", desk.at("repo/.claude/skills")).unwrap();
    symlink(desk.at("outside/leaked"), desk.at("repo/.agents/skills/leaked")).unwrap();
    symlink(desk.at("outside"), desk.at("repo/.agents/skills/deeper")).unwrap();
    symlink("loop", desk.at("repo/.agents/skills/loop")).unwrap();
    fs::create_dir_all(desk.at("repo/.agents/skills/sly")).unwrap();
    symlink(desk.at("outside/sly/SKILL.md"), desk.at("repo/.agents/skills/sly/SKILL.md")).unwrap();
    let found = desk.discover();
    let own: Vec<&str> = found
        .skills
        .iter()
        .filter(|skill| skill.origin == Origin::Repository)
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(own, ["inside"]);
    assert!(found.shadowed.is_empty());
    assert!(found.problems.iter().any(|said| said.contains("leads out of the repository")));
    // A whole folder that leads out.
    fs::remove_file(desk.at("repo/.claude/skills")).unwrap();
    symlink(desk.at("outside"), desk.at("repo/.claude/skills")).unwrap();
    assert!(desk.used("leaked").is_none());
}

#[test]
fn bad_ones_cost_only_themselves() {
    let desk = Desk::new();
    desk.skill("user/good", "d");
    desk.write("user/good/references/x.md", "12345");
    desk.write("user/no-front/SKILL.md", "text");
    desk.write("user/other-name/SKILL.md", skill_text("x", "d"));
    desk.write("user/Upper/SKILL.md", skill_text("Upper", "d"));
    desk.write("user/long/SKILL.md", skill_text("long", &"d".repeat(2_000)));
    desk.write("user/huge/SKILL.md", vec![b'a'; 1 << 20]);
    desk.write("user/empty/readme.md", "no skill at all");
    desk.write("user/file.md", "x");
    fs::create_dir_all(desk.at("user/folder/SKILL.md")).unwrap();
    let pipe = desk.at("user/pipe");
    fs::create_dir_all(&pipe).unwrap();
    let argv = ["mkfifo".to_owned(), pipe.join("SKILL.md").to_str().unwrap().to_owned()];
    process::run(&argv, b"", &desk.environment, Duration::from_secs(5), 100).unwrap();
    let found = desk.discover();
    let own: Vec<&Skill> = found.skills.iter().filter(|s| s.origin == Origin::User).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].files, [(PathBuf::from("references/x.md"), 5)]);
    assert_eq!(read_file(own[0], Path::new("references/x.md"), 9).unwrap(), b"12345");
    assert_eq!(found.problems.len(), 7, "{:#?}", found.problems);
    // A folder that became a link after it was listed.
    fs::rename(desk.at("user/good/references"), desk.at("moved")).unwrap();
    symlink(desk.at("moved"), desk.at("user/good/references")).unwrap();
    assert!(read_file(own[0], Path::new("references/x.md"), 9).is_err());
}

#[test]
fn nothing_anywhere() {
    let found = discover(&Places::default());
    assert_eq!(found.skills.len(), bundled().len());
    assert!(found.problems.is_empty(), "{:?}", found.problems);
}
