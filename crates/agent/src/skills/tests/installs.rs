//! Planning, installing, updating, removing.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn from_a_folder_and_back() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    desk.write("from/baking-bread/references/flour.md", "Flour\n");
    let script = desk.write("from/baking-bread/scripts/knead.sh", "#!/bin/sh\ntouch canary\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let plan = desk.plan(folder.to_str().unwrap()).unwrap();
    assert_eq!((plan.name.as_str(), plan.description.as_str()), ("baking-bread", "Bakes bread"));
    let files: Vec<String> =
        plan.files.iter().map(|f| format!("{} {} {}", f.path, f.size, f.executable)).collect();
    assert_eq!(
        files,
        ["SKILL.md 77 false", "references/flour.md 6 false", "scripts/knead.sh 23 true"]
    );
    let concerns: Vec<Concern> = plan.warnings.iter().map(|warning| warning.concern).collect();
    assert_eq!(concerns, [Concern::Script, Concern::Executable]);
    assert!(plan.difference.is_none() && plan.commit.is_none() && !plan.is_current());
    assert!(desk.used("baking-bread").is_none() && !desk.installed().exists());

    install(&plan, &plan.tree, &desk.installed()).unwrap();
    let skill = desk.used("baking-bread").unwrap();
    assert_eq!(
        skill.origin,
        Origin::Installed {
            source: folder.to_str().unwrap().to_owned(),
            commit: None,
            tree: plan.tree.clone()
        }
    );
    assert_eq!(skill.files.len(), 2);
    let copy = desk.installed().join("baking-bread/scripts/knead.sh");
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o111, 0);
    let path = Path::new("references/flour.md");
    assert_eq!(read_file(&skill, path, 100).unwrap(), b"Flour\n");
    assert!(read_file(&skill, path, 5).is_err());
    assert!(read_file(&skill, Path::new("../skills.lock.json"), 1 << 20).is_err());
    assert!(desk.plan(folder.to_str().unwrap()).unwrap().is_current());
    assert_eq!(line(&skill), "- baking-bread: Bakes bread [installed]");

    remove("baking-bread", &desk.installed()).unwrap();
    assert_eq!(names(&desk.installed()), [LOCK_NAME]);
    assert!(matches!(remove("baking-bread", &desk.installed()), Err(SkillError::NotInstalled(_))));
    assert!(!desk.at("canary").exists());
}

#[test]
fn from_git_pinned_and_updated() {
    let desk = Desk::new();
    desk.skill("up/skills/baking-bread", "Bakes bread");
    desk.skill("up/skills/brewing-tea", "Brews tea");
    desk.write("up/README.md", "Skills");
    let (url, first) = desk.publish("up");
    let said = desk.plan(&url).unwrap_err().to_string();
    assert!(said.contains("skills/baking-bread, skills/brewing-tea"), "{said}");
    let source = format!("{url}#skills/baking-bread");
    let plan = desk.install(&source).unwrap();
    assert_eq!(plan.commit.as_deref(), Some(first.as_str()));
    assert_eq!(plan.source.to_string(), source);
    assert!(desk.plan_update("baking-bread").unwrap().is_current());

    desk.write(
        "up/skills/baking-bread/SKILL.md",
        skill_text("baking-bread", "Bakes rolls") + "Three\n",
    );
    desk.write("up/skills/baking-bread/new.md", "new");
    let (_, second) = desk.publish("up");
    let update = desk.plan_update("baking-bread").unwrap();
    let difference = update.difference.clone().unwrap();
    assert_eq!((difference.added, difference.removed), (vec!["new.md".to_owned()], vec![]));
    let [changed] = difference.changed.as_slice() else { panic!("one file changed") };
    assert!(
        changed.diff.contains("\n-description: Bakes bread\n+description: Bakes rolls\n"),
        "{}",
        changed.diff
    );
    assert!(changed.diff.contains("\n+Three\n"));
    // Nothing is changed by looking.
    assert_eq!(desk.used("baking-bread").unwrap().description, "Bakes bread");
    install(&update, &update.tree, &desk.installed()).unwrap();
    let skill = desk.used("baking-bread").unwrap();
    assert_eq!(skill.description, "Bakes rolls");
    assert!(
        matches!(&skill.origin, Origin::Installed { commit: Some(commit), .. } if *commit == second)
    );
    // Nothing but the list and the skill is left behind.
    assert_eq!(names(&desk.installed()), ["baking-bread", LOCK_NAME]);
    assert!(names(&desk.cache()).is_empty());
}

#[test]
fn only_what_was_agreed_to() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    let shown = desk.plan(folder.to_str().unwrap()).unwrap();
    desk.write("from/baking-bread/more.md", "more");
    let other = desk.plan(folder.to_str().unwrap()).unwrap();
    assert!(matches!(
        install(&other, &shown.tree, &desk.installed()),
        Err(SkillError::NotAgreed(_))
    ));
    // What was shown is what is copied, whatever became of the folder.
    install(&shown, &shown.tree, &desk.installed()).unwrap();
    assert!(desk.used("baking-bread").unwrap().files.is_empty());
    assert!(matches!(
        install(&other, &other.tree, &desk.installed()),
        Err(SkillError::Overtaken(_))
    ));
}

