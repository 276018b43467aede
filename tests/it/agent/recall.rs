//! `agent recall`: never over its budget, its own repository first, the same thing once, wherever
//! it is asked.

use elophanto_models::builtin::count_tokens;

use super::{Desk, FOLDER, texts, told};
use crate::env::TestEnv;

/// Lessons of all lengths, with what counts as many tokens.
fn many(desk: &Desk) {
    let long = "The cache of the package manager belonged to another user. ".repeat(30);
    let odd = "日本語のエラー ".repeat(60);
    let deceptive = "ab\u{202e}cd\u{200b}".repeat(80);
    for (context, lesson) in [
        ("npm cache", "Own the cache."),
        ("npm cache that is broken", long.as_str()),
        ("npm cache in a far language", odd.as_str()),
        ("npm cache with characters that hide", deceptive.as_str()),
        ("npm cache and `code` [x](y) <b> **z**", "`unclosed npm cache \\* [a][b] ``` <script>"),
        ("npm", "cache"),
    ] {
        desk.remember(context, lesson, &["--command", "npm cache verify"]);
    }
}

#[test]
fn an_answer_never_has_more_tokens_than_it_may() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    many(&desk);
    let budgets = (0..60).step_by(4).chain([75, 100, 150, 220, 300, 400, 499, 500]);
    let (mut texts, mut lines) = (Vec::new(), Vec::new());
    for budget in budgets {
        let max = budget.to_string();
        let text = desk.run(&["agent", "recall", "npm cache", "-n", "20", "--max-tokens", &max]);
        let used = count_tokens(&text.stdout());
        assert_eq!(text.code, Some(i32::from(used == 0)), "{text}");
        assert!(used <= budget, "{used} of {budget}\n{text}");
        assert_eq!(used == 0, text.stderr().contains("no lesson fits"), "{budget}\n{text}");
        texts.push(used);
        let args = ["agent", "recall", "npm cache", "-n", "20", "--json", "--max-tokens", &max];
        let json = desk.run(&args);
        let used = count_tokens(&json.stdout());
        assert_eq!(json.code, Some(i32::from(used == 0)), "{json}");
        assert!(used <= budget, "{used} of {budget}\n{json}");
        assert_eq!(used == 0, json.stderr().contains("no lesson fits"), "{budget}\n{json}");
        lines.push(json.json().len());
    }
    // There is something for nearly every budget, and more for more.
    assert_eq!(texts.iter().filter(|used| **used == 0).count(), 7, "{texts:?}");
    assert!(texts.is_sorted() && *texts.last().unwrap() > 350, "{texts:?}");
    assert!(lines.contains(&1) && *lines.last().unwrap() >= 2, "{lines:?}");
    let default = desk.ok(&["agent", "recall", "npm cache", "-n", "20"]);
    assert!(count_tokens(&default.stdout()) <= 500, "{default}");
    for args in
        [&["--limit", "0"][..], &["--limit", "18446744073709551615"], &["--max-tokens", "0"]]
    {
        let output = desk.run(&[&["agent", "recall", "npm"], args].concat());
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
    }
}

