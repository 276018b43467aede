//! The hub: lists, searches, proposals, installs at the commit that was shown.

use super::*;

fn refresh(desk: &Desk, url: &str) -> Result<hub::Hub> {
    hub::refresh(url, &desk.cache(), &desk.environment)
}

#[test]
fn folders_are_a_list() {
    let mut desk = Desk::new();
    desk.skill("hub/skills/baking-bread", "Bakes bread and rolls from flour and yeast");
    desk.skill("hub/skills/brewing-tea", "Brews green and black tea");
    desk.write("hub/skills/bad/SKILL.md", "no front matter");
    desk.write("hub/skills/con/SKILL.md", skill_text("con", "d"));
    let (url, commit) = desk.publish("hub");
    assert!(matches!(hub::load(&url, &desk.cache()), Err(SkillError::HubNotRead)));
    let hub = refresh(&desk, &url).unwrap();
    assert_eq!(hub::load(&url, &desk.cache()).unwrap(), hub);
    let shown: Vec<String> = hub
        .entries
        .iter()
        .map(|e| format!("{} {} {}", e.name, e.path, e.commit == commit))
        .collect();
    assert_eq!(
        shown,
        ["baking-bread skills/baking-bread true", "brewing-tea skills/brewing-tea true"]
    );
    assert_eq!(hub.problems.len(), 2, "{:?}", hub.problems);
    let found = |query: &str| -> Vec<String> {
        hub::search(&hub, query, 9).into_iter().map(|entry| entry.name.clone()).collect()
    };
    assert_eq!(found("some rolls"), ["baking-bread"]);
    assert_eq!(found("green teas"), ["brewing-tea"]);
    assert_eq!(found("motor"), [""; 0]);
    assert_eq!(found(""), ["baking-bread", "brewing-tea"]);

    // What is installed is what was found, whatever the hub says by now.
    desk.hub = Some(url.clone());
    desk.write("hub/skills/baking-bread/SKILL.md", skill_text("baking-bread", "Changed"));
    let (_, later) = desk.publish("hub");
    let plan = desk.install("hub:baking-bread").unwrap();
    assert_eq!((plan.commit.as_ref(), plan.hub.as_ref()), (Some(&commit), Some(&url)));
    assert!(desk.plan_update("baking-bread").unwrap().is_current());
    refresh(&desk, &url).unwrap();
    let update = desk.plan_update("baking-bread").unwrap();
    assert_eq!(update.commit, Some(later));
    assert!(!update.difference.unwrap().is_empty());
    assert!(matches!(desk.plan("hub:nothing"), Err(SkillError::NotInHub(_))));
    desk.hub = None;
    assert!(matches!(desk.plan("hub:brewing-tea"), Err(SkillError::NoHub)));
}

#[test]
fn another_hub_is_warned_of() {
    let mut desk = Desk::new();
    desk.skill("one/baking-bread", "d");
    desk.skill("two/baking-bread", "d");
    for hub in ["one", "two"] {
        let (url, _) = desk.publish(hub);
        refresh(&desk, &url).unwrap();
        desk.hub = Some(url);
        let plan = desk.install("hub:baking-bread").unwrap();
        let moved = plan.warnings.iter().any(|warning| warning.concern == Concern::Moved);
        assert_eq!(moved, hub == "two");
    }
}

#[test]
fn an_index_is_a_list() {
    let mut desk = Desk::new();
    desk.skill("hub/a/baking-bread", "d");
    desk.skill("hub/liar", "d");
    desk.write("hub/index.json", r#"{"version": 3, "skills": [
        {"name": "baking-bread", "description": "Bakes\nbread\u001b[2J\u202e", "path": "a/baking-bread/", "stars": 5},
        {"name": "baking-bread", "description": "double", "path": "liar"},
        {"name": "other-name", "description": "d", "path": "liar"},
        {"name": "../../x", "description": "d", "path": "liar"},
        {"name": "out", "description": "d", "path": "../../etc"},
        {"name": "gone", "description": "d", "path": "gone"},
        {"name": "blank", "description": "\u200b", "path": "liar"},
        {"name": 7}, null, []]}"#);
    let (url, _) = desk.publish("hub");
    let hub = refresh(&desk, &url).unwrap();
    let shown: Vec<String> =
        hub.entries.iter().map(|e| format!("{}|{}|{}", e.name, e.description, e.path)).collect();
    assert_eq!(shown, ["baking-bread|Bakes bread[2J|a/baking-bread", "other-name|d|liar"]);
    assert_eq!(hub.problems.len(), 8, "{:#?}", hub.problems);
    desk.hub = Some(url.clone());
    assert!(matches!(desk.plan("hub:other-name"), Err(SkillError::Renamed { .. })));
    desk.install("hub:baking-bread").unwrap();
    for bad in ["", "[", "{}", "{\"skills\": 1}", &"[".repeat(100_000)] {
        desk.write("hub/index.json", bad);
        desk.publish("hub");
        assert!(refresh(&desk, &url).is_err(), "{bad:.20}");
        // What was known stays known.
        assert_eq!(hub::load(&url, &desk.cache()).unwrap(), hub);
    }
}

#[test]
fn a_damaged_copy_is_fetched_anew() {
    let desk = Desk::new();
    desk.skill("hub/baking-bread", "d");
    let (url, _) = desk.publish("hub");
    let first = refresh(&desk, &url).unwrap();
    let place = names(&desk.cache()).pop().unwrap();
    let copy = desk.cache().join(place).join("hub.git");
    fs::remove_dir_all(copy.join("objects")).unwrap();
    fs::write(copy.join("HEAD"), "\0\0").unwrap();
    assert_eq!(refresh(&desk, &url).unwrap(), first);
    fs::write(copy.parent().unwrap().join("list.json"), "{").unwrap();
    assert!(matches!(hub::load(&url, &desk.cache()), Err(SkillError::HubNotRead)));
}

