//! What is written where.

use super::*;

const ENTRY: &str =
    r#"{ "type": "stdio", "command": "/usr/bin/elophanto", "args": ["agent", "mcp", "serve"] }"#;

fn check(client: Client, before: Option<&str>, expected: &str) {
    for scope in Scope::ALL {
        assert_eq!(installed(client, scope, before), expected, "{client} {scope}");
    }
}

/// The JSON file of a program that keeps its servers below `mcpServers`.
fn check_json(before: &str, expected: &str) {
    check(Client::Cursor, Some(before), &expected.replace("ENTRY", ENTRY));
}

#[test]
fn new_files() {
    let stdio = |key: &str| {
        format!(
            "{{\n  \"{key}\": {{\n    \"elophanto\": {{\n      \"type\": \"stdio\",\n      \
             \"command\": \"/usr/bin/elophanto\",\n      \"args\": [\"agent\", \"mcp\", \
             \"serve\"]\n    }}\n  }}\n}}\n"
        )
    };
    check(Client::ClaudeCode, None, &stdio("mcpServers"));
    check(Client::Cursor, None, &stdio("mcpServers"));
    check(Client::Vscode, None, &stdio("servers"));
    check(Client::Gemini, None, &stdio("mcpServers").replace("      \"type\": \"stdio\",\n", ""));
    check(
        Client::Codex,
        None,
        "[mcp_servers.elophanto]\ncommand = \"/usr/bin/elophanto\"\nargs = [\"agent\", \"mcp\", \
         \"serve\"]\n",
    );
    check(
        Client::Opencode,
        None,
        "{\n  \"mcp\": {\n    \"elophanto\": {\n      \"type\": \"local\",\n      \"command\": \
         [\"/usr/bin/elophanto\", \"agent\", \"mcp\", \"serve\"]\n    }\n  }\n}\n",
    );
}

#[test]
fn everything_has_its_place() {
    for (client, scope, expected) in [
        (Client::ClaudeCode, Scope::Project, ["/p/.mcp.json", "/p/.claude/skills"]),
        (Client::ClaudeCode, Scope::User, ["/h/.claude.json", "/h/.claude/skills"]),
        (Client::Codex, Scope::Project, ["/p/.codex/config.toml", "/p/.agents/skills"]),
        (Client::Codex, Scope::User, ["/h/.codex/config.toml", "/h/.agents/skills"]),
        (Client::Cursor, Scope::Project, ["/p/.cursor/mcp.json", "/p/.cursor/skills"]),
        (Client::Cursor, Scope::User, ["/h/.cursor/mcp.json", "/h/.cursor/skills"]),
        (Client::Vscode, Scope::Project, ["/p/.vscode/mcp.json", "/p/.github/skills"]),
        (Client::Vscode, Scope::User, ["/h/.config/Code/User/mcp.json", "/h/.copilot/skills"]),
        (Client::Gemini, Scope::Project, ["/p/.gemini/settings.json", "/p/.gemini/skills"]),
        (Client::Gemini, Scope::User, ["/h/.gemini/settings.json", "/h/.gemini/skills"]),
        (Client::Opencode, Scope::Project, ["/p/opencode.json", "/p/.opencode/skills"]),
        (
            Client::Opencode,
            Scope::User,
            ["/h/.config/opencode/opencode.json", "/h/.config/opencode/skills"],
        ),
    ] {
        let changes = Disk::default().install(client, scope).unwrap();
        let paths: Vec<_> = changes.iter().map(|change| change.path.to_str().unwrap()).collect();
        let [file, skills] = expected;
        assert_eq!(paths, [file, &format!("{skills}/elophanto/SKILL.md")], "{client} {scope}");
    }
}