#[test]
fn the_own_repository_first() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for (repo, lesson) in [
        ("billing", "Postgres refuses connections: raise max_connections, or use a pool"),
        ("repo", "Postgres connections of this service go through port 6543"),
        ("web", "Postgres in docker needs a volume, or its data is gone"),
    ] {
        desk.remember("Postgres connections", lesson, &["--repo", repo]);
    }
    desk.ok(&[
        "agent",
        "remember",
        "--type",
        "pattern",
        "--context",
        "Postgres",
        "--lesson",
        "Migrate with a lock timeout",
    ]);
    told!(desk.run(&["agent", "recall", "postgres connections refused"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (4):**

    1. [[DAY], billing] Postgres connections: Postgres refuses connections: raise max_connections, or use a pool
    2. [[DAY]] Postgres connections: Postgres connections of this service go through port 6543
    3. [[DAY], web] Postgres connections: Postgres in docker needs a volume, or its data is gone
    4. [[DAY]] Postgres: Migrate with a lock timeout
    --- stderr
    ");
    assert_eq!(desk.recall(&["postgres", "--repo", "web"]).len(), 1);
    // As the name was given when it was written.
    desk.remember("Postgres backups", "Restore one each week", &["--repo", "Data Warehouse"]);
    assert_eq!(desk.recall(&["postgres", "--repo", "Data Warehouse"]), ["Restore one each week"]);
    assert_eq!(desk.list(&["--repo", "Data Warehouse"]), ["Restore one each week"]);
    assert_eq!(desk.recall(&["postgres", "--type", "pattern"]), ["Migrate with a lock timeout"]);
    assert_eq!(desk.recall(&["postgres", "--type", "success"]), [""; 0]);
    // Without a question: what was learnt here.
    let mut here = desk.recall(&[]);
    here.sort();
    assert_eq!(
        here,
        [
            "Migrate with a lock timeout",
            "Postgres connections of this service go through port 6543"
        ]
    );
    assert_eq!(desk.recall(&["--repo", "web"]).len(), 1);
    assert_eq!(desk.run(&["agent", "recall", "zyxqv"]).code, Some(1));
}

#[test]
fn the_same_lesson_once_and_the_newer_of_two_first() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for (rate, lesson) in [
        ("2/3", "Clear the webpack cache before a release build"),
        ("1/1", "clear the webpack cache before a release build."),
        ("3/4", "Clear the `webpack` cache before a release build!"),
    ] {
        desk.remember("Release build is stale", lesson, &["--success-rate", rate]);
    }
    for (time, lesson) in [
        ("2025-03-01T00:00:00Z", "The staging API listens on port 8080"),
        ("2026-03-01T00:00:00Z", "The staging API listens on port 9090"),
        ("2024-03-01T00:00:00Z", "The staging API listens on port 7070"),
    ] {
        let record = serde_json::json!({"timestamp": time, "event_type": "pattern",
            "context": "Staging API", "lesson": lesson});
        let output = env.run_with(&["agent", "remember"], record.to_string().as_bytes());
        assert_eq!(output.code, Some(0), "{output}");
    }
    told!(desk.run(&["agent", "recall", "release build webpack cache stale"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (1):**

    1. [[DAY]] Release build is stale: Clear the `webpack` cache before a release build! (6/8 success, seen 3 times)
    --- stderr
    ");
    let merged = desk.json(&["agent", "recall", "webpack cache release", "-n", "1"]);
    assert_eq!((&merged[0]["success_rate"], &merged[0]["count"]), (&"6/8".into(), &3.into()));
    let ports = desk.recall(&["staging API port", "--max-tokens", "2000"]);
    let ports: Vec<&str> = ports.iter().filter_map(|it| it.split("port ").nth(1)).collect();
    assert_eq!(ports, ["9090", "8080", "7070"]);
    // What worked nine times of ten comes before what worked once.
    desk.remember(
        "Flaky login test",
        "Wait for the network to be idle in the login test",
        &["--success-rate", "1/1"],
    );
    desk.remember(
        "Flaky login test",
        "Freeze the clock in the login test",
        &["--success-rate", "9/10"],
    );
    assert_eq!(
        desk.recall(&["flaky login test", "-n", "1"]),
        ["Freeze the clock in the login test"]
    );
}

#[test]
fn what_worked_before_what_did_not_and_failures_as_warnings() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for (rate, lesson) in [
        ("0/10", "Delete node_modules and the lock file, then install again"),
        ("3/10", "Run the installation with sudo"),
        ("10/10", "Point the prefix of npm to a folder of your own"),
    ] {
        let context = "npm install fails with EACCES in the global folder";
        desk.remember(context, lesson, &["--success-rate", rate]);
    }
    told!(desk.run(&["agent", "recall", "npm install -g: EACCES, permission denied"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (3):**

    1. [[DAY]] npm install fails with EACCES in the global folder: Point the prefix of npm to a folder of your own (10/10 success)
    2. [[DAY]] Warning, failed 7 times, worked 3 times: npm install fails with EACCES in the global folder: Run the installation with sudo (3/10 success)
    3. [[DAY]] Warning, failed 10 times: npm install fails with EACCES in the global folder: Delete node_modules and the lock file, then install again (0/10 success)
    --- stderr
    ");
    let found = desk.json(&["agent", "recall", "npm install -g: EACCES, permission denied"]);
    let warnings: Vec<_> = found.iter().map(|it| it["warning"].as_str()).collect();
    let expected = [None, Some("failed 7 times, worked 3 times"), Some("failed 10 times")];
    assert_eq!(warnings, expected);
}

/// Whatever a record of a clone says, it is one word of the command, and does not end its quotation.
#[test]
fn what_is_contradicted_is_named_as_it_is() {
    let env = TestEnv::new();
    env.write(
        ".elophanto/memory/repo/01kakz3c5m8q4w1v7t2b9n6xrd.jsonl",
        r#"{"id":"01;id|sh","timestamp":"2026-01-02T03:04:05Z","repo":"repo","event_type":"pattern","context":"Staging API","lesson":"The \"staging\" API listens on port 8080"}
"#,
    );
    let args = ["agent", "remember", "--type", "pattern", "--context", "Staging API", "--lesson"];
    let output = env.run(&[&args[..], &["The \"staging\" API listens on port 9090"]].concat());
    let told = output.stderr();
    assert!(told.contains(r#", "The \"staging\" API listens on port 8080": "#), "{output}");
    assert!(told.contains("elophanto agent memory forget '01;id|sh' if"), "{output}");
}

#[test]
fn what_contradicts_stands_together_and_is_named_when_it_is_written() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.remember("Staging API", "The staging API listens on port 8080", &[]);
    desk.remember("Staging API", "The staging API needs a token from the vault", &[]);
    let args = ["agent", "remember", "--type", "pattern", "--context", "Staging API", "--lesson"];
    let newer = [&args[..], &["The staging API listens on port 9090"]].concat();
    told!(desk.run(&newer), @r#"
    exit: 0
    --- stdout
    [ID] .elophanto/memory/repo/[FILE].jsonl
    --- stderr
    warning: it contradicts [ID] of [DAY], "The staging API listens on port 8080": recalling tells both, this one first; elophanto agent memory forget [ID] if that holds no longer
    "#);
    told!(desk.run(&["agent", "recall", "which port does the staging API listen on"]), @"
    exit: 0
    --- stdout
    **Relevant Memories (3):**

    1. [[DAY]] Staging API: The staging API listens on port 9090 (contradicts an older lesson)
    2. [[DAY]] Staging API: The staging API listens on port 8080 (older, contradicted by a newer lesson)
    3. [[DAY]] Staging API: The staging API needs a token from the vault
    --- stderr
    ");
    let found = desk.json(&["agent", "recall", "which port does the staging API listen on"]);
    for [one, other] in [[0, 1], [1, 0]] {
        assert_eq!(found[one]["contradicts"][0], found[other]["id"]);
    }
    // Another code is another thing, and more of the same is no contradiction.
    for lesson in ["Error E1041 means an expired token", "Error E1117 means an expired token"] {
        let output = desk.ok(&[&args[..], &[lesson]].concat());
        assert!(!output.stderr().contains("contradicts"), "{output}");
    }
}

#[test]
fn what_takes_an_older_lesson_back_stands_before_it() {
    let build = "npm run build fails with ERR_OSSL_EVP_UNSUPPORTED on node 18";
    for (context, older, newer, question) in [
        ("netlify preview", "Use node 18", "Correction: node 18 is wrong, use node 20", "node"),
        (
            build,
            "export NODE_OPTIONS=--openssl-legacy-provider before npm run build",
            "do not set NODE_OPTIONS; upgrade next to 15 instead, the flag is not needed any more",
            "npm run build ERR_OSSL_EVP_UNSUPPORTED",
        ),
    ] {
        let env = TestEnv::new();
        let desk = Desk::of(&env);
        let id = desk.remember(context, older, &["--success-rate", "9/10"]);
        let args = ["agent", "remember", "--type", "success", "--context", context, "--lesson"];
        let output = desk.ok(&[&args[..], &[newer]].concat());
        assert!(output.stderr().contains(&format!("it contradicts {id}")), "{output}");
        let found = desk.json(&["agent", "recall", question]);
        assert_eq!(texts(&found), [newer, older]);
        for [one, other] in [[0, 1], [1, 0]] {
            assert_eq!(found[one]["contradicts"][0], found[other]["id"]);
        }
        // Of another matter it takes back nothing.
        let output =
            desk.ok(&[&args[..4], &["--context", "the mail server", "--lesson", newer]].concat());
        assert!(!output.stderr().contains("contradicts"), "{output}");
    }
}

#[test]
fn nothing_close_is_nothing() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.remember("npm install fails with EACCES", "Point the prefix to a folder of your own", &[]);
    desk.remember("The login test is flaky", "Freeze the clock in the login test", &[]);
    desk.remember("Postgres refuses connections", "Put a pool before it", &[]);
    told!(desk.run(&["agent", "recall", "how long does sourdough bread have to rise"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing close to that is remembered
    ");
    let lessons = desk.recall(&["which test of the login fails now and then"]);
    assert_eq!(lessons[0], "Freeze the clock in the login test");
    assert!(!lessons.contains(&"Put a pool before it".to_owned()), "no padding: {lessons:?}");
}

/// The built-in vectors know English: what is remembered in other scripts is found by its words.
#[test]
fn the_words_of_a_lesson_find_it_in_any_script() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let lessons = [
        ("Сборка падает", "Очистите кэш перед сборкой"),
        ("构建失败", "先清理缓存再构建"),
        ("ビルドが失敗する", "先にキャッシュを消す"),
        ("Der Bau schlägt fehl", "Vorher den Zwischenspeicher leeren"),
    ];
    for (context, lesson) in lessons {
        desk.remember(context, lesson, &[]);
    }
    for (context, lesson) in lessons {
        for question in [context, lesson] {
            let found = desk.ok(&["agent", "recall", question]);
            assert!(found.stdout().contains(lesson), "{question}\n{found}");
        }
    }
}

#[test]
fn recalled_right_after_it_was_remembered() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    for number in 0..12 {
        let lesson = format!("Restart service number {number} by hand");
        desk.remember(&format!("zyx{number}q hangs"), &lesson, &[]);
        assert_eq!(desk.recall(&[&format!("zyx{number}q"), "-n", "1"]), [lesson]);
        if number == 5 {
            // Nothing but the files is needed, and damage of the view costs nothing.
            env.remove(".git/elophanto");
        }
    }
    assert_eq!(desk.files().len(), 1);
}

#[test]
fn wherever_a_repository_is() {
    let env = TestEnv::new();
    let main = Desk::of(&env);
    // No commit yet.
    main.remember("no commit", "lesson before the first commit", &[]);
    assert_eq!(main.recall(&["first commit", "-n", "1"]), ["lesson before the first commit"]);
    main.commit("begin");
    env.git(&["checkout", "--quiet", "--detach"]);
    main.remember("detached", "lesson on a detached head", &[]);
    main.commit("detached");
    assert_eq!(main.recall(&["detached head", "-n", "1"]), ["lesson on a detached head"]);
    assert_eq!(main.files().len(), 2);
    // A linked work tree is the same repository, whatever its folder is called.
    env.git(&["worktree", "add", "--quiet", "-b", "other", "../linked"]);
    let linked = Desk { env: &env, root: env.outside().join("linked") };
    linked.remember("linked", "lesson in a linked work tree", &[]);
    assert_eq!(linked.recall(&["linked", "-n", "1"]), ["lesson in a linked work tree"]);
    assert_eq!(linked.recall(&["--max-tokens", "2000"]).len(), 3, "they are all its own");
    assert!(linked.files().iter().all(|(path, _)| path.parent().unwrap().ends_with("memory/repo")));
    linked.commit("linked");
    let here = main.list(&[]);
    assert_eq!(here.len(), 2, "it is not merged yet: {here:?}");
    env.git(&["merge", "--quiet", "other"]);
    assert_eq!(main.recall(&["linked work tree", "-n", "1"]), ["lesson in a linked work tree"]);
    // Beneath the top.
    env.write("src/deep/x.rs", "");
    let below = env.run_in(
        "src/deep",
        &[
            "agent", "remember", "--type", "success", "--context", "deep", "--lesson",
            "lesson from below",
        ],
    );
    assert_eq!(below.code, Some(0), "{below}");
    assert_eq!(main.recall(&["below", "-n", "1"]), ["lesson from below"]);
    assert!(!env.path("src/deep/.elophanto").exists());

    env.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = Desk { env: &env, root: env.outside().join("bare.git") };
    told!(bare.run(&["agent", "recall", "lesson"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/bare.git` is a bare repository: it has no files to read
    hint: clone it and work in the clone
    ");
    let inside = Desk { env: &env, root: env.path(".git/hooks") };
    let output = inside.run(&["agent", "recall", "lesson"]);
    assert!(
        output.code == Some(2) && output.stderr().contains("the folder of git itself"),
        "{output}"
    );
    let plain = Desk::beside(&env, "plain");
    told!(plain.run(&["agent", "remember", "--type", "error", "--context", "c", "--lesson", "l"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/plain` is in no git repository and in no initialised folder
    hint: run `elophanto init` here to make this folder a knowledge base, or `git init` first
    ");
    plain.write(".elophanto/config.yaml", "");
    plain.remember("plain", "lesson without git", &[]);
    plain.remember("bread", "Let the dough rest over night", &[]);
    assert_eq!(plain.recall(&["git", "-n", "1"]), ["lesson without git"]);
    assert_eq!(plain.list(&[]).len(), 2);
    let mut names: Vec<String> = std::fs::read_dir(plain.root.join(FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!((names, plain.files().len()), (vec!["plain".to_owned()], 1));
}

#[test]
fn a_repository_called_memory() {
    let env = TestEnv::new();
    for name in ["memory", "archive"] {
        let desk = Desk::beside(&env, name);
        desk.git(&["init", "--quiet"]);
        desk.remember("tests hang", "Kill the stray server first", &[]);
        assert_eq!(desk.recall(&[]).len(), 1, "{name}");
        assert_eq!(desk.recall(&["stray server"]).len(), 1, "{name}");
        let repo = desk.json(&["agent", "recall", "stray"])[0]["repo"].as_str().unwrap().to_owned();
        assert_eq!(desk.recall(&["stray server", "--repo", &repo]).len(), 1, "{name}");
    }
}

#[test]
fn a_folder_that_repositories_share() {
    let env = TestEnv::new();
    let (shop, billing) = (Desk::of(&env), Desk::beside(&env, "billing"));
    billing.git(&["init", "--quiet"]);
    // Deep in a repository of its own, and not there yet.
    let team = Desk::beside(&env, "team");
    team.git(&["init", "--quiet"]);
    let folder = team.root.join("all/our/lessons");
    let link = env.outside().join("linked");
    let setting = |folder: &std::path::Path| format!("memory.folder: {}\n", folder.display());
    env.write_settings(&setting(&folder));
    shop.remember("Invoices", "Invoices are numbered per country", &[]);
    // A link that the user made is the folder that it leads to.
    std::os::unix::fs::symlink(&folder, &link).unwrap();
    env.write_settings(&setting(&link));
    billing.remember("Invoices", "Rounding of invoices is half even", &[]);
    for desk in [&shop, &billing] {
        let mut found = desk.recall(&["invoices"]);
        found.sort();
        let both = ["Invoices are numbered per country", "Rounding of invoices is half even"];
        assert_eq!(found, both);
        assert!(!desk.root.join(".elophanto").exists(), "nothing of it is in the repository");
        assert_eq!(desk.recall(&["--repo", "billing"]).len(), 1);
    }
    // What that repository has committed stays as it is, whichever way leads there.
    team.commit("lessons");
    for (word, folder) in [("Refunds", &link), ("Migrations", &folder)] {
        env.write_settings(&setting(folder));
        shop.remember(word, &format!("{word} need a second pair of eyes"), &[]);
        assert_eq!(team.git(&["diff", "HEAD", "--stat"]), "");
    }
    assert_eq!((super::records_in(&folder).len(), super::files_in(&folder).len()), (4, 3));
    assert_eq!(billing.list(&[]).len(), 4);
    assert_eq!(billing.recall(&["refunds", "-n", "1"]), ["Refunds need a second pair of eyes"]);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

/// Lessons that git carries do not look lost when a folder is named later.
#[test]
fn lessons_left_behind_are_named_and_can_be_taken_along() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.remember("Invoices", "Invoices are numbered per country", &[]);
    desk.remember("Refunds", "Refunds need a second pair of eyes", &[]);
    let folder = env.outside().join("our lessons");
    env.write_settings(&format!("memory.folder: {}\n", folder.display()));
    let said = "2 lessons in `.elophanto/memory` are not recalled: by `memory.folder`";
    for args in [&["agent", "recall", "invoices"][..], &["agent", "memory", "list"], &["doctor"]] {
        let output = desk.run(args);
        assert!(output.to_string().contains(said), "{args:?} {output}");
    }
    let mend = "mkdir -p '[FOLDER]' && cp -rn .elophanto/memory/. '[FOLDER]'"
        .replace("[FOLDER]", &folder.to_string_lossy());
    assert!(desk.run(&["agent", "recall", "invoices"]).stderr().contains(&mend));
    let done =
        std::process::Command::new("sh").args(["-c", &mend]).current_dir(&desk.root).status();
    assert!(done.unwrap().success());
    let output = desk.run(&["agent", "recall", "invoices"]);
    assert!(output.stdout().contains("numbered per country"), "{output}");
    assert!(!output.to_string().contains("not recalled"), "{output}");
    assert_eq!(desk.list(&[]).len(), 2);
}

#[test]
fn a_repository_does_not_say_where_lessons_go() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    desk.write(".elophanto/config.yaml", "memory:\n  folder: ../stolen\n");
    let output = desk
        .run(&["agent", "remember", "--type", "error", "--context", "c", "--lesson", "our lesson"]);
    told!(output, @"
    exit: 0
    --- stdout
    [ID] .elophanto/memory/repo/[FILE].jsonl
    --- stderr
    warning: .elophanto/config.yaml: not trusted, passed over: memory.folder; `elophanto trust` shows and trusts them
    ");
    assert_eq!(desk.records().len(), 1);
    assert!(!env.outside().join("stolen").exists());
}

/// Of lessons that differ in a code alone, the one that is asked for; what differs in a sign is no
/// confirmation.
#[test]
fn codes_and_signs_tell_lessons_apart() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let codes = ["E1041", "E1117", "E1230", "E1388", "E1402", "E1555", "E1609", "E1777"];
    for code in codes {
        let lesson = format!("Error {code} means the token expired, log in again");
        desk.remember(&format!("login failed with {code}"), &lesson, &[]);
    }
    for code in codes {
        let first = &desk.json(&["agent", "recall", code])[0]["lesson"];
        assert!(first.as_str().unwrap().contains(code), "{code}: {first}");
    }
    // A longer code is another one.
    for (number, code) in
        ["TS2345", "TS2322", "TS7006", "TS2339", "TS23", "TS1", "TS10"].iter().enumerate()
    {
        desk.remember(
            &format!("compiler says {code} in module"),
            &format!("fix for {code} is number {number}"),
            &[],
        );
    }
    assert_eq!(desk.recall(&["TS23", "-n", "1"]), ["fix for TS23 is number 4"]);
    desk.remember("heap grows", "keep the walrus count >= 3", &[]);
    desk.remember("cpu burns", "keep the walrus count <= 3", &[]);
    let found = desk.json(&["agent", "recall", "walrus count"]);
    let counts: Vec<_> = found.iter().take(2).map(|it| it["count"].as_u64()).collect();
    assert_eq!(counts, [Some(1), Some(1)], "{found:?}");
}

#[test]
fn what_is_not_shared_stays_in_this_clone() {
    let env = TestEnv::new();
    env.write_settings("journal.share: false\n");
    let desk = Desk::of(&env);
    for number in 0..2 {
        desk.remember("alone", &format!("lesson number {number} of this machine"), &[]);
    }
    assert_eq!(desk.recall(&["this machine"]).len(), 2);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    assert_eq!(super::records_in(&env.path(".git/elophanto/memory")).len(), 2);
    // No vector of them goes into git: there is nothing else here that one could be of.
    assert_eq!(env.index(&[])["pending"], 0);
    assert_eq!(env.tables(), [""; 0]);
    let id = desk.json(&["agent", "memory", "list"])[0]["id"].as_str().unwrap().to_owned();
    desk.ok(&["agent", "memory", "forget", &id, "--remove"]);
    assert_eq!(desk.sorted().len(), 1);
}

#[test]
fn why_nothing_is_recalled_is_said() {
    let env = TestEnv::new();
    let desk = Desk::of(&env);
    let said = |args: &[&str]| {
        let output = desk.run(&[&["agent", "recall"], args].concat());
        assert_eq!((output.code, &*output.stdout()), (Some(1), ""), "{output}");
        output.stderr().trim().to_owned()
    };
    let none = "nothing is remembered; write a lesson down with `elophanto agent remember`";
    for args in [&[""][..], &["otters"], &["otters", "--repo", "nowhere"], &["", "--type", "error"]]
    {
        assert_eq!(said(args), none);
    }
    desk.remember("npm failed", "Root owns the cache", &["--repo", "web"]);
    let of = "nothing is remembered of `repo`; there is web";
    for (args, expected) in [
        (&[""][..], of),
        (&["npm", "--repo", "repo"], of),
        (&["npm", "--type", "pattern"], "no lesson of type pattern is remembered"),
        (
            &["npm", "--repo", "web", "--type", "success"],
            "no lesson of type success is remembered of `web`",
        ),
        (&["baryon chromodynamics"], "nothing close to that is remembered"),
    ] {
        assert_eq!(said(args), expected, "{args:?}");
    }
    let listed = desk.run(&["agent", "memory", "list", "--repo", "repo"]);
    assert!(listed.code == Some(1) && listed.stderr().trim() == of, "{listed}");
    desk.ok(&["agent", "memory", "archive", "--before", "2100-01-01"]);
    assert_eq!(
        said(&["npm"]),
        "what is remembered lies in the archive: --archived tells that, too"
    );
}
