//! `elophanto trust`: what a repository's settings may not do until somebody looked at them.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    thread,
    time::Duration,
};

use crate::env::{TestEnv, finish, snapshot};

const CONFIG: &str = ".elophanto/config.yaml";
const OLLAMA: &str = "knowledge:\n  embedding_provider: ollama\n";

fn otters(config: &str) -> TestEnv {
    TestEnv::with(&[("otters.md", "# Otters\n\nThey hold hands.\n"), (CONFIG, config)])
}

/// The warning about trust, if one was printed; more than one fails the test.
fn warned(env: &TestEnv) -> Option<String> {
    let stderr = env.run(&["search", "--no-refresh", "otters"]).stderr();
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains("trust")).collect();
    assert!(lines.len() <= 1, "{stderr}");
    lines.first().map(|line| (*line).to_owned())
}

fn provider(env: &TestEnv) -> String {
    let settings = env.json(&["doctor", "--settings", "--json"]);
    let key = "knowledge.embedding_provider";
    let line = settings.iter().find(|line| line["setting"] == key).unwrap();
    format!("{} ({})", line["value"].as_str().unwrap(), line["origin"].as_str().unwrap())
}

#[test]
fn shows_what_needs_trust_and_trusts_that_content_only() {
    let env = otters(OLLAMA);
    let warning = "warning: .elophanto/config.yaml: not trusted, passed over: \
                   knowledge.embedding_provider; `elophanto trust` shows and trusts them";
    assert_eq!(warned(&env).as_deref(), Some(warning));
    assert_eq!(provider(&env), "auto (default)");
    let before = env.files();
    snapshot!(env.run(&["trust", "--yes"]), @"
    exit: 0
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    --- stderr
    trusted from now on, as long as `.elophanto/config.yaml` stays as it is
    ");
    snapshot!(env.run(&["trust"]), @"
    exit: 0
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    --- stderr
    was trusted already, as long as `.elophanto/config.yaml` stays as it is
    ");
    assert_eq!(env.files(), before, "the repository is never written");
    assert_eq!(warned(&env), None);
    assert_eq!(provider(&env), "ollama (.elophanto/config.yaml:2)");
    // Every other content is another matter, a space more included; the old one stays trusted.
    for other in [format!("{OLLAMA} "), OLLAMA.replace("ollama", "openai"), format!("\n{OLLAMA}")] {
        env.write(CONFIG, &other);
        assert_eq!(warned(&env).as_deref(), Some(warning), "{other:?}");
        assert_eq!(provider(&env), "auto (default)");
        env.write(CONFIG, OLLAMA);
        assert_eq!(warned(&env), None);
    }
    // So is the same content in another place.
    let other = env.outside().join("copy");
    assert_eq!(finish(env.sealed("cp").arg("-r").arg(env.root()).arg(&other)).code, Some(0));
    let there = finish(env.command(&["search", "otters"]).current_dir(&other));
    assert!(there.stderr().contains(warning), "{there}");
}

/// Nothing counts that nobody agreed to, nor anything else than what was agreed to.
#[test]
fn nobody_is_taken_to_agree() {
    let env = otters(OLLAMA);
    let silent = env.run(&["trust"]);
    snapshot!(silent, @"
    exit: 2
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    --- stderr
    error: nobody is there who could agree to what these settings say
    hint: read them, then add `--yes`, or `--yes HASH...` with the hashes that `--show --json` prints, which agrees to just that
    ");
    let shown = env.ok(&["trust", "--show", "--json"]).json();
    let digest = shown[0]["digest"].as_str().unwrap();
    assert!(warned(&env).is_some(), "showing trusts nothing");
    env.write(CONFIG, format!("{OLLAMA}llm:\n  command: sh x\n"));
    let changed = env.run(&["trust", "--yes", digest]);
    snapshot!(changed, @r#"
    exit: 2
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    .elophanto/config.yaml:4: llm.command: "sh x"
    --- stderr
    error: no hash behind `--yes` is that of `.elophanto/config.yaml`
    hint: nothing was trusted: look at it again, and name the pages that are meant behind `--pages`
    "#);
    assert!(warned(&env).is_some());
    env.write(CONFIG, OLLAMA);
    env.ok(&["trust", "--yes", digest]);
    assert_eq!(warned(&env), None);
    // Who has agreed is not asked again.
    env.ok(&["trust"]);
    assert_eq!(env.run(&["trust", "--show", "--yes"]).code, Some(2));
}

#[test]
fn lists_and_revokes() {
    let env = otters(OLLAMA);
    snapshot!(env.run(&["trust", "--list"]), @"
    exit: 1
    --- stdout
    --- stderr
    nothing is trusted: `elophanto trust` shows what of a repository asks for it
    ");
    snapshot!(env.run(&["trust", "--revoke"]), @"
    exit: 1
    --- stdout
    nothing in this repository was trusted
    --- stderr
    ");
    assert!(!env.outside().join("home/.config/elophanto/trust").exists(), "asking writes nothing");
    env.ok(&["trust", "--yes"]);
    env.write(CONFIG, "llm:\n  base_url: http://127.0.0.1:9/\n");
    snapshot!(env.run(&["trust", "--yes", "--json"]), @r#"
    exit: 0
    --- stdout
    {"file":".elophanto/config.yaml","line":2,"key":"llm.base_url","value":"\"http://127.0.0.1:9/\"","digest":"[DIGEST]"}
    --- stderr
    trusted from now on, as long as `.elophanto/config.yaml` stays as it is
    "#);
    snapshot!(env.run(&["trust", "--list"]), @"
    exit: 0
    --- stdout
    e2476bb2263c  [TIME]  [TEMP]/repo/.elophanto/config.yaml
    353fe477ccd7  [TIME]  [TEMP]/repo/.elophanto/config.yaml
    --- stderr
    ");
    let listed = env.json(&["trust", "--list", "--json"]);
    assert_eq!(listed.len(), 2);
    for line in &listed {
        assert_eq!(line["trusted"], CONFIG);
        assert_eq!(line["root"], env.root().to_str().unwrap());
        assert_eq!(line["digest"].as_str().unwrap().len(), 64);
    }
    // Listing needs no repository.
    let elsewhere = finish(env.command(&["trust", "--list"]).current_dir(env.outside()));
    assert_eq!((elsewhere.code, elsewhere.stdout().lines().count()), (Some(0), 2), "{elsewhere}");
    snapshot!(env.run(&["trust", "--revoke"]), @"
    exit: 0
    --- stdout
    2 contents forgotten
    --- stderr
    ");
    assert_eq!(env.run(&["trust", "--list"]).code, Some(1));
    env.write(CONFIG, OLLAMA);
    assert!(warned(&env).is_some());
    snapshot!(env.run(&["trust", "--list", "--revoke"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: the argument '--list' cannot be used with '--revoke'

    Usage: elophanto trust --list

    For more information, try '--help'.
    ");
}

#[test]
fn where_nothing_needs_trust() {
    let env = otters("search:\n  limit: 3\n");
    snapshot!(env.run(&["trust"]), @"
    exit: 0
    --- stdout
    --- stderr
    nothing in `.elophanto/config.yaml` needs trust
    ");
    env.remove(".elophanto");
    assert_eq!(env.ok(&["trust"]).stderr(), "nothing in `.elophanto/config.yaml` needs trust\n");
    assert_eq!(env.run(&["trust", "--list"]).code, Some(1));
    env.write(CONFIG, "a: [\n");
    assert_eq!(env.run(&["trust"]).code, Some(2));
}

#[test]
fn a_terminal_sees_no_raw_bytes() {
    let env = otters(
        "\"llm\\e[2J\":\n  command: \"sh\\u202e \\e]52;c;aGk=\\a\\nrm\"\n  url: [a, \"b\\n\"]\n",
    );
    snapshot!(env.run(&["trust", "--yes"]), @r#"
    exit: 0
    --- stdout
    .elophanto/config.yaml:2: llm␛[2J.command: "sh\u202e \u001b]52;c;aGk=\u0007\u000arm"
    .elophanto/config.yaml:3: llm␛[2J.url: [a, "b\u000a"]
    --- stderr
    trusted from now on, as long as `.elophanto/config.yaml` stays as it is
    "#);
}

#[test]
fn what_a_repository_may_say_by_itself_needs_no_trust() {
    let env = otters("knowledge:\n  embedding_provider: builtin\nsearch:\n  mode: keyword\n");
    assert_eq!(warned(&env), None);
    assert_eq!(provider(&env), "builtin (.elophanto/config.yaml:2)");
    // The user's variable is obeyed whatever the repository says.
    env.write(CONFIG, OLLAMA);
    let mut command = env.command(&["doctor", "--settings", "--json"]);
    let said = finish(command.env("ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER", "openai")).stdout();
    let expected = r#""value":"openai","origin":"ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER""#;
    assert!(said.contains(expected), "{said}");
}

#[test]
fn the_store_is_the_users_alone() {
    let env = otters(OLLAMA);
    env.ok(&["trust", "--yes"]);
    let folder = env.outside().join("home/.config/elophanto");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("trust"))), (0o700, 0o600));
    fs::set_permissions(folder.join("trust"), fs::Permissions::from_mode(0o666)).unwrap();
    let warning = warned(&env).unwrap();
    assert!(warning.contains("may be written by others"), "{warning}");
    snapshot!(env.run(&["trust"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.config/elophanto/trust` may be written by others than its owner
    hint: see what it says, then take the right away: `chmod go-w`
    ");
}

#[test]
fn without_a_place_to_keep_it() {
    let env = otters(OLLAMA);
    let run = |name: &str, value: &str| {
        let mut command = env.command(&["trust", "--yes"]);
        finish(command.env_remove("HOME").env(name, value))
    };
    snapshot!(run("HOME", "relative"), @"
    exit: 2
    --- stdout
    --- stderr
    error: no folder for the trust store: neither XDG_CONFIG_HOME nor HOME is an absolute path
    hint: set HOME to your home folder
    ");
    snapshot!(run("HOME", "/dev/null"), @"
    exit: 2
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    --- stderr
    error: cannot write `/dev/null/.config/elophanto/trust`: Not a directory (os error 20)
    hint: check the rights of your configuration folder
    ");
    snapshot!(run("HOME", "/proc"), @"
    exit: 2
    --- stdout
    .elophanto/config.yaml:2: knowledge.embedding_provider: ollama
    --- stderr
    error: cannot write `/proc/.config/elophanto/trust`: No such file or directory (os error 2)
    hint: check the rights of your configuration folder
    ");
    snapshot!(run("XDG_CONFIG_HOME", env.path("config").to_str().unwrap()), @"
    exit: 2
    --- stdout
    --- stderr
    error: the trust store `[TEMP]/repo/config/elophanto/trust` lies in the repository that it would judge
    hint: set XDG_CONFIG_HOME to a folder outside of the repository
    ");
    assert!(!env.path("config").exists());
    // Without a store nothing is trusted, and everything else works.
    let said = finish(env.command(&["search", "otters"]).env_remove("HOME"));
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stderr().contains("neither XDG_CONFIG_HOME nor HOME"), "{said}");
    // A store that the repository brings along is none.
    let store = env.path("config/elophanto");
    env.ok(&["trust", "--yes"]);
    fs::create_dir_all(&store).unwrap();
    fs::copy(env.outside().join("home/.config/elophanto/trust"), store.join("trust")).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = env.command(&["search", "otters"]);
    let said = finish(command.env("XDG_CONFIG_HOME", env.path("config")));
    assert!(said.stderr().contains("lies in the repository"), "{said}");
}

#[test]
fn an_untrusted_provider_is_not_overwritten_by_the_default() {
    let env = otters(OLLAMA);
    env.ok(&["index"]);
    assert_eq!(env.read(CONFIG), OLLAMA.as_bytes());
}

/// A later commit may make something else of a program, and bring another where somebody works.
#[test]
fn programs_of_the_repository_are_trusted_as_they_are() {
    let env = otters(
        "learn: {sources: [command], command: \"sh tools/find.sh --all /bin/sh\"}\n\
         notify.program: curl tools\nagent.check: sh tools/check.sh\n",
    );
    env.write("tools/find.sh", "touch ran\n");
    env.write("tools/check.sh", "true\n");
    env.write("docs/tools/find.sh", "touch evil\n");
    let ran = |folder: &str| {
        env.run_in(folder, &["learn", "sea otters"]);
        fs::remove_file(env.path("ran")).is_ok()
    };
    assert!(!ran("."), "nobody trusts it");
    let told = env.ok(&["trust", "--yes"]);
    let program = "tools/find.sh: run by these settings, and trusted as it is\n";
    assert!(told.stdout().ends_with(program), "{told}");
    let notes: Vec<String> =
        told.stderr().lines().filter(|it| it.starts_with("note: ")).map(str::to_owned).collect();
    assert!(
        matches!(&notes[..], [one, other] if one.contains("`tools/check.sh` lies in the")
            && other.contains("`notify.program` names no file")),
        "{told}"
    );
    assert!(ran(".") && ran("docs"), "at the top, wherever it is started");
    assert!(!env.path("docs/evil").exists());
    assert_eq!(warned(&env), None);
    env.write("tools/check.sh", "false\n");
    assert_eq!(warned(&env), None, "the agent's sandbox runs it");
    env.write("tools/find.sh", "touch ran evil\n");
    assert!(!ran("."), "it says something else");
    let warning = warned(&env).unwrap();
    assert!(warning.ends_with("(`tools/find.sh` is not as it was trusted)"), "{warning}");
    let shown = env.ok(&["trust", "--show", "--json"]).json();
    let digest = |at: usize| shown[at]["digest"].as_str().unwrap().to_owned();
    let all = shown.len() - 1;
    assert_eq!(shown[all]["program"], "tools/find.sh");
    assert_eq!(
        env.run(&["trust", "--yes", &digest(0)]).code,
        Some(2),
        "that is the settings' alone"
    );
    env.ok(&["trust", "--yes", &digest(0), &digest(all)]);
    assert!(ran("."));
    fs::remove_file(env.path("tools/find.sh")).unwrap();
    fs::create_dir(env.path("tools/find.sh")).unwrap();
    assert_eq!(warned(&env), None, "there is nothing to run");
}

/// What goes on for days asks each time.
#[test]
fn a_program_that_changes_while_enriching_goes_on_is_not_run() {
    let env = otters("learn: {sources: [command], command: sh tools/find.sh}\n");
    env.write("tools/find.sh", "touch ran\n");
    env.ok(&["trust", "--yes"]);
    env.ok(&["learn", "--background", "sea otters"]);
    let said = env.outside().join("said");
    let log = File::create(&said).unwrap();
    let mut command = env.command(&["enrich", "--every", "100ms"]);
    let mut child = command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
    let says = |text: &str| fs::read_to_string(&said).unwrap().contains(text);
    let comes = |holds: &dyn Fn() -> bool| {
        (0..1_200).any(|_| {
            thread::sleep(Duration::from_millis(50));
            holds()
        })
    };
    let has_ran = comes(&|| says("queued searches made"));
    env.write("tools/find.sh", "touch evil\n");
    env.run(&["learn", "--background", "river otters"]);
    let is_told = comes(&|| says("is not as it was trusted") || env.path("evil").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(has_ran && is_told && env.path("ran").exists());
    assert!(!env.path("evil").exists(), "{}", fs::read_to_string(&said).unwrap());
}
