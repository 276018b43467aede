//! Installing and removing gives the bytes of before.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn check_file(client: Client, before: &str) {
    for scope in Scope::ALL {
        let (paths, _) = super::super::places::servers(client, scope, &places());
        let disk = Disk::with(paths.last().unwrap(), before);
        check_disk(&disk, client, scope, before);
    }
}

fn check_disk(disk: &Disk, client: Client, scope: Scope, about: &str) {
    let first = disk.0.borrow().clone();
    disk.apply(disk.install(client, scope).unwrap());
    assert_eq!(disk.install(client, scope).unwrap(), [], "a second time: {about:?}");
    let texts = disk.0.borrow().clone();
    check_values(client, scope, &first, &texts);
    disk.apply(disk.remove(client, scope).unwrap());
    assert_eq!(*disk.0.borrow(), first, "{about:?} became {texts:#?}");
    assert_eq!(disk.remove(client, scope).unwrap(), [], "removed twice: {about:?}");
}

/// A strict file stays strict, has our entry, and says all else that it said.
fn check_values(
    client: Client,
    scope: Scope,
    before: &BTreeMap<PathBuf, String>,
    after: &BTreeMap<PathBuf, String>,
) {
    let (paths, _) = super::super::places::servers(client, scope, &places());
    let path = paths.last().unwrap();
    let Some(Ok(Value::Object(mut old))) = before.get(path).map(|text| serde_json::from_str(text))
    else {
        return;
    };
    let mut new: Map<String, Value> = serde_json::from_str(&after[path]).unwrap();
    let key = ["mcpServers", "servers", "mcp"]
        .into_iter()
        .find(|key| new.get(*key).is_some_and(|servers| servers.get("elophanto").is_some()));
    let key = key.unwrap();
    let mut servers = new.remove(key).unwrap();
    assert!(
        servers.as_object_mut().unwrap().remove("elophanto").unwrap()["command"] != json!(null)
    );
    assert_eq!(old.remove(key).unwrap_or_else(|| json!({})), servers);
    assert_eq!(old, new);
}

fn check_hooks(before: &str) {
    let path = super::super::places::hooks(Scope::User, &places());
    let disk = Disk::with(&path, before);
    disk.apply(disk.hooks(Scope::User).unwrap());
    assert_eq!(disk.hooks(Scope::User).unwrap(), [], "a second time: {before:?}");
    let text = disk.read(&path).unwrap();
    disk.apply(remove_hooks(Scope::User, &places(), &|path| disk.read(path)).unwrap());
    assert_eq!(disk.read(&path).unwrap().as_deref(), Some(before), "became {text:?}");
}

#[test]
fn nothing_there() {
    for client in Client::ALL {
        for scope in Scope::ALL {
            check_disk(&Disk::default(), client, scope, "nothing");
        }
    }
    let disk = Disk::default();
    disk.apply(disk.hooks(Scope::Project).unwrap());
    disk.apply(disk.install(Client::ClaudeCode, Scope::Project).unwrap());
    assert_eq!(disk.0.borrow().len(), 3);
    disk.apply(disk.remove(Client::ClaudeCode, Scope::Project).unwrap());
    assert!(disk.0.borrow().is_empty());
}

