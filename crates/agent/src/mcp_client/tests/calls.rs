//! Calls, good and bad.

use super::*;
use crate::{Source, permissions::Action};

#[test]
fn answers() {
    let bench = Bench::new();
    let started = bench.good();
    let check =
        |tool: &str, expected: &str| assert_eq!(started.said(tool, "hello"), expected, "{tool}");
    check("t_echo", "hello");
    check("t_fail", "no such thing");
    check("t_image", "(image, image/png, about 30 bytes, not shown)\na cat");
    check("t_structured", "{\n  \"degrees\": 21\n}");
    check("t_nothing", "(no text)");
    check("t_junk", "after junk");
    check("t_wrong", "Failed(\"server `t`: broken [2J inside\")");
    check("t_badargs", "Arguments(\"`text` is missing\")");
    check("t_folder", bench.at("").to_str().unwrap().trim_end_matches('/'));
    // Nothing of us is lent to a server: no model, no folders.
    check("t_ask", "[\"error\", \"{\\\"roots\\\": []}\"]");
    let mut host = Caller { max_output: 100, ..Caller::default() };
    assert!(started.call("t_fail", &json!({}), &mut host).unwrap().failed);
    let large = started.call("t_large", &json!({}), &mut host).unwrap().text;
    assert!(large.len() <= 100 && large.contains(" bytes left out "), "{large}");
    for arguments in [json!([1]), json!("x"), json!(7), json!({ "text": "x".repeat(2 << 20) })] {
        assert!(matches!(
            started.call("t_echo", &arguments, &mut host),
            Err(ToolError::Arguments(_))
        ));
    }
}

#[test]
fn what_is_shown_is_what_runs() {
    let bench = Bench::new();
    let started = bench.good();
    let tool = started.tools.iter().find(|tool| tool.spec().name == "t_echo").unwrap();
    assert_eq!(tool.spec().source, Source::Server { name: "t".to_owned() });
    assert!(tool.spec().is_untrusted);
    let intent = tool.intent(&json!({ "text": "a\u{202e}b" }), &Caller::default()).unwrap();
    assert!(matches!(intent.action, Action::Server { name, .. } if name == "t"));
    let script = bench.at("server.py");
    let expected = format!(
        "server `t` (python3 {} good)\ncalls `echo` with\n{{\n  \"text\": \"a\u{202e}b\"\n}}",
        script.display()
    );
    assert_eq!(intent.shown, expected);
    assert!(tool.intent(&json!([]), &Caller::default()).is_err());
}

/// What an approval holds for: this tool of this server as it runs, however it is called.
#[test]
fn another_server_of_that_name_is_another_one() {
    let bench = Bench::new();
    let digest = |started: &Started, tool: &str| {
        let found = started.tools.iter().find(|it| it.spec().name == tool).unwrap();
        match found.intent(&json!({}), &Caller::default()).unwrap().action {
            Action::Server { digest, .. } => digest,
            other => panic!("{other:?}"),
        }
    };
    let before = digest(&bench.good(), "t_echo");
    assert_eq!(digest(&bench.good(), "t_echo"), before);
    let longer = bench.entry("t", &["good", "and more"]);
    let mut granted = bench.entry("t", &["good"]);
    let At::Program { environment, .. } = &mut granted.at else { panic!("it is a program") };
    environment.push("TOKEN".to_owned());
    for other in [longer, granted] {
        assert_ne!(digest(&bench.start(&[other]), "t_echo"), before);
    }
    // The command is the same, and what it offers under that name is not.
    let script = std::fs::read_to_string(bench.at("server.py")).unwrap();
    let described = script.replace("Says it again", "Sends it away");
    assert_ne!(described, script);
    std::fs::write(bench.at("server.py"), described).unwrap();
    assert_ne!(digest(&bench.good(), "t_echo"), before);
}

#[test]
fn only_the_environment_it_was_granted() {
    let bench = Bench::new();
    let started = bench.good();
    assert_eq!(started.said("t_env", ""), "(no text)");
    drop(started);
    let mut entry = bench.entry("t", &["good"]);
    let At::Program { environment, .. } = &mut entry.at else { panic!("it is a program") };
    *environment = vec!["TOKEN".to_owned(), "MISSING".to_owned()];
    assert_eq!(bench.start(&[entry]).said("t_env", ""), "TOKEN");
}

#[test]
fn hanging_and_cancelled() {
    let bench = Bench::new();
    let started = bench.good();
    let mut host = Caller { patience: Duration::from_millis(300), ..Caller::default() };
    let said = started.call("t_sleep", &json!({}), &mut host).unwrap_err().to_string();
    assert_eq!(said, "server `t`: no answer within 0.3 s");
    // It reads again, so it goes on.
    assert_eq!(started.said("t_echo", "there"), "there");
    let soon = Instant::now() + Duration::from_millis(100);
    let mut host = Caller { cancelled_at: Some(soon), ..Caller::default() };
    assert!(matches!(started.call("t_hang", &json!({}), &mut host), Err(ToolError::Cancelled)));
    assert!(matches!(started.call("t_echo", &json!({}), &mut host), Err(ToolError::Cancelled)));
    // One that hangs for good costs the calls to it their time, and nothing else.
    let mut host = Caller { patience: Duration::from_millis(200), ..Caller::default() };
    // More than its pipe holds.
    for text in ["", &"x".repeat(500_000), &"x".repeat(500_000)] {
        let arguments = json!({ "text": text });
        assert!(matches!(started.call("t_echo", &arguments, &mut host), Err(ToolError::Failed(_))));
    }
}

#[test]
fn one_that_dies_says_why() {
    let bench = Bench::new();
    let started = bench.start(&[bench.entry("t", &["good"]), bench.entry("u", &["good"])]);
    for tool in ["t_die", "t_echo"] {
        let said = started.said(tool, "x");
        assert!(said.contains("server `t`: it ended"), "{said}");
        assert!(!said.contains('\u{1b}'));
    }
    assert!(started.said("t_echo", "x").contains("it said: out of [31mluck"));
    assert_eq!(started.said("u_echo", "x"), "x");
}

#[test]
fn floods_end() {
    let bench = Bench::new();
    for tool in ["t_flood", "t_flood_line"] {
        let started = bench.good();
        let said = started.said(tool, "x");
        assert_eq!(said, "Failed(\"server `t`: it said too much\")", "{tool}");
    }
}

#[test]
fn changed_tools_are_refused() {
    let bench = Bench::new();
    let started = bench.good();
    assert_eq!(started.said("t_change", ""), "changed");
    let refused = |tool: &str| {
        started.said(tool, "x").starts_with("Refused(\"server `t` changed or withdrew")
    };
    assert!(refused("t_echo") && refused("t_fail") && refused("t_echo"));
    // As it was.
    assert_eq!(started.said("t_change", ""), "changed");
}

#[test]
fn many_calls_at_once() {
    let bench = Bench::new();
    let started = bench.good();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let started = &started;
            scope.spawn(move || {
                for m in 0..20 {
                    assert_eq!(started.said("t_echo", &format!("{n} {m}")), format!("{n} {m}"));
                }
            });
        }
    });
}