#[test]
fn two_refreshes_at_once() {
    let desk = Desk::new();
    desk.skill("hub/baking-bread", "d");
    let (url, _) = desk.publish("hub");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(refresh(&desk, &url).unwrap().entries.len(), 1));
        }
    });
}

#[test]
fn addresses_of_hubs_are_checked() {
    let desk = Desk::new();
    for url in ["ext::sh -c x", "--upload-pack=x", "http://h/a", "https://u:p@h/a", "-x", ""] {
        assert!(matches!(refresh(&desk, url), Err(SkillError::Hub(_))), "{url}");
    }
}

#[test]
fn a_folder_is_a_hub() {
    let mut desk = Desk::new();
    desk.skill("hub/skills/baking-bread", "Bakes bread");
    desk.skill("hub/.claude/skills/brewing-tea", "Brews tea");
    desk.write("hub/skills/baking-bread/oven.txt", "220 C");
    desk.skill("hub/.git/hidden-one", "d");
    desk.skill("elsewhere/linked-one", "d");
    std::os::unix::fs::symlink(desk.at("elsewhere/linked-one"), desk.at("hub/linked-one")).unwrap();
    let address = desk.at("hub").to_str().unwrap().to_owned();
    let hub = refresh(&desk, &address).unwrap();
    let shown = |hub: &hub::Hub| -> Vec<String> {
        hub.entries.iter().map(|e| format!("{} {}", e.name, e.path)).collect()
    };
    assert_eq!(
        shown(&hub),
        ["baking-bread skills/baking-bread", "brewing-tea .claude/skills/brewing-tea"]
    );
    assert!(!hub::is_fetched(&address) && !hub::is_fetched(hub::BUILTIN));
    assert!(hub::is_fetched("https://example.org/hub.git"));
    desk.hub = Some(address.clone());
    let plan = desk.install("hub:baking-bread").unwrap();
    assert_eq!((plan.files.len(), plan.commit), (2, None));
    // What is shown is what is there now; what was agreed to is held to.
    desk.write("hub/skills/baking-bread/oven.txt", "230 C");
    let update = desk.plan_update("baking-bread").unwrap();
    assert!(!update.is_current());
    assert!(matches!(desk.plan("hub:linked-one"), Err(SkillError::NotInHub(_))));
    // A bare repository has no files: it is asked by git.
    let (url, commit) = desk.publish("hub");
    let bare = url.strip_prefix("file://").unwrap();
    assert_eq!(refresh(&desk, bare).unwrap().commit, commit);
    assert_eq!(hub::load(bare, &desk.cache()).unwrap().url, bare);
    assert!(matches!(refresh(&desk, "/nowhere/at/all"), Err(SkillError::Io { .. })));
    assert!(matches!(refresh(&desk, "relative/path"), Err(SkillError::Hub(_))));
}

#[test]
fn publishing_makes_a_list() {
    let desk = Desk::new();
    let root = desk.at("hub");
    fs::create_dir(&root).unwrap();
    assert!(matches!(hub::publish(&root), Err(SkillError::NoSkill(_))));
    desk.skill("hub/b/brewing-tea", "Brews tea");
    desk.skill("hub/a/baking-bread", "Bakes \"bread\"");
    desk.write("hub/a/baking-bread/run.sh", "#!/bin/sh\n");
    let published = hub::publish(&root).unwrap();
    assert!(published.changed);
    let text = fs::read_to_string(root.join("index.json")).unwrap();
    assert_eq!(
        text,
        r#"{
  "version": 1,
  "skills": [
    {
      "name": "baking-bread",
      "description": "Bakes \"bread\"",
      "path": "a/baking-bread"
    },
    {
      "name": "brewing-tea",
      "description": "Brews tea",
      "path": "b/brewing-tea"
    }
  ]
}
"#
    );
    assert!(!hub::publish(&root).unwrap().changed);
    // What it lists is what is found, in the folder and in git.
    let address = root.to_str().unwrap();
    assert_eq!(refresh(&desk, address).unwrap().entries, published.entries);
    let (url, commit) = desk.publish("hub");
    let mut entries = refresh(&desk, &url).unwrap().entries;
    assert!(entries.iter().all(|entry| entry.commit == commit));
    entries.iter_mut().for_each(|entry| entry.commit.clear());
    assert_eq!(entries, published.entries);
    // All or nothing.
    for (path, text) in [
        ("hub/c/bad-one/SKILL.md", "no front matter".to_owned()),
        ("hub/c/other-name/SKILL.md", skill_text("not-so", "d")),
        ("hub/c/baking-bread/SKILL.md", skill_text("baking-bread", "again")),
        ("hub/c/big-one/SKILL.md", skill_text("big-one", "d") + &"x".repeat(MAX_SKILL_BYTES)),
    ] {
        let written = desk.write(path, text);
        let refused = hub::publish(&root).unwrap_err();
        assert!(matches!(refused, SkillError::Unpublished(_)), "{path}: {refused}");
        fs::remove_dir_all(written.parent().unwrap()).unwrap();
    }
    assert_eq!(fs::read_to_string(root.join("index.json")).unwrap(), text);
    // A file of another kind stays.
    desk.write("hub/index.json", "[1]");
    assert!(matches!(hub::publish(&root), Err(SkillError::Occupied(_))));
    assert_eq!(fs::read(root.join("index.json")).unwrap(), b"[1]");
}