#[test]
fn merges_into_json() {
    check_json("{}", "{\n  \"mcpServers\": { \"elophanto\": ENTRY }\n}");
    check_json(r#"{"a": 1}"#, r#"{"a": 1, "mcpServers": { "elophanto": ENTRY }}"#);
    check_json(
        r#"{"mcpServers": {"b": {}}, "a": 1}"#,
        r#"{"mcpServers": {"b": {}, "elophanto": ENTRY}, "a": 1}"#,
    );
    check_json(
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"b\": 1, // last\r\n\t},\r\n}\r\n",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"b\": 1, // last\r\n\t\t\"elophanto\": {\r\n\t\t\t\"type\": \
         \"stdio\",\r\n\t\t\t\"command\": \"/usr/bin/elophanto\",\r\n\t\t\t\"args\": [\"agent\", \
         \"mcp\", \"serve\"]\r\n\t\t},\r\n\t},\r\n}\r\n",
    );
}

#[test]
fn keeps_what_the_user_says_of_our_entry() {
    let right = r#"{"mcpServers":{"elophanto":{"args":["agent","mcp", /**/ "serve",],"env":{"A":"b"},"command":"\/usr/bin/elophanto","type":"stdio"}}}"#;
    check_json(right, right);
    check_json(
        r#"{"mcpServers":{"elophanto":{"command":"old","env":{"A":"b"},"args":["mcp"]}}}"#,
        r#"{"mcpServers":{"elophanto":{"command":"/usr/bin/elophanto","env":{"A":"b"},"args":["agent", "mcp", "serve"], "type": "stdio"}}}"#,
    );
    let entry = "command = \"/usr/bin/elophanto\"\nargs = [\"agent\", \"mcp\", \"serve\"]\n";
    let right = "mcp_servers = { elophanto = { command = '/usr/bin/elophanto', args = ['agent', 'mcp', 'serve'] } }";
    check(Client::Codex, Some(right), right);
    for (before, expected) in [
        (
            "[mcp_servers.elophanto] # ours\nargs = [] # old\ntool_timeout_sec = 9\n[b]\n",
            "[mcp_servers.elophanto] # ours\ncommand = \"/usr/bin/elophanto\"\nargs = [\"agent\", \
             \"mcp\", \"serve\"] # old\ntool_timeout_sec = 9\n[b]\n",
        ),
        ("[mcp_servers.elophanto]", &format!("[mcp_servers.elophanto]\n{}", entry.trim_end())),
    ] {
        check(Client::Codex, Some(before), expected);
    }
}

#[test]
fn removes_all_of_our_entry() {
    let check = |client: Client, before: &str, expected: Option<&str>| {
        let (paths, _) = super::super::places::servers(client, Scope::User, &places());
        let path = paths.last().unwrap();
        let disk = Disk::with(path, before);
        disk.apply(disk.remove(client, Scope::User).unwrap());
        assert_eq!(disk.read(path).unwrap().as_deref(), expected, "{before}");
    };
    check(
        Client::Codex,
        "a = 1\n\n[mcp_servers.elophanto]\ncommand = \"x\"\n# ours\nenv.B = \"c\"\n\n\
         [mcp_servers.elophanto.tools.search]\nmode = \"approve\"\n[[mcp_servers.elophanto.list]]\nx \
         = [[1]]\n\n# theirs\n[mcp_servers.b]\n",
        Some("a = 1\n\n# theirs\n[mcp_servers.b]\n"),
    );
    check(
        Client::Cursor,
        "{\"mcpServers\": {\n  // ours?\n  \"elophanto\": {\"a\": [1]},\n  \"b\": {}\n}}",
        Some("{\"mcpServers\": {\n  // ours?\n  \"b\": {}\n}}"),
    );
    check(
        Client::Cursor,
        r#"{"mcpServers": {"b": {}, "elophanto": {}, "c": {}}}"#,
        Some(r#"{"mcpServers": {"b": {}, "c": {}}}"#),
    );
    // What is laid out as we lay out new brackets goes with its last item.
    check(Client::Cursor, "{\n\"mcpServers\": {\n\"elophanto\": {\n}\n}\n}\n", None);
    check(
        Client::Cursor,
        "{ \"mcpServers\": { \"elophanto\": {} } }\n",
        // New files are never written on one line, so this one was there.
        Some("{ }\n"),
    );
    check(Client::Codex, "[mcp_servers.elophanto]\n", None);
    check(Client::Codex, "a = 'elophanto'\n", Some("a = 'elophanto'\n"));
}

#[test]
fn refuses_with_path_line_and_advice() {
    let check = |client: Client, before: &str, expected: &str| {
        let (paths, _) = super::super::places::servers(client, Scope::Project, &places());
        let disk = Disk::with(paths.last().unwrap(), before);
        let error = disk.install(client, Scope::Project).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(disk.remove(client, Scope::Project).is_err(), "{before}");
    };
    let again = "then try again";
    let json = |line: usize, reason: &str| {
        format!(
            "`/p/.cursor/mcp.json`:{line} is not valid JSON: {reason}; repair the file, {again}"
        )
    };
    let key = "make it one or take it out";
    for (before, expected) in [
        ("{\n\"a\": 1\n\"b\": 2}", json(3, "a comma or a closing bracket is missing")),
        ("{\n\"a\": tru\n}", json(2, "this is no value")),
        ("{\"a\": 01}", json(1, "this is no value")),
        ("{} {}", json(1, "something follows the value")),
        ("{\n\"a\n\": 1}", json(2, "a string is not closed on its line")),
        ("{\"\\x\": 1}", json(1, "a string has an invalid escape")),
        ("{\"\\u+041\": 1}", json(1, "a string has an invalid escape")),
        ("{\n/* a\n}", json(2, "a comment is not closed")),
        ("// a", json(1, "a value is missing")),
        ("{a: 1}", json(1, "a key in double quotes or `}` is missing")),
        (&"[".repeat(100_000), json(1, "more than 128 objects and arrays inside one another")),
        ("\n[]", format!("`/p/.cursor/mcp.json`:2: `the whole file` is no object; {key}, {again}")),
        (
            "{\n\"mcpServers\": []}",
            format!("`/p/.cursor/mcp.json`:2: `mcpServers` is no object; {key}, {again}"),
        ),
        (
            "{\"mcpServers\": {},\n\n\"mcpServers\": {}}",
            format!("`/p/.cursor/mcp.json`:3: `mcpServers` is there twice; leave one, {again}"),
        ),
    ] {
        check(Client::Cursor, before, &expected);
    }
    let table = "is not written as a table with a header of its own; write it so or take it out";
    for (before, expected) in [
        (
            "\nmcp_servers = 1",
            format!("`/p/.codex/config.toml`:2: `mcp_servers` is no table; {key}, {again}"),
        ),
        (
            "[[mcp_servers]]",
            format!("`/p/.codex/config.toml`:1: `mcp_servers` is no table; {key}, {again}"),
        ),
        (
            "[mcp_servers]\nelophanto = {}",
            format!("`/p/.codex/config.toml`:2: `mcp_servers.elophanto` {table}, {again}"),
        ),
    ] {
        check(Client::Codex, before, &expected);
    }
    let (paths, _) = super::super::places::servers(Client::Codex, Scope::Project, &places());
    let install = |text: &str| {
        let disk = Disk::with(paths.last().unwrap(), text);
        disk.install(Client::Codex, Scope::Project).unwrap_err().to_string()
    };
    assert_eq!(
        install("\nmcp_servers = {}"),
        format!("`/p/.codex/config.toml`:2: `mcp_servers` {table}, {again}")
    );
    assert!(install("a = 1\nb").starts_with("`/p/.codex/config.toml`:2 is not valid TOML: "));
}

#[test]
fn refuses_programs_and_files() {
    let disk = Disk::default();
    for program in ["", " ", "a\nb", "\u{1b}[2J", "\u{7f}"] {
        let read = |path: &Path| disk.read(path);
        let error = install(Client::Codex, Scope::User, &places(), program, &read);
        assert!(matches!(error, Err(ClientError::Program)), "{program:?}");
        let error = super::super::hooks(Scope::User, &places(), program, &read);
        assert!(matches!(error, Err(ClientError::Program)), "{program:?}");
    }
    let large = |_: &Path| Ok(Some(" ".repeat(MAX_FILE_BYTES + 1)));
    let error = install(Client::Codex, Scope::User, &places(), PROGRAM, &large);
    assert!(matches!(error, Err(ClientError::TooLarge { .. })));
    let broken = |_: &Path| Err(io::Error::from(io::ErrorKind::PermissionDenied));
    let error = remove(Client::Codex, Scope::User, &places(), &broken).unwrap_err();
    assert_eq!(error.to_string(), "`/h/.codex/config.toml` cannot be read: permission denied");
}

#[test]
fn opencode_has_two_files() {
    let json = |text: &str| format!("{{\"mcp\": {{{text}}}}}");
    let ours = r#""elophanto": {"type": "local", "command": ["old"]}"#;
    let check = |files: [Option<&str>; 2], changed: &[&str]| {
        let disk = Disk::default();
        for (name, text) in ["/p/opencode.jsonc", "/p/opencode.json"].into_iter().zip(files) {
            text.map(|text| disk.0.borrow_mut().insert(name.into(), json(text)));
        }
        let changes = disk.install(Client::Opencode, Scope::Project).unwrap();
        let paths: Vec<_> = changes.iter().map(|change| change.path.to_str().unwrap()).collect();
        assert_eq!(paths.split_last().unwrap().1, changed);
    };
    check([None, None], &["/p/opencode.json"]);
    check([None, Some("")], &["/p/opencode.json"]);
    check([Some(""), None], &["/p/opencode.jsonc"]);
    check([Some(""), Some("")], &["/p/opencode.jsonc"]);
    check([Some(""), Some(ours)], &["/p/opencode.json"]);
    check([Some(ours), Some(ours)], &["/p/opencode.jsonc", "/p/opencode.json"]);
}

#[test]
fn skills_are_ours_or_left_alone() {
    let path = Path::new("/p/.agents/skills/elophanto/SKILL.md");
    let skills = |text: &str| {
        let disk = Disk::with(path, text);
        let changes = disk.install(Client::Codex, Scope::Project)?;
        Ok::<_, ClientError>(changes.into_iter().any(|change| change.path == path))
    };
    assert!(!skills(skill()).unwrap());
    assert!(!skills(&skill().replace('\n', "\r\n")).unwrap());
    assert!(skills(&skill().replace("Rules", "Old rules")).unwrap());
    assert!(matches!(skills("---\nname: elophanto\n---\n"), Err(ClientError::NotOurs { .. })));
    let disk = Disk::with(path, "mine");
    assert_eq!(disk.remove(Client::Codex, Scope::Project).unwrap(), []);
}

#[test]
fn the_skill_is_one() {
    let (front, body) = skill().strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let (name, description) = front.split_once('\n').unwrap();
    assert_eq!(name, "name: elophanto");
    let description = description.strip_prefix("description: ").unwrap();
    assert!(
        description.len() <= 1024 && !description.contains(": ") && !description.contains('\n')
    );
    assert!(body.lines().count() < 60);
    let arguments = body.lines().find(|line| line.starts_with("{\"type\"")).unwrap();
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    for key in ["type", "context", "command", "lesson", "success_rate", "tags"] {
        assert!(!arguments[key].is_null(), "{key}");
    }
}

#[test]
fn names() {
    for client in Client::ALL {
        assert_eq!(client.to_string().parse(), Ok(client));
    }
    for scope in Scope::ALL {
        assert_eq!(Scope::named(&scope.to_string()), Some(scope));
    }
    let error = "Codex".parse::<Client>().unwrap_err();
    assert!(Client::ALL.iter().all(|client| error.to_string().contains(client.name())));
}
