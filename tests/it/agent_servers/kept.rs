//! Servers that are added, looked at, listed and removed.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use super::{Bench, told};
use crate::env::snapshot;

#[test]
fn added_trusted_listed_removed() {
    let bench = Bench::new();
    let server = bench.server();
    snapshot!(bench.told(&[
        &["agent", "mcp", "list"],
        &["agent", "mcp", "add", "calc", "--", "python3", server],
        &["agent", "mcp", "list"],
        &["agent", "mcp", "trust", "calc"],
        &["agent", "mcp", "list", "--json"],
    ]), @r#"
    $ agent mcp list
    exit: 1
    --- stdout
    --- stderr
    no server was added: `elophanto agent mcp add NAME -- COMMAND`, or `agent mcp add ADDRESS`
    $ agent mcp add calc -- python3 [TEMP]/server/server.py
    exit: 0
    --- stdout
    server calc: python3 [TEMP]/server/server.py
    gets no variables
    --- stderr
    it gets no variables; many programs need some of HOME, LANG, PATH, TMPDIR, USER: --env
    it is not started before you trust it: elophanto agent mcp trust calc
    $ agent mcp list
    exit: 0
    --- stdout
    calc  not trusted  python3 [TEMP]/server/server.py
    --- stderr
    $ agent mcp trust calc
    exit: 1
    --- stdout
    --- stderr
    server calc: python3 [TEMP]/server/server.py
    gets no variables
    nothing was changed; --yes trusts it without asking
    $ agent mcp list --json
    exit: 0
    --- stdout
    {"name":"calc","command":["python3","[TEMP]/server/server.py"],"environment":[],"levels":{},"trusted":false,"offers":null}
    --- stderr
    "#);
    assert_eq!(bench.noted("started"), "", "nothing is started before it is trusted");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&bench.kept()), 0o600);
    snapshot!(bench.told(&[
        &["agent", "mcp", "trust", "calc", "--yes"],
        &["agent", "mcp", "add", "calc", "--env", "PATH", "--env", "HOME", "--level", "add=safe",
            "--level", "nothing=safe", "--trust", "--json", "--", "python3", server],
        &["agent", "mcp", "list"],
        &["agent", "mcp", "trust", "other", "--yes"],
        &["agent", "mcp", "remove", "calc"],
        &["agent", "mcp", "remove", "calc"],
        &["agent", "mcp", "list", "--json"],
    ]), @r#"
    $ agent mcp trust calc --yes
    exit: 0
    --- stdout
    server calc: python3 [TEMP]/server/server.py
    gets no variables
    offers 3 tools:
      calc_add (destructive) [from the external server `calc`] Adds numbers
      calc_exit (destructive) [from the external server `calc`] Ends
      calc_hang (destructive) [from the external server `calc`] Waits
    --- stderr
    $ agent mcp add calc --env PATH --env HOME --level add=safe --level nothing=safe --trust --json -- python3 [TEMP]/server/server.py
    exit: 0
    --- stdout
    {"name":"calc","command":["python3","[TEMP]/server/server.py"],"environment":["HOME","PATH"],"levels":{"add":"safe","nothing":"safe"},"trusted":true,"offers":"blake3:[DIGEST]","tools":[{"name":"calc_add","level":"safe","description":"[from the external server `calc`] Adds numbers"},{"name":"calc_exit","level":"destructive","description":"[from the external server `calc`] Ends"},{"name":"calc_hang","level":"destructive","description":"[from the external server `calc`] Waits"}],"problems":["server `calc`: the level of `nothing` is for no tool it has"],"done":true}
    --- stderr
    this replaces the former server `calc`
    $ agent mcp list
    exit: 0
    --- stdout
    calc  trusted  python3 [TEMP]/server/server.py
    --- stderr
    $ agent mcp trust other --yes
    exit: 2
    --- stdout
    --- stderr
    error: there is no server `other`
    hint: `elophanto agent mcp list` lists what there is
    $ agent mcp remove calc
    exit: 0
    --- stdout
    removed: calc
    --- stderr
    $ agent mcp remove calc
    exit: 2
    --- stdout
    --- stderr
    error: there is no server `calc`
    hint: `elophanto agent mcp list` lists what there is
    $ agent mcp list --json
    exit: 1
    --- stdout
    --- stderr
    no server was added: `elophanto agent mcp add NAME -- COMMAND`, or `agent mcp add ADDRESS`
    "#);
    assert!(bench.are_gone());
}