#[test]
fn json_files() {
    let key = "mcpServers";
    for before in [
        "",
        "\n",
        "  ",
        "\r\n",
        "\u{feff}",
        "\u{feff}{}",
        "{}",
        "{ }",
        "{\n}",
        "{}\n",
        "{\n}\n",
        "{\r\n}",
        "{ /* none */ }",
        "{\n  // none\n}\n",
        "{}// end",
        "/* a */ {} /* b */\n",
        r#"{"a":1}"#,
        r#"{ "a": 1 }"#,
        r#"{"a":1,}"#,
        "{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1,\n}\n",
        "{\n\t\"a\": 1 // why\n}",
        "{\n\t\"a\": 1, // why\n}",
        "{\n\t\"a\": 1 /* x */ , // why\n}",
        "{\r\n    \"a\": 1\r\n}\r\n",
        "{\"a\": 1 // x\n}",
        "{\"a\":1 /* y */}",
        "{\"a\":1, /* y */}",
        "{\"a\":1 /* y */,}",
        "{\n\"a\": [1,\n2,],\n// last\n}",
        "{\"a\":\"\\ud83d\"}",
        &format!("{{\"{key}\":{{}}}}"),
        &format!("{{\"{key}\":{{ }}}}"),
        &format!("{{\n  \"{key}\": {{}}\n}}\n"),
        &format!("{{\n  \"{key}\": {{\n  }}\n}}\n"),
        &format!("{{\n  \"{key}\": {{ /* x */ }},\n}}\n"),
        &format!("{{\n  \"{key}\": {{\n    // x\n  }},\n  \"b\": 2\n}}\n"),
        &format!("{{\n  \"{key}\": {{\n    \"x\": {{\"command\": \"y\"}}\n  }}\n}}\n"),
        &format!("{{\n  \"{key}\": {{\n    \"x\": {{\"command\": \"y\"}}, // z\n  }}\n}}\n"),
        &format!("{{\"{key}\": {{\"x\": 1}}}}"),
    ] {
        check_file(Client::ClaudeCode, before);
        check_file(Client::Gemini, before);
        check_file(Client::Opencode, before);
        check_hooks(before);
        let before = before.replace(key, "servers");
        check_file(Client::Vscode, &before);
        let before = before.replace("\"servers\"", "\"mcp\"");
        check_file(Client::Opencode, &before);
    }
}

#[test]
fn hook_files() {
    for before in [
        r#"{"hooks":{}}"#,
        r#"{"hooks":{ }}"#,
        "{\n  \"hooks\": {}\n}",
        "{\n  \"hooks\": {\n  }\n}",
        r#"{"hooks":{"Stop":[]}}"#,
        r#"{"hooks":{"Stop":[ ], "SessionStart": []}}"#,
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x stop"}]}]}}"#,
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup\",\n        \
         \"hooks\": [\n          { \"type\": \"command\", \"command\": \"x\" },\n        ]\n      }\n    ]\n  }\n}",
    ] {
        check_hooks(before);
    }
}

#[test]
fn toml_files() {
    for before in [
        "",
        "\n",
        "\n\n",
        " ",
        "\r\n",
        "a = 1",
        "a = 1\n",
        "a = 1\n\n",
        "a = 1\r\n",
        "# c",
        "a = 1 # c",
        "a = 1\r\nb = 2",
        "[mcp_servers]\n",
        "[mcp_servers]\nx = { command = \"y\" }\n",
        "[mcp_servers.x]\ncommand = \"y\"\n\n[z]\na=1",
        "[[a]]\nb=1\n[[a]]",
        "mcp_servers.x.command = 'y'\n",
        "\u{feff}a = 1\n",
        "\u{feff}",
    ] {
        check_file(Client::Codex, before);
    }
}

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" /* c, } */ ".to_owned()),
        1 => Just(" // \"d\n".to_owned()),
    ]
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("-0.5e+3".to_owned()),
        Just("null".to_owned()),
        "[a-z/*,{}\\[\\]]{0,5}".prop_map(|text| format!("\"{text}\"")),
        Just("\"\\\"\\u00e9 \\ud800\"".to_owned()),
        Just("{}".to_owned()),
        Just("[]".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            2 => Just("mcpServersX"), 1 => Just("hooksX"), 1 => Just("x"), 1 => Just("é"),
        ];
        let member = (blank(), key, blank(), blank(), inner.clone(), blank());
        let element = (blank(), inner, blank());
        prop_oneof![
            (proptest::collection::vec(member, 0..4), blank(), any::<bool>()).prop_map(
                |(members, end, trailing)| {
                    let members: Vec<String> = members
                        .into_iter()
                        .map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"))
                        .collect();
                    let comma = if trailing && !members.is_empty() { "," } else { "" };
                    format!("{{{}{comma}{end}}}", members.join(","))
                }
            ),
            (proptest::collection::vec(element, 0..4), blank(), any::<bool>()).prop_map(
                |(elements, end, trailing)| {
                    let elements: Vec<String> = elements
                        .into_iter()
                        .map(|(a, value, b)| format!("{a}{value}{b}"))
                        .collect();
                    let comma = if trailing && !elements.is_empty() { "," } else { "" };
                    format!("[{}{comma}{end}]", elements.join(","))
                }
            ),
        ]
    })
}

