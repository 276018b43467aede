//! `agent install`: other programs' files, changed and given back.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use super::seen;
use crate::env::TestEnv;

const CLIENTS: [&str; 6] = ["claude-code", "codex", "cursor", "vscode", "gemini", "opencode"];

/// Every file and folder of the repository and the home, but git's.
fn files(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(env.outside()).into_iter().map(Result::unwrap);
    let entries = entries.filter(|entry| !entry.path().starts_with(env.path(".git")));
    entries
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| {
            let text = match entry.file_type().is_symlink() {
                true => fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes(),
                false => fs::read(entry.path()).unwrap(),
            };
            (entry.path().strip_prefix(env.outside()).unwrap().to_owned(), text)
        })
        .collect()
}

/// The file that holds a program's servers, relative to the repository or the home.
fn place(client: &str, scope: &str) -> &'static str {
    match (client, scope) {
        ("claude-code", "--project") => "repo/.mcp.json",
        ("claude-code", _) => "home/.claude.json",
        ("codex", "--project") => "repo/.codex/config.toml",
        ("codex", _) => "home/.codex/config.toml",
        ("cursor", "--project") => "repo/.cursor/mcp.json",
        ("cursor", _) => "home/.cursor/mcp.json",
        ("vscode", "--project") => "repo/.vscode/mcp.json",
        ("vscode", _) => "home/.config/Code/User/mcp.json",
        ("gemini", "--project") => "repo/.gemini/settings.json",
        ("gemini", _) => "home/.gemini/settings.json",
        ("opencode", "--project") => "repo/opencode.json",
        _ => "home/.config/opencode/opencode.json",
    }
}