#[test]
fn what_cannot_be_added() {
    let bench = Bench::new();
    let server = bench.server();
    snapshot!(bench.told(&[
        &["agent", "mcp", "add", "Calc", "--", "x"],
        &["agent", "mcp", "add", "../x", "--", "x"],
        &["agent", "mcp", "add", "calc", "--", ""],
        &["agent", "mcp", "add", "calc", "--", "-rf"],
        &["agent", "mcp", "add", "calc", "--env", "TOKEN=secret", "--", "x"],
        &["agent", "mcp", "add", "calc", "--level", "add", "--", "x"],
        &["agent", "mcp", "add", "calc", "--level", "add=harmless", "--", "x"],
        &["agent", "mcp", "add", "calc", "--trust", "--", "no-such-program"],
        &["agent", "mcp", "add", "calc", "--trust", "--", "python3", server, "dies"],
        // No shell sees it.
        &["agent", "mcp", "add", "calc", "--trust", "--", "touch canary; true"],
        &["agent", "mcp", "list"],
    ]), @"
    $ agent mcp add Calc -- x
    exit: 2
    --- stdout
    --- stderr
    error: `Calc` is no name of a server: use up to 24 lower case letters, digits and `_`
    $ agent mcp add ../x -- x
    exit: 2
    --- stdout
    --- stderr
    error: `../x` is no name of a server: use up to 24 lower case letters, digits and `_`
    $ agent mcp add calc --
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: its command is empty
    $ agent mcp add calc -- -rf
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: its program begins with a hyphen
    $ agent mcp add calc --env TOKEN=secret -- x
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: it names something that is no variable of an environment
    hint: --env takes names of variables; their values stay where they are
    $ agent mcp add calc --level add -- x
    exit: 2
    --- stdout
    --- stderr
    error: `add` is no TOOL=LEVEL
    hint: such as --level read_file=safe
    $ agent mcp add calc --level add=harmless -- x
    exit: 2
    --- stdout
    --- stderr
    error: there is no level `harmless`
    hint: levels are safe, moderate, destructive and critical
    $ agent mcp add calc --trust -- no-such-program
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: there is no such program in `PATH`
    hint: try the command by hand; it runs in your home folder, with the variables that `--env` names and no others
    $ agent mcp add calc --trust -- python3 [TEMP]/server/server.py dies
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: it ended before it answered (it said: no licence[2J found)
    hint: try the command by hand; it runs in your home folder, with the variables that `--env` names and no others
    $ agent mcp add calc --trust -- touch canary; true
    exit: 2
    --- stdout
    --- stderr
    error: server `calc`: there is no such program in `PATH`
    hint: try the command by hand; it runs in your home folder, with the variables that `--env` names and no others
    $ agent mcp list
    exit: 1
    --- stdout
    --- stderr
    no server was added: `elophanto agent mcp add NAME -- COMMAND`, or `agent mcp add ADDRESS`
    ");
    assert_eq!(bench.env.run(&["agent", "mcp", "add", "calc"]).code, Some(2));
    assert!(!bench.env.path("canary").exists() && !bench.kept().exists());
}

#[test]
fn what_is_kept_is_the_users_alone() {
    let bench = Bench::new();
    bench.add(&[]);
    let started = bench.noted("started");
    let sound = fs::read_to_string(bench.kept()).unwrap();
    let list = ["agent", "mcp", "list"];
    let mut all = String::new();
    let mut check = |what: &str| {
        let (output, _) = bench.run("", &[]);
        assert_eq!(output.code, Some(0), "{what}\n{output}");
        all += &format!("{what}\n{}{}", bench.env.run(&list), output.stderr());
    };
    // Whoever changes the command has not been trusted with it.
    fs::write(bench.kept(), sound.replace("server.py", "other.py")).unwrap();
    check("changed");
    fs::write(bench.kept(), "{\"version\": 1").unwrap();
    check("cut");
    fs::write(bench.kept(), sound.replace("\"version\": 1", "\"version\": 9")).unwrap();
    check("newer");
    fs::write(bench.kept(), &sound).unwrap();
    fs::set_permissions(bench.kept(), fs::Permissions::from_mode(0o666)).unwrap();
    check("shared");
    fs::remove_file(bench.kept()).unwrap();
    std::os::unix::fs::symlink("/dev/zero", bench.kept()).unwrap();
    check("endless");
    fs::remove_file(bench.kept()).unwrap();
    // One that the repository holds is the repository's.
    let inside = bench.env.path("servers.json");
    fs::write(&inside, &sound).unwrap();
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&inside, bench.kept()).unwrap();
    check("in the repository");
    snapshot!(all, @r"
    changed
    exit: 0
    --- stdout
    calc  not trusted  python3 [TEMP]/server/other.py
    --- stderr
    note: server `calc` is not trusted, so it is not started: elophanto agent mcp trust calc
    cut
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: EOF while parsing an object at line 1 column 13
    hint: mend it by hand, or move it away and add the servers again
    warning: no tools of other servers: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: EOF while parsing an object at line 1 column 13
    newer
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: it is of version 9
    hint: mend it by hand, or move it away and add the servers again
    warning: no tools of other servers: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: it is of version 9
    shared
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: others may write it
    hint: take that right from them: chmod go-w
    warning: no tools of other servers: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: others may write it
    endless
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: others may write it
    hint: take that right from them: chmod go-w
    warning: no tools of other servers: `[TEMP]/home/.config/elophanto/mcp-servers.json` cannot be read: others may write it
    in the repository
    exit: 0
    --- stdout
    calc  trusted  python3 [TEMP]/server/server.py
    --- stderr
    warning: no tools of other servers: `mcp-servers.json` lies in the repository itself
    ");
    assert_eq!(bench.noted("started"), started, "none of these starts it");
}

#[test]
fn another_offer_is_left_out_until_somebody_looked_at_it() {
    let bench = Bench::new();
    bench.add(&[]);
    fs::write(bench.server.with_file_name("more"), "").unwrap();
    let add = ("calc_add", json!({ "a": 1, "b": 2 }));
    let (output, model) = bench.run("", std::slice::from_ref(&add));
    snapshot!(told(&output), @"
    calc_add unmade: there is no tool `calc_add`; there are: ask_user, delegate_reading, file_delete, file_edit, file_list, file_move, file_read, file_search, file_write, git_commit, git_diff, git_log, git_status, hub_install, hub_search, knowledge_index, knowledge_search, knowledge_write, learn, llm_call, memory_recall, memory_remember, questions, self_develop, shell_execute, skill_list, skill_read, todo_list, web_fetch, web_search
    --- stderr
    warning: server `calc` offers something else than what you looked at, so its tools are left out: elophanto agent mcp trust calc
    ");
    assert!(!model.asked().iter().any(|body| body.to_string().contains("Ignore previous")));
    bench.env.ok(&["agent", "mcp", "trust", "calc", "--yes"]);
    let (output, _) = bench.run("", &[add]);
    assert!(told(&output).contains("calc_add failed: false\n3"), "{output}");
    assert_eq!(bench.noted("calls"), "add\n");
    assert!(bench.are_gone());
}