/// A file whose root is an object, with the needed key of the right type or without it.
fn json_file() -> impl Strategy<Value = String> {
    let servers = prop_oneof![
        2 => Just(None),
        1 => (blank(), blank()).prop_map(|(a, b)| Some(format!("{{{a}{b}}}"))),
        1 => (blank(), blank(), json_value(), blank(), prop_oneof![Just(""), Just(",")], blank())
            .prop_map(|(a, b, value, c, comma, d)| {
                Some(format!("{{{a}\"x\":{b}{value}{c}{comma}{d}}}"))
            }),
    ];
    let member = (blank(), blank(), json_value(), blank());
    let members = proptest::collection::vec(member, 0..3);
    (members, servers, any::<bool>(), [blank(), blank(), blank(), blank()]).prop_map(
        |(members, servers, trailing, [head, before, end, tail])| {
            let mut members: Vec<String> = members
                .into_iter()
                .enumerate()
                .map(|(at, (a, b, value, c))| format!("{a}\"k{at}\":{b}{value}{c}"))
                .collect();
            if let Some(servers) = servers {
                let at = before.len() % (members.len() + 1);
                members.insert(at, format!("{before}\"KEY\": {servers}"));
            }
            let comma = if trailing && !members.is_empty() { "," } else { "" };
            format!("{head}{{{}{comma}{end}}}{tail}", members.join(","))
        },
    )
}

fn toml_file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("".to_owned()),
        Just("# [mcp_servers.elophanto]".to_owned()),
        Just("  # c".to_owned()),
    ];
    let lines = || proptest::collection::vec(line.clone(), 0..3);
    let table = (0..4u8, lines(), lines()).prop_map(|(kind, a, b)| (kind, a, b));
    let tables = proptest::collection::vec(table, 0..4);
    (tables, any::<bool>(), any::<bool>()).prop_map(|(tables, crlf, open)| {
        let mut all: Vec<String> = Vec::new();
        for (at, (kind, before, after)) in tables.into_iter().enumerate() {
            all.extend(before);
            all.push(match kind {
                0 => format!("[mcp_servers.s{at}]"),
                1 => format!("  [t{at}] # c"),
                2 => "[[list]]".to_owned(),
                _ => format!("[a.b{at}.\"c d\"]"),
            });
            all.push("x = [\n 1, # y\n]".to_owned());
            all.push("text = '''\n[mcp_servers.elophanto]\n'''".to_owned());
            all.extend(after);
        }
        let mut text = all.join("\n");
        text.push_str(if open { "" } else { "\n" });
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_json_file(text in json_file()) {
        check_file(Client::Cursor, &text.replace("KEY", "mcpServers"));
        check_file(Client::Vscode, &text.replace("KEY", "servers"));
        check_hooks(&text.replace("KEY", "hooks").replace("\"x\"", "\"Start\""));
    }

    #[test]
    fn any_toml_file(text in toml_file()) {
        check_file(Client::Codex, &text);
    }

    #[test]
    fn no_text_panics(text in "[{}\\[\\]\",:/* \n\\\\a1é=.]{0,40}") {
        for client in Client::ALL {
            let (paths, _) = super::super::places::servers(client, Scope::User, &places());
            let disk = Disk::with(paths.last().unwrap(), &text);
            let _ = disk.remove(client, Scope::User);
            if let Ok(changes) = disk.install(client, Scope::User) {
                disk.apply(changes);
                prop_assert_eq!(disk.install(client, Scope::User).unwrap(), []);
                disk.apply(disk.remove(client, Scope::User).unwrap());
                prop_assert_eq!(disk.read(paths.last().unwrap()).unwrap(), Some(text.clone()));
            }
        }
    }
}