fn put(env: &TestEnv, place: &str, text: &str) {
    let path = env.outside().join(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn six_programs_set_up_and_given_back() {
    let mut said = String::new();
    for client in CLIENTS {
        for scope in ["--project", "--user"] {
            let env = TestEnv::new();
            let before = files(&env);
            let dry = env.run(&["agent", "install", client, scope, "--dry-run"]);
            assert_eq!(dry.code, Some(1), "{dry}");
            assert!(dry.stdout().contains("elophanto") && dry.stderr().is_empty(), "{dry}");
            let asked = env.run(&["agent", "install", client, scope]);
            assert_eq!(
                asked.stderr(),
                "nothing was changed; --yes makes these changes without asking\n"
            );
            assert_eq!(files(&env), before, "{client} {scope}");
            let done = env.ok(&["agent", "install", client, scope, "--yes"]);
            assert_eq!(done.stdout(), dry.stdout());
            let after = files(&env);
            for (path, text) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
                said += &format!("{client} {scope} {}\n", path.display());
                if !path.ends_with("SKILL.md") {
                    said +=
                        &String::from_utf8_lossy(text).replace(crate::env::PROGRAM, "[PROGRAM]");
                }
            }
            let again = env.run(&["agent", "install", client, scope, "--yes"]);
            assert_eq!((again.code, again.stdout()), (Some(0), String::new()), "{again}");
            assert_eq!(again.stderr(), "it is set up already: nothing to change\n");
            assert_eq!(files(&env), after);
            env.ok(&["agent", "install", client, scope, "--remove", "--yes"]);
            assert_eq!(files(&env), before, "{client} {scope}");
            let again = env.run(&["agent", "install", client, scope, "--remove", "--yes"]);
            assert_eq!(again.code, Some(1), "{again}");
        }
    }
    seen!(said, @r#"
    claude-code --project repo/.claude/skills/elophanto/SKILL.md
    claude-code --project repo/.mcp.json
    {
      "mcpServers": {
        "elophanto": {
          "type": "stdio",
          "command": "elophanto",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    claude-code --user home/.claude/skills/elophanto/SKILL.md
    claude-code --user home/.claude.json
    {
      "mcpServers": {
        "elophanto": {
          "type": "stdio",
          "command": "[PROGRAM]",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    codex --project repo/.agents/skills/elophanto/SKILL.md
    codex --project repo/.codex/config.toml
    [mcp_servers.elophanto]
    command = "elophanto"
    args = ["agent", "mcp", "serve"]
    codex --user home/.agents/skills/elophanto/SKILL.md
    codex --user home/.codex/config.toml
    [mcp_servers.elophanto]
    command = "[PROGRAM]"
    args = ["agent", "mcp", "serve"]
    cursor --project repo/.cursor/mcp.json
    {
      "mcpServers": {
        "elophanto": {
          "type": "stdio",
          "command": "elophanto",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    cursor --project repo/.cursor/skills/elophanto/SKILL.md
    cursor --user home/.cursor/mcp.json
    {
      "mcpServers": {
        "elophanto": {
          "type": "stdio",
          "command": "[PROGRAM]",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    cursor --user home/.cursor/skills/elophanto/SKILL.md
    vscode --project repo/.github/skills/elophanto/SKILL.md
    vscode --project repo/.vscode/mcp.json
    {
      "servers": {
        "elophanto": {
          "type": "stdio",
          "command": "elophanto",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    vscode --user home/.config/Code/User/mcp.json
    {
      "servers": {
        "elophanto": {
          "type": "stdio",
          "command": "[PROGRAM]",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    vscode --user home/.copilot/skills/elophanto/SKILL.md
    gemini --project repo/.gemini/settings.json
    {
      "mcpServers": {
        "elophanto": {
          "command": "elophanto",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    gemini --project repo/.gemini/skills/elophanto/SKILL.md
    gemini --user home/.gemini/settings.json
    {
      "mcpServers": {
        "elophanto": {
          "command": "[PROGRAM]",
          "args": ["agent", "mcp", "serve"]
        }
      }
    }
    gemini --user home/.gemini/skills/elophanto/SKILL.md
    opencode --project repo/.opencode/skills/elophanto/SKILL.md
    opencode --project repo/opencode.json
    {
      "mcp": {
        "elophanto": {
          "type": "local",
          "command": ["elophanto", "agent", "mcp", "serve"]
        }
      }
    }
    opencode --user home/.config/opencode/opencode.json
    {
      "mcp": {
        "elophanto": {
          "type": "local",
          "command": ["[PROGRAM]", "agent", "mcp", "serve"]
        }
      }
    }
    opencode --user home/.config/opencode/skills/elophanto/SKILL.md
    "#);
}

#[test]
fn what_was_there_stays_and_comes_back() {
    let json = "// mine\r\n{\r\n\t\"mcpServers\": {\"x\": {\"command\": \"x\"}},\r\n\t\"servers\": {},\r\n\
                \t\"mcp\": { },\r\n\t\"other\": [1, 2,], // why\r\n}";
    let toml = "# mine\nmodel = \"o\"   # why\n\n[mcp_servers.x]\ncommand = 'x'\n[[tail]]\na = 1";
    for client in CLIENTS {
        for scope in ["--project", "--user"] {
            let env = TestEnv::new();
            let place = place(client, scope);
            put(&env, place, if client == "codex" { toml } else { json });
            let rights = fs::Permissions::from_mode(0o640);
            fs::set_permissions(env.outside().join(place), rights).unwrap();
            let before = files(&env);
            let made = env.json(&["agent", "install", client, scope, "--yes", "--json"]);
            let backup = format!("{place}.before-elophanto");
            assert_eq!(
                made[0]["backup"],
                env.outside().join(&backup).to_str().unwrap(),
                "{made:?}"
            );
            let after = files(&env);
            assert_eq!(after[Path::new(&backup)], before[Path::new(place)]);
            let text = String::from_utf8_lossy(&after[Path::new(place)]).into_owned();
            assert!(
                text.contains("elophanto") && text.contains("mine") && text.contains("why"),
                "{text}"
            );
            let mode = fs::metadata(env.outside().join(place)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
            // What the user does meanwhile is kept.
            let mine = text.replace("mine", "still mine");
            put(&env, place, &mine);
            env.ok(&["agent", "install", client, scope, "--remove", "--yes"]);
            let text = fs::read_to_string(env.outside().join(place)).unwrap();
            let expected =
                String::from_utf8_lossy(&before[Path::new(place)]).replace("mine", "still mine");
            assert_eq!(text, expected, "{client} {scope}");
            // And without that, nothing is left behind.
            let env = TestEnv::new();
            put(&env, place, if client == "codex" { toml } else { json });
            let before = files(&env);
            env.ok(&["agent", "install", client, scope, "--yes"]);
            env.ok(&["agent", "install", client, scope, "--remove", "--yes"]);
            assert_eq!(files(&env), before, "{client} {scope}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let mut said = String::new();
    for client in CLIENTS {
        let env = TestEnv::new();
        for text in [
            "{\n  \"a\": 1,\n  \"b\" 2\n}\n",
            "\n[[[\n",
            "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}",
            "\u{0}",
        ] {
            put(&env, place(client, "--user"), text);
            let before = files(&env);
            let output = env.run(&["agent", "install", client, "--yes"]);
            assert_eq!((output.code, output.stdout()), (Some(2), String::new()), "{output}");
            let stderr = output.stderr().replace(env.outside().to_str().unwrap(), "");
            said += &format!("{client} {text:?}: {stderr}");
            assert_eq!(files(&env), before);
        }
        fs::write(env.outside().join(place(client, "--user")), b"\xff\xfe{}").unwrap();
        assert_eq!(env.run(&["agent", "install", client, "--yes"]).code, Some(2));
    }
    seen!(said, @r#"
    claude-code "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.claude.json`:3 is not valid JSON: a `:` is missing after a key; repair the file, then try again
    claude-code "\n[[[\n": error: `/home/.claude.json`:3 is not valid JSON: a value is missing; repair the file, then try again
    claude-code "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.claude.json`:1: `mcpServers` is no object; make it one or take it out, then try again
    claude-code "\0": error: `/home/.claude.json`:1 is not valid JSON: this is no value; repair the file, then try again
    codex "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.codex/config.toml`:1 is not valid TOML: invalid key-value pair, expected key; repair the file, then try again
    codex "\n[[[\n": error: `/home/.codex/config.toml`:2 is not valid TOML: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`; repair the file, then try again
    codex "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.codex/config.toml`:1 is not valid TOML: invalid key-value pair, expected key; repair the file, then try again
    codex "\0": error: `/home/.codex/config.toml`:1 is not valid TOML: key with no value, expected `=`; repair the file, then try again
    cursor "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.cursor/mcp.json`:3 is not valid JSON: a `:` is missing after a key; repair the file, then try again
    cursor "\n[[[\n": error: `/home/.cursor/mcp.json`:3 is not valid JSON: a value is missing; repair the file, then try again
    cursor "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.cursor/mcp.json`:1: `mcpServers` is no object; make it one or take it out, then try again
    cursor "\0": error: `/home/.cursor/mcp.json`:1 is not valid JSON: this is no value; repair the file, then try again
    vscode "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.config/Code/User/mcp.json`:3 is not valid JSON: a `:` is missing after a key; repair the file, then try again
    vscode "\n[[[\n": error: `/home/.config/Code/User/mcp.json`:3 is not valid JSON: a value is missing; repair the file, then try again
    vscode "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.config/Code/User/mcp.json`:1: `servers` is no object; make it one or take it out, then try again
    vscode "\0": error: `/home/.config/Code/User/mcp.json`:1 is not valid JSON: this is no value; repair the file, then try again
    gemini "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.gemini/settings.json`:3 is not valid JSON: a `:` is missing after a key; repair the file, then try again
    gemini "\n[[[\n": error: `/home/.gemini/settings.json`:3 is not valid JSON: a value is missing; repair the file, then try again
    gemini "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.gemini/settings.json`:1: `mcpServers` is no object; make it one or take it out, then try again
    gemini "\0": error: `/home/.gemini/settings.json`:1 is not valid JSON: this is no value; repair the file, then try again
    opencode "{\n  \"a\": 1,\n  \"b\" 2\n}\n": error: `/home/.config/opencode/opencode.json`:3 is not valid JSON: a `:` is missing after a key; repair the file, then try again
    opencode "\n[[[\n": error: `/home/.config/opencode/opencode.json`:3 is not valid JSON: a value is missing; repair the file, then try again
    opencode "{\"mcpServers\": 7, \"servers\": 7, \"mcp\": 7}": error: `/home/.config/opencode/opencode.json`:1: `mcp` is no object; make it one or take it out, then try again
    opencode "\0": error: `/home/.config/opencode/opencode.json`:1 is not valid JSON: this is no value; repair the file, then try again
    "#);
    let env = TestEnv::new();
    put(&env, "home/.cursor/skills/elophanto/SKILL.md", "# My own\n");
    let before = files(&env);
    seen!(env.run(&["agent", "install", "cursor", "--yes"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/home/.cursor/skills/elophanto/SKILL.md` is there and not ours; move it away, then try again
    ");
    seen!(env.run(&["agent", "install", "vim", "--yes"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: invalid value 'vim' for '<CLIENT>': no such client; there are claude-code, codex, cursor, vscode, gemini and opencode

    For more information, try '--help'.
    ");
    seen!(env.run(&["agent", "install", "codex", "--hooks", "--yes"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: codex has no hooks of this kind
    hint: only `claude-code` does
    ");
    assert_eq!(files(&env), before);
}

#[test]
fn what_is_asked_for_is_shown_whole() {
    let env = TestEnv::new();
    let long = "y".repeat(400);
    put(&env, "home/.claude.json", &format!("{{\"x\": \"{long}\", \"mcpServers\": {{}}}}\n"));
    let before = files(&env);
    let shown = env.run(&["agent", "install", "claude-code", "--dry-run"]).stdout();
    env.ok(&["agent", "install", "claude-code", "--yes"]);
    let mut compared = 0;
    for (path, bytes) in files(&env) {
        let is_theirs = path.to_string_lossy().contains("/.claude") && !before.contains_key(&path)
            || path.ends_with(".claude.json");
        // What was there before is kept beside it.
        if !is_theirs || before.values().any(|known| *known == bytes) {
            continue;
        }
        for line in String::from_utf8(bytes).unwrap().lines() {
            assert!(shown.contains(&format!("+{line}\n")), "{}: {line}\n{shown}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 20 && shown.contains(&long), "{compared}\n{shown}");
}

#[test]
fn hooks() {
    for scope in ["--project", "--user"] {
        let env = TestEnv::new();
        let folder = if scope == "--project" { "repo" } else { "home" };
        let settings = format!("{folder}/.claude/settings.json");
        put(
            &env,
            &settings,
            "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  }\n}\n",
        );
        let before = files(&env);
        env.ok(&["agent", "install", "claude-code", scope, "--hooks", "--yes"]);
        let text = fs::read_to_string(env.outside().join(&settings)).unwrap();
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        let stop = &found["hooks"]["Stop"];
        assert_eq!(stop[0]["hooks"][0]["command"], "say done");
        let program = if scope == "--project" { "elophanto" } else { crate::env::PROGRAM };
        assert_eq!(stop[1]["hooks"][0]["command"], format!("{program} agent hook stop"));
        let start = &found["hooks"]["SessionStart"][0]["hooks"][0]["command"];
        assert_eq!(*start, format!("{program} agent hook session-start"));
        let again = env.run(&["agent", "install", "claude-code", scope, "--hooks", "--yes"]);
        assert_eq!(again.code, Some(0), "{again}");
        env.ok(&["agent", "install", "claude-code", scope, "--remove", "--yes"]);
        assert_eq!(files(&env), before);
    }
}

/// A repository's link, be it the file or a folder above it, leads nobody out of it; the user's
/// own are followed.
#[test]
fn links() {
    let env = TestEnv::new();
    fs::create_dir(env.outside().join("elsewhere")).unwrap();
    symlink(env.outside().join("elsewhere"), env.path(".vscode")).unwrap();
    symlink("../elsewhere", env.path(".gemini")).unwrap();
    symlink("../elsewhere", env.path(".cursor")).unwrap();
    put(&env, "elsewhere/mcp.json", "{}");
    symlink("../elsewhere/mcp.json", env.path(".mcp.json")).unwrap();
    symlink("../elsewhere/gone.json", env.path("opencode.json")).unwrap();
    for client in ["vscode", "gemini", "cursor", "claude-code", "opencode"] {
        let output = env.run(&["agent", "install", client, "--project", "--yes"]);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr().contains("is a link, and nothing is read"), "{output}");
    }
    let left: Vec<_> = fs::read_dir(env.outside().join("elsewhere")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(fs::read(env.outside().join("elsewhere/mcp.json")).unwrap(), b"{}");

    put(&env, "dotfiles/claude.json", "{}");
    symlink(env.outside().join("dotfiles/claude.json"), env.outside().join("home/.claude.json"))
        .unwrap();
    env.ok(&["agent", "install", "claude-code", "--yes"]);
    assert!(fs::symlink_metadata(env.outside().join("home/.claude.json")).unwrap().is_symlink());
    let text = fs::read_to_string(env.outside().join("dotfiles/claude.json")).unwrap();
    assert!(text.contains("elophanto"), "{text}");
}

#[test]
fn outside_of_any_repository() {
    let env = TestEnv::plain();
    env.ok(&["agent", "install", "gemini", "--user", "--yes"]);
    assert!(env.outside().join("home/.gemini/settings.json").is_file());
    env.ok(&["agent", "install", "gemini", "--remove", "--yes"]);
    seen!(env.run(&["agent", "install", "gemini", "--project", "--yes"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: `[TEMP]/repo` is in no git repository and in no initialised folder
    hint: run `elophanto init` here to make this folder a knowledge base, or `git init` first
    ");
}