#[test]
fn what_was_changed_by_hand_is_not_loaded() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    desk.write("from/baking-bread/a.md", "a");
    let source = folder.to_str().unwrap().to_owned();
    let place = desk.installed().join("baking-bread");
    type Tamper = fn(&Path);
    let tampers: &[Tamper] = &[
        |place| fs::write(place.join("SKILL.md"), skill_text("baking-bread", "Runs rm")).unwrap(),
        |place| fs::write(place.join("more.sh"), "x").unwrap(),
        |place| fs::remove_file(place.join("a.md")).unwrap(),
        |place| fs::rename(place.join("a.md"), place.join("b.md")).unwrap(),
        |place| std::os::unix::fs::symlink("/etc/passwd", place.join("link")).unwrap(),
        |place| {
            fs::remove_file(place.join("a.md")).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", place.join("a.md")).unwrap();
        },
        |place| {
            fs::rename(place, place.with_file_name(".moved")).unwrap();
            std::os::unix::fs::symlink(place.with_file_name(".moved"), place).unwrap();
        },
        |place| fs::remove_dir_all(place).unwrap(),
    ];
    for (number, tamper) in tampers.iter().enumerate() {
        let _ = fs::remove_dir_all(desk.installed());
        desk.install(&source).unwrap();
        let before = desk.used("baking-bread").unwrap();
        tamper(&place);
        let found = desk.discover();
        assert!(found.skills.iter().all(|skill| skill.name != "baking-bread"), "{number}");
        assert_eq!(found.problems.len(), 1, "{number}: {:?}", found.problems);
        assert!(read_file(&before, Path::new("a.md"), 100).is_err(), "{number}");
    }
    // Looking again says so, and mends it.
    let _ = fs::remove_dir_all(desk.installed());
    desk.install(&source).unwrap();
    fs::write(place.join("SKILL.md"), "changed").unwrap();
    let plan = desk.plan_update("baking-bread").unwrap();
    assert!(plan.warnings.iter().any(|warning| warning.concern == Concern::Tampered));
    assert!(!plan.is_current());
    install(&plan, &plan.tree, &desk.installed()).unwrap();
    assert_eq!(desk.used("baking-bread").unwrap().description, "Bakes bread");
}

#[test]
fn two_at_once() {
    let desk = Desk::new();
    let names: Vec<String> = (0..8).map(|n| format!("skill-{n}")).collect();
    let mut plans = Vec::new();
    for name in &names {
        plans.push(desk.plan(desk.skill(&format!("from/{name}"), "d").to_str().unwrap()).unwrap());
    }
    // The same name from two places: one wins, the other is told.
    let first = desk.plan(desk.skill("x/same", "one").to_str().unwrap()).unwrap();
    let second = desk.plan(desk.skill("y/same", "two").to_str().unwrap()).unwrap();
    let place = desk.installed();
    let won = std::thread::scope(|scope| {
        for plan in &plans {
            let place = &place;
            scope.spawn(move || install(plan, &plan.tree, place).unwrap());
        }
        let both = [&first, &second].map(|plan| {
            let place = &place;
            scope.spawn(move || install(plan, &plan.tree, place).is_ok())
        });
        both.map(|thread| thread.join().unwrap()).into_iter().filter(|won| *won).count()
    });
    assert_eq!(won, 1);
    let found = desk.discover();
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert_eq!(installed(&place).unwrap().len(), 9);
    assert_eq!(found.skills.len(), 9 + bundled().len());
}

#[test]
fn what_somebody_put_there_is_left_alone() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    desk.skill("data/skills/baking-bread", "By hand");
    let plan = desk.plan(folder.to_str().unwrap());
    assert!(matches!(plan, Err(SkillError::Occupied(_))));
    let found = desk.discover();
    assert!(found.problems[0].contains("is not in skills.lock.json"), "{:?}", found.problems);
    assert!(matches!(remove("baking-bread", &desk.installed()), Err(SkillError::NotInstalled(_))));
    assert!(desk.installed().join("baking-bread/SKILL.md").exists());
}

#[test]
fn a_damaged_list_installs_nothing_over_it() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    desk.install(folder.to_str().unwrap()).unwrap();
    let list = desk.installed().join(LOCK_NAME);
    let good = fs::read_to_string(&list).unwrap();
    for bad in [
        "",
        "{",
        "[]",
        "{\"version\":2,\"skills\":{}}",
        "{\"version\":1,\"skills\":{\"../x\":{\"source\":\"/a\",\"tree\":\"b\"}}}",
    ] {
        fs::write(&list, bad).unwrap();
        assert!(desk.plan(folder.to_str().unwrap()).is_err(), "{bad}");
        assert!(remove("baking-bread", &desk.installed()).is_err(), "{bad}");
        let found = desk.discover();
        assert_eq!((found.skills.len(), found.problems.len()), (bundled().len(), 1), "{bad}");
        assert_eq!(fs::read_to_string(&list).unwrap(), bad);
    }
    fs::write(&list, good).unwrap();
    assert!(desk.used("baking-bread").is_some());
}

#[test]
fn a_plan_is_shown_whole() {
    let desk = Desk::new();
    let folder = desk.skill("from/baking-bread", "Bakes bread");
    desk.write("from/baking-bread/run.sh", "make");
    let plan = desk.plan(folder.to_str().unwrap()).unwrap();
    let expected = format!(
        "skill `baking-bread` from {}\ncontent {}\nfor: Bakes bread\n\
         2 files, 81 bytes, none of which may be run:\n  SKILL.md 77 bytes\n  run.sh 4 bytes\n\
         look at:\n  run.sh: a script\nit says:\n\n# baking-bread\n\nOne\nTwo\n",
        folder.display(),
        plan.tree
    );
    assert_eq!(plan.shown(), expected);
    install(&plan, &plan.tree, &desk.installed()).unwrap();
    assert!(
        desk.plan_update("baking-bread")
            .unwrap()
            .shown()
            .contains("just this is installed already")
    );
    desk.write("from/baking-bread/run.sh", "rm");
    let update = desk.plan_update("baking-bread").unwrap().shown();
    assert!(
        update.contains("changed: run.sh\n") && update.contains("-make") && update.contains("+rm"),
        "{update}"
    );
}
